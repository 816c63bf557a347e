//! What a shuffler adds: reports whose senders nobody knows are more private than they are one by one.
//!
//! **Guarantee.** When a party that the collector does not command removes all marks of sender, time and
//! order from the reports of n people, the n reports together are (ε, δ)-differentially private for the ε
//! given here; never more than the ε₀ of one report, and about `√(e^{ε₀}·ln(1/δ)/n)` for many people.
//! **Neighbours.** Replace one person's answer.
//! **Proof.** In [`amplification`](pointillist_privacy::amplification). Binary and k-ary randomized response
//! and signs have a bound of their own there, which is better by up to √2.
//! **Not covered.** A shuffler that sides with the collector: then ε₀ is all there is. Reports of one person
//! about more than one question. Reports of [`Rappor`](crate::rappor::Rappor) and [prefix
//! trees](crate::prefix_tree), whose hash functions or permanent rows mark the sender when somebody reports
//! twice; a single round of them is covered.

use pointillist_numbers::Rational;
use pointillist_privacy::amplification::{
    shuffled_delta_upper, shuffled_epsilon_upper, shuffled_response_delta_upper,
    shuffled_response_epsilon_upper,
};
use pointillist_privacy::{Delta, Epsilon, ParameterError};

use crate::mean::{MeanMethod, MeanOracle};
use crate::{LocalError, Oracle};

/// How often a search for the largest ε₀ halves its interval.
const HALVINGS: usize = 24;

/// What the proof may use of a randomizer besides its ε₀.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Randomizer {
    /// Nothing.
    Any,
    /// That it is binary or k-ary randomized response, after any rounding.
    Response,
}

impl Randomizer {
    /// What is known of a frequency oracle.
    pub fn of(oracle: &Oracle) -> Self {
        match oracle {
            Oracle::Binary(_) | Oracle::Kary(_) => Self::Response,
            _ => Self::Any,
        }
    }

    /// What is known of a mean oracle.
    pub fn of_mean(oracle: &MeanOracle) -> Self {
        match oracle.method() {
            MeanMethod::Sign(_) => Self::Response,
            MeanMethod::Window(_) => Self::Any,
        }
    }
}

/// The ε of `reports` shuffled reports of an ε₀-private randomizer at δ, rounded up.
pub fn epsilon_upper(
    randomizer: Randomizer,
    epsilon_local: &Epsilon,
    reports: u64,
    delta: &Delta,
) -> Result<Epsilon, LocalError> {
    Ok(match randomizer {
        Randomizer::Any => shuffled_epsilon_upper(epsilon_local, reports, delta)?,
        Randomizer::Response => shuffled_response_epsilon_upper(epsilon_local, reports, delta)?,
    })
}

/// An ε₀ that everyone may spend so that `reports` shuffled reports are (ε, δ)-differentially private: at
/// least ε, and to one part in a thousand the largest that the proof allows, up to 20.
pub fn epsilon_local_lower(
    randomizer: Randomizer,
    epsilon: &Epsilon,
    reports: u64,
    delta: &Delta,
) -> Result<Epsilon, LocalError> {
    let delta_of = |local: &Epsilon| -> Result<Delta, ParameterError> {
        match randomizer {
            Randomizer::Any => shuffled_delta_upper(local, reports, epsilon),
            Randomizer::Response => shuffled_response_delta_upper(local, reports, epsilon),
        }
    };
    // ε itself always will do, because shuffling does no harm.
    let (mut good, mut bad) = (epsilon.clone(), Epsilon::parse("20")?);
    if good >= bad {
        return Ok(good);
    }
    for _ in 0..HALVINGS {
        let gap = bad.value() - good.value();
        if gap * Rational::from(1000) <= *good.value() {
            break;
        }
        let middle = Epsilon::new(((good.value() + bad.value()) / Rational::from(2)).round_up_to_bits(64))?;
        if delta_of(&middle)? <= *delta { good = middle } else { bad = middle }
    }
    Ok(good)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn epsilon(text: &str) -> Epsilon {
        Epsilon::parse(text).unwrap()
    }

    fn delta() -> Delta {
        Delta::parse("1e-6").unwrap()
    }

    /// The reference interval for n = 10⁵, ε₀ = 4, δ = 10⁻⁶ and any randomizer; responses do better by nearly
    /// √2.
    #[test]
    fn the_reference_is_met_and_responses_are_better() {
        let any = epsilon_upper(Randomizer::Any, &epsilon("4"), 100_000, &delta()).unwrap().to_f64_upper();
        assert!((0.1675..0.1728).contains(&any), "{any}");
        let response =
            epsilon_upper(Randomizer::Response, &epsilon("4"), 100_000, &delta()).unwrap().to_f64_upper();
        assert!(response < any / 1.35 && response > any / 1.45, "{response}");
    }

    /// Specification: the ε₀ that is found keeps the promise, and a few per mille more would not.
    #[test]
    fn local_prices_come_back_to_the_central_one() {
        for randomizer in [Randomizer::Any, Randomizer::Response] {
            let central = epsilon("0.5");
            let local = epsilon_local_lower(randomizer, &central, 10_000, &delta()).unwrap();
            assert!(local > central, "shuffling helps ten thousand people");
            assert!(epsilon_upper(randomizer, &local, 10_000, &delta()).unwrap() <= central);
            let more = Epsilon::new(local.value() * &Rational::ratio(1004, 1000)).unwrap();
            assert!(epsilon_upper(randomizer, &more, 10_000, &delta()).unwrap() > central);
        }
        // Two people cannot hide each other.
        let alone = epsilon_local_lower(Randomizer::Any, &epsilon("0.5"), 1, &delta()).unwrap();
        assert!(alone < epsilon("0.51"));
        assert_eq!(epsilon_local_lower(Randomizer::Any, &epsilon("30"), 9, &delta()).unwrap(), epsilon("30"));
    }

    #[test]
    fn the_right_bound_is_taken_for_each_method() {
        let oracle = |line: &str| line.parse::<Oracle>().unwrap();
        assert_eq!(Randomizer::of(&oracle("k-ary-response values=5 epsilon=1")), Randomizer::Response);
        assert_eq!(Randomizer::of(&oracle("randomized-response gamma=1/4")), Randomizer::Response);
        assert_eq!(Randomizer::of(&oracle("unary-encoding values=5 epsilon=1")), Randomizer::Any);
        let mean = |line: &str| line.parse::<MeanOracle>().unwrap();
        let line = "lower=0 upper=1 steps=10 epsilon=1";
        assert_eq!(Randomizer::of_mean(&mean(&format!("sign-mean {line}"))), Randomizer::Response);
        assert_eq!(Randomizer::of_mean(&mean(&format!("window-mean {line}"))), Randomizer::Any);
        assert!(epsilon_upper(Randomizer::Any, &epsilon("1"), 0, &delta()).is_err());
    }
}
