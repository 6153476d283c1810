"""How often training warns of several topics if there are two, and if there is one.

Positives are drawn from one topic of HyperPhysics or one group of 20 Newsgroups (four draws of each), and from each pair in
equal shares; 1,500 pages of the corpus, or the general background, are the unlabelled pages.

Examples
--------
  python benchmarks/diagnosis.py
"""

from __future__ import annotations

import argparse
from itertools import combinations

import numpy as np
from common import machine, say, table
from keywords import WORDS, background_without, hyperphysics, newsgroups
from scipy import sparse

from focused.method.learning.diagnosis import diagnose
from focused.method.training.term_counting import Columns, CountedPage

SIZES = (10, 30, 60)
N_ALONE = 4
N_UNLABELED = 1500


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", choices=sorted(WORDS), action="append", help="default: both")
    options = parser.parse_args()
    rows = []
    for name in options.corpus or sorted(WORDS, reverse=True):
        say(f"Reading {name} ...")
        corpus, background = hyperphysics() if name == "hyperphysics" else newsgroups(), background_without(name)
        columns = Columns([CountedPage(set(), page, []) for page in corpus.pages], background.terms)
        counts, others = columns.counts(corpus.pages), columns.of_background(background)
        members = {topic: [row for row, of in enumerate(corpus.labels) if topic in of] for topic in WORDS[name]}
        drawn = [(topic,) for topic in members] * N_ALONE + list(combinations(members, 2))
        for is_background in (False, True):
            for n in SIZES:
                rng = np.random.default_rng(n)
                unlabeled = rng.choice(len(corpus.pages), N_UNLABELED, replace=False)
                warned: dict[int, list[bool]] = {1: [], 2: []}
                strays, copies = [], []
                for topics in drawn:
                    share = n // len(topics)
                    chosen = [rng.choice(members[t], min(share, len(members[t])), replace=False) for t in topics]
                    positive = np.unique(np.concatenate(chosen))
                    rest = others if is_background else counts[np.setdiff1d(unlabeled, positive)]
                    pages = sparse.vstack([counts[positive], rest], format="csr")
                    found = diagnose(pages, np.arange(pages.shape[0]) < len(positive), is_background=is_background)
                    warned[len(topics)].append(bool(found.groups))
                    if len(topics) == 1:
                        strays.append(len(found.outliers))
                        copies.append(sum(len(group) - 1 for group in found.duplicates))
                # fmt: off
                rows.append([
                    name, "background" if is_background else "of the corpus", n,
                    *(f"{sum(each)} of {len(each)}" for each in warned.values()),
                    f"{np.mean(strays):.1f}", f"{np.mean(copies):.1f}",
                ])
                # fmt: on
    print(machine())
    print()
    header = ["corpus", "unlabelled", "positives", "one topic: warned", "two topics: warned", "outliers", "copies"]
    print(table(header, rows))


if __name__ == "__main__":
    main()
