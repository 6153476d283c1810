"""Evaluations as a user runs them: real crawls of recorded webs, in processes of their own."""

from __future__ import annotations

import argparse
import csv
import fcntl
import json
import os
import signal
import time
from pathlib import Path

import hand_made
import pytest
from commands import ROOT, Finished, crawl, environment, finished, scrapy, started
from scrapy.settings import Settings
from warcs import Warc

from focused.commands.evaluate import Command
from focused.commands.evaluate_options import read_options
from focused.crawl.scrapy_settings import check_values
from focused.evaluation.files import RESULT_COLUMNS
from focused.evaluation.options import Options, WebOption, first_difference
from focused.evaluation.page_cache import CachedReader, PageCache
from focused.evaluation.starts import SOURCES_OF_WEB, sources_of
from focused.method.page.reader import PageReader
from focused.method.text.analyzer import Analyzer
from focused.method.text.background import load_background
from focused.utils.file_names import FETCHED_FILE
from focused.webs.recorded import RecordedWeb

N_PAGES = 60  # of each region


def regions() -> dict[str, bytes]:
    """Stars and food, a ring of pages each with shortcuts, and from each page a link to the other region."""
    site = {"/": hand_made.html("Welcome.", ("/food/0", "cooking"), ("/stars/0", "telescopes"))}
    for name, text, other in (("stars", hand_made.STARS, "food"), ("food", hand_made.FOOD, "stars")):
        for number in range(N_PAGES):
            following = [f"/{name}/{(number + step) % N_PAGES}" for step in (1, 7)]
            links = [(f"/{other}/{number}", "more"), *((url, "next") for url in following)]
            site[f"/{name}/{number}"] = hand_made.html(f"{text} Page {number}.", *links)
    return site


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    """A folder with a recorded site, and labels that people gave: all pages but the home page, and one that is not there."""
    folder = tmp_path_factory.mktemp("site")
    warc = Warc(folder / "site.warc.gz")
    pages = regions()
    for path, body in pages.items():
        warc.page(f"http://site.example{path}", body)
    RecordedWeb(warc.save()).close()
    lines = [f"http://site.example{path}\t{path.split('/')[1]}" for path in pages if path != "/"]
    lines += ["http://site.example/gone\tstars", "http://site.example/food/0\tfood|rare"]
    (folder / "labels.tsv").write_text("\n".join(["url\tlabels", *lines]) + "\n")
    return folder


def evaluate_argv(site: Path, *more: str, **options: object) -> list[str]:
    chosen = {
        "web": site / "site.warc.gz", "labels": site / "labels.tsv", "topics": "stars", "pages": 30, "positives": 8,
        "unlabeled": 60, "seeds": 2, "repeats": 1, "strategies": "breadth_first,best_first,oracle", "output": "eval",
    } | options  # fmt: skip
    pairs = [(f"--{name.replace('_', '-')}", str(value)) for name, value in chosen.items() if value is not None]
    return ["evaluate", *(word for pair in pairs for word in pair), *more]


def evaluate(site: Path, cwd: Path, *more: str, **options: object) -> Finished:
    return scrapy(*evaluate_argv(site, *more, **options), cwd=cwd, env=worker_environment())


def worker_environment(models: Path = ROOT / "models") -> dict[str, str]:
    # Workers find the tests' own components.
    return environment(models) | {"PYTHONPATH": str(ROOT / "tests")}


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def run_of(cwd: Path) -> dict:
    return json.loads((cwd / "eval" / "run.json").read_text())


def stamps(cwd: Path) -> dict[str, int]:
    return {path.name: path.stat().st_mtime_ns for path in (cwd / "eval" / "crawls").glob("*.json")}


@pytest.fixture(scope="module")
def done(site, tmp_path_factory) -> tuple[Path, Finished]:
    """The folder of a finished evaluation, and what it said."""
    cwd = tmp_path_factory.mktemp("done")
    argv = evaluate_argv(site, topics="stars,food", repeats=2, jobs=2)
    return cwd, scrapy(*argv, cwd=cwd, env=worker_environment())


