//! The settings that exist: names, first values, and what each may be.

/// A setting.
pub(super) struct Setting {
    /// As PostgreSQL spells it.
    pub name: &'static str,
    /// With which a session starts.
    pub value: &'static str,
    /// What it may be.
    pub rule: Rule,
    /// Whether clients are told of it when they connect and when it changes.
    pub is_reported: bool,
    /// The words of `pg_settings` about it.
    pub about: &'static str,
}

/// What a setting may be.
#[derive(Clone, Copy)]
pub(super) enum Rule {
    /// Nothing else than it is: it cannot be set.
    Fixed,
    /// `on` or `off`.
    Switch,
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// A whole number between two.
    Number(i64, i64),
    /// A length of time, in milliseconds where no unit is given.
    Duration,
    /// Any text.
    Text,
    /// The name of a program: printable ASCII.
    ProgramName,
    /// UTF-8 in any of its spellings.
    Encoding,
    /// ISO, and an order of days and months.
    DateStyle,
    /// The name of a time zone.
    TimeZone,
}

const ISOLATION: Rule =
    Rule::OneOf(&["read committed", "read uncommitted", "repeatable read", "serializable"]);
const LEVELS: Rule = Rule::OneOf(&[
    "notice", "debug5", "debug4", "debug3", "debug2", "debug1", "debug", "log", "info", "warning", "error",
]);

const fn reported(name: &'static str, value: &'static str, rule: Rule, about: &'static str) -> Setting {
    Setting { name, value, rule, is_reported: true, about }
}

const fn quiet(name: &'static str, value: &'static str, rule: Rule, about: &'static str) -> Setting {
    Setting { name, value, rule, is_reported: false, about }
}

/// Which PostgreSQL clients are to expect, and who we are. A higher one makes them ask for newer columns.
pub(super) const VERSION: &str =
    concat!("15.0 (Pointillist ", env!("CARGO_PKG_VERSION_MAJOR"), ".", env!("CARGO_PKG_VERSION_MINOR"), ")");

/// All of them, by name without case.
pub(super) const SETTINGS: &[Setting] = &[
    reported("application_name", "", Rule::ProgramName, "the program that asks"),
    quiet("array_nulls", "on", Rule::Switch, "whether NULL in an array is NULL"),
    quiet("backslash_quote", "safe_encoding", Rule::Text, "whether \\' is a quote"),
    quiet("block_size", "8192", Rule::Fixed, "bytes of a page in PostgreSQL"),
    quiet("bytea_output", "hex", Rule::OneOf(&["hex"]), "how bytes are written"),
    quiet("check_function_bodies", "on", Rule::Switch, "of no use here"),
    reported("client_encoding", "UTF8", Rule::Encoding, "the encoding of texts"),
    quiet("client_min_messages", "notice", LEVELS, "which notices are sent"),
    reported("DateStyle", "ISO, MDY", Rule::DateStyle, "how days are written"),
    quiet("default_table_access_method", "heap", Rule::Text, "of no use here"),
    quiet("default_tablespace", "", Rule::Text, "of no use here"),
    quiet("default_text_search_config", "pg_catalog.simple", Rule::Text, "of no use here"),
    quiet("default_transaction_deferrable", "off", Rule::Switch, "of no use here"),
    quiet("default_transaction_isolation", "read committed", ISOLATION, "isolation of new transactions"),
    reported("default_transaction_read_only", "off", Rule::Switch, "whether new transactions only read"),
    quiet("escape_string_warning", "on", Rule::Switch, "of no use here"),
    quiet("extra_float_digits", "1", Rule::Number(-15, 3), "digits of floats; the shortest exact ones here"),
    quiet("idle_in_transaction_session_timeout", "0", Rule::Duration, "how long a transaction may be idle"),
    quiet("idle_session_timeout", "0", Rule::Duration, "how long a session may be idle"),
    reported("in_hot_standby", "off", Rule::Fixed, "whether this is a standby"),
    reported("integer_datetimes", "on", Rule::Fixed, "whether moments are whole numbers"),
    reported("IntervalStyle", "postgres", Rule::OneOf(&["postgres"]), "how lengths of time are written"),
    reported("is_superuser", "off", Rule::Fixed, "nobody is"),
    quiet("jit", "off", Rule::Switch, "of no use here"),
    quiet("lc_collate", "C", Rule::Fixed, "the order of texts"),
    quiet("lc_ctype", "C", Rule::Fixed, "the kinds of letters"),
    quiet("lc_messages", "C", Rule::Text, "the language of messages"),
    quiet("lc_monetary", "C", Rule::Text, "of no use here"),
    quiet("lc_numeric", "C", Rule::Text, "of no use here"),
    quiet("lc_time", "C", Rule::Text, "of no use here"),
    quiet("lock_timeout", "0", Rule::Duration, "how long to wait for a lock; there is none"),
    quiet("max_function_args", "100", Rule::Fixed, "arguments of a function in PostgreSQL"),
    quiet("max_identifier_length", "63", Rule::Fixed, "bytes of a name"),
    quiet("max_index_keys", "32", Rule::Fixed, "columns of a key in PostgreSQL"),
    quiet("password_encryption", "scram-sha-256", Rule::Fixed, "how passwords are kept"),
    quiet("plan_cache_mode", "auto", Rule::Text, "of no use here"),
    quiet("quote_all_identifiers", "off", Rule::Switch, "of no use here"),
    quiet("role", "none", Rule::OneOf(&["none"]), "another role; there is none"),
    quiet("row_security", "on", Rule::Switch, "of no use here"),
    quiet("search_path", "\"$user\", public", Rule::Text, "schemas in which names are looked up"),
    reported("server_encoding", "UTF8", Rule::Fixed, "the encoding of texts"),
    reported("server_version", VERSION, Rule::Fixed, "the PostgreSQL that clients may expect"),
    quiet("server_version_num", "150000", Rule::Fixed, "the same as a number"),
    reported("session_authorization", "", Rule::Fixed, "who asks"),
    reported("standard_conforming_strings", "on", Rule::OneOf(&["on"]), "a backslash is a backslash"),
    quiet("statement_timeout", "0", Rule::Duration, "how long a statement may take"),
    quiet("synchronous_commit", "on", Rule::Text, "of no use here"),
    reported("TimeZone", "UTC", Rule::TimeZone, "moments are written in UTC, whatever it says"),
    quiet("transaction_deferrable", "off", Rule::Switch, "of no use here"),
    quiet("transaction_isolation", "read committed", ISOLATION, "isolation of this transaction"),
    quiet("transaction_read_only", "off", Rule::Switch, "whether this transaction only reads"),
    quiet("work_mem", "4MB", Rule::Text, "of no use here"),
    quiet("xmloption", "content", Rule::Text, "of no use here"),
];
