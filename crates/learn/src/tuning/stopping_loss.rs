//! What the best of a random number of runs loses.
//!
//! **Guarantee.** Let one run have Rényi divergences of at most D(a) at the order a between neighbours, both ways, and K be
//! drawn by a [`StoppingLaw`]. The best of K independent runs, by a score that is part of what the run releases, has
//! at the order a at most the smaller of
//! 1. D(a) + (1 + η)·((1 − 1/â)·D(â) + ln(1/γ)/â) + ln E[K]/(a − 1), for every â ≥ 1;
//! 2. ln E[e^((a − 1)·D(a)·K)]/(a − 1), where that is finite.
//!
//! If a run is ε-DP, the best is (2 + η)ε-DP. If a run is ρ-zCDP, the best is ρ'-zCDP, where ρ' is the larger of statements
//! 1 and 2 for D(a) = aρ, divided by a, at any one order a > 1; for 1, divergences at larger orders serve as well.
//! **Neighbours.** Those of one run.
//! **Source.** 1: Papernot and Steinke (2022), arXiv:2110.03620, Theorem 2. 2 and ρ' are ours. Proofs, with P and P' the
//! laws of a run on neighbours, f(s) = E[s^K], A and A' the laws of the best:
//! * Ties. Give every run a uniform number that breaks ties, and forget it afterwards: this changes no divergence of a run
//!   and, runs being exchangeable, not the law of the first of the best. So outcomes are totally ordered.
//! * Statement 1. A(y) = f(P(≤ y)) − f(P(< y)) = P(y)·E f'(q_u), where q_u = P(< y) + u·P(y) for a uniform u, and the same for A' with
//!   q'_u. As v^a·w^(1−a) is convex in both, Σ A(y)^a·A'(y)^(1−a) ≤ Σ P(y)^a·P'(y)^(1−a)·E[f'(q_u)^a·f'(q'_u)^(1−a)].
//!   f'(s) = E[K]·(γ/(1 − (1 − γ)s))^(1+η). Let B = 1 − (1 − γ)q ≥ γ, B' alike: f'(q)^a·f'(q')^(1−a) = f'(q)·(B'/B)^((1+η)(a−1)),
//!   and f'(q) ≤ E[K]. B is the probability of an event (a coin, or a run above the threshold), so by Hölder's
//!   inequality B' ≤ (B·e^D(â))^(1−1/â), whence B'/B ≤ γ^(−1/â)·e^((1−1/â)D(â)). Put together and divided by a − 1 that is 1.
//! * Statement 2. All K runs and K itself say more than the best. Given K = k they have divergence k·D(a), and K looks at nothing.
//! * ε-DP. 1 with D = ε everywhere, and both orders to infinity.
//! * ρ'. 2 divided by a is ρ times ln E[e^(tK)]/t at t = a(a − 1)ρ, which rises with t. 1 divided by a is ρ + c/a + ln
//!   E[K]/(a(a − 1)), which falls. Divergences rise with the order, so up to some order b the value of 1 at b holds as well,
//!   and divided by a it falls too. So at orders below the chosen one 2 is smaller than there, and above it 1.
//!
//! **Check.** Brute force: the laws of A and A' are computed from f for pairs of discrete laws, and pairs are found for
//! which 1 without ln E[K], with η for 1 + η, or without ln(1/γ) is wrong, and for which (2 + η)ε is reached (tests below).
//! **Exactness.** Enclosures, rounded up; floats look for orders only.

use pointillist_numbers::{Enclosure, Rational};
use pointillist_privacy::ParameterError;
use pointillist_privacy::conversion::{Order, RenyiCurve};

use super::stopping_law::StoppingLaw;

const PRECISION: usize = 320;
const SIGNIFICANT: usize = 96;

