"""Notes each connection that a crawl's process begins, and gives it a web of made-up names.

``install`` is called in the crawl's process before the command. The kernel is asked to connect in one place,
``socket.connect_ex``: what is noted there is all there is. A connection to the address `PUBLIC` comes out at the same port
of 127.0.0.1, where the tests' servers are; one to any address beyond this machine is noted and refused.
"""

from __future__ import annotations

import errno
import socket
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy.resolver import CachingThreadedResolver
from twisted.internet.defer import succeed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from twisted.internet.defer import Deferred

PUBLIC = "93.184.215.14"
FILE = "connections"
SETTINGS = {"TWISTED_DNS_RESOLVER": "connections.MadeUpNames"}
"""Of a crawl whose names are made up."""

ANSWERS = {
    "metadata.google.internal": ["169.254.169.254"],
    "private.test": ["10.0.0.9"],
    "loopback.test": ["127.0.0.1"],
    "metadata.test": ["169.254.169.254"],
    "shared.test": ["100.64.0.9"],
    "any.test": ["0.0.0.0"],
    # Public when its robots.txt is asked for, this machine when its page is.
    "rebinds.test": [PUBLIC, "127.0.0.1"],
}
"""What names stand for, one answer after the other; the last one holds."""


class MadeUpNames(CachingThreadedResolver):
    """Answers for `ANSWERS`, and `PUBLIC` for other names in ``.test``; numbers in odd spellings go to the system."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._answers = {name: list(addresses) for name, addresses in ANSWERS.items()}

    def getHostByName(self, name: str, timeout: Sequence[int] = ()) -> Deferred[str]:
        if name not in ANSWERS and not name.endswith(".test"):
            return super().getHostByName(name, timeout)
        answers = self._answers.get(name, [PUBLIC])
        return succeed(answers.pop(0) if len(answers) > 1 else answers[0])


def install() -> None:
    """Note connections in the file ``connections`` of the working directory."""
    file, connect = Path(FILE).absolute(), socket.socket.connect_ex
    file.write_text("")

    def connect_ex(self: socket.socket, address: Any) -> int:
        with file.open("a") as lines:
            lines.write(f"{address[0]} {address[1]}\n")
        if address[0] == PUBLIC:
            return connect(self, ("127.0.0.1", address[1]))
        return connect(self, address) if address[0] in ("127.0.0.1", "0.0.0.0", "::1") else errno.ECONNREFUSED

    socket.socket.connect_ex = connect_ex  # type: ignore[method-assign]


def connected(folder: Path) -> set[tuple[str, int]]:
    """Return the addresses and ports that a crawl in a folder began to connect to."""
    lines = (line.split() for line in (folder / FILE).read_text().splitlines())
    return {(address, int(port)) for address, port in lines}
