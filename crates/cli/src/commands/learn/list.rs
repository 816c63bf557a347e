//! `pointillist learn list`: kinds of models and settings.

use std::io;

use pointillist_learn::{Family, SETTINGS};
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::table::{Side, Tone, print_table};
use crate::terminal::print_json;

/// How it is printed.
#[derive(clap::Args)]
pub struct Arguments {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Lists.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    if arguments.json {
        let models: Vec<Value> = Family::ALL
            .iter()
            .map(|it| json!({ "model": it.name(), "about": it.about(), "target": it.has_target() }))
            .collect();
        let settings = SETTINGS.map(|(name, about)| json!({ "setting": name, "about": about }));
        let list = json!({ "models": models, "settings": settings });
        return Ok(print_json(&mut io::stdout().lock(), &list)?);
    }
    let columns = |name| [(name, Side::Left, Tone::Plain), ("", Side::Left, Tone::Plain)];
    let row = |name: &str, about: &str| vec![name.to_owned(), about.to_owned()];
    print_table("", &columns("model"), &Family::ALL.map(|family| row(family.name(), family.about())));
    println!();
    print_table("", &columns("setting"), &SETTINGS.map(|(name, about)| row(name, about)));
    Ok(())
}