@pytest.mark.slow
def test_every_crawl_has_a_row_and_a_curve(done):
    cwd, command = done
    assert command.exit_code == 0, command.err
    rows = rows_of(cwd / "eval" / "results.csv")
    assert tuple(rows[0]) == RESULT_COLUMNS
    assert {(row["topic"], row["strategy"], row["repeat"]) for row in rows} == {
        (topic, strategy, repeat)
        for topic in ("stars", "food")
        for strategy in ("breadth_first", "best_first", "oracle")
        for repeat in "12"
    }
    curves = rows_of(cwd / "eval" / "curves.csv")
    for row in rows:
        assert (row["pages"], row["finish_reason"], row["state"]) == ("30", "max_pages", "done")
        assert float(row["harvest_rate"]) == pytest.approx(int(row["relevant"]) / 30, abs=1e-6)
        assert float(row["share_of_bound"]) == pytest.approx(int(row["relevant"]) / int(row["bound"]), abs=1e-6)
        assert float(row["cpu_seconds"]) > 0
        assert row["unreachable_relevant"] == row["page_errors"] == "0"
        curve = [c for c in curves if all(c[k] == row[k] for k in ("topic", "strategy", "repeat"))]
        assert [c["pages"] for c in curve] == ["10", "20", "30"]
        assert curve[-1]["relevant"] == row["relevant"]


@pytest.mark.slow
def test_nobody_beats_the_oracle(done):
    best: dict[tuple[str, str], dict[str, int]] = {}
    for row in rows_of(done[0] / "eval" / "results.csv"):
        best.setdefault((row["topic"], row["repeat"]), {})[row["strategy"]] = int(row["relevant"])
    assert len(best) == 4
    for found in best.values():
        assert found["oracle"] == max(found.values()) > found["breadth_first"]


@pytest.mark.slow
def test_what_it_was_done_with_is_written_down(done, site):
    run = run_of(done[0])
    (web,) = run["webs"]
    assert (web["name"], web["n_labelled"], web["n_unlabelled_pages"], web["n_unknown_labels"]) == ("site", 120, 1, 1)
    assert web["labels_from"] is None
    assert (run["n_crawls"], run["n_done"], run["n_failed"], run["state"]) == (12, 12, 0, "finished")
    assert run["command"].startswith("scrapy evaluate --web ")
    for topic in run["topics"]:
        assert len({repeat["positives"] for repeat in topic["repeats"]}) == 2
        for repeat in topic["repeats"]:
            assert len(repeat["seeds"]) == 2
            assert repeat["reachable_relevant"] == N_PAGES - 8
    assert {entry["verdict"] for entry in run["significance"]} <= {"better", "worse", "tie"}
    assert "have no label and count as irrelevant" in done[1].err
    assert "1 labels are of URLs that are no page of it, e.g. http://site.example/gone" in done[1].err


@pytest.mark.slow
def test_the_report_is_written(done):
    assert "<html" in (done[0] / "eval" / "report.html").read_text()[:500]
    assert "Report: eval/report.html" in done[1].out


@pytest.mark.slow
def test_strategies_and_repeats_can_be_added_and_what_is_there_is_not_done_again(site, tmp_path):
    assert evaluate(site, tmp_path, strategies="breadth_first").exit_code == 0
    (before,) = stamps(tmp_path).items()
    command = evaluate(site, tmp_path, strategies="best_first,breadth_first", repeats=2)
    assert command.exit_code == 0, command.err
    assert before in stamps(tmp_path).items()
    rows = [(row["strategy"], row["repeat"]) for row in rows_of(tmp_path / "eval" / "results.csv")]
    assert sorted(rows) == [(name, number) for name in ("best_first", "breadth_first") for number in "12"]
    assert {entry["strategy"] for entry in run_of(tmp_path)["significance"]} <= {"best_first", "breadth_first"}
    # And with fewer of them nothing goes out of the files.
    fewer = evaluate(site, tmp_path, strategies="breadth_first")
    assert "1 crawl of" in fewer.err
    assert "best_first" in fewer.out
    assert sorted((row["strategy"], row["repeat"]) for row in rows_of(tmp_path / "eval" / "results.csv")) == sorted(
        rows
    )
    assert (run_of(tmp_path)["n_crawls"], run_of(tmp_path)["state"]) == (4, "finished")


@pytest.mark.slow
def test_a_second_run_does_no_crawl_twice(done, site):
    cwd, first = done
    before = stamps(cwd)
    again = evaluate(site, cwd, topics="stars,food", repeats=2)
    assert again.exit_code == 0
    assert "12 are done already" in again.err
    assert stamps(cwd) == before
    assert again.out == first.out


