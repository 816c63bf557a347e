"""The first few of a stream that stand out."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import NoReturn

from .._native import mechanisms as native
from .._exact import Exact, exact
from ..errors import EnvironmentFailure
from ._base import Mechanism, Movement, whole

__all__ = ["AboveThreshold", "AboveThresholdSession", "NumericSparse", "NumericSparseSession"]


class _Uncopied:
    """A copy would give answers that nobody paid for; so would a forked process."""

    def _own(self) -> None:
        if self._process != os.getpid():
            raise EnvironmentFailure(
                "this session was begun in another process", "begin one here, and pay for it", kind="environment"
            )

    def __init__(self) -> None:
        self._process = os.getpid()

    def __reduce__(self) -> NoReturn:
        raise TypeError("a session cannot be copied: a copy would give answers that nobody paid for")


class AboveThresholdSession(_Uncopied):
    """Answers under one noisy threshold, until ``tops_left`` is zero."""

    def __init__(self, inner: native.AboveThresholdSession) -> None:
        super().__init__()
        self._inner = inner

    @property
    def tops_left(self) -> int:
        """How many answers of *above* are left; at zero the session is over."""
        return self._inner.tops_left()

    def ask(self, value: int, threshold: int) -> bool:
        """Whether the value is above the threshold, which must not depend on the data."""
        self._own()
        return self._inner.ask(whole(value, "value"), whole(threshold, "threshold"))

    def __repr__(self) -> str:
        return f"<AboveThresholdSession: {self.tops_left} answers of above left>"


class NumericSparseSession(_Uncopied):
    """Answers with values under one noisy threshold, until ``tops_left`` is zero."""

    def __init__(self, inner: native.NumericSparseSession) -> None:
        super().__init__()
        self._inner = inner

    @property
    def tops_left(self) -> int:
        """How many answers of *above* are left; at zero the session is over."""
        return self._inner.tops_left()

    def ask(self, value: int, threshold: int) -> int | None:
        """A noisy value if it is above the threshold, else nothing. The threshold must not depend on the data."""
        self._own()
        return self._inner.ask(whole(value, "value"), whole(threshold, "threshold"))

    def __repr__(self) -> str:
        return f"<NumericSparseSession: {self.tops_left} answers of above left>"


@dataclass(frozen=True, kw_only=True, repr=False)
class AboveThreshold(Mechanism[native.AboveThreshold], card="above threshold"):
    """Whether whole-number queries are above their thresholds, until ``tops_max`` of them are.

    The loss is that of a whole session, whatever is asked in it. Neighbours: those between which no query moves by more
    than ``sensitivity``; see :class:`~pointillist.mechanisms.Exponential` for ``movement``. Thresholds are public.

    >>> from pointillist.mechanisms import AboveThreshold
    >>> visits = AboveThreshold(sensitivity=1, movement="monotone", epsilon=1)
    >>> visits.release([212, 405, 9_500, 431], threshold=1_000)
    [False, False, True]
    """

    sensitivity: Exact
    movement: Movement = "general"
    tops_max: int = 1
    epsilon: Exact

    def __post_init__(self) -> None:
        self._hold(
            native.AboveThreshold(
                exact(self.sensitivity, "sensitivity"),
                self.movement,
                whole(self.tops_max, "tops_max"),
                exact(self.epsilon, "epsilon"),
            )
        )

    def start(self) -> AboveThresholdSession:
        """Begins a session. Every session costs the whole loss."""
        return AboveThresholdSession(self._inner.start())

    def release(self, values: Iterable[int], threshold: int) -> list[bool]:
        """One session: the answers to these queries, up to the last answer of *above* that is paid for."""
        session, answers = self.start(), list[bool]()
        for value in values:
            if session.tops_left == 0:
                break
            answers.append(session.ask(value, threshold))
        return answers

    def error_bound(self, beta: Exact = 0.05, *, queries: int) -> Fraction:
        """How far from its threshold a query is still answered wrongly, among so many and but for ``beta``."""
        return Fraction(self._inner.error_bound(whole(queries, "queries"), exact(beta, "beta")))


@dataclass(frozen=True, kw_only=True, repr=False)
class NumericSparse(Mechanism[native.NumericSparse], card="numeric sparse"):
    """The noisy values of those whole-number queries that are above their thresholds, until there are ``tops_max``.

    The loss is that of a whole session, whatever is asked in it. Neighbours: as for :class:`AboveThreshold`.

    >>> from pointillist.mechanisms import NumericSparse
    >>> visits = NumericSparse(sensitivity=1, movement="monotone", epsilon=1)
    >>> [answer is not None for answer in visits.release([212, 405, 9_500, 431], threshold=1_000)]
    [False, False, True]
    """

    sensitivity: Exact
    movement: Movement = "general"
    tops_max: int = 1
    epsilon: Exact

    def __post_init__(self) -> None:
        self._hold(
            native.NumericSparse(
                exact(self.sensitivity, "sensitivity"),
                self.movement,
                whole(self.tops_max, "tops_max"),
                exact(self.epsilon, "epsilon"),
            )
        )

    def start(self) -> NumericSparseSession:
        """Begins a session. Every session costs the whole loss."""
        return NumericSparseSession(self._inner.start())

    def release(self, values: Iterable[int], threshold: int) -> list[int | None]:
        """One session: the answers to these queries, up to the last value that is paid for."""
        session, answers = self.start(), list[int | None]()
        for value in values:
            if session.tops_left == 0:
                break
            answers.append(session.ask(value, threshold))
        return answers

    def error_bound(self, beta: Exact = 0.05) -> Fraction:
        """How far any released value of a session is off, but for a probability of ``beta``."""
        return Fraction(self._inner.error_bound(exact(beta, "beta")))

    def finding_error_bound(self, beta: Exact = 0.05, *, queries: int) -> Fraction:
        """How far from its threshold a query is still answered wrongly, among so many and but for ``beta``."""
        return Fraction(self._inner.finding_error_bound(whole(queries, "queries"), exact(beta, "beta")))
