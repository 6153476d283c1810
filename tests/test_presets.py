"""Presets: what the papers fix, as files, and what a crawl takes from them."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from importlib.resources import files

import hand_made
import pytest
from commands import environment, scrapy
from scrapy.settings import Settings

from focused import settings as project
from focused.crawl.arguments import PlanError
from focused.crawl.declared_settings import DECLARED, defaults
from focused.crawl.planning import plan_crawl
from focused.crawl.presets import about_preset
from focused.method.learning.learners import LEARNERS, make_learner
from focused.method.strategies import STRATEGIES
from focused.method.topic import TopicError, load_topic
from focused.method.topic.presets import MODERN, PRESETS, load_preset
from focused.utils.setting import TOPIC

PAPERS = [name for name in PRESETS if name != MODERN]
COMMAND = "scrapy train stars --learner screened_svm --positive my-pages --seeds http://site.example/ --quick"


@pytest.fixture
def models(tmp_path):
    """A models folder with topics that differ in their learner: ``stars`` as by default, ``printed`` as P13 prints it."""
    folder = tmp_path / "models"
    hand_made.topic(manifest={"learner": "screened_svm", "command": COMMAND}).save(folder)
    hand_made.topic("printed", manifest={"learner": "wvc_p13"}, strategy="slc", settings={"DEPTH_LIMIT": 3}).save(
        folder
    )
    own = {"FOCUSED_BELOW_THRESHOLD": "defer"}
    hand_made.topic(
        "ordered", manifest={"learner": "wvc_p13"}, preset="p13", strategy="lpe", scheduler="scrapy", settings=own
    ).save(folder)
    return folder


@pytest.fixture
def settings(models, tmp_path) -> Settings:
    found = Settings()
    found.setmodule(project, priority="project")
    found.setdict({"FOCUSED_MODELS_DIR": str(models), "FOCUSED_RUNS_DIR": str(tmp_path / "runs")}, priority="project")
    return found


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_names_only_what_there_is(name):
    preset = load_preset(name)
    assert preset.learner in LEARNERS
    assert preset.strategies
    assert set(preset.strategies) <= set(STRATEGIES)
    for setting, value in preset.settings.items():
        assert DECLARED[setting].set_by == TOPIC
        assert DECLARED[setting].check(value) == value


@pytest.mark.parametrize("name", PAPERS)
def test_each_line_of_a_paper_says_where_it_comes_from_or_that_it_is_ours(name):
    text = files("focused.method.topic").joinpath("preset_files", f"{name}.toml").read_text()
    lines = [line for line in text.splitlines() if line.startswith("FOCUSED_")]
    assert len(lines) == len(load_preset(name).settings)
    said = r" # (ours[:,]|alg\. \d|eq\. \d|sect\. \d|tables? \d|P13, alg\. \d)"
    without = [line for line in lines if not re.search(said, line)]
    assert not without


PRINTED = {
    "p13": {
        "learner": "wvc_p13", "strategy": "cbp_slc", "SIMILARITY": "decision", "BLOCK_TAGS": "paper", "BLOCK_ALPHA": 0.5,
        "BLOCK_MIN_LINKS": 1, "MERGE_EVIDENCE": False, "CONTEXT_OTHER_ANCHORS": "include", "RETRAINING": "off",
    },
    "l14": {
        "learner": "psoc_l14", "strategy": "slc", "SIMILARITY": "decision", "MERGE_EVIDENCE": False,
        "CONTEXT_OTHER_ANCHORS": "exclude", "RETRAINING": "off",
    },
    "l16": {
        "learner": "naive_bayes_l16", "strategy": "lpe", "SIMILARITY": "cosine", "COSINE_THRESHOLD": 0.1, "JFE_LAMBDA": 0.5,
        "BLOCK_TAGS": "paper", "BLOCK_ALPHA": 0.5, "MERGE_EVIDENCE": False, "CONTEXT_OTHER_ANCHORS": "include",
    },
    "p15": {
        "learner": "incremental_svm_p15", "strategy": "incremental", "CLUSTER_LAMBDA": 3.0, "INCREMENTAL_CLUSTERING": True,
        "INCREMENTAL_EVERY_OUTCOMES": 14, "INCREMENTAL_MU": 10.0, "INCREMENTAL_NEGATIVES": "reliable",
        "MERGE_EVIDENCE": False, "CONTEXT_OTHER_ANCHORS": "include",
    },
    "i18": {
        "learner": "svm_i18", "strategy": "hybrid", "HYBRID_PAGE_WEIGHT": 0.1, "HYBRID_THRESHOLD": 0.5, "HYBRID_C": 1.0,
        "HYBRID_GAMMA": 0.0, "HYBRID_URL_TERMS": False, "WINDOW_CHARS": 50, "MERGE_EVIDENCE": False,
        "RETRAINING": "automatic", "RETRAINING_T1": 0.8, "RETRAINING_T2": 0.2, "RETRAINING_EVERY_PAGES": 14,
        "RETRAINING_COUNTS": "judged", "RETRAINING_VETO": False,
    },
}  # fmt: skip
"""What each paper fixes, as docs/method/presets.md and the papers have it."""


@pytest.mark.parametrize("name", PAPERS)
def test_a_preset_has_the_values_that_its_paper_prints(name):
    preset = load_preset(name)
    found = {"learner": preset.learner, "strategy": preset.strategies[0]}
    found |= {setting.removeprefix("FOCUSED_"): value for setting, value in preset.settings.items()}
    assert {what: found[what] for what in PRINTED[name]} == PRINTED[name]


def test_the_learners_of_the_presets_weigh_and_choose_terms_as_their_papers_print():
    made = {name: make_learner(load_preset(name).learner).get_params() for name in PAPERS}
    assert {name: params["weighting"] for name, params in made.items() if "weighting" in params} == {
        "p13": "tfipndf", "l14": "tfipndf", "l16": "itfidf", "i18": "tfidf",
    }  # fmt: skip
    assert not any(params["sublinear_tf"] for params in made.values())
    assert made["p13"]["reliable"] == "1-dnfc-rare"
    assert made["l14"]["reliable"] == "1-dnfii"
    assert made["l16"]["term_share"] == 0.5  # of the terms, by mutual information


@pytest.mark.parametrize("name", PAPERS)
def test_the_papers_drop_and_do_not_look_around(name):
    found = load_preset(name).settings
    assert found["FOCUSED_BELOW_THRESHOLD"] == "drop"
    assert (found["FOCUSED_UNLABELED"], found["FOCUSED_PAGE_TEXT"]) == (
        "topic",
        "sections" if name == "l16" else "whole",
    )
    # What no preset leaves to the next one: two of them set the same things.
    assert set(load_preset(MODERN).settings) <= set(found)


def test_modern_is_what_a_crawl_does_without_a_preset():
    modern, ours = load_preset(MODERN), defaults()
    assert {name: ours[name] for name in modern.settings} == modern.settings
    assert (modern.strategies, modern.learner) == ((ours["FOCUSED_STRATEGY"],), LEARNERS[0])


def test_a_preset_decides_over_the_topic_and_leaves_what_it_does_not_name(settings):
    plan = plan_crawl({"topic": "printed", "preset": "p13"}, settings)
    assert (plan.strategy.name, plan.drops_below_threshold, plan.preset) == ("cbp_slc", True, "p13")
    assert plan.judge.similarity == "decision"
    assert plan.settings["DEPTH_LIMIT"] == 3


def test_the_command_line_decides_over_a_preset_and_an_argument_over_both(settings):
    settings.setdict({"FOCUSED_BELOW_THRESHOLD": "defer", "FOCUSED_STRATEGY": "cbp"}, priority="cmdline")
    plan = plan_crawl({"topic": "printed", "preset": "p13"}, settings)
    assert (plan.strategy.name, plan.drops_below_threshold) == ("cbp", False)
    plan = plan_crawl({"topic": "printed", "preset": "p13", "strategy": "anchor_text"}, settings)
    assert plan.strategy.name == "anchor_text"


def test_a_preset_that_a_topic_names_holds_where_its_file_says_nothing_else(settings):
    plan = plan_crawl({"topic": "ordered"}, settings)
    assert (plan.preset, plan.strategy.name, plan.drops_below_threshold) == ("p13", "lpe", False)
    assert plan.judge.similarity == "decision"
    asked_for = plan_crawl({"topic": "ordered", "preset": "p13"}, settings)
    assert (asked_for.strategy.name, asked_for.drops_below_threshold) == ("cbp_slc", True)


def test_a_topic_may_have_its_links_wait_in_scrapys_own_queue(settings):
    plan = plan_crawl({"topic": "ordered"}, settings)
    assert plan.settings["SCHEDULER"] == "scrapy.core.scheduler.Scheduler"
    assert plan.settings["SCHEDULER_PRIORITY_QUEUE"] == "scrapy.pqueues.ScrapyPriorityQueue"


def test_preset_and_scheduler_are_kept_in_the_topics_file(models):
    topic = load_topic("ordered", models)
    assert (topic.preset, topic.scheduler) == ("p13", "scrapy")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('scheduler = "os.abort"', "scheduler in .* must be durable or scrapy. Got 'os.abort'"),
        ('preset = ""', "A preset must be one of"),
        ('preset = "p12"', "A preset must be one of modern, p13, .* Got 'p12'. Did you mean 'p1[35]'?"),
    ],
)
def test_a_topic_names_only_presets_and_schedulers_that_there_are(models, line, message):
    path = models / "stars" / "topic.toml"
    path.write_text(f"{line}\n{path.read_text()}")
    with pytest.raises(TopicError, match=message):
        load_topic("stars", models)


def test_a_topic_of_another_learner_is_refused_with_the_command_that_trains_it(settings):
    train = "scrapy train stars --preset p13 --positive my-pages --seeds http://site.example/ --quick --force"
    message = f"was trained with screened_svm. Train it: {train}"
    with pytest.raises(PlanError, match=f"{re.escape(message)}$"):
        plan_crawl({"topic": "stars", "preset": "p13"}, settings)


@pytest.mark.parametrize(
    ("preset", "ready"),
    [
        ("p13", "One that is ready: -a topic=ordered."),
        ("l14", "To see it at work: scrapy evaluate --web demo --largest 1 --preset l14 --output runs/l14."),
    ],
)
def test_a_shipped_topic_of_another_learner_is_refused_with_a_command_that_runs_as_it_is(
    settings, models, preset, ready
):
    hand_made.topic("demo").save(models)
    with pytest.raises(PlanError, match=f"It came without its pages. {ready}"):
        plan_crawl({"topic": "demo", "preset": preset}, settings)


@pytest.mark.parametrize("how", ["--title 'x", "--title 'x\nINFO: all is well' --positive x"])
def test_a_strangers_command_becomes_no_part_of_the_refusal(settings, models, how):
    hand_made.topic("suns", manifest={"learner": "svm", "command": f"scrapy train suns {how}"}).save(models)
    with pytest.raises(PlanError, match=r"Train one: scrapy train NAME --preset p13 --positive PATH --unlabeled PATH$"):
        plan_crawl({"topic": "suns", "preset": "p13"}, settings)


def test_a_crawl_says_what_it_does_otherwise_than_its_preset(settings):
    settings.set("FOCUSED_BELOW_THRESHOLD", "defer", priority="cmdline")
    settings.set("FOCUSED_BLOCK_ALPHA", "0.50", priority="cmdline")
    plan = plan_crawl({"topic": "printed", "preset": "p13"}, settings)
    settings.setdict(plan.settings, priority="spider")
    expected = "Not as preset p13 says: FOCUSED_BELOW_THRESHOLD=defer (preset: drop)"
    assert about_preset("p13", plan.topic, settings) == expected


def test_a_crawl_without_a_preset_says_that_its_topic_was_trained_by_one():
    by_preset, by_none, broken = (
        hand_made.topic("suns", manifest={"command": f"scrapy train suns {how} --positive x"})
        for how in ("--preset l16", "--learner svm", "--title 'x")
    )
    assert "-a preset=l16 crawls as the paper prints it" in about_preset("", by_preset, {})
    assert about_preset("", by_none, {}) == about_preset("", broken, {}) == ""


def test_a_topic_that_learnt_another_text_of_its_pages_is_refused(settings, models):
    hand_made.topic("own", manifest={"learner": "wvc_p13", "page_text": "own"}).save(models)
    with pytest.raises(PlanError, match=r"trained on the whole text of pages.*was trained on the own text of pages"):
        plan_crawl({"topic": "own", "preset": "p13"}, settings)
    hand_made.topic("whole", manifest={"learner": "naive_bayes_l16"}).save(models)
    with pytest.raises(PlanError, match="trained on the sections of pages"):
        plan_crawl({"topic": "whole", "preset": "l16"}, settings)


@pytest.mark.parametrize(("learner", "is_log"), [("wvc_p13", True), ("screened_svm", False)])
def test_a_topic_of_another_weighting_is_refused(settings, models, learner, is_log):
    topic = hand_made.topic("weighed", manifest={"learner": learner})
    topic.model = replace(topic.model, sublinear_tf=is_log)
    topic.save(models)
    must, got = ("logarithms of term frequencies", "term frequencies as they are")[:: -1 if is_log else 1]
    with pytest.raises(PlanError, match=f"was trained on {must}. Topic 'weighed' was trained on {got}"):
        plan_crawl({"topic": "weighed", "preset": "p13" if is_log else "modern"}, settings)


@pytest.mark.parametrize("given", [["--learner", "screened_svm"], ["--preset", "l16"]])
def test_a_topic_whose_file_names_a_preset_is_trained_by_no_other_learner(models, tmp_path, given):
    argv = ["train", "ordered", "--force", "--positive", "x", *given]
    command = scrapy(*argv, cwd=tmp_path, env=environment(models))
    assert command.exit_code == 1
    (line,) = command.err.strip().splitlines()
    assert f"says preset = 'p13', whose crawls take a model of wvc_p13 only. Got {' '.join(given)}." in line


@pytest.mark.parametrize("text", ["own", "sections"])
def test_no_topic_is_trained_that_its_preset_would_refuse(tmp_path, text):
    pages = ["--positive", "x", "--unlabeled", "y"]
    trains = ["train", "suns", "--preset", "p13", *pages]
    compares = ["evaluate", "--web", "demo", "--largest", "1", "--output", "out", "--preset", "l14,p13"]
    for argv in (trains, compares):
        command = scrapy(*argv, "-s", f"FOCUSED_PAGE_TEXT={text}", cwd=tmp_path, env=environment(tmp_path))
        assert command.exit_code == 1
        (line,) = command.err.strip().splitlines()
        assert "trains on the whole text of pages (FOCUSED_PAGE_TEXT=whole)" in line
        assert f"Got FOCUSED_PAGE_TEXT={text}" in line
    assert {path.name for path in tmp_path.iterdir()} == {"err", "out"}  # what was printed


def test_a_topic_from_words_has_no_learner_and_is_for_todays_defaults_only(settings, models):
    words = {"learner": "keywords", "examples": {"keywords": {"terms": ["star"]}}}
    hand_made.topic("words", manifest=words).save(models)
    with pytest.raises(PlanError, match="Topic 'words' was made from words"):
        plan_crawl({"topic": "words", "preset": "l16"}, settings)
    assert plan_crawl({"topic": "words", "preset": "modern"}, settings).preset == "modern"


@pytest.mark.slow
def test_a_topic_trained_by_a_preset_is_crawled_for_by_it(two_regions, tmp_path):
    (tmp_path / "stars.txt").write_text("\n".join(f"http://site.example/stars/{number}" for number in range(12)))
    pages = ["--positive", str(two_regions), "--positive-urls", "stars.txt", "--unlabeled", str(two_regions)]
    seeds = ["--seeds", "http://site.example/stars/0"]
    how = ["--quick", "--quiet", "--preset", "l16", "-s", "FOCUSED_WINDOW_CHARS=25"]
    env = environment(tmp_path / "models")
    trained = scrapy("train", "suns", *pages, *seeds, *how, cwd=tmp_path, env=env)
    assert trained.exit_code == 0, trained.err
    manifest = json.loads((tmp_path / "models" / "suns" / "manifest.json").read_text())
    assert (manifest["learner"], manifest["page_text"]) == ("naive_bayes_l16", "sections")
    assert manifest["window_chars"] == 25
    assert "--preset l16" in manifest["command"]
    assert "--learner" not in manifest["command"]
    assert "-a preset=l16" in trained.out
    argv = ["-a", "topic=suns", "-a", "preset=l16", "-a", f"web={two_regions}", "-a", "run_dir=run"]
    crawled = scrapy("crawl", "focused", *argv, cwd=tmp_path, env=env)
    assert crawled.exit_code == 0, crawled.err
    run = json.loads((tmp_path / "run" / "run.json").read_text())
    assert (run["preset"], run["strategy"]) == ("l16", "lpe")
    assert "Not as preset" not in crawled.err
    plain = scrapy("crawl", "focused", "-a", "topic=suns", "-a", f"web={two_regions}", cwd=tmp_path, env=env)
    assert "Topic suns was trained by preset l16, and this crawl goes by today's defaults." in plain.err
    assert run["stats"]["focused/links/dropped_count"] > 0

    # A topic whose file names a preset is trained by it again.
    path = tmp_path / "models" / "suns" / "topic.toml"
    path.write_text(f'preset = "l16"\n{path.read_text()}')
    again = scrapy("train", "suns", *pages, "--quick", "--force", cwd=tmp_path, env=env)
    assert again.exit_code == 0, again.err
    assert "Training by preset l16, which topic.toml names" in again.err
    manifest = json.loads((tmp_path / "models" / "suns" / "manifest.json").read_text())
    assert (manifest["learner"], manifest["page_text"]) == ("naive_bayes_l16", "sections")
    assert load_topic("suns", tmp_path / "models").preset == "l16"


def test_a_training_names_its_learner_once(tmp_path):
    argv = ["train", "suns", "--preset", "p13", "--learner", "svm", "--positive", "x"]
    command = scrapy(*argv, cwd=tmp_path, env=environment(tmp_path))
    assert command.exit_code == 1
    assert "--learner and --preset p13 both name a learner, svm and wvc_p13. Leave one out." in command.err


@pytest.mark.slow
def test_a_topic_keeps_the_width_of_its_windows_and_a_crawl_joins_no_others(learnt, two_regions, settings, tmp_path):
    shutil.copytree(learnt / "stars", tmp_path / "narrow" / "stars")
    path = tmp_path / "narrow" / "stars" / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"window_chars": 25}))
    settings.setdict({"FOCUSED_MODELS_DIR": str(tmp_path / "narrow"), "FOCUSED_UNLABELED": "topic"}, priority="cmdline")
    plan = plan_crawl({"topic": "stars", "strategy": "hybrid"}, settings)
    assert plan.strategy.window_chars == 25
    settings.set("FOCUSED_RETRAINING", "automatic", priority="cmdline")
    with pytest.raises(PlanError, match=r"have windows of 50 characters\. Topic 'stars' was trained with 25"):
        plan_crawl({"topic": "stars", "strategy": "hybrid"}, settings)
    assert plan_crawl({"topic": "stars", "strategy": "cbp"}, settings).strategy.name == "cbp"
