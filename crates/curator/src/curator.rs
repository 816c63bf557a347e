//! The trusted party, and what it does with a question about rows before and after it is paid for.
//!
//! **Guarantee.** Everything that [`Curator::ask`] returns or refuses obeys the bound that the ledger keeps, for
//! analysts who choose each question in the light of all answers so far. Before the debit nothing looks at a
//! row: plans, prices and refusals are functions of the SQL, the catalog and the ledger. What happens from the debit
//! on is the same for every question: see `settle.rs`.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use pointillist_catalog::{Budget, Catalog, OWNER, Table};
use pointillist_engine::{Engine, EngineOptions, Scan, Source};
use pointillist_ledger::{Digest, Ledger, Place, Price, Receipt};
use pointillist_mechanisms::MechanismError;
use pointillist_noise::with_system_bits;
use pointillist_plan::{Cost, PrivatePlan, Relation};
use pointillist_privacy::conversion::zcdp_epsilon_upper;
use pointillist_privacy::filter::ZcdpCost;
use pointillist_query::{Options, Refusal, Statement, statement};

use crate::answer::Answer;
use crate::error::{AskError, StartError};
use crate::gate::Gate;
use crate::graphs::Graphs;
use crate::order::Order;
use crate::question_log::QuestionLog;
use crate::release::{Released, release};
use crate::reply::Reply;
use crate::reuse::conform;
use crate::schedule::Schedule;
use crate::settle::Ready;

/// The trusted party: it holds the data, answers questions and keeps the budget.
pub struct Curator {
    pub(crate) held: Arc<Held>,
    pub(crate) schedule: Schedule,
}

/// What the curator holds.
pub(crate) struct Held {
    pub(crate) folder: PathBuf,
    pub(crate) catalog: Catalog,
    pub(crate) ledger: Ledger,
    pub(crate) engine: Engine,
    pub(crate) gate: Gate,
    pub(crate) questions: QuestionLog,
    pub(crate) graphs: Graphs,
}

/// A question and who asks it.
#[derive(Clone, Debug)]
pub struct Ask {
    /// The question.
    pub sql: String,
    /// The price, unless the statement says it.
    pub options: Options,
    /// Who asks: an analyst of the catalog, or [`OWNER`].
    pub analyst: String,
    /// The asker's name for this request, so that it can be repeated safely.
    pub request_id: Option<String>,
}

/// Where a curator keeps its things and how it works.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The ledger's folder and its anchor.
    pub place: Place,
    /// When replies leave.
    pub schedule: Schedule,
    /// Threads and memory.
    pub engine: EngineOptions,
}

impl Settings {
    /// The ledger beside the catalog, in `.pointillist`, and replies as soon as they are ready.
    pub fn beside(folder: &Path) -> Self {
        let home = folder.join(".pointillist");
        Self {
            place: Place::new(home.join("ledger"), home.join("anchor")),
            schedule: Schedule::IMMEDIATE,
            engine: EngineOptions::default(),
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
        crate::datasets::one_payer_a_file(folder, &catalog)?;
        crate::budgets::agree(&catalog, &ledger)?;
        let engine = Engine::new(settings.engine).map_err(|error| StartError::Engine(error.to_string()))?;
        let held = Held {
            folder: folder.to_owned(),
            catalog,
            ledger,
            engine,
            gate: Gate::default(),
            questions: QuestionLog::of(&settings.place),
            graphs: Graphs::default(),
        };
        Ok(Self { held: Arc::new(held), schedule: settings.schedule })
    }

    /// The same curator and ledger under another catalog: other bounds and keys, or other versions of the data. What was
    /// kept of data that was read is forgotten, since the same names may stand for other files.
    ///
    /// # Errors
    /// When its budgets, scopes, sources or units are not those that the ledger was told, and while a question is still being answered.
    pub fn with_catalog(self, catalog: Catalog) -> Result<Self, StartError> {
        crate::datasets::one_payer_a_file(&self.held.folder, &catalog)?;
        crate::budgets::agree(&catalog, &self.held.ledger)?;
        let busy = |_| StartError::Engine("a question is still being answered".to_owned());
        let held = Arc::try_unwrap(self.held).map_err(busy)?;
        Ok(Self {
            held: Arc::new(Held { catalog, graphs: Graphs::default(), ..held }),
            schedule: self.schedule,
        })
    }

    /// What the owner declared.
    pub fn catalog(&self) -> &Catalog {
        &self.held.catalog
    }

    /// The budgets.
    pub fn ledger(&self) -> &Ledger {
        &self.held.ledger
    }

    /// Answers a question, or says why not.
    pub fn ask(&self, ask: &Ask) -> Result<Reply, AskError> {
        let arrived = Instant::now();
        // Refusals are functions of public things and leave at once.
        match statement(&self.held.catalog, &ask.sql, &ask.options)? {
            Statement::Rows(plan) => self.ask_about_rows(ask, *plan, arrived),
            Statement::Graph(question) => self.ask_about_graph(ask, &question, arrived),
        }
    }

    fn ask_about_rows(&self, ask: &Ask, plan: PrivatePlan, arrived: Instant) -> Result<Reply, AskError> {
        let held = &self.held;
        held.admit(&ask.analyst, &plan.scope)?;
        check_presentable(&plan)?;
        let table = held.table(&plan)?;
        let scan = held.scan(table, &plan)?;
        let canonical = pointillist_plan::canonical(&plan);
        let order = Arc::new(Order::about_rows(plan, table));
        let ready = Ready {
            analyst: ask.analyst.clone(),
            request_id: ask.request_id.clone(),
            scope: order.scope().to_owned(),
            cost: order.cost().clone(),
            question: order.question().clone(),
            plan: Some(order.shared()),
            words: ask.sql.clone(),
            request: Digest::of("pointillist request", &[ask.sql.as_bytes(), &canonical]),
            compute: {
                let order = Arc::clone(&order);
                Box::new(move |held, receipt| held.compute(receipt, &order, scan))
            },
        };
        self.settle(ready, arrived, |recorded| {
            let (plan, released) = conform(order.work(), recorded).ok_or(AskError::Failed)?;
            Answer::new(&plan, &released).map_err(|_| AskError::Failed)
        })
    }
}

impl Held {
    fn table(&self, plan: &PrivatePlan) -> Result<&Table, AskError> {
        let Relation::Table { name, .. } = &plan.aggregation.relation;
        self.catalog.tables.get(name).ok_or_else(|| AskError::Unavailable { table: name.clone() })
    }

