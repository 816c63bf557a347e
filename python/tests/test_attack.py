"""Attacks on tables and numbers in memory: what they find, and what they refuse."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pointillist import attack
from pointillist.errors import PointillistError, RequestError

#: The table of a lecture on k-anonymity.
PEOPLE = {
    "first": ["Harry", "John", "Beatrice", "John"],
    "last": ["Stone", "Reyser", "Stone", "Ramos"],
    "age": [34, 36, 47, 22],
    "race": ["Af.Am", "Cauc.", "Af.Am", "Hisp."],
    "illness": ["flu", "flu", "cold", "cold"],
}
KNOWN = ["first", "last", "age", "race"]


# Tables


def test_tables_of_all_kinds_are_one_table(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    pyarrow = pytest.importorskip("pyarrow")
    frame = pandas.DataFrame(PEOPLE)
    frame.to_csv(tmp_path / "people.csv", index=False)
    rows = [dict(zip(PEOPLE, row, strict=True)) for row in zip(*PEOPLE.values(), strict=True)]
    tables: list[Any] = [
        PEOPLE,
        rows,
        frame,
        polars.DataFrame(PEOPLE),
        pyarrow.table(PEOPLE),
        tmp_path / "people.csv",
        str(tmp_path / "people.csv"),
    ]
    found = [attack.unique(table, columns=KNOWN)["subsets"] for table in tables]
    assert all(subsets == found[0] for subsets in found)
    assert found[0][0]["unique"] == 4
    genotypes = attack.unique(np.array([[0, 1], [0, 1], [2, 2]]), columns=["1", "2"])
    assert genotypes["subsets"][0]["unique"] == 1


def test_missing_values_are_empty() -> None:
    found = attack.unique({"a": [None, float("nan"), "", 1]}, columns="a")
    assert found["subsets"][0]["unique"] == 1


# k-anonymity


@pytest.mark.parametrize(("k", "stars"), [(2, 10), (4, 16)])
def test_the_fewest_stars(k: int, stars: int) -> None:
    """Golden: every one of the 2^16 patterns of the lecture's table was tried."""
    found = attack.anonymize(PEOPLE, known=KNOWN, sensitive="illness", k=k, method="exact")
    assert (found["stars"], found["k"]) == (stars, k)
    assert sum(value == "*" for name in KNOWN for value in found.published[name]) == stars
    assert found.published["illness"] == PEOPLE["illness"]
    assert "stars" in found.how and "k-anonymity" in found.measures


def test_pairs_are_matched_and_ranges_are_cut() -> None:
    matched = attack.anonymize(PEOPLE, known=KNOWN, sensitive="illness", k=2, method="matching")
    assert (matched["stars"], matched["method"]) == (10, "matching")
    ranges = attack.anonymize(town=200, k=5)
    assert ranges["method"] == "mondrian" and ranges["k"] >= 5
    assert set(ranges.published) == {"born", "sex", "zip", "illness"}


def test_two_tables_tell_more_than_one() -> None:
    found = attack.intersect(k=5)
    assert found["certain"] > found["certain_alone"]
    first = {"id": [1, 2, 3, 4], "zip": [1, 1, 2, 2], "illness": ["flu", "cold", "flu", "flu"]}
    second = {"id": [1, 2, 5, 6], "zip": [7, 8, 7, 8], "illness": ["flu", "cold", "gout", "gout"]}
    both = attack.intersect(
        first, second, known="zip", sensitive="illness", person="id", published=True, epsilon=0.5
    )
    assert (both["people"], both["certain"], both["certain_alone"]) == (2, 2, 0)


# Linkage


def test_a_public_list_gives_rows_their_names() -> None:
    patients = {"born": [1951, 1960, 1970], "zip": [2138, 2139, 1], "illness": ["flu", "asthma", "gout"]}
    voters = {"name": ["Ben", "Cem", "Ana"], "born": [1960, 1960, 1951], "zip": [2139, 2139, 2138]}
    found = attack.link(patients, voters, on=["born", "zip"])
    assert found.identified == ((0, 2),)
    assert (found["identified"], found["ambiguous"], found["unmatched"]) == (1, 1, 1)
    assert "Ana" in found.without and "Ana" not in found.with_pointillist
    assert len(attack.link().identified) == 3
    assert attack.link(town=200)["rows"] > 0


