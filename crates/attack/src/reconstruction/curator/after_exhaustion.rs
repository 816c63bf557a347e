//! When the budget is spent: the first question again, the same in other words, and an accomplice who asks.

use pointillist_curator::Paid;
use pointillist_query::Options;
use serde::Serialize;

use super::campaign::{first_number, question};
use super::target::{ACCOMPLICE, ATTACKER, Response, Target};
use super::wrong;
use crate::AttackError;
use crate::reconstruction::Subset;

/// What still happened when the budget was spent.
#[derive(Clone, Debug, Serialize)]
pub struct AfterExhaustion {
    /// How often the first question was asked again: each time the recorded answer, for nothing.
    #[serde(rename = "repeated_for_free")]
    pub repeated: usize,
    /// Wordings in which the first question was recognised: the recorded answer, for nothing.
    #[serde(rename = "recognised_for_free")]
    pub recognised: usize,
    /// Wordings that made another question, which the budget did not hold.
    #[serde(rename = "reworded_refused")]
    pub refused: usize,
    /// The curator's words to an accomplice with a share of their own.
    pub accomplice: String,
}

/// How often the question is repeated.
const REPEATS: usize = 5;

/// Asks when nothing is left. Every answer that is not the recorded one would be a leak, and is an error.
pub(super) fn ask_again(
    target: &Target,
    first: &Subset<'_>,
    recorded: f64,
    options: &Options,
) -> Result<AfterExhaustion, AttackError> {
    let before = target.balance()?;
    let is_recorded = |sql: &str| match target.ask(ATTACKER, sql, options)? {
        Response::Closed(_) => Ok(false),
        Response::Answered(reply) if reply.paid == Paid::Nothing && first_number(&reply)? == recorded => {
            Ok::<bool, AttackError>(true)
        }
        Response::Answered(_) => Err(wrong("a closed door gave a new answer")),
    };
    for _ in 0..REPEATS {
        if !is_recorded(&question(first))? {
            return Err(wrong("an answer that was paid for was refused"));
        }
    }
    let (mut recognised, mut refused) = (0, 0);
    for sql in wordings(first) {
        match is_recorded(&sql)? {
            true => recognised += 1,
            false => refused += 1,
        }
    }
    let another = question(first).replace("secret AND", "NOT secret AND");
    let Response::Closed(accomplice) = target.ask(ACCOMPLICE, &another, options)? else {
        return Err(wrong("an accomplice got an answer that the budget does not hold"));
    };
    if target.balance()? != before {
        return Err(wrong("the ledger moved at the closed door"));
    }
    Ok(AfterExhaustion { repeated: REPEATS, recognised, refused, accomplice })
}

/// The same question in other words: some make the same plan, some another.
fn wordings(subset: &Subset<'_>) -> Vec<String> {
    let list = |seats: &mut dyn Iterator<Item = usize>| {
        seats.map(|seat| seat.to_string()).collect::<Vec<String>>().join(",")
    };
    let inside = list(&mut subset.members());
    let backwards = list(&mut (0..subset.people()).rev().filter(|seat| subset.contains(*seat)));
    let outside = list(&mut (0..subset.people()).filter(|seat| !subset.contains(*seat)));
    vec![
        format!("select count(*) as n from answers where secret and seat in ({inside})"),
        format!(
            "SELECT COUNT(*) FROM (SELECT * FROM answers WHERE secret) WHERE seat IN ({inside}) -- once more"
        ),
        format!("SELECT COUNT(*) FROM answers WHERE secret AND seat IN ({backwards})"),
        format!("SELECT COUNT(*) FROM answers WHERE seat IN ({inside}) AND secret"),
        format!("SELECT COUNT(*) FROM answers WHERE secret AND seat NOT IN ({outside})"),
        format!("SELECT COUNT(*) FILTER (WHERE secret) FROM answers WHERE seat IN ({inside})"),
        format!("SELECT COUNT(*) FROM answers WHERE secret AND seat + 0 IN ({inside})"),
        format!("SELECT SUM(CASE WHEN secret AND seat IN ({inside}) THEN 1 ELSE 0 END) FROM answers"),
    ]
}
