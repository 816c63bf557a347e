//! Arrays and lists of ids as ties.
//!
//! **Guarantee.** The library's own rule (`graph/src/read/builder.rs`): which node an id stands for follows from the id alone,
//! and different ids of a column stand for different nodes. A number equals its decimal text, so whoever calls sees to it that a graph has ids
//! of one kind.

use std::collections::HashMap;

use numpy::PyReadonlyArray1;
use numpy::ndarray::ArrayView1;
use pointillist_graph::read::{GraphBuilder, NodeList, label};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{PyList, PyString};

use super::TEXT;
use crate::errors::{raised, wrong};

/// Ids between two looks at signals.
const BATCH: usize = 1 << 18;

/// A column of ids, where it lies.
pub enum Ids<'py> {
    Signed(PyReadonlyArray1<'py, i64>),
    Unsigned(PyReadonlyArray1<'py, u64>),
    Texts(Vec<PyBackedStr>),
}

/// The same, to be read without the interpreter's lock.
enum View<'a> {
    Signed(ArrayView1<'a, i64>),
    Unsigned(ArrayView1<'a, u64>),
    Texts(&'a [PyBackedStr]),
}

/// A graph that is being built, and the texts of those ids that are not their own labels.
pub struct Ties {
    pub builder: GraphBuilder,
    pub texts: HashMap<u128, Box<str>>,
    /// Ties without two ids.
    pub skipped: u64,
}

impl<'a, 'py> FromPyObject<'a, 'py> for Ids<'py> {
    type Error = PyErr;

    fn extract(given: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(array) = given.extract() {
            return Ok(Self::Signed(array));
        }
        if let Ok(array) = given.extract() {
            return Ok(Self::Unsigned(array));
        }
        let odd = || wrong("this is no column of ids", "give whole numbers, or texts");
        let list = given.cast::<PyList>().map_err(|_| odd())?;
        let text = |item: Bound<'py, PyAny>| -> PyResult<PyBackedStr> {
            let text = item.cast_into::<PyString>().map_err(|_| odd())?;
            PyBackedStr::try_from(text)
                .map_err(|_| wrong("an id is no text that can be written down", "give texts of Unicode"))
        };
        Ok(Self::Texts(list.iter().map(text).collect::<PyResult<_>>()?))
    }
}

impl Ids<'_> {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.view().len()
    }

    fn view(&self) -> View<'_> {
        match self {
            Self::Signed(array) => View::Signed(array.as_array()),
            Self::Unsigned(array) => View::Unsigned(array.as_array()),
            Self::Texts(texts) => View::Texts(texts),
        }
    }
}

impl View<'_> {
    fn len(&self) -> usize {
        match self {
            Self::Signed(array) => array.len(),
            Self::Unsigned(array) => array.len(),
            Self::Texts(texts) => texts.len(),
        }
    }

    /// The label of an id; its text is remembered where the label does not tell it.
    fn label(&self, place: usize, texts: &mut HashMap<u128, Box<str>>) -> Option<u128> {
        let mut of_text = |text: &str| {
            let label = label(text.as_bytes())?;
            if label >= TEXT {
                texts.entry(label).or_insert_with(|| text.into());
            }
            Some(label)
        };
        match self {
            Self::Signed(array) => match u64::try_from(array[place]) {
                Ok(number) => Some(number.into()),
                Err(_) => of_text(&array[place].to_string()),
            },
            Self::Unsigned(array) => Some(array[place].into()),
            Self::Texts(ids) => of_text(&ids[place]),
        }
    }
}

impl Ties {
    /// No ties yet, between the nodes of a list or between any.
    pub fn new(py: Python<'_>, listed: Option<&Ids<'_>>) -> PyResult<Self> {
        let mut texts = HashMap::new();
        let list = match listed {
            None => None,
            Some(listed) => {
                let mut labels = Vec::with_capacity(listed.len());
                let view = listed.view();
                in_batches(py, view.len(), |place| labels.extend(view.label(place, &mut texts)))?;
                Some(py.detach(|| NodeList::from_labels(labels)).map_err(|error| raised(&error))?)
            }
        };
        Ok(Self { builder: GraphBuilder::new(list), texts, skipped: 0 })
    }

    /// Adds ties by their two ends.
    pub fn add(&mut self, py: Python<'_>, sources: &Ids<'_>, targets: &Ids<'_>) -> PyResult<()> {
        let (sources, targets) = (sources.view(), targets.view());
        if sources.len() != targets.len() {
            return Err(wrong(
                "there are not as many sources as targets",
                "give the two ends of every tie, at the same place of both",
            ));
        }
        in_batches(py, sources.len(), |place| {
            let ends = (sources.label(place, &mut self.texts), targets.label(place, &mut self.texts));
            match ends {
                (Some(one), Some(other)) => self.builder.add_labels(one, other),
                _ => self.skipped += 1,
            }
        })
    }

    /// Adds nodes that may have no ties. A loop is no tie, and its end is a node.
    pub fn add_nodes(&mut self, py: Python<'_>, nodes: &Ids<'_>) -> PyResult<()> {
        let nodes = nodes.view();
        in_batches(py, nodes.len(), |place| {
            if let Some(node) = nodes.label(place, &mut self.texts) {
                self.builder.add_labels(node, node);
            }
        })
    }
}

/// Visits all places, without the interpreter's lock, and looks after signals now and then.
fn in_batches(py: Python<'_>, count: usize, mut visit: impl FnMut(usize) + Send) -> PyResult<()> {
    for start in (0..count).step_by(BATCH) {
        py.detach(|| (start..count.min(start + BATCH)).for_each(&mut visit));
        py.check_signals()?;
    }
    Ok(())
}
