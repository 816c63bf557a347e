"""Every mechanism of the catalogue, by name: what it costs, what it releases, what it refuses."""

from __future__ import annotations

import copy
import math
import pickle
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from pointillist import mechanisms
from pointillist.errors import PointillistError, RequestError

#: Noise at this price is zero but for a probability of 2·e^-1000: what is released is what was computed.
CERTAIN = 1_000

#: Cards without a class, and why. There are none.
WITHOUT_CLASS: dict[str, str] = {}

#: A way to build each class, and the arguments of a release.
EXAMPLES: list[tuple[str, dict[str, Any], tuple[Any, ...]]] = [
    ("RandomizedResponse", {"epsilon": 1}, (True,)),
    ("KaryRandomizedResponse", {"epsilon": 1, "categories": 4}, (2,)),
    ("Geometric", {"sensitivity_l1": 1, "epsilon": 1}, (10,)),
    ("Laplace", {"sensitivity_l1": 1, "epsilon": 1, "step": "0.01"}, ("2.5",)),
    ("Gaussian", {"sensitivity_l2": 1, "epsilon": 1, "delta": 1e-6}, (10,)),
    ("DiscreteGaussian", {"sensitivity_l2": 1, "rho": 0.5}, (10,)),
    ("Count", {"epsilon": 1}, ([1, 1, 1],)),
    ("BoundedSum", {"lower": 0, "upper": 10, "epsilon": 1}, ([1, 2, 3],)),
    ("Mean", {"lower": 0, "upper": 10, "epsilon": 1}, ([1, 2, 3],)),
    ("MeanOfKnownCount", {"lower": 0, "upper": 10, "count": 3, "epsilon": 1}, ([1, 2, 3],)),
    ("Variance", {"lower": 0, "upper": 10, "rho": 1}, ([1, 2, 3],)),
    ("Histogram", {"keys": ("a", "b"), "epsilon": 1}, (["a", "a"],)),
    ("StabilityHistogram", {"epsilon": 1, "delta": 1e-6}, (["a", "a"],)),
    ("PartitionSelection", {"epsilon": 1, "delta": 1e-6}, (["a", "a"],)),
    ("EarnedKeys", {"rho": 1, "delta": 1e-6}, ({"a": 3},)),
    ("Quantile", {"lower": 0, "upper": 10, "q": 0.5, "epsilon": 1}, ([1, 2, 3],)),
    ("Quantiles", {"lower": 0, "upper": 10, "quantiles": (0.25, 0.75), "epsilon": 1}, ([1, 2, 3],)),
    ("QuantileHistogram", {"lower": 0, "upper": 9, "bins": 5, "epsilon": 1}, ([1, 2, 3],)),
    ("WeightedQuantile", {"lower": 0, "upper": 10, "rank": "least", "epsilon": 1}, ([1, 2, 3],)),
    ("Exponential", {"sensitivity": 1, "epsilon": 1}, ([1, 2, 3],)),
    ("ExponentialOnLine", {"lower": 0, "upper": 10, "step": 1, "sensitivity": 1, "epsilon": 1}, ([3], [0, 1])),
    ("ContinuousMedian", {"lower": 0, "upper": 10, "step": 1, "epsilon": 1}, ([1, 2, 3],)),
    ("PermuteAndFlip", {"sensitivity": 1, "epsilon": 1}, ([1, 2, 3],)),
    ("NoisyMax", {"sensitivity": 1, "epsilon": 1}, ([1, 2, 3],)),
    ("TopK", {"k": 2, "sensitivity": 1, "epsilon": 1}, ([1, 2, 3],)),
    ("Tuning", {"epsilon": 1}, ([1, 2, 3],)),
    ("Pricing", {"prices": (1, 2), "epsilon": 1}, ([1, 2, 3],)),
    ("AboveThreshold", {"sensitivity": 1, "epsilon": 1}, ([1, 2, 3], 2)),
    ("NumericSparse", {"sensitivity": 1, "epsilon": 1}, ([1, 2, 3], 2)),
    ("SmoothPowerTailedLaplace", {"epsilon": 1, "floor": 1, "cap": 6}, (3, [1, 2])),
    ("SmoothStudentT", {"epsilon": 1, "floor": 1, "cap": 6}, (3, [1, 2])),
    ("SmoothTwoSidedPareto", {"epsilon": 1, "floor": 1, "cap": 6}, (3, [1, 2])),
    ("SmoothLaplaceLogNormal", {"rho": 1, "floor": 1, "cap": 6}, (3, [1, 2])),
    ("SmoothLaplace", {"epsilon": 1, "delta": 1e-6, "floor": 1, "cap": 6}, (3, [1, 2])),
    ("SmoothMedian", {"epsilon": 1, "lower": 0, "upper": 10}, ([1, 2, 3],)),
    ("ProposeTestRelease", {"bound": 1, "epsilon_test": 1, "epsilon_release": 1, "delta": 1e-6}, (3, 50)),
    (
        "PtrMedian",
        {"lower": 0, "upper": 10, "bound": 1, "epsilon_test": 1, "epsilon_release": 1, "delta": 1e-6},
        ([1, 2, 3],),
    ),
    ("StableMode", {"epsilon": 1, "delta": 1e-6}, ([1, 50],)),
    (
        "NoisyLocalBound",
        {"epsilon_bound": 1, "epsilon_answer": 1, "delta": 1e-6, "bound_sensitivity": 1, "bound_max": 9},
        (3, 2),
    ),
]


