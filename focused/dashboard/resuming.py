"""Finds how a run is resumed: by the command that began it, as far as its file may be believed.

A run directory may come from a stranger. Of the command in its ``run.json`` only arguments are taken that can neither name
a file nor a class, and settings that topics may set, which come from strangers as well. Its seeds are no word of the person
who resumes it: they open no way to addresses that are not public.
"""

from __future__ import annotations

import re
import shlex
from itertools import pairwise
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from focused.dashboard.runs import read_json
from focused.utils.addresses import kind_of_host
from focused.utils.file_names import DATABASE_FILE, RUN_FILE
from focused.utils.setting import Setting

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
"""Settings that are taken from there: some of those that a topic may set. The crawl checks the project's own."""
_SCRAPYS = {
    setting.name: setting
    for setting in (
        Setting("DOWNLOAD_DELAY", 0.0, least=0.2, most=3600),
        Setting("CONCURRENT_REQUESTS", 0, least=1, most=1000),
        Setting("CONCURRENT_REQUESTS_PER_DOMAIN", 0, least=1, most=8),
        Setting("DEPTH_LIMIT", 0, least=0),
        Setting("DOWNLOAD_TIMEOUT", 0.0, least=1, most=600),
    )
}
"""Bounds of Scrapy's settings: a stranger's run must not make the person who resumes it press sites."""
PRIVATE = "FOCUSED_PRIVATE_ADDRESSES"
_REFUSE = f"{PRIVATE}=refuse"
HARMLESS_SETTINGS = frozenset({"FOCUSED_CONTACT", "FOCUSED_RUNS_DIR", "FOCUSED_MODELS_DIR", "FOCUSED_METRICS_TOKEN"})
"""They stand in the command where the dashboard was started with them; it has them still, or has others."""
_OF_SCRAPYD = frozenset({"_job", "_version", "LOG_FILE"})
"""What Scrapyd adds to a command. A crawl of the dashboard is no job, and has a log of its own."""


def arguments_of(run_dir: Path, *, may_ask_private: bool = False) -> tuple[dict[str, str], list[str]]:
    """Return the spider arguments of the command that began a run, without its folder, and its settings as NAME=VALUE.

    Unless the crawl ``may_ask_private`` addresses by the dashboard's own settings, one of these keeps it from them, also where
    a name leads to one. A ValueError says why it must be resumed in a terminal.
    """
    if (run_dir / DATABASE_FILE).exists():
        raise ValueError(_in_terminal("many workers crawl it", run_dir))
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
            if name != "run_dir" and name not in _OF_SCRAPYD:
                arguments[name] = _checked(name, said, run_dir)
        elif word[:2] == "-s":
            if value != _REFUSE and not _may_set(name, said):
                raise ValueError(_in_terminal(f"it was begun with the setting {_shown(value)}", run_dir))
            settings += [value] * (name in SETTINGS)
        elif word.startswith("-"):
            raise ValueError(_in_terminal(f"it was begun with the option {_shown(word)}", run_dir))
    if may_ask_private:
        return arguments, settings
    for url in re.split(r"[\s,]+", arguments.get("seeds", "")):
        if kind := _kind_of(url):
            raise ValueError(_in_terminal(f"its seed {_shown(url)} is a {kind} address", run_dir))
    return arguments, [*settings, _REFUSE]


def _may_set(name: str, value: str) -> bool:
    """Tell whether a setting of a run's file is taken, or left to the dashboard."""
    try:
        _SCRAPYS[name].check(value)
    except KeyError:
        return name in SETTINGS | HARMLESS_SETTINGS | _OF_SCRAPYD and value.isprintable()
    except ValueError:
        return False
    return True


def _kind_of(url: str) -> str:
    """Return why a URL is not public as far as its text tells; empty if nothing is against it."""
    try:
        return kind_of_host(urlsplit(url).hostname or "")
    except ValueError:
        return "wrong"


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
    # Seeds that were typed one below the other are. What cannot be seen must not be run.
    is_seen = re.sub(r"[\n\t]", " ", value).isprintable()
    if name not in ARGUMENTS or not ARGUMENTS[name].fullmatch(value) or not is_seen:
        raise ValueError(_in_terminal(f"it was begun with {_shown(name)}={_shown(value)}", run_dir))
    return value


def _shown(text: str) -> str:
    r"""Return a stranger's text, short, with what cannot be seen spelled out.

    >>> print(_shown("a\u202e\n"))
    a\u202e\n
    """
    return repr(text[:80])[1:-1]


def _in_terminal(why: str, run_dir: Path) -> str:
    return (
        f"This run cannot be resumed from here: {why}. If you began it yourself, type its command in a terminal, with "
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
