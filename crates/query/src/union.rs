//! UNION, INTERSECT and EXCEPT of rows.
//!
//! **Theorem.** All rows of two people's relations of one scope, each still its owner's, are local: ⊎ commutes with ⊎. Rows
//! of two owners differ in the unit, so where the unit is a column on both sides, duplicates are only found within one
//! person. Without it whether one person's row stays would depend on others'.

use pointillist_plan::{Comparison, Join, JoinKind, Relation, Scalar};
use sqlparser::ast::{SetOperator, SetQuantifier};

use crate::coercion::{Typed, unify};
use crate::facts;
use crate::from::Tables;
use crate::join::two_scopes;
use crate::names::{Meaning, Visible};
use crate::refusal::{Refusal, shown};
use crate::size;
use crate::source::{IsUnit, People, Role, Source, Whose};

impl Tables<'_, '_> {
    /// Two sources as one.
    pub(crate) fn set_operation(
        &self,
        left: Source,
        op: SetOperator,
        quantifier: SetQuantifier,
        right: Source,
    ) -> Result<Source, Refusal> {
        let all = match quantifier {
            SetQuantifier::All => true,
            SetQuantifier::None | SetQuantifier::Distinct => false,
            SetQuantifier::ByName | SetQuantifier::AllByName | SetQuantifier::DistinctByName => {
                return Err(Refusal::not_provable(
                    format!("{op} BY NAME is not answered"),
                    "name the columns in order",
                ));
            }
        };
        let whose = self.owned_together(&left, &right, op)?;
        let aligned = self.aligned(left, right)?;
        let Aligned { left, right, columns, roles, visible } = aligned;
        let mut source = match op {
            SetOperator::Union => {
                let relation = Relation::Union(vec![left, right]);
                Source { relation, columns, roles, visible, filter: None, whose }
            }
            SetOperator::Intersect | SetOperator::Except | SetOperator::Minus => {
                if all {
                    return Err(Refusal::not_provable(
                        format!("{op} ALL is not answered"),
                        format!("write {op}, or count the rows of each person with GROUP BY"),
                    ));
                }
                let kind = if op == SetOperator::Intersect { JoinKind::Semi } else { JoinKind::Anti };
                let (mut keys, mut conditions) = (Vec::new(), Vec::new());
                for (place, (column, role)) in columns.iter().zip(&roles).enumerate() {
                    if role.unit == IsUnit::Yes && matches!(whose, Whose::People(_)) {
                        continue;
                    }
                    match column.nullable {
                        false => keys.push((Scalar::Column(place), Scalar::Column(place))),
                        true => conditions.push(Scalar::Compare(
                            Comparison::NotDistinct,
                            Box::new(Scalar::Column(place)),
                            Box::new(Scalar::Column(place + columns.len())),
                        )),
                    }
                }
                let condition = match conditions.len() {
                    0 => None,
                    1 => conditions.pop(),
                    _ => Some(Scalar::All(conditions)),
                };
                let join = Join { left, right, kind, keys, condition };
                let relation = Relation::Join(Box::new(join));
                Source { relation, columns, roles, visible, filter: None, whose }
            }
        };
        self.nodes.take(source.columns.len() + 1)?;
        size::check_relation(&source.relation)?;
        if let (Whose::People(people), true) = (&mut source.whose, op != SetOperator::Union) {
            // A semi or anti join leaves rows of the left alone; what is known of both together does not hold for them.
            people.unique = None;
        }
        match all {
            true => Ok(source),
            false => self.distinct(source),
        }
    }

