//! Rows that are here and in a table of Spark's.

use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray, BooleanArray, Date32Array, Float64Array, Int64Array, RecordBatch, StringArray,
    StringViewArray, TimestampMicrosecondArray,
};
use arrow::compute::{cast, concat};
use arrow::datatypes::{DataType, Date32Type, Float64Type, Int64Type, TimestampMicrosecondType};
use arrow::ipc::reader::StreamReader;
use arrow::ipc::writer::StreamWriter;
use pointillist_catalog::Value;
use pointillist_engine::evaluate;
use pointillist_plan::{Scalar, Type};
use pointillist_spark::{Address, Operation, Parameter as Bound, Session, SessionOptions};
use pointillist_testkit::spark::{SparkOptions, SparkServer};

use crate::scalar::lower;
use crate::sql::Sql;
use crate::stage::Stage;
use crate::{Dialect, Parameter};

/// Settings of a session: the modes in which every form must say the same.
pub(super) const MODES: [(&str, [(&str, &str); 3]); 3] = [
    ("ANSI", [(ANSI, "true"), (STAGES, "true"), (FACTORY, "FALLBACK")]),
    ("not ANSI", [(ANSI, "false"), (STAGES, "true"), (FACTORY, "FALLBACK")]),
    ("ANSI, interpreted", [(ANSI, "true"), (STAGES, "false"), (FACTORY, "NO_CODEGEN")]),
];
const ANSI: &str = "spark.sql.ansi.enabled";
const STAGES: &str = "spark.sql.codegen.wholeStage";
const FACTORY: &str = "spark.sql.codegen.factoryMode";

/// A server in another zone than the sessions', for all tests.
fn server() -> Option<&'static SparkServer> {
    static SERVER: std::sync::OnceLock<Option<SparkServer>> = std::sync::OnceLock::new();
    let zone = ("spark.driver.extraJavaOptions", "-Duser.timezone=America/New_York".to_owned());
    let options = SparkOptions { executors: 0, memory_mb: 1024, settings: vec![zone] };
    SERVER.get_or_init(|| SparkServer::start_with(options)).as_ref()
}

pub(super) struct Rows {
    session: Session,
    table: &'static str,
    kinds: Vec<Type>,
    pub(super) arrays: Vec<ArrayRef>,
    pub(super) count: usize,
}

impl Rows {
    /// Rows of columns in a table of this name; `None` where there is no Spark.
    pub(super) fn new(table: &'static str, kinds: &[Type], columns: &[Vec<Option<Value>>]) -> Option<Self> {
        let address = Address::parse(&server()?.url()).unwrap();
        let session = Session::open(&address, None, SessionOptions::default()).unwrap();
        let pinned = [
            ("spark.sql.session.timeZone", "UTC"),
            ("spark.sql.parser.escapedStringLiterals", "false"),
            ("spark.sql.caseSensitive", "true"),
        ];
        session.configure(&pinned).unwrap();
        let count = columns[0].len();
        let mut kinds = kinds.to_vec();
        let mut arrays: Vec<ArrayRef> =
            kinds.iter().zip(columns).map(|(kind, column)| array_of(*kind, column)).collect();
        // The last column numbers the rows.
        kinds.push(Type::Integer);
        arrays.push(Arc::new(Int64Array::from_iter_values(0..count as i64)));
        let name = |at: usize| format!("c{at}");
        // Spark reads texts as they were before Arrow had views.
        let sent = arrays.iter().enumerate().map(|(at, array)| {
            let sent = match array.data_type() {
                DataType::Utf8View => cast(array, &DataType::Utf8).unwrap(),
                _ => Arc::clone(array),
            };
            (name(at), sent, true)
        });
        let batch = RecordBatch::try_from_iter_with_nullable(sent).unwrap();
        let mut stream = Vec::new();
        let mut writer = StreamWriter::try_new(&mut stream, &batch.schema()).unwrap();
        writer.write(&batch).unwrap();
        writer.finish().unwrap();
        drop(writer);
        let list: Vec<String> = kinds
            .iter()
            .enumerate()
            .map(|(at, kind)| format!("{} {}", name(at), Dialect::Spark.type_name(*kind)))
            .collect();
        session.register("sent", stream, &list.join(", ")).unwrap();
        // A file, because Spark computes over rows that it was sent without any of its usual machinery.
        session.command(&format!("CREATE TABLE {table} USING parquet AS SELECT * FROM sent"), &[]).unwrap();
        Some(Self { session, table, kinds, arrays, count })
    }

    pub(super) fn configure(&self, settings: &[(&str, &str)]) {
        self.session.configure(settings).unwrap();
    }

    /// The values of expressions here.
    pub(super) fn here(&self, scalar: &Scalar) -> ArrayRef {
        evaluate(scalar, &self.arrays, self.count)
    }

