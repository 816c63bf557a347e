"""Declarations of frames, as the text of a catalog: the same words, read by the same reader."""

from __future__ import annotations

import datetime
import json
import operator
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from ._exact import exact
from ._native.curator import Frame
from .errors import RequestError

__all__ = ["catalog_text", "frames_of"]

#: What may be said about a column.
_KEYS = ("type", "lower", "upper", "step", "public_keys", "nullable", "name")


def quoted(text: str) -> str:
    """A TOML text. JSON's escapes are TOML's, but for signs beyond the first plane, which stay as they are."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _value(value: Any, name: str) -> str:
    """A value as TOML writes it: numbers that carry a promise as texts, which are read exactly."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return quoted(value)
    if hasattr(value, "isoformat"):
        return quoted(value.isoformat())
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_value(part, name) for part in value) + "]"
    text = exact(value, name)
    return quoted(text) if "/" in text else text


def _type_of(place: str, values: Sequence[Any]) -> str:
    """The type that declared values have. It follows from the declaration alone: what a frame stores may depend on its rows,
    as pandas makes floats of integers where one of them is missing."""
    kinds = {
        "boolean" if isinstance(value, bool)
        else "integer" if isinstance(value, (int, np.integer))
        else "decimal" if isinstance(value, (float, Decimal, Fraction, np.floating))
        else "timestamp" if isinstance(value, datetime.datetime)
        else "date" if isinstance(value, datetime.date)
        else "text" if isinstance(value, str)
        else "nothing"
        for value in values
    }  # fmt: skip
    if kinds == {"integer", "decimal"}:
        return "decimal"
    if len(kinds) != 1 or kinds == {"nothing"}:
        raise RequestError(
            f"the type of {place} does not follow from what is declared",
            "say it: {'type': 'integer'}, or 'float', 'decimal', 'text', 'boolean', 'date' or 'timestamp'",
        )
    return kinds.pop()


def _column(place: str, declared: Any) -> dict[str, Any]:
    """What is said about a column: ``(0, 120)`` are bounds, ``["a", "b"]`` are public keys, ``"text"`` is a type, a dict says all."""
    if isinstance(declared, str):
        said: dict[str, Any] = {"type": declared}
    elif isinstance(declared, Mapping):
        said = dict(declared)
    elif isinstance(declared, tuple) and len(declared) == 2:
        said = {"lower": declared[0], "upper": declared[1]}
    elif isinstance(declared, (list, set, frozenset)):
        said = {"public_keys": sorted(declared) if isinstance(declared, (set, frozenset)) else declared}
    else:
        raise RequestError(
            f"{place} is declared as {declared!r}",
            "give bounds as (0, 120), public keys as ['a', 'b'], a type as 'text', or a dict that says all",
        )
    for key in said:
        if key not in _KEYS:
            raise RequestError(f"{place} has no `{key}`", f"say {', '.join(_KEYS)}")
    if "type" not in said:
        values = [said[end] for end in ("lower", "upper") if end in said] or list(said.get("public_keys", ()))
        said = {"type": _type_of(place, values), **said}
    return said


def _amounts(budget: Any, what: str) -> str:
    """A budget or a share."""
    if not isinstance(budget, Mapping) or not budget:
        raise RequestError(f"{what} is {budget!r}", "give a dict such as {'epsilon': 1, 'delta': 1e-9}")
    parts = [f"{_key(name)} = {_value(exact(amount, name), name)}" for name, amount in budget.items()]
    return "{ " + ", ".join(parts) + " }"


def _key(name: Any) -> str:
    if not isinstance(name, str):
        raise RequestError(f"{name!r} is no name", "give names as texts")
    return quoted(name)


def _whole(value: Any, name: str) -> int:
    try:
        return operator.index(value)
    except TypeError:
        raise RequestError(f"{name} is {value!r}", "give a whole number") from None


def frames_of(given: Any) -> dict[str, Frame]:
    """Frames by the names of their tables, each taken once."""
    if not isinstance(given, Mapping):
        raise RequestError(
            f"frames is a {type(given).__name__}", "give a dict of frames by the names of tables, such as {'visits': frame}"
        )
    return {_name(name): Frame.of(name, _speaking_arrow(name, frame)) for name, frame in given.items()}


def _name(name: Any) -> str:
    if not isinstance(name, str):
        raise RequestError(f"{name!r} is no name of a table", "give names as texts")
    return name


