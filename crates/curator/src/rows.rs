//! Questions about the rows of tables: what they read, and what is made of it.

use std::panic::{AssertUnwindSafe, catch_unwind};

use pointillist_catalog::Catalog;
use pointillist_engine::{Choice, EngineError, Prepared, Table};
use pointillist_errors::Explained;
use pointillist_ledger::Receipt;
use pointillist_noise::with_system_bits;
use pointillist_plan::{PrivatePlan, Relation, Scan as PublicScan, StatementPlan, canonical_release};
use pointillist_query::Refusal;

use crate::answer::Answer;
use crate::arrays::array;
use crate::ask::Work;
use crate::basket::{Alone, Bill};
use crate::curator::State;
use crate::engines::{Engines, here};
use crate::error::AskError;
use crate::order::{Invoice, Order, Purchase, sorted_releases};
use crate::outer_answer::{Leaves, is_computable, outer_answer};
use crate::release::{Released, release as release_groups};
use crate::reuse::{Recorded, conform};

/// A statement understood and priced: its releases, each once, in the order of their bytes.
pub(crate) struct RowQuestion {
    statement: StatementPlan,
    /// All releases together.
    order: Order<[PrivatePlan]>,
    alone: Vec<Alone>,
    catalog: Catalog,
}

/// A question, and the rows that its releases read, ready to be added up.
pub(crate) struct RowWork {
    question: RowQuestion,
    prepared: Vec<Box<dyn Prepared>>,
    /// The public tables that released numbers meet.
    public: Vec<(PublicScan, Table)>,
}

impl RowQuestion {
    /// Prices a statement; opens no file.
    pub(crate) fn new(statement: StatementPlan, catalog: &Catalog) -> Result<Self, AskError> {
        let plans = sorted_releases(&statement);
        let alone = |plan: &PrivatePlan| {
            let order = Order::about_rows(vec![plan.clone()], catalog)?;
            Ok(Alone { question: order.invoice().question.clone(), plan: plan.clone() })
        };
        let alone = plans.iter().map(alone).collect::<Result<Vec<_>, AskError>>()?;
        Ok(Self { statement, order: Order::about_rows(plans, catalog)?, alone, catalog: catalog.clone() })
    }

    /// The plans of some releases as an order of their own.
    fn order_for(&self, releases: &[usize]) -> Result<Order<[PrivatePlan]>, AskError> {
        let plans = releases.iter().map(|release| self.alone.get(*release).map(|alone| alone.plan.clone()));
        Order::about_rows(plans.collect::<Option<_>>().ok_or(AskError::Failed)?, &self.catalog)
    }

    /// The answer from the numbers of all releases.
    fn present(&self, recorded: &[Recorded], public: &Leaves<'_>) -> Result<Answer, AskError> {
        let numbers = |part: &PrivatePlan| {
            let bytes = canonical_release(part);
            let release = self.alone.iter().position(|alone| canonical_release(&alone.plan) == bytes)?;
            conform(part, recorded.get(release)?)
        };
        let parts: Option<Vec<(PrivatePlan, Released)>> =
            self.statement.parts().iter().map(numbers).collect();
        present(&self.statement, &parts.ok_or(AskError::Failed)?, public)
    }
}

impl RowWork {
    /// Finds the files of all tables and their schemas and holds them open; reads public tables, and no row of others.
    pub(crate) fn open(state: &State, statement: StatementPlan) -> Result<Self, AskError> {
        check_presentable(&statement)?;
        let question = RowQuestion::new(statement, &state.catalog)?;
        let outer = question.statement.outer().map(|outer| &outer.relation);
        let relations = question.alone.iter().map(|alone| &alone.plan.aggregation.relation).chain(outer);
        let engines = Engines::open(state, relations.flat_map(Relation::tables))?;
        let prepare = |alone: &Alone| engines.prepare(&alone.plan.aggregation);
        let prepared = question.alone.iter().map(prepare).collect::<Result<Vec<_>, AskError>>()?;
        let mut public: Vec<(PublicScan, Table)> = Vec::new();
        for scan in outer.into_iter().flat_map(Relation::scans) {
            if !public.iter().any(|(known, _)| known == scan) {
                let table = state.catalog.table(&scan.table);
                table.map_or(Ok(()), |table| here(table, "what is computed from released numbers"))?;
                let rows = state.engine.public_rows(engines.sources(), scan);
                public.push((scan.clone(), rows.map_err(|error| not_opened(&error, &scan.table))?));
            }
        }
        let work = Self { question, prepared, public };
        work.check_computable()?;
        Ok(work)
    }
}

impl RowWork {
    /// The plans that are released, in the order of their numbers.
    pub(crate) fn plans(&self) -> Vec<&PrivatePlan> {
        self.question.alone.iter().map(|alone| &alone.plan).collect()
    }

