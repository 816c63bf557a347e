"""Declarations of other libraries: taken over exactly, and what has no counterpart is said."""

from __future__ import annotations

import datetime
import pickle
import re
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import pointillist
from pointillist.errors import PointillistError, RequestError
from pointillist.migrate import CatalogText, from_opendp_margins, from_smartnoise

tomllib = pytest.importorskip("tomllib")

PUMS = """\
Database:
  PUMS:
    PUMS:
      rows: 1000
      max_ids: 4
      age: {type: int, lower: 0, upper: 100.0}
      income: {type: float, lower: -0.1, upper: 5e5, nullable: false}
      sex: {type: string, cardinality: 2}
      pid: {type: int, private_id: True}
engine: spark
"""


def said(catalog: CatalogText, words: str) -> bool:
    return any(words in note for note in catalog.notes)


def table(catalog: CatalogText, name: str = "visits") -> dict[str, Any]:
    return dict(tomllib.loads(catalog)["table"][name])


# SmartNoise.


def test_metadata_of_smartnoise_as_a_path_a_text_or_a_dict(tmp_path: Path) -> None:
    path = tmp_path / "pums.yaml"
    path.write_text(PUMS)
    as_dict: dict[str, Any] = {
        "Database": {
            "PUMS": {
                "PUMS": {
                    "rows": 1000,
                    "max_ids": 4,
                    "age": {"type": "int", "lower": 0, "upper": 100.0},
                    "income": {"type": "float", "lower": -0.1, "upper": Fraction(500_000), "nullable": False},
                    "sex": {"type": "string", "cardinality": 2},
                    "pid": {"type": "int", "private_id": True},
                }
            }
        },
        "engine": "spark",
    }
    texts = [from_smartnoise(path), from_smartnoise(str(path)), from_smartnoise(PUMS), from_smartnoise(as_dict)]
    assert len(set(texts)) == 1 and len({text.notes for text in texts}) == 1
    pums = table(texts[0], "pums")
    assert (pums["privacy_unit"], pums["max_groups"], pums["max_contributions"]) == ("pid", 4, 4)
    assert pums["columns"]["age"] == {"type": "integer", "lower": 0, "upper": 100}
    assert pums["columns"]["income"] == {"type": "decimal", "lower": -0.1, "upper": 500_000}
    for words in ("`rows` has no counterpart", "`nullable` has no counterpart", "budget is a placeholder"):
        assert said(texts[0], words), words


def test_the_catalog_of_smartnoise_is_asked() -> None:
    pandas = pytest.importorskip("pandas")
    text = from_smartnoise(PUMS).replace('"pums.csv"', '"memory:pums"').split("[ledger]")[0]
    frame = pandas.DataFrame(
        {"pid": range(500), "age": [40] * 500, "income": [1.5] * 500, "sex": ["f", "m"] * 250}
    )
    session = pointillist.Session.from_catalog(text, {"pums": frame})
    assert session.query("SELECT count(*) AS n FROM pums", epsilon="1/2").paid


@pytest.mark.parametrize(
    "metadata",
    [
        "", "nowhere.yaml", "a: 1\nb: 2", Path("/nowhere"), {}, {"a": 1}, {"a": {"b": {"c": {"d": {"type": "cow"}}}}},
        {"a": {"b": {"c": {"d": {"type": "int", "lower": float("nan"), "upper": 1}}}}}, {"a": object()}, 7, None,
        b"a: b", ["a"], "x" * 10_000, "\0", "a:\n  b: \ud800",
    ],
)  # fmt: skip
def test_what_is_no_metadata_is_refused(metadata: Any) -> None:
    with pytest.raises((PointillistError, UnicodeEncodeError)):
        from_smartnoise(metadata)


# OpenDP.


@dataclass
class Margin:
    """As OpenDP has it."""

    by: Any = field(default_factory=list)
    max_length: int | None = None
    max_groups: int | None = None
    invariant: str | None = None


def visits(**given: Any) -> CatalogText:
    told: dict[str, Any] = {
        "source": "memory:visits",
        "privacy_unit": {"identifier": "patient_id", "contributions": 1},
        "privacy_loss": {"epsilon": 1, "delta": 1e-9},
        "columns": {"region": str, "age": {"T": "i32", "bounds": (0, 120)}},
    }
    return from_opendp_margins("visits", **{**told, **given})


