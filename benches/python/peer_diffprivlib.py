# requires: diffprivlib==0.6.6 scikit-learn==1.5.2
"""diffprivlib: its samplers one by one, and its logistic regression."""

import warnings

import numpy as np
from measure import main

warnings.filterwarnings("ignore")
DRAWS = 20_000


def laplace():
    from diffprivlib.mechanisms import Geometric

    release = Geometric(epsilon=0.1, sensitivity=1)
    return lambda: [release.randomise(0) for _ in range(DRAWS)], DRAWS / 1e6


def gaussian():
    from diffprivlib.mechanisms import GaussianDiscrete

    release = GaussianDiscrete(epsilon=0.5, delta=1e-6, sensitivity=1)
    return lambda: [release.randomise(0) for _ in range(1_000)], 1_000 / 1e6


def logistic():
    from diffprivlib.models import LogisticRegression

    draw = np.random.default_rng(1)
    features = draw.normal(size=(50_000, 20)).clip(-4, 4)
    weights = draw.normal(size=20)
    labels = (features @ weights + draw.logistic(size=50_000) > 0).astype(int)
    model = LogisticRegression(epsilon=1, data_norm=4 * 20**0.5)
    return lambda: model.fit(features, labels), 1.0


main(
    "diffprivlib 0.6.6",
    {
        "1M draws, discrete Laplace, scale 10": laplace,
        "1M draws, discrete Gaussian, scale 10": gaussian,
        "logistic regression, 50,000 x 20": logistic,
    },
)
