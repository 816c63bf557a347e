//! A SELECT as a question: rows, keys, measures, bounds, price, answer.
//!
//! **Guarantee.** What is not understood is refused here or below, before anything is charged or read; what comes
//! out satisfies the contract of `pointillist_plan`.

use std::cell::RefCell;

use pointillist_catalog::{Catalog, Column};
use pointillist_numbers::Rational;
use pointillist_plan::{
    Aggregate, Aggregation, AnswerPlan, Arithmetic, Function, KeyColumn, PrivatePlan, Relation, Release,
    Scalar, Type, error_bound, visit,
};
use pointillist_privacy::FailureProbability;
use sqlparser::ast::{Expr, OrderBy, Query};

use crate::aggregate::{Asked, Collector, Person};
use crate::answer::{self, Item, Released};
use crate::coercion::Typed;
use crate::conjuncts::conjuncts;
use crate::contribution;
use crate::domain::{self, Groups};
use crate::expression::Lowering;
use crate::from::Tables;
use crate::measure::Measures;
use crate::options::Options;
use crate::period;
use crate::plain::{Named, Plain};
use crate::price;
use crate::prune;
use crate::ratio::Ratios;
use crate::refusal::{Refusal, shown};
use crate::size::Nodes;
use crate::source::{Source, Whose};
use crate::subquery::{Known, item_of};

/// Keys of one question, at most.
const KEYS_MAX: usize = 32;
/// Aggregates of one question, at most.
const AGGREGATES_MAX: usize = 256;

/// The plan of a parsed query.
pub(crate) fn plan(catalog: &Catalog, query: &Query, options: &Options) -> Result<PrivatePlan, Refusal> {
    let nodes = Nodes::new();
    let max_contributions = options.max_contributions;
    let period = options.period.as_deref();
    let tables = Tables { catalog, nodes: &nodes, max_contributions, period, releases: None, public: None };
    let (select, named) = tables.plain_query(query, &Named::new(), 0)?;
    let asked =
        Question { select: &select, order_by: query.order_by.as_ref(), limits: answer::limits(query)? };
    release(&tables, &asked, &named, 0, options, 1)
}

/// A SELECT, its order and its limits.
pub(crate) struct Question<'q> {
    pub(crate) select: &'q Plain<'q>,
    pub(crate) order_by: Option<&'q OrderBy>,
    pub(crate) limits: (u64, Option<u64>),
}

