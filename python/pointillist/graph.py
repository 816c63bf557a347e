"""Statistics of graphs that their owner holds in memory, under edge or node privacy.

**What is protected.** ``privacy="edge"``: one tie more or less, between nodes that are public. ``privacy="node"``: one
person with all their ties more or less, and then even the number of people is private.

**What is not.** Nothing here keeps account: every answer is a one-off that costs what it says, two answers about the
same people cost both, and nobody stops you. Whoever asks must be whoever holds the graph. Where others ask, declare the
graph in a catalog and use :func:`pointillist.open`, whose ledger adds up.

>>> import pointillist
>>> graph = pointillist.graph.Graph.from_edges([1, 1, 2, 3], [2, 3, 3, 4], nodes=range(1, 7))
>>> answer = graph.count("triangles", privacy="edge", epsilon=1)
>>> answer.cost
Cost(epsilon=1)
>>> graph.explain("edges", privacy="edge", epsilon=1).error_95
3.0
"""

from __future__ import annotations

import importlib
import json
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from . import _native
from ._exact import Exact, exact_or_none
from ._graph_ids import Column, Kind, column, pairs, same_kind
from ._plot import Plot
from .errors import RequestError

__all__ = [
    "Cost",
    "DegreeDistribution",
    "Graph",
    "GraphAnswer",
    "GraphQuote",
    "Inspection",
    "SyntheticGraph",
    "explain",
    "methods",
    "statistics",
]

#: What is protected: one tie, or one person with all their ties.
Privacy: TypeAlias = Literal["edge", "node"]
#: Ids of nodes: whole numbers or texts, all of one kind, in anything that can be gone through.
Ids: TypeAlias = "Iterable[int] | Iterable[str] | NDArray[Any]"
#: What the first line of a file is.
FirstLine: TypeAlias = Literal["edge", "names", "counts"]


@dataclass(frozen=True, repr=False)
class Cost:
    """What an answer loses, for the neighbours that the question names: epsilon, and a delta where there is one."""

    epsilon: Fraction
    delta: Fraction = Fraction(0)

    def __add__(self, other: Cost) -> Cost:
        return Cost(self.epsilon + other.epsilon, self.delta + other.delta)

    def __repr__(self) -> str:
        delta = f", delta={_short(self.delta)}" if self.delta else ""
        return f"Cost(epsilon={_short(self.epsilon)}{delta})"


@dataclass(frozen=True)
class GraphAnswer:
    """A private figure. The truth lies in ``interval`` with probability at least 95 %; an end that is ``None`` is open.

    ``value`` is ``None`` where the mechanism declined to answer, which costs as much; ``notes`` then say why.
    """

    statistic: str
    privacy: str
    value: int | float | None
    error_95: float | None
    interval: tuple[float | None, float | None] | None
    cost: Cost
    mechanism: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class DegreeDistribution:
    """How many nodes have at least each degree: one private figure for each of ``degree``.

    The truth of each lies between ``lower`` and ``upper`` with probability at least 95 %; an open end is infinite.
    """

    privacy: str
    degree: NDArray[np.int64]
    at_least: NDArray[np.float64]
    error_95: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    cost: Cost
    mechanism: str
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.degree)

    def plot(self, title: str | None = None) -> Plot:
        """The distribution with its band, on logarithmic axes. It is drawn from released figures and costs nothing."""
        rows = [
            (int(degree), float(value), _finite(lower), _finite(upper))
            for degree, value, lower, upper in zip(
                self.degree, self.at_least, self.lower, self.upper, strict=True
            )
        ]
        named = f"Degrees, at {self.cost}" if title is None else title
        return Plot(_native.graph.plot_degrees(rows, named))

    def __repr__(self) -> str:
        return (
            f"DegreeDistribution(privacy={self.privacy!r}, degrees={len(self)}, cost={self.cost}, "
            f"mechanism={self.mechanism!r})"
        )


