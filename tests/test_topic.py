"""A topic's directory: written, read, and refused where anything about it is not as it must be."""

from __future__ import annotations

import errno
import io
import json
import pickle
import shutil
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest
from scipy import sparse

from focused.method.learning.calibration import KINDS, Calibration
from focused.method.learning.learners import LEARNERS
from focused.method.learning.model import TopicModel
from focused.method.topic import (
    Topic,
    TopicError,
    TopicExamples,
    check_topic_name,
    is_topic_setting,
    load_topic,
    topic_names,
)
from focused.method.topic.counted import relevance_of_counts
from focused.method.topic.names import SHIPPED
from focused.method.topic.presets import load_preset

MODELS = Path(__file__).resolve().parent.parent / "models"


@pytest.fixture
def topic(tmp_path: Path) -> Topic:
    topic = Topic(
        name="stars",
        title='Stars "and" more',
        language="en",
        seeds=["http://a.example/"],
        strategy="slc",
        settings={"DOWNLOAD_DELAY": 2.5},
        terms=["star", "moon"],
        model=TopicModel(
            sublinear_tf=False,
            term_weights=np.array([1.0, 2.0]),
            coef=np.array([0.5, -0.5]),
            topic_vector=np.array([1.0, 0.0]),
            intercept=-0.25,
            calibrations={kind: Calibration(kind, 2.0, 1.0, 0.1, 4.0, 0.5, 7) for kind in KINDS},
        ),
    )
    topic.save(tmp_path)
    return topic


def test_what_is_saved_is_loaded(topic: Topic, tmp_path: Path) -> None:
    loaded = load_topic("stars", tmp_path)
    for name in ("title", "language", "seeds", "strategy", "settings", "terms"):
        assert getattr(loaded, name) == getattr(topic, name)
    for name in TopicModel.__slots__:
        assert np.array_equal(getattr(loaded.model, name), getattr(topic.model, name))
    assert topic_names(tmp_path) == ["stars"]


def test_texts_are_judged_by_their_counts_whatever_the_order_of_the_columns_and_unknown_terms_say_nothing(
    topic: Topic,
) -> None:
    counts = sparse.csr_matrix([[3.0, 2.0, 1.0], [0.0, 5.0, 0.0], [0.0, 0.0, 4.0]])
    found = relevance_of_counts(topic, ["moon", "sun", "star"], counts, "block")
    # star weighs 1 * 1 and 4 * 1, moon 3 * 2: the rows are (1, 6) / sqrt(37), nothing, and (1, 0).
    decisions = np.array([(1 * 0.5 - 6 * 0.5) / np.sqrt(37), 0.0, 0.5]) - 0.25
    expected = topic.model.calibrations["block"].relevance(decisions, np.array([2, 0, 1]))
    assert found == pytest.approx(expected)
    assert found[1] == pytest.approx(0.1)  # the prior
    assert relevance_of_counts(topic, ["sun"], counts[:, :1], "block") == pytest.approx([found[1]] * 3)


def test_saving_twice_gives_the_same_bytes(topic: Topic, tmp_path: Path) -> None:
    before = {path.name: path.read_bytes() for path in (tmp_path / "stars").iterdir()}
    topic.save(tmp_path)
    assert {path.name: path.read_bytes() for path in (tmp_path / "stars").iterdir()} == before


