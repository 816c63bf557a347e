"""What an adversary learns from what others publish, and from the same at a price.

Every attack runs twice: on answers as others publish them, and on Pointillist's answers to the same questions at the price
that is named. ``without`` and ``with_pointillist`` say what was learnt, ``figures`` are the numbers, :meth:`Comparison.page`
is the whole with plots. Tables are dicts of columns, data frames, lists of dicts, two-dimensional arrays, or paths of CSV
files; where none is given, people are made up.

Nothing here is charged to any ledger. What is printed about your own table was computed from it without noise: it is for
its owner.

>>> import pointillist
>>> people = {"born": [1951, 1960, 1960], "sex": ["f", "m", "m"], "zip": [2138, 2139, 2139]}
>>> alone = pointillist.attack.unique(people)
>>> alone["rows"], alone["subsets"][0]["unique"]
(3, 1)
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _native
from ._exact import Exact, exact, exact_or_none
from ._page import Page, today
from ._progress import Progress, told
from ._whole import whole, whole_or_none
from .errors import RequestError

__all__ = [
    "Anonymized",
    "Comparison",
    "Decoded",
    "Linked",
    "Reconstruction",
    "anonymize",
    "average",
    "could_have_produced",
    "decode",
    "difference",
    "floating",
    "intersect",
    "link",
    "membership",
    "model",
    "published_counts",
    "reconstruct",
    "reconstruct_curator",
    "unique",
]

#: A table: a dict of columns, a data frame, a list of dicts, a two-dimensional array, or the path of a CSV file.
Table: TypeAlias = "Mapping[str, Iterable[Any]] | Iterable[Mapping[str, Any]] | str | os.PathLike[str] | Any"
#: Which rows are counted: columns and the values that they have, all together.
Where: TypeAlias = "Mapping[str, Any]"

#: More people than this are not made up.
_TOWN_MAX = 1_000_000
#: What outsiders know of the made-up people.
_KNOWN = ("born", "sex", "zip")


@dataclass(frozen=True)
class Comparison:
    """The outcome of an attack on answers as others publish them, and of the same attack on ours."""

    #: Which attack.
    attack: str
    #: What was learnt without differential privacy.
    without: str
    #: What was learnt from Pointillist's answers to the same questions.
    with_pointillist: str
    #: The numbers, as ``pointillist attack --json`` prints them.
    figures: Mapping[str, Any]
    _native: _native.attack.Outcome = field(repr=False, compare=False)

    def __getitem__(self, name: str) -> Any:
        return self.figures[name]

    def to_json(self) -> str:
        """The object that ``pointillist attack --json`` prints."""
        return self._native.to_json()

    def page(self) -> Page:
        """What was learnt, with plots and explanations."""
        return Page(self._native.page("pointillist.attack", today()))

    def _repr_html_(self) -> str:
        return self.page()._repr_html_()  # pyright: ignore[reportPrivateUsage]

    def __repr__(self) -> str:
        return (
            f"<{type(self).__name__} {self.attack}\n"
            f"  without differential privacy: {self.without}\n"
            f"  with Pointillist: {self.with_pointillist}>"
        )


@dataclass(frozen=True, repr=False)
class Reconstruction(Comparison):
    """How much of a secret column was recovered. Estimates lie between 0 and 1, one a person."""

    secret: NDArray[np.bool_]
    estimates: NDArray[np.float64]
    estimates_private: NDArray[np.float64]

    @property
    def recovered(self) -> float:
        """The share of bits recovered from others' answers."""
        return float(self.figures["recovered"])

    @property
    def recovered_private(self) -> float:
        """The share recovered from ours."""
        return float(self.figures["recovered_private"])

    @property
    def right_upper(self) -> float:
        """How often a bit that was a fair coin can be guessed from our answers, at most."""
        return float(self.figures["right_upper"])


@dataclass(frozen=True, repr=False)
class Linked(Comparison):
    """Rows that have a name now: pairs of a row of the table without names and a row of the public list, from zero."""

    identified: tuple[tuple[int, int], ...]


