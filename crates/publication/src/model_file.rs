//! A model as a file: its numbers, what was protected and paid for them, and the curator's signature.
//!
//! **Guarantee.** Everything in the file was released or is public. Its bytes are a function of the statement that asked, of what was
//! recorded for it and of the key: whoever asks again gets the same file. A file that [`ModelFile::read`] takes is as its
//! signer wrote it, where it has a signature at all: the signature is over every byte before it, and what comes behind has one
//! spelling.
//! **Layout.** JSON, one member a line. `signature` is the last one. A copy that was formatted anew has the same numbers and no
//! signature that holds.
//! **Not covered.** Whose key it is: the key in a file shows that nothing was changed after somebody signed it. Compare it with one
//! from elsewhere ([`ModelFile::signer`]). A signature that was taken out is gone: the file is then one that nobody signed.

mod error;
mod predict;

use std::fs;
use std::path::Path;

use pointillist_curator::words::QuoteLine;
use pointillist_curator::{Answer, Mechanism, Quote, QuoteSubject, Reply};
use pointillist_learn::{Model, ModelNumber};
use pointillist_plan::Ownership;
use pointillist_query::model_expression;
use pointillist_render::text::shown;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

pub use self::error::ModelFileError;
pub use self::predict::Predicted;
pub(crate) use self::predict::{places, truth};
use crate::SOFTWARE;
use crate::signature::{PublicKey, ReleaseKey};
use crate::signed_json::{ModelSigner, SignatureText, body_of, check_place, sealed, signer};
use crate::verify::Trusted;

/// The format that is written, and the only one that is read.
const VERSION: u64 = 1;
/// What every file of ours begins with.
const START: &str = "{\n\"pointillist_model\": ";

/// What was protected, how, and at what price.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PrivacyStatement {
    /// The population whose budget paid.
    pub scope: String,
    /// Everything of whom is protected, in words.
    pub protects: String,
    /// How many rows of one person were used at most.
    pub max_contributions: u32,
    /// The tables that were read.
    pub tables: String,
    /// How the numbers were made private.
    pub mechanism: String,
    /// The price, exactly, and in ε at the owner's δ.
    pub cost: Value,
    /// The price in words.
    pub price: String,
    /// What bounding, clamping and lists did to rows.
    pub notes: Vec<String>,
}

/// Where the payment is recorded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelReceipt {
    /// The number of the payment in the owner's ledger; for the owner only.
    pub seq: Option<u64>,
    /// The population.
    pub scope: String,
    /// Who asked.
    pub analyst: String,
}

/// A model with everything that is known of it.
#[derive(Clone, Debug)]
pub struct ModelFile {
    contents: Contents,
    text: String,
    signed_by: Option<PublicKey>,
}

/// The members, in their order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Contents {
    pointillist_model: u64,
    software: String,
    sql: String,
    privacy: PrivacyStatement,
    receipt: ModelReceipt,
    model: Model,
    #[serde(default, skip_serializing)]
    signature: Option<SignatureText>,
}

impl PrivacyStatement {
    /// What is said of an answer that was made of single rows.
    pub(crate) fn new(
        reply: &Reply,
        owner: &Ownership,
        rows_max: u32,
        tables: &str,
        mechanism: &'static str,
    ) -> Option<Self> {
        Some(Self {
            scope: reply.receipt.scope.clone(),
            protects: match owner {
                Ownership::People(unit) => format!("everything of one person, as `{unit}` names them"),
                Ownership::EachRow | Ownership::Nobody => "one row, which counts as a person".to_owned(),
            },
            max_contributions: rows_max,
            tables: tables.to_owned(),
            mechanism: reply.answer.mechanism().map_or(mechanism, Mechanism::name).to_owned(),
            // The account of a reply says what is left, too, which is nobody's business but the asker's.
            cost: serde_json::to_value(reply).ok()?.get("cost").cloned().unwrap_or_default(),
            price: reply.price_words(),
            notes: reply.answer.notes.clone(),
        })
    }

    /// Whom it protects and how many rows of theirs were used, in words.
    pub(crate) fn unit_words(&self) -> String {
        let rows = match self.max_contributions {
            1 => "one row".to_owned(),
            rows => format!("{rows} rows"),
        };
        format!("{}; at most {rows} of theirs", self.protects)
    }
}

impl ModelReceipt {
    pub(crate) fn new(reply: &Reply) -> Self {
        let receipt = &reply.receipt;
        Self { seq: receipt.seq, scope: receipt.scope.clone(), analyst: receipt.analyst.clone() }
    }

    /// What was paid, by whom, and where that is recorded, in words.
    pub(crate) fn paid_words(&self, price: &str) -> String {
        let recorded = self.seq.map(|seq| format!(", record {seq} of the ledger")).unwrap_or_default();
        format!("{price}; by `{}` from `{}`{recorded}", self.analyst, self.scope)
    }
}

impl ModelFile {
    /// The file of a model that was paid for; `None` where the reply has no model. The quote is that of the same statement.
    pub fn new(reply: &Reply, quote: &Quote, sql: &str, key: Option<&ReleaseKey>) -> Option<Self> {
        let model = reply.model.as_deref()?.clone();
        let QuoteSubject::Model(about) = &quote.subject else { return None };
        let contents = Contents {
            pointillist_model: VERSION,
            software: SOFTWARE.to_owned(),
            sql: sql.to_owned(),
            privacy: PrivacyStatement::new(
                reply,
                &about.owner,
                about.rows_max,
                &about.tables,
                about.mechanism,
            )?,
            receipt: ModelReceipt::new(reply),
            model,
            signature: None,
        };
        let body = body(&contents)?;
        Some(Self { contents, text: sealed(&body, key), signed_by: key.map(ReleaseKey::public) })
    }

