//! A curator in the process: the same life of a question as behind every door.
//!
//! **One process.** A curator holds threads, an open ledger and its lock. None of them comes along when a process is forked, so a
//! session that was opened in another process refuses to work, and leaves the parent's things alone when it is dropped.

mod answer_table;
mod frames;

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use pointillist_catalog::Catalog;
use pointillist_curator::{
    Ask, AskError, Clock, Curator, Executed, Home, OWNER, Patience, Quote, Reply, StartError, TableList,
    Watcher, rehearse,
};
use pointillist_errors::{Explained, Explanation, Kind};
use pointillist_graph::{Method, Statistic};
use pointillist_publication::with_releases;
use pointillist_query::{Options, Parameter};
use pyo3::prelude::*;
use serde_json::Value;

use crate::errors::{explained, raised, wrong};
use crate::interrupt::{interruptible, tell, watched};
use crate::submodule;
use answer_table::AnswerTable;
use frames::Frame;

/// The owner sits at the machine: replies come as soon as they are ready.
const CLOCK: Clock = Clock::Immediate;

/// A catalog, its ledger and its rows.
#[pyclass(frozen, module = "pointillist._native.curator", name = "Curator")]
struct Session {
    home: Home,
    /// Whether the ledger is in memory, and forgotten.
    is_volatile: bool,
    /// Opened with the first question that is to be paid for; the ledger is locked from then on.
    opened: Mutex<Option<Arc<Curator>>>,
    /// Whether a ledger in memory was closed.
    is_closed: AtomicBool,
    process: u32,
    /// What was left out when the folder of releases was read.
    #[pyo3(get)]
    warnings: Vec<String>,
}

/// What came of a statement: its JSON, its table and, where one was made, the model or table behind it.
#[pyclass(frozen, module = "pointillist._native.curator")]
pub struct Outcome {
    /// `answer`, `public`, `list`, `quote` or `rehearsal`.
    #[pyo3(get)]
    kind: &'static str,
    /// As the command line prints it.
    #[pyo3(get)]
    json: String,
    /// The table of an answer.
    #[pyo3(get)]
    table: Option<Py<AnswerTable>>,
    /// Price, what is left and receipt, in words.
    #[pyo3(get)]
    words: Vec<(&'static str, String)>,
    pub(crate) reply: Option<Box<Reply>>,
    pub(crate) quote: Option<Box<Quote>>,
    pub(crate) sql: String,
}

#[pymethods]
impl Session {
    /// The catalog of this path, or of this folder.
    #[staticmethod]
    fn open(path: PathBuf, wait: f64) -> PyResult<Self> {
        let path = if path.is_dir() { path.join("pointillist.toml") } else { path };
        let home = Home::open(&path).map_err(|error| raised(&error))?;
        let (home, warnings) = with_releases(home);
        Ok(Self::of(home.with_patience(patience(wait)?), false, warnings))
    }

    /// A catalog as text over frames by their names, with a ledger in a folder or, without one, in memory.
    #[staticmethod]
    fn of_frames(
        catalog: &str,
        frames: Vec<PyRef<'_, Frame>>,
        ledger: Option<PathBuf>,
        wait: f64,
    ) -> PyResult<Self> {
        let catalog = Catalog::parse(catalog).map_err(|error| raised(&error))?;
        let folder = ledger.clone().unwrap_or_default();
        let mut home = Home::new(folder, catalog).with_patience(patience(wait)?);
        home.memory = frames::rows_of(frames)?;
        home.data_place()
            .check_memory(&home.catalog)
            .map_err(|error| explained(&error.explanation().of_kind(Kind::Request)))?;
        let (home, mut warnings) = if ledger.is_some() { with_releases(home) } else { (home, Vec::new()) };
        warnings.extend(home.data_place().memory_notes(&home.catalog));
        Ok(Self::of(home, ledger.is_none(), warnings))
    }

