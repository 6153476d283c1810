"""Whether a model that is trained again decides worse: which pages it calls relevant, and how probable it holds them.

Average precision sees the order of pages only. A model may keep it and call hardly any page relevant.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from focused.retraining.drift import relevance_of
from focused.retraining.judged_pages import that_join

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from focused.method.topic import Topic
    from focused.retraining.judged_pages import JudgedPage

# How much may be lost, as multiples of the tolerance of average precision: thirty positives tell recall in steps of 0.033.
_OF_F1, _OF_RECALL, _OF_SKILL, _OF_KEPT = 2.5, 5.0, 5.0, 5.0


@dataclass(frozen=True)
class Decisions:
    """What a model decides about the topic's own examples, each held out, and about the pages that it accepted.

    Figures of two models can be compared where both have the same examples and the same share of relevant pages, as
    `focused.retraining.training.retrain` makes them.
    """

    #: At the model's threshold, in [0, 1].
    recall: float
    f1: float
    #: 1 - Brier score / (pi (1 - pi)): 1 without an error, 0 where every page has the relevance pi. Chance
    #: may take the estimate above 1.
    skill: float

    def why_worse(self, first: Decisions, tolerance: float, *, widens: bool = False) -> str:
        """Return why a new model is not to be used; empty if it may be.

        Parameters
        ----------
        first : Decisions
            Of a model that has learnt from no page of the crawl.
        tolerance : float
            In [0, 1], that of average precision. F1 may be 2.5 times that lower, recall and skill five times.
        widens : bool
            Whether `mostly_verdicts` joined. They may widen a topic to pages that count as errors by its own
            examples, so that only recall is compared.
        """
        of_each = {"recall": _OF_RECALL} if widens else {"recall": _OF_RECALL, "f1": _OF_F1, "skill": _OF_SKILL}
        names = {"recall": "recall", "f1": "F1", "skill": "Brier skill"}
        for what, times in of_each.items():
            new, before = getattr(self, what), getattr(first, what)
            if new < before - times * tolerance - 1e-9:
                return f"{names[what]} {new:.3f} at the threshold, on held-out examples; before the crawl {before:.3f}"
        return ""


def mostly_verdicts(labels: Collection[int], verdicts: Collection[int]) -> bool:
    """Return whether at least half of the pages that joined have a verdict; both by number."""
    return len(labels) > 0 and 2 * len(verdicts) >= len(labels)


def decisions_of(topic: Topic) -> Decisions:
    """Return what a topic decides, from the figures of a training by `retrain`."""
    figures = topic.manifest["figures"]
    prior = float(figures["prior"])
    return Decisions(figures["recall"], figures["f1"], 1 - figures["brier"] / (prior * (1 - prior)))


def rounded(found: Decisions) -> dict[str, float]:
    """Return the figures by name, for a file."""
    return {name: round(value, 6) for name, value in asdict(found).items()}


def agreed(
    topic: Topic, pages: Sequence[JudgedPage], labels: Mapping[int, bool], verdicts: Collection[int]
) -> dict[int, bool]:
    """Return the labels without those by relevance that the topic's own model decides otherwise.

    A model that has learnt from the crawl gives the relevances by which pages join. Without this its errors would
    confirm themselves (docs/method/, D67).

    Parameters
    ----------
    topic : Topic
        As it was before the crawl.
    pages : sequence of JudgedPage
    labels : mapping
        Of a page's number: whether it is relevant.
    verdicts : collection of int
        Numbers of the pages whose label is a verdict; these stay.
    """
    found = accepted(topic, topic, pages, labels)
    return {n: label for n, label in labels.items() if n in verdicts or found.get(n, label) == label}


def why_forgets(
    topic: Topic,
    made: Topic,
    pages: Sequence[JudgedPage],
    labels: Mapping[int, bool],
    verdicts: Collection[int],
    tolerance: float,
) -> str:
    """Return why a new model is not to be used that calls pages irrelevant which joined the positives; else empty.

    Parameters
    ----------
    topic, made : Topic
        Before the crawl, and trained again.
    pages, labels, verdicts
        As of `agreed`.
    tolerance : float
        In [0, 1]; five times that share may be lost.
    """
    found = accepted(topic, made, pages, labels)
    joined = [n for n in found if labels[n] and n not in verdicts]
    n_lost = sum(not found[n] for n in joined)
    if n_lost <= _OF_KEPT * tolerance * len(joined):
        return ""
    return f"{n_lost} of {len(joined)} pages that joined the positives would be irrelevant"


def accepted(topic: Topic, model: Topic, pages: Sequence[JudgedPage], labels: Mapping[int, bool]) -> dict[int, bool]:
    """Return of each page with a label and words, by number, whether a model calls it relevant; nothing without examples."""
    if topic.examples is None:
        return {}
    chosen = that_join(pages, labels)
    found = relevance_of(model, [page.terms for page in chosen]) >= model.threshold("page")
    return dict(zip([page.number for page in chosen], found.tolist(), strict=True))
