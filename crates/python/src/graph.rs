//! Graphs that their owner holds in memory: one-offs under edge or node privacy, which no ledger guards.
//!
//! The curator's room reads, plans and releases (`curator/src/one_off`); here arrays of ids become its graphs ([`ids`]), words
//! become its questions ([`question`]), and its JSON goes out.

mod arrow;
mod ids;
mod question;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use numpy::{IntoPyArray, PyArray1};
use pointillist_curator::json::{self, Account};
use pointillist_curator::{Answer, Assumption, EdgeFile, HeldGraph, NodeFile, OneOff, OneOffQuote};
use pointillist_graph::read::{FirstLine, Loaded};
use pointillist_graph::{Answer as Figures, Estimate, Figure, Graph, Method, Privacy, Public, Statistic};
use pointillist_render::svg::Drawing;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::to_string;

use crate::errors::{raised, wrong};
use crate::interrupt::interruptible;
use crate::submodule;

/// From here on labels are those of texts (`graph/src/read/builder.rs`).
const TEXT: u128 = 1 << 127;

/// A graph, and the texts of those of its ids that are not their own labels.
#[pyclass(frozen, name = "Graph", module = "pointillist._native.graph")]
struct OwnedGraph {
    held: Arc<HeldGraph>,
    texts: HashMap<u128, Box<str>>,
}

#[pymethods]
impl OwnedGraph {
    /// A private answer, as the JSON of every door.
    fn ask(&self, py: Python<'_>, statistic: &str, price: &Bound<'_, PyDict>) -> PyResult<String> {
        let question = question::read(statistic, price)?;
        let held = Arc::clone(&self.held);
        let asked = question.clone();
        let one_off = interruptible(py, move || held.release(&asked))?.map_err(|error| raised(&error))?;
        let one_off = with_notes(one_off);
        let account = Account::Uncharged(&one_off.loss);
        match question.statistic {
            Statistic::Degrees => text(to_string(&json::degrees(&one_off.answer, account))),
            // The command line asks for either coefficient by one word.
            Statistic::GlobalClustering | Statistic::AverageClustering => {
                text(to_string(&json::figure("clustering", &one_off.answer, account)))
            }
            other => text(to_string(&json::figure(&other.to_string(), &one_off.answer, account))),
        }
    }

    /// What an answer would cost and how wrong it may be. No tie is looked at.
    fn explain(&self, statistic: &str, price: &Bound<'_, PyDict>) -> PyResult<String> {
        let question = question::read(statistic, price)?;
        text(to_string(&self.held.quote(&question).map_err(|error| raised(&error))?))
    }

    /// A made-up graph: its JSON, and the two ends of its ties.
    fn synth<'py>(&self, py: Python<'py>, price: &Bound<'py, PyDict>) -> PyResult<(String, Ends<'py>)> {
        let each = question::half(price)?;
        let held = Arc::clone(&self.held);
        let made = interruptible(py, move || held.synthesize(&each))?.map_err(|error| raised(&error))?;
        let (degrees, triangles) = (with_notes(made.degrees), with_notes(made.triangles));
        let [of_degrees, of_triangles] =
            [&degrees, &triangles].map(|part| (&part.answer, Account::Uncharged(&part.loss)));
        let said = text(to_string(&json::made_up(&made.made_up, of_degrees, of_triangles)))?;
        Ok((said, ends(py, &made.made_up.graph)))
    }

    /// Exact figures, for the owner's eyes.
    fn inspect(&self, py: Python<'_>) -> PyResult<String> {
        let held = Arc::clone(&self.held);
        text(to_string(&interruptible(py, move || held.inspect())?))
    }

    /// The positions of the two ends of every tie.
    fn pairs<'py>(&self, py: Python<'py>) -> Ends<'py> {
        ends(py, &self.held.loaded().graph)
    }

    /// The ids of all nodes: an array of numbers, or a list of texts where one of them is not a number below 2^64.
    fn ids<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let graph = &self.held.loaded().graph;
        let labels = || (0..graph.nodes()).map(|node| graph.label(node));
        let numbers: Option<Vec<u64>> = labels().map(|label| u64::try_from(label).ok()).collect();
        if let Some(numbers) = numbers {
            return Ok(numbers.into_pyarray(py).into_any());
        }
        let id = |label: u128| match label < TEXT {
            true => Some(label.to_string()),
            false => self.texts.get(&label).map(|text| text.to_string()),
        };
        let ids: Option<Vec<String>> = labels().map(id).collect();
        let ids = ids.ok_or_else(|| {
            wrong(
                "the ids of this graph were texts in a file, and only their fingerprints are kept",
                "read the file into a frame and use Graph.from_frame",
            )
        })?;
        ids.into_bound_py_any(py)
    }

    /// Ties that were left out: those without two ids, and those that name an id which is not on the list.
    fn left_out(&self) -> (u64, u64) {
        (self.held.loaded().skipped, self.held.loaded().outside)
    }
}

/// Two arrays of positions.
type Ends<'py> = (Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<u32>>);

fn ends<'py>(py: Python<'py>, graph: &Graph) -> Ends<'py> {
    let (one, other): (Vec<u32>, Vec<u32>) = py.detach(|| graph.pairs().unzip());
    (one.into_pyarray(py), other.into_pyarray(py))
}

