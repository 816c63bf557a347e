//! The control socket: how a command at the owner's machine speaks to the server that runs there.
//!
//! **Guarantee.** The socket lies in the folder of the catalog, is its owner's alone (0600), and whoever connects must be the user who
//! runs the server, or root, as the system says. One line in, one line out: `reload` and what came of it.

use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::os::unix::net::UnixStream as StdUnixStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use std::{fs, str};

use pointillist_errors::{Explained, Explanation};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::watch;

use crate::reload::Reloader;

/// The longest line.
const LINE_MAX: u64 = 256;
/// For a line to come, and for the reply to be read.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long a command waits for the server to have read everything again.
const RELOAD_PATIENCE: Duration = Duration::from_secs(120);

/// A socket that is listened on.
pub(crate) struct Control {
    listener: UnixListener,
    path: PathBuf,
    /// Whose it is.
    user: u32,
}

impl Drop for Control {
    fn drop(&mut self) {
        // The next server removes what is left.
        let _ = fs::remove_file(&self.path);
    }
}

fn path(folder: &Path) -> PathBuf {
    folder.join(".pointillist").join("control.sock")
}

/// Listens. To be called by whoever holds the ledger's lock: a socket that is there already is nobody's.
pub(crate) fn listen(folder: &Path) -> io::Result<Control> {
    let path = path(folder);
    if let Some(parent) = path.parent() {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(parent)?;
    }
    match fs::remove_file(&path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let listener = UnixListener::bind(&path)?;
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600))?;
    let user = fs::metadata(&path)?.uid();
    Ok(Control { listener, path, user })
}

/// Answers until it is time to stop.
pub(crate) async fn serve(reloader: Arc<Reloader>, control: Control, mut stop: watch::Receiver<bool>) {
    loop {
        let accepted = tokio::select! {
            accepted = control.listener.accept() => accepted,
            _ = stop.wait_for(|stop| *stop) => return,
        };
        let Ok((stream, _)) = accepted else { continue };
        let is_ours = stream.peer_cred().is_ok_and(|peer| [control.user, 0].contains(&peer.uid()));
        if is_ours {
            tokio::spawn(tokio::time::timeout(RELOAD_PATIENCE, answer(Arc::clone(&reloader), stream)));
        }
    }
}

async fn answer(reloader: Arc<Reloader>, mut stream: UnixStream) -> io::Result<()> {
    let (read, mut write) = stream.split();
    let mut line = Vec::new();
    let mut read = tokio::io::BufReader::new(read.take(LINE_MAX));
    tokio::time::timeout(PATIENCE, read.read_until(b'\n', &mut line)).await??;
    let reply = match str::from_utf8(&line).map(str::trim) {
        Ok("reload") => {
            let reloaded = tokio::task::spawn_blocking(move || reloader.reload()).await;
            match reloaded {
                Ok(Ok(reloaded)) => json!({ "reloaded": reloaded.words }),
                Ok(Err(error)) => refused(&error.explanation()),
                Err(_) => json!({ "error": { "message": "the server failed to reload" } }),
            }
        }
        _ => json!({ "error": { "message": "the server does not know this word" } }),
    };
    write.write_all(format!("{reply}\n").as_bytes()).await
}

fn refused(said: &Explanation) -> Value {
    json!({ "error": { "kind": said.kind().word(), "message": said.message(), "hint": said.hint_text() } })
}

/// Tells the server of this folder's catalog to reload, and waits for what came of it. `None` where no server runs.
///
/// # Errors
/// When the server does not answer.
pub fn tell_to_reload(folder: &Path) -> io::Result<Option<Value>> {
    let mut stream = match StdUnixStream::connect(path(folder)) {
        Ok(stream) => stream,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused) => {
            return Ok(None);
        }
        Err(error) => return Err(error),
    };
    stream.set_read_timeout(Some(RELOAD_PATIENCE))?;
    stream.write_all(b"reload\n")?;
    let mut line = String::new();
    BufReader::new(stream).read_line(&mut line)?;
    serde_json::from_str(&line).map(Some).map_err(io::Error::other)
}
