"""What comes back: a table of released numbers with their error bars, what it cost, and its receipt."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

from ._plot import Plot
from .errors import RequestError

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    from ._native.curator import AnswerTable

__all__ = ["Answer", "Column", "Quote"]


def refuse_pickle(what: str, hint: str) -> NoReturn:
    """Refuses to pickle what must not travel."""
    raise TypeError(f"{what} is not pickled: {hint}")


@dataclass(frozen=True)
class Column:
    """A column of an answer: what it is, and how it was made private."""

    name: str
    #: As PostgreSQL names it: ``bool``, ``int8``, ``float8``, ``text``, ``date`` or ``timestamp``.
    type: str
    #: ``key``, ``aggregate`` or ``derived``.
    role: str
    #: What made it private, for an aggregate.
    mechanism: str | None = None
    #: The scale of its noise, rounded up.
    scale: str | None = None
    #: The noise stays within this with 95 %.
    error_95: float | None = None
    #: The step that values of rows were rounded to.
    grid: str | None = None


class Answer:
    """A table of released values.

    It shows itself in a notebook, converts to frames of pandas, polars, pyarrow and DuckDB without a copy (by the Arrow
    PyCapsule interface), and says what was paid. Beside each number with an interval ``x`` stand ``x_low`` and ``x_high``
    in frames: between them lies, with 95 %, what the bounded rows would have given without noise.

    An answer holds a receipt and is not pickled: convert it to a frame first.
    """

    def __init__(self, text: str, table: AnswerTable, words: list[tuple[str, str]], kind: str = "answer") -> None:
        self._text = text
        self._table = table
        self._words = words
        self._kind = kind
        self._json: dict[str, Any] = json.loads(text)

    @property
    def columns(self) -> list[Column]:
        """The columns, as the question names them."""
        return [
            Column(
                name=column["name"],
                type=column.get("type", "text"),
                role=column.get("role", "derived"),
                mechanism=column.get("mechanism"),
                scale=column.get("scale"),
                error_95=column.get("error_95"),
                grid=column.get("grid"),
            )
            for column in self._json["columns"]
        ]

    @property
    def rows(self) -> list[list[Any]]:
        """The values, row by row; days and moments are texts."""
        rows: list[list[Any]] = self._json["rows"]
        return rows

    @property
    def intervals(self) -> list[list[tuple[float | None, float | None] | None]]:
        """For every value between which numbers the true one lies with 95 %, where that is known."""
        intervals = self._json.get("intervals") or [[None] * len(self._json["columns"]) for _ in self.rows]
        return [[None if ends is None else (ends[0], ends[1]) for ends in row] for row in intervals]

    @property
    def notes(self) -> list[str]:
        """What to know when reading the numbers: what bounding and clamping changed, above all."""
        return list(self._json.get("notes", []))

    @property
    def cost(self) -> dict[str, Any] | None:
        """What the question costs, exactly, as decimal texts; nothing for public tables and lists."""
        cost: dict[str, Any] | None = self._json.get("cost")
        return cost

    @property
    def price(self) -> str:
        """What was paid, in words."""
        return dict(self._words).get("price", "free")

    @property
    def paid(self) -> bool:
        """Whether it was paid for now: the same question, asked again, is free."""
        return self._json.get("paid") == "in_full"

    @property
    def is_dummy(self) -> bool:
        """Whether it is about made-up people: the answer of a rehearsal."""
        return self._json.get("dummy") is True

    @property
    def receipt(self) -> dict[str, Any] | None:
        """Where the payment is recorded."""
        receipt: dict[str, Any] | None = self._json.get("receipt")
        return receipt

    @property
    def budget(self) -> dict[str, Any] | None:
        """What the asker has left after this."""
        budget: dict[str, Any] | None = self._json.get("budget")
        return budget

    @property
    def model(self) -> dict[str, Any] | None:
        """The model, where one was trained."""
        model: dict[str, Any] | None = self._json.get("model")
        return model

    @property
    def value(self) -> Any:
        """The value of an answer that has only one."""
        if len(self.rows) != 1 or len(self._json["columns"]) != 1:
            raise RequestError("the answer has more than one value", "read `rows`, or convert it to a frame")
        return self.rows[0][0]

    @property
    def interval(self) -> tuple[float | None, float | None] | None:
        """The interval of an answer that has only one value."""
        return None if self.value is None else self.intervals[0][0]

    def to_json(self) -> str:
        """The JSON that every door of Pointillist gives for it."""
        return self._text

    def _places(self) -> list[str]:
        """The names of columns, each once: the second ``count`` is ``count_2``, as in frames."""
        names: list[str] = []
        for column in self._json["columns"]:
            name, number = column["name"], 2
            while name in names:
                name, number = f"{column['name']}_{number}", number + 1
            names.append(name)
        return names

    def to_dicts(self) -> list[dict[str, Any]]:
        """A dict for each row."""
        names = self._places()
        return [dict(zip(names, row)) for row in self.rows]

    def __getitem__(self, name: str) -> list[Any]:
        names = self._places()
        if name not in names:
            raise KeyError(f"there is no column {name!r}; the columns are {', '.join(names)}")
        return [row[names.index(name)] for row in self.rows]

    def __float__(self) -> float:
        return float(self.value)

    def to_arrow(self) -> pa.Table:
        """A table of pyarrow, over the same memory."""
        import pyarrow

        return pyarrow.table(self)

    def to_pandas(self) -> pd.DataFrame:
        """A frame of pandas; days are dates and moments are datetimes."""
        import pandas

        try:
            return self.to_arrow().to_pandas()
        except ImportError:
            return pandas.DataFrame(self._with_intervals())

    def to_polars(self) -> pl.DataFrame:
        """A frame of polars."""
        import polars

        return polars.DataFrame(self)

    def _with_intervals(self) -> dict[str, list[Any]]:
        """Columns as frames have them, for machines without pyarrow."""
        columns: dict[str, list[Any]] = {}
        for place, name in enumerate(self._places()):
            columns[name] = [row[place] for row in self.rows]
            ends = [row[place] for row in self.intervals]
            if any(end is not None for end in ends):
                columns[f"{name}_low"] = [None if end is None else end[0] for end in ends]
                columns[f"{name}_high"] = [None if end is None else end[1] for end in ends]
        return columns

    def plot(self, column: str | None = None) -> Plot:
        """A drawing of the numbers with their intervals, of the first or of this column: SVG, made without matplotlib."""
        if column is None:
            return Plot(self._table.svg())
        names = self._places()
        if column not in names:
            raise RequestError(f"there is no column `{column}`", f"the columns are {', '.join(names)}")
        return Plot(self._table.svg(names.index(column)))

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._table.__arrow_c_stream__(requested_schema)

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[list[Any]]:
        return iter(self.rows)

    def __repr__(self) -> str:
        lines = ["DUMMY DATA: made up from the catalog, about nobody"] if self.is_dummy else []
        lines.append(self._table.text())
        lines.extend(f"{name:>7}  {plain(text)}" for name, text in self._words)
        lines.extend(f"   note  {plain(note)}" for note in self.notes)
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        names = self._json["columns"]
        numbers = {place for place, column in enumerate(names) if column.get("type") in ("int8", "float8")}

        def cell(place: int, value: str | None, ends: tuple[str, str] | None) -> str:
            is_number = place in numbers
            text = "NULL" if value is None else grouped(value) if is_number else value
            bar = ""
            if ends is not None:
                bar = f' <small style="opacity:.65">{grouped(ends[0])} to {grouped(ends[1])}</small>'
            return f'<td style="text-align:{"right" if is_number else "left"}">{html.escape(text)}{bar}</td>'

        head = "".join(f"<th>{html.escape(column['name'])}</th>" for column in names)
        shown = self._table.cells()[:SHOWN_ROWS]
        body = "".join(
            "<tr>" + "".join(cell(place, *both) for place, both in enumerate(row)) + "</tr>" for row in shown
        )
        left = len(self.rows) - len(shown)
        more = f"<p>… and {left:,} more rows</p>" if left else ""
        facts = _facts(self._words)
        if self.notes:
            notes = "".join(f"<li>{html.escape(note)}</li>" for note in self.notes)
            facts += f"<details><summary><small>what to know when reading it</small></summary><ul>{notes}</ul></details>"
        dummy = "<p><b>DUMMY DATA</b>: made up from the catalog, about nobody</p>" if self.is_dummy else ""
        return f"{dummy}<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}{facts}"

    def __reduce__(self) -> NoReturn:
        refuse_pickle("an answer", "it holds a receipt; convert it to a frame, or keep its to_json()")


#: Rows that a notebook shows.
SHOWN_ROWS = 100


def plain(text: str) -> str:
    """A text without signs that a terminal would obey."""
    return "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in text)


def grouped(digits: str) -> str:
    """Whole thousands set apart: ``1234567.5`` is ``1,234,567.5``."""
    return re.sub(r"^(-?)(\d+)", lambda found: f"{found[1]}{int(found[2]):,}", digits)


def _facts(words: list[tuple[str, str]]) -> str:
    return "".join(
        f"<div><small><b>{html.escape(name)}</b> {html.escape(text)}</small></div>" for name, text in words
    )


class Quote:
    """What an answer would cost and how wrong it may be. Asking for it is free and reads no row."""

    def __init__(self, text: str, words: list[tuple[str, str]]) -> None:
        self._text = text
        self._words = words
        self._json: dict[str, Any] = json.loads(text)

    @property
    def cost(self) -> dict[str, Any] | None:
        """The price, exactly, as decimal texts; nothing for public tables."""
        cost: dict[str, Any] | None = self._json.get("cost")
        return cost

    @property
    def is_free(self) -> bool:
        """Whether there is nothing to pay: the question is about public tables, or was asked before."""
        return bool(self._json.get("free"))

    def to_json(self) -> str:
        """The JSON that every door of Pointillist gives for it."""
        return self._text

    def to_dict(self) -> dict[str, Any]:
        """The same as a dict."""
        return dict(self._json)

    @property
    def errors(self) -> dict[str, float | None]:
        """By which amount each aggregate may be wrong with 95 %, where that is known beforehand."""
        parts: list[dict[str, Any]] = self._json.get("releases") or [self._json]
        return {
            aggregate["name"]: aggregate.get("error_95")
            for part in parts
            for aggregate in part.get("aggregates", [])
        }

    @property
    def fits(self) -> bool:
        """Whether the asker's budget holds it."""
        return self.is_free or bool(self._json.get("budget", {}).get("more", self._json.get("more", 0)))

    def __repr__(self) -> str:
        if not self._words:
            return json.dumps(self._json, indent=2, ensure_ascii=False)
        return "\n".join(f"{name:>7}  {text}" for name, text in self._words)

    def _repr_html_(self) -> str:
        return _facts(self._words) if self._words else f"<pre>{html.escape(repr(self))}</pre>"
