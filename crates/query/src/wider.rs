//! The same question as part of a larger one, whose answer somebody may hold already.
//!
//! **What.** `COUNT(*) … WHERE region = 'north'` is the row of `north` in `region, COUNT(*) … GROUP BY region`; and
//! `WHERE region IN ('north', 'east') GROUP BY region` are two of its rows.
//! **Theorem.** Let a condition of a question be about public keys alone: an equality of a key that is not shown with a
//! constant, or anything about keys that are shown. In the wider question the condition is not on rows but on groups, after
//! everything has been released. If nobody can lose a group there (every row is another person, or a person may be in as
//! many groups as there are), both questions add up the same numbers before noise.
//! **Proof.** Fix a group that satisfies the condition. Its rows are the same in both questions: those in the wider one have
//! the group's keys, so they satisfy the condition, which sees nothing but keys; and rows outside of the group are in
//! neither. There is such a group: the constants are among the public keys, one for each key; otherwise there is no wider
//! question. A person's rows in a group are bounded in the same way, by the same number, in both, as no group of theirs is
//! left out in either.
//! **Noise.** The wider answer may have more of it at the same price: whoever takes it for the narrower one compares
//! (`curator/src/held_reading.rs`).

use pointillist_catalog::{Catalog, Column, Value};
use pointillist_mechanisms::ContributionBound;
use pointillist_plan::{
    Comparison, KeyColumn, Ownership, PrivatePlan, Release, Scalar, notes, type_of, visit,
};

use crate::domain::{self, Groups, over_keys};

/// Conditions that become conditions on groups, at most.
const MOVED_MAX: usize = 4;

/// The wider question of a plan about one table with public groups; `None` if there is none, or none that adds up the same.
pub fn wider(catalog: &Catalog, plan: &PrivatePlan) -> Option<PrivatePlan> {
    let aggregation = &plan.aggregation;
    let scan = aggregation.relation.table()?;
    if aggregation.domain.is_none() || plan.selection.is_some() {
        return None;
    }
    let table = catalog.tables.get(&scan.table)?;
    let columns: Vec<Column> = scan
        .columns
        .iter()
        .map(|column| {
            // Of a period column the scan knows more: the bounds of the period.
            let declared = table.column_in_file(&column.name)?.clone();
            Some(Column { kind: column.kind.clone(), ..declared })
        })
        .collect::<Option<_>>()?;
    let conditions = match aggregation.filter.as_ref()? {
        Scalar::All(all) => all.clone(),
        one => vec![one.clone()],
    };
    let types = aggregation.relation.types();
    let mut keys = aggregation.keys.clone();
    let shown = keys.len();
    let (mut on_rows, mut on_groups) = (Vec::new(), Vec::new());
    for condition in conditions {
        let constant_key = constant_key(&condition)
            .and_then(|(key, constant)| Some((key, constant, domain::of(key, &columns)?)));
        if let (Some((key, constant, domain)), true) = (constant_key, on_groups.len() < MOVED_MAX) {
            if !domain.values.contains(&Some(constant.clone()))
                || keys[shown..].iter().any(|known| known.value == *key)
            {
                return None;
            }
            if !keys.iter().any(|known| known.value == *key) {
                keys.push(KeyColumn { value: key.clone(), kind: type_of(key, &types)? });
            }
            on_groups.push(condition);
        } else if about_keys(&condition, &keys[..shown]) && on_groups.len() < MOVED_MAX {
            on_groups.push(condition);
        } else {
            on_rows.push(condition);
        }
    }
    if on_groups.is_empty() {
        return None;
    }
    let values: Vec<Scalar> = keys.iter().map(|key| key.value.clone()).collect();
    let Groups::Public(domain) = domain::groups(&values, &columns) else { return None };
    let bound = match aggregation.ownership() {
        Ownership::EachRow => aggregation.bound,
        Ownership::People(_) => {
            ContributionBound::new(domain.len() as u64, aggregation.bound.rows_max()).ok()?
        }
        Ownership::Nobody => return None,
    };
    let mut wider = plan.clone();
    wider.aggregation.filter = match on_rows.len() {
        0 => None,
        1 => on_rows.pop(),
        _ => Some(Scalar::All(on_rows)),
    };
    wider.aggregation.domain = Some(domain);
    wider.aggregation.bound = bound;
    wider.aggregation.keys = keys;
    let added = wider.aggregation.keys.len() - shown;
    shift(&mut wider, shown, added);
    let of_groups = on_groups.iter().map(|condition| over_keys(condition, &values));
    for condition in of_groups.collect::<Option<Vec<_>>>()? {
        wider.answer.having = visit::both(wider.answer.having.take(), Some(condition));
    }
    let measures = wider.aggregation.measures.iter().zip(&plan.releases);
    let releases = measures
        .map(|(measure, release)| Release::new(&wider.aggregation, measure, release.spend.clone()).ok());
    wider.releases = releases.collect::<Option<_>>()?;
    let about_prices = plan.notes.len().saturating_sub(notes(plan).len());
    wider.notes.truncate(about_prices);
    let about = notes(&wider);
    wider.notes.extend(about);
    Some(wider)
}

