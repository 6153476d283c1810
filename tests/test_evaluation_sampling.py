from __future__ import annotations

import os
import subprocess
import sys

import pytest
from commands import ROOT

from focused.evaluation.labels import Labels, match_labels, read_labels
from focused.evaluation.sampling import choose_topics, draw, topic_names
from focused.method.topic import check_topic_name

PAGES = [f"http://h.org/{number:03}" for number in range(100)]
RELEVANT = PAGES[:40]


def drawn(repeat=1, relevant=RELEVANT, seeds=3, n_positives=10, n_unlabeled=20, **more):
    key = (0, "web", "topic", repeat)
    return draw(
        relevant, PAGES, key=key, topic="Light", web="h", n_positives=n_positives, n_unlabeled=n_unlabeled, seeds=seeds, **more
    )  # fmt: skip


def test_what_is_drawn_is_disjoint_and_of_the_right_kind():
    found = drawn()
    assert (len(found.positives), len(found.unlabeled), len(found.seeds)) == (10, 20, 3)
    assert set(found.positives) <= set(RELEVANT)
    assert set(found.positives).isdisjoint(found.unlabeled)
    assert set(found.seeds) <= set(found.positives)


def test_seeds_apart_are_relevant_and_no_positives():
    found = drawn(seeds_apart=True)
    assert set(found.seeds) <= set(RELEVANT)
    assert set(found.seeds).isdisjoint(found.positives)
    assert found.positives == drawn().positives


def test_each_repeat_draws_others_and_more_of_one_kind_changes_nothing_of_another():
    assert drawn(1).positives != drawn(2).positives
    assert drawn(1).unlabeled != drawn(2).unlabeled
    assert drawn(seeds=1).positives == drawn(seeds=5).positives


@pytest.mark.slow
def test_drawings_do_not_depend_on_the_hashes_of_the_process():
    code = "import test_evaluation_sampling as t; print(t.drawn())"
    path = os.pathsep.join([str(ROOT), str(ROOT / "tests")])
    seen = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": path},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert seen == {f"{drawn()}\n"}


def test_a_file_of_seeds_serves_as_it_is():
    assert drawn(seeds=["http://h.org/x"]).seeds == ["http://h.org/x"]


@pytest.mark.parametrize(("n", "needed"), [(1, 11), (10, 11)])
def test_a_topic_with_too_few_pages_is_named_with_its_count_and_the_remedy(n, needed):
    with pytest.raises(ValueError, match=rf"'Light' has {n} pages? .*take {needed}.*--exclude"):
        drawn(relevant=RELEVANT[:n])
    assert len(drawn(relevant=RELEVANT[:11]).positives) == 10


def test_seeds_apart_need_pages_of_their_own():
    with pytest.raises(ValueError, match=r"3 seeds apart.*take 13.*--positives 9"):
        drawn(relevant=RELEVANT[:12], seeds_apart=True)


def test_of_unlabelled_pages_all_are_taken_if_there_are_fewer():
    assert len(drawn(n_unlabeled=1000).unlabeled) == 90


@pytest.mark.parametrize(
    "labels", [["a", "A", "a "], ["x" * 100, "x" * 101], ["日本", "../..", "", "<script>"], ["a", "a-2", "A"]]
)
def test_names_of_topics_are_valid_and_different(labels):
    names = topic_names(labels)
    assert len(set(names.values())) == len(labels)
    for name in names.values():
        check_topic_name(f"{name}-r999")


LABELS = Labels({f"http://h.org/{n}": frozenset(["big"] if n < 9 else ["small", "big"]) for n in range(12)})


def test_topics_are_chosen_by_size_or_by_name():
    assert choose_topics(LABELS, "h") == ["big", "small"]
    assert choose_topics(LABELS, "h", largest=1) == ["big"]
    assert choose_topics(LABELS, "h", min_pages=4) == ["big"]
    assert choose_topics(LABELS, "h", exclude=["big"]) == ["small"]
    assert choose_topics(LABELS, "h", topics=["small"]) == ["small"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"topics": ["none"]}, r"--topics names 'none'.*big \(12\), small \(3\)"),
        ({"exclude": ["none"]}, "--exclude names 'none'"),
        ({"min_pages": 100}, "No topic with at least 100 pages"),
    ],
)
def test_topics_that_there_are_not_are_refused_with_those_that_there_are(options, message):
    with pytest.raises(ValueError, match=message):
        choose_topics(LABELS, "h", **options)


def test_labels_are_matched_exactly_then_as_the_web_finds_them():
    lines = [
        ("http://h.org/a", {"x"}),
        ("http://h.org/A", {"y"}),
        ("http://h.org/gone", {"x"}),
        ("http://h.org/b", set()),
    ]
    found = match_labels(
        [(url, frozenset(names)) for url, names in lines],
        ["http://h.org/a", "http://h.org/b", "http://h.org/c"],
        {"http://h.org/A": "http://h.org/a"}.get,
    )
    assert found.of_page == {"http://h.org/a": {"x", "y"}, "http://h.org/b": frozenset()}
    assert found.unknown == ["http://h.org/gone"]
    assert found.n_unlabelled == 1
    assert found.pages_of("x") == ["http://h.org/a"]


def test_a_file_of_labels_is_read_with_and_without_header(tmp_path):
    path = tmp_path / "labels.tsv"
    for head in ("url\tlabels\n", "", "\ufeffurl\tlabels\n"):
        path.write_text(f"{head}http://h.org/a\tx | y\n\nhttp://h.org/b\t\n", encoding="utf-8")
        assert read_labels(path) == [("http://h.org/a", {"x", "y"}), ("http://h.org/b", frozenset())]


def test_lines_of_a_file_of_labels_end_where_people_see_their_end(tmp_path):
    path = tmp_path / "labels.tsv"
    path.write_bytes("http://h.org/a\tx\u2028y\x0cz|w\t\r\nhttp://h.org/b\tv".encode())
    assert read_labels(path) == [("http://h.org/a", {"x\u2028y\x0cz", "w"}), ("http://h.org/b", {"v"})]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"url\tlabels\nhttp://h.org/a x\n", "line 2 must be"),
        (b"url\tlabels\n", "holds no labels"),
        (b"http://h.org/a\t\nhttp://h.org/b\t |\n", "holds no labels"),
        (b"http://h.org/a\tx\na note\thttp://h.org/b\tx\n", "line 2 must be"),
        (b"\xff\xfe", "must be UTF-8"),
    ],
)
def test_a_bad_file_of_labels_is_refused_by_line(tmp_path, content, message):
    path = tmp_path / "labels.tsv"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=message):
        read_labels(path)
