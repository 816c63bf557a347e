//! Every trainer as one kind of function, for tests that treat all alike.

use pointillist_learn::{
    AdaSsp, Additive, AdditiveTarget, ApproximateMinima, Boosting, Descent, Feature, GaussianObjective,
    GradientDescent, GradientLoss, Gram, GridNumbers, KMeans, LearnError, MarginLoss, MarginProblem,
    NaiveBayes, Number, ObjectivePerturbation, OutputPerturbation, Penalty, RowCount, Rows, StepSize,
    default_lambda, default_lambda_for_rho,
};
use pointillist_noise::SecureBits;
use pointillist_privacy::{Delta, Epsilon, Loss, Rho};

/// What is public about rows.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub dimension: usize,
    pub norm_bound: f64,
    pub rows_per_person: u32,
}

/// What may be lost.
#[derive(Clone, Debug)]
pub struct Price {
    pub epsilon: Epsilon,
    pub delta: Delta,
    pub rho: Rho,
}

/// All released integers of a fit.
pub type Released = Result<Vec<i64>, LearnError>;

/// Trains once.
pub type Fit = Box<dyn Fn(&dyn Rows, &mut dyn SecureBits) -> Released>;

/// A trainer that was made, or refused.
pub struct Trainer {
    pub name: &'static str,
    pub made: Result<(Loss, Fit), LearnError>,
}

impl Trainer {
    /// Whether its neighbours differ in one row, exchanged: then a person has one.
    pub fn is_of_single_rows(&self) -> bool {
        self.name.contains("replace one") || self.name.contains("approximate minima")
    }
}

macro_rules! trainer {
    ($name:literal, $made:expr, $released:expr) => {
        Trainer {
            name: $name,
            made: (|| {
                let trainer = $made?;
                let loss = trainer.loss();
                let fit: Fit = Box::new(move |rows, bits| Ok(joined(&$released(trainer.fit(rows, bits)?))));
                Ok((loss, fit))
            })(),
        }
    };
}

fn joined(parts: &[GridNumbers]) -> Vec<i64> {
    parts.iter().flat_map(|part| part.values.clone()).collect()
}

/// Every trainer for rows of this shape, at this price.
pub fn trainers(shape: Shape, price: &Price) -> Vec<Trainer> {
    let mut all = classifiers(shape, price);
    all.extend(sums(shape, price));
    all
}

fn classifiers(shape: Shape, Price { epsilon, delta, rho }: &Price) -> Vec<Trainer> {
    let Shape { dimension: d, norm_bound: radius, rows_per_person: k } = shape;
    let hinge = || MarginLoss::huber_hinge(0.25);
    let problem = |loss, lambda| MarginProblem::new(loss, d, radius, k, lambda);
    let logistic = MarginLoss::Logistic;
    vec![
        trainer!(
            "Gaussian objective, ρ",
            GaussianObjective::for_rho(
                problem(logistic, default_lambda_for_rho(logistic, d, radius, k, rho, None))?,
                rho
            ),
            |model: pointillist_learn::MarginModel| [model.coefficients]
        ),
        trainer!(
            "Gaussian objective, ε and δ",
            GaussianObjective::for_epsilon_delta(
                problem(hinge()?, default_lambda(hinge()?, d, radius, k, epsilon, delta, Some(9))?)?,
                epsilon,
                delta
            ),
            |model: pointillist_learn::MarginModel| [model.coefficients]
        ),
        trainer!(
            "output perturbation, ε",
            OutputPerturbation::new(problem(logistic, radius * radius)?, epsilon),
            |model: pointillist_learn::MarginModel| [model.coefficients]
        ),
        trainer!(
            "output perturbation, ρ",
            OutputPerturbation::for_rho(problem(hinge()?, 1.0)?, rho),
            |model: pointillist_learn::MarginModel| [model.coefficients]
        ),
        trainer!(
            "output perturbation, replace one",
            OutputPerturbation::replace_one(logistic, d, radius, 9, 0.1, epsilon),
            |model: pointillist_learn::MarginModel| [model.coefficients]
        ),
        trainer!(
            "objective perturbation, ε",
            ObjectivePerturbation::new(problem(hinge()?, 1e-6)?, epsilon),
            |model: pointillist_learn::MarginModel| [model.coefficients]
        ),
        trainer!(
            "objective perturbation, replace one",
            ObjectivePerturbation::replace_one(logistic, d, radius, 9, 0.1, epsilon),
            |model: pointillist_learn::MarginModel| [model.coefficients]
        ),
        trainer!(
            "approximate minima",
            ApproximateMinima::new(logistic, d, radius, 9, epsilon, delta),
            |model: pointillist_learn::MarginModel| [model.coefficients]
        ),
        trainer!(
            "approximate minima of very many rows",
            ApproximateMinima::new(logistic, d, radius, u64::MAX, epsilon, delta),
            |model: pointillist_learn::MarginModel| [model.coefficients]
        ),
    ]
}

