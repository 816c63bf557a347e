//! `pointillist attack anonymize`.

use std::path::PathBuf;

use pointillist_attack::anonymity::still_works::homogeneity;
use pointillist_attack::anonymity::{fewest_stars, measure, mondrian, publish};
use pointillist_attack::linkage::example;
use serde_json::json;

use super::shown;
use crate::failure::Failure;

/// Tables of at most this many rows are suppressed with the fewest stars.
const EXACT_MOST: usize = 16;
/// Rows that are shown.
const ROWS: usize = 8;

/// A table, what outsiders know of it and what they want.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist attack anonymize --k 2
  pointillist attack anonymize people.csv --known born,sex,zip --sensitive illness --k 5 --json")]
pub struct Arguments {
    /// A CSV file with a header [default: a made-up hospital]
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// The columns that outsiders know
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', default_value = "born,sex,zip")]
    known: Vec<String>,
    /// The column that they want
    #[arg(long, value_name = "COLUMN", default_value = "illness")]
    sensitive: String,
    /// How many rows must look alike
    #[arg(long, value_name = "K", default_value_t = 2)]
    k: usize,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Anonymizes, measures, attacks.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let table = match &arguments.file {
        Some(path) => shown::records(path)?,
        None => example().0,
    };
    let known: Vec<&str> = arguments.known.iter().map(String::as_str).collect();
    let (published, how) = if table.rows().len() <= EXACT_MOST {
        let columns = known.iter().map(|name| table.column(name)).collect::<Result<Vec<_>, _>>()?;
        let found = fewest_stars(&table, &columns, arguments.k)?;
        (publish(&table, &columns, &found.classes), format!("{} stars, the fewest there are", found.stars))
    } else {
        (mondrian(&table, &known, arguments.k)?, "ranges and sets, by Mondrian".to_owned())
    };
    let sensitive = arguments.sensitive.as_str();
    let measured = measure(&published, &known, Some(sensitive))?;
    let disclosed = homogeneity(&published, &known, sensitive)?;
    if arguments.json {
        shown::json([
            ("attack", json!("anonymize")),
            ("k", json!(measured.k)),
            ("l_distinct", json!(measured.l_distinct)),
            ("t", json!(measured.t)),
            ("rows", json!(disclosed.rows)),
            ("certain", json!(disclosed.certain)),
            ("one_guess_away", json!(disclosed.one_guess_away)),
        ]);
        return Ok(());
    }
    let rows = published.rows().iter().take(ROWS).map(|row| row.join(", "));
    let head = std::iter::once(published.columns().join(", ")).chain(rows).collect::<Vec<_>>().join("\n");
    shown::paragraph(&format!("published: {how}"), &head);
    let measures = format!(
        "k = {}, {} classes; l = {}; t = {:.2}",
        measured.k,
        measured.classes,
        measured.l_distinct.unwrap_or(0),
        measured.t.unwrap_or(0.0)
    );
    shown::paragraph("measured", &measures);
    let attack = format!(
        "{} of {} people are in a class where everybody has the same {sensitive}: it is known without finding their \
         row. {} more are one guess away.",
        disclosed.certain, disclosed.rows, disclosed.one_guess_away
    );
    shown::paragraph("what still works", &attack);
    Ok(())
}
