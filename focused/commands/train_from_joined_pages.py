"""``scrapy train TOPIC --from-run RUN_DIR`` of a crawl whose pages joined the examples of its topic."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from focused.commands.train_from_run_words import (
    NOT_BY_ALL,
    about_verdicts,
    against_by_examples,
    compared,
    compared_in_words,
    decided,
    verdict_on,
    why_examples_refuse,
    would,
)
from focused.commands.train_put_in_place import NothingNewError, put_in_place
from focused.utils.file_names import RETRAINING_FILE
from focused.utils.words import quantity

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from pathlib import Path

    from focused.method.topic import Topic
    from focused.retraining.acceptance import AcceptanceFigures, Comparison
    from focused.retraining.run_labels import RunLabels
    from focused.retraining.training import Retraining


@dataclass(frozen=True)
class _Labels:
    """What a topic learns from a run: labels, by the numbers of the pages."""

    new: dict[int, bool]
    """Labels of pages that the topic does not know with this label."""
    joining: frozenset[int]
    """Those of them that have words, so that they join."""
    by_people: frozenset[int]
    """Those of the joining ones whose labels people gave."""
    told: dict[int, bool]
    """Verdicts on pages that the topic knows with this label. They are put on their side, and do not join twice."""
    slips: dict[int, bool]
    """Verdicts that are not learnt from: they are probably wrong."""
    n_known: int
    """Pages that the topic knows with the label that they have in the run."""

    @property
    def n_positive(self) -> int:
        return sum(self.new[number] for number in self.joining)

    @property
    def n_negative(self) -> int:
        return len(self.joining) - self.n_positive

    @property
    def widens(self) -> bool:
        from focused.retraining.acceptance import mostly_verdicts

        return mostly_verdicts(self.new, self.by_people)

    def without(self, slips: Collection[int]) -> _Labels:
        return replace(
            self,
            new={number: label for number, label in self.new.items() if number not in slips},
            joining=self.joining - set(slips),
            by_people=self.by_people - set(slips),
            slips={number: self.new[number] for number in slips},
        )


class _Judgement(NamedTuple):
    """How a new model stands against the topic's own."""

    why_worse: str
    """Empty if it is not worse."""
    warning: str
    how: str
    figures: str


def train_from_joined_pages(
    topic: Topic,
    run: RunLabels,
    run_dir: Path,
    models_dir: Path,
    say: Callable[[str], None],
    *,
    tolerance: float,
    force: bool,
    dry_run: bool,
) -> str:
    """Train a topic from its examples and the pages that joined.

    Arguments and errors are those of `focused.commands.train_from_run.train_from_run`.
    """
    from focused.retraining.acceptance import acceptance_figures
    from focused.retraining.assumed_positives import with_assumed_positives
    from focused.retraining.judged_pages import pages_to_learn_from
    from focused.retraining.training import Retraining

    topic = with_assumed_positives(topic)
    labels = _labels_of(topic, run)
    random_state = int(topic.manifest.get("random_state") or 0)
    retraining = Retraining(topic, pages_to_learn_from(run.pages, labels.new | labels.told), random_state=random_state)
    if not labels.joining and all(retraining.accepted_before[number] is label for number, label in labels.told.items()):
        raise NothingNewError(
            f"Nothing new was learnt in {run_dir}: what version {run.version} was learnt from "
            f"({quantity(labels.n_known, 'pages')}) "
            f"is among the examples of topic {topic.name!r} already, with the same labels. The topic stays as it is."
        )
    say("Comparing with the topic as it is, on examples kept from both")
    believed = retraining.without_label_noise(labels.new, labels.by_people)
    labels = labels.without([number for number in labels.new if number not in believed])
    found = retraining.compare(labels.new, {}, labels.by_people)
    first = acceptance_figures(retraining.train({}))
    made = _trained(retraining, labels, found, run, run_dir, say)
    new = acceptance_figures(made)
    made.manifest["retraining"]["decisions"] = {"new": new.rounded(), "first": first.rounded()}
    judgement = _judgement(retraining, made, labels, found, new, first, tolerance)
    if dry_run:
        return would(topic, made, run_dir, f"{judgement.how}: {judgement.figures}", judgement.warning)
    if judgement.why_worse and not force:
        raise ValueError(
            f"Topic {topic.name!r} stays as it is, for the new model is worse: {judgement.why_worse}. Compared: "
            f"{judgement.figures}. Take it all the same with --force; the former topic is kept."
        )
    last_lines = put_in_place(topic, made, run_dir, models_dir)
    return "\n".join(_lines(made, labels, judgement, run, run_dir, last_lines))


