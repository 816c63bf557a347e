# requires: scikit-learn==1.5.2 diffprivlib==0.6.6
"""Logistic regression on Adult by scikit-learn without privacy and by diffprivlib, on the same features and the same split."""

import csv
import gzip
import os
import pathlib
import sys
import time
import warnings

# One thread, and processor time: threads of linear algebra that wait for a busy core burn time that is not work.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
from sklearn.linear_model import LogisticRegression

ROOT = pathlib.Path(__file__).resolve().parents[2]
FIGURES = ROOT / "target/benches/tmp/learn-adult.csv"
TABLES = ROOT.parent / "shared/data/tables"
if "--tables" in sys.argv:
    TABLES = pathlib.Path(sys.argv[sys.argv.index("--tables") + 1])
NUMBERS = [(0, 17, 90), (2, 0, 1.5e6), (4, 1, 16), (10, 0, 99_999), (11, 0, 5_000), (12, 1, 99)]
CATEGORIES = [1, 3, 5, 6, 7, 8, 9, 13]
EPSILONS = ["0.05", "0.1", "0.2", "0.5", "1", "2"]
# The default is 1; the best one is chosen on the test rows for each epsilon.
STRENGTHS = [1e-3, 3e-3, 1e-2, 3e-2, 1e-1, 3e-1, 1.0]
SEEDS = 5


def adult():
    with gzip.open(TABLES / "adult_raw.csv.gz", "rt") as file:
        rows = list(csv.reader(file))[1:]
    columns = []
    for column, low, high in NUMBERS:
        values = np.array([float(row[column]) for row in rows])
        columns.append(np.clip((values - low) / (high - low), 0, 1)[:, None])
    for column in CATEGORIES:
        values = np.array([row[column] for row in rows])
        columns.append((values[:, None] == np.unique(values)[None, :]).astype(float))
    x = np.hstack(columns + [np.ones((len(rows), 1))])
    x /= np.maximum(1, np.linalg.norm(x, axis=1))[:, None]
    y = np.array([1 if ">" in row[14] else -1 for row in rows])
    return x, y, np.array([row[15] == "train" for row in rows])


def timed(make, x, y, runs):
    """Least and median processor seconds of a fit."""
    times = []
    for _ in range(runs):
        start = time.process_time()
        make().fit(x, y)
        times.append(time.process_time() - start)
    return min(times), sorted(times)[runs // 2]


def private(DiffLogisticRegression, x, y, train):
    """For each epsilon the mean accuracies with the default strength and with the best one."""
    found = {}
    for epsilon in EPSILONS:
        means = []
        for strength in STRENGTHS:
            scores = []
            for seed in range(SEEDS):
                model = DiffLogisticRegression(epsilon=float(epsilon), data_norm=1.0, C=strength, random_state=seed)
                scores.append(model.fit(x[train], y[train]).score(x[~train], y[~train]))
            means.append(np.mean(scores))
        found[epsilon] = (means[STRENGTHS.index(1.0)], max(means), STRENGTHS[int(np.argmax(means))])
    return found


def main():
    warnings.simplefilter("ignore")
    if not (TABLES / "adult_raw.csv.gz").exists():
        print(f"SKIPPED: {TABLES / 'adult_raw.csv.gz'} is not there.")
        return
    x, y, train = adult()
    ours = {}
    if FIGURES.exists():
        lines = [line.split(",") for line in FIGURES.read_text().splitlines()]
        ours = {(name, epsilon): float(value) for name, epsilon, value in lines}
    majority = np.mean(y[~train] == -1)
    weak = LogisticRegression(C=1e4, max_iter=1000, fit_intercept=False).fit(x[train], y[train])
    optimum = weak.score(x[~train], y[~train])
    print(f"Adult, test rows: majority {majority:.4f}, scikit-learn without privacy {optimum:.4f} (C = 1e4)\n")
    figures = [f"majority,{epsilon},{majority:.5f}" for epsilon in EPSILONS]
    figures += [f"without privacy,{epsilon},{optimum:.5f}" for epsilon in EPSILONS]
    try:
        from diffprivlib.models import LogisticRegression as DiffLogisticRegression
    except ImportError as error:
        print(f"SKIPPED diffprivlib: {error}")
        DiffLogisticRegression = None
    if DiffLogisticRegression:
        print(f"| ε | ours, default penalty | diffprivlib, best C of {len(STRENGTHS)} on test rows | its C | diffprivlib, default C |")
        print("| ---: | ---: | ---: | ---: | ---: |")
        for epsilon, (default, best, strength) in private(DiffLogisticRegression, x, y, train).items():
            own = ours.get(("ours", epsilon))
            print(f"| {epsilon} | {f'{own:.4f}' if own else ''} | {best:.4f} | {strength:g} | {default:.4f} |")
            figures.append(f"diffprivlib with the best C,{epsilon},{best:.5f}")
            figures.append(f"diffprivlib with its default,{epsilon},{default:.5f}")
        print()
    if FIGURES.exists():
        with FIGURES.open("a") as file:
            file.write("\n".join(figures) + "\n")
    own = ours.get(("seconds", "1"))
    print(f"One fit to all {len(y)} rows of {x.shape[1]} features, one thread, default settings unless said:\n")
    print("| what | least CPU s | median CPU s | ours at ε = 1 against it |")
    print("| --- | ---: | ---: | ---: |")
    contestants = {
        "scikit-learn, no privacy (L-BFGS, tolerance 1e-4)": lambda: LogisticRegression(),
        "the same without its own intercept: our objective": lambda: LogisticRegression(fit_intercept=False),
        "the same by Newton's method": lambda: LogisticRegression(fit_intercept=False, solver="newton-cholesky"),
    }
    if DiffLogisticRegression:
        contestants["diffprivlib, ε = 1"] = lambda: DiffLogisticRegression(epsilon=1.0, data_norm=1.0)
    for name, make in contestants.items():
        least, median = timed(make, x, y, 5)
        print(f"| {name} | {least:.3f} | {median:.3f} | {f'{own / median:.2f}×' if own else ''} |")


main()
