"""A wiki: entries of the Collaborative International Dictionary of English (package dict-gcide).

Its authors mark senses with their field, as "(Bot.)" or "(Naut.)": the fields are the labels, and the marks are taken out
of the text. Links are the authors' cross references, to the authors whom an entry quotes, and a wiki's furniture:
neighbours by alphabet, recent changes, random pages.
"""

from __future__ import annotations

import gzip
import random
import re
from collections import Counter, defaultdict
from html import escape
from typing import TYPE_CHECKING
from urllib.parse import quote

from manuals.web import ManualWeb

from web_makers.pages import bullets, chunks, document, link, paragraphs, row

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from web_makers.sources import Sources

_HOST = "http://wiki.example.org/"
_PAGES = 3600
_WITH_FIELD = 0.6
_SHORTEST = 220
_A_LIST = 60
FIELDS = {
    "Anat": "anatomy", "Arch": "architecture", "Astron": "astronomy", "Bot": "botany", "Chem": "chemistry",
    "Eccl": "church", "Elec": "electricity", "Geol": "geology", "Geom": "geometry", "Gram": "grammar",
    "Her": "heraldry", "Law": "law", "Mach": "machines", "Math": "mathematics", "Mech": "mechanics",
    "Med": "medicine", "Mil": "military", "Min": "mineralogy", "Mus": "music", "Naut": "seafaring", "Paleon": "fossils",
    "Physiol": "physiology", "Print": "printing", "Surg": "surgery", "Zool": "zoology",
}  # fmt: skip
"""Topics by the dictionary's marks. Marks that are not here are left where they are."""
_ANOTHER = r"[A-Z][A-Za-z]*\."
_MARK = re.compile(
    rf"\s?\((?:{_ANOTHER} ?(?:&|and|or|,)? ?)?(?:{'|'.join(FIELDS)})\.?(?: ?(?:&|and|or|,)? ?[A-Z][A-Za-z]*\.?)?\)"
)
_NAME = re.compile("|".join(sorted(FIELDS, key=len, reverse=True)))
_SOURCE = re.compile(r"\s*\[(?:1913 Webster|PJC|WordNet|Century|Webster|RDH|AS|GG|RP|JC)[^\]]*\]")
_HEAD = re.compile(r"^([^\s\\][^\\\n]*?) \\", re.M)
_REFERENCE = re.compile(r"\{([^{}]+)\}")
_SENSE = re.compile(r"^ *\d+\. ", re.M)
_SHARE_OF_SENSES = 0.3
"""Of an entry's senses that must bear the mark of a field; "box" is no page about botany for one of its twenty."""
_QUOTED = re.compile(r"--([A-Z][A-Za-z. ]{2,24}?)[.]?\s*$", re.M)


def read(sources: Sources) -> dict[str, str]:
    """Return the text of each headword."""
    file = sources.unpacked("dict-gcide") / "usr/share/dictd/gcide.dict.dz"
    return entries(gzip.decompress(file.read_bytes()).decode("utf-8", "replace"))


