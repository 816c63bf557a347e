//! JSON files that end with the curator's signature of every byte before it.
//!
//! **Guarantee.** Where [`SignatureText::holder`] finds a key, whoever holds it has signed exactly the bytes before the signature, and what
//! comes behind has one spelling. The first member says what kind of file it is, so that no file is taken for one of another kind.

use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::ModelFileError;
use crate::signature::{PublicKey, ReleaseKey, Signature};
use crate::verify::{KeyOrigin, Trusted};

const SIGNATURE: &str = ",\n\"signature\": ";
const END: &str = "\n}\n";

/// The member that is the signature.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SignatureText {
    key: String,
    signature: String,
}

impl SignatureText {
    /// The key in a file, where it has signed everything before it.
    pub(crate) fn holder(&self, text: &str) -> Option<PublicKey> {
        let key = PublicKey::parse(&self.key).ok()?;
        let signature = Signature::parse(&format!("{}\n", self.signature))?;
        let signed = text.strip_suffix(&tail(&key, &signature))?;
        key.verify_model(signed.as_bytes(), &signature).then_some(key)
    }
}

/// All members but the signature, without the end: `start` opens the object with the name of its first member, whose value is the
/// version.
pub(crate) fn body_of(start: &str, version: u64, members: &[(&str, String)]) -> String {
    let lines: Vec<String> = members.iter().map(|(name, value)| format!(",\n\"{name}\": {value}")).collect();
    format!("{start}{version}{}", lines.concat())
}

/// The whole file, signed where there is a key.
pub(crate) fn sealed(body: &str, key: Option<&ReleaseKey>) -> String {
    match key {
        None => format!("{body}{END}"),
        Some(key) => format!("{body}{}", tail(&key.public(), &key.sign_model(body.as_bytes()))),
    }
}

/// What stands behind the signed bytes, in its one spelling.
fn tail(key: &PublicKey, signature: &Signature) -> String {
    format!("{SIGNATURE}{{\"key\":\"{key}\",\"signature\":\"{signature}\"}}{END}")
}

/// Refuses a place that holds something else than such a file, or where nothing can be written. Writes nothing.
pub(crate) fn check_place(path: &Path, start: &str) -> Result<(), ModelFileError> {
    let unwritable = |source| ModelFileError::Unwritable { path: path.to_owned(), source };
    if path.is_file() {
        let found = fs::read(path).map_err(unwritable)?;
        return match found.is_empty() || found.starts_with(start.as_bytes()) {
            true => fs::OpenOptions::new().append(true).open(path).map(|_| ()).map_err(unwritable),
            false => Err(ModelFileError::Foreign { path: path.to_owned() }),
        };
    }
    if !path.exists() {
        fs::write(path, "").and_then(|()| fs::remove_file(path)).map_err(unwritable)?;
    }
    Ok(())
}

/// Whom a file comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelSigner {
    /// Nobody says: it has no signature.
    Nobody,
    /// Whoever holds this key.
    Holder(PublicKey, KeyOrigin),
}

/// Who signed a file, as far as whoever asks trusts somebody. A key that is given must have signed it; the key of a home may be
/// another one.
pub(crate) fn signer(
    signed_by: Option<PublicKey>,
    trusted: Trusted<'_>,
) -> Result<ModelSigner, ModelFileError> {
    let fingerprint = |key: &PublicKey| key.fingerprint();
    match (signed_by, trusted.key) {
        (None, None) => Ok(ModelSigner::Nobody),
        (None, Some(_)) => Err(ModelFileError::Unsigned),
        (Some(found), Some(key)) if found == *key => Ok(ModelSigner::Holder(found, KeyOrigin::Given)),
        (Some(found), Some(key)) => {
            Err(ModelFileError::OtherKey { trusted: fingerprint(key), found: fingerprint(&found) })
        }
        (Some(found), None) => {
            let at_home = match trusted.home {
                Some(home) => ReleaseKey::existing(home)?.is_some_and(|key| key.public() == found),
                None => false,
            };
            let origin = if at_home { KeyOrigin::Home } else { KeyOrigin::Folder };
            Ok(ModelSigner::Holder(found, origin))
        }
    }
}

impl ModelSigner {
    /// In words.
    pub fn words(&self) -> String {
        let Self::Holder(key, origin) = self else {
            return "by nobody: whether it is as it was written cannot be told".to_owned();
        };
        let whose = match origin {
            KeyOrigin::Given => "the key that you named",
            KeyOrigin::Home => "the key of this home",
            KeyOrigin::Folder => "the key in the file, which anybody may have made: compare it",
        };
        format!("whole, and signed by {whose} ({})", key.fingerprint())
    }

    pub(crate) fn to_json(self) -> Value {
        let Self::Holder(key, origin) = self else { return json!({ "by": null, "trusted": false }) };
        let trusted = origin != KeyOrigin::Folder;
        json!({ "by": key.to_string(), "fingerprint": key.fingerprint(), "trusted": trusted })
    }
}
