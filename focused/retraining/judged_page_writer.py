"""Judged pages into their record: what they say, and the texts of the links that led to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from focused.method.training.term_counting import count
from focused.retraining.judged_pages import JudgedPage, term_counts
from focused.utils.file_names import RETRAINING_FILE
from focused.utils.files import LineFile

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from focused.items import PageItem
    from focused.retraining.judged_pages import LinkTexts
    from focused.retraining.stats import RetrainingStats


class JudgedPageWriter:
    """Writes a line of the record for each judged page. It has texts if the page joined, or people may still judge it.

    Parameters
    ----------
    run_dir : Path
    link_texts : function
        Returns the texts of the link that led to a page, None if they are not known.
    max_texts : int
        Pages whose texts are kept; of those beyond only the relevance is. They are counted.
    keeps_all : bool
        Whether texts are also kept of pages that do not join: verdicts may come.
    stats : RetrainingStats
    """

    def __init__(
        self,
        run_dir: Path,
        link_texts: Callable[[PageItem], LinkTexts | None],
        *,
        max_texts: int,
        keeps_all: bool,
        stats: RetrainingStats,
    ) -> None:
        self._file = LineFile(run_dir / RETRAINING_FILE)
        self._link_texts = link_texts
        self._max_texts = max_texts
        self._keeps_all = keeps_all
        self._stats = stats
        self._n_texts = 0

    def restore(self, page: JudgedPage) -> None:
        """Count a page that an earlier run of the crawl recorded."""
        self._n_texts += bool(page.terms)

    def close(self) -> None:
        """Close the record, and count the lines that could not be written."""
        self._file.close()
        if self._file.n_failed:
            self._stats.set("retraining/pages_lost_count", self._file.n_failed)

    def write(self, number: int, item: PageItem, label: bool | None) -> None:
        """Record a page.

        Parameters
        ----------
        number : int
            Place among the judged pages, from 1.
        item : PageItem
            Judged and analysed.
        label : bool or None
            That it joins with.
        """
        page, link, terms = item.analysed, None, {}
        assert page is not None
        assert item.relevance is not None
        if label is not None or self._keeps_all:
            if self._n_texts < self._max_texts:
                self._n_texts += 1
                terms, link = term_counts(count(page.terms)), self._link_texts(item)
                if link is not None:
                    self._stats.count("link_outcomes_count")
            else:
                self._stats.count("texts_not_kept_count")
        relevance, version = round(item.relevance, 6), item.model_version
        judged = JudgedPage(number, item.url, relevance, version, item.link_model_version, label, terms, link)
        self._file.write(judged.to_line())
