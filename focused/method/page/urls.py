"""Resolve a link's target as written to the absolute URL of a page, or to the reason why it is no page."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from w3lib.url import safe_url_string

from focused.method.page.limits import MAX_URL_CHARS
from focused.utils.url_forms import with_slashes, without_default_port

if TYPE_CHECKING:
    from collections.abc import Container

# Extensions of paths that are no pages. Only the path counts: a query may name a file.
NOT_A_PAGE = frozenset(
    # pictures, sound, film
    "apng avif bmp cdr cgm dng dxf eps gif heic ico jpe jpeg jpg pbm pct png ppm ps psd svg svgz tga tif tiff webp xbm "
    "xcf xpm aac aif aiff au flac m3u m4a mid midi mp3 oga ogg opus ra ram wav wma 3gp asf asx avi flv m4v mkv mov mp4 "
    "mpeg mpg mpv ogv qt rm rmvb swf vob webm wmv "
    # documents that are not HTML
    "ai csv djvu doc docm docx dot dotx dvi epub gnumeric key lwp mobi numbers odb odg odp ods odt pages pdf pot pps "
    "ppsx ppt pptm pptx rtf sxc sxi sxw tex texi tsv vsd wpd wps xls xlsb xlsm xlsx "
    # archives, programs, data
    "7z apk ar arj bin bz2 cab class cpio crx deb dll dmg dump ear ejs exe gz gzip hqx img iso jar jnlp lha lz lzh "
    "lzma msi msp o pkg rar rpm sea sh sit so sqlite tar taz tbz tgz torrent txz war whl xpi xz z zip zst bak db dat "
    "hdf mat mdb npy npz parquet sql "
    # parts of pages
    "css eot ics js json jsonld map mjs otf rdf rss atom ttf vcf wasm webmanifest woff woff2 xsd xsl xslt".split()
)

# Most relative paths: no segment is empty or begins with a dot, no query, nothing to quote.
_SIMPLE_PATH = re.compile(r"[A-Za-z0-9_~-][A-Za-z0-9_.~-]*(?:/[A-Za-z0-9_~-][A-Za-z0-9_.~-]*)*/?").fullmatch
# Characters that need no quoting. Any other takes the long way through w3lib.
_PLAIN = re.compile(r"[A-Za-z0-9_~!$&()*,;=/?%.:@+-]+").fullmatch
# No label of a host is empty or longer than 63 characters: resolvers refuse these, and the IDNA codec raises.
_HOST = r"(?!-)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*"
# A valid port, without leading zeros. Those that a scheme has by itself take the long way, which leaves them out.
_PORT = (
    r"(?::(?!(?:80|443)(?![0-9]))"
    r"(?:[1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]))?"
)
_PLAIN_ORIGIN = re.compile(rf"https?://{_HOST}{_PORT}").fullmatch
_PLAIN_ABSOLUTE = re.compile(rf"https?://{_HOST}{_PORT}/[A-Za-z0-9_~!$&()*,;=/?%.:@+-]*").fullmatch
_ASCII_HOST = re.compile(rf"{_HOST}\.?|[0-9a-f.]*:[0-9a-f:.]+").fullmatch
_MAX_HOST_CHARS = 253
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:").match
_IGNORED_BY_BROWSERS = str.maketrans("", "", "\t\r\n")

NOT_HTTP, NOT_PAGE, PDF, INVALID, TOO_LONG = "not_http", "not_page", "pdf", "invalid", "too_long"
REFUSALS = frozenset({NOT_HTTP, NOT_PAGE, PDF, INVALID, TOO_LONG})
"""The reasons why a target is no link to a page. ``pdf``: PDF files are not read; else they are pages."""
NOT_A_PAGE_NOR_PDF = NOT_A_PAGE - {PDF}
"""Extensions of paths that are no pages, where PDF files are read."""


def is_page_url(url: str, not_a_page: Container[str] = NOT_A_PAGE) -> bool:
    """Tell whether a page can have the extension of a URL's path. ``not_a_page``: the extensions that none has.

    >>> is_page_url("http://a.example/x.PDF?y=1"), is_page_url("http://a.zip"), is_page_url("http://a.zip/get?f=x.pdf")
    (False, True, True)
    """
    return not why_no_page(url, not_a_page)


def why_no_page(url: str, not_a_page: Container[str] = NOT_A_PAGE) -> str:
    """Return NOT_PAGE or PDF if no page has the extension of a URL's path, else an empty string."""
    path = url.partition("?")[0].partition("#")[0]
    name = path[path.rfind("/") + 1 :]
    dot = name.rfind(".")
    if dot < 0 or path.find("/", 8) < 0 or (extension := name[dot + 1 :].lower()) not in not_a_page:
        return ""
    return PDF if extension == PDF else NOT_PAGE


class UrlMemo:
    """Remembers the URLs of plain targets: pages of one folder share most of their links.

    ``max_targets``: at about this number all are forgotten.
    """

    def __init__(self, max_targets: int = 200_000) -> None:
        self.max_targets = max_targets
        self._folders: dict[str, dict[str, str]] = {}
        self._n_targets = 0

    def of_folder(self, folder: str, n_more: int) -> dict[str, str]:
        """Return the known targets of a folder's pages; the caller may add up to ``n_more``."""
        self._n_targets += n_more
        if self._n_targets > self.max_targets:
            self._n_targets = sum(map(len, self._folders.values())) + n_more
        if self._n_targets > self.max_targets:
            self._folders.clear()
            self._n_targets = n_more
        return self._folders.setdefault(folder, {})


