"""PDF files to HTML pages, by a process of its own: see :mod:`focused.method.page.pdf_child`."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from focused.method.page.pdf_child import READ
from focused.method.page.urls import NOT_A_PAGE, NOT_A_PAGE_NOR_PDF
from focused.utils.setting import USER, Setting

if TYPE_CHECKING:
    from typing_extensions import Self

# fmt: off
ENABLED = Setting(
    "FOCUSED_PDF_ENABLED", True,
    "True: links to PDF files are followed, and the files are read as pages, if `focused[pdf]` is installed. Evaluations read "
    "none: [PDF files](../how-to/pdf.md).", set_by=USER)
MAX_PAGES = Setting(
    "FOCUSED_PDF_MAX_PAGES", 200, "Pages of a PDF file that are read.", least=1, most=100_000, set_by=USER)
TIMEOUT_SECS = Setting(
    "FOCUSED_PDF_TIMEOUT_SECS", 10.0,
    "Seconds that the reading of a PDF file may take, of CPU and on the clock. A long file is cut in time, any other is given "
    "up.", above=0, most=600, set_by=USER)
MEMORY_MB = Setting(
    "FOCUSED_PDF_MEMORY_MB", 1024, "Megabytes of address space that the process that reads PDF files may have.", least=256,
    most=65_536, set_by=USER)
# fmt: on
PDF_SETTINGS = (ENABLED, MAX_PAGES, TIMEOUT_SECS, MEMORY_MB)

CRASHED, TIMEOUT = "crashed", "timeout"
_MOST_ANSWER_BYTES = 32_000_000
_MOST_FILES = 1_000
"""After so many the process is replaced: what native code has lost of its memory is free again."""
_START = b"%PDF-"
_BLANK = b"\xef\xbb\xbf \t\r\n\0"
_GRACE_SECS = 2.0
"""On the clock, after the process should have ended the file itself."""
_OUT_OF_CPU = -getattr(signal, "SIGXCPU", 1)
_NO_ANSWER = (OSError, EOFError, ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError)
"""The process has ended, or what it says is no answer: a file may have taken it over."""
_KEPT_VARIABLES = ("PATH", "LANG", "LC_ALL", "SYSTEMROOT", "TMPDIR", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
"""Of the environment: a process that reads strangers' files needs to know no keys."""


def is_pdf(body: bytes) -> bool:
    r"""Tell by its beginning whether a body is a PDF file; some have white space or a byte order mark before it.

    >>> is_pdf(b"%PDF-1.7\n"), is_pdf(b"\xef\xbb\xbf\r\n%PDF-1.4"), is_pdf(b"<p>%PDF-1.4"), is_pdf(b"")
    (True, True, False, False)
    """
    return body.startswith(_START) or body[:64].lstrip(_BLANK).startswith(_START)


@cache
def is_installed() -> bool:
    """Tell whether the library that reads PDF files is there."""
    return find_spec("pypdfium2") is not None


def reads_pdf(settings: Any) -> bool:
    """Tell whether settings ask for PDF files, and they can be read."""
    return bool(ENABLED.read(settings)) and is_installed()


def not_a_page(settings: Any) -> frozenset[str]:
    """Return the extensions of URLs that are no links to pages."""
    return NOT_A_PAGE_NOR_PDF if reads_pdf(settings) else NOT_A_PAGE


@dataclass(frozen=True, slots=True)
class PdfAnswer:
    """What came of a file: its HTML, or why there is none."""

    #: ``read``; or ``encrypted``, ``damaged``, ``no_text``, ``no_memory``, ``no_library``, ``crashed``, ``timeout``.
    status: str
    html: bytes = b""
    #: Digest of the file.
    sha256: str = ""
    n_pages: int = 0
    #: Whether only a part of the file was read.
    is_cut: bool = False
    #: What else is known of a failure.
    why: str = ""

    @property
    def is_read(self) -> bool:
        """Whether there is text."""
        return self.status == READ