    /// Reads and adds noise for all of its releases, each of which was paid for.
    pub(crate) fn release_paid(&self, paid: &[Purchase<'_, PrivatePlan>]) -> Result<Vec<Released>, AskError> {
        let plans = self.plans();
        let is_own = |(paid, plan): (&Purchase<'_, PrivatePlan>, &&PrivatePlan)| {
            canonical_release(paid.work()) == canonical_release(plan)
        };
        if paid.len() != plans.len() || !paid.iter().zip(&plans).all(is_own) {
            return Err(AskError::Failed);
        }
        paid.iter().enumerate().map(|(release, paid)| self.release_one(release, paid)).collect()
    }

    fn release_one(&self, release: usize, paid: &Purchase<'_, PrivatePlan>) -> Result<Released, AskError> {
        let prepared = self.prepared.get(release).ok_or(AskError::Failed)?;
        let groups = prepared.aggregate(&paid.work().aggregation, &Choice::Fresh);
        let groups = groups.map_err(|_| AskError::Failed)?;
        with_system_bits(|bits| release_groups(&groups, paid, bits)).map_err(|_| AskError::Failed)
    }

    /// The answer from the numbers of all releases.
    pub(crate) fn answer(&self, recorded: &[Recorded]) -> Result<Answer, AskError> {
        self.question.present(recorded, &self.public_rows())
    }

    /// What is computed from released numbers is tried on all public groups before anything is paid: that there are too many
    /// rows of it is public.
    fn check_computable(&self) -> Result<(), Refusal> {
        let statement = &self.question.statement;
        let Some(outer) = statement.outer() else { return Ok(()) };
        let zeros = |plan: &PrivatePlan| {
            let keys = plan.aggregation.domain.clone().unwrap_or_default();
            let measures = vec![vec![0; keys.len()]; plan.releases.len()];
            (plan.clone(), Released { keys, measures })
        };
        let parts: Vec<(PrivatePlan, Released)> = statement.parts().iter().map(zeros).collect();
        let tried = catch_unwind(AssertUnwindSafe(|| is_computable(outer, &parts, &self.public_rows())));
        match tried {
            Ok(true) => Ok(()),
            _ => Err(Refusal::not_provable(
                "what is computed from the released numbers would have too many rows",
                "join aggregated subqueries on their keys, or ask for fewer groups",
            )),
        }
    }

    /// The rows of the public tables that released numbers meet.
    fn public_rows(&self) -> impl Fn(&Relation) -> Option<Table> + '_ {
        |relation: &Relation| {
            let Relation::Table(scan) = relation else { return None };
            self.public.iter().find(|(known, _)| known == scan).map(|(_, rows)| rows.clone())
        }
    }
}

impl Bill for RowQuestion {
    fn invoice(&self) -> &Invoice {
        self.order.invoice()
    }

    fn releases(&self) -> &[Alone] {
        &self.alone
    }

    fn invoice_for(&self, releases: &[usize]) -> Result<Invoice, AskError> {
        self.order_for(releases).map(|order| order.invoice().clone())
    }
}

impl Work for RowWork {
    fn bill(&self) -> &dyn Bill {
        &self.question
    }

    fn canonical(&self) -> Vec<u8> {
        self.question.statement.canonical()
    }

    fn release(&self, _: &State, receipt: &Receipt, releases: &[usize]) -> Result<Vec<Released>, AskError> {
        let order = self.question.order_for(releases)?;
        let paid = order.paid_by(receipt)?;
        releases.iter().zip(paid.each()).map(|(release, paid)| self.release_one(*release, &paid)).collect()
    }

    fn present(&self, recorded: &[Recorded]) -> Result<Answer, AskError> {
        self.answer(recorded)
    }
}

/// The answer of a statement from the numbers of its parts, each with the noise that it was released with.
pub(crate) fn present(
    statement: &StatementPlan,
    parts: &[(PrivatePlan, Released)],
    public: &Leaves<'_>,
) -> Result<Answer, AskError> {
    match (statement.outer(), parts) {
        (None, [(plan, released)]) => Ok(Answer::new(plan, released)),
        (Some(outer), parts) => outer_answer(statement, outer, parts, public).ok_or(AskError::Failed),
        (None, _) => Err(AskError::Failed),
    }
}

/// Why a question is not begun: files are not there, or public tables do not fit it.
pub(crate) fn not_opened(error: &EngineError, table: &str) -> AskError {
    match error {
        EngineError::ManyPartners | EngineError::FanOut { .. } | EngineError::TooManyRows { .. } => {
            Refusal::not_provable(error.to_string(), error.hint().unwrap_or_default()).into()
        }
        EngineError::Open { table, .. } => AskError::Unavailable { table: table.clone() },
        _ => AskError::Unavailable { table: table.to_owned() },
    }
}

/// A public table without rows.
pub(crate) fn no_rows(relation: &Relation) -> Option<Table> {
    let empty = relation.types().into_iter().map(|kind| array(kind, std::iter::empty()));
    Table::new(None, empty.collect(), 0).ok()
}

/// The formulas of an answer are tried on no groups at all before anything is paid: a mistake of ours costs nobody anything.
fn check_presentable(statement: &StatementPlan) -> Result<(), Refusal> {
    empty_answer(statement).map(drop)
}

/// The answer of a statement about nobody: its shape, which is a function of the plan.
pub(crate) fn empty_answer(statement: &StatementPlan) -> Result<Answer, Refusal> {
    let nothing =
        |plan: &PrivatePlan| Released { keys: Vec::new(), measures: vec![Vec::new(); plan.releases.len()] };
    let parts: Vec<(PrivatePlan, Released)> =
        statement.parts().iter().map(|plan| (plan.clone(), nothing(plan))).collect();
    let tried = catch_unwind(AssertUnwindSafe(|| present(statement, &parts, &no_rows)));
    tried.ok().and_then(Result::ok).ok_or_else(|| {
        Refusal::not_provable(
            "this answer cannot be put together",
            "ask for other aggregates, and report this as a mistake of ours",
        )
    })
}

#[cfg(test)]
mod noise_free_tests;
