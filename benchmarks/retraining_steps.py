"""For how long learning keeps a crawl from anything else: the longest single step of each kind, in CPU time.

    python benchmarks/retraining_steps.py                        # all, at the sizes that the settings allow
    python benchmarks/retraining_steps.py links --pages 2000     # strategy adaptive only, smaller

``links``: the strategy ``adaptive`` on a made-up web, until its memory is full and for as long again: 100,000 links with
four referrers each, 5,000 latest and 1,000 relevant outcomes, and one page with 10,000 links. ``model``: what follows on
a new page model: it is loaded, and 100,000 waiting links of 1,000 kept pages are scored again. ``worker``: the process that
trains is started and asked. ``joining``: pages of documentation join, the one with most links among them; for comparison,
what it costs to read and judge them. ``verdicts``: a feed is read. What happens at a crawl's start keeps nobody waiting.

The bar is 200 ms; steps of 50 ms of CPU time keep it on a machine that is half as fast, or busy.
"""

from __future__ import annotations

import argparse
import gc
import itertools
import json
import random
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from common import DOCUMENTATION, documentation, machine, say, table, train_documentation_topic

from focused.crawl.judging import Judging
from focused.frontier.session_records import SessionRecords
from focused.frontier.store.answers import NEW
from focused.frontier.store.link import FrontierLink
from focused.frontier.store.rescoring import rescore
from focused.frontier.store.store import FrontierStore
from focused.method.page.reader import PageReader
from focused.method.scoring import Evidence, Visit
from focused.method.scoring.base import BY_ADAPTIVE
from focused.method.strategies import make_strategy
from focused.method.strategies.linkmodel.page_links import PageLinks
from focused.method.strategies.linkmodel.session import LinkSession
from focused.method.text.analyzer import Analyzer
from focused.method.topic import load_topic
from focused.method.topic.judge import Judge
from focused.method.training.term_counting import count, counted_link
from focused.retraining.drift import example_relevance
from focused.retraining.feedback_files import FeedbackFiles
from focused.retraining.judged_pages import term_counts
from focused.retraining.kept_pages import KeptPages
from focused.retraining.rescoring import LinkScoresByUrl, Rejudging
from focused.retraining.training_process import TrainingProcess
from focused.retraining.training_task import Task

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

_N_HOSTS, _N_WORDS = 2_000, 5_000
_LINKS_OF_PAGE, _NEW_LINKS_OF_PAGE = 75, 25


class Steps:
    """CPU and wall time of steps by name."""

    def __init__(self) -> None:
        self._taken: dict[str, list[tuple[float, float]]] = defaultdict(list)
        self._sizes: dict[str, str] = {}

    def take(self, name: str, step: Callable[[], Any], size: str = "") -> Any:
        """Do a step, and note how long it took."""
        wall, cpu = time.perf_counter(), time.process_time()
        done = step()
        self._taken[name].append((time.process_time() - cpu, time.perf_counter() - wall))
        if size:
            self._sizes[name] = size
        return done

    def each(self, name: str, work: Generator[Any, None, Any], size: str = "") -> Any:
        """Do work step by step, note how long each took, and return what comes out."""
        found: list[Any] = []

        def step() -> bool:
            try:
                next(work)
            except StopIteration as end:
                found.append(end.value)
            return not found

        while self.take(name, step, size):
            pass
        return found[0]

    def rows(self) -> list[list[str]]:
        """Return one row for each kind of step."""
        found = []
        for name, taken in self._taken.items():
            cpu, wall = np.array(taken).T * 1000
            found.append(
                [
                    *(name, f"{len(cpu)}", f"{cpu.max():.1f}", f"{cpu.mean():.2f}", f"{cpu.sum():.0f}"),
                    *(f"{wall.max():.1f}", self._sizes.get(name, "")),
                ]
            )
        return found


# --- Links: the strategy adaptive


