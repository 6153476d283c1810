"""What people say of pages decides what a crawl delivers: at once, in its files, in feeds, and when it is resumed."""

from __future__ import annotations

import csv
import json
import os
import sqlite3
import time
from contextlib import closing, suppress
from pathlib import Path

import pytest
from collected import collect, collected
from commands import ROOT, Finished, crawl, crawl_argv, environment, read_json_lines, scrapy, started

from focused.collection.verdict_files import Verdict
from focused.collection.verdict_folder import VerdictFolder
from focused.collection.verdict_rows import Delivered, VerdictRows
from focused.collection.view import CollectionView
from focused.crawl.delivered_files import correct_pages, remove_refused
from focused.retraining.applied_verdicts import apply_verdicts
from focused.retraining.feedback_files import FeedbackFiles
from focused.retraining.verdict_reader import VerdictReader
from focused.retraining.verdict_table import VerdictTable
from focused.utils.csv_fields import long_fields

PAGE = "http://h.example/1"


def rows(run_dir: Path) -> dict[str, sqlite3.Row]:
    with closing(sqlite3.connect(run_dir / "collection.sqlite")) as sql:
        sql.row_factory = sqlite3.Row
        return {row["url"]: row for row in sql.execute("SELECT * FROM pages ORDER BY number")}


def delivered(run_dir: Path) -> list[str]:
    return [url for url, row in rows(run_dir).items() if row["delivered"]]


def say(run_dir: Path, said: dict[str, object], person: str = "ann") -> None:
    (run_dir / "verdicts").mkdir(parents=True, exist_ok=True)
    with (run_dir / "verdicts" / f"{person}.jsonl").open("a") as file:
        file.writelines(json.dumps({"url": url, "relevant": value}) + "\n" for url, value in said.items())


def crawled(folder: Path, pages: int, feed: str = "", **settings: object) -> Finished:
    result = crawl(ROOT / "models", folder, topic="demo", max_pages=pages, feed=feed, settings=settings)
    assert result.exit_code == 0, result.err
    return result


@pytest.fixture(scope="module")
def judged(tmp_path_factory):
    """A crawl, whose verdicts were given when it had ended; and the same crawl resumed, with a feed."""
    folder = tmp_path_factory.mktemp("judged")
    first = crawled(folder, 40)
    before = rows(first.run_dir)
    refused = [url for url, row in before.items() if row["delivered"]][:3]
    wanted = [url for url, row in before.items() if not row["relevant"] and not row["noindex"]][:2]
    say(first.run_dir, dict.fromkeys(refused, False) | {f"{url}#part": "yes" for url in wanted})
    return first, crawled(folder, 50, feed="late.jsonl"), refused, wanted


@pytest.mark.slow
def test_a_resumed_crawl_delivers_as_people_judged_the_finished_one(judged):
    _, again, refused, wanted = judged
    held = [page["url"] for page in again.pages]
    assert sorted(held) == sorted(delivered(again.run_dir))
    assert not set(refused) & set(held)
    assert set(wanted) < set(held)
    assert {page["url"]: page["verdict"] for page in again.pages if page["verdict"] is not None} == dict.fromkeys(
        wanted, True
    )
    assert all(page["text"] for page in again.pages if page["url"] in wanted)
    assert again.stats["focused/verdicts/withdrawn_count"] == 3
    assert again.stats["focused/verdicts/added_count"] == 2
    assert again.stats["focused/pages/delivered_count"] == len(held)
    assert again.stats["focused/verdicts/decided_count"] == 5
    assert f"delivered pages {again.run_dir / 'pages.jsonl'} ({len(held)})" in again.err
    assert "pages.jsonl corrected by verdicts and the last model: 3 lines removed" in again.err
    n_then = sum(
        bool(row["relevant"] and not row["noindex"] and not row["duplicate_of"]) for row in rows(again.run_dir).values()
    )
    assert (
        f"Delivered: {len(held)} pages; judged relevant when they came: {n_then} (verdicts decide on 5 pages"
        in again.err
    )
    # What was added when the file was put right is not written once more when the pipelines hear of it.
    n_put_in = len(set(wanted) & set(held))
    assert again.stats["focused/store/pages_written_count"] == len(held) + len(refused) - n_put_in
    # What people want now goes to feeds as items.
    assert {page["url"] for page in read_json_lines(again.run_dir.parent / "late.jsonl")} >= set(wanted)


