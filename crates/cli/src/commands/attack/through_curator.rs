//! The reconstruction attack on Pointillist itself, through its own front door: SQL, a ledger, and a budget
//! that ends.
//!
//! **Claim.** Let the budget be ε, and let everybody's bit be an independent coin whose likelier face has
//! probability q. Whatever an attacker asks, in whatever order and at whatever prices, they guess a person's
//! bit with probability at most max(q, e^(2ε)/(1 + e^(2ε))); with max(q, e^ε/(1 + e^ε)) when they only count
//! people who have it. With a budget of (ρ, δ) it is q + (1 − q)·√(2ρ) + 2δ, and q + (1 − q)·√(ρ/2) + δ.
//! **Proof.** The filter of the ledger keeps all answers within the budget for neighbours that differ in one
//! person's presence. A changed bit takes two such steps, out and in; but where only people with the bit are
//! counted, a person without it might as well be absent, and one step is enough. The rest is statement 3 of
//! `pointillist_attack::limits`, where each step moves the total variation by at most √(ρ/2) + δ. ∎ The bound
//! for counts is reached, at pure ε and q = ½, by one question with a group for everybody: discrete Laplace
//! noise of scale 1/ε leaves the sign of "one or zero" right with probability e^ε/(1 + e^ε).

mod afterwards;
mod house;
mod strategies;
mod told;

use std::collections::BTreeSet;
use std::io::{self, IsTerminal};

use indicatif::{ProgressBar, ProgressStyle};
use pointillist_attack::limits::right_guess_from_upper;
use pointillist_attack::reconstruction::{Answers, Oracle, Queries, Recovery, Secret, SecretOracle};
use pointillist_ledger::Currency;
use pointillist_mechanisms::additive_noise::Price;
use pointillist_privacy::{Epsilon, Rho};
use serde_json::{Value, json};

use self::afterwards::{Afterwards, afterwards};
use self::house::{Granted, Total, check_crowd};
use self::strategies::{Campaign, Worth, everybody, learnt, subsets};
use super::output::draw;
use crate::failure::Failure;
use crate::report_arguments::ReportArguments;
use crate::terminal::Json;

/// A group for everybody, with a number that tells the bit.
const AT_ONCE: &str = "SELECT seat, COUNT(*) FILTER (WHERE secret) FROM answers GROUP BY seat";
const PLUS_OR_MINUS: &str =
    "SELECT seat, SUM(CASE WHEN secret THEN 1 ELSE -1 END) FROM answers GROUP BY seat";
/// Into how many questions the budget goes when it buys few dear ones.
const FEW: u128 = 4;
/// How many times as many answers it buys when they are cheaper.
const CHEAPER: u128 = 4;
/// Points of a curve; each is an attack of its own.
const POINTS: usize = 40;

/// A secret and what may be spent on it.
pub struct Siege<'a> {
    /// Everybody's bit and what it means.
    pub secret: &'a Secret,
    /// ε of all answers together.
    pub budget: &'a str,
    /// The δ of a scope that counts ρ; without one it counts ε.
    pub delta: Option<&'a str>,
    /// ε of each question.
    pub epsilon: &'a str,
    /// Questions a person that careless publishers answer.
    pub questions: usize,
    /// The largest error of a careless publisher.
    pub error: f64,
}

/// How it went.
struct Story {
    people: usize,
    meaning: String,
    origin: Value,
    blindly: f64,
    careless: Vec<Careless>,
    /// Random subsets first.
    campaigns: Vec<Campaign>,
    /// The share of the secret after so many answers to random subsets.
    curve: Vec<(usize, f64)>,
    afterwards: Afterwards,
    /// What counting people with the bit can tell of it, and what anything can.
    bounds: [f64; 2],
    /// What was asked for, for scripts.
    asked: Value,
}

/// A publisher who answers everything.
struct Careless {
    name: String,
    answered: usize,
    recovery: Recovery,
    curve: Vec<(usize, f64)>,
}

/// Attacks and tells.
pub fn run(siege: &Siege<'_>, json: bool, report: &ReportArguments) -> Result<(), Failure> {
    report.check()?;
    let story = besiege(siege, report.is_wanted())?;
    if json {
        println!("{}", Json(&story.json()));
    } else {
        story.tell();
    }
    report.write(|| Ok(story.report()))
}

