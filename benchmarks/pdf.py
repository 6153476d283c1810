"""What is read of PDF files, what damaged ones do, and what they cost: docs/results/pdf.md.

Reads PDF files of Debian packages (``apt-get install --no-install-recommends texlive-latex-recommended-doc
texlive-pictures-doc texlive-science-doc gnuplot-doc poppler-utils``), drawn by a seed, with the process that crawls have.

- *files*: how many give text; CPU time of the crawl's process and of the other for each.
- *words*: those of the HTML against those of ``pdftotext``, in the same pages, as bags: how many of ours are there, and of
  there ours.
- *faults*: what comes of damaged and hostile files, and the longest time that one takes.
- *crawl*: the same texts as PDF files and as HTML pages, each a recorded web: CPU time of the crawl's process for a page.

Examples
--------
  nice -n 15 python benchmarks/pdf.py
  python benchmarks/pdf.py --only faults --damaged 3 --no-write
"""

from __future__ import annotations

import argparse
import random
import re
import shutil
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from statistics import mean, median
from typing import Any

from common import DOCUMENTATION, machine, say, table
from pdf_crawl import crawl_table
from pdf_faults import DAMAGES, hostile
from provenance import now, write_blocks

from focused.method.page.pdf_process import PdfAnswer, PdfProcess

ROOMS = ["focused/method/page", "focused/crawl/pdf_reading.py", "focused/middlewares/pdf.py"]
PARTS = ("files", "words", "faults", "crawl")
MAX_BYTES = 5_000_000  # DOWNLOAD_MAXSIZE
_TAG = re.compile(r"<[^>]*>")
_WORD = re.compile(r"[^\W\d_]{2,}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--folder", type=Path, default=DOCUMENTATION, help=f"where PDF files are (default: {DOCUMENTATION})"
    )
    parser.add_argument("--files", type=int, default=200, help="of them read (default: 200)")
    parser.add_argument("--damaged", type=int, default=20, help="of them damaged, in each way (default: 20)")
    parser.add_argument("--seed", type=int, default=0, help="of the draw")
    parser.add_argument("--only", metavar="PARTS", default=",".join(PARTS))
    parser.add_argument("--no-write", action="store_true", help="print the tables only")
    options = parser.parse_args()
    paths = sorted(
        path for path in options.folder.rglob("*.pdf") if path.is_file() and 0 < path.stat().st_size <= MAX_BYTES
    )
    if len(paths) < options.files:
        sys.exit(f"{len(paths)} PDF files in {options.folder}, {options.files} are wanted. See --help for packages.")
    drawn = random.Random(options.seed).sample(paths, options.files)
    process = PdfProcess()
    blocks: dict[str, str] = {}
    wanted = options.only.split(",")
    answers, timings = read_all(drawn, process)
    if "files" in wanted:
        blocks["pdf: files"] = files_table(drawn, len(paths), answers, timings)
    if "words" in wanted:
        blocks["pdf: words"] = words_table(drawn, answers)
    if "faults" in wanted:
        blocks["pdf: faults"] = faults_table(drawn[: options.damaged], options.seed)
    if "crawl" in wanted:
        read = [(path, answer) for path, answer in zip(drawn, answers, strict=True) if answer.is_read]
        blocks["pdf: a crawl"] = crawl_table(read)
    process.close()
    if options.no_write:
        print("\n\n".join(blocks.values()))
        return
    settings = {"files": options.files, "damaged": options.damaged, "seed": options.seed}
    write_blocks(blocks, now("python benchmarks/pdf.py", ROOMS, settings))


def read_all(paths: list[Path], process: PdfProcess) -> tuple[list[PdfAnswer], list[tuple[float, float]]]:
    """Read files; return the answers, and of each the CPU seconds of this process and of the other."""
    process.read(b"%PDF-1.7\n")  # it starts
    answers, timings = [], []
    for path in paths:
        body = path.read_bytes()
        own, other = time.process_time(), process.cpu_secs
        answers.append(process.read(body))
        timings.append((time.process_time() - own, process.cpu_secs - other))
    return answers, timings


