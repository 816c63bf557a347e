"""Differential privacy with exact arithmetic: see the picture, never the dot."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from . import errors as errors
from ._native import __version__ as __version__
from .errors import PointillistError as PointillistError

if TYPE_CHECKING:
    from . import accounting as accounting
    from . import attack as attack
    from . import audit as audit
    from . import graph as graph
    from . import learn as learn
    from . import local as local
    from . import mechanisms as mechanisms
    from . import migrate as migrate
    from . import noise as noise
    from . import sklearn as sklearn
    from . import synth as synth
    from .answer import Answer as Answer
    from .answer import Quote as Quote
    from .session import Session as Session
    from .session import connect as connect
    from .session import open as open

#: Modules that are imported when they are first named, so that ``import pointillist`` takes milliseconds.
_LAZY = (
    "accounting", "attack", "audit", "graph", "learn", "local", "mechanisms", "migrate", "noise", "sklearn", "synth",
)  # fmt: skip

#: Names from modules that are imported in the same way.
_FROM = {"Answer": "answer", "Quote": "answer", "Session": "session", "connect": "session", "open": "session"}

__all__ = [
    "Answer", "PointillistError", "Quote", "Session", "__version__", "accounting", "attack", "audit", "connect", "errors",
    "graph", "learn", "local", "mechanisms", "migrate", "noise", "open", "sklearn", "synth",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return importlib.import_module(f"{__name__}.{name}")
    if name in _FROM:
        return getattr(importlib.import_module(f"{__name__}.{_FROM[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
