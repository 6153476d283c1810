"""Opens the collection's file, and makes its tables.

``pages`` has a row for each page, by its URL. ``delivered`` is no value of its own: it follows from what the model says of a
page (``relevant``), what people say (``verdict``), and what the page says (``noindex``, ``duplicate_of``). So it can never
disagree with them. ``pages_fts`` finds words in titles and texts; it holds no text itself and is brought up to date every few
pages. ``verdicts`` mirrors the files of the folder ``verdicts``, which are the truth.

In WAL mode with ``synchronous=NORMAL`` what was committed survives the death of the process, and others may read meanwhile.
"""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from focused.utils.file_names import COLLECTION_FILE
from focused.utils.sqlite_files import INTERRUPTED, VIEW_SECS, done_within, guard

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

VERSION = 1

BUSY_SECS = 5.0
"""Seconds to wait until another process has written: a person's verdicts, an export."""
_CACHE_KIB = 16 * 1024
_PAGE_BYTES = 8192
"""Size of the file's pages. A row is some 10 kB; with SQLite's own 4096 it takes a tenth longer to write."""
_MERGED_SEGMENTS = 8
"""Parts of the index that are merged at a time; with SQLite's own 4 a page costs 7 % more to index."""
# Of SQLite's file format: how a file begins, and where the version of a program stands.
_MAGIC, _HEAD_BYTES, _VERSION_AT = b"SQLite format 3\0", 100, 60

# Lists and counts of delivered pages read this and no page: a row is some kilobytes long.
_BY_DELIVERY = "CREATE INDEX IF NOT EXISTS pages_by_delivery ON pages (delivered, relevance, number)"
_OWN_FIELDS = "own_fields TEXT"
_TABLES = f"""
CREATE TABLE pages (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    number INTEGER NOT NULL,         -- place among the judged pages of the crawl, from 1
    url TEXT NOT NULL UNIQUE,
    location TEXT NOT NULL,          -- the URL that the page has, as the web says
    title TEXT NOT NULL,
    author TEXT NOT NULL, date TEXT NOT NULL, site_name TEXT NOT NULL, license TEXT NOT NULL, language TEXT NOT NULL,
    canonical_url TEXT NOT NULL,
    relevance REAL,                  -- by the model that judged the page, in [0, 1]
    relevant INTEGER NOT NULL,       -- what the model says
    threshold REAL,                  -- relevance from which it says so
    model_version INTEGER NOT NULL,
    verdict INTEGER,                 -- of people: 1, 0; NULL: none, or they contradict each other
    noindex INTEGER NOT NULL,        -- the page asks not to be indexed
    duplicate_of TEXT NOT NULL,      -- URL of the page that this one is a copy of
    content_type TEXT NOT NULL,
    depth INTEGER NOT NULL, referrer TEXT NOT NULL, link_score REAL NOT NULL, link_reason TEXT NOT NULL,
    fetched_at TEXT NOT NULL,        -- ISO 8601 in UTC
    sha256 TEXT NOT NULL,            -- of the body
    text_left_out INTEGER NOT NULL,  -- text and terms are not kept: too many pages that are not relevant
    -- What is long comes last: of a row only as much is read as is asked for.
    description TEXT NOT NULL,
    text TEXT NOT NULL,              -- main text
    headings TEXT NOT NULL,          -- JSON: [[level, text], ...], or nothing
    terms BLOB,                      -- term counts: `focused.collection.page.pack_terms`
    markdown TEXT,
    {_OWN_FIELDS},                 -- JSON: what a project's own item class adds, or nothing; NULL: not known
    delivered INTEGER GENERATED ALWAYS AS
        (noindex = 0 AND coalesce(verdict, relevant AND duplicate_of = '')) VIRTUAL
);
CREATE INDEX pages_by_number ON pages (number);
CREATE VIRTUAL TABLE pages_fts USING fts5
    (title, text, content='pages', content_rowid='id', tokenize="unicode61 remove_diacritics 2");
INSERT INTO pages_fts (pages_fts, rank) VALUES ('automerge', {_MERGED_SEGMENTS});
CREATE TABLE verdicts (
    url TEXT NOT NULL,               -- canonical form
    person TEXT NOT NULL,
    relevant INTEGER NOT NULL,
    at TEXT NOT NULL,                -- ISO 8601 in UTC, as far as it is known
    drawn TEXT NOT NULL,             -- why the page was shown: random, uncertain, ...; empty: a person chose it
    note TEXT NOT NULL,
    PRIMARY KEY (url, person)
) WITHOUT ROWID;
CREATE TABLE about (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
"""
_KINDS = {
    **dict.fromkeys(re.findall(r"CREATE TABLE (\w+)", _TABLES), "table"),
    "pages_fts": "virtual",
    **{f"pages_fts_{end}": "shadow" for end in ("data", "idx", "docsize", "config")},
}


