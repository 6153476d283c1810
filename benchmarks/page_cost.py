"""The cost of a page (parse, partition, and the scores of all text units), against lxml's parse alone.

The pages are a random sample of the HTML documentation of installed Debian packages (without copies and redirects; the number
from each package is printed). The topic is trained on a part of it. The compared steps take turns page by page, in changing
order, in one process, in CPU time: so other load of the machine affects all alike. Bar: at most 3.6 times the parse.
"""

from __future__ import annotations

import argparse
import gc
import random
import statistics
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from common import DATA_DIR, DOCUMENTATION, documentation, machine, say, table, train_documentation_topic
from lxml import etree

from focused.method.page.blocks import partition
from focused.method.page.encoding import is_binary, to_utf8
from focused.method.page.limits import PageLimits
from focused.method.page.outline import outline_of
from focused.method.page.reader import BLOCK_TAGS, PageReader
from focused.method.page.text_units import KINDS, page_units
from focused.method.page.walk import Walker
from focused.method.scoring import Visit
from focused.method.strategies import make_strategy
from focused.method.topic import load_topic
from focused.method.topic.judge import Judge
from focused.webs.recorded import RecordedWeb

if TYPE_CHECKING:
    from focused.method.topic import Topic

BAR = 3.6
Step = "tuple[str, Callable[..., Any], list[tuple[Any, ...]]]"


def steps(pages: list[tuple[bytes, str]], topic: Topic) -> list[Step]:
    """Return the name of each step, its function, and the arguments for each page."""
    reader, judge, walker = (
        PageReader(topic.analyzer),
        Judge(topic),
        Walker(BLOCK_TAGS.default, PageLimits().max_elements),
    )
    strategy = make_strategy("cbp_slc")
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True)
    bodies = [to_utf8(body)[0] for body, _ in pages]
    read = [reader.read(body, url) for body, url in pages]
    marked_texts = [page.marked_text for page in read]
    streams = [topic.analyzer.stream(marked.text) for marked in marked_texts]
    outlines = [page.outline for page in read]
    known = [topic.product.known(page.terms, page.chunk_start) for page in read]
    units = [page_units(page, chunk_start=each.chunk_start) for page, each in zip(read, known, strict=True)]
    judged = [judge.judge(page, KINDS) for page in read]
    return [
        ("lxml parse alone", lambda body: etree.fromstring(body, parser), [(body,) for body in bodies]),
        ("page: all of it", lambda body, url: judge.judge(reader.read(body, url), KINDS), pages),
        ("encoding", to_utf8, [(body,) for body, _ in pages]),
        ("parse and walk", lambda body: walker.walk(body, Counter()), [(body,) for body in bodies]),
        ("tokens", lambda marked: topic.analyzer.stream(marked.text), [(marked,) for marked in marked_texts]),
        ("outline", outline_of, [(stream,) for stream in streams]),
        ("blocks", lambda outline: partition(outline, 0.5, 1), [(outline,) for outline in outlines]),
        ("read, with links", reader.read, pages),
        ("units", page_units, [(page,) for page in read]),
        ("product", lambda each, unit: topic.product(each, unit, 1), list(zip(known, units, strict=True))),
        ("judge: units, product, relevances", lambda page: judge.judge(page, KINDS), [(page,) for page in read]),
        ("strategy cbp_slc", strategy.score, [(*each, Visit()) for each in zip(read, judged, strict=True)]),
    ]


def measure(todo: list[Step], repeats: int) -> dict[str, list[float]]:
    """Return for each step the CPU seconds of each repeat.

    The steps take turns page by page. So the machine is equally fast for all, and no step finds its own data in the
    processor's caches, as in a crawl.
    """
    seconds: dict[str, list[float]] = {name: [] for name, _, _ in todo}
    clock = time.process_time
    gc.collect()
    gc.freeze()  # a crawl's garbage collector would not visit the benchmark's own data
    for number in range(repeats + 1):
        say(f"repeat {number} of {repeats}")
        spent = [0.0] * len(todo)
        for page in range(len(todo[0][2])):
            # The second step finds the page in the processor's caches but its own code evicted, so the order changes.
            for step in range(len(todo)) if (page + number) % 2 else reversed(range(len(todo))):
                _, function, arguments = todo[step]
                start = clock()
                function(*arguments[page])
                spent[step] += clock() - start
        if number:  # the first turn fills the caches
            for name, took in zip(seconds, spent, strict=True):
                seconds[name].append(took)
    gc.unfreeze()
    return seconds


