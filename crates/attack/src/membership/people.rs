//! Who is a member and who is not: made up, from several tables, or from one that is split at random.

use std::fmt;

use pointillist_noise::{SecureBits, uniform_u64_below};
use pointillist_render::text::shown;
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use super::Study;
use crate::AttackError;
use crate::records::{NamedRecords, Records};

/// Members that are made up, unless somebody says otherwise.
const MEMBERS: usize = 100;
/// Places in a made-up genome, unless somebody says otherwise.
const POSITIONS: usize = 5000;

/// What a table holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum TableKind {
    /// Copies of alleles, whose frequencies are published.
    Genotypes,
    /// Values of columns, which are counted.
    Records,
}

/// Which part of the tables is published, and how it is read.
#[derive(Clone, Debug, Default)]
pub struct Columns {
    /// The columns that are published; all of the first table's where none is named.
    pub names: Vec<String>,
    /// What they hold: genotypes if every value is 0, 1 or 2, unless it is said.
    pub kind: Option<TableKind>,
}

/// Everybody that a study is made from.
#[derive(Clone, Debug)]
pub struct People(Source);

#[derive(Clone, Debug)]
enum Source {
    MadeUp { members: usize, outsiders: usize, positions: usize },
    Tables(Tables),
}

/// Tables with the same columns in the same order.
#[derive(Clone, Debug)]
struct Tables {
    kind: TableKind,
    columns: Vec<String>,
    members: Vec<Vec<String>>,
    /// Outsiders; nobody where one table is split.
    outsiders: Vec<Vec<String>>,
    reference: Option<Vec<Vec<String>>>,
    /// How many members are drawn from `members`, where one table is split.
    split: Option<usize>,
    files: Vec<String>,
}

impl People {
    /// People with independent alleles. Numbers that are left out are a hundred members, as many outsiders, and five
    /// thousand positions.
    pub fn made_up(members: Option<usize>, outsiders: Option<usize>, positions: Option<usize>) -> Self {
        let members = members.unwrap_or(MEMBERS);
        Self(Source::MadeUp {
            members,
            outsiders: outsiders.unwrap_or(members),
            positions: positions.unwrap_or(POSITIONS),
        })
    }

    /// One table, of which so many rows, or half of them, are made members at random.
    pub fn split(
        table: &NamedRecords,
        members: Option<usize>,
        columns: &Columns,
    ) -> Result<Self, AttackError> {
        let mut tables = Tables::chosen(&[table], columns)?;
        let rows = tables.members.len();
        let members = members.unwrap_or(rows / 2);
        if members == 0 || rows.saturating_sub(members) < 2 {
            return Err(AttackError::new(
                format!("{} has {rows} rows: {members} members leave too few others", table.name),
                "there must be at least one member, one outsider and one person for reference",
            ));
        }
        tables.split = Some(members);
        Ok(Self(Source::Tables(tables)))
    }

    /// A table of members and one of outsiders. What the population looks like is learnt from the reference, or else
    /// from a random half of the outsiders, who are then not accused.
    pub fn of_tables(
        members: &NamedRecords,
        outsiders: &NamedRecords,
        reference: Option<&NamedRecords>,
        columns: &Columns,
    ) -> Result<Self, AttackError> {
        let all: Vec<&NamedRecords> = [members, outsiders].into_iter().chain(reference).collect();
        let tables = Tables::chosen(&all, columns)?;
        let empty = |table: &NamedRecords| {
            AttackError::new(format!("{} has no rows", table.name), "write one row a person")
        };
        if tables.members.is_empty() {
            return Err(empty(members));
        }
        let least = if reference.is_some() { 1 } else { 2 };
        if tables.outsiders.len() < least {
            return Err(AttackError::new(
                format!("{} has {} rows", outsiders.name, tables.outsiders.len()),
                "there must be somebody to accuse wrongly, and somebody else to learn the population from",
            ));
        }
        if let (Some(table), Some([])) = (reference, tables.reference.as_deref()) {
            return Err(empty(table));
        }
        Ok(Self(Source::Tables(tables)))
    }

