//! "Did you mean": the known word nearest to the one that was typed.

/// Words longer than this are not compared: the table of distances stays small whatever is typed.
const LENGTH_MAX: usize = 64;

/// The known word that the typed one most likely stands for, if any is near.
pub fn nearest_word<'k>(typed: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let typed: Vec<char> = typed.chars().flat_map(char::to_lowercase).take(LENGTH_MAX + 1).collect();
    if typed.len() > LENGTH_MAX {
        return None;
    }
    known
        .into_iter()
        .filter_map(|word| {
            let letters: Vec<char> = word.chars().flat_map(char::to_lowercase).collect();
            let mistakes = distance(&typed, &letters);
            // A third of the letters may be wrong: `uper` is `upper`, but `x` is not `rho`.
            (mistakes * 3 <= letters.len().max(typed.len())).then_some((mistakes, word))
        })
        .min()
        .map(|(_, word)| word)
}

/// `did you mean …?` where a known word is near, otherwise the list of known words.
pub(crate) fn hint<'k>(typed: &str, known: impl IntoIterator<Item = &'k str> + Clone) -> String {
    if let Some(word) = nearest_word(typed, known.clone()) {
        return format!("did you mean `{word}`?");
    }
    let words: Vec<String> = known.into_iter().take(20).map(|word| format!("`{word}`")).collect();
    match words.split_last() {
        None => "there is none yet".to_owned(),
        Some((only, [])) => format!("write {only}"),
        Some((last, rest)) => format!("write one of {} or {last}", rest.join(", ")),
    }
}

/// Insertions, deletions, replacements and swaps of neighbours that lead from one word to the other.
fn distance(from: &[char], to: &[char]) -> usize {
    let mut rows = vec![vec![0; to.len() + 1]; from.len() + 1];
    for (i, row) in rows.iter_mut().enumerate() {
        row[0] = i;
    }
    for (j, cell) in rows[0].iter_mut().enumerate() {
        *cell = j;
    }
    for i in 1..=from.len() {
        for j in 1..=to.len() {
            let replaced = rows[i - 1][j - 1] + usize::from(from[i - 1] != to[j - 1]);
            let mut best = replaced.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
            if i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            rows[i][j] = best;
        }
    }
    rows[from.len()][to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_words_are_found_and_far_ones_are_not() {
        let known = ["max_groups", "max_contributions", "upper", "lower", "rho"];
        for (typed, word) in [
            ("max_group", Some("max_groups")),
            ("maxgroups", Some("max_groups")),
            ("MAX_GROUPS", Some("max_groups")),
            ("uper", Some("upper")),
            ("rh0", Some("rho")),
            ("lwoer", Some("lower")),
            ("x", None),
            ("", None),
            ("colour", None),
        ] {
            assert_eq!(nearest_word(typed, known), word, "{typed}");
        }
        assert_eq!(nearest_word(&"a".repeat(1_000_000), known), None);
    }

    #[test]
    fn far_words_get_the_list() {
        assert_eq!(hint("banana", ["node", "edge"]), "write one of `node` or `edge`");
        assert_eq!(hint("banana", ["patients"]), "write `patients`");
    }
}
