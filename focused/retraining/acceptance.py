"""Whether a model that is trained again decides worse: which pages it calls relevant, and how probable it holds them.

Average precision sees the order of pages only. A model may keep the order and call hardly any page relevant.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from focused.method.topic import Topic

# How much may be lost, as multiples of the tolerance of average precision: thirty positives tell recall in steps of 0.033.
_OF_F1, _OF_RECALL, _OF_SKILL, _OF_KEPT = 2.5, 5.0, 5.0, 5.0


@dataclass(frozen=True)
class AcceptanceFigures:
    """How well a model decides about the topic's own examples, each held out.

    Figures of two models can be compared where both have the same examples and the same share of relevant pages.
    `focused.retraining.training.Retraining` makes such models.
    """

    #: At the model's threshold, in [0, 1].
    recall: float
    f1: float
    #: 1 - Brier score / (pi (1 - pi)): 1 without an error, 0 where every page has the relevance pi. Chance
    #: may take the estimate above 1.
    skill: float

    def why_worse(self, first: AcceptanceFigures, tolerance: float, *, widens: bool = False) -> str:
        """Return why a new model is not to be used; empty if it may be (docs/method/, D64).

        Parameters
        ----------
        first : AcceptanceFigures
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

    def rounded(self) -> dict[str, float]:
        """Return the figures by name, for a file."""
        return {name: round(value, 6) for name, value in asdict(self).items()}


def mostly_verdicts(labels: Collection[int], verdicts: Collection[int]) -> bool:
    """Return whether at least half of the pages that joined have a verdict; both by number."""
    return len(labels) > 0 and 2 * len(verdicts) >= len(labels)


def acceptance_figures(topic: Topic) -> AcceptanceFigures:
    """Return how well a topic's model decides, from the figures of its training by `Retraining`."""
    figures = topic.manifest["figures"]
    prior = float(figures["prior"])
    return AcceptanceFigures(figures["recall"], figures["f1"], 1 - figures["brier"] / (prior * (1 - prior)))


def without_contradicted(
    accepted: Mapping[int, bool], labels: Mapping[int, bool], verdicts: Collection[int]
) -> dict[int, bool]:
    """Return the labels without those by relevance that the topic's own model contradicts.

    A model that has learnt from the crawl gives the relevances by which pages join. Without this its errors would
    confirm themselves (docs/method/, D67).

    Parameters
    ----------
    accepted : mapping
        Of a page's number: whether the topic's own model, as it was before the crawl, calls the page relevant.
    labels : mapping
        Of a page's number: whether it is relevant.
    verdicts : collection of int
        Numbers of the pages whose label is a verdict; these stay.
    """
    return {n: label for n, label in labels.items() if n in verdicts or accepted.get(n, label) == label}


def why_forgets(
    accepted: Mapping[int, bool], labels: Mapping[int, bool], verdicts: Collection[int], tolerance: float
) -> str:
    """Return why a new model is not to be used that calls pages irrelevant which joined the positives; else empty.

    Parameters
    ----------
    accepted : mapping
        Of a page's number: whether the new model calls the page relevant.
    labels, verdicts
        As of `without_contradicted`.
    tolerance : float
        In [0, 1]; five times that share may be lost.
    """
    joined = [n for n in accepted if labels.get(n) and n not in verdicts]
    n_lost = sum(not accepted[n] for n in joined)
    if n_lost <= _OF_KEPT * tolerance * len(joined):
        return ""
    return f"{n_lost} of {len(joined)} pages that joined the positives would be irrelevant"
