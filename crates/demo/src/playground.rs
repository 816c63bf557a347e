//! Lessons on made-up people: one idea each, with the product's own mechanisms and fresh noise.
//!
//! **Made up.** Every number here is a constant of this file or noise: no catalog, no ledger and no file is opened, so that anybody may
//! look. **Bounded.** A lesson has a few prices, and draws at most [`DRAWS_MAX`] numbers, whoever asks.

use pointillist_attack::differencing::two_counts::{self, Counts};
use pointillist_graph::{Graph, Method, Privacy, Public, Question, Statistic, plan};
use pointillist_mechanisms::{AdditiveNoise, RandomizedResponse};
use pointillist_noise::{SecureBits, with_system_bits};
use pointillist_privacy::{Epsilon, FailureProbability, Spend};

/// The prices that lessons are shown at, from private to sharp.
pub const PRICES: [&str; 11] = ["0.05", "0.1", "0.2", "0.3", "0.5", "0.7", "1", "1.5", "2", "3", "5"];
/// How often the lesson on averaging asks, step by step.
pub const REPETITIONS: [usize; 11] = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024];
/// The price of one answer in the lesson on averaging.
pub const AVERAGING_PRICE: &str = "0.1";
/// Dots of one heap.
pub const DOTS: usize = 60;
/// The most numbers that a lesson draws.
pub const DRAWS_MAX: usize = 70_000;

/// Patients of a made-up hospital who tested positive.
pub const POSITIVE: i64 = 2_431;
/// People of the survey in the lesson on trust, and how many of them would say yes.
pub const SURVEYED: usize = 1_000;
/// How many of them would say yes.
pub const YES: usize = 300;

/// Pairs of counts by which the attack of the lesson on differences is measured.
const PAIRS: usize = 4_000;
/// Releases of a graph that are drawn for either kind of privacy.
const GRAPH_DRAWS: usize = 30;

/// One number, asked many times.
#[derive(Clone, Debug, PartialEq)]
pub struct NoisyCounts {
    /// What came back.
    pub counts: Vec<i64>,
    /// With 95 % an answer is off by at most this.
    pub error_95: i64,
}

/// Two numbers that differ in one person.
#[derive(Clone, Debug, PartialEq)]
pub struct TwoCounts {
    /// Differences where the person is positive.
    pub if_positive: Vec<i64>,
    /// Differences where they are not.
    pub if_not: Vec<i64>,
    /// One pair, as an attacker sees it.
    pub pair: (i64, i64),
    /// How often the attacker is right.
    pub right_fraction: f64,
    /// How often anybody can be.
    pub right_upper: f64,
    /// With 95 % the count of all patients is off by at most this.
    pub error_95: i64,
}

/// The same number, asked again and again.
#[derive(Clone, Debug, PartialEq)]
pub struct Averages {
    /// Averages where every answer has fresh noise.
    pub fresh: Vec<f64>,
    /// Averages where the recorded answer is given again.
    pub recorded: Vec<f64>,
    /// How many times the price of one answer the fresh ones really cost.
    pub price_factor: usize,
}

/// A graph under both kinds of privacy.
#[derive(Clone, Debug, PartialEq)]
pub struct BothPrivacies {
    /// The true number of ties.
    pub truth: i64,
    /// What hides one tie.
    pub edge: Vec<i64>,
    /// What hides one person with all their ties.
    pub node: Vec<i64>,
    /// About how far nineteen answers in twenty are off, as drawn, hiding a tie and hiding a person.
    pub errors: (i64, i64),
}

/// The same survey with and without somebody who is trusted.
#[derive(Clone, Debug, PartialEq)]
pub struct LocalAndCentral {
    /// Where a curator adds noise once.
    pub central: Vec<i64>,
    /// Where everybody lies a little.
    pub local: Vec<i64>,
    /// With 95 %, how far either is off.
    pub errors: (i64, i64),
    /// Of a hundred people, how many tell the truth.
    pub truthful: f64,
}

/// The price at a step of a slider; the last one for steps beyond.
pub fn price(step: usize) -> Epsilon {
    Epsilon::parse(PRICES[step.min(PRICES.len() - 1)])
        .unwrap_or_else(|_| unreachable!("every price of the list is one"))
}

fn laplace(step: usize) -> Option<AdditiveNoise> {
    AdditiveNoise::for_number(1, &Spend::Pure(price(step))).ok()
}

fn one_in_twenty() -> Option<FailureProbability> {
    FailureProbability::parse("0.05").ok()
}

fn small(number: i128) -> i64 {
    i64::try_from(number).unwrap_or(if number < 0 { i64::MIN } else { i64::MAX })
}