@pytest.mark.slow
def test_after_files_were_put_right_a_crawl_that_is_resumed_loses_nothing_and_delivers_nothing_twice(judged, tmp_path):
    _, again, _, _ = judged
    third = crawled(again.run_dir.parent, 60)
    held = [page["url"] for page in third.pages]
    assert len(held) == len(set(held))
    assert sorted(held) == sorted(delivered(third.run_dir))
    assert "is lost" not in third.err
    assert third.stats["focused/pages/fetched_count"] == 60


@pytest.mark.slow
def test_what_was_said_of_a_finished_run_decides_what_is_exported(judged):
    _, again, _, _ = judged
    refused = delivered(again.run_dir)[0]
    say(again.run_dir, {refused: False}, "ben")
    done = scrapy(
        "export", str(again.run_dir), "--format", "jsonl", cwd=again.run_dir.parent, env=environment(ROOT / "models")
    )
    assert done.exit_code == 0, done.err
    exported = [page["url"] for page in read_json_lines(again.run_dir / "export.jsonl")]
    assert exported == delivered(again.run_dir)
    assert refused not in exported


def said_while_it_runs(run_dir: Path, url: str, value: bool | None) -> None:
    """Say something of a page of a crawl that runs, and wait until its collection knows."""
    say(run_dir, {url: value})
    until = time.monotonic() + 180
    while rows(run_dir)[url]["verdict"] != (None if value is None else int(value)):
        assert time.monotonic() < until
        time.sleep(0.05)


@pytest.mark.slow
def test_feeds_hold_each_delivered_page_once_however_often_people_change_their_mind_while_it_runs(tmp_path):
    settings = {"FOCUSED_UNLABELED": "topic", "DOWNLOAD_DELAY": 1, "FOCUSED_PATIENCE": 0}
    argv = crawl_argv(settings, "feed.jsonl", topic="demo", max_pages=150)
    run_dir = tmp_path / "run"
    with started(*argv, "-O", "feed.csv", cwd=tmp_path, env=environment(ROOT / "models")) as process:
        until = time.monotonic() + 120
        known: dict[str, sqlite3.Row] = {}
        while len(known) < 25:
            assert time.monotonic() < until
            time.sleep(0.1)
            if (run_dir / "collection.sqlite").is_file():
                with suppress(sqlite3.OperationalError):  # its table is not there yet
                    known = rows(run_dir)
        wanted = next(url for url, row in known.items() if row["delivered"])
        refused = next(
            url
            for url, row in known.items()
            if not (row["relevant"] or row["delivered"] or row["duplicate_of"] or row["noindex"])
        )
        for value in (False, True):
            said_while_it_runs(run_dir, wanted, value)
        for value in (True, None):
            said_while_it_runs(run_dir, refused, value)
        assert process.exitcode is None  # it still runs
    assert process.exitcode == 0, (tmp_path / "err").read_text()[-2000:]
    held = sorted(delivered(run_dir))
    assert wanted in held
    assert refused not in held
    assert sorted(page["url"] for page in read_json_lines(tmp_path / "feed.jsonl")) == held
    with (tmp_path / "feed.csv").open(newline="") as file:
        assert sorted(row["url"] for row in csv.DictReader(file)) == held


@pytest.mark.slow
def test_a_verdict_that_is_there_first_decides_at_once_and_one_that_is_taken_back_decides_no_more(tmp_path):
    first = crawled(tmp_path / "first", 40)
    known = delivered(first.run_dir)
    (tmp_path / "more.csv").write_text("url,relevant\n" + "".join(f"{url},no\n" for url in known[:4]))
    second = crawled(tmp_path / "second", 40, feed="pages.csv", FOCUSED_VERDICTS=tmp_path / "more.csv")
    assert not set(known[:4]) & {page["url"] for page in second.pages}
    with (tmp_path / "second" / "pages.csv").open(newline="") as file:
        assert [row["url"] for row in csv.DictReader(file)] == [page["url"] for page in second.pages]
    assert second.stats["focused/verdicts/used_count"] >= 3
    refused = [url for url, row in rows(second.run_dir).items() if row["verdict"] == 0]
    say(second.run_dir, dict.fromkeys(refused, True), "ben")  # contrary verdicts: the model decides
    assert {change.url for change in apply_verdicts(second.run_dir, tmp_path / "more.csv")} == set(refused)
    say(second.run_dir, dict.fromkeys(refused[:1], None), "ben")
    assert apply_verdicts(second.run_dir, tmp_path / "more.csv") == [(refused[0], False)]
    with closing(sqlite3.connect(second.run_dir / "collection.sqlite")) as sql:
        assert sql.execute("SELECT count(*) FROM verdicts WHERE person = 'ben'").fetchone()[0] == len(refused) - 1


