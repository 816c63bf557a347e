"""Surveys without a curator: both sides, their prices, and what is refused without being repeated."""

from __future__ import annotations

import math
import os
import pickle
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pointillist import local
from pointillist.errors import PointillistError, RequestError


def radius(n: int, gain: float, comparisons: int = 1) -> float:
    """By Hoeffding, averages of n numbers within a range of this width are that near, but with probability 1e-9."""
    return gain * math.sqrt(math.log(2 * comparisons / 1e-9) / (2 * n))


def test_a_survey_travels_as_its_header() -> None:
    survey = local.survey(answers=["no", "yes"], epsilon=1)
    assert survey.header == '# randomized-response epsilon=1\n# answers ["no","yes"]\n'
    for copy in (local.parse(survey.header), pickle.loads(pickle.dumps(survey))):
        assert copy == survey and copy.answers == ("no", "yes") and hash(copy) == hash(survey)
    line = local.parse(survey.setting, answers=["no", "yes"])
    assert line == survey and line != local.parse(survey.setting)
    assert local.parse(survey.setting).answers == ("0", "1")
    open_list = local.survey(answers=["a", "b"], other=True, epsilon=1)
    assert open_list.answers == ("a", "b", "(other)")
    assert pickle.loads(pickle.dumps(open_list)).header == open_list.header == local.parse(open_list.header).header
    many = local.survey(answers=[f"answer {number}" for number in range(10_000)], epsilon=1)
    assert pickle.loads(pickle.dumps(many)) == many


def test_the_price_is_that_of_the_setting() -> None:
    # ln 3, 2·artanh(2γ) in general, with 30 digits; losses are rounded up.
    for gamma, truth in [("0.25", "1.09861228866810969139524523692"), ("0.1", "0.405465108108164381978013115464")]:
        epsilon = local.parse(f"randomized-response gamma={gamma}").epsilon
        assert Decimal(truth) <= epsilon <= Decimal(truth) * (1 + Decimal("1e-12"))
    rappor = local.parse("rappor values=4 f=0.5 p=0.5 q=0.75 blocks=2 width=64")
    forever, once = rappor.epsilon_of_one_memory, rappor.epsilon
    assert forever is not None and abs(float(forever) - 4.39444915467243877) < 1e-12
    assert abs(float(once) - 1.07428586416672818) < 1e-12
    # An ε may be written exactly.
    assert local.survey(values=2, epsilon=Fraction(1, 3)).epsilon >= Decimal("0.33333333333333333")


def test_golden_estimates_of_randomized_response() -> None:
    # 60 of 100 say yes at γ = 1/4: (60/100 − 1/4)/(1/2) = 0.7, with variance 0.0075.
    reports = ["1"] * 60 + ["0"] * 40
    found = local.parse("randomized-response gamma=1/4", answers=["no", "yes"]).estimate(reports)
    yes = found["yes"]
    assert abs(yes.count - 70) < 1e-9 and abs(yes.share - 0.7) < 1e-12
    assert abs(yes.standard_error**2 - 0.0075) < 1e-12
    assert yes.guaranteed.lower <= yes.normal.lower <= 0.7 <= yes.normal.upper <= yes.guaranteed.upper
    assert found.reports == 100 and found.bad_lines == 0 and found.confidence == 0.95
    assert abs(sum(share.normalised for share in found) - 1) < 1e-12 and len(found) == 2
    with pytest.raises(KeyError):
        found["perhaps"]


def test_golden_forecasts() -> None:
    # The variance of a count at k-ary response, ε = 1, four values, a thousand people, 30 digits.
    forecast = local.plan(values=4, epsilon=1, people=1000, method="k-ary-response")
    assert forecast.local is not None
    assert abs((1000 * forecast.local.standard_error) ** 2 / 1598.06736888472410806623655793 - 1) < 1e-11
    unary = local.plan(values=4, epsilon=1, people=1000, method="oue")
    assert unary.local is not None
    assert abs((1000 * unary.local.standard_error) ** 2 / 3682.69437683116927578165409087 - 1) < 1e-11
    assert [one.method for one in forecast.candidates] and "ε = 1" in str(forecast)
    assert forecast.survey.method == "k-ary-response" == forecast.method
    assert forecast.survey.forecast(1000).local == forecast.local


