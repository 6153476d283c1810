"""What a crawl learnt becomes the topic's model for good: only if it is not worse, and the former one is kept."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from commands import environment, scrapy
from scipy import sparse
from test_retraining import COMET_WORDS, OTHER_WORDS, STAR_WORDS, TABLE_WORDS, a_topic, judged, old, words

from focused.collection.page import CollectedPage
from focused.collection.store import CollectionStore
from focused.commands.train_from_run import train_from_run
from focused.commands.train_from_run_words import WOULD, why_examples_refuse
from focused.method.topic import TopicExamples, load_topic
from focused.method.topic.counted import relevance_of_counts
from focused.retraining.acceptance import AcceptanceFigures
from focused.retraining.augmentation import AugmentedExamples
from focused.retraining.judged_pages import JudgedPage, read_record
from focused.retraining.options import read_options
from focused.retraining.training import Retraining
from focused.retraining.versions import Attempt
from focused.utils.file_names import PREVIOUS_FOLDER, RETRAINING_FILE


@pytest.fixture(scope="module")
def trained(tmp_path_factory) -> Path:
    """A models folder with a topic about stars."""
    models = tmp_path_factory.mktemp("trained")
    rng = np.random.default_rng(1)
    made = Retraining(a_topic(), [judged(101, words(rng, STAR_WORDS))]).train({101: True})
    made.manifest.pop("retraining")
    made.save(models)
    return models


@pytest.fixture
def models(trained, tmp_path) -> Path:
    return Path(shutil.copytree(trained, tmp_path / "models"))


def a_run(
    folder: Path,
    models: Path,
    about: list[str],
    others: list[str] = OTHER_WORDS,
    *,
    is_right: bool,
    are_verdicts: bool = False,
) -> Path:
    """What a crawl leaves in which 40 pages joined, every second of them a positive, or so it says."""
    rng = np.random.default_rng(2)
    labels = {n: (n % 2 == 1) is is_right for n in range(1, 41)}
    pages = [
        replace(judged(n, words(rng, about if n % 2 else others)), joins=None if are_verdicts else labels[n])
        for n in labels
    ]
    labels_file = folder / "versions" / "2" / "labels.json"
    labels_file.parent.mkdir(parents=True)
    labels_file.write_text(json.dumps(labels))
    shutil.copytree(models / "stars", folder / "versions" / "2" / "stars")
    (folder / "retraining.jsonl").write_text("".join(f"{page.to_line()}\n" for page in pages))
    (folder / "versions.jsonl").write_text(Attempt(2, accepted=True).to_line() + "\n")
    sha = load_topic("stars", models).model_sha256
    (folder / "run.json").write_text(json.dumps({"topic": "stars", "model_sha256": sha}))
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def test_a_better_model_takes_the_topics_place_and_the_former_topic_is_kept_as_it_was(models, tmp_path):
    note = "\n# Mine.\n"
    with (models / "stars" / "topic.toml").open("a") as file:
        file.write(note)
    before = contents(models / "stars")
    run = a_run(tmp_path / "run", models, COMET_WORDS, TABLE_WORDS, is_right=True, are_verdicts=True)
    said = train_from_run("stars", run, models, tolerance=0.02, force=False, say=print)
    assert "It is better by what people say (of 40 pages that people judged, each held out, it has " in said
    assert "): average precision" in said
    assert "and 40 pages with a verdict" in said
    assert "at the threshold, F1 " in said
    kept = models / "stars" / PREVIOUS_FOLDER / "stars"
    assert str(kept) in said
    assert contents(kept) == before
    now = load_topic("stars", models)
    assert now.manifest["retraining"]["held_out"]["new"] > now.manifest["retraining"]["held_out"]["first"]
    former = load_topic("stars", models / "stars" / PREVIOUS_FOLDER)
    assert former.model_sha256 != now.model_sha256
    for path in kept.iterdir():  # as the message says
        shutil.copy(path, models / "stars")
    assert load_topic("stars", models).model_sha256 == former.model_sha256


def test_a_worse_model_does_not_take_the_topics_place_unless_it_is_forced_to(models, tmp_path):
    before = contents(models / "stars")
    run = a_run(tmp_path / "run", models, STAR_WORDS, is_right=False)
    with pytest.raises(ValueError, match="stays as it is") as error:
        train_from_run("stars", run, models, tolerance=0.02, force=False, say=print)
    assert "--force" in str(error.value)
    assert "(the topic's own examples)" in str(error.value)
    assert contents(models / "stars") == before
    assert not (models / "stars" / PREVIOUS_FOLDER).exists()
    would = train_from_run("stars", run, models, tolerance=0.02, force=False, say=print, dry_run=True)
    assert would.startswith(f"{WOULD} of topic stars would do.\nIt is worse (average precision")
    assert "F1 of held-out examples" in would
    assert contents(models / "stars") == before  # nothing was written
    assert not (models / "stars" / PREVIOUS_FOLDER).exists()
    said = train_from_run("stars", run, models, tolerance=0.02, force=True, say=print)
    assert "It is worse (average precision" in said
    assert contents(models / "stars" / PREVIOUS_FOLDER / "stars") == before
    assert contents(models / "stars") != before


@pytest.mark.parametrize("which", ["topic", "run"])
def test_counts_of_two_countings_are_never_joined_not_even_by_force(models, tmp_path, which):
    run = a_run(tmp_path / "run", models, COMET_WORDS, TABLE_WORDS, is_right=True)
    old(models if which == "topic" else run / "versions" / "2")
    before = contents(models / "stars")
    with pytest.raises(ValueError, match="counting 1, now 2") as refused:
        train_from_run("stars", run, models, tolerance=0.02, force=True, say=print)
    assert ("Retrain it: scrapy train stars" if which == "topic" else "Crawl again") in str(refused.value)
    assert contents(models / "stars") == before


def test_a_topic_that_cannot_be_kept_is_not_replaced(models, tmp_path):
    before = contents(models / "stars")
    run = a_run(tmp_path / "run", models, STAR_WORDS, is_right=True)
    (models / "stars" / PREVIOUS_FOLDER).write_text("in the way")
    with pytest.raises(ValueError, match="cannot be kept"):
        train_from_run("stars", run, models, tolerance=0.02, force=False, say=print)
    (models / "stars" / PREVIOUS_FOLDER).unlink()
    assert contents(models / "stars") == before


def joined_in(models: Path) -> tuple[int, int]:
    """How many positives and other pages the topic has."""
    positive = load_topic("stars", models).examples.positive
    return int(positive.sum()), int((~positive).sum())


def with_more(run: Path, pages: list[JudgedPage], labels: dict[int, bool]) -> None:
    """Let a run have gone on: more pages, and labels that are new or others."""
    with (run / "retraining.jsonl").open("a") as file:
        file.writelines(f"{page.to_line()}\n" for page in pages)
    labels_file = run / "versions" / "2" / "labels.json"
    known = {int(number): label for number, label in json.loads(labels_file.read_text()).items()}
    labels_file.write_text(json.dumps(known | labels))


def test_trained_from_one_run_twice_a_topic_has_its_pages_once(models, tmp_path):
    run = a_run(tmp_path / "run", models, COMET_WORDS, TABLE_WORDS, is_right=True)
    before = joined_in(models)
    train_from_run("stars", run, models, tolerance=0.02, force=True, say=print)
    after = joined_in(models)
    assert after == (before[0] + 20, before[1] + 20)
    files, kept = contents(models / "stars"), contents(models / "stars" / PREVIOUS_FOLDER / "stars")
    with pytest.raises(ValueError, match=r"\(40 pages\) is among the examples of topic 'stars' already"):
        train_from_run("stars", run, models, tolerance=0.02, force=True, say=print)
    assert contents(models / "stars") == files
    assert (
        contents(models / "stars" / PREVIOUS_FOLDER / "stars") == kept
    )  # the topic before the run, not the one after it


def test_of_a_run_that_went_on_only_what_is_new_joins_and_what_is_known_is_said(models, tmp_path):
    rng = np.random.default_rng(3)
    run = a_run(tmp_path / "run", models, COMET_WORDS, TABLE_WORDS, is_right=True)
    train_from_run("stars", run, models, tolerance=0.02, force=True, say=print)
    before = joined_in(models)
    with_more(run, [judged(n, words(rng, COMET_WORDS)) for n in (41, 42, 43)], {41: True, 42: True, 43: True, 2: True})
    said = train_from_run("stars", run, models, tolerance=0.02, force=True, say=print)
    # Page 2 joined as a negative; now somebody says that it is about the topic.
    assert joined_in(models) == (before[0] + 4, before[1])
    assert "4 positives and 0 negatives joined" in said
    assert "Known already, and not joined again: 39 pages." in said
    assert load_topic("stars", models).manifest["retraining"]["n_known"] == 39
    with pytest.raises(ValueError, match="43 pages"):
        train_from_run("stars", run, models, tolerance=0.02, force=True, say=print)


@pytest.mark.parametrize("what", ["URL", "text", "nothing"])
def test_a_page_is_known_by_its_canonical_url_or_by_its_text(models, tmp_path, what):
    rng = np.random.default_rng(3)
    run = a_run(tmp_path / "run", models, COMET_WORDS, TABLE_WORDS, is_right=True)
    first = read_record(run / RETRAINING_FILE)[0][0]
    train_from_run("stars", run, models, tolerance=0.02, force=True, say=print)
    before = joined_in(models)
    again = {
        "URL": replace(first, number=1, url="HTTP://H.example/%31#part", terms=words(rng, COMET_WORDS)),
        "text": replace(first, number=1, url="http://mirror.example/", terms=dict(reversed(first.terms.items()))),
        "nothing": replace(first, number=1, url="http://mirror.example/", terms=words(rng, COMET_WORDS)),
    }[what]
    with_more(run, [again], {})
    if what == "nothing":
        assert "not joined again: 39 pages." in train_from_run(
            "stars", run, models, tolerance=0.02, force=True, say=print
        )
        assert joined_in(models) == (before[0] + 1, before[1])
    else:
        with pytest.raises(ValueError, match="40 pages"):
            train_from_run("stars", run, models, tolerance=0.02, force=True, say=print)


def test_a_page_that_the_topic_was_first_trained_from_does_not_join(models, tmp_path):
    run = a_run(tmp_path / "run", models, COMET_WORDS, TABLE_WORDS, is_right=True)
    examples = load_topic("stars", models).examples
    of_row = [
        {examples.terms[column]: int(n) for column, n in zip(row.indices, row.data, strict=True)}
        for row in examples.pages
    ]
    positive, other = of_row[0], of_row[-2]
    assert examples.positive[[0, -2]].tolist() == [True, False]
    # The other page was unlabelled: that it is relevant has not been said of it before, so with that label it joins.
    with_more(run, [judged(41, positive), judged(42, other), judged(43, other)], {41: True, 42: False, 43: True})
    said = train_from_run("stars", run, models, tolerance=0.02, force=True, say=print)
    assert "21 positives and 20 negatives joined" in said
    assert "not joined again: 2 pages." in said


def an_ordinary_run(
    folder: Path, models: Path, verdicts: dict[int, object], *, n_pages: int = 40
) -> tuple[Path, list[CollectedPage]]:
    """What a crawl without retraining leaves: pages about comets and about tables, and verdicts on some of them."""
    rng = np.random.default_rng(4)
    (folder / "verdicts").mkdir(parents=True)
    store = CollectionStore(folder / "collection.sqlite", max_irrelevant=100)
    pages = [
        CollectedPage(
            n, f"http://h.example/{n}", terms=words(rng, COMET_WORDS if n % 2 else TABLE_WORDS), relevance=0.3
        )
        for n in range(1, n_pages + 1)
    ]
    for page in pages:
        store.add(page)
    store.close()
    lines = [json.dumps({"url": f"http://h.example/{n}", "relevant": said}) for n, said in verdicts.items()]
    (folder / "verdicts" / "ann.jsonl").write_text("".join(f"{line}\n" for line in lines))
    sha = load_topic("stars", models).model_sha256
    (folder / "run.json").write_text(json.dumps({"topic": "stars", "model_sha256": sha}))
    return folder, pages


def test_verdicts_on_pages_of_an_ordinary_crawl_are_learnt_from_and_followed(models, tmp_path):
    run, pages = an_ordinary_run(tmp_path / "run", models, {n: n % 2 == 1 for n in range(1, 25)})
    former = load_topic("stars", models)
    said = train_from_run("stars", run, models, tolerance=0.02, force=False, say=print)
    assert "Of 24 pages that people judged 24 stand on their side of the threshold" in said
    made = load_topic("stars", models)
    judged_pages = [judged(page.number, dict(page.terms)) for page in pages]
    assert made.examples is not None
    terms, counts = AugmentedExamples(made.examples, judged_pages).counts()
    accepted = relevance_of_counts(made, terms, counts, "page") >= made.threshold("page")
    right = np.array([page.number % 2 == 1 for page in pages])
    assert (accepted[:24] == right[:24]).all()
    assert (accepted[24:] == right[24:]).mean() > 0.8  # what nobody judged, too
    assert made.manifest["retraining"]["errors_on_verdicts"]["n_judged"] == 24
    changes = made.manifest["retraining"]["changes"]
    before = relevance_of_counts(former, terms, counts, "page") >= former.threshold("page")
    numbers = {int(page["url"].rpartition("/")[2]) for page in changes["now_relevant"]}
    assert numbers == {page.number for page, was, now in zip(pages, before, accepted, strict=True) if now and not was}
    assert (changes["n_compared"], changes["n_now_relevant"]) == (40, len(numbers))
    assert set(changes["now_for"]) & set(COMET_WORDS)
    assert set(changes["now_against"]) <= {*TABLE_WORDS, *OTHER_WORDS}
    assert f"Now for: {', '.join(changes['now_for'])}" in said


def test_verdicts_that_contradict_each_other_are_named_whether_or_not_there_are_others(models, tmp_path):
    run, _ = an_ordinary_run(tmp_path / "run", models, {n: n % 2 == 1 for n in range(1, 25)})
    (run / "verdicts" / "bob.csv").write_text("".join(f"http://h.example/{n},no\n" for n in (*range(1, 15), 99)))
    said = train_from_run("stars", run, models, tolerance=0.02, force=True, say=print, dry_run=False)
    assert "7 pages: people contradict each other, so the model decides\n" in said
    assert said.count("(ann: yes, bob: no)") == 5
    assert "  http://h.example/1 (ann: yes, bob: no)\n" in said
    assert "1 verdict is on pages that this run has not fetched; they are left out.\n" in said
    other, _ = an_ordinary_run(tmp_path / "other", models, {1: True})
    (other / "verdicts" / "bob.csv").write_text("http://h.example/1,no\n")
    with pytest.raises(ValueError, match=r"people contradict each other, .*http://h.example/1 \(ann: yes, bob: no\)"):
        train_from_run("stars", other, models, tolerance=0.02, force=True, say=print)


def test_of_a_run_that_nobody_judged_it_is_said_how_to_judge_it(models, tmp_path):
    run, _ = an_ordinary_run(tmp_path / "run", models, {99: True, 1: None})
    with pytest.raises(ValueError, match="nobody has judged its pages"):
        train_from_run("stars", run, models, tolerance=0.02, force=False, say=print)
    (tmp_path / "more.csv").write_text(
        "".join(f"http://h.example/{n},{'yes' if n % 2 else 'no'}\n" for n in range(1, 9))
    )
    said = train_from_run("stars", run, models, tolerance=0.02, force=True, say=print, verdicts=[tmp_path / "more.csv"])
    assert "Of 8 pages that people judged 8 stand" in said


def test_a_refusal_of_a_page_that_is_unlabelled_in_the_topic_is_followed_though_the_page_joins_no_more(
    models, tmp_path
):
    rng = np.random.default_rng(6)
    # Half of them are about the topic by their words, and all are among its unlabelled pages.
    pages = [judged(n, words(rng, STAR_WORDS if n % 2 else OTHER_WORDS)) for n in range(1, 13)]
    made = Retraining(load_topic("stars", models), pages).train({page.number: False for page in pages})
    made.manifest.pop("retraining")
    made.save(models)
    run, _ = an_ordinary_run(tmp_path / "run", models, {})
    (run / "retraining.jsonl").write_text("".join(f"{page.to_line()}\n" for page in pages))
    before = accepted_numbers(models, pages)
    assert len(before) >= 3
    lines = [json.dumps({"url": f"http://h.example/{n}", "relevant": False}) for n in range(1, 13)]
    (run / "verdicts" / "ann.jsonl").write_text("\n".join(lines) + "\n")
    n_examples = len(load_topic("stars", models).examples.positive)
    said = train_from_run("stars", run, models, tolerance=0.02, force=False, say=print)
    assert "Of 12 pages that people judged 12 stand on their side" in said
    assert accepted_numbers(models, pages) == set()
    assert len(load_topic("stars", models).examples.positive) == n_examples
    with pytest.raises(ValueError, match="Nothing new was learnt"):
        train_from_run("stars", run, models, tolerance=0.02, force=True, say=print)


def of_words(models: Path) -> None:
    """Make the topic one from words."""
    topic = load_topic("stars", models)
    keywords = {"text": " ".join(STAR_WORDS[:3]), "terms": STAR_WORDS[:3]}
    topic.manifest |= {"kind": "keywords", "examples": {"keywords": keywords, "background": {"n_pages": 20}}}
    topic.examples = replace(topic.examples, positive=np.zeros_like(topic.examples.positive))
    topic.save(models)


def a_run_for_words(folder: Path, models: Path, verdicts: dict[int, bool]) -> list[JudgedPage]:
    """What a crawl for words leaves: 80 pages, every second about stars, of which the words tell only some."""
    rng = np.random.default_rng(8)
    run, _ = an_ordinary_run(folder, models, dict(verdicts))
    pages = [
        replace(judged(n, words(rng, STAR_WORDS if n % 2 else OTHER_WORDS)), relevance=0.2 if n % 2 else 0.05)
        for n in range(1, 81)
    ]
    (run / "retraining.jsonl").write_text("".join(f"{page.to_line()}\n" for page in pages))
    return pages


def test_a_topic_from_words_has_examples_once_people_said_yes_to_ten_pages_and_its_crawls_learn_from_their_web(
    models, tmp_path
):
    of_words(models)
    verdicts = {n: True for n in range(1, 24, 2)} | {n: False for n in range(2, 10, 2)}
    pages = a_run_for_words(tmp_path / "run", models, verdicts)
    would_be = train_from_run("stars", tmp_path / "run", models, tolerance=0.02, force=False, say=print, dry_run=True)
    assert would_be.startswith(WOULD)
    assert load_topic("stars", models).keyword_terms
    said = train_from_run("stars", tmp_path / "run", models, tolerance=0.02, force=False, say=print)
    assert "12 pages that people said yes to are the topic's examples now" in said
    topic = load_topic("stars", models)
    assert (topic.keyword_terms, topic.named_terms) == ([], STAR_WORDS[:3])
    assert int(topic.examples.positive.sum()) == 12
    assert read_options({}, topic).is_against_met(topic)
    accepted = accepted_numbers(models, pages)
    assert not any(number % 2 == 0 for number in accepted)
    assert len(accepted) > 30
    with pytest.raises(ValueError, match="Nothing new was learnt"):
        train_from_run("stars", tmp_path / "run", models, tolerance=0.02, force=True, say=print)


def with_pages(run: Path, pages: list[JudgedPage]) -> None:
    (run / "retraining.jsonl").write_text("".join(f"{page.to_line()}\n" for page in pages))


YES = {n: True for n in range(1, 24, 2)}


def test_pages_without_words_and_judged_ones_stand_for_no_drawn_ones(models, tmp_path):
    of_words(models)
    run = tmp_path / "run"
    pages = a_run_for_words(run, models, {n: n % 2 == 1 for n in range(1, 51)})
    low = [replace(page, relevance=0.1 if page.number <= 50 else 0.3) for page in pages]
    with_pages(run, [*low, *(replace(judged(n, {}), relevance=0.0) for n in range(81, 200))])
    said = train_from_run("stars", run, models, tolerance=0.02, force=False, say=print)
    assert "25 pages that people said yes to are the topic's examples now" in said
    assert load_topic("stars", models).manifest["retraining"]["n_drawn"] >= 15


def test_a_topic_from_words_that_came_without_examples_is_refused(models, tmp_path):
    of_words(models)
    manifest = json.loads((models / "stars" / "manifest.json").read_text())
    manifest.pop("examples_sha256")
    (models / "stars" / "manifest.json").write_text(json.dumps(manifest))
    (models / "stars" / "examples.npz").unlink()
    a_run_for_words(tmp_path / "run", models, YES)
    with pytest.raises(ValueError, match="has no examples"):
        train_from_run("stars", tmp_path / "run", models, tolerance=0.02, force=False, say=print)


def test_a_topic_from_words_with_unlabelled_pages_of_its_own_learns_from_the_pages_met_once_it_has_examples(
    models, tmp_path
):
    of_words(models)
    topic = load_topic("stars", models)
    keywords = topic.manifest["examples"]["keywords"]
    topic.manifest["examples"] = {"keywords": keywords, "unlabeled": {"n_pages": 60}}
    topic.save(models)
    a_run_for_words(tmp_path / "run", models, YES)
    train_from_run("stars", tmp_path / "run", models, tolerance=0.02, force=False, say=print)
    made = load_topic("stars", models)
    assert "unlabeled" not in made.manifest["examples"]
    assert read_options({}, made).is_against_met(made)


def test_copies_of_one_page_are_one_example(models, tmp_path):
    of_words(models)
    run = tmp_path / "run"
    pages = a_run_for_words(run, models, YES)
    with_pages(run, [replace(page, terms=pages[0].terms) if page.number in YES else page for page in pages])
    train_from_run("stars", run, models, tolerance=0.02, force=True, say=print)
    assert load_topic("stars", models).keyword_terms  # one page is not ten


def test_of_a_long_crawl_for_words_the_latest_pages_stand_for_drawn_ones(models, tmp_path, monkeypatch):
    monkeypatch.setattr("focused.retraining.verdict_examples.MAX_MET", 30)
    of_words(models)
    a_run_for_words(tmp_path / "run", models, YES)
    train_from_run("stars", tmp_path / "run", models, tolerance=0.02, force=False, say=print)
    assert load_topic("stars", models).manifest["retraining"]["n_drawn"] <= 16


def test_a_crawl_for_words_that_has_drawn_nothing_and_that_nobody_judged_can_be_learnt_from(models, tmp_path):
    of_words(models)
    run = tmp_path / "run"
    pages = a_run_for_words(run, models, {})
    (run / "versions" / "2").mkdir(parents=True)
    shutil.copytree(models / "stars", run / "versions" / "2" / "stars")
    (run / "versions" / "2" / "labels.json").write_text("{}")
    (run / "versions.jsonl").write_text(Attempt(2, accepted=True, n_unlabeled=len(pages)).to_line() + "\n")
    said = train_from_run("stars", run, models, tolerance=0.02, force=False, say=print)
    assert said.startswith("Topic stars is trained again, against 80 pages that ")
    assert "How many of the pages met are relevant is not known" in said
    assert load_topic("stars", models).keyword_terms == STAR_WORDS[:3]


def test_with_fewer_a_topic_stays_one_from_words(models, tmp_path):
    of_words(models)
    a_run_for_words(tmp_path / "run", models, {n: n % 2 == 1 for n in range(1, 19)})  # nine times yes
    train_from_run("stars", tmp_path / "run", models, tolerance=0.02, force=True, say=print)
    assert load_topic("stars", models).keyword_terms == STAR_WORDS[:3]


def accepted_numbers(models: Path, pages: list[JudgedPage]) -> set[int]:
    topic = load_topic("stars", models)
    terms, counts = AugmentedExamples(topic.examples, pages).counts()
    found = relevance_of_counts(topic, terms, counts, "page") >= topic.threshold("page")
    return {page.number for page, is_accepted in zip(pages, found, strict=True) if is_accepted}


def judge_more(run: Path, numbers: range) -> None:
    """Let Ann judge more pages of `an_ordinary_run`."""
    with (run / "verdicts" / "ann.jsonl").open("a") as file:
        for n in numbers:
            file.write(json.dumps({"url": f"http://h.example/{n}", "relevant": n % 2 == 1}) + "\n")


def test_judging_and_training_from_one_run_take_turns_without_force(models, tmp_path):
    run, _ = an_ordinary_run(tmp_path / "run", models, {n: n % 2 == 1 for n in range(1, 13)})
    for n_judged in (12, 24, 36):
        said = train_from_run("stars", run, models, tolerance=0.02, force=False, say=print)
        assert f"Of {n_judged} pages that people judged" in said or "12 pages that people judged" in said
        judge_more(run, range(n_judged + 1, n_judged + 13))
    # Another run of the same name and the former model, and this run once the topic was trained from something else.
    other, _ = an_ordinary_run(tmp_path / "other", models, {1: True})
    (other / "run.json").write_text((run / "run.json").read_text())
    with pytest.raises(ValueError, match=r"trained since, and not from this run\. .* --force"):
        train_from_run("stars", other, models, tolerance=0.02, force=False, say=print)


def test_what_was_learnt_while_somebody_wrote_in_the_collection_is_delivered_by_the_same_line_again(models, tmp_path):
    run, _ = an_ordinary_run(tmp_path / "run", models, {n: n % 2 == 1 for n in range(1, 25)})
    argv = ("train", "stars", "--from-run", str(run), "--quiet")
    with closing(sqlite3.connect(run / "collection.sqlite", isolation_level=None)) as sql:
        sql.execute("BEGIN IMMEDIATE")
        first = scrapy(*argv, cwd=tmp_path / "1", env=environment(models))
        assert first.exit_code == 0, first.err
        assert "Try again in a moment" in first.out
        still = scrapy(*argv, cwd=tmp_path / "2", env=environment(models))
        assert still.exit_code == 1
        assert "Try again in a moment" in still.err
    again = scrapy(*argv, cwd=tmp_path / "3", env=environment(models))
    assert again.exit_code == 0, again.err
    assert again.out.startswith(f"40 pages of {run} judged by it: ")
    no_more = scrapy(*argv, cwd=tmp_path / "4", env=environment(models))
    assert no_more.exit_code == 1
    assert "Nothing new was learnt" in no_more.err


@pytest.mark.parametrize(
    ("n_judged", "of_new", "refuses"), [(19, 12, False), (32, 12, True), (32, 11, False), (0, 0, False)]
)
def test_of_many_verdicts_that_do_not_call_a_model_better_the_examples_refuse_it_where_they_call_it_worse(
    n_judged, of_new, refuses
):
    new, first = AcceptanceFigures(0.93, 0.75, 0.5), AcceptanceFigures(0.95, 0.83, 0.65)
    errors = {"n_judged": n_judged, "new": of_new, "first": 12} if n_judged else {}
    assert bool(why_examples_refuse(new, first, 0.02, errors)) == refuses
    assert why_examples_refuse(replace(new, f1=0.8), first, 0.02, errors) == ""  # not clearly worse


@pytest.mark.parametrize(("n_verdicts", "is_warned"), [(2, False), (14, True), (30, False)])
def test_few_verdicts_that_make_a_model_of_which_the_examples_say_that_it_is_worse_bring_a_warning_and_the_way_back(
    models, tmp_path, n_verdicts, is_warned
):
    """A third of the unlabelled examples is about tables, and all that people want are pages about tables."""
    rng = np.random.default_rng(0)
    terms = [*STAR_WORDS, *TABLE_WORDS, *OTHER_WORDS]
    texts = [words(rng, STAR_WORDS) for _ in range(12)]
    texts += [words(rng, TABLE_WORDS if n < 20 else OTHER_WORDS) for n in range(60)]
    topic = a_topic()
    none, no_rows = sparse.csr_matrix((0, len(terms))), np.zeros(0, dtype=np.int64)
    rows = sparse.csr_matrix([[float(text.get(term, 0)) for term in terms] for text in texts])
    topic.examples = TopicExamples(terms, rows, np.arange(72) < 12, no_rows, no_rows, none, none, none, none)
    made = Retraining(topic, [judged(101, words(rng, STAR_WORDS))]).train({101: True})
    made.manifest.pop("retraining")
    made.save(models)
    # Of the pages of such a run those with even numbers are about tables.
    run, _ = an_ordinary_run(tmp_path / "run", models, {2 * n: True for n in range(1, n_verdicts + 1)}, n_pages=60)
    would = train_from_run("stars", run, models, tolerance=0.02, force=False, say=print, dry_run=True)
    said = train_from_run("stars", run, models, tolerance=0.02, force=False, say=print)
    for each in (would, said):
        assert ("WARNING: by the topic's own examples it is clearly worse: F1 0." in each) == is_warned
        assert (f"but {n_verdicts} verdicts are few. Judge more pages" in each) == is_warned
        assert ("By the order of the pages and the recall it is not clearly worse" in each) == is_warned
    assert ("Below is how to have that back." in said) == is_warned
    assert f"  cp {models / 'stars' / PREVIOUS_FOLDER / 'stars'}/* " in said
