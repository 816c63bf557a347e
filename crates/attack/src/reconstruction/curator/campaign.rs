//! Ways to spend a budget on a secret: many questions or few, and one that asks about everybody at once.

use std::collections::HashSet;

use pointillist_catalog::Value;
use pointillist_curator::{Paid, Reply};
use pointillist_noise::SecureBits;
use pointillist_privacy::{Amount, Currency, Epsilon, Rho};
use pointillist_query::Options;
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use super::target::{ATTACKER, Balance, Quote, Response, Target, Total};
use super::{Progress, wrong};
use crate::AttackError;
use crate::reconstruction::{Method, Oracle, Queries, Recovery, Subset, attack_with};

/// How the answers are decoded; it is quick, and good with noise of any kind.
pub(super) const METHOD: Method = Method::LeastSquares;
/// After the first refusal the attacker insists so many times.
const INSISTING: usize = 9;
/// More answers than this take too long for a screen.
const ANSWERS_MAX: usize = 20_000;

/// What a question is worth to the attacker.
pub(super) enum Worth {
    /// The ε that the attacker names.
    Epsilon(Epsilon),
    /// One of so many equal parts of the budget.
    Part(u128),
}

/// What a way to spend the budget led to.
#[derive(Clone, Debug)]
pub struct Campaign {
    /// What the attacker does, in a few words.
    pub strategy: &'static str,
    /// The price of each question.
    pub price: Amount,
    /// How many questions were answered.
    pub answered: usize,
    /// How many were refused.
    pub refused: usize,
    /// What the ledger says about the budget in the end.
    pub balance: Balance,
    /// How much of the secret the attacker has.
    pub recovery: Recovery,
    /// The curator's words when it refused.
    pub refusal: String,
}

/// The answers to random subsets.
pub(super) struct Subsets {
    /// What the way to spend the budget led to.
    pub(super) campaign: Campaign,
    /// The questions; the first of them were answered.
    pub(super) queries: Queries,
    /// The answers, with their noise, in the order of the questions.
    pub(super) answers: Vec<f64>,
    /// The standard deviation of their noise, which the curator states.
    pub(super) deviation: f64,
    /// The curator with its closed door.
    pub(super) target: Target,
}

/// A curator as an oracle: counts for a price, until the budget ends.
struct CuratorOracle<'a> {
    target: &'a Target,
    options: &'a Options,
    quote: Quote,
    answers: Vec<f64>,
    /// The curator's words when it refused.
    refusal: Option<String>,
    /// What went wrong, where something else than the budget ended the answers.
    failure: Option<AttackError>,
    progress: &'a mut dyn FnMut(Progress),
}

impl Oracle for CuratorOracle<'_> {
    fn answer(&mut self, subset: &Subset<'_>) -> Option<f64> {
        match fresh_count(self.target, subset, self.options) {
            Ok(Ok(answer)) => {
                self.answers.push(answer);
                (self.progress)(Progress { answered: self.answers.len(), allowed: self.quote.allowed });
                Some(answer)
            }
            Ok(Err(words)) => {
                self.refusal = Some(words);
                None
            }
            Err(error) => {
                self.failure = Some(error);
                None
            }
        }
    }

    fn error_deviation(&self) -> Option<f64> {
        Some(self.quote.deviation)
    }
}

/// A count that was paid for, or the words of a refusal.
fn fresh_count(
    target: &Target,
    subset: &Subset<'_>,
    options: &Options,
) -> Result<Result<f64, String>, AttackError> {
    match target.ask(ATTACKER, &question(subset), options)? {
        Response::Closed(words) => Ok(Err(words)),
        Response::Answered(reply) if reply.paid == Paid::Nothing => {
            Err(wrong("a question that was not asked before was answered for nothing"))
        }
        Response::Answered(reply) => Ok(Ok(first_number(&reply)?)),
    }
}

/// How many of these people have the bit?
pub(super) fn question(subset: &Subset<'_>) -> String {
    let seats: Vec<String> = subset.members().map(|seat| seat.to_string()).collect();
    match seats.is_empty() {
        // An empty list is no SQL.
        true => "SELECT COUNT(*) FROM answers WHERE secret AND seat < 0".to_owned(),
        false => format!("SELECT COUNT(*) FROM answers WHERE secret AND seat IN ({})", seats.join(", ")),
    }
}

