"""Mechanisms by themselves, for whoever keeps their own books."""

from __future__ import annotations
