//! Values that travel beside a statement.
//!
//! **Guarantee.** A parameter has a type and is bound by the protocol of its engine: it is never part of a text that is parsed.

use pointillist_catalog::Value;
use pointillist_plan::Type;

/// A value, or a column of values.
#[derive(Clone, Debug, PartialEq)]
pub enum Parameter {
    /// A truth value.
    Boolean(Option<bool>),
    /// A whole number.
    Integer(Option<i64>),
    /// A finite number.
    Number(Option<f64>),
    /// A text without U+0000.
    Text(Option<String>),
    /// Days since 1970.
    Date(Option<i32>),
    /// Microseconds since 1970.
    Timestamp(Option<i64>),
    /// A whole number of up to 38 digits, as decimal text: `numeric` and `decimal(38, 0)`.
    Whole(i128),
    /// Values of one type, one after the other.
    List(Type, Vec<Option<Value>>),
}

impl Parameter {
    /// The constant, or NULL of a type.
    pub(crate) fn of(kind: Type, value: Option<&Value>) -> Self {
        match (kind, value) {
            (_, Some(Value::Boolean(value))) => Self::Boolean(Some(*value)),
            (_, Some(Value::Integer(value))) => Self::Integer(Some(*value)),
            (_, Some(Value::Number(value))) => Self::Number(Some(*value)),
            (_, Some(Value::Text(value))) => Self::Text(Some(value.clone())),
            (_, Some(Value::Date(value))) => Self::Date(Some(*value)),
            (_, Some(Value::Timestamp(value))) => Self::Timestamp(Some(*value)),
            (Type::Boolean, None) => Self::Boolean(None),
            (Type::Integer, None) => Self::Integer(None),
            (Type::Number, None) => Self::Number(None),
            (Type::Text, None) => Self::Text(None),
            (Type::Date, None) => Self::Date(None),
            (Type::Timestamp, None) => Self::Timestamp(None),
        }
    }

    /// Whether a text in it holds U+0000, which PostgreSQL's texts cannot.
    pub(crate) fn has_nul(&self) -> bool {
        let nul = |text: &str| text.contains('\0');
        match self {
            Self::Text(Some(text)) => nul(text),
            Self::List(_, values) => {
                values.iter().flatten().any(|value| matches!(value, Value::Text(text) if nul(text)))
            }
            _ => false,
        }
    }
}