@pytest.mark.slow
def test_another_evaluation_does_not_go_into_the_same_folder(done, site):
    cwd, _ = done
    refused = evaluate(site, cwd, topics="stars,food", repeats=2, pages=20)
    assert refused.exit_code == 1
    assert "--pages was 30, now 20" in refused.err
    assert "--output" in refused.err
    with (cwd / "eval" / ".lock").open() as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        refused = evaluate(site, cwd, topics="stars,food", repeats=2)
    assert refused.exit_code == 1
    assert "Another evaluation is writing into" in refused.err
    assert "Traceback" not in refused.err


@pytest.mark.slow
def test_a_crawl_is_the_same_alone_and_in_company(done, site, tmp_path):
    alone = evaluate(site, tmp_path, topics="food", strategies="best_first", repeats=1)
    assert alone.exit_code == 0, alone.err
    (path,) = (tmp_path / "eval" / "runs").glob(f"*/best_first/{FETCHED_FILE}")
    company = done[0] / path.relative_to(tmp_path)
    assert path.read_bytes() == company.read_bytes()


@pytest.mark.slow
def test_the_model_is_that_of_scrapy_train(done, site, tmp_path):
    group = json.loads((done[0] / "eval" / "groups" / "site-stars-r1.json").read_text())
    for kind in ("positives", "unlabeled"):
        (tmp_path / kind).write_text("\n".join(group[kind]))
    warc = str(site / "site.warc.gz")
    trained = scrapy(
        *("train", "site-stars-r1", "--positive", warc, "--positive-urls", "positives", "--unlabeled", warc),
        *("--unlabeled-urls", "unlabeled", "--seeds", *group["seeds"]),
        cwd=tmp_path,
        env=environment(tmp_path / "models"),
    )
    assert trained.exit_code == 0, trained.err
    model = "models/site-stars-r1/model.npz"
    assert (tmp_path / model).read_bytes() == (done[0] / "eval" / model).read_bytes()


@pytest.mark.slow
def test_pages_that_raise_an_exception_are_counted(site, tmp_path):
    pipelines = {
        "focused.pipelines.classify.ClassifyPipeline": 100,
        "failing.OnePageFails": 150,
        "focused.pipelines.harvest.HarvestPipeline": 200,
    }
    settings = ("-s", f"ITEM_PIPELINES={json.dumps(pipelines)}")
    command = evaluate(site, tmp_path, *settings, strategies="breadth_first", pages=60)
    assert command.exit_code == 0, command.err
    (row,) = rows_of(tmp_path / "eval" / "results.csv")
    assert (row["state"], row["page_errors"]) == ("done", "1")


@pytest.mark.slow
@pytest.mark.parametrize("how", ["raises", "dies"])
def test_a_crawl_that_fails_is_shown_as_failed_and_tried_again(site, tmp_path, how):
    (tmp_path / how).touch()
    settings = ("-s", "SCHEDULER=failing.FailingScheduler")
    command = evaluate(site, tmp_path, *settings)
    assert command.exit_code == 1
    assert "1 of 3 crawls failed" in command.err
    rows = {row["strategy"]: row for row in rows_of(tmp_path / "eval" / "results.csv")}
    assert rows["best_first"]["finish_reason"].startswith("failed: ")
    assert {"raises": "out of order", "dies": "SIGKILL"}[how] in rows["best_first"]["finish_reason"]
    assert rows["best_first"]["state"] == "failed"
    assert rows["best_first"]["relevant"] == rows["best_first"]["harvest_rate"] == ""
    assert rows["breadth_first"]["state"] == rows["oracle"]["state"] == "done"
    assert run_of(tmp_path)["n_failed"] == 1
    before = stamps(tmp_path)
    (tmp_path / how).unlink()
    command = evaluate(site, tmp_path, *settings)
    assert command.exit_code == 0, command.err
    assert {name for name, stamp in stamps(tmp_path).items() if stamp != before[name]} == {
        "site-stars-r1.best_first.json"
    }
    assert run_of(tmp_path)["n_failed"] == 0


