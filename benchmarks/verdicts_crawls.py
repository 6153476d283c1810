"""What verdicts give the rest of a crawl: half of the pages are fetched, verdicts given, and the crawl is resumed.

The topics, models and finished crawls are those of benchmarks/verdicts.py, from 30 examples and the general background; so a
crawl learns from verdicts when it is resumed. Honest verdicts, by the labels, in the order of the judging queue or at random.
Harvest: share of relevant pages among those of the second half, by the labels. Delivered as judged: judged pages that
`pages.jsonl` and the collection hold if and only if they were called relevant.

Examples
--------
  python benchmarks/verdicts_crawls.py --webs ../webs
  python benchmarks/verdicts_crawls.py --only webkb --no-write
"""

from __future__ import annotations

import argparse
import csv
import json
import shutil
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from common import chosen_names, machine, say, scrapy, table
from known_webs import web_parser
from provenance import CRAWL_ROOMS, now, write_blocks
from verdicts import PAGES, WEBS, recorded

from focused.collection.judging import JudgingSession
from focused.collection.schema import open_collection

if TYPE_CHECKING:
    from collections.abc import Iterable

CASES = ((0, "mixed"), (20, "mixed"), (50, "mixed"), (50, "random"))


def main() -> None:
    parser = web_parser(__doc__, "verdicts", WEBS, jobs=None)
    parser.add_argument("--topics", type=int, default=1, help="topics of each web (default: 1)")
    parser.set_defaults(jobs=1)
    options = parser.parse_args()
    rows = []
    for name in chosen_names(options.only, WEBS):
        # Of the evaluations there are by now; their topics are the first ones of the plan.
        for _, _, group, labels in list(recorded(name, "met", argparse.Namespace(**vars(options) | {"topics": 2})))[
            : options.topics
        ]:
            rows.append(measured(name, Path(group), Path(labels), options))
    means = [
        f"{np.mean([float(row[place].partition(' ')[0]) for row in rows]):.3f}" for place in range(2, len(rows[0]))
    ]
    header = [
        "web",
        "topic",
        *("no verdict" if not n else f"{n}, {order}" for n, order in CASES),
        "delivered as judged",
    ]
    text = f"{table(header, [*rows, ['**mean**', '', *means]])}\n\n{machine()}."
    if options.no_write or options.only != ",".join(WEBS):
        print(text)
        return
    source = now(
        f"python benchmarks/verdicts_crawls.py --webs ../webs --topics {options.topics}",
        [*CRAWL_ROOMS, "focused/retraining", "focused/collection"],
        {"pages": PAGES, "topics": options.topics, "repeats": 1, "positives": 30},
    )
    write_blocks({"verdicts: crawls": text}, source)


def measured(name: str, group: Path, labels: Path, options: argparse.Namespace) -> list[str]:
    """Crawl for a topic in all cases; return the row of the table."""
    about = json.loads(group.read_text(encoding="utf-8"))
    relevant = set()
    for line in labels.read_text(encoding="utf-8").split("\n"):
        url, _, names = line.partition("\t")
        if about["topic"] in names.split("|"):
            relevant.add(url)
    models = group.parent.parent / "models"
    folder = options.output.resolve() / "crawls" / about["name"]
    shutil.rmtree(folder, ignore_errors=True)
    web = "demo" if name == "demo" else str(about["warc"])
    command = ["crawl", "focused", "-a", f"topic={about['name']}", "-a", f"web={web}", "-s", "LOG_LEVEL=WARNING"]
    command += ["-a", f"seeds={','.join(about['seeds'])}", "-s", "CONCURRENT_REQUESTS=1"]
    half = folder / "half"
    scrapy(*command, "-a", f"run_dir={half}", "-a", f"max_pages={PAGES // 2}", models_dir=models)
    cells, n_judged, n_right = [], 0, 0
    for n, order in CASES:
        run_dir = folder / f"{n}-{order}"
        shutil.copytree(half, run_dir)
        said = judged(run_dir, order, n, relevant)
        scrapy(*command, "-a", f"run_dir={run_dir}", "-a", f"max_pages={PAGES}", models_dir=models)
        with (run_dir / "fetched.csv").open(newline="", encoding="utf-8") as file:
            rest = list(csv.DictReader(file))[PAGES // 2 :]
        cells.append(f"{np.mean([bool({row['url'], row['location']} & relevant) for row in rest]):.3f}")
        held = {json.loads(line)["url"] for line in (run_dir / "pages.jsonl").open(encoding="utf-8")}
        with closing(open_collection(run_dir / "collection.sqlite", read_only=True)) as sql:
            collected = {url for (url,) in sql.execute("SELECT url FROM pages WHERE delivered = 1")}
        n_judged += len(said)
        n_right += sum((url in held) == (url in collected) == wanted for url, wanted in said.items())
        say(f"{about['name']}, {n} verdicts, {order}: {cells[-1]}")
    return [name, about["name"], *cells, f"{n_right / n_judged:.3f} of {n_judged}"]


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
