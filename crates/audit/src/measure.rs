//! From the probabilities of one event on both sides to the loss that they prove.
//!
//! **Statement.** Let a release keep a [`Guarantee`] between two neighbours, with laws P and Q, and let E be an event with
//! P(E) ≥ p and Q(E) ≤ q, p > q. Then the number of the guarantee (its ε, ρ or η) is at least [`Measure::lower`]`(p, q)`.
//! **Proof.** The law of the indicator of E is a function of the release, so it keeps the same guarantee; it is a coin.
//! * Pure ε: P(E) ≤ e^ε·Q(E), so ε ≥ ln(p/q). (ε, δ): ε ≥ ln((p − δ)/q).
//! * ρ-zCDP: the Rényi divergence of order a of the two coins is at most a·ρ; it grows with P(E) and falls with Q(E)
//!   while P(E) > Q(E), so that ρ ≥ D_a(p ‖ q)/a for every a > 1, and for a → 1 the Kullback-Leibler divergence. Some
//!   orders are tried, which can only lower the result.
//! * δ-approximate ρ-zCDP (Bun and Steinke 2016, Definition 8.1): conditioned on events of probability at least 1 − δ, one
//!   of each side, the coins have P'(E) ≥ (p − δ)/(1 − δ) and Q'(E) ≤ q/(1 − δ), and those keep ρ.
//! * η-bounded range: ln P/Q varies by at most η over outputs, hence over events; with one event that is likelier on one
//!   side and one that is likelier on the other, η ≥ ln(p/q) + ln(q'/p'). The two terms are measured apart and added by
//!   the caller. ∎
//!
//! **Exactness.** Floats: an audit refutes at a stated confidence, and its bounds carry errors of 1e-9 beside it.

use pointillist_privacy::Guarantee;

/// Orders of Rényi divergence that are tried.
const ORDERS: [f64; 24] = [
    1.0, 1.02, 1.05, 1.1, 1.2, 1.35, 1.5, 1.75, 2.0, 2.5, 3.0, 4.0, 5.0, 6.5, 8.0, 11.0, 15.0, 20.0, 30.0,
    45.0, 70.0, 120.0, 250.0, 1000.0,
];

/// What is measured of a guarantee: its one number.
#[derive(Clone, Debug, PartialEq)]
pub struct Measure {
    guarantee: Guarantee,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Epsilon { delta: f64 },
    Range,
    Rho { delta: f64 },
}

impl Measure {
    /// What is measured of this guarantee.
    pub fn of(guarantee: &Guarantee) -> Self {
        let kind = match guarantee {
            Guarantee::Pure { .. } => Kind::Epsilon { delta: 0.0 },
            Guarantee::Approximate { delta, .. } => Kind::Epsilon { delta: delta.to_f64_upper() },
            Guarantee::BoundedRange { .. } => Kind::Range,
            Guarantee::ZeroConcentrated { .. } => Kind::Rho { delta: 0.0 },
            Guarantee::ApproximateZeroConcentrated { delta, .. } => Kind::Rho { delta: delta.to_f64_upper() },
        };
        Self { guarantee: guarantee.clone(), kind }
    }

    /// The guarantee.
    pub fn guarantee(&self) -> &Guarantee {
        &self.guarantee
    }

    /// The number that is claimed.
    pub fn claimed(&self) -> f64 {
        match &self.guarantee {
            Guarantee::Pure { epsilon }
            | Guarantee::Approximate { epsilon, .. }
            | Guarantee::BoundedRange { eta: epsilon } => epsilon.to_f64_upper(),
            Guarantee::ZeroConcentrated { rho } | Guarantee::ApproximateZeroConcentrated { rho, .. } => {
                rho.to_f64_upper()
            }
        }
    }

    /// The symbol of the number.
    pub fn symbol(&self) -> &'static str {
        match self.kind {
            Kind::Epsilon { .. } => "ε",
            Kind::Range => "η",
            Kind::Rho { .. } => "ρ",
        }
    }

    /// Whether the two directions add up.
    pub(super) fn adds_directions(&self) -> bool {
        self.kind == Kind::Range
    }

    /// The least number with which an event can have probability `p` or more on one side and `q` or less on the other.
    pub fn lower(&self, p: f64, q: f64) -> f64 {
        match self.kind {
            Kind::Epsilon { delta } => log_ratio(p - delta, q),
            Kind::Range => log_ratio(p, q),
            Kind::Rho { delta } => concentrated((p - delta) / (1.0 - delta), q / (1.0 - delta)),
        }
    }

    /// The most probable that an event can be on one side when it has probability `q` on the other: the claim as a
    /// curve, for plots. The event's complement is held to the claim as well, with the sides exchanged.
    pub fn allowed(&self, q: f64) -> f64 {
        let claimed = self.claimed();
        let by_epsilon = |epsilon: f64, delta: f64| {
            let growth = epsilon.min(700.0);
            (growth.exp() * q + delta).min(1.0 - (-growth).exp() * (1.0 - q - delta).max(0.0)).min(1.0)
        };
        match self.kind {
            Kind::Epsilon { delta } => by_epsilon(claimed, delta),
            // The event and its complement differ by η at most: ln(p/q) + ln((1 − q)/(1 − p)) = η.
            Kind::Range => {
                let odds = claimed.min(700.0).exp() * q;
                odds / (1.0 - q + odds)
            }
            Kind::Rho { .. } => {
                let (mut below, mut above) = (q, 1.0);
                for _ in 0..60 {
                    let middle = 0.5 * (below + above);
                    let needed = self.lower(middle, q).max(self.lower(1.0 - q, 1.0 - middle));
                    if needed <= claimed { below = middle } else { above = middle }
                }
                above
            }
        }
    }
}

