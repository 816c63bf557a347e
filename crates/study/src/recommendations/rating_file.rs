//! Ratings from a file, in the formats of MovieLens.
//!
//! **Stability.** A line is a rating or it is passed over, and which of the two follows from its own bytes: from a line feed to the next one
//! nothing reaches. So the rows of one person are those that name this person, whatever they hold. The first line of a CSV file is its header, by
//! the format and not by what it looks like.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::lines::{each_line, open, unreadable};
use super::ratings::key_of;
use super::{Catalogue, Points, Ratings, RatingsBuilder, RecommendationError};

/// A longer id is none.
const ID_MAX: usize = 100;
/// Digits behind the point of a rating that are read.
const DECIMALS: usize = 6;

/// How lines are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RatingFormat {
    /// `ratings.csv`: a header, then fields between commas.
    Csv,
    /// `u.data`: user, item, rating and time between tabs.
    Tabs,
    /// `ratings.dat`: the same between double colons.
    Colons,
}

impl RatingFormat {
    /// By the name of a file, packed or not.
    pub fn of(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?;
        let name = name.strip_suffix(".gz").unwrap_or(name);
        match name.rsplit_once('.')?.1 {
            "csv" => Some(Self::Csv),
            "data" | "tsv" => Some(Self::Tabs),
            "dat" => Some(Self::Colons),
            _ => None,
        }
    }

    fn fields(self, line: &[u8]) -> Vec<&[u8]> {
        match self {
            Self::Csv => line.split(|byte| *byte == b',').map(unquoted).collect(),
            Self::Tabs => line.split(|byte| *byte == b'\t').map(<[u8]>::trim_ascii).collect(),
            Self::Colons => between_colons(line),
        }
    }
}

/// Fields between double colons.
pub(super) fn between_colons(line: &[u8]) -> Vec<&[u8]> {
    let (mut fields, mut start, mut at) = (Vec::new(), 0, 0);
    while at + 1 < line.len() {
        if line[at..].starts_with(b"::") {
            fields.push(line[start..at].trim_ascii());
            at += 2;
            start = at;
        } else {
            at += 1;
        }
    }
    fields.push(line[start..].trim_ascii());
    fields
}

/// A field without the quotes around it.
fn unquoted(field: &[u8]) -> &[u8] {
    let field = field.trim_ascii();
    field.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\"")).unwrap_or(field)
}

/// The lowest and the highest rating that can be given, in millionths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StarScale {
    lowest: i64,
    highest: i64,
}

impl StarScale {
    /// From `0..10` or `0.5..5`.
    ///
    /// # Errors
    /// When it is not a lower and a higher number.
    pub fn parse(text: &str) -> Result<Self, RecommendationError> {
        let ends = text.split_once("..").and_then(|(lowest, highest)| {
            Some((millionths(lowest.trim().as_bytes())?, millionths(highest.trim().as_bytes())?))
        });
        match ends {
            Some((lowest, highest)) if lowest < highest => Ok(Self { lowest, highest }),
            _ => Err(RecommendationError::Settings {
                what: format!("a scale of stars from {text}"),
                hint: "write the lowest and the highest rating, such as 0.5..5",
            }),
        }
    }

    /// A rating on the scale from 0 to 10 points; `None` outside of the scale.
    fn points(self, stars: i64) -> Option<Points> {
        let width = i128::from(self.highest - self.lowest);
        let above = i128::from(stars - self.lowest);
        let most = i128::from(Points::from_f64(10.0).steps());
        (self.lowest..=self.highest)
            .contains(&stars)
            .then(|| Points::from_steps(((above * most + width / 2) / width) as i64))
    }

    /// How many stars a point is.
    pub fn stars_a_point(self) -> f64 {
        (self.highest - self.lowest) as f64 / 10e6
    }
}

/// A decimal in millionths: `3`, `3.5`, `0.5`.
fn millionths(text: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(text).ok()?;
    let (whole, rest) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(whole) || !digits(rest) || whole.len() > 6 || rest.len() > DECIMALS {
        return None;
    }
    format!("{whole}{rest:0<DECIMALS$}").parse().ok()
}

