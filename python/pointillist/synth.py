"""Sanitized tables: rows of people who do not exist, made up from noisy counts of those who do.

The counts are paid for once; made-up rows follow from them, and whatever is done with those is free. Nothing is learnt from rows but through
noise: every column has declared bounds or public keys.

**What is protected.** Everything of one person, or one row where every row is another person: whether they are in the table changes the
probability of everything that is made up by no more than :attr:`SyntheticTable.privacy` says. **What is not.** Somebody who does not exist may
look like somebody who does; that is chance. What was not counted together has no error bar: :meth:`SyntheticTable.count` says where one is known.

:class:`Synthesizer` is a one-off over a frame in memory: two tables of the same people cost both, and nobody counts. :func:`fit` pays from
the budget of a :class:`pointillist.Session`, which is kept.

>>> import pandas, pointillist
>>> visits = pandas.DataFrame({"age": [30, 70] * 500, "region": ["north", "south"] * 500})
>>> synthesizer = pointillist.synth.Synthesizer("mst", epsilon=1, columns={"age": (0, 100), "region": ["north", "south"]})
>>> table = synthesizer.fit(visits)
>>> rows = table.sample(5)
>>> len(rows), rows.columns
(5, ['age', 'region'])
>>> rows.to_pandas().shape
(5, 2)
>>> synthesizer.privacy_.protects
'one row, which counts as a person'
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from . import _native
from ._exact import Exact
from ._progress import Progress
from .answer import Quote
from .budget import upwards
from .errors import RequestError
from .learn import Privacy, asked, one_off, settings_text
from .session import Session

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

__all__ = [
    "Count",
    "SyntheticRows",
    "SyntheticTable",
    "Synthesizer",
    "explain",
    "fit",
    "load",
    "methods",
    "settings",
]


@dataclass(frozen=True)
class Count:
    """Made-up rows for which a condition is true, and how far off that may be."""

    count: float
    #: With 95 % the count of real (bounded) rows is at most so far off; nothing where that is not known.
    error_95: float | None
    #: The sum of noisy counts alone, where the columns were counted together.
    estimate: float | None
    #: Why nothing is known.
    unknown: str | None


class SyntheticRows:
    """Made-up rows: they speak Arrow, and convert to frames of pandas, polars and pyarrow."""

    def __init__(self, frame: Any, columns: list[str], count: int) -> None:
        self._frame = frame
        self._columns = columns
        self._count = count

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self._columns)

    def to_arrow(self) -> pa.Table:
        """A table of pyarrow, over the same memory."""
        import pyarrow

        return pyarrow.table(self)

    def to_pandas(self) -> pd.DataFrame:
        """A frame of pandas."""
        return self.to_arrow().to_pandas()

    def to_polars(self) -> pl.DataFrame:
        """A frame of polars."""
        import polars

        return polars.DataFrame(self)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._frame.__arrow_c_stream__(requested_schema)

    def __len__(self) -> int:
        return self._count

    def __repr__(self) -> str:
        return f"<{self._count} made-up rows of {', '.join(self._columns)}; to_pandas(), to_polars() or to_arrow() has them>"


class SyntheticTable:
    """What was released for a table of made-up people. It may be kept, shared and pickled: nothing of it is private any more."""

    def __init__(
        self,
        native: _native.models.SanitizedRows | None,
        privacy: Privacy,
        again: Callable[[int | None], SyntheticRows] | None = None,
    ) -> None:
        self._native = native
        self._privacy = privacy
        self._again = again

    @property
    def privacy(self) -> Privacy:
        """What was protected, how, and at what price."""
        return self._privacy

    @property
    def measured(self) -> list[list[str]]:
        """The sets of columns that were counted together."""
        said = self._said()
        names = [column["name"] for column in said["columns"]]
        return [[names[at] for at in together] for together in said["measured"]]

    @property
    def total(self) -> int:
        """About how many rows there were, which is a released number; fewer where hardly any row keeps the conditions."""
        return int(self._said()["rows"])

    def sample(self, n: int | None = None) -> SyntheticRows:
        """Made-up rows: about as many as there were unless ``n`` is given.

        The same table gives the same rows every time: they are drawn with coins that anybody can compute from it. More rows than there
        were are no better known.
        """
        if n is not None and (isinstance(n, bool) or not hasattr(n, "__index__") or n.__index__() < 0):
            raise RequestError(f"{n!r} is no number of rows", "give zero or a positive whole number")
        if self._native is None:
            assert self._again is not None
            return self._again(n)
        frame = self._native.rows(None if n is None else min(n.__index__(), 2**63))
        return SyntheticRows(frame, frame.names(), len(frame))

    def count(self, condition: str) -> Count:
        """Made-up rows for which a condition of SQL is true, with an error bar where its columns were counted together."""
        return Count(**json.loads(self._file().count(condition)))

    def to_json(self) -> str:
        """The table's file."""
        return self._file().text()

    def save(self, path: str | PathLike[str]) -> None:
        """Writes the table's file, the same that ``pointillist synth`` reads; over an earlier one, and over nothing else."""
        self._file().save(fspath(path))

    def _said(self) -> dict[str, Any]:
        said: dict[str, Any] = json.loads(self._file().describe())
        return said

    def _file(self) -> _native.models.SanitizedRows:
        if self._native is None:
            raise RequestError(
                "this table has no file: a server gives its rows, and its owner has the file", "use sample(n), which is free"
            )
        return self._native

    def __reduce__(self) -> tuple[object, ...]:
        return _restored, (self.to_json(), self._privacy)

    def __repr__(self) -> str:
        paid = self._privacy
        price = f"epsilon {upwards(paid.epsilon)} at delta {paid.delta:.3g}" if paid.epsilon else f"rho {paid.rho}"
        return f"<SyntheticTable by {paid.mechanism}: {price}>"


