//! How many nodes have at least each degree.
//!
//! **Guarantee.** ε-differentially private: noisy sums over groups of degrees. All figures and intervals are
//! computed from these sums.
//! **Neighbours.** Graphs over the same nodes that differ in one tie; how many nodes there are is public.
//! **Proof.** Let `c_i` be the number of nodes with at least i ties, i = 1 … n − 1. A new tie raises two
//! degrees, one from a to a + 1 and one from b to b + 1, which adds one to `c_{a+1}` and one to `c_{b+1}`
//! (two when a = b) and nothing else. The groups are disjoint, so the sums over groups move by 2 in sum,
//! whatever the groups are; they depend on n and ε alone. Discrete Laplace noise of scale `2/ε` on each sum
//! is the geometric mechanism at `Δ₁ = 2`.
//! **Method.** Small degrees stand alone; degrees beyond r, about `35·ε^(3/4)`, stand in groups of about an
//! r-th of the degree, so that about `r·ln(n/r) + r` sums are released instead of n − 1. One sum's error does
//! not grow with its group, and long stretches in which few nodes or none have their degree cost a few draws
//! of noise instead of thousands. From noisy sums to figures: the group means are brought into falling order
//! ([`isotonic`](crate::isotonic), weights by the variance of a mean), moved into `0 ..= n`, and filled with
//! pieces of parabolas that keep every mean and never rise (Colella and Woodward 1984, the piecewise
//! parabolic method), then rounded.
//! **Error.** For a degree that stands alone the noise exceeds `2·ln(20)/ε`, about `6/ε` nodes, with
//! probability 5 %. Intervals hold for each degree on its own with probability 95 %, not for all degrees at
//! once: since c never rises, `c_i` is at most the mean of any group of degrees up to i, and at least the
//! mean of any group from i on; the nearest two such groups are used, 2.5 % each, and where they are the same
//! group the two sides of one draw.
//! **Exactness.** Integers until the release and in the intervals; figures are floats that are rounded, and
//! only they.
//! **Not covered.** Where inside its group a node's degree lies is interpolated. Timing.

use pointillist_mechanisms::GeometricMechanism;
use pointillist_noise::SecureBits;
use pointillist_numbers::Rational;
use pointillist_privacy::{Epsilon, FailureProbability, Loss, SensitivityL1};

use crate::isotonic::never_rising;
use crate::kernel::degrees;
use crate::{Answer, Estimate, Figure, Graph, GraphError, Mechanism, Outlook};

/// At ε = 1 degrees up to about this one stand alone. Chosen by the error on nine public graphs, all
/// between 0.01 and 5.
const ALONE_AT_ONE: u32 = 35;
/// The fewest degrees that stand alone.
const ALONE_LEAST: u32 = 3;
/// The most: keeps the number of groups far below a million, however large ε is.
const ALONE_MOST: u32 = 4096;

/// No released sum is beyond this, on either side.
const NOISY_MOST: u128 = 1 << 125;

/// The degree distribution of a graph, as counts of nodes with at least each degree.
#[derive(Clone, Debug)]
pub struct DegreeDistribution {
    nodes: u32,
    alone: u32,
    /// The first degree of each group, and one more than the last degree.
    starts: Vec<u32>,
    noise: GeometricMechanism,
}

impl DegreeDistribution {
    /// The distribution at this price, in graphs with this many nodes.
    pub fn new(epsilon: &Epsilon, nodes: u32) -> Result<Self, GraphError> {
        let noise = GeometricMechanism::new(&SensitivityL1::parse("2")?, epsilon)?;
        let alone = resolution(epsilon);
        Ok(Self { nodes, alone, starts: groups(nodes, alone), noise })
    }

    /// The sum of `c_i` over each group: what one tie moves by 2.
    fn sums(&self, graph: &Graph) -> Vec<i128> {
        let at_least = degrees::at_least(graph);
        let count = |degree: u32| i128::from(at_least.get(degree as usize).copied().unwrap_or(0));
        let last = at_least.len() as u32;
        self.starts.windows(2).map(|group| (group[0]..group[1].min(last)).map(count).sum()).collect()
    }

    fn width(&self, group: usize) -> u32 {
        self.starts[group + 1] - self.starts[group]
    }

    /// What the noise of one sum exceeds with probability at most 5 %, and each side of it with 2.5 %.
    fn reach(&self) -> i128 {
        let five_percent = FailureProbability::parse("0.05").expect("a probability");
        self.noise.error_bound(&five_percent) as i128 - 1
    }

    /// The figures for the degrees 1, 2, … up to the last that is not zero.
    fn figures(&self, released: &[i128]) -> Vec<i128> {
        let widths: Vec<f64> = (0..released.len()).map(|group| f64::from(self.width(group))).collect();
        let means: Vec<f64> = released.iter().zip(&widths).map(|(sum, width)| *sum as f64 / width).collect();
        let squares: Vec<f64> = widths.iter().map(|width| width * width).collect();
        let falling = never_rising(&means, &squares);
        let inside: Vec<f64> = falling.iter().map(|mean| mean.clamp(0.0, f64::from(self.nodes))).collect();
        let mut figures = Vec::new();
        let mut least = i128::from(self.nodes);
        for (group, mean) in inside.iter().enumerate() {
            // Between two groups the curve passes through the mean of their means, the narrower group
            // counting more.
            let edge = |other: usize| {
                let weight = widths[other] / (widths[group] + widths[other]);
                mean * weight + inside[other] * (1.0 - weight)
            };
            let left = if group == 0 { *mean } else { edge(group - 1) };
            let right = if group + 1 == inside.len() { *mean } else { edge(group + 1) };
            let curve = Parabola::never_rising(*mean, left, right);
            let width = self.width(group);
            for place in 0..width {
                // Curves never rise, but the last digit of a float may.
                least = least.min(curve.mean_of_part(place, width).round() as i128);
                figures.push(least);
            }
            if least <= 0 {
                break;
            }
        }
        let last = figures.iter().rposition(|figure| *figure > 0).map_or(0, |place| place + 1);
        figures.truncate(last);
        figures
    }

