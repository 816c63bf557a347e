"""Pages with plots and explanations, for notebooks and for files."""

from __future__ import annotations

import datetime
import html
import os
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Page", "today"]


def today() -> str:
    """The day at the foot of a page."""
    return datetime.datetime.now(datetime.timezone.utc).date().isoformat()


@dataclass(frozen=True)
class Page:
    """A page as HTML: notebooks show it in a frame of its own, and :meth:`save` writes it to a file."""

    html: str

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the page to a file."""
        Path(path).write_text(self.html, encoding="utf-8")

    def _repr_html_(self) -> str:
        # A frame keeps the page's styles from the notebook's, and the other way round.
        return f'<iframe srcdoc="{html.escape(self.html)}" width="100%" height="640" style="border:0"></iframe>'

    def __str__(self) -> str:
        return self.html

    def __repr__(self) -> str:
        return f"<Page: HTML of {len(self.html)} characters; save(path) writes it>"
