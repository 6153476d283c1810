"""What the project's own commands share: their help, and errors that are one line.

Not in `focused.commands`: Scrapy takes every command class that is defined there for a command.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any, ClassVar

from scrapy.commands import ScrapyCommand

if TYPE_CHECKING:
    from scrapy.settings import Settings


class ProjectCommand(ScrapyCommand):
    """A command whose errors are one line on stderr and exit code 1.

    Subclasses say what they do in `work`.
    """

    requires_project = True
    requires_crawler_process = False
    default_settings: ClassVar[dict[str, Any]] = {"LOG_ENABLED": False}
    settings: Settings

    #: Shown under the options.
    examples: ClassVar[str] = ""
    #: Errors whose message is one for people.
    errors: ClassVar[tuple[type[Exception], ...]] = (ValueError,)
    #: Said after Ctrl-C.
    interrupted: ClassVar[str] = "Interrupted"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the examples to the help."""
        super().add_options(parser)
        parser.formatter_class = argparse.RawDescriptionHelpFormatter
        parser.epilog = self.examples

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Do the work; an error is one line on stderr and exit code 1."""
        try:
            self.work(args, opts)
        except self.errors as error:
            self.fail(str(error))
        except BrokenPipeError:
            sys.stderr.close()  # a pager that was left says nothing, neither do we
        except OSError as error:
            self.fail(f"{error.filename or 'A file'} cannot be used: {error.strerror or error}")
        except KeyboardInterrupt:
            self.fail(self.interrupted)

    def work(self, args: list[str], opts: argparse.Namespace) -> None:
        """Do what the command is for.

        Raises
        ------
        Exception
            One of `errors`, or an OSError.
        """
        raise NotImplementedError

    def fail(self, message: str) -> None:
        """Say in one line what is wrong, and end with exit code 1."""
        sys.stdout.flush()
        print(f"Error: {' '.join(message.split())}", file=sys.stderr)
        self.exitcode = 1

    def refuse_options(self, args: list[str]) -> None:
        """Complain of what looks like an option among the arguments: Scrapy passes unknown ones on.

        Raises
        ------
        ValueError
            It names the option.
        """
        unknown = [arg for arg in args if arg.startswith("-") and len(arg) > 1]
        if unknown:
            raise ValueError(f"There is no option {unknown[0]}. See scrapy {self.__module__.rpartition('.')[2]} -h.")
