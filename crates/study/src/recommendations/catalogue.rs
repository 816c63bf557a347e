//! The items that there are: public, and the same whoever rated what.

/// Names of items, and what is known of them to everybody.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Catalogue {
    items: Vec<Item>,
    genres: Vec<String>,
}

/// One item.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Item {
    /// How ratings name it.
    pub id: String,
    /// How people name it.
    pub title: String,
    /// What kind of thing it is, in words.
    pub genres: Vec<String>,
}

/// Years before which a period ends; the last one does not.
const PERIODS: [u32; 3] = [1980, 2000, 2012];

impl Catalogue {
    /// These items, in this order.
    pub fn new(items: Vec<Item>) -> Self {
        let mut genres: Vec<String> = items.iter().flat_map(|item| item.genres.iter().cloned()).collect();
        genres.sort_unstable();
        genres.dedup();
        Self { items, genres }
    }

    /// Items without names, as in made-up ratings.
    pub fn numbered(count: usize) -> Self {
        let item = |at: usize| Item { id: at.to_string(), title: format!("item {at}"), genres: Vec::new() };
        Self { items: (0..count).map(item).collect(), genres: Vec::new() }
    }

    /// The items.
    pub fn items(&self) -> &[Item] {
        &self.items
    }

    /// How many items there are.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Every kind of item, in the order of the alphabet.
    pub fn genres(&self) -> &[String] {
        &self.genres
    }

    /// Which genres an item has, by their position.
    pub(super) fn genres_of(&self, item: usize) -> Vec<usize> {
        let position = |genre: &String| self.genres.binary_search(genre).ok();
        self.items[item].genres.iter().filter_map(position).collect()
    }

    /// How many indicators [`Catalogue::features_of`] speaks of; none where nothing is known of any item.
    pub(super) fn features(&self) -> usize {
        if self.genres.is_empty() { 0 } else { self.genres.len() + PERIODS.len() + 1 }
    }

    /// Which indicators an item has: its genres, and the period of the year in its title.
    pub(super) fn features_of(&self, item: usize) -> Vec<usize> {
        if self.genres.is_empty() {
            return Vec::new();
        }
        let year = year_of(&self.items[item].title);
        let period = PERIODS.iter().filter(|end| year.is_none_or(|year| year >= **end)).count();
        let mut features = self.genres_of(item);
        features.push(self.genres.len() + period);
        features
    }
}

/// The year in brackets that a title ends with.
fn year_of(title: &str) -> Option<u32> {
    let digits = title.trim_end().strip_suffix(')')?.rsplit_once('(')?.1;
    (digits.len() == 4).then(|| digits.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_are_genres_and_the_period_of_the_title() {
        let item = |title: &str, genres: &[&str]| Item {
            id: title.to_owned(),
            title: title.to_owned(),
            genres: genres.iter().map(ToString::to_string).collect(),
        };
        let catalogue = Catalogue::new(vec![
            item("The Bank (1915)", &["Short", "Comedy"]),
            item("Later (2013)", &["Drama"]),
            item("Somewhen", &[]),
        ]);
        assert_eq!(catalogue.genres(), ["Comedy", "Drama", "Short"]);
        assert_eq!(catalogue.features(), 7);
        assert_eq!(catalogue.features_of(0), [2, 0, 3]);
        assert_eq!(catalogue.features_of(1), [1, 6]);
        assert_eq!(catalogue.features_of(2), [6]);
        assert_eq!(Catalogue::numbered(3).features_of(1), [0; 0]);
    }
}
