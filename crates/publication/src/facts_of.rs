//! What a release says of itself, from its plan, the catalog and the ledger: all of it is public.

use pointillist_catalog::calendar::date_text;
use pointillist_catalog::{Catalog, Protection, Unit};
use pointillist_curator::{Curator, MeasuredTable, PublishedAt};
use pointillist_ledger::Digest;
use pointillist_numbers::decimal_upper;
use pointillist_plan::{Draw, PrivatePlan};
use pointillist_privacy::{Amount, Delta, Price, Spend};
use pointillist_workload::What;

use crate::planner::{Planned, PricedCube, PublicationError, by_filter};
use crate::publish::{PublishOptions, hash_at, reserve_at};
use crate::{
    Accounting, DataVersion, EarlierRelease, GroupLoss, Measured, PlanFile, ReceiptRecord, ReleaseFacts,
};

/// Sizes of groups whose loss is told.
const GROUPS: [u64; 4] = [2, 3, 5, 10];
/// Digits of scales.
const DIGITS: usize = 6;

/// What a release says of itself.
pub(crate) fn facts(
    curator: &Curator,
    file: &PlanFile,
    options: &PublishOptions,
    planned: &Planned,
    digest: Digest,
    at: PublishedAt,
) -> Result<ReleaseFacts, PublicationError> {
    let catalog = curator.catalog();
    let history = curator.ledger().history().map_err(pointillist_curator::StartError::from)?;
    let hash =
        |seq: u64| hash_at(&history, seq).ok_or(PublicationError::Internal("a record is not in the ledger"));
    let receipt = ReceiptRecord {
        seq: at.reserve_seq,
        hash: hash(at.reserve_seq)?,
        release_seq: at.release_seq,
        release_hash: hash(at.release_seq)?,
    };
    let accounting = accounting(planned);
    let earlier = earlier(curator, file, at, &accounting.charged, &history)?;
    let approval = curator.ledger().prepared(&digest).map_err(pointillist_curator::AskError::from)?;
    let tables = read_tables(planned);
    Ok(ReleaseFacts {
        name: file.name.clone(),
        title: file.title.clone(),
        description: file.description.clone(),
        licence: file.licence.clone(),
        citation: file.citation.clone(),
        contact: file.contact.clone(),
        keywords: file.keywords.clone(),
        not_before: options.not_before.clone(),
        released_on: options.released_on.clone(),
        scope: planned.publication.scope().to_owned(),
        unit: unit(catalog, &tables),
        neighbours: "data sets that differ in everything that one of these contributed: added, or removed"
            .to_owned(),
        accounting,
        measured: measured(planned),
        data: tables
            .iter()
            .filter_map(|name| catalog.tables.get(name))
            .map(|table| DataVersion { table: table.name.clone(), version: table.version.clone() })
            .collect(),
        software: crate::SOFTWARE.to_owned(),
        plan_digest: digest.to_string(),
        plan_text: file.text.clone(),
        receipt,
        earlier,
        prepared_by: approval
            .as_ref()
            .filter(|prepared| prepared.approved_by.is_some())
            .map(|prepared| prepared.preparation.who.clone()),
        approved_by: approval.and_then(|prepared| prepared.approved_by),
    })
}

