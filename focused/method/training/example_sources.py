"""Find the candidates for example pages at a PATH: a folder, a PDF file, a WARC, JSON Lines, or a list of URLs to fetch."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol
from urllib.parse import quote

from focused.method.page.urls import is_page_url
from focused.method.training.example_content import HTML_TYPE, TEXT_TYPE, PageContent, RefusedError, checked
from focused.method.training.example_pdf import MOST_PDF_BYTES, is_pdf, not_an_example
from focused.utils.url_lists import http_url, url_lines
from focused.webs.recorded import RecordedWeb

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import ExitStack

    from focused.method.training.example_content import Refusals
    from focused.webs.recorded.answer import Answer

_HTML_SUFFIXES = frozenset((".html", ".htm", ".xhtml", ".xht", ".shtml", ".php", ".asp", ".aspx", ".jsp", ".cgi"))
_TEXT_SUFFIXES = frozenset((".txt", ".text", ".md", ".rst"))
_JSON_SUFFIXES = frozenset((".jsonl", ".ndjson", ".jl"))

# Files have no URL, but training learns from links between them. So each gets a URL on a host that cannot exist (RFC 6761),
# and relative links lead to the same files as on disk.
FILES_ORIGIN = "http://files.invalid"


class SourceError(ValueError):
    """A PATH cannot be used at all; the message says which, what it must be, and what to do."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A page that may become an example.

    ``load`` returns its content or raises `RefusedError`. ``is_remote``: it must be fetched first.
    """

    name: str
    url: str
    load: Callable[[], PageContent]
    is_remote: bool = False


class FetchedExamples(Protocol):
    """Pages that were fetched."""

    def content(self, url: str) -> PageContent:
        """Return the page that answered a URL, or raise `RefusedError`."""


@dataclass(frozen=True)
class OpenSources:
    """What opening a PATH needs: the list of refusals, the fetched pages, and the stack that closes files."""

    refusals: Refusals
    fetched: FetchedExamples
    stack: ExitStack
    max_bytes: int = 2_000_000
    cache_dir: Path | None = None


def candidates_at(path: Path, opening: OpenSources, urls: list[str] | None = None) -> list[Candidate]:
    """Return the candidates at a PATH, in the same order on every machine.

    ``urls``: take only the pages of these URLs from a WARC, matched as a recorded web matches them. Raises SourceError or
    WebError if PATH cannot be read, or does not hold what its form promises.
    """
    try:
        if path.is_dir():
            return _folder(path, opening)
        if path.exists() and not path.is_file():
            raise SourceError(f"{path} cannot be read: it is neither a file nor a folder.")
        with path.open("rb") as file:
            head = file.read(512)
    except SourceError:
        raise
    except OSError as error:
        raise SourceError(
            f"{path} cannot be read: {error.strerror}. Name a folder of HTML or text files, a WARC, a JSON Lines file or "
            f"a text file of URLs."
        ) from None
    except ValueError as error:  # a NUL in the name
        raise SourceError(f"{str(path)!r} is no path: {error}.") from None
    if is_warc(path, head):
        return _warc(path, opening, urls)
    if path.suffix.lower() in _JSON_SUFFIXES or head.lstrip()[:1] == b"{":
        return _json_lines(path, opening)
    if path.suffix.lower() in _HTML_SUFFIXES or is_pdf(head):
        return [_file(path, path.name, opening.max_bytes)]
    return _url_list(path, opening)


def candidates_in(paths: list[Path], opening: OpenSources, urls: list[str] | None = None) -> list[Candidate]:
    """Return the candidates of several PATHs; with ``urls``, only these pages of WARCs.

    A URL that is in none of the WARCs is refused. Raises SourceError if there are URLs but no WARC, and as `candidates_at`.
    """
    found: list[Candidate] = []
    missing = urls
    n_warcs = 0
    for path in paths:
        more = candidates_at(path, opening, missing)
        found += more
        if missing is not None and path.is_file() and _is_warc_file(path):
            n_warcs += 1
            names = {candidate.name for candidate in more}
            missing = [url for url in missing if url not in names]
    if urls is not None and not n_warcs:
        among = ", ".join(map(str, paths))
        raise SourceError(f"A list of URLs chooses pages of a WARC, but there is no WARC among {among}.")
    for url in missing or []:
        opening.refusals.add("not in the WARC", url)
    return found


def _is_warc_file(path: Path) -> bool:
    with path.open("rb") as file:
        return is_warc(path, file.read(8))


def is_warc(path: Path, head: bytes = b"") -> bool:
    """Tell by its name or its first bytes whether a file is a WARC."""
    return path.name.lower().endswith((".warc", ".warc.gz")) or head.startswith((b"WARC/", b"\x1f\x8b"))


def _folder(top: Path, opening: OpenSources) -> list[Candidate]:
    found: list[Candidate] = []

    def unreadable(error: OSError) -> None:
        opening.refusals.add("unreadable", str(error.filename), str(error.strerror))

    for folder, subfolders, names in os.walk(top, onerror=unreadable):
        here = Path(folder)
        for name in sorted(name for name in (*subfolders, *names) if name.startswith(".")):
            opening.refusals.add("hidden", str(here / name))
        subfolders[:] = sorted(name for name in subfolders if not name.startswith("."))
        for name in sorted(name for name in names if not name.startswith(".")):
            file = here / name
            if not is_page_url(f"{FILES_ORIGIN}/{name}", not_an_example()):
                opening.refusals.add("neither HTML nor text", str(file))
            else:
                found.append(_file(file, str(file), opening.max_bytes))
    return found


def _file(path: Path, name: str, max_bytes: int) -> Candidate:
    url = _file_url(path)
    return Candidate(name, url, partial(_load_file, path, url, max_bytes))


def _file_url(path: Path) -> str:
    # Links are not resolved: a folder of symbolic links keeps its structure, as on a server.
    return FILES_ORIGIN + quote(os.fsencode(Path(os.path.normpath(Path.cwd() / path)).as_posix()))


def _load_file(path: Path, url: str, max_bytes: int) -> PageContent:
    try:
        if not path.is_file():  # a device or a pipe would never end
            raise RefusedError("unreadable", "no regular file")
        with path.open("rb") as file:
            body = file.read(max_bytes + 1)
            if is_pdf(body):
                body += file.read(MOST_PDF_BYTES)
    except OSError as error:
        raise RefusedError("unreadable", error.strerror or str(error)) from None
    suffix = path.suffix.lower()
    known = HTML_TYPE if suffix in _HTML_SUFFIXES else TEXT_TYPE if suffix in _TEXT_SUFFIXES else None
    return checked(url, body, known)


def _warc(path: Path, opening: OpenSources, urls: list[str] | None) -> list[Candidate]:
    web = opening.stack.enter_context(RecordedWeb(path, opening.cache_dir))
    if urls is not None:
        return [Candidate(url, url, partial(_load_answer, web, url)) for url in urls if web.index.find(url)]
    found = []
    for page in web.index.pages():
        # Status 0: a revisit whose status is known only when its original is read.
        if page.status and not 200 <= page.status < 300:
            opening.refusals.add(f"answered {page.status}", page.url)
        else:
            found.append(Candidate(page.url, page.url, partial(_load_answer, web, page.url)))
    return found


def _load_answer(web: RecordedWeb, url: str) -> PageContent:
    answer = web.answer(url)
    if not 200 <= answer.status < 300:
        raise RefusedError(f"answered {answer.status}")
    recorded_url = url if answer.match == "exact" else header(answer, "content-location") or url
    return checked(recorded_url, answer.body, header(answer, "content-type"))


def header(answer: Answer, name: str) -> str | None:
    """Return the last value of a header of an answer."""
    return next((value for key, value in reversed(answer.headers) if key.lower() == name), None)


def _json_lines(path: Path, opening: OpenSources) -> list[Candidate]:
    found = []
    with path.open("rb") as file:
        start = 0
        for number, line in enumerate(file, 1):
            name = f"{path.name} line {number}"
            if line.strip():
                try:
                    record = _record(line)
                    # A page without URL gets a URL of its own, so that no two look the same.
                    url = http_url(str(record.get("url") or "")) or f"{_file_url(path)}/{number}"
                    found.append(Candidate(name, url, partial(_load_record, path, start, len(line), url)))
                except RefusedError as refused:
                    opening.refusals.add(str(refused), name, refused.detail)
            start += len(line)
    return found


def _record(line: bytes) -> dict[str, object]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        raise RefusedError("no JSON object") from None
    if not isinstance(record, dict):
        raise RefusedError("no JSON object")
    if not any(isinstance(record.get(key), str) for key in ("html", "text")):
        raise RefusedError("no html or text field")
    return record


def _load_record(path: Path, start: int, length: int, url: str) -> PageContent:
    try:
        with path.open("rb") as file:
            file.seek(start)
            record = _record(file.read(length))
    except OSError as error:
        raise RefusedError("unreadable", error.strerror or str(error)) from None
    html, text = record.get("html"), record.get("text")
    body, kind = (html, HTML_TYPE) if isinstance(html, str) and html.strip() else (text or "", TEXT_TYPE)
    return checked(url, str(body).encode("utf-8", "replace"), f"{kind}; charset=utf-8")


def _url_list(path: Path, opening: OpenSources) -> list[Candidate]:
    try:
        lines = url_lines(path)
    except (OSError, UnicodeDecodeError):
        lines = []
    if not any(url for _, _, url in lines):
        raise SourceError(
            f"{path} must be a folder, a WARC, a JSON Lines file or a text file of URLs, one a line. It is none of "
            f"these: it holds no http or https URL."
        )
    found = []
    for number, line, url in lines:
        if url is None:
            opening.refusals.add("no URL", f"{path.name} line {number}", line[:60])
        else:
            found.append(Candidate(url, url, partial(opening.fetched.content, url), is_remote=True))
    return found
