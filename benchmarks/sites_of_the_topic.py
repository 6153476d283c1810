"""Crawls of sites that are all about the topic: 30 example pages of a manual, and that manual is crawled.

The manuals are the hosts of the documentation portal (``benchmarks/documentation_webs.py make --only docs``). The topic is
trained as the README says, against the general background; `adaptive` asks for 200 pages, from the page with the shortest
address. All pages of the manual are relevant. Written are the pages judged relevant as they came, those delivered in the end,
and the harvest that the crawl shows. ``--tree`` names another checkout, to crawl with the code before a change.

Examples
--------
  python benchmarks/sites_of_the_topic.py --webs ../webs
  python benchmarks/sites_of_the_topic.py --only sqlite,git --tree ../before --no-write
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from common import ROOT, SCRAPY, chosen_names, machine, say, table
from provenance import CRAWL_ROOMS, now, write_blocks

PAGES, EXAMPLES = 200, 30
HOSTS = {
    "grass": "grass.example.org",
    "sqlite": "sqlite.example.org",
    "httpd": "httpd.example.org",
    "octave": "octave.example.net",
    "postgresql": "www.pgdocs.example",
    "git": "git.example.com",
    "python": "docs.python.example",
    "maxima": "maxima.example.edu",
    "prolog": "prolog.example.nl",
    "gimp": "gimp.example",
}
CHOSEN_ON = ("grass", "sqlite", "httpd", "octave", "postgresql", "git")
"""Manuals that the way of estimating, and its constant, were chosen on (docs/method/, D95)."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--webs", type=Path, default=ROOT / "runs" / "webs", help="folder of docs.warc.gz")
    parser.add_argument("--only", metavar="NAMES", default=",".join(HOSTS), help=f"some of {', '.join(HOSTS)}")
    parser.add_argument("--seed", type=int, default=0, help="of the draw of the examples (default: 0)")
    parser.add_argument("--tree", type=Path, default=ROOT, help="checkout whose code crawls (default: this one)")
    parser.add_argument("--no-write", action="store_true", help="print the table only")
    options = parser.parse_args()
    warc = options.webs.resolve() / "docs.warc.gz"
    if not warc.is_file():
        sys.exit(f"{warc} is missing. Make it: python benchmarks/documentation_webs.py make --only docs --debs FOLDER")
    lines = (options.webs / "docs.labels.tsv").read_text(encoding="utf-8").splitlines()[1:]
    urls = [line.partition("\t")[0] for line in lines]
    rows = []
    for name in chosen_names(options.only, list(HOSTS)):
        with tempfile.TemporaryDirectory() as folder:
            found = crawled(
                [url for url in urls if url.split("/")[2:3] == [HOSTS[name]]],
                *(warc, Path(folder), options.seed, options.tree.resolve()),
            )
        rows.append([f"{name}{' *' if name in CHOSEN_ON else ''}", *found])
        say(f"{name}: {found}")
    for title, is_chosen in (("**chosen on**", True), ("**others**", False)):
        some = [row[1:4] for row in rows if row[0].endswith("*") is is_chosen]
        if some:
            means = np.mean([[float(each) for each in row] for row in some], axis=0)
            rows.append([title, f"{means[0]:.0f}", f"{means[1]:.0f}", f"{means[2]:.2f}", ""])
    header = ["manual", "judged relevant as they came", "delivered", "harvest shown", "90 % interval"]
    text = f"{table(header, rows)}\n\n{PAGES} pages each. \\* chosen on this manual. {machine()}."
    if options.no_write:
        print(text)
        return
    settings = {"pages": PAGES, "examples": EXAMPLES, "seed": options.seed}
    source = now("python benchmarks/sites_of_the_topic.py", [*CRAWL_ROOMS, "focused/retraining"], settings)
    write_blocks({"sites of the topic": text}, source)


def crawled(urls: list[str], warc: Path, folder: Path, seed: int, tree: Path) -> list[str]:
    """Train on pages of a site and crawl it; return what was judged relevant, delivered, and the harvest shown."""
    (folder / "examples.txt").write_text("\n".join(sorted(random.Random(seed).sample(sorted(urls), EXAMPLES))))
    first = min(sorted(urls), key=len)
    environment = {**os.environ, "FOCUSED_MODELS_DIR": str(folder / "models"), "PYTHONPATH": str(tree)}
    for argv in (
        [
            *("train", "manual", "--positive", str(warc), "--positive-urls", str(folder / "examples.txt"), "--quiet"),
            *("--seeds", first, "--look-around", "0", "--web", str(warc)),
        ],
        [
            *("crawl", "focused", "-a", "topic=manual", "-a", f"web={warc}", "-a", f"max_pages={PAGES}"),
            *("-a", f"run_dir={folder / 'run'}"),
        ],
    ):
        done = subprocess.run([*SCRAPY, *argv], cwd=tree, env=environment, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"scrapy {argv[0]} failed:\n{done.stderr[-2000:]}")
    summary = json.loads((folder / "run" / "run.json").read_text(encoding="utf-8"))
    stats = summary["stats"]
    n_delivered = len((folder / "run" / "pages.jsonl").read_text(encoding="utf-8").splitlines())
    share, low, high = (float(stats[f"focused/harvest/estimated_{end}"]) for end in ("share", "low", "high"))
    return [str(stats["focused/pages/relevant_count"]), str(n_delivered), f"{share:.2f}", f"{low:.2f} to {high:.2f}"]


if __name__ == "__main__":
    main()
