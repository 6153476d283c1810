"""What a run was begun with: a crawl can be gone on with by another strategy, and after its topic was trained again."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

UNKNOWN = "unknown"


def strategy_parts(run_file: Path, strategy: str, n_pages_before: int) -> list[dict[str, Any]]:
    """Return the parts of a run, the last of which begins now.

    Parameters
    ----------
    run_file : Path
        What an earlier start of the same run has written; it need not be there.
    strategy : str
        That goes on from here.
    n_pages_before : int
        Pages of earlier starts that are in; 0 of a run that begins.

    Returns
    -------
    list of dict
        ``strategy`` and ``from_page``, the number of the first page (1 is the run's first), in the order of pages.
    """
    parts = _earlier(run_file) or [{"strategy": UNKNOWN, "from_page": 1}]
    parts = [each for each in parts if each["from_page"] <= n_pages_before]
    if not parts or parts[-1]["strategy"] != strategy:
        parts.append({"strategy": strategy, "from_page": n_pages_before + 1})
    return parts


def first_model(run_file: Path, model_sha256: str, n_pages_before: int) -> str:
    """Return the digest of the topic's model with which a run was begun.

    Parameters
    ----------
    run_file : Path
        What an earlier start of the same run has written; it need not be there.
    model_sha256 : str
        Of the topic as it is now.
    n_pages_before : int
        Pages of earlier starts that are in; 0 of a run that begins.
    """
    try:
        earlier = json.loads(run_file.read_text(encoding="utf-8"))["model_sha256"] if n_pages_before else None
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        earlier = None
    return earlier if earlier and isinstance(earlier, str) else model_sha256


def _earlier(run_file: Path) -> list[dict[str, Any]]:
    try:
        run = json.loads(run_file.read_text(encoding="utf-8"))
        known = run.get("parts") or [{"strategy": run["strategy"], "from_page": 1}]
        return [{"strategy": str(each["strategy"]), "from_page": int(each["from_page"])} for each in known]
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return []  # it was written by hand, or not to its end: nothing else knows
