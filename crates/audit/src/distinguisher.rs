//! Everything that turns an observation into a suspicion: columns, frequent outputs, trained classifiers.

use std::collections::HashMap;

use crate::Observation;
use crate::bins::Bins;
use crate::features::Features;
use crate::logistic::Logistic;
use crate::trees::Trees;

/// Bins of a column whose ratios are learnt.
const CELLS: usize = 64;
/// Releases that classifiers learn from, at most.
const TRAINED_MAX: usize = 40_000;

/// A function of an observation: the higher, the more it looks like the left.
enum Score {
    /// The column itself.
    Column(usize),
    /// How much likelier the column's bin was on the left.
    Cells {
        column: usize,
        bins: Bins,
        ratios: Vec<f64>,
    },
    /// How much likelier exactly this output was on the left.
    Whole(HashMap<String, f64>),
    Logistic(Logistic),
    Trees(Trees),
}

/// Scores that were learnt from some releases, for others.
pub struct Distinguishers {
    features: Features,
    scores: Vec<Score>,
}

impl Distinguishers {
    /// Learns from releases of both sides.
    pub fn learn(left: &[&Observation], right: &[&Observation]) -> Self {
        let features = Features::learn(left, right);
        let sides = [(left, true), (right, false)];
        let each = TRAINED_MAX / 2;
        let (mut rows, mut is_left) = (Vec::new(), Vec::new());
        for (side, name) in sides {
            rows.extend(side.iter().take(each).map(|seen| features.row(seen)));
            is_left.resize(rows.len(), name);
        }
        let mut scores = vec![Score::Whole(whole_ratios(left, right))];
        for column in 0..features.columns().len() {
            scores.push(Score::Column(column));
            let bins = Bins::learn(rows.iter().map(|row| row[column]), CELLS);
            let mut counts = vec![[0.5f64; 2]; bins.count()];
            for (row, left) in rows.iter().zip(&is_left) {
                counts[bins.of(row[column])][usize::from(!left)] += 1.0;
            }
            let ratios = counts.iter().map(|[left, right]| (left / right).ln()).collect();
            scores.push(Score::Cells { column, bins, ratios });
        }
        if !features.columns().is_empty() {
            scores.push(Score::Logistic(Logistic::train(&rows, &is_left)));
            scores.push(Score::Trees(Trees::train(&rows, &is_left)));
        }
        Self { features, scores }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.scores.len()
    }

    /// These scores of one observation.
    pub fn scores(&self, seen: &Observation, indices: &[usize]) -> Vec<f64> {
        let row = self.features.row(seen);
        let score = |score: &Score| match score {
            Score::Column(column) => row[*column],
            Score::Cells { column, bins, ratios } => ratios[bins.of(row[*column])],
            Score::Whole(ratios) => ratios.get(&seen.to_string()).copied().unwrap_or(0.0),
            Score::Logistic(model) => model.score(&row),
            Score::Trees(model) => model.score(&row),
        };
        // Scores are ordered and cut, which what is not a number cannot be: it is the lowest.
        let ordered = |score: f64| if score.is_nan() { f64::NEG_INFINITY } else { score };
        indices.iter().map(|index| ordered(score(&self.scores[*index]))).collect()
    }

    /// A score in words.
    pub fn describe(&self, index: usize) -> String {
        match &self.scores[index] {
            Score::Column(column) => self.features.columns()[*column].describe(),
            Score::Cells { column, .. } => {
                format!("suspicion from {}", self.features.columns()[*column].describe())
            }
            Score::Whole(_) => "suspicion from the whole output".to_owned(),
            Score::Logistic(_) => "suspicion of a trained logistic regression".to_owned(),
            Score::Trees(_) => "suspicion of trained trees".to_owned(),
        }
    }
}

/// Smoothed log-ratios of outputs that were seen more than once.
fn whole_ratios(left: &[&Observation], right: &[&Observation]) -> HashMap<String, f64> {
    let mut counts: HashMap<String, [f64; 2]> = HashMap::new();
    for (side, seen) in [left, right].iter().enumerate() {
        for seen in *seen {
            counts.entry(seen.to_string()).or_default()[side] += 1.0;
        }
    }
    let weight = left.len() as f64 / (right.len() as f64).max(1.0);
    counts
        .into_iter()
        .filter(|(_, [left, right])| left + right > 1.0)
        .map(|(text, [left, right])| (text, ((left + 0.5) / (right * weight + 0.5)).ln()))
        .collect()
}
