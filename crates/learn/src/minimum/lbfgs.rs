//! L-BFGS: the minimiser where d² numbers are too many.
//!
//! **Method.** The two-loop recursion with twelve pairs (Nocedal, Wright 2006, Algorithm 7.4).
//! The certificate is that of `minimum.rs`: the method proves nothing.

use std::collections::VecDeque;

use super::line_search::Search;
use super::{Minimum, Objective, PASSES_MAX, dot};
use crate::RowsError;

const PAIRS: usize = 12;

struct Pair {
    step: Vec<f64>,
    change: Vec<f64>,
    /// 1/(step·change).
    scale: f64,
}

pub fn minimum(objective: &Objective<'_>, tolerance: f64) -> Result<Minimum, RowsError> {
    let search = Search { objective, with_hessian: false, tolerance, passes_max: PASSES_MAX };
    let mut theta = vec![0.0; objective.linear.len()];
    let mut here = objective.evaluate(&theta, false)?;
    let mut best = Minimum::at(&theta, &here, 1);
    let mut pairs: VecDeque<Pair> = VecDeque::new();
    while best.gradient_norm_upper > tolerance && best.passes < PASSES_MAX {
        let direction = direction(&pairs, &here.gradient, objective.lambda);
        let (trial, there) = search.along(&theta, &here, &direction, &mut best)?;
        let step: Vec<f64> = trial.iter().zip(&theta).map(|(new, old)| new - old).collect();
        let change: Vec<f64> =
            there.gradient.iter().zip(&here.gradient).map(|(new, old)| new - old).collect();
        let along = dot(&step, &change);
        if along <= 0.0 {
            // Nothing moves any more: the digits are used up.
            break;
        }
        pairs.push_back(Pair { scale: along.recip(), step, change });
        if pairs.len() > PAIRS {
            pairs.pop_front();
        }
        (theta, here) = (trial, there);
    }
    Ok(best)
}

/// Minus the approximate inverse Hessian times the gradient.
fn direction(pairs: &VecDeque<Pair>, gradient: &[f64], lambda: f64) -> Vec<f64> {
    let mut direction: Vec<f64> = gradient.iter().map(|slope| -slope).collect();
    let mut shares = Vec::with_capacity(pairs.len());
    for pair in pairs.iter().rev() {
        let share = pair.scale * dot(&pair.step, &direction);
        direction.iter_mut().zip(&pair.change).for_each(|(slot, change)| *slot -= share * change);
        shares.push(share);
    }
    let scale = match pairs.back() {
        Some(pair) => (pair.scale * dot(&pair.change, &pair.change)).recip(),
        None => lambda.max(dot(gradient, gradient).sqrt()).recip(),
    };
    direction.iter_mut().for_each(|slot| *slot *= scale);
    for (pair, share) in pairs.iter().zip(shares.iter().rev()) {
        let other = pair.scale * dot(&pair.change, &direction);
        direction.iter_mut().zip(&pair.step).for_each(|(slot, step)| *slot += (share - other) * step);
    }
    direction
}