def example(name: str) -> tuple[Any, tuple[Any, ...]]:
    parameters, arguments = next((given, args) for found, given, args in EXAMPLES if found == name)
    return getattr(mechanisms, name)(**parameters), arguments


def radius(draws: int, events: int = 1) -> float:
    """A frequency is farther than this from its probability, for one of some events, at most once in 10⁹ (Hoeffding)."""
    return math.sqrt(math.log(2 * events / 1e-9) / (2 * draws))


# Names and cards


def test_every_card_has_a_class_or_a_reason() -> None:
    cards = {card.name for card in mechanisms.cards()}
    classes = {kind.card.name for name in mechanisms.__all__ if hasattr(kind := getattr(mechanisms, name), "card")}
    assert classes | set(WITHOUT_CLASS) == cards
    assert len(cards) == 37


def test_every_class_has_an_example_here() -> None:
    kinds = [getattr(mechanisms, name) for name in mechanisms.__all__]
    named = {kind.__name__ for kind in kinds if hasattr(kind, "card") and hasattr(kind, "release")}
    assert named == {name for name, _, _ in EXAMPLES}


@pytest.mark.parametrize("name", [name for name, _, _ in EXAMPLES])
def test_a_mechanism_says_what_it_promises(name: str) -> None:
    mechanism, arguments = example(name)
    kind = type(mechanism)
    assert mechanisms.get(name) is kind
    for line in (kind.card.guarantee, kind.card.source, "Neighbours", "no ledger"):
        assert line in kind.__doc__
    assert mechanism.loss.words in repr(mechanism)
    assert mechanism.loss.epsilon is not None or mechanism.loss.rho is not None
    assert all(str(guarantee) in mechanism.loss.words for guarantee in mechanism.loss.guarantees)
    mechanism.release(*arguments)


@pytest.mark.parametrize("name", [name for name, _, _ in EXAMPLES])
def test_a_mechanism_can_be_copied_and_sent_to_other_processes(name: str) -> None:
    mechanism, arguments = example(name)
    for again in (pickle.loads(pickle.dumps(mechanism)), copy.deepcopy(mechanism)):
        assert again == mechanism
        assert again.loss == mechanism.loss
        again.release(*arguments)


def test_names_are_found_in_any_case_of_letters() -> None:
    assert mechanisms.get("LAPLACE") is mechanisms.Laplace
    assert mechanisms.get("mean") is mechanisms.Mean
    assert mechanisms.get("meanofknowncount") is mechanisms.MeanOfKnownCount
    with pytest.raises(RequestError, match="telepathy"):
        mechanisms.get("telepathy")
    with pytest.raises(RequestError) as caught:
        mechanisms.get("median")
    assert "quantile" in str(caught.value.hint)
    assert mechanisms.cards("telepathy") == []


# Losses, exactly


def test_numbers_are_read_as_they_are_written() -> None:
    tenth = [mechanisms.Geometric(sensitivity_l1=1, epsilon=given) for given in (0.1, "0.1", "1/10", Decimal("0.1"))]
    assert {mechanism.loss.epsilon for mechanism in tenth} == {"0.1"}
    assert mechanisms.Geometric(sensitivity_l1=1, epsilon=Fraction(1, 3)).loss.epsilon == "1/3"
    assert mechanisms.Geometric(sensitivity_l1=3, epsilon="1/3").scale == 9


def test_losses_are_stated_in_every_currency_that_is_proven() -> None:
    exponential = mechanisms.Exponential(sensitivity=1, epsilon=0.5).loss
    assert (exponential.epsilon, exponential.delta, exponential.rho) == ("0.5", "0", "0.03125")
    assert [guarantee.kind for guarantee in exponential.guarantees] == ["bounded range"]
    gaussian = mechanisms.DiscreteGaussian(sensitivity_l2=1, rho="1/3").loss
    assert (gaussian.epsilon, gaussian.delta, gaussian.rho) == (None, "0", "1/3")
    earned = mechanisms.EarnedKeys(rho=0.1, delta=1e-9).loss
    assert (earned.epsilon, earned.delta, earned.rho) == (None, "0.000000001", "0.1")
    tested = mechanisms.ProposeTestRelease(bound=1, epsilon_test=1, epsilon_release=2, delta=1e-6).loss
    assert (tested.epsilon, tested.delta, tested.rho) == ("3", "0.000001", "2.5")


