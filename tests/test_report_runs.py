from __future__ import annotations

import csv
import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from commands import ROOT, crawl, environment, scrapy
from test_report_evaluation import HOSTILE, page_of

from focused.collection.page import CollectedPage
from focused.collection.store import CollectionStore
from focused.crawl.losses import LOSSES
from focused.evaluation.report import write_run_report
from focused.evaluation.report.delivered_pages import delivered_pages
from focused.evaluation.report.drift import stability_index, window_shares
from focused.evaluation.report.files import ReportError, read_rows
from focused.evaluation.report.markup import UNKNOWN
from focused.evaluation.report.pages_section import SCRIPT
from focused.evaluation.report.run_files import read_run
from focused.retraining.drift import drift

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


def write_versions(folder: Path, lines: list[dict], *, begins: dict[int, int], column: bool) -> Path:
    """Write into a run directory of 60 pages which models were trained, and which of them judged from which page on."""
    pages = [("/", "", 0.9, 1, "seed", 0)]
    pages += [(f"/{n}", "/", round(1 - n / 60, 3), int(n < 30), "block", 1) for n in range(1, 60)]
    write_run(folder, pages=pages)
    version_of = {n: max(v for v, first in {1: 1, **begins}.items() if first <= n) for n in range(1, 61)}
    if column:
        head, *rows = (folder / "fetched.csv").read_text().splitlines()
        rows = [f"{row},{version_of[n]}" for n, row in enumerate(rows, 1)]
        (folder / "fetched.csv").write_text("\n".join([f"{head},model_version", *rows]) + "\n")
    else:
        record = [json.dumps({"number": n, "url": f"{SITE}/{n}", "version": v}) for n, v in version_of.items()]
        (folder / "retraining.jsonl").write_text("\n".join(record) + "\n")
    (folder / "versions.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder


def training(version: int, n_pages: int, *, accepted: bool = True, why: str = "", new: float = 0.9) -> dict:
    held_out = {"new": new, "in_use": 0.88, "first": 0.87}
    return {
        "version": version, "accepted": accepted, "why": why, "n_pages": n_pages, "n_positive": 3, "n_negative": 5,
        "n_verdicts": 4, "n_doubtful": 1, "held_out": held_out, "seconds": 1.5,
    }  # fmt: skip


def report_of(*folders: Path) -> str:
    return page_of(write_run_report(folders, meanings=LOSSES)).text


def test_the_first_sentence_says_how_many_pages_are_relevant_and_who_says_so(tmp_path):
    text = report_of(write_run(tmp_path / "run"))
    assert "2 of 4 pages are relevant by the crawl's own judgement: harvest rate 0.50" in text
    assert "the page budget was used up" in text
    assert "No label stands behind these figures" in text


def test_the_report_says_what_the_model_estimates_and_where_it_is_not_known_why(tmp_path):
    known = write_run(tmp_path / "known", harvest={"is_known": True, "share": 0.4, "low": 0.3, "high": 0.51})
    assert (
        "The calibrated model estimates that 0.40 of them are: 0.30 to 0.51 by its own reckoning (a 90 % interval)."
        in report_of(known)
    )
    killed = write_run(tmp_path / "killed", finished_at=None)
    (killed / "harvest.csv").write_text("pages,relevant,estimated,estimated_low,estimated_high\n4,2,0.25,0.125,0.5\n")
    assert "that 0.25 of them are: 0.12 to 0.50" in report_of(killed)
    assert "0.25 (0.12 to 0.50)" in report_of(known, killed)
    unknown = write_run(tmp_path / "unknown", harvest={"is_known": False, "why": "a topic from words"})
    assert "How many really are is not known: a topic from words." in report_of(unknown)


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


def test_hosts_that_were_given_up_are_named_whatever_stands_in_the_file(tmp_path):
    known = [{"host": "<b>h.org", "why": "timed out", "links": 7}, "nonsense", {"host": "i.org"}]
    text = report_of(write_run(tmp_path / "run", hosts_given_up=known))
    assert "2 hosts did not answer : <b>h.org ( timed out ; 7 links), i.org ( unknown ; 0 links)" in text
    assert "did not answer" not in report_of(write_run(tmp_path / "other", hosts_given_up="nonsense"))
    many = [{"host": f"h{n}.org", "why": "refused", "links": 9 - n} for n in range(8)]
    text = report_of(write_run(tmp_path / "many", hosts_given_up=many))
    assert "8 hosts did not answer" in text
    assert "h4.org ( refused ; 5 links) and 3 more" in text
    assert "h7.org refused 2" in text


def test_hosts_that_did_not_answer_in_the_end_are_named_whether_or_not_they_were_given_up(tmp_path):
    known = [{"host": f"h{n}.org", "why": "no such host"} for n in range(7)]
    text = report_of(write_run(tmp_path / "run", hosts_failing=[*known, "nonsense"]))
    assert "7 hosts did not answer in the end : h0.org ( no such host )" in text
    assert "and 2 more. Their links wait; a resumed crawl asks for them." in text
    assert "did not answer" not in report_of(write_run(tmp_path / "other", hosts_failing={"host": "h.org"}))


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


def test_long_fields_are_read_without_raising_the_limit_of_the_whole_process(tmp_path):
    limit, path = csv.field_size_limit(), tmp_path / "fetched.csv"
    path.write_text(f"number,url\n1,{'x' * (limit + 1)}\n2,b\n")
    rows, n_bad = read_rows(path)
    assert [len(row["url"]) for row in rows] == [limit + 1, 1]
    assert n_bad == 0
    assert csv.field_size_limit() == limit


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
    assert [tag for tag, _ in page.tags if tag in ("script", "img")] == ["script"]  # the report's own
    assert f"<script>{SCRIPT}</script>" in (folder / "report.html").read_text()
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
    # One topic, but a crawl has trained its model: two judges.
    one = write_run(tmp_path / "still", strategy="lpe")
    two = write_versions(tmp_path / "learnt", [{"version": 2, "accepted": True}], begins={2: 20}, column=True)
    text = report_of(one, two)
    assert (
        "2 crawls, whose models learnt while they ran: each judged by its own, so their rates cannot be compared"
        in text
    )
    assert "has the highest harvest rate" not in text


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
        (
            ("good", "--output", "no/where.html"),
            "no/where.html cannot be written: No such file or directory. Write it elsewhere: --output FILE",
        ),
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
    assert (done.exit_code, "run/report.html cannot be written" in done.err) == (1, True)
    assert "--output FILE" in done.err


@pytest.mark.slow
@pytest.mark.parametrize("column", [True, False], ids=["fetched.csv", "retraining.jsonl"])
def test_versions_of_the_model_are_shown_with_where_they_began_and_why_some_were_refused(tmp_path, column):
    trained = [training(2, 14), training(3, 28, accepted=False, why="0.5 is too little", new=0.5), training(4, 42)]
    folder = write_versions(tmp_path / "run", trained, begins={2: 17, 4: 45}, column=column)
    page = page_of(write_run_report([folder]))
    assert "trained 3 times while the crawl ran; 2 accepted, 1 refused" in page.text
    assert "Version 3, after 28 pages: 0.5 is too little" in page.text
    assert "1 the topic's own 1 16 1.00" in page.text
    assert "2 used 17 28 0.50 0.900 0.880 0.870 3 5 4 (1 doubtful)" in page.text  # 14 of its 28 pages are relevant
    assert f"3 refused {UNKNOWN} {UNKNOWN} {UNKNOWN} 0.500 0.880" in page.text
    assert "4 used 45 16 0.00" in page.text
    harvest = (folder / "report.html").read_text().split("<figure>")[1]
    assert all(f">{version}</text>" in harvest for version in (2, 4))
    assert "Upright lines: where a version of the model began to judge" in harvest
    assert "Crosses on the axis: where one was refused" in harvest


def test_a_list_of_versions_with_anything_in_it_has_a_report(tmp_path):
    lines: list = [None, 3, {"version": "x"}, {"version": 1, "accepted": True}, {"version": 2, "accepted": 1}]
    lines += [
        {"version": 3, "accepted": False, "why": HOSTILE[1], "n_pages": -4, "held_out": {"new": "much", "first": None}}
    ]
    lines += [training(10**400, 3), {"version": 4, "accepted": True, "held_out": [1], "seconds": float("nan")}]
    folder = write_versions(tmp_path / "run", lines, begins={}, column=True)
    with (folder / "versions.jsonl").open("a") as file:
        file.write("[" * 100_000 + "\n" + '{"version": 5, "acc')
    text = report_of(folder)
    assert "7 line(s) of versions.jsonl are not whole" in text
    assert "trained 3 times while the crawl ran; 2 accepted, 1 refused" in text
    assert "accepted, judged no page" in text


def test_drift_is_told_by_the_harvest_of_the_window_and_by_what_relevances_became(tmp_path):
    pages = [("/", "", 0.95, 1, "seed", 0)]
    pages += [(f"/{n}", "/", 0.95 if n < 200 else 0.05, int(n < 200), "block", 1) for n in range(1, 400)]
    text = report_of(write_run(tmp_path / "run", pages=pages, stats={"focused/drift/scores": 1.25}))
    assert "Harvest rate of the first 100 pages 1.00, of the last 100 pages 0.00" in text
    assert "lie far from those of the first 100" in text
    assert "against the training pages was 1.25" in text
    steady = report_of(write_run(tmp_path / "steady", pages=[("/", "", 0.5, 1, "seed", 0)] * 300))
    assert "lie near those of the first 100: population stability index 0.00" in steady
    drawn = np.random.default_rng(0).uniform(size=200).round(3).tolist()
    same = report_of(
        write_run(tmp_path / "same", pages=[(f"/{n}", "", each, 1, "block", 0) for n, each in enumerate(drawn)])
    )
    assert "lie near those of the first 100" in same
    assert "differ by about 0.18 where nothing has changed" in same


def test_shares_of_the_window_are_those_of_its_pages():
    values = np.array([0.1, 0.1, np.nan, 0.9, 1.0, 0.0])
    shares = window_shares(values, n_window=3)
    assert shares.tolist() == [
        [1, 0, 0, 0, 0], [1, 0, 0, 0, 0], [1, 0, 0, 0, 0], [0.5, 0, 0, 0, 0.5], [0, 0, 0, 0, 1],
        [pytest.approx(1 / 3), 0, 0, 0, pytest.approx(2 / 3)],
    ]  # fmt: skip
    assert np.isnan(window_shares(np.array([np.nan]))).all()


def test_the_index_of_drift_is_that_of_retraining():
    before, after = np.random.default_rng(0).beta(0.5, 2, 100), np.random.default_rng(1).beta(2, 2, 80)
    assert stability_index(before, after) == pytest.approx(drift(before, after))


def test_of_several_crawls_each_tells_of_its_own_versions_and_the_shared_figures_of_none(tmp_path):
    for name in ("a", "b"):
        write_versions(tmp_path / name, [training(2, 14)], begins={2: 17}, column=True)
    text = report_of(tmp_path / "a", tmp_path / "b")
    assert text.count("trained 1 time while the crawl ran") == 2
    assert "Upright lines" not in text.split("Drift")[0]


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


def test_a_crawl_that_went_on_with_another_strategy_is_credited_to_none_of_them(tmp_path):
    parts = [{"strategy": "adaptive", "from_page": 1}, {"strategy": "best_first", "from_page": 4}]
    mixed = write_run(tmp_path / "runs" / "mixed", strategy="best_first", parts=parts)
    pages = [("/", "", 0.9, 1, "seed", 0), ("/a", "/", 0.1, 0, "block", 1), ("/b", "/", 0.1, 0, "block", 1)]
    pure = write_run(tmp_path / "runs" / "pure", strategy="best_first", parts=parts[1:], pages=pages)
    text = report_of(mixed, pure)
    assert "adaptive to page 3, then best_first has the highest harvest rate of 2 crawls" in text
    assert "those of no single strategy" in text
    assert "those of no single strategy" not in report_of(pure)
    assert "Strategy: adaptive to page 3, then best_first" in report_of(mixed)


@pytest.mark.parametrize("parts", [None, 3, [], [None, {"from_page": "x"}, {"strategy": "a"}]])
def test_parts_that_are_none_leave_the_strategy(tmp_path, parts):
    assert read_run(write_run(tmp_path / "run", parts=parts)).strategy == "cbp_slc"


def write_collection(folder: Path, n_pages: int = 5) -> None:
    store = CollectionStore(folder / "collection.sqlite", max_irrelevant=10)
    for number in range(1, n_pages + 1):
        fields = {"relevance": number / 10, "relevant": number > 1, "language": "en", "date": "2024-05-01T10:00:00"}
        store.add(
            CollectedPage(
                number, f"{SITE}/{number}", title=f"<i>Page {number}</i>", text="Menu\n" + "Text. " * 90, **fields
            )
        )
    store.close()


def test_the_report_begins_with_the_title_of_the_topic_and_the_pages_of_the_collection(tmp_path):
    folder = write_run(tmp_path / "run", topic_title="Stars & planets")
    write_collection(folder)
    with sqlite3.connect(folder / "collection.sqlite") as sql:
        sql.execute("UPDATE pages SET verdict = CASE number WHEN 1 THEN 1 WHEN 4 THEN 0 END")
    page = page_of(write_run_report([folder]))
    assert next(text for text in page.words if text.strip()) == "Stars & planets"
    assert "4 pages, the most relevant first" in page.text
    assert f"All with their texts: scrapy export {folder} --format jsonl" in " ".join(page.text.split())
    table = page.text.split("The pages")[1].split("How the crawl went")[0]
    assert "page date people relevance" in table  # one language and no author say nothing
    places = [table.index(f"<i>Page {number}</i>") for number in (1, 5, 3, 2)]
    assert places == sorted(places)
    assert "<i>Page 4</i>" not in table
    assert f"{SITE}/5 Text. Text." in table
    assert "2024-05-01 yes 0.10" in table


def test_of_a_huge_run_the_best_pages_are_shown_and_the_others_counted(tmp_path):
    folder = write_run(tmp_path / "run")
    write_collection(folder, 9)
    lines = [{"url": f"{SITE}/{n}", "title": "", "relevance": n / 10, "text": None} for n in range(9)]
    for _ in ("from the collection", "from pages.jsonl"):
        found = delivered_pages(folder, 3)
        assert [page.relevance for page in found.pages] == sorted(
            (page.relevance for page in found.pages), reverse=True
        )
        assert (len(found.pages), found.n_all) == (3, 8 if (folder / "collection.sqlite").exists() else 9)
        (folder / "collection.sqlite").unlink(missing_ok=True)
        (folder / "pages.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines) + '[1]\n{"url": "half')


def test_a_damaged_collection_is_named_and_the_pages_come_from_pages_jsonl(tmp_path):
    folder = write_run(tmp_path / "run")
    (folder / "collection.sqlite").write_bytes(b"nothing" * 99)
    text = report_of(folder)
    assert "The pages are those of pages.jsonl: " in text
    assert "2 pages, the most relevant first" in text


def test_what_says_nothing_is_left_out(tmp_path):
    pages = [("/", "", 0.9, 1, "seed", 0)] + [(f"/{n}", "/", 0.9, 1, "seed", 0) for n in range(1, 60)]
    text = report_of(write_run(tmp_path / "run", pages=pages, stats={}))
    assert "All pages are on one host: a.example" in text
    for head in ("Harvest rate against", "Recent harvest rate", "Relevant pages", "Target length", "Relevance of the latest",
                 "Most productive referrers", "Links"):  # fmt: skip
        assert head not in text.split("How the crawl went")[1], head
    assert "Harvest rate against" in report_of(write_run(tmp_path / "other"))
