//! Parse, Bind, Describe, Execute, Close.

use std::sync::Arc;

use bytes::Bytes;
use pgwire::messages::PgWireFrontendMessage as Incoming;
use pgwire::messages::extendedquery::{Bind, Parse};
use pointillist_pg_catalog::{PgType, PgValue, decode_binary, decode_text};

use super::{Output, Session, Trouble};
use crate::wire::outgoing::{self, Formats};
use crate::wire::portal::{Portal, Progress};
use crate::wire::prepared::Prepared;
use crate::wire::refusal::Failure;
use crate::wire::statement::Command;
use crate::wire::tokens::split;

const STATEMENT: u8 = b'S';

impl Session {
    pub(super) async fn extended(&mut self, message: Incoming) -> Result<(), Trouble> {
        match message {
            Incoming::Parse(parse) => self.parse(parse).await,
            Incoming::Bind(bind) => self.bind(bind),
            Incoming::Describe(describe) => {
                let name = describe.name.unwrap_or_default();
                if describe.target_type == STATEMENT {
                    self.describe_statement(&name)
                } else {
                    self.describe_portal(&name)
                }
            }
            Incoming::Execute(execute) => {
                // Below one means all, whatever a client means by it.
                let max = usize::try_from(execute.max_rows).ok().filter(|max| *max > 0);
                self.execute(&execute.name.unwrap_or_default(), max).await
            }
            Incoming::Close(close) => {
                let name = close.name.unwrap_or_default();
                if close.target_type == STATEMENT {
                    self.statements.remove(&name);
                } else {
                    self.portals.remove(&name);
                }
                Ok(self.put(&outgoing::close_complete())?)
            }
            // What belongs to a copy that this server never begins is passed over, as PostgreSQL does.
            Incoming::CopyData(_) | Incoming::CopyDone(_) | Incoming::CopyFail(_) => Ok(()),
            _ => Err(Failure::protocol("unexpected message").into()),
        }
    }

    async fn parse(&mut self, parse: Parse) -> Result<(), Trouble> {
        self.connection.cancel.signal.clear();
        let name = parse.name.unwrap_or_default();
        let declared: Vec<Option<PgType>> = parse.type_oids.iter().map(|oid| declared_type(*oid)).collect();
        let prepared = match split(&parse.query)?.as_slice() {
            [] => Prepared::empty(),
            [statement] => {
                let mut prepared = self.read(statement, &declared)?;
                self.check_not_failed(prepared.command.as_ref())?;
                prepared.shape = self.shape(&prepared).await?;
                prepared
            }
            _ => {
                let words = "cannot insert multiple commands into a prepared statement";
                return Err(Failure::new("42601", words).into());
            }
        };
        self.statements.insert(name, prepared)?;
        Ok(self.put(&outgoing::parse_complete())?)
    }

    fn bind(&mut self, bind: Bind) -> Result<(), Trouble> {
        let name = bind.statement_name.unwrap_or_default();
        let prepared = self.statements.get(&name)?;
        self.check_not_failed(prepared.command.as_ref())?;
        let kinds = &prepared.shape.parameters;
        if bind.parameters.len() != kinds.len() {
            let (given, wanted) = (bind.parameters.len(), kinds.len());
            return Err(Failure::protocol(format!(
                "bind message supplies {given} parameters, but prepared statement \"{name}\" requires {wanted}"
            ))
            .into());
        }
        let formats = Formats::new(bind.parameter_format_codes, kinds.len(), "parameter formats")?;
        let values = bind.parameters.iter().zip(kinds).enumerate();
        let values =
            values.map(|(place, (bytes, kind))| decoded(bytes.as_ref(), *kind, formats.is_binary(place)));
        let values = values.collect::<Result<Vec<PgValue>, Failure>>()?;
        let columns = prepared.shape.fields.as_ref().map_or(0, Vec::len);
        let formats = Formats::new(bind.result_column_format_codes, columns, "result formats")?;
        self.portals.insert(bind.portal_name.unwrap_or_default(), Portal::new(prepared, values, formats))?;
        Ok(self.put(&outgoing::bind_complete())?)
    }

    fn describe_statement(&mut self, name: &str) -> Result<(), Trouble> {
        let prepared = self.statements.get(name)?;
        self.check_may_describe(&prepared)?;
        self.put(&outgoing::parameter_description(&prepared.shape.parameters))?;
        self.describe(&prepared, &Formats::default())
    }

    fn describe_portal(&mut self, name: &str) -> Result<(), Trouble> {
        let portal = self.portals.get_mut(name, "portal")?;
        let (prepared, formats) = (Arc::clone(&portal.prepared), portal.formats.clone());
        self.check_may_describe(&prepared)?;
        self.describe(&prepared, &formats)
    }

