"""Webs of one manual each: GRASS, GIMP in two languages, Linux, LibreOffice in German, and the reference of C and C++."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from manuals.hierarchy import chains_upwards
from manuals.web import ManualWeb, links

if TYPE_CHECKING:
    from manuals.packages import Packages

_GRASS_TOPICS = {
    "statistics": {"statistics", "univariate statistics", "zonal statistics", "regression", "correlation"},
    "imagery": {"imagery"},
    "data exchange": {"import", "export"},
    "terrain and water": {
        *("hydrology", "elevation", "surface", "terrain", "watershed", "interpolation", "viewshed", "slope"),
        *("erosion", "LIDAR", "DEM"),
    },
    "attributes": {"attribute table", "database"},
    "display": {"display", "cartography", "graphics"},
    "time": {"temporal"},
}
"""The manual's own keywords that make a topic."""


def grass(packages: Packages) -> ManualWeb:
    """One manual, hub and spoke: a page for each command, with its keywords."""
    base = "http://grass.example.org/manuals/"
    web = ManualWeb("grass", f"{base}index.html")
    files = packages.html("grass-doc", "usr/share/doc/grass-doc/html")
    for url in web.add(files, base).values():
        match = re.search(rb'<meta name="keywords" content="([^"]*)"', web.pages[url])
        words = {word.strip() for word in match[1].decode("latin1").split(",")} if match else set()
        web.labels[url] |= {topic for topic, keywords in _GRASS_TOPICS.items() if words & keywords}
    return web


_GIMP_CHAPTERS = {
    "filters.html": "filters",
    "gimp-tools.html": "tools",
    "dialogs.html": "dialogs",
    "menus.html": "menus",
}


def gimp(packages: Packages) -> ManualWeb:
    """A German and an English host that mirror each other, with the same file names; labels are chapters."""
    home = "http://docs.gimp.example/"
    web = ManualWeb("gimp", home)
    hosts = {"de": "http://de.gimp.example/", "en": "http://en.gimp.example/"}
    for language, host in hosts.items():
        files = packages.html(f"gimp-help-{language}", f"usr/share/gimp/2.0/help/{language}")
        urls = web.add(files, f"{host}2.10/")
        for path, chain in chains_upwards(web, urls).items():
            found = {_GIMP_CHAPTERS[up] for up in chain if up in _GIMP_CHAPTERS}
            if any("color" in up for up in chain):
                found.add("colours")
            web.labels[urls[path]] |= {f"{language} {chapter}" for chapter in found}
    _link_translations(web, home, hosts)
    languages = [
        (f"{host}2.10/index.html", name) for host, name in zip(hosts.values(), ("Deutsch", "English"), strict=True)
    ]
    web.add_page(home, "GIMP documentation", "<p>Select your language</p>", links(languages))
    return web


def _link_translations(web: ManualWeb, home: str, hosts: dict[str, str]) -> None:
    """Add a link to each page's translation, as on the manual's own site; the packages leave it out."""
    for language, other, name in (("de", "en", "English"), ("en", "de", "Deutsch")):
        for url in [url for url in web.pages if url.startswith(hosts[language])]:
            translation = url.replace(hosts[language], hosts[other])
            if translation in web.pages:
                link = (
                    f'<p class="languages"><a href="{translation}">{name}</a> <a href="{home}">Languages</a></p></body>'
                )
                web.pages[url] = web.pages[url].replace(b"</body>", link.encode())


_LINUX_BOOKS = {
    *("admin-guide", "core-api", "dev-tools", "doc-guide", "driver-api", "firmware-guide", "kernel-hacking"),
    *("maintainer", "misc-devices", "process", "staging", "tools", "userspace-api"),
}
"""Parts of the kernel's manual that say whom they are for, not what they are about."""


def linux(packages: Packages) -> ManualWeb:
    """The kernel's manual. Labels are subsystems: folders of the manual, or of its books by reader.

    So ``userspace-api/media`` and ``driver-api/media`` are both ``media``. Translations have none: examples of a
    subsystem are in English.
    """
    base = "http://kernel.example.org/doc/html/v6.1/"
    web = ManualWeb("linux", f"{base}index.html")
    files = packages.html("linux-doc-6.1", "usr/share/doc/linux-doc-6.1/html")
    for path, url in web.add(files, base).items():
        folders = path.split("/")[:-1]
        if folders and folders[0] in _LINUX_BOOKS:
            folders = folders[1:]
        if not path.startswith("translations/"):
            web.labels[url] |= set(folders[:1])
    return web


def office(packages: Packages) -> ManualWeb:
    """The German help of LibreOffice. Labels are its modules, except the pages that several of them share.

    Its pages have a relative base URL, and a redirect for browsers without scripts.
    """
    base = "http://hilfe.office.example/7.4/de/"
    web = ManualWeb("office", f"{base}text/shared/05/new_help.html")
    files = packages.html("libreoffice-help-de", "usr/share/libreoffice/help/de")
    return _labelled_by(web, web.add(files, base), r"text/(?!shared/)(\w+)/")


def cpp(packages: Packages) -> ManualWeb:
    """The reference of C and C++, recorded from a wiki. Labels are its chapters, the same for both languages."""
    base = "http://reference.example.com/w/en/"
    web = ManualWeb("cpp", f"{base}index.html")
    files = packages.html("cppreference-doc-en-html", "usr/share/cppreference/doc/html/en")
    return _labelled_by(web, web.add(files, base), r"(?:c|cpp)/(\w+?)(?:/|\.html$)")


def _labelled_by(web: ManualWeb, url_of: dict[str, str], pattern: str) -> ManualWeb:
    """Label the pages of a web by a pattern at the beginning of their paths."""
    for path, url in url_of.items():
        if match := re.match(pattern, path):
            web.labels[url].add(match[1])
    return web