@pytest.mark.slow
def test_an_interrupted_evaluation_goes_on_where_it_stopped(site, tmp_path):
    argv = evaluate_argv(site, "-s", "SCHEDULER=failing.FailingScheduler")
    (tmp_path / "waits").touch()  # the second crawl does not end by itself
    with started(*argv, cwd=tmp_path, env=worker_environment(), forks_workers=False) as process:
        until = time.monotonic() + 180
        while not (tmp_path / "is_waiting").exists():
            assert time.monotonic() < until
            time.sleep(0.05)
        os.kill(process.pid, signal.SIGINT)
    command = finished(process, tmp_path)
    assert command.exit_code == 1
    assert "the same command resumes the evaluation" in command.err
    assert "Traceback" not in command.err
    before = stamps(tmp_path)
    assert list(before) == ["site-stars-r1.breadth_first.json"]
    assert run_of(tmp_path)["state"] == "interrupted"
    (tmp_path / "waits").unlink()
    command = scrapy(*argv, cwd=tmp_path, env=worker_environment())
    assert command.exit_code == 0, command.err
    assert "1 are done already" in command.err
    assert stamps(tmp_path).items() > before.items()
    assert len(rows_of(tmp_path / "eval" / "results.csv")) == 3


@pytest.mark.slow
def test_a_web_that_is_cut_in_the_middle_is_said_to_be_and_goes_on(site, tmp_path):
    whole = (site / "site.warc.gz").read_bytes()
    (tmp_path / "cut.warc.gz").write_bytes(whole[: len(whole) * 9 // 10])
    command = evaluate(site, tmp_path, web=tmp_path / "cut.warc.gz", strategies="best_first", topics="stars")
    assert command.exit_code == 0, command.err
    assert "damaged or cut in 1 places" in command.err
    assert run_of(tmp_path)["webs"][0]["n_damaged_places"] == 1
    assert rows_of(tmp_path / "eval" / "results.csv")[0]["state"] == "done"


@pytest.mark.slow
def test_two_webs_and_labels_of_classifiers(site, models, tmp_path):
    second = tmp_path / "second.warc.gz"
    second.write_bytes((site / "site.warc.gz").read_bytes())
    argv = ["--web", str(second), "--labels-from", "stars"]
    command = scrapy(
        *evaluate_argv(site, *argv, labels=None, strategies="best_first"), cwd=tmp_path, env=worker_environment(models)
    )
    assert command.exit_code == 0, command.err
    webs = run_of(tmp_path)["webs"]
    assert [(web["name"], web["labels_from"]) for web in webs] == [("site", ["stars"]), ("second", ["stars"])]
    assert "labelled by the classifier of stars, not by people" in command.err
    rows = rows_of(tmp_path / "eval" / "results.csv")
    assert [row["web"] for row in rows] == ["site", "second"]
    assert [topic["n_relevant"] for topic in run_of(tmp_path)["topics"]] == [N_PAGES, N_PAGES]


@pytest.mark.slow
def test_a_crawl_becomes_a_web(tmp_path):
    """Crawl, record, label, evaluate, report."""
    recorded = crawl(
        *(ROOT / "models", tmp_path),
        topic="demo",
        web="demo",
        strategy="breadth_first",
        max_pages=120,
        settings={"FOCUSED_WARC": "all", "FOCUSED_DEMO_PAGES": 500, "FOCUSED_DEMO_HOSTS": 20},
    )
    assert recorded.exit_code == 0, recorded.err
    labelled = scrapy(
        "demo", "--labels", "labels.tsv", "--pages", "500", "--hosts", "20", cwd=tmp_path, env=environment(ROOT / "models")
    )  # fmt: skip
    assert labelled.exit_code == 0, labelled.err
    command = scrapy(
        *("evaluate", "--web", "run/pages.warc.gz", "--labels", "labels.tsv", "--largest", "1", "--exclude", "other"),
        *("--strategies", "breadth_first,cbp_slc", "--pages", "20", "--positives", "8", "--unlabeled", "60"),
        *("--seeds", "2", "--repeats", "1", "--output", "eval"),
        cwd=tmp_path,
        env=worker_environment(),
    )
    assert command.exit_code == 0, command.err
    rows = rows_of(tmp_path / "eval" / "results.csv")
    assert [(row["strategy"], row["state"]) for row in rows] == [("breadth_first", "done"), ("cbp_slc", "done")]
    assert all(int(row["relevant"]) > 0 for row in rows)
    assert run_of(tmp_path)["webs"][0]["n_pages"] >= 120
    assert "cbp_slc" in (tmp_path / "eval" / "report.html").read_text()


@pytest.mark.slow
def test_an_exhaustive_crawl_fetches_what_the_graph_says_can_be_reached(site, tmp_path):
    command = evaluate(site, tmp_path, strategies="breadth_first", pages=1000)
    assert command.exit_code == 0, command.err
    (row,) = rows_of(tmp_path / "eval" / "results.csv")
    assert row["finish_reason"] == "finished"
    assert row["target_recall"] == "1.0"
    assert row["share_of_bound"] == "1.0"
    assert int(row["relevant"]) == int(row["reachable_relevant"]) > 0
    assert row["unreachable_relevant"] == "0"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"topics": "rare"}, "Topic 'rare' has 1 page on site"),
        ({"topics": "none"}, r"--topics names 'none', which is no label of site\. Labels with their pages: "),
        ({"web": None}, "--web is missing"),
        ({"labels": None}, "--labels must be given once for each --web"),
        ({"web": "hostile"}, "The hostile web is for crawls"),
        ({"labels": "nowhere.tsv"}, "--labels must be the path of a file"),
        ({"strategies": "best_frist"}, "Did you mean 'best_first'"),
        ({"seeds": 9}, "--seeds 9 are drawn from --positives 8"),
        ({"pages": "many"}, "--pages must be a whole number from 1 to 4294967295. Got 'many'"),
        ({"output": None}, "--output is missing"),
        ({"largest": 2}, "Leave one out"),
    ],
)
def test_what_cannot_be_done_is_one_clear_line(site, tmp_path, options, message):
    command = evaluate(site, tmp_path, **options)
    assert command.exit_code == 1
    (line,) = [line for line in command.err.splitlines() if line.startswith("Error: ")]
    assert message.replace("\\", "") in line
    assert "Traceback" not in command.err


