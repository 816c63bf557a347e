"""Ids of nodes, from whatever holds them, as the columns that the compiled part reads.

A graph has ids of one kind, whole numbers or texts: ``1`` and ``"1"`` in one graph would be one person or two, and nobody
but the caller knows which. Floats are no ids, because two of them may look like one. No error here shows an id.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from .errors import RequestError

Kind = Literal["number", "text"]


class Column(NamedTuple):
    """Ids of one kind; of none where there are none."""

    ids: NDArray[np.int64] | NDArray[np.uint64] | list[str]
    kind: Kind | None


_HINT = "ids are whole numbers or texts, all of one kind"


def column(values: Any, what: str) -> Column:
    """The ids of an array, of a column of a frame, or of anything that can be gone through."""
    if isinstance(values, (str, bytes)) or values is None:
        raise RequestError(f"the {what} are a {type(values).__name__}", "give a list or an array of ids")
    if not isinstance(values, np.ndarray) and hasattr(values, "to_numpy"):
        values = values.to_numpy()
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise RequestError(f"some of the {what} are masked", "give those that count: `.compressed()`")
    if isinstance(values, np.ndarray):
        return _of_array(cast("NDArray[Any]", values), what)
    if isinstance(values, range):
        return _of_array(np.arange(values.start, values.stop, values.step), what)
    if not isinstance(values, Iterable):
        raise RequestError(f"the {what} are a {type(values).__name__}", "give a list or an array of ids")
    return _of_list(_items(values), what)


def same_kind(*columns: Column | None) -> Kind | None:
    """The one kind of all these ids."""
    kinds: set[Kind] = {each.kind for each in columns if each is not None and each.kind is not None}
    if len(kinds) > 1:
        raise _mixed()
    return next(iter(kinds), None)


def pairs(values: Any) -> tuple[Any, Any]:
    """The two columns of an array of two columns, or of a list of pairs."""
    hint = "give sources and targets, an array of two columns, or a list of pairs"
    if isinstance(values, np.ndarray):
        array = cast("NDArray[Any]", values)
        if array.ndim != 2 or array.shape[1] != 2:
            raise RequestError("this array has not two columns", hint)
        return array[:, 0], array[:, 1]
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise RequestError(f"a {type(values).__name__} has no pairs", hint)
    sources: list[Any] = []
    targets: list[Any] = []
    for pair in _items(values):
        if isinstance(pair, (str, bytes)):
            raise RequestError("a text is no pair of ids", hint)
        try:
            source, target = pair
        except (TypeError, ValueError):
            raise RequestError("something in this list is no pair of ids", hint) from None
        sources.append(source)
        targets.append(target)
    return sources, targets


def _items(values: Any) -> list[Any]:
    return list(values)


def _of_array(array: NDArray[Any], what: str) -> Column:
    if array.ndim != 1:
        raise RequestError(f"the {what} have {array.ndim} dimensions", "give a column of ids")
    if array.size == 0:
        return Column(np.empty(0, dtype=np.int64), None)
    if array.dtype.kind == "i":
        return Column(array.astype(np.int64, copy=False), "number")
    if array.dtype.kind == "u":
        return Column(array.astype(np.uint64, copy=False), "number")
    if array.dtype.kind in "OUT":
        return _of_list(array.tolist(), what)
    raise RequestError(f"the {what} are of the type {array.dtype.name}", _HINT)


def _of_list(values: list[Any], what: str) -> Column:
    if not values:
        return Column(np.empty(0, dtype=np.int64), None)
    # What NumPy would make of a list is not asked: it turns 1 beside "1" into texts, and 2**63 beside -1 into floats.
    kinds = set(map(type, values))
    if all(issubclass(kind, str) for kind in kinds):
        return Column(values, "text")
    if all(issubclass(kind, (int, np.integer)) and not issubclass(kind, bool) for kind in kinds):
        return Column(_numbers(values), "number")
    if all(issubclass(kind, (int, np.integer, str)) and not issubclass(kind, bool) for kind in kinds):
        raise _mixed()
    names = ", ".join(sorted(kind.__name__ for kind in kinds))
    raise RequestError(f"the {what} are of the types {names}", _HINT)


def _numbers(values: list[Any]) -> NDArray[np.int64] | NDArray[np.uint64] | list[str]:
    lowest, highest = int(min(values)), int(max(values))
    if lowest >= -(2**63) and highest < 2**63:
        return np.array(values, dtype=np.int64)
    if lowest >= 0 and highest < 2**64:
        return np.array(values, dtype=np.uint64)
    # A number equals its decimal text.
    return [str(int(value)) for value in values]


def _mixed() -> RequestError:
    return RequestError(
        "some ids are whole numbers and others are texts",
        'turn all of them into texts, or all into numbers: whether 1 and "1" are one person is for you to say',
    )
