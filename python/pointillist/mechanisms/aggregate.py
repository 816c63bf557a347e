"""Counts, sums, means, variances and histograms of bounded data."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Generic, Literal, TypeVar

from numpy.typing import NDArray

from .._native import mechanisms as native
from .._exact import Exact, exact
from ..errors import RequestError
from ._base import Mechanism, Neighbours, text_or_none, whole
from ._values import Numbers, PeopleNumbers, counts, keys_by_person, listed, numbers, people, whole_numbers

__all__ = [
    "BoundedSum",
    "Count",
    "Histogram",
    "Mean",
    "MeanOfKnownCount",
    "MeanRelease",
    "Variance",
    "VarianceRelease",
]

K = TypeVar("K", bound=Hashable)


@dataclass(frozen=True, kw_only=True, repr=False)
class Count(Mechanism[native.Count], card="count"):
    """How many rows or people there are, with at most ``max_contributions`` rows a person.

    Neighbours: one person more or fewer, or another in their place. Give ``epsilon``, or ``rho``.

    >>> from pointillist.mechanisms import Count
    >>> count = Count(max_contributions=3, epsilon=1)
    >>> type(count.release([1, 2, 50])).__name__, type(count.release_bounded(6)).__name__
    ('int', 'int')
    >>> count.error_bound()
    9
    """

    max_contributions: int = 1
    epsilon: Exact | None = None
    rho: Exact | None = None

    def __post_init__(self) -> None:
        self._hold(
            native.Count(
                whole(self.max_contributions, "max_contributions"),
                text_or_none(self.epsilon, "epsilon"),
                text_or_none(self.rho, "rho"),
            )
        )

    def release(self, rows_per_person: Iterable[int] | NDArray[Any]) -> int:
        """The noisy number of rows, from how many rows each person has; no more than the bound of each count."""
        return self._inner.release(counts(rows_per_person, "rows_per_person"))

    def release_bounded(self, count: int) -> int:
        """The noisy count, of a count that was taken after bounding each person."""
        return self._inner.release_bounded(whole(count, "count"))

    def error_bound(self, beta: Exact = 0.05) -> int:
        """The noise stays within this with probability at least ``1 - beta``."""
        return self._inner.error_bound(exact(beta, "beta"))


@dataclass(frozen=True, kw_only=True, repr=False)
class BoundedSum(Mechanism[native.BoundedSum], card="bounded sum"):
    """The sum of a column between ``lower`` and ``upper``, in multiples of ``step``.

    Values are rounded to the grid and clamped, and so is each person's total. ``origin`` says from where values are
    counted: ``"zero"`` (their sum), ``"lower"`` or ``"centre"`` (the sum of their distances). Neighbours: as said, one
    person more or fewer or another in their place. Give ``epsilon``, or ``rho``.

    >>> from pointillist.mechanisms import BoundedSum
    >>> total = BoundedSum(lower=0, upper=100, max_contributions=2, epsilon=1)
    >>> total.release([[10, 20], [95.5]]).denominator, total.error_bound()
    (1, Fraction(599, 1))
    """

    lower: Exact
    upper: Exact
    step: Exact = 1
    origin: Literal["zero", "lower", "centre"] = "zero"
    max_contributions: int = 1
    neighbours: Neighbours = "add/remove"
    epsilon: Exact | None = None
    rho: Exact | None = None

    def __post_init__(self) -> None:
        self._hold(
            native.BoundedSum(
                exact(self.lower, "lower"),
                exact(self.upper, "upper"),
                exact(self.step, "step"),
                self.origin,
                whole(self.max_contributions, "max_contributions"),
                self.neighbours,
                text_or_none(self.epsilon, "epsilon"),
                text_or_none(self.rho, "rho"),
            )
        )

    def release(self, values: PeopleNumbers) -> Fraction:
        """The noisy sum, of one value a person or of one list of values a person."""
        return Fraction(self._inner.release(*people(values, "values")))

    def error_bound(self, beta: Exact = 0.05) -> Fraction:
        """The noise stays within this with probability at least ``1 - beta``; clamping comes on top."""
        return Fraction(self._inner.error_bound(exact(beta, "beta")))


@dataclass(frozen=True)
class MeanRelease:
    """A released mean, and the two noisy numbers that it follows from."""

    mean: Fraction
    centred_sum: int
    count: int
    _mechanism: native.Mean = field(repr=False, compare=False)

    def interval(self, beta: Exact = 0.05) -> tuple[Fraction, Fraction]:
        """The mean of the bounded rows lies in here with probability at least ``1 - beta``."""
        low, high = self._mechanism.interval(self.centred_sum, self.count, exact(beta, "beta"))
        return Fraction(low), Fraction(high)

    def __float__(self) -> float:
        return float(self.mean)


@dataclass(frozen=True, kw_only=True, repr=False)
class Mean(Mechanism[native.Mean], card="mean"):
    """The mean of a column between ``lower`` and ``upper``, whose number of rows is private too.

    A centred sum and a count share the price, in the proportions of ``sum_to_count``. Neighbours: one person more or
    fewer. Give ``epsilon``, or ``rho``.

    >>> from pointillist.mechanisms import Mean
    >>> age = Mean(lower=0, upper=120, epsilon=1)
    >>> released = age.release([30, 41, 57] * 1_000)
    >>> low, high = released.interval()
    >>> low <= released.mean <= high
    True
    """

    lower: Exact
    upper: Exact
    step: Exact = 1
    max_contributions: int = 1
    sum_to_count: tuple[int, int] = (1, 1)
    epsilon: Exact | None = None
    rho: Exact | None = None

    def __post_init__(self) -> None:
        sum_share, count_share = self.sum_to_count
        self._hold(
            native.Mean(
                exact(self.lower, "lower"),
                exact(self.upper, "upper"),
                exact(self.step, "step"),
                whole(self.max_contributions, "max_contributions"),
                (whole(sum_share, "sum_to_count"), whole(count_share, "sum_to_count")),
                text_or_none(self.epsilon, "epsilon"),
                text_or_none(self.rho, "rho"),
            )
        )

    def release(self, values: PeopleNumbers) -> MeanRelease:
        """The noisy mean, of one value a person or of one list of values a person."""
        centred_sum, count, mean = self._inner.release(*people(values, "values"))
        return MeanRelease(Fraction(mean), centred_sum, count, self._inner)


@dataclass(frozen=True, kw_only=True, repr=False)
class MeanOfKnownCount(Mechanism[native.MeanOfKnownCount], card="mean"):
    """The mean of exactly ``count`` rows, each of another person; their number is public.

    Neighbours: one person's row is replaced. Give ``epsilon``, or ``rho``.

    >>> from pointillist.mechanisms import MeanOfKnownCount
    >>> age = MeanOfKnownCount(lower=0, upper=120, count=3, epsilon=1)
    >>> 0 <= age.release([30, 41, 57]) <= 120
    True
    """

    lower: Exact
    upper: Exact
    step: Exact = 1
    count: int
    epsilon: Exact | None = None
    rho: Exact | None = None

    def __post_init__(self) -> None:
        self._hold(
            native.MeanOfKnownCount(
                exact(self.lower, "lower"),
                exact(self.upper, "upper"),
                exact(self.step, "step"),
                whole(self.count, "count"),
                text_or_none(self.epsilon, "epsilon"),
                text_or_none(self.rho, "rho"),
            )
        )

    def release(self, values: Numbers) -> Fraction:
        """The noisy mean; another number of values than ``count`` is refused."""
        return Fraction(self._inner.release(numbers(values, "values")))

    def error_bound(self, beta: Exact = 0.05) -> Fraction:
        """The released mean stays within this with probability at least ``1 - beta``."""
        return Fraction(self._inner.error_bound(exact(beta, "beta")))


@dataclass(frozen=True)
class VarianceRelease:
    """A released variance, and the three noisy numbers that it follows from."""

    population: Fraction
    sample: Fraction
    standard_deviation: Fraction
    sample_standard_deviation: Fraction
    centred_sum: int
    centred_squares: int
    count: int
    _mechanism: native.Variance = field(repr=False, compare=False)

    def interval(self, beta: Exact = 0.05) -> tuple[Fraction, Fraction]:
        """The population variance of the bounded rows lies in here with probability at least ``1 - beta``."""
        released = (self.centred_sum, self.centred_squares, self.count)
        low, high = self._mechanism.interval(released, exact(beta, "beta"))
        return Fraction(low), Fraction(high)


@dataclass(frozen=True, kw_only=True, repr=False)
class Variance(Mechanism[native.Variance], card="variance"):
    """Variance and standard deviation of a column between ``lower`` and ``upper``.

    Neighbours: one person more or fewer. Give ``epsilon``, or ``rho``.

    >>> from pointillist.mechanisms import Variance
    >>> spread = Variance(lower=0, upper=120, epsilon=1)
    >>> released = spread.release([30, 41, 57] * 1_000)
    >>> low, high = released.interval()
    >>> low <= released.population <= high
    True
    """

    lower: Exact
    upper: Exact
    step: Exact = 1
    max_contributions: int = 1
    epsilon: Exact | None = None
    rho: Exact | None = None

    def __post_init__(self) -> None:
        self._hold(
            native.Variance(
                exact(self.lower, "lower"),
                exact(self.upper, "upper"),
                exact(self.step, "step"),
                whole(self.max_contributions, "max_contributions"),
                text_or_none(self.epsilon, "epsilon"),
                text_or_none(self.rho, "rho"),
            )
        )

    def release(self, values: PeopleNumbers) -> VarianceRelease:
        """The noisy variance, of one value a person or of one list of values a person."""
        released = self._inner.release(*people(values, "values"))
        population, sample, deviation, sample_deviation = map(Fraction, self._inner.figures(released))
        return VarianceRelease(population, sample, deviation, sample_deviation, *released, self._inner)


@dataclass(frozen=True, kw_only=True, repr=False)
class Histogram(Mechanism[native.Histogram], Generic[K], card="histogram over public keys"):
    """A count for every key of a public list, also for those that nobody has; other keys are left out.

    A person counts in at most ``max_groups`` keys, drawn at random, with at most ``max_contributions`` rows in each.
    Neighbours: as said, one person more or fewer or another in their place. Give ``epsilon``, or ``rho``. Keys are
    anything that can be hashed, but for tuples, lists and sets, which are one person's keys.

    >>> from pointillist.mechanisms import Histogram
    >>> regions = Histogram(keys=("east", "north", "west"), epsilon=1)
    >>> list(regions.release(["north", "north", "elsewhere"]))
    ['east', 'north', 'west']
    >>> regions.error_bound()
    4
    """

    keys: tuple[K, ...]
    max_groups: int = 1
    max_contributions: int = 1
    neighbours: Neighbours = "add/remove"
    epsilon: Exact | None = None
    rho: Exact | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "keys", tuple(listed(self.keys, "keys")))
        try:
            places = {key: place for place, key in enumerate(self.keys)}
        except TypeError:
            raise RequestError("a key cannot be hashed", "give texts or numbers as keys") from None
        if len(places) < len(self.keys):
            raise RequestError("a key is declared twice", "name every key of the histogram once")
        object.__setattr__(self, "_places", places)
        self._hold(
            native.Histogram(
                len(self.keys),
                whole(self.max_groups, "max_groups"),
                whole(self.max_contributions, "max_contributions"),
                self.neighbours,
                text_or_none(self.epsilon, "epsilon"),
                text_or_none(self.rho, "rho"),
            )
        )

    def release(self, people: Iterable[K] | Iterable[Iterable[K]] | NDArray[Any]) -> dict[K, int]:
        """The noisy count of every key, from one key a person or from one list of keys a person."""
        places: dict[Any, int] = getattr(self, "_places")
        keys, lengths = keys_by_person(people, "people")
        # A key that nobody declared is a place that nothing is counted at.
        numbered = [places.get(key, -1) for key in keys]
        return dict(zip(self.keys, self._inner.release(numbered, lengths), strict=True))

    def release_bounded(self, counts: Iterable[int] | NDArray[Any]) -> dict[K, int]:
        """The noisy counts, of one count for each key in their order, taken after bounding each person."""
        taken: list[int] = whole_numbers(counts, "counts").ravel().tolist()
        return dict(zip(self.keys, self._inner.release_bounded(taken), strict=True))

    def error_bound(self, beta: Exact = 0.05) -> int:
        """All counts at once stay within this with probability at least ``1 - beta``."""
        return self._inner.error_bound(exact(beta, "beta"))
