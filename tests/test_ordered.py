"""The topics `ordered` and `ordered-lpe`: the published method to the letter, on Scrapy's own scheduler and priority queue."""

from __future__ import annotations

import csv
import re

import pytest
from commands import ROOT, crawl, environment, scrapy

from focused.method.strategies import make_strategy
from focused.method.topic import load_topic

MODELS = ROOT / "models"
STRATEGY = {"ordered": "cbp_slc", "ordered-lpe": "lpe"}


@pytest.mark.parametrize("name", STRATEGY)
def test_the_classifier_was_trained_beforehand_as_p13_prints_it(name):
    topic = load_topic(name, MODELS)
    assert (topic.preset, topic.scheduler) == ("p13", "scrapy")
    figures = topic.manifest["figures"]
    assert topic.manifest["learner"] == "wvc_p13"
    assert (topic.page_text, topic.model.sublinear_tf) == ("whole", False)
    assert figures["lambda_"] == 0.2
    assert figures["n_reliable_negatives"] >= 75
    assert figures["n_iterations"] > 1  # several SVMs vote
    assert figures["f1"] > 0.8
    # P13 starts from relevant pages.
    assert len(topic.seeds) == 10


@pytest.mark.slow
@pytest.mark.parametrize("name", STRATEGY)
def test_a_crawl_is_scrapys_own_on_the_demo_web_and_on_its_recording(name, tmp_path):
    live = crawl(MODELS, tmp_path / "live", topic=name, max_pages=80, settings={"FOCUSED_WARC": "all"})
    web = live.run_dir / "pages.warc.gz"
    recorded = crawl(MODELS, tmp_path / "recorded", topic=name, max_pages=60, web=web)
    for found, n_pages in ((live, 80), (recorded, 60)):
        assert found.exit_code == 0, found.err
        run, stats = found.run, found.stats
        assert (run["preset"], run["strategy"], run["finish_reason"]) == ("p13", STRATEGY[name], "max_pages")
        assert run["settings"]["SCHEDULER"] == "scrapy.core.scheduler.Scheduler"
        assert run["settings"]["SCHEDULER_PRIORITY_QUEUE"] == "scrapy.pqueues.ScrapyPriorityQueue"
        assert stats["scheduler/dequeued/memory"] >= n_pages
        assert not (found.run_dir / "frontier.sqlite").exists()
        assert stats["focused/links/dropped_count"] > 0
        # Pipelines classify, and log the harvest.
        assert stats["focused/pages/relevant_count"] > 0.6 * stats["focused/pages/fetched_count"] >= 0.6 * n_pages
        assert re.search(r"Finished \(max_pages\): \d+ judged relevant of \d+ pages, harvest 0\.\d+", found.err)
        with (found.run_dir / "harvest.csv").open(newline="") as file:
            assert float(list(csv.DictReader(file))[-1]["harvest_rate"]) > 0.6


@pytest.mark.slow
def test_the_ordered_system_crawls_a_recorded_web_of_real_pages(data_dir, tmp_path):
    web, models = data_dir / "hyperphysics.warc.gz", tmp_path / "models"
    with (data_dir / "hyperphysics.labels.tsv").open(newline="") as file:
        labels = {row["url"]: row["labels"] for row in csv.DictReader(file, delimiter="\t")}
    about = [url for url in labels if "Astrophysics" in labels[url]]
    (tmp_path / "positive.txt").write_text("\n".join(about[:30]))
    (tmp_path / "unlabeled.txt").write_text("\n".join([*labels][::25]))
    pages = ["--positive", str(web), "--positive-urls", "positive.txt", "--seeds", *about[:5]]
    pages += ["--unlabeled", str(web), "--unlabeled-urls", "unlabeled.txt"]
    trained = scrapy("train", "stars", "--preset", "p13", "--quick", *pages, cwd=tmp_path, env=environment(models))
    assert trained.exit_code == 0, trained.err
    path = models / "stars" / "topic.toml"
    path.write_text(f'preset = "p13"\nscheduler = "scrapy"\n{path.read_text()}')
    found = crawl(models, tmp_path / "run", topic="stars", max_pages=100, web=web)
    assert found.exit_code == 0, found.err
    assert (found.run["preset"], found.run["strategy"]) == ("p13", "cbp_slc")
    assert found.run["settings"]["SCHEDULER_PRIORITY_QUEUE"] == "scrapy.pqueues.ScrapyPriorityQueue"
    with (found.run_dir / "fetched.csv").open(newline="") as file:
        fetched = [row["url"] for row in csv.DictReader(file)]
    met = [url for url in fetched if url in labels and url not in about[:30]]
    share = len(about) / len(labels)
    assert sum(url in about for url in met) > 2 * share * len(met)  # by labels that the crawl never saw


def test_the_best_link_is_the_next_one_of_scrapys_queue(tmp_path):
    """With one request at a time and no page under way, each link is fetched before all poorer ones that wait."""
    assert make_strategy("cbp_slc").order == make_strategy("lpe").order != "newest"
    settings = {"CONCURRENT_REQUESTS": 1}
    found = crawl(MODELS, tmp_path, topic="ordered", max_pages=60, settings=settings)
    with (found.run_dir / "fetched.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    score = {row["url"]: float(row["link_score"]) for row in rows}
    n_seeds = sum(row["link_reason"] == "seed" for row in rows)
    assert n_seeds == 10
    later = rows[n_seeds:]
    for number, row in enumerate(later):
        # What the page of an earlier fetch had named already was waiting, so it cannot have been better.
        named = [other for other in later[number + 1 :] if _number(rows, other["referrer"]) < _number(rows, row["url"])]
        assert all(score[other["url"]] <= score[row["url"]] + 1e-3 for other in named)


def _number(rows, url):
    return next((int(row["number"]) for row in rows if url in (row["url"], row["location"])), 0)
