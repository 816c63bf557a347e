//! `pointillist attack reconstruct`.

mod render;

use std::path::PathBuf;

use pointillist_attack::reconstruction::curator::{self, CuratorAttack, Progress, Total};
use pointillist_attack::reconstruction::{self, Secret};
use pointillist_attack::records::NamedRecords;
use pointillist_noise::with_system_bits;

use super::output::{OutputArguments, draw, epsilon};
use crate::failure::Failure;
use crate::progress;

/// People whose secret is made up, unless others are asked for, and fewer where every question goes to a ledger.
const PEOPLE: usize = 1024;
const PEOPLE_OF_CURATOR: usize = 256;

/// A secret column and how it is asked about.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist attack reconstruct
  pointillist attack reconstruct --people 4096 --error 16 --epsilon 1 --json
  pointillist attack reconstruct people.csv --column illness --value flu --report reconstruct.html
  pointillist attack reconstruct --curator --budget 1 --epsilon 0.01 --report curator.html

Every question is the number of ones among some of the people; the attack knows who was counted and
computes everybody's bit from the answers. With --curator it asks Pointillist itself, in SQL, as an
analyst with a share, and gets answers until the ledger refuses.")]
pub struct Arguments {
    #[command(flatten)]
    secret: SecretArguments,
    /// Questions a person
    #[arg(long, value_name = "N", default_value_t = 4)]
    questions: usize,
    /// The largest error of the answers that others publish [default: a quarter of the root of the people]
    #[arg(long, value_name = "X", allow_hyphen_values = true)]
    error: Option<f64>,
    /// The price of all our answers together; with --curator, of each question [default: 1, or 0.02]
    #[arg(long, value_name = "E", allow_hyphen_values = true)]
    epsilon: Option<String>,
    /// Attack Pointillist itself: real SQL and a real ledger, until the budget is spent
    #[arg(long)]
    curator: bool,
    /// What all answers of the curator may cost together
    #[arg(long, value_name = "E", default_value = "1", requires = "curator", allow_hyphen_values = true)]
    budget: String,
    /// The δ of that budget; the ledger then counts ρ in place of ε
    #[arg(long, value_name = "D", requires = "curator", allow_hyphen_values = true)]
    delta: Option<String>,
    #[command(flatten)]
    output: OutputArguments,
}

/// Whose secret.
#[derive(clap::Args)]
pub struct SecretArguments {
    /// A CSV file with a header, one row a person [default: everybody's bit is a fair coin]
    #[arg(value_name = "FILE", requires = "column", requires = "value")]
    file: Option<PathBuf>,
    /// The secret column of FILE
    #[arg(long, value_name = "COLUMN", requires = "file")]
    column: Option<String>,
    /// The value that makes the secret bit a one
    #[arg(long, value_name = "VALUE", requires = "file", allow_hyphen_values = true)]
    value: Option<String>,
    /// How many people have a secret bit; with FILE, its first rows [default: 1024, 256 with --curator, or all rows]
    #[arg(long, value_name = "N")]
    people: Option<usize>,
}

/// Asks, decodes, compares.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    arguments.output.check()?;
    if arguments.curator {
        return attack_curator(arguments);
    }
    let epsilon = epsilon(arguments.epsilon.as_deref().unwrap_or("1"))?;
    let secret = arguments.secret.read(PEOPLE)?;
    let working =
        format!("asking {} questions a person of {} people, twice", arguments.questions, secret.people());
    let (questions_each, error) = (arguments.questions, arguments.error);
    let settings = reconstruction::Settings { secret, questions_each, error, epsilon };
    arguments.output.show(&draw(working, |bits| reconstruction::run(settings, bits))?)
}

impl SecretArguments {
    /// Draws the secret, of so many people unless others were asked for, or reads it.
    fn read(&self, people: usize) -> Result<Secret, Failure> {
        let (Some(path), Some(column), Some(value)) = (&self.file, &self.column, &self.value) else {
            let people = self.people.unwrap_or(people);
            return draw("making up a secret", |bits| Secret::made_up(people, bits));
        };
        Ok(Secret::of_table(&NamedRecords::open(path)?, column, value, self.people)?)
    }
}

/// The same against a curator.
fn attack_curator(arguments: &Arguments) -> Result<(), Failure> {
    let attack = CuratorAttack {
        budget: Total::parse(&arguments.budget, arguments.delta.as_deref())?,
        epsilon: epsilon(arguments.epsilon.as_deref().unwrap_or("0.02"))?,
        secret: arguments.secret.read(PEOPLE_OF_CURATOR)?,
        questions_each: arguments.questions,
        error: arguments.error,
        with_curves: arguments.output.wants_page(),
    };
    let bar = progress::bar(1, "asking the curator {bar:40} {human_pos}/{human_len} answers");
    let mut progress = |progress: Progress| {
        bar.set_length(progress.allowed as u64);
        bar.set_position(progress.answered as u64);
    };
    let outcome =
        with_system_bits(|bits| curator::run(attack, bits, &mut progress)).map_err(Failure::request);
    bar.finish_and_clear();
    arguments.output.show_with(&outcome??, render::print)
}