@pytest.mark.parametrize("method", ["auto", "k-ary-response", "unary-encoding", "local-hashing", "hadamard-response", "subset-selection", "rappor"])
def test_shares_are_estimated_from_reports_alone(method: str) -> None:
    labels = ["red", "green", "blue", "brown"]
    survey = local.survey(answers=labels, epsilon=4, method=method)
    held = {"red": 0.4, "green": 0.3, "blue": 0.3, "brown": 0.0}
    n = 20_000
    answers = [label for label, share in held.items() for _ in range(round(share * n))]
    collector = local.parse(survey.header)
    found = collector.estimate(survey.randomize(answers))
    assert isinstance(found, local.Shares)
    for share in found:
        # False alarm: at most 1e-9 a share: an estimate is an average of n values (support − q)/(p − q), and
        # p − q is above 0.1 for every method here at ε = 4.
        assert abs(share.share - held[share.answer]) <= radius(n, 10)
        assert abs(share.share - held[share.answer]) <= max(8 * share.standard_error, 1e-9)
    assert found.plot()._repr_svg_().startswith("<svg")


def test_means_are_estimated() -> None:
    n = 20_000
    for method, epsilon in [("sign-mean", 1), ("window-mean", 4), ("auto", 2)]:
        survey = local.survey(mean=(0, 120), epsilon=epsilon, method=method)
        ages = np.tile(np.array([20.0, 40.0, 60.5, 1000.0]), n // 4)
        found = survey.estimate(survey.randomize(ages))
        # Numbers outside count as the ends: (20 + 40 + 60.5 + 120)/4. False alarm: at most 1e-9 (Hoeffding; a value
        # lies within 120·(e^ε + 1)/(e^ε − 1) < 260 of another).
        assert isinstance(found, local.Mean)
        assert abs(found.mean - 60.125) <= radius(n, 320) + 0.06
        assert found.guaranteed.lower <= found.normal.lower <= found.normal.upper <= found.guaranteed.upper
        with pytest.raises(RequestError):
            found.plot()


def test_frequent_words_are_found() -> None:
    survey = local.survey(words="abcdefghijklmnopqrstuvwxyz", length=4, epsilon=6)
    answers = ["tree"] * 12_000 + ["oak"] * 8_000
    found = survey.estimate(survey.randomize(answers))
    # Both are far above the least share, and are missed with probability below 1e-7 each by the search's own bound; a
    # test needs 1e-9, so a second search decides, which is independent.
    if {word.word for word in found} != {"tree", "oak"}:
        found = survey.estimate(survey.randomize(answers))
    assert {word.word for word in found} == {"tree", "oak"} and not found.cut
    assert found.words[0].word == "tree" and found.least_share < 0.3 and found.notes
    with pytest.raises(PointillistError):
        survey.estimate(survey.randomize(["tree"] * 100), at_least=0.001)


def test_arrays_columns_and_lists_are_answers() -> None:
    numbers = local.survey(values=300, epsilon=1)
    pandas, polars, pyarrow = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
    for values in (
        [0, 299, 5],
        (0, 299, 5),
        range(3),
        iter([1, 2, 3]),
        np.array([0, 299, 5], dtype=np.uint16),
        pandas.Series([0, 299, 5]),
        polars.Series([0, 299, 5]),
        pyarrow.array([0, 299, 5]),
        [np.int64(3), np.uint8(1), 2],
    ):
        assert len(numbers.randomize(values)) == 3
    words = local.survey(answers=["ja", "nein"], epsilon=1)
    assert len(words.randomize(np.array(["ja", "nein"]))) == 2
    assert len(words.randomize(pandas.Series(["ja", "nein"]))) == 2
    flags = local.survey(answers=[False, True], epsilon=1)
    assert len(flags.randomize(np.array([True, False]))) == 2
    means = local.survey(mean=("0", "1"), epsilon=1)
    assert len(means.randomize([0.5, "1/3", Fraction(1, 3), Decimal("0.25"), 1, 1e-300, 1e300, np.float32(0.5)])) == 8
    assert numbers.randomize([]) == [] == numbers.randomize(np.array([]))


def test_answers_with_strange_letters_are_answers() -> None:
    strange = ["zwei\nZeilen", "# not a header", "東京", " blank ", '"quoted"', "\x1b[31m"]
    survey = local.survey(answers=strange, epsilon=20)
    reports = survey.randomize(strange * 50)
    # False alarm: at ε = 20 a report lies with probability below 2e-8; more than 50 of 300 lie with one below 1e-300.
    found = local.estimate(survey.text(reports))
    assert isinstance(found, local.Shares)
    assert [round(share.share * 6) for share in found] == [1] * 6


def test_many_answers_keep_their_order_over_all_cores() -> None:
    survey = local.survey(values=4, epsilon=30)
    # No length of a batch is a period of these.
    answers = (np.arange(100_000) // 7) % 4
    # False alarm: at ε = 30 a report lies with probability below 3e-13; of 100,000 any with one below 3e-8, and two
    # with one below 1e-15.
    wrong = sum(report != str(answer) for report, answer in zip(survey.randomize(answers), answers, strict=True))
    assert wrong <= 1


def test_reports_are_a_list_a_text_or_a_file(tmp_path: Path) -> None:
    survey = local.survey(values=2, epsilon=1)
    text = survey.text(["0", "1", "1"])
    path = tmp_path / "reports.txt"
    path.write_text(text + text, encoding="utf-8")
    for reports in (["0", "1", "1"] * 2, "0\n1\n1\n0\n1\n1", text + text, path, np.array(["0", "1", "1"] * 2)):
        assert survey.estimate(reports).reports == 6
    assert local.estimate(path) == survey.estimate(path)
    assert local.estimate(["0", "1"], setting=survey.setting).reports == 2
    named = local.estimate(text, answers=["no", "yes"])
    assert isinstance(named, local.Shares) and named["yes"].value == 1


def test_lines_that_are_no_reports_are_counted() -> None:
    survey = local.survey(values=2, epsilon=1)
    with pytest.raises(RequestError, match="1 of 3 lines") as refused:
        survey.estimate(["0", "secret", "1"])
    assert "skip_bad=True" in str(refused.value) and "secret" not in str(refused.value)
    found = survey.estimate(["0", "\ud800", "1"], skip_bad=True)
    assert (found.reports, found.bad_lines) == (2, 1)


def test_a_memory_reports_again_and_again(tmp_path: Path) -> None:
    survey = local.survey(answers=["no", "yes"], epsilon=2, method="rappor")
    assert survey.epsilon_of_one_memory is not None and survey.epsilon < survey.epsilon_of_one_memory <= 2
    path = tmp_path / "mine.txt"
    with pytest.raises(RequestError, match="no answer"):
        survey.report_from_memory(path)
    assert not path.exists()
    first = survey.report_from_memory(path, "yes")
    kept = path.read_text(encoding="utf-8")
    # What is remembered stays, whatever is answered later.
    others = [survey.report_from_memory(path), survey.report_from_memory(str(path), "no")]
    assert path.read_text(encoding="utf-8") == kept
    assert survey.estimate([first, *others]).reports == 3
    with pytest.raises(RequestError):
        local.survey(answers=["no", "yes"], epsilon=1, method="rappor").report_from_memory(path)
    with pytest.raises(RequestError, match="only rappor"):
        local.survey(answers=["no", "yes"], epsilon=1).report_from_memory(path, "yes")
    if os.name == "posix":
        path.chmod(0o644)
        with pytest.raises(RequestError, match="others can read"):
            survey.report_from_memory(path)
    with pytest.raises(PointillistError):
        survey.report_from_memory(tmp_path / "missing" / "mine.txt", "yes")
    with pytest.raises((PointillistError, ValueError)):
        survey.report_from_memory("null\0byte", "yes")


def test_a_shuffler_adds_privacy() -> None:
    forecast = local.plan(values=16, epsilon=1, people=1_000_000, delta="1e-9")
    assert forecast.shuffle is not None and forecast.shuffle.epsilon_local is not None
    assert forecast.shuffle.epsilon < Decimal("0.05") and forecast.shuffle.epsilon_local > 1
    assert forecast.shuffle.local is not None and forecast.local is not None
    assert forecast.shuffle.local.error_95 < forecast.local.error_95
    assert forecast.plot()._repr_svg_().startswith("<svg")
    words = local.plan(words="ab", length=3, epsilon=2, people=100_000, delta="1e-9")
    assert words.least_share is not None and words.local is None
    with pytest.raises(RequestError):
        words.plot()
    fixed = local.survey(values=16, epsilon=1).forecast(1000, delta="1e-6")
    assert fixed.shuffle is not None and fixed.shuffle.epsilon_local is None


def test_refused_answers_are_not_repeated() -> None:
    survey = local.survey(answers=["no", "yes"], epsilon=1)
    with pytest.raises(RequestError) as refused:
        survey.randomize(["no", "my secret"])
    assert "answer 1, counted from zero" in str(refused.value) and "other=True" in str(refused.value)
    assert "secret" not in str(refused.value)
    for answer in (None, math.nan, [], object(), b"yes", np.array([1, 2])):
        with pytest.raises(PointillistError):
            survey.report(answer)  # type: ignore[arg-type]
        with pytest.raises(PointillistError):
            survey.randomize([answer])
    for answers in ("no", b"no", 7, None, {"no": 1}, [["no"]]):
        with pytest.raises((PointillistError, TypeError)):
            survey.randomize(answers)
    for answer in ("16", -1, 1.5, 10**30, "", "0x1"):
        with pytest.raises(RequestError):
            local.survey(values=16, epsilon=1).report(answer)
    for number in ("ten", math.inf, "1/0", ""):
        with pytest.raises(RequestError):
            local.survey(mean=(0, 1), epsilon=1).report(number)
    assert local.survey(answers=["a"], other=True, epsilon=1).report("\ud800") in ("0", "1")


def test_surveys_that_cannot_be_are_refused_with_a_hint() -> None:
    yes_no = ["no", "yes"]
    wrong: list[Any] = [
        lambda: local.survey(epsilon=1),  # type: ignore[call-overload]
        lambda: local.survey(answers=yes_no, values=2, epsilon=1),  # type: ignore[call-overload]
        lambda: local.survey(answers=["one"], epsilon=1),
        lambda: local.survey(answers=["a", "a"], epsilon=1),
        lambda: local.survey(answers=["a", ""], epsilon=1),
        lambda: local.survey(answers="no,yes", epsilon=1),
        lambda: local.survey(values=2, other=True, epsilon=1),  # type: ignore[call-overload]
        lambda: local.survey(values=1, epsilon=1),
        lambda: local.survey(values=-1, epsilon=1),
        lambda: local.survey(values=2**63, epsilon=1),
        lambda: local.survey(values=2**70, epsilon=1),
        lambda: local.survey(answers=yes_no, epsilon=0),
        lambda: local.survey(answers=yes_no, epsilon=-1),
        lambda: local.survey(answers=yes_no, epsilon=math.nan),
        lambda: local.survey(answers=yes_no, epsilon="much"),
        lambda: local.survey(answers=yes_no, epsilon=1, method="magic"),
        lambda: local.survey(answers=yes_no, epsilon=1, people=-1),
        lambda: local.survey(mean=(1, 0), epsilon=1),
        lambda: local.survey(mean=(0, 1, 2), epsilon=1),  # type: ignore[arg-type]
        lambda: local.survey(mean=7, epsilon=1),  # type: ignore[call-overload]
        lambda: local.survey(mean=(0, 1), steps=0, epsilon=1),
        lambda: local.survey(mean=(0, 1), steps=2**40, epsilon=1),
        lambda: local.survey(words="ab", epsilon=1),  # type: ignore[call-overload]
        lambda: local.survey(words="ab", length=0, epsilon=1),
        lambda: local.survey(words="ab", length=100, epsilon=1),
        lambda: local.survey(words="aa", length=3, epsilon=1),
        lambda: local.survey(words="ü", length=3, epsilon=1),
        lambda: local.parse(""),
        lambda: local.parse("nonsense"),
        lambda: local.parse("# nonsense"),
        lambda: local.parse("k-ary-response values=4 epsilon=1", answers=yes_no),
        lambda: local.parse("k-ary-response values=4 epsilon=1", other=True),
        lambda: local.plan(values=2, epsilon=1),
        lambda: local.plan(values=2, epsilon=1, people=0),
        lambda: local.plan(values=2, epsilon=1, people=10, error=0.1),
        lambda: local.plan(values=2, epsilon=1, error=math.nan),
        lambda: local.plan(values=2, epsilon=1, error=-1.0),
        lambda: local.plan(values=2, epsilon=1, people=10, delta=0),
        lambda: local.estimate([]),
        lambda: local.estimate(["0", "1"]),
        lambda: local.estimate("# k-ary-response values=2 epsilon=1\n"),
        lambda: local.estimate(Path("/nonexistent/reports.txt")),
        lambda: local.estimate([1, 2], setting="k-ary-response values=2 epsilon=1"),  # type: ignore[list-item]
        lambda: local.survey(values=2, epsilon=1).estimate(["0"], at_least=0.5),
    ]
    for index, ask in enumerate(wrong):
        with pytest.raises(PointillistError) as refused:
            ask()
        assert refused.value.hint, index
        assert "--" not in str(refused.value), index
    huge = local.plan(values=2, epsilon=1, people=2**64 - 1)
    assert huge.local is not None and huge.local.error_95 < 1e-8
    assert local.plan(values=2, epsilon=1, error=1e-30).people == 2**64 - 1
