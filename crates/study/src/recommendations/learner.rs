//! From ratings to released numbers, and from those to a model.
//!
//! **Guarantee.** [`Learner::release`] is ρ-zCDP for the unit of its settings.
//! **Neighbours.** Add or remove one [`Unit`](super::Unit).
//! **Proof.** Three releases, or four vectors, each of which is zCDP at its share of ρ with the sensitivity that is proved in its file, for
//! whatever was released before; the shares add up to at most one ([`Shares::new`]), and zCDP composes adaptively (Bun and Steinke 2016, Lemma
//! 2.3). Which items are chosen for the covariance follows from released counts, as do effects and the model: post-processing.
//! **Exactness.** Integers up to the released numbers; floats behind them alone.

use pointillist_noise::SecureBits;
use pointillist_numbers::Rational;
use pointillist_privacy::Rho;
use serde::{Deserialize, Serialize};

use super::blur::{Blur, Exact, Gaussian};
use super::cleaning::{self, Factors, Triangle};
use super::covariance::{self, PairWeights};
use super::grid::POINT;
use super::item_effects::ItemEffects;
use super::residuals::Centring;
use super::settings::{MEAN_PERCENT, WEIGHT_PERCENT};
use super::{
    Catalogue, CovarianceSettings, Model, Ratings, RecommendationError, Settings, global_mean, item_sums,
};

/// What learns from ratings: the public catalogue and public settings.
#[derive(Clone, Debug)]
pub struct Learner<'c> {
    pub(super) catalogue: &'c Catalogue,
    pub(super) settings: Settings,
}

/// Released numbers: whole steps with noise, and how large the noise is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Released {
    /// Beyond the middle of the scale, and how many: five points a rating.
    pub mean: [i64; 2],
    /// For every item of the catalogue how much it is liked, then for every item how often it was rated.
    pub items: Vec<i64>,
    /// The deviation of the noise of those.
    pub items_sigma: f64,
    /// Pairs of items, where they were wanted.
    pub pairs: Option<ReleasedPairs>,
}

/// Released numbers about pairs of items.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReleasedPairs {
    /// The items that were rated most by released counts, in the order of the catalogue.
    pub chosen: Vec<u32>,
    /// For the pairs 0-1, 0-2, … of those, in squares of steps.
    pub triangle: Vec<i64>,
    /// The deviation of the noise of those.
    pub sigma: f64,
    /// The total weight of pairs, both orders.
    pub weight: i64,
}

/// Parts of the price.
struct Shares {
    mean: Rational,
    items: Rational,
    pairs: Rational,
    weight: Rational,
}

impl Shares {
    fn new(covariance: Option<&CovarianceSettings>) -> Self {
        let percent = |part: u32| Rational::ratio(part.into(), 100);
        let mean = percent(MEAN_PERCENT);
        let rest = percent(100 - MEAN_PERCENT);
        let items = percent(covariance.map_or(100, |covariance| covariance.item_share_percent));
        let left = &rest * &(Rational::one() - items.clone());
        let weight = &left * &percent(WEIGHT_PERCENT);
        Self { mean, items: rest * items, pairs: left - weight.clone(), weight }
    }
}

