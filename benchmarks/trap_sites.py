"""How many traps a crawl fetches on five sites of one host each, and what it finds beside them.

The sites are made of descriptions of Debian packages and served over sockets: stories, threads, a shop, a wiki and a journal.
Each is crawled with and without its traps, by a topic that is trained from 30 pages and the front page as seed. Constants of
the project were chosen on the first four, none on the journal. *Of traps*: share of the pages that are of a trap, or show a
story, thread or the like for the second time. *Rest*: harvest rate, by the truth, of the other pages, divided by that of the
crawl without traps. With --before, once or more, another checkout's crawler takes its turn on the same sites, with the same
models, which this one trains.

Examples
--------
  python benchmarks/trap_sites.py
  python benchmarks/trap_sites.py --before ../older-checkout --repeats 1
  python benchmarks/trap_sites.py --only shop --strategies adaptive --pages 200 --repeats 1 --no-write
  python benchmarks/trap_sites.py --only shop -s FOCUSED_TRAPS=off --no-write
"""

from __future__ import annotations

import argparse
import subprocess
from pathlib import Path
from statistics import mean
from typing import TYPE_CHECKING

from common import DATA_DIR, ROOT, chosen_names, machine, table
from provenance import CRAWL_ROOMS, now, write_blocks
from site_makers.items import read
from site_makers.site import N_EXAMPLES
from trap_sites_crawls import SITES, Crawls
from web_makers.sources import Sources

if TYPE_CHECKING:
    from site_makers.site import Site, Tally

BLOCK = "traps: sites"
LIMIT = 0.05


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", metavar="NAMES", help=f"some of {', '.join(SITES)}, separated by commas")
    parser.add_argument("--strategies", default="adaptive,cbp_slc")
    parser.add_argument("--pages", type=int, default=400, metavar="N", help="of each crawl (default: 400)")
    parser.add_argument("--repeats", type=int, default=2, metavar="N", help="crawls of each kind (default: 2)")
    parser.add_argument(
        "--before",
        type=Path,
        action="append",
        default=[],
        metavar="DIR",
        help="a checkout whose crawler has turns, too",
    )
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of the sites (default: 1)")
    parser.add_argument(
        "--sources", type=Path, default=ROOT / "runs" / "webs" / "sources", help="keeps apt's lists, as webs.py does"
    )
    parser.add_argument("--output", type=Path, default=ROOT / "runs" / "trap-sites", help="keeps finished crawls")
    parser.add_argument("-s", dest="settings", action="append", default=[], metavar="NAME=VALUE", help="of all crawls")
    parser.add_argument("--no-write", action="store_true", help="print the tables only")
    options = parser.parse_args()
    names = chosen_names(options.only, list(SITES))
    source = now(_command(options), [*CRAWL_ROOMS, "benchmarks/site_makers"], {"seed": options.seed})
    sources = Sources(DATA_DIR, options.sources.resolve())
    crawls = Crawls(read(sources), options)
    trees = {commit_of(each): each.resolve() for each in options.before} | {"now": ROOT}
    block = tables(crawls, names, options.strategies.split(","), trees, options.repeats)
    texts = ", ".join(f"{name} {version}" for name, version in sources.versions.items())
    block += (
        f"\n\n{options.pages} pages a crawl, means of {options.repeats} crawls; {N_EXAMPLES} examples; {texts}. "
        f"{machine()}."
    )
    print(block)
    if not options.no_write:
        write_blocks({BLOCK: block}, source)


def tables(crawls: Crawls, names: list[str], strategies: list[str], trees: dict[str, Path], repeats: int) -> str:
    """Return the table of what is found, and that of the pages of each kind."""
    found_rows, kind_rows = [], []
    for name in names:
        for strategy in strategies:
            # In turns, so that a machine that grows slow is slow for both.
            turns = [
                (who, has_traps, crawls.tally(name, tree, strategy, repeat, has_traps=has_traps))
                for repeat in range(repeats)
                for has_traps in (True, False)
                for who, tree in trees.items()
            ]
            for who in trees:
                with_traps, without = (
                    [found for one, has, found in turns if (one, has) == (who, kind)] for kind in (True, False)
                )
                found_rows.append([name, strategy, who, *_found(with_traps, without)])
                kind_rows.append([name, strategy, who, _kinds(SITES[name], with_traps)])
    header = ["site", "strategy", "crawler", "of traps", "relevant", "relevant without traps", "rest"]
    said = f"Pages of each kind of trap, as shares; \\* more than {LIMIT:.0%}:"
    kinds = table(["site", "strategy", "crawler", "kinds"], kind_rows)
    return f"{table(header, found_rows)}\n\n{said}\n\n{kinds}"


def _found(with_traps: list[Tally], without: list[Tally]) -> list[str]:
    shares = [found.share_of_traps for found in with_traps]
    rest = mean(found.harvest_of_the_rest for found in with_traps) / mean(
        found.harvest_of_the_rest for found in without
    )
    spread = f" ({min(shares):.3f} to {max(shares):.3f})" if len(shares) > 1 else ""
    counts = [f"{mean(found.n_relevant for found in crawls):.0f}" for crawls in (with_traps, without)]
    return [f"{mean(shares):.3f}{spread}", *counts, f"{rest:.3f}"]


def _kinds(site: type[Site], crawls: list[Tally]) -> str:
    shares = {kind: mean(found.kinds[kind] / found.n_pages for found in crawls) for kind in site.traps}
    ordered = sorted(shares.items(), key=lambda each: (-each[1], each[0]))
    return ", ".join(f"{kind} {share:.3f}{' *' if share > LIMIT else ''}" for kind, share in ordered)


def _command(options: argparse.Namespace) -> str:
    before = "".join(f" --before CHECKOUT-OF-{commit_of(each)}" for each in options.before)
    only = f" --only {options.only}" if options.only else ""
    settings = "".join(f" -s {each}" for each in options.settings)
    said = f"--pages {options.pages} --repeats {options.repeats} --strategies {options.strategies}"
    return f"python benchmarks/trap_sites.py {said}{only}{before}{settings}"


def commit_of(tree: Path) -> str:
    """Return the commit of a checkout."""
    git = ["git", "-C", str(tree), "rev-parse", "--short=8", "HEAD"]
    return subprocess.run(git, capture_output=True, text=True, check=True).stdout.strip()


if __name__ == "__main__":
    main()