/// The other side of an equality with a constant, and the constant.
fn constant_key(condition: &Scalar) -> Option<(&Scalar, &Value)> {
    let Scalar::Compare(Comparison::Equal, left, right) = condition else { return None };
    match (left.as_ref(), right.as_ref()) {
        (Scalar::Constant(_), Scalar::Constant(_)) => None,
        (key, Scalar::Constant(value)) | (Scalar::Constant(value), key) => Some((key, value)),
        _ => None,
    }
}

/// Whether a condition has left groups out when the plan was made: it sees keys and constants alone.
fn about_keys(condition: &Scalar, keys: &[KeyColumn]) -> bool {
    let values: Vec<Scalar> = keys.iter().map(|key| key.value.clone()).collect();
    over_keys(condition, &values).is_some_and(|condition| domain::is_decidable(&condition))
}

/// Makes room for keys behind those that are shown.
fn shift(plan: &mut PrivatePlan, shown: usize, added: usize) {
    let moved = |scalar: &Scalar| {
        visit::with_replaced(scalar, &mut |part| match part {
            Scalar::Column(column) if *column >= shown => Some(Scalar::Column(column + added)),
            _ => None,
        })
    };
    let answer = &mut plan.answer;
    answer.having = answer.having.as_ref().map(moved);
    answer.columns.iter_mut().for_each(|column| column.value = moved(&column.value));
    answer.order.iter_mut().for_each(|order| order.by = moved(&order.by));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::fixture::{catalog, plan};
    use pointillist_plan::canonical_topic;

    fn topic_of_wider(sql: &str) -> Option<Vec<u8>> {
        wider(&catalog(), &plan(sql)).map(|plan| canonical_topic(&plan))
    }

    /// Specification: a question about some groups is part of the one about all of them, where nobody loses a group.
    #[test]
    fn some_groups_are_part_of_all() {
        let all = plan("SELECT region, COUNT(*) FROM \"Upper\" GROUP BY region");
        for sql in [
            "SELECT COUNT(*) FROM \"Upper\" WHERE region = 'north'",
            "SELECT AVG(age) FROM \"Upper\" WHERE 'south' = region",
            "SELECT region, COUNT(*) FROM \"Upper\" WHERE region IN ('north', 'west') GROUP BY region",
            "SELECT region, COUNT(*) FROM \"Upper\" WHERE region <> 'west' GROUP BY region",
        ] {
            assert_eq!(topic_of_wider(sql), Some(canonical_topic(&all)), "{sql}");
        }
        let older = plan("SELECT region, COUNT(*) FROM \"Upper\" WHERE age > 9 GROUP BY region");
        let sql = "SELECT COUNT(*) FROM \"Upper\" WHERE age > 9 AND region = 'north'";
        assert_eq!(topic_of_wider(sql), Some(canonical_topic(&older)));
        // A person may be in all four regions here.
        let all = plan(
            "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (max_groups = 4) region, COUNT(*) FROM visits GROUP BY region",
        );
        let sql = "SELECT COUNT(*) FROM visits WHERE region = 'north'";
        assert_eq!(topic_of_wider(sql), Some(canonical_topic(&all)));
    }

    /// Specification: where a person may lose a group, where keys are not public, or where a condition is about more than
    /// keys, there is no such question.
    #[test]
    fn what_adds_up_otherwise_is_no_part() {
        let few = plan(
            "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (max_groups = 2) region, COUNT(*) FROM visits GROUP BY region",
        );
        assert_ne!(
            topic_of_wider("SELECT COUNT(*) FROM visits WHERE region = 'north'"),
            Some(canonical_topic(&few))
        );
        for sql in [
            "SELECT COUNT(*) FROM visits WHERE ward = 'heart'",
            "SELECT ward, COUNT(*) FROM visits WHERE region = 'north' GROUP BY ward",
            "SELECT COUNT(*) FROM visits WHERE region = 'north' OR age > 9",
            "SELECT COUNT(*) FROM visits WHERE region IN ('north', 'south')",
            // No public group is meant: the answer is one noisy zero, and not no row at all.
            "SELECT COUNT(*) FROM visits WHERE region = 'nowhere'",
            "SELECT COUNT(*) FROM visits WHERE region = 'north' AND region = 'south'",
            "SELECT COUNT(*) FROM visits WHERE age = 200",
            "SELECT COUNT(*) FROM visits",
        ] {
            assert_eq!(topic_of_wider(sql), None, "{sql}");
        }
    }
}
