//! A model of released numbers, and what it says to somebody who brings their own ratings.
//!
//! **Guarantee.** A [`Model`] is made of released numbers and of public ones. A [`Predictor`] is made of a model and of one person's own ratings: what it
//! says is for that person, and nobody else's ratings are looked at.
//!
//! The person's side is one small ridge regression: residuals r − mean − b_i on the features of items they rated, a constant for their habit,
//! the factors, and their genres, each scaled so that coefficients of variance one are expected. Items whose effect is not well known count less.

use super::cleaning::Factors;
use super::item_effects::ItemEffects;
use super::{Learner, Rating, small_system};

/// What a prediction is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// The mean of everything.
    GlobalMean,
    /// The mean of the item.
    ItemMean,
    /// The item, and the habit of the person.
    PersonAndItem,
    /// Those, and the genres that the person likes.
    Genres,
    /// Those without genres, and factors from the covariance of items.
    Factors,
    /// Everything.
    FactorsAndGenres,
}

impl Method {
    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::GlobalMean => "global mean",
            Self::ItemMean => "item means",
            Self::PersonAndItem => "person and item",
            Self::Genres => "public genres",
            Self::Factors => "covariance",
            Self::FactorsAndGenres => "covariance, genres",
        }
    }
}

/// Released numbers as something that predicts.
#[derive(Clone, Debug)]
pub struct Model {
    mean: f64,
    effects: Vec<f64>,
    precisions: Vec<f64>,
    person_variance: f64,
    prediction_variance: f64,
    genre_scale: f64,
    genres: Vec<Vec<usize>>,
    genre_count: usize,
    rank: usize,
    /// Factors of every item; none for those that were not chosen.
    factors: Vec<Option<Vec<f64>>>,
}

impl Model {
    pub(super) fn new(
        learner: &Learner<'_>,
        mean: f64,
        items: ItemEffects,
        chosen: &[u32],
        factors: &Factors,
        stretch: f64,
    ) -> Self {
        let Learner { catalogue, settings } = learner;
        let mut rows = vec![None; catalogue.len()];
        for (position, item) in chosen.iter().enumerate() {
            rows[*item as usize] = Some(factors.of(position).iter().map(|value| value * stretch).collect());
        }
        let precision = |variance: &f64| 1.0 / (settings.prediction_variance + variance);
        Self {
            mean,
            precisions: items.variances.iter().map(precision).collect(),
            effects: items.effects,
            person_variance: settings.person_variance,
            prediction_variance: settings.prediction_variance,
            genre_scale: settings.genre_variance.sqrt(),
            genres: (0..catalogue.len()).map(|item| catalogue.genres_of(item)).collect(),
            genre_count: catalogue.genres().len(),
            rank: factors.rank,
            factors: rows,
        }
    }

    /// The mean of all ratings, in points.
    pub fn mean(&self) -> f64 {
        self.mean
    }

    /// How much an item is liked beyond the mean, in points.
    pub fn effect(&self, item: usize) -> f64 {
        self.effects[item]
    }

    /// How far the effect of an item may be from the truth: a standard deviation, in points.
    pub fn deviation(&self, item: usize) -> f64 {
        (1.0 / self.precisions[item] - self.prediction_variance).max(0.0).sqrt()
    }

    /// How many factors stood out of the noise.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// The factors of an item, where it was chosen and some stood out.
    pub(super) fn factors_of(&self, item: usize) -> Option<&[f64]> {
        self.factors[item].as_deref().filter(|factors| !factors.is_empty())
    }

    /// What an item is to a person, by this method.
    fn features(&self, item: usize, method: Method, features: &mut Vec<f64>) {
        features.clear();
        features.push(self.person_variance.sqrt());
        if matches!(method, Method::Factors | Method::FactorsAndGenres) {
            match &self.factors[item] {
                Some(factors) => features.extend(factors),
                None => features.resize(features.len() + self.rank, 0.0),
            }
        }
        if matches!(method, Method::Genres | Method::FactorsAndGenres) {
            let start = features.len();
            features.resize(start + self.genre_count, 0.0);
            let genres = &self.genres[item];
            let each = self.genre_scale / (genres.len().max(1) as f64).sqrt();
            genres.iter().for_each(|genre| features[start + genre] = each);
        }
    }

    /// What is left of a rating when mean and item are taken off.
    pub(super) fn beyond_item(&self, rating: &Rating) -> f64 {
        rating.points.to_f64() - self.mean - self.effects[rating.item as usize]
    }

    /// How much more than others a person likes things.
    pub(super) fn habit(&self, own: &[Rating]) -> f64 {
        let precision = |rating: &Rating| self.precisions[rating.item as usize];
        let total: f64 = own.iter().map(|rating| precision(rating) * self.beyond_item(rating)).sum();
        total / (own.iter().map(precision).sum::<f64>() + 1.0 / self.person_variance)
    }

    /// For somebody with these ratings.
    pub fn predictor(&self, own: &[Rating], method: Method) -> Predictor<'_> {
        if matches!(method, Method::GlobalMean | Method::ItemMean) {
            return Predictor { model: self, method, coefficients: Vec::new() };
        }
        let mut features = Vec::new();
        self.features(0, method, &mut features);
        let size = features.len();
        let (mut matrix, mut right) = (vec![0.0; size * size], vec![0.0; size]);
        (0..size).for_each(|at| matrix[at * size + at] = 1.0);
        for rating in own {
            self.features(rating.item as usize, method, &mut features);
            let precision = self.precisions[rating.item as usize];
            let beyond = self.beyond_item(rating);
            for (row, left) in features.iter().enumerate().filter(|(_, left)| **left != 0.0) {
                right[row] += precision * left * beyond;
                for column in 0..=row {
                    matrix[row * size + column] += precision * left * features[column];
                }
            }
        }
        Predictor { model: self, method, coefficients: small_system::solved(matrix, right) }
    }
}

/// What a model says to one person.
#[derive(Clone, Debug)]
pub struct Predictor<'m> {
    model: &'m Model,
    method: Method,
    coefficients: Vec<f64>,
}

impl Predictor<'_> {
    /// How much the person will like an item, in points.
    pub fn predict(&self, item: usize) -> f64 {
        let model = self.model;
        let known = match self.method {
            Method::GlobalMean => model.mean,
            _ => model.mean + model.effects[item],
        };
        let mut features = Vec::new();
        if !self.coefficients.is_empty() {
            model.features(item, self.method, &mut features);
        }
        let own: f64 = features.iter().zip(&self.coefficients).map(|(a, b)| a * b).sum();
        (known + own).clamp(0.0, 10.0)
    }
}
