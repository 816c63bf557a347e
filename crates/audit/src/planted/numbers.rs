//! Too little noise on numbers, and numbers that move further than was thought.

use pointillist_mechanisms::AdditiveNoise;
use pointillist_mechanisms::DiscreteGaussianMechanism;
use pointillist_mechanisms::GaussianMechanism;
use pointillist_mechanisms::GeometricMechanism;
use pointillist_mechanisms::Grid;
use pointillist_mechanisms::LaplaceMechanism;
use pointillist_mechanisms::Mean;
use pointillist_mechanisms::Variance;
use pointillist_mechanisms::{BoundedSum, Origin};
use pointillist_noise::RoundedGaussian;
use pointillist_numbers::Rational;
use pointillist_privacy::{Loss, Neighbours, Spend};

use super::{
    CONSTANT, Planted, delta, epsilon, l1, l2, noise_for, number, price, pure, rational, rho, table,
};
use crate::{Observation, Part, Trial};

pub(super) fn planted() -> Vec<Planted> {
    vec![
        Planted::new(
            "The noise is drawn for twice the ε that is charged.",
            counted("count with half the noise", "2"),
        ),
        Planted::new(
            "The scale of the noise was rounded to four fifths of what it has to be.",
            counted("count with a fifth less noise", "1.25"),
        )
        .after(40_000),
        half_sigma(),
        half_sigma_discrete(),
        Planted::new(
            "The textbook's σ is proven for ε up to 1 and was used at ε = 6.",
            classical_beyond_one(),
        )
        .after(250_000),
        Planted::new(
            "Values go up to ten, and the noise hides a change of one.",
            number("sum with the noise of a count", 1, |rows: &Vec<i128>| rows.iter().sum()).pair(
                "somebody with a ten",
                vec![3, 4],
                vec![3, 4, 10],
            ),
        ),
        Planted::new(
            "Values are summed as they come, and the noise is for values up to ten.",
            number("sum without a clamp", 10, |rows: &Vec<i128>| rows.iter().sum()).pair(
                "somebody with forty",
                vec![3, 4, 5],
                vec![3, 4, 5, 40],
            ),
        ),
        Planted::new(
            "The noise is for the width of the range, and whoever joins brings a whole value.",
            number("sum with the noise of its range", 5, |rows: &Vec<i128>| {
                rows.iter().map(|row| row.clamp(&5, &10)).sum()
            })
            .pair("somebody joins with a ten", vec![5], vec![5, 10]),
        ),
        Planted::new(
            "The bounds were taken from the data, so their largest value sets the noise.",
            bounds_from_data(),
        ),
        Planted::new(
            "The noisy sum is divided by the exact number of rows, and remainders tell it.",
            true_count(),
        ),
        Planted::new(
            "The grid of the answer is as fine as there are rows, so the grid tells how many.",
            grid_of_rows(),
        ),
        Planted::new("The mean has noise; the number of missing values beside it has none.", exact_nulls()),
        Planted::new("A value that is not a number passes the clamp.", not_a_number()),
        Planted::new(
            "Sum and count are paid for once, but released each at the whole price.",
            whole_price_twice(),
        ),
        Planted::new(
            "The squares of values beyond the bounds are summed without the clamp.",
            squares_unclamped(),
        ),
        Planted::new(
            "Three counts move when somebody joins; each has the noise of a single one.",
            one_of_three(),
        ),
        Planted::new(
            "Rounding to the grid moves an answer further than before, and was not counted.",
            rounding(),
        ),
        Planted::new("Rounding moves each of three answers, and was counted for one.", rounding_of_several())
            .after(20_000),
        Planted::new(
            "Floats round at every step of a sum, so a change of two can move it by 128.",
            float_sum(),
        ),
        Planted::new("The same question was answered five times and charged once.", asked_again()),
        Planted::new("A maximum moves by the whole range, and has the noise of a count.", maximum()),
    ]
}

fn counted(name: &str, spent: &str) -> Trial<i128> {
    let mechanism = GeometricMechanism::new(&l1("1"), &epsilon(spent)).expect(CONSTANT);
    Trial::new(name, pure("1"), move |count: &i128, bits| Observation::of(mechanism.release(*count, bits)))
        .pair("one more", 70, 71)
}

