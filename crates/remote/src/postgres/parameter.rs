//! Parameters of a lowered statement as the connection binds them.

use pointillist_catalog::Value;
use pointillist_lowering::Parameter as Lowered;
use pointillist_plan::Type;
use pointillist_postgres::Parameter;

pub(super) fn bind(parameters: &[Lowered]) -> Vec<Parameter> {
    parameters.iter().map(one).collect()
}

fn one(parameter: &Lowered) -> Parameter {
    match parameter {
        Lowered::Boolean(value) => Parameter::Boolean(*value),
        Lowered::Integer(value) => Parameter::Integer(*value),
        Lowered::Number(value) => Parameter::Number(*value),
        Lowered::Text(value) => Parameter::Text(value.clone()),
        Lowered::Date(value) => Parameter::Date(*value),
        Lowered::Timestamp(value) => Parameter::Timestamp(*value),
        // Written `$1::text::numeric`.
        Lowered::Whole(value) => Parameter::Text(Some(value.to_string())),
        Lowered::List(kind, values) => list(*kind, values),
    }
}

/// A value of another type than its list's is a mistake of ours; it becomes NULL, and NULL is in no list of declared values.
fn list(kind: Type, values: &[Option<Value>]) -> Parameter {
    macro_rules! of {
        ($variant:ident) => {
            values
                .iter()
                .map(|value| match value {
                    Some(Value::$variant(value)) => Some(value.clone()),
                    _ => None,
                })
                .collect()
        };
    }
    match kind {
        Type::Boolean => Parameter::Booleans(of!(Boolean)),
        Type::Integer => Parameter::Integers(of!(Integer)),
        Type::Number => Parameter::Numbers(of!(Number)),
        Type::Text => Parameter::Texts(of!(Text)),
        Type::Date => Parameter::Dates(of!(Date)),
        Type::Timestamp => Parameter::Timestamps(of!(Timestamp)),
    }
}
