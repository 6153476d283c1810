"""Shared by the benchmarks: pages to measure on, a topic to score them by, and the output of results."""

from __future__ import annotations

import os
import platform
import random
import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

ROOT = Path(__file__).resolve().parent.parent
#: The checkout whose project is imported: this one, or an older one that is measured beside it.
MEASURED = Path(os.environ.get("FOCUSED_MEASURED_TREE") or ROOT)
sys.path.insert(0, str(MEASURED))  # the project is not installed; whoever imports this may then import it
DATA_DIR = Path(os.environ.get("FOCUSED_DATA_DIR") or ROOT.parent / "shared" / "data")
SCRAPY = [sys.executable, "-m", "scrapy"]
DOCUMENTATION = Path("/usr/share/doc")


def say(text: str) -> None:
    """Show progress."""
    print(text, file=sys.stderr, flush=True)


def documentation(paths: Iterable[Path]) -> list[Path]:
    """Return the HTML files under some paths, without copies and redirects.

    Debian packages install some pages under several names, and leave stubs where pages have moved.
    """
    seen: set[bytes] = set()
    pages: list[Path] = []
    for path in sorted({file for top in paths for file in top.rglob("*.html")}):
        if path.is_file():
            body = path.read_bytes()
            is_redirect = b'http-equiv="refresh"' in body[:2048].lower()
            if body not in seen and not is_redirect:
                seen.add(body)
                pages.append(path)
    if not pages:
        sys.exit("No HTML documentation found. Install some: apt-get install python3-doc git-doc sqlite3-doc")
    return pages


def train_documentation_topic(pages: Sequence[Path], folder: Path, seed: int, seeds: str = "http://127.0.0.1/") -> Path:
    """Train the topic ``python`` from 30 pages of Python's manual against 1,000 of all; return the models folder."""
    rng = random.Random(seed)
    python = [page for page in pages if "python3" in str(page)]
    others = [page for page in pages if "python3" not in str(page)]
    positive = rng.sample(python or others[: len(others) // 10], 30)
    taken = set(positive)
    unlabeled = rng.sample([page for page in pages if page not in taken], min(1000, len(pages) - 30))
    for name, chosen in (("positive", positive), ("unlabeled", unlabeled)):
        (folder / name).mkdir()
        for number, page in enumerate(chosen):
            shutil.copyfile(page, folder / name / f"{number}.html")
    say("Training the topic 'python' ...")
    models_dir = folder / "models"
    models_dir.mkdir()
    scrapy(
        *("train", "python", "--positive", str(folder / "positive"), "--unlabeled", str(folder / "unlabeled")),
        *("--language", "en", "--seeds", seeds, "--quiet"),
        models_dir=models_dir,
    )
    return models_dir


def scrapy(*arguments: str, models_dir: Path, tree: Path = ROOT) -> str:
    """Run a command of the project, or of another checkout, and return its output; exit with its error if it fails."""
    environment = {**os.environ, "FOCUSED_MODELS_DIR": str(models_dir)}
    done = subprocess.run([*SCRAPY, *arguments], cwd=tree, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"scrapy {' '.join(arguments)} failed:\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}")
    return done.stdout


def machine() -> str:
    """Return the machine and versions that results depend on beside the code."""
    model = next(
        (
            line.partition(":")[2].strip()
            for line in Path("/proc/cpuinfo").read_text().splitlines()
            if line.startswith("model name")
        ),
        platform.machine(),
    )
    versions = ", ".join(f"{name} {version(name)}" for name in ("scrapy", "lxml", "numpy", "scikit-learn"))
    load = os.getloadavg()[0]
    return f"{model}, {os.cpu_count()} cores, load {load:.1f}, Python {platform.python_version()}, {versions}"


def chosen_names(only: str | None, known: Sequence[str]) -> list[str]:
    """Return the names that ``--only`` chooses, all where it is not given; exit with the known ones if it names another."""
    names = list(known) if only is None else only.split(",")
    if unknown := [name for name in names if name not in known]:
        sys.exit(f"--only must name some of {', '.join(known)}. Got {', '.join(unknown)}.")
    return names


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a Markdown table."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)
