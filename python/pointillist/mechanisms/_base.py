"""What every mechanism shares: its card, its loss, and how it is shown."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar, Generic, Literal, Protocol, TypeAlias, TypeVar

from .._native import mechanisms as native
from .._exact import Exact, exact
from ..errors import RequestError

#: Which data sets are neighbours: with or without everything of one person, or with another person in their place.
Neighbours: TypeAlias = Literal["add/remove", "replace one"]

#: How scores move between neighbours: each as it likes, or all in one direction.
Movement: TypeAlias = Literal["general", "monotone"]


@dataclass(frozen=True)
class Card:
    """What a mechanism says of itself, in a line each."""

    name: str
    releases: str
    guarantee: str
    error: str
    source: str

    def __str__(self) -> str:
        return (
            f"{self.name}: {self.releases}\n"
            f"  guarantee  {self.guarantee}\n"
            f"  error      {self.error}\n"
            f"  source     {self.source}"
        )


@dataclass(frozen=True)
class Guarantee:
    """One statement about a release on any two neighbours. Numbers are exact, as texts for ``Fraction``."""

    kind: Literal["pure", "approximate", "zcdp", "approximate zcdp", "bounded range"]
    words: str
    epsilon: str | None = None
    delta: str | None = None
    rho: str | None = None

    def __str__(self) -> str:
        return self.words


@dataclass(frozen=True)
class Loss:
    """What one release costs: everything that is proven of it.

    ``epsilon``, ``delta`` and ``rho`` are exact numbers as texts, for :class:`fractions.Fraction` and for
    :mod:`pointillist.accounting`. ``delta`` belongs to ``epsilon``, or to ``rho`` where there is no ``epsilon``;
    ``guarantees`` says each statement by itself.
    """

    epsilon: str | None
    delta: str | None
    rho: str | None
    words: str
    guarantees: tuple[Guarantee, ...]

    def __str__(self) -> str:
        return self.words

    @staticmethod
    def of_json(text: str) -> Loss:
        """The loss that the compiled part wrote."""
        read = json.loads(text)
        guarantees = tuple(Guarantee(**guarantee) for guarantee in read.pop("guarantees"))
        return Loss(guarantees=guarantees, **read)


@cache
def all_cards() -> tuple[Card, ...]:
    """Every card of the catalogue."""
    return tuple(cards_about(""))


def cards_about(word: str) -> list[Card]:
    """The cards whose name or description has this word."""
    return [Card(**card) for card in json.loads(native.cards(word))["mechanisms"]]


class Native(Protocol):
    """What every class of the compiled part has."""

    def loss(self) -> str: ...


N = TypeVar("N", bound=Native)
#: Every class by the name of its card, in the order of the catalogue's file.
CLASSES: dict[str, list[type[Mechanism[Any]]]] = {}


class Mechanism(Generic[N]):
    """A mechanism with its parameters. It has no ledger: whoever releases twice pays twice, and keeps the books."""

    #: The mechanism's entry in the catalogue.
    card: ClassVar[Card]
    _inner: N

    def __init_subclass__(cls, card: str | None = None, **rest: Any) -> None:
        super().__init_subclass__(**rest)
        if card is None:
            return
        cls.card = next(found for found in all_cards() if found.name == card)
        CLASSES.setdefault(card, []).append(cls)
        # One source for what is promised: the card of the file that has the proof.
        cls.__doc__ = (
            f"{(cls.__doc__ or '').rstrip()}\n\n"
            f"    Guarantee: {cls.card.guarantee}.\n"
            f"    Error: {cls.card.error}.\n"
            f"    Source: {cls.card.source}.\n\n"
            "    There is no ledger here: every release costs ``loss`` again, and the caller adds it up\n"
            "    (:mod:`pointillist.accounting`).\n    "
        )

    def _hold(self, inner: N) -> None:
        # The instance is frozen for everybody else.
        object.__setattr__(self, "_inner", inner)

    @property
    def loss(self) -> Loss:
        """What one release costs."""
        return Loss.of_json(self._inner.loss())

    def _parameters(self) -> dict[str, Any]:
        named: Any = self
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(named)}

    def __repr__(self) -> str:
        given = (f"{name}={_shown(value)}" for name, value in self._parameters().items() if value is not None)
        return f"<{type(self).__name__} {' '.join(given)}: {self.loss}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (type(self), self._parameters())


def _shown(value: Any) -> str:
    text = repr(value) if type(value) in (tuple, str) else str(value)
    return text if len(text) <= 80 else f"{text[:79]}…"


def _again(kind: type[Any], parameters: dict[str, Any]) -> Any:
    return kind(**parameters)


def text_or_none(value: Exact | None, name: str) -> str | None:
    """The exact text of a parameter that may be left out."""
    return None if value is None else exact(value, name)


def whole(value: Any, name: str) -> int:
    """A whole number that is none of the truth values and no float."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        # It may be an answer that nobody has made private yet: the error does not say it.
        raise RequestError(f"{name} is a {type(value).__name__}, which is no whole number", f"give {name} as an integer")
    number = int(value.__index__())
    if not -(2**127) <= number < 2**127:
        raise RequestError(f"{name} is beyond 128 bits", f"give {name} as a smaller integer")
    return number
