"""The five papers as printed, with today's parts, and what became of each claim.

Crawls recorded webs by each paper's preset and by `modern`, compares the results with the paper's, and writes a page a paper
into docs/papers. The output folder keeps what is done, so an interrupted run is resumed, also with more repeats. In full it
takes some hours; --quick has two topics a web, one repeat, 300 pages and few draws of all else: 25 minutes on two cores.
Comparisons on the webs of benchmarks/webs.py are left out where these are not there.

Examples
--------
  python benchmarks/papers.py --data ../shared/data --quick
  python benchmarks/papers.py --data ../shared/data --webs ../webs --paper P13
"""

from __future__ import annotations

import argparse
from pathlib import Path

from common import ROOT, machine, say
from known_webs import add_folders
from paper_claims.classifier_jobs import made_classifiers
from paper_claims.index import write_index
from paper_claims.kernel_jobs import made_kernels
from paper_claims.link_texts import made_link_texts
from paper_claims.pages import write_page
from paper_claims.plan import CHOSEN_ON, PAPERS, PLAN, QUICK, Size
from paper_claims.running import commits, run_all
from paper_claims.stages_file import made_stages


def main() -> None:
    """Read the command line, make what is not done yet, and write the pages."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_folders(parser, CHOSEN_ON)
    parser.add_argument("--output", type=Path, default=ROOT / "runs" / "papers")
    parser.add_argument("--paper", choices=PAPERS, action="append", help="one of them (default: all)")
    parser.add_argument("--quick", action="store_true", help="two topics a web, one repeat, 300 pages")
    parser.add_argument("--pages", type=int, default=300, help="pages a crawl (default: 300)")
    parser.add_argument("--repeats", type=int, default=3, help="crawls of each topic (default: 3)")
    parser.add_argument("--jobs", type=int, default=2, help="processes (default: 2)")
    parser.add_argument("--only-write", action="store_true", help="crawl nothing, write the pages from what there is")
    parser.add_argument(
        "--docs", type=Path, help="folder of the pages (default: docs/papers; with --quick: in --output)"
    )
    options = parser.parse_args()
    output = options.output.resolve() / ("quick" if options.quick else "full")
    folders = {"data": options.data.resolve(), "webs": options.webs.resolve()}
    size = QUICK if options.quick else Size(options.pages, options.repeats, None)
    docs = options.docs or (output / "docs" / "papers" if options.quick else ROOT / "docs" / "papers")
    about = machine()
    for paper in options.paper or PAPERS:
        if not options.only_write:
            missing = run_all(PLAN[paper], output, folders, size=size, jobs=options.jobs)
            if missing:
                say(f"{paper}: left out, because their webs are not there: {', '.join(missing)}")
            if paper == "I18":
                made_stages(folders["data"], output, quick=options.quick)
            if paper == "P15":
                made_link_texts(folders, output)
            made_classifiers(paper, folders["data"], output, quick=options.quick)
            if paper in ("P13", "P15"):
                made_kernels(paper, folders["data"], output, quick=options.quick)
        say(f"Written: {write_page(paper, output, docs, about, quick=options.quick)}")
    left = [paper for paper in PAPERS if not commits(output / one.name for one in PLAN[paper])]
    if left:  # its rows would be empty, and may be there already
        say(f"Not written: {docs / 'README.md'}, the table of all systems. Nothing is measured of {', '.join(left)}")
    else:
        say(f"Written: {write_index(output, docs, about)}")


if __name__ == "__main__":
    main()
