"""The metrics in Prometheus's text form, made of the plain counts when they are asked for.

Imported only with `--metrics-port`: it takes the library `prometheus_client`.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
from typing import Final

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector

from gateway.hub import Hub
from gateway.tally import BUCKETS_SECONDS, Tally
from gateway.vitals import loaded_version, robot_version

CONTENT_TYPE: Final = CONTENT_TYPE_LATEST
EDGES: Final = (*map(str, BUCKETS_SECONDS), "+Inf")


class Metrics(Collector):
    """One gateway's metrics."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._registry = CollectorRegistry(auto_describe=False)
        self._registry.register(self)

    def text(self) -> bytes:
        """Return what a scrape gets, of CONTENT_TYPE."""
        return generate_latest(self._registry)

    def describe(self) -> list[Metric]:
        """Name nothing in advance: the registry is this collector's alone."""
        return []

    def collect(self) -> Iterator[Metric]:
        """Yield every metric as it is now."""
        yield from _calls(self._hub.tally)
        yield from _rest(self._hub)


def _calls(tally: Tally) -> Iterator[Metric]:
    calls = CounterMetricFamily(
        "gateway_calls", "Calls answered; outcome is ok or the code.", labels=["service", "outcome"]
    )
    for key, count in tally.calls.items():
        calls.add_metric(key, count)
    yield calls
    seconds = HistogramMetricFamily(
        "gateway_call_seconds", "From a call's line to its answer.", labels=["service"]
    )
    for service, latency in tally.latencies.items():
        counts = accumulate(latency.counts)
        buckets = [(edge, float(count)) for edge, count in zip(EDGES, counts, strict=True)]
        seconds.add_metric([service], buckets, latency.seconds)
    yield seconds


def _rest(hub: Hub) -> Iterator[Metric]:
    tally, figures = hub.tally, hub.pool.figures()
    for name, help_, value in (
        ("gateway_bytes_in", "Bytes received from clients.", tally.bytes_in),
        ("gateway_bytes_out", "Bytes of lines sent to clients.", tally.bytes_out),
        ("gateway_worker_restarts", "Workers that died and were replaced.", figures.restarted),
        (
            *("gateway_refused_descriptions", "Robot descriptions that break a rule."),
            figures.refused_descriptions,
        ),
    ):
        yield CounterMetricFamily(name, help_, value=value)
    for name, help_, value in (
        ("gateway_queue_depth", "Calls that no worker has yet.", figures.waiting),
        ("gateway_pending_calls", "Calls waiting or under way.", figures.pending),
        ("gateway_workers_wanted", "Workers as of --workers.", figures.workers),
        ("gateway_workers_alive", "Workers that serve.", figures.alive),
        ("gateway_clients", "Connections of clients.", tally.clients),
        ("gateway_robot_version", "Version of robot_description.", robot_version(hub)),
        ("gateway_robot_loaded_version", "Version that is in effect.", loaded_version(hub)),
    ):
        yield GaugeMetricFamily(name, help_, value=value)
