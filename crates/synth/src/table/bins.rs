//! Cells of a column as bins: by public numbers alone, or by a noisy histogram.
//!
//! **Guarantee.** A cell goes to one bin by public and released numbers, row by row. With k rows of a person at most, the histograms
//! of m columns together move by at most k·m in L1 and k·√m in L2: each row adds one to one cell of each. [`QuantileBins::release`] adds
//! exact noise for that, so it loses the part of the price that it was given.
//! **Neighbours.** Add or remove all rows of one person.
//! **Source.** `mechanisms/src/number/additive_noise.rs`.

use pointillist_mechanisms::AdditiveNoise;
use pointillist_noise::{SecureBits, noisy_sum};
use pointillist_numbers::Rational;
use pointillist_privacy::{Loss, SensitivityL1, SensitivityL2, Spend};

use super::recipe::{Binning, TableRecipe};
use crate::{CodeRows, Domain, PublicCoins, SynthError};

/// The finest cells of a histogram that bins follow from.
const FINEST_MAX: u32 = 1024;

/// A column as a synthesizer is told of it: how many cells it has, and whether they have an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attribute {
    leading: u32,
    ordered: u32,
}

impl Attribute {
    /// Cells without an order, such as the values of a list.
    pub fn listed(cells: u32) -> Self {
        Self { leading: cells, ordered: 0 }
    }

    /// Cells in order, behind some that stand for themselves, such as NULL.
    pub fn ordered(leading: u32, cells: u32) -> Self {
        Self { leading, ordered: cells }
    }

    /// How many cells there are.
    pub fn cells(&self) -> u32 {
        self.leading.saturating_add(self.ordered)
    }
}

/// The columns of a table, and how their cells become bins. Sizes are public.
#[derive(Clone, Debug, PartialEq)]
pub struct TableLayout {
    columns: Vec<ColumnLayout>,
    domain: Domain,
}

/// What is fixed of a column's bins before anything is released.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ColumnLayout {
    attribute: Attribute,
    /// So many ordered cells, in order, are one finest cell; the last has the rest.
    width: u32,
    /// So many finest cells there are.
    finest: u32,
    /// So many bins are made of those.
    bins: u32,
}

impl ColumnLayout {
    fn is_quantile(&self) -> bool {
        self.bins < self.finest
    }

    /// The finest cell of an ordered cell.
    fn fine(&self, ordered: u32) -> u32 {
        ordered.min(self.attribute.ordered.saturating_sub(1)) / self.width
    }

    /// The first ordered cell of a finest cell.
    fn first(&self, fine: u32) -> u32 {
        fine.saturating_mul(self.width).min(self.attribute.ordered)
    }
}

/// The least of 1, 2, 5, 10, 20, 50 … that is not below a number: bins of such a width end where people ask.
fn round_width(least: u32) -> u32 {
    let mut ten = 1u32;
    loop {
        for digit in [1, 2, 5] {
            match ten.checked_mul(digit) {
                Some(width) if width < least => {}
                Some(width) => return width,
                None => return least,
            }
        }
        match ten.checked_mul(10) {
            Some(next) => ten = next,
            None => return least,
        }
    }
}

impl TableLayout {
    /// These columns, with bins as the recipe says.
    ///
    /// # Errors
    /// When there are too many columns, or too many values of them.
    pub fn new(attributes: Vec<Attribute>, recipe: &TableRecipe) -> Result<Self, SynthError> {
        recipe.check()?;
        let column = |attribute: Attribute| {
            let wanted = match recipe.binning {
                Binning::Even => recipe.bins,
                Binning::Quantile => FINEST_MAX.max(recipe.bins),
            };
            let width = round_width(attribute.ordered.div_ceil(wanted).max(1));
            let finest = attribute.ordered.div_ceil(width);
            ColumnLayout { attribute, width, finest, bins: finest.min(recipe.bins) }
        };
        let columns: Vec<ColumnLayout> = attributes.into_iter().map(column).collect();
        let sizes = columns.iter().map(|column| column.attribute.leading.saturating_add(column.bins));
        let domain = Domain::new(sizes.collect())?;
        Ok(Self { columns, domain })
    }

    /// The codes that are counted together: the bins of each column.
    pub fn domain(&self) -> &Domain {
        &self.domain
    }

