//! What a statement wants of its session: a command, or a query that somebody else answers.
//!
//! Commands are read here, word by word; queries are not looked into. What this server does for nobody is refused by name, with
//! the codes after which clients go on: the connection stays.

mod copy_options;
mod cursor_words;
mod reader;
mod setting_words;

use reader::Reader;
use sqlparser::tokenizer::Token;

use super::refusal::Failure;

pub(crate) use copy_options::{CopyFormat, CopyOptions};
pub(crate) use cursor_words::{Declared, Direction};

/// A statement, as far as its session reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Command {
    /// `BEGIN`, or with other words `START TRANSACTION`.
    Begin {
        tag: &'static str,
    },
    Commit {
        chain: bool,
    },
    Rollback {
        chain: bool,
    },
    Savepoint(String),
    Release(String),
    RollbackTo(String),
    /// `SET name = value`; without a value it is `SET name TO DEFAULT`.
    Set {
        local: bool,
        name: String,
        value: Option<String>,
    },
    /// A `SET` that changes nothing here, such as an isolation level.
    SetNothing,
    /// Without a name: all.
    Reset(Option<String>),
    /// Without a name: all.
    Show(Option<String>),
    Discard {
        tag: &'static str,
        all: bool,
    },
    /// Without a name: all.
    Deallocate(Option<String>),
    Prepare {
        name: String,
        types: Vec<String>,
        statement: String,
    },
    Execute {
        name: String,
        arguments: Option<String>,
    },
    Declare(Declared),
    Fetch {
        cursor: String,
        direction: Direction,
        is_move: bool,
    },
    /// Without a name: all.
    Close(Option<String>),
    Unlisten,
    Copy {
        query: String,
        options: CopyOptions,
    },
    Explain {
        query: String,
        json: bool,
        plan: bool,
    },
    /// `SHOW TABLES`, `DESCRIBE t`.
    List,
    /// `SELECT`, `WITH`, `VALUES`, `TABLE`.
    Query,
}

impl Command {
    /// What a statement is. It is not empty.
    ///
    /// # Errors
    /// 42601 for what is not understood; 25006 and 42501 for what is not done.
    pub(crate) fn read(sql: &str) -> Result<Self, Failure> {
        let mut reader = Reader::new(sql)?;
        let first = match reader.peek() {
            Some(Token::LParen) => return Ok(Self::Query),
            Some(Token::Word(word)) if word.quote_style.is_none() => word.value.to_uppercase(),
            _ => return Err(reader.unexpected()),
        };
        if matches!(first.as_str(), "SELECT" | "WITH" | "VALUES" | "TABLE") {
            return Ok(Self::Query);
        }
        reader.next();
        match first.as_str() {
            "BEGIN" | "START" | "COMMIT" | "END" | "ROLLBACK" | "ABORT" | "SAVEPOINT" | "RELEASE" => {
                transaction(&first, &mut reader)
            }
            "SET" => setting_words::set(&mut reader),
            "RESET" => setting_words::reset(&mut reader),
            "SHOW" => setting_words::show(&mut reader),
            "DESCRIBE" | "DESC" => Ok(Self::List),
            "DISCARD" => discard(&mut reader),
            "DEALLOCATE" => {
                reader.eat("PREPARE");
                let name = if reader.eat("ALL") { None } else { Some(reader.name()?) };
                reader.finish(Self::Deallocate(name))
            }
            "PREPARE" => prepare(&mut reader),
            "EXECUTE" => {
                let name = reader.name()?;
                let arguments = if reader.is_done() { None } else { Some(reader.bracketed()?.to_owned()) };
                reader.finish(Self::Execute { name, arguments })
            }
            "DECLARE" => cursor_words::declare(&mut reader),
            "FETCH" => cursor_words::fetch(&mut reader, false),
            "MOVE" => cursor_words::fetch(&mut reader, true),
            "CLOSE" => {
                let name = if reader.eat("ALL") { None } else { Some(reader.name()?) };
                reader.finish(Self::Close(name))
            }
            "UNLISTEN" => Ok(Self::Unlisten),
            "COPY" => copy_options::copy(&mut reader),
            "EXPLAIN" => explain(&mut reader),
            other => Err(not_done(other, &reader, sql)),
        }
    }

    /// Whether it is done in a transaction that has failed.
    pub(crate) fn ends_a_failure(&self) -> bool {
        matches!(self, Self::Commit { .. } | Self::Rollback { .. } | Self::RollbackTo(_))
    }
}

fn transaction(first: &str, reader: &mut Reader<'_>) -> Result<Command, Failure> {
    match first {
        "SAVEPOINT" => {
            let name = reader.name()?;
            return reader.finish(Command::Savepoint(name));
        }
        "RELEASE" => {
            reader.eat("SAVEPOINT");
            let name = reader.name()?;
            return reader.finish(Command::Release(name));
        }
        "START" => {
            reader.expect("TRANSACTION")?;
            setting_words::transaction_modes(reader)?;
            return reader.finish(Command::Begin { tag: "START TRANSACTION" });
        }
        _ => {}
    }
    if matches!(first, "COMMIT" | "ROLLBACK") && reader.sees("PREPARED") {
        return Err(Failure::not_done("transactions are not prepared here", "use COMMIT or ROLLBACK"));
    }
    reader.eat_one_of(&["WORK", "TRANSACTION"]);
    if first == "BEGIN" {
        setting_words::transaction_modes(reader)?;
        return reader.finish(Command::Begin { tag: "BEGIN" });
    }
    let rolls_back = matches!(first, "ROLLBACK" | "ABORT");
    if rolls_back && reader.eat("TO") {
        reader.eat("SAVEPOINT");
        let name = reader.name()?;
        return reader.finish(Command::RollbackTo(name));
    }
    let chain = match reader.eat("AND") {
        true if reader.eat("NO CHAIN") => false,
        true => reader.expect("CHAIN").map(|()| true)?,
        false => false,
    };
    reader.finish(if rolls_back { Command::Rollback { chain } } else { Command::Commit { chain } })
}

