//! The reconstruction attack on Pointillist itself, through its own front door: SQL, a ledger, and a budget that ends.
//!
//! **Claim.** Let the budget be ε, and let the attacker think of everybody's bit as an independent coin whose likelier
//! face has probability q. Whatever they ask, in whatever order and at whatever prices, each bit is guessed with
//! probability at most q·e^(2ε)/(1 − q + q·e^(2ε)); with q·e^ε/(1 − q + q·e^ε) where only people who have the bit are
//! counted. With a budget of (ρ, δ) it is q + (1 − q)·(√(2ρ) + 2δ), and q + (1 − q)·(√(ρ/2) + δ).
//! **Proof.** The filter of the ledger keeps all answers within the budget for neighbours that differ in one person's
//! presence. A changed bit takes two such steps, out and in; but when only people with the bit are counted, a person
//! without it might as well be absent, and one step is enough. The rest is statement 3 of `pointillist_attack::limits`;
//! δ is added to the total variation at each step. ∎
//! The first bound with ε alone is reached by one question with a group for everybody.

mod afterwards;
mod house;
mod strategies;

use std::io::{self, IsTerminal};

use indicatif::{ProgressBar, ProgressStyle};
use pointillist_attack::limits::right_guess_from_upper;
use pointillist_attack::reconstruction::{Answers, Oracle, Queries, Recovery, SecretOracle};
use pointillist_ledger::{Budget, Currency};
use pointillist_mechanisms::additive_noise::Price;
use pointillist_numbers::Rational;
use pointillist_privacy::{Epsilon, Rho};
use serde_json::{Value, json};

use self::afterwards::{Afterwards, afterwards};
use self::house::Total;
use self::strategies::{Campaign, everybody, learnt, priced, subsets};
use super::shown;
use crate::bar::percent;
use crate::failure::Failure;
use crate::ink::Ink;
use crate::table::{Side, Table, Tone, wrapped};

/// A secret and what may be spent on it.
pub struct Siege<'a> {
    /// Everybody's bit.
    pub secret: &'a [bool],
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

/// How the siege went.
pub struct Outcome {
    careless: Vec<Careless>,
    campaigns: Vec<Campaign>,
    afterwards: Afterwards,
    /// What counting people with the bit can tell, and what anything can.
    bounds: [f64; 2],
}

/// A publisher who answers everything.
struct Careless {
    name: String,
    answered: usize,
    recovery: Recovery,
}

/// A group for everybody, and what tells the bit in it.
const EVERYBODY: &str = "SELECT seat, COUNT(*) FILTER (WHERE secret) FROM answers GROUP BY seat";
const PLUS_MINUS: &str =
    "SELECT seat, SUM(CASE WHEN secret THEN 1 ELSE -1 END) FROM answers GROUP BY seat";
/// Into how many questions the budget goes when it buys few dear ones.
const FEW: u64 = 4;

/// Attacks.
pub fn besiege(siege: &Siege<'_>) -> Result<Outcome, Failure> {
    let secret = siege.secret;
    let total = Total::parse(siege.budget, siege.delta)?;
    let planned = secret.len().saturating_mul(siege.questions);
    let progress = progress_bar();
    let tick = |answered: usize, allowed: usize| {
        progress.set_length(allowed as u64);
        progress.set_position(answered as u64);
    };
    let main = subsets("random subsets", secret, &total, siege.epsilon, planned, &tick)?;
    let few = (total.epsilon.value().clone() / Rational::from(FEW)).to_string();
    let dear = subsets("few and dear", secret, &total, &few, planned, &tick)?.campaign;
    progress.finish_and_clear();
    let at_once = everybody("everybody at once", secret, &total, EVERYBODY)?;
    let plus_minus = everybody("plus or minus one", secret, &total, PLUS_MINUS)?;
    let first = main.queries.subsets().next().zip(main.answers.first());
    let (first, recorded) = first.ok_or_else(|| {
        Failure::Request("the budget does not hold one question\nhint: lower --epsilon, or raise --budget".to_owned())
    })?;
    let afterwards = afterwards(&main.house, &first, *recorded, &priced(siege.epsilon)?)?;
    let careless = [Answers::Exact, Answers::ErrorUpTo(siege.error)]
        .into_iter()
        .map(|answers| careless(secret, &main.planned.first(planned), &answers))
        .collect::<Result<Vec<_>, _>>()?;
    let prior = careless[0].recovery.fraction_blindly();
    let bounds = bounds(&main.campaign.granted, prior)?;
    let campaigns = vec![main.campaign, dear, at_once, plus_minus];
    Ok(Outcome { careless, campaigns, afterwards, bounds })
}

fn careless(secret: &[bool], queries: &Queries, answers: &Answers) -> Result<Careless, Failure> {
    let given = shown::drawn(|bits| {
        let mut oracle = SecretOracle::new(secret, answers, queries.count(), bits)?;
        Ok(queries.subsets().map_while(|subset| oracle.answer(&subset)).collect::<Vec<f64>>())
    })?;
    let recovery = learnt(queries, &given, None, secret)?;
    Ok(Careless { name: answers.to_string(), answered: given.len(), recovery })
}

/// With which probability a bit is guessed at most: by counting people who have it, and by anything.
fn bounds(granted: &Budget, prior: f64) -> Result<[f64; 2], Failure> {
    let loss = granted.amount.loss();
    let delta: f64 = granted.amount.delta().parse().unwrap_or(1.0);
    let prices = match granted.currency {
        Currency::Pure => {
            let epsilon = Epsilon::parse(&loss).map_err(Failure::request)?;
            let twice = epsilon.times(2).map_err(Failure::request)?;
            [Price::Pure(epsilon), Price::Pure(twice)]
        }
        Currency::Zcdp => {
            let rho = Rho::parse(&loss).map_err(Failure::request)?;
            let four = rho.times(4).map_err(Failure::request)?;
            [Price::Concentrated(rho), Price::Concentrated(four)]
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
    let style = ProgressStyle::with_template("asking {bar:40} {human_pos}/{human_len} answers");
    ProgressBar::new(0).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

impl Outcome {
    /// One object for scripts.
    pub fn json(&self) -> Value {
        let careless: Value = self
            .careless
            .iter()
            .map(|careless| {
                json!({
                    "answers": careless.name,
                    "answered": careless.answered,
                    "recovered": careless.recovery.fraction(),
                })
            })
            .collect();
        let campaigns: Value = self
            .campaigns
            .iter()
            .map(|campaign| {
                json!({
                    "strategy": campaign.name,
                    "price": campaign.price,
                    "answered": campaign.answered,
                    "refused": campaign.refused,
                    "granted": campaign.granted.amount.loss(),
                    "spent": campaign.spent.amount.loss(),
                    "recovered": campaign.recovery.fraction(),
                })
            })
            .collect();
        json!({ "careless": careless, "campaigns": campaigns, "bounds": self.bounds })
    }
}
