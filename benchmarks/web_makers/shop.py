"""A shop: applications of apt's catalogue as products. The categories that their authors chose are the labels.

Lists are by name, licence, size and maker, never by category. Products are linked by what their metadata share: files that
they open, parts that they are made with, their maker; and by what others bought (drawn).
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime, timezone
from html import escape
from typing import TYPE_CHECKING
from urllib.parse import quote

from manuals.web import ManualWeb

from web_makers.alike import alike
from web_makers.pages import bullets, chunks, document, link, row

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from web_makers.sources import Sources

_HOST = "https://shop.example.com/"
_A_LIST, _RELATED, _COMMON = 36, 5, 60
# Toolkits and desktops are no topics.
_NO_TOPICS = frozenset(
    {"GTK", "Qt", "KDE", "GNOME", "XFCE", "LXQt", "MATE", "Java", "Core", "ConsoleOnly", "Applet", "Motif"}
)
_SIZES = ((300, "up to 0.3 MB"), (1500, "up to 1.5 MB"), (8000, "up to 8 MB"), (10**9, "large"))


@dataclass(frozen=True)
class Product:
    """An application."""

    key: str
    name: str
    summary: str
    description: str
    licence: str
    maker: str
    released: int
    kilobytes: int
    opens: frozenset[str]
    needs: frozenset[str]
    categories: frozenset[str]


def read(sources: Sources) -> list[Product]:
    """Read the catalogue; sizes and parts are those of an application's package."""
    sources.update(["en"])
    packages = {package["Package"]: package for package in sources.packages()}
    found: dict[str, Product] = {}
    for part in sources.applications():
        package = packages.get(str(part.get("Package")), {})
        if part["Type"] == "desktop-application" and "C" in part.get("Description", {}):
            releases = part.get("Releases") or [{}]
            found.setdefault(
                str(part["ID"]).removesuffix(".desktop"),
                Product(
                    key=str(part["ID"]).removesuffix(".desktop"),
                    name=str(part["Name"].get("C", part["ID"])),
                    summary=str(part.get("Summary", {}).get("C", "")),
                    description=str(part["Description"]["C"]),
                    licence=re.split(r" (?:and|AND|or|OR|with|WITH) ", part.get("ProjectLicense") or "other")[0],
                    maker=str(part.get("DeveloperName", {}).get("C") or package.get("Maintainer", "?").split(" <")[0]),
                    released=int(releases[0].get("unix-timestamp") or 0),
                    kilobytes=int(package.get("Size", 0)) // 1000,
                    opens=frozenset(part.get("Provides", {}).get("mediatypes") or ()),
                    needs=frozenset(re.findall(r"(?:^|, )([a-z0-9.+-]+)", package.get("Depends", ""))),
                    categories=frozenset(part.get("Categories") or ()) - _NO_TOPICS,
                ),
            )
    return [found[key] for key in sorted(found)]


def build(products: Sequence[Product], seed: int) -> ManualWeb:
    """Make the shop."""
    return _Shop(products, random.Random(f"shop {seed}")).web


