"""Takes over the links of a worker that has ended, so that their scores still follow what is learnt.

A link is moved by the worker that found it. What a worker found stands in its records; when it has ended, another one becomes
its *heir*: it reads these records once more, some at a time, and asks the database which of their links wait, and with which
scores. From then on they are its own, as if it had found them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from focused.frontier.shared.array_text import columns
from focused.frontier.shared.keys import host_key
from focused.frontier.shared.link_rows import unnested
from focused.frontier.store.schema import WAITING
from focused.utils.origins import host_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from psycopg import Connection

    from focused.frontier.shared.memory import SharedScores
    from focused.method.scoring.session import Session

RECORDS_AT_A_TIME = 8
"""Pages whose links are taken over in one go: some 10 ms of the reactor."""

# Of those that have written records and whose heir, if there is one, has ended as well. Of two who ask at once the second is
# told so: a row that another transaction has changed meanwhile is looked at again, but a row joined to it is not.
_INHERIT = """
UPDATE workers SET heir = %s WHERE id = (
    SELECT ended.id FROM workers AS ended
    WHERE ended.crawl = %s AND ended.ended_at IS NOT NULL AND ended.id = ANY(%s) AND (ended.heir IS NULL
        OR EXISTS (SELECT 1 FROM workers AS heir WHERE heir.id = ended.heir AND heir.ended_at IS NOT NULL))
    ORDER BY ended.id LIMIT 1 FOR UPDATE OF ended SKIP LOCKED)
RETURNING id
"""
_NEXT = "SELECT id, record, model_version FROM records WHERE worker = %s AND id > %s ORDER BY id LIMIT %s"
_SCORES = (
    f"SELECT links.fingerprint, links.score FROM {unnested(('domain', 'fingerprint'), ('int8', 'int8'))} "
    "JOIN links ON links.crawl = %s AND links.domain = given.domain AND links.fingerprint = given.fingerprint "
    f"WHERE links.state + 0 = {WAITING} AND links.request IS NULL"
)


class Inheritance:
    """The side of the database: becomes the heir of workers that have ended, and reads their records."""

    def __init__(self, crawl: int) -> None:
        self._crawl = crawl
        #: The worker whose records are read, and the number of the last one; 0: none.
        self._worker = self._last = 0

    def records(self, sql: Connection[Any], heir: int, own: Collection[int], read: Collection[int]) -> list[bytes]:
        """Return the next records of a worker whose heir this one is; empty if there is none.

        ``own``: numbers that the heir has had itself; ``read``: workers that have ended and whose records the session knows.
        """
        while self._worker or self._inherits(sql, heir, own, read):
            rows = sql.execute(_NEXT, (self._worker, self._last, RECORDS_AT_A_TIME)).fetchall()
            if rows:
                self._last = rows[-1][0]
                return [bytes(record) for _, record, _ in rows]
            self._worker = 0
        return []

    def _inherits(self, sql: Connection[Any], heir: int, own: Collection[int], read: Collection[int]) -> bool:
        """Become the heir of one more worker; what this process found itself, under another number, it knows already."""
        while True:
            row = sql.execute(_INHERIT, (heir, self._crawl, sorted({*own, *read} - {heir}))).fetchone()
            if row is None:
                return False
            if row[0] not in own:
                self._worker, self._last = row[0], 0
                return True

    def lose(self) -> None:
        """Begin anew: the worker has ended, and what it had inherited is another's."""
        self._worker = self._last = 0


def scores_of(sql: Connection[Any], crawl: int, keys: Iterable[tuple[int, int]]) -> dict[int, float]:
    """Return the scores of links, by (domain, fingerprint), that wait and may be moved; by their fingerprints."""
    rows = sorted(keys)
    return dict(sql.execute(_SCORES, (*columns(rows), crawl)).fetchall()) if rows else {}


class OrphanLinks:
    """The side of the reactor: tells a session where links of workers that have ended wait.

    Parameters
    ----------
    session : Session
        Knows the links already: it has learnt from the records that name them.
    scores : SharedScores
        Knows the hosts of links that may be moved.
    fingerprint : callable
        Returns the fingerprint of a URL.
    """

    def __init__(self, session: Session, scores: SharedScores, fingerprint: Callable[[str], int]) -> None:
        self._session, self._scores, self._fingerprint = session, scores, fingerprint
        # Links whose scores are asked for: URL and host by fingerprint.
        self._asked: dict[int, tuple[str, str]] = {}
        #: How many links were taken over.
        self.n_taken = 0

    @property
    def is_ready(self) -> bool:
        """Whether more records may come."""
        return not self._asked

    def inherit(self, records: Iterable[bytes]) -> list[tuple[int, int]]:
        """Take in records of a worker that has ended; return the keys of the links whose scores are to be asked for."""
        for record in records:
            try:
                urls = self._session.links_of(record)
            except ValueError:
                continue  # it was left out when it was heard, too
            self._asked |= {self._fingerprint(url): (url, host_of(url)) for url in urls}
        return [(host_key(host).domain, number) for number, (_, host) in self._asked.items()]

    def place(self, scores: Mapping[int, float]) -> None:
        """Take over those of the links that wait, with their scores."""
        taken = {}
        for number, score in scores.items():
            url, host = self._asked[number]
            self._scores.found(number, host)
            taken[url] = number, score
        self._session.take_over_links(taken)
        self.n_taken += len(scores)
        self._asked.clear()
