//! The trusted party: what it holds, and what it compares before it answers anybody. How it answers is in `ask.rs`.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use pointillist_catalog::Catalog;
use pointillist_engine::{Engine, EngineOptions, MemoryRows};
use pointillist_ledger::{Dataset, Ledger, MemoryAnchor, MemoryStore, Place};

use crate::data_place::DataPlace;
use crate::departures::Departures;
use crate::error::StartError;
use crate::graphs::Graphs;
use crate::pending::Leaving;
use crate::question_log::QuestionLog;
use crate::reply_clock::ReplyClock;
use crate::single_flight::SingleFlight;
use crate::slow_presentations::SlowPresentations;
use crate::statement_memory::StatementMemory;
use crate::watcher::Watcher;

/// The trusted party: it holds the data, answers questions and keeps the budget.
pub struct Curator {
    pub(crate) state: Arc<State>,
    pub(crate) reply_clock: ReplyClock,
}

/// What the curator holds under one catalog. What is shared is shared with the curators of other catalogs over the same
/// ledger ([`Curator::redeclared`]); of data that was read nothing is.
pub(crate) struct State {
    pub(crate) data: DataPlace,
    pub(crate) catalog: Catalog,
    /// What the catalog's names stand for: what the ledger was told, and must not have been told otherwise when it is charged.
    pub(crate) datasets: Arc<[Dataset]>,
    pub(crate) ledger: Arc<Ledger>,
    pub(crate) engine: Arc<Engine>,
    pub(crate) flights: SingleFlight,
    pub(crate) departures: Arc<Departures<Leaving>>,
    pub(crate) questions: Arc<QuestionLog>,
    pub(crate) graphs: Graphs,
    pub(crate) statements: StatementMemory,
    pub(crate) watcher: Watcher,
    pub(crate) slow_presentations: SlowPresentations,
    /// How long a server that holds rows may take: until replies leave.
    pub(crate) patience: Option<Duration>,
}

/// Where a curator keeps its things and how it works.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The ledger's folder and its anchor.
    pub place: Place,
    /// When replies leave.
    pub reply_clock: ReplyClock,
    /// Threads and memory.
    pub engine: EngineOptions,
    /// Who is told how far long work is.
    pub watcher: Watcher,
    /// Rows that are in memory: those of `memory:visits` by the name `visits`.
    pub memory: BTreeMap<String, MemoryRows>,
}

impl Settings {
    /// The ledger beside the catalog, in `.pointillist`, and replies as soon as they are ready.
    pub fn beside(folder: &Path) -> Self {
        let home = folder.join(".pointillist");
        Self {
            place: Place::new(home.join("ledger"), home.join("anchor")),
            reply_clock: ReplyClock::IMMEDIATE,
            engine: EngineOptions::default(),
            watcher: Watcher::default(),
            memory: BTreeMap::new(),
        }
    }
}

impl Curator {
    /// Opens the ledger and compares what it was told with what the catalog declares. `folder` is where sources are relative to.
    pub fn open(folder: &Path, catalog: Catalog, settings: Settings) -> Result<Self, StartError> {
        let ledger = Ledger::open(&settings.place, pointillist_ledger::Options::default())?;
        Self::with_ledger(folder, catalog, ledger, settings)
    }

    /// The same over a ledger that is open already.
    pub fn with_ledger(
        folder: &Path,
        catalog: Catalog,
        ledger: Ledger,
        settings: Settings,
    ) -> Result<Self, StartError> {
        let questions = QuestionLog::of(&settings.place);
        Self::with_books(folder, catalog, ledger, questions, settings)
    }

    /// The same over a ledger in memory, which is forgotten with the curator. Nothing is written anywhere.
    pub(crate) fn volatile(folder: &Path, catalog: Catalog, settings: Settings) -> Result<Self, StartError> {
        let (store, anchor) = (Box::<MemoryStore>::default(), Box::<MemoryAnchor>::default());
        let ledger = Ledger::open_on(store, anchor, Default::default())?;
        Self::with_books(folder, catalog, ledger, QuestionLog::nowhere(), settings)
    }

    fn with_books(
        folder: &Path,
        catalog: Catalog,
        ledger: Ledger,
        questions: QuestionLog,
        settings: Settings,
    ) -> Result<Self, StartError> {
        agree(folder, &catalog, &ledger)?;
        let engine = Engine::new(settings.engine).map_err(|error| StartError::Engine(error.to_string()))?;
        let state = State {
            data: DataPlace::folder(folder).with_memory(settings.memory),
            datasets: crate::datasets::declared(&catalog).into(),
            catalog,
            ledger: Arc::new(ledger),
            engine: Arc::new(engine),
            flights: SingleFlight::default(),
            departures: Arc::default(),
            questions: Arc::new(questions),
            graphs: Graphs::default(),
            statements: StatementMemory::default(),
            watcher: settings.watcher,
            slow_presentations: SlowPresentations::default(),
            patience: settings.reply_clock.due(),
        };
        Ok(Self { state: Arc::new(state), reply_clock: settings.reply_clock })
    }

    /// A curator over the same ledger under another catalog: other bounds and keys, or other versions of the data. What
    /// was kept of data that was read is not taken over, since the same names may stand for other files. Questions that
    /// are on their way finish under the catalog that they were asked under; the same question waits for them here, too.
    ///
    /// # Errors
    /// When its budgets, scopes, sources or units are not those that the ledger was told: exactly those of
    /// [`Curator::open`]. This curator goes on as it is then.
    pub fn redeclared(&self, catalog: Catalog) -> Result<Self, StartError> {
        let State { data, ledger, engine, flights, departures, questions, .. } = self.state.as_ref();
        agree(data.path(), &catalog, ledger)?;
        let state = State {
            data: data.clone(),
            datasets: crate::datasets::declared(&catalog).into(),
            catalog,
            ledger: Arc::clone(ledger),
            // It holds threads and limits, and nothing of data.
            engine: Arc::clone(engine),
            flights: flights.clone(),
            departures: Arc::clone(departures),
            questions: Arc::clone(questions),
            graphs: Graphs::default(),
            statements: StatementMemory::default(),
            watcher: self.state.watcher.clone(),
            slow_presentations: SlowPresentations::default(),
            patience: self.state.patience,
        };
        Ok(Self { state: Arc::new(state), reply_clock: self.reply_clock })
    }

    /// The same on another clock, for whoever reads one from a new catalog.
    #[must_use]
    pub fn with_reply_clock(mut self, reply_clock: ReplyClock) -> Self {
        // Servers are waited for as long as replies are; nobody has begun to ask this one.
        if let Some(state) = Arc::get_mut(&mut self.state) {
            state.patience = reply_clock.due();
        }
        Self { reply_clock, ..self }
    }

    /// What the owner declared.
    pub fn catalog(&self) -> &Catalog {
        &self.state.catalog
    }

    /// The budgets.
    pub fn ledger(&self) -> &Ledger {
        &self.state.ledger
    }
}

/// Compares what the ledger was told with what a catalog declares; new scopes, shares and datasets are written down.
fn agree(folder: &Path, catalog: &Catalog, ledger: &Ledger) -> Result<(), StartError> {
    crate::datasets::one_payer_a_file(folder, catalog)?;
    crate::budgets::agree(catalog, ledger)
}