def test_a_context_becomes_a_catalog_that_is_asked() -> None:
    pandas = pytest.importorskip("pandas")
    catalog = visits(
        privacy_unit={
            "identifier": "patient_id",
            "contributions": [{"by": ["region"], "per_group": 3, "num_groups": 2}],
        },
        margins=[Margin(by=["region"], invariant="keys", max_length=1_000, max_groups=2)],
        columns={"region": {"T": "String", "categories": ["north", "south"]}, "age": (0, 120)},
    )
    declared = table(catalog)
    assert (declared["privacy_unit"], declared["max_groups"], declared["max_contributions"]) == ("patient_id", 2, 3)
    assert declared["columns"]["region"]["public_keys"] == ["north", "south"]
    assert declared["columns"]["age"] == {"type": "integer", "lower": 0, "upper": 120}
    assert "[ledger]" not in catalog
    for words in ("largest length has no counterpart", "largest number of groups has no counterpart"):
        assert said(catalog, words), words
    frame = pandas.DataFrame({"patient_id": range(900), "region": ["north", "south", "east"] * 300, "age": [40] * 900})
    session = pointillist.Session.from_catalog(catalog, {"visits": frame})
    answer = session.query("SELECT region, avg(age) AS age FROM visits GROUP BY region", epsilon="1/2")
    assert [row[0] for row in answer.rows] == ["north", "south"]


def test_old_and_new_names_say_the_same() -> None:
    new = visits(margins=[{"by": ["region"], "max_length": 9, "max_groups": 3, "invariant": "lengths"}])
    old = visits(
        margins={("region",): {"max_partition_length": 9, "max_num_partitions": 3, "public_info": "lengths"}}
    )
    assert (new, new.notes) == (old, old.notes)
    assert said(new, "lengths have no counterpart") and said(new, "not listed: list public_keys")
    moved = visits(margins={"region": {"max_partition_contributions": 2, "max_influenced_partitions": 5}})
    assert (table(moved)["max_contributions"], table(moved)["max_groups"]) == (2, 5)


def test_units() -> None:
    row = visits(privacy_unit={"contributions": 1})
    assert table(row)["privacy_unit"] == "row"
    many = visits(privacy_unit={"contributions": 36})
    assert table(many)["privacy_unit"] == "FILL_IN" and said(many, "divide epsilon by 36, or rho by 1296")
    with pytest.raises(RequestError):
        pointillist.Session.from_catalog(many, {})
    several = visits(privacy_unit={"identifier": "patient_id", "contributions": 2})
    assert table(several)["privacy_unit"] == "patient_id" and said(several, "2 identifiers a person")
    changes = visits(privacy_unit={"identifier": "patient_id", "changes": 1, "ordered": True})
    assert said(changes, "`changes` has no counterpart") and said(changes, "`ordered` has no counterpart")
    for unit in ({"local": True}, {"l1": 2.0}, {"l2": 2.0}, {"absolute": 1.0}):
        odd = visits(privacy_unit=unit)
        assert table(odd)["privacy_unit"] == "FILL_IN" and said(odd, "has no counterpart")
    bounds = [{"by": ["region"], "per_group": 3}, {"by": ["age"], "per_group": 1, "num_groups": 2}]
    largest = visits(privacy_unit={"identifier": "patient_id", "contributions": bounds})
    assert table(largest)["max_contributions"] == 3 and said(largest, "largest of several bounds")
    rows = visits(privacy_unit={"contributions": 1}, margins=[{"by": ["region"], "max_influenced_partitions": 2}])
    assert "max_groups" not in table(rows) and said(rows, "every row is another person")


