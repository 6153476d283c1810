from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from commands import ROOT, crawl, environment, scrapy
from test_report_evaluation import HOSTILE, page_of

from focused.extensions import LOSSES
from focused.report import write_run_report
from focused.report.files import ReportError
from focused.report.run_files import read_run

COLUMNS = "number url location referrer relevance relevant link_score link_reason depth irrelevant_on_path".split()
SITE = "http://a.example"


def write_run(folder: Path, *, title: str = "A page", pages: list[tuple] | None = None, **run) -> Path:
    """Write a run directory: a seed, two irrelevant pages behind it, and a relevant one behind the second of those."""
    folder.mkdir(parents=True)
    rows = pages or [
        ("/", "", 0.9, 1, "seed", 0),
        ("/side", "/", 0.1, 0, "block", 1),
        ("/way", "/", 0.2, 0, "below threshold", 1),
        ("/find", "/way", 0.8, 1, "anchor", 2),
    ]
    with (folder / "fetched.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        for number, (path, referrer, relevance, relevant, reason, depth) in enumerate(rows, 1):
            url = SITE + path
            known = [number, url, url, SITE + referrer if referrer else "", relevance, relevant]
            writer.writerow([*known, 0.5, reason, depth, max(0, depth - 1)])
    items = [{"url": SITE + path, "title": title} for path, _, _, relevant, *_ in rows if relevant]
    (folder / "pages.jsonl").write_text("".join(json.dumps(item) + "\n" for item in items), encoding="utf-8")
    described = {
        "command": "scrapy crawl focused -a topic=stars", "topic": "stars", "strategy": "cbp_slc", "web": "demo",
        "model_sha256": "0", "finish_reason": "max_pages", "finished_at": "2026-01-01T00:00:00Z",
        "stats": {"focused/links/by_block_count": 7, "focused/links/deferred_count": 5, "robotstxt/forbidden": 3},
    }  # fmt: skip
    (folder / "run.json").write_text(json.dumps(described | run), encoding="utf-8")
    return folder


def report_of(*folders: Path) -> str:
    return page_of(write_run_report(folders, meanings=LOSSES)).text


def test_the_first_sentence_says_how_many_pages_are_relevant_and_who_says_so(tmp_path):
    text = report_of(write_run(tmp_path / "run"))
    assert "2 of 4 pages are relevant by the crawl's own judgement: harvest rate 0.50" in text
    assert "the page budget was used up" in text
    assert "No label stands behind these figures" in text


def test_the_path_from_a_seed_leads_through_irrelevant_pages(tmp_path):
    run = read_run(write_run(tmp_path / "run"))
    path = run.path_to(run.pages[-1])
    assert [page.url for page in path] == [f"{SITE}/", f"{SITE}/way", f"{SITE}/find"]
    text = report_of(tmp_path / "run")
    assert "2 links from a seed" in text
    assert f"{SITE}/way : link score 0.50 by below threshold; relevance 0.20, irrelevant" in text


def test_a_referrer_under_another_url_of_its_page_is_found(tmp_path):
    folder = write_run(tmp_path / "run")
    fetched = (folder / "fetched.csv").read_text().replace(f"3,{SITE}/way,{SITE}/way,", f"3,{SITE}/moved,{SITE}/way,")
    (folder / "fetched.csv").write_text(fetched)
    run = read_run(folder)
    assert [page.url for page in run.path_to(run.pages[-1])] == [f"{SITE}/", f"{SITE}/moved", f"{SITE}/find"]


def test_referrers_in_a_circle_end(tmp_path):
    pages = [("/a", "/b", 0.9, 1, "block", 1), ("/b", "/a", 0.9, 1, "block", 1)]
    run = read_run(write_run(tmp_path / "run", pages=pages))
    assert len(run.path_to(run.pages[0])) == 2
    report_of(tmp_path / "run")


def test_long_paths_and_many_relevant_pages_are_cut_and_said_to_be(tmp_path):
    pages = [("/0", "", 0.9, 1, "seed", 0)]
    pages += [(f"/{n}", f"/{n - 1}", 0.9, 1, "block", n) for n in range(1, 260)]
    text = report_of(write_run(tmp_path / "run", pages=pages))
    assert "The first 200 of 260" in text
    assert "more pages …" in text


def test_the_most_productive_referrers_come_first_with_what_was_followed(tmp_path):
    pages = [("/", "", 0.9, 1, "seed", 0), ("/hub", "/", 0.3, 0, "block", 1)]
    pages += [(f"/hub/{n}", "/hub", 0.9, int(n < 3), "block", 2) for n in range(5)]
    pages += [("/other", "/", 0.9, 1, "block", 1)]
    text = report_of(write_run(tmp_path / "run", pages=pages))
    table = text.split("relevant pages Pages")[-1].split("Most productive referrers")[1]
    assert table.index(f"{SITE}/hub 0.30 5 3") < table.index(f"A page {SITE}/ 0.90 2 1")


def test_links_and_losses_are_told_in_words(tmp_path):
    text = report_of(write_run(tmp_path / "run"))
    assert "block 7 1 0 0.00" in text  # links, fetched, relevant, share
    assert "deferred 5 1 0 0.00" in text
    assert "3 requests forbidden by robots.txt" in text
    assert "Nothing that was counted" not in text


def test_a_run_that_was_killed_shows_what_there_is(tmp_path):
    folder = write_run(tmp_path / "run")
    run = json.loads((folder / "run.json").read_text())
    for key in ("finished_at", "stats"):
        del run[key]
    (folder / "run.json").write_text(json.dumps(run | {"finish_reason": "running"}))
    with (folder / "fetched.csv").open("a") as file:
        file.write(f'5,"{SITE}/to')
    with (folder / "pages.jsonl").open("a") as file:
        file.write('{"url": "http://a.exam')
    text = report_of(folder)
    assert "has not ended, or it was killed" in text
    assert "1 row(s) of fetched.csv are not whole" in text
    assert "1 line(s) of pages.jsonl are not whole" in text
    assert "2 of 4 pages" in text


def test_a_run_without_fetched_csv_shows_its_relevant_pages_and_says_what_is_missing(tmp_path):
    folder = write_run(tmp_path / "run")
    (folder / "fetched.csv").unlink()
    (folder / "harvest.csv").write_text(
        "pages,relevant,harvest_rate,harvest_rate_last_100,frontier,target_length\n10,4,0.4,0.4,9,3\n20,9,0.45,0.45,9,8\n"
    )
    text = report_of(folder)
    assert "There is no fetched.csv" in text
    assert "9 of 20 pages" in text


def test_a_run_in_which_nothing_was_fetched_has_a_report(tmp_path):
    folder = write_run(tmp_path / "run")
    (folder / "fetched.csv").unlink()
    (folder / "pages.jsonl").unlink()
    assert "No page has been judged" in report_of(folder)


def test_what_pages_bring_is_text_and_links_go_to_the_web_only(tmp_path):
    pages = [("/", "", 0.9, 1, "seed", 0)]
    folder = write_run(tmp_path / "run", pages=pages, title=HOSTILE[0] + HOSTILE[1] + HOSTILE[5])
    with (folder / "fetched.csv").open("a", newline="", encoding="utf-8") as file:
        for number, url in enumerate(["javascript:window.pwned=1", "http://[bad/", *HOSTILE], 2):
            csv.writer(file).writerow([number, url, url, f"{SITE}/", 0.9, 1, 1, HOSTILE[0], 1, 0])
    page = page_of(write_run_report([folder]))
    assert not [tag for tag, _ in page.tags if tag in ("script", "img")]
    links = [attributes["href"] for tag, attributes in page.tags if tag == "a"]
    assert links
    assert all(link.startswith("http://") for link in links)
    assert HOSTILE[0] in page.text
    assert "\x07" not in "".join(page.words)


def test_several_crawls_share_figures_and_the_report_lies_beside_them(tmp_path):
    folders = [
        write_run(tmp_path / "runs" / "one", strategy="lpe"),
        write_run(tmp_path / "runs" / "two", strategy="slc", pages=[("/", "", 0.9, 1, "seed", 0)]),
    ]
    path = write_run_report(folders)
    assert path == tmp_path / "runs" / "report.html"
    text = page_of(path).text
    assert "slc has the highest harvest rate of 2 crawls: 1.00" in text
    assert "different numbers of pages" in text


def test_crawls_judged_by_different_models_are_not_compared_without_a_word(tmp_path):
    folders = [write_run(tmp_path / name, strategy=name, model_sha256=name) for name in ("lpe", "slc")]
    assert "their rates cannot be compared" in report_of(*folders)


def test_folders_that_are_no_run_are_refused(tmp_path):
    with pytest.raises(ReportError, match="There is no folder"):
        read_run(tmp_path / "nothing")
    with pytest.raises(ReportError, match=r"has neither run\.json nor harvest\.csv nor fetched\.csv"):
        read_run(tmp_path)


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        ((), "Name the folder of a crawl"),
        (("nothing",), "There is no folder nothing"),
        ((".",), "must be the folder of a crawl"),
        (("good", "--output", "no/where.html"), "cannot be used: No such file or directory"),
        (("good", "--outptu", "x"), "There is no option --outptu"),
    ],
)
def test_what_cannot_be_reported_is_one_line_and_exit_code_1(tmp_path, argv, message):
    write_run(tmp_path / "good")
    done = scrapy("report", *argv, cwd=tmp_path, env=environment(tmp_path))
    assert done.exit_code == 1
    assert message in done.err
    assert done.err.count("\n") == 1
    assert done.out == ""


def test_other_commands_do_not_load_what_draws():
    listed = "import sys, focused.commands.report; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", listed], cwd=ROOT).returncode == 0


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written_is_named(tmp_path):
    folder = write_run(tmp_path / "run")
    folder.chmod(0o500)
    done = scrapy("report", "run", cwd=tmp_path, env=environment(tmp_path))
    assert (done.exit_code, "run/report.html" in done.err) == (1, True)


@pytest.mark.slow
def test_a_real_crawl_is_reported_from_what_it_left(tmp_path, models, two_regions):
    done = crawl(models, tmp_path, web=two_regions, seeds="http://site.example/")
    assert done.exit_code == 0, done.err
    reported = scrapy("report", "run", "--output", "told.html", cwd=tmp_path, env=environment(models))
    assert (reported.exit_code, reported.out.strip(), reported.err) == (0, "told.html", "")
    page = page_of(tmp_path / "told.html")
    fetched, relevant = done.stats["focused/pages/fetched_count"], done.stats["focused/pages/relevant_count"]
    assert relevant > 0
    assert f"{relevant:,} of {fetched:,} pages are relevant by the crawl's own judgement" in page.text
    for item in done.pages:
        assert item["url"] in page.text
