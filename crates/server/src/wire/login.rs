//! Letting somebody in: SCRAM, then what the startup message asked for.
//!
//! **Guarantee.** Until the proof is verified nothing that is said depends on whether somebody of that name exists: the same
//! offer, a challenge of the same form, the same refusal, counted and delayed alike. Databases, limits and settings are looked
//! at afterwards.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use pgwire::messages::PgWireBackendMessage as Message;
use pgwire::messages::startup::{
    Authentication, BackendKeyData, NegotiateProtocolVersion, ParameterStatus, SecretKey,
};
use pointillist_access::scram::{Binding, Exchange, ScramError};
use pointillist_access::{Person, Verifier};
use pointillist_pg_catalog::{PgError, Settings};
use tokio::sync::{OwnedSemaphorePermit, watch};

use super::cancel::{CancelEntry, CancelRegistry};
use super::connection::Connection;
use super::frames::{FrameError, Frames};
use super::startup::{Opened, Startup};
use crate::log::{Door, Event};
use crate::service::Service;

/// What the door needs to let somebody in.
pub(crate) struct Reception {
    pub(crate) service: Arc<Service>,
    pub(crate) cancel: CancelRegistry,
    /// Whether nobody is let in who is not encrypted.
    pub(crate) must_encrypt: bool,
}

/// Why somebody is not let in.
enum NotLetIn {
    /// They are told why.
    Refused(PgError),
    /// The connection failed them.
    Frame(FrameError),
}

impl From<PgError> for NotLetIn {
    fn from(error: PgError) -> Self {
        Self::Refused(error)
    }
}

impl From<FrameError> for NotLetIn {
    fn from(error: FrameError) -> Self {
        Self::Frame(error)
    }
}

impl Reception {
    /// Lets somebody in, with the place that they hold among the connections of their name; or says why not and closes.
    pub(crate) async fn receive(
        &self,
        opened: Opened,
        peer: SocketAddr,
        stopping: watch::Receiver<bool>,
    ) -> Option<(Connection, OwnedSemaphorePermit)> {
        let Opened { stream, startup, binding, is_secure } = opened;
        let mut frames = Frames::new(stream, &self.service.limits);
        let let_in = match startup {
            Ok(startup) => self.let_in(&mut frames, startup, binding, is_secure, peer).await,
            Err(error) => Err(error.into()),
        };
        self.record(&let_in);
        match let_in {
            Ok(Guest { person, verifier, settings, cancel, place }) => {
                let service = Arc::clone(&self.service);
                let connection = Connection { frames, person, verifier, settings, cancel, service, stopping };
                Some((connection, place))
            }
            Err(NotLetIn::Refused(error)) => {
                frames.end(Some(error)).await;
                None
            }
            Err(NotLetIn::Frame(error)) => {
                frames.end(error.fatal()).await;
                None
            }
        }
    }

    /// Writes down how it ended. Who was not let in is nobody yet: what they called themselves may be a password in the wrong
    /// place.
    fn record(&self, let_in: &Result<Guest, NotLetIn>) {
        let (person, outcome) = match let_in {
            Ok(guest) => (Some(guest.person.name.as_str()), "ok"),
            Err(NotLetIn::Refused(error)) => (None, error.sqlstate),
            Err(NotLetIn::Frame(_)) => (None, "lost"),
        };
        self.service.done(&Event {
            door: Door::Postgres,
            request_id: "",
            person,
            verb: "login",
            outcome,
            statement: None,
            quanta: 0,
            bytes_in: 0,
            bytes_out: 0,
        });
    }

    async fn let_in(
        &self,
        frames: &mut Frames,
        startup: Startup,
        binding: Binding,
        is_secure: bool,
        peer: SocketAddr,
    ) -> Result<Guest, NotLetIn> {
        if self.must_encrypt && !is_secure {
            let refusal = PgError::new("28000", "this server takes encrypted connections only");
            return Err(refusal.with_hint("connect with TLS, such as sslmode=require").into());
        }
        if let Some(unknown) = &startup.negotiate {
            let version = (3 << 16) | i32::from(startup.minor);
            frames.put(&Message::NegotiateProtocolVersion(NegotiateProtocolVersion::new(
                version,
                unknown.clone(),
            )))?;
        }
        let (person, verifier) = self.authenticate(frames, &startup.user, binding, peer).await?;
        let database = &startup.database;
        if *database != self.service.declared().database {
            return Err(PgError::new("3D000", format!("database \"{database}\" does not exist")).into());
        }
        let place = self.service.connection_of(&person.name).ok_or_else(|| {
            PgError::new("53300", format!("too many connections for role \"{}\"", person.name))
        })?;
        let settings = settings(&startup)?;
        let cancel = self.cancel.register(startup.minor >= 2);
        let cancel =
            cancel.ok_or_else(|| PgError::new("58000", "the operating system gives no random bytes"))?;
        greet(frames, &settings, &cancel)?;
        frames.let_in(&self.service.limits);
        Ok(Guest { person, verifier, settings, cancel, place })
    }

