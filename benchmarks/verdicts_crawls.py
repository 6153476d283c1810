"""What verdicts give the rest of a crawl: half of the pages are fetched, verdicts given, and the crawl is resumed.

Topics are trained from 30 examples and the general background, so their crawls learn from verdicts when they are resumed. Each
draw has other examples, and other seeds where the web has no fixed ones. Honest verdicts, by the labels, in the order of the
judging queue or at random. Harvest: share of relevant pages among those of the second half, by the labels. Delivered as
judged: judged pages that `pages.jsonl` and the collection hold if and only if they were called relevant.

Examples
--------
  python benchmarks/verdicts_crawls.py --webs ../webs --draws 2
  python benchmarks/verdicts_crawls.py --only webkb --no-write
"""

from __future__ import annotations

import csv
import json
import shutil
from contextlib import closing
from typing import TYPE_CHECKING, Any

import numpy as np
from common import chosen_names, machine, say, scrapy, table
from evaluations.plan import first_topics, web_arguments
from evaluations.running import evaluate
from known_webs import DEMO, folder_of, web_parser
from provenance import CRAWL_ROOMS, now, write_blocks
from verdicts import GRASS, PAGES

from focused.collection.judging_session import JudgingSession
from focused.collection.schema import open_collection
from focused.webs.demo.export import write_labels
from focused.webs.demo.web import DemoWeb

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

WEBS = {"webkb": 4, "demo": 1, "hyperphysics": 1, "foldoc": 1, "grass": 1, "wiki": 1, "sites": 1}
"""Topics of each web; four of WebKB, for a single one of its topics once decided the mean."""
CASES = ((0, "mixed"), (50, "mixed"), (50, "random"))


def main() -> None:
    parser = web_parser(__doc__, "verdicts-crawls", tuple(WEBS), jobs=None)
    parser.add_argument("--draws", type=int, default=2, help="of examples and seeds, for each topic (default: 2)")
    options = parser.parse_args()
    names = chosen_names(options.only, tuple(WEBS))
    found = [measured(*start, options) for name in names for start in starts(name, WEBS[name], options)]
    text = f"{as_table(found)}\n\n{machine()}."
    if options.no_write or options.only != ",".join(WEBS):
        print(text)
        return
    source = now(
        f"python benchmarks/verdicts_crawls.py --webs ../webs --draws {options.draws}",
        [*CRAWL_ROOMS, "focused/retraining", "focused/collection"],
        {"pages": PAGES, "topics": sum(WEBS.values()), "repeats": options.draws, "positives": 30},
    )
    write_blocks({"verdicts: crawls": text}, source)


def as_table(found: Sequence[dict[str, Any]]) -> str:
    """Return a row for each crawl, the means, and what each case gives beyond none, with its standard error."""
    header = [
        "web",
        "topic",
        *("no verdict" if not n else f"{n}, {order}" for n, order in CASES),
        "delivered as judged",
    ]
    rows = []
    for each in found:
        n_right, n_judged = np.sum([case["right"] for case in each["cases"]], axis=0).tolist()
        cells = [f"{case['harvest']:.3f}" for case in each["cases"]]
        rows.append([each["web"], each["topic"], *cells, f"{n_right} of {n_judged}"])
    harvests = np.array([[case["harvest"] for case in each["cases"]] for each in found])
    rows.append(["**mean**", "", *(f"{value:.3f}" for value in harvests.mean(axis=0)), ""])
    gains = harvests[:, 1:] - harvests[:, :1]
    errors = gains.std(axis=0, ddof=1) / len(gains) ** 0.5 if len(gains) > 1 else gains[0] * np.nan
    gained = [f"{gain:+.3f} ± {error:.3f}" for gain, error in zip(gains.mean(axis=0), errors, strict=True)]
    rows.append(["**beyond no verdict**", "± standard error", "", *gained, ""])
    return table(header, rows)


