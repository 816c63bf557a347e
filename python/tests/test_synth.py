"""Sanitized tables: made-up rows, what they cost, and their files.

False alarms: below 1e-9. Statistical assertions stand at least twenty deviations from what was measured over 20 tables (in the comments, as
mean ± deviation); noise is Gaussian.
"""

from __future__ import annotations

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
from pointillist import synth
from pointillist.errors import PointillistError, RequestError
from pointillist.session import Session
from pointillist.synth import Synthesizer

N = 3_000


def people() -> pd.DataFrame:
    rng = np.random.default_rng(5)
    age = rng.integers(0, 100, N)
    return pd.DataFrame(
        {
            "person": np.arange(N) // 3,
            "age": age,
            "region": np.array(["north", "south", "west"])[rng.choice(3, N, p=[0.6, 0.3, 0.1])],
            "ill": age > 60,
            "cost": np.clip(age + rng.normal(size=N), 0, 100),
            "name": [f"secret {at}" for at in range(N)],
        }
    )


FRAME = people()
COLUMNS: dict[str, Any] = {"age": (0, 99), "region": ["north", "south", "west"], "ill": "boolean", "cost": (0.0, 100.0)}


@pytest.fixture(scope="module")
def table() -> Synthesizer:
    return Synthesizer("mst", epsilon=10, columns=COLUMNS).fit(FRAME)


@pytest.mark.parametrize("method", ["mst", "aim", "mwem", "residual"])
def test_every_method(method: str) -> None:
    columns = {"region": COLUMNS["region"], "ill": "boolean"}
    made = Synthesizer(method, epsilon=10, columns=columns).fit(FRAME)
    rows = made.sample(2000).to_pandas()
    assert list(rows.columns) == ["region", "ill"] and len(rows) == 2000
    # Off by 0 ± 0.0005.
    assert abs((rows.region == "north").mean() - (FRAME.region == "north").mean()) < 0.1
    assert method in synth.methods()


def test_what_goes_together_stays_together(table: Synthesizer) -> None:
    # Who is older than 60 is ill, but for bins: 0.979 ± 0.006. There are 3 001 ± 2.6 rows.
    rows = table.sample().to_pandas()
    assert abs(len(rows) - N) < 200
    assert ((rows.age > 60) == rows.ill).mean() > 0.85
    # A column that may be NULL has made-up NULLs where noise says so.
    assert rows.age.dropna().between(0, 99).all() and rows.cost.dropna().between(0, 100).all()
    assert set(rows.region.dropna()) <= set(COLUMNS["region"])


def test_the_same_table_gives_the_same_rows(table: Synthesizer) -> None:
    first, again = table.sample(50), table.sample(50)
    assert first.to_arrow().equals(again.to_arrow())
    assert first.to_polars().shape == (50, 4) and pl.DataFrame(first).equals(first.to_polars())
    assert len(table.sample(0)) == 0 and "50 made-up rows" in repr(first)
    assert table.table_.total == len(table.sample())


def test_counts_have_bars_where_they_are_known(table: Synthesizer) -> None:
    count = table.count("region = 'north'")
    truth = (FRAME.region == "north").sum()
    # The bar holds with 95 %; five times the bar with more than 1 − 1e-9, as its noise is Gaussian.
    assert count.error_95 is not None and abs(count.count - truth) <= 5 * count.error_95
    assert count.estimate is not None and count.unknown is None
    assert any(len(together) == 2 for together in table.table_.measured)
    unknown = table.count("region = 'north' AND ill AND age > 13 AND cost > 3")
    assert unknown.error_95 is None and unknown.unknown
    for wrong in ("", "nobody = 1", "1 +", "region = 1; DROP TABLE rows", "\x00"):
        with pytest.raises(PointillistError):
            table.count(wrong)


