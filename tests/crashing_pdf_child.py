"""In place of the process that reads PDF files: one that crashes, hangs or babbles where a file says so."""

from __future__ import annotations

import ctypes
import os
import sys
import time

from focused.method.page import pdf_child
from focused.method.page.pdf_process import PdfAnswer, PdfProcess

CRASH, HANG, SPIN, BABBLE = b"%PDF-crash", b"%PDF-hang", b"%PDF-spin", b"%PDF-babble"


def install() -> None:
    """Have the crawls of this process start it."""
    PdfProcess.program = [sys.executable, __file__]


def install_and_give_up_soon_what_hangs() -> None:
    """`install`; only files that hang have little time on the clock: on a busy machine the process takes seconds to begin."""
    install()
    read_file = PdfProcess.read

    def reading(self: PdfProcess, body: bytes) -> PdfAnswer:
        self.timeout_secs = 0.2 if body.startswith(HANG) else 60.0
        return read_file(self, body)

    PdfProcess.read = reading  # type: ignore[method-assign]


def read(body: bytes, max_pages: int, secs: float) -> tuple[dict, bytes]:
    if body.startswith(CRASH):
        ctypes.string_at(0)  # a segmentation fault
    if body.startswith(HANG):
        time.sleep(600)
    while body.startswith(SPIN):
        pass
    if body.startswith(BABBLE):
        os.write(2, b"no answer\n" * 100_000)
        return {"status": "read", "n_pages": "many"}, b""
    return really_read(body, max_pages, secs)


if __name__ == "__main__":
    really_read, pdf_child.read = pdf_child.read, read
    pdf_child.main()
