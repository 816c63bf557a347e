//! What can go wrong, without a word of the server.
//!
//! **Guarantee.** Of what a server says about a failure, the name of its error condition and the five characters of its
//! SQLSTATE are kept, both from Spark's public lists, and nothing else: its message and the parameters of its message quote rows
//! (`The value 'x' of the type "STRING" cannot be cast`). Neither `Display` nor `Debug` nor `source` leads to them.

use std::fmt;

use pointillist_errors::{Explained, Kind};
use prost::Message;
use tonic::{Code, Status};

use crate::messages::{RpcErrorInfo, RpcStatus};

/// Above the longest name of a condition that Spark has.
const CONDITION_MAX: usize = 120;
const ERROR_INFO: &str = "type.googleapis.com/google.rpc.ErrorInfo";
/// What Spark throws before anything runs.
const ANALYSIS: [&str; 3] = ["AnalysisException", "ParseException", "NoSuchTableException"];

/// A call that did not succeed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SparkError {
    /// Nobody answers at the address, or the connection broke.
    #[error("the Spark Connect server {server} cannot be reached")]
    Unreachable {
        /// The address, which holds no secret.
        server: String,
    },
    /// The server does not let us in.
    #[error("the Spark Connect server does not accept the token")]
    Authentication,
    /// A token that would travel where others can read it.
    #[error("a token is sent over TLS alone, and the address of the Spark Connect server has none")]
    OpenToken,
    /// The file of trusted certificates is of no use.
    #[error("`{path}` holds no certificate in PEM form that can be read")]
    Roots {
        /// The file.
        path: String,
    },
    /// The statement was refused before anything ran.
    #[error("Spark refuses the statement{}", named(.condition))]
    Refused {
        /// What Spark calls it.
        condition: Option<Condition>,
    },
    /// The statement ran and failed.
    #[error("Spark could not finish the statement{}", named(.condition))]
    Failed {
        /// What Spark calls it.
        condition: Option<Condition>,
    },
    /// Somebody called it off.
    #[error("the statement was called off")]
    Interrupted,
    /// No answer within the time that was given. The statement was called off.
    #[error("Spark did not answer in time")]
    Timeout,
    /// The server has forgotten the session, and its settings with it.
    #[error("the session on the Spark Connect server is gone")]
    SessionLost,
    /// More than was asked for.
    #[error("Spark's answer is larger than {bytes_max} bytes")]
    TooLarge {
        /// The limit.
        bytes_max: usize,
    },
    /// Something that is not Spark Connect, or not as this client knows it.
    #[error("the server does not answer as Spark Connect does")]
    Protocol,
    /// The system gives us no thread or no random bits.
    #[error("no thread can be started for a session")]
    Thread,
}

/// The name of an error condition and its SQLSTATE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    name: String,
    sqlstate: Option<String>,
}

impl Condition {
    /// Only what looks like a name of Spark's list: capitals, digits, underscores and dots.
    fn of(name: &str, sqlstate: Option<&str>) -> Option<Self> {
        let is_sign = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || b"_.".contains(&byte);
        let is_name = !name.is_empty() && name.len() <= CONDITION_MAX && name.bytes().all(is_sign);
        let is_state = |state: &&str| {
            state.len() == 5 && state.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
        };
        is_name
            .then(|| Self { name: name.to_owned(), sqlstate: sqlstate.filter(is_state).map(str::to_owned) })
    }

    /// Such as `TABLE_OR_VIEW_NOT_FOUND`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Such as `42P01`.
    pub fn sqlstate(&self) -> Option<&str> {
        self.sqlstate.as_deref()
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", self.name)?;
        self.sqlstate.as_ref().map_or(Ok(()), |state| write!(out, ", SQLSTATE {state}"))
    }
}

fn named(condition: &Option<Condition>) -> String {
    condition.as_ref().map_or_else(String::new, |condition| format!(": {condition}"))
}

impl SparkError {
    /// What Spark calls it, where it gave a name.
    pub fn condition(&self) -> Option<&Condition> {
        match self {
            Self::Refused { condition } | Self::Failed { condition } => condition.as_ref(),
            _ => None,
        }
    }

    /// From the status of a call; of its text nothing is kept.
    pub(crate) fn from_status(status: &Status, server: &str) -> Self {
        let info = error_info(status.details());
        let word = |key: &str| info.as_ref().and_then(|info| info.metadata.get(key)).map(String::as_str);
        let condition = word("errorClass").and_then(|name| Condition::of(name, word("sqlState")));
        let named = |part: &str| condition.as_ref().is_some_and(|condition| condition.name.starts_with(part));
        let thrown = info.as_ref().map(|info| info.reason.as_str()).unwrap_or_default();
        let is_analysis = ANALYSIS.iter().any(|class| {
            thrown.ends_with(class) || word("classes").is_some_and(|classes| classes.contains(class))
        });
        match status.code() {
            Code::Unauthenticated | Code::PermissionDenied => Self::Authentication,
            Code::DeadlineExceeded => Self::Timeout,
            Code::Unimplemented => Self::Protocol,
            _ if named("INVALID_HANDLE.SESSION") => Self::SessionLost,
            _ if named("OPERATION_CANCELED") || named("INVALID_HANDLE.OPERATION") => Self::Interrupted,
            Code::Cancelled => Self::Interrupted,
            _ if is_analysis => Self::Refused { condition },
            _ if info.is_some() => Self::Failed { condition },
            // Without Spark's own words about it, it is the connection that broke.
            _ => Self::Unreachable { server: server.to_owned() },
        }
    }
}