# Golden figures


@pytest.mark.parametrize(
    ("gamma", "epsilon"),
    [
        ("0.25", 1.09861228866810969139524523692),
        ("0.1", 0.405465108108164381978013115464),
        ("0.499", 6.9067547786485535185538313818),
    ],
)
def test_randomized_response_costs_the_logarithm_of_its_odds(gamma: str, epsilon: float) -> None:
    stated = mechanisms.RandomizedResponse(gamma=gamma).loss.epsilon
    assert stated is not None
    assert float(Fraction(stated)) == pytest.approx(epsilon, rel=1e-12)


def test_a_survey_is_estimated_without_bias() -> None:
    found = mechanisms.RandomizedResponse(gamma="0.25").estimate(reported_ones=60, n=100)
    assert (found.count, found.fraction) == (70, Fraction(7, 10))
    assert (found.variance_count, found.variance_fraction) == (75, Fraction(75, 10_000))


def test_the_variance_of_k_ary_response() -> None:
    response = mechanisms.KaryRandomizedResponse(epsilon=1, categories=4)
    assert float(response.variance_count(n=1000, frequency=0)) == pytest.approx(1598.06736888472410806623655793)
    assert float(response.variance_count(n=1000, frequency=0.3)) == pytest.approx(1947.253393006319962697237761)


@pytest.mark.parametrize(
    ("epsilon", "delta", "sensitivity", "analytic", "classical"),
    [
        (1, "1e-5", 1, 3.73063163481594183224982257504, 4.84480526260538942125864215759),
        (0.1, "1e-6", 1, 36.304690426195784938628643578, 52.9880252685047395131263490446),
        (5, "1e-5", 1, 0.891868264951518032494864276155, None),
    ],
)
def test_gaussian_noise_is_the_smallest_there_is(
    epsilon: float, delta: str, sensitivity: int, analytic: float, classical: float | None
) -> None:
    noise = mechanisms.Gaussian(sensitivity_l2=sensitivity, epsilon=epsilon, delta=delta)
    assert analytic <= float(noise.sigma) <= analytic * (1 + 1e-6)
    given: dict[str, Any] = {"sensitivity_l2": sensitivity, "epsilon": epsilon, "delta": delta, "classical": True}
    if classical is None:
        with pytest.raises(RequestError):
            mechanisms.Gaussian(**given)
    else:
        assert float(mechanisms.Gaussian(**given).sigma) == pytest.approx(classical, rel=1e-9)


@pytest.mark.parametrize(
    ("values", "upper", "beta", "local", "smooth"),
    [
        ([1, 2, 3, 4, 5], 6, "0.5", [1, 2, 3, 4, 5, 6], 1.21306131942526684720759906998),
        ([0, 0, 3, 6, 6], 6, "0.1", [3, 6, 6, 6, 6, 6], 5.42902450821575743898549435668),
        ([2, 2, 2, 2, 2], 5, "1", [0, 0, 3, 3, 3, 5], 0.406005849709838075681998484917),
    ],
)
def test_smooth_sensitivities_of_medians(
    values: list[int], upper: int, beta: str, local: list[int], smooth: float
) -> None:
    noise = mechanisms.SmoothStudentT(epsilon=20, beta=beta, floor="1e-6", cap=upper)
    assert float(noise.smooth_sensitivity(local)) == pytest.approx(smooth, rel=1e-6)
    asked = noise.smooth_sensitivity(lambda distance: local[distance] if distance < len(local) else upper)
    assert asked == noise.smooth_sensitivity(local)
    assert noise.error_bound(local_sensitivities=local) > 0
    # The median's own search finds the same, at its own smoothing.
    median = mechanisms.SmoothMedian(epsilon=2, lower=0, upper=upper)
    own = mechanisms.SmoothStudentT(epsilon=2, floor="1e-6", cap=upper)
    assert float(median.smooth_sensitivity(values)) == pytest.approx(float(own.smooth_sensitivity(local)), rel=1e-4)


@pytest.mark.parametrize(
    ("name", "movement", "probabilities"),
    [
        ("Exponential", "general", (0.186323723225847577, 0.307195885718498397, 0.506480391055654026)),
        ("Exponential", "monotone", (0.090030573170380458, 0.244728471054797652, 0.665240955774821890)),
        ("PermuteAndFlip", "general", (0.146751360560982856, 0.266076969831578407, 0.587171669607438737)),
    ],
)
def test_choices_have_their_law(name: str, movement: str, probabilities: tuple[float, ...]) -> None:
    """False alarm: at most 1e-9. Power: weights with half or twice the price are 0.07 away, beyond two radii of 0.024."""
    draws = 20_000
    mechanism = getattr(mechanisms, name)(sensitivity=1, movement=movement, epsilon=1)
    seen = np.bincount([mechanism.release([0, 1, 2]) for _ in range(draws)], minlength=3) / draws
    assert np.abs(seen - np.array(probabilities)).max() <= radius(draws, events=3)


