//! What can go wrong with access, and what to do about it.

use std::io;
use std::path::PathBuf;

use pointillist_errors::{Explained, Kind};

/// A file that is not understood or not safe, or a change that cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum AccessError {
    /// A name that nobody may have.
    #[error("the name `{name}` {complaint}")]
    Name {
        /// The name, as it can be shown.
        name: String,
        /// What is wrong with it.
        complaint: &'static str,
    },
    /// Somebody has this name, or one that differs in case alone.
    #[error("`{name}` may come in already")]
    NameTaken {
        /// The name that is there.
        name: String,
    },
    /// Nobody has this name.
    #[error("nobody of the name `{name}` may come in")]
    NobodyOfThatName {
        /// The name, as it can be shown.
        name: String,
    },
    /// No token has this id.
    #[error("there is no token `{id}`")]
    NoSuchToken {
        /// The id, as it can be shown.
        id: String,
    },
    /// A token for something that its person may not do.
    #[error("`{name}` is {role}, who may not {verb}")]
    NotTheirs {
        /// Whose token.
        name: String,
        /// Their role, with its article.
        role: &'static str,
        /// What the token would be for.
        verb: &'static str,
    },
    /// A password that no client can send.
    #[error("a password has 1 to 1024 bytes, none of them zero")]
    Password,
    /// The operating system gave no random bytes.
    #[error("the operating system gives no random bytes")]
    NoRandomness,
    /// Others than the file's owner can read or write it.
    #[error("`{}` can be read or written by others than its owner", path.display())]
    Readable {
        /// The file.
        path: PathBuf,
    },
    /// A link, a folder or a device.
    #[error("`{}` is not a file of its own", path.display())]
    NotAFile {
        /// The path.
        path: PathBuf,
    },
    /// The file says something that is not understood.
    #[error("`{}` is not an access file: {complaint}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// What is wrong with it; never a value.
        complaint: String,
    },
    /// The file cannot be read or written.
    #[error("`{}` cannot be read or written: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

impl Explained for AccessError {
    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Name { complaint: "is for owners", .. } => "take another name, or make them an owner",
            Self::Name { .. } => "write a name of letters, digits and any of `_-.@`, such as ana@example.org",
            Self::NameTaken { .. } => "give them another password or role, or take another name",
            Self::NobodyOfThatName { .. } => "list who may come in, or add them first",
            Self::NoSuchToken { .. } => "list the tokens: an id is the part between the two `_`",
            Self::NotTheirs { .. } => "leave it out, or make the token for somebody of another role",
            Self::Password => "leave the password out to have one made",
            Self::NoRandomness => return None,
            Self::Readable { .. } => {
                "give it mode 0600, and new passwords and tokens to everybody if others may have read it"
            }
            Self::NotAFile { .. } => "put the file itself there instead of a link",
            Self::Format { .. } => {
                "put back what was there before, or start with an empty file and add everybody again"
            }
            Self::Io { source, .. } if source.kind() == io::ErrorKind::NotFound => "add somebody first",
            Self::Io { .. } => "check that it is on a disk with space, and that you own it",
        };
        Some(hint.to_owned())
    }

    fn kind(&self) -> Kind {
        match self {
            Self::Name { .. } | Self::NameTaken { .. } | Self::NotTheirs { .. } | Self::Password => {
                Kind::Parameter
            }
            Self::NobodyOfThatName { .. } => Kind::UnknownAnalyst,
            Self::NoSuchToken { .. } => Kind::Request,
            Self::NoRandomness | Self::Readable { .. } | Self::NotAFile { .. } => Kind::Environment,
            Self::Format { .. } | Self::Io { .. } => Kind::Environment,
        }
    }
}

/// A token that lets nobody in. Only whoever has the whole token learns more than that it is unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TokenRefusal {
    /// It is no token, or not one of ours.
    #[error("the token is not known")]
    Unknown,
    /// Its time is over.
    #[error("the token has expired")]
    Expired,
    /// It was taken back.
    #[error("the token was revoked")]
    Revoked,
}