@contextmanager
def transaction(sql: sqlite3.Connection) -> Iterator[None]:
    """Write all that stands in the block, or, if it raises, nothing of it."""
    sql.execute("BEGIN IMMEDIATE")
    try:
        yield
        sql.execute("COMMIT")
    except BaseException:
        if sql.in_transaction:
            sql.execute("ROLLBACK")
        raise


class CollectionFileError(ValueError):
    """The file is no collection that this version can use; the message says what to do."""


def open_collection(path: Path, *, read_only: bool = False) -> sqlite3.Connection:
    """Open the collection of a run, only to read it, or made if it is not there.

    The connection is in autocommit mode. Writers wait for each other up to `BUSY_SECS`.

    Raises
    ------
    CollectionFileError
        If there is none to read, or it is damaged, of another version, or no collection.
    """
    if read_only and not path.is_file():
        raise CollectionFileError(
            f"There is no {COLLECTION_FILE} in {path.parent}. Name the folder of a run that was "
            "crawled with FOCUSED_COLLECTION=on"
        )
    if path.exists() and not path.is_file():
        check_collection(path)
    sql = None
    try:
        sql = _reader(path) if read_only else sqlite3.connect(path, isolation_level=None, timeout=BUSY_SECS)
        if strange := guard(sql, _KINDS):
            raise CollectionFileError(f"{path} holds {strange}, as no collection of a crawl does. Move it away")
        if not read_only:
            _prepare(sql)
        _check_version(path, sql.execute("PRAGMA user_version").fetchone()[0])
    except BaseException as error:
        if sql is not None:
            sql.close()
        if isinstance(error, sqlite3.Error):
            raise CollectionFileError(advice(path, error)) from None
        raise
    return sql


def _reader(path: Path) -> sqlite3.Connection:
    """Connect to a file to read it, also in a folder that may not be written."""
    where = path.resolve()
    uri = f"{where.as_uri()}?mode=ro"
    sql = sqlite3.connect(uri, uri=True, isolation_level=None, timeout=BUSY_SECS)
    try:
        sql.execute("PRAGMA schema_version").fetchone()
        return sql
    except BaseException as error:
        sql.close()
        # In WAL mode SQLite wants to make files beside it, for those who read it while somebody writes.
        if not any(what in str(error) for what in ("unable to open", "readonly")):
            raise
    if _has_log(where):
        raise CollectionFileError(
            f"{path} cannot be read where it is: the crawl was killed or is at work, and the folder may not be written. Copy "
            f"the folder and read the copy: cp -r {path.parent} COPY"
        )
    return sqlite3.connect(f"{uri}&immutable=1", uri=True, isolation_level=None)


def _has_log(path: Path) -> bool:
    """Tell whether a file's last changes stand in another file beside it."""
    log = path.with_name(f"{path.name}-wal")
    return log.is_file() and log.stat().st_size > 0


