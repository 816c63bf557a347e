"""Numbers whose worst case is far from the usual case: noise that adapts to the data, safely."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

from numpy.typing import NDArray

from .._native import mechanisms as native
from .._exact import Exact, exact
from ._base import Mechanism, Neighbours, text_or_none, whole
from ._values import counts, listed, whole_numbers

__all__ = [
    "BoundedAnswer",
    "NoisyLocalBound",
    "ProposeTestRelease",
    "PtrMedian",
    "SmoothLaplace",
    "SmoothLaplaceLogNormal",
    "SmoothMedian",
    "SmoothPowerTailedLaplace",
    "SmoothStudentT",
    "SmoothTwoSidedPareto",
    "StableMode",
]

#: The largest local sensitivity of the data within each distance: a function of the distance, or a list that begins with
#: distance zero, whose length is public and after which the cap follows.
LocalSensitivities: TypeAlias = "Callable[[int], Exact] | Sequence[Exact]"


@dataclass(frozen=True, kw_only=True, repr=False)
class _Smooth(Mechanism[native.Smooth]):
    """An integer answer with noise at its smooth sensitivity."""

    #: Smooth sensitivities below this count as this: public, and positive.
    floor: Exact
    #: No local sensitivity is ever above this, on any data: public.
    cap: Exact

    def _ends(self) -> tuple[str, str]:
        return exact(self.floor, "floor"), exact(self.cap, "cap")

    def _asked(self, local_sensitivities: LocalSensitivities) -> Callable[[int], str]:
        if callable(local_sensitivities):
            function = local_sensitivities
            return lambda distance: exact(function(distance), "a local sensitivity")
        several = listed(local_sensitivities, "local_sensitivities")
        texts = [exact(value, "a local sensitivity") for value in several]
        cap = exact(self.cap, "cap")
        return lambda distance: texts[distance] if distance < len(texts) else cap

    def release(self, answer: int, local_sensitivities: LocalSensitivities) -> int:
        """The answer with noise, given the largest local sensitivity of the data within each distance.

        Entry ``k`` is the largest change that one neighbour makes to the answer of any data within ``k`` steps of the
        data, or any other sequence for which entry ``k`` is at most entry ``k + 1`` of every neighbour. The numbers
        are private, and are not released.
        """
        return self._inner.release(whole(answer, "answer"), self._asked(local_sensitivities))

    def smooth_sensitivity(self, local_sensitivities: LocalSensitivities) -> Fraction:
        """The smooth sensitivity of these data. It is not private: for simulations, never for show."""
        return Fraction(self._inner.smooth_sensitivity(self._asked(local_sensitivities)))

    def error_bound(self, beta: Exact = 0.05, *, local_sensitivities: LocalSensitivities) -> Fraction:
        """How far a release is off, but for ``beta``. It is not private: for simulations, never for show."""
        return Fraction(self._inner.error_bound(self._asked(local_sensitivities), exact(beta, "beta")))

    @property
    def smoothing(self) -> Fraction:
        """The smoothing of the sensitivity, by this power of e a step."""
        return Fraction(self._inner.smoothing())


@dataclass(frozen=True, kw_only=True, repr=False)
class SmoothPowerTailedLaplace(_Smooth, card="power-tailed Laplace noise at smooth sensitivity"):
    """An integer answer with noise at its smooth sensitivity, whose tails fall with a power of the distance.

    Neighbours: those for which the local sensitivities were computed.

    >>> from pointillist.mechanisms import SmoothPowerTailedLaplace
    >>> noise = SmoothPowerTailedLaplace(epsilon=1, floor="0.01", cap=100)
    >>> type(noise.release(1_000, lambda distance: min(distance + 1, 100))).__name__
    'int'
    """

    epsilon: Exact
    power: int | None = None

    def __post_init__(self) -> None:
        power = None if self.power is None else whole(self.power, "power")
        make = native.Smooth.power_tailed_laplace
        self._hold(make(exact(self.epsilon, "epsilon"), power, *self._ends()))


@dataclass(frozen=True, kw_only=True, repr=False)
class SmoothStudentT(_Smooth, card="Student t noise at smooth sensitivity"):
    """An integer answer with Student t noise at its smooth sensitivity: a pure epsilon.

    ``beta`` is the smoothing, a twentieth of epsilon unless it is said; it is public and never tuned on the data.
    Neighbours: those for which the local sensitivities were computed.

    >>> from pointillist.mechanisms import SmoothStudentT
    >>> noise = SmoothStudentT(epsilon=1, floor="0.01", cap=6)
    >>> type(noise.release(3, [1, 2, 3, 4, 5, 6])).__name__, noise.smoothing
    ('int', Fraction(1, 20))
    """

    epsilon: Exact
    beta: Exact | None = None
    degrees: int | None = None

    def __post_init__(self) -> None:
        degrees = None if self.degrees is None else whole(self.degrees, "degrees")
        make = native.Smooth.student_t
        self._hold(make(exact(self.epsilon, "epsilon"), text_or_none(self.beta, "beta"), degrees, *self._ends()))


@dataclass(frozen=True, kw_only=True, repr=False)
class SmoothTwoSidedPareto(_Smooth, card="two-sided Pareto noise at smooth sensitivity"):
    """An integer answer with Pareto noise on both sides at its smooth sensitivity: a pure epsilon.

    ``beta`` is the smoothing, as for :class:`SmoothStudentT`. Neighbours: those for which the local sensitivities were
    computed.

    >>> from pointillist.mechanisms import SmoothTwoSidedPareto
    >>> noise = SmoothTwoSidedPareto(epsilon=1, floor="0.01", cap=6)
    >>> type(noise.release(3, [1, 2, 3, 4, 5, 6])).__name__
    'int'
    """

    epsilon: Exact
    beta: Exact | None = None

    def __post_init__(self) -> None:
        make = native.Smooth.two_sided_pareto
        self._hold(make(exact(self.epsilon, "epsilon"), text_or_none(self.beta, "beta"), *self._ends()))


@dataclass(frozen=True, kw_only=True, repr=False)
class SmoothLaplaceLogNormal(_Smooth, card="Laplace-log-normal noise at smooth sensitivity"):
    """An integer answer with Laplace-log-normal noise at its smooth sensitivity, under a budget of rho.

    ``beta`` is the smoothing, as for :class:`SmoothStudentT`; ``shape`` is the best for it unless it is said.
    Neighbours: those for which the local sensitivities were computed.

    >>> from pointillist.mechanisms import SmoothLaplaceLogNormal
    >>> noise = SmoothLaplaceLogNormal(rho=0.5, floor="0.01", cap=6)
    >>> type(noise.release(3, [1, 2, 3, 4, 5, 6])).__name__, noise.loss.rho
    ('int', '0.5')
    """

    rho: Exact
    beta: Exact | None = None
    shape: Exact | None = None

    def __post_init__(self) -> None:
        beta, shape = text_or_none(self.beta, "beta"), text_or_none(self.shape, "shape")
        make = native.Smooth.laplace_log_normal
        self._hold(make(exact(self.rho, "rho"), beta, shape, *self._ends()))


@dataclass(frozen=True, kw_only=True, repr=False)
class SmoothLaplace(_Smooth, card="Laplace noise at smooth sensitivity"):
    """An integer answer with Laplace noise at its smooth sensitivity: (epsilon, delta), with the exact delta.

    ``beta`` is the smoothing, as for :class:`SmoothStudentT`. Neighbours: those for which the local sensitivities were
    computed.

    >>> from pointillist.mechanisms import SmoothLaplace
    >>> noise = SmoothLaplace(epsilon=1, delta=1e-6, floor="0.01", cap=6)
    >>> type(noise.release(3, [1, 2, 3, 4, 5, 6])).__name__, noise.loss.delta
    ('int', '0.000001')
    """

    epsilon: Exact
    delta: Exact
    beta: Exact | None = None

    def __post_init__(self) -> None:
        epsilon, delta = exact(self.epsilon, "epsilon"), exact(self.delta, "delta")
        make = native.Smooth.laplace
        self._hold(make(epsilon, delta, text_or_none(self.beta, "beta"), *self._ends()))


def _values(values: Any) -> list[int]:
    taken: list[int] = whole_numbers(values, "values").ravel().tolist()
    return taken


@dataclass(frozen=True, kw_only=True, repr=False)
class SmoothMedian(Mechanism[native.SmoothMedian], card="median at smooth sensitivity"):
    """The median of integers between ``lower`` and ``upper``, with Student t noise that adapts to the data.

    Neighbours: one value is replaced; the number of values and the range are public.

    >>> from pointillist.mechanisms import SmoothMedian
    >>> 0 <= SmoothMedian(epsilon=1, lower=0, upper=120).release([30, 41, 57]) <= 120
    True
    """

    epsilon: Exact
    lower: int
    upper: int

    def __post_init__(self) -> None:
        lower, upper = whole(self.lower, "lower"), whole(self.upper, "upper")
        self._hold(native.SmoothMedian(exact(self.epsilon, "epsilon"), lower, upper))

    def release(self, values: Iterable[int] | NDArray[Any]) -> int:
        """The noisy median."""
        return self._inner.release(_values(values))

    def smooth_sensitivity(self, values: Iterable[int] | NDArray[Any]) -> Fraction:
        """The smooth sensitivity of these values. It is not private: for simulations, never for show."""
        return Fraction(self._inner.smooth_sensitivity(_values(values)))


@dataclass(frozen=True, kw_only=True, repr=False)
class ProposeTestRelease(Mechanism[native.ProposeTestRelease], card="propose-test-release"):
    """An integer with noise for a proposed sensitivity ``bound``, or a refusal where the data come near breaking it.

    A refusal is ``None``; it is private and it is paid for. Neighbours: those in whose steps ``distance`` is counted.

    >>> from pointillist.mechanisms import ProposeTestRelease
    >>> tested = ProposeTestRelease(bound=2, epsilon_test=1, epsilon_release=1, delta=1e-12)
    >>> tested.loss.epsilon, tested.release(100, distance=0) is None
    ('2', True)
    """

    bound: Exact
    epsilon_test: Exact
    epsilon_release: Exact
    delta: Exact

    def __post_init__(self) -> None:
        self._hold(
            native.ProposeTestRelease(
                exact(self.bound, "bound"),
                exact(self.epsilon_test, "epsilon_test"),
                exact(self.epsilon_release, "epsilon_release"),
                exact(self.delta, "delta"),
            )
        )

    def release(self, answer: int, distance: int) -> int | None:
        """The noisy answer of data that are so many steps from the nearest data that break the bound."""
        return self._inner.release(whole(answer, "answer"), whole(distance, "distance"))

    def distance_needed(self, beta: Exact = 0.05) -> int:
        """Data this far away or farther are answered but for a probability of ``beta``."""
        return self._inner.distance_needed(exact(beta, "beta"))

    def error_bound(self, beta: Exact = 0.05) -> int:
        """An answer is farther than this from the truth with probability at most ``beta``."""
        return self._inner.error_bound(exact(beta, "beta"))


@dataclass(frozen=True, kw_only=True, repr=False)
class PtrMedian(Mechanism[native.PtrMedian], card="median by propose-test-release"):
    """The median of integers between ``lower`` and ``upper`` for a proposed sensitivity ``bound``, or a refusal.

    A refusal is ``None``; it is private and it is paid for. Neighbours: one value is replaced; the number of values and
    the range are public.

    >>> from pointillist.mechanisms import PtrMedian
    >>> median = PtrMedian(lower=0, upper=1_000, bound=5, epsilon_test=1, epsilon_release=1, delta="0.001")
    >>> released = median.release([500] * 200)
    >>> released is None or 0 <= released <= 1_000
    True
    """

    lower: int
    upper: int
    bound: int
    epsilon_test: Exact
    epsilon_release: Exact
    delta: Exact

    def __post_init__(self) -> None:
        self._hold(
            native.PtrMedian(
                whole(self.lower, "lower"),
                whole(self.upper, "upper"),
                whole(self.bound, "bound"),
                exact(self.epsilon_test, "epsilon_test"),
                exact(self.epsilon_release, "epsilon_release"),
                exact(self.delta, "delta"),
            )
        )

    def release(self, values: Iterable[int] | NDArray[Any]) -> int | None:
        """The noisy median, or a refusal."""
        return self._inner.release(_values(values))

    def distance_needed(self, beta: Exact = 0.05) -> int:
        """Data this far from breaking the bound or farther are answered but for a probability of ``beta``."""
        return self._inner.distance_needed(exact(beta, "beta"))

    def error_bound(self, beta: Exact = 0.05) -> int:
        """An answer is farther than this from the median with probability at most ``beta``."""
        return self._inner.error_bound(exact(beta, "beta"))


@dataclass(frozen=True, kw_only=True, repr=False)
class StableMode(Mechanism[native.StableMode], card="stable mode"):
    """The most frequent of a public list of categories, exactly, where its lead is large; else a refusal.

    A refusal is ``None``; it is private and it is paid for. Neighbours: as said, one record more or fewer or another in
    its place.

    >>> from pointillist.mechanisms import StableMode
    >>> StableMode(epsilon=1, delta=1e-6).release([12, 4_500, 31])
    1
    """

    epsilon: Exact
    delta: Exact
    neighbours: Neighbours = "add/remove"

    def __post_init__(self) -> None:
        epsilon, delta = exact(self.epsilon, "epsilon"), exact(self.delta, "delta")
        self._hold(native.StableMode(epsilon, delta, self.neighbours))

    def release(self, counts_by_category: Iterable[int] | NDArray[Any]) -> int | None:
        """The index of the category with the largest count, or a refusal."""
        return self._inner.release(counts(counts_by_category, "counts_by_category"))

    def distance_needed(self, beta: Exact = 0.05) -> int:
        """Data this many steps from another mode or farther are answered but for a probability of ``beta``."""
        return self._inner.distance_needed(exact(beta, "beta"))


@dataclass(frozen=True)
class BoundedAnswer:
    """A noisy answer, and the noisy bound that its noise was scaled for. Both are private."""

    bound: int
    value: int


@dataclass(frozen=True, kw_only=True, repr=False)
class NoisyLocalBound(Mechanism[native.NoisyLocalBound], card="noisy bound on local sensitivity"):
    """An integer with noise for a private bound on its local sensitivity.

    The bound of the data moves by at most ``bound_sensitivity`` between neighbours, and is never above ``bound_max``.
    Neighbours: any relation for which the bound has these two properties.

    >>> from pointillist.mechanisms import NoisyLocalBound
    >>> noise = NoisyLocalBound(
    ...     epsilon_bound=1, epsilon_answer=1, delta=1e-6, bound_sensitivity=1, bound_max=1_000
    ... )
    >>> released = noise.release(5_000, local_bound=40)
    >>> 1 <= released.bound <= 1_000, noise.error_bound(bound=100)
    (True, 300)
    """

    epsilon_bound: Exact
    epsilon_answer: Exact
    delta: Exact
    bound_sensitivity: int
    bound_max: int

    def __post_init__(self) -> None:
        self._hold(
            native.NoisyLocalBound(
                exact(self.epsilon_bound, "epsilon_bound"),
                exact(self.epsilon_answer, "epsilon_answer"),
                exact(self.delta, "delta"),
                whole(self.bound_sensitivity, "bound_sensitivity"),
                whole(self.bound_max, "bound_max"),
            )
        )

    def release(self, answer: int, local_bound: int) -> BoundedAnswer:
        """The noisy answer and the noisy bound, from the answer and a bound on how far a neighbour's differs."""
        return BoundedAnswer(*self._inner.release(whole(answer, "answer"), whole(local_bound, "local_bound")))

    def error_bound(self, beta: Exact = 0.05, *, bound: int) -> int:
        """Given a released bound, the answer is farther off than this with probability at most ``beta``."""
        return self._inner.error_bound(whole(bound, "bound"), exact(beta, "beta"))
