"""Shares the answers to probes among the workers of a crawl, so that each knows them when it takes over a host.

`focused.frontier.soft_404s` explains probes and answers.
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
        """Return what workers other than ``own`` have learnt since the last call, by host or place, as of `Soft404s.state`."""
        rows = sql.execute(_NEW, (self._crawl, list(own), self._read), binary=True).fetchall()
        self._read += [said for said, _, _ in rows]
        return {name: json.loads(answer) for _, name, answer in rows}


class SharedAnswers:
    """Writes the answers to this worker's probes to the database, and passes on the answers to others' probes.

    ``draft`` is the page that ends next; ``earlier`` returns the answers that are known when the worker begins.
    """

    def __init__(self, draft: PageOutputs, earlier: Callable[[], dict[str, Any]]) -> None:
        self._draft, self._earlier = draft, earlier
        #: The answers as they were written or received last, by the name of the host or place.
        self._known: dict[str, Any] = {}
        #: Called with answers to others' probes; while it is None they are not read.
        self.on_received: Callable[[dict[str, Any]], None] | None = None

    def subscribe(self, on_received: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
        """Return all answers so far; call a function with those that come. It waits for the database."""
        self.on_received, self._known = on_received, self._earlier()
        return dict(self._known)

    def receive(self, state: dict[str, Any]) -> None:
        """Receive answers to others' probes."""
        self._known.update(state)
        if self.on_received is not None:
            self.on_received(state)

    def add(self, state: Mapping[str, Any]) -> None:
        """Write what is new of ``state`` in the transaction of the page that ends now."""
        for name, answer in state.items():
            if self._known.get(name) != answer:
                self._known[name] = answer
                # As bytes, for JSON of PostgreSQL cannot hold all that addresses can.
                values = {"name": clean(name), "answer": json.dumps(answer).encode()}
                # A host has one row for itself, and one for each place that it was probed beside.
                values |= {"domain": host_key(name.partition("/")[0]).domain, "host": host_key(name).host}
                self._draft.add_output(_WRITE, values)
