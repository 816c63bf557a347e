//! `pointillist account calibrate`: the least noise with which so many uses keep a promise.
//!
//! **Guarantee.** `count` uses of the noise printed here, each chosen in the light of the answers before it, meet
//! the target together. Gaussian noise: k uses are one use with √k times the sensitivity, and the curve is
//! exact. Laplace noise and randomized response: pure ε adds up, which is tight at δ = 0; with a δ, the smallest
//! noise for which the certified upper end of the privacy-loss distribution is within ε. ρ adds up.
//! **Rounding.** Noise is rounded up, the probability of the truth down; whatever is printed was checked.

use std::time::Duration;

use clap::ValueEnum;
use indicatif::ProgressBar;
use pointillist_mechanisms::discrete_laplace_law::DiscreteLaplaceLaw;
use pointillist_mechanisms::gaussian_calibration::{sigma_analytic, sigma_for_rho};
use pointillist_mechanisms::randomized_response::RandomizedResponse;
use pointillist_numbers::{Rational, decimal_upper};
use pointillist_privacy::conversion::{GaussianDp, pure_rho_upper, zcdp_rho_lower};
use pointillist_privacy::pld::{Accountant, Mechanism as Pair};
use pointillist_privacy::{Delta, Epsilon, ParameterError, Rho, SensitivityL1, SensitivityL2};
use serde_json::{Value, json};

use super::answer::{Answer, exact, long_lower, long_upper, refuse, short_lower, short_upper};
use crate::failure::Failure;

/// Digits of noise that was searched for rather than computed.
const DIGITS_SEARCHED: usize = 6;
/// The largest integer sensitivity whose losses are listed one by one.
const SHIFT_LISTED_MAX: u32 = 1024;
/// The largest σ of a discrete Gaussian whose losses are listed one by one.
const SIGMA_LISTED_MAX: u32 = 2000;

/// The most uses whose losses are convolved; a search for more would take longer than anyone waits.
const COUNT_CONVOLVED_MAX: u64 = 10_000_000;
/// Bits behind the point of probabilities.
const PRECISION: usize = 320;

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
    #[arg(long, value_name = "E", allow_hyphen_values = true)]
    epsilon: Option<Epsilon>,
    /// The δ that goes with it; none means 0
    #[arg(long, value_name = "D", allow_hyphen_values = true)]
    delta: Option<Delta>,
    /// The ρ that all uses together may reach, in place of ε
    #[arg(long, value_name = "R", allow_hyphen_values = true)]
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

/// What all uses together may reach.
enum Target {
    Pure(Epsilon),
    Approximate(Epsilon, Delta),
    Concentrated(Rho),
}

/// One number of the result.
struct Figure {
    /// Its name in JSON.
    key: &'static str,
    symbol: &'static str,
    value: Rational,
    rounding: Rounding,
    words: &'static str,
}

#[derive(Clone, Copy)]
enum Rounding {
    Up,
    Down,
}

/// Prints the noise.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    if arguments.count == 0 {
        return Err(refuse("no use at all needs no noise", "count at least one use with --count"));
    }
    let target = Target::of(arguments)?;
    let request =
        Request { target: &target, count: arguments.count, sensitivity: arguments.sensitivity.as_deref() };
    let figures = match arguments.mechanism {
        Mechanism::Gaussian => request.gaussian()?,
        Mechanism::Laplace => request.laplace()?,
        Mechanism::DiscreteGaussian => request.discrete_gaussian()?,
        Mechanism::DiscreteLaplace => request.discrete_laplace()?,
        Mechanism::RandomizedResponse => request.randomized_response()?,
    };
    let name = arguments.mechanism.to_possible_value().expect("no mechanism is hidden");
    let name = name.get_name();
    let mut json = json!({ "mechanism": name, "count": arguments.count, "target": target.json() });
    if !matches!(arguments.mechanism, Mechanism::RandomizedResponse) {
        json["sensitivity"] = json!(request.sensitivity_text());
    }
    for figure in &figures {
        json[figure.key] = json!(figure.long());
    }
    let uses = if arguments.count == 1 {
        "one use".to_owned()
    } else {
        format!("{} uses together", arguments.count)
    };
    let answer = Answer {
        heading: format!("{name}, {uses} within {}:", target.words()),
        rows: figures.iter().map(Figure::row).collect(),
        note: "Noise, losses and lies are rounded up to 6 digits, the truth down; --json may have more."
            .into(),
        json,
    };
    answer.print(arguments.json)
}

