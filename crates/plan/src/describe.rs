//! A plan as people read it, top-down.
//!
//! Everything here is a function of the plan, which is a function of SQL, catalog and options: the text leaks nothing.

use std::fmt;

use pointillist_mechanisms::{Grid, Rank, WeightedQuantile};
use pointillist_numbers::decimal_upper;
use pointillist_privacy::{Currency, Price, Spend};

use crate::relation_text::{column_names, lines};
use crate::{AnswerPlan, Form, Law, Measure, Ownership, PrivatePlan, Quantity, Scalar, StatementPlan, text};

/// Digits of a scale or a price in a text.
const DIGITS: usize = 6;

impl fmt::Display for PrivatePlan {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(out, "{}", answer_text(self))?;
        for part in self.measure_noises() {
            if part.law == Law::Choice {
                writeln!(
                    out,
                    "  Release {}  {}  rows_per_person={}  scale={} rows  {}  rank_error_95=±{} rows",
                    part.name,
                    part.law.name(),
                    decimal_upper(&part.sensitivity_upper, DIGITS),
                    decimal_upper(&part.scale_upper, DIGITS),
                    spend_text(&part.spend),
                    part.error_95.ceil(),
                )?;
                continue;
            }
            let (norm, scale) = match &part.spend {
                Spend::Pure(_) => ("sensitivity_l1", "scale"),
                Spend::Concentrated(_) => ("sensitivity_l2", "sigma"),
            };
            writeln!(
                out,
                "  Release {}  {}  {norm}={}  {scale}={}  {}  error_95=±{}",
                part.name,
                part.law.name(),
                decimal_upper(&part.sensitivity_upper, DIGITS),
                decimal_upper(&part.scale_upper, DIGITS),
                spend_text(&part.spend),
                decimal_upper(&part.error_95, DIGITS),
            )?;
        }
        if let Some(selection) = &self.selection {
            let (rho, delta) = selection.loss().approximate_rho().expect("earned keys are approximate zCDP");
            writeln!(
                out,
                "  EarnKeys threshold={}  rho={}  delta={delta}",
                selection.threshold(),
                decimal_upper(rho.value(), DIGITS)
            )?;
        }
        let mut below = vec![aggregate_text(self)];
        let bound = &self.aggregation.bound;
        below.push(match self.aggregation.ownership() {
            Ownership::EachRow | Ownership::Nobody => "BoundContributions unit=row".to_owned(),
            Ownership::People(unit) => format!(
                "BoundContributions unit={unit}  groups<={}  rows_per_group<={}",
                bound.groups_max(),
                bound.rows_max()
            ),
        });
        let names = aggregation_columns(self);
        if let Some(filter) = &self.aggregation.filter {
            below.push(format!("Filter {}", text::scalar(filter, &names)));
        }
        for (depth, line) in below.iter().enumerate() {
            writeln!(out, "{:1$}{line}", "", 4 + 2 * depth)?;
        }
        for (depth, line) in lines(&self.aggregation.relation) {
            writeln!(out, "{:1$}{line}", "", 4 + 2 * (below.len() + depth))?;
        }
        writeln!(out, "cost: {}", price_text(&self.price))?;
        for (aggregate, noise) in self.answer.aggregates.iter().zip(self.aggregate_noises()) {
            match (&noise.error_95, &noise.rank_error_95) {
                (Some(error), _) => {
                    writeln!(out, "error of {}: ±{} with 95 %", aggregate.name, decimal_upper(error, DIGITS))?
                }
                (None, Some(rows)) => {
                    let of = self.releases[noise.measures[0]].choice().and_then(WeightedQuantile::from_end);
                    let rank = of.map_or_else(|| "its rank".to_owned(), |rank| format!("rank {rank}"));
                    let rows = rows.ceil().to_string();
                    writeln!(
                        out,
                        "error of {}: off {rank} by at most {rows} {} with 95 %",
                        aggregate.name,
                        if rows == "1" { "row" } else { "rows" }
                    )?
                }
                (None, None) => writeln!(
                    out,
                    "error of {}: depends on how many rows there are; its parts have the errors above",
                    aggregate.name
                )?,
            }
        }
        for note in &self.notes {
            writeln!(out, "note: {note}")?;
        }
        Ok(())
    }
}

impl fmt::Display for StatementPlan {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (parts, outer) = (self.parts(), self.outer());
        let Some(outer) = outer else { return parts.iter().try_for_each(|part| part.fmt(out)) };
        let names: Vec<&str> = outer.columns.iter().map(|column| column.name.as_str()).collect();
        writeln!(out, "Answer {}  (computed from what is released below, free)", names.join(", "))?;
        for (depth, line) in lines(&outer.relation) {
            writeln!(out, "{:1$}{line}", "", 2 + 2 * depth)?;
        }
        let releases = self.releases();
        for (position, part) in parts.iter().enumerate() {
            let number = position + 1;
            match self.release_of(position).map(|release| releases[release]) {
                Some(by) if by != position => writeln!(out, "Released {number}: the numbers of {}", by + 1)?,
                _ => {
                    writeln!(out, "Released {number}:")?;
                    part.to_string().lines().try_for_each(|line| writeln!(out, "  {line}"))?;
                }
            }
        }
        if releases.len() > 1 {
            writeln!(out, "cost of all: {}", price_text(&self.price()))?;
        }
        self.notes.iter().try_for_each(|note| writeln!(out, "note: {note}"))
    }
}

