//! Distributions of rows over ordered cells, measured in four ways.
//!
//! **Guarantee.** [`CdfMechanism::release`] is ρ-zCDP where one unit moves the histogram as [`Moves`] says.
//! **Neighbours.** Those for which the histogram moves by no more than that (`histogram.rs`, `round_trip.rs`).
//! **Proof.** A strategy is a matrix M of whole numbers, none negative; M·h moves by M·d. Where ‖d‖₁ ≤ Δ, ‖M·d‖₂ ≤ Δ·max‖column‖₂ by the triangle
//! inequality. Where one row leaves a cell and one enters another, d = eᵢ − eⱼ and ‖Mᵢ − Mⱼ‖² = ‖Mᵢ‖² + ‖Mⱼ‖² − 2·Mᵢ·Mⱼ ≤ 2·max‖column‖², as no
//! entry is negative. Discrete Gaussian noise of σ² = ‖M·d‖²/(2ρ) is ρ-zCDP (Canonne, Kamath,
//! Steinke 2020, Theorem 4). A column of the identity has norm 1; of a tree of h levels without its root, √h (a cell is below one
//! node of each level); of the rounded square root of the prefix sums, the norm of its first column (`square_root.rs`). All norms are
//! exact squares of integers, so that nothing is rounded. Whatever is computed from the measurements is post-processing.
//! **Error.** With n cells and σ₀ = Δ/√(2ρ), a prefix of plain counts has deviation up to σ₀√n, of a tree of base b up to h√(b−1)·σ₀
//! before least squares, of the square root (1 + (γ + ln n)/π)·σ₀.
//! **Total.** The number of rows is private: distribution functions are divided by their own noisy last value.
//!
//! | strategy | measured | estimates |
//! | --- | --- | --- |
//! | [`Strategy::Counts`] | every cell | sums |
//! | [`Strategy::Tree`] | every node | least squares; from the top down (quantile tree) |
//! | [`Strategy::SquareRoot`] | √(prefix sums) | prefixes; their nearest monotone function |

mod monotone;
mod square_root;
mod tree;

use pointillist_mechanisms::DiscreteGaussianMechanism;
use pointillist_noise::SecureBits;
use pointillist_numbers::Rational;
use pointillist_privacy::{Loss, Rho, SensitivityL2};

use self::square_root::SquareRoot;
use self::tree::Tree;
use super::error::TraceError;

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// Every cell.
    Counts,
    /// Every node of a tree of this base, the root excepted.
    Tree(usize),
    /// The square root of the matrix of prefix sums.
    SquareRoot,
}

/// How a distribution function is estimated from what was measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Estimate {
    /// Counts added up.
    Counts,
    /// Least squares over the nodes of a tree of base 16.
    Tree16,
    /// Least squares over the nodes of a tree of base 2.
    Tree2,
    /// The nodes of a tree of base 16 from the top down: the quantile tree.
    QuantileTree,
    /// The prefixes themselves.
    SquareRoot,
    /// The nearest monotone function to those.
    Monotone,
}

impl Estimate {
    /// Every estimate, in the order of the report's tables.
    pub const ALL: [Self; 6] =
        [Self::Counts, Self::Tree16, Self::Tree2, Self::QuantileTree, Self::SquareRoot, Self::Monotone];

    /// What it is estimated from.
    pub fn strategy(self) -> Strategy {
        match self {
            Self::Counts => Strategy::Counts,
            Self::Tree16 | Self::QuantileTree => Strategy::Tree(16),
            Self::Tree2 => Strategy::Tree(2),
            Self::SquareRoot | Self::Monotone => Strategy::SquareRoot,
        }
    }

    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Counts => "noisy counts",
            Self::Tree16 => "hierarchy, base 16",
            Self::Tree2 => "hierarchy, base 2",
            Self::QuantileTree => "quantile tree",
            Self::SquareRoot => "square root",
            Self::Monotone => "square root, monotone",
        }
    }
}

impl Strategy {
    /// Every strategy, the plainest first.
    pub const ALL: [Self; 4] = [Self::Counts, Self::Tree(16), Self::Tree(2), Self::SquareRoot];

    /// What can be estimated from it.
    pub fn estimates(self) -> impl Iterator<Item = Estimate> {
        Estimate::ALL.into_iter().filter(move |estimate| estimate.strategy() == self)
    }

    /// The name of what is bought.
    pub fn name(self) -> String {
        match self {
            Self::Counts => "noisy counts".to_owned(),
            Self::Tree(base) => format!("hierarchy of base {base}"),
            Self::SquareRoot => "square-root factorization".to_owned(),
        }
    }
}

/// How far one unit moves a histogram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moves {
    /// By at most so much in L1.
    By(i128),
    /// One row enters or leaves, or leaves one cell for another.
    OneRowElsewhere,
}

impl Moves {
    /// By which factor the square of the largest norm of a column is to be multiplied.
    fn squared(self) -> i128 {
        match self {
            Self::By(l1) => l1 * l1,
            Self::OneRowElsewhere => 2,
        }
    }
}