@pytest.mark.slow
def test_seeds_of_a_file_that_the_web_does_not_have_are_left_out_and_said_to_be(site, tmp_path):
    known = "http://site.example/stars/3"
    (tmp_path / "seeds.txt").write_text(f"{known}\nhttp://site.example/gone\nhttp://elsewhere.example/\n")
    command = evaluate(site, tmp_path, seeds="seeds.txt", strategies="breadth_first")
    assert command.exit_code == 0, command.err
    assert "2 of 3 seeds are no page of it and left out, e.g. http://site.example/gone" in command.err
    assert run_of(tmp_path)["topics"][0]["repeats"][0]["seeds"] == [known]


@pytest.mark.slow
def test_a_page_under_two_addresses_of_its_host_is_fetched_and_counted_once(tmp_path):
    warc = Warc(tmp_path / "site.warc.gz")
    for path, body in regions().items():
        # Each page links to the next one in two ways.
        warc.page(f"http://site.example{path}", body.replace(b'href="/', b'href="http://site.example:80/', 1))
    RecordedWeb(warc.save()).close()
    labels = [f"http://site.example{path}\t{path.split('/')[1]}" for path in regions() if path != "/"]
    (tmp_path / "labels.tsv").write_text("\n".join(labels))
    command = evaluate(tmp_path, tmp_path, strategies="breadth_first,depth_first", pages=40)
    assert command.exit_code == 0, command.err
    rows = rows_of(tmp_path / "eval" / "results.csv")
    assert [(row["pages"], row["finish_reason"]) for row in rows] == [("40", "max_pages")] * 2


@pytest.mark.slow
def test_the_demo_web_needs_no_files_and_one_that_could_not_begin_keeps_no_other_out_of_its_folder(tmp_path):
    def demo(pages: int, *topics: str) -> Finished:
        argv = ["evaluate", "--web", "demo", *topics, "--pages", "20", "--positives", "8", "--repeats", "1"]
        argv += ["--unlabeled", "60", "--strategies", "best_first", "--output", "eval"]
        for name, value in (("PAGES", pages), ("HOSTS", 10), ("TOPICS", 2)):
            argv += ["-s", f"FOCUSED_DEMO_{name}={value}"]
        return scrapy(*argv, cwd=tmp_path, env=worker_environment())

    assert demo(200, "--topics", "astronmy").exit_code == 1
    mended = demo(240, "--largest", "1")
    assert mended.exit_code == 0, mended.err
    (row,) = rows_of(tmp_path / "eval" / "results.csv")
    assert (row["web"], row["state"]) == ("demo", "done")
    assert row["topic"] != "other"
    assert run_of(tmp_path)["webs"][0]["n_pages"] == 240  # not what the first has left


