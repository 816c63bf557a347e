"""The local model: everyone randomizes their own answer."""

from __future__ import annotations