/// A count with fresh noise, [`DOTS`] times. Nothing where the system gives no randomness.
pub fn noisy_counts(step: usize) -> Option<NoisyCounts> {
    let noise = laplace(step)?;
    let drawn = with_system_bits(|bits| noise.sample_many(DOTS, bits)).ok()?;
    let error_95 = small(noise.error_bound(&one_in_twenty()?));
    Some(NoisyCounts {
        counts: drawn.into_iter().map(|each| POSITIVE.saturating_add(small(each))).collect(),
        error_95,
    })
}

/// The difference of two counts, in both worlds, and how well the best guess does.
pub fn two_counts(step: usize) -> Option<TwoCounts> {
    let (noise, spend) = (laplace(step)?, Spend::Pure(price(step)));
    let differences = |truth: i64, bits: &mut dyn SecureBits| -> Vec<i64> {
        let drawn = noise.sample_many(2 * DOTS, bits);
        drawn.chunks(2).map(|pair| truth.saturating_add(small(pair[0] - pair[1]))).collect()
    };
    let drawn = with_system_bits(|bits| {
        let found = two_counts::attack(&Counts::new(41, 40).ok()?, &spend, PAIRS, bits).ok()?;
        Some((differences(1, bits), differences(0, bits), found))
    });
    let (if_positive, if_not, found) = drawn.ok()??;
    let (with, without) = found.released.first().copied()?;
    Some(TwoCounts {
        if_positive,
        if_not,
        pair: (small(with), small(without)),
        right_fraction: found.right_fraction,
        right_upper: found.right_upper,
        error_95: small(noise.error_bound(&one_in_twenty()?)),
    })
}

/// Averages of so many answers at [`AVERAGING_PRICE`] each: with fresh noise, and of the recorded answer.
pub fn averages(step: usize) -> Option<Averages> {
    let repetitions = REPETITIONS[step.min(REPETITIONS.len() - 1)];
    let noise = AdditiveNoise::for_number(1, &Spend::Pure(Epsilon::parse(AVERAGING_PRICE).ok()?)).ok()?;
    let drawn =
        with_system_bits(|bits| (noise.sample_many(DOTS * repetitions, bits), noise.sample_many(DOTS, bits)))
            .ok()?;
    let mean = |answers: &[i128]| {
        let sum: i128 = answers.iter().sum();
        POSITIVE as f64 + sum as f64 / answers.len() as f64
    };
    Some(Averages {
        fresh: drawn.0.chunks(repetitions).map(mean).collect(),
        recorded: drawn.1.chunks(1).map(mean).collect(),
        price_factor: repetitions,
    })
}

/// Where people are drawn, from 0 to 1 each way.
pub type Places = Vec<(f64, f64)>;
/// Who shared a room with whom.
pub type Ties = Vec<(u32, u32)>;

/// Who shared a room with whom, among made-up patients of five wards: pairs of people, and where each is drawn.
pub fn ward_graph() -> (Places, Ties) {
    const WARDS: [(f64, f64); 5] = [(0.18, 0.3), (0.5, 0.2), (0.82, 0.32), (0.32, 0.74), (0.7, 0.76)];
    const PEOPLE: u32 = 8;
    let mut places = Vec::new();
    let mut pairs = Vec::new();
    for (ward, (x, y)) in (0_u32..).zip(WARDS) {
        let first = ward * PEOPLE;
        for person in 0..PEOPLE {
            let turn = f64::from(person) / f64::from(PEOPLE) * std::f64::consts::TAU + 0.4 * f64::from(ward);
            places.push((x + 0.115 * turn.cos(), y + 0.17 * turn.sin()));
            // Neighbours in a ring, and the next but one for every other.
            pairs.push((first + person, first + (person + 1) % PEOPLE));
            if person % 2 == 0 {
                pairs.push((first + person, first + (person + 2) % PEOPLE));
            }
        }
        // A nurse's round ties the wards.
        let next = ((ward + 1) % 5) * PEOPLE;
        pairs.push((first, next + 4));
    }
    // One patient met somebody in every ward.
    pairs.extend((0..5 * PEOPLE).filter(|other| other % 3 == 1 && *other != 12).map(|other| (12, other)));
    let mut pairs: Vec<(u32, u32)> =
        pairs.into_iter().map(|(a, b): (u32, u32)| (a.min(b), a.max(b))).collect();
    pairs.sort_unstable();
    pairs.dedup();
    (places, pairs)
}

