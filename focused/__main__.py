"""``focused``: Scrapy's command line with this project's settings, in any folder. ``python -m focused`` is the same."""

from __future__ import annotations

import os
import re
import sys
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

from scrapy.cmdline import execute

from focused.utils.scrapy_internals import has_command


def main() -> None:
    """Run the command that the command line names.

    The environment variable SCRAPY_SETTINGS_MODULE wins over this project's settings. Modules of the current folder can be
    named as class paths, as in the folder of a Scrapy project.
    """
    sys.argv[0] = "focused"  # also as python -m focused
    os.environ.setdefault("SCRAPY_SETTINGS_MODULE", "focused.settings")
    sys.path.append(str(Path.cwd()))  # last, so that no file there hides an installed module
    if has_command(sys.argv[1:]):
        execute()
        return
    said = StringIO()  # Scrapy's list of commands, or that there is no such command
    try:
        with redirect_stdout(said):
            execute()
    finally:
        print(re.sub(r"\bscrapy\b", "focused", said.getvalue()), end="")


if __name__ == "__main__":
    main()
