"""A process that trains models while a crawl runs: ``python -m focused.retraining.training_child``.

Each line on stdin is the path of a JSON file, a `Task`; each line on stdout the JSON of the `Attempt` that came of it.
It learns from the run directory, and ends with its stdin.
"""

from __future__ import annotations

import json
import logging
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from focused.method.topic import Topic, load_topic
from focused.retraining.assumed_positives import with_assumed_positives
from focused.retraining.judged_pages import pages_to_learn_from, read_record, record_path
from focused.retraining.training_task import Task
from focused.retraining.versions import FOLDER, LABELS_FILE, Attempt, load_version, read_labels
from focused.utils.files import write_json

if TYPE_CHECKING:
    from collections.abc import Callable

    from focused.retraining.acceptance import AcceptanceFigures
    from focused.retraining.training import Retraining


def train_version(task: Task, topic: Topic, firsts: dict[int, AcceptanceFigures]) -> Attempt:
    """Train, compare, and write the version if it is not worse than the topic as it was before the crawl, which has examples.

    ``firsts`` has, by seed, how well a model decides that has learnt from no page of the crawl; it is filled here.
    """
    from focused.retraining.words_met import NoWordMetError

    start = time.perf_counter()
    known: dict[str, Any] = {"version": task.version, "at": task.at, "n_pages": task.n_pages, "in_use": task.in_use}
    try:
        if task.is_against_met:
            return _version_against_met(task, topic, known, start)
        made, labels, why = _with_joined_pages(task, topic, firsts, known)
    except (ValueError, OSError) as error:
        known["no_word_met"] = isinstance(error, NoWordMetError)
        return Attempt(accepted=False, why=" ".join(str(error).split()), seconds=_seconds(start), **known)
    if why and task.has_veto:
        return Attempt(accepted=False, why=why, seconds=_seconds(start), **known)
    known["n_links"] = made.manifest["figures"]["n_links"]
    return _saved(task, made, labels, Attempt(accepted=True, seconds=_seconds(start), **known))


def _with_joined_pages(
    task: Task, topic: Topic, firsts: dict[int, AcceptanceFigures], known: dict[str, Any]
) -> tuple[Topic, dict[int, bool], str]:
    """Train with the pages that joined; return the model, the labels that it learnt, and why it is worse, if it is.

    What is known of the attempt is added to ``known``.
    """
    # Brings scikit-learn along: half a second that the crawl, which only makes tasks, should not wait for.
    from focused.retraining.acceptance import acceptance_figures, mostly_verdicts
    from focused.retraining.judged_sides import slips_named
    from focused.retraining.training import Retraining

    all_labels = {int(number): label for number, label in task.labels.items()}
    in_use = read_labels(Path(task.run_dir), task.in_use)
    pages, _ = read_record(record_path(Path(task.run_dir)), task.n_bytes)
    retraining = Retraining(topic, pages_to_learn_from(pages, in_use | all_labels), random_state=task.random_state)
    believed, labels = _believed(task, retraining, all_labels)
    joined = retraining.joined(labels)
    n_positive = sum(labels[page.number] for page in joined)
    known |= {
        "n_positive": n_positive,
        "n_negative": len(joined) - n_positive,
        "n_verdicts": len(set(task.verdicts)),
        "n_label_noise": len(believed) - len(labels),
        "n_contradicted": len(all_labels) - len(believed),
    }
    slips = {number: label for number, label in believed.items() if number not in labels}
    verdicts = set(task.verdicts) & labels.keys()
    found = retraining.compare(labels, in_use, verdicts)
    known["held_out"] = {name: round(value, 6) for name, value in asdict(found).items()}
    if task.random_state not in firsts:
        firsts[task.random_state] = acceptance_figures(retraining.train({}))
    first, widens = firsts[task.random_state], mostly_verdicts(labels, verdicts)
    made = retraining.train(labels, verdicts, about=known, widens=widens, slips=slips, threshold=task.threshold)
    known |= _of_manifest(made, "n_new_subtopic", "n_left_aside")
    known["label_noise"] = slips_named([page for page in pages if page.number in slips], slips)
    new = acceptance_figures(made)
    known["decisions"] = {"new": new.rounded(), "first": first.rounded()}
    is_assumed = widens and bool(topic.keyword_terms)

    def why_by_examples() -> str:
        from focused.retraining.acceptance import why_forgets

        return (
            found.why_worse(task.tolerance)
            or new.why_worse(first, task.tolerance, widens=widens, is_assumed=is_assumed)
            or why_forgets(retraining.accepted(made), labels, verdicts, task.tolerance)
        )

    return made, labels, _why_worse(known.get("errors_on_verdicts", {}), why_by_examples, is_assumed=is_assumed)


