//! What to expect before anybody is asked: the local model beside a trusted curator.
//!
//! **Local.** The error of a share is that of the method which [`auto`](fn@auto) chooses, for a value that
//! few people hold: `√(q(1−q)/h)/((p−q)√n)`, about `1/(ε√n)` for small ε.
//! **Central.** A curator adds discrete Laplace noise of scale Δ/ε to each count and divides by n, which has
//! standard deviation `√(2t)/((1−t)n)`, `t = e^{−ε/Δ}`, about `√2·Δ/(εn)`. Replacing one person's answer
//! moves a single count by at most one, so Δ = 1 for two values (the other count is n minus the first), and
//! two counts by one each, Δ = 2, for more.
//! **The gap is not the method's fault.** Let n people be drawn from a population in which a share 1/2 + α or
//! 1/2 − α says yes, and let each send one ε-differentially private report. Whatever the randomizers and
//! whatever is made of the reports, for `α = 1/(√8·(e^ε − 1)·√n)` one of the two populations is estimated
//! wrongly by α or more with probability at least 1/4.
//! **Proof.** A report y has probability `m(y) = Σ_x π(x)·R(y|x)` under population π. With
//! `r(y) = min_x R(y|x)`, the two populations' laws differ by at most
//! `TV·(max_x R(y|x) − r(y)) ≤ TV·(e^ε − 1)·r(y)`, TV = 2α, and both are at least r(y). So
//! `χ² = Σ_y (m₁ − m₂)²/m₂ ≤ TV²(e^ε − 1)²·Σ_y r(y) ≤ 4α²(e^ε − 1)²`, and Kullback-Leibler divergence is at
//! most χ². It adds up over n reports, also when each is asked for in view of the earlier ones, to at most
//! `4nα²(e^ε − 1)² = 1/2`. By Pinsker's inequality the laws of all reports are within 1/2 in total variation.
//! An estimate with error below α would tell the populations apart, and no test errs with probability below
//! (1 − 1/2)/2 on the worse of the two. (The idea is Duchi, Jordan, Wainwright 2013, arXiv:1302.3203; the
//! constant is ours.)
//! **Not covered.** The floor is about a population and so includes the error of sampling people, which is
//! what remains of it for large ε.

use pointillist_privacy::Epsilon;

use crate::estimate::normal_radius;
use crate::{LocalError, Method, Oracle, auto};

/// Figures for a question with so many values, asked of so many people.
#[derive(Clone, Debug)]
pub struct Outlook {
    /// How many people are asked.
    pub people: u64,
    /// The method that would be used.
    pub oracle: Oracle,
    /// The standard error of a share in the local model, for a value that few people hold.
    pub local_error: f64,
    /// The standard error of a share with a trusted curator.
    pub central_error: f64,
    /// Every local method errs by this or more in at least one of four surveys of some population.
    pub local_floor: f64,
    /// For how many people the local model is as accurate as a curator is for `people`.
    pub people_for_central_error: f64,
    /// All methods for this question, the most accurate first, with the root of the mean squared error of a
    /// share.
    pub methods: Vec<(Method, f64)>,
}

impl Outlook {
    /// How many times larger the local error is.
    pub fn ratio(&self) -> f64 {
        self.local_error / self.central_error
    }

    /// The radius of a normal 95 % interval in the local model.
    pub fn local_radius(&self) -> f64 {
        normal_radius(self.local_error * self.local_error)
    }

    /// The radius of a normal 95 % interval with a curator.
    pub fn central_radius(&self) -> f64 {
        normal_radius(self.central_error * self.central_error)
    }

    /// How many people must be asked for a local standard error of this size.
    pub fn people_for(&self, share_error: f64) -> f64 {
        self.people as f64 * (self.local_error / share_error).powi(2)
    }
}

/// What to expect of a question with so many values, asked of so many people at this price.
pub fn outlook(values: u64, epsilon: &Epsilon, people: u64) -> Result<Outlook, LocalError> {
    let people = people.max(1);
    let choice = auto(values, epsilon, people)?;
    let n = people as f64;
    let local_error = choice.oracle.rates().variance_count(people, 0.0).sqrt() / n;
    let central_error = central_error(values, epsilon, n);
    let loss = epsilon.to_f64_upper();
    Ok(Outlook {
        people,
        local_error,
        central_error,
        local_floor: 1.0 / (8f64.sqrt() * loss.exp_m1() * n.sqrt()),
        people_for_central_error: n * (local_error / central_error).powi(2),
        methods: choice.candidates.iter().map(|one| (one.method, one.share_error)).collect(),
        oracle: choice.oracle,
    })
}

/// The standard deviation of discrete Laplace noise on a count, over the number of people.
fn central_error(values: u64, epsilon: &Epsilon, people: f64) -> f64 {
    let sensitivity = if values == 2 { 1.0 } else { 2.0 };
    let rate = epsilon.to_f64_upper() / sensitivity;
    (2.0 * (-rate).exp()).sqrt() / (-(-rate).exp_m1()) / people
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(values: u64, epsilon: &str, people: u64) -> Outlook {
        outlook(values, &Epsilon::parse(epsilon).unwrap(), people).unwrap()
    }

    fn near(got: f64, want: f64) {
        assert!((got / want - 1.0).abs() < 1e-9, "{got} is not {want}");
    }

    /// The rates of the textbook: four times the people halve the local error and quarter the central one.
    #[test]
    fn local_errors_fall_as_a_root_and_central_ones_as_a_line() {
        for (values, epsilon) in [(2, "1"), (16, "0.5"), (1024, "2")] {
            let (few, many) = (at(values, epsilon, 10_000), at(values, epsilon, 40_000));
            near(few.local_error / many.local_error, 2.0);
            near(few.central_error / many.central_error, 4.0);
            near(many.ratio() / few.ratio(), 2.0);
            near(few.people_for(few.local_error / 2.0), 40_000.0);
        }
    }

    #[test]
    fn figures_are_those_of_the_formulas() {
        // Two values: √(e^ε)/(e^ε − 1)/√n, and √(2t)/((1 − t)n).
        let one = at(2, "1", 10_000);
        let e = std::f64::consts::E;
        near(one.local_error, e.sqrt() / (e - 1.0) / 100.0);
        near(one.central_error, (2.0 / e).sqrt() / (1.0 - 1.0 / e) / 10_000.0);
        near(one.people_for_central_error, 10_000.0 * one.ratio().powi(2));
        near(one.local_radius() / one.local_error, 1.959_963_984_540_054);
        near(one.central_radius() / one.central_error, 1.959_963_984_540_054);
        // For small ε: about 1/(ε√n) and √2/(εn).
        let small = at(2, "0.001", 10_000);
        assert!((small.local_error * 0.001 * 100.0 - 1.0).abs() < 1e-6);
        assert!((small.central_error * 0.001 * 10_000.0 / 2f64.sqrt() - 1.0).abs() < 1e-6);
    }

    #[test]
    fn no_method_beats_the_floor() {
        for epsilon in ["0.01", "0.1", "0.5", "1", "3"] {
            let one = at(2, epsilon, 1000);
            assert!(one.local_floor < one.local_error, "ε = {epsilon}");
            // √8·√(e^ε) is what lies between the floor and randomized response.
            near(
                one.local_error / one.local_floor,
                8f64.sqrt() * (epsilon.parse::<f64>().unwrap() / 2.0).exp(),
            );
        }
    }
}
