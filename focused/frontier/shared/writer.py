"""The transaction of pages: what several pages have brought becomes durable at once, or is refused.

The order of its statements is the same for all workers, and within a statement that of the keys, so that no two workers wait
for each other in a circle (docs/method/many-workers.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from focused.frontier.shared import page_statements as statements
from focused.frontier.shared.array_text import columns
from focused.frontier.shared.keys import host_key
from focused.frontier.shared.link_rows import text
from focused.frontier.shared.link_writing import LinkRules, LinkWriting
from focused.frontier.shared.written import LeaseLostError, Written
from focused.frontier.store.link import host_of
from focused.frontier.store.link_states import NOT_REACHABLE
from focused.frontier.store.schema import DONE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from psycopg import Connection

    from focused.frontier.shared.page import PageCommit


_NOT_ASKED = 0, 0, 0, None, 0.0
"""Of a host whose links were only found: pages, relevant pages, failures, rest, delay."""


@dataclass(frozen=True)
class PageWriter:
    """Writes pages of one crawl: their links, then hosts, then what else becomes durable with them."""

    rules: LinkRules

    @property
    def crawl(self) -> int:
        """The crawl's number."""
        return self.rules.crawl

    def write(self, sql: Connection[Any], worker: int, pages: Sequence[PageCommit]) -> Written:
        """Write pages in one transaction.

        Raises
        ------
        LeaseLostError, KnownPageError
            If it is refused.
        psycopg.Error
            If the server could not do it; where the connection is gone at the commit, it may have been done.
        """
        with sql.transaction():
            links = LinkWriting(sql, self.rules, pages)
            ended, written = links.ended, links.written
            judged = [link.relevant for link in ended if link.relevant is not None]
            if not sql.execute(statements.COUNT, (len(judged), sum(judged), len(ended), worker)).rowcount:
                raise LeaseLostError
            links.write(worker)
            n_given_up = self._give_up(sql, pages, written)
            self._write_hosts(sql, worker, pages, links, n_given_up)
            self._write_outputs(sql, worker, pages, links.page_numbers)
            return written

    def _give_up(self, sql: Connection[Any], pages: Sequence[PageCommit], written: Written) -> int:
        under_way = list({number for page in pages for number in page.under_way})
        for origin in (origin for page in pages for origin in page.given_up):
            values = NOT_REACHABLE, self.crawl, *host_key(host_of(origin)), under_way, len(origin) + 1, f"{origin}/"
            written.given_up[origin] = written.given_up.get(origin, 0) + sql.execute(statements.FAIL, values).rowcount
        for host, cap in (capped for page in pages for capped in page.capped):
            n_links = sql.execute(statements.DROP, (cap, self.crawl, *host_key(host), under_way)).rowcount
            written.n_capped[cap] = written.n_capped.get(cap, 0) + n_links
        return sum(written.given_up.values()) + sum(written.n_capped.values())

    def _write_hosts(
        self, sql: Connection[Any], worker: int, pages: Sequence[PageCommit], links: LinkWriting, n_given_up: int
    ) -> None:
        """Note what hosts have now: those with new links, and those that were asked, in the order of their keys.

        How many links the worker has found, and let fail, is said by the same statement, if there is one.
        """
        asked: dict[str, list[float]] = {}
        for link in links.ended:
            counts = asked.setdefault(link.host, [0, 0, 0, 0.0, 0.0])
            counts[0] += link.relevant is not None
            counts[1] += bool(link.relevant)
            counts[2] += link.state != DONE
        for page in pages:
            for host, times in page.rests.items():
                if host in asked:
                    asked[host][3:] = times
        # All are locked by one statement, in one order.
        best = links.best
        rows = sorted(
            (*host_key(host), text(host), best.get(host), *asked.get(host, _NOT_ASKED)) for host in {*best, *asked}
        )
        found = {"worker": worker, "n_found": len(links.written.new), "n_given_up": n_given_up}
        has_found = bool(links.written.new or n_given_up)
        if rows:
            values = dict(zip(statements.HOST_COLUMNS, columns(rows), strict=True))
            statement = statements.HOSTS_AND_FOUND if has_found else statements.HOSTS
            sql.execute(statement, {"crawl": self.crawl, **found, **values})
        elif has_found:
            sql.execute(statements.FOUND, found)

    def _write_outputs(
        self, sql: Connection[Any], worker: int, pages: Sequence[PageCommit], numbers: Mapping[int, int]
    ) -> None:
        outputs: dict[str, list[dict[str, Any]]] = {}
        for page in pages:
            number = next((numbers[link.fingerprint] for link in page.ended if link.relevant is not None), None)
            own = {"crawl": self.crawl, "worker": worker, "page": number}
            for statement, parameters in page.outputs:
                outputs.setdefault(statement, []).append({**parameters, **own})
        with sql.cursor() as cursor:
            for statement, rows_of_pages in outputs.items():
                cursor.executemany(statement, rows_of_pages)
            if records := [(self.crawl, worker, *record) for page in pages for record in page.records]:
                cursor.executemany(statements.RECORD, records)
