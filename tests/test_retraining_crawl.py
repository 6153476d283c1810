"""Crawls with retraining: a web of three regions of which the topic's examples show one."""

from __future__ import annotations

import csv
import json
import re
import shutil
import signal
import time
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from commands import Finished, crawl, crawl_argv, environment, finished, read_json_lines, scrapy, started
from hand_made import html
from scipy.sparse import csr_matrix
from warcs import Warc

from focused.collection.view import CollectionView, terms_of
from focused.crawl.delivered_words import found_in_short
from focused.method.topic import load_topic
from focused.method.topic.counted import relevance_of_counts, relevance_of_texts

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow

ORIGIN = "http://site.example"
N = 60
WORDS = {
    "stars": "star galaxy telescope nebula quasar pulsar supernova constellation astronomer redshift".split(),
    "comets": "comet asteroid meteor crater perihelion tail nucleus ice dust ejecta".split(),
    "food": "butter flour oven soup recipe onion pepper garlic bread sugar".split(),
    "law": "court judge lawyer statute clause verdict appeal contract tribunal plaintiff".split(),
}
COMMON = [f"word{letter}{other}" for letter in "abcdefgh" for other in "abcde"]
SETTINGS = {"CONCURRENT_REQUESTS": 1, "FOCUSED_METRICS_INTERVAL_SECS": 0, "FOCUSED_RETRAINING_EVERY_PAGES": 10}
KINDS_OF_LATE = ("verdicts", "collection")
SELDOM = SETTINGS | {"FOCUSED_RETRAINING_EVERY_PAGES": 15}


def text(region: str, number: int) -> str:
    rng = np.random.default_rng([sorted(WORDS).index(region), number])
    return " ".join(rng.permutation([*rng.choice(WORDS[region], 20), *rng.choice(COMMON, 25)]).tolist())


def site() -> dict[str, bytes]:
    """A home page; of each region a tree of pages. A page has two links on, and one to a page of another region."""
    regions = list(WORDS)
    pages = {"/": html("Welcome.", *((f"{ORIGIN}/{region}/0", WORDS[region][0]) for region in regions))}
    for place, region in enumerate(regions):
        for number in range(N):
            other = regions[(place + 1 + number % 3) % 4]
            links = [(f"{ORIGIN}/{other}/{(number * 7) % N}", WORDS[other][number % 10])]
            links += [
                (f"{ORIGIN}/{region}/{k}", WORDS[region][k % 10]) for k in (2 * number + 1, 2 * number + 2) if k < N
            ]
            pages[f"/{region}/{number}"] = html(text(region, number), *links)
    return pages


@pytest.fixture(scope="module")
def web(tmp_path_factory) -> Path:
    warc = Warc(tmp_path_factory.mktemp("web") / "site.warc.gz")
    for path, body in site().items():
        warc.page(f"{ORIGIN}{path}", body)
    return warc.indexed()


@pytest.fixture(scope="module")
def models(tmp_path_factory) -> Path:
    """A topic learnt from pages about stars alone; of comets and of law it knows next to nothing."""
    return half_a_topic(tmp_path_factory.mktemp("half"), n_comets=2)


def half_a_topic(folder: Path, n_comets: int) -> Path:
    """Train a topic from pages about stars; so many pages about comets are unlabelled. Return its models folder."""
    shown = {"p": {"stars": 12}, "u": {"stars": 4, "comets": n_comets, "food": 120, "law": 2}}
    for name, regions in shown.items():
        lines = [
            json.dumps({"text": text(region, (1000 if name == "p" else 2000) + k)})
            for region, n in regions.items()
            for k in range(n)
        ]
        (folder / f"{name}.jsonl").write_text("\n".join(lines) + "\n")
    made = scrapy(
        *("train", "stars", "--positive", "p.jsonl", "--unlabeled", "u.jsonl", "--seeds", f"{ORIGIN}/", "--quiet"),
        *("--quick", "--language", "en"),
        cwd=folder,
        env=environment(folder / "models"),
    )
    assert made.exit_code == 0, made.err
    return folder / "models"


