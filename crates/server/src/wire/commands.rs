//! What a session does itself: transactions, settings, prepared statements, cursors.
//!
//! **Guarantee.** None of these reaches the curator but through `Session::answer`, and none undoes what that did.

use std::sync::Arc;

use pointillist_pg_catalog::{PgType, PgValue, decode_text, encode_text};

use super::answer_rows::{Field, Rows};
use super::notices::warning;
use super::outgoing::Formats;
use super::portal::{self, Portal, Progress, Tag};
use super::prepared::Prepared;
use super::refusal::Failure;
use super::session::{Output, Session, Trouble};
use super::session_settings;
use super::statement::{Command, Declared, Direction};

impl Session {
    /// Does what a statement says. `one_of_many` says that it came with others, which are a transaction of their own.
    pub(crate) async fn perform(
        &mut self,
        prepared: &Arc<Prepared>,
        values: &[PgValue],
        one_of_many: bool,
    ) -> Result<Output, Trouble> {
        let Some(command) = &prepared.command else { return Ok(Output::Empty) };
        self.check_not_failed(Some(command))?;
        self.transaction.begin_implicitly(&self.connection.settings);
        Ok(match (command, &prepared.query) {
            (Command::Query, Some(query)) => {
                let answered = self.answer(query, values).await?;
                check_shape(prepared, &answered.rows)?;
                Output::Rows { rows: answered.rows, tag: Tag::Counted("SELECT"), notices: answered.notices }
            }
            (Command::List, Some(query)) => {
                let rows = self.answer(query, values).await?.rows;
                Output::Rows { rows, tag: Tag::Plain("SHOW"), notices: Vec::new() }
            }
            (Command::Copy { options, .. }, Some(query)) => {
                let answered = self.answer(query, values).await?;
                Output::Copy { rows: answered.rows, options: options.clone(), notices: answered.notices }
            }
            (Command::Explain { json, plan, .. }, Some(query)) => {
                let rows = Arc::new(self.explain(query, values, *json, *plan).await?);
                Output::Rows { rows, tag: Tag::Plain("EXPLAIN"), notices: Vec::new() }
            }
            (Command::Declare(declared), Some(_)) => {
                self.declare(declared, prepared, values, one_of_many).await?
            }
            (Command::Fetch { cursor, direction, is_move }, _) => {
                self.fetch(cursor, *direction, *is_move).await?
            }
            (Command::Execute { name, arguments }, _) => {
                self.execute_prepared(name, arguments.as_deref()).await?
            }
            (Command::Prepare { name, types, statement }, _) => self.prepare(name, types, statement).await?,
            (Command::Show(name), _) => self.show(name.as_deref())?,
            (command, _) => self.simple_command(command)?,
        })
    }

    /// Commands that wait for nobody.
    fn simple_command(&mut self, command: &Command) -> Result<Output, Trouble> {
        let tag = match command {
            Command::Begin { tag } => {
                if !self.transaction.begin(&self.connection.settings) {
                    self.notify(&[warning("25001", "there is already a transaction in progress")])?;
                }
                *tag
            }
            Command::Commit { chain } => self.end_transaction(true, *chain)?,
            Command::Rollback { chain } => self.end_transaction(false, *chain)?,
            Command::Savepoint(name) => {
                let serial = self.portals.serial();
                self.transaction.savepoint(name.clone(), &self.connection.settings, serial)?;
                "SAVEPOINT"
            }
            Command::Release(name) => self.transaction.release_savepoint(name).map(|()| "RELEASE")?,
            Command::RollbackTo(name) => {
                let (settings, serial) = self.transaction.rollback_to(name)?;
                self.connection.settings = settings;
                self.portals.close_after(serial);
                "ROLLBACK"
            }
            Command::Set { local, name, value } => self.set(*local, name, value.as_deref())?,
            Command::SetNothing => "SET",
            Command::Reset(name) => self.reset(name.as_deref())?,
            Command::Discard { tag, all } => self.discard(tag, *all)?,
            Command::Deallocate(None) => {
                self.statements.clear();
                "DEALLOCATE ALL"
            }
            Command::Deallocate(Some(name)) => {
                self.statements.get(name)?;
                self.statements.remove(name);
                "DEALLOCATE"
            }
            Command::Close(None) => {
                self.portals.clear();
                "CLOSE CURSOR ALL"
            }
            Command::Close(Some(name)) => {
                self.portals.get_mut(name, "cursor")?;
                self.portals.remove(name);
                "CLOSE CURSOR"
            }
            Command::Unlisten => "UNLISTEN",
            _ => return Err(Failure::new("XX000", "a statement has no query").into()),
        };
        Ok(Output::Done(tag.to_owned()))
    }