    /// Where `c_degree` lies with probability at least 95 %.
    fn interval(&self, degree: u32, released: &[i128], reach: i128) -> (i128, i128) {
        // The last group up to the degree, and the first group from the degree on.
        let before = self.starts.partition_point(|start| *start <= degree + 1).checked_sub(2);
        let after = self.starts.partition_point(|start| *start < degree);
        let nodes = i128::from(self.nodes);
        let upper = before.map_or(nodes, |group| {
            (released[group] + reach).div_euclid(i128::from(self.width(group))).clamp(0, nodes)
        });
        let lower =
            released.get(after).map_or(0, |sum| -(reach - sum).div_euclid(i128::from(self.width(after))));
        (lower.clamp(0, nodes), upper)
    }
}

impl Mechanism for DegreeDistribution {
    fn name(&self) -> &'static str {
        "grouped-degrees"
    }

    fn loss(&self) -> Loss {
        self.noise.loss()
    }

    fn outlook(&self) -> Outlook {
        let words = vec![
            format!(
                "nodes with at least d ties, d up to {}: their number gets noise beyond {} with probability 5 %",
                self.alone,
                self.reach()
            ),
            "larger degrees share the noise of groups that grow with the degree; figures inside a group are \
             interpolated"
                .to_owned(),
        ];
        Outlook { error_95: None, words }
    }

    fn release(&self, graph: &Graph, bits: &mut dyn SecureBits) -> Vec<i128> {
        self.noise.release_all(&self.sums(graph), bits)
    }

    fn present(&self, released: &[i128]) -> Option<Answer> {
        let ours = |sum: &i128| sum.unsigned_abs() <= NOISY_MOST;
        if released.len() + 1 != self.starts.len() || !released.iter().all(ours) {
            return None;
        }
        let reach = self.reach();
        let everybody = Estimate { degree: Some(0), ..Estimate::count(i128::from(self.nodes), 0.0) };
        let mut estimates = vec![everybody];
        for (figure, degree) in self.figures(released).into_iter().zip(1..) {
            let (lower, upper) = self.interval(degree, released, reach);
            estimates.push(Estimate {
                degree: Some(u64::from(degree)),
                value: Figure::Whole(figure),
                // The figure uses more than the groups of the interval; the interval is widened to hold it.
                lower: lower.min(figure) as f64,
                upper: upper.max(figure) as f64,
            });
        }
        let notes = vec![
            "each figure is the number of nodes with at least that many ties".to_owned(),
            "each interval holds for its own degree with 95 %, not all of them at once".to_owned(),
            format!(
                "beyond degree {} neighbouring degrees were counted together and interpolated",
                self.alone
            ),
        ];
        Some(Answer { estimates, notes })
    }
}

/// How many degrees stand alone: the largest r with `r⁴ ≤ 35⁴·ε³`, between the ends above. Any number would
/// be private.
fn resolution(epsilon: &Epsilon) -> u32 {
    let fourth = |number: u32| Rational::from(u128::from(number).pow(4));
    let limit = fourth(ALONE_AT_ONE) * epsilon.value().squared() * epsilon.value().clone();
    let (mut low, mut high) = (ALONE_LEAST, ALONE_MOST + 1);
    while high - low > 1 {
        let middle = low.midpoint(high);
        if fourth(middle) <= limit { low = middle } else { high = middle }
    }
    low
}

/// The first degrees of the groups that cover `1 .. nodes`, and the end.
fn groups(nodes: u32, alone: u32) -> Vec<u32> {
    let mut starts = vec![1];
    let mut next = 1;
    while next < nodes {
        next += ((next - 1) / alone).max(1).min(nodes - next);
        starts.push(next);
    }
    starts
}

/// A piece of a parabola over a group, from its left end (0) to its right end (1).
struct Parabola {
    left: f64,
    slope: f64,
    bend: f64,
}

impl Parabola {
    /// The piece with this mean and, as far as it then never rises, these ends; `left ≥ mean ≥ right`.
    fn never_rising(mean: f64, left: f64, right: f64) -> Self {
        let fall = left - right;
        let bend = 6.0 * (mean - f64::midpoint(left, right));
        // An extremum inside the piece is moved to the end that is too far away.
        let (left, right) = if bend < -fall {
            (3.0 * mean - 2.0 * right, right)
        } else if bend > fall {
            (left, 3.0 * mean - 2.0 * left)
        } else {
            (left, right)
        };
        Self { left, slope: right - left, bend: 6.0 * (mean - f64::midpoint(left, right)) }
    }

    /// The mean over one of so many equal parts.
    fn mean_of_part(&self, part: u32, parts: u32) -> f64 {
        let parts = f64::from(parts);
        let (from, to) = (f64::from(part) / parts, (f64::from(part) + 1.0) / parts);
        // The mean of t and of t·(1 − t) between the two ends.
        let middle = f64::midpoint(from, to);
        let square = (from * from + from * to + to * to) / 3.0;
        self.left + self.slope * middle + self.bend * (middle - square)
    }
}

#[cfg(test)]
mod tests;
