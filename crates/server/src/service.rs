//! What both doors call: the curator of the catalog as it stands, who may come in, limits.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use pointillist_access::Access;
use pointillist_curator::{Ask, AskError, Curator, Executed};
use pointillist_pg_catalog::SystemCatalog;
use tokio::sync::Semaphore;

use crate::Limits;

/// What is declared, as it stands: replaced as a whole when the catalog is read again.
pub(crate) struct Declared {
    /// Who answers.
    pub(crate) curator: Curator,
    /// What PostgreSQL's clients read about it.
    pub(crate) system: SystemCatalog,
    /// The name of the database that they connect to.
    pub(crate) database: String,
}

/// Everything that doors share.
pub(crate) struct Service {
    declared: RwLock<Arc<Declared>>,
    access: RwLock<Arc<Access>>,
    pub(crate) limits: Limits,
    /// Questions that are being computed.
    computing: Arc<Semaphore>,
    /// The same, person by person.
    by_person: Mutex<HashMap<String, Arc<Semaphore>>>,
}

impl Service {
    pub(crate) fn new(declared: Declared, access: Access, limits: Limits) -> Self {
        Self {
            declared: RwLock::new(Arc::new(declared)),
            access: RwLock::new(Arc::new(access)),
            computing: Arc::new(Semaphore::new(limits.questions)),
            by_person: Mutex::default(),
            limits,
        }
    }

    /// The catalog as it stands. Whoever holds it finishes under it, whatever is read meanwhile.
    pub(crate) fn declared(&self) -> Arc<Declared> {
        Arc::clone(&self.declared.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Who may come in, as it stands.
    pub(crate) fn access(&self) -> Arc<Access> {
        Arc::clone(&self.access.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Answers, explains or lists, without holding a thread while the reply waits for its moment. What was begun is finished and
    /// recorded, also where nobody waits for it any more.
    pub(crate) async fn execute(self: &Arc<Self>, ask: Ask) -> Result<Executed, AskError> {
        let person = self.turn_of(&ask.analyst);
        let service = Arc::clone(self);
        let task = tokio::spawn(async move {
            let _turn = person.acquire_owned().await.map_err(|_| AskError::Failed)?;
            let _place =
                Arc::clone(&service.computing).acquire_owned().await.map_err(|_| AskError::Failed)?;
            let declared = service.declared();
            let computed = tokio::task::spawn_blocking(move || declared.curator.execute(&ask));
            computed.await.unwrap_or(Err(AskError::Failed))
        });
        task.await.unwrap_or(Err(AskError::Failed))
    }

    fn turn_of(&self, person: &str) -> Arc<Semaphore> {
        let mut by_person = self.by_person.lock().unwrap_or_else(PoisonError::into_inner);
        let turns = || Arc::new(Semaphore::new(self.limits.questions_per_person));
        Arc::clone(by_person.entry(person.to_owned()).or_insert_with(turns))
    }
}
