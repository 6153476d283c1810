"""Trains a topic again from its examples and the pages of a crawl that joined."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from focused.method.learning.training import PageMarks, ShareRule, TermRule, ThresholdRule, train_topic
from focused.method.topic.counted import relevance_of_counts
from focused.method.training.example_warnings import no_known_word
from focused.retraining.acceptance import N_PARTS, Comparison, HeldOutExamples, parts_of
from focused.retraining.augmentation import (
    AugmentedExamples,
    columns_of,
    links_of,
    with_terms,
    with_vectors,
)
from focused.retraining.judged_sides import correct_by_verdicts
from focused.retraining.label_noise import probably_wrong
from focused.retraining.new_subtopic import may_be_of_subtopic
from focused.retraining.retrained_topic import with_model
from focused.utils.words import quantity

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from focused.method.topic import Topic, TopicExamples
    from focused.retraining.judged_pages import JudgedPage

_N_FOLDS = 5
Labels = Mapping[int, bool]
"""Whether pages are relevant, by their numbers."""
_LEAST_KEPT, _MOST_KEPT = 0.4, 0.5
_N_NAMED = 3


class Retraining:
    """Trains a topic again with labels of a crawl's pages, and compares what comes of it. The topic stays as it is.

    The matrix of the topic's examples and of all pages that may have a label is built once; each training and comparison
    cuts its rows out of it. Labels are of the pages' numbers; ``verdicts`` are the numbers of those that people have given.

    Raises
    ------
    ValueError
        If the topic has no examples.
    """

    def __init__(self, topic: Topic, pages: Sequence[JudgedPage], *, random_state: int = 0) -> None:
        if topic.examples is None:
            raise ValueError(f"Topic {topic.name!r} has no examples that it could be trained again from.")
        self.topic = topic
        self._own = topic.examples
        self._learner = topic.learner
        self._examples = AugmentedExamples(topic.examples, pages)
        self._random_state = random_state

    def accepted(self, model: Topic) -> dict[int, bool]:
        """Return whether a model calls a page relevant, by the numbers of the pages with words."""
        terms, counts = self._examples.counts()
        found = relevance_of_counts(model, terms, counts, "page") >= model.threshold("page")
        return dict(zip([page.number for page in self._examples.pages], found.tolist(), strict=True))

    @cached_property
    def accepted_before(self) -> dict[int, bool]:
        """Whether the topic's own model calls a page relevant, by the numbers of the pages with words."""
        return self.accepted(self.topic)

    def joined(self, labels: Labels) -> list[JudgedPage]:
        """Return the pages that join with some labels."""
        return [page for page in self._examples.pages if page.number in labels]

    def new_subtopic(self, labels: Labels, verdicts: Collection[int]) -> set[int]:
        """Return the numbers of the pages that people want and that the topic's own model calls irrelevant."""
        return {n for n in verdicts if labels.get(n) and not self.accepted_before.get(n, True)}

    def without_label_noise(self, labels: Labels, verdicts: Collection[int]) -> dict[int, bool]:
        """Return the labels without the verdicts that all other examples speak against; parameters as of `compare`."""
        examples, numbers = self._examples.with_labels(labels), self._examples.numbers(labels)
        part = np.full(examples.pages.shape[0], -1)
        part[self._examples.n_own :] = [n % N_PARTS if n in verdicts else -1 for n in numbers]
        found = probably_wrong(self._learner, examples.pages, examples.positive, part, self._random_state)
        left_out = {numbers[row] for row in np.flatnonzero(found[self._examples.n_own :]).tolist()}
        return {number: label for number, label in labels.items() if number not in left_out}

    def compare(self, labels: Labels, in_use: Labels, verdicts: Collection[int]) -> Comparison:
        """Compare what is learnt with new labels, with those of the model in use, and without any page of the crawl.

        Judged are the topic's own examples and, by what people say of them, the pages with a verdict. Each is judged in
        the third that it is kept apart in, drawn with the seed. Pages that joined by their relevance judge no model: they
        joined because the model in use is right about them. Nor do unlabelled pages that may belong to a new subtopic
        (`focused.retraining.new_subtopic`): they are no errors of a model that finds that subtopic.
        """
        of_any = {**in_use, **labels}
        examples, numbers = self._examples.with_labels(of_any), self._examples.numbers(of_any)
        own = self._own.positive.astype(np.int8)
        of_pages = [n % N_PARTS if n in verdicts else -1 for n in numbers]
        part = np.concatenate([parts_of(self._own.positive, self._random_state), np.array(of_pages, dtype=np.int64)])
        of_new = self._left_aside(examples, numbers, self.new_subtopic(labels, verdicts))
        of_in_use = self._left_aside(examples, numbers, self.new_subtopic(in_use, verdicts))
        part[of_new | of_in_use] = -1
        held_out = HeldOutExamples(self._learner, examples.pages, examples.positive, part, self._random_state)

        def score(with_labels: Labels, aside: npt.NDArray[np.bool_]) -> float:
            joined = np.array([int(with_labels[n]) if n in with_labels else -1 for n in numbers], dtype=np.int8)
            trained = np.concatenate([own, joined])
            trained[aside] = -1
            return held_out.average_precision(trained)

        first = score({}, np.zeros_like(of_new))
        return Comparison(score(labels, of_new), first if not in_use else score(in_use, of_in_use), first)

    def train(
        self,
        labels: Labels,
        verdicts: Collection[int] = (),
        *,
        about: Mapping[str, Any] | None = None,
        widens: bool = False,
        slips: Labels | None = None,
        told: Labels | None = None,
        threshold: float | None = None,
        say: Callable[[str], None] = lambda _: None,
    ) -> Topic:
        """Train the topic again and return it.

        Parameters
        ----------
        about : mapping, optional
            What the manifest says of it, under ``retraining``. How many pages of a new subtopic there are is added, and how
            many unlabelled pages are left aside for them.
        widens : bool
            Whether `mostly_verdicts` joined: people may have made another topic of it. The share of relevant pages is then
            estimated anew, still from the topic's own examples.
        slips : mapping, optional
            Verdicts that are not learnt from, for they are probably wrong (`without_label_noise`). Their pages are put on
            their side, and nothing else is concluded from them.
        told : mapping, optional
            Verdicts on pages that are among the topic's own examples already, with this label. They are put on their side.
        threshold : float, optional
            Relevance from which a crawl calls pages relevant, in (0, 1), if its settings say so.
        say : callable
            Told what begins.

        Raises
        ------
        ValueError
            If nothing can be learnt.
        """
        n_own = self._examples.n_own
        said = {n: labels[n] for n in verdicts if n in labels} | dict(slips or {}) | dict(told or {})
        examples = self._examples.with_labels(labels)
        n_positive = int(examples.positive.sum())
        say(f"Learning from {n_positive:,} positives and {len(examples.positive) - n_positive:,} other pages")
        wanted = self.new_subtopic(labels, verdicts)
        aside = self._left_aside(examples, self._examples.numbers(labels), wanted)
        examples = with_terms(examples, self.topic.named_terms)
        wide, term_vectors = with_vectors(examples, self.topic)
        model = train_topic(
            wide.pages,
            wide.positive,
            link_examples=links_of(wide),
            learner=self._learner,
            terms=TermRule(columns_of(wide, self.topic.named_terms), vectors=term_vectors),
            marks=PageMarks(
                # What a focused crawl meets is no draw from the web: it would move the share of relevant pages, and with
                # that every relevance, down with each training (docs/method/, D67).
                learnt_only=np.arange(len(examples.positive)) >= n_own,
                left_aside=aside,
                verdicts=self._verdicts_of(examples, labels, verdicts),
            ),
            share=_share_rule(self.topic, widens=widens),
            threshold=ThresholdRule(kept_threshold=threshold or kept_threshold(self.topic) if said else None),
            n_folds=_N_FOLDS,
            random_state=self._random_state,
        )
        if model.left_out:
            say(_without_words(model.left_out, n_own, [page.url for page in self.joined(labels)]))
        added: dict[str, Any] = {"n_new_subtopic": len(wanted), "n_left_aside": int(aside.sum())}
        if said:
            assert model.held_out_log_odds is not None
            log_odds = dict(zip(self._examples.numbers(labels), model.held_out_log_odds[n_own:].tolist(), strict=True))
            judged, counts = self._examples.counts_in(wide.terms, said)
            found = correct_by_verdicts(
                model,
                counts,
                judged,
                said,
                accepted_before=self.accepted_before,
                held_out_log_odds=np.array([log_odds.get(page.number, np.nan) for page in judged]),
                is_asked=np.array([page.number not in (told or {}) for page in judged], dtype=np.bool_),
            )
            model = found.model
            added |= found.described()
        return with_model(self.topic, model, wide.terms, examples, {**(about or {}), **added})

    def _verdicts_of(
        self, examples: TopicExamples, labels: Labels, verdicts: Collection[int]
    ) -> npt.NDArray[np.float64] | None:
        """Return what people say of the examples, as `train_topic` wants it; None if they say nothing."""
        is_said = [n in verdicts for n in self._examples.numbers(labels)]
        found = np.full(len(examples.positive), np.nan)
        found[self._examples.n_own :] = np.where(is_said, examples.positive[self._examples.n_own :], np.nan)
        return found if any(is_said) else None

    def _left_aside(self, examples: TopicExamples, numbers: list[int], subtopic: set[int]) -> npt.NDArray[np.bool_]:
        """Return which unlabelled examples are not learnt from; shape (n_examples,).

        These may belong to a new subtopic, or they are pages of the crawl again that joined as relevant ones.
        """
        n_own = self._examples.n_own
        rows = n_own + np.flatnonzero([n in subtopic for n in numbers])
        found = may_be_of_subtopic(examples, n_own, rows, self._random_state)
        joined = {n for n, wanted in zip(numbers, examples.positive[n_own:].tolist(), strict=True) if wanted}
        found[:n_own] |= self._examples.unlabeled_again(joined)
        return found