/// The number of ties under both kinds of privacy.
pub fn both_privacies(step: usize) -> Option<BothPrivacies> {
    let (places, pairs) = ward_graph();
    let nodes = u32::try_from(places.len()).ok()?;
    let graph = Graph::from_pairs(nodes, pairs);
    let draws = |privacy: Privacy| -> Option<Vec<i64>> {
        let question = Question {
            statistic: Statistic::Edges,
            privacy,
            method: Method::Auto,
            epsilon: price(step),
            delta: None,
        };
        let known = Public { nodes: (privacy == Privacy::Edge).then_some(nodes), listed: true };
        let mechanism = plan(&question, &known).ok()?;
        let draw = mechanism.counted(&graph);
        let released =
            with_system_bits(|bits| (0..GRAPH_DRAWS).map(|_| draw(bits)).collect::<Vec<_>>()).ok()?;
        let value = |released: &Vec<i128>| {
            Some(mechanism.present(released)?.estimates.first()?.value.as_f64().round() as i64)
        };
        released.iter().map(value).collect()
    };
    let truth = i64::try_from(graph.edges()).ok()?;
    let (edge, node) = (draws(Privacy::Edge)?, draws(Privacy::Node)?);
    let off = |drawn: &[i64]| {
        let mut off: Vec<i64> = drawn.iter().map(|each| (each - truth).abs()).collect();
        off.sort_unstable();
        off.get((off.len() * 19).div_ceil(20).saturating_sub(1)).copied().unwrap_or_default()
    };
    Some(BothPrivacies { truth, errors: (off(&edge), off(&node)), edge, node })
}

/// How many say yes, asked by somebody who is trusted and by nobody who is.
pub fn local_and_central(step: usize) -> Option<LocalAndCentral> {
    let (epsilon, beta) = (price(step), one_in_twenty()?);
    let noise = laplace(step)?;
    let response = RandomizedResponse::for_epsilon(&epsilon);
    let answers: Vec<bool> = (0..SURVEYED).map(|person| person < YES).collect();
    let people = SURVEYED as u64;
    let drawn = with_system_bits(|bits| {
        let central: Vec<i64> =
            noise.sample_many(DOTS, bits).into_iter().map(|each| YES as i64 + small(each)).collect();
        let survey = |_| {
            let ones = response.release_all(&answers, bits).into_iter().filter(|yes| *yes).count();
            Some(response.estimate(ones as u64, people).ok()?.count.to_f64_upper().round() as i64)
        };
        Some((central, (0..DOTS).map(survey).collect::<Option<Vec<i64>>>()?))
    });
    let (central, local) = drawn.ok()??;
    let errors =
        (small(noise.error_bound(&beta)), response.error_bound(people, &beta).to_f64_upper().ceil() as i64);
    let truthful = 1.0 - response.lie_probability(64).upper().to_f64_upper();
    Some(LocalAndCentral { central, local, errors, truthful })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Specification: every step of every slider answers, and no lesson draws more than it may.
    #[test]
    fn every_step_of_every_lesson_answers() {
        for step in 0..PRICES.len() {
            assert_eq!(noisy_counts(step).unwrap().counts.len(), DOTS);
            let two = two_counts(step).unwrap();
            assert!(two.if_positive.len() == DOTS && (0.0..=1.0).contains(&two.right_fraction));
            assert_eq!(averages(step).unwrap().fresh.len(), DOTS);
            let both = both_privacies(step).unwrap();
            assert!(both.edge.len() == GRAPH_DRAWS && both.node.len() == GRAPH_DRAWS);
            let survey = local_and_central(step).unwrap();
            assert!(survey.local.len() == DOTS && survey.errors.1 > survey.errors.0, "{:?}", survey.errors);
        }
        assert!(DOTS * REPETITIONS[REPETITIONS.len() - 1] <= DRAWS_MAX);
        const { assert!(DOTS * SURVEYED <= DRAWS_MAX) };
        assert_eq!(price(usize::MAX), Epsilon::parse("5").unwrap());
    }

    /// Specification: error bars grow as the price falls.
    #[test]
    fn a_smaller_price_is_a_wider_error_bar() {
        let errors: Vec<i64> = (0..PRICES.len()).map(|step| noisy_counts(step).unwrap().error_95).collect();
        assert!(errors.is_sorted_by(|a, b| a >= b) && errors[0] > errors[errors.len() - 1], "{errors:?}");
    }

    #[test]
    fn the_graph_has_no_tie_twice() {
        let (places, pairs) = ward_graph();
        let mut seen: Vec<(u32, u32)> = pairs.iter().map(|(a, b)| (*a.min(b), *a.max(b))).collect();
        seen.sort_unstable();
        let before = seen.len();
        seen.dedup();
        assert_eq!((before, places.len()), (seen.len(), 40));
        assert!(pairs.iter().all(|(a, b)| a != b));
    }
}
