"""Keeps what a topic is made from on the page: words, URLs, files and pages of runs, so that more can be added later.

``RUNS_DIR/.topics/NAME/`` holds ``about.json`` (words, sentence, title), ``urls.txt``, ``seeds.txt``, the folder ``files`` of
dropped files, ``run-KEY.jsonl`` of each run that gave pages, and ``train.log``. `scrapy train` reads all of it each time.
"""

from __future__ import annotations

import json
import re
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from focused.dashboard.runs import read_json
from focused.method.topic import is_topic_name
from focused.utils.files import write_whole

if TYPE_CHECKING:
    from collections.abc import Iterable

FOLDER, LOG_FILE = ".topics", "train.log"
TEXTS = ("title", "keywords", "describe", "language")
"""Options of `scrapy train` that are kept."""
MAX_FILES, MAX_URLS, MAX_RUN_PAGES = 500, 1_000, 500
_SUFFIXES = (".html", ".htm", ".xhtml", ".txt", ".text", ".md", ".pdf")
_URL = re.compile(r"https?://[^\s\x00-\x1f\x7f]{1,2000}")
_ABOUT, _URLS, _SEEDS, _FILES = "about.json", "urls.txt", "seeds.txt", "files"


class Material:
    """The material of one topic; ``name`` is a topic's name that was checked."""

    def __init__(self, runs_dir: Path, name: str) -> None:
        self.name = name
        self.folder = runs_dir / FOLDER / name
        self.log = self.folder / LOG_FILE

    @property
    def is_there(self) -> bool:
        """Whether the topic was made here."""
        return self.about.is_file()

    @property
    def about(self) -> Path:
        """The file of words, sentence, title and language."""
        return self.folder / _ABOUT

    @property
    def url_file(self) -> Path:
        """The file of URLs of pages about the topic."""
        return self.folder / _URLS

    def urls(self) -> list[str]:
        """Return the URLs of pages about the topic."""
        return self._lines(_URLS)

    def files(self) -> list[Path]:
        """Return the dropped files."""
        folder = self.folder / _FILES
        return sorted(path for path in folder.iterdir() if path.is_file()) if folder.is_dir() else []

    def run_keys(self) -> list[str]:
        """Return the keys of the runs that gave pages."""
        found = sorted(path for path in self.folder.glob("run-*.jsonl") if path.is_file() and path.stat().st_size)
        return [path.stem.removeprefix("run-") for path in found]

    def begin(self) -> None:
        """Make the folder; a ValueError says that something else stands there."""
        (self.folder / _FILES).mkdir(parents=True, exist_ok=True)
        for path in (self.folder.parent, self.folder, self.folder / _FILES):
            if path.is_symlink():
                raise ValueError(f"{path} must be a folder, and no link. Move it away")

    def texts(self) -> dict[str, str]:
        """Return the words, sentence, title and language."""
        found = read_json(self.folder / _ABOUT)
        return {name: str(found.get(name) or "") for name in TEXTS}

    def set_texts(self, texts: dict[str, str]) -> None:
        """Keep them; an empty one leaves what is there."""
        known = self.texts()
        kept = {name: texts.get(name, "") or known[name] for name in TEXTS}
        write_whole(self.folder / _ABOUT, json.dumps(kept, ensure_ascii=False, indent=2) + "\n")

    def add_urls(self, urls: str, seeds: str) -> None:
        """Add URLs of pages about the topic, and those where crawls start; a ValueError names what is no URL."""
        for name, text in ((_URLS, urls), (_SEEDS, seeds)):
            if found := read_urls(text):
                known = self._lines(name)
                write_whole(self.folder / name, "\n".join(list(dict.fromkeys([*known, *found]))[:MAX_URLS]) + "\n")

    def add_file(self, named: str, content: bytes) -> None:
        """Add a dropped file under a name of its own that the browser's cannot leave; a ValueError says what it must be."""
        stem, suffix = check_file_name(named)
        self.check_room(1)
        folder = self.folder / _FILES
        taken = {path.name for path in folder.iterdir()}
        name = next(each for each in _names(stem, suffix) if each not in taken)
        with (folder / name).open("xb") as file:
            file.write(content)

    def check_room(self, n_files: int) -> None:
        """Refuse more files than a topic may have, with a ValueError."""
        if len(list((self.folder / _FILES).iterdir())) + n_files > MAX_FILES:
            raise ValueError(f"A topic may have {MAX_FILES} files here. Train it in a terminal from more: scrapy train")

    def run_file(self, key: str) -> Path:
        """Return the file of a run's pages."""
        return self.folder / f"run-{key}.jsonl"

    def words(self, runs_dir: Path) -> list[str]:
        """Return the words that follow ``train`` and the topic; a ValueError says that there is nothing to learn from."""
        texts = self.texts()
        positive = [str(self.run_file(key)) for key in self.run_keys()]
        positive += [str(self.url_file)] * bool(self.urls())
        positive += [str(self.folder / _FILES)] * bool(self.files())
        if not positive and not texts["keywords"] and not texts["describe"]:
            raise ValueError("Say what the topic is about: by words, a sentence, URLs, files, or pages of a run")
        words = [f"--{name}={texts[name]}" for name in TEXTS if texts[name]]
        if positive:
            words += ["--positive", *positive]
        if self._lines(_SEEDS):
            words.append(f"--seeds={self.folder / _SEEDS}")
        return words

    def _lines(self, name: str) -> list[str]:
        path = self.folder / name
        return path.read_text(encoding="utf-8").split() if path.is_file() and not path.is_symlink() else []


def check_file_name(named: str) -> tuple[str, str]:
    """Return a plain name for a dropped file, and its suffix; a ValueError says what the file must be."""
    last = PurePosixPath(named.replace("\\", "/")).name
    suffix = Path(last).suffix.lower()
    if suffix not in _SUFFIXES:
        raise ValueError(f"A file must be a page or a text ({', '.join(_SUFFIXES)}). Got {last[:100]!r}")
    return re.sub(r"[^\w-]+", "-", Path(last).stem)[:80] or "page", suffix


def materials(runs_dir: Path) -> list[Material]:
    """Return what topics were made from here, by their names."""
    found = sorted(path.parent.name for path in (runs_dir / FOLDER).glob(f"*/{_ABOUT}"))
    return [Material(runs_dir, name) for name in found if is_topic_name(name)]


def read_urls(text: str) -> list[str]:
    """Return the URLs of a text; a ValueError names the first word that is none.

    >>> read_urls("http://a.example/ https://b.example/c")
    ['http://a.example/', 'https://b.example/c']
    """
    words = [word.strip(",;") for word in text.split()]
    for word in words:
        if not _URL.fullmatch(word):
            raise ValueError(f"A URL must be such as http://a.example/. Got {word[:100]!r}")
    return words


def chosen_lines(lines: Iterable[str], *, judged_only: bool) -> list[str]:
    """Return the lines of an export that join the examples: at most `MAX_RUN_PAGES`, those with a yes of people first."""
    found = [(json.loads(line).get("verdict") is True, line) for line in lines if line.strip()]
    wanted = [pair for pair in found if pair[0] or not judged_only]
    return [line for _, line in sorted(wanted, key=lambda pair: not pair[0])[:MAX_RUN_PAGES]]


def _names(stem: str, suffix: str) -> Iterable[str]:
    yield f"{stem}{suffix}"
    for number in range(2, MAX_FILES + 2):
        yield f"{stem}-{number}{suffix}"