@dataclass(frozen=True, repr=False)
class Anonymized(Comparison):
    """A table made k-anonymous, and what it still gives away."""

    #: The anonymous table, column by column.
    published: dict[str, list[str]]
    #: How rows were made alike, in words.
    how: str
    #: How anonymous it is, in words.
    measures: str


@dataclass(frozen=True)
class Decoded:
    """Everybody's bit, from answers about subsets."""

    #: How much the answers speak for a one, between 0 and 1.
    estimates: NDArray[np.float64]
    #: What the method minimised.
    objective: float

    @property
    def guess(self) -> NDArray[np.bool_]:
        """A one where the estimate is above one half."""
        return self.estimates > 0.5


def _fields(native: _native.attack.Outcome) -> dict[str, Any]:
    figures = json.loads(native.to_json())
    return {
        "attack": figures["attack"],
        "without": native.without(),
        "with_pointillist": native.with_pointillist(),
        "figures": figures,
        "_native": native,
    }


def _comparison(native: _native.attack.Outcome) -> Comparison:
    return Comparison(**_fields(native))


def _text(value: Any) -> str:
    if hasattr(value, "item") and getattr(value, "ndim", None) == 0:
        value = value.item()
    if value is None or (isinstance(value, float) and value != value):
        return ""
    return str(value)


def _columns(table: Any) -> dict[str, list[Any]]:
    """The columns of a table that Python holds."""
    if hasattr(table, "to_pydict"):
        return dict(table.to_pydict())
    if hasattr(table, "to_dict"):
        try:
            return dict(table.to_dict(as_series=False))
        except TypeError:
            return dict(table.to_dict("list"))
    if isinstance(table, np.ndarray):
        array: NDArray[Any] = table
        if array.ndim == 2:
            return {str(place + 1): list(array[:, place]) for place in range(array.shape[1])}
    elif hasattr(table, "keys"):
        return {name: list(table[name]) for name in table.keys()}
    elif isinstance(table, (list, tuple)):
        rows: list[Any] = list(table)  # pyright: ignore[reportUnknownArgumentType]
        if rows and all(hasattr(row, "keys") for row in rows):
            names = list(rows[0].keys())
            return {name: [row.get(name) for row in rows] for name in names}
    raise RequestError(
        f"a {type(table).__name__} is no table of people",
        "give a dict of columns, a data frame, a list of dicts, a two-dimensional array or the path of a CSV file",
    )


def _table(table: Table, name: str) -> tuple[str, list[str], list[list[str]]] | str:
    """A table as the compiled part takes it: texts, or the path of a file."""
    if isinstance(table, (str, os.PathLike)):
        path = os.fspath(table)
        if isinstance(path, bytes):
            raise RequestError("a path is bytes", "give it as a text")
        return path
    columns = {str(column): [_text(value) for value in values] for column, values in _columns(table).items()}
    if len({len(values) for values in columns.values()}) > 1:
        raise RequestError(f"the columns of {name} have different lengths", "give one value a row in every column")
    rows = [list(row) for row in zip(*columns.values(), strict=True)]
    return name, list(columns), rows


def _names(columns: Iterable[str] | str, what: str) -> list[str]:
    if isinstance(columns, str):
        return [column.strip() for column in columns.split(",")]
    names = list(columns)
    if not all(type(name) is str for name in names):
        raise RequestError(f"{what} are not all texts", "give the names of columns")
    return names


def _conditions(where: Where | None) -> list[tuple[str, str]]:
    if where is None:
        return []
    if not hasattr(where, "items"):
        raise RequestError("conditions are no mapping", "give them like {'illness': 'flu'}")
    return [(str(column), _text(value)) for column, value in where.items()]


def _town(people: int | None) -> int | None:
    return None if people is None else whole(people, "town", _TOWN_MAX + 1)