def _restored(text: str, privacy: Privacy) -> SyntheticTable:
    return SyntheticTable(_native.models.SanitizedRows.parse(text), privacy)


def methods() -> dict[str, str]:
    """The methods, and what each is.

    >>> import pointillist
    >>> list(pointillist.synth.methods())
    ['mst', 'aim', 'mwem', 'residual']
    """
    return {it["method"]: it["about"] for it in json.loads(_native.models.methods())["methods"]}


def settings() -> dict[str, str]:
    """The settings of methods, and what each is."""
    return {it["setting"]: it["about"] for it in json.loads(_native.models.methods())["settings"]}


def fit(
    session: Session,
    sql: str,
    method: str = "mst",
    *,
    epsilon: Exact | None = None,
    rho: Exact | None = None,
    max_contributions: int | None = None,
    period: str | None = None,
    keep: Sequence[str] = (),
    request_id: str | None = None,
    progress: Progress | None = None,
    **settings: Any,
) -> SyntheticTable:
    """Measures the rows of a statement, and pays for it from the session's budget.

    Without ``epsilon`` or ``rho`` it costs 1 % of the budget, as every question does; :func:`explain` tells the price for free.

    :param sql: The rows: ``SELECT age, region FROM visits``. Every column needs public bounds or public keys.
    :param method: One of :func:`methods`.
    :param keep: Conditions of SQL that are false of no made-up row (one of NULL is not false): free, since real rows are not asked.
    :param settings: See :func:`settings`.
    """
    if isinstance(keep, str):
        raise RequestError("keep is one text", "give a list of conditions")
    statement = _native.models.synthesis_statement
    price = dict(epsilon=epsilon, rho=rho, max_contributions=max_contributions, period=period)
    text = statement(method, sql, settings_text(settings))
    answer, made = asked(session, text, price, request_id, progress)
    if made is not None:
        native = _native.models.SanitizedRows.of_outcome(*made, list(keep))
        return SyntheticTable(native, Privacy._of(json.loads(native.describe()), answer))
    if keep:
        raise RequestError("a server's rows keep no conditions", "leave keep out, and leave rows out of what it gives")

    def again(n: int | None) -> SyntheticRows:
        # How many rows are shown is no part of what was released: asked for again, it is free.
        rows = session.query(statement(method, sql, settings_text({**settings, "rows": n})), **price)  # type: ignore[arg-type]
        return SyntheticRows(rows, [column.name for column in rows.columns], len(rows))

    return SyntheticTable(None, Privacy._of_answer(answer, method), again)


