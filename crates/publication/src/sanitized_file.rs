//! A sanitized table as a file: what was released for it, what was protected and paid, and the curator's signature.
//!
//! **Guarantee.** As for [models](crate::ModelFile): everything in the file was released or is public, and its bytes are a function of
//! the statement, the record and the key. Rows that are made from it ([`SanitizedFile::write_rows`]) are post-processing, and the same
//! every time.
//! **Layout.** JSON, one member a line, `pointillist_table` first and `signature` last.

use std::fs;
use std::io;
use std::path::Path;

use pointillist_curator::words::QuoteLine;
use pointillist_curator::{FittedTable, Quote, QuoteSubject, Reply, SanitizedTable};
use pointillist_query::rows_of_synthesis;
use pointillist_render::decimals::grouped_count;
use pointillist_render::text::shown;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::named_rows::NamedRows;
use crate::signature::{PublicKey, ReleaseKey};
use crate::signed_json::{ModelSigner, SignatureText, body_of, check_place, sealed, signer};
use crate::verify::Trusted;
use crate::{ModelFileError, ModelReceipt, PrivacyStatement, SOFTWARE};

/// The format that is written, and the only one that is read.
const VERSION: u64 = 1;
/// What every file of ours begins with.
const START: &str = "{\n\"pointillist_table\": ";

/// A sanitized table with everything that is known of it.
#[derive(Clone, Debug)]
pub struct SanitizedFile {
    contents: Contents,
    text: String,
    signed_by: Option<PublicKey>,
}

/// The members, in their order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Contents {
    pointillist_table: u64,
    software: String,
    sql: String,
    privacy: PrivacyStatement,
    receipt: ModelReceipt,
    table: SanitizedTable,
    /// Conditions that every made-up row keeps.
    constraints: Vec<String>,
    #[serde(default, skip_serializing)]
    signature: Option<SignatureText>,
}

impl SanitizedFile {
    /// The file of a table that was paid for; `None` where the reply has none. The quote is that of the same statement; what was paid
    /// for values of columns before it is said in words.
    pub fn new(
        reply: &Reply,
        quote: &Quote,
        sql: &str,
        constraints: &[String],
        earned: &[String],
        key: Option<&ReleaseKey>,
    ) -> Option<Self> {
        let table = reply.table.as_deref()?.clone();
        let QuoteSubject::Table(about) = &quote.subject else { return None };
        let mut privacy =
            PrivacyStatement::new(reply, &about.owner, about.rows_max, &about.tables, about.mechanism)?;
        privacy.notes.extend(earned.iter().cloned());
        let contents = Contents {
            pointillist_table: VERSION,
            software: SOFTWARE.to_owned(),
            sql: sql.to_owned(),
            privacy,
            receipt: ModelReceipt::new(reply),
            table,
            constraints: constraints.to_vec(),
            signature: None,
        };
        let body = body(&contents)?;
        Some(Self { contents, text: sealed(&body, key), signed_by: key.map(ReleaseKey::public) })
    }

    /// Reads a file, and whether its own signature holds.
    ///
    /// # Errors
    /// When it cannot be read, is no sanitized table of this version, or is not as it was signed.
    pub fn read(path: &Path) -> Result<Self, ModelFileError> {
        let text = fs::read_to_string(path)
            .map_err(|source| ModelFileError::Unreadable { path: path.to_owned(), source })?;
        Self::parse(text)
    }

    /// The same for the text of a file.
    ///
    /// # Errors
    /// As [`SanitizedFile::read`].
    pub fn parse(text: String) -> Result<Self, ModelFileError> {
        let no_table = |problem: serde_json::Error| ModelFileError::NoModel { problem: problem.to_string() };
        let any: Value = serde_json::from_str(&text).map_err(no_table)?;
        match any.get("pointillist_table") {
            Some(version) if *version == json!(VERSION) => {}
            Some(version) => return Err(ModelFileError::OtherVersion { found: version.to_string() }),
            None => {
                let problem =
                    "it has no member `pointillist_table`, which `pointillist synth fit` writes".to_owned();
                return Err(ModelFileError::NoModel { problem });
            }
        }
        let contents: Contents = serde_json::from_str(&text).map_err(no_table)?;
        let signed_by = match &contents.signature {
            None => None,
            Some(signature) => Some(signature.holder(&text).ok_or(ModelFileError::NotSigned)?),
        };
        Ok(Self { contents, text, signed_by })
    }

    /// Refuses a place that holds something else, or where nothing can be written. Writes nothing.
    ///
    /// # Errors
    /// When there is another file, or none can be made.
    pub fn check_place(path: &Path) -> Result<(), ModelFileError> {
        check_place(path, START)
    }

