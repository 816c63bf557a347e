//! Whole tables: columns with many values are put into bins before their codes are counted together.
//!
//! **Guarantee.** What [`TableSynthesizer::fit`] releases loses [`TableSynthesizer::loss`] and no more, for neighbours that differ in
//! all rows of one person, of which there are at most `rows_per_person` = k.
//! **Proof.** Where bins are even, a cell goes to a bin by public numbers, row by row, and the loss is that of the synthesizer. Where
//! they follow from data ([`Binning::Quantile`]), the price is split exactly in two. With the first part a histogram of each of m
//! columns is released: a person moves each by at most k, so all of them by k·m in L1 and k·√m in L2, and exact noise
//! for that is added (`bins.rs`). Bins are computed from these noisy histograms. The second part pays for the synthesizer on rows
//! whose bins are then public; the sum is by adaptive composition. Every number of bins and every size is fixed in advance,
//! whatever the histograms say.
//! **Neighbours.** Add or remove all rows of one person.
//! **Source.** Composition: Bun, Steinke (2016), Lemma 1.7 (zCDP); Dwork, Roth (2014), Theorem 3.16 (pure ε).

mod bins;
mod distances;
mod recipe;
#[cfg(test)]
mod tests;

use pointillist_noise::SecureBits;
use pointillist_privacy::{Loss, Spend};
use serde::{Deserialize, Serialize};

pub use self::bins::{Attribute, TableLayout};
use self::bins::{Bins, QuantileBins};
pub use self::distances::{Compared, TableDistance, TableDistances};
pub use self::recipe::{Binning, TABLE_SETTINGS, TableRecipe};
use crate::{
    CodeRows, Measured, MeasuredMarginal, Model, Progress, PublicCoins, RowsError, SynthError, Synthesizer,
};

/// A recipe for columns at a price: what it loses is known, and nothing of data is.
pub struct TableSynthesizer {
    layout: TableLayout,
    quantiles: Option<QuantileBins>,
    synthesizer: Synthesizer,
    loss: Loss,
}

/// Everything that was released for a table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TableMeasured {
    /// Noisy counts of the finest cells of the columns whose bins follow from them.
    histograms: Vec<Vec<i64>>,
    /// Noisy counts of bins.
    marginals: Measured,
}

impl TableRecipe {
    /// The synthesizer of columns, of which one person has at most `rows_per_person` rows, at a price.
    ///
    /// # Errors
    /// When there are too many columns or values, a setting is out of range, or nothing is proven of the method in this currency.
    pub fn synthesizer(
        &self,
        layout: TableLayout,
        rows_per_person: u32,
        spend: &Spend,
    ) -> Result<TableSynthesizer, SynthError> {
        let binned = layout.quantile_columns();
        let (quantiles, rest) = match binned.is_empty() {
            true => (None, spend.clone()),
            false => {
                let share = u64::from(self.binning_percent);
                let parts = spend.split(&[share, 100 - share])?;
                (Some(QuantileBins::new(binned, rows_per_person, &parts[0])?), parts[1].clone())
            }
        };
        let synthesizer = self.recipe.synthesizer(layout.domain().clone(), rows_per_person, &rest)?;
        let loss = match &quantiles {
            None => synthesizer.loss().clone(),
            Some(quantiles) => {
                let sum = quantiles.loss().then(synthesizer.loss());
                sum.ok_or_else(|| {
                    SynthError::parameter("this price cannot be split between bins and counts")
                })?
            }
        };
        Ok(TableSynthesizer { layout, quantiles, synthesizer, loss })
    }
}

impl TableSynthesizer {
    /// What a fit loses.
    pub fn loss(&self) -> &Loss {
        &self.loss
    }

