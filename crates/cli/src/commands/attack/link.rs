//! `pointillist attack link`.

use std::path::PathBuf;

use pointillist_attack::linkage::{example, link};
use serde_json::json;

use super::shown;
use crate::failure::Failure;

/// People that are named in the output.
const NAMED: usize = 10;

/// Two tables.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist attack link
  pointillist attack link --secret hospital.csv --public voters.csv --on born,sex,zip --json")]
pub struct Arguments {
    /// The table without names [default: a made-up hospital]
    #[arg(long, value_name = "PATH", requires = "public")]
    secret: Option<PathBuf>,
    /// The public list with names [default: made-up voters]
    #[arg(long, value_name = "PATH", requires = "secret")]
    public: Option<PathBuf>,
    /// The columns that both have
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', default_value = "born,sex,zip")]
    on: Vec<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Joins.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let (secret, public) = match (&arguments.secret, &arguments.public) {
        (Some(secret), Some(public)) => (shown::records(secret)?, shown::records(public)?),
        _ => example(),
    };
    let on: Vec<&str> = arguments.on.iter().map(String::as_str).collect();
    let found = link(&secret, &public, &on)?;
    if arguments.json {
        shown::json([
            ("attack", json!("link")),
            ("rows", json!(found.rows)),
            ("identified", json!(found.identified.len())),
            ("ambiguous", json!(found.ambiguous)),
            ("unmatched", json!(found.unmatched)),
        ]);
        return Ok(());
    }
    let share = 100.0 * found.identified.len() as f64 / found.rows.max(1) as f64;
    let mut text = format!(
        "{} of {} rows ({share:.0} %) belong to exactly one person of the list; {} to several, {} to nobody.",
        found.identified.len(),
        found.rows,
        found.ambiguous,
        found.unmatched
    );
    for known in found.identified.iter().take(NAMED) {
        let (person, row) = (&public.rows()[known.person], &secret.rows()[known.row]);
        text += &format!("\n{} → {}", person.join(", "), row.join(", "));
    }
    let with = "There are no rows to join: analysts get counts and sums with noise, and no key that few people share.";
    shown::side_by_side(&text, with);
    Ok(())
}
