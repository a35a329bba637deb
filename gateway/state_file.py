"""The file that parameters are kept in: SQLite, one row a name.

A file is judged before anything is opened for writing, so one that is refused stays as it
is. A new one is made under another name and moved to its own once it is whole, without a
write-ahead log yet: what marks it as ours is in its first hundred bytes from then on.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import sqlite3
import tempfile
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final
from urllib.parse import quote as quote_path

from gateway.errors import StateError
from gateway.params import Write

MAGIC: Final = b"SQLite format 3\0"
APPLICATION_ID: Final = 0x52474154  # "RGAT"
FORMAT: Final = 1  # SQLite's user_version; one more for every change of the schema
HEADER_BYTES: Final = 100
VERSION_AT: Final = slice(60, 64)  # of the header, both big-endian
APPLICATION_AT: Final = slice(68, 72)
LOG_BYTES: Final = 16 * 1024 * 1024  # that the log is cut back to once it has been worked in
SCHEMA: Final = f"""
BEGIN IMMEDIATE;
CREATE TABLE parameters (
    name BLOB PRIMARY KEY,       -- UTF-8
    version INTEGER NOT NULL,
    value BLOB,                  -- JSON; NULL once deleted: versions count on
    checksum INTEGER NOT NULL    -- of the three, since SQLite has none
);
PRAGMA application_id = {APPLICATION_ID};
PRAGMA user_version = {FORMAT};
COMMIT;
"""
STORE: Final = (
    "INSERT INTO parameters VALUES (?1, ?2, ?3, ?4) "
    "ON CONFLICT (name) DO UPDATE SET version = ?2, value = ?3, checksum = ?4"
)


class StateFile:
    """An open file, locked for as long as it is open. May be handed on to another thread."""

    def __init__(self, path: str) -> None:
        """Open a file, or make it.

        Raises:
            StateError: it cannot be used; it is as it was.
        """
        self._path = path
        with self._refusing(), _alone_in(_folder(path)):
            if _judge(path):
                _make(path)
            self._check()
            self._database = _connect(path, "rw")
            try:
                self._database.execute("PRAGMA journal_mode = WAL")
                self._database.execute("PRAGMA synchronous = FULL")
                self._database.execute(f"PRAGMA journal_size_limit = {LOG_BYTES}")
                self._database.execute("BEGIN IMMEDIATE")  # takes the lock, and keeps it
                self._database.execute("COMMIT")
            except sqlite3.Error:
                self._database.close()
                raise

    def load(self) -> Iterator[Write]:
        """Return every name's last write.

        Raises:
            StateError: a row is damaged.
        """
        with self._refusing():
            for row in self._database.execute("SELECT * FROM parameters"):
                yield _read(row)

    def store(self, writes: Sequence[Write]) -> list[str]:
        """Write to the disk; return for each write why it could not be kept, "" if it is.

        What is kept survives a loss of power. Where one write fails, those of the same name
        after it are refused too, since their versions count it.
        """
        if not self._try(writes):
            return [""] * len(writes)
        failed: dict[str, str] = {}
        results = []
        for write in writes:
            error = failed.get(write.name) or self._try([write])
            if error:
                failed[write.name] = error
            results.append(error)
        return results

    def close(self) -> None:
        """Close; the log is worked in and gone."""
        self._database.close()

    def _try(self, writes: Sequence[Write]) -> str:
        """Write all or nothing; return why not, or ""."""
        database = self._database
        try:
            database.execute("BEGIN IMMEDIATE")
            database.executemany(STORE, map(_row, writes))
            database.execute("COMMIT")
        except (sqlite3.Error, OverflowError) as error:
            if database.in_transaction:
                with contextlib.suppress(sqlite3.Error):  # some errors have rolled back already
                    database.execute("ROLLBACK")
            return str(error)
        return ""

    def _check(self) -> None:
        """Look through a file of ours without changing it, whatever its log holds."""
        beside = [Path(self._path + end) for end in ("-wal", "-shm")]
        left = [path for path in beside if not path.exists()]  # by reading, were it not for us
        try:
            with contextlib.closing(_connect(self._path, "ro")) as database:
                problem = database.execute("PRAGMA quick_check(1)").fetchone()[0]
                if problem != "ok":
                    raise sqlite3.DatabaseError(problem)
                for row in database.execute("SELECT * FROM parameters"):
                    _read(row)
        finally:
            for path in left:
                path.unlink(missing_ok=True)

    @contextlib.contextmanager
    def _refusing(self) -> Iterator[None]:
        """Turn whatever keeps the file from being used into a sentence."""
        try:
            yield
        except (OSError, sqlite3.Error, ValueError) as error:
            raise StateError(f"--state {self._path}: {_sentence(error)}") from None


def _judge(path: str) -> bool:
    """Return whether a file has yet to be made.

    Raises:
        OSError, ValueError: it cannot be read, or is not ours.
    """
    if not Path(path).exists():
        return True
    if not Path(path).is_file():
        raise ValueError("it is not a file")
    with open(path, "rb") as file:
        header = file.read(HEADER_BYTES)
    if not header:
        return True
    if not header.startswith(MAGIC) or len(header) < HEADER_BYTES:
        raise ValueError("it is not a SQLite file; name one of the gateway's, or a new one")
    if int.from_bytes(header[APPLICATION_AT], "big") != APPLICATION_ID:
        raise ValueError(
            "it is a SQLite file of another program; name one of the gateway's, or a new one"
        )
    found = int.from_bytes(header[VERSION_AT], "big")
    if found != FORMAT:
        raise ValueError(
            f"it has format {found}, this gateway reads format {FORMAT}; run the newer gateway "
            "that wrote it"
        )
    return False


def _folder(path: str) -> Path:
    folder = Path(path).absolute().parent
    if not folder.is_dir():
        raise ValueError(f"the folder {folder} does not exist")
    return folder


@contextlib.contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """Wait until no other gateway is starting with a file in a folder.

    Two that start at once could each take the other's log for what its own reading left.
    """
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _make(path: str) -> None:
    """Make a file that holds nothing; it is there whole or not at all."""
    folder, name = os.path.split(os.path.abspath(path))
    with tempfile.TemporaryDirectory(dir=folder, prefix=f".{name}.") as beside:
        unnamed = os.path.join(beside, name)
        os.close(os.open(unnamed, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        with contextlib.closing(_connect(unnamed, "rw")) as database:
            database.executescript(SCHEMA)
        os.replace(unnamed, path)
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _connect(path: str, mode: str) -> sqlite3.Connection:
    database = sqlite3.connect(
        f"file:{quote_path(os.path.abspath(path))}?mode={mode}",
        uri=True,
        timeout=0.0,  # who holds the lock holds it until it ends
        isolation_level=None,
        check_same_thread=False,
    )
    if mode == "rw":  # no file of shared memory, and the lock is never let go
        database.execute("PRAGMA locking_mode = EXCLUSIVE")
    return database


def _sentence(error: Exception) -> str:
    if isinstance(error, sqlite3.OperationalError) and "locked" in str(error):
        return "it is in use; another gateway runs with it"
    if isinstance(error, sqlite3.OperationalError):
        return str(error)  # such as a folder that cannot be written to
    if isinstance(error, sqlite3.DatabaseError):
        return f"it is damaged ({error}); restore a copy of it, or name a new one"
    if isinstance(error, OSError):
        return error.strerror or str(error)
    return str(error)


def _row(write: Write) -> tuple[bytes, int, bytes | None, int]:
    name = write.name.encode()
    return name, write.version, write.value, _checksum(name, write.version, write.value)


def _read(row: tuple[object, ...]) -> Write:
    name, version, value, checksum = row
    if not (
        isinstance(name, bytes)
        and isinstance(version, int)
        and isinstance(value, bytes | None)
        and checksum == _checksum(name, version, value)
    ):
        raise sqlite3.DatabaseError("a parameter's checksum is wrong")
    return Write(name.decode(), version, value, 0)


def _checksum(name: bytes, version: int, value: bytes | None) -> int:
    head = b"%d %d %d " % (len(name), version, -1 if value is None else len(value))
    return zlib.crc32(value or b"", zlib.crc32(name, zlib.crc32(head)))
