//! The options that say who is a member and who is not.

use std::convert::Infallible;
use std::path::PathBuf;
use std::str::FromStr;

use clap::ValueEnum;
use pointillist_attack::membership::{Columns, People, TableKind};
use pointillist_attack::records::NamedRecords;

use crate::failure::Failure;

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
    kind: Option<KindWord>,
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
enum KindWord {
    /// Copies of alleles, whose frequencies are published
    Genotypes,
    /// Values of columns, which are counted
    Records,
}

impl From<KindWord> for TableKind {
    fn from(word: KindWord) -> Self {
        match word {
            KindWord::Genotypes => Self::Genotypes,
            KindWord::Records => Self::Records,
        }
    }
}

impl PeopleArguments {
    /// Reads the tables, or says how many people are made up.
    pub fn read(&self) -> Result<People, Failure> {
        if let Some(path) = &self.records {
            self.refuse_positions()?;
            let members = match &self.members {
                None => None,
                Some(Group::Count(members)) => Some(*members),
                Some(Group::File(_)) => {
                    return Err(request(
                        "--records splits one table, and --members names another",
                        "give --members a number, or leave --records out and add --outsiders FILE",
                    ));
                }
            };
            return Ok(People::split(&NamedRecords::open(path)?, members, &self.columns())?);
        }
        match (&self.members, &self.outsiders) {
            (Some(Group::File(members)), Some(Group::File(outsiders))) => {
                self.refuse_positions()?;
                let (members, outsiders) = (NamedRecords::open(members)?, NamedRecords::open(outsiders)?);
                let reference = self.reference.as_deref().map(NamedRecords::open).transpose()?;
                Ok(People::of_tables(&members, &outsiders, reference.as_ref(), &self.columns())?)
            }
            (Some(Group::File(_)), _) => Err(request(
                "members of a file need outsiders of a file",
                "add --outsiders FILE, or split one table with --records FILE",
            )),
            (_, Some(Group::File(_))) => {
                Err(request("outsiders of a file need members of a file", "add --members FILE"))
            }
            (members, outsiders) => {
                self.refuse_options_of_tables()?;
                Ok(People::made_up(count(members.as_ref()), count(outsiders.as_ref()), self.positions))
            }
        }
    }

    fn columns(&self) -> Columns {
        Columns { names: self.columns.clone(), kind: self.kind.map(TableKind::from) }
    }

    fn refuse_options_of_tables(&self) -> Result<(), Failure> {
        let (reference, columns) = (self.reference.is_some(), !self.columns.is_empty());
        let options = [(reference, "--reference"), (columns, "--columns"), (self.kind.is_some(), "--kind")];
        let refusal = |(_, option): &(bool, &str)| {
            let what = format!("{option} is for tables, and this study is made up");
            Err(request(&what, "name tables with --members FILE --outsiders FILE, or with --records FILE"))
        };
        options.iter().find(|(given, _)| *given).map_or(Ok(()), refusal)
    }

    fn refuse_positions(&self) -> Result<(), Failure> {
        let refusal = |_| {
            let what = "--positions is for a made-up study, and tables have their own columns";
            Err(request(what, "choose columns with --columns"))
        };
        self.positions.map_or(Ok(()), refusal)
    }
}

fn count(group: Option<&Group>) -> Option<usize> {
    match group {
        Some(Group::Count(count)) => Some(*count),
        _ => None,
    }
}

fn request(what: &str, hint: &str) -> Failure {
    Failure::wrong(what, hint)
}