/// The plan of a SELECT over people's rows, at one of so many even shares of the price.
pub(crate) fn release<'q>(
    tables: &Tables<'_, '_>,
    question: &Question<'q>,
    named: &Named<'q>,
    depth: usize,
    options: &Options,
    shares: usize,
) -> Result<PrivatePlan, Refusal> {
    let Question { select, order_by, limits } = question;
    let (catalog, nodes) = (tables.catalog, tables.nodes);
    let (source, known) = rows(tables, select, named, depth)?;
    if !source.relation.parts().is_empty() {
        return Err(mixed());
    }
    let people = match &source.whose {
        Whose::People(people) => people,
        Whose::Public => return Err(public(&source)),
    };
    let scope = catalog.paying_scope(&people.scope).ok_or_else(|| {
        Refusal::table(
            format!("the scope `{}` of `{}` is not declared", shown(&people.scope), source.tables()),
            "ask the owner to declare it in the catalog",
        )
    })?;
    let person = source.person();
    let names: Vec<String> = source.columns.iter().map(|column| column.name.clone()).collect();
    let collector = RefCell::new(Collector::new(person.clone(), &source.columns));
    let rows = Lowering { known: &known, ..Lowering::rows(&source.visible, nodes) };
    let filter = source.filter.clone();

    let outer = Lowering { aggregates: Some(&collector), ..rows };
    let mut items = answer::items(select.projection, &outer)?;
    let key_columns = keys(select, &items, &rows)?;
    let keys: Vec<Scalar> = key_columns.iter().map(|key| key.value.clone()).collect();
    let aliases: Vec<(String, Typed)> =
        items.iter().map(|item| (item.name.clone(), item.value.clone())).collect();
    let outer = Lowering { aliases: &aliases, ..outer };
    let always = select.having.filter(|having| keys.is_empty() && answer::counts_a_row(having));
    let having = select.having.filter(|_| always.is_none());
    let mut having = having.map(|having| outer.condition(having, "HAVING")).transpose()?;
    let mut order = answer::order(*order_by, &items, &outer)?;
    let columns = &source.columns;
    let named = collector.into_inner().asked;
    let mut ratios = Ratios::new(named.clone(), columns);
    let ordered = order.iter_mut().map(|(value, _)| &mut value.scalar);
    let mut scalars: Vec<&mut Scalar> =
        items.iter_mut().map(|item| &mut item.value.scalar).chain(&mut having).chain(ordered).collect();
    scalars.iter_mut().for_each(|scalar| **scalar = ratios.rewritten(scalar));
    let (asked, ratio_notes) = ratios.finish(&mut scalars, person != Person::EachRow);

    let released = Released { keys: &keys, columns: &names };
    let mut frame = answer::frame(released.columns(&items)?, *limits);
    frame.having = having.as_ref().map(|having| released.of(having)).transpose()?;
    for (value, options) in &order {
        frame.order.push(answer::criterion(released.of(&value.scalar)?, value.known(), options));
    }
    check_asked(&asked, &keys)?;

    let mut own_notes = period::notes(&people.scope, scope);
    own_notes.extend(always.map(|_| {
        "HAVING COUNT(*) > 0 is left out: the one group of all rows is shown whether there are any".to_owned()
    }));
    let domain = public_groups(&keys, columns, filter.as_ref(), &mut own_notes);
    if domain.is_none() {
        check_not_the_unit(&keys, &person)?;
    }
    if asked.is_empty() && domain.is_some() {
        return Err(Refusal::not_provable(
            "these keys are public, so listing them says nothing about the data",
            "add COUNT(*), or another aggregate",
        ));
    }
    let groups = domain.as_ref().map(Vec::len);
    let contribution = contribution::bound(&source, people, options, &keys, groups, &asked)?;
    let bound = contribution.bound;
    own_notes.extend(contribution.notes);
    let groups = if keys.is_empty() { Some(1) } else { groups };
    let mut measures = Measures::new(&bound, person == Person::EachRow, groups);
    for one in &asked {
        let formula = measures.formula(one, &asked, columns)?;
        frame.aggregates.push(Aggregate { name: one.name.clone(), kind: one.what.kind(columns), formula });
    }
    own_notes.extend((options.bias == Some(true)).then(|| measures.people_cut(&asked)).flatten());
    measures.check(&bound)?;
    let (filter, mut present) = match &source.relation {
        Relation::Table(_) => required(columns, filter, &keys, &named),
        _ => (filter, Vec::new()),
    };
    let mut aggregation = Aggregation {
        relation: Relation::Union(Vec::new()),
        filter,
        bound,
        keys: key_columns,
        domain,
        measures: measures.measures,
    };
    let at_tables = read_from(&mut aggregation, &source, catalog, &named);
    present.extend(at_tables);
    own_notes.extend(required_note(&present));
    let declared = aggregation.relation.table().and_then(|scan| catalog.tables.get(&scan.table));
    let size = declared.and_then(|table| table.size).map(|size| size.get());
    let priced = price::priced(scope, options, &aggregation, &frame, size, shares)?;
    check_whole_numbers(&frame, &aggregation, &priced.releases)?;
    let mut plan = PrivatePlan {
        scope: people.scope.clone(),
        aggregation,
        releases: priced.releases,
        selection: priced.selection,
        loss: priced.loss,
        price: priced.price,
        answer: frame,
        by_error: options.error.is_some(),
        notes: priced.notes,
    };
    plan.notes.extend(own_notes);
    plan.notes.extend(ratio_notes);
    // Last what `terms.rs` writes anew when recorded numbers answer the question.
    plan.notes.extend(pointillist_plan::notes(&plan));
    Ok(plan)
}

/// Refuses a question that is about single rows, or about too much.
fn check_asked(asked: &[Asked], keys: &[Scalar]) -> Result<(), Refusal> {
    if asked.is_empty() && keys.is_empty() {
        return Err(answer::single_rows());
    }
    if asked.len() > AGGREGATES_MAX {
        return Err(Refusal::syntax(
            format!("the statement has more than {AGGREGATES_MAX} aggregates"),
            "ask several questions",
        ));
    }
    Ok(())
}