def explain(
    session: Session,
    sql: str,
    method: str = "mst",
    *,
    epsilon: Exact | None = None,
    rho: Exact | None = None,
    max_contributions: int | None = None,
    period: str | None = None,
    **settings: Any,
) -> Quote:
    """What a table would cost, and the noise of its counts: a free :class:`pointillist.Quote`."""
    statement = _native.models.synthesis_statement(method, sql, settings_text(settings))
    return session.explain(
        statement, epsilon=epsilon, rho=rho, max_contributions=max_contributions, period=period
    )


def load(path: str | PathLike[str]) -> SyntheticTable:
    """The table of a file, of :meth:`SyntheticTable.save` or of the command line's ``synth fit``.

    A file that was changed after it was signed is refused.
    """
    native = _native.models.SanitizedRows.read(fspath(path))
    return SyntheticTable(native, Privacy._of(json.loads(native.describe()), None))


class Synthesizer:
    """Made-up rows of a frame in memory, as a one-off that costs ``epsilon`` at ``delta`` (or ``rho``).

    :param method: One of :func:`methods`.
    :param columns: The columns of the table with what is public of each: ``(0, 120)`` are bounds, ``["a", "b"]`` are all values that
        there may be. Columns that are not named are left out.
    :param delta: 0 asks for pure ε, which all methods but ``aim`` have.
    :param privacy_unit: The column that names people, or ``"row"`` where every row is another person.
    :param max_contributions: How many rows of one person are used.
    :param keep: Conditions of SQL that every made-up row keeps.
    :param settings: See :func:`settings`.
    """

    table_: SyntheticTable
    privacy_: Privacy

    def __init__(
        self,
        method: str = "mst",
        *,
        columns: Mapping[str, Any],
        epsilon: Exact = 1.0,
        delta: Exact = 1e-9,
        rho: Exact | None = None,
        privacy_unit: str = "row",
        max_contributions: int | None = None,
        keep: Sequence[str] = (),
        **settings: Any,
    ) -> None:
        if not isinstance(columns, Mapping) or not columns:
            raise RequestError("no columns are declared", "give columns={'age': (0, 120), 'region': ['north', 'south']}")
        self.method = method
        self.columns = dict(columns)
        self.epsilon = epsilon
        self.delta = delta
        self.rho = rho
        self.privacy_unit = privacy_unit
        self.max_contributions = max_contributions
        self.keep = keep
        self.settings = settings

    def fit(self, frame: Any, progress: Progress | None = None) -> Synthesizer:
        """Measures a frame of pandas, polars, pyarrow or DuckDB."""
        session, price = one_off(
            frame,
            self.columns,
            epsilon=self.epsilon,
            delta=self.delta,
            rho=self.rho,
            privacy_unit=self.privacy_unit,
            max_contributions=self.max_contributions,
        )
        names = ['"' + name.replace('"', '""') + '"' for name in self.columns if name != self.privacy_unit]
        rows = f"SELECT {', '.join(names)} FROM rows"
        paid: dict[str, Any] = dict(price)
        self.table_ = fit(
            session, rows, self.method, keep=self.keep, progress=progress, **paid, **self.settings
        )
        self.privacy_ = self.table_.privacy
        return self

    def sample(self, n: int | None = None) -> SyntheticRows:
        """Made-up rows: about as many as there were unless ``n`` is given."""
        return self._fitted().sample(n)

    def count(self, condition: str) -> Count:
        """Made-up rows for which a condition of SQL is true, with an error bar where one is known."""
        return self._fitted().count(condition)

    def _fitted(self) -> SyntheticTable:
        if not hasattr(self, "table_"):
            raise RequestError("nothing was measured yet", "call fit(frame) first")
        return self.table_

    def __repr__(self) -> str:
        return f"Synthesizer({self.method!r}, columns={list(self.columns)})"