/// Every table whose rows are read, each once.
fn read_tables(planned: &Planned) -> Vec<String> {
    let measured = planned.publication.measured().iter().map(MeasuredTable::plan);
    let parts = planned.publication.statements().iter().flat_map(|statement| statement.parts());
    let mut names: Vec<String> = Vec::new();
    for name in measured.chain(parts).flat_map(|plan| plan.aggregation.relation.tables()) {
        if !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    names
}

/// Who is protected, in words.
fn unit(catalog: &Catalog, tables: &[String]) -> String {
    let words = tables.iter().filter_map(|name| match &catalog.tables.get(name)?.protection {
        Protection::Public => None,
        Protection::Private { unit: Unit::Row, .. } => Some(format!("one row of `{name}`")),
        Protection::Private { unit: Unit::Column(column), .. } => {
            Some(format!("everything in `{name}` that has one `{column}`"))
        }
        Protection::Private { unit: Unit::Linked { column, table, .. }, .. } => {
            Some(format!("everything in `{name}` whose `{column}` leads to one person of `{table}`"))
        }
    });
    words.collect::<Vec<_>>().join(", and ")
}

fn accounting(planned: &Planned) -> Accounting {
    let publication = &planned.publication;
    let charged = publication.price();
    let tight = planned.tight();
    let delta = planned.delta.clone();
    let group = |size: u64| {
        let (epsilon, delta) = match (&tight, &delta, publication.list().pure_epsilon()) {
            (Some(_), Some(delta), _) => (
                publication.list().group_epsilon(size, delta).ok()?.epsilon.to_f64_upper(),
                delta.to_f64_upper(),
            ),
            (_, _, Some(pure)) => (pure.to_f64_upper() * size as f64, Delta::zero().to_f64_upper()),
            _ => return None,
        };
        Some(GroupLoss { size, epsilon, delta })
    };
    Accounting {
        charged,
        by_filter: delta.as_ref().and_then(|delta| by_filter(&charged, delta)),
        sum_of_parts: publication.price_of_parts(),
        groups: GROUPS.into_iter().filter_map(group).collect(),
        event_level_factor: event_level_factor(planned),
        tight,
    }
}

/// How many times less noise the measured tables would have if one row were protected and not everything of a person.
fn event_level_factor(planned: &Planned) -> Option<f64> {
    let factor = |table: &MeasuredTable| {
        let bound = &table.plan().aggregation.bound;
        let (groups, rows) = (table.plan().aggregation.groups_moved() as f64, bound.rows_max() as f64);
        let is_flat = table.measurements().iter().all(|one| matches!(one.what(), What::Flat(_)));
        if is_flat { groups.sqrt() * rows } else { groups * rows }
    };
    let part = |plan: &PrivatePlan| {
        (plan.aggregation.groups_moved() as f64).sqrt() * plan.aggregation.bound.rows_max() as f64
    };
    let publication = &planned.publication;
    let parts = publication.statements().iter().flat_map(|statement| statement.parts()).map(part);
    let largest = publication.measured().iter().map(factor).chain(parts).fold(1.0, f64::max);
    (largest > 1.0).then_some(largest)
}

fn measured(planned: &Planned) -> Vec<Measured> {
    let mut all = Vec::new();
    for (table, cube) in planned.cubes.iter().flat_map(|cube| {
        planned.publication.measured()[cube.measured.clone()].iter().map(move |table| (table, cube))
    }) {
        let aggregation = &table.plan().aggregation;
        for measurement in table.measurements() {
            all.push(Measured {
                what: measured_words(cube, measurement.what()),
                mechanism: law(measurement.spend()).to_owned(),
                scale: decimal_upper(&measurement.scale_upper(), DIGITS),
                sensitivity: format!(
                    "one person is in at most {} groups, with at most {} rows in each",
                    aggregation.groups_moved(),
                    aggregation.bound.rows_max()
                ),
                price: measurement.spend().to_string(),
                grid: "1".to_owned(),
            });
        }
    }
    for part in planned.publication.statements().iter().flat_map(|statement| statement.parts()) {
        for (measure, release) in part.aggregation.measures.iter().zip(&part.releases) {
            let (mechanism, scale) = match &release.draw {
                Draw::Noise(noise) => (noise.law().name(), decimal_upper(&noise.scale_upper(), DIGITS)),
                Draw::Choice(choice) => ("exponential", decimal_upper(&choice.scale(), DIGITS)),
            };
            all.push(Measured {
                what: "a number of a statement, in units of its grid".to_owned(),
                mechanism: mechanism.to_owned(),
                scale,
                sensitivity: format!(
                    "one person is in at most {} groups, with at most {} rows in each",
                    part.aggregation.groups_moved(),
                    part.aggregation.bound.rows_max()
                ),
                price: release.spend.to_string(),
                grid: decimal_upper(&measure.unit(), DIGITS),
            });
        }
    }
    all
}

/// What is measured, in words.
fn measured_words(cube: &PricedCube, what: &What) -> String {
    let rows = &cube.plan.rows.from;
    let deepest = cube.strategy().cube.finest();
    let axes = cube.plan.axes.iter().zip(what.depths()).zip(&deepest).filter(|((_, depth), _)| **depth > 0);
    let names = axes.map(|((axis, depth), deepest)| match *deepest {
        1 => axis.key.name.clone(),
        deepest => format!("{} (level {depth} of {deepest})", axis.key.name),
    });
    let names = names.collect::<Vec<_>>().join(" and ");
    match what {
        _ if names.is_empty() => format!("how many rows of {rows} there are"),
        What::Flat(_) => format!("the rows of {rows} by {names}"),
        What::Residual(_) => format!("what {names} adds to coarser counts of {rows}"),
    }
}

fn law(spend: &Spend) -> &'static str {
    match spend {
        Spend::Pure(_) => "discrete_laplace",
        Spend::Concentrated(_) => "discrete_gaussian",
    }
}

/// Earlier releases of the same name, and what all of them cost together.
fn earlier(
    curator: &Curator,
    file: &PlanFile,
    at: PublishedAt,
    charged: &Price,
    history: &[(pointillist_ledger::Entry, Digest)],
) -> Result<Vec<EarlierRelease>, PublicationError> {
    let published = curator.ledger().published().map_err(pointillist_curator::AskError::from)?;
    let mut together: Amount = charged.amount();
    let mut all: Vec<EarlierRelease> = Vec::new();
    for one in published.iter().filter(|one| one.publication.name == file.name) {
        let seq = one.publication.reserve_seq;
        let is_new = seq != at.reserve_seq && all.iter().all(|known| known.seq != seq);
        let Some(reserve) = reserve_at(history, seq).filter(|_| is_new) else { continue };
        let Some(price) = Price::from_units(charged.currency(), reserve.cost) else { continue };
        together = together.plus(reserve.cost);
        let Some(sum) = Price::from_units(charged.currency(), together) else { continue };
        let paid_on = history.iter().find(|(entry, _)| entry.seq == seq).and_then(|(entry, _)| entry.at);
        let day = paid_on.and_then(|at| i32::try_from(at / 86_400).ok()).map(date_text).unwrap_or_default();
        all.push(EarlierRelease { seq, released_on: day, charged: price, together: sum });
    }
    Ok(all)
}
