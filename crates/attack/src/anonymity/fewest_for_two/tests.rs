//! Against the exhaustive method, and the facts that the header proves.

use pointillist_errors::Explained;
use pointillist_noise::BitSource;
use pointillist_testkit::seeded;

use super::*;
use crate::anonymity::classes::classes;
use crate::anonymity::{STAR, fewest_stars, publish};
use crate::records::testing::records;

/// A table of random letters.
fn random(rows: usize, columns: usize, letters: u64, seed: u64) -> Records {
    let mut bits = seeded(seed);
    let names = (0..columns).map(|column| format!("c{column}")).collect();
    let mut cell = || (bits.word() % letters).to_string();
    let rows = (0..rows).map(|_| (0..columns).map(|_| cell()).collect()).collect();
    Records::new(names, rows).unwrap()
}

/// Specification: classes of two or more that hold every row once, and as many stars as are said.
fn assert_published(table: &Records, columns: &[usize], found: &Suppressed) {
    let mut rows = found.classes.concat();
    rows.sort_unstable();
    assert_eq!(rows, (0..table.rows().len()).collect::<Vec<_>>());
    let published = publish(table, columns, &found.classes);
    let stars = published.rows().iter().flatten().filter(|cell| *cell == STAR).count();
    assert_eq!(stars, found.stars);
    assert!(classes(&published, columns).iter().all(|class| class.len() >= 2));
}

/// Specification: as few stars as the exhaustive method finds: 4 000 tables of 2 to 11 rows and 1 to 5
/// columns, from few letters (many copies of a row) to many (none).
#[test]
fn as_few_stars_as_by_trying_everything() {
    for seed in 0..4_000u64 {
        let rows = 2 + (seed % 10) as usize;
        let columns = 1 + (seed / 10 % 5) as usize;
        let table = random(rows, columns, [2, 3, 4, 7][(seed / 50 % 4) as usize], seed);
        let all: Vec<usize> = (0..columns).collect();
        let found = fewest_stars_for_two(&table, &all).unwrap();
        assert_published(&table, &all, &found);
        assert_eq!(found.stars, fewest_stars(&table, &all, 2).unwrap().stars, "seed {seed}");
    }
}

/// Specification: the same of tables at the edge of what the exhaustive method can do.
#[test]
fn larger_tables_too() {
    for seed in 0..24u64 {
        let rows = 14 + (seed % 4) as usize;
        let table = random(rows, 4, 2 + seed % 5, 50_000 + seed);
        let found = fewest_stars_for_two(&table, &[0, 1, 2, 3]).unwrap();
        assert_eq!(found.stars, fewest_stars(&table, &[0, 1, 2, 3], 2).unwrap().stars, "seed {seed}");
    }
}

/// Specification: some columns count and others are left as they are.
#[test]
fn columns_that_are_not_named_stay() {
    let table = random(9, 4, 4, 3);
    let found = fewest_stars_for_two(&table, &[1, 3]).unwrap();
    assert_eq!(found.stars, fewest_stars(&table, &[1, 3], 2).unwrap().stars);
    let published = publish(&table, &[1, 3], &found.classes);
    assert!(published.rows().iter().zip(table.rows()).all(|(after, before)| after[0] == before[0]));
    assert_eq!(fewest_stars_for_two(&table, &[]).unwrap().stars, 0);
}

#[test]
fn the_stones_and_the_johns_need_ten_stars() {
    let table = records(
        "first,last,age,race",
        &["Harry,Stone,34,Af.Am", "John,Reyser,36,Cauc.", "Beatrice,Stone,47,Af.Am", "John,Ramos,22,Hisp."],
    );
    let found = fewest_stars_for_two(&table, &[0, 1, 2, 3]).unwrap();
    assert_eq!((found.stars, found.classes), (10, vec![vec![0, 2], vec![1, 3]]));
}

/// Specification: the simplex condition, for all triples of all rows of three columns over four letters;
/// equality occurs, so nothing smaller than two would do for the triple's weight.
#[test]
fn triples_cost_at_least_half_of_their_pairs() {
    let rows: Vec<Vec<String>> = (0..64)
        .map(|row| [row % 4, row / 4 % 4, row / 16].map(|digit: i32| digit.to_string()).to_vec())
        .collect();
    let table = Records::new(vec!["a".into(), "b".into(), "c".into()], rows).unwrap();
    let kept: Vec<usize> = (0..64).collect();
    let stars = Stars::new(&table, &[0, 1, 2], &kept);
    let mut equal = 0;
    for first in 0..64 {
        for second in first + 1..64 {
            for third in second + 1..64 {
                let pairs = stars.pair(first, second) + stars.pair(second, third) + stars.pair(first, third);
                let triple = 2 * stars.triple([first, second, third]);
                assert!(triple >= pairs);
                assert_eq!(triple / 2, class_stars(&table, &[0, 1, 2], &[first, second, third]) as i32);
                equal += usize::from(triple == pairs);
            }
        }
    }
    assert!(equal > 0);
}

/// Specification: more columns than a word has bits.
#[test]
fn wide_tables_are_counted_in_full() {
    let table = random(8, 130, 2, 9);
    let all: Vec<usize> = (0..130).collect();
    let found = fewest_stars_for_two(&table, &all).unwrap();
    assert_eq!(found.stars, fewest_stars(&table, &all, 2).unwrap().stars);
}

/// Specification: a table of 150 rows is published with fewer stars than when neighbours in sorted order are
/// paired.
#[test]
fn hundreds_of_rows_are_matched() {
    let table = random(151, 4, 6, 11);
    let all = [0, 1, 2, 3];
    let found = fewest_stars_for_two(&table, &all).unwrap();
    assert_published(&table, &all, &found);
    let mut order: Vec<usize> = (0..151).collect();
    order.sort_by_key(|row| &table.rows()[*row]);
    let mut paired: Vec<Vec<usize>> = order[..148].chunks(2).map(<[usize]>::to_vec).collect();
    paired.push(order[148..].to_vec());
    let sorted: usize = paired.iter().map(|class| class_stars(&table, &all, class)).sum();
    assert!(found.stars < sorted, "{} {sorted}", found.stars);
}

#[test]
fn tables_that_are_too_small_or_too_large_are_refused() {
    let one = records("a", &["1"]);
    assert!(fewest_stars_for_two(&one, &[0]).unwrap_err().to_string().contains("larger than the table"));
    let many = random(ROWS_MAX + 1, 6, 1_000_000, 1);
    let refused = fewest_stars_for_two(&many, &[0, 1, 2, 3, 4, 5]).unwrap_err();
    assert!(refused.to_string().contains("too many"), "{refused}");
    assert!(refused.hint().is_some_and(|hint| hint.contains("Mondrian")), "{refused}");
    // Copies do not count.
    let copies = random(5_000, 2, 4, 1);
    assert_eq!(fewest_stars_for_two(&copies, &[0, 1]).unwrap().stars, 0);
}
