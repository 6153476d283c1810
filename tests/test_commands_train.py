"""`scrapy train`: every kind of example, what it says, and what it refuses."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from commands import Finished, scrapy

from focused.topic import load_topic
from focused.webs.demo import DemoWeb
from focused.webs.demo.export import write_warc

SEED = "http://a.example/"


@pytest.fixture(scope="module")
def examples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same pages of a small demo web as folders, JSON Lines, URL lists and a WARC."""
    folder = tmp_path_factory.mktemp("examples")
    web = DemoWeb(n_pages=1200, n_hosts=40)
    chosen = {"positive": web.examples("astronomy", 20, 0), "unlabeled": web.unlabeled(200, 0)}
    for name, pages in chosen.items():
        (folder / name).mkdir()
        (folder / f"{name}.txt").write_text("# URLs\n" + "\n".join(url for url, _ in pages) + "\n")
        with (folder / f"{name}.jsonl").open("w") as file:
            for number, (url, html) in enumerate(pages):
                (folder / name / f"{number}.html").write_bytes(html)
                file.write(json.dumps({"url": url, "html": html.decode("utf-8", "replace")}) + "\n")
    write_warc(web, folder / "web.warc.gz")
    return folder


def train(tmp_path: Path, *argv: object, name: str = "stars") -> Finished:
    (tmp_path / "models").mkdir(exist_ok=True)
    return scrapy(
        "train",
        name,
        *map(str, argv),
        "-s",
        f"FOCUSED_MODELS_DIR={tmp_path / 'models'}",
        cwd=tmp_path / "cwd",
        env={"SCRAPY_SETTINGS_MODULE": "focused.settings"},
    )


def test_folders_give_a_topic_and_a_report(examples: Path, tmp_path: Path) -> None:
    done = train(
        tmp_path,
        "--positive",
        examples / "positive",
        "--unlabeled",
        examples / "unlabeled",
        "--seeds",
        SEED,
        "--title",
        "Stars",
    )
    assert done.exit_code == 0, done.err
    for said in (
        "Positive:",
        "20 pages",
        "precision",
        "recall",
        "F1",
        "95 % interval",
        "Threshold",
        "Strongest terms for",
    ):
        assert said in done.out
    assert "scrapy crawl focused -a topic=stars" in done.out
    topic = load_topic("stars", tmp_path / "models")
    assert (topic.title, topic.seeds, topic.language) == ("Stars", [SEED], "en")
    coefficients = dict(zip(topic.terms, topic.coef.tolist(), strict=True))
    assert coefficients["star"] > 0.1


def test_json_lines_warc_and_fetched_urls_say_the_same(examples: Path, tmp_path: Path) -> None:
    warc = examples / "web.warc.gz"
    lists = ["--positive-urls", examples / "positive.txt", "--unlabeled-urls", examples / "unlabeled.txt"]
    runs = {
        "lines": ["--positive", examples / "positive.jsonl", "--unlabeled", examples / "unlabeled.jsonl"],
        "warc": ["--positive", warc, "--unlabeled", warc, *lists],
        "urls": ["--positive", examples / "positive.txt", "--unlabeled", examples / "unlabeled.txt", "--web", warc],
    }
    vectors = {}
    for name, argv in runs.items():
        done = train(tmp_path, *argv, "--seeds", SEED, name=name)
        assert done.exit_code == 0, done.err
        topic = load_topic(name, tmp_path / "models")
        vectors[name] = dict(zip(topic.terms, topic.coef.round(3).tolist(), strict=True))
    for name in ("warc", "urls"):
        shared = vectors["lines"].keys() & vectors[name].keys()
        assert len(shared) > 0.9 * len(vectors["lines"])
        assert sum(abs(vectors["lines"][term] - vectors[name][term]) for term in shared) / len(shared) < 0.05


