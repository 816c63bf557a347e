//! `pointillist synth list`: methods and settings.

use std::io;

use pointillist_synth::{Method, SETTINGS, TABLE_SETTINGS};
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
    let settings: Vec<(&str, &str)> = TABLE_SETTINGS.iter().chain(&SETTINGS).copied().collect();
    if arguments.json {
        let methods: Vec<Value> =
            Method::ALL.iter().map(|it| json!({ "method": it.name(), "about": it.about() })).collect();
        let settings: Vec<Value> =
            settings.iter().map(|(name, about)| json!({ "setting": name, "about": about })).collect();
        let list = json!({ "methods": methods, "settings": settings });
        return Ok(print_json(&mut io::stdout().lock(), &list)?);
    }
    let columns = |name| [(name, Side::Left, Tone::Plain), ("", Side::Left, Tone::Plain)];
    let row = |name: &str, about: &str| vec![name.to_owned(), about.to_owned()];
    print_table("", &columns("method"), &Method::ALL.map(|method| row(method.name(), method.about())));
    println!();
    let settings: Vec<Vec<String>> = settings.iter().map(|(name, about)| row(name, about)).collect();
    print_table("", &columns("setting"), &settings);
    Ok(())
}
