//! `pointillist analyst`: who may come in, as what, and with which share.

use std::io::{self, Read};

use clap::Subcommand;
use pointillist_access::{Access, AccessError, Password, Role};
use pointillist_catalog::Catalog;
use pointillist_catalog::edit::{ShareWish, replace_catalog, with_shares};
use pointillist_errors::Explained;
use pointillist_privacy::Amount;
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::home::{Home, HomeArguments};
use crate::message::{is_quiet, say};
use crate::table::{Side, Tone, print_table};
use crate::terminal::Json;

/// The shortest password that somebody may choose.
const LETTERS_MIN: usize = 12;

/// What about them.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist analyst add ana --share people=rho:0.002,delta:1e-10
  pointillist analyst add cy --share people=epsilon:1,delta:1e-10
  pointillist analyst add otto --role auditor
  pointillist analyst grant ana --share people=rho:0.004,delta:1e-10
  pointillist analyst password ana
  pointillist analyst role otto curator
  pointillist analyst list

A share is an ε or a ρ, and a δ beside it for keys that must be earned: without one, nobody groups by a column that has no public keys.
Passwords are made and shown once, or read from stdin (--stdin, 12 letters or more); of each only a verifier is kept. Shares are written into the catalog,
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
    /// Give somebody another role
    Role(RoleChange),
}

#[derive(Clone, clap::Args)]
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
    /// A share, such as people=epsilon:1,delta:1e-10 or people=rho:0.002,delta:1e-10; one for each population
    #[arg(long, value_name = "SCOPE=AMOUNTS")]
    share: Vec<String>,
    /// Read the password from stdin
    #[arg(long)]
    stdin: bool,
    /// No password: they come in with tokens alone
    #[arg(long, conflicts_with = "stdin")]
    no_password: bool,
    /// Whoever asked under this name before is who is let in now: their past and what they have spent are theirs
    #[arg(long)]
    same_person: bool,
}

#[derive(clap::Args)]
struct RoleChange {
    /// The name
    #[arg(value_name = "NAME")]
    name: String,
    /// analyst, curator, auditor or owner
    #[arg(value_name = "ROLE")]
    role: String,
    #[command(flatten)]
    all: All,
}

#[derive(clap::Args)]
struct Grant {
    #[command(flatten)]
    one: One,
    /// A share, such as people=epsilon:1,delta:1e-10 or people=rho:0.002,delta:1e-10; one for each population
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
        Verb::Role(change) => set_role(change),
    }
}

fn add(arguments: &Add) -> Result<(), Failure> {
    let name = &arguments.one.name;
    let role = role(&arguments.role)?;
    if role != Role::Analyst && !arguments.share.is_empty() {
        return Err(Failure::wrong("only analysts have shares", "leave --share out"));
    }
    let home = arguments.one.all.home.open()?;
    if !arguments.same_person {
        refuse_used_name(&home, name)?;
    }
    let path = arguments.one.all.home.access_file()?;
    let shares = shares(&arguments.share)?;
    let password = match arguments.no_password {
        true => None,
        false => Some(password(arguments.stdin)?),
    };
    let edited = Access::edit_with(&path, |access| {
        access.add(name, role, password.as_ref()).map_err(|error| taken(&error))?;
        write_shares(&arguments.one, &shares)
    })?;
    let made = password.filter(|_| !arguments.stdin);
    tell(&arguments.one, &json!({ "added": name, "role": role.word() }), made.as_ref());
    warn_above_budget(&arguments.one, edited.as_ref());
    let has_share = !arguments.share.is_empty() || home.catalog.analysts.contains_key(name);
    if role == Role::Analyst && !has_share && !arguments.one.all.json {
        say(format_args!("note: {name} has no share yet: `pointillist analyst grant {name} --share …`"));
    }
    Ok(())
}

fn grant(arguments: &Grant) -> Result<(), Failure> {
    let had = arguments.one.all.home.open()?.catalog.analysts.get(&arguments.one.name).cloned();
    let (path, shares) = (arguments.one.all.home.access_file()?, shares(&arguments.share)?);
    // Under the lock of the access file, as every change of shares: none is lost to another.
    let edited = Access::edit_with(&path, |_| write_shares(&arguments.one, &shares))?;
    tell(&arguments.one, &json!({ "granted": arguments.one.name, "shares": arguments.share }), None);
    warn_above_budget(&arguments.one, edited.as_ref());
    if !arguments.one.all.json && had.is_some_and(|had| !had.shares.is_empty()) {
        say(
            "note: a share that the ledger was told differently is accepted by `pointillist budget grant --yes`, while no server runs",
        );
    }
    Ok(())
}

fn revoke(one: &One) -> Result<(), Failure> {
    Access::edit(&one.all.home.access_file()?, |access| access.remove(&one.name))?;
    tell(one, &json!({ "revoked": one.name }), None);
    Ok(())
}

