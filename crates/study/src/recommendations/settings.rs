//! How ratings are learnt from: everything here is public, and fixed before a rating is read.
//!
//! The presets were chosen by their errors on other splits of a public table of films and on another made-up population. Somebody
//! who tries several settings on one private table and keeps the best has looked at it once more, and must pay for that.

use super::RecommendationError;
use super::grid::steps_of;

/// Whose secret is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// All ratings of a person.
    Person,
    /// What a person said of one item, if anything. Weaker: of somebody with n ratings all n are protected only n times less.
    Rating,
}

impl Unit {
    /// The unit in a word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Person => "person",
            Self::Rating => "rating",
        }
    }
}

/// Everything that decides what is released, but for the price.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Whose secret is kept.
    pub unit: Unit,
    /// Residuals of the item sums are cut here, in points.
    pub half_range: f64,
    /// A person adds as much to the item sums as this many ratings.
    pub cap: u32,
    /// How much a count weighs against a sum.
    pub count_weight: f64,
    /// How far items are from what their features say: a variance.
    pub item_variance: f64,
    /// How far ratings are from item and person: a variance, when effects of items are estimated.
    pub rating_variance: f64,
    /// The same when somebody's predictions are made.
    pub prediction_variance: f64,
    /// How far people's averages are apart: a variance.
    pub person_variance: f64,
    /// How much of the liking of genres is a person's own: a variance; zero for none.
    pub genre_variance: f64,
    /// Whether effects of items are drawn towards those of their genres and periods.
    pub feature_prior: bool,
    /// The covariance of items, where it is released.
    pub covariance: Option<CovarianceSettings>,
}

/// What is released about pairs of items.
#[derive(Clone, Debug, PartialEq)]
pub struct CovarianceSettings {
    /// The most rated items, by released counts.
    pub items: usize,
    /// The part of the price, in hundredths, that the item sums keep.
    pub item_share_percent: u32,
    /// Residuals are cut here, in points.
    pub bound: f64,
    /// How much one person adds: as much as somebody with two ratings, times this.
    pub cap: u32,
    /// How far products of residuals are from their mean: a variance.
    pub product_variance: f64,
    /// At most so many factors.
    pub rank: usize,
    /// Factors are kept above this multiple of the most negative eigenvalue.
    pub edge: f64,
    /// What factors are multiplied by, as cut residuals made them small.
    pub stretch: f64,
    /// Where single ratings are the unit: a person's average is drawn to zero as by so many ratings.
    pub centring: u32,
}

/// Of the price, the part of the global mean in hundredths.
pub(super) const MEAN_PERCENT: u32 = 2;
/// Of the price of the covariance, the part of its total weight in hundredths.
pub(super) const WEIGHT_PERCENT: u32 = 1;
/// A person adds as much to the global mean as this many ratings.
pub(super) const MEAN_CAP: u32 = 5;
/// The most items whose pairs are released.
const COVARIANCE_ITEMS_MAX: usize = 4000;

impl Settings {
    /// For people with few ratings each, the median two, of items with public genres: everything is spent on the items, and
    /// the liking of genres is each person's own.
    pub fn sparse(unit: Unit, epsilon: f64) -> Self {
        let base = Self {
            unit,
            half_range: 2.5,
            cap: 1,
            count_weight: 0.5,
            item_variance: 0.5,
            rating_variance: 2.0,
            prediction_variance: 2.2,
            person_variance: 0.7,
            genre_variance: 0.3,
            feature_prior: true,
            covariance: None,
        };
        match unit {
            Unit::Person if epsilon < 1.5 => Self { count_weight: 0.8, ..base },
            Unit::Person if epsilon < 3.0 => base,
            Unit::Person => Self { half_range: 3.0, item_variance: 0.8, rating_variance: 2.6, ..base },
            Unit::Rating => Self {
                half_range: if epsilon < 3.0 { 3.0 } else { 4.0 },
                item_variance: if epsilon < 7.0 { 0.8 } else { 1.2 },
                rating_variance: 2.6,
                ..base
            },
        }
    }