def _speaking_arrow(name: str, frame: Any) -> Any:
    if isinstance(frame, Mapping):
        from ._native.models import ArrowFrame

        return ArrowFrame.of_columns([(str(column), values) for column, values in frame.items()])
    if type(frame).__module__.partition(".")[0] == "pandas":
        try:
            import pyarrow  # noqa: F401
        except ImportError:
            raise RequestError(
                f"`{name}` is of pandas, which hands its rows over by pyarrow, and that is not installed",
                "install pyarrow, or give a frame of polars, or a dict of arrays",
            ) from None
    return frame


def _of_table(given: Any, table: str, what: str, tables: Sequence[str]) -> Any:
    """What is said for one table, or for all of them at once."""
    if isinstance(given, Mapping):
        for name in given:
            if name not in tables:
                raise RequestError(f"{what} speaks of `{name}`, which is no frame", f"frames are {', '.join(tables)}")
        return given.get(table)
    return given


def catalog_text(
    frames: Mapping[str, Frame],
    *,
    privacy_unit: Any,
    budget: Mapping[str, Any],
    columns: Mapping[str, Any] | None,
    model: str,
    scope: str,
    max_groups: Any,
    max_contributions: Any,
    public: Sequence[str],
    version: str,
    analysts: Mapping[str, Any] | None,
) -> str:
    """The catalog of frames in memory."""
    tables = list(frames)
    for name in public:
        if name not in frames:
            raise RequestError(f"public speaks of `{name}`, which is no frame", f"frames are {', '.join(tables)}")
    columns = columns or {}
    for name in columns:
        if name not in frames:
            raise RequestError(f"columns speak of `{name}`, which is no frame", f"frames are {', '.join(tables)}")
    lines = [f"[scope.{_key(scope)}]", f"budget = {_amounts(budget, 'budget')}", f"model = {quoted(model)}"]
    for table, frame in frames.items():
        lines += ["", f"[table.{_key(table)}]", f"source = {quoted('memory:' + table)}", f"version = {quoted(version)}"]
        if table in public:
            lines.append("public = true")
        else:
            unit = _of_table(privacy_unit, table, "privacy_unit", tables)
            if unit is None:
                raise RequestError(
                    f"nobody said whose the rows of `{table}` are",
                    "give privacy_unit a column that names people, or 'row' where every row is another person",
                )
            if unit == "row" and "row" in frame.columns():
                raise RequestError(
                    f"`row` is a column of `{table}`, and the word for rows that are people",
                    "rename the column, or leave it out of the frame",
                )
            lines.append(f"scope = {quoted(scope)}")
            lines.append(f"privacy_unit = {_unit(unit, table)}")
            for name, bound in (("max_groups", max_groups), ("max_contributions", max_contributions)):
                most = _of_table(bound, table, name, tables)
                if most is not None:
                    lines.append(f"{name} = {_whole(most, name)}")
        lines += ["", f"[table.{_key(table)}.columns]"]
        declared = columns.get(table, {})
        if not isinstance(declared, Mapping):
            raise RequestError(f"columns of `{table}` are {declared!r}", "give a dict from names to declarations")
        stored = frame.columns()
        for name in declared:
            in_frame = declared[name].get("name", name) if isinstance(declared[name], Mapping) else name
            if in_frame not in stored:
                raise RequestError(
                    f"`{table}` has no column `{in_frame}`", f"its columns are {', '.join(stored)}"
                )
        for name, entry in declared.items():
            said = _column(f"column `{name}` of `{table}`", entry)
            parts = ", ".join(f"{key} = {_value(value, key)}" for key, value in said.items())
            lines.append(f"{_key(name)} = {{ {parts} }}")
    for analyst, share in (analysts or {}).items():
        lines += ["", f"[analyst.{_key(analyst)}]", f"shares = {{ {_key(scope)} = {_amounts(share, 'a share')} }}"]
    return "\n".join(lines) + "\n"


def _unit(unit: Any, table: str) -> str:
    if isinstance(unit, str):
        return quoted(unit)
    if isinstance(unit, Mapping) and set(unit) == {"column", "references"}:
        return f"{{ column = {quoted(unit['column'])}, references = {quoted(unit['references'])} }}"
    raise RequestError(
        f"the privacy unit of `{table}` is {unit!r}",
        "give a column's name, 'row', or {'column': 'visit_id', 'references': 'visits.id'}",
    )
