//! Why a release is not verified, and what to do about it.

use std::path::PathBuf;

use pointillist_errors::{Explained, Kind};
use pointillist_ledger::OpenError;
use pointillist_render::text::shown;

use crate::KeyError;

/// A release that is not what was signed and recorded, or of which nobody can tell.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    /// A folder or a file that cannot be read.
    #[error("{} cannot be read: {source}", path.display())]
    Unreadable {
        /// The folder or the file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A file that should be there.
    #[error("`{}` is missing", shown(path))]
    Missing {
        /// Its name in the folder.
        path: String,
    },
    /// A file that nobody has signed.
    #[error("`{}` is not part of the release", shown(path))]
    Extra {
        /// Its name in the folder.
        path: String,
    },
    /// A link, a device or the like: what it shows may change.
    #[error("`{}` is no plain file", shown(path))]
    NoPlainFile {
        /// Its name in the folder.
        path: String,
    },
    /// Other bytes than those that were signed.
    #[error("`{}` is not the file that was signed", shown(path))]
    Changed {
        /// Its name in the folder.
        path: String,
    },
    /// Somebody else's release.
    #[error("the release was signed by the key {found}, and not by the trusted key {trusted}")]
    OtherKey {
        /// The fingerprint of the trusted key.
        trusted: String,
        /// The fingerprint of the key in the folder.
        found: String,
    },
    /// Signed by nobody whom the reader trusts.
    #[error("not verified: the files belong together, but anybody can sign with a key of their own")]
    SelfSigned {
        /// The fingerprint of the key in the folder.
        found: String,
    },
    /// A signature of something else.
    #[error("the signature is not one of this release.json by this key")]
    NotSigned,
    /// A statement that is signed, and yet none.
    #[error("release.json is not a statement that this version understands: {problem}")]
    NoStatement {
        /// What is wrong with it.
        problem: String,
    },
    /// A home that signs nothing.
    #[error("this home has no key that signs releases")]
    NoHomeKey,
    /// Nobody has paid.
    #[error("this home has no ledger, so that nothing was paid for here")]
    NoLedger,
    /// Not what the ledger says.
    #[error("the ledger does not have this release: {problem}")]
    NotInLedger {
        /// What it has in its place.
        problem: &'static str,
    },
    /// Not what was released.
    #[error("`{}` does not hold the numbers that the ledger has recorded", shown(path))]
    OtherNumbers {
        /// Its name in the folder.
        path: String,
    },
    /// The ledger is not safe to use as it is.
    #[error(transparent)]
    Ledger(#[from] OpenError),
    /// A key that cannot be used.
    #[error(transparent)]
    Key(#[from] KeyError),
}

impl Explained for VerifyError {
    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Unreadable { .. } => "name the folder of a release, with release.json in it",
            Self::Missing { .. } | Self::Changed { .. } | Self::NotSigned => {
                "do not use it: get the release again from its publisher"
            }
            Self::Extra { .. } | Self::NoPlainFile { .. } => {
                "verify a copy that holds the publisher's files and nothing else"
            }
            Self::OtherKey { .. } => {
                "do not use it unless the publisher tells you, over another channel, that this key is theirs"
            }
            Self::SelfSigned { found } => {
                return Some(format!(
                    "compare the fingerprint {found} with the publisher's, or name their key"
                ));
            }
            Self::NoStatement { .. } => "verify it with the version that wrote it, or a newer one",
            Self::NoHomeKey | Self::NoLedger => {
                "name the publisher's key, or the home that the release comes from"
            }
            Self::NotInLedger { .. } => {
                "verify it with the home that it comes from; if this is it, do not use it"
            }
            Self::OtherNumbers { .. } => "do not use it, and tell the publisher",
            Self::Ledger(error) => return error.hint(),
            Self::Key(error) => return error.hint(),
        };
        Some(hint.to_owned())
    }

    fn kind(&self) -> Kind {
        match self {
            Self::Unreadable { .. } | Self::NoHomeKey => Kind::Request,
            Self::Ledger(error) => error.kind(),
            Self::Key(error) => error.kind(),
            _ => Kind::Unverified,
        }
    }
}
