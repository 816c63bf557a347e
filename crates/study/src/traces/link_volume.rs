//! How many packets cross each link in each interval of a day, and the intervals that stand out.
//!
//! **Guarantee.** ρ-zCDP for the whole table of volumes, with discrete Gaussian noise on every cell.
//! **Neighbours.** One packet more or less, or all packets of one host.
//! **Proof.** *Packet:* it lies in one interval and crosses two links: L2 = √2. *Host:* its table v of whole numbers, of norm ‖v‖ = √S, enters as
//! wᵢ = ⌊G·vᵢ·min(1, R/√S)⌋; where it is scaled, wᵢ = ⌊√(G²R²vᵢ²/S)⌋, so Σwᵢ² ≤ G²R²: L2 ≤ G·R. Square roots are of integers, rounded down. Other hosts' rows do
//! not enter.
//! **After that** everything is post-processing: centre each link, take out the two strongest daily patterns, and score each interval by its largest
//! residual in deviations of its link. More patterns than there are take the anomalies out with them.
//! **Bias.** A host above R is scaled down, most where it bursts.

use std::collections::BTreeMap;

use pointillist_mechanisms::DiscreteGaussianMechanism;
use pointillist_noise::SecureBits;
use pointillist_numbers::Rational;
use pointillist_privacy::{Loss, Rho, SensitivityL2};

use super::error::TraceError;
use super::trace::{BINS, Crossing, LINKS};

/// Links on both sides.
pub const COLUMNS: usize = 2 * LINKS;
/// Volumes are counted in steps of this part of a packet where hosts are scaled.
const GRID: i128 = 1 << 10;
/// Daily patterns that are taken out.
const PATTERNS: usize = 2;

/// Whose packets are hidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Norm {
    /// One packet.
    Packet,
    /// All of a host's, scaled to this norm at most.
    Host {
        /// The largest Euclidean norm of a host's volumes, in packets, R in the proof.
        norm_max: u32,
    },
}

/// Volumes with exact noise.
pub struct LinkVolumes {
    norm: Norm,
    noise: DiscreteGaussianMechanism,
}

impl LinkVolumes {
    /// A measurement under this norm.
    pub fn new(norm: Norm, rho: &Rho) -> Result<Self, TraceError> {
        let sensitivity_l2 = SensitivityL2::from_squared(moves_squared_upper(norm))?;
        Ok(Self { norm, noise: DiscreteGaussianMechanism::for_rho(rho, &sensitivity_l2)? })
    }

    /// What a release costs.
    pub fn loss(&self) -> Loss {
        self.noise.loss()
    }

    /// The deviation of the noise on a cell, in packets.
    pub fn sigma(&self) -> f64 {
        self.noise.variance_parameter().to_f64_upper().sqrt() / self.grid() as f64
    }

    fn grid(&self) -> i128 {
        match self.norm {
            Norm::Packet => 1,
            Norm::Host { .. } => GRID,
        }
    }

    /// Volumes in steps of the grid, interval by interval, home links first.
    pub fn release<B: SecureBits + ?Sized>(&self, crossings: &[Crossing], bits: &mut B) -> Vec<i128> {
        self.noise.release_all(&volumes(self.norm, crossings), bits)
    }

    /// What was released, in packets.
    pub fn packets(&self, released: &[i128]) -> Vec<f64> {
        released.iter().map(|value| *value as f64 / self.grid() as f64).collect()
    }
}

fn moves_squared_upper(norm: Norm) -> Rational {
    match norm {
        Norm::Packet => Rational::from(2),
        Norm::Host { norm_max } => (Rational::from(GRID) * Rational::from(norm_max)).squared(),
    }
}

fn cells(crossing: &Crossing) -> [usize; 2] {
    let row = usize::from(crossing.bin) * COLUMNS;
    [row + usize::from(crossing.home), row + LINKS + usize::from(crossing.away)]
}

