"""What a crawl waits for before its first page."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
CODE = """
import sys
from scrapy.cmdline import execute
try:
    execute(sys.argv)
finally:
    print(sorted(set(sys.modules) & {"scrapy.core.downloader.contextfactory", "focused.collection.queue", "sklearn", "scipy.linalg"}))
"""


@pytest.mark.slow
def test_a_crawl_of_a_web_on_this_machine_loads_no_tls_no_queue_of_judging_and_no_solvers(tmp_path: Path) -> None:
    arguments = ["topic=demo", "max_pages=1", f"run_dir={tmp_path / 'run'}"]
    command = ["crawl", "focused", *(word for each in arguments for word in ("-a", each)), "-s", "LOG_LEVEL=ERROR"]
    done = subprocess.run([sys.executable, "-c", CODE, *command], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]", done.stdout + done.stderr
