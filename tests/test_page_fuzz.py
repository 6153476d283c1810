"""A small share of ``benchmarks/fuzz_pages.py``, which does the same to 10,000 real pages."""

from __future__ import annotations

import importlib.util
import random
from pathlib import Path

import pytest

_FILE = Path(__file__).resolve().parent.parent / "benchmarks" / "fuzz_pages.py"

TABLES = b"""<HTML><HEAD><TITLE>Stars</TITLE><META NAME=keywords CONTENT="moon, nova"><BASE HREF="/x/"></HEAD>
<BODY BGCOLOR=white><CENTER><H1>Stars &amp; moons</H1></CENTER><TABLE BORDER=0><TR><TD><A HREF="a.html">One<BR>star</A>
<TD><FONT SIZE=2>two <A HREF="b.html"><IMG SRC=b.gif ALT="the moon"></A></FONT><TR><TD>caf\xe9<TD><A NAME=q>three</A></TABLE>
<MAP NAME=m><AREA HREF="c.html" ALT=sky></MAP><P>four<P>five <A HREF="mailto:x@y">six</A><HR></BODY></HTML>"""
SECTIONS = """<!doctype html><html lang=en><meta charset=utf-8><title>Nébuleuse</title><link rel=canonical href=/n>
<body><nav><ul><li><a href=/>home</a><li><a href=/list?p=2&amp;q=é rel=nofollow>next</a></ul></nav><main><article>
<h2>天文学</h2><p>“Words” of <b>a <a href=../deep/er.html>link</a></b>, <span hidden>unseen</span> and more.</p></article>
</main><footer style="display:none"><a href=x>y</a></footer><script>if (1 < 2) "</p>"</script></body></html>""".encode()
FRAMES = b"""<html><head><title>f</title><meta http-equiv=refresh content="9;url=r.html"></head><frameset cols="1,2">
<frame src=menu.html name=menu><frame src=main.html><noframes><body>No <a href=text.html>frames</a></body></noframes>"""


@pytest.fixture(scope="module")
def fuzz():
    spec = importlib.util.spec_from_file_location("fuzz_pages", _FILE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
def test_mutated_pages_raise_nothing(fuzz):
    path = fuzz.PagePath()
    for number in range(150):
        draw = random.Random(number)
        body, kind = fuzz.mutate(*draw.choices([TABLES, SECTIONS, FRAMES], k=2), draw)
        path.take(body, kind)
