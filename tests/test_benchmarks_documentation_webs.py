"""``benchmarks/documentation_webs.py``, with small packages made by hand in place of Debian's."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from focused.webs.recorded import RecordedWeb

BENCHMARKS = Path(__file__).resolve().parent.parent / "benchmarks"
# Last: some of its modules are called as some of the tests'.
sys.path.append(str(BENCHMARKS))

import documentation_webs  # noqa: E402
from manuals.hierarchy import chains_upwards, chapters_in_contents, label_chapters  # noqa: E402
from manuals.packages import Packages  # noqa: E402
from manuals.portal import docs  # noqa: E402
from manuals.single import gimp, linux, office  # noqa: E402
from manuals.web import ManualWeb  # noqa: E402

needs_dpkg = pytest.mark.skipif(shutil.which("dpkg-deb") is None, reason="packages are Debian's")


def page(title, *links, head=""):
    """HTML whose links are given as paths; the first may be one upwards, given as ("up", path)."""
    found = [f'<a accesskey="u" href="{link[1]}">up</a>' if isinstance(link, tuple) else f'<a href="{link}">{link}</a>'
             for link in links]  # fmt: skip
    return f"<html><head><title>{title}</title>{head}</head><body>{title} {' '.join(found)}</body></html>"


def build(debs, name, folder, pages, version="1.0-1"):
    """Make a .deb file of these pages (HTML by path) in a folder of the package."""
    tree = debs.parent / f"tree-{name}-{version}"
    for path, html in pages.items():
        file = tree / folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(html, encoding="utf-8")
    (tree / "DEBIAN").mkdir()
    about = {"Package": name, "Version": version, "Architecture": "all", "Maintainer": "A <a@b.example>"}
    control = "".join(f"{key}: {value}\n" for key, value in {**about, "Description": "pages"}.items())
    (tree / "DEBIAN" / "control").write_text(control)
    debs.mkdir(exist_ok=True)
    command = ["dpkg-deb", "--root-owner-group", "-Znone", "--build", str(tree), str(debs)]
    subprocess.run(command, check=True, capture_output=True)


@pytest.fixture
def debs(tmp_path):
    return tmp_path / "debs"


def found(debs, tmp_path, *names):
    packages = Packages(debs, tmp_path / "unpacked")
    packages.find(names)
    return packages


def run(*arguments, **environment):
    command = [sys.executable, str(BENCHMARKS / "documentation_webs.py"), *map(str, arguments)]
    return subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, **environment}, check=False, timeout=300
    )


def labels_in(file):
    lines = file.read_text(encoding="utf-8").splitlines()
    assert lines[0] == "url\tlabels"
    return dict(line.split("\t") for line in lines[1:])


GIMP = {
    "index.html": page("Manual", "filters.html", "menus.html"),
    "filters.html": page("Filters", ("up", "index.html"), "blur.html"),
    "blur.html": page("Blur", ("up", "filters.html")),
    "menus.html": page("Menus", ("up", "index.html"), "colors-menu.html"),
    "colors-menu.html": page("Colours", ("up", "menus.html")),
}


@pytest.fixture
def gimp_debs(debs):
    build(debs, "gimp-help-en", "usr/share/gimp/2.0/help/en", {**GIMP, "only-here.html": page("New")})
    build(debs, "gimp-help-de", "usr/share/gimp/2.0/help/de", GIMP, version="2:2.0-1")
    return debs


@needs_dpkg
@pytest.mark.slow
def test_packages_become_a_recorded_web_with_labels_seeds_and_their_versions(gimp_debs, tmp_path):
    webs = tmp_path / "webs"
    done = run("make", "--webs", webs, "--debs", gimp_debs, "--only", "gimp")
    assert done.returncode == 0, done.stderr
    assert "made of gimp-help-de 2:2.0-1, gimp-help-en 1.0-1" in done.stderr

    labels = labels_in(webs / "gimp.labels.tsv")
    de = "http://de.gimp.example/2.10/"
    assert labels[f"{de}filters.html"] == labels[f"{de}blur.html"] == "de filters"
    assert labels[f"{de}colors-menu.html"] == "de colours|de menus"
    assert labels["http://en.gimp.example/2.10/blur.html"] == "en filters"
    assert labels[f"{de}index.html"] == labels["http://docs.gimp.example/"] == "other"
    assert len(labels) == 14  # two manuals and one page more, the bare folder of each, the choice of languages
    assert (webs / "gimp.seeds.txt").read_text() == "http://docs.gimp.example/\n"
    about = json.loads((webs / "gimp.about.json").read_text())
    assert (about["n_pages"], about["n_redirects"], about["n_hosts"]) == (14, 0, 3)
    assert about["packages"] == {"gimp-help-de": "2:2.0-1", "gimp-help-en": "1.0-1"}
    assert about["labels"]["de filters"] == about["labels"]["de menus"] == 2

    web = RecordedWeb(webs / "gimp.warc.gz")
    assert {url for url in labels if web.answer(url).status == 200} == set(labels)
    assert b'<a href="http://en.gimp.example/2.10/blur.html">English</a>' in web.answer(f"{de}blur.html").body
    assert b"Deutsch" not in web.answer("http://en.gimp.example/2.10/only-here.html").body
    web.close()


@needs_dpkg
def test_the_same_packages_give_the_same_bytes(gimp_debs, tmp_path):
    packages = found(gimp_debs, tmp_path, "gimp-help-de", "gimp-help-en")
    for name in ("once", "again"):
        (tmp_path / name).mkdir()
        gimp(packages).write(tmp_path / name, packages.versions)
    for file in (tmp_path / "once").iterdir():
        assert (tmp_path / "again" / file.name).read_bytes() == file.read_bytes()
    assert not list((tmp_path / "once").glob("*.part"))


PORTAL = {
    ("postgresql-doc-15", "usr/share/doc/postgresql-doc-15/html"): {
        "index.html": page("PostgreSQL"),
        "sql-commands.html": page("Commands", ("up", "index.html")),
        "sql-select.html": page("SELECT", ("up", "sql-commands.html")),
    },
    ("sqlite3-doc", "usr/share/doc/sqlite3"): {
        "index.html": page("SQLite"), "lang_select.html": page("SELECT"), "slang.html": page("Slang"),
    },
    ("octave-doc", "usr/share/doc/octave/octave.html"): {
        "index.html": page("Octave"),
        "Plotting.html": page("Plotting", ("up", "index.html")),
        "Lines.html": page("Lines", ("up", "Plotting.html")),
        "XREFline.html": page("Moved", head='<meta http-equiv="Refresh" content="0; url=Lines.html#XREFline">'),
    },
    ("maxima-doc", "usr/share/doc/maxima-doc/html"): {
        "maxima.html": page("Maxima"), "m_1.html": page("Plotting (Maxima)"), "m_2.html": page("plot2d", ("up", "m_1.html")),
        "figures/f.html": page("a figure"),
    },
    ("python3.11-doc", "usr/share/doc/python3.11/html"): {
        "index.html": page("Python"),
        **{f"library/{name}.html": page(name) for name in
           ("netdata", "ipc", "markup", "crypto", "superseded", "concurrency", "json", "math", "ssl", "sqlite3")},
        "library/internet.html": '<li class="toctree-l1"><a class="reference internal" href="ftplib.html">ftplib</a></li>',
        "library/ftplib.html": page("ftplib"),
    },
    ("nodejs-doc", "usr/share/doc/nodejs/api"): {
        "index.html": page("Node"), "tls.html": page("TLS"), "all.html": page("All"),
    },
    ("git-doc", "usr/share/doc/git-doc"): {"git.html": page("Git")},
    ("swi-prolog-doc", "usr/share/swi-prolog/doc/Manual"): {"index.html": page("Prolog")},
    ("apache2-doc", "usr/share/doc/apache2-doc/manual"): {
        f"{language}/{path}.html": page(path) for language in ("en", "fr") for path in ("index", "ssl/intro")
    },
    ("harden-doc", "usr/share/doc/harden-doc/html/en-US"): {"index.html": page("Securing")},
    ("debian-policy", "usr/share/doc/debian-policy/policy.html"): {"index.html": page("Policy")},
    ("developers-reference", "usr/share/developers-reference"): {"index.html": page("Reference")},
    ("debian-handbook", "usr/share/doc/debian-handbook/html/en-US"): {
        "index.html": '<span class="chapter"><a href="apt.html">1</a></span><span class="section"><a href="apt-get.html">1.1'
        '</a></span><span class="chapter"><a href="security.html#top">2</a></span>',
        "apt.html": page("apt"), "apt-get.html": page("apt-get"), "security.html": page("Security"),
    },
    ("anarchism", "usr/share/doc/anarchism/html"): {"index.html": page("FAQ"), "secB1.html": page("B.1")},
    ("gimp-help-en", "usr/share/gimp/2.0/help/en"): {"index.html": page("GIMP")},
    ("gimp-help-de", "usr/share/gimp/2.0/help/de"): {"index.html": page("GIMP")},
    ("grass-doc", "usr/share/doc/grass-doc/html"): {"index.html": page("GRASS")},
}  # fmt: skip


@needs_dpkg
def test_manuals_behind_the_portal_keep_their_hosts_redirects_and_subjects(debs, tmp_path):
    for (name, folder), pages in PORTAL.items():
        build(debs, name, folder, pages)
    packages = found(debs, tmp_path, *(name for name, _ in PORTAL))
    web = docs(packages)
    about = web.write(tmp_path, packages.versions)
    assert about["n_hosts"] == 17
    labels = labels_in(tmp_path / "docs.labels.tsv")
    octave, python = "http://octave.example.net/doc/v7/", "http://docs.python.example/3/library/"
    expected = {
        "http://www.pgdocs.example/docs/15/sql-select.html": "sql",
        "http://www.pgdocs.example/docs/15/index.html": "other",
        "http://sqlite.example.org/lang_select.html": "sql",
        "http://sqlite.example.org/slang.html": "other",
        f"{octave}Lines.html": "plotting",
        "http://maxima.example.edu/manual/m_2.html": "plotting",
        f"{python}ftplib.html": "network programming",
        f"{python}ssl.html": "security",
        f"{python}sqlite3.html": "sql",
        f"{python}math.html": "other",
        "http://node.example.io/api/tls.html": "network programming|security",
        "http://httpd.example.org/docs/2.4/en/ssl/intro.html": "security",
        "http://httpd.example.org/docs/2.4/fr/ssl/intro.html": "other",
        "http://handbook.example/browse/apt-get.html": "packaging",
        "http://handbook.example/browse/security.html": "security",
        "http://afaq.example.org/secB1.html": "critique of capitalism",
        "http://gimp.example/de/index.html": "other",
    }
    assert {url: labels[url] for url in expected} == expected
    left_out = ["http://maxima.example.edu/manual/figures/f.html", "http://node.example.io/api/all.html"]
    assert not labels.keys() & {*left_out, f"{octave}XREFline.html"}

    recorded = RecordedWeb(tmp_path / "docs.warc.gz")
    moved = recorded.answer(f"{octave}XREFline.html")
    assert (moved.status, dict(moved.headers)["Location"]) == (301, f"{octave}Lines.html")
    assert recorded.answer(left_out[0]).status == 404
    front = recorded.answer(web.front).body.decode()
    group = recorded.answer("http://www.portal.example/mathematics.html").body.decode()
    assert 'href="http://www.portal.example/mathematics.html"' in front
    assert f'href="{octave}index.html"' in group
    recorded.close()


@needs_dpkg
def test_pages_of_the_kernel_are_labelled_by_subsystem_and_translations_by_none(debs, tmp_path):
    paths = ["index", "mm/slub", "admin-guide/mm/ksm", "userspace-api/media/v4l/video", "admin-guide/sysrq",
             "translations/zh_CN/mm/ksm"]  # fmt: skip
    pages = {f"{path}.html": page(path) for path in paths}
    build(debs, "linux-doc-6.1", "usr/share/doc/linux-doc-6.1/html", pages)
    web = linux(found(debs, tmp_path, "linux-doc-6.1"))
    base = "http://kernel.example.org/doc/html/v6.1/"
    found_labels = [web.labels[f"{base}{path}.html"] for path in paths]
    assert found_labels == [set(), {"mm"}, {"mm"}, {"media"}, set(), set()]


@needs_dpkg
def test_pages_that_modules_of_the_office_share_bear_no_label(debs, tmp_path):
    paths = ["text/scalc/01/a", "text/shared/01/b", "text/shared/05/new_help", "noscript"]
    build(debs, "libreoffice-help-de", "usr/share/libreoffice/help/de", {f"{path}.html": page(path) for path in paths})
    web = office(found(debs, tmp_path, "libreoffice-help-de"))
    base = "http://hilfe.office.example/7.4/de/"
    assert [web.labels[f"{base}{path}.html"] for path in paths] == [{"scalc"}, set(), set(), set()]
    web.write(tmp_path, {})  # its front page is there


def test_links_upwards_that_go_round_in_a_circle_end(tmp_path):
    pages = {
        "a.html": page("a", ("up", "sub/b.html")),
        "sub/b.html": '<link href="../a.html" rel="up"/>',
        "gone.html": page("gone", ("up", "nowhere.html")),
    }
    web = ManualWeb("circle", "http://x.example/")
    urls = {path: f"http://x.example/{path}" for path in pages}
    web.pages |= {urls[path]: body.encode() for path, body in pages.items()}
    assert chains_upwards(web, urls) == {
        "a.html": ["a.html", "sub/b.html"],
        "sub/b.html": ["sub/b.html", "a.html"],
        "gone.html": ["gone.html", "nowhere.html"],
    }
    label_chapters(web, urls, {"b": {"sub/b.html"}, "none": {"c.html"}})
    assert [web.labels[url] for url in urls.values()] == [{"b"}, {"b"}, set()]


def test_sections_belong_to_the_chapter_before_them_on_whatever_page():
    contents = (
        '<span class="preface"><a href="foreword.html">0</a></span><span class="chapter"><a href="apt.html">1</a></span>'
        '<span class="section"><a href="sect.sources.html#x">1.1</a></span>'
    )
    assert chapters_in_contents(contents) == [
        ("foreword.html", "foreword"), ("apt.html", "apt"), ("sect.sources.html", "apt"),
    ]  # fmt: skip


def test_a_web_whose_front_page_is_missing_is_not_written(tmp_path):
    web = ManualWeb("empty", "http://x.example/")
    with pytest.raises(ValueError, match=r"front page of empty .* http://x\.example/ is not"):
        web.write(tmp_path, {})
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_packages_that_are_missing_are_named_with_the_lines_that_bring_them(tmp_path):
    done = run("make", "--webs", tmp_path / "webs", "--only", "gimp,grass", PATH=str(tmp_path))  # no dpkg there
    assert done.returncode == 1
    assert "Missing: gimp-help-de gimp-help-en grass-doc." in done.stderr
    assert "apt-get install --no-install-recommends gimp-help-de gimp-help-en grass-doc\n" in done.stderr
    assert "apt-get download gimp-help-de gimp-help-en grass-doc)" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "webs").exists()


@needs_dpkg
def test_two_versions_of_a_package_or_a_damaged_one_are_refused(debs, tmp_path):
    for version in ("1-1", "2-1"):
        build(debs, "grass-doc", "usr/share/doc/grass-doc/html", GIMP, version)
    with pytest.raises(SystemExit, match=r"one version of grass-doc\. It holds grass-doc_1-1_all\.deb, grass-doc_2-1"):
        found(debs, tmp_path, "grass-doc")
    (debs / "grass-doc_2-1_all.deb").unlink()
    (debs / "grass-doc_1-1_all.deb").write_bytes(b"not a package")
    with pytest.raises(SystemExit, match=r"grass-doc_1-1_all\.deb cannot be unpacked"):
        found(debs, tmp_path, "grass-doc")
    assert not (tmp_path / "unpacked" / "grass-doc_1-1_all").exists()


@needs_dpkg
def test_a_package_whose_pages_lie_elsewhere_is_said_to_be_another_version(debs, tmp_path):
    build(debs, "linux-doc-6.1", "usr/share/doc/elsewhere", {"index.html": page("Linux")})
    with pytest.raises(SystemExit, match=r"linux-doc-6\.1 1\.0-1 must have HTML files below /usr/share/doc/linux-doc"):
        linux(found(debs, tmp_path, "linux-doc-6.1"))


@pytest.mark.slow
def test_webs_that_were_not_made_are_named_with_the_command_that_makes_them(tmp_path):
    done = run("evaluate", "--webs", tmp_path, "--output", tmp_path / "out", "--only", "docs,portal,linux")
    assert done.returncode == 1
    assert f"make --webs {tmp_path} --only docs,linux" in done.stderr
    done = run("evaluate", "--webs", tmp_path, "--only", "dosc")
    assert (done.returncode, "Got dosc." in done.stderr) == (1, True)


@needs_dpkg
@pytest.mark.slow
@pytest.mark.usefixtures("evaluations_are_forks")
def test_evaluation_of_a_web_ends_in_tables_that_agree_with_its_results(debs, tmp_path, monkeypatch, capsys):
    draw = random.Random(1)
    names = {module: [f"../{module}/{n}.html" for n in range(40)] for module in ("scalc", "smath", "shared")}
    everything = [name for some in names.values() for name in some]
    pages = {"text/shared/05/new_help.html": page("All", *(f"../{name}" for name in everything))}
    for module, some in names.items():
        words = [f"{module}word{n}" for n in range(30)]
        for name in some:
            links = [*draw.sample(some, 4), *draw.sample(everything, 2), "../shared/05/new_help.html"]
            pages[name.replace("..", "text")] = page(" ".join(draw.choices(words, k=60)), *links)
    build(debs, "libreoffice-help-de", "usr/share/libreoffice/help/de", pages)
    webs, output = tmp_path / "webs", tmp_path / "output"
    assert run("make", "--webs", webs, "--debs", debs, "--only", "office").returncode == 0
    arguments = ("evaluate", "--webs", webs, "--output", output, "--only", "office", "--repeats", 1, "--jobs", 1)
    arguments += ("--pages", 25)
    monkeypatch.setattr(sys, "argv", ["documentation_webs.py", *map(str, arguments)])
    documentation_webs.main()
    made, strategies, topics = capsys.readouterr().out.split("## documentation: ")[1:]
    assert "| office | 121 | 0 | 1 | libreoffice-help-de 1.0-1 |" in made
    assert strategies.count("| office | 2 | 2 |") == 1
    header, _, *rows = (line for line in topics.splitlines() if line.startswith("|"))
    assert [row.split(" | ")[1] for row in rows] == ["scalc", "smath"]
    results = (output / "office" / "results.csv").read_text().splitlines()
    columns = results[0].split(",")
    areas = {(row["topic"], row["strategy"]): float(row["area"])
             for row in (dict(zip(columns, line.split(","), strict=True)) for line in results[1:])}  # fmt: skip
    for row in rows:
        cells = dict(zip(header.strip("| ").split(" | "), row.strip("| ").split(" | "), strict=True))
        own, others = areas[cells["topic"], "adaptive"], {
            name: area for (topic, name), area in areas.items()
            if topic == cells["topic"] and name not in ("adaptive", "oracle")
        }  # fmt: skip
        best = cells["best other"].strip("`")
        assert others[best] == max(others.values())
        assert (cells["area, `adaptive`"], cells["its area"]) == (f"{own:.3f}", f"{others[best]:.3f}")
        assert cells["difference"] == f"{own / others[best] - 1:+.0%}"
    before = {file: file.stat().st_mtime_ns for file in (output / "office" / "crawls").iterdir()}
    documentation_webs.main()
    assert capsys.readouterr().out.split("## documentation: ")[3] == topics  # nothing is crawled again
    assert {file: file.stat().st_mtime_ns for file in (output / "office" / "crawls").iterdir()} == before
