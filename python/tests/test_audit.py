"""Audits of functions of Python, of other libraries, and of what is built in."""

from __future__ import annotations

import _thread
import json
import math
import threading
import time
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pointillist
import pytest
from pointillist import audit, mechanisms
from pointillist.errors import PointillistError, RequestError

NOISE = np.random.default_rng()


def laplace(count: float) -> float:
    """A count with the textbook's noise for one person at ε = 1. At 70 its last bits tell nothing."""
    return count + NOISE.laplace(scale=1.0)


# Functions of Python


def test_a_claim_that_holds_is_not_refuted() -> None:
    """False alarm: at most 1e-9, by the audit's own rate. Power: what is measured is at least half of what is claimed."""
    finding = audit.callable(laplace, 70.0, 71.0, epsilon=1)
    assert not finding.refuted and finding.verdict == "cleared" and finding.power
    # ε = 1 exactly; 0.93 on average. Below 0.5 the counts would be ten deviations off.
    assert finding.epsilon_lower is not None and 0.5 < finding.epsilon_lower
    assert finding.rho_lower is None
    assert (finding.confidence, finding.false_alarm, finding.releases) == (0.95, 1e-9, 20_000)
    assert finding.subject == "laplace" and finding.neighbours == "70.0 and 71.0"


def test_a_claim_that_is_too_small_is_refuted() -> None:
    """A miss: below 1e-9. The best event has probabilities near 0.5 and 0.18, and ln(0.5/0.18) = 1 is far beyond 0.2."""
    finding = audit.callable(laplace, 70.0, 71.0, epsilon=0.2)
    assert finding.refuted and finding.verdict == "refuted"
    assert finding.epsilon_lower is not None and finding.epsilon_lower > 0.2
    assert finding.event is not None and "first" in finding.event
    measured = finding.guarantees[0]
    assert measured.event is not None and measured.event.there[0] > measured.event.elsewhere[0]
    assert measured.measured_for_verdict <= measured.measured


def test_floating_point_noise_around_zero_is_refuted() -> None:
    """The same noise on 0 and 1: sums near zero have bits that sums near one cannot have. A third of all releases tell."""
    finding = audit.callable(laplace, 0.0, 1.0, epsilon=1)
    assert finding.refuted
    assert finding.epsilon_lower is not None and finding.epsilon_lower > 2


def test_noise_that_is_forgotten_for_one_input_is_refuted() -> None:
    def forgets(ages: list[int]) -> float:
        return float(sum(ages)) if not ages else sum(ages) + NOISE.laplace(scale=100.0)

    assert audit.callable(forgets, [], [42], epsilon=1, trials=2_000).refuted


def test_our_own_mechanisms_hold_and_broken_copies_do_not() -> None:
    count = mechanisms.Geometric(sensitivity_l1=1, epsilon=1)
    assert not audit.callable(count.release, 0, 1, epsilon=1, trials=5_000).refuted
    # Two people move it by two: ε = 2 against a claim of one.
    assert audit.callable(count.release, 0, 2, epsilon=1, trials=20_000).refuted
    gaussian = mechanisms.DiscreteGaussian(sensitivity_l2=1, rho=0.5)
    assert not audit.callable(gaussian.release, 0, 1, rho=0.5, trials=5_000).refuted
    finding = audit.callable(gaussian.release, 0, 4, rho=0.5)
    assert finding.refuted and finding.rho_lower is not None and finding.rho_lower > 0.5
    assert finding.epsilon_lower is None


def test_a_delta_that_is_claimed_is_allowed() -> None:
    """Three releases in a hundred show everything: (ε, 0.05) is true, (ε, 0.001) is not."""

    def mostly(person: int) -> int:
        return person if NOISE.random() < 0.03 else 0

    assert not audit.callable(mostly, 0, 1, epsilon=0.1, delta=0.05).refuted
    assert audit.callable(mostly, 0, 1, epsilon=0.1, delta=0.001).refuted


@pytest.mark.parametrize(
    "shown",
    [
        lambda world: world,
        lambda world: float(world),
        lambda world: bool(world),
        lambda world: "yes" if world else "no",
        lambda world: b"\xff" if world else b"\x00",
        lambda world: None if world else 0,
        lambda world: [1, 2, world],
        lambda world: (1, None if world else 1),
        lambda world: [1] * (world + 1),
        lambda world: {"a": 1, "b": world},
        lambda world: {"a": 1} if world else {"b": 1},
        lambda world: {1: 1} if world else {"1": 1},
        lambda world: {"x", world},
        lambda world: np.array([[0, 1], [2, world]]),
        lambda world: np.float32(world),
        lambda world: np.bool_(world),
        lambda world: [np.array([world]), "text"],
        lambda world: Fraction(1, 3) + world,
        lambda world: Fraction(world, 10**30),
        lambda world: Decimal(world),
        lambda world: 10**50 + world,
        lambda world: float("nan") if world else float("inf"),
        lambda world: -0.0 if world else 0.0,
    ],
)
def test_everything_that_is_returned_is_seen(shown: Callable[[int], object]) -> None:
    """No noise at all, so no luck: 500 calls of either side tell for certain."""
    assert audit.callable(shown, 0, 1, epsilon=1, trials=500).refuted
    assert not audit.callable(shown, 1, 1, epsilon=1, trials=500).refuted


