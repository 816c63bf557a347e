//! A sanitized table as it was released: columns whose values are public, and noisy counts of how they go together.
//!
//! **Guarantee.** A [`SanitizedTable`] is made of public things and of released integers ([`Measured`]); made-up rows and whatever is
//! computed from them are post-processing. The coins that choose made-up rows are a function of what was released
//! ([`PublicCoins`]), so that the same release is the same table, whoever asks for it, and no secret is behind them.
//! **Row by row.** What a row of codes becomes before it is counted ([`SanitizedColumn::cell`]) looks at that row alone: a person who
//! has k rows of codes has k rows of cells.

use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch};
use arrow::datatypes::{Field, Schema};
use pointillist_catalog::Value;
use pointillist_catalog::calendar::{date_text, parse_date, parse_timestamp, timestamp_text};
use pointillist_learn::Label;
use pointillist_mechanisms::Grid;
use pointillist_numbers::Rational;
use pointillist_plan::{Code, TrainingColumn, TrainingRows, Type};
use pointillist_privacy::{Epsilon, ParameterError, Rho, Spend};
use pointillist_query::Refusal;
use pointillist_synth::{
    Attribute, PublicCoins, SynthError, TableLayout, TableMeasured as Measured, TableModel as Model,
    TableRecipe as Recipe,
};
use serde::{Deserialize, Serialize};

use crate::arrays::array;
use crate::row_condition::RowCondition;

/// Made-up rows are made in pieces of this many, whatever asks for them.
const ROWS_MAX: u64 = 100_000_000;

/// So often rows are made up for those that broke a constraint: where one row in fifty keeps them, fewer than two in a hundred are missing.
const DRAWS_MAX: usize = 200;

/// What is public of a sanitized table, and what was released for it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SanitizedTable {
    recipe: Recipe,
    price: SanitizedPrice,
    rows_per_person: u32,
    columns: Vec<SanitizedColumn>,
    measured: Measured,
}

/// What was paid for all of it: which noise was added follows from it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum SanitizedPrice {
    /// Pure ε, exactly.
    Epsilon(String),
    /// ρ of zCDP, exactly.
    Rho(String),
}

/// The most letters of a price.
const DIGITS_MAX: usize = 40;

/// Whether a price comes out of a file as it went in.
pub(crate) fn can_be_written(spend: &Spend) -> bool {
    let price = SanitizedPrice::new(spend);
    // Noise has more digits than its price, and the file says both.
    let (SanitizedPrice::Epsilon(text) | SanitizedPrice::Rho(text)) = &price;
    text.len() <= DIGITS_MAX && price.spend().is_ok_and(|again| again == *spend)
}

impl SanitizedPrice {
    fn new(spend: &Spend) -> Self {
        match spend {
            Spend::Pure(epsilon) => Self::Epsilon(epsilon.value().to_string()),
            Spend::Concentrated(rho) => Self::Rho(rho.value().to_string()),
        }
    }

    fn spend(&self) -> Result<Spend, ParameterError> {
        Ok(match self {
            Self::Epsilon(epsilon) => Spend::Pure(Epsilon::parse(epsilon)?),
            Self::Rho(rho) => Spend::Concentrated(Rho::parse(rho)?),
        })
    }
}

/// A column of a sanitized table: which values it has, all of them public.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SanitizedColumn {
    /// The name.
    pub name: String,
    /// The type of its values.
    #[serde(with = "type_word")]
    pub kind: Type,
    /// Whether a row may have none of the values: NULL, or one that is not listed.
    pub nullable: bool,
    /// The values.
    pub values: SanitizedValues,
}

/// The values of a column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum SanitizedValues {
    /// Numbers `lower, lower + step, …`, `last` steps in all; days and moments are counted as numbers.
    Grid {
        /// The smallest, exactly.
        lower: String,
        /// The distance between two, exactly.
        step: String,
        /// The number of the largest.
        last: u32,
    },
    /// A public list; NULL may be one of them.
    Listed(Vec<Option<Label>>),
    /// False and true.
    Truth,
}

