//! What is built in, and questions about somebody's own graph or catalog.

use std::path::PathBuf;

use numpy::PyReadonlyArray1;
use pointillist_audit::query::{PreparedQuestion, QuestionRequest, Rows};
use pointillist_audit::{Batch, RunSettings};
use pointillist_curator::Home;
use pointillist_errors::Explained;
use pointillist_graph::{Graph, Method, Privacy, Question, Statistic};
use pointillist_privacy::{Delta, Epsilon};
use pointillist_query::Options;
use pyo3::prelude::*;

use super::Findings;
use crate::errors::{raised, wrong};

/// Every mechanism, trainer and synthesizer at this price, or those whose names begin like these.
#[pyfunction]
#[pyo3(signature = (epsilon, names, releases, confidence, progress))]
fn mechanisms(
    py: Python<'_>,
    epsilon: &str,
    names: Vec<String>,
    releases: Option<usize>,
    confidence: f64,
    progress: Option<Py<PyAny>>,
) -> PyResult<Findings> {
    let epsilon = read(Epsilon::parse(epsilon))?;
    let settings = RunSettings { releases, confidence };
    Findings::of(py, move || Batch::mechanisms(&epsilon, &names), settings, progress)
}

/// Every planted leak, or those whose names begin like these.
#[pyfunction]
#[pyo3(signature = (names, releases, confidence, progress))]
fn planted(
    py: Python<'_>,
    names: Vec<String>,
    releases: Option<usize>,
    confidence: f64,
    progress: Option<Py<PyAny>>,
) -> PyResult<Findings> {
    Findings::of(py, move || Batch::planted(&names), RunSettings { releases, confidence }, progress)
}

/// Every local randomizer at this price, or the one that a line sets up.
#[pyfunction]
#[pyo3(signature = (line, epsilon, releases, confidence, progress))]
fn local(
    py: Python<'_>,
    line: Option<String>,
    epsilon: &str,
    releases: Option<usize>,
    confidence: f64,
    progress: Option<Py<PyAny>>,
) -> PyResult<Findings> {
    let (epsilon, settings) = (read(Epsilon::parse(epsilon))?, RunSettings { releases, confidence });
    let make = move || match line {
        Some(line) => Batch::local_method(&line),
        None => Batch::local(&epsilon),
    };
    Findings::of(py, make, settings, progress)
}

/// Every statistic of graphs at this price, on small graphs.
#[pyfunction]
#[pyo3(signature = (epsilon, releases, confidence, progress))]
fn graphs(
    py: Python<'_>,
    epsilon: &str,
    releases: Option<usize>,
    confidence: f64,
    progress: Option<Py<PyAny>>,
) -> PyResult<Findings> {
    let epsilon = read(Epsilon::parse(epsilon))?;
    Findings::of(py, move || Batch::graphs(&epsilon), RunSettings { releases, confidence }, progress)
}

/// A question about somebody's own graph: nodes are numbers below `nodes`.
#[pyfunction]
#[pyo3(signature = (nodes, sources, targets, listed, statistic, privacy, method, epsilon, delta, releases, confidence, progress))]
#[expect(clippy::too_many_arguments, reason = "everything that a caller may say, once")]
fn graph(
    py: Python<'_>,
    nodes: u32,
    sources: PyReadonlyArray1<'_, u32>,
    targets: PyReadonlyArray1<'_, u32>,
    listed: bool,
    statistic: &str,
    privacy: &str,
    method: Option<&str>,
    epsilon: &str,
    delta: Option<&str>,
    releases: Option<usize>,
    confidence: f64,
    progress: Option<Py<PyAny>>,
) -> PyResult<Findings> {
    let (sources, targets) = (sources.as_array().to_vec(), targets.as_array().to_vec());
    if sources.len() != targets.len() || sources.iter().chain(&targets).any(|node| *node >= nodes) {
        return Err(wrong("a tie has no two nodes of the graph", "give two nodes for every tie"));
    }
    let question = Question {
        statistic: read(statistic.parse::<Statistic>())?,
        privacy: read(privacy.parse::<Privacy>())?,
        method: read(method.map(str::parse::<Method>).transpose())?.unwrap_or_default(),
        epsilon: read(Epsilon::parse(epsilon))?,
        delta: read(delta.map(Delta::parse).transpose())?,
    };
    let make = move || {
        let graph = Graph::from_pairs(nodes, sources.into_iter().zip(targets));
        Batch::graph(&question, graph, listed, "a graph in memory")
    };
    Findings::of(py, make, RunSettings { releases, confidence }, progress)
}

/// A question in SQL, asked of the real curator in worlds that differ in one person.
#[pyfunction]
#[pyo3(signature = (sql, catalog, options, person, on_data, releases, confidence, progress))]
#[expect(clippy::too_many_arguments, reason = "everything that a caller may say, once")]
fn query(
    py: Python<'_>,
    sql: String,
    catalog: PathBuf,
    options: Vec<(String, String)>,
    person: Option<String>,
    on_data: bool,
    releases: Option<usize>,
    confidence: f64,
    progress: Option<Py<PyAny>>,
) -> PyResult<Findings> {
    let home = read(Home::open(&catalog))?;
    let mut chosen = Options::default();
    for (name, text) in &options {
        read(chosen.set(name, text))?;
    }
    let make = move || {
        let request = QuestionRequest {
            sql: &sql,
            options: chosen,
            person: person.as_deref(),
            rows: if on_data { Rows::Owners(&home.folder) } else { Rows::MadeUp },
        };
        PreparedQuestion::new(&home.catalog, &request)?.batch()
    };
    Findings::of(py, make, RunSettings { releases, confidence }, progress)
}

/// Everything that is built in, and every planted leak.
#[pyfunction]
#[pyo3(signature = (epsilon, releases, confidence, progress))]
fn everything(
    py: Python<'_>,
    epsilon: &str,
    releases: Option<usize>,
    confidence: f64,
    progress: Option<Py<PyAny>>,
) -> PyResult<Findings> {
    let epsilon = read(Epsilon::parse(epsilon))?;
    Findings::of(py, move || Batch::everything(&epsilon), RunSettings { releases, confidence }, progress)
}

fn read<T>(result: Result<T, impl Explained>) -> PyResult<T> {
    result.map_err(|error| raised(&error))
}

/// Adds the functions.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(mechanisms, module)?)?;
    module.add_function(wrap_pyfunction!(planted, module)?)?;
    module.add_function(wrap_pyfunction!(local, module)?)?;
    module.add_function(wrap_pyfunction!(graphs, module)?)?;
    module.add_function(wrap_pyfunction!(graph, module)?)?;
    module.add_function(wrap_pyfunction!(query, module)?)?;
    module.add_function(wrap_pyfunction!(everything, module)?)
}
