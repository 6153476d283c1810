"""``focused``: Scrapy's command line with this project's settings, in any folder. ``python -m focused`` is the same."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from scrapy.cmdline import execute


def main() -> None:
    """Run the command that the command line names.

    The environment variable SCRAPY_SETTINGS_MODULE wins over this project's settings. Modules of the current folder can be
    named as class paths, as in the folder of a Scrapy project.
    """
    sys.argv[0] = "focused"  # also as python -m focused
    os.environ.setdefault("SCRAPY_SETTINGS_MODULE", "focused.settings")
    sys.path.append(str(Path.cwd()))  # last, so that no file there hides an installed module
    execute()


if __name__ == "__main__":
    main()
