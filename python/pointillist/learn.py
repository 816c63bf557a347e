"""Models that were trained on private rows, and what they say.

Training is a question to a :class:`pointillist.Session`: its price is paid first, from the session's budget, and the same model of
the same data is free when it is asked for again. Everything that is done with a model afterwards is free.

**What is protected.** Everything of one person, or one row where every row is another person: whether they are in the tables changes
the probability of every model by no more than :attr:`Model.privacy` says. **What is not.** What is true of everybody: a model that finds
that smokers fall ill says so of every smoker.

>>> import pandas, pointillist
>>> visits = pandas.DataFrame({"age": [30, 70] * 500, "ill": ["no", "yes"] * 500})
>>> session = pointillist.Session.from_dataframe(
...     {"visits": visits},
...     privacy_unit="row",
...     budget={"epsilon": 2, "delta": 1e-9},
...     columns={"visits": {"age": (0, 100), "ill": ["no", "yes"]}},
... )
>>> model = pointillist.learn.fit(session, "logistic", "SELECT age, ill FROM visits", "ill", epsilon=1)
>>> model.classes, model.privacy.max_contributions
(['no', 'yes'], 1)
>>> model.predict(visits).shape
(1000,)
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import _native
from ._exact import Exact, exact
from ._plot import Plot
from ._progress import Progress, told
from .answer import Answer, Quote
from .budget import upwards
from .errors import RequestError
from .session import Session, _Embedded, _options

if TYPE_CHECKING:
    from ._native.curator import Outcome

__all__ = ["Model", "Moments", "Number", "Privacy", "explain", "fit", "kinds", "load", "settings"]


@dataclass(frozen=True)
class Privacy:
    """What was protected, how, and at what price.

    **Neighbours.** Two tables that differ in everything of one person (``protects`` says how people are told apart), who was added or
    taken out, with at most ``max_contributions`` rows. For those the release is ``rho``-zCDP and, read at ``delta``,
    (``epsilon``, ``delta``)-differentially private; or ``epsilon``-differentially private where ``delta`` is 0.
    """

    #: Read at ``delta``, rounded up.
    epsilon: float | None
    delta: float
    #: ρ of zero-concentrated differential privacy, exactly; nothing in a pure budget.
    rho: str | None
    #: Everything of whom is protected.
    protects: str
    #: How many rows of one person were used at most.
    max_contributions: int | None
    #: How the numbers were made private.
    mechanism: str
    #: The population whose budget paid.
    scope: str
    #: Who asked.
    analyst: str
    #: The head of the ledger's chain with the payment; empty where nothing was paid because it was asked before.
    receipt: str
    #: What bounding, clamping and lists did to rows.
    notes: tuple[str, ...] = field(repr=False, default=())

    @property
    def neighbours(self) -> str:
        """Between which tables the promise holds."""
        return f"{self.protects}: added or taken out"

    @classmethod
    def _of(cls, said: Mapping[str, Any], answer: Mapping[str, Any] | None) -> Privacy:
        """From the JSON of a file, and of the answer that it was made of."""
        told_, receipt = said["privacy"], said["receipt"]
        cost = told_["cost"]
        at = cost.get("epsilon_at_delta")
        epsilon = at["epsilon"] if at else float(cost["epsilon"]) if cost.get("epsilon") else None
        return cls(
            epsilon=epsilon,
            delta=at["delta"] if at else float(cost.get("delta") or 0),
            rho=cost.get("rho"),
            protects=told_["protects"],
            max_contributions=told_["max_contributions"],
            mechanism=told_["mechanism"],
            scope=receipt["scope"],
            analyst=receipt["analyst"],
            receipt="" if answer is None else answer["receipt"]["hash"] or "",
            notes=tuple(told_["notes"]),
        )

    @classmethod
    def _of_answer(cls, answer: Mapping[str, Any], mechanism: str | None = None) -> Privacy:
        """From an answer alone, which does not say how people are told apart."""
        names = [column["mechanism"] for column in answer["columns"] if column.get("mechanism")]
        said = {
            "privacy": {
                "cost": answer["cost"],
                "protects": "everything of one person, as the owner's catalog declares people",
                "max_contributions": None,
                "mechanism": mechanism or (names[0] if names else ""),
                "notes": answer.get("notes", []),
            },
            "receipt": answer["receipt"],
        }
        return cls._of(said, answer)


@dataclass(frozen=True)
class Number:
    """One number of a model: a coefficient, a centre, a curve's bin, or what is described."""

    #: What it is about: a class, a cluster, or what is described.
    part: str
    feature: str
    value: float
    #: Between which numbers it lies with 95 %, where that can be told.
    interval: tuple[float, float] | None = None