fn sums(shape: Shape, Price { rho, .. }: &Price) -> Vec<Trainer> {
    let Shape { dimension: d, norm_bound: radius, rows_per_person: k } = shape;
    let descent = |loss, rows| {
        let descent = Descent { steps: 3, rows, ..Descent::default() };
        GradientDescent::new(loss, descent, d, radius, k, rho.clone())
    };
    let wild = Descent { steps: 2, step_size: StepSize::Fixed(1e300), penalty: 1e300, ..Descent::default() };
    let numbers = || vec![Number { column: 0, low: -radius, high: radius }];
    let features = || vec![Feature::equal(0, -1.0, 1.0, 3), Feature::Category { first: 0, count: d }];
    let coefficients = |model: pointillist_learn::GradientModel| [model.coefficients];
    vec![
        trainer!("descent, logistic", descent(GradientLoss::Logistic, RowCount::Estimated), coefficients),
        trainer!(
            "descent, softmax",
            descent(GradientLoss::Softmax { classes: 3 }, RowCount::Declared(0)),
            coefficients
        ),
        trainer!(
            "descent, squared",
            descent(GradientLoss::Squared { clip: 0.5 }, RowCount::Declared(u64::MAX)),
            coefficients
        ),
        trainer!(
            "descent, wild steps",
            GradientDescent::new(GradientLoss::Logistic, wild, d, radius, k, rho.clone()),
            coefficients
        ),
        trainer!(
            "AdaSSP",
            AdaSsp::new(d, radius, k, rho.clone()),
            |release: pointillist_learn::AdaSspRelease| {
                let finite = |model: pointillist_learn::LinearModel| {
                    assert!(model.coefficients.iter().all(|at| at.is_finite()), "{model:?}");
                };
                finite(release.adaptive());
                finite(release.regression(Penalty::Automatic));
                [release.products, release.target_products, release.least_eigenvalue]
            }
        ),
        trainer!(
            "Gram matrix",
            Gram::new(d, radius, k, Some(radius / 2.0), rho.clone()),
            |release: pointillist_learn::GramRelease| {
                let model = release.regression(Penalty::Automatic).unwrap();
                assert!(model.coefficients.iter().all(|at| at.is_finite()), "{model:?}");
                [release.numbers().clone()]
            }
        ),
        trainer!(
            "naive Bayes",
            NaiveBayes::new(numbers(), features(), 3, d, k, rho.clone()),
            |model: pointillist_learn::NaiveBayesModel| {
                let likely: f64 = model.probabilities(&vec![f64::NAN; 64]).iter().sum();
                assert!((likely - 1.0).abs() < 1e-9, "{likely}");
                [model.sums]
            }
        ),
        trainer!(
            "k-means",
            KMeans::new(3, 2, vec![(-radius, radius); d], radius, k, rho.clone()),
            |model: pointillist_learn::KMeansModel| [model.centres, model.counts]
        ),
        trainer!(
            "additive, classes",
            Additive::new(
                AdditiveTarget::Classes,
                features(),
                Boosting { rounds: 2, rate: 1.0 },
                d,
                k,
                rho.clone()
            ),
            |model: pointillist_learn::AdditiveModel| [model.scores, model.counts]
        ),
        trainer!(
            "additive, numbers",
            Additive::new(
                AdditiveTarget::Number,
                features(),
                Boosting { rounds: 2, rate: 0.5 },
                d,
                k,
                rho.clone()
            ),
            |model: pointillist_learn::AdditiveModel| [model.scores, model.counts]
        ),
    ]
}
