//! Joins, and what must be written for one.
//!
//! **Theorem.** A join of two people's relations distributes over owners if its pairs have one owner: ON then picks
//! among the pairs of one person ([`Relation::Join`] adds that owners are equal). A row without a partner is kept because
//! of what its own owner has.
//! **What is asked for.** That owners are equal is never added silently: it must follow from what was written. It does,
//! where the untouched unit of one side equals the untouched unit of the other, or a declared link its key, as a
//! condition of its own: under OR, or between expressions of units ('7' and '07' are two people, and equal as numbers), one
//! person's row would meet everybody's.
//! **Public rows.** For a row of a person the public rows that fit it are a function of that row. A public row is never
//! kept for itself: whether somebody's row fits it depends on everybody.

use pointillist_catalog::Value;
use pointillist_plan::{Comparison, Join, JoinKind, Relation, Scalar};
use sqlparser::ast::{BinaryOperator, Expr, JoinConstraint};

use crate::coercion::Typed;
use crate::conjuncts::conjuncts;
use crate::expression::Lowering;
use crate::from::Tables;
use crate::names::{self, Meaning, Reach, Visible};
use crate::refusal::{Refusal, shown};
use crate::same_person::{Compared, On, Sides, equality, shifted};
use crate::size;
use crate::source::{IsUnit, People, Role, Source, Whose};

/// Which rows stay without a partner, as written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kept {
    Neither,
    Left,
    Right,
    Both,
}

/// Two sides that meet, and the names over both.
struct Meeting<'s> {
    sides: Sides<'s>,
    /// As written: the left, then the right.
    visible: Vec<Visible>,
    /// How many of them are the left's.
    of_left: usize,
    /// Whether the left is the first.
    left_first: bool,
}

impl Meeting<'_> {
    fn find(&self, name: &[String]) -> Result<(&Visible, bool), Refusal> {
        let found = names::find(&self.visible, name)?;
        let place = self.visible.iter().position(|one| std::ptr::eq(one, found)).unwrap_or(0);
        Ok((found, (place < self.of_left) == self.left_first))
    }

    /// Takes an equality of units, or of a link and its key, if it is one.
    fn take(&self, expr: &Expr, on: &mut On) -> Result<bool, Refusal> {
        let Some((left, right, or_null)) = equality(expr) else { return Ok(false) };
        let (Ok(left), Ok(right)) = (self.find(&left), self.find(&right)) else { return Ok(false) };
        self.take_pair(left, right, or_null, on)
    }

    fn take_pair(
        &self,
        left: (&Visible, bool),
        right: (&Visible, bool),
        or_null: bool,
        on: &mut On,
    ) -> Result<bool, Refusal> {
        match self.sides.compared(left, right)? {
            None => Ok(false),
            Some(Compared::Units(absent)) if or_null && !absent.is_empty() => Ok(false),
            Some(Compared::Units(absent)) => {
                on.same_person = true;
                absent.into_iter().for_each(|condition| on.add(condition, self.sides.offset));
                Ok(true)
            }
            Some(Compared::Link(..)) if or_null => Ok(false),
            Some(Compared::Link(one, other)) => {
                on.same_person = true;
                on.add(Scalar::Compare(Comparison::Equal, Box::new(one), Box::new(other)), self.sides.offset);
                Ok(true)
            }
        }
    }
}

/// Names that are one column after a join, with whether that is the unit.
type MergedNames = Vec<(String, bool)>;

