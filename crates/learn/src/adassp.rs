//! Ridge regression whose penalty adapts to the data: AdaSSP, in zCDP.
//!
//! **Guarantee.** Releasing λ_min(XᵀX), XᵀX and Xᵀy with Gaussian noise of shares 5 %, 60 % and 35 % of ρ is
//! ρ-zCDP; the coefficients are post-processing.
//! **Neighbours.** Add or remove everything of one person, who has at most k rows; ‖x‖ ≤ R, |y| ≤ 1.
//! **Proof.** Rows are integers on a grid first (`row_grid.rs`), ‖q‖² ≤ M², |y| ≤ 2^20
//! steps. A person moves λ_min by what `least_eigenvalue.rs` proves, XᵀX by at most kM² in Frobenius norm
//! (`gram.rs`, also for half the variance below the diagonal), and Xᵀy by at most Σ‖q‖|y| ≤ k·M·2^20. Losses of ρ
//! add up, and the three shares are exact.
//! **Source.** Wang (2018), "Revisiting differentially private linear regression", arXiv:1803.02596, Algorithm 2,
//! with zCDP noise in place of (ε, δ): λ = (s₂√(d·ln(2d/ϱ)) − λ̃)₊, λ̃ = (λ_min + s₁Z − 1.645·s₁)₊, ϱ = 0.05. The
//! rule needs no proof for privacy; it is post-processing, as is [`Penalty::Automatic`].
//! **Exactness.** As in `gram.rs`.

mod least_eigenvalue;

use faer::Mat;
use pointillist_noise::SecureBits;
use pointillist_numbers::Rational;
use pointillist_privacy::{Loss, Rho, Spend};
use serde::{Deserialize, Serialize};

use crate::gram::{GramShape, LinearModel, Normal, Penalty, Target, triangle};
use crate::grid_noise::GridNoise;
use crate::row_grid::ROW_BITS;
use crate::{GridNumbers, LearnError, Rows};
use least_eigenvalue::LeastEigenvalue;

/// How ρ is shared by the least eigenvalue, the products of features and those with the target.
const SHARES: [u64; 3] = [5, 60, 35];
/// How likely the penalty is too small for the noise.
const FAILURE: f64 = 0.05;
/// The quantile of a normal law at 95 %.
const QUANTILE: f64 = 1.645;

/// A trainer of linear regression.
#[derive(Clone, Debug)]
pub struct AdaSsp {
    shape: GramShape,
    rho: Rho,
    least: LeastEigenvalue,
    least_noise: GridNoise,
    diagonal: GridNoise,
    beside: GridNoise,
    target: GridNoise,
}

/// Noisy sums of a regression, as released.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AdaSspRelease {
    /// The lower half of XᵀX, row by row.
    pub products: GridNumbers,
    /// Xᵀy.
    pub target_products: GridNumbers,
    /// The least eigenvalue of XᵀX, of its own grid with a step of `least_step`.
    pub least_eigenvalue: GridNumbers,
    least_step: f64,
    least_variance: f64,
    noise_variance: f64,
    target_noise_variance: f64,
}

impl AdaSsp {
    /// A trainer for rows of so many features, none longer than the bound, at a price.
    pub fn new(
        dimension: usize,
        norm_bound: f64,
        rows_per_person: u32,
        rho: Rho,
    ) -> Result<Self, LearnError> {
        let shape = GramShape::new(dimension, norm_bound, rows_per_person, Target::Beside)?;
        let shares: Vec<Rho> = Spend::Concentrated(rho.clone())
            .split(&SHARES)?
            .iter()
            .map(Spend::rho)
            .collect::<Result<_, _>>()?;
        let bits = shape.grid.bits();
        let least = LeastEigenvalue::new(dimension, shape.grid.square_max(), rows_per_person);
        let least_noise = GridNoise::new(&least.sensitivity().squared(), &shares[0], 0)?;
        let frobenius = shape.frobenius_max().squared();
        let diagonal = GridNoise::new(&frobenius, &shares[1], 2 * bits)?;
        let half = frobenius * Rational::ratio(1, 2);
        let beside = GridNoise::new(&half, &shares[1], 2 * bits)?.beside(&diagonal);
        let rows = Rational::from(rows_per_person).squared();
        let product =
            rows * Rational::from(shape.grid.square_max()) * Rational::power_of_two(2 * i64::from(ROW_BITS));
        let target = GridNoise::new(&product, &shares[2], bits + ROW_BITS)?;
        Ok(Self { shape, rho, least, least_noise, diagonal, beside, target })
    }