def report(title: str, pages: list[tuple[bytes, str]], topic: Topic, repeats: int) -> str:
    """Return a table of one sample of pages."""
    todo = steps(pages, topic)
    seconds = measure(todo[:2], repeats)  # first the two steps of the bar, then their parts
    parts = measure([todo[0], *todo[2:]], repeats)
    seconds |= {f"- {name}": each for name, each in parts.items()}
    n_pages = len(pages)
    parse_of = {name: (parts if name.startswith("- ") else seconds)[todo[0][0]] for name in seconds}
    rows = [
        (
            name,
            f"{statistics.median(each) / n_pages * 1e3:.3f}",
            f"{min(each) / n_pages * 1e3:.3f}",
            f"{statistics.median(a / b for a, b in zip(each, parse_of[name], strict=True)):.2f}",
            f"{min(each) / min(parse_of[name]):.2f}",
        )
        for name, each in seconds.items()
    ]
    reader = PageReader(topic.analyzer)
    n_links = statistics.mean(len(reader.read(*page).marked_text.link_targets) for page in pages)
    n_bytes = statistics.mean(len(body) for body, _ in pages)
    header = ("step", "ms a page, median", "best", "times the parse, median", "best")
    return (
        f"### {title}\n\n{n_pages} pages, mean {n_bytes / 1e3:.1f} kB and {n_links:.0f} links; {repeats} repeats; "
        f"topic with {len(topic.terms):,} terms\n\n{table(header, rows)}\n"
    )


def packages_of(files: list[Path]) -> str:
    """Return the number of files from each package."""
    counts = Counter(
        file.parts[file.parts.index("doc") + 1] if "doc" in file.parts else file.parts[1] for file in files
    )
    return ", ".join(f"{name} {count}" for name, count in counts.most_common())


def recorded(path: Path, n_pages: int, seed: int) -> list[tuple[bytes, str]]:
    """Draw HTML pages of a WARC file."""
    with tempfile.TemporaryDirectory() as cache, RecordedWeb(path, Path(cache)) as web:
        pages = [
            (answer.body, url) for url, answer in web.pages() if answer.status == 200 and not is_binary(answer.body)
        ]
    return random.Random(seed).sample(pages, min(n_pages, len(pages)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "paths", nargs="*", type=Path, default=[DOCUMENTATION], help=f"folders (default: {DOCUMENTATION})"
    )
    parser.add_argument("--pages", type=int, default=300, metavar="N", help="pages to draw (default: 300)")
    parser.add_argument("--repeats", type=int, default=15, metavar="N", help="turns of each step (default: 15)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="seed of what is drawn (default: 0)")
    parser.add_argument("--models", type=Path, help="models folder with the topic 'python' of an earlier run")
    options = parser.parse_args()
    files = documentation(options.paths)
    say(f"{len(files):,} pages of documentation")
    with tempfile.TemporaryDirectory() as folder:
        models_dir = options.models or train_documentation_topic(files, Path(folder), options.seed)
        topic = load_topic("python", models_dir)
        drawn = random.Random(options.seed).sample(files, min(options.pages, len(files)))
        samples = {f"Documentation (bar: {BAR})": [(file.read_bytes(), f"http://127.0.0.1{file}") for file in drawn]}
        for name in ("hyperphysics", "webkb"):
            if (DATA_DIR / f"{name}.warc.gz").exists():
                samples[f"{name} (no bar)"] = recorded(DATA_DIR / f"{name}.warc.gz", options.pages, options.seed)
        print(f"{machine()}; seed {options.seed}; documentation of {packages_of(drawn)}\n")
        for title, pages in samples.items():
            print(report(title, pages, topic, options.repeats), flush=True)


if __name__ == "__main__":
    main()
