//! A wire between the curator and a server, to which something happens in the moment after a question was paid for.
//!
//! It forwards bytes both ways, over a Unix socket or TCP, until the first bytes towards the server that come after a charge:
//! those of the statement. So whatever happens then happens between the debit and the answer, at every run.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// What happens.
pub enum Happening {
    /// The connection ends.
    Close,
    /// The connection ends in the middle of what the server says.
    Half,
    /// Nothing comes through any more, in either direction, and nobody is told.
    Silence,
    /// Something happens to the server, before it hears of the statement.
    To(Box<dyn FnOnce() + Send>),
}

/// What happens next, and how it is known that somebody paid.
#[derive(Default)]
struct Plan {
    next: Option<(Happening, Box<dyn Fn() -> bool + Send>)>,
}

/// The wire; it is laid for as long as the program runs.
#[derive(Clone, Default)]
pub struct Wire(Arc<Mutex<Plan>>);

/// A stream of either kind.
trait Stream: Read + Write + Send {
    fn twin(&self) -> Box<dyn Stream>;
    fn end(&self);
}

impl Stream for TcpStream {
    fn twin(&self) -> Box<dyn Stream> {
        Box::new(self.try_clone().unwrap())
    }

    fn end(&self) {
        // Gone either way.
        let _ = self.shutdown(Shutdown::Both);
    }
}

impl Stream for UnixStream {
    fn twin(&self) -> Box<dyn Stream> {
        Box::new(self.try_clone().unwrap())
    }

    fn end(&self) {
        let _ = self.shutdown(Shutdown::Both);
    }
}

impl Wire {
    /// From a socket in a folder of its own to the socket of a PostgreSQL server in another.
    pub fn between_sockets(server: &Path, port: u16, folder: &Path) -> Self {
        let (wire, name) = (Self::default(), format!(".s.PGSQL.{port}"));
        let (listener, server): (_, PathBuf) =
            (UnixListener::bind(folder.join(&name)).unwrap(), server.join(&name));
        let laid = wire.clone();
        std::thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                match UnixStream::connect(&server) {
                    Ok(server) => laid.connect(&client, &server),
                    Err(_) => client.end(),
                }
            }
        });
        wire
    }

    /// From a port of this machine to another.
    pub fn between_ports(server: u16) -> (Self, u16) {
        let wire = Self::default();
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let laid = wire.clone();
        std::thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                match TcpStream::connect(("127.0.0.1", server)) {
                    Ok(server) => laid.connect(&client, &server),
                    Err(_) => client.end(),
                }
            }
        });
        (wire, port)
    }

    /// Lets something happen after the next payment.
    pub fn after_payment(&self, happening: Happening, is_paid: impl Fn() -> bool + Send + 'static) {
        self.0.lock().unwrap().next = Some((happening, Box::new(is_paid)));
    }

    /// Whether it has happened.
    pub fn has_happened(&self) -> bool {
        self.0.lock().unwrap().next.is_none()
    }

    fn due(&self) -> Option<Happening> {
        let mut plan = self.0.lock().unwrap();
        let is_due = plan.next.as_ref().is_some_and(|(_, is_paid)| is_paid());
        if is_due { plan.next.take().map(|(happening, _)| happening) } else { None }
    }

    fn connect(&self, client: &dyn Stream, server: &dyn Stream) {
        let (silent, halved) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        let (from, to, wire) = (client.twin(), server.twin(), self.clone());
        let [is_silent, is_halved] = [&silent, &halved].map(Arc::clone);
        std::thread::spawn(move || {
            pump(from, to, |bytes, to| {
                match wire.due() {
                    None => {}
                    Some(Happening::Close) => return Err(io::ErrorKind::ConnectionReset.into()),
                    Some(Happening::Half) => is_halved.store(true, Ordering::SeqCst),
                    Some(Happening::Silence) => is_silent.store(true, Ordering::SeqCst),
                    Some(Happening::To(act)) => act(),
                }
                if is_silent.load(Ordering::SeqCst) { Ok(()) } else { to.write_all(bytes) }
            });
        });
        let (from, to) = (server.twin(), client.twin());
        std::thread::spawn(move || {
            pump(from, to, |bytes, to| {
                match (silent.load(Ordering::SeqCst), halved.load(Ordering::SeqCst)) {
                    (true, _) => Ok(()),
                    (false, false) => to.write_all(bytes),
                    (false, true) => {
                        to.write_all(&bytes[..bytes.len() / 2])?;
                        Err(io::ErrorKind::ConnectionReset.into())
                    }
                }
            });
        });
    }
}

/// Reads until somebody ends, and then ends both.
fn pump(
    mut from: Box<dyn Stream>,
    mut to: Box<dyn Stream>,
    mut each: impl FnMut(&[u8], &mut dyn Stream) -> io::Result<()>,
) {
    let mut bytes = vec![0; 1 << 16];
    while let Ok(count @ 1..) = from.read(&mut bytes) {
        if each(&bytes[..count], &mut *to).is_err() {
            break;
        }
    }
    from.end();
    to.end();
}
