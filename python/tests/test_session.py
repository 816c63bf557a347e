"""Questions through Python: the same answers, prices and refusals as behind every other door."""

from __future__ import annotations

import copy
import decimal
import gc
import html.parser
import json
import multiprocessing
import os
import pathlib
import pickle
import resource
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import CATALOG, COLUMNS, made_up_visits

import pointillist
from pointillist import Session
from pointillist.errors import BudgetError, EnvironmentFailure, PointillistError, RefusedError, RequestError

COUNT = "SELECT count(*) AS n FROM visits"
#: At ε = 400 the noise of a count that one person moves by 5 is above 1 with a probability below 1e-60.
MUCH = 400


def session(frame: object, **more: object) -> Session:
    given: dict[str, object] = dict(
        privacy_unit="patient", budget={"epsilon": 4000, "delta": 1e-9}, max_groups=3, max_contributions=5,
        columns={"visits": COLUMNS},
    )  # fmt: skip
    given.update(more)
    return Session.from_dataframe({"visits": frame}, **given)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "form",
    [
        lambda frame: frame,
        pl.from_pandas,
        pa.Table.from_pandas,
        lambda frame: pa.Table.from_pandas(frame).to_reader().read_all().combine_chunks(),
        lambda frame: pa.Table.from_batches(pa.Table.from_pandas(frame).to_batches(max_chunksize=7)),
        lambda frame: frame.astype({"region": "category"}),
    ],
    ids=["pandas", "polars", "pyarrow", "one chunk", "many chunks", "categories"],
)
def test_every_frame_has_the_same_numbers(visits: pd.DataFrame, form) -> None:
    asked = session(form(visits))
    truth = visits.groupby("region").agg(n=("age", "size"), cost=("cost", "mean"))
    answer = asked.query("SELECT region, count(*) AS n, avg(cost) AS cost FROM visits GROUP BY region", epsilon=MUCH)
    for region, n, cost in answer.rows:
        assert abs(n - truth.n[region]) <= 2
        assert abs(cost - truth.cost[region]) < 2


def test_duckdb_is_asked_and_reads_answers(visits: pd.DataFrame) -> None:
    duckdb = pytest.importorskip("duckdb")
    relation = duckdb.sql("SELECT * FROM visits")
    answer = session(relation).query(COUNT, epsilon=MUCH)
    assert abs(answer.value - len(visits)) <= 2
    assert duckdb.sql("SELECT n FROM answer").fetchall() == [(answer.value,)]


def test_frames_go_in_and_answers_come_out_without_a_copy() -> None:
    table = pa.table({"patient": pa.array(range(1000)), "age": pa.array([3] * 1000)})
    asked = Session.from_dataframe({"t": table}, privacy_unit="patient", budget={"epsilon": 1}, model="pure",
                                   max_contributions=1)  # fmt: skip
    held = dict(asked._backend.curator.addresses("t"))
    for name in ("patient", "age"):
        assert held[name] == table.column(name).chunk(0).buffers()[1].address
    numbers = np.arange(1000)
    frame = pd.DataFrame({"patient": numbers}, copy=False)
    asked = Session.from_dataframe({"t": frame}, privacy_unit="patient", budget={"epsilon": 1}, model="pure")
    address = frame["patient"].to_numpy().__array_interface__["data"][0]
    assert dict(asked._backend.curator.addresses("t"))["patient"] == address
    answer = asked.query("SELECT count(*) AS n FROM t", epsilon=1, max_contributions=1)
    inside = dict(answer._table.addresses())["n"]
    assert pa.table(answer).column("n").chunk(0).buffers()[1].address == inside
    column = pl.DataFrame(answer)["n"].to_arrow()
    assert column.buffers()[1].address == inside


