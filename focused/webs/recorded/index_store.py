"""Build and store the index of a WARC file (one pass, into SQLite), and rebuild it when it does not fit the file."""

from __future__ import annotations

import logging
import os
import sqlite3
import tempfile
import time
from contextlib import suppress
from hashlib import blake2b
from importlib.metadata import version
from pathlib import Path
from secrets import token_hex

from focused.utils.words import quantity
from focused.webs.recorded.answer import WebError
from focused.webs.recorded.index import COUNTS, PageIndex
from focused.webs.recorded.index_rows import IndexRows
from focused.webs.recorded.warc_file import WarcScanner

logger = logging.getLogger(__name__)

FORMAT = "focused-widx-2"  # raise it with every change of the table or of the forms of URLs
SCHEMA = """
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
PRAGMA cache_size = -16000;
CREATE TABLE meta (name TEXT PRIMARY KEY, value);
CREATE TABLE page (
    id INTEGER PRIMARY KEY,    -- in the order of the file
    url TEXT NOT NULL,
    date TEXT NOT NULL,        -- WARC-Date without Z, so that fractions of a second sort; '' if unknown
    status INTEGER NOT NULL,   -- 0: a revisit without HTTP headers
    offset INTEGER NOT NULL,   -- place of the record
    skip INTEGER NOT NULL,
    digest TEXT,
    refers_url TEXT,           -- of revisits only
    refers_date TEXT,
    body_id INTEGER,           -- the row whose record holds the body of a revisit
    body_offset INTEGER,
    body_skip INTEGER,
    canonical INTEGER,         -- hash of the form; null: not to be found by it
    tolerant INTEGER
);
"""
INSERT = """
INSERT INTO page (url, date, status, offset, skip, digest, refers_url, refers_date, canonical, tolerant)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
# The body of a revisit: the same payload; else the page it names, of that date or the latest before it.
# (SQLite does not see the outer table in an inner ORDER BY, so each preference is a query of its own.)
RESOLVE_REVISITS = """
CREATE INDEX by_digest ON page (digest) WHERE refers_url IS NULL;
CREATE INDEX by_url ON page (url, date);
UPDATE page SET body_id = coalesce(
    (SELECT id FROM page AS p WHERE p.refers_url IS NULL AND p.digest = page.digest
        ORDER BY date, id LIMIT 1),
    (SELECT id FROM page AS p WHERE p.refers_url IS NULL AND p.url = page.refers_url
        AND p.date = page.refers_date ORDER BY id DESC LIMIT 1),
    (SELECT id FROM page AS p WHERE p.refers_url IS NULL AND p.url = page.refers_url
        AND p.date <= page.date ORDER BY date DESC, id DESC LIMIT 1))
WHERE refers_url IS NOT NULL;
UPDATE page SET
    body_offset = (SELECT offset FROM page AS p WHERE p.id = page.body_id),
    body_skip = (SELECT skip FROM page AS p WHERE p.id = page.body_id),
    status = CASE status WHEN 0 THEN (SELECT status FROM page AS p WHERE p.id = page.body_id) ELSE status END
WHERE body_id IS NOT NULL;
"""
DELETE_UNRESOLVED = "DELETE FROM page WHERE refers_url IS NOT NULL AND body_id IS NULL"
DELETE_SUPERSEDED = """
DELETE FROM page WHERE EXISTS (
    SELECT 1 FROM page AS later WHERE later.url = page.url AND (later.date, later.id) > (page.date, page.id))
