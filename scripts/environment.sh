# shellcheck shell=bash
# Sourced by the other scripts: `use_environment [EXTRA]` makes .venv hold what they need (an
# extra of pyproject.toml: dev, oracle, ...); $python is its Python.

cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
venv="${GATEWAY_VENV:-$PWD/.venv}"
python="$venv/bin/python"

find_python() {
    local candidate
    for candidate in python3 python3.13 python3.12 python3.11 python; do
        if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            echo "$candidate"
            return
        fi
    done
    echo "Python 3.11 or later is needed, and none of python3, python3.13 ... is one." >&2
    return 1
}

# One stamp a set of requirements: a second start installs nothing, a changed pyproject.toml does.
use_environment() {
    local extra="${1:-}" spec="." base stamp
    [ -n "$extra" ] && spec=".[$extra]"
    stamp="$venv/installed-${extra:-base}-$(cksum < pyproject.toml | tr ' ' '-')"
    [ -e "$stamp" ] && return
    if [ ! -x "$python" ]; then
        base=$(find_python) || return 1
        "$base" -m venv "$venv" || return 1
    fi
    echo "setting up $venv for $spec" >&2
    "$python" -m pip install --quiet --disable-pip-version-check --editable "$spec" >&2 || return 1
    touch "$stamp"
}
