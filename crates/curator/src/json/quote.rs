//! What an answer would cost and how wrong it may be.

use pointillist_learn::Family;
use pointillist_numbers::{Rational, decimal_upper};
use pointillist_render::decimals::exact;
use serde::{Serialize, Serializer};

use super::answer::Number;
use super::reply::CostJson;
use crate::answer::SCALE_DIGITS;
use crate::quote::{
    AggregateQuote, GraphQuote, PricePart, Quote, QuoteKeys, QuoteSubject, RowQuote, StatementQuote,
};

#[derive(Serialize)]
struct QuoteJson<'a> {
    scope: &'a str,
    cost: CostJson,
    free: bool,
    budget: MoreJson,
    notes: &'a [String],
    #[serde(flatten)]
    subject: SubjectJson<'a>,
}

#[derive(Serialize)]
struct MoreJson {
    more: Option<u64>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum SubjectJson<'a> {
    Rows(Box<RowQuoteJson<'a>>),
    Statement(StatementQuoteJson<'a>),
    Graph(GraphQuoteJson<'a>),
    Model(ModelQuoteJson<'a>),
    Table(TableQuoteJson<'a>),
    Evaluation(EvaluationQuoteJson<'a>),
}

#[derive(Serialize)]
struct RowQuoteJson<'a> {
    reads: ReadsJson<'a>,
    max_groups: u64,
    max_contributions: u64,
    keys: &'static str,
    groups: Option<usize>,
    earned: Option<EarnedJson>,
    split: Vec<PartJson>,
    aggregates: Vec<AggregateJson<'a>>,
    plan: &'a str,
}

#[derive(Serialize)]
struct StatementQuoteJson<'a> {
    split: Vec<PartJson>,
    releases: Vec<ReleaseJson<'a>>,
    plan: &'a str,
}

#[derive(Serialize)]
struct ReleaseJson<'a> {
    cost: CostJson,
    #[serde(flatten)]
    rows: RowQuoteJson<'a>,
}

#[derive(Serialize)]
struct ReadsJson<'a> {
    table: &'a str,
    columns: &'a [String],
    privacy_unit: &'a str,
}

#[derive(Serialize)]
struct EarnedJson {
    threshold: String,
    people_95: String,
}

#[derive(Serialize)]
struct PartJson {
    price: String,
    r#for: String,
}

#[derive(Serialize)]
struct AggregateJson<'a> {
    name: &'a str,
    mechanism: &'static str,
    scale: Option<String>,
    error_95: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rank_error_95: Option<f64>,
    grid: String,
}

#[derive(Serialize)]
struct ModelQuoteJson<'a> {
    model: &'static str,
    mechanism: &'static str,
    tables: &'a str,
    max_contributions: u32,
    features: usize,
    outlook: &'a [String],
}

#[derive(Serialize)]
struct TableQuoteJson<'a> {
    method: &'static str,
    mechanism: &'static str,
    tables: &'a str,
    max_contributions: u32,
    columns: &'a [String],
    outlook: &'a [String],
}

#[derive(Serialize)]
struct EvaluationQuoteJson<'a> {
    evaluates: &'a str,
    model: Option<&'static str>,
    measure: &'static str,
    mechanism: &'static str,
    tables: &'a str,
    max_contributions: u32,
    outlook: &'a [String],
}

#[derive(Serialize)]
struct GraphQuoteJson<'a> {
    statistic: String,
    privacy: String,
    mechanism: &'static str,
    error_95: Option<Number>,
    outlook: &'a [String],
}

