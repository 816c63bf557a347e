//! What only shows, filters, orders or cuts the groups of one release, as the answer of that release.
//!
//! `SELECT * FROM (SELECT region, COUNT(*) AS n FROM visits GROUP BY region) WHERE n > 100 ORDER BY n LIMIT 5` is the same
//! question as the one with HAVING, ORDER BY and LIMIT inside, and gets the same bars: those of `plan/src/answer.rs`.

use pointillist_plan::{AnswerColumn, AnswerPlan, Order, Outer, PrivatePlan, Relation, Role, Scalar, visit};

/// What has been found above a relation, over its columns.
struct Above {
    columns: Vec<Scalar>,
    filter: Option<Scalar>,
    order: Vec<Order>,
    skip: u64,
    fetch: Option<u64>,
}

/// The plan that answers the whole statement, where the outer relation does no more than its answer can.
pub(crate) fn merged(part: &PrivatePlan, outer: &Outer) -> Option<PrivatePlan> {
    let columns = (0..outer.columns.len()).map(Scalar::Column).collect();
    let mut above = Above { columns, filter: None, order: Vec::new(), skip: 0, fetch: None };
    let mut relation = &outer.relation;
    loop {
        relation = match relation {
            Relation::Released { .. } => break,
            Relation::Map { input, filter, columns } => {
                above.see_through(filter.as_ref(), columns);
                input
            }
            Relation::Order { input, by, skip, fetch } => {
                above.behind(by, *skip, *fetch)?;
                input
            }
            _ => return None,
        };
    }
    let Above { columns, filter, order, skip, fetch } = above;
    let keys = part.aggregation.keys.len();
    let role = |value: &Scalar| match value {
        Scalar::Column(column) if *column < keys => Role::Key(*column),
        Scalar::Column(column) => Role::Aggregate(column - keys),
        _ => Role::Derived,
    };
    let shown = outer.columns.iter().zip(columns);
    let columns = shown
        .map(|(column, value)| AnswerColumn {
            name: column.name.clone(),
            kind: column.kind,
            role: role(&value),
            value,
        })
        .collect();
    let aggregates = part.answer.aggregates.clone();
    let answer = AnswerPlan { aggregates, having: filter, columns, order, skip, fetch };
    Some(PrivatePlan { answer, ..part.clone() })
}

impl Above {
    fn see_through(&mut self, filter: Option<&Scalar>, columns: &[Scalar]) {
        let below = |scalar: &Scalar| {
            visit::with_replaced(scalar, &mut |part| match part {
                Scalar::Column(column) => columns.get(*column).cloned(),
                _ => None,
            })
        };
        self.columns = self.columns.iter().map(below).collect();
        self.filter = self.filter.as_ref().map(below);
        self.order.iter_mut().for_each(|order| order.by = below(&order.by));
        self.filter = visit::both(filter.cloned(), self.filter.take());
    }

    /// An order, and perhaps a cut, below: it is the last one where nothing above filters or cuts its rows otherwise.
    fn behind(&mut self, by: &[Order], skip: u64, fetch: Option<u64>) -> Option<()> {
        let cuts = skip > 0 || fetch.is_some();
        if !cuts {
            // Another order above makes this one nothing.
            if self.order.is_empty() {
                self.order = by.to_vec();
            }
            return Some(());
        }
        if self.filter.is_some() || !self.order.is_empty() {
            return None;
        }
        // The first rows of the first rows.
        let left = fetch.map(|fetch| fetch.saturating_sub(self.skip));
        self.fetch = match (left, self.fetch) {
            (Some(left), Some(fetch)) => Some(left.min(fetch)),
            (left, fetch) => left.or(fetch),
        };
        self.skip = self.skip.saturating_add(skip);
        self.order = by.to_vec();
        Some(())
    }
}
