"""Patience: what a polite crawl finds that waits for the hosts of good links, in how much time; in virtual time.

For each web, `adaptive` and the oracle crawl as without delays, and with a delay of one second between two requests to a
host: never waiting (FOCUSED_PATIENCE=0), with several patiences, and with a deadline of 1, 1.5 and 4 times the mean time that
the same topic's crawls without patience took. The bound is what a clairvoyant could find in that time: of no host more
pages than its delay allows, all links known from the start. Webs: the demo web, WebKB from its seeds, and a portal of
seventeen manuals (`benchmarks/documentation_webs.py make --only docs`). The last table is the cost of a pop.

Examples
--------
  python benchmarks/patience.py --webs ../webs
  python benchmarks/patience.py --only demo --no-write
"""

from __future__ import annotations

import csv
import json
import shutil
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from types import SimpleNamespace
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from common import ROOT, chosen_names, machine, scrapy, table
from evaluations.running import evaluate
from known_webs import DEMO, folder_of, web_parser
from provenance import CRAWL_ROOMS, now, write_blocks

if TYPE_CHECKING:
    import argparse

DELAY_SECS = 1.0
CONCURRENCY = 16
STRATEGIES = ("adaptive", "oracle")
PATIENCES = ("1.75", "3.5", "5")
DEADLINES = (1.0, 1.5, 4.0)
_DRAWS = 2
WITHOUT_DELAYS, IMPATIENT = "no delays", "never waits"
CRAWLS_OF_WEBS = {DEMO: 500, "webkb": 500, "docs": 300}
"""Pages of each web's crawls."""
TOPICS = {DEMO: "astronomy,railways,music,medicine", "webkb": "student,course", "docs": "sql,plotting"}
# Of the cost of a pop.
_N_LINKS, _N_HOSTS, _N_POPS, _REPEATS, _LINKS_OF_PAGE = 100_000, 1_000, 10_000, 7, 40


@dataclass(frozen=True)
class Crawled:
    """One crawl: its row of results.csv, and the most that its time allows."""

    relevant: float
    minutes: float
    topic: str
    possible: float


def main() -> None:
    webs = tuple(CRAWLS_OF_WEBS)
    parser = web_parser(__doc__, "patience", webs)
    parser.add_argument("--repeats", type=int, default=_DRAWS, help=f"draws of a topic (default: {_DRAWS})")
    parser.add_argument("--cost", action="store_true", help="measure the cost of a pop only")
    options = parser.parse_args()
    if options.cost:
        blocks = {"cost of patience": cost()}
        if options.no_write:
            print(blocks["cost of patience"])
            return
        of_cost = {"links": _N_LINKS, "hosts": _N_HOSTS, "pops": _N_POPS}
        write_blocks(blocks, now("python benchmarks/patience.py --cost", ["focused/frontier"], of_cost))
        return
    rows = [row for name in chosen_names(options.only, webs) for row in web_rows(name, options)]
    heads = [
        "web",
        "crawl",
        *(f"{name}: {what}" for name in STRATEGIES for what in ("relevant", "of no delays", "time")),
    ]
    text = f"{table([*heads, 'possible'], rows)}\n\n{machine()}."
    blocks = {"patience": text, "cost of patience": cost()}
    if options.no_write:
        print("\n\n".join(blocks.values()))
        return
    settings = {
        "delay": DELAY_SECS,
        "concurrency": CONCURRENCY,
        "pages": CRAWLS_OF_WEBS,
        "topics": TOPICS,
        "repeats": options.repeats,
    }
    write_blocks(blocks, now("python benchmarks/patience.py --webs ../webs", CRAWL_ROOMS, settings))


