//! Gaussian objective perturbation: the minimiser of a loss with a random slope.
//!
//! Release θ = argmin Σ l(y·x·θ) + (λ/2)‖θ‖² + b·θ, b ~ N(0, σ²I). The trainer to use for linear classifiers.
//!
//! **Guarantee.** Let one person have at most k rows, ‖x‖ ≤ R, and a [`MarginLoss`](crate::MarginLoss) with curvature at most c.
//! With s = kR/σ, κ₁ = cR²/λ, κ = kκ₁, h(x) = −ln(1 − x)/x − 1, C = ln max_v [Φ(v) + e^(−v²/2)/2] < 0.14083:
//! 1. (ρ) The release is ρ-zCDP with ρ = s²/2 + max(κ²h(x₀)/x₀, min(Cκ/x₀, s/√2π)/(1 + x₀/κ)) for every x₀ in (0, 1), where
//!    Cκ/x₀ is for k = 1 only. For k = 1 and x₀ = 0.441 that is at most s²/2 + 0.725κ², and `accounting/one_row.rs` proves less:
//!    s²/2 + 0.2κ² where s is 2.6κ, as it is at usual penalties.
//! 2. (ε, δ) Let HS(ε, s) = Φ(s/2 − ε/s) − e^ε·Φ(−s/2 − ε/s) be the curve of the Gaussian mechanism and ε̃ = ε − k·ln(1 + κ₁).
//!    The release is (ε, δ)-DP with δ = Σ_m (k choose m)·HS(ε̃, ms/k) over m = 1…k when ε̃ ≥ 0, which for k = 1 is
//!    HS(ε̃, s); and with δ = HS(ε̃ − s/√2π, s) when ε̃ − s/√2π ≥ s²/2.
//!
//! **Neighbours.** Add or remove everything of one person.
//!
//! **Proof.** Let F be the objective without the person and without b, H ⪰ λI its Hessian, g(θ) and G the person's gradient
//! and Hessian. c = −∇F(θ) is a one-to-one map, since F is strongly convex (for the Huber hinge it is Lipschitz both
//! ways, and has its derivatives almost everywhere, which is all that a change of variables takes). In the coordinate c the release without the
//! person has density φ(c), that of N(0, σ²I); with the person, b' = c − g(θ(c)) is N(0, σ²I), so the density is φ(c − g)·det(I + GH⁻¹).
//! The eigenvalues κ_i of GH⁻¹ are those of H^(−1/2)GH^(−1/2): at most k of them are not zero, none is negative, and
//! they add up to tr(GH⁻¹) ≤ κ. Call the first law P, the second Q; α = a − 1 > 0.
//! * *D_a(Q‖P).* φ(c − g)^a·φ(c)^(1−a) = φ(c − ag)·e^(aα‖g‖²/2σ²). The map c ↦ u = c − a·g is minus the gradient of F + a·(the person's
//!   loss), which is strongly convex: one-to-one, with Jacobian ∏(1 + aκ_i). So D_a ≤ as²/2 + (1/α)·Σ f(κ_i), with f(t) = a·ln(1 + t) −
//!   ln(1 + at). f'(t) = aαt/((1 + t)(1 + at)) ≤ aαt, so f(t) ≤ aαt²/2 and D_a ≤ a(s²/2 + κ²/2). (f itself is concave
//!   beyond 1/√a; t²/2 is convex, and Σκ_i² ≤ κ².)
//! * *D_a(P‖Q), ακ < 1.* φ(c)^a·φ(c − g)^(1−a) = φ(c + αg)·e^(aα‖g‖²/2σ²). The map c ↦ c + αg is minus the gradient of F − α·(the person's loss), whose Hessian H − αG ⪰
//!   (λ − αkcR²)I is positive: one-to-one, Jacobian ∏(1 − ακ_i). So D_a ≤ as²/2 + (1/α)·Σ f(κ_i) with f(t) = −α·ln(1 + t) − ln(1 − αt), which
//!   is convex with f(0) = 0: at most f(κ). With x = ακ and ln(1 + κ) ≥ κ − κ²/2 that is f(κ)/α ≤ κ²/2 + κh(x) ≤ aκ²·max(1/2, h(x)/x), and
//!   h(x)/x = 1/2 + x/3 + … rises: for all orders up to α = x₀/κ the addition to s²/2 is κ²h(x₀)/x₀.
//! * *D_a(P‖Q), any order.* The determinant is at least one, so ln(P/Q) ≤ (‖c − g‖² − ‖c‖²)/2σ². The slopes of the loss are in [−1, 0]: g = −Σ t_j·y_j·x_j
//!   with t in [0, 1]^k, whatever c is. For fixed c this is convex in t, so at most its largest value at the corners, max over subsets S of
//!   Z_S, where Z_S ~ N(s_S²/2, s_S²), s_S ≤ |S|R/σ, Z_∅ = 0. Under P, c is N(0, σ²I).
//!   - k = 1: E e^(α·max(0, Z)) = Φ(−s/2) + e^(aαs²/2)·Φ(s/2 + αs). Divided by e^(aαs²/2), with v = αs: Φ(s/2 + v) + Φ(−s/2)·e^(−(vs + v²)/2), which
//!     falls with s (the derivatives of the two Φ cancel) and is at most e^C at s = 0. So D_a ≤ as²/2 + C/α.
//!   - any k: ln(P/Q) ≤ M + s²/2 with M = max over t of Σ t_j·W_j = Σ max(0, W_j), W_j normal of standard deviation at most s/k. So E M ≤
//!     s/√2π, however the W_j depend on each other. M is an s-Lipschitz function of c/σ, so E e^(α(M − EM)) ≤ e^(α²s²/2) (Tsirelson, Ibragimov,
//!     Sudakov 1976), and D_a ≤ as²/2 + s/√2π.
//!
//!   Both additions, divided by a, fall with a; at α = x₀/κ they are those of statement 1, and above it smaller.
//! * *(ε, δ).* The same holds for Q/P with b' in the place of −c, and the determinant adds Σ ln(1 + κ_i) ≤ k·ln(1 + κ₁), as each row's share
//!   is at most κ₁ and the determinant of rows added one after the other is a product. So both log-ratios are at most k·ln(1 + κ₁) + max_S Z_S, and
//!   E (1 − e^(ε̃ − max Z_S))₊ ≤ Σ_S E (1 − e^(ε̃ − Z_S))₊ = Σ_S HS(ε̃, s_S), where Z_∅ = 0 ≤ ε̃ gives nothing. For the last statement: M is distributed as an increasing
//!   s-Lipschitz function of one standard normal number N (Gaussian isoperimetry), so M ≤ m + s·max(0, N) with m its median, and m ≤ EM as M is convex (Kwapień 1994).
//!
//! **Source.** The form of the release: Kifer, Smith, Thakurta (2012); accounting by log-ratios: Redberg, Koskela, Wang (2023),
//! arXiv:2401.00583, whose bound for one row is 2·HS. The statements and proofs above are ours. Checked: by quadrature of both
//! divergences and both curves for 1-D problems with steep and flat losses, and by planted wrong constants (`tests.rs`). For k = 1 these
//! are all problems: g stays on one line, and given the rest of c the pair is one of the line. What the curvature of several rows adds is not tight: the
//! worst that quadrature finds is a seventh of it.
//! **Exactness.** b is a Gaussian rounded to a grid, exactly; the minimiser is certified; `tolerance.rs` says why both do not
//! matter and what they cost: a hundredth of the loss. Noise scales are rounded up.
//! **Not covered.** Timing: how long a fit takes depends on the rows.

