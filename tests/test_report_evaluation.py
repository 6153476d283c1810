from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from commands import environment, scrapy
from made_evaluations import STRATEGIES, write_evaluation

from focused.evaluation.report import figures, write_evaluation_report
from focused.evaluation.report.colours import style_of, style_of_reason
from focused.evaluation.report.figures import Curve, draw_bars, draw_curves, spread
from focused.evaluation.report.files import ReportError
from focused.evaluation.report.results import read_results
from focused.utils.estimates import estimated

HOSTILE = [
    "<script>window.pwned = 1</script>",
    "\"><img src=x onerror='window.pwned = 1'>",
    "$\\frac{1}{0}$ & </title></style></svg>",
    "\u202eright to left \u05e9\u05dc\u05d5\u05dd",
    "\U0001f469\u200d\U0001f680 astronomy \u661f",
    "bell\x07 and null \x0b",
    "long " * 80,
    "unbroken" * 40,
]


class Page(HTMLParser):
    """Text and tags of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())

    def answers(self) -> str:
        return self.text[: self.text.index("Relevant is")]


def page_of(path: Path) -> Page:
    return Page(path.read_text(encoding="utf-8"))


def report_of(directory: Path, **given) -> Page:
    return page_of(write_evaluation_report(write_evaluation(directory, **given)))


@pytest.fixture
def undrawn(monkeypatch) -> None:
    """For tests of what a report says: its figures, half of its time, stay empty."""
    monkeypatch.setattr(figures, "rendered", lambda figure, key, title: "")


@pytest.fixture(scope="module")
def usual(tmp_path_factory) -> Path:
    """An evaluation of two webs with few strategies, and its report."""
    folder = tmp_path_factory.mktemp("usual")
    write_evaluation(
        folder, webs=["one", "two"], topics=["stars", "food", "music"], strategies=STRATEGIES[:5], n_pages=100
    )
    write_evaluation_report(folder)
    return folder


@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize(
    ("concurrency", "why"), [(1, "and oracle is no bound. The share"), (16, "with 16 requests at a time")]
)
def test_a_strategy_that_found_more_than_the_oracle_is_named_with_how_that_can_be(tmp_path, concurrency, why):
    skill = {"oracle": 0.5, "cbp_slc": 0.9, "lpe": 0.1}
    answer = report_of(tmp_path, strategies=list(skill), skill=skill, concurrency=concurrency).answers()
    assert "cbp_slc found more than oracle, which is greedy" in answer
    assert why in answer
    assert "lpe found more" not in answer
    skill |= {"oracle": 0.9, "cbp_slc": 0.3}
    assert "found more than oracle" not in report_of(tmp_path / "usual", strategies=list(skill), skill=skill).answers()


@pytest.mark.usefixtures("undrawn")
def test_the_first_sentence_names_the_best_strategy_of_each_web_by_how_much_and_what_the_default_does(tmp_path):
    skill = {"lpe": 0.9, "cbp_slc": 0.5, "best_first": 0.3, "oracle": 1.0}
    page = report_of(
        tmp_path, topics=["a", "b", "c", "d"], strategies=list(skill), skill=skill, n_repeats=3, n_pages=100
    )
    answer = page.answers()
    assert "On site , lpe is best" in answer
    assert re.search(r"Next is cbp_slc with \d+ %, [\d.]+ points less \(95 % interval \+[\d.]+ to \+[\d.]+\)", answer)
    assert "better than every other strategy beyond chance" in answer
    assert re.search(r"The default, cbp_slc , found \d+ %, [\d.]+ points less", answer)
    assert re.search(r"For comparison: oracle \d+ %", answer)


@pytest.mark.usefixtures("undrawn")
def test_the_reference_that_knows_the_labels_is_never_the_best_strategy(tmp_path):
    answer = report_of(tmp_path, strategies=["oracle", "cbp_slc"], skill={"oracle": 1.0, "cbp_slc": 0.2}).answers()
    assert "cbp_slc was the only strategy" in answer


@pytest.mark.usefixtures("undrawn")
def test_a_lead_within_chance_is_called_a_tie(tmp_path):
    topics = [f"topic {number}" for number in range(5)]
    skill = {"lpe": 0.5, "cbp_slc": 0.5, "slc": 0.1}
    page = report_of(tmp_path, topics=topics, strategies=list(skill), skill=skill)
    assert "a tie" in page.answers()
    assert "slc" not in page.answers().split("a tie")[1].split(".")[0].replace("cbp_slc", "")


@pytest.mark.usefixtures("undrawn")
def test_the_verdict_of_the_evaluation_itself_is_shown(tmp_path):
    row = {"web": "site", "strategy": "lpe", "against": "slc", "measure": "share_of_bound", "difference": -0.1234}
    row |= {"low": -0.2, "high": -0.05, "n": 4, "verdict": "worse"}
    page = report_of(tmp_path, strategies=["slc", "lpe"], significance=[row])
    assert "\u221212.3 \u221220.0 to \u22125.0 worse" in page.text
    assert "difference to slc" in page.text


@pytest.mark.usefixtures("undrawn")
def test_failed_crawls_are_named_and_count_nowhere(tmp_path):
    failed = [("site", "food", "lpe", 1)]
    write_evaluation(tmp_path, strategies=["cbp_slc", "lpe"], failed=failed)
    page = page_of(write_evaluation_report(tmp_path))
    assert "1 of 8 crawls failed" in page.text
    assert "lpe , food , site , repeat 1: killed by a signal" in page.text
    on_web = read_results(tmp_path).on("site")
    kept = [crawl.value("harvest_rate") for crawl in on_web.of("lpe", "food")]
    assert len(kept) == 1
    stars = [crawl.value("harvest_rate") for crawl in on_web.of("lpe", "stars")]
    assert on_web.estimate("lpe", "harvest_rate").mean == pytest.approx((kept[0] + sum(stars) / 2) / 2)


@pytest.mark.usefixtures("undrawn")
def test_pages_that_raised_an_exception_are_said(tmp_path):
    assert "raised an exception" not in report_of(tmp_path / "a", strategies=["slc"]).text
    directory = write_evaluation(tmp_path / "b", strategies=["slc"])
    header, *rows = (directory / "results.csv").read_text().splitlines()
    rows = [f"{row},{n}" for row, n in zip(rows, (2, 0, 1, 0), strict=True)]
    (directory / "results.csv").write_text("\n".join([f"{header},page_errors", *rows]) + "\n")
    text = page_of(write_evaluation_report(directory)).text
    assert "3 pages of 2 crawls raised an exception" in text


@pytest.mark.usefixtures("undrawn")
def test_labels_from_a_classifier_are_marked_and_labels_of_people_are_not(tmp_path):
    assert "No evidence of quality" not in report_of(tmp_path / "b", strategies=["slc"]).text
    directory = write_evaluation(tmp_path / "c", strategies=["slc"])
    run = (directory / "run.json").read_text().replace('"labels_from": null', '"labels_from": ["demo"]')
    (directory / "run.json").write_text(run)
    text = page_of(write_evaluation_report(directory)).text
    assert "No evidence of quality: the labels of site come from a classifier ( demo )" in text


def test_names_that_pages_and_labels_bring_are_text_and_nothing_else(tmp_path):
    page = report_of(
        tmp_path, webs=HOSTILE[:2], topics=HOSTILE, strategies=["cbp_slc", HOSTILE[0]], n_repeats=1, n_pages=20
    )
    assert not [tag for tag, _ in page.tags if tag in ("script", "img", "iframe", "object", "base", "form")]
    assert not [name for _, attributes in page.tags for name in attributes if name.startswith("on")]
    assert "<script>window.pwned = 1</script>" in page.text
    assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\u202e]", "".join(page.words))


def test_a_report_is_one_file_that_loads_nothing(usual):
    page = page_of(usual / "report.html")
    assert not [tag for tag, _ in page.tags if tag in ("script", "link", "img")]
    for tag, attributes in page.tags:
        for name in ("src", "href", "xlink:href"):
            assert (attributes.get(name) or "#").startswith("#"), (tag, attributes)
    assert "@import" not in page.text
    assert not re.search(r"url\((?!#)", usual.joinpath("report.html").read_text(encoding="utf-8"))


def test_ids_are_unique_and_every_reference_has_its_target(usual):
    html = (usual / "report.html").read_text(encoding="utf-8")
    ids = [attributes["id"] for _, attributes in Page(html).tags if "id" in attributes]
    assert len(ids) > 20
    assert len(set(ids)) == len(ids)
    references = set(re.findall(r'(?:url\(#|href="#|aria-labelledby=")([^)"]+)', html))
    assert references <= set(ids)


def test_figures_are_named_for_those_who_do_not_see_them(usual):
    html = (usual / "report.html").read_text(encoding="utf-8")
    figures = re.findall(r'<svg viewBox[^>]*role="img"[^>]*>.*?</svg>', html, flags=re.DOTALL)
    assert len(figures) == 2 * (4 + 3 + 3)  # curves, bars, topics
    for figure in figures:
        root = ET.fromstring(figure)
        assert root[0].tag == "title"
        assert root[0].text
    assert '<html lang="en">' in html
    assert html.count("<title") == len(figures) + 1


@pytest.mark.slow
def test_the_same_files_give_the_same_bytes(usual):
    first = (usual / "report.html").read_bytes()
    assert write_evaluation_report(usual).read_bytes() == first


@pytest.mark.usefixtures("undrawn")
def test_the_command_stands_there_as_a_shell_takes_it(tmp_path):
    page = report_of(tmp_path, strategies=["slc"], command=["scrapy", "evaluate", "--labels", "my labels.tsv"])
    assert "scrapy evaluate --labels 'my labels.tsv'" in page.text


@pytest.mark.usefixtures("undrawn")
def test_a_crawl_that_ended_early_carries_its_last_value_forward(tmp_path):
    write_evaluation(tmp_path, strategies=["slc"], topics=["a"], n_repeats=2, n_pages=40)
    rows = (tmp_path / "curves.csv").read_text().splitlines()
    cut = [row for row in rows if not (row.startswith("site,a,slc,1,") and int(row.split(",")[4]) > 20)]
    (tmp_path / "curves.csv").write_text("\n".join(cut) + "\n")
    web = read_results(tmp_path).on("site")
    full, short = (crawl.curve["harvest_rate"] for crawl in web.crawls)
    assert (len(full), len(short)) == (4, 2)
    pages, mean, error = web.curve("slc", lambda crawl: crawl.curve["harvest_rate"])
    assert pages.tolist() == [10, 20, 30, 40]
    assert mean[-1] == pytest.approx((full[-1] + short[-1]) / 2)
    assert error is not None
    assert error[-1] == pytest.approx(abs(full[-1] - short[-1]) / 2)  # two values: half their distance


def test_errors_and_intervals_are_over_topics_not_over_repeats():
    estimate = estimated({"a": [0.1, 0.3], "b": [0.4, 0.4], "c": [math.nan, 0.6]})
    assert estimate.n == 3
    assert estimate.mean == pytest.approx(0.4)
    # Student's t with two degrees of freedom, standard deviation 0.2 of (0.2, 0.4, 0.6).
    assert estimate.high - estimate.mean == pytest.approx(4.302653 * 0.2 / math.sqrt(3), rel=1e-6)


@pytest.mark.usefixtures("undrawn")
def test_one_topic_with_one_repeat_has_no_interval(tmp_path):
    page = report_of(tmp_path, topics=["a"], n_repeats=1, strategies=["cbp_slc", "slc"])
    assert "One crawl each" in page.text
    assert "one pair of crawls says nothing of chance" in page.text
    assert "nan" not in page.text.lower()


@pytest.mark.usefixtures("undrawn")
def test_a_strategy_that_found_no_more_than_another_is_not_called_the_best(tmp_path):
    text = report_of(tmp_path, topics=["a"], strategies=["cbp_slc", "slc"], skill={"cbp_slc": 0, "slc": 0}).text
    assert "cbp_slc is no better than slc : in" in text
    assert "slc is best" not in text


@pytest.mark.usefixtures("undrawn")
def test_rows_that_are_not_whole_are_left_out_and_counted(tmp_path):
    write_evaluation(tmp_path, strategies=["slc", "lpe"])
    for name in ("results.csv", "curves.csv"):
        with (tmp_path / name).open("a") as file:
            file.write('site,stars,"sl')
    assert "2 rows of the files were not whole" in page_of(write_evaluation_report(tmp_path)).text


@pytest.mark.usefixtures("undrawn")
def test_an_evaluation_without_curves_or_description_still_has_its_table(tmp_path):
    write_evaluation(tmp_path, strategies=["slc", "lpe"])
    (tmp_path / "curves.csv").unlink()
    (tmp_path / "run.json").write_text("{")
    text = page_of(write_evaluation_report(tmp_path)).text
    assert "left no curves" in text
    assert "slc is best" in text


def test_where_every_crawl_failed_the_report_says_so(tmp_path):
    failed = [("site", "a", strategy, 0) for strategy in ("slc", "lpe")]
    text = report_of(tmp_path, topics=["a"], n_repeats=1, strategies=["slc", "lpe"], failed=failed).text
    assert "no crawl has a result" in text
    assert "2 of 2 crawls failed" in text


def test_a_folder_without_an_evaluation_is_refused(tmp_path):
    with pytest.raises(ReportError, match=r"holds no evaluation: it has no results\.csv"):
        write_evaluation_report(tmp_path)


def test_scrapy_report_draws_an_evaluation_again(tmp_path):
    write_evaluation(tmp_path / "compared", strategies=["slc", "lpe"], topics=["a"])
    done = scrapy("report", "compared", cwd=tmp_path, env=environment(tmp_path))
    assert (done.exit_code, done.out.strip(), done.err) == (0, "compared/report.html", "")
    assert "is best" in page_of(tmp_path / "compared" / "report.html").text


def test_labels_of_curves_keep_their_order_and_their_distance():
    wanted = np.array([0.5, 0.51, 0.52, 0.9, 0.0])
    places = spread(wanted, 0.1, 0.0, 1.0)
    assert np.array_equal(np.argsort(places), np.argsort(wanted))
    assert np.diff(np.sort(places)).min() >= 0.1 - 1e-9
    assert places.min() >= 0
    assert places.max() <= 1
    assert places[3] == pytest.approx(0.9)


def test_more_labels_than_there_is_room_for_keep_their_distance():
    assert np.diff(spread(np.zeros(20), 1.0, 0.0, 5.0)).tolist() == [1.0] * 19


def test_figures_draw_what_is_nothing_or_all_zero():
    empty = Curve("slc", style_of("slc"), np.empty(0), np.empty(0))
    zero = Curve("lpe", style_of("lpe"), np.array([10.0]), np.array([0.0]))
    svg = draw_curves("k", [empty, zero], title="t", x_label="x", y_label="y")
    assert ">lpe<" in svg
    assert ">slc<" not in svg
    bars = draw_bars(
        "b", ["a"], {"block": np.array([0.0])}, {"block": style_of_reason("block")}, title="t", x_label="x"
    )
    ET.fromstring(bars)
