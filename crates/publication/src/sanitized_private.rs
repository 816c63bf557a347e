//! Made-up rows beside the rows that they resemble, as the curator released it: may be published.

use pointillist_catalog::Value;
use pointillist_curator::words::amount_upper;
use pointillist_curator::{Reply, Row};

/// How far made-up rows are from private ones, with noise and intervals.
#[derive(Clone, Debug, PartialEq)]
pub struct PrivateComparison {
    /// Over everything that was compared.
    pub mean: Option<PrivateDistance>,
    /// By pairs of columns or by columns, as the answer names them.
    pub parts: Vec<PrivateDistance>,
    /// What it cost, in words.
    pub price: String,
}

/// One distance: the share of rows that would have to be others.
#[derive(Clone, Debug, PartialEq)]
pub struct PrivateDistance {
    /// The columns that were compared, as the answer names them.
    pub part: String,
    /// The share.
    pub share: f64,
    /// Between which shares it lies with 95 %.
    pub interval: (f64, f64),
}

impl PrivateComparison {
    /// What a reply says that has all columns of an evaluation.
    pub fn new(reply: &Reply) -> Self {
        let place = |name: &str| reply.answer.columns.iter().position(|column| column.name == name);
        let number = |value: Option<&Option<Value>>| match value {
            Some(Some(Value::Number(number))) => Some(*number),
            _ => None,
        };
        let distance = |row: &Row| {
            let at = |name: &str| place(name).and_then(|place| row.values.get(place));
            let Some(Some(Value::Text(part))) = at("part") else { return None };
            let interval = (number(at("lower"))?, number(at("upper"))?);
            Some(PrivateDistance { part: part.clone(), share: number(at("value"))?, interval })
        };
        let all = reply.answer.rows.iter().filter_map(distance);
        let (means, parts): (Vec<_>, Vec<_>) = all.partition(|distance| distance.part == "mean");
        Self {
            mean: means.into_iter().next(),
            parts,
            price: amount_upper(reply.price.currency(), reply.price.amount()),
        }
    }
}
