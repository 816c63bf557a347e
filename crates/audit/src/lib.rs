//! Audits: attempts to refute a promise by measuring it.
//!
//! Whoever implements [`Subject`] is run many times on two neighbouring worlds; [`audit`] looks for the pair of worlds and
//! the event that tell most, and reports a lower bound on the loss with its confidence. Whoever implements [`Canaries`] is
//! run once ([`one_run`]). An audit that finds more than was claimed has refuted the claim; an audit that finds less has
//! proven nothing but that this adversary, with this many releases, did not do better.
//!
//! **Not seen.** How long a release takes; what only several releases together show, unless one [`Observation`] holds them
//! all; an event of probability p on one side only, before there are 250/p releases of either (for ε = 1); what is written
//! inside words that never come twice, but for their length.
//!
//! | part | its idea |
//! | --- | --- |
//! | [`Subject`], [`Observation`] | what is audited, and everything that is seen of one release |
//! | `features`, `bins`, `trees`, `logistic`, `distinguisher` | what learns to tell two sides apart |
//! | `search` | events chosen by one part of the releases, counted in another |
//! | [`Measure`] | from the probabilities of an event to the loss that they prove |
//! | [`Canaries`] | many made-up people with a coin each, and one run |
//! | `mechanisms`, `local`, `graphs`, `learn`, `synth` | what is built in, with the neighbours that are hardest for it |
//! | `planted`, `planted_worlds` | releases that are broken on purpose |
//! | [`query`] | a question in SQL, asked of a curator in worlds that differ in one person |
//! | [`Batch`], [`run`] | subjects audited side by side |
//! | [`Findings`], [`page`], [`words`] | what was found: as data, as a page, in sentences |

mod audit;
mod binomial;
mod bins;
mod built_in;
mod canaries;
mod crowd;
mod distinguisher;
mod error;
mod features;
mod findings;
mod graphs;
mod learn;
mod local;
mod logistic;
mod measure;
mod mechanisms;
mod observation;
pub mod page;
mod planted;
mod planted_worlds;
pub mod query;
mod run;
mod search;
mod subject;
mod synth;
#[cfg(test)]
mod tests;
mod trees;
pub mod words;

pub use audit::{Finding, Settings, audit};
pub use canaries::{Canaries, OneRun, one_run};
pub use error::AuditError;
pub use findings::{Audited, Findings, Unexpected, Verdict};
pub use graphs::{Change, GraphPair, GraphSubject, graph_pairs, graph_subject, graphs};
pub use learn::learn;
pub use local::{
    ProtocolSubject, Respondents, local, local_canaries, memory_subject, protocol_subject, shuffled_subject,
};
pub use measure::Measure;
pub use mechanisms::{canaries, mechanisms};
pub use observation::{Observation, Part};
pub use planted::{Planted, planted};
pub use planted_worlds::planted_worlds;
pub use run::{Batch, Progress, RunSettings, STEPS, Suspect, run};
pub use search::{Event, Measured, Rates};
pub use subject::{Profile, Side, Subject, Trial, no_pair};
pub use synth::{synth, synth_canaries};

/// The example of the page on audits is compiled and run like any other.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/audits.md")]
struct AuditsPage;