/// Random subsets at a fixed price, until the door is shut, and a few times more. Starts with the subsets
/// given, and draws as many as it takes to reach the end of the budget.
pub(super) fn subsets(
    strategy: &'static str,
    secret: &[bool],
    total: &Total,
    worth: &Worth,
    start: &Queries,
    bits: &mut dyn SecureBits,
    progress: &mut dyn FnMut(Progress),
) -> Result<Subsets, AttackError> {
    let target = Target::new(secret, total)?;
    let options = worth.options(&target.balance()?)?;
    let quote = target.quote("SELECT COUNT(*) FROM answers WHERE secret", &options)?;
    let Quote { price, allowed, deviation } = quote;
    if allowed > ANSWERS_MAX {
        return Err(AttackError::new(
            format!("at this price the budget holds {allowed} answers, more than anyone waits for"),
            format!("raise the ε of each question so that the budget holds at most {ANSWERS_MAX}"),
        ));
    }
    let more = Queries::random(secret.len(), allowed + 1 + INSISTING, bits)?;
    let queries = distinct(start.subsets().chain(more.subsets()), allowed + 1 + INSISTING)?;
    let mut oracle = CuratorOracle {
        target: &target,
        options: &options,
        quote,
        answers: Vec::new(),
        refusal: None,
        failure: None,
        progress,
    };
    let recovery = attack_with(&queries, METHOD, &mut oracle)?.recovery(secret)?;
    let CuratorOracle { answers, refusal, failure, .. } = oracle;
    failure.map_or(Ok(()), Err)?;
    let refusal = refusal.ok_or_else(|| wrong("the budget did not end"))?;
    let mut refused = 1;
    for subset in queries.subsets().skip(answers.len() + 1) {
        fresh_count(&target, &subset, &options)?
            .err()
            .ok_or_else(|| wrong("the door opened again after it had closed"))?;
        refused += 1;
    }
    let balance = target.balance()?;
    let answered = answers.len();
    let campaign = Campaign { strategy, price, answered, refused, balance, recovery, refusal };
    Ok(Subsets { campaign, queries, answers, deviation, target })
}

/// The first few of some subsets, each once: the same question again would get the recorded answer, which is no news.
fn distinct<'a>(subsets: impl Iterator<Item = Subset<'a>>, count: usize) -> Result<Queries, AttackError> {
    let mut seen = HashSet::new();
    let flags = |subset: Subset<'_>| (0..subset.people()).map(|seat| subset.contains(seat)).collect();
    let rows: Vec<Vec<bool>> =
        subsets.map(flags).filter(|row: &Vec<bool>| seen.insert(row.clone())).take(count).collect();
    Queries::from_rows(&rows)
}

/// One question for the whole budget, with a group for everybody; `sql` has the seat and a number that speaks
/// for the bit where it is positive.
pub(super) fn everybody(
    strategy: &'static str,
    secret: &[bool],
    total: &Total,
    sql: &str,
) -> Result<Campaign, AttackError> {
    let target = Target::new(secret, total)?;
    let options = Worth::Part(1).options(&target.balance()?)?;
    let price = target.quote(sql, &options)?.price;
    let Response::Answered(reply) = target.ask(ATTACKER, sql, &options)? else {
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
    let refusal = match target.ask(ATTACKER, "SELECT COUNT(*) FROM answers WHERE secret", &options)? {
        Response::Closed(words) => words,
        Response::Answered(_) => return Err(wrong("a second question was answered from a budget for one")),
    };
    let (balance, recovery) = (target.balance()?, Recovery::of(&guess, secret)?);
    Ok(Campaign { strategy, price, answered: 1, refused: 1, balance, recovery, refusal })
}

impl Worth {
    /// As the curator takes it. A part is rounded down to whole units of the ledger, so that all parts fit.
    pub(super) fn options(&self, balance: &Balance) -> Result<Options, AttackError> {
        let mut options = Options::default();
        match (self, balance.currency) {
            (Self::Epsilon(epsilon), _) => options.epsilon = Some(epsilon.clone()),
            (Self::Part(parts), currency) => {
                let loss_units = balance.granted.loss_units / parts;
                let loss = Amount { loss_units, delta_units: 0 }.loss();
                match currency {
                    Currency::Pure => options.epsilon = Some(Epsilon::new(loss)?),
                    Currency::Zcdp => options.rho = Some(Rho::new(loss)?),
                }
            }
        }
        Ok(options)
    }
}

/// The number of an answer that has one.
pub(super) fn first_number(reply: &Reply) -> Result<f64, AttackError> {
    match reply.answer.rows.first().and_then(|row| row.values.first()) {
        Some(Some(value)) => number(value),
        _ => Err(wrong("a count came without a number")),
    }
}

fn number(value: &Value) -> Result<f64, AttackError> {
    match value {
        Value::Integer(value) => Ok(*value as f64),
        Value::Number(value) => Ok(*value),
        _ => Err(wrong("a count is not a number")),
    }
}

impl Serialize for Campaign {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut members = serializer.serialize_struct("Campaign", 8)?;
        members.serialize_field("strategy", self.strategy)?;
        members.serialize_field("price", &self.price.loss().to_string())?;
        members.serialize_field("answered", &self.answered)?;
        members.serialize_field("refused", &self.refused)?;
        members.serialize_field("granted", &self.balance.granted.loss().to_string())?;
        members.serialize_field("spent", &self.balance.spent.loss().to_string())?;
        members.serialize_field("recovered", &self.recovery.fraction())?;
        members.serialize_field("refusal", &self.refusal)?;
        members.end()
    }
}
