"""Small WARC files for tests, written by warcio, which the code under test does not read with."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from focused.webs.recorded import RecordedWeb

if TYPE_CHECKING:
    from pathlib import Path

DATE = "2026-01-01T00:00:00Z"
HTML = [("Content-Type", "text/html")]


class Warc:
    """Collects records and writes them to a file."""

    def __init__(self, path: Path, *, gzip: bool = True, version: str = "1.1") -> None:
        self.path = path
        self._out = BytesIO()
        self._writer = WARCWriter(self._out, gzip=gzip, warc_version=version)
        self.ends: list[int] = []

    def page(self, url, body=b"", status="200 OK", headers=HTML, date=DATE, kind="response", **about) -> Warc:
        """A record with an HTTP head; ``about`` are WARC headers with _ for -."""
        http = StatusAndHeaders(status, list(headers), protocol="HTTP/1.1")
        return self.record(url, body, kind, date=date, http_headers=http, **about)

    def record(self, url, body=b"", kind="response", date=DATE, http_headers=None, **about) -> Warc:
        names = {"WARC-Date": date} | {name.replace("_", "-"): value for name, value in about.items()}
        record = self._writer.create_warc_record(
            url,
            kind,
            payload=BytesIO(body),
            length=len(body),
            warc_headers_dict={name: value for name, value in names.items() if value is not None},
            http_headers=http_headers,
        )
        self._writer.write_record(record)
        self.ends.append(self._out.tell())
        return self

    def info(self) -> Warc:
        self._writer.write_record(self._writer.create_warcinfo_record("x.warc.gz", {"software": "tests"}))
        self.ends.append(self._out.tell())
        return self

    def raw(self, data: bytes) -> Warc:
        self._out.write(data)
        self.ends.append(self._out.tell())
        return self

    def bytes(self) -> bytes:
        return self._out.getvalue()

    def save(self) -> Path:
        self.path.write_bytes(self.bytes())
        return self.path

    def indexed(self) -> Path:
        """Save the file and index it, so that no crawl has to, and none says that it does."""
        path = self.save()
        RecordedWeb(path).close()
        return path
