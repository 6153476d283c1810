"""What a command is told to write goes anywhere but over the files that a crawl or an evaluation keeps."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import ROOT, Finished, crawl, environment, scrapy

from focused.utils.output_files import CRAWL_FILES, check_folder, check_output

SETTINGS = {
    "FOCUSED_WARC": "all",
    "FOCUSED_RETRAINING": "automatic",
    "FOCUSED_RETRAINING_EVERY_PAGES": 8,
    "FOCUSED_METRICS_INTERVAL_SECS": 0,
}


@pytest.fixture(scope="module")
def run(learnt, two_regions, tmp_path_factory) -> Finished:
    """A crawl that leaves all that a crawl can leave."""
    folder = tmp_path_factory.mktemp("crawl")
    done = crawl(learnt, folder, web=two_regions, max_pages=20, settings=SETTINGS)
    assert done.exit_code == 0, done.err
    return done


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def said(err: str) -> list[str]:
    """What a command said, without the line by which a slow machine says that it is at work."""
    return [line for line in err.splitlines() if "INFO: Loading topic" not in line]


@pytest.mark.slow
def test_whatever_a_crawl_leaves_is_not_to_be_written_over(run):
    left = [path for path in run.run_dir.rglob("*") if path.is_file()]
    assert {path.name for path in left} > {"frontier.sqlite", "pages.warc.gz", "retraining.jsonl", "versions.jsonl"}
    for path in left:
        with pytest.raises(ValueError, match=r"would overwrite.*--csv FILE"):
            check_output(path, "--csv")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["frontier.sqlite", "frontier.sqlite-wal", "fetched.csv", "run.json"])
@pytest.mark.parametrize(
    "argv",
    [
        ("frontier", "run", "--csv"),
        ("report", "run", "--output"),
        ("demo", "--pages", "120", "--hosts", "6", "--warc"),
        ("demo", "--pages", "120", "--hosts", "6", "--labels"),
        ("crawl", "focused", "-a", "topic=demo", "-a", "max_pages=2", "-O"),
    ],
    ids=lambda argv: f"{argv[0]} {argv[-1]}",
)
def test_a_command_told_to_write_over_a_file_of_a_crawl_says_no_in_one_line_and_changes_nothing(run, argv, name):
    before = contents(run.run_dir)
    cwd = run.run_dir.parent
    feed_format = ":csv" if argv[0] == "crawl" else ""
    told = scrapy(*argv, f"run/{name}{feed_format}", cwd=cwd, env=environment(ROOT / "models"))
    assert told.exit_code == 1
    [error] = said(told.err)
    assert error.startswith("Error: ")
    assert f"run/{name} would overwrite" in error
    assert f"{argv[-1]} FILE" in error
    assert contents(run.run_dir) == before


@pytest.mark.slow
def test_a_feed_is_not_written_over_what_the_same_crawl_is_about_to_write(tmp_path):
    told = crawl(ROOT / "models", tmp_path, topic="demo", max_pages=2, feed="run/pages.jsonl")
    assert told.exit_code == 1
    [error] = said(told.err)
    assert "run/pages.jsonl would overwrite" in error
    assert not (tmp_path / "run" / "pages.jsonl").exists()


@pytest.mark.slow
def test_an_evaluation_is_not_written_into_the_folder_of_a_crawl(run):
    before = contents(run.run_dir)
    argv = ("evaluate", "--web", "demo", "--largest", "1", "--pages", "2", "--repeats", "1", "--output", "run")
    told = scrapy(*argv, cwd=run.run_dir.parent, env=environment(ROOT / "models"))
    assert told.exit_code == 1
    assert "is the folder of a crawl (" in told.err
    assert told.err.count("\n") == 1
    assert contents(run.run_dir) == before


def test_any_other_name_is_free_and_so_are_these_names_where_no_crawl_is(tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "run.json").write_text("{}")
    for path in ("run/links.csv", "run/report.html", "fetched.csv", "run.json", "run/new/fetched.csv"):
        assert check_output(tmp_path / path, "--csv") == tmp_path / path
    assert check_folder(tmp_path, "--output") == tmp_path


def test_neither_the_way_there_nor_a_link_hides_a_file_of_a_crawl(tmp_path, monkeypatch):
    run = tmp_path / "run"
    (run / "versions" / "2").mkdir(parents=True)
    (run / "frontier.sqlite").touch()
    (run / "versions" / "2" / "labels.json").touch()
    (tmp_path / "link.csv").symlink_to(run / "fetched.csv")
    (tmp_path / "linked").symlink_to(run)
    monkeypatch.chdir(run)
    for path in ("fetched.csv", "../run/fetched.csv", "../link.csv", "../linked/fetched.csv", "versions/2/labels.json"):
        with pytest.raises(ValueError, match="would overwrite"):
            check_output(Path(path), "--csv")


@pytest.mark.parametrize("name", ["results.csv", "curves.csv", "options.json", "run.json"])
def test_the_files_of_an_evaluation_are_kept_as_well(tmp_path, name):
    (tmp_path / "options.json").write_text("{}")
    with pytest.raises(ValueError, match="would overwrite"):
        check_output(tmp_path / name, "--output")


def test_a_folder_with_any_file_of_a_crawl_is_none_for_an_evaluation(tmp_path):
    for name in CRAWL_FILES - {"run.json"}:  # an evaluation has one, too
        (tmp_path / name).touch()
        with pytest.raises(ValueError, match="is the folder of a crawl"):
            check_folder(tmp_path, "--output")
        (tmp_path / name).unlink()
