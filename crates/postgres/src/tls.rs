//! TLS towards a server whose certificate is verified.
//!
//! **Guarantee.** The certificate is signed by one of the roots that the address names and names the host of the address, or
//! the connection is not made (`verify-full`, in PostgreSQL's words). TLS 1.2 and 1.3. No other roots are trusted: those of
//! the system would let any of a hundred authorities name our database.
//! **Not covered.** Revocation. Channel binding is not used: a server that is verified needs no second proof of who it is.

use std::fs;
use std::future::Future;
use std::io;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::Socket;
use tokio_postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream};
use tokio_rustls::TlsConnector;

use crate::ConnectionError;

/// Makes verified connections.
#[derive(Clone)]
pub(crate) struct Verified(TlsConnector);

impl Verified {
    /// Trusts the certificates of this file, and no others.
    pub(crate) fn with_roots(path: &Path) -> Result<Self, ConnectionError> {
        let unusable = || ConnectionError::Roots { path: path.display().to_string() };
        let bytes = fs::read(path).map_err(|_| unusable())?;
        let mut roots = RootCertStore::empty();
        for certificate in CertificateDer::pem_slice_iter(&bytes) {
            roots.add(certificate.map_err(|_| unusable())?).map_err(|_| unusable())?;
        }
        if roots.is_empty() {
            return Err(unusable());
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|_| unusable())?;
        let config = builder.with_root_certificates(roots).with_no_client_auth();
        Ok(Self(TlsConnector::from(Arc::new(config))))
    }
}

impl MakeTlsConnect<Socket> for Verified {
    type Stream = Stream;
    type TlsConnect = Handshake;
    type Error = io::Error;

    fn make_tls_connect(&mut self, host: &str) -> io::Result<Handshake> {
        let name = ServerName::try_from(host.to_owned()).map_err(io::Error::other)?;
        Ok(Handshake { connector: self.0.clone(), name })
    }
}

/// A handshake with the server of one name.
pub(crate) struct Handshake {
    connector: TlsConnector,
    name: ServerName<'static>,
}

impl TlsConnect<Socket> for Handshake {
    type Stream = Stream;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Stream>> + Send>>;

    fn connect(self, socket: Socket) -> Self::Future {
        let handshake = self.connector.connect(self.name, socket);
        Box::pin(async { Ok(Stream(handshake.await?)) })
    }
}

/// What is under TLS.
pub(crate) struct Stream(tokio_rustls::client::TlsStream<Socket>);

impl TlsStream for Stream {
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

impl AsyncRead for Stream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl AsyncWrite for Stream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}
