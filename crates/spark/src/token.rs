//! The token of a session: from a file that nobody else can read, or from the environment, and never from the catalog.
//!
//! **Guarantee.** It is not printed, not compared and not cloned, and is erased from memory when it is dropped. A file that
//! others can read is refused: it may be for its owner alone, or root's and for a group.
//! **Not covered.** The copy in the header of each request, and the environment of the process itself.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use pointillist_errors::{Explained, Kind};
use zeroize::Zeroizing;

/// Longer than any token that fits a header, and short enough to read whatever was named by mistake.
const LENGTH_MAX: u64 = 8192;

/// A bearer token.
pub struct Token(Zeroizing<String>);

/// No token where one was looked for.
#[derive(Debug, thiserror::Error)]
pub enum TokenError {
    /// The file cannot be read.
    #[error("the token file `{}` cannot be read: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Somebody else can read the file.
    #[error("the token file `{}` can be read by others than its owner", path.display())]
    Readable {
        /// The file.
        path: PathBuf,
    },
    /// Nothing in it, more than one line, or signs that no header takes.
    #[error("`{place}` does not hold one line with a token")]
    NotOneLine {
        /// The file or the variable.
        place: String,
    },
}

impl Explained for TokenError {
    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Read { .. } => "check the path, and that the service's user may read it",
            Self::Readable { .. } => "give it mode 0600, or 0640 where it belongs to root",
            Self::NotOneLine { .. } => "write the token there, and nothing else",
        };
        Some(hint.to_owned())
    }

    fn kind(&self) -> Kind {
        Kind::Environment
    }
}

impl Token {
    /// The one line of a file that only its owner can read.
    ///
    /// # Errors
    /// When it cannot be read, others can read it, or it is not one line.
    pub fn from_file(path: &Path) -> Result<Self, TokenError> {
        let failed = |source| TokenError::Read { path: path.to_owned(), source };
        let file = File::open(path).map_err(failed)?;
        // What was opened is looked at, so that nobody exchanges it in between.
        if open_to_others(&file.metadata().map_err(failed)?) {
            return Err(TokenError::Readable { path: path.to_owned() });
        }
        // Allocated once: a text that grows leaves copies behind.
        let mut text = Zeroizing::new(String::with_capacity(LENGTH_MAX as usize + 1));
        file.take(LENGTH_MAX).read_to_string(&mut text).map_err(failed)?;
        Self::from_line(&text).ok_or_else(|| TokenError::NotOneLine { place: path.display().to_string() })
    }

    /// What [`Self::variable`] holds. `None` where it is not set.
    ///
    /// # Errors
    /// When it is not one line.
    pub fn from_environment(connection: &str) -> Result<Option<Self>, TokenError> {
        let place = Self::variable(connection);
        let Some(value) = std::env::var_os(&place) else { return Ok(None) };
        let text = Zeroizing::new(value.into_string().unwrap_or_default());
        Self::from_line(&text).map(Some).ok_or(TokenError::NotOneLine { place })
    }

    /// The variable of a connection's token: `POINTILLIST_TOKEN_` and its name in upper case.
    pub fn variable(connection: &str) -> String {
        let letter =
            |letter: char| if letter.is_ascii_alphanumeric() { letter.to_ascii_uppercase() } else { '_' };
        format!("POINTILLIST_TOKEN_{}", connection.chars().map(letter).collect::<String>())
    }

    fn from_line(text: &str) -> Option<Self> {
        let line = text.strip_suffix('\n').unwrap_or(text);
        let line = line.strip_suffix('\r').unwrap_or(line);
        let is_token = !line.is_empty() && line.len() < LENGTH_MAX as usize;
        (is_token && line.bytes().all(|byte| byte.is_ascii_graphic())).then(|| Self(line.to_owned().into()))
    }

    pub(crate) fn header(&self) -> Zeroizing<String> {
        Zeroizing::new(format!("Bearer {}", self.0.as_str()))
    }
}

/// For its owner alone, or root's and for the service's group.
#[cfg(unix)]
fn open_to_others(metadata: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    let forbidden = if metadata.uid() == 0 { 0o027 } else { 0o077 };
    metadata.is_file() && metadata.mode() & forbidden != 0
}

#[cfg(not(unix))]
fn open_to_others(_metadata: &fs::Metadata) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_one_line_of_visible_signs() {
        assert!(
            Token::from_line("dapi123\n").is_some_and(|token| token.header().as_str() == "Bearer dapi123")
        );
        for wrong in ["", "\n", "a\nb", "a b", "a\tb", "é"] {
            assert!(Token::from_line(wrong).is_none(), "{wrong:?}");
        }
        assert_eq!(Token::variable("data-lake"), "POINTILLIST_TOKEN_DATA_LAKE");
    }

    /// Specification: a file that others can read is refused, whatever is in it.
    #[cfg(unix)]
    #[test]
    fn a_token_file_is_for_its_owner_alone() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("token");
        fs::write(&path, "dapi123\n").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        assert!(matches!(Token::from_file(&path), Err(TokenError::Readable { .. })));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        assert!(Token::from_file(&path).is_ok());
    }
}
