//! A connection between its requests: while the next head is not here whole, it may have to leave for somebody else.

use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use crate::pending_connections::{Pending, PendingConnections};

/// What a connection is at, and how it is told to leave.
pub(crate) struct HeadWait {
    everybody: Arc<PendingConnections>,
    address: IpAddr,
    leave: Arc<Notify>,
    phase: Mutex<Phase>,
}

enum Phase {
    /// A head is waited for.
    Head(Pending),
    /// A request is being answered.
    Answering,
    /// The answer is being sent.
    Sending,
}

impl HeadWait {
    /// A connection that was just opened.
    pub(crate) fn new(everybody: Arc<PendingConnections>, address: IpAddr) -> Arc<Self> {
        let leave = Arc::new(Notify::new());
        let phase = Mutex::new(Phase::Head(everybody.idle(address, Arc::clone(&leave))));
        Arc::new(Self { everybody, address, leave, phase })
    }

    /// A whole head has come: from now on nobody takes the place.
    pub(crate) fn head_is_here(&self) {
        *self.phase() = Phase::Answering;
    }

    /// There is a reply, which is yet to be sent.
    pub(crate) fn is_answered(&self) {
        *self.phase() = Phase::Sending;
    }

    /// Everything that there was to send is sent.
    pub(crate) fn is_sent(&self) {
        let mut phase = self.phase();
        if matches!(*phase, Phase::Sending) {
            *phase = Phase::Head(self.everybody.idle(self.address, Arc::clone(&self.leave)));
        }
    }

    /// Waits until this connection has to leave, which it has not while it is answered.
    pub(crate) async fn has_to_leave(&self) {
        loop {
            self.leave.notified().await;
            // Whoever was told to leave may have asked for something in the meantime.
            if matches!(&*self.phase(), Phase::Head(pending) if pending.has_to_leave()) {
                return;
            }
        }
    }

    fn phase(&self) -> MutexGuard<'_, Phase> {
        self.phase.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
