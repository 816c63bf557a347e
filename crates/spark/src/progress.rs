//! How far Spark is with a statement.

use crate::messages::ExecutionProgress;

/// Tasks that Spark has planned so far, and those that are done. Both grow as stages begin.
///
/// **Not for analysts.** How many tasks there are follows from the files and from how much they hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// All tasks of the stages that have begun.
    pub tasks: u64,
    /// Tasks among them that have ended well.
    pub tasks_done: u64,
}

impl Progress {
    pub(crate) fn of(message: &ExecutionProgress) -> Self {
        let sum = |number: fn(&crate::messages::StageInfo) -> i64| {
            message.stages.iter().map(|stage| u64::try_from(number(stage)).unwrap_or(0)).sum()
        };
        Self { tasks: sum(|stage| stage.num_tasks), tasks_done: sum(|stage| stage.num_completed_tasks) }
    }
}
