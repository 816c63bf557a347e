//! `DECLARE`, `FETCH` and `MOVE`.

use super::Command;
use super::reader::Reader;
use crate::wire::refusal::Failure;

/// A cursor as it is declared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Declared {
    pub(crate) name: String,
    pub(crate) binary: bool,
    /// Whether it may go back.
    pub(crate) scroll: bool,
    /// Whether it outlives its transaction.
    pub(crate) hold: bool,
    pub(crate) query: String,
}

/// Which rows of a cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    /// So many, forwards or, below zero, backwards.
    Count(i64),
    ForwardAll,
    BackwardAll,
    /// The row of this number, from the end below zero.
    Absolute(i64),
    /// The row so far from here.
    Relative(i64),
}

pub(super) fn declare(reader: &mut Reader<'_>) -> Result<Command, Failure> {
    let name = reader.name()?;
    let (mut binary, mut scroll) = (false, true);
    loop {
        if reader.eat("BINARY") {
            binary = true;
        } else if reader.eat("NO SCROLL") {
            scroll = false;
        } else if !reader.eat_one_of(&["INSENSITIVE", "ASENSITIVE", "SCROLL"]) {
            break;
        }
    }
    reader.expect("CURSOR")?;
    let hold = reader.eat("WITH HOLD");
    if !hold {
        reader.eat("WITHOUT HOLD");
    }
    reader.expect("FOR")?;
    match reader.rest() {
        "" => Err(reader.unexpected()),
        query => Ok(Command::Declare(Declared { name, binary, scroll, hold, query: query.to_owned() })),
    }
}

pub(super) fn fetch(reader: &mut Reader<'_>, is_move: bool) -> Result<Command, Failure> {
    let direction = direction(reader)?;
    reader.eat_one_of(&["FROM", "IN"]);
    let cursor = reader.name()?;
    reader.finish(Command::Fetch { cursor, direction, is_move })
}

fn direction(reader: &mut Reader<'_>) -> Result<Direction, Failure> {
    if let Some(count) = reader.integer() {
        return Ok(Direction::Count(count));
    }
    // `FETCH next` may also be a cursor of that name, which PostgreSQL does not take either.
    Ok(if reader.eat("NEXT") {
        Direction::Count(1)
    } else if reader.eat("PRIOR") {
        Direction::Count(-1)
    } else if reader.eat("FIRST") {
        Direction::Absolute(1)
    } else if reader.eat("LAST") {
        Direction::Absolute(-1)
    } else if reader.eat("ABSOLUTE") {
        Direction::Absolute(reader.integer().ok_or_else(|| reader.unexpected())?)
    } else if reader.eat("RELATIVE") {
        Direction::Relative(reader.integer().ok_or_else(|| reader.unexpected())?)
    } else if reader.eat("ALL") || reader.eat("FORWARD ALL") {
        Direction::ForwardAll
    } else if reader.eat("BACKWARD ALL") {
        Direction::BackwardAll
    } else if reader.eat("FORWARD") {
        Direction::Count(reader.integer().unwrap_or(1))
    } else if reader.eat("BACKWARD") {
        Direction::Count(reader.integer().unwrap_or(1).saturating_neg())
    } else {
        Direction::Count(1)
    })
}