@pytest.mark.slow
@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("FOCUSED_JFE_LAMDA=0.2", "Did you mean 'FOCUSED_JFE_LAMBDA'"),
        ("FOCUSED_JFE_LAMBDA=2", "FOCUSED_JFE_LAMBDA must be"),
        ("FOCUSED_ADAPTATION=automatic", "FOCUSED_ADAPTATION is called FOCUSED_RETRAINING now. Use the new name."),
        ("FOCUSED_STRATEGY=none", "The strategy must be one of"),
        ("FOCUSED_MAX_PAGES=5", "decided by the evaluation itself"),
        ("DEPTH_LIMIT=5", "is --depth here"),
        ("DOWNLOAD_DELAY=abc", "DOWNLOAD_DELAY must be a number from 0 to 86,400. Got 'abc'."),
        (
            "CONCURRENT_REQUESTS_PER_DOMAIN=0",
            "CONCURRENT_REQUESTS_PER_DOMAIN must be a whole number from 1 to 10,000. Got '0'",
        ),
        ("JOBDIR=job", "JOBDIR is not for evaluations"),
        ("FOCUSED_MAX_RELEVANT=5", "FOCUSED_MAX_RELEVANT is not for evaluations"),
    ],
)
def test_a_bad_setting_stops_it_before_anything_is_read(site, tmp_path, setting, message):
    command = evaluate(site, tmp_path, "-s", setting)
    assert command.exit_code == 1
    assert message in command.err
    assert not (tmp_path / "eval").exists()


@pytest.mark.parametrize(
    ("name", "bad", "good"),
    [
        ("DOWNLOAD_DELAY", "-1", "0.25"),
        ("DOWNLOAD_TIMEOUT", "inf", "30"),
        ("AUTOTHROTTLE_TARGET_CONCURRENCY", "", "1.5"),
        ("RETRY_TIMES", "1.5", "0"),
        ("DEPTH_PRIORITY", "low", "-1"),
        ("ROBOTSTXT_OBEY", "perhaps", "False"),
        ("DUPEFILTER_CLASS", "scrapy.nothing.Filter", "scrapy.dupefilters.BaseDupeFilter"),
    ],
)
def test_a_value_that_scrapy_could_not_read_is_refused_and_one_that_it_can_is_not(name, bad, good):
    settings = Settings({name: good, "OF_SOMEBODY_ELSE": "x"})
    check_values(settings)
    settings.set(name, bad)
    with pytest.raises(ValueError, match=f"^{name} must be "):
        check_values(settings)


def test_a_topic_whose_label_holds_a_comma_is_named_in_quotes(site):
    parser = argparse.ArgumentParser()
    command = Command()
    command.settings = Settings()
    command.add_options(parser)

    def topics(value: str) -> object:
        return read_options(parser.parse_args(evaluate_argv(site, topics=value)[1:]), {}).topics

    assert topics('"Heat, and light", stars,stars') == ("Heat, and light", "stars")
    assert topics('5" lenses,"a ""b"""') == ('5" lenses', 'a "b"')
    with pytest.raises(ValueError, match="double quotes go around a whole name"):
        topics('"Heat, and light')


@pytest.mark.slow
def test_labels_of_another_web_are_refused(site, tmp_path):
    (tmp_path / "other.tsv").write_text("url\tlabels\nhttp://elsewhere.example/\tstars\n")
    command = evaluate(site, tmp_path, labels=tmp_path / "other.tsv")
    assert command.exit_code == 1
    assert "None of the 1 URLs in" in command.err