@dataclass(frozen=True)
class Moments:
    """About how many rows there are, where they are and how far apart, in the units of the columns.

    All of it is noisy. A covariance may have negative eigenvalues, which are noise.
    """

    count: float
    features: list[str]
    mean: NDArray[np.float64]
    covariance: NDArray[np.float64]
    #: The deviation of the noise in a sum of products of two features, both measured from 0 to 1 between their bounds.
    noise: float


class Model:
    """A trained model: released numbers with everything public that is needed to use them.

    It may be kept, shared and pickled: nothing of it is private any more.
    """

    def __init__(self, native: _native.models.TrainedModel, privacy: Privacy) -> None:
        self._native = native
        self._privacy = privacy
        self._said: dict[str, Any] = json.loads(native.describe())

    @classmethod
    def from_answer(cls, answer: Answer) -> Model:
        """The model of an answer to ``SELECT * FROM learn(...)``, from whatever session it came."""
        if answer.model is None:
            raise RequestError("the answer has no model", "ask with SELECT * FROM learn(...)")
        native = _native.models.TrainedModel.from_json(json.dumps(answer.model))
        return cls(native, Privacy._of_answer(json.loads(answer.to_json())))

    @property
    def kind(self) -> str:
        """The kind of model: ``logistic``, ``linear``, ``clusters`` …"""
        return str(self._said["kind"])

    @property
    def about(self) -> str:
        """What it is, in a few words."""
        return str(self._said["about"])

    @property
    def privacy(self) -> Privacy:
        """What was protected, how, and at what price."""
        return self._privacy

    @property
    def encoding(self) -> dict[str, Any]:
        """How rows become features: columns with their public bounds and lists, and the target."""
        encoding: dict[str, Any] = self._said["model"]["encoding"]
        return encoding

    @property
    def columns(self) -> list[str]:
        """The columns that it learnt from, in order."""
        return [str(column["name"]) for column in self.encoding["columns"]]

    @property
    def target(self) -> str | None:
        """The column that it learnt to say."""
        target = self.encoding["target"]
        return None if target is None else str(target["name"])

    @property
    def classes(self) -> list[Any]:
        """The classes, in the order of probabilities; none where the target is a number."""
        target = self.encoding["target"]
        if target is None or target["type"] == "number":
            return []
        return [False, True] if target["type"] == "truth" else list(target["values"])

    @property
    def numbers(self) -> list[Number]:
        """The model as a table: coefficients, centres, curves or moments.

        Features are as the model sees them: a number is its place between its bounds, from 0 to 1.
        """
        return [
            Number(it["part"], it["feature"], it["value"], tuple(it["interval"]) if it["interval"] else None)
            for it in self._said["numbers"]
        ]

    def predict(self, rows: Any) -> NDArray[Any]:
        """What it says of rows: classes, numbers, or the numbers of clusters from zero on.

        :param rows: A frame, whose columns are found by name, or an array with a column for each feature in the order of training. A
            value that is missing is NULL as in training, and one beyond its bounds is moved to the nearest.
        """
        if self.kind == "clusters":
            return self.predicted(rows, "cluster")[:, 0].astype(np.int64)
        if self.classes:
            return labels(self.classes)[self.predicted(rows, "class")[:, 0].astype(np.int64)]
        if self.target is None:
            raise RequestError(
                f"`{self.kind}` describes rows, and says nothing of a single one",
                "train a model with a target, or clusters",
            )
        return self.predicted(rows, "number")[:, 0]

    def predict_proba(self, rows: Any) -> NDArray[np.float64]:
        """How likely each class is, as far as the model knows: one row for each, in the order of :attr:`classes`."""
        return self.predicted(rows, "probabilities")

    def decision_function(self, rows: Any) -> NDArray[np.float64]:
        """A score that rises with the second of two classes; of ``softmax`` with more classes, one for each."""
        scores = self.predicted(rows, "score")
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def moments(self) -> Moments:
        """Counts, means and covariances of a model of the kind ``moments``, in the units of the columns."""
        count, mean, covariance, noise = self._native.moments()
        features, lower, width = self._units()
        return Moments(count, features, lower + width * mean, covariance * np.outer(width, width), noise)

    def to_sql(self) -> str:
        """A linear, logistic or svm model as an expression of SQL: above zero for the second class, or the predicted number."""
        return self._native.sql()

    def to_json(self) -> str:
        """The model's file, or, of a model that a server trained, the model as answers have it."""
        return self._native.text() or self._native.json()

    def save(self, path: str | PathLike[str]) -> None:
        """Writes the model's file, the same that ``pointillist learn`` reads; over an earlier model, and over nothing else."""
        self._native.save(path)

    def plot(self) -> Plot:
        """A drawing of its largest numbers."""
        return Plot(self._native.svg(f"epsilon {self._privacy.epsilon}" if self._privacy.epsilon else ""))

    def predicted(self, rows: Any, wanted: str) -> NDArray[np.float64]:
        """What it says of rows, a row for each: ``class``, ``probabilities``, ``number``, ``score`` or ``cluster``."""
        if hasattr(rows, "__arrow_c_stream__"):
            try:
                return self._native.predict_frame(rows, wanted)
            except ImportError:
                # A frame of pandas speaks Arrow only where pyarrow is installed.
                rows = rows[self.columns]
        try:
            array = np.asarray(rows, dtype=np.float64)
        except (TypeError, ValueError):
            raise RequestError("the rows are no numbers", "give a frame, or an array of numbers") from None
        if array.ndim != 2:
            raise RequestError(f"the rows have {array.ndim} axes", "give an array with a row for each row")
        return self._native.predict_array(array, wanted)

    def _units(self) -> tuple[list[str], NDArray[np.float64], NDArray[np.float64]]:
        """The features but for the constant, where each begins and how wide it is, in the units of its column."""
        features: list[str] = []
        lower: list[float] = []
        width: list[float] = []
        for column in self.encoding["columns"]:
            is_number = column["type"] == "number"
            name, missing = str(column["name"]), column["nullable"]
            own = [f"{name} = {value}" for value in column["values"]] if column["type"] == "category" else [name]
            own += [f"{name} is missing"] if missing and column["type"] != "category" else []
            features += own
            lower += [column["lower"] if is_number and at == 0 else 0.0 for at in range(len(own))]
            width += [column["upper"] - column["lower"] if is_number and at == 0 else 1.0 for at in range(len(own))]
        return features, np.array(lower), np.array(width)

    def __reduce__(self) -> tuple[object, ...]:
        return _restored, (self._native.text(), self._native.json(), self._privacy)

    def __repr__(self) -> str:
        target = f" of {self.target}" if self.target else ""
        paid = self._privacy
        price = f"epsilon {upwards(paid.epsilon)} at delta {paid.delta:.3g}" if paid.epsilon else f"rho {paid.rho}"
        return f"<Model {self.kind}{target} from {', '.join(self.columns)}: {price}>"


