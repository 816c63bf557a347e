//! What a session gets: somebody who is let in, and the way to talk to them.

use std::sync::Arc;

use pointillist_access::{Person, Verifier};
use pointillist_pg_catalog::Settings;
use tokio::sync::watch;

use super::cancel::CancelEntry;
use super::frames::Frames;
use crate::service::Service;

/// A connection of somebody who is let in. They have been sent AuthenticationOk, ParameterStatus of every reported setting and
/// BackendKeyData; the session sends the first ReadyForQuery.
pub(crate) struct Connection {
    /// Messages, both ways.
    pub(crate) frames: Frames,
    /// Who it is.
    pub(crate) person: Person,
    /// What their password was held against.
    pub(crate) verifier: Verifier,
    /// The settings with which the session starts, those of the startup message included.
    pub(crate) settings: Settings,
    /// The session's number and its signal: `cancel.backend_pid`, `cancel.signal`. Kept until the session ends.
    pub(crate) cancel: CancelEntry,
    /// Everything that doors share.
    pub(crate) service: Arc<Service>,
    /// `true` once the server stops: what was begun is finished, then the session says 57P01 and ends.
    pub(crate) stopping: watch::Receiver<bool>,
}
