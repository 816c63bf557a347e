//! What is to be released, with the question that identifies it and the price that pays for it.
//!
//! **Guarantee.** A receipt buys the numbers that it was taken out for, and no others. Data are read and noise is added
//! for [`Purchase`]s only; one comes from [`Order::paid_by`] alone, which compares the question, the population and the
//! price of the receipt with those of the order; and it carries the plan that was compared, so that no other can take its
//! place. The question and the price follow from the plan: there is no order whose question is another plan's.
//! **Together.** Plans that are bought together are one order: one question, made of all of theirs, and one price, the sum
//! of what they lose. One plan alone is the question that it always was.

use pointillist_catalog::{Catalog, Graph as DeclaredGraph};
use pointillist_graph::Mechanism;
use pointillist_ledger::{Question, Receipt};
use pointillist_plan::{PrivatePlan, StatementPlan, TrainingRows};
use pointillist_privacy::Price;
use pointillist_query::{EvaluationQuestion, GraphQuestion, SynthesisQuestion, TrainingQuestion};

use crate::datasets::source_words;
use crate::error::AskError;
use crate::evaluation::Evaluating;
use crate::graphs;
use crate::publication::{MeasuredTable, PublicationPlan};
use crate::synthesis::Synthesis;
use crate::training::Training;

/// A plan or a mechanism, understood and priced.
pub(crate) struct Order<W: ?Sized> {
    work: Box<W>,
    invoice: Invoice,
}

/// What is to be paid, by whom and for what.
#[derive(Clone, Debug)]
pub(crate) struct Invoice {
    /// What identifies the numbers that are released.
    pub(crate) question: Question,
    /// Whose budget pays.
    pub(crate) scope: String,
    /// What the ledger is asked to take.
    pub(crate) price: Price,
}

/// Work that is paid for: what data are read and noise is added with.
pub(crate) struct Purchase<'a, W: ?Sized> {
    work: &'a W,
}

impl Order<[PrivatePlan]> {
    /// A question about rows of tables: plans that are bought together, each release once and in the order of their bytes.
    pub(crate) fn about_rows(plans: Vec<PrivatePlan>, catalog: &Catalog) -> Result<Self, AskError> {
        let named =
            |plan: &PrivatePlan| Ok((topic(plan, catalog)?, pointillist_plan::canonical_release(plan)));
        let bytes = plans.iter().map(named).collect::<Result<Vec<_>, AskError>>()?;
        let question = match bytes.as_slice() {
            [(topic, release)] => Question::on_topic(topic, release),
            several => {
                let topics = several.iter().map(|(topic, _)| topic.as_slice());
                let releases = several.iter().map(|(_, release)| release.as_slice());
                Question::on_topic(&together(topics), &together(releases))
            }
        };
        let price = match plans.as_slice() {
            [only] => Some(only.price),
            several => PrivatePlan::price_of_all(several.iter()),
        };
        let scope = plans.first().map(|plan| plan.scope.clone()).unwrap_or_default();
        let invoice = Invoice { question, scope, price: price.ok_or(AskError::Failed)? };
        Ok(Self { work: plans.into_boxed_slice(), invoice })
    }
}

/// The first byte of the question of several plans; that of one alone begins with the version of its bytes.
const TOGETHER: u8 = 0;

fn together<'b>(parts: impl Iterator<Item = &'b [u8]>) -> Vec<u8> {
    let mut all = vec![TOGETHER];
    parts.for_each(|part| extend(&mut all, part));
    all
}

fn extend(bytes: &mut Vec<u8>, part: &[u8]) {
    bytes.extend((part.len() as u64).to_be_bytes());
    bytes.extend(part);
}

/// What the numbers of a plan are about.
fn topic(plan: &PrivatePlan, catalog: &Catalog) -> Result<Vec<u8>, AskError> {
    // What identifies the numbers that are released: everything but what is computed from them afterwards.
    let mut topic = pointillist_plan::canonical_topic(plan);
    for name in plan.aggregation.relation.tables() {
        let table = catalog.table(name).ok_or_else(|| AskError::Unavailable { table: name.to_owned() })?;
        // Another file, or the same name on another server, is other data, whatever its version is called.
        [table.version.clone(), source_words(catalog, table)]
            .iter()
            .for_each(|part| extend(&mut topic, part.as_bytes()));
    }
    Ok(topic)
}

