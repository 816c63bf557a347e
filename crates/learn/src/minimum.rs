//! Minimisers of Σ l(y·x·θ) + (λ/2)‖θ‖² + b·θ, with a certificate.
//!
//! **Guarantee.** The gradient at [`Minimum::theta`], in exact arithmetic and for exactly the b that was given, is no longer
//! than [`Minimum::gradient_norm_upper`]. The objective is λ-strongly convex, so its one minimiser is within
//! `gradient_norm_upper/λ` of `theta` (`strong_convexity.rs`).
//! **Method.** Newton's method with a line search; the rows are gone through once for each point that is tried. The Hessian
//! XᵀWX + λI takes d² numbers; above [`NEWTON_DIMENSION_MAX`] features `minimum/lbfgs.rs` takes over, which takes 24·d.
//! **Floating point.** With u = 2^-53, γ_m = m·u/(1 − m·u), n rows of norm at most R in groups of m = 64, slopes in [−1, 0]
//! that change by at most c for each unit of margin (Higham 2002, section 3.1, for sums in any order):
//! * a margin is off by at most γ_(d+1)·R·‖θ‖, its slope by c times that and (8 + 4c)u for the evaluation
//!   (1 + e^−|z| is off by 3u relatively; 1 + h − z inside the bend by 3u(1 + h), which is divided by 2h = 1/c);
//! * a group's sum of slope·y·x is off by γ_(m+2)·Σ‖x‖ in norm, and sums over groups, compensated, by 3u·Σ‖x‖ and terms in u²
//!   (Higham 2002, section 4.3) that 4u·Σ‖x‖ covers up to 2^40 groups;
//! * adding λθ and b costs 4u(λ‖θ‖ + ‖b‖ + ‖∑‖), where b itself may have been rounded once to a float.
//!
//! All are added up and raised by a thousandth, which is far above the rounding of this bound itself.

use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::prelude::Solve as _;
use faer::{Accum, Mat, MatRef, Par, Side};

use self::line_search::Search;
use crate::{Block, MarginLoss, Rows, RowsError};

mod lbfgs;
mod line_search;

/// From here on the Hessian is not formed.
pub const NEWTON_DIMENSION_MAX: usize = 1500;
/// How often the rows are gone through at most. Ten times are usual with Newton's method, a hundred with the other.
const PASSES_MAX: u32 = 2000;
/// Rows that are added up before their sum is added to the compensated one.
pub(crate) const GROUP_ROWS: usize = 64;
pub(crate) const UNIT: f64 = f64::EPSILON / 2.0;

/// What is minimised.
#[derive(Clone, Copy)]
pub struct Objective<'a> {
    /// The rows that the loss is summed over.
    pub rows: &'a dyn Rows,
    /// The loss of a margin.
    pub loss: MarginLoss,
    /// The factor λ of ‖θ‖²/2. Positive.
    pub lambda: f64,
    /// The vector b, as long as a row.
    pub linear: &'a [f64],
}

/// A point near the minimiser.
#[derive(Clone, Debug)]
pub struct Minimum {
    /// The point.
    pub theta: Vec<f64>,
    /// The objective there.
    pub value: f64,
    /// The gradient there is no longer than this.
    pub gradient_norm_upper: f64,
    /// How often the rows were gone through.
    pub passes: u32,
}

/// The objective at a point.
struct Evaluation {
    value: f64,
    /// How far off the value may be, roughly: it steers the search and certifies nothing.
    value_error: f64,
    gradient: Vec<f64>,
    gradient_norm_upper: f64,
    /// Its lower triangle, when it was asked for.
    hessian: Option<Mat<f64>>,
}

/// A point whose gradient is at most `tolerance` long, or the best one found.
///
/// # Errors
/// When the rows went away.
pub fn minimum(objective: &Objective<'_>, tolerance: f64) -> Result<Minimum, RowsError> {
    if objective.linear.len() > NEWTON_DIMENSION_MAX {
        return lbfgs::minimum(objective, tolerance);
    }
    newton(objective, tolerance)
}

