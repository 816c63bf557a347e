//! `pointillist reload`: the server that runs here reads catalog, people and certificates again.

use pointillist_errors::{Explanation, Kind};
use pointillist_server::tell_to_reload;
use serde_json::Value;

use crate::failure::Failure;
use crate::home::{Home, HomeArguments};
use crate::terminal::Json;

/// Which server.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist reload
  pointillist reload --catalog /srv/hospital/pointillist.toml

All of it or nothing: what is wrong is said here, and the server goes on as it was. Questions that have begun finish
under the catalog that they began with.")]
pub struct Arguments {
    #[command(flatten)]
    home: HomeArguments,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Tells the server, and says what came of it.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let folder = Home::of(&arguments.home.catalog, Default::default()).folder;
    let failed = |error| Failure::environment(format!("the server does not answer: {error}"));
    let said = tell_to_reload(&folder).map_err(failed)?.ok_or_else(|| {
        Failure::outside("no server runs for this catalog", "start one: `pointillist serve`")
    })?;
    if let Some(message) = said["error"]["message"].as_str() {
        let kind = said["error"]["kind"].as_str().unwrap_or_default();
        let kind = Kind::ALL.into_iter().find(|known| known.word() == kind).unwrap_or(Kind::Environment);
        let explanation = Explanation::new(kind, format!("nothing has changed: {message}"));
        return Err(Failure::explained(match said["error"]["hint"].as_str() {
            Some(hint) => explanation.with_hint(hint),
            None => explanation,
        }));
    }
    if arguments.json {
        println!("{}", Json(&said));
    } else {
        let words = said["reloaded"].as_array().into_iter().flatten().filter_map(Value::as_str);
        words.for_each(|line| println!("{}", pointillist_render::text::shown(line)));
    }
    Ok(())
}