/// Volumes as they are released, without noise.
fn volumes(norm: Norm, crossings: &[Crossing]) -> Vec<i128> {
    let mut volumes = vec![0; BINS * COLUMNS];
    let Norm::Host { norm_max } = norm else {
        crossings.iter().flat_map(cells).for_each(|cell| volumes[cell] += 1);
        return volumes;
    };
    let mut hosts: BTreeMap<u32, BTreeMap<usize, u128>> = BTreeMap::new();
    for crossing in crossings {
        let of_host = hosts.entry(crossing.host).or_default();
        cells(crossing).into_iter().for_each(|cell| *of_host.entry(cell).or_default() += 1);
    }
    let norm_squared = u128::from(norm_max) * u128::from(norm_max);
    for of_host in hosts.into_values() {
        let squares: u128 = of_host.values().map(|count| count * count).sum();
        for (cell, count) in of_host {
            let scaled = match squares <= norm_squared {
                true => count * GRID as u128,
                false => (GRID as u128 * GRID as u128 * norm_squared * count * count / squares).isqrt(),
            };
            volumes[cell] += scaled as i128;
        }
    }
    volumes
}

/// True volumes.
pub fn exact(crossings: &[Crossing]) -> Vec<f64> {
    volumes(Norm::Packet, crossings).into_iter().map(|value| value as f64).collect()
}

/// The score of every interval: its largest residual beside the strongest daily patterns.
pub fn scores(volumes: &[f64]) -> Vec<f64> {
    let bins = volumes.len() / COLUMNS;
    let mut rows: Vec<Vec<f64>> = volumes.chunks(COLUMNS).map(<[f64]>::to_vec).collect();
    for link in 0..COLUMNS {
        let mean = rows.iter().map(|row| row[link]).sum::<f64>() / bins as f64;
        rows.iter_mut().for_each(|row| row[link] -= mean);
    }
    for _ in 0..PATTERNS {
        let pattern = strongest(&rows);
        for row in &mut rows {
            let part: f64 = row.iter().zip(&pattern).map(|(value, along)| value * along).sum();
            row.iter_mut().zip(&pattern).for_each(|(value, along)| *value -= part * along);
        }
    }
    let deviation = |link: usize| {
        (rows.iter().map(|row| row[link] * row[link]).sum::<f64>() / bins as f64)
            .sqrt()
            .max(f64::MIN_POSITIVE)
    };
    let deviations: Vec<f64> = (0..COLUMNS).map(deviation).collect();
    let score =
        |row: &Vec<f64>| row.iter().zip(&deviations).map(|(value, by)| value / by).fold(0.0, f64::max);
    rows.iter().map(score).collect()
}

/// The direction in which rows vary most, of length one.
fn strongest(rows: &[Vec<f64>]) -> Vec<f64> {
    let mut direction: Vec<f64> = (0..COLUMNS).map(|link| 1.0 + link as f64 / COLUMNS as f64).collect();
    for _ in 0..200 {
        let mut next = vec![0.0; COLUMNS];
        for row in rows {
            let part: f64 = row.iter().zip(&direction).map(|(value, along)| value * along).sum();
            next.iter_mut().zip(row).for_each(|(sum, value)| *sum += part * value);
        }
        let length = next.iter().map(|value| value * value).sum::<f64>().sqrt();
        if length <= 0.0 {
            return vec![0.0; COLUMNS];
        }
        direction = next.into_iter().map(|value| value / length).collect();
    }
    direction
}

/// The intervals with the highest scores.
pub fn top(scores: &[f64], count: usize) -> Vec<usize> {
    let mut bins: Vec<usize> = (0..scores.len()).collect();
    bins.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));
    bins.truncate(count);
    bins
}

#[cfg(test)]
mod tests {
    use super::*;

    fn crossing(host: u32, bin: u16, home: u8, away: u8) -> Crossing {
        Crossing { host, bin, home, away }
    }

    fn squared(with: &[i128], without: &[i128]) -> i128 {
        with.iter().zip(without).map(|(a, b)| (a - b) * (a - b)).sum()
    }