fn besiege(siege: &Siege<'_>, with_curves: bool) -> Result<Story, Failure> {
    let secret = siege.secret.bits();
    check_crowd(secret.len())?;
    let points = if with_curves { POINTS } else { 0 };
    let total = Total::parse(siege.budget, siege.delta)?;
    if siege.questions == 0 {
        return Err(Failure::Request(
            "0 questions a person cannot be asked\nhint: leave --questions out; four a person are plenty"
                .to_owned(),
        ));
    }
    let questions = secret.len().saturating_mul(siege.questions);
    let asked = draw("asking", |bits| Queries::random(secret.len(), questions, bits))?;
    let careless = [Answers::Exact, Answers::ErrorUpTo(siege.error)]
        .iter()
        .map(|answers| careless(secret, &asked, answers, points))
        .collect::<Result<Vec<_>, _>>()?;
    let progress = progress_bar();
    let ask = |name: &'static str, worth: &Worth| subsets(name, secret, &total, worth, &asked, &progress);
    let worth = Worth::Epsilon(siege.epsilon.to_owned());
    let main = ask("random subsets", &worth)?;
    let first = main.queries.subsets().next().zip(main.answers.first());
    let (first, recorded) = first.ok_or_else(|| {
        Failure::Request(
            "the budget does not hold one question at this price\nhint: lower --epsilon, or raise --budget"
                .to_owned(),
        )
    })?;
    let afterwards = afterwards(&main.house, &first, *recorded, &worth.options(&main.campaign.balance)?)?;
    let others = [
        ask("many, cheap", &Worth::Part(CHEAPER * main.answers.len() as u128))?.campaign,
        ask("few, dear", &Worth::Part(FEW))?.campaign,
        everybody("everybody at once", secret, &total, AT_ONCE)?,
        everybody("plus or minus one", secret, &total, PLUS_OR_MINUS)?,
    ];
    progress.finish_and_clear();
    let curve = curve(&main.queries, &main.answers, Some(main.deviation), secret, points)?;
    let blindly = main.campaign.recovery.fraction_blindly();
    let bounds = bounds(&main.campaign.balance, if siege.secret.is_made_up() { 0.5 } else { blindly })?;
    Ok(Story {
        people: secret.len(),
        meaning: siege.secret.meaning().to_owned(),
        origin: json!(siege.secret),
        blindly,
        careless,
        campaigns: std::iter::once(main.campaign).chain(others).collect(),
        curve,
        afterwards,
        bounds,
        asked: json!({
            "epsilon": siege.epsilon,
            "budget": siege.budget,
            "delta": siege.delta,
            "questions": siege.questions,
            "error": siege.error,
        }),
    })
}

/// The same questions, answered without a budget.
fn careless(
    secret: &[bool],
    queries: &Queries,
    answers: &Answers,
    points: usize,
) -> Result<Careless, Failure> {
    let (given, deviation) = draw("asking", |bits| {
        let mut oracle = SecretOracle::new(secret, answers, queries.count(), bits)?;
        let given: Vec<f64> = queries.subsets().map_while(|subset| oracle.answer(&subset)).collect();
        Ok((given, oracle.error_deviation()))
    })?;
    let recovery = learnt(queries, &given, deviation, secret)?;
    let curve = curve(queries, &given, deviation, secret, points)?;
    Ok(Careless { name: answers.to_string(), answered: given.len(), recovery, curve })
}

/// The share of the secret after more and more answers, at so many points.
fn curve(
    queries: &Queries,
    answers: &[f64],
    deviation: Option<f64>,
    secret: &[bool],
    points: usize,
) -> Result<Vec<(usize, f64)>, Failure> {
    let counts: BTreeSet<usize> = (1..=points).map(|point| point * answers.len() / points).collect();
    let point = |count| Ok((count, learnt(queries, &answers[..count], deviation, secret)?.fraction()));
    counts.into_iter().map(point).collect()
}

/// With which probability a bit is guessed at most: by counting people who have it, and by anything.
fn bounds(balance: &Granted, prior: f64) -> Result<[f64; 2], Failure> {
    let loss = balance.granted.loss();
    let delta = balance.granted.delta().to_f64_upper();
    let prices = match balance.currency {
        Currency::Pure => {
            let epsilon = Epsilon::new(loss).map_err(Failure::request)?;
            let twice = epsilon.times(2).map_err(Failure::request)?;
            [Price::Pure(epsilon), Price::Pure(twice)]
        }
        Currency::Zcdp => {
            let rho = Rho::new(loss).map_err(Failure::request)?;
            let four_times = rho.times(4).map_err(Failure::request)?;
            [Price::Concentrated(rho), Price::Concentrated(four_times)]
        }
    };
    let [one, two] = prices.map(|price| right_guess_from_upper(&price, prior));
    // A hair more than the floats say: the claim is an upper bound.
    Ok([one + delta, two + 2.0 * delta].map(|bound| (bound * (1.0 + 1e-12)).min(1.0)))
}

/// A bar on stderr, where someone is looking.
fn progress_bar() -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("asking the curator {bar:40} {human_pos}/{human_len} answers");
    ProgressBar::new(1).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

#[cfg(test)]
mod tests {
    use pointillist_ledger::Amount;

    use super::*;

    #[test]
    fn the_bounds_are_those_of_the_claim() {
        let units = |parts: u128| parts * 10u128.pow(21);
        let balance = |currency, loss: u128, delta: u128| {
            let granted = Amount { loss_units: units(loss), delta_units: units(delta) };
            Granted { currency, granted, spent: Amount::ZERO }
        };
        let near = |found: [f64; 2], want: [f64; 2]| {
            found.iter().zip(want).all(|(found, want)| (*found - want).abs() < 1e-9 && *found >= want)
        };
        // ε = 1: e/(1 + e), e²/(1 + e²).
        let pure = bounds(&balance(Currency::Pure, 1000, 0), 0.5).unwrap();
        assert!(near(pure, [0.731_058_578_630, 0.880_797_077_977]), "{pure:?}");
        // ρ = 0.02, δ = 0.001: ½ + ½·0.1 + 0.001, ½ + ½·0.2 + 0.002.
        let zcdp = bounds(&balance(Currency::Zcdp, 20, 1), 0.5).unwrap();
        assert!(near(zcdp, [0.551, 0.602]), "{zcdp:?}");
        assert_eq!(bounds(&balance(Currency::Zcdp, 900_000, 0), 0.5).unwrap(), [1.0, 1.0]);
    }
}
