//! A table without names, joined with a public list that has them; and the people it names, guessed from counts.

mod page;

use std::collections::BTreeSet;

use pointillist_noise::SecureBits;
use pointillist_privacy::Epsilon;
use pointillist_render::decimals::{exact, percent};
use pointillist_render::page::Page;
use pointillist_render::text::shown;
use serde::{Serialize, Serializer};

use super::release_price::releases;
use super::{Guesses, from_counts, index, keys};
use crate::records::Records;
use crate::serialized;
use crate::{AttackError, Comparison};

/// People that are named in words.
const NAMED: usize = 10;

/// What a join with a public list gives away.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Linked {
    /// Rows of the table without names.
    pub rows: usize,
    /// Rows that match exactly one person, who matches exactly one row.
    #[serde(serialize_with = "how_many")]
    pub identified: Vec<Identified>,
    /// Rows that match several people.
    pub ambiguous: usize,
    /// Rows that match nobody.
    pub unmatched: usize,
}

/// A row that has a name now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identified {
    /// The row of the table without names, from zero.
    pub row: usize,
    /// The row of the public list, from zero.
    pub person: usize,
}

/// Joins a table without names with a public list on columns of the same names.
pub fn link(secret: &Records, public: &Records, on: &[&str]) -> Result<Linked, AttackError> {
    if on.is_empty() {
        return Err(AttackError::new("no column to join on", "name the columns that both tables have"));
    }
    let ours = on.iter().map(|name| secret.column(name)).collect::<Result<Vec<_>, _>>()?;
    let theirs = on.iter().map(|name| public.column(name)).collect::<Result<Vec<_>, _>>()?;
    let people = index(public, &theirs);
    let rows = index(secret, &ours);
    let mut found = Linked { rows: secret.rows().len(), identified: Vec::new(), ambiguous: 0, unmatched: 0 };
    for (row, key) in keys(secret, &ours).enumerate() {
        match (people.get(&key).map(Vec::as_slice), rows[&key].len()) {
            (None, _) => found.unmatched += 1,
            (Some([person]), 1) => found.identified.push(Identified { row, person: *person }),
            (Some(_), _) => found.ambiguous += 1,
        }
    }
    Ok(found)
}

/// Two tables and what the attacker wants of them.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The table without names.
    pub secret: Records,
    /// The public list with names.
    pub public: Records,
    /// The columns that both have.
    pub on: Vec<String>,
    /// The column that the attacker wants: the first that is not joined on, unless it is said.
    pub sensitive: Option<String>,
    /// The price of our counts, for one more or one fewer person.
    pub epsilon: Epsilon,
}

/// Who was named, and how often their sensitive value is guessed from our counts.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "attack", rename = "link")]
pub struct Outcome {
    /// Which rows have a name now, and how many have several or none.
    #[serde(flatten)]
    pub linked: Linked,
    /// The column that the attacker wants.
    pub sensitive: String,
    /// The price of our counts.
    #[serde(serialize_with = "serialized::epsilon")]
    pub epsilon: Epsilon,
    /// How many counts we release.
    pub counts: usize,
    /// Right guesses of the people whom the join names.
    pub guesses: Guesses,
    #[serde(skip)]
    secret: Records,
    #[serde(skip)]
    public: Records,
    #[serde(skip)]
    on: Vec<String>,
}

/// Joins, and tries the same on counts with noise.
pub fn run(settings: Settings, bits: &mut dyn SecureBits) -> Result<Outcome, AttackError> {
    let Settings { secret, public, on, sensitive, epsilon } = settings;
    let columns: Vec<&str> = on.iter().map(String::as_str).collect();
    let linked = link(&secret, &public, &columns)?;
    let not_joined = || secret.columns().iter().find(|column| !on.contains(column)).cloned();
    let sensitive = sensitive.or_else(not_joined).ok_or_else(|| {
        AttackError::new(
            "every column is joined on, so there is nothing to learn",
            "leave the sensitive column out of those that are joined on",
        )
    })?;
    // A list of voters has no more classes than voters; each has a count for every value.
    let column = secret.column(&sensitive)?;
    let values: BTreeSet<&str> = secret.rows().iter().map(|row| row[column].as_str()).collect();
    let releases = releases(public.rows().len() * values.len());
    let what = (&columns[..], sensitive.as_str());
    let guesses = from_counts::identified(&secret, &public, what, &linked, &epsilon, releases, bits)?;
    Ok(Outcome { linked, sensitive, epsilon, counts: guesses.cells, guesses, secret, public, on })
}

