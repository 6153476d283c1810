"""The pages of the five papers: verdicts, the plan of the crawls, and a page from made-up results."""

from __future__ import annotations

import csv
import json
import re
from dataclasses import replace
from types import SimpleNamespace

import hand_made
import numpy as np
import papers
import pytest
from commands import ROOT
from comparisons import clusters, itfidf, reliable_negatives
from made_evaluations import write_evaluation
from paper_claims import hybrid_stages, kernel_jobs
from paper_claims.classifier_jobs import OF_P15
from paper_claims.crawls import Crawls
from paper_claims.i18 import verdict_of_stages
from paper_claims.index import write_index
from paper_claims.kernel_jobs import MUS, SYSTEMS
from paper_claims.kernel_svms import KERNELS, Machine, incremental, one_class, trainer, voting
from paper_claims.pages import ran_dry, write_page
from paper_claims.plan import PAPERS, PLAN, QUICK, WEBS, Size
from paper_claims.running import FAILED, is_done, run_all, why_failed
from paper_claims.stages_file import FILE
from paper_claims.verdicts import order
from scipy import sparse
from sklearn.svm import LinearSVC
from warcs import Warc

from focused.crawl.declared_settings import DECLARED
from focused.method.learning.two_step import find_negatives
from focused.method.learning.two_step.incremental_svm import IncrementalSVM
from focused.method.learning.two_step.iterated_svm import IteratedSVM
from focused.method.learning.two_step.wvc import WVC
from focused.method.strategies import STRATEGIES
from focused.method.text.weighting import weighted_rows
from focused.method.topic.presets import PRESETS, load_preset


def web(*values: float) -> dict[tuple[str, int], float]:
    return {(f"topic {n}", 0): value for n, value in enumerate(values)}


@pytest.mark.parametrize(
    ("first", "second", "verdict"),
    [
        ({"a": web(0.5, 0.6), "b": web(0.5, 0.6)}, {"a": web(0.4, 0.5), "b": web(0.4, 0.49)}, "repeats"),
        ({"a": web(0.5, 0.6, 0.7), "b": web(0.5)}, {"a": web(0.2, 0.3, 0.4), "b": web(0.501)}, "repeats in part"),
        ({"a": web(0.5, 0.6)}, {"a": web(0.1, 0.59)}, "not decided"),
        ({"a": web(0.4, 0.5)}, {"a": web(0.5, 0.6)}, "does not repeat"),
        ({"a": web(0.9, 0.1)}, {"a": web(0.2, 0.9)}, "does not repeat"),
        ({}, {}, "not measured"),
    ],
)
def test_a_claim_repeats_only_where_the_interval_and_every_web_say_so(first, second, verdict):
    assert order(first, second).verdict.split(":")[0].split(" (")[0].startswith(verdict)
    if first and second:  # and the other side of a claim never repeats at the same time
        assert not (verdict == "repeats" and order(second, first).verdict.startswith("repeats"))


def test_every_crawl_of_the_plan_is_one_that_scrapy_evaluate_can_make(tmp_path):
    every = {one.name: one for paper in PAPERS for one in PLAN[paper]}
    for one in every.values():
        assert set(one.strategies) <= set(STRATEGIES)
        assert one.preset in PRESETS
        for name, value in one.settings.items():
            DECLARED[name].read({name: value})
        assert not one.models_from or one.models_from in every
        assert one.arguments({"data": tmp_path, "webs": tmp_path}, QUICK)


def test_as_printed_is_the_preset_of_the_paper_and_nothing_else():
    for paper in PAPERS:
        printed = [one for one in PLAN[paper] if one.name in {f"{paper.lower()}-{web}" for web in WEBS}]
        assert len(printed) == len(WEBS)
        for one in printed:
            assert (one.preset, dict(one.settings)) == (paper.lower(), {})
            own = load_preset(one.preset).strategies
            assert one.strategies[-1] == own[0]
            assert set(own) == set(one.strategies)


