"""Presets: each file of preset_files/ sets everything that one paper fixes, with the section where it says so.

A preset is data: the paper's strategies, the learner that its topics are trained with, and settings. ``focused.crawl.presets``
puts them into a crawl, ``scrapy train --preset`` into a training, ``scrapy evaluate --preset`` into a comparison.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

import tomlkit

from focused.method.learning.learners import takes_logarithms
from focused.utils.close_names import did_you_mean

PRESETS = ("modern", "p13", "l14", "l16", "p15", "i18")
"""The names; ``modern`` is today's defaults, the others are the keys of docs/method/papers.md."""

MODERN = PRESETS[0]


@dataclass(frozen=True)
class Preset:
    """What one paper fixes."""

    name: str
    title: str
    #: The paper's crawlers; the first one is its own method, the others are what it is compared with.
    strategies: tuple[str, ...]
    #: One of ``focused.method.learning.learners.LEARNERS``, which names the weighting, too.
    learner: str
    settings: dict[str, Any]

    @property
    def takes_logarithms(self) -> bool:
        """Whether its learner takes the logarithms of term frequencies, not the frequencies as they are."""
        return takes_logarithms(self.learner)


def check_preset(name: str) -> str:
    """Return the name of a preset; a ValueError says which there are."""
    if name not in PRESETS:
        raise ValueError(f"A preset must be one of {', '.join(PRESETS)}. Got {name!r}.{did_you_mean(name, PRESETS)}")
    return name


@lru_cache(maxsize=len(PRESETS))
def load_preset(name: str) -> Preset:
    """Return a preset by its name, from a package that may be zipped; a ValueError says which there are."""
    text = files(__package__).joinpath("preset_files", f"{check_preset(name)}.toml").read_text(encoding="utf-8")
    found = tomlkit.parse(text).unwrap()
    return Preset(name, found["title"], tuple(found["strategies"]), found["learner"], found["settings"])
