"""A run directory may come from a stranger, or have lost something: nothing hangs, and what is lost is said."""

from __future__ import annotations

import csv
import gzip
import json
import os
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from commands import Finished, crawl, environment, scrapy
from scrapy.settings import Settings
from warcio.archiveiterator import ArchiveIterator

from focused.crawl.harvest_so_far import HarvestSoFar
from focused.crawl.run_directory import check_earlier_crawl
from focused.evaluation.report.run_files import read_run
from focused.frontier.run_files import cut_back
from focused.utils.file_names import CRAWL_FILES
from focused.utils.files import write_whole
from focused.utils.gzip_members import whole_members
from focused.utils.own_files import check_own_files, check_writable

if TYPE_CHECKING:
    from collections.abc import Iterator

ADVICE = "Name another."


@pytest.mark.parametrize("name", sorted(CRAWL_FILES))
def test_in_the_place_of_each_file_of_a_crawl_only_a_regular_file_will_do(tmp_path, name):
    (elsewhere := tmp_path / "elsewhere").write_text("x")
    (run_dir := tmp_path / "run").mkdir()
    check_own_files(run_dir, ADVICE)
    path = run_dir / name
    for make, kind in (
        (lambda: os.mkfifo(path), "a pipe"),
        (path.mkdir, "a folder"),
        (lambda: path.symlink_to("/dev/zero"), "a pipe, a device"),
    ):
        make()
        with pytest.raises(ValueError, match=f"{name} must be a regular file. It is {kind}.*{ADVICE}"):
            check_own_files(run_dir, ADVICE, may_link=True)
        path.rmdir() if kind == "a folder" else path.unlink()
    path.symlink_to(elsewhere)
    check_own_files(run_dir, ADVICE, may_link=True)
    with pytest.raises(ValueError, match=f"{name} must be a regular file. It is a symbolic link"):
        check_own_files(run_dir, ADVICE)


@contextmanager
def as_another_user(name: str) -> Iterator[Path]:
    """Be somebody who may read a folder and its only file, and write into the folder only."""
    top = Path(tempfile.mkdtemp())
    (run_dir := top / "run").mkdir()
    (run_dir / name).mkdir() if name == "versions" else (run_dir / name).write_bytes(b"")
    (run_dir / name).chmod(0o555)
    run_dir.chmod(0o777)
    top.chmod(0o755)
    user = os.geteuid()
    os.seteuid(65534) if user == 0 else None
    try:
        yield run_dir
    finally:
        os.seteuid(user)
        shutil.rmtree(top)


@pytest.mark.parametrize(
    "name", ["frontier.sqlite", "frontier.sqlite.lock", "collection.sqlite", "fetched.csv", "versions"]
)
def test_a_crawl_whose_files_belong_to_another_user_is_not_resumed(name):
    settings = Settings({"SCHEDULER": "focused.frontier.scheduler.FrontierScheduler"})
    with as_another_user(name) as run_dir, pytest.raises(ValueError, match=f"/{name} cannot be written by this user"):
        check_earlier_crawl(run_dir, settings, topic="stars", web="demo", web_options={})


def test_a_file_that_a_crawl_replaces_may_belong_to_another_user():
    with as_another_user("run.json") as run_dir:
        check_writable(run_dir, ADVICE)


def test_a_file_is_written_whole_whatever_stands_under_its_other_name(tmp_path):
    (precious := tmp_path / "precious").write_text("x")
    path, other = tmp_path / "run.json", tmp_path / "run.json.part"
    for make in (lambda: os.mkfifo(other), lambda: other.symlink_to(precious)):
        make()
        write_whole(path, "whole")
        assert path.read_text() == "whole"
    assert precious.read_text() == "x"


def test_a_recording_is_cut_where_its_last_whole_record_ends(tmp_path):
    first, second = gzip.compress(b"a" * 300_000, mtime=0), gzip.compress(os.urandom(200_000), mtime=0)
    path = tmp_path / "x.gz"
    for data, end in (
        (b"", 0),
        (first[:-1], 0),
        (first, len(first)),
        (first + second[:-9], len(first)),
        (first + second, len(first + second)),
        (first + b"no gzip", len(first)),
    ):
        path.write_bytes(data)
        assert whole_members(path) == end


@pytest.fixture(scope="module")
def begun(models, two_regions, tmp_path_factory) -> Path:
    """A folder in which a crawl has fetched four pages."""
    folder = tmp_path_factory.mktemp("begun")
    done = crawl(models, folder, settings={"FOCUSED_WARC": "all"}, web=two_regions, strategy="best_first", max_pages=4)
    assert done.exit_code == 0, done.err
    return folder


@pytest.fixture
def folder(begun: Path, tmp_path: Path) -> Path:
    shutil.copytree(begun / "run", tmp_path / "run")
    return tmp_path


def refused(result: Finished, *words: str) -> None:
    assert result.exit_code == 1, result.err
    assert len(result.err.splitlines()) == 1, result.err
    assert all(word in result.err for word in words), result.err


def test_no_command_waits_for_a_pipe_in_a_run_directory(folder, models, two_regions):
    run = folder / "run"
    (run / "pages.jsonl").rename(folder / "elsewhere")
    (run / "pages.jsonl").symlink_to(folder / "elsewhere")
    before = (folder / "elsewhere").read_bytes()
    refused(crawl(models, folder, web=two_regions, max_pages=6), "pages.jsonl must be a regular file", "symbolic link")
    assert (folder / "elsewhere").read_bytes() == before
    for name, argv in (
        ("fetched.csv", ["report", "run"]),
        ("retraining.jsonl", ["train", "stars", "--from-run", "run"]),
        ("frontier.sqlite", ["frontier", "run"]),
    ):
        (run / name).unlink(missing_ok=True)
        os.mkfifo(run / name)
        refused(scrapy(*argv, cwd=folder, env=environment(models)), f"{name} must be a regular file", "a pipe")
        (run / name).unlink()