def test_a_page_is_analysed_once_and_the_cache_stays_bounded():
    cache = PageCache(max_bytes=3000)
    body = b"<p>words</p>".ljust(1000)
    first, second = (CachedReader(PageReader(Analyzer()), cache) for _ in range(2))
    page = first.read(body, "http://h.org/a", "text/html")
    assert second.read(body, "http://h.org/a", "text/html") is page
    assert second.saved_secs > first.saved_secs == 0
    # Another URL, type or body is another page.
    others = [
        (body, "http://h.org/b", "text/html"),
        (body, "http://h.org/a", None),
        (body + b"x", "http://h.org/a", None),
    ]
    assert all(second.read(*other) is not page for other in others)
    assert len(cache) == 2  # 1,000 + 1,001 bytes, and no room for a third


def test_the_first_option_that_differs_is_named():
    options = Options((WebOption("/a.warc"),), ("lpe",))
    kept = options.kept({"/a.warc": "1"})
    assert first_difference(kept, kept) is None
    assert first_difference(kept, Options((WebOption("/a.warc"),), ("lpe",), seeds=3).kept({})) == ("--seeds", 5, 3)
    assert first_difference(kept, options.kept({"/a.warc": "2"})) == ("the files", {"/a.warc": "1"}, {"/a.warc": "2"})


@pytest.fixture(scope="module")
def started_thrice(site, tmp_path_factory) -> tuple[Path, Finished]:
    cwd = tmp_path_factory.mktemp("starts")
    return cwd, evaluate(site, cwd, strategies="best_first,breadth_first", start="words,examples,web", pages=15)


@pytest.mark.slow
def test_every_start_has_rows_of_its_own_and_a_table_and_a_section(started_thrice):
    cwd, command = started_thrice
    assert command.exit_code == 0, command.err
    rows = rows_of(cwd / "eval" / "results.csv")
    assert [(row["start"], row["strategy"]) for row in rows] == [
        (start, strategy) for start in ("words", "examples", "web") for strategy in ("best_first", "breadth_first")
    ]
    assert len({(row["start"], row["topic"]) for row in rows_of(cwd / "eval" / "curves.csv")}) == 3
    assert run_of(cwd)["starts"] == ["words", "examples", "web"]
    for name in ("site from words", "site from examples", "site"):
        assert f"\n{name}: strategy" in command.out
        assert name in (cwd / "eval" / "report.html").read_text()


@pytest.mark.slow
def test_examples_and_words_see_no_unlabelled_page_of_the_web(started_thrice):
    cwd, _ = started_thrice
    about = {
        start: json.loads((cwd / "eval" / "models" / f"site-stars-r1{ending}" / "manifest.json").read_text())
        for start, ending in (("words", "-words"), ("examples", "-examples"), ("web", ""))
    }
    assert {start: manifest["kind"] for start, manifest in about.items()} == {
        "words": "keywords",
        "examples": "examples",
        "web": "examples",
    }
    assert "background" not in about["web"]["examples"]
    for start in ("words", "examples"):
        assert "unlabeled" not in about[start]["examples"]
        assert about[start]["examples"]["background"]["n_pages"] > 2000


@pytest.mark.slow
def test_the_words_are_written_down(started_thrice):
    cwd, _ = started_thrice
    record = json.loads((cwd / "eval" / "crawls" / "site-stars-r1-words.best_first.json").read_text())
    (topic,) = run_of(cwd)["topics"]
    assert topic["repeats"][0]["words"] == record["words"]
    assert len(record["words"]) == 6
    assert "stars" not in record["words"]


def test_a_background_leaves_out_the_sources_of_the_web():
    assert sources_of("webkb") == ("WebKB",)
    assert {source for sources in SOURCES_OF_WEB.values() for source in sources} <= set(load_background().sources)


@pytest.mark.parametrize(
    ("option", "value", "problem"),
    [
        ("start", "word", "--start must be some of words, examples, elsewhere, web"),
        ("background_without", "WebXY", "--background-without must be none, or some of python3-doc"),
    ],
)
def test_an_impossible_start_is_refused(site, tmp_path, option, value, problem):
    command = evaluate(site, tmp_path, **{option: value})
    assert command.exit_code == 1
    assert problem in command.err


