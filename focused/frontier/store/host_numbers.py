"""Gives hosts numbers: names are long, and stand with each link."""

from __future__ import annotations


class HostNumbers:
    """Numbers of hosts from 1, each given once."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        #: By number; no host has number 0.
        self.names = [""]

    def get(self, name: str) -> int | None:
        """Return the number of a host; None if it has none."""
        return self._numbers.get(name)

    def number(self, name: str) -> int:
        """Return the number of a host, new or known."""
        number = self._numbers.get(name)
        if number is None:
            number = len(self.names)
            self._keep(name)
            self._added(number, name)
        return number

    def _keep(self, name: str) -> None:
        self._numbers[name] = len(self.names)
        self.names.append(name)

    def _added(self, number: int, name: str) -> None:
        """Take note of a new host; a class that writes them down does it here."""
