"""Who may name a class to import: arguments and the project's settings, not a client of Scrapyd, not a topic's file.

A topic's file is refused where it is read, in :mod:`focused.method.topic.settings`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from focused.crawl.arguments import PlanError
from focused.crawl.declared_settings import COMMAND_LINE, DECLARED
from focused.utils.plugins import is_class_path

if TYPE_CHECKING:
    from collections.abc import Mapping

_CLASS_SETTINGS = [name for name, setting in DECLARED.items() if setting.names_class]


def refuse_class_paths(arguments: Mapping[str, Any], settings: Any) -> None:
    """Refuse what a client of Scrapyd would have the server import. Names of what is installed there are welcome.

    Raises
    ------
    PlanError
        Naming the argument or the setting.
    """
    asked = {"Spider argument 'strategy'": arguments.get("strategy")}
    asked |= {name: settings.get(name) for name in _CLASS_SETTINGS if (settings.getpriority(name) or 0) >= COMMAND_LINE}
    for what, value in asked.items():
        if value and is_class_path(value):
            raise PlanError(
                f"{what} cannot be the path of a class for a client of Scrapyd. Got {value!r}. Name an entry point of a "
                "package that is installed on the server."
            )