fn discard(reader: &mut Reader<'_>) -> Result<Command, Failure> {
    let tag = if reader.eat("ALL") {
        "DISCARD ALL"
    } else if reader.eat("PLANS") {
        "DISCARD PLANS"
    } else if reader.eat("SEQUENCES") {
        "DISCARD SEQUENCES"
    } else if reader.eat_one_of(&["TEMP", "TEMPORARY"]) {
        "DISCARD TEMP"
    } else {
        return Err(reader.unexpected());
    };
    reader.finish(Command::Discard { tag, all: tag == "DISCARD ALL" })
}

fn prepare(reader: &mut Reader<'_>) -> Result<Command, Failure> {
    if reader.eat("TRANSACTION") {
        return Err(Failure::not_done("transactions are not prepared here", "use COMMIT"));
    }
    let name = reader.name()?;
    let mut types = Vec::new();
    if reader.peek() == Some(&Token::LParen) {
        types = reader.bracketed()?.split(',').map(|kind| kind.trim().to_lowercase()).collect();
    }
    reader.expect("AS")?;
    match reader.rest() {
        "" => Err(reader.unexpected()),
        statement => Ok(Command::Prepare { name, types, statement: statement.to_owned() }),
    }
}

/// `EXPLAIN [PRIVATE] [VERBOSE] query` or `EXPLAIN (option, …) query`.
fn explain(reader: &mut Reader<'_>) -> Result<Command, Failure> {
    let (mut json, mut plan) = (false, false);
    if reader.peek() == Some(&Token::LParen) && !reader.rest()[1..].trim_start().starts_with('(') {
        let before = reader.rest();
        let options = reader.bracketed()?;
        let first = options.split_whitespace().next().unwrap_or_default().to_uppercase();
        if matches!(first.as_str(), "SELECT" | "WITH" | "VALUES" | "TABLE") {
            return Ok(Command::Explain { query: before.to_owned(), json, plan });
        }
        for option in options.split(',') {
            let words: Vec<String> = option.split_whitespace().map(str::to_uppercase).collect();
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            match words.as_slice() {
                ["FORMAT", "JSON"] => json = true,
                ["FORMAT", "TEXT"] => json = false,
                ["VERBOSE"] | ["VERBOSE", "TRUE" | "ON" | "1"] => plan = true,
                ["ANALYZE" | "ANALYSE"] | ["ANALYZE" | "ANALYSE", "TRUE" | "ON" | "1"] => {
                    return Err(no_analyze());
                }
                ["FORMAT", ..] => return Err(Failure::new("22023", "EXPLAIN has the formats TEXT and JSON")),
                _ => {}
            }
        }
    }
    if reader.eat_one_of(&["ANALYZE", "ANALYSE"]) {
        return Err(no_analyze());
    }
    reader.eat("PRIVATE");
    plan |= reader.eat("VERBOSE");
    match reader.rest() {
        "" => Err(reader.unexpected()),
        query => Ok(Command::Explain { query: query.to_owned(), json, plan }),
    }
}

fn no_analyze() -> Failure {
    Failure::not_done(
        "EXPLAIN ANALYZE would have to run the statement, and to pay for it",
        "use EXPLAIN, which is free and says what the answer costs and how wrong it may be",
    )
}

/// Statements that change something, or that reach for what is not here.
fn not_done(first: &str, reader: &Reader<'_>, sql: &str) -> Failure {
    let owner = "what is declared is changed by the owner, in the catalog";
    match first {
        "CREATE" if ["TEMP", "TEMPORARY", "LOCAL", "GLOBAL"].iter().any(|word| reader.sees(word)) => {
            Failure::not_done("temporary tables are not made here", "use subqueries or WITH")
        }
        "CREATE" | "DROP" | "ALTER" | "INSERT" | "UPDATE" | "DELETE" | "MERGE" | "TRUNCATE" | "GRANT"
        | "REVOKE" | "COMMENT" | "REINDEX" | "CLUSTER" | "REFRESH" | "VACUUM" | "ANALYZE" | "ANALYSE"
        | "IMPORT" | "REASSIGN" | "SECURITY" => {
            Failure::new("25006", format!("cannot execute {first} in a read-only transaction"))
                .with_hint(owner)
        }
        "LISTEN" | "NOTIFY" => {
            Failure::not_done(format!("{first} is not answered: nobody is notified here"), "ask again later")
        }
        "LOCK" | "CALL" | "DO" | "LOAD" | "CHECKPOINT" => {
            Failure::not_done(format!("{first} is not answered: only SELECT is"), owner)
        }
        _ => Reader::new(sql).map_or_else(|failure| failure, |whole| whole.unexpected()),
    }
}

#[cfg(test)]
mod tests;