fn error_info(details: &[u8]) -> Option<RpcErrorInfo> {
    let status = RpcStatus::decode(details).ok()?;
    let info = status.details.iter().find(|detail| detail.type_url == ERROR_INFO)?;
    RpcErrorInfo::decode(info.value.as_slice()).ok()
}

impl Explained for SparkError {
    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Unreachable { .. } => {
                "check that the Spark Connect server runs, and the host, the port and use_ssl of its address"
            }
            Self::Authentication => "check the token, and what its user may do",
            Self::OpenToken => "write use_ssl=true into the address",
            Self::Roots { .. } => "name a file of certificates in PEM form with ca_file",
            Self::Refused { .. } | Self::Failed { .. } => {
                "Spark's own log says more; its words are not repeated, for they quote rows"
            }
            Self::Interrupted => return None,
            Self::Timeout | Self::SessionLost => "try again, and look into Spark's log if it happens again",
            Self::TooLarge { .. } => "ask for fewer groups",
            Self::Protocol => {
                "check that the address is that of a Spark Connect server, version 4.0 or later"
            }
            Self::Thread => "raise the limit of threads of the service",
        };
        Some(hint.to_owned())
    }

    fn kind(&self) -> Kind {
        match self {
            Self::Roots { .. } | Self::OpenToken => Kind::Catalog,
            _ => Kind::Environment,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::messages::RpcAny;

    fn status(code: Code, reason: &str, words: &[(&str, &str)]) -> Status {
        let metadata = words.iter().map(|(key, word)| (key.to_string(), word.to_string())).collect();
        let info =
            RpcErrorInfo { reason: reason.to_owned(), domain: "org.apache.spark".to_owned(), metadata };
        let any = RpcAny { type_url: ERROR_INFO.to_owned(), value: info.encode_to_vec() };
        let details = RpcStatus { code: 13, details: vec![any] }.encode_to_vec();
        Status::with_details(code, "the value 'Ana Smith' cannot be cast", details.into())
    }

    /// Specification: whatever a server says, its message and the parameters of its message are nowhere in an error.
    #[test]
    fn no_error_says_what_a_row_holds() {
        let secret = ("messageParameters", r#"{"expression":"'Ana Smith'"}"#);
        let all = [
            status(
                Code::Internal,
                "org.apache.spark.SparkNumberFormatException",
                &[("errorClass", "CAST_INVALID_INPUT"), ("sqlState", "22018"), secret],
            ),
            status(
                Code::Internal,
                "org.apache.spark.sql.AnalysisException",
                &[("errorClass", "Ana Smith"), secret],
            ),
            status(Code::Internal, "Ana Smith", &[("errorClass", "X"), ("sqlState", "Ana S"), secret]),
            Status::unknown("Ana Smith"),
            Status::unauthenticated("Ana Smith"),
        ];
        for status in all {
            let error = SparkError::from_status(&status, "sc://lake:15002/");
            let said = format!("{error} {error:?} {:?}", error.hint());
            assert!(!said.contains("Ana"), "{said}");
            assert!(std::error::Error::source(&error).is_none());
        }
    }

    #[test]
    fn what_was_refused_failed_or_broke_is_told_apart() {
        let of = |status: Status| SparkError::from_status(&status, "s");
        let missing = of(status(
            Code::Internal,
            "org.apache.spark.sql.catalyst.ExtendedAnalysisException",
            &[("errorClass", "TABLE_OR_VIEW_NOT_FOUND"), ("sqlState", "42P01")],
        ));
        assert!(
            matches!(&missing, SparkError::Refused { condition: Some(condition) } if condition.sqlstate() == Some("42P01"))
        );
        assert_eq!(
            missing.to_string(),
            "Spark refuses the statement: TABLE_OR_VIEW_NOT_FOUND, SQLSTATE 42P01"
        );
        let lost = of(status(Code::Internal, "x", &[("errorClass", "INVALID_HANDLE.SESSION_CHANGED")]));
        assert_eq!(lost, SparkError::SessionLost);
        let cancelled = of(status(Code::Internal, "x", &[("errorClass", "OPERATION_CANCELED")]));
        assert_eq!(cancelled, SparkError::Interrupted);
        assert!(matches!(of(status(Code::Internal, "SparkException", &[])), SparkError::Failed { .. }));
        assert!(matches!(of(Status::unknown("h2 protocol error")), SparkError::Unreachable { .. }));
    }
}