    /// Executes a statement: pays for it, where it must be paid for.
    #[pyo3(signature = (sql, analyst, options, parameters, request_id=None, progress=None))]
    fn execute(
        slf: &Bound<'_, Self>,
        sql: String,
        analyst: String,
        options: Vec<(String, String)>,
        parameters: &str,
        request_id: Option<String>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Outcome> {
        let ask = ask(sql, analyst, &options, parameters, request_id)?;
        Self::executed(slf, ask, progress)
    }

    /// A statistic of a declared graph.
    #[pyo3(signature = (graph, statistic, method, analyst, options, request_id=None))]
    fn graph(
        slf: &Bound<'_, Self>,
        graph: &str,
        statistic: &str,
        method: Option<&str>,
        analyst: &str,
        options: Vec<(String, String)>,
        request_id: Option<String>,
    ) -> PyResult<Outcome> {
        let statistic: Statistic = statistic.parse().map_err(|error| raised(&error))?;
        let method = method.map_or(Ok(Method::default()), str::parse).map_err(|error| raised(&error))?;
        let options = priced(&options)?;
        let ask = Ask { request_id, ..Ask::about_graph(graph, statistic, method, options, analyst) };
        Self::executed(slf, ask, None)
    }

    /// What an answer would cost and how wrong it may be, as JSON; free.
    fn explain(
        slf: &Bound<'_, Self>,
        sql: String,
        analyst: String,
        options: Vec<(String, String)>,
        parameters: &str,
    ) -> PyResult<Outcome> {
        let asked = ask(sql, analyst, &options, parameters, None)?;
        let executed = Self::with_home(slf, move |home, curator| match curator {
            Some(curator) if !asked.is_public(curator.catalog()) => {
                let asked = asked.explained().unwrap_or(asked);
                curator.quote(&asked).map(|quote| Executed::Quote(Box::new(quote)))
            }
            _ => home.explain(&asked),
        })?;
        Outcome::new(slf.py(), executed.map_err(|error| raised(&error))?, String::new())
    }

    /// The same question about people who are made up from the catalog; free.
    fn rehearse(
        slf: &Bound<'_, Self>,
        sql: String,
        analyst: String,
        options: Vec<(String, String)>,
        parameters: &str,
    ) -> PyResult<Outcome> {
        let ask = ask(sql, analyst, &options, parameters, None)?;
        let rehearsed = Self::with_home(slf, move |home, _| rehearse(&home.catalog, &ask))?;
        let rehearsal = rehearsed.map_err(|error| raised(&error))?;
        let json = json(&rehearsal);
        let words = vec![("price", format!("nothing; a real answer would cost {}", rehearsal.price_words()))];
        let table = AnswerTable::new(rehearsal.answer, rehearsal.price.to_string(), true);
        let table = Some(Py::new(slf.py(), table)?);
        Ok(Outcome { kind: "rehearsal", json, table, words, reply: None, quote: None, sql: String::new() })
    }

    /// What is granted, spent and left, as JSON.
    fn budget(slf: &Bound<'_, Self>, analyst: String) -> PyResult<String> {
        let read = Self::with_home(slf, move |home, curator| match curator {
            Some(curator) => curator.balances().map_err(|error| error.explanation()),
            None => home.balances().map_err(|error| error.explanation()),
        })?;
        Ok(json(&read.map_err(|said| explained(&said))?.seen_by(&analyst)))
    }

    /// Who paid for what, as JSON, the oldest first.
    fn history(slf: &Bound<'_, Self>, analyst: String) -> PyResult<String> {
        if slf.get().is_volatile {
            return Err(wrong(
                "a ledger in memory keeps no history",
                "give the session a folder for its ledger",
            ));
        }
        let read = Self::with_home(slf, move |home, _| match analyst == OWNER {
            true => home.history(false).map(|history| json(&history)),
            false => home.own_history(&analyst).map(|history| json(&history)),
        })?;
        read.map_err(|error| raised(&error))
    }

    /// What can be asked about, as JSON.
    fn tables(&self) -> PyResult<String> {
        self.is_usable()?;
        Ok(json(&TableList::of(&self.home.catalog)))
    }

    /// What is declared, who is protected and what looks risky, as JSON.
    fn check(slf: &Bound<'_, Self>) -> PyResult<String> {
        let check = Self::with_home(slf, |home, _| match home.memory.is_empty() {
            true => home.check(),
            false => home.check_declarations(),
        })?;
        Ok(json(&check.map_err(|error| raised(&error))?))
    }

    /// How what is declared differs from what the ledger was told, as JSON; with `accept`, by the owner's decision, no longer.
    fn changes(slf: &Bound<'_, Self>, accept: bool) -> PyResult<String> {
        if slf.get().is_volatile {
            return Ok("[]".to_owned());
        }
        if accept {
            // Accepting writes, and a ledger has one writer.
            slf.get().close(slf.py());
        }
        let changes = Self::with_home(slf, move |home, _| match accept {
            true => home.accept_budgets(),
            false => home.budget_changes(),
        })?;
        Ok(json(&changes.map_err(|error| raised(&error))?))
    }

    /// Gives the ledger back, for other processes to use. A ledger in memory is gone then, and the session with it: opened again it
    /// would have its budget anew.
    fn close(&self, py: Python<'_>) {
        if self.is_usable().is_ok() {
            self.is_closed.store(self.is_volatile, Ordering::SeqCst);
            // Another thread may be waiting for the ledger, and the interpreter must not wait for it.
            let opened = py.detach(|| self.opened.lock().unwrap_or_else(PoisonError::into_inner).take());
            drop(opened);
        }
    }

    /// Where the values of a table in memory begin, column by column: what shows that nothing was copied.
    fn addresses(&self, table: &str) -> PyResult<Vec<(String, usize)>> {
        let rows = self.home.memory.get(table);
        let rows =
            rows.ok_or_else(|| wrong(format!("there is no frame `{table}`"), "name one of the frames"))?;
        Ok(frames::addresses(rows.batches()))
    }
}

impl Session {
    fn of(mut home: Home, is_volatile: bool, warnings: Vec<String>) -> Self {
        home.watcher = Watcher::new(tell);
        let process = std::process::id();
        let (opened, is_closed) = (Mutex::default(), AtomicBool::new(false));
        Self { home, is_volatile, opened, is_closed, process, warnings }
    }

