//! Local randomizers under audit: what one respondent sends, for any two answers they might give.
//!
//! | file | its idea |
//! | --- | --- |
//! | `protocol.rs` | any method, from the line that sets it up |
//! | `memory.rs` | many reports of one remembered answer |
//! | `shuffled.rs` | the reports of many people without their senders |
//! | `respondents.rs` | many respondents with a coin each, for audits in one run |

mod memory;
mod protocol;
mod respondents;
mod shuffled;

use pointillist_local::binary_response::BinaryResponse;
use pointillist_local::{Method, Oracle, Protocol};
use pointillist_privacy::{Delta, Epsilon};

use crate::{AuditError, Subject};

pub use memory::memory_subject;
pub(super) use memory::{Held, linked};
pub use protocol::{ProtocolSubject, protocol_subject};
pub use respondents::{Respondents, local_canaries};
pub(super) use shuffled::shuffled_claim;
pub use shuffled::shuffled_subject;

/// Every method with a small question, a memory that is asked again and again, and shuffled reports.
pub fn local(epsilon: &Epsilon) -> Result<Vec<Box<dyn Subject>>, AuditError> {
    let mut subjects: Vec<Box<dyn Subject>> = Vec::new();
    for protocol in protocols(epsilon)? {
        subjects.push(Box::new(protocol_subject(protocol, None)?));
    }
    for line in [
        "rappor values=3 f=0.5 p=0.25 q=0.75",
        "rappor values=3 f=0.5 p=0.000001 q=0.999999",
        "rappor values=5 f=0.5 p=0.5 q=0.75 blocks=2 width=4",
    ] {
        let Oracle::Rappor(rappor) = line.parse()? else { continue };
        for reports in [1, 3, 20] {
            subjects.push(Box::new(memory_subject(rappor.clone(), reports)));
        }
    }
    // Shuffling hides so much that reports are worth measuring only where everybody spends more.
    let (delta, spent) = (Delta::parse("0.01")?, epsilon.times(3)?);
    for values in [2, 4] {
        let oracle = Oracle::new(Method::KaryResponse, &spent, values)?;
        subjects.push(Box::new(shuffled_subject(oracle, 200, &delta)?));
    }
    Ok(subjects)
}

/// Every method, with values few enough that every report is seen often.
pub(super) fn protocols(epsilon: &Epsilon) -> Result<Vec<Protocol>, AuditError> {
    let values = |method| if method == Method::BinaryResponse { 2 } else { 6 };
    let oracles = Method::ALL.map(|method| Oracle::new(method, epsilon, values(method)));
    let mut protocols = oracles
        .into_iter()
        .map(|oracle| Ok(Protocol::Frequency(oracle?)))
        .collect::<Result<Vec<_>, AuditError>>()?;
    protocols.push(Protocol::Frequency(Oracle::Binary(BinaryResponse::coin())));
    for line in [
        format!("local-hashing values=6 epsilon={epsilon} cells=2"),
        format!("subset-selection values=6 epsilon={epsilon} size=3"),
        "rappor values=5 f=0.5 p=0.25 q=0.75".to_owned(),
        "rappor values=5 f=0.25 p=0.7 q=0.2 blocks=2 width=3".to_owned(),
        format!("sign-mean lower=-1 upper=1 steps=10 epsilon={epsilon}"),
        format!("window-mean lower=0 upper=10 steps=20 epsilon={epsilon}"),
        format!("prefix-tree alphabet=ab length=3 stride=1 epsilon={epsilon}"),
    ] {
        protocols.push(line.parse()?);
    }
    Ok(protocols)
}

#[cfg(test)]
mod tests;
