//! What a graph's statistic says, as a table like every other answer.

use pointillist_catalog::Value;
use pointillist_graph::{Answer as Statistic, Estimate, Figure};
use pointillist_numbers::Rational;
use pointillist_plan::{Role, Type};
use pointillist_query::GRAPH_COLUMNS;
use pointillist_render::chart::{Chart, Scale, Series};

use crate::answer::{Answer, Column, Disclosure, Mechanism, Row};

impl Answer {
    /// The columns `degree` (in distributions), `value`, `lower` and `upper`, or those of them that were chosen; the
    /// interval of `value` goes from `lower` to `upper`, and may be open at either end.
    pub fn of_graph(statistic: &Statistic, mechanism: &'static str, chosen: Option<&[String]>) -> Self {
        let estimates = &statistic.estimates;
        let distribution = estimates.iter().any(|estimate| estimate.degree.is_some());
        let fits = |figure: Figure| matches!(figure, Figure::Whole(value) if i64::try_from(value).is_ok());
        let whole = estimates.iter().all(|estimate| fits(estimate.value));
        let names: Vec<&str> = match chosen {
            Some(chosen) => chosen.iter().map(String::as_str).collect(),
            None => GRAPH_COLUMNS.into_iter().filter(|name| distribution || *name != "degree").collect(),
        };
        let error_95 = match estimates.as_slice() {
            [only] => Some(only.error_95()).filter(|error| error.is_finite()),
            _ => None,
        };
        let column = |name: &&str| {
            let (kind, role) = match *name {
                "degree" => (Type::Integer, Role::Key(0)),
                "value" if whole => (Type::Integer, Role::Aggregate(0)),
                "value" => (Type::Number, Role::Aggregate(0)),
                _ => (Type::Number, Role::Derived),
            };
            let release = (*name == "value").then(|| Disclosure {
                mechanism: Mechanism::Graph(mechanism),
                scale: None,
                rank_error_95: None,
                error_95,
                grid: whole.then(Rational::one),
            });
            let has_interval = *name == "value";
            Column { name: (*name).to_owned(), kind, role, release, has_interval }
        };
        let rows = estimates.iter().map(|estimate| Row {
            values: names.iter().map(|name| cell(estimate, name, whole)).collect(),
            intervals: names
                .iter()
                .map(|name| (*name == "value").then_some((estimate.lower, estimate.upper)))
                .collect(),
        });
        let rows = rows.collect();
        Self { columns: names.iter().map(column).collect(), rows, notes: statistic.notes.clone() }
    }

    /// The figures of an answer about a graph, row by row; none where no `value` was asked for.
    pub fn estimates(&self) -> Vec<Estimate> {
        let named = |name: &str| self.columns.iter().position(|column| column.name == name);
        let (degree, Some(value)) = (named("degree"), named("value")) else { return Vec::new() };
        let estimate = |row: &Row| {
            let (lower, upper) = row.intervals[value]?;
            let degree = match degree.and_then(|degree| row.values[degree].as_ref()) {
                Some(Value::Integer(degree)) => u64::try_from(*degree).ok(),
                _ => None,
            };
            Some(Estimate { degree, value: figure(row.values[value].as_ref()?)?, lower, upper })
        };
        self.rows.iter().filter_map(estimate).collect()
    }
}

impl Answer {
    /// A degree distribution as a drawing on logarithmic axes, with the band in which the truth lies.
    pub fn plot_degrees(&self, title: String) -> Chart {
        degree_chart(&self.estimates(), title)
    }
}

fn degree_chart(estimates: &[Estimate], title: String) -> Chart {
    let known = || {
        estimates.iter().filter_map(|estimate| Some((estimate.degree.filter(|d| *d > 0)? as f64, estimate)))
    };
    let top = known().map(|(_, estimate)| estimate.value.as_f64()).fold(1.0, f64::max);
    let finite = |value: f64| if value.is_finite() { value } else { top };
    let series = Series {
        name: "nodes with at least this degree, 95 % band".to_owned(),
        points: known().map(|(degree, estimate)| (degree, estimate.value.as_f64())).collect(),
        // A count below one half of a node is not drawn on a logarithmic axis: the band ends there.
        band: known().map(|(d, estimate)| (d, estimate.lower.max(0.5), finite(estimate.upper))).collect(),
        ..Series::default()
    };
    Chart {
        title,
        x_name: "degree".to_owned(),
        y_name: "nodes".to_owned(),
        x_scale: Scale::Logarithmic,
        y_scale: Scale::Logarithmic,
        series: vec![series],
    }
}

/// A count that passes 64 bits is a float in a table; no other figure is as large.
fn figure(value: &Value) -> Option<Figure> {
    match value {
        Value::Integer(value) => Some(Figure::Whole((*value).into())),
        Value::Number(value) if value.abs() >= i64::MAX as f64 => Some(Figure::Whole(*value as i128)),
        Value::Number(value) => Some(Figure::Ratio(*value)),
        _ => None,
    }
}

fn cell(estimate: &Estimate, name: &str, whole: bool) -> Option<Value> {
    match name {
        "degree" => estimate.degree.map(|degree| Value::Integer(i64::try_from(degree).unwrap_or(i64::MAX))),
        "value" => match estimate.value {
            Figure::Whole(value) if whole => i64::try_from(value).ok().map(Value::Integer),
            other => Value::number(other.as_f64()),
        },
        "lower" => Value::number(estimate.lower),
        _ => Value::number(estimate.upper),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(estimates: Vec<Estimate>) -> Answer {
        Answer::of_graph(&Statistic { estimates, notes: Vec::new() }, "ladder", None)
    }

    /// Specification: figures come back from the table as they were, open ends and counts beyond 64 bits included.
    #[test]
    fn a_table_holds_the_figures_of_a_graph() {
        let share = Estimate { degree: None, value: Figure::Ratio(0.25), lower: 0.2, upper: f64::INFINITY };
        let many = Estimate::count(1 << 70, 8.0);
        let degrees: Vec<Estimate> =
            (0..3).map(|degree| Estimate { degree: Some(degree), ..Estimate::count(9, 2.0) }).collect();
        for estimates in [vec![share], vec![many], vec![Estimate::count(-3, 1.0)], degrees, Vec::new()] {
            assert_eq!(answer(estimates.clone()).estimates(), estimates);
        }
        let chosen = ["upper".to_owned()];
        let upper = Answer::of_graph(
            &Statistic { estimates: vec![Estimate::count(1, 1.0)], notes: Vec::new() },
            "ladder",
            Some(&chosen),
        );
        assert!(upper.estimates().is_empty() && upper.rows[0].values == [Value::number(2.0)]);
    }

    /// Specification: a share has no grid: its digits are those that its error leaves standing.
    #[test]
    fn a_share_is_shown_with_the_digits_it_is_worth() {
        let share = Estimate { degree: None, value: Figure::Ratio(0.123_456), lower: 0.1, upper: 0.15 };
        let shown = answer(vec![share]);
        assert_eq!(shown.digits(0).value(shown.rows[0].values[0].as_ref()).as_deref(), Some("0.123"));
        let count = answer(vec![Estimate::count(7, 2.5)]);
        assert_eq!((count.digits(0).low(4.5), count.digits(0).high(9.5)), ("4".into(), "10".into()));
    }
}
