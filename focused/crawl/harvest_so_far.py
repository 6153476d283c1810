"""Estimates the harvest of a crawl from its relevances and trainings, or says why it is not known."""

from __future__ import annotations

import csv
from array import array
from bisect import bisect_left
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from focused.method.topic.harvest_estimate import HarvestEstimate, of_relevances, with_pages_since
from focused.method.topic.judge import RELEVANCE_THRESHOLD
from focused.retraining.options import read_options
from focused.utils.crawl_settings import PAGE_CLASSIFIER
from focused.utils.frontier_settings import DATABASE
from focused.utils.output_settings import COLLECTION, JUDGE_AGAIN_SECS
from focused.utils.words import quantity

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from focused.method.topic import Topic

NOT_YET = "not known yet"
_LEAST_PAGES = 20
"""The share is not estimated from fewer pages."""
_NONE_OF = 50
"""If a trained model has judged so many pages and none of them relevant, its estimate is no evidence: the pages may be written
in another way than the examples, and then held-out examples say nothing of them."""


class HarvestSoFar:
    """Estimates the share of relevant pages among those fetched, with a 90 % interval (docs/method/, D77).

    What it is estimated from depends on the topic. With unlabelled pages of its own: from the relevances of the pages. With
    a general background: from the trainings against the pages met, and the relevances of the pages since. A topic from words
    has no examples that could tell.
    """

    def __init__(self, why_unknown: str = "", *, is_against_met: bool = False, believes_verdicts: bool = True) -> None:
        #: Why it will never be known in this crawl; empty if it is or will be.
        self.why_unknown = why_unknown
        #: Whether pages are called relevant until the end by a guess: the last model then judges all of them again.
        self.is_a_guess_until_the_end = False
        self._is_against_met = is_against_met
        #: Whether pages are judged by the threshold of the training.
        self._believes_verdicts = believes_verdicts
        self._relevances = array("d")
        #: Places of the copies among them, ascending.
        self._copies = array("q")
        self._n_judged = 0
        self._is_from_elsewhere = False
        #: Pages judged since the first training on pages of this web, and those of them that were judged relevant.
        self._n_by_trained = self._n_judged_by_trained = 0
        self._met: HarvestEstimate | None = None
        self._n_met = 0
        self._train: Callable[[], None] = lambda: None

    @classmethod
    def of_crawl(cls, topic: Topic, settings: Mapping[str, Any]) -> HarvestSoFar:
        """Return the estimator of a crawl, by its topic and its settings."""
        options, examples = read_options(settings, topic), topic.manifest.get("examples", {})
        if PAGE_CLASSIFIER.read(settings):
            return cls("FOCUSED_PAGE_CLASSIFIER judges the pages, and nothing is known of how well")
        if topic.keyword_terms:
            found = cls(
                "a topic from words has no examples to measure it with, so how many pages are delivered is a guess. "
                "Look at the pages below the threshold, or judge some: scrapy judge RUN_DIR"
            )
            is_judged_again = COLLECTION.read(settings) == "on" and JUDGE_AGAIN_SECS.read(settings) > 0
            found.is_a_guess_until_the_end = is_judged_again and options.is_against_met(topic)
            return found
        if options.is_against_met(topic):
            if DATABASE.read(settings):
                return cls("a worker sees a part of the pages; scrapy report postgresql://.../CRAWL says it of all")
            return cls(is_against_met=True)
        if "background" in examples or not topic.manifest.get("figures"):
            return cls(
                "the topic has no unlabelled pages of this web: scrapy train --unlabeled, or FOCUSED_UNLABELED=met"
            )
        return cls(believes_verdicts=RELEVANCE_THRESHOLD.read(settings) is None)

    def add(self, relevance: float | None, is_relevant: bool | None, *, is_copy: bool = False) -> None:
        """Add the next page, with its relevance and what it was judged; a copy is no relevant page, whatever it says."""
        if is_copy:
            self._copies.append(len(self._relevances))
        self._relevances.append(0.0 if is_copy else relevance or 0.0)
        self._n_judged += bool(is_relevant)
        if self._met is not None:
            self._n_by_trained += 1
            self._n_judged_by_trained += bool(is_relevant)

    def note_training(self, n_pages: int, harvest: Mapping[str, float]) -> None:
        """Note the harvest that a training has estimated of the first ``n_pages`` pages.

        ``harvest`` is empty where the examples come from other sites.
        """
        self._is_from_elsewhere = not harvest
        with suppress(KeyError):
            # Copies are not trained with.
            share = 1 - bisect_left(self._copies, n_pages) / max(n_pages, 1)
            self._met = HarvestEstimate(*(share * harvest[name] for name in ("share", "low", "high")))
            self._n_met = n_pages

    def set_last_training(self, train: Callable[[], None]) -> None:
        """Set what `run_last_training` calls at the end of the crawl; the training calls `note_training`."""
        self._train = train

    def run_last_training(self) -> None:
        """Run the last training, if there is one, so that the final estimate covers all pages."""
        self._train()

    def now(self) -> HarvestEstimate | None:
        """Return the estimate of all pages so far; None where it is not known."""
        n_pages = len(self._relevances)
        if self.why_unknown or not n_pages or self.finds_no_relevant:
            return None
        if self._met is not None:
            return with_pages_since(self._met, self._n_met, self._relevances[self._n_met :], n_pages)
        if self._is_against_met or n_pages < _LEAST_PAGES:
            return None
        return of_relevances(self._relevances, self._n_judged / n_pages if self._believes_verdicts else None)

    @property
    def why_not_yet(self) -> str:
        """Why the harvest is not known yet, in words."""
        if self.finds_no_relevant:
            return (
                "no page that was met looks enough like the examples. Either there are none here, or they are written in "
                "another way than these. Judge some pages, which shows it, and train from them: scrapy judge RUN_DIR; "
                "scrapy train TOPIC --from-run RUN_DIR"
            )
        if self._is_from_elsewhere:
            return (
                "the examples come from other sites than these pages, and nothing says how many of these are relevant. Judge "
                "some: scrapy judge RUN_DIR"
            )
        if self._is_against_met:
            return "the model has learnt nothing of this web yet; with more pages (-a max_pages) it may"
        return f"that takes {_LEAST_PAGES} pages"

    @property
    def finds_no_relevant(self) -> bool:
        """Whether the trained models have judged enough pages, and none of them relevant."""
        return self._n_by_trained >= _NONE_OF and not self._n_judged_by_trained

    def text(self) -> str:
        """Return the estimate in words, or that it is not known."""
        found = self.now()
        return str(found) if found is not None else ("not known" if self.why_unknown else NOT_YET)

    def restore(self, path: Path, n_pages: int, said: HarvestEstimate | None = None) -> None:
        """Add the ``n_pages`` pages that earlier runs of this crawl wrote to ``fetched.csv``; not known if some are lost.

        ``said``: the estimate of all of them at the end of the last run. It knows more than the last training before.
        """
        if path.is_file():
            self._read(path)
        if self._is_against_met and said is not None and self._n_met < n_pages:
            self._met, self._n_met = said, n_pages
        if len(self._relevances) < n_pages and not self.why_unknown:
            n_lost = n_pages - len(self._relevances)
            self.why_unknown = f"{path.name} has lost the relevances of {quantity(n_lost, 'pages')}"

    def _read(self, path: Path) -> None:
        with path.open(newline="", encoding="utf-8", errors="replace") as file:
            for row in csv.DictReader(file):
                try:
                    is_copy = bool(row.get("duplicate_of"))
                    self.add(float(row["relevance"]), row["relevant"] == "1", is_copy=is_copy)
                except (KeyError, TypeError, ValueError):
                    self.add(None, None)
