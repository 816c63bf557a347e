//! Means of bounded numbers: which randomizer, what its reports look like, and what they say.
//!
//! Signs ([`sign_mean`](crate::sign_mean)) are better for small ε and windows
//! ([`window_mean`](crate::window_mean)) for large: [`MeanOracle::auto`] takes the one whose largest variance
//! is smaller.
//!
//! **Guarantee.** ε-differential privacy of each report, that of the randomizer inside. An answer outside the range is
//! refused before anything is drawn, by its own owner's device: a refusal is no report.
//! **Neighbours.** Replace one person's answer.
//! **Source.** The proofs of [`sign_mean`](crate::sign_mean) and [`window_mean`](crate::window_mean); the choice between
//! them depends on ε and the grid alone.
//! **Estimate.** The average of unbiased values, so unbiased for the mean of the rounded answers of those who
//! were asked.
//! **Intervals.** The *normal* one estimates the variance from the reports: no guarantee. The *guaranteed*
//! one holds in at least 95 of 100 surveys: unbiased values lie in an interval of known width W, so their
//! average strays by more than `W·√(ln(2/0.05)/(2n))` with probability at most 0.05 (Hoeffding 1963, Theorem
//! 2).

use std::fmt;
use std::str::FromStr;

use pointillist_noise::SecureBits;
use pointillist_numbers::Enclosure;
use pointillist_privacy::{Epsilon, Loss};

use crate::estimate::{Interval, MISS, normal_radius};
use crate::range::Range;
use crate::report::{not_a_report, parse_number};
use crate::settings::Settings;
use crate::sign_mean::SignMean;
use crate::window_mean::WindowMean;
use crate::{LocalError, Report};

/// A randomizer of numbers in a public range.
#[derive(Clone, Debug)]
pub struct MeanOracle {
    range: Range,
    method: MeanMethod,
}

/// How a step of the range is randomized.
#[derive(Clone, Debug)]
pub enum MeanMethod {
    /// One sign.
    Sign(SignMean),
    /// A likely window.
    Window(WindowMean),
}

impl MeanOracle {
    /// The method with the smaller largest variance.
    pub fn auto(epsilon: &Epsilon, range: Range) -> Self {
        let (sign, window) = (SignMean::new(epsilon, range.steps()), WindowMean::new(epsilon, range.steps()));
        let method = if sign.variance_max() <= window.variance_max() {
            MeanMethod::Sign(sign)
        } else {
            MeanMethod::Window(window)
        };
        Self { range, method }
    }

    /// One sign a person.
    pub fn sign(epsilon: &Epsilon, range: Range) -> Self {
        let method = MeanMethod::Sign(SignMean::new(epsilon, range.steps()));
        Self { range, method }
    }

    /// A likely window.
    pub fn window(epsilon: &Epsilon, range: Range) -> Self {
        let method = MeanMethod::Window(WindowMean::new(epsilon, range.steps()));
        Self { range, method }
    }

    /// The public range.
    pub fn range(&self) -> &Range {
        &self.range
    }

    /// The method.
    pub fn method(&self) -> &MeanMethod {
        &self.method
    }

    /// What one report costs the person who gives it.
    pub fn loss(&self) -> Loss {
        match &self.method {
            MeanMethod::Sign(sign) => sign.loss(),
            MeanMethod::Window(window) => window.loss(),
        }
    }

    /// One person's report on a step of the range; see [`Range::parse_answer`].
    #[inline]
    pub fn randomize<B: SecureBits + ?Sized>(&self, step: u64, bits: &mut B) -> Result<Report, LocalError> {
        if step > self.range.steps() {
            return Err(LocalError::answer(
                "the answer is not a step of the range",
                "number the steps from zero to their number",
            ));
        }
        Ok(Report::Value(match &self.method {
            MeanMethod::Sign(sign) => sign.randomize(step, bits),
            MeanMethod::Window(window) => window.randomize(step, bits),
        }))
    }

    /// The exact probability of a report on a step, for audits; zero for what is no report.
    pub fn probability(&self, report: &Report, step: u64, precision: usize) -> Enclosure {
        match (report, &self.method) {
            (Report::Value(value), MeanMethod::Sign(sign)) => sign.probability(*value, step, precision),
            (Report::Value(value), MeanMethod::Window(window)) => window.probability(*value, step, precision),
            _ => Enclosure::integer(0, precision),
        }
    }

    /// Reads a report from its line, without the end of the line.
    pub fn parse_report(&self, line: &str) -> Result<Report, LocalError> {
        let report = parse_number(line).map(Report::Value).filter(|report| self.admits(report));
        report.ok_or_else(|| not_a_report(&self.shape()))
    }

    /// The variance of one person's unbiased value, at most, in squared units of the range.
    pub fn variance_max(&self) -> f64 {
        let steps = match &self.method {
            MeanMethod::Sign(sign) => sign.variance_max(),
            MeanMethod::Window(window) => window.variance_max(),
        };
        steps * self.range.step_near().powi(2)
    }

    fn reports(&self) -> u64 {
        match &self.method {
            MeanMethod::Sign(_) => 2,
            MeanMethod::Window(window) => window.reports(),
        }
    }

    fn admits(&self, report: &Report) -> bool {
        matches!(report, Report::Value(value) if *value < self.reports())
    }

    fn shape(&self) -> String {
        format!("a number below {}", self.reports())
    }

