//! The door from outside: real sockets, and clients that do what they should not.

mod hostile;
mod logins;
mod many;

use std::fs;
use std::io;
use std::time::Instant;

use pointillist_access::{Access, Password, Role};
use pointillist_curator::{Clock, Home};
use postgres_protocol::authentication::sasl::{ChannelBinding, ScramSha256};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::task::JoinHandle;

use super::super::frames::Stream;
use super::*;
use crate::Limits;
use crate::log::{Log, LogTarget};
use crate::server::declared;
use crate::tls::tests::{connector, localhost, write_certificate};

const CATALOG: &str =
    "[scope.patients]\nbudget = { rho = 1, delta = 1e-9 }\n\n[analyst.ana]\n\n[service]\nquantum_ms = 50\n";
const SSL_REQUEST: [u8; 8] = [0, 0, 0, 8, 4, 210, 22, 47];
const GSS_REQUEST: [u8; 8] = [0, 0, 0, 8, 4, 210, 22, 48];

/// A server of the wire, and what it was made from.
struct Site {
    folder: TempDir,
    address: SocketAddr,
    service: Arc<Service>,
    tls: Option<Arc<Tls>>,
    /// The server's certificate as it was first.
    certificate: Option<rustls::pki_types::CertificateDer<'static>>,
    stop: watch::Sender<bool>,
    serving: JoinHandle<()>,
}

fn impatient() -> Limits {
    Limits { login: Duration::from_secs(5), write: Duration::from_secs(5), ..Limits::default() }
}

impl Site {
    async fn open(limits: Limits) -> Self {
        Self::start(limits, false).await
    }

    async fn encrypted() -> Self {
        Self::start(impatient(), true).await
    }

    async fn start(limits: Limits, is_encrypted: bool) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let catalog = folder.path().join("pointillist.toml");
        fs::write(&catalog, CATALOG).unwrap();
        let home = Home::open(&catalog).unwrap();
        let curator = home.curator(Clock::Declared).unwrap();
        let declared = declared(curator, home, "clinic").unwrap();
        let mut access = Access::new().unwrap();
        access.add("ana", Role::Analyst, Some(&Password::new("pencil").unwrap())).unwrap();
        access.add("tokens_only", Role::Analyst, None).unwrap();
        let service = Arc::new(Service::new(declared, access, limits, Log::new(LogTarget::Nowhere)));
        let (tls, certificate) = if is_encrypted {
            let (files, certificate) = write_certificate(folder.path());
            (Some(Arc::new(Tls::load(files).unwrap())), Some(certificate))
        } else {
            (None, None)
        };
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopping) = watch::channel(false);
        let serving = tokio::spawn(serve(Arc::clone(&service), listener, tls.clone(), stopping));
        Self { folder, address, service, tls, certificate, stop, serving }
    }

    async fn connect(&self) -> Client {
        Client(Box::new(TcpStream::connect(self.address).await.unwrap()))
    }

    /// A connection after SSLRequest and a handshake.
    async fn connect_encrypted(&self) -> Client {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        stream.write_all(&SSL_REQUEST).await.unwrap();
        assert_eq!(stream.read_u8().await.unwrap(), b'S');
        Client(Box::new(self.handshake(stream, None).await.unwrap()))
    }

    async fn handshake(
        &self,
        stream: TcpStream,
        protocol: Option<&[u8]>,
    ) -> io::Result<tokio_rustls::client::TlsStream<TcpStream>> {
        connector(self.certificate.as_ref().unwrap(), protocol).connect(localhost(), stream).await
    }

    /// What a connection to this certificate is bound to.
    fn bound(&self) -> Vec<u8> {
        use sha2::Digest;
        sha2::Sha256::digest(self.certificate.as_ref().unwrap()).to_vec()
    }

    async fn stops(self) {
        let Self { service, stop, serving, .. } = self;
        stop.send(true).unwrap();
        timeout(Duration::from_secs(10), serving).await.expect("it stops").unwrap();
        // A curator waits for its threads when it goes, which nothing may do that runs on tokio's.
        tokio::task::spawn_blocking(move || drop(service)).await.unwrap();
    }
}

