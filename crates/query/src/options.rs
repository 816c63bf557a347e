//! What an asker may choose about the price: one price, and how much of a person is used.
//!
//! Options come from a session (`SET pointillist.epsilon = 0.5`), a command line, or the statement itself; the
//! statement has the last word. Numbers are read exactly, never through a float.

use std::num::NonZeroU64;

use pointillist_numbers::Rational;
use pointillist_privacy::{Delta, Epsilon, FailureProbability, Rho};

use crate::refusal::{Refusal, did_you_mean, shown};

/// The names, as they are written everywhere.
const NAMES: [&str; 10] = [
    "epsilon",
    "rho",
    "error",
    "confidence",
    "delta",
    "max_groups",
    "max_contributions",
    "noise",
    "bias",
    "period",
];
/// The longest name of a period, `2026-01-31`.
const PERIOD_MAX: usize = 10;
/// More groups or rows a person than any table has.
const COUNT_MAX: u64 = 1_000_000_000;

/// Choices about the price of one statement. At most one of `epsilon`, `rho` and `error` is given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The whole statement's ε.
    pub epsilon: Option<Epsilon>,
    /// The whole statement's ρ.
    pub rho: Option<Rho>,
    /// The error that every aggregate should stay within.
    pub error: Option<WantedError>,
    /// With which probability it should; 0.95 unless said.
    pub confidence: Option<Rational>,
    /// The δ for keys that must be earned.
    pub delta: Option<Delta>,
    /// Groups that one person may touch.
    pub max_groups: Option<NonZeroU64>,
    /// Rows that one person may add to one group.
    pub max_contributions: Option<NonZeroU64>,
    /// The law of the noise.
    pub noise: Option<NoiseChoice>,
    /// Whether a twentieth of the price tells how many people have more rows than count.
    pub bias: Option<bool>,
    /// The period whose rows are asked about, and whose budget pays: `2026-01`. What it means is the table's matter
    /// (`period.rs`).
    pub period: Option<String>,
}

/// How wrong an answer may be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WantedError {
    /// So much, in the aggregate's own unit.
    Absolute(Rational),
    /// This part of what the table's declared size makes of the aggregate (`price.rs`).
    Share(Rational),
}

/// Which noise is added.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NoiseChoice {
    /// Gaussian in zCDP scopes, Laplace in pure ones.
    Auto,
    /// Discrete Laplace.
    Laplace,
    /// Discrete Gaussian.
    Gaussian,
}

impl Options {
    /// Sets the option of this name to what the text says; an empty text unsets it.
    pub fn set(&mut self, name: &str, text: &str) -> Result<(), Refusal> {
        let name = name.trim().to_ascii_lowercase();
        let text = text.trim();
        let given = !text.is_empty();
        match name.as_str() {
            "epsilon" => self.epsilon = given.then(|| Epsilon::parse(text)).transpose()?,
            "rho" => self.rho = given.then(|| Rho::parse(text)).transpose()?,
            "error" => self.error = given.then(|| error(text)).transpose()?,
            "confidence" => self.confidence = given.then(|| confidence(text)).transpose()?,
            "delta" => self.delta = given.then(|| Delta::parse(text)).transpose()?,
            "max_groups" => self.max_groups = given.then(|| count(&name, text)).transpose()?,
            "max_contributions" => self.max_contributions = given.then(|| count(&name, text)).transpose()?,
            "noise" => self.noise = given.then(|| noise(text)).transpose()?,
            "bias" => self.bias = given.then(|| truth(&name, text)).transpose()?,
            "period" => self.period = given.then(|| period(text)).transpose()?,
            "privacy_unit_column" => {
                return Err(Refusal::parameter(
                    "`privacy_unit_column` is not an option: who owns a row is declared by the data's owner",
                    "leave it out; the catalog's `privacy_unit` is used",
                ));
            }
            _ => {
                return Err(Refusal::parameter(
                    format!("there is no option `{}`", shown(&name)),
                    did_you_mean(&name, NAMES, || format!("the options are {}", NAMES.join(", "))),
                ));
            }
        }
        Ok(())
    }

