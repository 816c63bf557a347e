//! k-means: Lloyd's iterations on noisy counts and sums.
//!
//! **Guarantee.** T iterations are ρ-zCDP together; centres are post-processing.
//! **Neighbours.** Add or remove everything of one person, who has at most k rows; ‖x‖ ≤ R.
//! **Proof.** The first centres are random points of public bounds and see no data. In an iteration a row adds (W,
//! q) to the sums of one cluster, the nearest of released centres: q is the row in integers with ‖q‖ ≤ M enforced
//! (`row_grid.rs`), W the public weight of a count in steps. So a row moves all clusters' sums by at most √(W² + M²)
//! in L2 and a person by k times that; rows on the bound reach it. The sums of every cluster have discrete Gaussian
//! noise of σ² = k²(W² + M²)/(2ρ/T), also those that nobody is in. T parts of ρ/T are ρ, exactly.
//! **Weight of a count.** The error of a centre is that of d sums and, where it lies far out, that of the count; W²
//! = M²/(2√d) is near the best for both.
//! **Empty clusters.** Whether a centre stays where it was depends on the released count alone.
//! **Source.** Su, Cao, Li, Bertino, Jin (2016), "Differentially private k-means clustering", with zCDP noise and
//! one joint release an iteration.
//! **Not covered.** Rows should have no constant feature: it would only add noise to distances.

use pointillist_noise::SecureBits;
use pointillist_numbers::Rational;
use pointillist_privacy::{Loss, Rho};
use serde::{Deserialize, Serialize};

use crate::gram::{check_rows, check_shape};
use crate::grid_noise::GridNoise;
use crate::row_grid::{RowGrid, squared};
use crate::{GridNumbers, LearnError, Rows, RowsError};

/// A trainer of clusters.
#[derive(Clone, Debug)]
pub struct KMeans {
    clusters: usize,
    iterations: u32,
    bounds: Vec<(f64, f64)>,
    norm_bound: f64,
    rows_per_person: u32,
    rho: Rho,
    grid: RowGrid,
    /// What a row adds to its cluster's count, in steps.
    weight: u64,
    noise: GridNoise,
}

/// Centres of clusters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KMeansModel {
    /// The coordinates of one centre after the other.
    pub centres: GridNumbers,
    /// About how many rows are near each centre.
    pub counts: GridNumbers,
}

/// How often a random centre is tried before spheres are made smaller.
const TRIES: usize = 100;
/// The step of a model's numbers is 2^-30.
const MODEL_BITS: i32 = 30;

impl KMeans {
    /// A trainer of so many clusters, for rows whose features lie within public bounds and that are no longer than
    /// the norm bound, at a price. Five iterations serve most tables.
    pub fn new(
        clusters: usize,
        iterations: u32,
        bounds: Vec<(f64, f64)>,
        norm_bound: f64,
        rows_per_person: u32,
        rho: Rho,
    ) -> Result<Self, LearnError> {
        check_shape(bounds.len(), rows_per_person)?;
        if !(1..=100_000).contains(&clusters) || !(1..=1000).contains(&iterations) {
            return Err(LearnError::parameter("there are 1 to 100000 clusters and 1 to 1000 iterations"));
        }
        if bounds.iter().any(|(low, high)| !(low.is_finite() && high.is_finite() && low <= high)) {
            return Err(LearnError::parameter("every feature has two public bounds, the lower first"));
        }
        let grid = RowGrid::new(&squared(norm_bound)?)?;
        let share = 1.0 / (2.0 * (bounds.len() as f64).sqrt());
        let weight = ((grid.square_max() as f64 * share).sqrt() as u64).max(1);
        let square = Rational::from(weight).squared() + Rational::from(grid.square_max());
        let each = Rho::new(rho.value() / &Rational::from(iterations))?;
        let noise =
            GridNoise::new(&(square * Rational::from(rows_per_person).squared()), &each, grid.bits())?;
        Ok(Self { clusters, iterations, bounds, norm_bound, rows_per_person, rho, grid, weight, noise })
    }

    /// What a fit loses.
    pub fn loss(&self) -> Loss {
        Loss::zcdp(self.rho.clone())
    }

