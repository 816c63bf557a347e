//! What both doors call: the curator of the catalog as it stands, who may come in, limits, the log and the counters.
//!
//! **Guarantee.** Who somebody is decides under which name they ask: [`Service::asker`]. Nobody but the owner asks as the owner, whatever
//! their name is. A question that was begun is finished and recorded, also where nobody waits for it any more.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock, Weak};
use std::time::{Duration, Instant};

use pointillist_access::{Access, Person, Role, Verb};
use pointillist_curator::{Ask, AskError, Curator, Executed, Home, Listing, OWNER, Rehearsal, rehearse};
use pointillist_pg_catalog::SystemCatalog;
use pointillist_publication::{Agreement, PlanFile, PublicationError, Shelf, approve_as};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

use crate::Limits;
use crate::http::{Audits, Moderation, Sessions};
use crate::log::{Event, Log};
use crate::login_failures::LoginFailures;
use crate::metrics::Metrics;
use crate::pending_connections::PendingConnections;
use crate::reload::Reloader;

/// Questions that are begun and not yet replied to; more than there are connections.
const UNFINISHED_MAX: u32 = 1 << 24;

/// Of all connections, the part that one address may hold on the wire without being let in.
const PENDING_PART: usize = 8;

/// How long somebody who has to leave may take.
const LEAVING: Duration = Duration::from_millis(100);

/// Statements of one person that are described, or answered from the system catalog, at once; further ones wait.
const ASIDE_PER_PERSON: usize = 3;

/// What is declared, as it stands: replaced as a whole when the catalog is read again.
pub(crate) struct Declared {
    /// Who answers.
    pub(crate) curator: Curator,
    /// The catalog and its folder. Its catalog is what analysts may see: embargoed releases are not in it.
    pub(crate) home: Home,
    /// What PostgreSQL's clients read about it.
    pub(crate) system: SystemCatalog,
    /// The name of the database that they connect to.
    pub(crate) database: String,
    /// What is published beside it.
    pub(crate) shelf: Shelf,
    /// The quantum of the reply clock.
    pub(crate) quantum: Duration,
}

/// What is declared and who may come in: replaced together, so that nobody is let in to a catalog that does not know them.
struct Standing {
    declared: Arc<Declared>,
    access: Arc<Access>,
}

/// Everything that doors share.
pub(crate) struct Service {
    standing: RwLock<Standing>,
    pub(crate) limits: Limits,
    pub(crate) log: Log,
    pub(crate) metrics: Metrics,
    /// Places for connections, of both doors together.
    pub(crate) connections: Arc<Semaphore>,
    /// Those of them that may have to leave for others, of both doors together.
    pub(crate) pending: Arc<PendingConnections>,
    /// Who failed to come in, at either door.
    pub(crate) login_failures: LoginFailures,
    /// The owner's own audits of questions.
    pub(crate) audits: Audits,
    /// How often strangers play.
    pub(crate) moderation: Moderation,
    /// Who reads the catalog again; nobody before the server has started, and after it has stopped.
    reloader: OnceLock<Weak<Reloader>>,
    /// Who is signed in to the console.
    pub(crate) sessions: Sessions,
    /// Questions that are being computed.
    computing: Arc<Semaphore>,
    /// Questions that were begun and have no reply yet: those that are computed, and those that wait for their moment.
    unfinished: Arc<Semaphore>,
    /// The same, person by person.
    by_person: Mutex<HashMap<String, PersonPlaces>>,
}

#[derive(Clone)]
struct PersonPlaces {
    questions: Arc<Semaphore>,
    connections: Arc<Semaphore>,
    aside: Arc<Semaphore>,
}

impl Service {
    pub(crate) fn new(declared: Declared, access: Access, limits: Limits, log: Log) -> Self {
        Self {
            standing: RwLock::new(Standing { declared: Arc::new(declared), access: Arc::new(access) }),
            connections: Arc::new(Semaphore::new(limits.connections)),
            pending: PendingConnections::new(limits.connections / PENDING_PART),
            login_failures: LoginFailures::default(),
            audits: Audits::default(),
            moderation: Moderation::default(),
            reloader: OnceLock::new(),
            sessions: Sessions::default(),
            computing: Arc::new(Semaphore::new(limits.questions)),
            unfinished: Arc::new(Semaphore::new(UNFINISHED_MAX as usize)),
            by_person: Mutex::default(),
            metrics: Metrics::default(),
            limits,
            log,
        }
    }

    /// The catalog as it stands. Whoever holds it finishes under it, whatever is read meanwhile.
    pub(crate) fn declared(&self) -> Arc<Declared> {
        Arc::clone(&self.standing.read().unwrap_or_else(PoisonError::into_inner).declared)
    }