class MadeUpWeb:
    """Pages of 75 links: 25 nobody has linked to yet, 50 to any others; what is fetched is drawn at random."""

    def __init__(self, seed: int) -> None:
        self._random = np.random.default_rng(seed)
        self._n_known = 1

    def page(self, number: int, n_new: int = _NEW_LINKS_OF_PAGE) -> PageLinks:
        """Return what a page says of its links."""
        rng = self._random
        new = range(self._n_known, self._n_known + n_new)
        self._n_known += n_new
        ids = list(dict.fromkeys([*new, *rng.integers(0, self._n_known, _LINKS_OF_PAGE - _NEW_LINKS_OF_PAGE).tolist()]))
        n = len(ids)
        return PageLinks(
            urls=(self.url(int(rng.integers(0, self._n_known))),),
            relevance=float(rng.random() ** 3),
            host=f"host{number % _N_HOSTS}.example",
            links=[self.url(i) for i in ids],
            blocks=rng.integers(0, 6, n),
            places=rng.integers(0, 640, n),
            logits=rng.normal(-1, 2, (n, 4)).round(3),
            anchors=[tuple(sorted(set(rng.integers(1, 3000, 3).tolist()))) for _ in range(n)],
        )

    @staticmethod
    def url(number: int) -> str:
        """Return the URL of a page."""
        return f"http://host{number % _N_HOSTS}.example/w{number % 97}/w{number * 7 % 499}/w{number % _N_WORDS}-{number}.html"


def links(steps: Steps, options: argparse.Namespace) -> None:
    """Learn from pages until the memory is full, and for as long again; then as a crawl that goes on does."""
    with tempfile.TemporaryDirectory() as folder:
        store = FrontierStore(Path(folder) / "frontier.sqlite")
        web, session = MadeUpWeb(options.seed), LinkSession(max_links=options.max_links, credit=0.3)
        learning, memory = SessionRecords(store, session), session.memory
        session.note_waiting(MadeUpWeb.url(0), 0, 1.0)
        for number in range(options.pages):
            has_many = number == options.pages - options.pages // 8
            found = web.page(number, options.links_of_page if has_many else _NEW_LINKS_OF_PAGE)
            size = f"{len(memory.links):,} links, {len(memory.evidence):,} referrers"
            what = f"adaptive: a page of {options.links_of_page if has_many else _LINKS_OF_PAGE:,} links"
            session._records[found.urls[0]] = found
            scores = steps.each(f"{what}, learnt from", session._learn_in_steps(found), size)[1]
            for url, score in zip(found.links, scores.tolist(), strict=True):
                if store.add([FrontierLink(hash(url), url, Evidence(score, BY_ADAPTIVE, admitted=True))]) == [NEW]:
                    learning.note_waiting(url, score)
            steps.take(f"{what}, its end: record, links that move", lambda: learning.page_ended(found.urls[0]))  # noqa: B023
            store.commit()
            if number % 500 == 499:
                say(f"{number + 1} pages, {size}, {session.figures}")
        store.close()
        store = FrontierStore(Path(folder) / "frontier.sqlite")
        again = LinkSession(max_links=options.max_links, credit=0.3)
        n_records = sum(1 for _ in store.records(again.max_recorded_links))
        steps.take(
            "adaptive, at the start: all",
            SessionRecords(store, again).resume,
            f"{n_records:,} pages, {len(store):,} links",
        )
        store.close()


# --- A new page model


def loaded(models_dir: Path) -> Judge:
    """Do what has to be done before a version of the model can judge."""
    topic = load_topic("python", models_dir)
    judge = Judge(topic)
    _ = topic.product
    example_relevance(topic, topic.examples)
    return judge