def test_what_the_function_raises_is_raised() -> None:
    calls = 0

    def fails(world: int) -> int:
        nonlocal calls
        calls += 1
        if calls == 100:
            raise ZeroDivisionError("at the hundredth call")
        return 0

    with pytest.raises(ZeroDivisionError, match="hundredth"):
        audit.callable(fails, 0, 1, epsilon=1)
    assert calls == 100


def test_either_world_is_called_as_often_as_asked() -> None:
    seen: list[int] = []
    audit.callable(seen.append, 0, 1, epsilon=1, trials=300)
    assert (seen.count(0), seen.count(1)) == (300, 300)


def test_progress_is_told() -> None:
    parts: list[float] = []
    audit.callable(lambda world: 0, 0, 1, epsilon=1, trials=400, progress=lambda stage, part: parts.append(part))
    assert parts == sorted(parts) and parts[0] == 0.0 and parts[-1] == 1.0
    parts.clear()
    audit.mechanisms("geometric", releases=500, progress=lambda stage, part: parts.append(part))
    assert parts and max(parts) == 1.0

    def fails(stage: str, part: float) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        audit.callable(lambda world: 0, 0, 1, epsilon=1, progress=fails)
    with pytest.raises(ZeroDivisionError):
        audit.mechanisms("geometric", progress=fails)


def interrupted(work: Callable[[], object]) -> float:
    """How long the prompt takes to come back after Ctrl-C."""
    pressed: list[float] = []

    def press() -> None:
        pressed.append(time.monotonic())
        _thread.interrupt_main()

    timer = threading.Timer(0.4, press)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        work()
    timer.join()
    return time.monotonic() - pressed[0]


def test_ctrl_c_brings_the_prompt_back() -> None:
    assert interrupted(lambda: audit.callable(lambda world: time.sleep(0.001), 0, 1, epsilon=1)) < 5
    coin = mechanisms.RandomizedResponse(epsilon=1).release
    assert interrupted(lambda: audit.callable(coin, True, False, epsilon=1, trials=1_000_000)) < 5
    assert interrupted(lambda: audit.planted(releases=200_000)) < 5


# What was found


def test_a_finding_is_an_object_a_page_and_a_line() -> None:
    finding = audit.callable(laplace, 70.0, 71.0, epsilon=0.2, trials=3_000, name="a count", confidence=0.99)
    read = json.loads(finding.to_json())
    assert read["audit"] == "a count" and read["subjects"][0]["verdict"] == "refuted"
    assert read["confidence"] == pytest.approx(0.99) and finding.confidence == pytest.approx(0.99)
    assert read["subjects"][0]["guarantees"][0]["measured"] == finding.epsilon_lower
    assert "REFUTED" in repr(finding) and "a count" in repr(finding)
    page = finding.page()
    assert page.html.startswith("<!DOCTYPE html>") or page.html.startswith("<!doctype html>")
    assert "<svg" in page.html
    assert finding._repr_html_().startswith("<iframe")


def test_a_page_is_written(tmp_path: Path) -> None:
    finding = audit.callable(laplace, 70.0, 71.0, epsilon=1, trials=500)
    finding.page().save(tmp_path / "audit.html")
    assert "How it was measured" in (tmp_path / "audit.html").read_text(encoding="utf-8")


# What is built in


def test_mechanisms_are_audited_by_name() -> None:
    findings = audit.mechanisms("geometric", "permute and flip", releases=2_000)
    assert findings.as_it_should_be and len(findings) >= 2
    assert {finding.subject.split(" (")[0] for finding in findings} == {"geometric", "permute and flip"}
    assert findings.of(findings[0].subject) is findings[0]
    assert json.loads(findings.to_json())["audit"] == "mechanisms"
    assert "claims was refuted" in findings.summary and findings.summary in repr(findings)
    with pytest.raises(RequestError, match="telepathy"):
        findings.of("telepathy")


def test_planted_leaks_are_caught() -> None:
    findings = audit.planted("count with half the noise", "Laplace in floats", "rounding instead of noise")
    assert [finding.verdict for finding in findings] == ["caught"] * 3
    assert all(finding.flaw for finding in findings)
    assert findings.as_it_should_be


def test_local_randomizers_are_audited_by_their_line() -> None:
    findings = audit.local("k-ary-response values=3 epsilon=1", releases=2_000)
    assert findings.as_it_should_be and len(findings.one_run) == 1
    assert findings.one_run[0].canaries == 10_000 and findings.one_run[0].verdict == "cleared"