def _believed(task: Task, retraining: Retraining, labels: dict[int, bool]) -> tuple[dict[int, bool], dict[int, bool]]:
    """Return the labels that no verdict contradicts, and those of them that the other examples do not speak against."""
    from focused.retraining.acceptance import without_contradicted

    verdicts = set(task.verdicts)
    believed = labels
    if task.has_veto:
        believed = without_contradicted(retraining.accepted_before, labels, verdicts)
    if not (task.filters_label_noise and verdicts):
        return believed, believed
    return believed, retraining.without_label_noise(believed, verdicts)


def _why_worse(errors: dict[str, int], why_by_examples: Callable[[], str], *, is_assumed: bool) -> str:
    """Return why a model is worse: by what people say, where that tells, and otherwise by the examples."""
    from focused.retraining.acceptance_by_people import errors_in_words, verdicts_decide

    by_people = verdicts_decide(errors, is_assumed=is_assumed)
    if by_people is None:
        return why_by_examples()
    return "" if by_people else errors_in_words(errors)


def _version_against_met(task: Task, topic: Topic, known: dict[str, Any], start: float) -> Attempt:
    """Train against the pages met; the last training of a crawl is no version that is taken over."""
    from focused.retraining.acceptance_by_people import why_met_refused

    made = _against_met(task, topic, known)
    why = why_met_refused(made, topic, load_version(Path(task.run_dir), topic, task.in_use))
    if task.is_last and not why:
        _write(task, made)
    attempt = Attempt(accepted=not (why or task.is_last), why=why, seconds=_seconds(start), **known)
    if why or task.is_last:
        return attempt
    return _saved(task, made, {int(number): label for number, label in task.labels.items()}, attempt)


def _against_met(task: Task, topic: Topic, known: dict[str, Any]) -> Topic:
    """Train against the pages met, and add to what is known of the attempt."""
    from focused.retraining.against_met import train_against_met
    from focused.retraining.examples_from_elsewhere import ENOUGH_VERDICTS, comes_from_elsewhere, train_from_elsewhere

    pages, _ = read_record(record_path(Path(task.run_dir)), task.n_bytes)
    verdicts = {number: task.labels[str(number)] for number in task.verdicts}
    known |= {"n_positive": sum(verdicts.values()), "n_verdicts": len(verdicts)}
    known["n_negative"] = len(verdicts) - known["n_positive"]
    if len(verdicts) < ENOUGH_VERDICTS and comes_from_elsewhere(topic, pages):
        made = train_from_elsewhere(topic, pages, verdicts, about=known, random_state=task.random_state)
    else:
        made = train_against_met(
            topic,
            pages,
            verdicts,
            about=known,
            threshold=task.threshold,
            filters_label_noise=task.filters_label_noise,
            random_state=task.random_state,
        )
    known |= _of_manifest(
        made, "n_unlabeled", "n_drawn", "n_left_aside", "n_label_noise", "label_noise", "is_from_elsewhere"
    )
    known["harvest"] = made.manifest["retraining"].get("harvest", {})
    known["n_links"] = made.manifest["figures"]["n_links"]
    known["recall"] = made.manifest["figures"].get("recall")
    return made


_OF_VERDICTS = ("n_put_right", "n_not_followed", "not_followed", "errors_on_verdicts")
"""What the manifest of a model that learnt from verdicts says of them."""


def _of_manifest(made: Topic, *names: str) -> dict[str, Any]:
    found = made.manifest["retraining"]
    return {name: found[name] for name in (*names, *_OF_VERDICTS) if name in found}


def _saved(task: Task, made: Topic, labels: dict[int, bool], attempt: Attempt) -> Attempt:
    """Write a version and the labels that it was trained with."""
    folder = Path(task.run_dir) / FOLDER / str(task.version)
    folder.mkdir(parents=True, exist_ok=True)
    write_json(folder / LABELS_FILE, {str(number): label for number, label in labels.items()})
    _write(task, made)
    return attempt


def _write(task: Task, made: Topic) -> None:
    if not task.keeps_examples:
        made.examples = None
    elif made.examples is not None and not task.keeps_links:
        made.examples = made.examples.without_links()
    folder = Path(task.run_dir) / FOLDER / str(task.version)
    folder.mkdir(parents=True, exist_ok=True)
    made.save(folder)


def _seconds(start: float) -> float:
    return round(time.perf_counter() - start, 3)


def _load_what_trains() -> None:
    """Import what a training needs, with scikit-learn, while the first task is not there yet."""
    import focused.retraining.acceptance  # noqa: F401


def main() -> None:
    """Do one task after another, until stdin is closed."""
    logging.basicConfig(level=logging.ERROR)
    _load_what_trains()
    topic: Topic | None = None
    firsts: dict[int, AcceptanceFigures] = {}
    for line in sys.stdin:
        task = Task(**json.loads(Path(line.rstrip("\n")).read_text(encoding="utf-8")))
        if topic is None:
            topic = load_topic(task.topic, Path(task.models_dir))
            if not task.is_against_met:
                topic = with_assumed_positives(topic)
        print(train_version(task, topic, firsts).to_line(), flush=True)


if __name__ == "__main__":
    main()
