"""``scrapy train TOPIC --from-run RUN_DIR``: retrain a topic with the pages that joined during a crawl, or were met."""

from __future__ import annotations

from typing import TYPE_CHECKING

from focused.commands.train_from_joined_pages import train_from_joined_pages
from focused.commands.train_from_pages_met import train_from_pages_met
from focused.commands.train_from_verdicts import train_from_verdicts
from focused.method.topic import check_counting, load_topic
from focused.utils.places import SHIPPED_MODELS_DIR

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence
    from pathlib import Path

_OTHER_OPTIONS = (
    *("positive", "positive_urls", "keywords", "describe", "unlabeled", "unlabeled_urls", "unlabeled_sample"),
    *("seeds", "look_around", "title", "note", "language", "preset"),
)


def check_alone(opts: argparse.Namespace) -> None:
    """Refuse options that name other examples, by a ValueError."""
    for option in _OTHER_OPTIONS:
        if getattr(opts, option) is not None:
            raise ValueError(
                f"--from-run and --{option.replace('_', '-')} exclude each other: the topic is trained from its own "
                "examples and the pages that joined in the run. Leave one out."
            )


def train_from_run(
    name: str,
    run_dir: Path,
    models_dir: Path,
    *,
    tolerance: float,
    force: bool,
    say: Callable[[str], None],
    verdicts: Sequence[Path] = (),
    dry_run: bool = False,
) -> str:
    """Train a topic again with people's verdicts on the pages of a crawl, and what the crawl learnt; return what was done.

    The labels are those of the last version that the crawl used, and over them the verdicts in ``RUN_DIR/verdicts/`` and in
    further files; any crawl will do that kept its pages' words.

    Pages that are among the topic's examples already, with the label they have in the run, do not join again. The former
    topic is kept, and set against the new one as in a crawl: on examples kept from both, by the order of the pages and by
    what is called relevant.

    The user's ``models_dir`` takes the new topic; a topic that it lacks is looked for among those that ship. The average
    precision on held-out examples may be lower by ``tolerance`` (`AcceptanceFigures.why_worse` has the rest). ``force``
    takes a new model that is worse, or whose topic has been trained since the crawl. With ``dry_run`` nothing is written:
    what is returned says what a new model would be, also of one that would be refused.

    A ValueError says that the run is of another topic or model, that nothing joined in it that the topic does not know (a
    `NothingNewError`), or that the new model is worse.
    """
    from focused.retraining.run_labels import read_run_labels
    from focused.retraining.verdict_examples import has_enough_examples

    topic = load_topic(name, models_dir, SHIPPED_MODELS_DIR)
    check_counting(name, topic.manifest)
    run = read_run_labels(run_dir, topic, further=verdicts, force=force or dry_run)
    where = (topic, run, run_dir, models_dir, say)
    if has_enough_examples(topic, run):
        return train_from_verdicts(*where, dry_run=dry_run)
    # Against the pages met a topic from words learns from no verdicts; people's word makes examples of it, as in a crawl.
    if run.is_against_met and not (topic.keyword_terms and run.verdicts):
        return train_from_pages_met(*where, force=force, dry_run=dry_run)
    return train_from_joined_pages(*where, tolerance=tolerance, force=force, dry_run=dry_run)