    /// Clusters of these rows.
    pub fn fit<B: SecureBits + ?Sized>(
        &self,
        rows: &dyn Rows,
        bits: &mut B,
    ) -> Result<KMeansModel, LearnError> {
        check_rows(rows, self.bounds.len(), self.norm_bound, self.rows_per_person)?;
        let width = self.bounds.len() + 1;
        let mut centres = self.first_centres(bits);
        let mut counts = vec![0.0; self.clusters];
        let noise = self.noise.draw(self.clusters * width * self.iterations as usize, bits);
        // A released count is of steps of the grid, the weight as well.
        let weight = self.weight as f64 * (-f64::from(self.grid.bits())).exp2();
        let deviation = self.noise.variance().sqrt() / weight;
        for noise in noise.chunks_exact(self.clusters * width) {
            let sums = self.noise.add(&self.sums(rows, &centres)?, noise).to_f64();
            for (cluster, own) in sums.chunks_exact(width).enumerate() {
                counts[cluster] = own[0] / weight;
                if counts[cluster] < 2.0 * deviation {
                    continue;
                }
                for (at, (low, high)) in self.bounds.iter().enumerate() {
                    centres[cluster][at] = (own[at + 1] / counts[cluster]).clamp(*low, *high);
                }
            }
        }
        let scale = f64::from(MODEL_BITS).exp2();
        let on_grid = |values: &[f64]| values.iter().map(|value| (value * scale).round() as i64).collect();
        Ok(KMeansModel {
            centres: GridNumbers { bits: MODEL_BITS, values: on_grid(&centres.concat()) },
            counts: GridNumbers { bits: MODEL_BITS, values: on_grid(&counts) },
        })
    }

    /// Random centres of spheres that do not overlap, within the bounds and the ball that rows are in.
    fn first_centres<B: SecureBits + ?Sized>(&self, bits: &mut B) -> Vec<Vec<f64>> {
        let diagonal = self.bounds.iter().map(|(low, high)| (high - low).powi(2)).sum::<f64>().sqrt();
        let mut radius = diagonal / 2.0;
        let mut centres: Vec<Vec<f64>> = Vec::new();
        while centres.len() < self.clusters {
            // Bounds without any room have their one point as often as it is asked for.
            let fits = |centre: &Vec<f64>| {
                centres.iter().all(|other| distance(centre, other) >= 4.0 * radius * radius)
            };
            let found = (0..TRIES).map(|_| self.random_point(bits)).find(fits);
            match found {
                Some(centre) => centres.push(centre),
                None => radius = if radius > diagonal * 1e-9 { radius / 2.0 } else { 0.0 },
            }
        }
        centres
    }

    fn random_point<B: SecureBits + ?Sized>(&self, bits: &mut B) -> Vec<f64> {
        let mut point: Vec<f64> = self
            .bounds
            .iter()
            .map(|(low, high)| low + (high - low) * (bits.word() >> 11) as f64 / (1u64 << 53) as f64)
            .collect();
        crate::rows::shorten(&mut point, self.norm_bound);
        point
    }

    /// For each cluster the weighted count and the sums of its rows, in steps, exactly.
    fn sums(&self, rows: &dyn Rows, centres: &[Vec<f64>]) -> Result<Vec<i128>, RowsError> {
        let width = self.bounds.len() + 1;
        let mut sums = vec![0i128; self.clusters * width];
        let mut steps = vec![0.0; self.bounds.len()];
        rows.for_each_block(&mut |block| {
            for at in 0..block.len() {
                let row = block.row(at);
                let cluster = nearest(row, centres);
                self.grid.quantise(row, &mut steps);
                let own = &mut sums[cluster * width..(cluster + 1) * width];
                own[0] += i128::from(self.weight);
                own[1..].iter_mut().zip(&steps).for_each(|(sum, step)| *sum += *step as i128);
            }
        })?;
        Ok(sums)
    }
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum()
}

/// The nearest centre, the first of several.
fn nearest(row: &[f64], centres: &[Vec<f64>]) -> usize {
    let mut best = (0, f64::INFINITY);
    for (at, centre) in centres.iter().enumerate() {
        let distance = distance(row, centre);
        if distance < best.1 {
            best = (at, distance);
        }
    }
    best.0
}

impl KMeansModel {
    /// The centres, each with its coordinates.
    pub fn centres(&self) -> Vec<Vec<f64>> {
        let dimension = (self.centres.values.len() / self.counts.values.len().max(1)).max(1);
        self.centres.to_f64().chunks_exact(dimension).map(<[f64]>::to_vec).collect()
    }

