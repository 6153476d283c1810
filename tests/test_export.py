"""Exports: each kind of file is opened by a tool that it is for, and holds what people and the model say is to be delivered."""

from __future__ import annotations

import csv
import json
import os
import shutil
import sqlite3
from collections import Counter
from contextlib import closing

import pytest
from commands import ROOT, crawl, environment, scrapy
from markdown_it import MarkdownIt
from pyarrow import parquet
from warcio.archiveiterator import ArchiveIterator
from warcio.warcwriter import WARCWriter

from focused.collection.as_warc import records, write_warc
from focused.collection.joined import RECORD_FIELDS, JoinedRuns
from focused.collection.page import CollectedPage
from focused.collection.recorded_pages import RecordedPages
from focused.collection.store import CollectionStore
from focused.collection.view import CollectionView, PageFilter

MODELS = ROOT / "models"


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Two crawls of one topic, which share pages; of the first a person said no to one page, and yes to another."""
    folder = tmp_path_factory.mktemp("runs")
    for name, max_pages in (("first", 40), ("second", 50)):
        arguments = {"topic": "demo", "max_pages": max_pages, "run_dir": name}
        settings = {"FOCUSED_WARC": "all", "FOCUSED_MARKDOWN": "on" if name == "second" else "off"}
        assert crawl(MODELS, folder, settings=settings, **arguments).exit_code == 0
    sql = sqlite3.connect(folder / "first" / "collection.sqlite", isolation_level=None)
    sql.execute("UPDATE pages SET verdict = 0 WHERE id = (SELECT min(id) FROM pages WHERE delivered)")
    sql.execute(
        "UPDATE pages SET verdict = 1, title = '=1+1 <b>*' WHERE id = (SELECT min(id) FROM pages WHERE NOT relevant)"
    )
    sql.close()
    return folder


@pytest.fixture(scope="module")
def delivered(runs) -> set[str]:
    return urls(runs / "first", delivered=True)


def urls(run_dir, **wanted) -> set[str]:
    with CollectionView(run_dir) as view:
        return {row["url"] for row in view.pages(PageFilter(**wanted))}


def export(cwd, *arguments: str):
    return scrapy("export", *arguments, cwd=cwd, env=environment(MODELS))


def exported(cwd, kind: str, *arguments: str):
    done = export(cwd, *arguments, "--format", kind)
    assert (done.exit_code, done.err) == (0, ""), done.err
    return cwd / done.out.splitlines()[0]


@pytest.fixture
def first(runs, tmp_path):
    """A copy of the first run, to write beside it."""
    shutil.copytree(runs / "first", tmp_path / "first")
    return tmp_path


def test_who_asks_for_dates_is_told_how_many_pages_have_none(first, delivered):
    done = export(first, "first", "--format", "jsonl", "--since", "2020")
    n_undated = len(urls(first / "first", delivered=True, undated=True))
    assert 0 < n_undated <= len(delivered)
    assert f"Left out: {n_undated} pages that do not say when they were published." in done.out
    assert "Left out" not in export(first, "first", "--format", "jsonl").out


def test_json_lines_hold_what_is_to_be_delivered_verdicts_first(first, delivered):
    path = exported(first, "jsonl", "first")
    records = [json.loads(line) for line in path.read_text().splitlines()]
    assert path == first / "first" / "export.jsonl"
    assert {each["url"] for each in records} == delivered
    assert all(tuple(each) == RECORD_FIELDS and each["delivered"] is True for each in records)
    assert {each["verdict"] for each in records} == {None, True}


def test_a_table_has_a_row_a_page_and_no_formula(first, delivered):
    with exported(first, "csv", "first").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert {row["url"] for row in rows} == delivered
    assert "'=1+1 <b>*" in {row["title"] for row in rows}
    unsafe = scrapy(
        "export", "first", "--format", "csv", "-s", "FOCUSED_CSV_SAFE=0", cwd=first, env=environment(MODELS)
    )
    assert unsafe.exit_code == 0
    assert "=1+1 <b>*" in (first / "first" / "export.csv").read_text()


def test_parquet_is_read_as_a_table_with_types(first, delivered):
    table = parquet.read_table(exported(first, "parquet", "first"))
    assert set(table["url"].to_pylist()) == delivered
    assert table.column_names == list(RECORD_FIELDS)
    assert all(0 <= each <= 1 for each in table["relevance"].to_pylist())
    assert set(table["verdict"].to_pylist()) == {None, True}


def test_markdown_is_a_folder_of_documents_in_which_a_title_means_nothing(first, delivered):
    folder = exported(first, "markdown", "first", "--output", "notes")
    pages = {path.relative_to(folder).as_posix(): path.read_text() for path in folder.glob("*/*.md")}
    assert len(pages) == len(delivered)
    heads = [dict(line.split(": ", 1) for line in text.split("---\n")[1].splitlines()) for text in pages.values()]
    assert {json.loads(head["url"]) for head in heads} == delivered
    tokens = MarkdownIt("commonmark").parse((folder / "index.md").read_text())
    links = [
        child for token in tokens if token.type == "inline" for child in token.children if child.type == "link_open"
    ]
    assert {link.attrs["href"] for link in links} == set(pages)
    assert not [
        child for token in tokens for child in token.children or () if child.type in ("html_inline", "strong_open")
    ]
    again = export(first, "first", "--format", "markdown", "--output", "notes")
    assert again.exit_code == 0
    (first / "mine").mkdir()
    (first / "mine" / "poem.txt").write_text("mine")
    refused = export(first, "first", "--format", "markdown", "--output", "mine")
    assert (refused.exit_code, refused.err.count("\n")) == (1, 1)
    assert "mine is there and no earlier export" in refused.err


def test_a_folder_of_documents_that_no_export_wrote_is_left_alone(first):
    (first / "own").mkdir()
    (first / "own" / "index.md").write_text("# Mine\n")
    refused = export(first, "first", "--format", "markdown", "--output", "own")
    assert (refused.exit_code, refused.err.count("\n")) == (1, 1)
    assert "own is there and no earlier export" in refused.err
    folder = exported(first, "markdown", "first", "--output", "written")
    (folder / "sub").mkdir()
    (folder / "sub" / "precious.md").write_text("mine")
    refused = export(first, "first", "--format", "markdown", "--output", "written")
    assert "written holds sub/precious.md, which no export has written. Choose another" in refused.err
    assert (folder / "sub" / "precious.md").read_text() == "mine"
    (first / "again.jsonl.part").mkdir()
    assert export(first, "first", "--format", "jsonl", "--output", "again.jsonl").exit_code == 0
    assert (first / "again.jsonl.part").is_dir()


def test_an_export_replaces_no_pipe_and_follows_links(first):
    os.mkfifo(first / "pipe")
    for name, says in (("pipe", "pipe is no regular file"), ("-", "standard output is not written to. Got '-'")):
        refused = export(first, "first", "--format", "jsonl", "--output", name)
        assert (refused.exit_code, refused.err.count("\n")) == (1, 1)
        assert says in refused.err
    assert (first / "pipe").is_fifo()
    (first / "link.jsonl").symlink_to("target.jsonl")
    assert export(first, "first", "--format", "jsonl", "--output", "link.jsonl").exit_code == 0
    assert (first / "link.jsonl").is_symlink()
    assert (first / "target.jsonl").is_file()


def test_markdown_has_the_structure_of_the_page_from_what_was_recorded_as_from_the_crawl_itself(first, runs):
    shutil.copytree(runs / "second", first / "second")
    with closing(sqlite3.connect(first / "second" / "collection.sqlite", isolation_level=None)) as sql:
        kept = [markdown for (markdown,) in sql.execute("SELECT markdown FROM pages WHERE delivered ORDER BY number")]
        assert all(kept)
        made = {path.name: path.read_text() for path in exported(first, "markdown", "second").glob("*/*.md")}
        sql.execute("UPDATE pages SET markdown = NULL")
        again = {path.name: path.read_text() for path in exported(first, "markdown", "second").glob("*/*.md")}
        assert again == made
        assert sorted(text.split("---\n\n", 1)[1].strip() for text in made.values()) == sorted(kept)
        tokens = [token for text in kept for token in MarkdownIt("commonmark").parse(text)]
        assert {"heading_open", "paragraph_open"} <= {token.type for token in tokens}
        assert any(child.type == "link_open" for token in tokens for child in token.children or ())
        # Without either it is the text; another version of a page is none of it.
        sql.execute("UPDATE pages SET text = 'Something else' || char(10) || '* altogether'")
        other = [path.read_text() for path in exported(first, "markdown", "second").glob("*/*.md")]
        assert all(text.endswith("---\n\nSomething else\n\n\\* altogether\n") for text in other)


def test_warc_holds_the_answers_byte_for_byte(first, delivered):
    def answers(path) -> dict[str, bytes]:
        with path.open("rb") as file:
            return {
                record.rec_headers.get_header("WARC-Target-URI"): record.raw_stream.read()
                for record in ArchiveIterator(file, check_digests="raise")
                if record.rec_type == "response"
            }

    found = answers(exported(first, "warc", "first"))
    assert set(found) == delivered
    recorded = answers(first / "first" / "pages.warc.gz")
    assert all(body == recorded[url] for url, body in found.items())
    (first / "first" / "pages.warc.gz").unlink()
    refused = export(first, "first", "--format", "warc", "--output", "x.warc.gz")
    assert (refused.exit_code, refused.err.count("\n")) == (1, 1)
    assert "nothing was recorded (FOCUSED_WARC). Choose another: --format jsonl" in refused.err
    assert not list(first.glob("x.warc.gz*"))


def test_a_page_of_which_nothing_was_recorded_is_said_to_be_missing_in_a_warc_file(first, delivered):
    lost, path = min(delivered), first / "first" / "pages.warc.gz"
    with path.open("rb") as source, (first / "less").open("wb") as out:
        writer = WARCWriter(out, gzip=True)
        for record in ArchiveIterator(source):
            if record.rec_headers.get_header("WARC-Target-URI") != lost:
                writer.write_record(record)
    (first / "less").replace(path)
    done = export(first, "first", "--format", "warc")
    assert done.exit_code == 0, done.err
    assert f"{len(delivered)} pages of 1 run.\nNot in the file, for nothing was recorded of them: 1 page." in done.out


def test_what_many_workers_have_recorded_is_exported_together_each_page_once(first, delivered):
    run, shared = first / "first", min(delivered)
    stored = (run / "pages.warc.gz").read_bytes()
    with (run / "pages.warc.gz").open("rb") as source:
        members = list(records(source))
    for number in (0, 1):
        folder = run / "workers" / f"20260101-120000-{number + 1}"
        folder.mkdir(parents=True)
        own = [member for place, (url, member) in enumerate(members) if url in ("", shared) or place % 2 == number]
        (folder / "pages.warc.gz").write_bytes(b"".join(stored[offset : offset + length] for offset, length in own))
    (run / "pages.warc.gz").unlink()
    (run / "database.json").write_text('{"crawl": "crawl", "database": ""}')
    with JoinedRuns([run], PageFilter(delivered=True)) as runs:
        assert write_warc(runs, first / "all.warc.gz") == []
    with (first / "all.warc.gz").open("rb") as file:
        kinds = Counter(record.rec_headers.get_header("WARC-Target-URI") for record in ArchiveIterator(file))
    assert kinds == Counter(delivered) + Counter({None: 2})
    with RecordedPages([run]) as recorded, JoinedRuns([run], PageFilter(delivered=True)) as runs:
        assert sum(bool(recorded.of(path, row)) for path, row in runs.rows()) > 0.9 * len(delivered)
    for path in run.glob("workers/*/pages.warc.gz"):
        path.unlink()
    with (
        JoinedRuns([run], PageFilter(delivered=True)) as runs,
        pytest.raises(ValueError, match=r"pages.warc.gz in .*workers: no worker of this machine has recorded anything"),
    ):
        write_warc(runs, first / "none.warc.gz")


def test_sqlite_is_one_file_that_can_be_searched(first, delivered):
    path = exported(first, "sqlite", "first", "--output", "stars.sqlite")
    sql = sqlite3.connect(path)
    assert {url for (url,) in sql.execute("SELECT url FROM pages")} == delivered
    found = sql.execute("SELECT count(*) FROM pages_fts WHERE pages_fts MATCH 'star OR galaxy'").fetchone()[0]
    assert 0 < found <= len(delivered)
    assert not list(first.glob("stars.sqlite-*"))


def test_of_several_runs_each_page_comes_once_and_a_verdict_counts_in_all(runs, tmp_path, delivered):
    path = exported(tmp_path, "jsonl", str(runs / "second"), str(runs / "first"), "--output", "all.jsonl")
    found = [json.loads(line) for line in path.read_text().splitlines()]
    listed = [each["url"] for each in found]
    assert len(listed) == len(set(listed))
    both = urls(runs / "first") & urls(runs / "second")
    assert len(both) > 5
    with CollectionView(runs / "first") as view:
        refused = {row["url"] for row in view.pages() if row["verdict"] == 0}
    assert refused & urls(runs / "second", delivered=True)  # the second run would deliver it
    assert set(listed) == (delivered | urls(runs / "second", delivered=True)) - refused


def test_an_export_names_what_is_wrong_with_the_verdicts_as_the_crawl_does(first):
    folder = first / "first" / "verdicts"
    folder.mkdir()
    (folder / "ann.jsonl").write_text('[]\n{"url": "http://other.example/", "relevant": true}\n')
    (folder / "pipe.jsonl").symlink_to(first)
    out = export(first, "first", "--format", "jsonl").out
    assert "ann.jsonl, line 1 is no verdict" in out
    assert "pipe.jsonl is ignored: " in out
    assert "1 verdict is on pages that this run has not fetched" in out
    folder.rename(first / "elsewhere")
    folder.symlink_to(first / "elsewhere")
    out = export(first, "first", "--format", "jsonl").out
    assert (
        "The newest verdicts of first are not followed: first/verdicts must be a folder. It is a symbolic link." in out
    )


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        (["--which", "refused"], {"delivered": False}),
        (["--which", "all", "--relevance", "0.9"], {"least_relevance": 0.9}),
        (["--host", "www.starfield-journal.example"], {"delivered": True, "hosts": ("www.starfield-journal.example",)}),
        (
            ["--host", "www.starfield-journal.example:8801"],
            {"delivered": True, "hosts": ("www.starfield-journal.example",)},
        ),
        (["--words", "galaxy"], {"delivered": True, "words": "galaxy"}),
        (["--language", "en", "--since", "1990"], {"delivered": True, "languages": ("en",), "since": "1990"}),
    ],
)
def test_filters_choose_pages(runs, tmp_path, arguments, wanted):
    path = exported(tmp_path, "jsonl", str(runs / "first"), *arguments, "--output", "some.jsonl")
    assert {json.loads(line)["url"] for line in path.read_text().splitlines()} == urls(runs / "first", **wanted)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "Name the folder of a run: scrapy export RUN_DIR... --format FORMAT. Got none."),
        (["first"], "--format is missing. Give one of jsonl, csv, parquet, markdown, warc, sqlite."),
        (
            ["first", "--format", "xml"],
            "--format must be one of jsonl, csv, parquet, markdown, warc, sqlite. Got 'xml'.",
        ),
        (
            ["first", "--format", "csv", "--output", "no/folder/a.csv"],
            "--output must be in a folder that is there: no/folder",
        ),
        (["first", "--format", "markdown", "--output", "first/verdicts"], "would overwrite what a crawl"),
        (["nowhere", "--format", "csv"], "There is no collection.sqlite in nowhere."),
        (
            ["first", "--format", "csv", "--since", "May"],
            "--since must be a date such as 2024, 2024-05 or 2024-05-31. Got 'May'.",
        ),
        (
            ["first", "--format", "csv", "--since", "2020-13"],
            "--since must be a date such as 2024, 2024-05 or 2024-05-31.",
        ),
        (["first", "--format", "csv", "--before", "2020-02-31"], "--before must be a date such as"),
        (
            ["first", "--format", "csv", "--since", "2024-05", "--before", "2024"],
            "--since must be earlier than --before. Got '2024-05' and '2024'.",
        ),
        (["first", "--format", "csv", "--relevance", "2"], "--relevance must be a number from 0 to 1. Got '2'."),
        (
            ["first", "--format", "csv", "--which", "some"],
            "--which must be one of delivered, refused, all. Got 'some'.",
        ),
        (["first", "--format", "csv", "--words", "*"], "Give a word of letters or digits to be found. Got '*'"),
        (
            ["first", "--format", "csv", "--language", "English"],
            "--language must be codes of two or three letters, such as en,de. Got 'English'.",
        ),
        (["first", "--format", "csv", "--output", "first/pages.jsonl"], "would overwrite what a crawl"),
        (["first", "--format", "csv", "--output", "first"], "first is a folder. Name a file: --output FILE"),
        (
            ["first", "other", "--format", "csv"],
            "other is a run of topic 'cooking', first one of 'demo'. Name runs of one topic.",
        ),
    ],
)
def test_what_cannot_be_done_is_one_line_and_leaves_no_file(first, arguments, says):
    (first / "other").mkdir()
    store = CollectionStore(first / "other" / "collection.sqlite", max_irrelevant=1)
    store.describe("topic", "cooking")
    store.add(CollectedPage(1, "http://a.example/"))
    store.close()
    done = export(first, *arguments)
    assert done.exit_code == 1
    assert done.err.startswith("Error: ")
    assert done.err.count("\n") == 1
    assert says in done.err
    assert not list(first.glob("**/export*"))


@pytest.mark.parametrize(
    ("words", "taken"),
    [("zyx NOT", '"zyx" "NOT"'), ("url:zyx", '"url:zyx"'), ("zyx", ""), ("planet NOT planet", ""), ("star(", "")],
)
def test_words_that_find_nothing_and_are_no_query_are_shown_as_they_were_taken(runs, tmp_path, words, taken):
    argv = ("export", str(runs / "first"), "--format", "jsonl", "--output", "out.jsonl", "--words", words)
    done = scrapy(*argv, cwd=tmp_path, env=environment(MODELS))
    assert done.exit_code == 0, done.err
    assert (" 0 pages" in f" {done.out.splitlines()[1]}") == (words != "star(")
    said = f"--words is no query of FTS5, so it was taken as it stands: {taken}\n"
    assert (said in done.out) if taken else ("as it stands" not in done.out)
