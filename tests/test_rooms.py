"""The plan of the rooms: few entries at the top, no cycle, no arrow upwards, and a method that loads no Scrapy."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "scripts"))

import rooms  # noqa: E402

METHOD = sorted(
    ".".join(path.relative_to(ROOT).with_suffix("").parts) for path in (ROOT / "focused" / "method").rglob("*.py")
)


def test_the_method_loads_no_scrapy_and_no_reactor():
    names = [name.removesuffix(".__init__") for name in METHOD]
    code = (
        f"import importlib, sys\nfor name in {names!r}: importlib.import_module(name)\n"
        "print(sorted(name for name in sys.modules if name.partition('.')[0] in ('scrapy', 'twisted')))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert (done.stdout.strip(), done.stderr) == ("[]", "")


def test_the_top_of_the_package_has_few_entries():
    entries = {path.name for path in (ROOT / "focused").iterdir()} - {"__init__.py", "__pycache__", "py.typed"}
    assert len(entries) <= 18


def test_rooms_form_no_cycle_and_import_only_what_stands_below_them():
    for room in (rooms.flat_room, rooms.nested_room):
        _, arrows = rooms.arrows(ROOT, room)
        assert rooms.cycles(arrows) == []
        assert rooms.upward(arrows) == []
    # Half of what there were before the rooms were planned.
    # The collection and the dashboard came later, as rooms of their own: what they add is counted apart.
    # So did the frontier that many workers share: the second implementation of what frontier.store is the first of.
    later = [
        pair for pair in arrows if {"focused.collection", "focused.dashboard", "focused.frontier.shared"} & set(pair)
    ]
    assert len(arrows) - len(later) <= 118
    assert len(later) <= 20


def test_no_files_import_each_other_in_a_circle_not_even_for_types():
    _, arrows = rooms.arrows(ROOT, rooms.file_room)
    assert rooms.cycles(arrows) == []


def test_no_part_of_the_scheduler_takes_more_than_four_arguments():
    by_class = rooms.constructor_arguments(ROOT)
    assert len(by_class) > 50
    assert {name: arguments for name, arguments in by_class.items() if len(arguments) > 4} == {}


def test_what_counts_as_an_argument_of_a_constructor(tmp_path):
    text = """
class Plain:
    def __init__(self, a, *, b=1): ...
@dataclass(eq=False)
class Part:
    a: int
    b: int = field(default=1, init=False)
    kind: ClassVar[int] = 1
@dataclass(frozen=True)
class Record:
    a: int
class Pair(NamedTuple):
    a: int
@dataclass
class Lease:
    a: int
"""
    (tmp_path / "focused" / "frontier" / "inner").mkdir(parents=True)
    (tmp_path / "focused" / "frontier" / "inner" / "one.py").write_text(text)
    (tmp_path / "focused" / "other.py").write_text(text)
    found = rooms.constructor_arguments(tmp_path)
    assert found == {
        "focused.frontier.inner.one.Plain": ["a", "b"],
        "focused.frontier.inner.one.Part": ["a"],
        "focused.frontier.inner.one.Pair": [],
        "focused.frontier.inner.one.Record": [],
    }


def test_what_counts_as_an_arrow(tmp_path):
    files = {
        "a/__init__.py": "",
        "a/one.py": "from __future__ import annotations\nfrom typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from focused.b.two import X\n",
        "b/__init__.py": "",
        "b/two.py": "def f():\n    from focused import c\n",
        "b/three.py": "from . import two\nfrom ..d import deep\n",
        "c.py": "PATH = 'focused.d.deep.Thing'\nNOTHING = 'focused.toml'\n",
        "d/__init__.py": "",
        "d/deep/__init__.py": "import focused.a.one\n",
        "__init__.py": "",
    }
    for name, text in files.items():
        path = tmp_path / "focused" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    _, nested = rooms.arrows(tmp_path, rooms.nested_room)
    names = {(here.removeprefix("focused."), there.removeprefix("focused.")) for here, there in nested}
    assert names == {("a", "b"), ("b", "c"), ("b", "d.deep"), ("c", "d.deep"), ("d.deep", "a")}
    assert rooms.cycles(nested) == [["focused.a", "focused.b", "focused.c", "focused.d.deep"]]