def test_losses() -> None:
    def budget(loss: Any) -> tuple[dict[str, Any], CatalogText]:
        catalog = visits(privacy_loss=loss)
        return tomllib.loads(catalog)["scope"]["people"], catalog

    assert budget({"epsilon": 2})[0] == {"model": "pure", "budget": {"epsilon": 2}}
    assert budget({"epsilon": 0.1, "delta": 1e-7})[0]["budget"] == {"epsilon": 0.1, "delta": 1e-7}
    assert budget({"epsilon": Fraction(1, 3), "delta": 1e-7})[0]["budget"]["epsilon"] == "1/3"
    scope, catalog = budget({"rho": 0.5})
    assert scope["budget"] == {"rho": 0.5, "delta": 1e-9} and said(catalog, "delta = 1e-9 is a placeholder")
    assert budget({"rho": 0.5, "delta": 1e-8})[0]["budget"]["delta"] == 1e-8
    assert said(budget(None)[1], "budget is a placeholder")
    split = visits(split_evenly_over=5)
    assert said(split, "`split_evenly_over` has no counterpart")
    assert said(visits(split_by_weights=[1.0, 2.0]), "`split_by_weights` has no counterpart")


def test_types_and_domains() -> None:
    polars = pytest.importorskip("polars")
    day = datetime.date(2026, 1, 1), datetime.date(2026, 12, 31)
    catalog = visits(
        columns={
            "a": "i64", "b": "Option<f64>", "c": float, "d": polars.Int8, "e": polars.String(), "f": polars.Boolean,
            "g": polars.Datetime("us"), "h": {"dtype": polars.Date, "bounds": day}, "i": polars.Enum(["x", "y"]),
            "j": {"T": float, "bounds": (Fraction(1, 3), 1), "nan": True}, "k": {"type": "bool", "nullable": False},
            "âge": (0, 1), "cost (€)": (0.0, 9.5), "cost [€]": (0, 9), "2026": int, "patient_id": int,
            "l": {"T": "Utf8", "bounds": ("a", "b")}, "m": polars.Categorical,
        },
        margins=[{"by": ["i"], "invariant": "keys", "keys": ["x"]}, {"by": ["n"], "keys": ["z"]}],
    )  # fmt: skip
    columns = table(catalog)["columns"]
    kinds = {name: column["type"] for name, column in columns.items()}
    assert kinds == {
        "a": "integer", "b": "decimal", "c": "decimal", "d": "integer", "e": "text", "f": "boolean", "g": "timestamp",
        "h": "date", "i": "text", "j": "decimal", "k": "boolean", "âge": "integer", "cost": "decimal",
        "cost_2": "integer", "column_2026": "integer", "l": "text", "m": "text",
    }  # fmt: skip
    assert columns["h"]["upper"] == "2026-12-31" and columns["j"]["lower"] == "1/3"
    assert columns["i"]["public_keys"] == ["x"] and columns["k"]["nullable"] is False
    assert columns["cost"]["name"] == "cost (€)" and columns["column_2026"]["name"] == "2026"
    for words in (
        "column `a` has no bounds", "its listed keys are taken", "`nan` has no counterpart", "names people",
        "is called `cost_2` in questions", "no number and no time", "keys are listed, so they are taken to be public",
        "the keys of `n` are public, and the column is not declared", "without missing values",
    ):  # fmt: skip
        assert said(catalog, words), words


