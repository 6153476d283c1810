"""How well a topic made from six words ranks pages, against the keyword scores of other crawlers.

For ten topics of HyperPhysics and ten groups of 20 Newsgroups, six words are written down below, as a person would choose
them who has not seen the pages. 3,000 pages of the corpus are drawn as unlabelled pages; all others are ordered. Compared by
average precision against the labels: topics made from the words as ``scrapy train --keywords`` does, with these
unlabelled pages and with the general background (without its pages of the same corpus), and

* share: the share of the words that the page holds,
* density: occurrences of the words by the page's number of words,
* URL: the share of the words that the page's URL holds (Crawl4AI's KeywordRelevanceScorer),
* BM25 of the words (k1 = 1.2, b = 0.75), with frequencies and lengths of the unlabelled pages.

Words are stemmed for all of them, except in URLs.

Examples
--------
  python benchmarks/keywords.py
  FOCUSED_DATA_DIR=/data python benchmarks/keywords.py --corpus 20news --draws 1
"""

from __future__ import annotations

import argparse
import tarfile
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from common import DATA_DIR, machine, say, table
from scipy import sparse
from sklearn.metrics import average_precision_score
from text_corpora import whole_page
from web_corpora import read_labels

from focused.method.page.reader import PageReader
from focused.method.text.analyzer import TERMS, TITLE_PREFIX, Analyzer
from focused.method.text.background import Background, load_background
from focused.method.training.from_keywords import learn_keywords, read_keywords
from focused.method.training.page_set import PageSet
from focused.method.training.term_counting import Columns, CountedPage, Counts, count, count_matrix
from focused.webs import open_web

if TYPE_CHECKING:
    from focused.method.training.from_pages import LearntModel

WORDS = {
    "hyperphysics": {
        "Geophysics": "earthquake seismic mantle crust volcano atmosphere",
        "Astrophysics": "star galaxy planet supernova telescope cosmology",
        "Electricity and Magnetism": "electric magnetic field current voltage circuit",
        "Sound": "sound wave frequency music acoustics hearing",
        "Quantum Physics": "quantum wavefunction photon Schrodinger particle uncertainty",
        "Mechanics": "force motion momentum velocity energy acceleration",
        "Light and Vision": "light optics lens eye color vision",
        "Nuclear": "nuclear radioactive decay fission fusion isotope",
        "Thermodynamics": "heat temperature entropy gas thermodynamics pressure",
        "Biology": "cell protein DNA biology organism enzyme",
    },
    "20news": {
        "sci.space": "space orbit shuttle nasa satellite launch",
        "sci.med": "doctor patient disease medicine symptoms treatment",
        "sci.crypt": "encryption key cipher privacy security algorithm",
        "rec.sport.hockey": "hockey nhl team goal playoffs puck",
        "rec.sport.baseball": "baseball pitcher inning league team hit",
        "rec.motorcycles": "motorcycle bike ride helmet engine rider",
        "rec.autos": "car engine dealer ford tires brakes",
        "talk.politics.guns": "gun firearms weapon rifle amendment militia",
        "talk.politics.mideast": "israel arab palestinian turkish armenian jews",
        "comp.graphics": "graphics image rendering 3d polygon format",
    },
}
COLUMNS = ("share", "density", "URL", "BM25", "words, unlabelled pages", "words, background")
# The background's rows are in the order of its sources; see scripts/build_background.py.
_IN_BACKGROUND = {"20news": ("20 Newsgroups", 1500), "hyperphysics": ("HyperPhysics", 300)}
_N_UNLABELED = 3000


@dataclass
class Corpus:
    """Pages with their URLs and labels."""

    urls: list[str]
    pages: list[Counts]
    labels: list[set[str]]


def hyperphysics() -> Corpus:
    labels = read_labels(DATA_DIR / "hyperphysics.labels.tsv")
    web, reader = open_web(str(DATA_DIR / "hyperphysics.warc.gz"), {}), PageReader(Analyzer("en"))
    corpus = Corpus([], [], [])
    for url in sorted(labels):
        answer = web.answer(url)
        terms = reader.read(answer.body, url).terms if answer.status == 200 else ()
        if len(terms):
            corpus.urls.append(url)
            corpus.pages.append(count(terms))
            corpus.labels.append(labels[url])
    return corpus


def newsgroups() -> Corpus:
    """Return the training part, every third post: subject and body."""
    reader, corpus = PageReader(Analyzer("en")), Corpus([], [], [])
    with tarfile.open(DATA_DIR / "20news.tar.xz", "r|xz") as tar:
        # In the order of the archive: any other order would unpack it repeatedly.
        for number, member in enumerate(tar):
            file = tar.extractfile(member) if "-train/" in member.name and number % 2 else None
            if file is None:
                continue
            head, _, body = file.read().decode("latin-1").partition("\n\n")
            subject = next((line[8:] for line in head.splitlines() if line.lower().startswith("subject:")), "")
            corpus.urls.append("")
            corpus.pages.append(whole_page(reader, subject, body))
            corpus.labels.append({member.name.split("/")[-2]})
    return corpus


