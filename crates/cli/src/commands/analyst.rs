//! `pointillist analyst`: who may come in, as what, and with which share.

use std::io::{self, Read};

use clap::Subcommand;
use pointillist_access::{Access, Password, Role};
use pointillist_catalog::Catalog;
use pointillist_catalog::edit::{ShareWish, replace_catalog, with_shares};
use pointillist_server::access_file;
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::home::{Home, HomeArguments};
use crate::message::say;
use crate::table::{Side, Tone, print_table};
use crate::terminal::Json;

/// What about them.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist analyst add ana --share patients=rho:0.1,delta:2e-10
  pointillist analyst add otto --role auditor
  pointillist analyst grant ana --share patients=rho:0.2,delta:2e-10
  pointillist analyst password ana
  pointillist analyst list

Passwords are made and shown once, or read from stdin (--stdin); of each only a verifier is kept. Shares are written into the catalog,
whose comments stay. A server that runs is told by `pointillist reload`.")]
pub struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// Let somebody in
    Add(Add),
    /// Give an analyst a share of a budget, or another one
    Grant(Grant),
    /// Let somebody in no longer; their tokens go with them
    Revoke(One),
    /// Everybody who may come in
    List(All),
    /// Give somebody another password
    Password(PasswordChange),
}

#[derive(clap::Args)]
struct All {
    #[command(flatten)]
    home: HomeArguments,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(clap::Args)]
struct One {
    /// The name
    #[arg(value_name = "NAME")]
    name: String,
    #[command(flatten)]
    all: All,
}

#[derive(clap::Args)]
struct Add {
    #[command(flatten)]
    one: One,
    /// analyst, curator, auditor or owner
    #[arg(long, value_name = "ROLE", default_value = "analyst")]
    role: String,
    /// A share, such as patients=rho:0.1,delta:2e-10; one for each population
    #[arg(long, value_name = "SCOPE=AMOUNTS")]
    share: Vec<String>,
    /// Read the password from stdin
    #[arg(long)]
    stdin: bool,
    /// No password: they come in with tokens alone
    #[arg(long, conflicts_with = "stdin")]
    no_password: bool,
}

#[derive(clap::Args)]
struct Grant {
    #[command(flatten)]
    one: One,
    /// A share, such as patients=rho:0.1,delta:2e-10; one for each population
    #[arg(long, value_name = "SCOPE=AMOUNTS", required = true)]
    share: Vec<String>,
}

#[derive(clap::Args)]
struct PasswordChange {
    #[command(flatten)]
    one: One,
    /// Read the password from stdin
    #[arg(long)]
    stdin: bool,
}

/// Runs the verb.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.verb {
        Verb::Add(arguments) => add(arguments),
        Verb::Grant(arguments) => grant(arguments),
        Verb::Revoke(one) => revoke(one),
        Verb::List(all) => list(all),
        Verb::Password(change) => set_password(change),
    }
}

fn add(arguments: &Add) -> Result<(), Failure> {
    let name = &arguments.one.name;
    let role = Role::from_word(&arguments.role).ok_or_else(|| {
        Failure::wrong(format!("there is no role `{}`", arguments.role), "analyst, curator, auditor or owner")
    })?;
    if role != Role::Analyst && !arguments.share.is_empty() {
        return Err(Failure::wrong("only analysts have shares", "leave --share out"));
    }
    let home = arguments.one.all.home.open()?;
    let path = access_file(&home.folder)?;
    let edited = shares(&arguments.one, &arguments.share)?;
    let password = match arguments.no_password {
        true => None,
        false => Some(password(arguments.stdin)?),
    };
    Access::edit(&path, |access| access.add(name, role, password.as_ref()))?;
    write_shares(&arguments.one, edited)?;
    let made = password.filter(|_| !arguments.stdin);
    tell(&arguments.one, &json!({ "added": name, "role": role.word() }), made.as_ref());
    let has_share = !arguments.share.is_empty() || home.catalog.analysts.contains_key(name);
    if role == Role::Analyst && !has_share && !arguments.one.all.json {
        say(format_args!("note: {name} has no share yet: `pointillist analyst grant {name} --share …`"));
    }
    Ok(())
}

fn grant(arguments: &Grant) -> Result<(), Failure> {
    let had = arguments.one.all.home.open()?.catalog.analysts.get(&arguments.one.name).cloned();
    write_shares(&arguments.one, shares(&arguments.one, &arguments.share)?)?;
    tell(&arguments.one, &json!({ "granted": arguments.one.name, "shares": arguments.share }), None);
    if !arguments.one.all.json && had.is_some_and(|had| !had.shares.is_empty()) {
        say(
            "note: a share that the ledger was told differently is accepted by `pointillist budget grant --yes`, while no server runs",
        );
    }
    Ok(())
}

