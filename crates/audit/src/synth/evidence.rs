//! What an adversary makes of released numbers who knows all rows but whether somebody's are among them.
//!
//! The likelihood of the noise with the newcomer against that without is the best statistic there is of marginals whose noise is
//! independent, and whose columns and merged codes were fixed before: it is what the proofs bound. Choices are seen beside it.

use pointillist_synth::{Measured, Noise, NoisyMarginal};

use super::worlds::{Row, World};
use crate::Observation;

/// Everything that is seen of released marginals, over columns of these sizes.
pub(super) fn seen(world: &World, measured: &Measured, sizes: &[u32]) -> Observation {
    let mut seen = Observation::new();
    let mut evidence = 0.0;
    let mut chosen = String::new();
    for (place, marginal) in measured.marginals.iter().enumerate() {
        let name = format!("marginal {} of {:?}", place + 1, marginal.attributes);
        seen = cells(seen, &name, &marginal.cells);
        evidence += of_marginal(world, marginal, measured, sizes);
        // More choices than this never come twice.
        if place < sizes.len() + 3 {
            chosen += &format!("{:?}", marginal.attributes);
        }
    }
    for residual in &measured.residuals {
        seen = cells(seen, &format!("residual of {:?}", residual.attributes), &residual.rows);
    }
    if !measured.marginals.is_empty() {
        seen = seen.with("evidence", evidence).with("choices", chosen);
        seen = seen.with("merged codes", format!("{:?}", measured.maps));
    }
    seen
}

/// Integers, each a part.
pub(super) fn cells(seen: Observation, name: &str, cells: &[i64]) -> Observation {
    let each = cells.iter().enumerate();
    each.fold(seen, |seen, (place, cell)| seen.with(format!("{name}, {}", place + 1), *cell))
}

fn of_marginal(world: &World, marginal: &NoisyMarginal, measured: &Measured, sizes: &[u32]) -> f64 {
    let cell = |row: &Row| {
        marginal.attributes.iter().fold(0, |cell, attribute| {
            let size = sizes[*attribute];
            let code = row[*attribute].min(size - 1);
            let map = measured.maps.get(*attribute).and_then(Option::as_ref).filter(|_| marginal.merged);
            let (code, size) = match map {
                Some(map) => (map[code as usize], map.iter().max().map_or(1, |last| last + 1)),
                None => (code, size),
            };
            cell * size as usize + code as usize
        })
    };
    let counts = |rows: &[Row]| {
        let mut counts = vec![0i64; marginal.cells.len()];
        rows.iter().for_each(|row| counts[cell(row)] += 1);
        counts
    };
    likelihood(&marginal.noise, &marginal.cells, &counts(&world.crowd), &counts(&world.newcomer))
}

/// How much likelier these numbers are with the newcomer's counts than without, as a logarithm.
pub(super) fn likelihood(noise: &Noise, cells: &[i64], crowd: &[i64], newcomer: &[i64]) -> f64 {
    let each = cells.iter().zip(crowd).zip(newcomer).filter(|(_, newcomer)| **newcomer != 0);
    each.map(|((cell, crowd), newcomer)| {
        let (noise_without, moved) = ((cell - crowd) as f64, *newcomer as f64);
        match noise {
            Noise::Gaussian(variance) => (noise_without - moved / 2.0) * moved / variance.to_f64_nearest(),
            Noise::Laplace(scale) => {
                (noise_without.abs() - (noise_without - moved).abs()) / scale.to_f64_nearest()
            }
        }
    })
    .sum()
}
