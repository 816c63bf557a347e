//! Who is a member and who is not: made up, from several tables, or from one that is split at random.

use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::ValueEnum;
use pointillist_attack::AttackError;
use pointillist_attack::membership::Study;
use pointillist_attack::records::Records;
use pointillist_noise::{SecureBits, uniform_u64_below};
use serde_json::{Value, json};

use crate::commands::attack::selection::column_of;
use crate::commands::attack::shown;
use crate::failure::Failure;
use pointillist_render::text::shown as spelled;

/// Members that are made up.
const MEMBERS: usize = 100;
/// Places in a made-up genome.
const POSITIONS: usize = 5000;

/// Whose membership.
#[derive(clap::Args)]
pub struct PeopleArguments {
    /// How many people are in the study, or a table of them [default: 100, or half of --records]
    #[arg(long, value_name = "N|FILE")]
    members: Option<Group>,
    /// How many people are outside, or a table of them [default: as many as members]
    #[arg(long, value_name = "N|FILE", conflicts_with = "records")]
    outsiders: Option<Group>,
    /// A table of other people, from whom the population's frequencies are learnt
    #[arg(long, value_name = "FILE", requires = "outsiders")]
    reference: Option<PathBuf>,
    /// One table, whose rows are made members and outsiders at random
    #[arg(long, value_name = "FILE")]
    records: Option<PathBuf>,
    /// The columns that are published [default: all of them]
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    columns: Vec<String>,
    /// What the tables hold [default: genotypes if every value is 0, 1 or 2]
    #[arg(long, value_name = "KIND", value_enum)]
    kind: Option<Kind>,
    /// Places in a made-up genome whose frequencies are published [default: 5000]
    #[arg(long, value_name = "N")]
    positions: Option<usize>,
}

/// So many people, or those of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Group {
    Count(usize),
    File(PathBuf),
}

impl FromStr for Group {
    type Err = Infallible;

    /// Whatever is no number is a file.
    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(text.parse().map_or_else(|_| Self::File(text.into()), Self::Count))
    }
}

/// What a table holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// Copies of alleles, whose frequencies are published
    Genotypes,
    /// Values of columns, which are counted
    Records,
}

/// Everything that a study is made from.
pub enum People {
    /// Independent alleles.
    MadeUp {
        /// How many of each.
        members: usize,
        outsiders: usize,
        positions: usize,
    },
    /// Tables.
    Tables(Tables),
}

/// Tables with the same columns in the same order.
pub struct Tables {
    kind: Kind,
    columns: Vec<String>,
    members: Vec<Vec<String>>,
    /// Outsiders, or everybody who is left where one table is split.
    outsiders: Vec<Vec<String>>,
    reference: Option<Vec<Vec<String>>>,
    /// How many members are drawn from `members`, where one table is split.
    split: Option<usize>,
    files: Vec<String>,
}

impl PeopleArguments {
    /// Reads the tables.
    pub fn people(&self) -> Result<People, Failure> {
        if let Some(path) = &self.records {
            return self.of_one_table(path);
        }
        match (&self.members, &self.outsiders) {
            (Some(Group::File(members)), Some(Group::File(outsiders))) => {
                self.of_tables(members, outsiders, self.reference.as_deref())
            }
            (Some(Group::File(_)), _) => Err(request(
                "members of a file need outsiders of a file",
                "add --outsiders FILE, or split one table with --records FILE",
            )),
            (_, Some(Group::File(_))) => {
                Err(request("outsiders of a file need members of a file", "add --members FILE"))
            }
            (members, outsiders) => self.made_up(count(members.as_ref()), count(outsiders.as_ref())),
        }
    }

    fn made_up(&self, members: Option<usize>, outsiders: Option<usize>) -> Result<People, Failure> {
        for (given, option) in [
            (self.reference.is_some(), "--reference"),
            (!self.columns.is_empty(), "--columns"),
            (self.kind.is_some(), "--kind"),
        ] {
            if given {
                return Err(request(
                    &format!("{option} is for tables, and this study is made up"),
                    "name tables with --members FILE --outsiders FILE, or with --records FILE",
                ));
            }
        }
        let members = members.unwrap_or(MEMBERS);
        let positions = self.positions.unwrap_or(POSITIONS);
        Ok(People::MadeUp { members, outsiders: outsiders.unwrap_or(members), positions })
    }

    fn of_one_table(&self, path: &Path) -> Result<People, Failure> {
        self.refuse_positions()?;
        let mut tables = self.chosen(&[path])?;
        let rows = tables.members.len();
        let members = match &self.members {
            None => rows / 2,
            Some(Group::Count(members)) => *members,
            Some(Group::File(_)) => {
                return Err(request(
                    "--records splits one table, and --members names another",
                    "give --members a number, or leave --records out and add --outsiders FILE",
                ));
            }
        };
        if members == 0 || rows.saturating_sub(members) < 2 {
            return Err(request(
                &format!("{} has {rows} rows: {members} members leave too few others", path.display()),
                "there must be at least one member, one outsider and one person for reference",
            ));
        }
        tables.split = Some(members);
        Ok(People::Tables(tables))
    }

