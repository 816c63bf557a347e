//! Statistics of two values, and between which numbers they lie: covariance, correlation, the line of least squares.
//!
//! **Guarantee.** All moments are of the same rows with the same weights (`query/src/measure.rs`). With n rows, x and y from
//! the middles of their grids, and any μ and ν: Σ(x − μ)(y − ν) = C − μB − νA + μνn and Σ(x − μ)² = X − 2μA + μ²n are
//! linear in the measures. At the true means μ and ν the first over n is the covariance, the second over n the variance,
//! and the first over the second the slope: quotients of two linear forms, whose bars are exact (`fieller.rs`). The bar is
//! the hull of those over μ and ν in their own bars, at β/10 each, of the rest of β: by Bonferroni it holds with 1 − β,
//! however few rows there are. Both forms are flat around the means, so not knowing these costs little.
//! At the true slope b the intercept is (Σy − bΣx)/n, again a quotient: the hull over b in the slope's bar, β/2 each.
//! **Correlations** are no such quotient. Where there are more rows than 50 standard deviations of their noise and both
//! variances exceed three of their standard errors, the bar is that of the linear part of r around the estimate (the delta
//! method: an approximation, whose coverage `tests.rs` measures); else the quotient of the bars of the covariance and both
//! variances, at β/3 each, which holds always and may be all of [−1, 1].
//! **Estimates** are moved to what moments of real rows can be: variances between zero and a quarter of the squared range,
//! covariances no larger than the root of the variances' product; then to the nearest number that the bar allows.

use std::collections::BTreeMap;

use pointillist_mechanisms::number::noise_sum::{Noise, Sureness, quantile};
use pointillist_numbers::Rational;
use pointillist_plan::{PairMoments, PairStatistic};

use super::fieller::{Part, Quotient};
use super::shape_interval::{Bars, Ends, near};

/// Points of each mean's bar that are looked at, and of the slope's.
const POINTS: usize = 4;
/// So many standard deviations of noise are few rows.
const ROWS_SURE: f64 = 50.0;
/// So many standard errors are a variance that is there.
const VARIANCE_SURE: f64 = 3.0;

/// A statistic of two values.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PairAnswer {
    /// What it is, as far as the noise allows; `None` where it may be anything.
    pub(crate) estimate: Option<f64>,
    /// Between which numbers it lies.
    pub(crate) bar: Option<Ends>,
}

impl Bars<'_> {
    /// A statistic of two values and its bar, in a group whose released measures these are.
    pub(crate) fn pair(
        &self,
        of: &PairMoments,
        measured: &impl Fn(usize) -> i128,
        beta: &Rational,
    ) -> PairAnswer {
        let moments = Moments::new(self, of, measured);
        let estimate = moments.estimate(of.statistic);
        let bar = moments.bar(of.statistic, beta);
        let estimate = match (estimate, bar) {
            (Some(value), Some((low, high))) => Some(value.max(low).min(high)),
            (None, Some((low, high))) => Some(low + (high - low) / 2.0),
            (value, None) => value,
        };
        PairAnswer { estimate, bar }
    }
}

/// A sum of measures, each times a number.
#[derive(Clone, Debug, Default)]
struct Form(BTreeMap<usize, f64>);

impl Form {
    fn of(terms: &[(usize, f64)]) -> Self {
        Self::default().plus(terms)
    }

    fn plus(mut self, terms: &[(usize, f64)]) -> Self {
        terms.iter().for_each(|(measure, weight)| *self.0.entry(*measure).or_insert(0.0) += weight);
        self
    }
}

struct Moments<'a, F> {
    bars: &'a Bars<'a>,
    of: &'a PairMoments,
    measured: &'a F,
    /// The middles and the ranges of x and y.
    middle: (f64, f64),
    range: (f64, f64),
}

impl<'a, F: Fn(usize) -> i128> Moments<'a, F> {
    fn new(bars: &'a Bars<'a>, of: &'a PairMoments, measured: &'a F) -> Self {
        let grids = (&of.grid_x, &of.grid_y);
        let range = |grid: &pointillist_mechanisms::Grid| near(&(grid.upper() - grid.lower().clone()));
        Self {
            bars,
            of,
            measured,
            middle: (near(&grids.0.midpoint()), near(&grids.1.midpoint())),
            range: (range(grids.0), range(grids.1)),
        }
    }

    fn rows(&self) -> Form {
        Form::of(&[(self.of.rows, 1.0)])
    }

    /// Σx or Σy from the middle, and more for each row.
    fn total(&self, of_y: bool, each: f64) -> Form {
        let measure = if of_y { self.of.y } else { self.of.x };
        Form::of(&[(measure, self.bars.unit(measure)), (self.of.rows, each)])
    }

