//! Random aggregations: relations, keys, declared groups, bounds and measures.

use pointillist_catalog::Value;
use pointillist_mechanisms::{ContributionBound, Grid};
use pointillist_numbers::Rational;
use pointillist_plan::{
    Aggregation, Excess, Form, KeyColumn, Measure, Quantity, Relation, Scalar, Type, Units,
};

use crate::chance::Chance;
use crate::trees::{any, scalar, table_of, tree, value};

/// An aggregation over the tables of a world, with relations at most so deep.
pub(crate) fn aggregation(chance: &mut Chance, depth: usize) -> Aggregation {
    let each_row = chance.one_in(8);
    let relation = match each_row {
        true => table_of(chance, "events"),
        false => tree(chance, depth, true),
    };
    let types = relation.types();
    let filter = chance.one_in(5).then(|| scalar(chance, &types, Type::Boolean, 2));
    let keys: Vec<KeyColumn> = (0..[0, 1, 1, 1, 2, 3][chance.below(6)])
        .map(|_| {
            let (value, kind) = any(chance, &types);
            KeyColumn { value, kind }
        })
        .collect();
    let domain = chance.one_in(3).then(|| domain(chance, &keys));
    let bound = match each_row {
        true => ContributionBound::one_row(),
        false => ContributionBound::new(1 + chance.below(4) as u64, 1 + chance.below(5) as u64).unwrap(),
    };
    let measures = (0..1 + chance.below(4)).map(|_| measure(chance, &types)).collect();
    Aggregation { relation, filter, bound, keys, domain, measures }
}

/// All combinations of some values of each key, NULL among them at times.
fn domain(chance: &mut Chance, keys: &[KeyColumn]) -> Vec<Vec<Option<Value>>> {
    let mut groups: Vec<Vec<Option<Value>>> = vec![Vec::new()];
    for key in keys {
        let mut values: Vec<Option<Value>> = Vec::new();
        for _ in 0..1 + chance.below(4) {
            let value = value(chance, key.kind);
            if !values.contains(&value) {
                values.push(value);
            }
        }
        groups = groups
            .iter()
            .flat_map(|group| {
                values.iter().map(|value| group.iter().cloned().chain([value.clone()]).collect::<Vec<_>>())
            })
            .collect();
    }
    groups
}

fn measure(chance: &mut Chance, types: &[Type]) -> Measure {
    let counted = chance.one_in(3).then(|| scalar(chance, types, Type::Boolean, 1));
    let quantity = match chance.below(10) {
        0 => Quantity::Rows,
        1 => Quantity::People,
        2 => Quantity::PeopleCut,
        3..=7 => {
            let value = summand(chance, types);
            let grid = grid(chance);
            let last = grid.last_index();
            let form = match chance.below(4) {
                0 if last < 1 << 30 => Form::CentredSquare,
                1 if last < 1 << 40 => {
                    Form::Linear { offset: *chance.pick(&[-7, 5, -last]), factor: *chance.pick(&[1, 2, 10]) }
                }
                2 if last < 1 << 61 => Form::Linear { offset: -last, factor: 2 },
                _ => Form::Linear { offset: 0, factor: 1 },
            };
            let refinement = if last < 1 << 30 { *chance.pick(&[0, 1, 7, 20]) } else { 0 };
            let excess = if chance.one_in(2) { Excess::Clamp } else { Excess::Thin { refinement } };
            Quantity::Total { value, units: Units { grid, form }, excess }
        }
        8 => {
            let mut factor = || loop {
                let grid = grid(chance);
                if grid.last_index() < 1 << 30 {
                    return (summand(chance, types), grid);
                }
            };
            Quantity::Product { left: factor(), right: factor(), refinement: *chance.pick(&[0, 3]) }
        }
        _ if chance.one_in(15) => Quantity::Distinct { value: any(chance, types).0 },
        _ => Quantity::Rows,
    };
    Measure { counted, quantity }
}