    /// Finds out who it is. AuthenticationOk waits to be sent afterwards.
    async fn authenticate(
        &self,
        frames: &mut Frames,
        user: &str,
        binding: Binding,
        peer: SocketAddr,
    ) -> Result<(Person, Verifier), NotLetIn> {
        let failed = || PgError::new("28P01", format!("password authentication failed for user \"{user}\""));
        let access = self.service.access();
        let offer = binding.mechanisms().iter().map(|mechanism| (*mechanism).to_owned()).collect();
        let verifier = access.verifier_of(user);
        let mut exchange = Exchange::new(verifier.clone(), binding).map_err(said)?;
        frames.put(&Message::Authentication(Authentication::SASL(offer)))?;
        frames.send().await?;
        let (mechanism, first) = initial_response(&answer(frames).await?)?;
        let challenge = exchange.first(&mechanism, &first).map_err(said)?;
        frames.put(&Message::Authentication(Authentication::SASLContinue(challenge.into())))?;
        frames.send().await?;
        let last = answer(frames).await?;
        let address = peer.ip();
        let delay = self.service.login_failures.delay(address, user, Instant::now()).map_err(|_| {
            let words = format!("too many failed logins for user \"{user}\" from this address");
            PgError::new("28000", words).with_hint("try again in a minute")
        })?;
        tokio::time::sleep(delay).await;
        let signature = match exchange.last(&last) {
            Ok(signature) => signature,
            Err(ScramError::Proof) => {
                self.service.login_failures.failed(address, user, Instant::now());
                return Err(failed().into());
            }
            Err(error) => return Err(said(error).into()),
        };
        self.service.login_failures.succeeded(address, user);
        let person = access.person(user).ok_or_else(failed)?;
        frames.put(&Message::Authentication(Authentication::SASLFinal(signature.into())))?;
        frames.put(&Message::Authentication(Authentication::Ok))?;
        Ok((person, verifier))
    }
}

/// Somebody who is let in.
struct Guest {
    person: Person,
    verifier: Verifier,
    settings: Settings,
    cancel: CancelEntry,
    place: OwnedSemaphorePermit,
}

/// The settings that the startup message asks for. Names that nobody knows are ignored, values that cannot be are not.
fn settings(startup: &Startup) -> Result<Settings, PgError> {
    let mut settings = Settings::new(&startup.user);
    for (name, value) in &startup.settings {
        match settings.set(name, value) {
            Err(error) if error.sqlstate != "42704" => return Err(error),
            _ => {}
        }
    }
    settings.keep_as_start();
    Ok(settings)
}

/// What every client waits for before it asks.
fn greet(frames: &mut Frames, settings: &Settings, cancel: &CancelEntry) -> Result<(), FrameError> {
    for (name, value) in settings.reported() {
        frames.put(&Message::ParameterStatus(ParameterStatus::new(name.to_owned(), value)))?;
    }
    let key = SecretKey::Bytes(Bytes::copy_from_slice(&cancel.key));
    frames.put(&Message::BackendKeyData(BackendKeyData::new(cancel.backend_pid, key)))
}

/// The body of the next message, which must be one of SASL.
async fn answer(frames: &mut Frames) -> Result<Bytes, NotLetIn> {
    match frames.read_frame().await? {
        Some((b'p', body)) => Ok(body),
        Some((kind, _)) => {
            let words = format!("expected SASL response, got message type {kind}");
            Err(PgError::new("08P01", words).into())
        }
        None => Err(FrameError::Lost(std::io::ErrorKind::UnexpectedEof.into()).into()),
    }
}

/// The mechanism, and the client's first message.
fn initial_response(body: &[u8]) -> Result<(String, Vec<u8>), PgError> {
    let wrong = || PgError::new("08P01", "malformed SASL initial response");
    let end = body.iter().position(|byte| *byte == 0).ok_or_else(wrong)?;
    let mechanism = std::str::from_utf8(&body[..end]).map_err(|_| wrong())?;
    let (length, data) = body[end + 1..].split_first_chunk::<4>().ok_or_else(wrong)?;
    let length = usize::try_from(i32::from_be_bytes(*length)).map_err(|_| wrong())?;
    if length == data.len() { Ok((mechanism.to_owned(), data.to_vec())) } else { Err(wrong()) }
}

/// Why an exchange ended, where it was not for the password.
fn said(error: ScramError) -> PgError {
    let sqlstate = match error {
        ScramError::Downgrade | ScramError::Binding => "28000",
        ScramError::Malformed(_) | ScramError::Mechanism | ScramError::Unsupported => "08P01",
        ScramError::Proof => "28P01",
        ScramError::NoRandomness => "58000",
    };
    PgError::new(sqlstate, error.to_string())
}
