"""Exact noise: every sampler has exactly the law that its name says, from the operating system's randomness.

There is no seed. Noise alone is not a private answer: add it once to an integer whose sensitivity you know, and
count what you spend; :mod:`pointillist.mechanisms` does the first and :func:`pointillist.open` both.

>>> import pointillist
>>> draws = pointillist.noise.discrete_laplace(scale=10, size=1_000)
>>> draws.shape, draws.dtype.name
((1000,), 'int64')
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from . import _native
from ._exact import Exact, exact

__all__ = ["discrete_laplace", "discrete_gaussian"]


def discrete_laplace(scale: Exact, size: int = 1) -> NDArray[np.int64]:
    """Integers ``k`` with probability proportional to ``exp(-|k| / scale)``."""
    return _native.noise.integer_noise("discrete_laplace", exact(scale, "scale"), size)


def discrete_gaussian(scale: Exact, size: int = 1) -> NDArray[np.int64]:
    """Integers ``k`` with probability proportional to ``exp(-k**2 / (2 * scale**2))``."""
    return _native.noise.integer_noise("discrete_gaussian", exact(scale, "scale"), size)
