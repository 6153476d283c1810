"""Says in words what `scrapy train --from-run` did: the new model, how it compares, what became of the verdicts."""

from __future__ import annotations

import shlex
from dataclasses import replace
from typing import TYPE_CHECKING

from focused.collection.verdict_words import about_not_fetched, contradictions
from focused.utils.words import quantity

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from focused.method.topic import Topic
    from focused.retraining.acceptance import AcceptanceFigures, Comparison
    from focused.retraining.run_labels import RunLabels

WOULD = "Nothing is written: this is what a training"
"""How the answer of a dry run begins."""
_N_NAMED = 5
_MANY_VERDICTS = 20
"""From so many on verdicts are believed against a topic's own examples without a warning."""
NOT_BY_ALL = "By the order of the pages and the recall it is not clearly worse"
"""The warning about a model that is accepted although other figures call it clearly worse."""


def would(topic: Topic, made: Topic, run_dir: Path, how: str, warning: str = "") -> str:
    """Say how a new model would judge, and what it would change, without writing it."""
    from focused.retraining.model_changes import changes
    from focused.retraining.model_changes import lines as changed_lines

    now, new = ((each.manifest.get("figures") or {}).get("f1") for each in (topic, made))
    of_examples = (
        []
        if new is None
        else [f"F1 of held-out examples {new:.3f}" + ("." if now is None else f"; of the topic as it is {now:.3f}.")]
    )
    if new is not None and now is not None and (made.manifest.get("retraining") or {}).get("n_drawn"):
        of_examples.append("Each is against unlabelled pages of its own, so these two cannot be compared.")
    return "\n".join(
        [
            f"{WOULD} of topic {topic.name} would do.",
            f"{how}.",
            *filter(None, [warning]),
            *of_examples,
            *changed_lines(changes(topic, made, run_dir)),
        ]
    )


def about_verdicts(made: Topic, n_judged: int, n_slips: int, run: RunLabels) -> list[str]:
    """Return what became of the verdicts."""
    found, lines = made.manifest["retraining"], list[str]()
    if n_judged:
        n_left = found.get("n_not_followed", 0)
        lines.append(
            f"Of {quantity(n_judged, 'pages')} that people judged {n_judged - n_left:,} stand on their side of the threshold, "
            f"which is {made.threshold('page'):.3f} ({found.get('n_put_right', 0):,} had to be put there)."
        )
        lines += [
            f"  not followed: {each['url']} ({'yes' if each['relevant'] else 'no'}): {each['why']}"
            for each in found.get("not_followed", [])[:_N_NAMED]
        ]
        if n_slips:
            lines.append(
                f"  {quantity(n_slips, 'verdicts')} were not learnt from: all other examples speak against them. "
                "Their own pages follow them all the same."
            )
    lines += contradictions(run.said)
    if about := about_not_fetched(run.n_not_fetched):
        lines.append(f"{about}; they are left out.")
    if run.n_without_words:
        lines.append(
            f"Of {quantity(run.n_without_words, 'pages')} with a verdict no words were kept; they are left out."
        )
    return lines


def where(directory: Path, kept: Path) -> list[str]:
    """Say where the new topic is, and how to have the former one back."""
    return [
        f"Saved in {directory}. The former topic is kept in {kept}; put it back with",
        f"  cp {shlex.quote(str(kept))}/* {shlex.quote(str(directory))}/",
    ]


def compared(found: Comparison, n_verdicts: int) -> str:
    """Say how the pages of both models are ordered."""
    judges = "the topic's own examples" + (f" and {n_verdicts} pages with a verdict" if n_verdicts else "")
    return (
        f"average precision {found.new:.3f} with the pages of the run, {found.first:.3f} without, on the same "
        f"examples, "
        f"kept from both ({judges})"
    )


def decided(new: AcceptanceFigures, first: AcceptanceFigures) -> str:
    """Say how both models decide."""
    return (
        f"on the topic's own examples, at the threshold, F1 {new.f1:.3f} and {first.f1:.3f}, recall {new.recall:.3f} "
        f"and "
        f"{first.recall:.3f}, Brier skill {new.skill:.3f} and {first.skill:.3f}"
    )


def compared_in_words(why: str, by_people: bool | None, errors: Mapping[str, int], otherwise: str) -> str:
    """Say whether a new model is worse, and by whose word: people's first; ``otherwise``: where their verdicts do not tell."""
    from focused.retraining.acceptance_by_people import errors_in_words

    if why:
        return f"It is worse ({why})"
    if not errors.get("n_judged"):
        return otherwise
    return f"{'It is better by what people say' if by_people else otherwise} ({errors_in_words(errors)})"


def why_examples_refuse(
    new: AcceptanceFigures, first: AcceptanceFigures, tolerance: float, errors: Mapping[str, int]
) -> str:
    """Return why a topic's own examples refuse a model that many verdicts do not call better; empty if they do not.

    A few verdicts may be all that is known of what the examples do not show; of many some would say so.
    """
    if errors.get("n_judged", 0) < _MANY_VERDICTS or errors["new"] < errors["first"]:
        return ""
    return _why_worse(new, first, tolerance)


def against_by_examples(
    new: AcceptanceFigures, first: AcceptanceFigures, tolerance: float, errors: Mapping[str, int]
) -> str:
    """Return a warning where a topic's own examples call a model worse that is accepted by a few verdicts; else empty.

    Where many verdicts speak for it there is none: they may widen a topic to what its examples do not show. A few cannot show
    that, and may as well have spoilt the model.
    """
    n_judged = errors.get("n_judged", 0)
    why = _why_worse(new, first, tolerance)
    if n_judged >= _MANY_VERDICTS or not why:
        return ""
    return (
        f"WARNING: by the topic's own examples it is clearly worse: {why}. It is accepted all the same, for verdicts may show "
        f"what the examples do not; but {quantity(n_judged, 'verdicts')} are few. Judge more pages and train again, or keep "
        "the former topic."
    )


def _why_worse(new: AcceptanceFigures, first: AcceptanceFigures, tolerance: float) -> str:
    """Return why a topic's own examples call a model clearly worse; empty if they do not.

    Relevances move with what verdicts teach, so the Brier skill falls with the best of them, too: it is not compared.
    """
    return replace(new, skill=first.skill).why_worse(first, tolerance)


def verdict_on(found: Comparison, new: AcceptanceFigures, first: AcceptanceFigures, widens: bool) -> str:
    """Say how much better or worse a new model is, in words."""
    pairs = [(found.new, found.first), (new.recall, first.recall)]
    if not widens:
        pairs += [(new.f1, first.f1), (new.skill, first.skill)]
    return "It is not worse" if all(a >= b for a, b in pairs) else "It is not clearly worse"
