"""Updates the index of words in a process of its own: in the crawl's process it would cost a twentieth of each page.

As a program: ``python -m focused.collection.index_process FOLDER PAUSE``. It prints the seconds of CPU that it took.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

from focused.collection.word_index import bring_up_to_date

_PAUSE_SECS = 0.02
"""Between two transactions, so that a crawl that goes on is not kept from writing."""


class IndexProcess:
    """Runs that process for a collection, one at a time."""

    def __init__(self, run_dir: Path) -> None:
        self._run_dir = run_dir
        self._process: subprocess.Popen[bytes] | None = None
        #: Seconds of CPU that the processes took that have ended.
        self.cpu_secs = 0.0

    def begin(self, *, pause_secs: float = _PAUSE_SECS) -> bool:
        """Start the process that brings the index up to date; return False if none can be started."""
        if not self.wait(0):
            return True
        package = Path(__file__).parents[2]
        path = os.pathsep.join(filter(None, [str(package), os.environ.get("PYTHONPATH")]))
        command = [sys.executable, "-m", __name__, str(self._run_dir.resolve()), str(pause_secs)]
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={**os.environ, "PYTHONPATH": path},
                cwd=package,  # Python imports from there first: not what lies where the crawl was started
                start_new_session=True,  # Ctrl-C is for the crawl, which waits for this process
            )
        except OSError:
            return False
        return True

    def wait(self, secs: float) -> bool:
        """Wait for the process, ``secs`` at most; return whether none is at work."""
        if self._process is None:
            return True
        try:
            said, _ = self._process.communicate(timeout=secs)
        except subprocess.TimeoutExpired:
            return False
        with suppress(ValueError):  # it was killed
            self.cpu_secs += float(said)
        self._process = None
        return True

    def end(self) -> None:
        """End the process, if it is still at work: what it has indexed stays."""
        if self._process is not None:
            self._process.kill()
            self.wait(5)


if __name__ == "__main__":
    bring_up_to_date(Path(sys.argv[1]), pause_secs=float(sys.argv[2]))
    print(time.process_time())
