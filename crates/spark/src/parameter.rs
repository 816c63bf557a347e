//! What a statement is given: typed values for its `?`, in their order.
//!
//! **Guarantee.** A parameter travels as a literal of its type beside the statement, and never as a part of its text.

use crate::messages::{DataType, Empty, Expression, Literal, LiteralArray, StringType};

/// A value, or a list that travels as an array. `None` is NULL.
#[derive(Clone, Debug, PartialEq)]
pub enum Parameter {
    /// `BOOLEAN`.
    Boolean(Option<bool>),
    /// `BIGINT`.
    Long(Option<i64>),
    /// `DOUBLE`.
    Double(Option<f64>),
    /// `STRING`.
    Text(Option<String>),
    /// `DATE`, in days since 1970.
    Date(Option<i32>),
    /// `TIMESTAMP_NTZ`, in microseconds since 1970.
    Timestamp(Option<i64>),
    /// `ARRAY` of one type; whoever makes one gives it elements of that type.
    Array(Element, Vec<Parameter>),
}

/// What an array holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// `BOOLEAN`.
    Boolean,
    /// `BIGINT`.
    Long,
    /// `DOUBLE`.
    Double,
    /// `STRING`.
    Text,
    /// `DATE`.
    Date,
    /// `TIMESTAMP_NTZ`.
    Timestamp,
}

impl Element {
    fn data_type(self) -> DataType {
        let empty = Some(Empty {});
        let none = DataType::default();
        match self {
            Self::Boolean => DataType { boolean: empty, ..none },
            Self::Long => DataType { long: empty, ..none },
            Self::Double => DataType { double: empty, ..none },
            // Without the name of a collation: a STRING that names one is of another type to Spark.
            Self::Text => DataType { string: Some(StringType::default()), ..none },
            Self::Date => DataType { date: empty, ..none },
            Self::Timestamp => DataType { timestamp_ntz: empty, ..none },
        }
    }
}

impl Parameter {
    pub(crate) fn expression(&self) -> Expression {
        Expression { literal: Some(self.literal()) }
    }

    fn literal(&self) -> Literal {
        let none = Literal::default();
        let null = |element: Element| Literal { null: Some(element.data_type()), ..Literal::default() };
        match self {
            Self::Boolean(None) => null(Element::Boolean),
            Self::Long(None) => null(Element::Long),
            Self::Double(None) => null(Element::Double),
            Self::Text(None) => null(Element::Text),
            Self::Date(None) => null(Element::Date),
            Self::Timestamp(None) => null(Element::Timestamp),
            Self::Boolean(value) => Literal { boolean: *value, ..none },
            Self::Long(value) => Literal { long: *value, ..none },
            Self::Double(value) => Literal { double: *value, ..none },
            Self::Text(value) => Literal { string: value.clone(), ..none },
            Self::Date(value) => Literal { date: *value, ..none },
            Self::Timestamp(value) => Literal { timestamp_ntz: *value, ..none },
            Self::Array(element, values) => {
                let elements = values.iter().map(Self::literal).collect();
                let array = LiteralArray { element_type: Some(element.data_type()), elements };
                Literal { array: Some(array), ..none }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prost::Message;

    /// Specification: a value that is zero, false or empty is there all the same, and NULL has a type.
    #[test]
    fn nothing_is_left_out_because_it_is_small() {
        for (parameter, bytes) in [
            (Parameter::Boolean(Some(false)), vec![0x18, 0]),
            (Parameter::Long(Some(0)), vec![0x38, 0]),
            (Parameter::Text(Some(String::new())), vec![0x6a, 0]),
            (Parameter::Date(Some(0)), vec![0x80, 1, 0]),
            (Parameter::Timestamp(Some(0)), vec![0x90, 1, 0]),
            (Parameter::Long(None), vec![0x0a, 2, 0x3a, 0]),
        ] {
            assert_eq!(parameter.literal().encode_to_vec(), bytes, "{parameter:?}");
        }
        let zero = Parameter::Double(Some(0.0)).literal().encode_to_vec();
        assert_eq!(zero, [&[0x59u8][..], &[0; 8]].concat());
    }
}
