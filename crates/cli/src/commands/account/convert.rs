//! `pointillist account convert`: one guarantee in the words of another.

use pointillist_numbers::Rational;
use pointillist_privacy::conversion::{
    GaussianDp, pure_rho_upper, zcdp_delta_classical_upper, zcdp_delta_upper, zcdp_epsilon_classical_upper,
    zcdp_epsilon_upper, zcdp_rho_lower,
};
use pointillist_privacy::{Delta, Epsilon, Loss, Rho};
use serde_json::json;

use super::answer::{Answer, exact, long_lower, long_upper, refuse, short_lower, short_upper};
use crate::failure::Failure;

const ROUNDED_UP: &str = "Rounded up to 6 digits; --json has 17.";

/// What is known, and what is asked for.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist account convert --epsilon 0.5                  pure ε as ρ
  pointillist account convert --rho 0.1 --delta 1e-6         ρ as (ε, δ)
  pointillist account convert --rho 0.1 --epsilon 2          ρ as (ε, δ), the δ asked for
  pointillist account convert --epsilon 1 --delta 1e-6       the largest ρ that fits into a budget of (ε, δ)
  pointillist account convert --mu 0.5 --delta 1e-6          Gaussian noise of σ = 2 for sensitivity 1
  pointillist account convert --eta 0.5 --delta 1e-6         bounded range, as the exponential mechanism has it

A conversion loses a little. Add up first, in the words in which the losses were proven, and convert once.")]
pub struct Arguments {
    /// ε: alone a pure guarantee; with --rho or --mu the ε at which δ is asked for
    #[arg(long, value_name = "E", allow_hyphen_values = true)]
    epsilon: Option<Epsilon>,
    /// δ: the probability with which the guarantee may fail
    #[arg(long, value_name = "D", allow_hyphen_values = true)]
    delta: Option<Delta>,
    /// ρ of zero-concentrated differential privacy
    #[arg(long, value_name = "R", allow_hyphen_values = true)]
    rho: Option<Rho>,
    /// μ of Gaussian differential privacy: sensitivity over standard deviation
    #[arg(long, value_name = "M", allow_hyphen_values = true)]
    mu: Option<Rational>,
    /// η of bounded range
    #[arg(long, value_name = "H", allow_hyphen_values = true)]
    eta: Option<Epsilon>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Prints the guarantee in the other words.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Arguments { epsilon, delta, rho, mu, eta, json } = arguments;
    let answer = match (rho, mu, eta, epsilon, delta) {
        (None, None, None, Some(epsilon), None) => pure(epsilon),
        (None, None, None, Some(epsilon), Some(delta)) => budget(epsilon, delta),
        (Some(rho), None, None, None, Some(delta)) => rho_at_delta(rho, delta),
        (Some(rho), None, None, Some(epsilon), None) => rho_at_epsilon(rho, epsilon),
        (None, Some(mu), None, epsilon, delta) if epsilon.is_none() || delta.is_none() => {
            gaussian(mu, epsilon.as_ref(), delta.as_ref())
        }
        (None, None, Some(eta), None, delta) => bounded_range(eta, delta.as_ref()),
        (Some(_), None, None, None, None) => {
            Err(refuse("ρ alone has no ε", "add --delta to ask for ε, or --epsilon to ask for δ"))
        }
        (None, None, None, None, Some(_)) => {
            Err(refuse("δ alone is no guarantee", "add what is known: --epsilon, --rho, --mu or --eta"))
        }
        (None, None, None, None, None) => Err(refuse(
            "there is nothing to convert",
            "give what is known, such as --rho 0.1 --delta 1e-6; --help lists what converts into what",
        )),
        (Some(_), None, None, Some(_), Some(_)) | (None, Some(_), None, Some(_), Some(_)) => Err(refuse(
            "both ε and δ are given, and nothing is left to compute",
            "leave out --epsilon to ask for ε, or --delta to ask for δ",
        )),
        (None, None, Some(_), Some(_), _) => Err(refuse(
            "bounded range with --epsilon has no question",
            "give --eta alone for ρ, or with --delta for ε",
        )),
        _ => Err(refuse(
            "more than one guarantee is given",
            "give exactly one of --rho, --mu and --eta, or --epsilon without them",
        )),
    };
    answer?.print(*json)
}

