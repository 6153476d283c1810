"""Passes a judged page, with the texts of its link, to all parts of retraining that need it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from focused.method.page.link_context import url_terms
from focused.method.scoring import REASONS
from focused.method.scoring.base import LOOK_AROUND
from focused.method.training.term_counting import count, counted_link
from focused.retraining.judged_pages import JudgedPage, LinkTexts, judged_terms_of, term_counts
from focused.utils.file_names import RETRAINING_FILE
from focused.utils.files import LineFile

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from focused.items import PageItem
    from focused.method.topic import Analyzer
    from focused.retraining.drift import DriftReport
    from focused.retraining.feedback_intake import FeedbackIntake
    from focused.retraining.interface import ModelInUse
    from focused.retraining.kept_pages import KeptPages
    from focused.retraining.page_labels import PageLabels
    from focused.retraining.stats import RetrainingStats


@dataclass(eq=False)
class LinkTextFinder:
    """Finds the texts of the link that led to a page: its outcome is known, so it is an example of a link."""

    #: One of them may hold the link.
    pages: KeptPages
    #: Returns the number of a judged page by its URL; None of other URLs.
    number_of: Callable[[str], int | None]
    #: Its judge says which terms belong to a link's context.
    model: ModelInUse
    analyzer: Analyzer

    def find(self, item: PageItem) -> LinkTexts | None:
        """Return the texts of the link that led to a page; None for seeds, and if the link's page is no longer kept."""
        kept, source = self.pages.get(item.referrer), self.number_of(item.referrer)
        if kept is None or source is None:
            return None
        numbers = kept.page.link_numbers
        number = numbers.get(item.url, numbers.get(item.known_as))
        if number is None:
            return None  # behind a redirect
        judge, ids = self.model.judge, self.analyzer.ids
        link = counted_link(
            kept.page, number, other_anchors=judge.other_anchors, max_terms=judge.max_terms,
            window_chars=judge.topic.window_chars,
        )  # fmt: skip
        texts = (link.anchor, link.context, count(ids(link.window)), count(ids(url_terms(link.url))))
        return LinkTexts(source, *map(term_counts, texts))


class TextsToKeep(NamedTuple):
    """Which texts of judged pages are kept: what they are learnt from when people judge them, or later."""

    #: The text that the topic is learnt from.
    page_text: str
    #: How many pages keep their texts. Later ones keep only their relevance, and are counted.
    max_pages: int
    #: Whether texts are also kept of pages that do not join: verdicts may come.
    of_all: bool


@dataclass(eq=False)
class JudgedPageWriter:
    """Writes a line of the record for each judged page. It has texts if the page joined, or people may still judge it."""

    run_dir: Path
    #: Returns the texts of the link that led to a page, None if they are not known.
    link_texts: Callable[[PageItem], LinkTexts | None]
    texts: TextsToKeep
    stats: RetrainingStats

    def __post_init__(self) -> None:
        self._file = LineFile(self.run_dir / RETRAINING_FILE)
        self._n_texts = 0

    def restore(self, page: JudgedPage) -> None:
        """Count a page that an earlier run of the crawl recorded."""
        self._n_texts += bool(page.terms)

    def close(self) -> None:
        """Close the record, and count the lines that could not be written."""
        self._file.close()
        if self._file.n_failed:
            self.stats.set("retraining/pages_lost_count", self._file.n_failed)

    def write(self, number: int, item: PageItem, label: bool | None) -> None:
        """Record a judged and analysed page, by its place among the judged pages, with the label that it joins with."""
        link, terms = None, {}
        assert item.analysed is not None
        assert item.relevance is not None
        if label is not None or self.texts.of_all:
            if self._n_texts < self.texts.max_pages:
                self._n_texts += 1
                terms, link = dict(judged_terms_of(item, self.texts.page_text)), self.link_texts(item)
                if link is not None:
                    self.stats.count("link_outcomes_count")
            else:
                self.stats.count("texts_not_kept_count")
        relevance, version = round(item.relevance, 6), item.model_version
        judged = JudgedPage(
            number, item.url, relevance, version, item.link_model_version, label, terms, link, is_drawn(item)
        )
        self._file.write(judged.to_line())


def is_drawn(item: PageItem) -> bool:
    """Tell whether the link to a page was drawn from all that waited, to look around."""
    return item.reason_kind == REASONS[LOOK_AROUND]


@dataclass(eq=False)
class JudgedPageIntake:
    """Lets judged pages join, be found by verdicts, and be scored again."""

    labels: PageLabels
    feedback: FeedbackIntake
    pages: KeptPages
    writer: JudgedPageWriter
    drift: DriftReport

    def add(self, number: int, item: PageItem) -> bool | None:
        """Add a judged and analysed page, by its place from 1; return the label that it joins with, None if it does not."""
        assert item.analysed is not None
        assert item.relevance is not None
        if item.scores is not None:
            self.pages.keep(item.analysed, item.scores.visit)
        self.drift.add_page(item.relevance)
        label = self.labels.add_page(number, item.relevance)
        self.writer.write(number, item, label)
        self.feedback.add_page(number, (item.url, item.known_as))
        return label

    def restore(self, pages: Sequence[JudgedPage], n_trained: int, known_verdicts: Mapping[int, bool]) -> None:
        """Add the pages that an earlier run of the crawl recorded, and all verdicts that are there.

        ``n_trained`` pages were judged when the last training began, which knew the verdicts, by the pages' numbers.
        """
        for page in pages:
            self.labels.add_page(page.number, page.relevance)
            self.feedback.add_page(page.number, (page.url,))
            self.writer.restore(page)
        self.feedback.read_all()
        self.labels.restore_counts(n_trained, pages[-1].number if pages else 0, known_verdicts)

    def close(self) -> None:
        """Close the record, and show the drift of the last pages."""
        self.writer.close()
        self.drift.show()
