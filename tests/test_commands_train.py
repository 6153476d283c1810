"""`scrapy train`: every kind of example, what it says, and what it refuses."""

from __future__ import annotations

import argparse
import json
import shlex
import shutil
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from io import StringIO
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

import pytest
from commands import Finished, scrapy
from scrapy.settings import Settings
from sites import Reply, Site, redirect
from warcs import Warc

from focused.commands.train import Command
from focused.commands.train_options import QUICK_SAMPLE
from focused.method.page.reader import PageReader
from focused.method.topic import load_topic
from focused.method.topic.judge import Judge
from focused.method.training import page_set
from focused.method.training.from_pages import QUICK_UNLABELED
from focused.webs.demo import DemoWeb

if TYPE_CHECKING:
    from collections.abc import Iterator

# Most of them train a topic, many from the same pages.
pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("languages_are_told_once")]

SEED = "http://a.example/"


@pytest.fixture(scope="module")
def languages_are_told_once() -> Iterator[None]:
    """The language of a text is told once in this process: it is a seventh of what these trainings take."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(page_set, "detect_language", cache(page_set.detect_language))
        yield


@pytest.fixture(scope="module")
def examples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same pages of a small demo web as folders, JSON Lines and URL lists, and a WARC that has more of them."""
    folder = tmp_path_factory.mktemp("examples")
    web = DemoWeb(n_pages=1200, n_hosts=40)
    chosen = {"positive": web.examples("astronomy", 15, 0), "unlabeled": web.unlabeled(100, 0)}
    for name, pages in chosen.items():
        (folder / name).mkdir()
        (folder / f"{name}.txt").write_text("# URLs\n" + "\n".join(url for url, _ in pages) + "\n")
        with (folder / f"{name}.jsonl").open("w") as file:
            for number, (url, html) in enumerate(pages):
                (folder / name / f"{number}.html").write_bytes(html)
                file.write(json.dumps({"url": url, "html": html.decode("utf-8", "replace")}) + "\n")
    warc = Warc(folder / "web.warc.gz")
    for url, html in dict(chosen["positive"] + chosen["unlabeled"] + web.unlabeled(300, 1)).items():
        warc.page(url, html)
    warc.save()
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


class Here:
    """Runs the command in this process: quick, but nothing can be fetched, so it does not look around."""

    def __init__(self, models: Path) -> None:
        self.models = models

    def __call__(self, *argv: object, **settings: object) -> Finished:
        command = Command()
        command.settings = Settings()
        command.settings.setmodule("focused.settings")
        command.settings.setdict({"FOCUSED_MODELS_DIR": str(self.models), **settings})
        parser = argparse.ArgumentParser(conflict_handler="resolve")
        command.add_options(parser)
        opts, args = parser.parse_known_args([str(arg) for arg in argv])
        if opts.look_around is None and opts.seeds:
            opts.look_around = "0"
        with redirect_stdout(StringIO()) as out, redirect_stderr(StringIO()) as err:
            command.run(args, opts)
        return Finished(command.exitcode, out.getvalue(), err.getvalue())


@pytest.fixture
def here(tmp_path: Path) -> Here:
    return Here(tmp_path / "models")


def folders(examples: Path) -> list[object]:
    return ["--positive", examples / "positive", "--unlabeled", examples / "unlabeled"]


@pytest.fixture(scope="module")
def made(examples: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Finished]:
    """The models folder of a topic that was made with all that is said and measured, and what was said."""
    models = tmp_path_factory.mktemp("made") / "models"
    return models, Here(models)("stars", *folders(examples), "--seeds", SEED)