def verdicts(path: Path, wrong: float = 0.0) -> Path:
    """Somebody's verdicts on every page: stars and comets are relevant."""
    rng = np.random.default_rng(0)
    rows = [
        {"url": f"{ORIGIN}/{region}/{k}", "relevant": (region in ("stars", "comets")) != (rng.random() < wrong)}
        for region in WORDS
        for k in range(N)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def fetched(run: Finished) -> list[dict[str, str]]:
    with (run.run_dir / "fetched.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def harvest(run: Finished) -> int:
    return sum("/stars/" in row["url"] or "/comets/" in row["url"] for row in fetched(run))


def attempts(run: Finished) -> list[dict[str, Any]]:
    return read_json_lines(run.run_dir / "versions.jsonl")


@pytest.fixture(scope="module")
def runs(web, models, tmp_path_factory) -> dict[str, Finished]:
    """Crawls of 120 pages with the model as it is, and with verdicts."""
    folder = tmp_path_factory.mktemp("runs")
    feed = verdicts(folder / "verdicts.jsonl")
    more = {"off": {}, "people": {"FOCUSED_RETRAINING": "interactive", "FOCUSED_VERDICTS": feed}}
    found = {
        name: crawl(
            *(models, folder / name),
            web=web,
            max_pages=120,
            strategy="cbp_slc",
            settings=SELDOM | settings,
            forks_workers=False,
        )
        for name, settings in more.items()
    }
    for run in found.values():
        assert run.exit_code == 0, run.err
        assert "log_count/ERROR" not in run.stats
    return found


def test_a_topic_made_from_words_is_trained_again_and_keeps_what_it_learnt(web, tmp_path):
    lines = [
        json.dumps({"text": text(region, 2000 + k)}) for region, n in (("stars", 8), ("food", 90)) for k in range(n)
    ]
    (tmp_path / "u.jsonl").write_text("\n".join(lines) + "\n")
    env = environment(tmp_path / "models")
    made = scrapy(
        *("train", "stars", "--keywords", *WORDS["stars"][:3], "--unlabeled", "u.jsonl", "--seeds", f"{ORIGIN}/"),
        *("--quiet", "--language", "en"),
        cwd=tmp_path,
        env=env,
    )
    assert made.exit_code == 0, made.err
    settings = SELDOM | {
        "FOCUSED_RETRAINING": "interactive",
        "FOCUSED_VERDICTS": verdicts(tmp_path / "verdicts.jsonl"),
    }
    settings |= {"FOCUSED_RETRAINING_WAIT": "always"}
    run = crawl(tmp_path / "models", tmp_path, web=web, max_pages=60, strategy="best_first", settings=settings)
    assert run.exit_code == 0, run.err
    assert any(each["accepted"] for each in attempts(run)), attempts(run)
    before = load_topic("stars", tmp_path / "models")
    assert before.examples is not None
    assert not before.examples.positive.any()
    kept = scrapy("train", "stars", "--from-run", str(run.run_dir), "--quiet", cwd=tmp_path, env=env)
    assert kept.exit_code == 0, kept.err
    after = load_topic("stars", tmp_path / "models")
    assert after.examples is not None
    # Ten that were assumed, and pages that people wanted.
    assert after.examples.positive.sum() > 10
    pages = {
        region: [dict(Counter(text(region, 3000 + k).split())) for k in range(20)] for region in ("comets", "food")
    }
    found = {}
    for region, texts in pages.items():
        counts = csr_matrix([[float(text.get(term, 0)) for term in after.terms] for text in texts])
        found[region] = relevance_of_counts(after, after.terms, counts, "page") >= after.threshold("page")
    assert found["comets"].mean() > found["food"].mean() + 0.5


def test_a_crawl_for_words_says_first_that_its_end_decides_what_is_delivered(web, tmp_path):
    env = environment(tmp_path / "models")
    options = ("--seeds", f"{ORIGIN}/", "--look-around", "0", "--quiet", "--language", "en")
    made = scrapy("train", "stars", "--keywords", *WORDS["stars"][:3], *options, cwd=tmp_path, env=env)
    assert made.exit_code == 0, made.err
    said = {}
    for name, settings in {"judged again": {}, "once": {"FOCUSED_COLLECTION_JUDGE_AGAIN_SECS": 0}}.items():
        run = crawl(tmp_path / "models", tmp_path / name, web=web, max_pages=3, settings=SETTINGS | settings)
        assert run.exit_code == 0, run.err
        said[name] = "what is delivered is decided when the crawl ends" in run.err
    assert said == {"judged again": True, "once": False}


def test_a_topic_that_its_examples_show_half_of_is_found_whole_by_verdicts(runs):
    assert harvest(runs["people"]) >= 1.15 * harvest(runs["off"])
    assert runs["people"].stats["focused/retraining/accepted_count"] > 0
    assert "focused/retraining/trainings_count" not in runs["off"].stats
    assert not (runs["off"].run_dir / "versions.jsonl").exists()


def test_a_strategy_that_learns_finds_the_other_half_by_verdicts_though_many_of_its_pages_are_unlabelled_examples(
    web, tmp_path
):
    models, feed, found = half_a_topic(tmp_path, n_comets=12), verdicts(tmp_path / "verdicts.jsonl"), {}
    for name, more in {"off": {}, "people": {"FOCUSED_RETRAINING": "interactive", "FOCUSED_VERDICTS": feed}}.items():
        run = crawl(models, tmp_path / name, web=web, max_pages=120, strategy="adaptive", settings=SELDOM | more)
        assert run.exit_code == 0, run.err
        assert "log_count/ERROR" not in run.stats
        found[name] = harvest(run)
    assert found["people"] >= 1.1 * found["off"], found
    assert run.stats["focused/verdicts/new_subtopic_count"] >= 10
    assert max(each["n_left_aside"] for each in attempts(run)) >= 6
    assert "People want" in run.err
    assert " pages that the topic's own model calls irrelevant: its examples do not show all of the topic." in run.err


def test_every_page_names_the_version_that_judged_it_and_versions_follow_each_other(runs):
    record = read_json_lines(runs["people"].run_dir / "retraining.jsonl")
    assert len(record) == 120
    versions = [page["version"] for page in record]
    assert versions == sorted(versions)
    accepted = [each["version"] for each in attempts(runs["people"]) if each["accepted"]]
    assert set(versions) <= {1, *accepted}
    assert all(page["link_version"] <= page["version"] for page in record)
    assert {page["model_version"] for page in runs["people"].pages} <= set(versions)
    rows = fetched(runs["people"])
    assert [int(row["model_version"]) for row in rows] == versions
    assert {row["model_version"] for row in fetched(runs["off"])} == {"1"}


def test_at_the_end_the_collection_and_the_delivered_pages_speak_of_the_last_version(runs, models):
    run, stats = runs["people"], runs["people"].stats
    used = stats["focused/retraining/version"]
    last = load_topic("stars", run.run_dir / "versions" / str(used))
    with CollectionView(run.run_dir) as view:
        rows = [dict(row) | {"terms": terms_of(row)} for row in view.pages()]
    assert {row["model_version"] for row in rows} == {used}
    relevances = relevance_of_texts(last, [row["terms"] for row in rows], "page")
    assert [row["relevance"] for row in rows] == pytest.approx(relevances.tolist())
    assert all(row["relevant"] == (row["relevance"] >= last.threshold("page")) for row in rows)
    delivered = {row["url"]: row["relevance"] for row in rows if row["delivered"]}
    assert {page["url"]: page["relevance"] for page in run.pages} == delivered
    assert {page["model_version"] for page in run.pages} == {used}
    assert stats["focused/collection/judged_again_count"] == 120
    assert stats["focused/collection/former_model_count"] == 0
    n_judged = sum(row["relevant"] == "1" and not row["duplicate_of"] for row in fetched(run))
    n_late = [stats.get(f"focused/{kind}/{way}_count", 0) for way in ("added", "withdrawn") for kind in KINDS_OF_LATE]
    assert len(delivered) == n_judged + sum(n_late[:2]) - sum(n_late[2:])
    assert "120 pages judged again by the last model" in run.err
    # The last lines give each count once, under one name, and the files hold as many.
    assert f": {found_in_short(stats, 120, n_judged)}, harvest " in run.err
    assert f"delivered pages {run.run_dir / 'pages.jsonl'} ({len(delivered)})" in run.err
    assert ("Delivered: " in run.err) is (len(delivered) != n_judged)
    assert "judged again" not in runs["off"].err


def test_every_link_names_the_version_that_scored_it(runs, models, tmp_path):
    run = runs["people"]
    used = run.stats["focused/retraining/version"]
    assert used > 1
    by_page = [int(row["link_model_version"]) for row in fetched(run)]
    assert by_page[0] == 1  # the seed
    assert max(by_page) == used
    assert all(int(row["link_model_version"]) <= int(row["model_version"]) for row in fetched(run))
    shown = scrapy("frontier", str(run.run_dir), "--csv", "links.csv", cwd=tmp_path, env=environment(models))
    assert shown.exit_code == 0, shown.err
    with (tmp_path / "links.csv").open(newline="") as file:
        links = {row["url"]: row for row in csv.DictReader(file)}
    last = fetched(run)[-1]
    assert links[last["url"]]["model_version"] == last["link_model_version"]
    # Scored again, or found since.
    waiting = Counter(int(row["model_version"]) for row in links.values() if row["state"] == "waiting")
    assert waiting.most_common(1)[0][0] == used
    why = scrapy("frontier", str(run.run_dir), "--why", last["url"], cwd=tmp_path, env=environment(models))
    assert f"model version {last['link_model_version']}" in why.out


def test_a_version_is_a_topic_that_a_crawl_can_be_started_with_and_tells_where_it_comes_from(runs, models):
    used = runs["people"].stats["focused/retraining/version"]
    topic = load_topic("stars", runs["people"].run_dir / "versions" / str(used))
    about = topic.manifest["retraining"]
    assert about["version"] == used
    assert about["n_positive"] > 0
    assert about["from_model_sha256"] == load_topic("stars", models).model_sha256
    assert {"new", "in_use", "first"} <= set(about["held_out"])


def test_waiting_links_are_scored_again_as_if_the_new_model_had_judged_their_pages(runs):
    assert runs["people"].stats["focused/retraining/links_scored_again_count"] > 0
    assert runs["people"].stats["focused/retraining/links_left_count"] == 0


def test_drift_is_shown(runs):
    stats = runs["people"].stats
    assert stats["focused/drift/scores"] > 0
    assert len(stats["focused/drift/window_deciles"]) == 9
    assert re.search(r"(?i)the last \d+ pages.*; of the whole crawl judged relevant 0\.\d+", runs["people"].err)


def test_a_crawl_without_patience_is_not_held_up_and_one_with_is_the_same_each_time(web, models, runs, tmp_path):
    again = crawl(
        *(models, tmp_path / "again"),
        web=web,
        max_pages=50,
        strategy="cbp_slc",
        settings=SELDOM
        | {"FOCUSED_RETRAINING": "interactive", "FOCUSED_VERDICTS": verdicts(tmp_path / "verdicts.jsonl")},
    )
    assert again.stats["focused/retraining/accepted_count"] > 0
    assert [row["url"] for row in fetched(again)] == [row["url"] for row in fetched(runs["people"])][:50]
    impatient = crawl(
        *(models, tmp_path / "impatient"),
        web=web,
        max_pages=40,
        strategy="best_first",
        settings=SETTINGS | {"FOCUSED_RETRAINING": "automatic", "FOCUSED_RETRAINING_WAIT": "never"},
    )
    assert impatient.exit_code == 0, impatient.err
    assert len(fetched(impatient)) == 40
    assert impatient.stats["focused/retraining/trainings_count"] >= 1


@pytest.mark.parametrize(("wait", "max_pages"), [("offline", 10), ("never", 11)])
def test_a_crawl_that_ends_before_a_training_has_finished_says_that_no_model_was_trained(
    web, models, tmp_path, wait, max_pages
):
    run = crawl(
        *(models, tmp_path),
        web=web,
        max_pages=max_pages,
        strategy="best_first",
        settings=SETTINGS | {"FOCUSED_RETRAINING": "automatic", "FOCUSED_RETRAINING_WAIT": wait},
    )
    assert run.exit_code == 0, run.err
    (said,) = [line for line in run.err.splitlines() if "none had finished" in line]
    assert "1 training was begun and none had finished when the crawl ended" in said
    assert f"version 1 of the model. Resume it with more pages (-a run_dir={run.run_dir} " in said
    assert ("FOCUSED_RETRAINING_WAIT=always" in said) is (wait == "never")
    assert run.stats["focused/retraining/trainings_count"] == 1
    assert "focused/retraining/trainings_finished_count" not in run.stats
    done = scrapy("train", "stars", "--from-run", str(run.run_dir), cwd=tmp_path, env=environment(models))
    assert done.exit_code != 0
    assert "none of the trainings that were begun had finished" in done.err


@pytest.mark.parametrize("strategy", ["cbp_slc", "shark_search", "anchor_tree", "adaptive"])
def test_strategies_of_every_kind_go_on_with_a_new_model(web, models, tmp_path, strategy):
    run = crawl(
        *(models, tmp_path),
        web=web,
        max_pages=22,
        strategy=strategy,
        settings=SETTINGS
        | {"FOCUSED_RETRAINING": "interactive", "FOCUSED_VERDICTS": verdicts(tmp_path / "verdicts.jsonl")},
    )
    assert run.exit_code == 0, run.err
    assert "log_count/ERROR" not in run.stats
    assert "focused/retraining/worker_failed_count" not in run.stats, run.err
    assert run.stats["focused/retraining/accepted_count"] > 0
    n_made = sum(run.stats.get(f"focused/retraining/{what}_count", 0) for what in ("accepted", "refused"))
    assert run.stats["focused/retraining/trainings_finished_count"] == n_made
    assert "none had finished" not in run.err
    assert len(fetched(run)) == 22
    last = fetched(run)[-1]["url"]
    why = scrapy("frontier", str(run.run_dir), "--why", last, cwd=tmp_path, env=environment(models)).out
    assert ("by the models in use when these pages were fetched" in why) is (strategy == "adaptive")
    assert ("found by model version" in why) is (strategy == "adaptive")


def test_retraining_works_on_scrapys_own_scheduler(web, models, tmp_path):
    run = crawl(
        *(models, tmp_path),
        web=web,
        max_pages=24,
        strategy="best_first",
        settings=SETTINGS
        | {"FOCUSED_RETRAINING": "automatic", "SCHEDULER": "focused.frontier.budget_scheduler.BudgetScheduler"},
    )
    assert run.exit_code == 0, run.err
    assert "log_count/ERROR" not in run.stats
    assert run.stats["focused/retraining/trainings_count"] > 0
    assert "focused/retraining/links_scored_again_count" not in run.stats


@pytest.mark.parametrize("strategy", ["cbp_slc", "adaptive"])
def test_a_killed_crawl_goes_on_with_the_version_it_had_and_what_had_joined(web, models, tmp_path, strategy):
    arguments = {"web": web, "max_pages": 45, "strategy": strategy}
    settings = SETTINGS | {"FOCUSED_RETRAINING": "interactive", "FOCUSED_VERDICTS": verdicts(tmp_path / "v.jsonl")}
    listed = tmp_path / "run" / "versions.jsonl"
    with started(*crawl_argv(settings, **arguments), cwd=tmp_path, env=environment(models)) as process:
        end = time.monotonic() + 180
        while time.monotonic() < end and not (listed.exists() and listed.read_text().count('"accepted": true') >= 2):
            time.sleep(0.02)
        process.kill()
    assert process.exitcode == -signal.SIGKILL
    before = finished(process, tmp_path)
    n_before = len(read_json_lines(before.run_dir / "retraining.jsonl"))
    known = [each["version"] for each in attempts(before)]
    assert 0 < n_before < 45
    run = crawl(models, tmp_path, settings=settings, **arguments)
    assert run.exit_code == 0, run.err
    record = read_json_lines(run.run_dir / "retraining.jsonl")
    assert [page["number"] for page in record] == list(range(1, 46))
    assert "Retraining continues with version" in run.err
    # Pages judged before are kept again: no link has to stay with the score it had.
    assert f"{n_before} pages judged, {n_before} of them kept" in run.err
    assert run.stats["focused/retraining/links_left_count"] == 0
    after = [each["version"] for each in attempts(run)]
    assert after[: len(known)] == known
    assert len(set(after)) == len(after)
    assert record[n_before]["version"] >= max(
        each["version"] for each in attempts(run)[: len(known)] if each["accepted"]
    )


@pytest.mark.parametrize("strategy", ["cbp_slc", "adaptive"])
def test_a_crawl_that_goes_on_trains_as_often_as_before_and_is_the_same_each_time(web, models, tmp_path, strategy):
    settings = SETTINGS | {"FOCUSED_RETRAINING": "interactive", "FOCUSED_VERDICTS": verdicts(tmp_path / "v.jsonl")}
    arguments = {"web": web, "strategy": strategy, "settings": settings}
    begun = crawl(models, tmp_path / "0", max_pages=20, **arguments)
    assert [each for each in attempts(begun) if each["accepted"]]
    again = []
    for name in ("1", "2"):
        shutil.copytree(tmp_path / "0", tmp_path / name)
        again.append(crawl(models, tmp_path / name, max_pages=40, **arguments))
    one, other = again
    assert one.exit_code == other.exit_code == 0, one.err
    assert [row["url"] for row in fetched(one)] == [row["url"] for row in fetched(other)]
    at = [0, *(each["n_pages"] for each in attempts(one)), 40]
    k = SETTINGS["FOCUSED_RETRAINING_EVERY_PAGES"]
    assert max(np.diff(at)) <= k


def test_a_few_verdicts_are_learnt_from_however_many_pages_have_none(web, models, tmp_path):
    few = tmp_path / "few.csv"
    few.write_text(f"{ORIGIN}/,no\n{ORIGIN}/stars/0,yes\n")
    run = crawl(
        *(models, tmp_path),
        web=web,
        max_pages=30,
        settings=SETTINGS | {"FOCUSED_RETRAINING": "interactive", "FOCUSED_VERDICTS": few},
    )
    assert run.exit_code == 0, run.err
    assert run.stats["focused/verdicts/used_count"] == 2
    assert run.stats["focused/retraining/trainings_count"] > 0


def test_a_crawl_in_parts_trains_where_it_would_have_in_one_go_and_not_again_with_the_same_verdicts(
    web, models, tmp_path
):
    few = tmp_path / "few.csv"
    few.write_text("".join(f"{ORIGIN}{path}\n" for path in ("/,no", "/stars/0,yes", "/stars/38,yes")))
    settings = SETTINGS | {"FOCUSED_RETRAINING": "interactive", "FOCUSED_VERDICTS": few}
    arguments = {"web": web, "strategy": "best_first", "settings": settings}
    whole = crawl(models, tmp_path / "whole", max_pages=60, **arguments)
    for max_pages in (24, 37, 60):
        parts = crawl(models, tmp_path / "parts", max_pages=max_pages, **arguments)
    assert whole.exit_code == parts.exit_code == 0, parts.err
    assert len(attempts(whole)) > 1
    assert [each["n_pages"] for each in attempts(parts)] == [each["n_pages"] for each in attempts(whole)]
    assert fetched(parts) == fetched(whole)


def test_training_from_a_run_makes_what_it_learnt_permanent(web, models, runs, tmp_path):
    folder = tmp_path / "models"
    load_topic("stars", models).save(folder)
    argv = ("train", "stars", "--from-run", str(runs["people"].run_dir), "--quiet")
    made = scrapy(*argv, cwd=tmp_path, env=environment(folder))
    assert made.exit_code == 0, made.err
    topic = load_topic("stars", folder)
    last = [each for each in attempts(runs["people"]) if each["accepted"]][-1]
    assert topic.manifest["retraining"]["n_positive"] == last["n_positive"]
    assert topic.manifest["retraining"]["from_run"] == "run"
    old, new = load_topic("stars", models).examples, topic.examples
    assert old is not None
    assert new is not None
    assert new.positive.sum() == old.positive.sum() + last["n_positive"]
    run = crawl(folder, tmp_path / "c", web=web, max_pages=120, strategy="cbp_slc", settings=SETTINGS)
    assert harvest(run) >= 1.2 * harvest(runs["off"])
    twice = scrapy(*argv, cwd=tmp_path, env=environment(folder))
    assert twice.exit_code == 1
    assert "Nothing new was learnt" in twice.err
    assert twice.err.count("\n") == 1
    forced = scrapy(*argv, "--force", cwd=tmp_path, env=environment(folder))
    assert forced.exit_code == 1
    assert "Nothing new was learnt" in forced.err
    assert forced.err.count("\n") == 1
    assert load_topic("stars", folder).model_sha256 == topic.model_sha256


def test_a_run_that_learnt_nothing_is_no_source_of_a_topic(models, runs, tmp_path):
    made = scrapy(
        "train", "stars", "--from-run", str(runs["off"].run_dir), "--quiet", cwd=tmp_path, env=environment(models)
    )
    assert made.exit_code == 1
    assert "it did not train its model again" in made.err
    made = scrapy("train", "stars", "--from-run", "nowhere", "--quiet", cwd=tmp_path, env=environment(models))
    assert made.exit_code == 1
    assert "--from-run RUN_DIR" in made.err


def test_a_setting_that_cannot_be_ends_a_crawl_before_it_starts_with_one_line(models, web, tmp_path):
    run = crawl(models, tmp_path, web=web, settings={"FOCUSED_RETRAINING": "people"})
    assert run.exit_code == 1
    assert "FOCUSED_RETRAINING must be" in run.err
    assert "Traceback" not in run.err
