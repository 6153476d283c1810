"""A judged page goes to all parts of retraining that need it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from focused.items import PageItem
    from focused.retraining.drift_report import DriftReport
    from focused.retraining.feedback_intake import FeedbackIntake
    from focused.retraining.judged_page_writer import JudgedPageWriter
    from focused.retraining.judged_pages import JudgedPage
    from focused.retraining.kept_pages import KeptPages
    from focused.retraining.page_labels import PageLabels


class JudgedPageIntake:
    """Lets judged pages join, be found by verdicts, and be scored again.

    Parameters
    ----------
    labels : PageLabels
    feedback : FeedbackIntake
    pages : KeptPages
    writer : JudgedPageWriter
    drift : DriftReport
    """

    def __init__(
        self,
        labels: PageLabels,
        feedback: FeedbackIntake,
        pages: KeptPages,
        writer: JudgedPageWriter,
        drift: DriftReport,
    ) -> None:
        self._labels = labels
        self._feedback = feedback
        self._pages = pages
        self._writer = writer
        self._drift = drift

    def add(self, number: int, item: PageItem) -> bool | None:
        """Add a page, and return the label that it joins with; None if it does not.

        Parameters
        ----------
        number : int
            Place among the judged pages, from 1.
        item : PageItem
            Judged and analysed.
        """
        assert item.analysed is not None
        assert item.relevance is not None
        if item.scores is not None:
            self._pages.keep(item.analysed, item.scores.visit)
        self._drift.add_page(item.relevance)
        label = self._labels.add_page(number, item.relevance)
        self._writer.write(number, item, label)
        self._feedback.add_page(number, (item.url, item.known_as))
        return label

    def restore(self, pages: Sequence[JudgedPage], n_trained: int, known_verdicts: Mapping[int, bool]) -> None:
        """Add the pages that an earlier run of the crawl recorded, and all verdicts that are there.

        Parameters
        ----------
        pages : sequence of JudgedPage
        n_trained : int
            Pages that were judged when the last training began.
        known_verdicts : mapping of int to bool
            The verdicts that the last training knew, by the pages' numbers.
        """
        for page in pages:
            self._labels.add_page(page.number, page.relevance)
            self._feedback.add_page(page.number, (page.url,))
            self._writer.restore(page)
            self._drift.add_page(page.relevance)
        self._feedback.read_all()
        self._labels.restore_counts(n_trained, pages[-1].number if pages else 0, known_verdicts)

    def close(self) -> None:
        """Close the record, and show the drift of the last pages."""
        self._writer.close()
        self._drift.show()
