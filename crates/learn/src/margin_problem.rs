//! What is trained, as far as the public knows it: a loss, a penalty, and how much one person can weigh.
//!
//! **Guarantee.** For θ that minimises Σ l(y·x·θ) + (λ/2)‖θ‖² + b·θ, where the rows are as [`Rows`] promises and
//! ‖x‖ ≤ R, the k rows of one person have gradients that add up to Σ −t_j·y_j·x_j with t_j in [0, 1], at most
//! [`MarginProblem::gradient_bound`] = kR long, and Hessians G_j = l''·x·xᵀ of trace at most cR² each. The Hessian H of everybody
//! else is at least λI, so each G_j·H⁻¹ has one eigenvalue other than zero, at most [`MarginProblem::kappa_of_row`] = cR²/λ.
//! **Neighbours.** Add or remove everything of one person, who has at most `rows_per_person` rows.

use pointillist_numbers::Rational;

use crate::{LearnError, MarginLoss, Rows};

/// A linear classifier's training, without the data.
#[derive(Clone, Debug, PartialEq)]
pub struct MarginProblem {
    loss: MarginLoss,
    dimension: usize,
    norm_bound: f64,
    rows_per_person: u32,
    lambda: f64,
}

const DIMENSION_MAX: usize = 1 << 20;

impl MarginProblem {
    /// Training with this loss on rows of this many features, no longer than `norm_bound`, of which one person has at most
    /// `rows_per_person`, with the penalty (λ/2)‖θ‖² on the sum of losses.
    ///
    /// # Errors
    /// When a number is out of range.
    pub fn new(
        loss: MarginLoss,
        dimension: usize,
        norm_bound: f64,
        rows_per_person: u32,
        lambda: f64,
    ) -> Result<Self, LearnError> {
        if !(1..=DIMENSION_MAX).contains(&dimension) {
            return Err(LearnError::parameter("a model has between one and 2^20 features"));
        }
        if rows_per_person == 0 {
            return Err(LearnError::parameter("a person has at least one row"));
        }
        if !((-30f64).exp2()..=30f64.exp2()).contains(&norm_bound) {
            return Err(LearnError::parameter(
                "the norm bound of rows lies between 2^-30 and 2^30, such as 1",
            ));
        }
        if !((-60f64).exp2()..=120f64.exp2()).contains(&lambda) {
            return Err(LearnError::parameter("the penalty lambda lies between 2^-60 and 2^120, such as 10"));
        }
        Ok(Self { loss, dimension, norm_bound, rows_per_person, lambda })
    }

    /// The loss of a margin.
    pub fn loss(&self) -> MarginLoss {
        self.loss
    }

    /// How many features a row has.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// How long a row may be.
    pub fn norm_bound(&self) -> f64 {
        self.norm_bound
    }

    /// How many rows a person may have.
    pub fn rows_per_person(&self) -> u32 {
        self.rows_per_person
    }

    /// The penalty λ.
    pub fn lambda(&self) -> f64 {
        self.lambda
    }

    /// The same with another penalty.
    ///
    /// # Errors
    /// When it is out of range.
    pub fn with_lambda(&self, lambda: f64) -> Result<Self, LearnError> {
        Self::new(self.loss, self.dimension, self.norm_bound, self.rows_per_person, lambda)
    }

    /// kR: the gradients of one person add up to no more.
    pub fn gradient_bound(&self) -> Rational {
        self.radius() * Rational::from(self.rows_per_person)
    }

    /// cR²: the trace of one row's Hessian is no more.
    pub fn smoothness(&self) -> Rational {
        self.loss.curvature_bound() * self.radius().squared()
    }

    /// cR²/λ: how much one row can bend the objective, against the penalty.
    pub fn kappa_of_row(&self) -> Rational {
        self.smoothness() / self.exact_lambda()
    }

    pub(crate) fn radius(&self) -> Rational {
        Rational::from_f64(self.norm_bound).expect("a norm bound is finite")
    }

    pub(crate) fn exact_lambda(&self) -> Rational {
        Rational::from_f64(self.lambda).expect("a penalty is finite")
    }

    /// Whether these rows are those that the proof is about. Only what they declare is looked at.
    pub(crate) fn check(&self, rows: &dyn Rows) -> Result<(), LearnError> {
        if rows.dimension() != self.dimension {
            return Err(LearnError::parameter(format!(
                "the rows have {} features, the trainer was made for {}",
                rows.dimension(),
                self.dimension
            )));
        }
        // A bound that is no number is within nothing.
        let within = (0.0..=self.norm_bound).contains(&rows.norm_bound());
        if !within || rows.rows_per_person() > self.rows_per_person {
            return Err(LearnError::parameter(format!(
                "rows of norm up to {} with up to {} for each person weigh more than the trainer was made for: {} and {}",
                rows.norm_bound(),
                rows.rows_per_person(),
                self.norm_bound,
                self.rows_per_person
            )));
        }
        Ok(())
    }
}
