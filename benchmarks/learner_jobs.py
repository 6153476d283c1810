"""The work of the processes that compare learners: one trial, or one job of a paper's comparison, kept as a file."""

from __future__ import annotations

import hashlib
import json
import os
import re
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

import corpora
from comparisons import COMPARISONS
from learner_trials import LEARNERS, Trial, run_learner, run_topic

if TYPE_CHECKING:
    from pathlib import Path

    from corpora import Corpus


@lru_cache(maxsize=4)
def load(name: str, data: Path, cache: Path) -> Corpus:
    """Return a corpus; each process reads it once."""
    return corpora.load(name, data, cache)


def run_trial(trial: Trial, data: Path, output: Path) -> dict[str, Any]:
    """Run the parts of a trial that are not done yet: every learner, and the topic as ``scrapy train`` trains it."""
    name = f"{trial.corpus} {trial.topic} {trial.n_positive} {trial.seed}"
    file = output / "trials" / f"{_file_name(name)}.json"
    done = json.loads(file.read_text()) if file.is_file() else {"trial": trial.__dict__, "learners": {}}
    corpus = load(trial.corpus, data, output / "corpora")
    for learner in LEARNERS:
        key = " | ".join(learner)
        if key not in done["learners"]:
            done["learners"][key] = run_learner(corpus, trial, learner)
            _write(file, done)
    if "topic" not in done:
        done["topic"] = run_topic(corpus, trial)
        _write(file, done)
    return done


def run_comparison(number: int, job: Any, data: Path, output: Path) -> dict[str, Any]:
    """Run one job of a paper's comparison, unless it is done."""
    comparison = COMPARISONS[number]
    file = output / "comparisons" / f"{comparison.name}-{_file_name(json.dumps(job))}.json"
    if not file.is_file():
        _write(file, comparison.run(job, partial(load, data=data, cache=output / "corpora")))
    return json.loads(file.read_text())


def _file_name(text: str) -> str:
    return f"{re.sub(r'[^a-zA-Z0-9]+', '-', text)[:60]}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"


def _write(file: Path, content: Any) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_suffix(f".{os.getpid()}.part")
    part.write_text(json.dumps(content))
    part.replace(file)
