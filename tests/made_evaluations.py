"""Folders as ``scrapy evaluate`` leaves them, with made-up crawls: for tests of what reads them."""

from __future__ import annotations

import csv
import json
import random
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

STRATEGIES = (
    "oracle cbp_slc lpe slc cbp hybrid incremental clustering link_context anchor_text anchor_tree patel_schmidt shark_search "
    "best_first fish_search breadth_first random depth_first"
).split()
RESULT_COLUMNS = (
    "web topic strategy repeat pages relevant harvest_rate target_recall target_length irrelevant_on_path share_of_bound area "
    "f_measure by_block by_anchor by_context deferred relevant_by_block relevant_by_anchor relevant_by_context relevant_deferred "
    "cpu_seconds finish_reason reachable_relevant bound budget"
).split()
CURVE_COLUMNS = (
    "web topic strategy repeat pages relevant harvest_rate target_recall target_length irrelevant_on_path"
).split()


def write_evaluation(
    directory: Path,
    *,
    webs: Sequence[str] = ("site",),
    topics: Sequence[str] = ("stars", "food"),
    strategies: Sequence[str] = STRATEGIES,
    n_repeats: int = 2,
    n_pages: int = 200,
    skill: dict[str, float] | None = None,
    failed: Sequence[tuple[str, str, str, int]] = (),
    default: str = "cbp_slc",
    concurrency: int = 1,
    **run: Any,
) -> Path:
    """Write results.csv, curves.csv and run.json.

    ``skill``: the probability of a strategy's page to be relevant (default: the earlier in ``strategies``, the larger);
    ``failed``: crawls (web, topic, strategy, repeat) without a result.
    """
    directory.mkdir(parents=True, exist_ok=True)
    results, curves = [], []
    for web in webs:
        for topic in topics:
            for repeat in range(n_repeats):
                for number, strategy in enumerate(strategies):
                    chance = (skill or {}).get(strategy, 0.85 - 0.7 * number / max(1, len(strategies) - 1))
                    key = (web, topic, strategy, repeat)
                    if key in failed:
                        results.append([*key, *[""] * 18, "failed: killed by a signal", "", "", ""])
                        continue
                    crawl = _crawl(random.Random(repr(key)), chance, n_pages)
                    curves += [[*key, *row] for row in crawl]
                    results.append([*key, *_result(crawl[-1], n_pages)])
    for name, columns, rows in (("results.csv", RESULT_COLUMNS, results), ("curves.csv", CURVE_COLUMNS, curves)):
        with (directory / name).open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([columns, *rows])
    described = {
        "command": "scrapy evaluate --web site.warc.gz --labels 'my labels.tsv' --output out",
        "versions": {"focused": "0", "python": "3.11"},
        "random_state": 0,
        "webs": [
            {"name": web, "path": f"{web}.warc.gz", "sha256": "0" * 64, "labels": "labels.tsv", "labels_from": None}
            for web in webs
        ],
        "topics": [
            {"web": web, "topic": topic, "repeat": repeat, "seeds": ["http://a.example/"], "positives_sha256": "1" * 64}
            for web in webs for topic in topics for repeat in range(n_repeats)
        ],
        "strategies": list(strategies),
        "options": {"pages": n_pages, "positives": 30, "repeats": n_repeats, "concurrency": concurrency, "settings": {}},
        "n_crawls": len(results),
        "n_failed": len(failed),
        "seconds": 12.5,
        "default_strategy": default,
        "significance": [],
        **run,
    }  # fmt: skip
    (directory / "run.json").write_text(json.dumps(described), encoding="utf-8")
    return directory


def _crawl(drawn: random.Random, chance: float, n_pages: int) -> list[list[float]]:
    reachable = max(20, n_pages // 2)
    rows, relevant, length, irrelevant = [], 0, 0, 0
    for pages in range(1, n_pages + 1):
        left = 1 - relevant / reachable
        if drawn.random() < chance * left * min(1.0, 0.3 + pages / 60):
            relevant += 1
            length += drawn.randint(1, 6)
            irrelevant += drawn.randint(0, 1)
        if pages % 10 == 0 or pages == n_pages:
            rows.append(
                [pages, relevant, round(relevant / pages, 4), round(relevant / reachable, 4), length, irrelevant]
            )
    return rows


def _result(last: list[float], n_pages: int) -> list[Any]:
    pages, relevant, rate, recall, length, irrelevant = last
    reachable = max(20, n_pages // 2)
    bound = min(n_pages, reachable)
    f_measure = 2 * rate * recall / (rate + recall) if rate + recall else 0
    reasons = [relevant * share for share in (0.4, 0.25, 0.2, 0.1)]
    return [
        pages, relevant, rate, recall, length, irrelevant, relevant / bound, rate * 1.1, f_measure,
        900, 400, 300, 2000, *map(int, reasons), 3.25, "max_pages", reachable, bound, n_pages,
    ]  # fmt: skip
