"""What an adversary learns from what others publish."""

from __future__ import annotations
