"""Changes the states of a worker's links and hosts, in memory and in the page that is written next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from focused.frontier.shared.memory import OwnMemory
from focused.frontier.shared.page import EndedLink
from focused.frontier.store.schema import DONE, DROPPED, FAILED
from focused.utils.origins import host_of

if TYPE_CHECKING:
    from focused.frontier.shared.own_host import OwnHost
    from focused.frontier.shared.own_waiting import OwnWaiting
    from focused.frontier.shared.worker import Worker


class OwnLinkStates(OwnMemory):
    """The links of a worker's own hosts that are under way, and how they end."""

    def __init__(self, worker: Worker) -> None:
        super().__init__()
        self.worker = worker
        self.own = worker.own_hosts
        #: What the page that ends next does.
        self.draft = worker.draft
        self.hosts = self.own.queue
        self._counts: OwnWaiting | None = None

    def done(self, number: int, relevant: bool | None = None, note: str | None = None) -> None:
        """Mark a leased link as done: its page has come. ``relevant`` is None if there was no page to judge."""
        self._end(number, DONE, note, relevant)

    def failed(self, number: int, note: str) -> None:
        """Mark a leased link as failed, and say why."""
        self._end(number, FAILED, note)

    def dropped(self, number: int, note: str) -> None:
        """Mark a leased link as dropped, and say why."""
        self._end(number, DROPPED, note)

    def _end(self, number: int, state: int, note: str | None, relevant: bool | None = None) -> None:
        own, link = self.own.end(number)
        self.draft.moves.drop(number)
        page = self.draft.page
        page.ended.append(EndedLink(number, own.name, link.url, state, note, relevant))
        page.rests[own.name] = self.worker.rest_and_delay(own.name)
        self.worker.budget.count_ended(is_page=relevant is not None)

    def give_back(self, number: int) -> None:
        """Put a leased link back among those that wait; in the database it still waits."""
        self._give_back(number)

    def _give_back(self, number: int) -> OwnHost:
        own = self.own.give_back(number)
        if self._counts is not None:
            self._counts.gave_back(own.number)
        return own

    def wait_again(self, number: int) -> None:
        """Put a leased link back among those that wait, unless its host has been given up."""
        own = self._give_back(number)
        for origin in [origin for origin in self.worker.given_up if host_of(origin) == own.name]:
            self.draft.page.given_up.append(origin)
            own.forget_origin(origin)
            self.own.refresh(own)

    # --- Hosts

    def host_number(self, host: str) -> int:
        """Return the number of a host by its name; -1 if it has none here."""
        number = self.own.names.get(host)
        return -1 if number is None else number

    def recheck_host(self, host: str) -> None:
        """Consider a host again at once, although it was not ready: that may have changed."""
        number = self.own.names.get(host)
        if number is not None:
            self.hosts.recheck(number)

    def has_pages(self, host: str) -> bool:
        """Tell whether any page of a host was fetched by this worker, or before it was this one's."""
        own = self.own.get(host)
        return own is not None and own.n_asked > own.n_under_way

    def give_up_origin(self, origin: str) -> None:
        """Fail the waiting links of an origin, and those that this worker finds from now on."""
        self.worker.given_up.setdefault(origin, 0)
        self.draft.page.given_up.append(origin)
        own = self.own.get(host_of(origin))
        if own is not None:
            own.forget_origin(origin)
            self.own.refresh(own)

    def n_unreachable_of(self, origin: str) -> int:
        """Return how many links failed because this origin was given up."""
        return self.worker.given_up.get(origin, 0)
