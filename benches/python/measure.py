"""Runs tasks, each in a process of its own, and prints processor time, time on the clock and peak memory of each."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable

#: A task prepares, and returns what is measured and how often it does the work of one row of the table.
Task = Callable[[], tuple[Callable[[], object], float]]


def main(who: str, tasks: dict[str, Task]) -> None:
    """Without an argument every task in its own process; with one that task, here."""
    if len(sys.argv) > 1 and sys.argv[1] in tasks:
        measure(who, sys.argv[1], tasks[sys.argv[1]])
        return
    for name in tasks:
        ran = subprocess.run([sys.executable, sys.argv[0], name], capture_output=True, text=True, check=False)
        if ran.returncode == 0:
            print(ran.stdout.strip(), flush=True)
        else:
            reason = (ran.stderr.strip().splitlines() or ["no reason"])[-1]
            print(json.dumps({"task": name, "by": who, "failed": reason[:200]}), flush=True)


def measure(who: str, name: str, task: Task, rounds: int = 3) -> None:
    """The best of a few rounds; long work is done once."""
    work, share = task()
    best: tuple[float, float] | None = None
    for _ in range(rounds):
        clock, processor = time.perf_counter(), time.process_time()
        work()
        took = time.process_time() - processor, time.perf_counter() - clock
        best = took if best is None else min(best, took)
        if took[1] > 5:
            break
    assert best is not None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"task": name, "by": who, "cpu": best[0] / share, "wall": best[1] / share, "mib": peak}))
