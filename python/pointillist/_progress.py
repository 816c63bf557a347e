"""Who is told how far long work is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

#: A function of a stage and a part from 0 to 1, or a bar such as tqdm's.
Progress: TypeAlias = "Callable[[str, float], object] | Any"


def told(progress: Progress | None) -> Callable[[str, float], object] | None:
    """The function that is called; a bar is moved."""
    if progress is None or not hasattr(progress, "update"):
        return progress
    bar: Any = progress
    bar.total = 1.0

    def move(stage: str, done: float) -> None:
        if hasattr(bar, "set_description"):
            bar.set_description(stage, refresh=False)
        bar.update(done - bar.n)

    return move