impl<'c> Learner<'c> {
    /// For items of this catalogue.
    ///
    /// # Errors
    /// When settings are not within the bounds that something is proved for, or there is no item.
    pub fn new(catalogue: &'c Catalogue, settings: Settings) -> Result<Self, RecommendationError> {
        settings.check()?;
        if catalogue.is_empty() {
            return Err(RecommendationError::Settings {
                what: "a catalogue without items".to_owned(),
                hint: "list the items that can be rated",
            });
        }
        Ok(Self { catalogue, settings })
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Learns at this price. Ratings are of items of the catalogue.
    ///
    /// # Errors
    /// When the price is too small for any noise.
    pub fn release<B: SecureBits + ?Sized>(
        &self,
        ratings: &Ratings,
        rho: &Rho,
        bits: &mut B,
    ) -> Result<Released, RecommendationError> {
        self.learn(ratings, &mut Gaussian { rho, bits })
    }

    /// The same numbers without noise: what learning without privacy would see. Private data, and never for release.
    pub fn without_privacy(&self, ratings: &Ratings) -> Result<Released, RecommendationError> {
        self.learn(ratings, &mut Exact)
    }

    fn learn(&self, ratings: &Ratings, blur: &mut dyn Blur) -> Result<Released, RecommendationError> {
        let settings = &self.settings;
        let shares = Shares::new(settings.covariance.as_ref());
        let mut mean = global_mean::sums(ratings, settings.unit);
        blur.blur(&mut mean, &global_mean::sensitivity_l2_squared(settings.unit), &shares.mean)?;
        let mean_steps = global_mean::mean_of(mean);
        let mut items = item_sums::sums(ratings, self.catalogue.len(), mean_steps, settings);
        let items_sigma =
            blur.blur(&mut items, &item_sums::sensitivity_l2_squared(settings), &shares.items)?;
        let pairs = match &settings.covariance {
            None => None,
            Some(covariance) => {
                let effects = ItemEffects::new(&items, items_sigma, self.catalogue, settings);
                let chosen = self.most_rated(&items, covariance.items);
                let centring = Centring::new(mean_steps, &effects, settings, covariance);
                let weights = PairWeights { unit: settings.unit, cap: covariance.cap };
                let sums = covariance::sums(ratings, self.catalogue.len(), &chosen, &centring, weights);
                let (mut triangle, mut weight) = (sums.triangle, [sums.weight]);
                let square = covariance::sensitivity_l2_squared(
                    weights,
                    centring.bound(),
                    chosen.len(),
                    covariance.centring,
                );
                let sigma = blur.blur(&mut triangle, &square, &shares.pairs)?;
                blur.blur(&mut weight, &covariance::weight_sensitivity_squared(), &shares.weight)?;
                Some(ReleasedPairs { chosen, triangle, sigma, weight: weight[0] })
            }
        };
        Ok(Released { mean, items, items_sigma, pairs })
    }

    /// The items with the largest released counts, in the order of the catalogue.
    fn most_rated(&self, items: &[i64], most: usize) -> Vec<u32> {
        let counts = &items[self.catalogue.len()..];
        let mut order: Vec<u32> = (0..counts.len() as u32).collect();
        order.sort_by_key(|item| (std::cmp::Reverse(counts[*item as usize]), *item));
        order.truncate(most);
        order.sort_unstable();
        order
    }

    /// Everything that follows from released numbers.
    pub fn model(&self, released: &Released) -> Model {
        let mean = global_mean::mean_of(released.mean);
        let items = ItemEffects::new(&released.items, released.items_sigma, self.catalogue, &self.settings);
        let (mut factors, mut chosen, mut stretch) = (Factors::default(), Vec::new(), 1.0);
        if let (Some(pairs), Some(settings)) = (&released.pairs, &self.settings.covariance) {
            let square = (POINT as f64).powi(2);
            let sums: Vec<f64> = pairs.triangle.iter().map(|sum| *sum as f64 / square).collect();
            let counts: Vec<f64> = pairs.chosen.iter().map(|item| items.counts[*item as usize]).collect();
            let triangle = Triangle {
                sums: &sums,
                sigma: pairs.sigma / square,
                weight: pairs.weight as f64 / POINT as f64,
                counts: &counts,
            };
            factors = cleaning::factors(&triangle, settings);
            chosen = pairs.chosen.clone();
            stretch = settings.stretch;
        }
        Model::new(self, mean as f64 / POINT as f64, items, &chosen, &factors, stretch)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{MadeUp, Unit};
    use super::*;

    /// Notes what it is asked for, and changes nothing.
    #[derive(Default)]
    struct Notes(Vec<(usize, Rational, Rational)>);

    impl Blur for Notes {
        fn blur(
            &mut self,
            sums: &mut [i64],
            sensitivity_l2_squared: &Rational,
            share: &Rational,
        ) -> Result<f64, RecommendationError> {
            self.0.push((sums.len(), sensitivity_l2_squared.clone(), share.clone()));
            Ok(0.0)
        }
    }

    /// Specification: every released number goes through the noise, at the sensitivity of its file, and the shares add up to the whole price exactly:
    /// a release that is added without a share of its own makes the sum too large.
    #[test]
    fn everything_is_blurred_and_the_shares_add_up_to_the_price() {
        let population = MadeUp { people: 50, items: 40, number: 3 };
        let (catalogue, ratings) = (population.catalogue(), population.ratings());
        for unit in [Unit::Person, Unit::Rating] {
            let mut dense = Settings::dense(unit, 1.0);
            dense.covariance.as_mut().unwrap().items = 10;
            for settings in [Settings::sparse(unit, 1.0), dense] {
                let mut notes = Notes::default();
                let learner = Learner::new(&catalogue, settings.clone()).unwrap();
                let released = learner.learn(&ratings, &mut notes).unwrap();
                let total =
                    notes.0.iter().map(|(_, _, share)| share.clone()).fold(Rational::zero(), |a, b| a + b);
                assert_eq!(total, Rational::one(), "{settings:?}");
                let lengths: Vec<usize> = notes.0.iter().map(|(length, _, _)| *length).collect();
                let squares: Vec<&Rational> = notes.0.iter().map(|(_, square, _)| square).collect();
                assert_eq!(*squares[0], global_mean::sensitivity_l2_squared(unit));
                assert_eq!(*squares[1], item_sums::sensitivity_l2_squared(&settings));
                match &released.pairs {
                    None => assert_eq!(lengths, [2, 80]),
                    Some(pairs) => {
                        assert_eq!(lengths, [2, 80, 45, 1]);
                        assert_eq!(pairs.triangle.len(), 45);
                        assert_eq!(*squares[3], covariance::weight_sensitivity_squared());
                    }
                }
            }
        }
    }
}