def test_a_program_is_believed_until_people_have_contradicted_it_on_several_pages():
    table = VerdictTable(100)
    alone = f"{PAGE}alone"
    assert table.add(Verdict(alone, True, person="assessor-x"))
    for number in range(12):
        table.add(Verdict(f"{PAGE}{number}", number % 2 == 0, person="ann"))
        table.add(Verdict(f"{PAGE}{number}", True, person="assessor-x"))  # whatever the page
        assert table.relevant([f"{PAGE}{number}"]) is (number % 2 == 0)
        assert (table.relevant([alone]) is True) == (number < 9)
    assert alone in table.pages_of_changed_programs()
    assert table.pages_of_changed_programs() == set()
    assert table.not_believed() == {"assessor-x": "it agrees with people on 6 of 12 pages"}
    for number in range(1, 12, 2):
        table.add(Verdict(f"{PAGE}{number}", True, person="ann"))  # people have changed their minds
    assert table.relevant([alone]) is True
    assert alone in table.pages_of_changed_programs()


def test_where_verdicts_find_no_room_those_on_pages_that_the_run_knows_come_first(caplog, tmp_path):
    known = {f"{PAGE}{n}" for n in range(3)}
    table = VerdictTable(3, known.__contains__)
    for n in range(10):
        table.add(Verdict(f"{PAGE}elsewhere{n}", True, person="ann"))
    assert (len(table), table.n_forgotten) == (3, 7)
    for url in sorted(known):
        assert table.add(Verdict(url, False, person="ann"))
    assert {verdict.url for verdict in table} == known
    assert not table.add(Verdict(f"{PAGE}elsewhere", True, person="ann"))
    assert table.n_forgotten == 11
    reader = VerdictReader(FeedbackFiles(tmp_path), lambda name, value: None)
    reader.table = table
    reader.read_all()
    reader.read_all()
    assert caplog.text.count("11 verdicts found no room beside those on 3 pages, and count for nothing") == 1


def test_verdicts_on_pages_that_the_run_does_not_know_do_not_keep_others_from_acting(monkeypatch, tmp_path):
    monkeypatch.setattr("focused.retraining.applied_verdicts.MAX_PAGES", 2)
    run_dir = collect(tmp_path / "run", collected(1, 0.9), collected(2, 0.8, location="http://site.example/two"))
    say(run_dir, {f"http://other.example/{n}": True for n in range(5)}, "a")
    say(run_dir, {"http://site.example/1": False, "http://site.example/two": False}, "b")
    said: list[str] = []
    assert len(apply_verdicts(run_dir, say=said.append)) == 2
    assert "5 verdicts found no room beside those on 2 pages" in " ".join(said)


def test_people_who_contradict_each_other_say_nothing_and_the_last_word_of_each_counts():
    table = VerdictTable(10)
    table.add(Verdict(PAGE, True, person="ann"))
    assert table.relevant([PAGE]) is True
    table.add(Verdict(PAGE, False, person="ben"))
    assert table.relevant([PAGE]) is None
    assert table.add(Verdict(PAGE, None, person="ann"))
    assert table.relevant([PAGE]) is False
    table.add(Verdict(PAGE, True, person="assessor-x"))  # a program does not contradict people
    assert table.relevant([PAGE]) is False
    table.add(Verdict(PAGE, None, person="ben"))
    assert table.relevant([PAGE]) is True


def test_a_wrong_value_in_a_verdict_file_is_named_with_file_line_and_what_it_must_be(tmp_path):
    (tmp_path / "ann.jsonl").write_text(
        f'{{"url": "{PAGE}", "relevant": null}}\n{{"url": "{PAGE}", "relevant": "maybe"}}\n'
    )
    (tmp_path / "ben.jsonl").write_text('{"url": "h.example", "relevant": true}\n')
    files = FeedbackFiles(tmp_path)
    assert [(v.person, v.relevant) for v in files.read_new()] == [("ann", None)]
    first, second = files.faults()
    assert f"{tmp_path / 'ann.jsonl'}, line 2 " in first
    assert (
        "\"relevant\" must be true or false, yes or no, 1 or 0, or null, which takes a verdict back. Got 'maybe'."
        in first
    )
    assert "\"url\" must be an address such as http://site.example/page. Got 'h.example'." in second


NO_OBJECTS = '[{"url": "http://h.example/1", "relevant": true}]\nnull\n5\n"x"\n'


