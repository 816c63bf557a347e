//! A SELECT as the rows that a model is trained on.
//!
//! **Guarantee.** That of every question here: a function of the catalog, the text and the options, which reads no data;
//! and what comes out satisfies the contract of `plan/src/training_rows.rs`. Every feature has public bounds, or a public
//! list of values, from declarations, constants and operators alone (`bounds.rs`, `domain.rs`): what has none is refused,
//! as a sum of it would be.
//! **One row in, one row out.** The items of the SELECT look at one row of FROM. What looks at several rows of a person
//! (GROUP BY, windows) may stand in a subquery there, where it works within one person as it does for every question.

use pointillist_catalog::calendar::{parse_date, parse_timestamp};
use pointillist_catalog::{Catalog, Column, Value};
use pointillist_learn::{ColumnEncoding, ColumnKind, Encoding, Label, NumberUnit};
use pointillist_mechanisms::Grid;
use pointillist_numbers::Rational;
use pointillist_plan::{Code, Relation, Scalar, TrainingColumn, TrainingRows, Type, text, visit};
use sqlparser::ast::{Expr, Query};

use crate::answer::{self, Item};
use crate::bounds;
use crate::conjuncts::inside;
use crate::contribution;
use crate::domain;
use crate::exact::is_exact_call;
use crate::expression::Lowering;
use crate::from::Tables;
use crate::measure;
use crate::options::Options;
use crate::parse;
use crate::period;
use crate::plain::{Named, Plain};
use crate::prediction;
use crate::prune;
use crate::refusal::{Refusal, did_you_mean, shown};
use crate::select;
use crate::size::Nodes;
use crate::source::{IsUnit, Source, Whose};
use crate::subquery::item_of;
use crate::window::is_window;

/// The most features of a model.
const FEATURES_MAX: usize = 1_000;
/// Grids of features have fewer steps than this: every code fits 32 bits.
const STEPS_MAX: i64 = (1 << 32) - 1;

/// The rows that a SELECT names for training: its items are the features, but for the one of the target's name.
///
/// Of the options, here and in the statement, `max_contributions` (how many rows of a person are used) and `period`
/// count; a price is the model's and not the rows'.
///
/// # Errors
/// When the statement is not understood, or a feature has no public bounds or values.
pub fn training_rows(
    catalog: &Catalog,
    sql: &str,
    target: Option<&str>,
    options: &Options,
) -> Result<TrainingRows, Refusal> {
    rows(catalog, sql, Coding::Declared { target }, options)
}

/// The rows that a SELECT names for a model that is public already: its items are found by the names of the model's columns, and
/// coded by the model's own bounds and lists. Those are public, whatever the catalog says of the columns, so nothing
/// has to be declared but the types.
///
/// # Errors
/// When the statement is not understood, an item is missing or left over, or is of another type than the model's column.
pub(crate) fn evaluation_rows(
    catalog: &Catalog,
    sql: &str,
    encoding: &Encoding,
    options: &Options,
) -> Result<TrainingRows, Refusal> {
    rows(catalog, sql, Coding::Model(encoding), options)
}