    /// Whether this analyst may ask about this population at all.
    pub(crate) fn admit(&self, analyst: &str, scope: &str) -> Result<(), AskError> {
        if analyst == OWNER {
            return Ok(());
        }
        let declared = self.catalog.analysts.get(analyst);
        let declared = declared.ok_or_else(|| AskError::Unknown { analyst: analyst.to_owned() })?;
        let closed = || AskError::Closed { analyst: analyst.to_owned(), scope: scope.to_owned() };
        declared.shares.contains_key(scope).then_some(()).ok_or_else(closed)
    }

    /// Finds the files and their schemas and holds them open; reads no row.
    fn scan(&self, table: &Table, plan: &PrivatePlan) -> Result<Scan, AskError> {
        let unavailable = |_| AskError::Unavailable { table: table.name.clone() };
        let source = Source::open(&self.folder, &table.source).map_err(unavailable)?;
        self.engine.scan(&source, &plan.aggregation).map_err(unavailable)
    }

    /// Reads and adds noise, if the receipt is that of the order.
    fn compute(
        &self,
        receipt: &Receipt,
        order: &Order<PrivatePlan>,
        scan: Scan,
    ) -> Result<Released, AskError> {
        let paid = order.paid_by(receipt)?;
        let groups = self.engine.aggregate(scan, &paid.work().aggregation).map_err(|_| AskError::Failed)?;
        with_system_bits(|bits| release(&groups, &paid, bits)).map_err(|_| AskError::Failed)
    }
}

/// The formulas of an answer are tried on no groups at all before anything is paid.
fn check_presentable(plan: &PrivatePlan) -> Result<(), Refusal> {
    let nothing = Released { keys: Vec::new(), measures: vec![Vec::new(); plan.releases.len()] };
    let unpresentable = |error: MechanismError| {
        Refusal::not_provable(
            error.to_string(),
            "ask for other aggregates, or report this as a mistake of ours",
        )
    };
    Answer::new(plan, &nothing).map(|_| ()).map_err(unpresentable)
}

/// What the ledger is asked to take.
pub fn ledger_price(cost: &Cost) -> Price {
    match cost {
        Cost::Zcdp { rho, delta } => Price::zcdp(&ZcdpCost::new(rho, delta)),
        Cost::Pure { epsilon } => Price::pure(epsilon),
    }
}

/// A cost in ε, at the δ that the scope's owner reads ε at.
pub fn epsilon_at_delta(catalog: &Catalog, scope: &str, cost: &Cost) -> Option<(f64, String)> {
    let Budget::Zcdp { conversion_delta, .. } = &catalog.scopes.get(scope)?.budget else {
        return None;
    };
    let Cost::Zcdp { rho, .. } = cost else {
        return None;
    };
    let at = zcdp_epsilon_upper(rho, conversion_delta).ok()?;
    Some((at.epsilon.value().to_f64_upper(), conversion_delta.to_string()))
}