def test_an_answer_says_what_it_is(visits: pd.DataFrame) -> None:
    answer = session(visits).query("SELECT region, sum(cost) AS cost FROM visits GROUP BY region", epsilon=1)
    assert [column.role for column in answer.columns] == ["key", "aggregate"]
    assert answer.columns[1].mechanism == "discrete_gaussian" and answer.columns[1].grid == "0.01"
    assert len(answer) == 3 and answer.paid and answer.receipt["scope"] == "people"
    assert all(low < row[1] < high for row, (_, (low, high)) in zip(answer.rows, answer.intervals))
    assert any("clamped to [0, 1000]" in note for note in answer.notes)
    shown = repr(answer)
    assert "ε = 1" in shown and "receipt" in shown and "note" in shown
    assert "<svg" in answer.plot().svg
    frame = answer.to_pandas()
    assert list(frame.columns) == ["region", "cost", "cost_low", "cost_high"]
    assert answer.to_polars().shape == (3, 4) and answer.to_arrow().num_rows == 3
    assert answer.to_dicts()[0]["region"] == "north"
    with pytest.raises(RequestError):
        answer.value
    again = session(visits)
    assert json.loads(again.query(COUNT, epsilon=1).to_json())["paid"] == "in_full"


def test_an_answer_in_a_notebook_shows_texts_as_texts() -> None:
    evil = '<script>alert("1")</script>'
    frame = pd.DataFrame({"who": range(100), "word": [evil] * 100})
    asked = Session.from_dataframe({"t": frame}, privacy_unit="who", budget={"epsilon": 4000, "delta": 1e-9},
                                   max_groups=1, max_contributions=1, columns={"t": {"word": [evil]}})  # fmt: skip
    shown = asked.query('SELECT word AS "<b>", count(*) AS n FROM t GROUP BY word', epsilon=1)._repr_html_()
    tags = set()
    parser = html.parser.HTMLParser()
    parser.handle_starttag = lambda tag, attributes: tags.add(tag)  # type: ignore[method-assign]
    parser.feed(shown)
    assert tags <= {"table", "thead", "tbody", "tr", "th", "td", "small", "div", "b", "p", "details", "summary", "ul", "li"}
    assert "<b>" not in shown.split("</thead>")[0] and "script" not in tags


def test_the_same_question_is_free_and_a_price_is_paid_first(visits: pd.DataFrame) -> None:
    asked = session(visits, budget={"epsilon": 1, "delta": 1e-9})
    first = asked.query(COUNT, epsilon="0.5")
    assert first.paid
    second = asked.query(COUNT, epsilon=0.5)
    assert not second.paid and second.value == first.value
    with pytest.raises(BudgetError) as refused:
        asked.query("SELECT sum(age) FROM visits", epsilon=1)
    assert refused.value.kind == "budget" and "epsilon=" in refused.value.hint
    spent = asked.budget()["scopes"][0]["spent"]["rho"]
    assert spent == first.cost["rho"]
    assert asked.explain(COUNT, epsilon=0.5).is_free


def test_refusals_say_what_to_do_and_cost_nothing(visits: pd.DataFrame) -> None:
    asked = session(visits)
    for sql, kind, error in [
        ("SELECT * FROM visits", "privacy", RefusedError),
        ("SELECT count(*) FROM nowhere", "unknown_table", RequestError),
        ("SELECT sum(nothing) FROM visits", "unknown_column", RequestError),
        ("SELECT FROM WHERE", "syntax", RequestError),
        ("EXPLAIN " + COUNT, "request", RequestError),
    ]:
        with pytest.raises(error) as refused:
            asked.query(sql, epsilon=1)
        assert refused.value.kind == kind and refused.value.hint, sql
    for price in [-1, 0, float("nan"), float("inf"), "one", True, [1], None.__class__]:
        with pytest.raises(PointillistError):
            asked.query(COUNT, epsilon=price)
    assert asked.budget()["scopes"][0]["spent"]["rho"] == "0"


