"""What hostile readers tried against the building blocks, each in a few lines."""

from __future__ import annotations

import os
import pickle

import numpy as np
import pandas as pd
import pytest

import pointillist
from pointillist import accounting, local, mechanisms
from pointillist.errors import EnvironmentFailure, RequestError
from pointillist.sklearn import KMeans, LinearRegression, Ridge, StandardScaler

ROWS = np.linspace(0, 1, 400).reshape(-1, 1)


@pytest.mark.parametrize(
    "groups",
    [
        np.array([7.0 if row % 2 else float("nan") for row in range(400)], dtype=object),
        [None, *range(399)],
        pd.Series([*range(399), None], dtype="Int64"),
        np.arange(400) / 2,
        [1, "1"] * 200,
        [pd.NaT, *pd.date_range("2026-01-01", periods=399)],
        range(399),
    ],
    ids=["object with NaN", "None", "NA", "floats", "mixed", "NaT", "too few"],
)
def test_a_group_is_one_person_or_the_fit_is_refused(groups: object) -> None:
    with pytest.raises(RequestError):
        StandardScaler(epsilon=100, bounds=(0, 1)).fit(ROWS, groups=groups)


@pytest.mark.parametrize("groups", [[0, 1] * 200, ["a", "b"] * 200, pd.Series([5, 6] * 200, dtype="Int64")])
def test_two_people_count_as_two(groups: object) -> None:
    # Noise of ε = 10,000 moves a count of people by more than a half with a probability below 1e-9.
    fitted = StandardScaler(epsilon=10_000, bounds=(0, 1)).fit(ROWS, groups=groups)
    assert round(float(fitted.n_samples_seen_)) == 2


def test_rows_of_a_group_without_groups_are_refused() -> None:
    with pytest.raises(RequestError, match="no groups"):
        StandardScaler(epsilon=1, bounds=(0, 1), max_contributions=3).fit(ROWS)


def test_a_target_is_the_one_that_was_named() -> None:
    frame = pd.DataFrame({"a": [0.5] * 50, "b": [0.5] * 50, "c": [0.5] * 50})
    session = pointillist.Session.from_dataframe(
        {"v": frame}, privacy_unit="row", budget={"epsilon": 200, "delta": 1e-9},
        columns={"v": {name: (0.0, 1.0) for name in "abc"}},
    )  # fmt: skip
    for wrong in ("c", "nope"):
        with pytest.raises(RequestError, match="last item"):
            Ridge(epsilon=1).fit_from(session, "SELECT a, c, b FROM v", target=wrong)
    with pytest.raises(RequestError, match="constant"):
        LinearRegression(epsilon=1).fit_from(session, "SELECT a AS constant, b FROM v", target="b")
    assert session.budget()["scopes"][0]["spent"]["rho"] == "0"
    assert Ridge(epsilon=50).fit_from(session, "SELECT a, c, b FROM v", target="b").n_features_in_ == 2


def test_a_feature_may_have_any_name() -> None:
    frame = pd.DataFrame({"constant": [0.1, 0.9] * 500, "row": [0.1, 0.9] * 500})
    centres = KMeans(n_clusters=2, epsilon=1000, bounds=(0, 1)).fit(frame).cluster_centers_
    assert centres.shape == (2, 2)
    model = LinearRegression(epsilon=100, bounds=(0, 1), target_bounds=(0, 1)).fit(frame, frame["row"])
    assert model.coef_.shape == (2,)


@pytest.mark.parametrize(
    "keys",
    [[1.0, 2.0, float("nan")], [1, True], [1, 1.0], [pd.Timestamp("2026-01-01"), pd.NaT], ["a", None], [0.0, -0.0]],
)
def test_the_order_and_the_looks_of_keys_tell_nobody(keys: list[object]) -> None:
    selection = mechanisms.PartitionSelection(max_groups=1, epsilon=1, delta="1e-5")
    with pytest.raises(RequestError):
        selection.release([[key] for key in keys * 50])


def test_an_error_does_not_say_what_it_was_given() -> None:
    for call in (
        lambda: mechanisms.Geometric(sensitivity_l1=1, epsilon=1).release(1234.5),
        lambda: mechanisms.Mean(lower=0, upper=10, epsilon=1).release(["1234.5 secret"]),
        lambda: mechanisms.Mean(lower=0, upper=10, epsilon=1).release([1, None, 1234.5]),
    ):
        with pytest.raises(RequestError) as refused:
            call()
        assert "1234" not in str(refused.value) and "secret" not in str(refused.value)


def test_what_is_masked_is_not_counted_silently() -> None:
    masked = np.ma.array([1, 999], mask=[False, True])
    with pytest.raises(RequestError, match="masked"):
        mechanisms.Mean(lower=0, upper=1000, epsilon=1).release(masked)
    with pytest.raises(RequestError, match="masked"):
        pointillist.graph.Graph.from_edges(masked, masked)


def test_a_stream_is_not_paid_for_once_and_asked_in_two_processes() -> None:
    session = mechanisms.AboveThreshold(sensitivity=1, epsilon=1, tops_max=1).start()
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            session.ask(10**9, 0)
            said = b"answered"
        except EnvironmentFailure:
            said = b"refused"
        except BaseException as error:
            said = repr(error).encode()
        os.write(writer, said)
        os._exit(0)
    os.waitpid(child, 0)
    assert os.read(reader, 1000) == b"refused"


def test_one_item_is_one_report() -> None:
    survey = local.survey(answers=["no", "yes"], epsilon=1)
    honest = survey.randomize(["no"] * 1000)
    with pytest.raises(pointillist.PointillistError):
        survey.estimate([*honest, "1\n" * 20_000])
    told = survey.estimate([*honest, "1\n" * 20_000], skip_bad=True)
    assert told.reports == 1000
    assert survey.estimate([report + "\n" for report in honest]).reports == 1000


def test_a_parsed_survey_keeps_its_answers() -> None:
    survey = local.survey(answers=["no", "yes"], epsilon=1)
    expected = local.parse(survey.header).forecast(people=100).survey
    assert pickle.loads(pickle.dumps(expected)).answers == expected.answers == ("no", "yes")


@pytest.mark.parametrize(
    ("mechanism", "delta"),
    [
        (accounting.Pure(10), "0.9"),
        (accounting.Exponential("0.1", count=1000), "1e-6"),
        (accounting.Pure(20), "0.5"),
        (accounting.Gaussian(sigma=2, count=100), "0.9"),
        (accounting.Gaussian(sigma=50, count=10_000), "1e-6"),
        (accounting.Zcdp("0.1"), "1e-6"),
    ],
)
def test_the_quick_bound_is_as_tight_as_the_whole_table(mechanism: accounting.Mechanism, delta: str) -> None:
    lower, upper = accounting.epsilon(mechanism, delta=delta)
    assert lower <= upper <= accounting.compose(mechanism, delta=delta).epsilon * (1 + 2e-6)


def test_mechanisms_are_composed_by_the_best_that_is_proven_of_them() -> None:
    gaussian = mechanisms.Gaussian(epsilon=1, delta="1e-5", sensitivity_l2=1)
    assert accounting.epsilon([gaussian] * 20, delta="1e-3").upper < 5