    /// For people with many ratings each, the median nine: tastes that items share are learnt from pairs of items.
    pub fn dense(unit: Unit, epsilon: f64) -> Self {
        let person = unit == Unit::Person;
        // More is learnt of more pairs where the noise is smaller.
        let (items, item_share_percent, cap) = match (unit, epsilon) {
            (Unit::Person, ..0.75) => (200, 40, 1),
            (Unit::Person, ..1.5) => (300, 40, 1),
            (Unit::Person, ..3.0) => (400, 20, 1),
            (Unit::Person, ..7.0) => (500, 15, 2),
            (Unit::Person, _) => (500, 15, 4),
            (Unit::Rating, ..3.0) => (500, 15, 1),
            (Unit::Rating, _) => (800, 15, 1),
        };
        let weak = epsilon >= if person { 7.0 } else { 3.0 };
        Self {
            unit,
            half_range: if person { 3.0 } else { 4.0 },
            cap: 1,
            count_weight: 0.5,
            item_variance: 0.7,
            rating_variance: 1.9,
            prediction_variance: if person { 1.7 } else { 1.8 },
            person_variance: 0.5,
            genre_variance: 0.3,
            feature_prior: true,
            covariance: Some(CovarianceSettings {
                items,
                item_share_percent,
                bound: if weak { 2.0 } else { 1.5 },
                cap,
                product_variance: if weak {
                    1.0
                } else if person {
                    0.1
                } else {
                    0.3
                },
                rank: 6,
                edge: if person { 0.65 } else { 0.8 },
                stretch: match (unit, weak) {
                    (Unit::Person, false) => 1.5,
                    (Unit::Person, true) => 1.2,
                    (Unit::Rating, _) => 1.3,
                },
                centring: 20,
            }),
        }
    }

    /// The same where nothing has to be bounded: for comparison.
    pub fn without_privacy(self) -> Self {
        let covariance = self.covariance.map(|covariance| CovarianceSettings {
            items: 1000,
            bound: 4.0,
            rank: 5,
            product_variance: 3.0,
            stretch: 1.0,
            ..covariance
        });
        Self { half_range: 10.0, covariance, ..self }
    }

    /// Refuses what no bound is proved for.
    pub(super) fn check(&self) -> Result<(), RecommendationError> {
        let wrong = |what: String, hint| Err(RecommendationError::Settings { what, hint });
        let between = |value: f64, low: f64, high: f64| value >= low && value <= high;
        if !between(self.half_range, 0.01, 10.0) || !between(self.count_weight, 0.01, 10.0) {
            let what = format!("sums cut at {} with counts of weight {}", self.half_range, self.count_weight);
            return wrong(what, "cut between 0.01 and 10 points, with a weight between 0.01 and 10");
        }
        if !(1..=1_000_000).contains(&self.cap) {
            return wrong(
                format!("a cap of {} ratings", self.cap),
                "let a person add between 1 and a million ratings",
            );
        }
        let variances =
            [self.item_variance, self.rating_variance, self.prediction_variance, self.person_variance];
        if variances.iter().any(|variance| !between(*variance, 1e-6, 1e6))
            || !between(self.genre_variance, 0.0, 1e6)
        {
            return wrong("a variance that is none".to_owned(), "write variances between 1e-6 and a million");
        }
        let Some(covariance) = &self.covariance else { return Ok(()) };
        if !(2..=COVARIANCE_ITEMS_MAX).contains(&covariance.items) {
            let what = format!("the pairs of {} items", covariance.items);
            return wrong(what, "ask for the pairs of 2 to 4000 items, or of none");
        }
        if !(1..=99).contains(&covariance.item_share_percent) {
            let what = format!("{} % of the price for items", covariance.item_share_percent);
            return wrong(what, "leave 1 to 99 % to the items");
        }
        let numbers = [covariance.bound, covariance.product_variance, covariance.edge, covariance.stretch];
        let fine = between(covariance.bound, 0.01, 4.0)
            && numbers.iter().all(|number| between(*number, 1e-6, 1e6))
            && (1..=1000).contains(&covariance.cap)
            && (1..=1_000_000).contains(&covariance.centring);
        match fine {
            true => Ok(()),
            false => wrong(
                "settings of the covariance that no bound is proved for".to_owned(),
                "cut residuals between 0.01 and 4 points, and keep caps between 1 and 1000",
            ),
        }
    }

    /// Where item sums are cut, and what a count weighs, in whole steps.
    pub(super) fn item_steps(&self) -> (i64, i64) {
        let half_range = steps_of(self.half_range);
        (half_range, (self.count_weight * half_range as f64).round() as i64)
    }
}
