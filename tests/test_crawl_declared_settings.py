"""All declared settings: their defaults, their documentation, and values that are refused whatever strategy is chosen."""

from __future__ import annotations

import ast
import inspect
import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from scrapy.settings import Settings

from focused import settings as project
from focused.crawl.declared_settings import DECLARED, GROUPS, check_settings, defaults, of_environment
from focused.method.strategies import STRATEGIES
from focused.method.topic.settings import ALLOWED_SETTINGS
from focused.utils.parameters import parameter, parameters_of
from focused.utils.setting import SERVER, TOPIC, Setting
from focused.webs import DEMO_OPTIONS, GENERATED
from focused.webs.demo import DemoWeb, HostileWeb

ROOT = Path(__file__).resolve().parent.parent
# The environment, before there are settings; and what a plan says of its web.
_NOT_SETTINGS = ("os.environ", "plan.web_options")
NUMBERS = [name for name, setting in DECLARED.items() if isinstance(setting.default, (int, float))]


def test_a_setting_has_a_default_within_its_range_and_a_sentence():
    for name, setting in DECLARED.items():
        assert setting.check(setting.default) == setting.default, name
        assert setting.meaning.endswith("."), name
        assert name.startswith("FOCUSED_")


def test_the_project_s_settings_hold_the_default():
    for name in DECLARED.keys() - of_environment(dict.fromkeys(DECLARED, "")).keys():
        default = getattr(project, name)
        assert (name, default, type(default)) == (name, DECLARED[name].default, type(DECLARED[name].default))


def _read_by_name(path: Path) -> list[str]:
    """Return the settings that a module reads by a name in quotes, past their declaration."""
    text = path.read_text()
    if "FOCUSED_" not in text:
        return []
    found = []
    for node in ast.walk(ast.parse(text)):
        is_call = (
            isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr.startswith("get")
        )
        owner = node.func.value if is_call else node.value if isinstance(node, ast.Subscript) else None
        said = (node.args[0] if node.args else None) if is_call else getattr(node, "slice", None)
        is_name = isinstance(said, ast.Constant) and str(said.value).startswith("FOCUSED_")
        if owner is not None and is_name and ast.unparse(owner) not in _NOT_SETTINGS:
            found.append(f"{path.relative_to(ROOT)}:{node.lineno} {said.value}")
    return found


def test_all_code_reads_settings_by_their_declaration():
    assert [each for path in (ROOT / "focused").rglob("*.py") for each in _read_by_name(path)] == []


@pytest.mark.parametrize(
    "code", ['settings.getbool("FOCUSED_A")', 'crawler.settings["FOCUSED_A"]', 'a.get("FOCUSED_A")']
)
def test_a_setting_that_is_read_by_its_name_is_found(code, monkeypatch, tmp_path):
    (tmp_path / "module.py").write_text(code)
    monkeypatch.setitem(globals(), "ROOT", tmp_path)
    assert _read_by_name(tmp_path / "module.py") == ["module.py:1 FOCUSED_A"]


def test_a_setting_is_declared_once_and_stands_in_one_group():
    declared = [setting for group in GROUPS.values() for setting in group]
    assert len(set(declared)) == len(declared) == len(DECLARED)


def test_the_default_strategy_is_one_of_the_project_s():
    assert DECLARED["FOCUSED_STRATEGY"].default in STRATEGIES


def test_the_demo_web_has_the_defaults_of_its_settings():
    given = {name: each.default for name, each in inspect.signature(DemoWeb).parameters.items()}
    assert given == {name: setting.default for name, setting in DEMO_OPTIONS.items()}
    given = {name: each.default for name, each in inspect.signature(HostileWeb).parameters.items()}
    assert given == {name: setting.default for name, setting in GENERATED["hostile"].items()}


def test_what_only_a_server_may_set_comes_from_its_environment_and_nothing_else_does():
    """A client that sets it is told that the server's environment is the place (focused/crawl/scrapyd_client.py)."""
    named = {name for name, setting in DECLARED.items() if setting.set_by == SERVER}
    assert {"FOCUSED_RUNS_DIR", "FOCUSED_DATABASE", "FOCUSED_METRICS_TOKEN", "FOCUSED_PRIVATE_ADDRESSES"} <= named
    assert set(of_environment(dict.fromkeys(DECLARED, "/x"))) == named
    assert of_environment({}) == {}


@pytest.mark.parametrize("value", ["many", "nan", "", None, [1]])
def test_what_is_no_number_is_refused_whatever_strategy_is_chosen(value):
    for name in NUMBERS:
        with pytest.raises(ValueError, match=f"^{name} must be ") as refused:
            check_settings(Settings(defaults() | {name: value}))
        assert repr(value) in str(refused.value)


def test_what_is_out_of_range_is_refused():
    for name in NUMBERS:
        setting = DECLARED[name]
        for bound, step in ((setting.least, -1), (setting.most, 1)):
            if bound is not None:
                check_settings(Settings(defaults() | {name: bound}))
                with pytest.raises(ValueError, match=f"^{name} must be a .*number"):
                    check_settings(Settings(defaults() | {name: bound + step}))


def test_a_setting_that_does_not_say_who_may_set_it_is_closed_to_topics():
    @dataclass
    class PlugIn:
        width: int = parameter("FOCUSED_NEW_WIDTH", 1)

    assert TOPIC not in (Setting("FOCUSED_NEW", 1).set_by, parameters_of(PlugIn)["width"].set_by)


def test_a_topic_does_not_set_whom_the_crawl_asks_whom_it_obeys_who_judges_nor_where_things_are():
    closed = re.compile(
        "ADDRESS|ROBOTS|NOINDEX|NOFOLLOW|AGENT|CONTACT|PROXY|READER|CLASSIFIER|JUDGE|DIR$|FILE$|DATABASE|URL$|WEB$"
    )
    assert not [name for name, setting in DECLARED.items() if closed.search(name) and setting.set_by == TOPIC]
    assert not [name for name in ALLOWED_SETTINGS if closed.search(name)]


def test_what_a_topic_or_only_a_server_sets():
    only_server = {name for name, setting in DECLARED.items() if setting.set_by == SERVER}
    assert only_server >= {
        *(f"FOCUSED_{each}_DIR" for each in ("MODELS", "RUNS", "WEBS", "CACHE")),
        "FOCUSED_ORACLE_FILE",
        "FOCUSED_VERDICTS",
        "FOCUSED_DATABASE",
    }
    open_to_topics = {name for name, setting in DECLARED.items() if setting.set_by == TOPIC}
    assert {"FOCUSED_STRATEGY", "FOCUSED_MAX_PAGES", "FOCUSED_RETRAINING", "FOCUSED_DEMO_PAGES"} < open_to_topics
    switches = {name for name in open_to_topics if name.endswith("_ENABLED")}
    assert not switches
