"""A shop: variants, tracking parameters, print views, reviews, comparisons, facets, baskets, log-ins, pages beyond the last.

No constant of the project was chosen on it.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, ClassVar
from urllib.parse import quote

from web_makers.pages import bullets, document, link, row

from site_makers.site import Site, Target

if TYPE_CHECKING:
    from collections.abc import Mapping

    from site_makers.site import Maker

_COLOURS = ("black", "white", "red", "green", "silver")
_SIZES = ("small", "medium", "large")
_OPINIONS = (
    *("Works well.", "Arrived on Tuesday.", "Not what I had in mind.", "A present for my brother.", "Good value."),
    *("Would buy again.", "The parcel was damaged.", "Better than the one before.", "Ask for the newer model."),
)
_N_SHELVES, _N_BRANDS, _N_PRICES, _A_LIST = 8, 12, 5, 12
_KINDS = {"login": "log-in", "compare": "compare", "basket": "basket"}


class Shop(Site):
    """Products link to six others; shelves list them by number, twelve a page."""

    name = "shop"
    topic = "graphics"
    others = ("net", "admin", "utils", "editors", "mail", "otherosfs")
    n_items: ClassVar = (200, 600)
    item_kind = "product"
    honest: ClassVar = frozenset({"home", "shelf"})
    traps: ClassVar = frozenset({*_KINDS.values(), "variant", "tracked", "print", "reviews", "facet", "beyond"})

    def kind(self, url: str) -> str:
        """Return what kind of page a URL is, empty if there is none."""
        folders, query = Target.of(url)
        if folders[0] == "p" and 2 <= len(folders) <= 3 and folders[1].isdigit() and int(folders[1]) < len(self.items):
            kind = folders[2] if len(folders) == 3 else "product"
            return kind if kind in ("product", "print", "reviews") else ""
        if folders[0] == "c" and folders[1:] and folders[1].isdigit():
            is_last = int(query.get("page", 1)) * _A_LIST < len(self._on_shelf(folders[1])) + _A_LIST
            return "facet" if folders[2:] else "shelf" if is_last else "beyond"
        return "home" if folders == [""] else _KINDS.get(folders[0], "")

    def repeats(self, url: str) -> str:
        """Return the kind of a product's page whose product was fetched before under another URL."""
        return "variant" if Target.of(url).query.keys() & {"colour", "size"} else "tracked"

    @property
    def makers(self) -> Mapping[str, Maker]:
        """What makes the title and the body of each kind of page."""
        return {
            "home": self._home,
            "product": self._product,
            "shelf": self._list,
            "beyond": self._list,
            "facet": self._list,
            "print": self._print,
            "reviews": self._reviews,
            "compare": self._compare,
            "basket": self._basket,
            "log-in": self._log_in,
        }

    def framed(self, url: str, title: str, body: str) -> bytes:
        """Return a page with what the site puts around each."""
        menu = row([("/", "Home"), *((f"/c/{shelf}/", f"Shelf {shelf}") for shelf in range(_N_SHELVES))], " ")
        recent = self._recently(url) if self.has_traps else ""
        return document(f"{title} | The Shop", f"<nav>{menu}</nav>{body}{recent}<footer>Prices with tax.</footer>")

    def _on_shelf(self, shelf: str) -> range:
        return range(int(shelf), len(self.items), _N_SHELVES)

    def _recently(self, url: str) -> str:
        """Return a block of products said to have been looked at: each page has others."""
        draw = self.draw("recently", url)
        shown = "".join(
            f"<div>{self.to(each, f'/p/{each}?utm_source=recent&utm_campaign={draw.randrange(10**5)}')}"
            f" {escape(self.items[each].paragraphs[0][:60])}</div>"
            for each in draw.sample(range(len(self.items)), 4)
        )
        return f"<aside><h3>Recently viewed</h3>{shown}</aside>"

    def _home(self, _url: str) -> tuple[str, str]:
        shown = "<br>".join(self.to(each, f"/p/{each}") for each in range(0, len(self.items), 40))
        return "Welcome", f"<h1>Welcome</h1>{shown}"

    def _product(self, url: str) -> tuple[str, str]:
        number = self.number(url)
        item = self.items[number]
        query = Target.of(url).query
        chosen = f"Colour: {query.get('colour', _COLOURS[0])}. Size: {query.get('size', _SIZES[0])}."
        brand, price = _brand_and_price(number)
        facts = f"<p>{chosen} Brand {brand}. Price: {price * 10 + 9}.95</p>"
        related = bullets(((f"/p/{each}", self.items[each].summary) for each in self.near(number, 6)), "Others bought")
        traps = self._traps_of(number, url) if self.has_traps else ""
        return item.summary, f"{self.whole(item)}{facts}{traps}{related}"

    def _traps_of(self, number: int, url: str) -> str:
        draw = self.draw("traps", url)
        brand, price = _brand_and_price(number)
        shelf = f"/c/{number % _N_SHELVES}"
        other = draw.choice(self.near(number, 6))
        colours = row((f"/p/{number}?colour={colour}&size={draw.choice(_SIZES)}", colour) for colour in _COLOURS)
        sizes = row((f"/p/{number}?size={size}", size) for size in _SIZES)
        return f"<p>{colours}</p><p>{sizes}</p>" + " ".join(
            [
                self.to(number, f"/p/{number}/reviews?page={draw.randrange(1, 5)}", "Reviews of "),
                self.to(number, f"/p/{number}/print", after=" (print view)"),
                self.to(number, f"/compare?items={number},{other}", "Compare "),
                self.to(number, f"/basket/add/{number}?from={draw.randrange(10**5)}", "Add to basket: "),
                link(f"/login?next={quote(url)}", "Log in"),
                link(f"{shelf}/brand-{brand}/", f"More of brand {brand}"),
                link(f"{shelf}/price-{price}/brand-{draw.randrange(_N_BRANDS)}/", "More at this price"),
            ]
        )

    def _list(self, url: str) -> tuple[str, str]:
        folders, query = Target.of(url)
        facets = dict(each.split("-") for each in folders[2:])
        found = [
            each
            for each in self._on_shelf(folders[1])
            if all(str(value) == facets.get(key, str(value)) for key, value in _facts(each))
        ]
        page = int(query.get("page", 1))
        begin = max(min((page - 1) * _A_LIST, len(found) - _A_LIST), 0)  # beyond the last page the last products
        shown = "".join(
            f"<li>{self.to(each, f'/p/{each}')} {escape(self.items[each].paragraphs[0][:80])}</li>"
            for each in found[begin : begin + _A_LIST]
        )
        more = self.has_traps or page * _A_LIST < len(found)
        here = "/".join(["", *folders, ""])
        following = link(f"{here}?page={page + 1}", "Next page") if more else ""
        title = " ".join(["Shelf", *folders[1:]])
        narrower = self._narrower(folders[1], url) if self.has_traps else ""
        return title, f"<h1>{escape(title)}</h1>{narrower}<ul>{shown}</ul>{following}"

    def _narrower(self, shelf: str, url: str) -> str:
        draw = self.draw("narrower", url)
        facets = [
            draw.sample(
                [f"brand-{draw.randrange(_N_BRANDS)}", f"price-{draw.randrange(_N_PRICES)}"], draw.choice((1, 2))
            )
            for _ in range(8)
        ]
        return row((f"/c/{shelf}/{'/'.join(each)}/", ", ".join(each)) for each in facets)

    def _print(self, url: str) -> tuple[str, str]:
        item = self.items[self.number(url)]
        return item.summary, self.whole(item)

    def _reviews(self, url: str) -> tuple[str, str]:
        number = self.number(url)
        item = self.items[number]
        draw = self.draw("reviews", url)
        said = "".join(f"<p>{' '.join(draw.sample(_OPINIONS, 3))}</p>" for _ in range(3))
        page = int(Target.of(url).query.get("page", 1))
        following = self.to(number, f"/p/{number}/reviews?page={page + 1}", "More reviews of ")
        begin = escape(item.paragraphs[0][:150])
        return f"Reviews: {item.summary}", f"<h1>Reviews of {escape(item.summary)}</h1><p>{begin}</p>{said}{following}"

    def _compare(self, url: str) -> tuple[str, str]:
        chosen = [int(number) for number in Target.of(url).query["items"].split(",")]
        cells = "".join(
            f"<td><h2>{self.to(each, f'/p/{each}')}</h2>{escape(self.items[each].text[:300])}</td>" for each in chosen
        )
        others = self.draw("compare", url).sample(range(len(self.items)), 4)
        kept = chosen[-2:]  # three side by side at most
        more = "<br>".join(
            self.to(each, f"/compare?items={','.join(map(str, [*kept, each]))}", "Compare with ") for each in others
        )
        return "Compare", f"<h1>Compare</h1><table><tr>{cells}</tr></table>{more}"

    def _basket(self, url: str) -> tuple[str, str]:
        title = self.items[int(Target.of(url).folders[2])].summary
        return "Your basket", f"<h1>Your basket</h1><p>Added: {escape(title)}</p><form><button>Pay</button></form>"

    def _log_in(self, _url: str) -> tuple[str, str]:
        return "Log in", "<h1>Log in</h1><p>New here? Make an account.</p><form></form>"


def _brand_and_price(number: int) -> tuple[int, int]:
    return number * 7 % _N_BRANDS, number * 11 % _N_PRICES


def _facts(number: int) -> list[tuple[str, int]]:
    return list(zip(("brand", "price"), _brand_and_price(number), strict=True))
