//! The password of a role: from a file that nobody else can read, or from the environment, and never from the catalog.
//!
//! **Guarantee.** It is not printed, not compared and not cloned, and is erased from memory when it is dropped. A file that
//! others can read is refused as PostgreSQL refuses a key: it may be for its owner alone, or root's and for a group.
//! **Not covered.** The copy that the driver makes while it logs in, and the environment of the process itself.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use pointillist_errors::{Explained, Kind};
use zeroize::Zeroizing;

/// Longer than any password that a server takes, and short enough to read whatever was named by mistake.
const LENGTH_MAX: u64 = 4096;

/// A password.
pub struct Password(Zeroizing<Vec<u8>>);

/// No password where one was looked for.
#[derive(Debug, thiserror::Error)]
pub enum PasswordError {
    /// The file cannot be read.
    #[error("the password file cannot be read: {source}")]
    Read {
        /// The file, for the owner.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Somebody else can read the file.
    #[error("the password file can be read by others than its owner")]
    Readable {
        /// The file, for the owner.
        path: PathBuf,
    },
    /// Nothing in it, more than one line, or too much.
    #[error("where the password should be is not one line with a password")]
    NotOneLine {
        /// The file or the variable, for the owner.
        place: String,
    },
}

impl Explained for PasswordError {
    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Read { .. } => {
                "check the path of the password file, and that the service's user may read it"
            }
            Self::Readable { .. } => "give it mode 0600, or 0640 where it belongs to root",
            Self::NotOneLine { .. } => {
                "write the password into the password file or its variable, and nothing else"
            }
        };
        Some(hint.to_owned())
    }

    fn kind(&self) -> Kind {
        Kind::Environment
    }
}

impl Password {
    /// The one line of a file that only its owner can read.
    pub fn from_file(path: &Path) -> Result<Self, PasswordError> {
        let failed = |source| PasswordError::Read { path: path.to_owned(), source };
        let file = File::open(path).map_err(failed)?;
        // What was opened is looked at, so that nobody exchanges it in between.
        if open_to_others(&file.metadata().map_err(failed)?) {
            return Err(PasswordError::Readable { path: path.to_owned() });
        }
        // Allocated once: a vector that grows leaves copies behind.
        let mut bytes = Zeroizing::new(Vec::with_capacity(LENGTH_MAX as usize + 1));
        file.take(LENGTH_MAX).read_to_end(&mut bytes).map_err(failed)?;
        Self::from_line(bytes).ok_or_else(|| PasswordError::NotOneLine { place: path.display().to_string() })
    }

    /// What [`Self::variable`] holds. `None` where it is not set.
    pub fn from_environment(connection: &str) -> Result<Option<Self>, PasswordError> {
        let place = Self::variable(connection);
        let Some(value) = std::env::var_os(&place) else { return Ok(None) };
        let bytes = Zeroizing::new(value.into_encoded_bytes());
        Self::from_line(bytes).map(Some).ok_or(PasswordError::NotOneLine { place })
    }

    /// The variable of a connection's password: `POINTILLIST_PASSWORD_` and its name in upper case.
    pub fn variable(connection: &str) -> String {
        let letter =
            |letter: char| if letter.is_ascii_alphanumeric() { letter.to_ascii_uppercase() } else { '_' };
        format!("POINTILLIST_PASSWORD_{}", connection.chars().map(letter).collect::<String>())
    }

    fn from_line(mut bytes: Zeroizing<Vec<u8>>) -> Option<Self> {
        if bytes.last() == Some(&b'\n') {
            bytes.pop();
            if bytes.last() == Some(&b'\r') {
                bytes.pop();
            }
        }
        let is_line = !bytes.is_empty() && bytes.len() < LENGTH_MAX as usize;
        (is_line && !bytes.iter().any(|byte| matches!(byte, 0 | b'\n' | b'\r'))).then_some(Self(bytes))
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }
}

/// As PostgreSQL judges: for its owner alone, or root's and for the service's group.
#[cfg(unix)]
fn open_to_others(metadata: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    let forbidden = if metadata.uid() == 0 { 0o027 } else { 0o077 };
    metadata.mode() & forbidden != 0
}

#[cfg(not(unix))]
fn open_to_others(_: &fs::Metadata) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(folder: &tempfile::TempDir, text: &[u8], mode: u32) -> PathBuf {
        let path = folder.path().join("password");
        fs::write(&path, text).unwrap();
        #[cfg(unix)]
        fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(mode)).unwrap();
        path
    }

    #[test]
    fn the_line_of_a_file_is_the_password() {
        let folder = tempfile::tempdir().unwrap();
        for text in [&b"gel\xc3\xa4nder"[..], b"gel\xc3\xa4nder\n", b"gel\xc3\xa4nder\r\n"] {
            let password = Password::from_file(&written(&folder, text, 0o600)).ok().unwrap();
            assert_eq!(password.bytes(), "geländer".as_bytes());
        }
        let spaces = Password::from_file(&written(&folder, b" a b \n", 0o600)).ok().unwrap();
        assert_eq!(spaces.bytes(), b" a b ");
    }

    #[test]
    fn what_is_not_one_line_is_refused_and_not_repeated() {
        let folder = tempfile::tempdir().unwrap();
        for text in [&b""[..], b"\n", b"hunter2\nhunter3\n", b"hunter2\0", &[b'x'; 5000]] {
            let error = Password::from_file(&written(&folder, text, 0o600)).err().unwrap();
            assert!(matches!(error, PasswordError::NotOneLine { .. }));
            assert!(!format!("{error} {error:?}").contains("hunter"));
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_others_can_read_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        for mode in [0o604, 0o644, 0o660, 0o602] {
            let error = Password::from_file(&written(&folder, b"hunter2", mode)).err().unwrap();
            assert!(matches!(error, PasswordError::Readable { .. }), "{mode:o}");
        }
        assert!(Password::from_file(&written(&folder, b"hunter2", 0o400)).is_ok());
    }

    #[test]
    fn the_variable_has_the_name_of_the_connection() {
        assert_eq!(Password::variable("clinic-2"), "POINTILLIST_PASSWORD_CLINIC_2");
        assert!(Password::from_environment("nobody ever sets this").ok().unwrap().is_none());
    }
}