impl Order<PublicationPlan> {
    /// Many tables that are published at once: one question, made of everything that is released, and the price of the
    /// list that they are.
    pub(crate) fn about_publication(plan: PublicationPlan, catalog: &Catalog) -> Result<Self, AskError> {
        let mut canonical = b"publication".to_vec();
        for part in plan.parts() {
            extend(&mut canonical, &topic(part, catalog)?);
            extend(&mut canonical, &pointillist_plan::canonical_release(part));
        }
        for table in plan.measured() {
            extend(&mut canonical, &topic(table.plan(), catalog)?);
            extend(&mut canonical, &table.canonical());
        }
        let (scope, price) = (plan.scope().to_owned(), plan.price());
        let invoice = Invoice { question: Question::new(&canonical), scope, price };
        Ok(Self { work: Box::new(plan), invoice })
    }
}

/// The releases of a statement, each once, in the order of their bytes: the same purchase, whichever it names first.
pub(crate) fn sorted_releases(statement: &StatementPlan) -> Vec<PrivatePlan> {
    let mut plans: Vec<PrivatePlan> =
        statement.releases().into_iter().map(|part| statement.parts()[part].clone()).collect();
    plans.sort_by_cached_key(pointillist_plan::canonical_release);
    plans
}

impl Order<Training> {
    /// A question for a model: rows, a recipe and a price.
    pub(crate) fn about_training(catalog: &Catalog, question: &TrainingQuestion) -> Result<Self, AskError> {
        let (training, price) = Training::new(catalog, question)?;
        let canonical = training.canonical(question);
        Self::about_single_rows(catalog, training, &question.rows, canonical, price)
    }
}

impl Order<Synthesis> {
    /// A question for a sanitized table: rows, a recipe and a price.
    pub(crate) fn about_synthesis(catalog: &Catalog, question: &SynthesisQuestion) -> Result<Self, AskError> {
        let (synthesis, price) = Synthesis::new(catalog, question)?;
        let canonical = synthesis.canonical(question);
        Self::about_single_rows(catalog, synthesis, &question.rows, canonical, price)
    }
}

impl<W> Order<W> {
    /// Something that is made of single rows.
    fn about_single_rows(
        catalog: &Catalog,
        work: W,
        rows: &TrainingRows,
        mut canonical: Vec<u8>,
        price: Price,
    ) -> Result<Self, AskError> {
        for name in rows.relation.tables() {
            let table =
                catalog.table(name).ok_or_else(|| AskError::Unavailable { table: name.to_owned() })?;
            // Another file is other data, whatever its version is called.
            [table.version.clone(), source_words(catalog, table)]
                .iter()
                .for_each(|part| extend(&mut canonical, part.as_bytes()));
        }
        let invoice = Invoice { question: Question::new(&canonical), scope: rows.scope.clone(), price };
        Ok(Self { work: Box::new(work), invoice })
    }
}

impl Order<Evaluating> {
    /// A question about a public model or table: rows, what is public, a measure and a price.
    pub(crate) fn about_evaluation(
        catalog: &Catalog,
        question: &EvaluationQuestion,
    ) -> Result<Self, AskError> {
        let (evaluating, price) = Evaluating::new(catalog, question)?;
        let canonical = evaluating.canonical(catalog, question)?;
        Self::about_single_rows(catalog, evaluating, &question.rows, canonical, price)
    }
}

impl Order<dyn Mechanism> {
    /// A question about a graph, the mechanism that answers it and what that costs.
    pub(crate) fn about_graph(
        question: &GraphQuestion,
        declared: &DeclaredGraph,
        mechanism: Box<dyn Mechanism>,
        price: Price,
    ) -> Self {
        let canonical = graphs::canonical(question, declared, mechanism.as_ref());
        let invoice = Invoice { question: Question::new(&canonical), scope: question.scope.clone(), price };
        Self { work: mechanism, invoice }
    }
}

