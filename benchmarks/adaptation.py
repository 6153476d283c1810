"""What adaptation gains: a topic of which the examples show only half, and a feed of verdicts that are partly wrong.

    python benchmarks/adaptation.py half WARC LABELS --pair "Nuclear,Thermodynamics" --out DIR
    python benchmarks/adaptation.py tables WARC LABELS --topic Astrophysics
    python benchmarks/adaptation.py doubts LABELS RUN_DIR ... --topics "Nuclear,Thermodynamics"
    python benchmarks/adaptation.py side WARC LABELS --pair "Nuclear,Thermodynamics" --out DIR

``half``: two labels are one topic, its 30 positives are all of the first; 1,500 pages are drawn as unlabelled. Crawls with
a model that stays as it is, that adapts by itself, by verdicts on every page (the labels), and by verdicts of which 30 %
are wrong. Harvest: share of the fetched pages that have one of the labels; training positives are passed over. A pair of
twice the same label is a topic whose examples show all of it.

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
import csv
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # the project is not installed

N_POSITIVE, N_UNLABELED, N_SEEDS = 30, 1500, 5
MODES = ("off", "automatic", "interactive", "both", "poisoned")


def labels_of(path: Path) -> dict[str, set[str]]:
    """Read a labels file."""
    with path.open(newline="", encoding="utf-8") as file:
        return {row["url"]: set(row["labels"].split("|")) for row in csv.DictReader(file, delimiter="\t")}


def scrapy(*arguments: str) -> None:
    """Run a scrapy command of the project; its output is shown where it fails."""
    done = subprocess.run([sys.executable, "-m", "scrapy", *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"scrapy {' '.join(arguments)}\n{done.stdout}\n{done.stderr}")


def half(options: argparse.Namespace) -> None:
    """Crawl for two labels with examples of one."""
    labels, out = labels_of(options.labels), options.out.resolve()
    first, second = options.pair.split(",")
    relevant = {url for url, found in labels.items() if found & {first, second}}
    rng = np.random.default_rng(options.seed)
    positives = sorted(
        rng.choice(sorted(u for u in relevant if first in labels[u]), N_POSITIVE, replace=False).tolist()
    )
    others = sorted(set(labels) - set(positives))
    unlabeled = sorted(rng.choice(others, N_UNLABELED, replace=False).tolist())
    name = f"{first}-{second}-{options.seed}".lower().replace(" ", "-")
    folder = out / name
    folder.mkdir(parents=True, exist_ok=True)
    for file, urls in (("positives.txt", positives), ("unlabeled.txt", unlabeled)):
        (folder / file).write_text("\n".join(urls) + "\n")
    models = ("-s", f"FOCUSED_MODELS_DIR={folder / 'models'}")
    if not (folder / "models" / "half").is_dir():
        known, drawn = (str(folder / name) for name in ("positives.txt", "unlabeled.txt"))
        scrapy(
            *("train", "half", "--positive", str(options.warc), "--positive-urls", known, "--force", "--quick"),
            *("--unlabeled", str(options.warc), "--unlabeled-urls", drawn, "--unlabeled-sample", str(N_UNLABELED)),
            *("--seeds", *positives[:N_SEEDS], *models),
        )
    for mode in options.modes.split(","):
        for strategy in options.strategies.split(","):
            run = folder / f"{mode}-{strategy}"
            if not (run / "run.json").is_file():
                settings = [f"FOCUSED_ADAPTATION={'interactive' if mode == 'poisoned' else mode}"]
                if mode in ("interactive", "both", "poisoned"):
                    feed = folder / f"{mode}.jsonl"
                    wrong = 0.3 if mode == "poisoned" else 0.0
                    draw = np.random.default_rng(options.seed + 1)
                    feed.write_text(
                        "".join(
                            json.dumps({"url": url, "relevant": (url in relevant) != (draw.random() < wrong)}) + "\n"
                            for url in sorted(labels)
                        )
                    )
                    settings.append(f"FOCUSED_VERDICTS={feed}")
                scrapy(
                    *("crawl", "focused", "-a", "topic=half", "-a", f"web={options.warc}", "-a", f"run_dir={run}"),
                    *("-a", f"max_pages={options.pages or len(relevant)}", "-a", f"strategy={strategy}", *models),
                    *("-s", "CONCURRENT_REQUESTS=1", "-s", "FOCUSED_METRICS_INTERVAL_SECS=0"),
                    *(part for each in [*options.set, *settings] for part in ("-s", each)),
                )
            print(row(run, relevant, set(positives), second, labels, f"{name},{strategy},{mode}"), flush=True)


def row(run: Path, relevant: set[str], positives: set[str], second: str, labels: dict[str, set[str]], of: str) -> str:
    """Return what a crawl found."""
    with (run / "fetched.csv").open(newline="", encoding="utf-8") as file:
        urls = [line["location"] for line in csv.DictReader(file)]
    counted = [url for url in urls if url not in positives]
    found = [url for url in counted if url in relevant]
    stats = json.loads((run / "run.json").read_text())["stats"]
    adapted = [stats.get(f"focused/adaptation/{what}", 0) for what in ("accepted_count", "refused_count")]
    n_second = sum(second in labels[url] for url in found)
    return (
        f"{of},{len(counted)},{len(found)},{n_second},{len(found) / len(counted):.3f},{adapted[0]},{adapted[1]},"
        + str(stats.get("focused/adaptation/longest_block_ms", ""))
    )


def tables(options: argparse.Namespace) -> None:
    """Repeat tables 3 and 4 of I18."""
    from focused.adaptation.joining import label_by_relevance
    from focused.examples.page_set import ExampleReader, urls_of
    from focused.examples.refusals import Refusals
    from focused.learning.training import TopicModel, train_topic
    from focused.train import Columns

    labels = labels_of(options.labels)
    rng = np.random.default_rng(options.seed)
    relevant = sorted(url for url, found in labels.items() if options.topic in found)
    others = sorted(url for url in labels if options.topic not in labels[url])
    chosen = [rng.permutation(group).tolist() for group in (relevant, others)]
    training = [*chosen[0][:80], *chosen[1][:58]]
    testing = [*chosen[0][80 : 80 + options.test], *chosen[1][58 : 58 + options.test]]
    pages = read_pages(options.warc, [*training, *testing], ExampleReader("en"), urls_of, Refusals())
    truth = {url: options.topic in labels[url] for url in labels}
    order = [url for url in [*training, *testing] if url in pages]
    columns = Columns([pages[url] for url in order])
    counts = columns.counts([pages[url].terms for url in order])
    row_of = {url: number for number, url in enumerate(order)}
    links = columns.links_among([pages[url] for url in order])
    y = np.array([truth[url] for url in order])
    in_training = np.array([row_of[url] for url in training if url in row_of])
    in_testing = np.array([row_of[url] for url in testing if url in row_of])
    stage_of = rng.permutation(np.arange(len(in_training)) * 10 // len(in_training))
    judged = np.isin(links.target_rows, in_testing)
    print("mode,stage,positives,others,precision,recall,F")
    model: TopicModel | None = None
    for mode in ("interactive", "automatic"):
        known, known_y = in_training[stage_of < 8], y[in_training[stage_of < 8]]
        for stage in (80, 90, 100):
            if stage > 80:
                new = in_training[stage_of == stage // 10 - 1]
                if mode == "interactive":
                    joins = [bool(value) for value in y[new]]
                else:
                    assert model is not None
                    values = model.relevance("page", *model.decisions(counts[new]))
                    joins = [label_by_relevance(value, 0.8, 0.2) for value in values.tolist()]
                is_in = np.array([join is not None for join in joins])
                known = np.concatenate([known, new[is_in]])
                known_y = np.concatenate([known_y, np.array([j for j in joins if j is not None], dtype=bool)])
            model = train_topic(counts[known], known_y, n_folds=10, random_state=options.seed)
            at = links.context_counts[judged]
            says = model.relevance("context", *model.decisions(at)) >= model.threshold("context")
            is_so = y[links.target_rows[judged]]
            precision = (says & is_so).sum() / max(says.sum(), 1)
            recall = (says & is_so).sum() / max(is_so.sum(), 1)
            f1 = 2 * precision * recall / max(precision + recall, 1e-9)
            n = int(known_y.sum())
            print(f"{mode},{stage},{n},{len(known_y) - n},{precision:.3f},{recall:.3f},{f1:.3f}", flush=True)


def doubts(options: argparse.Namespace) -> None:
    """Count what becomes of wrong verdicts."""
    from focused.adaptation.record import RECORD_FILE, read_record
    from focused.adaptation.retrain import without_doubtful
    from focused.adaptation.versions import TASK_FILE
    from focused.topic import load_topic

    labels = labels_of(options.labels)
    wanted = set(options.topics.split(","))
    print("run,share,verdicts,wrong,wrong learnt,right left out,AP none,AP right,AP all,AP weighed")
    for run in options.runs:
        task = json.loads((run / TASK_FILE).read_text())
        topic = load_topic(task["topic"], Path(task["models_dir"]))
        pages = [page for page in read_record(run / RECORD_FILE)[0] if page.terms and page.url in labels]
        truth = {page.number: bool(labels[page.url] & wanted) for page in pages}
        for share in (0.0, 0.1, 0.2, 0.3):
            for n in (56, 112, 168):
                first = pages[:n]
                right = {page.number: truth[page.number] for page in first}
                draw = np.random.default_rng(options.seed)
                told = {number: label != (draw.random() < share) for number, label in right.items()}
                kept = without_doubtful(topic, first, told, set(told))
                wrong = sum(told[number] != right[number] for number in told)
                learnt = sum(kept[number] != right[number] for number in kept)
                found = [told_apart(topic, pages, truth, each, n) for each in ({}, right, told, kept)]
                print(
                    f"{run.parent.name},{share},{n},{wrong},{learnt},{n - wrong - (len(kept) - learnt)},"
                    + ",".join(f"{value:.3f}" for value in found),
                    flush=True,
                )


def side(options: argparse.Namespace) -> None:
    """Count how many verdicts it takes until a second label is known."""
    from sklearn.metrics import average_precision_score

    from focused.adaptation.drift import relevance_of
    from focused.adaptation.record import JudgedPage, term_counts
    from focused.adaptation.retrain import retrain
    from focused.examples.page_set import ExampleReader, urls_of
    from focused.examples.refusals import Refusals
    from focused.topic import load_topic

    labels = labels_of(options.labels)
    first, second = options.pair.split(",")
    folder = options.out.resolve() / f"{first}-{second}-{options.seed}".lower().replace(" ", "-")
    topic = load_topic("half", folder / "models")
    known = {url for name in ("positives.txt", "unlabeled.txt") for url in (folder / name).read_text().split()}
    rng, kind = np.random.default_rng(options.seed), {}
    for url, found in labels.items():
        kind[url] = 1 if first in found else 2 if second in found else 0
    drawn = [rng.permutation([u for u in labels if u not in known and kind[u] == k]).tolist() for k in range(3)]
    n_first, none, two = len(drawn[1]) // 2, drawn[0][:300], drawn[2]
    read = read_pages(options.warc, [*none, *drawn[1], *two], ExampleReader("en"), urls_of, Refusals())
    pages = [JudgedPage(n, url, 0.0, 1, 1, None, term_counts(read[url].terms)) for n, url in enumerate(sorted(read))]
    number_of = {page.url: page.number for page in pages}
    print("pair,verdicts of yes,on,left aside,AP before,AP,called relevant before: second,others,now: second,others")
    for n in (5, 10, 20):
        for what, wanted in ((second, two[:n]), ("neither", none[:n])):
            told = {u: True for u in [*drawn[1][:n_first], *wanted]} | dict.fromkeys(none[20:40], False)
            verdicts = {number_of[u]: label for u, label in told.items() if u in number_of}
            rest = [page for page in pages if page.number not in verdicts]
            kinds = np.array([kind[page.url] for page in rest])
            precisions, shares, n_aside = [], [], 0
            for learnt in ((), verdicts):
                made = retrain(
                    topic, pages, verdicts, about={}, verdicts=learnt, widens=True, random_state=options.seed
                )
                n_aside = made.manifest["adaptation"]["n_left_aside"]
                relevance = relevance_of(made, [page.terms for page in rest])
                precisions.append(average_precision_score(kinds > 0, relevance))
                is_called = relevance >= made.threshold("page")
                shares += [is_called[kinds == 2].mean(), is_called[kinds == 0].mean()]
            figures = ",".join(f"{value:.3f}" for value in [*precisions, *shares])
            print(f"{folder.name},{n},{what},{n_aside},{figures}", flush=True)


def told_apart(topic, pages, truth, told, n):
    """Return the average precision on the pages after the first n of a model that has learnt what was told of these."""
    from sklearn.metrics import average_precision_score

    from focused.adaptation.enlarge import enlarge
    from focused.learning.learners import make_learner

    examples = enlarge(topic.examples, pages, truth)
    n_own = examples.pages.shape[0] - len(pages)
    known = [row for row, page in enumerate(pages) if page.number in told]
    rows = np.concatenate([np.arange(n_own), n_own + np.array(known, dtype=int)])
    positive = np.concatenate(
        [examples.positive[:n_own], np.array([told[pages[row].number] for row in known], dtype=bool)]
    )
    model = make_learner(topic.manifest["learner"], 0).fit(examples.pages[rows], positive)
    flags = np.array([truth[page.number] for page in pages[n:]])
    return average_precision_score(flags, model.decision_function(examples.pages[n_own + n :]))


def read_pages(warc, urls, reader, urls_of, refusals):
    """Return the counted pages of a WARC by URL."""
    from contextlib import ExitStack

    from focused.examples.sources import Opening, candidates_in

    class Nothing:
        def content(self, url: str) -> None:
            raise LookupError(url)

    with ExitStack() as stack:
        found = candidates_in([warc], Opening(refusals, Nothing(), stack, 2_000_000, None), urls)
        wanted = urls_of(found)
        read = {}
        for candidate in found:
            pages = reader.positives([candidate], refusals, wanted)
            if pages:
                read[candidate.url] = pages.pages[0]
    return read


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
            command.add_argument("--out", type=Path, default=Path(tempfile.gettempdir()) / "adaptation")
        elif name == "side":
            command.add_argument("--pair", default="Nuclear,Thermodynamics")
            command.add_argument("--out", type=Path, default=Path(tempfile.gettempdir()) / "adaptation")
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