def test_geometric_noise_has_its_law() -> None:
    """False alarm: at most 1e-9. Power: a scale wrong by 5 % moves P[0] by 0.02, eight radii."""
    draws = 2_000_000
    noise = mechanisms.Geometric(sensitivity_l1=1, epsilon=1).release(np.zeros(draws, dtype=np.int64))
    expected = {0: 0.462117157260009758, 1: 0.170003401568547920, -1: 0.170003401568547920, 3: 0.023007458502467039}
    for value, probability in expected.items():
        assert abs(float((noise == value).mean()) - probability) <= radius(draws, events=len(expected))


def test_randomized_response_tells_the_truth_as_often_as_it_says() -> None:
    """False alarm: at most 1e-9. Power: the truth half of the time is 0.23 away."""
    draws = 500_000
    reports = mechanisms.RandomizedResponse(epsilon=1).release(np.ones(draws, dtype=bool))
    assert abs(float(reports.mean()) - 0.731058578630004879) <= radius(draws)


# What is computed before the noise


def test_a_count_bounds_each_person() -> None:
    count = mechanisms.Count(max_contributions=3, epsilon=3 * CERTAIN)
    assert count.release([1, 2, 50]) == 6
    assert count.release(np.array([0, 0])) == 0
    assert count.release_bounded(-7) == -7


def test_a_sum_clamps_rows_and_people() -> None:
    total = mechanisms.BoundedSum(lower=-5, upper=10, max_contributions=2, epsilon=20 * CERTAIN)
    assert total.release([3, 4.4, 100]) == 3 + 4 + 10
    assert total.release([[10, 10, 10], [-5, -5, -5], [1]]) == 20 - 10 + 1
    assert total.release([]) == 0
    assert total.release(np.array([[1, 2, 3], [4, 5, 6]])) == 6 + 15
    assert total.release(["1/2", Fraction(3), Decimal("2.0")]) == 1 + 3 + 2
    assert total.release([float("inf"), float("-inf")]) == 10 - 5
    lower = mechanisms.BoundedSum(lower=5, upper=10, origin="lower", epsilon=5 * CERTAIN)
    assert lower.release([5, 6, 7]) == 3
    halves = mechanisms.BoundedSum(lower=0, upper=1, step=0.5, origin="centre", epsilon=2 * CERTAIN)
    assert halves.release([1, 1, 0]) == Fraction(1, 2)


def test_means_and_variances_follow_from_what_was_released() -> None:
    values = [10, 20, 30, 40]
    mean = mechanisms.Mean(lower=0, upper=100, epsilon=400 * CERTAIN).release(values)
    assert (mean.mean, mean.count, float(mean)) == (25, 4, 25.0)
    assert mean.interval() == (25, 25)
    variance = mechanisms.Variance(lower=0, upper=100, epsilon=900_000).release(values)
    # The squares move by up to 100² half steps: their noise at a third of the price has scale 1/30.
    assert (variance.count, variance.population) == (4, 125)
    assert variance.sample == Fraction(500, 3)
    assert float(variance.standard_deviation) == pytest.approx(math.sqrt(125))
    assert variance.interval()[0] <= 125 <= variance.interval()[1]
    known = mechanisms.MeanOfKnownCount(lower=0, upper=100, count=4, epsilon=100 * CERTAIN)
    assert known.release(values) == 25
    with pytest.raises(RequestError, match="4 rows"):
        known.release([1, 2])


def test_a_histogram_has_every_key_and_no_other() -> None:
    histogram = mechanisms.Histogram(keys=["b", "a", 3], max_groups=2, max_contributions=2, epsilon=4 * CERTAIN)
    assert histogram.release([["a", "a", "a"], ["b"], [3, "c"], "d".split()]) == {"b": 1, "a": 2, 3: 1}
    assert list(histogram.release([])) == ["b", "a", 3]
    assert histogram.release_bounded([4, 5, -6]) == {"b": 4, "a": 5, 3: -6}
    groups = histogram.release([["a", "b", 3]] * 100)
    assert sum(groups.values()) == 200
    with pytest.raises(RequestError, match="twice"):
        mechanisms.Histogram(keys=("a", "a"), epsilon=1)
    with pytest.raises(RequestError):
        histogram.release_bounded([1, 2])