    /// Σ(x − μ)², or of y.
    fn squares(&self, of_y: bool, mean: f64) -> Option<Form> {
        let (measure, total, range) = match of_y {
            false => (self.of.squares_x?, self.of.x, self.range.0),
            true => (self.of.squares_y?, self.of.y, self.range.1),
        };
        // A released square is one from the middle less an eighth of the squared range.
        Some(Form::of(&[
            (measure, self.bars.unit(measure)),
            (total, -2.0 * mean * self.bars.unit(total)),
            (self.of.rows, range * range / 8.0 + mean * mean),
        ]))
    }

    /// Σ(x − μ)(y − ν).
    fn products(&self, mean_x: f64, mean_y: f64) -> Option<Form> {
        let measure = self.of.products?;
        Some(Form::of(&[
            (measure, self.bars.unit(measure)),
            (self.of.x, -mean_y * self.bars.unit(self.of.x)),
            (self.of.y, -mean_x * self.bars.unit(self.of.y)),
            (self.of.rows, mean_x * mean_y),
        ]))
    }

    fn value(&self, form: &Form) -> f64 {
        form.0.iter().map(|(measure, weight)| weight * (self.measured)(*measure) as f64).sum()
    }

    fn noises(&self, form: &Form) -> Vec<(f64, Noise)> {
        form.0.iter().map(|(measure, weight)| (*weight, self.bars.noise(*measure))).collect()
    }

    fn deviation(&self, form: &Form) -> f64 {
        let variance = |(weight, noise): (f64, Noise)| match noise {
            Noise::Gaussian(sigma) => (weight * sigma).powi(2),
            Noise::Laplace(scale) => 2.0 * (weight * scale).powi(2),
        };
        self.noises(form).into_iter().map(variance).sum::<f64>().sqrt()
    }

    fn quotient(&self, over: &Form, under: &Form, range: Ends, sure: &Sureness) -> Option<Ends> {
        let weight = |form: &Form, measure: usize| form.0.get(&measure).copied().unwrap_or(0.0);
        let mut measures: Vec<usize> = over.0.keys().chain(under.0.keys()).copied().collect();
        measures.sort_unstable();
        measures.dedup();
        let part = |measure: usize| Part {
            over: weight(over, measure),
            under: weight(under, measure),
            value: (self.measured)(measure) as f64,
            noise: self.bars.noise(measure),
        };
        let parts: Vec<Part> = measures.into_iter().map(part).collect();
        Quotient { constants: (0.0, 0.0), parts: &parts }.interval(range, sure)
    }

    /// The released means, from the middles, where there are rows.
    fn means(&self) -> Option<(f64, f64)> {
        let rows = (self.measured)(self.of.rows) as f64;
        let mean = |of_y: bool, range: f64| {
            (self.value(&self.total(of_y, 0.0)) / rows).clamp(-range / 2.0, range / 2.0)
        };
        (rows >= 1.0).then(|| (mean(false, self.range.0), mean(true, self.range.1)))
    }

    /// The released variances and the covariance, moved to what those of rows can be; one for what is not needed.
    fn spread(&self, (mean_x, mean_y): (f64, f64)) -> (f64, f64, f64) {
        let rows = (self.measured)(self.of.rows) as f64;
        let variance = |of_y: bool, mean: f64, range: f64| {
            let squares = self.squares(of_y, mean);
            squares.map(|form| (self.value(&form) / rows).clamp(0.0, range * range / 4.0))
        };
        let (x, y) = (variance(false, mean_x, self.range.0), variance(true, mean_y, self.range.1));
        let largest = (x.unwrap_or(self.range.0 * self.range.0 / 4.0)
            * y.unwrap_or(self.range.1 * self.range.1 / 4.0))
        .sqrt();
        let both = self.products(mean_x, mean_y).map_or(0.0, |form| self.value(&form) / rows);
        (x.unwrap_or(1.0), y.unwrap_or(1.0), both.clamp(-largest, largest))
    }

    fn estimate(&self, statistic: PairStatistic) -> Option<f64> {
        let means = self.means()?;
        let rows = (self.measured)(self.of.rows) as f64;
        let (x, y, both) = self.spread(means);
        let slope = (x > 0.0).then(|| both / x);
        let correlation = (x > 0.0 && y > 0.0).then(|| (both / (x * y).sqrt()).clamp(-1.0, 1.0));
        match statistic {
            PairStatistic::CovariancePop => Some(both),
            PairStatistic::CovarianceSamp => (rows >= 2.0).then(|| both * rows / (rows - 1.0)),
            PairStatistic::Correlation => correlation,
            PairStatistic::Determination => correlation.map(|r| r * r),
            PairStatistic::Slope => slope,
            PairStatistic::Intercept => {
                slope.map(|slope| self.middle.1 + means.1 - slope * (self.middle.0 + means.0))
            }
            PairStatistic::SumSquaresX => Some(x * rows),
            PairStatistic::SumSquaresY => Some(y * rows),
            PairStatistic::SumProducts => Some(both * rows),
        }
    }

