"""Both reports in a real browser, with names as bad as pages can bring them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from browser import Browser, chromium
from made_evaluations import STRATEGIES, write_evaluation
from test_report_evaluation import HOSTILE
from test_report_runs import training, write_run, write_versions

from focused.evaluation.report import write_evaluation_report, write_run_report

pytestmark = pytest.mark.slow

# Pairs of texts of a figure that lie on each other by more than two pixels both ways.
_OVERLAPS = """(() => {
  const found = [];
  for (const svg of document.querySelectorAll('figure > svg')) {
    const texts = [...svg.querySelectorAll('text')].map(t => [t.textContent, t.getBoundingClientRect()]);
    texts.forEach(([a, p], i) => texts.slice(i + 1).forEach(([b, q]) => {
      const across = Math.min(p.right, q.right) - Math.max(p.left, q.left);
      const down = Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top);
      if (across > 2 && down > 0.4 * Math.min(p.height, q.height)) found.push([a, b]);
    }));
  }
  return found;
})()"""
# What sticks out of the page to the right, but for what scrolls by itself.
_OUTSIDE = """[...document.querySelectorAll('main *')]
  .filter(e => !e.closest('.scroll') && !e.closest('details:not([open])'))
  .filter(e => e.getBoundingClientRect().right > innerWidth + 1)
  .map(e => e.tagName + ' ' + e.textContent.slice(0, 60))"""
_CONTRASTS = """(() => {
  const light = c => {
    const [r, g, b] = c.match(/[\\d.]+/g).slice(0, 3).map(v => v / 255)
      .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const paper = light(getComputedStyle(document.body).backgroundColor);
  const contrast = c => { const l = light(c); return (Math.max(l, paper) + 0.05) / (Math.min(l, paper) + 0.05); };
  const least = (query, key) => Math.min(...[...document.querySelectorAll(query)].map(e => contrast(getComputedStyle(e)[key])));
  return [least('p, li, td, th, figcaption', 'color'), least('figure > svg text', 'fill')];
})()"""


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with chromium(tmp_path_factory.mktemp("profile")) as started:
        yield started


@pytest.fixture(scope="module")
def evaluation(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("evaluation")
    topics = ["Astrophysics", "Electricity and Magnetism", *HOSTILE]
    webs = ["hyperphysics", HOSTILE[0] + HOSTILE[-1]]
    failed = [(webs[0], topics[0], "lpe", 1), (webs[1], HOSTILE[-1], "slc", 0)]
    write_evaluation(folder, webs=webs, topics=topics, strategies=[*STRATEGIES, HOSTILE[1]], failed=failed)
    return write_evaluation_report(folder)


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("run") / "run"
    pages = [("/", "", 0.9, 1, "seed", 0)]
    pages += [(f"/{n}/{'x' * 3 * n}", "/", 0.5, n % 2, "block" if n % 3 else "anchor", 1) for n in range(1, 150)]
    return write_run_report([write_run(folder, pages=pages, title="".join(HOSTILE))])


@pytest.fixture(scope="module")
def adapted(tmp_path_factory) -> Path:
    """A crawl with as many versions as stand side by side."""
    trained = [training(n, 2 * n, accepted=n % 5 != 0, why="".join(HOSTILE), new=0.8 + n / 200) for n in range(2, 30)]
    begins = {each["version"]: each["n_pages"] + 1 for each in trained if each["accepted"]}
    folder = tmp_path_factory.mktemp("adapted") / "run"
    return write_run_report([write_versions(folder, trained, begins=begins, column=True)])


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [400, 1280])
@pytest.mark.parametrize("which", ["evaluation", "run", "adapted"])
def test_a_report_is_drawn_whole_and_runs_nothing(browser: Browser, request, which: str, width: int, scheme: str):
    browser.open(request.getfixturevalue(which), width, scheme=scheme)
    assert browser.evaluate("document.documentElement.scrollWidth") <= width
    assert browser.evaluate(_OUTSIDE) == []
    assert browser.evaluate("document.querySelectorAll('figure > svg').length") >= 5
    assert browser.evaluate("[...document.querySelectorAll('figure > svg')].every(s => s.getBBox().height > 40)")
    assert browser.evaluate(_OVERLAPS) == []
    text, labels = browser.evaluate(_CONTRASTS)
    assert text >= 4.5
    assert labels >= 3
    assert browser.evaluate("typeof window.pwned") == "undefined"
    assert browser.evaluate("performance.getEntriesByType('resource').length") == 0
    assert browser.evaluate("document.scripts.length") == (0 if which == "evaluation" else 1)


def test_the_pages_are_searched_by_words_without_regard_to_case_and_accents(browser: Browser, run: Path):
    def found(words: str) -> list:
        return browser.evaluate(
            f"""(() => {{
              const box = document.querySelector('.pages input'), rows = [...document.querySelectorAll('.pages tbody tr')];
              box.value = {json.dumps(words)};
              box.dispatchEvent(new Event('input'));
              const shown = rows.filter(row => row.offsetHeight);
              return [shown.length, document.querySelector('.pages output').textContent, rows.length];
            }})()"""
        )

    browser.open(run, 1280)
    assert browser.evaluate("document.querySelector('.search').offsetHeight") > 10
    assert found("/1/XXX \u00c0.ex\u00e4mple")[:2] == [1, "1 of 76"]
    assert found("no such word") == [0, "0 of 76", 76]
    assert found(" ") == [76, "", 76]


def test_folded_paths_open_within_the_page(browser: Browser, run: Path):
    browser.open(run, 400)
    browser.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
    assert browser.evaluate("document.querySelectorAll('ol.path li').length") > 100
    assert browser.evaluate("document.documentElement.scrollWidth") <= 400
    assert browser.evaluate(_OUTSIDE) == []