def link(
    secret: Table | None = None,
    public: Table | None = None,
    *,
    town: int | None = None,
    on: Iterable[str] | str = _KNOWN,
    sensitive: str | None = None,
    epsilon: Exact = 1,
) -> Linked:
    """Joins rows without names with a public list that has them, on columns that both have.

    Without tables, a made-up hospital and made-up voters; with ``town``, a town of so many people. The private side
    guesses the same people's ``sensitive`` value from counts at ``epsilon``.

    >>> import pointillist
    >>> patients = {"born": [1951, 1960], "zip": [2138, 2139], "illness": ["flu", "asthma"]}
    >>> voters = {"name": ["Ana", "Ben", "Cem"], "born": [1951, 1960, 1960], "zip": [2138, 2139, 2139]}
    >>> pointillist.attack.link(patients, voters, on=["born", "zip"]).identified
    ((0, 0),)
    """
    if (secret is None) != (public is None):
        raise RequestError("one of two tables is missing", "give the table without names and the public list")
    tables = None if secret is None else (_table(secret, "the secret table"), _table(public, "the public list"))
    native = _native.attack.link(tables, _town(town), _names(on, "on"), sensitive, exact(epsilon, "epsilon"))
    identified = tuple((row, person) for row, person in json.loads(native.more())["identified"])
    return Linked(identified=identified, **_fields(native))


def unique(
    table: Table | None = None,
    *,
    town: int | None = None,
    columns: Iterable[str] | str = _KNOWN,
    epsilon: Exact = 1,
    delta: Exact = 1e-6,
) -> Comparison:
    """Who is alone on which columns, for every subset of them; and which combinations a release of counts would show.

    >>> import pointillist
    >>> pointillist.attack.unique(town=100)["rows"]
    100
    """
    native = _native.attack.unique(
        _table_or_town(table, town), _names(columns, "columns"), exact(epsilon, "epsilon"), exact(delta, "delta")
    )
    return _comparison(native)


def _table_or_town(table: Table | None, town: int | None) -> tuple[str, list[str], list[list[str]]] | int | str | None:
    if table is not None and town is not None:
        raise RequestError("there are two tables", "give a table, or a town of so many people")
    return _town(town) if table is None else _table(table, "the table")


def anonymize(
    table: Table | None = None,
    *,
    town: int | None = None,
    known: Iterable[str] | str = _KNOWN,
    sensitive: str = "illness",
    k: int = 2,
    method: Literal["auto", "exact", "matching", "mondrian"] = "auto",
    epsilon: Exact = 1,
    delta: Exact = 1e-6,
) -> Anonymized:
    """Makes a table k-anonymous on the columns that outsiders know, and shows what still works against it.

    ``exact`` tries every way to hide cells behind stars (20 rows at most), ``matching`` finds the fewest stars for
    ``k=2``, ``mondrian`` cuts any table into ranges and sets; ``auto`` takes the first that is quick.

    >>> import pointillist
    >>> people = {"age": [34, 36, 47, 22], "race": ["a", "b", "a", "b"], "illness": ["flu", "flu", "cold", "flu"]}
    >>> found = pointillist.attack.anonymize(people, known=["age", "race"], k=2)
    >>> found["k"], found.published["age"]
    (2, ['*', '*', '*', '*'])
    """
    native = _native.attack.anonymize(
        _table_or_town(table, town),
        _names(known, "known"),
        sensitive,
        whole(k, "k"),
        method,
        exact(epsilon, "epsilon"),
        exact(delta, "delta"),
    )
    return Anonymized(**json.loads(native.more()), **_fields(native))


def intersect(
    first: Table | None = None,
    second: Table | None = None,
    *,
    known: Iterable[str] | str = _KNOWN,
    known_second: Iterable[str] | str | None = None,
    sensitive: str = "illness",
    person: str | None = None,
    k: int = 5,
    published: bool = False,
    epsilon: Exact = 1,
    delta: Exact = 1e-6,
) -> Comparison:
    """What two k-anonymous tables that share people tell together, and neither tells alone.

    Each table is made k-anonymous on its own; with ``published`` they are taken as they are. ``person`` is the column
    that says who is who, which the attacker does not see. Without tables, two made-up hospitals.

    >>> import pointillist
    >>> found = pointillist.attack.intersect(k=5)
    >>> found["certain"] >= found["certain_alone"]
    True
    """
    if (first is None) != (second is None):
        raise RequestError("one of two tables is missing", "give both, or none")
    if published and (first is None or person is None):
        raise RequestError("published tables are given with the column that says who is who", "give person as well")
    tables = None if first is None else (_table(first, "the first table"), _table(second, "the second table"))
    names = _names(known, "known")
    native = _native.attack.intersect(
        tables,
        names,
        names if known_second is None else _names(known_second, "known_second"),
        sensitive,
        person,
        None if published else whole(k, "k"),
        exact(epsilon, "epsilon"),
        exact(delta, "delta"),
    )
    return _comparison(native)


