//! The free quote: what is asked, what it costs, which noise comes with it, how wrong it may be.
//!
//! Everything here is a function of the plan, which is a function of SQL, catalog and options: a quote leaks nothing.

use std::fmt;

use pointillist_mechanisms::additive_noise::Price;
use pointillist_numbers::{Enclosure, Rational, decimal_upper};
use pointillist_privacy::FailureProbability;

use crate::error_bound::error_bound;
use crate::{Answer, Cost, Form, Formula, Measure, Owner, PrivatePlan, Quantity, Relation, Scalar, text};

/// Digits of a scale or a price in a text.
const DIGITS: usize = 6;

/// A plan in numbers, for programs.
#[derive(Clone, Debug)]
pub struct Quote {
    /// What the whole answer costs.
    pub cost: Cost,
    /// The aggregates that the question names, in the order of the plan.
    pub aggregates: Vec<AggregateQuote>,
    /// The measures that are released, in the order of the plan.
    pub parts: Vec<PartQuote>,
    /// How keys are earned, where they are.
    pub keys: Option<KeysQuote>,
}

/// One aggregate.
#[derive(Clone, Debug)]
pub struct AggregateQuote {
    /// As the question writes it.
    pub name: String,
    /// `discrete_gaussian` or `discrete_laplace`.
    pub mechanism: &'static str,
    /// The noise's σ or scale in the aggregate's own values, rounded up; `None` where it is made of several noises.
    pub scale: Option<String>,
    /// With 95 % the noise stays within this, in all public groups at once where noisy numbers pick among them; `None` for
    /// means and variances, whose noise depends on how many rows there are: see the parts.
    pub error_95: Option<Rational>,
    /// The step of the grid that values lie on.
    pub grid: Rational,
    /// The measures it is computed from, by position.
    pub parts: Vec<usize>,
}

/// One released measure.
#[derive(Clone, Debug)]
pub struct PartQuote {
    /// What is added up.
    pub name: String,
    /// `discrete_gaussian` or `discrete_laplace`.
    pub mechanism: &'static str,
    /// The noise's σ or scale in values, rounded up.
    pub scale: String,
    /// How far the released numbers move with one person, in values: in L2 for Gaussian noise, in L1 for Laplace.
    pub sensitivity: String,
    /// Its part of the price.
    pub price: Price,
    /// With 95 % the noise of one group stays within this, in values.
    pub error_95: Rational,
    /// What one unit of the measure's integers is worth.
    pub unit: Rational,
}

/// How keys are earned.
#[derive(Clone, Debug)]
pub struct KeysQuote {
    /// The noisy number of people from which a key is shown.
    pub threshold: i128,
    /// With this many people a key is shown with 95 %.
    pub people_95: i128,
}

/// A plan in numbers.
pub fn quote(plan: &PrivatePlan) -> Quote {
    let beta = FailureProbability::parse("0.05").expect("a constant probability is valid");
    let aggregation = &plan.aggregation;
    let parts: Vec<PartQuote> = aggregation
        .measures
        .iter()
        .zip(&plan.releases)
        .map(|(measure, release)| {
            let (low, high) = measure.person_bounds(&aggregation.bound);
            let each = Rational::from(high.max(-low));
            let groups = Rational::from(aggregation.groups_moved());
            let (mechanism, sensitivity, scale) = match &release.price {
                Price::Pure(epsilon) => {
                    let sensitivity = each * groups;
                    ("discrete_laplace", sensitivity.clone(), &sensitivity / epsilon.value())
                }
                Price::Concentrated(rho) => {
                    let squared = each.squared() * groups;
                    let variance = &squared / &(rho.value() * &Rational::from(2));
                    ("discrete_gaussian", root_upper(&squared), root_upper(&variance))
                }
            };
            let unit = measure.unit();
            PartQuote {
                name: measure_text(measure, aggregation_columns(plan)),
                mechanism,
                scale: decimal_upper(&(&scale * &unit), DIGITS),
                sensitivity: decimal_upper(&(&sensitivity * &unit), DIGITS),
                price: release.price.clone(),
                error_95: &Rational::from(release.noise.error_bound(&beta)) * &unit,
                unit,
            }
        })
        .collect();
    // Of bars that must hold at once each fails more rarely than one alone.
    let at_once = plan.answer.bars_at_once_planned(aggregation);
    let share = FailureProbability::new(beta.value() / &Rational::from(at_once.max(1)))
        .expect("a part of a probability is one");
    let aggregates = plan.answer.aggregates.iter().map(|aggregate| {
        let (used, grid, only) = match &aggregate.formula {
            Formula::Sum { measure, .. } => {
                (vec![*measure], step(&aggregation.measures[*measure]), Some(*measure))
            }
            Formula::CentredSum { total, rows, grid } => (vec![*total, *rows], grid.step().clone(), None),
            Formula::Mean { total, rows, grid } => (vec![*total, *rows], grid.step().clone(), None),
            Formula::Variance { squares, total, rows, grid, .. } => {
                (vec![*squares, *total, *rows], grid.step().clone(), None)
            }
        };
        AggregateQuote {
            name: aggregate.name.clone(),
            mechanism: parts[used[0]].mechanism,
            scale: only.map(|measure| parts[measure].scale.clone()),
            error_95: error_bound(&aggregate.formula, &aggregation.measures, &plan.releases, &share),
            grid,
            parts: used,
        }
    });
    let aggregates = aggregates.collect();
    let keys = plan.selection.as_ref().map(|selection| KeysQuote {
        threshold: selection.threshold(),
        people_95: selection.people_needed(&beta),
    });
    Quote { cost: plan.cost.clone(), aggregates, parts, keys }
}

