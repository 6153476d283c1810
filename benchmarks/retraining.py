"""What retraining gains: a topic of which the examples show only half, and a feed of verdicts that are partly wrong.

    python benchmarks/retraining.py half WARC LABELS --pair "Nuclear,Thermodynamics" --out DIR
    python benchmarks/retraining.py tables WARC LABELS --topic Astrophysics
    python benchmarks/retraining.py doubts LABELS RUN_DIR ... --topics "Nuclear,Thermodynamics"
    python benchmarks/retraining.py side WARC LABELS --pair "Nuclear,Thermodynamics" --out DIR

``half``: two labels are one topic, its 30 positives are all of the first; 1,500 pages are drawn as unlabelled. Crawls with
a model that stays as it is, that is trained again by relevance, by verdicts on every page (the labels), and by verdicts of
which 30 % are wrong. Harvest: share of the fetched pages that have one of the labels; training positives are passed over. A
pair of twice the same label is a topic whose examples show all of it.

``tables``: tables 3 and 4 of I18. 138 pages (80 positives, 58 others) are the training data, as in the paper; models learn
from 80 %, 90 % and 100 % of them. Interactive: all of the further pages join with their labels. Automatic: those that the
model of the stage before gives at least 0.8 or at most 0.2. Precision, recall and F of the links of held-out pages that the
model calls relevant by their link context, against the label of their target.

``doubts``: the pages of interactive crawls of ``half`` get verdicts of which a share is wrong. How many of the wrong ones are
learnt, how many of the right ones are left out, and how well the model tells the pages apart that the crawl met next: average
precision with no verdict, with the right ones, with all, and with those that are not doubtful.

``side``: the topics of ``half`` (which makes them, in the same DIR) get verdicts of yes on a few pages of the second label, or
on as many that have neither. How well others of that label are known then, with and without unlabelled examples that resemble
these pages being left aside.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from retraining_doubts import doubts
from retraining_half import MODES, half
from retraining_side import side
from retraining_tables import tables


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    for name, function in (("half", half), ("tables", tables), ("doubts", doubts), ("side", side)):
        command = commands.add_parser(name)
        command.set_defaults(run=function)
        if name != "doubts":
            command.add_argument("warc", type=Path)
        command.add_argument("labels", type=Path)
        command.add_argument("--seed", type=int, default=0)
        if name == "half":
            command.add_argument("--pair", default="Nuclear,Thermodynamics")
            command.add_argument("--pages", type=int, default=0, help="0: as many as have one of the labels")
            command.add_argument("--modes", default=",".join(MODES))
            command.add_argument("--strategies", default="cbp_slc")
            command.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="further settings")
            command.add_argument("--out", type=Path, default=Path(tempfile.gettempdir()) / "retraining")
        elif name == "side":
            command.add_argument("--pair", default="Nuclear,Thermodynamics")
            command.add_argument("--out", type=Path, default=Path(tempfile.gettempdir()) / "retraining")
        elif name == "tables":
            command.add_argument("--topic", default="Astrophysics")
            command.add_argument("--test", type=int, default=200, help="held-out pages of each class")
        else:
            command.add_argument("runs", type=Path, nargs="+", metavar="RUN_DIR", help="of interactive crawls")
            command.add_argument("--topics", default="Nuclear,Thermodynamics", help="labels of what is relevant")
    options = parser.parse_args()
    if "warc" in options:
        options.warc = options.warc.resolve()
    options.run(options)


if __name__ == "__main__":
    main()