SECTIONS = {
    "P13": (
        "Crawlers (fig. 11 and 12)", "Target length (eq. 10, fig. 13)", "What found the relevant pages (fig. 14)",
        "Other anchors in a link context", "Classifiers (fig. 6 to 9, table 1)",
    ),
    "P13-classifiers": ("Reliable negatives (fig. 6 and 7)", "Classifiers by kernel (fig. 8, 9, table 1)"),
    "L14": ("Crawlers (fig. 7 and 8)", "Anchor text or link context (fig. 9)", "Other anchors in a link context"),
    "L16": ("Crawlers (fig. 3 and 4)", "The threshold of LPE", "Page classifier (fig. 2)"),
    "P15": (
        "Crawlers (fig. 8 and 9)", "What being incremental is worth (sect. 6.2, alg. 1)", "Lambda (fig. 5)",
        "Why `clustering` finds little with today's parts", "Classifiers (fig. 6 and 7, tables 1 to 4)",
    ),
    "P15-classifiers": (
        "The incremental SVM by kernel (tables 1 to 4)", "Clusters by themselves (fig. 6)",
        "The incremental SVM beside other classifiers (fig. 7)",
    ),
    "I18": ("Tables 3 and 4", "Crawls"),
}  # fmt: skip
"""Every figure and table of the papers that shows results has its section."""


@pytest.mark.parametrize("paper", SECTIONS)
def test_a_page_has_a_section_for_each_figure_and_table_of_its_paper(paper):
    text = (ROOT / "docs" / "papers" / f"{paper}.md").read_text(encoding="utf-8")
    assert tuple(line.removeprefix("## ") for line in text.splitlines() if line.startswith("## ")) == SECTIONS[paper]
    for figure in re.findall(r"\(\.\./figures/([^)]*)\)", text):
        assert (ROOT / "docs" / "figures" / figure).is_file()


@pytest.mark.slow
@pytest.mark.parametrize("paper", PAPERS)
def test_a_page_says_what_was_measured_and_what_was_not(tmp_path, paper):
    for one in PLAN[paper]:
        if one.web == "hyperphysics":
            named = [f"{one.preset} {strategy}" for strategy in one.strategies]  # as results with presets are
            write_evaluation(tmp_path / one.name, strategies=named, n_repeats=1, n_pages=60)
    (tmp_path / f"{paper.lower()}-demo").mkdir()
    (tmp_path / f"{paper.lower()}-demo" / FAILED).write_text("No reliable negatives.")
    row = {
        "topic": "Sound",
        "judged": 40,
        "seed": 0,
        "system": "printed",
        "positives": 64,
        "others": 46,
        "precision": 0.5,
        "recall": 1.0,
        "f": 0.67,
    }
    rows = [
        row | {"mode": mode, "stage": stage, "system": system}
        for mode in ("interactive", "automatic")
        for stage in (80, 90, 100)
        for system in ("printed", "today")
    ]
    (tmp_path / FILE).write_text(json.dumps(rows))
    path = write_page(paper, tmp_path, tmp_path / "docs" / "papers", "Here.", quick=True)
    text = path.read_text(encoding="utf-8")
    assert "hyperphysics" in text
    of_crawls = {
        "P13": SECTIONS["P13"][:4], "L14": SECTIONS["L14"], "L16": SECTIONS["L16"][:2], "P15": SECTIONS["P15"][:3],
        "I18": SECTIONS["I18"],
    }  # fmt: skip
    assert all(f"## {title}\n" in text for title in of_crawls[paper])
    if paper == "L16":
        assert "Recalls depend on how many pages there are" in text
    printed = {
        "L16": "| `lpe` | 0.80 / 0.33 |",
        "I18": "| automatic | 100 % | 110 | 0.78 / 0.95 / 0.86 | 0.50 / 1.00 / 0.67 |",
    }
    assert printed.get(paper, "") in text  # what the paper prints stands beside what was measured
    assert "not measured" not in text.split("| verdict |")[0]
    assert "nan" not in text
    if paper not in ("L16",):
        assert "no crawl. No reliable negatives." in text
    figures = {figure.name: figure.read_text() for figure in (path.parent.parent / "figures").glob("*.svg")}
    assert all(f"../figures/{name}" in text for name in figures)
    for name, drawn in {
        "L16": ("l16-paper", "paper: L16, 10,000 pages"),
        "I18": ("i18-stages", "paper: I18, f"),
    }.items():
        if paper == name:  # papers that print numbers stand in the axes of ours
            assert drawn[1] in figures[f"{drawn[0]}.svg"]
            assert any(ours in figures[f"{drawn[0]}.svg"] for ours in ("hyperphysics", "ours, f"))


