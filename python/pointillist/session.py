"""A curator, in this process or behind a server: the same questions, the same answers.

>>> import pandas, pointillist
>>> visits = pandas.DataFrame({"patient": range(1000), "region": ["north", "south"] * 500, "age": [40] * 1000})
>>> session = pointillist.Session.from_dataframe(
...     {"visits": visits},
...     privacy_unit="patient",
...     budget={"epsilon": 2, "delta": 1e-9},
...     max_groups=1,
...     max_contributions=1,
...     columns={"visits": {"region": ["north", "south"], "age": (0, 120)}},
... )
>>> session.explain("SELECT count(*) FROM visits", epsilon=1).cost["epsilon_at_delta"]["delta"]
5e-10
>>> answer = session.query("SELECT region, avg(age) AS age FROM visits GROUP BY region", epsilon=1)
>>> [row[0] for row in answer.rows], answer.paid
(['north', 'south'], True)
>>> session.query("SELECT region, avg(age) AS age FROM visits GROUP BY region", epsilon=1).paid
False
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from os import PathLike
from typing import TYPE_CHECKING, Any, NoReturn, Protocol

from ._exact import Exact, exact
from ._native.curator import Curator
from ._progress import Progress, told
from .answer import Answer, Quote, refuse_pickle
from .budget import Budget
from .errors import EnvironmentFailure, RequestError

if TYPE_CHECKING:
    from types import TracebackType

__all__ = ["Session", "open", "connect"]

#: The owner of the data.
OWNER = "owner"

Options = list[tuple[str, str]]


class Backend(Protocol):
    """Who answers: a curator in this process, or a server."""

    def query(
        self,
        sql: str,
        options: Options,
        parameters: str,
        request_id: str | None,
        progress: Callable[[str, float], object] | None,
    ) -> Answer | Quote:
        """Answers a statement."""
        ...

    def explain(self, sql: str, options: Options, parameters: str) -> Quote:
        """What it would cost."""
        ...

    def rehearse(self, sql: str, options: Options, parameters: str) -> Answer:
        """The same about made-up people."""
        ...

    def graph(
        self, graph: str, statistic: str, method: str | None, options: Options, request_id: str | None
    ) -> Answer:
        """A statistic of a graph."""
        ...

    def budget(self) -> Any:
        """What is left."""
        ...

    def history(self) -> Any:
        """What was paid."""
        ...

    def tables(self) -> Any:
        """What can be asked about."""
        ...

    def close(self) -> None:
        """Gives back what is held."""
        ...

    def words(self) -> str:
        """What this is, in a few words."""
        ...


def _options(given: Mapping[str, Any]) -> Options:
    options: Options = []
    for name, value in given.items():
        if value is None:
            continue
        if name in ("noise", "period"):
            options.append((name, str(value)))
        elif name == "bias":
            if not isinstance(value, bool):
                raise RequestError(f"bias is {value!r}", "give True or False")
            options.append((name, "true" if value else "false"))
        else:
            options.append((name, exact(value, name)))
    return options


def _parameters(values: Sequence[Any]) -> str:
    def plain(value: Any) -> Any:
        if hasattr(value, "isoformat"):
            return value.isoformat()
        if hasattr(value, "item"):
            value = value.item()
        # A text becomes what stands beside it, digit by digit.
        return str(value) if isinstance(value, (Decimal, Fraction)) else value

    try:
        texts = [list(map(plain, value)) if isinstance(value, (list, tuple)) else plain(value) for value in values]
        return json.dumps(texts, allow_nan=False)
    except (TypeError, ValueError):
        raise RequestError(
            "a parameter is neither a number, a text, a truth value, a day nor None",
            "give what SQL has a literal for; infinite numbers are none",
        ) from None


class Session:
    """A curator: it holds the data, answers questions and keeps the budget.

    :func:`pointillist.open` makes one over files and a durable ledger, :func:`pointillist.connect` one behind a server, and
    :meth:`from_dataframe` one over frames in memory. Sessions may be used from several threads. They are not pickled and do not
    survive a fork: in another process, open them again.
    """

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    @classmethod
    def from_dataframe(
        cls,
        frames: Mapping[str, Any],
        *,
        privacy_unit: str | Mapping[str, Any],
        budget: Mapping[str, Exact],
        columns: Mapping[str, Mapping[str, Any]] | None = None,
        model: str = "zcdp",
        scope: str = "people",
        max_groups: int | Mapping[str, int] | None = None,
        max_contributions: int | Mapping[str, int] | None = None,
        public: Sequence[str] = (),
        version: str = "1",
        analysts: Mapping[str, Mapping[str, Exact]] | None = None,
        analyst: str = OWNER,
        ledger: str | PathLike[str] | None = None,
        wait: float = 10,
    ) -> Session:
        """A session over frames in memory: pandas, polars, pyarrow, DuckDB, or whatever else speaks Arrow.

        Nothing is copied and nothing is learnt from rows: types, bounds and keys are what you declare, and a column that you do
        not declare cannot be asked about. Sums and means need bounds; keys that are not public appear only where enough
        people have them. Do not write to a frame while its session lives.

        :param frames: The tables, by their names.
        :param privacy_unit: The column that names people, ``"row"`` where every row is another person, or a dict of those by
            table; ``{"column": "visit_id", "references": "visits.id"}`` follows a link to the owner.
        :param budget: What may be lost in all: ``{"epsilon": 1, "delta": 1e-9}``, ``{"rho": 0.5, "delta": 1e-9}``, or with
            ``model="pure"`` ``{"epsilon": 1}``.
        :param columns: For each table what is declared about columns: ``(0, 120)`` are bounds, ``["a", "b"]`` public keys,
            ``"text"`` is a type, and a dict says all that a catalog can say (``type``, ``lower``, ``upper``, ``step``,
            ``public_keys``, ``nullable``, ``name``). A type follows from bounds and keys where it is not said.
        :param max_groups: How many groups one person may touch in one answer.
        :param max_contributions: How many rows one person may add to one group.
        :param public: Tables that are public.
        :param version: A word to change when the frames change, under a durable ledger.
        :param analysts: Shares of the budget, by the names of analysts.
        :param analyst: Who asks.
        :param ledger: A folder for a durable ledger. Without one the ledger is in memory: budget and answers are forgotten with
            the session, and whoever makes a new one starts anew.
        """
        from ._catalog import catalog_text, frames_of

        taken = frames_of(frames)
        text = catalog_text(
            taken,
            privacy_unit=privacy_unit,
            budget=budget,
            columns=columns,
            model=model,
            scope=scope,
            max_groups=max_groups,
            max_contributions=max_contributions,
            public=public,
            version=version,
            analysts=analysts,
        )
        return cls(_Embedded(Curator.of_frames(text, list(taken.values()), ledger, wait), analyst))

    @classmethod
    def from_catalog(
        cls,
        catalog: str,
        frames: Mapping[str, Any],
        *,
        analyst: str = OWNER,
        ledger: str | PathLike[str] | None = None,
        wait: float = 10,
    ) -> Session:
        """The same with a catalog of one's own, as text: a source ``memory:visits`` is the frame ``visits``."""
        from ._catalog import frames_of

        return cls(_Embedded(Curator.of_frames(catalog, list(frames_of(frames).values()), ledger, wait), analyst))

    def query(
        self,
        sql: str,
        *,
        epsilon: Exact | None = None,
        rho: Exact | None = None,
        error: Exact | None = None,
        confidence: Exact | None = None,
        delta: Exact | None = None,
        max_groups: int | None = None,
        max_contributions: int | None = None,
        noise: str | None = None,
        bias: bool | None = None,
        period: str | None = None,
        parameters: Sequence[Any] = (),
        request_id: str | None = None,
        progress: Progress | None = None,
    ) -> Answer:
        """Answers a question, and pays for it: price first, never refunded, free when it is asked again.

        :param epsilon: The whole statement's ε; or ``rho``; or ``error``, how wrong a count or sum may be, with ``confidence``.
        :param parameters: The values of ``$1``, ``$2`` and so on.
        :param request_id: A name for this request: repeating it with the same name never pays twice.
        :param progress: A bar of tqdm, or a function of a stage and a part from 0 to 1.
        """
        options = _options(
            dict(
                epsilon=epsilon, rho=rho, error=error, confidence=confidence, delta=delta, max_groups=max_groups,
                max_contributions=max_contributions, noise=noise, bias=bias, period=period,
            )
        )  # fmt: skip
        answer = self._backend.query(sql, options, _parameters(parameters), request_id, told(progress))
        if isinstance(answer, Quote):
            raise RequestError("EXPLAIN has a quote, no answer", "ask with .explain(sql) instead")
        return answer

    def explain(
        self,
        sql: str,
        *,
        epsilon: Exact | None = None,
        rho: Exact | None = None,
        error: Exact | None = None,
        confidence: Exact | None = None,
        delta: Exact | None = None,
        max_groups: int | None = None,
        max_contributions: int | None = None,
        noise: str | None = None,
        bias: bool | None = None,
        period: str | None = None,
        parameters: Sequence[Any] = (),
    ) -> Quote:
        """What an answer would cost and how wrong it may be: free, and no row is read."""
        options = _options(
            dict(
                epsilon=epsilon, rho=rho, error=error, confidence=confidence, delta=delta, max_groups=max_groups,
                max_contributions=max_contributions, noise=noise, bias=bias, period=period,
            )
        )  # fmt: skip
        return self._backend.explain(sql, options, _parameters(parameters))

    def rehearse(
        self,
        sql: str,
        *,
        epsilon: Exact | None = None,
        rho: Exact | None = None,
        error: Exact | None = None,
        confidence: Exact | None = None,
        delta: Exact | None = None,
        max_groups: int | None = None,
        max_contributions: int | None = None,
        noise: str | None = None,
        bias: bool | None = None,
        period: str | None = None,
        parameters: Sequence[Any] = (),
    ) -> Answer:
        """The same question about people who are made up from the declarations: free, and about nobody."""
        options = _options(
            dict(
                epsilon=epsilon, rho=rho, error=error, confidence=confidence, delta=delta, max_groups=max_groups,
                max_contributions=max_contributions, noise=noise, bias=bias, period=period,
            )
        )  # fmt: skip
        return self._backend.rehearse(sql, options, _parameters(parameters))

    def graph(
        self,
        graph: str,
        statistic: str,
        *,
        epsilon: Exact | None = None,
        rho: Exact | None = None,
        delta: Exact | None = None,
        method: str | None = None,
        request_id: str | None = None,
    ) -> Answer:
        """A statistic of a declared graph, such as ``"triangles"``; graphs that you hold yourself are :mod:`pointillist.graph`."""
        options = _options(dict(epsilon=epsilon, rho=rho, delta=delta))
        return self._backend.graph(graph, statistic, method, options, request_id)

    def budget(self) -> Budget:
        """What is granted, spent and left, population by population: a dict that shows itself."""
        return Budget(self._backend.budget())

    def history(self) -> Any:
        """Who paid for what: everything, for the owner; one's own, for an analyst."""
        return self._backend.history()

    @property
    def tables(self) -> Any:
        """What can be asked about: tables, columns and graphs, from the catalog alone."""
        return self._backend.tables()

    def check(self) -> Any:
        """What is declared, who is protected and what looks risky. For the owner: files are read, frames are not."""
        return self._owners().check()

    def changes(self) -> Any:
        """How what is declared differs from what the ledger was told: budgets, shares, tables and whose their rows are."""
        return self._owners().changes(False)

    def accept_changes(self) -> Any:
        """Accepts those changes, as the owner: a raised budget is a larger promise broken, so nothing does it by itself."""
        return self._owners().changes(True)

    def _owners(self) -> _Embedded:
        if not isinstance(self._backend, _Embedded):
            raise RequestError("this is for the owner, at the machine that has the ledger", "open the catalog there")
        return self._backend

    def close(self) -> None:
        """Gives the ledger back, for other processes to use. The session may be used again, and takes it then.

        A ledger in memory is gone when it is closed, and the session with it.
        """
        self._backend.close()

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Session {self._backend.words()}>"

    def __reduce__(self) -> NoReturn:
        refuse_pickle("a session", "it holds a ledger; open it again where it is needed")