def entries(text: str) -> dict[str, str]:
    """Part the dictionary's text into its entries; those of the same headword are joined."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    heads = list(_HEAD.finditer(text))
    for head, following in zip(heads, [*heads[1:], None], strict=True):
        body = text[head.end() : following.start() if following else None]
        found[_word(head[1])].append(body.partition("\\")[2].strip())
    return {word: "\n\n".join(parts) for word, parts in found.items() if word}


def build(dictionary: Mapping[str, str], seed: int, n_pages: int = _PAGES) -> ManualWeb:
    """Make the wiki of the entries that are referred to most, most of them with a field."""
    draw = random.Random(f"wiki {seed}")
    fields = {word: _fields(text) for word, text in dictionary.items()}
    calls = Counter(
        target for text in dictionary.values() for target in {_word(ref) for ref in _REFERENCE.findall(text)}
    )
    long = [word for word, text in dictionary.items() if len(text) >= _SHORTEST]
    long.sort(key=lambda word: (-calls[word] - draw.random() * 3, word))
    n_fields = int(n_pages * _WITH_FIELD)
    chosen = [w for w in long if fields[w]][:n_fields] + [w for w in long if not fields[w]][: n_pages - n_fields]
    return _Wiki({word: dictionary[word] for word in sorted(chosen)}, fields, draw).web


class _Wiki:
    def __init__(self, texts: Mapping[str, str], fields: Mapping[str, set[str]], draw: random.Random) -> None:
        self.web = ManualWeb("wiki", f"{_HOST}wiki/Main_Page")
        self.web.origin = "a wiki made of"
        self._texts, self._draw = texts, draw
        self._words = list(texts)
        self._recent = bullets(self._pages(draw.sample(self._words, min(12, len(texts)))), "Recent changes")
        authors: defaultdict[str, list[str]] = defaultdict(list)
        for word, text in texts.items():
            for author in sorted({name.strip() for name in _QUOTED.findall(text)}):
                authors[author].append(word)
        self._authors = {author: words for author, words in authors.items() if len(words) > 2}
        self._indexes()
        for place, word in enumerate(self._words):
            self._entry(place, word)
            self.web.labels[_url(word)] = set(fields[word])

    def _indexes(self) -> None:
        lists = [(f"{_HOST}wiki/Special:AllPages/{n}", part) for n, part in enumerate(chunks(self._words, _A_LIST), 1)]
        ways = [(url, f"{part[0]} to {part[-1]}") for url, part in lists]
        quoted = [(_author_url(author), author) for author in sorted(self._authors)]
        today = bullets(self._pages(self._draw.sample(self._words, min(6, len(self._words)))), "Did you know")
        authors = (f"{_HOST}wiki/Special:Authors", "Quoted authors")
        everything = (f"{_HOST}wiki/Special:AllPages", "All pages")
        self._add(self.web.front, "Main Page", f"{today}{row([everything, authors])}")
        self._add(everything[0], everything[1], bullets(ways))
        self._add(authors[0], authors[1], bullets(quoted))
        for url, part in lists:
            self._add(url, "All pages", f"<p>{link(*everything)}</p>{bullets(self._pages(part))}")
        for author, words in self._authors.items():
            for n, part in enumerate(chunks(words, 2 * _A_LIST)):
                more = link(f"{_author_url(author)}/{n + 1}", "more") if (n + 1) * 2 * _A_LIST < len(words) else ""
                url = _author_url(author) + (f"/{n}" if n else "")
                self._add(url, author, f"<p>Entries that quote {escape(author)}:</p>{bullets(self._pages(part))}{more}")

    def _entry(self, place: int, word: str) -> None:
        text = _SOURCE.sub("", _MARK.sub("", self._texts[word]))
        body = paragraphs(re.sub(r"(?m)^ +", "", text))
        body = _REFERENCE.sub(lambda found: self._reference(found[1], word), body)
        near = [self._words[n] for n in (place - 2, place - 1, place + 1, place + 2) if 0 <= n < len(self._words)]
        names = sorted({name.strip() for name in _QUOTED.findall(self._texts[word])} & self._authors.keys())
        quoted = row(((_author_url(name), name) for name in names), ", ")
        chance = row(self._pages(self._draw.sample(self._words, min(4, len(self._words)))), ", ")
        foot = f"<div class=nearby>{row(self._pages(near))}</div><div class=foot>Random: {chance}</div>"
        self._add(_url(word), word, f"<div id=content>{body}</div>{quoted and f'<p>Quoted: {quoted}</p>'}{foot}")

    def _reference(self, escaped: str, word: str) -> str:
        target = _word(escaped)
        return link(_url(target), target) if target in self._texts and target != word else escaped

    def _pages(self, words: Sequence[str]) -> list[tuple[str, str]]:
        return [(_url(word), word) for word in words]

    def _add(self, url: str, title: str, body: str) -> None:
        menu = row([(self.web.front, "Main page"), (f"{_HOST}wiki/Special:AllPages", "All pages"),
                    (f"{_HOST}wiki/Special:Authors", "Authors")])  # fmt: skip
        page = f"<div id=panel>{menu}{self._recent}</div><h1>{escape(title)}</h1>{body}"
        self.web.pages[url] = document(f"{title} - Wiki of words", f"{page}<p>Text is free. Edit it.</p>")


def _fields(text: str) -> set[str]:
    """Return the fields that a good share of an entry's senses belong to."""
    marks = Counter(f"field {FIELDS[name]}" for mark in _MARK.findall(text) for name in set(_NAME.findall(mark)))
    n_senses = max(1, len(_SENSE.findall(text)))
    return {field for field, n in marks.items() if n >= _SHARE_OF_SENSES * n_senses}


def _word(text: str) -> str:
    return " ".join(text.split()).strip("'\"").lower()


def _url(word: str) -> str:
    return f"{_HOST}wiki/{quote(word.capitalize().replace(' ', '_'), safe='')}"


def _author_url(author: str) -> str:
    return f"{_HOST}wiki/Author:{quote(author.replace(' ', '_'))}"
