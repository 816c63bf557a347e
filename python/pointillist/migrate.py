"""Declarations that other libraries have, as the text of a ``pointillist.toml``.

Bounds, keys and units are taken over exactly as they were declared, and none is invented. What has no counterpart is never
dropped in silence: it is in the ``notes`` of what comes back. A catalog is a promise to people: read the text before you use it.

>>> from pointillist.migrate import from_opendp_margins
>>> catalog = from_opendp_margins(
...     "visits",
...     source="memory:visits",
...     privacy_unit={"identifier": "patient_id", "contributions": [{"by": ["region"], "per_group": 3, "num_groups": 2}]},
...     privacy_loss={"epsilon": 1, "delta": 1e-9},
...     margins=[{"by": ["region"], "invariant": "keys", "keys": ["north", "south"]}],
...     columns={"region": str, "age": {"T": "i32", "bounds": (0, 120)}},
... )
>>> print(catalog)
# A Pointillist catalog, taken over from OpenDP descriptors. Analysts may read all of this file.
# Read the notes, check the source, then run `pointillist check`.
<BLANKLINE>
[scope.people]
budget = { epsilon = 1, delta = 1e-09 }
<BLANKLINE>
[table.visits]
scope = "people"
source = "memory:visits"
privacy_unit = "patient_id"
max_groups = 2
max_contributions = 3
<BLANKLINE>
[table.visits.columns]
region = { type = "text", public_keys = ["north", "south"] }
age = { type = "integer", lower = 0, upper = 120 }
<BLANKLINE>
>>> for note in catalog.notes:
...     print(note)
the keys of `region` are public: every one of them is shown, with noise, whether or not it occurs
"""

from __future__ import annotations

import dataclasses
import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from ._catalog import quoted
from ._exact import exact
from ._native import migration as _migration
from .errors import RequestError

__all__ = ["CatalogText", "from_opendp_margins", "from_smartnoise"]

#: In place of what only the owner knows.
_FILL_IN = "FILL_IN"


class CatalogText(str):
    """The text of a ``pointillist.toml``, and in ``notes`` what had no counterpart or should be looked at."""

    notes: tuple[str, ...]

    def __new__(cls, text: str, notes: Iterable[str] = ()) -> CatalogText:
        made = super().__new__(cls, text)
        made.notes = tuple(notes)
        return made

    def save(self, path: str | os.PathLike[str] = "pointillist.toml") -> None:
        """Writes the text to a new file; one that is there already is left alone."""
        try:
            with Path(path).open("x", encoding="utf-8") as file:
                file.write(self)
        except FileExistsError:
            raise RequestError(f"{os.fspath(path)} is already there", "take another path, or move it away") from None

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (str(self), self.notes)


def from_smartnoise(
    metadata: str | os.PathLike[str] | Mapping[str, Any], *, catalog: str | os.PathLike[str] = "pointillist.toml"
) -> CatalogText:
    """The catalog that stands for SmartNoise SQL metadata: the path of its YAML, its text, or the same as a dict.

    ``catalog`` is where the text will be kept: the place of its anchor follows from it.

    >>> from pointillist.migrate import from_smartnoise
    >>> metadata = {"": {"clinic": {"visits": {
    ...     "max_ids": 3,
    ...     "patient_id": {"type": "int", "private_id": True},
    ...     "age": {"type": "int", "lower": 0, "upper": 120},
    ... }}}}
    >>> text = from_smartnoise(metadata)
    >>> "age = { type = \\"integer\\", lower = 0, upper = 120 }" in text
    True
    >>> text.notes[-1]
    'the budget is a placeholder: SmartNoise keeps none in its metadata'
    """
    if isinstance(metadata, Mapping):
        try:
            # JSON is YAML, and numbers stay as they are written.
            text = json.dumps(metadata, default=_plain, ensure_ascii=False)
        except (TypeError, ValueError, RecursionError):
            raise RequestError(
                "this is no metadata of SmartNoise", "give a dict of dicts of texts, numbers and truth values"
            ) from None
    elif isinstance(metadata, os.PathLike):
        text = _read(metadata)
    elif isinstance(metadata, str):
        # Metadata has colons. A path may have one too: a file that is there is read.
        is_path = "\n" not in metadata and (":" not in metadata or os.path.isfile(metadata))
        text = _read(metadata) if is_path else metadata
    else:
        raise RequestError(
            f"a {type(metadata).__name__} is no metadata of SmartNoise", "give a path, the text of a YAML, or a dict"
        )
    return CatalogText(*_migration.from_smartnoise(text, os.fspath(catalog)))