    fn is_usable(&self) -> PyResult<()> {
        if self.is_closed.load(Ordering::SeqCst) {
            return Err(closed());
        }
        if self.process == std::process::id() {
            return Ok(());
        }
        Err(explained(
            &Explanation::new(Kind::Environment, "this session was opened in another process")
                .with_hint("open it again in this one; for several processes at once, connect to a server"),
        ))
    }

    /// The curator, opened now if it was not yet.
    fn curator(&self) -> Result<Arc<Curator>, StartError> {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(curator) = opened.as_ref() {
            return Ok(Arc::clone(curator));
        }
        // Looked at again under the lock: whoever closes it from another thread has set it before.
        if self.is_closed.load(Ordering::SeqCst) {
            return Err(StartError::Engine(CLOSED.to_owned()));
        }
        let curator = match self.is_volatile {
            true => self.home.volatile_curator(CLOCK)?,
            false => self.home.curator(CLOCK)?,
        };
        Ok(Arc::clone(opened.insert(Arc::new(curator))))
    }

    /// Work that locks no ledger, unless this session has it already.
    fn with_home<T: Send + 'static>(
        slf: &Bound<'_, Self>,
        work: impl FnOnce(&Home, Option<&Curator>) -> T + Send + 'static,
    ) -> PyResult<T> {
        slf.get().is_usable()?;
        let held: Py<Self> = slf.clone().unbind();
        let done = interruptible(slf.py(), move || {
            // Not before: another thread may be waiting for the ledger, and the interpreter must not wait for it.
            let session = held.get();
            let opened = match session.is_volatile {
                true => Some(session.curator()?),
                false => session.opened.lock().unwrap_or_else(PoisonError::into_inner).clone(),
            };
            Ok(work(&session.home, opened.as_deref()))
        });
        done?.map_err(|error: StartError| raised(&error))
    }

