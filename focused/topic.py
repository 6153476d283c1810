"""A topic: one directory of the models folder, with what to crawl for and how to tell. No pickle, no HTML, no Scrapy.

``topic.toml`` is written by people, ``manifest.json`` says what the model was made from, ``model.npz`` holds its
numbers. A topic may come from a stranger: its name cannot leave the folder, its settings are an allow-list, and its
model is arrays of numbers that are checked against the manifest before they are used.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
import re
import zipfile
import zlib
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import tomlkit
from tomlkit.exceptions import ParseError

from focused.learning.calibration import KINDS, Calibration
from focused.text.analyzer import TERMS, Analyzer
from focused.text.languages import language
from focused.text.product import UnitProduct

if TYPE_CHECKING:
    from pathlib import Path

FORMAT = 1
"""Of ``model.npz`` and ``manifest.json``; raised whenever an older version could not read them rightly."""

TOPIC_FILE, MANIFEST_FILE, MODEL_FILE = "topic.toml", "manifest.json", "model.npz"
MAX_MODEL_BYTES = 200_000_000  # also unpacked: a small archive can hold an endless array
MAX_TEXT_FILE_BYTES = 5_000_000

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_ARRAYS = ("terms", "idf", "coef", "topic_vector")

# Paths on the machine and what a topic cannot know; every other FOCUSED_ setting may stand in a topic.
_FORBIDDEN_SETTINGS = re.compile(r"FOCUSED_.*(_DIR|_ENABLED)|FOCUSED_(WEB|TOPIC)")
_ALLOWED_SETTINGS = frozenset(
    "AUTOTHROTTLE_ENABLED AUTOTHROTTLE_MAX_DELAY AUTOTHROTTLE_START_DELAY AUTOTHROTTLE_TARGET_CONCURRENCY "
    "CLOSESPIDER_ERRORCOUNT CLOSESPIDER_TIMEOUT CONCURRENT_REQUESTS CONCURRENT_REQUESTS_PER_DOMAIN COOKIES_ENABLED "
    "DEPTH_LIMIT DNS_TIMEOUT DOWNLOAD_DELAY DOWNLOAD_DELAY_JITTER DOWNLOAD_MAXSIZE DOWNLOAD_TIMEOUT DOWNLOAD_WARNSIZE "
    "REDIRECT_MAX_TIMES RETRY_TIMES ROBOTSTXT_OBEY ROBOTSTXT_USER_AGENT USER_AGENT".split()
)
_TEXT_SETTINGS = frozenset({"USER_AGENT", "ROBOTSTXT_USER_AGENT"})
_SWITCHES = frozenset(
    {"AUTOTHROTTLE_ENABLED", "COOKIES_ENABLED", "RANDOMIZE_DOWNLOAD_DELAY", "ROBOTSTXT_OBEY"}
)
_KEYS = ("title", "note", "language", "seeds", "strategy", "web", "settings")


class TopicError(ValueError):
    """A topic cannot be used; the message says why and what to do."""


def check_topic_name(name: str) -> str:
    """Return a topic's name if it is one.

    Raises
    ------
    TopicError
        If it could not be the name of a directory of the models folder.
    """
    if not _NAME.fullmatch(name):
        shown = name if len(name) <= 80 else f"{name[:80]}... ({len(name)} characters)"
        raise TopicError(
            f"A topic's name must be 1 to 64 lower-case letters, digits, '-' and '_', and begin with a letter or digit. "
            f"Got {shown!r}. Example: solar-energy."
        )
    return name


def topic_names(models_dir: Path) -> list[str]:
    """Return the names of the topics in a models folder."""
    return sorted(path.parent.name for path in models_dir.glob(f"*/{TOPIC_FILE}") if _NAME.fullmatch(path.parent.name))


def is_topic_setting(name: str) -> bool:
    """Tell whether a topic may set a Scrapy setting."""
    if name.startswith("FOCUSED_"):
        return not _FORBIDDEN_SETTINGS.fullmatch(name)
    return name in _ALLOWED_SETTINGS


@dataclass
class Topic:
    """What a crawl is about.

    The model maps a text unit to a decision value: with f the count of a vocabulary term, tf = f (or 1 + ln f),
    x = tf * idf, the decision is intercept + (x / ||x||) . coef. Calibrations turn decisions into relevances.
    """

    name: str
    title: str
    language: str
    seeds: list[str]
    strategy: str | None = None
    #: Web that the topic is crawled on unless another is named: ``live``, ``demo`` or the path of a WARC file.
    web: str = "live"
    note: str = ""
    settings: dict[str, Any] = field(default_factory=dict)
    terms: list[str] = field(default_factory=list)
    idf: npt.NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    coef: npt.NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    topic_vector: npt.NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    intercept: float = 0.0
    sublinear_tf: bool = False
    calibrations: dict[str, Calibration] = field(default_factory=dict)
    #: All that the manifest says beyond what is needed to judge: figures, versions, digests, the training command.
    manifest: dict[str, Any] = field(default_factory=dict)

    @cached_property
    def analyzer(self) -> Analyzer:
        """Turns text of the topic's language into term ids."""
        return Analyzer(self.language)

    @cached_property
    def product(self) -> UnitProduct:
        """The product of units with the model's coefficients (direction 0) and the topic vector (direction 1)."""
        ids = [TERMS.intern(term, always=True) for term in self.terms]
        columns = np.full(len(TERMS), -1, dtype=np.int32)
        columns[ids] = np.arange(len(ids))
        return UnitProduct(columns, self.idf, np.stack([self.coef, self.topic_vector]), self.sublinear_tf)

    @property
    def model_sha256(self) -> str:
        """Digest of the model file."""
        return str(self.manifest.get("model_sha256", ""))

    def threshold(self, kind: str) -> float:
        """Return the relevance from which a unit of a kind is relevant."""
        return self.calibrations[kind].threshold

    def save(self, models_dir: Path) -> Path:
        """Write the topic's directory and return it. Files are complete or not there at all."""
        directory = models_dir / check_topic_name(self.name)
        directory.mkdir(parents=True, exist_ok=True)
        buffer = io.BytesIO()
        np.savez_compressed(
            buffer,
            terms=np.array([term.encode() for term in self.terms], dtype=np.bytes_),
            idf=self.idf.astype(np.float32),
            coef=self.coef.astype(np.float32),
            topic_vector=self.topic_vector.astype(np.float32),
        )
        self.manifest = {
            "format": FORMAT,
            "topic": self.name,
            "language": self.language,
            "intercept": self.intercept,
            "sublinear_tf": self.sublinear_tf,
            "calibrations": {kind: asdict(calibration) for kind, calibration in self.calibrations.items()},
            **{key: value for key, value in self.manifest.items() if key not in ("format", "topic", "model_sha256")},
            "model_sha256": hashlib.sha256(buffer.getvalue()).hexdigest(),
        }
        _write(directory / MODEL_FILE, buffer.getvalue())
        _write(directory / MANIFEST_FILE, (json.dumps(self.manifest, indent=2, ensure_ascii=False) + "\n").encode())
        _write(directory / TOPIC_FILE, self._toml().encode())
        return directory

    def _toml(self) -> str:
        document = tomlkit.document()
        document.add(tomlkit.comment(f"What a crawl for {self.name} is about. Edit freely; the model is beside it."))
        document["title"] = self.title
        if self.note:
            document["note"] = self.note
        document["language"] = self.language
        if self.strategy:
            document["strategy"] = self.strategy
        if self.web != "live":
            document["web"] = self.web
        document["seeds"] = tomlkit.item(self.seeds).multiline(True)
        table = tomlkit.table()
        table.comment("Scrapy settings for this topic, e.g. DOWNLOAD_DELAY = 2.0")
        for key, value in self.settings.items():
            table[key] = value
        document["settings"] = table
        return tomlkit.dumps(document)