/// The rows that a SELECT is about, and the subqueries that have become columns beside them.
pub(crate) fn rows<'q>(
    tables: &Tables<'_, '_>,
    select: &Plain<'q>,
    named: &Named<'q>,
    depth: usize,
) -> Result<(Source, Known<'q>), Refusal> {
    select.without_windows()?;
    let mut wheres = select.selection.map(conjuncts).unwrap_or_default();
    let mut source = tables.from(select.from, named, depth, &mut wheres)?;
    tables.filter(&mut source, &wheres, named, depth)?;
    let items = select.projection.iter().filter_map(|item| Some(item_of(item)?.0));
    let exprs: Vec<&Expr> = items.chain(select.group_by).collect();
    let known = tables.subqueries(&mut source, &exprs, named, depth)?;
    Ok((source, known))
}

/// The groups that are shown whatever the data.
fn public_groups(
    keys: &[Scalar],
    columns: &[Column],
    filter: Option<&Scalar>,
    notes: &mut Vec<String>,
) -> Option<Vec<Vec<Option<pointillist_catalog::Value>>>> {
    match domain::groups(keys, columns) {
        Groups::Public(groups) => Some(domain::satisfying(groups, keys, filter)),
        Groups::TooMany(size, most) => {
            notes.push(format!(
                "the keys are public, but they make {size} groups, more than the {most} that are shown whole: keys are earned"
            ));
            None
        }
        Groups::Unknown => None,
    }
}

/// Why people's rows do not meet released numbers in one question.
pub(crate) fn mixed() -> Refusal {
    Refusal::not_provable(
        "this puts people's rows beside numbers that are released first",
        "ask for the released numbers first, then write them into the question about people's rows",
    )
}

pub(crate) fn public(source: &Source) -> Refusal {
    let are = if source.relation.tables().len() > 1 { "are" } else { "is" };
    Refusal::not_provable(
        format!(
            "`{}` {are} public: there is nothing to protect, and nothing to answer here",
            source.tables()
        ),
        "read its file directly",
    )
}

/// Refuses prices so small that noise alone could pass the end of a whole number, which would be shown instead.
fn check_whole_numbers(
    answer: &AnswerPlan,
    aggregation: &Aggregation,
    releases: &[Release],
) -> Result<(), Refusal> {
    let rarely = FailureProbability::parse("1e-12").expect("a constant probability is valid");
    let end = Rational::power_of_two(62);
    for aggregate in answer.aggregates.iter().filter(|aggregate| aggregate.kind == Type::Integer) {
        let error = error_bound(&aggregate.formula, &aggregation.measures, releases, &rarely);
        if error.is_some_and(|error| error >= end) {
            return Err(Refusal::parameter(
                format!("at this price the noise of {} could pass 2^62", aggregate.name),
                "offer a higher price: this one buys nothing but noise",
            ));
        }
    }
    Ok(())
}

/// Refuses keys that are the privacy unit: a group would be one person, and no group of one person is ever shown.
fn check_not_the_unit(keys: &[Scalar], person: &Person) -> Result<(), Refusal> {
    let Person::Column { name, units, .. } = person else { return Ok(()) };
    if !keys.iter().any(|key| units.iter().any(|unit| names_the_unit(key, *unit))) {
        return Ok(());
    }
    Err(Refusal::not_provable(
        format!(
            "GROUP BY `{}` makes every person a group of their own, and such groups are never shown",
            shown(name)
        ),
        format!("leave `{0}` out; COUNT(DISTINCT {0}) counts people", shown(name)),
    ))
}

/// Whether an expression has another value for every person: the unit itself, written differently or joined to more.
fn names_the_unit(key: &Scalar, unit: usize) -> bool {
    match key {
        Scalar::Column(column) => *column == unit,
        Scalar::Cast(inner, Type::Text) => names_the_unit(inner, unit),
        Scalar::Call(Function::Coalesce, arguments) => {
            arguments.first().is_some_and(|first| names_the_unit(first, unit))
        }
        Scalar::Arithmetic(Arithmetic::Add | Arithmetic::Subtract, left, right) => {
            match (left.as_ref(), right.as_ref()) {
                (inner, Scalar::Constant(_)) | (Scalar::Constant(_), inner) => names_the_unit(inner, unit),
                _ => false,
            }
        }
        _ => false,
    }
}

