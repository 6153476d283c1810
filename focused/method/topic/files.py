"""Reads a topic from its directory, and checks it: nothing in it is taken on trust."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import tomlkit
from tomlkit.exceptions import TOMLKitError

from focused.method.learning.calibration import KINDS, Calibration
from focused.method.learning.model import TopicModel
from focused.method.text.languages import language
from focused.method.topic.archive import UNREADABLE, arrays_of, read_described
from focused.method.topic.names import (
    MANIFEST_FILE,
    MODEL_FILE,
    TOPIC_FILE,
    TopicError,
    check_topic_name,
    retrain_advice,
    topic_names,
)
from focused.method.topic.presets import check_preset
from focused.method.topic.settings import SCHEDULERS, check_scope, check_setting, refuse_class_path
from focused.method.topic.topic import FORMAT, Topic
from focused.utils.files import read_regular

if TYPE_CHECKING:
    from pathlib import Path

MAX_MODEL_BYTES = 200_000_000  # also unpacked: a small archive can hold an endless array
MAX_MANIFEST_BYTES = 5_000_000
MAX_TOPIC_FILE_BYTES = 1_000_000
"""20,000 seeds; TOML of this length is read in 2 seconds."""
MAX_WEIGHT = 1e9
"""Of a model's numbers, without their sign: products of larger ones could become infinite."""
_TABLES = ("figures", "retraining", "adaptation", "examples", "examples.keywords", "examples.words")
"""Of the manifest; each may be missing."""

_ARRAYS = ("terms", "idf", "coef", "topic_vector")
_TEXTS = {"note": "", "language": "en", "strategy": "", "web": "live", "preset": "", "scheduler": ""}
_KEYS = ("title", *_TEXTS, "seeds", "scope", "settings")


def load_topic(name: str, *models_dirs: Path) -> Topic:
    """Load a topic from the first folder that has it, however damaged, and check it: never another one of its name.

    Raises TopicError if there is none of that name, or if anything about it is not as it must be.
    """
    check_topic_name(name)
    files = TOPIC_FILE, MANIFEST_FILE, MODEL_FILE
    directory = next(
        (folder / name for folder in models_dirs if any(os.path.lexists(folder / name / file) for file in files)), None
    )
    if directory is None:
        known = ", ".join(topic_names(*models_dirs)) or "none"
        raise TopicError(
            f"No topic {name!r} in {' or '.join(map(str, models_dirs))}. Known topics: {known}. "
            f"Train one: scrapy train {name} --positive PATH"
        )
    topic = _read_toml(name, directory / TOPIC_FILE)
    manifest = _read_manifest(name, directory / MANIFEST_FILE)
    advice = retrain_advice(name, manifest)
    if manifest.get("format") != FORMAT:
        raise TopicError(
            f"The model of topic {name!r} is of format {_short(manifest.get('format'))}, this version reads {FORMAT}. {advice}"
        )
    arrays = _read_model(name, directory / MODEL_FILE, str(manifest.get("model_sha256")), advice)
    try:
        if manifest["topic"] != name:
            raise TopicError(
                f"{directory} must hold a model of topic {name!r}. Its {MANIFEST_FILE} is of topic "
                f"{_short(manifest['topic'])}: a copied or renamed folder. Give it back its "
                f"name, or train: scrapy train {name} --positive PATH --force"
            )
        if manifest["language"] != topic.language:
            raise TopicError(
                f"The model of topic {name!r} was made for language {_short(manifest['language'])}; {TOPIC_FILE} says "
                f"{topic.language!r}. {advice}"
            )
        topic.model = TopicModel(
            sublinear_tf=bool(manifest["sublinear_tf"]),
            term_weights=arrays["idf"].astype(np.float64),
            coef=arrays["coef"].astype(np.float64),
            intercept=_finite(manifest["intercept"]),
            topic_vector=arrays["topic_vector"].astype(np.float64),
            calibrations={kind: _calibration(kind, manifest["calibrations"][kind]) for kind in KINDS},
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise TopicError(f"{directory / MANIFEST_FILE} is not a manifest: {_in_words(error)}. {advice}") from None
    topic.terms = [term.decode("utf-8", "replace") for term in arrays["terms"].tolist()]
    topic.manifest = {**manifest, "counting": manifest.get("counting", 1)}  # the first did not say
    if "adaptation" in manifest:  # its name before it was called retraining
        topic.manifest["retraining"] = topic.manifest.pop("adaptation")
    topic.directory = directory
    return topic


def _in_words(error: Exception) -> str:
    """Return what is wrong with a manifest, without names of Python's exceptions."""
    return f"it has no {error}" if isinstance(error, KeyError) else str(error)


def read_topic_file(name: str, models_dir: Path) -> Topic:
    """Return what people wrote about a topic, without its model.

    Raises TopicError if there is no such file, or if anything about it is not as it must be.
    """
    return _read_toml(name, models_dir / check_topic_name(name) / TOPIC_FILE)


def _finite(value: Any) -> float:
    # Compared as it is: a whole number of 400 digits is no float.
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not -MAX_WEIGHT <= value <= MAX_WEIGHT:
        raise TypeError(f"{_short(value)} is no number from {-MAX_WEIGHT:.0e} to {MAX_WEIGHT:.0e}")
    return float(value)


def _calibration(kind: str, values: dict[str, Any]) -> Calibration:
    numbers: dict[str, Any] = {name: _finite(value) for name, value in values.items() if name != "kind"}
    calibration = Calibration(kind=values["kind"], **numbers)
    is_right = calibration.kind == kind and 0 < calibration.prior < 1 and 0 < calibration.threshold <= 1
    if not is_right or calibration.half_terms <= 0 or calibration.slope < 0:
        raise TypeError(f"calibration of {kind} is out of range")
    return calibration


def _short(value: Any) -> str:
    """Return a value for a message, which is one line of a bearable length.

    >>> _short(7), len(_short(10**400))
    ('7', 63)
    """
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]}..."


