"""The draws of I18's tables, kept as a file."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from common import say

from paper_claims.hybrid_stages import SYSTEMS, draw, stages

if TYPE_CHECKING:
    from pathlib import Path

TOPICS = ("Astrophysics", "Sound", "Nuclear", "Geophysics", "Thermodynamics")
FILE = "i18-stages.json"


def made_stages(data: Path, output: Path, *, quick: bool) -> list[dict[str, Any]]:
    """Make the draws that are not there yet, one for each topic and seed, and return the rows of all."""
    done = read_stages(output)
    made = {(row["topic"], row["seed"]) for row in done}
    draws = [(topic, seed) for seed in range(2 if quick else 4) for topic in TOPICS]
    left = [one for one in draws if one not in made]
    for number, (topic, seed) in enumerate(left, 1):
        say(f"I18, tables 3 and 4 [{number} of {len(left)}]: {topic}, draw {seed}")
        found = draw(data / "hyperphysics.warc.gz", data / "hyperphysics.labels.tsv", topic, seed)
        done += [
            {"topic": topic, "seed": seed, "system": system, **row}
            for system in SYSTEMS
            for row in stages(found, system)
        ]
        output.mkdir(parents=True, exist_ok=True)
        (output / FILE).write_text(json.dumps(done), encoding="utf-8")
    return done


def read_stages(output: Path) -> list[dict[str, Any]]:
    """Return the rows of the draws that were made."""
    path = output / FILE
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else []
