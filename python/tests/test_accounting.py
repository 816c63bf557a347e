"""Calculators: figures from independent closed forms, both sides of every bound, and requests that are none."""

from __future__ import annotations

import math
import pickle
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from pointillist import accounting
from pointillist.accounting import (
    Approximate,
    DiscreteGaussian,
    DiscreteLaplace,
    Exponential,
    Gaussian,
    Laplace,
    Pure,
    RandomizedResponse,
    Zcdp,
)
from pointillist.errors import PointillistError, RequestError

# ε of a list at a δ, from closed forms evaluated with 40 digits and more; sampled Gaussians by Fourier inversion.
EPSILONS: list[tuple[Any, str, str]] = [
    (Gaussian(1), "1e-5", "4.37717809568122462765011629324"),
    (Gaussian(10, count=100), "1e-6", "4.88655411746221199637049944247"),
    (Gaussian(100, count=1_000_000), "1e-9", "109.195596881806324798974380759"),
    (Gaussian(5, count=40), "1e-15", "10.5292162980219733488578388921"),
    (Laplace(10, count=10), "1e-6", "0.998978089447219838680863709716"),
    (Laplace(10, count=60), "1e-6", "3.47575990179774674539261444095"),
    (RandomizedResponse("0.1", count=100), "1e-6", "4.77456758810798615328594816747"),
    ([Laplace(2), Gaussian(1)], "1e-5", "4.737366084905080613336746"),
    ([Laplace(10), Gaussian(4)], "1e-6", "1.124405094091427353170317"),
    (Pure("0.1", count=100), "1e-6", "4.77456758810798615328594816747"),
    (Approximate("0.1", "1e-9", count=100), "1e-6", "4.78772376081163177077292657783"),
    (Gaussian(1, sampling_rate="0.01", count=1000), "1e-5", "1.828236666"),
]

# δ at an ε, likewise.
DELTAS: list[tuple[Any, str, str]] = [
    (Gaussian(1), "1", "0.126936737506643945800829624758"),
    (Gaussian(10, count=100), "5", "0.000000579372169191949410420681779022"),
    (Laplace(1), "0.5", "0.221199216928595131754829733022"),
    (Laplace(5, count=8), "0.6", "0.0513619127741382690399271458682"),
    (RandomizedResponse("0.2", count=50), "1", "0.288097646936866281954615476236"),
    (RandomizedResponse(1, categories=3, count=20), "6.5", "0.493838738000801947111882302586"),
    ([Laplace(2), Gaussian(1)], "2", "0.03546968009188960944207686"),
    ([Laplace(4, count=2), Gaussian(3)], "0.5", "0.04513945908325486500616947"),
    (Gaussian(1, sampling_rate="0.01"), "0.5", "0.00000022145190131530613231609543681"),
    (Pure("0.1", count=10), "0.4", "0.016080131993212995478942870773"),
]


@pytest.mark.parametrize(("mechanisms", "delta", "truth"), EPSILONS)
def test_epsilon_is_bounded_from_both_sides(mechanisms: Any, delta: str, truth: str) -> None:
    lower, upper = accounting.epsilon(mechanisms, delta)
    # The truth of sampled Gaussians is known to nine digits.
    exact, slack = Decimal(truth), Decimal("1e-8") if len(truth) < 15 else Decimal(0)
    assert Decimal(lower) <= exact + slack and exact - slack <= Decimal(upper)
    assert upper <= float(truth) * 1.01 + 1e-6


@pytest.mark.parametrize(("mechanisms", "epsilon", "truth"), DELTAS)
def test_delta_is_bounded_from_both_sides(mechanisms: Any, epsilon: str, truth: str) -> None:
    lower, upper = accounting.delta(mechanisms, epsilon)
    assert Decimal(lower) <= Decimal(truth) <= Decimal(upper)
    assert upper <= float(truth) * 1.01 + 1e-12


