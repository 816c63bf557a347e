"""Medians and other quantiles of bounded data."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

from .._native import mechanisms as native
from .._exact import Exact, exact
from ._base import Mechanism, Neighbours, text_or_none, whole
from ._values import Numbers, PeopleNumbers, listed, numbers, people

__all__ = ["Quantile", "QuantileHistogram", "QuantileHistogramRelease", "Quantiles", "WeightedQuantile"]


@dataclass(frozen=True, kw_only=True, repr=False)
class Quantile(Mechanism[native.Quantile], card="quantile"):
    """The quantile ``q`` of a column between ``lower`` and ``upper``, a multiple of ``step``; 0.5 is the median.

    The rows are at most ``max_contributions`` a person, which the caller sees to. Neighbours: as said, one person more
    or fewer or another in their place. Give ``epsilon``, or ``rho``.

    >>> from pointillist.mechanisms import Quantile
    >>> median = Quantile(lower=0, upper=120, q=0.5, epsilon=1)
    >>> 0 <= median.release([30, 41, 57]) <= 120
    True
    >>> float(round(median.error_bound(), 2))
    7.79
    """

    lower: Exact
    upper: Exact
    step: Exact = 1
    q: Exact
    max_contributions: int = 1
    neighbours: Neighbours = "add/remove"
    epsilon: Exact | None = None
    rho: Exact | None = None

    def __post_init__(self) -> None:
        self._hold(
            native.Quantile(
                exact(self.lower, "lower"),
                exact(self.upper, "upper"),
                exact(self.step, "step"),
                exact(self.q, "q"),
                whole(self.max_contributions, "max_contributions"),
                self.neighbours,
                text_or_none(self.epsilon, "epsilon"),
                text_or_none(self.rho, "rho"),
            )
        )

    def release(self, values: Numbers) -> Fraction:
        """A point of the grid near the quantile."""
        return Fraction(self._inner.release(numbers(values, "values")))

    def error_bound(self, beta: Exact = 0.05) -> Fraction:
        """By how many rows the rank is off at most, with probability at least ``1 - beta``."""
        return Fraction(self._inner.error_bound(exact(beta, "beta")))


@dataclass(frozen=True, kw_only=True, repr=False)
class Quantiles(Mechanism[native.Quantiles], card="quantiles"):
    """Several quantiles at once, in rising order, of a column between ``lower`` and ``upper``.

    The rows are at most ``max_contributions`` a person, which the caller sees to. Neighbours: as said, one person more
    or fewer or another in their place. Give ``epsilon``, or ``rho``.

    >>> from pointillist.mechanisms import Quantiles
    >>> quartiles = Quantiles(lower=0, upper=120, quantiles=(0.25, 0.5, 0.75), epsilon=3)
    >>> low, middle, high = quartiles.release(range(120))
    >>> low <= middle <= high
    True
    """

    lower: Exact
    upper: Exact
    step: Exact = 1
    quantiles: tuple[Exact, ...]
    max_contributions: int = 1
    neighbours: Neighbours = "add/remove"
    epsilon: Exact | None = None
    rho: Exact | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "quantiles", tuple(listed(self.quantiles, "quantiles")))
        self._hold(
            native.Quantiles(
                exact(self.lower, "lower"),
                exact(self.upper, "upper"),
                exact(self.step, "step"),
                [exact(q, "a quantile") for q in self.quantiles],
                whole(self.max_contributions, "max_contributions"),
                self.neighbours,
                text_or_none(self.epsilon, "epsilon"),
                text_or_none(self.rho, "rho"),
            )
        )

    def release(self, values: Numbers) -> list[Fraction]:
        """Points of the grid near the quantiles, never falling."""
        return [Fraction(text) for text in self._inner.release(numbers(values, "values"))]

    def error_bound(self, beta: Exact = 0.05) -> Fraction:
        """By how many rows any rank is off at most, with probability at least ``1 - beta``."""
        return Fraction(self._inner.error_bound(exact(beta, "beta")))


@dataclass(frozen=True)
class QuantileHistogramRelease:
    """Released counts of bins; any quantile from them is free."""

    counts: tuple[int, ...]
    _mechanism: native.QuantileHistogram = field(repr=False, compare=False)

    def quantile(self, q: Exact) -> Fraction:
        """The middle of the bin that balances ``q`` best."""
        return Fraction(self._mechanism.quantile(list(self.counts), exact(q, "q")))


@dataclass(frozen=True, kw_only=True, repr=False)
class QuantileHistogram(Mechanism[native.QuantileHistogram], card="quantiles from a histogram"):
    """Noisy counts of ``bins`` bins between ``lower`` and ``upper``, and any number of quantiles from them.

    Each row is another person. Neighbours: as said, one person more or fewer or another in their place. Give
    ``epsilon``, or ``rho``.

    >>> from pointillist.mechanisms import QuantileHistogram
    >>> ages = QuantileHistogram(lower=0, upper=119, bins=12, epsilon=5)
    >>> released = ages.release(list(range(120)) * 100)
    >>> len(released.counts), 40 <= released.quantile(0.5) <= 80
    (12, True)
    """

    lower: Exact
    upper: Exact
    step: Exact = 1
    bins: int
    neighbours: Neighbours = "add/remove"
    epsilon: Exact | None = None
    rho: Exact | None = None

    def __post_init__(self) -> None:
        self._hold(
            native.QuantileHistogram(
                exact(self.lower, "lower"),
                exact(self.upper, "upper"),
                exact(self.step, "step"),
                whole(self.bins, "bins"),
                self.neighbours,
                text_or_none(self.epsilon, "epsilon"),
                text_or_none(self.rho, "rho"),
            )
        )

    def release(self, values: Numbers) -> QuantileHistogramRelease:
        """The noisy counts of all bins."""
        return QuantileHistogramRelease(tuple(self._inner.release(numbers(values, "values"))), self._inner)

    def error_bound(self, beta: Exact = 0.05) -> int:
        """The noise in every sum of the first bins stays within this with probability at least ``1 - beta``."""
        return self._inner.error_bound(exact(beta, "beta"))


@dataclass(frozen=True, kw_only=True, repr=False)
class WeightedQuantile(Mechanism[native.WeightedQuantile], card="weighted quantile"):
    """A quantile, or about the least or the greatest value, of people with many rows, in many groups.

    ``rank`` is a quantile such as 0.5, or ``"least"`` or ``"greatest"``. A person's rows in a group weigh no more than
    ``rows_max`` of them; one payment covers a release for every group, of which a person is in at most ``groups_max``.
    Neighbours: one person more or fewer, with everything they contributed. Give ``epsilon``, or ``rho``.

    >>> from pointillist.mechanisms import WeightedQuantile
    >>> median = WeightedQuantile(lower=0, upper=120, rank=0.5, rows_max=2, epsilon=1)
    >>> 0 <= median.release([[30, 41, 57], [62]]) <= 120
    True
    """

    lower: Exact
    upper: Exact
    step: Exact = 1
    rank: Exact | Literal["least", "greatest"]
    rows_max: int = 1
    groups_max: int = 1
    epsilon: Exact | None = None
    rho: Exact | None = None

    def __post_init__(self) -> None:
        self._hold(
            native.WeightedQuantile(
                exact(self.lower, "lower"),
                exact(self.upper, "upper"),
                exact(self.step, "step"),
                exact(self.rank, "rank"),
                whole(self.rows_max, "rows_max"),
                whole(self.groups_max, "groups_max"),
                text_or_none(self.epsilon, "epsilon"),
                text_or_none(self.rho, "rho"),
            )
        )

    @property
    def from_end(self) -> int | None:
        """Of a least or greatest value, about the how-many-th it is; nothing for a quantile."""
        return self._inner.from_end()

    def release(self, values: PeopleNumbers) -> Fraction:
        """A point of the grid for one group, from one value a person or one list of values a person."""
        return Fraction(self._inner.release(*people(values, "values")))

    def error_bound(self, beta: Exact = 0.05) -> Fraction:
        """By how many rows the rank is off at most, with probability at least ``1 - beta``."""
        return Fraction(self._inner.error_bound(exact(beta, "beta")))