def check_collection(path: Path) -> None:
    """Refuse a file that a crawl could not add its pages to, with a `CollectionFileError`; there need be none.

    Nothing is written, not even the files that SQLite makes for readers: the crawl may be refused for other reasons.
    """
    if not path.exists():
        return
    if not path.is_file():
        raise CollectionFileError(f"{path} must be a file. Choose another folder: -a run_dir=PATH")
    with path.open("rb") as file:
        head = file.read(_HEAD_BYTES)
    if head and not head.startswith(_MAGIC):
        raise CollectionFileError(advice(path, sqlite3.DatabaseError("file is not a database")))
    if head and not _has_log(path):  # else the version may stand in the log
        _check_version(path, int.from_bytes(head[_VERSION_AT : _VERSION_AT + 4], "big"))
        n_bytes = (int.from_bytes(head[16:18], "big") or 1) * int.from_bytes(head[28:32], "big")
        if path.stat().st_size < n_bytes:
            raise CollectionFileError(advice(path, sqlite3.DatabaseError("malformed: its end is missing")))


def check_pages(path: Path) -> None:
    """Refuse a file whose pages cannot all be reached, with a `CollectionFileError`: as far as is seen in two seconds."""
    if not path.is_file() or not path.stat().st_size:
        return
    # Where there is no log no files are made beside it.
    uri = f"{path.resolve().as_uri()}?mode=ro{'' if _has_log(path) else '&immutable=1'}"
    try:
        with done_within(VIEW_SECS), closing(sqlite3.connect(uri, uri=True, timeout=BUSY_SECS)) as sql:
            guard(sql, {})
            [(found,)] = sql.execute("PRAGMA quick_check(1)").fetchall()
    except sqlite3.Error as error:
        if str(error) == INTERRUPTED:
            return
        raise CollectionFileError(advice(path, error)) from None
    if found != "ok":
        raise CollectionFileError(advice(path, sqlite3.DatabaseError(f"malformed: {found}")))


def _check_version(path: Path, found: int) -> None:
    if found != VERSION:
        what = (
            f"is of version {found}, this program reads version {VERSION}" if found else "is no collection of a crawl"
        )
        raise CollectionFileError(f"{path} {what}. Choose another folder: -a run_dir=PATH")


def advice(path: Path, error: sqlite3.Error) -> str:
    """Return what is wrong with a file, and what to do."""
    what = str(error)
    if what == INTERRUPTED:
        return f"{path} takes too long to be read, and was given up. Ask for less, or in a terminal: scrapy export"
    if "locked" in what or "busy" in what:
        return f"{path} is in use: {error}. Try again in a moment"
    if any(each in what for each in ("not a database", "malformed", "no such table", "decode to UTF-8")):
        return (
            f"{path} is damaged, or no collection: {' '.join(what.split())}. Save what can be read: scrapy frontier "
            f"{path.parent} --recover. Or move the file away, and the crawl goes on with a new one"
        )
    return f"{path} cannot be used: {error}. See whether the folder may be written, and whether the disk is full"


def _prepare(sql: sqlite3.Connection) -> None:
    sql.execute(f"PRAGMA page_size = {_PAGE_BYTES}")  # of a new file only
    sql.execute("PRAGMA journal_mode = WAL")
    sql.execute("PRAGMA synchronous = NORMAL")
    sql.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
    if sql.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0:
        sql.executescript(f"BEGIN IMMEDIATE; {_TABLES} {_BY_DELIVERY}; PRAGMA user_version = {VERSION}; COMMIT;")
    elif sql.execute("PRAGMA user_version").fetchone()[0] == VERSION:
        # A file of before there was this index, or this column.
        sql.execute(_BY_DELIVERY)
        if not _has_own_fields(sql):
            with transaction(sql):  # several programs may open it at once
                if not _has_own_fields(sql):
                    sql.execute(f"ALTER TABLE pages ADD COLUMN {_OWN_FIELDS}")


def _has_own_fields(sql: sqlite3.Connection) -> bool:
    return any(row[1] == "own_fields" for row in sql.execute("PRAGMA table_info(pages)"))
