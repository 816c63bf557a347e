//! Decoding by least squares, for thousands of people.
//!
//! **Model.** Answers are Q·x and errors of deviation σ; a priori every bit is a fair coin, of mean 1/2 and
//! variance 1/4. The best linear estimate is 1/2 + z, where z minimises ‖a − Q·1/2 − Q·z‖² + 4σ²·‖z‖²: least
//! squares with a pull of 4σ² towards one half. Where σ is not known, or zero, there is no pull.
//! **Error.** QᵀQ is close to (m/4)·(I + J), with J all ones, for random subsets; so each coordinate of the
//! estimate is off by about 2σ/√(m − n). At m = 4n and errors uniform up to E = √n/4 that is 1/6, and one
//! half is three deviations away: one bit in seven hundred is lost.
//! **Method.** Conjugate gradients on the normal equations (the form that keeps residuals of the answers).
//! With m = 4n the spectrum of QᵀQ has ratio 9 apart from one large eigenvalue, so every step halves the
//! error.

use super::Queries;

/// Steps before the search stops; with four questions a person thirty are enough, and with as many questions
/// as people stopping early is a good answer too.
const STEPS_MAX: usize = 300;
/// The gradient has become this much smaller than it was: far below what rounding to bits can notice.
const GRADIENT_RATIO: f64 = 1e-8;

/// The estimates, not yet cut to [0, 1], and the root of the mean square of the answers' errors.
pub(super) fn decode(queries: &Queries, answers: &[f64], error_deviation: f64) -> (Vec<f64>, f64) {
    let by_person = queries.transposed();
    let people = queries.people();
    let pull = 4.0 * error_deviation * error_deviation;
    let halves = queries.times(&vec![0.5; people]);
    let mut residual: Vec<f64> = answers.iter().zip(halves).map(|(answer, half)| answer - half).collect();
    let mut offset = vec![0.0; people];
    let mut gradient = by_person.times(&residual);
    let mut direction = gradient.clone();
    let mut gradient_squared = dot(&gradient, &gradient);
    let enough = gradient_squared * GRADIENT_RATIO * GRADIENT_RATIO;
    for _ in 0..STEPS_MAX {
        if gradient_squared <= enough {
            break;
        }
        let image = queries.times(&direction);
        let curvature = dot(&image, &image) + pull * dot(&direction, &direction);
        if curvature <= 0.0 {
            break;
        }
        let step = gradient_squared / curvature;
        add(&mut offset, step, &direction);
        add(&mut residual, -step, &image);
        gradient = by_person.times(&residual);
        add(&mut gradient, -pull, &offset);
        let next = dot(&gradient, &gradient);
        let turn = next / gradient_squared;
        direction.iter_mut().zip(&gradient).for_each(|(old, new)| *old = new + turn * *old);
        gradient_squared = next;
    }
    let mean_square = dot(&residual, &residual) / residual.len() as f64;
    (offset.into_iter().map(|offset| 0.5 + offset).collect(), mean_square.sqrt())
}

fn dot(left: &[f64], right: &[f64]) -> f64 {
    left.iter().zip(right).map(|(left, right)| left * right).sum()
}

fn add(target: &mut [f64], factor: f64, other: &[f64]) {
    target.iter_mut().zip(other).for_each(|(target, other)| *target += factor * other);
}
