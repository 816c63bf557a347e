//! `pointillist token`: tokens for programs, each in somebody's name.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use clap::Subcommand;
use pointillist_access::{Access, TokenFacts, TokenTerms, Verb as What};
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::home::HomeArguments;
use crate::message::{is_quiet, say};
use crate::table::{Side, Tone, print_table};
use crate::terminal::Json;

const SECONDS_A_DAY: u64 = 86_400;

/// What about them.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist token create ana --days 90
  pointillist token create ana --for explain,catalog
  pointillist token list
  pointillist token revoke ID

A token is shown once; of it only a hash is kept. A server that runs is told by `pointillist reload`.")]
pub struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// Make a token in somebody's name
    Create(Create),
    /// Every token, without what lets somebody in
    List(Common),
    /// Take a token back
    Revoke(Revoke),
}

#[derive(clap::Args)]
struct Common {
    #[command(flatten)]
    home: HomeArguments,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(clap::Args)]
struct Create {
    /// In whose name
    #[arg(value_name = "NAME")]
    person: String,
    /// For how many days [default: without end]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=36_500))]
    days: Option<u64>,
    /// What for, such as ask,explain [default: all that they may do]
    #[arg(long = "for", value_name = "VERBS", value_delimiter = ',')]
    verbs: Vec<String>,
    #[command(flatten)]
    common: Common,
}

#[derive(clap::Args)]
struct Revoke {
    /// The token's id, as it is listed
    #[arg(value_name = "ID")]
    id: String,
    #[command(flatten)]
    common: Common,
}

/// Runs the verb.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.verb {
        Verb::Create(arguments) => create(arguments),
        Verb::List(common) => list(common),
        Verb::Revoke(revoke) => {
            Access::edit(&revoke.common.home.access_file()?, |access| access.revoke_token(&revoke.id))?;
            if revoke.common.json || !is_quiet() {
                done(&revoke.common, &json!({ "revoked": revoke.id }), "done");
            }
            Ok(())
        }
    }
}

fn create(arguments: &Create) -> Result<(), Failure> {
    let verb = |word: &String| {
        let words: Vec<&str> = What::ALL.iter().map(|verb| verb.word()).collect();
        let unknown = || Failure::wrong(format!("there is no verb `{word}`"), words.join(", "));
        What::from_word(word).ok_or_else(unknown)
    };
    let verbs = arguments.verbs.iter().map(verb).collect::<Result<Vec<_>, _>>()?;
    let now = SystemTime::now();
    let terms = TokenTerms {
        expires: arguments.days.map(|days| now + Duration::from_secs(days * SECONDS_A_DAY)),
        verbs: Some(verbs).filter(|verbs| !verbs.is_empty()),
    };
    let path = arguments.common.home.access_file()?;
    let new = Access::edit(&path, |access| access.create_token(&arguments.person, terms, now))?;
    done(
        &arguments.common,
        &json!({ "id": new.id, "person": arguments.person, "token": new.text }),
        &new.text,
    );
    Ok(())
}

fn list(common: &Common) -> Result<(), Failure> {
    let access = common.home.access()?;
    let tokens: Vec<TokenFacts> = access.tokens().collect();
    let day = |time: SystemTime| {
        let seconds = time.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let days = i32::try_from(seconds / SECONDS_A_DAY).unwrap_or(i32::MAX);
        pointillist_catalog::calendar::date_text(days)
    };
    let verbs = |token: &TokenFacts| {
        token.verbs.as_ref().map(|verbs| verbs.iter().map(|verb| verb.word()).collect::<Vec<_>>())
    };
    let state = |token: &TokenFacts| match (token.revoked, token.expired(SystemTime::now())) {
        (true, _) => "revoked",
        (false, true) => "expired",
        (false, false) => "valid",
    };
    if common.json {
        let one = |token: &TokenFacts| {
            json!({
                "id": token.id, "person": token.person, "created": day(token.created),
                "expires": token.expires.map(day), "verbs": verbs(token), "state": state(token),
            })
        };
        println!("{}", Json(&json!({ "tokens": tokens.iter().map(one).collect::<Vec<Value>>() })));
        return Ok(());
    }
    let row = |token: &TokenFacts| {
        vec![
            token.id.clone(),
            token.person.clone(),
            day(token.created),
            token.expires.map_or_else(String::new, day),
            verbs(token).map_or_else(|| "all".to_owned(), |verbs| verbs.join(", ")),
            state(token).to_owned(),
        ]
    };
    let columns =
        ["id", "person", "created", "expires", "for", "state"].map(|name| (name, Side::Left, Tone::Plain));
    print_table("", &columns, &tokens.iter().map(row).collect::<Vec<_>>());
    Ok(())
}

fn done(common: &Common, object: &Value, words: &str) {
    if common.json {
        println!("{}", Json(object));
        return;
    }
    println!("{words}");
    say("a token is shown once and kept nowhere; a server that runs is told by `pointillist reload`");
}