"""
FINISH = """
DROP INDEX by_digest;
DROP INDEX by_url;
CREATE UNIQUE INDEX page_url ON page (url);
CREATE INDEX page_canonical ON page (canonical);
CREATE INDEX page_tolerant ON page (tolerant);
"""


def open_index(warc: Path, cache_dir: Path | None = None) -> PageIndex:
    """Open the index of a WARC file; build it first if none fits the file.

    It is kept beside the file as ``NAME.widx``; if that folder cannot be written, in the cache folder (by default ``focused``
    in the user's); if neither can, in a temporary folder for this run only. Raises WebError if the file cannot be read, is no
    WARC, or holds no page.
    """
    try:
        if not warc.is_file():
            raise WebError(_no_file(warc))
        with warc.open("rb"):
            stat = warc.stat()
    except OSError as error:
        raise WebError(f"{warc} cannot be read: {error.strerror}. Check the path and its permissions.") from error
    # The index depends on the file, on our format, and on the library of the canonical forms.
    identity = f"{FORMAT} size={stat.st_size} mtime={stat.st_mtime_ns} w3lib={version('w3lib')}"
    places = _places(warc, cache_dir)
    for path in places:
        with suppress(sqlite3.Error, OSError, ValueError, KeyError, TypeError):
            return PageIndex(path, identity)
    for path in places:
        if _build(warc, path, identity):
            return PageIndex(path, identity)
    logger.warning("No place to keep the index of %s (tried %s): it is built for this run only", warc, places)
    with tempfile.TemporaryDirectory(prefix="focused-") as folder:
        path = Path(folder) / "index.widx"
        if not _build(warc, path, identity):
            raise WebError(
                f"The index of {warc} cannot be written to {places[0].parent} or {folder}. Free space there, "
                f"or set FOCUSED_CACHE_DIR to a folder that can be written."
            )
        return PageIndex(path, identity)  # it is open, so it outlives its name


def _no_file(warc: Path) -> str:
    if warc.is_dir():
        return f"{warc} is a folder. Give one WARC file."
    what = "is not a regular file" if warc.exists() else "does not exist"
    return f"{warc} {what}. Give the path of a WARC file, relative to {Path.cwd()} or absolute."


def _places(warc: Path, cache_dir: Path | None) -> list[Path]:
    places = [warc.with_name(warc.name + ".widx")]
    if cache_dir is None:
        with suppress(RuntimeError):  # no home folder: a service may have none
            cache_dir = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "focused"
    if cache_dir is not None:
        # Files of one name from different folders must not replace each other in the cache.
        folder = blake2b(str(warc.resolve().parent).encode(errors="surrogatepass"), digest_size=6).hexdigest()
        places.append(cache_dir / f"{warc.name}.{folder}.widx")
    return places


def _build(warc: Path, path: Path, identity: str) -> bool:
    """Build the index under another name and rename it, so that no reader finds half an index."""
    temporary = path.with_name(f"{path.name}.{token_hex(4)}.tmp")
    start = time.monotonic()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.parent.stat().st_mode & 0o222:
            # Root could write here in spite of the permissions, but should not.
            raise PermissionError(f"{path.parent} is read-only")
        build_index(warc, temporary, identity)
        temporary.replace(path)
    except (OSError, sqlite3.OperationalError) as error:
        logger.debug("No index at %s: %s", path, error)
        return False
    finally:
        with suppress(OSError):
            temporary.unlink()
    logger.info("Indexed %s in %.1f s; the index is kept in %s", warc, time.monotonic() - start, path)
    return True


def build_index(warc: Path, target: Path, identity: str) -> None:
    """Write the index of a WARC file.

    Of several answers to one URL the one with the latest WARC-Date is kept, of equal dates the last in the file. Responses,
    resources and revisits of pages in the file are pages; all other records are skipped.
    """
    with warc.open("rb") as file:
        scanner = WarcScanner(file, str(warc))
        connection = sqlite3.connect(target)
        try:
            connection.executescript(SCHEMA)
            rows = IndexRows(scanner, warc.stat().st_size)
            connection.executemany(INSERT, rows)
            connection.commit()
            connection.executescript(RESOLVE_REVISITS)
            n_unresolved = connection.execute(DELETE_UNRESOLVED).rowcount
            n_superseded = connection.execute(DELETE_SUPERSEDED).rowcount
            connection.commit()
            connection.executescript(FINISH)
            (n_pages,) = connection.execute("SELECT count(*) FROM page").fetchone()
            n_damaged = scanner.n_damaged + rows.n_headless
            if not n_pages:
                raise WebError(
                    f"{warc} holds no page that can be read: {quantity(scanner.n_records, 'intact records')}, "
                    f"{quantity(n_damaged, 'damaged places')}, no response. Crawl with -s FOCUSED_WARC=all to "
                    f"record one."
                )
            counts = zip(COUNTS, (n_pages, n_damaged, n_superseded, n_unresolved), strict=True)
            connection.executemany("INSERT INTO meta VALUES (?, ?)", [("identity", identity), *counts])
            connection.commit()
        finally:
            connection.close()