impl Outcome {
    /// The share of rows that have a name now.
    pub fn share(&self) -> f64 {
        self.linked.identified.len() as f64 / self.linked.rows.max(1) as f64
    }

    fn price(&self) -> String {
        format!("ε = {}", exact(self.epsilon.value()))
    }
}

impl Comparison for Outcome {
    fn without(&self) -> String {
        let found = &self.linked;
        let mut text = format!(
            "{} of {} rows ({}) belong to exactly one person of the list; {} to several, {} to nobody.",
            found.identified.len(),
            found.rows,
            percent(self.share()),
            found.ambiguous,
            found.unmatched
        );
        for known in found.identified.iter().take(NAMED) {
            let (person, row) = (&self.public.rows()[known.person], &self.secret.rows()[known.row]);
            text.push('\n');
            text += &shown(&format!("{} → {}", person.join(", "), row.join(", ")));
        }
        text
    }

    fn with(&self) -> String {
        let counts = format!(
            "There are no rows to join. Published are {} counts, one for every {} of the list and every {} \
             (whose values are taken as public), with noise at {} for one more or one fewer person.",
            self.counts,
            self.on.join(", "),
            self.sensitive,
            self.price()
        );
        if self.guesses.people == 0 {
            return counts + " Nobody was identified before, so there is nobody to compare with.";
        }
        format!("{counts} {}", self.guesses.summary(&self.sensitive))
    }

    fn page(&self, _: &mut dyn SecureBits) -> Result<Page, AttackError> {
        Ok(page::page(self))
    }
}

fn how_many<S: Serializer>(identified: &[Identified], serializer: S) -> Result<S::Ok, S::Error> {
    identified.len().serialize(serializer)
}

#[cfg(test)]
mod tests {
    use pointillist_testkit::seeded;

    use super::*;
    use crate::linkage::examples::hospital_and_voters;

    #[test]
    fn the_governor_is_found_in_the_hospital() {
        let (hospital, voters) = hospital_and_voters();
        let found = link(&hospital, &voters, &["born", "sex", "zip"]).unwrap();
        assert_eq!(found.identified.len(), 3);
        assert_eq!((found.ambiguous, found.unmatched, found.rows), (2, 1, 6));
        let governor = &found.identified[0];
        assert_eq!(voters.rows()[governor.person][0], "William W.");
        assert_eq!(hospital.rows()[governor.row][3], "collapse");
    }

    #[test]
    fn columns_that_are_missing_are_named() {
        let (hospital, voters) = hospital_and_voters();
        assert!(link(&hospital, &voters, &["height"]).unwrap_err().to_string().contains("`height`"));
        assert!(link(&hospital, &voters, &[]).is_err());
    }

    /// Specification: scripts get these members, and no others.
    #[test]
    fn an_outcome_is_an_object_for_scripts() {
        let (secret, public) = hospital_and_voters();
        let on = ["born", "sex", "zip"].map(str::to_owned).to_vec();
        let epsilon = Epsilon::parse("0.5").unwrap();
        let settings = Settings { secret, public, on, sensitive: None, epsilon };
        let found = serde_json::to_value(run(settings, &mut seeded(1)).unwrap()).unwrap();
        let names: Vec<&String> = found.as_object().unwrap().keys().collect();
        let expected = [
            "ambiguous",
            "attack",
            "counts",
            "epsilon",
            "guesses",
            "identified",
            "rows",
            "sensitive",
            "unmatched",
        ];
        assert_eq!(names, expected);
        assert_eq!((&found["attack"], &found["identified"]), (&"link".into(), &3.into()));
        assert_eq!((&found["epsilon"], &found["sensitive"]), (&"0.5".into(), &"illness".into()));
        let guesses: Vec<&String> = found["guesses"].as_object().unwrap().keys().collect();
        assert_eq!(
            guesses,
            ["from_counts", "from_nothing", "from_rows", "people", "releases", "right_upper"]
        );
    }
}