def other_web(folder: Path) -> dict[str, object]:
    """Options that name another web of pages about stars, which it calls `sky`."""
    warc = Warc(folder / "other.warc.gz")
    urls = [f"http://other.example/{number}" for number in range(12)]
    for number, url in enumerate(urls):
        warc.page(url, hand_made.html(f"{hand_made.STARS} A letter, number {number}."))
    RecordedWeb(warc.save()).close()
    (folder / "other.tsv").write_text("\n".join(["url\tlabels", *(f"{url}\tsky" for url in urls)]) + "\n")
    return {
        "start": "elsewhere", "elsewhere_web": folder / "other.warc.gz", "elsewhere_labels": folder / "other.tsv",
        "elsewhere_topics": "sky",
    }  # fmt: skip


@pytest.mark.slow
def test_examples_from_elsewhere_are_pages_of_the_other_web_and_everything_else_is_as_with_other_starts(
    site, started_thrice, tmp_path
):
    command = evaluate(site, tmp_path, **other_web(tmp_path), strategies="best_first", pages=15)
    assert command.exit_code == 0, command.err
    rows = rows_of(tmp_path / "eval" / "results.csv")
    assert [row["start"] for row in rows] == ["elsewhere"]
    others = rows_of(started_thrice[0] / "eval" / "results.csv")
    assert len({(row["bound"], row["reachable_relevant"]) for row in [*rows, *others]}) == 1
    (topic,) = run_of(tmp_path)["topics"]
    drawn = topic["repeats"][0]["elsewhere"]
    assert len(drawn) == 8  # --positives
    assert all(url.startswith("http://other.example/") for url in drawn)
    manifest = json.loads((tmp_path / "eval" / "models" / "site-stars-r1-elsewhere" / "manifest.json").read_text())
    assert manifest["drawn"]["examples"] == drawn
    assert manifest["examples"]["background"]["n_pages"] > 2000


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"elsewhere_web": None}, "--start elsewhere takes examples from another web"),
        ({"start": "examples"}, "--elsewhere-... are for --start elsewhere"),
        ({"elsewhere_topics": "sky,sea"}, "--elsewhere-topics names one label of the other web for each of --topics"),
        ({"elsewhere_topics": "sea"}, "--elsewhere-topics names 'sea', a label of no page of"),
        ({"elsewhere_web": "none.warc.gz"}, "--elsewhere-web must be the path of a file"),
    ],
)
def test_another_web_that_no_examples_can_come_from_is_refused(site, tmp_path, options, problem):
    command = evaluate(site, tmp_path, **(other_web(tmp_path) | options))
    assert command.exit_code == 1
    assert problem in command.err


def test_the_web_itself_is_no_other_web(site, tmp_path):
    command = evaluate(site, tmp_path, **(other_web(tmp_path) | {"elsewhere_web": site / "site.warc.gz"}))
    assert command.exit_code == 1
    assert "--elsewhere-web must be another web than those of --web" in command.err


@pytest.mark.slow
def test_presets_train_and_crawl_each_by_their_own_learner_and_are_a_column(site, tmp_path):
    command = evaluate(site, tmp_path, preset="modern,p13", strategies="best_first", pages=15)
    assert command.exit_code == 0, command.err
    rows = rows_of(tmp_path / "eval" / "results.csv")
    assert [(row["preset"], row["strategy"]) for row in rows] == [("modern", "best_first"), ("p13", "best_first")]
    learners = {
        json.loads((tmp_path / "eval" / "models" / f"site-stars-r1-{preset}" / "manifest.json").read_text())["learner"]
        for preset in ("modern", "p13")
    }
    assert learners == {"screened_svm", "wvc_p13"}
    assert "p13 best_first" in command.out
    assert "p13 best_first" in (tmp_path / "eval" / "report.html").read_text()


def test_a_preset_brings_its_papers_strategies_and_named_ones_take_their_place():
    webs = (WebOption("demo"),)
    of_paper = Options(webs, (), presets=("modern", "i18"))
    assert of_paper.crawls == [("modern", "adaptive"), ("i18", "hybrid")]
    assert Options(webs, ("cbp",), presets=("p13",)).series == ["p13 cbp"]


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"preset": "p12"}, "A preset must be one of modern, p13"),
        ({"preset": "p13", "learner": "svm"}, "--learner svm and --preset both name a learner"),
        ({"preset": "p13", "start": "words"}, "--start words makes topics without a learner"),
    ],
)
def test_presets_that_cannot_be_compared_are_refused(site, tmp_path, options, problem):
    command = evaluate(site, tmp_path, **options)
    assert command.exit_code == 1
    assert problem in command.err