def test_lines_of_json_that_are_no_objects_are_wrong_lines_for_every_reader(tmp_path):
    (tmp_path / "ann.jsonl").write_text(NO_OBJECTS + f'{{"url": "{PAGE}", "relevant": true}}\n')
    files, folder = FeedbackFiles(tmp_path), VerdictFolder(tmp_path)
    assert [verdict.url for verdict in files.read_new()] == [opinion.url for opinion in folder.read()] == [PAGE]
    assert (files.counts["bad"], folder.n_bad) == (4, 4)
    assert "ann.jsonl, line 1 is no verdict" in files.faults()[0]


def test_a_verdict_file_that_ends_in_an_unforeseen_error_is_said_once_and_costs_nothing_else(caplog, monkeypatch):
    files, stats = FeedbackFiles(), {}

    def fail():
        files.has_more = True
        raise AttributeError("unforeseen")

    monkeypatch.setattr(files, "read_new", fail)
    reader = VerdictReader(files, stats.__setitem__)
    reader.read_all()
    reader.read_all()
    assert stats["focused/verdicts/failed_count"] == 2
    assert caplog.text.count("Verdicts cannot be read.") == 1


@pytest.mark.slow
def test_a_crawl_loses_neither_page_nor_summary_to_a_verdict_file_of_nonsense_and_names_who_contradict_each_other(
    tmp_path,
):
    (tmp_path / "run" / "verdicts").mkdir(parents=True)
    (tmp_path / "run" / "verdicts" / "ann.jsonl").write_text(NO_OBJECTS)
    done = crawled(tmp_path, 20)
    assert done.stats["focused/pages/fetched_count"] == done.stats["focused/collection/written_count"] == 20
    assert done.run["finish_reason"] == "max_pages"
    assert "the whole run   " in done.err
    assert "ann.jsonl, line 1 is no verdict" in done.err
    say(done.run_dir, {PAGE: False}, "bob")
    say(done.run_dir, {PAGE: True}, "eve")
    done = crawled(tmp_path, 25)
    assert "people contradict each other, so the model decides" in done.err
    assert f"{PAGE} (bob: no, eve: yes)" in done.err
    assert done.stats["focused/verdicts/pending_count"] == 2
    assert "2 verdicts are on pages that this run has not fetched" in done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize("chance", ["0", "-0.5", "1.5", "NaN", "Infinity", "true", '"0.5"', "[]", "1" + "0" * 400])
def test_a_probability_that_is_none_is_a_wrong_value_and_is_named(tmp_path, chance):
    (tmp_path / "ann.jsonl").write_text(
        f'{{"url": "{PAGE}", "relevant": true, "probability": {chance}}}\n'
        f'{{"url": "{PAGE}", "relevant": true, "probability": 1}}\n'
    )
    files = FeedbackFiles(tmp_path)
    assert [verdict.probability for verdict in files.read_new()] == [1.0]
    [fault] = files.faults()
    assert '"probability" must be a number above 0 and up to 1. Got ' in fault


def test_links_and_pipes_in_a_folder_of_verdicts_are_named_and_not_read(tmp_path):
    folder, secret = tmp_path / "verdicts", tmp_path / "secret.jsonl"
    folder.mkdir()
    secret.write_text(f'{{"url": "{PAGE}", "relevant": true}}\n')
    (folder / "link.jsonl").symlink_to(secret)
    os.mkfifo(folder / "pipe.jsonl")
    files = FeedbackFiles(folder)
    assert files.read_new() == []
    assert files.counts["ignored_files"] == 2
    faults = " ".join(files.faults())
    assert "link.jsonl is ignored: verdicts are read from regular files only, and it is a symbolic link" in faults
    assert (
        "pipe.jsonl is ignored: verdicts are read from regular files only, and it is a pipe, device or socket" in faults
    )


@pytest.mark.slow
def test_lines_of_pages_that_the_collection_does_not_know_stay_unless_people_refuse_them(tmp_path):
    first = crawled(tmp_path, 30, FOCUSED_COLLECTION="off")
    before = [page["url"] for page in first.pages]
    crawled(tmp_path, 35)
    say(first.run_dir, {before[0]: False})
    again = crawled(tmp_path, 40)
    held = [page["url"] for page in again.pages]
    assert before[0] not in held
    assert held[: len(before) - 1] == before[1:]
    assert len(held) == len(set(held))


