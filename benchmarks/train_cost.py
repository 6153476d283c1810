"""The cost of ``scrapy train``: time and memory for 50 positives and many unlabelled pages.

Pages are drawn with replacement from the recorded webs; each gets words of its own and loses one, so that no page is a
copy. The command runs as users run it, in a process of its own, which is timed from its start to its end; memory is the
largest resident set of that process, the file system's cache not counted.

Examples
--------
  python benchmarks/train_cost.py
  python benchmarks/train_cost.py --unlabeled 3000 --quick
"""

from __future__ import annotations

import argparse
import io
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from common import DATA_DIR, ROOT, SCRAPY, machine, say, table
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter
from web_corpora import read_labels

from focused.webs import open_web

TOPIC = "Astrophysics"


def bodies() -> tuple[list[bytes], list[bytes]]:
    """Return recorded pages of the topic, and all other pages."""
    labels = read_labels(DATA_DIR / "hyperphysics.labels.tsv")
    web = open_web(str(DATA_DIR / "hyperphysics.warc.gz"), {})
    pages = {url: answer.body for url in sorted(labels) if (answer := web.answer(url)).status == 200}
    others = [body for url, body in pages.items() if TOPIC not in labels[url]]
    other_web = open_web(str(DATA_DIR / "webkb.warc.gz"), {})
    others += [answer.body for _, answer in other_web.pages() if answer.status == 200]  # type: ignore[attr-defined]
    return [body for url, body in pages.items() if TOPIC in labels[url]], others


def write_web(path: Path, pages: list[bytes], n: int, host: str, rng: random.Random) -> None:
    """Write n changed copies of pages as a WARC."""
    with path.open("wb") as file:
        writer = WARCWriter(file, gzip=True)
        for number in range(n):
            words = rng.choice(pages).split(b" ")
            del words[rng.randrange(len(words))]
            own = b" ".join(b"own%x" % rng.randrange(2**20) for _ in range(5))
            payload = b" ".join(words) + b"<p>" + own
            http = StatusAndHeaders("200 OK", [("Content-Type", "text/html")], protocol="HTTP/1.1")

            record = writer.create_warc_record(
                f"http://{host}.example/{number}.html",
                "response",
                payload=io.BytesIO(payload),
                length=len(payload),
                http_headers=http,
            )
            writer.write_record(record)


def measure(folder: Path, *options: str) -> tuple[float, float, float]:
    """Run the command; return seconds, CPU seconds and the largest resident set in MB."""
    argv = [*SCRAPY, "train", "cost", "--positive", str(folder / "positive.warc.gz"), *options, "--force"]
    script = (
        "import resource, subprocess, sys; code = subprocess.run(sys.argv[1:]).returncode; "
        "used = resource.getrusage(resource.RUSAGE_CHILDREN); "
        "print('USED', used.ru_maxrss, used.ru_utime + used.ru_stime); sys.exit(code)"
    )
    started = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", script, *argv],
        cwd=ROOT,
        env={**os.environ, "FOCUSED_MODELS_DIR": str(folder / "models")},
        capture_output=True,
        text=True,
        check=False,
    )
    seconds = time.perf_counter() - started
    if done.returncode:
        sys.exit(f"scrapy train failed:\n{done.stderr[-3000:]}")
    _, kilobytes, cpu = next(line for line in done.stdout.splitlines() if line.startswith("USED")).split()
    return seconds, float(cpu), int(kilobytes) / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--unlabeled", type=int, nargs="*", default=[3000, 50_000], metavar="N")
    parser.add_argument("--positives", type=int, default=50)
    parser.add_argument("--quick", action="store_true", help="measure --quick as well")
    parser.add_argument("--random-state", type=int, default=0)
    options = parser.parse_args()
    rng = random.Random(options.random_state)
    relevant, others = bodies()
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_web(folder / "positive.warc.gz", rng.sample(relevant, options.positives), options.positives, "p", rng)
        for n in options.unlabeled:
            say(f"Writing {n:,} pages ...")
            web = folder / f"{n}.warc.gz"
            write_web(web, [*relevant, *others], n, "u", rng)
            for flags in [(), ("--quick",)] if options.quick else [()]:
                say(f"Training against {n:,} pages {' '.join(flags)} ...")
                seconds, cpu, megabytes = measure(folder, "--unlabeled", str(web), *flags)
                rows.append([f"{n:,}", " ".join(flags), f"{seconds:.1f}", f"{cpu:.1f}", f"{megabytes:,.0f}"])
            web.unlink()
    print(machine())
    print()
    print(table(["unlabelled pages", "options", "seconds", "CPU seconds", "MB"], rows))


if __name__ == "__main__":
    main()
