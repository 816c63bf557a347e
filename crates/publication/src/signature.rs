//! The curator's signature under a release: Ed25519 over its statement, which names every other file.
//!
//! **Guarantee.** A signature that [`PublicKey::verify`] accepts was made with the secret key for exactly these bytes of a
//! `release.json`, and for nothing else: the message begins with words that no other use of the key has, and with the
//! statement's length. The same holds for [`PublicKey::verify_model`] and the bytes of a model file, whose words are others. Verification is strict (no weak keys, no second signature that stands for the same).
//! **Source.** RFC 8032; the strict rules are those of `verify_strict` in ed25519-dalek 2, after Chalkias, Garillot,
//! Nikolaenko, *Taming the many EdDSAs* (2020).
//! **One spelling.** Keys and signatures are text, in lower-case hexadecimal digits and with one line end: any changed
//! byte of their files is a file that is not understood, or another key.
//! **Not covered.** Who holds the key. Compare the fingerprint over a channel of your own.

use std::fmt;
use std::path::PathBuf;

use ed25519_dalek::{Signer, SigningKey, VerifyingKey};
use pointillist_curator::Home;
use pointillist_errors::{Explained, Kind};
use pointillist_ledger::{Digest, OpenError};

/// The signature beside `release.json`.
pub const SIGNATURE_FILE: &str = "release.json.sig";
/// The public key, for whoever has no other copy: it proves that the files belong together, and nothing else.
pub const PUBLIC_KEY_FILE: &str = "release.pub";

const PURPOSE: &str = "pointillist release";
const MODEL_PURPOSE: &str = "pointillist model";
const KEY_LABEL: &str = "pointillist-ed25519:";
const SIGNATURE_LABEL: &str = "pointillist-ed25519-signature:";

/// The key that tells who signed a release.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct PublicKey(VerifyingKey);

/// A signature.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Signature([u8; 64]);

/// The key that signs releases. It is erased from memory when it is dropped.
pub struct ReleaseKey(SigningKey);

/// The digest of a statement, as a publication in the ledger names it.
pub fn statement_digest(statement: &[u8]) -> Digest {
    Digest::of(PURPOSE, &[statement])
}

impl ReleaseKey {
    /// The key of this home, made now where there is none and nothing was published yet.
    ///
    /// # Errors
    /// When something was published and the key is gone, when it cannot be read or written, or the ledger is not safe to
    /// use as it is.
    pub fn of(home: &Home) -> Result<Self, KeyError> {
        if Self::existing(home)?.is_none() && home.reader()?.is_some_and(|it| !it.published().is_empty()) {
            return Err(KeyError::Lost { path: home.place().release_key() });
        }
        Self::new_for(home)
    }

    /// The key of this home, made now where there is none, whatever was published with another.
    ///
    /// # Errors
    /// When it cannot be read or written.
    pub fn new_for(home: &Home) -> Result<Self, KeyError> {
        let place = home.place();
        let secret = place.make_release_secret();
        let secret = secret.map_err(|source| KeyError::File { path: place.release_key(), source })?;
        Ok(Self(SigningKey::from_bytes(&secret)))
    }

    /// The key of this home; nothing where none was made yet.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn existing(home: &Home) -> Result<Option<Self>, KeyError> {
        let place = home.place();
        let secret = place.release_secret();
        let secret = secret.map_err(|source| KeyError::File { path: place.release_key(), source })?;
        Ok(secret.map(|secret| Self(SigningKey::from_bytes(&secret))))
    }

    /// The key that others verify with.
    pub fn public(&self) -> PublicKey {
        PublicKey(self.0.verifying_key())
    }

    /// Signs the bytes of a `release.json`.
    pub fn sign(&self, statement: &[u8]) -> Signature {
        Signature(self.0.sign(&message(PURPOSE, statement)).to_bytes())
    }

    /// Signs the bytes of a model file.
    pub(crate) fn sign_model(&self, bytes: &[u8]) -> Signature {
        Signature(self.0.sign(&message(MODEL_PURPOSE, bytes)).to_bytes())
    }

    /// The two files beside a `release.json` of these bytes, with their names.
    pub fn files(&self, statement: &[u8]) -> [(&'static str, String); 2] {
        [
            (SIGNATURE_FILE, format!("{}\n", self.sign(statement))),
            (PUBLIC_KEY_FILE, format!("{}\n", self.public())),
        ]
    }
}

impl PublicKey {
    /// Reads the text of a key, with or without the line end of a file.
    ///
    /// # Errors
    /// When it is none, or one that fits many signatures.
    pub fn parse(text: &str) -> Result<Self, KeyError> {
        let digits = text.strip_suffix('\n').unwrap_or(text).strip_prefix(KEY_LABEL);
        let bytes = digits.and_then(from_hex).ok_or(KeyError::NoKey)?;
        let key = VerifyingKey::from_bytes(&bytes).map_err(|_| KeyError::NoKey)?;
        if key.is_weak() { Err(KeyError::NoKey) } else { Ok(Self(key)) }
    }

