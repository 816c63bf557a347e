//! Error bars of the shapes that released numbers have: linear forms, quotients, variances.
//!
//! **Guarantee.** A bar holds the same function of the bounded rows' true measures with probability at least 1 − β, for
//! the noise of the plan. One term: the certified bound of its law, exact. Several terms: the quantile of their sum, in
//! floats (`mechanisms/src/number/noise_sum.rs`). Quotients: `fieller.rs`.
//! **Variances.** With n, X, S the true numbers of rows, totals of x − middle and totals of (x − middle)² − R²/8, R the
//! range, and any μ: W(μ) = S − 2μX + (R²/8 + μ²)·n is Σ(x − middle − μ)², so at the true mean μ the variance is the
//! quotient W(μ)/n of two linear forms. The bar is the hull, over all μ in the mean's own bar at β/10, of that
//! quotient's bar at the rest of β: by Bonferroni it holds with 1 − β. W is flat around the mean, so not knowing μ costs
//! little, and little of β is spent on it. A sample variance is n/(n − 1) times that, n from its own bar at another β/10.
//! **Coverage** is measured in the tests, with the exact samplers: 95 % within sampling error, not 99.

use std::cell::RefCell;
use std::rc::Rc;

use pointillist_mechanisms::Grid;
use pointillist_mechanisms::number::noise_sum::{Noise, Sureness, quantile};
use pointillist_numbers::Rational;
use pointillist_plan::{Draw, PrivatePlan, Release};
use pointillist_privacy::FailureProbability;

use super::fieller::{Part, Quotient};
use crate::confidence_interval::shape::{Linear, Shape};

/// The lower and the upper end of a bar.
pub(crate) type Ends = (f64, f64);

/// Points of the mean's bar at which a variance is looked at.
const MEANS: usize = 16;

/// The measures of a variance, by position, and the grid of its values.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VarianceParts<'a> {
    pub(crate) squares: usize,
    pub(crate) total: usize,
    pub(crate) rows: usize,
    pub(crate) grid: &'a Grid,
    pub(crate) sample: bool,
    pub(crate) root: bool,
}

/// The bars of a plan's numbers, with what is the same for every group computed once.
pub(crate) struct Bars<'a> {
    plan: &'a PrivatePlan,
    /// Nothing for quantiles, which are no sums.
    noises: Vec<Option<Noise>>,
    levels: RefCell<Vec<Rc<Level>>>,
}

/// A failure probability, its quantile, and every measure's own bound once it was asked for.
struct Level {
    beta: Rational,
    sure: Sureness,
    radii: RefCell<Vec<Option<i128>>>,
}

impl<'a> Bars<'a> {
    pub(crate) fn new(plan: &'a PrivatePlan) -> Self {
        let noise = |release: &Release| match &release.draw {
            Draw::Noise(noise) => Some(Noise::of(noise)),
            Draw::Choice(_) => None,
        };
        let noises = plan.releases.iter().map(noise).collect();
        Self { plan, noises, levels: RefCell::new(Vec::new()) }
    }

    fn level(&self, beta: &Rational) -> Rc<Level> {
        if let Some(known) = self.levels.borrow().iter().find(|level| level.beta == *beta) {
            return Rc::clone(known);
        }
        let sure = Sureness::new(beta);
        let radii = RefCell::new(vec![None; self.noises.len()]);
        let level = Rc::new(Level { beta: beta.clone(), sure, radii });
        self.levels.borrow_mut().push(Rc::clone(&level));
        level
    }

    pub(super) fn noise(&self, measure: usize) -> Noise {
        self.noises[measure].expect("bars are made of measures that have noise")
    }

    pub(super) fn unit(&self, measure: usize) -> f64 {
        near(&self.plan.aggregation.measures[measure].unit())
    }

    /// The quantile of a failure probability.
    pub(super) fn sureness(&self, beta: &Rational) -> Sureness {
        self.level(beta).sure
    }

    /// One measure's noise stays within this.
    fn radius(&self, measure: usize, level: &Level) -> i128 {
        let known = level.radii.borrow()[measure];
        known.unwrap_or_else(|| {
            let beta = FailureProbability::new(level.beta.clone()).expect("a part of β is a probability");
            let radius = self.plan.releases[measure].noise().error_bound(&beta);
            level.radii.borrow_mut()[measure] = Some(radius);
            radius
        })
    }

    /// The bar of a shape in a group whose released measures these are.
    pub(crate) fn shape(
        &self,
        shape: &Shape,
        measured: &impl Fn(usize) -> i128,
        beta: &Rational,
    ) -> Option<Ends> {
        let level = self.level(beta);
        match shape {
            Shape::Linear(linear) => Some(self.linear(linear, measured, &level)),
            Shape::Quotient { over, under, range } => {
                let parts = self.parts(over, under, measured);
                let constants = (near(&over.constant), near(&under.constant));
                Quotient { constants, parts: &parts }.interval(*range, &level.sure)
            }
        }
    }

