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
    from . import local as local
    from . import mechanisms as mechanisms
    from . import noise as noise

#: Modules that are imported when they are first named, so that ``import pointillist`` takes milliseconds.
_LAZY = ("accounting", "attack", "audit", "graph", "local", "mechanisms", "noise")

__all__ = ["PointillistError", "__version__", "errors", *_LAZY]


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
