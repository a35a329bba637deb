"""A state file gives back what was stored; one that cannot be used is left as it is."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from gateway.errors import StateError
from gateway.params import Write
from gateway.state_file import FORMAT, StateFile

AWKWARD = ["", "a", "a\0b", "é\u2028\U0001f600", "x" * 10_000, "' OR 1=1 --"]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state ?#%.db"


@pytest.fixture
def file(path: Path) -> Iterator[StateFile]:
    with closing(StateFile(str(path))) as opened:
        yield opened


def rows(file: StateFile) -> list[tuple[str, int, bytes | None]]:
    return sorted((write.name, write.version, write.value) for write in file.load())


def contents(path: Path) -> dict[str, bytes]:
    return {entry.name: entry.read_bytes() for entry in sorted(path.parent.iterdir())}


def filled(path: Path) -> None:
    with closing(StateFile(str(path))) as file:
        writes = [Write(f"name {n}", 1, b'"%s"' % (b"v" * 3000), 0) for n in range(50)]
        assert file.store(writes) == [""] * 50


def refusal(path: Path) -> str:
    """Return why a file is refused, having seen that nothing beside or in it changed."""
    before = contents(path)
    with pytest.raises(StateError) as caught:
        StateFile(str(path))
    assert contents(path) == before
    assert str(path) in str(caught.value)
    return str(caught.value)


def test_names_and_values_come_back(path: Path, file: StateFile) -> None:
    assert rows(file) == []
    writes = [Write(name, n + 1, b'"%d"' % n, 0) for n, name in enumerate(AWKWARD)]
    assert file.store(writes) == [""] * len(writes)
    expected = sorted((write.name, write.version, write.value) for write in writes)
    assert rows(file) == expected
    file.close()
    with closing(StateFile(str(path))) as again:
        assert rows(again) == expected


def test_the_last_write_of_a_name_counts_and_a_deleted_one_keeps_its_version(
    file: StateFile,
) -> None:
    writes = [Write("a", 1, b"1", 0), Write("a", 2, b"2", 0), Write("b", 1, b"1", 0)]
    assert file.store([*writes, Write("b", 1, None, 0)]) == [""] * 4
    assert rows(file) == [("a", 2, b"2"), ("b", 1, None)]


def test_a_file_is_private_and_leaves_nothing_beside_it(path: Path) -> None:
    filled(path)
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]
    assert path.stat().st_mode & 0o077 == 0


def test_an_empty_file_is_a_new_one(path: Path) -> None:
    path.touch()
    filled(path)


def test_what_was_stored_is_there_without_an_orderly_end(path: Path, tmp_path: Path) -> None:
    with closing(StateFile(str(path))) as file:
        assert file.store([Write("a", 7, b"[]", 0)]) == [""]
        copy = tmp_path / "copy"
        copy.mkdir()
        for entry in tmp_path.glob("state*"):
            shutil.copy(entry, copy)
    with closing(StateFile(str(copy / path.name))) as again:
        assert rows(again) == [("a", 7, b"[]")]
        assert not list(copy.glob("*-shm"))


def test_a_file_in_use_is_refused(path: Path, file: StateFile) -> None:
    assert len(contents(path)) == 2  # its log is there from the start
    with pytest.raises(StateError, match="in use"):
        StateFile(str(path))
    assert file.store([Write("a", 1, b"1", 0)]) == [""]
    with pytest.raises(StateError, match="in use"):
        StateFile(str(path))
    assert file.store([Write("a", 2, b"2", 0)]) == [""]


def test_another_program_s_file_is_refused(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE parameters (name, version, value, checksum)")
    assert "another program" in refusal(path)
    path.write_bytes(b"name = value\n" * 20)
    assert "not a SQLite file" in refusal(path)
    path.write_bytes(b"SQLite format 3\0")
    assert "not a SQLite file" in refusal(path)


def test_a_newer_format_is_refused(path: Path) -> None:
    filled(path)
    with closing(sqlite3.connect(path)) as database:
        database.execute(f"PRAGMA user_version = {FORMAT + 1}")
        database.execute("PRAGMA wal_checkpoint")
    assert f"format {FORMAT + 1}" in refusal(path)


@pytest.mark.parametrize("place", ["header", "middle", "end"])
def test_a_damaged_file_is_refused(path: Path, place: str) -> None:
    filled(path)
    data = bytearray(path.read_bytes())
    start = {"header": 4096 + 8, "middle": len(data) // 2, "end": len(data) - 4000}[place]
    data[start : start + 3000] = b"\x55" * 3000
    path.write_bytes(data)
    assert "damaged" in refusal(path)


def test_a_file_cut_short_is_refused(path: Path) -> None:
    filled(path)
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    assert "damaged" in refusal(path)


def test_one_changed_byte_of_a_value_is_noticed(path: Path) -> None:
    filled(path)
    data = path.read_bytes()
    at = data.index(b"v" * 3000) + 1500
    path.write_bytes(data[:at] + b"w" + data[at + 1 :])
    assert "checksum" in refusal(path)


def test_a_damaged_file_keeps_its_log(path: Path, tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    folder.mkdir()
    filled(path)
    with closing(StateFile(str(path))) as file:
        assert file.store([Write("a", 1, b"1", 0)]) == [""]
        for entry in tmp_path.glob("state*"):
            shutil.copy(entry, folder)
    copy = folder / path.name
    data = bytearray(copy.read_bytes())
    middle = len(data) // 2
    data[middle : middle + 3000] = b"\x55" * 3000
    copy.write_bytes(data)
    assert "damaged" in refusal(copy)
    assert len(contents(copy)) == 2


def test_where_there_can_be_no_file(tmp_path: Path) -> None:
    with pytest.raises(StateError, match="does not exist"):
        StateFile(str(tmp_path / "none" / "state.db"))
    with pytest.raises(StateError, match="not a file"):
        StateFile(str(tmp_path))


def test_a_full_disk_refuses_what_does_not_fit(file: StateFile) -> None:
    pages = file._database.execute("PRAGMA page_count").fetchone()[0]
    file._database.execute(f"PRAGMA max_page_count = {pages + 1}")
    large = b'"%s"' % (b"x" * 100_000)
    writes = [
        *(Write("a", 1, b"1", 0), Write("b", 1, large, 0), Write("b", 2, b"2", 0)),
        Write("c", 1, b"3", 0),
    ]
    kept, full, after_it, other = file.store(writes)
    assert (kept, other) == ("", "")
    assert "full" in full
    assert after_it == full
    assert rows(file) == [("a", 1, b"1"), ("c", 1, b"3")]
    file._database.execute("PRAGMA max_page_count = 100000")
    assert file.store(writes[1:3]) == ["", ""]


def test_a_version_that_no_file_holds_is_refused(file: StateFile) -> None:
    assert "too large" in file.store([Write("a", 2**63, b"1", 0)])[0]
    assert rows(file) == []
