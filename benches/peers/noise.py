# requires: opendp==0.16.0
"""The same draws by OpenDP, through its own vector interface."""

import time

import opendp.prelude as dp

dp.enable_features("contrib")
N = 200_000


def best(run, rounds=3):
    times = []
    for _ in range(rounds):
        start = time.process_time()
        run()
        times.append(time.process_time() - start)
    return min(times)


def row(name, seconds):
    print(f"| {name} | {N / seconds / 1e6:.2f} | {seconds / N * 1e9:.1f} | |")


space = dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int)
for scale in (10.0, 1e6):
    laplace = dp.m.make_laplace(*space, scale=scale)
    row(f"OpenDP discrete Laplace, scale {scale:g}", best(lambda: laplace([0] * N)))
space = dp.vector_domain(dp.atom_domain(T=int)), dp.l2_distance(T=float)
for scale in (10.0, 1e6):
    gaussian = dp.m.make_gaussian(*space, scale=scale)
    row(f"OpenDP discrete Gaussian, scale {scale:g}", best(lambda: gaussian([0] * N)))
