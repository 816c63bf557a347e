//! GROUP BY below the outermost SELECT: one row for each person, or for each person and key.
//!
//! **Theorem.** Groups of different units are different groups, so a GROUP BY that contains the untouched unit computes
//! each group from the rows of one person: the owner is implied ([`Relation::Group`]), and the other keys are keys. All
//! exact aggregates are allowed: what leaves is bounded and noisy above. Without the unit a group is made of many people's
//! rows, and its number would leave without noise.
//! **Facts.** A person has every combination of the other keys once. Numbers have the ranges of `facts.rs`: a count
//! reaches as many rows as a person is declared to have.

use pointillist_catalog::Column;
use pointillist_plan::{ExactAggregate, ExactFunction, Relation, Scalar};
use sqlparser::ast::{Expr, SelectItem, Value as Literal};

use crate::aggregate::AGGREGATES;
use crate::coercion::Typed;
use crate::exact::is_exact_call;
use crate::expression::Lowering;
use crate::facts;
use crate::from::Tables;
use crate::names::{self, Meaning, Visible};
use crate::plain::Plain;
use crate::refusal::{Refusal, shown};
use crate::size;
use crate::source::{IsUnit, Role, Source, Whose};
use crate::subquery::{Known, is_aggregate, item_of};

/// What the columns of groups are: keys, aggregates, units.
pub(crate) struct Groups {
    keys: Vec<Scalar>,
    aggregates: usize,
    /// The columns of rows that are the unit: the same in all rows of a person.
    units: Vec<usize>,
    /// The names of the columns of rows, for messages.
    names: Vec<String>,
}

impl Groups {
    /// Groups that are released: these keys of rows, then so many aggregates.
    pub(crate) fn released(keys: Vec<Scalar>, aggregates: usize, names: Vec<String>) -> Self {
        Self { keys, aggregates, units: Vec::new(), names }
    }

    /// Whether a SELECT has groups.
    pub(crate) fn asked(select: &Plain<'_>, exprs: &[&Expr]) -> bool {
        !select.group_by.is_empty()
            || select.having.is_some()
            || exprs.iter().any(|expr| !crate::conjuncts::inside(expr, is_exact_call).is_empty())
    }

    /// What a part of an expression over rows is over groups; `None` where its parts decide.
    pub(crate) fn column(&self, part: &Scalar) -> Option<Result<Scalar, Refusal>> {
        if let Some(key) = self.keys.iter().position(|key| key == part) {
            return Some(Ok(Scalar::Column(key)));
        }
        let Scalar::Column(column) = part else { return None };
        if is_aggregate(*column) {
            return Some(Ok(Scalar::Column(self.keys.len() + (column - AGGREGATES))));
        }
        if let Some(unit) = self.units.iter().position(|unit| unit == column) {
            return Some(Ok(Scalar::Column(self.keys.len() + self.aggregates + unit)));
        }
        let name = self.names.get(*column).map_or_else(String::new, |name| shown(name));
        Some(Err(Refusal::column(
            format!("`{name}` is neither a key of this GROUP BY nor inside an aggregate"),
            format!("add {name} to GROUP BY, or use MIN({name}) or another aggregate"),
        )))
    }
}

impl Tables<'_, '_> {
    /// Groups the rows of a source; its names are still those of the rows.
    pub(crate) fn grouped<'q>(
        &self,
        source: &mut Source,
        select: &Plain<'q>,
        exprs: &[&'q Expr],
        known: &mut Known<'q>,
    ) -> Result<Groups, Refusal> {
        let lowering = Lowering { known, ..Lowering::rows(&source.visible, self.nodes) };
        let (mut keys, mut of_a_person): (Vec<(Scalar, String)>, bool) = (Vec::new(), false);
        for expr in select.group_by {
            let expr = key(expr, select.projection, &source.visible)?;
            if source.names_the_unit(expr) {
                of_a_person = true;
                continue;
            }
            let typed = lowering.expression(expr)?;
            let kind = typed.known();
            let scalar = typed.into_type(kind, "GROUP BY")?;
            if !keys.iter().any(|(known, _)| *known == scalar) {
                keys.push((scalar, crate::answer::column_name(expr)));
            }
        }
        self.of_one_person(source, of_a_person, "GROUP BY", "GROUP BY")?;
        let mut aggregates: Vec<(ExactAggregate, String)> = Vec::new();
        let mut found: Known<'q> = Vec::new();
        for call in exprs.iter().flat_map(|expr| crate::conjuncts::inside(expr, is_exact_call)) {
            let (aggregate, kind) = self.exact(call, &lowering)?;
            let place = aggregates.iter().position(|(known, _)| *known == aggregate).unwrap_or_else(|| {
                aggregates.push((aggregate, crate::answer::column_name(call)));
                aggregates.len() - 1
            });
            found.push((call, Typed::new(Scalar::Column(AGGREGATES + place), kind)));
        }
        known.extend(found);
        self.group(source, keys, aggregates)
    }

