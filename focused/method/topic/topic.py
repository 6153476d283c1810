"""`Topic`: what a crawl is about, and how it is written down."""

from __future__ import annotations

import hashlib
import io
import json
import os
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import tomlkit

from focused.method.learning.model import TopicModel, empty_model
from focused.method.page.link_context import WINDOW_CHARS
from focused.method.page.own_text import TEXTS, WHOLE
from focused.method.text.analyzer import COUNTING, TERMS, Analyzer
from focused.method.text.word_vectors import word_vectors_of
from focused.method.topic.examples import read_examples
from focused.method.topic.names import (
    EXAMPLES_FILE,
    LOOKED_AROUND,
    MANIFEST_FILE,
    MODEL_FILE,
    TOPIC_FILE,
    TopicError,
    check_topic_name,
    retrain_advice,
)
from focused.method.topic.product import UnitProduct
from focused.method.topic.weak_model import why_weak
from focused.utils.plugins import is_class_path

if TYPE_CHECKING:
    from pathlib import Path

    from focused.method.text.word_vectors import WordVectors
    from focused.method.topic.examples import TopicExamples

FORMAT = 1
"""Of ``model.npz`` and ``manifest.json``; raised whenever an older version could not read them rightly."""

# What the manifest says of the files is found out anew when they are written.
_OF_FILES = ("format", "topic", "model_sha256", "examples_sha256")


