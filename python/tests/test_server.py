"""A session with a server: the same object, the same answers."""

from __future__ import annotations

import http.server
import json
import subprocess
import threading
from collections.abc import Iterator

import pytest

import pointillist
from pointillist.errors import EnvironmentFailure, PointillistError, RefusedError, RequestError


@pytest.fixture(scope="module")
def server(program: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    words = [program, "serve", "--demo", "--postgres", "127.0.0.1:0", "--http", "127.0.0.1:0", "--json"]
    folder = tmp_path_factory.mktemp("served")
    process = subprocess.Popen(words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert process.stdout is not None
    yield json.loads(process.stdout.readline())
    process.kill()
    process.wait()


def test_a_server_is_asked_as_a_curator_is(server: dict[str, str]) -> None:
    asked = pointillist.connect(server["http"], token=server["token"])
    tables = asked.tables["tables"]
    assert any(table["name"] == "visits" for table in tables)
    sql = "SELECT region, count(*) AS n FROM visits GROUP BY region"
    quote = asked.explain(sql, epsilon="0.1")
    assert quote.cost and float(quote.cost["rho"]) > 0
    answer = asked.query(sql, epsilon=0.1)
    assert answer.paid and answer.cost["rho"] == quote.cost["rho"]
    assert "price" in repr(answer) and "<table>" in answer._repr_html_() and "<svg" in answer.plot().svg
    frame = answer.to_pandas()
    assert list(frame.columns) == ["region", "n", "n_low", "n_high"]
    assert all(frame.n_low < frame.n) and all(frame.n < frame.n_high)
    again = asked.query(sql, epsilon=0.1)
    assert not again.paid and again.rows == answer.rows
    assert asked.rehearse(sql, epsilon=0.1).is_dummy
    assert asked.query("SHOW TABLES").rows
    assert asked.budget()["scopes"] and asked.history()
    named = asked.query("SELECT count(*) FROM visits WHERE region = $1", parameters=["north"], epsilon="0.01",
                        request_id="mine")  # fmt: skip
    assert asked.query("SELECT count(*) FROM visits WHERE region = $1", parameters=["north"], epsilon="0.01",
                       request_id="mine").rows == named.rows  # fmt: skip


def test_a_server_refuses_as_a_curator_does(server: dict[str, str]) -> None:
    asked = pointillist.connect(server["http"], token=server["token"])
    for sql, kind, error in [
        ("SELECT * FROM visits", "privacy", RefusedError),
        ("SELECT count(*) FROM nowhere", "unknown_table", RequestError),
        ("EXPLAIN SELECT count(*) FROM visits", "request", RequestError),
    ]:
        with pytest.raises(error) as refused:
            asked.query(sql, epsilon=1)
        assert refused.value.kind == kind and refused.value.hint
    with pytest.raises(RefusedError):
        asked.query("SELECT count(*) FROM visits", epsilon=10**6)
    stranger = pointillist.connect(server["http"], token="wrong")
    with pytest.raises(PointillistError) as refused:
        stranger.query("SELECT count(*) FROM visits", epsilon=1)
    assert refused.value.kind == "unauthorized"


def test_a_token_goes_nowhere_in_the_open() -> None:
    for address in ["http://example.org", "ftp://example.org", "example.org", "https://", "https://u:p@example.org"]:
        with pytest.raises(RequestError):
            pointillist.connect(address, token="secret")


def test_a_token_is_in_no_error(server: dict[str, str]) -> None:
    assert pointillist.connect(server["http"], token=server["token"] + "\n").budget()
    for token in ["", "SECRET WORD", "SECRET\nWORD", "SECRETé"]:
        with pytest.raises(RequestError) as refused:
            pointillist.connect(server["http"], token=token)
        assert "SECRET" not in str(refused.value)


class _Strange(http.server.BaseHTTPRequestHandler):
    replies = [b"<html>", b"\xff\xfe", b"null", b"[1, 2]"]

    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(self.replies.pop(0))

    def log_message(self, *_: object) -> None:
        """Quiet."""


def test_replies_that_are_not_ours_are_told_in_words() -> None:
    with http.server.HTTPServer(("127.0.0.1", 0), _Strange) as stranger:
        thread = threading.Thread(target=stranger.serve_forever)
        thread.start()
        asked = pointillist.connect(f"http://127.0.0.1:{stranger.server_port}", token="secret")
        for _ in range(4):
            with pytest.raises(EnvironmentFailure):
                asked.budget()
        stranger.shutdown()
        thread.join()


def test_a_server_that_is_away_is_told_in_words() -> None:
    with pytest.raises(EnvironmentFailure) as refused:
        pointillist.connect("http://127.0.0.1:1", token="secret").budget()
    assert "does not answer" in refused.value.message and "secret" not in str(refused.value)
