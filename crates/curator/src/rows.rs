//! Questions about the rows of a table: what they read, and what is made of it.

use std::panic::{AssertUnwindSafe, catch_unwind};

use pointillist_catalog::{Catalog, Table};
use pointillist_engine::{Scan, Source};
use pointillist_ledger::Receipt;
use pointillist_noise::with_system_bits;
use pointillist_plan::PrivatePlan;
use pointillist_query::Refusal;

use crate::answer::Answer;
use crate::ask::Work;
use crate::curator::State;
use crate::error::AskError;
use crate::order::{Invoice, Order};
use crate::release::{Released, release};
use crate::reuse::{Recorded, conform};

/// A plan, its price, and the files that it reads.
pub(crate) struct RowWork {
    order: Order<PrivatePlan>,
    scan: Scan,
}

impl RowWork {
    /// Finds the files and their schemas and holds them open; reads no row.
    pub(crate) fn open(state: &State, plan: PrivatePlan) -> Result<Self, AskError> {
        check_presentable(&plan)?;
        let table = table(&state.catalog, &plan)?;
        let unavailable = |_| AskError::Unavailable { table: table.name.clone() };
        let source = Source::open(&state.folder, &table.source).map_err(unavailable)?;
        let scan = state.engine.scan(&source, &plan.aggregation).map_err(unavailable)?;
        Ok(Self { order: Order::about_rows(plan, table), scan })
    }
}

impl Work for RowWork {
    fn invoice(&self) -> &Invoice {
        self.order.invoice()
    }

    fn canonical(&self) -> Vec<u8> {
        pointillist_plan::canonical(self.order.work())
    }

    fn plan(&self) -> Option<&PrivatePlan> {
        Some(self.order.work())
    }

    fn release(&self, state: &State, receipt: &Receipt) -> Result<Released, AskError> {
        let paid = self.order.paid_by(receipt)?;
        let groups = state.engine.aggregate(self.scan.clone(), &paid.work().aggregation);
        let groups = groups.map_err(|_| AskError::Failed)?;
        with_system_bits(|bits| release(&groups, &paid, bits)).map_err(|_| AskError::Failed)
    }

    fn present(&self, recorded: &Recorded) -> Result<Answer, AskError> {
        let (plan, released) = conform(self.order.work(), recorded).ok_or(AskError::Failed)?;
        Ok(Answer::new(&plan, &released))
    }
}

/// The table that a plan reads.
pub(crate) fn table<'c>(catalog: &'c Catalog, plan: &PrivatePlan) -> Result<&'c Table, AskError> {
    let name = plan.aggregation.relation.tables().first().copied().unwrap_or_default();
    catalog.tables.get(name).ok_or_else(|| AskError::Unavailable { table: name.to_owned() })
}

/// The formulas of an answer are tried on no groups at all before anything is paid: a mistake of ours costs nobody anything.
fn check_presentable(plan: &PrivatePlan) -> Result<(), Refusal> {
    let nothing = Released { keys: Vec::new(), measures: vec![Vec::new(); plan.releases.len()] };
    let tried = catch_unwind(AssertUnwindSafe(|| Answer::new(plan, &nothing)));
    tried.map(drop).map_err(|_| {
        Refusal::not_provable(
            "this answer cannot be put together",
            "ask for other aggregates, and report this as a mistake of ours",
        )
    })
}
