"""Mutate real pages and analyse them: no exception, and no page may take more than one second of CPU.

Bytes are flipped, tags cut, doubled and nested, attributes and encodings swapped, pages spliced. Every mutation has a
number; a failure names it, and ``--only NUMBER`` repeats it.

Examples:
  python benchmarks/fuzz_pages.py
  python benchmarks/fuzz_pages.py /usr/share/doc ../shared/data/webkb.warc.gz ../shared/data/hyperphysics.warc.gz
  python benchmarks/fuzz_pages.py /usr/share/doc/git-doc --count 500
  python benchmarks/fuzz_pages.py --only 4711
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import time
import traceback
from pathlib import Path

from scrapy import Request
from tqdm import tqdm
from w3lib.url import canonicalize_url
from warcio.archiveiterator import ArchiveIterator

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from focused.method.page.link_context import link_context, url_terms, window_context  # noqa: E402
from focused.method.page.main_text import main_lines, main_text  # noqa: E402
from focused.method.page.metadata import metadata_of  # noqa: E402
from focused.method.page.reader import PageReader  # noqa: E402
from focused.method.page.repeated_lines import RepeatedLines  # noqa: E402
from focused.method.page.text_units import KINDS  # noqa: E402
from focused.method.scoring import Visit  # noqa: E402
from focused.method.strategies import CHOICES, make_strategy  # noqa: E402
from focused.method.topic import load_topic  # noqa: E402
from focused.method.topic.judge import Judge  # noqa: E402

TAG = re.compile(rb"<[^>]*>")
ENCODINGS = ["utf-8", "utf-16", "utf-32", "cp1252", "shift_jis", "gb18030", "koi8-r", "utf-7", "hex", "idna", "bogus"]
NASTY = [
    b"<base href='javascript:x'>", b"<base href='http://x:port/'>", b"<meta charset=hex>", b"<meta charset=utf-16>",
    b"<a href='http://[::1'>", b"<a href='//['>", b"<iframe src=x>", b"<noframes><a href=y>", b"<frameset>", b"<plaintext>",
    b"<title>", b"<textarea>", b"<svg><title>", b"<!--", b"<![CDATA[", b"&#x0;", b"\0", b"\xed\xa0\x80", b"<b><a href=q><div>",
    b"<meta http-equiv=refresh content='0;url=http://x:99999/'>", b"<table><tr><a href=z>", b"<p hidden>", b"</body></html>",
    b"<i>" * 3000, b"</div>" * 3000,
]  # fmt: skip


def mutate(body: bytes, other: bytes, draw: random.Random) -> tuple[bytes, str]:
    """Return a damaged page, and its claimed Content-Type."""
    for _ in range(draw.randint(1, 4)):
        place = draw.randrange(len(body) + 1)
        tags = [match.span() for match in TAG.finditer(body)][:2000] or [(0, 0)]
        first, last = draw.choice(tags)
        harm = draw.randrange(9)
        if harm == 0:
            flipped = bytearray(body)
            for _ in range(draw.randint(1, 200)):
                if flipped:
                    flipped[draw.randrange(len(flipped))] = draw.randrange(256)
            body = bytes(flipped)
        elif harm == 1:
            body = body[:first] + body[last:]
        elif harm == 2:
            body = body[:first] + body[first:last] * draw.choice([2, 50, 3000]) + body[last:]
        elif harm == 3:
            body = body[:place] + draw.choice(NASTY) * draw.choice([1, 1, 200]) + body[place:]
        elif harm == 4:
            body = body[:place] + other[draw.randrange(len(other) + 1) :]
        elif harm == 5:
            body = body[:place]
        elif harm == 6:
            (a, b), (c, d) = sorted(draw.sample(tags, 2)) if len(tags) > 1 else (tags[0], tags[0])
            body = body[:a] + body[c:d] + body[b:c] + body[a:b] + body[d:]
        elif harm == 7:
            body = body.decode("utf-8", "replace").encode(draw.choice(ENCODINGS[:7]), "replace")
        else:
            attributes = b" ".join(b"a%d%s" % (n, draw.choice([b"", b"='<b>'", b'=">"'])) for n in range(3000))
            body = body[: max(last - 1, 0)] + b" " + attributes + body[max(last - 1, 0) :]
    return body, draw.choice(["text/html", f"text/html; charset={draw.choice(ENCODINGS)}", "text/plain", "", "x/y;;="])


class PagePath:
    """Everything that a crawl does with a page."""

    def __init__(self, topic: str = "demo") -> None:
        self.topic = load_topic(topic, ROOT / "models")
        self.reader, self.judge = PageReader(self.topic.analyzer), Judge(self.topic)
        self.lines = RepeatedLines()
        self.strategies = [make_strategy(name).prepare(self.topic) for name in CHOICES]

    def take(self, body: bytes, kind: str) -> float:
        """Analyse a page, and return the CPU seconds that a crawl would need for it."""
        started = time.process_time()
        page = self.reader.read(body, "http://host.example/a/b", kind)
        relevance = self.judge.judge(page, KINDS)
        for strategy in self.strategies:
            strategy.score(page, relevance, Visit())
        taken = time.process_time() - started
        metadata_of(page, "2030-01-01")
        repeated = self.lines.mark_and_learn(page.lines, "host.example")
        main_text(page.lines, main_lines(page.lines, repeated))
        assert page.text is not None
        assert len(page.marks) == 4
        assert all(0 <= block < page.n_blocks for block in page.anchor_blocks)
        for anchor in range(min(5, len(page.anchors))):
            link_context(page, anchor)
            window_context(page, anchor)
        for link in page.links[:50]:
            Request(canonicalize_url(link.url))
            url_terms(link.url)
        return taken


def pages_of_warc(path: Path) -> list[bytes]:
    with path.open("rb") as file:
        return [record.content_stream().read() for record in ArchiveIterator(file) if record.rec_type == "response"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", type=Path, default=[Path("/usr/share/doc")], help="folders, WARCs")
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--random-state", type=int, default=0)
    parser.add_argument("--only", type=int, help="repeat the mutation of this number")
    options = parser.parse_args()
    pages: list[Path | bytes] = []
    for path in options.paths:
        if path.is_file():
            pages.extend(pages_of_warc(path))
        else:
            pages.extend(sorted(file for file in path.rglob("*.html") if file.is_file()))
    if not pages:
        parser.error(f"no HTML files in {', '.join(map(str, options.paths))}")
    whole_path = PagePath()
    failures, slowest = [], (0.0, -1)
    numbers = range(options.count) if options.only is None else [options.only]
    for number in tqdm(numbers, unit="page", disable=None):
        draw = random.Random(f"{options.random_state} {number}")
        one, other = (page if isinstance(page, bytes) else page.read_bytes() for page in draw.choices(pages, k=2))
        body, kind = mutate(one, other, draw)
        try:
            taken = whole_path.take(body, kind)
        except Exception:  # noqa: BLE001 - that there is none is what is tested
            failures.append(number)
            traceback.print_exc()
            continue
        slowest = max(slowest, (taken, number))
        if taken > 1:
            failures.append(number)
    print(f"{len(numbers):,} mutations of {len(pages):,} pages: {len(failures)} failures {failures[:20]}")
    print(f"slowest: {slowest[0]:.3f} s of CPU (mutation {slowest[1]})")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