def test_a_page_says_on_how_many_topics_a_crawler_ran_out_of_links(tmp_path):
    folder = write_evaluation(tmp_path / "l14-demo", strategies=["l14 best_first", "l14 slc"], n_repeats=1, n_pages=60)
    rows = (folder / "results.csv").read_text().splitlines()
    at = next(number for number, row in enumerate(rows) if row.startswith("site,food,l14 slc"))
    cells = rows[at].split(",")
    cells[4] = "40"  # its pages
    rows[at] = ",".join(cells)
    (folder / "results.csv").write_text("\n".join(rows) + "\n")
    (tmp_path / "l14-webkb").mkdir()
    (tmp_path / "l14-webkb" / "results.csv").write_text(rows[0])  # stopped before its first crawl
    assert "before its budget: demo: 1 of 2 topics (on the others" in ran_dry(Crawls(tmp_path), "L14")


def test_a_comparison_of_readings_stays_on_its_page_until_it_is_made_again(tmp_path):
    docs = tmp_path / "docs" / "papers"
    docs.mkdir(parents=True)
    told = "## Lambda (fig. 5)\n\nF is highest at 0.2.\n\nMore of it."
    (docs / "P15.md").write_text(f"# P15\n\n## Crawlers\n\nOld.\n\n{told}\n\n## Clusters\n\nOld.\n")
    for _ in range(2):
        text = write_page("P15", tmp_path, docs, "Here", quick=True).read_text(encoding="utf-8")
        assert text.count(told) == text.count("Of an earlier run, not made again") == 1
        assert "Old." not in text


def test_an_evaluation_that_fails_says_why_and_the_others_go_on(tmp_path, monkeypatch):
    made = []

    def evaluate(arguments, folder, jobs):
        made.append(folder.name)
        folder.mkdir(parents=True, exist_ok=True)
        if folder.name.startswith("i18"):
            write_evaluation(
                folder, failed=[("site", "stars", "lpe", 0)], strategies=["lpe"], topics=["stars"], n_repeats=1
            )
            raise SystemExit("exit code 1")

    monkeypatch.setattr("paper_claims.running.evaluate", evaluate)
    monkeypatch.setattr("paper_claims.running.has_web", lambda *_: True)
    folders = {"data": tmp_path, "webs": tmp_path}
    assert run_all(PLAN["I18"], tmp_path, folders, size=QUICK, jobs=1) == []
    assert made == [one.name for one in PLAN["I18"]]
    assert why_failed(tmp_path / "i18-demo") == "killed by a signal"
    assert Crawls(tmp_path).why_failed("i18-demo") == "no crawl. killed by a signal"
    run_all(PLAN["I18"], tmp_path, folders, size=QUICK, jobs=1)
    assert made[len(PLAN["I18"]) :] == [f"i18-{name}" for name in WEBS]  # only what failed is tried again


@pytest.mark.slow
@pytest.mark.parametrize("system", hybrid_stages.SYSTEMS)
def test_the_stages_of_i18_learn_from_more_pages_each_time(data_dir, monkeypatch, system):
    for name, size in (
        ("N_POSITIVE", 20),
        ("N_NEGATIVE", 16),
        ("N_TEST_POSITIVE", 12),
        ("N_TEST_NEGATIVE", 9),
        ("N_SOURCES", 60),
    ):
        monkeypatch.setattr(hybrid_stages, name, size)
    drawn = hybrid_stages.draw(data_dir / "hyperphysics.warc.gz", data_dir / "hyperphysics.labels.tsv", "Sound", 0)
    rows = hybrid_stages.stages(drawn, system)
    sizes = {
        mode: [r["positives"] + r["others"] for r in rows if r["mode"] == mode] for mode in ("interactive", "automatic")
    }
    assert sizes["interactive"][0] < sizes["interactive"][1] < sizes["interactive"][2] == 36
    assert sizes["automatic"][0] <= sizes["automatic"][1] <= sizes["automatic"][2] <= 36
    assert rows[0]["f"] == rows[3]["f"]  # both begin with the same classifiers