fn newton(objective: &Objective<'_>, tolerance: f64) -> Result<Minimum, RowsError> {
    let search = Search { objective, with_hessian: true, tolerance, passes_max: PASSES_MAX };
    let mut theta = vec![0.0; objective.linear.len()];
    let mut here = objective.evaluate(&theta, true)?;
    let mut best = Minimum::at(&theta, &here, 1);
    while best.gradient_norm_upper > tolerance && best.passes < PASSES_MAX {
        let direction = here.newton_direction(objective.lambda);
        (theta, here) = search.along(&theta, &here, &direction, &mut best)?;
    }
    Ok(best)
}

impl Minimum {
    fn at(theta: &[f64], evaluation: &Evaluation, passes: u32) -> Self {
        Self {
            theta: theta.to_vec(),
            value: evaluation.value,
            gradient_norm_upper: evaluation.gradient_norm_upper,
            passes,
        }
    }

    /// Keeps the point with the shorter gradient.
    fn improve(&mut self, theta: &[f64], evaluation: &Evaluation) {
        if evaluation.gradient_norm_upper < self.gradient_norm_upper {
            *self = Self::at(theta, evaluation, self.passes);
        }
    }
}

impl Objective<'_> {
    fn evaluate(&self, theta: &[f64], with_hessian: bool) -> Result<Evaluation, RowsError> {
        let d = theta.len();
        let mut hessian = with_hessian.then(|| Mat::<f64>::zeros(d, d));
        let mut gradient = CompensatedSums::new(d);
        let mut value = CompensatedSums::new(1);
        let mut rows = 0usize;
        let mut scaled = Vec::new();
        let mut part = vec![0.0; d];
        self.rows.for_each_block(&mut |block| {
            rows += block.len();
            scaled.clear();
            for (x, y) in block.x.chunks(GROUP_ROWS * d).zip(block.y.chunks(GROUP_ROWS)) {
                part.fill(0.0);
                let group = Block { x, y, dimension: d };
                let cost = self.add_group(&group, theta, &mut part, with_hessian.then_some(&mut scaled));
                value.add(&[cost]);
                gradient.add(&part);
            }
            if let Some(hessian) = &mut hessian
                && !block.is_empty()
            {
                let weighted = MatRef::from_row_major_slice(&scaled, block.len(), d);
                triangular::matmul(
                    hessian.as_mut(),
                    BlockStructure::TriangularLower,
                    Accum::Add,
                    weighted.transpose(),
                    BlockStructure::Rectangular,
                    weighted,
                    BlockStructure::Rectangular,
                    1.0,
                    Par::rayon(0),
                );
            }
        })?;
        let mut gradient = gradient.sums();
        let sum_norm = norm(&gradient);
        for ((slot, at), along) in gradient.iter_mut().zip(theta).zip(self.linear) {
            *slot += self.lambda * at + along;
        }
        let error = self.gradient_error(rows as f64, norm(theta), sum_norm);
        let linear_value = dot(theta, self.linear);
        let square_value = 0.5 * self.lambda * dot(theta, theta);
        let sum_value = value.sums()[0];
        Ok(Evaluation {
            value: sum_value + square_value + linear_value,
            value_error: 2.0
                * GROUP_ROWS as f64
                * UNIT
                * (sum_value.abs() + square_value + linear_value.abs()),
            gradient_norm_upper: norm(&gradient) * (1.0 + (d as f64 + 8.0) * UNIT) + error,
            gradient,
            hessian,
        })
    }

    /// Adds a group's slopes·y·x to `gradient`, appends √l''·x to `scaled`, and returns what the group costs.
    fn add_group(
        &self,
        group: &Block<'_>,
        theta: &[f64],
        gradient: &mut [f64],
        mut scaled: Option<&mut Vec<f64>>,
    ) -> f64 {
        let mut cost = 0.0;
        for (row, y) in group.y.iter().enumerate() {
            let x = group.row(row);
            // Whatever else a target may be, the proofs need a sign.
            let sign = if *y > 0.0 { 1.0 } else { -1.0 };
            let margin = sign * dot(x, theta);
            cost += self.loss.value(margin);
            let pull = sign * self.loss.slope(margin);
            gradient.iter_mut().zip(x).for_each(|(slot, x)| *slot += pull * x);
            if let Some(scaled) = &mut scaled {
                let weight = self.loss.curvature(margin).sqrt();
                scaled.extend(x.iter().map(|x| weight * x));
            }
        }
        cost
    }

    /// How far off a computed gradient is at most; see the top of the file.
    fn gradient_error(&self, rows: f64, theta_norm: f64, sum_norm: f64) -> f64 {
        let d = self.linear.len() as f64;
        let radius = self.rows.norm_bound();
        let curvature = self.loss.curvature_bound().to_f64_upper();
        let gamma = |count: f64| count * UNIT / (1.0 - count * UNIT);
        let evaluation = (8.0 + 4.0 * curvature) * UNIT;
        let slopes = rows * radius * (curvature * gamma(d + 1.0) * radius * theta_norm + evaluation);
        let sums = rows * radius * (gamma(GROUP_ROWS as f64 + 2.0) + 4.0 * UNIT);
        let rest = 4.0 * UNIT * (self.lambda * theta_norm + norm(self.linear) + sum_norm);
        1.001 * (slopes + sums + rest)
    }
}