# Counts


def test_the_difference_of_two_counts_is_a_person() -> None:
    """False alarm: below 1e-9. The guess is right with probability 0.565 at ε = 0.5, at most 0.6225; 10,000 draws."""
    found = attack.difference(with_=71, without=70, epsilon=0.5)
    assert found["revealed"] is True
    radius = math.sqrt(math.log(2 / 1e-9) / (2 * found["trials"]))
    assert 0.5 < found["right"] <= found["right_upper"] + radius
    assert found["right_upper"] == pytest.approx(1 / (1 + math.exp(-0.5)))
    in_table = attack.difference(PEOPLE, where={"illness": "flu"}, except_={"first": "Harry"})
    assert (in_table["with"], in_table["without"], in_table["revealed"]) == (2, 1, True)


def test_published_counts_make_people_certain() -> None:
    subsets = [[1, 1, 1, 1], [0, 1, 1, 1], [0, 0, 1, 1]]
    found = attack.published_counts(subsets, [2, 2, 1], people=["Ana", "Ben", "Cem", "Dua"])
    certain = {person["person"]: person["value"] for person in found["determined"]}
    assert certain == {"Ana": 0, "Ben": 1}
    assert all(person["private_deviation"] > 1 for person in found["determined"])
    assert attack.published_counts(np.array(subsets, dtype=bool), np.array([2, 2, 1]))["people"] == 4


def test_secrets_are_recovered_from_slightly_wrong_counts() -> None:
    """Others' answers are off by up to 2.8 of 128; 98 % is recovered with a deviation of 1 %, so that 80 % would be sixteen
    deviations below. Private: no more than 73.1 % in expectation; 128 bits stay below 95 % but for
    1e-9 (their number is at most binomial).
    """
    secret = np.random.default_rng().integers(0, 2, 128)
    secret[0] = 1
    found = attack.reconstruct(secret, epsilon=1)
    assert found.recovered > 0.8
    assert found.recovered_private < 0.95
    assert found.right_upper == pytest.approx(1 / (1 + math.exp(-1)))
    assert found.secret.tolist() == secret.astype(bool).tolist()
    guess = found.estimates > 0.5
    assert float((guess == found.secret).mean()) == pytest.approx(found.recovered)
    assert found.estimates_private.shape == (128,)
    of_table = attack.reconstruct({"ill": ["yes", "no"] * 20}, column="ill", value="yes", people=32, questions=8)
    assert of_table["people"] == 32 and of_table.secret[0]


@pytest.mark.parametrize("method", ["least squares", "sum of errors", "largest error"])
def test_exact_answers_are_decoded_exactly(method: Any) -> None:
    """256 random subsets of 32 people have full rank but for a probability below 2^-200."""
    noise = np.random.default_rng()
    secret = noise.integers(0, 2, 32)
    subsets = noise.integers(0, 2, (256, 32))
    found = attack.decode(subsets, subsets @ secret, method=method)
    assert found.guess.astype(int).tolist() == secret.tolist()
    assert found.objective == pytest.approx(0, abs=1e-3)


def test_the_curator_stops_answering() -> None:
    found = attack.reconstruct_curator(people=32, epsilon="0.25", budget="0.5", questions=1)
    assert found.with_pointillist
    assert found.page().html


def test_averages_of_fresh_noise_find_the_truth() -> None:
    """The error of 1024 answers is 1/32 of that of one, over 200 surveys. False alarm: below 1e-9; the mean square of 200
    averages, which are nearly normal, is 2.25 times too large with probability e^-43, and one answer that makes that of
    single answers nine times too large is 40 deviations off.
    """
    points = attack.average(truth=71, epsilon=0.1, repetitions=1024)["points"]
    first, last = points[0], points[-1]
    assert (first["repetitions"], last["repetitions"]) == (1, 1024)
    expected = first["fresh_expected"]
    assert last["fresh_expected"] == pytest.approx(expected / 32)
    assert expected / 64 < last["fresh"] < 1.5 * expected / 32
    assert expected / 3 < last["recorded"] < 3 * expected
    in_table = attack.average(PEOPLE, where={"illness": "flu"}, repetitions=4)
    assert in_table["truth"] == 2