@pytest.mark.parametrize("full_from", ["model.npz", "examples.npz", "manifest.json", "topic.toml"])
def test_a_disk_that_is_full_leaves_the_topic_that_was(
    full_from: str, topic: Topic, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = {path.name: path.read_bytes() for path in (tmp_path / "stars").iterdir()}
    real = Path.write_bytes

    def write_bytes(path: Path, data: bytes) -> int:
        if path.name.startswith(full_from):
            real(path, data[:10])
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(path, data)

    topic.model = replace(topic.model, coef=np.array([0.25, 0.5]))
    topic.examples = cast("TopicExamples", SimpleNamespace(to_bytes=lambda: b"counts"))
    monkeypatch.setattr(Path, "write_bytes", write_bytes)
    with pytest.raises(OSError, match=r"No space left.*stars"):
        topic.save(tmp_path)
    assert {path.name: path.read_bytes() for path in (tmp_path / "stars").iterdir()} == before
    assert load_topic("stars", tmp_path).model.coef.tolist() == [0.5, -0.5]


@pytest.mark.parametrize("n_before", range(4))
def test_two_trainings_of_a_topic_that_end_at_once_leave_that_of_one(
    n_before: int, topic: Topic, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, written = Path.write_bytes, []
    other = replace(topic, model=replace(topic.model, coef=np.array([0.25, 0.5])), manifest={})

    def write_bytes(path: Path, data: bytes) -> int:
        written.append(real(path, data))
        if len(written) == n_before:  # here the other process writes all of its files
            monkeypatch.setattr(Path, "write_bytes", real)
            with monkeypatch.context() as elsewhere:
                elsewhere.setattr("os.getpid", lambda: -1)
                other.save(tmp_path)
        return written[-1]

    monkeypatch.setattr(Path, "write_bytes", write_bytes)
    topic.save(tmp_path)
    assert load_topic("stars", tmp_path).model.coef.tolist() == [0.5, -0.5]
    assert sorted(path.name for path in (tmp_path / "stars").iterdir()) == ["manifest.json", "model.npz", "topic.toml"]


@pytest.mark.parametrize("name", ["", "../x", "a/b", ".", "..", "A", "x" * 300, "-x", "a b", "ä", "x\n"])
def test_names_that_could_leave_the_folder_are_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(TopicError, match="lower-case letters"):
        check_topic_name(name)
    with pytest.raises(TopicError):
        load_topic(name, tmp_path)


def test_an_unknown_topic_names_the_known_ones_and_how_to_train(topic: Topic, tmp_path: Path) -> None:
    with pytest.raises(TopicError, match=r"Known topics: stars\. Train one: scrapy train moons"):
        load_topic("moons", tmp_path)


@pytest.mark.parametrize("damage", ["truncated", "flipped", "empty", "missing"])
def test_a_damaged_model_is_refused_with_how_to_retrain(topic: Topic, tmp_path: Path, damage: str) -> None:
    path = tmp_path / "stars" / "model.npz"
    data = bytearray(path.read_bytes())
    if damage == "flipped":
        data[len(data) // 2] ^= 1
    elif damage == "truncated":
        data = data[:-20]
    elif damage == "empty":
        data = bytearray()
    path.unlink() if damage == "missing" else path.write_bytes(data)
    with pytest.raises(TopicError, match="Retrain it: scrapy train stars"):
        load_topic("stars", tmp_path)


@pytest.mark.parametrize("name", SHIPPED)
@pytest.mark.parametrize("file", ["model.npz", "manifest.json"])
def test_a_damaged_topic_of_the_project_is_put_back_and_not_retrained_from_files_that_nobody_has(
    tmp_path: Path, name: str, file: str
) -> None:
    shutil.copytree(MODELS / name, tmp_path / name)
    (tmp_path / name / file).write_bytes(b"[")
    with pytest.raises(TopicError, match=f"git checkout -- models/{name} ") as refused:
        load_topic(name, tmp_path)
    assert "shipped-topics/" not in str(refused.value)


def test_the_topics_of_the_project_are_those_that_are_there() -> None:
    assert topic_names(MODELS) == sorted(SHIPPED)


def test_the_model_of_another_topic_is_refused(topic: Topic, tmp_path: Path) -> None:
    (tmp_path / "stars").rename(tmp_path / "moons")
    with pytest.raises(TopicError, match="of topic 'stars': a copied or renamed folder"):
        load_topic("moons", tmp_path)


def test_a_model_of_another_version_is_refused(topic: Topic, tmp_path: Path) -> None:
    path = tmp_path / "stars" / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"format": 99}))
    with pytest.raises(TopicError, match="format 99, this version reads 1"):
        load_topic("stars", tmp_path)


def replace_model(models_dir: Path, data: bytes) -> None:
    """Put another model into a topic, with a manifest that fits it: an attacker would do as much."""
    import hashlib

    (models_dir / "stars" / "model.npz").write_bytes(data)
    path = models_dir / "stars" / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"model_sha256": hashlib.sha256(data).hexdigest()}))


class Bomb:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        raise AssertionError("unpickled")


def test_a_foreign_model_file_runs_no_code(topic: Topic, tmp_path: Path) -> None:
    buffer = io.BytesIO()
    np.savez(buffer, terms=np.array([{"a": 1}], dtype=object), idf=[1.0], coef=[1.0], topic_vector=[1.0])
    for data in (pickle.dumps({"a": 1}), buffer.getvalue(), b"PK\x03\x04nonsense", b"text"):
        replace_model(tmp_path, data)
        with pytest.raises(TopicError, match="is no model file"):
            load_topic("stars", tmp_path)


