"""What benchmarks say of webs: where their files lie, and what to do where they do not."""

from __future__ import annotations

import pytest
from common import chosen_names
from known_webs import DEMO, KNOWN, MADE, RECORDED, folder_of, labels_of, web_parser


def test_recorded_webs_lie_in_the_folder_of_data_and_made_ones_in_that_of_webs(tmp_path):
    data, webs = tmp_path / "data", tmp_path / "webs"
    for folder in (data, webs):
        folder.mkdir()
        for name in {*KNOWN, *MADE}:
            (folder / f"{name}.warc.gz").touch()
    assert {folder_of(name, data, webs) for name in RECORDED} == {data}
    assert {folder_of(name, data, webs) for name in MADE} == {webs}


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        ("foldoc", "--data must be the folder of the recorded webs"),
        ("wiki", "webs.py --out {folder} --only wiki"),
        ("docs", "documentation_webs.py make --webs {folder} --only docs"),
        ("nonsense", "No benchmark makes it"),
    ],
)
def test_a_missing_web_is_an_error_of_one_line_that_says_what_makes_it(tmp_path, name, remedy):
    with pytest.raises(SystemExit) as error:
        folder_of(name, tmp_path, tmp_path)
    text = str(error.value)
    assert text.startswith(f"{tmp_path} has no {name}.warc.gz. ")
    assert remedy.format(folder=tmp_path) in text
    assert "\n" not in text


def test_the_demo_web_needs_no_files(tmp_path):
    assert folder_of(DEMO, tmp_path, tmp_path) == tmp_path


def test_only_chooses_all_webs_by_default_and_names_the_known_ones_in_its_error():
    options = web_parser("Crawls.", "crawls", ("foldoc", "wiki")).parse_args([])
    assert chosen_names(options.only, ("foldoc", "wiki")) == ["foldoc", "wiki"]
    with pytest.raises(SystemExit, match=r"^--only must name some of foldoc, wiki\. Got sites, shop\.$"):
        chosen_names("wiki,sites,shop", ("foldoc", "wiki"))


def test_a_benchmark_without_processes_and_folder_has_no_options_for_them():
    options = vars(web_parser("Reads.", None, jobs=None).parse_args([]))
    assert set(options) == {"data", "webs", "only", "no_write"}


def test_a_page_may_have_several_labels(tmp_path):
    file = tmp_path / "wiki.labels.tsv"
    file.write_text("url\tlabels\nhttp://wiki.example/\tlaw|music\n")
    assert labels_of(file)["http://wiki.example/"] == {"law", "music"}