def test_private_keys_come_in_their_own_order() -> None:
    people = ["zebra"] * 300 + ["ant"] * 400 + ["rare"]
    stability = mechanisms.StabilityHistogram(epsilon=5, delta=1e-12)
    assert list(stability.release(people)) == ["ant", "zebra"]
    assert list(stability.release_bounded({"zebra": 300, "ant": 400, "none": 0})) == ["ant", "zebra"]
    selection = mechanisms.PartitionSelection(epsilon=5, delta=1e-12)
    assert selection.release(people) == ["ant", "zebra"]
    assert selection.release_bounded({9: 500, 2: 500}) == [2, 9]
    earned = mechanisms.EarnedKeys(rho=5, delta=1e-12)
    assert list(earned.release({"zebra": 300, "ant": 400, "rare": 1})) == ["ant", "zebra"]
    with pytest.raises(RequestError, match="one type"):
        selection.release(["a", 1])


def test_partition_selection_is_the_published_rule() -> None:
    """π(n) = min(e^ε·π(n−1) + δ, 1 − e^−ε·(1 − π(n−1) − δ), 1), from zero: certain at 23 people for ε = 1, δ = 1e-5."""
    keys = mechanisms.PartitionSelection(epsilon=1, delta=1e-5)
    kept = 0.0
    for people in range(30):
        assert keys.keep_probability(people) == pytest.approx(kept, rel=1e-9)
        kept = min(math.e * kept + 1e-5, 1 - math.exp(-1) * (1 - kept - 1e-5), 1.0)
    assert keys.keep_probability(22) < 1.0 == keys.keep_probability(23)
    assert keys.keep_probability(keys.people_needed()) >= 0.95 > keys.keep_probability(keys.people_needed() - 1)


def test_quantiles_lie_where_the_rows_do() -> None:
    rows = np.arange(0, 1_001)
    given: dict[str, Any] = {"lower": 0, "upper": 1_000, "epsilon": 10 * CERTAIN}
    # A point ten rows off is e^-10000 as likely.
    assert abs(mechanisms.Quantile(q=0.5, **given).release(rows) - 500) < 10
    low, high = mechanisms.Quantiles(quantiles=[0.25, "3/4"], **given).release(rows.tolist())
    assert abs(low - 250) < 10 and abs(high - 750) < 10
    assert abs(mechanisms.WeightedQuantile(rank=0.5, **given).release(rows) - 500) < 10
    least = mechanisms.WeightedQuantile(rank="least", **given)
    assert least.from_end == 1 and least.release(rows) <= 10
    histogram = mechanisms.QuantileHistogram(bins=100, **given).release(rows)
    assert sum(histogram.counts) == 1_001
    assert abs(histogram.quantile(0.5) - 500) <= 10
    assert abs(mechanisms.ContinuousMedian(step=1, **given).release(rows) - 500) < 10


def test_people_with_many_rows_weigh_as_much_as_they_may() -> None:
    median = mechanisms.WeightedQuantile(lower=0, upper=100, rank=0.5, rows_max=1, epsilon=10_000)
    # One person with 99 rows of 100 weighs as one; three people have a row of 10 each.
    assert median.release([[100] * 99, [10], [10], [10]]) == 10


def test_laplace_answers_are_multiples_of_the_step() -> None:
    laplace = mechanisms.Laplace(sensitivity_l1=1, epsilon=1, step="1/3")
    assert all((laplace.release("0.1") * 3).denominator == 1 for _ in range(20))
    exact = mechanisms.Laplace(sensitivity_l1="0.25", epsilon=CERTAIN, step="0.25")
    assert exact.release(0.3) == Fraction(1, 4)
    released = exact.release([0.3, 0.9, -1.1])
    assert released.dtype == np.float64 and released.tolist() == [0.25, 1.0, -1.0]
    assert exact.release([Fraction(3, 10), Decimal("0.9")]).tolist() == [0.25, 1.0]


def test_arrays_keep_their_shape_and_integers_their_size() -> None:
    noise = mechanisms.Geometric(sensitivity_l1=1, epsilon=CERTAIN)
    assert noise.release(2**100) == 2**100
    grid = noise.release(np.arange(6, dtype=np.uint8).reshape(2, 3))
    assert grid.dtype == np.int64 and grid.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert noise.release(np.int32(7)) == 7
    assert noise.release([]).shape == (0,)
    assert noise.release(iter([1, 2])).tolist() == [1, 2]
    ends = noise.release(np.array([2**63 - 1, -(2**63)]))
    assert ends.tolist() == [2**63 - 1, -(2**63)]


def test_frames_are_data_too() -> None:
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    total = mechanisms.BoundedSum(lower=0, upper=10, epsilon=10 * CERTAIN)
    assert total.release(pandas.Series([1, 2, 3])) == 6
    assert total.release(polars.Series([1.0, 2.0, 3.0])) == 6
    histogram = mechanisms.Histogram(keys=("a", "b"), epsilon=CERTAIN)
    assert histogram.release(pandas.Series(["a", "b", "a"])) == {"a": 2, "b": 1}
    assert histogram.release(polars.Series(["a", "b", "a"])) == {"a": 2, "b": 1}
    with pytest.raises(RequestError, match="number"):
        total.release(pandas.Series([1, None], dtype="Int64"))


