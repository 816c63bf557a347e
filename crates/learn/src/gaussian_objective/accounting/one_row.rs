//! What the curvature of one row adds to s²/2: less than its square, as a gradient that bends is not at its longest.
//!
//! **Guarantee.** For k = 1, with the terms of `gaussian_objective.rs` and Ψ(x) = E max(0, N − x) ≤ φ(x)/(1 + x²), the release is ρ-zCDP with ρ =
//! s²/2 + max(p, q), where
//! * p = max(½sκΨ(s/κ), κ²·min(C, ½e^(−s²/2κ²))) for D_a(P‖Q),
//! * q = sup over a of min(ln(1 + ½aα·s·r·Ψ(s/r))/(aα), (a·ln(1 + κ) − ln(1 + aκ))/(aα)) for D_a(Q‖P), r(a) = 2((1 + κ)^a − 1 − aκ)/(aακ).
//!
//! **Proof.** The gradient stays on the line of x, so given the rest of c the pair is one on a line: h(c) = ‖g‖/σ in [0, s] falls with c
//! (in the right orientation) with slope −κ(c), κ(c) ≤ κ. An integral over the rest is at most the largest over lines.
//! * *D_a(Q‖P).* With u = c − ah, I = E_u e^(aαh²/2)·(1 + κ)^a/(1 + aκ), where −dh/du = t = κ/(1 + aκ). The last factor, (1 − αt)^a·(1 − at)^(−α), is
//!   convex in t and 1 at t = 0, so at most 1 + Ct, C = ((1 + κ)^a − 1 − aκ)/κ for the largest κ. Let X(u) = ∫ e^(aαy²/2) dy over y from h to s. Then
//!   E[t·e^(aαh²/2)] = E[X'] = E[uX] (Stein), and e^(aαs²/2) − e^(aαh²/2) = ∫ aαy·e^(aαy²/2) dy ≥ (aαs/2)·X, as the weight rises with y. So I ≤ e^(aαs²/2) + E[X(Cu −
//!   aαs/2)] ≤ e^(aαs²/2)·(1 + s·E max(0, Cu − aαs/2)), as X ≤ s·e^(aαs²/2): with r = 2C/(aα) the first of q. The second is the bound f(κ)/α.
//! * *D_a(P‖Q), ακ < 1.* The same with u = c + αh, t = κ/(1 − ακ), the factor (1 + at)^(−α)·(1 + αt)^a, also convex, and r = 2((1 + κ)^(−α) − 1 + ακ)/(aακ) =
//!   (2/κ)∫ (κ − y)(1 + y)^(−α−2) dy over y from 0 to κ, at most κ. ln(1 + y)/y ≤ 1 gives ½sκΨ(s/κ), as r·Ψ(s/r) rises with r.
//! * *D_a(P‖Q), ακ ≥ 1.* The addition is (1/α)·ln B, B ≤ Φ(v) + e^(−v²/2)/2 with v = αs ≥ s/κ, divided by a; aα ≥ 1/κ². ln B ≤ C, and ln B ≤ B − 1 ≤
//!   ½e^(−v²/2), which falls with v.
//! * *The supremum.* r(a) = (2/κ)∫ (κ − y)(1 + y)^(a−2) dy rises with a, and ln(1 + yM)/y falls with y; (a·ln(1 + κ) − ln(1 + aκ))/(aα) = ∫ y/((1 + y)(1 + ay)) dy falls with a. So
//!   between two orders of a grid the first is at most that with r of the larger and aα of the smaller, the second that of the smaller, also beyond the grid.
//!
//! **Source.** Ours. Checked by quadrature, with the rest of the theorem.

use pointillist_numbers::{Enclosure, Rational};

use super::{PRECISION, half_line_constant, mean_of_half_normal};

/// Orders of the grid: 1 + i/(8κ).
const ORDERS: u64 = 64;
const BITS: usize = 128;

/// max(p, q), rounded up.
pub(super) fn curvature_rho_upper(kappa: &Rational, s: &Rational) -> Rational {
    let square = kappa.squared();
    // For a smaller κ the powers below lose their digits, and κ²/2 is nothing.
    if *kappa < Rational::power_of_two(-60) || *kappa > Rational::power_of_two(20) {
        return square;
    }
    let half = Rational::ratio(1, 2);
    let square_ratio = (s / kappa).squared().min(Rational::from(4000));
    let fall = Enclosure::exp_of_minus(&(square_ratio * half.clone()), PRECISION).upper();
    let beyond = square.clone() * half_line_constant().min(half.clone() * fall);
    let mut worst = beyond.max(excess(kappa, s) * half.clone());
    let ln = Enclosure::ln_of(&(Rational::one() + kappa.clone()), PRECISION).expect("1 + κ is positive");
    for step in 0..=ORDERS {
        let here = Point::new(kappa, step);
        let by_determinant = if step == 0 { &square * &half } else { here.determinant(kappa, &ln) };
        let bound = if step == ORDERS {
            by_determinant
        } else {
            by_determinant.min(here.with_excess(&excess(&Point::new(kappa, step + 1).r(kappa, &ln), s)))
        };
        worst = worst.max(bound);
    }
    worst.round_up_significant(BITS)
}

/// s·r·Ψ(s/r), rounded up.
fn excess(r: &Rational, s: &Rational) -> Rational {
    // Beyond e^-2000 nothing gets smaller.
    let square = (s / r).squared().min(Rational::from(4000)).round_down_to_bits(400);
    let density = Enclosure::exp_of_minus(&(&square * &Rational::ratio(1, 2)), PRECISION).upper();
    let excess = s * r * density * mean_of_half_normal() / (Rational::one() + square);
    excess.round_up_significant(BITS)
}

/// An order of the grid.
struct Point {
    order: Rational,
    /// aα.
    product: Rational,
}

impl Point {
    fn new(kappa: &Rational, step: u64) -> Self {
        let beyond_one = Rational::from(step) / (Rational::from(8) * kappa.clone());
        let order = Rational::one() + beyond_one.clone();
        Self { product: &order * &beyond_one, order }
    }

    /// a·ln(1 + κ), between bounds, from ln(1 + κ).
    fn power(&self, ln: &Enclosure) -> Enclosure {
        ln * &Enclosure::of(&self.order, PRECISION)
    }

    /// r(a), rounded up.
    fn r(&self, kappa: &Rational, ln: &Enclosure) -> Rational {
        let grown = self.power(ln).exp().upper() - Rational::one() - &self.order * kappa;
        (grown * Rational::from(2) / (&self.product * kappa)).round_up_significant(BITS)
    }

    /// (a·ln(1 + κ) − ln(1 + aκ))/(aα), rounded up.
    fn determinant(&self, kappa: &Rational, ln: &Enclosure) -> Rational {
        let spread = Rational::one() + &self.order * kappa;
        let subtracted = Enclosure::ln_of(&spread, PRECISION).expect("1 + aκ is positive");
        (&self.power(ln) - &subtracted).upper() / self.product.clone()
    }

    /// ln(1 + ½aα·M)/(aα), rounded up; M/2 at a = 1.
    fn with_excess(&self, excess: &Rational) -> Rational {
        let half = excess * &Rational::ratio(1, 2);
        if self.product.is_zero() {
            return half;
        }
        let raised = Rational::one() + &half * &self.product;
        let ln = Enclosure::ln_of(&raised, PRECISION).expect("one and more has a logarithm");
        ln.upper() / self.product.clone()
    }
}
