"""People's verdicts, and the versions of the model that were trained from them, as rows of the database."""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import psycopg

from focused.frontier.shared.array_text import columns
from focused.frontier.shared.crawls import topic_files
from focused.frontier.shared.link_rows import unnested
from focused.frontier.shared.outputs import clean
from focused.method.scoring import REASONS
from focused.method.scoring.base import LOOK_AROUND

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from psycopg import Connection

_TRAINER = 0x466F6375
"""With a crawl's number the advisory lock of the worker that trains for all."""
_NAME = "focused trainer of worker "
"""What the connection of the one that trains is called in the server's list, with the worker's number."""
_ROWS_AT_A_TIME = 500

_SAY = f"""
INSERT INTO verdicts (crawl, url, person, relevant, given_at)
SELECT %s, given.url, given.person, given.relevant, given.given_at
FROM {unnested(("url", "person", "relevant", "given_at"), ("text", "text", "bool", "text"))}
ON CONFLICT (crawl, md5(url), person) DO UPDATE SET relevant = excluded.relevant, given_at = excluded.given_at,
    said = DEFAULT
WHERE verdicts.relevant IS DISTINCT FROM excluded.relevant
    AND (excluded.given_at > verdicts.given_at OR excluded.given_at = '')
"""
_SAID = "SELECT said, url, person, relevant, given_at FROM verdicts WHERE crawl = %s AND said > %s ORDER BY said"
_PAGES = """
SELECT page, url, relevance, model_version, terms FROM collected
WHERE crawl = %s AND md5(url) = ANY(%s) ORDER BY page
"""
# Of pages met long ago only those that were drawn, or judged, are learnt from: of others the words are not read.
_MET = """
SELECT page, url, relevance, model_version,
    CASE WHEN link_reason = %(drawn)s OR md5(url) = ANY(%(keys)s) OR page > coalesce((
        SELECT page FROM collected WHERE crawl = %(crawl)s AND relevance IS NOT NULL AND coalesce(duplicate_of, '') = ''
        ORDER BY page DESC OFFSET %(latest)s LIMIT 1
    ), 0) THEN terms END,
    coalesce(link_reason = %(drawn)s, false)
FROM collected WHERE crawl = %(crawl)s AND relevance IS NOT NULL AND coalesce(duplicate_of, '') = '' ORDER BY page
"""
_END_OF_DEAD = """
SELECT pg_terminate_backend(holder.pid)
FROM pg_locks AS held JOIN pg_stat_activity AS holder ON holder.pid = held.pid AND holder.datname = current_database()
    JOIN workers ON holder.application_name = %(name)s || workers.id
WHERE held.locktype = 'advisory' AND held.granted AND held.classid = %(lock)s::int8::oid AND held.objid = %(crawl)s::int8::oid
    AND workers.crawl = %(crawl)s AND workers.ended_at IS NOT NULL
"""
_ADD = """
INSERT INTO versions (crawl, version, accepted, attempt, labels, floor)
SELECT %s, %s, %s, %s::jsonb, %s::jsonb, coalesce(max(id), 0) FROM records WHERE crawl = %s
ON CONFLICT DO NOTHING RETURNING version
"""


class StoredVerdict(NamedTuple):
    """What a person says of a page."""

    #: Later ones have higher numbers.
    number: int
    url: str
    person: str
    #: None: what was said is taken back.
    relevant: bool | None
    #: ISO 8601 in UTC; empty: not known.
    given_at: str


class JudgedRow(NamedTuple):
    """What a training needs of a page."""

    number: int
    url: str
    relevance: float | None
    model_version: int
    #: As `focused.collection.page.pack_terms` returns them; empty: they were not kept.
    terms: bytes
    #: Whether its link was drawn, to look around.
    is_drawn: bool = False


@dataclass(frozen=True)
class StoredVersion:
    """A version of the model that all workers are to use."""

    version: int
    #: The topic's, as of `focused.method.topic.parcel`.
    files: dict[str, bytes]
    #: What it was trained with: of a page's number its label and its URL.
    labels: dict[int, tuple[bool, str]]
    #: The training, as a JSON object.
    attempt: dict[str, Any]
    #: Records of this version have numbers above it.
    floor: int


def write_verdicts(sql: Connection[Any], crawl: int, verdicts: Iterable[StoredVerdict]) -> None:
    """Write people's verdicts; a later verdict of a person on a page replaces the earlier one."""
    rows = {(each.url, each.person): each for each in verdicts}
    given = [(clean(each.url), clean(each.person), each.relevant, each.given_at) for each in rows.values()]
    for start in range(0, len(given), _ROWS_AT_A_TIME):
        sql.execute(_SAY, (crawl, *columns(given[start : start + _ROWS_AT_A_TIME])))