def test_declarations_are_checked_before_anything_is_read(visits: pd.DataFrame) -> None:
    for wrong in [
        dict(columns={"visits": {"weight": (0, 1)}}),
        dict(columns={"other": {}}),
        dict(columns={"visits": {"age": (120, 0)}}),
        dict(columns={"visits": {"age": {"lowest": 0}}}),
        dict(columns={"visits": {"age": 3}}),
        dict(privacy_unit="nobody"),
        dict(privacy_unit={"other": "patient"}),
        dict(privacy_unit={}),
        dict(budget={}),
        dict(budget={"epsilon": -1, "delta": 1e-9}),
        dict(budget={"epsilon": 1, "gamma": 1}),
        dict(model="trust me"),
        dict(max_groups=0),
        dict(max_groups='1\n[table.z]\nsource = "memory:visits"\npublic = true'),
        dict(max_contributions=1.5),
        dict(public=["other"]),
        dict(scope='"]\n[table.x'),
        dict(version="\n"),
    ]:
        with pytest.raises(PointillistError) as refused:
            session(visits, **wrong)
        assert refused.value.exit_code == 2, wrong
    for frame in [3, "visits", [1, 2], {"a": [1]}, None]:
        with pytest.raises(PointillistError):
            session(frame)


def test_names_of_columns_are_names_and_no_catalog() -> None:
    name = 'a" = { type = "text" }\n[scope.evil]\nbudget = { epsilon = 1e9 }\n#'
    frame = pd.DataFrame({"who": range(50), name: range(50)})
    with pytest.raises(PointillistError):
        Session.from_dataframe({"t": frame}, privacy_unit="who", budget={"epsilon": 1}, model="pure",
                               columns={"t": {name: "integer"}})  # fmt: skip
    odd = "größe in € ('x\\y')"
    frame = pd.DataFrame({"who": range(50), odd: range(50)})
    try:
        asked = Session.from_dataframe({"t": frame}, privacy_unit="who", budget={"epsilon": 1}, model="pure",
                                       columns={"t": {odd: "integer"}})  # fmt: skip
    except RequestError as error:
        assert "name" in str(error)
    else:
        assert [scope["scope"] for scope in asked.budget()["scopes"]] == ["people"]


def test_what_is_declared_does_not_depend_on_rows() -> None:
    whole = pd.DataFrame({"who": range(10), "x": range(10)})
    holes = whole.copy()
    holes.loc[3, "x"] = None
    assert whole.x.dtype != holes.x.dtype, "pandas stores it differently"
    seen = []
    for frame in (whole, holes):
        asked = Session.from_dataframe({"t": frame}, privacy_unit="who", budget={"epsilon": 1}, model="pure",
                                       max_contributions=1, columns={"t": {"x": (0, 9)}})  # fmt: skip
        seen.append((asked.tables, asked.query("DESCRIBE t").rows, asked.explain("SELECT sum(x) FROM t", epsilon=1).to_json()))
    assert seen[0] == seen[1]


def test_a_stream_is_taken_once(visits: pd.DataFrame) -> None:
    reader = pa.Table.from_pandas(visits).to_reader()
    assert abs(session(reader).query(COUNT, epsilon=MUCH).value - len(visits)) <= 2
    columns = {name: visits[name].to_numpy() for name in ("patient", "age")}
    asked = session(columns, columns={"visits": {"age": (0, 120)}})
    assert abs(asked.query(COUNT, epsilon=MUCH).value - len(visits)) <= 2
    with pytest.raises(RequestError) as refused:
        Session.from_dataframe(visits, privacy_unit="patient", budget={"epsilon": 1})  # type: ignore[arg-type]
    assert "dict of frames" in refused.value.hint


def test_a_missing_id_merges_nobody(visits: pd.DataFrame) -> None:
    large = visits.assign(patient=visits.patient + 2**60)
    holes = large.copy()
    holes.loc[0, "patient"] = None
    with pytest.raises(RequestError) as refused:
        session(holes)
    assert "Int64" in str(refused.value)
    mended = large.assign(patient=large.patient.astype("Int64"))
    mended.loc[0, "patient"] = None
    assert abs(session(mended).query(COUNT, epsilon=MUCH).value - (len(visits) - 1)) <= 2


