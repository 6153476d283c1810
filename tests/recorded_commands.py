"""Commands that the dashboard runs, as processes that only say what they were asked for: trainings take seconds."""

from __future__ import annotations

import sys
from dataclasses import dataclass

from focused.dashboard.processes import Commands

RECORD = """
import json, pathlib, sys
name, *words = sys.argv[1:]
if name == "export":
    file = pathlib.Path(next(word for word in words if word.startswith("--output="))[9:])
    file.write_text("".join(json.dumps({"url": str(n), "verdict": n == 2}) + "\\n" for n in range(4)))
else:
    print(json.dumps([name, *words]))
    sys.exit("Error: It was asked to fail." if "--keywords=fail" in words else 0)
"""


@dataclass(frozen=True)
class Recorded(Commands):
    """The words of such a process, which fails if the word ``fail`` is among what it was asked for."""

    def words(self, command, *words):
        return [sys.executable, "-c", RECORD, command, *words]