    /// Reads a file, and whether its own signature holds.
    ///
    /// # Errors
    /// When it cannot be read, is no model of this version, or is not as it was signed.
    pub fn read(path: &Path) -> Result<Self, ModelFileError> {
        let text = fs::read_to_string(path)
            .map_err(|source| ModelFileError::Unreadable { path: path.to_owned(), source })?;
        Self::parse(text)
    }

    /// The same for the text of a file.
    ///
    /// # Errors
    /// As [`ModelFile::read`].
    pub fn parse(text: String) -> Result<Self, ModelFileError> {
        let no_model = |problem: serde_json::Error| ModelFileError::NoModel { problem: problem.to_string() };
        let any: Value = serde_json::from_str(&text).map_err(no_model)?;
        match any.get("pointillist_model") {
            Some(version) if *version == json!(VERSION) => {}
            Some(version) => return Err(ModelFileError::OtherVersion { found: version.to_string() }),
            None => {
                return Err(ModelFileError::NoModel {
                    problem: "it has no member `pointillist_model`".to_owned(),
                });
            }
        }
        let contents: Contents = serde_json::from_str(&text).map_err(no_model)?;
        let signed_by = match &contents.signature {
            None => None,
            Some(signature) => Some(signature.holder(&text).ok_or(ModelFileError::NotSigned)?),
        };
        Ok(Self { contents, text, signed_by })
    }

    /// Refuses a place that holds something else than a model, or where nothing can be written. Writes nothing.
    ///
    /// # Errors
    /// When there is another file, or none can be made.
    pub fn check_place(path: &Path) -> Result<(), ModelFileError> {
        check_place(path, START)
    }

    /// Writes the file, over an earlier model or into a new one.
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

    /// The model.
    pub fn model(&self) -> &Model {
        &self.contents.model
    }

    /// What was protected and paid.
    pub fn privacy(&self) -> &PrivacyStatement {
        &self.contents.privacy
    }

    /// Who signed it, as far as whoever asks trusts somebody. A key that is given must have signed it; the key of a home
    /// may be another one.
    ///
    /// # Errors
    /// When a key is given and did not sign it.
    pub fn signer(&self, trusted: Trusted<'_>) -> Result<ModelSigner, ModelFileError> {
        signer(self.signed_by, trusted)
    }

    /// The model as an expression of SQL over its columns.
    ///
    /// # Errors
    /// When it is no sum of its columns, or has a column of moments, which are not counted in this SQL.
    pub fn sql(&self) -> Result<String, ModelFileError> {
        let family = self.model().recipe().family.name();
        model_expression(self.model())
            .map_err(|problem| ModelFileError::NoSql { family, problem: problem.to_owned() })
    }

    /// The model as a table.
    pub fn table(&self) -> Answer {
        Answer { notes: self.contents.privacy.notes.clone(), ..Answer::of_model(self.model()) }
    }

    /// What it is and what it cost, for people.
    pub fn lines(&self, signer: ModelSigner) -> Vec<QuoteLine> {
        // A stranger may have written the file: what a terminal would obey is spelled out.
        let line = |name, text: String| QuoteLine { name, text: shown(&text) };
        let (recipe, encoding, privacy) = (self.model().recipe(), self.model().encoding(), self.privacy());
        let of = encoding.target().map(|target| format!(" of `{}`", target.name)).unwrap_or_default();
        let columns: Vec<&str> = encoding.columns().iter().map(|column| column.name.as_str()).collect();
        let columns = columns.join(", ");
        vec![
            line("model", format!("{}{of}", recipe.family.about())),
            line("columns", format!("{columns} of {}", privacy.tables)),
            line("unit", privacy.unit_words()),
            line("method", privacy.mechanism.clone()),
            line("price", self.contents.receipt.paid_words(&privacy.price)),
            line("signed", signer.words()),
        ]
    }

    /// What is in the file, and who signed it, for scripts.
    pub fn to_json(&self, signer: ModelSigner) -> Value {
        let mut object = serde_json::to_value(&self.contents).unwrap_or_default();
        if let Value::Object(members) = &mut object {
            members.insert("signed".to_owned(), signer.to_json());
            let numbers = self.model().numbers();
            members.insert("numbers".to_owned(), numbers.iter().map(number_json).collect());
        }
        object
    }
}

fn number_json(number: &ModelNumber) -> Value {
    let interval = number.interval.map(|(lower, upper)| [lower, upper]);
    json!({ "part": number.part, "feature": number.feature, "value": number.value, "interval": interval })
}

/// The rows of a model's table with the largest numbers, as many as can be drawn.
pub fn largest(answer: &Answer, count: usize) -> Answer {
    let place = answer.columns.iter().position(|column| column.name == "value");
    let size = |values: &[Option<pointillist_catalog::Value>]| match place.and_then(|at| values[at].clone()) {
        Some(pointillist_catalog::Value::Number(value)) => value.abs(),
        _ => 0.0,
    };
    let mut answer = answer.clone();
    answer.rows.sort_by(|left, right| size(&right.values).total_cmp(&size(&left.values)));
    answer.rows.truncate(count);
    answer
}

/// All members but the signature, without the end.
fn body(contents: &Contents) -> Option<String> {
    let Contents { pointillist_model, software, sql, privacy, receipt, model, signature: _ } = contents;
    let members = [
        ("software", serde_json::to_string(software).ok()?),
        ("sql", serde_json::to_string(sql).ok()?),
        ("privacy", serde_json::to_string(privacy).ok()?),
        ("receipt", serde_json::to_string(receipt).ok()?),
        ("model", serde_json::to_string(model).ok()?),
    ];
    Some(body_of(START, *pointillist_model, &members))
}