impl<'a> From<&'a RowQuote> for RowQuoteJson<'a> {
    fn from(rows: &'a RowQuote) -> Self {
        let aggregate = |AggregateQuote { name, noise, .. }: &'a AggregateQuote| AggregateJson {
            name,
            mechanism: noise.law.name(),
            // Where an aggregate is made of several noises, none of their scales is its own.
            scale: (noise.measures.len() == 1 || noise.rank_error_95.is_some())
                .then(|| decimal_upper(&noise.scale_upper, SCALE_DIGITS)),
            error_95: noise.error_95.as_ref().map(Rational::to_f64_upper),
            rank_error_95: noise.rank_error_95.as_ref().map(|rows| rows.to_f64_upper().ceil()),
            grid: exact(&noise.step),
        };
        let (keys, earned) = match rows.keys {
            QuoteKeys::One => ("none", None),
            QuoteKeys::Public => ("public", None),
            QuoteKeys::Earned(keys) => {
                let [threshold, people_95] = [keys.threshold, keys.people_95].map(|count| count.to_string());
                ("earned", Some(EarnedJson { threshold, people_95 }))
            }
        };
        Self {
            reads: ReadsJson {
                table: &rows.table,
                columns: &rows.columns,
                privacy_unit: rows.privacy_unit(),
            },
            max_groups: rows.groups_max,
            max_contributions: rows.rows_max,
            keys,
            groups: rows.groups,
            earned,
            split: rows.split().into_iter().map(PartJson::from).collect(),
            aggregates: rows.aggregates.iter().map(aggregate).collect(),
            plan: &rows.plan,
        }
    }
}

impl From<PricePart> for PartJson {
    fn from(PricePart { price, buys }: PricePart) -> Self {
        Self { price, r#for: buys }
    }
}

impl<'a> From<&'a StatementQuote> for StatementQuoteJson<'a> {
    fn from(statement: &'a StatementQuote) -> Self {
        let releases = statement.releases.iter();
        let release = |release: &'a crate::quote::ReleaseQuote| ReleaseJson {
            cost: CostJson::new(&release.price, None),
            rows: RowQuoteJson::from(&release.rows),
        };
        Self {
            split: statement.split().into_iter().map(PartJson::from).collect(),
            releases: releases.map(release).collect(),
            plan: &statement.plan,
        }
    }
}

impl<'a> From<&'a GraphQuote> for GraphQuoteJson<'a> {
    fn from(graph: &'a GraphQuote) -> Self {
        Self {
            statistic: graph.statistic.to_string(),
            privacy: graph.privacy.to_string(),
            mechanism: graph.mechanism,
            error_95: graph.error_95.map(Number::from),
            outlook: &graph.outlook,
        }
    }
}

impl Serialize for GraphQuote {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        GraphQuoteJson::from(self).serialize(serializer)
    }
}

impl Serialize for Quote {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let quote = QuoteJson {
            scope: &self.scope,
            cost: CostJson::new(&self.price, self.epsilon_at_delta.as_ref()),
            free: self.is_free,
            budget: MoreJson { more: self.more },
            notes: &self.notes,
            subject: match &self.subject {
                QuoteSubject::Rows(rows) => SubjectJson::Rows(Box::new(rows.as_ref().into())),
                QuoteSubject::Statement(statement) => SubjectJson::Statement(statement.into()),
                QuoteSubject::Graph(graph) => SubjectJson::Graph(graph.into()),
                QuoteSubject::Table(table) => SubjectJson::Table(TableQuoteJson {
                    method: table.method.name(),
                    mechanism: table.mechanism,
                    tables: &table.tables,
                    max_contributions: table.rows_max,
                    columns: &table.columns,
                    outlook: &table.outlook,
                }),
                QuoteSubject::Evaluation(it) => SubjectJson::Evaluation(EvaluationQuoteJson {
                    evaluates: &it.name,
                    model: it.family.map(Family::name),
                    measure: it.measure,
                    mechanism: it.mechanism,
                    tables: &it.tables,
                    max_contributions: it.rows_max,
                    outlook: &it.outlook,
                }),
                QuoteSubject::Model(model) => SubjectJson::Model(ModelQuoteJson {
                    model: model.family.name(),
                    mechanism: model.mechanism,
                    tables: &model.tables,
                    max_contributions: model.rows_max,
                    features: model.features,
                    outlook: &model.outlook,
                }),
            },
        };
        quote.serialize(serializer)
    }
}
