"""Whole numbers, checked before the compiled part reads them."""

from __future__ import annotations

import operator
from typing import SupportsIndex

from .errors import RequestError

#: Above the largest number of 64 bits.
WORD = 2**64


def whole(value: SupportsIndex, name: str, below: int = WORD) -> int:
    """A whole number that is not negative; ``name`` is the parameter's, for the error.

    What is no whole number at all is a ``TypeError``, as everywhere in Python.
    """
    number = operator.index(value)
    if not 0 <= number < below:
        raise RequestError(f"{name} is {number}", f"give a whole number from 0 to {below - 1}")
    return number


def whole_or_none(value: SupportsIndex | None, name: str) -> int | None:
    """The same, where nothing is given."""
    return None if value is None else whole(value, name)
