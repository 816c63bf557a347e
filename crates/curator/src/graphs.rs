//! Graphs: a question about one becomes a mechanism, is paid for, and only then is the graph looked at.
//!
//! **Guarantee.** Before the debit only public things are read: the catalog and, under edge privacy, the list of nodes
//! that the owner declared public. The mechanism, its cost and every refusal follow from them. The file of ties is read
//! after the debit, with a receipt in hand, and reading it cannot fail in a way that depends on its lines. Files that are
//! not what they were before the debit are the constant failure, and what was read of them is forgotten.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use pointillist_catalog::{Catalog, Graph as Declared, GraphPrivacy, Value};
use pointillist_engine::FileStamps;
use pointillist_graph::read::{FirstLine, NodeList};
use pointillist_graph::{Answer as GraphAnswer, Figure, Graph, Mechanism, Method, Public, Statistic};
use pointillist_ledger::Digest;
use pointillist_noise::with_system_bits;
use pointillist_plan::{Cost, Type};
use pointillist_query::{
    GRAPH_COLUMNS, GraphQuestion, Options, Refusal, canonical_graph, graph_cost, graph_question, refused,
};

use crate::answer::{Answer, Column, Disclosure, Row};
use crate::curator::{Ask, Curator, Held};
use crate::error::AskError;
use crate::graph_files::{declared_first_line, load, load_nodes, stamps};
use crate::order::Order;
use crate::release::{Released, release_graph};
use crate::reply::Reply;
use crate::settle::Ready;

/// Graphs that have been read, by name. They never change under a curator: a new version needs a new one.
#[derive(Default)]
pub(crate) struct Graphs {
    read: Mutex<HashMap<String, Arc<Graph>>>,
    lists: Mutex<HashMap<String, Arc<NodeList>>>,
}

/// A question about a graph and who asks it.
#[derive(Clone, Debug)]
pub struct GraphAsk {
    /// The graph's name in the catalog.
    pub graph: String,
    /// What is asked.
    pub statistic: Statistic,
    /// How it is made private.
    pub method: Method,
    /// The price.
    pub options: Options,
    /// Who asks: an analyst of the catalog, or the owner.
    pub analyst: String,
    /// The asker's name for this request, so that it can be repeated safely.
    pub request_id: Option<String>,
}

/// What a graph's statistic says, and how it was made private.
#[derive(Clone, Debug, PartialEq)]
pub struct GraphStatistic {
    /// The figures.
    pub answer: GraphAnswer,
    /// The mechanism's name.
    pub mechanism: &'static str,
}

impl Curator {
    /// Answers a question about a graph, or says why not.
    pub fn ask_graph(&self, ask: &GraphAsk) -> Result<Reply<GraphStatistic>, AskError> {
        let arrived = Instant::now();
        let question =
            graph_question(&self.held.catalog, &ask.graph, ask.statistic, ask.method, &ask.options)?;
        let words = format!("{} {} {}", ask.graph, ask.statistic, ask.method);
        self.settle_graph(&question, &ask.analyst, ask.request_id.clone(), &words, arrived)
    }

    /// The same for a statement of SQL: the answer as a table.
    pub(crate) fn ask_about_graph(
        &self,
        ask: &Ask,
        question: &GraphQuestion,
        arrived: Instant,
    ) -> Result<Reply, AskError> {
        let reply = self.settle_graph(question, &ask.analyst, ask.request_id.clone(), &ask.sql, arrived)?;
        let Reply { answer, cost, epsilon_at_delta, paid, receipt, left, more } = reply;
        let answer = table(&answer, question.columns.as_deref());
        Ok(Reply { answer, cost, epsilon_at_delta, paid, receipt, left, more })
    }

    fn settle_graph(
        &self,
        question: &GraphQuestion,
        analyst: &str,
        request_id: Option<String>,
        words: &str,
        arrived: Instant,
    ) -> Result<Reply<GraphStatistic>, AskError> {
        let held = &self.held;
        held.admit(analyst, &question.scope)?;
        let declared = declared(&held.catalog, &question.graph)?.clone();
        let files =
            std::iter::once((&declared.source, 2)).chain(declared.nodes.as_ref().map(|nodes| (nodes, 1)));
        let unavailable = || AskError::Unavailable { table: declared.name.clone() };
        let stamps = stamps(&held.folder, files).ok_or_else(unavailable)?;
        let node_count = || Ok(held.node_list(&declared)?.map(|list| list.nodes()));
        let (mechanism, cost) = offer(&held.catalog, question, node_count)?;
        let canonical = canonical(question, &declared, mechanism.as_ref());
        let order = Arc::new(Order::about_graph(question, &declared, mechanism, cost));
        let ready = Ready {
            analyst: analyst.to_owned(),
            request_id,
            scope: order.scope().to_owned(),
            cost: order.cost().clone(),
            question: order.question().clone(),
            plan: None,
            words: words.to_owned(),
            request: Digest::of("pointillist request", &[words.as_bytes(), &canonical]),
            compute: {
                let order = Arc::clone(&order);
                Box::new(move |held, receipt| {
                    let paid = order.paid_by(receipt)?;
                    let graph = held.graph(&declared, &stamps)?;
                    with_system_bits(|bits| release_graph(&graph, &paid, bits)).map_err(|_| AskError::Failed)
                })
            },
        };
        let notes = question.notes.clone();
        self.settle(ready, arrived, move |recorded| {
            let mut answer = order.work().present(&recorded.released.measures[0]).ok_or(AskError::Failed)?;
            answer.notes.extend(notes);
            Ok(GraphStatistic { answer, mechanism: order.work().name() })
        })
    }
}

