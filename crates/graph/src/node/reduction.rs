//! Counts of a graph whose degrees were bounded by a tested projection.
//!
//! **Guarantee.** (ε₁ + ε₂, δ)-differentially private: a degree bound D is chosen by the test of
//! `safety_test.rs` at (ε₁, δ), the graph is projected to it, and its count is released with discrete Laplace
//! noise of scale Δ/ε₂; several counts share ε₂. When no bound passes, nothing is answered, and that is
//! private too.
//! **Neighbours.** Graphs that differ in one node with all its ties. No number of nodes is public.
//! **Source.** Blocki, Blum, Datta, Sheffet (2013), arXiv:1208.4586, for the projection; the sensitivities
//! are derived here.
//! **Proof.** Let `G' = G + w` not be crowded at the rung (D, l). By `bounded_projection.rs` one gets from
//! the projection of G to that of G' by taking away at most l − 1 ties (one for each node above D other than
//! w), adding the node w, and then adding at most D ties at w; all degrees on the way are at most D. So a
//! count moves by at most Δ, the larger of what the one and the other can do, where they work against each
//! other:
//!
//! | count | ties taken away | w and its ties | Δ |
//! | --- | --- | --- | --- |
//! | ties | falls by at most l − 1 | rises by at most D | `max(D, l − 1)` |
//! | components | rises by at most l − 1 | rises by 1, less 1 for each tie that joins | `max(D − 1, l)` |
//! | triangles | each was in at most D − 1 | one for each pair of neighbours | `max(C(D,2), (l − 1)(D − 1))` |
//! | k-stars | each was in at most 2·C(D − 1, k − 1) | C(D,k) around w, C(D − 1, k − 1) around each neighbour | `max((k + 1)·C(D,k), 2(l − 1)·C(D − 1, k − 1))` |
//!
//! For components: w comes alone, and its first joining tie makes up for it, so w and D ties move the count
//! by 1 to 1 − D. Noise of scale Δ/ε₂ is ε₂-private between two such graphs, and the theorem of
//! `safety_test.rs` gives the pair. ∎ With group privacy for D + l − 1 ties, as `through_edges.rs` has it,
//! noise would be about twice as large for components and ties, and more for the others.
//! **Crowds.** l is public and chosen so that both sides of Δ are equal: a larger l would cost, a smaller one
//! would only make the test harder.
//! **Error.** Noise of `Δ·ln(20)/ε₂`, and the ties that were cut. The first rung is a little above the
//! distance the test needs, about `140/ε` at δ = 1e-6, so only large graphs profit. What was cut is not known:
//! an interval is open on the side to which cutting ties moves the count.
//! **Exactness.** Integers throughout.
//! **Not covered.** Timing. The largest degree, see `degree_bound.rs`; the degeneracy, which needs none of
//! this, see `degeneracy.rs`.

use pointillist_mechanisms::GeometricMechanism;
use pointillist_noise::SecureBits;
use pointillist_numbers::Rational;
use pointillist_privacy::{Delta, Epsilon, FailureProbability, Loss, Rho, SensitivityL1};

use crate::kernel::stars::choose;
use crate::kernel::{components, stars, triangles};
use crate::node::bounded_projection::BoundedProjection;
use crate::node::degree_bound::max_degree_refusal;
use crate::node::safety_test::{Rung, SafetyTest};
use crate::{Answer, Estimate, Figure, Graph, GraphError, Mechanism, Outlook, Statistic};

/// A count of the graph, or a ratio of two, behind a tested projection.
#[derive(Clone, Debug)]
pub struct Reduced {
    statistic: Statistic,
    counts: Vec<Count>,
    test: SafetyTest,
    /// The noise of every count, at every rung.
    noises: Vec<Vec<GeometricMechanism>>,
    loss: Loss,
}

/// A count whose movement under the projection is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Count {
    Edges,
    Components,
    Triangles,
    Stars(u32),
}

impl Count {
    /// Δ of the table above; ends at the largest number.
    fn sensitivity(self, rung: &Rung) -> u128 {
        let (bound, crowd) = (u64::from(rung.bound), u128::from(rung.crowd));
        let lost = crowd - 1;
        match self {
            Self::Edges => u128::from(bound).max(lost),
            Self::Components => u128::from(bound - 1).max(crowd),
            Self::Triangles => choose(bound, 2).max(lost.saturating_mul(u128::from(bound - 1))),
            Self::Stars(leaves) => {
                let gained = choose(bound, leaves).saturating_mul(u128::from(leaves) + 1);
                gained.max(choose(bound - 1, leaves - 1).saturating_mul(2 * lost))
            }
        }
    }

