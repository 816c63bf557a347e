//! The secret that signs releases: 32 bytes of the operating system's randomness, in a file beside the records.
//!
//! **Guarantee.** The file is made whole, with rights for its owner alone, and never replaced: of two processes that make
//! one at the same moment both read the one that was first. What it holds is in no record and in no error.
//! **Not covered.** Whoever reads the file can sign in the curator's name; whoever reads it can read the data as well.

use std::fs::{self, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use crate::digest::{bytes_from_hex, hex};
use crate::store::sync_directory;
use crate::{Place, permission};

/// What the file begins with: a secret that is found elsewhere should be recognised.
const LABEL: &str = "pointillist-release-secret:";
/// Longer files are none of ours.
const LENGTH_MAX: u64 = 200;

impl Place {
    /// The file of the secret.
    pub fn release_key(&self) -> PathBuf {
        self.directory.join("release.key")
    }

    /// The secret that signs releases; nothing where none was made yet.
    ///
    /// # Errors
    /// When the file cannot be read, or is not what was written.
    pub fn release_secret(&self) -> io::Result<Option<[u8; 32]>> {
        let path = self.release_key();
        match fs::File::open(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
            Ok(file) => {
                permission::tighten(&path);
                let mut text = String::new();
                file.take(LENGTH_MAX).read_to_string(&mut text)?;
                let digits = text.strip_prefix(LABEL).and_then(|rest| rest.strip_suffix('\n'));
                let secret = digits.and_then(bytes_from_hex);
                secret.map(Some).ok_or_else(|| {
                    io::Error::new(io::ErrorKind::InvalidData, "it is not a key that signs releases")
                })
            }
        }
    }

    /// The same, made now where there is none.
    ///
    /// # Errors
    /// When it cannot be read or written, or the operating system gives no randomness.
    pub fn make_release_secret(&self) -> io::Result<[u8; 32]> {
        if let Some(secret) = self.release_secret()? {
            return Ok(secret);
        }
        permission::create_directory(&self.directory)?;
        let [mut secret, mut name] = [[0; 32]; 2];
        getrandom::fill(&mut secret).map_err(io::Error::other)?;
        getrandom::fill(&mut name).map_err(io::Error::other)?;
        let draft = self.directory.join(format!("release.key.{}", hex(&name[..8])));
        let made = write_new(&draft, &format!("{LABEL}{}\n", hex(&secret)))
            // A link fails where there is a file already, and a rename would replace it.
            .and_then(|()| fs::hard_link(&draft, self.release_key()));
        let _ = fs::remove_file(&draft);
        match made {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => sync_directory(&self.directory)?,
        }
        self.release_secret()?.ok_or_else(|| io::Error::other("it was removed while it was made"))
    }
}

fn write_new(path: &Path, text: &str) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.create_new(true).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(folder: &Path) -> Place {
        Place::new(folder.join("ledger"), folder.join("anchor"))
    }

    #[test]
    fn a_secret_is_made_once_and_stays() {
        let folder = tempfile::tempdir().unwrap();
        let place = place(folder.path());
        assert_eq!(place.release_secret().unwrap(), None);
        let secret = place.make_release_secret().unwrap();
        assert_ne!(secret, [0; 32]);
        assert_eq!(place.make_release_secret().unwrap(), secret);
        assert_eq!(place.release_secret().unwrap(), Some(secret));
        assert!(!place.exists(), "a key is no ledger: one that is opened now is new");
        let names: Vec<_> =
            fs::read_dir(place.directory()).unwrap().map(|file| file.unwrap().file_name()).collect();
        assert_eq!(names, ["release.key"], "no draft stays behind");
        let other = tempfile::tempdir().unwrap();
        assert_ne!(self::place(other.path()).make_release_secret().unwrap(), secret);
    }

    #[cfg(unix)]
    #[test]
    fn nobody_else_may_read_the_secret() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let place = place(folder.path());
        place.make_release_secret().unwrap();
        let mode = || fs::metadata(place.release_key()).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(), 0o600);
        fs::set_permissions(place.release_key(), PermissionsExt::from_mode(0o644)).unwrap();
        assert_eq!(place.files_open_to_others(), [place.release_key()]);
        place.release_secret().unwrap();
        assert_eq!(mode(), 0o600);
        assert!(place.files_open_to_others().is_empty());
    }

    /// Specification: a file that is cut or changed is refused, and not replaced by a new key that nobody knows.
    #[test]
    fn a_broken_secret_is_refused_and_kept() {
        let folder = tempfile::tempdir().unwrap();
        let place = place(folder.path());
        place.make_release_secret().unwrap();
        let whole = fs::read_to_string(place.release_key()).unwrap();
        for broken in [&whole[..whole.len() - 2], "", &format!("{whole}\n"), &whole.to_uppercase()] {
            fs::write(place.release_key(), broken).unwrap();
            let error = place.make_release_secret().unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidData);
            assert_eq!(fs::read_to_string(place.release_key()).unwrap(), broken);
        }
    }

    /// Specification: processes that make a key at the same moment end up with the same one.
    #[test]
    fn a_race_has_one_winner() {
        for _ in 0..20 {
            let folder = tempfile::tempdir().unwrap();
            let place = place(folder.path());
            let secrets: Vec<[u8; 32]> = std::thread::scope(|scope| {
                let threads: Vec<_> =
                    (0..4).map(|_| scope.spawn(|| place.make_release_secret().unwrap())).collect();
                threads.into_iter().map(|thread| thread.join().unwrap()).collect()
            });
            assert!(secrets.iter().all(|secret| *secret == secrets[0]));
        }
    }
}
