//! What an answer would cost and how wrong it may be, before anything is paid.
//!
//! **Guarantee.** A quote is free and leaks nothing: it is a function of the question, the catalog, the public list of
//! nodes of a graph and, of the ledger, of what the asker may see anyway, their own past and what is left to them. It
//! opens no file of rows and writes nothing.

use std::path::Path;
use std::sync::Arc;

use pointillist_catalog::Catalog;
use pointillist_graph::{Mechanism, Privacy, Question as GraphStatement, Statistic};
use pointillist_learn::Family;
use pointillist_ledger::Question;
use pointillist_numbers::Rational;
use pointillist_plan::{
    AggregateNoise, Formula, KeyThreshold, MeasureNoise, Ownership, PrivatePlan, StatementPlan,
};
use pointillist_privacy::{EpsilonDelta, Price, Spend};
use pointillist_query::{EvaluationSubject, Statement};
use pointillist_render::decimals::glance_upper;
use pointillist_synth::Method;

use crate::ask::{Ask, admit_statement, priceless};
use crate::basket::{Alone, Basket, Bill};
use crate::books::Books;
use crate::curator::Curator;
use crate::error::AskError;
use crate::graphs::{declared, declared_node_count, mechanism};
use crate::held_reading::as_held;
use crate::home::Home;
use crate::order::{Invoice, Order};
use crate::rows::RowQuestion;
use crate::single_flight::Flight;
use crate::statement_memory::Understood;
use crate::words::amount_upper;

/// Means are quoted for groups of this many rows.
pub const TYPICAL_ROWS: u64 = 10_000;

/// What an answer would cost and how wrong it may be.
#[derive(Clone, Debug)]
pub struct Quote {
    /// The population whose budget would pay.
    pub scope: String,
    /// Who would ask.
    pub analyst: String,
    /// What the answer costs.
    pub price: Price,
    /// The price in ε at the δ that the owner reads ε at, rounded up; `None` for pure scopes and sums that have no ε.
    pub epsilon_at_delta: Option<EpsilonDelta>,
    /// Whether the asker has paid for this answer before, so that it is free.
    pub is_free: bool,
    /// How many such questions the asker's budget holds; `None` where the population has no budget yet.
    pub more: Option<u64>,
    /// What is asked about.
    pub subject: QuoteSubject,
    /// What to know before buying it, in words.
    pub notes: Vec<String>,
}

/// What a quote is about.
#[derive(Clone, Debug)]
pub enum QuoteSubject {
    /// Rows, in one release whose answer is the statement's.
    Rows(Box<RowQuote>),
    /// Rows, in one or several releases from which the answer is computed.
    Statement(StatementQuote),
    /// A graph.
    Graph(GraphQuote),
    /// A model.
    Model(ModelQuote),
    /// A sanitized table.
    Table(TableQuote),
    /// What a public model or table is worth.
    Evaluation(EvaluationQuote),
}

/// What is known in advance about an answer from rows.
#[derive(Clone, Debug)]
pub struct RowQuote {
    /// The table that is read.
    pub table: String,
    /// The columns that are read.
    pub columns: Vec<String>,
    /// Whose rows they are.
    pub owner: Ownership,
    /// In how many groups one person counts at most.
    pub groups_max: u64,
    /// With how many rows in each.
    pub rows_max: u64,
    /// How groups come about.
    pub keys: QuoteKeys,
    /// How many groups there are, where they are public.
    pub groups: Option<usize>,
    /// The aggregates that the question names.
    pub aggregates: Vec<AggregateQuote>,
    /// The measures that are released, each with its part of the price.
    pub measures: Vec<MeasureNoise>,
    /// What the choice of keys costs, where they are earned.
    pub keys_price: Option<Price>,
    /// The plan as a tree, for people to read.
    pub plan: String,
}

/// What is known in advance about an answer that is computed from releases.
#[derive(Clone, Debug)]
pub struct StatementQuote {
    /// The releases, each with its own price.
    pub releases: Vec<ReleaseQuote>,
    /// The plan as a tree, for people to read.
    pub plan: String,
}

/// What is known in advance about one of several releases.
#[derive(Clone, Debug)]
pub struct ReleaseQuote {
    /// What it costs, alone.
    pub price: Price,
    /// What it reads and how wrong its numbers may be.
    pub rows: RowQuote,
}

/// How groups come about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuoteKeys {
    /// The question has no keys: all rows are one group.
    One,
    /// All are declared, and all are shown.
    Public,
    /// A key is shown when enough people have it.
    Earned(KeyThreshold),
}

