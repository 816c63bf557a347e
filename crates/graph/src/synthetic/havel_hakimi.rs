//! A simple graph with given degrees.
//!
//! **Statement.** Where some simple graph has the degrees, this one has exactly them. Where none has, ties that find no place are left out, and no node has
//! more than it wanted.
//! **Proof.** The node with the most ties left is tied to those with the most ties left besides it (Havel 1955, Hakimi 1962: a sequence has a simple
//! graph if and only if what remains after this step has one). Among nodes with equally many, the last in the order are taken, so that
//! the order stays a falling one and nothing is sorted again.
//! **Cost.** Linear: a step touches as many places as it adds ties, and no more classes of equal degrees than that.

/// The neighbours of each node, sorted, for degrees in falling order.
pub(super) fn rows(degrees: &[u32]) -> Vec<Vec<u32>> {
    let mut rows: Vec<Vec<u32>> = degrees.iter().map(|degree| Vec::with_capacity(*degree as usize)).collect();
    let mut left = degrees.to_vec();
    let most = left.first().map_or(0, |most| *most as usize);
    // Where the nodes end that have at least so many ties left.
    let mut ends = vec![0usize; most + 3];
    left.iter().for_each(|degree| ends[*degree as usize] += 1);
    (0..most + 2).rev().for_each(|degree| ends[degree] += ends[degree + 1]);
    for node in 0..left.len() {
        let first = node + 1;
        let taken = (left[node] as usize).min(ends[1].saturating_sub(first));
        left[node] = 0;
        if taken == 0 {
            continue;
        }
        let least = left[first + taken - 1] as usize;
        let largest = left[first] as usize;
        let begin = ends[least + 1].max(first);
        let end = ends[least];
        let of_least = taken - (begin - first);
        for other in (first..begin).chain(end - of_least..end) {
            left[other] -= 1;
            rows[node].push(other as u32);
            rows[other].push(node as u32);
        }
        (least + 1..=largest).for_each(|degree| ends[degree] = ends[degree + 1]);
        ends[least] -= of_least;
    }
    rows.iter_mut().for_each(|row| row.sort_unstable());
    rows
}

#[cfg(test)]
mod tests {
    use pointillist_testkit::seeded;

    use super::*;

    /// Erdős and Gallai 1960: which falling sequences are degrees of a simple graph.
    fn is_graphical(degrees: &[u32]) -> bool {
        let sum = |part: &[u32]| part.iter().map(|degree| u64::from(*degree)).sum::<u64>();
        let holds = |k: usize| {
            let rest: u64 = degrees[k..].iter().map(|degree| u64::from(*degree).min(k as u64)).sum();
            sum(&degrees[..k]) <= (k * (k - 1)) as u64 + rest
        };
        sum(degrees) % 2 == 0 && (1..=degrees.len()).all(holds)
    }

    /// Specification: every falling sequence of up to seven degrees below seven is met exactly if and only if it can be; nobody is tied to
    /// themselves or twice to somebody, ties go both ways, and nobody has more than wanted.
    #[test]
    fn every_sequence_that_is_graphical_is_met() {
        let mut graphical = 0;
        let mut sequences: Vec<Vec<u32>> = vec![vec![]];
        for _ in 0..7 {
            let longer = sequences.iter().flat_map(|start| {
                let most = start.last().copied().unwrap_or(6);
                (0..=most).map(move |next| [start.as_slice(), &[next]].concat())
            });
            sequences = longer.collect();
            for degrees in &sequences {
                let rows = rows(degrees);
                let met = rows.iter().zip(degrees).all(|(row, degree)| row.len() == *degree as usize);
                assert_eq!(met, is_graphical(degrees), "{degrees:?}");
                graphical += usize::from(met);
                for (node, row) in rows.iter().enumerate() {
                    assert!(row.is_sorted_by(|one, other| one < other) && !row.contains(&(node as u32)));
                    assert!(row.iter().all(|other| rows[*other as usize].contains(&(node as u32))));
                    assert!(row.len() <= degrees[node] as usize);
                }
            }
        }
        assert!(graphical > 300, "{graphical}");
    }

    /// The degrees of random graphs are graphical by what they are.
    #[test]
    fn degrees_of_random_graphs_are_met() {
        let mut words = seeded(3);
        for _ in 0..50 {
            let nodes = 2 + words() % 60;
            let density = words() % 100;
            let mut degrees = vec![0u32; nodes as usize];
            for one in 0..nodes as usize {
                for other in 0..one {
                    if words() % 100 < density {
                        degrees[one] += 1;
                        degrees[other] += 1;
                    }
                }
            }
            degrees.sort_unstable_by(|one, other| other.cmp(one));
            let met: Vec<u32> = rows(&degrees).iter().map(|row| row.len() as u32).collect();
            assert_eq!(met, degrees);
        }
    }
}
