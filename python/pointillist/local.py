"""The local model: everyone randomizes their own answer, and nobody has to be trusted.

What is protected is one person's answer: each report is ε-differentially private against everybody who sees it, when
that answer is replaced by any other. That somebody took part is not hidden. Nothing is remembered: whoever answers
twice pays twice, unless by rappor with a memory (:meth:`Survey.report_from_memory`).

A survey is public. Its :attr:`~Survey.header` travels to the respondents, who need nothing else to report, and with
their reports to the collector, who needs nothing else to estimate:

>>> from pointillist import local
>>> survey = local.survey(answers=["no", "yes"], epsilon=1)
>>> print(survey.header, end="")
# randomized-response epsilon=1
# answers ["no","yes"]

A respondent, elsewhere:

>>> report = local.parse(survey.header).report("yes")
>>> report in ("0", "1")
True

The collector, with the reports of many (here made at once):

>>> reports = survey.randomize(["yes"] * 3_000 + ["no"] * 7_000)
>>> estimate = survey.estimate(reports)
>>> estimate.reports, [share.answer for share in estimate.estimates]
(10000, ['no', 'yes'])
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any, Generic, NamedTuple, SupportsIndex, TypeAlias, TypeVar, cast, overload

from . import _native
from ._exact import Exact, exact, exact_or_none
from ._plot import Plot
from ._whole import whole, whole_or_none
from .errors import RequestError

__all__ = [
    "Candidate",
    "ExpectedError",
    "Forecast",
    "Interval",
    "Mean",
    "Share",
    "Shares",
    "Shuffled",
    "Survey",
    "Word",
    "Words",
    "estimate",
    "parse",
    "plan",
    "survey",
]

#: An answer: a text, or a number that stands for its digits.
Answer: TypeAlias = "str | int | float | bool | Decimal | Fraction"
#: Lines of reports, the text of a file of them, or its path.
Reports: TypeAlias = "Iterable[str] | str | os.PathLike[str]"


class Interval(NamedTuple):
    """From one number to another."""

    lower: float
    upper: float


@dataclass(frozen=True)
class Share:
    """How often one answer is held."""

    answer: str
    #: The number that it is randomized as.
    value: int
    #: How many people it is: unbiased, and so neither clipped nor rounded.
    count: float
    #: Which share of them: unbiased.
    share: float
    standard_error: float
    #: The usual approximation, 95 %: no guarantee.
    normal: Interval
    #: Holds in at least 95 of 100 surveys, for one answer fixed in advance.
    guaranteed: Interval
    #: The share in the nearest distribution: no longer unbiased.
    normalised: float


@dataclass(frozen=True)
class Word:
    """How often a word that was found is held."""

    word: str
    count: float
    share: float
    standard_error: float
    normal: Interval
    guaranteed: Interval


@dataclass(frozen=True)
class _Estimate:
    #: The line of the survey.
    setting: str
    #: How many reports there are.
    reports: int
    #: How many lines are no reports, and were left out.
    bad_lines: int
    #: What a report cost its sender.
    epsilon: Decimal
    #: What all reports from one memory cost together, where there is one.
    epsilon_of_one_memory: Decimal | None
    #: How often an interval holds.
    confidence: float
    #: What to keep in mind.
    notes: tuple[str, ...]
    _svg: str | None = field(repr=False)

    def plot(self) -> Plot:
        """The figures with both intervals."""
        if self._svg is None:
            raise RequestError("a mean is one number and has no picture", "print it instead")
        return Plot(self._svg)


@dataclass(frozen=True)
class Shares(_Estimate):
    """How often each answer is held."""

    estimates: tuple[Share, ...]

    def __getitem__(self, answer: Answer) -> Share:
        """What the reports say about one answer."""
        wanted = _answer(answer)
        for share in self.estimates:
            if share.answer == wanted:
                return share
        raise KeyError(answer)

    def __iter__(self) -> Iterator[Share]:
        return iter(self.estimates)

    def __len__(self) -> int:
        return len(self.estimates)


@dataclass(frozen=True)
class Mean(_Estimate):
    """The mean of a number."""

    #: Unbiased, and so it may leave the range.
    mean: float
    #: The standard error, at most.
    standard_error_max: float
    normal: Interval
    guaranteed: Interval


@dataclass(frozen=True)
class Words(_Estimate):
    """Words that many people hold, the most frequent first."""

    words: tuple[Word, ...]
    #: Words as frequent as this are found, in at least 95 of 100 surveys.
    least_share: float
    #: Whether some words may be missing, because there was no room to follow all branches.
    cut: bool

    def __iter__(self) -> Iterator[Word]:
        return iter(self.words)

    def __len__(self) -> int:
        return len(self.words)


_E = TypeVar("_E", Shares, Mean, Words)


def _intervals(figures: dict[str, Any]) -> dict[str, Any]:
    ends = {name: Interval(*figures[name]) for name in ("normal", "guaranteed")}
    return {**figures, **ends}


def _estimate(estimated: tuple[str, str | None, list[str]]) -> Shares | Mean | Words:
    text, svg, notes = estimated
    found: dict[str, Any] = json.loads(text)
    common: dict[str, Any] = {
        **_cost(found.pop("cost")),
        "setting": found.pop("setting"),
        "reports": found.pop("reports"),
        "bad_lines": found.pop("bad_lines"),
        "confidence": found.pop("confidence"),
        "notes": tuple(notes),
        "_svg": svg,
    }
    if "estimates" in found:
        return Shares(estimates=tuple(Share(**_intervals(one)) for one in found["estimates"]), **common)
    if "words" in found:
        words = tuple(Word(**_intervals(one)) for one in found.pop("words"))
        return Words(words=words, **found, **common)
    return Mean(**_intervals(found), **common)


def _cost(cost: dict[str, str]) -> dict[str, Any]:
    memory = cost.get("epsilon_of_one_memory")
    return {
        "epsilon": Decimal(cost["epsilon"]),
        "epsilon_of_one_memory": None if memory is None else Decimal(memory),
    }


@dataclass(frozen=True)
class ExpectedError:
    """A standard error, and half the width of the normal 95 % interval that goes with it."""

    standard_error: float
    error_95: float


@dataclass(frozen=True)
class Candidate:
    """A method that would do."""

    method: str
    standard_error: float
    #: How long a line of reports is at most, where that differs among methods.
    line_bytes_max: int | None


@dataclass(frozen=True)
class Shuffled:
    """What a shuffler adds, who hides which report came from whom and does not side with the collector."""

    #: Of all reports together.
    epsilon: Decimal
    delta: Decimal
    #: What everyone may spend so that all reports together keep the ε that was asked for.
    epsilon_local: Decimal | None
    #: The line of the survey at that price.
    setting: str | None
    #: What to expect then.
    local: ExpectedError | None
    #: Of words: the least share that is found then.
    least_share: float | None


@dataclass(frozen=True)
class Forecast(Generic[_E]):
    """What to expect of a survey before anybody is asked. ``str`` says it in sentences."""

    #: The survey that would be asked.
    survey: Survey[_E] = field(repr=False)
    setting: str
    method: str
    people: int
    epsilon: Decimal
    epsilon_of_one_memory: Decimal | None
    #: The error of a share or a mean; words have none.
    local: ExpectedError | None
    #: The same with a trusted curator.
    central: ExpectedError | None
    #: How many times larger the local error is.
    ratio: float | None
    #: How many people make up for the missing curator.
    people_for_central_error: float | None
    #: Whatever the method: some population is estimated this wrongly in one of four surveys.
    local_floor: float | None
    #: What comes on top when the people are a random sample of more, at most.
    sampling: ExpectedError | None
    #: Words as frequent as this are found; above one, none is.
    least_share: float | None
    #: All methods for the question, the most accurate first.
    candidates: tuple[Candidate, ...] = field(repr=False)
    shuffle: Shuffled | None
    #: The same in sentences, each with its name.
    facts: tuple[tuple[str, str], ...] = field(repr=False)
    _svg: str | None = field(repr=False)

    def plot(self) -> Plot:
        """Errors with and without a curator against the number of people."""
        if self._svg is None:
            raise RequestError("a search for words has no curve", "print the forecast instead")
        return Plot(self._svg)

    def __str__(self) -> str:
        return "\n".join(f"{name:>9}  {words}" for name, words in self.facts)


def _error(figures: dict[str, Any] | None) -> ExpectedError | None:
    return None if figures is None else ExpectedError(**figures)


def _forecast(
    expected: tuple[str, str | None, list[tuple[str, str]], _native.local.Survey],
    answers: list[str] | None,
    other: bool,
) -> Forecast[Any]:
    text, svg, facts, native = expected
    found: dict[str, Any] = json.loads(text)
    shuffle: dict[str, Any] | None = found.get("shuffle")
    return Forecast(
        survey=Survey(native, native.setting if answers is not None else native.header, answers, other),
        setting=found["setting"],
        method=found["method"],
        people=found["people"],
        **_cost(found["cost"]),
        local=_error(found.get("local")),
        central=_error(found.get("central")),
        ratio=found.get("ratio"),
        people_for_central_error=found.get("people_for_central_error"),
        local_floor=found.get("local_floor"),
        sampling=_error(found.get("sampling")),
        least_share=found.get("least_share"),
        candidates=tuple(Candidate(**one) for one in found["candidates"]),
        shuffle=None if shuffle is None else _shuffled(shuffle),
        facts=tuple(facts),
        _svg=svg,
    )


def _shuffled(found: dict[str, Any]) -> Shuffled:
    spent = found.get("epsilon_local")
    return Shuffled(
        epsilon=Decimal(found["epsilon"]),
        delta=Decimal(found["delta"]),
        epsilon_local=None if spent is None else Decimal(spent),
        setting=found.get("setting"),
        local=_error(found.get("local")),
        least_share=found.get("least_share"),
    )


def _answer(value: Any) -> str:
    """The text of an answer. What is missing is none."""
    if isinstance(value, (str, bool, int, Decimal)):
        return str(value)
    if isinstance(value, float):
        if not math.isnan(value):
            return repr(value)
    elif isinstance(value, Fraction):
        return f"{value.numerator}/{value.denominator}"
    elif hasattr(value, "item") and getattr(value, "ndim", None) == 0:
        return _answer(value.item())
    raise RequestError("an answer is missing, or neither a text nor a number", "leave out who did not answer")


def _list(values: Any, what: str) -> list[Any]:
    """The items of a list, an array or a column of any library."""
    if not isinstance(values, (str, bytes, dict)):
        for way in ("tolist", "to_pylist", "to_list"):
            convert: Callable[[], Any] | None = getattr(values, way, None)
            if convert is not None:
                values = convert()
                break
        with suppress(TypeError):
            return list(values)
    raise RequestError(f"{what} are not a list", f"give a list, an array or a column of {what}")


def _answers(values: Any) -> list[str]:
    # Most lists are of texts alone, which need no look at each type.
    items = _list(values, "answers")
    return [item if type(item) is str else _answer(item) for item in items]


def _lines(reports: Reports) -> list[str] | os.PathLike[str]:
    if isinstance(reports, os.PathLike):
        return reports
    # A text is lines; an item of a list is one report, whatever is in it.
    return reports.removesuffix("\n").split("\n") if isinstance(reports, str) else _list(reports, "reports")


class Survey(Generic[_E]):
    """How answers are randomized, and what they stand for: public, and fixed before anybody is asked.

    :func:`survey` makes one for a question, and :func:`parse` from its lines.
    """

    __slots__ = ("_answers", "_native", "_other", "_text")

    def __init__(
        self, native: _native.local.Survey, text: str, answers: list[str] | None, other: bool
    ) -> None:
        self._native = native
        self._text, self._answers, self._other = text, answers, other

    @property
    def setting(self) -> str:
        """The line that sets the method up."""
        return self._native.setting

    @property
    def header(self) -> str:
        """The lines on top of a file of reports: all that respondents and collector must know.

        Lists of answers beyond 64 kB do not travel with it.
        """
        return self._native.header

    @property
    def method(self) -> str:
        """The name of the method."""
        return self._native.method

    @property
    def epsilon(self) -> Decimal:
        """The ε of one report, rounded up."""
        return cast(Decimal, _cost(json.loads(self._native.cost))["epsilon"])

    @property
    def epsilon_of_one_memory(self) -> Decimal | None:
        """The ε of all reports from one memory together; ``None`` where nothing is remembered."""
        return cast("Decimal | None", _cost(json.loads(self._native.cost))["epsilon_of_one_memory"])

    @property
    def answers(self) -> tuple[str, ...] | None:
        """The possible answers in the order of their values; ``None`` for means and words."""
        values = self._native.values
        return None if values is None else tuple(self._native.label(value) or "" for value in range(values))

    def report(self, answer: Answer) -> str:
        """One respondent's report, a line without its end. It costs them :attr:`epsilon`, every time.

        >>> survey(mean=(0, 120), epsilon=1).report(37) in ("0", "1")
        True
        """
        return self._native.report(_answer(answer))

    def randomize(self, answers: Any) -> list[str]:
        """A report for each answer of a list, an array or a column, in their order.

        The place of a report tells whose it is: shuffle them where that matters. An answer that is refused ends it,
        and then there are no reports at all.

        >>> len(survey(values=16, epsilon=2).randomize([3, 1, 4, 1, 5]))
        5
        """
        return self._native.randomize(_answers(answers))

    def report_from_memory(self, path: str | os.PathLike[str], answer: Answer | None = None) -> str:
        """One more report of what one respondent remembers in a file of their own; for the method ``rappor``.

        Where the file is not there yet, it is made from ``answer``; later, ``answer`` is not looked at. All reports from
        one file cost :attr:`epsilon_of_one_memory` together, however many there are. An answer that changes needs a
        new file and costs as much again.
        """
        report, _ = self._native.remembered(path, None if answer is None else _answer(answer))
        return report

    def text(self, reports: Iterable[str]) -> str:
        """The text of a file of reports, with the header on top."""
        return self.header + "".join(f"{report}\n" for report in reports)

    def estimate(
        self, reports: Reports, *, skip_bad: bool = False, at_least: float | None = None
    ) -> _E:
        """What reports of this survey say about everybody who reported.

        Lines that are no reports are an error, or left out and counted with ``skip_bad``. Of words, ``at_least`` is the
        least share to search for. Forged reports cannot be told.
        """
        found = self._native.estimate(_lines(reports), bool(skip_bad), at_least)
        return cast(_E, _estimate(found))

    def forecast(
        self,
        people: SupportsIndex | None = None,
        *,
        error: float | None = None,
        delta: Exact | None = None,
    ) -> Forecast[_E]:
        """What to expect of this survey among so many people; see :func:`plan`."""
        given = whole_or_none(people, "people"), error, exact_or_none(delta, "delta")
        return _forecast(self._native.forecast(*given), self._answers, self._other)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Survey):
            return NotImplemented
        return self.setting == other.setting and self.answers == other.answers

    def __hash__(self) -> int:
        return hash(self.setting)

    def __repr__(self) -> str:
        return f"Survey({self.setting!r})"

    def __reduce__(self) -> tuple[object, ...]:
        return _parsed, (self._text, self._answers, self._other)


def _parsed(text: str, answers: list[str] | None, other: bool) -> Survey[Any]:
    return Survey(_native.local.parse(text, answers, other), text, answers, other)


def parse(text: str, *, answers: Iterable[Answer] | None = None, other: bool = False) -> Survey[Any]:
    """The survey of a line such as ``k-ary-response values=4 epsilon=1``, or of the lines on top of reports.

    ``answers`` names the values, where the lines do not; with ``other`` one more stands for all others.

    >>> parse("randomized-response gamma=1/4", answers=["no", "yes"]).epsilon
    Decimal('1.0986122886681097')
    """
    return _parsed(text, None if answers is None else _answers(answers), bool(other))


def _asked(
    epsilon: Exact,
    answers: Iterable[Answer] | None,
    other: bool,
    values: SupportsIndex | None,
    mean: tuple[Exact, Exact] | None,
    steps: SupportsIndex,
    words: str | None,
    length: SupportsIndex | None,
    method: str,
) -> _native.local.Asked:
    if other and answers is None:
        raise RequestError("other needs a list to be other than", "give answers")
    ends = None if mean is None else _list(mean, "the ends of a range")
    if ends is not None and len(ends) != 2:
        raise RequestError("a range has a lower and an upper end", "write mean=(0, 100)")
    return {
        "answers": None if answers is None else _answers(answers),
        "other": bool(other),
        "values": whole_or_none(values, "values"),
        "mean": None if ends is None else (exact(ends[0], "mean"), exact(ends[1], "mean")),
        "steps": whole(steps, "steps"),
        "words": words,
        "length": None if length is None else whole(length, "length", 2**32),
        "method": method,
        "epsilon": exact(epsilon, "epsilon"),
    }


@overload
def survey(
    *,
    epsilon: Exact,
    answers: Iterable[Answer],
    other: bool = False,
    method: str = "auto",
    people: SupportsIndex = 100_000,
) -> Survey[Shares]: ...
@overload
def survey(
    *, epsilon: Exact, values: SupportsIndex, method: str = "auto", people: SupportsIndex = 100_000
) -> Survey[Shares]: ...
@overload
def survey(
    *,
    epsilon: Exact,
    mean: tuple[Exact, Exact],
    steps: SupportsIndex = 1000,
    method: str = "auto",
    people: SupportsIndex = 100_000,
) -> Survey[Mean]: ...
@overload
def survey(
    *,
    epsilon: Exact,
    words: str,
    length: SupportsIndex,
    method: str = "auto",
    people: SupportsIndex = 100_000,
) -> Survey[Words]: ...
def survey(
    *,
    epsilon: Exact,
    answers: Iterable[Answer] | None = None,
    other: bool = False,
    values: SupportsIndex | None = None,
    mean: tuple[Exact, Exact] | None = None,
    steps: SupportsIndex = 1000,
    words: str | None = None,
    length: SupportsIndex | None = None,
    method: str = "auto",
    people: SupportsIndex = 100_000,
) -> Survey[Any]:
    """A survey for one question, at this ε a report.

    Ask for one of ``answers``, for a number below ``values``, for a number of the range ``mean`` (numbers outside count as
    its ends; it is cut into ``steps``), or for a word: ``words`` are its characters and ``length`` is how many of them
    count. ``other`` counts every answer that is not listed as one more value, so that nobody is refused.

    The method is the best for about so many ``people``, or one of ``randomized-response``, ``k-ary-response``,
    ``unary-encoding``, ``symmetric-unary-encoding``, ``local-hashing``, ``hadamard-response``, ``subset-selection``;
    ``rappor`` for questions that are asked again and again, whose ε is that of all reports from one memory;
    ``sign-mean`` or ``window-mean`` for numbers.

    >>> survey(answers=["red", "green", "blue"], other=True, epsilon=2)
    Survey('k-ary-response values=4 epsilon=2')
    >>> survey(mean=(0, 120), epsilon=1).method
    'sign-mean'
    """
    asked = _asked(epsilon, answers, other, values, mean, steps, words, length, method)
    native = _native.local.survey(asked, whole(people, "people"))
    return Survey(native, native.setting, asked["answers"], asked["other"])


def plan(
    *,
    epsilon: Exact,
    people: SupportsIndex | None = None,
    error: float | None = None,
    answers: Iterable[Answer] | None = None,
    other: bool = False,
    values: SupportsIndex | None = None,
    mean: tuple[Exact, Exact] | None = None,
    steps: SupportsIndex = 1000,
    words: str | None = None,
    length: SupportsIndex | None = None,
    method: str = "auto",
    delta: Exact | None = None,
) -> Forecast[Any]:
    """Which method, and how wrong it will be, before anybody is asked; the question is that of :func:`survey`.

    Give ``people``, or the ``error`` (half the width of a 95 % interval) to learn how many people it takes. With ``delta``
    it also says what a shuffler would add, who hides which report came from whom.

    >>> forecast = plan(answers=["no", "yes"], epsilon=1, people=10_000)
    >>> forecast.method, round(forecast.local.error_95, 4), round(forecast.central.error_95, 5)
    ('randomized-response', 0.0188, 0.00027)
    >>> plan(answers=["no", "yes"], epsilon=1, error=0.01).people
    35368
    """
    asked = _asked(epsilon, answers, other, values, mean, steps, words, length, method)
    given = whole_or_none(people, "people"), error, exact_or_none(delta, "delta")
    return _forecast(_native.local.plan(asked, *given), asked["answers"], asked["other"])


def estimate(
    reports: Reports,
    *,
    setting: str | None = None,
    answers: Iterable[Answer] | None = None,
    other: bool = False,
    skip_bad: bool = False,
    at_least: float | None = None,
) -> Shares | Mean | Words:
    """What reports say that begin with the lines of their survey, as in a file of :meth:`Survey.text`.

    ``setting`` is the survey's line, where none is on top. Files of one survey may be put together.

    >>> from pointillist import local
    >>> local.estimate("# k-ary-response values=2 epsilon=1\\n0\\n1\\n1\\n").reports
    3
    """
    listed = None if answers is None else _answers(answers)
    found = _native.local.estimate(
        _lines(reports), setting, listed, bool(other), bool(skip_bad), at_least
    )
    return _estimate(found)