def _restored(text: str | None, model: str, privacy: Privacy) -> Model:
    made = _native.models.TrainedModel
    return Model(made.from_json(model) if text is None else made.parse(text), privacy)


def labels(classes: list[Any]) -> NDArray[Any]:
    """Classes as an array of their own kind."""
    kinds = {type(value) for value in classes}
    if kinds <= {str} or kinds <= {bool} or kinds <= {int} or kinds <= {int, float}:
        return np.asarray(classes)
    labels = np.empty(len(classes), dtype=object)
    labels[:] = classes
    return labels


def kinds() -> dict[str, str]:
    """The kinds of models, and what each is.

    >>> import pointillist
    >>> list(pointillist.learn.kinds())
    ['logistic', 'svm', 'softmax', 'linear', 'bayes', 'additive', 'clusters', 'moments']
    """
    return {it["model"]: it["about"] for it in json.loads(_native.models.kinds())["models"]}


def settings() -> dict[str, str]:
    """The settings of models, and what each is; ``lambda`` is written ``lambda_`` in Python."""
    return {it["setting"]: it["about"] for it in json.loads(_native.models.kinds())["settings"]}


def settings_text(given: Mapping[str, Any]) -> str | None:
    """Settings as the statement has them."""
    parts = []
    for name, value in given.items():
        if value is None:
            continue
        name = name.rstrip("_")
        if not isinstance(value, str):
            if isinstance(value, (list, tuple)):
                value = " ".join(part if isinstance(part, str) else exact(part, name) for part in value)
            else:
                value = exact(value, name)
        if "," in value or "=" in value:
            raise RequestError(f"the setting {name} is {value!r}", "give one value for each setting")
        parts.append(f"{name} = {value}")
    return ", ".join(parts) or None


