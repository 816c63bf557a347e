//! One guarantee in the words of another.

use pointillist_numbers::Rational;
use pointillist_privacy::calculator::{Conversion, DeltaAtEpsilon, EpsilonAtDelta};
use pointillist_privacy::{Delta, Epsilon, Rho};
use serde_json::json;

use super::{CalculatorAnswer, RowRounding};
use crate::decimals::{exact, long_lower, long_upper, short_lower, short_upper};

/// The conversion for people and for programs.
pub fn conversion(conversion: &Conversion) -> CalculatorAnswer {
    match conversion {
        Conversion::Pure { epsilon, rho, rho_customary } => pure(epsilon, rho, rho_customary.as_ref()),
        Conversion::Budget { epsilon, delta, rho, release } => budget(epsilon, delta, rho, release.as_ref()),
        Conversion::RhoAtDelta { rho, delta, epsilon, order, epsilon_classical } => CalculatorAnswer {
            heading: format!("ρ = {} implies, at δ = {},", exact(rho.value()), exact(delta.value())),
            rows: vec![
                row(
                    "ε",
                    epsilon.value(),
                    format!("tight, by the Rényi divergence of order {}", short_upper(order.value())),
                ),
                row("ε", epsilon_classical.value(), "ρ + 2√(ρ·ln(1/δ)), the classical one"),
            ],
            rounding: RowRounding::Up,
            note: String::new(),
            json: json!({
                "given": { "rho": exact(rho.value()), "delta": exact(delta.value()) },
                "epsilon": long_upper(epsilon.value()),
                "epsilon_classical": long_upper(epsilon_classical.value()),
                "order": long_upper(order.value()),
            }),
        },
        Conversion::RhoAtEpsilon { rho, epsilon, delta, delta_classical } => {
            let mut rows = vec![row("δ", delta.value(), "tight")];
            let words = "exp(−(ε − ρ)²/(4ρ)), the classical one";
            rows.extend(delta_classical.iter().map(|delta| row("δ", delta.value(), words)));
            CalculatorAnswer {
                heading: format!("ρ = {} implies, at ε = {},", exact(rho.value()), exact(epsilon.value())),
                rows,
                rounding: RowRounding::Up,
                note: String::new(),
                json: json!({
                    "given": { "rho": exact(rho.value()), "epsilon": exact(epsilon.value()) },
                    "delta": long_upper(delta.value()),
                    "delta_classical": delta_classical.as_ref().map(|delta| long_upper(delta.value())),
                }),
            }
        }
        Conversion::Gaussian { mu, rho, at_delta, at_epsilon } => {
            gaussian(mu, rho, at_delta.as_ref(), at_epsilon.as_ref())
        }
        Conversion::BoundedRange { eta, rho, at_delta } => bounded_range(eta, rho, at_delta.as_ref()),
    }
}

/// A number, rounded up, and where it comes from.
fn row(symbol: &str, value: &Rational, words: impl Into<String>) -> [String; 2] {
    [format!("{symbol} = {}", short_upper(value)), words.into()]
}

fn pure(epsilon: &Epsilon, rho: &Rho, rho_customary: Option<&Rho>) -> CalculatorAnswer {
    let mut rows = vec![row("ρ", rho.value(), "ε·tanh(ε/2), the smallest for every mechanism")];
    rows.extend(rho_customary.map(|rho| row("ρ", rho.value(), "ε²/2, the customary one")));
    rows.push([
        format!("(ε = {}, δ = 0)", short_upper(epsilon.value())),
        "the same guarantee with a δ".into(),
    ]);
    CalculatorAnswer {
        heading: format!("Pure ε = {} implies", exact(epsilon.value())),
        rows,
        rounding: RowRounding::Up,
        note: String::new(),
        json: json!({
            "given": { "epsilon": exact(epsilon.value()) },
            "rho": long_upper(rho.value()),
            "rho_customary": rho_customary.map(|rho| long_upper(rho.value())),
            "epsilon": long_upper(epsilon.value()),
            "delta": "0",
        }),
    }
}