    /// The l at which both sides of Δ are equal, rounded down.
    fn crowd(self, bound: u32) -> u64 {
        let bound = u64::from(bound);
        match self {
            Self::Edges => bound + 1,
            Self::Components => bound - 1,
            Self::Triangles => bound / 2 + 1,
            Self::Stars(leaves) => bound * (u64::from(leaves) + 1) / (2 * u64::from(leaves)) + 1,
        }
    }

    fn of(self, graph: &Graph) -> i128 {
        match self {
            Self::Edges => i128::from(graph.edges()),
            Self::Components => i128::from(components::count(graph)),
            Self::Triangles => i128::from(triangles::count(graph)),
            Self::Stars(leaves) => i128::try_from(stars::count(graph, leaves)).unwrap_or(i128::MAX),
        }
    }
}

impl Reduced {
    /// The statistic at this price, of which a third is for the test.
    ///
    /// # Errors
    /// When δ is zero, ε too small, or the statistic is not one of edges, components, triangles, stars and
    /// global clustering.
    pub fn new(statistic: Statistic, epsilon: &Epsilon, delta: &Delta) -> Result<Self, GraphError> {
        let counts = match statistic {
            Statistic::Edges => vec![Count::Edges],
            Statistic::Components => vec![Count::Components],
            Statistic::Triangles => vec![Count::Triangles],
            Statistic::Stars(leaves @ 2..) => vec![Count::Stars(leaves)],
            Statistic::GlobalClustering => vec![Count::Triangles, Count::Stars(2)],
            Statistic::MaxDegree => return Err(max_degree_refusal()),
            other => {
                return Err(GraphError::refused(
                    format!("{other} are not released through a projection to bounded degree"),
                    "ask for edges, components, triangles, stars or global-clustering, or choose another way",
                ));
            }
        };
        let [epsilon_test, epsilon_release] = split(epsilon)?;
        // The least crowd serves all counts: above its own a count pays for more lost ties than it must.
        let crowd = |bound: u32| counts.iter().map(|count| count.crowd(bound)).min().unwrap_or(1);
        let ladder =
            SafetyTest::ladder(|bound, needed| crowd(bound).max(needed + 1), None, &epsilon_test, delta)?;
        let share = epsilon_release.divided_by(counts.len() as u64)?;
        let build = |rung: &Rung| -> Result<Vec<GeometricMechanism>, GraphError> {
            counts.iter().map(|count| noise(count.sensitivity(rung), &share)).collect()
        };
        // Bounds whose noise would leave its range, which only large stars reach, are left out: they are
        // public.
        let first = build(&ladder.rungs()[0])?;
        let more = ladder.rungs()[1..].iter().map_while(|rung| build(rung).ok());
        let noises: Vec<_> = [first].into_iter().chain(more).collect();
        let test = SafetyTest::new(ladder.rungs()[..noises.len()].to_vec(), None, &epsilon_test, delta)?;
        let loss = test.loss_with(&epsilon_release, rho_of_all(&noises))?;
        Ok(Self { statistic, counts, test, noises, loss })
    }

    /// By how much the noise of a count moves it, but for 5 % shared among the counts.
    fn errors_95(&self, rung: usize) -> Vec<f64> {
        let beta = Rational::ratio(1, 20 * self.counts.len() as u128);
        let beta = FailureProbability::new(beta).expect("a probability");
        self.noises[rung].iter().map(|noise| noise.error_bound(&beta) as f64 - 1.0).collect()
    }
}

/// A third for the test and two thirds for the release, exactly.
pub(crate) fn split(epsilon: &Epsilon) -> Result<[Epsilon; 2], GraphError> {
    let test = epsilon.divided_by(3)?;
    let release = Epsilon::new(epsilon.value() - test.value())?;
    Ok([test, release])
}

/// What a failed test says.
pub(crate) fn refusal() -> Answer {
    let note = "no answer: at no degree bound was the graph far enough from having too many nodes above it";
    Answer { estimates: Vec::new(), notes: vec![note.to_owned()] }
}

