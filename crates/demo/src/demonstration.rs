//! Everything that is asked about the hospital, and what came back.

use pointillist_curator::{Ask, AskError, Curator, Reply};
use pointillist_query::Options;

use crate::differencing::{self, Differencing};
use crate::{DemoError, Hospital, QUESTIONS, Question};

/// Who asks.
pub const ANALYST: &str = "ana";
/// Who asks the first question too.
pub const OTHER_ANALYST: &str = "ben";
/// The questions that get no answer.
pub const FORBIDDEN: [&str; 2] =
    ["SELECT * FROM patients WHERE name = 'Ada Byron'", "SELECT condition FROM patients WHERE age = 101"];

/// A hospital, its curator, and what happened.
pub struct Demonstration {
    /// Nobody is in here.
    pub hospital: Hospital,
    /// The trusted party.
    pub curator: Curator,
    /// The answers to the [questions](QUESTIONS), in their order.
    pub replies: Vec<Reply>,
    /// The first question once more: by the same analyst, and by another.
    pub repeats: [Reply; 2],
    /// Why the [forbidden](FORBIDDEN) questions got no answer.
    pub refusals: Vec<AskError>,
    /// The attack.
    pub attack: Differencing,
}

impl Demonstration {
    /// Asks everything. What was asked in this folder before is free, and the same.
    ///
    /// # Errors
    /// When a question is not answered, and when one is that must not be.
    pub fn new(hospital: Hospital, curator: Curator) -> Result<Self, DemoError> {
        let ask = |analyst: &str, sql: &str, price: &[(&str, &str)]| -> Result<Reply, AskError> {
            let (sql, options) = (sql.to_owned(), options(price)?);
            curator.ask(&Ask { options, ..Ask::new(sql, analyst) })
        };
        let replies = QUESTIONS.iter().map(|question| ask(ANALYST, question.sql, question.options));
        let replies = replies.collect::<Result<Vec<_>, _>>()?;
        let Question { sql, options: price, .. } = QUESTIONS[0];
        let repeats = [ask(ANALYST, sql, price)?, ask(OTHER_ANALYST, sql, price)?];
        let refusals: Vec<AskError> =
            FORBIDDEN.iter().filter_map(|sql| ask(ANALYST, sql, price).err()).collect();
        if refusals.len() < FORBIDDEN.len() {
            return Err(DemoError::NotRefused);
        }
        let price = options(&[("epsilon", Differencing::EPSILON)])?;
        let attack = differencing::attack(&curator, ANALYST, &price)?;
        Ok(Self { hospital, curator, replies, repeats, refusals, attack })
    }
}

/// The options of a price.
fn options(price: &[(&str, &str)]) -> Result<Options, AskError> {
    let mut options = Options::default();
    for (name, value) in price {
        options.set(name, value)?;
    }
    Ok(options)
}
