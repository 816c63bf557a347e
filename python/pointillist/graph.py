"""Statistics of graphs that the owner holds in memory."""

from __future__ import annotations
