"""Saves what can be read of a damaged frontier into a new file, which takes its place; the damaged one is kept.

All reading is done on a copy. A beginning that cannot be read is replaced by that of a new frontier: its tables begin at the
same pages. Missing ends are filled up with zeros, so that SQLite opens the file. Then each table is read as far as it goes.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import tempfile
from contextlib import closing, suppress
from pathlib import Path
from typing import NamedTuple

from focused.frontier.store.page_records import PAGES, RECORDS
from focused.frontier.store.schema import LEASED, STATES, WAITING, FrontierFileError, lock, open_file
from focused.frontier.store.soundness import check_sound, is_sound_state, is_unsound
from focused.utils.damaged_tables import Row, columns, open_damaged, pairs, put_in_place, rows
from focused.utils.origins import host_of
from focused.utils.own_files import check_frontier_file

_PAGE_BYTES = 4096
_HEADER_BYTES = 100
"""Of page 1; the tree of the schema follows."""
_MAGIC = b"SQLite format 3\0"
_MOST_ADDED = 8
"""A file may say that it has been so many times as long as it is; more is taken for damage of its header."""

_REMEMBERED = ("topic", "home", "files", "harvest", "stats")
_COUNTS = {"fetched": "pages", "relevant": "relevant"}


class Recovered(NamedTuple):
    """What was saved of a frontier, and what was not."""

    #: Links by state.
    counts: dict[str, int]
    #: Links that the crawl had counted; None where that could not be read.
    n_before: int | None
    #: Links that could be read, but were not as they must be.
    n_unsound: int
    #: Pages that a strategy with a memory goes on knowing.
    n_records: int
    #: Which of the crawl's task, counters and lengths of its files could not be read.
    lost: list[str]
    #: Where the damaged file is now.
    kept: Path


def recover(path: Path) -> Recovered | None:
    """Put a frontier in the place of a damaged one; None if it is not damaged, and nothing is changed.

    Raises a `FrontierFileError` if a crawl is at work there, or nothing can be saved, and an OSError if there is no room.
    """
    check_frontier_file(path, "Move it away, or name another folder: scrapy frontier RUN_DIR --recover")
    if not path.is_file():
        open_file(path, read_only=True)  # raises, and says what to do
    with closing(lock(path)):
        if _is_whole(path):
            return None
        with tempfile.TemporaryDirectory(prefix="recovery-", dir=path.parent) as folder:
            copy, new = Path(folder) / "copy", Path(folder) / path.name
            open_file(new).close()
            _copy_mended(path, copy, new)
            with closing(open_damaged(copy, _text)) as old, closing(open_file(new)) as sql:
                saved = _save(old, sql)
            if not sum(saved.counts.values()):
                raise FrontierFileError(
                    f"Nothing can be saved of {path}: no link can be read. Put a copy of it back, or crawl anew in another "
                    f"folder: -a run_dir=PATH"
                )
            return saved._replace(kept=put_in_place(new, path))


def _is_whole(path: Path) -> bool:
    try:
        with closing(open_file(path, read_only=True)) as sql:
            [(found,)] = sql.execute("PRAGMA integrity_check(1)").fetchall()
            if found == "ok":
                check_sound(sql, path)
                _read_texts(sql)
            return bool(found == "ok")
    except (sqlite3.Error, FrontierFileError):
        return False


def _copy_mended(path: Path, copy: Path, new: Path) -> None:
    """Copy a file, and its log, so that SQLite opens it; ``new`` is an empty frontier."""
    shutil.copyfile(path, copy)
    log = path.with_name(f"{path.name}-wal")
    if log.is_file():
        shutil.copyfile(log, f"{copy}-wal")
    head = new.read_bytes()[:_PAGE_BYTES]
    with copy.open("r+b") as file:
        found = file.read(_PAGE_BYTES)
        n_pages = -(-os.fstat(file.fileno()).st_size // _PAGE_BYTES)
        has_header = found[:18] == head[:18]
        if has_header:
            said = int.from_bytes(found[28:32], "big")
            n_pages = said if n_pages < said <= _MOST_ADDED * n_pages else n_pages
        else:
            count = n_pages.to_bytes(4, "big")
            # No free pages; the number of pages, which SQLite believes as the two counters of changes agree.
            file.seek(0)
            file.write(head[:28] + count + bytes(8) + head[40:92] + head[24:28] + head[96:_HEADER_BYTES])
        file.truncate(n_pages * _PAGE_BYTES)
    if not _names_links(copy):
        with copy.open("r+b") as file:
            file.seek(_HEADER_BYTES)
            file.write(head[_HEADER_BYTES:])


def _names_links(copy: Path) -> bool:
    """Tell whether the schema of a file, without its log, can be read as far as the table of links."""
    with suppress(sqlite3.Error), closing(sqlite3.connect(f"{copy.resolve().as_uri()}?immutable=1", uri=True)) as sql:
        return "links" in [name for (name,) in sql.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    return False


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _save(old: sqlite3.Connection, sql: sqlite3.Connection) -> Recovered:
    sql.execute("BEGIN IMMEDIATE")
    sql.execute(RECORDS)
    sql.execute(PAGES)
    for table in ("hosts", "referrers", "reasons", "records", "pages"):
        _copy(old, sql, table)
    n_unsound = _copy(old, sql, "links")
    crawl = {key: text for key, text in pairs(old, "crawl", "key", "value").items() if is_sound_state(key, text)}
    lost = [key for key in _REMEMBERED if key not in crawl]
    if lost == ["stats"]:  # the longest of them
        pages = json.loads(crawl["harvest"])
        crawl["stats"] = json.dumps({f"focused/pages/{name}_count": pages[key] for name, key in _COUNTS.items()})
    n_unsound += _complete(sql)
    by_state = dict(sql.execute("SELECT state, count(*) FROM links GROUP BY state"))
    counts = [by_state.get(number, 0) for number in range(len(STATES))]
    before = json.loads(crawl["counts"]) if "counts" in crawl else None
    crawl |= {"counts": json.dumps(counts), "leased": "[]", "recovered": "true"}
    sql.executemany("INSERT OR REPLACE INTO crawl VALUES (?, ?)", crawl.items())
    n_records = sql.execute("SELECT count(*) FROM records").fetchone()[0]
    sql.execute("COMMIT")
    n_before = sum(before) if before else None
    return Recovered(dict(zip(STATES, counts, strict=True)), n_before, n_unsound, n_records, lost, Path())


def _read_texts(sql: sqlite3.Connection) -> None:
    """Read the texts of all links, which may be none that can be decoded; a `sqlite3.Error` then."""
    for _ in sql.execute("SELECT url, note, callback FROM links"):
        pass


def _copy(old: sqlite3.Connection, sql: sqlite3.Connection, table: str) -> int:
    """Copy the rows that can be read and are of their columns' types; return how many are not."""
    n_unsound = 0
    there = columns(old, table)
    if "id" not in there:
        return 0
    about = [row for row in sql.execute(f"PRAGMA table_info({table})") if row[1] in there]
    names, kinds = [row[1] for row in about], [(row[2], bool(row[3] or row[5])) for row in about]
    insert = f"INSERT OR IGNORE INTO {table} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})"
    url = names.index("url") if table == "links" else None
    for row in rows(old, table, names):
        if not _is_sound(row, kinds) or (url is not None and not row[url].startswith(("http://", "https://"))):
            n_unsound += 1
            continue
        with suppress(sqlite3.IntegrityError, OverflowError):
            sql.execute(insert, row)
    return n_unsound


