//! Transactions, as far as there is anything to undo: settings, cursors, and whether a statement has failed.
//!
//! **Guarantee.** Nothing here knows of a charge. `ROLLBACK`, savepoints and failures undo settings and close cursors; what was
//! paid stays paid and what was answered stays recorded.

use pgwire::messages::response::TransactionStatus;
use pointillist_pg_catalog::Settings;

use super::refusal::Failure;
use super::session_settings::REQUEST_ID;

/// The most savepoints inside each other.
const SAVEPOINTS_MAX: usize = 256;

/// Where a session stands.
#[derive(Default)]
pub(crate) struct Transaction {
    block: Option<Block>,
    failed: bool,
}

struct Block {
    on_rollback: Settings,
    on_commit: Settings,
    savepoints: Vec<Savepoint>,
}

struct Savepoint {
    name: String,
    now: Settings,
    on_commit: Settings,
    /// Portals with greater numbers were opened later.
    serial: u64,
}

impl Transaction {
    pub(crate) fn status(&self) -> TransactionStatus {
        match (&self.block, self.failed) {
            (None, _) => TransactionStatus::Idle,
            (Some(_), false) => TransactionStatus::Transaction,
            (Some(_), true) => TransactionStatus::Error,
        }
    }

    /// Whether `BEGIN` was said.
    pub(crate) fn is_open(&self) -> bool {
        self.block.is_some()
    }

    /// Whether a statement of it has failed.
    pub(crate) fn has_failed(&self) -> bool {
        self.block.is_some() && self.failed
    }

    /// A statement failed: outside of a transaction that is over with it.
    pub(crate) fn fail(&mut self) {
        self.failed = self.block.is_some();
    }

    /// Begins; whether there was none.
    pub(crate) fn begin(&mut self, settings: &Settings) -> bool {
        let is_new = self.block.is_none();
        if is_new {
            let (on_rollback, on_commit) = (settings.clone(), settings.clone());
            self.block = Some(Block { on_rollback, on_commit, savepoints: Vec::new() });
            self.failed = false;
        }
        is_new
    }

    /// Ends; the settings as they are then, and whether it was committed. `None` where there was none.
    pub(crate) fn end(&mut self, commit: bool) -> Option<(Settings, bool)> {
        let block = self.block.take()?;
        let commits = commit && !std::mem::take(&mut self.failed);
        self.failed = false;
        Some((if commits { block.on_commit } else { block.on_rollback }, commits))
    }

    /// Does the same to the settings that a commit leaves.
    pub(crate) fn also_on_commit(&mut self, change: impl FnOnce(&mut Settings)) {
        if let Some(block) = &mut self.block {
            change(&mut block.on_commit);
        }
    }

    /// Forgets the name of a question wherever settings are kept.
    pub(crate) fn forget_request_id(&mut self) {
        let Some(block) = &mut self.block else { return };
        let saved =
            block.savepoints.iter_mut().flat_map(|savepoint| [&mut savepoint.now, &mut savepoint.on_commit]);
        for settings in saved.chain([&mut block.on_rollback, &mut block.on_commit]) {
            if settings.get(REQUEST_ID).is_some() {
                // The empty text is a value that it can have.
                let _ = settings.set(REQUEST_ID, "");
            }
        }
    }

    /// # Errors
    /// 25P01 outside of a transaction, 54000 when there are too many.
    pub(crate) fn savepoint(&mut self, name: String, now: &Settings, serial: u64) -> Result<(), Failure> {
        let block = self.block.as_mut().ok_or_else(|| outside("SAVEPOINT"))?;
        if block.savepoints.len() >= SAVEPOINTS_MAX {
            return Err(Failure::new(
                "54000",
                format!("a transaction has at most {SAVEPOINTS_MAX} savepoints"),
            ));
        }
        let on_commit = block.on_commit.clone();
        block.savepoints.push(Savepoint { name, now: now.clone(), on_commit, serial });
        Ok(())
    }

    /// # Errors
    /// 25P01 outside of a transaction, 3B001 for a name that nobody gave.
    pub(crate) fn release(&mut self, name: &str) -> Result<(), Failure> {
        let block = self.block.as_mut().ok_or_else(|| outside("RELEASE SAVEPOINT"))?;
        let at = find(block, name)?;
        block.savepoints.truncate(at);
        Ok(())
    }

    /// The settings as they were, and the number after which portals are closed.
    ///
    /// # Errors
    /// As [`Transaction::release`].
    pub(crate) fn rollback_to(&mut self, name: &str) -> Result<(Settings, u64), Failure> {
        let block = self.block.as_mut().ok_or_else(|| outside("ROLLBACK TO SAVEPOINT"))?;
        let at = find(block, name)?;
        block.savepoints.truncate(at + 1);
        let savepoint = &block.savepoints[at];
        block.on_commit = savepoint.on_commit.clone();
        self.failed = false;
        Ok((savepoint.now.clone(), savepoint.serial))
    }
}

fn find(block: &Block, name: &str) -> Result<usize, Failure> {
    let at = block.savepoints.iter().rposition(|savepoint| savepoint.name == name);
    at.ok_or_else(|| Failure::new("3B001", format!("savepoint \"{name}\" does not exist")))
}

fn outside(what: &str) -> Failure {
    Failure::new("25P01", format!("{what} can only be used in transaction blocks"))
}
