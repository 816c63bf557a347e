"""Models of a session: what they say, what they cost, and their files."""

from __future__ import annotations

import datetime
import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import pointillist
from pointillist import learn
from pointillist.errors import BudgetError, PointillistError, RequestError
from pointillist.session import Session

N = 4_000


def people() -> pd.DataFrame:
    rng = np.random.default_rng(11)
    age = rng.uniform(0, 100, N)
    return pd.DataFrame(
        {
            "person": np.arange(N) // 2,
            "age": age,
            "region": np.array(["north", "south", "west"])[rng.integers(0, 3, N)],
            "member": rng.integers(0, 2, N) == 1,
            "since": pd.to_datetime("2020-01-01") + pd.to_timedelta(rng.integers(0, 1000, N), unit="D"),
            "level": rng.integers(1, 4, N),
            "ill": np.where(age + 10 * rng.normal(size=N) > 50, "yes", "no"),
            "cost": age * 2 + 20 * rng.normal(size=N),
        }
    ).assign(since=lambda it: it.since.dt.date)


FRAME = people()
COLUMNS: dict[str, Any] = {
    "person": "integer",
    "age": (0.0, 100.0),
    "region": ["north", "south", "west"],
    "member": "boolean",
    "since": {"type": "date", "lower": "2020-01-01", "upper": "2022-12-31"},
    "level": [1, 2, 3],
    "ill": ["no", "yes"],
    "cost": (-100.0, 300.0),
}
ROWS = "SELECT age, region, member, since, level, ill FROM people"


def session(**given: Any) -> Session:
    settings: dict[str, Any] = {"privacy_unit": "row", "budget": {"epsilon": 200, "delta": 1e-9}, "columns": {"people": COLUMNS}}
    return Session.from_dataframe({"people": FRAME}, **{**settings, **given})


@pytest.fixture(scope="module")
def shared() -> Session:
    return session()


@pytest.fixture(scope="module")
def model(shared: Session) -> learn.Model:
    return learn.fit(shared, "logistic", ROWS, "ill", epsilon=5)


@pytest.mark.parametrize(
    ("kind", "target"),
    [("logistic", "ill"), ("svm", "ill"), ("softmax", "region"), ("linear", "cost"), ("bayes", "region"), ("additive", "ill"),
     ("additive", "cost"), ("clusters", None), ("moments", None)],
)  # fmt: skip
def test_every_kind_of_model(shared: Session, kind: str, target: str | None) -> None:
    names = ["age", "member"] + ([target] if target else [])
    model = learn.fit(shared, kind, f"SELECT {', '.join(names)} FROM people", target, epsilon=2)
    assert model.kind == kind and model.target == target and model.columns == ["age", "member"]
    assert model.about == learn.kinds()[kind]
    assert model.numbers and all(np.isfinite(number.value) for number in model.numbers)
    assert model.privacy.epsilon == pytest.approx(2, rel=1e-9) and model.privacy.rho
    assert "2" in repr(model)
    if kind == "moments":
        with pytest.raises(RequestError, match="describes rows"):
            model.predict(FRAME)
        return
    said = model.predict(FRAME)
    assert said.shape == (N,)
    if kind == "clusters":
        assert set(said) <= {0, 1, 2}
    elif target == "cost":
        assert said.dtype == np.float64 and -100 <= said.min() <= said.max() <= 300
    else:
        assert set(said) <= set(COLUMNS[str(target)])
        likely = model.predict_proba(FRAME)
        assert likely.shape == (N, len(model.classes)) and np.allclose(likely.sum(axis=1), 1)
        assert (np.asarray(model.classes)[likely.argmax(axis=1)] == said).all()


def test_a_session_pays_once(shared: Session) -> None:
    own = session(budget={"epsilon": 2.5, "delta": 1e-9})
    first = learn.fit(own, "logistic", ROWS, "ill", epsilon=2)
    again = learn.fit(own, "logistic", ROWS, "ill", epsilon=2)
    assert first.to_json() == again.to_json()
    assert len(first.privacy.receipt) == 64 and again.privacy.receipt == "", "nothing was paid the second time"
    with pytest.raises(BudgetError):
        learn.fit(own, "bayes", ROWS, "ill", epsilon=2)
    quote = learn.explain(own, "bayes", ROWS, "ill", epsilon=0.5)
    assert quote.cost is not None and quote.to_dict()["model"] == "bayes"


