"""The base class of the project's commands: their help, and errors of one line.

It is not in `focused.commands`, because Scrapy takes every command class defined there as a command.
"""

from __future__ import annotations

import argparse
import re
import sys
from typing import TYPE_CHECKING, Any, ClassVar

from scrapy.commands import ScrapyCommand

from focused.utils.close_names import did_you_mean
from focused.utils.program import as_typed

if TYPE_CHECKING:
    from scrapy.settings import Settings


class ProjectCommand(ScrapyCommand):
    """A command whose errors are one line on stderr and exit code 1; subclasses do their work in `work`."""

    requires_project = True
    requires_crawler_process = False
    default_settings: ClassVar[dict[str, Any]] = {"LOG_ENABLED": False}
    settings: Settings

    usage: ClassVar[str] = "[options]"
    summary: ClassVar[str]
    #: Shown under the options.
    examples: ClassVar[str] = ""
    #: Errors whose message is meant for people.
    errors: ClassVar[tuple[type[Exception], ...]] = (ValueError,)
    #: Printed after Ctrl-C.
    interrupted: ClassVar[str] = "Interrupted"
    _parser: argparse.ArgumentParser | None = None

    def syntax(self) -> str:
        """Return the arguments, for the usage line."""
        return self.usage

    def short_desc(self) -> str:
        """Return one line about the command."""
        return self.summary

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the examples to the help."""
        super().add_options(parser)
        self._parser = parser  # knows all options when the command runs
        parser.formatter_class = argparse.RawDescriptionHelpFormatter
        parser.usage, parser.epilog = as_typed(parser.usage or ""), as_typed(self.examples)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Do the work; an error is one line on stderr and exit code 1."""
        try:
            self.work(args, opts)
        except self.errors as error:
            self.fail(str(error))
        except BrokenPipeError:
            sys.stderr.close()  # the reader of stdout, a pager for instance, was closed: no error
        except OSError as error:
            self.fail(f"{error.filename or 'A file'} cannot be used: {error.strerror or error}")
        except KeyboardInterrupt:
            self.fail(self.interrupted)

    def work(self, args: list[str], opts: argparse.Namespace) -> None:
        """Do the work of the command. One of `errors` or an OSError ends it with one line and exit code 1."""
        raise NotImplementedError

    def fail(self, message: str) -> None:
        """Print the error in one line, and end with exit code 1."""
        sys.stdout.flush()
        print(f"Error: {as_typed(' '.join(message.split()))}", file=sys.stderr)
        self.exitcode = 1

    def refuse_options(self, args: list[str]) -> None:
        """Refuse unknown options, which Scrapy passes on as arguments."""
        unknown = [arg for arg in args if arg.startswith("-") and len(arg) > 1]
        if unknown:
            known = re.findall(r"--[a-z-]+", self._parser.format_help() if self._parser else "")
            meant = did_you_mean(unknown[0].partition("=")[0], dict.fromkeys(known), "--")
            raise ValueError(f"There is no option {unknown[0]}.{meant} See scrapy {self._name} -h.")

    def refuse_arguments(self, args: list[str]) -> None:
        """Refuse all arguments of a command that takes options only."""
        if args:
            command = f"scrapy {self._name}"
            raise ValueError(f"{command} takes options only (see {command} -h). Got {' '.join(args)}.")

    @property
    def _name(self) -> str:
        return self.__module__.rpartition(".")[2]


def whole_number(option: str, value: object, least: int = 0, meaning: str = "", *, most: int = 2**32 - 1) -> int:
    """Return the whole number that an option gives, on the command line or by default.

    A ValueError says that it is something else, below ``least`` or above ``most``, and the ``meaning`` of a special
    value (``0: all``).

    >>> whole_number("--top", "20")
    20
    """
    text = str(value)
    if not (text.isascii() and text.isdigit()) or not least <= int(text) <= most:
        more = f" ({meaning})" if meaning else ""
        raise ValueError(f"{option} must be a whole number from {least} to {most}{more}. Got {text!r}.")
    return int(text)