fn set_password(change: &PasswordChange) -> Result<(), Failure> {
    let one = &change.one;
    let path = one.all.home.access_file()?;
    let password = password(change.stdin)?;
    Access::edit(&path, |access| access.set_password(&one.name, &password))?;
    let made = Some(&password).filter(|_| !change.stdin);
    tell(one, &json!({ "changed": one.name }), made);
    Ok(())
}

fn set_role(change: &RoleChange) -> Result<(), Failure> {
    let role = role(&change.role)?;
    Access::edit(&change.all.home.access_file()?, |access| access.set_role(&change.name, role))?;
    let one = One { name: change.name.clone(), all: change.all.clone() };
    tell(&one, &json!({ "changed": change.name, "role": role.word() }), None);
    Ok(())
}

fn role(word: &str) -> Result<Role, Failure> {
    Role::from_word(word).ok_or_else(|| {
        Failure::wrong(format!("there is no role `{word}`"), "analyst, curator, auditor or owner")
    })
}

/// Somebody has the name: what can be done about them.
fn taken(error: &AccessError) -> Failure {
    match error {
        AccessError::NameTaken { name } => Failure::explained(error.explanation().with_hint(format!(
            "`pointillist analyst role {name} ROLE` gives them another role, `pointillist analyst password {name}` another password"
        ))),
        error => Failure::of(error),
    }
}

/// A name under which somebody has paid is not given to somebody else without a word: whoever has it sees that past, is given those
/// answers again for free, and has what is left of that share.
fn refuse_used_name(home: &Home, name: &str) -> Result<(), Failure> {
    let balances = home.reader()?.map(|reader| reader.balances()).unwrap_or_default();
    let paid = balances
        .iter()
        .any(|(account, balance)| account.analyst.as_deref() == Some(name) && balance.spent != Amount::ZERO);
    match paid {
        false => Ok(()),
        true => Err(Failure::wrong(
            format!("somebody has asked and paid as `{name}` before"),
            "whoever has the name has that past, those answers and what is left of that share: give --same-person if it is the same \
             person, and else another name",
        )),
    }
}

/// Says so where a share is more than there is.
fn warn_above_budget(one: &One, catalog: Option<&Catalog>) {
    let Some(catalog) = catalog.filter(|_| !one.all.json) else { return };
    for (scope, share) in catalog.analysts.get(&one.name).into_iter().flat_map(|analyst| &analyst.shares) {
        let budget = catalog.scopes.get(scope).map(|scope| scope.budget.granted());
        if budget.is_some_and(|budget| !share.amount.is_within(budget.amount)) {
            say(format_args!("note: that share is above the budget of `{scope}`, which ends it first"));
        }
    }
}

fn list(all: &All) -> Result<(), Failure> {
    let home = all.home.open()?;
    let access = all.home.access()?;
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

fn shares(shares: &[String]) -> Result<Vec<ShareWish>, Failure> {
    let share = |text: &String| {
        let hint = "write it as people=epsilon:1,delta:1e-10 or people=rho:0.002,delta:1e-10";
        ShareWish::parse(text).ok_or_else(|| Failure::wrong(format!("`{text}` is no share"), hint))
    };
    shares.iter().map(share).collect()
}

/// Writes these shares into the catalog as it is now, and gives the catalog with them; nothing where there are none. To be called
/// under the lock of the access file.
fn write_shares(one: &One, shares: &[ShareWish]) -> Result<Option<Catalog>, Failure> {
    if shares.is_empty() {
        return Ok(None);
    }
    let path = &one.all.home.catalog;
    let before = std::fs::read_to_string(path)?;
    let text = with_shares(&before, &one.name, shares)?;
    let failed = |error| Failure::environment(format!("{} could not be written: {error}", path.display()));
    replace_catalog(path, &before, &text).map_err(failed)?;
    Ok(Some(Catalog::parse(&text)?))
}

/// From stdin, up to the end of its first line; else made. Never from the command line, which others can read.
fn password(stdin: bool) -> Result<Password, Failure> {
    if !stdin {
        return Ok(Password::made()?);
    }
    let mut text = String::new();
    let unread = |error| Failure::wrong(format!("stdin could not be read as text: {error}"), "send one line");
    io::stdin().lock().take(4_096).read_to_string(&mut text).map_err(unread)?;
    let text = text.lines().next().unwrap_or_default();
    if text.chars().count() < LETTERS_MIN {
        return Err(Failure::wrong(
            format!(
                "a password of fewer than {LETTERS_MIN} letters is guessed by whoever gets hold of the access file"
            ),
            "send a longer one, or leave --stdin out to have one made",
        ));
    }
    Ok(Password::new(text)?)
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
        None if is_quiet() => {}
        None => println!("done"),
    }
    if made.is_some() {
        say("that is the password; it is shown once and kept nowhere");
    }
    say("a server that runs is told by `pointillist reload`");
}
