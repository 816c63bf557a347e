//! Portals and cursors: statements that are bound, and how far each was read. One namespace for both.
//!
//! **Guarantee.** A portal is answered once. What is read of it later is the rest of the same rows; when it has been read, or
//! when its one answer failed, it gives nothing more, and asks nothing again.

use std::collections::BTreeMap;
use std::sync::Arc;

use pointillist_pg_catalog::PgValue;

use super::answer_rows::{Rows, value_bytes};
use super::outgoing::Formats;
use super::prepared::Prepared;
use super::refusal::Failure;
use super::statement::Direction;

/// The most portals and cursors of one session.
const PORTALS_MAX: usize = 256;
/// The longest name, and the most bytes of parameters, of one.
const NAME_MAX: usize = 1_024;
const PARAMETERS_MAX: usize = 256 << 10;
/// The most bytes of rows, texts and parameters that they hold; one more answer may be opened below it.
const BYTES_MAX: usize = 64 << 20;

/// A statement that is bound.
pub(crate) struct Portal {
    pub(crate) prepared: Arc<Prepared>,
    pub(crate) parameters: Vec<PgValue>,
    pub(crate) formats: Formats,
    pub(crate) progress: Progress,
    /// Whether it outlives its transaction.
    pub(crate) hold: bool,
    /// Whether it may go back.
    pub(crate) scroll: bool,
    /// About how much room its rows take.
    row_bytes: usize,
    /// Its number: later ones are greater.
    serial: u64,
    /// Whether the transaction in which it was made is over, well.
    is_kept: bool,
}

/// How far it was read.
#[derive(Clone)]
pub(crate) enum Progress {
    /// Not answered yet.
    Ready,
    /// Answered, and read up to here: 0 is before the first row, one more than there are is behind the last.
    Open { rows: Arc<Rows>, position: usize, tag: Tag },
    /// A command that is done.
    Done,
    /// It failed, or is being answered.
    Failed,
}

