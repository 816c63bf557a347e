//! The grid of ratings, effects and residuals: whole steps of 2^-16 of a point, on a scale from 0 to 10 points.
//!
//! Sums are integers of steps, so that no order of adding changes them and noise is added exactly. The step is fine because
//! rounding is not free where neighbours differ in one rating (`covariance.rs`).

/// Bits behind the point.
pub(super) const GRID_BITS: u32 = 16;
/// Steps of one point.
pub(super) const POINT: i64 = 1 << GRID_BITS;
/// The middle and half the width of the scale, in steps.
pub(super) const MIDDLE: i64 = 5 * POINT;

/// A rating on the scale from 0 to 10, in whole steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Points(i32);

impl Points {
    /// So many steps; the ends of the scale for what lies beyond.
    pub fn from_steps(steps: i64) -> Self {
        Self(steps.clamp(0, 2 * MIDDLE) as i32)
    }

    /// So many points.
    pub fn from_f64(points: f64) -> Self {
        Self::from_steps((points * POINT as f64).round() as i64)
    }

    /// In steps.
    pub fn steps(self) -> i64 {
        self.0.into()
    }

    /// As a number.
    pub fn to_f64(self) -> f64 {
        f64::from(self.0) / POINT as f64
    }
}

/// A public number in whole steps, to the nearest.
pub(super) fn steps_of(points: f64) -> i64 {
    (points * POINT as f64).round() as i64
}
