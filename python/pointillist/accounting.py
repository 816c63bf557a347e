"""What losses add up to: the calculators of every door. None of them touches data.

A list of releases that is fixed before anything runs is composed by every accountant that applies, and the smallest ε
is the one to claim. Where the next release depends on the answers before it, only filters hold: see :func:`filter`.

Neighbours add or remove everything that one person (or whatever the sensitivities speak of) contributed. Nothing here
remembers what was spent: whoever runs a list twice has spent it twice, and writes it twice.

Numbers that carry a promise are :class:`~decimal.Decimal`: exact, rounded to the side that keeps the promise (losses and
noise up, what may be spent down), and taken by every other function here as they are. Floats are the same.

>>> from pointillist.accounting import Gaussian, Laplace, compose
>>> found = compose([Gaussian(sigma=50, count=10_000), Laplace(scale=100)], delta="1e-6")
>>> found.best, round(found.epsilon, 4)
('pld', 10.9973)
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from decimal import Decimal
from typing import Any, Literal, NamedTuple, SupportsIndex, TypeAlias

from . import _native
from ._exact import Exact, exact, exact_or_none
from ._plot import Plot
from ._whole import whole, whole_or_none
from .errors import RequestError

__all__ = [
    "Account",
    "Amplification",
    "Approximate",
    "Bounds",
    "Calibration",
    "Composition",
    "Conversion",
    "DiscreteGaussian",
    "DiscreteLaplace",
    "Exponential",
    "FilterComparison",
    "FilterCount",
    "Gaussian",
    "GroupLoss",
    "Laplace",
    "Mechanism",
    "Pure",
    "RandomizedResponse",
    "Zcdp",
    "amplify",
    "calibrate",
    "compose",
    "convert",
    "delta",
    "epsilon",
    "filter",
    "group",
]


@dataclass(frozen=True)
class Gaussian:
    """Gaussian noise of standard deviation ``sigma`` on an answer that moves by ``sensitivity`` in L2."""

    sigma: Exact
    sensitivity: Exact = 1
    #: The rate of a Poisson sample that it runs on, where it does.
    sampling_rate: Exact | None = None
    #: How often it runs.
    count: int = 1


@dataclass(frozen=True)
class Laplace:
    """Laplace noise of this scale on an answer that moves by ``sensitivity`` in L1."""

    scale: Exact
    sensitivity: Exact = 1
    sampling_rate: Exact | None = None
    count: int = 1


@dataclass(frozen=True)
class DiscreteGaussian:
    """Discrete Gaussian noise on one integer that moves by ``sensitivity``."""

    sigma: Exact
    sensitivity: int = 1
    count: int = 1


@dataclass(frozen=True)
class DiscreteLaplace:
    """Discrete Laplace noise on one integer that moves by ``sensitivity``."""

    scale: Exact
    sensitivity: int = 1
    count: int = 1


@dataclass(frozen=True)
class RandomizedResponse:
    """Randomized response over some categories, at this ε."""

    epsilon: Exact
    categories: int = 2
    count: int = 1


@dataclass(frozen=True)
class Pure:
    """Anything of which only its pure ε is known."""

    epsilon: Exact
    count: int = 1


@dataclass(frozen=True)
class Approximate:
    """Anything of which only its (ε, δ) is known."""

    epsilon: Exact
    delta: Exact
    count: int = 1


@dataclass(frozen=True)
class Zcdp:
    """Anything of which only its ρ is known."""

    rho: Exact
    count: int = 1


@dataclass(frozen=True)
class Exponential:
    """An exponential mechanism of this ε, or anything else whose loss has that range."""

    epsilon: Exact
    count: int = 1


#: A release of a list: one of the classes above, a mapping such as ``{"mechanism": "zcdp", "rho": "0.01"}``, or a mechanism of
#: :mod:`pointillist.mechanisms` or its loss, which counts by what is proven of it.
Mechanism: TypeAlias = (
    Gaussian
    | Laplace
    | DiscreteGaussian
    | DiscreteLaplace
    | RandomizedResponse
    | Pure
    | Approximate
    | Zcdp
    | Exponential
    | Mapping[str, Any]
)
#: As the command line calls them.
_NAMES: dict[type, str] = {
    Gaussian: "gaussian",
    Laplace: "laplace",
    DiscreteGaussian: "discrete_gaussian",
    DiscreteLaplace: "discrete_laplace",
    RandomizedResponse: "randomized_response",
    Pure: "pure",
    Approximate: "approximate",
    Zcdp: "zcdp",
    Exponential: "exponential",
}
_Entries: TypeAlias = "list[dict[str, str | None]]"


def _entry(mechanism: Mechanism) -> dict[str, str | None]:
    named: dict[str, Any]
    if isinstance(mechanism, Mapping):
        named = dict(mechanism)
    elif type(mechanism) in _NAMES:
        given = {part.name: getattr(mechanism, part.name) for part in fields(mechanism)}
        named = {"mechanism": _NAMES[type(mechanism)], **given}
    elif hasattr(mechanism, "guarantees") or hasattr(mechanism, "loss"):
        named = _of_loss(getattr(mechanism, "loss", mechanism))
    else:
        raise RequestError(
            f"a {type(mechanism).__name__} is no mechanism",
            "give a Gaussian(sigma=50), a Zcdp(rho='0.01') or another class of this module or of `mechanisms`",
        )
    return {str(name): None if value is None else exact(value, str(name)) for name, value in named.items()}


def _of_loss(loss: Any) -> dict[str, Any]:
    """A release by what is proven of it: the first of a bounded range, a pure ε, a ρ and an (ε, δ). It may be less than its law would say."""
    proven = {guarantee.kind: guarantee for guarantee in loss.guarantees}
    if "bounded range" in proven:
        return {"mechanism": "exponential", "epsilon": proven["bounded range"].epsilon}
    if "pure" in proven:
        return {"mechanism": "pure", "epsilon": proven["pure"].epsilon}
    if "zcdp" in proven:
        return {"mechanism": "zcdp", "rho": proven["zcdp"].rho}
    if "approximate" in proven:
        return {"mechanism": "approximate", "epsilon": proven["approximate"].epsilon, "delta": proven["approximate"].delta}
    raise RequestError("no accountant takes this loss", "compose the mechanisms that it is made of")


def _entries(mechanisms: Mechanism | Iterable[Mechanism]) -> _Entries:
    several: Any = mechanisms
    if isinstance(mechanisms, Mapping) or not isinstance(mechanisms, Iterable):
        several = [mechanisms]
    elif isinstance(mechanisms, (str, bytes)):
        raise RequestError("a text is no list of mechanisms", "give a list such as [Gaussian(sigma=50)]")
    return [_entry(mechanism) for mechanism in several]


def _decimals(texts: Mapping[str, str | None]) -> dict[str, Any]:
    """The numbers of an answer, by their names."""
    return {name: None if text is None else Decimal(text) for name, text in texts.items()}


class _Shown:
    """Shows what is known, and leaves out what is not."""

    def __repr__(self) -> str:
        named = [(part.name, getattr(self, part.name)) for part in fields(self) if part.repr]  # type: ignore[arg-type]
        told = [
            f"{name}={value if isinstance(value, Decimal) else repr(value)}"
            for name, value in named
            if value is not None and value is not False
        ]
        return f"{type(self).__name__}({', '.join(told)})"


class Bounds(NamedTuple):
    """The truth lies between them; the upper one is the one to claim."""

    lower: float
    upper: float


@dataclass(frozen=True)
class Account:
    """What one accountant says of a list."""

    accountant: str
    #: It holds for the whole list.
    epsilon: float
    #: No smaller ε holds; zero where nothing is known from below.
    epsilon_lower: float = 0.0


@dataclass(frozen=True, repr=False)
class Composition(_Shown):
    """What a fixed list of releases costs together, by every accountant that applies."""

    #: The δ that was asked for.
    delta: str
    #: Who has the smallest ε.
    best: str
    #: The ε to claim.
    epsilon: float
    #: No smaller ε holds; zero where nothing is known from below.
    epsilon_lower: float
    results: tuple[Account, ...]
    #: Why other accountants say nothing.
    not_applicable: dict[str, str] = field(repr=False)
    _entries: _Entries = field(repr=False)

    def plot(self) -> Plot:
        """δ against ε, by the accountants that are near the best."""
        return Plot(_native.accounting.profile_svg(self._entries, self.delta))

    def plot_uses(self) -> Plot:
        """ε against how often the whole list runs."""
        return Plot(_native.accounting.uses_svg(self._entries, self.delta))

    def __str__(self) -> str:
        lines = [f"ε at δ = {self.delta}, rounded up"]
        for result in self.results:
            mark = "→" if result.accountant == self.best else " "
            least = f"   at least {result.epsilon_lower!r}" if result.epsilon_lower > 0 else ""
            lines.append(f"{mark} {result.accountant:9} {result.epsilon!r}{least}")
        lines += [f"  {name:9} –   {reason}" for name, reason in self.not_applicable.items()]
        return "\n".join(lines)


def compose(mechanisms: Mechanism | Iterable[Mechanism], delta: Exact = "1e-6") -> Composition:
    """What a list of releases costs together at a δ, when the list was fixed before anything ran.

    >>> found = compose(Gaussian(sigma=50, count=10_000), delta=1e-6)
    >>> found.best, round(found.epsilon, 4), round(found.epsilon_lower, 4)
    ('pld', 10.9972, 10.9972)
    >>> [account.accountant for account in found.results]
    ['pld', 'gaussian', 'renyi', 'zcdp']
    """
    entries, at = _entries(mechanisms), exact(delta, "delta")
    found: dict[str, Any] = json.loads(_native.accounting.compose(entries, at))
    results = tuple(Account(**result) for result in found["results"])
    return Composition(
        delta=found["delta"],
        best=found["best"],
        epsilon=min(result.epsilon for result in results),
        epsilon_lower=max(result.epsilon_lower for result in results),
        results=results,
        not_applicable=found["not_applicable"],
        _entries=entries,
    )


def epsilon(mechanisms: Mechanism | Iterable[Mechanism], delta: Exact) -> Bounds:
    """The smallest ε of a fixed list at a δ, between two bounds; a lower one of zero says that nothing is known.

    >>> lower, upper = epsilon([Laplace(scale=100, count=10_000)], delta="1e-6")
    >>> lower <= 4.8763 and upper >= 4.8762 and upper - lower < 0.001
    True
    """
    return Bounds(*_native.accounting.epsilon(_entries(mechanisms), exact(delta, "delta")))


def delta(mechanisms: Mechanism | Iterable[Mechanism], epsilon: Exact) -> Bounds:
    """The smallest δ of a fixed list at an ε, between two bounds; a lower one of zero says that nothing is known.

    >>> lower, upper = delta([Gaussian(sigma=1)], epsilon=1)
    >>> lower <= 0.12693673750664 <= upper and upper - lower < 1e-9
    True
    """
    return Bounds(*_native.accounting.delta(_entries(mechanisms), exact(epsilon, "epsilon")))


@dataclass(frozen=True, repr=False)
class Calibration(_Shown):
    """The least noise for a promise. What a mechanism does not have is ``None``."""

    mechanism: str
    #: How often it is used.
    count: int
    #: What all uses together may reach.
    target: dict[str, str]
    sensitivity: str | None = None
    #: Standard deviation of (discrete) Gaussian noise, rounded up.
    sigma: Decimal | None = None
    #: The same for any number of integers at once, by way of ρ.
    sigma_any_dimension: Decimal | None = None
    #: Scale of (discrete) Laplace noise, rounded up.
    scale: Decimal | None = None
    #: The δ that is reached at the target's ε.
    delta_reached: Decimal | None = None
    #: The ρ of all uses, for a ledger in zCDP.
    rho: Decimal | None = None
    #: Of randomized response: how often the truth is told, rounded down.
    truth_probability: Decimal | None = None
    lie_probability: Decimal | None = None
    #: How much likelier than a coin the truth is.
    gamma: Decimal | None = None
    #: The ε of each answer, rounded down.
    epsilon_each: Decimal | None = None


#: Mechanisms whose noise can be chosen; `-` may stand for `_`.
NoiseName: TypeAlias = Literal[
    "gaussian", "laplace", "discrete_gaussian", "discrete_laplace", "randomized_response"
]


def calibrate(
    mechanism: NoiseName | str,
    *,
    epsilon: Exact | None = None,
    delta: Exact | None = None,
    rho: Exact | None = None,
    count: SupportsIndex = 1,
    sensitivity: Exact | None = None,
) -> Calibration:
    """The least noise with which so many uses of a mechanism stay within ε (at δ) or ρ together.

    The uses may be chosen one after the other; their noise may not depend on the answers. ``sensitivity`` is Euclidean
    for Gaussian noise and in sum for Laplace noise, for the neighbours that you mean, and 1 where nothing is said.

    >>> print(calibrate("gaussian", epsilon=1, delta="1e-5").sigma)
    3.7306316348167885
    >>> calibrate("laplace", epsilon="0.3")
    Calibration(mechanism='laplace', count=1, target={'delta': '0', 'epsilon': '0.3'}, sensitivity='1', scale=3.3333333333333334)
    """
    found: dict[str, Any] = json.loads(
        _native.accounting.calibrate(
            str(mechanism),
            exact_or_none(epsilon, "epsilon"),
            exact_or_none(delta, "delta"),
            exact_or_none(rho, "rho"),
            whole(count, "count"),
            exact_or_none(sensitivity, "sensitivity"),
        )
    )
    return Calibration(
        mechanism=found.pop("mechanism").replace("-", "_"),
        count=found.pop("count"),
        target=found.pop("target"),
        sensitivity=found.pop("sensitivity", None),
        **_decimals(found),
    )


@dataclass(frozen=True, repr=False)
class Conversion(_Shown):
    """One guarantee in the words of others. What does not follow is ``None``."""

    given: dict[str, str]
    epsilon: Decimal | None = None
    delta: Decimal | None = None
    #: Of a budget in (ε, δ): the largest that may be spent, rounded down. Of anything else: what it costs, rounded up.
    rho: Decimal | None = None
    #: By the older formulas, for comparison.
    epsilon_classical: Decimal | None = None
    delta_classical: Decimal | None = None
    rho_customary: Decimal | None = None
    #: The order of the Rényi divergence that gave ε.
    order: Decimal | None = None
    #: By way of ρ, for comparison.
    epsilon_by_rho: Decimal | None = None
    delta_by_rho: Decimal | None = None
    #: The pure ε of a bounded range.
    epsilon_pure: Decimal | None = None
    #: Of a budget: what one release known to be (ε, δ) costs in approximate zCDP, which is not the same question.
    release: dict[str, Decimal] | None = None


def convert(
    *,
    epsilon: Exact | None = None,
    delta: Exact | None = None,
    rho: Exact | None = None,
    mu: Exact | None = None,
    eta: Exact | None = None,
) -> Conversion:
    """One guarantee in the words of another.

    ``epsilon`` alone is pure; with ``delta`` it is a budget, whose largest ρ is asked for. ``rho``, ``mu`` (Gaussian noise:
    sensitivity over standard deviation) and ``eta`` (bounded range) take a ``delta`` to ask for ε, and the first two an
    ``epsilon`` to ask for δ. A conversion loses a little: add up first, and convert once.

    >>> convert(rho="0.1", delta="1e-6").epsilon
    Decimal('2.1419389283854737')
    """
    found: dict[str, Any] = json.loads(
        _native.accounting.convert(
            exact_or_none(epsilon, "epsilon"),
            exact_or_none(delta, "delta"),
            exact_or_none(rho, "rho"),
            exact_or_none(mu, "mu"),
            exact_or_none(eta, "eta"),
        )
    )
    given, release = found.pop("given"), found.pop("release", None)
    return Conversion(
        given=given,
        release=None if release is None else _decimals(release),
        **_decimals(found),
    )


@dataclass(frozen=True, repr=False)
class Amplification(_Shown):
    """What a secret sample or a shuffler makes of a guarantee."""

    given: dict[str, str]
    epsilon: Decimal
    delta: Decimal
    sampling_rate: str | None = None
    #: How many reports are shuffled.
    reports: int | None = None
    #: Whether ε and δ are what the mechanism may have on the sample, rounded down.
    inverse: bool = False


def amplify(
    *,
    epsilon: Exact,
    delta: Exact | None = None,
    sampling_rate: Exact | None = None,
    shuffle: SupportsIndex | None = None,
    inverse: bool = False,
) -> Amplification:
    """What sampling or shuffling adds to a guarantee, as long as nobody learns who was sampled or who sent which report.

    Sampling: a Poisson sample for neighbours that add or remove a person, or one of fixed size for neighbours that
    replace one; the guarantee before must be for the same neighbours. With ``inverse``, ε and δ are those to reach.
    Shuffling: ``shuffle`` people send one report of a pure ε each; neighbours replace one person's value.

    >>> amplify(epsilon=1, delta="1e-6", sampling_rate="0.01").epsilon
    Decimal('0.01703686323617655')
    """
    found: dict[str, Any] = json.loads(
        _native.accounting.amplify(
            exact(epsilon, "epsilon"),
            exact_or_none(delta, "delta"),
            exact_or_none(sampling_rate, "sampling_rate"),
            whole_or_none(shuffle, "shuffle"),
            bool(inverse),
        )
    )
    losses = _decimals({name: found.pop(name) for name in ("epsilon", "delta")})
    return Amplification(**found, **losses)


@dataclass(frozen=True, repr=False)
class GroupLoss(_Shown):
    """What a guarantee for one person means for several together."""

    given: dict[str, str]
    size: int
    epsilon: Decimal | None = None
    delta: Decimal | None = None
    rho: Decimal | None = None


def group(
    *,
    size: SupportsIndex,
    epsilon: Exact | None = None,
    delta: Exact | None = None,
    rho: Exact | None = None,
) -> GroupLoss:
    """What a guarantee for one person means for a group, such as a household.

    A size of 2 also turns a guarantee for adding or removing one person into one for replacing a person.

    >>> group(epsilon="0.5", size=4)
    GroupLoss(given={'delta': '0', 'epsilon': '0.5'}, size=4, epsilon=2, delta=0)
    """
    found: dict[str, Any] = json.loads(
        _native.accounting.group(
            exact_or_none(epsilon, "epsilon"),
            exact_or_none(delta, "delta"),
            exact_or_none(rho, "rho"),
            whole(size, "size"),
        )
    )
    return GroupLoss(given=found.pop("given"), size=found.pop("size"), **_decimals(found))


@dataclass(frozen=True)
class FilterCount:
    """How many questions one filter admits; ``2**64 - 1`` stands for that many or more."""

    filter: str
    #: In all.
    admits: int
    #: After those that were asked.
    how_many_more: int


@dataclass(frozen=True, repr=False)
class FilterComparison(_Shown):
    """How many questions of a price every filter admits."""

    budget: dict[str, str]
    price: dict[str, str]
    asked: int
    filters: tuple[FilterCount, ...]
    #: The filter that admits most.
    best: str

    @property
    def how_many_more(self) -> int:
        """What the best filter still admits."""
        return next(one.how_many_more for one in self.filters if one.filter == self.best)


def filter(
    *,
    budget_epsilon: Exact | None = None,
    budget_delta: Exact | None = None,
    budget_rho: Exact | None = None,
    epsilon: Exact | None = None,
    delta: Exact | None = None,
    rho: Exact | None = None,
    asked: SupportsIndex = 0,
) -> FilterComparison:
    """How many more questions of a price fit into a budget, each chosen in the light of all answers before it.

    A tight accountant may not decide this: its theorem fixes all losses in advance.

    >>> found = filter(budget_epsilon=1, budget_delta="1e-6", epsilon="0.01")
    >>> found.best, found.how_many_more
    ('approximate_zcdp', 487)
    """
    budget = (
        exact_or_none(budget_epsilon, "budget_epsilon"),
        exact_or_none(budget_delta, "budget_delta"),
        exact_or_none(budget_rho, "budget_rho"),
    )
    question = (
        exact_or_none(epsilon, "epsilon"),
        exact_or_none(delta, "delta"),
        exact_or_none(rho, "rho"),
    )
    found: dict[str, Any] = json.loads(
        _native.accounting.filter(budget, question, whole(asked, "asked"))
    )
    counts = tuple(FilterCount(**count) for count in found.pop("filters"))
    return FilterComparison(filters=counts, **found)