@pytest.mark.parametrize(
    "mechanisms",
    [
        Laplace("100/3", count=1000),
        Gaussian(50, count=10_000),
        DiscreteGaussian(20, count=400),
        DiscreteLaplace(30, sensitivity=2, count=100),
        [Laplace(10, count=60), Gaussian(4, count=3)],
    ],
)
def test_delta_at_an_epsilon_is_the_inverse_of_epsilon_at_a_delta(mechanisms: Any) -> None:
    lower, upper = accounting.epsilon(mechanisms, "1e-6")
    assert accounting.delta(mechanisms, upper).lower <= 1e-6 <= accounting.delta(mechanisms, lower).upper
    found = accounting.delta(mechanisms, upper)
    assert 0 < found.lower <= found.upper <= 1.05 * found.lower


def test_lists_without_a_worst_pair_have_a_delta_from_above() -> None:
    found = accounting.delta(Zcdp("0.1"), "1")
    assert found.lower == 0 and 0.00893324577181836 <= found.upper <= 0.00893324577181837 * (1 + 1e-6)
    mixed = accounting.delta([Zcdp("0.1"), Gaussian(1, sampling_rate="0.01", count=100)], 6)
    assert 0 < mixed.upper < 1e-3
    # Seven tenths hold seven times one tenth.
    assert accounting.delta(Laplace(10, count=7), "0.7") == (0.0, 0.0)
    # An exponential mechanism is not its worst pair.
    assert accounting.delta(Exponential("0.2", count=100), 5).lower == 0
    # Where nothing is known, δ is one.
    assert accounting.delta(Zcdp(1000), "0.001").upper == 1


def test_every_accountant_speaks_or_says_why_not() -> None:
    found = accounting.compose(
        [Gaussian(50, count=100), Laplace(scale=100), {"mechanism": "zcdp", "rho": "0.01"}], delta="1e-6"
    )
    names = {account.accountant for account in found.results} | set(found.not_applicable)
    assert names == {"pld", "gaussian", "renyi", "zcdp", "optimal", "advanced", "basic"}
    assert found.epsilon == min(account.epsilon for account in found.results)
    assert found.best in {account.accountant for account in found.results}
    assert "worst pair" in found.not_applicable["pld"] and "→" in str(found)
    basic = accounting.compose([Approximate(0.5, 1e-6), Approximate(0.25, 1e-7), Pure(1)], delta="1.1e-6")
    assert [account.epsilon for account in basic.results if account.accountant == "basic"] == [1.75]


def test_one_mechanism_a_list_a_generator_and_mappings_are_the_same() -> None:
    one = accounting.compose(Gaussian(2, count=3))
    assert one == accounting.compose([Gaussian(2, count=3)])
    assert one == accounting.compose(Gaussian(sigma, count=3) for sigma in (2,))
    for entry in ({"mechanism": "gaussian", "sigma": 2, "count": 3}, {"mechanism": "gaussian", "sigma": "2", "count": "3"}):
        assert accounting.compose(entry).results == one.results
    assert pickle.loads(pickle.dumps(one)) == one
    # One tenth is one tenth, however it is written.
    tenths: list[Any] = [0.1, "0.1", "1/10", Fraction(1, 10), Decimal("0.1")]
    assert len({accounting.compose(Pure(tenth, count=7), delta=0).epsilon for tenth in tenths}) == 1


def test_pictures_are_svg(tmp_path: Path) -> None:
    found = accounting.compose(Gaussian(50, count=10))
    for plot in (found.plot(), found.plot_uses()):
        assert plot._repr_svg_().startswith("<svg") and str(plot) == plot._repr_svg_()
        plot.save(tmp_path / "profile.svg")
        assert (tmp_path / "profile.svg").read_text(encoding="utf-8") == plot._repr_svg_()


# The smallest σ for (ε, δ) and sensitivity 1, with 35 digits.
SIGMAS = [("1", "1e-5", "3.73063163481594183224982257504"), ("0.1", "1e-6", "36.304690426195784938628643578")]