fn half_sigma() -> Planted {
    let claim = GaussianMechanism::new(&epsilon("1"), &delta("0.02"), &l2("20")).expect(CONSTANT).loss();
    let mechanism = GaussianMechanism::new(&epsilon("1"), &delta("0.02"), &l2("10")).expect(CONSTANT);
    let trial = Trial::new("Gaussian with half the σ", claim, move |answer: &i128, bits| {
        Observation::of(mechanism.release(*answer, bits))
    });
    Planted::new("The sensitivity was halved before σ was computed.", trial.pair("twenty more", 0, 20))
}

fn half_sigma_discrete() -> Planted {
    let mechanism = DiscreteGaussianMechanism::for_rho(&rho("2"), &l2("3")).expect(CONSTANT);
    let trial = Trial::new(
        "discrete Gaussian with half the σ",
        Loss::zcdp(rho("0.5")),
        move |answer: &i128, bits| Observation::of(mechanism.release(*answer, bits)),
    );
    Planted::new("σ was divided by two where σ² should have been.", trial.pair("three more", 0, 3))
}

/// σ = Δ·√(2·ln(1.25/δ))/ε for Δ = 1000, ε = 6 and δ = 0.7: the smallest ε at which samples can tell.
fn classical_beyond_one() -> Trial<i128> {
    let sigma = 1000.0 * (2.0 * (1.25f64 / 0.7).ln()).sqrt() / 6.0;
    let noise = RoundedGaussian::new(&Rational::from(sigma as u64)).expect(CONSTANT);
    let claim = Loss::approximate(epsilon("6"), delta("0.7"));
    Trial::new("Gaussian by the textbook beyond ε = 1", claim, move |answer: &i128, bits| {
        Observation::of(answer + noise.sample(bits))
    })
    .pair("a thousand more", 0, 1000)
}

fn bounds_from_data() -> Trial<Vec<i64>> {
    Trial::new("sum between the bounds of the data", pure("1"), |rows: &Vec<i64>, bits| {
        let grid = Grid::integers(0, rows.iter().copied().max().unwrap_or(1)).expect(CONSTANT);
        let sum =
            BoundedSum::new(&grid, Origin::Zero, 1, Neighbours::AddRemove, &price("1")).expect(CONSTANT);
        Observation::of(sum.release(rows.iter().map(|row| [*row]), bits))
    })
    .pair("somebody with forty", vec![3, 4, 5], vec![3, 4, 5, 40])
}

fn true_count() -> Trial<Vec<i64>> {
    let mechanism = Mean::new(&Grid::integers(0, 10).expect(CONSTANT), 1, &price("1")).expect(CONSTANT);
    Trial::new("mean over the true count", pure("1"), move |rows: &Vec<i64>, bits| {
        let released = mechanism.release(rows.iter().map(|row| [*row]), bits);
        Observation::of(released.centred_sum as f64 / rows.len() as f64)
    })
    .pair("seven or eight", vec![5; 7], vec![5; 8])
}

fn grid_of_rows() -> Trial<u64> {
    Trial::new("mean on a grid of the true count", pure("1"), |rows: &u64, bits| {
        let step = Rational::ratio(1, u128::from(*rows));
        let mechanism = LaplaceMechanism::new(&l1("1"), 1, &epsilon("1"), &step).expect(CONSTANT);
        Observation::of(mechanism.release(&rational("5"), bits).to_f64_upper())
    })
    .pair("seven or eight", 7, 8)
}

/// A missing value adds nothing to the sum, and one to a count that nobody thought of as an answer.
fn exact_nulls() -> Trial<Vec<Option<i128>>> {
    let noise = noise_for(10);
    Trial::new(
        "mean with an exact count of missing values",
        pure("1"),
        move |rows: &Vec<Option<i128>>, bits| {
            let sum = noise.release(rows.iter().flatten().sum(), bits);
            Observation::of(sum).with("missing", rows.iter().filter(|row| row.is_none()).count())
        },
    )
    .pair("somebody without a value", vec![Some(4), None], vec![Some(4), None, None])
}

fn not_a_number() -> Trial<Vec<f64>> {
    let noise = noise_for(10);
    Trial::new("sum of floats that are clamped", pure("1"), move |rows: &Vec<f64>, bits| {
        let sum: f64 = rows.iter().map(|row| row.clamp(0.0, 10.0)).sum();
        Observation::of(sum + noise.sample(bits) as f64)
    })
    .pair("somebody whose value is not a number", vec![3.0, 4.0], vec![3.0, 4.0, f64::NAN])
}