    /// What a fit loses.
    pub fn loss(&self) -> Loss {
        Loss::zcdp(self.rho.clone())
    }

    /// The noisy sums of these rows.
    pub fn fit<B: SecureBits + ?Sized>(
        &self,
        rows: &dyn Rows,
        bits: &mut B,
    ) -> Result<AdaSspRelease, LearnError> {
        self.shape.check(rows)?;
        let d = self.shape.dimension;
        let least_noise = self.least_noise.draw(1, bits);
        let on_diagonal = self.diagonal.draw(d, bits);
        let mut below = self.beside.draw(d * (d - 1) / 2, bits).into_iter();
        let target_noise = self.target.draw(d, bits);
        let sums = self.shape.sums(rows)?;
        let mut products = Vec::with_capacity(d * (d + 1) / 2);
        for (row, on_diagonal) in on_diagonal.into_iter().enumerate() {
            for _ in 0..row {
                let noise = below.next().expect("one for each entry");
                products.push(self.beside.released(sums[products.len()], noise));
            }
            products.push(self.diagonal.released(sums[products.len()], on_diagonal));
        }
        let with_target: Vec<i128> = (0..d).map(|column| sums[triangle(d, column)]).collect();
        let unit = (-2.0 * f64::from(self.shape.grid.bits())).exp2() * self.least.step() as f64;
        Ok(AdaSspRelease {
            products: GridNumbers { bits: self.diagonal.released_bits(), values: products },
            target_products: self.target.add(&with_target, &target_noise),
            least_eigenvalue: self.least_noise.add(&[self.least.steps(&sums)], &least_noise),
            least_step: unit,
            least_variance: self.least_noise.variance() * unit * unit,
            noise_variance: self.diagonal.variance(),
            target_noise_variance: self.target.variance(),
        })
    }
}

impl AdaSspRelease {
    /// The penalty of the published rule.
    pub fn adaptive_penalty(&self) -> f64 {
        let deviation = self.least_variance.sqrt();
        let released = self.least_eigenvalue.to_f64().first().copied().unwrap_or(0.0) * self.least_step;
        let least = (released - QUANTILE * deviation).max(0.0);
        let d = self.dimension() as f64;
        (self.noise_variance.sqrt() * (d * (2.0 * d / FAILURE).ln()).sqrt() - least).max(0.0)
    }

    /// The coefficients with the published rule's penalty.
    pub fn adaptive(&self) -> LinearModel {
        self.regression(Penalty::Fixed(self.adaptive_penalty()))
    }

    /// The coefficients with a penalty.
    pub fn regression(&self, penalty: Penalty) -> LinearModel {
        LinearModel { coefficients: self.normal().solve(penalty) }
    }

    fn dimension(&self) -> usize {
        self.target_products.values.len()
    }

    pub(crate) fn normal(&self) -> Normal {
        let d = self.dimension();
        let products = self.products.to_f64();
        Normal {
            products: Mat::from_fn(d, d, |i, j| products[triangle(i, j)]),
            target_products: self.target_products.to_f64(),
            noise_variance: self.noise_variance,
            target_noise_variance: self.target_noise_variance,
            residual_variance: crate::gram::RESIDUAL_VARIANCE,
        }
    }
}

