# requires: tmlt.analytics==0.21.0
"""The question of crates/remote/benches/spark.rs by Tumult Analytics, on the same rows and the same machine.

Its Spark is its own (pyspark 3.5), in one process with as many cores as there are executors there.
Usage: spark.py [ROWS] [CORES...]
"""

import os
import sys
import tempfile
import time

from pyspark.sql import SparkSession
from tmlt.analytics import (
    AddRowsWithID,
    KeySet,
    MaxGroupsPerID,
    MaxRowsPerGroupPerID,
    QueryBuilder,
    RhoZCDPBudget,
    Session,
)

RUNS = 3
# Its workers are of this environment too.
os.environ["PYSPARK_PYTHON"] = sys.executable


def measure(rows, cores, path):
    spark = (
        SparkSession.builder.master(f"local[{cores}]")
        .config("spark.driver.memory", "8g")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "16")
        .config("spark.sql.warehouse.dir", path + "-warehouse")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("ERROR")
    try:
        table = spark.read.parquet(path)
    except Exception:  # the first of the runs makes it
        people = rows // 10
        made = spark.range(0, rows, 1, 16).selectExpr(
            f"id % {people} AS owner", "CAST(pmod(hash(id), 1000) AS BIGINT) AS key", "pmod(xxhash64(id), 100) AS value"
        )
        made.write.parquet(path)
        table = spark.read.parquet(path)
    times = []
    for _ in range(RUNS):
        begun = time.time()
        table.groupBy("key").agg({"*": "count", "value": "sum"}).collect()
        times.append(round(time.time() - begun, 1))
    print(f"{cores} cores, raw GROUP BY: {times} s", flush=True)
    keys = KeySet.from_dict({"key": list(range(1000))})
    # Once: it takes minutes, against which one run differs little from the next.
    begun = time.time()
    session = Session.from_dataframe(
        privacy_budget=RhoZCDPBudget(1), source_id="rows", dataframe=table, protected_change=AddRowsWithID("owner")
    )
    bounded = QueryBuilder("rows").enforce(MaxGroupsPerID("key", 4)).enforce(MaxRowsPerGroupPerID("key", 2))
    queries = {"count": bounded.groupby(keys).count(), "count and sum": bounded.groupby(keys).sum("value", 0, 100)}
    for name, query in queries.items():
        session.evaluate(query, RhoZCDPBudget(0.5)).collect()
        print(f"{cores} cores, {name} by Tumult Analytics: {time.time() - begun:.1f} s", flush=True)
    session.stop()
    spark.stop()


if __name__ == "__main__":
    arguments = [int(argument) for argument in sys.argv[1:]]
    rows = arguments[0] if arguments else 50_000_000
    folder = tempfile.mkdtemp()
    for cores in arguments[1:] or [2]:
        measure(rows, cores, folder + "/rows")
