//! How far a public table is from private rows: for pairs of columns, the share of rows that would have to be others.
//!
//! **Guarantee.** What [`TableDistances::release`] releases loses [`TableDistances::loss`] and no more, whatever the public table is.
//! **Neighbours.** Add or remove all rows of one person, who has at most k of them.
//! **Proof.** The price is split exactly in two. The first part pays for the number of rows, which a person moves by at most k. From
//! then on the noisy number n̂ is public, and so are the counts y of the public table's M rows. For a set S of columns with real counts x,
//! D_S(x) = ⌊Σ_c |M·x_c − n̂·y_c| / M⌋. A person moves x by at most k in L1 (`histogram.rs`), hence the sum by at most k·M and the whole
//! number by at most k. All m sets together move by at most k·m in L1 and k·√m in L2, and exact noise for that is added. The sum
//! of both parts is by adaptive composition.
//! **What it says.** With n real rows, the total variation distance t of the shares of rows is ½·Σ_c |x_c/n − y_c/M|. Since
//! Σ_c |x_c/n − x_c/n̂| = |1 − n/n̂|, t differs from D_S/(2·n̂) by at most (|n − n̂| + 1)/(2·n̂). Intervals hold the noise of D_S and that.
//! **Source.** Bun, Steinke (2016), Lemma 1.7 and Proposition 1.6; noise: `mechanisms/src/number/additive_noise.rs`.

use pointillist_mechanisms::AdditiveNoise;
use pointillist_noise::{SecureBits, noisy_sum};
use pointillist_numbers::Rational;
use pointillist_privacy::{FailureProbability, Loss, Spend};

use super::bins::noise_of_all;
use super::{Binned, TableLayout};
use crate::domain::subsets;
use crate::histogram::{Renumbering, histograms};
use crate::{CodeRows, RowsError, SynthError};

/// Counts of all sets that are held at once.
const CELLS_MAX: u64 = 1 << 24;
/// The part of the price for the number of rows, in hundredths.
const SIZE_PERCENT: u64 = 5;

/// What is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compared {
    /// Each column alone.
    Columns,
    /// Each pair of columns, or the one column that there is.
    Pairs,
}

impl Compared {
    /// Both, as lists show them.
    pub const ALL: [Self; 2] = [Self::Pairs, Self::Columns];

    /// As it is written everywhere.
    pub fn name(self) -> &'static str {
        match self {
            Self::Columns => "columns",
            Self::Pairs => "pairs",
        }
    }

    /// What is measured, in a few words.
    pub fn about(self) -> &'static str {
        match self {
            Self::Columns => {
                "for each column, the share of rows that would have to be others for the tables to agree"
            }
            Self::Pairs => {
                "for each pair of columns, the share of rows that would have to be others for the tables to agree"
            }
        }
    }

    /// What has this name.
    ///
    /// # Errors
    /// When nothing has.
    pub fn parse(name: &str) -> Result<Self, SynthError> {
        Self::ALL.into_iter().find(|compared| compared.name() == name).ok_or_else(|| {
            SynthError::parameter(format!("tables are compared by `pairs` or by `columns`, not by `{name}`"))
        })
    }
}

/// A comparison at a price: what it loses is known, and nothing of data is.
pub struct TableDistances {
    layout: TableLayout,
    sets: Vec<Vec<usize>>,
    size: AdditiveNoise,
    noise: AdditiveNoise,
    loss: Loss,
}

/// How far two tables are apart.
#[derive(Clone, Debug, PartialEq)]
pub struct TableDistance {
    /// By which columns; by none for the mean of all.
    pub columns: Vec<usize>,
    /// The share of rows that would have to be others, from 0 to 1.
    pub share: f64,
    /// Between which shares it lies with 95 %.
    pub interval: (f64, f64),
}