#[cfg(test)]
mod tests {
    use pointillist_testkit::seeded;

    use super::*;
    use crate::MemoryRows;

    fn rho(text: &str) -> Rho {
        Rho::parse(text).unwrap()
    }

    #[test]
    fn the_three_shares_add_up_to_the_price() {
        let trainer = AdaSsp::new(4, 1.0, 1, rho("1/3")).unwrap();
        assert_eq!(trainer.loss(), Loss::zcdp(rho("1/3")));
        // Each share is Δ²/(2σ²) of its own noise, in units of its own grid.
        let spent = |sensitivity: f64, noise: &GridNoise| sensitivity.powi(2) / (2.0 * noise.variance());
        let least = trainer.least.sensitivity().to_f64_nearest();
        let total =
            spent(least, &trainer.least_noise) + spent(1.0, &trainer.diagonal) + spent(1.0, &trainer.target);
        assert!((total * 3.0 - 1.0).abs() < 1e-5, "{total}");
        assert!((trainer.diagonal.variance() / trainer.beside.variance() - 2.0).abs() < 1e-12);
    }

    /// Specification: products with the target move by at most k·M·2^20 in L2, and hostile rows reach it.
    #[test]
    fn a_person_moves_products_with_the_target_by_no_more_than_the_bound() {
        let shape = GramShape::new(2, 1.0, 3, Target::Beside).unwrap();
        let bound = 3.0 * (shape.grid.square_max() as f64).sqrt() * (1u64 << 20) as f64;
        let mut largest = 0.0f64;
        for row in [[1.0, 0.0], [0.6, 0.8], [-0.8, 0.6]] {
            for y in [1.0, -1.0, 7.0, f64::NAN] {
                let rows = MemoryRows::new(row.repeat(3), vec![y; 3], 2, 1.0, 3);
                let sums = shape.sums(&rows).unwrap();
                let moved =
                    ((sums[triangle(2, 0)] as f64).powi(2) + (sums[triangle(2, 1)] as f64).powi(2)).sqrt();
                assert!(moved <= bound, "{moved} {bound}");
                largest = largest.max(moved / bound);
            }
        }
        assert!(largest > 0.9999);
    }

    #[test]
    fn a_line_is_found_and_the_penalty_vanishes_with_the_noise() {
        let mut words = seeded(8);
        let z: Vec<f64> = (0..3000).map(|_| words() as f64 / u64::MAX as f64 * 2.0 - 1.0).collect();
        let x = z.iter().flat_map(|z| [0.6, 0.6 * z]).collect();
        let y = z.iter().map(|z| 0.3 * z - 0.2).collect();
        let rows = MemoryRows::new(x, y, 2, 1.0, 1);
        let release = AdaSsp::new(2, 1.0, 1, rho("10")).unwrap().fit(&rows, &mut seeded(2)).unwrap();
        assert_eq!(release.adaptive_penalty(), 0.0);
        for model in [release.adaptive(), release.regression(Penalty::Automatic)] {
            assert!((model.predict(&[0.6, 0.3]) + 0.05).abs() < 0.01, "{model:?}");
        }
        let noisy = AdaSsp::new(2, 1.0, 1, rho("0.000001")).unwrap().fit(&rows, &mut seeded(2)).unwrap();
        assert!(noisy.adaptive_penalty() > 1000.0);
    }

    #[test]
    fn nobody_has_a_model() {
        for d in [1, 7] {
            let rows = MemoryRows::new(vec![], vec![], d, 1.0, 1);
            let release = AdaSsp::new(d, 1.0, 1, rho("0.5")).unwrap().fit(&rows, &mut seeded(2)).unwrap();
            assert!(release.adaptive().coefficients.iter().all(|c| c.is_finite()));
            assert!(release.regression(Penalty::Automatic).coefficients.iter().all(|c| c.is_finite()));
        }
    }
}
