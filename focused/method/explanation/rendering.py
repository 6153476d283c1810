"""Render an explanation as text for people or as JSON for programs."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeVar

    from focused.method.explanation.explain import Explanation, LinkShare, TermShare

    Row = TypeVar("Row")

WIDTH = 120
"""Width of the text. Only a URL in the first lines may be longer."""

_CUTS = {
    "bytes": "bytes beyond FOCUSED_PAGE_MAX_BYTES",
    "contexts": "link contexts, cut at FOCUSED_PAGE_MAX_UNIT_TERMS",
    "links_not_http": "links that are not HTTP",
    "links_not_page": "links to files that are no pages",
    "links_pdf": "links to PDF files, which are not read",
    "links_invalid": "links that are no URLs",
    "links_too_long": "links longer than FOCUSED_PAGE_MAX_URL_CHARS",
    "links_over_limit": "links beyond FOCUSED_PAGE_MAX_LINKS",
}


def to_json(explanation: Explanation) -> str:
    """Return all of an explanation as one JSON object."""
    return json.dumps(asdict(explanation), ensure_ascii=False, indent=2)


def to_text(explanation: Explanation, top: int = 20) -> str:
    """Return an explanation as aligned text. ``top``: rows of each table; 0: all."""
    parts = [_head(explanation), _terms(explanation, top), _blocks(explanation, top), _links(explanation, top)]
    if explanation.cuts:
        rows = (f"  {_CUTS.get(what, what.replace('_', ' '))}: {count:,}" for what, count in explanation.cuts.items())
        parts.append("\n".join(("Left out", *rows)))
    return "\n\n".join(parts) + "\n"


def _head(e: Explanation) -> str:
    verdict = "relevant" if e.is_relevant else "not relevant"
    comparison = ">=" if e.is_relevant else "<"
    verdict += f", being in another language ({e.other_language}, FOCUSED_SCOPE_LANGUAGES)," if e.other_language else ""
    terms = e.decision - e.intercept
    return "\n".join(
        (
            e.url,
            shorten(e.title, WIDTH) or "(no title)",
            "",
            f"Relevance {e.relevance:.3f} {comparison} {e.thresholds['page']:.3f}: {verdict} for topic {e.topic}",
            *_at_first(e),
            f"  {e.n_words:,} words, {e.n_terms:,} different ones, {e.n_known:,} of them known to the topic; "
            f"read as {e.encoding}",
            f"  decision {e.decision:+.3f} = {terms:+.3f} from the known words, {e.intercept:+.3f} without any",
        )
    )


def _at_first(e: Explanation) -> list[str]:
    if e.first_threshold is None:
        return []
    verdict = "relevant there, too" if e.is_relevant and e.relevance >= e.first_threshold else "not relevant there"
    return [f"  until its first training a crawl asks for {e.first_threshold:.3f}: {verdict}"]


def _terms(e: Explanation, top: int) -> str:
    if not e.n_known:
        return "Terms\n  The page has no word that the topic knows."
    columns = [
        _term_column(f"for ({len(e.terms_for)})", e.terms_for, top),
        _term_column(f"against ({len(e.terms_against)})", e.terms_against, top),
    ]
    n_rows = max(map(len, columns))
    filled = (column + [""] * (n_rows - len(column)) for column in columns)
    lines = [f"  {left:<50}  {right}".rstrip() for left, right in zip(*filled, strict=True)]
    return "\n".join(["Terms: stem, occurrences, what it adds to the decision", *lines])


def _term_column(title: str, terms: Sequence[TermShare], top: int) -> list[str]:
    shown = terms[:top] if top else terms
    rows = [f"{shorten(t.term, 30):<30} {t.count:>6,} {t.contribution:>+9.3f}" for t in shown]
    if len(shown) < len(terms):
        rest = sum(t.contribution for t in terms[len(shown) :])
        rows.append(f"{f'and {len(terms) - len(shown):,} more':<37} {rest:>+9.3f}")
    return [f"{title:<30} {'n':>6} {'adds':>9}", *rows]


def _blocks(e: Explanation, top: int) -> str:
    shown, more = _best(e.blocks, top, lambda block: block.relevance)
    lines = [
        f"  {block.number:>5}  {block.relevance:.3f} {'*' if block.is_relevant else ' '}  {block.n_links:>5}  "
        f"{shorten(block.text, WIDTH - 27)}".rstrip()
        for block in sorted(shown, key=lambda block: block.number)
    ]
    title = f"Blocks: {len(e.blocks):,}, * relevant ({_measure(e)} >= {e.thresholds['block']:.3f})"
    return "\n".join((title, f"  {'block':>5}  {'value':<7}  {'links':>5}  text", *lines, *_more(more, "blocks")))


def _links(e: Explanation, top: int) -> str:
    if not e.links:
        return "Links: none"
    shown = e.links[:top] if top else e.links
    n_admitted = sum(link.status == "admitted" for link in e.links)
    kinds = ("block", "anchor", "context")
    title = (
        f"Links: {len(e.links):,}, {n_admitted:,} admitted by {e.strategy}; each with the {_measure(e)} of its\n"
        f"       {', '.join(f'{kind} (threshold {e.thresholds[kind]:.3f})' for kind in kinds)}"
    )
    header = (
        f"  {'score':<5}  {'status':<8}  {'by':<15}  {'block':<11}  {'anchor':<6}  {'context':<7}  {'text':<22}  target"
    )
    origin = _origin(e.url)
    rows = [_link_row(link, origin) for link in shown]
    return "\n".join((title, header, *rows, *_more(len(e.links) - len(shown), "links")))


def _link_row(link: LinkShare, origin: str) -> str:
    # A target on the page's own site is shown as a path, any other with its host.
    is_own = bool(origin) and link.url.startswith(f"{origin}/")
    target = link.url[len(origin) :] if is_own else link.url.partition("://")[2]
    row = (
        f"  {link.score:.3f}  {link.status:<8}  {link.reason:<15}  {link.block:.3f} {f'({link.block_number})':<5}  "
        f"{link.anchor:<6.3f}  {link.context:<7.3f}  {shorten(link.anchor_text, 22) or '(none)':<22}  "
    )
    words = f"\n         {link.words}" if link.words else ""
    return row + shorten(target, max(WIDTH - len(row), 20), middle=True) + words


def _best(rows: Sequence[Row], top: int, value: Callable[[Row], float]) -> tuple[Sequence[Row], int]:
    """Return the rows with the highest values, and the number of rows left out."""
    if not top or len(rows) <= top:
        return rows, 0
    return sorted(rows, key=value, reverse=True)[:top], len(rows) - top


def _more(n: int, what: str) -> list[str]:
    return [f"  and {n:,} more {what} (--top 0 shows all)"] if n else []


def _measure(e: Explanation) -> str:
    return "relevance" if e.similarity == "calibrated" else e.similarity


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}" if parts.netloc else ""


def shorten(text: str, width: int, middle: bool = False) -> str:
    """Return a text in one line of printable characters, cut to a width in characters.

    >>> shorten("The Milky Way", 9), shorten("/a/long/path.html", 12, middle=True)
    ('The Mi...', '/a/lo...html')
    """
    text = "".join(c if c.isprintable() else " " for c in text)
    text = " ".join(text.split())
    if len(text) <= width:
        return text
    n_end = (width - 3) // 2 if middle else 0
    return f"{text[: width - 3 - n_end].rstrip()}...{text[len(text) - n_end :]}"
