# requires: dp-accounting==0.6.0
"""The same compositions by dp-accounting's privacy-loss distributions, at its usual discretisation."""

import time

import dp_accounting as dpa
from dp_accounting.pld import PLDAccountant

DELTA = 1e-6


def row(name, event, interval=1e-4):
    start = time.process_time()
    accountant = PLDAccountant(value_discretization_interval=interval)
    accountant.compose(event)
    epsilon = accountant.get_epsilon(DELTA)
    milliseconds = (time.process_time() - start) * 1e3
    print(f"| dp-accounting PLD {interval:g}: {name} | {milliseconds:.2f} | {epsilon:.5f} | | |", flush=True)


gaussian = dpa.GaussianDpEvent
sampled = dpa.PoissonSampledDpEvent(0.01, gaussian(1.0))
row("Gaussian σ = 50, 10,000 times", dpa.SelfComposedDpEvent(gaussian(50.0), 10_000))
row("Laplace b = 100, 10,000 times", dpa.SelfComposedDpEvent(dpa.LaplaceDpEvent(100.0), 10_000))
row("Gaussian σ = 1 on a sample of 1 %, 10,000 times", dpa.SelfComposedDpEvent(sampled, 10_000))
many = [gaussian(40 + 0.1 * i) for i in range(400)]
many += [dpa.LaplaceDpEvent(40 + 0.1 * i) for i in range(400)]
many += [dpa.PoissonSampledDpEvent(0.01 + 0.00001 * i, gaussian(1.0)) for i in range(200)]
row("1,000 different mechanisms", dpa.ComposedDpEvent(many))
