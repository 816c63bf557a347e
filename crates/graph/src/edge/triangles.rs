//! Triangles at smooth sensitivity: pure, and the most accurate we know.
//!
//! **Guarantee.** ε-differentially private. A share of ε, a tenth with power tails and a sixteenth with
//! Student's t, buys a noisy bound `L̂` of the local sensitivity L, the largest number of common neighbours
//! of two nodes; the rest, ε', buys the count plus noise at its smooth sensitivity.
//! **Neighbours.** Graphs over the same n nodes that differ in one tie; n is public.
//! **Proof.** One tie moves L by at most one, so `L̂` is private by `private_bound.rs`. Given `L̂`,
//! everything but the graph is fixed, β too, and the count is private by `smooth_noise.rs`: the local
//! sensitivities `LS_s` of `triangle_sensitivity.rs` have the two properties that smooth sensitivity asks
//! for, and their cap n − 2 is public. Losses of two releases, the second chosen after the first was seen,
//! add up. Without three nodes there is no triangle, and zero is released, whatever the graph.
//! **What the bound is for.** The smooth sensitivity S is private, so no interval can be made of it. One can
//! be made of `S'(L̂)`, where `S'(l) = max_s e^{−βs}·min(l + s, n − 2)`, which is at least S when `L̂ ≥ L`.
//! The share is a compromise: a larger one narrows intervals of graphs with a small L, and widens every
//! error. The bound also chooses the smoothing. Tails of power k need `β = ε'/k`; a larger k is less noise
//! for the same S, but S grows above L once `1/β > L`. So k is the largest of 8, 16, 32, 64 for which `1/β`
//! is at most what `L̂` says of L, and 8 otherwise. With Student's t the choice is between `ε'/β` = 12, 24
//! and 48. This costs nothing: `L̂` is released anyway.
//! **Interval.** `q·S'(L̂)/α`, where the noise Z exceeds q in magnitude with probability 3 %; `L̂` is L plus
//! noise X of scale σ plus an allowance of `5σ/3 + 1/2`. The truth is missed only if `|Z| > q·S'(L̂)/S`. Now
//! `S ≤ S'(L)`, and for `L̂ < L`, `S'(L̂) ≥ λ·S'(L)` with `λ = max(L̂/L, e^{−β(L−L̂)})`:
//! `min(xl + s, c) ≥ x·min(l + s, c)` for x ≤ 1, and the ladder of L is that of `L̂` shifted by `L − L̂`.
//! With power tails `P[|Z| > λq] ≤ 0.03^λ`: the hazard rate of `|Z|` rises, then falls, so its mean over
//! `[0, t]`, which is `−ln P[|Z| > t]/t`, is least at an end of `[0, q]`; at 0 it is `1/N` of the sampler's
//! file, which is above `ln(1/0.03)/q`. So the interval fails with probability at most `E[0.03^λ]`, λ = 1
//! where `L̂ ≥ L`. That falls in `L̂`, and only X below minus the allowance matter; there X is stochastically
//! at least a continuous Laplace variable of the same scale less 1/2, as for j ≥ 1
//! `P[X ≤ −j] = a^j/(1 + a) ≤ e^{−(j − 1/2)/σ}/2`, `a = e^{−1/σ}`. What is left depends on `L/σ` and
//! `βσ ≤ 9/8` only, and its maximum, near `L = 1.6σ`, is below 5 %: a test evaluates it. For Student's t the
//! allowance is `7σ/4 + 1/2`, `βσ ≤ 5/4`, and the test takes `P[|T| > λq]` itself.
//! **Error.** With power tails the mean error is about `(1 + 1.3/k)·S/(0.9·ε)`, and S is L unless L is below
//! `k/ε`: 1.14 to 1.4 times `L/ε`. With Student's t it is `1.45·S/ε`.
//! **Exactness.** Integers and rationals, and enclosures that round outwards; no float decides anything.
//! **Not covered.** Timing: counting takes a time that depends on the graph. The maximum over `L/σ` is found
//! numerically; the interval rests on it, privacy does not.

use pointillist_mechanisms::{PowerTailedLaplaceSetting, SmoothMechanism, StudentTSetting};
use pointillist_noise::SecureBits;
use pointillist_numbers::Rational;
use pointillist_privacy::{Epsilon, FailureProbability, Loss};

use super::private_bound::PrivateBound;
use super::triangle_sensitivity::{TriangleSensitivity, cap};
use crate::kernel::triangles;
use crate::{Answer, Draw, Estimate, Graph, GraphError, Mechanism, Outlook};

