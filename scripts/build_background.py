"""Build the general background that stands in for unlabelled pages: stem counts of varied English pages, no texts.

Sources: HTML documentation of Debian packages (folders given as arguments; by default those of DOCUMENTATION that are
installed), and of the data folder 20 Newsgroups, Reuters-21578, HyperPhysics and WebKB. Of each at most so many pages
are drawn that none dominates. The same sources give the same bytes.

Examples:
  apt-get install python3-doc git-doc postgresql-doc-15 octave-doc grass-doc gimp-help-en anarchism lilypond-doc-html
  python scripts/build_background.py --data ../shared/data
"""

from __future__ import annotations

import argparse
import random
import sys
import tarfile
from collections import Counter
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse
from tqdm import tqdm

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from focused.method.page.reader import PageReader  # noqa: E402
from focused.method.text.analyzer import COUNTING, FIRST_TERM, TERMS, Analyzer  # noqa: E402
from focused.method.text.background import BACKGROUND_FILE, MIN_PAGES, to_bytes  # noqa: E402
from focused.webs import open_web  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

DOCUMENTATION = {
    "python3-doc": "/usr/share/doc/python3.11/html",
    "git-doc": "/usr/share/doc/git-doc",
    "postgresql-doc-15": "/usr/share/doc/postgresql-doc-15/html",
    "octave-doc": "/usr/share/doc/octave/octave.html",
    "grass-doc": "/usr/share/doc/grass-doc/html",
    "gimp-help-en": "/usr/share/gimp/2.0/help/en",
    "anarchism": "/usr/share/doc/anarchism/html",
    "lilypond-doc-html": "/usr/share/doc/lilypond/html/Documentation",
}
MIN_TERMS, MAX_TERMS_A_PAGE = 30, 400  # shorter pages tell nothing; of longer ones the start is enough

Document = tuple[bytes, str]  # body, content type


def html_files(folder: Path) -> Iterator[Document]:
    for path in sorted(folder.rglob("*.html")):
        if path.is_file():
            yield path.read_bytes(), "text/html"


def archive(path: Path, with_title: Callable[[str], tuple[str, str]]) -> Iterator[Document]:
    """Yield the texts of a corpus as pages, each once: Reuters has a document in the folder of each of its topics.

    Without titles they would not tell which terms are rare in titles.
    """
    seen: set[str] = set()
    with tarfile.open(path) as tar:
        for entry in tar:
            name = Path(entry.name).name
            if entry.isfile() and name not in seen and (file := tar.extractfile(entry)) is not None:
                seen.add(name)
                title, text = with_title(file.read().decode("cp1252", "replace"))
                page = f"<title>{escape(title)}</title><body>{escape(text)}</body>"
                yield page.encode(), "text/html; charset=utf-8"


def with_subject(message: str) -> tuple[str, str]:
    """Return the subject of a message, and the message without that line."""
    head, _, rest = message.partition("\n\n")
    lines = head.splitlines()
    subjects = [line for line in lines if line.lower().startswith("subject:")]
    head = "\n".join(line for line in lines if line not in subjects)
    return " ".join(line.partition(":")[2] for line in subjects), f"{head}\n\n{rest}"


def with_headline(story: str) -> tuple[str, str]:
    """Return the headline of a Reuters story, its first line, and the rest."""
    headline, _, rest = story.strip().partition("\n")
    return headline, rest


def recorded(path: Path) -> Iterator[Document]:
    web = open_web(str(path), {})
    for _, answer in web.pages():  # type: ignore[attr-defined]
        if answer.status == 200:
            yield answer.body, dict(answer.headers).get("Content-Type", "text/html")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path, help="folders of HTML documentation")
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data", help="folder of webs and corpora")
    parser.add_argument("--per-source", type=int, default=300, help="pages of each source at most (default: 300)")
    parser.add_argument("--output", type=Path, default=ROOT / "focused" / "method" / "text" / BACKGROUND_FILE)
    parser.add_argument("--random-state", type=int, default=0)
    options = parser.parse_args()
    folders = {path.name: path for path in options.folders} or {n: Path(p) for n, p in DOCUMENTATION.items()}
    sources = {name: html_files(path) for name, path in folders.items() if path.is_dir()}
    sources["20 Newsgroups"] = archive(options.data / "20news.tar.xz", with_subject)
    sources["Reuters-21578"] = archive(options.data / "reuters21578.tar.xz", with_headline)
    sources["HyperPhysics"] = recorded(options.data / "hyperphysics.warc.gz")
    sources["WebKB"] = recorded(options.data / "webkb.warc.gz")
    reader = PageReader(Analyzer("en"))
    pages: list[Counter[int]] = []
    counts: dict[str, int] = {}
    for name, documents in sources.items():
        # The corpora are the most varied sources: they may give three times as much.
        wanted = options.per_source * (3 if name in ("20 Newsgroups", "Reuters-21578") else 1)
        drawn = random.Random(f"{options.random_state} {name}").sample(everything := [*documents], len(everything))
        bodies: set[bytes] = set()
        before = len(pages)
        for body, kind in tqdm(drawn, desc=name, unit="page", leave=False, disable=None):
            if len(pages) - before == wanted:
                break
            if body in bodies:
                continue
            bodies.add(body)
            read = reader.read(body, "http://source.invalid/", kind)
            if read.n_words >= MIN_TERMS:
                text, title = read.terms[: min(read.n_words, MAX_TERMS_A_PAGE)], read.terms[read.n_words :]
                pages.append(Counter([*text.tolist(), *title.tolist()]))
        counts[name] = len(pages) - before
        print(f"{name}: {counts[name]} pages", file=sys.stderr)
    frequency = Counter(term for page in pages for term in page if term >= FIRST_TERM)
    kept = sorted((TERMS.term(term), term) for term, n in frequency.items() if n >= MIN_PAGES)
    column = {term: number for number, (_, term) in enumerate(kept)}
    rows, columns, values = [], [], []
    for row, page in enumerate(pages):
        for term, n in page.items():
            if term in column:
                rows.append(row)
                columns.append(column[term])
                values.append(n)
    matrix = sparse.csr_matrix((np.array(values), (rows, columns)), shape=(len(pages), len(kept)))
    about = {
        "language": "en",
        "counting": COUNTING,
        "sources": counts,
        "order": list(counts),
        "minimum_pages_of_a_term": MIN_PAGES,
        "random_state": options.random_state,
    }
    data = to_bytes([name for name, _ in kept], matrix, about)
    options.output.write_bytes(data)
    print(f"{options.output}: {len(pages):,} pages, {len(kept):,} terms, {len(data):,} bytes", file=sys.stderr)


if __name__ == "__main__":
    main()