    /// Whether the holder of the secret key has signed these bytes of a `release.json`.
    pub fn verify(&self, statement: &[u8], signature: &Signature) -> bool {
        self.has_signed(&message(PURPOSE, statement), signature)
    }

    /// Whether the holder of the secret key has signed these bytes of a model file.
    pub fn verify_model(&self, bytes: &[u8], signature: &Signature) -> bool {
        self.has_signed(&message(MODEL_PURPOSE, bytes), signature)
    }

    fn has_signed(&self, message: &[u8], signature: &Signature) -> bool {
        let signature = ed25519_dalek::Signature::from_bytes(&signature.0);
        self.0.verify_strict(message, &signature).is_ok()
    }

    /// Something short to compare over a telephone: 128 bits of a hash, in groups of four digits.
    pub fn fingerprint(&self) -> String {
        let digest = Digest::of("pointillist release key", &[self.0.as_bytes()]).to_string();
        let groups: Vec<&str> = (0..8).map(|group| &digest[4 * group..4 * group + 4]).collect();
        groups.join(" ")
    }
}

impl Signature {
    /// Reads the text of a signature file: with its line end, and in one spelling.
    pub fn parse(text: &str) -> Option<Self> {
        text.strip_suffix('\n')?.strip_prefix(SIGNATURE_LABEL).and_then(from_hex).map(Self)
    }
}

fn message(purpose: &str, statement: &[u8]) -> Vec<u8> {
    [purpose.as_bytes(), &(statement.len() as u64).to_be_bytes(), statement].concat()
}

/// Exactly `N` bytes from lower-case digits.
fn from_hex<const N: usize>(text: &str) -> Option<[u8; N]> {
    let is_canonical = text.len() == 2 * N && text.bytes().all(|c| matches!(c, b'0'..=b'9' | b'a'..=b'f'));
    let mut bytes = [0; N];
    for (index, byte) in bytes.iter_mut().enumerate().filter(|_| is_canonical) {
        *byte = u8::from_str_radix(&text[2 * index..2 * index + 2], 16).ok()?;
    }
    is_canonical.then_some(bytes)
}

fn write_hex(out: &mut fmt::Formatter<'_>, bytes: &[u8]) -> fmt::Result {
    bytes.iter().try_for_each(|byte| write!(out, "{byte:02x}"))
}

impl fmt::Display for PublicKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(KEY_LABEL)?;
        write_hex(out, self.0.as_bytes())
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "PublicKey({self})")
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(SIGNATURE_LABEL)?;
        write_hex(out, &self.0)
    }
}

impl fmt::Debug for Signature {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Signature({self})")
    }
}

/// A secret is not for logs.
impl fmt::Debug for ReleaseKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "ReleaseKey({})", self.public())
    }
}

/// A key that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// Some other text.
    #[error("this is no public key of releases")]
    NoKey,
    /// Something was published, and what it was signed with is gone.
    #[error("releases were published from here, but the key that signed them is not in {} any more", path.display())]
    Lost {
        /// Where it should be.
        path: PathBuf,
    },
    /// A file that cannot be read or written.
    #[error("the key in {} cannot be read or written: {source}", path.display())]
    File {
        /// The file of the key.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The ledger is not safe to use as it is.
    #[error(transparent)]
    Ledger(#[from] OpenError),
}

impl Explained for KeyError {
    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::NoKey => {
                "a key is one line that begins with `pointillist-ed25519:`, as the publisher gives it out"
            }
            Self::Lost { .. } => {
                "put the file back from a copy; or make a new key, and tell readers its fingerprint and since when it signs"
            }
            Self::File { .. } => {
                "check the path, its owner and the disk; a damaged key comes back from a copy alone"
            }
            Self::Ledger(error) => return error.hint(),
        };
        Some(hint.to_owned())
    }

    fn kind(&self) -> Kind {
        match self {
            Self::NoKey => Kind::Request,
            Self::Lost { .. } | Self::File { .. } => Kind::Ledger,
            Self::Ledger(error) => error.kind(),
        }
    }
}

#[cfg(test)]
mod tests {
    use pointillist_catalog::Catalog;

    use super::*;

    fn key(secret: u8) -> ReleaseKey {
        ReleaseKey(SigningKey::from_bytes(&[secret; 32]))
    }