def _labels_of(topic: Topic, run: RunLabels) -> _Labels:
    """Return the labels of a run, those apart of pages that the topic knows."""
    from focused.retraining.augmentation import known_pages
    from focused.retraining.judged_pages import pages_to_learn_from

    known = set() if topic.examples is None else known_pages(topic.examples, run.pages, run.labels)
    labels = {number: label for number, label in run.labels.items() if number not in known}
    joined = pages_to_learn_from(run.pages, labels)
    # Of versions before: that a page has a verdict shows where the label is not what its relevance said.
    people = (page.number for page in joined if page.number in run.verdicts or page.joins is not labels[page.number])
    # An unlabelled page is not one that somebody has refused: it stands where people put it.
    told = {number: label for number, label in run.verdicts.items() if number in known}
    return _Labels(labels, frozenset(page.number for page in joined), frozenset(people), told, {}, len(known))


def _trained(
    retraining: Retraining,
    labels: _Labels,
    found: Comparison,
    run: RunLabels,
    run_dir: Path,
    say: Callable[[str], None],
) -> Topic:
    from focused.retraining.run_labels import RUN_MODEL

    about: dict[str, Any] = {
        "from_run": run_dir.name,
        "version": run.version,
        "n_positive": labels.n_positive,
        "n_negative": labels.n_negative,
        "n_verdicts": len(labels.by_people),
        "n_known": labels.n_known,
        "held_out": {"new": round(found.new, 6), "first": round(found.first, 6)},
        RUN_MODEL: run.model_sha256,
    }
    return retraining.train(
        labels.new,
        labels.by_people,
        about=about,
        widens=labels.widens,
        slips=labels.slips,
        told=labels.told,
        say=say,
    )


def _judgement(
    retraining: Retraining,
    made: Topic,
    labels: _Labels,
    found: Comparison,
    new: AcceptanceFigures,
    first: AcceptanceFigures,
    tolerance: float,
) -> _Judgement:
    """Judge a new model by what people say, where that tells, and otherwise by all that is known."""
    from focused.retraining.acceptance import why_forgets
    from focused.retraining.acceptance_by_people import errors_in_words, verdicts_decide

    errors = made.manifest["retraining"].get("errors_on_verdicts", {})
    is_assumed = labels.widens and bool(retraining.topic.keyword_terms)
    by_people = verdicts_decide(errors, is_assumed=is_assumed)
    if by_people is None:
        why = (
            found.why_worse(tolerance)
            or new.why_worse(first, tolerance, widens=labels.widens, is_assumed=is_assumed)
            or why_forgets(retraining.accepted(made), labels.new, labels.by_people, tolerance)
            or ("" if is_assumed else why_examples_refuse(new, first, tolerance, errors))
        )
    else:
        why = "" if by_people else errors_in_words(errors)
    warning = "" if why or is_assumed else against_by_examples(new, first, tolerance, errors)
    otherwise = NOT_BY_ALL if warning else verdict_on(found, new, first, labels.widens)
    how = compared_in_words(why, by_people, errors, otherwise)
    return _Judgement(why, warning, how, f"{compared(found, len(labels.by_people))}; {decided(new, first)}")


def _lines(
    made: Topic, labels: _Labels, judgement: _Judgement, run: RunLabels, run_dir: Path, last_lines: list[str]
) -> list[str]:
    """Return what is said of a topic that was trained again."""
    from focused.retraining.versions import FIRST

    source = f"as in version {run.version}" if run.version != FIRST else "by verdicts on pages"
    trained = (
        f"Topic {made.name} is trained again: {quantity(labels.n_positive, 'positives')} and "
        f"{quantity(labels.n_negative, 'negatives')} joined, {source} of {run_dir}."
    )
    if labels.n_known:
        trained += f" Known already, and not joined again: {quantity(labels.n_known, 'pages')}."
    figures = made.manifest["figures"]
    n_judged = len(labels.by_people) + len(labels.slips) + len(labels.told)
    lines = [
        trained,
        f"{judgement.how}: {judgement.figures}.",
        # The command that puts the former topic back stands at the end.
        *([f"{judgement.warning} Below is how to have that back."] if judgement.warning else []),
        f"F1 of held-out examples {figures['f1']:.3f} ({figures['f1_low']:.3f} to {figures['f1_high']:.3f}), with "
        f"{figures['prior']:.1%} of the pages relevant.",
        *about_verdicts(made, n_judged, len(labels.slips), run),
        *last_lines,
    ]
    if run.n_bad:
        lines.append(f"{run.n_bad} lines of {RETRAINING_FILE} could not be read and are left out.")
    return lines