    fn reach(&self, linear: &Linear, level: &Level) -> Rational {
        if let [(measure, coefficient)] = linear.terms.as_slice() {
            return Rational::from(self.radius(*measure, level)) * coefficient.abs();
        }
        let noises: Vec<(f64, Noise)> = linear
            .terms
            .iter()
            .map(|(measure, coefficient)| (near(coefficient), self.noise(*measure)))
            .collect();
        let radius = quantile(&noises, &level.sure).next_up();
        Rational::from_f64(radius).unwrap_or_else(|_| Rational::zero())
    }

    fn linear(&self, linear: &Linear, measured: &impl Fn(usize) -> i128, level: &Level) -> Ends {
        let (value, radius) = (linear.value(measured), self.reach(linear, level));
        ((&value - &radius).to_f64_lower(), (&value + &radius).to_f64_upper())
    }

    fn parts(&self, over: &Linear, under: &Linear, measured: &impl Fn(usize) -> i128) -> Vec<Part> {
        let coefficient = |linear: &Linear, measure: usize| {
            let found = linear.terms.iter().find(|(other, _)| *other == measure);
            found.map_or(0.0, |(_, coefficient)| near(coefficient))
        };
        let mut measures: Vec<usize> =
            over.terms.iter().chain(&under.terms).map(|(measure, _)| *measure).collect();
        measures.sort_unstable();
        measures.dedup();
        let part = |measure: usize| Part {
            over: coefficient(over, measure),
            under: coefficient(under, measure),
            value: measured(measure) as f64,
            noise: self.noise(measure),
        };
        measures.into_iter().map(part).collect()
    }

    /// The bar of a variance or a standard deviation.
    pub(crate) fn variance(
        &self,
        of: &VarianceParts<'_>,
        measured: &impl Fn(usize) -> i128,
        beta: &Rational,
    ) -> Ends {
        let tenth = beta * &Rational::ratio(1, 10);
        let rest = beta * &Rational::ratio(if of.sample { 8 } else { 9 }, 10);
        let (few, most) = (self.level(&tenth), self.level(&rest));
        let measures = &self.plan.aggregation.measures;
        let range = near(&(of.grid.upper() - of.grid.lower().clone()));
        let largest = (range * range / 4.0).next_up();
        let part = |measure: usize, over: f64, under: f64| Part {
            over,
            under,
            value: measured(measure) as f64,
            noise: self.noise(measure),
        };
        let (unit, square) = (near(&measures[of.total].unit()), near(&measures[of.squares].unit()));
        let mean = [part(of.total, unit, 0.0), part(of.rows, 0.0, 1.0)];
        let mean = Quotient { constants: (0.0, 0.0), parts: &mean };
        let half = (range / 2.0).next_up();
        let (first, last) = mean.interval((-half, half), &few.sure).unwrap_or((-half, half));
        let variance_at = |centre: f64| {
            let parts = [
                part(of.squares, square, 0.0),
                part(of.total, -2.0 * centre * unit, 0.0),
                part(of.rows, range * range / 8.0 + centre * centre, 1.0),
            ];
            let quotient = Quotient { constants: (0.0, 0.0), parts: &parts };
            quotient.interval((0.0, largest), &most.sure).unwrap_or((0.0, largest))
        };
        // W is least at the released mean, and largest at an end.
        let vertex = mean.ratio().unwrap_or(0.0).clamp(first, last);
        let points = (0..=MEANS).map(|at| first + (last - first) * at as f64 / MEANS as f64);
        let (mut low, mut high) = points
            .chain([vertex])
            .map(variance_at)
            .fold((f64::INFINITY, 0.0f64), |(low, high), (lower, upper)| (low.min(lower), high.max(upper)));
        if of.sample {
            // n/(n − 1) falls with n, and a sample variance has at least two rows.
            let (count, radius) = (measured(of.rows), self.radius(of.rows, &few));
            let factor = |count: i128| {
                let count = count.max(2) as f64;
                count / (count - 1.0)
            };
            low *= factor(count.saturating_add(radius));
            high *= factor(count.saturating_sub(radius));
        }
        if of.root {
            (low, high) = (low.max(0.0).sqrt(), high.sqrt());
        }
        (low.next_down().max(0.0), high.next_up())
    }
}

/// The float nearest below: coefficients of bars need no more.
pub(super) fn near(value: &Rational) -> f64 {
    value.to_f64_lower()
}
