"""Train a topic again from its examples and the pages of a crawl that joined."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from focused.method.learning.training import train_topic
from focused.retraining.augmentation import enlarge, links_of
from focused.retraining.held_out import N_PARTS, held_out_score, parts_of
from focused.retraining.judged_pages import that_join
from focused.retraining.label_noise import doubtful
from focused.retraining.new_subtopic import new_side, resembling
from focused.utils.words import quantity

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from focused.method.learning.trained_model import TrainedModel
    from focused.method.topic import Topic, TopicExamples
    from focused.retraining.judged_pages import JudgedPage

N_FOLDS = 5
_N_NAMED = 3
OF_MODEL = ("intercept", "sublinear_tf", "calibrations")
"""What the manifest says of the model is that of the new one, and written when the topic is."""
Labels = Mapping[int, bool]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Comparison:
    """Average precision on held-out examples, in [0, 1]."""

    new: float
    in_use: float
    first: float

    def why_worse(self, tolerance: float) -> str:
        """Return why a new model is not to be used; empty if it may be."""
        best = max(self.in_use, self.first)
        if self.new >= best - tolerance:
            return ""
        which = "in use" if self.in_use >= self.first else "before the crawl"
        return f"average precision {self.new:.3f} on held-out examples; of the model {which} {best:.3f}"


def without_doubtful(
    topic: Topic, pages: Sequence[JudgedPage], labels: Labels, verdicts: Collection[int], *, random_state: int = 0
) -> dict[int, bool]:
    """Return the labels without the verdicts that all other examples speak against.

    Parameters and errors as in `compare`.
    """
    examples = enlarge(_examples_of(topic), pages, labels)
    numbers = [page.number for page in that_join(pages, labels)]
    part = np.full(examples.pages.shape[0], -1)
    part[-len(numbers) or len(part) :] = [n % N_PARTS if n in verdicts else -1 for n in numbers]
    found = doubtful(topic.manifest["learner"], examples.pages, examples.positive, part, random_state)
    left_out = {numbers[row] for row in (np.flatnonzero(found) - (len(part) - len(numbers))).tolist()}
    return {number: label for number, label in labels.items() if number not in left_out}


def compare(
    topic: Topic,
    pages: Sequence[JudgedPage],
    labels: Labels,
    in_use: Labels,
    verdicts: Collection[int],
    *,
    random_state: int = 0,
) -> Comparison:
    """Compare what is learnt with new labels, with those of the model in use, and without any page of the crawl.

    A worse model is not used (docs/method/, D64).

    Judged are the topic's own examples and, by what people say of them, the pages with a verdict: each in the third that
    it is kept apart in, drawn with the seed. Pages that joined by their relevance judge nobody: that the model in use is
    right about them is why they joined. Nor do unlabelled pages that may belong to a new side of the topic
    (`focused.retraining.new_subtopic`): they are no errors of a model that finds that side.

    Parameters
    ----------
    topic : Topic
        With examples.
    pages : sequence of JudgedPage
    labels, in_use : mapping
        Of a page's number: whether it is relevant.
    verdicts : collection of int
        Numbers of the pages in `labels` whose label is a verdict.
    random_state : int
    """
    examples = _examples_of(topic)
    wide = enlarge(examples, pages, {**in_use, **labels})
    numbers = np.array([page.number for page in that_join(pages, {**in_use, **labels})], dtype=int)
    n_own = examples.pages.shape[0]
    own = examples.positive.astype(np.int8)
    part = np.concatenate([parts_of(examples.positive, random_state), np.full(len(numbers), -1)])
    for row, number in enumerate(numbers.tolist()):
        if number in verdicts:
            part[n_own + row] = number % N_PARTS

    def left_aside(with_labels: Labels) -> Flags:
        wanted = new_side(topic, pages, with_labels, verdicts)
        side = n_own + np.flatnonzero(np.isin(numbers, list(wanted)))
        return resembling(wide, n_own, side, random_state)

    def score(with_labels: Labels, aside: Flags) -> float:
        joined = np.array([int(with_labels[n]) if n in with_labels else -1 for n in numbers.tolist()], dtype=np.int8)
        trained = np.concatenate([own, joined])
        trained[aside] = -1
        return held_out_score(topic.manifest["learner"], wide.pages, wide.positive, part, trained, random_state)

    of_new, of_in_use = left_aside(labels), left_aside(in_use)
    part[of_new | of_in_use] = -1
    first = score({}, np.zeros_like(of_new))
    return Comparison(score(labels, of_new), first if not in_use else score(in_use, of_in_use), first)


def retrain(
    topic: Topic,
    pages: Sequence[JudgedPage],
    labels: Labels,
    *,
    about: dict[str, Any],
    verdicts: Collection[int] = (),
    widens: bool = False,
    random_state: int = 0,
    say: Callable[[str], None] = lambda _: None,
) -> Topic:
    """Train a topic again and return it; the given one stays as it is.

    Parameters
    ----------
    topic : Topic
        With examples.
    pages : sequence of JudgedPage
    labels : mapping
        Of a page's number: whether it is relevant.
    about : dict
        What the manifest says of it, under ``adaptation``; the numbers of pages of a new side, and of unlabelled pages that
        are left aside for them, are added.
    verdicts : collection of int
        Numbers of the pages in `labels` whose label is a verdict.
    widens : bool
        Whether `mostly_verdicts` joined: people may have made another topic of it. The share of relevant pages is then
        estimated anew, still from the topic's own examples.
    random_state : int
    say : callable
        Told what begins.

    Raises
    ------
    ValueError
        If nothing can be learnt.
    """
    own = _examples_of(topic)
    examples = enlarge(own, pages, labels)
    say(f"Learning from {int(examples.positive.sum()):,} positives and {int((~examples.positive).sum()):,} other pages")
    figures = topic.manifest.get("figures", {})
    prior = float(figures["prior"]) if figures else None
    is_assumed = bool(figures.get("prior_is_assumed"))
    wanted = new_side(topic, pages, labels, verdicts)
    numbers = [page.number for page in that_join(pages, labels)]
    side = len(own.positive) + np.flatnonzero(np.isin(numbers, list(wanted)))
    aside = resembling(examples, len(own.positive), side, random_state)
    about = {**about, "n_new_side": len(wanted), "n_left_aside": int(aside.sum())}
    model = train_topic(
        examples.pages,
        examples.positive,
        link_examples=links_of(examples),
        learner=topic.manifest["learner"],
        background_prior=prior if is_assumed else None,
        links_are_met=True,
        # What a focused crawl meets is no draw from the web: it would move the share of relevant pages, and with that
        # every relevance, down with each training (docs/method/, D67).
        learnt_only=np.arange(len(examples.positive)) >= len(own.positive),
        known_prior=None if widens else prior,
        left_aside=aside,
        n_folds=N_FOLDS,
        random_state=random_state,
    )
    if model.left_out:
        say(_without_words(model.left_out, len(own.positive), [page.url for page in that_join(pages, labels)]))
    return _with_model(topic, model, examples, about)


def _without_words(rows: Sequence[int], n_own: int, urls: Sequence[str]) -> str:
    """Return which positives hold no known word; of a topic's own examples no addresses are kept."""
    joined = [urls[row - n_own] for row in rows if row >= n_own]
    of_topic = len(rows) - len(joined)
    named = [*joined[:_N_NAMED], *([f"{quantity(of_topic, 'pages')} of the topic's own examples"] if of_topic else [])]
    if len(joined) > _N_NAMED:
        named.append(f"{len(joined) - _N_NAMED} more of the crawl")
    n = len(rows)
    return (
        f"{quantity(n, 'pages')} of the positives {'holds' if n == 1 else 'hold'} no known word, that is, none that several "
        f"pages hold, and {'is' if n == 1 else 'are'} left out: {', '.join(named)}"
    )


def _examples_of(topic: Topic) -> TopicExamples:
    examples = topic.examples
    if examples is None:
        raise ValueError(f"Topic {topic.name!r} has no examples that it could be trained again from.")
    return examples


def _with_model(topic: Topic, model: TrainedModel, examples: TopicExamples, about: dict[str, Any]) -> Topic:
    made = replace(topic, model=model, directory=None)
    made.terms = [examples.terms[column] for column in model.term_indices.tolist()]
    made.examples = examples
    strongest = [
        [[examples.terms[column], round(weight, 4)] for column, weight in terms]
        for terms in (model.positive_terms, model.negative_terms)
    ]
    made.manifest = {
        **{key: value for key, value in topic.manifest.items() if key not in OF_MODEL},
        "figures": asdict(model.figures),
        "learning_curve": None,
        "terms_for": strongest[0],
        "terms_against": strongest[1],
        "adaptation": {**about, "from_model_sha256": topic.model_sha256},
    }
    return made