def from_opendp_margins(
    table: str,
    *,
    privacy_unit: Mapping[str, Any],
    privacy_loss: Mapping[str, Any] | None = None,
    margins: Sequence[Any] | Mapping[Any, Any] = (),
    columns: Mapping[str, Any] | None = None,
    split_evenly_over: int | None = None,
    split_by_weights: Sequence[float] | None = None,
    source: str | None = None,
    scope: str = "people",
    catalog: str | os.PathLike[str] = "pointillist.toml",
) -> CatalogText:
    """The catalog that stands for what an OpenDP ``Context`` is told.

    :param table: A name for the table, which OpenDP has not.
    :param privacy_unit: The arguments of ``dp.unit_of`` as a dict: ``{"contributions": 1}``, ``{"identifier": "patient_id",
        "contributions": 1}``, or with bounds ``{"identifier": …, "contributions": [{"by": […], "per_group": 3, "num_groups": 2}]}``.
    :param privacy_loss: Those of ``dp.loss_of``: ``{"epsilon": 1, "delta": 1e-9}`` or ``{"rho": 0.5}``.
    :param margins: A list of margins as dicts or ``dp.polars.Margin``, or a dict from grouping columns to them, by the old names
        (``public_info``, ``max_partition_length``, ``max_num_partitions``) or the new. ``"keys"`` beside ``by`` lists the keys.
    :param columns: For each column its domain: a type (``"i32"``, ``float``, ``polars.String``), or a dict with ``T`` (or ``dtype``)
        and perhaps ``bounds``, ``categories``, ``nullable`` and ``nan``.
    :param source: Where the rows are, ``"memory:visits"`` for a frame of :meth:`pointillist.Session.from_catalog`.
    """
    notes: list[str] = []
    unit = _Unit.of(privacy_unit, notes)
    keys = _keys(margins, unit, notes)
    for name, given in (("split_evenly_over", split_evenly_over), ("split_by_weights", split_by_weights)):
        if given is not None:
            notes.append(f"`{name}` has no counterpart: every question names its own price here, and nothing is split in advance")
    lines = [
        "# A Pointillist catalog, taken over from OpenDP descriptors. Analysts may read all of this file.",
        "# Read the notes, check the source, then run `pointillist check`.",
        "",
        f"[scope.{_key(scope)}]",
        *_budget(privacy_loss, notes),
        "",
        f"[table.{_key(table)}]",
        f"scope = {_text(scope, 'scope')}",
    ]
    if source is None:
        source = f"{table}.csv"
        notes.append("the source is a placeholder: OpenDP is handed a frame, and does not say where it came from")
    lines += [f"source = {_text(source, 'source')}", f"privacy_unit = {quoted(unit.column)}", *unit.lines(notes)]
    declared = _columns(columns or {}, unit.column, keys, notes)
    if declared:
        lines += ["", f"[table.{_key(table)}.columns]", *declared]
    for column in keys:
        notes.append(f"the keys of `{column}` are public, and the column is not declared: declare its type, and they are shown")
    text = "\n".join(lines) + "\n"
    # What only the owner knows is left open, and everything else must be right.
    _migration.check_catalog(text.replace(f"privacy_unit = {quoted(_FILL_IN)}", 'privacy_unit = "somebody"'))
    if not source.startswith("memory:"):
        text += _migration.anchor_section(os.fspath(catalog))
    return CatalogText(text, notes)


