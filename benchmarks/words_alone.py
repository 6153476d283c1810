"""A site about bees among other things, six words and no examples: how much of the topic is found, and how soon.

For each seed a site is made (`web_makers/crafts.py`), a topic is made from six words that the general background does not
hold, and the site is crawled from its front page. Written is the share of the relevant pages among as many fetches as there
are relevant pages: breadth first, best first, and by the project's own strategy. Seeds 1 and 2 were looked at while this was
built; the others were not.

Examples
--------
  python benchmarks/words_alone.py
  python benchmarks/words_alone.py --seeds 7,8 --no-write
"""

from __future__ import annotations

import argparse
import csv
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
from common import ROOT, machine, say, table
from provenance import CRAWL_ROOMS, now, write_blocks
from web_makers import crafts

STRATEGIES = ("adaptive", "best_first", "breadth_first")


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
        scrapy("train", name, "--force", "--quiet", "--keywords", options.words, "--seeds", web.front, *settings)
        relevant = {url for url in web.pages if crafts.BEES in web.labels.get(url, ())}
        shares = [found(name, strategy, web.name, relevant, output, settings) for strategy in STRATEGIES]
        say(f"seed {seed}: {', '.join(f'{a} {b:.2f}' for a, b in zip(STRATEGIES, shares, strict=True))}")
        rows.append([str(seed), str(len(relevant)), str(len(web.pages)), *(f"{share:.2f}" for share in shares)])
    means = np.array([[float(value) for value in row[3:]] for row in rows]).mean(axis=0)
    rows.append(["**mean**", "", "", *(f"{mean:.2f}" for mean in means)])
    text = f"{table(['seed', 'relevant', 'pages', *STRATEGIES], rows)}\n\nWords: {options.words}. {machine()}."
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


def scrapy(*arguments: str) -> None:
    subprocess.run([sys.executable, "-m", "scrapy", *arguments], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
