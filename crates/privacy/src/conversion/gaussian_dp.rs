//! Gaussian differential privacy: the loss of Gaussian noise, with nothing lost in conversion.
//!
//! **Guarantee.** A release is μ-GDP when its outputs on neighbours are no easier to tell apart than one
//! draw of `N(0, 1)` from one of `N(μ, 1)`. Gaussian noise is μ-GDP with `μ = Δ/σ`; releases with
//! `μ₁, μ₂, …`, each chosen after the last was seen, are together `√(μ₁² + μ₂² + …)`-GDP. A μ-GDP release
//! is (ε, δ)-differentially private exactly when `δ ≥ P[N > ε/μ − μ/2] − e^ε·P[N > ε/μ + μ/2]`, for `N`
//! standard normal.
//! **Neighbours.** Those of the sensitivity.
//! **Source.** Dong, Roth, Su (2019), Theorems 2.7 and 3.2 and Corollaries 2.13 and 3.3, arXiv:1905.02383;
//! the curve is Balle, Wang (2018), Theorem 8, arXiv:1805.06530.
//! **Exactness.** `μ²` is exact (rounded up beyond 256 bits). The curve is evaluated with certified
//! enclosures of the normal tail. Where `ε/μ + μ/2 ≥ 16` the second term is rewritten as
//! `φ(ε/μ − μ/2)·m(ε/μ + μ/2)`, `m` the Mills ratio `P[N > x]/φ(x)`, which lies between neighbouring
//! partial sums of `1/x − 1/x³ + 3/x⁵ − 15/x⁷ + …`, which envelops it: each partial sum errs by less than, and
//! in the direction of, the next term (integrate by parts).
//! **Not covered.** The discrete Gaussian is not μ-GDP; it has the ρ of [`GaussianDp::rho`] all the same.

use std::sync::LazyLock;

use pointillist_numbers::{Enclosure, IBig, Rational};

use super::claim::{PRECISION, delta_from_upper, epsilon_from_upper, positive_delta};
use super::least_epsilon::least_epsilon_upper;
use super::zero_concentrated::zcdp_epsilon_upper;
use crate::parameter::{Interval, Limit, rounded_up};
use crate::{Delta, Epsilon, ParameterError, Rho, Scale, SensitivityL2};

/// From here on the enveloping series of the Mills ratio is good to 50 digits.
const SERIES_FROM: i64 = 16;
/// Below it `ε ≤ 16²/2 = 128`, so that `e^ε` takes 185 bits away.
const PRECISION_DIRECT: usize = PRECISION + 192;

/// A loss of μ-GDP with `2^-63 ≤ μ² ≤ 2·10⁶`: the range in which its ρ is a [`Rho`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GaussianDp {
    mu_squared: Rational,
}

static MU_SQUARED: LazyLock<Interval> = LazyLock::new(|| Interval {
    parameter: "mu squared",
    least: Rational::power_of_two(-63),
    limit: Limit::AtMost(Rational::from(2_000_000)),
    zero_hint: Some("no answer is free; write a positive number such as 0.1"),
    example: "0.1",
});

impl GaussianDp {
    /// The loss with this `μ²`.
    pub fn from_mu_squared(mu_squared: Rational) -> Result<Self, ParameterError> {
        let mu_squared = MU_SQUARED.check(mu_squared)?;
        Ok(Self { mu_squared })
    }

    /// The loss with this μ.
    pub fn from_mu(mu: &Rational) -> Result<Self, ParameterError> {
        if mu.is_negative() {
            return MU_SQUARED.check(mu.clone()).map(|mu_squared| Self { mu_squared });
        }
        Self::from_mu_squared(rounded_up(mu.squared()))
    }

    /// The loss of an answer with this sensitivity under Gaussian noise of this standard deviation:
    /// `μ = Δ/σ`. Noise so large that `μ² < 2^-63` is counted as `2^-63`.
    pub fn from_mechanism(sensitivity_l2: &SensitivityL2, sigma: &Scale) -> Result<Self, ParameterError> {
        let ratio = sensitivity_l2.squared() / &sigma.value().squared();
        Self::from_mu_squared(rounded_up(ratio).max(Rational::power_of_two(-63)))
    }

    /// `μ²`.
    pub fn mu_squared(&self) -> &Rational {
        &self.mu_squared
    }

    /// μ, rounded up.
    pub fn mu_upper(&self) -> Rational {
        Enclosure::of(&self.mu_squared, PRECISION).sqrt().upper()
    }

    /// The loss of this release and another: the squares add up.
    pub fn then(&self, next: &Self) -> Result<Self, ParameterError> {
        Self::from_mu_squared(rounded_up(&self.mu_squared + &next.mu_squared))
    }

    /// The loss of this release repeated.
    pub fn times(&self, count: u64) -> Result<Self, ParameterError> {
        Self::from_mu_squared(rounded_up(&self.mu_squared * &Rational::from(count)))
    }