def documents(n=160, n_terms=60, seed=0):
    """Term counts of two kinds of documents; the first half of the terms is commoner in the positives."""
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < 0.4
    rates = np.where(np.arange(n_terms) < n_terms // 2, 0.35, 0.1)
    counts = rng.poisson(np.where(truth[:, np.newaxis], rates, rates[::-1]))
    return sparse.csr_matrix(counts.astype(float)), truth


def project_svm(class_weight):
    """The linear SVM of the project's classifiers, in the shape that the comparison of kernels takes."""

    def train(rows, labels):
        weights = class_weight if isinstance(class_weight, str) else dict(enumerate(class_weight))
        svm = LinearSVC(class_weight=weights, random_state=0, max_iter=10_000).fit(rows, labels.astype(int))
        decisions = svm.decision_function(rows)
        return Machine(svm.decision_function, np.where(labels, decisions, -decisions) < 1)

    return train


@pytest.mark.parametrize("last", [False, True])
def test_the_rounds_that_kernels_are_compared_in_are_those_of_wvc_and_pebl(last):
    counts, truth = documents()
    positive = truth & (np.arange(len(truth)) % 2 == 0)
    options = {"reliable": "1-dnf", "weighting": "tfipndf", "guard": None, "random_state": 0}
    learner = (IteratedSVM if last else WVC)(**options).fit(counts, positive)
    reliable, _ = find_negatives("1-dnf", counts, positive, too_few="lowest", random_state=0)
    decide = voting(project_svm("balanced"), "tfipndf", counts, positive, reliable, last=last)
    assert learner.n_iter_ > 1
    np.testing.assert_allclose(decide(counts), learner.decision_function(counts), atol=1e-6)


def test_the_rounds_that_kernels_are_compared_in_are_those_of_the_incremental_svm():
    counts, truth = documents()
    learner = IncrementalSVM(start_share=1.0, unlabeled_are_negative=True, random_state=0).fit(counts, truth)
    rows = weighted_rows(counts, learner.term_weights_)
    half = [len(truth) / (2 * (truth == label).sum()) for label in (False, True)]
    made = incremental(project_svm(half), counts, rows, truth, np.ones(len(truth), dtype=bool), 10.0)
    assert made.sizes == learner.n_trained_on_.tolist()
    np.testing.assert_allclose(made.machines[-1].decide(rows), learner.decision_function(counts), atol=1e-6)


def test_by_libsvms_defaults_every_document_is_irrelevant_where_other_kernels_find_most():
    counts, truth = documents()
    rows = weighted_rows(counts, np.ones(counts.shape[1]))
    found = {kernel: trainer(kernel)(rows, truth).decide(rows) > 0 for kernel in KERNELS}
    assert not found["libsvm"].any()
    for kernel in ("linear", "scale"):
        assert (found[kernel] == truth).mean() > 0.8


def test_the_tables_of_kernels_and_of_all_systems_say_what_was_drawn_and_what_was_not(tmp_path):
    assert "not measured" in write_index(tmp_path, tmp_path, "Here").read_text(encoding="utf-8")
    of = {"corpus": "reuters", "seed": 0}
    p13 = [
        {**of, "topic": topic, "kernel": kernel, "system": system, "f1": 0.5 * (kernel != "libsvm"), "ap": 0.5, "seconds": 1.0}
        for topic in ("corn", "wheat") for kernel in KERNELS for system in SYSTEMS
    ]  # fmt: skip
    p15 = [
        {**of, "topic": topic, "kernel": kernel, "mu": mu, "f1": [0.1, 0.9 - mu / 200], "trained_on": [0.2, 0.3]}
        for topic in ("corn", "wheat") for kernel in KERNELS for mu in MUS
    ]  # fmt: skip
    (tmp_path / "p13-kernels.json").write_text(json.dumps(p13))
    (tmp_path / "p15-kernels.json").write_text(json.dumps(p15))
    docs = tmp_path / "docs" / "papers"
    for paper in ("P13", "P15"):
        assert "[" + paper + ", classifiers]" in write_page(paper, tmp_path, docs, "Here", quick=True).read_text()
    p13_page, p15_page = ((docs / f"{paper}-classifiers.md").read_text(encoding="utf-8") for paper in ("P13", "P15"))
    assert "2 topics of 1 corpus, 2 draws" in p13_page
    assert "is 0 in every draw of 2 of 2 topics:" in p13_page
    assert "paper: P15, Yahoo!" in (tmp_path / "docs" / "figures" / "p15-kernels.svg").read_text()
    assert "| P15 | ODP | 0.836 | 0.852 | 0.865 | 0.880 | 0.899 | 0.928 |" in p15_page  # means of table 1
    assert "| P15 | Yahoo! | 0.919 | 0.866 | 0.817 | 0.770 | 0.719 |" in p15_page  # of table 4
    assert "| RBF, gamma by variance | Reuters | 0.850 |" in p15_page  # by mu
    assert p15_page.count("+0.400 [+0.400, +0.400], repeats") == len(KERNELS)  # mu = 10 % against 90 %
    index = write_index(tmp_path, tmp_path, "Here").read_text(encoding="utf-8")
    assert "RBF, gamma by variance: repeats" in index


@pytest.fixture(scope="module")
def small_web(tmp_path_factory):
    """A folder with a small site under the name of a recorded web; of its labels the plan of the papers knows one."""
    folder = tmp_path_factory.mktemp("webs")
    warc, rows = Warc(folder / "hyperphysics.warc.gz"), []
    for path, body in hand_made.two_regions(n=60).items():
        warc.page(f"http://site.example{path}", body)
        rows += (
            [f"http://site.example{path}\t{path.split('/')[1].replace('stars', 'Geophysics')}"] if path != "/" else []
        )
    warc.indexed()
    (folder / "hyperphysics.labels.tsv").write_text("\n".join(["url\tlabels", *rows]) + "\n")
    return folder


@pytest.mark.slow
@pytest.mark.usefixtures("evaluations_are_forks")
@pytest.mark.parametrize("paper", PAPERS)
def test_a_small_version_of_each_paper_is_crawled_once_and_its_page_says_what_was_found(small_web, tmp_path, paper):
    planned = next(one for one in PLAN[paper] if one.name == f"{paper.lower()}-hyperphysics")
    small = replace(planned, strategies=planned.strategies[-1:])
    folders, size = {"data": small_web, "webs": small_web}, Size(20, 1, 1)
    assert run_all([small], tmp_path, folders, size=size, jobs=1) == []
    assert is_done(small, tmp_path, folders, size)
    results = tmp_path / small.name / "results.csv"
    before = results.stat().st_mtime_ns
    run_all([small], tmp_path, folders, size=size, jobs=1)
    assert results.stat().st_mtime_ns == before
    text = write_page(paper, tmp_path, tmp_path / "docs" / "papers", "Here", quick=True).read_text(encoding="utf-8")
    assert ("threshold 0.1" if paper == "L16" else "as printed") + ", 1 topic, 1 repeat of 20 pages" in text
    own = small.strategies[-1]
    assert f"{Crawls(tmp_path).mean(small.name, own):.3f}" in next(
        line for line in text.splitlines() if line.startswith(f"| `{own}` |")
    )


def made_up_comparisons(folder):
    """Results of the comparisons that need no crawl, as their files have them."""
    of_corpora = [(corpus, topic) for corpus in ("reuters", "webkb") for topic in ("corn", "wheat", "oats")]
    lambdas = reliable_negatives.LAMBDAS
    rows = {
        "reliable-negatives": [
            {
                "corpus": corpus, "topic": topic, "seed": 0, "lambdas": lambdas, "n_positive": 30, "n_unlabeled": 100,
                "n_hidden": 10, "reliable": [10 + n for n in range(len(lambdas))], "wrong": [n // 4 for n in range(len(lambdas))],
            }
            for corpus, topic in of_corpora
        ],
        "itfidf": [
            {
                "corpus": corpus, "form": form, "share": 1.0, "topics": ["corn", "wheat", "oats"],
                **{key: [0.5 - 0.1 * (form == "ITFIDF")] * 3 for key in itfidf.MEASURES},
            }
            for corpus in ("reuters", "20newsgroups") for form in itfidf.FORMS
        ],
        "clusters": [
            {
                "corpus": corpus,
                "sets": [
                    {
                        "n_units": 12, "n_classes": 2,
                        "methods": {name: {"f": 0.9 if name == "smaller 3" else 0.5, "rand": 0.1} for name in clusters.METHODS},
                    }
                    for _ in range(3)
                ],
                "job": [corpus, "pages", 0],
            }
            for corpus in ("hyperphysics", "webkb")
        ],
        "classifiers": [
            {
                "corpus": corpus, "topic": topic, "seed": 0,
                "classifiers": {name: {"f1": 0.5 + 0.1 * (name == "PSOC"), "ap": 0.5} for name in OF_P15},
            }
            for corpus, topic in of_corpora
        ],
    }  # fmt: skip
    for name, of in rows.items():
        (folder / f"{name}.json").write_text(json.dumps([{"job": [row["corpus"]], **row} for row in of]))


def test_comparisons_without_a_crawl_stand_on_their_paper_s_page_and_in_the_index_with_the_same_verdict(tmp_path):
    made_up_comparisons(tmp_path)
    docs = tmp_path / "docs" / "papers"
    for paper in ("P13", "L16", "P15"):
        write_page(paper, tmp_path, docs, "Here", quick=True)
    p13, l16, p15 = (
        (docs / f"{name}.md").read_text(encoding="utf-8") for name in ("P13-classifiers", "L16", "P15-classifiers")
    )
    index = write_index(tmp_path, docs, "Here").read_text(encoding="utf-8")
    for page, claim, verdict in (
        (p13, "1-DNFC at lambda = 0.2 finds more than 1-DNF", "repeats"),
        (l16, "ITFIDF over TFIDF: average precision", "does not repeat"),
        (p15, "CFu-trees over HAC, told the number of classes", "repeats"),
        (p15, "incremental SVM over PSOC", "does not repeat"),
    ):
        (row,) = (line for line in page.splitlines() if line.startswith(f"| {claim} |"))
        assert row.endswith(f" {verdict} |")
        assert any(line.startswith(f"| {claim} |") and line.endswith(f" {verdict} |") for line in index.splitlines())


def test_a_verdict_names_the_webs_that_say_the_opposite():
    first = {"a": web(0.9, 0.91, 0.92), "b": web(0.4, 0.41, 0.42)}
    second = {"a": web(0.1, 0.12, 0.11), "b": web(0.5, 0.52, 0.51)}
    assert order(first, second).verdict == "repeats in part: on a; the other way round on b"


@pytest.mark.parametrize(("gains", "verdict"), [((0.1, 0.11, 0.12), "repeats"), ((-0.1, 0.3, 0.1), "not decided"),
                                                ((-0.1, -0.11, -0.12), "does not repeat")])  # fmt: skip
def test_tables_of_i18_repeat_where_f_rises_on_all_topics(gains, verdict):
    rows = [
        {"topic": f"topic {n}", "seed": 0, "mode": "automatic", "system": system, "stage": stage, "f": f, "precision": f,
         "recall": f}
        for n, gain in enumerate(gains)
        for system in ("printed", "today")
        for stage, f in ((80, 0.5), (90, 0.5), (100, 0.5 + gain * (system == "printed")))
    ]  # fmt: skip
    assert verdict_of_stages(rows, "automatic") == verdict
    assert verdict_of_stages(rows, "automatic", "today") == "does not repeat"


def test_a_link_of_i18_weighs_its_page_a_tenth_and_a_page_is_judged_by_its_best_link():
    printed = object.__new__(hybrid_stages.Printed)
    printed.threshold = hybrid_stages.THRESHOLD
    printed._page_model = SimpleNamespace(probabilities=lambda counts: counts[:, 0])
    printed._link_model = SimpleNamespace(probabilities=lambda counts: counts[:, 0])
    # Four pages, of which the last two are judged. A good page has a poor link to the third; the fourth has a good link, too.
    found = printed._found = hybrid_stages.Draw(
        np.array([[1.0], [0.0], [0.0], [0.0]]), np.array([[0.4], [0.1], [0.6]]), np.array([0, 1, 1]), np.array([2, 3, 3]),
        np.array([False, False, False, True]), np.array([0, 1]), np.array([2, 3]), np.array([0, 9]),
    )  # fmt: skip
    np.testing.assert_allclose(printed.of_links(np.arange(3)), [0.1 + 0.9 * 0.4, 0.9 * 0.1, 0.9 * 0.6])
    assert hybrid_stages.measured(found, printed) == {"judged": 2, "precision": 1.0, "recall": 1.0, "f": 1.0}


@pytest.mark.parametrize(
    ("at_three", "verdict"),
    [
        (0.2, "repeats"),
        (0.0, "does not repeat: lambda changes nothing here"),
        (-0.2, "does not repeat: F is highest at 0.2"),
    ],
)
def test_lambda_repeats_where_f_is_highest_at_three(tmp_path, at_three, verdict):
    for value in ("0.2", "1", "3", "6"):
        name = "p15-demo" if value == "3" else f"p15-lambda-{value}-demo"
        folder = write_evaluation(tmp_path / name, strategies=["p15 clustering"], n_repeats=1, n_pages=60)
        with (folder / "results.csv").open(newline="") as file:
            rows = list(csv.DictReader(file))
        with (folder / "results.csv").open("w", newline="") as file:
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            for number, row in enumerate(rows):
                writer.writerow(row | {"f_measure": 0.4 + 0.01 * number + at_three * (value == "3")})
    text = write_page("P15", tmp_path, tmp_path / "docs" / "papers", "Here", quick=True).read_text(encoding="utf-8")
    assert f"Verdict: {verdict};" in text


def test_a_quick_run_and_one_of_a_single_paper_leave_the_committed_pages_alone(tmp_path, monkeypatch):
    monkeypatch.setattr(papers, "run_all", lambda *_, **__: [])
    for name in ("made_stages", "made_link_texts", "made_classifiers", "made_kernels"):
        monkeypatch.setattr(papers, name, lambda *_, **__: None)
    monkeypatch.setattr(papers, "ROOT", tmp_path / "project")
    argv = [
        "papers.py",
        "--data",
        str(tmp_path),
        "--webs",
        str(tmp_path),
        "--paper",
        "I18",
        "--output",
        str(tmp_path / "out"),
    ]
    monkeypatch.setattr("sys.argv", [*argv, "--quick"])
    papers.main()
    assert [path.name for path in (tmp_path / "out" / "quick" / "docs" / "papers").iterdir()] == ["I18.md"]
    assert not (tmp_path / "project").exists()
    monkeypatch.setattr("sys.argv", argv)
    papers.main()
    assert [path.name for path in (tmp_path / "project" / "docs" / "papers").iterdir()] == ["I18.md"]  # no empty index


def test_target_lengths_are_compared_after_as_many_relevant_pages_as_the_crawler_that_found_fewest(tmp_path):
    folder = write_evaluation(tmp_path / "p13-demo", strategies=["p13 best_first", "p13 slc"], n_repeats=1, n_pages=60)
    header, *lines = (folder / "curves.csv").read_text().splitlines()
    at = {name: number for number, name in enumerate(header.split(","))}
    rows = [line.split(",") for line in lines]
    for (
        row
    ) in rows:  # each finds every second page, the one by two links and the other by three; that stops after 20 pages
        is_slc, pages = row[at["strategy"]] == "p13 slc", int(float(row[at["pages"]]))
        row[at["relevant"]] = str(pages // 2)
        row[at["target_length"]] = str((3 if is_slc else 2) * (pages // 2))
    kept = [row for row in rows if row[at["strategy"]] != "p13 slc" or float(row[at["pages"]]) <= 20]
    (folder / "curves.csv").write_text("\n".join([header, *map(",".join, kept)]) + "\n")
    crawls = Crawls(tmp_path)
    found = crawls.lengths("p13-demo", ["best_first", "slc"])
    assert set(found["slc"].values()) == {3.0}
    assert set(found["best_first"].values()) == {2.0}
    assert crawls.length_curve("p13-demo", "slc")[0][-1] == 10  # half of the crawls find no more
    assert crawls.length_curve("p13-demo", "best_first")[0][-1] > 20


def test_ocs_and_the_classifiers_of_p13_learn_from_the_weights_that_their_names_say(monkeypatch):
    counts, truth = documents()
    asked = []
    monkeypatch.setattr(
        kernel_jobs,
        "one_class",
        lambda *given: asked.append(("OCS", given[1])) or (lambda rows: -np.ones(rows.shape[0])),
    )
    monkeypatch.setattr(
        kernel_jobs, "voting",
        lambda train, weighting, *_, last: asked.append(("PEBL" if last else "WVC", weighting)) or (lambda rows: -np.ones(rows.shape[0])),
    )  # fmt: skip
    corpus = SimpleNamespace(
        name="reuters", counts=counts, labels={"corn": truth}, is_test=np.arange(len(truth)) % 2 == 0
    )
    monkeypatch.setattr(kernel_jobs, "find_negatives", lambda *_, **__: [np.arange(3)])
    kernel_jobs._p13(corpus, "corn", 0)
    assert asked == len(KERNELS) * [("OCS", "tfipndf"), ("PEBL", "tfipndf"), ("WVC", "tfipndf"), ("WVC", "tfc")]
    monkeypatch.undo()
    decide = one_class("scale", "tfc", counts, truth)
    assert np.median(decide(counts[truth])) > np.median(decide(counts[~truth]))
