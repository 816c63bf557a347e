//! What a session says: messages of the wire, made of rows, tags and failures.

use bytes::{BufMut, Bytes, BytesMut};
use pgwire::messages::PgWireBackendMessage as Message;
use pgwire::messages::copy::{CopyData, CopyDone, CopyOutResponse};
use pgwire::messages::data::{DataRow, FieldDescription, NoData, ParameterDescription, RowDescription};
use pgwire::messages::extendedquery::{BindComplete, CloseComplete, ParseComplete, PortalSuspended};
use pgwire::messages::response::{
    CommandComplete, EmptyQueryResponse, ErrorResponse, NoticeResponse, ReadyForQuery, TransactionStatus,
};
use pgwire::messages::startup::ParameterStatus;
use pointillist_pg_catalog::{PgType, PgValue, encode_binary, encode_text};

use super::answer_rows::Field;
use super::refusal::{Failure, sendable};

/// In which format each column is sent: as Bind says, whose counts were compared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Formats(Vec<i16>);

impl Formats {
    /// The formats of so many columns.
    ///
    /// # Errors
    /// 08P01 when there are neither none, one nor as many as columns, or one that nobody knows.
    pub(crate) fn new(codes: Vec<i16>, columns: usize, what: &str) -> Result<Self, Failure> {
        if codes.len() > 1 && codes.len() != columns {
            return Err(Failure::protocol(format!(
                "bind message has {} {what} but there are {columns}",
                codes.len()
            )));
        }
        match codes.iter().find(|code| !matches!(code, 0 | 1)) {
            Some(code) => Err(Failure::protocol(format!("unsupported format code: {code}"))),
            None => Ok(Self(codes)),
        }
    }

    /// Binary for all.
    pub(crate) fn binary() -> Self {
        Self(vec![1])
    }

    /// Whether a column is binary.
    pub(crate) fn is_binary(&self, column: usize) -> bool {
        match self.0.as_slice() {
            [] => false,
            [one] => *one == 1,
            many => many.get(column) == Some(&1),
        }
    }
}

pub(crate) fn parse_complete() -> Message {
    Message::ParseComplete(ParseComplete::new())
}

pub(crate) fn bind_complete() -> Message {
    Message::BindComplete(BindComplete::new())
}

pub(crate) fn close_complete() -> Message {
    Message::CloseComplete(CloseComplete::new())
}

pub(crate) fn portal_suspended() -> Message {
    Message::PortalSuspended(PortalSuspended::new())
}

pub(crate) fn empty_query() -> Message {
    Message::EmptyQueryResponse(EmptyQueryResponse::new())
}

pub(crate) fn no_data() -> Message {
    Message::NoData(NoData::new())
}

pub(crate) fn ready(status: TransactionStatus) -> Message {
    Message::ReadyForQuery(ReadyForQuery::new(status))
}

pub(crate) fn complete(tag: impl Into<String>) -> Message {
    Message::CommandComplete(CommandComplete::new(tag.into()))
}

pub(crate) fn error(failure: &Failure) -> Message {
    Message::ErrorResponse(ErrorResponse::new(failure.fields()))
}

pub(crate) fn notice(failure: &Failure) -> Message {
    Message::NoticeResponse(NoticeResponse::new(failure.fields()))
}

pub(crate) fn parameter_status(name: &str, value: &str) -> Message {
    Message::ParameterStatus(ParameterStatus::new(name.to_owned(), sendable(value)))
}

pub(crate) fn parameter_description(parameters: &[PgType]) -> Message {
    let types = parameters.iter().map(|kind| kind.oid()).collect();
    Message::ParameterDescription(ParameterDescription::new(types))
}

/// Every column is of no table: whoever is told of one asks the catalog about it, column by column.
pub(crate) fn row_description(fields: &[Field], formats: &Formats) -> Message {
    let describe = |(column, field): (usize, &Field)| {
        let format = i16::from(formats.is_binary(column));
        FieldDescription::new(sendable(&field.name), 0, 0, field.kind.oid(), field.kind.len(), -1, format)
    };
    Message::RowDescription(RowDescription::new(fields.iter().enumerate().map(describe).collect()))
}

pub(crate) fn data_row(fields: &[Field], row: &[PgValue], formats: &Formats) -> Message {
    let mut data = BytesMut::new();
    for (column, (field, value)) in fields.iter().zip(row).enumerate() {
        put_value(&mut data, &encoded(value, field.kind, formats.is_binary(column)));
    }
    Message::DataRow(DataRow::new(data, i16::try_from(fields.len()).unwrap_or(i16::MAX)))
}

/// A value in one of the two formats; `None` is NULL.
pub(crate) fn encoded(value: &PgValue, kind: PgType, is_binary: bool) -> Option<Vec<u8>> {
    match is_binary {
        true => encode_binary(value, kind),
        false => encode_text(value, kind).map(String::into_bytes),
    }
}

/// A length and as many bytes; the length of NULL is -1.
pub(crate) fn put_value(out: &mut BytesMut, bytes: &Option<Vec<u8>>) {
    let length = bytes.as_ref().map(|bytes| i32::try_from(bytes.len()));
    match (bytes, length) {
        (Some(bytes), Some(Ok(length))) => {
            out.put_i32(length);
            out.put_slice(bytes);
        }
        _ => out.put_i32(-1),
    }
}

pub(crate) fn copy_out(is_binary: bool, columns: usize) -> Message {
    let code = i16::from(is_binary);
    let count = i16::try_from(columns).unwrap_or(i16::MAX);
    Message::CopyOutResponse(CopyOutResponse::new(i8::from(is_binary), count, vec![code; columns]))
}

pub(crate) fn copy_data(data: impl Into<Bytes>) -> Message {
    Message::CopyData(CopyData::new(data.into()))
}

pub(crate) fn copy_done() -> Message {
    Message::CopyDone(CopyDone::new())
}