def test_an_empty_frontier_is_said_to_be_empty_whoever_looks_at_it(folder, models, two_regions):
    frontier = folder / "run" / "frontier.sqlite"
    for each in folder.glob("run/frontier.sqlite*"):
        each.unlink()
    frontier.touch()
    done = crawl(models, folder, web=two_regions, max_pages=6)
    shown = scrapy("frontier", "run", cwd=folder, env=environment(models))
    for each in (done, shown):
        assert (each.exit_code, each.err.count("\n")) == (1, 1), each.err
        assert "frontier.sqlite is empty" in each.err
        assert "-a run_dir=PATH" in each.err
        assert "holds no" not in each.err


@pytest.mark.parametrize(
    ("text", "kept"), [("a\nb\nhalf", "a\nb\n"), ("half", ""), ("a\n", "a\n"), ("a\n" + "x" * 200_000, "a\n")]
)
def test_half_a_line_at_the_end_of_a_file_that_lost_some_is_cut_off_and_counted(tmp_path, text, kept):
    path = tmp_path / "pages.jsonl"
    path.write_text(text)
    cut = cut_back(tmp_path, {"pages.jsonl": len(text) + 7})
    assert path.read_text() == kept
    assert cut.n_missing == 7 + len(text) - len(kept)


def test_a_crawl_goes_on_without_files_that_it_lost_counts_rightly_and_says_what_is_gone(folder, models, two_regions):
    run = folder / "run"
    (run / "fetched.csv").unlink()
    half = (run / "pages.jsonl").read_bytes()[:-30]
    (run / "pages.jsonl").write_bytes(half)
    n_bytes = (run / "pages.warc.gz").stat().st_size
    os.truncate(run / "pages.warc.gz", n_bytes - 20)
    done = crawl(models, folder, settings={"FOCUSED_WARC": "all"}, web=two_regions, strategy="best_first", max_pages=7)
    assert done.exit_code == 0, done.err
    assert "fetched.csv is gone" in done.err
    assert f"pages.jsonl has {len(half):,} bytes of {len(half) + 30:,}" in done.err
    assert done.stats["focused/store/missing_bytes"] > 50
    assert "bytes that files of this run lost between two starts" in done.err
    assert done.stats["focused/pages/fetched_count"] == 7
    with (run / "fetched.csv").open(newline="") as file:
        assert [row["number"] for row in csv.DictReader(file)] == ["5", "6", "7"]
    *lines, after = (run / "pages.jsonl").read_bytes().split(b"\n")
    assert after == b""
    assert all(json.loads(line)["url"] for line in lines)  # half a line is cut off
    assert half.startswith(b"\n".join(lines[: half.count(b"\n")]))
    # The collection has the page whose line was cut: nothing of that file is lost, and nothing says so.
    assert f"{run / 'pages.jsonl'} has" in done.err
    assert "its lines are written again from collection.sqlite" in done.err
    assert len(lines) == done.stats["focused/pages/delivered_count"]
    assert done.err.count("is lost. Its pages count") == 2
    with (run / "pages.warc.gz").open("rb") as file:
        urls = [each.rec_headers["WARC-Target-URI"] for each in ArchiveIterator(file)]
    assert len(set(filter(None, urls))) >= 6  # one of seven was cut
    report = read_run(run)
    assert report.n_pages == 7
    assert any("fetched.csv has lost the rows of 4 pages" in note for note in report.notes)


def test_a_summary_gives_verdicts_as_the_reason_only_where_there_are_some_and_counts_the_lines_of_the_file(
    folder, models, two_regions
):
    run = folder / "run"
    n_before = len((run / "pages.jsonl").read_text().splitlines())
    assert n_before
    for path in run.glob("collection.sqlite*"):
        path.unlink()
    done = crawl(models, folder, settings={"FOCUSED_WARC": "all"}, web=two_regions, strategy="best_first", max_pages=7)
    assert done.exit_code == 0, done.err
    n_delivered, n_lines = done.stats["focused/pages/delivered_count"], len(done.pages)
    assert n_lines == n_before + n_delivered
    assert (
        f"Delivered: {n_delivered} page{'s'[n_delivered == 1 :]}; judged relevant when they came: {n_lines} (collection.sqlite has "
        in done.err
    )
    assert "(collection.sqlite has no rows of 4 pages)\n" in done.err
    assert f"pages.jsonl ({n_lines} lines; {n_delivered} delivered by collection.sqlite)" in done.err


def test_an_estimate_that_has_lost_pages_says_so(tmp_path):
    estimate = HarvestSoFar()
    estimate.restore(tmp_path / "fetched.csv", 30)
    assert estimate.now() is None
    assert "lost the relevances of 30 pages" in estimate.why_unknown


def test_a_folder_with_a_path_that_sqlite_does_not_take_is_refused_before_the_first_request(
    models, tmp_path, two_regions
):
    long = tmp_path.joinpath(*["x" * 100] * 5)
    refused(
        crawl(models, tmp_path, settings={"JOBDIR": long}, web=two_regions, max_pages=2),
        "bytes, SQLite takes",
        "-s JOBDIR=",
    )
    shutil.rmtree(tmp_path / "run")
    refused(crawl(models, tmp_path, web=two_regions, run_dir=long), "-a run_dir=PATH")
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and path.name not in ("out", "err")]
