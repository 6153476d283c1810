"""How many requests a crawl spends on links that lead to no page, on a site most of whose links do.

The site is made of descriptions of Debian packages and served over sockets (`site_makers/gone.py`). Its front page is the
seed, and the topic is trained from 30 pages. With --before, once or more, another checkout's crawler crawls it, too.

Examples
--------
  python benchmarks/dead_links.py
  python benchmarks/dead_links.py --before ../older-checkout --seeds 1,2,3
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from common import DATA_DIR, ROOT, machine, table
from site_makers.gone import Gone
from site_makers.items import read
from trap_sites import commit_of
from trap_sites_crawls import Crawls
from web_makers.sources import Sources

if TYPE_CHECKING:
    from site_makers.site import Tally

_STATUS = "downloader/response_status_count/"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--strategies", default="adaptive,cbp_slc")
    parser.add_argument("--pages", type=int, default=300, metavar="N", help="of each crawl (default: 300)")
    parser.add_argument("--seeds", default="1,2", metavar="N,N", help="of the sites (default: 1,2)")
    parser.add_argument("--before", type=Path, action="append", default=[], metavar="DIR", help="an older checkout")
    parser.add_argument("--sources", type=Path, default=ROOT / "runs" / "webs" / "sources", help="keeps apt's lists")
    parser.add_argument("-s", dest="settings", action="append", default=[], metavar="NAME=VALUE", help="of all crawls")
    options = parser.parse_args()
    items = read(Sources(DATA_DIR, options.sources.resolve()))
    trees = {commit_of(each): each.resolve() for each in options.before} | {"now": ROOT}
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for seed in map(int, options.seeds.split(",")):
            own = argparse.Namespace(**{**vars(options), "seed": seed, "output": Path(folder) / str(seed)})
            crawls = Crawls(items, own, {Gone.name: Gone})
            for strategy in options.strategies.split(","):
                for who, tree in trees.items():
                    found = crawls.tally(Gone.name, tree, strategy, 0, has_traps=True)
                    run = json.loads((crawls.last_folder / "run.json").read_text(encoding="utf-8"))
                    rows.append([str(seed), strategy, who, *_figures(found, run)])
    print(table(["site", "strategy", "crawler", "requests", "404 and 410", "500", "relevant pages", "seconds"], rows))
    print(f"\n{options.pages} pages a crawl. {machine()}.")


def _figures(found: Tally, run: dict) -> list[str]:
    stats = run["stats"]
    answers = {name.removeprefix(_STATUS): count for name, count in stats.items() if name.startswith(_STATUS)}
    n_gone = answers.get("404", 0) + answers.get("410", 0)
    figures = (sum(answers.values()), n_gone, answers.get("500", 0), found.n_relevant)
    return [*map(str, figures), f"{stats['elapsed_time_seconds']:.0f}"]


if __name__ == "__main__":
    main()