    /// Ends a transaction; one that has failed is rolled back whatever is said.
    fn end_transaction(&mut self, commit: bool, chain: bool) -> Result<&'static str, Trouble> {
        let Some((settings, commits)) = self.transaction.end(commit) else {
            if let Some(settings) = self.transaction.end_implicitly(commit) {
                self.connection.settings = settings;
            }
            self.notify(&[warning("25P01", "there is no transaction in progress")])?;
            return Ok(if commit { "COMMIT" } else { "ROLLBACK" });
        };
        self.connection.settings = settings;
        self.portals.end_transaction(commits);
        if chain {
            self.transaction.begin(&self.connection.settings);
        }
        Ok(if commits { "COMMIT" } else { "ROLLBACK" })
    }

    fn set(&mut self, local: bool, name: &str, value: Option<&str>) -> Result<&'static str, Trouble> {
        if local && !self.transaction.is_open() {
            self.notify(&[warning("25P01", "SET LOCAL can only be used in transaction blocks")])?;
            return Ok("SET");
        }
        let change = |settings: &mut _| match value {
            Some(value) => session_settings::set(settings, name, value),
            None => reset_one(settings, name),
        };
        change(self.settings())?;
        if !local {
            // It was taken a moment ago.
            self.transaction.also_on_commit(|settings| drop(change(settings)));
        }
        Ok("SET")
    }

    fn reset(&mut self, name: Option<&str>) -> Result<&'static str, Failure> {
        let change = |settings: &mut pointillist_pg_catalog::Settings| match name {
            Some("role") => Ok(()),
            Some(name) => reset_one(settings, name),
            None => {
                settings.reset_all();
                Ok(())
            }
        };
        change(self.settings())?;
        self.transaction.also_on_commit(|settings| drop(change(settings)));
        Ok("RESET")
    }

    fn discard(&mut self, tag: &'static str, all: bool) -> Result<&'static str, Failure> {
        if all {
            if self.transaction.is_open() {
                return Err(Failure::new("25001", "DISCARD ALL cannot run inside a transaction block"));
            }
            self.settings().reset_all();
            self.transaction.also_on_commit(|settings| drop(settings.reset_all()));
            self.statements.clear();
            self.portals.clear();
        }
        Ok(tag)
    }

    /// The columns of `SHOW`, the name as PostgreSQL spells it.
    pub(crate) fn show_fields(&self, name: Option<&str>) -> Result<Vec<Field>, Failure> {
        let Some(name) = name else {
            return Ok(["name", "setting", "description"].map(Field::text).to_vec());
        };
        let all = self.connection.settings.all();
        let known = all.into_iter().find(|(known, _, _)| known.eq_ignore_ascii_case(name));
        let (known, _, _) = known.ok_or_else(|| {
            Failure::new("42704", format!("unrecognized configuration parameter \"{name}\""))
        })?;
        Ok(vec![Field::text(known)])
    }

    fn show(&self, name: Option<&str>) -> Result<Output, Failure> {
        let fields = self.show_fields(name)?;
        let settings = &self.connection.settings;
        let rows = match name {
            Some(name) => vec![vec![PgValue::text(settings.get(name).unwrap_or_default())]],
            None => {
                let row = |(name, value, about): (String, String, &str)| {
                    vec![PgValue::text(name), PgValue::text(value), PgValue::text(about)]
                };
                settings.all().into_iter().map(row).collect()
            }
        };
        Ok(Output::Rows {
            rows: Arc::new(Rows { fields, rows }),
            tag: Tag::Plain("SHOW"),
            notices: Vec::new(),
        })
    }

    /// Looks at what the cursor will give; nothing is asked until somebody fetches.
    async fn declare(
        &mut self,
        declared: &Declared,
        prepared: &Arc<Prepared>,
        values: &[PgValue],
        one_of_many: bool,
    ) -> Result<Output, Failure> {
        if !declared.hold && !self.transaction.is_open() && !one_of_many {
            return Err(Failure::new("25P01", "DECLARE CURSOR can only be used in transaction blocks"));
        }
        let types = prepared.query.as_ref().map_or(&[][..], |query| &query.declared);
        let query = self.query(&declared.query, types)?;
        let shape = self.shape_of(&query).await?;
        if shape.parameters.len() != values.len() {
            return Err(Failure::new("42P02", "a cursor has a parameter without a value"));
        }
        let inner = Prepared {
            sql: declared.query.clone(),
            command: Some(Command::Query),
            query: Some(query),
            shape,
        };
        let formats = if declared.binary { Formats::binary() } else { Formats::default() };
        let mut portal = Portal::new(Arc::new(inner), values.to_vec(), formats);
        (portal.hold, portal.scroll) = (declared.hold, declared.scroll);
        self.portals.insert(declared.name.clone(), portal)?;
        Ok(Output::Done("DECLARE CURSOR".to_owned()))
    }

    /// Reads of a cursor. The first time it is answered; from then on it is the rest of the same rows.
    async fn fetch(&mut self, cursor: &str, direction: Direction, is_move: bool) -> Result<Output, Failure> {
        if matches!(self.portals.get_mut(cursor, "cursor")?.progress, Progress::Ready) {
            self.portals.check_room()?;
        }
        let portal = self.portals.get_mut(cursor, "cursor")?;
        let (prepared, values) = (Arc::clone(&portal.prepared), portal.parameters.clone());
        let mut notices = Vec::new();
        if matches!(portal.progress, Progress::Ready) {
            let query = prepared.query.as_ref().filter(|_| prepared.command == Some(Command::Query));
            let query = query.ok_or_else(|| Failure::new("24000", format!("\"{cursor}\" is not a query")))?;
            // Until it is answered it counts as failed: whatever happens, it is not asked again.
            portal.progress = Progress::Failed;
            let answered = self.answer(query, &values).await?;
            check_shape(&prepared, &answered.rows)?;
            notices = answered.notices;
            self.portals.get_mut(cursor, "cursor")?.open(answered.rows, Tag::Counted("SELECT"));
        }
        let portal = self.portals.get_mut(cursor, "cursor")?;
        let Progress::Open { rows, position, .. } = &mut portal.progress else {
            return Err(Failure::new("55000", format!("portal \"{cursor}\" cannot be run")));
        };
        let reading = portal::read(rows.rows.len(), *position, direction, portal.scroll)?;
        *position = reading.position;
        if is_move {
            self.notify_later(&notices);
            return Ok(Output::Done(format!("MOVE {}", reading.rows.len())));
        }
        let read = reading.rows.into_iter().map(|row| rows.rows[row].clone()).collect();
        let rows = Arc::new(Rows { fields: rows.fields.clone(), rows: read });
        Ok(Output::Rows { rows, tag: Tag::Counted("FETCH"), notices })
    }

    /// What goes with an answer of which no row is sent. A connection that is lost shows when the next message is sent.
    fn notify_later(&mut self, notices: &[Failure]) {
        let _ = self.notify(notices);
    }

    async fn prepare(&mut self, name: &str, types: &[String], statement: &str) -> Result<Output, Failure> {
        let known = |kind: &String| {
            PgType::from_name(kind)
                .ok_or_else(|| Failure::new("42704", format!("type \"{kind}\" does not exist")))
        };
        let declared = types.iter().map(known).map(|kind| kind.map(Some)).collect::<Result<Vec<_>, _>>()?;
        let query = self.query(statement, &declared)?;
        let shape = self.shape_of(&query).await?;
        let command = Some(Command::Query);
        self.statements.insert(
            name.to_owned(),
            Prepared { sql: statement.to_owned(), command, query: Some(query), shape },
        )?;
        Ok(Output::Done("PREPARE".to_owned()))
    }

    async fn execute_prepared(&mut self, name: &str, arguments: Option<&str>) -> Result<Output, Failure> {
        let prepared = self.statements.get(name)?;
        let query = prepared.query.as_ref().filter(|_| prepared.command == Some(Command::Query));
        let query = query.ok_or_else(|| Failure::new("24000", format!("\"{name}\" is not a query")))?;
        let values = match arguments {
            Some(arguments) => self.arguments(arguments, &prepared.shape.parameters).await?,
            None => Vec::new(),
        };
        if values.len() != prepared.shape.parameters.len() {
            let words = format!("wrong number of parameters for prepared statement \"{name}\"");
            return Err(Failure::new("42601", words));
        }
        let answered = self.answer(query, &values).await?;
        check_shape(&prepared, &answered.rows)?;
        Ok(Output::Rows { rows: answered.rows, tag: Tag::Counted("SELECT"), notices: answered.notices })
    }

    /// The arguments of `EXECUTE`, which are expressions over nothing.
    async fn arguments(&mut self, text: &str, kinds: &[PgType]) -> Result<Vec<PgValue>, Failure> {
        let outcome = self.answer_system(&format!("SELECT {text}"), &[], &[]).await?;
        let row = outcome.rows.into_iter().next().unwrap_or_default();
        let values = row.into_iter().zip(&outcome.columns).zip(kinds);
        let value = |((value, (_, from)), kind): ((PgValue, &(String, PgType)), &PgType)| match encode_text(
            &value, *from,
        ) {
            None => Ok(PgValue::Null),
            Some(text) => Ok(decode_text(text.as_bytes(), *kind)?),
        };
        let count = outcome.columns.len();
        let values = values.map(value).collect::<Result<Vec<_>, Failure>>()?;
        if count != kinds.len() {
            return Err(Failure::new(
                "42601",
                format!("{count} parameters are given, and {} expected", kinds.len()),
            ));
        }
        Ok(values)
    }
}

fn reset_one(settings: &mut pointillist_pg_catalog::Settings, name: &str) -> Result<(), Failure> {
    settings.reset(name)?;
    Ok(())
}

/// A statement that was described gives what was described, or an error: clients have chosen their formats by it.
fn check_shape(prepared: &Prepared, rows: &Rows) -> Result<(), Failure> {
    match &prepared.shape.fields {
        Some(fields) if *fields != rows.fields => Err(Failure::new(
            "55000",
            "the columns of this statement are others since the catalog was read again",
        )
        .with_hint("prepare the statement again")),
        _ => Ok(()),
    }
}