/// One part in this many of ε buys the bound.
const BOUND_SHARE: u64 = 10;
/// The same with Student's t.
const BOUND_SHARE_STUDENT: u64 = 16;
/// The allowance of the bound, in scales of its noise.
const ALLOWANCE: (i128, u128) = (5, 3);
/// The same with Student's t.
const ALLOWANCE_STUDENT: (i128, u128) = (7, 4);
/// Powers of the tail, from a large β to a small one.
const POWERS: [u32; 4] = [8, 16, 32, 64];
/// The same for Student's t: `ε'/β`.
const STUDENT_SHARES: [u32; 3] = [12, 24, 48];
const STUDENT_DEGREES: u32 = 3;
/// How often the noise leaves its bound. Together with a bound of L that is too low this makes less than 5 %.
const NOISE_FAILURE: &str = "0.03";
/// Smooth sensitivities below this count as this: far less than rounding to an integer. With three nodes and
/// more S is at least `e^{−2β}` anyway.
const FLOOR_BITS: i64 = -20;

/// Which noise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SmoothKind {
    /// A Laplace law with power tails: the least noise.
    PowerTail,
    /// Student's t with three degrees of freedom: the noise of the literature.
    StudentT,
}

/// The number of triangles with noise at its smooth sensitivity, and a bound of its local sensitivity.
#[derive(Clone, Debug)]
pub struct SmoothTriangles {
    kind: SmoothKind,
    nodes: u32,
    loss: Loss,
    bound: PrivateBound,
    /// From the largest β to the smallest; at least one.
    stages: Vec<Stage>,
}

/// The count with noise, for one β.
#[derive(Clone, Debug)]
enum Stage {
    PowerTail(SmoothMechanism<PowerTailedLaplaceSetting>),
    StudentT(SmoothMechanism<StudentTSetting>),
}

impl SmoothTriangles {
    /// The count at this price, for graphs with this many nodes.
    pub fn new(epsilon: &Epsilon, nodes: u32, noise: SmoothKind) -> Result<Self, GraphError> {
        let (share, allowance) = match noise {
            SmoothKind::PowerTail => (BOUND_SHARE, ALLOWANCE),
            SmoothKind::StudentT => (BOUND_SHARE_STUDENT, ALLOWANCE_STUDENT),
        };
        let (epsilon_bound, epsilon_count) = shares(epsilon, share)?;
        // Fewer than three nodes have no sensitivity at all, and nothing below is ever used for them.
        let most = cap(nodes).max(1);
        let (floor, most_rational) = (Rational::power_of_two(FLOOR_BITS), Rational::from(most));
        let stages = match noise {
            SmoothKind::PowerTail => {
                let stage = |power: &u32| {
                    let setting = PowerTailedLaplaceSetting::new(*power, &epsilon_count)?;
                    Ok(Stage::PowerTail(SmoothMechanism::new(setting, &floor, &most_rational)?))
                };
                POWERS.iter().map(stage).collect::<Result<_, GraphError>>()?
            }
            SmoothKind::StudentT => {
                let stage = |share: &u32| {
                    let beta = epsilon_count.value() / &Rational::from(*share);
                    let setting = StudentTSetting::new(STUDENT_DEGREES, &epsilon_count, &beta)?;
                    Ok(Stage::StudentT(SmoothMechanism::new(setting, &floor, &most_rational)?))
                };
                STUDENT_SHARES.iter().map(stage).collect::<Result<_, GraphError>>()?
            }
        };
        let allowance = Rational::ratio(allowance.0, allowance.1);
        let bound = PrivateBound::with_scales(&epsilon_bound, &allowance, most)?;
        let loss = paid(epsilon, &bound.loss(), &Loss::pure(epsilon_count));
        Ok(Self { kind: noise, nodes, loss, bound, stages })
    }

    /// The stage that a released bound chooses: the smallest β with `1/β` at most what the bound says of L.
    fn stage(&self, bound: u64) -> &Stage {
        let local = Rational::from(self.bound.middle(bound));
        let fits = |stage: &&Stage| stage.beta() * &local >= Rational::one();
        self.stages.iter().rfind(fits).unwrap_or(&self.stages[0])
    }

    /// How far the count is off with probability at most 5 %, given a released bound.
    fn error_95(&self, bound: u64) -> f64 {
        let failure = FailureProbability::parse(NOISE_FAILURE).expect("a probability");
        self.stage(bound).error_upper(bound, cap(self.nodes), &failure)
    }
}