impl TableDistances {
    /// The comparison of columns, of which one person has at most `rows_per_person` rows, at a price.
    ///
    /// # Errors
    /// When there are too many values, bins would follow from data, or noise of this size cannot be drawn.
    pub fn new(
        layout: TableLayout,
        compared: Compared,
        rows_per_person: u32,
        spend: &Spend,
    ) -> Result<Self, SynthError> {
        if !layout.quantile_columns().is_empty() {
            return Err(SynthError::parameter("tables are compared in even bins; leave `binning` out"));
        }
        let attributes = layout.domain().attributes();
        let together = match compared {
            Compared::Columns => 1,
            Compared::Pairs => attributes.min(2),
        };
        let sets = subsets(attributes, together);
        let cells = sets.iter().map(|set| layout.domain().cells(set)).fold(0, u64::saturating_add);
        if cells > CELLS_MAX {
            return Err(SynthError::parameter(format!(
                "comparing these columns takes {cells} counts, more than the {CELLS_MAX} that fit; name fewer columns, or compare by `columns`"
            )));
        }
        let parts = spend.split(&[SIZE_PERCENT, 100 - SIZE_PERCENT])?;
        let size = AdditiveNoise::for_number(i128::from(rows_per_person), &parts[0])?;
        let noise = noise_of_all(rows_per_person, sets.len(), &parts[1])?;
        let loss = size.loss().then(&noise.loss()).ok_or_else(|| {
            SynthError::parameter("this price cannot be split between the number of rows and distances")
        })?;
        Ok(Self { layout, sets, size, noise, loss })
    }

    /// What a comparison loses.
    pub fn loss(&self) -> &Loss {
        &self.loss
    }

    /// How it is made private.
    pub fn mechanism(&self) -> &'static str {
        "noisy distances of counts"
    }

    /// What to expect, in words: nothing in them comes from data.
    pub fn outlook(&self) -> Vec<String> {
        let rows = self.radius() as f64 / 2.0;
        let mean = self.mean_radius() / 2.0;
        vec![
            format!("{} distances, each within {rows:.0} rows with 95 %", self.sets.len()),
            format!("their mean within {mean:.0} rows; divided by the number of rows, it is a share"),
        ]
    }

    /// Looks at rows of cells, and releases the number of rows and then one distance for each set.
    ///
    /// # Errors
    /// When the rows went away.
    pub fn release<B: SecureBits + ?Sized>(
        &self,
        public: &dyn CodeRows,
        private: &dyn CodeRows,
        bits: &mut B,
    ) -> Result<Vec<i128>, SynthError> {
        let (public, private) = (self.counts(public)?, self.counts(private)?);
        let number = |counts: &[Vec<u64>]| counts.first().map_or(0, |cells| cells.iter().sum::<u64>());
        let noisy_number = self.size.release(i128::from(number(&private)), bits);
        let (all_public, scaled) = (i128::from(number(&public)).max(1), usable(noisy_number));
        let draws = self.noise.sample_many(self.sets.len(), bits);
        let mut released = vec![noisy_number];
        for ((real, made_up), draw) in private.iter().zip(&public).zip(draws) {
            released.push(noisy_sum(rows_apart(real, made_up, all_public, scaled), draw));
        }
        Ok(released)
    }

    fn counts(&self, rows: &dyn CodeRows) -> Result<Vec<Vec<u64>>, SynthError> {
        let bins = self.layout.bins(&[])?;
        let domain = self.layout.domain();
        let renumbering = Renumbering { domain, maps: &[], target: domain };
        let counted: Result<_, RowsError> =
            histograms(&Binned { rows, bins: &bins }, renumbering, &self.sets);
        Ok(counted?)
    }

    /// What released numbers say: the mean first, then each set; nothing where they are of other columns.
    pub fn distances(&self, released: &[i128]) -> Option<Vec<TableDistance>> {
        let (number, distances) = released.split_first().filter(|(_, all)| all.len() == self.sets.len())?;
        let rows = usable(*number) as f64;
        let beside = self.size.error_bound(&beta(1)) as f64 + 1.0;
        let distance = |columns: Vec<usize>, distance: f64, radius: f64| {
            let share = |rows_apart: f64| (rows_apart / (2.0 * rows)).clamp(0.0, 1.0);
            let interval = (share(distance - radius - beside), share(distance + radius + beside));
            TableDistance { columns, share: share(distance), interval }
        };
        let count = self.sets.len() as f64;
        let mean = distances.iter().map(|value| *value as f64 / count).sum();
        let mut all = vec![distance(Vec::new(), mean, self.mean_radius())];
        let radius = self.radius() as f64;
        let sets = self.sets.iter().zip(distances);
        all.extend(sets.map(|(set, value)| distance(set.clone(), *value as f64, radius)));
        Some(all)
    }

    /// The noise of a distance in rows; four of the five hundredths that an interval may be wrong.
    fn radius(&self) -> i128 {
        self.noise.error_bound(&beta(4))
    }

    /// The noise of their mean.
    fn mean_radius(&self) -> f64 {
        let count = self.sets.len() as u64;
        self.noise.error_bound_of_sum(count, &beta(4)) as f64 / count as f64
    }
}

