//! Answers about graphs: one figure, or a distribution, with what it cost.

use pointillist_graph::{Distance, Estimate, Figure, SyntheticGraph};
use pointillist_privacy::Loss;
use serde::{Serialize, Serializer};

use super::answer::Number;
use super::reply::AccountJson;
use crate::answer::Answer;
use crate::one_off::OneOffQuote;
use crate::quote::GraphQuote;
use crate::reply::Reply;

/// Who keeps account of an answer about a graph.
#[derive(Clone, Copy, Debug)]
pub enum Account<'a> {
    /// The ledger.
    Charged(&'a Reply),
    /// Nobody: a one-off by the owner, at this loss.
    Uncharged(&'a Loss),
}

/// A loss that nobody charged, exactly.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum LossJson {
    /// As ε, with a δ where there is one.
    Epsilon {
        /// The ε, as a decimal.
        epsilon: String,
        /// The δ, as a decimal; none for a pure loss.
        #[serde(skip_serializing_if = "Option::is_none")]
        delta: Option<String>,
    },
    /// In words.
    Words(String),
}

impl From<&Loss> for LossJson {
    fn from(loss: &Loss) -> Self {
        match loss.approximate_epsilon() {
            Some((epsilon, delta)) => Self::Epsilon {
                epsilon: epsilon.to_string(),
                delta: (!delta.is_zero()).then(|| delta.to_string()),
            },
            None => Self::Words(loss.to_string()),
        }
    }
}

#[derive(Serialize)]
struct StatisticJson<'a, F: Serialize> {
    statistic: &'a str,
    #[serde(flatten)]
    figures: F,
    mechanism: &'static str,
    notes: &'a [String],
    #[serde(flatten)]
    account: Accounted<'a>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Accounted<'a> {
    Charged(Box<AccountJson<'a>>),
    Uncharged { cost: LossJson },
}

#[derive(Serialize)]
#[serde(untagged)]
enum OneFigure {
    Figure(EstimateJson),
    None { value: Option<f64> },
}

#[derive(Serialize)]
struct Degrees {
    at_least: Vec<EstimateJson>,
}

#[derive(Serialize)]
struct EstimateJson {
    #[serde(skip_serializing_if = "Option::is_none")]
    degree: Option<u64>,
    value: Number,
    error_95: Number,
    lower: Number,
    upper: Number,
}

#[derive(Serialize)]
struct MadeUpJson<D: Serialize, T: Serialize> {
    nodes: u32,
    ties: u64,
    ties_released: u64,
    degrees_off: u64,
    triangles: u64,
    triangles_released: u64,
    released: (D, T),
}

/// What is known of a one-off, which has no budget.
#[derive(Serialize)]
struct OneOffJson<'a> {
    #[serde(flatten)]
    quote: &'a GraphQuote,
    cost: LossJson,
    notes: [&'static str; 0],
}

impl From<&Estimate> for EstimateJson {
    fn from(estimate: &Estimate) -> Self {
        Self {
            degree: estimate.degree,
            value: match estimate.value {
                Figure::Whole(value) => {
                    i64::try_from(value).map_or_else(|_| Number::from(value as f64), Number::Whole)
                }
                Figure::Ratio(value) => Number::Float(value),
            },
            error_95: estimate.error_95().into(),
            lower: estimate.lower.into(),
            upper: estimate.upper.into(),
        }
    }
}

/// An answer that is one figure, under the name of its statistic; its value is null where the mechanism gave none.
pub fn figure<'a>(statistic: &'a str, answer: &'a Answer, account: Account<'a>) -> impl Serialize + 'a {
    let figures = match answer.estimates().first() {
        Some(estimate) => OneFigure::Figure(estimate.into()),
        None => OneFigure::None { value: None },
    };
    with_account(statistic, figures, answer, account)
}

/// A degree distribution: how many nodes have at least each degree.
pub fn degrees<'a>(answer: &'a Answer, account: Account<'a>) -> impl Serialize + 'a {
    let at_least = answer.estimates().iter().map(EstimateJson::from).collect();
    with_account("degrees", Degrees { at_least }, answer, account)
}

/// A made-up graph: how far it is from what was released, and the releases.
pub fn made_up<'a>(
    made_up: &SyntheticGraph,
    degrees: (&'a Answer, Account<'a>),
    triangles: (&'a Answer, Account<'a>),
) -> impl Serialize + 'a {
    let Distance { degrees: off, ties_wanted, ties, triangles_wanted, triangles: reached } = made_up.distance;
    MadeUpJson {
        nodes: made_up.graph.nodes(),
        ties,
        ties_released: ties_wanted,
        degrees_off: off,
        triangles: reached,
        triangles_released: triangles_wanted,
        released: (self::degrees(degrees.0, degrees.1), figure("triangles", triangles.0, triangles.1)),
    }
}

/// As for a quote of the catalog, without a budget.
impl Serialize for OneOffQuote {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        OneOffJson { quote: &self.quote, cost: (&self.loss).into(), notes: [] }.serialize(serializer)
    }
}

fn with_account<'a, F: Serialize>(
    statistic: &'a str,
    figures: F,
    answer: &'a Answer,
    account: Account<'a>,
) -> StatisticJson<'a, F> {
    let account = match account {
        Account::Charged(reply) => Accounted::Charged(Box::new(AccountJson::new(reply))),
        Account::Uncharged(loss) => Accounted::Uncharged { cost: loss.into() },
    };
    let mechanism = answer.mechanism().map_or("", crate::answer::Mechanism::name);
    StatisticJson { statistic, figures, mechanism, notes: &answer.notes, account }
}
