//! From recorded numbers to published tables: estimates with their errors, whole numbers that agree, and words.
//!
//! **Guarantee.** Everything here is computed from what was recorded and from what is public: it costs nothing.
//! **Agreement.** Tables of one cube follow from the same measurements, so their estimates agree wherever they overlap; the
//! whole numbers that people read are made to agree as well (`workload/src/whole.rs`).
//! **Marks.** A table whose noise is as large as its average cell is marked as noisy, all of it: the mark says something
//! about the noise and about the size of the table, and nothing about single cells.

use pointillist_catalog::{Catalog, Value};
use pointillist_curator::{Answer, PublishedNumbers};
use pointillist_numbers::Rational;
use pointillist_plan::{Formula, Quantity, Role, Type};
use pointillist_workload::{Estimate, Measurement, Reconstruction, whole_numbers};

use crate::planner::{
    Asked, CubeAxis, CubeTable, Levels, Planned, PricedCube, PricedStatement, PublicationError,
};
use crate::{Cell, Figure, KeyColumn, MeasureColumn, PlanFile, PublishedTable, Row};

/// Noise is whole: an interval of so many deviations and half a step more holds what a continuous law would.
const HALF_STEP: f64 = 0.5;

/// The tables of a release, in the order of its plan.
pub(crate) fn tables(
    catalog: &Catalog,
    file: &PlanFile,
    planned: &Planned,
    numbers: &PublishedNumbers,
) -> Result<Vec<PublishedTable>, PublicationError> {
    let mut all: Vec<Option<PublishedTable>> = vec![None; planned.asked.len()];
    for cube in &planned.cubes {
        for (asked, table) in cube_tables(catalog, file, planned, cube, numbers)? {
            all[asked] = Some(table);
        }
    }
    for (statement, answer) in planned.statements.iter().zip(&numbers.answers) {
        all[statement.asked] =
            Some(statement_table(file, &planned.asked[statement.asked], statement, answer));
    }
    all.into_iter().collect::<Option<_>>().ok_or(PublicationError::Internal("a table without numbers"))
}

/// All tables of a cube.
fn cube_tables(
    catalog: &Catalog,
    file: &PlanFile,
    planned: &Planned,
    cube: &PricedCube,
    numbers: &PublishedNumbers,
) -> Result<Vec<(usize, PublishedTable)>, PublicationError> {
    let strategy = cube.strategy();
    let sources = &planned.publication.measured()[cube.measured.clone()];
    let measured: Vec<(Measurement, Vec<i128>)> = sources
        .iter()
        .zip(&numbers.measured[cube.measured.clone()])
        .flat_map(|(table, noisy)| table.measurements().iter().cloned().zip(noisy.iter().cloned()))
        .collect();
    let reconstruction = Reconstruction::new(&strategy.cube, &measured)?;
    let mut estimates: Vec<(Vec<usize>, Vec<Estimate>)> = Vec::new();
    for depths in &strategy.tables {
        estimates.push((depths.clone(), reconstruction.table(depths)?));
    }
    let values = |(depths, table): &(Vec<usize>, Vec<Estimate>)| {
        (depths.clone(), table.iter().map(|cell| cell.value).collect::<Vec<f64>>())
    };
    let whole = whole_numbers(&strategy.cube, &estimates.iter().map(values).collect::<Vec<_>>());
    let mut all = Vec::new();
    for (place, table) in cube.plan.tables.iter().enumerate() {
        let cells = Cells {
            planned,
            cube,
            table,
            estimates: &estimates[place].1,
            whole: whole.as_ref().map(|whole| whole[place].as_slice()),
            mean_cell: mean_cell(catalog, cube, &estimates, place),
        };
        all.push((table.asked, cells.published(file, place)));
    }
    Ok(all)
}