def test_columns_that_are_not_declared_are_left_out(table: Synthesizer) -> None:
    assert "secret" not in table.table_.to_json()
    assert table.sample(3).columns == list(COLUMNS)
    with pytest.raises(PointillistError, match="public"):
        Synthesizer(columns={"name": "text"}).fit(FRAME)
    for columns in ({}, None, ["age"], "age"):
        with pytest.raises(RequestError, match="columns"):
            Synthesizer(columns=columns)  # type: ignore[arg-type]
    with pytest.raises(RequestError, match="nobody"):
        Synthesizer(columns={"nobody": (0, 1)}).fit(FRAME)


def test_the_statement_says_what_was_paid(table: Synthesizer) -> None:
    assert table.privacy_.epsilon == pytest.approx(10, rel=1e-9) and table.privacy_.rho
    assert table.privacy_.protects == "one row, which counts as a person" and len(table.privacy_.receipt) == 64
    assert table.privacy_.mechanism in repr(table.table_)
    columns = {"age": (0, 99), "ill": "boolean"}
    pure = Synthesizer("mst", epsilon=2, delta=0, columns=columns).fit(FRAME).privacy_
    assert (pure.epsilon, pure.delta, pure.rho) == (2.0, 0.0, None)
    assert Synthesizer("mst", rho="1/8", columns=columns).fit(FRAME).privacy_.rho == "0.125"
    with pytest.raises(PointillistError, match="(?i)pure"):
        Synthesizer("aim", delta=0, columns=columns).fit(FRAME)


def test_people_with_several_rows() -> None:
    columns = {"person": "integer", "age": (0, 99), "ill": "boolean"}
    made = Synthesizer(columns=columns, privacy_unit="person", max_contributions=2, epsilon=20).fit(FRAME)
    assert made.sample(3).columns == ["age", "ill"]
    assert made.privacy_.max_contributions == 2 and "`person`" in made.privacy_.protects
    # Of 1 000 people with three rows each two are used: 2 000 ± 2.7.
    assert abs(made.table_.total - 2000) < 300


def test_conditions_are_kept() -> None:
    made = Synthesizer(columns={"age": (0, 99), "ill": "boolean"}, keep=["age >= 18 OR ill IS NULL"]).fit(FRAME)
    rows = made.sample(500).to_pandas()
    # Where age is NULL the condition is not false.
    assert ((rows.age >= 18) | rows.age.isna() | rows.ill.isna()).all()
    for wrong in (["nobody > 3"], "age > 3", [3]):
        with pytest.raises((PointillistError, TypeError)):
            Synthesizer(columns={"age": (0, 99), "ill": "boolean"}, keep=wrong).fit(FRAME)  # type: ignore[arg-type]


def test_frames_of_every_library_are_taken() -> None:
    for frame in (pl.from_pandas(FRAME), pa.Table.from_pandas(FRAME)):
        assert len(Synthesizer(columns={"ill": "boolean", "region": COLUMNS["region"]}).fit(frame).sample(4)) == 4
    for odd in (None, 3, "rows", [1, 2], {"a": 1}):
        with pytest.raises((PointillistError, TypeError)):
            Synthesizer(columns={"ill": "boolean"}).fit(odd)


def test_a_file_is_read_as_it_was_written(table: Synthesizer, tmp_path: Path) -> None:
    path = tmp_path / "table.json"
    table.table_.save(path)
    assert path.read_text() == table.table_.to_json()
    for again in (synth.load(path), pickle.loads(pickle.dumps(table.table_))):
        assert again.sample(99).to_arrow().equals(table.sample(99).to_arrow())
        assert again.privacy.rho == table.privacy_.rho
    text = path.read_text()
    for changed in ("", "{}", text[:-20], text.replace('"pointillist_table": 1', '"pointillist_table": 9'), text.replace('"rows_per_person":1', '"rows_per_person":0')):
        path.write_text(changed)
        with pytest.raises(PointillistError):
            synth.load(path)


def session(**given: Any) -> Session:
    settings: dict[str, Any] = {"privacy_unit": "row", "budget": {"epsilon": 8, "delta": 1e-9}, "columns": {"people": COLUMNS}}
    return Session.from_dataframe({"people": FRAME}, **{**settings, **given})


