"""What a page from a PDF file costs a crawl, beside the same text as an HTML page; see pdf.py."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from io import BytesIO
from pathlib import Path
from statistics import mean
from typing import TYPE_CHECKING

from common import machine, say, table
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

if TYPE_CHECKING:
    from focused.method.page.pdf_process import PdfAnswer

_ORIGIN = "http://papers.example"
_MEASURED = """
import atexit, resource
from scrapy.cmdline import execute
def spent(who):
    used = resource.getrusage(who)
    return used.ru_utime + used.ru_stime
atexit.register(lambda: print(spent(resource.RUSAGE_SELF), spent(resource.RUSAGE_CHILDREN)))
execute()
"""
_PICTURE = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"


def crawl_table(read: list[tuple[Path, PdfAnswer]]) -> str:
    html = [(answer.html, "text/html; charset=utf-8") for _, answer in read]
    pdf = [(path.read_bytes(), "application/pdf") for path, _ in read]
    webs: dict[str, list[tuple[bytes, str]]] = {"nothing": [], "HTML": html, "PDF": pdf}
    # As many bytes that are no page: what they alone cost.
    webs |= {
        f"{kind}, fetched only": [(_PICTURE + body, "image/png") for body, _ in webs[kind]] for kind in ("HTML", "PDF")
    }
    costs: dict[str, list[dict[str, float]]] = {kind: [] for kind in webs}
    with tempfile.TemporaryDirectory() as folder:
        for kind in (*webs, *webs):
            warc = Path(folder) / f"{kind}.warc"
            write_web(warc, webs[kind])
            n_pages = 1 + (len(webs[kind]) if kind in ("HTML", "PDF") else 0)
            costs[kind].append(crawled(warc, Path(folder), n_pages))
            say(f"  {kind}: {costs[kind][-1]}")
    best = {kind: min(found, key=lambda each: each["own"]) for kind, found in costs.items()}
    n_files = len(read)
    own = {kind: 1000 * (best[kind]["own"] - best["nothing"]["own"]) / n_files for kind in webs}
    rows = [
        [
            *(kind, f"{mean(len(body) for body, _ in webs[kind]) / 1000:.0f}", f"{own[kind]:.1f}"),
            *(f"{1000 * best[kind]['reader'] / n_files:.1f}", f"{best[kind]['secs']:.0f}", best[kind]["most"]),
        ]
        for kind in webs
        if webs[kind]
    ]
    bytes_ms = own["PDF, fetched only"] - own["HTML, fetched only"]
    more_ms = own["PDF"] - own["HTML"]
    about = (
        f"{n_files} pages of each kind. Beside the same text as an HTML page, one from a PDF file takes {more_ms:+.1f} ms of "
        f"the crawl's process: {bytes_ms:+.1f} ms because there are more bytes to fetch, {more_ms - bytes_ms:+.1f} ms "
        f"({(more_ms - bytes_ms) / own['HTML']:+.0%}) because they are handed over. Without what a crawl of one page "
        "takes. The better of two crawls each, topic `demo`, from a WARC file that is not packed, one page that links to all. "
        f"{machine()}."
    )
    header = [
        "pages",
        "kB",
        "CPU of the crawl's process, ms a page",
        "of the process that reads, ms a page",
        "s in all",
    ]
    return f"{table([*header, 'most that waited'], rows)}\n\n{about}"


def write_web(path: Path, pages: list[tuple[bytes, str]]) -> None:
    links = "<h1>Papers</h1>" + "".join(
        f'<p><a href="/{number}.pdf">planet {number}</a></p>' for number in range(len(pages))
    )
    with path.open("wb") as file:
        writer = WARCWriter(file, gzip=False)  # a PDF file has more bytes, and no server packs it
        for name, (body, kind) in {
            "": (links.encode(), "text/html"),
            **{f"{n}.pdf": page for n, page in enumerate(pages)},
        }.items():
            headers = StatusAndHeaders(
                "200 OK", [("Content-Type", kind), ("Content-Length", str(len(body)))], protocol="HTTP/1.1"
            )
            writer.write_record(
                writer.create_warc_record(
                    f"{_ORIGIN}/{name}", "response", BytesIO(body), len(body), http_headers=headers
                )
            )


def crawled(warc: Path, folder: Path, n_pages: int) -> dict[str, float]:
    run_dir = folder / "run"
    shutil.rmtree(run_dir, ignore_errors=True)
    arguments = [
        "crawl",
        "focused",
        "-a",
        "topic=demo",
        "-a",
        f"web={warc}",
        "-a",
        f"seeds={_ORIGIN}/",
        "-a",
        f"run_dir={run_dir}",
    ]
    settings = ["-s", "FOCUSED_COPIES=off", "-s", "FOCUSED_METRICS_INTERVAL_SECS=0", "-L", "ERROR"]
    environment = {**os.environ, "SCRAPY_SETTINGS_MODULE": "focused.settings"}
    start = time.perf_counter()
    command = [sys.executable, "-c", _MEASURED, *arguments, *settings]
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    secs = time.perf_counter() - start
    own, reader = map(float, done.stdout.split())
    stats = json.loads((run_dir / "run.json").read_text())["stats"]
    if stats["focused/pages/fetched_count"] != n_pages:
        sys.exit(f"{n_pages} pages were to be fetched. Got {stats['focused/pages/fetched_count']}.")
    waited = stats.get("focused/pdf/waiting_most", 0)
    return {"pages": n_pages, "own": own, "reader": reader, "secs": secs, "most": waited}
