//! Finitely many data sets, and which of them are neighbours.

use std::collections::VecDeque;

/// The data sets `0 .. count` and their neighbours.
#[derive(Clone, Debug)]
pub struct DataSets {
    neighbours: Vec<Vec<usize>>,
}

impl DataSets {
    /// So many data sets, of which these pairs are neighbours.
    ///
    /// # Panics
    /// When a pair names a data set that is not there.
    pub fn new(count: usize, pairs: impl IntoIterator<Item = (usize, usize)>) -> Self {
        let mut neighbours = vec![Vec::new(); count];
        for (one, other) in pairs {
            neighbours[one].push(other);
            neighbours[other].push(one);
        }
        Self { neighbours }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.neighbours.len()
    }

    /// The neighbours of one of them.
    pub fn neighbours_of(&self, data_set: usize) -> &[usize] {
        &self.neighbours[data_set]
    }

    /// Every pair of neighbours, in both orders.
    pub fn neighbours(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        (0..self.count()).flat_map(|one| self.neighbours[one].iter().map(move |other| (one, *other)))
    }

    /// How many steps every data set is from the nearest of these; none where no way leads.
    pub fn distances(&self, from: &[usize]) -> Vec<Option<usize>> {
        let mut distances = vec![None; self.count()];
        let mut reached: VecDeque<(usize, usize)> = from.iter().map(|start| (*start, 0)).collect();
        while let Some((here, steps)) = reached.pop_front() {
            if distances[here].is_none() {
                distances[here] = Some(steps);
                reached.extend(self.neighbours[here].iter().map(|next| (*next, steps + 1)));
            }
        }
        distances
    }
}
