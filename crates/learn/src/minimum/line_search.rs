//! A point along a direction that is lower and flatter: steps by doubling and halving until the weak Wolfe conditions hold.
//!
//! **Method.** Lewis, Overton (2013), "Nonsmooth optimization via quasi-Newton methods", Algorithm 2.6: it ends also where the
//! second derivative jumps, as that of a Huber hinge does. A search proves nothing: the certificate of `minimum.rs` does.

use super::{Evaluation, Minimum, Objective, dot};
use crate::RowsError;

/// The least decrease of the objective, as a share of what the slope promises.
const DECREASE: f64 = 1e-4;
/// How much of the slope may be left after a step.
const FLATTENING: f64 = 0.9;

pub(super) struct Search<'a> {
    pub objective: &'a Objective<'a>,
    pub with_hessian: bool,
    /// A gradient as short as this ends every search.
    pub tolerance: f64,
    pub passes_max: u32,
}

impl Search<'_> {
    /// The next point from `theta` along `direction`; every point on the way is offered to `best`.
    pub fn along(
        &self,
        theta: &[f64],
        here: &Evaluation,
        direction: &[f64],
        best: &mut Minimum,
    ) -> Result<(Vec<f64>, Evaluation), RowsError> {
        let slope = dot(&here.gradient, direction);
        let (mut low, mut high, mut length) = (0.0, f64::INFINITY, 1.0);
        loop {
            let trial: Vec<f64> =
                theta.iter().zip(direction).map(|(at, along)| at + length * along).collect();
            let there = self.objective.evaluate(&trial, self.with_hessian)?;
            best.passes += 1;
            best.improve(&trial, &there);
            let slack = here.value_error + there.value_error;
            let over = best.gradient_norm_upper <= self.tolerance || best.passes >= self.passes_max;
            if there.value > here.value + DECREASE * length * slope + slack {
                high = length;
            } else if dot(&there.gradient, direction) < FLATTENING * slope {
                low = length;
            } else {
                return Ok((trial, there));
            }
            if over || high - low <= 1e-14 * high {
                return Ok((trial, there));
            }
            length = if high.is_finite() { (low + high) / 2.0 } else { 2.0 * low };
        }
    }
}