def files_table(paths: list[Path], n_all: int, answers: list[PdfAnswer], timings: list[tuple[float, float]]) -> str:
    statuses = Counter(answer.status for answer in answers)
    read = [number for number, answer in enumerate(answers) if answer.is_read]
    pages = [min(answers[number].n_pages, 200) for number in read]
    own, other = ([1000 * timings[number][which] for number in read] for which in (0, 1))
    sizes = [paths[number].stat().st_size / 1000 for number in read]
    rows = [
        [
            name,
            f"{median(values):.1f}",
            f"{mean(values):.1f}",
            f"{sorted(values)[int(0.95 * len(values))]:.1f}",
            f"{max(values):.1f}",
        ]
        for name, values in (
            ("size, kB", sizes),
            ("pages read", pages),
            ("HTML, kB", [len(answers[number].html) / 1000 for number in read]),
            ("CPU of the crawl's process, ms", own),
            ("CPU of the process that reads, ms", other),
        )
    ]
    became = ", ".join(f"{count} {status.replace('_', ' ')}" for status, count in statuses.most_common())
    n_cut = sum(answer.is_cut for answer in answers)
    about = (
        f"{len(paths)} of {n_all} files: {became}; {n_cut} of them in part. A page takes {sum(other) / sum(pages):.2f} ms of "
        f"the process that reads, and a file {sum(own) / len(own):.2f} ms of the crawl's own. {machine()}."
    )
    return f"{table(['', 'median', 'mean', '95 %', 'most'], rows)}\n\n{about}"


def words_table(paths: list[Path], answers: list[PdfAnswer]) -> str:
    if shutil.which("pdftotext") is None:
        sys.exit("pdftotext is not there. Install it: apt-get install poppler-utils")
    found = []
    for path, answer in zip(paths, answers, strict=True):
        if not answer.is_read:
            continue
        command = ["pdftotext", "-l", "200", "-enc", "UTF-8", str(path), "-"]
        theirs = words(subprocess.run(command, capture_output=True, check=False).stdout.decode("utf-8", "replace"))
        ours = words(text_of(answer.html))
        if theirs.total() >= 20:
            same = (ours & theirs).total()
            found.append((same / max(ours.total(), 1), same / theirs.total()))
    rows = []
    for name, values in zip(
        ("of our words in pdftotext's", "of pdftotext's words in ours"), zip(*found, strict=True), strict=True
    ):
        ordered = sorted(values)
        rows.append(
            [name, f"{mean(values):.3f}", *(f"{ordered[int(share * len(ordered))]:.3f}" for share in (0.5, 0.1, 0.0))]
        )
    about = (
        f"{len(found)} files with at least 20 words. Words: two letters or more, small letters, each as often as it stands "
        "there."
    )
    return f"{table(['share', 'mean', 'median', 'worst tenth', 'worst'], rows)}\n\n{about}"


def text_of(html: bytes) -> str:
    """Return what stands in the body of our HTML."""
    body = html.decode().partition("<body>")[2]
    return _TAG.sub("", body).replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", '"').replace("&amp;", "&")


def words(text: str) -> Counter[str]:
    """Return the words of a text; pdftotext keeps ligatures as one character, PDFium takes them apart."""
    for ligature, letters in (
        ("\ufb00", "ff"),
        ("\ufb01", "fi"),
        ("\ufb02", "fl"),
        ("\ufb03", "ffi"),
        ("\ufb04", "ffl"),
    ):
        text = text.replace(ligature, letters)
    return Counter(_WORD.findall(text.lower()))


def faults_table(paths: list[Path], seed: int) -> str:
    process = PdfProcess()
    rows = []
    for name, damage in DAMAGES.items():
        bodies = [damage(path.read_bytes(), random.Random(seed + number)) for number, path in enumerate(paths)]
        rows.append(fault_row(name, bodies, process))
        say(f"  {rows[-1]}")
    for name, body in hostile():
        rows.append(fault_row(name, [body], process))
        say(f"  {rows[-1]}")
    last = process.read(paths[0].read_bytes())
    process.close()
    about = f"After all of them a good file was {last.status}. Limits: 10 s, 1,024 MB, 200 pages for a file."
    return f"{table(['fault', 'files', 'kB', 'what came of them', 'longest, s', 'most CPU, s'], rows)}\n\n{about}"


def fault_row(name: str, bodies: list[bytes], process: PdfProcess) -> list[Any]:
    became, longest, most_cpu = Counter[str](), 0.0, 0.0
    for body in bodies:
        start, cpu = time.perf_counter(), process.cpu_secs
        answer = process.read(body)
        longest, most_cpu = max(longest, time.perf_counter() - start), max(most_cpu, process.cpu_secs - cpu)
        became[answer.status.replace("_", " ") + (" in part" if answer.is_cut and answer.is_read else "")] += 1
    said = ", ".join(f"{count} {status}" for status, count in became.most_common())
    size = f"{mean(map(len, bodies)) / 1000:,.0f}"
    return [name, len(bodies), size, said, f"{longest:.1f}", f"{most_cpu:.1f}"]


if __name__ == "__main__":
    main()
