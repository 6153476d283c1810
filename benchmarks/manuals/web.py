"""Build a web: pages from files, labels and redirects; write it as a WARC with labels, like recorded webs."""

from __future__ import annotations

import html
import json
from collections import Counter, defaultdict
from contextlib import contextmanager
from hashlib import sha256
from io import BytesIO
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from uuid import UUID

from tqdm import tqdm
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path
    from typing import IO, Any, TypeAlias

    from manuals.packages import Packages

    Adder: TypeAlias = Callable[["ManualWeb", Packages], str]
    """What adds a manual to a web and returns the URL of its front page."""

NO_TOPIC = "other"
# Fixed, so that the same packages give the same file.
_DATE = "2026-01-01T00:00:00Z"


class ManualWeb:
    """Pages of manuals under the URLs of made-up hosts, with labels from the manuals themselves."""

    def __init__(self, name: str, front: str) -> None:
        self.name = name
        self.front = front
        """The URL where a reader would begin."""
        self.pages: dict[str, bytes] = {}
        """The HTML of each URL."""
        self.labels: defaultdict[str, set[str]] = defaultdict(set)
        self.redirects: dict[str, str] = {}
        """For URLs that are answered with 301 where they lead; their HTML is the answer's body."""
        self.origin = "documentation from the Debian packages"
        """What stands in the WARC file before the names and versions of the sources."""

    def add(
        self, files: Mapping[str, Path], base: str, keep: Callable[[str], bool] = lambda path: True
    ) -> dict[str, str]:
        """Add files below a base URL; return their URLs by their paths.

        The base itself answers with index.html, if there is one, as servers do.
        """
        urls = {path: base + path for path in files if keep(path)}
        for path, url in urls.items():
            self.pages[url] = files[path].read_bytes()
        if "index.html" in urls:
            self.pages[base] = self.pages[urls["index.html"]]
        return urls

    def add_page(self, url: str, title: str, *parts: str) -> None:
        """Add a page that no package has, such as the front page of a portal."""
        head = f"<!DOCTYPE html><html><head><meta charset=utf-8><title>{title}</title></head>"
        self.pages[url] = f"{head}<body><h1>{title}</h1>{''.join(parts)}</body></html>".encode()

    def answered(self) -> Iterator[str]:
        """Yield the URLs of pages, without redirects."""
        return (url for url in sorted(self.pages) if url not in self.redirects)

    def write(self, folder: Path, versions: Mapping[str, str]) -> dict[str, Any]:
        """Write NAME.warc.gz, NAME.labels.tsv, NAME.seeds.txt and NAME.about.json; return the contents of the last one."""
        if self.front not in self.pages:
            raise ValueError(f"The front page of {self.name} must be among its pages. {self.front} is not.")
        about = self.about(versions)
        with _replacing(folder / f"{self.name}.warc.gz") as file:
            self._write_warc(file, about["packages"])
        with _replacing(folder / f"{self.name}.labels.tsv") as file:
            file.write(b"url\tlabels\n")
            for url in self.answered():
                file.write(f"{url}\t{'|'.join(sorted(self.labels.get(url, ()))) or NO_TOPIC}\n".encode())
        with _replacing(folder / f"{self.name}.seeds.txt") as file:
            file.write(f"{self.front}\n".encode())
        with _replacing(folder / f"{self.name}.about.json") as file:
            file.write(json.dumps(about, indent=2).encode() + b"\n")
        return about

    def about(self, versions: Mapping[str, str]) -> dict[str, Any]:
        """Return the origin of the web, and the number of pages with each label, most frequent first."""
        counts = Counter(label for url in self.answered() for label in self.labels.get(url, ()))
        return {
            "packages": dict(sorted(versions.items())),
            "n_pages": len(self.pages) - len(self.redirects),
            "n_redirects": len(self.redirects),
            "n_hosts": len({urlsplit(url).hostname for url in self.pages}),
            "labels": dict(sorted(counts.items(), key=lambda item: (-item[1], item[0]))),
        }

    def _write_warc(self, file: IO[bytes], packages: Mapping[str, str]) -> None:
        writer = WARCWriter(file, gzip=True, warc_version="1.1")
        made_of = ", ".join(f"{name} {version}" for name, version in packages.items())
        fields = f"description: {self.name}, {self.origin} {made_of}\r\n".encode()
        writer.write_record(
            writer.create_warc_record(
                *("", "warcinfo", BytesIO(fields), len(fields)), warc_headers_dict=_identity("warcinfo")
            )
        )
        for url in tqdm(sorted(self.pages), desc=f"{self.name}.warc.gz", unit="page", disable=None):
            body, target = self.pages[url], self.redirects.get(url)
            status = "301 Moved Permanently" if target else "200 OK"
            headers = [("Location", target)] if target else [("Content-Type", "text/html")]
            headers.append(("Content-Length", str(len(body))))
            writer.write_record(
                writer.create_warc_record(
                    url,
                    "response",
                    payload=BytesIO(body),
                    length=len(body),
                    http_headers=StatusAndHeaders(status, headers, protocol="HTTP/1.1"),
                    warc_headers_dict=_identity(url),
                )
            )


def links(items: Iterable[tuple[str, str]]) -> str:
    """Return an HTML list of links, from pairs of URL and text."""
    entries = [f'<li><a href="{url}">{html.escape(text)}</a></li>' for url, text in items]
    return f"<ul>{''.join(entries)}</ul>"


def _identity(key: str) -> dict[str, str]:
    return {
        "WARC-Date": _DATE,
        "WARC-Record-ID": f"<urn:uuid:{UUID(bytes=sha256(key.encode()).digest()[:16])}>",
    }


@contextmanager
def _replacing(path: Path) -> Iterator[IO[bytes]]:
    """Open a file under another name; it gets its own name when it is complete."""
    part = path.with_name(f"{path.name}.part")
    with part.open("wb") as file:
        yield file
    part.replace(path)
