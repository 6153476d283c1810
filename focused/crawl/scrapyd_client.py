"""What a client of Scrapyd may not set: where things are, and which classes are imported, is the server's business.

A topic's file may name no class either; it is refused where it is read, in :mod:`focused.method.topic.settings`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from focused.crawl.arguments import PlanError
from focused.crawl.declared_settings import COMMAND_LINE, DECLARED
from focused.utils.plugins import is_class_path
from focused.utils.setting import SERVER

if TYPE_CHECKING:
    from collections.abc import Mapping


def check_client(arguments: Mapping[str, Any], settings: Any) -> None:
    """Refuse what a client of Scrapyd may not set. Names of what is installed on the server are welcome.

    Raises
    ------
    PlanError
        Naming the argument or the setting, and what to do.
    """
    by_client = {name: settings.get(name) for name in DECLARED if (settings.getpriority(name) or 0) >= COMMAND_LINE}
    for name, value in by_client.items():
        if DECLARED[name].set_by == SERVER:
            refused = f"{name} cannot be set by a client of Scrapyd. Got {value!r}"
            raise PlanError(f"{refused}. Set it in the server's environment.")
    classes = {name: value for name, value in by_client.items() if DECLARED[name].names_class}
    for what, value in {"Spider argument 'strategy'": arguments.get("strategy"), **classes}.items():
        if value and is_class_path(value):
            raise PlanError(
                f"{what} cannot be the path of a class for a client of Scrapyd. Got {value!r}. Name an entry point of a "
                "package that is installed on the server."
            )
