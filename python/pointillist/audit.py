"""Attempts to refute a promise, of ours or of anybody's."""

from __future__ import annotations