/// What is said when rows were sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tag {
    /// `SELECT 5`.
    Counted(&'static str),
    /// `SHOW`.
    Plain(&'static str),
}

impl Tag {
    pub(crate) fn text(self, count: usize) -> String {
        match self {
            Self::Counted(word) => format!("{word} {count}"),
            Self::Plain(word) => word.to_owned(),
        }
    }
}

impl Portal {
    pub(crate) fn new(prepared: Arc<Prepared>, parameters: Vec<PgValue>, formats: Formats) -> Self {
        Self {
            prepared,
            parameters,
            formats,
            progress: Progress::Ready,
            hold: false,
            scroll: false,
            row_bytes: 0,
            serial: 0,
            is_kept: false,
        }
    }

    /// Answers it: these are its rows.
    pub(crate) fn open(&mut self, rows: Arc<Rows>, tag: Tag) {
        self.row_bytes = rows.bytes();
        self.progress = Progress::Open { rows, position: 0, tag };
    }

    /// It was read to its end and never goes back: its rows are not held any longer.
    pub(crate) fn let_go(&mut self) {
        if let Progress::Open { rows, position, .. } = &mut self.progress {
            (*rows, *position) = (Arc::new(Rows::none(rows.fields.clone())), 1);
            self.row_bytes = 0;
        }
    }

    fn bytes(&self) -> usize {
        let parameters: usize = self.parameters.iter().map(value_bytes).sum();
        self.row_bytes.saturating_add(parameters).saturating_add(self.prepared.bytes())
    }
}

/// All of one session.
#[derive(Default)]
pub(crate) struct Portals {
    by_name: BTreeMap<String, Portal>,
    serial: u64,
}

impl Portals {
    /// Adds one; the one without a name is replaced.
    ///
    /// # Errors
    /// 42P03 when there is one of this name, 54000 when there are too many.
    pub(crate) fn insert(&mut self, name: String, mut portal: Portal) -> Result<(), Failure> {
        if name.is_empty() {
            self.by_name.remove("");
        }
        if self.by_name.contains_key(&name) {
            return Err(Failure::new("42P03", format!("cursor \"{name}\" already exists")));
        }
        if name.len() > NAME_MAX || portal.parameters.iter().map(value_bytes).sum::<usize>() > PARAMETERS_MAX
        {
            return Err(Failure::new("54000", "the name or the parameters of a portal are too long"));
        }
        if self.by_name.len() >= PORTALS_MAX {
            return Err(too_many());
        }
        self.check_room()?;
        self.serial += 1;
        portal.serial = self.serial;
        self.by_name.insert(name, portal);
        Ok(())
    }

    /// Whether one more may be answered: looked at before anything is paid for.
    ///
    /// # Errors
    /// 54000 when they hold too much.
    pub(crate) fn check_room(&self) -> Result<(), Failure> {
        let bytes = self.by_name.values().map(Portal::bytes).fold(0, usize::saturating_add);
        if bytes > BYTES_MAX { Err(too_many()) } else { Ok(()) }
    }

    /// # Errors
    /// 34000 when there is none.
    pub(crate) fn get_mut(&mut self, name: &str, what: &str) -> Result<&mut Portal, Failure> {
        let missing = || Failure::new("34000", format!("{what} \"{name}\" does not exist"));
        self.by_name.get_mut(name).ok_or_else(missing)
    }

    pub(crate) fn remove(&mut self, name: &str) -> bool {
        self.by_name.remove(name).is_some()
    }

    pub(crate) fn clear(&mut self) {
        self.by_name.clear();
    }

    /// The number of the newest.
    pub(crate) fn serial(&self) -> u64 {
        self.serial
    }

    /// A transaction is over: what it opened goes, but for what is held beyond a commit.
    pub(crate) fn end_transaction(&mut self, commits: bool) {
        self.by_name.retain(|name, portal| !name.is_empty() && portal.hold && (commits || portal.is_kept));
        for portal in self.by_name.values_mut() {
            portal.is_kept = true;
        }
    }

    /// Back to a savepoint: what was opened after it goes.
    pub(crate) fn close_after(&mut self, serial: u64) {
        self.by_name.retain(|_, portal| portal.serial <= serial);
    }
}

fn too_many() -> Failure {
    let hint = "close cursors and portals that are not read any more";
    Failure::new("54000", "this session holds too many cursors and portals").with_hint(hint)
}

/// Which rows are read, from which position, and where the position is then.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Reading {
    /// Indices of rows, in the order in which they are sent.
    pub(crate) rows: Vec<usize>,
    pub(crate) position: usize,
}