    /// The study; where people have to be split, these bits do it.
    pub fn study(&self, bits: &mut dyn SecureBits) -> Result<Study, AttackError> {
        let tables = match &self.0 {
            Source::MadeUp { members, outsiders, positions } => {
                return Study::simulated(*members, *outsiders, *positions, bits);
            }
            Source::Tables(tables) => tables,
        };
        let (members, mut outsiders) = match tables.split {
            None => (tables.members.clone(), tables.outsiders.clone()),
            Some(members) => {
                let mut all = tables.members.clone();
                shuffle(&mut all, bits);
                let others = all.split_off(members);
                (all, others)
            }
        };
        let reference = match &tables.reference {
            Some(reference) => reference.clone(),
            None => {
                // Whoever shaped the reference looks less like a member than strangers do.
                shuffle(&mut outsiders, bits);
                outsiders.split_off(outsiders.len() / 2)
            }
        };
        let groups = [members, outsiders, reference];
        match tables.kind {
            TableKind::Genotypes => {
                let copies =
                    |row: &Vec<String>| row.iter().map(|value| genotype(value).unwrap_or(0)).collect();
                let [members, outsiders, reference] =
                    groups.map(|group| group.iter().map(copies).collect::<Vec<Vec<u8>>>());
                Study::from_genotypes(&members, &outsiders, &reference)
            }
            TableKind::Records => {
                let table = |rows| Records::new(tables.columns.clone(), rows);
                let [members, outsiders, reference] = groups.map(table);
                let columns: Vec<&str> = tables.columns.iter().map(String::as_str).collect();
                Study::from_records(&members?, &outsiders?, &reference?, &columns)
            }
        }
    }

    /// Whether chance alone decided who is a member, as a bound on membership has it.
    pub fn are_one_population(&self) -> bool {
        match &self.0 {
            Source::MadeUp { .. } => true,
            Source::Tables(tables) => tables.split.is_some(),
        }
    }
}

impl Tables {
    /// The chosen columns of all tables, in the order of the first.
    fn chosen(tables: &[&NamedRecords], columns: &Columns) -> Result<Self, AttackError> {
        let names = if columns.names.is_empty() {
            tables[0].records.columns().to_vec()
        } else {
            columns.names.clone()
        };
        let mut parts = Vec::new();
        for table in tables {
            let places: Vec<usize> = names.iter().map(|name| table.column(name)).collect::<Result<_, _>>()?;
            let part = |row: &Vec<String>| places.iter().map(|place| row[*place].clone()).collect();
            parts.push(table.records.rows().iter().map(part).collect::<Vec<Vec<String>>>());
        }
        let kind = columns.kind.unwrap_or_else(|| {
            let copies = parts.iter().flatten().flatten().all(|value| genotype(value).is_some());
            if copies { TableKind::Genotypes } else { TableKind::Records }
        });
        if kind == TableKind::Genotypes {
            check_genotypes(&names, &parts, tables)?;
        }
        let mut parts = parts.into_iter();
        Ok(Self {
            kind,
            columns: names,
            members: parts.next().unwrap_or_default(),
            outsiders: parts.next().unwrap_or_default(),
            reference: parts.next(),
            split: None,
            files: tables.iter().map(|table| table.name.clone()).collect(),
        })
    }
}

/// Where they come from.
impl fmt::Display for People {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Source::MadeUp { .. } => out.write_str("A made-up study of people with independent alleles"),
            Source::Tables(tables) => {
                let what = match tables.kind {
                    TableKind::Genotypes => "Frequencies of alleles",
                    TableKind::Records => "How often each value occurs in each column",
                };
                let how = if tables.split.is_some() { ", split at random" } else { "" };
                write!(out, "{what}: {}{how}", tables.files.join(", "))
            }
        }
    }
}

/// Where they come from, and not who they are.
impl Serialize for People {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            Source::MadeUp { .. } => serializer.serialize_str("made up"),
            Source::Tables(tables) => {
                let mut members = serializer.serialize_struct("Tables", 4)?;
                members.serialize_field("files", &tables.files)?;
                members.serialize_field("kind", &tables.kind)?;
                members.serialize_field("columns", &tables.columns)?;
                members.serialize_field("split", &tables.split.is_some())?;
                members.end()
            }
        }
    }
}

fn genotype(value: &str) -> Option<u8> {
    match value.trim() {
        "0" => Some(0),
        "1" => Some(1),
        "2" => Some(2),
        _ => None,
    }
}