def starts(name: str, n_topics: int, options: argparse.Namespace) -> Iterator[tuple[str, Path, Path]]:
    """Train for the topics of a web, or find what was trained; yield the web, its labels, and a file about each draw."""
    folder = folder_of(name, options.data, options.webs)
    output = options.output.resolve() / name
    output.mkdir(parents=True, exist_ok=True)
    labels = folder / f"{name}.labels.tsv"
    if name == "grass":
        arguments = ["--web", str(folder / "grass.warc.gz"), "--labels", str(labels), "--seeds", "5"]
        arguments += ["--topics", GRASS.split(",")[0]]
    elif name == DEMO:
        arguments = ["--web", DEMO, "--largest", str(n_topics)]
        labels = output / "labels.tsv"
        write_labels(DemoWeb(), labels)
    else:
        arguments = web_arguments(name, folder)
        arguments[arguments.index("--topics") + 1] = first_topics(name, n_topics)
    # Only its topics and seeds are used: the crawls are short.
    chosen = ["--strategies", "adaptive", "--pages", "10", "--start", "examples", "--quiet"]
    if not (output / "results.csv").is_file():
        evaluate([*arguments, *chosen, "--repeats", str(options.draws)], output, 1)
    for path in sorted((output / "groups").glob("*.json")):
        yield name, labels, path


def measured(name: str, labels: Path, group: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Crawl for a topic in all cases; return the figures of each. What is finished is kept."""
    about = json.loads(group.read_text(encoding="utf-8"))
    relevant = labelled(labels, about["topic"])
    models = group.parent.parent / "models"
    folder = options.output.resolve() / "crawls" / about["name"]
    web = "demo" if name == "demo" else str(about["warc"])
    command = ["crawl", "focused", "-a", f"topic={about['name']}", "-a", f"web={web}", "-s", "LOG_LEVEL=WARNING"]
    command += ["-a", f"seeds={','.join(about['seeds'])}", "-s", "CONCURRENT_REQUESTS=1"]
    half = folder / "half"
    if not (folder / "half.done").exists():
        shutil.rmtree(folder, ignore_errors=True)
        scrapy(*command, "-a", f"run_dir={half}", "-a", f"max_pages={PAGES // 2}", models_dir=models)
        (folder / "half.done").touch()
    cases = []
    for n, order in CASES:
        run_dir, done = folder / f"{n}-{order}", folder / f"{n}-{order}.json"
        if not done.exists():
            shutil.rmtree(run_dir, ignore_errors=True)
            shutil.copytree(half, run_dir)
            said = judged(run_dir, order, n, relevant)
            scrapy(*command, "-a", f"run_dir={run_dir}", "-a", f"max_pages={PAGES}", models_dir=models)
            figures = {"harvest": harvest_of_rest(run_dir, relevant), "right": as_judged(run_dir, said)}
            done.write_text(json.dumps(figures), encoding="utf-8")
        cases.append(json.loads(done.read_text(encoding="utf-8")))
        say(f"{about['name']}, {n} verdicts, {order}: {cases[-1]['harvest']:.3f}")
    return {"web": name, "topic": about["name"], "cases": cases}


def labelled(labels: Path, topic: str) -> set[str]:
    """Return the URLs of the pages that have a topic's label."""
    lines = (line.partition("\t") for line in labels.read_text(encoding="utf-8").split("\n"))
    return {url for url, _, names in lines if topic in names.split("|")}


def harvest_of_rest(run_dir: Path, relevant: set[str]) -> float:
    """Return the share of relevant pages in the second half of a crawl."""
    with (run_dir / "fetched.csv").open(newline="", encoding="utf-8") as file:
        rest = list(csv.DictReader(file))[PAGES // 2 :]
    return float(np.mean([bool({row["url"], row["location"]} & relevant) for row in rest]))


def as_judged(run_dir: Path, said: dict[str, bool]) -> tuple[int, int]:
    """Return how many judged pages are delivered as they were judged, and how many were judged."""
    with (run_dir / "pages.jsonl").open(encoding="utf-8") as file:
        held = {json.loads(line)["url"] for line in file}
    with closing(open_collection(run_dir / "collection.sqlite", read_only=True)) as sql:
        collected = {url for (url,) in sql.execute("SELECT url FROM pages WHERE delivered = 1")}
    return sum((url in held) == (url in collected) == wanted for url, wanted in said.items()), len(said)


def judged(run_dir: Path, order: str, n: int, relevant: Iterable[str]) -> dict[str, bool]:
    """Judge pages by their labels, in the order of the queue; return what was said."""
    said: dict[str, bool] = {}
    with JudgingSession(run_dir, "labels", order) as session:
        while len(said) < n and (shown := session.next()) is not None:
            wanted = bool({shown.row["url"], shown.row["location"]} & set(relevant))
            session.say(wanted)
            said[shown.row["url"]] = wanted
    return said


if __name__ == "__main__":
    main()
