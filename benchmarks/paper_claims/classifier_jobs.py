"""The papers' comparisons of negatives, weightings, classifiers and clusters, kept as a file for each: no crawl is in them."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any

import corpora
from common import say
from comparisons import clusters, itfidf, reliable_negatives
from learner_trials import LEARNERS, Trial, run_learner
from threadpoolctl import threadpool_limits

from focused.method.learning.estimators.plain_svm import PlainSVM
from focused.method.learning.two_step.incremental_svm import IncrementalSVM
from focused.method.learning.two_step.psoc import PSOC

if TYPE_CHECKING:
    from pathlib import Path

    from comparisons.base import Comparison, Found, Job, Load

COMPARED = {"P13": ("reliable_negatives",), "L16": ("itfidf",), "P15": ("clusters", "classifiers")}
"""What is compared for each paper."""
OF_P15 = {
    "incremental SVM": lambda: IncrementalSVM(too_few="lowest", sublinear_tf=False),
    "PSOC": lambda: PSOC(weighting="tfc", reliable="1-dnfii", too_few="lowest", guard=None, sublinear_tf=False),
    "SVM": lambda: PlainSVM(sublinear_tf=False),
    "today's `screened_svm`": LEARNERS["screened SVM", "tfidf"],
}
"""The classifiers of P15's fig. 7, by term frequencies as they are, and today's. The plain SVM takes U for negatives."""
_COMPARISONS: dict[str, Comparison] = {
    one.COMPARISON.name: one.COMPARISON for one in (reliable_negatives, itfidf, clusters)
}
_N_POSITIVE = 30


def made_classifiers(paper: str, data: Path, output: Path, *, quick: bool) -> None:
    """Make the comparisons of a paper that are not there yet; quick: one draw of two topics of each corpus."""
    load = cache(lambda name: corpora.load(name, data, output.parent / "corpora"))
    for name in COMPARED.get(paper, ()):
        done = read_classifiers(name, output)
        made = {json.dumps(row["job"]) for row in done}
        jobs = [job for job in _jobs(name, load, quick=quick) if json.dumps(job) not in made]
        for number, job in enumerate(jobs, 1):
            say(f"{paper}, {name.replace('_', ' ')} [{number} of {len(jobs)}]: {', '.join(map(str, job))}")
            with threadpool_limits(1):  # threads that wait for each other would count as time of a method
                done.append({"job": list(job), **_found(name, job, load)})
            output.mkdir(parents=True, exist_ok=True)
            _file(name, output).write_text(json.dumps(done), encoding="utf-8")


def read_classifiers(name: str, output: Path) -> list[Found]:
    """Return what the jobs of a comparison found that were made."""
    path = _file(name, output)
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else []


def _file(name: str, output: Path) -> Path:
    return output / f"{name.replace('_', '-')}.json"


def _jobs(name: str, load: Load, *, quick: bool) -> list[Job]:
    if name == "classifiers":
        found: list[Job] = [
            (of, topic, seed) for of in corpora.TOPICS for topic in corpora.TOPICS[of] for seed in range(3)
        ]
    else:
        found = _COMPARISONS[name].jobs(load)
    if not quick:
        return found
    if name == "itfidf":  # a job is a weighting, with a share of the terms
        return [job for job in found if job[2] == 1]
    if name == "clusters":  # a job is a part of the pages of a web, or a sample
        return [job for job in found if job[1:] == ("pages", 0)]
    return [job for job in found if job[2] == 0 and job[1] in corpora.TOPICS[job[0]][:2]]


def _found(name: str, job: Job, load: Load) -> Found:
    return _trial(job, load) if name == "classifiers" else _COMPARISONS[name].run(job, load)


def _trial(job: Job, load: Load) -> dict[str, Any]:
    """Train P15's classifiers on positives and unlabelled documents; return how each judges the others."""
    corpus, topic, seed = job
    trial = Trial(corpus, topic, 0 if corpus in corpora.TEXT_CORPORA else _N_POSITIVE, seed)
    judged = {name: run_learner(load(corpus), trial, (name, ""), learner) for name, learner in OF_P15.items()}
    return {"corpus": corpus, "topic": topic, "seed": seed, "classifiers": judged}