    /// The ρ of the same loss: `μ²/2`.
    pub fn rho(&self) -> Rho {
        Rho::new(&self.mu_squared * &Rational::ratio(1, 2)).expect("half of a valid square is a valid ρ")
    }

    /// The δ at a given ε, to a hundred digits and rounded up.
    pub fn delta_upper(&self, epsilon: &Epsilon) -> Result<Delta, ParameterError> {
        delta_from_upper(self.curve_upper(epsilon.value()))
    }

    /// The δ at ε = 0: how far apart the output distributions are in total variation, at most.
    pub fn total_variation_upper(&self) -> Result<Delta, ParameterError> {
        delta_from_upper(self.curve_upper(&Rational::zero()))
    }

    /// The ε at a given δ, within one part in 10¹² and rounded up.
    pub fn epsilon_upper(&self, delta: &Delta) -> Result<Epsilon, ParameterError> {
        let target = positive_delta(delta)?;
        let ceiling = zcdp_epsilon_upper(&self.rho(), delta)?.epsilon;
        let found = least_epsilon_upper(target, ceiling.value(), |epsilon| self.curve_upper(epsilon));
        epsilon_from_upper(found)
    }

    /// An ε at which the curve is certainly still above `delta`, next below `upper`: every ε up to it is too small. Zero where
    /// the curve could not be told from δ.
    pub(crate) fn epsilon_lower(&self, delta: &Delta, upper: &Epsilon) -> Rational {
        let below = ["1e-11", "1e-9", "1e-6", "1e-3"].into_iter().map(|share| {
            let share = Rational::parse(share).expect("a decimal");
            upper.value() * &(Rational::one() - share)
        });
        let mut certain = below.filter(|epsilon| self.curve(epsilon).lower() > *delta.value());
        certain.next().unwrap_or_else(Rational::zero)
    }

    /// `P[N > a] − e^ε·P[N > b]` with `a, b = ε/μ ∓ μ/2`, rounded up.
    fn curve_upper(&self, epsilon: &Rational) -> Rational {
        self.curve(epsilon).upper().min(Rational::one())
    }

    /// The curve between certified bounds.
    fn curve(&self, epsilon: &Rational) -> Enclosure {
        let mu = Enclosure::of(&self.mu_squared, PRECISION_DIRECT).sqrt();
        let ratio = Enclosure::of(epsilon, PRECISION_DIRECT).checked_div(&mu).expect("μ is at least 2^-32");
        let half = mu.scale_by_power_of_two(-1);
        let (near, far) = (&ratio - &half, &ratio + &half);
        let tail = near.normal_tail();
        let second = if far.lower_units() < &(IBig::from(SERIES_FROM) << PRECISION_DIRECT) {
            let growth = Enclosure::of(epsilon, PRECISION_DIRECT).exp();
            &growth * &far.normal_tail()
        } else {
            &density(&near) * &mills_ratio(&far)
        };
        &tail - &second
    }
}

/// `φ(x) = exp(−x²/2)/√(2π)`.
fn density(x: &Enclosure) -> Enclosure {
    let root = Enclosure::pi(x.precision()).mul_integer(2).sqrt();
    (-&(x * x).scale_by_power_of_two(-1)).exp().checked_div(&root).expect("the root of 2π is positive")
}