/// The keys, each once: of GROUP BY, or of SELECT DISTINCT.
fn keys(select: &Plain<'_>, items: &[Item], rows: &Lowering<'_>) -> Result<Vec<KeyColumn>, Refusal> {
    let plain = items.iter().filter(|item| !answer::aggregated(&item.value.scalar));
    let aliases: Vec<(String, Typed)> = plain.map(|item| (item.name.clone(), item.value.clone())).collect();
    let lowering = Lowering { aliases: &aliases, ..*rows };
    let mut found: Vec<KeyColumn> = Vec::new();
    let mut add = |typed: Typed, place: &str| -> Result<(), Refusal> {
        let kind = typed.known();
        let key = KeyColumn { value: typed.into_type(kind, place)?, kind };
        if !found.contains(&key) {
            found.push(key);
        }
        Ok(())
    };
    for expr in select.group_by {
        add(key(expr, items, &lowering)?, "GROUP BY")?;
    }
    if select.distinct {
        let all_plain = items.iter().all(|item| !answer::aggregated(&item.value.scalar));
        if select.group_by.is_empty() && all_plain {
            for item in items {
                add(item.value.clone(), "DISTINCT")?;
            }
        } else if !found.iter().all(|key| items.iter().any(|item| item.value.scalar == key.value)) {
            return Err(Refusal::not_provable(
                "SELECT DISTINCT here would merge groups after they were counted",
                "show all keys of GROUP BY, or leave DISTINCT out",
            ));
        }
    }
    if found.len() > KEYS_MAX {
        return Err(Refusal::syntax(format!("there are more than {KEYS_MAX} keys"), "group by fewer"));
    }
    Ok(found)
}

fn key(expr: &Expr, items: &[Item], lowering: &Lowering<'_>) -> Result<Typed, Refusal> {
    match answer::ordinal(expr, items, "GROUP BY")? {
        Some(item) if answer::aggregated(&item.value.scalar) => Err(Refusal::not_provable(
            format!("GROUP BY `{}` would group by an aggregate", shown(&item.name)),
            "group by columns of the table",
        )),
        Some(item) => Ok(item.value.clone()),
        None => match expr {
            Expr::Tuple(_) => {
                Err(Refusal::not_provable("GROUP BY takes keys, not rows of keys", "leave the brackets out"))
            }
            other => lowering.expression(other),
        },
    }
}

/// The filter, and of every column that the question names and that is declared never to be missing, that it is not.
///
/// The declaration is not believed: rows without a value are left out, here, where everybody can see it. A filter looks
/// at one row, so it keeps neighbours neighbours, and whatever was concluded from the declaration (that a count of values is
/// a count of rows, for one) holds for the rows that are left.
/// Returns the names of these columns, too.
fn required(
    columns: &[Column],
    filter: Option<Scalar>,
    keys: &[Scalar],
    asked: &[Asked],
) -> (Option<Scalar>, Vec<String>) {
    let inside = asked.iter().flat_map(Asked::expressions);
    let used = filter.iter().chain(keys).chain(inside).flat_map(visit::columns).collect();
    with_values(columns, filter, used)
}

/// The filter, and that columns which are declared never to be missing are not, of those that are used; and their names.
pub(crate) fn with_values(
    columns: &[Column],
    filter: Option<Scalar>,
    mut used: Vec<usize>,
) -> (Option<Scalar>, Vec<String>) {
    used.sort_unstable();
    used.dedup();
    used.retain(|column| columns.get(*column).is_some_and(|column| !column.nullable));
    let present = |column: usize| Scalar::Not(Box::new(Scalar::IsNull(Box::new(Scalar::Column(column)))));
    let names = used.iter().map(|column| columns[*column].name.clone()).collect();
    (used.into_iter().fold(filter, |filter, column| visit::both(filter, Some(present(column)))), names)
}

/// That rows without a value are left out, where some are.
pub(crate) fn required_note(present: &[String]) -> Option<String> {
    let names = present.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" or ");
    let note = || format!("rows without a value of {names} are left out (declared nullable = false)");
    (!present.is_empty()).then(note)
}

/// Gives an aggregation its relation, with only the columns that are used; and the columns in which tables leave out rows
/// without a value.
fn read_from(
    aggregation: &mut Aggregation,
    source: &Source,
    catalog: &Catalog,
    asked: &[Asked],
) -> Vec<String> {
    let mut used: Vec<usize> = aggregation.expressions().flat_map(visit::columns).collect();
    if source.relation.table().is_none() {
        // What is concluded from a column never being NULL needs the column, too.
        used.extend(asked.iter().flat_map(Asked::expressions).flat_map(visit::columns));
    }
    let pruned = prune::pruned(&source.relation, &used, catalog);
    aggregation.relation = pruned.relation;
    for scalar in aggregation.expressions_mut() {
        *scalar = prune::moved(scalar, &pruned.kept);
    }
    pruned.required
}