def test_one_frame_has_one_payer_whatever_it_is_called(visits: pd.DataFrame) -> None:
    given = dict(privacy_unit="patient", budget={"epsilon": 1, "delta": 1e-9})
    with pytest.raises(RequestError) as refused:
        Session.from_dataframe({"a": visits, "b": visits}, public=["b"], **given)  # type: ignore[arg-type]
    assert "somebody else pays" in str(refused.value)
    Session.from_dataframe({"a": visits, "b": visits}, **given)  # type: ignore[arg-type]


def test_a_ledger_in_memory_does_not_answer_about_files(hospital: pathlib.Path, monkeypatch) -> None:
    monkeypatch.chdir(hospital)
    asked = Session.from_catalog((hospital / "pointillist.toml").read_text(), {})
    with pytest.raises(RequestError) as refused:
        asked.query(COUNT, epsilon=1)
    assert "not in memory" in refused.value.message


def test_what_is_stored_otherwise_than_declared_is_told(visits: pd.DataFrame) -> None:
    with pytest.warns(UserWarning, match="no number becomes NULL"):
        asked = session(visits, columns={"visits": {"region": (0, 5), "cost": (0, 1000)}})
    notes = asked.query("SELECT sum(cost) FROM visits", epsilon=1).notes
    assert any("rounded to steps of 1" in note for note in notes), "and rounding is told with every answer"


def test_numbers_of_one_name_are_all_there(visits: pd.DataFrame) -> None:
    answer = session(visits).query("SELECT count(*), count(age) FROM visits", epsilon=1)
    assert list(answer.to_dicts()[0]) == ["count", "count_2"]
    assert answer.to_polars().columns == ["count", "count_low", "count_high", "count_2", "count_low_2", "count_high_2"]
    assert answer["count_2"] == [answer.rows[0][1]]
    with pytest.raises(KeyError):
        answer["nothing"]


def test_a_drawing_of_a_rehearsal_says_so(visits: pd.DataFrame) -> None:
    sql = "SELECT region, count(*) AS n, avg(cost) AS cost FROM visits GROUP BY region"
    asked = session(visits)
    assert "DUMMY" in asked.rehearse(sql, epsilon=1).plot().svg
    answer = asked.query(sql, epsilon=1)
    assert "cost by region" in answer.plot("cost").svg and "DUMMY" not in answer.plot().svg
    with pytest.raises(RequestError):
        answer.plot("nothing")


def test_a_budget_shows_itself_and_changes_wait_for_the_owner(visits: pd.DataFrame, tmp_path: pathlib.Path) -> None:
    with session(visits, budget={"rho": "0.5", "delta": 1e-9}, ledger=tmp_path) as asked:
        asked.query(COUNT, rho="0.1234567")
        assert "rho 0.124" in repr(asked.budget()) and "rho 0.376" in repr(asked.budget())
        assert "<table>" in asked.budget()._repr_html_()
        assert asked.check()["protected"] and asked.changes() == []
    with session(visits, budget={"rho": "0.6", "delta": 1e-9}, ledger=tmp_path) as asked:
        with pytest.raises(PointillistError) as refused:
            asked.query("SELECT sum(age) FROM visits", rho="0.4")
        assert refused.value.kind == "budget_changed"
        assert len(asked.changes()) == 1
        assert len(asked.accept_changes()) == 1
        assert asked.query("SELECT sum(age) FROM visits", rho="0.4").paid


def test_arrays_that_lie_about_themselves_are_refused() -> None:
    bytes_of = pa.py_buffer(b"\xff\xfe\xfd")
    offsets = pa.py_buffer(np.array([0, 1, 3], dtype=np.int32).tobytes())
    no_text = pa.Array.from_buffers(pa.string(), 2, [None, offsets, bytes_of])
    keys = pa.array([0, 7], pa.int8())
    keyed = pa.DictionaryArray.from_arrays(keys, pa.array(["a"]), safe=False)
    for array in (no_text, keyed):
        with pytest.raises((PointillistError, ValueError)):
            table = pa.table({"who": pa.array([1, 2]), "word": array})
            Session.from_dataframe({"t": table}, privacy_unit="who", budget={"epsilon": 1}, model="pure")