    fn executed(slf: &Bound<'_, Self>, ask: Ask, progress: Option<Py<PyAny>>) -> PyResult<Outcome> {
        slf.get().is_usable()?;
        let held: Py<Self> = slf.clone().unbind();
        let sql = ask.sql.clone();
        let done = watched(slf.py(), progress, move |errand| {
            let session = held.get();
            if !session.is_volatile && !ask.is_question() {
                return session.home.execute(&ask, CLOCK).map_err(|error| error.explanation());
            }
            let curator = session.curator().map_err(|error| error.explanation())?;
            // The ledger may have been waited for: whoever has gone since pays nothing.
            if errand.is_abandoned() {
                return Err(Explanation::new(Kind::Environment, "nobody waits for the answer any more"));
            }
            curator.execute(&ask).map_err(|error| refusal(&curator, &ask, &error))
        })?;
        Outcome::new(slf.py(), done.map_err(|said| explained(&said))?, sql)
    }
}

/// Whoever drops a session in a forked process must not close what the parent uses.
impl Drop for Session {
    fn drop(&mut self) {
        if self.process != std::process::id() {
            let opened = self.opened.get_mut().unwrap_or_else(PoisonError::into_inner).take();
            std::mem::forget(opened);
        }
    }
}

impl Outcome {
    fn new(py: Python<'_>, executed: Executed, sql: String) -> PyResult<Self> {
        let nothing =
            |kind, json| Self { kind, json, table: None, words: Vec::new(), reply: None, quote: None, sql };
        Ok(match executed {
            Executed::Answer(reply) => {
                let words = vec![
                    ("price", reply.paid_words()),
                    (
                        "left",
                        format!("{} {}; {}", reply.left_words(), reply.whose_words(), reply.more_words()),
                    ),
                    ("receipt", reply.receipt_words()),
                ];
                let table = AnswerTable::new(reply.answer.clone(), reply.price_words(), false);
                let table = Some(Py::new(py, table)?);
                Self { table, words, reply: Some(reply.clone()), ..nothing("answer", json(&reply)) }
            }
            Executed::Public(public) => {
                let words = vec![("price", pointillist_curator::FREE.to_owned())];
                let json = json(&public);
                let table = AnswerTable::new(public.answer, pointillist_curator::FREE.to_owned(), false);
                Self { table: Some(Py::new(py, table)?), words, ..nothing("public", json) }
            }
            Executed::List(list) => {
                let json = json(&list);
                let table = AnswerTable::read(&json)?;
                Self { table: Some(Py::new(py, table)?), ..nothing("list", json) }
            }
            Executed::Quote(quote) => {
                let words = quote.lines().into_iter().map(|line| (line.name, line.text)).collect();
                let json = json(&quote);
                Self { words, quote: Some(quote), ..nothing("quote", json) }
            }
            Executed::PublicQuote(quote) => {
                let words = quote.lines().into_iter().map(|line| (line.name, line.text)).collect();
                Self { words, ..nothing("quote", json(&quote)) }
            }
        })
    }
}

const CLOSED: &str = "this session is closed, and its ledger was in memory";

fn closed() -> PyErr {
    explained(
        &Explanation::new(Kind::Environment, CLOSED)
            .with_hint("make a new session; for a budget that outlives it, give it a folder as `ledger`"),
    )
}

/// What an error says; of a price that is too high, with one that fits.
fn refusal(curator: &Curator, ask: &Ask, error: &AskError) -> Explanation {
    let too_expensive = || Some((error.exhausted()?.to_owned(), curator.too_expensive(ask)?));
    match too_expensive() {
        Some((whose, question)) => {
            question.explanation(&whose, |fits| format!("{}={}", fits.option, fits.value))
        }
        None => error.explanation(),
    }
}

fn patience(seconds: f64) -> PyResult<Patience> {
    let longest = Duration::try_from_secs_f64(seconds);
    let longest = longest.map_err(|_| wrong("wait is no number of seconds", "give 0, or a few seconds"))?;
    Ok(Patience { longest, waiting: || {} })
}

fn ask(
    sql: String,
    analyst: String,
    options: &[(String, String)],
    parameters: &str,
    request_id: Option<String>,
) -> PyResult<Ask> {
    let parameters: Option<Vec<Value>> = serde_json::from_str(parameters).ok();
    let parameters = parameters.and_then(|values| values.iter().map(parameter).collect::<Option<Vec<_>>>());
    let parameters = parameters.ok_or_else(|| {
        wrong(
            "a parameter is neither a number, a text, a truth value nor None",
            "write days and moments as texts",
        )
    })?;
    Ok(Ask { options: priced(options)?, request_id, parameters, ..Ask::new(sql, analyst) })
}

/// The same words as everywhere: numbers are read by the planner, exactly.
fn priced(given: &[(String, String)]) -> PyResult<Options> {
    let mut options = Options::default();
    for (name, text) in given {
        options.set(name, text).map_err(|error| raised(&error))?;
    }
    Ok(options)
}

/// A value beside the statement; a text becomes what stands beside it, as a quoted literal does.
fn parameter(value: &Value) -> Option<Parameter> {
    Some(match value {
        Value::Null => Parameter::Null,
        Value::Bool(truth) => Parameter::Boolean(*truth),
        Value::Number(number) => Parameter::Number(number.to_string()),
        Value::String(text) => Parameter::Untyped(text.clone()),
        Value::Array(values) if !values.iter().any(Value::is_array) => {
            Parameter::List(values.iter().map(parameter).collect::<Option<_>>()?)
        }
        Value::Array(_) | Value::Object(_) => return None,
    })
}

/// As the command line prints it.
fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// Adds the module.
pub fn register(parent: &Bound<'_, PyModule>) -> PyResult<()> {
    let module = submodule(parent, "curator")?;
    module.add_class::<Session>()?;
    module.add_class::<Outcome>()?;
    module.add_class::<AnswerTable>()?;
    module.add_class::<Frame>()
}