use pointillist_mechanisms::{AdditiveNoise, MechanismError};
use pointillist_noise::{RoundedGaussian, SecureBits};
use pointillist_numbers::Rational;
use pointillist_privacy::conversion::zcdp_rho_lower;
use pointillist_privacy::{Delta, Epsilon, Guarantee, Loss, Rho};

use crate::margin_model::MarginModel;
use crate::tolerance::Tolerance;
use crate::{LearnError, MarginProblem, Rows};

pub(crate) mod accounting;
mod penalty;

pub use penalty::{default_lambda, default_lambda_for_epsilon, default_lambda_for_rho};

/// One part in this many pays for the minimiser being approximate.
const TOLERANCE_SHARE: u64 = 100;

/// A trainer of linear classifiers by Gaussian objective perturbation.
#[derive(Clone, Debug)]
pub struct GaussianObjective {
    problem: MarginProblem,
    sigma: Rational,
    slope_noise: RoundedGaussian,
    tolerance: Tolerance,
    output_noise: AdditiveNoise,
    loss: Loss,
}

impl GaussianObjective {
    /// The trainer that loses ρ.
    ///
    /// # Errors
    /// When the penalty is so small that no noise makes up for it.
    pub fn for_rho(problem: MarginProblem, rho: &Rho) -> Result<Self, LearnError> {
        let second = rho.divided_by(TOLERANCE_SHARE)?;
        let first = rho.value() - second.value();
        let sigma = accounting::sigma_for_zcdp(&problem, &first).ok_or_else(|| too_small(&problem))?;
        debug_assert!(accounting::rho_upper(&problem, &sigma) <= first);
        Self::with_sigma(problem, sigma, &second, Loss::zcdp(rho.clone()))
    }

