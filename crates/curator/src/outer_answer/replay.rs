//! Error bars of whatever is computed from released numbers: the noise is drawn again, many times.
//!
//! **Method.** Every released number y is the exact one and noise of a known law. Around y the same noise is drawn R times,
//! and the same relation is computed from each of the R sets of numbers: so the R results v₁ … v_R spread around the shown
//! v about as v spreads around the truth, whatever the relation does, and what two columns or two parts have in common is
//! in all of them together. With q the quantiles of v_r − v, the bar is the hull of v + q_β/₂ … v + q₁₋β/₂ and of its mirror
//! v − q₁₋β/₂ … v − q_β/₂; for ranks and counts of rows, which have ends, the first alone. For sums, differences and all else
//! that is linear both are the same and hold with 1 − β, but for the R draws; for shares and ratios they hold about so. Coverage
//! is measured in the tests.
//! **Not replayed.** What was chosen and not added to (quantiles), and statistics of two values: nothing that is computed in
//! a statement with such an aggregate has a bar.
//! **Picked by noise.** Where noisy numbers picked the rows that are shown, rows are replayed before they are picked, and
//! each bar is widened as if all k rows were to hold at once (`plan/src/multiple_comparisons.rs`): by the ratio of the
//! quantiles at β/k and at β of the noise's law.
//! **Not for privacy.** Nothing is released here: it is arithmetic on released numbers. The draws are a function of those
//! numbers and of what they are, so that the same record always shows the same bars, and parts that show one release share
//! its noise.

use std::collections::HashMap;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Float64Array, Int64Array, UInt32Array};
use arrow::compute::take;
use arrow::datatypes::{Float64Type, Int64Type};
use pointillist_engine::{Table, evaluate_relation};
use pointillist_ledger::Digest;
use pointillist_mechanisms::number::additive_noise::NoiseLaw;
use pointillist_numbers::{Rational, normal_quantile_upper};
use pointillist_plan::{Aggregate, Draw, Formula, PrivatePlan, Relation, Type, canonical_topic};

use super::trace::Traced;
use super::{Leaves, placed};
use crate::arrays::{array, value};
use crate::confidence_interval::shape_interval::Ends;
use crate::made_up::mixed;
use crate::release::Released;
use crate::released_bytes::key_bytes;

/// How often the noise is drawn.
const REPLICATES: usize = 400;
/// The most released and public rows of all replicates together.
const ROWS_MAX: usize = 4_000_000;
/// How many of the replicates must have a row for it to have a bar.
const FOUND_LEAST: usize = REPLICATES * 9 / 10;
/// Standard deviations from which on a rounded normal number stands for a discrete Gaussian one.
const SIGMA_ROUNDED: f64 = 16.0;

/// What a row is recognised by.
pub(super) type Name = Vec<u8>;

/// For each computed column, bars by the name of the row.
pub(super) type ReplayedBars = HashMap<Name, Vec<Option<Ends>>>;

/// How far each row of a computed answer may be off, column by column. `None` where there is too much to compute, or where
/// rows cannot be told apart.
pub(super) fn replayed(
    traced: &Traced,
    wanted: &[usize],
    parts: &[(PrivatePlan, Released)],
    public: &Leaves<'_>,
) -> Option<ReplayedBars> {
    let rows: usize = parts.iter().map(|(_, released)| released.keys.len()).sum();
    let public_rows: usize = traced
        .relation
        .scans()
        .into_iter()
        .map(|scan| public(&Relation::Table(scan.clone())).map_or(0, |rows| rows.rows()))
        .sum();
    if !traced.is_named || (rows + public_rows).checked_mul(REPLICATES + 1)? > ROWS_MAX {
        return None;
    }
    let leaves = parts.iter().map(|(plan, released)| replicates(plan, released));
    let leaves = leaves.collect::<Option<Vec<_>>>()?;
    let leaf = |relation: &Relation| match relation {
        Relation::Released { part, .. } => leaves.get(*part).cloned(),
        Relation::Table(_) => repeated(&public(relation)?),
        _ => None,
    };
    let table = evaluate_relation(&traced.relation, &leaf).ok()?;
    let types = traced.relation.types();
    let owner = table.owner()?.as_primitive_opt::<Int64Type>()?.clone();
    let columns: Vec<Vec<Option<f64>>> =
        wanted.iter().map(|column| numbers(&table.columns()[*column])).collect::<Option<_>>()?;
    let shown = traced.columns.len();
    let mut found: HashMap<Name, Vec<Option<usize>>> = HashMap::new();
    for row in 0..table.rows() {
        let places =
            found.entry(name(&table, &types, shown, row)).or_insert_with(|| vec![None; REPLICATES + 1]);
        let replicate = usize::try_from(owner.value(row)).ok()?;
        // Two rows of one name in one replicate: neither can be told from the other.
        let place = places.get_mut(replicate)?;
        *place = if place.is_some() { Some(usize::MAX) } else { Some(row) };
    }
    let bars = |places: Vec<Option<usize>>| -> Vec<Option<Ends>> {
        if places.contains(&Some(usize::MAX)) {
            return vec![None; wanted.len()];
        }
        let of = |values: &Vec<Option<f64>>| {
            let at = |place: &Option<usize>| place.and_then(|row| values[row]);
            let centre = at(places.first()?)?;
            let differences = places[1..].iter().filter_map(at).map(|value| value - centre).collect();
            quantiles(differences)
        };
        columns.iter().map(of).collect()
    };
    Some(found.into_iter().map(|(name, places)| (name, bars(places))).collect())
}