/// Genotypes are numbers, and their header is not.
fn check_genotypes(
    columns: &[String],
    parts: &[Vec<Vec<String>>],
    tables: &[&NamedRecords],
) -> Result<(), AttackError> {
    if columns.iter().all(|name| genotype(name).is_some()) {
        return Err(AttackError::new(
            format!("the first line of {} looks like a person", tables[0].name),
            "write the names of the positions in the first line",
        ));
    }
    for (part, table) in parts.iter().zip(tables) {
        for (number, row) in part.iter().enumerate() {
            if let Some(place) = row.iter().position(|value| genotype(value).is_none()) {
                let (value, column) = (shown(&row[place]), shown(&columns[place]));
                return Err(AttackError::new(
                    format!("row {} of {} has `{value}` at {column}", number + 1, table.name),
                    "write 0, 1 or 2 copies of the allele; or choose other columns, or have them read as records",
                ));
            }
        }
    }
    Ok(())
}

/// Every order is equally likely.
fn shuffle(rows: &mut [Vec<String>], bits: &mut dyn SecureBits) {
    for last in (1..rows.len()).rev() {
        rows.swap(last, uniform_u64_below(last as u64 + 1, bits) as usize);
    }
}

#[cfg(test)]
mod tests {
    use pointillist_testkit::seeded;

    use super::*;

    fn table(name: &str, text: &str) -> NamedRecords {
        NamedRecords { name: name.to_owned(), records: Records::from_csv(text).unwrap() }
    }

    /// Specification: without a reference, half of the outsiders are one; a table that is split keeps everybody.
    #[test]
    fn everybody_is_a_member_an_outsider_or_of_the_reference() {
        let many = table("many.csv", &("sex,illness\n".to_owned() + &"f,cold\nm,flu\n".repeat(12)));
        let split = People::split(&many, None, &Columns::default()).unwrap();
        let study = split.study(&mut seeded(1)).unwrap();
        assert_eq!((study.members(), study.outsiders(), study.positions()), (12, 6, 2));
        assert!(split.are_one_population());
        let json = serde_json::to_value(&split).unwrap();
        assert_eq!((&json["kind"], &json["split"]), (&"records".into(), &true.into()));
        let genotypes = table("a.csv", "x,y\n0,1\n2,0\n1,1\n0,0\n");
        let both = People::of_tables(&genotypes, &genotypes, None, &Columns::default()).unwrap();
        let study = both.study(&mut seeded(1)).unwrap();
        assert_eq!((study.members(), study.outsiders(), both.are_one_population()), (4, 2, false));
        assert_eq!(both.to_string(), "Frequencies of alleles: a.csv, a.csv");
        assert_eq!(serde_json::to_value(People::made_up(None, None, None)).unwrap(), "made up");
    }

    #[test]
    fn groups_that_do_not_fit_are_named() {
        let a = table("a.csv", "x,y\n0,1\n2,0\n");
        let both = |outsiders: &str, kind: Option<TableKind>| {
            let columns = Columns { names: Vec::new(), kind };
            People::of_tables(&a, &table("b.csv", outsiders), None, &columns).unwrap_err().to_string()
        };
        assert_eq!(both("y,z\n0,1\n1,1\n", None), "b.csv has no column `x`");
        assert_eq!(both("x,y\n0,1\n", None), "b.csv has 1 rows");
        assert_eq!(both("x,y\n0,A\n2,0\n", Some(TableKind::Genotypes)), "row 1 of b.csv has `A` at y");
        let headless = table("h.csv", "0,1\n2,0\n1,1\n");
        let error = People::of_tables(&headless, &headless, None, &Columns::default()).unwrap_err();
        assert_eq!(error.to_string(), "the first line of h.csv looks like a person");
        let none = table("none.csv", "x,y\n");
        for error in [
            People::of_tables(&none, &a, None, &Columns::default()).unwrap_err(),
            People::of_tables(&a, &a, Some(&none), &Columns::default()).unwrap_err(),
        ] {
            assert_eq!(error.to_string(), "none.csv has no rows");
        }
        let few = People::split(&a, None, &Columns::default()).unwrap_err();
        assert_eq!(few.to_string(), "a.csv has 2 rows: 1 members leave too few others");
    }
}
