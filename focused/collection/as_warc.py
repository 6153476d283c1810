"""Exports pages as WARC: their answers, byte for byte as the crawl recorded them."""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO

from warcio.archiveiterator import ArchiveIterator
from warcio.exceptions import ArchiveLoadFailed

from focused.utils.file_names import DATABASE_FILE, WARC_FILE, WORKERS_FOLDER
from focused.utils.words import quantity

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping
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
    sources = {each: warc_files(each) for each in runs.run_dirs}
    for run, files in sources.items():
        if not files:
            where, why = run, "nothing was recorded"
            if (run / DATABASE_FILE).is_file():
                where, why = run / WORKERS_FOLDER, "no worker of this machine has recorded anything"
            raise ValueError(
                f"There is no {WARC_FILE} in {where}: {why} (FOCUSED_WARC). Choose another: --format jsonl"
            )
    wanted: dict[Path, dict[str, str]] = {each: {} for each in runs.run_dirs}
    for run, row in runs.rows():
        wanted[run] |= {row["url"]: row["url"], row["location"]: row["url"]}
    n_missing = 0
    with path.open("wb") as file:
        for run, urls in wanted.items():
            left = set(urls.values())
            for recorded in reversed(sources[run]):  # a page that two workers have asked for is copied once
                left -= _copy_pages(recorded, urls, left, file)
            n_missing += len(left)
    return [f"Not in the file, for nothing was recorded of them: {quantity(n_missing, 'pages')}."] if n_missing else []


def _copy_pages(recorded: Path, urls: Mapping[str, str], left: Container[str], out: BinaryIO) -> set[str]:
    """Copy the records of the pages ``left`` from a WARC file, with what the file says of itself; return the URLs found.

    ``urls``: the URL of each page, by all its URLs. Of several answers for a page the last one is copied.
    """
    with recorded.open("rb") as source:
        found: dict[str, Member] = {}
        for url, member in records(source):
            if urls.get(url) in left:
                found[urls[url]] = member
            elif not url:
                found.setdefault("", member)
        for offset, length in sorted(found.values()):
            source.seek(offset)
            out.write(source.read(length))
    return set(found)


def warc_files(run_dir: Path) -> list[Path]:
    """Return what a crawl has recorded here: its file, or those of its workers of this machine, the first one first."""
    folders = [run_dir]
    if (run_dir / DATABASE_FILE).is_file() and (run_dir / WORKERS_FOLDER).is_dir():
        folders += sorted(
            each for each in (run_dir / WORKERS_FOLDER).iterdir() if each.is_dir() and not each.is_symlink()
        )
    return [each / WARC_FILE for each in folders if (each / WARC_FILE).is_file()]


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