/// A file of ratings that has not been read.
#[derive(Clone, Debug)]
pub struct RatingFile {
    /// Where it is.
    pub path: PathBuf,
    /// How its lines are written.
    pub format: RatingFormat,
    /// Which ratings can be given.
    pub scale: StarScale,
}

/// Where in a line things are.
#[derive(Clone, Copy)]
struct Columns {
    person: usize,
    item: usize,
    stars: usize,
    time: Option<usize>,
}

impl RatingFile {
    /// Reads everybody's ratings of items of the catalogue, and how many lines were passed over: private data.
    ///
    /// # Errors
    /// When the file cannot be read, or its header does not name the columns.
    pub fn read(&self, catalogue: &Catalogue) -> Result<(Ratings, u64), RecommendationError> {
        let items: HashMap<&[u8], u32> =
            catalogue.items().iter().enumerate().map(|(at, item)| (item.id.as_bytes(), at as u32)).collect();
        let mut columns = match self.format {
            RatingFormat::Csv => None,
            RatingFormat::Tabs | RatingFormat::Colons => Some(COLUMNS),
        };
        let mut header_is_wrong = false;
        let mut builder = RatingsBuilder::default();
        let mut people: HashMap<Vec<u8>, u32> = HashMap::new();
        let mut passed_over = 0;
        let read = each_line(open(&self.path)?, |line| {
            let Some(columns) = columns else {
                columns = Some(line.and_then(Columns::named).unwrap_or_else(|| {
                    header_is_wrong = true;
                    COLUMNS
                }));
                return;
            };
            match line.and_then(|line| self.row(line, columns, &items)) {
                Some((id, item, points, time)) => {
                    let person = match people.get(id) {
                        Some(person) => *person,
                        None => {
                            let person = builder.person(key_of(id));
                            people.insert(id.to_vec(), person);
                            person
                        }
                    };
                    builder.rate(person, item, points, time);
                }
                None => passed_over += 1,
            }
        });
        read.map_err(|error| unreadable(&self.path, &error))?;
        if header_is_wrong {
            return Err(RecommendationError::File {
                path: self.path.clone(),
                what: "the first line does not name a user, an item and a rating".to_owned(),
                hint: "begin with a header such as userId,movieId,rating,timestamp",
            });
        }
        Ok((builder.finish(), passed_over))
    }

    /// One line: who, what, how much, when.
    fn row<'l>(
        &self,
        line: &'l [u8],
        columns: Columns,
        items: &HashMap<&[u8], u32>,
    ) -> Option<(&'l [u8], u32, Points, i64)> {
        let fields = self.format.fields(line);
        let id = *fields.get(columns.person)?;
        let item = *items.get(fields.get(columns.item)?)?;
        let points = self.scale.points(millionths(fields.get(columns.stars)?)?)?;
        let time = match columns.time.and_then(|time| fields.get(time)) {
            Some(time) => std::str::from_utf8(time).ok()?.parse().ok()?,
            None => 0,
        };
        (1..=ID_MAX).contains(&id.len()).then_some((id, item, points, time))
    }
}

/// Files without a header.
const COLUMNS: Columns = Columns { person: 0, item: 1, stars: 2, time: Some(3) };

impl Columns {
    /// From a header.
    fn named(line: &[u8]) -> Option<Self> {
        let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        let plain =
            |name: &[u8]| name.to_ascii_lowercase().into_iter().filter(|byte| *byte != b'_').collect();
        let names: Vec<Vec<u8>> = RatingFormat::Csv.fields(line).into_iter().map(plain).collect();
        let find =
            |wanted: &[&str]| names.iter().position(|name| wanted.iter().any(|word| word.as_bytes() == name));
        Some(Self {
            person: find(&["userid", "user"])?,
            item: find(&["movieid", "itemid", "item", "movie"])?,
            stars: find(&["rating", "stars"])?,
            time: find(&["timestamp", "time"]),
        })
    }
}

#[cfg(test)]
mod tests {
    use pointillist_testkit::seeded;

    use super::super::Item;
    use super::*;

