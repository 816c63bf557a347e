//! Floating point: textbook noise in floats has holes, and the holes name the true answer.
//!
//! **Setting.** The textbook draws Laplace noise as ±b·ln(u) with u one of the 2^53 multiples of 2^−53 in (0,
//! 1], in 64-bit floats, and adds it to the answer. On paper every output is possible for every answer. In
//! floats, ±b·ln(u) takes only some of the floats around it, and after the addition which floats are possible
//! depends on the answer: an output that answer b cannot give proves answer a. One such output is all it
//! takes, at any ε.
//! **Attack.** Given an output and a candidate, find every u for which the sampler, run on the candidate,
//! could return the output, and run it ([`could_have_produced`]). The candidate is excluded when none does.
//! **Why an exclusion is certain.** Let y be the output, c the candidate and x the noise. fl(c + x) = y needs
//! x within a float step of y around y − c, so |ln u| is |x|/b up to relative errors: 2^−52 of the logarithm
//! (the platform's is off by less than one unit in the last place), 2^−53 of its product with b, and five
//! times 2^−53 of the search itself. Their sum is at most 2^−50; the interval is widened by twice that, and
//! by as much again when the exponential turns its ends into ends for u. All multiples of 2^−53 in between
//! are tried.
//! **Source.** Mironov 2012, "On significance of the least significant bits for differential privacy".
//! **Our side.** Answers and noise are integers, and the exact sampler gives every integer positive
//! probability: whatever comes out, no candidate is excluded ([`attack_integers`]).

mod page;

use pointillist_mechanisms::AdditiveNoise;
use pointillist_noise::{SecureBits, noisy_sum};
use pointillist_privacy::{Epsilon, Spend};
use pointillist_render::decimals::significant;
use pointillist_render::page::Page;
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use crate::serialized;
use crate::{AttackError, Comparison};

/// The most outputs to examine.
const OUTPUTS_MAX: usize = 1 << 22;
/// Candidates and scales that keep every float of the sampler normal and finite.
const MAGNITUDE_MAX: f64 = 1e100;
const SCALE_MIN: f64 = 1e-100;
/// Where the outputs of so many u coincide, no hole is left: the candidate is taken for possible without
/// trying them all.
const TRIES_MAX: u64 = 1 << 12;
/// The u are this many steps of 2^−53.
const STEPS: f64 = 9_007_199_254_740_992.0;
/// The relative errors of the sampler and of this search together, twice over.
const SLACK: f64 = 1.0 / (1u64 << 49) as f64;

/// What the outputs said about the answer behind them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Floating {
    /// How many outputs were examined.
    pub outputs: usize,
    /// How many were possible for the true answer only: each of them proves it.
    pub identified: usize,
    /// How many were possible for both answers.
    pub undecided: usize,
}

impl Floating {
    /// The fraction of outputs that prove the true answer.
    pub fn identified_fraction(&self) -> f64 {
        self.identified as f64 / self.outputs as f64
    }

    /// How many outputs have to be seen before one of them proves the answer with probability 99 %; `None`
    /// when none ever does.
    pub fn outputs_needed(&self) -> Option<u64> {
        let missed = 1.0 - self.identified_fraction();
        match self.identified {
            0 => None,
            _ if missed <= 0.0 => Some(1),
            _ => Some((0.01f64.ln() / missed.ln()).ceil().max(1.0) as u64),
        }
    }

    /// The attack in words.
    pub fn summary(&self) -> String {
        let Self { outputs, identified, .. } = self;
        match self.outputs_needed() {
            None => format!(
                "None of {outputs} outputs proves which answer is behind it: each is possible for both."
            ),
            Some(needed) => format!(
                "{identified} of {outputs} outputs ({:.1} %) prove which answer is behind them, with \
                 certainty; to see {needed} is enough in 99 cases of 100, whatever ε was paid.",
                100.0 * self.identified_fraction()
            ),
        }
    }
}

