"""`FolderFigures`: the figures in the ``run.json`` of a folder that follows a shared crawl."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from focused.crawl.delivered_words import BY_PEOPLE, DELIVERED, ROWS, about_harvest
from focused.crawl.final_judging import JUDGED, LESS, MORE
from focused.method.topic.harvest_estimate import HarvestEstimate
from focused.utils.file_names import RUN_FILE
from focused.utils.files import read_regular

if TYPE_CHECKING:
    from pathlib import Path

    from focused.crawl.harvest import HarvestCounter
    from focused.crawl.harvest_so_far import HarvestSoFar

_MAX_BYTES = 50_000_000
DRAWN = "focused/retraining/drawn_count"
_TRAININGS = tuple(f"focused/retraining/{name}_count" for name in ("trainings_finished", "accepted", "refused"))
_OF_FOLDER = (DELIVERED, BY_PEOPLE, ROWS, JUDGED, MORE, LESS, DRAWN, *_TRAININGS)


@dataclass(frozen=True)
class FolderFigures:
    """Figures of a crawl that its database does not have."""

    n_pages: int
    n_relevant: int
    #: As ``run.json`` has it.
    harvest: dict[str, Any]
    stats: dict[str, int]
    #: Whether the workers had ended, and all pages were judged again.
    is_final: bool = False
    #: Why the crawl ended, or its last worker did.
    finish_reason: str = ""

    @classmethod
    def of(
        cls, counter: HarvestCounter, estimate: HarvestSoFar, stats: dict[str, int], *, is_final: bool
    ) -> FolderFigures:
        """Return those of what was counted and estimated."""
        found = estimate.now()
        if found is None:
            harvest: dict[str, Any] = {"is_known": False, "why": estimate.why_unknown or estimate.why_not_yet}
        else:
            harvest = {"is_known": True, **{name: round(value, 4) for name, value in found._asdict().items()}}
        return cls(counter.n_pages, counter.n_relevant, harvest, stats, is_final)

    @property
    def _estimate(self) -> HarvestEstimate | None:
        is_known = self.harvest.get("is_known")
        return HarvestEstimate(*(float(self.harvest[name]) for name in HarvestEstimate._fields)) if is_known else None

    @property
    def estimated(self) -> dict[str, float]:
        """The stats of the harvest that a crawl of one process has, too; empty where it is not known."""
        found = self._estimate
        values = {} if found is None else found._asdict()
        return {f"focused/harvest/estimated_{name}": value for name, value in values.items()}

    @property
    def harvest_in_short(self) -> str:
        """The harvest as lines of progress show it."""
        return str(self._estimate or "not known")

    @property
    def about_harvest(self) -> str:
        """The harvest in words, or why it is not known."""
        return about_harvest(self._estimate, str(self.harvest.get("why")), self.n_pages, self.n_relevant)

    @classmethod
    def read(cls, run_dir: Path) -> FolderFigures | None:
        """Return those of the last time; None where there was none, or they cannot be read."""
        with suppress(FileNotFoundError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
            run = json.loads(read_regular(run_dir / RUN_FILE, _MAX_BYTES))
            stats = run["stats"]
            kept = {name: int(stats[name]) for name in _OF_FOLDER if name in stats}
            n_pages, n_relevant = int(stats["focused/pages/fetched_count"]), int(stats["focused/pages/relevant_count"])
            is_final, reason = run.get("is_final") is True, str(run.get("finish_reason"))
            return cls(n_pages, n_relevant, dict(run["harvest"]), kept, is_final, reason)
        return None
