"""The demo web as files: a WARC with labels like the recorded webs, and training examples."""

from __future__ import annotations

import json
import re
from contextlib import contextmanager
from hashlib import sha256
from http import HTTPStatus
from io import BytesIO
from typing import TYPE_CHECKING
from urllib.parse import urljoin
from uuid import UUID

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path
    from typing import IO

    from focused.webs.demo import DemoWeb
    from focused.webs.recorded.answer import Answer

NO_TOPIC = "other"  # label of hubs and pages about everyday things, as in WebKB
HREF = re.compile(rb'href="([^"]+)"')
_DATE = "2024-05-01T00:00:00Z"  # fixed, so that the same web gives the same file


def write_warc(web: DemoWeb, path: Path) -> int:
    """Write every page, and the redirects, errors and robots.txt that pages link to; return the number of records.

    The calendar is left out: it is endless, and robots.txt forbids it. The file is compressed record by record if its name
    ends in .gz. The same web gives the same bytes.
    """
    n_records = 0
    with _replacing(path) as file:
        writer = WARCWriter(file, gzip=path.suffix == ".gz", warc_version="1.1")
        for url, answer in _answers(web):
            writer.write_record(_record(writer, url, answer))
            n_records += 1
    return n_records


def _answers(web: DemoWeb) -> Iterator[tuple[str, Answer]]:
    special_urls: set[str] = set()  # URLs that are no pages: about one for each page that links to one
    for url, _ in web.labels():
        answer = web.answer(url)
        yield url, answer
        linked = {urljoin(url, href.decode()) for href in HREF.findall(answer.body)}
        for other in sorted({urljoin(url, "/robots.txt"), *linked} - special_urls):
            if "/calendar/" in other or web.is_page(other):
                continue
            special_urls.add(other)
            yield other, web.answer(other)


def _record(writer: WARCWriter, url: str, answer: Answer) -> object:
    status = f"{answer.status} {HTTPStatus(answer.status).phrase}"
    return writer.create_warc_record(
        url,
        "response",
        payload=BytesIO(answer.body),
        length=len(answer.body),
        http_headers=StatusAndHeaders(status, list(answer.headers), protocol="HTTP/1.1"),
        warc_headers_dict={
            "WARC-Date": _DATE,
            "WARC-Record-ID": f"<urn:uuid:{UUID(bytes=sha256(url.encode()).digest()[:16])}>",
        },
    )


def write_labels(web: DemoWeb, path: Path) -> int:
    """Write the label of every page as tab-separated values, under a header; return the number of pages."""
    with _replacing(path) as file:
        file.write(b"url\tlabels\n")
        for url, topic in web.labels():
            file.write(f"{url}\t{topic or NO_TOPIC}\n".encode())
    return web.n_pages


def write_examples(
    web: DemoWeb, topic: str, folder: Path, n_positive: int, n_unlabeled: int, random_state: int
) -> None:
    """Write positive.jsonl and unlabeled.jsonl, one object a page with its url and html."""
    positive = web.examples(topic, n_positive, random_state)
    unlabeled = web.unlabeled(n_unlabeled, random_state)
    folder.mkdir(parents=True, exist_ok=True)
    _write_jsonl(positive, folder / "positive.jsonl")
    _write_jsonl(unlabeled, folder / "unlabeled.jsonl")


def _write_jsonl(pages: Iterable[tuple[str, bytes]], path: Path) -> None:
    with _replacing(path) as file:
        for url, body in pages:
            line = json.dumps({"url": url, "html": _decode(body)}, ensure_ascii=False)
            file.write(line.encode() + b"\n")


def _decode(body: bytes) -> str:
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError:
        return body.decode("cp1252")


@contextmanager
def _replacing(path: Path) -> Iterator[IO[bytes]]:
    """Open a file that appears under its name only when it is complete."""
    part = path.with_name(f".{path.name}.part")
    try:
        with part.open("wb") as file:
            yield file
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