def verdicts_since(sql: Connection[Any], crawl: int, number: int) -> list[StoredVerdict]:
    """Return the verdicts with numbers above ``number``, in the order of their numbers."""
    return [StoredVerdict._make(row) for row in sql.execute(_SAID, (crawl, number))]


def pages_of(sql: Connection[Any], crawl: int, urls: Sequence[str]) -> Iterator[JudgedRow]:
    """Yield the pages of the crawl that have one of these URLs."""
    for start in range(0, len(urls), _ROWS_AT_A_TIME):
        keys = _keys(urls[start : start + _ROWS_AT_A_TIME])
        for number, url, relevance, version, terms in sql.execute(_PAGES, (crawl, keys)):
            yield JudgedRow(number, url, relevance, version, bytes(terms or b""))


def pages_met(sql: Connection[Any], crawl: int, urls: Sequence[str], n_latest: int) -> Iterator[JudgedRow]:
    """Yield all pages of the crawl that are no copies, in their order; words of those of ``urls``, drawn ones, the latest."""
    values = {"crawl": crawl, "keys": _keys(urls), "latest": n_latest, "drawn": REASONS[LOOK_AROUND]}
    for number, url, relevance, version, terms, is_drawn in sql.execute(_MET, values):
        yield JudgedRow(number, url, relevance, version, bytes(terms or b""), is_drawn)


def n_drawn(sql: Connection[Any], crawl: int) -> int:
    """Return how many pages of the crawl were drawn."""
    query = "SELECT count(*) FROM collected WHERE crawl = %s AND link_reason = %s"
    row = sql.execute(query, (crawl, REASONS[LOOK_AROUND])).fetchone()
    return 0 if row is None else int(row[0])


def _keys(urls: Sequence[str]) -> list[str]:
    return [hashlib.md5(url.encode(), usedforsecurity=False).hexdigest() for url in urls]


def name_trainer(sql: Connection[Any], worker: int) -> None:
    """Tell the server to which worker a training connection belongs."""
    sql.execute("SELECT set_config('application_name', %s, false)", (f"{_NAME}{worker}",))


def may_train(sql: Connection[Any], crawl: int, worker: int = 0) -> bool:
    """Tell whether this worker's connection trains for all workers; it does so until it is closed.

    A worker that has ended trains no more, whatever its connection says: it may sleep, or its machine be gone.
    """
    row = sql.execute("SELECT pg_try_advisory_lock(%s, %s)", (_TRAINER, crawl)).fetchone()
    may = row is not None and bool(row[0])
    if may:
        name_trainer(sql, worker)
    else:
        with suppress(psycopg.errors.InsufficientPrivilege):
            sql.execute(_END_OF_DEAD, {"name": _NAME, "lock": _TRAINER, "crawl": crawl})
    return may


def n_pages(sql: Connection[Any], crawl: int) -> int:
    """Return how many pages all workers have fetched."""
    row = sql.execute("SELECT coalesce(sum(n_pages), 0)::int8 FROM workers WHERE crawl = %s", (crawl,)).fetchone()
    return 0 if row is None else int(row[0])


def attempts(sql: Connection[Any], crawl: int) -> list[dict[str, Any]]:
    """Return all trainings of a crawl, as JSON objects, in their order."""
    rows = sql.execute("SELECT attempt FROM versions WHERE crawl = %s ORDER BY version", (crawl,))
    return [dict(attempt) for (attempt,) in rows]


def add_version(
    sql: Connection[Any],
    crawl: int,
    attempt: Mapping[str, Any],
    labels: Mapping[int, tuple[bool, str]],
    files: Mapping[str, bytes],
) -> bool:
    """Add a training, with its files if it was accepted; return False where another worker was first."""
    with sql.transaction():
        version, said = int(attempt["version"]), json.dumps(attempt).replace("\\u0000", "")
        known = json.dumps({str(number): label for number, label in labels.items()}).replace("\\u0000", "")
        row = sql.execute(_ADD, (crawl, version, bool(attempt["accepted"]), said, known, crawl)).fetchone()
        if row is None:
            return False
        for name, content in files.items():
            sql.execute(
                "INSERT INTO files (crawl, version, name, sha256, content) VALUES (%s, %s, %s, %s, %s)",
                (crawl, version, name, hashlib.sha256(content).hexdigest(), content),
            )
    return True


def version_to_use(sql: Connection[Any], crawl: int) -> StoredVersion | None:
    """Return the last version that was accepted; None where that is the topic's own.

    Raises
    ------
    SharedFrontierError
        If a file is not what was put there.
    """
    row = sql.execute(
        "SELECT version, labels, attempt, floor FROM versions WHERE crawl = %s AND accepted ORDER BY version DESC LIMIT 1",
        (crawl,),
    ).fetchone()
    if row is None:
        return None
    version, labels, attempt, floor = row
    known = {int(number): (label is True, str(url)) for number, (label, url) in labels.items()}
    return StoredVersion(version, topic_files(sql, crawl, version), known, dict(attempt), floor)