    /// Whose rows two sources have together.
    fn owned_together(&self, left: &Source, right: &Source, op: SetOperator) -> Result<Whose, Refusal> {
        match (&left.whose, &right.whose) {
            (Whose::Public, Whose::Public) => Ok(Whose::Public),
            (Whose::People(one), Whose::People(other)) => {
                if one.scope != other.scope {
                    return Err(two_scopes(&one.scope, &other.scope));
                }
                for (people, source) in [(one, left), (other, right)] {
                    if people.unit.is_none() {
                        return Err(Refusal::not_provable(
                            format!(
                                "every row of `{}` is another person, which {op} would not keep",
                                source.tables()
                            ),
                            "ask one statement for each part and combine the released answers",
                        ));
                    }
                }
                let known = |people: &People| match &people.unique {
                    Some(columns) if columns.is_empty() => Some(1),
                    _ => people.rows_max,
                };
                let rows_max = known(one).zip(known(other)).map(|(a, b)| a.saturating_add(b));
                let mut limits = one.limits.clone();
                limits.extend(other.limits.iter().filter(|more| !one.limits.contains(more)).cloned());
                let people = People {
                    scope: one.scope.clone(),
                    unit: one.unit.clone(),
                    limits,
                    unique: None,
                    rows_max,
                    as_declared: one.as_declared || other.as_declared,
                };
                Ok(Whose::People(people))
            }
            _ => Err(Refusal::not_provable(
                format!("{op} of people's rows and public rows: the public ones have no owner"),
                "ask about people's rows alone, and add the public ones to the released answer",
            )),
        }
    }

    /// Both sides with the same columns, of the same types.
    fn aligned(&self, left: Source, right: Source) -> Result<Aligned, Refusal> {
        if left.visible.len() != right.visible.len() {
            return Err(Refusal::mismatch(
                format!("one side has {} columns, the other {}", left.visible.len(), right.visible.len()),
                "give both sides the same columns, in the same order",
            ));
        }
        let (mut first, mut second) = (Vec::new(), Vec::new());
        let (mut columns, mut roles, mut visible) = (Vec::new(), Vec::new(), Vec::new());
        for (one, other) in left.visible.iter().zip(&right.visible) {
            let units = [left.is_unit(&one.meaning), right.is_unit(&other.meaning)];
            let unit = units == [IsUnit::Yes, IsUnit::Yes];
            let meaning = match (&one.meaning, &other.meaning) {
                (Meaning::Value(a), Meaning::Value(b)) => {
                    if unit && a.kind != b.kind {
                        return Err(Refusal::mismatch(
                            format!("the privacy unit `{}` has two types", shown(&one.name)),
                            "ask the owner to declare both with one type",
                        ));
                    }
                    let (mut both, kind) = unify(vec![a.clone(), b.clone()], "a column of both sides")?;
                    let (Some(b), Some(a)) = (both.pop(), both.pop()) else { continue };
                    let fact = facts::union(
                        &facts::of(&a, &left.columns, &one.name),
                        &facts::of(&b, &right.columns, &one.name),
                    );
                    let table =
                        left.role(&a).table.filter(|table| right.role(&b).table.as_ref() == Some(table));
                    let unit = if unit { IsUnit::Yes } else { IsUnit::No };
                    roles.push(Role { unit, table, ..Role::default() });
                    columns.push(fact);
                    first.push(a);
                    second.push(b);
                    Meaning::Value(Typed::new(Scalar::Column(columns.len() - 1), kind))
                }
                _ if unit => Meaning::Owner(None),
                _ => {
                    return Err(Refusal::not_private(
                        format!("`{}` says whose row it is on one side only", shown(&one.name)),
                        "give both sides the privacy unit at the same place, or leave it out",
                    ));
                }
            };
            visible.push(Visible { qualifier: None, name: one.name.clone(), meaning, reach: one.reach });
        }
        self.nodes.take(2 * columns.len() + 2)?;
        let map = |source: Source, columns| Relation::Map {
            input: Box::new(source.relation),
            filter: source.filter,
            columns,
        };
        Ok(Aligned { left: map(left, first), right: map(right, second), columns, roles, visible })
    }
}

/// Two relations with the same columns, and what is known of both together.
struct Aligned {
    left: Relation,
    right: Relation,
    columns: Vec<pointillist_catalog::Column>,
    roles: Vec<Role>,
    visible: Vec<Visible>,
}
