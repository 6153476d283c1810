"""Reads from the database what the workers of a crawl can train from: pages and verdicts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from focused.collection.page import unpack_terms
from focused.collection.verdict_files import Verdict
from focused.frontier.shared import version_rows as rows
from focused.retraining.draw_schedule import n_drawn_wanted
from focused.retraining.judged_pages import JudgedPage
from focused.retraining.page_labels import MAX_MET, PageLabels
from focused.retraining.verdict_reader import MAX_PAGES
from focused.retraining.verdict_table import VerdictTable
from focused.retraining.versions import FIRST
from focused.utils.url_forms import canonical_form

if TYPE_CHECKING:
    from psycopg import Connection

    from focused.crawl.shared_run import SharedRun
    from focused.retraining.options import RetrainingOptions


def n_draws_missing(run: SharedRun) -> float:
    """Return a worker's part of the links that should have been drawn by now, where hardly any were.

    So it is where a crawl did not learn against the pages met before; of the last ones drawn the pages may be on their way.
    """
    totals = run.totals()
    wanted, drawn = n_drawn_wanted(totals.n_pages), rows.n_drawn(run.connection, run.number)
    return (wanted - drawn) / max(totals.n_alive, 1) if drawn < wanted / 2 else 0.0


class SharedPages:
    """Reads the verdicts on pages of a shared crawl, and the pages themselves. ``crawl``: its number in the database.

    ``is_against_met``: whether all pages met are learnt from, and not only those that people have judged.
    """

    def __init__(self, crawl: int, options: RetrainingOptions, *, is_against_met: bool) -> None:
        self._crawl, self._options, self._is_against_met = crawl, options, is_against_met
        self._table = VerdictTable(MAX_PAGES)
        #: Number of the last verdict that was read.
        self.last_number = 0
        #: URLs with verdicts, spelt as people wrote them.
        self.urls: dict[str, None] = {}

    def read_verdicts(self, sql: Connection[Any], n_known: int = 0) -> int:
        """Read the verdicts that are new since the last call.

        Return how many of them change anything, of those numbered above ``n_known``.
        """
        n_new = 0
        for said in rows.verdicts_since(sql, self._crawl, self.last_number):
            self.last_number = said.number
            verdict = Verdict(canonical_form(said.url) or said.url, said.relevant, person=said.person, written=said.url)
            if self._table.add(verdict):
                self.urls[said.url] = None
                n_new += said.number > n_known
        return n_new

    def learnable(self, sql: Connection[Any]) -> tuple[PageLabels, list[JudgedPage]]:
        """Return the pages that can be learnt from, and what people say of those whose words were kept."""
        labels, pages = PageLabels(self._options, is_against_met=self._is_against_met), []
        found = rows.pages_of(sql, self._crawl, list(self.urls))
        if self._is_against_met:
            found = rows.pages_met(sql, self._crawl, list(self.urls), MAX_MET)
        for row in found:
            relevant, terms = None, unpack_terms(row.terms)
            if terms and row.url in self.urls:
                relevant = self._table.relevant([canonical_form(row.url) or row.url])
            if relevant is not None:
                labels.add_verdict(row.number, relevant)
            if relevant is not None or self._is_against_met:
                judged = row.number, row.url, row.relevance or 0.0, row.model_version, FIRST, None, terms
                pages.append(JudgedPage(*judged, is_drawn=row.is_drawn))
        return labels, pages