fn budget(epsilon: &Epsilon, delta: &Delta, rho: &Rho, release: Option<&(Rho, Delta)>) -> CalculatorAnswer {
    let mut rows = vec![[
        format!("ρ = {}", short_lower(rho.value())),
        "may be spent; the largest whose conversion fits, rounded down".to_owned(),
    ]];
    rows.extend(release.map(|(rho, delta)| {
        [
            format!("(ρ = {}, δ = {})", short_upper(rho.value()), short_upper(delta.value())),
            "is what one release known to be (ε, δ) costs in approximate zCDP, rounded up".to_owned(),
        ]
    }));
    CalculatorAnswer {
        heading: format!("Within a budget of (ε = {}, δ = {})", exact(epsilon.value()), exact(delta.value())),
        rows,
        rounding: RowRounding::Either,
        note: String::new(),
        json: json!({
            "given": { "epsilon": exact(epsilon.value()), "delta": exact(delta.value()) },
            "rho": long_lower(rho.value()),
            "release": release.map(|(rho, delta)| {
                json!({ "rho": long_upper(rho.value()), "delta": long_upper(delta.value()) })
            }),
        }),
    }
}

fn gaussian(
    mu: &Rational,
    rho: &Rho,
    at_delta: Option<&EpsilonAtDelta>,
    at_epsilon: Option<&DeltaAtEpsilon>,
) -> CalculatorAnswer {
    let mut heading = format!("μ = {} implies", exact(mu));
    let mut rows = vec![row("ρ", rho.value(), "μ²/2")];
    let mut json = json!({ "given": { "mu": exact(mu) }, "rho": long_upper(rho.value()) });
    if let Some(EpsilonAtDelta { delta, epsilon, epsilon_by_rho }) = at_delta {
        heading = format!("{heading}, at δ = {},", exact(delta.value()));
        rows.insert(0, row("ε", epsilon.value(), "the exact curve"));
        rows.push(row("ε", epsilon_by_rho.value(), "by way of ρ, for comparison"));
        json["given"]["delta"] = json!(exact(delta.value()));
        json["epsilon"] = json!(long_upper(epsilon.value()));
        json["epsilon_by_rho"] = json!(long_upper(epsilon_by_rho.value()));
    }
    if let Some(DeltaAtEpsilon { epsilon, delta, delta_by_rho }) = at_epsilon {
        heading = format!("{heading}, at ε = {},", exact(epsilon.value()));
        rows.insert(0, row("δ", delta.value(), "the exact curve"));
        json["given"]["epsilon"] = json!(exact(epsilon.value()));
        json["delta"] = json!(long_upper(delta.value()));
        if let Some(delta) = delta_by_rho {
            rows.push(row("δ", delta.value(), "by way of ρ, for comparison"));
            json["delta_by_rho"] = json!(long_upper(delta.value()));
        }
    }
    CalculatorAnswer { heading, rows, rounding: RowRounding::Up, note: String::new(), json }
}

fn bounded_range(eta: &Epsilon, rho: &Rho, at_delta: Option<&(Delta, Epsilon)>) -> CalculatorAnswer {
    let mut heading = format!("Bounded range η = {} implies", exact(eta.value()));
    let mut rows = vec![row("ρ", rho.value(), "η²/8"), row("ε", eta.value(), "pure")];
    let mut json = json!({
        "given": { "eta": exact(eta.value()) },
        "rho": long_upper(rho.value()),
        "epsilon_pure": long_upper(eta.value()),
    });
    if let Some((delta, epsilon)) = at_delta {
        heading = format!("{heading}, at δ = {},", exact(delta.value()));
        rows.insert(0, row("ε", epsilon.value(), "the smaller of pure and by way of ρ"));
        json["given"]["delta"] = json!(exact(delta.value()));
        json["epsilon"] = json!(long_upper(epsilon.value()));
    }
    CalculatorAnswer { heading, rows, rounding: RowRounding::Up, note: String::new(), json }
}
