"""Train the topics that ship with the project.

Draws the examples with a seed and calls ``scrapy train`` for each; the same data gives the same bytes. The topics of
the demo web need no data; the others need the recorded webs and their labels.

Examples:
  python scripts/train_shipped_topics.py --data ../shared/data
  python scripts/train_shipped_topics.py demo
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# topic -> (recorded web, label, title, note, how many labelled pages serve as seeds, or the seeds themselves)
RECORDED: dict[str, tuple[str, str, str, str, int | list[str]]] = {
    "astrophysics": ("hyperphysics", "Astrophysics", "Astrophysics", "", 5),
    "nuclear-physics": ("hyperphysics", "Nuclear", "Nuclear physics", "", 5),
    "university-courses": (
        "webkb",
        "course",
        "Home pages of university courses in computer science",
        "For recorded webs: learnt from pages of January 1997, and the seeds are as they were then.",
        [f"http://www.cs.{name}.edu/" for name in ("cornell", "utexas", "washington", "wisc")],
    ),
}
DEMO_TOPIC = "astronomy"
DEMO_PAGES_TO_FETCH = 500

# topic -> (title, note, what its file says beside what the training writes)
ORDERED = {
    "ordered": (
        "Astronomy, on the demo web, by CBP-SLC",
        "The published method to the letter: a PU classifier trained beforehand, CBP-SLC, Scrapy's own scheduler.",
        """preset = "p13" # CBP-SLC [P13, alg. 4]; WVC [alg. 3] on 1-DNFC's reliable negatives [alg. 2] judges pages and links
scheduler = "scrapy" # scrapy.core.scheduler.Scheduler with scrapy.pqueues.ScrapyPriorityQueue
""",
    ),
    "ordered-lpe": (
        "Astronomy, on the demo web, by LPE and JFE",
        "As the topic ordered, with the links' priorities by joint feature evaluation [L16].",
        """preset = "p13" # WVC [P13, alg. 3] on 1-DNFC's reliable negatives [alg. 2] judges pages
strategy = "lpe" # [L16, alg. 1 and eq. 11]
scheduler = "scrapy" # scrapy.core.scheduler.Scheduler with scrapy.pqueues.ScrapyPriorityQueue
""",
    ),
}
_COSINE = """FOCUSED_SIMILARITY = "cosine" # [L16, eq. 13]
FOCUSED_COSINE_THRESHOLD = 0.1 # L16 prints 0.5, which no link reaches
"""


def scrapy(*arguments: str) -> None:
    subprocess.run([sys.executable, "-m", "scrapy", *arguments], check=True, cwd=ROOT)


def train_demo(folder: Path, random_state: int) -> None:
    """Learn the demo topic from pages that the demo web gives away."""
    sys.path.insert(0, str(ROOT))
    from focused.webs import open_web

    scrapy("demo", "--examples", DEMO_TOPIC, str(folder), "--random-state", str(random_state))
    seeds = open_web("demo", {}).seeds(DEMO_TOPIC)  # type: ignore[attr-defined]
    # fmt: off
    scrapy("train", "demo", "--force", "--title", "Astronomy, on the demo web", "--web", "demo",
           "--note", "For -a web=demo, which is generated on this machine.",
           "--positive", str(folder / "positive.jsonl"), "--unlabeled", str(folder / "unlabeled.jsonl"),
           "--seeds", *seeds, "--random-state", str(random_state))
    # fmt: on
    _short("demo")


def train_ordered(topic: str, folder: Path, random_state: int) -> None:
    """Learn a topic as P13 does, from the demo topic's pages; seeds are relevant pages, as P13's are [sect. 6.2.2]."""
    scrapy("demo", "--examples", DEMO_TOPIC, str(folder), "--random-state", str(random_state))
    title, note, lines = ORDERED[topic]
    path = ROOT / "models" / topic / "topic.toml"
    path.unlink(missing_ok=True)  # what people wrote would survive
    # fmt: off
    scrapy("train", topic, "--force", "--preset", "p13", "--title", title, "--web", "demo", "--note", note,
           "--positive", str(folder / "positive.jsonl"), "--unlabeled", str(folder / "unlabeled.jsonl"),
           "--random-state", str(random_state))
    # fmt: on
    _short(topic)
    text = path.read_text(encoding="utf-8").replace("seeds = [", f"{lines}seeds = [", 1)
    path.write_text(text + (_COSINE if topic == "ordered-lpe" else ""), encoding="utf-8")


def _short(topic: str) -> None:
    """Let a topic's crawls of the demo web be short ones."""
    path = ROOT / "models" / topic / "topic.toml"
    text = path.read_text(encoding="utf-8")
    if "FOCUSED_MAX_PAGES" not in text:
        # The whole crawl takes seconds: who watches it wants more than one line.
        path.write_text(
            f"{text.rstrip()}\nFOCUSED_MAX_PAGES = {DEMO_PAGES_TO_FETCH}\nFOCUSED_METRICS_INTERVAL_SECS = 0.5\n",
            encoding="utf-8",
        )


def train_recorded(topic: str, data: Path, folder: Path, random_state: int) -> None:
    """Learn a topic from 30 labelled and 1,500 other pages of a recorded web."""
    web, label, title, note, seeds = RECORDED[topic]
    lines = (data / f"{web}.labels.tsv").read_text(encoding="utf-8").splitlines()[1:]
    labels = {url: names.split("|") for url, names in (line.split("\t") for line in lines if line)}
    draw = random.Random(f"{random_state} {topic}")
    positive = draw.sample(sorted(url for url, names in labels.items() if label in names), 30)
    unlabeled = draw.sample(sorted(set(labels) - set(positive)), 1500)
    chosen = draw.sample(positive, seeds) if isinstance(seeds, int) else seeds
    (ROOT / folder / "positive.txt").write_text("\n".join(positive) + "\n")
    (ROOT / folder / "unlabeled.txt").write_text("\n".join(unlabeled) + "\n")
    warc = os.path.relpath(data / f"{web}.warc.gz", ROOT)
    # fmt: off
    scrapy("train", topic, "--force", "--title", title, *(["--note", note] if note else []), "--language", "en",
           "--positive", warc, "--positive-urls", str(folder / "positive.txt"),
           "--unlabeled", warc, "--unlabeled-urls", str(folder / "unlabeled.txt"),
           "--seeds", *chosen, "--random-state", str(random_state))
    # fmt: on


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("topics", nargs="*", default=["demo", *ORDERED, *RECORDED], help="default: all")
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data", help="folder of the webs")
    parser.add_argument("--random-state", type=int, default=0)
    options = parser.parse_args()
    known = ["demo", *ORDERED, *RECORDED]
    if unknown := set(options.topics) - {*known}:
        parser.error(f"no such topic: {', '.join(sorted(unknown))}. Known ones: {', '.join(known)}")
    for topic in options.topics:
        # The manifest keeps the command: its paths should mean something on another machine.
        folder = Path("runs", "shipped-topics", topic)
        (ROOT / folder).mkdir(parents=True, exist_ok=True)
        if topic == "demo":
            train_demo(folder, options.random_state)
        elif topic in ORDERED:
            train_ordered(topic, folder, options.random_state)
        else:
            train_recorded(topic, options.data.resolve(), folder, options.random_state)


if __name__ == "__main__":
    main()
