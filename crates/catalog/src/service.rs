//! How the service keeps its things: where the ledger lives, and on which clock replies leave.

use std::num::NonZeroU64;

/// `[ledger]` and `[service]`: what is not about data.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Service {
    /// The folder of the ledger, relative to the catalog's; beside the catalog where the owner said nothing.
    pub ledger_folder: Option<String>,
    /// The database of the records, where they are not in the folder: `postgres:NAME`, or `postgres:NAME/SCHEMA`.
    pub ledger_store: Option<String>,
    /// The ledger's anchor, a file or a database; best on another disk, which is not restored together with the ledger.
    pub ledger_anchor: Option<String>,
    /// Replies of the server leave on whole multiples of this many milliseconds.
    pub quantum_ms: Option<NonZeroU64>,
    /// Every reply leaves after exactly this many of them; a question that takes longer fails.
    pub quanta: Option<NonZeroU64>,
    /// Where the server listens, and how much it lets in.
    pub doors: Doors,
}

/// Where the server listens, and how much it lets in, as far as the owner says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Doors {
    /// The address of the Postgres wire, such as `127.0.0.1:5433`, or `off`.
    pub postgres: Option<String>,
    /// The address of HTTP, or `off`.
    pub http: Option<String>,
    /// The name of the database that PostgreSQL's clients connect to.
    pub database: Option<String>,
    /// The certificate and its key, relative to the catalog's folder.
    pub tls: Option<[String; 2]>,
    /// Connections at once.
    pub connections: Option<NonZeroU64>,
    /// Connections at once from one person.
    pub connections_per_person: Option<NonZeroU64>,
    /// Questions that are being computed at once.
    pub questions: Option<NonZeroU64>,
    /// Questions of one person that are being computed at once.
    pub questions_per_person: Option<NonZeroU64>,
}
