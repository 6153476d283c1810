"""How a run is resumed: by the command that began it, as far as its file may be believed.

A run directory may come from a stranger. Of the command in its ``run.json`` only arguments are taken that can neither name
a file nor a class, and settings that topics may set, which come from strangers as well.
"""

from __future__ import annotations

import re
import shlex
from itertools import pairwise
from typing import TYPE_CHECKING

from focused.dashboard.runs import read_json
from focused.utils.file_names import RUN_FILE

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

BUDGETS = ("max_pages", "max_relevant", "max_minutes")
_WHOLE, _NUMBER, _NAME = (
    re.compile(r"[0-9]{1,12}"),
    re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?"),
    re.compile(r"[a-z0-9_-]{1,64}"),
)
_TEXT, _URLS = re.compile(r"[^\x00-\x1f\x7f]{0,20000}"), re.compile(r"(https?://[^\s\x00-\x1f\x7f]{1,2000}[\s,]*)+")
ARGUMENTS = {
    **dict.fromkeys(("topic", "strategy", "preset"), _NAME),
    **dict.fromkeys(("max_pages", "max_relevant", "max_depth", "max_pages_per_host", "max_pages_per_domain"), _WHOLE),
    "max_minutes": _NUMBER,
    **dict.fromkeys(("allow", "deny", "languages"), _TEXT),
    "seeds": _URLS,
    "web": re.compile("live|demo"),
    "stop_when": re.compile("budgets|saturated"),
}
"""Spider arguments that are taken from a run's file, and what they may be."""
SETTINGS = frozenset(
    "FOCUSED_RETRAINING FOCUSED_RETRAINING_T1 FOCUSED_RETRAINING_T2 FOCUSED_RETRAINING_EVERY_PAGES FOCUSED_UNLABELED "
    "FOCUSED_PATIENCE FOCUSED_COPIES FOCUSED_TRAPS FOCUSED_DOMAIN_SHARE FOCUSED_BELOW_THRESHOLD FOCUSED_SIMILARITY "
    "FOCUSED_STOP_WHEN FOCUSED_RELEVANCE_THRESHOLD FOCUSED_LINK_THRESHOLD "
    "FOCUSED_MAX_PAGES FOCUSED_MAX_RELEVANT FOCUSED_MAX_MINUTES "
    "FOCUSED_SCOPE_ALLOW FOCUSED_SCOPE_DENY FOCUSED_SCOPE_LANGUAGES FOCUSED_METRICS_INTERVAL_SECS DOWNLOAD_DELAY "
    "CONCURRENT_REQUESTS CONCURRENT_REQUESTS_PER_DOMAIN DEPTH_LIMIT DOWNLOAD_TIMEOUT".split()
)
"""Settings that are taken from there: some of those that a topic may set."""
HARMLESS_SETTINGS = frozenset({"FOCUSED_CONTACT", "FOCUSED_RUNS_DIR", "FOCUSED_MODELS_DIR"})
"""They stand in the command where the dashboard was started with them; it has them still, or has others."""


def arguments_of(run_dir: Path) -> tuple[dict[str, str], list[str]]:
    """Return the spider arguments of the command that began a run, without its folder, and its settings as NAME=VALUE.

    A ValueError says why it must be resumed in a terminal.
    """
    command = read_json(run_dir / RUN_FILE).get("command")
    words = _words(command)
    if "crawl" not in words:
        raise ValueError(_in_terminal("its file does not tell the command that began it", run_dir))
    words = words[words.index("crawl") + 1 :]
    arguments, settings = dict[str, str](), list[str]()
    options = iter([*words, ""])
    for word, following in pairwise(options):
        value = word[2:] or following
        name, _, said = value.partition("=")
        if word[:2] == "-a":
            if name != "run_dir":
                arguments[name] = _checked(name, said, run_dir)
        elif word[:2] == "-s":
            if name not in SETTINGS | HARMLESS_SETTINGS:
                raise ValueError(_in_terminal(f"it was begun with the setting {name[:80]}", run_dir))
            settings += [value] * (name in SETTINGS)
        elif word.startswith("-"):
            raise ValueError(_in_terminal(f"it was begun with the option {word[:80]}", run_dir))
    return arguments, settings


def _words(command: object) -> list[str]:
    """Return the words of a command, each option in one word with its value."""
    try:
        words = shlex.split(command) if isinstance(command, str) else []
    except ValueError:
        return []
    joined = list[str]()
    for word in words:
        if joined and joined[-1] in ("-a", "-s"):
            joined[-1] += word
        else:
            joined.append(word)
    return joined


def _checked(name: str, value: str, run_dir: Path) -> str:
    if name not in ARGUMENTS or not ARGUMENTS[name].fullmatch(value):
        raise ValueError(_in_terminal(f"it was begun with {name[:80]}={value[:80]}", run_dir))
    return value


def _in_terminal(why: str, run_dir: Path) -> str:
    return (
        f"This run cannot be resumed from here: {why}. In a terminal type the command that began it, with "
        f"-a run_dir={run_dir}"
    )


def spider_words(arguments: dict[str, str], settings: Sequence[str], run_dir: Path) -> list[str]:
    """Return the words that follow ``crawl``."""
    given = {name: value for name, value in arguments.items() if value} | {"run_dir": str(run_dir)}
    return [
        "focused",
        *(word for name, value in given.items() for word in ("-a", f"{name}={value}")),
        *(word for each in settings for word in ("-s", each)),
    ]
