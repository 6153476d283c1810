"""The versions of a topic's model that a crawl made: one folder each in its run directory, and a list of all attempts.

Version 1 is the topic's own model. ``versions/N/TOPIC/`` is a topic like those of the models folder, so that a crawl can
be started with it. Versions that were refused are in the list only.
"""

from __future__ import annotations

import json
import logging
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from focused.method.topic import TopicError, load_topic
from focused.utils.file_names import VERSIONS_FILE, VERSIONS_FOLDER
from focused.utils.files import read_regular

if TYPE_CHECKING:
    from pathlib import Path

    from focused.method.topic import Topic

logger = logging.getLogger(__name__)

FOLDER = VERSIONS_FOLDER
LABELS_FILE = "labels.json"
FIRST = 1
AFTERWARDS = 0
"""Model version of pages that no version of the crawl has judged, but the topic as it was trained from it afterwards. A crawl
that is resumed judges them again by its own."""
_MAX_LABELS_BYTES = 100_000_000
_FORMER_FIELDS = {"n_doubtful": "n_label_noise", "n_new_side": "n_new_subtopic"}
"""Fields of an attempt that the version before this one wrote under other names."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """A training during a crawl, and its result."""

    version: int
    accepted: bool
    #: Why it was refused; empty where it was not.
    why: str = ""
    #: When it began, ISO 8601 in UTC.
    at: str = ""
    #: Pages judged by then.
    n_pages: int = 0
    n_positive: int = 0
    n_negative: int = 0
    n_verdicts: int = 0
    #: Verdicts that all other examples speak against; they were not learnt from. The first of them: `url`, `relevant`, `why`.
    n_label_noise: int = 0
    label_noise: list[dict[str, Any]] = field(default_factory=list)
    #: Judged pages that the correction by verdicts put on their side; verdicts that the model does not follow: how many, and
    #: of the first `url`, `relevant` and `why`.
    n_put_right: int = 0
    n_not_followed: int = 0
    not_followed: list[dict[str, Any]] = field(default_factory=list)
    #: Judged pages on the wrong side, each held out: `n_judged`, `new`, `first` (the topic's own model), `only_new`,
    #: `only_first`; empty without verdicts.
    errors_on_verdicts: dict[str, int] = field(default_factory=dict)
    #: Pages whose relevance the topic's own model contradicts; they were left out.
    n_contradicted: int = 0
    #: Pages that people want and the topic's own model calls irrelevant; unlabelled examples left aside for them.
    n_new_subtopic: int = 0
    n_left_aside: int = 0
    #: Against the pages met: how many are unlabelled ones, and how many of them were drawn.
    n_unlabeled: int = 0
    n_drawn: int = 0
    n_links: int = 0
    #: Estimated share of relevant pages among those met, and its 90 % interval: `share`, `low`, `high`; empty if unknown.
    harvest: dict[str, float] = field(default_factory=dict)
    #: Whether the examples come from other sites than the pages met: then nothing is said of the harvest.
    is_from_elsewhere: bool = False
    #: Whether none of the topic's words stands in any page met.
    no_word_met: bool = False
    #: The version it was compared with.
    in_use: int = FIRST
    #: Average precision on held-out examples: of this version, of the one in use, of the first.
    held_out: dict[str, float] = field(default_factory=dict)
    #: Share of the examples, kept apart, that a version against the pages met calls relevant; None: not known.
    recall: float | None = None
    #: What it decides about the held-out own examples, and what a model without pages of the crawl does.
    decisions: dict[str, dict[str, float]] = field(default_factory=dict)
    #: Seconds that the training took.
    seconds: float = 0.0

    def to_line(self) -> str:
        """Return one line of JSON."""
        return json.dumps(asdict(self), ensure_ascii=False)


def read_attempts(run_dir: Path) -> list[Attempt]:
    """Return the trainings of a run, in their order; lines that hold none are left out."""
    found = []
    try:
        lines = read_regular(run_dir / VERSIONS_FILE, _MAX_LABELS_BYTES).decode("utf-8", "replace").splitlines()
    except FileNotFoundError:
        return []
    for line in lines:
        with suppress(ValueError, TypeError, KeyError, AttributeError, RecursionError):
            found.append(attempt(json.loads(line)))
    return found


def attempt(values: dict[str, Any]) -> Attempt:
    """Return a training from the values of a JSON object; a ValueError, TypeError or KeyError if they are no training's."""
    present = {_FORMER_FIELDS.get(name, name): value for name, value in values.items()}
    made = Attempt(**{name: value for name, value in present.items() if name in Attempt.__slots__})
    if not isinstance(made.version, int) or not isinstance(made.accepted, bool) or made.version < FIRST:
        raise ValueError(f"{values!r} is no training.")
    return made


def version_in_use(attempts: list[Attempt]) -> int:
    """Return the last version that was accepted."""
    return max((each.version for each in attempts if each.accepted), default=FIRST)


def last_version(run_dir: Path) -> int:
    """Return the version that judged the collection when the crawl ended."""
    return max([version_in_use(read_attempts(run_dir)), *made_at_ends(run_dir)])


def warn_of_version_left(run_dir: Path) -> None:
    """Warn where a crawl is resumed without the model that it had trained."""
    attempts = read_attempts(run_dir)
    version = version_in_use(attempts)
    if version != FIRST:
        is_against_met = any(each.n_drawn for each in attempts)
        logger.warning(
            "This crawl used version %d of the model and is resumed without it: pages are judged by the topic's "
            "own, waiting links keep their scores. To use it, stop and add %s",
            version,
            "-s FOCUSED_UNLABELED=met"
            if is_against_met
            else "-s FOCUSED_RETRAINING=MODE (automatic, interactive or both)",
        )


def load_version(run_dir: Path, topic: Topic, version: int) -> Topic:
    """Load a version of a topic, checked as every topic is; a `TopicError` if it is not there, or not as it must be."""
    if version == FIRST:
        return topic
    folder = run_dir / FOLDER / str(version)
    if not (folder / topic.name).is_dir():
        raise TopicError(f"{folder / topic.name} is gone.")
    return load_topic(topic.name, folder)


def made_at_ends(run_dir: Path) -> list[int]:
    """Return the numbers of versions that were trained when the crawl ended: no list names them, and they have no labels."""
    folders = (run_dir / FOLDER).glob("*")
    return [int(each.name) for each in folders if each.name.isdecimal() and not (each / LABELS_FILE).exists()]


def read_labels(run_dir: Path, version: int) -> dict[int, bool]:
    """Return the labels that a version was trained with, by the pages' numbers; none for the first."""
    if version == FIRST:
        return {}
    values = json.loads(read_regular(run_dir / FOLDER / str(version) / LABELS_FILE, _MAX_LABELS_BYTES))
    return {int(number): label is True for number, label in values.items()}
