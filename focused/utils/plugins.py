"""Places where other packages plug in a class of their own: named by its path, or by an entry point."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from importlib.metadata import EntryPoints, entry_points
from typing import TYPE_CHECKING, Any

from focused.utils.close_names import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Sequence


def is_class_path(name: object) -> bool:
    """Tell whether a name is the path of a class, which would be imported, and not the name of something installed.

    >>> is_class_path("mypackage.MyStrategy"), is_class_path("best_first")
    (True, False)
    """
    return isinstance(name, type) or "." in str(name)


@dataclass(frozen=True, slots=True)
class PlugInPlace:
    """A place where a class can be plugged in."""

    #: What is plugged in, for people: "strategy".
    what: str
    #: The group of entry points in which installed packages name their classes.
    group: str
    #: Path of the base class, whose docstring is the contract. It is imported when a class is plugged in, not before.
    base: str
    #: Methods that the base class leaves to its subclasses.
    methods: tuple[str, ...] = ()
    #: The document that shows one.
    guide: str = "docs/how-to/plug-in.md"

    def installed(self) -> list[str]:
        """Return the names that installed packages have given to their classes, in order."""
        return sorted({point.name for point in _entry_points(self.group)})

    def names(self, shipped: Sequence[str]) -> list[str]:
        """Return the shipped names, and after them the installed ones that are not the same."""
        return [*shipped, *(name for name in self.installed() if name not in shipped)]

    def load(self, name: str | type, shipped: Sequence[str] = ()) -> type[Any]:
        """Return the class of a path or of an installed name; settings modules may hold the class itself.

        A ValueError says that there is none, that it cannot be imported, or that it is not what can be plugged in here. It
        lists the ``shipped`` names, too, which are no plug-ins.
        """
        found = self._imported(str(name)) if is_class_path(name) and isinstance(name, str) else name
        if isinstance(found, str):
            found = self._of_entry_point(found, shipped)
        base = _attribute(self.base)
        if not isinstance(found, type) or not issubclass(found, base):
            raise ValueError(
                f"The {self.what} {name!r} must be a subclass of {self.base}. Got {found!r}. {self.guide} shows one."
            )
        for method in self.methods:
            if getattr(found, method, None) is getattr(base, method, None):
                raise ValueError(
                    f"The {self.what} {name!r} must define the method {method}. It does not. {self.guide} shows one."
                )
        return found

    def make(self, kind: type[Any], *args: Any, **named: Any) -> Any:
        """Return an object of a class that was plugged in; a ValueError says that its constructor takes something else."""
        try:
            return kind(*args, **named)
        except TypeError as error:
            path = f"{kind.__module__}.{kind.__qualname__}"
            raise ValueError(f"The {self.what} {path} cannot be made: {error}. {self.guide} shows one.") from error

    def returned(self, made: Any, kind: type[Any], method: str) -> Any:
        """Return what a method of a class that was plugged in returned; a ValueError if it is of another base class."""
        if isinstance(made, _attribute(self.base)):
            return made
        path = f"{kind.__module__}.{kind.__qualname__}"
        raise ValueError(f"{method} of the {self.what} {path} must return the {self.what}. Got {made!r:.60}.")

    def _imported(self, path: str) -> Any:
        try:
            return _attribute(path)
        except (ImportError, AttributeError, SyntaxError, ValueError) as error:
            raise ValueError(
                f"The {self.what} must be the path of a class, such as mypackage.MyClass. Got {path!r}: "
                f"{type(error).__name__}: {error}. The package must be installed, or in PYTHONPATH."
            ) from error

    def _of_entry_point(self, name: str, shipped: Sequence[str]) -> Any:
        points = {point.value: point for point in _entry_points(self.group).select(name=name)}
        if not points:
            known = self.names(shipped)
            choices = f"one of {', '.join(known)}, or " if known else ""
            raise ValueError(
                f"The {self.what} must be {choices}the path of a class. Got {name!r}.{did_you_mean(name, known)}"
            )
        if len(points) > 1:
            several = f"{name!r} is the name of several classes: {', '.join(sorted(points))}"
            raise ValueError(f"The {self.what} {several}. Give the path of one.")
        (path,) = points
        return self._imported(path.replace(":", "."))


def _attribute(path: str) -> Any:
    module, _, name = path.rpartition(".")
    return getattr(import_module(module), name)


def _entry_points(group: str) -> EntryPoints:
    """Return the entry points of a group; a command that asks for three groups reads the files of packages once."""
    found: EntryPoints = _all_entry_points(tuple(sys.path)).select(group=group)
    return found


@lru_cache(maxsize=1)
def _all_entry_points(folders: tuple[str, ...]) -> Any:
    """Return those of all packages in the folders of ``sys.path``. Python 3.11 and 3.12 have different types for them."""
    assert folders == tuple(sys.path)
    return entry_points()