fn pure(epsilon: &Epsilon) -> Result<Answer, Failure> {
    let tight = pure_rho_upper(epsilon).map_err(Failure::request)?;
    // Beyond ε = 1414 the customary ρ passes the largest one there is.
    let customary = Rho::from_pure(epsilon).ok();
    let mut rows = vec![
        [
            format!("ρ = {}", short_upper(tight.value())),
            "ε·tanh(ε/2), the smallest for every mechanism".into(),
        ],
        [format!("(ε = {}, δ = 0)", short_upper(epsilon.value())), "the same guarantee with a δ".into()],
    ];
    if let Some(customary) = &customary {
        rows.insert(1, [format!("ρ = {}", short_upper(customary.value())), "ε²/2, the customary one".into()]);
    }
    Ok(Answer {
        heading: format!("Pure ε = {} implies", exact(epsilon.value())),
        rows,
        note: ROUNDED_UP.into(),
        json: json!({
            "given": { "epsilon": exact(epsilon.value()) },
            "rho": long_upper(tight.value()),
            "rho_customary": customary.map(|rho| long_upper(rho.value())),
            "epsilon": long_upper(epsilon.value()),
            "delta": "0",
        }),
    })
}

fn budget(epsilon: &Epsilon, delta: &Delta) -> Result<Answer, Failure> {
    if delta.is_zero() {
        return Err(refuse(
            "no ρ fits into a budget with δ = 0",
            "give a small positive δ such as 1e-9, or leave out --delta to convert pure ε",
        ));
    }
    let rho = zcdp_rho_lower(epsilon, delta).map_err(Failure::request)?;
    // The other direction is asked for as often, and mistaken for this one.
    let release = Loss::approximate(epsilon.clone(), delta.clone()).approximate_rho();
    let mut rows = vec![[
        format!("ρ = {}", short_lower(rho.value())),
        "may be spent; the largest whose conversion fits, rounded down".to_owned(),
    ]];
    if let Some((rho, delta)) = &release {
        rows.push([
            format!("(ρ = {}, δ = {})", short_upper(rho.value()), short_upper(delta.value())),
            "is what one release known to be (ε, δ) costs in approximate zCDP, rounded up".to_owned(),
        ]);
    }
    Ok(Answer {
        heading: format!("Within a budget of (ε = {}, δ = {})", exact(epsilon.value()), exact(delta.value())),
        rows,
        note: "Shown to 6 digits; --json has 17.".into(),
        json: json!({
            "given": { "epsilon": exact(epsilon.value()), "delta": exact(delta.value()) },
            "rho": long_lower(rho.value()),
            "release": release.map(|(rho, delta)| {
                json!({ "rho": long_upper(rho.value()), "delta": long_upper(delta.value()) })
            }),
        }),
    })
}

fn rho_at_delta(rho: &Rho, delta: &Delta) -> Result<Answer, Failure> {
    let tight = zcdp_epsilon_upper(rho, delta).map_err(Failure::request)?;
    let classical = zcdp_epsilon_classical_upper(rho, delta).map_err(Failure::request)?;
    let order = tight.order.value();
    Ok(Answer {
        heading: format!("ρ = {} implies, at δ = {},", exact(rho.value()), exact(delta.value())),
        rows: vec![
            [
                format!("ε = {}", short_upper(tight.epsilon.value())),
                format!("tight, by the Rényi divergence of order {}", short_upper(order)),
            ],
            [
                format!("ε = {}", short_upper(classical.value())),
                "ρ + 2√(ρ·ln(1/δ)), the classical one".into(),
            ],
        ],
        note: ROUNDED_UP.into(),
        json: json!({
            "given": { "rho": exact(rho.value()), "delta": exact(delta.value()) },
            "epsilon": long_upper(tight.epsilon.value()),
            "epsilon_classical": long_upper(classical.value()),
            "order": long_upper(order),
        }),
    })
}