fn revoke(one: &One) -> Result<(), Failure> {
    let path = access_file(&folder(&one.all))?;
    Access::edit(&path, |access| access.remove(&one.name))?;
    tell(one, &json!({ "revoked": one.name }), None);
    Ok(())
}

fn set_password(change: &PasswordChange) -> Result<(), Failure> {
    let one = &change.one;
    let path = access_file(&folder(&one.all))?;
    let password = password(change.stdin)?;
    Access::edit(&path, |access| access.set_password(&one.name, &password))?;
    let made = Some(&password).filter(|_| !change.stdin);
    tell(one, &json!({ "changed": one.name }), made);
    Ok(())
}

fn list(all: &All) -> Result<(), Failure> {
    let home = all.home.open()?;
    let access = Access::load(&access_file(&home.folder)?)?;
    let facts = |person: pointillist_access::Person| {
        let tokens = access.tokens().filter(|token| token.person == person.name && !token.revoked).count();
        let shares = scopes(&home.catalog, &person.name);
        (person.name.clone(), person.role.word(), access.has_password(&person.name), tokens, shares)
    };
    let people: Vec<_> = access.people().map(facts).collect();
    if all.json {
        let one = |(name, role, password, tokens, shares): &(String, &str, bool, usize, Vec<String>)| json!({ "name": name, "role": role, "password": password, "tokens": tokens, "shares": shares });
        println!("{}", Json(&json!({ "people": people.iter().map(one).collect::<Vec<Value>>() })));
        return Ok(());
    }
    let row = |(name, role, password, tokens, shares): &(String, &str, bool, usize, Vec<String>)| {
        let password = if *password { "yes" } else { "no" };
        vec![name.clone(), (*role).to_owned(), password.to_owned(), tokens.to_string(), shares.join(", ")]
    };
    let columns =
        ["name", "role", "password", "tokens", "shares of"].map(|name| (name, Side::Left, Tone::Plain));
    print_table("", &columns, &people.iter().map(row).collect::<Vec<_>>());
    Ok(())
}

fn scopes(catalog: &Catalog, name: &str) -> Vec<String> {
    catalog.analysts.get(name).map(|analyst| analyst.shares.keys().cloned().collect()).unwrap_or_default()
}

fn folder(all: &All) -> std::path::PathBuf {
    Home::of(&all.home.catalog, Catalog::default()).folder
}

/// The catalog's text with these shares; nothing where there are none.
fn shares(one: &One, shares: &[String]) -> Result<Option<String>, Failure> {
    if shares.is_empty() {
        return Ok(None);
    }
    let share = |text: &String| {
        let hint = "write it as patients=rho:0.1,delta:2e-10";
        ShareWish::parse(text).ok_or_else(|| Failure::wrong(format!("`{text}` is no share"), hint))
    };
    let shares = shares.iter().map(share).collect::<Result<Vec<_>, _>>()?;
    let text = std::fs::read_to_string(&one.all.home.catalog)?;
    Ok(Some(with_shares(&text, &one.name, &shares)?))
}

fn write_shares(one: &One, text: Option<String>) -> Result<(), Failure> {
    let path = &one.all.home.catalog;
    let failed = |error| Failure::environment(format!("{} could not be written: {error}", path.display()));
    text.map_or(Ok(()), |text| replace_catalog(path, &text)).map_err(failed)
}

/// From stdin, up to the end of its first line; else made. Never from the command line, which others can read.
fn password(stdin: bool) -> Result<Password, Failure> {
    if !stdin {
        return Ok(Password::made()?);
    }
    let mut text = String::new();
    let unread = |error| Failure::wrong(format!("stdin could not be read as text: {error}"), "send one line");
    io::stdin().lock().take(4_096).read_to_string(&mut text).map_err(unread)?;
    Ok(Password::new(text.lines().next().unwrap_or_default())?)
}

fn tell(one: &One, done: &Value, made: Option<&Password>) {
    if one.all.json {
        let mut done = done.clone();
        if let Some(password) = made {
            done["password"] = password.text().into();
        }
        println!("{}", Json(&done));
        return;
    }
    match made {
        Some(password) => println!("{}", password.text()),
        None => println!("done"),
    }
    if made.is_some() {
        say("that is the password; it is shown once and kept nowhere");
    }
    say("a server that runs is told by `pointillist reload`");
}
