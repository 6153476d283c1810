"""How a crawl adapts: the settings, checked."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from focused.method.topic.names import check_counting
from focused.retraining.assumed_positives import with_assumed_positives
from focused.utils.parameters import parameter, parameters_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from focused.method.topic import Topic

OFF = "off"
MODES = (OFF, "automatic", "interactive", "both")


@dataclass(frozen=True)
class RetrainingOptions:
    """When pages join the examples, and when the model is trained again. The defaults are the paper's [I18, Sect. 4.1]."""

    mode: str = parameter("FOCUSED_RETRAINING", OFF, choices=MODES)
    #: Relevance from which a page joins the positives.
    t1: float = parameter("FOCUSED_RETRAINING_T1", 0.8, least=0, most=1)
    #: Relevance up to which a page joins the negatives.
    t2: float = parameter("FOCUSED_RETRAINING_T2", 0.2, least=0, most=1)
    #: Pages between two trainings, the paper's k.
    every_pages: int = parameter("FOCUSED_RETRAINING_EVERY_PAGES", 14, least=1)
    #: What k counts: every page judged, or only those that joined.
    counts: str = parameter("FOCUSED_RETRAINING_COUNTS", "judged", choices=("judged", "added"))
    #: Pages of each label that are learnt from, and pages kept for scoring their links again.
    max_pages: int = parameter("FOCUSED_RETRAINING_MAX_PAGES", 2000, least=1)
    #: How much less a new model may reach on held-out examples.
    tolerance: float = parameter("FOCUSED_RETRAINING_TOLERANCE", 0.02, least=0, most=1)
    #: Whether verdicts that all other examples speak against are left out.
    filters_label_noise: bool = parameter("FOCUSED_RETRAINING_DOUBTS", True)
    #: Share of the pages until the next training that may look for other sides of the topic, with verdicts, when what is
    #: known runs out.
    exploration: float = parameter("FOCUSED_RETRAINING_EXPLORATION", 0.5, least=0, most=1)
    #: Seconds after which a training that has not ended is given up.
    timeout_secs: float = parameter("FOCUSED_RETRAINING_TIMEOUT_SECS", 120.0, least=1)
    #: Whether the crawl pauses while a model is trained.
    waits: str = parameter("FOCUSED_RETRAINING_WAIT", "offline", choices=("offline", "always", "never"))
    #: Where verdicts come from; None where there are none.
    verdicts: Path | None = field(default=None)

    @property
    def is_automatic(self) -> bool:
        """Whether pages join by their relevance."""
        return self.mode in ("automatic", "both")

    @property
    def is_interactive(self) -> bool:
        """Whether pages join by people's verdicts."""
        return self.mode in ("interactive", "both")


def read_options(settings: Mapping[str, Any], topic: Topic | None = None) -> RetrainingOptions:
    """Return how settings say that a crawl adapts.

    Parameters
    ----------
    settings : mapping
    topic : Topic, optional
        It must have examples to adapt.

    Raises
    ------
    ValueError
        If a setting is not what it must be, settings contradict each other, or the topic has nothing to be trained
        again from.
    """
    values = {name: each.read(settings) for name, each in parameters_of(RetrainingOptions).items()}
    verdicts = str(settings.get("FOCUSED_VERDICTS") or "")
    options = RetrainingOptions(**values, verdicts=Path(verdicts) if verdicts else None)
    if not options.t2 < options.t1:
        raise ValueError(
            f"FOCUSED_RETRAINING_T2 must be less than FOCUSED_RETRAINING_T1. Got {options.t2:g} and {options.t1:g}."
        )
    if options.mode == OFF and options.verdicts is not None:
        raise ValueError("FOCUSED_VERDICTS is read by -s FOCUSED_RETRAINING=interactive or both. Got 'off'.")
    if options.is_interactive and options.verdicts is None:
        raise ValueError(
            f"FOCUSED_RETRAINING={options.mode} needs verdicts. Name a file or a folder, which may still be empty: "
            "-s FOCUSED_VERDICTS=PATH"
        )
    if options.mode != OFF and topic is not None:
        _check_topic(topic)
    return options


def _check_topic(topic: Topic) -> None:
    learnable = with_assumed_positives(topic)
    examples = learnable.examples
    if examples is None or examples.positive.sum() < 3:
        raise ValueError(
            f"Topic {topic.name!r} has no example pages that it could be trained again from. Train it from pages: "
            f"scrapy train {topic.name} --force --positive PATH; or leave FOCUSED_RETRAINING off."
        )
    check_counting(topic.name, topic.manifest)
    _ = learnable.learner  # that of a stranger's class is refused