    fn of_tables(
        &self,
        members: &Path,
        outsiders: &Path,
        reference: Option<&Path>,
    ) -> Result<People, Failure> {
        self.refuse_positions()?;
        let paths: Vec<&Path> = [members, outsiders].into_iter().chain(reference).collect();
        let tables = self.chosen(&paths)?;
        if tables.members.is_empty() {
            return Err(request(&format!("{} has no rows", members.display()), "write one row a person"));
        }
        let least = if reference.is_some() { 1 } else { 2 };
        if tables.outsiders.len() < least {
            return Err(request(
                &format!("{} has {} rows", outsiders.display(), tables.outsiders.len()),
                "there must be somebody to accuse wrongly, and somebody else to learn the population from",
            ));
        }
        if let (Some(path), Some([])) = (reference, tables.reference.as_deref()) {
            return Err(request(&format!("{} has no rows", path.display()), "write one row a person"));
        }
        Ok(People::Tables(tables))
    }

    fn refuse_positions(&self) -> Result<(), Failure> {
        match self.positions {
            None => Ok(()),
            Some(_) => Err(request(
                "--positions is for a made-up study, and tables have their own columns",
                "choose columns with --columns",
            )),
        }
    }

    /// The chosen columns of all tables, in the order of the first.
    fn chosen(&self, paths: &[&Path]) -> Result<Tables, Failure> {
        let read: Vec<Records> = paths.iter().map(|path| shown::records(path)).collect::<Result<_, _>>()?;
        let columns = if self.columns.is_empty() { read[0].columns().to_vec() } else { self.columns.clone() };
        let mut parts = Vec::new();
        for (table, path) in read.iter().zip(paths) {
            let places: Vec<usize> =
                columns.iter().map(|name| column_of(table, path, name)).collect::<Result<_, _>>()?;
            let part = |row: &Vec<String>| places.iter().map(|place| row[*place].clone()).collect();
            parts.push(table.rows().iter().map(part).collect::<Vec<Vec<String>>>());
        }
        let kind = self.kind.unwrap_or_else(|| {
            let copies = parts.iter().flatten().flatten().all(|value| genotype(value).is_some());
            if copies { Kind::Genotypes } else { Kind::Records }
        });
        if kind == Kind::Genotypes {
            check_genotypes(&columns, &parts, paths)?;
        }
        let mut parts = parts.into_iter();
        Ok(Tables {
            kind,
            columns,
            members: parts.next().unwrap_or_default(),
            outsiders: parts.next().unwrap_or_default(),
            reference: parts.next(),
            split: None,
            files: paths.iter().map(|path| path.display().to_string()).collect(),
        })
    }
}

impl People {
    /// The study; where people have to be split, these bits do it.
    pub fn study(&self, bits: &mut dyn SecureBits) -> Result<Study, AttackError> {
        let tables = match self {
            Self::MadeUp { members, outsiders, positions } => {
                return Study::simulated(*members, *outsiders, *positions, bits);
            }
            Self::Tables(tables) => tables,
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
            Kind::Genotypes => {
                let copies =
                    |row: &Vec<String>| row.iter().map(|value| genotype(value).unwrap_or(0)).collect();
                let [members, outsiders, reference] =
                    groups.map(|group| group.iter().map(copies).collect::<Vec<Vec<u8>>>());
                Study::from_genotypes(&members, &outsiders, &reference)
            }
            Kind::Records => {
                let table = |rows| Records::new(tables.columns.clone(), rows);
                let [members, outsiders, reference] = groups.map(table);
                let columns: Vec<&str> = tables.columns.iter().map(String::as_str).collect();
                Study::from_records(&members?, &outsiders?, &reference?, &columns)
            }
        }
    }

    /// Whether chance alone decided who is a member.
    pub fn are_one_population(&self) -> bool {
        match self {
            Self::MadeUp { .. } => true,
            Self::Tables(tables) => tables.split.is_some(),
        }
    }

    /// Where they come from, in words.
    pub fn words(&self) -> String {
        match self {
            Self::MadeUp { .. } => "A made-up study of people with independent alleles".to_owned(),
            Self::Tables(tables) => {
                let what = match tables.kind {
                    Kind::Genotypes => "Frequencies of alleles",
                    Kind::Records => "How often each value occurs in each column",
                };
                let how = if tables.split.is_some() { ", split at random" } else { "" };
                format!("{what}: {}{how}", tables.files.join(", "))
            }
        }
    }

    /// Where they come from, for scripts.
    pub fn json(&self) -> Value {
        match self {
            Self::MadeUp { .. } => json!("made up"),
            Self::Tables(tables) => json!({
                "files": tables.files,
                "kind": if tables.kind == Kind::Genotypes { "genotypes" } else { "records" },
                "columns": tables.columns,
                "split": tables.split.is_some(),
            }),
        }
    }
}

fn count(group: Option<&Group>) -> Option<usize> {
    match group {
        Some(Group::Count(count)) => Some(*count),
        _ => None,
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
fn check_genotypes(columns: &[String], parts: &[Vec<Vec<String>>], paths: &[&Path]) -> Result<(), Failure> {
    if columns.iter().all(|name| genotype(name).is_some()) {
        return Err(request(
            &format!("the first line of {} looks like a person", paths[0].display()),
            "write the names of the positions in the first line",
        ));
    }
    for (part, path) in parts.iter().zip(paths) {
        for (number, row) in part.iter().enumerate() {
            if let Some(place) = row.iter().position(|value| genotype(value).is_none()) {
                let (value, column) = (spelled(&row[place]), spelled(&columns[place]));
                return Err(request(
                    &format!("row {} of {} has `{value}` at {column}", number + 1, path.display()),
                    "write 0, 1 or 2 copies of the allele; choose --columns, or say --kind records",
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

fn request(what: &str, hint: &str) -> Failure {
    Failure::Request(format!("{what}\nhint: {hint}"))
}