/// A graph of ids: of ties, of a list of all nodes if there is one, and of nodes that are there beside the ties.
#[pyfunction]
#[pyo3(signature = (sources, targets, listed, beside, skipped))]
fn build(
    py: Python<'_>,
    sources: ids::Ids<'_>,
    targets: ids::Ids<'_>,
    listed: Option<ids::Ids<'_>>,
    beside: Option<ids::Ids<'_>>,
    skipped: u64,
) -> PyResult<OwnedGraph> {
    let mut ties = ids::Ties::new(py, listed.as_ref())?;
    ties.add(py, &sources, &targets)?;
    if let Some(beside) = &beside {
        ties.add_nodes(py, beside)?;
    }
    let (lines, skipped) = (sources.len() as u64 + skipped, skipped + ties.skipped);
    let ids::Ties { builder, texts, .. } = ties;
    let built = interruptible(py, move || builder.finish_counting())?;
    let (graph, outside) = built.map_err(|error| raised(&error))?;
    let first_line = FirstLine::Edge;
    let loaded = Loaded { graph, lines, skipped, outside, ended_in_quotes: false, first_line };
    Ok(OwnedGraph { held: Arc::new(HeldGraph::new(loaded, listed.is_some())), texts })
}

/// Reads a file of ties. `progress` hears which part of it has been read.
#[pyfunction]
#[pyo3(signature = (path, first_line, nodes, nodes_first_line, progress))]
fn read(
    py: Python<'_>,
    path: PathBuf,
    first_line: Option<&str>,
    nodes: Option<PathBuf>,
    nodes_first_line: Option<&str>,
    progress: Option<Py<PyAny>>,
) -> PyResult<OwnedGraph> {
    let first_line = first_line.map(|word| first_line_of(word, "edge")).transpose()?;
    let nodes_first_line = nodes_first_line.map(|word| first_line_of(word, "node")).transpose()?;
    let nodes = nodes.map(|path| NodeFile { path, first_line: nodes_first_line });
    let bytes = std::fs::metadata(&path).map_or(0, |metadata| metadata.len()).max(1) as f64;
    let file = EdgeFile { path, first_line, nodes };
    let read = interruptible(py, move || {
        let heard = |done: u64| {
            if let Some(progress) = &progress {
                // Whoever only listens stops nothing: what a listener raises is printed as Python prints such things.
                Python::attach(|py| {
                    if let Err(error) = progress.call1(py, ((done as f64 / bytes).min(1.0),)) {
                        error.write_unraisable(py, Some(progress.bind(py)));
                    }
                });
            }
        };
        // A list may be private, and then its first line is not looked at: as under node privacy, whatever is asked later.
        file.held(Privacy::Node, &heard)
    })?;
    let held = read.map_err(|error| raised(&error))?;
    Ok(OwnedGraph { held: Arc::new(held), texts: HashMap::new() })
}

/// What an answer would cost, about a graph that nobody has yet.
#[pyfunction]
#[pyo3(signature = (statistic, price, nodes, listed))]
fn explain(statistic: &str, price: &Bound<'_, PyDict>, nodes: Option<u32>, listed: bool) -> PyResult<String> {
    let question = question::read(statistic, price)?;
    let nodes = nodes.filter(|_| question.privacy == Privacy::Edge);
    let quote = OneOffQuote::new(&question, &Public { nodes, listed });
    text(to_string(&quote.map_err(|error| raised(&error))?))
}

/// A released distribution of degrees as SVG.
#[pyfunction]
fn plot_degrees(at_least: Vec<(u64, f64, Option<f64>, Option<f64>)>, title: String) -> String {
    let estimates = at_least.into_iter().map(|(degree, value, lower, upper)| Estimate {
        degree: Some(degree),
        value: Figure::Ratio(value),
        lower: lower.unwrap_or(f64::NEG_INFINITY),
        upper: upper.unwrap_or(f64::INFINITY),
    });
    let figures = Figures { estimates: estimates.collect(), notes: Vec::new() };
    Answer::of_graph(&figures, "", None).plot_degrees(title).to_svg()
}

/// What can be asked.
#[pyfunction]
fn statistics() -> Vec<String> {
    Statistic::names()
}

/// How it can be made private.
#[pyfunction]
fn methods() -> Vec<String> {
    Method::names()
}

/// An answer whose notes say what was taken for granted, with what to write instead.
fn with_notes(mut one_off: OneOff) -> OneOff {
    let note = |assumption: &Assumption| {
        let instead = match assumption {
            Assumption::IdsArePublic => "list the nodes if there are others",
            Assumption::FirstLineIsATie => "give first_line=\"names\" if it names columns",
        };
        format!("{}; {instead}", assumption.words())
    };
    one_off.answer.notes.extend(one_off.assumptions.iter().map(note));
    one_off
}

fn first_line_of(word: &str, what: &str) -> PyResult<FirstLine> {
    match word {
        "names" => Ok(FirstLine::Names),
        "counts" => Ok(FirstLine::Counts),
        word if word == what => Ok(FirstLine::Edge),
        other => Err(wrong(format!("a first line is no `{other}`"), format!("take {what}, names or counts"))),
    }
}

fn text(said: serde_json::Result<String>) -> PyResult<String> {
    said.map_err(|error| wrong(error.to_string(), "please report it"))
}

/// Adds the module.
pub fn register(parent: &Bound<'_, PyModule>) -> PyResult<()> {
    let module = submodule(parent, "graph")?;
    module.add_class::<OwnedGraph>()?;
    module.add_function(wrap_pyfunction!(build, &module)?)?;
    module.add_function(wrap_pyfunction!(read, &module)?)?;
    module.add_function(wrap_pyfunction!(arrow::arrow_pairs, &module)?)?;
    module.add_function(wrap_pyfunction!(explain, &module)?)?;
    module.add_function(wrap_pyfunction!(plot_degrees, &module)?)?;
    module.add_function(wrap_pyfunction!(statistics, &module)?)?;
    module.add_function(wrap_pyfunction!(methods, &module)?)
}
