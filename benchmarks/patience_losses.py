"""Where polite crawls of the demo web lose relevant pages: by the rule, by their scores, or by what they have not found.

Simulated are crawls over the web's link graph, with a second between two requests to a host, that take the pages' scores
from the frontiers which `benchmarks/patience.py` has left. One knows nothing but these scores, and asks for no link below
the cut that was the best for it, of all cuts, in hindsight. One knows of each link that it has found whether its page is
relevant, and spends as many pages on others as was best in hindsight. Both begin as `adaptive` does, with few requests
under way.

Example
-------
  python benchmarks/patience.py --only demo --no-write
  python benchmarks/patience_losses.py
"""

from __future__ import annotations

import heapq
import json
import random
import sqlite3
from collections import defaultdict
from contextlib import closing
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from common import table
from known_webs import DEMO, web_parser
from patience import CONCURRENCY, DELAY_SECS, file_name, is_done, read
from provenance import CRAWL_ROOMS, now, write_blocks

from focused.evaluation.graph import load_graph

if TYPE_CHECKING:
    from collections.abc import Callable

    from patience import Crawled

STRATEGY = "adaptive"
TIMES = {1.0: "deadline 1.0", 1.5: "deadline 1.5", 3.5: "patience 3.5", 4.0: "deadline 4.0"}
"""The crawls that the simulated ones stand beside, by the time they have, in that of a crawl that never waits."""
CUTS = [number / 40 for number in range(40)]
SPARE_PAGES = (0, 20, 50, 100, 150, 200)
_LATENCY_SECS, _WARM_UP_PAGES = 0.3, 50


class SimulatedWeb:
    """The pages of a web by number: their hosts, targets, scores, and whether they are relevant."""

    def __init__(self, group: dict[str, Any], frontiers: list[Path]) -> None:
        graph = load_graph(Path(group["graph"]))
        assert graph is not None
        number = graph.page_number
        page_of = number | dict(zip(graph.links, graph.link_page.tolist(), strict=True))
        self.targets = graph.targets
        self.hosts = [urlsplit(url).hostname for url in graph.pages]
        self.relevant = {number[url] for url in group["relevant"] if url in number}
        self.positives = {number[url] for url in group["positives"] if url in number}
        self.seeds = [page_of[url] for url in group["seeds"]]
        self.n_pages = group["pages"]
        found: dict[int, list[float]] = defaultdict(list)
        for path in frontiers:
            with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as sql:
                for url, score in sql.execute("SELECT url, score FROM links WHERE extra = 0"):
                    found[page_of.get(url, -1)].append(score)
        # Pages that no crawl has found have the score of another that is as relevant.
        source = random.Random(1)
        like = {
            is_relevant: [scores[0] for page, scores in found.items() if (page in self.relevant) == is_relevant]
            for is_relevant in (True, False)
        }
        pages = range(len(graph.pages))
        self.scores = [source.choice(found.get(page) or like[page in self.relevant]) for page in pages]