    /// The values of expressions there; nothing where one of them raises.
    pub(super) fn there(&self, scalars: &[&Scalar]) -> Option<Vec<ArrayRef>> {
        let mut stage = Stage::over(Dialect::Spark, &self.kinds);
        let number = stage.column(self.kinds.len() - 1).unwrap();
        let mut columns = vec![(Sql::own("r", 0), number)];
        for (at, scalar) in scalars.iter().enumerate() {
            columns.push((Sql::own("e", at), lower(&mut stage, scalar).unwrap()));
        }
        self.run(&stage.select(&Sql::words("SELECT * FROM {table}"), &columns, None))
    }

    /// The numbers of the rows there in which a condition is true.
    pub(super) fn filtered(&self, condition: &Scalar) -> Option<Vec<i64>> {
        let mut stage = Stage::over(Dialect::Spark, &self.kinds);
        let columns = [(Sql::own("r", 0), stage.column(self.kinds.len() - 1).unwrap())];
        let condition = lower(&mut stage, condition).unwrap();
        let answer =
            self.run(&stage.select(&Sql::words("SELECT * FROM {table}"), &columns, Some(&condition)))?;
        Some(answer[0].as_primitive::<Int64Type>().values().to_vec())
    }

    /// The columns of an answer in the order of its rows' numbers, which come first; these are left out if more follow.
    fn run(&self, sql: &Sql) -> Option<Vec<ArrayRef>> {
        let (text, parameters) = sql.render(Dialect::Spark);
        let text = format!("SELECT * FROM ({}) t ORDER BY r0", text.replace("{table}", self.table));
        let bound: Vec<Bound> = parameters.iter().map(bound).collect();
        let streams = self.session.query(&Operation::new().unwrap(), &text, &bound, &mut |_| ()).ok()?;
        let batches: Vec<RecordBatch> = streams
            .iter()
            .flat_map(|stream| StreamReader::try_new(stream.as_slice(), None).unwrap().map(Result::unwrap))
            .collect();
        let columns = batches[0].num_columns();
        let column = |at: usize| {
            let pieces: Vec<&dyn Array> = batches.iter().map(|batch| batch.column(at).as_ref()).collect();
            concat(&pieces).unwrap()
        };
        Some(((usize::from(columns > 1))..columns).map(column).collect())
    }
}

fn bound(parameter: &Parameter) -> Bound {
    match parameter {
        Parameter::Boolean(value) => Bound::Boolean(*value),
        Parameter::Integer(value) => Bound::Long(*value),
        Parameter::Number(value) => Bound::Double(*value),
        Parameter::Text(value) => Bound::Text(value.clone()),
        Parameter::Date(value) => Bound::Date(*value),
        Parameter::Timestamp(value) => Bound::Timestamp(*value),
        Parameter::Whole(_) | Parameter::List(..) => panic!("no expression has one"),
    }
}

/// An array of a type from values; a value of another type is NULL.
fn array_of(kind: Type, values: &[Option<Value>]) -> ArrayRef {
    macro_rules! collected {
        ($variant:ident, $array:ty) => {{
            let cell = |value: &Option<Value>| match value {
                Some(Value::$variant(value)) => Some(value.clone()),
                _ => None,
            };
            Arc::new(values.iter().map(cell).collect::<$array>())
        }};
    }
    match kind {
        Type::Boolean => collected!(Boolean, BooleanArray),
        Type::Integer => collected!(Integer, Int64Array),
        Type::Number => collected!(Number, Float64Array),
        Type::Text => collected!(Text, StringViewArray),
        Type::Date => collected!(Date, Date32Array),
        Type::Timestamp => collected!(Timestamp, TimestampMicrosecondArray),
    }
}

/// A value so that equal ones have equal bits.
pub(super) fn cell(array: &ArrayRef, row: usize) -> Option<String> {
    array.is_valid(row).then(|| match array.data_type() {
        DataType::Boolean => array.as_boolean().value(row).to_string(),
        DataType::Int64 => array.as_primitive::<Int64Type>().value(row).to_string(),
        DataType::Float64 => {
            let number = array.as_primitive::<Float64Type>().value(row);
            format!("{number:e} ({:x})", number.to_bits())
        }
        DataType::Date32 => array.as_primitive::<Date32Type>().value(row).to_string(),
        DataType::Timestamp(..) => array.as_primitive::<TimestampMicrosecondType>().value(row).to_string(),
        DataType::Utf8View => array.as_string_view().value(row).to_owned(),
        DataType::Utf8 => array.as_any().downcast_ref::<StringArray>().unwrap().value(row).to_owned(),
        other => panic!("{other}"),
    })
}

/// The first row in which two arrays differ, and what they hold there.
pub(super) fn difference(here: &ArrayRef, there: &ArrayRef) -> Option<String> {
    assert_eq!(here.len(), there.len());
    (0..here.len()).find_map(|row| {
        let (here, there) = (cell(here, row), cell(there, row));
        (here != there).then(|| format!("row {row}: {here:.60?} here, {there:.60?} on Spark"))
    })
}