/// About how many rows an average cell has: from the declared size, else from the released total.
fn mean_cell(
    catalog: &Catalog,
    cube: &PricedCube,
    estimates: &[(Vec<usize>, Vec<Estimate>)],
    place: usize,
) -> f64 {
    let declared = catalog.tables.get(&cube.plan.rows.from).and_then(|table| table.size);
    let table = &estimates[place].1;
    let total = match declared {
        Some(size) if cube.plan.rows.condition.is_none() => size.get() as f64,
        _ => table.iter().map(|cell| cell.value).sum(),
    };
    total / table.len().max(1) as f64
}

/// One table of a cube, ready to be written.
struct Cells<'a> {
    planned: &'a Planned,
    cube: &'a PricedCube,
    table: &'a CubeTable,
    estimates: &'a [Estimate],
    whole: Option<&'a [i128]>,
    mean_cell: f64,
}

impl Cells<'_> {
    fn published(&self, file: &PlanFile, place: usize) -> PublishedTable {
        let asked = &self.planned.asked[self.table.asked];
        let number = asked.number();
        let worst = self.estimates.iter().map(|cell| cell.variance).fold(0.0, f64::max).sqrt();
        let is_noisy = worst * self.planned.deviate() > self.mean_cell;
        let described = |name: &str| file.columns.get(name).cloned();
        let keys =
            self.table.axes.iter().flat_map(|axis| self.key_columns(*axis)).map(|(name, kind, ordered)| {
                KeyColumn { description: described(&name), name, kind, is_ordered: ordered }
            });
        let measure = MeasureColumn {
            description: described(number).or_else(|| Some("how many rows".to_owned())),
            name: number.to_owned(),
            kind: if self.whole.is_some() { Type::Integer } else { Type::Number },
            is_count: true,
        };
        PublishedTable {
            name: asked.name.clone(),
            title: asked.title.clone(),
            description: asked.description.clone(),
            sql: self.cube.plan.statement(self.table, number),
            keys: keys.collect(),
            measures: vec![measure],
            rows: self.rows(is_noisy),
            method: self.cube.method(place),
            strategies: self.cube.strategy_lines(place),
            notes: self.notes(is_noisy),
        }
    }

    /// The rows, in the order of the table's own keys, the last one fastest.
    fn rows(&self, is_noisy: bool) -> Vec<Row> {
        let strategy = self.cube.strategy();
        let place = self.cube.plan.tables.iter().position(|table| table.asked == self.table.asked);
        let depths = &strategy.tables[place.unwrap_or_default()];
        let shape = strategy.cube.shape(depths);
        let own: Vec<usize> = self.table.axes.iter().map(|axis| shape[*axis]).collect();
        let cells: usize = own.iter().product();
        let mut rows = Vec::with_capacity(cells);
        for cell in 0..cells {
            let mut places = vec![0; own.len()];
            let mut rest = cell;
            for (key, size) in own.iter().enumerate().rev() {
                places[key] = rest % size;
                rest /= size;
            }
            let index = (0..shape.len()).fold(0, |index, axis| {
                let key = self.table.axes.iter().position(|own| *own == axis);
                index * shape[axis] + key.map_or(0, |key| places[key])
            });
            let keys =
                self.table.axes.iter().zip(&places).flat_map(|(axis, block)| self.key_values(*axis, *block));
            rows.push(Row { keys: keys.collect(), cells: vec![self.cell(index, is_noisy)] });
        }
        rows
    }

    fn cell(&self, index: usize, is_noisy: bool) -> Cell {
        let Estimate { value, variance } = self.estimates[index];
        let error = variance.sqrt() * self.planned.deviate() + HALF_STEP;
        let shown = match self.whole {
            Some(whole) => Figure::Whole(whole[index]),
            None => Figure::Real(value),
        };
        Cell {
            value: Some(shown),
            estimate: Some(value),
            interval: Some(((value - error).max(0.0), (value + error).max(0.0))),
            error_95: Some(error),
            is_noisy,
        }
    }

    /// The levels of an axis, where this table was asked for by them: a table by the finest column alone shows that alone.
    fn own_levels(&self, axis: usize) -> Option<&Levels> {
        let position = self.table.axes.iter().position(|own| *own == axis)?;
        let asked = &self.planned.asked[self.table.asked];
        self.axis(axis).levels.as_ref().filter(|_| asked.is_by_level(position))
    }

    fn axis(&self, axis: usize) -> &CubeAxis {
        &self.cube.plan.axes[axis]
    }

    /// The columns that an axis has in files, with their types.
    fn key_columns(&self, axis: usize) -> Vec<(String, Type, bool)> {
        let own = self.axis(axis);
        let depth = self.table.depths[axis];
        match self.own_levels(axis) {
            Some(levels) => {
                let kind = |column: usize| {
                    let values = levels.blocks.get(column).into_iter().flatten();
                    values
                        .filter_map(|block| block.get(column)?.as_ref())
                        .map(type_of)
                        .next()
                        .unwrap_or(Type::Text)
                };
                let columns = levels.columns.iter().take(depth).enumerate();
                columns.map(|(column, name)| (name.clone(), kind(column), false)).collect()
            }
            None => {
                let first = own.values.iter().flatten().next().map(|value| shown_key(own, value));
                let kind = first.as_ref().map_or(Type::Text, type_of);
                let key = self.own_key(axis);
                vec![(key, kind, own.key.is_ordered)]
            }
        }
    }

    /// The name that the table has for an axis, which may be another table's alias.
    fn own_key(&self, axis: usize) -> String {
        let position = self.table.axes.iter().position(|own| *own == axis);
        let asked = &self.planned.asked[self.table.asked];
        position.and_then(|at| asked.key_name(at)).unwrap_or_else(|| self.axis(axis).key.name.clone())
    }

    fn key_values(&self, axis: usize, block: usize) -> Vec<Option<Value>> {
        let own = self.axis(axis);
        let depth = self.table.depths[axis];
        match self.own_levels(axis) {
            Some(levels) => levels.blocks[depth - 1][block].clone(),
            None => vec![own.values[block].as_ref().map(|value| shown_key(own, value))],
        }
    }

    fn notes(&self, is_noisy: bool) -> Vec<String> {
        let mut notes = self.cube.notes(&self.planned.publication);
        for levels in self.table.axes.iter().filter_map(|axis| self.own_levels(*axis)) {
            if let Some((finest, above)) = levels.columns.split_last().filter(|(_, above)| !above.is_empty())
            {
                notes.push(format!(
                    "{} are those that the public lookup gives each {finest}.",
                    above.join(" and ")
                ));
            }
        }
        match self.whole {
            Some(_) => notes.push(
                "Numbers are whole, not negative and add up; the estimate beside them is unbiased, may be negative, and is \
                 what further sums and ratios should be computed from. The interval is the estimate's: a number that was \
                 moved so that all add up may lie outside of it."
                    .to_owned(),
            ),
            None => notes.push(
                "Whole numbers that agree in all tables at once were out of reach: the estimates themselves are shown.".to_owned(),
            ),
        }
        if is_noisy {
            notes.push(
                "The noise of this table is as large as its average cell: single cells say little."
                    .to_owned(),
            );
        }
        notes
    }
}