def web_rows(name: str, options: argparse.Namespace) -> list[list[str]]:
    """Crawl a web in all ways, or read what was crawled; return its rows of the table."""
    output = options.output.resolve() / name
    arguments = [*web_options(name, options), "--pages", str(CRAWLS_OF_WEBS[name]), "--quiet"]
    arguments += ["--repeats", str(options.repeats), "--concurrency", str(CONCURRENCY)]
    polite = ["--delay", str(DELAY_SECS)]

    def crawl(title: str, *more: str, strategies: tuple[str, ...] = STRATEGIES) -> dict[str, list[Crawled]]:
        folder = output / file_name(title)
        if not is_done(folder):
            if title != WITHOUT_DELAYS and not (folder / "models").is_dir():  # the same examples give the same models
                folder.mkdir(parents=True, exist_ok=True)
                shutil.copytree(output / file_name(WITHOUT_DELAYS) / "models", folder / "models")
            evaluate([*arguments, "--strategies", ",".join(strategies), *more], folder, options.jobs)
        return read(folder)

    free = crawl(WITHOUT_DELAYS)
    impatient = crawl(IMPATIENT, *polite, "-s", "FOCUSED_PATIENCE=0")
    found = {WITHOUT_DELAYS: free, IMPATIENT: impatient}
    for patience in PATIENCES:
        given = "-s", f"FOCUSED_PATIENCE={patience}"
        found[f"patience {patience}"] = crawl(f"patience {patience}", *polite, *given)
    for times in DEADLINES:
        parts: dict[str, list[Crawled]] = {strategy: [] for strategy in STRATEGIES}
        for strategy in STRATEGIES:
            for topic in {each.topic: None for each in impatient[strategy]}:
                minutes = times * minutes_of(topic, impatient[strategy])
                more = "-s", f"FOCUSED_MAX_MINUTES={minutes:.4f}", "--topics", topic
                title = f"deadline {times} {strategy} {topic}"
                parts[strategy] += crawl(title, *polite, *more, strategies=(strategy,))[strategy]
        found[f"deadline {times:g} x"] = parts
    return [row(name, title, crawls, free, impatient) for title, crawls in found.items()]


def file_name(title: str) -> str:
    """Return the name of the folder of a web's crawls."""
    return title.replace(" ", "-")


def is_done(folder: Path) -> bool:
    """Tell whether an evaluation has nothing left to do: to find that out by its command takes seconds."""
    try:
        run = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return run["state"] == "finished" and not run["n_failed"]


def minutes_of(topic: str, crawls: list[Crawled]) -> float:
    """Return the mean time of a topic's crawls."""
    return fmean(each.minutes for each in crawls if each.topic == topic)


def row(
    web: str,
    title: str,
    crawls: dict[str, list[Crawled]],
    free: dict[str, list[Crawled]],
    impatient: dict[str, list[Crawled]],
) -> list[str]:
    """Return a row: of each strategy mean relevant pages, their share of those without delays, and the time."""
    cells = []
    for strategy in STRATEGIES:
        mine = crawls[strategy]
        share = sum(each.relevant for each in mine) / sum(each.relevant for each in free[strategy])
        relevant = f"{fmean(each.relevant for each in mine):.0f}"
        if title == WITHOUT_DELAYS:
            cells += [relevant, "1", ""]
            continue
        times = [each.minutes / usual for each in mine for usual in [minutes_of(each.topic, impatient[strategy])]]
        minutes = fmean(each.minutes for each in mine)
        cells += [relevant, f"{share:.3f}", f"{minutes:.2f} min, x {fmean(times):.2f} ({max(times):.2f})"]
    possible = "" if title == WITHOUT_DELAYS else f"{fmean(each.possible for each in crawls[STRATEGIES[0]]):.0f}"
    return [web, title, *cells, possible]


def web_options(name: str, options: argparse.Namespace) -> list[str]:
    """Return the options of ``scrapy evaluate`` that name a web, its topics and its seeds."""
    if name == DEMO:
        file = options.output.resolve() / "demo-web" / "demo"
        if not Path(f"{file}.warc.gz").is_file():
            file.parent.mkdir(parents=True, exist_ok=True)
            scrapy("demo", "--warc", f"{file}.warc.gz", "--labels", f"{file}.labels.tsv", models_dir=ROOT / "models")
        seeds = []
    else:
        file = folder_of(name, options.data, options.webs) / name
        seeds = ["--seeds", f"{file}.seeds.txt"]
    return ["--web", f"{file}.warc.gz", "--labels", f"{file}.labels.tsv", "--topics", TOPICS[name], *seeds]


