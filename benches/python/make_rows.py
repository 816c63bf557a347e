# requires: numpy pandas polars pyarrow scikit-learn
"""Ten million made-up rows of a million people in a thousand groups, the same on every machine."""

import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

rows = int(sys.argv[2])
draw = np.random.default_rng(7)
table = pa.table(
    {
        "uid": draw.integers(0, max(1, rows // 10), rows),
        "grp": (draw.zipf(1.3, rows) * 7919 % 1000).astype(np.int64),
        "x": draw.integers(0, 101, rows),
    }
)
pq.write_table(table, sys.argv[1], row_group_size=1_000_000)