def test_people_with_several_rows() -> None:
    own = session(privacy_unit="person", max_contributions=2)
    model = learn.fit(own, "logistic", ROWS, "ill", epsilon=1)
    assert model.privacy.max_contributions == 2
    assert model.privacy.protects == "everything of one person, as `person` names them"
    assert learn.fit(own, "logistic", ROWS, "ill", epsilon=1, max_contributions=1).privacy.max_contributions == 1
    with pytest.raises(PointillistError, match="says who somebody is"):
        learn.fit(own, "logistic", "SELECT person, ill FROM people", "ill", epsilon=1)


def test_settings_are_those_of_the_statement(shared: Session) -> None:
    model = learn.fit(shared, "logistic", ROWS, "ill", epsilon=1, lambda_=3, method="output", rows=4000)
    recipe = json.loads(model.to_json())["model"]["recipe"]
    assert recipe == {"family": "logistic", "method": "output", "lambda": 3.0, "rows": 4000}
    tuned = learn.fit(shared, "logistic", ROWS, "ill", epsilon=1, tune="lambda 30 100")
    assert json.loads(tuned.to_json())["model"]["recipe"]["lambda"] in (30.0, 100.0)
    assert set(learn.settings()) == {"method", "lambda", "steps", "clusters", "bins", "rows", "tune"}
    for wrong in (dict(lambda_=-1), dict(lamda=1), dict(method="x"), dict(steps="3, method = output"), dict(lambda_=float("nan"))):
        with pytest.raises(PointillistError):
            learn.fit(shared, "logistic", ROWS, "ill", epsilon=1, **wrong)


# What a model says.


def test_predictions_are_those_of_the_documented_formula() -> None:
    """Golden: a model by hand, and its scores by hand. Places between bounds are 1/4, 1/2 and 1; rows are shortened to length one."""
    fitted = {"margin": {"loss": "Logistic", "coefficients": {"bits": 0, "values": [8, 3, -2, 5, -4]}}}
    number = {"name": "age", "type": "number", "lower": 0.0, "upper": 100.0, "steps": 100, "unit": "number", "nullable": False}
    category = {"name": "region", "type": "category", "values": ["north", "south"], "nullable": False}
    truth = {"name": "member", "type": "truth", "nullable": False}
    target = {"name": "ill", "type": "category", "values": ["no", "yes"], "nullable": False}
    text = json.dumps(
        {"recipe": {"family": "logistic"}, "fitted": fitted, "encoding": {"columns": [number, category, truth], "target": target, "row_length": "clip"}}
    )
    native = pointillist._native.models.TrainedModel.from_json(text)
    privacy = learn.Privacy(1.0, 0.0, None, "one row", 1, "", "", "", "")
    model = learn.Model(native, privacy)
    frame = pd.DataFrame({"age": [25.0, 50.0, 1e9, None], "region": ["north", "south", "east", None], "member": [True, False, True, None]})
    # 8·(1/4) + 3 + 5 − 4 over √(1/16 + 1 + 1 + 1), 8/2 − 2 − 4 over √(1/4 + 2), 8 + 5 − 4 over √3, 8/2 − 4 over √1.25.
    scores = [6 / 3.0625**0.5, -2 / 2.25**0.5, 9 / 3**0.5, 0.0]
    assert np.allclose(model.decision_function(frame), scores, atol=1e-12)
    assert np.allclose(model.predict_proba(frame)[:, 1], 1 / (1 + np.exp(-np.array(scores))))
    assert model.predict(frame)[:3].tolist() == ["yes", "no", "yes"]


def test_frames_of_every_library_say_the_same(model: learn.Model) -> None:
    expected = model.decision_function(FRAME)
    table = pa.Table.from_pandas(FRAME)
    categories = FRAME.assign(region=FRAME.region.astype("category"))
    others: list[Any] = [
        table, pl.from_pandas(FRAME), pa.Table.from_batches(table.to_batches(max_chunksize=700)),
        categories, FRAME.rename(columns=str.upper), FRAME[FRAME.columns[::-1]], FRAME.assign(age=FRAME.age.astype("float64[pyarrow]")),
        FRAME.assign(since=pd.to_datetime(FRAME.since)), FRAME.assign(level=FRAME.level.astype(float)),
    ]  # fmt: skip
    for frame in others:
        assert np.array_equal(model.decision_function(frame), expected)


