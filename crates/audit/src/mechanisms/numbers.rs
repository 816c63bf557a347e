//! One number or a few, with noise added.

use pointillist_mechanisms::Grid;
use pointillist_mechanisms::{BoundedSum, Origin, aggregate::bounded_sum};
use pointillist_mechanisms::{Count, aggregate::count};
use pointillist_mechanisms::{DiscreteGaussianMechanism, number::discrete_gaussian};
use pointillist_mechanisms::{GaussianMechanism, number::gaussian};
use pointillist_mechanisms::{GeometricMechanism, number::geometric};
use pointillist_mechanisms::{LaplaceMechanism, number::laplace};
use pointillist_mechanisms::{Mean, MeanOfKnownCount, aggregate::mean};
use pointillist_mechanisms::{Variance, aggregate::variance};
use pointillist_numbers::Rational;
use pointillist_privacy::{Neighbours, SensitivityL1, Spend};

use super::{Subjects, Terms, in_steps, l1, l2, named};
use crate::{AuditError, Observation, Subject, Trial};

/// One list of grid indexes a person.
type People = Vec<Vec<i64>>;

pub(super) fn subjects(terms: &Terms) -> Subjects {
    let mut all: Vec<Box<dyn Subject>> = vec![
        Box::new(geometric_one(terms)?),
        Box::new(geometric_many(terms)?),
        Box::new(laplace_one(terms)?),
        Box::new(laplace_many(terms)?),
        Box::new(discrete_gaussian_one(terms)?),
        Box::new(discrete_gaussian_many(terms)?),
    ];
    all.extend(gaussians(terms)?);
    for (currency, price) in terms.prices() {
        all.push(Box::new(counts(currency, &price)?));
        all.push(Box::new(means(currency, &price)?));
        all.push(Box::new(variances(currency, &price)?));
    }
    all.extend(sums(terms)?);
    all.push(Box::new(mean_of_known_count(terms)?));
    Ok(all)
}

fn geometric_one(terms: &Terms) -> Result<Trial<i128>, AuditError> {
    let mechanism = GeometricMechanism::new(&l1(2)?, &terms.epsilon)?;
    let end = 1i128 << 125;
    Ok(Trial::new(geometric::CARD.name, mechanism.loss(), move |answer: &i128, bits| {
        Observation::of(mechanism.release(*answer, bits))
    })
    .pair("answers two apart", 100, 102)
    .pair("answers one apart", 100, 101)
    .pair("where sums end", end, end + 2)
    .pair("just below where sums end", end - 3, end - 1))
}

fn geometric_many(terms: &Terms) -> Result<Trial<Vec<i128>>, AuditError> {
    let mechanism = GeometricMechanism::new(&l1(3)?, &terms.epsilon)?;
    let (name, claim) = (named(&geometric::CARD, "three answers"), mechanism.loss());
    Ok(Trial::new(name, claim, move |answers: &Vec<i128>, bits| {
        Observation::list(mechanism.release_all(answers, bits))
    })
    .pair("each moves by one", vec![0; 3], vec![1; 3])
    .pair("one moves by three", vec![0; 3], vec![0, 3, 0])
    .pair("two move against each other", vec![0; 3], vec![2, -1, 0]))
}

/// A step longer than the sensitivity: what is rounded moves by more than the answer does.
fn laplace_one(terms: &Terms) -> Result<Trial<Rational>, AuditError> {
    let step = Rational::one();
    let mechanism = LaplaceMechanism::new(&SensitivityL1::parse("0.6")?, 1, &terms.epsilon, &step)?;
    let tenths = |tenths: i128| Rational::ratio(tenths, 10);
    Ok(Trial::new(laplace::CARD.name, mechanism.loss(), move |answer: &Rational, bits| {
        Observation::of(in_steps(&mechanism.release(answer, bits), &step))
    })
    .pair("rounded apart", tenths(4), tenths(10))
    .pair("rounded together", tenths(-4), tenths(2))
    .pair("either side of a half", tenths(2), tenths(8)))
}

fn laplace_many(terms: &Terms) -> Result<Trial<[Rational; 2]>, AuditError> {
    let step = Rational::ratio(1, 2);
    let mechanism = LaplaceMechanism::new(&l1(1)?, 2, &terms.epsilon, &step)?;
    let (name, claim) = (named(&laplace::CARD, "two answers"), mechanism.loss());
    let tenths = |values: [i128; 2]| values.map(|tenths| Rational::ratio(tenths, 10));
    Ok(Trial::new(name, claim, move |answers: &[Rational; 2], bits| {
        let released = mechanism.release_all(answers, bits);
        Observation::list(released.iter().map(|answer| in_steps(answer, &step)))
    })
    .pair("both rounded away", tenths([2, 2]), tenths([8, 6]))
    .pair("one takes it all", tenths([2, 2]), tenths([12, 2])))
}

