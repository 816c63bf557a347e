//! Losses of a margin: what a linear classifier pays for z = y·(x·θ).
//!
//! **Guarantee.** Both losses are convex and never rise with the margin; their slope lies in [−1, 0] and changes by at most
//! [`MarginLoss::curvature_bound`] for each unit of margin. So the gradient of a row of norm R is no longer than R, and it
//! points along −y·x whatever the model is: proofs of trainers use both.
//! **Source.** Chaudhuri, Monteleoni, Sarwate (2011), JMLR 12, sections 3.4.1 and 3.4.2, for the two losses and their c.

use pointillist_numbers::Rational;
use serde::{Deserialize, Serialize};

use crate::LearnError;

/// What a margin costs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum MarginLoss {
    /// ln(1 + e^−z): logistic regression.
    Logistic,
    /// The hinge of a support vector machine, rounded off where it bends.
    HuberHinge(HalfWidth),
}

/// Half the width of the bend of a Huber hinge: between 2^-20 and 2^20.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct HalfWidth(f64);

impl HalfWidth {
    /// This half width.
    ///
    /// # Errors
    /// When it is outside of its range.
    pub fn new(half_width: f64) -> Result<Self, LearnError> {
        let range = (-20f64).exp2()..=20f64.exp2();
        range.contains(&half_width).then_some(Self(half_width)).ok_or_else(|| {
            LearnError::parameter("the half width of a Huber hinge lies between 2^-20 and 2^20, such as 0.5")
        })
    }

    /// The number.
    pub fn value(self) -> f64 {
        self.0
    }
}

impl TryFrom<f64> for HalfWidth {
    type Error = LearnError;

    fn try_from(half_width: f64) -> Result<Self, LearnError> {
        Self::new(half_width)
    }
}

impl From<HalfWidth> for f64 {
    fn from(half_width: HalfWidth) -> Self {
        half_width.0
    }
}

impl MarginLoss {
    /// The Huber hinge of this half width.
    ///
    /// # Errors
    /// When the half width is outside of its range.
    pub fn huber_hinge(half_width: f64) -> Result<Self, LearnError> {
        HalfWidth::new(half_width).map(Self::HuberHinge)
    }

    /// The loss.
    pub fn value(self, margin: f64) -> f64 {
        match self {
            // The exponential is of a negative number: it never overflows, and small losses keep their digits.
            Self::Logistic => (-margin.abs()).exp().ln_1p() + (-margin).max(0.0),
            Self::HuberHinge(HalfWidth(h)) => {
                if margin > 1.0 + h {
                    0.0
                } else if margin < 1.0 - h {
                    1.0 - margin
                } else {
                    (1.0 + h - margin).powi(2) / (4.0 * h)
                }
            }
        }
    }

    /// The first derivative, in [−1, 0].
    pub fn slope(self, margin: f64) -> f64 {
        match self {
            Self::Logistic => {
                let small = (-margin.abs()).exp();
                let part = if margin > 0.0 { small } else { 1.0 };
                -part / (1.0 + small)
            }
            Self::HuberHinge(HalfWidth(h)) => -((1.0 + h - margin) / (2.0 * h)).clamp(0.0, 1.0),
        }
    }

    /// The second derivative, where there is one.
    pub fn curvature(self, margin: f64) -> f64 {
        match self {
            Self::Logistic => {
                let small = (-margin.abs()).exp();
                small / (1.0 + small).powi(2)
            }
            Self::HuberHinge(HalfWidth(h)) => {
                if (margin - 1.0).abs() <= h {
                    0.5 / h
                } else {
                    0.0
                }
            }
        }
    }

    /// No second derivative is above this: the c of Chaudhuri, Monteleoni and Sarwate, exactly.
    pub fn curvature_bound(self) -> Rational {
        match self {
            Self::Logistic => Rational::ratio(1, 4),
            Self::HuberHinge(HalfWidth(h)) => {
                let h = Rational::from_f64(h).expect("a half width is finite");
                (&h + &h).reciprocal().expect("a half width is positive")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn losses() -> [MarginLoss; 3] {
        [MarginLoss::Logistic, MarginLoss::huber_hinge(0.5).unwrap(), MarginLoss::huber_hinge(0.1).unwrap()]
    }

    /// Specification: slope and curvature are the derivatives (central differences), and lie within their bounds; the curvature
    /// bound is reached.
    #[test]
    fn derivatives_are_derivatives_and_stay_within_bounds() {
        for loss in losses() {
            let bound = loss.curvature_bound().to_f64_nearest();
            let mut largest = 0.0f64;
            for at in -4000..4000 {
                let (z, step) = (f64::from(at) * 0.005 + 0.0013, 1e-6);
                let slope = (loss.value(z + step) - loss.value(z - step)) / (2.0 * step);
                assert!((slope - loss.slope(z)).abs() < 1e-4, "{loss:?} at {z}");
                let curvature = (loss.slope(z + step) - loss.slope(z - step)) / (2.0 * step);
                assert!((curvature - loss.curvature(z)).abs() < 1e-4 * bound, "{loss:?} at {z}");
                assert!((-1.0..=0.0).contains(&loss.slope(z)));
                assert!((0.0..=bound).contains(&loss.curvature(z)));
                largest = largest.max(loss.curvature(z));
            }
            assert!(largest > 0.999 * bound);
        }
    }

    #[test]
    fn far_margins_are_finite() {
        for loss in losses() {
            for z in [-1e300, -800.0, 800.0, 1e300] {
                assert!(loss.value(z).is_finite() && loss.slope(z).is_finite(), "{loss:?} at {z}");
                assert_eq!(loss.curvature(z), 0.0, "{loss:?} at {z}");
            }
        }
        assert!(MarginLoss::Logistic.value(40.0) > 4e-18, "small losses keep their digits");
    }

    #[test]
    fn a_bend_without_width_is_refused() {
        for half_width in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-9] {
            assert!(MarginLoss::huber_hinge(half_width).is_err());
            assert!(serde_json::from_str::<HalfWidth>(&half_width.to_string()).is_err());
        }
    }
}
