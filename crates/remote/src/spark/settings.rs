//! What a session is set to, and read back before anybody pays.
//!
//! **Guarantee.** Whatever the cluster has as its defaults, a statement runs under these values: moments are in UTC, names and
//! texts are compared letter by letter, files of old calendars are read as they are, a damaged file is left out, as the reader
//! of files in this process does, and nothing of Spark's older behaviours is switched on. Each is read back, twice: when the
//! session begins and when a statement is planned. One that did not stay refuses the question.
//!
//! What only the cluster's owner can set (event logs, the web pages of jobs) is the owner's: it shows plans and how many rows went where.

use pointillist_spark::Session;

use super::Refusal;

/// The oldest version with `TIMESTAMP_NTZ`, typed parameters, and tables that describe themselves.
const VERSION_MIN: u64 = 4;

const ANSI: &str = "spark.sql.ansi.enabled";

const FIXED: [(&str, &str); 19] = [
    ("spark.sql.session.timeZone", "UTC"),
    ("spark.sql.timestampType", "TIMESTAMP_NTZ"),
    ("spark.sql.caseSensitive", "true"),
    // Words and names mean what the lowering writes.
    ("spark.sql.parser.escapedStringLiterals", "false"),
    ("spark.sql.ansi.doubleQuotedIdentifiers", "false"),
    ("spark.sql.ansi.enforceReservedKeywords", "false"),
    ("spark.sql.decimalOperations.allowPrecisionLoss", "true"),
    // A day before 1582 in a file is read as it stands there, and does not fail.
    ("spark.sql.parquet.datetimeRebaseModeInRead", "CORRECTED"),
    ("spark.sql.parquet.int96RebaseModeInRead", "CORRECTED"),
    ("spark.sql.avro.datetimeRebaseModeInRead", "CORRECTED"),
    ("spark.sql.parquet.inferTimestampNTZ.enabled", "true"),
    // A file that cannot be read is no answer: left out, it would be left out of one attempt at a stage and not of the next, and
    // a person could have groups of both.
    ("spark.sql.files.ignoreCorruptFiles", "false"),
    ("spark.sql.files.ignoreMissingFiles", "false"),
    // A table named by files is files.
    ("spark.sql.runSQLOnFiles", "true"),
    ("spark.sql.orc.impl", "native"),
    ("spark.sql.crossJoin.enabled", "true"),
    ("spark.sql.execution.arrow.useLargeVarTypes", "false"),
    // Plans in logs and on pages of the cluster do not show what a question was given.
    ("spark.sql.redaction.string.regex", "(?s).*"),
    ("spark.sql.maxPlanStringLength", "1000"),
];

/// Older behaviours of Spark.
const LEGACY: &str = "spark.sql.legacy.";

/// Makes the settings of a fresh session, and reads them back.
pub(super) fn make(session: &Session, ansi: bool) -> Result<(), Refusal> {
    let version = session.version().map_err(Refusal::of_call)?;
    let major = version.split('.').next().and_then(|number| number.parse().ok()).unwrap_or(0);
    if major < VERSION_MIN {
        return Err(Refusal::Version { version });
    }
    if session.configure(&all(ansi)).is_err() {
        // One by one, so that it is said which.
        for (name, value) in all(ansi) {
            session.configure(&[(name, value)]).map_err(|error| Refusal::of_setting(error, name))?;
        }
    }
    confirm(session, ansi)
}

/// Reads everything back.
pub(super) fn confirm(session: &Session, ansi: bool) -> Result<(), Refusal> {
    let expected = all(ansi);
    let names: Vec<&str> = expected.iter().map(|(name, _)| *name).collect();
    let found = session.settings_of(&names).map_err(Refusal::of_call)?;
    for ((name, value), found) in expected.into_iter().zip(found) {
        if found.as_deref() != Some(value) {
            return Err(Refusal::Setting { name: name.to_owned() });
        }
    }
    match session.settings(LEGACY).map_err(Refusal::of_call)?.into_iter().next() {
        None => Ok(()),
        Some((name, _)) => {
            let name = name.strip_prefix(LEGACY).unwrap_or(&name);
            Err(Refusal::Setting { name: format!("{LEGACY}{name}") })
        }
    }
}

fn all(ansi: bool) -> Vec<(&'static str, &'static str)> {
    FIXED.into_iter().chain([(ANSI, if ansi { "true" } else { "false" })]).collect()
}