def test_the_background_serves_without_unlabelled_pages(examples: Path, tmp_path: Path) -> None:
    done = train(tmp_path, "--positive", examples / "positive", "--seeds", SEED)
    assert done.exit_code == 0, done.err
    assert "background" in done.out
    assert "assumed" in done.out


def test_a_topic_in_another_language_is_told_that_the_background_is_english(examples: Path, tmp_path: Path) -> None:
    done = train(tmp_path, "--positive", examples / "positive", "--seeds", SEED, "--language", "de")
    assert done.exit_code == 0, done.err
    assert "WARNING" in done.out + done.err
    assert "English" in done.out + done.err


def test_the_same_examples_give_the_same_bytes(examples: Path, tmp_path: Path) -> None:
    argv = ["--positive", examples / "positive", "--unlabeled", examples / "unlabeled", "--seeds", SEED, "--force"]
    made = []
    for _ in range(2):
        assert train(tmp_path, *argv).exit_code == 0
        made.append({path.name: path.read_bytes() for path in (tmp_path / "models" / "stars").iterdir()})
    assert made[0] == made[1]


def test_a_refused_file_is_named_with_its_reason(examples: Path, tmp_path: Path) -> None:
    folder = tmp_path / "mixed"
    shutil.copytree(examples / "positive", folder)
    (folder / "empty.html").write_text("")
    (folder / "binary.html").write_bytes(b"%PDF-1.4 not a page")
    done = train(tmp_path, "--positive", folder, "--unlabeled", examples / "unlabeled", "--seeds", SEED)
    assert done.exit_code == 0, done.err
    assert "empty.html" in done.out
    assert "binary.html" in done.out


def test_an_existing_topic_is_replaced_only_by_force(examples: Path, tmp_path: Path) -> None:
    argv = ["--positive", examples / "positive", "--unlabeled", examples / "unlabeled", "--seeds", SEED]
    assert train(tmp_path, *argv).exit_code == 0
    refused(train(tmp_path, *argv), "--force")


def refused(done: Finished, *said: str) -> None:
    assert done.exit_code == 1, done.out + done.err
    assert "Traceback" not in done.err
    lines = [line for line in done.err.splitlines() if line.startswith("Error")]
    assert len(lines) == 1, done.err
    for words in said:
        assert words in lines[0]


@pytest.mark.parametrize("name", ["../x", "", "x" * 300, "Stars!"])
def test_topic_names_that_are_none(examples: Path, tmp_path: Path, name: str) -> None:
    refused(train(tmp_path, "--positive", examples / "positive", name=name), "name")


def test_examples_that_are_none(examples: Path, tmp_path: Path) -> None:
    nothing = tmp_path / "nothing"
    nothing.mkdir()
    refused(train(tmp_path, "--positive", nothing, "--seeds", SEED), "positive")
    (nothing / "a.html").write_text("<p>42 17</p>")
    (nothing / "b.html").write_text("<p>1 2 3</p>")
    refused(train(tmp_path, "--positive", nothing, "--seeds", SEED), "positive")
    refused(train(tmp_path, "--positive", tmp_path / "missing", "--seeds", SEED), "missing")
    broken = tmp_path / "broken.warc.gz"
    broken.write_bytes(b"\x1f\x8bnonsense")
    refused(train(tmp_path, "--positive", broken, "--seeds", SEED), "broken.warc.gz")
    refused(train(tmp_path, "--seeds", SEED), "--positive")


def test_no_unlabelled_page_left(examples: Path, tmp_path: Path) -> None:
    same = examples / "positive.jsonl"
    refused(train(tmp_path, "--positive", same, "--unlabeled", same, "--seeds", SEED), "unlabel")


@pytest.mark.parametrize(
    ("option", "value"), [("--seeds", "not-a-url"), ("--language", "english!"), ("--learner", "oracle")]
)
def test_options_that_are_wrong(examples: Path, tmp_path: Path, option: str, value: str) -> None:
    done = train(tmp_path, "--positive", examples / "positive", option, value)
    refused(done, value)
