//! What a file of reports says about the people who reported, as one record for programs.
//!
//! Estimates are unbiased, and so they may lie a little outside of what is possible. The intervals are those of
//! [`Estimate`] and [`MeanEstimate`](crate::MeanEstimate): the normal one is the usual approximation, the
//! guaranteed one holds in at least 95 of 100 surveys.

use serde::Serialize;

use crate::{
    AnyCollector, Cost, Estimate, FoundString, Interval, LocalError, MISS, MeanEstimate, ReportsFile,
    normalised,
};

/// How often a search may miss a word. It tries at most 2^20 words at its last level, each of which stands out
/// although nobody holds it with at most this probability: in all, no search in more than 4 of 100 finds a word
/// of nobody's, and frequent words, of which there are few, are missed by far fewer.
pub const MISS_OF_A_WORD: f64 = 0.04 / (1 << 20) as f64;

/// What reports say.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SurveyEstimates {
    /// The line of the survey.
    pub setting: String,
    /// How many reports there are.
    pub reports: u64,
    /// How many lines are no reports, and were left out.
    pub bad_lines: u64,
    /// What a report cost its sender.
    pub cost: Cost,
    /// What was asked for.
    #[serde(flatten)]
    pub figures: EstimatedFigures,
    /// How often an interval holds.
    pub confidence: f64,
}

/// What was asked for: shares, a mean, or frequent words.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum EstimatedFigures {
    /// How often each value is held.
    Shares {
        /// In the order of the values.
        estimates: Vec<AnswerEstimate>,
    },
    /// The mean of a bounded number.
    Mean(EstimatedMean),
    /// The words that many people hold.
    Words {
        /// The most frequent first.
        words: Vec<WordEstimate>,
        /// Words as frequent as this are found, in at least 95 of 100 surveys.
        least_share: f64,
        /// Whether there was no room to follow all branches, so that some words may be missing.
        cut: bool,
    },
}

/// A share of the people, with its errors.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EstimatedShare {
    /// How many people it is: unbiased, and so neither clipped nor rounded.
    pub count: f64,
    /// Which share of them: unbiased.
    pub share: f64,
    /// The standard error of the share.
    pub standard_error: f64,
    /// By normal approximation, 95 %: no guarantee.
    pub normal: Interval,
    /// In at least 95 of 100 surveys.
    pub guaranteed: Interval,
}

/// What reports say about one value.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AnswerEstimate {
    /// The answer that the value stands for.
    pub answer: String,
    /// The value.
    pub value: u64,
    /// How often it is held.
    #[serde(flatten)]
    pub share: EstimatedShare,
    /// Its share in the nearest distribution: no longer unbiased.
    pub normalised: f64,
}

/// What reports say about one word.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WordEstimate {
    /// The word.
    pub word: String,
    /// How often it is held.
    #[serde(flatten)]
    pub share: EstimatedShare,
}

/// What reports say about a mean.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EstimatedMean {
    /// The mean of the answers: unbiased, and so it may leave the range.
    pub mean: f64,
    /// The standard error, at most.
    pub standard_error_max: f64,
    /// By normal approximation, 95 %: no guarantee.
    pub normal: Interval,
    /// In at least 95 of 100 surveys.
    pub guaranteed: Interval,
}

