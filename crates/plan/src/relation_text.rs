//! Relations for people to read, top-down.

use crate::{ExactAggregate, ExactFunction, JoinKind, Owner, Relation, Scalar, Window, WindowFunction, text};

/// The longest name of a column, in characters.
const NAME_MAX: usize = 1_000;

/// What the columns of a relation are called: names of tables' columns, expressions as they are written.
pub(crate) fn column_names(relation: &Relation) -> Vec<String> {
    match relation {
        Relation::Table(scan) => scan.columns.iter().map(|column| column.name.clone()).collect(),
        Relation::Released { part, types } => {
            (0..types.len()).map(|column| format!("released{part}.{column}")).collect()
        }
        Relation::Map { input, columns, .. } => {
            let names = column_names(input);
            columns.iter().map(|column| written(column, &names)).collect()
        }
        Relation::Join(join) => match join.kind {
            JoinKind::Inner | JoinKind::Left | JoinKind::Full => {
                [column_names(&join.left), column_names(&join.right)].concat()
            }
            JoinKind::Semi | JoinKind::Anti | JoinKind::NotIn => column_names(&join.left),
        },
        Relation::Union(inputs) => inputs.first().map(column_names).unwrap_or_default(),
        Relation::Distinct(input) | Relation::Order { input, .. } => column_names(input),
        Relation::Group { input, keys, aggregates } => {
            let names = column_names(input);
            let keys = keys.iter().map(|key| written(key, &names));
            keys.chain(aggregates.iter().map(|aggregate| aggregate_text(aggregate, &names))).collect()
        }
        Relation::Window { input, windows } => {
            let mut names = column_names(input);
            let added: Vec<String> = windows.iter().map(|window| window_text(window, &names)).collect();
            names.extend(added);
            names
        }
    }
}

/// A line for each operator, with how deep it stands.
pub(crate) fn lines(relation: &Relation) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    add(relation, 0, &mut found);
    found
}

fn add(relation: &Relation, depth: usize, found: &mut Vec<(usize, String)>) {
    let names = || relation.inputs().first().map(|input| column_names(input)).unwrap_or_default();
    let line = match relation {
        Relation::Table(scan) => {
            let line = match &scan.owner {
                Owner::Nobody => format!("Scan {} (public)", scan.table),
                Owner::Link(link) => {
                    format!(
                        "Scan {} of the owners of {}.{} = {}",
                        scan.table, link.table, link.key, link.column
                    )
                }
                Owner::EachRow | Owner::Column(_) => format!("Scan {}", scan.table),
            };
            match &scan.filter {
                None => line,
                Some(filter) => format!("{line}  where {}", written(filter, &column_names(relation))),
            }
        }
        Relation::Released { part, .. } => format!("Released {}", part + 1),
        Relation::Map { filter, columns, .. } => {
            let names = names();
            let shown: Vec<String> = columns.iter().map(|column| written(column, &names)).collect();
            let shown = if shown.is_empty() { "nothing".to_owned() } else { shown.join(", ") };
            match filter {
                Some(filter) => format!("Select {shown}  where {}", written(filter, &names)),
                None => format!("Select {shown}"),
            }
        }
        Relation::Join(join) => {
            let (left, right) = (column_names(&join.left), column_names(&join.right));
            let mut on: Vec<String> = join
                .keys
                .iter()
                .map(|(first, second)| format!("{} = {}", written(first, &left), written(second, &right)))
                .collect();
            on.extend(
                join.condition
                    .iter()
                    .map(|condition| written(condition, &[left.clone(), right.clone()].concat())),
            );
            let same_person = [&join.left, &join.right].iter().all(|side| is_owned(side));
            if same_person {
                on.insert(0, "same person".to_owned());
            }
            format!(
                "{} on {}",
                join_text(join.kind),
                if on.is_empty() { "true".to_owned() } else { on.join(" AND ") }
            )
        }
        Relation::Union(_) => "UnionAll".to_owned(),
        Relation::Distinct(input) => format!("Distinct{}", for_each_person(input)),
        Relation::Group { input, keys, aggregates } => {
            let names = names();
            let shown: Vec<String> =
                aggregates.iter().map(|aggregate| aggregate_text(aggregate, &names)).collect();
            let keys: Vec<String> = keys.iter().map(|key| written(key, &names)).collect();
            let mut line = "Group".to_owned();
            if !shown.is_empty() {
                line.push_str(&format!(" {}", shown.join(", ")));
            }
            if !keys.is_empty() {
                line.push_str(&format!(" BY {}", keys.join(", ")));
            }
            format!("{line}{}", for_each_person(input))
        }
        Relation::Window { input, windows } => {
            let names = names();
            let shown: Vec<String> = windows.iter().map(|window| window_text(window, &names)).collect();
            format!("Window {}{}", shown.join(", "), for_each_person(input))
        }
        Relation::Order { by, skip, fetch, .. } => {
            let names = names();
            let by: Vec<String> = by
                .iter()
                .map(|order| {
                    format!("{}{}", written(&order.by, &names), if order.descending { " desc" } else { "" })
                })
                .collect();
            let mut line = format!("Order {}", by.join(", "));
            if *skip > 0 {
                line.push_str(&format!("  offset {skip}"));
            }
            if let Some(fetch) = fetch {
                line.push_str(&format!("  limit {fetch}"));
            }
            line
        }
    };
    found.push((depth, line));
    relation.inputs().into_iter().for_each(|input| add(input, depth + 1, found));
}

