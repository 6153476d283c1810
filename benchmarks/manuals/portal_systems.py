"""Manuals of servers, of Debian, of graphics programs, and a FAQ about society, with the subjects of their chapters.

Each function adds a manual to a web and returns the URL of its front page.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from manuals.hierarchy import chapters_in_contents

if TYPE_CHECKING:
    from manuals.packages import Packages
    from manuals.web import Adder, ManualWeb

_DOC = "usr/share/doc"

_APACHE_SECURITY = re.compile(
    r"ssl/|mod/mod_(auth|ssl|session|suexec|security|access|allow|md|privileges|unixd|remoteip|reqtimeout)"
    r"|howto/(auth|access)|misc/(security|password)|suexec|programs/(ht|suexec|log)"
)


def _apache(language: str) -> Adder:
    """Return what adds the manual in a language; subjects are those of the English pages."""

    def add(web: ManualWeb, packages: Packages) -> str:
        files = packages.html("apache2-doc", f"{_DOC}/apache2-doc/manual/{language}")
        urls = web.add(files, f"http://httpd.example.org/docs/2.4/{language}/")
        for path, url in urls.items():
            if language == "en" and _APACHE_SECURITY.match(path):
                web.labels[url].add("security")
        return urls["index.html"]

    return add


def _whole(package: str, folder: str, base: str, *labels: str) -> Adder:
    """Return what adds a manual all of whose pages are about the same, or about nothing that is asked for."""

    def add(web: ManualWeb, packages: Packages) -> str:
        urls = web.add(packages.html(package, folder), base)
        for url in urls.values():
            web.labels[url] |= set(labels)
        return urls["index.html"]

    return add


def _handbook(web: ManualWeb, packages: Packages) -> str:
    files = packages.html("debian-handbook", f"{_DOC}/debian-handbook/html/en-US")
    urls = web.add(files, "http://handbook.example/browse/")
    for path, chapter in chapters_in_contents(web.pages[urls["index.html"]].decode()):
        if chapter == "security":
            web.labels[urls[path]].add("security")
        if chapter in ("packaging-system", "apt", "debian-packaging"):
            web.labels[urls[path]].add("packaging")
    return urls["index.html"]


def _anarchism(web: ManualWeb, packages: Packages) -> str:
    urls = web.add(packages.html("anarchism", f"{_DOC}/anarchism/html"), "http://afaq.example.org/")
    for path, url in urls.items():
        if path.startswith(("secB", "secC", "secD")):
            web.labels[url].add("critique of capitalism")
    return urls["index.html"]


def _gimp(language: str) -> Adder:
    folder = f"usr/share/gimp/2.0/help/{language}"
    return _whole(f"gimp-help-{language}", folder, f"http://gimp.example/{language}/")


_HARDEN = _whole("harden-doc", f"{_DOC}/harden-doc/html/en-US", "http://www.harden.example/manual/", "security")
_POLICY = _whole("debian-policy", f"{_DOC}/debian-policy/policy.html", "http://policy.example.org/", "packaging")
_DEVELOPERS = _whole(
    "developers-reference", "usr/share/developers-reference", "http://devref.example.org/", "packaging"
)
_GRASS = _whole("grass-doc", f"{_DOC}/grass-doc/html", "http://grass.example.org/manuals/")

MANUALS: list[tuple[str, str, Adder]] = [
    ("servers", "Apache HTTP server (en)", _apache("en")),
    ("servers", "Apache HTTP server (fr)", _apache("fr")),
    ("systems", "Securing Debian Manual", _HARDEN),
    ("systems", "Debian Policy Manual", _POLICY),
    ("systems", "Developer's Reference", _DEVELOPERS),
    ("systems", "Debian Administrator's Handbook", _handbook),
    ("society", "An Anarchist FAQ", _anarchism),
    ("graphics", "GIMP", _gimp("en")),
    ("graphics", "GIMP (deutsch)", _gimp("de")),
    ("graphics", "GRASS GIS", _GRASS),
]
"""Group of the portal, title, and the function that adds it."""
