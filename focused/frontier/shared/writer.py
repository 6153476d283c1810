"""Writes several pages in one transaction: all of it becomes durable, or some pages are refused.

The order of its statements is the same for all workers, and within a statement that of the keys, so that no two workers wait
for each other in a circle (docs/method/many-workers.md).
"""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from focused.frontier.shared import page_statements as statements
from focused.frontier.shared.ended_links_sql import end_links
from focused.frontier.shared.keys import host_key
from focused.frontier.shared.link_writing import LinkRules, LinkWriting
from focused.frontier.store.link_states import NOT_REACHABLE
from focused.utils.origins import host_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from psycopg import Connection, Cursor

    from focused.frontier.shared.commit_result import CommitResult
    from focused.frontier.shared.page import PageCommit


@dataclass(frozen=True)
class PageWriter:
    """Writes pages of one crawl: their links, then their ends and hosts, then what else becomes durable with them."""

    rules: LinkRules

    @property
    def crawl(self) -> int:
        """The crawl's number."""
        return self.rules.crawl

    def write(self, sql: Connection[Any], worker: int, pages: Sequence[PageCommit]) -> CommitResult:
        """Write pages in one transaction.

        Raises
        ------
        LeaseLostError, KnownPageError
            If it is refused.
        psycopg.Error
            If the server could not do it; where the connection is gone at the commit, it may have been done.
        """
        with sql.cursor() as cursor:
            links = LinkWriting(cursor, self.rules, pages)
            only_ends = not (
                links or any(page.given_up or page.capped or page.outputs or page.records for page in pages)
            )
            # One statement is a transaction.
            with nullcontext() if only_ends else sql.transaction():
                links.write()
                n_given_up = self._give_up(cursor, pages, links)
                numbers = end_links(cursor, self.crawl, worker, pages, links, n_given_up)
                self._write_outputs(cursor, worker, pages, numbers)
            return links.result

    def _give_up(self, sql: Cursor[Any], pages: Sequence[PageCommit], links: LinkWriting) -> int:
        """Fail the waiting links of given-up origins, and drop those of hosts that have reached a cap; return how many."""
        result = links.result
        ends = [link.fingerprint for link in links.ended]
        under_way = list({number for page in pages for number in page.under_way}.union(ends))
        for origin in (origin for page in pages for origin in page.given_up):
            values = NOT_REACHABLE, self.crawl, *host_key(host_of(origin)), under_way, len(origin) + 1, f"{origin}/"
            result.given_up[origin] = result.given_up.get(origin, 0) + sql.execute(statements.FAIL, values).rowcount
        for host, cap in (capped for page in pages for capped in page.capped):
            n_links = sql.execute(statements.DROP, (cap, self.crawl, *host_key(host), under_way)).rowcount
            result.n_capped[cap] = result.n_capped.get(cap, 0) + n_links
        return sum(result.given_up.values()) + sum(result.n_capped.values())

    def _write_outputs(
        self, sql: Cursor[Any], worker: int, pages: Sequence[PageCommit], numbers: Mapping[int, int]
    ) -> None:
        outputs: dict[str, list[dict[str, Any]]] = {}
        for page in (page for page in pages if page.outputs):
            number = next((numbers[link.fingerprint] for link in page.ended if link.relevant is not None), None)
            own = {"crawl": self.crawl, "worker": worker, "page": number}
            for statement, parameters in page.outputs:
                outputs.setdefault(statement, []).append({**parameters, **own})
        for statement, rows_of_pages in outputs.items():
            sql.executemany(statement, rows_of_pages)
        if records := [(self.crawl, worker, *record) for page in pages for record in page.records]:
            sql.executemany(statements.RECORD, records)