/// A part of a price, and what it buys, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PricePart {
    /// The part.
    pub price: String,
    /// What it buys.
    pub buys: String,
}

/// What is known in advance about an aggregate.
#[derive(Clone, Debug)]
pub struct AggregateQuote {
    /// As the question writes it.
    pub name: String,
    /// Its noise.
    pub noise: AggregateNoise,
    /// About how wrong a mean of [`TYPICAL_ROWS`] rows may be; `None` for all else.
    pub error_typical: Option<Rational>,
}

/// What is known in advance about a graph's statistic.
#[derive(Clone, Debug)]
pub struct GraphQuote {
    /// What is asked.
    pub statistic: Statistic,
    /// What is protected.
    pub privacy: Privacy,
    /// The mechanism's name.
    pub mechanism: &'static str,
    /// With 95 % the noise stays within this; `None` where that depends on the graph, and comes with the answer.
    pub error_95: Option<f64>,
    /// What to expect, in words.
    pub outlook: Vec<String>,
}

/// What is known in advance about a model.
#[derive(Clone, Debug)]
pub struct ModelQuote {
    /// The kind of model.
    pub family: Family,
    /// How it is made private.
    pub mechanism: &'static str,
    /// What is read, in words.
    pub tables: String,
    /// Whose rows they are.
    pub owner: Ownership,
    /// How many rows of one person are used at most.
    pub rows_max: u32,
    /// How many features there are, the constant among them.
    pub features: usize,
    /// What to expect, in words.
    pub outlook: Vec<String>,
}

/// What is known in advance about a sanitized table.
#[derive(Clone, Debug)]
pub struct TableQuote {
    /// Which counts are chosen and taken together.
    pub method: Method,
    /// How that is made private.
    pub mechanism: &'static str,
    /// What is read, in words.
    pub tables: String,
    /// Whose rows they are.
    pub owner: Ownership,
    /// How many rows of one person are used at most.
    pub rows_max: u32,
    /// The columns of the table.
    pub columns: Vec<String>,
    /// What to expect, in words.
    pub outlook: Vec<String>,
}

/// What is known in advance about the evaluation of a model or a public table.
#[derive(Clone, Debug)]
pub struct EvaluationQuote {
    /// The name by which it was asked for.
    pub name: String,
    /// The kind of model; a table is of none.
    pub family: Option<Family>,
    /// The name of what is measured.
    pub measure: &'static str,
    /// What is measured, in words.
    pub measures: &'static str,
    /// How it is made private.
    pub mechanism: &'static str,
    /// What is read, in words.
    pub tables: String,
    /// How many rows of one person are used at most.
    pub rows_max: u32,
    /// What to expect, in words.
    pub outlook: Vec<String>,
}

impl Curator {
    /// What an answer would cost and how wrong it may be.
    ///
    /// # Errors
    /// As [`Curator::ask`] refuses, before anything is paid.
    pub fn quote(&self, ask: &Ask) -> Result<Quote, AskError> {
        let state = &self.state;
        let landed = |bill: &dyn Bill| state.own_topics(&ask.analyst, bill);
        let understood = state.understood(ask)?;
        quote(state.data.path(), &state.catalog, &Books::Writer(&state.ledger), ask, &understood, landed)
    }
}

impl Home {
    /// The same without locking the ledger: whoever writes it at the same time is not disturbed. For the owner at the
    /// machine: it does not wait for what an analyst has on its way elsewhere.
    ///
    /// # Errors
    /// As [`Curator::quote`], and when the ledger is not safe to use as it is.
    pub fn quote(&self, ask: &Ask) -> Result<Quote, AskError> {
        let reader = self.reader()?;
        let books = reader.as_ref().map_or(Books::None, Books::Reader);
        let understood = Understood::new(&self.catalog, ask)?;
        quote(&self.folder, &self.catalog, &books, ask, &understood, |_| Vec::new())
    }
}

impl Quote {
    /// Whether the answer can be had: it is free, or the asker's budget holds its price.
    pub fn fits(&self) -> bool {
        self.is_free || self.more.is_some_and(|more| more > 0)
    }
}

