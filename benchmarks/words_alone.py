"""A site about bees among other things, six words and no examples: how much of the topic is found, and how soon.

For each seed a site is made (`web_makers/crafts.py`), a topic is made from six words that the general background does not
hold, and the site is crawled from its front page. Written is the share of the relevant pages among as many fetches as there
are relevant pages: breadth first, best first, and by the project's own strategy. Seeds 1 and 2 were looked at while this was
built; the others were not. Two references stand beside them: a spider as one writes it by hand (share of the words in the page
and in the anchor text), and one that knows all words of all crafts, and which of the fetched pages are relevant. No crawl that
starts from six words can be expected to do better than the second.

Examples
--------
  python benchmarks/words_alone.py
  python benchmarks/words_alone.py --seeds 7,8 --no-write
"""

from __future__ import annotations

import argparse
import csv
import heapq
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from common import ROOT, machine, say, table
from lxml import html
from provenance import CRAWL_ROOMS, now, write_blocks
from web_makers import crafts

if TYPE_CHECKING:
    from collections.abc import Callable

    from manuals.web import ManualWeb

STRATEGIES = ("adaptive", "best_first", "breadth_first")
REFERENCES = ("by hand", "knows all words")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", default="11,12,13,14,15", metavar="NUMBERS", help="of the sites (default: 11 to 15)")
    parser.add_argument("--words", default=crafts.WORDS, help=f"of the topic (default: {crafts.WORDS})")
    parser.add_argument("--output", type=Path, default=ROOT / "runs" / "words-alone")
    parser.add_argument("--no-write", action="store_true", help="print the table only")
    options = parser.parse_args()
    output = options.output.resolve()
    output.mkdir(parents=True, exist_ok=True)
    rows = []
    for seed in map(int, options.seeds.split(",")):
        web = crafts.build(seed)
        web.write(output, {"seed": str(seed)})
        name = f"bees-{seed}"
        settings = ["-s", f"FOCUSED_MODELS_DIR={output / 'models'}"]
        # The site's host is not there, and its crawls are to begin with the words alone.
        around = ["--seeds", web.front, "--look-around", "0"]
        scrapy("train", name, "--force", "--quiet", "--keywords", options.words, *around, *settings)
        relevant = {url for url in web.pages if crafts.BEES in web.labels.get(url, ())}
        shares = [found(name, strategy, web.name, relevant, output, settings) for strategy in STRATEGIES]
        shares += [simulated(web, relevant, score) for score in (by_hand(options.words), knowing_all_words(relevant))]
        say(
            f"seed {seed}: {', '.join(f'{a} {b:.2f}' for a, b in zip((*STRATEGIES, *REFERENCES), shares, strict=True))}"
        )
        rows.append([str(seed), str(len(relevant)), str(len(web.pages)), *(f"{share:.2f}" for share in shares)])
    means = np.array([[float(value) for value in row[3:]] for row in rows]).mean(axis=0)
    rows.append(["**mean**", "", "", *(f"{mean:.2f}" for mean in means)])
    text = f"{table(['seed', 'relevant', 'pages', *STRATEGIES, *REFERENCES], rows)}\n\nWords: {options.words}. {machine()}."
    if options.no_write:
        print(text)
        return
    source = now(f"python benchmarks/words_alone.py --seeds {options.seeds}", [*CRAWL_ROOMS, "focused/retraining"], {})
    write_blocks({"words alone": text}, source)


def found(name: str, strategy: str, web: str, relevant: set[str], output: Path, settings: list[str]) -> float:
    """Crawl, and return the share of the relevant pages among as many fetches as there are of them."""
    run = output / f"{name}-{strategy}"
    shutil.rmtree(run, ignore_errors=True)  # a run that is there would be resumed
    chosen = [f"topic={name}", f"web={output / web}.warc.gz", f"strategy={strategy}", f"max_pages={len(relevant)}"]
    arguments = [part for each in (*chosen, f"run_dir={run}") for part in ("-a", each)]
    fixed = ["-s", "CONCURRENT_REQUESTS=1", "-s", "LOG_LEVEL=WARNING"]
    scrapy("crawl", "focused", *arguments, *settings, *fixed)
    with (run / "fetched.csv").open(newline="", encoding="utf-8") as file:
        urls = [row["url"] for row in csv.DictReader(file)]
    return sum(url in relevant for url in urls[: len(relevant)]) / len(relevant)


def simulated(web: ManualWeb, relevant: set[str], score: Callable[[str, str, str], float]) -> float:
    """Fetch as many pages as there are relevant ones, the best link first by ``score(page's URL, its text, anchor text)``.

    Return the share of the relevant pages.
    """
    waiting, best, n_pushed, fetched = [(0.0, 0, web.front)], {web.front: 0.0}, 0, set()
    while waiting and len(fetched) < len(relevant):
        url = heapq.heappop(waiting)[2]
        if url in fetched:
            continue
        fetched.add(url)
        page = html.fromstring(web.pages[url])
        page.make_links_absolute(url)
        text = page.text_content()
        for link in page.iter("a"):
            target, worth = link.get("href"), score(url, text, link.text_content())
            if target in web.pages and worth > best.get(target, -np.inf):
                n_pushed += 1
                best[target] = worth
                heapq.heappush(waiting, (-worth, n_pushed, target))
    return len(fetched & relevant) / len(relevant)


def by_hand(words: str) -> Callable[[str, str, str], float]:
    """Return the score of a spider as one writes it: how dense the words are in the page and in the anchor text."""
    wanted = set(words.split())

    def density(text: str) -> float:
        tokens = words_of(text)
        return sum(token in wanted or token.removesuffix("s") in wanted for token in tokens) / max(1, len(tokens))

    return lambda _, page, anchor: min(1.0, 8 * density(page)) + min(1.0, 3 * density(anchor))


def knowing_all_words(relevant: set[str]) -> Callable[[str, str, str], float]:
    """Return the score of one who knows what each word of the site stands for, and which fetched pages are relevant."""
    own = set(crafts.words_of(crafts.BEES))
    others = {word for craft in crafts.CRAFTS for word in crafts.words_of(craft)} - own

    def score(url: str, _: str, anchor: str) -> float:
        tokens = set(words_of(anchor))
        return 2.0 if tokens & own else -1.0 if tokens & others else float(url in relevant)

    return score


def words_of(text: str) -> list[str]:
    return re.findall("[a-z]+", text.lower())


def scrapy(*arguments: str) -> None:
    subprocess.run([sys.executable, "-m", "scrapy", *arguments], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
