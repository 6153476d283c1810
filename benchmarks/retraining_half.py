"""Crawls for two labels with examples of one: ``half`` of benchmarks/retraining.py."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from typing import TYPE_CHECKING

import numpy as np
from retraining_pages import folder_of, labels_of

if TYPE_CHECKING:
    import argparse
    from pathlib import Path

N_POSITIVE, N_UNLABELED, N_SEEDS = 30, 1500, 5
MODES = ("off", "automatic", "interactive", "both", "poisoned")


def half(options: argparse.Namespace) -> None:
    """Crawl for two labels with examples of one."""
    labels = labels_of(options.labels)
    first, second = options.pair.split(",")
    relevant = {url for url, found in labels.items() if found & {first, second}}
    rng = np.random.default_rng(options.seed)
    positives = sorted(
        rng.choice(sorted(u for u in relevant if first in labels[u]), N_POSITIVE, replace=False).tolist()
    )
    others = sorted(set(labels) - set(positives))
    unlabeled = sorted(rng.choice(others, N_UNLABELED, replace=False).tolist())
    folder = folder_of(options.out, options.pair, options.seed)
    folder.mkdir(parents=True, exist_ok=True)
    for file, urls in (("positives.txt", positives), ("unlabeled.txt", unlabeled)):
        (folder / file).write_text("\n".join(urls) + "\n")
    models = ("-s", f"FOCUSED_MODELS_DIR={folder / 'models'}")
    if not (folder / "models" / "half").is_dir():
        known, drawn = (str(folder / file) for file in ("positives.txt", "unlabeled.txt"))
        scrapy(
            *("train", "half", "--positive", str(options.warc), "--positive-urls", known, "--force", "--quick"),
            *("--unlabeled", str(options.warc), "--unlabeled-urls", drawn, "--unlabeled-sample", str(N_UNLABELED)),
            *("--seeds", *positives[:N_SEEDS], *models),
        )
    for mode in options.modes.split(","):
        for strategy in options.strategies.split(","):
            run = folder / f"{mode}-{strategy}"
            if not (run / "run.json").is_file():
                settings = [f"FOCUSED_RETRAINING={'interactive' if mode == 'poisoned' else mode}"]
                if mode in ("interactive", "both", "poisoned"):
                    feed = folder / f"{mode}.jsonl"
                    wrong = 0.3 if mode == "poisoned" else 0.0
                    draw = np.random.default_rng(options.seed + 1)
                    feed.write_text(
                        "".join(
                            json.dumps({"url": url, "relevant": (url in relevant) != (draw.random() < wrong)}) + "\n"
                            for url in sorted(labels)
                        )
                    )
                    settings.append(f"FOCUSED_VERDICTS={feed}")
                scrapy(
                    *("crawl", "focused", "-a", "topic=half", "-a", f"web={options.warc}", "-a", f"run_dir={run}"),
                    *("-a", f"max_pages={options.pages or len(relevant)}", "-a", f"strategy={strategy}", *models),
                    *("-s", "CONCURRENT_REQUESTS=1", "-s", "FOCUSED_METRICS_INTERVAL_SECS=0"),
                    *(part for each in [*options.set, *settings] for part in ("-s", each)),
                )
            print(row(run, relevant, set(positives), second, labels, f"{folder.name},{strategy},{mode}"), flush=True)


def scrapy(*arguments: str) -> None:
    """Run a scrapy command of the project; its output is shown where it fails."""
    done = subprocess.run([sys.executable, "-m", "scrapy", *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"scrapy {' '.join(arguments)}\n{done.stdout}\n{done.stderr}")


def row(run: Path, relevant: set[str], positives: set[str], second: str, labels: dict[str, set[str]], of: str) -> str:
    """Return what a crawl found."""
    with (run / "fetched.csv").open(newline="", encoding="utf-8") as file:
        urls = [line["location"] for line in csv.DictReader(file)]
    counted = [url for url in urls if url not in positives]
    found = [url for url in counted if url in relevant]
    stats = json.loads((run / "run.json").read_text())["stats"]
    trained = [stats.get(f"focused/retraining/{what}", 0) for what in ("accepted_count", "refused_count")]
    n_second = sum(second in labels[url] for url in found)
    return (
        f"{of},{len(counted)},{len(found)},{n_second},{len(found) / len(counted):.3f},{trained[0]},{trained[1]},"
        + str(stats.get("focused/retraining/longest_block_ms", ""))
    )