/// How far counts are from those of a public table, scaled to a number of rows: D_S of the proof.
fn rows_apart(real: &[u64], made_up: &[u64], all_public: i128, scaled: i128) -> i128 {
    let apart = |(real, made_up): (&u64, &u64)| {
        (all_public * i128::from(*real) - scaled * i128::from(*made_up)).abs()
    };
    real.iter().zip(made_up).map(apart).sum::<i128>().div_euclid(all_public)
}

/// A number of rows that counts can be scaled to.
fn usable(number: i128) -> i128 {
    number.clamp(1, 1 << 62)
}

fn beta(percent: i128) -> FailureProbability {
    FailureProbability::new(Rational::ratio(percent, 100)).expect("hundredths are probabilities")
}

#[cfg(test)]
mod tests {
    use pointillist_privacy::{Epsilon, Rho};
    use pointillist_testkit::seeded;

    use super::*;
    use crate::{Attribute, MemoryCodes, Method, TableRecipe};

    fn layout(settings: &str) -> TableLayout {
        let recipe = TableRecipe::new(Method::Mst).with_settings(settings).unwrap();
        let attributes = vec![Attribute::listed(2), Attribute::ordered(1, 4), Attribute::listed(3)];
        TableLayout::new(attributes, &recipe).unwrap()
    }

    fn spends() -> [Spend; 2] {
        [Spend::Concentrated(Rho::parse("0.125").unwrap()), Spend::Pure(Epsilon::parse("1").unwrap())]
    }

    fn nearly_exact() -> Spend {
        Spend::Concentrated(Rho::parse("1000000").unwrap())
    }

    /// Rows of which cells follow from their number.
    fn rows(count: u32, shift: u32) -> Vec<u32> {
        (0..count).flat_map(|row| [(row + shift) % 2, row % 5, (row + shift) / 2 % 3]).collect()
    }

    fn plain_distance(real: &[u32], public: &[u32], set: &[usize]) -> f64 {
        let mut shares = std::collections::BTreeMap::<Vec<u32>, f64>::new();
        for (rows, sign) in [(real, 1.0), (public, -1.0)] {
            let count = (rows.len() / 3) as f64;
            for row in rows.chunks(3) {
                *shares.entry(set.iter().map(|at| row[*at]).collect()).or_default() += sign / count;
            }
        }
        shares.values().map(|share| share.abs()).sum::<f64>() / 2.0
    }

    #[test]
    fn with_hardly_any_noise_distances_are_those_of_a_plain_loop() {
        let (real, public) = (rows(3_000, 0), rows(700, 1));
        for compared in Compared::ALL {
            let distances = TableDistances::new(layout(""), compared, 1, &nearly_exact()).unwrap();
            let memory = |codes: &Vec<u32>| MemoryCodes::new(codes.clone(), 3);
            let released = distances.release(&memory(&public), &memory(&real), &mut seeded(1)).unwrap();
            let all = distances.distances(&released).unwrap();
            let mut sum = 0.0;
            for found in &all[1..] {
                let truth = plain_distance(&real, &public, &found.columns);
                sum += truth;
                assert!((found.share - truth).abs() < 2e-3, "{found:?} for {truth}");
                assert!(found.interval.0 <= truth && truth <= found.interval.1, "{found:?} for {truth}");
            }
            assert!((all[0].share - sum / (all.len() - 1) as f64).abs() < 2e-3);
        }
    }

    /// Specification: given the noisy number of rows, a person of two rows moves no distance by more than two, whatever the public
    /// table is.
    #[test]
    fn a_person_moves_a_distance_by_no_more_than_their_rows() {
        let distances = TableDistances::new(layout(""), Compared::Pairs, 2, &spends()[0]).unwrap();
        let counts = |codes: &[u32]| distances.counts(&MemoryCodes::new(codes.to_vec(), 3)).unwrap();
        let exact = |public: &[u32], private: &[u32], number: i128| -> Vec<i128> {
            let both = counts(private).into_iter().zip(counts(public));
            both.map(|(real, made_up)| rows_apart(&real, &made_up, 7, number)).collect()
        };
        let mut words = seeded(9);
        let mut largest = 0;
        for _ in 0..3_000 {
            let mut draw =
                |count: u32| -> Vec<u32> { (0..count * 3).map(|_| (words() % 5) as u32).collect() };
            let (public, others, person) = (draw(7), draw(4), draw(2));
            for number in [1, 4, 1_000] {
                let with = exact(&public, &[others.clone(), person.clone()].concat(), number);
                let without = exact(&public, &others, number);
                let moved = with.iter().zip(&without).map(|(with, without)| (with - without).abs()).max();
                largest = largest.max(moved.unwrap_or_default());
            }
        }
        assert_eq!(largest, 2, "never more than two rows, and two are reached");
    }