    fn bar(&self, statistic: PairStatistic, beta: &Rational) -> Option<Ends> {
        match statistic {
            PairStatistic::CovariancePop => self.covariance(beta, false),
            PairStatistic::CovarianceSamp => self.covariance(beta, true),
            PairStatistic::Correlation => self.correlation(beta),
            PairStatistic::Determination => {
                let (low, high) = self.correlation(beta)?;
                let most = (low * low).max(high * high).min(1.0);
                let least = if low <= 0.0 && high >= 0.0 { 0.0 } else { (low * low).min(high * high) };
                Some((least.next_down().max(0.0), most.next_up()))
            }
            PairStatistic::Slope => self.slope(beta),
            PairStatistic::Intercept => self.intercept(beta),
            PairStatistic::SumSquaresX => self.sum_of_squares(false, beta),
            PairStatistic::SumSquaresY => self.sum_of_squares(true, beta),
            PairStatistic::SumProducts => {
                let rest = self.bars.sureness(&(beta * &Rational::ratio(8, 10)));
                self.hull(beta, |mean_x, mean_y| self.linear(&self.products(mean_x, mean_y)?, &rest))
            }
        }
    }

    fn linear(&self, form: &Form, sure: &Sureness) -> Option<Ends> {
        let (value, radius) = (self.value(form), quantile(&self.noises(form), sure));
        Some(((value - radius).next_down(), (value + radius).next_up()))
    }

    /// The bar of a mean, from the middle, at a tenth of β.
    fn mean(&self, of_y: bool, beta: &Rational) -> Ends {
        let few = self.bars.sureness(&(beta * &Rational::ratio(1, 10)));
        let half = (if of_y { self.range.1 } else { self.range.0 } / 2.0).next_up();
        self.quotient(&self.total(of_y, 0.0), &self.rows(), (-half, half), &few).unwrap_or((-half, half))
    }

    /// The hull of bars over both means in theirs.
    fn hull(&self, beta: &Rational, bar: impl Fn(f64, f64) -> Option<Ends>) -> Option<Ends> {
        let (x, y) = (self.mean(false, beta), self.mean(true, beta));
        let all = points(x).flat_map(|mean_x| points(y).map(move |mean_y| (mean_x, mean_y)));
        hull_of(all.map(|(mean_x, mean_y)| bar(mean_x, mean_y)))
    }

    fn covariance(&self, beta: &Rational, sample: bool) -> Option<Ends> {
        let rest = self.bars.sureness(&(beta * &Rational::ratio(if sample { 7 } else { 8 }, 10)));
        let most = (self.range.0 * self.range.1 / 4.0).next_up();
        let (low, high) = self.hull(beta, |mean_x, mean_y| {
            let products = self.products(mean_x, mean_y)?;
            self.quotient(&products, &self.rows(), (-most, most), &rest).or(Some((-most, most)))
        })?;
        if !sample {
            return Some((low, high));
        }
        // n/(n − 1) falls with n, and moves a number away from zero.
        let few = self.bars.sureness(&(beta * &Rational::ratio(1, 10)));
        let (fewest, most) = self.linear(&self.rows(), &few)?;
        let factor = |rows: f64| rows.max(2.0) / (rows.max(2.0) - 1.0);
        let scaled = |end: f64, outward: bool| end * factor(if outward { fewest } else { most });
        Some((scaled(low, low < 0.0).next_down(), scaled(high, high > 0.0).next_up()))
    }

    fn variance(&self, of_y: bool, beta: &Rational) -> Option<Ends> {
        let rest = self.bars.sureness(&(beta * &Rational::ratio(9, 10)));
        let range = if of_y { self.range.1 } else { self.range.0 };
        let most = (range * range / 4.0).next_up();
        let bar = |mean: f64| {
            let squares = self.squares(of_y, mean)?;
            self.quotient(&squares, &self.rows(), (0.0, most), &rest).or(Some((0.0, most)))
        };
        hull_of(points(self.mean(of_y, beta)).map(bar))
    }

    fn sum_of_squares(&self, of_y: bool, beta: &Rational) -> Option<Ends> {
        let rest = self.bars.sureness(&(beta * &Rational::ratio(9, 10)));
        let bar = |mean: f64| self.linear(&self.squares(of_y, mean)?, &rest);
        let (low, high) = hull_of(points(self.mean(of_y, beta)).map(bar))?;
        Some((low.max(0.0), high.max(0.0)))
    }