impl ReportsFile {
    /// What the reports say. Words are searched for from the share `at_least` on, or from the least that the
    /// noise allows; the search may take seconds.
    pub fn estimates(&self, at_least: Option<f64>) -> Result<SurveyEstimates, LocalError> {
        if self.reports() == 0 {
            return Err(LocalError::NoReports);
        }
        let figures = match &self.collector {
            AnyCollector::Strings(collector) => {
                let least_share = at_least.unwrap_or_else(|| collector.least_share(MISS_OF_A_WORD));
                let found = collector.search(least_share, MISS_OF_A_WORD)?;
                let word = |found: &FoundString| WordEstimate {
                    word: found.text.clone(),
                    share: EstimatedShare::from(&found.estimate),
                };
                let words = found.strings.iter().map(word).collect();
                EstimatedFigures::Words { words, least_share, cut: found.cut }
            }
            _ if at_least.is_some() => {
                return Err(LocalError::refused(
                    "a least share is for words, and these reports are of another kind",
                    "leave it out",
                ));
            }
            AnyCollector::Frequency(collector) => {
                let estimates = collector.estimates();
                let nearest = normalised(&estimates);
                let answer = |(estimate, normalised): (&Estimate, f64)| AnswerEstimate {
                    answer: self.survey.label(estimate.value),
                    value: estimate.value,
                    share: EstimatedShare::from(estimate),
                    normalised,
                };
                EstimatedFigures::Shares { estimates: estimates.iter().zip(nearest).map(answer).collect() }
            }
            AnyCollector::Mean(collector) => {
                let MeanEstimate { mean, variance_max, normal, guaranteed, .. } =
                    collector.estimate().ok_or(LocalError::NoReports)?;
                let standard_error_max = variance_max.sqrt();
                EstimatedFigures::Mean(EstimatedMean { mean, standard_error_max, normal, guaranteed })
            }
        };
        Ok(SurveyEstimates {
            setting: self.survey.to_string(),
            reports: self.reports(),
            bad_lines: self.bad_lines,
            cost: self.survey.cost(),
            figures,
            confidence: 1.0 - MISS,
        })
    }
}

impl From<&Estimate> for EstimatedShare {
    fn from(estimate: &Estimate) -> Self {
        Self {
            count: estimate.count,
            share: estimate.share,
            standard_error: estimate.variance_share.sqrt(),
            normal: estimate.normal,
            guaranteed: estimate.guaranteed,
        }
    }
}

#[cfg(test)]
mod tests {
    use pointillist_testkit::seeded;

    use super::*;
    use crate::{Domain, Survey};

    /// A file of so many reports, all of the same answer.
    fn file(line: &str, domain: Option<Domain>, answer: &str, people: usize) -> ReportsFile {
        let survey = Survey::parse(line, domain).unwrap();
        let mut text = survey.header();
        let mut bits = seeded(1);
        for _ in 0..people {
            survey.randomize_line(answer, &mut bits, &mut text).unwrap();
            text.push('\n');
        }
        ReportsFile::read(text.as_bytes(), None, None).unwrap()
    }

    fn json(file: &ReportsFile) -> serde_json::Value {
        serde_json::to_value(file.estimates(None).unwrap()).unwrap()
    }

    fn keys(value: &serde_json::Value) -> Vec<&str> {
        value.as_object().unwrap().keys().map(String::as_str).collect()
    }

    /// Specification: scripts rely on these names.
    #[test]
    fn records_have_the_same_names_for_every_program() {
        let colours = Domain::parse_list("red,green", true).unwrap();
        let shares = json(&file("k-ary-response values=3 epsilon=3", Some(colours), "green", 100));
        assert_eq!(keys(&shares), ["bad_lines", "confidence", "cost", "estimates", "reports", "setting"]);
        let row =
            ["answer", "count", "guaranteed", "normal", "normalised", "share", "standard_error", "value"];
        assert_eq!(keys(&shares["estimates"][2]), row);
        assert_eq!(
            (&shares["estimates"][2]["answer"], &shares["confidence"]),
            (&"(other)".into(), &0.95.into())
        );
        let mean = json(&file("sign-mean lower=0 upper=10 steps=100 epsilon=1", None, "7.5", 100));
        let names = [
            "bad_lines",
            "confidence",
            "cost",
            "guaranteed",
            "mean",
            "normal",
            "reports",
            "setting",
            "standard_error_max",
        ];
        assert_eq!(keys(&mean), names);
        assert_eq!(mean["normal"].as_array().unwrap().len(), 2);
        let words = json(&file("prefix-tree alphabet=ab length=2 epsilon=4", None, "ab", 3000));
        assert_eq!(
            keys(&words),
            ["bad_lines", "confidence", "cost", "cut", "least_share", "reports", "setting", "words"]
        );
        assert_eq!(words["words"][0]["word"], "ab");
        let row = ["count", "guaranteed", "normal", "share", "standard_error", "word"];
        assert_eq!(keys(&words["words"][0]), row);
    }

    #[test]
    fn nothing_is_estimated_from_nothing() {
        let line = "k-ary-response values=3 epsilon=1";
        assert_eq!(file(line, None, "1", 0).estimates(None), Err(LocalError::NoReports));
        assert!(file(line, None, "1", 1).estimates(Some(0.1)).is_err(), "a least share is for words");
    }
}
