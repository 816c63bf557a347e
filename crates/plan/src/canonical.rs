//! A question as bytes: the same bytes for the same question, other bytes for any other.
//!
//! **Guarantee.** [`canonical`] is injective on what determines a released answer: scope, aggregation, prices, the
//! choice of keys, and the answer's expressions, names, order and limits. Every variant writes its own tag, every
//! text and list its length, so no two encodings run into each other; no float is printed, no `Debug` text used.
//! A ledger's fingerprint of a question is a hash of these bytes and the data's version.
//! **In any order.** What a release is does not depend on the order in which it was asked for: keys and measures are
//! sets, the parts of AND and OR are sorted and each is written once, `a = b` is `b = a` and `a > b` is `b < a`, and
//! columns are written by name. All of these are equal in every row, by the rules of the evaluator; nothing that is only
//! equal by an argument about data is merged. Two forms of one question would cost money, one form of two the truth.
//!
//! | bytes | of | used for |
//! |---|---|---|
//! | [`canonical_topic`] | rows, owner, groups: all but measures and prices | finding what was released before |
//! | [`canonical_release`] | and the measures, at which prices | one purchase |
//! | [`canonical`] | and what is computed from them | one request |
//! | `canonical_outer` | several of these, and what is computed from all of them | one request |
//! | [`canonical_training`] | the rows that a model is trained on | the first part of one fit |

mod bytes;
mod expression;
mod relation;
mod training;

use pointillist_catalog::Value;
use pointillist_privacy::Currency;

use self::bytes::Bytes;
pub use self::training::canonical_training;
use crate::{
    Aggregation, KeyColumn, Measure, Outer, OuterColumn, PrivatePlan, Quantity, Relation, ScanColumn,
};

/// The first byte; it changes when the encoding does.
const VERSION: u8 = 2;
/// The first byte of what is computed from released parts; no plan begins with it.
const OUTER: u8 = 3;

/// The bytes of a question.
pub fn canonical(plan: &PrivatePlan) -> Vec<u8> {
    let mut out = Bytes { bytes: canonical_release(plan), columns: &[] };
    // The answer counts keys and measures in the order of the plan.
    out.list(&key_labels(&plan.aggregation), |out, label| out.bytes(label));
    out.list(&measure_labels(&plan.aggregation), |out, label| out.bytes(label));
    out.answer(&plan.answer);
    out.bytes
}

/// The bytes of a request that computes something from released parts.
pub(crate) fn canonical_outer(parts: &[PrivatePlan], outer: &Outer) -> Vec<u8> {
    let mut out = Bytes { bytes: vec![OUTER], columns: &[] };
    out.list(parts, |out, part| out.bytes(&canonical(part)));
    let Outer { relation, columns } = outer;
    out.relation(relation);
    out.list(columns, |out, OuterColumn { name, kind }| {
        out.text(name);
        out.tag(bytes::type_tag(*kind));
    });
    out.bytes
}

/// The bytes of what is released: all of a question but what is computed from released numbers afterwards. Questions
/// that agree in these are answered by the same numbers.
pub fn canonical_release(plan: &PrivatePlan) -> Vec<u8> {
    // Every field is named, so that a new one cannot be forgotten. Notes are words about the rest, and how the price was
    // found does not matter once it is known.
    let PrivatePlan {
        scope: _,
        aggregation,
        releases,
        selection,
        loss,
        price,
        answer: _,
        by_error: _,
        notes: _,
    } = plan;
    let mut out = Bytes { bytes: canonical_topic(plan), columns: columns(aggregation) };
    let priced = measure_labels(aggregation).into_iter().zip(releases).map(|(label, release)| {
        let mut part = Bytes { bytes: Vec::new(), columns: &[] };
        part.bytes(&label);
        part.spend(&release.spend);
        part.bytes
    });
    out.set(priced.collect());
    out.option(selection.as_ref(), |out, selection| {
        let loss = selection.loss().approximate_rho();
        out.option(loss.as_ref(), |out, (rho, delta)| {
            out.rational(rho.value());
            out.rational(delta.value());
        });
        out.bytes(&selection.threshold().to_be_bytes());
    });
    // The exact loss, of which the price is a rounding.
    match price.currency() {
        Currency::Zcdp => {
            out.tag(0);
            let (rho, delta) = loss.approximate_rho().expect("a plan that is priced in ρ loses ρ");
            out.rational(rho.value());
            out.rational(delta.value());
        }
        Currency::Pure => {
            out.tag(1);
            out.rational(loss.pure_epsilon().expect("a plan that is priced in ε loses ε").value());
        }
    }
    out.bytes
}

/// The bytes of what a release is about: rows, owner and groups. How many rows of a person count is a matter of each
/// measure (`measure_labels`).
pub fn canonical_topic(plan: &PrivatePlan) -> Vec<u8> {
    let PrivatePlan { scope, aggregation, .. } = plan;
    let Aggregation { relation, filter, bound, keys: _, domain, measures: _ } = aggregation;
    let mut out = Bytes { bytes: vec![VERSION], columns: columns(aggregation) };
    out.text(scope);
    match relation {
        // Columns are written by name, where they are used: which others are read does not matter.
        Relation::Table(scan) => {
            // A tag of its own for rows of a period: questions about other tables keep the bytes that they had.
            match &scan.filter {
                None => out.tag(0),
                Some(rows) => {
                    out.tag(2);
                    out.scalar(rows);
                }
            }
            out.text(&scan.table);
            out.option(filter.as_ref(), |out, filter| out.scalar(filter));
            out.owner(&scan.owner);
        }
        other => {
            out.tag(1);
            out.relation(other);
            out.option(filter.as_ref(), |out, filter| out.scalar(filter));
        }
    }
    out.number(bound.groups_max());
    let labels = key_labels(aggregation);
    let mut order: Vec<usize> = (0..labels.len()).collect();
    order.sort_by(|a, b| labels[*a].cmp(&labels[*b]));
    out.set(labels);
    out.option(domain.as_ref(), |out, domain| {
        let group = |group: &Vec<Option<Value>>| {
            let mut part = Bytes { bytes: Vec::new(), columns: &[] };
            for key in &order {
                part.option(group[*key].as_ref(), |part, value| part.value(value));
            }
            part.bytes
        };
        out.set(domain.iter().map(group).collect());
    });
    out.bytes
}

/// What identifies each key among those of a topic, in the order of the plan.
pub(crate) fn key_labels(aggregation: &Aggregation) -> Vec<Vec<u8>> {
    // The type of a key is a function of the key and its columns, which are written with their types.
    let label = |KeyColumn { value, kind: _ }: &KeyColumn| {
        let mut out = Bytes { bytes: Vec::new(), columns: columns(aggregation) };
        out.scalar(value);
        out.bytes
    };
    aggregation.keys.iter().map(label).collect()
}

/// What identifies each measure among those of a topic, in the order of the plan.
pub(crate) fn measure_labels(aggregation: &Aggregation) -> Vec<Vec<u8>> {
    let label = |measure: &Measure| {
        let mut out = Bytes { bytes: Vec::new(), columns: columns(aggregation) };
        // A person who counts once counts once, whatever else is asked with it.
        match measure.quantity {
            Quantity::People => out.number(1),
            _ => out.number(aggregation.bound.rows_max()),
        }
        out.measure(measure);
        out.bytes
    };
    aggregation.measures.iter().map(label).collect()
}

/// The columns of a table, by name; those of other relations are written by number.
fn columns(aggregation: &Aggregation) -> &[ScanColumn] {
    aggregation.relation.table().map_or(&[], |scan| &scan.columns)
}
