//! Sums that are released again and again: descent, boosting, clusters. Few iterations, so that the noise of each tells.

use pointillist_learn::{
    Additive, AdditiveTarget, Boosting, Descent, Feature, GradientDescent, GradientLoss, KMeans, RowCount,
    StepSize,
};

use super::worlds::{joining, listed, subject, trained};
use super::{RADIUS, Subjects, Terms};
use crate::{AuditError, Observation, Subject};

/// Releases a second.
const SPEED: usize = 5000;

pub(super) fn subjects(terms: &Terms) -> Subjects {
    let counted = Descent { steps: 2, step_size: StepSize::Fixed(4.0), momentum: 0.0, ..Descent::default() };
    let declared = Descent { steps: 1, rows: RowCount::Declared(10), ..counted };
    Ok(vec![
        descent(terms, "logistic", GradientLoss::Logistic, counted, [1.0, -1.0])?,
        descent(terms, "softmax", GradientLoss::Softmax { classes: 3 }, counted, [2.0, 0.0])?,
        descent(terms, "squared", GradientLoss::Squared { clip: 0.7 }, declared, [1.0, -1.0])?,
        additive(terms, "classes", AdditiveTarget::Classes)?,
        additive(terms, "numbers", AdditiveTarget::Number)?,
        k_means(terms, 1, "one cluster")?,
        k_means(terms, 2, "two clusters")?,
    ])
}

fn descent(
    terms: &Terms,
    name: &str,
    loss: GradientLoss,
    descent: Descent,
    [own, other]: [f64; 2],
) -> Result<Box<dyn Subject>, AuditError> {
    let trainer = GradientDescent::new(loss, descent, 2, RADIUS, 2, terms.rho.clone())?;
    let (name, claim) = (format!("learn: gradient descent ({name})"), trainer.loss());
    let trial = trained(name, claim, joining(2, own, other), move |world, bits| {
        let model = trainer.fit(&world.rows, bits)?;
        Ok(world.seen("coefficient", &model.coefficients).with("rows", model.rows))
    });
    Ok(subject(trial, SPEED))
}

fn additive(terms: &Terms, name: &str, target: AdditiveTarget) -> Result<Box<dyn Subject>, AuditError> {
    let mut features = vec![Feature::equal(0, -RADIUS, RADIUS, 2)];
    if target == AdditiveTarget::Classes {
        features.push(Feature::Category { first: 0, count: 2 });
    }
    let boosting = Boosting { rounds: 1, rate: 1.0 };
    let trainer = Additive::new(target, features, boosting, 2, 2, terms.rho.clone())?;
    let (name, claim) = (format!("learn: additive model ({name})"), trainer.loss());
    let trial = trained(name, claim, joining(2, 1.0, -1.0), move |world, bits| {
        let model = trainer.fit(&world.rows, bits)?;
        Ok(listed(listed(Observation::new(), "score", &model.scores), "count", &model.counts))
    });
    Ok(subject(trial, SPEED))
}

/// As many iterations as clusters. A centre times its count is the sum as it was released, which tells more than both.
fn k_means(terms: &Terms, clusters: usize, name: &str) -> Result<Box<dyn Subject>, AuditError> {
    let bounds = vec![(-RADIUS, RADIUS); 2];
    let trainer = KMeans::new(clusters, clusters as u32, bounds, RADIUS, 2, terms.rho.clone())?;
    let (name, claim) = (format!("learn: k-means ({name})"), trainer.loss());
    let trial = trained(name, claim, joining(2, 0.0, 0.0), move |world, bits| {
        let model = trainer.fit(&world.rows, bits)?;
        let seen = listed(world.seen("coordinate", &model.centres), "count", &model.counts);
        let each = model.centres().into_iter().zip(model.counts.to_f64()).enumerate();
        Ok(each.fold(seen, |seen, (place, (centre, count))| {
            seen.with(format!("sum {}", place + 1), centre[0] * count)
        }))
    });
    Ok(subject(trial, SPEED))
}