impl StoppingLaw {
    /// What the best of a random number of runs has at every order of one run's curve, rounded up.
    ///
    /// # Errors
    /// None, but for what [`RenyiCurve::from_points`] says.
    pub fn renyi_upper(&self, run: &RenyiCurve) -> Result<RenyiCurve, ParameterError> {
        let tails = run.points().iter().map(|(order, at_order)| self.tail_upper(order.value(), at_order));
        let tail = tails.min().expect("a curve is never empty");
        let point = |(order, at_order): &(Order, Rational)| {
            let best = self.best_upper(order.value(), at_order, &tail);
            let composed = self.composed_upper(order.value(), at_order);
            (order.clone(), composed.map_or(best.clone(), |composed| composed.min(best)))
        };
        let mut points: Vec<(Order, Rational)> = run.points().iter().map(point).collect();
        // Divergences rise with the order: what holds at a larger one holds here.
        for at in (1..points.len()).rev() {
            points[at - 1].1 = points[at - 1].1.clone().min(points[at].1.clone());
        }
        RenyiCurve::from_points(points)
    }

    /// (2 + η)ε.
    pub(super) fn pure_upper(&self, epsilon: &Rational) -> Rational {
        epsilon * &(Rational::from(2) + self.eta().clone())
    }

    /// ρ' for runs that are ρ-zCDP, rounded up.
    pub(super) fn zcdp_upper(&self, rho: &Rational) -> Rational {
        let logarithm = self.logarithm().upper().to_f64_upper();
        let near = (logarithm / rho.to_f64_nearest()).sqrt().clamp(1.0, 1e12);
        let order_hat = Rational::from_f64(near).expect("a clamped float is a number");
        let tail = self.tail_upper(&order_hat, &(&order_hat * rho));
        // Statement 1 is least at the order 1 + √(ln E[K]/ρ).
        let mean = self.mean_upper().to_f64_nearest().max(1.0).ln();
        let least = (mean / rho.to_f64_nearest()).sqrt().clamp((-32f64).exp2(), 40f64.exp2());
        let least = Rational::one() + Rational::from_f64(least).expect("a clamped float is a number");
        let at = |step: u32| {
            let above = (f64::from(step) / 64.0 - 32.0).exp2();
            let order = Rational::one() + Rational::from_f64(above).expect("a power of two is a number");
            let larger = order.clone().max(least.clone());
            let best = self.best_upper(&larger, &(&larger * rho), &tail) / order.clone();
            let composed = self.composed_upper(&order, &(&order * rho)).map(|value| value / order);
            (composed, best)
        };
        // The orders 1 + 2^(step/64 − 32): 2 rises with the order, 1 falls.
        let (mut low, mut high) = (0, 64 * 72);
        while high - low > 1 {
            let middle = u32::midpoint(low, high);
            let (composed, best) = at(middle);
            if composed.is_some_and(|composed| composed < best) { low = middle } else { high = middle }
        }
        // Statement 1 alone, at the order where it is least, holds divided by one: it is the smaller where K is large.
        let alone = self.best_upper(&least, &(&least * rho), &tail);
        let (composed, best) = at(low);
        let larger = composed.map_or(alone.clone(), |composed| composed.max(best).min(alone));
        larger.round_up_significant(SIGNIFICANT)
    }

    /// (1 + η)·((1 − 1/â)·D(â) + ln(1/γ)/â).
    fn tail_upper(&self, order_hat: &Rational, at_order: &Rational) -> Rational {
        let inverse = order_hat.reciprocal().expect("an order is at least one");
        let own = (Rational::one() - inverse.clone()) * at_order.clone();
        let sum = own + self.logarithm().upper() * inverse;
        (sum * (Rational::one() + self.eta().clone())).round_up_significant(SIGNIFICANT)
    }

    /// Statement 1.
    fn best_upper(&self, order: &Rational, at_order: &Rational, tail: &Rational) -> Rational {
        let mean = Enclosure::ln_of(&self.mean_upper(), PRECISION).expect("a mean of at least one").upper();
        let share = mean.max(Rational::zero()) / (order - &Rational::one());
        (at_order + tail + share).round_up_significant(SIGNIFICANT)
    }

    /// Statement 2.
    fn composed_upper(&self, order: &Rational, at_order: &Rational) -> Option<Rational> {
        let above = order - &Rational::one();
        let cumulant = self.cumulant_upper(&(&above * at_order))?;
        Some((cumulant.max(Rational::zero()) / above).round_up_significant(SIGNIFICANT))
    }
}

#[cfg(test)]
mod tests;
