"""What is granted, spent and left."""

from __future__ import annotations

import html
from decimal import ROUND_DOWN, ROUND_HALF_EVEN, ROUND_UP, Decimal
from typing import Any

__all__ = ["Budget"]


class Budget(dict[str, Any]):
    """The balances of a ledger: the JSON of every door as a dict, and a table for people.

    Amounts in it are exact, as texts. In the table what is spent is rounded up, and what is left down.

    >>> Budget({"scopes": [{"scope": "people", "granted": {"rho": "0.5"}, "spent": {"rho": "0.1234567"},
    ...                     "remaining": {"rho": "0.3765433"}}]})
    scope   spent      left       of
    people  rho 0.124  rho 0.376  rho 0.5
    """

    def _rows(self) -> list[tuple[str, str, str, str]]:
        rows = []
        for scope in self.get("scopes", []):
            rows.append((str(scope.get("scope")), *_amounts(scope)))
            for share in scope.get("analysts", []):
                if share.get("granted") is not None:
                    rows.append((f"  {share.get('analyst')}", *_amounts(share)))
        return rows

    def __repr__(self) -> str:
        rows = [("scope", "spent", "left", "of"), *self._rows()]
        widths = [max(len(row[place]) for row in rows) for place in range(4)]
        return "\n".join(
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows
        )

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{name}</th>" for name in ("scope", "spent", "left", "of"))
        body = "".join(
            "<tr>" + "".join(f'<td style="text-align:left">{html.escape(cell)}</td>' for cell in row) + "</tr>"
            for row in self._rows()
        )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _amounts(balance: dict[str, Any]) -> tuple[str, str, str]:
    return (
        _words(balance.get("spent"), ROUND_UP),
        _words(balance.get("remaining"), ROUND_DOWN),
        _words(balance.get("granted"), ROUND_DOWN),
    )


def _words(amount: dict[str, str] | None, rounding: str) -> str:
    if amount is None:
        return "nothing said"
    parts = [f"{name} {_short(value, rounding)}" for name, value in amount.items() if Decimal(value) or name != "delta"]
    return ", ".join(parts)


def upwards(loss: float) -> str:
    """A loss at a glance, rounded up. What is above a short number by less than a float can say is that number."""
    exact = Decimal(repr(loss)).quantize(Decimal("1e-12"), rounding=ROUND_HALF_EVEN)
    return _short(str(exact), ROUND_UP)


def _short(value: str, rounding: str) -> str:
    """Three digits, rounded in a direction."""
    exact = Decimal(value)
    if not exact:
        return "0"
    rounded = exact.quantize(Decimal(1).scaleb(exact.adjusted() - 2), rounding=rounding)
    return f"{rounded.normalize():g}" if abs(rounded) >= Decimal("0.001") else f"{rounded:.2e}"