/// Answers far apart, so that rounding the noise to integers hides little.
fn gaussians(terms: &Terms) -> Subjects {
    let (epsilon, delta) = (&terms.epsilon, &terms.delta);
    let one = |name: String, mechanism: GaussianMechanism| -> Box<dyn Subject> {
        let claim = mechanism.loss();
        let release = move |answer: &i128, bits: &mut dyn pointillist_noise::SecureBits| {
            Observation::of(mechanism.release(*answer, bits))
        };
        Box::new(Trial::new(name, claim, release).pair("answers twenty apart", 0, 20).pair(
            "answers seven apart",
            0,
            7,
        ))
    };
    let mut all = vec![
        one(gaussian::CARD.name.into(), GaussianMechanism::new(epsilon, delta, &l2(20)?)?),
        one(named(&gaussian::CARD, "ρ"), GaussianMechanism::for_rho(&terms.rho, &l2(20)?)?),
    ];
    if *epsilon.value() <= Rational::one() {
        let textbook = GaussianMechanism::classical(epsilon, delta, &l2(20)?)?;
        all.push(one(named(&gaussian::CARD, "the textbook's σ"), textbook));
    }
    let mechanism = GaussianMechanism::new(epsilon, delta, &l2(25)?)?;
    let (name, claim) = (named(&gaussian::CARD, "two answers"), mechanism.loss());
    let release = move |answers: &[i128; 2], bits: &mut dyn pointillist_noise::SecureBits| {
        Observation::list(mechanism.release_all(answers, bits))
    };
    let many = Trial::new(name, claim, release).pair("both move", [0, 0], [15, -20]).pair(
        "one moves",
        [0, 0],
        [0, 25],
    );
    all.push(Box::new(many));
    Ok(all)
}

fn discrete_gaussian_one(terms: &Terms) -> Result<Trial<i128>, AuditError> {
    let mechanism = DiscreteGaussianMechanism::for_rho(&terms.rho, &l2(3)?)?;
    // The exact (ε, δ) is part of the claim wherever it can be computed.
    let claim = mechanism.loss_of_one(&terms.epsilon).unwrap_or_else(|_| mechanism.loss());
    Ok(Trial::new(discrete_gaussian::CARD.name, claim, move |answer: &i128, bits| {
        Observation::of(mechanism.release(*answer, bits))
    })
    .pair("answers three apart", 0, 3)
    .pair("answers one apart", 0, 1))
}

fn discrete_gaussian_many(terms: &Terms) -> Result<Trial<Vec<i128>>, AuditError> {
    let mechanism = DiscreteGaussianMechanism::for_rho(&terms.rho, &l2(5)?)?;
    let (name, claim) = (named(&discrete_gaussian::CARD, "two answers"), mechanism.loss());
    Ok(Trial::new(name, claim, move |answers: &Vec<i128>, bits| {
        Observation::list(mechanism.release_all(answers, bits))
    })
    .pair("both move", vec![0, 0], vec![3, 4])
    .pair("one moves", vec![0, 0], vec![-5, 0]))
}

fn counts(currency: &str, price: &Spend) -> Result<Trial<Vec<u64>>, AuditError> {
    let mechanism = Count::new(3, price)?;
    let (name, claim) = (named(&count::CARD, currency), mechanism.loss());
    Ok(Trial::new(name, claim, move |rows: &Vec<u64>, bits| {
        Observation::of(mechanism.release(rows.iter().copied(), bits))
    })
    .pair("nobody, or somebody with three rows", vec![], vec![3])
    .pair("somebody has more rows than there are", vec![1, 2], vec![1, 2, u64::MAX])
    .pair("somebody without rows", vec![2], vec![2, 0])
    .pair("one is replaced", vec![2, 0], vec![2, 9]))
}

