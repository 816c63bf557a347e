//! How large the expressions of a statement may be.

use std::cell::Cell;

use pointillist_plan::{NODES_MAX, RELATION_DEPTH_MAX, Relation, Scalar, visit};

use crate::refusal::Refusal;

/// The deepest expression that a statement may write: what the planner puts around it stays within the language's own
/// limit ([`pointillist_plan::DEPTH_MAX`]).
pub(crate) const DEPTH_MAX: usize = 256;

/// How many parts of expressions a statement may still use: all of them together, subqueries written out, no more than
/// one expression may have.
pub(crate) struct Nodes(Cell<usize>);

impl Nodes {
    pub(crate) fn new() -> Self {
        Self(Cell::new(NODES_MAX))
    }

    /// Uses up some parts, or refuses: subqueries inside subqueries can double an expression at each level.
    pub(crate) fn take(&self, count: usize) -> Result<(), Refusal> {
        let left = self.0.get().checked_sub(count).ok_or_else(|| {
            Refusal::syntax(
                format!("the expressions of the statement have more than {NODES_MAX} parts"),
                "ask several shorter questions",
            )
        })?;
        self.0.set(left);
        Ok(())
    }

    /// A copy, paid for.
    pub(crate) fn copy(&self, scalar: &Scalar) -> Result<Scalar, Refusal> {
        self.take(visit::count(scalar))?;
        Ok(scalar.clone())
    }
}

/// Refuses expressions too deep to walk.
pub(crate) fn check_depth(scalar: &Scalar) -> Result<(), Refusal> {
    if visit::depth(scalar) > DEPTH_MAX { Err(too_deep()) } else { Ok(()) }
}

/// Why an expression that is too deep is not answered.
pub(crate) fn too_deep() -> Refusal {
    Refusal::syntax(
        format!("an expression is more than {DEPTH_MAX} operators deep"),
        "write a shorter one, or use IN with a list",
    )
}

/// Refuses relations too deep to walk. What is put around tables at the end stays within the plan's own limit
/// ([`RELATION_DEPTH_MAX`]).
pub(crate) fn check_relation(relation: &Relation) -> Result<(), Refusal> {
    let (mut depth, mut level) = (0, vec![relation]);
    while !level.is_empty() {
        depth += 1;
        level = level.into_iter().flat_map(Relation::inputs).collect();
    }
    if depth + 2 > RELATION_DEPTH_MAX {
        return Err(Refusal::syntax(
            "the statement puts too many joins, groups and subqueries around each other",
            "use fewer levels",
        ));
    }
    Ok(())
}
