//! `pointillist release verify` and `key`: whether a folder is what was signed, and by whom.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use pointillist_errors::Explained;
use pointillist_publication::{PublicKey, ReleaseKey, Trusted, verify};
use serde_json::json;

use super::Common;
use crate::failure::Failure;
use crate::home::{Home, HomeArguments};
use crate::message::say;
use crate::terminal::print_json;

/// Which release, and whom to trust.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist release verify visits_2026 --key publisher.pub          offline, with the publisher's key
  pointillist release verify visits_2026                              where the catalog is: the ledger, too
  pointillist release verify visits_2026 --catalog hospital/pointillist.toml

Every byte of every file must be what was signed, and no other file may be there. With a catalog the ledger must have
been paid that price, must have recorded the numbers and this very statement, and must not be behind its anchor. The key
in the folder shows only that its files belong together: get the publisher's from elsewhere. Exit code 1 if not verified.")]
pub struct Arguments {
    /// The folder of the release
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
    /// The publisher's public key: a file, or the text that begins with pointillist-ed25519:
    #[arg(long, value_name = "FILE")]
    key: Option<String>,
    /// The catalog whose ledger paid [default: pointillist.toml, where there is one and no key is given]
    #[arg(long, value_name = "PATH")]
    catalog: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Verifies and says what was found.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let (key, home) = trusted(arguments.key.as_deref(), arguments.catalog.as_deref())?;
    let verdict = verify(&arguments.folder, Trusted { key: key.as_ref(), home: home.as_ref() })?;
    let mut out = BufWriter::new(io::stdout().lock());
    if arguments.json {
        print_json(&mut out, &verdict.to_json())?;
    } else {
        verdict.lines().iter().try_for_each(|line| writeln!(out, "✓ {line}"))?;
    }
    out.flush()?;
    verdict.require_trust().map_err(|error| match arguments.json {
        // The object for scripts is printed already.
        true => Failure::Told(error.kind().exit_code(), error.to_string()),
        false => error.into(),
    })
}

/// A key in a file, or as it stands.
fn public_key(given: &str) -> Result<PublicKey, Failure> {
    if given.starts_with("pointillist-ed25519:") {
        return Ok(PublicKey::parse(given)?);
    }
    let unreadable = |error| Failure::wrong(format!("{given}: {error}"), "name the file of a public key");
    Ok(PublicKey::parse(&fs::read_to_string(given).map_err(unreadable)?)?)
}

/// Whom to trust: the key that was named, and the catalog that was; else the one that is here, where nothing else says it.
pub fn trusted(
    key: Option<&str>,
    catalog: Option<&Path>,
) -> Result<(Option<PublicKey>, Option<Home>), Failure> {
    let here = Path::new("pointillist.toml");
    let catalog = catalog.or((key.is_none() && here.exists()).then_some(here));
    let home = catalog.map(|catalog| HomeArguments { catalog: catalog.to_owned(), wait: 0 }.open());
    Ok((key.map(public_key).transpose()?, home.transpose()?))
}

/// Whose key.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist release key                 for readers: publish it where releases are not
  pointillist release key > publisher.pub

The key is made at its first use, in the ledger's folder (release.key, for you alone): keep a copy of that file. Whoever
reads it can sign in your name; without it a new key has to be made, and every reader told.")]
pub struct KeyArguments {
    /// Make a new key where the one that signed earlier releases is lost
    #[arg(long)]
    new: bool,
    #[command(flatten)]
    common: Common,
}

/// Prints the public key.
pub fn key(arguments: &KeyArguments) -> Result<(), Failure> {
    let home = arguments.common.home.open()?;
    let key = match arguments.new {
        true => ReleaseKey::new_for(&home)?,
        false => ReleaseKey::of(&home)?,
    };
    let (key, fingerprint) = (key.public(), key.public().fingerprint());
    let mut out = BufWriter::new(io::stdout().lock());
    if arguments.common.json {
        print_json(&mut out, &json!({ "key": key.to_string(), "fingerprint": fingerprint }))?;
        return Ok(out.flush()?);
    }
    writeln!(out, "{key}")?;
    out.flush()?;
    say(format_args!("fingerprint {fingerprint}"));
    Ok(())
}
