//! Many tables bought at once: one question, one charge, one record.
//!
//! **Guarantee.** What [`Curator::publish`] returns satisfies, for neighbours that differ in one person, the price that the
//! ledger took for it. The plan is fixed before the debit and nothing in it looks at rows, so all of it is one release of a
//! fixed list (`privacy/src/account/fixed_list.rs`): its price is that of the list. A [`MeasuredTable`] measures sums over
//! the groups of one aggregation; how far one person moves those is taken from the aggregation here
//! ([`MeasuredTable::new`]) and from nobody else: at most `groups_moved` groups by at most `person_bounds` each, bounded once,
//! for all measurements of that table (`workload/src/residual.rs` has what follows for sums and residuals of groups).
//! **Order.** As for any question (`ask.rs`): files are held open from before the debit; the receipt exists once the debit is
//! durable; only what was recorded is returned. The same plan about the same data is the same question, whose numbers are
//! given again for nothing.
//! **Owner.** Publications are the owner's: what is published is everybody's.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use pointillist_catalog::OWNER;
use pointillist_engine::{Choice, Prepared};
use pointillist_ledger::{Charge, Charged, Digest, Premises, Question, Record, Repeated};
use pointillist_noise::with_system_bits;
use pointillist_plan::{PrivatePlan, Relation, StatementPlan};
use pointillist_privacy::account::{FixedList, FixedRelease, Shift};
use pointillist_privacy::{Currency, Loss, Price, Spend};
use pointillist_workload::{Cube, Depths, Measurement, Moved, What};

use crate::answer::Answer;
use crate::approval::require_approval;
use crate::curator::{Curator, State};
use crate::engines::Engines;
use crate::error::AskError;
use crate::order::{Invoice, Order, sorted_releases};
use crate::release::{Released, release_measured};
use crate::released_bytes::{decode, encode, key_bytes};
use crate::reuse::Recorded;
use crate::rows::RowWork;

/// Everything that is bought at once: statements, and tables that are measured.
#[derive(Clone, Debug)]
pub struct PublicationPlan {
    statements: Vec<StatementPlan>,
    /// The releases of all statements, in their order.
    parts: Vec<PrivatePlan>,
    measured: Vec<MeasuredTable>,
    scope: String,
    list: FixedList,
    price: Price,
    price_of_parts: Price,
}

/// Sums over the groups of an aggregation, with the noise of each.
#[derive(Clone, Debug)]
pub struct MeasuredTable {
    plan: PrivatePlan,
    depths: Depths,
    cube: Cube,
    measurements: Vec<Measurement>,
}

/// Numbers that may leave.
#[derive(Clone, Debug, PartialEq)]
pub struct PublishedNumbers {
    /// The answers to the statements, in the order of the plan.
    pub answers: Vec<Answer>,
    /// For each measured table, the noisy integers of each of its measurements.
    pub measured: Vec<Vec<Vec<i128>>>,
}

/// Where the ledger has a publication.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PublishedAt {
    /// The number of the payment's record.
    pub reserve_seq: u64,
    /// The number of the record that holds the numbers.
    pub release_seq: u64,
    /// Whether they had been paid for and recorded before.
    pub is_repeat: bool,
}

impl MeasuredTable {
    /// Measurements of the groups of a plan's only measure. `depths` is where the groups stand in the cube, row by row.
    ///
    /// # Errors
    /// When the plan's keys are not public, it has not one measure that adds up, or its groups are not the cells of the cube.
    pub fn new(
        plan: PrivatePlan,
        cube: Cube,
        depths: Depths,
        measure: &[(What, Spend)],
    ) -> Result<Self, AskError> {
        let moved = moved(&plan, &depths).ok_or(AskError::Failed)?;
        let groups = plan.aggregation.domain.as_ref().map(Vec::len);
        if plan.selection.is_some() || cube.cells(&depths).ok() != groups {
            return Err(AskError::Failed);
        }
        let one = |(what, spend): &(What, Spend)| {
            // Sums of groups that are there, and no others.
            let is_coarser = what.depths().iter().zip(&depths).all(|(wanted, has)| wanted <= has);
            let measurement = Measurement::new(&cube, what.clone(), moved.clone(), spend);
            measurement.ok().filter(|_| is_coarser).ok_or(AskError::Failed)
        };
        let measurements = measure.iter().map(one).collect::<Result<Vec<_>, _>>()?;
        Ok(Self { plan, depths, cube, measurements })
    }

