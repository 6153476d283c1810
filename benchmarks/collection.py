"""How large a collection of 100,000 pages is, and how long a search in it takes.

The pages are made of the sentences of demo pages, some 3 kB of text each, so words are as frequent as in prose. Each is
written as a crawl writes it, a transaction a page. Searches are those of `focused.collection.view.CollectionView.search`: the
best 20 pages, with the place where the words stand. Times are wall clock and CPU, on a file that has just been
opened; mostly the first search of a kind is the worst.

Examples
--------
  python benchmarks/collection.py --write          the table of docs/results/collection.md
  python benchmarks/collection.py --pages 10000    a look
"""

from __future__ import annotations

import argparse
import random
import statistics
import tempfile
import time
from collections import Counter
from pathlib import Path

from common import machine, say, table
from provenance import now, write_blocks

from focused.collection.page import CollectedPage
from focused.collection.store import CollectionStore
from focused.collection.view import CollectionView
from focused.method.page.reader import PageReader
from focused.method.text.analyzer import Analyzer
from focused.utils.file_names import COLLECTION_FILE
from focused.webs import open_web

ROOMS = ["focused/collection"]
N_SEARCHES = 40


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=100_000, metavar="N", help="pages (default: 100,000)")
    parser.add_argument("--write", action="store_true", help="write the table into docs/results")
    options = parser.parse_args()
    texts = sentences()
    counts = Counter(word for text in texts for word in set(text.split()))
    by_count = [word for word, _ in counts.most_common() if word.isascii() and word.isalpha() and len(word) > 2]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / COLLECTION_FILE
        seconds = fill(path, texts, options.pages)
        size = path.stat().st_size
        rows = [[what, *measured(Path(folder), queries)] for what, queries in kinds(by_count, texts).items()]
    facts = (
        f"{options.pages:,} pages, {size / 1e6:,.0f} MB ({size / options.pages / 1e3:.1f} kB a page), written in "
        f"{1e3 * seconds / options.pages:.2f} ms of CPU a page, with the index."
    )
    head = ["words", "pages that hold them", "ms, median", "ms, worst", "ms of CPU, median", "worst"]
    text = f"{machine()} {facts}\n\n{table(head, rows)}"
    print(text)
    if options.write:
        write_blocks({"search in a collection": text}, now("python benchmarks/collection.py", ROOMS))


def sentences() -> list[str]:
    """Return sentences of demo pages."""
    web, reader, found = open_web("demo", {}), PageReader(Analyzer("en")), []
    for url, body in web.unlabeled(400):
        page = reader.read(body, url, "text/html")
        found += [each.strip() for line in page.text.split("\n") for each in line.split(". ") if each.count(" ") > 3]
    return found


def fill(path: Path, texts: list[str], n_pages: int) -> float:
    """Write the pages; return the CPU time that it took, in seconds."""
    draw, seconds = random.Random(0), 0.0
    store = CollectionStore(path, max_irrelevant=n_pages)
    for number in range(1, n_pages + 1):
        said = draw.choices(texts, k=30)
        terms = dict(Counter(" ".join(said).lower().split()))
        page = CollectedPage(
            number, url_of(number), title=said[0][:60], text=". ".join(said),
            relevance=draw.random(), relevant=number % 3 > 0, threshold=0.5, terms=terms, sha256=f"{number:064x}",
        )  # fmt: skip
        start = time.process_time()
        store.add(page)
        seconds += time.process_time() - start
        if number % 10_000 == 0:
            say(f"{number:,} pages written")
    start = time.process_time()
    store.close()
    return seconds + time.process_time() - start


def url_of(number: int) -> str:
    """Return the URL of a page."""
    return f"http://h{number % 997}.example/pages/{number}.html"


def kinds(by_count: list[str], texts: list[str]) -> dict[str, list[str]]:
    """Return queries of several kinds."""
    draw = random.Random(1)
    often, rare = by_count[:60], by_count[-2_000:]
    phrases = [" ".join(text.split()[1:3]) for text in draw.sample(texts, 4 * N_SEARCHES)]
    return {
        "a word of one in some hundred sentences": draw.choices(often, k=N_SEARCHES),
        "a rare word": draw.choices(rare, k=N_SEARCHES),
        "two words": [f"{draw.choice(often)} {draw.choice(by_count[:500])}" for _ in range(N_SEARCHES)],
        "one of three words": [" OR ".join(draw.choices(by_count[:500], k=3)) for _ in range(N_SEARCHES)],
        "a phrase": [f'"{each}"' for each in phrases if each.replace(" ", "").isalpha()][:N_SEARCHES],
    }


def measured(run_dir: Path, queries: list[str]) -> list[str]:
    """Return how many pages queries find, and how long they take."""
    seconds, cpu, n_found = [], [], []
    with CollectionView(run_dir) as view:
        for query in queries:
            start, start_cpu = time.perf_counter(), time.process_time()
            view.search(query)
            seconds.append(time.perf_counter() - start)
            cpu.append(time.process_time() - start_cpu)
        for query in queries[:5]:
            n_found.append(sum(1 for _ in view.rows("SELECT 1 FROM pages_fts WHERE pages_fts MATCH ?", [query])))
    return [
        f"{statistics.median(n_found):,.0f}",
        f"{1e3 * statistics.median(seconds):.0f}",
        f"{1e3 * max(seconds):.0f}",
        f"{1e3 * statistics.median(cpu):.0f}",
        f"{1e3 * max(cpu):.0f}",
    ]


if __name__ == "__main__":
    main()
