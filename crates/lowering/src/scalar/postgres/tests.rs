//! Lowered expressions against the evaluator: the same rows in a PostgreSQL server and in arrays, every value compared bit
//! for bit, and any failure, at planning or on a row, is a failure of the test.

mod broken;
mod cases;
mod edges;
mod hostile;
mod random;

use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray, BooleanArray, Date32Array, Float64Array, Int64Array, StringViewArray,
    TimestampMicrosecondArray,
};
use arrow::datatypes::{Date32Type, Float64Type, Int64Type, TimestampMicrosecondType};
use pointillist_catalog::Value;
use pointillist_engine::evaluate;
use pointillist_plan::{Scalar, Type};
use pointillist_postgres::{Address, Cell, Connection, Limits, Parameter as Bound};
use pointillist_testkit::postgres::PostgresServer;

use crate::sql::Sql;
use crate::stage::Stage;
use crate::{Dialect, Parameter};

/// Rows, here and there.
pub(super) struct Rows {
    connection: Connection,
    kinds: Vec<Type>,
    arrays: Vec<ArrayRef>,
    count: usize,
}

impl Rows {
    /// Rows of columns in a database of their own; `None` where there is no PostgreSQL.
    pub(super) fn new(kinds: &[Type], columns: Vec<Vec<Option<Value>>>) -> Option<Self> {
        let url = PostgresServer::shared()?.new_database("scalar");
        let connection = Connection::open(&Address::parse(&url).unwrap(), None, &Limits::default()).unwrap();
        // A zone that no form may depend on.
        let settings = "SET search_path = pg_catalog; SET DateStyle = 'ISO, YMD'; \
                        SET TimeZone = 'America/New_York'; SET jit = off; SET plan_cache_mode = force_custom_plan";
        connection.batch(settings).unwrap();
        let count = columns[0].len();
        // The last column numbers the rows.
        let (mut kinds, mut columns) = (kinds.to_vec(), columns);
        kinds.push(Type::Integer);
        columns.push((0..count as i64).map(|row| Some(Value::Integer(row))).collect());
        // Texts of Turkish rules, where the server knows them: every form has to say that it means bytes.
        let collation = collation(&connection);
        let collated = |kind: &Type| if *kind == Type::Text { collation } else { "" };
        let list = |column: &dyn Fn(usize, &Type) -> String| {
            kinds.iter().enumerate().map(|(at, kind)| column(at, kind)).collect::<Vec<_>>().join(", ")
        };
        let named = list(&|at, kind| format!("c{at} {}{}", kind.sql_name(), collated(kind)));
        connection.batch(&format!("CREATE TABLE public.t ({named})")).unwrap();
        let placed = list(&|at, kind| format!("${}::{}[]", at + 1, kind.sql_name()));
        let bound: Vec<Bound> =
            kinds.iter().zip(&columns).map(|(kind, column)| bound_list(*kind, column)).collect();
        connection.execute(&format!("INSERT INTO public.t SELECT * FROM unnest({placed})"), &bound).unwrap();
        let arrays = kinds.iter().zip(&columns).map(|(kind, column)| array_of(*kind, column)).collect();
        Some(Self { connection, kinds, arrays, count })
    }

    /// What is wrong with these expressions, if each statement is changed so before it runs.
    pub(super) fn changed(&self, scalars: &[Scalar], from: &str, to: &str) -> Result<(), String> {
        self.compared(scalars, &|text| {
            assert!(text.contains(from), "nothing to change: {text}");
            text.replace(from, to)
        })
    }

    /// Compares some expressions in one statement; where that fails, each in its own, to tell which.
    pub(super) fn compare(&self, scalars: &[Scalar]) {
        if let Err(what) = self.compared(scalars, &|text| text) {
            for scalar in scalars {
                if let Err(what) = self.compared(std::slice::from_ref(scalar), &|text| text) {
                    panic!("{what}\n{scalar:?}");
                }
            }
            panic!("only together: {what}\n{scalars:?}");
        }
    }

    fn compared(&self, scalars: &[Scalar], change: &dyn Fn(String) -> String) -> Result<(), String> {
        let mut stage = Stage::over(Dialect::Postgres, &self.kinds);
        let number = super::lower(&mut stage, &Scalar::Column(self.kinds.len() - 1)).unwrap();
        let mut columns = vec![(Sql::words("number"), number)];
        for (at, scalar) in scalars.iter().enumerate() {
            let lowered =
                super::lower(&mut stage, scalar).map_err(|refusal| format!("refused: {refusal}"))?;
            columns.push((Sql::own("o", at), lowered));
        }
        let sql = stage.select(&Sql::words("SELECT * FROM public.t"), &columns, None);
        let (text, parameters) = sql.render(Dialect::Postgres);
        let text = change(text);
        let bound: Vec<Bound> = parameters.iter().map(bound).collect();
        let answer = self
            .connection
            .query(&text, &bound)
            .map_err(|error| format!("{error:?}: {text}\n{parameters:?}\n{}", last_error()))?;
        assert_eq!(answer.len(), self.count);
        for (at, scalar) in scalars.iter().enumerate() {
            let expected = values_of(&evaluate(scalar, &self.arrays, self.count));
            for cells in &answer {
                let row = cells[0].integer().unwrap() as usize;
                let got = value_of(&cells[at + 1]);
                if !is_same(&got, &expected[row]) {
                    let named = |at: usize| values_of(&self.arrays[at].slice(row, 1)).remove(0);
                    let operands: Vec<_> = (0..self.kinds.len()).map(named).collect();
                    return Err(format!(
                        "expected {:?}, got {got:?} for {operands:?}: {text}",
                        expected[row]
                    ));
                }
            }
        }
        Ok(())
    }

