//! What a Gaussian perturbation of the objective loses: the bounds of the theorem, rounded up.
//!
//! **Guarantee.** Every function here returns an upper bound of what the theorem of `gaussian_objective.rs` states for
//! s = kR/σ, κ₁ = cR²/λ, κ = kκ₁. Floats only look for the threshold x₀ of the proof; whatever they find is valid.

use pointillist_mechanisms::number::gaussian_calibration::{delta_of, sigma_analytic, sigma_for_rho};
use pointillist_numbers::{Enclosure, Rational};
use pointillist_privacy::conversion::zcdp_rho_lower;
use pointillist_privacy::{Delta, Epsilon, Rho, SensitivityL2};

use crate::{LearnError, MarginProblem};

mod one_row;

const PRECISION: usize = 256;
/// Up to this many rows of one person, all subsets of them are looked at.
const SUBSETS_ROWS_MAX: u32 = 24;
const SIGMA_BITS: usize = 64;

/// ln(max over v of Φ(v) + e^(−v²/2)/2), reached at v = √(2/π), rounded up: the constant C of the theorem.
pub(super) fn half_line_constant() -> Rational {
    Rational::ratio(14_083, 100_000)
}

/// 1/√(2π), rounded up.
fn mean_of_half_normal() -> Rational {
    Rational::ratio(3_989_422_805, 10_000_000_000)
}

/// What the determinant adds to a log-ratio: k·ln(1 + κ₁), rounded up.
pub(crate) fn determinant_upper(problem: &MarginProblem) -> Rational {
    let each = Enclosure::ln_of(&(Rational::one() + problem.kappa_of_row()), PRECISION)
        .expect("one and something positive has a logarithm");
    each.upper() * Rational::from(problem.rows_per_person())
}

/// The ρ of the curvature: what the theorem adds to s²/2, rounded up.
pub(super) fn curvature_rho_upper(problem: &MarginProblem, s: &Rational) -> Rational {
    let any = curvature_rho_of_orders(problem, s);
    if problem.rows_per_person() > 1 {
        return any;
    }
    any.min(one_row::curvature_rho_upper(&problem.kappa_of_row(), s))
}

/// Statement 1 of the theorem: low orders by one bound and high ones by another. It rises with s.
fn curvature_rho_of_orders(problem: &MarginProblem, s: &Rational) -> Rational {
    let kappa = problem.kappa_of_row() * Rational::from(problem.rows_per_person());
    // Both parts are found at the same x₀, where they cross; one falls and the other rises with x₀.
    let value = |x: &Rational| curvature_rho_at(x, &kappa, s, problem.rows_per_person() == 1);
    let (mut low, mut high) = (1u128, 4095u128);
    while high - low > 1 {
        let middle = u128::midpoint(low, high);
        let (bend, tail) = value(&Rational::ratio(middle as i128, 4096));
        if bend < tail { low = middle } else { high = middle }
    }
    let larger = |at: u128| {
        let (bend, tail) = value(&Rational::ratio(at as i128, 4096));
        bend.max(tail)
    };
    larger(low).min(larger(high)).round_up_significant(SIGMA_BITS)
}

/// κ²·h(x₀)/x₀ for the orders below x₀/κ + 1, and min(Cκ/x₀, s/√(2π))/(1 + x₀/κ) for those above.
fn curvature_rho_at(x: &Rational, kappa: &Rational, s: &Rational, one_row: bool) -> (Rational, Rational) {
    let minus_ln = -&Enclosure::ln_of(&(Rational::one() - x.clone()), PRECISION).expect("x₀ is below one");
    let h = &minus_ln.upper() / x - Rational::one();
    let bend = kappa.squared() * (h / x.clone()).max(Rational::ratio(1, 2));
    let any = s * &mean_of_half_normal();
    let tail = if one_row { any.min(half_line_constant() * kappa.clone() / x.clone()) } else { any };
    (bend, tail / (Rational::one() + x / kappa))
}

/// The ρ of noise of this σ: s²/2 and the curvature's.
pub(super) fn rho_upper(problem: &MarginProblem, sigma: &Rational) -> Rational {
    let s = &problem.gradient_bound() / sigma;
    s.squared() * Rational::ratio(1, 2) + curvature_rho_upper(problem, &s)
}

