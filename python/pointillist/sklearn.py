"""Estimators of scikit-learn whose fits are private: a thin layer over the curator, which prices, trains and adds exact noise.

They follow scikit-learn's conventions, so that they go into pipelines, ``clone`` and ``cross_val_predict``. What differs is what privacy asks for:

- **Nothing is read off the data but through noise.** ``bounds`` of features, ``target_bounds`` and ``classes`` are public and must be given:
  the range of a feature, or a label that somebody has, would tell about rows. There is no default for them, also not the range of ``X``. A
  label in ``y`` that was not declared is an error for whoever holds the data; it is not learnt.
- **Each fit is a one-off.** It costs ``epsilon`` (at ``delta``; or ``rho``), in a ledger in memory that is forgotten. Fits of the same
  people add up, and nobody counts them: a grid search with 100 fits costs a hundred times as much, and a model that was chosen because it
  scored well on private rows tells about those as well. To have a budget that is kept, train from a session with :meth:`fit_from`.
- **Who is protected.** Each row is another person, or, with ``groups`` given to ``fit``, everything of one group, of which at most
  ``max_contributions`` rows are used. The neighbours are data with such a person added or taken out. :attr:`privacy_` says it again after a fit.
- **What is not protected.** What ``predict`` says of rows that are given to it, and errors that are raised while fitting: both are for
  whoever holds the data.

Features are scaled by their bounds in every estimator: no scaler is needed before it. There is no ``random_state``: noise that can be drawn again
protects nobody, so two fits differ. ``delta=0`` asks for pure ε, which :class:`LogisticRegression` of two classes and :class:`LinearSVC` have.

>>> import numpy
>>> from pointillist.sklearn import LogisticRegression
>>> X = numpy.linspace(0, 10, 2000).reshape(-1, 1)
>>> y = numpy.where(X[:, 0] > 5, "old", "new")
>>> model = LogisticRegression(epsilon=1, bounds=(0, 10), classes=["new", "old"]).fit(X, y)
>>> model.classes_, model.coef_.shape
(array(['new', 'old'], dtype='<U3'), (1, 1))
>>> bool(model.score(X, y) > 0.8), model.privacy_.protects
(True, 'one row, which counts as a person')
"""

# Scikit-learn has no types.
# mypy: disable-error-code="import-untyped,misc,no-any-return"
# pyright: reportMissingTypeStubs=false

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.base import (
    BaseEstimator,
    ClassifierMixin,
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    OneToOneFeatureMixin,
    RegressorMixin,
    TransformerMixin,
)
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from . import learn
from ._exact import Exact, exact
from ._native.models import ArrowFrame
from .errors import RequestError

if TYPE_CHECKING:
    from .session import Session

__all__ = [
    "AdditiveClassifier",
    "AdditiveRegressor",
    "GaussianNB",
    "KMeans",
    "LinearRegression",
    "LinearSVC",
    "LogisticRegression",
    "PCA",
    "Ridge",
    "StandardScaler",
    "expected_failed_checks",
]

#: One pair for all features, a list with a pair for each, or a dict of pairs by the names of a frame's columns.
Bounds: TypeAlias = "tuple[Exact, Exact] | Sequence[tuple[Exact, Exact]] | Mapping[str, tuple[Exact, Exact]] | NDArray[Any]"

_TARGET = "target"
_PERSON = "person"
#: Names that a feature must not have: those, and what means something else in a catalog or in a model.
_RESERVED = {_TARGET, _PERSON, "constant", "row"}
#: Names that columns of a catalog may have.
_NAME = re.compile(r"[^\W\d]\w{0,50}")


