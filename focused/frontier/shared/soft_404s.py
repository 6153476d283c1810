"""Keeps what hosts answer to addresses that nobody made: what one worker has learnt, all know, whoever has the host next.

What it is for one process: `focused.frontier.soft_404s`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from focused.frontier.shared.keys import host_key
from focused.frontier.shared.outputs import clean

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from psycopg import Connection

    from focused.frontier.shared.page import PageOutputs

_WRITE = """
INSERT INTO soft_404s (crawl, worker, domain, host, name, answer)
VALUES (%(crawl)s, %(worker)s, %(domain)s::int8, %(host)s::int8, %(name)s::text, %(answer)s::bytea)
ON CONFLICT (crawl, domain, host) DO UPDATE SET worker = excluded.worker, answer = excluded.answer, said = DEFAULT
"""
# A transaction may commit after one with higher numbers, so all that were read are named. They are a few.
_NEW = """
SELECT said, name, answer FROM soft_404s WHERE crawl = %s AND worker <> ALL(%s::int4[]) AND said <> ALL(%s::int8[])
ORDER BY said
"""


class AnswerReader:
    """Reads what hosts have answered other workers, each answer once."""

    def __init__(self, crawl: int) -> None:
        self._crawl = crawl
        self._read: list[int] = []

    def read(self, sql: Connection[Any], own: Collection[int]) -> dict[str, Any]:
        """Return what workers but ``own`` have learnt since the last time, by host: as of `Soft404s.state`."""
        rows = sql.execute(_NEW, (self._crawl, list(own), self._read), binary=True).fetchall()
        self._read += [said for said, _, _ in rows]
        return {name: json.loads(answer) for _, name, answer in rows}


class SharedAnswers:
    """Takes what hosts answer this worker, and passes on what they have answered others.

    ``draft`` is the page that ends next; ``earlier`` returns what is known when the worker begins.
    """

    def __init__(self, draft: PageOutputs, earlier: Callable[[], dict[str, Any]]) -> None:
        self._draft, self._earlier = draft, earlier
        #: As written or heard last, by host.
        self._known: dict[str, Any] = {}
        #: Called with what hosts have answered others; None: it is not read.
        self.on_heard: Callable[[dict[str, Any]], None] | None = None

    def listen(self, on_heard: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
        """Return what hosts have answered so far, and hear of all that comes. It waits for the database."""
        self.on_heard, self._known = on_heard, self._earlier()
        return dict(self._known)

    def hear(self, state: dict[str, Any]) -> None:
        """Take in what hosts have answered others."""
        self._known.update(state)
        if self.on_heard is not None:
            self.on_heard(state)

    def add(self, state: Mapping[str, Any]) -> None:
        """Let what is new of ``state`` be part of the transaction of the page that ends now."""
        for host, answer in state.items():
            if self._known.get(host) != answer:
                self._known[host] = answer
                # As bytes, for JSON of PostgreSQL cannot hold all that addresses can.
                values = {"name": clean(host), "answer": json.dumps(answer).encode()}
                self._draft.add_output(_WRITE, {**host_key(host)._asdict(), **values})
