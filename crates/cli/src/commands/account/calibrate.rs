//! `pointillist account calibrate`: the least noise with which so many uses keep a promise.

use clap::ValueEnum;
use pointillist_errors::{Explained, Kind};
use pointillist_mechanisms::CalibrationError;
use pointillist_mechanisms::calibrate::{Calibration, Noise, Target};
use pointillist_numbers::Rational;
use pointillist_privacy::{Delta, Epsilon, Rho};
use pointillist_render::calculator::calibration;

use super::print::{hinted, print};
use crate::failure::Failure;
use crate::parsed_argument::parsed;
use crate::progress;

/// Which noise, for which promise.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist account calibrate --mechanism gaussian --epsilon 1 --delta 1e-6 --count 10
  pointillist account calibrate --mechanism laplace --epsilon 1 --delta 1e-6 --count 100
  pointillist account calibrate --mechanism discrete-gaussian --rho 0.1 --sensitivity 3
  pointillist account calibrate --mechanism randomized-response --epsilon 2 --count 4")]
pub struct Arguments {
    /// The mechanism that is used
    #[arg(long, value_enum)]
    mechanism: Mechanism,
    /// The ε that all uses together may reach
    #[arg(long, value_name = "E", allow_hyphen_values = true, value_parser = parsed::<Epsilon>)]
    epsilon: Option<Epsilon>,
    /// The δ that goes with it; none means 0
    #[arg(long, value_name = "D", allow_hyphen_values = true, value_parser = parsed::<Delta>)]
    delta: Option<Delta>,
    /// The ρ that all uses together may reach, in place of ε
    #[arg(long, value_name = "R", allow_hyphen_values = true, value_parser = parsed::<Rho>)]
    rho: Option<Rho>,
    /// How far one person moves the answer: Euclidean for Gaussian noise, in sum for Laplace noise [default: 1]
    #[arg(long, value_name = "S", allow_hyphen_values = true)]
    sensitivity: Option<String>,
    /// How often the mechanism is used
    #[arg(long, value_name = "K", default_value_t = 1)]
    count: u64,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Mechanism {
    /// Normal noise; needs --delta or --rho
    Gaussian,
    /// Laplace noise
    Laplace,
    /// Gaussian noise on the integers; needs --delta or --rho
    DiscreteGaussian,
    /// Laplace noise on the integers
    DiscreteLaplace,
    /// Yes or no, the truth with a known probability
    RandomizedResponse,
}

/// Prints the noise.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Arguments { mechanism, epsilon, delta, rho, count, sensitivity, json } = arguments;
    let given = sensitivity.as_deref();
    let sensitivity = given.map(Rational::parse).transpose();
    let asked = Calibration {
        noise: mechanism.noise(),
        target: Target::of_form(epsilon.as_ref(), delta.as_ref(), rho.as_ref()).map_err(with_flags)?,
        count: *count,
        sensitivity: sensitivity
            .map_err(|error| Failure::request(error.explanation().about("sensitivity")))?,
    };
    // Seen on a terminal only; millions of uses take seconds.
    let progress = progress::spinner("searching for the least noise");
    let figures = asked.figures();
    progress.finish_and_clear();
    print(&calibration(&asked, given.unwrap_or("1"), &figures.map_err(with_flags)?), *json)
}

impl Mechanism {
    fn noise(self) -> Noise {
        match self {
            Self::Gaussian => Noise::Gaussian,
            Self::Laplace => Noise::Laplace,
            Self::DiscreteGaussian => Noise::DiscreteGaussian,
            Self::DiscreteLaplace => Noise::DiscreteLaplace,
            Self::RandomizedResponse => Noise::RandomizedResponse,
        }
    }
}

/// What the library says, with the flags of this command in its hint.
fn with_flags(error: CalibrationError) -> Failure {
    let flags = match error {
        CalibrationError::NoUses => "count at least one use with --count",
        CalibrationError::NoTarget => "give --epsilon, with --delta where it may fail, or --rho",
        CalibrationError::TwoTargets => {
            "give either --rho alone or --epsilon with --delta; `account convert` turns one into the other"
        }
        CalibrationError::PureGaussian => {
            "give a small positive --delta such as 1e-9, or --rho, or use laplace noise"
        }
        CalibrationError::SensitivityOfResponse => "leave --sensitivity out: every answer is a yes or a no",
        _ if error.kind() == Kind::Environment => return Failure::environment(error.to_string()),
        _ => return hinted(&error, error.hint()),
    };
    hinted(&error, Some(flags.to_owned()))
}