# Sessions and refusals


def test_a_session_ends_when_what_was_paid_for_is_given() -> None:
    mechanism = mechanisms.AboveThreshold(sensitivity=1, tops_max=2, epsilon=1)
    session = mechanism.start()
    assert session.tops_left == 2
    assert session.ask(100_000, 0) and session.ask(100_000, 0)
    assert session.tops_left == 0
    with pytest.raises(RequestError, match="paid for"):
        session.ask(0, 100)
    with pytest.raises(TypeError, match="copied"):
        copy.copy(mechanism.start())
    with pytest.raises(TypeError, match="copied"):
        pickle.dumps(mechanism.start())
    assert mechanism.release([100_000] * 5, threshold=0) == [True, True]
    values = mechanisms.NumericSparse(sensitivity=1, epsilon=CERTAIN).release([1, 2, 10_000, 4], threshold=5_000)
    assert values == [None, None, 10_000]


def test_refusals_are_nothing() -> None:
    median = mechanisms.PtrMedian(
        lower=0, upper=1_000, bound=1, epsilon_test=1, epsilon_release=CERTAIN, delta=1e-12
    )
    # 500 equal values are 250 replacements from instability; the noise of the test has scale 1.
    assert median.release([70] * 500) == 70
    assert median.release([0, 1_000]) is None
    mode = mechanisms.StableMode(epsilon=1, delta=1e-12)
    assert mode.release([10, 500]) == 1
    assert mode.release([500, 500]) is None


def test_a_function_that_fails_releases_nothing() -> None:
    noise = mechanisms.SmoothStudentT(epsilon=1, floor=1, cap=10)

    def fails(distance: int) -> int:
        raise LookupError(f"distance {distance}")

    with pytest.raises(LookupError, match="distance 0"):
        noise.release(5, fails)
    with pytest.raises(LookupError):
        noise.smooth_sensitivity(fails)
    with pytest.raises(RequestError):
        noise.release(5, lambda distance: float("nan"))


# Hostile arguments

