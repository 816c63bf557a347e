//! What a fixed list of releases costs together, by every accountant.

use pointillist_numbers::{Rational, decimal_lower, decimal_upper};
use pointillist_privacy::Delta;
use pointillist_privacy::account::{Account, AccountCurve, best};
use serde_json::{Map, Value, json};

use crate::chart::{Chart, Scale, Series};

/// Digits that people read.
const DIGITS: usize = 6;

/// Every accountant's ε for people, the best one marked. `delta` is the text in which δ was given.
pub fn composition_lines(accounts: &[Account], delta: &str) -> Vec<String> {
    let best = best(accounts).map(|account| account.accountant);
    let line = |account: &Account| {
        let mark = if Some(account.accountant) == best { "→" } else { " " };
        let text = match &account.epsilon {
            Ok(epsilon) => {
                let exact = |value: f64| Rational::from_f64(value).unwrap_or_else(|_| Rational::zero());
                let upper = decimal_upper(&exact(epsilon.upper), DIGITS);
                if epsilon.lower > 0.0 {
                    format!("{upper:<12} at least {}", decimal_lower(&exact(epsilon.lower), DIGITS))
                } else {
                    upper
                }
            }
            Err(reason) => format!("–            {reason}"),
        };
        format!("{mark} {:9} {:32} {text}", account.accountant, account.method)
    };
    let heading = format!("ε at δ = {delta}, rounded up");
    std::iter::once(heading).chain(accounts.iter().map(line)).collect()
}

/// The same for programs.
pub fn composition_json(accounts: &[Account], delta: &str) -> Value {
    let found = |account: &Account| {
        let epsilon = account.epsilon.as_ref().ok()?;
        let mut result = json!({ "accountant": account.accountant, "epsilon": epsilon.upper });
        if epsilon.lower > 0.0 {
            result["epsilon_lower"] = json!(epsilon.lower);
        }
        Some(result)
    };
    let reason =
        |account: &Account| Some((account.accountant.to_owned(), json!(account.epsilon.as_ref().err()?)));
    json!({
        "delta": delta,
        "best": best(accounts).map(|account| account.accountant),
        "results": accounts.iter().filter_map(found).collect::<Vec<_>>(),
        "not_applicable": accounts.iter().filter_map(reason).collect::<Map<_, _>>(),
    })
}

/// δ against ε.
pub fn profile_chart(curves: Vec<AccountCurve>) -> Chart {
    Chart {
        title: "Privacy profile".to_owned(),
        x_name: "ε".to_owned(),
        y_name: "δ".to_owned(),
        x_scale: Scale::Linear,
        y_scale: Scale::Logarithmic,
        series: curves.into_iter().map(series).collect(),
    }
}

/// ε against how often the list runs.
pub fn repeated_use_chart(curves: Vec<AccountCurve>, delta: &Delta) -> Chart {
    Chart {
        title: format!("ε at δ = {delta} after repeated use"),
        x_name: "how often the list runs".to_owned(),
        y_name: "ε".to_owned(),
        x_scale: Scale::Logarithmic,
        y_scale: Scale::Logarithmic,
        series: curves.into_iter().map(series).collect(),
    }
}

fn series(curve: AccountCurve) -> Series {
    Series { name: curve.accountant.to_owned(), points: curve.points, ..Series::default() }
}
