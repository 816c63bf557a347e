//! The tail of the binomial distribution, in floats.
//!
//! **Accuracy.** Relative error below 1e-9 up to a million trials, checked against 50-digit values in
//! `bounds.rs`.

use crate::gamma::{away_from_zero, ln_gamma};

/// The probability of at least `successes` successes in `n` trials of probability `p`: I_p(k, n − k + 1).
pub(crate) fn binomial_tail(successes: u64, n: u64, p: f64) -> f64 {
    if successes == 0 || p >= 1.0 {
        return 1.0;
    }
    if p <= 0.0 || successes > n {
        return 0.0;
    }
    regularised_beta(p, successes as f64, (n - successes) as f64 + 1.0)
}

/// The regularised incomplete beta function I_x(a, b), accurate where it is small.
fn regularised_beta(x: f64, a: f64, b: f64) -> f64 {
    let ln_scale = ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * x.ln() + b * (-x).ln_1p();
    if x < (a + 1.0) / (a + b + 2.0) {
        ln_scale.exp() * fraction(x, a, b) / a
    } else {
        1.0 - ln_scale.exp() * fraction(1.0 - x, b, a) / b
    }
}

/// The continued fraction of the incomplete beta function, by Lentz's method.
fn fraction(x: f64, a: f64, b: f64) -> f64 {
    let mut c = 1.0;
    let mut d = 1.0 / away_from_zero(1.0 - (a + b) * x / (a + 1.0));
    let mut product = d;
    for m in 1..1_000_000 {
        let m = f64::from(m);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let mut last = 1.0;
        for step in [even, odd] {
            d = 1.0 / away_from_zero(1.0 + step * d);
            c = away_from_zero(1.0 + step / c);
            last = d * c;
            product *= last;
        }
        if (last - 1.0).abs() < 1e-15 {
            break;
        }
    }
    product
}