NAN = float("nan")
HOSTILE: list[tuple[str, dict[str, Any]]] = [
    ("RandomizedResponse", {}),
    ("RandomizedResponse", {"epsilon": 1, "gamma": 0.25}),
    ("RandomizedResponse", {"gamma": 0.5}),
    ("KaryRandomizedResponse", {"epsilon": 1, "categories": 1}),
    ("KaryRandomizedResponse", {"epsilon": 1, "categories": -1}),
    ("KaryRandomizedResponse", {"epsilon": 1, "categories": 2**64}),
    ("Geometric", {"sensitivity_l1": 1, "epsilon": 0}),
    ("Geometric", {"sensitivity_l1": 1, "epsilon": -1}),
    ("Geometric", {"sensitivity_l1": 1, "epsilon": NAN}),
    ("Geometric", {"sensitivity_l1": 1, "epsilon": float("inf")}),
    ("Geometric", {"sensitivity_l1": 1, "epsilon": "one"}),
    ("Geometric", {"sensitivity_l1": 1, "epsilon": None}),
    ("Geometric", {"sensitivity_l1": 1, "epsilon": True}),
    ("Geometric", {"sensitivity_l1": 1, "epsilon": [1]}),
    ("Geometric", {"sensitivity_l1": 1, "epsilon": 1j}),
    ("Geometric", {"sensitivity_l1": "1e300", "epsilon": "1e-9"}),
    ("Geometric", {"sensitivity_l1": 0.5, "epsilon": 1}),
    ("Geometric", {"sensitivity_l1": "1" * 200, "epsilon": 1}),
    ("Laplace", {"sensitivity_l1": 1, "epsilon": 1, "step": 0}),
    ("Laplace", {"sensitivity_l1": 1, "epsilon": 1, "step": "1e-400"}),
    ("Laplace", {"sensitivity_l1": 1, "epsilon": 1, "step": 1, "coordinates_per_unit_max": -1}),
    ("Gaussian", {"sensitivity_l2": 1, "epsilon": 1}),
    ("Gaussian", {"sensitivity_l2": 1, "epsilon": 1, "delta": 0}),
    ("Gaussian", {"sensitivity_l2": 1, "epsilon": 1, "delta": 1}),
    ("Gaussian", {"sensitivity_l2": 1, "rho": 1, "classical": True}),
    ("DiscreteGaussian", {"sensitivity_l2": 1}),
    ("DiscreteGaussian", {"sensitivity_l2": 1, "variance": 0}),
    ("Count", {}),
    ("Count", {"epsilon": 1, "rho": 1}),
    ("Count", {"max_contributions": 0, "epsilon": 1}),
    ("Count", {"max_contributions": 1.5, "epsilon": 1}),
    ("BoundedSum", {"lower": 1, "upper": 1, "epsilon": 1}),
    ("BoundedSum", {"lower": 0, "upper": 1, "step": 2, "epsilon": 1}),
    ("BoundedSum", {"lower": 0, "upper": "1e300", "epsilon": 1}),
    ("BoundedSum", {"lower": 0, "upper": 1, "step": "1e-300", "epsilon": 1}),
    ("BoundedSum", {"lower": 0, "upper": 1, "origin": "middle", "epsilon": 1}),
    ("BoundedSum", {"lower": 0, "upper": 1, "neighbours": "everybody", "epsilon": 1}),
    ("BoundedSum", {"lower": 0, "upper": 1, "max_contributions": 2**64, "epsilon": 1}),
    ("Mean", {"lower": 0, "upper": 1, "sum_to_count": (0, 1), "epsilon": 1}),
    ("Mean", {"lower": 0, "upper": 1, "sum_to_count": (1, 2, 3), "epsilon": 1}),
    ("MeanOfKnownCount", {"lower": 0, "upper": 1, "count": 0, "epsilon": 1}),
    ("Variance", {"lower": 0, "upper": 2**62, "epsilon": 1}),
    ("Histogram", {"keys": (), "epsilon": 1}),
    ("Histogram", {"keys": "abc", "epsilon": 1}),
    ("Histogram", {"keys": [[1]], "epsilon": 1}),
    ("Histogram", {"keys": ("a",), "max_groups": 0, "epsilon": 1}),
    ("StabilityHistogram", {"epsilon": 1, "delta": 0}),
    ("PartitionSelection", {"epsilon": 1, "delta": 0}),
    ("PartitionSelection", {"max_groups": 2**64 - 1, "epsilon": "1e-6", "delta": 1e-6}),
    ("EarnedKeys", {"groups_max": 0, "rho": 1, "delta": 1e-6}),
    ("Quantile", {"lower": 0, "upper": 1, "q": 1.5, "epsilon": 1}),
    ("Quantile", {"lower": 0, "upper": 1, "q": "1/99999999999", "epsilon": 1}),
    ("Quantiles", {"lower": 0, "upper": 1, "quantiles": (), "epsilon": 1}),
    ("Quantiles", {"lower": 0, "upper": 1, "quantiles": (0.5, 0.25), "epsilon": 1}),
    ("Quantiles", {"lower": 0, "upper": 1, "quantiles": 0.5, "epsilon": 1}),
    ("QuantileHistogram", {"lower": 0, "upper": 10, "bins": 0, "epsilon": 1}),
    ("QuantileHistogram", {"lower": 0, "upper": 10, "bins": 100, "epsilon": 1}),
    ("QuantileHistogram", {"lower": 0, "upper": 2**60, "bins": 2**32 - 1, "epsilon": 1}),
    ("WeightedQuantile", {"lower": 0, "upper": 10, "rank": "middle", "epsilon": 1}),
    ("WeightedQuantile", {"lower": 0, "upper": 2**40, "rank": 0.5, "epsilon": 1}),
    ("Exponential", {"sensitivity": 0, "epsilon": 1}),
    ("Exponential", {"sensitivity": 1, "movement": "sideways", "epsilon": 1}),
    ("ExponentialOnLine", {"lower": 0, "upper": 1, "step": "0.3", "sensitivity": 1, "epsilon": 1}),
    ("TopK", {"k": 0, "sensitivity": 1, "epsilon": 1}),
    ("TopK", {"k": 2**63, "sensitivity": 1, "epsilon": "1e-6"}),
    ("Pricing", {"prices": (), "epsilon": 1}),
    ("Pricing", {"prices": (1, 0), "epsilon": 1}),
    ("Pricing", {"prices": 3, "epsilon": 1}),
    ("AboveThreshold", {"sensitivity": 1, "tops_max": 0, "epsilon": 1}),
    ("AboveThreshold", {"sensitivity": 1, "tops_max": 2**32, "epsilon": 1}),
    ("SmoothStudentT", {"epsilon": 1, "beta": 5, "floor": 1, "cap": 2}),
    ("SmoothStudentT", {"epsilon": 1, "degrees": 0, "floor": 1, "cap": 2}),
    ("SmoothStudentT", {"epsilon": 1, "floor": 0, "cap": 2}),
    ("SmoothStudentT", {"epsilon": 1, "floor": 3, "cap": 2}),
    ("SmoothStudentT", {"epsilon": 1, "floor": "1e-300", "cap": "1e300"}),
    ("SmoothPowerTailedLaplace", {"epsilon": 1, "power": 10**9, "floor": 1, "cap": 2}),
    ("SmoothLaplace", {"epsilon": 1, "delta": 0, "floor": 1, "cap": 2}),
    ("SmoothMedian", {"epsilon": 1, "lower": 5, "upper": 5}),
    ("SmoothMedian", {"epsilon": 1, "lower": 0, "upper": 2**64}),
    ("PtrMedian", {"lower": 0, "upper": 9, "bound": 9, "epsilon_test": 1, "epsilon_release": 1, "delta": 1e-6}),
    ("StableMode", {"epsilon": 1, "delta": 0}),
    (
        "NoisyLocalBound",
        {"epsilon_bound": 1, "epsilon_answer": 1, "delta": 0, "bound_sensitivity": 1, "bound_max": 1},
    ),
]


