"""Logs what became of the PDF files that a crawl met."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from focused.utils.words import quantity

if TYPE_CHECKING:
    from collections.abc import Mapping

STAT = "focused/pdf/{}"
WAITING, CPU_SECS = STAT.format("waiting"), STAT.format("cpu_secs")
NOT_READ, LINKS_REFUSED = STAT.format("not_read_count"), "focused/links/refused_pdf_count"
_FAILURES = {
    "no_text": "without text",
    "encrypted": "encrypted",
    "damaged": "damaged",
    "too_large": "larger than DOWNLOAD_MAXSIZE",
    "timeout": "took too long (FOCUSED_PDF_TIMEOUT_SECS)",
    "crashed": "ended their reader",
    "no_memory": "needed too much memory (FOCUSED_PDF_MEMORY_MB)",
    "no_library": "found no reader",
    "left": "left at the end (a resumed crawl fetches them again)",
}


def being_read(stats: Mapping[str, Any]) -> str:
    """Return how many PDF files are being read or wait for it; empty if none.

    >>> being_read({WAITING: 3}), being_read({})
    ('3 PDF files being read', '')
    """
    n_waiting = stats.get(WAITING, 0)
    return quantity(n_waiting, "PDF files being read") if n_waiting else ""


def pdf_summary(stats: Mapping[str, Any]) -> str:
    """Return what became of the PDF files; empty if there were none.

    >>> counts = {"read_count": 7, "cut_count": 1, "encrypted_count": 2, "cpu_secs": 0.61}
    >>> pdf_summary({STAT.format(name): value for name, value in counts.items()})
    'PDF files: 7 read (1 of them in part), 2 encrypted; 0.6 s of CPU time in a process of their own'
    """
    n_read, n_cut = (stats.get(STAT.format(f"{name}_count"), 0) for name in ("read", "cut"))
    failures = {words: stats.get(STAT.format(f"{name}_count"), 0) for name, words in _FAILURES.items()}
    if not n_read and not any(failures.values()):
        return ""
    parts = [f"{n_read:,} read" + (f" ({n_cut:,} of them in part)" if n_cut else "")]
    parts += [f"{n_failed:,} {words}" for words, n_failed in failures.items() if n_failed]
    return f"PDF files: {', '.join(parts)}; {stats.get(CPU_SECS, 0.0):.1f} s of CPU time in a process of their own"


def pdf_advice(stats: Mapping[str, Any], *, is_installed: bool) -> str:
    """Return how many PDF files and links to such were passed over because none are read, and how to read them.

    >>> pdf_advice({LINKS_REFUSED: 5}, is_installed=False)
    "PDF files are not read (5 links, 0 files): pip install 'focused[pdf]'"
    """
    n_links, n_files = stats.get(LINKS_REFUSED, 0), stats.get(NOT_READ, 0)
    if not n_links + n_files:
        return ""
    how = "-s FOCUSED_PDF_ENABLED=1" if is_installed else "pip install 'focused[pdf]'"
    return f"PDF files are not read ({quantity(n_links, 'links')}, {quantity(n_files, 'files')}): {how}"