/// What names a row: its hidden columns.
pub(super) fn name(table: &Table, types: &[Type], shown: usize, row: usize) -> Name {
    let hidden = table.columns().iter().zip(types).skip(shown);
    key_bytes(&hidden.map(|(column, kind)| value(*kind, column, row)).collect::<Vec<_>>())
}

/// By how much bars grow if so many must hold at once: the quantile at β/k over that at β.
pub(super) fn widening(parts: &[(PrivatePlan, Released)], at_once: usize) -> f64 {
    let at_once = at_once.max(1) as f64;
    let releases = parts.iter().flat_map(|(plan, _)| &plan.releases);
    let laws = releases.filter_map(|release| match &release.draw {
        Draw::Noise(noise) => Some(noise.law()),
        Draw::Choice(_) => None,
    });
    let mut laws = laws.peekable();
    let laplace = laws.peek().is_none() || laws.any(|law| law == NoiseLaw::DiscreteLaplace);
    if laplace {
        return (at_once / 0.05).ln() / (1.0 / 0.05f64).ln();
    }
    let quantile = |parts: f64| {
        let tail = Rational::from_f64(0.025 / parts).unwrap_or_else(|_| Rational::ratio(1, 40));
        normal_quantile_upper(&tail).to_f64_upper()
    };
    quantile(at_once) / quantile(1.0)
}

/// The differences that one in forty is below, and that one in forty is above.
fn quantiles(mut differences: Vec<f64>) -> Option<Ends> {
    if differences.len() < FOUND_LEAST {
        return None;
    }
    differences.sort_unstable_by(f64::total_cmp);
    let count = differences.len();
    let outside = ((count + 1) / 40).max(1);
    Some((differences[outside - 1], differences[count - outside]))
}

fn numbers(column: &ArrayRef) -> Option<Vec<Option<f64>>> {
    if let Some(whole) = column.as_primitive_opt::<Int64Type>() {
        return Some(whole.iter().map(|value| value.map(|value| value as f64)).collect());
    }
    column.as_primitive_opt::<Float64Type>().map(|column| column.iter().collect())
}

/// A part's keys and aggregates as they would be with other noise: first without any, then replicate by replicate.
fn replicates(plan: &PrivatePlan, released: &Released) -> Option<Table> {
    // A condition, a CASE or a rank would make a constant of what is not drawn again, and so a bar without any width.
    let is_replayed =
        |aggregate: &Aggregate| !matches!(aggregate.formula, Formula::Quantile { .. } | Formula::Pair { .. });
    if !plan.answer.aggregates.iter().all(is_replayed) {
        return None;
    }
    let groups = released.keys.len();
    let all = groups * (REPLICATES + 1);
    let topic = canonical_topic(plan);
    let terms = plan.terms();
    let mut measures: Vec<Vec<f64>> = Vec::new();
    for ((measure, release), terms) in released.measures.iter().zip(&plan.releases).zip(&terms.measures) {
        // What was chosen, and not added to, is not drawn again.
        let law = match &release.draw {
            Draw::Noise(noise) => Law::of(noise.law(), noise.scale_upper().to_f64_upper()),
            Draw::Choice(_) => Law::Rounded(0.0),
        };
        let mut words = Words::of(&topic, &terms.label, measure);
        let noisy = |place: usize| {
            let noise = if place < groups { 0.0 } else { law.draw(&mut words) };
            measure[place % groups] as f64 + noise
        };
        measures.push((0..all).map(noisy).collect());
    }
    let mut columns = Vec::new();
    let once = placed(plan, released)?;
    let keys = plan.aggregation.keys.len();
    for key in &once[..keys] {
        columns.push(tiled(key)?);
    }
    for aggregate in &plan.answer.aggregates {
        let estimate =
            |place: usize| aggregated(plan, &aggregate.formula, &|measure| measures[measure][place]);
        columns.push(match aggregate.kind {
            Type::Integer => {
                let whole = (0..all).map(|place| estimate(place).map(|value| (value + 0.5).floor() as i64));
                Arc::new(whole.collect::<Int64Array>()) as ArrayRef
            }
            Type::Number => Arc::new((0..all).map(estimate).collect::<Float64Array>()) as ArrayRef,
            other => array(other, std::iter::repeat_n(None, all)),
        });
    }
    columns.push(tiled(once.last()?)?);
    Table::new(Some(owners(groups)), columns, all).ok()
}

fn owners(rows: usize) -> ArrayRef {
    Arc::new(
        (0..=REPLICATES)
            .flat_map(|replicate| std::iter::repeat_n(replicate as i64, rows))
            .collect::<Int64Array>(),
    )
}

