//! A table made k-anonymous, measured, and attacked; beside it, guesses from counts with noise.

mod page;

use pointillist_noise::SecureBits;
use pointillist_render::page::Page;
use serde::Serialize;

use super::fewest_for_two::rows_to_match;
use super::still_works::{Disclosed, homogeneity};
use super::{Anonymity, fewest_stars, fewest_stars_for_two, information_lost, measure, mondrian, publish};
use crate::linkage::release_price::releases;
use crate::linkage::{Guesses, ReleasePrice, from_counts};
use crate::records::{NamedRecords, Records};
use crate::{AttackError, Comparison};

/// Tables of at most this many rows are tried in every way.
const EXACT_MAX: usize = 16;
/// Tables of at most this many rows are matched without being asked to: about three seconds.
const MATCHING_MAX: usize = 500;
/// Rows that words and pages show.
pub const ROWS_SHOWN: usize = 8;

/// How rows are made alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// Stars, as few as there can be: tries everything.
    Exact,
    /// Stars, as few as there can be, for k = 2.
    Matching,
    /// Ranges of numbers and sets of words, by cutting the table in halves.
    Mondrian,
}

/// A table, what outsiders know of it and what they want.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The table, one row a person.
    pub table: NamedRecords,
    /// The columns that outsiders know.
    pub known: Vec<String>,
    /// The column that they want.
    pub sensitive: String,
    /// How many rows must look alike.
    pub k: usize,
    /// How rows are made alike; else by the first method that is quick.
    pub method: Option<Method>,
    /// The price of our counts.
    pub price: ReleasePrice,
}

/// What the anonymous table still gives away, and what our counts do.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "attack", rename = "anonymize")]
pub struct Outcome {
    /// How rows were made alike.
    pub method: Method,
    /// Cells behind stars; ranges have none.
    pub stars: Option<usize>,
    /// How anonymous the table is now.
    #[serde(flatten)]
    pub measured: Anonymity,
    /// The share of what the known columns told that is lost.
    pub information_lost: f64,
    /// What its classes give away.
    #[serde(flatten)]
    pub disclosed: Disclosed,
    /// The price of our counts.
    #[serde(flatten)]
    pub price: ReleasePrice,
    /// Right guesses of everybody's sensitive value.
    pub guesses: Guesses,
    /// The anonymous table, without the columns that are neither known nor sensitive.
    #[serde(skip)]
    pub published: Records,
    #[serde(skip)]
    original: Records,
    #[serde(skip)]
    table_name: String,
    #[serde(skip)]
    known: Vec<String>,
    #[serde(skip)]
    sensitive: String,
    #[serde(skip)]
    k: usize,
}

/// Refuses a class of one, which is no crowd.
pub(super) fn check_k(k: usize) -> Result<(), AttackError> {
    if k >= 2 {
        return Ok(());
    }
    Err(AttackError::new(
        format!("k = {k} hides nobody"),
        "write k = 2 or more, so that every row looks like another",
    ))
}

/// Anonymizes, measures, attacks.
pub fn run(settings: Settings, bits: &mut dyn SecureBits) -> Result<Outcome, AttackError> {
    let Settings { table, known: known_columns, sensitive, k, method, price } = settings;
    check_k(k)?;
    if known_columns.contains(&sensitive) {
        return Err(AttackError::new(
            format!("`{sensitive}` is both known and wanted"),
            "leave it out of the known columns or name another sensitive one",
        ));
    }
    let known: Vec<&str> = known_columns.iter().map(String::as_str).collect();
    let original = table.records.only(&[&known[..], &[sensitive.as_str()]].concat())?;
    let (published, method, stars) = anonymized(&original, &known, k, method)?;
    let measured = measure(&published, &known, Some(&sensitive))?;
    let disclosed = homogeneity(&published, &known, &sensitive)?;
    let information_lost = information_lost(&original, &published, &known)?;
    let what = (&known[..], sensitive.as_str());
    let (at, releases) = ((&price.epsilon, &price.delta), releases(original.rows().len()));
    let guesses = from_counts::everybody(&original, &published, what, at, releases, bits)?;
    Ok(Outcome {
        method,
        stars,
        measured,
        information_lost,
        disclosed,
        price,
        guesses,
        published,
        original,
        table_name: table.name,
        known: known_columns,
        sensitive,
        k,
    })
}

/// The table made k-anonymous, how, and with how many stars.
fn anonymized(
    original: &Records,
    known: &[&str],
    k: usize,
    method: Option<Method>,
) -> Result<(Records, Method, Option<usize>), AttackError> {
    let columns = known.iter().map(|name| original.column(name)).collect::<Result<Vec<_>, _>>()?;
    let rows = original.rows().len();
    let method = match method {
        None if rows <= EXACT_MAX => Method::Exact,
        None if k == 2 && rows_to_match(original, &columns) <= MATCHING_MAX => Method::Matching,
        None => Method::Mondrian,
        Some(Method::Matching) if k != 2 => {
            return Err(AttackError::new(
                format!("matching makes pairs and triples, which is for k = 2, not {k}"),
                "choose Mondrian, or k = 2",
            ));
        }
        Some(chosen) => chosen,
    };
    let found = match method {
        Method::Exact => fewest_stars(original, &columns, k)?,
        Method::Matching => fewest_stars_for_two(original, &columns)?,
        Method::Mondrian => return Ok((mondrian(original, known, k)?, method, None)),
    };
    Ok((publish(original, &columns, &found.classes), method, Some(found.stars)))
}

