"""The frontier's file: its tables, and how it is opened.

Links lie in the order they were found, so that new ones are appended; only their fingerprints (8 bytes) and, of those
that wait, host and rank are in trees with random access. With the fingerprint as the table's own key a new link takes as
long, or half as long again. In WAL mode with ``synchronous=NORMAL`` a committed transaction survives the death of the
process. If the machine loses power the last transactions may be gone, never half of one.
"""

from __future__ import annotations

import atexit
import os
import re
import sqlite3
import time
from typing import IO, TYPE_CHECKING

try:
    import fcntl
except ImportError:  # not on this system: two crawls in one folder are then the user's mistake
    fcntl = None  # type: ignore[assignment]

from focused.frontier.store.evidence_rows import FIRST_REASONS
from focused.utils.file_names import FRONTIER_FILE
from focused.utils.sqlite_files import guard

if TYPE_CHECKING:
    from pathlib import Path

VERSION = 3

WAITING, LEASED, DONE, FAILED, DROPPED = range(5)
STATES = ("waiting", "leased", "done", "failed", "dropped")
"""Of a link: to be fetched, under way, its page is in, it could not be fetched, it was given up."""

RANK_BITS = 40
"""The lower bits of a rank: the turn among links of one priority."""

# A page's links touch many leaves of two trees; written back one by one at each checkpoint they cost half of all time.
_CHECKPOINT_PAGES = 20_000
_CACHE_KIB = 64 * 1024

BUSY_SECS = 1.0
"""Seconds to wait for another process's lock."""
LOCK_SECS, _TRY_EVERY_SECS = 0.5, 0.02
"""Seconds for which a crawl tries to lock its folder, and between two tries. A dashboard that looks whether a crawl is at work
holds the lock for a moment."""

_TABLES = """
CREATE TABLE hosts (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, n_pages INTEGER NOT NULL DEFAULT 0,
    n_relevant INTEGER NOT NULL DEFAULT 0, n_failed INTEGER NOT NULL DEFAULT 0);
CREATE TABLE referrers (id INTEGER PRIMARY KEY, url TEXT NOT NULL);
CREATE TABLE links (
    id INTEGER PRIMARY KEY,          -- in the order of discovery
    fingerprint INTEGER NOT NULL,    -- of the canonical URL
    host INTEGER NOT NULL,
    state INTEGER NOT NULL,
    rank INTEGER NOT NULL,           -- less is better
    extra INTEGER NOT NULL,          -- priority that does not come from the evidence (seeds)
    tunnel INTEGER NOT NULL,         -- irrelevant pages since the last relevant one on the way here
    url TEXT NOT NULL,
    score REAL NOT NULL, reason INTEGER NOT NULL, admitted INTEGER NOT NULL, referrer INTEGER NOT NULL,
    depth INTEGER NOT NULL, irrelevant_on_path INTEGER NOT NULL, carried REAL, parts BLOB,
    n_referrers INTEGER NOT NULL,
    model_version INTEGER NOT NULL,  -- of the model that the score comes from; 1 takes no byte
    found_at INTEGER NOT NULL, ended_at INTEGER, note TEXT,
    callback TEXT,                   -- the spider's method that the page goes to; NULL: parse
    request TEXT                     -- the spider's own request, as JSON; NULL: a link of a page, or a seed
);
CREATE UNIQUE INDEX by_fingerprint ON links (fingerprint);
CREATE INDEX by_host ON links (host, rank) WHERE state = 0;
CREATE TABLE crawl (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
"""
_REASONS = f"""
CREATE TABLE reasons (id INTEGER PRIMARY KEY, kind TEXT NOT NULL UNIQUE);  -- what a score rests on: links.reason
INSERT INTO reasons VALUES {", ".join(map(str, enumerate(FIRST_REASONS)))};
"""

# What other modules keep in the file comes later, where it is wanted.
_KINDS = dict.fromkeys([*re.findall(r"CREATE TABLE (\w+)", _TABLES + _REASONS), "pages", "records", "texts"], "table")

# What a file of the version before lacks.
_UPGRADE = f"""BEGIN IMMEDIATE; {_REASONS}
ALTER TABLE links ADD COLUMN callback TEXT; ALTER TABLE links ADD COLUMN request TEXT;
PRAGMA user_version = 3; COMMIT;"""

# Of crawls that this process is about to start: their locks, by the frontier's path.
_reserved: dict[Path, IO[bytes]] = {}


class FrontierFileError(ValueError):
    """The file is no frontier that this version can use; the message says what to do."""


def lock(path: Path) -> IO[bytes]:
    """Keep other crawls out of a frontier for as long as the returned file is open, or this process lives.

    Raises a `FrontierFileError` if another crawl has it.
    """
    held = _take_reserved(path)
    if held is not None:
        return held
    file, until = _lock_path(path).open("wb"), time.monotonic() + LOCK_SECS
    while fcntl is not None:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            break
        except OSError:
            if time.monotonic() < until:
                time.sleep(_TRY_EVERY_SECS)
                continue
            file.close()
            raise FrontierFileError(
                f"Another crawl is at work in {path.parent}. Wait for its end, or choose another folder: -a run_dir=PATH"
            ) from None
    return file


def reserve(path: Path) -> None:
    """Keep other processes out of a frontier that this one is about to open: its store's ``lock`` takes this one over.

    So a crawl that another one keeps out is refused, with a `FrontierFileError`, before it has written anything.
    """
    _reserved[path.resolve()] = lock(path)


@atexit.register
def _let_go() -> None:
    """Close what was reserved for crawls that have not begun."""
    while _reserved:
        _reserved.popitem()[1].close()


