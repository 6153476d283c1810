"""Turn matplotlib's SVG file into an element of a page with several figures."""

from __future__ import annotations

import re
from html import escape

from focused.evaluation.report.colours import themed
from focused.evaluation.report.markup import clean

_REFERENCE = re.compile(r'(?:url\(#|href="#)([^)"]+)')
_ID = re.compile(r' id="([^"]*)"')
_NUMBER = re.compile(r"-?\d+\.\d{2,}")


def inline(svg: str, key: str, title: str) -> str:
    """Return the figure for a page: with a title for screen readers, unique ids, flexible size, and colours as CSS variables.

    Parameters
    ----------
    svg : str
        SVG as matplotlib writes it.
    key : str
        Prefix of its ids.
    title : str
        What the figure shows; it is escaped here.
    """
    body = svg[svg.index("<svg") :]
    body = re.sub(r"<!--.*?-->", "", body, flags=re.DOTALL)
    body = re.sub(r"<metadata>.*?</metadata>", "", body, flags=re.DOTALL)
    # matplotlib's style would hold for the whole page, and the page's own style has the same rules.
    body = re.sub(r"<style\b.*?</style>", "", body, flags=re.DOTALL)
    found = re.search(r'viewBox="([^"]*)"', body)
    view_box = found.group(1) if found else "0 0 400 300"
    content = body[body.index(">") + 1 : body.rindex("</svg>")]
    content = re.sub(r"<defs>\s*</defs>", "", content).replace("xlink:href=", "href=")
    used = set(_REFERENCE.findall(content))
    content = _ID.sub(lambda id_: f' id="{key}-{id_.group(1)}"' if id_.group(1) in used else "", content)
    content = re.sub(r"(url\(#|href=\"#)", rf"\g<1>{key}-", content)
    # From here on only tags are changed, never the texts between them.
    content = re.sub(r"<[^>]*>", lambda tag: _lean(tag.group()), content)
    content = re.sub(r">\s+<", "><", content)
    return (
        f'<svg viewBox="{view_box}" role="img" aria-labelledby="{key}-title">'
        f'<title id="{key}-title">{escape(clean(title))}</title>{clean(content)}</svg>'
    )


def _lean(tag: str) -> str:
    """Return a tag with shorter numbers (long paths: one digit after the point, else two) and colours of the theme."""
    digits = 1 if tag.startswith("<path d=") and len(tag) > 400 else 2
    tag = _NUMBER.sub(lambda number: f"{float(number.group()):.{digits}f}".rstrip("0").rstrip("."), tag)
    tag = re.sub(r"font: ([^;\"]*?)[\d.]+px [^;\"]*", _font, tag)
    return themed(re.sub(r"\s+", " ", tag))


def _font(found: re.Match[str]) -> str:
    size = re.search(r"([\d.]+)px", found.group())
    weight = "font-weight: 700; " if "700" in found.group(1) or "bold" in found.group(1) else ""
    return f"{weight}font-size: {size.group(1) if size else 10}px"
