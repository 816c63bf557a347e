//! A door in a hundred lines, from libraries alone: it parses, calls and prints.
//!
//! ```text
//! cargo run -p pointillist-curator --example door -- FOLDER/pointillist.toml ana \
//!     "SHOW TABLES" "EXPLAIN SELECT count(*) FROM visits" "SELECT count(*) FROM visits"
//! ```
//!
//! Every statement becomes one line of JSON: a list, a quote, an answer with its error bars and its receipt, or an error
//! with its hint and the codes that shells, PostgreSQL's clients and HTTP's clients know it by. The last line is the
//! budget, as far as it is the asker's to see. Replies leave on the clock that the catalog declares, as for everybody who is not the owner.

use std::path::Path;
use std::process::ExitCode;

use pointillist_curator::{Ask, Clock, Executed, Home};
use pointillist_errors::Explained;
use serde_json::{Value, json};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [catalog, analyst, statements @ ..] = arguments.as_slice() else {
        println!("{}", json!({ "usage": "door CATALOG ANALYST STATEMENT..." }));
        return ExitCode::from(2);
    };
    let home = match Home::open(Path::new(catalog)) {
        Ok(home) => home,
        Err(error) => return failed(&error),
    };
    let mut last = ExitCode::SUCCESS;
    for sql in statements {
        match answer(&home, analyst, sql) {
            Ok(object) => println!("{object}"),
            Err(code) => last = code,
        }
    }
    match home.balances() {
        Ok(balances) => println!("{}", object(&balances.seen_by(analyst))),
        Err(error) => return failed(&error),
    }
    last
}

/// One statement: the library tells lists, questions and explanations apart.
fn answer(home: &Home, analyst: &str, sql: &str) -> Result<Value, ExitCode> {
    let ask = Ask::new(sql, analyst);
    match home.execute(&ask, Clock::Declared) {
        Ok(Executed::List(list)) => Ok(object(&list)),
        Ok(Executed::Quote(quote)) => Ok(object(&quote)),
        Ok(Executed::Public(answer)) => Ok(object(&answer)),
        Ok(Executed::PublicQuote(quote)) => Ok(object(&quote)),
        Ok(Executed::Answer(reply)) => Ok(object(&reply)),
        Err(error) => Err(failed(&error)),
    }
}

fn object(result: &impl serde::Serialize) -> Value {
    serde_json::to_value(result).unwrap_or_default()
}

/// What every error says, in every way a door could want it.
fn failed(error: &impl Explained) -> ExitCode {
    let kind = error.kind();
    let object = json!({
        "error": {
            "kind": kind.word(),
            "message": error.to_string(),
            "hint": error.hint(),
            "sqlstate": kind.sqlstate(),
            "http_status": kind.http_status(),
        }
    });
    println!("{object}");
    ExitCode::from(kind.exit_code())
}