impl Target {
    fn of(arguments: &Arguments) -> Result<Self, Failure> {
        match (&arguments.epsilon, &arguments.delta, &arguments.rho) {
            (Some(epsilon), Some(delta), None) if !delta.is_zero() => {
                Ok(Self::Approximate(epsilon.clone(), delta.clone()))
            }
            (Some(epsilon), _, None) => Ok(Self::Pure(epsilon.clone())),
            (None, None, Some(rho)) => Ok(Self::Concentrated(rho.clone())),
            (None, _, None) => {
                Err(refuse("there is no target", "give --epsilon, with --delta where it may fail, or --rho"))
            }
            (_, _, Some(_)) => Err(refuse(
                "the target is given twice",
                "give either --rho alone or --epsilon with --delta; `account convert` turns one into the other",
            )),
        }
    }

    fn words(&self) -> String {
        match self {
            Self::Pure(epsilon) => format!("ε = {}", exact(epsilon.value())),
            Self::Approximate(epsilon, delta) => {
                format!("(ε = {}, δ = {})", exact(epsilon.value()), exact(delta.value()))
            }
            Self::Concentrated(rho) => format!("ρ = {}", exact(rho.value())),
        }
    }

    fn json(&self) -> Value {
        match self {
            Self::Pure(epsilon) => json!({ "epsilon": exact(epsilon.value()), "delta": "0" }),
            Self::Approximate(epsilon, delta) => {
                json!({ "epsilon": exact(epsilon.value()), "delta": exact(delta.value()) })
            }
            Self::Concentrated(rho) => json!({ "rho": exact(rho.value()) }),
        }
    }
}

impl Figure {
    fn up(key: &'static str, symbol: &'static str, value: Rational, words: &'static str) -> Self {
        Self { key, symbol, value, rounding: Rounding::Up, words }
    }

    fn down(key: &'static str, symbol: &'static str, value: Rational, words: &'static str) -> Self {
        Self { key, symbol, value, rounding: Rounding::Down, words }
    }

    fn long(&self) -> String {
        match self.rounding {
            Rounding::Up => long_upper(&self.value),
            Rounding::Down => long_lower(&self.value),
        }
    }

    fn row(&self) -> [String; 2] {
        let value = match self.rounding {
            Rounding::Up => short_upper(&self.value),
            Rounding::Down => short_lower(&self.value),
        };
        [format!("{} = {value}", self.symbol), self.words.to_owned()]
    }
}

struct Request<'a> {
    target: &'a Target,
    count: u64,
    sensitivity: Option<&'a str>,
}

