"""``scrapy train TOPIC --from-run RUN_DIR``: retrain a topic with the pages that joined during a crawl, or were met."""

from __future__ import annotations

from typing import TYPE_CHECKING

from focused.commands.train_from_pages_met import train_from_pages_met
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
from focused.commands.train_from_verdicts import train_from_verdicts
from focused.commands.train_put_in_place import NothingNewError, put_in_place
from focused.method.topic import check_counting, load_topic
from focused.utils.file_names import RETRAINING_FILE
from focused.utils.places import SHIPPED_MODELS_DIR
from focused.utils.words import quantity

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
    from focused.retraining.acceptance import (
        acceptance_figures,
        mostly_verdicts,
        why_forgets,
    )
    from focused.retraining.acceptance_by_people import errors_in_words, verdicts_decide
    from focused.retraining.assumed_positives import with_assumed_positives
    from focused.retraining.augmentation import known_pages
    from focused.retraining.judged_pages import that_join
    from focused.retraining.run_labels import RUN_MODEL, read_run_labels
    from focused.retraining.training import Retraining
    from focused.retraining.verdict_examples import has_enough_examples
    from focused.retraining.versions import FIRST

    topic = load_topic(name, models_dir, SHIPPED_MODELS_DIR)
    check_counting(name, topic.manifest)
    run = read_run_labels(run_dir, topic, further=verdicts, force=force or dry_run)
    pages, version = run.pages, run.version
    if has_enough_examples(topic, run):
        return train_from_verdicts(topic, run, run_dir, models_dir, say, dry_run=dry_run)
    # Against the pages met a topic from words learns from no verdicts; people's word makes examples of it, as in a crawl.
    if run.is_against_met and not (topic.keyword_terms and run.verdicts):
        return train_from_pages_met(topic, run, run_dir, models_dir, say, force=force, dry_run=dry_run)
    topic = with_assumed_positives(topic)
    known = set() if topic.examples is None else known_pages(topic.examples, pages, run.labels)
    labels = {number: label for number, label in run.labels.items() if number not in known}
    joined = that_join(pages, labels)
    # They do not join twice. But an unlabelled page is not one that somebody has refused: it stands where people put it.
    told = {number: label for number, label in run.verdicts.items() if number in known}
    random_state = int(topic.manifest.get("random_state") or 0)
    retraining = Retraining(topic, that_join(pages, labels | told), random_state=random_state)
    if not joined and all(retraining.accepted_before[number] is label for number, label in told.items()):
        raise NothingNewError(
            f"Nothing new was learnt in {run_dir}: what version {version} was learnt from "
            f"({quantity(len(known), 'pages')}) "
            f"is among the examples of topic {name!r} already, with the same labels. The topic stays as it is."
        )
    # Of versions before: that a page has a verdict shows where the label is not what its relevance said.
    people = {page.number for page in joined if page.number in run.verdicts or page.joins is not labels[page.number]}
    say("Comparing with the topic as it is, on examples kept from both")
    believed = retraining.without_label_noise(labels, people)
    slips, labels, people = {n: labels[n] for n in labels if n not in believed}, believed, people & believed.keys()
    joined = that_join(pages, labels)
    n_positive = sum(labels[page.number] for page in joined)
    found = retraining.compare(labels, {}, people)
    first = acceptance_figures(retraining.train({}))
    counts = {"n_positive": n_positive, "n_negative": len(joined) - n_positive, "n_verdicts": len(people)}
    held_out = {"new": round(found.new, 6), "first": round(found.first, 6)}
    about = {"from_run": run_dir.name, "version": version, **counts, "n_known": len(known), "held_out": held_out}
    about[RUN_MODEL] = run.model_sha256
    widens = mostly_verdicts(labels, people)
    made = retraining.train(labels, people, about=about, widens=widens, slips=slips, told=told, say=say)
    new = acceptance_figures(made)
    made.manifest["retraining"]["decisions"] = {"new": new.rounded(), "first": first.rounded()}
    errors = made.manifest["retraining"].get("errors_on_verdicts", {})
    is_assumed = widens and bool(topic.keyword_terms)
    by_people = verdicts_decide(errors, is_assumed=is_assumed)
    if by_people is None:
        why = (
            found.why_worse(tolerance)
            or new.why_worse(first, tolerance, widens=widens, is_assumed=is_assumed)
            or why_forgets(retraining.accepted(made), labels, people, tolerance)
            or ("" if is_assumed else why_examples_refuse(new, first, tolerance, errors))
        )
    else:
        why = "" if by_people else errors_in_words(errors)
    warning = "" if why or is_assumed else against_by_examples(new, first, tolerance, errors)
    how = compared_in_words(why, by_people, errors, NOT_BY_ALL if warning else verdict_on(found, new, first, widens))
    figures_of_both = f"{compared(found, len(people))}; {decided(new, first)}"
    # The command that puts the former topic back stands at the end.
    warned = [f"{warning} Below is how to have that back."] if warning else []
    if why and not (force or dry_run):
        raise ValueError(
            f"Topic {name!r} stays as it is, for the new model is worse: {why}. Compared: {figures_of_both}. Take it all the "
            "same with --force; the former topic is kept."
        )
    if dry_run:
        return would(topic, made, run_dir, f"{how}: {figures_of_both}", warning)
    last_lines = put_in_place(topic, made, run_dir, models_dir)
    figures = made.manifest["figures"]
    lines = [
        f"Topic {name} is trained again: {quantity(n_positive, 'positives')} and "
        f"{quantity(len(joined) - n_positive, 'negatives')} "
        f"joined, {f'as in version {version}' if version != FIRST else 'by verdicts on pages'} of {run_dir}."
        + (f" Known already, and not joined again: {quantity(len(known), 'pages')}." if known else ""),
        f"{how}: {figures_of_both}.",
        *warned,
        f"F1 of held-out examples {figures['f1']:.3f} ({figures['f1_low']:.3f} to {figures['f1_high']:.3f}), with "
        f"{figures['prior']:.1%} of the pages relevant.",
        *about_verdicts(made, len(people) + len(slips) + len(told), len(slips), run),
        *last_lines,
    ]
    if run.n_bad:
        lines.append(f"{run.n_bad} lines of {RETRAINING_FILE} could not be read and are left out.")
    return "\n".join(lines)
