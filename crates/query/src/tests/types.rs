//! The planner's types are those of the language: nobody downstream has to guess one.

use pointillist_catalog::Value;
use pointillist_plan::{Quantity, Type, type_of};

use super::fixture::plan;
use super::sql::answered;

/// Specification: for every statement that is answered, conditions are truth values, what is added up are numbers, and
/// keys, columns and orders have the types that the plan says.
#[test]
fn every_expression_of_a_plan_has_the_type_that_the_plan_says() {
    for sql in answered().iter().map(|example| example.sql.as_str()) {
        let plan = plan(sql);
        let rows = plan.aggregation.relation.types();
        let conditions = plan.aggregation.measures.iter().filter_map(|measure| measure.counted.as_ref());
        for condition in plan.aggregation.filter.iter().chain(conditions) {
            assert_eq!(type_of(condition, &rows), Some(Type::Boolean), "{sql}");
        }
        for measure in &plan.aggregation.measures {
            if let Quantity::Total { value, .. } = &measure.quantity {
                assert!(matches!(type_of(value, &rows), Some(Type::Integer | Type::Number)), "{sql}");
            }
        }
        for key in &plan.aggregation.keys {
            assert_eq!(type_of(&key.value, &rows), Some(key.kind), "{sql}");
        }
        let groups = plan.answer_types();
        for having in plan.answer.having.iter() {
            assert_eq!(type_of(having, &groups), Some(Type::Boolean), "{sql}");
        }
        for column in &plan.answer.columns {
            assert_eq!(type_of(&column.value, &groups), Some(column.kind), "{sql}: {}", column.name);
        }
        for order in &plan.answer.order {
            assert_eq!(type_of(&order.by, &groups), Some(order.kind), "{sql}");
        }
    }
}

#[test]
fn the_constants_of_a_question_are_those_that_it_names() {
    let plan = plan(
        "SELECT region, COUNT(*), SUM(CASE WHEN ward LIKE 'a%' THEN 3 ELSE 0 END) FROM visits \
         WHERE age > 18 AND ward <> 'it''s 7' GROUP BY region HAVING COUNT(*) > 40",
    );
    let text = |text: &str| Value::Text(text.to_owned());
    let whole = [0, 3, 18].map(Value::Integer);
    assert_eq!(plan.aggregation.constants(), [whole.as_slice(), &[text("a%"), text("it's 7")]].concat());
}