def simulated(
    web: SimulatedWeb, scores: list[float], may_ask: Callable[[int, float], bool], most_secs: float = 1e9
) -> tuple[int, float]:
    """Crawl; return relevant pages and seconds. ``may_ask``: whether a page with a score may be asked for."""
    waiting: dict[str, list[tuple[float, int]]] = defaultdict(list)
    ready: dict[str, float] = {}
    answers: list[tuple[float, int]] = []
    found: set[int] = set()
    n_pages = n_relevant = n_ended = 0
    now_secs = 0.0

    def take_in(pages: list[int]) -> None:
        for page in pages:
            if page not in found:
                found.add(page)
                heapq.heappush(waiting[web.hosts[page]], (-2.0 if page in web.seeds else -scores[page], page))

    take_in(web.seeds)
    while n_pages < web.n_pages:
        most = CONCURRENCY if n_ended >= _WARM_UP_PAGES else min(CONCURRENCY, 2 + n_ended // 5)
        while len(answers) < min(most, web.n_pages - n_pages):
            asked = [(links[0], host) for host, links in waiting.items() if links and ready.get(host, 0.0) <= now_secs]
            if not asked:
                break
            (score, page), host = min(asked)
            # Where nothing is under way and nothing better waits the best is asked for, so that no crawl stands still.
            if not may_ask(page, -score) and (
                answers or any(links and may_ask(links[0][1], -links[0][0]) for links in waiting.values())
            ):
                break
            heapq.heappop(waiting[host])
            start = now_secs if host in ready else now_secs + DELAY_SECS  # the first turn is that of robots.txt
            ready[host] = start + DELAY_SECS
            heapq.heappush(answers, (start + _LATENCY_SECS, page))
        moments = [at for host, at in ready.items() if at > now_secs and waiting[host]] + [at for at, _ in answers[:1]]
        now_secs = min(moments, default=most_secs)
        if not moments or now_secs > most_secs:
            return n_relevant, most_secs
        while answers and answers[0][0] <= now_secs:
            _, page = heapq.heappop(answers)
            n_ended += 1
            take_in(web.targets[page])
            if page not in web.positives:
                n_pages += 1
                n_relevant += page in web.relevant
    return n_relevant, now_secs


def best_cut(web: SimulatedWeb, secs: float) -> int:
    """Return how many relevant pages the best cut finds."""
    return max(simulated(web, web.scores, lambda _, score, cut=cut: score >= cut, secs)[0] for cut in CUTS)


def labels_known(web: SimulatedWeb, secs: float) -> int:
    """Return how many relevant pages a crawl finds that knows which of the links it has found lead to them."""

    def crawl(n_spare: int) -> int:
        met: set[int] = set()

        def may_ask(page: int, _: float) -> bool:
            if page in web.relevant or page in met:
                return True
            if len(met) < n_spare:
                met.add(page)
                return True
            return False

        scores = [2.0 if page in web.relevant else score for page, score in enumerate(web.scores)]
        return simulated(web, scores, may_ask, secs)[0]

    return max(crawl(n_spare) for n_spare in SPARE_PAGES)


def main() -> None:
    options = web_parser(__doc__, "patience", (DEMO,), jobs=None).parse_args()
    output = options.output.resolve() / DEMO
    groups = [json.loads(path.read_text("utf-8")) for path in sorted((output / "no-delays" / "groups").glob("*.json"))]
    webs = {}
    for group in groups:
        frontiers = sorted(output.glob(f"*/runs/{group['name']}/{STRATEGY}/frontier.sqlite"))
        webs[group["topic"]] = SimulatedWeb(group, frontiers)
    impatient = {topic: simulated(web, web.scores, lambda *_: True) for topic, web in webs.items()}
    never = fmean(n for n, _ in impatient.values())
    rows = [
        ["x 1, never waits", f"{fmean(c.relevant for c in crawls(output, 'never waits')):.0f}", f"{never:.0f}", "", ""]
    ]
    for times, title in TIMES.items():
        real = crawls(output, title)
        cut = fmean(best_cut(web, times * impatient[topic][1]) for topic, web in webs.items())
        known = fmean(labels_known(web, times * impatient[topic][1]) for topic, web in webs.items())
        cells = [fmean(each.relevant for each in real), cut, known, fmean(each.possible for each in real)]
        rows.append([f"x {times:g}", *(f"{cell:.0f}" for cell in cells)])
    heads = ["time", STRATEGY, "best cut in hindsight", "labels of found links known", "possible"]
    blocks = {"losses of patience": table(heads, rows)}
    if options.no_write:
        print(*blocks.values())
        return
    settings = {"delay": DELAY_SECS, "concurrency": CONCURRENCY, "topics": sorted(webs)}
    write_blocks(blocks, now("python benchmarks/patience_losses.py", CRAWL_ROOMS, settings))


def crawls(output: Path, title: str) -> list[Crawled]:
    """Return the crawls of a title, of all topics."""
    folders = [output / file_name(title), *output.glob(f"{file_name(title)}-{STRATEGY}-*")]
    return [each for folder in folders if is_done(folder) for each in read(folder).get(STRATEGY, [])]


if __name__ == "__main__":
    main()