    /// Specification: the scheme is that of RFC 8032: its first test vector, whose message is empty, gives its public key
    /// and its signature.
    #[test]
    fn the_scheme_is_that_of_the_standard() {
        let bytes = |text: &str| from_hex::<32>(text).unwrap();
        let secret = bytes("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60");
        let key = SigningKey::from_bytes(&secret);
        let public = bytes("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a");
        assert_eq!(key.verifying_key().as_bytes(), &public);
        let signature = Signature(key.sign(b"").to_bytes()).to_string();
        let expected = "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b";
        assert_eq!(signature, format!("{SIGNATURE_LABEL}{expected}"));
    }

    #[test]
    fn only_these_bytes_are_signed_and_only_by_this_key() {
        let (ours, others) = (key(1), key(2));
        let signature = ours.sign(b"{}\n");
        assert!(ours.public().verify(b"{}\n", &signature));
        assert!(!ours.public().verify(b"{}", &signature));
        assert!(!others.public().verify(b"{}\n", &signature));
        let mut other = signature;
        for bit in 0..512 {
            other.0[bit / 8] ^= 1 << (bit % 8);
            assert!(!ours.public().verify(b"{}\n", &other), "bit {bit}");
            other = signature;
        }
    }

    /// Specification: the bytes alone, or under another purpose, are not what is signed.
    #[test]
    fn a_signature_for_another_purpose_does_not_count() {
        let ours = key(1);
        let statement = b"{}\n";
        let length = 3u64.to_be_bytes();
        for other in [
            statement.to_vec(),
            [b"pointillist release".as_slice(), statement].concat(),
            [b"pointillist receipt".as_slice(), &length, statement].concat(),
        ] {
            let signature = Signature(ours.0.sign(&other).to_bytes());
            assert!(!ours.public().verify(statement, &signature));
        }
        let model = ours.sign_model(statement);
        assert!(ours.public().verify_model(statement, &model) && !ours.public().verify(statement, &model));
        assert!(!ours.public().verify_model(statement, &ours.sign(statement)));
        let whole = [b"pointillist release".as_slice(), &length, statement].concat();
        assert!(ours.public().verify(statement, &Signature(ours.0.sign(&whole).to_bytes())));
    }

    #[test]
    fn keys_and_signatures_have_one_spelling() {
        let [(_, signature), (_, public)] = key(1).files(b"{}\n");
        assert_eq!(PublicKey::parse(&public).unwrap(), key(1).public());
        assert_eq!(PublicKey::parse(public.trim_end()).unwrap(), key(1).public(), "as typed");
        assert_eq!(Signature::parse(&signature), Some(key(1).sign(b"{}\n")));
        let mut spellings = 0;
        for (text, is_key) in [(&public, true), (&signature, false)] {
            for index in 0..text.len() {
                for bit in 0..8 {
                    let mut bytes = text.clone().into_bytes();
                    bytes[index] ^= 1 << bit;
                    let Ok(flipped) = String::from_utf8(bytes) else { continue };
                    let read = match is_key {
                        true => PublicKey::parse(&flipped).ok().map(|key| format!("{key}\n")),
                        false => Signature::parse(&flipped).map(|it| format!("{it}\n")),
                    };
                    if let Some(read) = read {
                        assert_eq!(read, flipped);
                        spellings += 1;
                    }
                }
            }
        }
        assert!(spellings > 50, "some digits become other digits: {spellings}");
        for text in ["", "pointillist-ed25519:", &public.to_uppercase(), &format!(" {public}"), &public[1..]]
        {
            assert!(PublicKey::parse(text).is_err(), "{text}");
        }
    }

    /// Specification: keys that fit signatures of anything are refused: points of small order.
    #[test]
    fn weak_keys_are_refused() {
        for digits in [
            "0100000000000000000000000000000000000000000000000000000000000000",
            "0000000000000000000000000000000000000000000000000000000000000000",
            "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        ] {
            assert!(matches!(PublicKey::parse(&format!("{KEY_LABEL}{digits}")), Err(KeyError::NoKey)));
        }
    }

    #[test]
    fn fingerprints_are_short_and_differ() {
        let fingerprint = key(1).public().fingerprint();
        assert_eq!(fingerprint.len(), 8 * 4 + 7);
        assert_ne!(fingerprint, key(2).public().fingerprint());
        assert!(!format!("{:?}", key(1)).contains("0101"), "a secret is not for logs");
    }

    #[test]
    fn a_home_has_one_key_from_its_first_release_on() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::new(folder.path().to_owned(), Catalog::default());
        assert!(ReleaseKey::existing(&home).unwrap().is_none());
        let public = ReleaseKey::of(&home).unwrap().public();
        assert_eq!(ReleaseKey::of(&home).unwrap().public(), public);
        assert_eq!(ReleaseKey::existing(&home).unwrap().unwrap().public(), public);
        std::fs::write(home.place().release_key(), "something else").unwrap();
        let error = ReleaseKey::of(&home).unwrap_err();
        assert!(matches!(error, KeyError::File { .. }) && error.hint().is_some(), "{error}");
    }
}
