"""A finished run in a folder that may not be written: on another's disk, a medium, a mount."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

import pytest
from collected import collect, collected, url
from commands import read_json_lines, scrapy

from focused.collection.schema import CollectionFileError, open_collection
from focused.collection.view import CollectionView
from focused.retraining.applied_verdicts import apply_verdicts

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ENV = {"SCRAPY_SETTINGS_MODULE": "focused.settings"}


@pytest.fixture
def run_dir(tmp_path) -> Path:
    """Four pages, the first two relevant; Ann said no to the first."""
    found = collect(tmp_path / "run", *(collected(n, 0.9 if n < 3 else 0.1) for n in range(1, 5)))
    (found / "verdicts").mkdir()
    (found / "verdicts" / "ann.jsonl").write_text(json.dumps({"url": url(1), "relevant": False}) + "\n")
    return found


@contextmanager
def may_not_be_written(folder: Path) -> Iterator[None]:
    """Let nobody write into a folder; root needs a mount for that."""
    if os.geteuid():
        folder.chmod(0o555)
        try:
            yield
        finally:
            folder.chmod(0o755)
        return
    if subprocess.run(["mount", "--bind", folder, folder], capture_output=True, check=False).returncode:
        pytest.skip("no right to mount a folder")
    try:
        subprocess.run(["mount", "-o", "remount,ro,bind", folder], check=True)
        yield
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


def test_a_finished_run_is_judged_and_exported_where_nothing_may_be_written(run_dir, tmp_path):
    apply_verdicts(run_dir)
    with may_not_be_written(run_dir):
        judged = scrapy("judge", str(run_dir), "--pages", "0", cwd=tmp_path / "1", env=ENV)
        argv = ("export", str(run_dir), "--format", "jsonl", "--output", "out.jsonl")
        exported = scrapy(*argv, cwd=tmp_path / "2", env=ENV)
    assert judged.exit_code == exported.exit_code == 0, judged.err + exported.err
    assert "may not be written" not in judged.out + exported.out
    assert "not known yet; 10 verdicts on random pages will say" in judged.out  # the file's are on no random page
    assert [page["url"] for page in read_json_lines(tmp_path / "2" / "out.jsonl")] == [url(2)]


def test_verdicts_that_such_a_run_cannot_follow_are_no_reason_not_to_read_it(run_dir, tmp_path):
    with may_not_be_written(run_dir):
        argv = ("export", str(run_dir), "--format", "jsonl", "--output", "out.jsonl")
        exported = scrapy(*argv, cwd=tmp_path / "2", env=ENV)
    assert exported.exit_code == 0, exported.err
    assert f"The newest verdicts of {run_dir} are not followed: " in exported.out
    assert "may not be written" in exported.out
    assert len(read_json_lines(tmp_path / "2" / "out.jsonl")) == 2


def test_what_stands_in_the_log_of_a_killed_crawl_is_not_passed_over(run_dir, tmp_path):
    killed = tmp_path / "killed"
    with closing(open_collection(run_dir / "collection.sqlite")) as sql:
        sql.execute("INSERT INTO about VALUES ('new', 'x')")
        shutil.copytree(run_dir, killed)  # its log holds that
    (killed / "collection.sqlite-shm").unlink()
    with may_not_be_written(killed), pytest.raises(CollectionFileError, match=r"may not be written\. Copy the folder"):
        CollectionView(killed)
    with CollectionView(killed) as view:
        assert view.about()["new"] == "x"


def test_a_file_that_is_damaged_is_called_so_wherever_it_is(run_dir):
    (run_dir / "collection.sqlite").write_bytes(b"SQLite format 3\0" + b"x" * 1000)
    with may_not_be_written(run_dir), pytest.raises(CollectionFileError, match=r"damaged|cannot be used"):
        CollectionView(run_dir)


def test_any_tool_reads_it_there_as_a_file_that_does_not_change(run_dir):
    with (
        may_not_be_written(run_dir),
        closing(sqlite3.connect(f"{(run_dir / 'collection.sqlite').as_uri()}?immutable=1", uri=True)) as sql,
    ):
        assert sql.execute("SELECT count(*) FROM pages").fetchone() == (4,)