@pytest.mark.parametrize(("epsilon", "delta", "truth"), SIGMAS)
def test_gaussian_noise_is_the_smallest_there_is(epsilon: str, delta: str, truth: str) -> None:
    found = accounting.calibrate("gaussian", epsilon=epsilon, delta=delta)
    assert found.sigma is not None and found.scale is None
    assert Decimal(truth) <= found.sigma <= Decimal(truth) * Decimal("1.000001")
    assert found.delta_reached is not None and found.delta_reached <= Decimal(delta)
    # What was calibrated keeps its promise, as another function says.
    assert accounting.delta(Gaussian(found.sigma), epsilon).lower <= float(delta)
    wide = accounting.calibrate("gaussian", epsilon=epsilon, delta=delta, sensitivity=3, count=4)
    assert wide.sigma is not None and abs(wide.sigma / found.sigma - 6) < Decimal("1e-6")


def test_other_noise_is_calibrated() -> None:
    assert str(accounting.calibrate("laplace", epsilon="0.3").scale) == "3.3333333333333334"
    response = accounting.calibrate("randomized_response", epsilon=1)
    assert response.gamma is not None and abs(float(response.gamma) - 0.231058578630004879) < 1e-15
    assert response.lie_probability is not None and response.lie_probability >= Decimal("0.268941421369995120")
    assert accounting.calibrate("discrete-laplace", epsilon=1, count=2).mechanism == "discrete_laplace"
    by_rho = accounting.calibrate("discrete_gaussian", rho="0.5", sensitivity=2)
    assert by_rho.sigma == 2 and by_rho.target == {"rho": "0.5"}


def test_conversions_are_those_of_the_theorems() -> None:
    tight = accounting.convert(rho="0.1", delta="1e-6")
    assert tight.epsilon is not None and tight.epsilon_classical is not None
    truth = Decimal("2.14193892838547366139748650757")
    assert truth <= tight.epsilon <= truth * (1 + Decimal("1e-6"))
    assert abs(float(tight.epsilon_classical) - 2.45078800047679962) < 1e-12
    pure = accounting.convert(epsilon=1)
    assert pure.rho is not None and pure.rho >= Decimal("0.462117157260009758502318483644")
    assert pure.rho_customary == Decimal("0.5")
    at_epsilon = accounting.convert(rho="0.1", epsilon=1)
    assert at_epsilon.delta is not None and at_epsilon.delta >= Decimal("0.00893324577181836182999865936667")
    # A budget's ρ is rounded down: converted back it fits.
    budget = accounting.convert(epsilon=1, delta="1e-6")
    assert budget.rho is not None and budget.release is not None
    back = accounting.convert(rho=budget.rho, delta="1e-6")
    assert back.epsilon is not None and back.epsilon <= 1
    assert accounting.convert(mu=1).rho == Decimal("0.5")
    assert accounting.convert(eta="0.4").rho == Decimal("0.02")


def test_amplification_groups_and_filters() -> None:
    sampled = accounting.amplify(epsilon=1, delta="1e-6", sampling_rate="0.01")
    assert Decimal("0.0170368632361765497863852527635") <= sampled.epsilon < Decimal("0.01703686323618")
    assert sampled.delta == Decimal("1e-8")
    before = accounting.amplify(epsilon=sampled.epsilon, delta="1e-8", sampling_rate="0.01", inverse=True)
    assert before.inverse and abs(before.epsilon - 1) < Decimal("1e-12")
    shuffled = accounting.amplify(epsilon=1, delta="1e-6", shuffle=100_000)
    assert shuffled.epsilon < Decimal("0.1") and shuffled.reports == 100_000
    three = accounting.group(epsilon="0.5", delta="1e-6", size=3)
    assert three.epsilon == Decimal("1.5") and three.delta is not None
    assert Decimal("0.00000536700309915917338") <= three.delta < Decimal("0.000005367003099160")
    assert accounting.group(rho="0.01", size=10).rho == 1
    ten = accounting.filter(budget_epsilon=1, epsilon="0.1", asked=4)
    assert ten.how_many_more == 6 and ten.best == "basic"


