"""Attempts to refute a promise, of ours or of anybody's.

:func:`callable` audits any function of Python: it is called many times on two neighbouring inputs, events and trained
classifiers compete at telling the two apart, and the best of them gives a lower bound on the loss with a stated
confidence. The other functions audit what is built in.

A claim is refuted where a much stricter bound exceeds it: that happens to a true claim at most once in 10⁹ audits. A
bound below the claim proves nothing: it says that this adversary, with this many calls, did not do better.

>>> import numpy as np, pointillist
>>> noise = np.random.default_rng()
>>> def release(count: float) -> float:
...     return count + noise.laplace(scale=1.0)
>>> finding = pointillist.audit.callable(release, 70.0, 71.0, epsilon=0.2, trials=4_000)
>>> finding.refuted, finding.epsilon_lower > 0.2
(True, True)
"""

from __future__ import annotations

import builtins
import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

from . import _native
from ._exact import Exact, exact, exact_or_none
from ._page import Page, today
from ._progress import Progress, told
from .errors import RequestError

if TYPE_CHECKING:
    from .graph import Graph

__all__ = [
    "Event",
    "Finding",
    "Findings",
    "Measured",
    "OneRun",
    "callable",
    "everything",
    "graph",
    "graphs",
    "local",
    "mechanisms",
    "planted",
    "query",
]

D = TypeVar("D")


@dataclass(frozen=True)
class Event:
    """Something that is seen more often on one side: how often there, how often elsewhere, of how many releases."""

    description: str
    #: The side on which it is likelier: ``"left"`` is the first world.
    likelier: Literal["left", "right"]
    there: tuple[int, int]
    elsewhere: tuple[int, int]

    def __str__(self) -> str:
        return self.description


@dataclass(frozen=True)
class Measured:
    """What was found about one guarantee: its number is at least ``measured``, with the finding's confidence."""

    guarantee: str
    symbol: str
    claimed: float
    measured: float
    #: At least this at the rate of the verdict; above ``claimed`` the claim is refuted.
    measured_for_verdict: float
    event: Event | None

    @property
    def refuted(self) -> bool:
        """Whether the number is above the one that is claimed, at the rate of the verdict."""
        return self.measured_for_verdict > self.claimed


@dataclass(frozen=True)
class Finding:
    """What an audit found about one subject."""

    subject: str
    verdict: Literal["cleared", "refuted", "caught", "missed"]
    #: Whether anything at all was measured: an audit without power supports no claim.
    power: bool
    #: What is wrong with a subject that was planted.
    flaw: str | None
    neighbours: str
    pairs: int
    releases: int
    guarantees: tuple[Measured, ...]
    #: How sure each measured number is.
    confidence: float
    #: How often a true claim is called false.
    false_alarm: float
    #: The event that tells most, in words; nothing where nothing tells.
    event: str | None
    #: What the verdict rests on, in words.
    evidence: str
    _native: _native.audit.Findings = field(repr=False, compare=False)

    @property
    def refuted(self) -> bool:
        """Whether the claim is refuted."""
        return any(measured.refuted for measured in self.guarantees)

    @property
    def epsilon_lower(self) -> float | None:
        """The epsilon of the release is at least this, with ``confidence``; nothing where none was claimed."""
        return max((found.measured for found in self.guarantees if found.symbol != "ρ"), default=None)

    @property
    def rho_lower(self) -> float | None:
        """The rho of the release is at least this, with ``confidence``; nothing where none was claimed."""
        return max((found.measured for found in self.guarantees if found.symbol == "ρ"), default=None)

    def to_json(self) -> str:
        """The object that ``pointillist audit --json`` prints, about this subject."""
        return self._native.to_json()

    def page(self) -> Page:
        """What was found, with plots and explanations."""
        return Page(self._native.page("pointillist.audit", today()))

    def _repr_html_(self) -> str:
        return self.page()._repr_html_()  # pyright: ignore[reportPrivateUsage]

    def __repr__(self) -> str:
        said = "; ".join(
            f"claimed {found.guarantee}, measured {found.symbol} ≥ {found.measured:.4g}" for found in self.guarantees
        )
        word = self.verdict.upper() if self.verdict in ("refuted", "missed") else self.verdict
        return f"<Finding {self.subject}: {word}; {said} with {self.confidence:.0%} confidence; {self.evidence}>"


@dataclass(frozen=True)
class OneRun:
    """What one run with many made-up people told, each of whom took part by a coin of their own."""

    subject: str
    canaries: int
    guessed: int
    right: int
    delta: float
    claimed: float
    measured: float
    measured_for_verdict: float
    verdict: Literal["cleared", "refuted"]


