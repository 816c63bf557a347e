//! How the service keeps its things: where the ledger lives, and on which clock replies leave.

use std::num::NonZeroU64;

/// `[ledger]` and `[service]`: what is not about data.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Service {
    /// The folder of the ledger, relative to the catalog's; beside the catalog where the owner said nothing.
    pub ledger_folder: Option<String>,
    /// The ledger's anchor; best on another disk, which is not restored together with the ledger.
    pub ledger_anchor: Option<String>,
    /// Replies of the server leave on whole multiples of this many milliseconds.
    pub quantum_ms: Option<NonZeroU64>,
    /// Every reply leaves after exactly this many of them; a question that takes longer fails.
    pub quanta: Option<NonZeroU64>,
}
