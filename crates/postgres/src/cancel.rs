//! Breaking a statement off from another thread.
//!
//! A request to cancel is a connection of its own, which the server answers with silence: whether it came in time is seen by
//! the statement alone, which ends with SQLSTATE 57014 or with its answer.

use std::time::Duration;

use tokio_postgres::{CancelToken, NoTls};

use crate::ConnectionError;
use crate::tls::Verified;
use crate::worker::runtime;

/// Breaks off whatever the connection runs at the moment. Can be kept and used from anywhere.
#[derive(Clone)]
pub struct Canceller {
    pub(crate) token: CancelToken,
    pub(crate) tls: Option<Verified>,
    pub(crate) within: Duration,
}

impl Canceller {
    /// Asks the server to break off the running statement. Waits until the request is sent, or until the time to connect is
    /// over; not until the statement has ended.
    pub fn cancel(&self) -> Result<(), ConnectionError> {
        let canceller = self.clone();
        // On a thread of its own: the caller may be inside a runtime, where nobody may block on another one.
        let thread = std::thread::Builder::new().name("postgres cancel".to_owned());
        let request = thread.spawn(move || runtime()?.block_on(canceller.request()));
        request.map_err(|_| ConnectionError::Thread)?.join().unwrap_or(Err(ConnectionError::Protocol))
    }

    pub(crate) async fn request(&self) -> Result<(), ConnectionError> {
        let sent = async {
            match self.tls.clone() {
                Some(tls) => self.token.cancel_query(tls).await,
                None => self.token.cancel_query(NoTls).await,
            }
        };
        let sent = tokio::time::timeout(self.within, sent).await.map_err(|_| ConnectionError::Timeout)?;
        sent.map_err(|error| ConnectionError::from_opening(&error, "that runs the statement"))
    }
}
