//! How far predictions are from ratings that were held back. Private data, for the owner: nothing of it was paid for.

use super::model::Method;
use super::{Model, Neighbours, Ratings};

/// Ratings that were held back, and which items are looked at.
pub struct Evaluation<'r> {
    kept: &'r Ratings,
    held: &'r Ratings,
    /// How many items are rated at least as often.
    rank: Vec<usize>,
}

/// Root mean square errors, in points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scores {
    /// Of ratings of the 500 most rated items.
    pub top_500: f64,
    /// Of the 2000 most rated.
    pub top_2000: f64,
    /// Of all items.
    pub all: f64,
}

impl<'r> Evaluation<'r> {
    /// Of these, after learning from those. Which items are rated most is counted in both, and no model sees it.
    pub fn new(kept: &'r Ratings, held: &'r Ratings, items: usize) -> Self {
        let (kept_counts, held_counts) = (kept.counts(items), held.counts(items));
        let count = |item: usize| kept_counts[item] + held_counts[item];
        let mut order: Vec<usize> = (0..items).collect();
        order.sort_by_key(|item| (std::cmp::Reverse(count(*item)), *item));
        let mut rank = vec![0; items];
        order.into_iter().enumerate().for_each(|(at, item)| rank[item] = at);
        Self { kept, held, rank }
    }

    /// Of a model, by one method.
    pub fn scores(&self, model: &Model, method: Method) -> Scores {
        self.errors(|person| {
            let predictor = model.predictor(self.kept.of(person), method);
            move |item| predictor.predict(item)
        })
    }

    /// Of a model, by nearest neighbours.
    pub fn neighbour_scores(&self, model: &Model) -> Scores {
        self.errors(|person| {
            let neighbours = Neighbours::new(model, self.kept.of(person));
            move |item| neighbours.predict(item)
        })
    }

    fn errors<P: Fn(usize) -> f64>(&self, predictor: impl Fn(usize) -> P) -> Scores {
        let mut squares = [(0.0, 0u32); 3];
        for (person, held) in self.held.iter().enumerate().filter(|(_, held)| !held.is_empty()) {
            let predict = predictor(person);
            for rating in held {
                let item = rating.item as usize;
                let error = (rating.points.to_f64() - predict(item)).powi(2);
                for (place, most) in [500, 2000, usize::MAX].into_iter().enumerate() {
                    if self.rank[item] < most {
                        squares[place].0 += error;
                        squares[place].1 += 1;
                    }
                }
            }
        }
        let [top_500, top_2000, all] = squares.map(|(total, count)| (total / f64::from(count.max(1))).sqrt());
        Scores { top_500, top_2000, all }
    }
}