def test_what_is_wrong_is_said_with_a_hint() -> None:
    wrong: list[Any] = [
        lambda: accounting.compose([]),
        lambda: accounting.compose("gaussian"),  # type: ignore[arg-type]
        lambda: accounting.compose(Gaussian(1), delta=0),
        lambda: accounting.compose(Gaussian(1), delta=1),
        lambda: accounting.compose(Gaussian(1), delta=-1),
        lambda: accounting.compose(Gaussian(1), delta=math.nan),
        lambda: accounting.compose(Gaussian(0)),
        lambda: accounting.compose(Gaussian(-1)),
        lambda: accounting.compose(Gaussian(math.inf)),
        lambda: accounting.compose(Gaussian(1, count=0)),
        lambda: accounting.compose(Gaussian(1, count=-1)),
        lambda: accounting.compose(Gaussian(1, count=10**30)),
        lambda: accounting.compose(Gaussian(1, count=1.5)),  # type: ignore[arg-type]
        lambda: accounting.compose(Gaussian(1, sampling_rate=2)),
        lambda: accounting.compose(DiscreteGaussian(1, sensitivity=2**40)),
        lambda: accounting.compose({"mechanism": "gaussian", "sigma": 1, "sampling": 0.1}),
        lambda: accounting.compose({"mechanism": "magic"}),
        lambda: accounting.compose({"sigma": 1}),
        lambda: accounting.compose([None]),  # type: ignore[list-item]
        lambda: accounting.compose(7),  # type: ignore[arg-type]
        lambda: accounting.compose({1: object()}),  # type: ignore[arg-type]
        lambda: accounting.delta(Gaussian(1), 0),
        lambda: accounting.delta(Gaussian(1), -1),
        lambda: accounting.delta([], 1),
        lambda: accounting.calibrate("gaussian", epsilon=1),
        lambda: accounting.calibrate("gaussian"),
        lambda: accounting.calibrate("gaussian", epsilon=1, delta=1e-6, rho=1),
        lambda: accounting.calibrate("gaussian", epsilon=1, delta=1e-6, count=0),
        lambda: accounting.calibrate("gaussian", epsilon=1, delta=1e-6, count=-1),
        lambda: accounting.calibrate("gaussian", epsilon=1, delta=1e-6, sensitivity=0),
        lambda: accounting.calibrate("staircase", epsilon=1),
        lambda: accounting.calibrate("randomized_response", epsilon=1, sensitivity=1),
        lambda: accounting.convert(),
        lambda: accounting.convert(rho=1),
        lambda: accounting.convert(rho=1, mu=1, delta=1e-6),
        lambda: accounting.convert(mu="nan"),
        lambda: accounting.amplify(epsilon=1),
        lambda: accounting.amplify(epsilon=1, delta=1e-6, shuffle=10**18),
        lambda: accounting.amplify(epsilon=1, delta=1e-6, shuffle=0, sampling_rate=0.1),
        lambda: accounting.group(epsilon=1, size=0),
        lambda: accounting.group(size=3),
        lambda: accounting.group(epsilon=1, rho=1, size=3),
        lambda: accounting.filter(epsilon=1),
        lambda: accounting.filter(budget_epsilon=1),
        lambda: accounting.filter(budget_epsilon=1, rho=1),
        lambda: accounting.filter(budget_epsilon=1, epsilon=1, asked=-1),
    ]
    for index, ask in enumerate(wrong):
        with pytest.raises(PointillistError) as refused:
            ask()
        assert refused.value.hint, index
        # Flags belong to the command line.
        assert "--" not in str(refused.value), index


def test_a_delta_that_no_accountant_reaches_is_a_request() -> None:
    with pytest.raises(RequestError, match="no accountant"):
        accounting.compose(Gaussian(5, count=7), delta=0)
    # At δ = 0 a pure list costs its sum.
    assert 0.7 <= accounting.compose(Laplace(10, count=7), delta=0).epsilon <= 0.7 + 1e-12