def test_what_is_missing_or_no_value_is_null(model: learn.Model) -> None:
    row = {"age": 30.0, "region": "north", "member": True, "since": datetime.date(2021, 1, 1), "level": 1}
    nothing = pl.DataFrame([{**row, name: None} for name in row], schema_overrides={"since": pl.Date})
    odd = pa.table({"age": ["x"], "region": ["nowhere"], "member": ["?"], "since": ["never"], "level": ["high"]})
    nulls = pa.table({name: pa.nulls(1) for name in row})
    assert np.isfinite(model.decision_function(nothing)).all()
    scores = model.decision_function(odd), model.decision_function(nulls)
    assert np.array_equal(*scores)


def test_rows_that_fit_no_model_are_errors(model: learn.Model) -> None:
    twice = pa.table([[1.0], [2.0]], names=["age", "age"])
    for rows in (FRAME[["age"]], twice, np.zeros((3, 5)), np.zeros((3, 2)), [1.0, 2.0], "rows", None, [["a"]], object()):
        with pytest.raises(RequestError):
            model.predict(rows)


def test_arrays_have_the_order_of_training(shared: Session) -> None:
    model = learn.fit(shared, "logistic", "SELECT age, member, level, ill FROM people", "ill", epsilon=5)
    frame = FRAME[["age", "member", "level"]]
    array = frame.to_numpy(dtype=float)
    for rows in (array, np.asfortranarray(array), array.tolist()):
        assert np.array_equal(model.decision_function(rows), model.decision_function(frame))
    assert model.predict(array[:0]).shape == (0,) and model.predict_proba(array[:0]).shape == (0, 2)
    assert np.isfinite(model.decision_function(np.full((2, 3), np.nan))).all()
    assert np.isfinite(model.decision_function([[np.inf, 1, 1], [-np.inf, 0, 9]])).all()


def test_blocks_and_threads_change_nothing(shared: Session) -> None:
    model = learn.fit(shared, "linear", "SELECT age, level, cost FROM people", "cost", epsilon=5)
    rows = np.tile(FRAME[["age", "level"]].to_numpy(dtype=float), (50, 1))
    assert len(rows) > 3 * 2**16
    said = model.predict(rows)
    assert np.array_equal(said, np.tile(said[:N], 50))
    assert np.array_equal(model.predict(pa.table({"age": rows[:, 0], "level": rows[:, 1]})), said)


def test_a_model_as_sql_is_the_model(model: learn.Model, shared: Session) -> None:
    duckdb = pytest.importorskip("duckdb")
    small = learn.fit(shared, "logistic", "SELECT age, region, ill FROM people", "ill", epsilon=5)
    frame = FRAME.head(200)
    scores = duckdb.sql(f"SELECT {small.to_sql()} AS score FROM frame").df().score.to_numpy()
    assert ((scores > 0) == (small.predict(frame) == "yes")).all()
    with pytest.raises(PointillistError):
        learn.fit(shared, "bayes", "SELECT age, ill FROM people", "ill", epsilon=1).to_sql()


def test_moments_are_in_the_units_of_columns(shared: Session) -> None:
    model = learn.fit(shared, "moments", "SELECT age, cost, member FROM people", epsilon=20)
    moments = model.moments()
    assert moments.features[0] == "age" and moments.covariance.shape == (len(moments.features),) * 2
    # Ten deviations of the noise in a sum, which is Gaussian: below 1e-22.
    assert abs(moments.mean[0] - FRAME.age.mean()) < 10 * 100 * moments.noise / N
    assert abs(moments.mean[moments.features.index("cost")] - FRAME.cost.mean()) < 10 * 400 * moments.noise / N
    assert abs(moments.count - N) < 10 * moments.noise
    with pytest.raises(RequestError, match="moments"):
        learn.fit(shared, "bayes", "SELECT age, ill FROM people", "ill", epsilon=1).moments()


# Files and answers.


