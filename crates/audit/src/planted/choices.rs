//! Choices that follow the scores too closely.

use pointillist_mechanisms::ExponentialMechanism;
use pointillist_mechanisms::NoisyMax;
use pointillist_mechanisms::PermuteAndFlip;
use pointillist_mechanisms::Pricing;
use pointillist_mechanisms::TopK;
use pointillist_mechanisms::Tuning;
use pointillist_mechanisms::{ContinuousMedian, ExponentialOnLine, Line};
use pointillist_mechanisms::{Movement, Scores};
use pointillist_noise::SecureBits;
use pointillist_numbers::Rational;
use pointillist_privacy::{Loss, Neighbours, Rho};

use super::{CONSTANT, Planted, epsilon, linf, noise_for, pure, rational};
use crate::{Observation, Trial};

/// Scores of candidates.
type Values = Vec<i64>;

pub(super) fn planted() -> Vec<Planted> {
    let bounded_range = || Loss::bounded_range(epsilon("1"));
    vec![
        Planted::new("The sensitivity of the scores was halved.", {
            let mechanism =
                ExponentialMechanism::new(&linf("0.5"), Movement::General, &epsilon("1")).expect(CONSTANT);
            pulled_apart("exponential with half the sensitivity", bounded_range(), move |values, bits| {
                mechanism.release(&scores(values), bits)
            })
        }),
        Planted::new("Weights for scores that all rise together were used for scores that rise and fall.", {
            let mechanism =
                ExponentialMechanism::new(&linf("1"), Movement::Monotone, &epsilon("1")).expect(CONSTANT);
            pulled_apart("exponential with monotone weights", bounded_range(), move |values, bits| {
                mechanism.release(&scores(values), bits)
            })
        }),
        Planted::new("The best candidate was taken: a choice looks harmless, and is not.", {
            pulled_apart("best candidate without noise", pure("1"), |values, _| best(values))
        }),
        Planted::new("Noisy scores have half the noise that they need.", {
            let mechanism = NoisyMax::new(&linf("0.5"), Movement::General, &epsilon("1")).expect(CONSTANT);
            pulled_apart("noisy max with half the sensitivity", pure("1"), move |values, bits| {
                mechanism.release(values, bits).expect(CONSTANT)
            })
        })
        .after(30_000),
        Planted::new("Noise for scores that all rise together was used for scores that rise and fall.", {
            let mechanism = NoisyMax::new(&linf("1"), Movement::Monotone, &epsilon("2")).expect(CONSTANT);
            pulled_apart("noisy max with monotone noise", pure("2"), move |values, bits| {
                mechanism.release(values, bits).expect(CONSTANT)
            })
        })
        .after(40_000),
        Planted::new(
            "All noisy scores are shown, where only the place of the largest was paid for.",
            with_scores(),
        ),
        Planted::new("The sensitivity of the scores was halved.", {
            let mechanism =
                PermuteAndFlip::new(&linf("0.5"), Movement::General, &epsilon("1")).expect(CONSTANT);
            pulled_apart("permute and flip with half the sensitivity", pure("1"), move |values, bits| {
                mechanism.release(&scores(values), bits)
            })
        }),
        Planted::new("The ρ of the exponential mechanism, ε²/8, was charged for permute and flip.", {
            let mechanism =
                PermuteAndFlip::new(&linf("1"), Movement::General, &epsilon("1")).expect(CONSTANT);
            let claim = Loss::zcdp(Rho::from_bounded_range(&epsilon("1")).expect(CONSTANT));
            Trial::new("permute and flip charged as bounded range", claim, move |values: &Values, bits| {
                Observation::of(mechanism.release(&scores(values), bits))
            })
            .pair("a tie, pulled apart", vec![0, 0], vec![1, -1])
        })
        .after(40_000),
        Planted::new("Each of four rounds chooses at the whole price.", rounds_at_the_whole_price())
            .after(30_000),
        Planted::new("Weights for records that come and go were used for records that are exchanged.", {
            let mechanism = Tuning::new(Neighbours::AddRemove, &epsilon("1")).expect(CONSTANT);
            let release = move |correct: &[u64; 2], bits: &mut dyn SecureBits| {
                Observation::of(mechanism.release(correct, bits).expect(CONSTANT))
            };
            Trial::new("tuning on exchanged records", bounded_range(), release).pair(
                "a record is exchanged",
                [10, 10],
                [11, 9],
            )
        }),
        Planted::new(
            "The model with the most right answers was taken: validation data count as private too.",
            {
                let release = |correct: &[u64; 2], _: &mut dyn SecureBits| {
                    Observation::of(usize::from(correct[1] >= correct[0]))
                };
                Trial::new("tuning without noise", pure("1"), release).pair(
                    "a record is exchanged",
                    [10, 10],
                    [11, 9],
                )
            },
        ),
        Planted::new(
            "The weights were made for the mean price, and somebody pays the highest.",
            mean_price(),
        ),
        Planted::new("The price with the highest revenue was taken.", best_price()),
        Planted::new("The upper end of the line was taken from the data.", stretched()),
        Planted::new("The score's sensitivity was halved.", half_on_a_line()),
        Planted::new(
            "Weights are computed in floats, and vanish all at once when scores are low.",
            underflow(),
        ),
    ]
}

fn scores(values: &[i64]) -> Scores {
    Scores::from_integers(values).expect(CONSTANT)
}

