"""Judged pages into their record: what they say, and the texts of the links that led to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from focused.method.page.link_context import url_terms
from focused.method.training.term_counting import count, counted_link
from focused.retraining.judged_pages import RECORD_FILE, JudgedPage, LinkTexts, term_counts
from focused.utils.files import LineFile

if TYPE_CHECKING:
    from focused.crawl.state import Crawl
    from focused.items import PageItem
    from focused.retraining.feedback_intake import FeedbackIntake
    from focused.retraining.kept_pages import KeptPages
    from focused.retraining.stats import RetrainingStats


class JudgedPageWriter:
    """Writes a line of the record for each judged page, with texts where it joined or people may still have a say.

    Parameters
    ----------
    crawl : Crawl
    pages : KeptPages
        The latest pages: one of them may hold the link that led to a page.
    verdicts : FeedbackIntake
        Knows the numbers of pages.
    max_texts : int
        Pages whose texts are kept; of those beyond only the relevance is. They are counted.
    keeps_all : bool
        Whether texts are also kept of pages that do not join: verdicts may come.
    stats : RetrainingStats
    """

    def __init__(
        self,
        crawl: Crawl,
        pages: KeptPages,
        verdicts: FeedbackIntake,
        *,
        max_texts: int,
        keeps_all: bool,
        stats: RetrainingStats,
    ) -> None:
        self.file = LineFile(crawl.plan.run_dir / RECORD_FILE)
        #: Of pages, by URL: the version of the model that judged them.
        self.version_of: dict[str, int] = {}
        self._crawl = crawl
        self._pages = pages
        self._verdicts = verdicts
        self._max_texts = max_texts
        self._keeps_all = keeps_all
        self._stats = stats
        self._n_texts = 0

    def known(self, page: JudgedPage) -> None:
        """Take in a page that an earlier run of the crawl recorded."""
        self.version_of[page.url] = page.version
        self._n_texts += bool(page.terms)

    def write(self, number: int, item: PageItem, label: bool | None, version: int) -> None:
        """Record a page.

        Parameters
        ----------
        number : int
            Place among the judged pages, from 1.
        item : PageItem
            Judged and analysed.
        label : bool or None
            That it joins with.
        version : int
            Of the model that judged it.
        """
        self.file.write(self._judged(number, item, label, version).to_line())
        self.version_of[item.url] = version

    def _judged(self, number: int, item: PageItem, label: bool | None, version: int) -> JudgedPage:
        page, link, terms = item.analysed, None, {}
        assert page is not None
        assert item.relevance is not None
        if label is not None or self._keeps_all:
            if self._n_texts < self._max_texts:
                self._n_texts += 1
                terms = term_counts(count(page.terms))
                link = self._link_texts(item)
            else:
                self._stats.count("texts_not_kept_count")
        kept = self._pages.get(item.referrer)
        link_version = kept.version if kept is not None else self.version_of.get(item.referrer, version)
        return JudgedPage(number, item.url, round(item.relevance, 6), version, link_version, label, terms, link)

    def _link_texts(self, item: PageItem) -> LinkTexts | None:
        """Return the texts of the link that led to a page: its outcome is known now."""
        kept = self._pages.get(item.referrer)
        source = self._verdicts.number_of(item.referrer)
        if kept is None or source is None:
            return None
        number = kept.page.link_numbers.get(item.url)
        if number is None:
            number = kept.page.link_numbers.get(item.known_as)
        if number is None:
            return None  # behind a redirect
        judge, analyzer = self._crawl.judging.judge, self._crawl.plan.reader.analyzer
        link = counted_link(kept.page, number, other_anchors=judge.other_anchors, max_terms=judge.max_terms)
        self._stats.count("link_outcomes_count")
        texts = (link.anchor, link.context, count(analyzer.ids(link.window)), count(analyzer.ids(url_terms(link.url))))
        return LinkTexts(source, *map(term_counts, texts))
