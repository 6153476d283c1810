"""The contents of an evaluation's ``run.json``."""

from __future__ import annotations

import math
from dataclasses import asdict
from importlib.metadata import version
from itertools import product
from typing import TYPE_CHECKING, Any

from focused.evaluation.crawl_group import DONE, FAILED
from focused.method.training.trained_topic import versions
from focused.utils.estimates import compare
from focused.utils.words import with_preset

if TYPE_CHECKING:
    from collections.abc import Sequence

    from focused.evaluation.options import Options
    from focused.evaluation.preparation import EvaluatedWeb, Repeat

MEASURES = ("share_of_bound", "harvest_rate")


def described(
    options: Options, webs: Sequence[EvaluatedWeb], repeats: Sequence[Repeat], records: Sequence[dict[str, Any]]
) -> dict[str, Any]:
    """Return the inputs of an evaluation and the counts of its crawls."""
    topics = []
    for web in webs:
        for topic in dict.fromkeys(repeat.topic for repeat in repeats if repeat.web is web):
            drawn = [repeat for repeat in repeats if repeat.web is web and repeat.topic == topic]
            about = {"web": web.name, "topic": topic, "n_relevant": len(drawn[0].relevant)}
            repeats_of_topic = [
                repeat.described(options.pages) | _words(records, web.name, topic, repeat.repeat) for repeat in drawn
            ]
            topics.append(about | {"repeats": repeats_of_topic})
    n_failed = sum(record["state"] == FAILED for record in records)
    return {
        "versions": versions() | {name: version(name) for name in ("scrapy", "lxml", "w3lib")},
        "random_state": options.random_state,
        "webs": [web.described() for web in webs],
        "topics": topics,
        "options": {
            name: value for name, value in asdict(options).items() if name not in ("webs", "strategies", "starts")
        },
        "n_done": len(records) - n_failed,
        "n_failed": n_failed,
    }


def _words(records: Sequence[dict[str, Any]], web: str, topic: str, repeat: int) -> dict[str, Any]:
    """Return the words that a topic was trained from, if it was."""
    for record in records:
        if record.get("words") and (record["web"], record["topic"], record["repeat"]) == (web, topic, repeat):
            return {"words": record["words"]}
    return {}


def significance(
    records: Sequence[dict[str, Any]], webs: Sequence[str], starts: Sequence[str], series: Sequence[str], against: str
) -> list[dict[str, Any]]:
    """Compare each strategy, under each preset, with one of them, for each web, start and measure."""
    found = []
    for web, start, measure in product(webs, starts, MEASURES):
        values: dict[str, dict[tuple[str, int], float]] = {name: {} for name in series}
        for record in records:
            if (
                (record["web"], record["start"]) == (web, start)
                and record["state"] == DONE
                and record["figures"][measure] is not None
            ):
                name = with_preset(record["strategy"], record["preset"])
                values[name][record["topic"], record["repeat"]] = record["figures"][measure]
        for strategy in series:
            compared = compare(values[strategy], values.get(against, {}))
            if strategy == against or not compared.n:
                continue
            row = {
                "web": web,
                "start": start,
                "strategy": strategy,
                "against": against,
                "measure": measure,
                "difference": compared.mean,
            }
            low, high = (None if math.isnan(bound) else bound for bound in (compared.low, compared.high))
            found.append(
                row | {"low": low, "high": high, "n": compared.n, "unit": compared.unit, "verdict": compared.verdict}
            )
    return found