    fn catalogue() -> Catalogue {
        let item = |id: &str| Item { id: id.to_owned(), ..Item::default() };
        Catalogue::new(["10", "20", "0030"].map(item).to_vec())
    }

    fn read(name: &str, scale: &str, text: &[u8]) -> (Ratings, u64) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        let file = RatingFile {
            format: RatingFormat::of(&path).unwrap(),
            scale: StarScale::parse(scale).unwrap(),
            path,
        };
        file.read(&catalogue()).unwrap()
    }

    #[test]
    fn the_three_formats_of_movielens_say_the_same() {
        let csv = b"userId,movieId,rating,timestamp\n1,10,3.5,964982703\n2,0030,5.0,964982704\n1,20,0.5,3\n"
            .as_slice();
        let tabs = b"1\t10\t3.5\t964982703\n2\t0030\t5.0\t964982704\n1\t20\t0.5\t3";
        let colons = b"1::10::3.5::964982703\r\n2::0030::5.0::964982704\r\n1::20::0.5::3\r\n";
        let other = b"rating,\"user_id\",timestamp,item_id\n3.5,\"1\",964982703,10\n5.0,2,964982704,0030\n0.5,1,3,20\n";
        let expected = read("ratings.csv", "0.5..5", csv);
        assert_eq!(expected.0.people(), 2);
        let points = |at: usize| expected.0.of(0)[at].points.to_f64();
        assert!((points(0) - 20.0 / 3.0).abs() < 1e-4 && points(1) == 0.0, "{expected:?}");
        assert_eq!(read("u.data", "0.5..5", tabs), expected);
        assert_eq!(read("ratings.dat", "0.5..5", colons), expected);
        assert_eq!(read("other.csv", "0.5..5", other), expected);
    }

    #[test]
    fn a_header_that_names_nothing_is_refused_and_no_row_is_quoted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ratings.csv");
        std::fs::write(&path, "Ada Byron,10,3,4\n").unwrap();
        let scale = StarScale::parse("0..10").unwrap();
        let error = RatingFile { path, format: RatingFormat::Csv, scale }.read(&catalogue()).unwrap_err();
        assert!(error.to_string().contains("first line") && !error.to_string().contains("Ada"), "{error}");
    }

    #[test]
    fn scales_that_are_none_are_refused() {
        for text in ["", "5", "5..5", "5..1", "a..b", "-1..5", "0..1e9", "0...5", "1..99999999"] {
            assert!(StarScale::parse(text).is_err(), "{text}");
        }
    }

    /// Specification: whatever bytes one person's line holds, the ratings of all others stay what they are.
    #[test]
    fn hostile_bytes_of_one_line_change_no_other_line() {
        let before = "userId,movieId,rating,timestamp\nana,10,7,1\n";
        let behind = "ben,20,3,2\nana,0030,1,9\n";
        let others = |ratings: &Ratings| {
            let mut rows: Vec<_> = ratings.iter().map(<[_]>::to_vec).collect();
            rows.sort_by_key(|row| format!("{row:?}"));
            rows
        };
        let expected = others(&read("r.csv", "0..10", format!("{before}{behind}").as_bytes()).0);
        let mut words = seeded(31);
        let pieces: [&[u8]; 12] = [
            b"\"",
            b",",
            b"eve",
            b"10",
            b"7",
            b"\r",
            b"\0",
            b"\xff",
            b"::",
            b"\t",
            b"''",
            b"9999999999999999999999",
        ];
        for case in 0..3000 {
            let mut line = Vec::new();
            for _ in 0..words() % 12 {
                line.extend(pieces[(words() % pieces.len() as u64) as usize]);
            }
            if case % 100 == 0 {
                line.resize(10_000, b'"');
            }
            // What is really a rating of somebody is that person's own business: here nobody's id can be another's.
            let text = [before.as_bytes(), &line, b"\n", behind.as_bytes()].concat();
            let (ratings, _) = read("r.csv", "0..10", &text);
            let found = others(&ratings);
            assert!(expected.iter().all(|row| found.contains(row)), "{:?}", String::from_utf8_lossy(&line));
            assert!(found.len() <= expected.len() + 1);
        }
    }
}