fn whole_price_twice() -> Trial<Vec<i64>> {
    let mechanism = Mean::new(&Grid::integers(0, 10).expect(CONSTANT), 1, &price("2")).expect(CONSTANT);
    Trial::new("mean with the whole price for sum and count", pure("1"), move |rows: &Vec<i64>, bits| {
        let released = mechanism.release(rows.iter().map(|row| [*row]), bits);
        Observation::new().with("sum", released.centred_sum).with("count", released.count)
    })
    .pair("somebody at the top", vec![5; 3], vec![5, 5, 5, 10])
}

fn squares_unclamped() -> Trial<Vec<i128>> {
    let mechanism = Variance::new(&Grid::integers(-2, 2).expect(CONSTANT), 1, &price("1")).expect(CONSTANT);
    Trial::new("variance without a clamp", pure("1"), move |rows: &Vec<i128>, bits| {
        let squares = rows.iter().map(|row| 2 * (2 * row) * (2 * row) - 16).sum();
        let released =
            mechanism.release_bounded([2 * rows.iter().sum::<i128>(), squares, rows.len() as i128], bits);
        let seen = Observation::new().with("sum", released.centred_sum).with("count", released.count);
        seen.with("squares", released.centred_squares)
    })
    .pair("somebody with nine", vec![1, 0], vec![1, 0, 9])
}

fn one_of_three() -> Trial<i128> {
    table("three counts with the noise of one", 1, |count: &i128| {
        vec![("a", *count), ("b", *count), ("c", *count)]
    })
    .pair("somebody in all three", 7, 8)
}

/// Answers 0.6 apart that become integers one apart.
fn rounding() -> Trial<Rational> {
    let noise = AdditiveNoise::for_epsilon(&l1("0.6"), &epsilon("1")).expect(CONSTANT);
    Trial::new("Laplace that forgets the rounding", pure("1"), move |answer: &Rational, bits| {
        let rounded = i128::try_from((answer + &rational("0.5")).floor()).expect(CONSTANT);
        Observation::of(noise.release(rounded, bits))
    })
    .pair("four tenths or one", rational("0.4"), rational("1"))
}

/// Answers that move by one third each, which is one in sum, and by one each when rounded to integers.
fn rounding_of_several() -> Trial<Rational> {
    let step = Rational::one();
    let mechanism = LaplaceMechanism::new(&l1("1"), 1, &epsilon("1"), &step).expect(CONSTANT);
    Trial::new("Laplace that forgets the rounding of several", pure("1"), move |answer: &Rational, bits| {
        let released = mechanism.release_all(&vec![answer.clone(); 3], bits);
        Observation::list(released.iter().map(|answer| Part::from(answer.to_f64_upper())))
    })
    .pair("three answers a third apart", rational("0.4"), rational("0.4") + rational("1/3"))
}

/// A thousand values between L and L + 2, summed from left to right: the case of Casacuberta and others 2022.
fn float_sum() -> Trial<f64> {
    const LOWER: f64 = 1_000_000_000_000_063.0;
    let noise = noise_for(2);
    Trial::new("sum in floats", pure("1"), move |last: &f64, bits| {
        let sum = (0..999).fold(0.0, |sum, _| sum + LOWER) + (LOWER + last);
        Observation::of(noise.release(sum as i128, bits))
    })
    .pair("the last value changes by two", 0.0, 2.0)
}

fn asked_again() -> Trial<i128> {
    let noise = noise_for(1);
    Trial::new("count that is answered five times", pure("1"), move |count: &i128, bits| {
        Observation::list((0..5).map(|_| noise.release(*count, bits)).collect::<Vec<_>>())
    })
    .pair("one more", 70, 71)
}

fn maximum() -> Trial<Vec<i128>> {
    let noise = AdditiveNoise::for_number(1, &Spend::Pure(epsilon("1"))).expect(CONSTANT);
    Trial::new("maximum with the noise of a count", pure("1"), move |rows: &Vec<i128>, bits| {
        Observation::of(noise.release(rows.iter().copied().max().unwrap_or(0), bits))
    })
    .pair("the tallest leaves", vec![3, 4, 9], vec![3, 4])
}