def _take_reserved(path: Path) -> IO[bytes] | None:
    """Return a lock that was reserved, unless its folder has been made anew since."""
    held = _reserved.pop(path.resolve(), None)
    if held is None:
        return None
    try:
        is_there = os.path.samestat(os.fstat(held.fileno()), _lock_path(path).stat())
    except OSError:
        is_there = False
    if not is_there:
        held.close()
        return None
    return held


def _lock_path(path: Path) -> Path:
    return path.with_name(path.name + ".lock")


def open_file(path: Path, *, read_only: bool = False) -> sqlite3.Connection:
    """Open the file of a frontier, only to look at it while a crawl works on it, or made if it is not there.

    Raises
    ------
    FrontierFileError
        If there is none, or it is damaged, of another version, or in use by another crawl.
    """
    try:
        if read_only:
            if not path.is_file():
                raise FrontierFileError(_not_there(path))
            return _look_at(path)
        connection = sqlite3.connect(path, isolation_level=None, timeout=BUSY_SECS)
        _prepare(connection, path)
        return _checked(connection, path)
    except sqlite3.Error as error:
        raise FrontierFileError(advice(path, error)) from None


def _look_at(path: Path) -> sqlite3.Connection:
    """Open a file to read it, in a folder that may not be written as well."""
    uri = path.resolve().as_uri()
    try:
        return _checked(sqlite3.connect(f"{uri}?mode=ro", uri=True, isolation_level=None), path)
    except sqlite3.OperationalError as error:
        if "unable to open" not in str(error) and "readonly" not in str(error):
            raise
    path.open("rb").close()  # whether it may be read at all
    # SQLite wants to make a file beside it for those who look at it together.
    log = path.with_name(f"{path.name}-wal")
    if log.is_file() and log.stat().st_size:
        raise FrontierFileError(
            f"{path} cannot be read where it is: the crawl was killed or is at work, and the folder may not be written. Copy "
            f"the folder and look at the copy: cp -r {path.parent} COPY"
        )
    return _checked(sqlite3.connect(f"{uri}?mode=ro&immutable=1", uri=True, isolation_level=None), path)


def advice(path: Path, error: sqlite3.Error) -> str:
    """Return what is wrong with a file, and what to do."""
    what = str(error)
    if "locked" in what or "busy" in what:
        return f"{path} is in use: {error}. Try again in a moment, or choose another folder: -a run_dir=PATH"
    if "not a database" in what or "no such table" in what:
        return _no_frontier(path)
    if "malformed" in what:
        return damaged(path, str(error))
    return f"{path} cannot be used: {error}. See whether it may be read, and whether the disk is full."


def damaged(path: Path, what: str) -> str:
    """Return that a frontier is damaged, and what to do."""
    return (
        f"{path} is damaged: {what}. Save what can be read: scrapy frontier {path.parent} --recover. Or put a copy back, "
        f"or crawl anew in another folder: -a run_dir=PATH"
    )


def check_whole(sql: sqlite3.Connection, path: Path) -> None:
    """Refuse a frontier with damaged pages, which a crawl would meet somewhere on its way; 1 s for some 500 MB.

    Raises a `FrontierFileError`.
    """
    [(found,)] = sql.execute("PRAGMA quick_check(1)").fetchall()
    if found != "ok":
        raise FrontierFileError(damaged(path, found.replace("\n", " ")))


def _no_frontier(path: Path) -> str:
    if path.is_file() and not path.stat().st_size:
        return (
            f"{path} is empty: its links are lost, perhaps because the disk was full. Put a copy of the file back, or crawl "
            "anew in another folder: -a run_dir=PATH"
        )
    recover = f". Of one that is damaged save what can be read: scrapy frontier {path.parent} --recover"
    return (
        f"{path} is no frontier of a crawl. To look at one, name the folder of a run; to crawl, choose another folder: "
        f"-a run_dir=PATH{recover if path.name == FRONTIER_FILE else ''}"
    )


def _not_there(path: Path) -> str:
    if path.name == FRONTIER_FILE and path.parent.is_dir():
        return (
            f"There is no {FRONTIER_FILE} in {path.parent}. A crawl with the default SCHEDULER keeps it in its run directory, "
            f"or in JOBDIR: name that folder"
        )
    return f"{path} is not there. Name the folder of a run: scrapy frontier RUN_DIR"


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    _guard(connection, path)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
    connection.execute(f"PRAGMA wal_autocheckpoint = {_CHECKPOINT_PAGES}")
    connection.execute("PRAGMA temp_store = MEMORY")
    if connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0:
        connection.executescript(f"BEGIN IMMEDIATE; {_TABLES} {_REASONS} PRAGMA user_version = {VERSION}; COMMIT;")
    elif connection.execute("PRAGMA user_version").fetchone()[0] == VERSION - 1:
        connection.executescript(_UPGRADE)


def _guard(connection: sqlite3.Connection, path: Path) -> None:
    """Refuse what would act by itself in a stranger's file."""
    if strange := guard(connection, _KINDS):
        connection.close()
        raise FrontierFileError(f"{path} holds {strange}, as no frontier of a crawl does. Move it away")


def _checked(connection: sqlite3.Connection, path: Path) -> sqlite3.Connection:
    _guard(connection, path)
    found = connection.execute("PRAGMA user_version").fetchone()[0]
    if found not in (VERSION - 1, VERSION):  # the one before can be read as it is
        connection.close()
        if not found:  # any other database
            raise FrontierFileError(_no_frontier(path))
        raise FrontierFileError(
            f"{path} is of version {found}, this program reads version {VERSION}. Choose another folder: "
            f"-a run_dir=PATH"
        )
    return connection
