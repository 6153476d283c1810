"""Crawls of webs whose sites have sitemaps: what a crawl finds without them, and with them read last or first.

The recorded webs have no sitemaps. So each web is recorded once more with one for each host, named in its robots.txt: all its
pages, in an order drawn by lot, without dates. Then strategies crawl it with FOCUSED_SITEMAPS=0, and with the default number
of sitemaps and both values of FOCUSED_SITEMAPS_WHEN. The seeds, topics and labels are the same. Of a sitemap with more than
FOCUSED_SOURCE_MAX_LINKS pages the best links are taken, as ever.

Examples
--------
  python benchmarks/link_sources.py --webs ../webs
  python benchmarks/link_sources.py --webs ../webs --only hyperphysics --topics 1 --no-write
"""

from __future__ import annotations

import gzip
import random
import shutil
from collections import defaultdict
from io import BytesIO
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import numpy as np
from common import chosen_names, machine, table
from evaluations.plan import first_topics, web_arguments
from evaluations.running import evaluate
from evaluations.tables import rows_of
from known_webs import RECORDED, folder_of, labels_of, web_parser
from provenance import CRAWL_ROOMS, now, write_blocks
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from focused.utils.crawl_settings import SITEMAPS

if TYPE_CHECKING:
    import argparse
    from pathlib import Path

PAGES = 300
WEBS = (*RECORDED, "sites", "wiki", "forum", "wire")
STRATEGIES = ("adaptive", "cbp_slc", "best_first")
VALUES = {
    "without": ["FOCUSED_SITEMAPS=0"],
    "last": [f"FOCUSED_SITEMAPS={SITEMAPS.default}", "FOCUSED_SITEMAPS_WHEN=last"],
    "first": [f"FOCUSED_SITEMAPS={SITEMAPS.default}", "FOCUSED_SITEMAPS_WHEN=first"],
}
_MAX_URLS = 50_000
_DATE = "2026-01-01T00:00:00Z"


def main() -> None:
    parser = web_parser(__doc__, "link-sources", WEBS)
    parser.add_argument("--topics", type=int, default=2, help="topics of each web (default: 2)")
    options = parser.parse_args()
    names = chosen_names(options.only, WEBS)
    rows = []
    for name in names:
        folder = folder_of(name, options.data, options.webs)
        with_sitemaps, n_hosts, n_urls = recorded_with_sitemaps(name, folder, options.output.resolve() / "webs")
        found = measured(name, with_sitemaps, options.output.resolve() / name, options)
        rows.append([name, f"{n_urls:,} / {n_hosts:,}", *(f"{value:.1f}" for value in found)])
    means = [np.mean([float(row[place]) for row in rows]) for place in range(2, 2 + len(VALUES) * len(STRATEGIES))]
    rows.append(["**mean**", "", *(f"{mean:.1f}" for mean in means)])
    header = [
        *("web", "pages / hosts"),
        *(f"`{strategy}`: {what}" for strategy in STRATEGIES for what in VALUES),
    ]
    text = f"{table(header, rows)}\n\nRelevant pages among the first {PAGES}, mean over topics. {machine()}."
    if options.no_write:
        print(text)
        return
    only = "" if len(names) == len(WEBS) else f" --only {options.only}"
    command = f"python benchmarks/link_sources.py --topics {options.topics}{only}"
    write_blocks(
        {"sitemaps": text}, now(command, CRAWL_ROOMS, {"pages": PAGES, "topics": options.topics, "repeats": 1})
    )


def recorded_with_sitemaps(name: str, folder: Path, output: Path) -> tuple[Path, int, int]:
    """Write a web once more, with a sitemap for each host; return the folder, and the numbers of hosts and of URLs."""
    output.mkdir(parents=True, exist_ok=True)
    of_host = defaultdict(list)
    for url in labels_of(folder / f"{name}.labels.tsv"):
        if url.startswith("http"):
            of_host[urlsplit(url)[:2]].append(url)
    for file in (f"{name}.labels.tsv", f"{name}.seeds.txt"):
        if (folder / file).is_file():
            shutil.copyfile(folder / file, output / file)
    path = output / f"{name}.warc.gz"
    if not path.is_file():
        added = BytesIO()
        writer = WARCWriter(added, gzip=True, warc_version="1.1")
        for (scheme, host), urls in sorted(of_host.items()):
            random.Random(host).shuffle(urls)
            origin = f"{scheme}://{host}"
            lines = "".join(f"<url><loc>{url.replace('&', '&amp;')}</loc></url>" for url in urls[:_MAX_URLS])
            body = gzip.compress(f"<urlset>{lines}</urlset>".encode(), mtime=0)
            _record(writer, f"{origin}/robots.txt", f"Sitemap: {origin}/sitemap.xml.gz\n".encode(), "text/plain")
            _record(writer, f"{origin}/sitemap.xml.gz", body, "application/gzip")
        path.write_bytes((folder / path.name).read_bytes() + added.getvalue())
    return output, len(of_host), sum(map(len, of_host.values()))


def _record(writer: WARCWriter, url: str, body: bytes, kind: str) -> None:
    http = StatusAndHeaders("200 OK", [("Content-Type", kind)], protocol="HTTP/1.1")
    about = {"WARC-Date": _DATE}
    payload, length = BytesIO(body), len(body)
    writer.write_record(
        writer.create_warc_record(url, "response", payload, length, http_headers=http, warc_headers_dict=about)
    )


def measured(name: str, folder: Path, output: Path, options: argparse.Namespace) -> list[float]:
    """Crawl, or read what was crawled; return relevant pages for each strategy and value."""
    arguments = web_arguments(name, folder)
    arguments[arguments.index("--topics") + 1] = first_topics(name, options.topics)
    chosen = ["--strategies", ",".join(STRATEGIES), "--pages", str(PAGES), "--repeats", "1", "--quiet"]
    found = {}
    for value, settings in VALUES.items():
        run = output / value
        if value != "without" and not (run / "models").is_dir():  # the same examples give the same models
            run.mkdir(parents=True, exist_ok=True)
            shutil.copytree(output / "without" / "models", run / "models")
        given = [argument for setting in settings for argument in ("-s", setting)]
        evaluate([*arguments, *chosen, *given], run, options.jobs)
        for strategy in STRATEGIES:
            found[strategy, value] = [float(row["relevant"]) for row in rows_of(run) if row["strategy"] == strategy]
    return [float(np.mean(found[strategy, value])) for strategy in STRATEGIES for value in VALUES]


if __name__ == "__main__":
    main()
