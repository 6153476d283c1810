"""PDF files as HTML, and the process that reads them."""

from __future__ import annotations

import hashlib
import os
import re
import signal
from contextlib import ExitStack, closing
from pathlib import Path

import crashing_pdf_child
import pytest
from pdf_files import pdf

from focused.method.page.pdf_process import PdfProcess
from focused.method.page.reader import PageReader
from focused.method.text.analyzer import Analyzer
from focused.method.training.example_content import Refusals
from focused.method.training.example_sources import OpenSources, candidates_at

STARS = [
    (20, "Of Stars"),
    (14, "Galaxies"),
    (10, "A telescope shows stars and galaxies that"),
    (10, "are <far> away & old."),
    (10, "It is told elsewhere"),
    (14, "Planets"),
    (10, "An orbit, as http://b.example/orbit says."),
]
URL = "http://a.example/stars.pdf"


@pytest.fixture(scope="module")
def process():
    made = PdfProcess()
    yield made
    made.close()


@pytest.fixture
def crashing(monkeypatch):
    monkeypatch.setattr(PdfProcess, "program", PdfProcess.program)
    crashing_pdf_child.install()
    made = PdfProcess(timeout_secs=60.0)  # on a busy machine the process may take seconds to begin
    yield made
    made.close()


def test_a_file_becomes_a_page_with_headings_paragraphs_and_links_where_they_stand(process):
    links = {"It is told elsewhere": "../other.html#part"}
    body = pdf(
        STARS,
        [(10, "Last page.")],
        info={"Author": "A. Hubble", "CreationDate": "D:20240131"},
        language="en-GB",
        links=links,
    )
    answer = process.read(body)
    assert (answer.status, answer.n_pages, answer.is_cut) == ("read", 2, False)
    assert answer.sha256 == hashlib.sha256(body).hexdigest()
    page = PageReader(Analyzer("en")).read(answer.html, URL, "application/pdf")
    assert page.title == "Of Stars"  # none is given: the highest letters of the first page
    assert [line for line in page.text.splitlines() if line] == [
        "Of Stars", "Galaxies", "A telescope shows stars and galaxies that are <far> away & old. It is told elsewhere", "Planets",
        "An orbit, as http://b.example/orbit says.", "Last page.",
    ]  # fmt: skip
    assert list(page.link_numbers) == ["http://a.example/other.html", "http://b.example/orbit"]
    html = answer.html.decode()
    assert [found[::-1] for found in re.findall(r"<(h\d)>(.+?)</", html)] == [
        ("Of Stars", "h1"), ("Galaxies", "h2"), ("Planets", "h2"),
    ]  # fmt: skip
    assert '<a href="../other.html#part">It is told elsewhere</a>' in html
    assert '<html lang="en-GB">' in html
    assert '<meta name="author" content="A. Hubble">' in html
    assert '<meta name="date" content="2024-01-31">' in html


def test_the_given_title_counts_unless_a_program_has_written_it(process):
    titles = {
        given: process.read(pdf(STARS, info={"Title": given})).html
        for given in ("The Sky", "Microsoft Word - sky.doc", "a.dvi")
    }
    found = [re.search(b"<title>(.*?)</title>", html)[1].decode() for html in titles.values()]
    assert found == ["The Sky", "Of Stars", "Of Stars"]


def test_files_that_cannot_be_read_say_why_and_others_follow(process):
    whole = pdf(STARS)
    answers = {
        "damaged": process.read(whole[:200]),
        "encrypted": process.read(pdf(STARS, encrypt=True)),
        "no_text": process.read(pdf([])),
    }
    assert {status: answer.status for status, answer in answers.items()} == {status: status for status in answers}
    assert not any(answer.html for answer in answers.values())
    claims = process.read(pdf(STARS, n_claimed=1_000_000_000))
    assert claims.is_read
    assert process.read(whole).is_read


def test_of_a_long_file_the_first_pages_are_read(process):
    made = PdfProcess(max_pages=3)
    answer = made.read(pdf(*([(10, f"Page {number}.")] for number in range(5))))
    made.close()
    assert (answer.n_pages, answer.is_cut) == (5, True)
    assert b"Page 2." in answer.html
    assert b"Page 3." not in answer.html


def test_a_process_that_dies_hangs_or_answers_nonsense_costs_one_file(crashing, monkeypatch):
    whole = pdf(STARS)
    for bad, status in (
        (crashing_pdf_child.CRASH, "crashed"),
        (crashing_pdf_child.HANG, "timeout"),
        (crashing_pdf_child.BABBLE, "crashed"),
    ):
        with monkeypatch.context() as patch:
            if status == "timeout":
                patch.setattr(crashing, "timeout_secs", 0.3)
            assert crashing.read(bad).status == status
        assert crashing.read(whole).is_read
    os.kill(crashing.pid, signal.SIGKILL)
    assert [crashing.read(whole).status for _ in range(2)] == ["crashed", "read"]


@pytest.mark.usefixtures("crashing")
def test_the_process_may_take_no_more_cpu_time_than_a_file_has():
    """Also where nobody watches it: the crawl may have been killed."""
    with closing(PdfProcess(timeout_secs=0.3)) as made:
        made.timeout_secs = 60.0  # nobody does
        assert made.read(crashing_pdf_child.SPIN).status == "timeout"
        assert 0.5 < made.cpu_secs < 4  # and it is told how much that was


def test_the_process_knows_no_secrets_and_writes_no_files(process, monkeypatch):
    monkeypatch.setenv("SECRET_KEY", "hidden")
    process.close()
    assert process.read(pdf(STARS)).is_read
    assert b"SECRET_KEY" not in Path(f"/proc/{process.pid}/environ").read_bytes()
    limits = Path(f"/proc/{process.pid}/limits").read_text()
    assert re.search(r"Max file size +0 ", limits)
    assert re.search(rf"Max address space +{1024 * 1_048_576} ", limits)


def test_pdf_files_in_a_folder_are_example_pages(tmp_path):
    (tmp_path / "stars.pdf").write_bytes(pdf(STARS))
    (tmp_path / "secret").write_bytes(pdf(STARS, encrypt=True))  # with or without their extension
    with ExitStack() as stack:
        opening = OpenSources(Refusals(), None, stack, max_bytes=500)
        secret, stars = candidates_at(tmp_path, opening)
        assert b"A telescope shows" in stars.load().body
        with pytest.raises(ValueError, match="PDF file") as refused:
            secret.load()
    assert refused.value.detail == "encrypted"
    assert [each.url for each in candidates_at(tmp_path / "stars.pdf", opening)] == [stars.url]