impl SanitizedColumn {
    pub(crate) fn new(column: &TrainingColumn) -> Self {
        let values = match &column.code {
            Code::Number(grid) => SanitizedValues::Grid {
                lower: grid.lower().to_string(),
                step: grid.step().to_string(),
                last: column.code.last() - 1,
            },
            Code::Category(values) => {
                SanitizedValues::Listed(values.iter().map(|value| value.as_ref().map(label)).collect())
            }
            Code::Truth => SanitizedValues::Truth,
        };
        // What is not on a list may be in a row whatever the column says of NULL.
        let nullable = column.nullable || matches!(values, SanitizedValues::Listed(_));
        Self { name: column.name.clone(), kind: column.kind, nullable, values }
    }

    /// How many values it has, without NULL.
    pub fn count(&self) -> u32 {
        match &self.values {
            SanitizedValues::Grid { last, .. } => last.saturating_add(1),
            SanitizedValues::Listed(values) => u32::try_from(values.len()).unwrap_or(u32::MAX),
            SanitizedValues::Truth => 2,
        }
    }

    /// What a synthesizer is told of it.
    pub(crate) fn attribute(&self) -> Attribute {
        let leading = u32::from(self.nullable);
        match self.values {
            SanitizedValues::Grid { .. } => Attribute::ordered(leading, self.count()),
            SanitizedValues::Listed(_) | SanitizedValues::Truth => Attribute::listed(leading + self.count()),
        }
    }

    /// The value of a row by the code of an engine: 0 says nothing, others are one more than the number of a value. A column that
    /// is never NULL counts what says nothing as its first value.
    pub(crate) fn cell(&self, code: u32) -> u32 {
        if self.nullable { code.min(self.count()) } else { code.clamp(1, self.count()) - 1 }
    }

    /// The cell of a value: the nearest one of a grid, and that of nothing where it is none of a list.
    pub fn cell_of(&self, value: Option<&Value>) -> u32 {
        let index = value.and_then(|value| self.index_of(value));
        index.map_or(0, |index| index + u32::from(self.nullable))
    }

    fn index_of(&self, value: &Value) -> Option<u32> {
        match &self.values {
            SanitizedValues::Truth => Some(u32::from(*value == Value::Boolean(true))),
            SanitizedValues::Listed(values) => {
                let is_it = |known: &Option<Label>| {
                    known.as_ref().and_then(|it| self.labelled(it)).as_ref() == Some(value)
                };
                values.iter().position(is_it).and_then(|at| u32::try_from(at).ok())
            }
            SanitizedValues::Grid { lower, step, last } => {
                let (lower, step) = (Rational::parse(lower).ok()?, Rational::parse(step).ok()?);
                let value = match value {
                    Value::Integer(value) | Value::Timestamp(value) => Rational::from(*value),
                    Value::Date(days) => Rational::from(i64::from(*days)),
                    Value::Number(value) => Rational::from_f64(*value).ok()?,
                    Value::Boolean(_) | Value::Text(_) => return None,
                };
                let upper = &lower + &(&step * &Rational::from(u64::from(*last)));
                let grid = Grid::new(lower, upper, step).ok()?;
                u32::try_from(grid.index_of(&value)).ok()
            }
        }
    }

    /// The value of a cell.
    pub fn value(&self, cell: u32) -> Option<Value> {
        let index = if self.nullable { cell.checked_sub(1)? } else { cell };
        match &self.values {
            SanitizedValues::Truth => Some(Value::Boolean(index > 0)),
            SanitizedValues::Listed(values) => {
                let label = values.get(index as usize)?.as_ref()?;
                self.labelled(label)
            }
            SanitizedValues::Grid { lower, step, last } => {
                let (lower, step) = (Rational::parse(lower).ok()?, Rational::parse(step).ok()?);
                self.number(&(lower + step * Rational::from(u64::from(index.min(*last)))))
            }
        }
    }

    fn labelled(&self, label: &Label) -> Option<Value> {
        Some(match (self.kind, label) {
            (Type::Boolean, Label::Truth(value)) => Value::Boolean(*value),
            (Type::Integer, Label::Integer(value)) => Value::Integer(*value),
            (Type::Number, label) => return Value::number(label.number()?),
            (Type::Text, Label::Text(text)) => Value::Text(text.clone()),
            (Type::Date, Label::Text(text)) => Value::Date(parse_date(text)?),
            (Type::Timestamp, Label::Text(text)) => Value::Timestamp(parse_timestamp(text)?),
            _ => return None,
        })
    }

