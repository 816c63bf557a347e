"""A curator behind a server: its HTTP door, spoken with Python's own library."""

from __future__ import annotations

import http.client
import json
import ssl
import urllib.error
import urllib.parse
import urllib.request
import uuid
from collections.abc import Callable
from typing import Any

from ._native.curator import AnswerTable
from .answer import Answer, Quote
from .answer import plain as _plain
from .errors import EnvironmentFailure, PointillistError, RequestError, of_kind

Options = list[tuple[str, str]]

#: Hosts of this machine, to which a token may go without TLS.
_THIS_MACHINE = ("127.0.0.1", "localhost", "::1")


#: The most bytes of a reply.
_REPLY_MAX = 1 << 28


def _bytes(reply: Any) -> bytes:
    read: bytes = reply.read(_REPLY_MAX + 1)
    if len(read) > _REPLY_MAX:
        raise ValueError("too long")
    return read


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A token goes to the address that it was given for, and to no other."""

    def redirect_request(self, req: Any, fp: Any, code: Any, msg: Any, headers: Any, newurl: Any) -> None:
        return None


class Remote:
    """A server, and who asks it."""

    def __init__(self, address: str, token: str, timeout: float) -> None:
        parts = urllib.parse.urlsplit(address)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
            raise RequestError(f"{address!r} is no address of a server", "write https://host:port")
        if parts.username is not None:
            raise RequestError("the address has a name before its host", "give the token as `token`")
        if parts.scheme == "http" and parts.hostname not in _THIS_MACHINE:
            raise RequestError(
                "a token would travel in the open", "use https://, or http:// on this machine alone"
            )
        token = token.strip()
        if not token or not token.isascii() or not token.isprintable() or " " in token:
            # Said without the token: errors are printed and kept.
            raise RequestError("that is no token", "give the token as the server printed it, in one word")
        self._address = address.rstrip("/")
        self._token = token
        self._timeout = timeout
        handlers: list[urllib.request.BaseHandler] = [
            _NoRedirect(),
            urllib.request.HTTPSHandler(context=ssl.create_default_context()),
        ]
        if parts.scheme == "http":
            # A proxy of the environment would read the token.
            handlers.append(urllib.request.ProxyHandler({}))
        self._opener = urllib.request.build_opener(*handlers)

    def _call(self, path: str, body: dict[str, Any] | None = None) -> str:
        headers = {"Authorization": f"Bearer {self._token}", "Accept": "application/json"}
        data = None
        if body is not None:
            headers["Content-Type"] = "application/json"
            data = json.dumps(body).encode()
        request = urllib.request.Request(self._address + path, data=data, headers=headers)
        try:
            with self._opener.open(request, timeout=self._timeout) as reply:
                text: str = _bytes(reply).decode()
                if not isinstance(json.loads(text), dict):
                    raise ValueError("no object")
                return text
        except urllib.error.HTTPError as error:
            raise _problem(error.code, _bytes(error)) from None
        except (urllib.error.URLError, OSError, http.client.HTTPException, ValueError) as error:
            reason = getattr(error, "reason", None) or type(error).__name__
            named = (body or {}).get("request_id")
            again = "" if named is None else f"; with request_id={named!r} it may be asked again and is paid once"
            raise EnvironmentFailure(
                f"the server at {self._address} does not answer: {_plain(str(reason))}",
                f"look whether it runs{again}",
                kind="environment",
            ) from None

    def _ask(self, path: str, options: Options, parameters: str, **more: Any) -> str:
        body: dict[str, Any] = {name: value for name, value in more.items() if value is not None}
        body.update(options)
        values = json.loads(parameters)
        if values:
            body["parameters"] = values
        return self._call(path, body)

    def query(
        self,
        sql: str,
        options: Options,
        parameters: str,
        request_id: str | None,
        progress: Callable[[str, float], object] | None,
    ) -> Answer | Quote:
        # A name of its own makes it safe to send a question again after a lost connection.
        request_id = request_id or str(uuid.uuid4())
        text = self._ask("/v1/query", options, parameters, sql=sql, request_id=request_id)
        return _answer(text) if "rows" in json.loads(text) else Quote(text, [])

    def explain(self, sql: str, options: Options, parameters: str) -> Quote:
        return Quote(self._ask("/v1/explain", options, parameters, sql=sql), [])

    def rehearse(self, sql: str, options: Options, parameters: str) -> Answer:
        return _answer(self._ask("/v1/rehearse", options, parameters, sql=sql))

    def graph(
        self, graph: str, statistic: str, method: str | None, options: Options, request_id: str | None
    ) -> Answer:
        names = "/".join(urllib.parse.quote(name, safe="") for name in (graph, statistic))
        request_id = request_id or str(uuid.uuid4())
        return _answer(self._ask(f"/v1/graph/{names}", options, "[]", method=method, request_id=request_id))

    def budget(self) -> Any:
        return json.loads(self._call("/v1/budget"))

    def history(self) -> Any:
        # The server tells the newest first, and the ledger the oldest.
        return json.loads(self._call("/v1/history"))["history"][::-1]

    def tables(self) -> Any:
        return json.loads(self._call("/v1/catalog"))

    def close(self) -> None:
        """Nothing is held."""

    def words(self) -> str:
        return f"at {self._address}"


def _answer(text: str) -> Answer:
    said = json.loads(text)
    words = _words(said)
    price = dict(words).get("price", "free")
    table = AnswerTable.from_json(text, price, said.get("dummy") is True)
    kind = "rehearsal" if said.get("dummy") else "answer" if "cost" in said else "public"
    return Answer(text, table, words, kind)


def _words(said: dict[str, Any]) -> list[tuple[str, str]]:
    cost = said.get("cost") or said.get("would_cost")
    if cost is None:
        return [("price", "free")] if said.get("free") else []
    price = _price(cost)
    if said.get("dummy"):
        return [("price", f"nothing; a real answer would cost {price}")]
    if said.get("paid") != "in_full":
        price += "; asked before, nothing was paid"
    words = [("price", price)]
    budget = said.get("budget")
    if budget:
        left = ", ".join(
            f"{name.removeprefix('remaining_')} {value}" for name, value in budget.items() if name != "more"
        )
        words.append(("left", f"{left}; {budget.get('more', 0)} more like this"))
    receipt = said.get("receipt") or {}
    if receipt.get("hash"):
        words.append(("receipt", f"{receipt['hash'][:12]}…"))
    return words


def _price(cost: dict[str, Any]) -> str:
    at = cost.get("epsilon_at_delta")
    exact = ", ".join(f"{name} {cost[name]}" for name in ("rho", "epsilon", "delta") if cost.get(name) is not None)
    return exact if at is None else f"ε {at['epsilon']:.3g} at δ {at['delta']:.3g} ({exact})"


#: Kinds that are refusals, and kinds that are nobody's fault: all others are the asker's.
_REFUSED = frozenset({"privacy", "refused", "budget", "no_share", "budget_changed", "forbidden"})
_OUTSIDE = frozenset({"data_unavailable", "charged_in_vain", "ledger", "ledger_in_use", "unverified", "environment"})


def _problem(status: int, body: bytes) -> PointillistError:
    try:
        said = json.loads(body)
    except ValueError:
        said = {}
    if not isinstance(said, dict) or "detail" not in said:
        return EnvironmentFailure(f"the server answered with status {status}", kind="environment")
    kind = str(said.get("code", "request"))
    code = 3 if kind in _REFUSED else 1 if kind in _OUTSIDE or status >= 500 else 2
    hint = said.get("hint")
    hint = None if hint is None else _plain(str(hint))
    return of_kind(kind, _plain(str(said["detail"])), hint, said.get("sqlstate"), code)