def load_topic(name: str, models_dir: Path) -> Topic:
    """Load a topic and check it.

    Raises
    ------
    TopicError
        If there is none of that name, or if anything about it is not as it must be.
    """
    directory = models_dir / check_topic_name(name)
    if not (directory / TOPIC_FILE).is_file():
        known = ", ".join(topic_names(models_dir)) or "none"
        raise TopicError(
            f"No topic {name!r} in {models_dir}. Known topics: {known}. Train one: scrapy train {name} --positive PATH"
        )
    topic = _read_toml(name, directory / TOPIC_FILE)
    manifest = _read_manifest(name, directory / MANIFEST_FILE)
    again = _again(name, manifest)
    if manifest.get("format") != FORMAT:
        raise TopicError(
            f"The model of topic {name!r} is of format {manifest.get('format')!r}, this version reads {FORMAT}. {again}"
        )
    arrays = _read_model(name, directory / MODEL_FILE, str(manifest.get("model_sha256")), again)
    try:
        if manifest["topic"] != name or manifest["language"] != topic.language:
            raise TopicError(
                f"The model of topic {name!r} was made for topic {manifest['topic']!r}, language "
                f"{manifest['language']!r}; {TOPIC_FILE} says {topic.language!r}. {again}"
            )
        topic.intercept = _finite(manifest["intercept"])
        topic.sublinear_tf = bool(manifest["sublinear_tf"])
        topic.calibrations = {kind: _calibration(kind, manifest["calibrations"][kind]) for kind in KINDS}
    except (KeyError, TypeError, AttributeError) as error:
        raise TopicError(f"{directory / MANIFEST_FILE} is not a manifest: {error!r}. {again}") from None
    topic.terms = [term.decode("utf-8", "replace") for term in arrays["terms"].tolist()]
    topic.idf, topic.coef, topic.topic_vector = (arrays[key].astype(np.float64) for key in _ARRAYS[1:])
    topic.manifest = manifest
    return topic