    /// These options, with those of the statement in front: a price there replaces any other price.
    pub(crate) fn overridden_by(&self, statement: &Self) -> Self {
        let priced = statement.epsilon.is_some() || statement.rho.is_some() || statement.error.is_some();
        let (below, above) = (self.clone(), statement.clone());
        let price = if priced { Self::default() } else { below.clone() };
        Self {
            epsilon: above.epsilon.or(price.epsilon),
            rho: above.rho.or(price.rho),
            error: above.error.or(price.error),
            confidence: above.confidence.or(price.confidence),
            delta: above.delta.or(below.delta),
            max_groups: above.max_groups.or(below.max_groups),
            max_contributions: above.max_contributions.or(below.max_contributions),
            noise: above.noise.or(below.noise),
            bias: above.bias.or(below.bias),
            period: above.period.or(below.period),
        }
    }

    /// Refuses two prices at once, and a confidence about nothing.
    pub(crate) fn check(&self) -> Result<(), Refusal> {
        let given: Vec<&str> = [
            ("epsilon", self.epsilon.is_some()),
            ("rho", self.rho.is_some()),
            ("error", self.error.is_some()),
        ]
        .iter()
        .filter_map(|(name, given)| given.then_some(*name))
        .collect();
        if given.len() > 1 {
            return Err(Refusal::parameter(
                format!("the price is given more than once: {}", given.join(" and ")),
                "keep one of epsilon, rho and error",
            ));
        }
        if self.confidence.is_some() && self.error.is_none() {
            return Err(Refusal::parameter(
                "a confidence is given without an error",
                "add the error that should hold with this confidence, such as error = 50, or leave it out",
            ));
        }
        Ok(())
    }

    /// The probability with which an asked-for error may fail.
    pub(crate) fn failure(&self) -> FailureProbability {
        let confidence = self.confidence.clone().unwrap_or_else(|| Rational::ratio(95, 100));
        FailureProbability::new(Rational::one() - confidence)
            .expect("a confidence was checked when it was set")
    }
}

fn error(text: &str) -> Result<WantedError, Refusal> {
    let hint = "write the largest error you can live with, such as error = 50 or error = '2%'";
    let (number, is_share) = match text.trim_end().strip_suffix('%') {
        Some(number) => (number.trim_end(), true),
        None => (text, false),
    };
    match Rational::parse(number) {
        Ok(error) if error.is_positive() && is_share => {
            Ok(WantedError::Share(error * Rational::ratio(1, 100)))
        }
        Ok(error) if error.is_positive() => Ok(WantedError::Absolute(error)),
        Ok(_) => Err(Refusal::parameter(format!("error = {} is not positive", shown(text)), hint)),
        Err(_) => Err(Refusal::parameter(format!("error = {} is not a number", shown(text)), hint)),
    }
}

fn confidence(text: &str) -> Result<Rational, Refusal> {
    let confidence = Rational::parse(text).ok();
    let valid = |confidence: &Rational| {
        confidence.is_positive() && FailureProbability::new(Rational::one() - confidence.clone()).is_ok()
    };
    confidence.filter(valid).ok_or_else(|| {
        Refusal::parameter(
            format!("confidence = {} is not between 0 and 1", shown(text)),
            "write a probability such as confidence = 0.95",
        )
    })
}

fn count(name: &str, text: &str) -> Result<NonZeroU64, Refusal> {
    let count = text.parse::<NonZeroU64>().ok().filter(|count| count.get() <= COUNT_MAX);
    count.ok_or_else(|| {
        Refusal::parameter(
            format!("{name} = {} is not a whole number from 1 to {COUNT_MAX}", shown(text)),
            format!("write {name} = 5, for example"),
        )
    })
}

fn truth(name: &str, text: &str) -> Result<bool, Refusal> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "on" | "yes" | "1" => Ok(true),
        "false" | "off" | "no" | "0" => Ok(false),
        _ => Err(Refusal::parameter(
            format!("{name} = {} is neither true nor false", shown(text)),
            format!("write {name} = true, or leave it out"),
        )),
    }
}

fn period(text: &str) -> Result<String, Refusal> {
    let plain = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    if plain && text.len() <= PERIOD_MAX {
        return Ok(text.to_owned());
    }
    Err(Refusal::parameter(
        format!("period = {} is no period", shown(text)),
        "write a day as 2026-01-31, a week as 2026-W05, a month as 2026-01, a quarter as 2026-Q1, a year as 2026",
    ))
}

