"""Drawings: SVG that Pointillist makes itself, so that a plot needs no other package."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Plot"]


@dataclass(frozen=True)
class Plot:
    """A drawing as SVG: notebooks show it, and :meth:`save` writes it to a file."""

    svg: str

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the drawing to a file."""
        Path(path).write_text(self.svg, encoding="utf-8")

    def __str__(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"<Plot: SVG of {len(self.svg)} characters; save(path) writes it>"