impl RowQuote {
    fn new(plan: &PrivatePlan) -> Self {
        let aggregation = &plan.aggregation;
        let scans = aggregation.relation.scans();
        let measures = plan.measure_noises();
        let aggregates = plan.answer.aggregates.iter().zip(plan.aggregate_noises());
        let aggregates = aggregates.map(|(aggregate, noise)| AggregateQuote {
            name: aggregate.name.clone(),
            error_typical: match &aggregate.formula {
                Formula::Mean { total, .. } => {
                    Some(&measures[*total].error_95 / &Rational::from(TYPICAL_ROWS))
                }
                _ => None,
            },
            noise,
        });
        Self {
            table: aggregation.relation.tables().join(", "),
            columns: scans
                .iter()
                .flat_map(|scan| scan.columns.iter().map(|column| column.name.clone()))
                .collect(),
            owner: aggregation.ownership(),
            groups_max: aggregation.bound.groups_max(),
            rows_max: aggregation.bound.rows_max(),
            keys: match (aggregation.keys.is_empty(), plan.key_threshold()) {
                (true, _) => QuoteKeys::One,
                (false, None) => QuoteKeys::Public,
                (false, Some(threshold)) => QuoteKeys::Earned(threshold),
            },
            groups: aggregation.domain.as_ref().map(Vec::len),
            aggregates: aggregates.collect(),
            keys_price: plan
                .selection
                .as_ref()
                .and_then(|selection| Price::of_loss(plan.price.currency(), &selection.loss())),
            plan: plan.to_string(),
            measures,
        }
    }
}

impl RowQuote {
    /// The parts of the price, each with what it buys.
    pub fn split(&self) -> Vec<PricePart> {
        let keys = self.keys_price.iter().map(|price| PricePart {
            price: amount_upper(price.currency(), price.amount()),
            buys: "the choice of keys".to_owned(),
        });
        let measures = self.measures.iter().map(|measure| PricePart {
            price: match &measure.spend {
                Spend::Pure(epsilon) => format!("ε = {}", glance_upper(epsilon.value())),
                Spend::Concentrated(rho) => format!("ρ = {}", glance_upper(rho.value())),
            },
            buys: measure.name.clone(),
        });
        keys.chain(measures).collect()
    }

    /// What says whose row it is: a column, or `row`.
    pub fn privacy_unit(&self) -> &str {
        match &self.owner {
            Ownership::EachRow | Ownership::Nobody => "row",
            Ownership::People(column) => column,
        }
    }
}

impl StatementQuote {
    fn new(statement: &StatementPlan) -> Self {
        let release = |part: usize| {
            let plan = &statement.parts()[part];
            ReleaseQuote { price: plan.price, rows: RowQuote::new(plan) }
        };
        Self {
            releases: statement.releases().into_iter().map(release).collect(),
            plan: statement.to_string(),
        }
    }

    /// The parts of the price, each with what it buys.
    pub fn split(&self) -> Vec<PricePart> {
        let part = |(position, release): (usize, &ReleaseQuote)| {
            let names: Vec<&str> = release.rows.aggregates.iter().map(|each| each.name.as_str()).collect();
            let names = if names.is_empty() { "keys".to_owned() } else { names.join(", ") };
            PricePart {
                price: amount_upper(release.price.currency(), release.price.amount()),
                buys: format!("release {}: {names} from {}", position + 1, release.rows.table),
            }
        };
        self.releases.iter().enumerate().map(part).collect()
    }
}

impl GraphQuote {
    /// What a mechanism says about the answer to a question.
    pub fn new(question: &GraphStatement, mechanism: &dyn Mechanism) -> Self {
        let outlook = mechanism.outlook();
        Self {
            statistic: question.statistic,
            privacy: question.privacy,
            mechanism: mechanism.name(),
            error_95: outlook.error_95,
            outlook: outlook.words,
        }
    }
}

/// What there is to say about rows before they are read, and what is to be paid for them.
pub(crate) struct AboutRows {
    question: RowQuestion,
    subject: QuoteSubject,
    notes: Vec<String>,
}

impl AboutRows {
    fn new(plan: StatementPlan, catalog: &Catalog) -> Result<Self, AskError> {
        let subject = match plan.only() {
            Some(only) => QuoteSubject::Rows(Box::new(RowQuote::new(only))),
            None => QuoteSubject::Statement(StatementQuote::new(&plan)),
        };
        let notes = plan.all_notes();
        Ok(Self { question: RowQuestion::new(plan, catalog)?, subject, notes })
    }
}

impl Bill for AboutRows {
    fn invoice(&self) -> &Invoice {
        self.question.invoice()
    }

    fn releases(&self) -> &[Alone] {
        self.question.releases()
    }

    fn invoice_for(&self, releases: &[usize]) -> Result<Invoice, AskError> {
        self.question.invoice_for(releases)
    }
}