def test_a_statistic_of_ones_own_graph() -> None:
    star = pointillist.graph.Graph.from_edges([(0, leaf) for leaf in range(1, 6)])
    finding = audit.graph(star, "edges", privacy="edge", epsilon=1, releases=1_000)
    assert not finding.refuted
    with pytest.raises(PointillistError):
        audit.graph(star, "telepathy", privacy="edge")
    with pytest.raises(PointillistError):
        audit.graph(star, "edges", privacy="nobody")  # type: ignore[arg-type]


def test_a_question_in_sql(tmp_path: Path) -> None:
    """No file is read: the people are made up from the catalog."""
    catalog = tmp_path / "pointillist.toml"
    catalog.write_text(
        """
[scope.patients]
model = "pure"
budget = { epsilon = 1 }

[table.visits]
scope = "patients"
source = "visits.csv"
privacy_unit = "patient"
max_groups = 2
max_contributions = 2

[table.visits.columns]
region = { type = "text", public_keys = ["north", "south", "west"] }
""",
        encoding="utf-8",
    )
    findings = audit.query(
        "SELECT region, COUNT(*) FROM visits GROUP BY region", catalog=catalog, epsilon=1, releases=200
    )
    assert findings.as_it_should_be and len(findings) == 1
    with pytest.raises(PointillistError):
        audit.query("SELECT * FROM visits", catalog=catalog, epsilon=1)
    with pytest.raises(PointillistError):
        audit.query("SELECT COUNT(*) FROM visits", catalog=catalog, epsilon=-1)


# Other people's libraries


def test_diffprivlib() -> None:
    """Their Laplace noise is a float: far from zero its claim stands and half of it does not, at zero its last bits tell."""
    found = pytest.importorskip("diffprivlib.mechanisms", exc_type=ImportError)
    release = found.Laplace(epsilon=1, sensitivity=1).randomise
    assert not audit.callable(release, 70.0, 71.0, epsilon=1, trials=5_000).refuted
    assert audit.callable(release, 70.0, 71.0, epsilon=0.4).refuted
    assert audit.callable(release, 0.0, 1.0, epsilon=1).refuted
    exact = found.Geometric(epsilon=1, sensitivity=1).randomise
    assert not audit.callable(exact, 0, 1, epsilon=1, trials=5_000).refuted


def test_opendp() -> None:
    """Their Laplace measurement on integers: its claim stands, and half of it does not."""
    opendp: Any = pytest.importorskip("opendp.prelude", exc_type=ImportError)
    opendp.enable_features("contrib")
    space = opendp.atom_domain(T=int), opendp.absolute_distance(T=int)
    release = opendp.m.make_laplace(*space, scale=1.0)
    assert not audit.callable(release, 70, 71, epsilon=1, trials=5_000).refuted
    assert audit.callable(release, 70, 71, epsilon=0.4).refuted


# Hostile arguments


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"epsilon": 0},
        {"epsilon": -1},
        {"epsilon": math.nan},
        {"epsilon": "much"},
        {"epsilon": 1, "delta": 1},
        {"epsilon": 1, "delta": -0.1},
        {"rho": 0},
        {"epsilon": 1, "trials": 0},
        {"epsilon": 1, "trials": 199},
        {"epsilon": 1, "trials": -5},
        {"epsilon": 1, "trials": 10**7},
        {"epsilon": 1, "trials": 10**30},
        {"epsilon": 1, "trials": 300.5},
        {"epsilon": 1, "confidence": 0},
        {"epsilon": 1, "confidence": 1},
        {"epsilon": 1, "confidence": math.nan},
        {"epsilon": 1, "confidence": "sure"},
    ],
)
def test_claims_that_make_no_sense_are_refused_before_anything_is_called(given: dict[str, Any]) -> None:
    called: list[int] = []
    with pytest.raises((PointillistError, TypeError, OverflowError)):
        audit.callable(called.append, 0, 1, **given)
    assert called == []


@pytest.mark.parametrize("returned", [object(), 1j, [[[[[[[[[[[1]]]]]]]]]]], [0] * 5_000, Exception])
def test_what_cannot_be_seen_is_refused(returned: object) -> None:
    with pytest.raises(RequestError):
        audit.callable(lambda world: returned, 0, 1, epsilon=1, trials=300)


def test_built_in_audits_refuse_what_they_do_not_know() -> None:
    for wrong in (
        lambda: audit.callable(3, 0, 1, epsilon=1),  # type: ignore[arg-type]
        lambda: audit.mechanisms("telepathy"),
        lambda: audit.mechanisms("count", releases=3),
        lambda: audit.mechanisms("count", releases=-3),
        lambda: audit.mechanisms("count", epsilon=0),
        lambda: audit.mechanisms("count", epsilon=10**5),
        lambda: audit.mechanisms("count", confidence=2),
        lambda: audit.planted("telepathy"),
        lambda: audit.local("telepathy epsilon=1"),
        lambda: audit.query("SELECT 1", catalog="/nowhere/pointillist.toml", epsilon=1),
    ):
        with pytest.raises((PointillistError, TypeError, OverflowError)):
            wrong()