fn noise(text: &str) -> Result<NoiseChoice, Refusal> {
    match text.to_ascii_lowercase().as_str() {
        "auto" => Ok(NoiseChoice::Auto),
        "laplace" => Ok(NoiseChoice::Laplace),
        "gaussian" => Ok(NoiseChoice::Gaussian),
        other => Err(Refusal::parameter(
            format!("there is no noise `{}`", shown(other)),
            did_you_mean(other, ["auto", "laplace", "gaussian"], || {
                "write auto, laplace or gaussian".to_owned()
            }),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(pairs: &[(&str, &str)]) -> Result<Options, Refusal> {
        let mut options = Options::default();
        pairs.iter().try_for_each(|(name, text)| options.set(name, text))?;
        Ok(options)
    }

    #[test]
    fn numbers_are_read_exactly() {
        let options =
            set(&[("Epsilon", "0.1"), ("delta", "1e-9"), ("max_groups", "3"), ("noise", "LAPLACE")]).unwrap();
        assert_eq!(*options.epsilon.unwrap().value(), Rational::ratio(1, 10));
        assert_eq!(options.max_groups.unwrap().get(), 3);
        assert_eq!(options.noise, Some(NoiseChoice::Laplace));
        assert_eq!(set(&[("rho", "1/3"), ("rho", "")]).unwrap(), Options::default());
        let errors = [
            ("50", WantedError::Absolute(Rational::from(50))),
            ("2 %", WantedError::Share(Rational::ratio(1, 50))),
        ];
        for (text, error) in errors {
            assert_eq!(set(&[("error", text)]).unwrap().error, Some(error));
        }
    }

    /// Thirty ways to write a price that is none.
    #[test]
    fn hostile_values_are_refused_with_a_hint() {
        let prices = [
            "NaN", "inf", "-inf", "0", "-0", "-1", "1e999999", "1e-400", "0x10", "1,5", "١", "+", "e", "1/0",
            "--1",
        ];
        for name in ["epsilon", "rho"] {
            for text in prices {
                let refusal = set(&[(name, text)]).unwrap_err();
                assert_eq!(refusal.sqlstate(), "22023", "{name} = {text}");
                assert!(!refusal.hint().is_empty());
            }
        }
        for (name, text) in [
            ("error", "0"),
            ("error", "-3"),
            ("error", "many"),
            ("error", "%"),
            ("error", "0%"),
            ("error", "2%%"),
            ("confidence", "1"),
            ("confidence", "0"),
            ("confidence", "95"),
            ("max_groups", "0"),
            ("max_groups", "-1"),
            ("max_groups", "2.5"),
            ("max_contributions", "99999999999999999999"),
            ("noise", "gausian"),
            ("bias", "maybe"),
            ("delta", "1"),
            ("epsilom", "1"),
            ("seed", "1"),
            ("privacy_unit_column", "x"),
            ("period", "last month"),
            ("period", "2026-01-01T00:00"),
            ("period", "2026@01"),
        ] {
            let refusal = set(&[(name, text)]).unwrap_err();
            assert_eq!(refusal.sqlstate(), "22023", "{name} = {text}");
        }
        assert_eq!(set(&[("noise", "gausian")]).unwrap_err().hint(), "did you mean `gaussian`?");
        assert_eq!(set(&[("epsilom", "1")]).unwrap_err().hint(), "did you mean `epsilon`?");
    }

    #[test]
    fn the_statement_has_the_last_word_and_one_price() {
        let session = set(&[("error", "5"), ("confidence", "0.9"), ("max_groups", "2")]).unwrap();
        let merged = session.overridden_by(&set(&[("rho", "0.1")]).unwrap());
        assert_eq!((merged.error.is_none(), merged.confidence.is_none()), (true, true));
        assert_eq!(merged.max_groups.unwrap().get(), 2);
        assert!(merged.check().is_ok());
        assert!(
            set(&[("rho", "0.1"), ("epsilon", "1")])
                .unwrap()
                .check()
                .unwrap_err()
                .message()
                .contains("epsilon and rho")
        );
        assert!(set(&[("confidence", "0.9")]).unwrap().check().is_err());
    }
}
