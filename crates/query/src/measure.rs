//! What is added up for an aggregate: its measures, each on a public grid.
//!
//! How far one person moves a measure is a theorem of the plan (`plan/src/sensitivity.rs`), for the grid and the form that
//! are chosen here.
//! **One weight a row.** The counts, totals and squares of means and variances count the same rows with the same weight
//! min(1, m/c): min(c, m) is what the weights of c rows add up to. So a mean is one of weighted rows, and people with
//! mixed rows stay where they are.
//! **Exactness.** Integers and rationals; a person's bounds stay below 2^80, so that 2^47 people fit 128 bits.

use pointillist_catalog::{Column, ColumnType};
use pointillist_mechanisms::ContributionBound;
use pointillist_mechanisms::Grid;
use pointillist_mechanisms::aggregate::thinning::refinement_bits;
use pointillist_numbers::{IBig, Rational};
use pointillist_plan::{Excess, Form, Formula, Measure, Quantity, Scalar, Type, Units, text, visit};

use crate::aggregate::{Asked, What};
use crate::bounds;
use crate::refusal::Refusal;

/// The largest magnitude of one row's integer.
const ROW_MAX: i128 = 1 << 62;
/// The largest magnitude of one person's total.
const PERSON_MAX: i128 = 1 << 80;
/// Grids for squares have fewer steps than this.
const SQUARES_MAX: i64 = 1 << 31;

/// The measures of a question, each once, however many aggregates use it.
pub(crate) struct Measures {
    pub(crate) measures: Vec<Measure>,
    rows_max: u64,
    each_row: bool,
}

impl Measures {
    /// For people of so many rows; `each_row` where every row is another person, and nobody can be cut.
    pub(crate) fn new(bound: &ContributionBound, each_row: bool) -> Self {
        Self { measures: Vec::new(), rows_max: bound.rows_max(), each_row }
    }

    fn add(&mut self, measure: Measure) -> usize {
        let known = self.measures.iter().position(|other| *other == measure);
        known.unwrap_or_else(|| {
            self.measures.push(measure);
            self.measures.len() - 1
        })
    }

    /// What an aggregate is made of; `all` are the aggregates of the question.
    pub(crate) fn formula(
        &mut self,
        asked: &Asked,
        all: &[Asked],
        columns: &[Column],
    ) -> Result<Formula, Refusal> {
        let counted = asked.filter.clone();
        let rows = |quantity| Measure { counted: counted.clone(), quantity };
        Ok(match &asked.what {
            What::Rows => Formula::Sum { measure: self.add(rows(Quantity::Rows)), unit: Rational::one() },
            What::People => Formula::Sum { measure: self.add(rows(Quantity::People)), unit: Rational::one() },
            What::Values(value) => {
                Formula::Sum { measure: self.rows_with(value, counted, columns), unit: Rational::one() }
            }
            What::Sum(value, kind) if self.each_row && counts_the_rows(value, asked, all, columns) => {
                let grid = grid(asked, value, *kind, columns, i64::MAX)?;
                let (total, rows) = self.centred(value, counted, &grid, columns);
                Formula::CentredSum { total, rows, grid }
            }
            What::Sum(value, kind) => {
                let grid = grid(asked, value, *kind, columns, i64::MAX)?;
                let (offset, factor, unit) = units_from_zero(&grid).ok_or_else(|| too_fine(asked))?;
                let units = Units { grid, form: Form::Linear { offset, factor } };
                let measure = self.add(total(value, counted, units, Excess::Clamp));
                Formula::Sum { measure, unit }
            }
            What::Average(value, kind) => {
                let grid = grid(asked, value, *kind, columns, i64::MAX)?;
                let (total, rows) = self.centred(value, counted, &grid, columns);
                Formula::Mean { total, rows, grid }
            }
            What::Variance { value, kind, sample, root } => {
                let grid = grid(asked, value, *kind, columns, SQUARES_MAX)?;
                let units = Units { grid: grid.clone(), form: Form::CentredSquare };
                let squares = self.thinned(value, counted.clone(), units);
                let (total, rows) = self.centred(value, counted, &grid, columns);
                Formula::Variance { squares, total, rows, grid, sample: *sample, root: *root }
            }
        })
    }

    /// A total in half steps from the middle, and the rows that have a value.
    fn centred(
        &mut self,
        value: &Scalar,
        counted: Option<Scalar>,
        grid: &Grid,
        columns: &[Column],
    ) -> (usize, usize) {
        let form = Form::Linear { offset: -grid.last_index(), factor: 2 };
        let units = Units { grid: grid.clone(), form };
        let total = self.thinned(value, counted.clone(), units);
        (total, self.rows_with(value, counted, columns))
    }

    fn thinned(&mut self, value: &Scalar, counted: Option<Scalar>, units: Units) -> usize {
        let (low, high) = units.form.extremes(&units.grid);
        let refinement = refinement_bits(low.unsigned_abs().max(high.unsigned_abs()), self.rows_max);
        self.add(total(value, counted, units, Excess::Thin { refinement }))
    }

    fn rows_with(&mut self, value: &Scalar, counted: Option<Scalar>, columns: &[Column]) -> usize {
        let present = match bounds::never_null(value, columns) {
            true => None,
            false => Some(Scalar::Not(Box::new(Scalar::IsNull(Box::new(value.clone()))))),
        };
        self.add(Measure { counted: visit::both(counted, present), quantity: Quantity::Rows })
    }

