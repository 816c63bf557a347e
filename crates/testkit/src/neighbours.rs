//! Every small data set, and every neighbour of it, for brute-force tests of sensitivity.
//!
//! Data sets are multisets, written as sorted lists of rows: the order of rows must not matter to a release.

/// Every multiset of at most `rows_max` rows over the alphabet, the empty one first.
pub fn all_datasets<T: Clone + Ord>(alphabet: &[T], rows_max: usize) -> Vec<Vec<T>> {
    let alphabet = sorted_set(alphabet.to_vec());
    let mut all = vec![Vec::new()];
    let mut longest: Vec<Vec<T>> = vec![Vec::new()];
    for _ in 0..rows_max {
        longest = longest
            .iter()
            .flat_map(|rows| {
                // Rows are appended in rising order, so each multiset is written once.
                let rising = alphabet.iter().filter(|row| rows.last().is_none_or(|last| last <= row));
                rising.map(|row| [rows.as_slice(), std::slice::from_ref(row)].concat())
            })
            .collect();
        all.extend_from_slice(&longest);
    }
    all
}

/// Every data set with one row more, taken from the alphabet, or one row less. Each appears once.
pub fn neighbours_add_remove<T: Clone + Ord>(dataset: &[T], alphabet: &[T]) -> Vec<Vec<T>> {
    let added = alphabet.iter().map(|row| sorted([dataset, std::slice::from_ref(row)].concat()));
    sorted_set(added.chain(without_one(dataset)).collect())
}

/// Every data set with one row exchanged for another of the alphabet. Each appears once; the data set itself
/// does not.
pub fn neighbours_replace_one<T: Clone + Ord>(dataset: &[T], alphabet: &[T]) -> Vec<Vec<T>> {
    let original = sorted(dataset.to_vec());
    let replaced = without_one(dataset).flat_map(|rest| {
        alphabet.iter().map(move |row| sorted([rest.as_slice(), std::slice::from_ref(row)].concat()))
    });
    sorted_set(replaced.filter(|rows| *rows != original).collect())
}

fn without_one<T: Clone + Ord>(dataset: &[T]) -> impl Iterator<Item = Vec<T>> {
    (0..dataset.len()).map(|index| sorted([&dataset[..index], &dataset[index + 1..]].concat()))
}

fn sorted<T: Ord>(mut rows: Vec<T>) -> Vec<T> {
    rows.sort_unstable();
    rows
}

fn sorted_set<T: Ord>(items: Vec<T>) -> Vec<T> {
    let mut items = sorted(items);
    items.dedup();
    items
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_small_multiset_is_listed_once() {
        let all = all_datasets(&[2, 1, 2], 2);
        assert_eq!(all, [vec![], vec![1], vec![2], vec![1, 1], vec![1, 2], vec![2, 2]]);
        // Multisets of size at most 4 over 6 values: (6 + 4) choose 4.
        assert_eq!(all_datasets(&[0, 1, 2, 3, 4, 5], 4).len(), 210);
        assert_eq!(all_datasets::<u8>(&[], 3), [vec![]]);
    }

    #[test]
    fn neighbours_differ_by_one_row() {
        assert_eq!(neighbours_add_remove(&[2, 1], &[1, 2]), [vec![1], vec![1, 1, 2], vec![1, 2, 2], vec![2]]);
        assert_eq!(neighbours_add_remove(&[], &["a"]), [vec!["a"]]);
        assert_eq!(
            neighbours_replace_one(&[1, 2], &[1, 2, 3]),
            [vec![1, 1], vec![1, 3], vec![2, 2], vec![2, 3]]
        );
        assert!(neighbours_replace_one(&[], &[1, 2]).is_empty());
    }

    #[test]
    fn being_a_neighbour_is_mutual() {
        let alphabet = [0, 1, 2];
        for dataset in all_datasets(&alphabet, 3) {
            for neighbour in neighbours_add_remove(&dataset, &alphabet) {
                assert!(neighbours_add_remove(&neighbour, &alphabet).contains(&dataset));
            }
            for neighbour in neighbours_replace_one(&dataset, &alphabet) {
                assert!(neighbours_replace_one(&neighbour, &alphabet).contains(&dataset));
            }
        }
    }
}