@dataclass(frozen=True)
class Findings(Sequence[Finding]):
    """What an audit found about several subjects, in their order; ``one_run`` are those that were run once."""

    title: str
    #: Whether every real claim held and every planted leak was caught.
    as_it_should_be: bool
    findings: tuple[Finding, ...]
    one_run: tuple[OneRun, ...]
    #: The whole in a few sentences.
    summary: str
    #: What whoever sees the findings has to know.
    notes: tuple[str, ...]
    _native: _native.audit.Findings = field(repr=False, compare=False)

    @overload
    def __getitem__(self, place: int) -> Finding: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Finding, ...]: ...
    def __getitem__(self, place: int | slice) -> Finding | tuple[Finding, ...]:
        return self.findings[place]

    def __len__(self) -> int:
        return len(self.findings)

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def of(self, subject: str) -> Finding:
        """The finding about this subject."""
        for finding in self.findings:
            if finding.subject == subject:
                return finding
        known = ", ".join(finding.subject for finding in self.findings[:12])
        raise RequestError(f"nothing here is called {subject!r}", f"there are findings about {known}")

    def to_json(self) -> str:
        """The object that ``pointillist audit --json`` prints, without its settings."""
        return self._native.to_json()

    def page(self) -> Page:
        """What was found, with plots and explanations."""
        return Page(self._native.page("pointillist.audit", today()))

    def _repr_html_(self) -> str:
        return self.page()._repr_html_()  # pyright: ignore[reportPrivateUsage]

    def __repr__(self) -> str:
        return f"<Findings {self.title}: {self.summary}>"


def _measured(read: dict[str, Any]) -> Measured:
    event = read.pop("event")
    if event is not None:
        event = Event(event["description"], event["likelier"], tuple(event["there"]), tuple(event["elsewhere"]))
    return Measured(event=event, **read)


def _findings(native: _native.audit.Findings) -> Findings:
    read = json.loads(native.to_json())
    findings: list[Finding] = []
    words = zip(read["subjects"], native.events(), native.evidence(), strict=True)
    for place, (subject, event, evidence) in enumerate(words):
        guarantees = tuple(_measured(found) for found in subject.pop("guarantees"))
        findings.append(
            Finding(
                guarantees=guarantees,
                confidence=read["confidence"],
                false_alarm=read["false_alarm"],
                event=event,
                evidence=evidence,
                _native=native.only(place) or native,
                **subject,
            )
        )
    return Findings(
        title=read["audit"],
        as_it_should_be=read["as_it_should_be"],
        findings=tuple(findings),
        one_run=tuple(OneRun(**run) for run in read["one_run"]),
        summary=native.summary(),
        notes=tuple(native.notes()),
        _native=native,
    )


def callable(  # the word that says it; the built-in one is `builtins.callable` in here
    release: Callable[[D], object],
    world: D,
    neighbour: D,
    *,
    epsilon: Exact | None = None,
    delta: Exact = 0,
    rho: Exact | None = None,
    trials: int = 20_000,
    confidence: float = 0.95,
    name: str | None = None,
    progress: Progress | None = None,
) -> Finding:
    """Audits any function: can somebody who sees what it returns tell one input from its neighbour too well?

    ``release`` is called ``trials`` times on either input, and everything it returns is seen: a number to its last bit,
    a text, bytes, a truth value, ``None``, or a list, an array, a set or a dict of those. It must draw fresh randomness
    in every call, and must not change its input. What it raises is raised here; an error that is part of the mechanism
    should be caught and returned as a text, because whoever is refused sees that too.

    ``world`` and ``neighbour`` are for the caller to choose: two inputs that the claim calls neighbours, and that are
    hard to hide from each other. The claim is ``epsilon`` with ``delta``, or ``rho`` with ``delta``, or both.

    Not seen: how long a call takes; an event of probability p on one side only, before there are about 250/p trials.

    >>> import numpy as np, pointillist
    >>> noise = np.random.default_rng()
    >>> def forgets(ages: list[int]) -> float:
    ...     total = sum(ages)
    ...     return total if not ages else total + noise.laplace(scale=100.0)
    >>> finding = pointillist.audit.callable(forgets, [], [42], epsilon=1, trials=2_000)
    >>> finding.verdict
    'refuted'
    """
    if not builtins.callable(release):
        raise RequestError("there is no function to call", "give a function of one argument")
    called = name or getattr(release, "__qualname__", None) or type(release).__name__
    native = _native.audit.of_callable(
        release,
        (world, neighbour),
        called.replace("<locals>.", ""),
        f"{_short(world)} and {_short(neighbour)}",
        exact_or_none(epsilon, "epsilon"),
        exact(delta, "delta"),
        exact_or_none(rho, "rho"),
        trials,
        confidence,
        told(progress),
    )
    return _findings(native)[0]


def _short(world: Any) -> str:
    try:
        text = " ".join(repr(world).split())
    except Exception:  # whatever an input's own repr raises
        text = type(world).__name__
    return text if len(text) <= 60 else f"{text[:59]}…"


