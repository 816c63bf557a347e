//! What somebody asks for: a method and settings, all public; and the synthesizer that follows from a price.

use std::fmt;

use pointillist_privacy::Spend;
use serde::{Deserialize, Serialize};

use crate::component::Effort;
use crate::{Domain, SynthError, Synthesizer};

/// How marginals are chosen and measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// A maximum spanning tree of pairs of columns.
    Mst,
    /// The marginals that the model is most wrong about, one after the other, with ever less noise.
    Aim,
    /// The textbook's: as many rounds as columns, the same noise in each.
    Mwem,
    /// All marginals of the workload, through residuals, without a choice.
    Residual,
}

impl Method {
    /// Every method, as lists show them.
    pub const ALL: [Self; 4] = [Self::Mst, Self::Aim, Self::Mwem, Self::Residual];

    /// As it is written everywhere.
    pub fn name(self) -> &'static str {
        match self {
            Self::Mst => "mst",
            Self::Aim => "aim",
            Self::Mwem => "mwem",
            Self::Residual => "residual",
        }
    }

    /// What it is, in a few words.
    pub fn about(self) -> &'static str {
        match self {
            Self::Mst => "a tree of pairs of columns, chosen once: fast, and good where little can be spent",
            Self::Aim => {
                "marginals chosen one after the other where the model is most wrong: the most accurate rows"
            }
            Self::Mwem => "a fixed number of rounds with the same noise in each: the textbook's baseline",
            Self::Residual => {
                "every marginal of the workload, none chosen: answers with error bars where much can be spent"
            }
        }
    }

    /// The method of this name.
    ///
    /// # Errors
    /// When there is none.
    pub fn parse(name: &str) -> Result<Self, SynthError> {
        let known = Self::ALL.into_iter().find(|method| method.name() == name);
        known.ok_or_else(|| {
            let names = Self::ALL.map(Self::name);
            SynthError::parameter(format!(
                "there is no method `{name}`{}; there are {}",
                nearest(name, &names),
                names.join(", ")
            ))
        })
    }
}

impl fmt::Display for Method {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

/// A method and the settings that were given; what was not has a default.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    /// How marginals are chosen and measured.
    pub method: Method,
    /// The workload is all marginals of so many columns: 1 to 3.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub degree: Option<u32>,
    /// How large the model's tables may be together, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_bytes_max: Option<u64>,
    /// How many rounds MWEM has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rounds: Option<u32>,
    /// How many steps the last fit of the model takes at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iterations: Option<u32>,
    /// Values whose noisy count is below so many standard deviations are merged by MST and AIM; 0 merges none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merge: Option<u32>,
}

/// The settings, as they are written, and what each is.
pub const SETTINGS: [(&str, &str); 5] = [
    ("degree", "the workload is all marginals of so many columns: 1, 2 (the default) or 3"),
    (
        "model_megabytes",
        "how large the model may be (8 for aim and residual, 80 for the others): larger is slower, and more accurate",
    ),
    ("rounds", "of mwem: how many marginals are chosen; by default as many as there are columns"),
    (
        "iterations",
        "how many steps the last fit of the model takes at most (5000 for mst, 1000 for the others)",
    ),
    (
        "merge",
        "of mst and aim: values with a noisy count below so many standard deviations are merged (3); 0 merges none",
    ),
];

const MEGABYTE: f64 = 1024.0 * 1024.0;
const MODEL_BYTES_MAX: u64 = 1 << 28;
const ROUNDS_MAX: u32 = 1000;
const ITERATIONS_MAX: u32 = 20_000;
/// Fits between rounds begin where the last one ended, so that few steps are enough.
const ROUND_ITERATIONS: u32 = 300;

impl Recipe {
    /// A method with all settings left open.
    pub fn new(method: Method) -> Self {
        Self { method, degree: None, model_bytes_max: None, rounds: None, iterations: None, merge: None }
    }

    /// The same with settings as people write them: `degree = 3, model_megabytes = 20`.
    ///
    /// # Errors
    /// When there is no such setting, or its value is none.
    pub fn with_settings(mut self, text: &str) -> Result<Self, SynthError> {
        for setting in text.split(',').map(str::trim).filter(|setting| !setting.is_empty()) {
            let (name, value) = setting.split_once('=').ok_or_else(|| {
                SynthError::parameter(format!("`{setting}` is no setting; write it as degree = 3"))
            })?;
            self.set(name.trim(), value.trim())?;
        }
        self.check()?;
        Ok(self)
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), SynthError> {
        fn number<T: std::str::FromStr>(name: &str, value: &str) -> Result<T, SynthError> {
            let wrong = || SynthError::parameter(format!("`{value}` is no value of the setting `{name}`"));
            value.parse().map_err(|_| wrong())
        }
        match name {
            "degree" => self.degree = Some(number(name, value)?),
            "rounds" => self.rounds = Some(number(name, value)?),
            "iterations" => self.iterations = Some(number(name, value)?),
            "merge" => self.merge = Some(number(name, value)?),
            "model_megabytes" => {
                let megabytes: f64 = number(name, value)?;
                // A number that is none, or negative, becomes zero and is refused by its range.
                self.model_bytes_max = Some((megabytes * MEGABYTE) as u64);
            }
            _ => {
                let names = SETTINGS.map(|(name, _)| name);
                return Err(SynthError::parameter(format!(
                    "there is no setting `{name}`{}; there are {}",
                    nearest(name, &names),
                    names.join(", ")
                )));
            }
        }
        Ok(())
    }

