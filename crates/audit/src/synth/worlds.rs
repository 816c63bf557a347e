//! Small tables with and without somebody.

use pointillist_synth::MemoryCodes;

/// How many values each column has.
pub(super) const SIZES: [u32; 3] = [2, 3, 2];

/// One code a column.
pub(super) type Row = Vec<u32>;

/// A table, and what the adversary knows: everybody else's rows, and those that the newcomer would have.
pub(super) struct World {
    pub rows: MemoryCodes,
    pub crowd: Vec<Row>,
    pub newcomer: Vec<Row>,
}

/// A pair of tables, in a few words.
pub(super) struct Pair {
    pub name: &'static str,
    pub sides: [World; 2],
}

/// A table, and the same with somebody who brings these rows.
pub(super) fn joined(name: &'static str, crowd: &[Row], newcomer: &[Row]) -> Pair {
    let columns = newcomer.first().map_or(1, Vec::len);
    let side = |rows: Vec<u32>| World {
        rows: MemoryCodes::new(rows, columns),
        crowd: crowd.to_vec(),
        newcomer: newcomer.to_vec(),
    };
    Pair { name, sides: [side(crowd.concat()), side([crowd.concat(), newcomer.concat()].concat())] }
}

/// Somebody with so many rows joins.
pub(super) fn joining(rows_per_person: u32) -> Vec<Pair> {
    let k = rows_per_person as usize;
    let crowd = vec![vec![0, 0, 0]; 12];
    let mixed: Vec<Row> = (0..12).map(|row| vec![row % 2, row % 3, row % 2]).collect();
    vec![
        joined("nobody, or somebody", &[], &vec![vec![1, 2, 1]; k]),
        joined("somebody with values of their own", &crowd, &vec![vec![1, 2, 1]; k]),
        joined("one more in a crowd", &crowd, &vec![vec![0, 0, 0]; k]),
        joined("somebody who breaks a rule", &mixed, &vec![vec![0, 1, 1]; k]),
        joined("codes beyond the lists", &mixed, &vec![vec![u32::MAX, 3, 2]; k]),
    ]
}
