//! What a release says of itself: who is protected, how, at what price, and where it is recorded. All of it is public.

use pointillist_privacy::{EpsilonDelta, Price};

/// What a release says of itself.
#[derive(Clone, Debug, PartialEq)]
pub struct ReleaseFacts {
    /// Its name: a letter, then letters, digits and underscores, all small.
    pub name: String,
    /// What it is, in a line.
    pub title: String,
    /// More about it.
    pub description: Option<String>,
    /// Under which licence it may be used.
    pub licence: Option<String>,
    /// How to cite it.
    pub citation: Option<String>,
    /// Whom to ask.
    pub contact: Option<String>,
    /// Words to find it by.
    pub keywords: Vec<String>,
    /// The day from which on it may be shown to others, `2026-12-01`.
    pub not_before: Option<String>,
    /// The day on which it was made.
    pub released_on: String,
    /// The population whose budget paid.
    pub scope: String,
    /// Who is protected, in words: "everything in `visits` that has one patient_id".
    pub unit: String,
    /// What neighbours are, in words.
    pub neighbours: String,
    /// What it cost, by every account.
    pub accounting: Accounting,
    /// What was measured, one line a measurement.
    pub measured: Vec<Measured>,
    /// The versions of the tables that were read, as the owner calls them.
    pub data: Vec<DataVersion>,
    /// The version of this software.
    pub software: String,
    /// SHA-256 of the plan as it was carried out, in hexadecimal digits.
    pub plan_digest: String,
    /// The plan file, word for word.
    pub plan_text: String,
    /// Where the ledger has it.
    pub receipt: ReceiptRecord,
    /// Earlier releases of the same plan.
    pub earlier: Vec<EarlierRelease>,
    /// Who prepared it and who approved it, where the catalog asks for that.
    pub prepared_by: Option<String>,
    /// Who approved it.
    pub approved_by: Option<String>,
}

/// What a release cost.
#[derive(Clone, Debug, PartialEq)]
pub struct Accounting {
    /// What the ledger took.
    pub charged: Price,
    /// The tight account: the least ε at this δ, rounded up; none for pure budgets.
    pub tight: Option<EpsilonDelta>,
    /// What the ledger's rule makes of what was charged, at the same δ.
    pub by_filter: Option<EpsilonDelta>,
    /// What the parts would have cost one by one, under the filter's rule.
    pub sum_of_parts: Price,
    /// What groups of people are promised.
    pub groups: Vec<GroupLoss>,
    /// How many times less noise there would be if single rows were protected and not people; none where rows are people.
    pub event_level_factor: Option<f64>,
}

/// What a group of people is promised.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GroupLoss {
    /// How many people.
    pub size: u64,
    /// The ε that holds for all of them together.
    pub epsilon: f64,
    /// At this δ.
    pub delta: f64,
}

/// A measurement.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// What was measured, in words.
    pub what: String,
    /// `discrete_gaussian` or `discrete_laplace`.
    pub mechanism: String,
    /// The scale of the noise, rounded up to six digits.
    pub scale: String,
    /// How far one person moves it, in words: groups, rows, and what that makes in the norm of the noise.
    pub sensitivity: String,
    /// Its part of the price.
    pub price: String,
    /// The step of the grid that values are rounded to; `1` for counts.
    pub grid: String,
}

/// The version of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataVersion {
    /// The table.
    pub table: String,
    /// What the owner calls its version; empty where nothing is declared.
    pub version: String,
}

/// Where the ledger has a release.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReceiptRecord {
    /// The number of the payment's record.
    pub seq: u64,
    /// The chain's hash with it included, in hexadecimal digits.
    pub hash: String,
    /// The number of the record that holds the numbers.
    pub release_seq: u64,
    /// The chain's hash with that included.
    pub release_hash: String,
}

/// An earlier release of the same plan.
#[derive(Clone, Debug, PartialEq)]
pub struct EarlierRelease {
    /// The number of its payment's record.
    pub seq: u64,
    /// The day.
    pub released_on: String,
    /// What it cost.
    pub charged: Price,
    /// What this one and all earlier ones cost together.
    pub together: Price,
}