def difference(
    table: Table | None = None,
    *,
    where: Where | None = None,
    except_: Where | None = None,
    with_: int = 71,
    without: int = 70,
    epsilon: Exact = 0.5,
) -> Comparison:
    """Two counts that differ by one person, exact and at ``epsilon`` each.

    The counts are ``with_`` and ``without``, or those of the rows of a table that meet ``where``, with and without the
    one row that meets ``except_``.

    >>> import pointillist
    >>> found = pointillist.attack.difference(with_=71, without=70, epsilon=0.5)
    >>> found["revealed"], found["right"] < 0.7
    (True, True)
    """
    price = exact(epsilon, "epsilon")
    if table is None:
        if where is not None or except_ is not None:
            raise RequestError("conditions are about the rows of a table", "give a table as well")
        return _comparison(_native.attack.difference(with_, without, price))
    if not where or not except_:
        raise RequestError("it is not said who is counted and who is left out", "give where and except_")
    asked = (_table(table, "the table"), _conditions(where), _conditions(except_), price)
    return _comparison(_native.attack.difference_in_table(*asked))


def published_counts(
    subsets: ArrayLike, counts: ArrayLike, *, people: Iterable[str] | None = None, epsilon: Exact = 0.5
) -> Comparison:
    """Who is certain from counts that somebody published, and what noise at ``epsilon`` for all of them makes of it.

    ``subsets`` has one row a count and one column a person: a one for everybody whom the row counts.

    >>> import pointillist
    >>> found = pointillist.attack.published_counts([[1, 1, 1], [0, 1, 1]], [2, 1], people=["Ana", "Ben", "Cem"])
    >>> found["determined"][0]["person"], found["determined"][0]["value"]
    ('Ana', 1)
    """
    flags = _subsets(subsets)
    answers = np.asarray(counts)
    if answers.ndim != 1 or answers.dtype.kind not in "iu":
        raise RequestError("the counts are no list of whole numbers", "give one count for every row of subsets")
    if len(answers) != len(flags):
        raise RequestError(
            f"{len(answers)} counts do not fit {len(flags)} subsets", "give one count for every row of subsets"
        )
    names = [f"person {place + 1}" for place in range(flags.shape[1])] if people is None else _names(people, "people")
    if len(names) != flags.shape[1]:
        raise RequestError(f"{len(names)} names do not fit {flags.shape[1]} people", "name everybody once")
    rows = [["1" if flag else "0" for flag in row] for row in flags.tolist()]
    rows = [[*row, str(answer)] for row, answer in zip(rows, answers.tolist(), strict=True)]
    table = ("the counts", [*names, "count"], rows)
    return _comparison(_native.attack.published(table, exact(epsilon, "epsilon")))


def _subsets(subsets: ArrayLike) -> NDArray[np.bool_]:
    try:
        flags: NDArray[Any] = np.asarray(subsets)
    except ValueError:
        flags = np.zeros(0)
    if flags.ndim != 2 or flags.dtype.kind not in "biu" or not bool(((flags == 0) | (flags == 1)).all()):
        raise RequestError(
            "the subsets are no table of zeros and ones", "give one row a question and one column a person"
        )
    return np.ascontiguousarray(flags, dtype=np.bool_)


def _secret(
    secret: Any, people: int | None, column: str | None, value: Any
) -> tuple[tuple[str, list[str], list[list[str]]] | str | None, str, str, int | None]:
    """Whose secret bit: made up, a list of bits, or a value in a column of a table."""
    count = whole_or_none(people, "people")
    if secret is None:
        return None, "", "", count
    if column is not None:
        return _table(secret, "the table"), column, _text(value), count
    bits: NDArray[Any] = np.asarray(secret)
    if bits.ndim != 1 or bits.dtype.kind not in "biu" or not bool(((bits == 0) | (bits == 1)).all()):
        raise RequestError(
            "the secret is no list of zeros and ones", "give everybody's bit, or a table with column and value"
        )
    return ("the secret", ["bit"], [["1" if bit else "0"] for bit in bits.tolist()]), "bit", "1", count


