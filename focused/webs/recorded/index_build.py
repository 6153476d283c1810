"""Build the index of a WARC file: one pass, into SQLite, so that memory does not grow."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from focused.webs.recorded.answer import WebError
from focused.webs.recorded.index_rows import IndexRows
from focused.webs.recorded.warc_file import WarcScanner

if TYPE_CHECKING:
    from pathlib import Path

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


def build_index(warc: Path, target: Path, identity: str) -> None:
    """Write the index of a WARC file; see `focused.webs.recorded.index` for its use.

    Of several answers to one URL the one with the latest WARC-Date is kept, of equal dates the last in the file. Responses,
    resources and revisits of pages in the file are pages; all other records are skipped.

    Raises
    ------
    WebError
        If the file is no WARC, or holds no page.
    OSError, sqlite3.OperationalError
        If the file cannot be read, or the index cannot be written.
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
                    f"{warc} holds no page that can be read: {scanner.n_records} intact records, {n_damaged} "
                    f"damaged places, no response. Crawl with -s FOCUSED_WARC_ENABLED=True to record one."
                )
            meta = {
                "identity": identity,
                "n_pages": n_pages,
                "n_damaged": n_damaged,
                "n_superseded": n_superseded,
                "n_unresolved": n_unresolved,
            }
            connection.executemany("INSERT INTO meta VALUES (?, ?)", meta.items())
            connection.commit()
        finally:
            connection.close()