def test_floats_give_the_answer_away() -> None:
    """Two thirds of all outputs prove the answer; of 5,000, below a half is impossible but for e^-100."""
    found = attack.floating(truth=0, other=1, epsilon=1, outputs=5_000)
    assert found["identified"] > 0.5 and found["identified_exact"] == 0.0
    noise = np.random.default_rng()
    # Whatever NumPy makes around one is possible around one; much of what it makes around zero is not.
    outputs = [float(noise.laplace(scale=1.0)) for _ in range(300)]
    excluded = [not attack.could_have_produced(output, 1.0, 1.0) for output in outputs]
    assert sum(excluded) > 30


def test_members_are_found_from_frequencies_and_not_from_private_ones() -> None:
    """50 members and 2,000 positions: the two groups are six deviations apart, and the area is 1. Private ones at ε = 1 are
    noise; an area of 0.8 would be beyond the bound of differential privacy by far.
    """
    found = attack.membership(50, 50, positions=2_000, epsilon=1)
    assert found["area"] > 0.95 and found["area_private"] < 0.8
    noise = np.random.default_rng()
    frequencies = noise.uniform(0.1, 0.9, 600)
    members, outsiders = (noise.binomial(2, frequencies, (40, 600)) for _ in range(2))
    tables = attack.membership(members, outsiders, kind="genotypes", statistic="correlation")
    assert (tables["members"], tables["positions"]) == (40, 600)
    split = attack.membership(20, records={"a": [1, 2] * 30, "b": ["x", "y", "z"] * 20}, kind="records")
    assert split["members"] == 20


def test_an_exact_model_is_its_last_row() -> None:
    found = attack.model(people=50, models=10)
    assert found["error"] < 1e-6
    assert attack.model(people=50, models=10, rho=0.5)["points"]


# What every attack hands out


def test_an_outcome_is_an_object_words_and_a_page(tmp_path: Path) -> None:
    found = attack.unique(PEOPLE, columns=KNOWN)
    assert json.loads(found.to_json()) == found.figures
    assert found.attack == "unique" and found["rows"] == 4
    assert found.without in repr(found) and found.with_pointillist in repr(found)
    found.page().save(tmp_path / "unique.html")
    assert "<svg" in (tmp_path / "unique.html").read_text(encoding="utf-8")
    assert found._repr_html_().startswith("<iframe")
    with pytest.raises(KeyError):
        found["telepathy"]


# Hostile arguments