/// `P[N > x]/φ(x)`, for x ≥ 16, between two neighbouring partial sums of its series.
fn mills_ratio(x: &Enclosure) -> Enclosure {
    let inverse = Enclosure::integer(1, x.precision()).checked_div(x).expect("x is at least 16");
    let square = &inverse * &inverse;
    let mut term = inverse.clone();
    let mut sum = inverse;
    // Terms fall as long as 2k − 1 < x², which for x ≥ 16 holds up to k = 128.
    let mut k = 0;
    loop {
        k += 1;
        term = (&term * &square).mul_integer(2 * k - 1);
        let next = if k % 2 == 1 { &sum - &term } else { &sum + &term };
        // An odd number of terms after the first ends below the ratio, and the sum before them lay above it.
        if k % 2 == 1 && (k >= 65 || term.upper_units() <= &IBig::ONE) {
            return Enclosure::new(next.lower_units().clone(), sum.upper_units().clone(), x.precision());
        }
        sum = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pointillist_errors::Explained as _;

    fn rational(text: &str) -> Rational {
        Rational::parse(text).unwrap()
    }

    fn repeated(sigma: &str, count: u64) -> GaussianDp {
        let once =
            GaussianDp::from_mechanism(&SensitivityL2::parse("1").unwrap(), &Scale::parse(sigma).unwrap());
        once.unwrap().times(count).unwrap()
    }

    /// Exact ≤ result ≤ exact·(1 + margin), the printed value rounded down by its last digit.
    fn assert_upper(result: &Rational, printed: &str, margin: &str) {
        let exact = rational(printed) * (Rational::one() - rational("1e-28"));
        assert!(*result >= exact, "{} is below {printed}", result.to_f64_upper());
        assert!(
            *result <= exact * (Rational::one() + rational(margin)),
            "{} is far above {printed}",
            result.to_f64_upper()
        );
    }

    /// The frozen reference values `pld-gaussian-eps-*`: σ, count, δ, ε.
    #[test]
    fn epsilons_match_the_reference() {
        let cases = [
            ("1", 1, "1e-5", "4.37717809568122462765011629324"),
            ("10", 100, "1e-6", "4.88655411746221199637049944247"),
            ("100", 1_000_000, "1e-9", "109.195596881806324798974380759"),
            ("5", 40, "1e-15", "10.5292162980219733488578388921"),
            ("0.5", 1, "0.01", "5.99789252981891986965855388721"),
            ("1e6", 1, "1e-15", "0.00000569907383194314037321719312141"),
            ("0.1", 1, "1e-6", "96.7172719638676988523786085139"),
        ];
        for (sigma, count, delta, epsilon) in cases {
            let found = repeated(sigma, count).epsilon_upper(&Delta::parse(delta).unwrap()).unwrap();
            assert_upper(found.value(), epsilon, "2e-12");
        }
    }

    /// The frozen reference values `pld-gaussian-delta-*`: σ, count, ε, δ.
    #[test]
    fn deltas_match_the_reference() {
        let cases = [
            ("1", 1, "1", "0.126936737506643945800829624758"),
            ("10", 100, "5", "0.000000579372169191949410420681779022"),
            ("20", 400, "1e-6", "0.382924614010509245219125421928"),
            ("0.2", 1, "50", "1.2556669972910951814463543703e-14"),
            ("1000", 1_000_000, "8", "3.65082168742179085846026639842e-15"),
        ];
        for (sigma, count, epsilon, delta) in cases {
            let found = repeated(sigma, count).delta_upper(&Epsilon::parse(epsilon).unwrap()).unwrap();
            assert_upper(found.value(), delta, "1e-25");
        }
        let apart = repeated("3", 10).total_variation_upper().unwrap();
        assert_upper(apart.value(), "0.401838547316471869184447762422", "1e-25");
    }

    /// Where the two ways to the second term meet, they agree: x = 16 and a little more or less.
    #[test]
    fn the_series_continues_the_tail() {
        for x in ["16", "16.5", "20", "25"] {
            let x = Enclosure::of(&rational(x), 1600);
            let exact = x.normal_tail().checked_div(&density(&x)).unwrap();
            let series = mills_ratio(&x);
            assert!(series.lower() <= exact.upper() && exact.lower() <= series.upper(), "it is between");
            assert!(series.upper() - series.lower() < rational("1e-40"), "and closely so");
        }
    }

    /// Repetition up to 10⁷ times, ε from 1e-6 to 50, δ down to 1e-15: finite, ordered, below the
    /// conversion of ρ.
    #[test]
    fn extreme_values_stay_ordered() {
        for (sigma, count) in [("1e6", 1), ("1000", 10_000_000), ("1", 1), ("0.05", 1), ("0.01", 20)] {
            let loss = repeated(sigma, count);
            for delta in ["1e-60", "1e-15", "1e-6", "0.1"] {
                let delta = Delta::parse(delta).unwrap();
                let found = loss.epsilon_upper(&delta).unwrap();
                assert!(found <= zcdp_epsilon_upper(&loss.rho(), &delta).unwrap().epsilon);
                let back = loss.delta_upper(&found).unwrap();
                assert!(back <= delta, "σ = {sigma}: {}", back.to_f64_upper());
            }
            let deltas = ["1e-6", "0.1", "1", "50"].map(|epsilon| loss.curve_upper(&rational(epsilon)));
            assert!(deltas.is_sorted_by(|a, b| a >= b), "σ = {sigma}");
        }
    }

    #[test]
    fn squares_add_up_exactly() {
        let [a, b] = ["0.3", "0.4"].map(|mu| GaussianDp::from_mu(&rational(mu)).unwrap());
        let both = a.then(&b).unwrap();
        assert_eq!(*both.mu_squared(), rational("0.25"));
        assert!(both.mu_upper() >= rational("0.5") && both.mu_upper() < rational("0.5000001"));
        assert_eq!(both.rho(), Rho::parse("0.125").unwrap());
    }

    #[test]
    fn impossible_losses_are_refused_with_a_hint() {
        for refusal in [
            GaussianDp::from_mu(&rational("0")).unwrap_err(),
            GaussianDp::from_mu(&rational("-1")).unwrap_err(),
            GaussianDp::from_mu(&rational("1e9")).unwrap_err(),
            repeated("1", 1).epsilon_upper(&Delta::zero()).unwrap_err(),
            repeated("1", 1).times(0).unwrap_err(),
            repeated("0.001", 1).delta_upper(&Epsilon::parse("1e-6").unwrap()).unwrap_err(),
        ] {
            assert!(refusal.explanation().text().contains("\nhint: "), "{refusal}");
        }
    }
}
