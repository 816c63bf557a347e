//! Whether a folder is the release that was signed, and whether the ledger paid for it.
//!
//! **Guarantee.** A release that is [verified](Verdict::is_verified) has a `release.json` that the holder of the trusted
//! key has signed byte for byte, exactly the files that it names, each with the digest that it names, and nothing else. With a home,
//! the ledger is whole and not behind its anchor, and it has the payment at that price, the record of the numbers, and the
//! publication of exactly this statement; and where the catalog is still about the same data, every table is made again
//! from the ledger's record and compared.
//! **Alone.** Without a key that the reader has from elsewhere, the key in the folder shows that the files belong together:
//! whoever changed all of them could have put their own key beside them. That is never called verified.
//! **Offline.** With a public key nothing else is needed: no ledger, no catalog, no network.
//! **Not covered.** Files that change while they are read.

mod error;
mod folder;
mod ledger;
mod numbers;
mod statement;
#[cfg(test)]
mod tests;

use std::path::Path;

use pointillist_curator::Home;
use pointillist_render::text::shown;
use serde_json::{Value, json};

use crate::STATEMENT;
use crate::sanitized_release::rows_are_of_their_numbers;
use crate::signature::{PUBLIC_KEY_FILE, PublicKey, ReleaseKey, SIGNATURE_FILE, Signature};

pub use error::VerifyError;
pub use ledger::InLedger;
pub use numbers::NumbersCheck;
pub use statement::{ListedFile, Statement};

/// What to verify a release with.
#[derive(Clone, Copy, Default)]
pub struct Trusted<'t> {
    /// The publisher's key, as the reader has it from elsewhere.
    pub key: Option<&'t PublicKey>,
    /// The home whose ledger paid; its key is trusted where no other is given.
    pub home: Option<&'t Home>,
}

/// Where the key that fits comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyOrigin {
    /// The reader has named it.
    Given,
    /// It is the key of the home.
    Home,
    /// It lies in the folder that is to be verified.
    Folder,
}

/// A release whose files belong together.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// What the release says of itself.
    pub statement: Statement,
    /// The key that signed it.
    pub key: PublicKey,
    /// Where that key comes from.
    pub key_origin: KeyOrigin,
    /// Where the ledger has it; nothing where no home was named.
    pub in_ledger: Option<InLedger>,
    /// Whether the numbers are the ledger's; nothing where no home was named.
    pub numbers: Option<NumbersCheck>,
}

impl Verdict {
    /// Whether the release comes from whom the reader trusts, and not only from one person.
    pub fn is_verified(&self) -> bool {
        self.key_origin != KeyOrigin::Folder
    }

    /// Whether it is verified, for whoever goes on only if it is.
    ///
    /// # Errors
    /// When only the key in the folder fits.
    pub fn require_trust(&self) -> Result<(), VerifyError> {
        let found = || self.key.fingerprint();
        if self.is_verified() { Ok(()) } else { Err(VerifyError::SelfSigned { found: found() }) }
    }

    /// What was found, for scripts.
    pub fn to_json(&self) -> Value {
        let (release, fingerprint) = (&self.statement.name, self.key.fingerprint());
        let verified = self.is_verified();
        json!({ "release": release, "verified": verified, "fingerprint": fingerprint, "found": self.lines() })
    }

    /// What was found, a line each, for people.
    pub fn lines(&self) -> Vec<String> {
        let fingerprint = self.key.fingerprint();
        let whose = match self.key_origin {
            KeyOrigin::Given => "the key that you named",
            KeyOrigin::Home => "the key of this home",
            KeyOrigin::Folder => "the key in the folder",
        };
        let files = self.statement.files.len();
        let mut lines = vec![
            format!("release.json is signed by {whose} ({fingerprint})"),
            format!("{files} files have the digests that it names, and there is no other"),
        ];
        if let Some(found) = &self.in_ledger {
            let (paid, published) = (found.reserve_seq, found.publication_seq);
            lines.push("the ledger is whole, and not behind its anchor".to_owned());
            lines.push(format!("it was paid for in record {paid} and published in record {published}"));
        }
        match &self.numbers {
            None => {}
            Some(NumbersCheck::Same) => {
                lines.push("the published numbers are those of the ledger".to_owned())
            }
            Some(NumbersCheck::NotCompared(why)) => {
                lines.push(format!(
                    "the published numbers were not compared with the ledger's: {}",
                    shown(why)
                ));
            }
        }
        lines
    }
}

/// Verifies the release in a folder.
///
/// # Errors
/// With the first thing that is not as it was signed or recorded.
pub fn verify(folder: &Path, trusted: Trusted<'_>) -> Result<Verdict, VerifyError> {
    let found = folder::list(folder)?;
    for name in [STATEMENT, SIGNATURE_FILE, PUBLIC_KEY_FILE] {
        if !found.contains_key(name) {
            return Err(VerifyError::Missing { path: name.to_owned() });
        }
    }
    let bytes = folder::read(folder, STATEMENT)?;
    let (key, key_origin) = signer(folder, &bytes, trusted)?;
    // Only what is signed is read any further.
    let statement = Statement::read(&bytes)?;
    folder::compare(folder, &found, &statement.files)?;
    let (mut in_ledger, mut numbers) = (None, None);
    if let Some(home) = trusted.home {
        let reader = home.reader()?.ok_or(VerifyError::NoLedger)?;
        in_ledger = Some(ledger::find(&statement, &bytes, &reader)?);
        numbers = Some(match rows_are_of_their_numbers(&statement, folder) {
            Some(true) => NumbersCheck::NotCompared(
                "the rows are those of the signed counts beside them, which the ledger's record was not opened for".to_owned(),
            ),
            Some(false) => return Err(VerifyError::OtherNumbers { path: STATEMENT.to_owned() }),
            None => numbers::compare(&statement, home)?,
        });
    }
    Ok(Verdict { statement, key, key_origin, in_ledger, numbers })
}

/// The key that has signed the statement, and where it comes from.
fn signer(
    folder: &Path,
    statement: &[u8],
    trusted: Trusted<'_>,
) -> Result<(PublicKey, KeyOrigin), VerifyError> {
    let changed = |name: &str| VerifyError::Changed { path: name.to_owned() };
    let text = |name| String::from_utf8(folder::read(folder, name)?).map_err(|_| changed(name));
    let signature = Signature::parse(&text(SIGNATURE_FILE)?).ok_or_else(|| changed(SIGNATURE_FILE))?;
    let public = text(PUBLIC_KEY_FILE)?;
    let in_folder = PublicKey::parse(&public).ok().filter(|_| public.ends_with('\n'));
    let in_folder = in_folder.ok_or_else(|| changed(PUBLIC_KEY_FILE))?;
    let (key, origin) = match (trusted.key, trusted.home) {
        (Some(key), _) => (*key, KeyOrigin::Given),
        (None, Some(home)) => {
            let key = ReleaseKey::existing(home)?.ok_or(VerifyError::NoHomeKey)?;
            (key.public(), KeyOrigin::Home)
        }
        (None, None) => (in_folder, KeyOrigin::Folder),
    };
    if key != in_folder {
        let [trusted, found] = [key, in_folder].map(|key| key.fingerprint());
        return Err(VerifyError::OtherKey { trusted, found });
    }
    match key.verify(statement, &signature) {
        true => Ok((key, origin)),
        false => Err(VerifyError::NotSigned),
    }
}
