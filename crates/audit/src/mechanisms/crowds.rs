//! Mechanisms that see many people at once, each of them a canary.

use std::collections::BTreeMap;

use pointillist_mechanisms::ContributionBound;
use pointillist_mechanisms::{DiscreteGaussianMechanism, number::discrete_gaussian};
use pointillist_mechanisms::{GaussianMechanism, number::gaussian};
use pointillist_mechanisms::{GeometricMechanism, number::geometric};
use pointillist_mechanisms::{Histogram, aggregate::histogram};
use pointillist_mechanisms::{KaryRandomizedResponse, response::kary_randomized_response};
use pointillist_mechanisms::{LaplaceMechanism, number::laplace};
use pointillist_mechanisms::{RandomizedResponse, response::randomized_response};
use pointillist_mechanisms::{StabilityHistogram, keys::stability_histogram};
use pointillist_noise::SecureBits;
use pointillist_numbers::Rational;
use pointillist_privacy::{Delta, Loss, Neighbours};

use super::{Terms, in_steps, l1, l2};
use crate::crowd::Crowd;
use crate::{AuditError, Canaries};

/// How many canaries there are.
const COUNT: usize = 2000;

/// One run of many canaries says nothing about a δ that is not far below one over their number.
const DELTA: &str = "1e-15";

/// The score of a key that is not shown: below every count.
const HIDDEN: f64 = -1e30;

/// As many canaries as usual, from a function.
fn crowd(
    name: &str,
    claim: Loss,
    scores: impl Fn(&[bool], &mut dyn SecureBits) -> Vec<f64> + Send + 'static,
) -> Box<dyn Canaries> {
    Box::new(Crowd::new(name, claim, COUNT, scores))
}

pub(super) fn canaries(terms: &Terms) -> Result<Vec<Box<dyn Canaries>>, AuditError> {
    Ok(vec![
        surveyed(terms),
        categorised(terms)?,
        geometric(terms)?,
        laplace(terms)?,
        gaussian(terms)?,
        discrete_gaussian(terms)?,
        counted(terms)?,
        keyed(terms)?,
    ])
}

fn answers(present: &[bool]) -> Vec<i128> {
    present.iter().map(|present| i128::from(*present)).collect()
}

fn floats(released: Vec<i128>) -> Vec<f64> {
    released.into_iter().map(|count| count as f64).collect()
}

/// Each canary answers yes or no.
fn surveyed(terms: &Terms) -> Box<dyn Canaries> {
    let response = RandomizedResponse::for_epsilon(&terms.epsilon);
    crowd(randomized_response::CARD.name, response.loss(), move |present, bits| {
        response.release_all(present, bits).into_iter().map(|yes| f64::from(u8::from(yes))).collect()
    })
}

/// Each canary is in the first category or in the second, of four.
fn categorised(terms: &Terms) -> Result<Box<dyn Canaries>, AuditError> {
    let response = KaryRandomizedResponse::new(&terms.epsilon, 4)?;
    let claim = response.loss();
    Ok(crowd(kary_randomized_response::CARD.name, claim, move |present, bits| {
        let report =
            |present: &bool| response.release(u64::from(!present), bits).expect("two of four categories");
        let score = |report: u64| [1.0, -1.0, 0.0, 0.0][report as usize];
        present.iter().map(report).map(score).collect()
    }))
}

/// Each canary moves an answer of its own by one: the largest crowd that a release of many answers can face.
fn geometric(terms: &Terms) -> Result<Box<dyn Canaries>, AuditError> {
    let mechanism = GeometricMechanism::new(&l1(1)?, &terms.epsilon)?;
    Ok(crowd(geometric::CARD.name, mechanism.loss(), move |present, bits| {
        floats(mechanism.release_all(&answers(present), bits))
    }))
}

fn laplace(terms: &Terms) -> Result<Box<dyn Canaries>, AuditError> {
    let step = Rational::ratio(1, 4);
    let mechanism = LaplaceMechanism::new(&l1(1)?, 1, &terms.epsilon, &step)?;
    Ok(crowd(laplace::CARD.name, mechanism.loss(), move |present, bits| {
        let answers: Vec<Rational> = answers(present).into_iter().map(Rational::from).collect();
        let released = mechanism.release_all(&answers, bits);
        released.iter().map(|answer| in_steps(answer, &step) as f64).collect()
    }))
}

fn gaussian(terms: &Terms) -> Result<Box<dyn Canaries>, AuditError> {
    let mechanism = GaussianMechanism::new(&terms.epsilon, &Delta::parse(DELTA)?, &l2(20)?)?;
    Ok(crowd(gaussian::CARD.name, mechanism.loss(), move |present, bits| {
        let answers: Vec<i128> = answers(present).into_iter().map(|answer| 20 * answer).collect();
        floats(mechanism.release_all(&answers, bits))
    }))
}

fn discrete_gaussian(terms: &Terms) -> Result<Box<dyn Canaries>, AuditError> {
    let mechanism = DiscreteGaussianMechanism::for_rho(&terms.rho, &l2(1)?)?;
    Ok(crowd(discrete_gaussian::CARD.name, mechanism.loss(), move |present, bits| {
        floats(mechanism.release_all(&answers(present), bits))
    }))
}

/// Each canary is alone in its key.
fn counted(terms: &Terms) -> Result<Box<dyn Canaries>, AuditError> {
    let keys: Vec<usize> = (0..COUNT).collect();
    let mechanism =
        Histogram::new(keys, &ContributionBound::one_row(), Neighbours::AddRemove, &terms.pure())?;
    Ok(crowd(histogram::CARD.name, mechanism.loss(), move |present, bits| {
        let people = present.iter().enumerate().filter(|(_, present)| **present).map(|(key, _)| [key]);
        mechanism.release(people, bits).into_iter().map(|(_, count)| count as f64).collect()
    }))
}

/// Keys are just below the threshold without their canary.
fn keyed(terms: &Terms) -> Result<Box<dyn Canaries>, AuditError> {
    let mechanism =
        StabilityHistogram::new(&ContributionBound::one_row(), &terms.epsilon, &Delta::parse(DELTA)?)?;
    let others = mechanism.threshold() - 1;
    Ok(crowd(stability_histogram::CARD.name, mechanism.loss(), move |present, bits| {
        let counts: BTreeMap<usize, i128> =
            answers(present).into_iter().map(|answer| others + answer).enumerate().collect();
        let shown: BTreeMap<usize, i128> = mechanism.release_bounded(counts, bits).into_iter().collect();
        (0..COUNT).map(|key| shown.get(&key).map_or(HIDDEN, |count| *count as f64)).collect()
    }))
}