    /// The cluster of a row.
    pub fn cluster(&self, row: &[f64]) -> usize {
        nearest(row, &self.centres())
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

    fn trainer(rows_per_person: u32, price: &str) -> KMeans {
        KMeans::new(3, 5, vec![(-0.7, 0.7); 2], 1.0, rows_per_person, rho(price)).unwrap()
    }

    /// Three heaps of rows.
    fn heaps(n: usize) -> MemoryRows {
        let mut words = seeded(1);
        let mut x = Vec::new();
        for row in 0..n {
            let (a, b) = [(-0.5, -0.5), (0.5, -0.4), (0.0, 0.6)][row % 3];
            let mut near = || (words() as f64 / u64::MAX as f64 - 0.5) / 5.0;
            x.extend([a + near(), b + near()]);
        }
        MemoryRows::new(x, vec![0.0; n], 2, 1.0, 1)
    }

    #[test]
    fn a_person_moves_the_sums_by_no_more_than_the_bound() {
        for k in [1u32, 4] {
            let trainer = trainer(k, "0.1");
            let square = (u128::from(trainer.weight).pow(2) + u128::from(trainer.grid.square_max()))
                * u128::from(k).pow(2);
            let expected = square as f64 * (-2.0 * f64::from(trainer.grid.bits())).exp2() / (2.0 * 0.1 / 5.0);
            assert!((trainer.noise.variance() / expected - 1.0).abs() < 1e-9, "the noise is for that bound");
            let centres = trainer.first_centres(&mut seeded(3));
            let mut largest = 0.0f64;
            for row in [[1.0, 0.0], [0.6, -0.8], [1e9, -1e9], [f64::NAN, 1.0], [0.0, 0.0]] {
                let rows = MemoryRows::new(row.repeat(k as usize), vec![0.0; k as usize], 2, 1.0, k);
                let moved: u128 =
                    trainer.sums(&rows, &centres).unwrap().iter().map(|sum| sum.unsigned_abs().pow(2)).sum();
                assert!(moved <= square);
                largest = largest.max(moved as f64 / square as f64);
            }
            assert!(largest > 0.999, "{largest}");
        }
    }

    /// Specification: the iterations' own losses, Δ²/(2σ²) each, add up to the price and not to more.
    #[test]
    fn iterations_add_up_to_the_price() {
        let trainer = trainer(2, "1/3");
        assert_eq!(trainer.loss(), Loss::zcdp(rho("1/3")));
        let square = 4.0 * (1.0 + (trainer.weight as f64 / (1u64 << 20) as f64).powi(2));
        let total = 5.0 * square / (2.0 * trainer.noise.variance());
        assert!((total * 3.0 - 1.0).abs() < 1e-6, "{total}");
        for dimension in [10, 50] {
            let wide = KMeans::new(3, 5, vec![(-1.0, 1.0); dimension], 1.0, 1, rho("1")).unwrap();
            let square = 1.0 + (wide.weight as f64 / (1u64 << 20) as f64).powi(2);
            assert!(5.0 * square / (2.0 * wide.noise.variance()) < 1.0 + 1e-6, "{dimension}");
        }
    }

    #[test]
    fn heaps_are_found() {
        let rows = heaps(3000);
        let model = trainer(1, "2").fit(&rows, &mut seeded(12)).unwrap();
        for (a, b) in [(-0.5, -0.5), (0.5, -0.4), (0.0, 0.6)] {
            let near = model.centres().iter().any(|centre| distance(centre, &[a, b]) < 0.01);
            assert!(near, "{:?}", model.centres());
        }
        assert!(model.counts.to_f64().iter().all(|count| (count - 1000.0).abs() < 100.0));
    }

    /// Specification: clusters that nobody is in have noise and are released like all others; with the same words,
    /// data change neither how many words are drawn nor where centres begin.
    #[test]
    fn empty_clusters_have_noise() {
        let trainer = trainer(1, "0.5");
        let nobody = MemoryRows::new(vec![], vec![], 2, 1.0, 1);
        let (mut a, mut b) = (seeded(9), seeded(9));
        let empty = trainer.fit(&nobody, &mut a).unwrap();
        let full = trainer.fit(&heaps(2000), &mut b).unwrap();
        assert_eq!(a(), b(), "as many words were drawn");
        assert!(empty.counts.values.iter().all(|count| *count != 0), "every count has noise");
        assert_eq!(empty.centres.values.len(), full.centres.values.len());
    }

    #[test]
    fn odd_bounds_have_centres_and_bad_ones_are_refused() {
        let point = KMeans::new(3, 1, vec![(0.25, 0.25)], 1.0, 1, rho("1")).unwrap();
        let model =
            point.fit(&MemoryRows::new(vec![0.25; 5], vec![0.0; 5], 1, 1.0, 1), &mut seeded(2)).unwrap();
        assert_eq!(model.centres(), vec![vec![0.25]; 3]);
        assert!(KMeans::new(0, 1, vec![(0.0, 1.0)], 1.0, 1, rho("1")).is_err());
        assert!(KMeans::new(2, 0, vec![(0.0, 1.0)], 1.0, 1, rho("1")).is_err());
        assert!(KMeans::new(2, 1, vec![], 1.0, 1, rho("1")).is_err());
        assert!(KMeans::new(2, 1, vec![(1.0, 0.0)], 1.0, 1, rho("1")).is_err());
        assert!(KMeans::new(2, 1, vec![(0.0, f64::INFINITY)], 1.0, 1, rho("1")).is_err());
    }
}