fn best(values: &[i64]) -> usize {
    (0..values.len()).min_by_key(|place| -values[*place]).expect(CONSTANT)
}

/// A choice between candidates of which one rises and the others fall.
fn pulled_apart(
    name: &str,
    claim: Loss,
    release: impl Fn(&Values, &mut dyn SecureBits) -> usize + Send + 'static,
) -> Trial<Values> {
    Trial::new(name, claim, move |values: &Values, bits| Observation::of(release(values, bits)))
        .pair("a tie, pulled apart", vec![0, 0], vec![1, -1])
        .pair("one of four rises, the others fall", vec![0; 4], vec![-1, -1, -1, 1])
}

fn with_scores() -> Trial<[i128; 3]> {
    let noise = noise_for(1);
    Trial::new("noisy max with all scores", pure("1"), move |values: &[i128; 3], bits| {
        let noisy = values.map(|value| noise.release(value, bits));
        let best = (0..3).min_by_key(|place| -noisy[*place]).expect(CONSTANT);
        Observation::list(noisy).with("best", best)
    })
    .pair("all rise", [4, 5, 6], [5, 6, 7])
}

fn rounds_at_the_whole_price() -> Trial<Values> {
    let mechanism = TopK::new(4, &linf("1"), Movement::General, &epsilon("4")).expect(CONSTANT);
    Trial::new("top four at four times the price", pure("1"), move |values: &Values, bits| {
        Observation::list(mechanism.release(&scores(values), bits).expect(CONSTANT))
    })
    .pair("four rise, four fall", vec![0; 8], vec![1, 1, 1, 1, -1, -1, -1, -1])
}

/// Prices of which one is far above the others, and a newcomer who buys at it.
fn mean_price() -> Trial<Vec<i128>> {
    let prices = [1, 2, 3, 30].map(Rational::from).to_vec();
    let mechanism = ExponentialMechanism::new(&linf("9"), Movement::Monotone, &epsilon("1")).expect(CONSTANT);
    Trial::new(
        "pricing with the mean price",
        Loss::bounded_range(epsilon("1")),
        move |bids: &Vec<i128>, bits| {
            let buyers = |price: &Rational| bids.iter().filter(|bid| Rational::from(**bid) >= *price).count();
            let revenues = prices.iter().map(|price| price * &Rational::from(buyers(price))).collect();
            Observation::of(mechanism.release(&Scores::new(revenues).expect(CONSTANT), bits))
        },
    )
    .pair("somebody who pays any price", vec![1, 1], vec![1, 1, 30])
}

fn best_price() -> Trial<Vec<i128>> {
    let prices = [100, 301].map(Rational::from);
    let claim = Pricing::new(&prices, &epsilon("1")).expect(CONSTANT).loss();
    Trial::new("best price without noise", claim, |bids: &Vec<i128>, _| {
        let revenue = |price: &i128| price * bids.iter().filter(|bid| *bid >= price).count() as i128;
        Observation::of([100, 301].into_iter().max_by_key(revenue).expect(CONSTANT))
    })
    .pair("one of four leaves", vec![100, 100, 100, 100, 301], vec![100, 100, 301])
    .pair("one of three leaves", vec![100, 100, 100, 301], vec![100, 100, 301])
}

fn stretched() -> Trial<Vec<i64>> {
    Trial::new(
        "median up to the largest value",
        Loss::bounded_range(epsilon("1")),
        |records: &Vec<i64>, bits| {
            let upper = Rational::from(records.iter().copied().max().unwrap_or(4).max(4));
            let line = Line::new(Rational::zero(), upper, Rational::one()).expect(CONSTANT);
            let median = ContinuousMedian::new(&line, Neighbours::AddRemove, &epsilon("1")).expect(CONSTANT);
            let records: Vec<Rational> = records.iter().map(|record| Rational::from(*record)).collect();
            Observation::of(median.release(&records, bits).to_f64_upper())
        },
    )
    .pair("somebody with a thousand", vec![1, 3], vec![1, 3, 1000])
}

fn half_on_a_line() -> Trial<Values> {
    let line = Line::new(Rational::zero(), rational("4"), Rational::one()).expect(CONSTANT);
    let mechanism =
        ExponentialOnLine::new(&line, &linf("0.5"), Movement::General, &epsilon("1")).expect(CONSTANT);
    Trial::new(
        "exponential on a line with half the sensitivity",
        mechanism.loss(),
        move |values: &Values, bits| {
            let released = mechanism.release(&[rational("2")], &scores(values), bits).expect(CONSTANT);
            Observation::of(released.to_f64_upper())
        },
    )
    .pair("one half rises, the other falls", vec![0, 0], vec![1, -1])
}

/// e^(score/2) is zero in floats below a score of −1490.
fn underflow() -> Trial<[f64; 2]> {
    Trial::new("exponential in floats", pure("1"), |values: &[f64; 2], bits: &mut dyn SecureBits| {
        let weights = values.map(|value| (value / 2.0).exp());
        let uniform = bits.take(53) as f64 / 2f64.powi(53);
        let share = weights[0] / (weights[0] + weights[1]);
        if share.is_nan() { Observation::of("no weight is left") } else { Observation::of(uniform < share) }
    })
    .pair("scores fall below what floats hold", [-1490.0, -1490.0], [-1491.0, -1491.0])
}
