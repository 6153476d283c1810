# ruff: noqa: RUF001 - the pages have typographic signs
"""HTML of the demo web: five layouts, as five decades of web authors would have written them.

Nothing is escaped: the word lists hold no markup characters and the URLs no ampersands (a test says so).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from focused.webs.demo import css

if TYPE_CHECKING:
    from collections.abc import Callable

    from focused.webs.demo.document import Block, DemoLink, Document, Paragraph
    from focused.webs.demo.hosts import Host


# One transparent pixel, coloured by the style sheet: a picture without anything more to fetch.
_DOT = "data:image/gif;base64,R0lGODlhAQABAAAAACw="


def html(doc: Document, host: Host) -> str:
    """Render a document in the layout of its host."""
    meta = host.charset.endswith("meta")
    charset = host.charset.split()[0].replace("cp1252", "windows-1252")
    modern = host.layout in ("modern", "journal")
    head = [
        "<!DOCTYPE html>\n" if modern else '<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN">\n',
        f'<html lang="{doc.language}"><head>',
    ]
    if meta and modern:
        head.append(f'<meta charset="{charset}">')
    elif meta:
        head.append(f'<meta http-equiv="Content-Type" content="text/html; charset={charset}">')
    head.append(f"<title>{doc.title} - {doc.site}</title>\n<style>{css.css(host)}</style></head>\n")
    return "".join(head) + _LAYOUTS[host.layout](doc) + "</html>\n"


def _a(link: DemoLink) -> str:
    if link.image:
        return f'<a href="{link.url}"><img alt="{link.anchor}" src="{_DOT}"></a>'
    return f'<a href="{link.url}">{link.anchor}</a>'


def _text(paragraph: Paragraph) -> str:
    return paragraph.text + (f" {_a(paragraph.link)}{paragraph.rest}" if paragraph.link else "")


def _paragraphs(doc: Document) -> str:
    return "".join(f"<p>{_text(paragraph)}</p>\n" for paragraph in doc.paragraphs)


def _list(links: list[DemoLink] | tuple[DemoLink, ...]) -> str:
    return "<ul>" + "".join(f"<li>{_item(link)}</li>" for link in links) + "</ul>\n"


def _item(link: DemoLink) -> str:
    if link.lead:
        return f"<b>{link.lead}</b> {link.teaser} {_a(link)}"
    return f"{_a(link)} {link.teaser}" if link.teaser else _a(link)


def _card(link: DemoLink) -> str:
    if link.lead:
        return f"<div class=card><h3>{link.lead}</h3><p>{link.teaser} {_a(link)}</p></div>"
    if link.teaser:
        return f"<div class=card><h3>{_a(link)}</h3><p>{link.teaser}</p></div>"
    return f"<div class=card>{_a(link)}</div>"


def _heading(block: Block, tag: str) -> str:
    return f"<{tag}>{block.heading}</{tag}>" if block.heading else ""


def _row(links: list[DemoLink], between: str) -> str:
    return between.join(_a(link) for link in links)


def _modern(doc: Document) -> str:
    main = "".join(
        f'<section class="block {block.kind}">{_heading(block, "h2")}{"".join(map(_card, block.links))}</section>\n'
        for block in doc.main
    )
    side = "".join(
        f'<div class="block {block.kind}">{_heading(block, "h2")}{_list(block.links)}</div>\n' for block in doc.side
    )
    return (
        f'<body><header><a class=logo href="{doc.home}">{doc.site}</a>'
        f"<nav>{_list(doc.nav)}</nav></header>\n<div class=page><main>"
        f"<div class=trail>{_row(doc.trail, ' / ')}</div><article><h1>{doc.title}</h1>\n{_paragraphs(doc)}</article>\n"
        f"{main}</main>\n<aside>{side}</aside></div>\n<footer>{_row(doc.footer, ' · ')}</footer></body>"
    )


def _journal(doc: Document) -> str:
    half = len(doc.paragraphs) // 2
    pull = f"<h2>{doc.main[0].heading}</h2>" if doc.main and half else ""
    body = [f"<p>{_text(paragraph)}</p>\n" for paragraph in doc.paragraphs]
    blocks = "".join(
        f'<section class="block {block.kind}">{_heading(block, "h2")}'
        + "".join(f"<p>{_item(link)}</p>" for link in block.links)
        + "</section>\n"
        for block in doc.main + doc.side
    )
    return (
        f'<body><header><h2><a class=logo href="{doc.home}">{doc.site}</a></h2>'
        f"<nav>{_row(doc.nav, ' | ')}</nav></header>\n"
        f"<article><div class=trail>{_row(doc.trail, ' › ')}</div><h1>{doc.title}</h1>\n"
        f"{''.join(body[:half])}{pull and '<hr>'}{''.join(body[half:])}</article>\n"
        f"{blocks}<footer><p>{_row(doc.footer, ' ')}</p></footer></body>"
    )


def _table(doc: Document) -> str:
    menu = "".join(f"<tr><td>{_a(link)}</td></tr>" for link in doc.nav)
    main = "".join(
        f"<table class=part><tr><td><b>{block.heading}</b><br>\n"
        + "<br>\n".join(map(_item, block.links))
        + "</td></tr></table>\n"
        for block in doc.main
    )
    side = "".join(
        f"<table class=box><tr><th>{block.heading}</th></tr>"
        + "".join(f"<tr><td><font size=2>{_item(link)}</font></td></tr>" for link in block.links)
        + "</table><br>\n"
        for block in doc.side
    )
    return (
        f'<body><center><h2><a href="{doc.home}">{doc.site}</a></h2></center>\n<table class=page><tr valign=top>'
        f"<td class=menu><table>{menu}</table></td>\n<td><font size=2>{_row(doc.trail, ' &gt; ')}</font>"
        f"<h1>{doc.title}</h1>\n<table><tr><td>{_paragraphs(doc)}</td></tr></table>\n"
        f"{main}</td>\n<td class=right>{side}</td></tr></table>\n"
        f"<hr><center><font size=1>{_row(doc.footer, ' | ')}</font></center></body>"
    )


def _lists(doc: Document) -> str:
    blocks = "".join(
        f"<h3>{block.heading or 'Pages'}</h3>\n{_list(block.links)}"
        if block.kind != "topic"
        else f"<dl><dt>{block.heading}</dt>{''.join(f'<dd>{_item(link)}</dd>' for link in block.links)}</dl>\n"
        for block in doc.main + doc.side
    )
    return (
        f'<body><h2><a href="{doc.home}">{doc.site}</a></h2>\n{_list(doc.nav)}<p>{_row(doc.trail, " - ")}</p>'
        f"<h1>{doc.title}</h1>\n{_paragraphs(doc)}{blocks}<hr><address>{_row(doc.footer, ', ')}</address></body>"
    )


def _blog(doc: Document) -> str:
    posts = "".join(
        f'<div class="{block.kind}">{_heading(block, "h4")}'
        + "".join(f"<div class=entry>{_item(link)}</div>" for link in block.links)
        + "</div>\n"
        for block in doc.main
    )
    widgets = "".join(
        f'<div class="widget {block.kind}"><h4>{block.heading}</h4>'
        + "".join(f"<div>{_item(link)}</div>" for link in block.links)
        + "</div>\n"
        for block in doc.side
    )
    return (
        f'<body><div id=wrapper><div id=top><div class=logo><a href="{doc.home}">{doc.site}</a></div></div>\n'
        f"<div id=columns><div id=content><div class=post><h1>{doc.title}</h1>\n"
        f"{_paragraphs(doc)}</div>\n{posts}</div>\n"
        f"<div id=sidebar><div class=widget><h4>Pages</h4>{_list(doc.nav)}</div>{widgets}</div></div>\n"
        f"<div id=bottom>{_row(doc.trail + doc.footer, ' · ')}</div></div></body>"
    )


_LAYOUTS: dict[str, Callable[[Document], str]] = {
    "modern": _modern,
    "journal": _journal,
    "table": _table,
    "lists": _lists,
    "blog": _blog,
}
