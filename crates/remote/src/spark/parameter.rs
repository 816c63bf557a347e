//! Parameters of a lowered statement as Spark is given them.

use pointillist_catalog::Value;
use pointillist_lowering::Parameter as Lowered;
use pointillist_plan::Type;
use pointillist_spark::{Element, Parameter};

pub(super) fn bind(parameters: &[Lowered]) -> Vec<Parameter> {
    parameters.iter().map(one).collect()
}

fn one(parameter: &Lowered) -> Parameter {
    match parameter {
        Lowered::Boolean(value) => Parameter::Boolean(*value),
        Lowered::Integer(value) => Parameter::Long(*value),
        Lowered::Number(value) => Parameter::Double(*value),
        Lowered::Text(value) => Parameter::Text(value.clone()),
        Lowered::Date(value) => Parameter::Date(*value),
        Lowered::Timestamp(value) => Parameter::Timestamp(*value),
        // Written `cast(? as decimal(38,0))`.
        Lowered::Whole(value) => Parameter::Text(Some(value.to_string())),
        Lowered::List(kind, values) => {
            let values = values.iter().map(|value| element(*kind, value.as_ref())).collect();
            Parameter::Array(element_type(*kind), values)
        }
    }
}

fn element_type(kind: Type) -> Element {
    match kind {
        Type::Boolean => Element::Boolean,
        Type::Integer => Element::Long,
        Type::Number => Element::Double,
        Type::Text => Element::Text,
        Type::Date => Element::Date,
        Type::Timestamp => Element::Timestamp,
    }
}

/// A value of another type than its list's is a mistake of ours; it becomes NULL, and NULL is in no list of declared values.
fn element(kind: Type, value: Option<&Value>) -> Parameter {
    match (kind, value) {
        (Type::Boolean, Some(Value::Boolean(value))) => Parameter::Boolean(Some(*value)),
        (Type::Integer, Some(Value::Integer(value))) => Parameter::Long(Some(*value)),
        (Type::Number, Some(Value::Number(value))) => Parameter::Double(Some(*value)),
        (Type::Text, Some(Value::Text(value))) => Parameter::Text(Some(value.clone())),
        (Type::Date, Some(Value::Date(value))) => Parameter::Date(Some(*value)),
        (Type::Timestamp, Some(Value::Timestamp(value))) => Parameter::Timestamp(Some(*value)),
        (Type::Boolean, _) => Parameter::Boolean(None),
        (Type::Integer, _) => Parameter::Long(None),
        (Type::Number, _) => Parameter::Double(None),
        (Type::Text, _) => Parameter::Text(None),
        (Type::Date, _) => Parameter::Date(None),
        (Type::Timestamp, _) => Parameter::Timestamp(None),
    }
}
