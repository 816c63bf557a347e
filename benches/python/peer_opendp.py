# requires: opendp[polars]==0.16.0
"""OpenDP: vectors of noise, and its Context over polars."""

import os

import opendp.prelude as dp
import polars as pl
from measure import main

dp.enable_features("contrib", "honest-but-curious")
ROWS = os.environ["POINTILLIST_ROWS"]
DRAWS = 200_000


def laplace(scale):
    def task():
        space = dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int)
        release = dp.m.make_laplace(*space, scale=scale)
        return lambda: release([0] * DRAWS), DRAWS / 1e6

    return task


def gaussian(scale):
    def task():
        space = dp.vector_domain(dp.atom_domain(T=int)), dp.l2_distance(T=float)
        release = dp.m.make_gaussian(*space, scale=scale)
        return lambda: release([0] * DRAWS), DRAWS / 1e6

    return task


def grouped():
    def ask():
        context = dp.Context.compositor(
            data=pl.scan_parquet(ROWS),
            privacy_unit=dp.unit_of(contributions=1, identifier="uid"),
            privacy_loss=dp.loss_of(epsilon=1.0, delta=1e-6),
            split_evenly_over=1,
        )
        query = (
            context.query()
            .truncate_per_group(10, by=["grp"])
            .truncate_num_groups(10, by=["grp"], keep="first")
            .group_by("grp")
            .agg(dp.len())
        )
        return query.release().collect()

    return ask, 1.0


main(
    "OpenDP 0.16.0",
    {
        "1M draws, discrete Laplace, scale 10": laplace(10.0),
        "1M draws, discrete Gaussian, scale 10": gaussian(10.0),
        "1M draws, discrete Gaussian, scale 1e6": gaussian(1e6),
        "10M rows, counts of 1,000 groups, user level": grouped,
    },
)