impl Tables<'_, '_> {
    /// The pairs of two sources. Conditions of WHERE that belong here are taken from `wheres`, which is empty where they
    /// may not be.
    pub(crate) fn joined<'q>(
        &self,
        left: Source,
        right: Source,
        kept: Kept,
        constraint: &'q JoinConstraint,
        wheres: &mut Vec<&'q Expr>,
    ) -> Result<Source, Refusal> {
        let (mut left, mut right) = (left.materialised(self.nodes)?, right.materialised(self.nodes)?);
        let absent_left = matches!(kept, Kept::Right | Kept::Both).then(|| marked(&mut left)).flatten();
        let absent_right = matches!(kept, Kept::Left | Kept::Both).then(|| marked(&mut right)).flatten();
        // People's rows, and those that are kept, come first.
        let left_first = match kept {
            Kept::Neither => left.people().is_some() || right.people().is_none(),
            Kept::Left | Kept::Both => true,
            Kept::Right => false,
        };
        let kind = match kept {
            Kept::Neither => JoinKind::Inner,
            Kept::Left | Kept::Right => JoinKind::Left,
            Kept::Both => JoinKind::Full,
        };
        let (first, second) = if left_first { (&left, &right) } else { (&right, &left) };
        let offset = first.columns.len();
        let (left_by, right_by) = if left_first { (0, offset) } else { (offset, 0) };
        let visible: Vec<Visible> = left
            .visible
            .iter()
            .map(|one| shifted(one, left_by))
            .chain(right.visible.iter().map(|one| shifted(one, right_by)))
            .collect();
        let sides = Sides { first: &first.roles, second: &second.roles, offset };
        let mut meeting = Meeting { sides, visible, of_left: left.visible.len(), left_first };
        let mut on = On::new();
        let (names, rest) = self.conditions(&meeting, constraint, &mut on)?;
        let used = self.units_from_where(&meeting, wheres, &mut on, kind)?;
        let lowering = Lowering::rows(&meeting.visible, self.nodes);
        let rest: Vec<Result<Scalar, Refusal>> =
            rest.into_iter().map(|one| lowering.condition(one, "ON")).collect();
        // A name that is mistyped is that, before it is a join on something else.
        if let Some(Err(unknown)) =
            rest.iter().find(|one| matches!(one, Err(refusal) if refusal.sqlstate() == "42703"))
        {
            return Err(unknown.clone());
        }
        check_owners(first, second, kind, &on)?;
        for one in rest {
            on.add(one?, offset);
        }
        wheres.retain(|one| !used.iter().any(|taken| std::ptr::eq(*taken, *one)));
        self.keys_from_where(&meeting, wheres, &mut on, kind);
        let whose = owned(first, second, kind, &on)?;
        merge(&mut meeting.visible, meeting.of_left, &names, kept)?;
        for (place, one) in meeting.visible.iter_mut().enumerate() {
            let (marker, by) =
                if place < meeting.of_left { (absent_left, left_by) } else { (absent_right, right_by) };
            if let (Meaning::Owner(None), Some(marker)) = (&one.meaning, marker)
                && place < left.visible.len() + right.visible.len()
            {
                one.meaning = Meaning::Owner(Some(marker + by));
            }
        }

        let mut columns = [first.columns.clone(), second.columns.clone()].concat();
        let mut roles = [first.roles.clone(), second.roles.clone()].concat();
        for (column, role) in columns.iter_mut().zip(&mut roles).enumerate().filter_map(|(place, both)| {
            let absent = match kind {
                JoinKind::Full => true,
                JoinKind::Left => place >= offset,
                _ => false,
            };
            both.1.row_number = false;
            absent.then_some(both)
        }) {
            column.nullable = true;
            role.unit = if role.unit == IsUnit::No { IsUnit::No } else { IsUnit::OrNull };
        }
        self.nodes.take(columns.len() + 1)?;
        let visible = meeting.visible;
        let (left, right) = if left_first { (left, right) } else { (right, left) };
        let join =
            Join { left: left.relation, right: right.relation, kind, keys: on.keys, condition: on.condition };
        let relation = Relation::Join(Box::new(join));
        size::check_relation(&relation)?;
        Ok(Source { relation, columns, roles, visible, filter: None, whose })
    }

    /// Reads ON, USING or NATURAL: gives the names that are one column afterwards, with whether that is the unit, and the
    /// conditions that say nothing about owners.
    fn conditions<'q>(
        &self,
        meeting: &Meeting<'_>,
        constraint: &'q JoinConstraint,
        on: &mut On,
    ) -> Result<(MergedNames, Vec<&'q Expr>), Refusal> {
        let (left, right) = meeting.visible.split_at(meeting.of_left);
        let names: Vec<String> = match constraint {
            JoinConstraint::None => return Ok((Vec::new(), Vec::new())),
            JoinConstraint::On(condition) => {
                let mut rest = Vec::new();
                for one in conjuncts(condition) {
                    if !meeting.take(one, on)? {
                        rest.push(one);
                    }
                }
                return Ok((Vec::new(), rest));
            }
            JoinConstraint::Using(list) => {
                let mut names = Vec::new();
                for name in list {
                    match names::parts(name).as_deref() {
                        Some([name]) => names.push(name.clone()),
                        _ => return Err(Refusal::column("USING takes plain names", "write USING (x)")),
                    }
                }
                names
            }
            JoinConstraint::Natural => {
                let plain = |one: &&Visible| one.reach == Reach::Plain;
                let there = |name: &str| right.iter().filter(plain).any(|one| one.name == name);
                left.iter().filter(plain).map(|one| one.name.clone()).filter(|name| there(name)).collect()
            }
        };
        let mut merged = Vec::with_capacity(names.len());
        for name in names {
            let bare = std::slice::from_ref(&name);
            let (one, other) = (names::find(left, bare)?, names::find(right, bare)?);
            let (one_first, other_first) = (meeting.left_first, !meeting.left_first);
            if meeting.take_pair((one, one_first), (other, other_first), false, on)? {
                merged.push((name, true));
                continue;
            }
            let (Meaning::Value(one), Meaning::Value(other)) = (&one.meaning, &other.meaning) else {
                return Err(not_on_the_unit(&name));
            };
            let (mut both, _) = crate::coercion::unify(vec![one.clone(), other.clone()], "USING")?;
            let (Some(other), Some(one)) = (both.pop(), both.pop()) else { continue };
            let equal = Scalar::Compare(Comparison::Equal, Box::new(one), Box::new(other));
            on.add(equal, meeting.sides.offset);
            merged.push((name, false));
        }
        Ok((merged, Vec::new()))
    }

    /// The conditions of WHERE that make both sides one person's.
    fn units_from_where<'q>(
        &self,
        meeting: &Meeting<'_>,
        wheres: &[&'q Expr],
        on: &mut On,
        kind: JoinKind,
    ) -> Result<Vec<&'q Expr>, Refusal> {
        let mut used = Vec::new();
        for one in wheres.iter().filter(|_| kind == JoinKind::Inner) {
            if meeting.take(one, on)? {
                used.push(*one);
            }
        }
        Ok(used)
    }

    /// Takes other equalities between the sides out of WHERE.
    fn keys_from_where(&self, meeting: &Meeting<'_>, wheres: &mut Vec<&Expr>, on: &mut On, kind: JoinKind) {
        if kind != JoinKind::Inner {
            return;
        }
        wheres.retain(|one| {
            let Some(equal) = self.equal_sides(one, &meeting.visible) else { return true };
            let (keys, condition) = (on.keys.len(), on.condition.clone());
            on.add(equal, meeting.sides.offset);
            if on.keys.len() > keys {
                return false;
            }
            on.condition = condition;
            true
        });
    }

    /// An equality that these names are enough for.
    fn equal_sides(&self, expr: &Expr, visible: &[Visible]) -> Option<Scalar> {
        match expr {
            Expr::Nested(inner) => self.equal_sides(inner, visible),
            Expr::BinaryOp { left, op: BinaryOperator::Eq, right }
                if names::named(left).is_some() || names::named(right).is_some() =>
            {
                Lowering::rows(visible, self.nodes).condition(expr, "WHERE").ok()
            }
            _ => None,
        }
    }

    /// Whether WHERE has something that makes these two one person's, or equates their columns.
    pub(crate) fn connected(&self, left: &Source, right: &Source, wheres: &[&Expr]) -> bool {
        let offset = left.columns.len();
        let visible =
            left.visible.iter().cloned().chain(right.visible.iter().map(|one| shifted(one, offset)));
        let sides = Sides { first: &left.roles, second: &right.roles, offset };
        let meeting =
            Meeting { sides, visible: visible.collect(), of_left: left.visible.len(), left_first: true };
        let (left_private, right_private) = (left.people().is_some(), right.people().is_some());
        let mut on = On::new();
        wheres.iter().any(|one| {
            if left_private && right_private {
                meeting.take(one, &mut on).is_ok_and(|taken| taken)
            } else {
                equality(one).is_some_and(|(a, b, _)| match (meeting.find(&a), meeting.find(&b)) {
                    (Ok((_, a)), Ok((_, b))) => a != b,
                    _ => false,
                })
            }
        })
    }
}

