"""Numbers that carry a promise, as the text of an exact number.

A float is taken as the decimal that Python prints for it: 0.1 is one tenth, which is what somebody who writes ``0.1`` means.
"""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any, TypeAlias

from .errors import RequestError

#: What is taken for a parameter: ``1``, ``0.1``, ``"1/3"``, ``Fraction(1, 3)``, ``Decimal("0.1")``.
Exact: TypeAlias = "int | float | str | Decimal | Fraction"


def exact(value: Any, name: str) -> str:
    """The text of an exact number; ``name`` is the parameter's, for the error."""
    hint = f"give {name} as a number, a text such as '1/3', a Fraction or a Decimal"
    if hasattr(value, "item") and getattr(value, "ndim", None) == 0:
        value = value.item()
    if isinstance(value, bool) or value is None:
        raise RequestError(f"{name} is {value!r}, which is no number", hint)
    if isinstance(value, str):
        return value
    if isinstance(value, Fraction):
        return f"{value.numerator}/{value.denominator}"
    if isinstance(value, (int, Decimal)):
        return str(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise RequestError(f"{name} is {value!r}, which is no number", hint)
        return repr(value)
    raise RequestError(f"{name} is a {type(value).__name__}, which is no number", hint)


def exact_or_none(value: Any, name: str) -> str | None:
    """The same, where nothing is given."""
    return None if value is None else exact(value, name)
