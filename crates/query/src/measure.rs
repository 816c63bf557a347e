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
use pointillist_plan::{
    Excess, Form, Formula, Measure, PairMoments, PairStatistic, Quantity, Scalar, Type, Units, text, visit,
};

use crate::aggregate::{Asked, What};
use crate::bounds;
use crate::refusal::Refusal;

/// The largest magnitude of one row's integer.
const ROW_MAX: i128 = 1 << 62;
/// The largest magnitude of one person's total.
const PERSON_MAX: i128 = 1 << 80;
/// Grids for squares and products have fewer steps than this.
const SQUARES_MAX: i64 = 1 << 31;
/// Grids for quantiles have at most so many points; so that all groups' points fit memory, fewer where there are many
/// groups, and where nobody knows how many.
const POINTS_MAX: i64 = 1 << 20;
const POINTS_FEW: i64 = 1 << 12;
const POINTS_OF_ALL: i64 = 1 << 24;
const POINTS_EARNED: i64 = 1 << 16;

/// The measures of a question, each once, however many aggregates use it.
pub(crate) struct Measures {
    pub(crate) measures: Vec<Measure>,
    rows_max: u64,
    each_row: bool,
    /// The most points of a quantile's grid.
    points_max: i64,
}

impl Measures {
    /// For people of so many rows; `each_row` where every row is another person, and nobody can be cut; `groups` is how
    /// many groups there are, where that is public.
    pub(crate) fn new(bound: &ContributionBound, each_row: bool, groups: Option<usize>) -> Self {
        let points_max = match groups {
            Some(groups) => (POINTS_OF_ALL / groups.max(1) as i64).clamp(POINTS_FEW, POINTS_MAX),
            None => POINTS_EARNED,
        };
        Self { measures: Vec::new(), rows_max: bound.rows_max(), each_row, points_max }
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
                let grid = grid(&asked.name, value, *kind, columns, i64::MAX)?;
                let (total, rows) = self.centred(value, counted, &grid, columns);
                Formula::CentredSum { total, rows, grid }
            }
            What::Sum(value, kind) => {
                let grid = grid(&asked.name, value, *kind, columns, i64::MAX)?;
                let (offset, factor, unit) = units_from_zero(&grid).ok_or_else(|| too_fine(asked))?;
                let units = Units { grid, form: Form::Linear { offset, factor } };
                let measure = self.add(total(value, counted, units, Excess::Clamp));
                Formula::Sum { measure, unit }
            }
            What::Average(value, kind) => {
                let grid = grid(&asked.name, value, *kind, columns, i64::MAX)?;
                let (total, rows) = self.centred(value, counted, &grid, columns);
                Formula::Mean { total, rows, grid }
            }
            What::Variance { value, kind, sample, root } => {
                let grid = grid(&asked.name, value, *kind, columns, SQUARES_MAX)?;
                let units = Units { grid: grid.clone(), form: Form::CentredSquare };
                let squares = self.thinned(value, counted.clone(), units);
                let (total, rows) = self.centred(value, counted, &grid, columns);
                Formula::Variance { squares, total, rows, grid, sample: *sample, root: *root }
            }
            What::Distinct(value) => {
                let measure = self.add(rows(Quantity::Distinct { value: value.clone() }));
                Formula::Sum { measure, unit: Rational::one() }
            }
            What::Quantile { value, kind, rank, .. } => {
                let grid = grid(&asked.name, value, *kind, columns, self.points_max)?;
                let quantity =
                    Quantity::Quantile { value: value.clone(), grid: grid.clone(), rank: rank.clone() };
                let measure = self.add(rows(quantity));
                Formula::Quantile { measure, rows: self.rows_with(value, counted, columns), grid }
            }
            What::Pair { x, y, statistic } => self.pair(asked, x, y, *statistic, columns)?,
            What::PairRows { x, y } => {
                let counted = both_there(counted, x, y, columns);
                let measure = self.add(Measure { counted, quantity: Quantity::Rows });
                Formula::Sum { measure, unit: Rational::one() }
            }
            What::PairMean { x: (x, kind), y } => {
                let counted = both_there(counted, x, y, columns);
                let grid = grid(&asked.name, x, *kind, columns, SQUARES_MAX)?;
                let total = self.thinned(x, counted.clone(), centred_units(&grid));
                let rows = self.add(Measure { counted, quantity: Quantity::Rows });
                Formula::Mean { total, rows, grid }
            }
        })
    }

    /// The moments of two values over the rows that have both: all with the same condition, so with the same weights.
    ///
    /// Each is a measure of its own, with an equal share, and AVG and VAR of the same rows use the same. Released together,
    /// as (N, A, B, P, √3·M, C) of sql.md 6.1, six of them would need a norm of √5 where six shares need √6: nine hundredths
    /// less noise, at the price of numbers that no other question can use.
    fn pair(
        &mut self,
        asked: &Asked,
        x: &(Scalar, Type),
        y: &(Scalar, Type),
        statistic: PairStatistic,
        columns: &[Column],
    ) -> Result<Formula, Refusal> {
        let counted = both_there(asked.filter.clone(), &x.0, &y.0, columns);
        let grid_x = grid(&asked.name, &x.0, x.1, columns, SQUARES_MAX)?;
        let grid_y = grid(&asked.name, &y.0, y.1, columns, SQUARES_MAX)?;
        let (squares_x, squares_y, products) = statistic.needs();
        let mut squares = |value: &Scalar, grid: &Grid| {
            let units = Units { grid: grid.clone(), form: Form::CentredSquare };
            self.thinned(value, counted.clone(), units)
        };
        let squares_x = squares_x.then(|| squares(&x.0, &grid_x));
        let squares_y = squares_y.then(|| squares(&y.0, &grid_y));
        let products = products.then(|| {
            let most = u128::from(grid_x.last_index().unsigned_abs())
                * u128::from(grid_y.last_index().unsigned_abs());
            let refinement = refinement_bits(most, self.rows_max);
            let (left, right) = ((x.0.clone(), grid_x.clone()), (y.0.clone(), grid_y.clone()));
            let quantity = Quantity::Product { left, right, refinement };
            self.add(Measure { counted: counted.clone(), quantity })
        });
        let (total_x, total_y) = (
            self.thinned(&x.0, counted.clone(), centred_units(&grid_x)),
            self.thinned(&y.0, counted.clone(), centred_units(&grid_y)),
        );
        let rows = self.add(Measure { counted, quantity: Quantity::Rows });
        Ok(Formula::Pair(Box::new(PairMoments {
            statistic,
            rows,
            x: total_x,
            y: total_y,
            squares_x,
            squares_y,
            products,
            grid_x,
            grid_y,
        })))
    }

    /// A total in half steps from the middle, and the rows that have a value.
    fn centred(
        &mut self,
        value: &Scalar,
        counted: Option<Scalar>,
        grid: &Grid,
        columns: &[Column],
    ) -> (usize, usize) {
        let total = self.thinned(value, counted.clone(), centred_units(grid));
        (total, self.rows_with(value, counted, columns))
    }

    fn thinned(&mut self, value: &Scalar, counted: Option<Scalar>, units: Units) -> usize {
        let (low, high) = units.form.extremes(&units.grid);
        let refinement = refinement_bits(low.unsigned_abs().max(high.unsigned_abs()), self.rows_max);
        self.add(total(value, counted, units, Excess::Thin { refinement }))
    }

    fn rows_with(&mut self, value: &Scalar, counted: Option<Scalar>, columns: &[Column]) -> usize {
        self.add(Measure { counted: visit::both(counted, there(value, columns)), quantity: Quantity::Rows })
    }

    /// How many people have more rows than count; a note where nobody can.
    pub(crate) fn people_cut(&mut self, asked: &[Asked]) -> Option<String> {
        if self.each_row || asked.iter().all(|asked| asked.what == What::People) {
            return Some("nobody is cut: everybody counts once".to_owned());
        }
        self.add(Measure { counted: None, quantity: Quantity::PeopleCut });
        None
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
        _ => false,
    })
}

