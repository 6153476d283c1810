"""Parameters of a class that settings give: each declares its setting where it is a field."""

from __future__ import annotations

from dataclasses import field, fields
from typing import TYPE_CHECKING, Any

from focused.utils.setting import Setting

if TYPE_CHECKING:
    from collections.abc import Mapping


def parameter(setting: str | Setting, default: Any = None, meaning: str = "", **range_: Any) -> Any:
    """Declare a field of a dataclass as a parameter that a setting gives.

    ``setting`` is its name, or a setting that other classes read, too. With the prefix FOCUSED_ it is one of the project's;
    packages that plug something in have prefixes of their own. ``default`` is the paper's value: its type is the
    parameter's. ``meaning`` and ``range_`` are those of :class:`~focused.utils.setting.Setting`, and so is ``set_by``: a
    topic's file may set the parameter only if that says TOPIC.
    """
    found = setting if isinstance(setting, Setting) else Setting(setting, default, meaning, **range_)
    return field(default=found.default, metadata={"setting": found})


def parameters_of(owner: Any) -> dict[str, Setting]:
    """Return the settings of a dataclass, or of an object of one, by the names of their fields."""
    return {each.name: each.metadata["setting"] for each in fields(owner) if "setting" in each.metadata}


def read_parameters(owner: Any, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that settings give to the parameters of a dataclass, by the names of their fields."""
    return {name: setting.read(settings) for name, setting in parameters_of(owner).items()}


def check_parameters(owner: Any) -> None:
    """Refuse an object whose parameters are not what they must be, by a ValueError that names setting and range."""
    for name, setting in parameters_of(owner).items():
        setting.check(getattr(owner, name))