/// The plan as people read it, top-down.
pub fn describe(plan: &PrivatePlan) -> String {
    plan.to_string()
}

impl fmt::Display for PrivatePlan {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let quote = quote(self);
        writeln!(out, "{}", answer_text(self))?;
        for part in &quote.parts {
            let (norm, scale) = match &part.price {
                Price::Pure(_) => ("sensitivity_l1", "scale"),
                Price::Concentrated(_) => ("sensitivity_l2", "sigma"),
            };
            writeln!(
                out,
                "  Release {}  {}  {norm}={}  {scale}={}  {}  error_95=±{}",
                part.name,
                part.mechanism,
                part.sensitivity,
                part.scale,
                price_text(&part.price),
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
        let mut depth = 2;
        let mut line = |text: String| {
            let line = writeln!(out, "{:1$}{text}", "", 2 * depth);
            depth += 1;
            line
        };
        line(aggregate_text(self))?;
        let bound = &self.aggregation.bound;
        match &self.aggregation.owner {
            Owner::EachRow => line("BoundContributions unit=row".to_owned())?,
            Owner::Column(unit) => line(format!(
                "BoundContributions unit={unit}  groups<={}  rows_per_group<={}",
                bound.groups_max(),
                bound.rows_max()
            ))?,
        }
        let names = aggregation_columns(self);
        if let Some(filter) = &self.aggregation.filter {
            line(format!("Filter {}", text::scalar(filter, &names)))?;
        }
        let Relation::Table { name, .. } = &self.aggregation.relation;
        line(format!("Scan {name}"))?;
        writeln!(out, "cost: {}", self.cost)?;
        for aggregate in &quote.aggregates {
            match &aggregate.error_95 {
                Some(error) => {
                    writeln!(out, "error of {}: ±{} with 95 %", aggregate.name, decimal_upper(error, DIGITS))?
                }
                None => writeln!(
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

/// The cost in a few characters, rounded up.
impl fmt::Display for Cost {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Zcdp { rho, delta } => {
                write!(out, "rho = {}, delta = {delta}", decimal_upper(rho.value(), DIGITS))
            }
            Self::Pure { epsilon } => write!(out, "epsilon = {}", decimal_upper(epsilon.value(), DIGITS)),
        }
    }
}

fn price_text(price: &Price) -> String {
    match price {
        Price::Pure(epsilon) => format!("epsilon={}", decimal_upper(epsilon.value(), DIGITS)),
        Price::Concentrated(rho) => format!("rho={}", decimal_upper(rho.value(), DIGITS)),
    }
}

fn answer_text(plan: &PrivatePlan) -> String {
    let Answer { columns, having, order, skip, fetch, aggregates } = &plan.answer;
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

fn aggregation_columns(plan: &PrivatePlan) -> impl Fn(usize) -> Option<String> {
    let Relation::Table { columns, .. } = &plan.aggregation.relation;
    |column| columns.get(column).map(|column| column.name.clone())
}

/// A measure in a few words.
fn measure_text(measure: &Measure, names: impl Fn(usize) -> Option<String>) -> String {
    let names: &dyn Fn(usize) -> Option<String> = &names;
    let mut text = match &measure.quantity {
        Quantity::Rows => "COUNT(*)".to_owned(),
        Quantity::People => "COUNT(people)".to_owned(),
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

fn step(measure: &Measure) -> Rational {
    match &measure.quantity {
        Quantity::Rows | Quantity::People => Rational::one(),
        Quantity::Total { units, .. } => units.grid.step().clone(),
    }
}

fn root_upper(square: &Rational) -> Rational {
    Enclosure::of(square, 320).sqrt().upper()
}