NAN = float("nan")


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: attack.unique(3),
        lambda: attack.unique("/nowhere/people.csv"),
        lambda: attack.unique(b"people.csv"),
        lambda: attack.unique(PEOPLE, columns=["telepathy"]),
        lambda: attack.unique(PEOPLE, columns=[]),
        lambda: attack.unique(PEOPLE, columns=[1]),
        lambda: attack.unique(PEOPLE, town=5),
        lambda: attack.unique(PEOPLE, columns=KNOWN, epsilon=NAN),
        lambda: attack.unique(PEOPLE, columns=KNOWN, delta=0),
        lambda: attack.unique({"a": [1], "b": []}, columns="a"),
        lambda: attack.unique(town=-1),
        lambda: attack.unique(town=10**12),
        lambda: attack.unique(np.zeros(3)),
        lambda: attack.link(PEOPLE),
        lambda: attack.link(PEOPLE, PEOPLE, on=list(PEOPLE)),
        lambda: attack.link(PEOPLE, PEOPLE, on=[]),
        lambda: attack.anonymize(PEOPLE, known=KNOWN, k=1),
        lambda: attack.anonymize(PEOPLE, known=KNOWN, k=5),
        lambda: attack.anonymize(PEOPLE, known=KNOWN, k=2**64),
        lambda: attack.anonymize(PEOPLE, known=KNOWN, k=3, method="matching"),
        lambda: attack.anonymize(PEOPLE, known=KNOWN, method="magic"),
        lambda: attack.anonymize(PEOPLE, known=KNOWN, sensitive="age"),
        lambda: attack.anonymize(town=50, method="exact"),
        lambda: attack.intersect(PEOPLE),
        lambda: attack.intersect(published=True),
        lambda: attack.intersect(k=10**9),
        lambda: attack.difference(with_=5, without=1),
        lambda: attack.difference(with_=-1, without=-1),
        lambda: attack.difference(with_=2**200, without=1),
        lambda: attack.difference(with_=1.5, without=1),
        lambda: attack.difference(where={"a": 1}),
        lambda: attack.difference(PEOPLE, where={"illness": "flu"}),
        lambda: attack.difference(PEOPLE, where={"illness": "flu"}, except_={"first": "John"}),
        lambda: attack.difference(PEOPLE, where={"illness": "gout"}, except_={"first": "Harry"}),
        lambda: attack.difference(PEOPLE, where=3, except_=4),
        lambda: attack.published_counts([], []),
        lambda: attack.published_counts([[1, 2]], [1]),
        lambda: attack.published_counts([[1, 1]], [1.5]),
        lambda: attack.published_counts([[1, 1]], [3]),
        lambda: attack.published_counts([[1, 1]], [1, 1]),
        lambda: attack.published_counts([[1, 1]], [1], people=["a", "a"]),
        lambda: attack.published_counts([[1, 1]], [1], people=["a"]),
        lambda: attack.published_counts([[1, 1], [1, 1]], [1, 2]),
        lambda: attack.reconstruct([0, 1, 2]),
        lambda: attack.reconstruct([0.5]),
        lambda: attack.reconstruct(people=0),
        lambda: attack.reconstruct(people=10**9),
        lambda: attack.reconstruct(people=8, questions=0),
        lambda: attack.reconstruct(people=8, questions=10**15),
        lambda: attack.reconstruct(people=8, error=NAN),
        lambda: attack.reconstruct(people=8, error=-1),
        lambda: attack.reconstruct(PEOPLE, column="telepathy", value=1),
        lambda: attack.reconstruct(PEOPLE, column="age", value=34, people=9),
        lambda: attack.reconstruct_curator(people=16),
        lambda: attack.decode([[1, 0]], [NAN]),
        lambda: attack.decode([[1, 0]], [1, 2]),
        lambda: attack.decode([[1], [0, 1]], [1, 2]),
        lambda: attack.decode([[1, 0]], ["one"]),
        lambda: attack.decode([[1, 0]], [1], method="magic"),
        lambda: attack.average(truth=-1),
        lambda: attack.average(repetitions=0),
        lambda: attack.average(repetitions=10**9),
        lambda: attack.average(PEOPLE),
        lambda: attack.average(where={"a": 1}),
        lambda: attack.floating(truth=1, other=1),
        lambda: attack.floating(outputs=0),
        lambda: attack.floating(outputs=10**9),
        lambda: attack.floating(truth=2**64),
        lambda: attack.could_have_produced(0.0, NAN, 1.0),
        lambda: attack.could_have_produced(0.0, 0.0, 0.0),
        lambda: attack.could_have_produced("0", 0.0, 1.0),
        lambda: attack.membership(0, 5),
        lambda: attack.membership(10**12, 5),
        lambda: attack.membership(PEOPLE),
        lambda: attack.membership(PEOPLE, 5),
        lambda: attack.membership(5, 5, kind="records"),
        lambda: attack.membership(records=PEOPLE, outsiders=PEOPLE),
        lambda: attack.membership(records=PEOPLE, positions=5),
        lambda: attack.membership(records=PEOPLE, kind="magic"),
        lambda: attack.membership(5, 5, statistic="magic"),
        lambda: attack.model(people=1),
        lambda: attack.model(models=0),
        lambda: attack.model(epsilon=1, rho=1),
    ],
)
def test_requests_that_make_no_sense_are_refused(wrong: Any) -> None:
    with pytest.raises((PointillistError, TypeError, OverflowError)):
        wrong()


def test_hints_are_about_python() -> None:
    with pytest.raises(RequestError) as caught:
        attack.published_counts([[1, 1]], [3])
    assert caught.value.hint is not None and "--" not in caught.value.hint
