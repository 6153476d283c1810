"""The cost of a whole focused crawl, against the spider that comes with Scrapy.

The focused spider scores every link, a plain CrawlSpider with a LinkExtractor none. Both fetch the same documentation
completely from a server on 127.0.0.1, in turns, each in a process of its own. CPU is user and system time of that
process, start included. Neither waits between requests or reads robots.txt, and both have the same concurrency. The
focused spider keeps its links in the durable frontier, unless --set says otherwise. Bar: at most 0.6 times the plain
spider's CPU a page, of a whole crawl: with --max-pages both fetch other pages, and what comes first for the focused
spider is the pages with most text and links.

Examples:
  python benchmarks/crawl_cost.py
  python benchmarks/crawl_cost.py --before ../older-checkout
  python benchmarks/crawl_cost.py --before ../older-checkout --set-new FOCUSED_WARC=off --set-new FOCUSED_COLLECTION=off
  python benchmarks/crawl_cost.py --max-pages 800 --repeats 1 --set SCHEDULER=focused.frontier.budget_scheduler.BudgetScheduler
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from common import DOCUMENTATION, MEASURED, ROOT, documentation, machine, say, table, train_documentation_topic
from local_server import serving

if TYPE_CHECKING:
    from scrapy import Spider

BAR = 0.6
# Folders of packages, and the page that leads to all others.
PACKAGES = {
    "python3.11/html": "index.html",
    "postgresql-doc-15/html": "index.html",
    "sqlite3": "sitemap.html",
    "grass-doc/html": "full_index.html",
    "git-doc": "git.html",
    "debian-policy/policy.html": "index.html",
}
# No politeness: the server is on this machine.
SETTINGS = {
    "AUTOTHROTTLE_ENABLED": False,
    "CONCURRENT_REQUESTS": 16,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 16,
    "DOWNLOAD_DELAY": 0,
    "FOCUSED_CONTACT": "benchmark@localhost.example",
    "LOG_LEVEL": "WARNING",
    "RETRY_ENABLED": False,
    "ROBOTSTXT_OBEY": False,
}


def plain_spider(seeds: list[str]) -> type[Spider]:
    """Return the spider that comes with Scrapy; only its own process imports it."""
    from scrapy.linkextractors import LinkExtractor
    from scrapy.spiders import CrawlSpider, Rule

    class PlainSpider(CrawlSpider):
        name = "plain"
        allowed_domains = ("127.0.0.1",)
        start_urls = seeds
        rules = (Rule(LinkExtractor(), follow=True),)

    return PlainSpider


def focused_spider() -> type[Spider]:
    """Return the project's spider, restricted to this machine."""
    from focused.spiders.focused import FocusedSpider

    class LocalFocusedSpider(FocusedSpider):
        allowed_domains = ("127.0.0.1",)

    return LocalFocusedSpider


def crawl(kind: str, options: argparse.Namespace, folder: Path) -> None:
    """Crawl in this process and print the cost."""
    seeds, max_pages = options.seeds, options.max_pages
    from scrapy.crawler import CrawlerProcess
    from scrapy.settings import Settings
    from scrapy.utils.project import get_project_settings

    is_plain = kind == "plain"
    settings = Settings() if is_plain else get_project_settings()
    settings.setdict(SETTINGS, priority="cmdline")
    if not is_plain:
        given = options.set if kind == "before" else [*options.set, *options.set_new]
        settings.setdict(dict(each.split("=", 1) for each in given), priority="cmdline")
    if is_plain and max_pages:
        settings.set("CLOSESPIDER_PAGECOUNT", max_pages, priority="cmdline")
    process = CrawlerProcess(settings)
    crawler = process.create_crawler(plain_spider(seeds) if is_plain else focused_spider())
    arguments = {
        "topic": "python",
        "strategy": options.strategy,
        "seeds": " ".join(seeds),
        "max_pages": str(max_pages),
        "web": "live",
        "run_dir": str(folder / f"run-{os.getpid()}"),
    }
    process.crawl(crawler, **({} if is_plain else arguments))
    started = time.process_time()
    process.start()
    usage = resource.getrusage(resource.RUSAGE_SELF)
    if not is_plain and not Path(sys.modules["focused"].__file__ or "").is_relative_to(MEASURED):
        sys.exit(f"{sys.modules['focused'].__file__} was measured instead of {MEASURED}")
    stats = crawler.stats.get_stats()
    result = {
        "pages": stats.get("downloader/response_status_count/200", 0),
        "cpu": usage.ru_utime + usage.ru_stime,
        "start": started,
        "megabytes": usage.ru_maxrss / 1024,
        "seconds": stats.get("elapsed_time_seconds", 0.0),
        "links": stats.get("focused/links/scored_count", 0),
        "relevant": stats.get("focused/pages/relevant_count", 0),
    }
    print(json.dumps(result))