/// That a value is there, where it may not be.
fn there(value: &Scalar, columns: &[Column]) -> Option<Scalar> {
    let always = bounds::never_null(value, columns);
    (!always).then(|| Scalar::Not(Box::new(Scalar::IsNull(Box::new(value.clone())))))
}

/// The rows of a condition that have two values.
fn both_there(counted: Option<Scalar>, x: &Scalar, y: &Scalar, columns: &[Column]) -> Option<Scalar> {
    let mut values = vec![x];
    if x != y {
        values.push(y);
    }
    // In one order, whichever of the two is explained: CORR(x, y) is CORR(y, x), and means of both use the same rows.
    let mut conditions: Vec<Scalar> = values.into_iter().filter_map(|value| there(value, columns)).collect();
    conditions.sort_by_key(|condition| format!("{condition:?}"));
    conditions.into_iter().fold(counted, |all, condition| visit::both(all, Some(condition)))
}

fn centred_units(grid: &Grid) -> Units {
    Units { grid: grid.clone(), form: Form::Linear { offset: -grid.last_index(), factor: 2 } }
}

fn total(value: &Scalar, counted: Option<Scalar>, units: Units, excess: Excess) -> Measure {
    Measure { counted, quantity: Quantity::Total { value: value.clone(), units, excess } }
}

/// The public grid of a value, with fewer than `steps_max` steps; the name is for a refusal.
pub(crate) fn grid(
    name: &str,
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
            (bounds::range(value, columns).finite().ok_or_else(|| unbounded(name, value, columns))?, None)
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
    // Days and moments are whole numbers, too.
    let whole = kind != Type::Number;
    let ours = step.is_none() && !whole;
    let mut step = match step {
        Some(step) => step,
        None if whole => Rational::one(),
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

fn unbounded(aggregate: &str, value: &Scalar, columns: &[Column]) -> Refusal {
    let mut used: Vec<usize> = visit::columns(value).collect();
    used.sort_unstable();
    used.dedup();
    let unbounded = used.into_iter().filter_map(|column| columns.get(column)).find(|column| {
        matches!(
            column.kind,
            ColumnType::Integer { bounds: None }
                | ColumnType::Number { bounds: None, .. }
                | ColumnType::Date { bounds: None }
                | ColumnType::Timestamp { bounds: None }
        )
    });
    let name = |column: usize| columns.get(column).map(|column| column.name.clone());
    let clamp = format!("clamp it yourself: LEAST(GREATEST({}, 0), 1000)", text::scalar(value, &name));
    let hint = match unbounded {
        Some(column) => format!("the owner can declare lower and upper for `{}`; or {clamp}", column.name),
        None => clamp,
    };
    Refusal::not_private(
        format!("{aggregate} has no public bounds, so one row could move it without limit"),
        hint,
    )
}