    /// Writes the file, over an earlier one or into a new one.
    ///
    /// # Errors
    /// When there is another file, or it cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), ModelFileError> {
        Self::check_place(path)?;
        fs::write(path, &self.text)
            .map_err(|source| ModelFileError::Unwritable { path: path.to_owned(), source })
    }

    /// The whole file.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The statement that asked for it.
    pub fn sql(&self) -> &str {
        &self.contents.sql
    }

    /// The statement of the rows that it was made of.
    pub fn rows_statement(&self) -> Option<String> {
        rows_of_synthesis(self.sql())
    }

    /// What was released.
    pub fn table(&self) -> &SanitizedTable {
        &self.contents.table
    }

    /// What was protected and paid.
    pub fn privacy(&self) -> &PrivacyStatement {
        &self.contents.privacy
    }

    /// Where the payment is recorded.
    pub fn receipt(&self) -> &ModelReceipt {
        &self.contents.receipt
    }

    /// The table that rows are drawn from.
    ///
    /// # Errors
    /// When the numbers in the file are not of its columns.
    pub fn fitted(&self) -> Result<FittedTable, ModelFileError> {
        let problem = |problem: String| ModelFileError::NoModel { problem };
        let fitted = self.table().fitted().map_err(|error| problem(error.to_string()))?;
        fitted.constrained(&self.contents.constraints).map_err(|refusal| problem(refusal.to_string()))
    }

    /// Who signed it, as far as whoever asks trusts somebody.
    ///
    /// # Errors
    /// When a key is given and did not sign it.
    pub fn signer(&self, trusted: Trusted<'_>) -> Result<ModelSigner, ModelFileError> {
        signer(self.signed_by, trusted)
    }

    /// Writes made-up rows, Parquet where the name of the file says so, CSV otherwise; and says how many there are.
    ///
    /// # Errors
    /// When the file exists or cannot be written.
    pub fn write_rows(path: &Path, fitted: &FittedTable, rows: Option<u64>) -> Result<usize, ModelFileError> {
        let failed = || {
            let source = io::Error::other("the rows are no table");
            ModelFileError::Unwritable { path: path.to_owned(), source }
        };
        let rows = NamedRows::of(fitted, rows).ok_or_else(failed)?;
        rows.write(path).map(|()| rows.count())
    }

    /// What it is and what it cost, for people.
    pub fn lines(&self, signer: ModelSigner, fitted: &FittedTable) -> Vec<QuoteLine> {
        // A stranger may have written the file: what a terminal would obey is spelled out.
        let line = |name, text: String| QuoteLine { name, text: shown(&text) };
        let (table, privacy) = (self.table(), self.privacy());
        let columns: Vec<&str> = table.columns().iter().map(|column| column.name.as_str()).collect();
        let sets = fitted.model().of_bins().measured_sets();
        let largest: Vec<String> = sets
            .iter()
            .filter(|set| set.len() > 1)
            .map(|set| set.iter().map(|at| columns[*at]).collect::<Vec<_>>().join(" × "))
            .collect();
        let together = match largest.is_empty() {
            true => "nothing: every column is alone".to_owned(),
            false => largest.join(", "),
        };
        vec![
            line(
                "table",
                format!("{} made-up rows: {}", grouped_count(fitted.row_count()), columns.join(", ")),
            ),
            line("of", privacy.tables.clone()),
            line("unit", privacy.unit_words()),
            line("method", format!("{}: {}", table.recipe().recipe.method, privacy.mechanism)),
            line("counted", together),
            line(
                "kept",
                match self.contents.constraints.as_slice() {
                    [] => "no constraint".to_owned(),
                    constraints => constraints.join("; "),
                },
            ),
            line("price", self.contents.receipt.paid_words(&privacy.price)),
            line("signed", signer.words()),
        ]
    }

    /// What is in the file but for its numbers, and who signed it, for scripts.
    pub fn to_json(&self, signer: ModelSigner, fitted: &FittedTable) -> Value {
        let contents = &self.contents;
        json!({
            "sql": contents.sql, "privacy": contents.privacy, "receipt": contents.receipt,
            "recipe": contents.table.recipe(), "columns": contents.table.columns(), "rows": fitted.row_count(),
            "constraints": contents.constraints,
            "measured": fitted.model().of_bins().measured_sets(), "signed": signer.to_json(),
        })
    }
}

/// All members but the signature, without the end.
fn body(contents: &Contents) -> Option<String> {
    let Contents { pointillist_table, software, sql, privacy, receipt, table, constraints, signature: _ } =
        contents;
    let members = [
        ("software", serde_json::to_string(software).ok()?),
        ("sql", serde_json::to_string(sql).ok()?),
        ("privacy", serde_json::to_string(privacy).ok()?),
        ("receipt", serde_json::to_string(receipt).ok()?),
        ("table", serde_json::to_string(table).ok()?),
        ("constraints", serde_json::to_string(constraints).ok()?),
    ];
    Some(body_of(START, *pointillist_table, &members))
}
