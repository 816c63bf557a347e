//! Bytes of text files to records: one grammar of quotes for tables and for graphs.
//!
//! **Guarantee.** Let a writer be *faithful* if it puts a value that holds a separator, a quote or a line feed in quotes,
//! doubles the quotes inside, and ends every record but perhaps the last with a line feed. Then the records read here
//! are the records written, one for one, whatever the values are and however long: one row more or less in the table is
//! one record more or less, and no other record changes. That holds for a file that was cut off anywhere, too, but for
//! the record that was cut.
//! **Why.** Where a record ends is decided by one automaton ([`Boundary`]) that reads every byte once and never goes
//! back. At the start of a faithful record it is in its first state; a quoted value takes it into [`Boundary::in_quotes`]
//! and its own last quote takes it out, because quotes inside come in pairs; so it meets a line feed outside of quotes at
//! the record's end and not before. What is done with a record (it is a row, it is malformed, it is too long) changes
//! nothing about where it ends.
//! **Files of unfaithful writers.** Any bytes are a sequence of records. A quote opens only at the start of a field: one
//! that stands anywhere else spoils its own record only. A field that begins with a quote which is never closed runs
//! to the end of the file, and what follows is part of that record: no reader can tell it from a file that was cut off
//! inside a field. An owner's look at the file (`pointillist check`) reports it.

mod boundary;
mod pieces;
mod reader;
mod writer;

pub use boundary::{Boundary, Separators};
pub use pieces::{Piece, Pieces};
pub use reader::{Field, Next, RECORD_MAX, Records};
pub use writer::{csv_field, csv_record};

/// The example of the crate's page is compiled and run like any other.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
