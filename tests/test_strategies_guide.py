"""What docs/how-to/write-a-strategy.md shows is done, word by word, in a copy of the project."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys

import pytest
from commands import ROOT, Finished

pytestmark = pytest.mark.slow

TEXT = (ROOT / "docs" / "how-to" / "write-a-strategy.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A copy of the project with the strategy of the guide in it."""
    folder = tmp_path_factory.mktemp("project")
    # With what is compiled: it is valid for copies of the same time, and compiling the project takes longer than the tests.
    shutil.copytree(ROOT / "focused", folder / "focused")
    shutil.copytree(ROOT / "models" / "demo", folder / "models" / "demo")
    shutil.copy(ROOT / "scrapy.cfg", folder)
    module, registry, look, test = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    (folder / "focused" / "method" / "strategies" / "fading.py").write_text(module)
    index = folder / "focused" / "method" / "strategies" / "__init__.py"
    imported, entry = registry.splitlines()
    text = index.read_text()
    for line, place in ((imported, "from focused.method.scoring.evidence"), (entry, "        LinkPriorityEvaluation,")):
        assert text.count(place) == 1
        text = text.replace(place, f"{line}\n{place}")
    index.write_text(text)
    colours = folder / "focused" / "evaluation" / "report" / "colours.py"
    colours.write_text(colours.read_text().replace('    "adaptive": CurveStyle(', f'{look}    "adaptive": CurveStyle('))
    (folder / "test_fading.py").write_text(test)
    return folder


def run(project, *argv: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("FOCUSED", "SCRAPY"))}
    environment["PYTHONPATH"] = str(project)
    return subprocess.run(
        [sys.executable, *argv], cwd=project, env=environment, check=False, capture_output=True, text=True
    )


FORKS = """
import os, sys
from pathlib import Path
import focused.commands.crawl, focused.commands.explain, focused.crawl.planning, focused.spiders.focused
from scrapy.cmdline import execute
for number, argv in enumerate({commands!r}):
    if not (child := os.fork()):
        for descriptor, name in ((1, "out"), (2, "err")):
            os.dup2(os.open(f"{{name}}{{number}}", os.O_WRONLY | os.O_CREAT), descriptor)
        sys.argv = ["scrapy", *argv]
        execute()
    Path(f"code{{number}}").write_text(str(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])))
"""


@pytest.fixture(scope="module")
def done(project) -> dict[str, Finished]:
    """The guide's commands, in processes that are forked from one which has imported the copy of the project."""
    [crawl] = re.findall(r"^scrapy (crawl .*)$", TEXT, re.MULTILINE)
    [explain] = re.findall(r"^scrapy (explain .*)$", TEXT, re.MULTILINE)
    (project / "page.html").write_text("<body><p>Stars and <a href='/a'>a telescope</a> in the observatory</p></body>")
    commands = {
        "crawl": [*crawl.replace("max_pages=200", "max_pages=30").split(), "-a", "run_dir=run"],
        "help": ["crawl", "-h"],
        "explain": explain.split(),
        "refused": explain.replace("0.5", "2").split(),
    }
    forked = run(project, "-c", FORKS.format(commands=[*commands.values()]))
    assert forked.returncode == 0, forked.stderr

    def left(number: int, name: str) -> str:
        return (project / f"{name}{number}").read_text()

    return {
        command: Finished(int(left(number, "code")), left(number, "out"), left(number, "err"), project / "run")
        for number, command in enumerate(commands)
    }


@pytest.fixture(scope="module")
def tested(project) -> subprocess.CompletedProcess[str]:
    """The guide's test and the project's own tests of strategies, run as one after what the guide says to build."""
    for name in ("scripts", "docs"):
        shutil.copytree(ROOT / name, project / name, ignore=shutil.ignore_patterns("__pycache__"))
    names = ("test_report_colours.py", "test_docs_reference.py")
    for name in ("commands.py", "forked_workers.py", *names):
        (project / "tests").mkdir(exist_ok=True)
        shutil.copy(ROOT / "tests" / name, project / "tests")
    [command] = re.findall(r"`python -m (scripts\.\w+)`", TEXT)
    assert run(project, "-m", command).returncode == 0
    chosen = ("-k", "not every_stat_of_a_crawl", "tests", "test_fading.py")
    return run(project, "-m", "pytest", "-v", "-p", "no:cacheprovider", *chosen)


def test_the_guide_s_test_passes(tested):
    assert re.findall(r"^test_fading\.py::\w+ (\w+)", tested.stdout, re.MULTILINE) == ["PASSED"], tested.stdout


def test_the_project_s_own_tests_of_strategies_pass_with_the_guide_s_strategy(tested):
    assert tested.returncode == 0, tested.stdout + tested.stderr
    for name in ("test_report_colours", "test_docs_reference"):
        assert re.search(rf"^tests/{name}\.py::\S+ PASSED", tested.stdout, re.MULTILINE), tested.stdout


def test_the_guide_s_strategy_crawls(done):
    crawl = done["crawl"]
    assert crawl.exit_code == 0, crawl.err
    assert (crawl.run["strategy"], crawl.stats["focused/pages/fetched_count"]) == ("fading", 30)
    assert crawl.stats["focused/links/by_block_count"] > 0
    assert "fading" in done["help"].out


def test_the_guide_s_strategy_explains_and_refuses_what_is_out_of_range(done):
    assert done["explain"].exit_code == 0, done["explain"].err
    assert "by fading" in done["explain"].out
    assert done["refused"].exit_code == 1
    assert done["refused"].err.strip() == "Error: FOCUSED_FADING_FADE must be a number from 0 to 1. Got '2'."