@pytest.mark.parametrize(("name", "parameters"), HOSTILE)
def test_parameters_that_make_no_sense_are_refused(name: str, parameters: dict[str, Any]) -> None:
    with pytest.raises((PointillistError, TypeError, OverflowError, ValueError)):
        getattr(mechanisms, name)(**parameters)


RELEASES: list[tuple[str, tuple[Any, ...]]] = [
    ("RandomizedResponse", (1,)),
    ("RandomizedResponse", ([0, 1],)),
    ("KaryRandomizedResponse", (4,)),
    ("KaryRandomizedResponse", (-1,)),
    ("KaryRandomizedResponse", ([0, 9],)),
    ("KaryRandomizedResponse", ([0, -9],)),
    ("Geometric", (1.5,)),
    ("Geometric", ([1.5],)),
    ("Geometric", ("5",)),
    ("Geometric", (None,)),
    ("Geometric", (2**200,)),
    ("Geometric", (np.array([2**64 - 1], dtype=np.uint64),)),
    ("Geometric", ([[1], [2, 3]],)),
    ("Laplace", (NAN,)),
    ("Laplace", ([NAN],)),
    ("Laplace", ([float("inf")],)),
    ("Laplace", (["one"],)),
    ("Count", ([-1],)),
    ("Count", (5,)),
    ("BoundedSum", ([NAN],)),
    ("BoundedSum", ([1, [2]],)),
    ("BoundedSum", ("123",)),
    ("BoundedSum", (np.zeros((2, 2, 2)),)),
    ("BoundedSum", ([None],)),
    ("Mean", ([1j],)),
    ("MeanOfKnownCount", ([1],)),
    ("Histogram", (5,)),
    ("Histogram", ([{}],)),
    ("EarnedKeys", ([1],)),
    ("EarnedKeys", ({"a": -1},)),
    ("EarnedKeys", ({"a": 1.5},)),
    ("Exponential", ([],)),
    ("Exponential", ([NAN],)),
    ("ExponentialOnLine", ([2, 1], [0, 0, 0])),
    ("ExponentialOnLine", ([1], [0])),
    ("NoisyMax", ([],)),
    ("NoisyMax", ([1.5],)),
    ("TopK", ([1],)),
    ("Tuning", ([],)),
    ("Tuning", ([-1],)),
    ("AboveThreshold", ([2**63], 0)),
    ("AboveThreshold", ([1.5], 0)),
    ("SmoothStudentT", (2**200, [1])),
    ("SmoothStudentT", (1, "12")),
    ("SmoothStudentT", (1, [None])),
    ("SmoothMedian", ([],)),
    ("SmoothMedian", ([0.5],)),
    ("ProposeTestRelease", (1, -1)),
    ("PtrMedian", ([],)),
    ("StableMode", ([],)),
    ("NoisyLocalBound", (1, -1)),
]


@pytest.mark.parametrize(("name", "arguments"), RELEASES)
def test_data_that_make_no_sense_are_refused(name: str, arguments: tuple[Any, ...]) -> None:
    mechanism, _ = example(name)
    with pytest.raises((PointillistError, TypeError, OverflowError)):
        mechanism.release(*arguments)


@pytest.mark.parametrize("beta", [0, 1, -1, NAN, "often", None])
def test_a_failure_probability_lies_between_zero_and_one(beta: Any) -> None:
    with pytest.raises(PointillistError):
        mechanisms.Geometric(sensitivity_l1=1, epsilon=1).error_bound(beta)


def test_error_bounds_hold_for_many_answers_at_once() -> None:
    noise = mechanisms.Geometric(sensitivity_l1=1, epsilon=1)
    # P[|X| ≥ m] = 2·a^m/(1 + a), a = 1/e: 0.0727 at 3 and 0.0268 at 4.
    assert noise.error_bound(0.05) == 4
    assert noise.error_bound(0.05, count=100) == 8
    assert mechanisms.Exponential(sensitivity=1, epsilon=1).error_bound(candidates=20) == pytest.approx(
        2 * math.log(20 / 0.05)
    )