class PdfProcess:
    """Reads PDF files one after the other. If a file ends the process, the next one gets a new process."""

    #: What is started; a test has a program that crashes.
    program: ClassVar[list[str]] = [sys.executable, "-m", "focused.method.page.pdf_child"]

    def __init__(
        self,
        max_pages: int = MAX_PAGES.default,
        timeout_secs: float = TIMEOUT_SECS.default,
        memory_mb: int = MEMORY_MB.default,
    ) -> None:
        self.timeout_secs = timeout_secs
        self._command = [*self.program, str(max_pages), str(timeout_secs), str(memory_mb)]
        self._process: subprocess.Popen[bytes] | None = None
        self._ended_cpu_secs = self._running_cpu_secs = 0.0
        self._n_files = 0
        self._is_late = False

    @classmethod
    def of_settings(cls, settings: Any) -> Self:
        """Return the reader that settings describe."""
        return cls(MAX_PAGES.read(settings), TIMEOUT_SECS.read(settings), MEMORY_MB.read(settings))

    @property
    def cpu_secs(self) -> float:
        """CPU time of the process, up to its last answer, and of those before it."""
        return self._ended_cpu_secs + self._running_cpu_secs

    @property
    def pid(self) -> int | None:
        """The process's id; None where there is none."""
        return None if self._process is None else self._process.pid

    def read(self, body: bytes) -> PdfAnswer:
        """Read one file. Waits for the answer, `timeout_secs` and a little more at most. One call at a time."""
        try:
            if self._process is None or self._n_files >= _MOST_FILES:
                self._start()
        except OSError as error:
            return PdfAnswer(CRASHED, why=f"its process cannot be started: {error}")
        process, self._is_late = self._process, False
        assert process is not None
        timer = threading.Timer(self.timeout_secs + _GRACE_SECS, self._give_up, [process])
        timer.daemon = True
        timer.start()
        try:
            return self._asked(process, body)
        except _NO_ANSWER as error:
            code = self._end(process)
            is_late = self._is_late or code == _OUT_OF_CPU
            why = f"exit code {code}" if isinstance(error, EOFError) else f"{type(error).__name__}: {error}"
            return PdfAnswer(TIMEOUT if is_late else CRASHED, why=why)
        finally:
            timer.cancel()

    def kill(self) -> None:
        """End the process, from any thread: the file that it reads counts as one that crashed it."""
        process = self._process
        if process is not None:
            with suppress(OSError):
                process.kill()

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._end(self._process)

    def _asked(self, process: subprocess.Popen[bytes], body: bytes) -> PdfAnswer:
        """Hand a file over and return the answer; an EOFError says that the process has ended."""
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"%d\n" % len(body))
        process.stdin.write(body)
        process.stdin.flush()
        line = process.stdout.readline(100_000)
        if not line.endswith(b"\n"):
            raise EOFError
        about = json.loads(line)
        n_bytes = int(about["n_bytes"])
        if not 0 <= n_bytes <= _MOST_ANSWER_BYTES:
            raise ValueError(f"an answer of {n_bytes} bytes")
        html = process.stdout.read(n_bytes)
        if len(html) < n_bytes:
            raise EOFError
        self._n_files += 1
        self._running_cpu_secs = float(about["cpu_secs"])
        n_pages, is_cut, why = int(about.get("n_pages", 0)), bool(about.get("is_cut")), str(about.get("why", ""))
        return PdfAnswer(str(about["status"]), html, str(about["sha256"]), n_pages, is_cut=is_cut, why=why)

    def _start(self) -> None:
        self.close()
        package = str(Path(__file__).resolve().parents[3])
        kept = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
        path = os.pathsep.join(filter(None, [package, os.environ.get("PYTHONPATH")]))
        self._process = subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**kept, "PYTHONPATH": path},
            cwd=package,  # Python imports from there first: not what lies where the crawl was started
            start_new_session=True,  # Ctrl-C is for the crawl, which ends this process itself
        )
        self._n_files = 0

    def _give_up(self, process: subprocess.Popen[bytes]) -> None:
        self._is_late = True
        with suppress(OSError):
            process.kill()

    def _end(self, process: subprocess.Popen[bytes]) -> int:
        """End a process; return its exit code, below 0 the signal that ended it."""
        self._process = None
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with suppress(OSError):  # what it has not read is of no use
                    pipe.close()
        usage: Any = None
        if os.name != "posix":
            process.kill()
        else:
            # Not by Popen, which would collect a process that has ended, and not tell its CPU time.
            with suppress(OSError, ChildProcessError):
                os.kill(process.pid, signal.SIGKILL)
                _, status, usage = os.wait4(process.pid, 0)
                process.returncode = os.waitstatus_to_exitcode(status)
        code = process.wait()
        self._ended_cpu_secs += self._running_cpu_secs if usage is None else usage.ru_utime + usage.ru_stime
        self._running_cpu_secs = 0.0
        return code