def background_without(corpus: str) -> Background:
    """Return the general background without its pages of a corpus."""
    background = load_background()
    source, n_behind = _IN_BACKGROUND[corpus]
    stop = background.n_pages - n_behind
    start = stop - background.about["sources"][source]
    kept = np.delete(np.arange(background.n_pages), np.arange(start, stop))
    return Background(background.terms, background.counts[kept])


class Ordering:
    """Orders the pages of a corpus that are not among its unlabelled ones."""

    def __init__(self, name: str, corpus: Corpus, draw: int) -> None:
        rng = np.random.default_rng(draw)
        chosen = np.sort(rng.choice(len(corpus.pages), _N_UNLABELED, replace=False))
        rest = np.setdiff1d(np.arange(len(corpus.pages)), chosen)
        self.unlabeled = PageSet(pages=[CountedPage(set(), corpus.pages[row], []) for row in chosen])
        self.background = background_without(name)
        self.pages = [CountedPage(set(), corpus.pages[row], []) for row in rest]
        self.urls = [corpus.urls[row].lower() for row in rest]
        self.labels = [corpus.labels[row] for row in rest]
        self.columns = Columns([*self.unlabeled.pages, *self.pages])
        self.is_text = np.array([not term.startswith(TITLE_PREFIX) for term in self.columns.terms])
        self.known = self.columns.counts([page.terms for page in self.unlabeled.pages])
        self.counts = self.columns.counts([page.terms for page in self.pages])

    def row(self, topic: str, words: str) -> tuple[list[float], list[float]]:
        """Return the average precision of each method, and precision and recall at the thresholds of the last two."""
        relevant = np.array([topic in labels for labels in self.labels])
        keywords = read_keywords(words, "en")
        places = [self.columns.column_of[term] for term in keywords.terms if term in self.columns.column_of]
        held = self.counts[:, places]
        n_words = np.asarray(self.counts @ self.is_text)
        scores = [
            np.asarray((held > 0).sum(axis=1)).ravel(),
            np.asarray(held.sum(axis=1)).ravel() / n_words,
            np.array([sum(word in url for word in words.lower().split()) for url in self.urls]),
            self._bm25(places, n_words),
        ]
        at_threshold = []
        for unlabeled in (self.unlabeled, self.background):
            found = self._relevance(learn_keywords(keywords, unlabeled))
            scores.append(found[0])
            accepted = found[0] >= found[1]
            hits = (accepted & relevant).sum()
            at_threshold += [hits / max(accepted.sum(), 1), hits / relevant.sum()]
        return [float(average_precision_score(relevant, score)) for score in scores], at_threshold

    def _bm25(self, places: list[int], n_words: np.ndarray, k1: float = 1.2, b: float = 0.75) -> np.ndarray:
        n = self.known.shape[0]
        holding = np.diff(sparse.csc_matrix(self.known[:, places]).indptr)
        idf = np.log((n - holding + 0.5) / (holding + 0.5) + 1)
        mean = (self.known @ self.is_text).sum() / n
        f = self.counts[:, places].toarray()
        return np.asarray(f * (k1 + 1) / (f + k1 * (1 - b + b * n_words[:, None] / mean)) @ idf)

    def _relevance(self, learnt: LearntModel) -> tuple[np.ndarray, float]:
        ids = [TERMS.intern(term) for term in learnt.terms]
        columns = np.full(len(TERMS), -1, dtype=np.int64)
        columns[ids] = np.arange(len(ids))
        counts = count_matrix([page.terms for page in self.pages], columns, len(learnt.terms))
        model = learnt.model
        return model.relevance("page", *model.decisions(counts)), model.threshold("page")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", choices=sorted(WORDS), action="append", help="default: both")
    parser.add_argument("--draws", type=int, default=3, help="draws of the unlabelled pages (default: 3)")
    options = parser.parse_args()
    print(machine())
    for name in options.corpus or sorted(WORDS, reverse=True):
        say(f"Reading {name} ...")
        corpus = hyperphysics() if name == "hyperphysics" else newsgroups()
        orderings = [Ordering(name, corpus, draw) for draw in range(options.draws)]
        rows, all_figures, all_at = [], [], []
        for topic, words in WORDS[name].items():
            found = [ordering.row(topic, words) for ordering in orderings]
            figures, at = (np.mean([each[i] for each in found], axis=0) for i in (0, 1))
            all_figures.append(figures)
            all_at.append(at)
            rows.append([topic, words, *_cells(figures, name)])
        rows.append(["**mean**", "", *_cells(np.mean(all_figures, axis=0), name)])
        print(f"\n### {name}: {len(corpus.pages):,} pages, mean of {options.draws} draws\n")
        print(table(["topic", "words", *COLUMNS], rows))
        p, r, bp, br = np.mean(all_at, axis=0)
        print(
            f"\nAt their thresholds precision {p:.2f} and recall {r:.2f} with unlabelled pages, {bp:.2f} and {br:.2f} with "
            "the background."
        )


def _cells(figures: np.ndarray, name: str) -> list[str]:
    cells = [f"{figure:.3f}" for figure in figures]
    return cells if name == "hyperphysics" else [*cells[:2], "", *cells[3:]]


if __name__ == "__main__":
    main()
