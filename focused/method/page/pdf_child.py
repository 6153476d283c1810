"""The process that reads PDF files: ``python -m focused.method.page.pdf_child MAX_PAGES SECS MEMORY_MB``.

PDFium is native code, and the files come from strangers. So this process has no more memory and CPU time than it needs, may
write no file, and knows nothing of the crawl. If it dies, the crawl starts another one.

On stdin, for each file, a line with its length in bytes, and the file; on stdout a line of JSON, and as many bytes of HTML as
the line says. The process ends with its stdin.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

#: What comes of a file that is not read.
ENCRYPTED, DAMAGED, NO_TEXT, NO_MEMORY, NO_LIBRARY = "encrypted", "damaged", "no_text", "no_memory", "no_library"
READ = "read"
_MOST_FILES = 64
"""File descriptors."""


def missing_library() -> str:
    """Load the library that reads PDF files; return why that cannot be done, empty if it can."""
    try:
        import focused.method.page.pdf_html  # noqa: F401
    except (ImportError, OSError, AttributeError) as error:
        return str(error) or type(error).__name__
    return ""


def limit_memory(megabytes: int) -> None:
    """Limit the address space of this process, and forbid it to write files; do nothing on systems without such limits."""
    try:
        import resource
    except ImportError:  # Windows
        return
    for what, most in (
        (resource.RLIMIT_AS, megabytes * 1_048_576),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NOFILE, _MOST_FILES),
    ):
        with contextlib.suppress(ValueError, OSError):  # some systems refuse some
            resource.setrlimit(what, (most, most))


def limit_cpu(secs: float) -> None:
    """End this process when it has taken so many seconds of CPU time from now on."""
    try:
        import resource
    except ImportError:
        return
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    until = int(time.process_time() + secs) + 1
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_CPU, (until, hard))


def read(body: bytes, max_pages: int, secs: float) -> tuple[dict[str, Any], bytes]:
    """Read one file; return what came of it, and its HTML."""
    from focused.method.page.pdf_html import pdf_as_html
    from focused.method.page.pdf_pages import PdfiumError, needs_password

    try:
        found = pdf_as_html(body, max_pages, secs)
    except PdfiumError as error:
        return {"status": ENCRYPTED if needs_password(error) else DAMAGED}, b""
    except MemoryError:
        return {"status": NO_MEMORY}, b""
    about = {"status": READ, "n_pages": found.n_pages, "n_read": found.n_read, "is_cut": found.is_cut}
    if not found.has_text:
        return about | {"status": NO_TEXT}, b""
    return about, found.html


def main() -> None:
    """Read one file after the other, until stdin is closed."""
    max_pages, secs, megabytes = int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
    answers = os.fdopen(os.dup(1), "wb")
    # What native code may print is no answer.
    with Path(os.devnull).open("wb") as nowhere:
        os.dup2(nowhere.fileno(), 1)
    missing = missing_library()
    limit_memory(megabytes)
    files = sys.stdin.buffer
    while line := files.readline():
        body = files.read(int(line))
        limit_cpu(secs)
        # So that a long file is cut, and not given up.
        about, html = ({"status": NO_LIBRARY, "why": missing}, b"") if missing else read(body, max_pages, 0.7 * secs)
        about |= {"n_bytes": len(html), "sha256": hashlib.sha256(body).hexdigest(), "cpu_secs": time.process_time()}
        answers.write(json.dumps(about).encode() + b"\n" + html)
        answers.flush()


if __name__ == "__main__":
    main()
