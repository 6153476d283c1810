"""Exports pages as WARC: their answers, byte for byte as the crawl recorded them."""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO

from warcio.archiveiterator import ArchiveIterator
from warcio.exceptions import ArchiveLoadFailed

from focused.utils.file_names import WARC_FILE
from focused.utils.words import quantity

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from focused.collection.joined import JoinedRuns

Member = tuple[int, int]
"""Where a record stands in its file: offset and length, in bytes."""


def write_warc(runs: JoinedRuns, path: Path) -> list[str]:
    """Write the records of the pages, those of each run after what its file says of itself. Redirects are left out.

    Raises
    ------
    ValueError
        If a run recorded nothing.
    """
    missing = [each for each in runs.run_dirs if not (each / WARC_FILE).is_file()]
    if missing:
        raise ValueError(
            f"There is no {WARC_FILE} in {missing[0]}: nothing was recorded (FOCUSED_WARC). Choose another: --format jsonl"
        )
    wanted: dict[Path, dict[str, str]] = {each: {} for each in runs.run_dirs}
    for run, row in runs.rows():
        wanted[run] |= {row["url"]: row["url"], row["location"]: row["url"]}
    n_missing = 0
    with path.open("wb") as file:
        for run, urls in wanted.items():
            with (run / WARC_FILE).open("rb") as source:
                found: dict[str, Member] = {}
                for url, member in records(source):
                    if url in urls:
                        found[urls[url]] = member  # of several answers the last one
                    elif not url:
                        found.setdefault("", member)
                n_missing += len(set(urls.values()) - set(found))
                for offset, length in sorted(found.values()):
                    source.seek(offset)
                    file.write(source.read(length))
    return [f"Not in the file, for nothing was recorded of them: {quantity(n_missing, 'pages')}."] if n_missing else []


def records(source: BinaryIO) -> Iterator[tuple[str, Member]]:
    """Yield the URL and the place of each page in a WARC file; of what the file says of itself there is no URL.

    A damaged end is left out.
    """
    answers = ArchiveIterator(source)
    try:
        for record in answers:
            kind = record.rec_type
            is_page = (
                kind == "response"
                and record.http_headers is not None
                and record.http_headers.get_statuscode()[:1] == "2"
            )
            url = record.rec_headers.get_header("WARC-Target-URI") or ""
            if is_page or kind == "warcinfo":
                answers.read_to_end(record)
                yield url, (answers.get_record_offset(), answers.get_record_length())
    except (ArchiveLoadFailed, EOFError):
        return
