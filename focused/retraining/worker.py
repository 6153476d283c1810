"""A process that trains models while a crawl goes on: ``python -m focused.retraining.worker``.

Each line on stdin is the path of a JSON file, a `Task`; each line on stdout the JSON of the `Attempt` that came of it.
What is learnt from lies in the run directory. It ends with its stdin.
"""

from __future__ import annotations

import json
import logging
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from focused.method.topic import Topic, load_topic
from focused.retraining.assumed_positives import with_assumed_positives
from focused.retraining.judged_pages import RECORD_FILE, read_record, that_join
from focused.retraining.versions import FOLDER, LABELS_FILE, Attempt, read_labels
from focused.utils.files import write_json

if TYPE_CHECKING:
    from focused.retraining.acceptance import Decisions


@dataclass(frozen=True)
class Task:
    """What a model is to be trained from."""

    version: int
    in_use: int
    topic: str
    models_dir: str
    run_dir: str
    #: Length of the pages' file.
    n_bytes: int
    #: Of a page's number: whether it is relevant.
    labels: dict[str, bool]
    #: Numbers of the pages whose label is a verdict.
    verdicts: list[int]
    tolerance: float
    random_state: int
    #: Whether verdicts that all other examples speak against are left out.
    doubts: bool
    #: Whether the version keeps its examples, for a strategy that learns from them.
    keeps_examples: bool
    at: str = ""
    n_pages: int = 0

    def to_line(self) -> str:
        """Return one line of JSON."""
        return json.dumps(asdict(self))


def do(task: Task, topic: Topic, firsts: dict[int, Decisions]) -> Attempt:
    """Train, compare, and write the version if it is not worse.

    Parameters
    ----------
    task : Task
    topic : Topic
    firsts : dict
        By seed, what a model decides that has learnt from no page of the crawl; filled here.
    """
    # Brings scikit-learn along: half a second that the crawl, which only makes tasks, should not wait for.
    from focused.retraining.acceptance import agreed, decisions_of, mostly_verdicts, rounded, why_forgets
    from focused.retraining.training import compare, retrain, without_doubtful

    start = time.perf_counter()
    run_dir = Path(task.run_dir)
    labels = {int(number): label for number, label in task.labels.items()}
    pages, _ = read_record(run_dir / RECORD_FILE, task.n_bytes)
    n_labels = len(labels)
    labels = agreed(topic, pages, labels, set(task.verdicts))
    n_contradicted = n_labels - len(labels)
    n_labels = len(labels)
    if task.doubts and task.verdicts:
        labels = without_doubtful(topic, pages, labels, set(task.verdicts), random_state=task.random_state)
    joined = that_join(pages, labels)
    n_positive = sum(labels[page.number] for page in joined)
    known: dict[str, Any] = {
        "version": task.version,
        "at": task.at,
        "n_pages": task.n_pages,
        "n_positive": n_positive,
        "n_negative": len(joined) - n_positive,
        "n_verdicts": len(task.verdicts),
        "n_doubtful": n_labels - len(labels),
        "n_contradicted": n_contradicted,
        "in_use": task.in_use,
    }
    try:
        in_use = read_labels(run_dir, task.in_use)
        found = compare(
            topic, pages, labels, in_use, set(task.verdicts) & labels.keys(), random_state=task.random_state
        )
        known["held_out"] = {name: round(value, 6) for name, value in asdict(found).items()}
        why = found.why_worse(task.tolerance)
        if why:
            return Attempt(accepted=False, why=why, seconds=_seconds(start), **known)
        if task.random_state not in firsts:
            firsts[task.random_state] = decisions_of(retrain(topic, [], {}, about={}, random_state=task.random_state))
        first = firsts[task.random_state]
        verdicts = set(task.verdicts) & labels.keys()
        widens = mostly_verdicts(labels, verdicts)
        made = retrain(
            topic, pages, labels, about=known, verdicts=verdicts, widens=widens, random_state=task.random_state
        )
        known |= {name: made.manifest["adaptation"][name] for name in ("n_new_side", "n_left_aside")}
        decisions = decisions_of(made)
        known["decisions"] = {"new": rounded(decisions), "first": rounded(first)}
        why = decisions.why_worse(first, task.tolerance, widens=widens)
        why = why or why_forgets(topic, made, pages, labels, verdicts, task.tolerance)
        if why:
            return Attempt(accepted=False, why=why, seconds=_seconds(start), **known)
    except (ValueError, OSError) as error:
        return Attempt(accepted=False, why=" ".join(str(error).split()), seconds=_seconds(start), **known)
    known["n_links"] = made.manifest["figures"]["n_links"]
    if not task.keeps_examples:
        made.examples = None
    folder = run_dir / FOLDER / str(task.version)
    folder.mkdir(parents=True, exist_ok=True)
    write_json(folder / LABELS_FILE, {str(number): label for number, label in labels.items()})
    made.save(folder)
    return Attempt(accepted=True, seconds=_seconds(start), **known)


def _seconds(start: float) -> float:
    return round(time.perf_counter() - start, 3)


def main() -> None:
    """Do one task after another, until there is nobody to ask."""
    logging.basicConfig(level=logging.ERROR)
    topic: Topic | None = None
    firsts: dict[int, Decisions] = {}
    for line in sys.stdin:
        task = Task(**json.loads(Path(line.rstrip("\n")).read_text(encoding="utf-8")))
        if topic is None:
            topic = with_assumed_positives(load_topic(task.topic, Path(task.models_dir)))
        print(do(task, topic, firsts).to_line(), flush=True)


if __name__ == "__main__":
    main()
