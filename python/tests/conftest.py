# requires: pytest numpy pandas polars pyarrow duckdb scikit-learn networkx igraph scipy tqdm mypy pyright pandas-stubs pyarrow-stubs nbclient nbformat ipykernel
"""What all tests share: a small made-up hospital, as files and as frames."""

from __future__ import annotations

import os
import pathlib
import shutil

import numpy as np
import pandas as pd
import pytest

#: The seed of made-up people. Noise has none.
PEOPLE = 20_261_118

CATALOG = """
[scope.patients]
budget = { epsilon = 4000, delta = 1e-9 }

[table.visits]
scope = "patients"
source = "visits.csv"
privacy_unit = "patient"
max_groups = 3
max_contributions = 5

[table.visits.columns]
patient = { type = "integer" }
region = { type = "text", public_keys = ["north", "south", "east"] }
ward = { type = "text" }
age = { type = "integer", lower = 0, upper = 120 }
cost = { type = "decimal", lower = 0, upper = 1000, step = 0.01 }

[table.hospitals]
public = true
source = "hospitals.csv"
[table.hospitals.columns]
region = { type = "text" }
beds = { type = "integer" }

[graph.contacts]
scope = "patients"
source = "contacts.csv"
privacy = "node"
first_line = "names"

[analyst.ana]
shares = { patients = { rho = 0.5, delta = 1e-10 } }
"""

COLUMNS = {
    "region": ["north", "south", "east"],
    "ward": "text",
    "age": (0, 120),
    "cost": {"type": "decimal", "lower": 0, "upper": 1000, "step": "0.01"},
}


def made_up_visits(people: int = 1_000) -> pd.DataFrame:
    """Two visits a person."""
    draw = np.random.default_rng(PEOPLE)
    rows = 2 * people
    return pd.DataFrame(
        {
            "patient": np.repeat(np.arange(people), 2),
            "region": draw.choice(["north", "south", "east"], rows),
            "ward": draw.choice(["a", "b"], rows),
            "age": draw.integers(0, 120, rows),
            "cost": np.round(draw.uniform(0, 1000, rows), 2),
        }
    )


@pytest.fixture
def visits() -> pd.DataFrame:
    return made_up_visits()


@pytest.fixture
def hospital(tmp_path: pathlib.Path, visits: pd.DataFrame) -> pathlib.Path:
    """A folder with a catalog and its files."""
    visits.to_csv(tmp_path / "visits.csv", index=False)
    (tmp_path / "hospitals.csv").write_text("region,beds\nnorth,100\nsouth,200\neast,300\n")
    ties = "\n".join(f"{a},{b}" for a in range(12) for b in range(a + 1, 12))
    (tmp_path / "contacts.csv").write_text(f"a,b\n{ties}\n")
    (tmp_path / "pointillist.toml").write_text(CATALOG)
    return tmp_path


@pytest.fixture(scope="session")
def program() -> str:
    """The command line, where it was built: POINTILLIST says where it is."""
    found = os.environ.get("POINTILLIST") or shutil.which("pointillist")
    if found is None:
        pytest.skip("there is no `pointillist` to compare with: set POINTILLIST to its path")
    return found
