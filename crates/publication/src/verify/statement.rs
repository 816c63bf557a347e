//! What a verifier reads of a `release.json`. Anything that is missing, twice there or of another kind is refused.

use std::collections::BTreeSet;

use pointillist_ledger::Digest;
use pointillist_privacy::{Amount, Currency, Price};
use serde_json::Value;

use super::VerifyError;
use super::folder::is_plain_name;
use crate::STATEMENT;
use crate::signature::{PUBLIC_KEY_FILE, SIGNATURE_FILE};

const FORMAT: &str = "pointillist-release-1";

/// What a release says of itself, as far as it can be compared with something.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// The name of the release.
    pub name: String,
    /// The plan that was carried out.
    pub plan: Digest,
    /// The day before which it is not to be shown.
    pub not_before: Option<String>,
    /// The population whose budget paid.
    pub scope: String,
    /// What the ledger took.
    pub charged: Price,
    /// The number of the payment's record, and the chain's hash with it included.
    pub paid: (u64, Digest),
    /// The number of the record that holds the numbers, and the chain's hash with it included.
    pub released: (u64, Digest),
    /// Every other file but the signature and the key.
    pub files: Vec<ListedFile>,
    /// The whole statement, for whoever compares more of it.
    pub json: Value,
}

/// A file that a statement names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedFile {
    /// Its name in the folder.
    pub path: String,
    /// How many bytes it has.
    pub bytes: u64,
    /// Their SHA-256.
    pub sha256: [u8; 32],
}

impl Statement {
    /// Reads the bytes of a `release.json`.
    ///
    /// # Errors
    /// When they are not a statement of this version.
    pub fn read(bytes: &[u8]) -> Result<Self, VerifyError> {
        let json: Value = serde_json::from_slice(bytes).map_err(|_| problem("it is no JSON"))?;
        if json["format"] != FORMAT {
            return Err(problem(format!("its format is not `{FORMAT}`")));
        }
        let files = json["files"].as_array().ok_or_else(|| problem("`files` is no list"))?;
        let files = files.iter().map(listed).collect::<Result<Vec<_>, _>>()?;
        // Two names that differ in case alone are one file on some disks.
        let names: BTreeSet<String> = files.iter().map(|file| file.path.to_lowercase()).collect();
        if names.len() != files.len() {
            return Err(problem("it names a file twice"));
        }
        let not_before = match &json["not_before"] {
            Value::Null => None,
            day => Some(text(day, "not_before")?),
        };
        let receipt = &json["receipt"];
        Ok(Self {
            name: text(&json["name"], "name")?,
            plan: digest(&json["plan_digest"], "plan_digest")?,
            not_before,
            scope: text(&json["protection"]["scope"], "protection.scope")?,
            charged: price(&json["charged"])?,
            paid: (number(&receipt["seq"], "receipt.seq")?, digest(&receipt["hash"], "receipt.hash")?),
            released: (
                number(&receipt["release_seq"], "receipt.release_seq")?,
                digest(&receipt["release_hash"], "receipt.release_hash")?,
            ),
            files,
            json,
        })
    }
}

fn listed(file: &Value) -> Result<ListedFile, VerifyError> {
    let path = text(&file["path"], "path")?;
    let own = [STATEMENT, SIGNATURE_FILE, PUBLIC_KEY_FILE];
    if !is_plain_name(&path) || own.contains(&path.to_lowercase().as_str()) {
        return Err(problem("it names a file that is no plain name within its folder"));
    }
    let Digest(sha256) = digest(&file["sha256"], "sha256")?;
    Ok(ListedFile { path, bytes: number(&file["bytes"], "bytes")?, sha256 })
}

fn price(charged: &Value) -> Result<Price, VerifyError> {
    let currency = match charged["currency"].as_str() {
        Some("rho") => Currency::Zcdp,
        Some("epsilon") => Currency::Pure,
        _ => return Err(problem("`charged` names no currency")),
    };
    let units = |key: &str| {
        let units = charged[key].as_str().and_then(|digits| digits.parse::<u128>().ok());
        units.ok_or_else(|| problem(format!("`charged.{key}` is no number of units in text")))
    };
    let amount = Amount { loss_units: units("loss_units")?, delta_units: units("delta_units")? };
    Price::from_units(currency, amount).ok_or_else(|| problem("it costs nothing"))
}

fn text(value: &Value, key: &str) -> Result<String, VerifyError> {
    value.as_str().map(str::to_owned).ok_or_else(|| problem(format!("`{key}` is no text")))
}

fn number(value: &Value, key: &str) -> Result<u64, VerifyError> {
    value.as_u64().ok_or_else(|| problem(format!("`{key}` is no whole number")))
}

fn digest(value: &Value, key: &str) -> Result<Digest, VerifyError> {
    let digest = value.as_str().and_then(Digest::from_hex);
    digest.ok_or_else(|| problem(format!("`{key}` is no digest")))
}

fn problem(problem: impl Into<String>) -> VerifyError {
    VerifyError::NoStatement { problem: problem.into() }
}