def test_nothing_that_must_not_travel_is_pickled(visits: pd.DataFrame) -> None:
    asked = session(visits)
    answer = asked.query(COUNT, epsilon=1)
    for thing in (asked, answer, asked._backend.curator, answer._table):
        for travel in (pickle.dumps, copy.copy, copy.deepcopy):
            with pytest.raises(TypeError):
                travel(thing)
    with pytest.raises(BudgetError) as refused:
        asked.query("SELECT sum(age) FROM visits", epsilon=10**6)
    again = pickle.loads(pickle.dumps(refused.value))
    assert type(again) is BudgetError and again.hint == refused.value.hint


def test_rehearsals_and_quotes_are_free_and_about_nobody(visits: pd.DataFrame) -> None:
    asked = session(visits)
    rehearsed = asked.rehearse("SELECT region, count(*) AS n FROM visits GROUP BY region", epsilon=1)
    assert rehearsed.is_dummy and "DUMMY" in repr(rehearsed) and "dummy" in rehearsed.to_pandas().columns
    quote = asked.explain(COUNT, epsilon=1)
    assert quote.cost["epsilon_at_delta"]["epsilon"] == pytest.approx(1, rel=1e-6)
    assert "price" in repr(quote) and not quote.is_free
    assert asked.explain(COUNT, error=100, confidence=0.95).cost["rho"] > "0"
    assert asked.budget()["scopes"][0]["spent"]["rho"] == "0"


def test_parameters_stand_beside_the_statement(visits: pd.DataFrame) -> None:
    asked = session(visits)
    sql = "SELECT count(*) AS n FROM visits WHERE region = $1 AND age < $2"
    evil = "north' OR 'a' = 'a"
    truth = int(((visits.region == "north") & (visits.age < 50)).sum())
    assert abs(asked.query(sql, parameters=["north", 50], epsilon=MUCH).value - truth) <= 2
    assert abs(asked.query(sql, parameters=[evil, 50], epsilon=MUCH).value) <= 2
    assert abs(asked.query(sql, parameters=["north", np.int64(50)], epsilon=MUCH).value - truth) <= 2
    with pytest.raises(PointillistError):
        asked.query(sql, parameters=[["a", ["b"]], 50], epsilon=1)
    for wrong in (object(), b"north", float("nan"), "\ud800"):
        with pytest.raises(PointillistError):
            asked.query(sql, parameters=[wrong, 50], epsilon=1)
    assert abs(asked.query(sql, parameters=["north", decimal.Decimal(50)], epsilon=MUCH).value - truth) <= 2


def test_files_are_opened_and_the_command_line_has_the_same_answers(hospital: pathlib.Path, program: str) -> None:
    sql = "SELECT region, count(*) AS n, avg(cost) AS cost FROM visits GROUP BY region"
    with pointillist.open(hospital) as asked:
        assert {table["name"] for table in asked.tables["tables"]} == {"visits", "hospitals"}
        answer = asked.query(sql, epsilon="0.25")
        quote = asked.explain("SELECT sum(age) FROM visits", epsilon=1)
        public = asked.query("SELECT sum(beds) AS beds FROM hospitals")
        listed = asked.query("SHOW TABLES")
        assert public.value == 600 and public.cost is None and "free" in repr(public)
        assert len(listed) == 3 and listed.cost is None

    def told(*words: str) -> dict[str, object]:
        ran = subprocess.run([program, *words, "--json"], cwd=hospital, capture_output=True, text=True, check=False)
        return json.loads(ran.stdout)

    again = told("query", sql, "--epsilon", "0.25")
    assert again["rows"] == answer.rows and again["paid"] == "nothing" and again["cost"] == answer.cost
    assert told("explain", "SELECT sum(age) FROM visits", "--epsilon", "1") == quote.to_dict()
    with pointillist.open(hospital / "pointillist.toml") as asked:
        assert asked.budget() == told("budget")
        assert not asked.query(sql, epsilon=0.25).paid
        refused = told("query", "SELECT * FROM visits")["error"]
        with pytest.raises(RefusedError) as error:
            asked.query("SELECT * FROM visits")
        assert (error.value.kind, error.value.message) == (refused["kind"], refused["message"])
        assert [entry["kind"] for entry in asked.history()]


