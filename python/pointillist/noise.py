"""Exact noise: every sampler has exactly the law that its name says, from the operating system's randomness.

There is no seed. Noise alone is not a private answer: add it once to an integer whose sensitivity you know, and
count what you spend; :mod:`pointillist.mechanisms` does the first and :func:`pointillist.open` both.

``size`` is a number, a shape or nothing: nothing gives one Python number. Values beyond 64 bits become the ends of
that range, ``-2**63`` and ``2**63 - 1``, and the law is exact but for that: scales far below ``2**60`` have no weight
out there, Cauchy noise has about ``scale / 2**63``. How long a draw takes may depend on what is drawn.

>>> import pointillist
>>> draws = pointillist.noise.discrete_laplace(scale=10, size=1_000)
>>> draws.shape, draws.dtype.name
((1000,), 'int64')
>>> type(pointillist.noise.discrete_gaussian(scale="10/3")).__name__
'int'
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import SupportsIndex, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

from . import _native
from ._exact import Exact, exact
from ._whole import whole
from .errors import RequestError

__all__ = [
    "bernoulli",
    "bernoulli_exp",
    "discrete_gaussian",
    "discrete_laplace",
    "geometric",
    "l2_laplace",
    "laplace_log_normal",
    "power_tailed_laplace",
    "rounded_gaussian",
    "student_t",
    "uniform_below",
]

#: How many values: a number, or the shape of an array.
Size: TypeAlias = "SupportsIndex | Sequence[SupportsIndex]"
#: The integers that are drawn.
Integers: TypeAlias = "NDArray[np.int64]"
#: The tosses that are drawn.
Tosses: TypeAlias = "NDArray[np.bool_]"


def _shape(size: Size | None) -> tuple[int, ...]:
    if size is None:
        return ()
    if isinstance(size, bytes):
        raise TypeError("size is a number or a shape, and not bytes")
    if isinstance(size, Sequence):
        shape = tuple(whole(axis, "size") for axis in size)
    else:
        shape = (whole(size, "size"),)
    if math.prod(shape) >= 2**63 or len(shape) > 32:
        raise RequestError(
            f"there is no memory for an array of shape {shape}", "draw fewer at a time"
        )
    return shape


def _integers(draw: Callable[[int], Integers], size: Size | None) -> int | Integers:
    shape = _shape(size)
    drawn = draw(math.prod(shape))
    return int(drawn[0]) if size is None else drawn.reshape(shape)


def _tosses(draw: Callable[[int], Tosses], size: Size | None) -> bool | Tosses:
    shape = _shape(size)
    drawn = draw(math.prod(shape))
    return bool(drawn[0]) if size is None else drawn.reshape(shape)


@overload
def discrete_laplace(scale: Exact, size: None = None) -> int: ...
@overload
def discrete_laplace(scale: Exact, size: Size) -> Integers: ...
def discrete_laplace(scale: Exact, size: Size | None = None) -> int | Integers:
    """Integers ``k`` with probability proportional to ``exp(-|k| / scale)``.

    Added to an integer that one person moves by at most ``sensitivity``, it is ``sensitivity / scale``-differentially
    private, for the neighbours of that sensitivity.

    >>> discrete_laplace(scale="10/3", size=(2, 3)).shape
    (2, 3)
    """
    law = exact(scale, "scale")
    return _integers(lambda n: _native.noise.integer_noise("discrete_laplace", law, n), size)


@overload
def discrete_gaussian(scale: Exact, size: None = None) -> int: ...
@overload
def discrete_gaussian(scale: Exact, size: Size) -> Integers: ...
def discrete_gaussian(scale: Exact, size: Size | None = None) -> int | Integers:
    """Integers ``k`` with probability proportional to ``exp(-k**2 / (2 * scale**2))``.

    Added to an integer that one person moves by at most ``sensitivity``, it is
    ``sensitivity**2 / (2 * scale**2)``-zCDP, for the neighbours of that sensitivity.

    >>> discrete_gaussian(scale=50, size=10).dtype.name
    'int64'
    """
    law = exact(scale, "scale")
    return _integers(lambda n: _native.noise.integer_noise("discrete_gaussian", law, n), size)


@overload
def geometric(scale: Exact, size: None = None) -> int: ...
@overload
def geometric(scale: Exact, size: Size) -> Integers: ...
def geometric(scale: Exact, size: Size | None = None) -> int | Integers:
    """Integers ``k >= 0`` with probability proportional to ``exp(-k / scale)``.

    It has one side: it hides who was added, and not who was removed.

    >>> bool((geometric(scale=3, size=100) >= 0).all())
    True
    """
    law = exact(scale, "scale")
    return _integers(lambda n: _native.noise.geometric(law, n), size)


@overload
def rounded_gaussian(sigma: Exact, size: None = None) -> int: ...
@overload
def rounded_gaussian(sigma: Exact, size: Size) -> Integers: ...
def rounded_gaussian(sigma: Exact, size: Size | None = None) -> int | Integers:
    """Normal noise of standard deviation ``sigma``, rounded to the nearest integer.

    Added to integers it is the Gaussian mechanism followed by rounding, so that whatever is proven of continuous
    Gaussian noise holds of it, in any dimension.

    >>> rounded_gaussian(sigma=1.5, size=4).shape
    (4,)
    """
    law = exact(sigma, "sigma")
    return _integers(lambda n: _native.noise.rounded_gaussian(law, n), size)


@overload
def student_t(degrees: SupportsIndex, scale: Exact, size: None = None) -> int: ...
@overload
def student_t(degrees: SupportsIndex, scale: Exact, size: Size) -> Integers: ...
def student_t(degrees: SupportsIndex, scale: Exact, size: Size | None = None) -> int | Integers:
    """``floor(scale * T)`` for ``T`` of Student's law with 1 (Cauchy) to 9 degrees of freedom.

    Its tails are for answers whose sensitivity is smooth and not bounded.

    >>> student_t(degrees=3, scale=20, size=5).shape
    (5,)
    """
    law, of = exact(scale, "scale"), whole(degrees, "degrees", 2**32)
    return _integers(lambda n: _native.noise.student_t(of, law, n), size)


@overload
def laplace_log_normal(scale: Exact, shape: Exact, size: None = None) -> int: ...
@overload
def laplace_log_normal(scale: Exact, shape: Exact, size: Size) -> Integers: ...
def laplace_log_normal(
    scale: Exact, shape: Exact, size: Size | None = None
) -> int | Integers:
    """``floor(scale * L * exp(shape * N))`` for a Laplace ``L`` of scale 1 and a standard normal ``N``.

    >>> laplace_log_normal(scale=20, shape="1/2", size=5).shape
    (5,)
    """
    law, bend = exact(scale, "scale"), exact(shape, "shape")
    return _integers(lambda n: _native.noise.laplace_log_normal(law, bend, n), size)


@overload
def power_tailed_laplace(power: SupportsIndex, scale: Exact, size: None = None) -> int: ...
@overload
def power_tailed_laplace(power: SupportsIndex, scale: Exact, size: Size) -> Integers: ...
def power_tailed_laplace(
    power: SupportsIndex, scale: Exact, size: Size | None = None
) -> int | Integers:
    """``floor(scale * Z)``: nearly Laplace in the middle, with a tail that falls as ``|z|**-power``.

    ``power`` runs from 2 to 1024.

    >>> power_tailed_laplace(power=16, scale=20, size=5).shape
    (5,)
    """
    law, tail = exact(scale, "scale"), whole(power, "power", 2**32)
    return _integers(lambda n: _native.noise.power_tailed_laplace(tail, law, n), size)


def l2_laplace(dimension: SupportsIndex, scale: Exact, size: Size | None = None) -> Integers:
    """Vectors of density proportional to ``exp(-norm / scale)``, each number rounded to the nearest integer.

    Added to a vector of integers that one person moves by at most ``sensitivity`` in Euclidean norm, it is
    ``sensitivity / scale``-differentially private. The last axis of the array has ``dimension`` numbers.

    >>> l2_laplace(dimension=3, scale=10).shape, l2_laplace(dimension=3, scale=10, size=4).shape
    ((3,), (4, 3))
    """
    law, width = exact(scale, "scale"), whole(dimension, "dimension")
    shape = _shape(size)
    return _native.noise.l2_laplace(width, law, math.prod(shape)).reshape((*shape, width))


@overload
def bernoulli(probability: Exact, size: None = None) -> bool: ...
@overload
def bernoulli(probability: Exact, size: Size) -> Tosses: ...
def bernoulli(probability: Exact, size: Size | None = None) -> bool | Tosses:
    """Tosses of a coin that shows true with exactly this probability.

    >>> bernoulli("1/3", size=5).dtype.name
    'bool'
    >>> bernoulli(1), bernoulli(0)
    (True, False)
    """
    bias = exact(probability, "probability")
    return _tosses(lambda n: _native.noise.bernoulli(bias, n), size)


@overload
def bernoulli_exp(gamma: Exact, size: None = None) -> bool: ...
@overload
def bernoulli_exp(gamma: Exact, size: Size) -> Tosses: ...
def bernoulli_exp(gamma: Exact, size: Size | None = None) -> bool | Tosses:
    """Tosses of a coin that shows true with probability exactly ``exp(-gamma)``.

    >>> bernoulli_exp(0)
    True
    """
    fall = exact(gamma, "gamma")
    return _tosses(lambda n: _native.noise.bernoulli_exp(fall, n), size)


@overload
def uniform_below(bound: SupportsIndex, size: None = None) -> int: ...
@overload
def uniform_below(bound: SupportsIndex, size: Size) -> Integers: ...
def uniform_below(bound: SupportsIndex, size: Size | None = None) -> int | Integers:
    """Integers from 0 to below ``bound``, each with the same probability; ``bound`` is at most ``2**63``.

    >>> uniform_below(1, size=3).tolist()
    [0, 0, 0]
    """
    end = whole(bound, "bound")
    return _integers(lambda n: _native.noise.uniform_below(end, n), size)