/// Moves over so many rows from a position.
///
/// # Errors
/// 55000 when it goes back where that is not allowed.
pub(crate) fn read(
    count: usize,
    position: usize,
    direction: Direction,
    scroll: bool,
) -> Result<Reading, Failure> {
    let behind = count + 1;
    let forward = |wanted: usize| {
        let last = position.saturating_add(wanted).min(behind);
        let rows = (position + 1..=last.min(count)).map(|row| row - 1).collect();
        Reading { rows, position: last }
    };
    let backward = |wanted: usize| {
        let first = position.saturating_sub(wanted);
        let rows = (first.max(1)..position).rev().map(|row| row - 1).collect();
        Reading { rows, position: first }
    };
    // One row by its number, or none where there is no such row.
    let at = |place: i64| {
        let place = usize::try_from(place.max(0)).unwrap_or(usize::MAX).min(behind);
        let rows = if (1..=count).contains(&place) { vec![place - 1] } else { Vec::new() };
        Reading { rows, position: place }
    };
    let here = i64::try_from(position).unwrap_or(i64::MAX);
    let end = i64::try_from(behind).unwrap_or(i64::MAX);
    let size = |number: i64| usize::try_from(number.unsigned_abs()).unwrap_or(usize::MAX);
    let reading = match direction {
        Direction::Count(0) => return Ok(at(here)),
        Direction::Count(wanted) if wanted > 0 => return Ok(forward(size(wanted))),
        Direction::ForwardAll => return Ok(forward(behind)),
        Direction::Count(wanted) => backward(size(wanted)),
        Direction::BackwardAll => backward(behind),
        Direction::Absolute(place) if place < 0 => at(end.saturating_add(place)),
        Direction::Absolute(place) => at(place),
        Direction::Relative(steps) => at(here.saturating_add(steps)),
    };
    if !scroll && reading.position <= position {
        return Err(Failure::new("55000", "cursor can only scan forward")
            .with_hint("declare it without NO SCROLL to go back"));
    }
    Ok(reading)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursors_move_as_in_postgresql() {
        let go = |position, direction| {
            let Reading { rows, position } = read(3, position, direction, true).unwrap();
            (rows, position)
        };
        assert_eq!(go(0, Direction::Count(2)), (vec![0, 1], 2));
        assert_eq!(go(2, Direction::Count(2)), (vec![2], 4));
        assert_eq!(go(4, Direction::Count(2)), (vec![], 4));
        assert_eq!(go(0, Direction::ForwardAll), (vec![0, 1, 2], 4));
        assert_eq!(go(4, Direction::Count(-2)), (vec![2, 1], 2));
        assert_eq!(go(2, Direction::BackwardAll), (vec![0], 0));
        assert_eq!(go(0, Direction::Absolute(-1)), (vec![2], 3));
        assert_eq!(go(1, Direction::Relative(1)), (vec![1], 2));
        assert_eq!(go(2, Direction::Count(0)), (vec![1], 2));
        assert_eq!(go(0, Direction::Absolute(i64::MIN)), (vec![], 0));
        assert_eq!(go(0, Direction::Count(i64::MAX)), (vec![0, 1, 2], 4));
        assert_eq!(go(0, Direction::Count(i64::MIN)), (vec![], 0));
        assert_eq!(read(3, 2, Direction::Count(-1), false).unwrap_err().sqlstate, "55000");
        assert_eq!(read(3, 0, Direction::Count(1), false).unwrap().position, 1);
    }

    #[test]
    fn a_session_holds_so_many_portals_and_no_more() {
        let mut portals = Portals::default();
        let portal = || Portal::new(Arc::new(Prepared::empty()), Vec::new(), Formats::default());
        for number in 0..PORTALS_MAX {
            portals.insert(number.to_string(), portal()).unwrap();
        }
        assert_eq!(portals.insert("more".to_owned(), portal()).unwrap_err().sqlstate, "54000");
        assert_eq!(portals.insert("0".to_owned(), portal()).unwrap_err().sqlstate, "42P03");
        portals.end_transaction(true);
        portals.insert("more".to_owned(), portal()).unwrap();
    }

    /// Specification: what portals hold is bounded by its bytes, before another one is asked; what was read to its end is
    /// not held.
    #[test]
    fn portals_hold_so_many_bytes_and_no_more() {
        let mut portals = Portals::default();
        let portal = || Portal::new(Arc::new(Prepared::empty()), Vec::new(), Formats::default());
        portals.insert("a".to_owned(), portal()).unwrap();
        let long = Rows::lines("x", ["x".repeat(BYTES_MAX + 1)]);
        portals.get_mut("a", "portal").unwrap().open(Arc::new(long), Tag::Counted("SELECT"));
        assert_eq!(portals.check_room().unwrap_err().sqlstate, "54000");
        assert_eq!(portals.insert("b".to_owned(), portal()).unwrap_err().sqlstate, "54000");
        portals.get_mut("a", "portal").unwrap().let_go();
        portals.insert("b".to_owned(), portal()).unwrap();
    }

    #[test]
    fn held_cursors_outlive_commits_and_not_their_own_rollback() {
        let mut portals = Portals::default();
        let held = || Portal {
            hold: true,
            ..Portal::new(Arc::new(Prepared::empty()), Vec::new(), Formats::default())
        };
        portals.insert("a".to_owned(), held()).unwrap();
        portals.end_transaction(true);
        portals.insert("b".to_owned(), held()).unwrap();
        portals.end_transaction(false);
        assert!(portals.get_mut("a", "cursor").is_ok());
        assert!(portals.get_mut("b", "cursor").is_err());
    }
}
