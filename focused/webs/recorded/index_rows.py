"""Select the records of a WARC file that are pages, as rows of the index."""

from __future__ import annotations

import logging
import re
import sys
from hashlib import blake2b
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

from tqdm import tqdm

from focused.utils.url_forms import canonical_form, tolerant_form
from focused.webs.recorded.http_message import parse_head
from focused.webs.recorded.warc_record import clean_url

if TYPE_CHECKING:
    from collections.abc import Iterator

    from focused.webs.recorded.http_message import Head
    from focused.webs.recorded.warc_file import WarcScanner
    from focused.webs.recorded.warc_record import Record

logger = logging.getLogger(__name__)

LONG_BUILD_BYTES = 64 * 1024 * 1024
REDIRECTS = frozenset({301, 302, 303, 307, 308})
WARC_DATE = re.compile(r"\d{4}(?:-\d\d(?:-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?)?)?")

Row = tuple[Any, ...]


def hash_of(form: str | None) -> int | None:
    """Hash a URL's form to 64 bits, which are small to store; a lookup compares the forms themselves."""
    if form is None:
        return None
    return int.from_bytes(blake2b(form.encode(), digest_size=8).digest(), "big", signed=True)


class IndexRows:
    """Iterates over the rows of a WARC file's index; shows a progress bar on a terminal if it takes long.

    ``n_headless``: responses skipped so far because they have no HTTP status line.
    """

    def __init__(self, scanner: WarcScanner, n_bytes: int) -> None:
        self._scanner = scanner
        self._n_bytes = n_bytes
        self.n_headless = 0

    def __iter__(self) -> Iterator[Row]:
        for record in self._with_progress():
            url = record.url
            if not url.lower().startswith(("http://", "https://")):
                continue
            if record.kind == "resource":
                yield _row(record, url, 200, None)
            elif record.kind in ("response", "revisit"):
                head = parse_head(record.head)
                if head is None:
                    if record.kind == "revisit" and not record.length:
                        yield _row(record, url, 0, None)
                    else:
                        self.n_headless += 1
                elif head.status >= 200 and head.status != 304:  # "not modified": the earlier record stands
                    yield _row(record, url, head.status, head)

    def _with_progress(self) -> Iterator[Record]:
        is_long = self._n_bytes > LONG_BUILD_BYTES
        show = is_long and sys.stderr.isatty()
        if is_long and not show:
            logger.info("Indexing a WARC file of %d MB; this is done once", self._n_bytes // 1_000_000)
        with tqdm(
            total=self._n_bytes, unit="B", unit_scale=True, desc="Indexing", disable=not show, leave=False
        ) as bar:
            for record in self._scanner:
                bar.update(self._scanner.position - bar.n)
                yield record


def _row(record: Record, url: str, status: int, head: Head | None) -> Row:
    canonical = canonical_form(url)
    tolerant = tolerant_form(canonical) if canonical is not None else None
    if canonical is not None and head is not None and status in REDIRECTS:
        # A server that corrects spelling redirects /dir to /dir/. If /dir/ is not recorded, /dir must not answer for it: the
        # redirect would lead to itself.
        target = _redirect_target(url, head)
        if target == canonical:
            canonical = None
        if target is not None and tolerant == tolerant_form(target):
            tolerant = None
    is_revisit = record.kind == "revisit"
    digest = record.headers.get("warc-payload-digest")
    refers_url = clean_url(record.headers.get("warc-refers-to-target-uri", "")) or url
    return (
        url,
        _date(record.headers.get("warc-date", "")),
        status,
        *record.place,
        digest.upper() if digest else None,
        refers_url if is_revisit else None,
        _date(record.headers.get("warc-refers-to-date", "")) if is_revisit else None,
        hash_of(canonical),
        hash_of(tolerant),
    )


def _date(text: str) -> str:
    date = text.strip().removesuffix("Z")
    return date if WARC_DATE.fullmatch(date) else ""


def _redirect_target(url: str, head: Head) -> str | None:
    for location in head.values("location"):
        try:
            return canonical_form(urljoin(url, location))
        except ValueError:
            return None
    return None