    fn slope(&self, beta: &Rational) -> Option<Ends> {
        let rest = self.bars.sureness(&(beta * &Rational::ratio(8, 10)));
        const ANYWHERE: Ends = (f64::NEG_INFINITY, f64::INFINITY);
        self.hull(beta, |mean_x, mean_y| {
            let (products, squares) = (self.products(mean_x, mean_y)?, self.squares(false, mean_x)?);
            self.quotient(&products, &squares, ANYWHERE, &rest)
        })
    }

    fn intercept(&self, beta: &Rational) -> Option<Ends> {
        let half = beta * &Rational::ratio(1, 2);
        let sure = self.bars.sureness(&half);
        let bar = |slope: f64| {
            let weight = -slope * self.bars.unit(self.of.x);
            let each = -slope * self.middle.0;
            let over = self.total(true, self.middle.1).plus(&[(self.of.x, weight), (self.of.rows, each)]);
            self.quotient(&over, &self.rows(), (f64::NEG_INFINITY, f64::INFINITY), &sure)
        };
        hull_of(points(self.slope(&half)?).map(bar))
    }

    fn correlation(&self, beta: &Rational) -> Option<Ends> {
        if let Some(bar) = self.linearized_correlation(beta) {
            return Some(bar);
        }
        let third = beta * &Rational::ratio(1, 3);
        let both = self.covariance(&third, false)?;
        let (x, y) = (self.variance(false, &third)?, self.variance(true, &third)?);
        let most = (x.1 * y.1).sqrt();
        let least = (x.0.max(0.0) * y.0.max(0.0)).sqrt();
        let over = |end: f64, by: f64| if by > 0.0 { end / by } else { end.signum() };
        // Away from zero a smaller divisor is further out, towards it a larger one.
        let low = over(both.0, if both.0 < 0.0 { least } else { most });
        let high = over(both.1, if both.1 > 0.0 { least } else { most });
        Some((low.next_down().clamp(-1.0, 1.0), high.next_up().clamp(-1.0, 1.0)))
    }

    /// r moves with every moment by its derivative; `None` where there are too few rows for that.
    fn linearized_correlation(&self, beta: &Rational) -> Option<Ends> {
        let rows = (self.measured)(self.of.rows) as f64;
        let means = self.means()?;
        let (x, y, both) = self.spread(means);
        let sure_of = |of_y: bool, variance: f64, mean: f64| {
            let form = self.squares(of_y, mean)?.plus(&[(self.of.rows, -variance)]);
            (variance > VARIANCE_SURE * self.deviation(&form) / rows).then_some(())
        };
        if rows <= ROWS_SURE * self.deviation(&self.rows()) {
            return None;
        }
        sure_of(false, x, means.0)?;
        sure_of(true, y, means.1)?;
        let r = both / (x * y).sqrt();
        // r = c/√(vw): dr = (dc − c·dv/2v − c·dw/2w)/√(vw), and each of dc, dv, dw is its form less its value times dn.
        let scaled = |form: Form, factor: f64| -> Vec<(usize, f64)> {
            form.0.into_iter().map(|(measure, weight)| (measure, weight * factor)).collect()
        };
        let root = rows * (x * y).sqrt();
        let products = self.products(means.0, means.1)?.plus(&[(self.of.rows, -both)]);
        let squares_x = self.squares(false, means.0)?.plus(&[(self.of.rows, -x)]);
        let squares_y = self.squares(true, means.1)?.plus(&[(self.of.rows, -y)]);
        let form = Form::of(&scaled(products, 1.0 / root))
            .plus(&scaled(squares_x, -both / (2.0 * x) / root))
            .plus(&scaled(squares_y, -both / (2.0 * y) / root));
        let radius = quantile(&self.noises(&form), &self.bars.sureness(beta)).next_up();
        Some(((r - radius).clamp(-1.0, 1.0), (r + radius).clamp(-1.0, 1.0)))
    }
}

/// Points of a bar, its ends among them.
fn points((low, high): Ends) -> impl Iterator<Item = f64> + Clone {
    (0..=POINTS).map(move |at| low + (high - low) * at as f64 / POINTS as f64)
}

/// The hull of bars, if all are bounded.
fn hull_of(bars: impl Iterator<Item = Option<Ends>>) -> Option<Ends> {
    let mut hull: Option<Ends> = None;
    for bar in bars {
        let (low, high) = bar?;
        hull = Some(hull.map_or((low, high), |(least, most)| (least.min(low), most.max(high))));
    }
    hull
}
