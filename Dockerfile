# syntax=docker/dockerfile:1

# Stage 1: everything that is installed, in one folder that can be copied as it is.
FROM python:3.12-slim AS build
WORKDIR /source
RUN python -m venv /opt/gateway
COPY pyproject.toml README.md ./
COPY urdf urdf
COPY kinematics kinematics
COPY gateway gateway
RUN /opt/gateway/bin/pip install --no-cache-dir '.[rosbridge]'

# Stage 2: no compiler, no package manager's cache, no root.
FROM python:3.12-slim
COPY --from=build /opt/gateway /opt/gateway
# The kernels are compiled once, here, for any CPU of this architecture: the name given to
# numba at build time has to be the one at run time.
ENV NUMBA_CPU_NAME=generic \
    NUMBA_CPU_FEATURES="" \
    NUMBA_CACHE_DIR=/var/cache/robot-gateway \
    GATEWAY_HOST=0.0.0.0 \
    PYTHONUNBUFFERED=1
RUN /opt/gateway/bin/python -m gateway.warm_up \
    && chmod -R a+rX,go-w /var/cache/robot-gateway
USER 65532:65532
EXPOSE 9095
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s --retries=3 \
    CMD ["/opt/gateway/bin/python", "-m", "gateway.health"]
ENTRYPOINT ["/opt/gateway/bin/python", "-m", "gateway"]