def model(steps: Steps, options: argparse.Namespace) -> None:
    """Load a model, and score waiting links of kept pages again."""
    with tempfile.TemporaryDirectory() as name:
        folder, bodies = Path(name), [page for page in documentation([DOCUMENTATION]) if page.stat().st_size < 200_000]
        models_dir = train_documentation_topic(bodies, folder, options.seed)
        topic = load_topic("python", models_dir)
        judge, strategy, pages = Judge(topic), make_strategy("cbp_slc"), KeptPages(options.kept_pages)
        reader = PageReader(Analyzer("en"))
        store = FrontierStore(folder / "frontier.sqlite")
        n_links = 0
        random.Random(options.seed).shuffle(bodies)
        for number, body in enumerate(itertools.islice(itertools.cycle(bodies), 20 * options.kept_pages)):
            page = reader.read(body.read_bytes(), f"http://host{number % _N_HOSTS}.example/{number}/")
            if not 30 <= page.n_links <= 300:
                continue
            pages.keep(page, Visit())
            scores = strategy.score(page, judge.judge(page, strategy.kinds), Visit())
            found = zip(page.link_numbers, scores.scores.tolist(), scores.reasons.tolist(), strict=True)
            store.add(
                [FrontierLink(hash(url), url, Evidence(score, reason, admitted=True)) for url, score, reason in found]
            )
            n_links += page.n_links
            if len(pages) == options.kept_pages:
                break
        store.commit()
        size = f"{len(store):,} links of {len(pages):,} pages"
        say(size)
        judge = steps.take("page model: loaded and put in place", lambda: loaded(models_dir))
        scores = LinkScoresByUrl(None)
        rejudged = Rejudging(Judging(judge, strategy), pages, lambda url: None).pages()

        def kept_page() -> bool:
            for kept, relevance in itertools.islice(rejudged, 1):
                scores.add(kept.page, strategy.score(kept.page, relevance, kept.visit))
                return True
            return False

        while steps.take("waiting links: a kept page", kept_page, size):
            pass
        work = rescore(store, scores.of_waiting, slice_links=1000)
        while steps.take("waiting links: 1,000 of the frontier", lambda: next(work, None), size) is not None:
            pass
        steps.take("waiting links: commit", store.commit)
        say(f"{scores.n_scored} scored again, {scores.n_left} left")
        store.close()


def worker(steps: Steps, options: argparse.Namespace) -> None:
    """Ask for a training from 4,000 pages and 2,000 verdicts; nobody answers."""
    with tempfile.TemporaryDirectory() as folder:
        trainer = TrainingProcess(60, [sys.executable, "-c", "import sys; sys.stdin.read()"])
        task = Task(
            *(2, 1, "topic", "models", folder, 10**8, {str(n): bool(n % 2) for n in range(4000)}, list(range(2000))),
            *(0.02, options.seed, True, False),
        )
        steps.take("worker: started and asked", lambda: trainer.ask(task), "4,000 labels")
        steps.take("worker: asked again", lambda: trainer.ask(task))
        steps.take("worker: looked at", trainer.poll)
        steps.take("worker: ended", trainer.close)


def joining(steps: Steps, options: argparse.Namespace) -> None:
    """Write down what is learnt from pages: from 200 at random, and that with most links of those of 0.2 to 2 MB."""
    every = documentation([DOCUMENTATION])
    reader = PageReader(Analyzer("en"))
    large = [reader.read(path.read_bytes(), "http://h.org/") for path in every if 2e5 < path.stat().st_size < 2e6]
    most = max(large, key=lambda page: page.n_links)
    some = random.Random(options.seed).sample(every, 200)
    for page in [*(reader.read(path.read_bytes(), "http://h.org/") for path in some), most]:
        what = f"joining: a page of {most.n_links:,} links" if page is most else "joining: a page"
        steps.take(f"{what}, terms", lambda: term_counts(count(page.terms)), f"up to {len(page.terms):,} words")  # noqa: B023
        if page.n_links:
            texts = steps.take(f"{what}, texts of a link", lambda: counted_link(page, page.n_links - 1))  # noqa: B023
            assert texts


def verdicts(steps: Steps, options: argparse.Namespace) -> None:
    """Read 20,000 verdicts."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "verdicts.jsonl"
        lines = (json.dumps({"url": MadeUpWeb.url(i), "relevant": bool(i % 2)}) for i in range(20_000))
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        files = FeedbackFiles(path)
        while True:
            found = steps.take("verdicts: a look", files.read_new, "20,000 verdicts")
            if not files.has_more and not found:
                break


PARTS = {"links": links, "model": model, "worker": worker, "joining": joining, "verdicts": verdicts}


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", default=list(PARTS), help=", ".join(PARTS))
    parser.add_argument("--pages", type=int, default=8_000, help="pages that adaptive learns from (default: 8000)")
    parser.add_argument("--max-links", type=int, default=100_000, help="FOCUSED_ADAPTIVE_MAX_LINKS (default: 100000)")
    parser.add_argument("--links-of-page", type=int, default=10_000, help="links of the largest page (default: 10000)")
    parser.add_argument("--kept-pages", type=int, default=1_000, help="whose links are scored again (default: 1000)")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    steps = Steps()
    gc.disable()
    for part in options.parts:
        PARTS[part](steps, options)
    print(machine())
    print(table(["step", "times", "longest CPU ms", "mean", "all", "longest wall ms", "size"], steps.rows()))


if __name__ == "__main__":
    main()