class _Shop:
    def __init__(self, products: Sequence[Product], draw: random.Random) -> None:
        self.web = ManualWeb("shop", _HOST)
        self.web.origin = "a shop made of"
        self._products = sorted(products, key=lambda product: (product.name.lower(), product.key))
        numbers = draw.sample(range(10_000, 99_999), len(products))
        self._urls = [f"{_HOST}p/{number}" for number in numbers]
        self._bought = [draw.sample(range(len(products)), min(_RELATED, len(products))) for _ in products]
        newest = sorted(range(len(products)), key=lambda n: (-self._products[n].released, n))[:10]
        self._new = bullets(self._named(newest), "New arrivals")
        best = bullets(self._named(draw.sample(range(len(products)), min(8, len(products)))), "Bestsellers")
        self._facets = [
            ("licence", "By licence", self._grouped([product.licence for product in self._products])),
            ("size", "By size", self._grouped([_size(product.kilobytes) for product in self._products])),
            ("maker", "By maker", self._grouped([product.maker for product in self._products])),
        ]
        self._list(f"{_HOST}products", "All products", range(len(products)))
        for key, title, groups in self._facets:
            urls = [(self._facet(key, name), f"{name} ({len(found)})") for name, found in sorted(groups.items())]
            self._add(f"{_HOST}{key}", title, bullets(urls))
            for name, found in groups.items():
                self._list(self._facet(key, name), f"{title}: {name}", found)
        self._add(_HOST, "The Shop", best)
        same = alike([product.opens for product in self._products], _RELATED, most=_COMMON)
        made_alike = alike([product.needs for product in self._products], _RELATED, most=_COMMON)
        for n in range(len(products)):
            self._product(n, same[n], made_alike[n])

    def _product(self, n: int, same: list[int], made_alike: list[int]) -> None:
        product = self._products[n]
        facets = {"licence": product.licence, "size": _size(product.kilobytes), "maker": product.maker}
        rows = "".join(
            f"<tr><th>{key}<td>{link(self._facet(key, value), value)}</tr>" for key, value in sorted(facets.items())
        )
        day = datetime.fromtimestamp(product.released, timezone.utc)
        when = f"<tr><th>released<td>{day:%d %B %Y}</tr>" if product.released else ""
        page = f"{_HOST}products?page={n // _A_LIST + 1}" if n >= _A_LIST else f"{_HOST}products"
        path = row(
            [(_HOST, "Home"), (f"{_HOST}products", "All products"), (page, product.name[:1].upper())], " &raquo; "
        )
        related = [
            bullets(self._named(same), "Opens the same files"),
            bullets(self._named(made_alike), "Made with the same parts"),
            bullets(self._named(self._bought[n]), "Others also bought"),
        ]
        text = f"<p class=lead>{escape(product.summary)}</p><div class=text>{product.description}</div>"
        self._add(
            self._urls[n],
            product.name,
            f"<nav class=path>{path}</nav>{text}<table>{rows}{when}</table><button>Add to basket</button>{''.join(related)}",
        )
        self.web.labels[self._urls[n]] = {f"category {name}" for name in product.categories if "-" not in name}

    def _list(self, url: str, title: str, numbers: Sequence[int]) -> None:
        parts = chunks(numbers, _A_LIST)
        join = "&" if "?" in url else "?"
        pages = [url if n == 0 else f"{url}{join}page={n + 1}" for n in range(len(parts))]
        jump = f"<p>Page {row((page, str(n + 1)) for n, page in enumerate(pages))}</p>" if len(pages) > 1 else ""
        for page, part in zip(pages, parts, strict=True):
            shown = [(link(self._urls[n], self._products[n].name), self._products[n].summary) for n in part]
            cards = "".join(f"<div class=card>{name}<p>{escape(summary)}</p></div>" for name, summary in shown)
            self._add(page, title, f"{cards}{jump}")

    def _add(self, url: str, title: str, body: str) -> None:
        menu = [(_HOST, "Home"), (f"{_HOST}products", "All products")]
        menu += [(f"{_HOST}{key}", name) for key, name, _ in self._facets]
        page = f"<header><nav>{row(menu, ' ')}</nav></header><main><h1>{escape(title)}</h1>{body}</main>"
        self.web.pages[url] = document(
            f"{title} | The Shop", f"{page}<aside>{self._new}</aside><footer>Prices: none.</footer>"
        )

    def _grouped(self, values: Sequence[str]) -> Mapping[str, list[int]]:
        found: defaultdict[str, list[int]] = defaultdict(list)
        for n, value in enumerate(values):
            found[value].append(n)
        return found

    def _facet(self, key: str, value: str) -> str:
        return f"{_HOST}{key}?is={quote(value, safe='')}"

    def _named(self, numbers: Sequence[int]) -> list[tuple[str, str]]:
        return [(self._urls[n], self._products[n].name) for n in numbers]


def _size(kilobytes: int) -> str:
    return next(name for limit, name in _SIZES if kilobytes <= limit)
