"""Groups whose names are private too: which of them may be shown at all."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from numpy.typing import NDArray

from .._native import mechanisms as native
from .._exact import Exact, exact
from ..errors import RequestError
from ._base import Mechanism, whole
from ._values import keys_by_person, ordered

__all__ = ["EarnedKeys", "PartitionSelection", "StabilityHistogram"]

K = TypeVar("K", bound=Hashable)


def _numbered(people: Any) -> tuple[list[Any], list[int], list[int] | None]:
    """Keys in rising order, the number of each key of the data among them, and how many keys each person has."""
    keys, lengths = keys_by_person(people, "people")
    known = ordered(keys)
    places = {key: place for place, key in enumerate(known)}
    return known, [places[key] for key in keys], lengths


def _taken(holders: Any) -> tuple[list[Any], list[int]]:
    if not hasattr(holders, "keys"):
        raise RequestError("the numbers of people have no keys", "give a mapping from each key to its number")
    known = ordered(holders)
    numbers = [whole(holders[key], "a number of people") for key in known]
    if any(number < 0 for number in numbers):
        raise RequestError("a key is held by fewer than nobody", "numbers of people begin at zero")
    return known, numbers


@dataclass(frozen=True, kw_only=True, repr=False)
class StabilityHistogram(Mechanism[native.StabilityHistogram], card="histogram over private keys"):
    """Keys that nobody declared, with their counts, where those reach a threshold with noise; rare keys are lost.

    A person counts in at most ``max_groups`` keys, drawn at random, with at most ``max_contributions`` rows in each.
    Neighbours: one person more or fewer. Answers are sorted by key. Keys are texts or numbers, all of one kind.

    >>> from pointillist.mechanisms import StabilityHistogram
    >>> words = StabilityHistogram(epsilon=1, delta=1e-9)
    >>> words.threshold
    22
    >>> list(words.release(["common"] * 500 + ["a name"]))
    ['common']
    """

    max_groups: int = 1
    max_contributions: int = 1
    epsilon: Exact
    delta: Exact

    def __post_init__(self) -> None:
        self._hold(
            native.StabilityHistogram(
                whole(self.max_groups, "max_groups"),
                whole(self.max_contributions, "max_contributions"),
                exact(self.epsilon, "epsilon"),
                exact(self.delta, "delta"),
            )
        )

    @property
    def threshold(self) -> int:
        """The least noisy count that is released."""
        return self._inner.threshold()

    def release(self, people: Iterable[K] | Iterable[Iterable[K]] | NDArray[Any]) -> dict[K, int]:
        """The common keys with their noisy counts, from one key a person or from one list of keys a person."""
        known, numbered, lengths = _numbered(people)
        return {known[place]: count for place, count in self._inner.release(numbered, lengths)}

    def release_bounded(self, counts: Mapping[K, int]) -> dict[K, int]:
        """The same, from the count of each key, taken after bounding each person."""
        known, numbers = _taken(counts)
        return {known[place]: count for place, count in self._inner.release_bounded(numbers)}

    def error_bound(self, beta: Exact = 0.05, *, keys: int = 1) -> int:
        """The noise of all of ``keys`` keys stays within this with probability at least ``1 - beta``."""
        return self._inner.error_bound(whole(keys, "keys"), exact(beta, "beta"))


@dataclass(frozen=True, kw_only=True, repr=False)
class PartitionSelection(Mechanism[native.PartitionSelection], card="partition selection"):
    """Which keys may be named at all: the most that any (epsilon, delta) allows, for one key a person.

    Counts are not released: that is another release. Neighbours: one person more or fewer, who holds at most
    ``max_groups`` keys. Answers are sorted by key. Keys are texts or numbers, all of one kind.

    >>> from pointillist.mechanisms import PartitionSelection
    >>> keys = PartitionSelection(epsilon=1, delta=1e-5)
    >>> keys.release(["common"] * 100), keys.people_needed(), keys.keep_probability(23)
    (['common'], 14, 1.0)
    """

    max_groups: int = 1
    epsilon: Exact
    delta: Exact

    def __post_init__(self) -> None:
        self._hold(
            native.PartitionSelection(
                whole(self.max_groups, "max_groups"), exact(self.epsilon, "epsilon"), exact(self.delta, "delta")
            )
        )

    def keep_probability(self, people: int) -> float:
        """The probability that a key of this many people is kept, rounded."""
        return self._inner.keep_probability(whole(people, "people"))

    def release(self, people: Iterable[K] | Iterable[Iterable[K]] | NDArray[Any]) -> list[K]:
        """The kept keys, from one key a person or from one list of keys a person."""
        known, numbered, lengths = _numbered(people)
        return [known[place] for place in self._inner.release(numbered, lengths)]

    def release_bounded(self, holders: Mapping[K, int]) -> list[K]:
        """The same, from the number of people who hold each key, taken after bounding each person."""
        known, numbers = _taken(holders)
        return [known[place] for place in self._inner.release_bounded(numbers)]

    def people_needed(self, beta: Exact = 0.05) -> int:
        """The least number of people with which a key is kept with probability at least ``1 - beta``."""
        return self._inner.people_needed(exact(beta, "beta"))


@dataclass(frozen=True, kw_only=True, repr=False)
class EarnedKeys(Mechanism[native.EarnedKeys], card="earned keys"):
    """The keys that enough people hold, with how many, under a budget of rho.

    Neighbours: one person more or fewer, who holds at most ``groups_max`` keys. Answers are sorted by key. Keys are
    texts or numbers, all of one kind.

    >>> from pointillist.mechanisms import EarnedKeys
    >>> keys = EarnedKeys(rho=0.1, delta=1e-9)
    >>> list(keys.release({"common": 500, "a name": 1}))
    ['common']
    """

    groups_max: int = 1
    rho: Exact
    delta: Exact

    def __post_init__(self) -> None:
        self._hold(
            native.EarnedKeys(
                whole(self.groups_max, "groups_max"), exact(self.rho, "rho"), exact(self.delta, "delta")
            )
        )

    @property
    def threshold(self) -> int:
        """The least noisy number of people that is shown."""
        return self._inner.threshold()

    def release(self, people: Mapping[K, int]) -> dict[K, int]:
        """The keys that are shown with their noisy numbers, from how many people hold each key.

        Numbers are taken after bounding each person to ``groups_max`` keys.
        """
        known, numbers = _taken(people)
        shown = zip(known, self._inner.release(numbers), strict=True)
        return {key: number for key, number in shown if number is not None}

    def people_needed(self, beta: Exact = 0.05) -> int:
        """A key of this many people is shown with probability at least ``1 - beta``."""
        return self._inner.people_needed(exact(beta, "beta"))
