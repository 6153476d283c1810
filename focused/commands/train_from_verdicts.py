"""Replaces a topic from words by one from examples: the pages that people judged relevant."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from focused.commands.train_from_run_words import about_verdicts, would
from focused.commands.train_put_in_place import put_in_place
from focused.utils.words import quantity

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from focused.method.topic import Topic
    from focused.retraining.run_labels import RunLabels


def train_from_verdicts(
    topic: Topic, run: RunLabels, run_dir: Path, models_dir: Path, say: Callable[[str], None], *, dry_run: bool
) -> str:
    """Train a topic from words that has enough such pages; arguments as of `focused.commands.train_from_run.train_from_run`.

    The new model is not compared with the former one: a comparison needs examples, and the former one has none.
    """
    from focused.retraining.pages_met import train_on_pages_met
    from focused.retraining.run_labels import RUN_MODEL
    from focused.retraining.verdict_examples import with_examples_of_verdicts, with_least_relevant_drawn

    of_pages, rest = with_examples_of_verdicts(topic, run)
    assert of_pages.examples is not None
    n_yes = len(of_pages.examples.positive)
    pages = with_least_relevant_drawn(run)
    about: dict[str, Any] = {"from_run": run_dir.name, "version": run.version, RUN_MODEL: run.model_sha256}
    about |= {"n_positive": n_yes, "n_negative": len(rest.verdicts), "n_verdicts": len(run.verdicts)}
    say(f"Learning from {quantity(len(pages), 'pages')} that the crawl met")
    random_state = int(topic.manifest.get("random_state") or 0)
    made = train_on_pages_met(of_pages, pages, rest.verdicts, about=about, is_for_good=True, random_state=random_state)
    how = (
        f"{quantity(n_yes, 'pages')} that people said yes to are the topic's examples now, and its words stand beside them. "
        "Its crawls look around, learn from the pages that they meet, and estimate their harvest"
    )
    if dry_run:
        return would(topic, made, run_dir, how)
    last_lines = put_in_place(topic, made, run_dir, models_dir)
    trained = f"Topic {topic.name} is trained again, from verdicts on pages of {run_dir}."
    return "\n".join([trained, f"{how}.", *about_verdicts(made, len(rest.labels), 0, run), *last_lines])
