//! A recipe at a price: what it loses is known, and nothing of data is.
//!
//! **Guarantee.** A [`Trainer`] loses what it says before it sees a row: its loss is that of the one trainer behind it (`recipe.rs`).
//! **Neighbours.** Add or remove everything of one person, who has at most `rows_per_person` rows.
//! **Proof.** The file of the trainer that is behind it.
//! **Tests.** `recipe/tests.rs`: every kind of model loses its price, and says what is so of made-up rows.

use pointillist_noise::SecureBits;
use pointillist_privacy::Loss;

use crate::model::{Fitted, Model};
use crate::recipe::{Recipe, STEPS};
use crate::tuned_trainer::{Trained, TunedTrainer};
use crate::{
    AdaSsp, Additive, CodeBlocks, EncodedRows, Encoding, GaussianObjective, GradientDescent, Gram, KMeans,
    LearnError, NaiveBayes, ObjectivePerturbation, OutputPerturbation,
};

/// A recipe at a price: what it loses is known, and nothing of data is.
pub struct Trainer {
    recipe: Recipe,
    encoding: Encoding,
    rows_per_person: u32,
    kind: Kind,
    loss: Loss,
}

pub(crate) enum Kind {
    Gaussian(Box<GaussianObjective>),
    Objective(Box<ObjectivePerturbation>),
    Output(Box<OutputPerturbation>),
    Descent(Box<GradientDescent>),
    AdaSsp(Box<AdaSsp>),
    NaiveBayes(Box<NaiveBayes>),
    Additive(Box<Additive>),
    KMeans(Box<KMeans>),
    Gram(Box<Gram>),
    Tuned(Box<TunedTrainer>),
}

impl Trainer {
    pub(crate) fn new(
        recipe: Recipe,
        encoding: Encoding,
        rows_per_person: u32,
        kind: Kind,
        loss: Loss,
    ) -> Self {
        Self { recipe, encoding, rows_per_person, kind, loss }
    }

    /// What is trained.
    pub fn recipe(&self) -> &Recipe {
        &self.recipe
    }

    /// How rows become features.
    pub fn encoding(&self) -> &Encoding {
        &self.encoding
    }

    /// What a fit loses.
    pub fn loss(&self) -> &Loss {
        &self.loss
    }

