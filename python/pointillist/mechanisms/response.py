"""Answers that nobody sees in truth: each person randomizes their own."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from .._native import mechanisms as native
from .._exact import Exact, exact
from ..errors import RequestError
from ._base import Mechanism, text_or_none, whole
from ._values import counts, is_one, whole_numbers

__all__ = ["KaryRandomizedResponse", "RandomizedResponse", "SurveyEstimate"]


@dataclass(frozen=True)
class SurveyEstimate:
    """What reports say about people: unbiased, so that it may leave the range of counts."""

    count: Fraction
    fraction: Fraction
    variance_count: Fraction
    variance_fraction: Fraction


@dataclass(frozen=True, kw_only=True, repr=False)
class RandomizedResponse(Mechanism[native.RandomizedResponse], card="randomized response"):
    """A yes or no from each person: the truth with probability 1/2 + gamma, and a lie otherwise.

    Give ``epsilon``, or ``gamma``; a gamma of 1/4 is the survey with two coins. What is hidden is each person's own
    answer, also from whoever collects it; that somebody took part is not. Neighbours: one answer is replaced.

    >>> from pointillist.mechanisms import RandomizedResponse
    >>> response = RandomizedResponse(gamma="1/4")
    >>> reports = response.release([True] * 1_000)
    >>> reports.dtype.name, reports.shape
    ('bool', (1000,))
    >>> float(response.estimate(reported_ones=600, n=1_000).count)
    700.0
    """

    epsilon: Exact | None = None
    gamma: Exact | None = None

    def __post_init__(self) -> None:
        epsilon, gamma = text_or_none(self.epsilon, "epsilon"), text_or_none(self.gamma, "gamma")
        self._hold(native.RandomizedResponse(epsilon, gamma))

    @overload
    def release(self, answer: bool) -> bool: ...
    @overload
    def release(self, answer: Iterable[bool] | NDArray[Any]) -> NDArray[np.bool_]: ...
    def release(self, answer: bool | Iterable[bool] | NDArray[Any]) -> bool | NDArray[np.bool_]:
        """One person's report, or the reports of many, each with coins of their own."""
        if isinstance(answer, (bool, np.bool_)):
            return self._inner.release(bool(answer))
        array: NDArray[Any] = np.asarray(answer)
        if array.size and (array.dtype.kind != "b" or array.ndim == 0):
            raise RequestError("answers are True or False", "give a bool, or a list or an array of them")
        released = self._inner.release_all(np.ascontiguousarray(array.ravel(), dtype=np.bool_))
        return released.reshape(array.shape)

    def estimate(self, *, reported_ones: int, n: int) -> SurveyEstimate:
        """How many of ``n`` people would truthfully say yes, when this many of them reported yes."""
        found = self._inner.estimate(whole(reported_ones, "reported_ones"), whole(n, "n"))
        return SurveyEstimate(*(Fraction(text) for text in found))

    def error_bound(self, *, n: int, beta: Exact = 0.05) -> Fraction:
        """How far the count estimated from ``n`` reports is off: farther with probability at most ``beta``."""
        return Fraction(self._inner.error_bound(whole(n, "n"), exact(beta, "beta")))


@dataclass(frozen=True, kw_only=True, repr=False)
class KaryRandomizedResponse(
    Mechanism[native.KaryRandomizedResponse], card="k-ary randomized response"
):
    """One of ``categories`` categories from each person, numbered from zero.

    What is hidden is each person's own answer, also from whoever collects it. Neighbours: one answer is replaced.

    >>> from pointillist.mechanisms import KaryRandomizedResponse
    >>> response = KaryRandomizedResponse(epsilon=2, categories=4)
    >>> 0 <= response.release(3) < 4
    True
    >>> len(response.estimate([10, 20, 30, 40]))
    4
    """

    epsilon: Exact
    categories: int

    def __post_init__(self) -> None:
        categories = whole(self.categories, "categories")
        self._hold(native.KaryRandomizedResponse(exact(self.epsilon, "epsilon"), categories))

    @overload
    def release(self, answer: int) -> int: ...
    @overload
    def release(self, answer: Iterable[int] | NDArray[Any]) -> NDArray[np.int64]: ...
    def release(self, answer: int | Iterable[int] | NDArray[Any]) -> int | NDArray[np.int64]:
        """One person's report, or the reports of many. An answer that is no category is refused."""
        if is_one(answer):
            return self._inner.release(whole(answer, "answer"))
        array = whole_numbers(answer, "answers")
        return self._inner.release_all(array.ravel()).reshape(array.shape)

    def estimate(self, reported: Iterable[int] | NDArray[Any]) -> list[Fraction]:
        """How many people are in each category, from how many reported it."""
        return [Fraction(text) for text in self._inner.estimate(counts(reported, "reported"))]

    def variance_count(self, *, n: int, frequency: Exact) -> Fraction:
        """The variance of a category's estimate among ``n`` people of whom this share is in it."""
        return Fraction(self._inner.variance_count(whole(n, "n"), exact(frequency, "frequency")))

    def error_bound(self, *, n: int, beta: Exact = 0.05) -> Fraction:
        """How far any of the estimates is off: some is farther with probability at most ``beta``."""
        return Fraction(self._inner.error_bound(whole(n, "n"), exact(beta, "beta")))