def _is_sound(row: Row, kinds: list[tuple[str, bool]]) -> bool:
    """Tell whether values are of their columns' types, and whether texts are as they were written."""
    types: dict[str, tuple[type, ...]] = {"INTEGER": (int,), "REAL": (int, float), "TEXT": (str,), "BLOB": (bytes,)}
    return all(
        (not is_needed if value is None else isinstance(value, types[kind]))
        and not (isinstance(value, str) and ("\ufffd" in value or "\0" in value))
        for value, (kind, is_needed) in zip(row, kinds, strict=True)
    )


def _complete(sql: sqlite3.Connection) -> int:
    """Make the rows fit together: what was under way waits, and what names a lost host or referring page has one.

    Returns how many links are dropped because they are not as they must be.
    """
    for table in ("hosts", "referrers", "reasons", "records", "pages"):
        sql.execute(f"DELETE FROM {table} WHERE {is_unsound(sql, table)}")
    lost = "SELECT host, min(url) FROM links WHERE host NOT IN (SELECT id FROM hosts) GROUP BY host"
    for number, url in sql.execute(lost).fetchall():
        done = sql.execute("SELECT count(*) FROM links WHERE host = ? AND state = 2", (number,)).fetchone()[0]
        known = sql.execute("SELECT id FROM hosts WHERE name = ?", (name := host_of(url),)).fetchone()
        if known is not None:
            sql.execute("UPDATE links SET host = ? WHERE host = ?", (known[0], number))
        else:
            sql.execute("INSERT INTO hosts (id, name, n_pages) VALUES (?, ?, ?)", (number, name, done))
    sql.execute("UPDATE links SET referrer = 0 WHERE referrer NOT IN (SELECT id FROM referrers)")
    sql.execute(f"DELETE FROM hosts WHERE {is_unsound(sql, 'hosts')}")  # also of links with numbers that no host has
    n_unsound = sql.execute(f"DELETE FROM links WHERE {is_unsound(sql, 'links')}").rowcount
    sql.execute("UPDATE links SET state = ? WHERE state = ?", (WAITING, LEASED))
    return n_unsound
