//! Which marginal a model is most wrong about: the exponential mechanism on exact integer scores.
//!
//! **Guarantee.** A choice for a price of ρ is ρ-zCDP, being √(8ρ)-bounded range; for a price of ε it is ε-differentially private.
//! **Neighbours.** Add or remove everything of one person, who has at most k rows.
//! **Proof.** The score of a marginal is w·(Σ|2^10·count − m| − p) for public or already released integers w ≥ 0, m and p: the cells of the model,
//! rounded to a grid of 2^-10, and what noise alone would add. A person moves the counts by at most k in L1 (`histogram.rs`), so by the triangle
//! inequality the score by at most 2^10·k·w, and no score by more than 2^10·k·max w: the sensitivity that the mechanism is given. It loses ε in
//! bounded range, ε²/8 of ρ (`mechanisms/src/choice/exponential.rs`).
//! **Exactness.** The model's cells are floats, but what is compared with counts are integers that no count has touched; scores, exponents and
//! the choice are exact.

use pointillist_mechanisms::{ExponentialMechanism, Movement, Scores};
use pointillist_noise::SecureBits;
use pointillist_numbers::Rational;
use pointillist_privacy::{SensitivityLInf, Spend};

use crate::SynthError;

/// Cells of a model are whole numbers of 1/1024.
const GRID: i128 = 1 << 10;
/// Cells of a model are at most this.
const CELL_MAX: f64 = (1u64 << 50) as f64;

/// A score: how far counts are from what a model says, less what noise would add, so many times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Score {
    /// w: how much it counts.
    weight: u32,
    /// The distance less the penalty, on the grid.
    value: i128,
}

impl Score {
    /// The score of a marginal with these counts for which the model has these cells.
    pub fn new(counts: &[u64], cells: &[f64], weight: u32, penalty: f64) -> Self {
        let distance: i128 = counts
            .iter()
            .zip(cells)
            .map(|(count, cell)| (i128::from(*count) * GRID - on_grid(*cell)).abs())
            .sum();
        Self { weight, value: distance - on_grid(penalty) }
    }

    fn weighted(&self) -> i128 {
        self.value.saturating_mul(i128::from(self.weight))
    }
}

fn on_grid(value: f64) -> i128 {
    (value.clamp(0.0, CELL_MAX) * GRID as f64).round() as i128
}

/// The most that one person with so many rows moves one of these scores.
fn sensitivity(scores: &[Score], rows_per_person: u32) -> i128 {
    let weight = scores.iter().map(|score| i128::from(score.weight)).max().unwrap_or(1);
    GRID * i128::from(rows_per_person) * weight.max(1)
}

/// The index of a good candidate.
pub(crate) fn release<B: SecureBits + ?Sized>(
    scores: &[Score],
    rows_per_person: u32,
    spend: &Spend,
    bits: &mut B,
) -> Result<usize, SynthError> {
    let moved = SensitivityLInf::new(Rational::from(sensitivity(scores, rows_per_person)))?;
    let mechanism = ExponentialMechanism::new(&moved, Movement::General, &spend.bounded_range()?)?;
    let values = scores.iter().map(|score| Rational::from(score.weighted())).collect();
    Ok(mechanism.release(&Scores::new(values)?, bits))
}

#[cfg(test)]
mod tests {
    use pointillist_privacy::Rho;
    use pointillist_testkit::seeded;

    use super::*;

    /// Specification: for all tables of two cells with up to three people, all added people of up to k rows and models on and off the grid,
    /// no score moves by more than is claimed, and some score does move by all of it.
    #[test]
    fn no_score_moves_by_more_than_is_claimed() {
        for k in 1..=3u64 {
            let mut largest = 0;
            for cells in [[0.0, 0.0], [1.0, 2.5], [0.3333, 1e9], [f64::NAN, f64::INFINITY]] {
                for weight in [1, 2, 5] {
                    for (a, b) in (0..4).flat_map(|a| (0..4).map(move |b| (a, b))) {
                        for (c, d) in (0..=k).flat_map(|c| (0..=k - c).map(move |d| (c, d))) {
                            let before = Score::new(&[a, b], &cells, weight, 1.7);
                            let after = Score::new(&[a + c, b + d], &cells, weight, 1.7);
                            let moved = (after.weighted() - before.weighted()).abs();
                            let claimed = sensitivity(&[before, Score { weight: 3, value: 0 }], k as u32);
                            assert!(moved <= claimed, "{k} {cells:?} {weight}");
                            if weight == 5 {
                                largest = largest.max(moved * 1000 / claimed);
                            }
                        }
                    }
                }
            }
            assert_eq!(largest, 1000, "the bound is reached");
        }
    }

    /// Specification: of two candidates the better by 2^10·s is chosen with probability 1/(1 + e^(−ε·s/2)), ε² = 8ρ.
    /// False alarm: 1e-9 (Hoeffding, 20 000 draws).
    #[test]
    fn the_law_is_that_of_the_exponential_mechanism() {
        let spend = Spend::Concentrated(Rho::parse("0.125").unwrap());
        let scores = [Score::new(&[3], &[0.0], 1, 0.0), Score::new(&[1], &[0.0], 1, 0.0)];
        let mut bits = seeded(7);
        let first = (0..20_000).filter(|_| release(&scores, 1, &spend, &mut bits).unwrap() == 0).count();
        let expected = 1.0 / (1.0 + (-1f64).exp());
        let radius = pointillist_testkit::hoeffding_radius(20_000, 1e-9);
        assert!((first as f64 / 20_000.0 - expected).abs() <= radius, "{first}");
    }
}