fn sums(terms: &Terms) -> Subjects {
    let around_zero = Grid::integers(-2, 5)?;
    let above_zero = Grid::integers(5, 10)?;
    let sum =
        |grid: &Grid, origin, neighbours, price: &Spend| BoundedSum::new(grid, origin, 2, neighbours, price);
    let (add_remove, replace) = (Neighbours::AddRemove, Neighbours::ReplaceOne);
    let mut all: Vec<Box<dyn Subject>> = Vec::new();
    for (currency, price) in terms.prices() {
        let joining = sum(&around_zero, Origin::Zero, add_remove, &price)?;
        all.push(Box::new(
            summed(named(&bounded_sum::CARD, currency), joining)
                .pair("nobody, or two rows at the top", vec![], vec![vec![7, 7]])
                .pair("forty rows far beyond the top", vec![vec![3]], vec![vec![3], vec![i64::MAX; 40]])
                .pair("forty rows far below the bottom", vec![vec![3]], vec![vec![3], vec![i64::MIN; 40]])
                .pair("rows that cancel out", vec![], vec![vec![0, 0, 0, 0, 0, 7, 7]]),
        ));
    }
    let replacing = sum(&around_zero, Origin::Zero, replace, &terms.pure())?;
    all.push(Box::new(
        summed(named(&bounded_sum::CARD, "replace one"), replacing)
            .pair("from the bottom to the top", vec![vec![0, 0]], vec![vec![7, 7]])
            .pair("beyond both ends", vec![vec![i64::MIN; 9]], vec![vec![i64::MAX; 9]]),
    ));
    // Bounds that leave zero out: a person with fewer rows is farther away than the width of the range says.
    let away = sum(&above_zero, Origin::Zero, replace, &terms.pure())?;
    all.push(Box::new(
        summed(named(&bounded_sum::CARD, "replace one, bounds away from zero"), away)
            .pair("one row at the bottom, or two at the top", vec![vec![0]], vec![vec![5, 5]])
            .pair("no row, or two at the top", vec![vec![]], vec![vec![5, 5]]),
    ));
    for (origin, variant) in [(Origin::Lower, "from the lower bound"), (Origin::Centre, "from the middle")] {
        let moved = sum(&above_zero, origin, add_remove, &terms.pure())?;
        all.push(Box::new(
            summed(named(&bounded_sum::CARD, variant), moved)
                .pair("two rows at the top", vec![], vec![vec![5, 5]])
                .pair("two rows at the bottom", vec![], vec![vec![0, 0]])
                .pair("many rows at the bottom", vec![vec![5]], vec![vec![5], vec![-1; 30]]),
        ));
    }
    Ok(all)
}

fn summed(name: String, mechanism: BoundedSum) -> Trial<People> {
    let claim = mechanism.loss();
    Trial::new(name, claim, move |people: &People, bits| {
        Observation::of(mechanism.release(people.iter().map(|rows| rows.iter().copied()), bits))
    })
}

fn means(currency: &str, price: &Spend) -> Result<Trial<People>, AuditError> {
    let mechanism = Mean::new(&Grid::integers(0, 10)?, 2, price)?;
    let (name, claim) = (named(&mean::CARD, currency), mechanism.loss());
    Ok(Trial::new(name, claim, move |people: &People, bits| {
        let released = mechanism.release(people.iter().map(|rows| rows.iter().copied()), bits);
        Observation::new().with("sum", released.centred_sum).with("count", released.count)
    })
    .pair("nobody, or two rows at the top", vec![], vec![vec![10, 10]])
    .pair("two rows at the bottom of a crowd", vec![vec![5]; 7], crowd(7, vec![0, 0]))
    .pair("fifty rows beyond the top", vec![vec![5]; 7], crowd(7, vec![i64::MAX; 50]))
    .pair("three rows, two of them at the top", vec![], vec![vec![10, 10, 0]]))
}

fn crowd(people: usize, newcomer: Vec<i64>) -> People {
    let mut all = vec![vec![5]; people];
    all.push(newcomer);
    all
}

fn variances(currency: &str, price: &Spend) -> Result<Trial<People>, AuditError> {
    let mechanism = Variance::new(&Grid::integers(0, 4)?, 2, price)?;
    let (name, claim) = (named(&variance::CARD, currency), mechanism.loss());
    Ok(Trial::new(name, claim, move |people: &People, bits| {
        let released = mechanism.release(people.iter().map(|rows| rows.iter().copied()), bits);
        let seen = Observation::new().with("sum", released.centred_sum).with("count", released.count);
        seen.with("squares", released.centred_squares)
    })
    .pair("two rows at the top", vec![], vec![vec![4, 4]])
    .pair("two rows at the bottom", vec![], vec![vec![0, 0]])
    .pair("two rows in the middle", vec![vec![1]], vec![vec![1], vec![2, 2]])
    .pair("twenty rows beyond both ends", vec![], vec![[[i64::MIN; 10], [i64::MAX; 10]].concat()]))
}

/// The released mean in units of the step over the public count.
fn mean_of_known_count(terms: &Terms) -> Result<Trial<Vec<i64>>, AuditError> {
    let grid = Grid::integers(0, 10)?;
    let unit = Rational::ratio(1, 4);
    let mechanism = MeanOfKnownCount::new(&grid, 4, &terms.pure())?;
    let (name, claim) = (named(&mean::CARD, "of a public number of rows"), mechanism.loss());
    Ok(Trial::new(name, claim, move |rows: &Vec<i64>, bits| match mechanism.release(rows, bits) {
        Ok(mean) => Observation::of(in_steps(&mean, &unit)),
        Err(_) => Observation::of("refused"),
    })
    .pair("one moves from end to end", vec![5, 5, 5, 0], vec![5, 5, 5, 10])
    .pair("one moves from beyond to beyond", vec![5, 5, 5, i64::MIN], vec![5, 5, 5, i64::MAX])
    .pair("all at the top, or all but one", vec![10; 4], vec![10, 10, 10, 0]))
}