fn log_ratio(p: f64, q: f64) -> f64 {
    if p <= 0.0 { 0.0 } else { (p / q).ln().max(0.0) }
}

/// The largest D_a(p ‖ q)/a of two coins over the orders.
fn concentrated(p: f64, q: f64) -> f64 {
    if p <= q {
        return 0.0;
    }
    let (p, q) = (p.min(1.0), q.min(1.0));
    if q <= 0.0 {
        return f64::INFINITY;
    }
    // Logarithms keep high orders within the floats.
    let (yes, no) = ((p / q).ln(), ((1.0 - p) / (1.0 - q)).ln());
    let divergence = |order: f64| {
        if order == 1.0 {
            return p * yes + if p < 1.0 { (1.0 - p) * no } else { 0.0 };
        }
        let first = p.ln() + (order - 1.0) * yes;
        let second = if p < 1.0 { (-p).ln_1p() + (order - 1.0) * no } else { f64::NEG_INFINITY };
        let largest = first.max(second);
        (largest + ((first - largest).exp() + (second - largest).exp()).ln()) / (order - 1.0)
    };
    ORDERS.iter().map(|order| divergence(*order) / order).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use pointillist_privacy::{Delta, Epsilon, Rho};
    use pointillist_testkit::renyi_divergence;

    use super::*;

    fn epsilon(text: &str) -> Epsilon {
        Epsilon::parse(text).unwrap()
    }

    #[test]
    fn pure_and_approximate_losses_are_log_ratios() {
        let pure = Measure::of(&Guarantee::Pure { epsilon: epsilon("1") });
        assert!((pure.lower(0.5, 0.25) - 2f64.ln()).abs() < 1e-15);
        assert_eq!((pure.lower(0.0, 0.5), pure.lower(0.2, 0.5)), (0.0, 0.0));
        let delta = Delta::parse("0.25").unwrap();
        let approximate = Measure::of(&Guarantee::Approximate { epsilon: epsilon("1"), delta });
        assert!((approximate.lower(0.75, 0.25) - 2f64.ln()).abs() < 1e-15);
        assert_eq!(approximate.lower(0.2, 0.0), 0.0);
    }

    #[test]
    fn concentrated_losses_are_divergences_of_coins() {
        let rho = Measure::of(&Guarantee::ZeroConcentrated { rho: Rho::parse("0.5").unwrap() });
        for (p, q) in [(0.5, 0.25), (0.9, 0.1), (0.02, 0.0001), (1.0, 0.5)] {
            let measured = rho.lower(p, q);
            let best =
                ORDERS.iter().map(|order| renyi_divergence(&[p, 1.0 - p], &[q, 1.0 - q], *order) / order);
            let best = best.filter(|value| value.is_finite()).fold(0.0, f64::max);
            assert!((measured - best).abs() < 1e-9, "{p} {q}: {measured} {best}");
            // What is allowed at the measured loss is the event itself.
            assert!(rho.allowed(q) <= 1.0);
        }
        assert_eq!(rho.lower(0.2, 0.3), 0.0);
    }

    /// Specification: a release that shows the side with probability δ and is a coin of loss ρ otherwise keeps (ρ, δ), and
    /// the best event about it proves exactly ρ.
    #[test]
    fn an_approximate_rho_is_that_of_what_is_left() {
        let (delta, [p, q]) = (0.1, [0.6, 0.3]);
        let claim = Guarantee::ApproximateZeroConcentrated {
            rho: Rho::parse("1").unwrap(),
            delta: Delta::parse("0.1").unwrap(),
        };
        let exact = Measure::of(&Guarantee::ZeroConcentrated { rho: Rho::parse("1").unwrap() }).lower(p, q);
        let seen = Measure::of(&claim).lower(delta + (1.0 - delta) * p, (1.0 - delta) * q);
        assert!((seen - exact).abs() < 1e-12, "{seen} {exact}");
    }

    /// Specification: no threshold on a Gaussian pair measures more than its ρ, in floats.
    #[test]
    fn a_gaussian_shift_measures_at_most_its_rho() {
        let tail = |z: f64| 0.5 * libm::erfc(z / 2f64.sqrt());
        let rho = Measure::of(&Guarantee::ZeroConcentrated { rho: Rho::parse("0.5").unwrap() });
        let mut most = 0f64;
        for step in -40..=80 {
            let z = f64::from(step) / 10.0;
            most = most.max(rho.lower(tail(z - 1.0), tail(z)));
        }
        assert!(most <= 0.5 && most > 0.25, "{most}");
    }

    #[test]
    fn the_curve_of_a_claim_is_where_its_measure_is_the_claim() {
        let claims = [
            Guarantee::Pure { epsilon: epsilon("1") },
            Guarantee::Approximate { epsilon: epsilon("1"), delta: Delta::parse("0.01").unwrap() },
            Guarantee::ZeroConcentrated { rho: Rho::parse("0.1").unwrap() },
            Guarantee::BoundedRange { eta: epsilon("1") },
        ];
        for guarantee in claims {
            let measure = Measure::of(&guarantee);
            for q in [0.001, 0.05, 0.2, 0.5, 0.8, 0.97] {
                let p = measure.allowed(q);
                let both = [measure.lower(p, q), measure.lower(1.0 - q, 1.0 - p)];
                let needed = if measure.adds_directions() { both[0] + both[1] } else { both[0].max(both[1]) };
                assert!((needed - measure.claimed()).abs() < 1e-6, "{guarantee} {q}: {needed}");
                // What the claim says of an event it says of the complement, with the sides exchanged.
                assert!((measure.allowed(1.0 - p) - (1.0 - q)).abs() < 1e-6, "{guarantee} {q}");
            }
            assert!(measure.allowed(0.999) <= 1.0 && measure.allowed(0.0) <= 1.0);
        }
    }
}
