//! Rows of neighbours from pairs in any order: a counting sort whose writes stay in the cache.
//!
//! Both directions of every pair go into a few hundred buckets of nearby nodes, piece by piece; then every bucket is
//! turned into sorted rows on its own. Threads share nothing but what they read. A piece of pairs is dropped as soon
//! as it is in buckets, so that 24 bytes a pair are needed at most, beside the pieces that still wait.

use rayon::prelude::*;

/// Below so many pairs one sort is faster than threads.
const FEW_PAIRS: usize = 1 << 13;
/// Pairs that are put into buckets together: their keys fill a share of the second cache.
const PAIRS_TOGETHER: usize = 1 << 16;
/// Directed pairs that a bucket should hold.
const BUCKET: usize = 1 << 16;
const BUCKETS_MAX: usize = 1 << 10;

/// Where each row begins, one more than there are nodes, and all rows one after the other. Loops are dropped, repeated
/// and reversed pairs merged, rows sorted.
///
/// # Panics
/// When a pair names a node that is not there.
pub(super) fn from_pieces(nodes: u32, pieces: Vec<Vec<(u32, u32)>>) -> (Vec<u64>, Vec<u32>) {
    let pairs: usize = pieces.iter().map(Vec::len).sum();
    if pairs < FEW_PAIRS {
        return by_one_sort(nodes, &pieces.concat());
    }
    let layout = Layout::new(nodes, pairs);
    let parts: Vec<Part> = pieces
        .into_par_iter()
        .flat_map(|piece| {
            piece.par_chunks(PAIRS_TOGETHER).map(|chunk| Part::new(chunk, &layout)).collect::<Vec<_>>()
        })
        .collect();
    let rows: Vec<Rows> =
        (0..layout.buckets).into_par_iter().map(|bucket| layout.rows(bucket, &parts)).collect();
    drop(parts);

    let mut offsets = Vec::with_capacity(nodes as usize + 1);
    let mut neighbours = Vec::with_capacity(rows.iter().map(|rows| rows.neighbours.len()).sum());
    let mut end = 0;
    offsets.push(end);
    for bucket in rows {
        for degree in bucket.degrees {
            end += u64::from(degree);
            offsets.push(end);
        }
        neighbours.extend(bucket.neighbours);
    }
    (offsets, neighbours)
}

fn by_one_sort(nodes: u32, pairs: &[(u32, u32)]) -> (Vec<u64>, Vec<u32>) {
    let mut keys = Vec::with_capacity(2 * pairs.len());
    for pair in pairs {
        keys.extend(directions(*pair, nodes));
    }
    keys.sort_unstable();
    keys.dedup();
    let mut offsets = vec![0; nodes as usize + 1];
    for key in &keys {
        offsets[(key >> 32) as usize + 1] += 1;
    }
    for node in 0..nodes as usize {
        offsets[node + 1] += offsets[node];
    }
    (offsets, keys.into_iter().map(|key| key as u32).collect())
}

/// Both directions of a pair, none of a loop: the row in the high half, the neighbour in the low half.
#[inline]
fn directions((u, v): (u32, u32), nodes: u32) -> impl Iterator<Item = u64> {
    assert!(u < nodes && v < nodes, "a pair names a node that is not there");
    let key = |u: u32, v: u32| u64::from(u) << 32 | u64::from(v);
    [key(u, v), key(v, u)].into_iter().take(if u == v { 0 } else { 2 })
}

/// Which nodes share a bucket: those whose numbers agree but for the lowest bits.
struct Layout {
    nodes: u32,
    shift: u32,
    buckets: usize,
}

/// Some pairs in both directions, those of a bucket side by side.
struct Part {
    keys: Vec<u64>,
    /// Where each bucket begins; one more than there are buckets.
    starts: Vec<u32>,
}

/// The finished rows of one bucket.
struct Rows {
    degrees: Vec<u32>,
    neighbours: Vec<u32>,
}

