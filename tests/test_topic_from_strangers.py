"""A topic's directory from a stranger: what is wrong is one line, and nothing is waited for."""

from __future__ import annotations

import hashlib
import json
import os
import zipfile
from typing import TYPE_CHECKING

import hand_made
import numpy as np
import pytest

from focused.method.topic import load_topic
from focused.method.topic.names import TopicError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

HUGE = "1" + "0" * 400


@pytest.fixture
def topic(tmp_path: Path) -> Path:
    return hand_made.topic("stars").save(tmp_path)


def refused(topic: Path) -> str:
    with pytest.raises(TopicError) as error:
        load_topic("stars", topic.parent)
    line = str(error.value)
    assert len(line.splitlines()) == 1
    assert len(line) < 700
    return line


def sign(topic: Path) -> None:
    """Let the manifest describe the model that is there."""
    digest = hashlib.sha256((topic / "model.npz").read_bytes()).hexdigest()
    write_manifest(topic, json.loads((topic / "manifest.json").read_text()) | {"model_sha256": digest})


def write_manifest(topic: Path, manifest: dict) -> None:
    (topic / "manifest.json").write_text(json.dumps(manifest).replace('"HUGE"', HUGE))


@pytest.mark.parametrize("name", ["topic.toml", "manifest.json", "model.npz"])
@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.symlink_to("/dev/zero"), lambda path: path.mkdir()])
def test_what_is_no_regular_file_is_not_opened(topic: Path, name: str, make: Callable[[Path], None]) -> None:
    (topic / name).unlink()
    make(topic / name)
    assert f"{name} cannot be read: it must be a regular file" in refused(topic)


@pytest.mark.parametrize(
    "make", [os.mkfifo, lambda path: path.symlink_to("/dev/zero"), lambda path: path.symlink_to("gone"), os.mkdir, None]
)
def test_no_other_topic_of_the_name_is_loaded_in_its_place(
    topic: Path, tmp_path: Path, make: Callable[[Path], None] | None
) -> None:
    shipped = hand_made.topic("stars").save(tmp_path / "shipped")
    (topic / "topic.toml").unlink()
    if make is not None:
        make(topic / "topic.toml")
    with pytest.raises(TopicError, match=r"topic\.toml cannot be read"):
        load_topic("stars", topic.parent, shipped.parent)


@pytest.mark.parametrize("weight", [np.nan, np.inf, -1e300])
@pytest.mark.parametrize("array", ["idf", "coef", "topic_vector"])
def test_weights_that_no_training_gives_are_refused(topic: Path, array: str, weight: float) -> None:
    with np.load(topic / "model.npz") as archive:
        arrays = {key: archive[key] for key in archive.files}
    arrays[array] = arrays[array].astype(np.float64)
    arrays[array][1] = weight
    np.savez(topic / "model.npz", **arrays)
    sign(topic)
    assert "not all weights are numbers" in refused(topic)


@pytest.mark.parametrize(
    ("offset", "value", "fault"), [(8, 1, "is encrypted"), (10, 1, "by method 1"), (10, 97, "by method 97")]
)
def test_members_that_cannot_be_unpacked_are_named(topic: Path, offset: int, value: int, fault: str) -> None:
    data = bytearray((topic / "model.npz").read_bytes())
    data[data.index(b"PK\1\2") + offset] = value
    (topic / "model.npz").write_bytes(data)
    sign(topic)
    assert fault in refused(topic)


def test_members_that_are_no_arrays_are_named(topic: Path) -> None:
    with zipfile.ZipFile(topic / "model.npz", "w") as archive:
        for name in ("terms", "idf", "coef", "topic_vector"):
            archive.writestr(f"{name}.npy", b"no array")
    sign(topic)
    assert "is no array" in refused(topic)


@pytest.mark.parametrize(
    "change",
    [
        {"intercept": "HUGE"},
        {"intercept": 1e300},
        {"format": "HUGE"},
        {"language": "HUGE"},
        {"examples": [1]},
        {"examples": {"keywords": "x"}},
        {"figures": "HUGE"},
        {"format": 0, "command": "scrapy train stars \nsudo"},
    ],
)
def test_a_manifest_with_values_that_none_has_is_refused(topic: Path, change: dict) -> None:
    write_manifest(topic, json.loads((topic / "manifest.json").read_text()) | change)
    assert "Error(" not in refused(topic), "names of Python's exceptions are no words for a person"


@pytest.mark.parametrize("text", ["[" * 200_000, '{"a":' * 100_000, "1" * 5000, "1," * 2_600_000])
def test_json_that_is_deep_or_long_is_refused(topic: Path, text: str) -> None:
    (topic / "manifest.json").write_text(text)
    assert "manifest.json cannot be read" in refused(topic)


@pytest.mark.parametrize(
    "text", ["seeds = " + "[" * 50_000, "settings" + ".a" * 800 + " = 1", "title = " + "1" * 5000, "#" * 1_000_001]
)
def test_toml_that_is_deep_or_long_is_refused(topic: Path, text: str) -> None:
    (topic / "topic.toml").write_text(text)
    assert "topic.toml" in refused(topic)