def read(folder: Path) -> dict[str, list[Crawled]]:
    """Read the crawls of an evaluation, by strategy."""
    found: dict[str, list[Crawled]] = {}
    with (folder / "results.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    groups = [json.loads(path.read_text(encoding="utf-8")) for path in (folder / "groups").glob("*.json")]
    targets = {group["topic"]: Counter(urlsplit(url).hostname for url in group["targets"]) for group in groups}
    for each in rows:
        minutes = 60 * float(each.get("virtual_hours") or 0)
        n_of_host = 60 * minutes / DELAY_SECS + 1
        possible = min(float(each["budget"]), sum(min(n, n_of_host) for n in targets[each["topic"]].values()))
        crawled = Crawled(float(each["relevant"]), minutes, each["topic"], possible)
        found.setdefault(each["strategy"], []).append(crawled)
    return found


def cost() -> str:
    """Return a table of what a pop of the frontier costs without and with patience, and what a link that is found does."""
    kinds = (False, True)
    # In turns, so that what else the machine does is no difference between them.
    rounds = [[timed(is_patient=kind) for kind in kinds] for _ in range(_REPEATS)]
    runs = dict(zip(kinds, zip(*rounds, strict=True), strict=True))
    least = {kind: [min(each) * 1e6 for each in zip(*runs[kind], strict=True)] for kind in kinds}
    rows = [["never waits", *least[False]], ["patient", *least[True]]]
    rows.append(["difference", *(mine - other for mine, other in zip(least[True], least[False], strict=True))])
    cells = [[name, *(f"{figure:.1f}" for figure in figures)] for name, *figures in rows]
    about = f"{_N_LINKS:,} links on {_N_HOSTS:,} hosts, {_N_POPS:,} pops; CPU time, the least of {_REPEATS} runs."
    return f"{table(['frontier', 'a link that is found, us', 'a pop, us'], cells)}\n\n{about}"


def timed(*, is_patient: bool) -> tuple[float, float]:
    """Return the seconds of CPU for a link that a frontier takes in, and for one that it hands out."""
    from focused.frontier.allowance import Allowance, LinkSupply, RequestPace
    from focused.frontier.patience import Patience
    from focused.frontier.store.link import FrontierLink
    from focused.frontier.store.store import FrontierStore
    from focused.method.scoring.evidence import Evidence
    from focused.utils.clock import Clock

    with tempfile.TemporaryDirectory() as folder:
        store = FrontierStore(Path(folder) / "frontier.sqlite")
        patience = None
        if is_patient:
            hosts = SimpleNamespace(delay_of=lambda _: DELAY_SECS, resting=dict, clock=Clock())
            stats = SimpleNamespace(get_value=lambda _, default: default, set_value=lambda *_: None)
            left = iter(range(2 * _N_POPS, 0, -1))
            patience = Patience(
                LinkSupply(store, store.count_waiting(1000.0)),
                RequestPace(hosts, CONCURRENCY, begins=lambda: False),
                Allowance(lambda: _N_POPS, lambda: next(left), factor=0.0, max_secs=1e6, spent_secs=lambda: 0.0),
                stats=stats,
            )
        scores = [number * 7919 % 1000 / 1000 for number in range(_N_LINKS)]
        links = [
            FrontierLink(number, f"http://h{number % _N_HOSTS}.org/{number}", Evidence(score, 0, admitted=True))
            for number, score in enumerate(scores)
        ]
        start = time.process_time()
        for first in range(0, _N_LINKS, _LINKS_OF_PAGE):
            store.add(links[first : first + _LINKS_OF_PAGE])
            if patience is not None:
                patience.by_level.page_ended()
        added = time.process_time() - start
        start = time.process_time()
        for _ in range(_N_POPS):
            link = store.next(None, 0.0, None if patience is None else patience.least_priority()) or store.next()
            assert link is not None
            if patience is not None:
                patience.note_lease(link)
                patience.by_level.page_ended()
        popped = time.process_time() - start
        store.close()
    return added / _N_LINKS, popped / _N_POPS


if __name__ == "__main__":
    main()