impl Request<'_> {
    fn sensitivity_text(&self) -> &str {
        self.sensitivity.unwrap_or("1")
    }

    /// The sensitivity of all uses taken together, `√k·Δ₂`.
    fn sensitivity_l2_all(&self) -> Result<SensitivityL2, Failure> {
        let each = SensitivityL2::parse(self.sensitivity_text()).map_err(Failure::request)?;
        SensitivityL2::from_squared(each.squared() * &Rational::from(self.count)).map_err(Failure::request)
    }

    fn sensitivity_l1(&self) -> Result<Rational, Failure> {
        let each = SensitivityL1::parse(self.sensitivity_text()).map_err(Failure::request)?;
        Ok(each.value().clone())
    }

    /// How far one integer answer moves: the sensitivity rounded down, as integers move by integers.
    fn integer_shift(&self) -> Result<Rational, Failure> {
        let shift = Rational::from(self.sensitivity_l1()?.floor());
        if shift.is_zero() {
            return Err(refuse(
                "an integer answer cannot move by less than one",
                "give the sensitivity in units of the integer answer, or use laplace or gaussian",
            ));
        }
        Ok(shift)
    }

    fn gaussian(&self) -> Result<Vec<Figure>, Failure> {
        let all = self.sensitivity_l2_all()?;
        match self.target {
            Target::Pure(_) => Err(no_pure_gaussian()),
            Target::Approximate(epsilon, delta) => {
                let sigma = printed(&sigma_analytic(epsilon, delta, &all).map_err(Failure::request)?);
                let mut figures = vec![Figure::up(
                    "sigma",
                    "σ",
                    sigma.clone(),
                    "standard deviation, the smallest there is",
                )];
                // A second implementation of the same curve checks the number that is printed.
                if let Ok(loss) = GaussianDp::from_mu_squared(all.squared() / &sigma.squared()) {
                    let reached = loss.delta_upper(epsilon).map_err(Failure::request)?;
                    if reached > *delta {
                        return Err(Failure::Environment(
                            "two computations of the Gaussian curve disagree; please report this".into(),
                        ));
                    }
                    figures.push(Figure::up(
                        "delta_reached",
                        "δ",
                        reached.value().clone(),
                        "reached at this ε",
                    ));
                    figures.push(Figure::up(
                        "rho",
                        "ρ",
                        loss.rho().value().clone(),
                        "of all uses, for a ledger in zCDP",
                    ));
                }
                Ok(figures)
            }
            Target::Concentrated(rho) => Ok(vec![concentrated_sigma(rho, &all)]),
        }
    }

    fn discrete_gaussian(&self) -> Result<Vec<Figure>, Failure> {
        let all = self.sensitivity_l2_all()?;
        let shift = self.integer_shift()?;
        match self.target {
            Target::Pure(_) => Err(no_pure_gaussian()),
            Target::Approximate(epsilon, delta) => {
                let rho = zcdp_rho_lower(epsilon, delta).map_err(Failure::request)?;
                let by_rho = printed(&sigma_for_rho(&rho, &all));
                let any = "by way of ρ, any number of answers at once";
                // Listing takes time with σ, and convolving with the number of uses.
                let few = self.count <= COUNT_CONVOLVED_MAX && by_rho <= Rational::from(SIGMA_LISTED_MAX);
                let Some(sensitivity) = listed_shift(&shift).filter(|_| few) else {
                    return Ok(vec![Figure::up("sigma", "σ", by_rho, any)]);
                };
                let pair =
                    |sigma: &Rational| Pair::DiscreteGaussian { sigma: sigma.to_f64_lower(), sensitivity };
                let one = self.least_within(&by_rho, epsilon, delta, pair).min(by_rho.clone());
                Ok(vec![
                    Figure::up(
                        "sigma",
                        "σ",
                        one,
                        "one integer answer a use, by its privacy-loss distribution",
                    ),
                    Figure::up("sigma_any_dimension", "σ", by_rho, any),
                ])
            }
            Target::Concentrated(rho) => Ok(vec![concentrated_sigma(rho, &all)]),
        }
    }

    fn laplace(&self) -> Result<Vec<Figure>, Failure> {
        let sensitivity = self.sensitivity_l1()?;
        let rho = |scale: &Rational| {
            let epsilon = Epsilon::new(&sensitivity / scale).ok()?;
            Some(pure_rho_upper(&epsilon).ok()?.value().clone())
        };
        let pair =
            |scale: &Rational| Pair::Laplace { noise_multiplier: (scale / &sensitivity).to_f64_lower() };
        let (scale, words) = self.least_scale(&sensitivity, rho, Some(pair))?;
        Ok(vec![Figure::up("scale", "b", scale, words)])
    }

    fn discrete_laplace(&self) -> Result<Vec<Figure>, Failure> {
        let shift = self.integer_shift()?;
        let rho = |scale: &Rational| Some(DiscreteLaplaceLaw::new(scale)?.zcdp_rho_upper(&shift));
        let pair = listed_shift(&shift).map(|sensitivity| {
            move |scale: &Rational| Pair::DiscreteLaplace { scale: scale.to_f64_lower(), sensitivity }
        });
        let (scale, words) = self.least_scale(&shift, rho, pair)?;
        Ok(vec![Figure::up("scale", "b", scale, words)])
    }

    fn randomized_response(&self) -> Result<Vec<Figure>, Failure> {
        if self.sensitivity.is_some() {
            return Err(refuse(
                "randomized response has no sensitivity",
                "leave --sensitivity out: every answer is a yes or a no",
            ));
        }
        // The larger 1/ε, the more lies: it takes the place of a scale.
        let epsilon = |scale: &Rational| scale.reciprocal().expect("a scale is positive");
        let rho = |scale: &Rational| {
            let each = Epsilon::new(epsilon(scale)).ok()?;
            Some(pure_rho_upper(&each).ok()?.value().clone())
        };
        let pair = |scale: &Rational| Pair::RandomizedResponse {
            epsilon: epsilon(scale).to_f64_upper(),
            categories: 2,
        };
        let (scale, _) = self.least_scale(&Rational::one(), rho, Some(pair))?;
        let each = Epsilon::new(epsilon(&scale)).map_err(Failure::request)?;
        let response = RandomizedResponse::for_epsilon(&each);
        let lie = response.lie_probability(PRECISION).upper();
        let truth = Rational::one() - lie.clone();
        let gamma = response.gamma(PRECISION).lower();
        Ok(vec![
            Figure::down("truth_probability", "P[truth]", truth, "e^ε/(1 + e^ε)"),
            Figure::up("lie_probability", "P[lie]", lie, "1/(1 + e^ε)"),
            Figure::down("gamma", "γ", gamma, "how much likelier than a coin the truth is"),
            Figure::down("epsilon_each", "ε", each.value().clone(), "of each answer, rounded down"),
        ])
    }

    /// The least scale of noise that is `Δ/scale`-private, and how it was found. `rho_upper` is the ρ of one use at
    /// a scale; `pair` its worst pair, where that can be listed.
    fn least_scale(
        &self,
        sensitivity: &Rational,
        rho_upper: impl Fn(&Rational) -> Option<Rational>,
        pair: Option<impl Fn(&Rational) -> Pair>,
    ) -> Result<(Rational, &'static str), Failure> {
        let by_rho = |rho: &Rho| self.least_within_rho(sensitivity, rho, &rho_upper);
        // An ε too small to count is refused here, with a hint.
        let pure = |epsilon: &Epsilon| Ok(sensitivity / epsilon.divided_by(self.count)?.value());
        match self.target {
            Target::Pure(epsilon) => Ok((pure(epsilon).map_err(refused)?, "k·Δ/ε")),
            Target::Concentrated(rho) => Ok((by_rho(rho)?, "k times the ρ of one use fits")),
            Target::Approximate(epsilon, delta) => {
                let mut least = (pure(epsilon).map_err(refused)?, "k·Δ/ε");
                // Where ρ is too small to count, the sum of ε remains.
                if let Ok(scale) =
                    zcdp_rho_lower(epsilon, delta).map_err(refused).and_then(|rho| by_rho(&rho))
                {
                    least = least.min((scale, "by way of ρ"));
                }
                if let Some(pair) = pair {
                    let scale = self.least_within(&least.0, epsilon, delta, pair);
                    least = least.min((scale, "one number a use, by its privacy-loss distribution"));
                }
                Ok(least)
            }
        }
    }

    /// The least scale, rounded up, for which `count` uses are (ε, δ)-private by the certified upper bound of their
    /// privacy-loss distribution, or `enough` rounded up, of which that is known.
    fn least_within(
        &self,
        enough: &Rational,
        epsilon: &Epsilon,
        delta: &Delta,
        pair: impl Fn(&Rational) -> Pair,
    ) -> Rational {
        let (epsilon, delta) = (epsilon.to_f64_lower(), delta.to_f64_lower());
        // Seen on a terminal only; millions of uses take seconds.
        let progress = ProgressBar::new_spinner().with_message("searching for the least noise");
        progress.enable_steady_tick(Duration::from_millis(100));
        let found = least_fitting(enough, |scale| {
            if self.count > COUNT_CONVOLVED_MAX {
                return false;
            }
            let mut accountant = Accountant::new();
            accountant.add(pair(scale), self.count);
            accountant.epsilon(delta).is_ok_and(|found| found.upper <= epsilon)
        });
        progress.finish_and_clear();
        found
    }

    /// The least scale, rounded up, for which `count` times the ρ of one use is within the target.
    fn least_within_rho(
        &self,
        sensitivity: &Rational,
        rho: &Rho,
        rho_upper: impl Fn(&Rational) -> Option<Rational>,
    ) -> Result<Rational, Failure> {
        let all = SensitivityL2::from_squared(sensitivity.squared() * Rational::from(self.count));
        // Δ/b = ε with ε²/2 = ρ/k: more than enough, because ε costs less than ε²/2.
        let enough = sigma_for_rho(rho, &all.map_err(refused)?);
        let share = rho.divided_by(self.count).map_err(refused)?;
        Ok(least_fitting(&enough, |scale| rho_upper(scale).is_some_and(|found| found <= *share.value())))
    }
}