def reconstruct(
    secret: Table | ArrayLike | None = None,
    *,
    column: str | None = None,
    value: Any = None,
    people: int | None = None,
    questions: int = 4,
    error: float | None = None,
    epsilon: Exact = 1,
) -> Reconstruction:
    """Recovers a secret column from many slightly wrong counts, and tries the same on counts at ``epsilon`` in all.

    The secret is a list of bits, the rows of a table that have ``value`` in ``column``, or a fair coin of each of
    ``people`` people (1024 unless it is said). ``questions`` random subsets a person are asked about; answers of others
    are wrong by up to ``error``, a quarter of the root of the people unless it is said.

    >>> import pointillist
    >>> found = pointillist.attack.reconstruct(people=128, epsilon=1)
    >>> found.recovered > 0.75, found.estimates.shape
    (True, (128,))
    """
    asked = _secret(secret, people, column, value)
    native = _native.attack.reconstruct(asked, whole(questions, "questions"), error, exact(epsilon, "epsilon"))
    more = json.loads(native.more())
    return Reconstruction(
        secret=np.array(more["secret"], dtype=np.bool_),
        estimates=np.array(more["estimates"], dtype=np.float64),
        estimates_private=np.array(more["estimates_private"], dtype=np.float64),
        **_fields(native),
    )


def reconstruct_curator(
    secret: Table | ArrayLike | None = None,
    *,
    column: str | None = None,
    value: Any = None,
    people: int | None = None,
    questions: int = 4,
    error: float | None = None,
    epsilon: Exact = "0.02",
    budget: Exact = 1,
    delta: Exact | None = None,
    curves: bool = False,
    progress: Progress | None = None,
) -> Comparison:
    """The same attack on Pointillist itself: real SQL and a real ledger, until the budget is spent.

    ``epsilon`` is the price of each question, ``budget`` that of all; with ``delta`` the ledger counts rho. ``curves``
    draws more for the page.
    """
    native = _native.attack.reconstruct_curator(
        _secret(secret, people, column, value),
        whole(questions, "questions"),
        error,
        exact(epsilon, "epsilon"),
        exact(budget, "budget"),
        exact_or_none(delta, "delta"),
        curves,
        told(progress),
    )
    return _comparison(native)


def decode(
    subsets: ArrayLike,
    answers: ArrayLike,
    *,
    method: Literal["least squares", "sum of errors", "largest error"] = "least squares",
    error_deviation: float | None = None,
) -> Decoded:
    """Everybody's bit, from answers that somebody published about subsets of people.

    ``subsets`` has one row a question and one column a person; ``answers`` are how many of the counted people have the
    bit, more or less. ``error_deviation`` is the deviation of the answers' errors, where the publisher states it.

    >>> import pointillist
    >>> pointillist.attack.decode([[1, 1, 0], [0, 1, 1], [1, 0, 1]], [1.1, 0.9, 0.2]).guess
    array([False,  True, False])
    """
    numbers: NDArray[Any] = np.asarray(answers)
    if numbers.ndim != 1 or (numbers.size and numbers.dtype.kind not in "biuf"):
        raise RequestError("the answers are no list of numbers", "give one answer for every row of subsets")
    flags = np.ascontiguousarray(numbers, dtype=np.float64)
    estimates, objective = _native.attack.decode(_subsets(subsets), flags, method, error_deviation)
    return Decoded(estimates, objective)


def average(
    table: Table | None = None,
    *,
    where: Where | None = None,
    truth: int = 71,
    epsilon: Exact = 0.1,
    repetitions: int = 1024,
) -> Comparison:
    """The same question again and again: with fresh noise, with the recorded answer, and with a budget.

    The count is ``truth``, or that of the rows of a table that meet ``where``.

    >>> import pointillist
    >>> last = pointillist.attack.average(repetitions=256)["points"][-1]
    >>> last["fresh"] < last["recorded"]
    True
    """
    if table is None and where is not None:
        raise RequestError("conditions are about the rows of a table", "give a table as well")
    if table is not None and not where:
        raise RequestError("it is not said who is counted", "give where")
    native = _native.attack.average(
        truth,
        None if table is None else _table(table, "the table"),
        _conditions(where),
        exact(epsilon, "epsilon"),
        whole(repetitions, "repetitions"),
    )
    return _comparison(native)