/// Adds a column that says whether there is a row, where a hidden owner needs one.
fn marked(source: &mut Source) -> Option<usize> {
    if !source.visible.iter().any(|one| matches!(one.meaning, Meaning::Owner(None))) {
        return None;
    }
    let marker = source.columns.len();
    let mut columns: Vec<Scalar> = (0..marker).map(Scalar::Column).collect();
    columns.push(Scalar::Constant(Value::Boolean(true)));
    source.columns.push(crate::facts::of(&Scalar::Constant(Value::Boolean(true)), &[], "present"));
    source.roles.push(Role::default());
    let input = std::mem::replace(&mut source.relation, Relation::Union(Vec::new()));
    source.relation = Relation::Map { input: Box::new(input), filter: None, columns };
    Some(marker)
}

/// Names of USING and NATURAL are one column, of the side that is always there.
fn merge(
    visible: &mut Vec<Visible>,
    of_left: usize,
    names: &[(String, bool)],
    kept: Kept,
) -> Result<(), Refusal> {
    for (name, unit) in names {
        let is = |one: &Visible| one.name == *name && one.reach == Reach::Plain;
        let left = visible[..of_left].iter().position(is);
        let right = visible[of_left..].iter().position(is).map(|place| place + of_left);
        let (Some(left), Some(right)) = (left, right) else { continue };
        match kept {
            Kept::Neither | Kept::Left => visible[right].reach = Reach::Qualified,
            Kept::Right => visible[left].reach = Reach::Qualified,
            Kept::Both => {
                let (one, other) = (visible[left].meaning.clone(), visible[right].meaning.clone());
                visible[left].reach = Reach::Qualified;
                visible[right].reach = Reach::Qualified;
                let meaning = match (one, other) {
                    (Meaning::Value(one), Meaning::Value(other)) if !unit => {
                        let (both, kind) = crate::coercion::unify(vec![one, other], "USING")?;
                        let both = Scalar::Call(pointillist_plan::Function::Coalesce, both);
                        Meaning::Value(Typed::new(both, kind))
                    }
                    // Both sides are one person's: whose the row is does not depend on which side is there.
                    _ => Meaning::Owner(None),
                };
                visible.push(Visible::plain(name.clone(), meaning));
            }
        }
    }
    Ok(())
}