def asked(
    session: Session,
    sql: str,
    price: Mapping[str, Any],
    request_id: str | None,
    progress: Progress | None,
) -> tuple[dict[str, Any], tuple[Outcome, Outcome] | None]:
    """Asks, and has what only a curator in this process gives: what a file is made of."""
    backend = session._backend
    if isinstance(backend, _Embedded):
        options = _options(price)
        quote = backend.curator.explain(sql, backend._analyst, options, "[]")
        answer = backend.curator.execute(sql, backend._analyst, options, "[]", request_id, told(progress))
        return json.loads(answer.json), (answer, quote)
    reply = session.query(sql, **price, request_id=request_id, progress=progress)
    return json.loads(reply.to_json()), None


def _is_zero(text: str) -> bool:
    try:
        return Fraction(text) == 0
    except (ValueError, ZeroDivisionError):
        # What it is instead is said by the reader of all numbers.
        return False


def one_off(
    frame: Any,
    columns: Mapping[str, Any],
    *,
    epsilon: Exact | None,
    delta: Exact | None,
    rho: Exact | None,
    privacy_unit: str,
    max_contributions: int | None,
) -> tuple[Session, dict[str, str]]:
    """A session over one frame with a ledger in memory, and the price that is all of its budget."""
    is_pure = rho is None and (delta is None or _is_zero(exact(delta, "delta")))
    if rho is not None:
        budget: dict[str, Exact] = {"rho": rho, "delta": delta if delta is not None else 0}
    elif epsilon is None:
        raise RequestError("no price is given", "give epsilon, or rho")
    elif is_pure:
        budget = {"epsilon": epsilon}
    else:
        assert delta is not None
        budget = {"epsilon": epsilon, "delta": delta}
    session = Session.from_dataframe(
        {"rows": frame},
        privacy_unit=privacy_unit,
        budget=budget,
        columns={"rows": columns},
        model="pure" if is_pure else "zcdp",
        max_contributions=max_contributions,
    )
    # A budget is rounded down and a price up: what is left is the most that can be asked for.
    left = session.budget()["scopes"][0]["remaining"]
    currency = "epsilon" if is_pure else "rho"
    return session, {currency: left[currency]}


def fit(
    session: Session,
    kind: str,
    sql: str,
    target: str | None = None,
    *,
    epsilon: Exact | None = None,
    rho: Exact | None = None,
    max_contributions: int | None = None,
    period: str | None = None,
    request_id: str | None = None,
    progress: Progress | None = None,
    **settings: Any,
) -> Model:
    """Trains a model on the rows of a statement, and pays for it from the session's budget.

    Without ``epsilon`` or ``rho`` it costs 1 % of the budget, as every question does; :func:`explain` tells the price for free.

    :param kind: One of :func:`kinds`.
    :param sql: The rows: ``SELECT age, cost, region FROM visits``. Every column needs public bounds or public keys.
    :param target: The column that the model learns to say; ``clusters`` and ``moments`` have none.
    :param max_contributions: How many rows of one person are used.
    :param settings: ``method``, ``lambda_``, ``steps``, ``clusters``, ``bins``, ``rows``, ``tune``: see :func:`settings`.
    """
    statement = _native.models.training_statement(kind, sql, target, settings_text(settings))
    price = dict(epsilon=epsilon, rho=rho, max_contributions=max_contributions, period=period)
    answer, made = asked(session, statement, price, request_id, progress)
    if made is None:
        if "model" not in answer:
            raise RequestError("the answer has no model", "ask a newer server")
        native = _native.models.TrainedModel.from_json(json.dumps(answer["model"]))
        return Model(native, Privacy._of_answer(answer))
    native = _native.models.TrainedModel.of_outcome(*made)
    return Model(native, Privacy._of(json.loads(native.describe()), answer))


def explain(
    session: Session,
    kind: str,
    sql: str,
    target: str | None = None,
    *,
    epsilon: Exact | None = None,
    rho: Exact | None = None,
    max_contributions: int | None = None,
    period: str | None = None,
    **settings: Any,
) -> Quote:
    """What a model would cost and about how many rows its noise is worth: a free :class:`pointillist.Quote`."""
    statement = _native.models.training_statement(kind, sql, target, settings_text(settings))
    return session.explain(
        statement, epsilon=epsilon, rho=rho, max_contributions=max_contributions, period=period
    )


def load(path: str | PathLike[str]) -> Model:
    """The model of a file, of this module's :meth:`Model.save` or of the command line's ``learn fit``.

    A file that was changed after it was signed is refused.
    """
    native = _native.models.TrainedModel.read(fspath(path))
    return Model(native, Privacy._of(json.loads(native.describe()), None))