/// The value of a key as files show it: bins by their lower edges.
fn shown_key(axis: &CubeAxis, value: &Value) -> Value {
    let (Some((lower, width)), Value::Integer(bin)) = (&axis.key.edges, value) else { return value.clone() };
    let edge = lower + &(width * &Rational::from(*bin));
    match i64::try_from(edge.floor()) {
        Ok(whole) if edge.is_integer() && lower.is_integer() && width.is_integer() => Value::Integer(whole),
        _ => Value::number(edge.to_f64_nearest()).unwrap_or_else(|| value.clone()),
    }
}

fn type_of(value: &Value) -> Type {
    match value {
        Value::Boolean(_) => Type::Boolean,
        Value::Integer(_) => Type::Integer,
        Value::Number(_) => Type::Number,
        Value::Text(_) => Type::Text,
        Value::Date(_) => Type::Date,
        Value::Timestamp(_) => Type::Timestamp,
    }
}

/// The answer to a statement as a table.
fn statement_table(
    file: &PlanFile,
    asked: &Asked,
    statement: &PricedStatement,
    answer: &Answer,
) -> PublishedTable {
    let is_number = |column: &pointillist_curator::Column| {
        !matches!(column.role, Role::Key(_)) && matches!(column.kind, Type::Integer | Type::Number)
    };
    let described = |name: &str| file.columns.get(name).cloned();
    let keys = answer.columns.iter().filter(|column| !is_number(column)).map(|column| KeyColumn {
        name: column.name.clone(),
        kind: column.kind,
        description: described(&column.name),
        is_ordered: matches!(column.kind, Type::Integer | Type::Number | Type::Date | Type::Timestamp),
    });
    let counts: Vec<bool> = answer.columns.iter().map(|column| is_count(statement, column.role)).collect();
    let measures = answer.columns.iter().zip(&counts).filter(|(column, _)| is_number(column));
    let measures = measures.map(|(column, is_count)| MeasureColumn {
        name: column.name.clone(),
        kind: column.kind,
        is_count: *is_count,
        description: described(&column.name),
    });
    let row = |row: &pointillist_curator::Row| {
        let at = |wanted: bool| {
            answer
                .columns
                .iter()
                .enumerate()
                .filter(move |(_, column)| is_number(column) == wanted)
                .map(|(at, _)| at)
        };
        let cell = |at: usize| statement_cell(row.values[at].as_ref(), row.intervals[at], counts[at]);
        Row {
            keys: at(false).map(|at| row.values[at].clone()).collect(),
            cells: at(true).map(cell).collect(),
        }
    };
    PublishedTable {
        name: asked.name.clone(),
        title: asked.title.clone(),
        description: asked.description.clone(),
        sql: asked.sql().unwrap_or_default().to_owned(),
        keys: keys.collect(),
        measures: measures.collect(),
        rows: answer.rows.iter().map(row).collect(),
        method: "asked for by a statement, and answered as it is".to_owned(),
        strategies: Vec::new(),
        notes: answer.notes.clone(),
    }
}