/// Refuses pairs of rows of different people, and public rows that are kept for themselves.
fn check_owners(first: &Source, second: &Source, kind: JoinKind, on: &On) -> Result<(), Refusal> {
    match (first.people(), second.people()) {
        (None, None) => Ok(()),
        (None, Some(_)) => Err(public_kept(second)),
        (Some(_), None) if kind == JoinKind::Full => Err(public_kept(first)),
        (Some(_), None) => Ok(()),
        (Some(one), Some(other)) if one.scope != other.scope => Err(two_scopes(&one.scope, &other.scope)),
        (Some(one), Some(other)) => {
            if let Some(rows) = [first, second].iter().find(|side| has_row_units(side)) {
                return Err(Refusal::not_provable(
                    format!(
                        "every row of `{}` is another person, so it cannot be joined to rows of people",
                        rows.tables()
                    ),
                    "join it to public tables, or ask the owner for a privacy unit that both tables have",
                ));
            }
            match on.same_person {
                true => Ok(()),
                false => Err(not_same_person(first, second, one, other)),
            }
        }
    }
}

/// Whose the pairs are.
fn owned(first: &Source, second: &Source, kind: JoinKind, on: &On) -> Result<Whose, Refusal> {
    match (&first.whose, &second.whose) {
        (Whose::Public, _) => Ok(Whose::Public),
        (Whose::People(people), Whose::Public) => {
            if people.unit.is_none() && on.keys.is_empty() {
                return Err(Refusal::not_provable(
                    format!(
                        "every row of `{}` is another person, and could meet several public rows here",
                        first.tables()
                    ),
                    "join on equality with a column that is different in every public row: ON a.x = b.x",
                ));
            }
            Ok(Whose::People(People { unique: None, rows_max: None, ..people.clone() }))
        }
        (Whose::People(one), Whose::People(other)) => {
            Ok(Whose::People(both(one, other, first.columns.len(), kind, on)))
        }
    }
}

