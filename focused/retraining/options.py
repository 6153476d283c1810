"""Checks the settings of retraining."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from focused.method.learning.learners import LEARNERS, may_lack_negatives
from focused.method.topic.judge import RELEVANCE_THRESHOLD
from focused.method.topic.names import check_counting
from focused.retraining.assumed_positives import with_assumed_positives
from focused.utils.parameters import parameter, read_parameters
from focused.utils.setting import SERVER, TOPIC, Setting

if TYPE_CHECKING:
    from collections.abc import Mapping

    from focused.method.topic import Topic

OFF = "off"
AUTO, MET, OF_TOPIC = "auto", "met", "topic"
MODES = (OFF, "automatic", "interactive", "both")

VERDICTS = Setting(
    "FOCUSED_VERDICTS",
    "",
    "A further file or folder of people's verdicts on pages, beside the folder `verdicts` of the run directory, which every "
    "crawl reads.",
    set_by=SERVER,
)


@dataclass(frozen=True)
class RetrainingOptions:
    """When pages join the examples, and when the model is trained again. The defaults are the paper's [I18, Sect. 4.1]."""

    mode: str = parameter(
        "FOCUSED_RETRAINING",
        OFF,
        "Which pages join the examples: by relevance, by verdicts, or by both.",
        choices=MODES,
        set_by=TOPIC,
    )
    t1: float = parameter(
        "FOCUSED_RETRAINING_T1",
        0.8,
        "Relevance from which a page joins the positives.",
        least=0,
        most=1,
        set_by=TOPIC,
    )
    t2: float = parameter(
        "FOCUSED_RETRAINING_T2",
        0.2,
        "Relevance up to which a page joins the negatives; less than FOCUSED_RETRAINING_T1.",
        least=0,
        most=1,
        set_by=TOPIC,
    )
    every_pages: int = parameter(
        "FOCUSED_RETRAINING_EVERY_PAGES",
        14,
        "Pages between two trainings; the paper's k.",
        least=1,
        set_by=TOPIC,
    )
    counts: str = parameter(
        "FOCUSED_RETRAINING_COUNTS",
        "judged",
        "Which pages count for FOCUSED_RETRAINING_EVERY_PAGES: every page judged, or only those that joined.",
        choices=("judged", "added"),
        set_by=TOPIC,
    )
    max_pages: int = parameter(
        "FOCUSED_RETRAINING_MAX_PAGES",
        2000,
        "Pages of each label that are learnt from, verdicts and the latest first, and pages kept for scoring their "
        "links "
        "again (some 70 kB each). Of ten times as many the words are written down.",
        least=1,
        set_by=TOPIC,
    )
    tolerance: float = parameter(
        "FOCUSED_RETRAINING_TOLERANCE",
        0.02,
        "How much less average precision on held-out examples a new model may have.",
        least=0,
        most=1,
        set_by=TOPIC,
    )
    has_veto: bool = parameter(
        "FOCUSED_RETRAINING_VETO",
        True,
        "False, as I18 alg. 2 is printed: every page past T1 or T2 joins, and every new model is used. "
        "True: pages "
        "that the topic's first model contradicts are left out, and models that decide worse are refused.",
        set_by=TOPIC,
    )
    filters_label_noise: bool = parameter(
        "FOCUSED_RETRAINING_DOUBTS",
        True,
        "Whether verdicts are left out that are more probably wrong than right, where 15 % or more of the verdicts are "
        "estimated to be wrong on both sides.",
        set_by=TOPIC,
    )
    exploration: float = parameter(
        "FOCUSED_RETRAINING_EXPLORATION",
        0.5,
        "With verdicts and a strategy that learns links (`adaptive`): largest share of the pages until the next "
        "training that "
        "may look for other subtopics, when the known ones run out.",
        least=0,
        most=1,
        set_by=TOPIC,
    )
    timeout_secs: float = parameter(
        "FOCUSED_RETRAINING_TIMEOUT_SECS",
        120.0,
        "Seconds after which a training is given up.",
        least=1,
        set_by=TOPIC,
    )
    waits: str = parameter(
        "FOCUSED_RETRAINING_WAIT",
        "offline",
        "Where the crawl pauses while a model is trained; `offline`: on recorded webs and the demo web.",
        choices=("offline", "always", "never"),
        set_by=TOPIC,
    )
    unlabeled: str = parameter(
        "FOCUSED_UNLABELED",
        AUTO,
        "What a crawl's model tells the topic from: the `topic`'s own unlabelled pages, or the pages `met` in the "
        "crawl, some "
        "of which are drawn to look around; `auto`: those met where a topic has a general background.",
        choices=(AUTO, MET, OF_TOPIC),
        set_by=TOPIC,
    )
    #: Where more verdicts come from than those of the run directory.
    verdicts: Path | None = None
    #: Relevance from which pages are relevant, by FOCUSED_RELEVANCE_THRESHOLD; None: as each model says.
    threshold: float | None = None

    def is_against_met(self, topic: Topic) -> bool:
        """Whether the model is trained against the pages met."""
        if self.unlabeled == AUTO:
            examples = topic.manifest.get("examples", {})
            # What people say of pages makes examples of a topic that has none: it is then trained from them.
            if topic.keyword_terms and (self.mode != OFF or "retraining" in topic.manifest):
                return False
            may = not self.is_automatic and not may_lack_negatives(_learner(topic))
            return may and "background" in examples
        return self.unlabeled == MET

    @property
    def is_automatic(self) -> bool:
        """Whether pages join by their relevance."""
        return self.mode in ("automatic", "both")

    @property
    def is_interactive(self) -> bool:
        """Whether pages join by people's verdicts."""
        return self.mode in ("interactive", "both")