impl<W: ?Sized> Order<W> {
    /// The plan or mechanism that runs once it is paid for.
    pub(crate) fn work(&self) -> &W {
        &self.work
    }

    /// What is to be paid for it.
    pub(crate) fn invoice(&self) -> &Invoice {
        &self.invoice
    }

    /// The right to do it, for whoever shows the receipt of this order.
    pub(crate) fn paid_by<'a>(&'a self, receipt: &'a Receipt) -> Result<Purchase<'a, W>, AskError> {
        let Invoice { question, scope, price, .. } = &self.invoice;
        let is_paid = receipt.pays_for(question, scope, price);
        is_paid.then_some(Purchase { work: self.work.as_ref() }).ok_or(AskError::Failed)
    }
}

impl<'a, W: ?Sized> Purchase<'a, W> {
    /// What was paid for.
    pub(crate) fn work(&self) -> &'a W {
        self.work
    }
}

impl<'a> Purchase<'a, [PrivatePlan]> {
    /// Each of the plans that were paid for together.
    pub(crate) fn each(&self) -> impl Iterator<Item = Purchase<'a, PrivatePlan>> {
        self.work.iter().map(|work| Purchase { work })
    }
}

impl<'a> Purchase<'a, PublicationPlan> {
    /// Each release of the statements that were paid for, in the order of the question.
    pub(crate) fn parts(&self) -> impl Iterator<Item = Purchase<'a, PrivatePlan>> + use<'a> {
        self.work.parts().iter().map(|work| Purchase { work })
    }

    /// Each table that is measured.
    pub(crate) fn measured(&self) -> impl Iterator<Item = Purchase<'a, MeasuredTable>> + use<'a> {
        self.work.measured().iter().map(|work| Purchase { work })
    }
}

#[cfg(test)]
mod tests {
    use pointillist_catalog::{Catalog, DeclaredBudget, OWNER};
    use pointillist_engine::{Engine, EngineOptions, Source};
    use pointillist_ledger::{Charge, Charged, Digest, Ledger, Options, Place};
    use pointillist_noise::with_system_bits;

    use super::*;
    use crate::release::release;

    const CATALOG: &str = r#"
        [scope.people]
        budget = { rho = 10, delta = 1e-6 }
        [scope.others]
        budget = { rho = 10, delta = 1e-6 }
        [table.visits]
        scope = "people"
        source = "visits.csv"
        privacy_unit = "row"
        [table.visits.columns]
        age = { type = "integer", lower = 0, upper = 120 }
        [table.twins]
        scope = "others"
        source = "twins.csv"
        privacy_unit = "row"
        [table.twins.columns]
        age = { type = "integer", lower = 0, upper = 120 }
    "#;

    fn plan(catalog: &Catalog, table: &str, what: &str, rho: &str) -> PrivatePlan {
        let sql = format!("SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (rho = {rho}) {what} FROM {table}");
        pointillist_query::plan(catalog, &sql, &pointillist_query::Options::default()).unwrap()
    }

    fn order(catalog: &Catalog, table: &str, what: &str, rho: &str) -> Order<[PrivatePlan]> {
        Order::about_rows(vec![plan(catalog, table, what, rho)], catalog).unwrap_or_else(|e| panic!("{e}"))
    }

    fn receipt(ledger: &Ledger, order: &Order<[PrivatePlan]>) -> Receipt {
        let charge = Charge {
            request_id: None,
            analyst: OWNER.to_owned(),
            scope: order.invoice.scope.clone(),
            price: order.invoice.price,
            question: order.invoice.question.clone(),
            request: Digest::of("test", &[]),
        };
        match ledger.charge(charge).unwrap() {
            Charged::Fresh(receipt) => receipt,
            Charged::Repeat(_) => panic!("nothing was recorded"),
        }
    }

