"""SciPy's L-BFGS, with a break after each time that the function was computed."""

from __future__ import annotations

from queue import SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

Floats = npt.NDArray[np.float64]


class _Abandoned(Exception):
    """Nobody asks for the result any more."""


def descend(
    loss: Callable[[Floats], tuple[float, Floats]], start: Floats, *, max_iterations: int, tolerance: float = 1e-5
) -> Generator[None, None, tuple[Floats, int]]:
    """Minimise a smooth function; yields after each time that it was computed.

    SciPy runs to its end once it is called. So it is called in a thread that is at work only while this one waits for its
    next question: the function is computed here, and the result does not depend on who is how fast.

    Parameters
    ----------
    loss : function
        Of a point: value and gradient.
    start : ndarray of shape (n,)
    max_iterations : int
    tolerance : float
        It ends where an iteration gains less than this part of the value.

    Returns
    -------
    point : ndarray of shape (n,)
    n_iterations : int
    """
    questions: SimpleQueue[Any] = SimpleQueue()
    answers: SimpleQueue[tuple[float, Floats] | None] = SimpleQueue()

    def ask(point: Floats) -> tuple[float, Floats]:
        questions.put(point.copy())
        answer = answers.get()
        if answer is None:
            raise _Abandoned
        return answer

    def work() -> None:
        options = {"maxiter": max_iterations, "maxcor": 10, "ftol": tolerance}
        try:
            questions.put(minimize(ask, start, jac=True, method="L-BFGS-B", options=options))
        except _Abandoned:
            pass
        except BaseException as error:  # noqa: BLE001  it is raised where somebody can see it
            questions.put(error)

    Thread(target=work, name="descent", daemon=True).start()
    try:
        while True:
            question = questions.get()
            if isinstance(question, BaseException):
                raise question
            if not isinstance(question, np.ndarray):
                return question.x, int(question.nit)
            answers.put(loss(question))
            yield
    finally:
        answers.put(None)
