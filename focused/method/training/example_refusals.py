"""The pages that were refused as examples, and why. Nothing is left out silently."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

N_NAMED = 3


@dataclass
class Refusals:
    """Counts of refused examples by reason, with the names of the first few of each."""

    counts: Counter[str] = field(default_factory=Counter)
    names: dict[str, list[str]] = field(default_factory=dict)

    def add(self, reason: str, name: str, detail: str = "") -> None:
        """Note that the example with this name was refused."""
        self.counts[reason] += 1
        named = self.names.setdefault(reason, [])
        if len(named) < N_NAMED:
            named.append(f"{name} ({detail})" if detail else name)

    @property
    def total(self) -> int:
        """Number of refused examples."""
        return sum(self.counts.values())

    def lines(self) -> list[str]:
        """Return one line for each reason, the most frequent first."""
        return [
            f"{n} {reason}: {', '.join(self.names[reason])}{', ...' if n > len(self.names[reason]) else ''}"
            for reason, n in sorted(self.counts.items(), key=lambda pair: (-pair[1], pair[0]))
        ]

    def summary(self) -> str:
        """Return all reasons in one line."""
        return "; ".join(self.lines())