    /// Specification: over hundreds of small tables volumes move by at most what is claimed; a packet by exactly that, and a host
    /// whose norm is R, or a perfect square beyond it, by exactly that too.
    #[test]
    fn no_packet_and_no_host_moves_more_than_is_claimed_and_some_as_much() {
        let host = Norm::Host { norm_max: 5 };
        let claimed = moves_squared_upper(host);
        let (mut by_packet, mut by_host) = (0, 0);
        for number in 0..300_u32 {
            let mut rows: Vec<Crossing> = (0..number % 23)
                .map(|place| {
                    let digits = number * 7 + place * place * 3;
                    crossing(
                        digits % 2,
                        (digits / 2 % 3) as u16,
                        (digits / 6 % 2) as u8,
                        (digits / 12 % 2) as u8,
                    )
                })
                .collect();
            // All of a host's packets in one interval, on two links: 3 and 4 times as much is a norm of 5, 6 and 8 one of 10.
            rows.extend((0..number % 9).map(|_| crossing(0, 7, 1, 1)));
            let fewer: Vec<Crossing> = rows.iter().copied().filter(|row| row.host != 0).collect();
            by_host = by_host.max(squared(&volumes(host, &rows), &volumes(host, &fewer)));
            if !rows.is_empty() {
                by_packet =
                    by_packet.max(squared(&volumes(Norm::Packet, &rows), &volumes(Norm::Packet, &rows[1..])));
            }
        }
        assert_eq!(Rational::from(by_packet), moves_squared_upper(Norm::Packet));
        assert!(Rational::from(by_host) <= claimed);
        // 3 packets on one pair of links, 4 on another: S = 2·(9 + 16) = 50 ≤ 50 and no scaling, where R² = 50.
        let exactly: Vec<Crossing> = (0..7).map(|place| crossing(0, u16::from(place < 3), 0, 0)).collect();
        let five_root_two = volumes(Norm::Host { norm_max: 7 }, &exactly);
        assert!(squared(&five_root_two, &[0; BINS * COLUMNS]) <= 49 * GRID * GRID);
        // A host that sends one packet to eight places has the norm √16 = 4.
        let spread: Vec<Crossing> = (0..8).map(|bin| crossing(0, bin, 0, 0)).collect();
        let four = volumes(Norm::Host { norm_max: 4 }, &spread);
        assert_eq!(
            Rational::from(squared(&four, &[0; BINS * COLUMNS])),
            moves_squared_upper(Norm::Host { norm_max: 4 })
        );
        let two = volumes(Norm::Host { norm_max: 2 }, &spread);
        assert_eq!(
            Rational::from(squared(&two, &[0; BINS * COLUMNS])),
            moves_squared_upper(Norm::Host { norm_max: 2 })
        );
    }

    /// Specification: rounding to the nearest in place of down, one link in place of two, and a cut of each cell alone are caught.
    #[test]
    fn planted_wrong_bounds_are_caught() {
        let rows = [crossing(0, 0, 0, 0)];
        let moved = squared(&volumes(Norm::Packet, &rows), &volumes(Norm::Packet, &[]));
        assert!(moved > 1, "a packet crosses two links");
        // Each cell cut at R, and not the norm: seven cells of R are √7 times too much.
        let spread: Vec<Crossing> =
            (0..7).flat_map(|bin| (0..9).map(move |_| crossing(0, bin, 0, 0))).collect();
        let cut_alone: i128 =
            volumes(Norm::Packet, &spread).iter().map(|cell| (cell.min(&5) * GRID).pow(2)).sum();
        assert!(Rational::from(cut_alone) > moves_squared_upper(Norm::Host { norm_max: 5 }));
        // Three equal cells scaled to 5 are 2.886 each in units of the grid; rounded up they pass it.
        let three: Vec<Crossing> =
            (0..3).flat_map(|bin| (0..9).map(move |_| crossing(0, bin, 0, 0))).collect();
        let down = volumes(Norm::Host { norm_max: 5 }, &three);
        let up: i128 = down.iter().filter(|cell| **cell > 0).map(|cell| (cell + 1) * (cell + 1)).sum();
        assert!(Rational::from(up) > moves_squared_upper(Norm::Host { norm_max: 5 }));
        assert!(
            Rational::from(squared(&down, &[0; BINS * COLUMNS]))
                <= moves_squared_upper(Norm::Host { norm_max: 5 })
        );
    }

    #[test]
    fn a_burst_beside_daily_patterns_has_the_highest_score() {
        let mut volumes = vec![0.0; BINS * COLUMNS];
        for (place, volume) in volumes.iter_mut().enumerate() {
            let (bin, link) = (place / COLUMNS, place % COLUMNS);
            let angle = std::f64::consts::TAU * bin as f64 / BINS as f64;
            *volume = 100.0
                + 40.0 * angle.sin() * (1.0 + link as f64 / 9.0)
                + 20.0 * angle.cos() * (link % 3) as f64;
            *volume += ((bin * 7 + link * 13) % 11) as f64;
        }
        volumes[100 * COLUMNS + 30] += 90.0;
        assert_eq!(top(&scores(&volumes), 1), [100]);
    }
}