    /// Specification: a receipt for another question, another price, another version of the data or another population is
    /// refused, also where all else is equal; the right one is not.
    #[test]
    fn a_receipt_buys_its_own_order_and_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let place = Place::new(folder.path().join("ledger"), folder.path().join("anchor"));
        let ledger = Ledger::open(&place, Options::default()).unwrap();
        let catalog = Catalog::parse(CATALOG).unwrap();
        crate::budgets::agree(&catalog, &ledger).unwrap();
        assert!(catalog.scopes.values().all(|scope| matches!(scope.budget, DeclaredBudget::Zcdp { .. })));
        let mut later = catalog.clone();
        later.tables.get_mut("visits").unwrap().version = "later".to_owned();
        let mut cheaper = order(&catalog, "visits", "count(*)", "0.5");
        cheaper.invoice.price = order(&catalog, "visits", "count(*)", "0.1").invoice.price;
        let mut elsewhere = order(&catalog, "visits", "count(*)", "0.5");
        elsewhere.invoice.scope = "others".to_owned();
        let both = |rho: &str| {
            let plans =
                vec![plan(&catalog, "visits", "count(*)", "0.5"), plan(&catalog, "visits", "sum(age)", rho)];
            Order::about_rows(plans, &catalog).unwrap_or_else(|error| panic!("{error}"))
        };
        let orders = [
            // Two plans together are neither of the two, and what the second costs is part of the question.
            both("0.5"),
            both("0.1"),
            order(&catalog, "visits", "count(*)", "0.5"),
            order(&catalog, "visits", "count(*)", "0.1"),
            order(&catalog, "visits", "sum(age)", "0.5"),
            order(&catalog, "twins", "count(*)", "0.5"),
            order(&later, "visits", "count(*)", "0.5"),
            // The same question, for less and at somebody else's expense: only the price and the scope differ.
            cheaper,
            elsewhere,
        ];
        for (paid, one) in orders.iter().enumerate() {
            let receipt = receipt(&ledger, one);
            for (wanted, other) in orders.iter().enumerate() {
                assert_eq!(other.paid_by(&receipt).is_ok(), paid == wanted, "{paid} pays for {wanted}");
            }
        }
    }

    /// Specification: what is released is the plan that was compared.
    #[test]
    fn a_purchase_releases_the_plan_of_its_order() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("visits.csv"), "age\n30\n40\n").unwrap();
        let place = Place::new(folder.path().join("ledger"), folder.path().join("anchor"));
        let ledger = Ledger::open(&place, Options::default()).unwrap();
        let catalog = Catalog::parse(CATALOG).unwrap();
        crate::budgets::agree(&catalog, &ledger).unwrap();
        let order = order(&catalog, "visits", "count(*), sum(age)", "0.5");
        let receipt = receipt(&ledger, &order);
        let purchase = order.paid_by(&receipt).unwrap_or_else(|error| panic!("{error}"));
        let engine = Engine::new(EngineOptions::default()).unwrap();
        let purchase = purchase.each().next().unwrap();
        let aggregation = &purchase.work().aggregation;
        let source = Source::open(folder.path(), "visits.csv").unwrap();
        let sources = std::collections::BTreeMap::from([("visits".to_owned(), source)]);
        let groups = engine.aggregate(engine.scan(&sources, aggregation).unwrap(), aggregation).unwrap();
        let released = with_system_bits(|bits| release(&groups, &purchase, bits)).unwrap();
        assert_eq!(released.measures.len(), order.work()[0].releases.len());
    }

    /// Specification: what is bought together costs the sum, exactly, in one charge.
    #[test]
    fn plans_that_are_bought_together_cost_their_sum() {
        let catalog = Catalog::parse(CATALOG).unwrap();
        let plans =
            vec![plan(&catalog, "visits", "count(*)", "0.5"), plan(&catalog, "visits", "sum(age)", "0.125")];
        let order = Order::about_rows(plans, &catalog).unwrap_or_else(|error| panic!("{error}"));
        let rho = pointillist_privacy::Rho::parse("0.625").unwrap();
        assert_eq!(order.invoice.price, Price::zcdp(&rho, &pointillist_privacy::Delta::zero()));
    }
}
