"""Decides which judged pages join the examples, and when the model is trained again [I18, alg. 1 and 2]."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from focused.retraining.options import RetrainingOptions


FIRST_MET = 20
"""Pages before the first training against the pages met; the fewest between two of them."""
_MANY_MET = 300
"""Up to so many pages the next training comes after a quarter of the pages so far, then after half (docs/method/, D74)."""

MAX_MET = 2_000
"""Pages met that are learnt from, beside those that were drawn or judged: the latest. More bring little and take long."""


def trainings_due(n_pages: int) -> int:
    """Return how many trainings against the pages met are due by a number of pages, verdicts apart.

    They are due after 20, 40, 60, 80, 100, 125, 156, 195, 243, 303, 454, 681, ... pages: a crawl prefers pages that its model
    errs about, and finds fewer relevant ones the longer it goes by one model.

    >>> [trainings_due(n) for n in (19, 20, 39, 40, 302, 303, 453, 454)]
    [0, 1, 1, 2, 9, 10, 10, 11]
    """
    n_due, due = 0, FIRST_MET
    while due <= n_pages:
        n_due += 1
        due += max(FIRST_MET, due // (4 if due < _MANY_MET else 2))
    return n_due


def label_by_relevance(relevance: float, t1: float, t2: float) -> bool | None:
    """Return True for a page that joins the positives, False for the negatives, None for neither [I18, alg. 2].

    >>> [label_by_relevance(value, 0.8, 0.2) for value in (0.8, 0.5, 0.2)]
    [True, None, False]
    """
    if relevance >= t1:
        return True
    return False if relevance <= t2 else None


@dataclass
class PageLabels:
    """The labels of a crawl's pages by their numbers: by the model's relevance, and by people's verdicts.

    A verdict overrides the relevance, and a later verdict an earlier one.
    """

    options: RetrainingOptions
    #: Whether the model is trained against the pages met (docs/method/, D74): all of them count.
    is_against_met: bool = False
    by_relevance: dict[int, bool] = field(default_factory=dict, init=False)
    by_verdict: dict[int, bool] = field(default_factory=dict, init=False)
    #: Pages judged so far, and before the last training.
    n_pages: int = field(default=0, init=False)
    n_trained: int = field(default=0, init=False)
    #: Pages whose verdicts are new, or have changed, since the last training.
    new_verdicts: set[int] = field(default_factory=set, init=False)
    #: Pages counted towards the next training, each once.
    counted: set[int] = field(default_factory=set, init=False)
    #: Pages whose labels are new, or have changed, since the last training.
    changed: set[int] = field(default_factory=set, init=False)

    def add_page(self, number: int, relevance: float) -> bool | None:
        """Add a judged page; return the label that it joins with (what counts: docs/method/, D66)."""
        if self.is_against_met:
            self.n_pages = number
            self.changed.add(number)
        if self.options.counts == "judged":
            self.counted.add(number)
        if not self.options.is_automatic:
            return None
        label = label_by_relevance(relevance, self.options.t1, self.options.t2)
        if label is not None:
            self.by_relevance[number] = label
            self.changed.add(number)
            self.counted.add(number)
        return label

    def add_verdict(self, number: int, relevant: bool) -> bool:
        """Add a verdict on a page; return whether it changes anything."""
        if self.by_verdict.get(number) == relevant:
            return False
        self.by_verdict[number] = relevant
        self.changed.add(number)
        self.counted.add(number)
        self.new_verdicts.add(number)
        return True

    def withdraw(self, number: int) -> bool:
        """Remove the verdict on a page; return whether there was one."""
        if self.by_verdict.pop(number, None) is None:
            return False
        self.changed.add(number)
        self.counted.add(number)
        self.new_verdicts.add(number)
        return True

    @property
    def is_due(self) -> bool:
        """Whether k pages were counted since the last training.

        Against the pages met: whether a training of the series (`trainings_due`) is due, or people have judged k pages.
        A training because of verdicts does not delay the next of the series, because it has seen no more of this web.
        """
        if self.is_against_met and len(self.new_verdicts) < self.options.every_pages:
            return trainings_due(self.n_pages) > trainings_due(self.n_trained)
        return len(self.counted) >= self.options.every_pages

    def reset_counts(self) -> None:
        """Reset the counters: a training begins."""
        self.n_trained = self.n_pages
        for numbers in (self.counted, self.changed, self.new_verdicts):
            numbers.clear()

    def restore_counts(self, n_trained: int, n_pages: int, trained: Mapping[int, bool]) -> None:
        """Restore the counters of an earlier run with ``n_pages`` pages; these and their verdicts have been added already.

        The last training began after ``n_trained`` pages, and knew the verdicts ``trained``.
        """
        new = {n for n, label in self.by_verdict.items() if n <= n_trained and trained.get(n) != label}
        self.counted, self.changed = set(new), set(new)
        # Later pages, too: people may have judged them since the last training began.
        self.new_verdicts = {n for n, label in self.by_verdict.items() if trained.get(n) != label}
        self.n_trained = n_trained
        for number in range(n_trained + 1, n_pages + 1):
            has_label = number in self.by_relevance or number in self.by_verdict
            if has_label or self.is_against_met:
                self.changed.add(number)
            if has_label or self.options.counts == "judged":
                self.counted.add(number)
            if self.is_due and not self.changed:
                self.reset_counts()  # there was nothing new

    def chosen(self) -> dict[int, bool]:
        """Return the labels to train with: of each label the verdicts, then the latest pages, up to the limit."""
        chosen: dict[int, bool] = {}
        latest = sorted((n for n in self.by_relevance if n not in self.by_verdict), reverse=True)
        for label in (True, False):
            numbers = [n for n, relevant in reversed(self.by_verdict.items()) if relevant == label]
            numbers += [n for n in latest if self.by_relevance[n] == label]
            chosen |= dict.fromkeys(numbers[: self.options.max_pages], label)
        return dict(sorted(chosen.items()))
