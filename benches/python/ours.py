# requires: numpy pandas polars pyarrow scikit-learn
"""Pointillist, through its Python module."""

from __future__ import annotations

import os
import subprocess
import sys

sys.path.insert(0, os.environ["POINTILLIST_PACKAGES"])
ROWS = os.environ["POINTILLIST_ROWS"]

from measure import main  # noqa: E402

GROUPED = "SELECT grp, count(*) AS n FROM rows GROUP BY grp"


def noise(law: str, scale: float):
    def task():
        import pointillist

        draw = getattr(pointillist.noise, law)
        return lambda: draw(scale, size=1_000_000), 1.0

    return task


def composed(mechanisms):
    def task():
        from pointillist import accounting

        asked = mechanisms(accounting)
        return lambda: accounting.epsilon(asked, delta="1e-6"), 1.0

    return task


def many(accounting):
    mechanisms = [accounting.Gaussian(sigma=f"{40 + 0.1 * i:.1f}") for i in range(400)]
    mechanisms += [accounting.Laplace(scale=f"{40 + 0.1 * i:.1f}") for i in range(400)]
    mechanisms += [accounting.Gaussian(sigma=1, sampling_rate=f"{0.01 + 0.00001 * i:.5f}") for i in range(200)]
    return mechanisms


def declared(frame):
    import pointillist

    return pointillist.Session.from_dataframe(
        {"rows": frame}, privacy_unit="uid", budget={"epsilon": 1000, "delta": 1e-3}, max_groups=10,
        max_contributions=10, columns={"rows": {"grp": (0, 999), "x": (0, 100)}},
    )  # fmt: skip


def from_file():
    import pathlib

    import pointillist

    folder = pathlib.Path(ROWS).parent
    catalog = folder / "pointillist.toml"
    catalog.write_text(
        '[scope.people]\nbudget = { epsilon = 1000, delta = 1e-3 }\n[table.rows]\nscope = "people"\n'
        f'source = "{pathlib.Path(ROWS).name}"\nprivacy_unit = "uid"\nmax_groups = 10\nmax_contributions = 10\n'
        '[table.rows.columns]\ngrp = { type = "integer", lower = 0, upper = 999 }\n'
        'x = { type = "integer", lower = 0, upper = 100 }\n'
        f'[ledger]\nfolder = "ledger-{os.getpid()}"\nanchor = "anchor-{os.getpid()}"\n'
    )
    session = pointillist.open(catalog)
    prices = iter(range(1, 100))
    return lambda: session.query(GROUPED, epsilon=f"1.00{next(prices)}"), 1.0


def from_polars():
    import polars

    session = declared(polars.read_parquet(ROWS))
    prices = iter(range(1, 100))
    return lambda: session.query(GROUPED, epsilon=f"1.00{next(prices)}"), 1.0


def importing():
    environment = {**os.environ, "PYTHONPATH": os.environ["POINTILLIST_PACKAGES"]}
    return lambda: subprocess.run([sys.executable, "-c", "import pointillist"], env=environment, check=True), 1.0


def nothing_imported():
    return lambda: subprocess.run([sys.executable, "-c", "pass"], check=True), 1.0


def first_count():
    import numpy as np
    import pandas as pd

    frame = pd.DataFrame({"uid": np.arange(10_000), "grp": np.arange(10_000) % 1000, "x": 1})
    import pointillist

    return lambda: declared(frame).query("SELECT count(*) FROM rows", epsilon=1), 1.0


def logistic():
    import numpy as np

    from pointillist.sklearn import LogisticRegression

    features, labels = classes()
    model = LogisticRegression(epsilon=1, delta=1e-6, bounds=(-4.0, 4.0), classes=[0, 1])
    return lambda: model.fit(features, labels), 1.0


def classes():
    import numpy as np

    draw = np.random.default_rng(1)
    features = draw.normal(size=(50_000, 20)).clip(-4, 4)
    weights = draw.normal(size=20)
    return features, (features @ weights + draw.logistic(size=50_000) > 0).astype(int)


main(
    "Pointillist",
    {
        "1M draws, discrete Laplace, scale 10": noise("discrete_laplace", 10),
        "1M draws, discrete Gaussian, scale 10": noise("discrete_gaussian", 10),
        "1M draws, discrete Gaussian, scale 1e6": noise("discrete_gaussian", 10**6),
        "Gaussian 50, 10,000 times": composed(lambda a: [a.Gaussian(sigma=50, count=10_000)]),
        "Laplace 100, 10,000 times": composed(lambda a: [a.Laplace(scale=100, count=10_000)]),
        "Gaussian 1 on samples of 1 %, 10,000 times": composed(
            lambda a: [a.Gaussian(sigma=1, sampling_rate="0.01", count=10_000)]
        ),
        "1,000 different mechanisms": composed(many),
        "10M rows, counts of 1,000 groups, user level": from_file,
        "10M rows in memory, counts of 1,000 groups, user level": from_polars,
        "logistic regression, 50,000 x 20": logistic,
        "import": importing,
        "an interpreter alone": nothing_imported,
        "first private count": first_count,
    },
)
