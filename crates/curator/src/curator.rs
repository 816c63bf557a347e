//! Plan, charge, aggregate, release, record: the life of one question.
//!
//! **Guarantee.** Everything that [`Curator::ask`] returns or refuses obeys the bound that the ledger keeps, for
//! analysts who choose each question in the light of all answers so far. Before the debit nothing looks at a
//! row: plans, prices and refusals are functions of the SQL, the catalog and the ledger. After it, every outcome
//! is either the recorded answer or one constant failure, and the debit stays.
//! **Order.** The receipt exists once the debit is durable; reading rows borrows it, adding noise borrows it,
//! recording consumes it, and only what was recorded is returned.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};
use std::time::Instant;

use pointillist_catalog::{Budget, Catalog, OWNER, Table};
use pointillist_engine::{Engine, EngineOptions, Scan, Source};
use pointillist_ledger::{
    Amount, Charge, Charged, Digest, Ledger, Place, Price, Question, Receipt, Repeated,
};
use pointillist_mechanisms::MechanismError;
use pointillist_noise::with_system_bits;
use pointillist_privacy::conversion::zcdp_epsilon_upper;
use pointillist_privacy::filter::ZcdpCost;
use pointillist_query::plan::{Cost, PrivatePlan, Relation};
use pointillist_query::{Options, Refusal, plan};

use crate::answer::Answer;
use crate::error::{AskError, StartError};
use crate::gate::Gate;
use crate::release::{Released, release};
use crate::reply::{Paid, ReceiptFacts, Reply};
use crate::schedule::Schedule;
use crate::stored::{decode, encode};

/// The trusted party: it holds the data, answers questions and keeps the budget.
pub struct Curator {
    held: Arc<Held>,
    schedule: Schedule,
}

struct Held {
    folder: PathBuf,
    catalog: Catalog,
    ledger: Ledger,
    engine: Engine,
    gate: Gate,
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
    /// Threads, memory, temporary space.
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
    /// Opens the ledger and compares its budgets with the catalog's. `folder` is where sources are relative to.
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
        crate::budgets::agree(&catalog, &ledger)?;
        let engine = Engine::new(settings.engine).map_err(|error| StartError::Engine(error.to_string()))?;
        let held = Held { folder: folder.to_owned(), catalog, ledger, engine, gate: Gate::default() };
        Ok(Self { held: Arc::new(held), schedule: settings.schedule })
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
        let held = &self.held;
        let plan = Arc::new(plan(&held.catalog, &ask.sql, &ask.options)?);
        held.admit(&ask.analyst, &plan.scope)?;
        check_presentable(&plan)?;
        let scan = held.scan(&plan)?;
        let price = ledger_price(&plan.cost);
        let question = held.question(&plan);
        let charge = Charge {
            request_id: ask.request_id.clone(),
            analyst: ask.analyst.clone(),
            scope: plan.scope.clone(),
            price,
            question: question.clone(),
            request: Digest::of(
                "pointillist request",
                &[ask.sql.as_bytes(), &pointillist_query::canonical(&plan)],
            ),
        };
        // From here on what happens, and when, may depend on data and on other questions: one clock for all of it. What
        // others can see, records included, comes after the wait.
        let passage = held.gate.pass(question.id());
        let charged = held.ledger.charge(charge);
        let computed = match charged {
            Ok(Charged::Fresh(receipt)) => {
                self.compute_in_time(receipt, &plan, scan, arrived).map(|now| Computed::Now(Box::new(now)))
            }
            Ok(Charged::Repeat(repeated)) => Ok(Computed::Before(repeated)),
            Err(error) => Err(error.into()),
        };
        std::thread::sleep(self.schedule.wait(arrived.elapsed()));
        let reply = computed.and_then(|computed| {
            let answered = match computed {
                Computed::Now(now) => {
                    let (receipt, released) = *now;
                    held.record(receipt, released)?
                }
                Computed::Before(repeated) => held.repeat(&repeated, ask, &plan.scope)?,
            };
            let reply = || held.reply(ask, &plan, &price, answered);
            catch_unwind(AssertUnwindSafe(reply)).unwrap_or(Err(AskError::Failed))
        });
        drop(passage);
        reply
    }

    /// Computes before the moment at which answers leave, where there is one; else fails at that moment, and what is
    /// computed too late is forgotten.
    fn compute_in_time(
        &self,
        receipt: Receipt,
        plan: &Arc<PrivatePlan>,
        scan: Scan,
        arrived: Instant,
    ) -> Result<(Receipt, Released), AskError> {
        let Some(due) = self.schedule.due() else {
            let released = self.held.compute(&receipt, plan, scan)?;
            return Ok((receipt, released));
        };
        let (sender, receiver) = mpsc::sync_channel(1);
        let (held, plan) = (Arc::clone(&self.held), Arc::clone(plan));
        std::thread::spawn(move || {
            let released = held.compute(&receipt, &plan, scan);
            // Nobody may be waiting any more: then the receipt is dropped, and what it paid stays paid.
            let _ = sender.send((receipt, released));
        });
        let in_time = receiver.recv_timeout(due.saturating_sub(arrived.elapsed()));
        let (receipt, released) = in_time.map_err(|_| AskError::Failed)?;
        Ok((receipt, released?))
    }
}

