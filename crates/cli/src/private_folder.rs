//! Temporary folders for copies of somebody's rows.

use std::io;

use tempfile::TempDir;

/// What their names begin with: whoever ends a command by force can find what it left behind.
const PREFIX: &str = "pointillist-";

/// A temporary folder that nobody else can enter, whatever the umask says. It goes with the value.
pub fn private_folder() -> io::Result<TempDir> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    builder.tempdir()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn nobody_else_may_look() {
        use std::os::unix::fs::PermissionsExt;
        let folder = private_folder().unwrap();
        assert_eq!(folder.path().metadata().unwrap().permissions().mode() & 0o777, 0o700);
    }
}
