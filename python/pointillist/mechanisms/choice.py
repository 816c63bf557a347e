"""The best of several, without telling how good it is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from numpy.typing import NDArray

from .._native import mechanisms as native
from .._exact import Exact, exact
from ._base import Mechanism, Movement, Neighbours, text_or_none, whole
from ._values import Numbers, counts, listed, numbers, whole_numbers

__all__ = [
    "ContinuousMedian",
    "Exponential",
    "ExponentialOnLine",
    "NoisyMax",
    "PermuteAndFlip",
    "Pricing",
    "TopK",
    "Tuning",
]


@dataclass(frozen=True, kw_only=True, repr=False)
class Exponential(Mechanism[native.Exponential], card="exponential"):
    """The index of a candidate with a high score; good ones are exponentially likelier.

    Neighbours: those for which no score moves by more than ``sensitivity``; with ``movement="monotone"``, which halves
    the noise, also those for which either no score falls or no score rises, as counts do when a person is added or
    removed.

    >>> from pointillist.mechanisms import Exponential
    >>> dish = Exponential(sensitivity=1, movement="monotone", epsilon=1)
    >>> dish.release([12, 450, 31]), dish.loss.rho
    (1, '0.125')
    """

    sensitivity: Exact
    movement: Movement = "general"
    epsilon: Exact

    def __post_init__(self) -> None:
        sensitivity, epsilon = exact(self.sensitivity, "sensitivity"), exact(self.epsilon, "epsilon")
        self._hold(native.Exponential(sensitivity, self.movement, epsilon))

    def release(self, scores: Numbers) -> int:
        """The index of the chosen candidate; floats are taken at their exact values."""
        return self._inner.release(numbers(scores, "scores"))

    def error_bound(self, beta: Exact = 0.05, *, candidates: int) -> Fraction:
        """How far the chosen score lies below the best, but for a probability of ``beta``."""
        return Fraction(self._inner.error_bound(whole(candidates, "candidates"), exact(beta, "beta")))


@dataclass(frozen=True, kw_only=True, repr=False)
class PermuteAndFlip(Mechanism[native.PermuteAndFlip], card="permute and flip"):
    """The index of a candidate with a high score, never worse than the exponential mechanism under a pure epsilon.

    Neighbours: those for which no score moves by more than ``sensitivity``; see :class:`Exponential` for ``movement``.

    >>> from pointillist.mechanisms import PermuteAndFlip
    >>> dish = PermuteAndFlip(sensitivity=1, epsilon=1)
    >>> dish.release([12, 450, 31])
    1
    """

    sensitivity: Exact
    movement: Movement = "general"
    epsilon: Exact

    def __post_init__(self) -> None:
        sensitivity, epsilon = exact(self.sensitivity, "sensitivity"), exact(self.epsilon, "epsilon")
        self._hold(native.PermuteAndFlip(sensitivity, self.movement, epsilon))

    def release(self, scores: Numbers) -> int:
        """The index of the chosen candidate; floats are taken at their exact values."""
        return self._inner.release(numbers(scores, "scores"))

    def error_bound(self, beta: Exact = 0.05, *, candidates: int) -> Fraction:
        """How far the chosen score lies below the best, but for a probability of ``beta``."""
        return Fraction(self._inner.error_bound(whole(candidates, "candidates"), exact(beta, "beta")))


@dataclass(frozen=True, kw_only=True, repr=False)
class NoisyMax(Mechanism[native.NoisyMax], card="report noisy max"):
    """The index of the largest of several whole-number scores with noise; the score itself is not released.

    Neighbours: those for which no score moves by more than ``sensitivity``; see :class:`Exponential` for ``movement``.

    >>> from pointillist.mechanisms import NoisyMax
    >>> dish = NoisyMax(sensitivity=1, epsilon=1)
    >>> dish.release([12, 450, 31]), dish.scale
    (1, Fraction(2, 1))
    """

    sensitivity: Exact
    movement: Movement = "general"
    epsilon: Exact

    def __post_init__(self) -> None:
        sensitivity, epsilon = exact(self.sensitivity, "sensitivity"), exact(self.epsilon, "epsilon")
        self._hold(native.NoisyMax(sensitivity, self.movement, epsilon))

    @property
    def scale(self) -> Fraction:
        """The scale of the noise on each score."""
        return Fraction(self._inner.scale())

    def release(self, scores: Iterable[int] | NDArray[Any]) -> int:
        """The index of the largest noisy score; among equals the first."""
        taken: list[int] = whole_numbers(scores, "scores").ravel().tolist()
        return self._inner.release(taken)

    def error_bound(self, beta: Exact = 0.05, *, candidates: int) -> Fraction:
        """How far the chosen score lies below the best, but for a probability of ``beta``."""
        return Fraction(self._inner.error_bound(whole(candidates, "candidates"), exact(beta, "beta")))


@dataclass(frozen=True, kw_only=True, repr=False)
class TopK(Mechanism[native.TopK], card="top k"):
    """The indices of ``k`` candidates with high scores, in the order in which they were chosen.

    Neighbours: those for which no score moves by more than ``sensitivity``; see :class:`Exponential` for ``movement``.
    Give ``epsilon``, or ``rho``, for all choices together.

    >>> from pointillist.mechanisms import TopK
    >>> dishes = TopK(k=2, sensitivity=1, epsilon=5)
    >>> sorted(dishes.release([12, 450, 31, 700]))
    [1, 3]
    """

    k: int
    sensitivity: Exact
    movement: Movement = "general"
    epsilon: Exact | None = None
    rho: Exact | None = None

    def __post_init__(self) -> None:
        self._hold(
            native.TopK(
                whole(self.k, "k"),
                exact(self.sensitivity, "sensitivity"),
                self.movement,
                text_or_none(self.epsilon, "epsilon"),
                text_or_none(self.rho, "rho"),
            )
        )

    def release(self, scores: Numbers) -> list[int]:
        """The indices of the chosen candidates; floats are taken at their exact values."""
        return self._inner.release(numbers(scores, "scores"))

    def error_bound(self, beta: Exact = 0.05, *, candidates: int) -> Fraction:
        """How far each choice lies below the candidate of its rank, but for a probability of ``beta``."""
        return Fraction(self._inner.error_bound(whole(candidates, "candidates"), exact(beta, "beta")))


@dataclass(frozen=True, kw_only=True, repr=False)
class ExponentialOnLine(Mechanism[native.ExponentialOnLine], card="exponential on a line"):
    """A multiple of ``step`` from ``lower`` up to ``upper``, likelier where a score is high.

    The score is constant between breakpoints. Neighbours: those for which it moves by at most ``sensitivity`` at every
    point; see :class:`Exponential` for ``movement``.

    >>> from pointillist.mechanisms import ExponentialOnLine
    >>> where = ExponentialOnLine(lower=0, upper=10, step=1, sensitivity=1, epsilon=1)
    >>> 3 <= where.release(breakpoints=[3, 7], scores=[0, 500, 0]) < 7
    True
    """

    lower: Exact
    upper: Exact
    step: Exact
    sensitivity: Exact
    movement: Movement = "general"
    epsilon: Exact

    def __post_init__(self) -> None:
        self._hold(
            native.ExponentialOnLine(
                exact(self.lower, "lower"),
                exact(self.upper, "upper"),
                exact(self.step, "step"),
                exact(self.sensitivity, "sensitivity"),
                self.movement,
                exact(self.epsilon, "epsilon"),
            )
        )

    def release(self, breakpoints: Numbers, scores: Numbers) -> Fraction:
        """A grid point. There is one score more than breakpoints: one for each stretch between them."""
        return Fraction(self._inner.release(numbers(breakpoints, "breakpoints"), numbers(scores, "scores")))

    def error_bound(self, beta: Exact = 0.05, *, reached_length: Exact) -> Fraction:
        """How far the score lies below one that is reached on so long a part of the line, but for ``beta``."""
        return Fraction(self._inner.error_bound(exact(reached_length, "reached_length"), exact(beta, "beta")))


@dataclass(frozen=True, kw_only=True, repr=False)
class ContinuousMedian(Mechanism[native.ContinuousMedian], card="exponential on a line"):
    """The median of one record a person, a multiple of ``step`` from ``lower`` up to ``upper``.

    Where most records are equal, use :class:`~pointillist.mechanisms.Quantile`. Neighbours: as said, one person more or
    fewer or another in their place.

    >>> from pointillist.mechanisms import ContinuousMedian
    >>> median = ContinuousMedian(lower=0, upper=100, step="0.1", epsilon=1)
    >>> 0 <= median.release([30.5, 41.2, 57]) <= 100
    True
    """

    lower: Exact
    upper: Exact
    step: Exact
    neighbours: Neighbours = "add/remove"
    epsilon: Exact

    def __post_init__(self) -> None:
        self._hold(
            native.ContinuousMedian(
                exact(self.lower, "lower"),
                exact(self.upper, "upper"),
                exact(self.step, "step"),
                self.neighbours,
                exact(self.epsilon, "epsilon"),
            )
        )

    def release(self, records: Numbers) -> Fraction:
        """A grid point near the median."""
        return Fraction(self._inner.release(numbers(records, "records")))

    def error_bound(self, beta: Exact = 0.05, *, middle_length: Exact) -> Fraction:
        """By how many records it is off, but for ``beta``, where so long a stretch holds only the middle one."""
        return Fraction(self._inner.error_bound(exact(middle_length, "middle_length"), exact(beta, "beta")))


@dataclass(frozen=True, kw_only=True, repr=False)
class Tuning(Mechanism[native.Tuning], card="tuning"):
    """The index of a model that is nearly the most accurate on private validation data.

    Only the validation data are paid for: a model that was trained on private records is another charge. Neighbours: as
    said, one validation record more or fewer or another in its place.

    >>> from pointillist.mechanisms import Tuning
    >>> Tuning(neighbours="replace one", epsilon=1).release([702, 1_911, 880])
    1
    """

    neighbours: Neighbours = "add/remove"
    epsilon: Exact

    def __post_init__(self) -> None:
        self._hold(native.Tuning(self.neighbours, exact(self.epsilon, "epsilon")))

    def release(self, correct_counts: Iterable[int] | NDArray[Any]) -> int:
        """The index of the chosen model, from how many records each model gets right."""
        return self._inner.release(counts(correct_counts, "correct_counts"))

    def error_bound(self, beta: Exact = 0.05, *, models: int) -> Fraction:
        """On how many records fewer than the best of so many models it is right, but for ``beta``."""
        return Fraction(self._inner.error_bound(whole(models, "models"), exact(beta, "beta")))


@dataclass(frozen=True, kw_only=True, repr=False)
class Pricing(Mechanism[native.Pricing], card="pricing"):
    """A price of a public list that brings nearly the highest revenue from private bids.

    Neighbours: one bid a bidder; a bidder more or fewer, or another bid.

    >>> from pointillist.mechanisms import Pricing
    >>> Pricing(prices=("1.00", "3.01"), epsilon=5).release(["1.00"] * 30 + ["3.01"] * 90)
    Fraction(301, 100)
    """

    prices: tuple[Exact, ...]
    epsilon: Exact

    def __post_init__(self) -> None:
        object.__setattr__(self, "prices", tuple(listed(self.prices, "prices")))
        prices = [exact(price, "a price") for price in self.prices]
        self._hold(native.Pricing(prices, exact(self.epsilon, "epsilon")))

    def release(self, bids: Numbers) -> Fraction:
        """The chosen price, from any number of bids of any size."""
        return Fraction(self._inner.release(numbers(bids, "bids")))

    def error_bound(self, beta: Exact = 0.05) -> Fraction:
        """How far the revenue lies below the best of the list, but for a probability of ``beta``."""
        return Fraction(self._inner.error_bound(exact(beta, "beta")))