impl Outcome {
    /// How rows were made alike, in words.
    pub fn how(&self) -> String {
        match (self.method, self.stars) {
            (Method::Exact, Some(stars)) => {
                format!("{stars} cells behind stars, the fewest there are (every way was tried)")
            }
            (_, Some(stars)) => format!("{stars} cells behind stars, the fewest there are (by matching)"),
            _ => "ranges and sets, by Mondrian".to_owned(),
        }
    }

    /// How many rows each looks like, at least.
    fn others(&self) -> String {
        match self.measured.k.saturating_sub(1) {
            1 => "one other".to_owned(),
            others => format!("{others} others"),
        }
    }

    /// k, l and t in words.
    pub fn measures(&self) -> String {
        let (measured, sensitive) = (&self.measured, &self.sensitive);
        let classes = match measured.classes {
            1 => "one class".to_owned(),
            classes => format!("{classes} classes"),
        };
        let mut text = format!(
            "k-anonymity: every row looks like at least {}: k = {}, in {classes}. {:.0} % of what the \
             columns told is lost.",
            self.others(),
            measured.k,
            100.0 * self.information_lost
        );
        if let (Some(l), Some(entropy)) = (measured.l_distinct, measured.l_entropy) {
            text += &format!(
                "\nl-diversity: the least diverse class has {}, l = {l} (and {entropy:.2} by entropy).{}",
                if l == 1 { format!("a single {sensitive}") } else { format!("{l} values of {sensitive}") },
                if l == 1 { " Who is in it has no secret." } else { "" }
            );
        }
        if let Some(t) = measured.t {
            text += &format!(
                "\nt-closeness: in the class farthest from the whole table, {:.0} % of the {sensitive} \
                 values would have to be others to look like everybody's: t = {t:.2}.",
                100.0 * t
            );
        }
        text
    }
}

impl Comparison for Outcome {
    fn without(&self) -> String {
        let (found, sensitive) = (&self.disclosed, &self.sensitive);
        let certain = match found.certain {
            0 => format!("Nobody of {} people is", found.rows),
            1 => format!("1 of {} people is", found.rows),
            certain => format!("{certain} of {} people are", found.rows),
        };
        format!(
            "{certain} in a class where everybody has the same {sensitive}, so that it is known without \
             finding their row. {} are one guess away. Saying the most common {sensitive} of somebody's \
             class is right for {:.0} % of the people.",
            found.one_guess_away,
            100.0 * self.guesses.from_rows
        )
    }

    fn with(&self) -> String {
        format!(
            "In place of rows, counts with noise of everybody in a combination of {} and {}, at {}; \
             combinations that few share do not appear. {}",
            self.known.join(", "),
            self.sensitive,
            self.price,
            self.guesses.summary(&self.sensitive)
        )
    }

    fn page(&self, _: &mut dyn SecureBits) -> Result<Page, AttackError> {
        page::page(self)
    }
}

#[cfg(test)]
mod tests {
    use pointillist_testkit::seeded;

    use super::*;
    use crate::linkage::examples::named_town;

    fn settings(k: usize, method: Option<Method>) -> Settings {
        Settings {
            table: named_town(14),
            known: ["born", "sex", "zip"].map(str::to_owned).to_vec(),
            sensitive: "illness".to_owned(),
            k,
            method,
            price: ReleasePrice::parse("1", "1e-6").unwrap(),
        }
    }

    /// Specification: scripts get these members, and no others.
    #[test]
    fn an_outcome_is_an_object_for_scripts() {
        let found = run(settings(2, Some(Method::Mondrian)), &mut seeded(1)).unwrap();
        let found = serde_json::to_value(&found).unwrap();
        let names: Vec<&String> = found.as_object().unwrap().keys().collect();
        let expected = [
            "attack",
            "certain",
            "classes",
            "delta",
            "epsilon",
            "guesses",
            "information_lost",
            "k",
            "l_distinct",
            "l_entropy",
            "method",
            "one_guess_away",
            "rows",
            "stars",
            "t",
        ];
        assert_eq!(names, expected);
        assert_eq!((&found["attack"], &found["method"]), (&"anonymize".into(), &"mondrian".into()));
        assert!(found["stars"].is_null() && found["rows"] == 14, "{found}");
    }

    /// Specification: small tables are tried in every way, and matching finds as few stars; what makes no sense is
    /// refused.
    #[test]
    fn methods_are_chosen_and_refused() {
        let exact = run(settings(2, None), &mut seeded(1)).unwrap();
        let matched = run(settings(2, Some(Method::Matching)), &mut seeded(1)).unwrap();
        assert_eq!((exact.method, exact.stars), (Method::Exact, matched.stars));
        for refused in [
            settings(1, None),
            settings(0, None),
            settings(3, Some(Method::Matching)),
            Settings { sensitive: "zip".to_owned(), ..settings(2, None) },
        ] {
            assert!(run(refused, &mut seeded(1)).is_err());
        }
    }
}