@pytest.mark.parametrize("coef", [[1.0], [float("nan"), 1.0], [[1.0, 2.0]]])
def test_arrays_that_do_not_fit_are_refused(topic: Topic, tmp_path: Path, coef: list[float]) -> None:
    buffer = io.BytesIO()
    np.savez(buffer, terms=np.array([b"a", b"b"]), idf=np.ones(2), coef=np.array(coef), topic_vector=np.ones(2))
    replace_model(tmp_path, buffer.getvalue())
    with pytest.raises(TopicError, match="do not fit"):
        load_topic("stars", tmp_path)


@pytest.mark.parametrize("text", ["{", "[]", '{"format": 1}', "null", "\xff"])
def test_a_manifest_that_is_none_is_refused(topic: Topic, tmp_path: Path, text: str) -> None:
    (tmp_path / "stars" / "manifest.json").write_bytes(text.encode("latin-1"))
    with pytest.raises(TopicError, match="Retrain it"):
        load_topic("stars", tmp_path)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("titel = 'x'", "unknown key 'titel'"),
        ("seeds = 'http://a.example/'", "must be a list of URLs"),
        ("title = 3", "must be a text in quotes"),
        ("language = 'english!'", "ISO 639-1"),
        ("[settings]\nITEM_PIPELINES = {}", "A topic may not set ITEM_PIPELINES"),
        ("[settings]\nDOWNLOAD_DELAY = 'soon'", "DOWNLOAD_DELAY .* must be a number"),
        ('[settings]\nUSER_AGENT = "Mozilla/5.0"', "A topic may not set USER_AGENT"),
        ("[settings]\nROBOTSTXT_OBEY = false", "A topic may not set ROBOTSTXT_OBEY"),
        ("[scope]\nmax_dept = 3", "unknown key 'max_dept'. Known keys: allow, deny"),
        ("[scope]\nallow = [1]", r"allow in \[scope\] of .* must be a text or a list of texts"),
        ("[scope]\nmax_depth = true", r"max_depth in \[scope\] of .* must be a whole number of at least 0"),
        ("[scope]\nmax_depth = 3\n[settings]\nDEPTH_LIMIT = 4", "Take one of them out"),
        ("= broken", "cannot be read"),
    ],
)
def test_topic_files_that_are_wrong_are_refused(topic: Topic, tmp_path: Path, line: str, message: str) -> None:
    (tmp_path / "stars" / "topic.toml").write_text(line)
    with pytest.raises(TopicError, match=message):
        load_topic("stars", tmp_path)


def test_settings_that_a_topic_may_set() -> None:
    allowed = ["DOWNLOAD_DELAY", "CONCURRENT_REQUESTS", "AUTOTHROTTLE_ENABLED", "FOCUSED_STRATEGY", "FOCUSED_MAX_PAGES"]
    forbidden = [
        "SPIDER_MIDDLEWARES",
        "DOWNLOAD_HANDLERS",
        "FEEDS",
        "JOBDIR",
        "LOG_FILE",
        *("ROBOTSTXT_OBEY", "ROBOTSTXT_USER_AGENT", "ROBOTSTXT_PARSER", "USER_AGENT", "DEFAULT_REQUEST_HEADERS"),
        *("HTTPPROXY_ENABLED", "DNS_RESOLVER", "HTTPCACHE_ENABLED", "DOWNLOAD_BIND_ADDRESS"),
    ]
    assert all(map(is_topic_setting, allowed))
    assert not any(map(is_topic_setting, forbidden))


def test_shipped_topics_load_and_say_how_good_they_are() -> None:
    for name in topic_names(MODELS):
        topic = load_topic(name, MODELS)
        assert topic.seeds
        assert 0 < topic.threshold("page") < 1
        assert len(topic.terms) > 500
        # Whoever changes the default trains them again: scripts/train_shipped_topics.py
        assert topic.manifest["learner"] == (load_preset(topic.preset).learner if topic.preset else LEARNERS[0])
        assert "warnings" in topic.manifest
    assert "recorded webs" in load_topic("university-courses", MODELS).note


def test_a_topic_s_file_suggests_no_delay_where_its_web_has_none(topic: Topic, tmp_path: Path) -> None:
    topic.settings.clear()
    assert "DOWNLOAD_DELAY" in (topic.save(tmp_path) / "topic.toml").read_text()
    topic.web = "demo"
    assert "DOWNLOAD_DELAY" not in (topic.save(tmp_path) / "topic.toml").read_text()
