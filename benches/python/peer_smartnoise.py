# requires: smartnoise-sql==1.0.10 pyarrow
"""SmartNoise SQL over a frame of pandas."""

import os

import pandas as pd
from measure import main

ROWS = os.environ["POINTILLIST_ROWS"]
METADATA = {
    "": {
        "bench": {
            "rows": {
                "row_privacy": False,
                "max_ids": 10,
                "censor_dims": True,
                "uid": {"type": "int", "private_id": True},
                "grp": {"type": "int", "lower": 0, "upper": 999},
                "x": {"type": "int", "lower": 0, "upper": 100},
            }
        }
    }
}


def grouped():
    from snsql import Privacy, from_df

    frame = pd.read_parquet(ROWS)
    reader = from_df(frame, privacy=Privacy(epsilon=1.0, delta=1e-6), metadata=METADATA)
    return lambda: reader.execute("SELECT grp, COUNT(*) AS n FROM bench.rows GROUP BY grp"), 1.0


main("SmartNoise SQL 1.0.10", {"10M rows, counts of 1,000 groups, user level": grouped})
