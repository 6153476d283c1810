# ruff: noqa: RUF001 - the pages have typographic signs
"""HTML of the demo web: five layouts, as five decades of web authors would have written them.

Nothing is escaped: the word lists hold no markup characters and the URLs no ampersands (a test says so).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from focused.webs.demo.document import Block, DemoLink, Document, Paragraph
    from focused.webs.demo.hosts import Host

# One transparent pixel, coloured by the style sheet: a picture without anything more to fetch.
_DOT = "data:image/gif;base64,R0lGODlhAQABAAAAACw="

# One small style sheet a layout, one colour a host.
_ALL = (
    "body{margin:0;color:#222;line-height:1.5}a{color:hsl(HUE,60%,35%)}"
    "img{width:88px;height:44px;vertical-align:middle;background:linear-gradient(120deg,hsl(HUE,40%,80%),hsl(HUE,50%,50%))}"
)
_STYLES = {
    "modern": (
        "body{font-family:system-ui,sans-serif}header{background:hsl(HUE,45%,28%);padding:14px 4%}"
        "header a{color:#fff;text-decoration:none}.logo{font-size:24px;font-weight:700}"
        "nav ul{display:flex;gap:18px;flex-wrap:wrap;list-style:none;margin:8px 0 0;padding:0}"
        ".page{display:flex;gap:40px;max-width:1160px;margin:24px auto;padding:0 20px}main{flex:3}"
        "aside{flex:1;font-size:14px}h1{font-size:32px;line-height:1.2}"
        "h2{font-size:18px;border-bottom:2px solid hsl(HUE,45%,70%)}"
        ".card{display:inline-block;width:44%;margin:0 3% 12px 0;vertical-align:top}"
        ".card h3{margin:6px 0;font-size:16px}.card p{margin:0;font-size:14px}"
        ".adverts{background:#fdf6e0;padding:1px 12px}aside ul{padding-left:16px}.trail{font-size:13px}"
        "footer{background:#eee;padding:16px 4%}"
    ),
    "journal": (
        "body{font-family:Georgia,serif;max-width:720px;margin:0 auto;padding:0 20px}"
        "header{text-align:center;border-bottom:3px double #888;padding-bottom:10px}"
        ".logo{text-decoration:none;font-variant:small-caps}h1{font-size:34px;font-weight:400;line-height:1.15}"
        ".block{border-top:1px solid #ccc}.block h2{font-size:17px;font-variant:small-caps}"
        ".block p{font-size:15px;margin:6px 0}.adverts{background:#f6f3ea;padding:0 12px}"
        "footer{border-top:3px double #888;text-align:center}"
    ),
    "table": (
        "body{font-family:Verdana,Arial,sans-serif;font-size:13px;background:#fffef8}"
        ".page{margin:0 auto;max-width:1080px}td{padding:4px 10px}.menu{background:hsl(HUE,40%,88%);width:150px}"
        ".right{width:230px}.box{border:1px solid hsl(HUE,30%,60%);width:100%;border-collapse:collapse}"
        ".box th{background:hsl(HUE,45%,45%);color:#fff}h1{font-size:22px;color:hsl(HUE,60%,30%)}h2{margin:12px}"
        ".part{line-height:1.8}"
    ),
    "lists": (
        "body{font-family:Times,serif;margin:16px 6%;max-width:860px}h1{font-size:26px}"
        "dt{font-weight:700;background:hsl(HUE,40%,92%);padding:3px 8px}dd{margin:4px 24px}h3{margin-bottom:0}"
        "ul{margin-top:6px}"
    ),
    "blog": (
        "body{font-family:Trebuchet MS,sans-serif;background:hsl(HUE,35%,94%)}"
        "#wrapper{max-width:1000px;margin:0 auto;background:#fff}#top{background:hsl(HUE,50%,75%);padding:26px}"
        ".logo{font-size:30px}.logo a{color:#222;text-decoration:none}#columns{display:flex}"
        "#content{flex:2;padding:10px 26px}#sidebar{flex:1;padding:10px;font-size:13px}"
        ".widget{background:hsl(HUE,35%,97%);padding:4px 12px;margin-bottom:12px}.widget div{margin:5px 0}"
        ".widget ul{padding-left:16px}.entry{margin:8px 0}#bottom{padding:14px 26px;background:#eee;font-size:13px}"
    ),
}


def html(doc: Document, host: Host) -> str:
    """Render a document in the layout of its host."""
    meta = host.charset.endswith("meta")
    charset = host.charset.split()[0].replace("cp1252", "windows-1252")
    modern = host.layout in ("modern", "journal")
    style = (_ALL + _STYLES[host.layout]).replace("HUE", str(host.hue))
    head = [
        "<!DOCTYPE html>\n" if modern else '<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN">\n',
        f'<html lang="{doc.language}"><head>',
    ]
    if meta and modern:
        head.append(f'<meta charset="{charset}">')
    elif meta:
        head.append(f'<meta http-equiv="Content-Type" content="text/html; charset={charset}">')
    head.append(f"<title>{doc.title} - {doc.site}</title>\n<style>{style}</style></head>\n")
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


_LAYOUTS = {"modern": _modern, "journal": _journal, "table": _table, "lists": _lists, "blog": _blog}