    /// Refuses settings that are out of range.
    pub(crate) fn check(&self) -> Result<(), SynthError> {
        let outside = |what: String| Err(SynthError::parameter(what));
        if self.degree.is_some_and(|degree| !(1..=3).contains(&degree)) {
            return outside("degree is 1, 2 or 3".to_owned());
        }
        if self.model_bytes_max.is_some_and(|bytes| !(1024..=MODEL_BYTES_MAX).contains(&bytes)) {
            return outside("model_megabytes lies between 0.001 and 4096".to_owned());
        }
        if self.rounds.is_some_and(|rounds| !(1..=ROUNDS_MAX).contains(&rounds)) {
            return outside(format!("rounds lies between 1 and {ROUNDS_MAX}"));
        }
        if self.iterations.is_some_and(|iterations| !(1..=ITERATIONS_MAX).contains(&iterations)) {
            return outside(format!("iterations lies between 1 and {ITERATIONS_MAX}"));
        }
        if self.merge.is_some_and(|merge| merge > 100) {
            return outside("merge lies between 0 and 100".to_owned());
        }
        Ok(())
    }

    /// The synthesizer for rows of these columns, of which one person has at most `rows_per_person`, at a price.
    ///
    /// # Errors
    /// When a setting is out of range, the columns are too many or too large for the method, or the price is of a currency in which
    /// nothing is proven of it.
    pub fn synthesizer(
        &self,
        domain: Domain,
        rows_per_person: u32,
        spend: &Spend,
    ) -> Result<Synthesizer, SynthError> {
        Synthesizer::new(self.clone(), domain, rows_per_person, spend)
    }

    /// How many columns the marginals of the workload have, where the table has so many.
    pub(crate) fn degree_of(&self, domain: &Domain) -> usize {
        (self.degree.unwrap_or(2) as usize).min(domain.attributes())
    }

    /// How many cells the model's tables may have together.
    pub(crate) fn model_cells_max(&self) -> u64 {
        let megabytes = match self.method {
            Method::Aim | Method::Residual => 8,
            Method::Mst | Method::Mwem => 80,
        };
        self.model_bytes_max.unwrap_or(megabytes << 20) / 8
    }

    pub(crate) fn merge_deviations(&self) -> f64 {
        f64::from(self.merge.unwrap_or(3))
    }

    pub(crate) fn round_effort(&self) -> Effort {
        let iterations = self.iterations.unwrap_or(ROUND_ITERATIONS).min(ROUND_ITERATIONS);
        Effort { iterations, least_gain: 1e-4 }
    }

    pub(crate) fn last_effort(&self) -> Effort {
        // A tree's steps are so fast that it may take more of them.
        let usual = if self.method == Method::Mst { 5000 } else { 1000 };
        Effort { iterations: self.iterations.unwrap_or(usual), least_gain: 1e-7 }
    }
}

/// `, perhaps you mean …` where a known name is near.
fn nearest(name: &str, names: &[&str]) -> String {
    let near = names.iter().map(|known| (edits(name, known), known)).min();
    match near {
        Some((edits, known)) if edits <= 2 + name.len() / 4 => format!(", perhaps you mean `{known}`"),
        _ => String::new(),
    }
}

/// How many letters are put in, left out or changed.
fn edits(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (line, letter) in one.chars().enumerate() {
        let mut corner = row[0];
        row[0] = line + 1;
        for (at, own) in other.iter().enumerate() {
            let changed = corner + usize::from(letter != *own);
            corner = row[at + 1];
            row[at + 1] = changed.min(row[at] + 1).min(corner + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read_as_people_write_them() {
        let recipe = Recipe::new(Method::Aim).with_settings("degree = 3, model_megabytes=20,").unwrap();
        assert_eq!((recipe.degree, recipe.model_bytes_max), (Some(3), Some(20 << 20)));
        let other =
            Recipe::new(Method::Aim).with_settings("degree = 3, model_megabytes = 20.000001").unwrap();
        assert_ne!(format!("{recipe:?}"), format!("{other:?}"), "recipes are told apart by their text");
        let text = serde_json::to_string(&recipe).unwrap();
        assert_eq!(serde_json::from_str::<Recipe>(&text).unwrap(), recipe);
    }

    #[test]
    fn an_unknown_setting_is_refused_with_a_suggestion() {
        let error = |text: &str| Recipe::new(Method::Mst).with_settings(text).unwrap_err().to_string();
        assert!(error("degre = 2").contains("perhaps you mean `degree`"), "{}", error("degre = 2"));
        assert!(error("model_megabyte = 2").contains("`model_megabytes`"));
        assert!(!error("zzzzzzzzz = 2").contains("perhaps"));
        assert!(Method::parse("ame").unwrap_err().to_string().contains("perhaps you mean `aim`"));
        for wrong in [
            "degree",
            "degree = 4",
            "degree = x",
            "model_megabytes = -1",
            "model_megabytes = NaN",
            "rounds = 0",
            "iterations = 0",
            "merge = 101",
        ] {
            assert!(!error(wrong).is_empty());
        }
    }
}
