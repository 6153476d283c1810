"""How long a person looks at nothing: from the command of a crawl to the first line of its log, and to the crawl's start.

Each crawl is a process of its own, as typed in a shell, on the demo web. The big topic is learnt from 1,500 positives and
12,000 unlabelled demo pages with the links among them, which ``adaptive`` learns from anew at each start. It is made once
(some minutes) in the folder that is named. Seconds are wall clock on a machine that does other things, too: the load is
stated; CPU is that of the process, up to the first line and up to its end after one page. Its log goes to a terminal.

Examples
--------
  python benchmarks/first_line.py --folder /tmp/first-line --write      the table of docs/results/start.md
  python benchmarks/first_line.py --topics demo --repeats 3             a look
"""

from __future__ import annotations

import argparse
import os
import pty
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from common import machine, say, table
from provenance import now, write_blocks

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent
SCRAPY = [sys.executable, "-m", "scrapy"]
BIG = "big"
ROOMS = ["focused/commands", "focused/crawl", "focused/extensions", "focused/method"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--topics", default=f"demo,astrophysics,{BIG}", help="topics, separated by commas")
    parser.add_argument("--folder", type=Path, metavar="DIR", help="where the big topic is, or is made")
    parser.add_argument("--repeats", type=int, default=7, metavar="N", help="starts of each topic (default: 7)")
    parser.add_argument("--write", action="store_true", help="write the table into docs/results")
    options = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        for topic in options.topics.split(","):
            models = big_topic(folder) if topic == BIG else ROOT / "models"
            rows.append([topic, size(models / topic), *measured(topic, models, options.repeats)])
    head = ["topic", "examples, MB", "s to the first line", "worst", "s to the crawl's start", "worst"]
    head += ["s of CPU to the first line", "in all"]
    text = f"{machine()} Medians of {options.repeats} starts.\n\n{table(head, rows)}"
    print(text)
    if options.write:
        write_blocks({"the first line of a crawl": text}, now("python benchmarks/first_line.py", ROOMS))


def big_topic(folder: Path) -> Path:
    """Return the folder of models that holds the big topic, made if it is not there."""
    models, examples = folder / "models", folder / "ex"
    if not (models / BIG).is_dir():
        made = [
            "demo",
            "--examples",
            "astronomy",
            examples,
            "--positive",
            1500,
            "--unlabeled",
            12_000,
            "--pages",
            60_000,
        ]
        learnt = ["train", BIG, "--positive", examples / "positive.jsonl", "--unlabeled", examples / "unlabeled.jsonl"]
        learnt += ["--unlabeled-sample", 12_000, "--seeds", "http://www.webring-central.example/"]
        for argv in (made, [*learnt, "-s", f"FOCUSED_MODELS_DIR={models}"]):
            say(f"{argv[0]} ...")
            subprocess.run([*SCRAPY, *map(str, argv)], cwd=ROOT, check=True, stdout=sys.stderr)
    return models


def size(topic: Path) -> str:
    return f"{(topic / 'examples.npz').stat().st_size / 1e6:.1f}"


def measured(topic: str, models: Path, n_repeats: int) -> list[str]:
    """Return medians and worst of the seconds until two lines, and the CPU seconds."""
    first, begun, cpu, cpu_first = [], [], [], list[float]()
    for _ in range(n_repeats):
        with tempfile.TemporaryDirectory() as run:
            argv = [
                "crawl",
                "focused",
                "-a",
                f"topic={topic}",
                "-a",
                "web=demo",
                "-a",
                "max_pages=1",
                "-a",
                f"run_dir={run}/r",
            ]
            argv += ["-s", f"FOCUSED_MODELS_DIR={models}", "-a", "seeds=http://www.webring-central.example/"]
            before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
            screen, stderr = pty.openpty()
            process = subprocess.Popen([*SCRAPY, *argv], cwd=ROOT, stderr=stderr)
            os.close(stderr)
            at = [(time.perf_counter() - start, line) for line in lines_of(screen, process.pid, cpu_first)]
            process.wait()
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
        assert process.returncode == 0, at
        first.append(at[0][0])
        begun.append(next(secs for secs, line in at if f"Topic {topic} on web" in line))
        cpu.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        say(f"{topic}: {first[-1]:.2f} s, {begun[-1]:.2f} s")
    found = [f(values) for values in (first, begun) for f in (statistics.median, max)]
    return [f"{secs:.1f}" for secs in [*found, statistics.median(cpu_first), statistics.median(cpu)]]


def lines_of(screen: int, pid: int, cpu_first: list[float]) -> Iterator[str]:
    """Yield what a process writes to a terminal, line by line; note its CPU seconds at the first line."""
    n_lines = 0
    with suppress(OSError), open(screen, encoding="utf-8", errors="replace") as file:  # at its end a terminal fails
        for line in file:
            if not n_lines:
                used = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
                cpu_first.append((int(used[11]) + int(used[12])) / os.sysconf("SC_CLK_TCK"))
            n_lines += 1
            yield line


if __name__ == "__main__":
    main()
