"""What losses add up to: the calculators of every door."""

from __future__ import annotations