def test_a_file_of_pages_is_put_right_whatever_a_killed_crawl_left_in_it(tmp_path):
    path = tmp_path / "pages.jsonl"
    lines = [{"url": f"http://h.example/{n}", "title": f"\u2028{n}", "verdict": None} for n in (1, 2, 2, 3)]
    path.write_text(
        "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines) + '{"url": "http://h.ex', "utf-8"
    )
    wanted = {f"http://h.example/{n}": verdict for n, verdict in ((2, None), (3, True), (4, True))}
    known = {url: Delivered(verdict, 0.75, True, 3) for url, verdict in wanted.items()}
    assert correct_pages(path, known, lambda url: {"url": url} | known[url]._asdict()) == (3, 1)
    found = [json.loads(line) for line in path.read_text("utf-8").split("\n")[:-1]]
    assert {page["url"]: page["verdict"] for page in found} == wanted
    assert len(found) == 3
    assert {(page["relevance"], page["model_version"]) for page in found} == {(0.75, 3)}
    before = path.stat().st_ino
    assert correct_pages(path, known, lambda url: None) == (0, 0)
    assert path.stat().st_ino == before
    assert [each.name for each in tmp_path.iterdir()] == ["pages.jsonl"]


def write_feed(path: Path, kind: str, items: list[dict[str, str]]) -> None:
    if kind == "csv":
        with path.open("w", newline="", encoding="utf-8") as file:
            csv.DictWriter(file, ["url", "text"]).writeheader()
            csv.DictWriter(file, ["url", "text"]).writerows(items)
    elif kind == "json":
        path.write_text(json.dumps(items, ensure_ascii=False), "utf-8")
    else:
        path.write_text("".join(f"{json.dumps(item, ensure_ascii=False)}\n" for item in items), "utf-8")


def read_feed(path: Path, kind: str) -> list[dict[str, str]]:
    if kind == "csv":
        with path.open(newline="", encoding="utf-8") as file, long_fields():
            return list(csv.DictReader(file))
    text = path.read_text("utf-8")
    return json.loads(text) if kind == "json" else [json.loads(line) for line in text.split("\n") if line]


@pytest.mark.parametrize("kind", ["jsonlines", "json", "csv"])
def test_refused_pages_are_taken_out_of_a_feed_in_its_own_format(kind, tmp_path):
    items = [
        {"url": "http://h.example/1", "text": "a\nb, \u2028c" + "x" * 200_000},
        {"url": "http://h.example/2", "text": "d"},
    ]
    path = tmp_path / "feed"
    write_feed(path, kind, items)
    assert remove_refused(path, kind, lambda url: url.endswith("/2")) == 1
    assert read_feed(path, kind) == items[:1]
    assert remove_refused(path, kind, lambda url: False) == 0


@pytest.mark.parametrize("kind", ["jsonlines", "json", "csv"])
def test_of_a_page_that_was_delivered_again_a_feed_keeps_the_last_and_of_other_items_all(kind, tmp_path):
    items = [{"url": f"http://h.example/{n}", "text": text} for n, text in ((1, "a"), (2, "b"), (1, "c"), (2, "d"))]
    path = tmp_path / "feed"
    write_feed(path, kind, items)
    assert remove_refused(path, kind, lambda url: False, {"http://h.example/1"}) == 1
    assert read_feed(path, kind) == items[1:]


def test_verdicts_in_a_collection_that_is_none_are_an_error_of_one_line(tmp_path):
    assert apply_verdicts(tmp_path) == []
    (tmp_path / "collection.sqlite").write_text("no database, but long enough to be looked at")
    with pytest.raises(ValueError, match="collection"):
        VerdictRows(tmp_path / "collection.sqlite")


def test_a_report_of_a_finished_run_shows_what_people_say_of_it(tmp_path):
    run = crawl(ROOT / "models", tmp_path, topic="demo", max_pages=30)
    url = run.pages[0]["url"]
    (run.run_dir / "verdicts").mkdir(exist_ok=True)
    (run.run_dir / "verdicts" / "ann.jsonl").write_text(json.dumps({"url": url, "relevant": False}) + "\n")
    done = scrapy("report", "run", cwd=tmp_path, env=environment(ROOT / "models"))
    assert done.exit_code == 0, done.err
    with CollectionView(run.run_dir) as view:
        assert [row["verdict"] for row in view.pages() if row["url"] == url] == [0]
    text = (run.run_dir / "report.html").read_text()
    assert url not in _listed(text)
    n_relevant = run.stats["focused/pages/relevant_count"]
    assert f"When they came, {n_relevant} were called relevant; verdicts, copies or a later model have changed" in text
    assert run.pages[1]["url"] in _listed((run.run_dir / "report.html").read_text())


def _listed(report: str) -> str:
    """Return the table of pages of a report."""
    return report.partition("<tbody")[2].partition("</tbody")[0]