def read_options(settings: Mapping[str, Any], topic: Topic | None = None) -> RetrainingOptions:
    """Return the options of retraining that settings describe, for a topic with examples.

    Raises
    ------
    ValueError
        If a setting is not what it must be, settings contradict each other, or the topic has nothing to be trained again from.
    """
    threshold = RELEVANCE_THRESHOLD.read(settings)
    verdicts, found = VERDICTS.read(settings), read_parameters(RetrainingOptions, settings)
    options = RetrainingOptions(**found, verdicts=Path(verdicts) if verdicts else None, threshold=threshold)
    if not options.t2 < options.t1:
        got = f"{options.t2:g} and {options.t1:g}"
        raise ValueError(f"FOCUSED_RETRAINING_T2 must be less than FOCUSED_RETRAINING_T1. Got {got}.")
    if options.unlabeled == MET and options.is_automatic:
        raise ValueError(
            "FOCUSED_UNLABELED=met is for FOCUSED_RETRAINING=off or interactive: pages that join by their relevance "
            "would be "
            f"learnt from twice. Got FOCUSED_RETRAINING={options.mode}."
        )
    if topic is not None and (options.mode != OFF or options.is_against_met(topic)):
        _check_topic(topic, options.mode, is_against_met=options.is_against_met(topic))
    return options


def _check_topic(topic: Topic, mode: str, *, is_against_met: bool) -> None:
    if is_against_met and topic.examples is not None and topic.keyword_terms:
        check_counting(topic.name, topic.manifest)
        if mode != OFF:
            raise ValueError(
                f"FOCUSED_UNLABELED=met learns from no verdicts where a topic was made from words, as {topic.name!r} "
                f"was. "
                f"Leave it at auto. Got FOCUSED_RETRAINING={mode}."
            )
        return
    if is_against_met and may_lack_negatives(_learner(topic)):
        raise ValueError(
            f"FOCUSED_UNLABELED=met needs a learner that does without reliable negatives: the few pages that a crawl "
            f"has met "
            f"hold too few. Topic {topic.name!r} was trained with {_learner(topic)}. Leave FOCUSED_UNLABELED at auto, "
            f"or train "
            f"the topic with {LEARNERS[0]}."
        )
    learnable = with_assumed_positives(topic)
    examples = learnable.examples
    if examples is None or examples.positive.sum() < 3:
        raise ValueError(
            f"Topic {topic.name!r} has no example pages that it could be trained again from. Train it from pages: "
            f"scrapy train {topic.name} --force --positive PATH; or leave FOCUSED_RETRAINING off."
        )
    check_counting(topic.name, topic.manifest)
    _ = learnable.learner  # that of a stranger's class is refused


def _learner(topic: Topic) -> str:
    return str(topic.manifest.get("learner"))
