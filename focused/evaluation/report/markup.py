"""HTML of a report, built from parts that escape their contents."""

from __future__ import annotations

import base64
import hashlib
import re
import unicodedata
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from focused.evaluation.report.style import STYLE

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from focused.evaluation.report.colours import CurveStyle

# Characters that HTML cannot write, and characters that reverse the text after them.
_UNWANTED = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff\u202a-\u202e\u2066-\u2069]")

UNKNOWN, MINUS = "\u2013", "\u2212"


@dataclass(frozen=True, slots=True)
class Markup:
    """Text that is HTML already; all other text is escaped."""

    html: str

    def __str__(self) -> str:
        return self.html


def clean(text: str) -> str:
    r"""Return text without characters that HTML cannot hold or that would reorder what follows them.

    >>> clean("a\x00b")
    'a�b'
    """
    return _UNWANTED.sub("\ufffd", text)


def shorten(text: object, n_chars: int) -> str:
    """Return text in one line of at most ``n_chars`` characters.

    >>> shorten("breadth first crawl", 10)
    'breadth f…'
    """
    line = " ".join(clean(str(text)).split())
    if len(line) <= n_chars:
        return line
    cut = line[: n_chars - 1]
    while cut and (unicodedata.combining(line[len(cut)]) or line[len(cut)] == "\u200d"):
        cut = cut[:-1]  # no half characters
    return f"{cut}…"


def html(value: object) -> str:
    """Return a value as escaped HTML."""
    return value.html if isinstance(value, Markup) else escape(clean(str(value)), quote=True)


def element(tag: str, *content: object, **attributes: object) -> Markup:
    """Return an element; ``class_`` stands for ``class``, underscores for hyphens.

    >>> str(element("p", "a < b", class_="note"))
    '<p class="note">a &lt; b</p>'
    """
    known = {name.rstrip("_").replace("_", "-"): value for name, value in attributes.items() if value is not None}
    given = "".join(f' {name}="{html(value)}"' for name, value in known.items())
    return Markup(f"<{tag}{given}>{''.join(map(html, content))}</{tag}>")


def soft(*content: object) -> Markup:
    """Return a paragraph in a soft colour, for an explanation that is no result."""
    return element("p", *content, class_="soft")


def folded(summary: str, *content: object) -> Markup:
    """Return content that opens when its summary is chosen."""
    return element("details", element("summary", summary), *content)


def name(text: object, breaks: str = "") -> Markup:
    """Return a foreign name with a writing direction of its own; ``breaks``: a character after which a line may break."""
    shown = html(shorten(text, 200))
    return Markup(f"<bdi>{shown.replace(breaks, f'{breaks}<wbr>') if breaks else shown}</bdi>")


def joined(parts: Iterable[object], between: str = "") -> Markup:
    """Return parts one after another."""
    return Markup(between.join(map(html, parts)))


def link(url: str, text: object | None = None) -> Markup:
    """Return a link to a page of the web; the text alone if the URL is not HTTP."""
    shown = element("bdi", shorten(url if text is None else text, 300))
    try:
        is_web = urlsplit(url).scheme.lower() in ("http", "https")
    except ValueError:
        is_web = False
    return element("a", shown, href=url, rel="noopener noreferrer nofollow") if is_web and len(url) <= 2083 else shown


def table(
    label: str,
    caption: object,
    heads: Sequence[object],
    rows: Iterable[Sequence[object]],
    *,
    n_text: int = 1,
    class_: str | None = None,
) -> Markup:
    """Return a table that scrolls if it is too wide.

    ``label``: its name for screen readers. ``n_text``: number of text columns; the others hold numbers, aligned right. The
    first column is the head of its row.
    """
    head = element("tr", *(element("th", cell, scope="col", class_=_column(i, n_text)) for i, cell in enumerate(heads)))
    body = []
    for row in rows:
        cells = [element("td", cell, class_=_column(i, n_text)) for i, cell in enumerate(row[1:], 1)]
        body.append(element("tr", element("th", row[0], scope="row", class_=_column(0, n_text)), *cells))
    # The tab index lets the arrow keys scroll it.
    region = element(
        "div", element("table", element("thead", head), element("tbody", *body)), class_=f"scroll {class_ or ''}".strip(),
        tabindex="0", role="region", aria_label=shorten(label, 80),
    )  # fmt: skip
    # No <caption>: it would be as wide as the table, and cut off on a phone.
    return joined((element("p", caption, class_="caption"), region)) if caption else region


def _column(number: int, n_text: int) -> str | None:
    return None if number < n_text else "number"


def figure(svg: str, caption: object, *, head: object | None = None) -> Markup:
    """Return a figure with its caption; ``head`` is shown above it."""
    above = [element("p", head, class_="figure-head")] if head is not None else []
    return element("figure", *above, Markup(svg), element("figcaption", caption))


def key_of(look: CurveStyle) -> Markup:
    """Return a short line in the look of a curve."""
    dash = f";stroke-dasharray:{' '.join(f'{part * 1.2:.3g}' for part in look.dash)}" if look.dash else ""
    return Markup(
        f'<svg class="key" viewBox="0 0 30 8" aria-hidden="true"><line x1="0" y1="4" x2="30" y2="4" '
        f'style="stroke:var(--c-{look.light[1:]});stroke-width:2.4{dash}"/></svg>'
    )


def legend(looks: dict[str, CurveStyle]) -> Markup:
    """Return the legend of a figure of bars."""
    swatches = {
        what: element("span", class_="swatch", style=f"background:var(--c-{look.light[1:]})")
        for what, look in looks.items()
    }
    return element("ul", *(element("li", swatch, what) for what, swatch in swatches.items()), class_="legend")


def page(title: str, content: Iterable[object], *, script: str = "") -> str:
    """Return a whole page. ``script``: one of the program's own, the only one that may run."""
    allowed = f" script-src {digest_of(script)};" if script else ""
    ending = f"<script>{script}</script>\n" if script else ""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        # Nothing is loaded and no other script runs, whatever the texts of crawled pages contain.
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\';'
        f"{allowed} style-src 'unsafe-inline'\">\n"
        f"<title>{html(shorten(title, 200))}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n"
        + "\n".join(map(html, content))
        + f"\n</main>\n{ending}</body>\n</html>\n"
    )


def digest_of(script: str) -> str:
    """Return the source of a Content-Security-Policy that lets this one script run."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"
