"""`LearntVerdicts`: a collection's note that its model has learnt from the verdicts on its own pages.

Such a model has the judged pages right because it was told so: what share of them it has right says nothing of the others.
From then on the judged pages are known, and how good the rest is, other random pages must say (docs/method/judging.md).
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from focused.collection.sample import Share

if TYPE_CHECKING:
    from collections.abc import Mapping

KEY = "learnt"
"""Under which the collection's table ``about`` keeps it."""
_MODEL_CHARS = 12


@dataclass(frozen=True, slots=True)
class LearntVerdicts:
    """The model that has learnt from the verdicts, and the last figures that were known before."""

    #: The beginning of its digest, which verdict lines name from then on; empty: no such model has judged the collection.
    model: str = ""
    precision: Share | None = None
    recall: Share | None = None

    @classmethod
    def read(cls, about: Mapping[str, str]) -> LearntVerdicts:
        """Return what a collection's table ``about`` says."""
        try:
            values: Any = json.loads(about.get(KEY, ""))
            shares = (None if values[name] is None else Share(**values[name]) for name in ("precision", "recall"))
            return cls(str(values["model"]), *shares)
        except (ValueError, TypeError, KeyError):
            return cls()

    def to_text(self) -> str:
        """Return it as `read` reads it."""
        return json.dumps(asdict(self))


def name_of_model(sha256: str) -> str:
    """Return how verdict lines name a model, by its digest."""
    return sha256[:_MODEL_CHARS]