fn is_owned(relation: &Relation) -> bool {
    relation.ownership() != crate::Ownership::Nobody
}

fn for_each_person(input: &Relation) -> &'static str {
    if is_owned(input) { "  for each person" } else { "" }
}

/// An expression, cut where it is long: names of columns are expressions of what is below, and could double at each level.
fn written(scalar: &Scalar, names: &[String]) -> String {
    let text = text::scalar(scalar, &|column| names.get(column).cloned());
    match text.char_indices().nth(NAME_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

fn join_text(kind: JoinKind) -> &'static str {
    match kind {
        JoinKind::Inner => "Join",
        JoinKind::Left => "LeftJoin",
        JoinKind::Full => "FullJoin",
        JoinKind::Semi => "SemiJoin",
        JoinKind::Anti => "AntiJoin",
        JoinKind::NotIn => "NotIn",
    }
}

fn aggregate_text(aggregate: &ExactAggregate, names: &[String]) -> String {
    let name = match aggregate.function {
        ExactFunction::Count => "COUNT".to_owned(),
        ExactFunction::Sum => "SUM".to_owned(),
        ExactFunction::Average => "AVG".to_owned(),
        ExactFunction::Minimum => "MIN".to_owned(),
        ExactFunction::Maximum => "MAX".to_owned(),
        ExactFunction::Mode => "MODE".to_owned(),
        ExactFunction::QuantileContinuous(share) => format!("PERCENTILE_CONT[{share}]"),
        ExactFunction::QuantileDiscrete(share) => format!("PERCENTILE_DISC[{share}]"),
        ExactFunction::Variance { sample: false, root: false } => "VAR_POP".to_owned(),
        ExactFunction::Variance { sample: true, root: false } => "VAR_SAMP".to_owned(),
        ExactFunction::Variance { sample: false, root: true } => "STDDEV_POP".to_owned(),
        ExactFunction::Variance { sample: true, root: true } => "STDDEV_SAMP".to_owned(),
        ExactFunction::Every => "BOOL_AND".to_owned(),
        ExactFunction::Some => "BOOL_OR".to_owned(),
    };
    let value = match &aggregate.value {
        Scalar::Constant(_) => "*".to_owned(),
        value => written(value, names),
    };
    let distinct = if aggregate.distinct { "DISTINCT " } else { "" };
    let mut text = format!("{name}({distinct}{value})");
    if let Some(counted) = &aggregate.counted {
        text.push_str(&format!(" FILTER ({})", written(counted, names)));
    }
    text
}

fn window_text(window: &Window, names: &[String]) -> String {
    let name = match &window.function {
        WindowFunction::RowNumber => "row_number()".to_owned(),
        WindowFunction::Rank => "rank()".to_owned(),
        WindowFunction::DenseRank => "dense_rank()".to_owned(),
        WindowFunction::PercentRank => "percent_rank()".to_owned(),
        WindowFunction::CumulativeDistribution => "cume_dist()".to_owned(),
        WindowFunction::Tiles(tiles) => format!("ntile({tiles})"),
        WindowFunction::Shifted { value, back, .. } if *back >= 0 => {
            format!("lag({}, {back})", written(value, names))
        }
        WindowFunction::Shifted { value, back, .. } => {
            format!("lead({}, {})", written(value, names), back.unsigned_abs())
        }
        WindowFunction::First(value) => format!("first_value({})", written(value, names)),
        WindowFunction::Last(value) => format!("last_value({})", written(value, names)),
        WindowFunction::Nth(value, number) => format!("nth_value({}, {number})", written(value, names)),
        WindowFunction::Aggregate(aggregate) => aggregate_text(aggregate, names),
    };
    let mut over = Vec::new();
    if !window.partition.is_empty() {
        let by: Vec<String> = window.partition.iter().map(|by| written(by, names)).collect();
        over.push(format!("partition by {}", by.join(", ")));
    }
    if !window.order.is_empty() {
        let by: Vec<String> = window
            .order
            .iter()
            .map(|order| {
                format!("{}{}", written(&order.by, names), if order.descending { " desc" } else { "" })
            })
            .collect();
        over.push(format!("order by {}", by.join(", ")));
    }
    format!("{name} OVER ({})", over.join(" "))
}
