//! What a name means: columns of the rows at hand, folded to lower case unless quoted, as in PostgreSQL.

use sqlparser::ast::{Expr, Ident, ObjectName, ObjectNamePart};

use crate::coercion::Typed;
use crate::refusal::{Refusal, did_you_mean, shown};

/// A name that an expression may use.
#[derive(Clone, Debug)]
pub(crate) struct Visible {
    /// The table or its alias.
    pub(crate) qualifier: Option<String>,
    pub(crate) name: String,
    pub(crate) meaning: Meaning,
    pub(crate) reach: Reach,
}

/// By which names something is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// With and without its table.
    Plain,
    /// Only with its table: a join has another column of that name in its place.
    Qualified,
    /// Where nothing else has the name: the owner of rows that are linked to their owner.
    Implied,
}

/// What a name stands for.
#[derive(Clone, Debug)]
pub(crate) enum Meaning {
    /// A value computed from a row of the table.
    Value(Typed),
    /// Who owns the row, where the owner did not declare it as a column: it may be counted and compared with itself,
    /// nothing else. With a column that is NULL where the row has nothing of that side of a join.
    Owner(Option<usize>),
    /// A column that links rows to their owners and is not declared: it may follow the link, nothing else.
    Link(Typed),
}

impl Visible {
    /// A name that is found in any way.
    pub(crate) fn plain(name: String, meaning: Meaning) -> Self {
        Self { qualifier: None, name, meaning, reach: Reach::Plain }
    }
}

/// A part of a name, folded.
pub(crate) fn folded(ident: &Ident) -> String {
    match ident.quote_style {
        Some(_) => ident.value.clone(),
        None => ident.value.to_lowercase(),
    }
}

/// The parts of a dotted name.
pub(crate) fn parts(name: &ObjectName) -> Option<Vec<String>> {
    let part = |part: &ObjectNamePart| match part {
        ObjectNamePart::Identifier(ident) => Some(folded(ident)),
        ObjectNamePart::Function(_) => None,
    };
    name.0.iter().map(part).collect()
}

/// The parts of an expression that is a name, whatever the brackets around it.
pub(crate) fn named(expr: &Expr) -> Option<Vec<String>> {
    match expr {
        Expr::Identifier(ident) => Some(vec![folded(ident)]),
        Expr::CompoundIdentifier(idents) => Some(idents.iter().map(folded).collect()),
        Expr::Nested(inner) => named(inner),
        _ => None,
    }
}

/// A name as it may stand in a message.
pub(crate) fn dotted(parts: &[String]) -> String {
    shown(&parts.join("."))
}

/// The one visible thing of this name.
pub(crate) fn find<'v>(visible: &'v [Visible], name: &[String]) -> Result<&'v Visible, Refusal> {
    let (qualifier, last) = match name {
        [last] => (None, last),
        [qualifier, last] => (Some(qualifier), last),
        [schema, qualifier, last] if schema == "public" => (Some(qualifier), last),
        [_, schema, qualifier, last] if schema == "public" => (Some(qualifier), last),
        _ => return Err(unknown(visible, name)),
    };
    let mut found: Vec<&Visible> = visible
        .iter()
        .filter(|candidate| {
            candidate.name == *last
                && match qualifier {
                    Some(wanted) => candidate.qualifier.as_ref() == Some(wanted),
                    None => candidate.reach != Reach::Qualified,
                }
        })
        .collect();
    if found.iter().any(|candidate| candidate.reach != Reach::Implied) {
        found.retain(|candidate| candidate.reach != Reach::Implied);
    }
    match found.as_slice() {
        [only] => Ok(only),
        [] => Err(unknown(visible, name)),
        _ => Err(Refusal::column(
            format!("the column `{}` is named twice", dotted(name)),
            "write its table before it, as in t.x, or give columns of subqueries different names with AS",
        )),
    }
}

/// The hidden owner that an expression names, if it does: with the column that says whether it is there, where it may not.
pub(crate) fn owner(visible: &[Visible], expr: &Expr) -> Option<Option<usize>> {
    match &find(visible, &named(expr)?).ok()?.meaning {
        Meaning::Owner(present) => Some(*present),
        Meaning::Value(_) | Meaning::Link(_) => None,
    }
}

/// Whether a name has something to do with these, if only too many of them.
pub(crate) fn is_known(visible: &[Visible], name: &[String]) -> bool {
    let last = name.last().map_or("", String::as_str);
    let qualifier = name.len().checked_sub(2).and_then(|place| name.get(place));
    visible
        .iter()
        .any(|one| one.name == last && qualifier.is_none_or(|wanted| one.qualifier.as_ref() == Some(wanted)))
}

fn unknown(visible: &[Visible], name: &[String]) -> Refusal {
    let last = name.last().map_or("", String::as_str);
    let known = visible.iter().map(|candidate| candidate.name.as_str());
    let other_case = visible.iter().find(|candidate| candidate.name.to_lowercase() == last.to_lowercase());
    let hint = match other_case {
        Some(candidate) if candidate.name != last => {
            format!("write it in quotes: \"{}\"", shown(&candidate.name))
        }
        _ => did_you_mean(last, known.clone(), || {
            let names: Vec<String> = known.take(20).map(shown).collect();
            match names.is_empty() {
                true => "the owner declares the columns that exist for analysts, in the catalog".to_owned(),
                false => format!("the columns are {}", names.join(", ")),
            }
        }),
    };
    Refusal::column(format!("there is no column `{}`", dotted(name)), hint).about(name.join("."))
}