def run(kind: str, seeds: list[str], options: argparse.Namespace, models_dir: Path, folder: Path) -> dict[str, float]:
    """Crawl in a process of its own and return the cost; ``before`` is the focused spider of another checkout."""
    tree = options.before.resolve() if kind == "before" else ROOT
    done = subprocess.run(
        [
            sys.executable,
            __file__,
            "--one",
            kind,
            str(folder),
            "--max-pages",
            str(options.max_pages),
            "--strategy",
            options.strategy,
            *(f"--set={each}" for each in options.set),
            *(f"--set-new={each}" for each in options.set_new),
            *seeds,
        ],
        cwd=tree,
        env={**os.environ, "FOCUSED_MODELS_DIR": str(models_dir), "FOCUSED_MEASURED_TREE": str(tree)},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    result: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    say(f"{kind}: {result['pages']:.0f} pages, {result['cpu'] / max(result['pages'], 1) * 1e3:.2f} ms a page")
    return result


def parse_options() -> argparse.Namespace:
    """Return the options of the command line; ``--one`` is for the processes that crawl."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("seeds", nargs="*", help=argparse.SUPPRESS)
    parser.add_argument("--documentation", type=Path, default=DOCUMENTATION, help=f"default: {DOCUMENTATION}")
    parser.add_argument("--max-pages", type=int, default=0, metavar="N", help="pages of a crawl (default: all)")
    parser.add_argument("--repeats", type=int, default=3, metavar="N", help="crawls of each kind (default: 3)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="seed of the topic's examples (default: 0)")
    parser.add_argument("--models", type=Path, help="models folder with the topic 'python' of an earlier run")
    parser.add_argument(
        "--strategy",
        default="adaptive",
        metavar="NAME",
        help="of the focused spider (default: adaptive, that of the project)",
    )
    parser.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="a setting of the focused spider"
    )
    parser.add_argument(
        "--set-new", action="append", default=[], metavar="NAME=VALUE", help="the same, not for the one of --before"
    )
    parser.add_argument(
        "--before", type=Path, metavar="DIR", help="a checkout whose focused spider takes its turn, too"
    )
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    return parser.parse_args()


def measure(present: dict[str, str], options: argparse.Namespace) -> dict[str, list[dict[str, float]]]:
    """Crawl the documentation with each spider in turn; return the costs of the crawls by spider.

    ``present``: folders of packages, and the page of each that leads to all others.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)  # nginx's worker is another user
        root = folder / "root"
        for package in present:
            (root / package).parent.mkdir(parents=True, exist_ok=True)
            (root / package).symlink_to(options.documentation / package)
        files = documentation([options.documentation / package for package in present])
        models_dir = options.models or train_documentation_topic(files, folder, options.seed)
        results: dict[str, list[dict[str, float]]] = {
            "plain": [],
            **({"before": []} if options.before else {}),
            "focused": [],
        }
        with serving(root, folder) as url:
            seeds = [f"{url}{package}/{page}" for package, page in present.items()]
            random.Random(options.seed).shuffle(seeds)
            for _ in range(options.repeats):
                for kind, found in results.items():
                    found.append(run(kind, seeds, options, models_dir, folder))
    return results


def report(results: dict[str, list[dict[str, float]]], present: dict[str, str], options: argparse.Namespace) -> None:
    """Print the table of costs, and their ratios."""
    per_page = {kind: [each["cpu"] / each["pages"] * 1e3 for each in found] for kind, found in results.items()}
    rows = [
        (
            kind,
            *(f"{statistics.median(each[key] for each in found):,.0f}" for key in ("pages", "links", "relevant")),
            f"{statistics.median(per_page[kind]):.2f}",
            f"{min(per_page[kind]):.2f}",
            f"{statistics.median(each['start'] for each in found):.1f}",
            f"{statistics.median(each['pages'] / each['seconds'] for each in found):.0f}",
            f"{statistics.median(each['megabytes'] for each in found):.0f}",
        )
        for kind, found in results.items()
    ]
    header = (
        "spider",
        "pages",
        "links scored",
        "relevant",
        "CPU ms a page, median",
        "best",
        "start, CPU s",
        "pages/s",
        "MB",
    )
    ratio = statistics.median(per_page["focused"]) / statistics.median(per_page["plain"])
    print(
        f"{machine()}; {options.repeats} crawls each, in turn; {', '.join(present)}; seed {options.seed}; "
        f"{' '.join([options.strategy, *options.set, *options.set_new])}\n"
    )
    print(table(header, rows))
    print(f"\nFocused / plain: {ratio:.2f} (best {min(per_page['focused']) / min(per_page['plain']):.2f}; bar: {BAR})")
    if options.before:
        turns = [new / old for new, old in zip(per_page["focused"], per_page["before"], strict=True)]
        print(f"Focused / before: {statistics.median(turns):.2f} (median of the turns; best {min(turns):.2f})")


def main() -> None:
    options = parse_options()
    if options.one:
        crawl(options.one[0], options, Path(options.one[1]))
        return
    present = {name: page for name, page in PACKAGES.items() if (options.documentation / name / page).exists()}
    if not present:
        sys.exit("No HTML documentation found. Install some: apt-get install python3-doc git-doc sqlite3-doc")
    report(measure(present, options), present, options)


if __name__ == "__main__":
    main()
