"""A recorded web: a WARC file that answers URLs as the recorded servers did."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from focused.utils.words import quantity
from focused.webs.recorded.answer import Answer, Match, WebError, missing
from focused.webs.recorded.byte_source import BytePosition, DamagedError, source_at
from focused.webs.recorded.http_message import Head, decode_body, parse_head
from focused.webs.recorded.index_store import open_index
from focused.webs.recorded.warc_record import Record, read_record

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from typing_extensions import Self

    from focused.webs.recorded.index import RecordedPage

logger = logging.getLogger(__name__)

MAX_BODY_BYTES = 16 * 1024 * 1024
_told: set[tuple[Path, int, int]] = set()
"""Damages already logged: a crawl opens its web more than once."""
# Headers about the connection or the encoded body, which do not hold for the answer.
DROPPED_HEADERS = frozenset({"transfer-encoding", "content-encoding", "content-length"})


class RecordedWeb:
    """Replays a WARC file: 1.0 and 1.1, plain or gzipped record by record.

    Memory does not grow with the file: its index is in SQLite (see `focused.webs.recorded.index`), and one record is read at
    a time. It is not thread-safe. Redirects are answered as redirects; the caller follows them.

    ``cache_dir``: folder of the index if it cannot be written beside the file. ``max_body_bytes``: longer bodies are cut,
    before and after decompression. ``index``: counts of pages, of damaged places, of superseded and of unresolved records.
    Raises WebError if the file cannot be read, is no WARC, or holds no page.
    """

    def __init__(self, path: Path, cache_dir: Path | None = None, *, max_body_bytes: int = MAX_BODY_BYTES) -> None:
        self.path = path
        self._max_body_bytes = max_body_bytes
        self.index = open_index(path, cache_dir)
        try:
            self._file = path.open("rb")
        except OSError as error:
            self.index.close()
            raise WebError(f"{path} cannot be read: {error.strerror}. Check its permissions.") from error
        damages = (path.absolute(), self.index.n_damaged, self.index.n_unresolved)
        if any(damages[1:]) and damages not in _told:
            _told.add(damages)
            losses = {"damaged places": damages[1], "revisits of pages that it does not hold": damages[2]}
            skipped = ", ".join(quantity(count, what) for what, count in losses.items() if count)
            n_pages = quantity(self.index.n_pages, "pages")
            logger.warning("%s: skipped %s; %s can be read", path, skipped, n_pages)

    def answer(self, url: str) -> Answer:
        """Answer a URL from the record that matches it best; see `focused.webs.recorded.answer.Web`."""
        found = self.index.find(url)
        return missing() if found is None else self._replay(*found)

    def pages(self) -> Iterator[tuple[str, Answer]]:
        """Iterate over all URLs of the file and their answers, in its order."""
        for page in self.index.pages():
            yield page.url, self._replay(page, "exact")

    def __len__(self) -> int:
        return self.index.n_pages

    def close(self) -> None:
        """Let go of the files."""
        self._file.close()
        self.index.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _replay(self, page: RecordedPage, match: Match) -> Answer:
        record, head, raw = self._read(page.place)
        if record.url != page.url:
            raise self._unfit()
        body_head = head
        if page.body_place != page.place:  # a revisit has headers of its own, if any
            _, body_head, raw = self._read(page.body_place)
            head = head if record.head else body_head
        body, codings = decode_body(raw, body_head, self._max_body_bytes + 1)
        cut = max(len(raw), len(body)) > self._max_body_bytes
        if cut:
            logger.warning("%s is longer than %d bytes; the rest is cut off", page.url, self._max_body_bytes)
            body = body[: self._max_body_bytes]
        headers = [pair for pair in head.headers if pair[0].lower() not in DROPPED_HEADERS]
        if match != "exact":
            # Tells, as in HTTP, the URL of this page: its labels are kept under that URL.
            headers = [pair for pair in headers if pair[0].lower() != "content-location"]
            headers.append(("Content-Location", page.url))
        if codings:
            headers.append(("Content-Encoding", ", ".join(codings)))
        headers.append(("Content-Length", str(len(body))))
        return Answer(head.status, tuple(headers), body, match=match, cut=cut)

    def _read(self, place: BytePosition) -> tuple[Record, Head, bytes]:
        """Read a record: its head, and its body up to one byte beyond the limit."""
        try:
            source = source_at(self._file, place)
            record = read_record(source)
            raw = source.read(min(record.length - len(record.head), self._max_body_bytes + 1))
        except OSError as error:
            raise WebError(f"{self.path} cannot be read any more: {error}. Check the disk, start again.") from error
        except (DamagedError, ValueError, TypeError) as error:  # the latter for invalid positions
            raise self._unfit() from error
        head = parse_head(record.head)
        if head is None:  # a resource has no HTTP head, nor have some revisits
            kind = record.headers.get("content-type", "application/octet-stream")
            head = Head(200, (("Content-Type", kind),))
        return record, head, raw

    def _unfit(self) -> WebError:
        return WebError(
            f"{self.path} has changed since it was indexed, or its index is wrong. Delete {self.index.path}: "
            "the next start makes it anew."
        )
