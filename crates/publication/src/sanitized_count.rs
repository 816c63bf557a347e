//! A count of made-up rows, and how far it may be from that of the rows they were made of.
//!
//! **What the bar covers.** Where all columns of a condition were counted together in one released marginal, the noisy cells that fit
//! add up to an unbiased estimate of how many bounded rows fit. The noise of this sum is known, for cells with noises of their own and for
//! those that share residuals: `synth/src/measured_marginal.rs` has its variance and proves that the interval holds 95 %. What is shown is the
//! synthetic count, which is no sum of noisy cells: its rows are whole, none is negative, and they fit all marginals at once as well as can
//! be. So the bar is around the synthetic count and reaches to both ends of the interval: |count − truth| ≤ |count − estimate| +
//! |estimate − truth|. Where columns were not counted together, nothing is known of how far the synthetic count is off, and that is said
//! instead of a bar.
//! **Not covered.** What `measured_marginal.rs` does not cover. Each bar holds with 95 % by itself, not all bars of many counts together.
//! **Bins.** A condition that cuts a bin in two is not covered by a count of the bin: its bar is unknown too. That is found out by
//! looking at every value of the bin, as long as there are not too many. So it is with values that were merged before columns were counted
//! together, which is another reason and said as one: by itself such a column may have a bar.

use arrow::array::ArrayRef;
use pointillist_catalog::Value;
use pointillist_curator::arrays::array;
use pointillist_curator::{FittedTable, RowCondition, SanitizedColumn};
use pointillist_query::Refusal;

/// Cells that are looked at for one condition, at most.
const CELLS_MAX: u64 = 1 << 21;

/// A count of made-up rows.
#[derive(Clone, Debug, PartialEq)]
pub struct SanitizedCount {
    /// Made-up rows for which the condition is true, of as many as there were about.
    pub count: f64,
    /// What was measured of it.
    pub measured: MeasuredCount,
}

/// Whether a count was measured.
#[derive(Clone, Debug, PartialEq)]
pub enum MeasuredCount {
    /// It was: the estimate from noisy counts alone, and the distance that its noise stays within with 95 %.
    Estimate {
        /// The sum of noisy cells.
        estimate: f64,
        /// Its noise.
        error_95: f64,
    },
    /// It was not, for this reason.
    Unknown(&'static str),
}

impl SanitizedCount {
    /// How far the synthetic count is off at most, with 95 %; `None` where nothing is known.
    pub fn error_95(&self) -> Option<f64> {
        match self.measured {
            MeasuredCount::Estimate { estimate, error_95 } => Some((self.count - estimate).abs() + error_95),
            MeasuredCount::Unknown(_) => None,
        }
    }
}

/// Counts the made-up rows of a table for which a condition is true.
///
/// # Errors
/// When the condition is not understood.
pub fn sanitized_count(fitted: &FittedTable, condition: &str) -> Result<SanitizedCount, Refusal> {
    let columns = fitted.columns();
    let named: Vec<_> = columns.iter().map(|column| (column.name.clone(), column.kind)).collect();
    let condition = RowCondition::new(&named, condition)?;
    let cells = fitted.cells(None);
    let arrays: Vec<ArrayRef> =
        condition.columns().iter().map(|at| values(&columns[*at], cells[*at].iter().copied())).collect();
    let rows = cells.first().map_or(0, Vec::len);
    let count = condition.holds(&arrays, rows).true_count() as f64;
    Ok(SanitizedCount { count, measured: measured(fitted, &condition) })
}

fn values(column: &SanitizedColumn, cells: impl Iterator<Item = u32>) -> ArrayRef {
    let values: Vec<Option<Value>> = cells.map(|cell| column.value(cell)).collect();
    array(column.kind, values.iter().map(Option::as_ref))
}

fn measured(fitted: &FittedTable, condition: &RowCondition) -> MeasuredCount {
    let model = fitted.model();
    // Marginals have their columns in rising order.
    let mut set = condition.columns().to_vec();
    set.sort_unstable();
    let Some(marginal) = model.measured(&set) else {
        return MeasuredCount::Unknown("these columns were not counted together");
    };
    let values_of = |column: &usize| {
        let bins = (0..model.bin_count(*column)).map(|bin| model.cells_of(*column, bin));
        bins.map(|(first, last)| u64::from(last - first) + 1).fold(0, u64::saturating_add)
    };
    let all = set.iter().map(values_of).fold(1u64, u64::saturating_mul);
    if all > CELLS_MAX {
        return MeasuredCount::Unknown("its columns have too many values to look at them all");
    }
    // Every cell of these columns, the last of them fastest, with its bin.
    let cells: Vec<Vec<(u32, u32)>> = set
        .iter()
        .map(|column| {
            (0..model.bin_count(*column))
                .flat_map(|bin| {
                    let (first, last) = model.cells_of(*column, bin);
                    (first..=last).map(move |cell| (bin, cell))
                })
                .collect()
        })
        .collect();
    let mut stride = all as usize;
    let mut lists: Vec<Vec<u32>> = Vec::new();
    // Which bins of all columns a row is in, and which counted groups of bins.
    let (mut bins, mut groups) = (vec![0usize; all as usize], vec![0usize; all as usize]);
    for (place, (cells, size)) in cells.iter().zip(&marginal.shape).enumerate() {
        stride /= cells.len();
        let at = |row: usize| cells[row / stride % cells.len()];
        let group = |bin: u32| match &marginal.groups[place] {
            Some(groups) => groups.get(bin as usize).map_or(0, |group| *group as usize),
            None => bin as usize,
        };
        let bin_count = model.bin_count(set[place]) as usize;
        for row in 0..all as usize {
            let bin = at(row).0;
            bins[row] = bins[row] * bin_count + bin as usize;
            groups[row] = groups[row] * size + group(bin);
        }
        lists.push((0..all as usize).map(|row| at(row).1).collect());
    }
    let array_of = |column: &usize| {
        let place = set.iter().position(|known| known == column).unwrap_or_default();
        values(&fitted.columns()[*column], lists[place].iter().copied())
    };
    let arrays: Vec<ArrayRef> = condition.columns().iter().map(array_of).collect();
    let holds = condition.holds(&arrays, all as usize);
    let holds = |row: usize| holds.value(row);
    if groups.iter().any(|group| *group >= marginal.values.len()) {
        return MeasuredCount::Unknown("its counts are not of these columns");
    }
    let Some(of_group) = whole(&groups, marginal.values.len(), holds) else {
        let bin_count = bins.iter().max().map_or(0, |last| last + 1);
        return MeasuredCount::Unknown(match whole(&bins, bin_count, holds) {
            None => "it cuts a bin in two",
            // A bin's edge may lie inside of what was merged; the column by itself is known bin by bin.
            Some(_) => {
                "these columns were counted together only after their rare values were merged, and it cuts merged values in two"
            }
        });
    };
    let fitting: Vec<bool> = of_group.into_iter().map(|holds| holds == Some(true)).collect();
    MeasuredCount::Estimate { estimate: marginal.sum(&fitting), error_95: marginal.error_95_of_sum(&fitting) }
}

/// For each part, whether the condition holds of its rows; `None` where of one part it holds for some rows and not for others.
fn whole(parts: &[usize], count: usize, holds: impl Fn(usize) -> bool) -> Option<Vec<Option<bool>>> {
    let mut of_part: Vec<Option<bool>> = vec![None; count];
    for (row, part) in parts.iter().enumerate() {
        let known = of_part.get_mut(*part)?.get_or_insert(holds(row));
        if *known != holds(row) {
            return None;
        }
    }
    Some(of_part)
}
