"""The looks of the demo web: one small style sheet a layout, one colour a host."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from focused.webs.demo.hosts import Host

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


def css(host: Host) -> str:
    """Give the style sheet of a host."""
    return (_ALL + _STYLES[host.layout]).replace("HUE", str(host.hue))
