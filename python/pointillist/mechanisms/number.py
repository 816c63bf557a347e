"""A number, or many, with exact noise."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from .._native import mechanisms as native
from .._exact import Exact, exact
from ._base import Mechanism, text_or_none, whole
from ._values import Numbers, numbers, is_one, whole_numbers

__all__ = ["DiscreteGaussian", "Gaussian", "Geometric", "Laplace"]


@dataclass(frozen=True, kw_only=True, repr=False)
class Geometric(Mechanism[native.Geometric], card="geometric"):
    """Integer answers with discrete Laplace noise of scale ``sensitivity_l1 / epsilon``: counts and integer sums.

    Neighbours: whichever ``sensitivity_l1`` was computed for; all answers of one release together move by at most
    that much in sum. That it is true is the caller's to know.

    >>> from pointillist.mechanisms import Geometric
    >>> count = Geometric(sensitivity_l1=1, epsilon=0.5)
    >>> type(count.release(1_000)).__name__, count.release([3, 5, 8]).shape
    ('int', (3,))
    >>> count.loss.epsilon, count.error_bound(beta=0.05)
    ('0.5', 7)
    """

    sensitivity_l1: Exact
    epsilon: Exact

    def __post_init__(self) -> None:
        sensitivity, epsilon = exact(self.sensitivity_l1, "sensitivity_l1"), exact(self.epsilon, "epsilon")
        self._hold(native.Geometric(sensitivity, epsilon))

    @property
    def scale(self) -> Fraction:
        """The scale of the noise."""
        return Fraction(self._inner.scale())

    @overload
    def release(self, answer: int) -> int: ...
    @overload
    def release(self, answer: Iterable[int] | NDArray[Any]) -> NDArray[np.int64]: ...
    def release(self, answer: int | Iterable[int] | NDArray[Any]) -> int | NDArray[np.int64]:
        """One answer, or many that one person moves by at most ``sensitivity_l1`` in sum.

        In an array, answers beyond 64 bits become the ends of the range, after the noise.
        """
        if is_one(answer):
            return self._inner.release(whole(answer, "answer"))
        array = whole_numbers(answer, "answers")
        return self._inner.release_all(array.ravel()).reshape(array.shape)

    def error_bound(self, beta: Exact = 0.05, *, count: int = 1) -> int:
        """The least integer that the error of some of ``count`` answers reaches with probability at most ``beta``."""
        return self._inner.error_bound(whole(count, "count"), exact(beta, "beta"))


@dataclass(frozen=True, kw_only=True, repr=False)
class Laplace(Mechanism[native.Laplace], card="Laplace"):
    """Real answers with Laplace noise, on multiples of a public ``step``.

    ``coordinates_per_unit_max`` says how many answers of one release a person can move: one for a single answer, the
    number of answers when in doubt. Neighbours: whichever ``sensitivity_l1`` was computed for.

    >>> from pointillist.mechanisms import Laplace
    >>> mean = Laplace(sensitivity_l1="0.01", epsilon=1, step="0.001")
    >>> released = mean.release("0.5")
    >>> type(released).__name__, (released * 1_000).denominator
    ('Fraction', 1)
    >>> mean.release([0.25, 0.75]).dtype.name
    'float64'
    """

    sensitivity_l1: Exact
    epsilon: Exact
    step: Exact
    coordinates_per_unit_max: int = 1

    def __post_init__(self) -> None:
        self._hold(
            native.Laplace(
                exact(self.sensitivity_l1, "sensitivity_l1"),
                whole(self.coordinates_per_unit_max, "coordinates_per_unit_max"),
                exact(self.epsilon, "epsilon"),
                exact(self.step, "step"),
            )
        )

    @property
    def scale(self) -> Fraction:
        """The scale of the noise, the rounding to the grid included."""
        return Fraction(self._inner.scale())

    @overload
    def release(self, answer: Exact) -> Fraction: ...
    @overload
    def release(self, answer: Iterable[int | float | Decimal | Fraction] | NDArray[Any]) -> NDArray[np.float64]: ...
    def release(self, answer: Exact | Numbers) -> Fraction | NDArray[np.float64]:
        """One answer as an exact multiple of the step, or many as the floats nearest to theirs.

        A single float is taken as the decimal that Python prints for it, floats in arrays at their exact values.
        """
        if is_one(answer):
            return Fraction(self._inner.release(exact(answer, "answer")))
        return self._inner.release_all(numbers(answer, "answers"))

    def error_bound(self, beta: Exact = 0.05, *, count: int = 1) -> Fraction:
        """How far any of ``count`` answers is off: this far or farther with probability at most ``beta``."""
        return Fraction(self._inner.error_bound(whole(count, "count"), exact(beta, "beta")))


@dataclass(frozen=True, kw_only=True, repr=False)
class Gaussian(Mechanism[native.Gaussian], card="Gaussian"):
    """Integer answers with normal noise, rounded to integers: the smallest noise for (epsilon, delta), or for rho.

    ``classical=True`` is the textbook's larger noise, for comparison, up to an epsilon of one. Neighbours: whichever
    ``sensitivity_l2`` was computed for, a Euclidean distance over all answers of one release.

    >>> from pointillist.mechanisms import Gaussian
    >>> noise = Gaussian(sensitivity_l2=1, epsilon=1, delta=1e-5)
    >>> round(float(noise.sigma), 4), noise.release([10, 20]).dtype.name
    (3.7306, 'int64')
    """

    sensitivity_l2: Exact
    epsilon: Exact | None = None
    delta: Exact | None = None
    rho: Exact | None = None
    classical: bool = False

    def __post_init__(self) -> None:
        self._hold(
            native.Gaussian(
                exact(self.sensitivity_l2, "sensitivity_l2"),
                text_or_none(self.epsilon, "epsilon"),
                text_or_none(self.delta, "delta"),
                text_or_none(self.rho, "rho"),
                self.classical,
            )
        )

    @property
    def sigma(self) -> Fraction:
        """The standard deviation before rounding."""
        return Fraction(self._inner.sigma())

    @overload
    def release(self, answer: int) -> int: ...
    @overload
    def release(self, answer: Iterable[int] | NDArray[Any]) -> NDArray[np.int64]: ...
    def release(self, answer: int | Iterable[int] | NDArray[Any]) -> int | NDArray[np.int64]:
        """One answer, or many that one person moves by at most ``sensitivity_l2`` together."""
        if is_one(answer):
            return self._inner.release(whole(answer, "answer"))
        array = whole_numbers(answer, "answers")
        return self._inner.release_all(array.ravel()).reshape(array.shape)

    def error_bound(self, beta: Exact = 0.05, *, count: int = 1) -> Fraction:
        """How far any of ``count`` answers is off: farther with probability at most ``beta``."""
        return Fraction(self._inner.error_bound(whole(count, "count"), exact(beta, "beta")))


@dataclass(frozen=True, kw_only=True, repr=False)
class DiscreteGaussian(Mechanism[native.DiscreteGaussian], card="discrete Gaussian"):
    """Integer answers with discrete Gaussian noise: the workhorse under a budget of rho.

    Give ``rho``, or the ``variance`` parameter. Neighbours: whichever ``sensitivity_l2`` was computed for.

    >>> from pointillist.mechanisms import DiscreteGaussian
    >>> noise = DiscreteGaussian(sensitivity_l2=1, rho=0.005)
    >>> noise.variance_parameter, noise.loss.rho, noise.release([1, 2, 3]).shape
    (Fraction(100, 1), '0.005', (3,))
    """

    sensitivity_l2: Exact
    rho: Exact | None = None
    variance: Exact | None = None

    def __post_init__(self) -> None:
        self._hold(
            native.DiscreteGaussian(
                exact(self.sensitivity_l2, "sensitivity_l2"),
                text_or_none(self.rho, "rho"),
                text_or_none(self.variance, "variance"),
            )
        )

    @property
    def variance_parameter(self) -> Fraction:
        """The parameter of the noise; the variance is a little less."""
        return Fraction(self._inner.variance_parameter())

    def delta(self, epsilon: Exact) -> Fraction:
        """The delta with which a release of *one* answer is (epsilon, delta)-differentially private."""
        return Fraction(self._inner.delta(exact(epsilon, "epsilon")))

    @overload
    def release(self, answer: int) -> int: ...
    @overload
    def release(self, answer: Iterable[int] | NDArray[Any]) -> NDArray[np.int64]: ...
    def release(self, answer: int | Iterable[int] | NDArray[Any]) -> int | NDArray[np.int64]:
        """One answer, or many that one person moves by at most ``sensitivity_l2`` together."""
        if is_one(answer):
            return self._inner.release(whole(answer, "answer"))
        array = whole_numbers(answer, "answers")
        return self._inner.release_all(array.ravel()).reshape(array.shape)

    def error_bound(self, beta: Exact = 0.05, *, count: int = 1) -> int:
        """An integer that the error of some of ``count`` answers reaches with probability at most ``beta``."""
        return self._inner.error_bound(whole(count, "count"), exact(beta, "beta"))