@dataclass
class Topic:
    """What a crawl is about, and the model that tells."""

    name: str
    title: str
    language: str
    seeds: list[str]
    strategy: str | None = None
    #: Web that the topic is crawled on unless another is named: ``live``, ``demo`` or the path of a WARC file.
    web: str = "live"
    note: str = ""
    #: Preset whose settings hold where neither the topic's own nor stronger ones do; empty: none.
    preset: str = ""
    #: Where links wait: `focused.method.topic.settings.SCHEDULERS`; empty: as the project says.
    scheduler: str = ""
    #: What limits its crawls, by the keys of `focused.method.topic.settings.SCOPE_SETTINGS`; lists as texts.
    scope: dict[str, str | int] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)
    #: The term of each column of the model's arrays.
    terms: list[str] = field(default_factory=list)
    model: TopicModel = field(default_factory=empty_model)
    #: All that the manifest says beyond what is needed to judge: figures, versions, digests, the training command.
    manifest: dict[str, Any] = field(default_factory=dict)
    #: Where it was loaded from; None where it was not.
    directory: Path | None = None

    @cached_property
    def examples(self) -> TopicExamples | None:
        """What the topic was learnt from, read when somebody asks for it; None of a topic that came without.

        Raises TopicError if the file is not the one that the manifest describes, or no examples.
        """
        digest = self.manifest.get("examples_sha256")
        if digest is None or self.directory is None:
            return None
        return read_examples(self.directory / EXAMPLES_FILE, str(digest), retrain_advice(self.name, self.manifest))

    @cached_property
    def analyzer(self) -> Analyzer:
        """Turns text of the topic's language into term ids."""
        return Analyzer(self.language)

    @property
    def learner(self) -> str:
        """Name of the learner that a training from a crawl uses.

        Raises TopicError if the manifest holds the path of a class. That says how the topic was learnt, and is not imported:
        a topic may come from a stranger.
        """
        learner = str(self.manifest.get("learner"))
        if is_class_path(learner):
            raise TopicError(
                f"Topic {self.name!r} was trained with the class {learner}, which is not imported from a topic's file. Make "
                "it an entry point of focused.learners and train with its name, or leave FOCUSED_RETRAINING off."
            )
        return learner

    @cached_property
    def product(self) -> UnitProduct:
        """The product of units with the model's coefficients (direction 0) and the topic vector (direction 1)."""
        ids = [TERMS.intern(term, always=True) for term in self.terms]
        columns = np.full(len(TERMS), -1, dtype=np.int32)
        columns[ids] = np.arange(len(ids))
        model = self.model
        return UnitProduct(columns, model.term_weights, np.stack([model.coef, model.topic_vector]), model.sublinear_tf)

    @property
    def keyword_terms(self) -> list[str]:
        """The terms of the words that the topic was made from; none of a topic from pages."""
        return [str(term) for term in self.manifest.get("examples", {}).get("keywords", {}).get("terms", [])]

    @property
    def named_terms(self) -> list[str]:
        """The terms of the words that name the topic beside its example pages; none where there are no such words."""
        return [str(term) for term in self.manifest.get("examples", {}).get("words", {}).get("terms", [])]

    @property
    def training_command(self) -> str:
        """The command that made the topic, or the beginning of one."""
        return str(self.manifest.get("command") or f"scrapy train {self.name} --positive PATH")

    @property
    def looked_at(self) -> dict[str, Any]:
        """What the manifest says of the pages around the seeds that it was trained with; empty if there were none."""
        found: dict[str, Any] = self.manifest.get("examples", {}).get(LOOKED_AROUND, {})
        return found

    @property
    def weakness(self) -> str:
        """Why the model can hardly tell the topic from the rest, by its training's figures; empty if it can.

        The figures say nothing of a topic that was trained against pages that a crawl met: some of these are of the topic.
        """
        if (self.manifest.get("retraining") or {}).get("n_drawn"):
            return ""
        # Nor do those against the few pages around the seeds; those before do.
        return why_weak(self.looked_at.get("figures_before") or self.manifest.get("figures") or {})

    @property
    def page_text(self) -> str:
        """The text that pages are judged by: the one that the topic was learnt from (`focused.method.page.own_text`)."""
        text = str(self.manifest.get("page_text", WHOLE))
        return text if text in TEXTS else WHOLE

    @property
    def window_chars(self) -> int:
        """Characters on each side of an anchor in the window contexts of the topic's examples."""
        found = self.manifest.get("window_chars", WINDOW_CHARS.default)
        return found if isinstance(found, int) and found >= 0 else WINDOW_CHARS.default

    @property
    def word_vectors(self) -> WordVectors | None:
        """Vectors of the words of its language, if it was learnt with vectors; those of today, should they be others."""
        return self.vectors_of_language if "word_vectors" in self.manifest else None

    @property
    def vectors_of_language(self) -> WordVectors | None:
        """Vectors of the words of its language, whether it was learnt with vectors or not; None where there are none."""
        return word_vectors_of(self.language)

    @property
    def model_sha256(self) -> str:
        """Digest of the model file."""
        return str(self.manifest.get("model_sha256", ""))

    def threshold(self, kind: str) -> float:
        """Return the relevance from which a unit of a kind is relevant."""
        return self.model.threshold(kind)

    def save(self, models_dir: Path) -> Path:
        """Write the topic's directory and return it. If it cannot be written, the topic that was there stays whole."""
        directory = models_dir / check_topic_name(self.name)
        model, examples = self.model, None if self.examples is None else self.examples.to_bytes()
        directory.mkdir(parents=True, exist_ok=True)
        buffer = io.BytesIO()
        np.savez_compressed(
            buffer,
            terms=np.array([term.encode() for term in self.terms], dtype=np.bytes_),
            idf=model.term_weights.astype(np.float32),
            coef=model.coef.astype(np.float32),
            topic_vector=model.topic_vector.astype(np.float32),
        )
        self.manifest = {
            "format": FORMAT,
            "topic": self.name,
            "language": self.language,
            "intercept": model.intercept,
            "sublinear_tf": model.sublinear_tf,
            "counting": COUNTING,
            "calibrations": {kind: asdict(calibration) for kind, calibration in model.calibrations.items()},
            **{key: value for key, value in self.manifest.items() if key not in _OF_FILES},
            "model_sha256": hashlib.sha256(buffer.getvalue()).hexdigest(),
        }
        if examples is not None:
            self.manifest["examples_sha256"] = hashlib.sha256(examples).hexdigest()
        _write(
            directory,
            {
                MODEL_FILE: buffer.getvalue(),
                EXAMPLES_FILE: examples,
                MANIFEST_FILE: (json.dumps(self.manifest, indent=2, ensure_ascii=False) + "\n").encode(),
                TOPIC_FILE: self._toml().encode(),
            },
        )
        return directory

    def _toml(self) -> str:
        document = tomlkit.document()
        document.add(tomlkit.comment(f"What a crawl for {self.name} is about. Edit freely; the model is beside it."))
        document["title"] = self.title
        if self.note:
            document["note"] = self.note
        document["language"] = self.language
        for name in ("preset", "strategy", "scheduler"):
            if value := getattr(self, name):
                document[name] = value
        if self.web != "live":
            document["web"] = self.web
        document["seeds"] = tomlkit.item(self.seeds).multiline(True)
        if self.scope:
            document["scope"] = self.scope
        table = tomlkit.table()
        # Where a web answers from this machine no delay counts.
        example = "DOWNLOAD_DELAY = 2.0" if self.web == "live" else "DEPTH_LIMIT = 5; delays do not count on its web"
        table.comment(f"Scrapy settings for this topic, e.g. {example}")
        for key, value in self.settings.items():
            table[key] = value
        document["settings"] = table
        return tomlkit.dumps(document)


def _write(directory: Path, files: dict[str, bytes | None]) -> None:
    """Write files that belong together, and remove those that are None.

    All are written under other names first: a model is of use with its own manifest only, and a full disk must not leave
    a new one beside an old one. The names are those of this process, for another may be training the same topic.
    """
    parts = {name: directory / f"{name}.{os.getpid()}.part" for name, data in files.items() if data is not None}
    try:
        for name, part in parts.items():
            part.write_bytes(files[name] or b"")
        for name in files:
            if name in parts:
                parts[name].replace(directory / name)
            else:
                (directory / name).unlink(missing_ok=True)
    except OSError as error:  # that of a full disk names no file
        raise OSError(error.errno, error.strerror, str(directory)) from error
    finally:
        for part in parts.values():
            part.unlink(missing_ok=True)
