//! Ways to spend a budget on a secret: many questions or few, and one that asks about everybody at once.

use indicatif::ProgressBar;
use pointillist_attack::reconstruction::{Method, Queries, Recovery, Subset, decode};
use pointillist_catalog::Value;
use pointillist_curator::{Answer, Paid, Reply};
use pointillist_privacy::{Amount, Currency, Epsilon, Rho};
use pointillist_query::Options;

use super::super::output::draw;
use super::house::{ATTACKER, Granted, House, Outcome, Total};
use crate::failure::Failure;

/// How the answers are decoded; it is quick, and good with noise of any kind.
pub const METHOD: Method = Method::LeastSquares;
/// After the first refusal the attacker insists so many times.
const INSISTING: usize = 9;
/// More answers than this take too long for a screen.
const ANSWERS_MOST: usize = 20_000;

/// What a question is worth to the attacker.
pub enum Worth {
    /// This ε.
    Epsilon(String),
    /// One of so many equal parts of the budget.
    Part(u128),
}

/// What a strategy led to.
pub struct Campaign {
    /// Its name.
    pub name: &'static str,
    /// The price of each question.
    pub price: Amount,
    /// How many questions were answered.
    pub answered: usize,
    /// How many were refused.
    pub refused: usize,
    /// What the ledger says about the budget in the end.
    pub balance: Granted,
    /// How much of the secret the attacker has.
    pub recovery: Recovery,
    /// The curator's words when it refused.
    pub refusal: String,
}

/// The answers to random subsets.
pub struct Subsets {
    /// How it went.
    pub campaign: Campaign,
    /// Those that were answered; where none was, one that was not.
    pub queries: Queries,
    /// The answers.
    pub answers: Vec<f64>,
    /// The standard deviation of their noise, which the curator states.
    pub deviation: f64,
    /// The house with its closed door.
    pub house: House,
}

/// How many of these people have the bit?
pub fn question(subset: &Subset<'_>) -> String {
    let seats: Vec<String> = subset.members().map(|seat| seat.to_string()).collect();
    match seats.is_empty() {
        // An empty list is no SQL.
        true => "SELECT COUNT(*) FROM answers WHERE secret AND seat < 0".to_owned(),
        false => format!("SELECT COUNT(*) FROM answers WHERE secret AND seat IN ({})", seats.join(", ")),
    }
}

/// Random subsets at a fixed price, until the door is shut, and a few times more. Starts with the subsets
/// given, and draws as many as it takes to reach the end of the budget.
pub fn subsets(
    name: &'static str,
    secret: &[bool],
    total: &Total,
    worth: &Worth,
    start: &Queries,
    progress: &ProgressBar,
) -> Result<Subsets, Failure> {
    let house = House::build(secret, total)?;
    let options = worth.options(&house.balance()?)?;
    let (price, allowed) = house.quote("SELECT COUNT(*) FROM answers WHERE secret", &options)?;
    if allowed > ANSWERS_MOST {
        return Err(Failure::Request(format!(
            "at this price the budget holds {allowed} answers, more than anyone waits for\n\
             hint: raise --epsilon so that --budget holds at most {ANSWERS_MOST}"
        )));
    }
    progress.set_length(allowed as u64);
    progress.set_position(0);
    let more = draw("asking", |bits| Queries::random(secret.len(), allowed + 1 + INSISTING, bits))?;
    let (mut rows, mut answers, mut deviation, mut refusals) = (Vec::new(), Vec::new(), 0.0, Vec::new());
    for subset in start.subsets().chain(more.subsets()) {
        match house.ask(ATTACKER, &question(&subset), &options)? {
            // A subset that was drawn before: the recorded answer, which is no news.
            Outcome::Answered(reply) if reply.paid == Paid::Nothing => {}
            Outcome::Answered(reply) if refusals.is_empty() => {
                rows.push((0..secret.len()).map(|seat| subset.contains(seat)).collect::<Vec<bool>>());
                answers.push(first_number(&reply)?);
                deviation = noise_deviation(&reply.answer);
                progress.inc(1);
            }
            Outcome::Answered(_) => return Err(wrong("the door opened again after it had closed")),
            Outcome::Closed(words) => refusals.push(words),
        }
        if refusals.len() > INSISTING {
            break;
        }
    }
    let queries = if rows.is_empty() { start.first(1) } else { Queries::from_rows(&rows)? };
    let campaign = Campaign {
        name,
        price,
        answered: answers.len(),
        refused: refusals.len(),
        balance: house.balance()?,
        recovery: learnt(&queries, &answers, Some(deviation), secret)?,
        refusal: refusals.first().cloned().unwrap_or_default(),
    };
    Ok(Subsets { campaign, queries, answers, deviation, house })
}