    /// The columns whose bins follow from data.
    pub(super) fn quantile_columns(&self) -> Vec<usize> {
        (0..self.columns.len()).filter(|column| self.columns[*column].is_quantile()).collect()
    }

    pub(super) fn words(&self) -> Vec<String> {
        let coarse = self.columns.iter().filter(|column| column.bins < column.attribute.ordered).count();
        let of = self.columns.len();
        let note = (coarse > 0).then(|| {
            format!("{coarse} of {of} columns are counted in bins: within a bin, made-up values are spread evenly or as a histogram says")
        });
        note.into_iter().collect()
    }

    /// The bins that follow from released histograms.
    ///
    /// # Errors
    /// When there is not one histogram for each column that has one.
    pub(super) fn bins(&self, histograms: &[Vec<i64>]) -> Result<Vec<Bins>, SynthError> {
        let mut histograms = histograms.iter();
        let mut all = Vec::new();
        for layout in &self.columns {
            let weights = match layout.is_quantile() {
                false => None,
                true => {
                    Some(histograms.next().filter(|found| found.len() == layout.finest as usize).ok_or_else(
                        || {
                            SynthError::misfit(
                                "a histogram that bins follow from is missing or of another column",
                            )
                        },
                    )?)
                }
            };
            all.push(Bins::new(*layout, weights));
        }
        match histograms.next() {
            None => Ok(all),
            Some(_) => Err(SynthError::misfit("there is a histogram of no column")),
        }
    }
}

/// The bins of a column.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Bins {
    layout: ColumnLayout,
    /// The first finest cell of each bin, and the end.
    starts: Vec<u32>,
    /// How much is in each finest cell, by a released histogram.
    weights: Option<Vec<f64>>,
}

impl Bins {
    fn new(layout: ColumnLayout, histogram: Option<&Vec<i64>>) -> Self {
        let Some(histogram) = histogram else {
            return Self { layout, starts: (0..=layout.finest).collect(), weights: None };
        };
        let weights: Vec<f64> = histogram.iter().map(|count| (*count).max(0) as f64).collect();
        let (finest, bins) = (layout.finest as usize, layout.bins as usize);
        let mut left: f64 = weights.iter().sum();
        let mut starts = vec![0u32];
        let (mut at, mut inside) = (0, 0.0);
        while starts.len() < bins {
            // Every bin has a cell, and enough are left for the bins to come.
            let to_come = bins - starts.len();
            let wanted = left / (to_come + 1) as f64;
            inside += weights[at];
            at += 1;
            let is_full = inside + weights.get(at).unwrap_or(&0.0) / 2.0 >= wanted;
            if finest - at <= to_come || is_full {
                starts.push(at as u32);
                left -= inside;
                inside = 0.0;
            }
        }
        starts.push(layout.finest);
        Self { layout, starts, weights: Some(weights) }
    }

    pub(super) fn count(&self) -> u32 {
        self.layout.attribute.leading + self.layout.bins
    }

    /// The bin of a cell.
    pub(super) fn bin(&self, cell: u32) -> u32 {
        let leading = self.layout.attribute.leading;
        if self.layout.bins == 0 || cell < leading {
            return cell.min(self.count().saturating_sub(1));
        }
        let fine = self.layout.fine(cell - leading);
        let after = self.starts.partition_point(|start| *start <= fine) as u32;
        leading + (after - 1).min(self.layout.bins - 1)
    }

    /// The first and the last cell of a bin.
    pub(super) fn cells(&self, bin: u32) -> (u32, u32) {
        let leading = self.layout.attribute.leading;
        let Some(at) = bin.checked_sub(leading).map(|at| at as usize).filter(|at| at + 1 < self.starts.len())
        else {
            return (bin, bin);
        };
        let first = self.layout.first(self.starts[at]);
        let end = self.layout.first(self.starts[at + 1]);
        (leading + first, leading + end.max(first + 1) - 1)
    }

    /// A cell of a bin.
    pub(super) fn draw(&self, bin: u32, coins: &mut PublicCoins) -> u32 {
        let leading = self.layout.attribute.leading;
        let Some(at) = bin.checked_sub(leading).map(|at| at as usize).filter(|at| at + 1 < self.starts.len())
        else {
            return bin;
        };
        let (start, end) = (self.starts[at], self.starts[at + 1]);
        let fine = match &self.weights {
            Some(weights) if end - start > 1 => {
                let inside = &weights[start as usize..end as usize];
                match inside.iter().any(|weight| *weight > 0.0) {
                    true => start + coins.weighted(inside.iter().copied()) as u32,
                    false => start + coins.below(u64::from(end - start)) as u32,
                }
            }
            _ => start,
        };
        let (first, end) = (self.layout.first(fine), self.layout.first(fine + 1));
        leading + first + coins.below(u64::from(end.saturating_sub(first).max(1))) as u32
    }
}

