"""Examples to a topic: count terms, learn the classifier, write down what it was made from. No Scrapy."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from focused.examples.counting import CountedPage, counted_page
from focused.examples.gather import Seen, examples, shuffled
from focused.examples.refusals import Refusals
from focused.page.limits import PageLimits
from focused.page.reader import PageReader
from focused.text.analyzer import Analyzer
from focused.text.background import load_background
from focused.text.languages import detect_language

if TYPE_CHECKING:
    from collections.abc import Iterable

    from focused.examples.gather import Example
    from focused.examples.sources import Candidate
    from focused.text.background import Background

BACKGROUND_PRIOR = 0.1
"""Assumed share of relevant pages among those that a crawl meets, where the background stands in for them."""

UNKNOWN = "unknown"


class TrainingError(ValueError):
    """A topic cannot be trained from what was given; the message says why and what to do."""


@dataclass
class PageSet:
    """The pages of one kind, positive or unlabelled, that a topic is learnt from."""

    pages: list[CountedPage] = field(default_factory=list)
    digests: list[bytes] = field(default_factory=list)
    #: Pages by detected language.
    languages: Counter[str] = field(default_factory=Counter)
    #: Real URLs (files have none), in the order of the pages.
    urls: list[str] = field(default_factory=list)
    seen: Seen = field(default_factory=Seen)
    refusals: Refusals = field(default_factory=Refusals)
    n_cut: int = 0

    def __len__(self) -> int:
        return len(self.pages)


@dataclass(frozen=True)
class Options:
    """How to read and learn; see `focused.learning.training.train_topic`."""

    learner: str = "logistic"
    random_state: int = 0
    other_anchors: bool = False
    limits: PageLimits = field(default_factory=PageLimits)


Track = "Callable[[list[Candidate], str], Iterable[Candidate]]"
"""Wraps a list of candidates to show how far its reading is."""


def untracked(candidates: list[Candidate], what: str) -> Iterable[Candidate]:
    """Show nothing."""
    return candidates


class Training:
    """Reads examples and learns a topic from them.

    Parameters
    ----------
    options : Options
    language : str, optional
        ISO 639-1 code; detected from the positives if not given.
    track : callable
        Wraps lists of candidates to show progress.
    """

    def __init__(self, options: Options, language: str | None = None, track: Any = untracked) -> None:
        self.options = options
        self.language = language
        self.positive = PageSet()
        self.unlabeled = PageSet()
        self.background: Background | None = None
        self._track = track

    def read(self, positive: list[Candidate], unlabeled: list[Candidate] | None, sample: int | None = None) -> None:
        """Read the examples; without unlabelled ones, the general background serves.

        Parameters
        ----------
        positive : list of Candidate
        unlabeled : list of Candidate, optional
        sample : int, optional
            Read unlabelled candidates in random order until there are so many pages.

        Raises
        ------
        TrainingError
            If no positive or no unlabelled page is left.
        """
        wanted = _urls_of([*positive, *(unlabeled or [])])
        loaded = list(examples(self._track(positive, "positives"), self.positive.seen, self.positive.refusals))
        self._detect_language(loaded)
        reader = PageReader(Analyzer(self.language or "en"), limits=self.options.limits)
        for example in loaded:
            self._add(self.positive, example, reader, wanted)
        if not self.positive:
            raise TrainingError(_nothing_left("--positive", self.positive.refusals))
        if unlabeled is None:
            self.background = load_background()
            return
        order = unlabeled if sample is None else shuffled(unlabeled, self.options.random_state)
        place = {id(candidate): number for number, candidate in enumerate(unlabeled)}
        places = []
        for example in examples(
            self._track(order, "unlabelled pages"), self.unlabeled.seen, self.unlabeled.refusals, self.positive.seen
        ):
            if self._add(self.unlabeled, example, reader, wanted):
                places.append(place[id(example.candidate)])
            if sample is not None and len(self.unlabeled) >= sample:
                break
        if not self.unlabeled:
            raise TrainingError(_nothing_left("--unlabeled", self.unlabeled.refusals))
        in_order = np.argsort(places).tolist()
        self.unlabeled.pages = [self.unlabeled.pages[i] for i in in_order]

    def _detect_language(self, loaded: list[Example]) -> None:
        reader = PageReader(Analyzer("en"), limits=self.options.limits)
        for example in loaded:
            page = reader.read(example.content.body, example.content.url, example.content.content_type)
            self.positive.languages[detect_language(page.text) or UNKNOWN] += 1
        if self.language is None:
            known = Counter({code: n for code, n in self.positive.languages.items() if code != UNKNOWN})
            # Ties go to the first by alphabet, so that the order of the files makes no difference.
            self.language = min(known, key=lambda code: (-known[code], code), default="en")

    def _add(self, pages: PageSet, example: Example, reader: PageReader, wanted: set[str]) -> bool:
        content, options = example.content, self.options
        page = reader.read(content.body, content.url, content.content_type)
        counted = counted_page(
            page,
            example.urls,
            wanted,
            other_anchors=options.other_anchors,
            max_terms=options.limits.max_unit_terms,
        )
        if not len(counted.terms.ids):
            pages.refusals.add("no words", example.candidate.name)
            return False
        if pages is self.unlabeled:
            pages.languages[detect_language(page.text) or UNKNOWN] += 1
        pages.pages.append(counted)
        pages.digests.append(example.digest)
        pages.urls.append(content.url)
        pages.n_cut += bool(page.cuts)
        return True