impl Evaluation {
    fn newton_direction(&mut self, lambda: f64) -> Vec<f64> {
        let mut matrix = self.hessian.take().expect("Newton's method asks for the Hessian");
        let d = matrix.nrows();
        let mut added = lambda;
        let mut shift = lambda;
        loop {
            (0..d).for_each(|at| matrix[(at, at)] += added);
            if let Ok(factors) = matrix.llt(Side::Lower) {
                let right = Mat::from_fn(d, 1, |row, _| -self.gradient[row]);
                let solved = factors.solve(&right);
                return (0..d).map(|at| solved[(at, 0)]).collect();
            }
            // Rounding made a matrix with a tiny λ look indefinite. A larger shift is still a descent direction.
            added = shift.max(f64::EPSILON * matrix.norm_max());
            shift += added;
            // Rows that break their promise overflow the matrix, and no shift helps: the largest one points downhill.
            if !shift.is_finite() {
                return self.gradient.iter().map(|slope| -slope).collect();
            }
        }
    }
}

/// Sums of vectors whose error does not grow with their number (Neumaier).
struct CompensatedSums {
    sums: Vec<f64>,
    lost: Vec<f64>,
}

impl CompensatedSums {
    fn new(d: usize) -> Self {
        Self { sums: vec![0.0; d], lost: vec![0.0; d] }
    }

    fn add(&mut self, terms: &[f64]) {
        for ((sum, lost), term) in self.sums.iter_mut().zip(&mut self.lost).zip(terms) {
            let next = *sum + term;
            *lost += if sum.abs() >= term.abs() { (*sum - next) + term } else { (term - next) + *sum };
            *sum = next;
        }
    }

    fn sums(&self) -> Vec<f64> {
        self.sums.iter().zip(&self.lost).map(|(sum, lost)| sum + lost).collect()
    }
}

/// Eight running sums, so that the processor has something to do while it waits for each.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut lanes = [0.0; 8];
    let (a_chunks, b_chunks) = (a.chunks_exact(8), b.chunks_exact(8));
    let rest: f64 = a_chunks.remainder().iter().zip(b_chunks.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in a_chunks.zip(b_chunks) {
        for lane in 0..8 {
            lanes[lane] += a[lane] * b[lane];
        }
    }
    lanes.iter().sum::<f64>() + rest
}

fn norm(vector: &[f64]) -> f64 {
    dot(vector, vector).sqrt()
}

#[cfg(test)]
mod tests;