/// Which graphs pass, from public numbers.
pub(crate) fn test_in_words(test: &SafetyTest) -> Vec<String> {
    let needed = test.distance_needed(&FailureProbability::parse("0.05").expect("a probability"));
    let line = |rung: &Rung| {
        let (bound, crowd) = (u64::from(rung.bound), rung.crowd);
        let (ties, some) = ((bound + 2).saturating_sub(needed), crowd.saturating_sub(needed));
        format!("the degree bound {bound} passes (95 %) if at most {some} nodes have {ties} ties or more")
    };
    let rungs = test.rungs();
    let mut words = vec![line(&rungs[0])];
    words.extend(rungs.get(6).map(line));
    words.push("ties beyond the bound are cut; what is cut is not known".to_owned());
    words
}

fn noise(sensitivity: u128, epsilon: &Epsilon) -> Result<GeometricMechanism, GraphError> {
    let sensitivity = SensitivityL1::new(Rational::from(sensitivity.max(1)))?;
    Ok(GeometricMechanism::new(&sensitivity, epsilon)?)
}

/// The largest ρ of the noise of a rung, all of its counts together.
fn rho_of_all(noises: &[Vec<GeometricMechanism>]) -> Option<Rho> {
    let rho_of = |noises: &Vec<GeometricMechanism>| {
        let mut all = noises.iter().map(|noise| noise.loss().rho());
        let first = all.next()??;
        all.try_fold(first, |sum, rho| sum.plus(&rho?).ok())
    };
    let all: Option<Vec<Rho>> = noises.iter().map(rho_of).collect();
    all?.into_iter().max()
}

impl Mechanism for Reduced {
    fn name(&self) -> &'static str {
        "restricted"
    }

    fn loss(&self) -> Loss {
        self.loss.clone()
    }

    fn outlook(&self) -> Outlook {
        let mut words = test_in_words(&self.test);
        for (count, error) in self.counts.iter().zip(self.errors_95(0)) {
            let bound = self.test.rungs()[0].bound;
            words.push(format!("at the bound {bound} the noise on {} is up to {error:.0}", count.in_words()));
        }
        Outlook { error_95: None, words }
    }

    fn release(&self, graph: &Graph, bits: &mut dyn SecureBits) -> Vec<i128> {
        let Some(rung) = self.test.choose(graph, bits) else { return vec![0] };
        let bound = self.test.rungs()[rung].bound;
        let projected = BoundedProjection::new(graph).graph(bound);
        let counts = self.counts.iter().zip(&self.noises[rung]);
        let noisy = counts.map(|(count, noise)| noise.release(count.of(&projected), bits));
        [i128::from(bound)].into_iter().chain(noisy).collect()
    }

    fn present(&self, released: &[i128]) -> Option<Answer> {
        let (bound, noisy) = released.split_first()?;
        if *bound == 0 {
            return noisy.is_empty().then(refusal);
        }
        let rung = self.test.rung(*bound)?;
        if noisy.len() != self.counts.len() {
            return None;
        }
        let errors = self.errors_95(rung);
        let mut notes = vec![format!("counted in the graph in which nobody keeps more than {bound} ties")];
        let estimate = match *noisy {
            [value] => {
                let mut estimate = Estimate::count(value, errors[0]);
                if self.statistic == Statistic::Components {
                    notes.push(format!(
                        "cutting ties makes components: if ties were cut, the truth may be below {}",
                        estimate.lower
                    ));
                    estimate.lower = 0.0;
                } else {
                    notes.push(format!(
                        "cutting ties lowers the count: if ties were cut, the truth may be above {}",
                        estimate.upper
                    ));
                    estimate.upper = f64::INFINITY;
                }
                estimate
            }
            _ => {
                let ratio = |triangles: f64, stars: f64| match stars > 0.0 {
                    true => (3.0 * triangles / stars).clamp(0.0, 1.0),
                    false => f64::from(triangles > 0.0),
                };
                let (triangles, stars) = (noisy[0] as f64, noisy[1] as f64);
                let lower = ratio(triangles - errors[0], stars + errors[1]);
                let upper = ratio(triangles + errors[0], stars - errors[1]);
                notes.push(format!("the ratio of that graph lies between {lower:.4} and {upper:.4}"));
                let value = Figure::Ratio(ratio(triangles, stars));
                Estimate { degree: None, value, lower: 0.0, upper: 1.0 }
            }
        };
        Some(Answer { estimates: vec![estimate], notes })
    }
}

impl Count {
    fn in_words(self) -> String {
        match self {
            Self::Edges => Statistic::Edges.to_string(),
            Self::Components => Statistic::Components.to_string(),
            Self::Triangles => Statistic::Triangles.to_string(),
            Self::Stars(leaves) => Statistic::Stars(leaves).to_string(),
        }
    }
}

#[cfg(test)]
mod tests;
