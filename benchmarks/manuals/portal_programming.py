"""Manuals of programming languages and of Git, with the subjects of their modules.

Each function adds a manual to a web and returns the URL of its front page.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from manuals.packages import Packages
    from manuals.web import Adder, ManualWeb

_DOC = "usr/share/doc"

_PYTHON_CHAPTERS = ("internet", "netdata", "ipc", "markup", "crypto", "superseded", "concurrency")
_PYTHON_NETWORK_CHAPTERS = {"internet", "ipc", "netdata"}
_PYTHON_NETWORK = {"asyncore", "asynchat", "smtpd", "telnetlib", "nntplib", "cgi", "cgitb", "imghdr"}
_PYTHON_NETWORK_BEGINNINGS = ("email", "urllib", "http", "asyncio-stream", "asyncio-protocol", "xmlrpc")
_PYTHON_NETWORK_HOWTOS = ("howto/urllib", "howto/sockets", "howto/ipaddress")
_PYTHON_SECURITY = {"ssl", "security_warnings", "secrets", "hashlib", "hmac", "crypt", "audit_events"}


def _python(web: ManualWeb, packages: Packages) -> str:
    files = packages.html("python3.11-doc", f"{_DOC}/python3.11/html")
    urls = web.add(
        files, "http://docs.python.example/3/", keep=lambda path: not path.startswith(("_", "whatsnew/changelog"))
    )
    chapters = _python_chapters(web, urls)
    for path, url in urls.items():
        stem = path.removeprefix("library/").split(".")[0]
        chapter = chapters.get(path, stem if path.startswith("library/") else "")
        if (
            chapter in _PYTHON_NETWORK_CHAPTERS
            or stem in _PYTHON_NETWORK
            or stem.startswith(_PYTHON_NETWORK_BEGINNINGS)
            or path.startswith(_PYTHON_NETWORK_HOWTOS)
        ):
            web.labels[url].add("network programming")
        if chapter == "crypto" or stem in _PYTHON_SECURITY:
            web.labels[url].add("security")
        if stem == "sqlite3":
            web.labels[url].add("sql")
    return urls["index.html"]


def _python_chapters(web: ManualWeb, urls: Mapping[str, str]) -> dict[str, str]:
    """Return the chapter of the library that each module is listed in."""
    chapters: dict[str, str] = {}
    for chapter in _PYTHON_CHAPTERS:
        contents = web.pages[urls[f"library/{chapter}.html"]].decode()
        for path in re.findall(r'<li class="toctree-l1"><a class="reference internal" href="([^"#]+)"', contents):
            chapters.setdefault(f"library/{path}", chapter)
    return chapters


_NODE_NETWORK = {
    *("dgram", "dns", "http", "http2", "https", "net", "querystring", "tls", "url", "webstreams"),
    "string_decoder",
}
_NODE_SECURITY = {"crypto", "tls", "webcrypto", "policy", "permissions"}


def _node(web: ManualWeb, packages: Packages) -> str:
    files = packages.html("nodejs-doc", f"{_DOC}/nodejs/api")
    urls = web.add(files, "http://node.example.io/api/", keep=lambda path: path != "all.html")
    for path, url in urls.items():
        module = path.removesuffix(".html")
        if module in _NODE_NETWORK:
            web.labels[url].add("network programming")
        if module in _NODE_SECURITY:
            web.labels[url].add("security")
    return urls["index.html"]


def _git(web: ManualWeb, packages: Packages) -> str:
    urls = web.add(packages.html("git-doc", f"{_DOC}/git-doc"), "http://git.example.com/docs/")
    return urls.get("index.html") or urls["git.html"]


def _prolog(web: ManualWeb, packages: Packages) -> str:
    files = packages.html("swi-prolog-doc", "usr/share/swi-prolog/doc/Manual")
    return web.add(files, "http://prolog.example.nl/man/")["index.html"]


MANUALS: list[tuple[str, str, Adder]] = [
    ("programming", "Python", _python),
    ("programming", "Node.js", _node),
    ("programming", "Git", _git),
    ("programming", "SWI-Prolog", _prolog),
]
"""Group of the portal, title, and the function that adds it."""