enum Matrix {
    Identity,
    Tree(Tree),
    SquareRoot(SquareRoot),
}

/// A distribution over ordered cells, measured with exact noise.
pub struct CdfMechanism {
    cells: usize,
    matrix: Matrix,
    noise: DiscreteGaussianMechanism,
    sensitivity_l2: SensitivityL2,
}

impl CdfMechanism {
    /// Measures `cells` cells of a histogram that one unit moves by so much.
    pub fn new(strategy: Strategy, cells: usize, moves: Moves, rho: &Rho) -> Result<Self, TraceError> {
        let matrix = match strategy {
            Strategy::Counts => Matrix::Identity,
            Strategy::Tree(base) => Matrix::Tree(Tree::new(base, cells)),
            Strategy::SquareRoot => Matrix::SquareRoot(SquareRoot::new(cells)),
        };
        let column_squared = match &matrix {
            Matrix::Identity => 1,
            Matrix::Tree(tree) => tree.levels() as i128,
            Matrix::SquareRoot(root) => root.column_squared(),
        };
        let squared = Rational::from(moves.squared()) * Rational::from(column_squared);
        let sensitivity_l2 = SensitivityL2::from_squared(squared)?;
        let noise = DiscreteGaussianMechanism::for_rho(rho, &sensitivity_l2)?;
        Ok(Self { cells, matrix, noise, sensitivity_l2 })
    }

    /// What a release costs.
    pub fn loss(&self) -> Loss {
        self.noise.loss()
    }

    /// How far one unit moves what is measured.
    pub fn sensitivity_l2(&self) -> &SensitivityL2 {
        &self.sensitivity_l2
    }

    /// The deviation of the noise on each measured number.
    pub fn sigma(&self) -> f64 {
        self.noise.variance_parameter().to_f64_upper().sqrt()
    }

    /// What is measured, exactly. Not for release.
    pub fn measured(&self, histogram: &[i128]) -> Vec<i128> {
        match &self.matrix {
            Matrix::Identity => histogram.to_vec(),
            Matrix::Tree(tree) => tree.nodes(histogram),
            Matrix::SquareRoot(root) => root.times(histogram),
        }
    }

    /// What is measured, with noise.
    pub fn release<B: SecureBits + ?Sized>(&self, histogram: &[i128], bits: &mut B) -> Vec<i128> {
        self.noise.release_all(&self.measured(histogram), bits)
    }

    /// The distribution function, from what was released: one value between 0 and 1 a cell.
    pub fn cdf(&self, released: &[i128], estimate: Estimate) -> Vec<f64> {
        let values: Vec<f64> = released.iter().map(|value| *value as f64).collect();
        let prefixes = match (&self.matrix, estimate) {
            (Matrix::SquareRoot(root), _) => root.prefixes(&values),
            (Matrix::Tree(tree), Estimate::QuantileTree) => {
                summed(&tree.top_down(&values, self.sigma()), self.cells)
            }
            (Matrix::Tree(tree), _) => summed(&tree.least_squares(&values), self.cells),
            (Matrix::Identity, _) => summed(&values, self.cells),
        };
        normalized(prefixes, estimate == Estimate::Monotone)
    }
}

fn summed(cells: &[f64], count: usize) -> Vec<f64> {
    let mut sum = 0.0;
    let add = |cell: &f64| {
        sum += cell;
        sum
    };
    cells.iter().take(count).map(add).collect()
}

/// Divided by the noisy last value, and cut off at 0 and 1. Where that value is not positive nothing is known.
fn normalized(mut prefixes: Vec<f64>, is_monotone: bool) -> Vec<f64> {
    let total = prefixes.last().copied().unwrap_or_default();
    if total <= 0.0 {
        let count = prefixes.len() as f64;
        return (1..=prefixes.len()).map(|place| place as f64 / count).collect();
    }
    if is_monotone {
        prefixes = monotone::nearest(&prefixes);
    }
    prefixes.into_iter().map(|prefix| (prefix / total).clamp(0.0, 1.0)).collect()
}

/// The true distribution function of a histogram.
pub fn exact_cdf(histogram: &[i128]) -> Vec<f64> {
    let total: i128 = histogram.iter().sum();
    let mut sum = 0;
    let part = |cell: &i128| {
        sum += cell;
        sum as f64 / total.max(1) as f64
    };
    histogram.iter().map(part).collect()
}

/// How far two distribution functions are apart, at most and on average.
pub fn distances(one: &[f64], other: &[f64]) -> (f64, f64) {
    let apart = one.iter().zip(other).map(|(a, b)| (a - b).abs());
    let (most, sum) = apart.fold((0.0, 0.0), |(most, sum): (f64, f64), apart| (most.max(apart), sum + apart));
    (most, sum / one.len().max(1) as f64)
}

#[cfg(test)]
mod tests;