def refused(done: Finished, *said: str) -> None:
    assert done.exit_code == 1, done.out + done.err
    assert "Traceback" not in done.err
    lines = [line for line in done.err.splitlines() if line.startswith("Error")]
    assert len(lines) == 1, done.err
    for words in said:
        assert words in lines[0]


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
        "--quick",  # the learning curve is that of `made`
    )
    assert done.exit_code == 0, done.err
    for said in (
        "Positive:",
        "15 pages",
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
    coefficients = dict(zip(topic.terms, topic.model.coef.tolist(), strict=True))
    assert coefficients["star"] > 0.1


def test_json_lines_warc_and_fetched_urls_say_the_same(examples: Path, tmp_path: Path, here: Here) -> None:
    warc = examples / "web.warc.gz"
    lists = ["--positive-urls", examples / "positive.txt", "--unlabeled-urls", examples / "unlabeled.txt"]
    runs = {
        "lines": ["--positive", examples / "positive.jsonl", "--unlabeled", examples / "unlabeled.jsonl"],
        "warc": ["--positive", warc, "--unlabeled", warc, *lists],
        "urls": ["--positive", examples / "positive.txt", "--unlabeled", examples / "unlabeled.txt", "--web", warc],
    }
    vectors = {}
    for name, argv in runs.items():
        # Only what has to be fetched needs a process of its own.
        run = train(tmp_path, *argv, "--quick", name=name) if name == "urls" else None
        done = run or here(name, *argv, "--quick")
        assert done.exit_code == 0, done.err
        topic = load_topic(name, tmp_path / "models")
        vectors[name] = dict(zip(topic.terms, topic.model.coef.round(3).tolist(), strict=True))
    for name in ("warc", "urls"):
        shared = vectors["lines"].keys() & vectors[name].keys()
        assert len(shared) > 0.9 * len(vectors["lines"])
        assert sum(abs(vectors["lines"][term] - vectors[name][term]) for term in shared) / len(shared) < 0.05


def test_the_background_serves_without_unlabelled_pages(examples: Path, here: Here) -> None:
    done = here("stars", "--positive", examples / "positive", "--seeds", SEED, "--quick")
    assert done.exit_code == 0, done.err
    assert "background" in done.out
    assert "assumed" in done.out


def test_a_topic_in_another_language_is_told_that_the_background_is_english(examples: Path, here: Here) -> None:
    done = here("stars", "--positive", examples / "positive", "--seeds", SEED, "--language", "de", "--quick")
    assert done.exit_code == 0, done.err
    assert "WARNING" in done.out + done.err
    assert "English" in done.out + done.err


def test_the_same_examples_give_the_same_bytes(examples: Path, made: tuple[Path, Finished], here: Here) -> None:
    assert here("stars", *folders(examples), "--seeds", SEED).exit_code == 0
    one, other = (
        {path.name: path.read_bytes() for path in (models / "stars").iterdir()} for models in (made[0], here.models)
    )
    assert one == other


def test_a_refused_file_is_named_with_its_reason(examples: Path, tmp_path: Path, here: Here) -> None:
    folder = tmp_path / "mixed"
    shutil.copytree(examples / "positive", folder)
    (folder / "empty.html").write_text("")
    (folder / "binary.html").write_bytes(b"%PDF-1.4 not a page")
    done = here("stars", "--positive", folder, "--unlabeled", examples / "unlabeled", "--seeds", SEED, "--quick")
    assert done.exit_code == 0, done.err
    assert "empty.html" in done.out
    assert "binary.html" in done.out


def test_an_existing_topic_is_replaced_only_by_force(examples: Path, made: tuple[Path, Finished]) -> None:
    models, done = made
    assert done.exit_code == 0
    before = {path.name: path.read_bytes() for path in (models / "stars").iterdir()}
    refused(Here(models)("stars", *folders(examples), "--seeds", SEED), "--force")
    assert {path.name: path.read_bytes() for path in (models / "stars").iterdir()} == before


@pytest.mark.parametrize("name", ["../x", "", "x" * 300, "Stars!"])
def test_topic_names_that_are_none(examples: Path, here: Here, name: str) -> None:
    refused(here(name, "--positive", examples / "positive"), "name")


def test_examples_that_are_none(examples: Path, tmp_path: Path, here: Here) -> None:
    nothing = tmp_path / "nothing"
    nothing.mkdir()
    refused(here("stars", "--positive", nothing, "--seeds", SEED), "positive")
    (nothing / "a.html").write_text("<p>42 17</p>")
    (nothing / "b.html").write_text("<p>1 2 3</p>")
    refused(here("stars", "--positive", nothing, "--seeds", SEED), "positive")
    refused(here("stars", "--positive", tmp_path / "missing", "--seeds", SEED), "missing")
    broken = tmp_path / "broken.warc.gz"
    broken.write_bytes(b"\x1f\x8bnonsense")
    refused(here("stars", "--positive", broken, "--seeds", SEED), "broken.warc.gz")
    refused(here("stars", "--seeds", SEED), "--positive")


def test_copies_of_one_page_are_said_to_be_copies_where_too_few_pages_are_left(
    examples: Path, tmp_path: Path, here: Here
) -> None:
    copies = tmp_path / "copies"
    copies.mkdir()
    for number in range(30):
        shutil.copy(examples / "positive" / "0.html", copies / f"{number}.html")
    done = here("stars", "--positive", copies, "--seeds", SEED)
    refused(done, "Got 1 page and 29 that were refused: 29 duplicate of another body")
    assert "Learning from" not in done.err


def test_no_unlabelled_page_left(examples: Path, here: Here) -> None:
    same = examples / "positive.jsonl"
    refused(here("stars", "--positive", same, "--unlabeled", same, "--seeds", SEED), "unlabel")


@pytest.mark.parametrize(
    ("argv", "code", "how"),
    [
        (["--describe", "Wie Bienen leben, und was Honig ist (in Europa)."], "de", "that of the words"),
        (["--describe", "How bees live, and what honey is (in Europe)."], "en", "that of the words"),
        (
            ["--keywords", "bee honey hive nectar pollen"],
            "en",
            "assumed, for these words do not show theirs; another: --l",
        ),
        (["--keywords", "Biene Honig Imker Pollen", "--language", "de"], "de", "as asked"),
    ],
)
def test_words_have_the_language_that_they_show_and_no_punctuation(here: Here, argv, code: str, how: str) -> None:
    done = here("bees", *argv)
    assert done.exit_code == 0, done.err
    assert f"Language:   {code} ({how}" in done.out
    [words] = [line for line in done.out.splitlines() if line.startswith("Words: ")]
    assert not set(words.partition(":")[2]) & set(".()")
    assert load_topic("bees", here.models).language == code
    assert ("the general background is English" in done.out) is (code == "de")


@pytest.mark.parametrize(
    ("option", "value"), [("--seeds", "not-a-url"), ("--language", "english!"), ("--learner", "oracle")]
)
def test_options_that_are_wrong(examples: Path, here: Here, option: str, value: str) -> None:
    done = here("stars", "--positive", examples / "positive", option, value)
    refused(done, value)


WRONG = {
    "no topic": (["--positive", "P"], "Name one topic"),
    "two topics": (["a", "b", "--positive", "P"], "Got a b"),
    "unknown option": (["stars", "--positve", "P"], "There is no option --positve. Did you mean '--positive'? See"),
    "no positives": (["stars"], "--positive is missing"),
    "empty positives": (["stars", "--positive"], "--positive is missing"),
    "empty unlabeled": (["stars", "--positive", "P", "--unlabeled"], "--unlabeled must be followed by"),
    "empty seeds": (["stars", "--positive", "P", "--seeds"], "--seeds must be followed by"),
    "urls without warc": (["stars", "--positive", "P", "--positive-urls", "U"], "no WARC among"),
    "urls of nothing": (["stars", "--positive", "P", "--unlabeled-urls", "U"], "--unlabeled-urls needs --unlabeled"),
    "sample of nothing": (["stars", "--positive", "P", "--unlabeled-sample", "5"], "-sample needs --unlabeled"),
    "sample of none": (["stars", "--positive", "P", "--unlabeled", "P", "--unlabeled-sample", "0"], "from 1 to"),
    "state": (["stars", "--positive", "P", "--random-state", "-1"], "--random-state must be a whole number from 0"),
    "language": (["stars", "--positive", "P", "--language", "eng"], "Got 'eng'"),
    "web": (["stars", "--positive", "P", "--web", "nowhere.warc"], "nowhere.warc"),
    "seed file": (["stars", "--positive", "P", "--seeds", "http://a.org/", "BAD"], "'no url here'"),
    "no urls": (["stars", "--positive", "W", "--positive-urls", "BAD"], "holds no http or https URL"),
    "no list": (["stars", "--positive", "W", "--positive-urls", "missing"], "cannot be read as a list"),
    "not in it": (["stars", "--positive", "W", "--positive-urls", "U"], "1 not in the WARC: http://nowhere.org/"),
    "nothing 2xx": (["stars", "--positive", "W"], "1 answered 404: http://h.org/"),
    "no page in it": (["stars", "--positive", "NONE"], "NONE"),
    "words": (["stars", "--positive", "BAD"], "holds no http or https URL"),
    "words and pages": (
        ["stars", "--keywords", "star", "--from-run", "P"],
        "--from-run and --keywords exclude each other",
    ),
    "words and URLs": (
        ["stars", "--keywords", "star", "--positive-urls", "U"],
        "--positive-urls needs --positive PATH",
    ),
    "no keywords": (["stars", "--keywords"], "--keywords must be followed by words"),
    "empty keywords": (["stars", "--keywords", " "], "--keywords must be followed by words"),
    "stopwords": (["stars", "--keywords", "the of 42"], "--keywords must hold words that mean something"),
    "two kinds of unlabelled pages": (
        ["stars", "--positive", "P", "--unlabeled", "P", "--seeds", SEED, "--look-around", "9"],
        "--look-around and --unlabeled exclude each other",
    ),
    "around nothing": (["stars", "--positive", "P", "--look-around", "9"], "--look-around needs --seeds"),
    "half a page": (["stars", "--positive", "P", "--look-around", "0.5"], "--look-around must be a whole number"),
    "words and learner": (["stars", "--keywords", "star", "--learner", "svm"], "--learner needs --positive"),
    "one page": (["stars", "--positive", "ONE", "--unlabeled", "P"], "positive"),
}


def test_a_misspelt_setting_is_refused_before_anything_is_read(here):
    refused(here("stars", "--positive", "P", FOCUSED_PAGE_MAX_LINK=9), "Did you mean 'FOCUSED_PAGE_MAX_LINKS'?")


@pytest.mark.parametrize("case", WRONG)
def test_wrong_input_is_one_line_and_leaves_no_topic(examples: Path, tmp_path: Path, here: Here, case: str) -> None:
    files = {name: tmp_path / name for name in ("U", "BAD", "W", "NONE", "ONE")}
    files["U"].write_text("http://nowhere.org/\n")
    files["BAD"].write_text("no url here\n")
    Warc(files["W"]).page("http://h.org/", b"gone", status="404 Not Found").save()
    Warc(files["NONE"]).info().save()
    files["ONE"].mkdir()
    (files["ONE"] / "one.html").write_text("<p>stars and moons")
    files["P"] = examples / "positive"
    argv, said = WRONG[case]
    done = here(*(files.get(arg, arg) for arg in argv))
    refused(done, said if said not in files else str(files[said]))
    assert done.out == ""
    assert not (tmp_path / "models" / "stars").exists()


def test_a_models_folder_that_cannot_be_written_is_found_out_first(examples: Path, tmp_path: Path, here: Here) -> None:
    here.models.write_text("a file, no folder")
    refused(here("stars", "--positive", tmp_path / "nothing"), "Nothing can be written in", "FOCUSED_MODELS_DIR")


def test_an_unlabelled_sample_is_drawn_with_the_seed(examples: Path, here: Here) -> None:
    web = examples / "web.warc.gz"
    argv = ["--positive", examples / "positive.jsonl", "--unlabeled", web, "--unlabeled-sample", "60", "--quick"]
    digests = []
    for name, state in (("one", 1), ("same", 1), ("other", 2)):
        done = here(name, *argv, "--random-state", state)
        assert done.exit_code == 0, done.err
        described = load_topic(name, here.models).manifest["examples"]
        assert described["unlabeled"]["n_pages"] == 60
        digests.append(described["sha256"])
    assert digests[0] == digests[1] != digests[2]


def test_what_people_wrote_survives_a_retraining(examples: Path, here: Here) -> None:
    argv = ["stars", *folders(examples), "--quick"]
    assert here(*argv, "--seeds", SEED, "--title", "Old", "--note", "A note").exit_code == 0
    path = here.models / "stars" / "topic.toml"
    path.write_text(path.read_text().replace("language =", 'strategy = "slc"\nlanguage =') + "DOWNLOAD_DELAY = 3.5\n")
    assert here(*argv, "--force", "--title", "New").exit_code == 0
    topic = load_topic("stars", here.models)
    assert (topic.title, topic.note, topic.seeds) == ("New", "A note", [SEED])
    assert (topic.strategy, topic.settings) == ("slc", {"DOWNLOAD_DELAY": 3.5})


def test_the_command_in_the_manifest_makes_the_same_topic_again(examples: Path, here: Here) -> None:
    given = ["--title", 'Stars & "moons"', "--learner", "svm", "--random-state", "3", "--seeds", SEED, "--quiet"]
    assert here("stars", *folders(examples), *given, "--quick").exit_code == 0
    before = {path.name: path.read_bytes() for path in (here.models / "stars").iterdir()}
    words = shlex.split(load_topic("stars", here.models).manifest["command"])
    assert words[:2] == ["scrapy", "train"]
    assert here(*words[2:], "--force").exit_code == 0
    assert {path.name: path.read_bytes() for path in (here.models / "stars").iterdir()} == before


def test_seeds_come_from_the_positives_where_they_have_urls(examples: Path, here: Here) -> None:
    argv = ["--unlabeled", examples / "unlabeled", "--quick"]
    done = here("lines", "--positive", examples / "positive.jsonl", *argv)
    urls = {url for url in (examples / "positive.txt").read_text().split() if url.startswith("http")}
    assert 0 < len(seeds := load_topic("lines", here.models).seeds) <= 10
    assert set(seeds) <= urls
    assert "Next: scrapy crawl focused -a topic=lines\n" in done.out
    private = here(
        "own", "--positive", examples / "positive", *argv, "--seeds", "http://127.0.0.1:1/a,http://a.example/"
    )
    assert "Next: scrapy crawl focused -a topic=own -a seeds=http://127.0.0.1:1/a,http://a.example/\n" in private.out
    done = here("files", "--positive", examples / "positive", *argv)
    assert load_topic("files", here.models).seeds == []
    assert "It has no seeds" in done.out
    assert "-a seeds=" in done.out


def test_quiet_says_nothing_on_stderr(examples: Path, made: tuple[Path, Finished], here: Here) -> None:
    assert made[1].err != ""
    done = here("stars", *folders(examples), "--quick", "--quiet")
    assert done.err == ""
    assert "precision" in done.out


def test_pages_of_the_demo_web_make_a_topic_for_the_demo_web(tmp_path: Path) -> None:
    web = DemoWeb(2400)
    for name, pages in (("p", web.examples("chess", 12, 0)), ("u", web.unlabeled(60, 0))):
        (tmp_path / f"{name}.txt").write_text("\n".join(url for url, _ in pages))
    argv = [
        "--positive",
        tmp_path / "p.txt",
        "--unlabeled",
        tmp_path / "u.txt",
        "--web",
        "demo",
        "-s",
        "FOCUSED_DEMO_PAGES=2400",
    ]
    done = train(tmp_path, *argv, "--quick", "--seeds", *web.seeds("chess"))
    assert done.exit_code == 0, done.err
    topic = load_topic("stars", tmp_path / "models")
    assert topic.web == "demo"
    # A page that the demo web answers with a redirect or an error would be named.
    assert topic.manifest["examples"]["positive"]["n_pages"] == 12


@pytest.mark.slow
def test_urls_are_fetched_politely_and_what_did_not_come_is_named(examples: Path, tmp_path: Path) -> None:
    pages = {f"/p{n}": html.read_bytes() for n, html in enumerate(sorted((examples / "positive").iterdir()))}
    wrong = {
        "/robots.txt": Reply(b"User-agent: *\nDisallow: /secret\n", headers={"Content-Type": "text/plain"}),
        "/secret": b"<p>forbidden stars",
        "/moved": redirect("/target"),
        "/target": b"<p>the page that was moved: stars and moons",
        "/picture": Reply(b"\x89PNG\r\n", headers={"Content-Type": "image/png"}),
        "/broken": Reply(b"<p>broken", 500),
    }
    with Site({**pages, **wrong}) as site:
        asked = [*pages, "/secret", "/moved", "/picture", "/broken", "/missing"]
        urls = [site.url + path for path in asked] + ["http://127.0.0.1:1/"]
        (tmp_path / "urls.txt").write_text("\n".join(urls))
        settings = "DOWNLOAD_DELAY=0 AUTOTHROTTLE_ENABLED=0 RETRY_TIMES=0 FOCUSED_CONTACT=me@a.org".split()
        settings.append("FOCUSED_PRIVATE_ADDRESSES=allow")
        flags = [word for setting in settings for word in ("-s", setting)]
        argv = ["--positive", tmp_path / "urls.txt", "--unlabeled", examples / "unlabeled", "--quick"]
        done = train(tmp_path, *argv, *flags)
    assert done.exit_code == 0, done.err
    topic = load_topic("stars", tmp_path / "models")
    described = topic.manifest["examples"]["positive"]
    assert described["n_pages"] == len(pages) + 1
    assert described["refused"] == {
        "answered 404": 1,
        "answered 500": 1,
        "binary": 1,
        "forbidden by robots.txt": 1,
        "robots.txt cannot be fetched": 1,
    }
    assert f"{site.url}/secret" in done.out
    assert "/robots.txt" in site.asked
    assert "/secret" not in site.asked
    assert all("me@a.org" in agent for agent in site.agents)


def test_the_help_has_examples(capsys: pytest.CaptureFixture[str]) -> None:
    command = Command()
    command.settings = Settings()
    parser = argparse.ArgumentParser(conflict_handler="resolve")
    command.add_options(parser)
    assert "Examples:" in parser.format_help()
    assert "scrapy train solar --positive solar-pages/" in parser.format_help()


def test_a_mixture_of_topics_copies_and_outliers_is_named(examples: Path, tmp_path: Path, here: Here) -> None:
    web = DemoWeb(n_pages=1200, n_hosts=40)
    folder = tmp_path / "mixed"
    shutil.copytree(examples / "positive", folder)
    (folder / "copy.html").write_bytes((folder / "3.html").read_bytes() + b"<p>one")
    for number, (_, html) in enumerate(web.examples("chess", 14, 0)):
        (folder / f"chess{number}.html").write_bytes(html)
    done = here("stars", "--positive", folder, "--unlabeled", examples / "unlabeled", "--seeds", SEED, "--quick")
    assert done.exit_code == 0, done.err
    warnings = [line for line in done.out.splitlines() if line.startswith("WARNING")]
    assert any("look like several topics" in line and "chess" in line for line in warnings)
    assert any("near-duplicate" in line and "3.html" in line and "copy.html" in line for line in warnings)
    manifest = load_topic("stars", here.models).manifest
    assert [f"WARNING: {text}" for text in manifest["warnings"]] == warnings


@pytest.mark.parametrize("n_pages", [1, 5])
def test_positives_without_a_word_that_others_hold_are_named(
    examples: Path, tmp_path: Path, here: Here, n_pages: int
) -> None:
    folder = tmp_path / "odd"
    shutil.copytree(examples / "positive", folder)
    for number in range(n_pages):
        (folder / f"odd{number}.html").write_bytes(f"<p>qx{'z' * (number + 1)}".encode())
    done = here(
        *("stars", "--positive", folder, "--unlabeled", examples / "unlabeled", "--seeds", SEED, "--quick"),
        *("--language", "en"),
    )
    assert done.exit_code == 0, done.err
    n_all = len(list(folder.iterdir()))
    assert f"\nPositive:   {n_all} pages, {n_all - n_pages} of them with known words, from" in done.out
    assert "odd0.html" not in "".join(line for line in done.out.splitlines() if "hardly anything in common" in line)
    (warning,) = [line for line in done.out.splitlines() if "no known word" in line]
    names = ", ".join(str(folder / f"odd{number}.html") for number in range(min(n_pages, 3)))
    wanted = "1 page of the positives holds" if n_pages == 1 else "5 pages of the positives hold"
    assert warning.startswith(f"WARNING: {wanted} no known word (a word that several pages hold) and ")
    assert f" left out: {names}{'.' if n_pages == 1 else ' and 2 more.'} Check" in warning
    assert "known word" not in done.err


def test_unlabelled_pages_that_are_mostly_of_the_topic_are_named_and_not_the_positives_blamed(
    examples: Path, tmp_path: Path, here: Here
) -> None:
    web = DemoWeb(n_pages=1200, n_hosts=40)
    folder = tmp_path / "mostly"
    folder.mkdir()
    for number, (_, html) in enumerate([*web.examples("astronomy", 90, 7), *web.unlabeled(60, 7)]):
        (folder / f"{number}.html").write_bytes(html)
    done = here("stars", "--positive", examples / "positive", "--unlabeled", folder, "--seeds", SEED, "--quick")
    assert done.exit_code == 0, done.err
    assert "of the unlabelled pages look like pages of the topic" in done.out
    assert "several topics" not in done.out


def test_ordinary_examples_raise_no_warning_and_tell_thresholds_and_the_learning_curve(
    made: tuple[Path, Finished],
) -> None:
    models, done = made
    assert "several topics" not in done.out
    assert "look like pages of the topic" not in done.out
    assert "near-duplicate" not in done.out
    assert "Would more examples help?" in done.out
    assert done.out.count("<- chosen") == 1
    topic = load_topic("stars", models)
    rows = topic.manifest["figures"]["at_thresholds"]
    assert [row["threshold"] for row in rows] == sorted(row["threshold"] for row in rows)
    recalls = [row["recall"] for row in rows]
    assert recalls == sorted(recalls, reverse=True)
    (chosen,) = [row for row in rows if row["is_chosen"]]
    assert chosen["threshold"] == pytest.approx(topic.threshold("page"))
    assert chosen["recall"] == pytest.approx(topic.manifest["figures"]["recall"])
    assert chosen["precision"] == pytest.approx(topic.manifest["figures"]["precision"])
    assert topic.manifest["learning_curve"]["sizes"] == [5, 10, 12]
    assert topic.manifest["kind"] == "examples"


def test_positives_in_another_language_are_named(examples: Path, tmp_path: Path, here: Here) -> None:
    folder = tmp_path / "mixed"
    shutil.copytree(examples / "positive", folder)
    german = "Die Sterne und der Mond leuchten in der Nacht über dem Haus, während alle Menschen in der Stadt schlafen"
    for number in range(4):
        (folder / f"deutsch{number}.html").write_text(f"<p>{german} und träumen {number}.")
    done = here("stars", "--positive", folder, "--unlabeled", examples / "unlabeled", "--seeds", SEED, "--quick")
    assert done.exit_code == 0, done.err
    (line,) = [line for line in done.out.splitlines() if "seem to be in 'de'" in line]
    assert line.startswith("WARNING: 4 positives")
    assert "deutsch0.html" in line


def test_quick_leaves_out_the_learning_curve_and_draws_a_sample(
    examples: Path, here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert QUICK_SAMPLE == QUICK_UNLABELED == 1000
    monkeypatch.setattr("focused.method.training.from_pages.QUICK_POSITIVES", 15)
    monkeypatch.setattr("focused.method.training.from_pages.QUICK_UNLABELED", 200)
    monkeypatch.setattr("focused.commands.train_options.QUICK_SAMPLE", 200)
    argv = ["stars", "--positive", examples / "positive", "--unlabeled", examples / "web.warc.gz", "--seeds", SEED]
    done = here(*argv, "--quick")
    assert done.exit_code == 0, done.err
    assert "Not computed (--quick)" in done.out
    manifest = load_topic("stars", here.models).manifest
    assert manifest["learning_curve"] is None
    assert manifest["figures"]["n_folds"] == 3
    assert manifest["examples"]["unlabeled"]["n_pages"] == 200
    assert manifest["command"].endswith("--quick")
    # What is asked for stands, and of the background too a sample is drawn.
    assert here(*argv, "--quick", "--unlabeled-sample", "50", "--force").exit_code == 0
    assert load_topic("stars", here.models).manifest["examples"]["unlabeled"]["n_pages"] == 50
    done = here("stars", "--positive", examples / "positive", "--seeds", SEED, "--quick", "--force")
    assert "of which 200 were drawn" in done.out
    assert load_topic("stars", here.models).manifest["figures"]["n_unlabeled"] == 200


WORDS = "star galaxy planet telescope astronomy orbit"


def test_a_word_of_several_terms_is_named_once_and_known_by_any_of_them(here: Here) -> None:
    done = here("stars", "--keywords", "zyxwvu-moon galaxy qxqx-zyxq orbit")
    assert done.exit_code == 0, done.err
    assert "\nWords:      zyxwvu-moon, galaxy, qxqx-zyxq, orbit\n" in done.out
    assert "in no unlabelled page: qxqx-zyxq. " in done.out
    done = here("other", "--keywords", "qxqx-zyxq zyxwvu")
    assert done.exit_code == 0, done.err
    assert "none of the words stands in any page of the general background: qxqx-zyxq, zyxwvu. " in done.out


def test_words_alone_make_a_beginning_that_says_so(examples: Path, here: Here) -> None:
    sample = ["--unlabeled", examples / "web.warc.gz", "--unlabeled-sample", "100"]
    done = here("stars", "--keywords", WORDS + " the zyxwvu 42", *sample, "--seeds", SEED)
    assert done.exit_code == 0, done.err
    for said in (
        "A beginning",
        "in no unlabelled page: zyxwvu",
        "ignored: the, 42",
        "scrapy train stars --positive PATH",
    ):
        assert said in done.out
    assert "precision" not in done.out
    topic = load_topic("stars", here.models)
    assert topic.manifest["kind"] == "keywords"
    assert topic.manifest["examples"]["keywords"]["unknown"] == ["zyxwvu"]
    assert topic.manifest["examples"]["keywords"]["ignored"] == ["the", "42"]
    assert topic.note.startswith("A beginning, made from words alone: star galaxy")
    words = shlex.split(topic.manifest["command"])
    before = {path.name: path.read_bytes() for path in (here.models / "stars").iterdir()}
    assert here(*words[2:], "--force").exit_code == 0
    assert {path.name: path.read_bytes() for path in (here.models / "stars").iterdir()} == before


def test_a_topic_of_words_orders_pages(examples: Path, here: Here) -> None:
    for name, others in (
        ("site", ["--unlabeled", examples / "web.warc.gz", "--unlabeled-sample", "200"]),
        ("background", []),
    ):
        assert here(name, "--keywords", *WORDS.split(), *others).exit_code == 0
        topic = load_topic(name, here.models)
        judge, reader = Judge(topic), PageReader(topic.analyzer)
        relevances = [
            [judge.judge(reader.read(path.read_bytes(), SEED)).page for path in (examples / kind).iterdir()]
            for kind in ("positive", "unlabeled")
        ]
        assert median(relevances[0]) > max(sorted(relevances[1])[: int(0.8 * len(relevances[1]))])


def test_examples_take_the_place_of_words_and_of_their_note(examples: Path, here: Here) -> None:
    words = ["stars", "--keywords", WORDS, "--unlabeled", examples / "unlabeled"]
    assert here(*words).exit_code == 0
    assert "It has no seeds: words have no URLs" in here(*words, "--force").out
    assert here("stars", *folders(examples), "--force", "--quick").exit_code == 0
    topic = load_topic("stars", here.models)
    assert topic.note == ""
    assert topic.manifest["kind"] == "examples"
    assert here(*words, "--note", "Mine", "--force").exit_code == 0
    assert load_topic("stars", here.models).note == "Mine"


def test_words_beside_pages_name_the_topic_and_stay_with_it(examples: Path, here: Here) -> None:
    both = ["stars", "--keywords", "zyxwvu orbit", *folders(examples), "--quick"]
    done = here(*both)
    assert done.exit_code == 0, done.err
    assert "\nWords:      zyxwvu orbit\n" in done.out
    topic = load_topic("stars", here.models)
    assert topic.manifest["kind"] == "examples"
    assert topic.named_terms == ["zyxwvu", "orbit"]
    assert not topic.keyword_terms
    assert here("pages", *both[3:]).exit_code == 0
    alone = load_topic("pages", here.models)
    # The words are learnt from and judge nothing.
    assert topic.manifest["figures"]["n_positive"] == alone.manifest["figures"]["n_positive"]
    weight = {each.name: dict(zip(each.terms, each.model.coef, strict=True)).get("orbit", 0) for each in (topic, alone)}
    assert weight["stars"] > weight["pages"]
    again = shlex.split(topic.manifest["command"])
    assert again[2:5] == ["stars", "--keywords", "zyxwvu orbit"]


def test_what_makes_figures_doubtful_is_told(examples: Path, made: tuple[Path, Finished], here: Here) -> None:
    few = made[1]
    assert "WARNING: 100 pages that are not positive are few beside 15 pages that are" in few.out
    assert "Bring at least 200 unlabelled pages" in few.out
    assert "too low for a crawl" not in few.out
    background = here("stars", "--positive", examples / "positive", "--seeds", SEED, "--quick", "--force")
    assert "A crawl meets pages that are nearer to the topic" in background.out


def test_a_topic_that_cannot_be_told_from_the_rest_is_called_unusable(
    examples: Path, here: Here, tmp_path: Path
) -> None:
    mixed = tmp_path / "mixed"
    mixed.mkdir()
    for number, path in enumerate(sorted((examples / "unlabeled").iterdir())[:12]):
        (mixed / f"{number}.html").write_bytes(path.read_bytes())
    done = here("any", "--positive", mixed, "--unlabeled", examples / "unlabeled", "--seeds", SEED, "--quick")
    assert "is too low for a crawl" in done.out