@dataclasses.dataclass
class _Unit:
    """Whose rows they are, and how many of them count."""

    column: str
    max_groups: int | None = None
    max_contributions: int | None = None

    @classmethod
    def of(cls, given: Any, notes: list[str]) -> _Unit:
        if not isinstance(given, Mapping):
            raise RequestError(
                f"the privacy unit is a {type(given).__name__}",
                "give the arguments of dp.unit_of as a dict, such as {'identifier': 'patient_id', 'contributions': 1}",
            )
        said = _dict(given)
        identifier = _column_name(said.pop("identifier")) if said.get("identifier") is not None else None
        said.pop("identifier", None)
        if said.pop("ordered", False):
            notes.append("`ordered` has no counterpart: the order of rows plays no part here")
        said.pop("U", None)
        distances = {name: value for name, value in said.items() if value is not None}
        unit = cls(identifier or _FILL_IN)
        if len(distances) != 1:
            raise RequestError(
                "the privacy unit says not exactly one distance", "give contributions, and perhaps an identifier"
            )
        ((distance, value),) = distances.items()
        if distance in ("local", "absolute", "l1", "l2"):
            notes.append(f"`{distance}` has no counterpart: people have rows here; fill in privacy_unit")
        elif distance == "changes":
            notes.append("`changes` has no counterpart: neighbours differ by all rows of one person here, and a change is two such steps")
            unit._rows(value, identifier, notes)
        elif distance != "contributions":
            raise RequestError(f"dp.unit_of has no `{distance}`", "give contributions, and perhaps an identifier")
        elif isinstance(value, Sequence) and not isinstance(value, str):
            unit._bounds(_list(value), identifier, notes)
        else:
            unit._rows(value, identifier, notes)
        return unit

    def _rows(self, value: Any, identifier: str | None, notes: list[str]) -> None:
        count = _count(value, "contributions")
        if identifier is not None:
            if count > 1:
                notes.append(
                    f"{count} identifiers a person have no counterpart: one identifier is one person here; "
                    f"divide epsilon by {count}, or rho by {count * count}, to protect {count} at once"
                )
        elif count == 1:
            self.column = "row"
        else:
            notes.append(
                f"contributions = {count} without an identifier: nothing says whose rows they are; fill in privacy_unit, "
                f"or write \"row\" and divide epsilon by {count}, or rho by {count * count}"
            )

    def _bounds(self, bounds: list[Any], identifier: str | None, notes: list[str]) -> None:
        if identifier is None:
            notes.append("no identifier says whose rows they are; fill in privacy_unit")
        for each in bounds:
            said = _fields(each, "a bound")
            by = _by(said.pop("by", ()))
            for theirs, ours in (("per_group", "max_contributions"), ("num_groups", "max_groups")):
                given = said.pop(theirs, None)
                if given is not None:
                    self.at_most(ours, _count(given, theirs), by, notes)
            if said:
                raise RequestError(f"a bound has no `{next(iter(said))}`", "say by, per_group and num_groups")

    def at_most(self, ours: str, count: int, by: Sequence[str], notes: list[str]) -> None:
        """A bound is for all questions here; of several the largest drops nobody's rows that OpenDP would keep."""
        known = cast("int | None", getattr(self, ours))
        if known is not None and known != count:
            where = ", ".join(by) or "nothing"
            notes.append(
                f"`{ours}` is {max(known, count)}, the largest of several bounds; ask questions grouped by {where} with "
                f"{ours}={count if count < known else known} for less noise"
            )
        setattr(self, ours, count if known is None else max(known, count))

    def lines(self, notes: list[str]) -> list[str]:
        bounds = (("max_groups", self.max_groups), ("max_contributions", self.max_contributions))
        said = [f"{name} = {bound}" for name, bound in bounds if bound is not None]
        if self.column == "row" and said:
            notes.append("bounds of a person's rows are left out: every row is another person")
            return []
        return said


def _keys(margins: Any, unit: _Unit, notes: list[str]) -> dict[str, list[Any]]:
    """The keys of each column that are public."""
    keys: dict[str, list[Any]] = {}
    if isinstance(margins, Mapping):
        pairs = [(_by(by), _fields(margin, "a margin")) for by, margin in _dict(margins).items()]
    elif isinstance(margins, Sequence) and not isinstance(margins, str):
        given = [_fields(margin, "a margin") for margin in _list(margins)]
        pairs = [(_by(said.pop("by", ())), said) for said in given]
    else:
        raise RequestError(f"margins are a {type(margins).__name__}", "give a list of dicts, or a dict from columns to them")
    for by, said in pairs:
        said.pop("by", None)
        where = "the margin by " + ", ".join(f"`{column}`" for column in by) if by else "the margin of all rows"
        _margin(by, where, said, unit, keys, notes)
    return keys