def test_an_analyst_has_a_share_and_sees_only_it(hospital: pathlib.Path) -> None:
    with pointillist.open(hospital) as owner:
        owner.query(COUNT, epsilon=1)
    with pointillist.open(hospital, analyst="ana") as ana:
        answer = ana.query("SELECT sum(age) FROM visits", rho="0.1")
        assert answer.receipt["analyst"] == "ana" and answer.receipt["seq"] is None
        with pytest.raises(BudgetError):
            ana.query("SELECT sum(cost) FROM visits", rho="0.45")
        assert "owner" not in json.dumps(ana.budget())
        assert len(ana.history()) == 1
    with pointillist.open(hospital, analyst="nobody") as nobody, pytest.raises(PointillistError) as refused:
        nobody.query(COUNT, epsilon=1)
    assert refused.value.kind in ("unknown_analyst", "no_share")


def test_one_ledger_has_one_writer_and_is_given_back(hospital: pathlib.Path) -> None:
    first, second = pointillist.open(hospital), pointillist.open(hospital, wait=0)
    first.query(COUNT, epsilon=1)
    assert second.explain("SELECT sum(age) FROM visits", epsilon=1).cost, "quotes lock nothing"
    with pytest.raises(EnvironmentFailure) as refused:
        second.query("SELECT sum(age) FROM visits", epsilon=1)
    assert refused.value.kind == "ledger_in_use"
    first.close()
    second.query("SELECT sum(age) FROM visits", epsilon=1)
    second.close()
    assert not first.query(COUNT, epsilon=1).paid, "a closed session opens again"


def test_a_durable_ledger_outlives_a_session_over_frames(visits: pd.DataFrame, tmp_path: pathlib.Path) -> None:
    budget = {"epsilon": 1, "delta": 1e-9}
    with session(visits, budget=budget, ledger=tmp_path) as asked:
        first = asked.query(COUNT, epsilon=0.9)
    with session(visits, budget=budget, ledger=tmp_path) as asked:
        assert asked.query(COUNT, epsilon=0.9).rows == first.rows
        with pytest.raises(BudgetError):
            asked.query("SELECT sum(age) FROM visits", epsilon=0.5)
    # Rows that changed are another version: nothing recorded is theirs, and the budget is still the same people's.
    with session(visits, budget=budget, ledger=tmp_path, version="2") as asked, pytest.raises(BudgetError):
        asked.query(COUNT, epsilon=0.9)


def test_closing_a_session_in_memory_does_not_renew_its_budget(visits: pd.DataFrame) -> None:
    with session(visits, budget={"epsilon": 1, "delta": 1e-9}) as asked:
        asked.query(COUNT, epsilon=0.9)
    for use in (lambda: asked.query("SELECT sum(age) FROM visits", epsilon=0.9), asked.budget, lambda: asked.tables):
        with pytest.raises(EnvironmentFailure) as refused:
            use()
        assert "closed" in refused.value.message and "ledger" in refused.value.hint
    asked.close()


def test_a_declared_graph_is_asked_about(hospital: pathlib.Path) -> None:
    with pointillist.open(hospital) as asked:
        answer = asked.graph("contacts", "edges", epsilon=100)
        assert answer.paid and answer.rows
        with pytest.raises(PointillistError):
            asked.graph("contacts", "happiness", epsilon=1)
        with pytest.raises(PointillistError):
            asked.graph("nowhere", "edges", epsilon=1)