class _Embedded:
    """A curator in this process."""

    def __init__(self, curator: Curator, analyst: str) -> None:
        self.curator = curator
        self._analyst = analyst
        for warning in curator.warnings:
            warnings.warn(warning, stacklevel=3)

    def query(
        self,
        sql: str,
        options: Options,
        parameters: str,
        request_id: str | None,
        progress: Callable[[str, float], object] | None,
    ) -> Answer | Quote:
        try:
            outcome = self.curator.execute(sql, self._analyst, options, parameters, request_id, progress)
        except EnvironmentFailure as error:
            if error.kind != "ledger_in_use":
                raise
            hint = (
                "close the session that has it (in a notebook perhaps one of an earlier run of this cell), stop the other "
                "process, or connect to its server"
            )
            raise EnvironmentFailure(error.message, hint, error.kind, error.sqlstate, error.exit_code) from None
        if outcome.table is None:
            return Quote(outcome.json, outcome.words)
        return Answer(outcome.json, outcome.table, outcome.words, outcome.kind)

    def explain(self, sql: str, options: Options, parameters: str) -> Quote:
        outcome = self.curator.explain(sql, self._analyst, options, parameters)
        return Quote(outcome.json, outcome.words)

    def rehearse(self, sql: str, options: Options, parameters: str) -> Answer:
        outcome = self.curator.rehearse(sql, self._analyst, options, parameters)
        assert outcome.table is not None
        return Answer(outcome.json, outcome.table, outcome.words, outcome.kind)

    def graph(
        self, graph: str, statistic: str, method: str | None, options: Options, request_id: str | None
    ) -> Answer:
        outcome = self.curator.graph(graph, statistic, method, self._analyst, options, request_id)
        assert outcome.table is not None
        return Answer(outcome.json, outcome.table, outcome.words, outcome.kind)

    def budget(self) -> Any:
        return json.loads(self.curator.budget(self._analyst))

    def history(self) -> Any:
        return json.loads(self.curator.history(self._analyst))

    def tables(self) -> Any:
        return json.loads(self.curator.tables())

    def check(self) -> Any:
        return json.loads(self.curator.check())

    def changes(self, accept: bool) -> Any:
        return json.loads(self.curator.changes(accept))

    def close(self) -> None:
        self.curator.close()

    def words(self) -> str:
        return f"in this process, asked by {self._analyst}"


def open(path: str | PathLike[str] = "pointillist.toml", *, analyst: str = OWNER, wait: float = 10) -> Session:
    """A session over a catalog and its durable ledger: the file, or the folder that it is in.

    The ledger is locked from the first question that is paid for until the session is closed; while a server has it,
    connect to the server instead.

    :param analyst: Who asks: the owner, or an analyst of the catalog.
    :param wait: How long to wait for another process that uses the ledger, in seconds.
    """
    return Session(_Embedded(Curator.open(path, wait), analyst))


def connect(address: str, token: str, *, timeout: float = 600) -> Session:
    """A session with a server, by the address of its HTTP door and a token that the owner gave you.

    >>> import pointillist
    >>> pointillist.connect("http://127.0.0.1:8080", token="secret")
    <Session at http://127.0.0.1:8080>
    """
    from ._http import Remote

    return Session(Remote(address, token, timeout))
