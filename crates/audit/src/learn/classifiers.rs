//! Minimisers of a loss of margins, with noise in the objective or on the output.

use pointillist_learn::{
    ApproximateMinima, GaussianObjective, LearnError, MarginLoss, MarginModel, MarginProblem,
    ObjectivePerturbation, OutputPerturbation, default_lambda, default_lambda_for_rho,
};
use pointillist_noise::SecureBits;
use pointillist_privacy::Loss;

use super::worlds::{Pair, ROWS_PUBLIC, World, exchanging, joining, subject, trained};
use super::{RADIUS, Subjects, Terms};
use crate::{AuditError, Subject};

/// Releases a second that take a minimiser each.
const SPEED: usize = 4000;

pub(super) fn subjects(terms: &Terms) -> Subjects {
    let mut all = gaussian_objectives(terms)?;
    all.extend(outputs(terms)?);
    all.extend(objectives(terms)?);
    all.push(approximate_minima(terms)?);
    Ok(all)
}

fn classifier(
    name: &str,
    claim: Loss,
    pairs: Vec<Pair>,
    fit: impl Fn(&World, &mut dyn SecureBits) -> Result<MarginModel, LearnError> + Send + 'static,
) -> Box<dyn Subject> {
    let seen = move |world: &World, bits: &mut dyn SecureBits| {
        Ok(world.seen("coefficient", &fit(world, bits)?.coefficients))
    };
    subject(trained(format!("learn: {name}"), claim, pairs, seen), SPEED)
}

fn hinge() -> Result<MarginLoss, AuditError> {
    Ok(MarginLoss::huber_hinge(0.5)?)
}

fn gaussian_objectives(terms: &Terms) -> Subjects {
    let mut all = Vec::new();
    for (name, loss, rows_per_person) in [
        ("Gaussian objective (logistic, one row)", MarginLoss::Logistic, 1),
        ("Gaussian objective (Huber hinge, two rows)", hinge()?, 2),
    ] {
        let lambda = default_lambda_for_rho(loss, 2, RADIUS, rows_per_person, &terms.rho, Some(20));
        let problem = MarginProblem::new(loss, 2, RADIUS, rows_per_person, lambda)?;
        let trainer = GaussianObjective::for_rho(problem, &terms.rho)?;
        all.push(classifier(
            name,
            trainer.loss(),
            joining(rows_per_person, 1.0, -1.0),
            move |world, bits| trainer.fit(&world.rows, bits),
        ));
    }
    let lambda = default_lambda(MarginLoss::Logistic, 2, RADIUS, 1, &terms.epsilon, &terms.delta, Some(20))?;
    let problem = MarginProblem::new(MarginLoss::Logistic, 2, RADIUS, 1, lambda)?;
    let trainer = GaussianObjective::for_epsilon_delta(problem, &terms.epsilon, &terms.delta)?;
    let (name, claim) = ("Gaussian objective (logistic, ε and δ)", trainer.loss());
    all.push(classifier(name, claim, joining(1, 1.0, -1.0), move |world, bits| {
        trainer.fit(&world.rows, bits)
    }));
    Ok(all)
}

fn outputs(terms: &Terms) -> Subjects {
    let problem = MarginProblem::new(hinge()?, 2, RADIUS, 2, 20.0)?;
    let replacing =
        OutputPerturbation::replace_one(MarginLoss::Logistic, 2, RADIUS, ROWS_PUBLIC, 0.5, &terms.epsilon)?;
    let subjects = [
        (
            "output perturbation (ε)",
            OutputPerturbation::new(problem.clone(), &terms.epsilon)?,
            joining(2, 1.0, -1.0),
        ),
        ("output perturbation (ρ)", OutputPerturbation::for_rho(problem, &terms.rho)?, joining(2, 1.0, -1.0)),
        ("output perturbation (replace one)", replacing, exchanging()),
    ];
    let audited = |(name, trainer, pairs): (&str, OutputPerturbation, Vec<Pair>)| {
        classifier(name, trainer.loss(), pairs, move |world, bits| trainer.fit(&world.rows, bits))
    };
    Ok(subjects.into_iter().map(audited).collect())
}

fn objectives(terms: &Terms) -> Subjects {
    let problem = |loss, rows, lambda| MarginProblem::new(loss, 2, RADIUS, rows, lambda);
    let hinge = hinge()?;
    let subjects = [
        (
            "objective perturbation (logistic)",
            ObjectivePerturbation::new(problem(MarginLoss::Logistic, 1, 6.0)?, &terms.epsilon)?,
            joining(1, 1.0, -1.0),
        ),
        (
            "objective perturbation (Huber hinge, two rows)",
            ObjectivePerturbation::new(problem(hinge, 2, 25.0)?, &terms.epsilon)?,
            joining(2, 1.0, -1.0),
        ),
        (
            "objective perturbation (replace one)",
            ObjectivePerturbation::replace_one(hinge, 2, RADIUS, ROWS_PUBLIC, 2.0, &terms.epsilon)?,
            exchanging(),
        ),
    ];
    let audited = |(name, trainer, pairs): (&str, ObjectivePerturbation, Vec<Pair>)| {
        classifier(name, trainer.loss(), pairs, move |world, bits| trainer.fit(&world.rows, bits))
    };
    Ok(subjects.into_iter().map(audited).collect())
}

fn approximate_minima(terms: &Terms) -> Result<Box<dyn Subject>, AuditError> {
    let trainer = ApproximateMinima::new(hinge()?, 2, RADIUS, ROWS_PUBLIC, &terms.epsilon, &terms.delta)?;
    let (name, claim) = ("approximate minima", trainer.loss());
    Ok(classifier(name, claim, exchanging(), move |world, bits| trainer.fit(&world.rows, bits)))
}
