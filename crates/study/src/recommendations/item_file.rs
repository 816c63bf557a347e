//! The public catalogue from a file: `movies.csv`, `movies.dat` or `u.item`, as MovieLens writes them.

use std::collections::HashSet;
use std::path::Path;

use pointillist_records::{Next, Records};

use super::lines::{each_line, open, unreadable};
use super::rating_file::between_colons;
use super::{Catalogue, Item, RecommendationError};

/// The genres of `u.item`, which has a flag for each.
const FLAGS: [&str; 19] = [
    "unknown",
    "Action",
    "Adventure",
    "Animation",
    "Children's",
    "Comedy",
    "Crime",
    "Documentary",
    "Drama",
    "Fantasy",
    "Film-Noir",
    "Horror",
    "Musical",
    "Mystery",
    "Romance",
    "Sci-Fi",
    "Thriller",
    "War",
    "Western",
];
/// Where they begin.
const FLAGS_FROM: usize = 5;
/// What MovieLens writes where no genre is known.
const NONE: &str = "(no genres listed)";

/// Reads the items that can be rated. The file is public.
///
/// # Errors
/// When it cannot be read, or holds no item.
pub fn read_catalogue(path: &Path) -> Result<Catalogue, RecommendationError> {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    let items = match name.rsplit_once('.').map(|(_, extension)| extension) {
        Some("csv") => from_csv(path)?,
        Some("dat") => from_lines(path, |line| {
            let fields = between_colons(line);
            Some(item(fields.first()?, fields.get(1)?, fields.get(2).copied().unwrap_or_default()))
        })?,
        Some("item") => from_lines(path, flagged)?,
        _ => {
            return Err(RecommendationError::File {
                path: path.to_owned(),
                what: "it is not known how items are written there".to_owned(),
                hint: "name a file that ends in .csv, .dat or .item, packed with gzip or not",
            });
        }
    };
    let mut known = HashSet::new();
    let items: Vec<Item> = items.into_iter().filter(|item| known.insert(item.id.clone())).collect();
    match items.is_empty() {
        false => Ok(Catalogue::new(items)),
        true => Err(RecommendationError::File {
            path: path.to_owned(),
            what: "there is no item in it".to_owned(),
            hint: "list one item a line: its id, its title and its genres",
        }),
    }
}

fn item(id: &[u8], title: &[u8], genres: &[u8]) -> Item {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    let genres = text(genres);
    let genres = genres.split('|').map(str::trim).filter(|genre| !genre.is_empty() && *genre != NONE);
    Item { id: text(id), title: text(title), genres: genres.map(str::to_owned).collect() }
}

fn from_csv(path: &Path) -> Result<Vec<Item>, RecommendationError> {
    let mut records = Records::new(open(path)?, b',');
    let mut items = Vec::new();
    let mut is_header = true;
    loop {
        match records.next() {
            Next::End => break,
            Next::Record if !is_header && records.fields().len() >= 2 => {
                let mut scratch = [Vec::new(), Vec::new(), Vec::new()];
                let [a, b, c] = &mut scratch;
                let field = |at: usize| records.fields().get(at).copied();
                let id = field(0).map_or(&[][..], |field| records.bytes(field, a));
                let title = field(1).map_or(&[][..], |field| records.bytes(field, b));
                let genres = field(2).map_or(&[][..], |field| records.bytes(field, c));
                items.push(item(id, title, genres));
            }
            Next::Record | Next::Malformed => is_header = false,
        }
    }
    match records.failure() {
        Some(error) => Err(unreadable(path, error)),
        None => Ok(items),
    }
}

fn from_lines(path: &Path, parsed: impl Fn(&[u8]) -> Option<Item>) -> Result<Vec<Item>, RecommendationError> {
    let mut items = Vec::new();
    let read = each_line(open(path)?, |line| items.extend(line.and_then(&parsed)));
    read.map_err(|error| unreadable(path, &error))?;
    Ok(items)
}

/// A line of `u.item`: id, title, two dates, an address, and a flag for every genre.
fn flagged(line: &[u8]) -> Option<Item> {
    let fields: Vec<&[u8]> = line.split(|byte| *byte == b'|').collect();
    let flags = fields.get(FLAGS_FROM..).unwrap_or_default();
    let genres: Vec<&str> =
        FLAGS.iter().zip(flags).filter(|(_, flag)| **flag == b"1").map(|(genre, _)| *genre).collect();
    Some(item(fields.first()?, fields.get(1)?, genres.join("|").as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_three_formats_of_movielens_say_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let read = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            read_catalogue(&path)
        };
        let csv = "movieId,title,genres\n1,\"Truth, The (1960)\",Crime|Drama\n2,Else (1999),(no genres listed)\n2,twice,Drama\n";
        let expected = read("movies.csv", csv).unwrap();
        assert_eq!(expected.genres(), ["Crime", "Drama"]);
        assert_eq!((expected.len(), expected.items()[0].title.as_str()), (2, "Truth, The (1960)"));
        assert_eq!(
            read("movies.dat", "1::Truth, The (1960)::Crime|Drama\n2::Else (1999)::\n").unwrap(),
            expected
        );
        let flags = "1|Truth, The (1960)|d||u|0|0|0|0|0|0|1|0|1|0|0|0|0|0|0|0|0|0|0\n2|Else (1999)|d||u|0|0|0|0|0|0|0|0|0|0|0|0|0|0|0|0|0|0|0\n";
        assert_eq!(read("u.item", flags).unwrap(), expected);
        assert!(read("movies.txt", csv).is_err() && read("empty.csv", "movieId,title,genres\n").is_err());
    }
}
