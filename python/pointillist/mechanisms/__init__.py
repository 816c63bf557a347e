"""Mechanisms by themselves, for whoever keeps their own books.

One class a mechanism, with its parameters as keywords. ``loss`` says what one release costs, ``release`` releases with the
operating system's randomness, ``error_bound`` says how far off it may be. Numbers are exact, from the data to the answer.

There is no ledger here: nothing counts how often you release, and nothing knows whether the sensitivity that you state is
true. :mod:`pointillist.accounting` adds losses up; :func:`pointillist.open` does all of it for questions in SQL.

>>> from pointillist import mechanisms
>>> count = mechanisms.Geometric(sensitivity_l1=1, epsilon=0.5)
>>> count
<Geometric sensitivity_l1=1 epsilon=0.5: ε = 0.5 (pure) and ρ = 0.12246 (zCDP)>
>>> type(count.release(1_000)).__name__
'int'
>>> [card.name for card in mechanisms.cards("median")][:2]
['quantile', 'exponential on a line']
"""

from __future__ import annotations

from typing import Any

from ..errors import RequestError
from ._base import CLASSES, Card, Guarantee, Loss, Mechanism, Movement, Neighbours, cards_about
from .aggregate import (
    BoundedSum,
    Count,
    Histogram,
    Mean,
    MeanOfKnownCount,
    MeanRelease,
    Variance,
    VarianceRelease,
)
from .choice import (
    ContinuousMedian,
    Exponential,
    ExponentialOnLine,
    NoisyMax,
    PermuteAndFlip,
    Pricing,
    TopK,
    Tuning,
)
from .keys import EarnedKeys, PartitionSelection, StabilityHistogram
from .local_sensitivity import (
    BoundedAnswer,
    NoisyLocalBound,
    ProposeTestRelease,
    PtrMedian,
    SmoothLaplace,
    SmoothLaplaceLogNormal,
    SmoothMedian,
    SmoothPowerTailedLaplace,
    SmoothStudentT,
    SmoothTwoSidedPareto,
    StableMode,
)
from .number import DiscreteGaussian, Gaussian, Geometric, Laplace
from .order_statistic import (
    Quantile,
    QuantileHistogram,
    QuantileHistogramRelease,
    Quantiles,
    WeightedQuantile,
)
from .response import KaryRandomizedResponse, RandomizedResponse, SurveyEstimate
from .stream import AboveThreshold, AboveThresholdSession, NumericSparse, NumericSparseSession

__all__ = [
    "AboveThreshold",
    "AboveThresholdSession",
    "BoundedAnswer",
    "BoundedSum",
    "Card",
    "ContinuousMedian",
    "Count",
    "DiscreteGaussian",
    "EarnedKeys",
    "Exponential",
    "ExponentialOnLine",
    "Gaussian",
    "Geometric",
    "Guarantee",
    "Histogram",
    "KaryRandomizedResponse",
    "Laplace",
    "Loss",
    "Mean",
    "MeanOfKnownCount",
    "MeanRelease",
    "Mechanism",
    "Movement",
    "Neighbours",
    "NoisyLocalBound",
    "NoisyMax",
    "NumericSparse",
    "NumericSparseSession",
    "PartitionSelection",
    "PermuteAndFlip",
    "Pricing",
    "ProposeTestRelease",
    "PtrMedian",
    "Quantile",
    "QuantileHistogram",
    "QuantileHistogramRelease",
    "Quantiles",
    "RandomizedResponse",
    "SmoothLaplace",
    "SmoothLaplaceLogNormal",
    "SmoothMedian",
    "SmoothPowerTailedLaplace",
    "SmoothStudentT",
    "SmoothTwoSidedPareto",
    "StabilityHistogram",
    "StableMode",
    "SurveyEstimate",
    "TopK",
    "Tuning",
    "Variance",
    "VarianceRelease",
    "WeightedQuantile",
    "cards",
    "get",
]


def cards(word: str = "") -> list[Card]:
    """The cards of all mechanisms, or of those whose name or description has this word.

    >>> from pointillist import mechanisms
    >>> mechanisms.cards("most frequent")[0].name
    'stable mode'
    """
    return cards_about(word)


def get(name: str) -> type[Mechanism[Any]]:
    """The class of the mechanism with this name, as a card or the class itself has it, in any case of letters.

    >>> from pointillist import mechanisms
    >>> mechanisms.get("permute and flip").__name__
    'PermuteAndFlip'
    """
    wanted = str(name).casefold()
    for card, kinds in CLASSES.items():
        for kind in kinds:
            if wanted in (card.casefold(), kind.__name__.casefold()):
                return kind
    close = [card.name for card in cards(wanted)] if wanted else []
    hint = f"perhaps {' or '.join(close[:5])}" if close else "pointillist.mechanisms.cards() lists them all"
    raise RequestError(f"there is no mechanism {name!r}", hint)