SQL = "SELECT region, ill FROM people WHERE age > 20"


def test_a_session_pays_once_for_as_many_rows_as_are_wanted() -> None:
    own = session()
    quote = synth.explain(own, SQL, epsilon=1)
    assert quote.to_dict()["method"] == "mst"
    seen: list[float] = []
    made = synth.fit(own, SQL, "mst", epsilon=1, progress=lambda stage, done: seen.append(done), iterations=200)
    left = own.budget()
    assert seen and len(made.sample(10)) == 10 and len(made.sample(12_345)) == 12_345
    again = synth.fit(own, SQL, "mst", epsilon=1, iterations=200)
    assert again.to_json() == made.to_json() and own.budget() == left
    with pytest.raises(pointillist.errors.BudgetError):
        synth.fit(own, SQL, "residual", epsilon=9)


def test_a_session_uses_as_many_rows_of_a_person_as_are_asked_for() -> None:
    columns = {"people": {**COLUMNS, "person": "integer"}}
    own = session(privacy_unit="person", max_contributions=3, columns=columns)
    assert synth.fit(own, SQL, epsilon=1).privacy.max_contributions == 3
    assert synth.fit(own, SQL, epsilon=1, max_contributions=1).privacy.max_contributions == 1


def test_a_session_elsewhere_gives_its_rows() -> None:
    own = session()

    class Elsewhere:
        """What a server is to a session."""

        def __getattr__(self, name: str) -> Any:
            return getattr(own._backend, name)

    remote = synth.fit(Session(Elsewhere()), SQL, epsilon=1)  # type: ignore[arg-type]
    left = own.budget()
    here = synth.fit(own, SQL, epsilon=1)
    assert remote.sample(30).to_arrow().to_pylist() == here.sample(30).to_arrow().to_pylist()
    assert own.budget() == left, "asked for again, it is free"
    assert remote.privacy.rho == here.privacy.rho
    with pytest.raises(RequestError, match="no file"):
        remote.save("table.json")


@pytest.mark.parametrize("n", [-1, 1.5, "3", True, 10**9, 10**30])
def test_odd_numbers_of_rows_are_errors(table: Synthesizer, n: Any) -> None:
    with pytest.raises((PointillistError, OverflowError)):
        table.sample(n)


@pytest.mark.parametrize(
    "given",
    [
        dict(method="magic"), dict(epsilon=0), dict(epsilon=-1), dict(epsilon=float("nan")), dict(epsilon=None), dict(delta=2), dict(rho=-1),
        dict(bins=0), dict(bins=1.5), dict(degree=9), dict(magic=1), dict(iterations="3, merge = 2"), dict(privacy_unit="nobody"),
        dict(max_contributions=0, privacy_unit="person"), dict(columns={"age": (99, 0)}), dict(columns={"age": (0, float("inf"))}),
        dict(columns={"region": []}), dict(columns={"age": 3}),
    ],
    ids=str,
)  # fmt: skip
def test_odd_parameters_are_errors_with_hints(given: dict[str, Any]) -> None:
    with pytest.raises(PointillistError) as error:
        Synthesizer(**{"columns": {"age": (0, 99), "ill": "boolean"}, **given}).fit(FRAME)
    assert error.value.hint


def test_nothing_is_given_before_it_is_measured() -> None:
    with pytest.raises(RequestError, match="fit"):
        Synthesizer(columns={"ill": "boolean"}).sample(3)
    assert "mst" in repr(Synthesizer(columns={"ill": "boolean"}))


def test_settings_are_listed() -> None:
    assert {"bins", "binning", "rows", "degree", "merge"} <= set(synth.settings())
    made = Synthesizer(columns={"age": (0, 99), "ill": "boolean"}, bins=4).fit(FRAME)
    assert json.loads(made.table_.to_json())["table"]["recipe"]["bins"] == 4