def _share_rule(topic: Topic, *, widens: bool) -> ShareRule:
    """Return how a new model comes by the share of relevant pages: the topic's own, or estimated anew if it `widens`."""
    figures = topic.manifest.get("figures", {})
    prior = float(figures["prior"]) if figures else None
    return ShareRule(
        assumed=prior if figures.get("prior_is_assumed") else None,
        # Unlabelled pages that an earlier crawl met are no draw from the web: those that looked relevant were left aside.
        known=None if widens and not _is_against_met(topic) else prior,
    )


def _is_against_met(topic: Topic) -> bool:
    """Tell whether the unlabelled pages of a topic are those that a crawl met."""
    return "from_run" in topic.manifest.get("examples", {}).get("unlabeled", {})


def _without_words(rows: Sequence[int], n_own: int, urls: Sequence[str]) -> str:
    """Return which positives hold no known word; the topic's own examples are only counted, as their URLs are not kept."""
    joined = [urls[row - n_own] for row in rows if row >= n_own]
    of_topic = len(rows) - len(joined)
    named = [*joined[:_N_NAMED], *([f"{quantity(of_topic, 'pages')} of the topic's own examples"] if of_topic else [])]
    if len(joined) > _N_NAMED:
        named.append(f"{len(joined) - _N_NAMED} more of the crawl")
    return no_known_word(len(rows), ", ".join(named))


def kept_threshold(topic: Topic) -> float:
    """Return the threshold of a model that learns from verdicts: the one that the topic had before, within bounds.

    Verdicts correct the relevances, which are probabilities. A threshold that is chosen anew each time moves by chance as
    far as the verdicts move it. The best threshold of true probabilities is half of the best F1, so it is never above 1/2.
    """
    before = topic.threshold("page") if "page" in topic.model.calibrations else _MOST_KEPT
    return min(max(before, _LEAST_KEPT), _MOST_KEPT)