def _margin(
    by: list[str], where: str, said: dict[str, Any], unit: _Unit, keys: dict[str, list[Any]], notes: list[str]
) -> None:
    def taken(*names: str) -> Any:
        found = [value for name in names if (value := said.pop(name, None)) is not None]
        return found[0] if found else None

    if taken("max_length", "max_partition_length") is not None:
        notes.append(f"{where}: a largest length has no counterpart: a person's rows are bounded here, not those of a table")
    if taken("max_groups", "max_num_partitions") is not None:
        notes.append(
            f"{where}: a largest number of groups has no counterpart; `max_groups` here is how many groups one person touches"
        )
    for theirs, ours in (("max_partition_contributions", "max_contributions"), ("max_influenced_partitions", "max_groups")):
        bound = taken(theirs)
        if bound is not None:
            unit.at_most(ours, _count(bound, theirs), by, notes)
    listed = taken("keys")
    invariant = taken("invariant", "public_info")
    if said:
        raise RequestError(
            f"a margin has no `{next(iter(said))}`", "say by, max_length, max_groups, invariant and perhaps keys"
        )
    if invariant not in (None, "keys", "lengths"):
        raise RequestError(f"{where} has the invariant {invariant!r}", "OpenDP has keys and lengths")
    if listed is not None and invariant is None:
        notes.append(f"{where}: keys are listed, so they are taken to be public")
    if invariant == "lengths":
        notes.append(f"{where}: public lengths have no counterpart: how many rows a group has is protected here, and costs")
    if listed is not None:
        for column, values in _listed(by, listed, where).items():
            if column in keys and keys[column] != values:
                raise RequestError(f"the keys of `{column}` are listed twice, and differ", "list them once")
            keys[column] = values
    elif invariant is not None:
        notes.append(
            f"{where}: its keys are public, and not listed: list public_keys of each column, or enough people must have a key "
            "for it to be shown"
        )
    if len(by) > 1 and (listed is not None or invariant is not None):
        notes.append(f"{where}: public keys are those of a column here, and all combinations of them are shown")


def _listed(by: list[str], listed: Any, where: str) -> dict[str, list[Any]]:
    if isinstance(listed, Mapping):
        found = {_column_name(column): values for column, values in _dict(listed).items()}
        if set(found) <= set(by):
            return {column: _values(values, where) for column, values in found.items()}
    elif len(by) == 1:
        return {by[0]: _values(listed, where)}
    raise RequestError(f"{where} has keys of other columns", "give a list for one column, or a dict from columns to lists")


def _values(given: Any, where: str) -> list[Any]:
    if hasattr(given, "to_list"):
        given = given.to_list()
    elif hasattr(given, "tolist"):
        given = given.tolist()
    if isinstance(given, (str, bytes, Mapping)) or not isinstance(given, Iterable):
        raise RequestError(f"the keys of {where} are no list", "give a list of keys")
    return _list(given)


def _budget(given: Any, notes: list[str]) -> list[str]:
    if given is None:
        notes.append("the budget is a placeholder: decide what may ever be learnt about one person")
        return ["budget = { epsilon = 1.0, delta = 1e-9 }"]
    if not isinstance(given, Mapping):
        raise RequestError(
            f"the privacy loss is a {type(given).__name__}",
            "give the arguments of dp.loss_of as a dict, such as {'epsilon': 1, 'delta': 1e-9}",
        )
    said = {name: value for name, value in _dict(given).items() if value is not None}
    amounts = {name: _number(value, name) for name, value in said.items()}
    if set(amounts) == {"epsilon"}:
        return ['model = "pure"', f"budget = {{ epsilon = {amounts['epsilon']} }}"]
    if set(amounts) == {"rho"}:
        amounts["delta"] = "1e-9"
        notes.append("delta = 1e-9 is a placeholder: keys that are not public, and epsilon of a rho, need one")
    if set(amounts) not in ({"epsilon", "delta"}, {"rho", "delta"}):
        raise RequestError("this is no privacy loss", "give epsilon, epsilon and delta, or rho, and perhaps delta")
    return ["budget = { " + ", ".join(f"{name} = {amount}" for name, amount in amounts.items()) + " }"]


