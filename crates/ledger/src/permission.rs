//! Who may read the ledger's files: their owner and nobody else, whatever the umask says.
//!
//! **Why.** The records name analysts, what they paid and when; whoever reads them all and knows a question can open
//! its answer. A directory that exists already is left as its owner made it: the files protect themselves. SQLite
//! gives its log and its index the mode of the file they belong to.
//! **Not covered.** Systems without Unix permissions keep the system's own defaults.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// Creates a directory and whatever is missing above it.
pub(crate) fn create_directory(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Opens a file for writing, and creates it where there is none. Its contents stay.
pub(crate) fn open_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path)?;
    tighten(path);
    Ok(file)
}

/// Takes everybody else's rights to a file away. Where that is not for us to do, [`others_may_read`] still says so.
pub(crate) fn tighten(path: &Path) {
    #[cfg(unix)]
    if others_may_read(path) {
        let _ = fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o600));
    }
    #[cfg(not(unix))]
    let _ = path;
}

/// Whether somebody else than the owner has any right to a file that exists.
pub(crate) fn others_may_read(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::metadata(path).is_ok_and(|metadata| metadata.permissions().mode() & 0o077 != 0)
    }
    #[cfg(not(unix))]
    {
        let _ = (path, fs::metadata::<&Path>);
        false
    }
}

/// The same path with something behind its last name.
pub(crate) fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.to_owned().into_os_string();
    name.push(ending);
    name.into()
}