/// How values become codes.
#[derive(Clone, Copy)]
enum Coding<'a> {
    /// By what is declared of columns and follows for expressions.
    Declared { target: Option<&'a str> },
    /// By the columns of a model.
    Model(&'a Encoding),
}

fn rows(
    catalog: &Catalog,
    sql: &str,
    coding: Coding<'_>,
    options: &Options,
) -> Result<TrainingRows, Refusal> {
    let (mut query, in_statement) = parse::read(sql)?;
    prediction::write_out(catalog, &mut query).map_err(|refusal| refusal.located(sql))?;
    let rows = Options {
        max_contributions: in_statement.max_contributions,
        period: in_statement.period.clone(),
        ..Options::default()
    };
    if rows != in_statement {
        return Err(Refusal::parameter(
            "these rows are for a model, and the statement names a price or another option of an answer",
            "give the model's price beside the statement; max_contributions and period may stand in it",
        ));
    }
    let options = options.overridden_by(&in_statement);
    planned(catalog, &query, coding, &options).map_err(|refusal| refusal.located(sql))
}

fn planned(
    catalog: &Catalog,
    query: &Query,
    coding: Coding<'_>,
    options: &Options,
) -> Result<TrainingRows, Refusal> {
    let nodes = Nodes::new();
    let (max_contributions, period) = (options.max_contributions, options.period.as_deref());
    let tables = Tables { catalog, nodes: &nodes, max_contributions, period, releases: None, public: None };
    check_query(query)?;
    let (select, named) = tables.plain_query(query, &Named::new(), 0)?;
    check_select(&select)?;
    let (source, known) = select::rows(&tables, &select, &named, 0)?;
    if !source.relation.parts().is_empty() {
        return Err(select::mixed());
    }
    let people = match &source.whose {
        Whose::People(people) => people,
        Whose::Public => return Err(select::public(&source)),
    };
    let scope = catalog.paying_scope(&people.scope).ok_or_else(|| {
        Refusal::table(
            format!("the scope `{}` of `{}` is not declared", shown(&people.scope), source.tables()),
            "ask the owner to declare it in the catalog",
        )
    })?;
    let mut notes = period::notes(&people.scope, scope);
    let rows_max = contribution::rows_of_training(people, options, &mut notes)?;
    let lowering = Lowering { known: &known, ..Lowering::rows(&source.visible, &nodes) };
    let items = answer::items(select.projection, &lowering)?;
    let (features, target) = match coding {
        Coding::Declared { target } => columns(items, target, &source)?,
        Coding::Model(encoding) => columns_of_model(items, encoding, &source)?,
    };
    let mut rows = TrainingRows {
        scope: people.scope.clone(),
        relation: Relation::Union(Vec::new()),
        filter: source.filter.clone(),
        rows_max,
        features,
        target,
        notes,
    };
    read_from(&mut rows, &source, catalog);
    Ok(rows)
}

/// Gives the rows their relation, with only the columns that are used and without rows that lack a required value.
fn read_from(rows: &mut TrainingRows, source: &Source, catalog: &Catalog) {
    let mut present = Vec::new();
    if let Relation::Table(_) = &source.relation {
        let used = rows.expressions().flat_map(visit::columns).collect();
        (rows.filter, present) = select::with_values(&source.columns, rows.filter.take(), used);
    }
    let used: Vec<usize> = rows.expressions().flat_map(visit::columns).collect();
    let pruned = prune::pruned(&source.relation, &used, catalog);
    rows.relation = pruned.relation;
    for scalar in rows.expressions_mut() {
        *scalar = prune::moved(scalar, &pruned.kept);
    }
    present.extend(pruned.required);
    rows.notes.extend(select::required_note(&present));
}

/// Refuses what comes after a SELECT: rows for training have no order, and some of them are nobody's choice.
fn check_query(query: &Query) -> Result<(), Refusal> {
    if query.order_by.is_some() || query.limit_clause.is_some() || query.fetch.is_some() {
        return Err(Refusal::not_provable(
            "ORDER BY and LIMIT would let one person's rows push out another's",
            "leave them out; WHERE chooses rows, and max_contributions says how many of a person are used",
        ));
    }
    Ok(())
}

/// Refuses a SELECT that puts rows together.
fn check_select(select: &Plain<'_>) -> Result<(), Refusal> {
    let within = "a subquery in FROM may put the rows of one person together: FROM (SELECT … GROUP BY the privacy unit)";
    let exprs = || select.projection.iter().filter_map(|item| Some(item_of(item)?.0));
    let holds = |wanted: fn(&Expr) -> bool| exprs().any(|expr| !inside(expr, wanted).is_empty());
    let what = if !select.group_by.is_empty() || select.having.is_some() {
        "GROUP BY and HAVING put rows together"
    } else if select.distinct {
        "DISTINCT puts rows together"
    } else if !select.windows.is_empty() || select.qualify.is_some() || holds(is_window) {
        "a window lets one row see others"
    } else if holds(is_exact_call) {
        "an aggregate puts rows together"
    } else if exprs().count() < select.projection.len() {
        return Err(Refusal::not_provable(
            "the features of a model are not named",
            "name each one: SELECT age, region, income FROM …",
        ));
    } else {
        return Ok(());
    };
    Err(Refusal::not_provable(format!("{what}, and a model is trained on single rows"), within))
}

/// The features, and the target where there is one.
fn columns(
    items: Vec<Item>,
    target: Option<&str>,
    source: &Source,
) -> Result<(Vec<TrainingColumn>, Option<TrainingColumn>), Refusal> {
    let names = names(&items)?;
    let place = match target {
        None => None,
        Some(target) => Some(find(&names, target)?),
    };
    let mut features = Vec::new();
    let mut found = None;
    for (at, item) in items.into_iter().enumerate() {
        let column = column(item, source)?;
        match Some(at) == place {
            true => found = Some(column),
            false => features.push(column),
        }
    }
    if features.is_empty() {
        return Err(Refusal::not_provable("there are no features", "name columns beside the target"));
    }
    Ok((features, found))
}

/// The features and the target of a model, in the order of its columns.
fn columns_of_model(
    items: Vec<Item>,
    encoding: &Encoding,
    source: &Source,
) -> Result<(Vec<TrainingColumn>, Option<TrainingColumn>), Refusal> {
    let names = names(&items)?;
    let wanted = || encoding.columns().iter().chain(encoding.target());
    for name in &names {
        if !wanted().any(|column| column.name == *name) {
            let known = wanted().map(|column| column.name.as_str());
            return Err(Refusal::column(
                format!("the model has no column `{}`", shown(name)),
                did_you_mean(name, known, || {
                    let known: Vec<String> = wanted().map(|column| shown(&column.name)).collect();
                    format!("its columns are {}; write AS where a table has other names", known.join(", "))
                }),
            ));
        }
    }
    let mut items: Vec<Option<Item>> = items.into_iter().map(Some).collect();
    let mut coded = |column: &ColumnEncoding| -> Result<TrainingColumn, Refusal> {
        let place = names.iter().position(|name| *name == column.name);
        let item = place.and_then(|place| items[place].take()).ok_or_else(|| {
            Refusal::column(
                format!("no item of SELECT is called `{}`, which the model needs", shown(&column.name)),
                "name all columns of the model and its target in SELECT, with AS where a table has other names",
            )
        })?;
        column_of_model(item, column, source)
    };
    let features = encoding.columns().iter().map(&mut coded).collect::<Result<Vec<_>, _>>()?;
    let target = encoding.target().map(coded).transpose()?;
    Ok((features, target))
}

/// The names of items, each once.
fn names(items: &[Item]) -> Result<Vec<String>, Refusal> {
    let names: Vec<String> = items.iter().map(|item| item.name.clone()).collect();
    if items.len() > FEATURES_MAX {
        return Err(Refusal::syntax(
            format!("the statement has more than {FEATURES_MAX} items"),
            "choose fewer features",
        ));
    }
    for (at, name) in names.iter().enumerate() {
        if name == "?column?" {
            return Err(Refusal::not_provable(
                format!("item {} of SELECT has no name", at + 1),
                "write AS and a name, by which the model knows it",
            ));
        }
        if names[..at].contains(name) {
            return Err(Refusal::not_provable(
                format!("two items of SELECT are called `{}`", shown(name)),
                "write AS and another name for one of them",
            ));
        }
    }
    Ok(names)
}

/// The item of a name: as it is written, or else in lower case, as SQL reads names without quotes.
fn find(names: &[String], target: &str) -> Result<usize, Refusal> {
    let folded = target.to_lowercase();
    let exact = names.iter().position(|name| name == target);
    exact.or_else(|| names.iter().position(|name| *name == folded)).ok_or_else(|| {
        let known = names.iter().map(String::as_str);
        Refusal::column(
            format!("no item of SELECT is called `{}`", shown(target)),
            did_you_mean(&folded, known, || "name the target in SELECT, beside the features".to_owned()),
        )
    })
}

fn column(item: Item, source: &Source) -> Result<TrainingColumn, Refusal> {
    let (name, value, kind) = feature(item, source)?;
    let code = code(&name, &value, kind, &source.columns)?;
    let nullable = !bounds::never_null(&value, &source.columns);
    Ok(TrainingColumn { name, value, kind, code, nullable })
}

/// A column of a model, where the item is of its type.
fn column_of_model(item: Item, column: &ColumnEncoding, source: &Source) -> Result<TrainingColumn, Refusal> {
    let (name, value, kind) = feature(item, source)?;
    let (value, kind) = match (kind, wanted_type(column)) {
        (Type::Integer, Some(Type::Number)) => (Scalar::Cast(Box::new(value), Type::Number), Type::Number),
        _ => (value, kind),
    };
    let code = model_code(column, kind).ok_or_else(|| {
        Refusal::parameter(
            format!("`{}` is of another type than the column of the model", shown(&name)),
            format!(
                "the model has {} there; an expression may make it of the column: CAST(x AS …) AS {}",
                described(column),
                shown(&name)
            ),
        )
    })?;
    Ok(TrainingColumn { name, value, kind, code, nullable: column.nullable })
}

/// The type that listed numbers have, where not all of them are whole.
fn wanted_type(column: &ColumnEncoding) -> Option<Type> {
    match &column.kind {
        ColumnKind::Category { values } => {
            values.iter().flatten().any(|label| matches!(label, Label::Number(_))).then_some(Type::Number)
        }
        ColumnKind::Number { .. } | ColumnKind::Truth => None,
    }
}

/// What a column of a model holds, in words.
fn described(column: &ColumnEncoding) -> &'static str {
    match &column.kind {
        ColumnKind::Number { unit: NumberUnit::Number, .. } => "numbers",
        ColumnKind::Number { unit: NumberUnit::Day, .. } => "days",
        ColumnKind::Number { unit: NumberUnit::Microsecond, .. } => "moments",
        ColumnKind::Category { .. } => "listed values",
        ColumnKind::Truth => "truths",
    }
}

