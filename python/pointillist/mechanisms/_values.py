"""Data on their way in: whole numbers, floats at their exact values, and exact numbers as texts."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .._exact import Exact, exact
from ..errors import RequestError

#: Numbers of somebody's data: a list, an array, a column of a data frame.
Numbers: TypeAlias = "Iterable[Exact] | NDArray[Any]"
#: Data by person: one number a person, or one list a person.
PeopleNumbers: TypeAlias = "Iterable[Exact] | Iterable[Iterable[Exact]] | NDArray[Any]"
#: What the compiled part takes.
Prepared: TypeAlias = "NDArray[np.int64] | NDArray[np.float64] | list[str]"

_SEVERAL = (list, tuple, set, frozenset, np.ndarray)


def listed(values: Any, name: str) -> list[Any]:
    """Several values, of a mapping or of anything that can be gone through; a text is one."""
    if isinstance(values, (str, bytes)) or not hasattr(values, "__iter__"):
        raise RequestError(
            f"{name} is a {type(values).__name__}, and several are needed", f"give {name} as a list or an array"
        )
    is_mapping = hasattr(values, "keys") and callable(getattr(values, "values", None))
    return list(values.values()) if is_mapping else list(values)


def unmasked(values: Any, name: str) -> Any:
    """Refuses what somebody has masked out: it is in the array all the same."""
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise RequestError(f"some of {name} are masked", "give those that count: `.compressed()`")
    return values


def _exact_value(item: Any, name: str) -> str:
    """The text of a number of somebody's data. An error does not say it."""
    try:
        return exact(item, name)
    except RequestError:
        raise RequestError(f"one of {name} is a {type(item).__name__}, which is no number", f"give {name} as numbers") from None


def numbers(values: Any, name: str) -> Prepared:
    """One list of numbers, unrounded."""
    values = unmasked(values, name)
    if hasattr(values, "__array__") and not isinstance(values, _SEVERAL[:4]):
        array: NDArray[Any] = np.asarray(values)
        if array.ndim != 1:
            raise RequestError(f"{name} has {array.ndim} dimensions", f"give {name} as one list")
        return _of_array(array, name)
    return _of_list(listed(values, name), name)


def _of_array(array: NDArray[Any], name: str) -> Prepared:
    kind = array.dtype.kind
    if kind in "biu":
        return _whole_array(array, name)
    if kind == "f":
        return np.ascontiguousarray(array, dtype=np.float64)
    if kind in "OUS":
        return _of_list(array.tolist(), name)
    raise RequestError(f"{name} are {array.dtype}, which are no numbers", f"give {name} as integers or floats")


def _of_list(items: list[Any], name: str) -> Prepared:
    kinds: set[Any] = {type(item) for item in items}
    if kinds <= {int, bool}:
        try:
            return np.array(items, dtype=np.int64)
        except OverflowError:
            return [_exact_value(int(item), name) for item in items]
    if kinds == {float}:
        return np.array(items, dtype=np.float64)
    return [_exact_value(item, name) for item in items]


def _whole_array(array: NDArray[Any], name: str) -> NDArray[np.int64]:
    if array.dtype.kind == "u" and array.size and int(array.max()) > np.iinfo(np.int64).max:
        raise RequestError(f"{name} have numbers beyond 64 bits", "give integers below 2**63")
    return np.ascontiguousarray(array, dtype=np.int64)


def whole_numbers(values: Any, name: str) -> NDArray[np.int64]:
    """Whole numbers in an array of any shape; floats are refused, because rounding is the caller's to choose."""
    refusal = RequestError(f"{name} are no whole numbers of 64 bits", "round them first, such as with astype('int64')")
    values = unmasked(values, name)
    try:
        array: NDArray[Any] = np.asarray(values if hasattr(values, "__array__") else listed(values, name))
    except ValueError:
        # Lists of different lengths.
        raise refusal from None
    if array.size == 0:
        return np.zeros(array.shape, dtype=np.int64)
    if array.dtype.kind not in "biu":
        raise refusal
    return _whole_array(array, name)


def counts(values: Any, name: str) -> list[int]:
    """Whole numbers that are not negative."""
    array = whole_numbers(values, name).ravel()
    if array.size and int(array.min()) < 0:
        raise RequestError(f"{name} have a number below zero", "counts begin at zero")
    taken: list[int] = array.tolist()
    return taken


def people(values: Any, name: str) -> tuple[Prepared, list[int] | None]:
    """All rows, and how many each person has; nothing where every row is another person."""
    values = unmasked(values, name)
    if hasattr(values, "__array__") and not isinstance(values, _SEVERAL[:4]):
        array: NDArray[Any] = np.asarray(values)
        if array.ndim == 2:
            return _of_array(array.ravel(), name), [array.shape[1]] * array.shape[0]
        if array.dtype.kind != "O":
            return numbers(array, name), None
        values = array.tolist()
    items = listed(values, name)
    if not any(isinstance(item, _SEVERAL) for item in items):
        return _of_list(items, name), None
    lists = _all_lists(items, name)
    return _of_list([item for rows in lists for item in rows], name), [len(rows) for rows in lists]


def _all_lists(items: list[Any], name: str) -> list[list[Any]]:
    if not all(isinstance(item, _SEVERAL) for item in items):
        raise RequestError(
            f"{name} mixes rows and lists of rows", "give one row a person, or one list of rows a person"
        )
    return [item.tolist() if isinstance(item, np.ndarray) else list(item) for item in items]


def keys_by_person(values: Any, name: str) -> tuple[list[Any], list[int] | None]:
    """All keys, and how many each person has; nothing where every key is another person's."""
    if hasattr(values, "tolist"):
        values = values.tolist()
    elif hasattr(values, "to_list"):
        values = values.to_list()
    items = listed(values, name)
    if not any(isinstance(item, _SEVERAL) for item in items):
        return items, None
    lists = _all_lists(items, name)
    return [key for keys in lists for key in keys], [len(keys) for keys in lists]


def ordered(keys: Iterable[Any]) -> list[Any]:
    """Every key once, in rising order: the order of an answer must not be the order of the data.

    Keys are of one type, and each is itself: of keys that are equal and look different, the one that came first would tell who
    came first, and what is not equal to itself has no place in an order.
    """
    known = list(keys)
    kinds = {type(key) for key in known}
    if len(kinds) > 1:
        raise RequestError("the keys are of several types", "give keys of one type, such as all texts or all integers")
    if kinds & {float, np.float64, np.float32, Decimal, Fraction, complex}:
        raise RequestError("the keys are numbers with fractions", "give texts or whole numbers as keys")
    try:
        if any(key is None or key != key for key in known):
            raise RequestError("a key is missing", "leave such rows out, or give them a key")
        return sorted(set(known))
    except TypeError:
        raise RequestError(
            "the keys cannot be hashed and sorted", "give keys of one kind, such as all texts or all integers"
        ) from None


def is_one(value: Any) -> bool:
    """Whether this is one value rather than several."""
    if hasattr(value, "ndim"):
        return bool(value.ndim == 0)
    return isinstance(value, (str, bytes)) or not isinstance(value, Iterable)