/// What an answer would cost and how wrong it may be: from the catalog and the public list of nodes alone, free.
pub fn explain_graph(folder: &Path, catalog: &Catalog, ask: &GraphAsk) -> Result<GraphQuote, AskError> {
    let question = graph_question(catalog, &ask.graph, ask.statistic, ask.method, &ask.options)?;
    let declared = declared(catalog, &question.graph)?;
    let (mechanism, cost) = offer(catalog, &question, || node_count(folder, declared))?;
    Ok(GraphQuote { mechanism, cost, question })
}

/// What a list of nodes begins with. A public one may be looked at to see whether that is a name; a private one may not.
fn list_first_line(declared: &Declared) -> FirstLine {
    match (declared.nodes_first_line, declared.privacy) {
        (Some(first_line), _) => declared_first_line(first_line),
        (None, GraphPrivacy::Edge) => FirstLine::Detect,
        (None, GraphPrivacy::Node) => FirstLine::Edge,
    }
}

/// What cannot be answered for a graph of the catalog, from its declaration alone.
fn check_declared(declared: &Declared, statistic: Statistic) -> Result<(), Refusal> {
    if declared.privacy == GraphPrivacy::Node
        && matches!(statistic, Statistic::FourCliques | Statistic::Rectangles)
    {
        return Err(Refusal::not_provable(
            format!(
                "one person can add more {statistic} than memory holds, and a machine that gives up would tell"
            ),
            "ask for triangles; the owner may count others in a file, with --file",
        ));
    }
    Ok(())
}

fn node_count(folder: &Path, declared: &Declared) -> Result<Option<u32>, AskError> {
    let unavailable = |_| AskError::Unavailable { table: declared.name.clone() };
    let nodes = declared.nodes.as_ref();
    let list = nodes.map(|nodes| load_nodes(folder, nodes, list_first_line(declared))).transpose();
    Ok(list.map_err(unavailable)?.map(|list| list.nodes()))
}

fn declared<'c>(catalog: &'c Catalog, name: &str) -> Result<&'c Declared, AskError> {
    catalog.graphs.get(name).ok_or_else(|| AskError::Unavailable { table: name.to_owned() })
}

/// The mechanism for a question and its cost; reads nothing but the public list of nodes.
fn offer(
    catalog: &Catalog,
    question: &GraphQuestion,
    node_count: impl FnOnce() -> Result<Option<u32>, AskError>,
) -> Result<(Arc<dyn Mechanism>, Cost), AskError> {
    let graph = declared(catalog, &question.graph)?;
    check_declared(graph, question.question.statistic)?;
    let nodes = match graph.privacy {
        GraphPrivacy::Node => None,
        GraphPrivacy::Edge => node_count()?,
    };
    let mechanism =
        pointillist_graph::plan(&question.question, &Public { nodes, listed: graph.nodes.is_some() })
            .map_err(|error| refused(&error))?;
    let cost = graph_cost(&catalog.scopes[&question.scope], &mechanism.loss())?;
    Ok((Arc::from(mechanism), cost))
}

/// A mechanism that is offered at a price.
pub struct GraphQuote {
    /// The mechanism, which says its error in advance.
    pub mechanism: Arc<dyn Mechanism>,
    /// What it costs in the currency of the scope.
    pub cost: Cost,
    /// The question.
    pub question: GraphQuestion,
}

impl Held {
    /// The declared list of nodes, read once.
    fn node_list(&self, declared: &Declared) -> Result<Option<Arc<NodeList>>, AskError> {
        let Some(source) = &declared.nodes else { return Ok(None) };
        let mut lists = self.graphs.lists.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(list) = lists.get(&declared.name) {
            return Ok(Some(Arc::clone(list)));
        }
        let unavailable = |_| AskError::Unavailable { table: declared.name.clone() };
        let list = load_nodes(&self.folder, source, list_first_line(declared)).map_err(unavailable)?;
        let list = Arc::new(list);
        lists.insert(declared.name.clone(), Arc::clone(&list));
        Ok(Some(list))
    }