    /// What is read and grouped.
    pub fn plan(&self) -> &PrivatePlan {
        &self.plan
    }

    /// What is measured of it.
    pub fn measurements(&self) -> &[Measurement] {
        &self.measurements
    }

    /// The bytes of what is measured, after those of the topic.
    pub(crate) fn canonical(&self) -> Vec<u8> {
        // The topic has keys, groups and measures as sets; here it matters which key is which axis, and which group is which
        // cell: the recorded integers have no other names.
        let terms = self.plan.terms();
        let labels = terms.keys.into_iter().chain(terms.measures.into_iter().map(|measure| measure.label));
        let groups = self.plan.aggregation.domain.iter().flatten().map(|group| key_bytes(group));
        let measured = self.measurements.iter().map(Measurement::canonical);
        let mut all = format!("measured at {:?}", self.depths).into_bytes();
        for part in labels.chain(groups).chain(measured) {
            all.extend((part.len() as u64).to_be_bytes());
            all.extend(part);
        }
        all
    }

    /// The noisy integers of every measurement of these totals.
    pub(crate) fn noised(
        &self,
        totals: &[i128],
        bits: &mut pointillist_noise::SystemBits,
    ) -> Option<Vec<Vec<i128>>> {
        let mut one = |measurement: &Measurement| {
            let sums = self.cube.sum_to(&self.depths, totals, measurement.what().depths()).ok()?;
            measurement.release(&sums, bits).ok()
        };
        self.measurements.iter().map(&mut one).collect()
    }

    fn fixed_releases(&self) -> Option<Vec<FixedRelease>> {
        self.measurements.iter().map(fixed_release).collect()
    }
}

/// How far one person moves the groups of a plan; none unless it has one measure that adds up.
pub fn moved(plan: &PrivatePlan, depths: &Depths) -> Option<Moved> {
    let [measure] = plan.aggregation.measures.as_slice() else { return None };
    if plan.releases.iter().any(|release| release.choice().is_some()) {
        return None;
    }
    let (low, high) = measure.person_bounds(&plan.aggregation.bound);
    let each = high.max(-low);
    Some(Moved { bounded_at: depths.clone(), groups: plan.aggregation.groups_moved().max(1), each })
}

fn fixed_release(measurement: &Measurement) -> Option<FixedRelease> {
    Some(match measurement.spend() {
        Spend::Pure(epsilon) => FixedRelease::Pure { epsilon: epsilon.clone() },
        Spend::Concentrated(rho) => {
            let shift = |shift: pointillist_workload::Shift| {
                let (by, count) = (u32::try_from(shift.distance).ok()?, u64::try_from(shift.rows).ok()?);
                (by > 0).then_some(Shift { variance: shift.variance, by, count })
            };
            let moving = |shift: &pointillist_workload::Shift| shift.distance > 0 && shift.rows > 0;
            let shifts = measurement.shifts();
            FixedRelease::Gaussian {
                rho: rho.clone(),
                variance_least: measurement.variance_least()?,
                shifts: shifts.and_then(|all| all.into_iter().filter(moving).map(shift).collect()),
            }
        }
    })
}

impl PublicationPlan {
    /// Everything together, priced as one release of a fixed list.
    ///
    /// # Errors
    /// When there is nothing, or parts belong to several populations.
    pub fn new(statements: Vec<StatementPlan>, measured: Vec<MeasuredTable>) -> Result<Self, AskError> {
        let parts: Vec<PrivatePlan> = statements.iter().flat_map(sorted_releases).collect();
        let plans = parts.iter().chain(measured.iter().map(|table| &table.plan));
        let scopes: Vec<(String, Currency)> =
            plans.map(|plan| (plan.scope.clone(), plan.price.currency())).collect();
        let (scope, currency) = scopes.first().cloned().ok_or(AskError::Failed)?;
        if scopes.iter().any(|other| *other != (scope.clone(), currency)) {
            return Err(AskError::Failed);
        }
        let mut list = FixedList::new();
        let mut losses: Vec<Loss> = Vec::new();
        for part in &parts {
            part.fixed_releases().map_err(|_| AskError::Failed)?.into_iter().for_each(|one| list.add(one));
            losses.push(part.loss.clone());
        }
        for table in &measured {
            table.fixed_releases().ok_or(AskError::Failed)?.into_iter().for_each(|one| list.add(one));
            losses.extend(table.measurements.iter().map(Measurement::loss));
        }
        let together = losses.iter().skip(1).try_fold(losses[0].clone(), |sum, loss| sum.then(loss));
        let price_of_parts =
            together.and_then(|loss| Price::of_loss(currency, &loss)).ok_or(AskError::Failed)?;
        let price = list.price(currency).ok_or(AskError::Failed)?;
        Ok(Self { statements, parts, measured, scope, list, price, price_of_parts })
    }