fn summand(chance: &mut Chance, types: &[Type]) -> Scalar {
    let numeric = |kind: &&Type| !matches!(kind, Type::Text | Type::Boolean);
    let there: Vec<Type> = types.iter().filter(numeric).copied().collect();
    let kind = match there.is_empty() || chance.one_in(6) {
        true => *chance.pick(&[Type::Integer, Type::Number]),
        false => *chance.pick(&there),
    };
    scalar(chance, types, kind, 1)
}

/// Whole and fractional, narrow and as wide as whole numbers are, with steps that floats hardly have.
fn grid(chance: &mut Chance) -> Grid {
    let parsed = |text: &str| Rational::parse(text).unwrap();
    // Not all of these fit floats.
    let wild = [("-1e308", "1e308", "1e307"), ("0", "1e-320", "5e-324")];
    let tame = [
        ("-3", "3", "1"),
        ("0", "1", "1"),
        ("2", "9", "1"),
        ("-9", "-4", "1"),
        ("-1000000", "1000000", "1"),
        ("-2000000000000000000", "2000000000000000000", "1"),
        ("0", "4000000000000000000", "1"),
        ("-719162", "2932896", "1"),
        ("0", "1600000000000000", "1000000"),
        ("0", "10", "0.5"),
        ("-0.7", "2", "0.1"),
        ("-30", "-20", "0.25"),
        ("0", "1000", "0.01"),
        ("-1", "1", "0.000000001"),
        ("0.5", "7.5", "1"),
        ("-3", "4.5", "1.5"),
        ("0", "1e300", "1e298"),
        ("-8e307", "8e307", "1e306"),
        ("0", "1e-300", "1e-302"),
    ];
    let (lower, upper, step) = if chance.one_in(40) { *chance.pick(&wild) } else { *chance.pick(&tame) };
    Grid::new(parsed(lower), parsed(upper), parsed(step)).unwrap()
}

/// What an aggregation is about, in words that a table of counts can have.
pub(crate) fn features(aggregation: &Aggregation) -> Vec<&'static str> {
    let mut features = relations(&aggregation.relation);
    let mut when = |is: bool, word| {
        if is {
            features.push(word);
        }
    };
    when(aggregation.domain.is_some(), "declared groups");
    when(aggregation.domain.is_none() && !aggregation.keys.is_empty(), "open groups");
    let has_null = |group: &Vec<Option<Value>>| group.iter().any(Option::is_none);
    when(aggregation.domain.iter().flatten().any(has_null), "NULL declared");
    for measure in &aggregation.measures {
        when(
            true,
            match &measure.quantity {
                Quantity::Rows => "rows",
                Quantity::People => "people",
                Quantity::PeopleCut => "people cut",
                Quantity::Total { units, excess, .. } => match (units.form, excess) {
                    (Form::CentredSquare, _) => "squares",
                    (Form::Linear { .. }, Excess::Clamp) => "sums",
                    (Form::Linear { .. }, Excess::Thin { .. }) => "means",
                },
                Quantity::Product { .. } => "products",
                Quantity::Distinct { .. } => "values",
                Quantity::Quantile { .. } => "weights",
            },
        );
    }
    features
}

fn relations(relation: &Relation) -> Vec<&'static str> {
    use pointillist_plan::{JoinKind, Owner};
    let mut words = vec![match relation {
        Relation::Table(scan) => match &scan.owner {
            Owner::Nobody => "public table",
            Owner::EachRow => "rows that are people",
            Owner::Column(_) => "table of people",
            Owner::Link(link) if matches!(link.owner, Owner::Link(_)) => "two links",
            Owner::Link(_) => "link",
        },
        Relation::Map { .. } => "map",
        Relation::Join(join) => match join.kind {
            JoinKind::Inner => "inner join",
            JoinKind::Left => "left join",
            JoinKind::Full => "full join",
            JoinKind::Semi => "semi join",
            JoinKind::Anti => "anti join",
            JoinKind::NotIn => "not in",
        },
        Relation::Union(_) => "union",
        Relation::Distinct(_) => "distinct",
        Relation::Group { .. } => "group",
        Relation::Window { .. } => "window",
        Relation::Released { .. } | Relation::Order { .. } => "released",
    }];
    words.extend(relation.inputs().into_iter().flat_map(relations));
    words
}
