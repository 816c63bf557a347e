//! Graphs: a question about one becomes a mechanism, is paid for, and only then is the graph looked at.
//!
//! **Guarantee.** Before the debit only public things are read: the catalog and, under edge privacy, the list of nodes
//! that the owner declared public. The mechanism, its cost and every refusal follow from them. The file of ties is read
//! after the debit, with a receipt in hand, and reading it cannot fail in a way that depends on its lines. Files that are
//! not what they were before the debit are the constant failure, and what was read of them is forgotten.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use pointillist_catalog::{Catalog, Graph as Declared, GraphPrivacy};
use pointillist_engine::FileStamps;
use pointillist_graph::read::{FirstLine, NodeList};
use pointillist_graph::{Graph, Mechanism, Public};
use pointillist_ledger::Receipt;
use pointillist_noise::with_system_bits;
use pointillist_privacy::Price;
use pointillist_query::{GraphQuestion, canonical_graph, graph_price, refused};

use crate::answer::Answer;
use crate::ask::Work;
use crate::basket::Bill;
use crate::curator::State;
use crate::error::AskError;
use crate::graph_files::{declared_first_line, load, load_nodes, stamps};
use crate::order::Order;
use crate::release::{Released, release_graph};
use crate::reuse::Recorded;

/// Graphs that have been read, by name. They never change under a curator: a new version needs a new one.
#[derive(Default)]
pub(crate) struct Graphs {
    read: Mutex<HashMap<String, Arc<Graph>>>,
    lists: Mutex<HashMap<String, Arc<NodeList>>>,
}

/// A mechanism, its price, and the files that it reads.
pub(crate) struct GraphWork {
    question: GraphQuestion,
    declared: Declared,
    order: Order<dyn Mechanism>,
    files: FileStamps,
}

impl GraphWork {
    /// Finds the files and notes what they are; under edge privacy reads the public list of nodes, and no tie.
    pub(crate) fn open(state: &State, question: GraphQuestion) -> Result<Self, AskError> {
        let declared = declared(&state.catalog, &question.graph)?.clone();
        let sources =
            std::iter::once((&declared.source, 2)).chain(declared.nodes.as_ref().map(|nodes| (nodes, 1)));
        let unavailable = || AskError::Unavailable { table: declared.name.clone() };
        let files = stamps(state.data.path(), sources).ok_or_else(unavailable)?;
        let node_count = || Ok(state.node_list(&declared)?.map(|list| list.nodes()));
        let (mechanism, price) = mechanism(&state.catalog, &question, node_count)?;
        let order = Order::about_graph(&question, &declared, mechanism, price);
        Ok(Self { question, declared, order, files })
    }
}

impl Work for GraphWork {
    fn bill(&self) -> &dyn Bill {
        &self.order
    }

    fn canonical(&self) -> Vec<u8> {
        canonical(&self.question, &self.declared, self.order.work())
    }

    fn release(&self, state: &State, receipt: &Receipt, _: &[usize]) -> Result<Vec<Released>, AskError> {
        let paid = self.order.paid_by(receipt)?;
        let graph = state.graph(&self.declared, &self.files)?;
        let released = with_system_bits(|bits| release_graph(&graph, &paid, bits));
        Ok(vec![released.map_err(|_| AskError::Failed)?])
    }

    fn present(&self, recorded: &[Recorded]) -> Result<Answer, AskError> {
        let mechanism = self.order.work();
        let recorded = recorded.first().ok_or(AskError::Failed)?;
        let integers = recorded.released.measures.first().ok_or(AskError::Failed)?;
        let mut statistic = mechanism.present(integers).ok_or(AskError::Failed)?;
        statistic.notes.extend(self.question.notes.iter().cloned());
        Ok(Answer::of_graph(&statistic, mechanism.name(), self.question.columns.as_deref()))
    }
}

/// What a list of nodes begins with. A public one may be looked at to see whether that is a name; a private one may not.
fn list_first_line(declared: &Declared) -> FirstLine {
    match (declared.nodes_first_line, declared.privacy) {
        (Some(first_line), _) => declared_first_line(first_line),
        (None, GraphPrivacy::Edge) => FirstLine::Detect,
        (None, GraphPrivacy::Node) => FirstLine::Edge,
    }
}

pub(crate) fn declared<'c>(catalog: &'c Catalog, name: &str) -> Result<&'c Declared, AskError> {
    catalog.graphs.get(name).ok_or_else(|| AskError::Unavailable { table: name.to_owned() })
}

/// How many nodes are on the list of a graph.
pub(crate) fn declared_node_count(folder: &Path, declared: &Declared) -> Result<Option<u32>, AskError> {
    let unavailable = |_| AskError::Unavailable { table: declared.name.clone() };
    let nodes = declared.nodes.as_ref();
    let list = nodes.map(|nodes| load_nodes(folder, nodes, list_first_line(declared))).transpose();
    Ok(list.map_err(unavailable)?.map(|list| list.nodes()))
}

/// The mechanism for a question and its price; reads nothing but the public list of nodes.
pub(crate) fn mechanism(
    catalog: &Catalog,
    question: &GraphQuestion,
    node_count: impl FnOnce() -> Result<Option<u32>, AskError>,
) -> Result<(Box<dyn Mechanism>, Price), AskError> {
    let graph = declared(catalog, &question.graph)?;
    let nodes = match graph.privacy {
        GraphPrivacy::Node => None,
        GraphPrivacy::Edge => node_count()?,
    };
    let mechanism =
        pointillist_graph::plan(&question.question, &Public { nodes, listed: graph.nodes.is_some() })
            .map_err(|error| refused(&error))?;
    let price = graph_price(&catalog.scopes[&question.scope], &mechanism.loss())?;
    Ok((mechanism, price))
}

impl State {
    /// The declared list of nodes, read once.
    fn node_list(&self, declared: &Declared) -> Result<Option<Arc<NodeList>>, AskError> {
        let Some(source) = &declared.nodes else { return Ok(None) };
        let mut lists = self.graphs.lists.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(list) = lists.get(&declared.name) {
            return Ok(Some(Arc::clone(list)));
        }
        let unavailable = |_| AskError::Unavailable { table: declared.name.clone() };
        let list = load_nodes(self.data.path(), source, list_first_line(declared)).map_err(unavailable)?;
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
        let loaded = load(self.data.path(), &declared.source, first_line, nodes.as_deref(), &|_| {});
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

/// Released integers of a graph's mechanism, in the form that is recorded.
pub(crate) fn recorded(integers: Vec<i128>) -> Released {
    Released { keys: vec![Vec::new(); integers.len()], measures: vec![integers] }
}