/// What there is to tell once the moment has come.
enum Computed {
    Now(Box<(Receipt, Released)>),
    Before(Repeated),
}

/// Released numbers and where they are recorded.
struct Answered {
    released: Released,
    paid: Paid,
    seq: u64,
    hash: String,
}

impl Held {
    fn table(&self, plan: &PrivatePlan) -> Option<&Table> {
        let Relation::Table { name, .. } = &plan.aggregation.relation;
        self.catalog.tables.get(name)
    }

    /// Whether this analyst may ask about this population at all.
    fn admit(&self, analyst: &str, scope: &str) -> Result<(), AskError> {
        if analyst == OWNER {
            return Ok(());
        }
        let declared = self.catalog.analysts.get(analyst);
        let declared = declared.ok_or_else(|| AskError::Unknown { analyst: analyst.to_owned() })?;
        let closed = || AskError::Closed { analyst: analyst.to_owned(), scope: scope.to_owned() };
        declared.shares.contains_key(scope).then_some(()).ok_or_else(closed)
    }

    /// Finds the files and their schemas; reads no row.
    fn scan(&self, plan: &PrivatePlan) -> Result<Scan, AskError> {
        let Relation::Table { name, .. } = &plan.aggregation.relation;
        let unavailable = || AskError::Unavailable { table: name.clone() };
        let table = self.table(plan).ok_or_else(unavailable)?;
        let source = Source::open(&self.folder, &table.source).map_err(|_| unavailable())?;
        self.engine.scan(&source, &plan.aggregation).map_err(|_| unavailable())
    }

    /// What identifies the numbers that are released: everything but what is computed from them afterwards.
    fn question(&self, plan: &PrivatePlan) -> Question {
        let mut canonical = pointillist_query::canonical_release(plan);
        let version = self.table(plan).map_or("", |table| &table.version);
        canonical.extend((version.len() as u64).to_be_bytes());
        canonical.extend(version.as_bytes());
        Question::new(&canonical)
    }

    /// Reads and adds noise. The receipt is shown for both.
    fn compute(&self, receipt: &Receipt, plan: &PrivatePlan, scan: Scan) -> Result<Released, AskError> {
        let compute = || -> Result<Released, AskError> {
            let groups = self.engine.aggregate(scan, &plan.aggregation).map_err(|_| AskError::Failed)?;
            with_system_bits(|bits| release(groups, plan, receipt, bits)).map_err(|_| AskError::Failed)
        };
        catch_unwind(AssertUnwindSafe(compute)).unwrap_or(Err(AskError::Failed))
    }

    /// Hands in the receipt with what it paid for. Only what was recorded may leave.
    fn record(&self, receipt: Receipt, released: Released) -> Result<Answered, AskError> {
        // The reservation's number and hash, not the answer's: those tell when the answer was ready.
        let (seq, hash) = (receipt.seq(), receipt.hash().to_string());
        self.ledger.record(receipt, &encode(&released)).map_err(|_| AskError::Failed)?;
        Ok(Answered { released, paid: Paid::InFull, seq, hash })
    }

    /// What was recorded before.
    fn repeat(&self, repeated: &Repeated, ask: &Ask, scope: &str) -> Result<Answered, AskError> {
        let has_share = self.ledger.granted_share(scope, &ask.analyst)?.is_some();
        let is_free = repeated.share_cost == Amount::ZERO || !has_share;
        let paid = if is_free { Paid::Nothing } else { Paid::ShareOnly };
        let released = decode(&repeated.answer).ok_or(AskError::Failed)?;
        Ok(Answered { released, paid, seq: repeated.reserve_seq, hash: String::new() })
    }

    fn reply(
        &self,
        ask: &Ask,
        plan: &PrivatePlan,
        price: &Price,
        answered: Answered,
    ) -> Result<Reply, AskError> {
        let answer = Answer::new(plan, &answered.released).map_err(|_| AskError::Failed)?;
        let share = self.ledger.share(&plan.scope, &ask.analyst)?.filter(|share| share.granted.is_some());
        let mut left = match share {
            Some(share) => share,
            None => self.ledger.balance(&plan.scope)?.ok_or(AskError::Failed)?,
        };
        // How much is still being answered tells when answers are ready: the owner's business.
        left.unreleased = Amount::ZERO;
        Ok(Reply {
            answer,
            epsilon_at_delta: epsilon_at_delta(&self.catalog, plan),
            cost: plan.cost.clone(),
            paid: answered.paid,
            receipt: ReceiptFacts {
                seq: answered.seq,
                hash: answered.hash,
                scope: plan.scope.clone(),
                analyst: ask.analyst.clone(),
            },
            left,
            more: self.ledger.how_many_more(&plan.scope, &ask.analyst, price)?.unwrap_or(0),
        })
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

/// A plan's cost in ε, at the δ that its scope's owner reads ε at.
pub fn epsilon_at_delta(catalog: &Catalog, plan: &PrivatePlan) -> Option<(f64, String)> {
    let Budget::Zcdp { conversion_delta, .. } = &catalog.scopes.get(&plan.scope)?.budget else {
        return None;
    };
    let Cost::Zcdp { rho, .. } = &plan.cost else {
        return None;
    };
    let at = zcdp_epsilon_upper(rho, conversion_delta).ok()?;
    Some((at.epsilon.value().to_f64_upper(), conversion_delta.to_string()))
}