@dataclass(frozen=True)
class GraphQuote:
    """What an answer would cost and how wrong it may be. ``error_95`` is ``None`` where that depends on the graph."""

    statistic: str
    privacy: str
    mechanism: str
    error_95: float | None
    outlook: tuple[str, ...]
    cost: Cost
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, repr=False)
class Inspection:
    """Exact figures of a graph: NOT private. Publishing one of them tells about people.

    ``left_out`` are ties without two ids, and ``outside`` ties that name an id which is not on the list of nodes.
    """

    nodes: int
    edges: int
    max_degree: int
    triangles: int
    max_common_neighbours: int
    two_stars: int | float
    components: int
    degeneracy: int
    left_out: int
    outside: int

    def __repr__(self) -> str:
        figures = ", ".join(f"{name}={value}" for name, value in vars(self).items())
        return f"Inspection(NOT PRIVATE: {figures})"


@dataclass(frozen=True, eq=False)
class SyntheticGraph:
    """A made-up graph from released degrees and a released number of triangles, and how far it is from them.

    Its nodes are the numbers from 0 to ``nodes - 1`` and stand for nobody. Nothing else of it means anything: not who is
    tied to whom, not communities, not distances.
    """

    nodes: int
    ties: int
    ties_released: int
    degrees_off: int
    triangles: int
    triangles_released: int
    released_degrees: DegreeDistribution
    released_triangles: GraphAnswer
    sources: NDArray[np.uint32] = field(repr=False)
    targets: NDArray[np.uint32] = field(repr=False)

    @property
    def cost(self) -> Cost:
        """What both releases lose together."""
        return self.released_degrees.cost + self.released_triangles.cost

    def to_edges(self) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
        """The two ends of every made-up tie."""
        return self.sources, self.targets

    def to_networkx(self) -> Any:
        """The made-up graph as a ``networkx.Graph``."""
        return _networkx(range(self.nodes), self.sources, self.targets)


