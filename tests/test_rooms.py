"""The plan of the rooms: few entries at the top, no cycle, no arrow upwards, and a method that loads no Scrapy."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
METHOD = sorted(
    ".".join(path.relative_to(ROOT).with_suffix("").parts) for path in (ROOT / "focused" / "method").rglob("*.py")
)


def test_the_method_loads_no_scrapy_and_no_reactor():
    names = [name.removesuffix(".__init__") for name in METHOD]
    code = (
        f"import importlib, sys\nfor name in {names!r}: importlib.import_module(name)\n"
        "print(sorted(name for name in sys.modules if name.partition('.')[0] in ('scrapy', 'twisted')))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert (done.stdout.strip(), done.stderr) == ("[]", "")


def test_the_top_of_the_package_has_few_entries():
    entries = {path.name for path in (ROOT / "focused").iterdir()} - {"__init__.py", "__pycache__", "py.typed"}
    assert len(entries) <= 18