    /// Who may come in, as it stands.
    pub(crate) fn access(&self) -> Arc<Access> {
        Arc::clone(&self.standing.read().unwrap_or_else(PoisonError::into_inner).access)
    }

    /// From now on, this is declared and these may come in.
    pub(crate) fn replace(&self, declared: Declared, access: Access) {
        let standing = Standing { declared: Arc::new(declared), access: Arc::new(access) };
        *self.standing.write().unwrap_or_else(PoisonError::into_inner) = standing;
    }

    /// From now on, this one reads the catalog again.
    pub(crate) fn set_reloader(&self, reloader: &Arc<Reloader>) {
        // There is one for each service.
        let _ = self.reloader.set(Arc::downgrade(reloader));
    }

    /// Who reads the catalog again.
    pub(crate) fn reloader(&self) -> Option<Arc<Reloader>> {
        self.reloader.get()?.upgrade()
    }

    /// The name under which somebody asks, or nothing where their name is not theirs to ask under.
    pub(crate) fn asker(person: &Person) -> Option<&str> {
        match person.role {
            Role::Owner | Role::Curator => Some(OWNER),
            Role::Analyst | Role::Auditor => Some(person.name.as_str()).filter(|name| *name != OWNER),
        }
    }

    /// What a statement is to the matrix of roles.
    pub(crate) fn verb_of(ask: &Ask) -> Verb {
        match (ask.explained().is_some(), Listing::of_statement(&ask.sql).is_some()) {
            (true, _) => Verb::Explain,
            (false, true) => Verb::Catalog,
            (false, false) => Verb::Ask,
        }
    }

    /// Answers, explains or lists, without holding a thread while the reply waits for its moment.
    pub(crate) async fn execute(self: &Arc<Self>, ask: Ask) -> Result<Executed, AskError> {
        let place = self.places_of(&ask.analyst).questions;
        let service = Arc::clone(self);
        let task = tokio::spawn(async move {
            let failed = |_| AskError::Failed;
            let _unfinished = Arc::clone(&service.unfinished).acquire_owned().await.map_err(failed)?;
            let turn = place.acquire_owned().await.map_err(failed)?;
            let computing = Arc::clone(&service.computing).acquire_owned().await.map_err(failed)?;
            let declared = service.declared();
            let begun_under = Arc::clone(&declared);
            let (sender, reply) = oneshot::channel();
            // Whoever asked may be gone; what was begun is recorded all the same.
            let then = move |executed| drop(sender.send(executed));
            let begun = tokio::task::spawn_blocking(move || declared.curator.execute_then(ask, then));
            // A thread that panicked has dropped the sender.
            let _ = begun.await;
            let reply = reply.await.unwrap_or(Err(AskError::Failed));
            // Not before the reply leaves: a place that is free again would tell, finer than the clock, when the answer was ready.
            drop((turn, computing));
            if let Err(AskError::Unavailable { table }) = &reply {
                service.log.service("data_unavailable", &why_unavailable(&begun_under.home, table));
            }
            reply
        });
        task.await.unwrap_or(Err(AskError::Failed))
    }

    /// What a statement would cost, `EXPLAIN` in front of it or not. Somebody who is neither the owner nor the asker is not
    /// told what was asked before or what is left.
    pub(crate) async fn explain(self: &Arc<Self>, role: Role, ask: Ask) -> Result<Executed, AskError> {
        let ask = match ask.explained() {
            Some(_) => ask,
            None => Ask { sql: format!("EXPLAIN {}", ask.sql), ..ask },
        };
        let executed = self.execute(ask).await?;
        Ok(match executed {
            Executed::Quote(mut quote) if role == Role::Curator => {
                (quote.is_free, quote.more) = (false, None);
                Executed::Quote(quote)
            }
            other => other,
        })
    }

    /// The same question on made-up rows.
    pub(crate) async fn rehearse(self: &Arc<Self>, ask: Ask) -> Result<Rehearsal, AskError> {
        let turn = self.places_of(&ask.analyst).questions;
        let turn = turn.acquire_owned().await.map_err(|_| AskError::Failed)?;
        let place = Arc::clone(&self.computing).acquire_owned().await.map_err(|_| AskError::Failed)?;
        let declared = self.declared();
        let made_up = tokio::task::spawn_blocking(move || {
            // Whoever hangs up gives their place back when the work ends, not before.
            let _places = (turn, place);
            rehearse(&declared.home.catalog, &ask)
        });
        made_up.await.unwrap_or(Err(AskError::Failed))
    }

