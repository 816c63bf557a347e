//! Temporary folders for copies of somebody's rows.
//!
//! **Guarantee.** Nobody else can enter such a folder, whatever the umask says, and it is removed however the process
//! ends: by itself, by Ctrl-C or by force. A second process waits on a pipe whose other end only we hold; when we are
//! gone, for whatever reason, it removes the folder. Ctrl-C does not reach it, as it leads a group of its own.
//! **Not covered.** A loss of power, and somebody who ends both processes. Systems other than Unix remove the folder
//! only when the process ends by itself.

use std::io;
use std::path::Path;
#[cfg(unix)]
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

/// What their names begin with.
const PREFIX: &str = "pointillist-";
/// Waits until nobody can write to it any more, and removes what it is given.
#[cfg(unix)]
const SWEEP: &str = "cat > /dev/null; rm -rf -- \"$0\"";

/// A temporary folder of its owner alone. It goes with the value, or with the process.
pub struct PrivateFolder {
    folder: TempDir,
    #[cfg(unix)]
    sweeper: Child,
}

impl PrivateFolder {
    /// A new and empty one, where the system keeps temporary files.
    ///
    /// # Errors
    /// When the folder or the process that will remove it cannot be made.
    pub fn new() -> io::Result<Self> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(PREFIX);
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
        let folder = builder.tempdir()?;
        #[cfg(unix)]
        let sweeper = {
            let mut command = Command::new("/bin/sh");
            command.args(["-c", SWEEP]).arg(folder.path()).current_dir("/");
            command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
            std::os::unix::process::CommandExt::process_group(&mut command, 0);
            command.spawn()?
        };
        Ok(Self {
            folder,
            #[cfg(unix)]
            sweeper,
        })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

#[cfg(unix)]
impl Drop for PrivateFolder {
    fn drop(&mut self) {
        // Our end of the pipe closes, the sweeper removes the folder, and what it left over goes with `folder`.
        drop(self.sweeper.stdin.take());
        let _ = self.sweeper.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn nobody_else_may_look_and_nothing_stays() {
        use std::os::unix::fs::PermissionsExt;
        let folder = PrivateFolder::new().unwrap();
        let path = folder.path().to_owned();
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o700);
        std::fs::write(path.join("rows.csv"), "a\n1\n").unwrap();
        drop(folder);
        assert!(!path.exists());
    }
}