    fn number(&self, value: &Rational) -> Option<Value> {
        let whole = || i64::try_from(value.floor()).ok();
        match self.kind {
            Type::Integer => whole().map(Value::Integer),
            Type::Number => Value::number(value.to_f64_nearest()),
            Type::Date => whole().and_then(|days| i32::try_from(days).ok()).map(Value::Date),
            Type::Timestamp => whole().map(Value::Timestamp),
            Type::Boolean | Type::Text => None,
        }
    }

    /// All its values, in the order of their cells: for columns that have not too many.
    fn all_values(&self) -> Vec<Option<Value>> {
        (0..self.count() + u32::from(self.nullable)).map(|cell| self.value(cell)).collect()
    }
}

fn label(value: &Value) -> Label {
    match value {
        Value::Boolean(value) => Label::Truth(*value),
        Value::Integer(value) => Label::Integer(*value),
        Value::Number(value) => Label::Number(*value),
        Value::Text(value) => Label::Text(value.clone()),
        Value::Date(days) => Label::Text(date_text(*days)),
        Value::Timestamp(micros) => Label::Text(timestamp_text(*micros)),
    }
}

/// The columns of the rows that a table is made of.
pub(crate) fn columns(rows: &TrainingRows) -> Vec<SanitizedColumn> {
    rows.features.iter().map(SanitizedColumn::new).collect()
}

/// What a synthesizer is told of columns.
///
/// # Errors
/// When there are too many of them, or of their values.
pub(crate) fn layout(columns: &[SanitizedColumn], recipe: &Recipe) -> Result<TableLayout, SynthError> {
    TableLayout::new(columns.iter().map(SanitizedColumn::attribute).collect(), recipe)
}

impl SanitizedTable {
    pub(crate) fn new(
        recipe: Recipe,
        spend: &Spend,
        rows_per_person: u32,
        columns: Vec<SanitizedColumn>,
        measured: Measured,
    ) -> Self {
        Self { recipe, price: SanitizedPrice::new(spend), rows_per_person, columns, measured }
    }

    /// The method, its settings and the bins.
    pub fn recipe(&self) -> &Recipe {
        &self.recipe
    }

    /// The columns.
    pub fn columns(&self) -> &[SanitizedColumn] {
        &self.columns
    }

    /// What was released.
    pub fn measured(&self) -> &Measured {
        &self.measured
    }

    /// The table that it stands for: the distribution that fits what was released best. Takes seconds where there was much.
    ///
    /// # Errors
    /// When the released numbers are not of these columns.
    pub fn fitted(&self) -> Result<FittedTable, SynthError> {
        let layout = layout(&self.columns, &self.recipe)?;
        let synthesizer = self.recipe.synthesizer(layout, self.rows_per_person, &self.price.spend()?)?;
        let model = synthesizer.model(&self.measured)?;
        Ok(FittedTable { columns: self.columns.clone(), model, coins: self.coins(), constraints: Vec::new() })
    }

    /// The coins of this release.
    fn coins(&self) -> PublicCoins {
        let columns: Vec<u8> =
            self.columns.iter().flat_map(|column| format!("{column:?}").into_bytes()).collect();
        PublicCoins::of(&[&self.measured.to_bytes(), &columns])
    }
}

/// A sanitized table that rows can be drawn from.
#[derive(Clone, Debug)]
pub struct FittedTable {
    columns: Vec<SanitizedColumn>,
    model: Model,
    coins: PublicCoins,
    constraints: Vec<RowCondition>,
}

impl FittedTable {
    /// The columns.
    pub fn columns(&self) -> &[SanitizedColumn] {
        &self.columns
    }

    /// The distribution.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// About how many rows there were: a released number.
    pub fn total(&self) -> u64 {
        self.model.total().round().clamp(0.0, ROWS_MAX as f64) as u64
    }

    /// How many made-up rows there are unless another number is asked for: about as many as there were, or fewer where hardly any keeps
    /// the constraints.
    pub fn row_count(&self) -> u64 {
        match self.constraints.is_empty() {
            true => self.total(),
            false => self.cells(None).first().map_or(0, |column| column.len() as u64),
        }
    }

