//! A statement: numbers that are paid for, in one or several parts, and what is computed from them.
//!
//! **Guarantee.** Every number that leaves comes from a [`PrivatePlan`], a *part*. Parts are released with independent noise,
//! so the loss of the statement is at most the sum of theirs (composition), and that sum is its price, in one charge. A part
//! that is released once is paid for once, however often it is shown: parts that agree in
//! [`canonical_release`](crate::canonical_release) are one release. The [`Outer`] relation sees released numbers and
//! public tables and nothing else ([`Outer::is_released`]): it is post-processing, and free.
//! **One part alone.** A statement of one part without an outer relation is that plan: the same bytes, the same topic.

use pointillist_privacy::{Loss, Price};

use crate::canonical::{canonical, canonical_outer, canonical_release};
use crate::{Join, Owner, PrivatePlan, Relation, Type};

/// A statement that can be answered privately.
#[derive(Clone, Debug)]
pub struct StatementPlan {
    /// What is released, each part with its own rows, keys, noise and price; never none.
    parts: Vec<PrivatePlan>,
    /// What is computed from the parts; without it there is one part, and its answer is the statement's.
    outer: Option<Outer>,
    /// For each part, which part releases its numbers: itself, or an earlier one that is the same release.
    released_by: Vec<usize>,
    loss: Loss,
    price: Price,
    /// What to know about the statement as a whole, in words.
    pub notes: Vec<String>,
}

/// What is computed from released parts. The columns of [`Relation::Released`] are the part's keys, then its aggregates.
#[derive(Clone, Debug)]
pub struct Outer {
    /// The rows, over released parts and public tables.
    pub relation: Relation,
    /// What the columns are called, with their types.
    pub columns: Vec<OuterColumn>,
}

/// A column of an answer that is computed from released parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OuterColumn {
    /// The name.
    pub name: String,
    /// The type.
    pub kind: Type,
}

/// Why parts are no statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatementError {
    /// There is none, or several without anything that puts them together.
    NoAnswer,
    /// They are about several populations, or counted in several currencies.
    SeveralScopes,
    /// Their losses have no sum.
    NoSum,
    /// The outer relation names a part that there is not, or rows that are somebody's.
    NotReleased,
}

impl Outer {
    /// Whether it sees nothing but parts of these types and public tables.
    pub fn is_released(&self, parts: &[PrivatePlan]) -> bool {
        fn leaves_are(relation: &Relation, parts: &[PrivatePlan]) -> bool {
            match relation {
                Relation::Table(scan) => scan.owner == Owner::Nobody,
                Relation::Released { part, types } => {
                    parts.get(*part).is_some_and(|part| part.answer_types() == *types)
                }
                other => other.inputs().into_iter().all(|input| leaves_are(input, parts)),
            }
        }
        leaves_are(&self.relation, parts)
    }
}

impl StatementPlan {
    /// The statement of these parts: their losses added up, each release once.
    pub fn new(parts: Vec<PrivatePlan>, outer: Option<Outer>) -> Result<Self, StatementError> {
        let Some(first) = parts.first() else { return Err(StatementError::NoAnswer) };
        match &outer {
            None if parts.len() > 1 => return Err(StatementError::NoAnswer),
            Some(outer) if !outer.is_released(&parts) => return Err(StatementError::NotReleased),
            _ => {}
        }
        let currency = first.price.currency();
        let together = |part: &PrivatePlan| part.scope == first.scope && part.price.currency() == currency;
        if !parts.iter().all(together) {
            return Err(StatementError::SeveralScopes);
        }
        let bytes: Vec<Vec<u8>> = parts.iter().map(canonical_release).collect();
        let first_alike = |of: &Vec<u8>| bytes.iter().position(|other| other == of).unwrap_or_default();
        let released_by: Vec<usize> = bytes.iter().map(first_alike).collect();
        let (loss, price) = match parts.as_slice() {
            [only] => (only.loss.clone(), only.price),
            _ => {
                let bought = released_by.iter().enumerate().filter(|(part, by)| part == *by);
                sum(bought.map(|(part, _)| &parts[part])).ok_or(StatementError::NoSum)?
            }
        };
        Ok(Self { parts, outer, released_by, loss, price, notes: Vec::new() })
    }

    /// A question of one part, which is answered as it is.
    pub fn of(part: PrivatePlan) -> Self {
        let (loss, price) = (part.loss.clone(), part.price);
        Self { parts: vec![part], outer: None, released_by: vec![0], loss, price, notes: Vec::new() }
    }

    /// What is released and paid for.
    pub fn parts(&self) -> &[PrivatePlan] {
        &self.parts
    }