/// How values of a type become the codes that a model knows; `None` where they are of another kind.
fn model_code(column: &ColumnEncoding, kind: Type) -> Option<Code> {
    Some(match (&column.kind, kind) {
        (ColumnKind::Truth, Type::Boolean) => Code::Truth,
        (ColumnKind::Number { lower, upper, steps, unit }, _) => {
            match (unit, kind) {
                (NumberUnit::Number, Type::Integer | Type::Number)
                | (NumberUnit::Day, Type::Date)
                | (NumberUnit::Microsecond, Type::Timestamp) => {}
                _ => return None,
            }
            let (lower, upper) = (Rational::from_f64(*lower).ok()?, Rational::from_f64(*upper).ok()?);
            let step = (&upper - &lower) / Rational::from(*steps);
            Code::Number(Grid::new(lower, upper, step).ok()?)
        }
        (ColumnKind::Category { values }, _) => {
            let value = |label: &Option<Label>| match label {
                None => Some(None),
                Some(label) => Some(Some(listed_value(label, kind)?)),
            };
            Code::Category(values.iter().map(value).collect::<Option<_>>()?)
        }
        (ColumnKind::Truth, _) => return None,
    })
}

/// A listed value of a model as a value of this type.
fn listed_value(label: &Label, kind: Type) -> Option<Value> {
    match (label, kind) {
        (Label::Truth(truth), Type::Boolean) => Some(Value::Boolean(*truth)),
        (Label::Integer(whole), Type::Integer) => Some(Value::Integer(*whole)),
        (Label::Integer(_) | Label::Number(_), Type::Number) => Value::number(label.number()?),
        (Label::Text(text), Type::Text) => Some(Value::Text(text.clone())),
        (Label::Text(text), Type::Date) => parse_date(text).map(Value::Date),
        (Label::Text(text), Type::Timestamp) => parse_timestamp(text).map(Value::Timestamp),
        _ => None,
    }
}

