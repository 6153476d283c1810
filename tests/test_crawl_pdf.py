"""Crawls that meet PDF files, over real sockets."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import signal
import sqlite3

import crashing_pdf_child
import hand_made
import pytest
from commands import crawl, scrapy
from pdf_files import pdf
from sites import Reply, Site
from test_crawl_live import FAST

from focused.frontier.store.view import FrontierView
from focused.method.page.pdf_process import PdfAnswer, PdfProcess
from focused.webs.recorded import RecordedWeb

pytestmark = pytest.mark.slow

TYPE = {"Content-Type": "application/pdf"}
ROWS = [(20, "Nebula and Star"), *((10, text) for text in hand_made.STARS.replace(": ", ":\n").split("\n"))]
PAPER = pdf(
    [*ROWS, (10, "more about a galaxy")], links={"more about a galaxy": "/behind"}, info={"Author": "A. Hubble"}
)
SCAN, SECRET = pdf([]), pdf(ROWS, encrypt=True)


def site(**more: bytes) -> dict[str, bytes | Reply]:
    names = ["paper.pdf", "file?id=7", "scan.pdf", "secret.pdf", "large.pdf", *more]
    packed = Reply(gzip.compress(pdf(ROWS, ROWS)), headers={"Content-Type": "text/html", "Content-Encoding": "gzip"})
    return {
        "/": hand_made.html(hand_made.STARS, *((f"/{name}", "a star") for name in names)),
        "/paper.pdf": Reply(PAPER, headers=TYPE),
        "/file?id=7": packed,  # neither its name nor its type say what it is
        "/scan.pdf": Reply(SCAN, headers=TYPE),
        "/secret.pdf": Reply(SECRET, headers={"Content-Type": "application/octet-stream"}),
        "/large.pdf": Reply(PAPER + bytes(40_000), headers=TYPE),
        "/behind": hand_made.html(hand_made.FOOD),
        **{f"/{name}": Reply(body, headers=TYPE) for name, body in more.items()},
    }


@pytest.fixture(scope="module")
def crawled(tmp_path_factory):
    models, folder = (tmp_path_factory.mktemp(name) for name in ("models", "pdf"))
    hand_made.topic().save(models)
    settings = FAST | {"FOCUSED_WARC": "all", "DOWNLOAD_MAXSIZE": 30_000, "RETRY_ENABLED": 0}
    with Site(site()) as server:
        result = crawl(models, folder, seeds=f"{server.url}/", settings=settings)
    assert result.exit_code == 0, result.err
    return result, server


def test_a_pdf_file_is_a_page_like_others(crawled):
    result, server = crawled
    pages = {page["url"].removeprefix(server.url): page for page in result.pages}
    assert set(pages) == {"/", "/paper.pdf", "/file?id=7"}
    paper = pages["/paper.pdf"]
    assert paper["title"] == "Nebula and Star"
    assert "a planet in orbit" in paper["text"]
    assert paper["sha256"] == hashlib.sha256(PAPER).hexdigest()
    assert "/behind" in server.asked  # its link was followed
    rows = sqlite3.connect(result.run_dir / "collection.sqlite").execute("SELECT url, content_type, sha256 FROM pages")
    assert (f"{server.url}/paper.pdf", "application/pdf", paper["sha256"]) in rows.fetchall()


def test_files_that_cannot_be_read_are_counted_and_named(crawled):
    result, server = crawled
    stats = result.stats
    counts = {name: stats.get(f"focused/pdf/{name}_count") for name in ("read", "no_text", "encrypted", "too_large")}
    assert counts == {"read": 2, "no_text": 1, "encrypted": 1, "too_large": 1}
    assert stats["focused/pdf/cpu_secs"] > 0
    assert stats["focused/pdf/waiting"] == 0
    assert "PDF files: 2 read, 1 without text, 1 encrypted, 1 larger than DOWNLOAD_MAXSIZE; " in result.err
    with FrontierView(result.run_dir) as view:
        assert view.find(f"{server.url}/secret.pdf").note == "PDF: encrypted"
        assert view.find(f"{server.url}/paper.pdf").note == ""


def test_the_recording_holds_the_file_itself_and_a_crawl_of_it_reads_it(crawled, tmp_path):
    result, server = crawled
    warc = result.run_dir / "pages.warc.gz"
    with RecordedWeb(warc, tmp_path) as web:
        assert web.answer(f"{server.url}/paper.pdf").body == PAPER
    models = tmp_path / "models"
    hand_made.topic().save(models)
    again = crawl(
        models, tmp_path, seeds=f"{server.url}/", web=str(warc), settings={"FOCUSED_METRICS_INTERVAL_SECS": 0}
    )
    assert {page["url"]: page["sha256"] for page in again.pages} == {
        page["url"]: page["sha256"] for page in result.pages
    }


def test_a_file_that_crashes_or_hangs_its_reader_costs_no_other_page(models, tmp_path):
    more = {"crash.pdf": crashing_pdf_child.CRASH, "hang.pdf": crashing_pdf_child.HANG}
    options = {"settings": FAST, "before": crashing_pdf_child.install_and_give_up_soon_what_hangs}
    with Site(site(**more)) as server:
        result = crawl(models, tmp_path, seeds=f"{server.url}/", **options)
    assert result.exit_code == 0, result.err
    assert (result.stats["focused/pdf/crashed_count"], result.stats["focused/pdf/timeout_count"]) == (1, 1)
    assert {page["url"].removeprefix(server.url) for page in result.pages} == {
        "/",
        "/paper.pdf",
        "/file?id=7",
    }
    assert "Traceback" not in result.err


def test_without_the_library_or_the_wish_links_to_pdf_files_are_counted_and_the_log_says_what_to_do(models, tmp_path):
    for name, settings, before, advice in (
        ("off", {"FOCUSED_PDF_ENABLED": 0}, None, "-s FOCUSED_PDF_ENABLED=1"),
        ("missing", {}, forget_the_library, "pip install 'focused[pdf]'"),
    ):
        with Site(site()) as server:
            result = crawl(models, tmp_path / name, seeds=f"{server.url}/", settings=FAST | settings, before=before)
        assert not any(path.endswith(".pdf") for path in server.asked)
        assert f"PDF files are not read (4 links, 1 file): {advice}" in result.err
        assert len(result.pages) == 1


def test_what_is_left_when_the_crawl_has_ended_is_fetched_again_when_it_is_resumed(models, tmp_path):
    settings = FAST | {"FOCUSED_PDF_TIMEOUT_SECS": 30}
    with Site(site(**{"hang.pdf": crashing_pdf_child.HANG})) as server:
        first = crawl(models, tmp_path, seeds=f"{server.url}/hang.pdf", settings=settings, before=impatient)
        assert first.stats["focused/pdf/left_count"] == 1
        assert "1 left at the end (a resumed crawl fetches them again)" in first.err
        again = crawl(models, tmp_path, seeds=f"{server.url}/hang.pdf", settings=FAST)
    assert server.asked.count("/hang.pdf") == 2
    assert again.stats["focused/pdf/damaged_count"] == 1


def test_a_pdf_file_is_explained(models, tmp_path):
    with Site(site()) as server:
        argv = ["stars", f"{server.url}/paper.pdf", "--json", "-s", "DOWNLOAD_DELAY=0"]
        done = scrapy("explain", *argv, cwd=tmp_path, env={"FOCUSED_MODELS_DIR": str(models)} | PROJECT)
    assert done.exit_code == 0, done.err
    explained = json.loads(done.out)
    assert explained["is_relevant"]
    assert explained["title"] == "Nebula and Star"


PROJECT = {"SCRAPY_SETTINGS_MODULE": "focused.settings"}


def forget_the_library() -> None:
    from focused.method.page import pdf_process

    pdf_process.is_installed.cache_clear()
    pdf_process.find_spec = lambda name: None


def impatient() -> None:
    """Let the crawl be told to stop while a file that hangs is read."""
    from focused.crawl.pdf_reading import PdfReading

    crashing_pdf_child.install()
    PdfReading.end_secs = 1.0
    read = PdfProcess.read

    def reading(self: PdfProcess, body: bytes) -> PdfAnswer:
        os.kill(os.getpid(), signal.SIGTERM)
        return read(self, body)

    PdfProcess.read = reading