/// `landed` waits until nothing of the asker's is on its way about the topic: whether an answer existed shows in when its
/// asker comes to hold it, and a quote says what they hold.
fn quote(
    folder: &Path,
    catalog: &Catalog,
    books: &Books<'_>,
    ask: &Ask,
    understood: &Understood,
    landed: impl Fn(&dyn Bill) -> Vec<Flight>,
) -> Result<Quote, AskError> {
    admit_statement(catalog, &ask.analyst, &understood.statement)?;
    let (bill, subject, mut notes): (Arc<dyn Bill>, _, _) = match &understood.statement {
        Statement::Rows(asked) => {
            let scope = asked.scope().to_owned();
            let held = |question: &Question| books.held(&scope, &ask.analyst, question);
            let about = match (as_held(catalog, asked, held, &landed)?, understood.about.get()) {
                (Some(larger), _) => Arc::new(AboutRows::new(larger, catalog)?),
                (None, Some(known)) => Arc::clone(known),
                (None, None) => {
                    let about = Arc::new(AboutRows::new(asked.as_ref().clone(), catalog)?);
                    Arc::clone(understood.about.get_or_init(|| about))
                }
            };
            let (subject, notes) = (about.subject.clone(), about.notes.clone());
            (about as Arc<dyn Bill>, subject, notes)
        }
        Statement::Public(_) => return Err(priceless().into()),
        Statement::Graph(question) => {
            let declared = declared(catalog, &question.graph)?;
            let node_count = || declared_node_count(folder, declared);
            let (mechanism, price) = mechanism(catalog, question, node_count)?;
            let subject = QuoteSubject::Graph(GraphQuote::new(&question.question, mechanism.as_ref()));
            let order = Order::about_graph(question, declared, mechanism, price);
            (Arc::new(order), subject, question.notes.clone())
        }
        Statement::Training(question) => {
            let order = Order::about_training(catalog, question)?;
            let trainer = &order.work().trainer;
            let subject = QuoteSubject::Model(ModelQuote {
                family: question.recipe.family,
                mechanism: trainer.mechanism(),
                tables: question.rows.relation.tables().join(", "),
                owner: question.rows.ownership(),
                rows_max: question.rows.rows_max,
                features: trainer.encoding().dimension(),
                outlook: trainer.outlook(),
            });
            let notes = question.notes.iter().cloned().chain(question.rows.words()).collect();
            (Arc::new(order), subject, notes)
        }
        Statement::Synthesis(question) => {
            let order = Order::about_synthesis(catalog, question)?;
            let synthesizer = &order.work().synthesizer;
            let subject = QuoteSubject::Table(TableQuote {
                method: question.recipe.recipe.method,
                mechanism: synthesizer.mechanism(),
                tables: question.rows.relation.tables().join(", "),
                owner: question.rows.ownership(),
                rows_max: question.rows.rows_max,
                columns: question.rows.features.iter().map(|column| column.name.clone()).collect(),
                outlook: synthesizer.outlook(),
            });
            let notes = question.notes.iter().cloned().chain(question.rows.words()).collect();
            (Arc::new(order), subject, notes)
        }
        Statement::Evaluation(question) => {
            let order = Order::about_evaluation(catalog, question)?;
            let evaluation = &order.work().evaluation;
            let (family, measure, measures) = match &question.subject {
                EvaluationSubject::Model { model, measure } => {
                    (Some(model.recipe().family), measure.name(), measure.about())
                }
                EvaluationSubject::Table { compared, .. } => (None, compared.name(), compared.about()),
            };
            let subject = QuoteSubject::Evaluation(EvaluationQuote {
                name: question.name.clone(),
                family,
                measure,
                measures,
                mechanism: evaluation.mechanism(),
                tables: question.rows.relation.tables().join(", "),
                rows_max: question.rows.rows_max,
                outlook: evaluation.outlook(),
            });
            let notes = question.notes.iter().cloned().chain(question.rows.words()).collect();
            (Arc::new(order), subject, notes)
        }
    };
    let _landed = landed(bill.as_ref());
    let scope = bill.invoice().scope.clone();
    let basket = Basket::of(bill.as_ref(), |question| books.held(&scope, &ask.analyst, question))?;
    let held = basket.held.iter().flatten().count();
    if held > 0 && !basket.is_free {
        let of = basket.held.len();
        notes.insert(
            0,
            format!("{held} of the {of} releases were made to you before, and are not bought again"),
        );
    }
    let Invoice { price, .. } = basket.invoice;
    Ok(Quote {
        epsilon_at_delta: catalog.epsilon_at_delta(&scope, &price),
        is_free: basket.is_free,
        more: books.more(catalog, &scope, &ask.analyst, &price)?,
        analyst: ask.analyst.clone(),
        scope,
        price,
        subject,
        notes,
    })
}