    /// How it is made private.
    pub fn mechanism(&self) -> &'static str {
        self.synthesizer.mechanism()
    }

    /// What to expect, in words: nothing in them comes from data.
    pub fn outlook(&self) -> Vec<String> {
        let mut words: Vec<String> = self.layout.words();
        words.extend(self.quantiles.as_ref().map(QuantileBins::words));
        words.extend(self.synthesizer.outlook());
        words
    }

    /// Looks at rows of cells, and releases noisy counts of them.
    ///
    /// # Errors
    /// When the rows went away.
    pub fn fit<B: SecureBits + ?Sized>(
        &self,
        rows: &dyn CodeRows,
        bits: &mut B,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<TableMeasured, SynthError> {
        let histograms = match &self.quantiles {
            None => Vec::new(),
            Some(quantiles) => quantiles.release(&self.layout, rows, bits)?,
        };
        let bins = self.layout.bins(&histograms)?;
        let marginals = self.synthesizer.fit(&Binned { rows, bins: &bins }, bits, progress)?;
        Ok(TableMeasured { histograms, marginals })
    }

    /// The table that released numbers are: post-processing.
    ///
    /// # Errors
    /// When the numbers are not of these columns.
    pub fn model(&self, measured: &TableMeasured) -> Result<TableModel, SynthError> {
        let bins = self.layout.bins(&measured.histograms)?;
        let model = self.synthesizer.model(measured.marginals.clone())?;
        Ok(TableModel { bins, model })
    }
}

impl TableMeasured {
    /// The bytes that are recorded.
    pub fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).unwrap_or_default()
    }

    /// What bytes were recorded for; whether it fits its columns is found out when it is used.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        serde_json::from_slice(bytes).ok()
    }

    /// The noisy counts of bins.
    pub fn marginals(&self) -> &Measured {
        &self.marginals
    }

    /// The noisy counts that bins follow from: one list for each column that has such bins.
    pub fn histograms(&self) -> &[Vec<i64>] {
        &self.histograms
    }
}

/// Rows of bins.
struct Binned<'r> {
    rows: &'r dyn CodeRows,
    bins: &'r [Bins],
}

impl CodeRows for Binned<'_> {
    fn for_each_codes(&self, each: &mut dyn FnMut(&[u32])) -> Result<(), RowsError> {
        let mut codes = Vec::new();
        self.rows.for_each_codes(&mut |cells: &[u32]| {
            codes.clear();
            codes.extend(cells.iter().zip(self.bins.iter().cycle()).map(|(cell, bins)| bins.bin(*cell)));
            each(&codes);
        })
    }
}

/// A distribution of rows of cells.
#[derive(Clone, Debug)]
pub struct TableModel {
    bins: Vec<Bins>,
    model: Model,
}

impl TableModel {
    /// About how many rows there were: a released number.
    pub fn total(&self) -> f64 {
        self.model.total()
    }

    /// So many made-up rows of cells, a list for each column.
    ///
    /// # Errors
    /// When they are more than can be drawn.
    pub fn sample(&self, rows: u64, coins: &mut PublicCoins) -> Result<Vec<Vec<u32>>, SynthError> {
        let codes = self.model.sample(Some(rows), coins)?;
        let column =
            |(codes, bins): (Vec<u32>, &Bins)| codes.iter().map(|code| bins.draw(*code, coins)).collect();
        Ok(codes.into_iter().zip(&self.bins).map(column).collect())
    }

    /// The distribution of bins.
    pub fn of_bins(&self) -> &Model {
        &self.model
    }

    /// The bin of a cell of a column.
    pub fn bin_of(&self, column: usize, cell: u32) -> u32 {
        self.bins[column].bin(cell)
    }

    /// How many bins a column has.
    pub fn bin_count(&self, column: usize) -> u32 {
        self.bins[column].count()
    }

    /// The cells that a bin of a column stands for: the first and the last.
    pub fn cells_of(&self, column: usize, bin: u32) -> (u32, u32) {
        self.bins[column].cells(bin)
    }

    /// Noisy counts of the bins of these columns, in rising order, where they were measured.
    pub fn measured(&self, columns: &[usize]) -> Option<MeasuredMarginal> {
        self.model.measured(columns)
    }
}