/// An item that may be a column of rows: its name, its value and the type of it.
fn feature(item: Item, source: &Source) -> Result<(String, Scalar, Type), Refusal> {
    let Item { name, value } = item;
    let kind = value.known();
    let value = value.into_type(kind, "a feature")?;
    if let Scalar::Column(column) = &value
        && source.roles.get(*column).is_some_and(|role| role.unit != IsUnit::No)
    {
        return Err(Refusal::not_private(
            format!(
                "`{}` says who somebody is: what a model learns from it is about single people",
                shown(&name)
            ),
            "leave it out",
        ));
    }
    Ok((name, value, kind))
}

/// Public bounds before public lists: what is a number stays one.
fn code(name: &str, value: &Scalar, kind: Type, columns: &[Column]) -> Result<Code, Refusal> {
    let number =
        || measure::grid(&format!("`{}`", shown(name)), value, kind, columns, STEPS_MAX).map(Code::Number);
    match kind {
        Type::Boolean => Ok(Code::Truth),
        Type::Text => listed(value, columns).ok_or_else(|| unlisted(name, value, columns)),
        Type::Integer | Type::Number | Type::Date | Type::Timestamp => {
            let bounded = bounds::range(value, columns).finite().is_some();
            match listed(value, columns).filter(|_| !bounded) {
                Some(code) => Ok(code),
                None => number(),
            }
        }
    }
}

/// The public values, each once.
fn listed(value: &Scalar, columns: &[Column]) -> Option<Code> {
    let values: Vec<Option<Value>> = domain::of(value, columns)?.values;
    (!values.is_empty()).then_some(Code::Category(values))
}

fn unlisted(name: &str, value: &Scalar, columns: &[Column]) -> Refusal {
    let column_name = |column: usize| columns.get(column).map(|column| column.name.clone());
    let written = text::scalar(value, &column_name);
    let cases = format!("CASE WHEN {written} = '…' THEN '…' ELSE 'other' END names the values that matter");
    let hint = match value {
        Scalar::Column(column) => match columns.get(*column) {
            Some(column) => format!("the owner can declare public_keys for `{}`; or {cases}", column.name),
            None => cases,
        },
        _ => cases,
    };
    Refusal::not_private(
        format!("the values of `{}` are not public, and a model would show which there are", shown(name)),
        hint,
    )
}
