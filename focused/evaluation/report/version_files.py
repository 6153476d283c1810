"""The versions of the model of a crawl with retraining, as its run directory tells of them."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from focused.utils.file_names import RETRAINING_FILE, VERSIONS_FILE
from focused.utils.former_files import existing_path

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

FIRST = 1
"""The topic's own model."""


@dataclass(frozen=True, slots=True)
class Version:
    """A model trained during a crawl; figures are NaN if the files do not give them.

    ``trained_after``: pages judged when its training began. ``held_out``: average precision on held-out examples: ``new``,
    ``in_use`` at that time, ``first``. ``begins``: number of the first page that it judged; None if it judged no page.
    ``n_pages`` and ``n_relevant``: pages that it judged, and those it called relevant.
    """

    number: int
    is_accepted: bool
    why: str
    trained_after: int
    joined: dict[str, int]
    held_out: dict[str, float]
    seconds: float
    begins: int | None = None
    n_pages: int = 0
    n_relevant: int = 0


def read_versions(directory: Path, judged: Sequence[tuple[int, bool]]) -> tuple[list[Version], int]:
    """Return the versions that a crawl trained, in order, and the number of damaged lines.

    ``directory``: a crawl without retraining has no versions. ``judged``: for each page the version that judged it (0 if
    unknown), and whether it is relevant.
    """
    found, n_bad = {}, 0
    for line in _lines(directory / VERSIONS_FILE):
        try:
            number, is_accepted = int(line["version"]), line["accepted"]
            if number <= FIRST or not isinstance(is_accepted, bool):
                raise ValueError
            names = ("positive", "negative", "verdicts", "unlabeled", "drawn")
            joined = {what: _count(line.get(f"n_{what}")) for what in names}
            joined["label_noise"] = _count(line.get("n_label_noise", line.get("n_doubtful")))
            held_out = line["held_out"] if isinstance(line.get("held_out"), dict) else {}
            found[number] = Version(
                number, is_accepted, str(line.get("why") or ""), _count(line.get("n_pages")), joined,
                {which: _figure(held_out.get(which)) for which in ("new", "in_use", "first")},
                _figure(line.get("seconds")),
            )  # fmt: skip
        except (ValueError, KeyError, TypeError, OverflowError):
            n_bad += 1
    return [_with_pages(version, judged) for version in found.values()], n_bad


def _with_pages(version: Version, judged: Sequence[tuple[int, bool]]) -> Version:
    places = [place for place, (number, _) in enumerate(judged, 1) if number == version.number]
    n_relevant = sum(judged[place - 1][1] for place in places)
    return Version(
        version.number,
        version.is_accepted,
        version.why,
        version.trained_after,
        version.joined,
        version.held_out,
        version.seconds,
        min(places, default=None),
        len(places),
        n_relevant,
    )


def recorded_versions(directory: Path) -> dict[int, int]:
    """Return the version that judged each page, by the page's number, from the record that retraining keeps."""
    return {
        number: version
        for line in _lines(existing_path(directory, RETRAINING_FILE))
        if (number := _count(line.get("number"))) and (version := _count(line.get("version")))
    }


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    """Iterate over the objects of a JSON Lines file; an empty object stands for a damaged line."""
    if not path.is_file():
        return
    with path.open(encoding="utf-8", errors="replace") as file:
        for line in file:
            try:
                value = json.loads(line)
            except (ValueError, RecursionError):
                value = None
            yield value if isinstance(value, dict) else {}


def _count(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def _figure(value: Any) -> float:
    return float(value) if isinstance(value, int | float) and math.isfinite(value) else math.nan