/// Whether the textbook sampler of this scale, run on the candidate, can return the output.
///
/// False is certain. True means that a u was found, or that so many come near that no hole is left.
pub fn could_have_produced(output: f64, candidate: f64, scale: f64) -> Result<bool, AttackError> {
    check_number("candidate", candidate)?;
    check_scale(scale)?;
    // Noise is at most 53·ln 2 = 37 times the scale.
    if !output.is_finite() || output.abs() > 100.0 * MAGNITUDE_MAX {
        return Ok(false);
    }
    // The noise lies between the rounding borders of the output, less the candidate; a step more on each side
    // covers their own rounding.
    let step = (output.next_up() - output).max(output - output.next_down());
    let ends = [output - candidate - step, output - candidate + step];
    Ok(ends_of_magnitude(ends).into_iter().any(|(negative, least, most)| {
        let towards_zero = least * (1.0 - SLACK) / scale;
        let away = most * (1.0 + SLACK) / scale;
        // u = exp(−|noise|/scale): large noise is a small u. The argument's own error grows with it.
        let widened = |argument: f64| SLACK * (1.0 + argument);
        let first = ((-away).exp() * (1.0 - widened(away)) * STEPS).floor().max(1.0);
        let last = ((-towards_zero).exp() * (1.0 + widened(towards_zero)) * STEPS).ceil().min(STEPS);
        if last < first {
            return false;
        }
        let (first, last) = (first as u64, last as u64);
        last - first > TRIES_MAX
            || (first..=last).any(|step| candidate + broken_laplace_of(step, negative, scale) == output)
    }))
}

/// Runs the textbook sampler on the true answer and asks of every output whether the other answer could be
/// behind it.
pub fn attack(
    truth: f64,
    other: f64,
    scale: f64,
    outputs: usize,
    bits: &mut dyn SecureBits,
) -> Result<Floating, AttackError> {
    check_outputs(outputs)?;
    check_number("true answer", truth)?;
    check_number("other answer", other)?;
    check_scale(scale)?;
    if truth == other {
        return Err(AttackError::new(
            "the two answers are the same, so nothing can tell them apart",
            "give the answers on neighbouring data, such as 0 and 1",
        ));
    }
    let mut identified = 0;
    for _ in 0..outputs {
        let output = truth + broken_laplace(scale, bits);
        identified += usize::from(!could_have_produced(output, other, scale)?);
    }
    Ok(Floating { outputs, identified, undecided: outputs - identified })
}

/// The same against our integers: releases the true answer at this price and asks of every output whether the
/// other answer could be behind it. It always could: the noise that this takes is an integer, and every
/// integer has positive probability.
pub fn attack_integers(
    truth: i64,
    other: i64,
    price: &Spend,
    outputs: usize,
    bits: &mut dyn SecureBits,
) -> Result<Floating, AttackError> {
    check_outputs(outputs)?;
    let sensitivity = i128::from(truth).abs_diff(i128::from(other));
    if sensitivity == 0 {
        return Err(AttackError::new(
            "the two answers are the same, so nothing can tell them apart",
            "give the answers on neighbouring data, such as 0 and 1",
        ));
    }
    let noise = AdditiveNoise::for_number(sensitivity as i128, price)?;
    let released =
        noise.sample_many(outputs, bits).into_iter().map(|noise| noisy_sum(i128::from(truth), noise));
    // The noise that an output takes from the other answer is an integer, and every integer has positive
    // probability.
    let excluded = |output: i128| output.checked_sub(i128::from(other)).is_none();
    let identified = released.filter(|output| excluded(*output)).count();
    Ok(Floating { outputs, identified, undecided: outputs - identified })
}

/// **Broken: never use this to protect anything.** The textbook sampler that the attack is about: a sign, and
/// the logarithm of a uniform number of 53 bits.
fn broken_laplace(scale: f64, bits: &mut dyn SecureBits) -> f64 {
    let negative = bits.coin();
    broken_laplace_of(bits.take(53) as u64 + 1, negative, scale)
}

/// What the textbook sampler makes of u = step/2^53. The attack runs the very same arithmetic.
fn broken_laplace_of(step: u64, negative: bool, scale: f64) -> f64 {
    let magnitude = -scale * (step as f64 / STEPS).ln();
    if negative { -magnitude } else { magnitude }
}