    #[test]
    fn the_loss_is_the_whole_price_and_noise_is_that_of_all_distances() {
        let [rho, epsilon] = spends();
        let of_rho = TableDistances::new(layout(""), Compared::Pairs, 2, &rho).unwrap();
        assert_eq!(*of_rho.loss(), Loss::zcdp(Rho::parse("0.125").unwrap()));
        // k²·m/(2·0.95·ρ) = 4·3/(2·0.11875), and k²/(2·0.05·ρ) for the number of rows.
        assert_eq!(
            of_rho.noise.variance_parameter(),
            Some(&(Rational::from(12) / Rational::parse("0.2375").unwrap()))
        );
        assert_eq!(
            of_rho.size.variance_parameter(),
            Some(&(Rational::from(4) / Rational::parse("0.0125").unwrap()))
        );
        let of_epsilon = TableDistances::new(layout(""), Compared::Pairs, 2, &epsilon).unwrap();
        assert_eq!(of_epsilon.loss().pure_epsilon(), Some(Epsilon::parse("1").unwrap()));
        assert_eq!(of_epsilon.noise.scale_upper(), Rational::from(6) / Rational::parse("0.95").unwrap());
    }

    /// Specification: 4,000 intervals (1,000 releases, three pairs and their mean) hold the plain distance. Each misses with 5 % at most:
    /// if they missed independently, more than 360 of 4,000 would be seen with less than 1e-18; noise of one release is shared by
    /// the number of rows alone, so the bound is taken for each of the four places on its own: more than 110 of 1,000 has
    /// probability below 1e-13 (Chernoff).
    #[test]
    fn intervals_hold_what_they_say() {
        let (real, public) = (rows(500, 0), rows(300, 1));
        for spend in spends() {
            let distances = TableDistances::new(layout(""), Compared::Pairs, 1, &spend).unwrap();
            let mut missed = [0; 4];
            for seed in 0..1_000 {
                let memory = |codes: &Vec<u32>| MemoryCodes::new(codes.clone(), 3);
                let released =
                    distances.release(&memory(&public), &memory(&real), &mut seeded(seed)).unwrap();
                let all = distances.distances(&released).unwrap();
                let truths: Vec<f64> =
                    all[1..].iter().map(|it| plain_distance(&real, &public, &it.columns)).collect();
                let mean = truths.iter().sum::<f64>() / 3.0;
                for ((missed, found), truth) in missed.iter_mut().zip(&all).zip([mean].iter().chain(&truths))
                {
                    let held = found.interval.0 - 1e-12 <= *truth && *truth <= found.interval.1 + 1e-12;
                    *missed += usize::from(!held);
                }
            }
            assert!(missed.iter().all(|missed| *missed <= 110), "{missed:?}");
        }
    }

    #[test]
    fn empty_tables_have_distances_and_too_many_values_are_refused() {
        let distances = TableDistances::new(layout(""), Compared::Pairs, 1, &spends()[0]).unwrap();
        let nothing = MemoryCodes::new(Vec::new(), 3);
        let released = distances.release(&nothing, &nothing, &mut seeded(2)).unwrap();
        let all = distances.distances(&released).unwrap();
        assert!(all.iter().all(|found| found.interval.0 <= found.share && found.share <= found.interval.1));
        assert_eq!(distances.distances(&released[1..]), None, "numbers of other columns");
        let recipe = TableRecipe::new(Method::Mst);
        let wide =
            TableLayout::new(vec![Attribute::listed(5_000), Attribute::listed(5_000)], &recipe).unwrap();
        let refused = TableDistances::new(wide.clone(), Compared::Pairs, 1, &spends()[0]);
        assert!(refused.err().unwrap().to_string().contains("`columns`"));
        assert!(TableDistances::new(wide, Compared::Columns, 1, &spends()[0]).is_ok());
    }
}
