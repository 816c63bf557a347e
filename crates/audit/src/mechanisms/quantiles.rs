//! Quantiles of a bounded column.

use pointillist_mechanisms::Grid;
use pointillist_mechanisms::{Quantile, order_statistic::quantile};
use pointillist_mechanisms::{QuantileHistogram, order_statistic::quantile_histogram};
use pointillist_mechanisms::{Quantiles, order_statistic::quantiles};
use pointillist_mechanisms::{Rank, WeightedQuantile, order_statistic::weighted_quantile};
use pointillist_numbers::Rational;
use pointillist_privacy::Neighbours::{self, AddRemove, ReplaceOne};
use pointillist_privacy::Spend;

use super::{Subjects, Terms, named};
use crate::{AuditError, Observation, Subject, Trial};

/// Grid indexes, one row each.
type Rows = Vec<i64>;

pub(super) fn subjects(terms: &Terms) -> Subjects {
    let (pure, concentrated) = (terms.pure(), terms.concentrated());
    let middle = || Rational::ratio(1, 2);
    let mut all: Vec<Box<dyn Subject>> = vec![
        Box::new(joining(one("median", middle(), 1, AddRemove, &pure)?)),
        Box::new(joining(one("median, ρ", middle(), 1, AddRemove, &concentrated)?)),
        Box::new(joining(one("0.9", Rational::ratio(9, 10), 1, AddRemove, &pure)?)),
        Box::new(joining(one("least value", Rational::zero(), 1, AddRemove, &pure)?)),
        Box::new(replacing(one("median, replace one", middle(), 1, ReplaceOne, &pure)?)),
        Box::new(replacing(one("greatest value, replace one", Rational::one(), 1, ReplaceOne, &pure)?)),
        Box::new(two_rows(one("median, two rows a person", middle(), 2, AddRemove, &pure)?)),
    ];
    for (currency, price) in terms.prices() {
        all.push(Box::new(joining(several(currency, AddRemove, &price)?)));
        all.push(Box::new(joining(from_bins(currency, AddRemove, &price)?)));
    }
    for (currency, price) in terms.prices() {
        let median = Rank::Part(middle());
        all.push(Box::new(people(weighted(&format!("median, {currency}"), &median, &price)?)));
    }
    all.push(Box::new(people(weighted("0.9", &Rank::Part(Rational::ratio(9, 10)), &pure)?)));
    all.push(Box::new(people(weighted("about the least", &Rank::Least, &pure)?)));
    all.push(Box::new(people(weighted("about the greatest", &Rank::Greatest, &pure)?)));
    all.push(Box::new(replacing(several("replace one", ReplaceOne, &pure)?)));
    all.push(Box::new(replacing(from_bins("replace one", ReplaceOne, &pure)?)));
    Ok(all)
}

fn one(
    variant: &str,
    q: Rational,
    rows_max: u64,
    neighbours: Neighbours,
    price: &Spend,
) -> Result<Trial<Rows>, AuditError> {
    let mechanism = Quantile::new(&Grid::integers(0, 4)?, &q, rows_max, neighbours, price)?;
    let (name, claim) = (named(&quantile::CARD, variant), mechanism.loss());
    let release = move |rows: &Rows, bits: &mut dyn pointillist_noise::SecureBits| {
        Observation::of(mechanism.release(rows.iter().copied(), bits))
    };
    Ok(Trial::new(name, claim, release).slow(30_000))
}

fn several(variant: &str, neighbours: Neighbours, price: &Spend) -> Result<Trial<Rows>, AuditError> {
    let quartiles = [1, 2, 3].map(|quarter| Rational::ratio(quarter, 4));
    let mechanism = Quantiles::new(&Grid::integers(0, 4)?, &quartiles, 1, neighbours, price)?;
    let (name, claim) = (named(&quantiles::CARD, variant), mechanism.loss());
    let release = move |rows: &Rows, bits: &mut dyn pointillist_noise::SecureBits| {
        Observation::list(mechanism.release(rows.iter().copied(), bits))
    };
    Ok(Trial::new(name, claim, release).slow(12_000))
}

/// Two groups of weighted people, each the weights of the points that occur.
type Groups = [Vec<(u32, u64)>; 2];

/// Weights of two rows a person, in two groups.
fn weighted(variant: &str, rank: &Rank, price: &Spend) -> Result<Trial<Groups>, AuditError> {
    let mechanism = WeightedQuantile::new(4, rank, 2, 2, price)?;
    let (name, claim) = (named(&weighted_quantile::CARD, variant), price.loss());
    let release = move |groups: &Groups, bits: &mut dyn pointillist_noise::SecureBits| {
        Observation::list(groups.iter().map(|weights| mechanism.release(weights, bits)))
    };
    Ok(Trial::new(name, claim, release).slow(12_000))
}

fn people(trial: Trial<Groups>) -> Trial<Groups> {
    const ROW: u64 = 1 << 20;
    let low_and_high = |high: u64| vec![(0, 2 * ROW), (4, high * ROW)];
    trial
        .pair(
            "nobody, or somebody at the top of both",
            [vec![], vec![]],
            [vec![(4, 2 * ROW)], vec![(4, 2 * ROW)]],
        )
        .pair(
            "one more at the top of two heaps in both",
            [low_and_high(2), low_and_high(2)],
            [low_and_high(4), low_and_high(4)],
        )
        .pair(
            "somebody of three rows, thinned, above a row in the middle of one",
            [vec![(2, ROW)], vec![]],
            [vec![(2, ROW), (4, 3 * (2 * ROW / 3))], vec![]],
        )
}

fn from_bins(variant: &str, neighbours: Neighbours, price: &Spend) -> Result<Trial<Rows>, AuditError> {
    let mechanism = QuantileHistogram::new(&Grid::integers(0, 4)?, 3, neighbours, price)?;
    let (name, claim) = (named(&quantile_histogram::CARD, variant), mechanism.loss());
    Ok(Trial::new(name, claim, move |rows: &Rows, bits| {
        Observation::list(mechanism.release(rows.iter().copied(), bits))
    }))
}

fn joining(trial: Trial<Rows>) -> Trial<Rows> {
    trial
        .pair("nobody, or a row at the top", vec![], vec![4])
        .pair("one more at the top of two heaps", vec![0, 0, 4, 4], vec![0, 0, 4, 4, 4])
        .pair("one more above a row in the middle", vec![2], vec![2, 4])
        .pair("a row far below the bottom of a heap", vec![4; 3], vec![4, 4, 4, i64::MIN])
        .pair("one more among equals", vec![2; 4], vec![2; 5])
}

fn replacing(trial: Trial<Rows>) -> Trial<Rows> {
    trial
        .pair("from end to end", vec![0, 0, 4], vec![0, 4, 4])
        .pair("from below to above the middle", vec![0, 2], vec![2, 4])
        .pair("from beyond to beyond", vec![i64::MIN, 2], vec![2, i64::MAX])
        .pair("from among equals to the top", vec![2; 3], vec![2, 2, 4])
}

fn two_rows(trial: Trial<Rows>) -> Trial<Rows> {
    trial.pair("somebody with two rows at the top", vec![0, 0], vec![0, 0, 4, 4]).pair(
        "nobody, or somebody with two rows",
        vec![],
        vec![0, 4],
    )
}
