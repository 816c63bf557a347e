//! `pointillist attack`: what an adversary learns without differential privacy, and the same attack on our
//! answers.

mod anonymize;
mod average;
mod difference;
mod float;
mod intersect;
mod link;
mod membership;
mod model;
mod output;
mod reconstruct;
mod table_arguments;
mod unique;

use clap::Subcommand;

use crate::failure::Failure;

/// Which attack.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist attack link
  pointillist attack unique people.csv --columns born,sex,zip
  pointillist attack anonymize people.csv --known born,sex,zip --sensitive illness --k 5
  pointillist attack intersect west.csv east.csv --person name --k 5
  pointillist attack difference --with 71 --without 70 --epsilon 1
  pointillist attack reconstruct --people 4096 --error 16 --epsilon 1
  pointillist attack membership --report membership.html
  pointillist attack model --epsilon 1

Every attack runs on answers as others publish them and on ours at the price you name.")]
pub struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// Join rows without names with a public list that has them
    Link(link::Arguments),
    /// Who is alone on which columns
    Unique(unique::Arguments),
    /// k-anonymize a table, and show what still works against it
    Anonymize(anonymize::Arguments),
    /// Two k-anonymous tables that share people
    Intersect(intersect::Arguments),
    /// Two counts that differ by one person
    Difference(difference::Arguments),
    /// A secret column from many slightly wrong counts
    Reconstruct(reconstruct::Arguments),
    /// Who took part in a study, from its published frequencies
    Membership(membership::Arguments),
    /// The last person's row, from a model that was trained on it
    Model(model::Arguments),
    /// The same question asked again and again
    Average(average::Arguments),
    /// Textbook noise in floating point, and what its last digits tell
    Float(float::Arguments),
}

/// Runs the attack that was named.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.verb {
        Verb::Link(arguments) => link::run(arguments),
        Verb::Unique(arguments) => unique::run(arguments),
        Verb::Anonymize(arguments) => anonymize::run(arguments),
        Verb::Intersect(arguments) => intersect::run(arguments),
        Verb::Difference(arguments) => difference::run(arguments),
        Verb::Reconstruct(arguments) => reconstruct::run(arguments),
        Verb::Membership(arguments) => membership::run(arguments),
        Verb::Model(arguments) => model::run(arguments),
        Verb::Average(arguments) => average::run(arguments),
        Verb::Float(arguments) => float::run(arguments),
    }
}