    /// The statements.
    pub fn statements(&self) -> &[StatementPlan] {
        &self.statements
    }

    /// The releases of all statements, in their order.
    pub(crate) fn parts(&self) -> &[PrivatePlan] {
        &self.parts
    }

    /// The tables that are measured.
    pub fn measured(&self) -> &[MeasuredTable] {
        &self.measured
    }

    /// The population whose budget pays.
    pub fn scope(&self) -> &str {
        &self.scope
    }

    /// The list that is fixed in advance.
    pub fn list(&self) -> &FixedList {
        &self.list
    }

    /// What the ledger takes.
    pub fn price(&self) -> Price {
        self.price
    }

    /// What the parts would cost one by one.
    pub fn price_of_parts(&self) -> Price {
        self.price_of_parts
    }
}

/// A publication with its files held open.
struct PublicationWork {
    statements: Vec<RowWork>,
    order: Order<PublicationPlan>,
    prepared: Vec<Box<dyn Prepared>>,
}

impl Curator {
    /// Buys, computes, records and hands out a publication. `text` is what is kept in the owner's log.
    ///
    /// # Errors
    /// Before the debit when it is not affordable or data cannot be opened; after it, one constant failure.
    pub fn publish(
        &self,
        plan: PublicationPlan,
        text: &str,
    ) -> Result<(PublishedNumbers, PublishedAt), AskError> {
        let state = self.state.as_ref();
        let work = PublicationWork::open(state, plan)?;
        let Invoice { question, scope, price } = work.order.invoice().clone();
        let _flight = state.flights.take_off(question.id());
        // The plan with all its words is the request, so that an approval of it is used by this payment and by no other.
        let request = plan_digest(&question, text);
        let analyst = OWNER.to_owned();
        // Looked at again in the turn that pays: another server may use the approval a moment before.
        let approval = self.check_approval(&scope, &question, &request)?.then_some(request);
        let premises = Premises { datasets: Arc::clone(&state.datasets), approval };
        let charge = Charge { request_id: None, analyst, scope, price, question, request };
        let charged = state.ledger.charge_if(charge, premises)?;
        state.questions.keep(request, text);
        match charged {
            Charged::Fresh(receipt) => {
                let compute = || work.release(&receipt);
                let released = catch_unwind(AssertUnwindSafe(compute)).unwrap_or(Err(AskError::Failed))?;
                let reserve_seq = receipt.seq();
                let recorded =
                    state.ledger.record(receipt, &encode(&released)).map_err(|_| AskError::Failed)?;
                let at = PublishedAt { reserve_seq, release_seq: recorded.seq, is_repeat: false };
                Ok((work.present(released)?, at))
            }
            Charged::Repeat(repeated) => {
                let released = decode(&repeated.answer).ok_or(AskError::Failed)?;
                let Repeated { reserve_seq, release_seq, .. } = repeated;
                Ok((work.present(released)?, PublishedAt { reserve_seq, release_seq, is_repeat: true }))
            }
        }
    }

    /// The numbers of a publication as the ledger has them; nothing where it was never made. Nothing is paid or written.
    ///
    /// # Errors
    /// When data cannot be opened, or the record does not fit the plan.
    pub fn recorded_publication(&self, plan: PublicationPlan) -> Result<Option<PublishedNumbers>, AskError> {
        let work = PublicationWork::open(&self.state, plan)?;
        let Invoice { question, scope, .. } = work.order.invoice();
        let held = self.state.ledger.held(scope, OWNER, question)?;
        let Some(held) = held.into_iter().find(|held| held.question.id() == question.id()) else {
            return Ok(None);
        };
        work.present(decode(&held.answer).ok_or(AskError::Failed)?).map(Some)
    }

    /// The number of the payment's record, where a publication was paid for already.
    ///
    /// # Errors
    /// When a table is not declared any more, or the ledger does not serve.
    pub fn reserve_of(&self, plan: &PublicationPlan) -> Result<Option<u64>, AskError> {
        let order = Order::about_publication(plan.clone(), &self.state.catalog)?;
        let id = order.invoice().question.id();
        let history = self.state.ledger.history()?;
        Ok(history.into_iter().find_map(|(entry, _)| match entry.record {
            Record::Reserve(reserve) if reserve.asked.question == id => Some(entry.seq),
            _ => None,
        }))
    }