    /// The trainer that is (ε, δ)-differentially private.
    ///
    /// # Errors
    /// When δ is zero, or the penalty is so small that no noise makes up for it.
    pub fn for_epsilon_delta(
        problem: MarginProblem,
        epsilon: &Epsilon,
        delta: &Delta,
    ) -> Result<Self, LearnError> {
        let share = Rational::ratio(1, u128::from(TOLERANCE_SHARE));
        let (epsilon_second, delta_second) =
            (Epsilon::new(epsilon.value() * &share)?, Delta::new(delta.value() * &share)?);
        let second = zcdp_rho_lower(&epsilon_second, &delta_second)?;
        let first = (
            Epsilon::new(epsilon.value() - epsilon_second.value())?,
            Delta::new(delta.value() - delta_second.value())?,
        );
        let sigma = accounting::sigma_for_epsilon_delta(&problem, &first.0, &first.1)?
            .ok_or_else(|| too_small(&problem))?;
        let mut loss = Loss::approximate(epsilon.clone(), delta.clone());
        if let Ok(rho) = Rho::new(accounting::rho_upper(&problem, &sigma) + second.value().clone()) {
            loss = loss.and(Guarantee::ZeroConcentrated { rho });
        }
        Self::with_sigma(problem, sigma, &second, loss)
    }

    fn with_sigma(
        problem: MarginProblem,
        sigma: Rational,
        second: &Rho,
        loss: Loss,
    ) -> Result<Self, LearnError> {
        let tolerance = Tolerance::new(&problem)?;
        // Longer than this with a probability below e^(−98): ‖b‖ ≤ σ(√d + 14), by the concentration of a norm.
        tolerance.check_noise(sigma.to_f64_upper() * ((problem.dimension() as f64).sqrt() + 14.0))?;
        let slope_noise =
            RoundedGaussian::new(&tolerance.in_noise_steps(&sigma)).map_err(MechanismError::from)?;
        let output_noise = AdditiveNoise::for_rho(tolerance.sensitivity(), second)?;
        Ok(Self { problem, sigma, slope_noise, tolerance, output_noise, loss })
    }

    /// What a fit loses.
    pub fn loss(&self) -> Loss {
        self.loss.clone()
    }

    /// What is trained.
    pub fn problem(&self) -> &MarginProblem {
        &self.problem
    }

    /// The standard deviation of each coordinate of the random slope b.
    pub fn sigma(&self) -> &Rational {
        &self.sigma
    }

    /// Trains.
    ///
    /// # Errors
    /// When the rows declare more than the trainer was made for, or went away.
    pub fn fit<B: SecureBits + ?Sized>(
        &self,
        rows: &dyn Rows,
        bits: &mut B,
    ) -> Result<MarginModel, LearnError> {
        self.problem.check(rows)?;
        let d = self.problem.dimension();
        let mut slope = vec![0; d];
        self.slope_noise.fill(&mut slope, bits);
        let blur = self.output_noise.sample_many(d, bits);
        let near = self.tolerance.minimise(&self.problem, rows, &self.tolerance.noise(&slope))?;
        Ok(MarginModel::noisy(&self.problem, self.tolerance.grid_bits(), &near, &blur))
    }
}

fn too_small(problem: &MarginProblem) -> LearnError {
    LearnError::parameter(format!(
        "the penalty lambda = {} is too small for this price: one person could bend the objective too much; take a larger one, \
         such as the default",
        problem.lambda()
    ))
}

#[cfg(test)]
mod tests;