/// A column again for every replicate.
fn tiled(column: &ArrayRef) -> Option<ArrayRef> {
    let rows = u32::try_from(column.len()).ok()?;
    let places: UInt32Array = (0..=REPLICATES).flat_map(|_| 0..rows).collect();
    take(column, &places, None).ok()
}

/// Public rows, the same in every replicate.
fn repeated(table: &Table) -> Option<Table> {
    let columns: Vec<ArrayRef> = table.columns().iter().map(tiled).collect::<Option<_>>()?;
    Table::new(Some(owners(table.rows())), columns, table.rows() * (REPLICATES + 1)).ok()
}

/// An aggregate from measures, as `estimate.rs` computes it, in floats; `None` where the numbers say nothing.
fn aggregated(plan: &PrivatePlan, formula: &Formula, measured: &impl Fn(usize) -> f64) -> Option<f64> {
    let unit = |measure: usize| plan.aggregation.measures[measure].unit().to_f64_nearest();
    match formula {
        Formula::Sum { measure, unit } => Some(measured(*measure) * unit.to_f64_nearest()),
        Formula::CentredSum { total, rows, grid } => {
            Some(measured(*total) * unit(*total) + grid.midpoint().to_f64_nearest() * measured(*rows))
        }
        Formula::Mean { total, rows, grid } => {
            let count = measured(*rows);
            let mean = measured(*total) * unit(*total) / count + grid.midpoint().to_f64_nearest();
            let (low, high) = (grid.lower().to_f64_nearest(), grid.upper().to_f64_nearest());
            (count >= 0.5).then(|| mean.clamp(low, high))
        }
        Formula::Variance { squares, total, rows, grid, sample, root } => {
            let count = measured(*rows);
            let range = (&grid.upper() - grid.lower()).to_f64_nearest();
            let mean = measured(*total) * unit(*total) / count;
            let variance = measured(*squares) * unit(*squares) / count + range * range / 8.0 - mean * mean;
            let variance = variance.clamp(0.0, range * range / 4.0);
            let variance = if *sample { variance * count / (count - 1.0) } else { variance };
            (count >= if *sample { 1.5 } else { 0.5 }).then(|| if *root { variance.sqrt() } else { variance })
        }
        // A choice has no noise that could be drawn again around what was chosen; and statistics of two values take as
        // long to compute as their bars.
        Formula::Quantile { .. } | Formula::Pair(_) => None,
    }
}

/// Words that are a function of the released numbers and of what they are: a release that is shown twice has one noise.
struct Words {
    state: u64,
    count: u64,
}

impl Words {
    fn of(topic: &[u8], label: &[u8], measure: &[i128]) -> Self {
        let numbers: Vec<u8> = measure.iter().flat_map(|number| number.to_be_bytes()).collect();
        let digest = Digest::of("pointillist noise replay", &[topic, label, &numbers]);
        let mut state = [0; 8];
        state.copy_from_slice(&digest.0[..8]);
        Self { state: u64::from_be_bytes(state), count: 0 }
    }

    /// Between zero and one, both left out.
    fn uniform(&mut self) -> f64 {
        self.count += 1;
        ((mixed(self.state, self.count) >> 12) as f64 + 0.5) / (1u64 << 52) as f64
    }
}

/// A law of noise, in floats.
enum Law {
    /// The rate of the geometric distribution.
    Laplace(f64),
    /// σ of a normal number that is rounded.
    Rounded(f64),
    /// Cumulated probabilities, from minus the radius on.
    Table(Vec<f64>, i64),
}

impl Law {
    fn of(law: NoiseLaw, scale: f64) -> Self {
        match law {
            NoiseLaw::DiscreteLaplace => Self::Laplace(1.0 / scale),
            NoiseLaw::DiscreteGaussian if scale >= SIGMA_ROUNDED => Self::Rounded(scale),
            NoiseLaw::DiscreteGaussian => {
                let radius = (12.0 * scale).ceil() as i64 + 1;
                let weight = |at: i64| (-((at * at) as f64) / (2.0 * scale * scale)).exp();
                let whole: f64 = (-radius..=radius).map(weight).sum();
                let mut sum = 0.0;
                let cumulated = (-radius..=radius).map(|at| {
                    sum += weight(at) / whole;
                    sum
                });
                Self::Table(cumulated.collect(), radius)
            }
        }
    }

    fn draw(&self, words: &mut Words) -> f64 {
        match self {
            Self::Laplace(rate) => {
                let geometric = |uniform: f64| (-uniform.ln() / rate).floor();
                geometric(words.uniform()) - geometric(words.uniform())
            }
            Self::Rounded(sigma) => {
                let (length, angle) = ((-2.0 * words.uniform().ln()).sqrt(), words.uniform());
                (sigma * length * (std::f64::consts::TAU * angle).cos()).round()
            }
            Self::Table(cumulated, radius) => {
                let uniform = words.uniform();
                (cumulated.partition_point(|below| *below < uniform) as i64 - radius) as f64
            }
        }
    }
}
