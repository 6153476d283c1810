"""How the share of relevant pages comes about that a topic is calibrated to: assumed, known or estimated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from focused.method.learning.estimators.class_prior import estimate_prior

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    ShareEstimator = Callable[[Floats, Floats, NDArray[np.int64]], float]


@dataclass(frozen=True, slots=True)
class ShareRule:
    """What is said of the share of relevant pages, the prior. By default it is estimated from the unlabelled pages.

    Raises ValueError for a share that is not in (0, 1).
    """

    assumed: float | None = None
    """Share in a crawl, if the unlabelled pages are a general background without relevant pages."""
    known: float | None = None
    """Share among the unlabelled pages, if it is known."""
    estimates: ShareEstimator | None = None
    """How it is estimated, from held-out decisions: of positive pages, of unlabelled ones, and the rows of the latter.
    Default: `estimate_prior`, which takes the unlabelled pages for a draw from the web."""

    def __post_init__(self) -> None:
        for name, share in (("assumed", self.assumed), ("known", self.known)):
            if share is not None and not 0 < share < 1:
                raise ValueError(f"The {name} share of relevant pages must lie between 0 and 1. Got {share}.")

    @property
    def is_background(self) -> bool:
        """Whether the unlabelled pages hold no relevant page."""
        return self.assumed is not None

    @property
    def given(self) -> float | None:
        """The share, where nothing is to be estimated."""
        return self.assumed or self.known

    def estimated(self, positive: Floats, unlabeled: Floats, rows: NDArray[np.int64]) -> float:
        """Return the share by held-out decisions; ``rows``: of the unlabelled pages, in the counts that were given."""
        if self.estimates is None:
            return estimate_prior(positive, unlabeled).prior
        return self.estimates(positive, unlabeled, rows)