/// The price in a few characters, rounded up.
fn price_text(price: &Price) -> String {
    let loss = decimal_upper(&price.amount().loss(), DIGITS);
    match price.currency() {
        Currency::Zcdp => format!("rho = {loss}, delta = {}", price.amount().delta()),
        Currency::Pure => format!("epsilon = {loss}"),
    }
}

fn spend_text(spend: &Spend) -> String {
    match spend {
        Spend::Pure(epsilon) => format!("epsilon={}", decimal_upper(epsilon.value(), DIGITS)),
        Spend::Concentrated(rho) => format!("rho={}", decimal_upper(rho.value(), DIGITS)),
    }
}

fn answer_text(plan: &PrivatePlan) -> String {
    let AnswerPlan { columns, having, order, skip, fetch, aggregates } = &plan.answer;
    let keys = &plan.aggregation.keys;
    let names = aggregation_columns(plan);
    let name = |column: usize| match keys.get(column) {
        Some(key) => Some(text::scalar(&key.value, &names)),
        None => aggregates.get(column - keys.len()).map(|aggregate| aggregate.name.clone()),
    };
    let shown: Vec<String> = columns
        .iter()
        .map(|column| {
            let value = text::scalar(&column.value, &name);
            if value == column.name { value } else { format!("{value} AS {}", column.name) }
        })
        .collect();
    let mut line = format!("Answer {}", shown.join(", "));
    if let Some(having) = having {
        line.push_str(&format!("  having {}", text::scalar(having, &name)));
    }
    if !order.is_empty() {
        let by: Vec<String> = order
            .iter()
            .map(|order| {
                format!("{}{}", text::scalar(&order.by, &name), if order.descending { " desc" } else { "" })
            })
            .collect();
        line.push_str(&format!("  order by {}", by.join(", ")));
    }
    if *skip > 0 {
        line.push_str(&format!("  offset {skip}"));
    }
    if let Some(fetch) = fetch {
        line.push_str(&format!("  limit {fetch}"));
    }
    line
}

fn aggregate_text(plan: &PrivatePlan) -> String {
    let aggregation = &plan.aggregation;
    let names = aggregation_columns(plan);
    let measures: Vec<String> =
        aggregation.measures.iter().map(|measure| measure_text(measure, &names)).collect();
    let mut line = format!("Aggregate {}", measures.join(", "));
    if !aggregation.keys.is_empty() {
        let keys: Vec<String> = aggregation.keys.iter().map(|key| text::scalar(&key.value, &names)).collect();
        line.push_str(&format!(" BY {}", keys.join(", ")));
        match &aggregation.domain {
            Some(domain) => line.push_str(&format!(" [public keys: {} groups]", domain.len())),
            None => line.push_str(" [earned keys]"),
        }
    }
    line
}

pub(crate) fn aggregation_columns(plan: &PrivatePlan) -> impl Fn(usize) -> Option<String> + use<> {
    let names = column_names(&plan.aggregation.relation);
    move |column| names.get(column).cloned()
}

/// A measure in a few words.
pub(crate) fn measure_text(measure: &Measure, names: impl Fn(usize) -> Option<String>) -> String {
    let names: &dyn Fn(usize) -> Option<String> = &names;
    let mut text = match &measure.quantity {
        Quantity::Rows => "COUNT(*)".to_owned(),
        Quantity::People => "COUNT(people)".to_owned(),
        Quantity::PeopleCut => "COUNT(people who are cut)".to_owned(),
        Quantity::Total { value, units, .. } => {
            let (lower, upper) = (units.grid.lower(), units.grid.upper());
            let clamped = format!("clamp({}, {lower}, {upper})", text::scalar(value, names));
            match units.form {
                Form::Linear { factor: 2, offset } if offset == -units.grid.last_index() => {
                    format!("SUM({clamped} - {})", units.grid.midpoint())
                }
                Form::Linear { .. } => format!("SUM({clamped})"),
                Form::CentredSquare => format!("SUM(({clamped} - {})^2)", units.grid.midpoint()),
            }
        }
        Quantity::Product { left, right, .. } => {
            let centred = |(value, grid): &(Scalar, Grid)| {
                let value = text::scalar(value, names);
                format!("(clamp({value}, {}, {}) - {})", grid.lower(), grid.upper(), grid.midpoint())
            };
            format!("SUM({} * {})", centred(left), centred(right))
        }
        Quantity::Distinct { value } => format!("COUNT(DISTINCT {})", text::scalar(value, names)),
        Quantity::Quantile { value, grid, rank } => {
            let clamped =
                format!("clamp({}, {}, {})", text::scalar(value, names), grid.lower(), grid.upper());
            match rank {
                Rank::Part(part) => format!("QUANTILE({clamped}, {part})"),
                Rank::Least => format!("MIN({clamped})"),
                Rank::Greatest => format!("MAX({clamped})"),
            }
        }
    };
    match &measure.counted {
        None => {}
        Some(Scalar::Not(inner))
            if matches!(inner.as_ref(), Scalar::IsNull(_)) && measure.quantity == Quantity::Rows =>
        {
            let Scalar::IsNull(value) = inner.as_ref() else { return text };
            text = format!("COUNT({})", text::scalar(value, names));
        }
        Some(counted) => text.push_str(&format!(" FILTER ({})", text::scalar(counted, names))),
    }
    text
}