    /// What approvals name: the plan as it would be carried out, with its price, the versions of the data, and all its words.
    ///
    /// # Errors
    /// When a table is not declared any more.
    pub fn plan_digest(&self, plan: &PublicationPlan, text: &str) -> Result<Digest, AskError> {
        let order = Order::about_publication(plan.clone(), &self.state.catalog)?;
        Ok(plan_digest(&order.invoice().question, text))
    }

    /// Where the catalog names approvers, one of them must have approved what somebody else has prepared: these tables under
    /// these words. Only what was published under the same words may be published again without being asked for again. Says
    /// whether the payment relies on an approval.
    fn check_approval(&self, scope: &str, question: &Question, plan: &Digest) -> Result<bool, AskError> {
        let ledger = &self.state.ledger;
        let prepared = ledger.prepared(plan)?;
        let is_held = !ledger.held(scope, OWNER, question)?.is_empty();
        let was_published = ledger.published()?.iter().any(|one| one.publication.plan == *plan);
        let is_used = prepared.as_ref().is_none_or(|prepared| prepared.used_by.is_some());
        if is_held && was_published && is_used {
            return Ok(false);
        }
        Ok(require_approval(&self.state.catalog, prepared.as_ref())?.is_some())
    }
}

/// What approvals name.
fn plan_digest(question: &Question, text: &str) -> Digest {
    Digest::of("pointillist plan of a release", &[&question.id().0, text.as_bytes()])
}

impl PublicationWork {
    fn open(state: &State, plan: PublicationPlan) -> Result<Self, AskError> {
        let open = |statement: &StatementPlan| RowWork::open(state, statement.clone());
        let statements = plan.statements.iter().map(open).collect::<Result<Vec<_>, _>>()?;
        let relations = plan.measured.iter().map(|table| &table.plan.aggregation.relation);
        let engines = Engines::open(state, relations.flat_map(Relation::tables))?;
        let prepare = |table: &MeasuredTable| engines.prepare(&table.plan.aggregation);
        let prepared = plan.measured.iter().map(prepare).collect::<Result<Vec<_>, _>>()?;
        let order = Order::about_publication(plan, &state.catalog)?;
        Ok(Self { statements, order, prepared })
    }

    /// Reads and adds noise, for whoever shows the receipt of the order.
    fn release(&self, receipt: &pointillist_ledger::Receipt) -> Result<Vec<Recorded>, AskError> {
        let paid = self.order.paid_by(receipt)?;
        let mut all = Vec::new();
        let mut parts = paid.parts();
        for work in &self.statements {
            let own: Vec<_> = parts.by_ref().take(work.plans().len()).collect();
            for (released, plan) in work.release_paid(&own)?.into_iter().zip(work.plans()) {
                all.push(Recorded { terms: Some(plan.terms()), released });
            }
        }
        for (table, prepared) in paid.measured().zip(&self.prepared) {
            let groups = prepared.aggregate(&table.work().plan.aggregation, &Choice::Fresh);
            let groups = groups.map_err(|_| AskError::Failed)?;
            let released = with_system_bits(|bits| release_measured(&groups, &table, bits));
            let released = released.map_err(|_| AskError::Failed)?.ok_or(AskError::Failed)?;
            all.extend(released.into_iter().map(|released| Recorded { terms: None, released }));
        }
        Ok(all)
    }

    /// What may leave, from what is recorded.
    fn present(&self, recorded: Vec<Recorded>) -> Result<PublishedNumbers, AskError> {
        let mut rest = recorded.into_iter();
        let mut answers = Vec::new();
        for work in &self.statements {
            let own: Vec<Recorded> = rest.by_ref().take(work.plans().len()).collect();
            answers.push(work.answer(&own)?);
        }
        let numbers = |recorded: Recorded| {
            let Released { measures, .. } = recorded.released;
            <[Vec<i128>; 1]>::try_from(measures).ok().map(|[noisy]| noisy)
        };
        let mut measured = Vec::new();
        for table in &self.order.work().measured {
            let own: Option<Vec<Vec<i128>>> =
                rest.by_ref().take(table.measurements.len()).map(numbers).collect();
            let own = own.filter(|own| own.len() == table.measurements.len());
            measured.push(own.ok_or(AskError::Failed)?);
        }
        match rest.next() {
            None => Ok(PublishedNumbers { answers, measured }),
            Some(_) => Err(AskError::Failed),
        }
    }
}
