"""Writes the command that resumes a crawl: the one that began it, with its run directory."""

from __future__ import annotations

import re
import shlex
import shutil
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from focused.utils.output_settings import SECRET

if TYPE_CHECKING:
    from collections.abc import Sequence

HIDDEN = "***"


def how_to_resume(argv: Sequence[str], run_dir: Path | None, *, is_own_spider: bool = True) -> str:
    """Return the command that resumes a crawl, to be typed in the same folder; for a crawl from a script, the settings.

    Parameters
    ----------
    argv : sequence of str
        The interpreter's own arguments, as ``sys.orig_argv`` has them.
    run_dir : Path or None
        Where the crawl wrote. It is added unless it is said already. None: each start has a folder of its own, as those of
        workers have, so none is named.
    is_own_spider : bool
        Whether the spider takes ``-a run_dir``; a spider of another project has the setting instead.

    Examples
    --------
    >>> how_to_resume(["python", "-m", "focused", "crawl", "focused", "-a", "topic=a b"], Path("runs/1"))
    "python -m focused crawl focused -a 'topic=a b' -a run_dir=runs/1"
    >>> how_to_resume(["python", "my_crawl.py"], Path("runs/1"))
    'run it again with the setting FOCUSED_RUN_DIR=runs/1'
    >>> how_to_resume(["python", "-m", "focused", "crawl", "focused", "-a", "crawl=stars", "-a", "run_dir=w1"], None)
    'python -m focused crawl focused -a crawl=stars'
    """
    option, name = ("-a", "run_dir") if is_own_spider else ("-s", "FOCUSED_RUN_DIR")
    if not {"crawl", "runspider"} & set(argv):
        return "run it again" if run_dir is None else f"run it again with the setting FOCUSED_RUN_DIR={run_dir}"
    words = [*_program(argv), *(argv[2:] if _is_script(argv) else argv[1:])]
    if run_dir is None:
        return without_secrets(_without(words, option, name))
    given = [value.partition("=")[2] for value in _values(words, option) if value.startswith(f"{name}=")]
    if not given or Path(given[-1]).resolve() != run_dir.resolve():
        words += [option, f"{name}={run_dir}"]
    return without_secrets(words)


def without_secrets(words: Sequence[str]) -> str:
    """Return a command as it may be written down: secrets are left out.

    >>> without_secrets(["scrapy", "crawl", "focused", "-s", "FOCUSED_METRICS_TOKEN=x", "-sFOCUSED_METRICS_TOKEN=x"])
    "scrapy crawl focused -s 'FOCUSED_METRICS_TOKEN=***' '-sFOCUSED_METRICS_TOKEN=***'"
    """
    return shlex.join(re.sub(rf"({'|'.join(SECRET)})=.*", rf"\1={HIDDEN}", word, flags=re.DOTALL) for word in words)


def overwritten_feeds(argv: Sequence[str]) -> list[str]:
    """Return the output files that the command of a crawl writes anew each time it is run.

    >>> overwritten_feeds(["scrapy", "crawl", "focused", "-O", "a.json", "-Ob.csv:csv", "--overwrite-output=c.xml"])
    ['a.json', 'b.csv:csv', 'c.xml']
    """
    return [
        *_values(argv, "-O"),
        *(word.partition("=")[2] for word in argv if word.startswith("--overwrite-output=")),
        *(value for word, value in pairwise(argv) if word == "--overwrite-output"),
    ]


def _without(words: Sequence[str], option: str, name: str) -> list[str]:
    """Return a command without an argument that has a value."""
    kept: list[str] = []
    for word in words:
        if kept and kept[-1] == option and word.startswith(f"{name}="):
            kept.pop()
        elif not word.startswith(f"{option}{name}="):
            kept.append(word)
    return kept


def _is_script(argv: Sequence[str]) -> bool:
    return len(argv) > 1 and not argv[1].startswith("-")


def _program(argv: Sequence[str]) -> list[str]:
    """Return how the program is called: by its name, if that is enough."""
    if not _is_script(argv):
        return list(argv[:1])
    path = Path(argv[1])
    if (found := shutil.which(path.name)) and path.exists() and Path(found).samefile(path):
        return [path.name]
    return list(argv[:2])


def _values(words: Sequence[str], option: str) -> list[str]:
    """Return the values of a short option, which may stand in the same word."""
    found = []
    for word, following in zip(words, [*words[1:], ""], strict=True):
        if word == option:
            found.append(following)
        elif word.startswith(option):
            found.append(word[len(option) :])
    return found