    pub(super) fn count(&self) -> usize {
        self.count
    }
}

/// The most foreign collation that the server has.
fn collation(connection: &Connection) -> &'static str {
    let known = "SELECT count(*) FROM pg_catalog.pg_collation WHERE collname = 'tr-x-icu'";
    match connection.query(known, &[]).unwrap()[0][0].integer() {
        Some(1) => " COLLATE \"tr-x-icu\"",
        _ => " COLLATE \"C\"",
    }
}

/// The server's own words, which the connection does not repeat: here the rows are ours.
fn last_error() -> String {
    let log = PostgresServer::shared().map_or(String::new(), PostgresServer::log);
    let lines: Vec<&str> =
        log.lines().filter(|line| line.contains("ERROR") || line.contains("FATAL")).collect();
    lines.last().map_or(String::new(), |line| line.chars().take(400).collect())
}

fn is_same(left: &Option<Value>, right: &Option<Value>) -> bool {
    match (left, right) {
        (Some(Value::Number(left)), Some(Value::Number(right))) => left.to_bits() == right.to_bits(),
        (left, right) => left == right,
    }
}

fn bound(parameter: &Parameter) -> Bound {
    match parameter.clone() {
        Parameter::Boolean(value) => Bound::Boolean(value),
        Parameter::Integer(value) => Bound::Integer(value),
        Parameter::Number(value) => Bound::Number(value),
        Parameter::Text(value) => Bound::Text(value),
        Parameter::Date(value) => Bound::Date(value),
        Parameter::Timestamp(value) => Bound::Timestamp(value),
        other => panic!("no expression has the parameter {other:?}"),
    }
}

macro_rules! collected {
    ($values:expr, $variant:ident) => {
        $values.iter().map(|value| match value {
            Some(Value::$variant(value)) => Some(value.clone()),
            _ => None,
        })
    };
}

fn bound_list(kind: Type, values: &[Option<Value>]) -> Bound {
    match kind {
        Type::Boolean => Bound::Booleans(collected!(values, Boolean).collect()),
        Type::Integer => Bound::Integers(collected!(values, Integer).collect()),
        Type::Number => Bound::Numbers(collected!(values, Number).collect()),
        Type::Text => Bound::Texts(collected!(values, Text).collect()),
        Type::Date => Bound::Dates(collected!(values, Date).collect()),
        Type::Timestamp => Bound::Timestamps(collected!(values, Timestamp).collect()),
    }
}

fn array_of(kind: Type, values: &[Option<Value>]) -> ArrayRef {
    match kind {
        Type::Boolean => Arc::new(collected!(values, Boolean).collect::<BooleanArray>()),
        Type::Integer => Arc::new(collected!(values, Integer).collect::<Int64Array>()),
        Type::Number => Arc::new(collected!(values, Number).collect::<Float64Array>()),
        Type::Text => Arc::new(collected!(values, Text).collect::<StringViewArray>()),
        Type::Date => Arc::new(collected!(values, Date).collect::<Date32Array>()),
        Type::Timestamp => Arc::new(collected!(values, Timestamp).collect::<TimestampMicrosecondArray>()),
    }
}

fn values_of(array: &ArrayRef) -> Vec<Option<Value>> {
    use arrow::datatypes::DataType;
    let value = |row: usize| match array.data_type() {
        DataType::Boolean => Value::Boolean(array.as_boolean().value(row)),
        DataType::Int64 => Value::Integer(array.as_primitive::<Int64Type>().value(row)),
        DataType::Float64 => Value::Number(array.as_primitive::<Float64Type>().value(row)),
        DataType::Utf8View => Value::Text(array.as_string_view().value(row).to_owned()),
        DataType::Date32 => Value::Date(array.as_primitive::<Date32Type>().value(row)),
        _ => Value::Timestamp(array.as_primitive::<TimestampMicrosecondType>().value(row)),
    };
    (0..array.len()).map(|row| array.is_valid(row).then(|| value(row))).collect()
}

fn value_of(cell: &Cell) -> Option<Value> {
    match cell {
        Cell::Null => None,
        Cell::Boolean(value) => Some(Value::Boolean(*value)),
        Cell::Integer(value) => Some(Value::Integer(*value)),
        Cell::Number(value) => Some(Value::Number(*value)),
        Cell::Text(value) => Some(Value::Text(value.clone())),
        Cell::Date(value) => Some(Value::Date(*value)),
        Cell::Timestamp(value) => Some(Value::Timestamp(*value)),
        Cell::Bytes(_) => panic!("no expression is bytes"),
    }
}