    /// Refuses measures of which a person's part could outgrow the sums.
    pub(crate) fn check(&self, bound: &ContributionBound) -> Result<(), Refusal> {
        let fits = |measure: &Measure| {
            let (low, high) = measure.person_bounds(bound);
            high <= PERSON_MAX && low >= -PERSON_MAX
        };
        if self.measures.iter().all(fits) {
            return Ok(());
        }
        Err(Refusal::parameter(
            "one person could add more than 2^80 steps to a sum",
            "choose a longer step for the column, narrower bounds, or a smaller max_contributions",
        ))
    }
}

/// Whether the rows of a sum are counted anyway, for another aggregate. Where nobody can be cut, the sum is then middle·n
/// plus the total that a mean would use, and costs nothing beside a mean. In any case it costs less noise: with a half of
/// the range, m its middle, the noise of both parts has variance a² + m² where a sum from zero has (a + |m|)².
fn counts_the_rows(value: &Scalar, sum: &Asked, all: &[Asked], columns: &[Column]) -> bool {
    all.iter().filter(|other| other.filter == sum.filter).any(|other| match &other.what {
        What::Average(mean, _) => mean == value,
        What::Variance { value: spread, .. } => spread == value,
        What::Values(present) => present == value,
        What::Rows => bounds::never_null(value, columns),
        What::People | What::Sum(..) => false,
    })
}

fn total(value: &Scalar, counted: Option<Scalar>, units: Units, excess: Excess) -> Measure {
    Measure { counted, quantity: Quantity::Total { value: value.clone(), units, excess } }
}

/// The public grid of a value, with fewer than `steps_max` steps.
fn grid(
    asked: &Asked,
    value: &Scalar,
    kind: Type,
    columns: &[Column],
    steps_max: i64,
) -> Result<Grid, Refusal> {
    let declared = match value {
        Scalar::Column(column) => match columns.get(*column).map(|column| &column.kind) {
            Some(ColumnType::Number { bounds: Some(bounds), step }) => Some((bounds.clone(), step.clone())),
            _ => None,
        },
        _ => None,
    };
    let ((mut lower, mut upper), step) = match declared {
        Some((bounds, step)) => (bounds, step),
        None => {
            (bounds::range(value, columns).finite().ok_or_else(|| unbounded(asked, value, columns))?, None)
        }
    };
    // A range of one point gets a second one, towards zero, where it costs least.
    if lower == upper {
        match (lower.is_positive(), lower.is_negative()) {
            (true, _) => lower = Rational::zero(),
            (_, true) => upper = Rational::zero(),
            _ => upper = Rational::one(),
        }
    }
    let range = &upper - &lower;
    let ours = step.is_none() && kind != Type::Integer;
    let mut step = match step {
        Some(step) => step,
        None if kind == Type::Integer => Rational::one(),
        None => hundred_millionth(&range),
    };
    let ten = Rational::from(10);
    let most = Rational::from(steps_max.min(1 << 62) - 3);
    let mut coarser = ours;
    while &range / &step > most {
        step = step * ten.clone();
        coarser = true;
    }
    if coarser {
        // Whole steps from zero keep the integers of a sum small.
        lower = Rational::from((lower / step.clone()).floor()) * step.clone();
        upper = Rational::from((upper / step.clone()).ceil()) * step.clone();
    }
    Grid::new(lower, upper, step).map_err(Refusal::from)
}

/// The power of ten that is between 10^-9 and 10^-8 of a range.
fn hundred_millionth(range: &Rational) -> Rational {
    let ten = Rational::from(10);
    let mut step = Rational::one();
    let limit = range * &Rational::ratio(1, 100_000_000);
    while step > limit {
        step = step / ten.clone();
    }
    while &step * &ten <= limit {
        step = step * ten.clone();
    }
    step
}

/// Offset, factor and worth of the units in which every grid point is an integer.
fn units_from_zero(grid: &Grid) -> Option<(i64, i64, Rational)> {
    // The greatest common divisor of the lower bound and the step divides every grid point.
    let (mut unit, mut rest) = (grid.step().clone(), grid.lower().abs());
    while !rest.is_zero() {
        let quotient = Rational::from((&unit / &rest).floor());
        let next = &unit - &(quotient * rest.clone());
        (unit, rest) = (rest, next);
    }
    let whole = |value: &Rational| {
        let count: IBig = (value / &unit).floor();
        i64::try_from(count).ok().filter(|count| i128::from(*count).abs() <= ROW_MAX)
    };
    let (offset, factor) = (whole(grid.lower())?, whole(grid.step())?);
    whole(&grid.upper())?;
    Some((offset, factor, unit))
}

fn too_fine(asked: &Asked) -> Refusal {
    Refusal::parameter(
        format!("one row could add more than 2^62 steps to {}", asked.name),
        "declare a longer step, a lower bound that is a multiple of the step, or narrower bounds",
    )
}

fn unbounded(asked: &Asked, value: &Scalar, columns: &[Column]) -> Refusal {
    let mut used: Vec<usize> = visit::columns(value).collect();
    used.sort_unstable();
    used.dedup();
    let unbounded = used.into_iter().filter_map(|column| columns.get(column)).find(|column| {
        matches!(
            column.kind,
            ColumnType::Integer { bounds: None }
                | ColumnType::Number { bounds: None, .. }
                | ColumnType::Date { bounds: None }
        )
    });
    let name = |column: usize| columns.get(column).map(|column| column.name.clone());
    let clamp = format!("clamp it yourself: LEAST(GREATEST({}, 0), 1000)", text::scalar(value, &name));
    let hint = match unbounded {
        Some(column) => format!("the owner can declare lower and upper for `{}`; or {clamp}", column.name),
        None => clamp,
    };
    Refusal::not_private(
        format!("{} has no public bounds, so one row could move it without limit", asked.name),
        hint,
    )
}
