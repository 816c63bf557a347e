//! Counts of rows in public cells.
//!
//! **Guarantee.** What [`CellCounts::release`] returns is as private as its price says.
//! **Neighbours.** Add or remove everything of one person, who has at most k rows.
//! **Proof.** Each row adds one to exactly one cell, which depends on that row alone. The k rows of a person move the counts
//! by m_1 + m_2 + … ≤ k in L1, and by √(Σm²) ≤ k in L2, reached when all are in one cell. Integer noise for both
//! sensitivities: `mechanisms/src/number/additive_noise.rs`. Clamping to 64 bits comes after.

use pointillist_mechanisms::AdditiveNoise;
use pointillist_noise::{SecureBits, noisy_sum};
use pointillist_privacy::{FailureProbability, Loss, Spend};

use crate::{LearnError, Rows};

/// More cells than this nobody reads.
const CELLS_MAX: usize = 1 << 20;

#[derive(Clone, Debug)]
pub(super) struct CellCounts {
    noise: AdditiveNoise,
    cells: usize,
    rows_per_person: u32,
}

impl CellCounts {
    pub fn new(cells: usize, rows_per_person: u32, spend: &Spend) -> Result<Self, LearnError> {
        if !(1..=CELLS_MAX).contains(&cells) {
            return Err(LearnError::parameter("there is between one and 2^20 counts"));
        }
        let noise = AdditiveNoise::for_number(rows_per_person.into(), spend)?;
        Ok(Self { noise, cells, rows_per_person })
    }

    pub fn loss(&self) -> Loss {
        self.noise.loss()
    }

    /// All counts are within this of the truth, but for a probability of β.
    pub fn radius(&self, beta: &FailureProbability) -> f64 {
        self.noise.error_bound_of_all(self.cells as u64, beta) as f64
    }

    /// Counts that were released before; `None` where there are not as many.
    pub fn recorded(&self, values: Vec<i64>) -> Option<NoisyCounts> {
        (values.len() == self.cells).then(|| NoisyCounts { values, noise: self.noise.clone() })
    }

    /// How many rows are in each cell. A cell out of range is the last one.
    pub fn release<B: SecureBits + ?Sized>(
        &self,
        rows: &dyn Rows,
        cell: &dyn Fn(&[f64], f64) -> usize,
        bits: &mut B,
    ) -> Result<NoisyCounts, LearnError> {
        check_rows(rows, self.rows_per_person)?;
        let drawn = self.noise.sample_many(self.cells, bits);
        let mut counts = vec![0i128; self.cells];
        rows.for_each_block(&mut |block| {
            for at in 0..block.len() {
                counts[cell(block.row(at), block.y[at]).min(self.cells - 1)] += 1;
            }
        })?;
        let noisy = counts
            .iter()
            .zip(drawn)
            .map(|(count, noise)| noisy_sum(*count, noise).clamp(i64::MIN.into(), i64::MAX.into()) as i64);
        Ok(NoisyCounts { values: noisy.collect(), noise: self.noise.clone() })
    }
}

/// Whether people have no more rows than a proof is about. Only what is declared is looked at.
pub(super) fn check_rows(rows: &dyn Rows, rows_per_person: u32) -> Result<(), LearnError> {
    if rows.rows_per_person() > rows_per_person {
        return Err(LearnError::parameter(format!(
            "people have up to {} rows here, the evaluation was made for {rows_per_person}",
            rows.rows_per_person()
        )));
    }
    Ok(())
}

/// Released counts, and the noise that is in them.
#[derive(Clone, Debug)]
pub(super) struct NoisyCounts {
    pub values: Vec<i64>,
    pub noise: AdditiveNoise,
}

impl NoisyCounts {
    /// All of `count` counts are within this of the truth, but for a probability of β.
    pub fn radius_of_all(&self, count: usize, beta: &FailureProbability) -> f64 {
        self.noise.error_bound_of_all(count as u64, beta) as f64
    }

    /// The sum of `count` counts is within this of the truth, but for a probability of β.
    pub fn radius_of_sum(&self, count: usize, beta: &FailureProbability) -> f64 {
        match count {
            0 => 0.0,
            1 => self.radius_of_all(1, beta),
            _ => self.noise.error_bound_of_sum(count as u64, beta) as f64,
        }
    }
}

#[cfg(test)]
mod tests {
    use pointillist_privacy::{Epsilon, Rho};
    use pointillist_testkit::{Distinguisher, seeded};

    use super::*;
    use crate::MemoryRows;

    fn rows(y: &[f64], rows_per_person: u32) -> MemoryRows {
        MemoryRows::new(vec![0.0; y.len()], y.to_vec(), 1, 1.0, rows_per_person)
    }

    /// Specification: noise has the scale k/ε, and σ² = k²/(2ρ).
    #[test]
    fn noise_grows_with_the_rows_of_a_person() {
        let pure = Spend::Pure(Epsilon::parse("0.5").unwrap());
        let concentrated = Spend::Concentrated(Rho::parse("0.02").unwrap());
        assert_eq!(CellCounts::new(4, 3, &pure).unwrap().noise.scale_upper().to_f64_nearest(), 6.0);
        assert_eq!(CellCounts::new(4, 3, &concentrated).unwrap().noise.scale_upper().to_f64_upper(), 15.0);
        assert_eq!(CellCounts::new(4, 3, &pure).unwrap().loss(), pure.loss());
        for (cells, rows) in [(0, 1), (4, 0)] {
            assert!(CellCounts::new(cells, rows, &pure).is_err());
        }
    }

    /// Specification: a person of three rows, all in one cell, moves counts within ε = 1. False alarm: 1e-9. Power: counts
    /// made for one row each leak it.
    #[test]
    fn a_person_of_three_rows_is_hidden() {
        let spend = Spend::Pure(Epsilon::parse("1").unwrap());
        let draws = |made_for: u32, y: &[f64], seed: u64| -> Vec<Vec<i64>> {
            let counts = CellCounts::new(2, made_for, &spend).unwrap();
            let (mut bits, rows) = (seeded(seed), rows(y, made_for));
            let cell = |_: &[f64], y: f64| usize::from(y > 0.0);
            // Only whether there are two or more is looked at: few outcomes, all the power.
            let shown = |counts: NoisyCounts| vec![i64::from(counts.values[1] >= 2)];
            (0..20_000).map(|_| shown(counts.release(&rows, &cell, &mut bits).unwrap())).collect()
        };
        let (with, without) = ([-1.0, 1.0, 1.0, 1.0], [-1.0]);
        let claim = Distinguisher::new(1.0, 0.0);
        claim.assert_private(&draws(3, &with, 1), &draws(3, &without, 2), "counts for three rows");
        claim.assert_leaks(&draws(1, &with, 3), &draws(1, &without, 4), "counts for one row");
        let counts = CellCounts::new(2, 1, &spend).unwrap();
        assert!(counts.release(&rows(&[], 2), &|_, _| 0, &mut seeded(1)).is_err());
        let beyond = counts.release(&rows(&[1.0], 1), &|_, _| 9, &mut seeded(1)).unwrap();
        assert_eq!(beyond.values.len(), 2);
    }
}