/// Whether a column counts rows, people or values.
fn is_count(statement: &PricedStatement, role: Role) -> bool {
    let (Some(plan), Role::Aggregate(aggregate)) = (statement.plan.only(), role) else { return false };
    let Some(Formula::Sum { measure, .. }) = plan.answer.aggregates.get(aggregate).map(|one| &one.formula)
    else {
        return false;
    };
    let quantity = plan.aggregation.measures.get(*measure).map(|measure| &measure.quantity);
    matches!(
        quantity,
        Some(Quantity::Rows | Quantity::People | Quantity::PeopleCut | Quantity::Distinct { .. })
    )
}

fn statement_cell(value: Option<&Value>, interval: Option<(f64, f64)>, is_count: bool) -> Cell {
    let cut = |number: f64| if is_count { number.max(0.0) } else { number };
    let (shown, estimate) = match value {
        Some(Value::Integer(whole)) => {
            let shown = if is_count { (*whole).max(0) } else { *whole };
            (Some(Figure::Whole(i128::from(shown))), Some(*whole as f64))
        }
        Some(Value::Number(number)) => (Some(Figure::Real(cut(*number))), Some(*number)),
        _ => (None, None),
    };
    let error_95 = interval.map(|(low, high)| (high - low) / 2.0).filter(|half| half.is_finite());
    Cell {
        value: shown,
        estimate,
        interval: interval.map(|(low, high)| (cut(low), cut(high))),
        error_95,
        is_noisy: false,
    }
}