/// An interval around zero or not, as intervals of magnitude for each sign it has.
fn ends_of_magnitude([low, high]: [f64; 2]) -> Vec<(bool, f64, f64)> {
    let mut parts = Vec::with_capacity(2);
    if high >= 0.0 {
        parts.push((false, low.max(0.0), high));
    }
    if low <= 0.0 {
        parts.push((true, (-high).max(0.0), -low));
    }
    parts
}

fn check_outputs(outputs: usize) -> Result<(), AttackError> {
    if outputs == 0 || outputs > OUTPUTS_MAX {
        return Err(AttackError::new(
            format!("{outputs} outputs cannot be examined"),
            format!("draw between one and {OUTPUTS_MAX} outputs, such as 1000"),
        ));
    }
    Ok(())
}

fn check_number(name: &str, value: f64) -> Result<(), AttackError> {
    if !value.is_finite() || value.abs() > MAGNITUDE_MAX {
        return Err(AttackError::new(
            format!("the {name} {value} is not a number of ordinary size"),
            "write a finite number, such as 0 or 71",
        ));
    }
    Ok(())
}

fn check_scale(scale: f64) -> Result<(), AttackError> {
    if !(SCALE_MIN..=MAGNITUDE_MAX).contains(&scale) {
        return Err(AttackError::new(
            format!("{scale} is not a noise scale"),
            "write a positive number: the sensitivity over ε, such as 1 or 10",
        ));
    }
    Ok(())
}

/// The counts, and how many outputs it takes.
impl Serialize for Floating {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut members = serializer.serialize_struct("Floating", 4)?;
        members.serialize_field("outputs", &self.outputs)?;
        members.serialize_field("identified", &self.identified)?;
        members.serialize_field("undecided", &self.undecided)?;
        members.serialize_field("outputs_needed", &self.outputs_needed())?;
        members.end()
    }
}

/// Two answers that noise should hide from each other.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The true answer.
    pub truth: i64,
    /// The answer without one person.
    pub other: i64,
    /// The price; the textbook's scale is the difference over it.
    pub epsilon: Epsilon,
    /// How many outputs are looked at.
    pub outputs: usize,
}

/// What outputs of textbook noise prove, and what outputs of ours do.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "attack", rename = "float")]
pub struct Outcome {
    /// The true answer.
    pub truth: i64,
    /// The answer without one person.
    pub other: i64,
    /// The price of an output.
    #[serde(rename = "epsilon", serialize_with = "serialized::epsilon_of")]
    pub price: Spend,
    /// The scale of the textbook's noise.
    pub scale: f64,
    /// How many outputs were looked at.
    pub outputs: usize,
    /// The fraction of textbook outputs that prove the true answer.
    #[serde(rename = "identified")]
    pub identified_fraction: f64,
    /// The fraction of our outputs that do.
    #[serde(rename = "identified_exact")]
    pub identified_exact_fraction: f64,
    /// What the textbook's outputs said.
    #[serde(rename = "without")]
    pub textbook: Floating,
    /// What outputs of exact integer noise said.
    #[serde(rename = "with")]
    pub exact: Floating,
}

/// Draws and looks.
pub fn run(settings: Settings, bits: &mut dyn SecureBits) -> Result<Outcome, AttackError> {
    let Settings { truth, other, epsilon, outputs } = settings;
    let scale = truth.abs_diff(other) as f64 / epsilon.to_f64_upper();
    let price = Spend::Pure(epsilon);
    let textbook = attack(truth as f64, other as f64, scale, outputs, bits)?;
    let exact = attack_integers(truth, other, &price, outputs, bits)?;
    Ok(Outcome {
        truth,
        other,
        price,
        scale,
        outputs,
        identified_fraction: textbook.identified_fraction(),
        identified_exact_fraction: exact.identified_fraction(),
        textbook,
        exact,
    })
}

impl Comparison for Outcome {
    fn without(&self) -> String {
        format!(
            "The answer is {} or {}, published with Laplace noise of scale {} as textbooks draw it. {}",
            self.truth,
            self.other,
            significant(self.scale),
            self.textbook.summary()
        )
    }

    fn with(&self) -> String {
        format!("Exact integer noise at {}. {}", self.price, self.exact.summary())
    }

    fn page(&self, _: &mut dyn SecureBits) -> Result<Page, AttackError> {
        Ok(page::page(self))
    }
}

#[cfg(test)]
mod tests;