/// One question for the whole budget, with a group for everybody; `sql` has the seat and a number that speaks
/// for the bit where it is positive.
pub fn everybody(name: &'static str, secret: &[bool], total: &Total, sql: &str) -> Result<Campaign, Failure> {
    let house = House::build(secret, total)?;
    let options = Worth::Part(1).options(&house.balance()?)?;
    let (price, _) = house.quote(sql, &options)?;
    let Outcome::Answered(reply) = house.ask(ATTACKER, sql, &options)? else {
        return Err(wrong("the budget does not hold one question at its own price"));
    };
    let mut guess = vec![false; secret.len()];
    for row in &reply.answer.rows {
        let [Some(Value::Integer(seat)), Some(value)] = &row.values[..] else {
            return Err(wrong("a group has no seat or no number"));
        };
        let guessed = usize::try_from(*seat).ok().and_then(|seat| guess.get_mut(seat));
        *guessed.ok_or_else(|| wrong("there is a seat that nobody declared"))? = number(value)? > 0.0;
    }
    let refusal = match house.ask(ATTACKER, "SELECT COUNT(*) FROM answers WHERE secret", &options)? {
        Outcome::Closed(words) => words,
        Outcome::Answered(_) => return Err(wrong("a second question was answered from a budget for one")),
    };
    let recovery = Recovery::of(&guess, secret)?;
    Ok(Campaign { name, price, answered: 1, refused: 1, balance: house.balance()?, recovery, refusal })
}

/// What these answers tell of the secret.
pub fn learnt(
    queries: &Queries,
    answers: &[f64],
    deviation: Option<f64>,
    secret: &[bool],
) -> Result<Recovery, Failure> {
    if answers.is_empty() {
        return Ok(Recovery::of(&vec![false; secret.len()], secret)?);
    }
    let (estimates, _) = decode(&queries.first(answers.len()), answers, METHOD, deviation)?;
    let guess: Vec<bool> = estimates.iter().map(|estimate| *estimate > 0.5).collect();
    Ok(Recovery::of(&guess, secret)?)
}

impl Worth {
    /// As the curator takes it. A part is rounded down to whole units of the ledger, so that all parts fit.
    pub fn options(&self, balance: &Granted) -> Result<Options, Failure> {
        let mut options = Options::default();
        match (self, balance.currency) {
            (Self::Epsilon(epsilon), _) => options.set("epsilon", epsilon)?,
            (Self::Part(parts), currency) => {
                let loss_units = balance.granted.loss_units / parts;
                let loss = Amount { loss_units, delta_units: 0 }.loss();
                match currency {
                    Currency::Pure => options.epsilon = Some(Epsilon::new(loss).map_err(Failure::request)?),
                    Currency::Zcdp => options.rho = Some(Rho::new(loss).map_err(Failure::request)?),
                }
            }
        }
        Ok(options)
    }
}

/// The number of an answer that has one.
pub fn first_number(reply: &Reply) -> Result<f64, Failure> {
    match reply.answer.rows.first().and_then(|row| row.values.first()) {
        Some(Some(value)) => number(value),
        _ => Err(wrong("a count came without a number")),
    }
}

fn number(value: &Value) -> Result<f64, Failure> {
    match value {
        Value::Integer(value) => Ok(*value as f64),
        Value::Number(value) => Ok(*value),
        _ => Err(wrong("a count is not a number")),
    }
}

/// The curator states its noise: what decodes best knows it.
fn noise_deviation(answer: &Answer) -> f64 {
    let Some(release) = answer.columns.first().and_then(|column| column.release.as_ref()) else {
        return 0.0;
    };
    let scale: f64 = release.scale.parse().unwrap_or(0.0);
    if release.mechanism.contains("laplace") { scale * 2f64.sqrt() } else { scale }
}

/// What must not happen: the attack says so instead of calling it a success of either side.
pub fn wrong(what: &str) -> Failure {
    Failure::Environment(format!(
        "the attack did not go as the curator promises: {what}\n\
         hint: this is a mistake of ours; please report it"
    ))
}
