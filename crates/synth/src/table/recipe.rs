//! How a table is sanitized, with what is said about columns of many values.

use serde::{Deserialize, Serialize};

use crate::{Method, Recipe, SETTINGS, SynthError};

/// How cells of a column with many values are put together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Binning {
    /// Bins of one width, from public bounds: free.
    #[default]
    Even,
    /// Bins with about as many rows each, from a noisy histogram that a part of the price pays for.
    Quantile,
}

/// How a table is sanitized.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TableRecipe {
    /// How bins are counted together.
    pub recipe: Recipe,
    /// The most bins of a column.
    pub bins: u32,
    /// How cells become bins.
    pub binning: Binning,
    /// The part of the price for bins that follow from data, in hundredths.
    pub binning_percent: u32,
    /// How many made-up rows an answer has; as many as there were about, where nothing is said.
    pub rows: Option<u64>,
}

/// What can be set beside the settings of a method, and what it means.
pub const TABLE_SETTINGS: [(&str, &str); 4] = [
    ("bins", "the most bins of a column of numbers or days [default: 32]"),
    ("binning", "even (free) or quantile: bins with about as many rows each, for a part of the price"),
    ("binning_percent", "that part, in hundredths [default: 10]"),
    ("rows", "how many made-up rows an answer has [default: about as many as there were]"),
];

const BINS: u32 = 32;
const BINS_MAX: u32 = 1024;
const PERCENT: u32 = 10;

impl TableRecipe {
    /// The usual settings of a method.
    pub fn new(method: Method) -> Self {
        Self {
            recipe: Recipe::new(method),
            bins: BINS,
            binning: Binning::Even,
            binning_percent: PERCENT,
            rows: None,
        }
    }

    /// The same with settings such as `bins = 16, degree = 3`.
    ///
    /// # Errors
    /// When a setting is not known, or its value is out of range.
    pub fn with_settings(mut self, text: &str) -> Result<Self, SynthError> {
        let mut others = Vec::new();
        for setting in text.split(',').map(str::trim).filter(|setting| !setting.is_empty()) {
            let (name, value) = setting.split_once('=').ok_or_else(|| {
                SynthError::parameter(format!("`{setting}` is no setting; write it as bins = 16"))
            })?;
            let (name, value) = (name.trim(), value.trim());
            let wrong = || SynthError::parameter(format!("`{value}` is no value of the setting `{name}`"));
            let within = |least: u32, most: u32| {
                value.parse().ok().filter(|value| (least..=most).contains(value)).ok_or_else(|| {
                    SynthError::parameter(format!(
                        "the setting `{name}` is from {least} to {most}, not `{value}`"
                    ))
                })
            };
            match name {
                "bins" => self.bins = within(2, BINS_MAX)?,
                "binning" => {
                    self.binning = match value.trim_matches('\'') {
                        "even" => Binning::Even,
                        "quantile" => Binning::Quantile,
                        _ => return Err(wrong()),
                    }
                }
                "binning_percent" => self.binning_percent = within(1, 50)?,
                "rows" => self.rows = Some(value.parse().map_err(|_| wrong())?),
                _ if SETTINGS.iter().any(|(known, _)| *known == name) => others.push(setting),
                _ => {
                    let known = TABLE_SETTINGS.iter().chain(&SETTINGS).map(|(name, _)| *name);
                    let known = known.collect::<Vec<_>>().join(", ");
                    return Err(SynthError::parameter(format!(
                        "there is no setting `{name}`; there are {known}"
                    )));
                }
            }
        }
        self.recipe = self.recipe.with_settings(&others.join(", "))?;
        Ok(self)
    }

    /// Refuses what no settings say, as a file of somebody else may.
    pub(super) fn check(&self) -> Result<(), SynthError> {
        let is_known = (2..=BINS_MAX).contains(&self.bins) && (1..=50).contains(&self.binning_percent);
        match is_known {
            true => Ok(()),
            false => Err(SynthError::parameter("the bins of this table are out of range")),
        }
    }

    /// What identifies the numbers that it releases: all but how many rows are shown.
    pub fn identity(&self) -> String {
        let Self { recipe, bins, binning, binning_percent, rows: _ } = self;
        format!("{recipe:?} bins {bins} {binning:?} {binning_percent}")
    }
}
