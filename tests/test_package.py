"""The package as others get it: built from a source archive, installed where nothing else of the project is."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from importlib import import_module
from importlib.metadata import distributions
from pathlib import Path

import pytest
from commands import ROOT
from hand_made import topic
from packaging.requirements import Requirement

from focused.method.topic import load_topic
from focused.utils import places
from focused.utils.program import as_typed

SOURCES = ("focused", "models", "pyproject.toml", "setup.py", "MANIFEST.in", "requirements.txt", "README.md", "LICENSE")
BUILD_ARCHIVE = "from setuptools.build_meta import build_sdist; print(build_sdist('dist'))"


def run(*command: str | Path, cwd: Path, home: Path | None = None) -> str:
    """Run a command with nothing of this process's settings and return what it prints."""
    env = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("FOCUSED_", "SCRAPY", "PYTHON", "XDG_"))
    }
    env |= {"HOME": str(home or cwd)}
    done = subprocess.run(
        list(map(str, command)), cwd=cwd, env=env, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory) -> Path:
    """The folder of the programs of an environment into which a wheel was installed, built from the source archive.

    What the package depends on comes from this environment, so that nothing is downloaded.
    """
    folder = tmp_path_factory.mktemp("package")
    sources = folder / "sources"
    sources.mkdir()
    for name in SOURCES:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, sources / name)
    archive = run(sys.executable, "-c", BUILD_ARCHIVE, cwd=sources).split()[-1]
    pip = [sys.executable, "-m", "pip", "-q"]
    run(*pip, "wheel", "--no-deps", "--no-build-isolation", "-w", folder, sources / "dist" / archive, cwd=folder)
    [wheel] = folder.glob("*.whl")
    venv = folder / "venv"
    run(sys.executable, "-m", "venv", "--without-pip", venv, cwd=folder)
    run(
        *pip,
        "--python",
        venv / "bin" / "python",
        "install",
        "--no-deps",
        "--no-index",
        "--no-compile",
        wheel,
        cwd=folder,
    )
    [site] = venv.glob("lib/python*/site-packages")
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return venv / "bin"


@pytest.mark.slow
def test_an_installed_package_crawls_in_any_folder_for_a_topic_that_ships(installed, tmp_path):
    run(installed / "focused", "crawl", "focused", "-a", "topic=demo", "-a", "max_pages=60", cwd=tmp_path)
    [results] = (tmp_path / "runs" / "demo").iterdir()
    stats = json.loads((results / "run.json").read_text())["stats"]
    assert stats["focused/pages/fetched_count"] == 60
    assert stats["focused/pages/relevant_count"] > 30
    # A topic with a preset: the wheel holds its file.
    run(installed / "focused", "crawl", "focused", "-a", "topic=ordered", "-a", "max_pages=20", cwd=tmp_path)
    [results] = (tmp_path / "runs" / "ordered").iterdir()
    assert json.loads((results / "run.json").read_text())["preset"] == "p13"


@pytest.mark.slow
def test_who_uses_the_package_sees_its_types(installed, tmp_path):
    user = tmp_path / "user.py"
    user.write_text("from focused.items import PageItem\nreveal_type(PageItem('http://a.example/').relevance)\n")
    # What else there is to be typed, numpy to begin with, takes ten times as long and says nothing of the package.
    (tmp_path / "mypy.ini").write_text("[mypy]\nfollow_imports = skip\n[mypy-focused.items]\nfollow_imports = normal\n")
    assert 'Revealed type is "float | None"' in run(installed / "python", "-m", "mypy", "--strict", user, cwd=tmp_path)


@pytest.mark.slow
def test_a_wheel_brings_the_files_that_are_no_modules(installed):
    [site] = installed.parent.glob("lib/python*/site-packages")
    for folder, pattern in (
        ("dashboard/templates", "*.html"),
        ("dashboard/static", "**/*.*"),
        ("method/topic/preset_files", "*"),
    ):
        there = {path.name for path in (ROOT / "focused" / folder).glob(pattern)}
        assert there <= {path.name for path in (site / "focused" / folder).glob(pattern)}
        assert there


def test_a_wheel_asks_for_what_the_requirements_name(installed):
    [site] = installed.parent.glob("lib/python*/site-packages")
    [package] = distributions(name="focused", path=[str(site)])
    lines = (ROOT / "requirements.txt").read_text().splitlines()
    wanted = {Requirement(line) for line in lines if line and not line.startswith("#")}
    found = {Requirement(line) for line in package.requires}
    assert {each for each in found if "extra" not in str(each.marker)} == wanted


def test_a_topic_of_the_user_hides_the_shipped_one_of_its_name(tmp_path):
    assert load_topic("demo", tmp_path, places.SHIPPED_MODELS_DIR).directory == ROOT / "models" / "demo"
    topic("demo").save(tmp_path)
    assert load_topic("demo", tmp_path, places.SHIPPED_MODELS_DIR).directory == tmp_path / "demo"


def test_the_topics_of_a_checkout_are_the_users_own():
    assert places.default_models_dir() == places.SHIPPED_MODELS_DIR == ROOT / "models"
    assert places.models_dirs({"FOCUSED_MODELS_DIR": str(ROOT / "models")}) == (ROOT / "models",)
    assert places.models_dirs({"FOCUSED_MODELS_DIR": ""}) == (ROOT / "models",)  # not the folder that one stands in


def test_own_topics_of_an_installed_package_are_in_the_users_data_folder(monkeypatch, tmp_path):
    monkeypatch.setattr(places, "IS_INSTALLED", True)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert places.default_models_dir() == tmp_path / "focused" / "models"
    monkeypatch.delenv("XDG_DATA_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert places.default_models_dir() == tmp_path / ".local" / "share" / "focused" / "models"


def test_the_users_own_topics_are_looked_for_first(tmp_path):
    assert places.models_dirs({"FOCUSED_MODELS_DIR": str(tmp_path)}) == (tmp_path, ROOT / "models")


def test_every_command_of_the_project_is_named_as_it_is_typed(monkeypatch):
    monkeypatch.setattr(sys, "argv", ["focused"])
    names = [name for name in _commands() if as_typed(f"scrapy {name} -h") != f"focused {name} -h"]
    assert not names


def _commands() -> list[str]:
    modules = (path.stem for path in (ROOT / "focused" / "commands").glob("*.py"))
    return [name for name in modules if hasattr(import_module(f"focused.commands.{name}"), "Command")]


def test_messages_name_the_program_as_it_was_called(monkeypatch):
    said = "See scrapy crawl -h. Train one: scrapy train moons. Scrapy's scheduler, scrapy.cfg, scrapy list."
    assert as_typed(said) == said
    monkeypatch.setattr(sys, "argv", ["/usr/bin/focused", "crawl"])
    assert (
        as_typed(said)
        == "See focused crawl -h. Train one: focused train moons. Scrapy's scheduler, scrapy.cfg, scrapy list."
    )
