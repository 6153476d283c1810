"""References that the other strategies are compared with: chance, and knowledge. Evaluations use them."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from focused.method.scoring.base import BELOW, BY_LABELS, DISCOVERY, LinkScores, Strategy
from focused.utils.parameters import parameter
from focused.utils.setting import SERVER, TOPIC

if TYPE_CHECKING:
    from collections.abc import Mapping

    from typing_extensions import Self

    from focused.method.page.page import Page
    from focused.method.scoring.base import Visit
    from focused.method.topic import Topic
    from focused.method.topic.judge import PageRelevance

_SETTING = "FOCUSED_ORACLE_FILE"


@dataclass(frozen=True)
class Random(Strategy):
    """Links in random order: a score from the link's URL and a seed, the same in every crawl and on every machine."""

    seed: int = parameter(
        "FOCUSED_RANDOM_SEED", 0, "Seed of the draw; another one is another order.", least=0, set_by=TOPIC
    )

    name = "random"
    merges = False  # every page says the same
    is_reference = True

    def score(self, page: Page, relevance: PageRelevance, visit: Visit) -> LinkScores:
        """Return a number in [0, 1) for each link."""
        key = str(self.seed).encode()
        digests = (blake2b(link.url.encode(), key=key, digest_size=8).digest() for link in page.links)
        scores = np.array([int.from_bytes(digest, "big") / 2**64 for digest in digests], dtype=np.float64)
        return LinkScores(scores, np.full(page.n_links, DISCOVERY))


@dataclass(frozen=True)
class Oracle(Strategy):
    """Scores that are known beforehand, from labels and the link graph. An evaluation writes them.

    The file is a JSON object of URLs, as links have them, to scores in [0, 1]. Links that are not in it are below the
    threshold.
    """

    file: str = parameter(
        _SETTING,
        "",
        "File with a JSON object of URLs, as links have them, to scores in [0, 1]; evaluations write it. Links that are not "
        "in it are below the threshold.",
        set_by=SERVER,
    )
    #: What the file says.
    scores: Mapping[str, float] = field(default_factory=dict, repr=False, compare=False)

    name = "oracle"
    merges = False  # every page says the same
    is_reference = True

    def prepare(self, topic: Topic) -> Self:
        """Return the oracle with what its file says."""
        if not self.file:
            raise ValueError(
                f"The strategy oracle must be told what it knows: {_SETTING} must name a JSON file of URLs and scores, "
                f"as evaluations write it. Got none. To crawl, choose another strategy."
            )
        return replace(self, scores=_read(Path(self.file)))

    def score(self, page: Page, relevance: PageRelevance, visit: Visit) -> LinkScores:
        """Return for each link what is known of it."""
        known = [self.scores.get(link.url) for link in page.links]
        return LinkScores(
            np.array([score or 0.0 for score in known], dtype=np.float64),
            np.array([BELOW if score is None else BY_LABELS for score in known], dtype=np.int64),
        )


def _read(path: Path) -> dict[str, float]:
    """Return the scores in a file; ValueError if it is no JSON object of numbers in [0, 1]."""
    wanted = f"{_SETTING} must name a JSON file of an object with URLs and scores from 0 to 1"
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ValueError(f"{wanted}. {path} cannot be read: {error.strerror or error}.") from None
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{wanted}. {path} is no JSON: {error}.") from None
    if not isinstance(found, dict):
        raise ValueError(f"{wanted}. {path} holds a {type(found).__name__}.")
    for url, score in found.items():
        if isinstance(score, bool) or not isinstance(score, (int, float)) or not 0 <= score <= 1:
            raise ValueError(f"{wanted}. {path} says {score!r} of {url}.")
    return found