def test_a_file_is_read_as_it_was_written(model: learn.Model, tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    model.save(path)
    text = path.read_text()
    assert text.startswith('{\n"pointillist_model": 1') and text == model.to_json()
    again = learn.load(path)
    assert np.array_equal(again.decision_function(FRAME), model.decision_function(FRAME))
    assert again.privacy.rho == model.privacy.rho and again.privacy.notes == model.privacy.notes
    model.save(path)
    (tmp_path / "other").write_text("mine")
    for place in (tmp_path / "other", tmp_path / "no" / "folder"):
        with pytest.raises(PointillistError):
            model.save(place)
    assert (tmp_path / "other").read_text() == "mine"


@pytest.mark.parametrize(
    "change",
    [
        lambda text: "", lambda text: "{}", lambda text: text[:-9], lambda text: text.replace('"pointillist_model": 1', '"pointillist_model": 2'),
        lambda text: text.replace('"values":[', '"values":[7,', 1), lambda text: text.replace('"lower":0.0', '"lower":1e999'),
        lambda text: text.replace('"upper":100.0', '"upper":0.0'), lambda text: "\x00", lambda text: "[" * 100_000,
    ],
    ids=range(9),
)  # fmt: skip
def test_a_file_that_is_no_model_is_an_error(model: learn.Model, tmp_path: Path, change: Any) -> None:
    changed = change(model.to_json())
    assert changed != model.to_json()
    (tmp_path / "model.json").write_text(changed)
    with pytest.raises(PointillistError):
        learn.load(tmp_path / "model.json")
    with pytest.raises(PointillistError):
        learn.load(tmp_path / "nowhere.json")


def test_an_answer_has_the_same_model(shared: Session, model: learn.Model) -> None:
    statement = pointillist._native.models.training_statement("logistic", ROWS, "ill", None)
    answer = shared.query(statement, epsilon=5)
    again = learn.Model.from_answer(answer)
    assert np.array_equal(again.decision_function(FRAME), model.decision_function(FRAME))
    assert again.privacy.rho == model.privacy.rho and json.loads(again.to_json()) == answer.model
    with pytest.raises(RequestError, match="no file"):
        again.save("model.json")
    with pytest.raises(RequestError, match="no model"):
        learn.Model.from_answer(shared.query("SELECT count(*) FROM people", epsilon=0.1))


def test_models_are_pickled(model: learn.Model, shared: Session) -> None:
    for one in (model, learn.Model.from_answer(shared.query(f"SELECT * FROM learn('logistic', '{ROWS}', 'ill')", epsilon=5))):
        again = pickle.loads(pickle.dumps(one))
        assert again.to_json() == one.to_json() and again.privacy == one.privacy


def test_a_session_elsewhere_trains_as_well(shared: Session, model: learn.Model) -> None:
    class Elsewhere:
        """What a server is to a session."""

        def __getattr__(self, name: str) -> Any:
            return getattr(shared._backend, name)

    remote = learn.fit(Session(Elsewhere()), "logistic", ROWS, "ill", epsilon=5)  # type: ignore[arg-type]
    assert np.array_equal(remote.decision_function(FRAME), model.decision_function(FRAME))
    assert remote.privacy.rho == model.privacy.rho and remote.privacy.max_contributions is None


def test_a_model_draws_itself(model: learn.Model) -> None:
    assert model.plot().svg.startswith("<svg")


@pytest.mark.parametrize(
    ("kind", "sql", "target"),
    [
        ("magic", ROWS, "ill"), ("logistic", "", "ill"), ("logistic", "SELECT", "ill"), ("logistic", ROWS, "nobody"), ("logistic", ROWS, None),
        ("clusters", ROWS, "ill"), ("logistic", "SELECT age, ill FROM nowhere", "ill"), ("linear", ROWS, "ill"), ("logistic", ROWS, "region"),
        ("logistic", "SELECT age; DROP TABLE people", "ill"), ("'", "'", "'"), ("logistic", "SELECT ill FROM people", "ill"),
    ],
)  # fmt: skip
def test_odd_questions_are_errors(shared: Session, kind: str, sql: str, target: str | None) -> None:
    before = shared.budget()
    with pytest.raises(PointillistError):
        learn.fit(shared, kind, sql, target, epsilon=1)
    assert shared.budget() == before, "and cost nothing"
