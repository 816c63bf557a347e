//! Every method, and bins that follow from data.

use pointillist_numbers::Rational;
use pointillist_privacy::Spend;
use pointillist_synth::{
    Attribute, Domain, Method, Noise, Recipe, SynthError, Synthesizer, TableLayout, TableMeasured,
    TableRecipe, TableSynthesizer,
};

use super::Subjects;
use super::evidence::{cells, likelihood, seen};
use super::worlds::{Row, SIZES, World, joined, joining};
use crate::{AuditError, Observation, Subject, Trial};

/// A few steps of the model between choices: whatever it is, it is made of released numbers.
const QUICK: &str = "iterations = 3";

pub(super) fn subjects(pure: &Spend, concentrated: &Spend) -> Subjects {
    Ok(vec![
        method(Method::Mst, "ε", pure, 1, 10_000)?,
        method(Method::Mst, "ρ, two rows", concentrated, 2, 10_000)?,
        method(Method::Aim, "ρ", concentrated, 1, 1000)?,
        method(Method::Aim, "ρ, two rows", concentrated, 2, 1000)?,
        method(Method::Mwem, "ε", pure, 1, 10_000)?,
        method(Method::Mwem, "ρ, two rows", concentrated, 2, 10_000)?,
        method(Method::Residual, "ε, two rows", pure, 2, 10_000)?,
        method(Method::Residual, "ρ", concentrated, 1, 10_000)?,
        quantile_bins("ε, two rows", pure, 2)?,
        quantile_bins("ρ", concentrated, 1)?,
    ])
}

/// A synthesizer on pairs. A fit that fails is a release too, seen as a word.
fn method(
    method: Method,
    variant: &str,
    spend: &Spend,
    rows_per_person: u32,
    releases_a_second: usize,
) -> Result<Box<dyn Subject>, AuditError> {
    let synthesizer = small(method, rows_per_person, spend)?;
    let name = format!("synth: {method} ({variant})");
    let trial = Trial::new(name, synthesizer.loss().clone(), move |world: &World, bits| {
        let measured = synthesizer.fit(&world.rows, bits, &mut |_| ());
        measured.map_or_else(refused, |measured| seen(world, &measured, &SIZES))
    });
    Ok(paired(trial, rows_per_person, releases_a_second))
}

fn paired(trial: Trial<World>, rows_per_person: u32, releases_a_second: usize) -> Box<dyn Subject> {
    let pairs = joining(rows_per_person).into_iter();
    let trial = pairs.fold(trial, |trial, pair| {
        let [left, right] = pair.sides;
        trial.pair(pair.name, left, right)
    });
    Box::new(trial.slow(releases_a_second))
}

/// The synthesizer of the small tables.
pub(super) fn small(method: Method, rows_per_person: u32, spend: &Spend) -> Result<Synthesizer, SynthError> {
    let recipe = Recipe::new(method).with_settings(QUICK)?;
    recipe.synthesizer(Domain::new(SIZES.to_vec())?, rows_per_person, spend)
}

pub(super) fn refused(error: SynthError) -> Observation {
    Observation::of(error.to_string())
}

/// The ordered cells of a column that is counted in two bins.
const ORDERED: u32 = 6;

/// One column of six values in two bins, half of the price for where they end; then the bins are counted.
fn quantile_bins(variant: &str, spend: &Spend, rows_per_person: u32) -> Result<Box<dyn Subject>, AuditError> {
    let recipe = TableRecipe::new(Method::Mst)
        .with_settings("bins = 2, binning = quantile, binning_percent = 50, merge = 0, iterations = 1")?;
    let layout = TableLayout::new(vec![Attribute::ordered(0, ORDERED)], &recipe)?;
    let synthesizer = recipe.synthesizer(layout, rows_per_person, spend)?;
    let noise = noise_of_half(spend, rows_per_person);
    let name = format!("synth: quantile bins ({variant})");
    let trial = Trial::new(name, synthesizer.loss().clone(), move |world: &World, bits| {
        let measured = synthesizer.fit(&world.rows, bits, &mut |_| ());
        let seen = measured.and_then(|measured| binned(world, &synthesizer, &measured, &noise));
        seen.unwrap_or_else(refused)
    });
    let k = rows_per_person as usize;
    let crowd: Vec<Row> = [0, 0, 1, 2, 2, 5].map(|cell| vec![cell]).to_vec();
    let pairs = [
        joined("nobody, or somebody", &[], &vec![vec![3]; k]),
        joined("somebody where a bin ends", &crowd, &vec![vec![2]; k]),
        joined("somebody beyond the bounds", &crowd, &vec![vec![u32::MAX]; k]),
    ];
    let trial = pairs.into_iter().fold(trial, |trial, pair| {
        let [left, right] = pair.sides;
        trial.pair(pair.name, left, right)
    });
    Ok(Box::new(trial.slow(10_000)))
}

/// The noise of one histogram for half of a price.
fn noise_of_half(spend: &Spend, rows_per_person: u32) -> Noise {
    let k = Rational::from(rows_per_person);
    match spend {
        Spend::Pure(epsilon) => Noise::Laplace(k * Rational::from(2) / epsilon.value().clone()),
        Spend::Concentrated(rho) => Noise::Gaussian(k.squared() / rho.value().clone()),
    }
}

/// The histogram, the counts of bins, where the first bin ends, and the evidence of both together.
fn binned(
    world: &World,
    synthesizer: &TableSynthesizer,
    measured: &TableMeasured,
    noise: &Noise,
) -> Result<Observation, SynthError> {
    let model = synthesizer.model(measured)?;
    let counts = |rows: &[Row]| {
        let (mut fine, mut bins) = (vec![0; ORDERED as usize], vec![0; 2]);
        for row in rows {
            fine[row[0].min(ORDERED - 1) as usize] += 1;
            bins[model.bin_of(0, row[0]) as usize] += 1;
        }
        (fine, bins)
    };
    let ((crowd, crowd_bins), (newcomer, newcomer_bins)) = (counts(&world.crowd), counts(&world.newcomer));
    let mut seen = Observation::new();
    let mut evidence = 0.0;
    for histogram in measured.histograms() {
        seen = cells(seen, "histogram", histogram);
        evidence += likelihood(noise, histogram, &crowd, &newcomer);
    }
    for marginal in &measured.marginals().marginals {
        seen = cells(seen, "bin", &marginal.cells);
        evidence += likelihood(&marginal.noise, &marginal.cells, &crowd_bins, &newcomer_bins);
    }
    Ok(seen.with("evidence", evidence).with("end of the first bin", model.cells_of(0, 0).1))
}