    /// What is computed from it.
    pub fn outer(&self) -> Option<&Outer> {
        self.outer.as_ref()
    }

    /// The only part, where it is the whole statement.
    pub fn only(&self) -> Option<&PrivatePlan> {
        match (self.parts.as_slice(), &self.outer) {
            ([only], None) => Some(only),
            _ => None,
        }
    }

    /// The same as a plan of its own, where it is the whole statement.
    pub fn into_only(mut self) -> Option<PrivatePlan> {
        self.only()?;
        self.parts.pop()
    }

    /// The parts that are released, by position: each release once.
    pub fn releases(&self) -> Vec<usize> {
        let own = self.released_by.iter().enumerate().filter(|(part, by)| part == *by);
        own.map(|(part, _)| part).collect()
    }

    /// Which of [`releases`](Self::releases), by its place there, has the numbers of a part.
    pub fn release_of(&self, part: usize) -> Option<usize> {
        let by = self.released_by.get(part)?;
        self.releases().iter().position(|release| release == by)
    }

    /// The population whose budget pays.
    pub fn scope(&self) -> &str {
        &self.parts[0].scope
    }

    /// What is proven of all parts together.
    pub fn loss(&self) -> &Loss {
        &self.loss
    }

    /// The same in the currency of the scope, rounded up: what the ledger takes, in one charge.
    pub fn price(&self) -> Price {
        self.price
    }

    /// Everything that there is to know before it is bought: about the statement, then about every release.
    pub fn all_notes(&self) -> Vec<String> {
        let mut all = self.notes.clone();
        for part in self.releases() {
            for note in &self.parts[part].notes {
                if !all.contains(note) {
                    all.push(note.clone());
                }
            }
        }
        all
    }

    /// The bytes of the request: all parts, and what is computed from them.
    pub fn canonical(&self) -> Vec<u8> {
        match (self.only(), &self.outer) {
            (Some(only), _) => canonical(only),
            (None, Some(outer)) => canonical_outer(&self.parts, outer),
            (None, None) => unreachable!("several parts have an outer relation"),
        }
    }
}

/// What releases lose together, and its price.
fn sum<'p>(mut parts: impl Iterator<Item = &'p PrivatePlan>) -> Option<(Loss, Price)> {
    let first = parts.next()?;
    let loss = parts.try_fold(first.loss.clone(), |sum, part| sum.then(&part.loss))?;
    Some((loss.clone(), Price::of_loss(first.price.currency(), &loss)?))
}

impl PrivatePlan {
    /// What these releases cost together, in the currency of the first.
    pub fn price_of_all<'p>(parts: impl Iterator<Item = &'p PrivatePlan>) -> Option<Price> {
        sum(parts).map(|(_, price)| price)
    }

    /// The part's rows where it is released for what is computed from it.
    pub fn as_released(&self, part: usize) -> Relation {
        Relation::Released { part, types: self.answer_types() }
    }
}

impl Relation {
    /// The parts whose released rows it sees, each once, in the order in which they are first seen.
    pub fn parts(&self) -> Vec<usize> {
        match self {
            Self::Released { part, .. } => vec![*part],
            other => {
                let mut found = Vec::new();
                for part in other.inputs().into_iter().flat_map(Self::parts) {
                    if !found.contains(&part) {
                        found.push(part);
                    }
                }
                found
            }
        }
    }

    /// The same over parts that have other numbers.
    pub fn renumbered(&self, number: &dyn Fn(usize) -> usize) -> Self {
        let of = |input: &Self| Box::new(input.renumbered(number));
        match self {
            Self::Table(scan) => Self::Table(scan.clone()),
            Self::Released { part, types } => Self::Released { part: number(*part), types: types.clone() },
            Self::Map { input, filter, columns } => {
                Self::Map { input: of(input), filter: filter.clone(), columns: columns.clone() }
            }
            Self::Join(join) => {
                let Join { left, right, kind, keys, condition } = join.as_ref();
                Self::Join(Box::new(Join {
                    left: left.renumbered(number),
                    right: right.renumbered(number),
                    kind: *kind,
                    keys: keys.clone(),
                    condition: condition.clone(),
                }))
            }
            Self::Union(inputs) => Self::Union(inputs.iter().map(|input| input.renumbered(number)).collect()),
            Self::Distinct(input) => Self::Distinct(of(input)),
            Self::Group { input, keys, aggregates } => {
                Self::Group { input: of(input), keys: keys.clone(), aggregates: aggregates.clone() }
            }
            Self::Window { input, windows } => Self::Window { input: of(input), windows: windows.clone() },
            Self::Order { input, by, skip, fetch } => {
                Self::Order { input: of(input), by: by.clone(), skip: *skip, fetch: *fetch }
            }
        }
    }
}