    /// Reads something that is kept on disk, on a thread that may wait, in one of this person's places; nothing where that
    /// thread failed.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        person: &str,
        read: impl FnOnce(&Declared) -> T + Send + 'static,
    ) -> Option<T> {
        let turn = self.places_of(person).questions.acquire_owned().await.ok()?;
        let computing = Arc::clone(&self.computing).acquire_owned().await.ok()?;
        let declared = self.declared();
        let reading = tokio::task::spawn_blocking(move || {
            // Whoever hangs up gives their place back when the reading ends, not before.
            let _places = (turn, computing);
            read(&declared)
        });
        reading.await.ok()
    }

    /// Writes down that this person approves a plan as it is now. What was begun is recorded, also where nobody waits for it.
    pub(crate) async fn approve(
        self: &Arc<Self>,
        plan: PlanFile,
        who: &str,
    ) -> Result<Agreement, PublicationError> {
        let failed = |_| PublicationError::Internal("an approval that did not end");
        let places =
            [self.places_of(who).questions, Arc::clone(&self.computing), Arc::clone(&self.unfinished)];
        let mut held = Vec::new();
        for place in places {
            held.push(place.acquire_owned().await.map_err(failed)?);
        }
        let (declared, who) = (self.declared(), who.to_owned());
        let approved = tokio::task::spawn_blocking(move || {
            let _held = held;
            approve_as(&declared.home, &declared.curator, &plan, &who)
        });
        approved.await.unwrap_or(Err(PublicationError::Internal("an approval that did not end")))
    }

    /// A place among all connections, for which somebody who has said nothing yet may have to leave; nothing where
    /// everybody else is being answered.
    pub(crate) async fn place(&self) -> Option<OwnedSemaphorePermit> {
        if let Ok(place) = Arc::clone(&self.connections).try_acquire_owned() {
            return Some(place);
        }
        if !self.pending.evict_one() {
            return None;
        }
        let freed = tokio::time::timeout(LEAVING, Arc::clone(&self.connections).acquire_owned());
        freed.await.ok()?.ok()
    }

    /// A place for one more connection of this person; nothing where they have too many.
    pub(crate) fn connection_of(&self, person: &str) -> Option<OwnedSemaphorePermit> {
        self.places_of(person).connections.try_acquire_owned().ok()
    }

    /// This person's places for statements that are described, or answered from the system catalog.
    pub(crate) fn aside_of(&self, person: &str) -> Arc<Semaphore> {
        self.places_of(person).aside
    }

    /// How many whole quanta of the reply clock have passed since then.
    pub(crate) fn quanta_since(&self, begin: Instant) -> u64 {
        let quantum = self.declared().quantum.as_nanos().max(1);
        u64::try_from(begin.elapsed().as_nanos() / quantum).unwrap_or(u64::MAX)
    }

    /// Writes a request or a statement that is done with into the log, and counts it.
    pub(crate) fn done(&self, event: &Event<'_>) {
        self.log.event(event);
        self.metrics.request(event.door, event.verb, event.outcome);
    }

    /// Waits until everything that was begun is recorded.
    pub(crate) async fn idle(&self) {
        // Nobody closes the semaphore; if somebody did, nothing could be begun.
        let _ = self.unfinished.acquire_many(UNFINISHED_MAX).await;
    }

    fn places_of(&self, person: &str) -> PersonPlaces {
        let mut by_person = self.by_person.lock().unwrap_or_else(PoisonError::into_inner);
        let places = || PersonPlaces {
            questions: Arc::new(Semaphore::new(self.limits.questions_per_person)),
            connections: Arc::new(Semaphore::new(self.limits.connections_per_person)),
            aside: Arc::new(Semaphore::new(ASIDE_PER_PERSON)),
        };
        by_person.entry(person.to_owned()).or_insert_with(places).clone()
    }
}

/// Why the data of a table or a graph may not open, for the owner: where it is looked for, and what the file system says about that.
/// Which row or value was not understood is not said: a log holds no value.
fn why_unavailable(home: &Home, name: &str) -> String {
    let catalog = &home.catalog;
    let source = catalog.table(name).map(|table| table.source.as_str());
    let source = source.or_else(|| catalog.graphs.get(name).map(|graph| graph.source.as_str()));
    let Some(source) = source else { return format!("`{name}` is not declared") };
    let path = home.folder.join(source);
    let said = match std::fs::File::open(&path) {
        Err(error) => error.kind().to_string(),
        Ok(_) => {
            "it opens, and is not what the catalog declares; `pointillist check` looks closer".to_owned()
        }
    };
    format!("the data of `{name}` ({}): {said}", path.display())
}
