"""Saves what can be read of a damaged collection into a new file, which takes its place; the damaged one is kept.

All reading is done on a copy. A page whose long texts alone cannot be read keeps its row, without them. The index of words is
made anew, and verdicts stand in files of their own.
"""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, NamedTuple

from focused.collection.schema import CollectionFileError, open_collection, transaction
from focused.collection.word_index import INDEXED_TO, index_some
from focused.utils.damaged_tables import columns, open_damaged, pairs, put_in_place, rows

_LONG = ("description", "text", "headings")
"""Columns that may be lost: the row then says that the text was left out."""
_NO_TEXT = {**dict.fromkeys(_LONG, ""), "terms": None, "markdown": None, "text_left_out": 1}
_OPTIONAL = ("relevance", "threshold", "verdict", "terms", "markdown", "own_fields")
_VERDICTS = ("url", "person", "relevant", "at", "drawn", "note")


class RecoveredPages(NamedTuple):
    """What was saved of a collection, and what was not."""

    n_pages: int
    #: Of these, pages whose text could not be read.
    n_without_text: int
    #: How many pages there were; None if that cannot be known.
    n_before: int | None
    #: Where the damaged file is now.
    kept: Path


def recover_collection(path: Path) -> RecoveredPages | None:
    """Put a new collection in the place of a damaged one. If it is not damaged or not there, change nothing; return None.

    No crawl may be at work with it. Raises a `CollectionFileError` if nothing can be saved, an OSError if there is no room.
    """
    if not path.is_file() or path.is_symlink() or _is_whole(path):
        return None
    with tempfile.TemporaryDirectory(prefix="recovery-", dir=path.parent) as folder:
        copy, new = Path(folder) / "copy", Path(folder) / path.name
        for end in ("", "-wal"):
            with suppress(FileNotFoundError):
                shutil.copyfile(f"{path}{end}", f"{copy}{end}")
        with closing(open_damaged(copy, _text)) as old, closing(open_collection(new)) as sql:
            saved = _save(old, sql)
            if not saved.n_pages:
                raise CollectionFileError(
                    f"Nothing can be saved of {path}: no page can be read. Move it away, and the crawl goes on with a new one"
                )
            while index_some(sql):
                pass
        return saved._replace(kept=put_in_place(new, path))


def _is_whole(path: Path) -> bool:
    try:
        with closing(open_collection(path, read_only=True)) as sql:
            [(found,)] = sql.execute("PRAGMA integrity_check(1)").fetchall()
            for table in ("pages", "verdicts", "about"):
                for _ in sql.execute(f"SELECT * FROM {table}"):  # all texts are UTF-8
                    pass
            return bool(found == "ok")
    except (sqlite3.Error, CollectionFileError):
        return False


def _text(data: bytes) -> str | None:
    """Return a value if it is a text, else None."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _save(old: sqlite3.Connection, sql: sqlite3.Connection) -> RecoveredPages:
    known = set(columns(old, "pages"))
    names = [name for name in columns(sql, "pages") if name in known]
    insert = f"INSERT OR IGNORE INTO pages ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})"
    n_pages = n_without_text = 0
    with transaction(sql):
        for row in rows(old, "pages", names) if "url" in names else ():
            page = dict(zip(names, row, strict=True))
            if is_cut := any(page[name] is None for name in _LONG) or not _are_bytes(page["terms"]):
                page |= _NO_TEXT
            if not _is_sound(page):
                continue
            n_added = sql.execute(insert, [page[name] for name in names]).rowcount
            n_pages += n_added
            n_without_text += n_added * is_cut
        about = pairs(old, "about", "key", "value")
        values = [(key, value) for key, value in about.items() if key and value is not None and key != INDEXED_TO]
        sql.executemany("INSERT OR REPLACE INTO about VALUES (?, ?)", values)
        # What cannot be read here is read again from the files of the folder verdicts.
        with suppress(sqlite3.Error):
            for row in old.execute(f"SELECT {', '.join(_VERDICTS)} FROM verdicts"):
                if None not in row:
                    sql.execute("INSERT OR IGNORE INTO verdicts VALUES (?, ?, ?, ?, ?, ?)", row)
    return RecoveredPages(n_pages, n_without_text, _n_before(old), Path())


def _is_sound(page: dict[str, Any]) -> bool:
    """Tell whether each column of a row that must have a value has one of the right kind."""
    numbers = ("number", "relevant", "model_version", "noindex", "depth", "text_left_out")
    return (
        all(value is not None for name, value in page.items() if name not in _OPTIONAL)
        and all(isinstance(page.get(name, 0), int) for name in numbers)
        and isinstance(page["url"], str)
        and bool(page["url"])
    )


def _are_bytes(terms: Any) -> bool:
    return terms is None or isinstance(terms, (bytes, str))  # earlier versions wrote JSON


def _n_before(old: sqlite3.Connection) -> int | None:
    for query in (
        "SELECT count(*) FROM pages INDEXED BY pages_by_number",
        "SELECT seq FROM sqlite_sequence WHERE name = 'pages'",
    ):
        with suppress(sqlite3.Error):
            row = old.execute(query).fetchone()
            if row is not None and isinstance(row[0], int):
                return row[0]
    return None
