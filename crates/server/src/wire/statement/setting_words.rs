//! `SET`, `RESET` and `SHOW`.

use sqlparser::tokenizer::Token;

use super::Command;
use super::reader::Reader;
use crate::wire::refusal::Failure;

pub(super) fn set(reader: &mut Reader<'_>) -> Result<Command, Failure> {
    if reader.eat("SESSION CHARACTERISTICS AS TRANSACTION") {
        transaction_modes(reader)?;
        return reader.finish(Command::SetNothing);
    }
    let local = reader.eat("LOCAL");
    // In `SET SESSION AUTHORIZATION` the word is no scope; `SET SESSION SESSION AUTHORIZATION` has it too.
    if !local && !reader.sees("SESSION AUTHORIZATION") {
        reader.eat("SESSION");
    }
    if reader.eat("TRANSACTION") {
        if reader.sees("SNAPSHOT") {
            return Err(Failure::not_done(
                "there are no snapshots here",
                "leave SET TRANSACTION SNAPSHOT out",
            ));
        }
        transaction_modes(reader)?;
        return reader.finish(Command::SetNothing);
    }
    let (name, is_default) = named(reader)?;
    if let Some(command) = nobody_else(&name, reader)? {
        return reader.finish(command);
    }
    if !is_default && !reader.eat_token(&Token::Eq) {
        reader.expect("TO")?;
    }
    if reader.eat("DEFAULT") || name == "timezone" && reader.eat("LOCAL") {
        return reader.finish(Command::Set { local, name, value: None });
    }
    if name == "timezone" {
        reader.eat("INTERVAL");
    }
    let mut values = vec![reader.value()?];
    while reader.eat_token(&Token::Comma) {
        values.push(reader.value()?);
    }
    reader.finish(Command::Set { local, name, value: Some(values.join(", ")) })
}

/// The name of a setting, and whether it is one whose value follows without `=` or `TO`.
fn named(reader: &mut Reader<'_>) -> Result<(String, bool), Failure> {
    if reader.eat("TIME ZONE") {
        return Ok(("timezone".to_owned(), true));
    }
    if reader.eat("NAMES") {
        return Ok(("client_encoding".to_owned(), true));
    }
    if reader.eat("SCHEMA") {
        return Ok(("search_path".to_owned(), true));
    }
    if reader.eat("ROLE") {
        return Ok(("role".to_owned(), true));
    }
    if reader.eat("SESSION AUTHORIZATION") || reader.eat("AUTHORIZATION") {
        return Ok(("session_authorization".to_owned(), true));
    }
    Ok((dotted(reader)?, false))
}

/// Whoever has come in stays who they are.
fn nobody_else(name: &str, reader: &mut Reader<'_>) -> Result<Option<Command>, Failure> {
    if !matches!(name, "role" | "session_authorization") {
        return Ok(None);
    }
    let _ = reader.eat_token(&Token::Eq) || reader.eat("TO");
    match reader.value()?.to_uppercase().as_str() {
        "NONE" if name == "role" => Ok(Some(Command::SetNothing)),
        "DEFAULT" => Ok(Some(Command::SetNothing)),
        _ => Err(Failure::not_done("nobody becomes somebody else here", "connect as whom you want to ask")),
    }
}

pub(super) fn reset(reader: &mut Reader<'_>) -> Result<Command, Failure> {
    if reader.eat("ALL") {
        return reader.finish(Command::Reset(None));
    }
    if reader.eat("SESSION AUTHORIZATION") || reader.eat("ROLE") {
        return reader.finish(Command::Reset(Some("role".to_owned())));
    }
    let name = if reader.eat("TIME ZONE") { "timezone".to_owned() } else { dotted(reader)? };
    reader.finish(Command::Reset(Some(name)))
}

pub(super) fn show(reader: &mut Reader<'_>) -> Result<Command, Failure> {
    if reader.eat("ALL") {
        return reader.finish(Command::Show(None));
    }
    if reader.sees("TABLES") || reader.sees("COLUMNS") {
        return Ok(Command::List);
    }
    let name = if reader.eat("TIME ZONE") {
        "timezone".to_owned()
    } else if reader.eat("TRANSACTION ISOLATION LEVEL") {
        "transaction_isolation".to_owned()
    } else if reader.eat("SESSION AUTHORIZATION") {
        "session_authorization".to_owned()
    } else {
        dotted(reader)?
    };
    reader.finish(Command::Show(Some(name)))
}

/// Isolation levels and access modes: every transaction here reads only, and what was paid stays paid in all of them.
pub(super) fn transaction_modes(reader: &mut Reader<'_>) -> Result<(), Failure> {
    while !reader.is_done() {
        let known = reader.eat("ISOLATION LEVEL READ COMMITTED")
            || reader.eat("ISOLATION LEVEL READ UNCOMMITTED")
            || reader.eat("ISOLATION LEVEL REPEATABLE READ")
            || reader.eat("ISOLATION LEVEL SERIALIZABLE")
            || reader.eat("READ ONLY")
            || reader.eat("READ WRITE")
            || reader.eat("NOT DEFERRABLE")
            || reader.eat("DEFERRABLE")
            || reader.eat_token(&Token::Comma);
        if !known {
            return Err(reader.unexpected());
        }
    }
    Ok(())
}

fn dotted(reader: &mut Reader<'_>) -> Result<String, Failure> {
    let mut name = reader.name()?;
    while reader.eat_token(&Token::Period) {
        name = format!("{name}.{}", reader.name()?);
    }
    Ok(name)
}
