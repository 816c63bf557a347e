//! Transactions, as far as there is anything to undo: settings, cursors, and whether a statement has failed.
//!
//! **Guarantee.** Nothing here knows of a charge. `ROLLBACK`, savepoints and failures undo settings and close cursors; what was
//! paid stays paid and what was answered stays recorded.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use pgwire::messages::response::TransactionStatus;
use pointillist_pg_catalog::Settings;

use super::refusal::Failure;
use super::session_settings::REQUEST_ID;

/// From 1970-01-01 to 2000-01-01.
const EPOCH: Duration = Duration::from_secs(946_684_800);
/// The most savepoints of a transaction: drivers make one before every statement, and release none.
const SAVEPOINTS_MAX: usize = 65_536;
/// The most of them between which settings were changed.
const CHANGES_MAX: usize = 32;

/// Where a session stands.
#[derive(Default)]
pub(crate) struct Transaction {
    block: Option<Block>,
    /// Statements outside of a block, up to the end of their message or the next Sync: they are done together or not at all.
    implicit: Option<Implicit>,
    failed: bool,
}

struct Implicit {
    on_rollback: Settings,
    on_commit: Settings,
}

struct Block {
    on_rollback: Settings,
    on_commit: Settings,
    savepoints: Vec<Savepoint>,
    /// As [`moment`].
    began: i64,
}

/// The settings now, and after a commit.
type Saved = (Settings, Settings);

struct Savepoint {
    name: String,
    /// Shared by savepoints between which nothing was set.
    settings: Arc<Saved>,
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

    /// A statement begins: outside of a block, with those around it.
    pub(crate) fn begin_implicitly(&mut self, settings: &Settings) {
        if self.block.is_none() && self.implicit.is_none() {
            let (on_rollback, on_commit) = (settings.clone(), settings.clone());
            self.implicit = Some(Implicit { on_rollback, on_commit });
        }
    }

    /// Statements outside of a block are over; the settings as they are then, where there were any.
    pub(crate) fn end_implicitly(&mut self, commits: bool) -> Option<Settings> {
        let implicit = self.implicit.take()?;
        Some(if commits { implicit.on_commit } else { implicit.on_rollback })
    }

    /// Begins; whether there was none. What was done before it in the same message belongs to it.
    pub(crate) fn begin(&mut self, settings: &Settings) -> bool {
        let is_new = self.block.is_none();
        if is_new {
            let (on_rollback, on_commit) = match self.implicit.take() {
                Some(implicit) => (implicit.on_rollback, implicit.on_commit),
                None => (settings.clone(), settings.clone()),
            };
            self.block = Some(Block { on_rollback, on_commit, savepoints: Vec::new(), began: moment() });
            self.failed = false;
        }
        is_new
    }

    /// When it began, or what time it is outside of one.
    pub(crate) fn began(&self) -> i64 {
        self.block.as_ref().map_or_else(moment, |block| block.began)
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
        } else if let Some(implicit) = &mut self.implicit {
            change(&mut implicit.on_commit);
        }
    }

    /// Forgets the name of a question wherever settings are kept.
    pub(crate) fn forget_request_id(&mut self) {
        if let Some(implicit) = &mut self.implicit {
            forget(&mut implicit.on_rollback);
            forget(&mut implicit.on_commit);
        }
        let Some(block) = &mut self.block else { return };
        forget(&mut block.on_rollback);
        forget(&mut block.on_commit);
        let mut last: Option<[Arc<Saved>; 2]> = None;
        for savepoint in &mut block.savepoints {
            let forgotten = match &last {
                Some([old, new]) if Arc::ptr_eq(old, &savepoint.settings) => Arc::clone(new),
                _ => {
                    let (mut now, mut on_commit) = (*savepoint.settings).clone();
                    forget(&mut now);
                    forget(&mut on_commit);
                    Arc::new((now, on_commit))
                }
            };
            let old = std::mem::replace(&mut savepoint.settings, Arc::clone(&forgotten));
            last = Some([old, forgotten]);
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
        let same = |saved: &Arc<Saved>| saved.0.all() == now.all() && saved.1.all() == block.on_commit.all();
        let last = block.savepoints.last().map(|savepoint| Arc::clone(&savepoint.settings));
        let settings = match last.filter(same) {
            Some(shared) => shared,
            None => {
                let pairs = block.savepoints.windows(2);
                let changes = pairs.filter(|pair| !Arc::ptr_eq(&pair[0].settings, &pair[1].settings)).count();
                if changes >= CHANGES_MAX {
                    let words = format!("settings are changed between at most {CHANGES_MAX} savepoints");
                    return Err(Failure::new("54000", words));
                }
                Arc::new((now.clone(), block.on_commit.clone()))
            }
        };
        block.savepoints.push(Savepoint { name, settings, serial });
        Ok(())
    }

    /// # Errors
    /// 25P01 outside of a transaction, 3B001 for a name that nobody gave.
    pub(crate) fn release_savepoint(&mut self, name: &str) -> Result<(), Failure> {
        let block = self.block.as_mut().ok_or_else(|| outside("RELEASE SAVEPOINT"))?;
        let at = find(block, name)?;
        block.savepoints.truncate(at);
        Ok(())
    }

    /// The settings as they were, and the number after which portals are closed.
    ///
    /// # Errors
    /// As [`Transaction::release_savepoint`].
    pub(crate) fn rollback_to(&mut self, name: &str) -> Result<(Settings, u64), Failure> {
        let block = self.block.as_mut().ok_or_else(|| outside("ROLLBACK TO SAVEPOINT"))?;
        let at = find(block, name)?;
        block.savepoints.truncate(at + 1);
        let savepoint = &block.savepoints[at];
        block.on_commit = savepoint.settings.1.clone();
        self.failed = false;
        Ok((savepoint.settings.0.clone(), savepoint.serial))
    }
}

fn forget(settings: &mut Settings) {
    if settings.get(REQUEST_ID).is_some() {
        // The empty text is a value that it can have.
        let _ = settings.set(REQUEST_ID, "");
    }
}

fn find(block: &Block, name: &str) -> Result<usize, Failure> {
    let at = block.savepoints.iter().rposition(|savepoint| savepoint.name == name);
    at.ok_or_else(|| Failure::new("3B001", format!("savepoint \"{name}\" does not exist")))
}

fn outside(what: &str) -> Failure {
    Failure::new("25P01", format!("{what} can only be used in transaction blocks"))
}

/// What time it is, in microseconds from 2000-01-01.
fn moment() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().saturating_sub(EPOCH);
    i64::try_from(since.as_micros()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn savepoints_are_many_while_nothing_is_set_between_them() {
        let (mut transaction, mut settings) = (Transaction::default(), Settings::new("ana"));
        transaction.begin(&settings);
        for _ in 0..1_000 {
            transaction.savepoint("PGJDBC_AUTOSAVE".to_owned(), &settings, 0).unwrap();
        }
        settings.set(REQUEST_ID, "r1").unwrap();
        let save = |transaction: &mut Transaction, settings: &Settings| {
            transaction.savepoint("s".to_owned(), settings, 0)
        };
        save(&mut transaction, &settings).unwrap();
        transaction.forget_request_id();
        assert_eq!(transaction.rollback_to("s").unwrap().0.get(REQUEST_ID), Some(""));
        let mut refused = None;
        for number in 0..=CHANGES_MAX {
            settings.set("application_name", &number.to_string()).unwrap();
            refused = save(&mut transaction, &settings).err();
        }
        assert_eq!(refused.unwrap().sqlstate, "54000");
    }
}
