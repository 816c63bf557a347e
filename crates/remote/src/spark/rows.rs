//! Arrow batches of a lowered statement as groups of whole numbers.
//!
//! **Guarantee.** A row has one key of each type, the people and one total a measure, or there is no answer: nothing is rounded,
//! cut or left out. Whole numbers come as decimal text, because no integer of Spark holds 128 bits.

use std::io::Cursor;

use arrow::array::{Array, AsArray, RecordBatch};
use arrow::datatypes::{DataType, Date32Type, Float64Type, Int64Type, TimeUnit, TimestampMicrosecondType};
use arrow::ipc::reader::StreamReader;
use pointillist_catalog::Value;
use pointillist_plan::Type;

/// A key, then the people of its group and one total a measure: what `pointillist_engine::Groups::from_rows` takes.
pub type GroupRow = (Vec<Option<Value>>, Vec<i128>);

/// Every row, or nothing where one of them is not such a row.
pub(super) fn read(streams: Vec<Vec<u8>>, keys: &[Type], measures: usize) -> Option<Vec<GroupRow>> {
    let mut rows = Vec::new();
    for stream in streams {
        for batch in StreamReader::try_new(Cursor::new(stream), None).ok()? {
            let batch = batch.ok()?;
            if batch.num_columns() != keys.len() + 1 + measures {
                return None;
            }
            for at in 0..batch.num_rows() {
                rows.push(one(&batch, at, keys)?);
            }
        }
    }
    Some(rows)
}

fn one(batch: &RecordBatch, at: usize, keys: &[Type]) -> Option<GroupRow> {
    let (key, numbers) = batch.columns().split_at(keys.len());
    let key = key.iter().zip(keys).map(|(column, kind)| value(column.as_ref(), at, *kind));
    let key = key.collect::<Option<Vec<_>>>()?;
    let number = |column: &dyn Array| {
        let column = column.as_string_opt::<i32>()?;
        (!column.is_null(at)).then(|| column.value(at).parse::<i128>().ok())?
    };
    let numbers = numbers.iter().map(|column| number(column.as_ref())).collect::<Option<Vec<_>>>()?;
    // People are counted; nobody is fewer than none.
    (numbers[0] >= 0).then_some((key, numbers))
}

/// A value of the type, or NULL; nothing where it is of another type.
fn value(column: &dyn Array, at: usize, kind: Type) -> Option<Option<Value>> {
    let is_kind = match kind {
        Type::Boolean => column.data_type() == &DataType::Boolean,
        Type::Integer => column.data_type() == &DataType::Int64,
        Type::Number => column.data_type() == &DataType::Float64,
        Type::Text => column.data_type() == &DataType::Utf8,
        Type::Date => column.data_type() == &DataType::Date32,
        Type::Timestamp => column.data_type() == &DataType::Timestamp(TimeUnit::Microsecond, None),
    };
    if !is_kind {
        return None;
    }
    if column.is_null(at) {
        return Some(None);
    }
    let value = match kind {
        Type::Boolean => Value::Boolean(column.as_boolean().value(at)),
        Type::Integer => Value::Integer(column.as_primitive::<Int64Type>().value(at)),
        Type::Number => Value::number(column.as_primitive::<Float64Type>().value(at))?,
        Type::Text => Value::Text(column.as_string::<i32>().value(at).to_owned()),
        Type::Date => Value::Date(column.as_primitive::<Date32Type>().value(at)),
        Type::Timestamp => Value::Timestamp(column.as_primitive::<TimestampMicrosecondType>().value(at)),
    };
    Some(Some(value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    use arrow::array::{ArrayRef, Int32Array, Int64Array, StringArray};
    use arrow::ipc::writer::StreamWriter;

    fn stream(columns: Vec<ArrayRef>) -> Vec<u8> {
        let names = ["a", "b", "c"];
        let batch = RecordBatch::try_from_iter(names.into_iter().zip(columns)).unwrap();
        let mut bytes = Vec::new();
        let mut writer = StreamWriter::try_new(&mut bytes, &batch.schema()).unwrap();
        writer.write(&batch).unwrap();
        writer.finish().unwrap();
        drop(writer);
        bytes
    }

    fn texts(texts: &[Option<&str>]) -> ArrayRef {
        Arc::new(StringArray::from(texts.to_vec()))
    }

    /// Specification: the rows are whole, or there are none.
    #[test]
    fn one_row_that_is_none_is_no_answer() {
        let keys = || Arc::new(Int64Array::from(vec![Some(7), None])) as ArrayRef;
        let most = i128::MAX.to_string();
        let good = stream(vec![keys(), texts(&[Some("2"), Some("0")]), texts(&[Some("-5"), Some(&most)])]);
        let expected = [(vec![Some(Value::Integer(7))], vec![2, -5]), (vec![None], vec![0, i128::MAX])];
        assert!(read(vec![good.clone()], &[Type::Integer], 1).unwrap() == expected);
        assert!(read(vec![good.clone()], &[Type::Integer], 2).is_none());
        assert!(read(vec![good.clone()], &[Type::Text], 1).is_none());
        assert!(read(vec![good.clone(), good[..good.len() / 2].to_vec()], &[Type::Integer], 1).is_none());
        for (people, total) in
            [(Some("-1"), Some("1")), (None, Some("1")), (Some("1"), Some("1.0")), (Some("1"), None)]
        {
            let one = Arc::new(Int64Array::from(vec![7])) as ArrayRef;
            let row = stream(vec![one, texts(&[people]), texts(&[total])]);
            assert!(read(vec![row], &[Type::Integer], 1).is_none(), "{people:?} {total:?}");
        }
        let narrow = stream(vec![Arc::new(Int32Array::from(vec![7])), texts(&[Some("1")])]);
        assert!(read(vec![narrow], &[Type::Integer], 0).is_none());
    }
}
