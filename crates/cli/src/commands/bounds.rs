//! `pointillist bounds`: bounds for the owner to declare, found at a small price; nothing is asked before it is accepted.

use std::io::{self, BufWriter, Write};

use pointillist_curator::{BoundProposal, BoundQuestion, BoundWish};
use pointillist_render::terminal_style::TerminalStyle;

use super::{explain, query};
use crate::failure::Failure;
use crate::home::{CLOCK, HomeArguments};
use crate::message::is_quiet;
use crate::question::options;
use crate::table::{Side, Tone, print_table};
use crate::terminal::print_json;

/// What bounds are wanted for.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist bounds visits.cost               what it would cost; nothing is asked
  pointillist bounds visits.cost --yes         lower and upper for a column
  pointillist bounds visits --yes              max_contributions, and max_groups for its public keys
  pointillist bounds visits --by ward,day --rho 0.01 --yes

Everybody counts once, in a bucket of their largest and of their smallest value, or of how many rows and groups they have.
A bound is proposed where more people reach it than the noise could feign. The catalog is not changed: the lines to write
into it are printed. The same question, asked again, has the same answer for free.")]
pub struct Arguments {
    /// A table, or a column with numbers
    #[arg(value_name = "TABLE[.COLUMN]")]
    place: String,
    /// Columns that questions will group by together, for max_groups
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    by: Vec<String>,
    /// The price as ε [default in pure scopes: 0.1]
    #[arg(long, value_name = "E", allow_hyphen_values = true)]
    epsilon: Option<String>,
    /// The price as ρ [default: 0.001]
    #[arg(long, value_name = "R", allow_hyphen_values = true)]
    rho: Option<String>,
    /// Pay for it
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    home: HomeArguments,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Shows the price; with `--yes`, or where it was paid before, proposes.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let options = options(&[("epsilon", &arguments.epsilon), ("rho", &arguments.rho)])?;
    let home = arguments.home.open()?;
    let wish = BoundWish { place: arguments.place.clone(), by: arguments.by.clone(), options };
    let question = BoundQuestion::new(&home.catalog, &wish)?;
    let quote = home.quote(question.ask())?;
    if !arguments.yes && !quote.is_free {
        explain::print(&quote, false, arguments.json)?;
        let people = question.threshold();
        query::print_notes(&[format!("a bound is proposed where more than {people} people reach it")]);
        let hint = "if the price is fine, run it again with --yes, which asks and pays";
        return Err(Failure::Told(
            2,
            format!("this was only a look: nothing was asked and nothing paid\nhint: {hint}"),
        ));
    }
    let proposal = home.propose_bounds(&question, CLOCK)?;
    match arguments.json {
        true => Ok(print_json(&mut io::stdout().lock(), &proposal)?),
        false => print(&proposal),
    }
}

fn print(proposal: &BoundProposal) -> Result<(), Failure> {
    let text = |text: &Option<String>| text.clone().unwrap_or_else(|| "–".to_owned());
    let rows = proposal
        .bounds
        .iter()
        .map(|bound| vec![bound.key.to_owned(), text(&bound.now), text(&bound.proposed)]);
    let columns = [
        ("key", Side::Left, Tone::Plain),
        ("now", Side::Right, Tone::Plain),
        ("proposed", Side::Right, Tone::Plain),
    ];
    print_table("", &columns, &rows.collect::<Vec<_>>());
    let mut out = BufWriter::new(io::stdout().lock());
    if let Some(toml) = &proposal.toml {
        writeln!(out, "to accept, write into the catalog in place of what it says now:\n\n{toml}")?;
    }
    if !is_quiet() {
        for line in query::footer(&proposal.reply, TerminalStyle::for_stdout()) {
            writeln!(out, "{line}")?;
        }
    }
    out.flush()?;
    query::print_notes(&proposal.notes);
    Ok(())
}
