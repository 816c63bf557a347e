# requires: dp-accounting==0.6.0
"""dp-accounting: privacy-loss distributions at the usual discretisation."""

import dp_accounting as dpa
from dp_accounting.pld import PLDAccountant
from measure import main


def composed(event):
    def task():
        def ask():
            accountant = PLDAccountant(value_discretization_interval=1e-4)
            accountant.compose(event())
            return accountant.get_epsilon(1e-6)

        return ask, 1.0

    return task


def many():
    events = [dpa.GaussianDpEvent(40 + 0.1 * i) for i in range(400)]
    events += [dpa.LaplaceDpEvent(40 + 0.1 * i) for i in range(400)]
    events += [dpa.PoissonSampledDpEvent(0.01 + 0.00001 * i, dpa.GaussianDpEvent(1.0)) for i in range(200)]
    return dpa.ComposedDpEvent(events)


repeated = dpa.SelfComposedDpEvent
main(
    "dp-accounting 0.6.0",
    {
        "Gaussian 50, 10,000 times": composed(lambda: repeated(dpa.GaussianDpEvent(50.0), 10_000)),
        "Laplace 100, 10,000 times": composed(lambda: repeated(dpa.LaplaceDpEvent(100.0), 10_000)),
        "Gaussian 1 on samples of 1 %, 10,000 times": composed(
            lambda: repeated(dpa.PoissonSampledDpEvent(0.01, dpa.GaussianDpEvent(1.0)), 10_000)
        ),
        "1,000 different mechanisms": composed(many),
    },
)
