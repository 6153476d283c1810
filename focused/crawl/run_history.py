"""Keeps the strategy and the model that a run was begun with: a resumed run may have others."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from focused.method.topic.harvest_estimate import HarvestEstimate

if TYPE_CHECKING:
    from pathlib import Path

UNKNOWN = "unknown"


def strategy_parts(run_file: Path, strategy: str, n_pages_before: int) -> list[dict[str, Any]]:
    """Return the parts of a run in the order of its pages; the last part, with the given strategy, begins now.

    An earlier start of this run wrote its parts to ``run_file``, which may be missing. Earlier starts have counted
    ``n_pages_before`` pages; 0 where the run begins. A part has a ``strategy`` and ``from_page``, the number of its first
    page. The first page of a run has number 1.
    """
    run, parts = _earlier(run_file), list[dict[str, Any]]()
    try:
        known = run.get("parts") or [{"strategy": run["strategy"], "from_page": 1}]
        parts = [{"strategy": str(each["strategy"]), "from_page": int(each["from_page"])} for each in known]
    except (ValueError, KeyError, TypeError):  # written by hand, or not to its end: no other file tells
        parts = [{"strategy": UNKNOWN, "from_page": 1}]
    parts = [each for each in parts if each["from_page"] <= n_pages_before]
    if not parts or parts[-1]["strategy"] != strategy:
        parts.append({"strategy": strategy, "from_page": n_pages_before + 1})
    return parts


def first_model(run_file: Path, model_sha256: str, n_pages_before: int) -> str:
    """Return the digest of the model that a run began with: ``model_sha256`` (today's) where no earlier start tells."""
    earlier = _earlier(run_file).get("model_sha256") if n_pages_before else None
    return earlier if earlier and isinstance(earlier, str) else model_sha256


def last_estimate(run_file: Path, n_pages: int) -> HarvestEstimate | None:
    """Return the harvest that the last start of a run said at its end; None if it did not, or not of ``n_pages`` pages."""
    run = _earlier(run_file)
    try:
        if run["stats"]["focused/pages/fetched_count"] != n_pages or run["harvest"]["is_known"] is not True:
            return None
        found = HarvestEstimate(*(float(run["harvest"][name]) for name in HarvestEstimate._fields))
    except (KeyError, TypeError, ValueError):
        return None
    return found if 0 <= found.low <= found.share <= found.high <= 1 else None


def _earlier(run_file: Path) -> dict[str, Any]:
    """Return what an earlier start wrote; nothing where the file is missing or damaged."""
    try:
        run = json.loads(run_file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return run if isinstance(run, dict) else {}