def _read_toml(name: str, path: Path) -> Topic:
    try:
        document = tomlkit.parse(read_regular(path, MAX_TOPIC_FILE_BYTES).decode()).unwrap()
    except (TOMLKitError, ValueError, OSError, RecursionError) as error:
        raise TopicError(f"{path} cannot be read: {error}. Correct it, or retrain the topic.") from None
    unknown = sorted(set(document) - set(_KEYS))
    if unknown:
        raise TopicError(f"{path} has the unknown key {_short(unknown[0])}. Known keys: {', '.join(_KEYS)}.")
    settings = document.get("settings", {})
    if not isinstance(settings, dict):
        raise TopicError(f"settings in {path} must be a table. Got {_short(settings)}. Example: [settings]")
    for key in settings:
        check_setting(key, settings[key], path)
    scope = check_scope(document.get("scope", {}), settings, path)
    seeds = document.get("seeds", [])
    if not isinstance(seeds, list) or not all(isinstance(seed, str) for seed in seeds):
        raise TopicError(f"seeds in {path} must be a list of URLs. Got {_short(seeds)}.")
    texts: dict[str, Any] = {}
    for key, default in {"title": name, **_TEXTS}.items():
        texts[key] = document.get(key, default)
        if not isinstance(texts[key], str):
            raise TopicError(f"{key} in {path} must be a text in quotes. Got {_short(texts[key])}.")
    refuse_class_path(texts["strategy"], path)
    if texts["scheduler"] not in ("", *SCHEDULERS):
        raise TopicError(f"scheduler in {path} must be {' or '.join(SCHEDULERS)}. Got {_short(texts['scheduler'])}.")
    try:
        language(texts["language"])
        if "preset" in document:
            check_preset(texts["preset"])
    except ValueError as error:
        raise TopicError(f"{path}: {error}") from None
    texts["strategy"] = texts["strategy"] or None
    return Topic(name, seeds=seeds, settings=settings, scope=scope, **texts)


def _read_manifest(name: str, path: Path) -> dict[str, Any]:
    try:
        manifest = json.loads(read_regular(path, MAX_MANIFEST_BYTES))
    except (ValueError, OSError, RecursionError) as error:
        raise TopicError(f"{path} cannot be read: {error}. {retrain_advice(name, {})}") from None
    if not isinstance(manifest, dict):
        raise TopicError(f"{path} must hold a JSON object. {retrain_advice(name, {})}")
    for key in _TABLES:
        value: Any = manifest
        for part in key.split("."):
            value = value.get(part, {})
        if not isinstance(value, dict):
            raise TopicError(f"{key} in {path} must be a JSON object. Got {_short(value)}. {retrain_advice(name, {})}")
    return manifest


def _read_model(name: str, path: Path, sha256: str, advice: str) -> dict[str, npt.NDArray[Any]]:
    data = read_described(path, sha256, MAX_MODEL_BYTES, ("that is no model", MANIFEST_FILE), advice)
    try:
        arrays = arrays_of(data, MAX_MODEL_BYTES, _ARRAYS)
    except UNREADABLE as error:
        raise TopicError(f"{path} is no model file: {error}. {advice}") from None
    n_terms = len(arrays["terms"]) if arrays["terms"].ndim == 1 else 0
    right = (
        arrays["terms"].dtype.kind == "S"
        and all(
            arrays[key].shape == (n_terms,)
            and arrays[key].dtype.kind == "f"
            and (np.abs(arrays[key]) <= MAX_WEIGHT).all()  # false of NaN
            for key in _ARRAYS[1:]
        )
    )
    if not right or not n_terms:
        raise TopicError(
            f"{path} holds no usable model: its arrays do not fit together, or not all weights are numbers "
            f"from {-MAX_WEIGHT:.0e} to {MAX_WEIGHT:.0e}. {advice}"
        )
    return arrays
