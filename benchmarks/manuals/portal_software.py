"""Manuals of databases and of mathematical programs, with the subjects of their chapters.

Each function adds a manual to a web and returns the URL of its front page.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from manuals.hierarchy import label_chapters

if TYPE_CHECKING:
    from manuals.packages import Packages
    from manuals.web import Adder, ManualWeb

_DOC = "usr/share/doc"


def _postgresql(web: ManualWeb, packages: Packages) -> str:
    files = packages.html("postgresql-doc-15", f"{_DOC}/postgresql-doc-15/html")
    urls = web.add(files, "http://www.pgdocs.example/docs/15/")
    security = (
        *("client-authentication", "user-manag", "ddl-rowsecurity", "ssl-tcp", "encryption-options", "sslinfo"),
        *("pgcrypto", "auth-delay", "sepgsql", "passwordcheck", "preventing-server-spoofing", "libpq-ssl"),
        *("ssh-tunnels", "gssapi-enc"),
    )
    chapters = {
        "sql": _pages("sql-commands", "sql"),
        "server administration": _pages("admin"),
        "security": _pages(*security),
    }
    label_chapters(web, urls, chapters)
    return urls["index.html"]


_SQLITE_SQL = re.compile(
    "lang|syntax/|syntaxdiagrams|windowfunctions|foreignkeys|datatype3|json1|nulls|withoutrowid|gencol|stricttables"
    "|partialindex|rowvalue|expridx|autoinc"
)
_SQLITE_SECURITY = {"security.html", "sqlar.html", "see.html", "cve.html", "c3ref/set_authorizer.html"}


def _sqlite(web: ManualWeb, packages: Packages) -> str:
    urls = web.add(packages.html("sqlite3-doc", f"{_DOC}/sqlite3"), "http://sqlite.example.org/")
    for path, url in urls.items():
        if _SQLITE_SQL.match(path):
            web.labels[url].add("sql")
        if path in _SQLITE_SECURITY:
            web.labels[url].add("security")
    return urls["index.html"]


def _octave(web: ManualWeb, packages: Packages) -> str:
    """Octave's cross references are files that redirect: here the server does, as servers should."""
    base = "http://octave.example.net/doc/v7/"
    urls = web.add(packages.html("octave-doc", f"{_DOC}/octave/octave.html"), base)
    for url in urls.values():
        if match := re.search(rb'http-equiv="Refresh" content="0; url=([^"#]+)', web.pages[url]):
            web.redirects[url] = base + match[1].decode()
    algebra = (
        *("Linear-Algebra", "Sparse-Matrices", "Matrix-Manipulation", "Matrices"),
        "Vectorization-and-Faster-Code-Execution",
    )
    chapters = {"plotting": _pages("Plotting", "Image-Processing"), "linear algebra": _pages(*algebra)}
    label_chapters(web, {path: url for path, url in urls.items() if not path.startswith("XREF")}, chapters)
    return urls["index.html"]


_MAXIMA_PLOTTING = r"(Plotting|Package draw|draw|drawdf|worldmap|bode|dynamics|implicit|picture)\b"
_MAXIMA_ALGEBRA = (
    "Matrices and Linear Algebra|Package lapack|lapack|Package linearalgebra|linearalgebra|Package diag|diag|eigen|blas"
    "|Package linear"
)


def _maxima(web: ManualWeb, packages: Packages) -> str:
    """Maxima's pages have numbers for names; their titles say which chapter they begin."""
    files = packages.html("maxima-doc", f"{_DOC}/maxima-doc/html")
    urls = web.add(files, "http://maxima.example.edu/manual/", keep=lambda path: "/" not in path)
    titles = {}
    for path, url in urls.items():
        match = re.search(rb"<title>([^<]*)", web.pages[url])
        titles[path] = match[1].decode("utf-8", "replace") if match else ""
    chapters = {
        label: {path for path, title in titles.items() if re.match(pattern, title, re.IGNORECASE)}
        for label, pattern in (("plotting", _MAXIMA_PLOTTING), ("linear algebra", _MAXIMA_ALGEBRA))
    }
    label_chapters(web, urls, chapters)
    return urls["maxima.html"]


def _pages(*names: str) -> set[str]:
    return {f"{name}.html" for name in names}


MANUALS: list[tuple[str, str, Adder]] = [
    ("databases", "PostgreSQL 15", _postgresql),
    ("databases", "SQLite", _sqlite),
    ("mathematics", "GNU Octave", _octave),
    ("mathematics", "Maxima", _maxima),
]
"""Group of the portal, title, and the function that adds it."""
