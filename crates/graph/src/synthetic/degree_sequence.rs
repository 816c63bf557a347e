//! From how many nodes have at least each degree to one degree for each node. Whatever the numbers are, they become counts that never rise.

use super::{NODES_MAX, TIES_MAX};
use crate::GraphError;

/// The degrees of all nodes, the largest first. Between two degrees that were told, the nodes in question are spread evenly.
pub(super) fn of(at_least: &[(u64, i128)]) -> Result<Vec<u32>, GraphError> {
    let mut told = at_least.to_vec();
    told.sort_unstable();
    told.dedup_by_key(|(degree, _)| *degree);
    let nodes = match told.first() {
        Some((0, nodes)) => u64::try_from((*nodes).max(0)).unwrap_or(u64::MAX),
        _ => {
            return Err(GraphError::refused(
                "nothing was released about how many nodes there are",
                "ask for degrees, which begin with the number of all nodes",
            ));
        }
    };
    if nodes > NODES_MAX {
        return Err(too_large(format!("{nodes} nodes"), format!("{NODES_MAX} nodes")));
    }
    let mut least = nodes as i128;
    for (_, count) in &mut told {
        least = least.min((*count).max(0));
        *count = least;
    }
    let most = nodes.saturating_sub(1);
    let mut degrees = Vec::with_capacity(nodes as usize);
    let mut end = None;
    for (degree, count) in told.iter().rev() {
        // These nodes have this many ties or more, and fewer than the next degree that was told.
        let own = *count as usize - degrees.len();
        let width = end.map_or(1, |end: u64| end - degree);
        let spread = (0..own as u64)
            .rev()
            .map(|place| degree + (u128::from(width) * u128::from(place) / own as u128) as u64);
        degrees.extend(spread.map(|degree| degree.min(most) as u32));
        end = Some(*degree);
    }
    let ties = degrees.iter().map(|degree| u64::from(*degree)).sum::<u64>() / 2;
    match ties > TIES_MAX {
        true => Err(too_large(format!("{ties} ties"), format!("{TIES_MAX} ties"))),
        false => Ok(degrees),
    }
}

fn too_large(what: String, most: String) -> GraphError {
    GraphError::refused(
        format!("a graph of {what} is too large to make up; the most are {most}"),
        "make up a graph of fewer people; the released numbers themselves are in the ledger and free to ask for again",
    )
}