class _Private(BaseEstimator):
    """What all estimators share: declarations, the one-off, and what is known afterwards."""

    # What every estimator's __init__ sets.
    epsilon: Exact
    delta: Exact
    rho: Exact | None
    bounds: Bounds | None
    max_contributions: int

    model_: learn.Model
    privacy_: learn.Privacy
    n_features_in_: int
    bounds_: NDArray[np.float64]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.non_deterministic = True
        return tags

    def fit_from(self, session: Session, sql: str, target: str | None = None) -> Any:
        """Fits on rows that a session holds, paid for from its budget: ``epsilon`` at its δ, or ``rho``.

        Bounds, classes and people are those that the session declares; ``bounds`` and ``delta`` of the estimator are not used, and of
        ``classes`` only how many there are: :class:`LogisticRegression` of more than two needs them.
        The same fit of the same data is free when it is asked for again. Columns may be categories, too: then give frames to
        ``predict``, and there are no ``coef_`` or other arrays of features.

        :param sql: The rows, as a SELECT of their own; all other columns than the target are features.
        :param target: The column to predict, for estimators that have one.
        """
        if re.search(r"\bconstant\b", sql, re.IGNORECASE):
            raise RequestError("`constant` is the word for what a linear model adds", "give the column another name with AS")
        price: dict[str, Any] = {"rho": self.rho} if self.rho is not None else {"epsilon": self.epsilon}
        classes = getattr(self, "classes", None)
        kind = self._kind_of(None if classes is None else len(classes))
        self._take(learn.fit(session, kind, sql, target, **price, **self._settings()))
        self.feature_names_in_ = np.asarray(self._features(), dtype=object)
        return self

    def _kind_of(self, classes: int | None) -> str:
        """The kind of model, which may depend on how many classes there are."""
        raise NotImplementedError

    def _settings(self) -> dict[str, Any]:
        return {}

    def _features(self) -> list[str]:
        return self.model_.columns

    def _read(self) -> None:
        """Sets what is made of the model alone."""

    def _bounds_of(self, X: NDArray[np.float64]) -> list[tuple[str, str]]:
        """The declared bounds of each feature, as exact texts. Never those of the data."""
        return _bounds(self.bounds, X.shape[1], getattr(self, "feature_names_in_", None))

    def _take(self, model: learn.Model) -> None:
        self.model_, self.privacy_ = model, model.privacy
        columns = [column for column in model.encoding["columns"] if column["name"] in self._features()]
        self.n_features_in_ = len(columns)
        self._is_numeric = all(column["type"] == "number" for column in columns)
        if self._is_numeric:
            self.bounds_ = np.array([(column["lower"], column["upper"]) for column in columns])
            self._read()

    def _train(
        self,
        kind: str,
        X: NDArray[np.float64],
        target: tuple[Any, dict[str, Any]] | None,
        groups: Any,
        is_feature: bool = False,
    ) -> None:
        """Asks for a model of these rows, whose features were validated. A target may be one more feature."""
        bounds = self._bounds_of(X)
        names = _names(getattr(self, "feature_names_in_", None), X.shape[1])
        declared: dict[str, Any] = {
            name: {"type": "float", "lower": lower, "upper": upper, "nullable": False}
            for name, (lower, upper) in zip(names, bounds)
        }
        columns: list[tuple[str, Any]] = [(name, X[:, at]) for at, name in enumerate(names)]
        if target is not None:
            columns.append((_TARGET, target[0]))
            declared[_TARGET] = target[1]
        unit, most = "row", None
        if groups is not None:
            columns.append((_PERSON, _people(groups, len(X))))
            unit, most = _PERSON, self.max_contributions
        elif self.max_contributions != 1:
            raise RequestError(
                "max_contributions says how many rows of one group are used, and there are no groups",
                "give groups to fit; in a cross validation as params={'groups': …}, because scikit-learn's own `groups` go to the splitter alone",
            )
        session, price = learn.one_off(
            ArrowFrame.of_columns(columns),
            declared,
            epsilon=self.epsilon,
            delta=self.delta,
            rho=self.rho,
            privacy_unit=unit,
            max_contributions=most,
        )
        rows = "SELECT " + ", ".join(f'"{name}"' for name in declared) + " FROM rows"
        asked = _TARGET if target is not None and not is_feature else None
        paid: dict[str, Any] = dict(price)
        self._take(learn.fit(session, kind, rows, asked, **paid, **self._settings()))

    def _rows(self, X: Any) -> Any:
        """Rows to predict: checked as scikit-learn does where all features are numbers."""
        check_is_fitted(self)
        if not self._is_numeric:
            return X
        return validate_data(self, X, reset=False, dtype=np.float64)

    def _thetas(self) -> NDArray[np.float64]:
        """Coefficients of a linear model, one row for each part: those of the features, then the constant."""
        wanted = [*self._features(), "constant"]
        numbers = [number for number in self.model_.numbers if number.feature in wanted]
        return np.array([number.value for number in numbers]).reshape(-1, len(wanted))

    def _from_units(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Places between bounds, as values of the features."""
        return self.bounds_[:, 0] + values * (self.bounds_[:, 1] - self.bounds_[:, 0])


class _Classifier(ClassifierMixin, _Private):
    """What classifiers share."""

    classes: Sequence[Any] | NDArray[Any] | None
    classes_: NDArray[Any]

    def _classes_of(self, y: NDArray[Any]) -> NDArray[Any]:
        """The declared classes, sorted. Never those of the data."""
        if self.classes is None:
            raise RequestError(
                "the classes are not declared: labels that were read off the data would tell about rows",
                "give classes, all labels that there may be, such as classes=['no', 'yes']",
            )
        return np.unique(np.asarray(self.classes))

    def fit(self, X: Any, y: Any, groups: Any = None) -> Any:
        """Fits, for ``epsilon`` at ``delta``.

        :param X: Rows of numbers. What lies beyond the bounds is moved to the nearest.
        :param y: Labels, all of them declared as ``classes``.
        :param groups: Who each row is about; without it every row is another person.
        """
        X, y = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(y)
        if not self.__sklearn_tags__().classifier_tags.multi_class and type_of_target(y) == "multiclass":
            raise _only_two()
        classes = self._classes_of(y)
        if len(classes) < 2:
            raise RequestError(
                "no more than one class is declared, and there is nothing to learn", "give all labels that there may be"
            )
        if not np.isin(y, classes).all():
            raise RequestError("y has labels that are not among the declared classes", "declare them, or leave the rows out")
        codes = np.searchsorted(classes, y)
        values, declared = _labels(classes, codes)
        self._train(self._kind_of(len(classes)), X, (values, declared), groups)
        self.classes_ = classes
        return self

    def _take(self, model: learn.Model) -> None:
        self.classes_ = learn.labels(model.classes)
        super()._take(model)

    def predict(self, X: Any) -> NDArray[Any]:
        """The likeliest class of each row."""
        rows = self._rows(X)
        return self.classes_[self.model_.predicted(rows, "class")[:, 0].astype(np.int64)]


class _Likely(_Classifier):
    """Classifiers that say how likely a class is."""

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """How likely each class is, as far as the model knows, in the order of ``classes_``."""
        rows = self._rows(X)
        return self.model_.predict_proba(rows)

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """The logarithm of :meth:`predict_proba`."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))


class _Linear(_Classifier):
    """Linear classifiers."""

    coef_: NDArray[np.float64]
    intercept_: NDArray[np.float64]

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """A score that rises with the second class; with more than two classes, one for each."""
        rows = self._rows(X)
        return self.model_.decision_function(rows)

    def _read(self) -> None:
        thetas = self._thetas()
        self.coef_ = thetas[:, :-1] / (self.bounds_[:, 1] - self.bounds_[:, 0])
        self.intercept_ = thetas[:, -1] - self.coef_ @ self.bounds_[:, 0]


class LogisticRegression(_Linear, _Likely):
    """Logistic regression of two classes, by noise in what is minimised; of more, by a descent with noise in every step.

    Rows are scaled by their bounds and shortened to length one before they are looked at. ``coef_`` and ``intercept_`` are in the units of the
    features: a row is of the second class where ``X @ coef_.T + intercept_`` is above zero, and the score that probabilities follow from
    is that number divided by the row's length.

    :param epsilon: The price of a fit, at ``delta``; ``rho`` takes its place where it is given.
    :param delta: 0 asks for pure ε, which two classes have.
    :param bounds: Between which values features lie: public, and required.
    :param classes: All labels that there may be: public, and required.
    :param penalty: λ of the penalty (λ/2)·|θ|² on the sum of losses; by default it follows from the price.
    :param method: ``objective``, ``output`` or ``descent``, for two classes.
    :param steps: Steps of a descent.
    :param expected_rows: About how many rows there are, where that is public: for the choice of the penalty, never for privacy.
    :param max_contributions: How many rows of one group are used, where ``groups`` are given.

    >>> from pointillist.sklearn import LogisticRegression
    >>> LogisticRegression().fit([[1.0], [2.0]], [0, 1])
    Traceback (most recent call last):
        ...
    pointillist.errors.RequestError: the classes are not declared: labels that were read off the data would tell about rows
    hint: give classes, all labels that there may be, such as classes=['no', 'yes']
    """

    def __init__(
        self,
        *,
        epsilon: Exact = 1.0,
        delta: Exact = 1e-9,
        rho: Exact | None = None,
        bounds: Bounds | None = None,
        classes: Sequence[Any] | NDArray[Any] | None = None,
        penalty: float | None = None,
        method: str | None = None,
        steps: int | None = None,
        expected_rows: int | None = None,
        max_contributions: int = 1,
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.rho = rho
        self.bounds = bounds
        self.classes = classes
        self.penalty = penalty
        self.method = method
        self.steps = steps
        self.expected_rows = expected_rows
        self.max_contributions = max_contributions

    def _kind_of(self, classes: int | None) -> str:
        return "softmax" if classes is not None and classes > 2 else "logistic"

    def _settings(self) -> dict[str, Any]:
        return dict(lambda_=self.penalty, method=self.method, steps=self.steps, rows=self.expected_rows)


class LinearSVC(_Linear):
    """A linear support vector machine of two classes with Huber's hinge, by noise in what is minimised.

    Parameters are those of :class:`LogisticRegression`, and ``coef_`` and ``intercept_`` mean the same.

    >>> import numpy
    >>> from pointillist.sklearn import LinearSVC
    >>> X = numpy.linspace(0, 1, 2000).reshape(-1, 1)
    >>> LinearSVC(delta=0, bounds=(0, 1), classes=[0, 1]).fit(X, X[:, 0] > 0.5).privacy_.delta
    0.0
    """

    def __init__(
        self,
        *,
        epsilon: Exact = 1.0,
        delta: Exact = 1e-9,
        rho: Exact | None = None,
        bounds: Bounds | None = None,
        classes: Sequence[Any] | NDArray[Any] | None = None,
        penalty: float | None = None,
        method: str | None = None,
        expected_rows: int | None = None,
        max_contributions: int = 1,
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.rho = rho
        self.bounds = bounds
        self.classes = classes
        self.penalty = penalty
        self.method = method
        self.expected_rows = expected_rows
        self.max_contributions = max_contributions

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def _kind_of(self, classes: int | None) -> str:
        _two_classes(classes)
        return "svm"

    def _settings(self) -> dict[str, Any]:
        return dict(lambda_=self.penalty, method=self.method, rows=self.expected_rows)


class GaussianNB(_Likely):
    """Naive Bayes of two classes or more, by noisy counts and sums: what needs the fewest rows.

    ``class_count_``, ``theta_`` and ``var_`` are noisy; a variance that cannot be told from noise is 0 there, and a small
    positive number in predictions.

    >>> import numpy
    >>> from pointillist.sklearn import GaussianNB
    >>> X = numpy.linspace(0, 1, 3000).reshape(-1, 1)
    >>> model = GaussianNB(bounds=(0, 1), classes=[0, 1, 2]).fit(X, (X[:, 0] * 2.99).astype(int))
    >>> model.theta_.shape
    (3, 1)
    """

    def __init__(
        self,
        *,
        epsilon: Exact = 1.0,
        delta: Exact = 1e-9,
        rho: Exact | None = None,
        bounds: Bounds | None = None,
        classes: Sequence[Any] | NDArray[Any] | None = None,
        max_contributions: int = 1,
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.rho = rho
        self.bounds = bounds
        self.classes = classes
        self.max_contributions = max_contributions

    def _kind_of(self, classes: int | None) -> str:
        return "bayes"

    def _read(self) -> None:
        said = {(number.part, number.feature): number.value for number in self.model_.numbers}
        parts = [part for part, feature in said if feature == "rows"]
        names = self._features()
        self.class_count_ = np.array([max(said[part, "rows"], 0.0) for part in parts])
        self.class_prior_ = self.class_count_ / max(self.class_count_.sum(), 1e-300)
        means = np.array([[said[part, f"mean of {name}"] for name in names] for part in parts])
        deviations = np.array([[said[part, f"deviation of {name}"] for name in names] for part in parts])
        self.theta_ = self._from_units(means)
        self.var_ = (deviations * (self.bounds_[:, 1] - self.bounds_[:, 0])) ** 2


class _Curves:
    """The curves of additive models."""

    bounds_: NDArray[np.float64]
    n_features_in_: int
    model_: learn.Model

    def _read(self) -> None:
        scores = np.array([number.value for number in self.model_.numbers])
        bins = -1 if self.n_features_in_ else 0
        self.scores_ = scores.reshape(self.n_features_in_, bins)
        lower, upper = self.bounds_.T
        places = np.linspace(0, 1, self.scores_.shape[1] + 1)
        self.bin_edges_ = lower[:, None] + (upper - lower)[:, None] * places


class AdditiveClassifier(_Curves, _Likely):
    """A boosted additive model of two classes: one curve for each feature, for effects that are no straight lines.

    Each feature is cut into ``bins`` of equal width between its bounds; ``scores_[j]`` is the curve of feature j over
    ``bin_edges_[j]``, and the sum of a row's scores is its log-odds.

    :param bins: How many bins a feature has.
    :param rounds: How often all features are boosted; each round takes its part of the price.

    >>> import numpy
    >>> from pointillist.sklearn import AdditiveClassifier
    >>> X = numpy.linspace(0, 1, 3000).reshape(-1, 1)
    >>> AdditiveClassifier(bounds=(0, 1), classes=[0, 1], bins=8).fit(X, abs(X[:, 0] - 0.5) > 0.25).scores_.shape
    (1, 8)
    """

    def __init__(
        self,
        *,
        epsilon: Exact = 1.0,
        delta: Exact = 1e-9,
        rho: Exact | None = None,
        bounds: Bounds | None = None,
        classes: Sequence[Any] | NDArray[Any] | None = None,
        bins: int = 16,
        rounds: int | None = None,
        max_contributions: int = 1,
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.rho = rho
        self.bounds = bounds
        self.classes = classes
        self.bins = bins
        self.rounds = rounds
        self.max_contributions = max_contributions

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def _kind_of(self, classes: int | None) -> str:
        _two_classes(classes)
        return "additive"

    def _settings(self) -> dict[str, Any]:
        return dict(bins=self.bins, steps=self.rounds)

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """The sum of a row's scores: log-odds of the second class."""
        rows = self._rows(X)
        return self.model_.decision_function(rows)


class _Regressor(RegressorMixin, _Private):
    """What regressors share."""

    target_bounds: tuple[Exact, Exact] | None
    target_bounds_: tuple[float, float]

    def _target_bounds_of(self, y: NDArray[np.float64]) -> tuple[str, str]:
        """The declared bounds of the target, as exact texts. Never those of the data."""
        if self.target_bounds is None:
            raise RequestError(
                "target_bounds are not declared: a range that was read off the data would tell about rows",
                "give target_bounds=(lower, upper), between which targets lie as far as is publicly known",
            )
        return _pair(self.target_bounds, "target_bounds")

    def fit(self, X: Any, y: Any, groups: Any = None) -> Any:
        """Fits, for ``epsilon`` at ``delta``.

        :param X: Rows of numbers. What lies beyond the bounds is moved to the nearest.
        :param y: Numbers. What lies beyond the target's bounds is moved to the nearest.
        :param groups: Who each row is about; without it every row is another person.
        """
        X, y = validate_data(self, X, y, dtype=np.float64, y_numeric=True)
        y = np.ascontiguousarray(y, dtype=np.float64)
        lower, upper = self._target_bounds_of(y)
        declared = {"type": "float", "lower": lower, "upper": upper, "nullable": False}
        kind = self._kind_of(None)
        self._train(kind, X, (y, declared), groups, is_feature=kind == "moments")
        return self

    def _take(self, model: learn.Model) -> None:
        target = model.encoding["target"] or model.encoding["columns"][-1]
        if target["type"] == "number":
            self.target_bounds_ = (target["lower"], target["upper"])
        super()._take(model)


class LinearRegression(_Regressor):
    """Linear regression from noisy sums of products, penalised as much as their noise asks for (AdaSSP).

    Rows are scaled by their bounds and shortened to length one before they are looked at, which is what makes it work at small ε; so
    the prediction is a straight line only about. ``coef_`` and ``intercept_`` are the plane that touches it in the middle of the bounds: they
    say how strong a feature is, and :meth:`predict` does not use them. Predictions stay within ``target_bounds``. :class:`Ridge` is exactly
    linear, and needs more rows.

    :param target_bounds: Between which values targets lie: public, and required.

    >>> import numpy
    >>> from pointillist.sklearn import LinearRegression
    >>> X = numpy.linspace(0, 10, 5000).reshape(-1, 1)
    >>> model = LinearRegression(epsilon=1, bounds=(0, 10), target_bounds=(0, 20)).fit(X, 2 * X[:, 0])
    >>> bool(model.score(X, 2 * X[:, 0]) > 0.8)
    True
    """

    def __init__(
        self,
        *,
        epsilon: Exact = 1.0,
        delta: Exact = 1e-9,
        rho: Exact | None = None,
        bounds: Bounds | None = None,
        target_bounds: tuple[Exact, Exact] | None = None,
        max_contributions: int = 1,
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.rho = rho
        self.bounds = bounds
        self.target_bounds = target_bounds
        self.max_contributions = max_contributions

    def _kind_of(self, classes: int | None) -> str:
        return "linear"

    def _read(self) -> None:
        theta = self._thetas()[0]
        slopes, constant = theta[:-1], theta[-1]
        width = self.bounds_[:, 1] - self.bounds_[:, 0]
        # The prediction is (θ·u + c)/length(u, 1) in places between bounds, from −1 to 1; its value and slopes at u = 1/2.
        length = np.sqrt(1 + 0.25 * len(slopes))
        value = (slopes.sum() / 2 + constant) / length
        half = (self.target_bounds_[1] - self.target_bounds_[0]) / 2
        self.coef_ = half * (slopes / length - value / 2 / length**2) / width
        middle = sum(self.target_bounds_) / 2 + half * value
        self.intercept_ = float(middle - self.coef_ @ self.bounds_.mean(axis=1))

    def predict(self, X: Any) -> NDArray[np.float64]:
        """The predicted numbers, within the target's bounds."""
        rows = self._rows(X)
        return self.model_.predict(rows)


class Ridge(_Regressor):
    """Linear regression with a penalty, from one noisy matrix of means and covariances.

    Exactly linear: ``X @ coef_ + intercept_``. Where little can be spent or features are many, :class:`LinearRegression` is better.

    :param alpha: The penalty on the sum of squares, as scikit-learn has it; by default about as large as the noise.
    :param target_bounds: Between which values targets lie: public, and required.

    >>> import numpy
    >>> from pointillist.sklearn import Ridge
    >>> X = numpy.linspace(0, 10, 5000).reshape(-1, 1)
    >>> Ridge(bounds=(0, 10), target_bounds=(0, 20)).fit(X, 2 * X[:, 0]).coef_.shape
    (1,)
    """

    def __init__(
        self,
        *,
        alpha: float | None = None,
        epsilon: Exact = 1.0,
        delta: Exact = 1e-9,
        rho: Exact | None = None,
        bounds: Bounds | None = None,
        target_bounds: tuple[Exact, Exact] | None = None,
        max_contributions: int = 1,
    ) -> None:
        self.alpha = alpha
        self.epsilon = epsilon
        self.delta = delta
        self.rho = rho
        self.bounds = bounds
        self.target_bounds = target_bounds
        self.max_contributions = max_contributions

    def fit(self, X: Any, y: Any, groups: Any = None) -> Any:
        """Fits, for ``epsilon`` at ``delta``; as for every regressor."""
        if self.alpha is not None and not self.alpha >= 0:
            raise RequestError(f"alpha is {self.alpha!r}", "give zero or a positive number, or None")
        return super().fit(X, y, groups)

    def fit_from(self, session: Session, sql: str, target: str | None = None) -> Any:
        """Fits on rows that a session holds; the target is the last item of the statement, and may be named for clarity."""
        last = re.search(r'(?:[\s,."])"?(\w+)"?\s+FROM\b', sql, re.IGNORECASE)
        if target is not None and (last is None or last[1] != target):
            raise RequestError(
                f"`{target}` is not the last item of the statement", "write the target last: SELECT a, b, target FROM rows"
            )
        return super().fit_from(session, sql)

    def _kind_of(self, classes: int | None) -> str:
        return "moments"

    def _features(self) -> list[str]:
        return self.model_.columns[:-1]

    def _read(self) -> None:
        moments = self.model_.moments()
        # Whether a value is missing is a feature of its own, which is left out.
        at = [moments.features.index(name) for name in self.model_.columns]
        mean, covariance = moments.mean[at], moments.covariance[np.ix_(at, at)]
        width = self.bounds_[:, 1] - self.bounds_[:, 0]
        d = len(width)
        if self.alpha is None:
            # Symmetric noise of this deviation has eigenvalues of about this size, in places between bounds.
            penalty = np.full(d, moments.noise * np.sqrt(2 * d))
        else:
            penalty = self.alpha / width**2
        # (S + diag(penalty))·w = s in places between bounds, with what is negative in S taken as noise.
        squares = moments.count * covariance[:d, :d] / np.outer(width, width)
        products = moments.count * covariance[:d, d] / width
        values, vectors = np.linalg.eigh(squares)
        positive = (vectors * np.maximum(values, 0)) @ vectors.T + np.diag(np.maximum(penalty, 1e-12))
        self.coef_ = np.linalg.solve(positive, products) / width
        self.intercept_ = float(mean[d] - self.coef_ @ mean[:d])

    def predict(self, X: Any) -> NDArray[np.float64]:
        """The predicted numbers."""
        rows = self._rows(X)
        return rows @ self.coef_ + self.intercept_


class AdditiveRegressor(_Curves, _Regressor):
    """A boosted additive model of a number: one curve for each feature, for effects that are no straight lines.

    Parameters and attributes are those of :class:`AdditiveClassifier`; scores go from −1 to 1 between ``target_bounds``, within which
    predictions stay.

    >>> import numpy
    >>> from pointillist.sklearn import AdditiveRegressor
    >>> X = numpy.linspace(0, 1, 3000).reshape(-1, 1)
    >>> AdditiveRegressor(bounds=(0, 1), target_bounds=(0, 1)).fit(X, X[:, 0] ** 2).predict(X).shape
    (3000,)
    """

    def __init__(
        self,
        *,
        epsilon: Exact = 1.0,
        delta: Exact = 1e-9,
        rho: Exact | None = None,
        bounds: Bounds | None = None,
        target_bounds: tuple[Exact, Exact] | None = None,
        bins: int = 16,
        rounds: int | None = None,
        max_contributions: int = 1,
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.rho = rho
        self.bounds = bounds
        self.target_bounds = target_bounds
        self.bins = bins
        self.rounds = rounds
        self.max_contributions = max_contributions

    def _kind_of(self, classes: int | None) -> str:
        return "additive"

    def _settings(self) -> dict[str, Any]:
        return dict(bins=self.bins, steps=self.rounds)

    def predict(self, X: Any) -> NDArray[np.float64]:
        """The predicted numbers, within the target's bounds."""
        rows = self._rows(X)
        return self.model_.predict(rows)


class _Unsupervised(_Private):
    """What estimators without a target share."""

    def fit(self, X: Any, y: Any = None, groups: Any = None) -> Any:
        """Fits, for ``epsilon`` at ``delta``.

        :param X: Rows of numbers. What lies beyond the bounds is moved to the nearest.
        :param y: Not used.
        :param groups: Who each row is about; without it every row is another person.
        """
        X = validate_data(self, X, dtype=np.float64)
        self._train(self._kind_of(None), X, None, groups)
        return self


class KMeans(ClusterMixin, _Unsupervised):
    """Clusters around centres, whose every iteration is paid for.

    Distances are between places of features between their bounds. There is no ``labels_``: which cluster a row of the training data is
    in is no part of what was released, and would go along when the estimator is shared. :meth:`fit_predict` says it to whoever holds the rows.

    :param n_clusters: How many clusters there are.
    :param max_iter: How many iterations share the price.

    >>> import numpy
    >>> from pointillist.sklearn import KMeans
    >>> X = numpy.repeat([[0.1, 0.1], [0.9, 0.8]], 2000, axis=0)
    >>> KMeans(n_clusters=2, bounds=(0, 1)).fit(X).cluster_centers_.shape
    (2, 2)
    """

    def __init__(
        self,
        *,
        n_clusters: int = 3,
        max_iter: int = 5,
        epsilon: Exact = 1.0,
        delta: Exact = 1e-9,
        rho: Exact | None = None,
        bounds: Bounds | None = None,
        max_contributions: int = 1,
    ) -> None:
        self.n_clusters = n_clusters
        self.max_iter = max_iter
        self.epsilon = epsilon
        self.delta = delta
        self.rho = rho
        self.bounds = bounds
        self.max_contributions = max_contributions

    def _kind_of(self, classes: int | None) -> str:
        return "clusters"

    def _settings(self) -> dict[str, Any]:
        return dict(clusters=self.n_clusters, steps=self.max_iter)

    def _read(self) -> None:
        self.cluster_centers_ = self._from_units(self._thetas()[:, :-1])
        self.n_iter_ = self.max_iter

    def predict(self, X: Any) -> NDArray[np.int64]:
        """The nearest centre of each row."""
        rows = self._rows(X)
        return self.model_.predict(rows)

    def fit_predict(self, X: Any, y: Any = None, **kwargs: Any) -> NDArray[np.int64]:
        """Fits, and says the nearest centre of each row: as private as the rows are."""
        return self.fit(X, y, **kwargs).predict(X)


class PCA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, _Unsupervised):
    """Principal components of one noisy covariance matrix, in the units of the features.

    :param n_components: How many; all of them by default.
    :param whiten: Whether components are divided by their deviations.

    >>> import numpy
    >>> from pointillist.sklearn import PCA
    >>> X = numpy.linspace(0, 1, 3000)[:, None] * [1, 0.5]
    >>> PCA(n_components=1, bounds=(0, 1)).fit(X).components_.shape
    (1, 2)
    """

    def __init__(
        self,
        n_components: int | None = None,
        *,
        whiten: bool = False,
        epsilon: Exact = 1.0,
        delta: Exact = 1e-9,
        rho: Exact | None = None,
        bounds: Bounds | None = None,
        max_contributions: int = 1,
    ) -> None:
        self.n_components = n_components
        self.whiten = whiten
        self.epsilon = epsilon
        self.delta = delta
        self.rho = rho
        self.bounds = bounds
        self.max_contributions = max_contributions

    def fit(self, X: Any, y: Any = None, groups: Any = None) -> Any:
        """Fits, for ``epsilon`` at ``delta``; ``y`` is not used."""
        # What cannot be given back must not be paid for.
        X = validate_data(self, X, dtype=np.float64)
        wanted = self.n_components
        is_whole = isinstance(wanted, (int, np.integer)) and not isinstance(wanted, bool)
        if wanted is not None and not (is_whole and 1 <= wanted <= X.shape[1]):
            raise RequestError(
                f"n_components is {wanted!r} for {X.shape[1]} features", "give a whole number, at most that of the features"
            )
        self._train(self._kind_of(None), X, None, groups)
        return self

    def _kind_of(self, classes: int | None) -> str:
        return "moments"

    def _read(self) -> None:
        moments = self.model_.moments()
        at = [moments.features.index(name) for name in self._features()]
        self.mean_ = moments.mean[at]
        values, vectors = np.linalg.eigh(moments.covariance[np.ix_(at, at)])
        values, vectors = np.maximum(values[::-1], 0), vectors[:, ::-1].T
        # As scikit-learn has it: the largest number of each component is positive.
        largest = np.abs(vectors).argmax(axis=1)
        vectors = vectors * np.where(vectors[np.arange(len(vectors)), largest] < 0, -1.0, 1.0)[:, None]
        count = len(values) if self.n_components is None else self.n_components
        self.components_ = vectors[:count]
        self.explained_variance_ = values[:count]
        self.explained_variance_ratio_ = values[:count] / max(values.sum(), 1e-300)
        self.n_components_ = int(count)

    @property
    def _n_features_out(self) -> int:
        return self.n_components_

    def _deviations(self) -> NDArray[np.float64]:
        return np.sqrt(np.maximum(self.explained_variance_, 1e-12)) if self.whiten else np.ones(self.n_components_)

    def transform(self, X: Any) -> NDArray[np.float64]:
        """Rows in the coordinates of the components."""
        rows = self._rows(X)
        return (rows - self.mean_) @ self.components_.T / self._deviations()

    def inverse_transform(self, X: Any) -> NDArray[np.float64]:
        """Rows of which these are the coordinates."""
        check_is_fitted(self)
        return (np.asarray(X, dtype=np.float64) * self._deviations()) @ self.components_ + self.mean_


class StandardScaler(OneToOneFeatureMixin, TransformerMixin, _Unsupervised):
    """Noisy means and deviations, and rows that are centred and scaled by them.

    Private estimators scale features by their bounds themselves; this is for estimators that come after it on public rows. A deviation that
    cannot be told from noise is taken as 1, as scikit-learn does for features that do not vary.

    >>> import numpy
    >>> from pointillist.sklearn import StandardScaler
    >>> X = numpy.linspace(0, 1, 3000)[:, None]
    >>> StandardScaler(bounds=(0, 1)).fit(X).mean_.shape
    (1,)
    """

    def __init__(
        self,
        *,
        with_mean: bool = True,
        with_std: bool = True,
        epsilon: Exact = 1.0,
        delta: Exact = 1e-9,
        rho: Exact | None = None,
        bounds: Bounds | None = None,
        max_contributions: int = 1,
    ) -> None:
        self.with_mean = with_mean
        self.with_std = with_std
        self.epsilon = epsilon
        self.delta = delta
        self.rho = rho
        self.bounds = bounds
        self.max_contributions = max_contributions

    def _kind_of(self, classes: int | None) -> str:
        return "moments"

    def _read(self) -> None:
        moments = self.model_.moments()
        at = [moments.features.index(name) for name in self._features()]
        self.n_samples_seen_ = round(moments.count)
        self.mean_ = moments.mean[at]
        self.var_ = np.maximum(moments.covariance[at, at], 0)
        width = self.bounds_[:, 1] - self.bounds_[:, 0]
        self.scale_ = np.where(self.var_ > (1e-9 * width) ** 2, np.sqrt(self.var_), 1.0)

    def transform(self, X: Any) -> NDArray[np.float64]:
        """Rows centred and scaled."""
        rows = self._rows(X)
        return (rows - self.mean_ * self.with_mean) / (self.scale_ if self.with_std else 1.0)

    def inverse_transform(self, X: Any) -> NDArray[np.float64]:
        """Rows as they were."""
        check_is_fitted(self)
        rows = np.asarray(X, dtype=np.float64)
        return rows * (self.scale_ if self.with_std else 1.0) + self.mean_ * self.with_mean


def expected_failed_checks(estimator: Any) -> dict[str, str]:
    """The checks of scikit-learn's ``check_estimator`` that cannot hold for a private estimator, each with the reason.

    >>> from pointillist.sklearn import PCA, expected_failed_checks
    >>> sorted(expected_failed_checks(PCA()))
    ['check_fit_idempotent']
    """
    noise = "two fits of the same rows draw their own noise, and differ"
    failing = {"check_fit_idempotent": noise}
    if isinstance(estimator, (_Classifier, _Regressor)):
        failing["check_supervised_y_2d"] = noise
    if isinstance(estimator, _Regressor):
        failing["check_regressor_data_not_an_array"] = noise
        failing["check_regressors_int"] = noise
        failing["check_regressors_train"] = "declared bounds do not follow the data, and its few rows drown in noise"
    if isinstance(estimator, _Classifier):
        declared = "labels are declared, and never learnt from y"
        failing["check_classifier_data_not_an_array"] = noise
        failing["check_classifiers_train"] = "declared bounds do not follow the data, and its few rows drown in noise"
        failing["check_classifiers_classes"] = declared
        failing["check_dtype_object"] = declared
        failing["check_estimators_dtypes"] = declared
        failing["check_fit2d_1feature"] = declared
        failing["check_decision_proba_consistency"] = "three declared classes have three columns, also where y has two of them"
    if isinstance(estimator, KMeans):
        failing["check_clustering"] = "there is no labels_: which cluster a row of the training data is in was not released"
    return failing


def _only_two() -> RequestError:
    # The words that scikit-learn looks for.
    return RequestError(
        "Only binary classification is supported. The type of the target is multiclass.",
        "take LogisticRegression or GaussianNB, which have several classes",
    )


def _two_classes(classes: int | None) -> None:
    if classes is not None and classes > 2:
        raise _only_two()


def _pair(given: Any, name: str) -> tuple[str, str]:
    try:
        lower, upper = given
    except (TypeError, ValueError):
        raise RequestError(f"{name} is {given!r}", "give a pair of numbers, such as (0, 120)") from None
    texts = exact(lower, name), exact(upper, name)
    try:
        is_range = _number(texts[0]) < _number(texts[1])
    except (ValueError, ZeroDivisionError):
        is_range = False
    if not is_range:
        raise RequestError(f"{name} is {given!r}, which is no range", "give a lower and a larger upper bound")
    return texts


def _number(text: str) -> Any:
    from fractions import Fraction

    return Fraction(text)


def _bounds(given: Any, features: int, names: NDArray[Any] | None) -> list[tuple[str, str]]:
    """A pair of exact texts for each feature."""
    if given is None:
        raise RequestError(
            "bounds are not declared: a range that was read off the data would tell about rows",
            "give bounds=(lower, upper), or a pair for each feature, as far as is publicly known",
        )
    if isinstance(given, Mapping):
        if names is None:
            raise RequestError("bounds are by name, and the rows have no names", "give a frame, or a list of pairs")
        missing = [name for name in names if name not in given]
        if missing:
            raise RequestError(f"there are no bounds of {missing[0]!r}", "give a pair for each feature")
        return [_pair(given[name], f"the bounds of {name!r}") for name in names]
    if isinstance(given, tuple) and len(given) == 2 and not any(isinstance(end, Iterable) and not isinstance(end, str) for end in given):
        return [_pair(given, "bounds")] * features
    if isinstance(given, tuple):
        # Two arrays, of lower and of upper bounds, look like two pairs where there are two features.
        raise RequestError("bounds are a tuple, but no pair of numbers", "give pairs of several features as a list")
    if isinstance(given, (list, np.ndarray)):
        if len(given) != features:
            raise RequestError(f"there are bounds of {len(given)} features, and the rows have {features}", "give a pair for each")
        return [_pair(pair, f"the bounds of feature {at}") for at, pair in enumerate(given)]
    raise RequestError(f"bounds are {given!r}", "give bounds=(lower, upper), or a list with a pair for each feature")


def _people(groups: Any, rows: int) -> NDArray[np.int64]:
    """Numbers for the names of people. By what they are and not by their order: what cannot be ordered would be several people."""
    if hasattr(groups, "tolist"):
        names = groups.tolist()
    else:
        names = groups.to_list() if hasattr(groups, "to_list") else list(groups)
    if len(names) != rows:
        raise RequestError(f"groups has {len(names)} values for {rows} rows", "name a group for each row")
    if any(name is None or type(name).__name__ in ("NAType", "NaTType") or name != name for name in names):
        raise RequestError("a row has no group", "name a group for each row, or leave such rows out")
    kinds = {type(name) for name in names}
    if len(kinds) > 1 or float in kinds or list in kinds:
        raise RequestError(
            "groups are named by floats, or by things of several types, which may be the same name twice",
            "give whole numbers or texts, all of one type, such as groups.astype(str)",
        )
    numbers: dict[Any, int] = {}
    return np.array([numbers.setdefault(name, len(numbers)) for name in names], dtype=np.int64)


def _names(given: NDArray[Any] | None, features: int) -> list[str]:
    """Names of columns: those of the features where a catalog can have them, and others otherwise."""
    if given is not None:
        names = [str(name) for name in given]
        folded = {name.lower() for name in names} | _RESERVED
        if len(folded) == len(names) + len(_RESERVED) and all(_NAME.fullmatch(name) for name in names):
            return names
    return [f"x{at}" for at in range(features)]


def _labels(classes: NDArray[Any], codes: NDArray[np.intp]) -> tuple[Any, dict[str, Any]]:
    """The column of a target with its declaration: labels where a catalog can have them, and their numbers otherwise."""
    plain = classes.tolist()
    if all(isinstance(value, str) and value and value.isprintable() and len(value) <= 100 for value in plain):
        return [plain[code] for code in codes], {"type": "text", "public_keys": plain, "nullable": False}
    if all(isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**62 for value in plain):
        return np.asarray(plain, dtype=np.int64)[codes], {"type": "integer", "public_keys": plain, "nullable": False}
    return codes.astype(np.int64), {"type": "integer", "public_keys": list(range(len(plain))), "nullable": False}