/// The noise for m numbers or histograms, each of which a person of k rows moves by at most k: by k·m in L1, by k·√m in L2.
pub(super) fn noise_of_all(
    rows_per_person: u32,
    count: usize,
    spend: &Spend,
) -> Result<AdditiveNoise, SynthError> {
    // Rationals: k²·m passes 64 bits.
    let (k, m) = (Rational::from(rows_per_person), Rational::from(count));
    let squared = SensitivityL2::from_squared(k.squared() * m.clone())?;
    Ok(AdditiveNoise::for_spend(&SensitivityL1::new(k * m)?, &squared, spend)?)
}

/// Noisy histograms of columns: what bins follow from.
pub(super) struct QuantileBins {
    columns: Vec<usize>,
    noise: AdditiveNoise,
}

impl QuantileBins {
    pub(super) fn new(columns: Vec<usize>, rows_per_person: u32, spend: &Spend) -> Result<Self, SynthError> {
        let noise = noise_of_all(rows_per_person, columns.len(), spend)?;
        Ok(Self { columns, noise })
    }

    pub(super) fn loss(&self) -> Loss {
        self.noise.loss()
    }

    pub(super) fn words(&self) -> String {
        format!(
            "bins of {} columns follow from noisy histograms, noise of scale {:.1}",
            self.columns.len(),
            self.noise.scale_upper().to_f64_upper()
        )
    }

    pub(super) fn release<B: SecureBits + ?Sized>(
        &self,
        layout: &TableLayout,
        rows: &dyn CodeRows,
        bits: &mut B,
    ) -> Result<Vec<Vec<i64>>, SynthError> {
        let columns: Vec<(usize, ColumnLayout)> =
            self.columns.iter().map(|column| (*column, layout.columns[*column])).collect();
        let mut counts: Vec<Vec<i128>> = columns.iter().map(|(_, it)| vec![0; it.finest as usize]).collect();
        let noise: Vec<Vec<i128>> =
            counts.iter().map(|counts| self.noise.sample_many(counts.len(), bits)).collect();
        rows.for_each_codes(&mut |block: &[u32]| {
            for row in block.chunks_exact(layout.columns.len()) {
                for (counts, (column, it)) in counts.iter_mut().zip(&columns) {
                    // What stands for itself is in no histogram: bins are made of the others.
                    if let Some(ordered) = row[*column].checked_sub(it.attribute.leading) {
                        counts[it.fine(ordered) as usize] += 1;
                    }
                }
            }
        })?;
        let noisy = |(counts, noise): (Vec<i128>, Vec<i128>)| {
            let sums = counts.into_iter().zip(noise).map(|(count, noise)| noisy_sum(count, noise));
            sums.map(|sum| sum.clamp(i64::MIN.into(), i64::MAX.into()) as i64).collect()
        };
        Ok(counts.into_iter().zip(noise).map(noisy).collect())
    }
}

#[cfg(test)]
mod tests {
    use pointillist_privacy::{Epsilon, Rho};

    use super::*;

    /// Specification: however many rows a person may have, noise is for all of them in all columns. k²·m is beyond 64 bits here.
    #[test]
    fn noise_is_for_every_row_of_a_person_however_many() {
        let (k, m) = (759_250_125u32, 32);
        let squared = Rational::from(k).squared() * Rational::from(m);
        assert!(squared > Rational::power_of_two(64));
        let rho = Spend::Concentrated(Rho::parse("0.5").unwrap());
        let gaussian = noise_of_all(k, 32, &rho).unwrap();
        assert_eq!(gaussian.variance_parameter(), Some(&squared));
        let epsilon = Spend::Pure(Epsilon::parse("1").unwrap());
        let laplace = noise_of_all(u32::MAX, 256, &epsilon).unwrap();
        assert_eq!(laplace.scale_upper(), Rational::from(u32::MAX) * Rational::from(256));
    }
}
