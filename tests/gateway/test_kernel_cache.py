"""The kernels' cache is found, or made, wherever the gateway runs."""

import os
import shutil
from pathlib import Path

import pytest

from gateway import kernel_cache
from kinematics.sources import SOURCES


@pytest.fixture
def unwritable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder nobody may write to; said so to root as well, whom modes do not stop."""
    folder = tmp_path / "read-only"
    folder.mkdir()
    real = os.access

    def access(path: os.PathLike[str], mode: int) -> bool:
        inside = Path(path).is_relative_to(folder)
        return not (inside and mode & os.W_OK) and real(path, mode)

    monkeypatch.setattr(os, "access", access)
    return folder


def test_the_callers_own_folder_is_used(tmp_path: Path) -> None:
    cache = kernel_cache.find({"NUMBA_CACHE_DIR": str(tmp_path / "kernels")})
    assert cache.folder.parent == tmp_path / "kernels"
    assert not cache.private
    assert not cache.warm
    cache.mark_warm()
    assert kernel_cache.find({"NUMBA_CACHE_DIR": str(tmp_path / "kernels")}).warm


def test_the_users_cache_folder_is_the_default(tmp_path: Path) -> None:
    cache = kernel_cache.find({"XDG_CACHE_HOME": str(tmp_path)})
    assert cache.folder.parent == tmp_path / "robot-gateway"
    assert cache.folder.stat().st_mode & 0o777 == 0o700


def test_without_a_home_a_private_folder_serves(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", no_home)
    cache = kernel_cache.find({})
    assert cache.private
    assert cache.folder.stat().st_mode & 0o777 == 0o700
    cache.remove()
    assert not cache.folder.exists()


def test_a_cold_read_only_folder_is_passed_over(unwritable: Path) -> None:
    cache = kernel_cache.find({"NUMBA_CACHE_DIR": str(unwritable)})
    assert cache.private
    assert not cache.warm
    cache.remove()


def test_a_warm_read_only_folder_is_copied(unwritable: Path) -> None:
    key = kernel_cache._key({})
    folder = unwritable / f"kernels-{key}"
    folder.mkdir()
    (folder / "kernel.nbc").write_bytes(b"compiled")
    (folder / kernel_cache.STAMP.format(key=key)).touch()
    cache = kernel_cache.find({"NUMBA_CACHE_DIR": str(unwritable)})
    assert cache.private
    assert cache.warm
    assert (cache.folder / "kernel.nbc").read_bytes() == b"compiled"
    cache.remove()


def test_a_folder_that_others_can_write_to_is_not_trusted(tmp_path: Path) -> None:
    folder = tmp_path / f"kernels-{kernel_cache._key({})}"
    folder.mkdir()
    folder.chmod(0o777)
    cache = kernel_cache.find({"NUMBA_CACHE_DIR": str(tmp_path)})
    assert cache.private
    cache.remove()


@pytest.mark.parametrize("change", ["source", "cpu"])
def test_the_key_changes_with_what_compiled_code_depends_on(
    change: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = kernel_cache._key({})
    if change == "source":
        copies = tmp_path / "kinematics"
        shutil.copytree(kernel_cache.KERNELS, copies)
        with (copies / SOURCES[0]).open("a") as source:
            source.write("# changed\n")
        monkeypatch.setattr(kernel_cache, "KERNELS", copies)
        after = kernel_cache._key({})
    else:
        after = kernel_cache._key({"NUMBA_CPU_NAME": "generic"})
    assert after != before