impl Layout {
    fn new(nodes: u32, pairs: usize) -> Self {
        let wanted = (2 * pairs / BUCKET).clamp(1, BUCKETS_MAX) as u64;
        let shift = u64::from(nodes).div_ceil(wanted).next_power_of_two().trailing_zeros();
        Self { nodes, shift, buckets: (nodes as usize).div_ceil(1 << shift) }
    }

    fn bucket(&self, key: u64) -> usize {
        (key >> 32 >> self.shift) as usize
    }

    fn rows(&self, bucket: usize, parts: &[Part]) -> Rows {
        let first = bucket << self.shift;
        let nodes = (self.nodes as usize - first).min(1 << self.shift);
        let slices = || parts.iter().map(|part| part.bucket(bucket));
        let row = |key: u64| (key >> 32) as usize - first;

        // After counting, `ends[r]` is where row r begins; after filling, where it ends.
        let mut ends = vec![0usize; nodes + 1];
        slices().flatten().for_each(|key| ends[row(*key) + 1] += 1);
        for r in 0..nodes {
            ends[r + 1] += ends[r];
        }
        let mut neighbours = vec![0u32; ends[nodes]];
        for key in slices().flatten() {
            let place = &mut ends[row(*key)];
            neighbours[*place] = *key as u32;
            *place += 1;
        }

        let mut degrees = Vec::with_capacity(nodes);
        let (mut start, mut kept) = (0, 0);
        for end in &ends[..nodes] {
            neighbours[start..*end].sort_unstable();
            let row_start = kept;
            for place in start..*end {
                let neighbour = neighbours[place];
                if kept == row_start || neighbours[kept - 1] != neighbour {
                    neighbours[kept] = neighbour;
                    kept += 1;
                }
            }
            degrees.push((kept - row_start) as u32);
            start = *end;
        }
        neighbours.truncate(kept);
        Rows { degrees, neighbours }
    }
}

impl Part {
    fn new(pairs: &[(u32, u32)], layout: &Layout) -> Self {
        let mut starts = vec![0u32; layout.buckets + 1];
        for pair in pairs {
            directions(*pair, layout.nodes).for_each(|key| starts[layout.bucket(key) + 1] += 1);
        }
        for bucket in 0..layout.buckets {
            starts[bucket + 1] += starts[bucket];
        }
        let mut keys = vec![0; starts[layout.buckets] as usize];
        let mut places = starts.clone();
        for pair in pairs {
            for key in directions(*pair, layout.nodes) {
                let place = &mut places[layout.bucket(key)];
                keys[*place as usize] = key;
                *place += 1;
            }
        }
        Self { keys, starts }
    }

    fn bucket(&self, bucket: usize) -> &[u64] {
        &self.keys[self.starts[bucket] as usize..self.starts[bucket + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use pointillist_noise::BitSource;
    use pointillist_testkit::seeded;

    use super::*;

    /// Pairs with loops and many repetitions, more than one sort takes, over few and over many nodes.
    #[test]
    fn buckets_and_one_sort_make_the_same_rows() {
        let mut bits = seeded(7);
        for (nodes, pieces) in [(1u32, 1), (2, 3), (300, 3), (70_000, 5), (2_000_000, 2)] {
            let mut piece = || {
                let mut node = || (bits.word() % u64::from(nodes)) as u32;
                let mut pairs: Vec<_> = (0..10 * FEW_PAIRS).map(|_| (node(), node())).collect();
                pairs.push((nodes - 1, 0));
                pairs
            };
            let pieces: Vec<Vec<(u32, u32)>> = (0..pieces).map(|_| piece()).chain([vec![]]).collect();
            assert!(by_one_sort(nodes, &pieces.concat()) == from_pieces(nodes, pieces), "{nodes}");
        }
    }

    #[test]
    #[should_panic = "a pair names a node that is not there"]
    fn a_node_that_is_not_there_is_refused_in_many_pairs_too() {
        from_pieces(5, vec![vec![(0, 5); 2 * FEW_PAIRS]]);
    }
}