    /// Puts a group around a source.
    pub(crate) fn group(
        &self,
        source: &mut Source,
        keys: Vec<(Scalar, String)>,
        mut aggregates: Vec<(ExactAggregate, String)>,
    ) -> Result<Groups, Refusal> {
        let asked = aggregates.len();
        let units: Vec<usize> = (0..source.roles.len())
            .filter(|column| source.roles[*column].unit == IsUnit::Yes)
            .filter(|column| !keys.iter().any(|(key, _)| *key == Scalar::Column(*column)))
            .collect();
        let name = |column: usize| source.columns[column].name.clone();
        aggregates.extend(units.iter().map(|unit| (least(*unit), name(*unit))));
        self.nodes.take(keys.len() + aggregates.len() + 1)?;
        let rows = source.rows_of_a_person(self.max_contributions);
        let facts_of_keys = keys.iter().map(|(key, name)| facts::of(key, &source.columns, name));
        let facts_of_aggregates =
            aggregates.iter().map(|(one, name)| facts::aggregate(one, &source.columns, rows, name));
        let columns: Vec<Column> = facts_of_keys.chain(facts_of_aggregates).collect();
        let mut roles: Vec<Role> = keys.iter().map(|(key, _)| source.role(key)).collect();
        roles.extend(aggregates[..asked].iter().map(|(one, _)| {
            let table = source.role(&one.value).table;
            Role { table, ..Role::default() }
        }));
        roles.extend(units.iter().map(|unit| source.roles[*unit].clone()));
        roles.iter_mut().for_each(|role| role.row_number = false);
        let once: Vec<bool> = roles.iter().map(|role| source.once_a_person(role)).collect();
        let names = source.columns.iter().map(|column| column.name.clone()).collect();
        let keys: Vec<Scalar> = keys.into_iter().map(|(key, _)| key).collect();
        source.relation = Relation::Group {
            input: Box::new(source.filtered()),
            keys: keys.clone(),
            aggregates: aggregates.into_iter().map(|(one, _)| one).collect(),
        };
        size::check_relation(&source.relation)?;
        source.filter = None;
        source.columns = columns;
        source.roles = roles;
        let several: Vec<usize> = (0..keys.len()).filter(|key| !once[*key]).collect();
        if let Whose::People(people) = &mut source.whose {
            people.as_declared |= several.len() < keys.len();
            people.unique = Some(several);
        }
        Ok(Groups { keys, aggregates: asked, units, names })
    }

    /// Each row once.
    pub(crate) fn distinct(&self, mut source: Source) -> Result<Source, Refusal> {
        let unit = source.visible.iter().any(|one| source.is_unit(&one.meaning) == IsUnit::Yes);
        self.of_one_person(&source, unit, "DISTINCT", "SELECT DISTINCT")?;
        let mut keys: Vec<(Scalar, String)> = Vec::new();
        for one in &source.visible {
            match &one.meaning {
                Meaning::Value(_) if source.is_unit(&one.meaning) == IsUnit::Yes => {}
                Meaning::Value(typed) => {
                    if !keys.iter().any(|(known, _)| *known == typed.scalar) {
                        keys.push((typed.scalar.clone(), one.name.clone()));
                    }
                }
                Meaning::Owner(None) => {}
                Meaning::Owner(Some(_)) | Meaning::Link(_) => {
                    return Err(Refusal::not_provable(
                        format!("DISTINCT of `{}`, which is not declared as a column", shown(&one.name)),
                        "leave it out, or ask the owner to declare it",
                    ));
                }
            }
        }
        let mut visible = source.visible.clone();
        let groups = self.group(&mut source, keys, Vec::new())?;
        for one in &mut visible {
            if let Meaning::Value(typed) = &mut one.meaning
                && let Some(column) = groups.column(&typed.scalar)
            {
                typed.scalar = column?;
            }
        }
        source.visible = visible;
        Ok(source)
    }

    /// Refuses to put rows of several people together.
    pub(crate) fn of_one_person(
        &self,
        source: &Source,
        has_unit: bool,
        what: &str,
        place: &str,
    ) -> Result<(), Refusal> {
        let Some(people) = source.people() else { return Ok(()) };
        match &people.unit {
            None => Err(Refusal::not_provable(
                format!(
                    "every row of `{}` is another person, so {what} below the outermost SELECT would mix people",
                    source.tables()
                ),
                "aggregate in the outermost SELECT",
            )),
            Some(_) if has_unit => Ok(()),
            Some(unit) => Err(released(what, place, unit)),
        }
    }
}

/// Why a subquery that puts people's rows together is not answered.
fn released(what: &str, place: &str, unit: &str) -> Refusal {
    Refusal::not_provable(
        format!("{what} below the outermost SELECT puts rows of several people together"),
        format!(
            "add `{0}` as it is to {place} to compute one row for each person; for one number of all people ask that \
             question first and write its released answer into this one",
            shown(unit)
        ),
    )
}

/// What a key of GROUP BY means: an item by its number, a column, or an item by its name.
pub(crate) fn key<'q>(
    expr: &'q Expr,
    projection: &'q [SelectItem],
    visible: &[Visible],
) -> Result<&'q Expr, Refusal> {
    if let Expr::Value(literal) = expr
        && let Literal::Number(digits, false) = &literal.value
    {
        let item = digits.parse::<usize>().ok().and_then(|number| projection.get(number.checked_sub(1)?));
        return item.and_then(item_of).map(|(expr, _)| expr).ok_or_else(|| {
            Refusal::parameter(
                format!("GROUP BY {} names no column", shown(digits)),
                format!("the columns are numbered from 1 to {}", projection.len()),
            )
        });
    }
    if let Some([name]) = names::named(expr).as_deref()
        && names::find(visible, std::slice::from_ref(name)).is_err()
    {
        let items = projection.iter().filter_map(item_of);
        let mut named = items.filter(|(_, alias)| alias.as_ref() == Some(name));
        if let Some((expr, _)) = named.next() {
            return Ok(expr);
        }
    }
    Ok(expr)
}

/// The value that is the same in all rows of a person.
fn least(column: usize) -> ExactAggregate {
    ExactAggregate {
        function: ExactFunction::Minimum,
        value: Scalar::Column(column),
        counted: None,
        distinct: false,
    }
}
