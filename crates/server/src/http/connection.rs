//! Connections: how many, how long, and that slow ones end.
//!
//! **Guarantee.** A head must come whole within [`Limits::request`](crate::Limits) of the moment at which it is waited for, however its bytes drip;
//! a client that does not read its reply is given up after [`Limits::write`](crate::Limits). Who has asked for nothing, or nothing more,
//! keeps nobody out: when all places are taken, the oldest of them makes room. When the service stops, requests that were
//! begun are answered and their connections closed.

use std::io;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::time::{Instant, Sleep, sleep_until};
use tokio_rustls::TlsAcceptor;

use super::head_wait::HeadWait;
use crate::Limits;
use crate::log::Door;
use crate::service::Service;
use crate::tls::Tls;

/// The longest head of a request, in bytes.
const HEAD_BYTES_MAX: usize = 16 * 1_024;
/// The most headers of a request.
const HEADERS_MAX: usize = 64;
/// Before the next attempt where no connection can be accepted, as when there are no more file descriptors.
const PAUSE: Duration = Duration::from_millis(50);

/// Where a request comes from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Peer {
    /// The address.
    pub(crate) address: IpAddr,
    /// Whether nobody on the way reads along.
    pub(crate) is_encrypted: bool,
}

/// Serves until it is time to stop, and then until everything that was begun is sent.
pub(crate) async fn serve(
    service: Arc<Service>,
    listener: TcpListener,
    tls: Option<Arc<Tls>>,
    mut stop: watch::Receiver<bool>,
) {
    let router = super::router(Arc::clone(&service));
    let graceful = GracefulShutdown::new();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = stop.wait_for(|stop| *stop) => break,
        };
        let Ok((stream, peer)) = accepted else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        let Some(place) = service.place().await else {
            service.metrics.turned_away(Door::Http);
            service.log.connection(Door::Http, &peer.to_string(), "refused");
            continue;
        };
        // A reply is one piece: nothing is won by waiting for more.
        let _ = stream.set_nodelay(true);
        let (service, router, watcher) = (Arc::clone(&service), router.clone(), graceful.watcher());
        // The certificate as it stands now: a connection keeps the one that it began with.
        let acceptor = tls.as_ref().map(|tls| TlsAcceptor::from(Arc::clone(&tls.current().http)));
        let from = Peer { address: peer.ip(), is_encrypted: acceptor.is_some() };
        let waiting = HeadWait::new(Arc::clone(&service.pending), peer.ip());
        tokio::spawn(async move {
            let _open = (place, service.metrics.connected(Door::Http));
            let limits = &service.limits;
            let conversation = async {
                match acceptor {
                    None => converse(limits, router, watcher, stream, &waiting, from).await,
                    Some(acceptor) => {
                        let accepted = tokio::time::timeout(limits.login, acceptor.accept(stream)).await;
                        if let Ok(Ok(stream)) = accepted {
                            converse(limits, router, watcher, stream, &waiting, from).await;
                        }
                    }
                }
            };
            let ended = tokio::select! {
                () = conversation => "closed",
                () = waiting.has_to_leave() => "made_room",
            };
            service.log.connection(Door::Http, &peer.to_string(), ended);
        });
    }
    drop(listener);
    graceful.shutdown().await;
}

/// Answers one request after the other.
async fn converse<S>(
    limits: &Limits,
    router: Router,
    watcher: Watcher,
    stream: S,
    waiting: &Arc<HeadWait>,
    from: Peer,
) where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let stream = TokioIo::new(Impatient::new(stream, limits.write, Arc::clone(waiting)));
    let answers = TowerToHyperService::new(router);
    let answers = service_fn(|mut request: hyper::Request<hyper::body::Incoming>| {
        request.extensions_mut().insert(from);
        waiting.head_is_here();
        let answer = answers.call(request);
        async {
            let answer = answer.await;
            waiting.is_answered();
            answer
        }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.request)
        .max_buf_size(HEAD_BYTES_MAX)
        .max_headers(HEADERS_MAX)
        .half_close(false)
        .serve_connection(stream, answers);
    // A connection that breaks is its client's business; requests are in the log.
    let _ = watcher.watch(connection).await;
}

/// A stream that gives a client up who does not read.
struct Impatient<S> {
    stream: S,
    longest: Duration,
    waiting: Arc<HeadWait>,
    /// When a write that has not gone on is given up.
    deadline: Option<Pin<Box<Sleep>>>,
}

impl<S> Impatient<S> {
    fn new(stream: S, longest: Duration, waiting: Arc<HeadWait>) -> Self {
        Self { stream, longest, waiting, deadline: None }
    }

    fn watched<T>(&mut self, context: &mut Context<'_>, poll: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if poll.is_ready() {
            self.deadline = None;
            return poll;
        }
        let longest = self.longest;
        let deadline = self.deadline.get_or_insert_with(|| Box::pin(sleep_until(Instant::now() + longest)));
        match deadline.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(Err(io::ErrorKind::TimedOut.into())),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Impatient<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, into)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Impatient<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let poll = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.watched(context, poll)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let poll = Pin::new(&mut self.stream).poll_write_vectored(context, bytes);
        self.watched(context, poll)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let poll = Pin::new(&mut self.stream).poll_flush(context);
        if poll.is_ready() {
            self.waiting.is_sent();
        }
        self.watched(context, poll)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let poll = Pin::new(&mut self.stream).poll_shutdown(context);
        self.watched(context, poll)
    }
}
