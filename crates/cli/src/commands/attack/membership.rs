//! `pointillist attack membership`.

mod people;

use clap::ValueEnum;
use pointillist_attack::membership::{self, Statistic};

use super::output::{OutputArguments, draw, price};
use crate::failure::Failure;
use people::PeopleArguments;

/// A study, made up or of files.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist attack membership --members 100 --positions 5000 --epsilon 1 --json
  pointillist attack membership --members cases.csv --outsiders others.csv --report membership.html
  pointillist attack membership --records survey.csv --columns region,job,income --members 50

Tables have a header and one row a person. Genotypes are 0, 1 or 2 copies of an allele in every
column (or 0 and 1), of which the frequencies are published; of any other table, how often each
value occurs in each column. What the population looks like is learnt from --reference, or else
from a random half of the outsiders, who are then not accused.")]
pub struct Arguments {
    #[command(flatten)]
    people: PeopleArguments,
    /// What the attacker adds up
    #[arg(long, value_name = "STATISTIC", value_enum, default_value = "likelihood-ratio")]
    statistic: StatisticWord,
    /// The price of all frequencies together
    #[arg(long, value_name = "E", default_value = "1", allow_hyphen_values = true)]
    epsilon: String,
    #[command(flatten)]
    output: OutputArguments,
}

/// The statistics by name.
#[derive(Clone, Copy, ValueEnum)]
enum StatisticWord {
    /// How much nearer the person is to the group than to the population
    Distance,
    /// How much likelier the person is as a member
    LikelihoodRatio,
    /// How much the group leans the person's way
    Correlation,
}

impl From<StatisticWord> for Statistic {
    fn from(word: StatisticWord) -> Self {
        match word {
            StatisticWord::Distance => Self::Distance,
            StatisticWord::LikelihoodRatio => Self::LikelihoodRatio,
            StatisticWord::Correlation => Self::Correlation,
        }
    }
}

/// Publishes, attacks, compares.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    arguments.output.check()?;
    let (price, statistic) = (price(&arguments.epsilon)?, Statistic::from(arguments.statistic));
    let settings = membership::Settings { people: arguments.people.read()?, statistic, price };
    let working = "publishing frequencies and accusing everybody";
    arguments.output.show(&draw(working, |bits| membership::run(settings, bits))?)
}