fn refused(error: ParameterError) -> Failure {
    Failure::request(error)
}

fn no_pure_gaussian() -> Failure {
    refuse(
        "Gaussian noise has no guarantee with δ = 0",
        "give a small positive --delta such as 1e-9, or --rho, or use laplace noise",
    )
}

/// `σ = √k·Δ/√(2ρ)`.
fn concentrated_sigma(rho: &Rho, sensitivity_l2_all: &SensitivityL2) -> Figure {
    let sigma = printed(&sigma_for_rho(rho, sensitivity_l2_all));
    Figure::up("sigma", "σ", sigma, "√k·Δ/√(2ρ), any number of answers at once")
}

/// The decimal that JSON shows, so that what was checked is what is read.
fn printed(value: &Rational) -> Rational {
    Rational::parse(&long_upper(value)).expect("our decimals parse")
}

/// The shift as the accountant takes it; none where listing its losses would take too long.
fn listed_shift(shift: &Rational) -> Option<u32> {
    u32::try_from(shift.floor()).ok().filter(|shift| *shift <= SHIFT_LISTED_MAX)
}

/// The least decimal of six digits that was seen to fit, from one at or above which everything does. Fitting is
/// monotone but for the width of certified bounds, so the search may miss the least by that much, not more.
fn least_fitting(enough: &Rational, fits: impl Fn(&Rational) -> bool) -> Rational {
    let rounded = |value: &Rational| {
        Rational::parse(&decimal_upper(value, DIGITS_SEARCHED)).expect("our decimals parse")
    };
    let half = Rational::ratio(1, 2);
    let mut high = rounded(enough);
    let mut low = rounded(&(&high * &half));
    while fits(&low) {
        high = low;
        low = rounded(&(&high * &half));
    }
    loop {
        let middle = rounded(&((&low + &high) * half.clone()));
        if middle <= low || middle >= high {
            return high;
        }
        if fits(&middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
}