class Graph:
    """A simple undirected graph, in memory, that its owner asks.

    Made by :meth:`from_edges` and its kin, which drop what the reader of files drops: directions, loops, repeated ties,
    and ties that lack an id (an empty text, a missing value, or more than 10 000 bytes). Ids are whole numbers or texts,
    all of one kind; ``1`` beside ``"1"`` is an error, so that no two people are merged.

    **Which nodes there are.** With a list, ``nodes=`` or ``listed=True``, exactly those of the list, and ties that name
    any other are dropped. Without one, those that occur. Under edge privacy the nodes are taken to be public either way;
    an answer without a list notes it. Under node privacy a list is people's data like the ties, but it must name people
    whether or not they have ties: without one, somebody who leaves takes along all who know nobody else, so nothing that
    counts nodes is answered.

    What is in a graph is private: it has no ``len``, and its ``repr`` shows nothing.
    """

    __slots__ = ("_kind", "_native")

    def __init__(self, *_: object, **__: object) -> None:
        raise TypeError("use Graph.from_edges, from_frame, from_networkx, from_igraph, from_scipy or read")

    @classmethod
    def _of(cls, native: _native.graph.Graph, kind: Kind | None) -> Graph:
        made = object.__new__(cls)
        object.__setattr__(made, "_native", native)
        object.__setattr__(made, "_kind", kind)
        return made

    @classmethod
    def _built(
        cls,
        sources: Column,
        targets: Column,
        listed: Column | None = None,
        beside: Column | None = None,
        skipped: int = 0,
    ) -> Graph:
        kind = same_kind(sources, targets, listed, beside)
        native = _native.graph.build(
            sources.ids,
            targets.ids,
            None if listed is None else listed.ids,
            None if beside is None else beside.ids,
            skipped,
        )
        return cls._of(native, kind)

    @classmethod
    def from_edges(cls, sources: Any, targets: Ids | None = None, nodes: Ids | None = None) -> Graph:
        """A graph of ties: two columns of ids, or one array of two columns, or one list of pairs.

        ``nodes`` lists the ids of all nodes, with or without ties. Arrays of 64-bit integers are read where they are.

        >>> from pointillist.graph import Graph
        >>> graph = Graph.from_edges([("ada", "bo"), ("bo", "cy"), ("bo", "ada"), ("cy", "cy")])
        >>> graph.inspect().edges
        2
        """
        if targets is None:
            sources, targets = pairs(sources)
        listed = None if nodes is None else column(nodes, "nodes")
        return cls._built(column(sources, "sources"), column(targets, "targets"), listed)

    @classmethod
    def from_frame(cls, frame: Any, source: str, target: str, nodes: Ids | None = None) -> Graph:
        """A graph of two columns of a frame: of pandas, polars, pyarrow or DuckDB, or anything that streams Arrow.

        Rows where one of the two is missing are no ties.

        >>> import polars
        >>> from pointillist.graph import Graph
        >>> ties = polars.DataFrame({"a": [1, 2, None], "b": [2, 3, 1]})
        >>> Graph.from_frame(ties, "a", "b").inspect().left_out
        1
        """
        listed = None if nodes is None else column(nodes, "nodes")
        is_pandas = type(frame).__module__.split(".")[0] == "pandas"
        if hasattr(frame, "__arrow_c_stream__") and not is_pandas:
            one, other, skipped = _native.graph.arrow_pairs(frame, source, target)
            return cls._built(_arrow(one), _arrow(other), listed, None, skipped)
        try:
            ends = frame[source], frame[target]
        except (KeyError, IndexError, TypeError):
            raise RequestError(
                f"this {type(frame).__name__} has no columns {source!r} and {target!r}",
                "give a frame, and the names of its columns with the two ends of ties",
            ) from None
        skipped = 0
        if is_pandas:
            missing = ends[0].isna() | ends[1].isna()
            skipped = int(missing.sum())
            if skipped:
                ends = ends[0][~missing], ends[1][~missing]
        return cls._built(column(ends[0], "sources"), column(ends[1], "targets"), listed, None, skipped)

    @classmethod
    def from_networkx(cls, graph: Any, *, listed: bool = False) -> Graph:
        """A graph of networkx, whose nodes are whole numbers or texts; nodes without ties are nodes.

        ``listed=True`` says that its nodes are a list of all people, as :class:`Graph` explains. networkx does not know: a
        node may be there because it was put there, or because a tie named it.

        >>> import networkx
        >>> from pointillist.graph import Graph
        >>> karate = Graph.from_networkx(networkx.karate_club_graph())
        >>> karate.inspect().triangles
        45
        """
        try:
            nodes, ties = list(graph.nodes()), list(graph.edges())
        except (AttributeError, TypeError):
            raise _no_graph(graph, "networkx") from None
        sources, targets = pairs(ties)
        return cls._between(column(sources, "sources"), column(targets, "targets"), nodes, listed)

    @classmethod
    def from_igraph(cls, graph: Any, ids: str | None = None, *, listed: bool = False) -> Graph:
        """A graph of igraph. Its nodes are its vertices by number, or by an attribute ``ids`` that tells them apart.

        ``listed=True`` says that its vertices are a list of all people, as :class:`Graph` explains.
        """
        try:
            count, ties = int(graph.vcount()), graph.get_edgelist()
            names = None if ids is None else list(graph.vs[ids])
        except (AttributeError, TypeError):
            raise _no_graph(graph, "igraph") from None
        except KeyError:
            raise RequestError(f"no vertex has an attribute {ids!r}", "name another, or none") from None
        ends = np.asarray(ties, dtype=np.int64).reshape(-1, 2)
        if names is None:
            return cls._between(Column(ends[:, 0], "number"), Column(ends[:, 1], "number"), range(count), listed)
        if len(set(names)) < count:
            raise RequestError(
                f"two vertices have the same {ids!r}, and would become one person",
                "name an attribute that tells all vertices apart, or none",
            )
        sources, targets = ([names[place] for place in ends[:, end].tolist()] for end in (0, 1))
        return cls._between(column(sources, "sources"), column(targets, "targets"), names, listed)

    @classmethod
    def from_scipy(cls, matrix: Any, *, listed: bool = False) -> Graph:
        """A graph of a square sparse matrix: a tie between i and j where either entry is not zero.

        Its nodes are the numbers of rows. ``listed=True`` says that the rows are a list of all people, as :class:`Graph`
        explains.
        """
        try:
            entries, (rows, columns) = matrix.tocoo(copy=True), matrix.shape
            # Entries of one place are one tie, or none where they add up to nothing.
            entries.sum_duplicates()
        except (AttributeError, TypeError, ValueError):
            raise _no_graph(matrix, "scipy.sparse") from None
        if rows != columns:
            raise RequestError(f"a matrix of {rows} rows and {columns} columns has no nodes", "give a square one")
        kept = np.asarray(entries.data) != 0
        sources, targets = (np.asarray(ends)[kept] for ends in (entries.row, entries.col))
        return cls._between(column(sources, "sources"), column(targets, "targets"), range(rows), listed)

    @classmethod
    def _between(cls, sources: Column, targets: Column, nodes: Any, listed: bool) -> Graph:
        of_nodes = column(nodes, "nodes")
        return cls._built(sources, targets, *((of_nodes, None) if listed else (None, of_nodes)))

    @classmethod
    def read(
        cls,
        path: str | os.PathLike[str],
        nodes: str | os.PathLike[str] | None = None,
        *,
        first_line: FirstLine | None = None,
        nodes_first_line: Literal["node", "names", "counts"] | None = None,
        progress: Callable[[float], object] | None = None,
    ) -> Graph:
        """A graph of a file of ties: text, CSV, gzip, Parquet or Arrow; ``nodes`` is a file with the ids of all nodes.

        A first line is a tie, and that of ``nodes`` a node, unless you say that it has ``"names"`` or ``"counts"``: a look at
        the file would let one tie decide about another. ``progress`` hears which part of the file has been read.
        """
        native = _native.graph.read(
            os.fspath(path),
            first_line,
            None if nodes is None else os.fspath(nodes),
            nodes_first_line,
            progress,
        )
        return cls._of(native, None)

    def inspect(self) -> Inspection:
        """Exact figures for the owner's eyes. They are NOT private: publishing one of them tells about people."""
        left_out, outside = self._native.left_out()
        return Inspection(**json.loads(self._native.inspect()), left_out=left_out, outside=outside)

    def to_edges(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """The two ends of every tie, each once, by their ids. Exact, and as private as the people."""
        ids, (one, other) = self._ids(), self._native.pairs()
        return ids[one], ids[other]

    def to_networkx(self) -> Any:
        """The graph as a ``networkx.Graph``, nodes without ties included. Exact, and as private as the people."""
        ids, (one, other) = self._ids(), self._native.pairs()
        return _networkx(ids.tolist(), ids[one], ids[other])

    def count(
        self,
        statistic: str,
        *,
        privacy: Privacy,
        epsilon: Exact | None = None,
        rho: Exact | None = None,
        delta: Exact | None = None,
        method: str | None = None,
    ) -> GraphAnswer:
        """One number, privately: ``"triangles"``, ``"edges"``, ``"2-stars"`` and the others of :func:`statistics`.

        Give ``epsilon``, or a ``rho``, which buys the largest epsilon with epsilon²/2 at most rho. Some methods
        (:func:`methods`) need a ``delta``; without ``method`` the best known is taken.

        >>> from pointillist.graph import Graph
        >>> graph = Graph.from_edges([0, 1, 2], [1, 2, 0], nodes=range(10))
        >>> answer = graph.count("edges", privacy="edge", epsilon="1/2")
        >>> answer.mechanism, answer.cost
        ('geometric', Cost(epsilon=0.5))
        """
        word = _word(statistic, "statistic")
        if word in ("degrees", "global-clustering", "average-clustering"):
            instead = "degrees" if word == "degrees" else "clustering"
            raise RequestError(f"{word} are more than a count", f"use graph.{instead}(...)")
        said = json.loads(self._native.ask(word, _price(privacy, epsilon, rho, delta, method)))
        return _answer(said, privacy)

    def clustering(
        self,
        *,
        privacy: Privacy,
        epsilon: Exact | None = None,
        rho: Exact | None = None,
        delta: Exact | None = None,
        method: str | None = None,
        average: bool = False,
    ) -> GraphAnswer:
        """How often friends of friends are friends: 3 · triangles / 2-stars, or with ``average`` the mean over nodes."""
        word = "average-clustering" if average else "global-clustering"
        said = json.loads(self._native.ask(word, _price(privacy, epsilon, rho, delta, method)))
        return _answer(said, privacy)

    def degrees(
        self,
        *,
        privacy: Privacy,
        epsilon: Exact | None = None,
        rho: Exact | None = None,
        delta: Exact | None = None,
        method: str | None = None,
    ) -> DegreeDistribution:
        """How many nodes have at least each degree, privately, all figures together for one price."""
        said = json.loads(self._native.ask("degrees", _price(privacy, epsilon, rho, delta, method)))
        return _degrees(said, privacy)

    def explain(
        self,
        statistic: str,
        *,
        privacy: Privacy,
        epsilon: Exact | None = None,
        rho: Exact | None = None,
        delta: Exact | None = None,
        method: str | None = None,
    ) -> GraphQuote:
        """Price, mechanism and expected error of an answer, for free: no tie is looked at, and under edge privacy only the
        number of nodes.

        >>> from pointillist.graph import Graph
        >>> graph = Graph.from_edges([0, 1, 2], [1, 2, 0], nodes=range(10))
        >>> graph.explain("triangles", privacy="node", epsilon=1).mechanism
        'packing'
        """
        price = _price(privacy, epsilon, rho, delta, method)
        return _quote(self._native.explain(_word(statistic, "statistic"), price))

    def synth(
        self,
        *,
        privacy: Privacy,
        epsilon: Exact | None = None,
        rho: Exact | None = None,
        delta: Exact | None = None,
        method: str | None = None,
    ) -> SyntheticGraph:
        """A made-up graph with the released degrees and about the released triangles.

        Half of the price buys the degrees, half the triangles; ``method`` and ``delta`` are those of the triangles. The
        graph is made up from these numbers alone, always the same one from the same numbers.
        """
        text, (sources, targets) = self._native.synth(_price(privacy, epsilon, rho, delta, method))
        said = json.loads(text)
        degrees, triangles = said.pop("released")
        return SyntheticGraph(
            **said,
            released_degrees=_degrees(degrees, privacy),
            released_triangles=_answer(triangles, privacy),
            sources=sources,
            targets=targets,
        )

    def _ids(self) -> NDArray[Any]:
        """The ids of all nodes, as they were given."""
        ids = self._native.ids()
        if isinstance(ids, list):
            if self._kind == "number":
                numbers = column([int(text) for text in ids], "ids").ids
                return np.array([int(text) for text in ids], dtype=object) if isinstance(numbers, list) else numbers
            return np.array(ids, dtype=object)
        if self._kind == "text":
            return np.array([str(number) for number in ids.tolist()], dtype=object)
        return ids.astype(np.int64) if ids.size == 0 or ids.max() < 2**63 else ids

    def __repr__(self) -> str:
        return "<pointillist Graph: what is in it is private; inspect() shows exact figures to its owner>"

    def __reduce__(self) -> tuple[object, ...]:
        raise TypeError("a graph is not pickled: write its ties where you keep private data, and read them again")

    _native: _native.graph.Graph
    _kind: Kind | None


def explain(
    statistic: str,
    *,
    privacy: Privacy,
    epsilon: Exact | None = None,
    rho: Exact | None = None,
    delta: Exact | None = None,
    method: str | None = None,
    nodes: int | None = None,
    listed: bool = True,
) -> GraphQuote:
    """Price, mechanism and expected error of an answer about a graph that need not be there yet.

    Edge privacy wants to know how many ``nodes`` there are, which is public then.

    >>> from pointillist.graph import explain
    >>> explain("edges", privacy="edge", epsilon=1, nodes=5_000).error_95
    3.0
    """
    price = _price(privacy, epsilon, rho, delta, method)
    return _quote(_native.graph.explain(_word(statistic, "statistic"), price, _count(nodes), listed))


def statistics() -> list[str]:
    """What can be asked. ``2-stars`` stands for 2-stars to 8-stars, and ``2-triangles`` for 2-triangles to 8-triangles."""
    return _native.graph.statistics()


def methods() -> list[str]:
    """How a statistic can be made private, beside ``propose-test-release:BOUND``."""
    return _native.graph.methods()


def _price(privacy: Any, epsilon: Any, rho: Any, delta: Any, method: Any) -> dict[str, str | None]:
    return {
        "privacy": _word(privacy, "privacy"),
        "epsilon": exact_or_none(epsilon, "epsilon"),
        "rho": exact_or_none(rho, "rho"),
        "delta": exact_or_none(delta, "delta"),
        "method": None if method is None else _word(method, "method"),
    }


def _word(given: Any, name: str) -> str:
    if not isinstance(given, str):
        raise RequestError(f"{name} is a {type(given).__name__}", f"give {name} as a word")
    return given.replace("_", "-")


def _count(nodes: Any) -> int | None:
    if nodes is not None and (isinstance(nodes, bool) or not isinstance(nodes, int) or not 0 <= nodes < 2**32):
        raise RequestError("this is no number of nodes", "give a whole number below 2**32")
    return nodes


def _cost(said: dict[str, str] | str) -> Cost:
    if isinstance(said, str):
        raise RequestError(f"this costs {said}, which is no epsilon", "take another method")
    return Cost(Fraction(said["epsilon"]), Fraction(said.get("delta", 0)))


def _answer(said: dict[str, Any], privacy: str) -> GraphAnswer:
    known = said["value"] is not None
    return GraphAnswer(
        statistic=said["statistic"],
        privacy=privacy,
        value=said["value"],
        error_95=said["error_95"] if known else None,
        interval=(said["lower"], said["upper"]) if known else None,
        cost=_cost(said["cost"]),
        mechanism=said["mechanism"],
        notes=tuple(said["notes"]),
    )


def _degrees(said: dict[str, Any], privacy: str) -> DegreeDistribution:
    rows = said["at_least"]

    def floats(name: str, open_end: float) -> NDArray[np.float64]:
        values = (row[name] for row in rows)
        return np.array([open_end if value is None else value for value in values], dtype=np.float64)

    return DegreeDistribution(
        privacy=privacy,
        degree=np.array([row["degree"] for row in rows], dtype=np.int64),
        at_least=floats("value", np.nan),
        error_95=floats("error_95", np.inf),
        lower=floats("lower", -np.inf),
        upper=floats("upper", np.inf),
        cost=_cost(said["cost"]),
        mechanism=said["mechanism"],
        notes=tuple(said["notes"]),
    )


def _quote(text: str) -> GraphQuote:
    said = json.loads(text)
    return GraphQuote(
        statistic=said["statistic"],
        privacy=said["privacy"],
        mechanism=said["mechanism"],
        error_95=None if said["error_95"] is None else float(said["error_95"]),
        outlook=tuple(said["outlook"]),
        cost=_cost(said["cost"]),
        notes=tuple(said["notes"]),
    )


def _arrow(ids: Any) -> Column:
    if len(ids) == 0:
        return Column(np.empty(0, dtype=np.int64), None)
    return Column(ids, "text" if isinstance(ids, list) else "number")


def _networkx(nodes: Iterable[Any], sources: NDArray[Any], targets: NDArray[Any]) -> Any:
    made: Any = importlib.import_module("networkx").Graph()
    made.add_nodes_from(nodes)
    made.add_edges_from(zip(sources.tolist(), targets.tolist(), strict=True))
    return made


def _no_graph(given: object, package: str) -> RequestError:
    return RequestError(f"a {type(given).__name__} is no graph of {package}", "use Graph.from_edges")


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _short(value: Fraction) -> str:
    as_float = repr(float(value))
    if as_float.endswith(".0"):
        as_float = as_float[:-2]
    return as_float if Fraction(as_float) == value else str(value)
