//! The rows that a model is trained on, as bytes.

use super::bytes::{Bytes, type_tag};
use crate::{Code, Relation, TrainingColumn, TrainingRows};

/// The first byte; it changes when the encoding does, and no other question begins with it.
const TRAINING: u8 = 4;

/// The bytes of the rows that a model is trained on: the same for the same rows, others for any others. Whoever trains
/// writes after them what is made of the rows.
pub fn canonical_training(rows: &TrainingRows) -> Vec<u8> {
    let TrainingRows { scope, relation, filter, rows_max, features, target, notes: _ } = rows;
    let columns = relation.table().map_or(&[][..], |scan| &scan.columns);
    let mut out = Bytes { bytes: vec![TRAINING], columns };
    out.text(scope);
    match relation {
        // Columns are written by name, where they are used: which others are read does not matter.
        Relation::Table(scan) => {
            out.tag(0);
            out.option(scan.filter.as_ref(), |out, filter| out.scalar(filter));
            out.text(&scan.table);
            out.owner(&scan.owner);
        }
        other => {
            out.tag(1);
            out.relation(other);
        }
    }
    out.option(filter.as_ref(), |out, filter| out.scalar(filter));
    out.number(u64::from(*rows_max));
    out.list(features, |out, column| training_column(out, column));
    out.option(target.as_ref(), |out, column| training_column(out, column));
    out.bytes
}

fn training_column(out: &mut Bytes<'_>, column: &TrainingColumn) {
    let TrainingColumn { name, value, kind, code, nullable } = column;
    out.text(name);
    out.scalar(value);
    out.tag(type_tag(*kind));
    out.tag(u8::from(*nullable));
    match code {
        Code::Number(grid) => {
            out.tag(0);
            out.grid(grid);
        }
        Code::Category(values) => {
            out.tag(1);
            out.list(values, |out, value| out.option(value.as_ref(), |out, value| out.value(value)));
        }
        Code::Truth => out.tag(2),
    }
}