    /// The same table without the rows for which one of these conditions is false: others are made up in their place. What
    /// is public may say so, since it is post-processing.
    ///
    /// # Errors
    /// When a condition is not understood.
    pub fn constrained(mut self, conditions: &[String]) -> Result<Self, Refusal> {
        let named: Vec<_> = self.columns.iter().map(|column| (column.name.clone(), column.kind)).collect();
        for condition in conditions {
            self.constraints.push(RowCondition::new(&named, condition)?);
        }
        Ok(self)
    }

    /// Made-up rows as cells, one list a column; as many as there were about, unless said otherwise. The same every time. There
    /// are fewer where hardly any row keeps the constraints.
    pub fn cells(&self, rows: Option<u64>) -> Vec<Vec<u32>> {
        let rows = rows.unwrap_or_else(|| self.total()).min(ROWS_MAX);
        let mut coins = self.coins.clone();
        let mut all: Vec<Vec<u32>> = vec![Vec::new(); self.columns.len()];
        for _ in 0..DRAWS_MAX {
            let missing = rows - all.first().map_or(rows, |column| column.len() as u64);
            if missing == 0 {
                break;
            }
            let drawn = self.model.sample(missing, &mut coins).unwrap_or_default();
            for (all, drawn) in all.iter_mut().zip(self.kept(drawn)) {
                all.extend(drawn);
            }
        }
        all
    }

    /// The rows that keep every constraint.
    fn kept(&self, mut cells: Vec<Vec<u32>>) -> Vec<Vec<u32>> {
        for constraint in &self.constraints {
            let count = cells.first().map_or(0, Vec::len);
            let columns: Vec<ArrayRef> =
                constraint.columns().iter().map(|at| column_array(&self.columns[*at], &cells[*at])).collect();
            let kept = constraint.is_kept(&columns, count);
            for column in &mut cells {
                let mut row = 0;
                column.retain(|_| {
                    row += 1;
                    kept.value(row - 1)
                });
            }
        }
        cells
    }

    /// Made-up rows as a table.
    pub fn rows(&self, rows: Option<u64>) -> Option<RecordBatch> {
        self.batch(&self.cells(rows))
    }

    /// Rows of cells as a table.
    pub fn batch(&self, cells: &[Vec<u32>]) -> Option<RecordBatch> {
        let arrays = self.columns.iter().zip(cells).map(|(column, cells)| column_array(column, cells));
        let arrays: Vec<ArrayRef> = arrays.collect();
        let field = |(column, array): (&SanitizedColumn, &ArrayRef)| {
            Field::new(&column.name, array.data_type().clone(), true)
        };
        let fields: Vec<Field> = self.columns.iter().zip(&arrays).map(field).collect();
        RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays).ok()
    }
}

/// Columns of up to this many values are looked up, the others computed.
const LOOKED_UP_MAX: u32 = 1 << 16;

fn column_array(column: &SanitizedColumn, cells: &[u32]) -> ArrayRef {
    if column.count() <= LOOKED_UP_MAX {
        let values = column.all_values();
        return array(column.kind, cells.iter().map(|cell| values[*cell as usize].as_ref()));
    }
    let values: Vec<Option<Value>> = cells.iter().map(|cell| column.value(*cell)).collect();
    array(column.kind, values.iter().map(Option::as_ref))
}

/// Types in files, by the words of the catalog.
mod type_word {
    use pointillist_plan::Type;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    const WORDS: [(&str, Type); 6] = [
        ("boolean", Type::Boolean),
        ("integer", Type::Integer),
        ("number", Type::Number),
        ("text", Type::Text),
        ("date", Type::Date),
        ("timestamp", Type::Timestamp),
    ];

    pub(super) fn serialize<S: Serializer>(kind: &Type, serializer: S) -> Result<S::Ok, S::Error> {
        let word = WORDS.iter().find(|(_, known)| known == kind).map_or("text", |(word, _)| word);
        serializer.serialize_str(word)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Type, D::Error> {
        let word = String::deserialize(deserializer)?;
        let known = WORDS.iter().find(|(known, _)| *known == word).map(|(_, kind)| *kind);
        known.ok_or_else(|| D::Error::custom(format!("`{word}` is no type")))
    }
}
