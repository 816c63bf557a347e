//! Frozen minima of small tables, and the claim by brute force.

use pointillist_errors::Explained;

use super::*;
use crate::anonymity::classes::classes;
use crate::records::testing::records;

/// Columns, rows, k, the k of the table itself, and the fewest stars: by two independent methods each.
type Case = (&'static str, &'static [&'static str], usize, usize, usize);

const CASES: [Case; 17] = [
    (
        "first,last,age,race",
        &["Harry,Stone,34,Af.Am", "John,Reyser,36,Cauc.", "Beatrice,Stone,47,Af.Am", "John,Ramos,22,Hisp."],
        2,
        1,
        10,
    ),
    (
        "first,last,age,race",
        &["Harry,Stone,34,Af.Am", "John,Reyser,36,Cauc.", "Beatrice,Stone,47,Af.Am", "John,Ramos,22,Hisp."],
        4,
        1,
        16,
    ),
    (
        "first,last,age,race,diagnosis",
        &[
            "Harry,Stone,34,Af.Am,flu",
            "John,Reyser,36,Cauc.,mumps",
            "Beatrice,Stone,47,Af.Am,mumps",
            "John,Ramos,22,Hisp.,mumps",
        ],
        2,
        1,
        12,
    ),
    ("a,b", &["x,1", "x,1", "y,2", "y,2"], 2, 2, 0),
    ("a,b,c", &["1,2,3", "4,5,6", "7,8,9", "10,11,12"], 2, 1, 12),
    ("a,b", &["q,r", "q,r", "q,r", "q,r", "q,r"], 3, 5, 0),
    ("a,b,c", &["1,1,1", "1,1,2", "1,2,2"], 2, 1, 6),
    ("a,b", &["x,1", "x,1", "x,1", "y,9"], 2, 1, 4),
    ("a,b,c,d", &["1,2,3,4", "1,9,3,8"], 2, 1, 4),
    ("c0,c1,c2", &["v0,v0,v0", "v0,v1,v0", "v1,v0,v0", "v1,v1,v0", "v1,v0,v1", "v1,v1,v1"], 2, 1, 6),
    (
        "c0,c1,c2,c3",
        &[
            "v0,v1,v2,v2",
            "v2,v1,v0,v1",
            "v0,v1,v0,v0",
            "v1,v0,v2,v0",
            "v2,v0,v1,v2",
            "v1,v2,v0,v1",
            "v1,v1,v2,v0",
            "v0,v0,v1,v1",
        ],
        2,
        1,
        14,
    ),
    (
        "c0,c1,c2,c3",
        &[
            "v0,v1,v1,v0",
            "v1,v1,v1,v1",
            "v1,v0,v1,v0",
            "v0,v0,v1,v0",
            "v0,v1,v0,v1",
            "v1,v1,v1,v1",
            "v0,v1,v1,v1",
            "v1,v1,v1,v0",
            "v0,v0,v1,v1",
            "v0,v0,v1,v0",
        ],
        2,
        1,
        8,
    ),
    (
        "c0,c1,c2,c3,c4",
        &[
            "v2,v2,v0,v2,v2",
            "v2,v1,v0,v0,v2",
            "v1,v0,v1,v1,v0",
            "v1,v0,v0,v0,v1",
            "v1,v0,v2,v0,v0",
            "v0,v0,v2,v1,v2",
            "v1,v0,v0,v1,v1",
            "v1,v2,v0,v1,v2",
            "v1,v1,v0,v1,v0",
            "v0,v0,v0,v1,v2",
        ],
        3,
        1,
        31,
    ),
    (
        "c0,c1,c2",
        &[
            "v1,v0,v0", "v1,v2,v3", "v0,v2,v0", "v0,v0,v3", "v0,v1,v1", "v0,v2,v2", "v1,v3,v0", "v0,v1,v3",
            "v2,v0,v1", "v3,v2,v3", "v0,v3,v3", "v0,v3,v3",
        ],
        2,
        1,
        12,
    ),
    (
        "c0,c1,c2,c3",
        &[
            "v1,v1,v0,v0",
            "v0,v1,v0,v0",
            "v1,v0,v1,v1",
            "v1,v1,v0,v0",
            "v1,v0,v0,v1",
            "v0,v1,v0,v1",
            "v0,v1,v1,v0",
            "v0,v1,v1,v1",
            "v0,v0,v0,v0",
            "v0,v0,v1,v0",
            "v1,v1,v0,v0",
            "v0,v1,v1,v1",
        ],
        3,
        1,
        18,
    ),
    (
        "c0,c1,c2,c3,c4,c5",
        &[
            "v1,v0,v1,v1,v0,v0",
            "v0,v0,v1,v1,v1,v1",
            "v0,v1,v0,v0,v1,v0",
            "v0,v0,v1,v1,v0,v1",
            "v1,v0,v0,v1,v1,v0",
            "v1,v0,v0,v1,v0,v0",
            "v0,v1,v0,v0,v1,v1",
            "v0,v0,v0,v0,v0,v1",
            "v0,v1,v0,v1,v0,v0",
            "v0,v1,v0,v0,v1,v0",
            "v1,v0,v1,v0,v1,v0",
        ],
        2,
        1,
        17,
    ),
    (
        "c0,c1,c2,c3",
        &[
            "v2,v0,v1,v1",
            "v1,v0,v1,v0",
            "v1,v1,v1,v1",
            "v0,v1,v1,v1",
            "v0,v1,v2,v1",
            "v2,v1,v0,v1",
            "v1,v1,v2,v2",
            "v1,v2,v0,v0",
            "v2,v2,v2,v0",
        ],
        4,
        1,
        28,
    ),
];

#[test]
fn frozen_minima_are_found() {
    for (columns, rows, k, level, stars) in CASES {
        let table = records(columns, rows);
        let all: Vec<usize> = (0..table.columns().len()).collect();
        assert_eq!(classes(&table, &all).iter().map(Vec::len).min(), Some(level), "{rows:?}");
        let found = fewest_stars(&table, &all, k).unwrap();
        assert_eq!(found.stars, stars, "{rows:?}");
        let published = publish(&table, &all, &found.classes);
        let shown = published.rows().iter().flatten().filter(|cell| *cell == STAR).count();
        assert_eq!(shown, stars);
        assert!(classes(&published, &all).iter().all(|class| class.len() >= k));
    }
}

/// The table of CS 761, Randomized Algorithms (University of Waterloo, 2019), lecture 12: Harry and Beatrice Stone, John
/// Reyser and John Ramos. Ten of its sixteen cells must go.
#[test]
fn the_stones_and_the_johns_need_ten_stars() {
    let table = records(
        "first,last,age,race",
        &["Harry,Stone,34,Af.Am", "John,Reyser,36,Cauc.", "Beatrice,Stone,47,Af.Am", "John,Ramos,22,Hisp."],
    );
    let found = fewest_stars(&table, &[0, 1, 2, 3], 2).unwrap();
    assert_eq!((found.stars, found.classes.clone()), (10, vec![vec![0, 2], vec![1, 3]]));
    let published = publish(&table, &[0, 1, 2, 3], &found.classes);
    assert_eq!(published.rows()[0], ["*", "Stone", "*", "Af.Am"]);
    assert_eq!(published.rows()[1], ["John", "*", "*", "*"]);
}

/// Specification: no choice of cells with fewer stars is 2-anonymous, by trying every choice on tables of four rows.
#[test]
fn fewer_stars_do_not_do() {
    for seed in 0u32..40 {
        let cell = |row: u32, column: u32| (seed >> ((3 * row + column) % 11)) & 1;
        let rows: Vec<String> = (0..4)
            .map(|row| (0..3).map(|column| cell(row, column).to_string()).collect::<Vec<_>>().join(","))
            .collect();
        let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
        let table = records("a,b,c", &rows);
        let fewest = (0u32..1 << 12).filter(|stars| {
            let starred = |row: usize, column: usize| stars >> (3 * row + column) & 1 == 1;
            let published: Vec<Vec<&str>> = (0..4)
                .map(|row| {
                    let cells = (0..3)
                        .map(|column| if starred(row, column) { STAR } else { &table.rows()[row][column] });
                    cells.collect()
                })
                .collect();
            published.iter().all(|row| published.iter().filter(|other| *other == row).count() >= 2)
        });
        let fewest = fewest.map(u32::count_ones).min().unwrap();
        assert_eq!(fewest_stars(&table, &[0, 1, 2], 2).unwrap().stars, fewest as usize, "{rows:?}");
    }
}

#[test]
fn tables_that_are_too_small_or_too_large_are_refused() {
    let table = records("a", &["1", "2"]);
    for k in [0, 3] {
        assert!(fewest_stars(&table, &[0], k).unwrap_err().hint().is_some(), "{k}");
    }
    let many: Vec<String> = (0..30).map(|row| row.to_string()).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    assert!(fewest_stars(&records("a", &many), &[0], 2).unwrap_err().to_string().contains("NP-hard"));
}