fn rho_at_epsilon(rho: &Rho, epsilon: &Epsilon) -> Result<Answer, Failure> {
    let tight = zcdp_delta_upper(rho, epsilon).map_err(Failure::request)?;
    // The classical formula says nothing for ε up to ρ.
    let classical = zcdp_delta_classical_upper(rho, epsilon).ok();
    let mut rows = vec![[format!("δ = {}", short_upper(tight.value())), "tight".to_owned()]];
    if let Some(classical) = &classical {
        let words = "exp(−(ε − ρ)²/(4ρ)), the classical one".to_owned();
        rows.push([format!("δ = {}", short_upper(classical.value())), words]);
    }
    Ok(Answer {
        heading: format!("ρ = {} implies, at ε = {},", exact(rho.value()), exact(epsilon.value())),
        rows,
        note: ROUNDED_UP.into(),
        json: json!({
            "given": { "rho": exact(rho.value()), "epsilon": exact(epsilon.value()) },
            "delta": long_upper(tight.value()),
            "delta_classical": classical.map(|delta| long_upper(delta.value())),
        }),
    })
}

fn gaussian(mu: &Rational, epsilon: Option<&Epsilon>, delta: Option<&Delta>) -> Result<Answer, Failure> {
    let loss = GaussianDp::from_mu(mu).map_err(Failure::request)?;
    let rho = loss.rho();
    let mut heading = format!("μ = {} implies", exact(mu));
    let mut rows = vec![[format!("ρ = {}", short_upper(rho.value())), "μ²/2".to_owned()]];
    let mut json = json!({ "given": { "mu": exact(mu) }, "rho": long_upper(rho.value()) });
    if let Some(delta) = delta {
        let tight = loss.epsilon_upper(delta).map_err(Failure::request)?;
        let by_rho = zcdp_epsilon_upper(&rho, delta).map_err(Failure::request)?.epsilon;
        heading = format!("{heading}, at δ = {},", exact(delta.value()));
        rows.insert(0, [format!("ε = {}", short_upper(tight.value())), "the exact curve".into()]);
        rows.push([format!("ε = {}", short_upper(by_rho.value())), "by way of ρ, for comparison".into()]);
        json["given"]["delta"] = json!(exact(delta.value()));
        json["epsilon"] = json!(long_upper(tight.value()));
        json["epsilon_by_rho"] = json!(long_upper(by_rho.value()));
    }
    if let Some(epsilon) = epsilon {
        let tight = loss.delta_upper(epsilon).map_err(Failure::request)?;
        heading = format!("{heading}, at ε = {},", exact(epsilon.value()));
        rows.insert(0, [format!("δ = {}", short_upper(tight.value())), "the exact curve".into()]);
        json["given"]["epsilon"] = json!(exact(epsilon.value()));
        json["delta"] = json!(long_upper(tight.value()));
        if let Ok(by_rho) = zcdp_delta_upper(&rho, epsilon) {
            rows.push([format!("δ = {}", short_upper(by_rho.value())), "by way of ρ, for comparison".into()]);
            json["delta_by_rho"] = json!(long_upper(by_rho.value()));
        }
    }
    Ok(Answer { heading, rows, note: ROUNDED_UP.into(), json })
}

fn bounded_range(eta: &Epsilon, delta: Option<&Delta>) -> Result<Answer, Failure> {
    let loss = Loss::bounded_range(eta.clone());
    let rho = Rho::from_bounded_range(eta).map_err(Failure::request)?;
    let mut heading = format!("Bounded range η = {} implies", exact(eta.value()));
    let mut rows = vec![
        [format!("ρ = {}", short_upper(rho.value())), "η²/8".to_owned()],
        [format!("ε = {}", short_upper(eta.value())), "pure".to_owned()],
    ];
    let mut json = json!({ "given": { "eta": exact(eta.value()) }, "rho": long_upper(rho.value()) });
    json["epsilon_pure"] = json!(long_upper(eta.value()));
    if let Some(delta) = delta {
        let epsilon = loss.epsilon_upper(delta).map_err(Failure::request)?;
        heading = format!("{heading}, at δ = {},", exact(delta.value()));
        rows.insert(
            0,
            [format!("ε = {}", short_upper(epsilon.value())), "the smaller of pure and by way of ρ".into()],
        );
        json["given"]["delta"] = json!(exact(delta.value()));
        json["epsilon"] = json!(long_upper(epsilon.value()));
    }
    Ok(Answer { heading, rows, note: ROUNDED_UP.into(), json })
}