    /// How it is made private.
    pub fn mechanism(&self) -> &'static str {
        match &self.kind {
            Kind::Gaussian(_) => "Gaussian objective perturbation",
            Kind::Objective(_) => "objective perturbation",
            Kind::Output(_) => "output perturbation",
            Kind::Descent(_) => "gradient descent with Gaussian noise",
            Kind::AdaSsp(_) => "adaptive sufficient statistics",
            Kind::NaiveBayes(_) => "noisy sums of each class",
            Kind::Additive(_) => "boosting with Gaussian noise",
            Kind::KMeans(_) => "k-means with Gaussian noise",
            Kind::Gram(_) => "noisy products of features",
            Kind::Tuned(_) => "the best of several private runs",
        }
    }

    /// What to expect, in words: nothing in them comes from data.
    pub fn outlook(&self) -> Vec<String> {
        if let (Kind::Tuned(tuned), Some(tune)) = (&self.kind, &self.recipe.tune) {
            return tuned.outlook(tune);
        }
        let d = self.encoding.dimension() as f64;
        let mut words = vec![format!("{} features of {} columns", d, self.encoding.columns().len())];
        let pull = |rows: f64| {
            format!(
                "the noise pulls about as hard as {} rows that all agree: ten times as many rows or more leave little of it",
                rounded(rows)
            )
        };
        let radius = self.encoding.norm_bound();
        match &self.kind {
            Kind::Gaussian(trainer) => {
                words.push(format!("penalty lambda = {}", rounded(trainer.problem().lambda())));
                words.push(pull(trainer.sigma().to_f64_upper() * d.sqrt() / radius));
            }
            Kind::Objective(trainer) => {
                words.push(format!("penalty lambda = {}", rounded(trainer.problem().lambda())));
                words.push(pull(d / (trainer.noise_rate().to_f64_lower() * radius)));
            }
            Kind::Output(trainer) => {
                words.push(format!("penalty lambda = {}", rounded(trainer.problem().lambda())));
                let scale = trainer.noise_scale_upper().to_f64_upper();
                words.push(format!("noise of scale {} on every coefficient", rounded(scale)));
            }
            Kind::Descent(trainer) => {
                words.push(pull(
                    trainer.noise_variance().sqrt() * d.sqrt() / radius / f64::from(self.steps()).sqrt(),
                ));
            }
            Kind::Gram(trainer) => words.push(format!(
                "noise of {} on every sum of squares and products, of rows that are at most one long",
                rounded(trainer.noise_variance().sqrt())
            )),
            Kind::AdaSsp(_) | Kind::NaiveBayes(_) | Kind::Additive(_) | Kind::KMeans(_) | Kind::Tuned(_) => {}
        }
        words
    }

    fn steps(&self) -> u32 {
        self.recipe.steps.unwrap_or(STEPS)
    }

    /// Trains, and says which of several values was kept.
    ///
    /// # Errors
    /// When the rows went away.
    pub fn train<B: SecureBits + ?Sized>(
        &self,
        source: &dyn CodeBlocks,
        bits: &mut B,
    ) -> Result<Trained, LearnError> {
        match &self.kind {
            Kind::Tuned(tuned) => tuned.train(source, bits),
            _ => Ok(Trained { candidate: None, fitted: self.fit(source, bits)? }),
        }
    }

    /// The model that released numbers are; `None` where they are of a value that is not tried.
    pub fn model_of(&self, trained: Trained) -> Option<Model> {
        match (&self.kind, trained.candidate) {
            (Kind::Tuned(tuned), Some(candidate)) => Some(tuned.trainer(candidate)?.model(trained.fitted)),
            (Kind::Tuned(_), None) | (_, Some(_)) => None,
            (_, None) => Some(self.model(trained.fitted)),
        }
    }

    /// Trains.
    ///
    /// # Errors
    /// When the rows went away.
    pub fn fit<B: SecureBits + ?Sized>(
        &self,
        source: &dyn CodeBlocks,
        bits: &mut B,
    ) -> Result<Fitted, LearnError> {
        let rows = EncodedRows::new(source, &self.encoding, self.rows_per_person);
        Ok(match &self.kind {
            Kind::Gaussian(trainer) => Fitted::Margin(trainer.fit(&rows, bits)?),
            Kind::Objective(trainer) => Fitted::Margin(trainer.fit(&rows, bits)?),
            Kind::Output(trainer) => Fitted::Margin(trainer.fit(&rows, bits)?),
            Kind::Descent(trainer) => Fitted::Gradient(trainer.fit(&rows, bits)?),
            Kind::AdaSsp(trainer) => Fitted::Linear(trainer.fit(&rows, bits)?),
            Kind::NaiveBayes(trainer) => Fitted::NaiveBayes(trainer.fit(&rows, bits)?),
            Kind::Additive(trainer) => Fitted::Additive(trainer.fit(&rows, bits)?),
            Kind::KMeans(trainer) => Fitted::Clusters(trainer.fit(&rows, bits)?),
            Kind::Gram(trainer) => Fitted::Moments(trainer.fit(&rows, bits)?),
            Kind::Tuned(tuned) => tuned.train(source, bits)?.fitted,
        })
    }

    /// The model that released numbers are.
    pub fn model(&self, fitted: Fitted) -> Model {
        Model::new(self.recipe.clone(), self.encoding.clone(), fitted)
    }
}

/// Three digits.
fn rounded(value: f64) -> String {
    let digits = (2.0 - value.abs().max(1e-300).log10().floor()).clamp(0.0, 9.0) as usize;
    format!("{value:.digits$}")
}
