//! The contract of engines: an aggregation in, exact integers per group out.
//!
//! **Guarantee.** Let ⟦A⟧(D) be the groups that an aggregation A has over the rows D (`bound.rs`: what each person adds to a
//! group is bounded, and everybody is added up). Whoever implements this promises:
//! 1. *Bounded.* What [`Prepared::aggregate`] returns is ⟦A⟧(D) for one state D of the data and some choice of groups that is,
//!    for each person, a function of that person's rows alone. So when one person's rows leave D, at most `groups_max` groups
//!    move, each by no more than the measure lets one person add: noise for exactly that was paid for.
//! 2. *Exact.* People and totals are whole numbers without rounding, whatever the order in which rows came.
//! 3. *The same everywhere.* Under [`Choice::With`] the same key, engines that hold the same rows return the same integers.
//! 4. *Refused before, silent after.* A [`Prepared`] is made without looking at a row; whatever an engine cannot do faithfully it refuses
//!    then, by name. After it, nothing that a row holds decides between groups and a failure; a failure says nothing else.
//!
//! **Where each is shown.** For rows in this process `bound.rs` and its tests; for others the lowering of A to one statement
//! and its differential tests, which hold all engines against each other on hostile values.

use std::sync::Arc;

use pointillist_plan::Aggregation;

use crate::{ChoiceKey, Engine, EngineError, Groups, Scan};

/// Under which key a person's groups are chosen.
#[derive(Clone)]
pub enum Choice {
    /// One that the engine draws for this question.
    Fresh,
    /// This one, which other engines may be given as well.
    With(ChoiceKey),
}

/// An aggregation that can run: everything that may be refused has been looked at.
pub trait Prepared: Send + Sync {
    /// Adds up the rows; once.
    ///
    /// # Errors
    /// When the engine fails for a reason that is not in the rows. Nothing about it is for an analyst.
    fn aggregate(&self, aggregation: &Aggregation, choice: &Choice) -> Result<Groups, EngineError>;
}

/// Rows in this process.
pub struct Embedded {
    engine: Arc<Engine>,
    scan: Scan,
}

impl Embedded {
    /// Files that were found, or rows in memory.
    pub fn new(engine: Arc<Engine>, scan: Scan) -> Self {
        Self { engine, scan }
    }
}

impl Prepared for Embedded {
    fn aggregate(&self, aggregation: &Aggregation, choice: &Choice) -> Result<Groups, EngineError> {
        self.engine.aggregate_choosing(self.scan.clone(), aggregation, choice)
    }
}