    fn describe(&mut self, prepared: &Prepared, formats: &Formats) -> Result<(), Trouble> {
        let message = match &prepared.shape.fields {
            Some(fields) => outgoing::row_description(fields, formats),
            None => outgoing::no_data(),
        };
        Ok(self.put(&message)?)
    }

    /// In a transaction that has failed nothing that has rows is described, as in PostgreSQL.
    fn check_may_describe(&self, prepared: &Prepared) -> Result<(), Failure> {
        match prepared.shape.fields {
            Some(_) => self.check_not_failed(prepared.command.as_ref()),
            None => Ok(()),
        }
    }

    async fn execute(&mut self, name: &str, max: Option<usize>) -> Result<(), Trouble> {
        self.connection.cancel.signal.clear();
        let portal = self.portals.get_mut(name, "portal")?;
        let (prepared, formats) = (Arc::clone(&portal.prepared), portal.formats.clone());
        self.check_not_failed(prepared.command.as_ref())?;
        let is_asked = matches!(self.portals.get_mut(name, "portal")?.progress, Progress::Ready);
        if is_asked && prepared.query.is_some() {
            self.portals.check_room()?;
        }
        let portal = self.portals.get_mut(name, "portal")?;
        // Until it is answered it counts as failed: whatever happens, it is not asked again.
        match std::mem::replace(&mut portal.progress, Progress::Failed) {
            Progress::Ready => {
                let parameters = portal.parameters.clone();
                let notices = match self.perform(&prepared, &parameters, false).await? {
                    Output::Rows { rows, tag, notices } => {
                        if let Ok(portal) = self.portals.get_mut(name, "portal") {
                            portal.open(rows, tag);
                        }
                        notices
                    }
                    output => {
                        self.set_progress(name, Progress::Done);
                        return Ok(self.send_without_rows(output).await?);
                    }
                };
                self.send_portal(name, max, &formats, &notices).await
            }
            open @ Progress::Open { .. } => {
                self.set_progress(name, open);
                self.send_portal(name, max, &formats, &[]).await
            }
            other => {
                self.set_progress(name, other);
                Err(Failure::new("55000", format!("portal \"{name}\" cannot be run")).into())
            }
        }
    }

    /// A command may have closed the portal that it ran in: `COMMIT` does.
    fn set_progress(&mut self, name: &str, progress: Progress) {
        if let Ok(portal) = self.portals.get_mut(name, "portal") {
            portal.progress = progress;
        }
    }

    /// Sends so many of the rows that were not sent yet.
    async fn send_portal(
        &mut self,
        name: &str,
        max: Option<usize>,
        formats: &Formats,
        notices: &[Failure],
    ) -> Result<(), Trouble> {
        let portal = self.portals.get_mut(name, "portal")?;
        let Progress::Open { rows, position, tag } = &mut portal.progress else {
            return Err(Failure::new("55000", format!("portal \"{name}\" cannot be run")).into());
        };
        let count = rows.rows.len();
        let first = (*position).min(count);
        let left = count - first;
        let sent = max.map_or(left, |max| max.min(left));
        // As many rows as were wanted: there may be more, and only the next Execute says.
        let is_suspended = max == Some(sent);
        *position = if is_suspended { first + sent } else { count + 1 };
        let (rows, tag) = (Arc::clone(rows), *tag);
        if !is_suspended && !portal.scroll {
            portal.let_go();
        }
        self.send_rows(&rows, first..first + sent, formats).await?;
        self.notify(notices)?;
        match is_suspended {
            true => Ok(self.put(&outgoing::portal_suspended())?),
            false => Ok(self.complete(tag.text(sent))?),
        }
    }

    /// After a failure nothing is done but to end it.
    ///
    /// # Errors
    /// 25P02.
    pub(crate) fn check_not_failed(&self, command: Option<&Command>) -> Result<(), Failure> {
        let is_let_through = command.is_none_or(Command::ends_a_failure);
        if self.transaction.has_failed() && !is_let_through {
            let words = "current transaction is aborted, commands ignored until end of transaction block";
            return Err(Failure::new("25P02", words));
        }
        Ok(())
    }
}

/// The type that a client gives a parameter; nothing where it leaves that to us, or says what nobody knows.
fn declared_type(oid: u32) -> Option<PgType> {
    PgType::from_oid(oid).filter(|kind| kind.base != pointillist_pg_catalog::Base::Unknown)
}

fn decoded(bytes: Option<&Bytes>, kind: PgType, is_binary: bool) -> Result<PgValue, Failure> {
    match bytes {
        None => Ok(PgValue::Null),
        Some(bytes) if is_binary => Ok(decode_binary(bytes, kind)?),
        Some(bytes) => Ok(decode_text(bytes, kind)?),
    }
}