def test_threads_share_a_session_and_pay_once(visits: pd.DataFrame) -> None:
    asked = session(visits)
    answers: list[int] = []
    errors: list[BaseException] = []

    def ask(number: int) -> None:
        try:
            for _ in range(5):
                answers.append(asked.query(COUNT, epsilon="0.01").value)
                asked.query(f"SELECT count(*) FROM visits WHERE age < {number}", epsilon="0.01")
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(1, 9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors and len(set(answers)) == 1
    one = asked.explain("SELECT sum(age) FROM visits", epsilon="0.01").cost["rho"]
    spent = float(asked.budget()["scopes"][0]["spent"]["rho"])
    assert spent == pytest.approx(9 * float(one), rel=1e-9), "one count for all, and one for each"


def _draws(queue: object) -> None:
    queue.put(pointillist.noise.discrete_laplace(10**12, size=200).tolist())  # type: ignore[attr-defined]


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_no_noise_repeats_across_processes(method: str) -> None:
    # 800 draws of scale 1e12 have two equal ones with a probability below 1e-6; a whole list of 200 repeats with one
    # below 1e-2000, so lists are compared, not single draws.
    pointillist.noise.discrete_laplace(10**12, size=10)
    context = multiprocessing.get_context(method)
    queue = context.Queue()
    processes = [context.Process(target=_draws, args=(queue,)) for _ in range(3)]
    for process in processes:
        process.start()
    lists = [queue.get(timeout=60) for _ in processes]
    for process in processes:
        process.join()
    lists.append(pointillist.noise.discrete_laplace(10**12, size=200).tolist())
    for place, draws in enumerate(lists):
        for other in lists[place + 1 :]:
            assert len(set(draws) & set(other)) < 3


def test_a_session_does_not_survive_a_fork(hospital: pathlib.Path) -> None:
    asked = pointillist.open(hospital)
    asked.query(COUNT, epsilon=1)
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        said = "nothing"
        try:
            asked.query("SELECT sum(age) FROM visits", epsilon=1)
        except EnvironmentFailure as error:
            said = error.message
        except BaseException as error:
            said = repr(error)
        del asked
        gc.collect()
        os.write(writer, said.encode())
        os._exit(0)
    os.waitpid(child, 0)
    assert os.read(reader, 1000).decode() == "this session was opened in another process"
    # The parent's ledger is as it was, and still locked.
    assert asked.query("SELECT max(age) FROM visits", epsilon=1).paid
    with pytest.raises(EnvironmentFailure):
        pointillist.open(hospital, wait=0).query("SELECT sum(cost) FROM visits", epsilon=1)


SLOW = """
import sys, time, pandas as pd, numpy as np, pointillist
rows = 6_000_000
frame = pd.DataFrame({"who": np.arange(rows) % 2_000_000, "x": np.arange(rows) % 97})
asked = pointillist.Session.from_dataframe({"t": frame}, privacy_unit="who", budget={"epsilon": 100, "delta": 1e-9},
    max_groups=50, max_contributions=3, columns={"t": {"x": (0, 96)}})
print("ready", flush=True)
started = time.monotonic()
try:
    while True:
        asked.query("SELECT x, count(*), sum(x) FROM t GROUP BY x", epsilon=str(1 + time.monotonic_ns() % 10**6 / 10**9))
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


def test_ctrl_c_gives_the_prompt_back() -> None:
    process = subprocess.Popen([sys.executable, "-c", SLOW], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    told, _ = process.communicate(timeout=120)
    assert told == "interrupted\n" and process.returncode == 0


def test_other_threads_run_while_a_question_is_answered() -> None:
    rows = 2_000_000
    frame = pd.DataFrame({"who": np.arange(rows), "x": np.arange(rows) % 97})
    asked = Session.from_dataframe({"t": frame}, privacy_unit="who", budget={"epsilon": 10, "delta": 1e-9},
                                   max_groups=1, max_contributions=1, columns={"t": {"x": (0, 96)}})  # fmt: skip
    beats, stop = [0], threading.Event()

    def beat() -> None:
        while not stop.is_set():
            beats[0] += 1
            time.sleep(0.001)

    thread = threading.Thread(target=beat)
    thread.start()
    before = beats[0]
    asked.query("SELECT x, count(*) FROM t GROUP BY x", epsilon=1)
    during = beats[0] - before
    stop.set()
    thread.join()
    assert during >= 3, "the interpreter's lock was held"


def test_progress_moves_a_bar(visits: pd.DataFrame) -> None:
    told: list[tuple[str, float]] = []
    asked = session(visits)
    sql = "SELECT * FROM synth('mst', 'SELECT region, age FROM visits', 'rows = 10')"
    asked.query(sql, epsilon=1, progress=lambda stage, done: told.append((stage, done)))
    assert told and all(0 <= done <= 1 for _, done in told)
    tqdm = pytest.importorskip("tqdm")
    with tqdm.tqdm(disable=False, file=open(os.devnull, "w")) as bar:
        asked.query(sql, epsilon=2, progress=bar)
        assert 0 < bar.n <= 1


def test_a_callback_may_ask_and_may_raise(visits: pd.DataFrame) -> None:
    asked = session(visits)
    sql = "SELECT * FROM synth('mst', 'SELECT region, age FROM visits', 'rows = 10')"
    seen: list[object] = []

    def nosy(stage: str, done: float) -> None:
        if not seen:
            seen.append(asked.explain(sql, epsilon=1).is_free)
            seen.append(asked.query(sql, epsilon=1).rows)

    assert asked.query(sql, epsilon=1, progress=nosy).rows == seen[1]

    def angry(stage: str, done: float) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        asked.query(sql, epsilon=2, progress=angry)
    assert not asked.query(sql, epsilon=2).paid, "it was begun, and went on"


def test_whoever_gives_up_before_the_debit_pays_nothing(hospital: pathlib.Path) -> None:
    first = pointillist.open(hospital)
    first.query(COUNT, epsilon=1)
    code = (
        "import sys, threading, time, _thread, pointillist\n"
        "asked = pointillist.open(sys.argv[1], wait=30)\n"
        "threading.Timer(0.5, _thread.interrupt_main).start()\n"
        "try:\n    asked.query('SELECT sum(age) FROM visits', epsilon=1)\n"
        "except KeyboardInterrupt:\n    print('interrupted', flush=True)\n"
        "sys.stdin.readline(); time.sleep(1)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code, str(hospital)], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, text=True)  # fmt: skip
    assert process.stdout is not None and process.stdin is not None
    assert process.stdout.readline() == "interrupted\n"
    spent = first.budget()["scopes"][0]["spent"]
    first.close()
    process.communicate("go\n", timeout=60)
    assert pointillist.open(hospital).budget()["scopes"][0]["spent"] == spent


def test_memory_stays_level_over_many_questions(visits: pd.DataFrame) -> None:
    asked = session(visits)

    def resident() -> int:
        for line in open("/proc/self/status"):
            if line.startswith("VmRSS"):
                return int(line.split()[1])
        pytest.skip("this machine has no /proc")

    def ask(times: int) -> None:
        for _ in range(times):
            asked.query(COUNT, epsilon=1)
            asked.explain("SELECT sum(age) FROM visits", epsilon=1)
            pointillist.noise.discrete_laplace(10, size=100)

    ask(700)
    before = resident()
    ask(1_500)
    assert resident() - before < 4_000, "kB for 4,500 calls: a kilobyte left behind by each would be more"


def test_importing_is_quick_and_brings_nothing_along() -> None:
    code = (
        "import sys; import pointillist; "
        "print([name for name in ('numpy', 'pandas', 'sklearn', 'pyarrow', 'polars') if name in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"


def test_there_is_no_seed() -> None:
    package = pathlib.Path(pointillist.__file__).parent
    for path in [*package.rglob("*.py"), *package.rglob("*.pyi")]:
        for line in path.read_text().splitlines():
            words = line.lower()
            if "seed" in words:
                assert "no seed" in words or "without a seed" in words or "random_state" in words, f"{path}: {line}"
