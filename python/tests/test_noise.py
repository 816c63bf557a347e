"""Exact samplers: laws, shapes, and arguments that are none."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from pointillist import noise
from pointillist.errors import PointillistError, RequestError

SAMPLERS: dict[str, Any] = {
    "discrete_laplace": lambda size: noise.discrete_laplace(10, size),
    "discrete_gaussian": lambda size: noise.discrete_gaussian(10, size),
    "geometric": lambda size: noise.geometric(10, size),
    "rounded_gaussian": lambda size: noise.rounded_gaussian(10, size),
    "student_t": lambda size: noise.student_t(3, 10, size),
    "laplace_log_normal": lambda size: noise.laplace_log_normal(10, "1/2", size),
    "power_tailed_laplace": lambda size: noise.power_tailed_laplace(8, 10, size),
    "bernoulli": lambda size: noise.bernoulli("1/3", size),
    "bernoulli_exp": lambda size: noise.bernoulli_exp("1/3", size),
    "uniform_below": lambda size: noise.uniform_below(10, size),
}


def radius(n: int, comparisons: int) -> float:
    """By Hoeffding, all of so many observed shares are within it, but with probability 1e-9."""
    return math.sqrt(math.log(2 * comparisons / 1e-9) / (2 * n))


def normal(z: float) -> float:
    return 0.5 * math.erfc(-z / math.sqrt(2))


# Probabilities of single values, from independent closed forms evaluated with 30 digits.
GOLDEN = [
    (lambda n: noise.discrete_laplace("1", n), {0: 0.462117157260009758, 1: 0.17000340156854792, -1: 0.17000340156854792, 2: 0.06254075636628171}),
    (lambda n: noise.discrete_laplace(Fraction(1, 2), n), {0: 0.761594155955764888, 1: 0.10307056080762242, -1: 0.10307056080762242}),
    (lambda n: noise.discrete_gaussian(1, n), {0: 0.398942278266861706, 1: 0.24197072322446061, -1: 0.24197072322446061, 2: 0.05399096622430528}),
    (lambda n: noise.discrete_gaussian(0.5, n), {0: 0.7865707070419479, 1: 0.106450769423144724, -1: 0.106450769423144724}),
    (lambda n: noise.geometric("5/2", n), {0: 0.3296799539643607, 1: 0.22099108191841771, 2: 0.14813475220501949, 5: 0.044617329947200189}),
    (lambda n: noise.rounded_gaussian(1, n), {0: normal(0.5) - normal(-0.5), 1: normal(1.5) - normal(0.5), -1: normal(-0.5) - normal(-1.5)}),
    (lambda n: noise.uniform_below(5, n), dict.fromkeys(range(5), 0.2)),
    (lambda n: noise.bernoulli("1/3", n), {0: 2 / 3, 1: 1 / 3}),
    (lambda n: noise.bernoulli_exp("1/2", n), {1: math.exp(-0.5)}),
]


@pytest.mark.parametrize(("draw", "law"), GOLDEN)
def test_the_law_is_the_one_that_was_named(draw: Any, law: dict[int, float]) -> None:
    # False alarm: at most 1e-9 a case (Hoeffding over the listed values).
    n = 50_000
    drawn = draw(n)
    for value, probability in law.items():
        assert abs(float((drawn == value).mean()) - probability) <= radius(n, len(law)), value


def test_heavy_tails_have_their_quartiles() -> None:
    # False alarm: at most 1e-9 (Hoeffding, 5 shares). floor(scale * T) < 0 half of the time, and a Cauchy number is
    # below its scale three quarters of the time.
    n, within = 4_000, radius(4_000, 5)
    cauchy = noise.student_t(1, 1000, n)
    assert abs(float((cauchy < 0).mean()) - 0.5) <= within
    assert abs(float((cauchy < 1000).mean()) - 0.75) <= within
    assert abs(float((noise.laplace_log_normal(100, 1, n) < 0).mean()) - 0.5) <= within
    power = noise.power_tailed_laplace(2, 100, n)
    assert abs(float((power < 0).mean()) - 0.5) <= within
    # P[|Z| >= 1] = w(1 + 1/k)/N with k = 2, w = 1/2, N = 3/2.
    assert abs(float(((power >= 100) | (power < -100)).mean()) - 0.5) <= within


def test_the_norm_of_a_vector_is_a_sum_of_exponentials() -> None:
    # In two dimensions P[norm/scale > 2] = 3 exp(-2). Rounding moves a norm by less than 1 of 100,000.
    # False alarm: at most 1e-9 (Hoeffding).
    n = 20_000
    drawn = noise.l2_laplace(2, 100_000, n).astype(float)
    beyond = float((np.hypot(drawn[:, 0], drawn[:, 1]) > 200_000).mean())
    assert abs(beyond - 3 * math.exp(-2)) <= radius(n, 1) + 1e-4


def test_draws_differ_from_core_to_core_and_from_call_to_call() -> None:
    # False alarm: two uniform words of 63 bits are equal with probability 2**-63; of 2e5 pairs of neighbours and halves
    # below 1e-13.
    drawn = noise.uniform_below(2**63, 100_000)
    assert not (drawn[:50_000] == drawn[50_000:]).any()
    assert not (drawn == noise.uniform_below(2**63, 100_000)).any()
    assert len(np.unique(drawn)) > 99_990


@pytest.mark.parametrize("name", SAMPLERS)
def test_size_is_a_number_a_shape_or_nothing(name: str) -> None:
    draw = SAMPLERS[name]
    one = draw(None)
    assert isinstance(one, bool if name.startswith("bernoulli") else int)
    dtype = "bool" if name.startswith("bernoulli") else "int64"
    for size, shape in [(0, (0,)), (7, (7,)), (np.int32(3), (3,)), ((2, 3), (2, 3)), ((), ()), ([4, 0], (4, 0))]:
        drawn = draw(size)
        assert drawn.shape == shape and drawn.dtype.name == dtype
        assert drawn.flags.writeable


def test_vectors_have_one_more_axis() -> None:
    assert noise.l2_laplace(3, 10).shape == (3,)
    assert noise.l2_laplace(3, 10, (2, 5)).shape == (2, 5, 3)
    assert noise.l2_laplace(3, 10, 0).shape == (0, 3)


def test_values_beyond_64_bits_become_the_ends() -> None:
    drawn = noise.discrete_laplace(2**100, 1000)
    assert drawn.max() == 2**63 - 1 and drawn.min() == -(2**63)


@pytest.mark.parametrize("name", SAMPLERS)
@pytest.mark.parametrize("size", [-1, (3, -1), 10**15, 2**62, 2**64, 10**30, (2**40, 2**40), (1,) * 40])
def test_sizes_that_no_memory_holds_are_refused(name: str, size: Any) -> None:
    if size == (1,) * 40:
        with pytest.raises(RequestError):
            SAMPLERS[name](size)
        return
    with pytest.raises(RequestError) as refused:
        SAMPLERS[name](size)
    assert refused.value.hint


@pytest.mark.parametrize("size", [1.5, "3", b"3", 1j, object(), (1.5,), ("a",), {}])
def test_sizes_that_are_no_whole_numbers_are_type_errors(size: Any) -> None:
    with pytest.raises((TypeError, RequestError)):
        noise.discrete_laplace(10, size)


@pytest.mark.parametrize(
    "scale",
    [0, -1, "-1/2", math.nan, math.inf, -math.inf, None, True, "", "ten", "1/0", "1e400", 1e300, 1e-300, "0x10", [], object(), "9" * 10_000],
)
@pytest.mark.parametrize(
    "draw",
    [
        noise.discrete_laplace,
        noise.discrete_gaussian,
        noise.geometric,
        noise.rounded_gaussian,
        lambda scale: noise.student_t(3, scale),
        lambda scale: noise.laplace_log_normal(scale, 1),
        lambda scale: noise.laplace_log_normal(1, scale),
        lambda scale: noise.power_tailed_laplace(8, scale),
        lambda scale: noise.l2_laplace(2, scale),
    ],
)
def test_scales_that_are_none_are_refused_with_a_hint(draw: Any, scale: Any) -> None:
    with pytest.raises(RequestError) as refused:
        draw(scale)
    assert refused.value.hint


def test_other_parameters_out_of_range_are_refused() -> None:
    for probability in (-0.1, 1.1, "3/2", math.nan):
        with pytest.raises(PointillistError):
            noise.bernoulli(probability)
    for gamma in (-1, "-1/3", math.nan):
        with pytest.raises(PointillistError):
            noise.bernoulli_exp(gamma)
    for bound in (0, -1, 2**63 + 1, 2**70):
        with pytest.raises(PointillistError):
            noise.uniform_below(bound)
    for degrees in (0, 10, -1, 2**32, 2**40):
        with pytest.raises(PointillistError):
            noise.student_t(degrees, 1)
    for power in (0, 1, 1025, 2**40):
        with pytest.raises(PointillistError):
            noise.power_tailed_laplace(power, 1)
    for dimension in (0, -1, 2**20 + 1, 10**12, 2**63, 2**64):
        with pytest.raises(PointillistError):
            noise.l2_laplace(dimension, 1)
    with pytest.raises(PointillistError):
        noise.l2_laplace(1000, 1, 2**60)
    with pytest.raises(TypeError):
        noise.uniform_below(1.5)  # type: ignore[call-overload]
    assert noise.bernoulli_exp("1e300") is False


def test_there_is_no_seed() -> None:
    with pytest.raises(TypeError):
        noise.discrete_laplace(1, seed=1)  # type: ignore[call-overload]