fn has_row_units(source: &Source) -> bool {
    source.people().is_some_and(|people| people.unit.is_none())
}

/// What is known of pairs of one person's rows.
fn both(one: &People, other: &People, offset: usize, kind: JoinKind, on: &On) -> People {
    let known = |people: &People| match &people.unique {
        Some(columns) if columns.is_empty() => Some(1),
        _ => people.rows_max,
    };
    let rows_max = known(one).zip(known(other)).map(|(a, b)| match kind {
        JoinKind::Left => a.saturating_mul(b.max(1)),
        JoinKind::Full => a.saturating_mul(b).saturating_add(a).saturating_add(b),
        _ => a.saturating_mul(b),
    });
    let alone = kind != JoinKind::Full || (on.keys.is_empty() && on.condition.is_none());
    let unique = one.unique.clone().zip(other.unique.clone()).filter(|_| alone).map(|(mut a, b)| {
        a.extend(b.into_iter().map(|column| column + offset));
        a
    });
    let mut limits = one.limits.clone();
    for more in &other.limits {
        if !limits.contains(more) {
            limits.push(more.clone());
        }
    }
    People {
        scope: one.scope.clone(),
        unit: one.unit.clone(),
        limits,
        unique,
        rows_max,
        as_declared: one.as_declared || other.as_declared,
    }
}

pub(crate) fn two_scopes(one: &str, other: &str) -> Refusal {
    Refusal::not_provable(
        format!(
            "the tables are of two populations, `{}` and `{}`: nobody knows who is the same person in both",
            shown(one),
            shown(other)
        ),
        "ask one question for each scope and combine the released answers",
    )
}

fn public_kept(private: &Source) -> Refusal {
    Refusal::not_provable(
        format!(
            "public rows that no row of `{}` fits cannot be kept: whether there are any depends on everybody",
            private.tables()
        ),
        "join without LEFT or FULL and GROUP BY a column with public keys: all of them are shown, with noisy zeros",
    )
}

fn not_same_person(first: &Source, second: &Source, one: &People, other: &People) -> Refusal {
    let unit = |people: &People| shown(people.unit.as_deref().unwrap_or("unit"));
    Refusal::not_provable(
        format!(
            "`{}` and `{}` are joined on something else than the person: one person's rows would meet everybody's",
            first.tables(),
            second.tables()
        ),
        format!(
            "write ON a.{} = b.{} AND …, with the columns as they are and not under OR, or join along a declared link",
            unit(one),
            unit(other)
        ),
    )
}

fn not_on_the_unit(name: &str) -> Refusal {
    Refusal::not_private(
        format!("`{}` says whose row it is on one side only", shown(name)),
        "join on the privacy unit of both sides, or on declared columns",
    )
}