def read_topic_file(name: str, models_dir: Path) -> Topic:
    """Return what people wrote about a topic, without its model.

    Raises
    ------
    TopicError
        If there is no such file, or if anything about it is not as it must be.
    """
    return _read_toml(name, models_dir / check_topic_name(name) / TOPIC_FILE)


def _again(name: str, manifest: dict[str, Any]) -> str:
    """Return how to retrain a topic: by the command that made it, if it is one."""
    command = manifest.get("command")
    if not isinstance(command, str) or not command.startswith(f"scrapy train {name} "):
        command = f"scrapy train {name} --positive PATH"
    return f"Retrain it: {command} --force"


def _finite(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise TypeError(f"{value!r} is no finite number")
    return float(value)


def _calibration(kind: str, values: dict[str, Any]) -> Calibration:
    calibration = Calibration(**{name: value if name == "kind" else _finite(value) for name, value in values.items()})
    if calibration.kind != kind or not 0 < calibration.prior < 1 or not 0 < calibration.threshold <= 1:
        raise TypeError(f"calibration of {kind} is out of range")
    if calibration.half_terms <= 0 or calibration.slope < 0:
        raise TypeError(f"calibration of {kind} is out of range")
    return calibration


def _read_file(path: Path) -> bytes:
    if path.stat().st_size > MAX_TEXT_FILE_BYTES:
        raise ValueError(f"it is larger than {MAX_TEXT_FILE_BYTES:,} bytes")
    return path.read_bytes()


def _read_toml(name: str, path: Path) -> Topic:
    try:
        document = tomlkit.parse(_read_file(path).decode()).unwrap()
    except (ParseError, ValueError, OSError, RecursionError) as error:
        raise TopicError(f"{path} cannot be read: {error}. Correct it, or retrain the topic.") from None
    unknown = sorted(set(document) - set(_KEYS))
    if unknown:
        raise TopicError(f"{path} has the unknown key {unknown[0]!r}. Known keys: {', '.join(_KEYS)}.")
    settings = document.get("settings", {})
    if not isinstance(settings, dict):
        raise TopicError(f"settings in {path} must be a table. Got {settings!r}. Example: [settings]")
    for key in settings:
        if not is_topic_setting(key):
            raise TopicError(
                f"A topic may not set {key}, as {path} does. It may set FOCUSED_* (but no folders, no web and no "
                f"switches) and {', '.join(sorted(_ALLOWED_SETTINGS))}. Use -s {key}=... on the command line instead."
            )
        _check_setting(key, settings[key], path)
    seeds = document.get("seeds", [])
    if not isinstance(seeds, list) or not all(isinstance(seed, str) for seed in seeds):
        raise TopicError(f"seeds in {path} must be a list of URLs. Got {seeds!r}.")
    texts = {}
    for key, default in (("title", name), ("note", ""), ("language", "en"), ("strategy", ""), ("web", "live")):
        texts[key] = document.get(key, default)
        if not isinstance(texts[key], str):
            raise TopicError(f"{key} in {path} must be a text in quotes. Got {texts[key]!r}.")
    try:
        language(texts["language"])
    except ValueError as error:
        raise TopicError(f"{path}: {error}") from None
    return Topic(
        name, texts["title"], texts["language"], seeds, texts["strategy"] or None, texts["web"], texts["note"], settings
    )


def _check_setting(key: str, value: Any, path: Path) -> None:
    """Refuse a value that Scrapy would stumble over later."""
    if key in _TEXT_SETTINGS:
        right, kind = isinstance(value, str) and value.isprintable(), "a text"
    elif key in _SWITCHES:
        right, kind = isinstance(value, bool), "true or false"
    elif key in _ALLOWED_SETTINGS:
        right = isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < math.inf
        kind = "a number of at least 0"
    else:
        right, kind = isinstance(value, (bool, int, float, str)), "a number, a text, true or false"
    if not right:
        raise TopicError(f"{key} in {path} must be {kind}. Got {value!r}.")


def _read_manifest(name: str, path: Path) -> dict[str, Any]:
    try:
        manifest = json.loads(_read_file(path))
    except (ValueError, OSError, RecursionError) as error:
        raise TopicError(
            f"{path} cannot be read: {error}. Retrain it: scrapy train {name} --force --positive PATH"
        ) from None
    if not isinstance(manifest, dict):
        raise TopicError(f"{path} must hold a JSON object. Retrain it: scrapy train {name} --force --positive PATH")
    return manifest


def _read_model(name: str, path: Path, sha256: str, again: str) -> dict[str, npt.NDArray[Any]]:
    try:
        if path.stat().st_size > MAX_MODEL_BYTES:
            raise TopicError(f"{path} is larger than {MAX_MODEL_BYTES:,} bytes; that is no model. {again}")
        data = path.read_bytes()
    except OSError as error:
        raise TopicError(f"{path} cannot be read: {error}. {again}") from None
    if hashlib.sha256(data).hexdigest() != sha256:
        raise TopicError(
            f"{path} is not the file that {MANIFEST_FILE} describes: it is damaged, was changed, or belongs to another "
            f"model. {again}"
        )
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            n_bytes = sum(entry.file_size for entry in archive.infolist())
        if n_bytes > MAX_MODEL_BYTES:
            raise ValueError(f"unpacked it is larger than {MAX_MODEL_BYTES:,} bytes")
        with np.load(io.BytesIO(data), allow_pickle=False) as archive:
            arrays = {key: archive[key] for key in _ARRAYS}
    except (ValueError, KeyError, OSError, zipfile.BadZipFile, zlib.error, EOFError, MemoryError) as error:
        raise TopicError(f"{path} is no model file: {error}. {again}") from None
    n_terms = len(arrays["terms"]) if arrays["terms"].ndim == 1 else 0
    right = arrays["terms"].dtype.kind == "S" and all(
        arrays[key].shape == (n_terms,) and arrays[key].dtype.kind == "f" and np.isfinite(arrays[key]).all()
        for key in _ARRAYS[1:]
    )
    if not right or not n_terms:
        raise TopicError(f"{path} holds no usable model: its arrays do not fit together. {again}")
    return arrays


def _write(path: Path, data: bytes) -> None:
    """Write a file under another name first, so that a crash leaves the old one."""
    temporary = path.with_name(path.name + ".part")
    try:
        temporary.write_bytes(data)
        temporary.replace(path)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise
