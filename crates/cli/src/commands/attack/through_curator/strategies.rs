//! Ways to spend a budget on a secret: many questions or few, and one that asks about everybody at once.

use pointillist_attack::reconstruction::{Method, Queries, Recovery, Subset, decode};
use pointillist_catalog::Value;
use pointillist_curator::{Answer, Paid, Reply};
use pointillist_ledger::Budget;
use pointillist_noise::with_system_bits;
use pointillist_query::Options;

use super::house::{ATTACKER, House, Outcome, Total};
use crate::failure::Failure;

/// How the answers are decoded; it is quick, and good with noise of any kind.
pub const METHOD: Method = Method::LeastSquares;
/// After the first refusal the attacker insists so many times.
const INSISTING: usize = 9;
/// More answers than this take too long for a screen.
const ANSWERS_MOST: usize = 20_000;

/// What a strategy led to.
pub struct Campaign {
    /// Its name.
    pub name: &'static str,
    /// One of its questions.
    pub sql: String,
    /// The price of a question, as ε.
    pub price: String,
    /// How many questions were answered.
    pub answered: usize,
    /// How many were refused.
    pub refused: usize,
    /// What may be spent in all.
    pub granted: Budget,
    /// What the ledger says was spent.
    pub spent: Budget,
    /// How much of the secret the attacker has.
    pub recovery: Recovery,
    /// The curator's words when it refused.
    pub refusal: String,
}

/// The answers to random subsets.
pub struct Subsets {
    /// How it went.
    pub campaign: Campaign,
    /// All questions that were planned.
    pub planned: Queries,
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

/// Random subsets at a fixed price, until the door is shut, and a few times more. Plans `planned` questions, or as many
/// as it takes to reach the end of the budget.
pub fn subsets(
    name: &'static str,
    secret: &[bool],
    total: &Total,
    price: &str,
    planned: usize,
    tick: &dyn Fn(usize, usize),
) -> Result<Subsets, Failure> {
    let house = House::build(secret, total)?;
    let options = priced(price)?;
    let allowed = house.how_many("SELECT COUNT(*) FROM answers WHERE secret", &options)?;
    if allowed > ANSWERS_MOST {
        return Err(Failure::Request(format!(
            "at this price the budget holds {allowed} answers, more than anyone waits for\n\
             hint: raise --epsilon so that --budget holds at most {ANSWERS_MOST}"
        )));
    }
    let planned = planned.max(allowed + 1 + INSISTING);
    let drawn = with_system_bits(|bits| Queries::random(secret.len(), planned, bits));
    let drawn = drawn.map_err(Failure::request)??;
    let (mut rows, mut answers, mut deviation, mut refusals) = (Vec::new(), Vec::new(), 0.0, Vec::new());
    let mut example = String::new();
    for subset in drawn.subsets() {
        let sql = question(&subset);
        match house.ask(ATTACKER, &sql, &options)? {
            // A subset that was drawn before: the recorded answer, which is no news.
            Outcome::Answered(reply) if reply.paid == Paid::Nothing => {}
            Outcome::Answered(reply) if refusals.is_empty() => {
                rows.push((0..secret.len()).map(|seat| subset.contains(seat)).collect::<Vec<bool>>());
                answers.push(first_number(&reply)?);
                deviation = noise_deviation(&reply.answer);
                tick(answers.len(), allowed);
            }
            Outcome::Answered(_) => return Err(wrong("the door opened again after it had closed")),
            Outcome::Closed(words) => refusals.push(words),
        }
        if example.is_empty() {
            example = sql;
        }
        if refusals.len() > INSISTING {
            break;
        }
    }
    let queries = if rows.is_empty() { drawn.first(1) } else { Queries::from_rows(&rows)? };
    let (granted, spent) = house.balance()?;
    let recovery = learnt(&queries, &answers, Some(deviation), secret)?;
    let campaign = Campaign {
        name,
        sql: example,
        price: price.to_owned(),
        answered: answers.len(),
        refused: refusals.len(),
        granted,
        spent,
        recovery,
        refusal: refusals.first().cloned().unwrap_or_default(),
    };
    Ok(Subsets { campaign, planned: drawn, queries, answers, deviation, house })
}

/// One question for the whole budget, with a group for everybody; `sql` has the seat and a number that speaks for the
/// bit where it is positive.
pub fn everybody(
    name: &'static str,
    secret: &[bool],
    total: &Total,
    sql: &str,
) -> Result<Campaign, Failure> {
    let house = House::build(secret, total)?;
    let price = total.epsilon.to_string();
    let options = priced(&price)?;
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
    // The same for everybody with an even seat: another question, for which nothing is left.
    let refusal = match house.ask(ATTACKER, &sql.replace("FROM answers", "FROM answers WHERE seat % 2 = 0"), &options)? {
        Outcome::Closed(words) => words,
        Outcome::Answered(_) => return Err(wrong("a second question was answered from a budget for one")),
    };
    let (granted, spent) = house.balance()?;
    let recovery = Recovery::of(&guess, secret)?;
    Ok(Campaign { name, sql: sql.to_owned(), price, answered: 1, refused: 1, granted, spent, recovery, refusal })
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

/// A price as ε.
pub fn priced(epsilon: &str) -> Result<Options, Failure> {
    let mut options = Options::default();
    options.set("epsilon", epsilon)?;
    Ok(options)
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
        "the attack did not go as the curator promises: {what}\nhint: this is a mistake of ours; please report it"
    ))
}