def mechanisms(
    *names: str,
    epsilon: Exact = 1,
    releases: int | None = None,
    confidence: float = 0.95,
    progress: Progress | None = None,
) -> Findings:
    """Audits mechanisms, trainers and synthesizers of Pointillist, or those whose names begin like these.

    ``releases`` is how many are drawn of either neighbour: 20,000 unless it is said, and fewer of what is slow.

    >>> import pointillist
    >>> findings = pointillist.audit.mechanisms("geometric", releases=500)
    >>> findings.as_it_should_be, findings[0].subject.split()[0]
    (True, 'geometric')
    """
    native = _native.audit.mechanisms(exact(epsilon, "epsilon"), list(names), releases, confidence, told(progress))
    return _findings(native)


def planted(
    *names: str, releases: int | None = None, confidence: float = 0.95, progress: Progress | None = None
) -> Findings:
    """Audits releases that are broken on purpose, or those whose names begin like these: each must be caught.

    >>> import pointillist
    >>> [finding.verdict for finding in pointillist.audit.planted("rounding instead of noise")]
    ['caught']
    """
    return _findings(_native.audit.planted(list(names), releases, confidence, told(progress)))


def local(
    line: str | None = None,
    *,
    epsilon: Exact = 1,
    releases: int | None = None,
    confidence: float = 0.95,
    progress: Progress | None = None,
) -> Findings:
    """Audits every local randomizer, or the one that a line sets up, such as ``"k-ary-response values=3 epsilon=1"``.

    >>> import pointillist
    >>> pointillist.audit.local("randomized-response epsilon=1", releases=500).as_it_should_be
    True
    """
    native = _native.audit.local(line, exact(epsilon, "epsilon"), releases, confidence, told(progress))
    return _findings(native)


def graphs(
    *, epsilon: Exact = 1, releases: int | None = None, confidence: float = 0.95, progress: Progress | None = None
) -> Findings:
    """Audits every statistic of graphs on small graphs. It takes minutes; see :func:`graph` for one of yours."""
    return _findings(_native.audit.graphs(exact(epsilon, "epsilon"), releases, confidence, told(progress)))


def graph(
    held: Graph,
    statistic: str,
    *,
    privacy: Literal["edge", "node"],
    epsilon: Exact = 1,
    delta: Exact | None = None,
    method: str | None = None,
    listed: bool = False,
    releases: int | None = None,
    confidence: float = 0.95,
    progress: Progress | None = None,
) -> Finding:
    """Audits one statistic on your own graph, with and without the tie or the person that is likely to show most.

    What is found was computed from the graph without noise: it is for its owner. ``listed`` says that the list of all
    nodes is public.

    >>> import pointillist
    >>> ring = pointillist.graph.Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 0)])
    >>> pointillist.audit.graph(ring, "edges", privacy="edge", releases=500).refuted
    False
    """
    import numpy as np

    sources, targets = held.to_edges()
    ids, places = np.unique(np.concatenate([sources, targets]), return_inverse=True)
    ends = places.astype(np.uint32)
    native = _native.audit.graph(
        max(held.inspect().nodes, len(ids)),
        ends[: len(sources)],
        ends[len(sources) :],
        listed,
        statistic.replace("_", "-"),
        privacy,
        None if method is None else method.replace("_", "-"),
        exact(epsilon, "epsilon"),
        exact_or_none(delta, "delta"),
        releases,
        confidence,
        told(progress),
    )
    return _findings(native)[0]


def query(
    sql: str,
    *,
    catalog: str | os.PathLike[str] = "pointillist.toml",
    epsilon: Exact | None = None,
    rho: Exact | None = None,
    delta: Exact | None = None,
    person: str | None = None,
    on_data: bool = False,
    releases: int | None = None,
    confidence: float = 0.95,
    progress: Progress | None = None,
) -> Findings:
    """Audits a question in SQL, asked of the real curator in worlds that differ in one person.

    The worlds are made up from the catalog, each with a ledger of its own: no ledger of yours is read or charged. With
    ``on_data`` they are copies of your own rows, and what is found is for the owner only. ``person`` names the column
    that says whose row it is, where that is not the catalog's privacy unit.
    """
    given = {"epsilon": epsilon, "rho": rho, "delta": delta}
    options = [(name, exact(value, name)) for name, value in given.items() if value is not None]
    native = _native.audit.query(
        sql, os.fspath(catalog), options, person, on_data, releases, confidence, told(progress)
    )
    return _findings(native)


def everything(
    *, epsilon: Exact = 1, releases: int | None = None, confidence: float = 0.95, progress: Progress | None = None
) -> Findings:
    """Audits everything that is built in, and every planted leak. It takes many minutes."""
    return _findings(_native.audit.everything(exact(epsilon, "epsilon"), releases, confidence, told(progress)))