impl Stage {
    fn beta(&self) -> &Rational {
        match self {
            Self::PowerTail(mechanism) => mechanism.smoothing().beta(),
            Self::StudentT(mechanism) => mechanism.smoothing().beta(),
        }
    }

    fn release(&self, count: i64, local: &TriangleSensitivity, bits: &mut dyn SecureBits) -> i64 {
        let at = |distance| Rational::from(local.at(distance));
        match self {
            Self::PowerTail(mechanism) => mechanism.release(count, at, bits),
            Self::StudentT(mechanism) => mechanism.release(count, at, bits),
        }
    }

    /// What the noise exceeds with probability at most `failure` where the local sensitivity is the bound.
    fn error_upper(&self, bound: u64, cap: u64, failure: &FailureProbability) -> f64 {
        let at = |distance: u64| Rational::from(bound.saturating_add(distance).min(cap));
        let error = match self {
            Self::PowerTail(mechanism) => mechanism.error_bound(&mechanism.smoothing().of(at), failure),
            Self::StudentT(mechanism) => mechanism.error_bound(&mechanism.smoothing().of(at), failure),
        };
        // Errors are whole numbers.
        Rational::from(error.expect("the mechanism's own smoothing").floor()).to_f64_upper()
    }
}

/// The price of a first step, one part in `share`, and the rest.
pub(super) fn shares(epsilon: &Epsilon, share: u64) -> Result<(Epsilon, Epsilon), GraphError> {
    let bound = epsilon.divided_by(share)?;
    let count = Epsilon::new(epsilon.value() - bound.value())?;
    Ok((bound, count))
}

/// Both steps together, in every currency: the price as it was asked, and what else is known.
pub(super) fn paid(epsilon: &Epsilon, bound: &Loss, count: &Loss) -> Loss {
    let pure = Loss::pure(epsilon.clone());
    let also = bound.then(count);
    also.iter().flat_map(|loss| loss.guarantees()).fold(pure, |loss, guarantee| loss.and(guarantee.clone()))
}

/// The number of triangles; ends at the largest integer, far beyond any memory, which moves no count by more
/// than before.
pub(super) fn count(graph: &Graph) -> i64 {
    i64::try_from(triangles::count(graph)).unwrap_or(i64::MAX)
}

impl Mechanism for SmoothTriangles {
    fn name(&self) -> &'static str {
        match self.kind {
            SmoothKind::PowerTail => "smooth",
            SmoothKind::StudentT => "student-t",
        }
    }

    fn loss(&self) -> Loss {
        self.loss.clone()
    }

    fn outlook(&self) -> Outlook {
        let most = cap(self.nodes);
        if most == 0 {
            return Outlook { error_95: Some(0.0), words: vec!["three nodes make a triangle".to_owned()] };
        }
        let unit = self.error_95(most) / most as f64;
        let words = vec![
            format!(
                "the error exceeds about {unit:.1} times the largest number of common neighbours of two \
                 nodes with probability 5 %; it is not known before, and at most {most}"
            ),
            "the interval is wider: it rests on a noisy bound of that number".to_owned(),
        ];
        Outlook { error_95: None, words }
    }

    fn release(&self, graph: &Graph, bits: &mut dyn SecureBits) -> Vec<i128> {
        self.counted(graph)(bits)
    }

    fn counted<'a>(&'a self, graph: &'a Graph) -> Draw<'a> {
        if cap(self.nodes) == 0 {
            return Box::new(|_| vec![0, 0]);
        }
        let (count, local) = (count(graph), TriangleSensitivity::of(graph, self.nodes));
        Box::new(move |bits| {
            let bound = self.bound.release(local.local(), bits);
            let noisy = self.stage(bound).release(count, &local, bits);
            vec![i128::from(noisy), i128::from(bound)]
        })
    }

    fn present(&self, released: &[i128]) -> Option<Answer> {
        let [noisy, bound] = *released else { return None };
        if cap(self.nodes) == 0 {
            let nothing = Answer { estimates: vec![Estimate::count(0, 0.0)], notes: Vec::new() };
            return (noisy == 0 && bound == 0).then_some(nothing);
        }
        let bound = self.bound.recognised(bound)?;
        Some(Answer { estimates: vec![Estimate::count(noisy, self.error_95(bound))], notes: Vec::new() })
    }
}

#[cfg(test)]
mod tests;
