//! What is added up for an aggregate, and how far one person can move it.
//!
//! **Guarantee.** Let a person touch at most g groups after bounding. In each of them a measure moves, when the
//! person joins or leaves, by an integer between the two [`Measure::person_bounds`], zero among them. With Δ the
//! larger magnitude of the two, the vector over k groups moves by at most L1 = min(g, k)·Δ and L2² = min(g, k)·Δ².
//! **Neighbours.** Add or remove everything one privacy unit contributed.
//! **Source.** Proof, per group, with m = `rows_max`, c the person's counted rows there, and every row's
//! integer in `[lo, hi]`, which the grid and its form ensure whatever the row holds. Rows: min(c, m) is in
//! `[0, m]`. People: zero or one. Total, clamped: the total is put into `[m·min(lo, 0), m·max(hi, 0)]` by
//! definition. Total, thinned: F times the same interval, F = 2^refinement, in units that are F times finer
//! (`mechanisms/src/thinning.rs`). A person without rows adds zero. Over groups: a vector of at most min(g, k)
//! entries of magnitude at most Δ.
//! **One weight a row.** The counts, totals and squares of means and variances count the same rows with the same weight
//! min(1, m/c): min(c, m) is what the weights of c rows add up to. So a mean is one of weighted rows, and people with
//! mixed rows stay where they are.
//! **Exactness.** Integers and rationals; a person's bounds stay below 2^80, so that 2^47 people fit 128 bits.

use pointillist_catalog::{Column, ColumnType};
use pointillist_mechanisms::contribution_bound::ContributionBound;
use pointillist_mechanisms::grid::Grid;
use pointillist_mechanisms::thinning::refinement_bits;
use pointillist_numbers::{IBig, Rational};
use pointillist_privacy::{SensitivityL1, SensitivityL2};

use crate::aggregate::{Asked, What};
use crate::bounds;
use crate::plan::{Aggregation, Excess, Form, Formula, Measure, Quantity, Units};
use crate::refusal::Refusal;
use crate::scalar::{Scalar, Type};
use crate::text;
use crate::tree;

/// The largest magnitude of one row's integer.
const ROW_MAX: i128 = 1 << 62;
/// The largest magnitude of one person's total.
const PERSON_MAX: i128 = 1 << 80;
/// Grids for squares have fewer steps than this.
const SQUARES_MAX: i64 = 1 << 31;

impl Form {
    /// The least and the greatest integer of an index on a grid.
    pub fn extremes(&self, grid: &Grid) -> (i128, i128) {
        let last = i128::from(grid.last_index());
        match self {
            Self::Linear { offset, factor } => {
                let (offset, factor) = (i128::from(*offset), i128::from(*factor));
                (offset, offset + factor * last)
            }
            // The square nearest to the middle is 0 or 1, by whether the middle is a point.
            Self::CentredSquare => (2 * (last % 2) - last * last, last * last),
        }
    }
}

impl Excess {
    /// By how many bits the total's units are finer than a row's.
    pub fn refinement(&self) -> u32 {
        match self {
            Self::Clamp => 0,
            Self::Thin { refinement } => *refinement,
        }
    }
}

impl Measure {
    /// The least and the most that one person adds to one group; zero lies between.
    pub fn person_bounds(&self, bound: &ContributionBound) -> (i128, i128) {
        let rows = i128::from(bound.rows_max());
        match &self.quantity {
            Quantity::Rows => (0, rows),
            Quantity::People => (0, 1),
            Quantity::Total { units, excess, .. } => {
                let (low, high) = units.form.extremes(&units.grid);
                let rows = rows << excess.refinement();
                (rows * low.min(0), rows * high.max(0))
            }
        }
    }

    /// What one unit of the measure is worth in values; for squares, in squares of values.
    pub fn unit(&self) -> Rational {
        match &self.quantity {
            Quantity::Rows | Quantity::People => Rational::one(),
            Quantity::Total { units, excess, .. } => {
                let step = units.grid.step();
                let unit = match units.form {
                    Form::Linear { factor, .. } => step / &Rational::from(factor),
                    // Squares of half steps, counted twice.
                    Form::CentredSquare => step.squared() * Rational::ratio(1, 8),
                };
                unit * Rational::ratio(1, 1u128 << excess.refinement())
            }
        }
    }
}

impl Aggregation {
    /// How far the vector of a measure over all groups moves with one person, in L1 and L2.
    pub fn sensitivities(&self, measure: &Measure) -> Result<(SensitivityL1, SensitivityL2), Refusal> {
        let (low, high) = measure.person_bounds(&self.bound);
        let each = Rational::from(high.max(-low));
        let groups = Rational::from(self.groups_moved());
        Ok((SensitivityL1::new(&each * &groups)?, SensitivityL2::from_squared(each.squared() * groups)?))
    }

    /// How many groups one person can touch.
    pub fn groups_moved(&self) -> u64 {
        match &self.domain {
            Some(domain) => self.bound.groups_max().min(domain.len() as u64),
            None => self.bound.groups_max(),
        }
    }
}

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
        self.add(Measure { counted: tree::both(counted, present), quantity: Quantity::Rows })
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
    let mut used = Vec::new();
    tree::columns(value, &mut used);
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
