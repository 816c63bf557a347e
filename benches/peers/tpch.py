# requires: duckdb
"""The questions of TPC-H in DuckDB, without privacy, over the Parquet files that the benchmark made."""

import pathlib
import re
import resource
import sys
import time

import duckdb

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLES = ["region", "nation", "supplier", "part", "partsupp", "customer", "orders", "lineitem"]
ROUNDS = 3


def processor_seconds():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def main():
    folders = sorted((ROOT / "target/benches/tmp").glob("tpch-*"), key=lambda path: path.stat().st_mtime)
    if not folders:
        sys.exit("the benchmark has made no tables")
    source = (ROOT / "crates/curator/benches/tpch/questions.rs").read_text()
    questions = dict(re.findall(r'const Q(\d+): &str = r?#?"(.*?)"#?;', source, re.S))
    database = duckdb.connect()
    for table in TABLES:
        database.execute(f"CREATE VIEW {table} AS SELECT * FROM '{folders[-1]}/{table}.parquet'")
    print(f"| question | DuckDB {duckdb.__version__} CPU s | wall s |")
    print("| --- | ---: | ---: |")
    for number, sql in sorted(questions.items(), key=lambda item: int(item[0])):
        best = (float("inf"), float("inf"))
        for _ in range(ROUNDS):
            processor, wall = processor_seconds(), time.perf_counter()
            database.execute(sql).fetchall()
            best = (min(best[0], processor_seconds() - processor), min(best[1], time.perf_counter() - wall))
        print(f"| {number} | {best[0]:.2f} | {best[1]:.2f} |")


main()
