"""Checks the rows of a frontier: SQLite keeps a text in a column of numbers, and a file may come from a stranger.

All rows are looked at when a run is resumed, in SQL, so that later readers need no checks: 0.6 us a link, 6 s for
ten million; the look for damaged pages takes 3 to 4 s.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from focused.frontier.store.evidence_rows import FIRST_REASONS
from focused.frontier.store.ranks import MOST_PRIORITY
from focused.frontier.store.schema import RANK_BITS, STATES, WAITING, FrontierFileError, damaged

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Mapping
    from pathlib import Path

_MOST = 2**53
_MOST_GAPS = 10_000_000
"""Numbers of hosts are places of a list; a recovered frontier has gaps among them."""
_IS_OF_TYPE = {
    # Without a call of a function for each value: typeof() takes twice as long.
    "INTEGER": "{0} & -1 = {0}",
    "REAL": f"{{0}} BETWEEN -{_MOST} AND {_MOST}",
    "TEXT": "({0} >= '' AND {0} < x'')",
    "BLOB": "{0} >= x''",
}
_COUNT = f"BETWEEN 0 AND {_MOST}"
_BOUNDS = {
    "hosts": (
        f"id BETWEEN 1 AND {_MOST_GAPS} + (SELECT count(*) FROM hosts) AND n_pages {_COUNT}"
        f" AND n_relevant BETWEEN 0 AND n_pages AND n_failed {_COUNT}"
    ),
    "referrers": f"id {_COUNT}",
    "reasons": f"id {_COUNT}",
    "links": (
        f"id BETWEEN 1 AND {2**RANK_BITS - 1} AND state BETWEEN 0 AND {len(STATES) - 1} AND host IN (SELECT id FROM hosts)"
        f" AND extra BETWEEN -{MOST_PRIORITY} AND {MOST_PRIORITY} AND tunnel {_COUNT} AND depth {_COUNT}"
        f" AND irrelevant_on_path {_COUNT} AND n_referrers {_COUNT} AND model_version {_COUNT} AND found_at {_COUNT}"
        " AND (parts IS NULL OR length(parts) % 8 = 0)"
    ),
    "records": f"n_links {_COUNT}",
    "pages": f"n_bytes {_COUNT}",
    "texts": "true",
}
_NEEDED = "counts", "files", "topic"
"""What every commit of a crawl remembers."""


def is_unsound(sql: sqlite3.Connection, table: str) -> str:
    """Return the condition, in SQL, on the rows of a table that are not as they must be; empty if there is no such table."""
    must = [_BOUNDS[table]]
    for _, name, kind, is_needed, _, key in sql.execute(f"PRAGMA table_info({table})"):
        of_type = _IS_OF_TYPE[kind].format(name) if kind in _IS_OF_TYPE else "false"
        must.append(of_type if is_needed or key else f"({name} IS NULL OR {of_type})")
    if len(must) == 1:
        return ""
    if table == "links":
        of_first = f"reason BETWEEN 0 AND {len(FIRST_REASONS) - 1}"
        # Files of the version before have no table of reasons.
        has_more = sql.execute("SELECT 1 FROM sqlite_master WHERE name = 'reasons'").fetchone() is not None
        must.append(f"({of_first} OR reason IN (SELECT id FROM reasons))" if has_more else of_first)
    return f"({' AND '.join(must)}) IS NOT TRUE"


def check_sound(sql: sqlite3.Connection, path: Path) -> None:
    """Refuse a frontier with rows that are not as they must be; raises a `FrontierFileError`."""
    for table in _BOUNDS:
        condition = is_unsound(sql, table)
        if condition and (
            found := sql.execute(f"SELECT id FROM {table} NOT INDEXED WHERE {condition} LIMIT 1").fetchone()
        ):
            raise FrontierFileError(damaged(path, f"row {found[0]} of its table {table} is not as it must be"))
    remembered = dict(sql.execute("SELECT key, value FROM crawl"))
    if wrong := [str(key) for key, text in remembered.items() if not is_sound_state(key, text)]:
        raise FrontierFileError(damaged(path, f"what the crawl remembered is not as it must be ({', '.join(wrong)})"))
    # A file that was only just made has none, a recovered one may lack some.
    if "recovered" in remembered or sql.execute("SELECT 1 FROM links LIMIT 1").fetchone() is None:
        return
    if lost := [key for key in _NEEDED if key not in remembered]:
        raise FrontierFileError(damaged(path, f"what the crawl remembered is gone ({', '.join(lost)})"))
    # A crawl ends when none is left, by this count.
    [n_waiting] = sql.execute("SELECT count(*) FROM links WHERE state = 0").fetchone()
    if n_waiting != (counted := json.loads(remembered["counts"])[WAITING]):
        raise FrontierFileError(damaged(path, f"{n_waiting:,} links wait, it counts {counted:,}"))


def is_sound_state(key: Any, text: Any) -> bool:
    """Tell whether what a crawl remembers under a key can be read, and has the shape that it must have.

    >>> is_sound_state("leased", "[1, 2]"), is_sound_state("leased", "[1e999]"), is_sound_state("leased", "{")
    (True, False, False)
    """
    if not (isinstance(key, str) and isinstance(text, str)):
        return False
    try:
        return _SHAPES.get(key, lambda _: True)(json.loads(text))
    except (ValueError, RecursionError):
        return False


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value <= _MOST


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and -_MOST <= value <= _MOST


def _is_dict_of(is_value: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, dict) and all(map(is_value, value.values()))


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_harvest(value: Any) -> bool:
    counts = "pages", "relevant", "target_length", "irrelevant_on_path"
    return (
        isinstance(value, dict)
        and all(_is_count(value.get(name)) for name in counts)
        and _is_text(value.get("recent"))
        and _is_number(value.get("secs", 0))
    )


_is_counts = _is_dict_of(_is_count)
_SHAPES: Mapping[str, Callable[[Any], bool]] = {
    "counts": lambda value: isinstance(value, list) and len(value) == len(STATES) and all(map(_is_count, value)),
    "leased": lambda value: isinstance(value, list) and all(map(_is_count, value)),
    "files": _is_counts,
    "stats": _is_dict_of(_is_number),
    "harvest": _is_harvest,
    "n_capped": lambda value: _is_count(value) or _is_counts(value),
    "n_cut": _is_count,
    "n_unreachable": _is_count,
    **dict.fromkeys(("topic", "web", "strategy", "run_dir", "home"), _is_text),
    **dict.fromkeys(("scope", "web_options"), lambda value: isinstance(value, dict)),
}
