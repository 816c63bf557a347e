//! Sums that are released once: Gram matrices, least eigenvalues, naive Bayes.

use pointillist_learn::{AdaSsp, Feature, Gram, NaiveBayes, Number};

use super::worlds::{joining, listed, subject, trained};
use super::{RADIUS, Subjects, Terms};
use crate::{AuditError, Observation, Subject};

/// Releases a second: a matrix product and a few integers of noise.
const SPEED: usize = 10_000;

pub(super) fn subjects(terms: &Terms) -> Subjects {
    Ok(vec![
        gram(terms, Some(1.0), "Gram matrix")?,
        gram(terms, None, "Gram matrix (without a target)")?,
        adassp(terms)?,
        naive_bayes(terms, 2)?,
        naive_bayes(terms, 3)?,
    ])
}

fn gram(terms: &Terms, target: Option<f64>, name: &str) -> Result<Box<dyn Subject>, AuditError> {
    let trainer = Gram::new(2, RADIUS, 2, target, terms.rho.clone())?;
    let (name, claim) = (format!("learn: {name}"), trainer.loss());
    let trial = trained(name, claim, joining(2, 1.0, -1.0), move |world, bits| {
        Ok(listed(Observation::new(), "product", trainer.fit(&world.rows, bits)?.numbers()))
    });
    Ok(subject(trial, SPEED))
}

fn adassp(terms: &Terms) -> Result<Box<dyn Subject>, AuditError> {
    let trainer = AdaSsp::new(2, RADIUS, 2, terms.rho.clone())?;
    let claim = trainer.loss();
    let trial = trained("learn: AdaSSP", claim, joining(2, 1.0, -1.0), move |world, bits| {
        let release = trainer.fit(&world.rows, bits)?;
        let seen = world.seen("product with the target", &release.target_products);
        let seen = listed(seen, "product", &release.products);
        Ok(listed(seen, "least eigenvalue", &release.least_eigenvalue))
    });
    Ok(subject(trial, SPEED))
}

/// The class of a newcomer is the last one, where nobody else is; of two classes, its target is one.
fn naive_bayes(terms: &Terms, classes: usize) -> Result<Box<dyn Subject>, AuditError> {
    let numbers = vec![Number { column: 0, low: -1.0, high: RADIUS }];
    let categories = vec![Feature::Category { first: 0, count: 2 }];
    let trainer = NaiveBayes::new(numbers, categories, classes, 2, 2, terms.rho.clone())?;
    let (name, claim) = (format!("learn: naive Bayes ({classes} classes)"), trainer.loss());
    let trial = trained(name, claim, joining(2, (classes - 1) as f64, 0.0), move |world, bits| {
        Ok(listed(Observation::new(), "sum", &trainer.fit(&world.rows, bits)?.sums))
    });
    Ok(subject(trial, SPEED))
}
