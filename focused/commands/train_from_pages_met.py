"""``scrapy train TOPIC --from-run RUN_DIR`` of a crawl that trained its topic against the pages that it met."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

from focused.commands.train_from_run_words import about_verdicts, compared_in_words, would
from focused.commands.train_put_in_place import NothingNewError, put_in_place
from focused.method.topic.names import LOOKED_AROUND
from focused.utils.words import quantity

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from focused.method.topic import Topic
    from focused.retraining.run_labels import RunLabels


def train_from_pages_met(
    topic: Topic,
    run: RunLabels,
    run_dir: Path,
    models_dir: Path,
    say: Callable[[str], None],
    *,
    force: bool,
    dry_run: bool,
) -> str:
    """Train a topic for good against the pages that a crawl met: from now on they are its own unlabelled pages.

    Arguments and errors are those of `focused.commands.train_from_run.train_from_run`.
    """
    from focused.retraining.acceptance_by_people import verdicts_decide, why_met_refused
    from focused.retraining.against_met import train_against_met
    from focused.retraining.run_labels import RUN_MODEL

    about: dict[str, Any] = {"from_run": run_dir.name, "version": run.version, "n_verdicts": len(run.labels)}
    about |= {RUN_MODEL: run.model_sha256, "learnt_from": _digest(run)}
    before = topic.manifest.get("retraining") or {}
    if all(before.get(name) == about[name] for name in ("from_run", RUN_MODEL, "learnt_from")):
        raise NothingNewError(
            f"Nothing new was learnt in {run_dir}: topic {topic.name!r} has been trained against its "
            f"{quantity(len(run.pages), 'pages')}, with the same verdicts. The topic stays as it is."
        )
    say(f"Learning from {quantity(len(run.pages), 'pages')} that the crawl met")
    random_state = int(topic.manifest.get("random_state") or 0)
    made = train_against_met(topic, run.pages, run.labels, about=about, is_for_good=True, random_state=random_state)
    errors = made.manifest["retraining"].get("errors_on_verdicts", {})
    why = why_met_refused(made, topic, topic, is_for_good=True)
    how = compared_in_words(why, verdicts_decide(errors), errors, "It is not clearly worse")
    if dry_run:
        return would(topic, made, run_dir, how)
    if why and not force:
        raise ValueError(
            f"Topic {topic.name!r} stays as it is, for the new model is worse: {why}. Take it all the "
            "same with --force; the former topic is kept."
        )
    assert made.examples is not None
    n_unlabeled = int((~made.examples.positive).sum())
    others = ("background", LOOKED_AROUND)
    examples = {name: value for name, value in made.manifest["examples"].items() if name not in others}
    made.manifest["examples"] = examples | {"unlabeled": {"n_pages": n_unlabeled, "from_run": run_dir.name}}
    last_lines = put_in_place(topic, made, run_dir, models_dir)
    retraining = made.manifest["retraining"]
    return "\n".join(
        [
            f"Topic {topic.name} is trained again, against {n_unlabeled:,} pages that {run_dir} met "
            f"({retraining['n_drawn']:,} of them drawn, {retraining['n_left_aside']:,} left aside). Its crawls begin with "
            "what is known of that web, and look around no more.",
            f"{how}.",
            _share_of_relevant(made),
            *about_verdicts(made, len(run.labels), retraining.get("n_label_noise", 0), run),
            *last_lines,
        ]
    )


def _share_of_relevant(made: Topic) -> str:
    """Say how many of the pages met are relevant: as the crawl itself says it, where its harvest is known.

    The prior that relevances are calibrated to lies below it (docs/method/, D92).
    """
    if made.keyword_terms:
        return "How many of the pages met are relevant is not known: the topic is made from words."
    if harvest := made.manifest["retraining"].get("harvest"):
        interval = f"{harvest['low']:.0%} to {harvest['high']:.0%} by the model's own reckoning"
        return f"About {harvest['share']:.0%} of the pages met are relevant: {interval}."
    return f"{made.manifest['figures']['prior']:.1%} of the pages met are relevant, by estimate."


def _digest(run: RunLabels) -> str:
    """Return what tells whether a run teaches the same again: its pages, and what people say of them."""
    learnt = [[page.number, page.url, run.labels.get(page.number)] for page in run.pages]
    return hashlib.sha256(json.dumps(learnt).encode()).hexdigest()
