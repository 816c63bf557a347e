//! Audits: attempts to refute a promise by measuring it.

mod canaries;
mod graphs;
mod local;
mod observation;
mod subject;

pub use canaries::Canaries;
pub use graphs::{Change, GraphPair, GraphSubject, graph_pairs, graph_subject, graphs};
pub use local::{
    ProtocolSubject, Respondents, local, local_canaries, memory_subject, protocol_subject, shuffled_subject,
};
pub use observation::{Observation, Part};
pub use subject::{Side, Subject, Trial};