    /// The graph, read once; only with a receipt in hand.
    fn graph(&self, declared: &Declared, found: &FileStamps) -> Result<Arc<Graph>, AskError> {
        let mut read = self.graphs.read.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(graph) = read.get(&declared.name) {
            return Ok(Arc::clone(graph));
        }
        // Under node privacy the list is data: whatever is wrong with it, one constant failure.
        let nodes = self.node_list(declared).map_err(|_| AskError::Failed)?;
        let first_line = declared_first_line(declared.first_line);
        let loaded = load(&self.folder, &declared.source, first_line, nodes.as_deref(), &|_| {});
        let graph = Arc::new(loaded.map_err(|_| AskError::Failed)?.graph);
        if !found.are_unchanged() {
            self.graphs.lists.lock().unwrap_or_else(PoisonError::into_inner).remove(&declared.name);
            return Err(AskError::Failed);
        }
        read.insert(declared.name.clone(), Arc::clone(&graph));
        Ok(graph)
    }
}

/// Recorded integers mean what they meant to the mechanism that released them: constants that change, and rules by which
/// files are read, need a new number.
const REVISION: u8 = 2;

/// What identifies the numbers that are released: the question, the files and the mechanism.
pub(crate) fn canonical(question: &GraphQuestion, declared: &Declared, mechanism: &dyn Mechanism) -> Vec<u8> {
    let mut bytes = canonical_graph(question, declared);
    let nodes = declared.nodes.as_deref().unwrap_or_default();
    let first_line = format!("{:?} {:?}", declared.first_line, declared.nodes_first_line);
    for part in [declared.source.as_str(), nodes, &first_line, mechanism.name()] {
        bytes.extend((part.len() as u64).to_be_bytes());
        bytes.extend(part.as_bytes());
    }
    bytes.push(REVISION);
    bytes
}

/// An answer about a graph as a table.
fn table(statistic: &GraphStatistic, columns: Option<&[String]>) -> Answer {
    let estimates = &statistic.answer.estimates;
    let distribution = estimates.iter().any(|estimate| estimate.degree.is_some());
    let fits = |figure: Figure| matches!(figure, Figure::Whole(value) if i64::try_from(value).is_ok());
    let whole = estimates.iter().all(|estimate| fits(estimate.value));
    let all: Vec<&str> = match columns {
        Some(chosen) => chosen.iter().map(String::as_str).collect(),
        None => GRAPH_COLUMNS.into_iter().filter(|name| distribution || *name != "degree").collect(),
    };
    let figure = |figure: Figure| match figure {
        Figure::Whole(value) if whole => i64::try_from(value).ok().map(Value::Integer),
        other => Value::number(other.as_f64()),
    };
    let cell = |estimate: &pointillist_graph::Estimate, name: &str| match name {
        "degree" => estimate.degree.map(|degree| Value::Integer(degree.min(i64::MAX as u64) as i64)),
        "value" => figure(estimate.value),
        "lower" => Value::number(estimate.lower),
        _ => Value::number(estimate.upper),
    };
    let column = |name: &&str| {
        let is_value = *name == "value";
        let kind = match *name {
            "degree" => Type::Integer,
            "value" if whole => Type::Integer,
            _ => Type::Number,
        };
        let role = match *name {
            "degree" => "key",
            "value" => "aggregate",
            _ => "derived",
        };
        let error_95 = match estimates.as_slice() {
            [only] => Some(only.error_95()).filter(|error| error.is_finite()),
            _ => None,
        };
        let release = is_value.then(|| Disclosure {
            mechanism: statistic.mechanism,
            scale: String::new(),
            error_95,
            grid: if whole { "1".to_owned() } else { String::new() },
        });
        Column { name: (*name).to_owned(), kind, role, release }
    };
    let rows = estimates.iter().map(|estimate| Row {
        values: all.iter().map(|name| cell(estimate, name)).collect(),
        intervals: all
            .iter()
            .map(|name| (*name == "value").then_some((estimate.lower, estimate.upper)))
            .collect(),
    });
    Answer {
        columns: all.iter().map(column).collect(),
        rows: rows.collect(),
        notes: statistic.answer.notes.clone(),
    }
}

/// Released integers of a graph's mechanism, in the form that is recorded.
pub(crate) fn recorded(integers: Vec<i128>) -> Released {
    Released { keys: vec![Vec::new(); integers.len()], measures: vec![integers] }
}