class UrlResolver:
    """Resolves the targets of one page's links against its base URL.

    ``url``: absolute URL of the page. ``base``: ``href`` of the page's ``<base>``, or an empty string. A base that is not an
    HTTP URL is ignored, as browsers do. ``max_chars``: longer URLs are refused. ``encoding``: encoding of the page: its
    server expects queries in it; paths are always in UTF-8. ``not_a_page``: extensions of paths that are no pages.
    """

    def __init__(
        self,
        url: str,
        base: str = "",
        max_chars: int = MAX_URL_CHARS.default,
        encoding: str = "utf-8",
        not_a_page: Container[str] = NOT_A_PAGE,
    ) -> None:
        self.max_chars = max_chars
        self._not_a_page = not_a_page
        self._encoding = "utf-8" if encoding.startswith("utf") else encoding
        self.base = url = without_default_port(url)
        own = url if _PLAIN_ABSOLUTE(url) else self._join("")
        self.own_url = url if own in REFUSALS else own
        """The page's own URL without its fragment."""
        if base and (joined := self._join(base)) not in REFUSALS:
            self.base = joined
        self._base_itself = own if self.base is url else self.base
        without_query = self.base.partition("#")[0].partition("?")[0]
        path_start = without_query.find("/", without_query.find("//") + 2)
        self._origin = without_query if path_start < 0 else without_query[:path_start]
        folder = self._origin + "/" if path_start < 0 else without_query[: without_query.rfind("/") + 1]
        # Joining strings is right only if the base is a plain URL.
        plain = bool(_PLAIN_ABSOLUTE(folder)) and "/." not in folder and "//" not in folder[8:]
        # The folder, its parent, and so on up to the root.
        self._folders = [folder] if plain else []
        while plain and len(self._folders[-1]) > len(self._origin) + 1:
            self._folders.append(self._folders[-1][: self._folders[-1].rfind("/", 0, -1) + 1])

    @property
    def folder(self) -> str:
        """The folder that plain targets are resolved against; empty if joining strings is not enough."""
        return self._folders[0] if self._folders else ""

    def resolve(self, target: str) -> str:
        """Return the absolute URL of a target without its fragment, or one of ``REFUSALS``."""
        return self.resolve_plain(target) or self.resolve_any(target)

    def resolve_file(self, target: str) -> str:
        """Return what `resolve` does, also where a page cannot have the URL's extension."""
        target = target.partition("#")[0]
        return self._join(target) if target else self._base_itself

    def resolve_plain(self, target: str) -> str:
        """Return what `resolve` does; an empty string if joining strings is not enough.

        Most targets are plain paths. For them joining strings gives what ``urljoin`` gives, at a tenth of its cost, and the
        result is the same on all pages of a folder.
        """
        if not self._folders:
            return ""
        if _SIMPLE_PATH(target):
            url = self._folders[0] + target
            if len(url) > self.max_chars:
                return TOO_LONG
            _, dot, extension = target.rpartition(".")
            if not dot or (extension := extension.lower()) not in self._not_a_page:  # no extension holds a slash
                return url
            return PDF if extension == PDF else NOT_PAGE
        if "#" in target:
            target = target[: target.index("#")]
        url = self._join_plain(target) if _PLAIN(target) else ""
        return self._checked(url) if url else ""

    def resolve_any(self, target: str) -> str:
        """Return what `resolve` does, for any target."""
        if "#" in target:
            target = target[: target.index("#")]
        if not target:
            return self._base_itself
        url = self._join(target)
        return url if url in REFUSALS else self._checked(url)

    def _checked(self, url: str) -> str:
        if len(url) > self.max_chars:
            return TOO_LONG
        return why_no_page(url, self._not_a_page) or url

    def _join_plain(self, target: str) -> str:
        """Return what ``urljoin`` would; an empty string if joining strings is not enough."""
        if target.endswith(("?", ";")) or ";?" in target:
            return ""  # urljoin drops an empty query or parameter
        if ":" in target:
            if _PLAIN_ORIGIN(target):
                return target + "/"
            return target if _PLAIN_ABSOLUTE(target) and "/." not in target else ""
        up = 0
        while target.startswith("../", 3 * up):
            up += 1
        rest = target[3 * up :]
        if up >= len(self._folders) or "/." in rest or "//" in rest or rest.startswith((".", "?", ";")):
            return ""
        if rest.startswith("/"):
            return "" if up else self._origin + rest
        return self._folders[up] + rest

    def _join(self, target: str) -> str:
        target = target.strip().translate(_IGNORED_BY_BROWSERS)
        if (scheme := _SCHEME(target)) and scheme.group().lower() not in ("http:", "https:"):
            return NOT_HTTP
        if len(target) > self.max_chars:
            return TOO_LONG
        try:
            joined = urljoin(self.base, with_slashes(target))
            # Translating a host of thousands of characters takes milliseconds.
            if len(urlsplit(joined).hostname or "") > _MAX_HOST_CHARS:
                return INVALID
            url = without_default_port(self._quote(joined).partition("#")[0])
            parts = urlsplit(url)
            if parts.scheme not in ("http", "https"):
                return NOT_HTTP
            # A port out of range raises here; full-width and letterlike hosts raise in urljoin.
            if not _ASCII_HOST(parts.hostname or "") or parts.port == 0:
                return INVALID
            # Names of users and passwords: no page needs them, and they would stand in logs and files.
            if "@" in parts.netloc:
                return INVALID
        except (ValueError, UnicodeError, LookupError):
            return INVALID
        if len(url) > self.max_chars:
            return TOO_LONG
        return url if parts.path else f"{parts.scheme}://{parts.netloc}/" + (f"?{parts.query}" if parts.query else "")

    def _quote(self, url: str) -> str:
        try:
            return safe_url_string(url, self._encoding)
        except UnicodeEncodeError:  # a query that the page's encoding has no bytes for
            return safe_url_string(url)
