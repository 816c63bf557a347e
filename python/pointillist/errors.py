"""What can go wrong, in the words that every door of Pointillist has.

Every error has a ``message``, a ``hint`` that says what to do next, and a ``kind``; ``sqlstate`` and ``exit_code``
are what the wire and the command line say for it. None of them ever speaks of a private row.

>>> import pointillist
>>> try:
...     pointillist.noise.discrete_laplace(scale=-1)
... except pointillist.errors.RequestError as error:
...     print(error.kind, error.exit_code)
parameter 2
"""

from __future__ import annotations

__all__ = [
    "PointillistError",
    "RequestError",
    "RefusedError",
    "BudgetError",
    "EnvironmentFailure",
    "of_kind",
]


class PointillistError(Exception):
    """Something that Pointillist does not do, and why."""

    message: str
    hint: str | None
    kind: str
    sqlstate: str | None
    exit_code: int
    #: That of errors of this class, where nothing else is said.
    _code = 1

    def __init__(
        self,
        message: str,
        hint: str | None = None,
        kind: str = "request",
        sqlstate: str | None = None,
        exit_code: int | None = None,
    ) -> None:
        self.message = message
        self.hint = hint
        self.kind = kind
        self.sqlstate = sqlstate
        self.exit_code = self._code if exit_code is None else exit_code
        super().__init__(message if hint is None else f"{message}\nhint: {hint}")

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.message, self.hint, self.kind, self.sqlstate, self.exit_code)


class RequestError(PointillistError, ValueError):
    """The request is wrong, and its caller can mend it. Nothing was paid."""

    _code = 2


class RefusedError(PointillistError):
    """Refused for privacy or for the budget."""

    _code = 3


class BudgetError(RefusedError):
    """The budget does not hold the price."""


class EnvironmentFailure(PointillistError, RuntimeError):
    """Something outside of the request failed: a file, the ledger, the network."""


#: Kinds that are about money.
_BUDGET = frozenset({"budget", "no_share", "budget_changed"})


def of_kind(
    kind: str, message: str, hint: str | None = None, sqlstate: str | None = None, exit_code: int = 1
) -> PointillistError:
    """The exception for an error of this kind: the exit code says whose turn it is."""
    if kind in _BUDGET:
        made: type[PointillistError] = BudgetError
    else:
        made = {2: RequestError, 3: RefusedError}.get(exit_code, EnvironmentFailure)
    return made(message, hint, kind, sqlstate, exit_code)