/// A client that says what it is told to.
struct Client(Box<dyn Stream>);

/// What the server said, until it let somebody in or closed.
type Said = Vec<(u8, Vec<u8>)>;

impl Client {
    async fn send(&mut self, bytes: &[u8]) {
        // Whoever is refused may find the connection closed.
        let _ = self.0.write_all(bytes).await;
        let _ = self.0.flush().await;
    }

    async fn start(&mut self, version: (u16, u16), parameters: &[(&str, &str)]) {
        let mut body = [version.0.to_be_bytes(), version.1.to_be_bytes()].concat();
        for (name, value) in parameters {
            body.extend([name.as_bytes(), b"\0", value.as_bytes(), b"\0"].concat());
        }
        body.push(0);
        let length = u32::try_from(body.len() + 4).unwrap();
        self.send(&[length.to_be_bytes().as_slice(), &body].concat()).await;
    }

    /// One message; nothing where the server closed.
    async fn read(&mut self) -> Option<(u8, Vec<u8>)> {
        let message = async {
            let kind = self.0.read_u8().await.ok()?;
            let length = usize::try_from(self.0.read_i32().await.ok()?).unwrap();
            let mut body = vec![0; length - 4];
            self.0.read_exact(&mut body).await.ok()?;
            Some((kind, body))
        };
        timeout(Duration::from_secs(20), message).await.expect("the server says something or closes")
    }

    async fn sasl_first(&mut self, mechanism: &str, message: &[u8]) {
        let length = u32::try_from(message.len()).unwrap().to_be_bytes();
        self.frame(b'p', &[mechanism.as_bytes(), b"\0", &length, message].concat()).await;
    }

    async fn frame(&mut self, kind: u8, body: &[u8]) {
        let length = u32::try_from(body.len() + 4).unwrap().to_be_bytes();
        self.send(&[[kind].as_slice(), &length, body].concat()).await;
    }

    /// Everything up to the key by which statements are cancelled, or to the end.
    async fn read_until_let_in(&mut self) -> Said {
        let mut said = Vec::new();
        while let Some(message) = self.read().await {
            let is_last = message.0 == b'K';
            said.push(message);
            if is_last {
                break;
            }
        }
        said
    }

    /// Logs in by SCRAM, after a startup message was sent.
    async fn log_in(&mut self, mechanism: &str, password: &str, binding: ChannelBinding) -> Said {
        let mut scram = ScramSha256::new(password.as_bytes(), binding);
        let mut said = Vec::new();
        loop {
            let Some(message) = self.read().await else { return said };
            said.push(message.clone());
            let (kind, body) = message;
            if kind == b'E' {
                return said;
            }
            if kind != b'R' {
                continue;
            }
            match u32::from_be_bytes(*body.first_chunk().unwrap()) {
                10 => self.sasl_first(mechanism, scram.message()).await,
                11 => {
                    scram.update(&body[4..]).unwrap();
                    let last = scram.message().to_vec();
                    self.frame(b'p', &last).await;
                }
                12 => scram.finish(&body[4..]).expect("the server knows the password as well"),
                _ => {
                    said.extend(self.read_until_let_in().await);
                    return said;
                }
            }
        }
    }

    /// The whole way in, without channel binding.
    async fn enter(&mut self, user: &str, password: &str) -> Said {
        self.start((3, 0), &[("user", user), ("database", "clinic")]).await;
        self.log_in("SCRAM-SHA-256", password, ChannelBinding::unsupported()).await
    }
}

fn is_let_in(said: &Said) -> bool {
    said.last().is_some_and(|(kind, _)| *kind == b'K')
}

/// The SQLSTATE and the message of the error that was said last.
fn refusal(said: &Said) -> (String, String) {
    let (kind, body) = said.last().expect("something was said");
    assert_eq!(*kind, b'E', "{said:?}");
    let field = |name: u8| {
        let fields = body.split(|byte| *byte == 0).filter_map(|field| field.split_first());
        let found = fields.into_iter().find(|(first, _)| **first == name);
        String::from_utf8(found.unwrap().1.to_vec()).unwrap()
    };
    assert_eq!(field(b'S'), "FATAL");
    (field(b'C'), field(b'M'))
}
