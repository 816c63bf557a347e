//! Taking connections, as many as limits say, and seeing them to the end.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use pointillist_pg_catalog::PgError;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, watch};
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::cancel::CancelRegistry;
use super::connection::Connection;
use super::frames::fatal;
use super::login::Reception;
use super::session;
use super::startup::{self, Opening};
use crate::log::Door;
use crate::pending_connections::Pending;
use crate::service::Service;
use crate::tls::Tls;

/// When the operating system has no connection to give, it is asked again after this.
const ACCEPT_AGAIN: Duration = Duration::from_millis(50);

/// What every connection shares.
struct Entrance {
    reception: Reception,
    tls: Option<Arc<Tls>>,
    stopping: watch::Receiver<bool>,
}

/// Serves the Postgres wire until told to stop; then waits until every session has ended. With a certificate nobody is let in
/// who is not encrypted.
pub(crate) async fn serve(
    service: Arc<Service>,
    listener: TcpListener,
    tls: Option<Arc<Tls>>,
    mut stopping: watch::Receiver<bool>,
) {
    let entrance = Arc::new(Entrance {
        reception: Reception { service, cancel: CancelRegistry::default(), must_encrypt: tls.is_some() },
        tls,
        stopping: stopping.clone(),
    });
    let mut connections = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            // An error says that whoever could stop us is gone.
            _ = stopping.wait_for(|stops| *stops) => break,
            Some(_) = connections.join_next() => continue,
        };
        match accepted {
            Ok((stream, peer)) => {
                if let Some(place) = entrance.place(&stream).await {
                    let pending = entrance.reception.service.pending.enter(peer.ip());
                    connections.spawn(Arc::clone(&entrance).connection(stream, peer, place, pending));
                }
            }
            Err(_) => tokio::time::sleep(ACCEPT_AGAIN).await,
        }
    }
    drop(listener);
    while connections.join_next().await.is_some() {}
}

impl Entrance {
    /// A place among all connections; who has none is told so.
    async fn place(&self, stream: &TcpStream) -> Option<OwnedSemaphorePermit> {
        if let Some(place) = self.reception.service.place().await {
            return Some(place);
        }
        self.reception.service.metrics.turned_away(Door::Postgres);
        let mut refusal = bytes::BytesMut::new();
        if fatal(&PgError::new("53300", "sorry, too many clients already")).encode(&mut refusal).is_ok() {
            // Said if it can be said at once: nobody waits for somebody who has no place.
            let _ = stream.try_write(&refusal);
        }
        None
    }

    async fn connection(
        self: Arc<Self>,
        stream: TcpStream,
        peer: SocketAddr,
        _place: OwnedSemaphorePermit,
        pending: Pending,
    ) {
        let _open = self.reception.service.metrics.connected(Door::Postgres);
        // Small answers leave at once; where that cannot be had they leave later.
        let _ = stream.set_nodelay(true);
        let mut stopping = self.stopping.clone();
        let login = self.reception.service.limits.login;
        let let_in = tokio::select! {
            let_in = timeout(login, self.let_in(stream, peer)) => let_in.ok().flatten(),
            () = pending.evicted() => None,
            _ = stopping.wait_for(|stops| *stops) => None,
        };
        drop(pending);
        if let Some((connection, _place_of_person)) = let_in {
            session::run(connection).await;
        }
    }

    async fn let_in(
        &self,
        stream: TcpStream,
        peer: SocketAddr,
    ) -> Option<(Connection, OwnedSemaphorePermit)> {
        match startup::open(stream, self.tls.as_deref()).await.ok()? {
            Opening::Startup(opened) => self.reception.receive(opened, peer, self.stopping.clone()).await,
            Opening::Cancel { backend_pid, key } => {
                self.reception.cancel.cancel(backend_pid, &key);
                None
            }
            Opening::Nothing => None,
        }
    }
}

#[cfg(test)]
mod tests;