#: Types of OpenDP, Rust, Python and polars, by the type of a catalog.
_TYPES = {
    "integer": "i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 usize int int8 int16 int32 int64 uint8 uint16 uint32 uint64 integer",
    "decimal": "f32 f64 float float32 float64 decimal",
    "text": "string str utf8 text categorical enum",
    "boolean": "bool boolean",
    "date": "date naivedate",
    "timestamp": "datetime naivedatetime timestamp",
}


def _columns(given: Mapping[str, Any], unit: str, keys: dict[str, list[Any]], notes: list[str]) -> list[str]:
    """The lines of all columns; keys that found their column are taken out."""
    lines: list[str] = []
    taken: set[str] = set()
    for header, descriptor in given.items():
        said = _descriptor(header, descriptor)
        place = f"column `{header}`"
        word = _type(said.pop("T"), place)
        bounds = said.pop("bounds", None)
        public = keys.pop(header, None)
        categories = said.pop("categories", None)
        if categories is not None:
            categories = _values(categories, place)
            if public is not None and public != categories:
                notes.append(f"{place}: its listed keys are taken, not its categories")
            public = categories if public is None else public
        nullable, nan = said.pop("nullable", None), said.pop("nan", None)
        if said:
            raise RequestError(f"{place} has no `{next(iter(said))}`", "say T, bounds, categories, nullable and nan")
        if header == unit:
            notes.append(f"{place} names people: it is not declared, and only COUNT(DISTINCT) may ask about it")
            continue
        parts = [f'type = "{word}"']
        name = _valid(header, taken)
        if name != header:
            parts.append(f"name = {quoted(header)}")
            notes.append(f"{place} is called `{name}` in questions")
        if bounds is not None:
            lower, upper = _pair(bounds, place)
            if word in ("integer", "decimal", "date", "timestamp"):
                parts += [f"lower = {_value(lower, place)}", f"upper = {_value(upper, place)}"]
            else:
                notes.append(f"{place}: bounds of a column that is no number and no time are left out")
        elif word in ("integer", "decimal"):
            notes.append(f"{place} has no bounds: OpenDP names them in each sum; here sums and means need them declared")
        if public is not None:
            parts.append("public_keys = [" + ", ".join(_value(key, place) for key in public) + "]")
            notes.append(f"the keys of `{header}` are public: every one of them is shown, with noise, whether or not it occurs")
        if nullable is False:
            parts.append("nullable = false")
            notes.append(f"{place} is declared without missing values: rows that lack one are left out of questions about it")
        if nan is not None:
            notes.append(f"{place}: `nan` has no counterpart: what is no number is missing here")
        lines.append(f"{_key(name)} = {{ {', '.join(parts)} }}")
    return lines


def _descriptor(header: Any, given: Any) -> dict[str, Any]:
    """A domain as a dict with ``T``; ``(0, 120)`` is a pair of bounds."""
    if not isinstance(header, str):
        raise RequestError(f"{header!r} is no name of a column", "give names as texts")
    said: dict[str, Any]
    if isinstance(given, Mapping):
        said = _dict(given)
        for theirs in ("dtype", "type"):
            if theirs in said:
                said.setdefault("T", said.pop(theirs))
    elif isinstance(given, tuple):
        said = {"bounds": given}
    else:
        said = {"T": given}
    if type(said.get("T")).__name__ == "Enum" and hasattr(said["T"], "categories"):
        said.setdefault("categories", said["T"].categories)
    if "T" not in said:
        lower, upper = _pair(said.get("bounds"), f"column `{header}`")
        said["T"] = "int" if isinstance(lower, int) and isinstance(upper, int) else "float"
    return said