    /// The unbiased value of a report, which may be an average, in steps.
    fn unbiased(&self, report: f64) -> f64 {
        match &self.method {
            MeanMethod::Sign(sign) => {
                let [lower, upper] = [sign.unbiased(0), sign.unbiased(1)];
                lower + report * (upper - lower)
            }
            MeanMethod::Window(window) => window.unbiased(report),
        }
    }
}

/// The line that sets the oracle up.
impl fmt::Display for MeanOracle {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (lower, upper, steps) = (self.range.lower(), self.range.upper(), self.range.steps());
        match &self.method {
            MeanMethod::Sign(sign) => {
                write!(out, "sign-mean lower={lower} upper={upper} steps={steps} epsilon={}", sign.epsilon())
            }
            MeanMethod::Window(window) => write!(
                out,
                "window-mean lower={lower} upper={upper} steps={steps} epsilon={} window={}",
                window.epsilon(),
                window.window()
            ),
        }
    }
}

/// Reads the line that sets an oracle up.
impl FromStr for MeanOracle {
    type Err = LocalError;

    fn from_str(line: &str) -> Result<Self, LocalError> {
        let mut settings = Settings::parse(line)?;
        let range =
            Range::new(settings.number("lower")?, settings.number("upper")?, settings.whole("steps")?)?;
        let epsilon = settings.epsilon()?;
        let oracle = match settings.name() {
            "sign-mean" => Self::sign(&epsilon, range),
            "window-mean" => match settings.optional_whole("window")? {
                None => Self::window(&epsilon, range),
                Some(window) => {
                    let window = WindowMean::with_window(&epsilon, range.steps(), window)?;
                    Self { range, method: MeanMethod::Window(window) }
                }
            },
            _ => {
                return Err(LocalError::refused(
                    "there is no such method for means",
                    "the methods are sign-mean and window-mean",
                ));
            }
        };
        settings.nothing_left()?;
        Ok(oracle)
    }
}

/// Counts reports of one mean oracle.
#[derive(Clone, Debug)]
pub struct MeanCollector {
    oracle: MeanOracle,
    reports: u64,
    sum: u128,
    squares: u128,
}

/// What reports say about a mean.
#[derive(Clone, Debug, PartialEq)]
pub struct MeanEstimate {
    /// How many reports there were.
    pub reports: u64,
    /// The mean of the answers: unbiased, and so it may leave the range.
    pub mean: f64,
    /// The variance of the estimate over the randomizers' coins, at most.
    pub variance_max: f64,
    /// The mean by normal approximation, 95 %, clipped to the range: no guarantee.
    pub normal: Interval,
    /// The mean in at least 95 of 100 surveys, clipped to the range.
    pub guaranteed: Interval,
}

impl MeanCollector {
    /// A collector without reports.
    pub fn new(oracle: MeanOracle) -> Self {
        Self { oracle, reports: 0, sum: 0, squares: 0 }
    }

    /// The oracle whose reports are counted.
    pub fn oracle(&self) -> &MeanOracle {
        &self.oracle
    }

    /// How many reports there are.
    pub fn reports(&self) -> u64 {
        self.reports
    }

    /// Counts one report; refuses what the oracle cannot have sent.
    pub fn absorb(&mut self, report: &Report) -> Result<(), LocalError> {
        let Report::Value(value) = report else {
            return Err(not_a_report(&self.oracle.shape()));
        };
        if !self.oracle.admits(report) {
            return Err(not_a_report(&self.oracle.shape()));
        }
        let value = u128::from(*value);
        self.sum += value;
        self.squares += value * value;
        self.reports += 1;
        Ok(())
    }

    /// Counts one line, without its end.
    pub fn absorb_line(&mut self, line: &str) -> Result<(), LocalError> {
        let report = self.oracle.parse_report(line)?;
        self.absorb(&report)
    }

    /// What the reports say; `None` without any.
    pub fn estimate(&self) -> Option<MeanEstimate> {
        if self.reports == 0 {
            return None;
        }
        let n = self.reports as f64;
        let step = self.oracle.range.step_near();
        let [lower, upper] =
            [self.oracle.range.lower(), self.oracle.range.upper()].map(|end| end.to_f64_upper());
        let place = |steps: f64| lower + steps * step;
        let average = self.sum as f64 / n;
        let mean = place(self.oracle.unbiased(average));
        // n·Σo² − (Σo)², exactly, over n²: the variance of the reports as they came.
        let spread = u128::from(self.reports)
            .checked_mul(self.squares)
            .zip(self.sum.checked_mul(self.sum))
            .map_or_else(
                || self.squares as f64 / n - average * average,
                |(squares, square)| squares.saturating_sub(square) as f64 / (n * n),
            );
        let gain = (self.oracle.unbiased(1.0) - self.oracle.unbiased(0.0)) * step;
        let radius = normal_radius(spread * gain * gain / n);
        let width = (self.oracle.reports() - 1) as f64 * gain;
        let sure = width * ((2.0 / MISS).ln() / (2.0 * n)).sqrt();
        let around =
            |radius: f64| Interval { lower: mean - radius, upper: mean + radius }.clipped(lower, upper);
        Some(MeanEstimate {
            reports: self.reports,
            mean,
            variance_max: self.oracle.variance_max() / n,
            normal: around(radius),
            guaranteed: around(sure),
        })
    }
}

#[cfg(test)]
mod tests;