/// The δ of noise of this σ at this ε, or `None` where the theorem says nothing.
pub(crate) fn delta_upper(problem: &MarginProblem, sigma: &Rational, epsilon: &Rational) -> Option<Rational> {
    let left = epsilon - &determinant_upper(problem);
    let whole = problem.gradient_bound();
    let curve = |epsilon: &Rational, sensitivity: &Rational| {
        let sensitivity = SensitivityL2::new(sensitivity.clone()).ok()?;
        Some(delta_of(sigma, epsilon, &sensitivity).ok()?.upper())
    };
    if left.is_negative() {
        return None;
    }
    let rows = problem.rows_per_person();
    let by_subsets = (rows <= SUBSETS_ROWS_MAX).then(|| {
        let mut total = Rational::zero();
        let mut ways = Rational::one();
        for size in 1..=rows {
            ways = ways * Rational::from(rows - size + 1) / Rational::from(size);
            let part = whole.clone() * Rational::ratio(i128::from(size), u128::from(rows));
            total = total + ways.clone() * curve(&left, &part)?;
        }
        Some(total)
    });
    let s = &whole / sigma;
    let beyond_median = &left - &(&s * &mean_of_half_normal());
    let by_median = (beyond_median >= s.squared() * Rational::ratio(1, 2))
        .then(|| curve(&beyond_median, &whole))
        .flatten();
    [by_subsets.flatten(), by_median].into_iter().flatten().min()
}

/// A σ for ρ-zCDP, rounded up; `None` when the curvature alone takes more.
pub(super) fn sigma_for_zcdp(problem: &MarginProblem, rho: &Rational) -> Option<Rational> {
    let sensitivity = SensitivityL2::new(problem.gradient_bound()).ok()?;
    let sigma_with =
        |curvature: Rational| Some(sigma_for_rho(&Rho::new(rho - &curvature).ok()?, &sensitivity));
    // Statement 1 rises with s, which is below √(2ρ).
    let s_upper = Enclosure::of(&(rho + rho), PRECISION).sqrt().upper();
    let sure = sigma_with(curvature_rho_of_orders(problem, &s_upper));
    // Statement 2 does not rise: it is asked at the s that it leads to, and has the last word.
    let margin = Rational::ratio(1025, 1024);
    let mut found = sigma_with(Rational::zero())?;
    for _ in 0..8 {
        if rho_upper(problem, &found) <= *rho {
            return sure.map_or(Some(found.clone()), |sure| Some(sure.min(found)));
        }
        let s = &problem.gradient_bound() / &found;
        match sigma_with(curvature_rho_upper(problem, &s) * margin.clone()) {
            Some(next) => found = next,
            None => break,
        }
    }
    sure
}

/// The least σ found for (ε, δ), rounded up: by the curve itself, or by way of zCDP.
pub(super) fn sigma_for_epsilon_delta(
    problem: &MarginProblem,
    epsilon: &Epsilon,
    delta: &Delta,
) -> Result<Option<Rational>, LearnError> {
    let by_rho = zcdp_rho_lower(epsilon, delta).ok().and_then(|rho| sigma_for_zcdp(problem, rho.value()));
    let by_curve = sigma_by_curve(problem, epsilon, delta)?;
    Ok([by_curve, by_rho].into_iter().flatten().min())
}

fn sigma_by_curve(
    problem: &MarginProblem,
    epsilon: &Epsilon,
    delta: &Delta,
) -> Result<Option<Rational>, LearnError> {
    let left = epsilon.value() - &determinant_upper(problem);
    let Ok(left) = Epsilon::new(left.round_down_to_bits(200)) else { return Ok(None) };
    let sensitivity = SensitivityL2::new(problem.gradient_bound())?;
    let least = sigma_analytic(&left, delta, &sensitivity)?;
    let fits = |sigma: &Rational| {
        delta_upper(problem, sigma, epsilon.value()).is_some_and(|found| found <= *delta.value())
    };
    if fits(&least) {
        return Ok(Some(least));
    }
    // More than one row: up to twice the least σ, in steps that halve.
    let mut low = least.clone();
    let mut high = &least + &least;
    if !fits(&high) {
        return Ok(None);
    }
    for _ in 0..16 {
        let middle = ((&low + &high) * Rational::ratio(1, 2)).round_up_significant(SIGMA_BITS);
        if fits(&middle) { high = middle } else { low = middle }
    }
    Ok(Some(high))
}