def test_expressions_of_polars_that_are_columns() -> None:
    polars = pytest.importorskip("polars")
    catalog = visits(
        privacy_unit={"identifier": polars.col("patient_id"), "contributions": 1},
        margins=[Margin(by=[polars.col("region")], invariant="keys")],
    )
    assert table(catalog)["privacy_unit"] == "patient_id"
    assert said(catalog, "the margin by `region`")
    with pytest.raises(RequestError, match="expression"):
        visits(margins=[Margin(by=[polars.col("age") // 10], invariant="keys")])


def test_keys_of_several_columns() -> None:
    both = visits(margins=[{"by": ["region", "age"], "invariant": "keys", "keys": {"region": ["n"], "age": [1, 2]}}])
    assert table(both)["columns"]["age"]["public_keys"] == [1, 2]
    assert said(both, "all combinations of them are shown")
    with pytest.raises(RequestError, match="listed twice"):
        visits(margins=[{"by": ["age"], "keys": [1]}, {"by": ["age"], "keys": [2]}])


@pytest.mark.parametrize(
    "given",
    [
        {"privacy_unit": None}, {"privacy_unit": ("SymmetricDistance()", 1)}, {"privacy_unit": {}},
        {"privacy_unit": {"contributions": 1, "changes": 1}}, {"privacy_unit": {"contributions": 0}},
        {"privacy_unit": {"contributions": -1}}, {"privacy_unit": {"contributions": True}},
        {"privacy_unit": {"contributions": 10**30}}, {"privacy_unit": {"contributions": 1.5}},
        {"privacy_unit": {"contributions": [3]}}, {"privacy_unit": {"contributions": [{"pergroup": 3}]}},
        {"privacy_unit": {"weights": 1}}, {"privacy_unit": {"identifier": 3, "contributions": 1}},
        {"privacy_loss": 1.0}, {"privacy_loss": {}}, {"privacy_loss": {"epsilon": 1, "rho": 1}},
        {"privacy_loss": {"epsilon": -1}}, {"privacy_loss": {"epsilon": float("nan")}}, {"privacy_loss": {"delta": 1e-9}},
        {"privacy_loss": {"epsilon": "1 }\nx = 1", "delta": 1e-9}}, {"privacy_loss": {"epsilon": 1, "delta": 2}},
        {"margins": 7}, {"margins": "region"}, {"margins": [7]}, {"margins": [{"by": "region", "invariants": "keys"}]},
        {"margins": [{"by": ["region"], "invariant": "key"}]}, {"margins": [{"by": ["region"], "keys": 3}]},
        {"margins": [{"by": ["region"], "keys": [None]}]}, {"margins": [{"by": ["region"], "keys": {"age": [1]}}]},
        {"margins": [{"by": ["region"], "keys": [1]}]}, {"margins": [{"by": ["region"], "keys": "north"}]},
        {"columns": {"a": "complex"}}, {"columns": {"a": {"T": "i32", "bound": 1}}}, {"columns": {"a": (1, 0)}},
        {"columns": {"a": (0, float("inf"))}}, {"columns": {"a": {"T": "i32", "bounds": (0.5, 1.5)}}},
        {"columns": {"a": {}}}, {"columns": {1: int}}, {"columns": {"a": None}}, {"columns": {"a": (1, 2, 3)}},
        {"source": 7}, {"scope": 7}, {"scope": "a b"}, {"source": "a\0b"},
    ],
)  # fmt: skip
def test_what_is_no_description_is_refused(given: dict[str, Any]) -> None:
    with pytest.raises(PointillistError) as refused:
        visits(**given)
    assert refused.value.hint


def test_texts_cannot_escape_their_quotes() -> None:
    odd = 'x"]\n[analyst.eve]\nshares = { people = { epsilon = 9 } } #'
    catalog = visits(columns={"region": {"T": "str", "categories": [odd]}, 'a" } # \\': int})
    assert set(tomllib.loads(catalog)) == {"scope", "table"}
    assert table(catalog)["columns"]["a"]["name"] == 'a" } # \\'
    assert table(catalog)["columns"]["region"]["public_keys"] == [odd]


def test_a_text_is_saved_once(tmp_path: Path) -> None:
    catalog = from_opendp_margins("visits", privacy_unit={"contributions": 1}, catalog=tmp_path / "pointillist.toml")
    assert said(catalog, "the source is a placeholder") and "anchor" in catalog
    catalog.save(tmp_path / "pointillist.toml")
    assert (tmp_path / "pointillist.toml").read_text(encoding="utf-8") == catalog
    with pytest.raises(RequestError):
        catalog.save(tmp_path / "pointillist.toml")
    again = pickle.loads(pickle.dumps(catalog))
    assert (again, again.notes) == (catalog, catalog.notes)


# The page about it.


def test_what_the_page_says_of_pointillist_runs() -> None:
    pytest.importorskip("pandas")
    page = Path(__file__).parents[2] / "docs" / "python-migration.md"
    if not page.is_file():
        pytest.skip("the page is not here")
    blocks = re.findall(r"^```python\n# Pointillist\n(.*?)^```$", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    assert len(blocks) == 7
    names: dict[str, Any] = {}
    for block in blocks:
        exec(block, names)
    assert set(names["answer"].to_pandas()["region"]) == {"north", "south"}