def _type(given: Any, place: str) -> str:
    word = given if isinstance(given, str) else getattr(given, "__name__", None) or str(given)
    # `Option<i32>`, `Datetime(time_unit='us')` and `pl.Int64` are told by their innermost or first name.
    names = re.findall(r"[A-Za-z]\w*", word.removeprefix("pl.").removeprefix("polars."))
    for name in reversed(names[:2]) if names[:1] == ["Option"] else names[:1]:
        for ours, theirs in _TYPES.items():
            if name.lower() in theirs.split():
                return ours
    raise RequestError(
        f"{place} has the type {word!r}, which has no counterpart",
        "leave the column out, or give an integer, a float, a text, a boolean, a date or a moment",
    )


def _pair(given: Any, place: str) -> tuple[Any, Any]:
    if isinstance(given, (tuple, list)) and len(ends := _list(given)) == 2:
        return ends[0], ends[1]
    raise RequestError(f"{place} has no pair of bounds and no type", "give T, or bounds as (0, 120)")


def _value(given: Any, place: str) -> str:
    """A value as TOML writes it."""
    if isinstance(given, bool):
        return "true" if given else "false"
    if isinstance(given, str):
        return quoted(given)
    if given is None:
        raise RequestError(f"{place}: nothing is no value", "leave it out")
    if hasattr(given, "isoformat"):
        return quoted(given.isoformat())
    return _number(given, place)


def _number(given: Any, name: str) -> str:
    """A number as TOML writes it: a fraction as a text, which is read exactly."""
    text = exact(given, name)
    return text if re.fullmatch(r"-?\d+(\.\d+)?([eE][-+]?\d+)?", text) else quoted(text)


def _count(given: Any, name: str) -> int:
    if isinstance(given, bool) or not isinstance(given, int) or not 1 <= given <= 1_000_000:
        raise RequestError(f"{name} is no count", "give a whole number from 1 to 1000000")
    return given


def _fields(given: Any, what: str) -> dict[str, Any]:
    """What is said, from a dict or from one of OpenDP's own descriptions."""
    if isinstance(given, Mapping):
        return _dict(given)
    if dataclasses.is_dataclass(given) and not isinstance(given, type):
        return {each.name: getattr(given, each.name) for each in dataclasses.fields(given)}
    raise RequestError(f"{what} is a {type(given).__name__}", "give a dict, or OpenDP's own description")


def _by(given: Any) -> list[str]:
    if isinstance(given, (list, tuple, set, frozenset)):
        return [_column_name(column) for column in _list(given)]
    return [_column_name(given)]


def _column_name(given: Any) -> str:
    """A column's name, or that of a polars expression which is a column."""
    if isinstance(given, str):
        return given
    meta = getattr(given, "meta", None)
    names: list[str] = meta.root_names() if meta is not None else []
    if meta is not None and len(names) == 1 and str(given) == f'col("{names[0]}")':
        return names[0]
    raise RequestError(
        "a column is named by an expression, which has no counterpart",
        "give the column's name; what is computed from columns is written in the SQL of a question",
    )


def _valid(header: str, taken: set[str]) -> str:
    """The name in questions: letters, digits and underscores, not taken yet."""
    name = header
    is_name = all(sign.isalpha() or sign in "0123456789_" for sign in header) and not header[:1].isdigit()
    if not is_name or not 0 < len(header.encode("utf-8", "replace")) <= 63:
        name = re.sub(r"\W+", "_", header, flags=re.ASCII).strip("_").lower()[:50] or "column"
        name = f"column_{name}" if name[0].isdigit() else name
    tried, number = name, 2
    while tried.lower() in taken:
        tried, number = f"{name[:50]}_{number}", number + 1
    taken.add(tried.lower())
    return tried


def _key(name: Any) -> str:
    if not isinstance(name, str):
        raise RequestError(f"{name!r} is no name", "give names as texts")
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else quoted(name)


def _text(given: Any, name: str) -> str:
    if not isinstance(given, str):
        raise RequestError(f"{name} is a {type(given).__name__}", f"give {name} as a text")
    return quoted(given)


def _read(path: str | os.PathLike[str]) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no text"
        raise RequestError(f"{os.fspath(path)} could not be read: {reason}", "check the path") from None


def _dict(given: Any) -> dict[Any, Any]:
    return dict(given)


def _list(given: Any) -> list[Any]:
    return list(given)


def _plain(value: Any) -> Any:
    """Numbers as texts, exactly: metadata is read as text."""
    return exact(value, "a bound")