def floating(*, truth: int = 0, other: int = 1, epsilon: Exact = 1, outputs: int = 10_000) -> Comparison:
    """Textbook Laplace noise in floating point: how many outputs prove which of two answers is behind them.

    >>> import pointillist
    >>> found = pointillist.attack.floating(outputs=2_000)
    >>> found["identified"] > 0.5, found["identified_exact"]
    (True, 0.0)
    """
    native = _native.attack.floating(truth, other, exact(epsilon, "epsilon"), whole(outputs, "outputs"))
    return _comparison(native)


def could_have_produced(output: float, candidate: float, scale: float) -> bool:
    """Whether textbook Laplace noise of this scale in floats, added to the candidate, can give the output.

    ``False`` is certain: one such output proves that the candidate is not the answer, at any epsilon.

    >>> import pointillist
    >>> pointillist.attack.could_have_produced(0.0, 0.0, 1.0)
    True
    """
    return _native.attack.could_have_produced(output, candidate, scale)


def membership(
    members: int | Table | None = None,
    outsiders: int | Table | None = None,
    *,
    reference: Table | None = None,
    records: Table | None = None,
    columns: Iterable[str] | str = (),
    kind: Literal["genotypes", "records"] | None = None,
    positions: int | None = None,
    statistic: Literal["distance", "likelihood-ratio", "correlation"] = "likelihood-ratio",
    epsilon: Exact = 1,
) -> Comparison:
    """Who took part in a study, from its published frequencies; and from frequencies at ``epsilon`` in all.

    Give tables of ``members`` and ``outsiders``; or one table as ``records``, of which ``members`` rows are made members
    at random; or numbers, for a made-up study of so many ``positions``. ``kind`` says what tables hold: copies of
    alleles, or values that are counted.

    >>> import pointillist
    >>> found = pointillist.attack.membership(50, 50, positions=2_000)
    >>> found["area"] > 0.9
    True
    """
    if records is not None:
        if outsiders is not None or reference is not None or not _is_count(members):
            raise RequestError("records splits one table, and others are named", "give records with a number of members")
        number: Any = members
        asked: Any = (_table(records, "the records"), whole_or_none(number, "members"))
    elif _is_count(members) and _is_count(outsiders):
        if reference is not None or kind is not None or columns:
            raise RequestError("the study is made up, and has no tables", "give members and outsiders as tables")
        numbers: Any = ((members, "members"), (outsiders, "outsiders"), (positions, "positions"))
        asked = [whole_or_none(number, name) for number, name in numbers]
    elif _is_count(members) or _is_count(outsiders):
        raise RequestError("one of two tables is missing", "give members and outsiders as tables, or both as numbers")
    else:
        others = None if reference is None else _table(reference, "the reference")
        asked = (_table(members, "the members"), _table(outsiders, "the outsiders"), others)
    if positions is not None and not isinstance(asked, list):
        raise RequestError("positions is for a made-up study", "choose columns instead")
    names = _names(columns, "columns") if columns else []
    return _comparison(_native.attack.membership(asked, names, kind, statistic, exact(epsilon, "epsilon")))


def _is_count(group: Any) -> bool:
    return group is None or isinstance(group, (int, np.integer))


def model(
    *, people: int = 200, epsilon: Exact | None = None, rho: Exact | None = None, models: int = 200
) -> Comparison:
    """The last person's row, from a model that was trained on it: exactly, and with noise at ``epsilon`` or ``rho``.

    >>> import pointillist
    >>> pointillist.attack.model(people=50, models=20)["error"] < 1e-6
    True
    """
    price = 1 if epsilon is None and rho is None else epsilon
    native = _native.attack.model(
        whole(people, "people"), exact_or_none(price, "epsilon"), exact_or_none(rho, "rho"), whole(models, "models")
    )
    return _comparison(native)
