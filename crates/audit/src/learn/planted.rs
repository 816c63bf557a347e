//! Trainers that are broken on purpose, each claiming what the right one would.
//!
//! **Never use anything here to protect anybody.** Where it can be, a leak is our own trainer, given wrong parameters; what a
//! careless implementer forgot is the one line that differs.

use pointillist_learn::{
    AdaSsp, Descent, GaussianObjective, GradientDescent, GradientLoss, Gram, KMeans, MarginLoss,
    MarginProblem, MemoryRows, NaiveBayes, Number, Objective, RowCount, Rows, StepSize, minimum,
};
use pointillist_mechanisms::AdditiveNoise;
use pointillist_noise::{L2Laplace, SecureBits};
use pointillist_numbers::Rational;
use pointillist_privacy::{Epsilon, Loss, Rho, SensitivityL2};

use super::worlds::{World, listed};
use crate::{Observation, Planted, Trial};

/// Why the parameters below never fail.
const CONSTANT: &str = "the parameters of a planted leak are constants";

/// Every broken trainer, with as many releases as show it.
pub(crate) fn planted() -> Vec<Planted> {
    vec![
        leak(
            "The intercept is not penalised, so that nothing bounds how far one person moves it.",
            2000,
            unpenalised_intercept(),
        ),
        leak("The curvature was multiplied by R and goes with R².", 9000, curvature_by_radius()),
        leak("The solver stops early, and the noise is for the minimiser.", 9000, coarse_solver()),
        leak("Which classes there are was read from the data.", 1000, classes_of_data()),
        leak("Clusters that nobody is in are skipped, noise and all.", 1000, empty_clusters_skipped()),
        leak("The first centres are rows.", 1000, centres_from_rows()),
        leak("The noise of products is for R, and they go with R².", 4000, gram_by_radius()),
        leak("A person has three rows, and the noise is for one.", 4000, three_rows_for_one()),
        leak("Classes are summed for two rows a person, with the noise of one.", 20_000, two_rows_for_one()),
        leak("Sums are divided by the exact number of rows.", 1000, exact_rows()),
        leak("Each of four steps has the noise of the whole price.", 6000, whole_price_each_step()),
        leak("The least eigenvalue is shown without noise.", 1000, exact_least_eigenvalue()),
    ]
}

fn leak<D: Send + 'static>(flaw: &'static str, releases: usize, trial: Trial<D>) -> Planted {
    Planted { subject: Box::new(trial), flaw, releases }
}

fn rho(text: &str) -> Rho {
    Rho::parse(text).expect(CONSTANT)
}

/// What everything pure here claims.
fn one() -> Epsilon {
    Epsilon::parse("1").expect(CONSTANT)
}

/// Rows of one length and target.
fn alike(row: &[f64], target: f64, count: usize) -> (Vec<f64>, Vec<f64>) {
    (row.repeat(count), vec![target; count])
}

/// Rows of two kinds, as long as they may be.
fn table(dimension: usize, norm_bound: f64, parts: &[(Vec<f64>, Vec<f64>)]) -> MemoryRows {
    let x = parts.iter().flat_map(|(x, _)| x.iter().copied()).collect();
    let y = parts.iter().flat_map(|(_, y)| y.iter().copied()).collect();
    MemoryRows::new(x, y, dimension, norm_bound, 1)
}

/// Noise of density exp(−‖b‖/scale), on a grid that is fine beside it.
fn laplace(dimension: usize, scale: f64) -> impl Fn(&mut dyn SecureBits) -> Vec<f64> + Send {
    let step = scale * (-30f64).exp2();
    let noise = L2Laplace::new(dimension, &Rational::power_of_two(30)).expect(CONSTANT);
    move |bits| noise.sample(bits).into_iter().map(|count| count as f64 * step).collect()
}

/// A number on a grid that is coarse beside rounding errors and fine beside noise: the last bits of floats are another leak.
fn on_grid(number: f64) -> i64 {
    (number * 14f64.exp2()).round() as i64
}

/// The minimiser of a loss with a penalty and a slope, to a gradient of this length.
fn minimiser(rows: &dyn Rows, loss: MarginLoss, lambda: f64, linear: &[f64], tolerance: f64) -> Vec<f64> {
    minimum(&Objective { rows, loss, lambda, linear }, tolerance).expect("rows in memory stay").theta
}

/// Output perturbation. A feature that is a thousand times as long is as good as not penalised; its coefficient is that of
/// a constant of one.
fn unpenalised_intercept() -> Trial<MemoryRows> {
    let (lambda, long) = (5.0, 1000.0);
    let noise = laplace(2, 1.0 / lambda);
    let rows =
        |last: usize| table(2, 2.0 * long, &[alike(&[0.1, long], -1.0, 5), alike(&[0.1, long], 1.0, last)]);
    Trial::new("learn: output perturbation without a penalty on the intercept", Loss::pure(one()), {
        move |rows: &MemoryRows, bits| {
            let theta = minimiser(rows, MarginLoss::Logistic, lambda, &[0.0; 2], 1e-6);
            let drawn = noise(bits);
            Observation::list([on_grid(theta[0] + drawn[0]), on_grid(theta[1] * long + drawn[1])])
        }
    })
    .pair("the first of a class", rows(0), rows(1))
}

/// Objective perturbation for R = 100, where the curvature cR²/λ = 50 was taken as cR/λ = 1/2.
fn curvature_by_radius() -> Trial<MemoryRows> {
    let (radius, lambda) = (100.0, 200.0);
    let loss = MarginLoss::huber_hinge(0.5).expect(CONSTANT);
    let curvature = loss.curvature_bound().to_f64_nearest();
    let noise = laplace(1, radius / (1.0 - (curvature * radius / lambda).ln_1p()));
    let rows = |count: usize| table(1, radius, &[alike(&[radius], 1.0, count)]);
    Trial::new("learn: objective perturbation with the curvature of R", Loss::pure(one()), {
        move |rows: &MemoryRows, bits| {
            Observation::of(on_grid(minimiser(rows, loss, lambda, &noise(bits), 1e-6)[0]))
        }
    })
    .pair("nobody, or somebody with the longest row", rows(0), rows(1))
}

/// Output perturbation with a solver that is content with a gradient of 2.1: four rows leave it where it began, five do not.
fn coarse_solver() -> Trial<MemoryRows> {
    let lambda = 10.0;
    let noise = laplace(1, 1.0 / lambda);
    let rows = |count: usize| table(1, 1.0, &[alike(&[1.0], 1.0, count)]);
    Trial::new("learn: output perturbation with a coarse solver", Loss::pure(one()), {
        move |rows: &MemoryRows, bits| {
            let theta = minimiser(rows, MarginLoss::Logistic, lambda, &[0.0], 2.1);
            Observation::of(on_grid(theta[0] + noise(bits)[0]))
        }
    })
    .pair("four alike, or five", rows(4), rows(5))
}

fn classes_of_data() -> Trial<World> {
    let world = |classes: &[f64]| {
        let rows: Vec<_> = classes.iter().map(|class| ([1.0, 0.0], *class)).collect();
        World::new(&rows, 1, [1.0, 0.0])
    };
    Trial::new(
        "learn: naive Bayes with the classes of the data",
        Loss::zcdp(rho("0.5")),
        |world: &World, bits| {
            let mut largest = 1.0f64;
            let found = world.rows.for_each_block(&mut |block| {
                largest = block.y.iter().fold(largest, |largest, class| largest.max(*class));
            });
            found.expect("rows in memory stay");
            let numbers = vec![Number { column: 0, low: -1.0, high: 1.0 }];
            let classes = largest as usize + 1;
            let trainer = NaiveBayes::new(numbers, vec![], classes, 2, 1, rho("0.5")).expect(CONSTANT);
            let model = trainer.fit(&world.rows, bits).expect(CONSTANT);
            listed(Observation::new(), "sum", &model.sums)
        },
    )
    .pair("somebody of a class of their own", world(&[0.0, 1.0, 1.0]), world(&[0.0, 1.0, 1.0, 2.0]))
}

/// Numbers around two public centres, counted and summed: a row moves both by at most one.
fn empty_clusters_skipped() -> Trial<Vec<i128>> {
    let sensitivity = SensitivityL2::from_squared(Rational::from(2)).expect(CONSTANT);
    let noise = AdditiveNoise::for_rho(&sensitivity, &rho("0.5")).expect(CONSTANT);
    Trial::new(
        "learn: k-means that skips empty clusters",
        Loss::zcdp(rho("0.5")),
        move |rows: &Vec<i128>, bits| {
            let centres = [-1, 1];
            centres.iter().enumerate().fold(Observation::new(), |seen, (place, centre)| {
                let own: Vec<i128> = rows.iter().copied().filter(|row| row.signum() == *centre).collect();
                let mut sums = [own.len() as i128, own.iter().sum()];
                if !own.is_empty() {
                    sums.iter_mut().for_each(|sum| *sum = noise.release(*sum, bits));
                }
                seen.with(format!("count {}", place + 1), sums[0]).with(format!("sum {}", place + 1), sums[1])
            })
        },
    )
    .pair("somebody in a cluster of their own", vec![-1; 9], vec![-1, -1, -1, -1, -1, -1, -1, -1, -1, 1])
}

/// Bounds that hold the first row and nothing else: the trainer begins there, and where it sees few rows it stays.
fn centres_from_rows() -> Trial<Vec<f64>> {
    Trial::new("learn: k-means that begins with a row", Loss::zcdp(rho("0.01")), |rows: &Vec<f64>, bits| {
        let first = rows[0];
        let trainer = KMeans::new(1, 1, vec![(first, first)], 1.0, 1, rho("0.01")).expect(CONSTANT);
        let table = MemoryRows::new(rows.clone(), vec![0.0; rows.len()], 1, 1.0, 1);
        let model = trainer.fit(&table, bits).expect(CONSTANT);
        listed(listed(Observation::new(), "coordinate", &model.centres), "count", &model.counts)
    })
    .pair("somebody comes first", vec![0.75, 0.5], vec![0.25, 0.75, 0.5])
}

/// σ = R/√(2ρ) is that of R²/√(2ρR²): nine times the price for R = 3.
fn gram_by_radius() -> Trial<MemoryRows> {
    let trainer = Gram::new(2, 3.0, 1, None, rho("4.5")).expect(CONSTANT);
    let rows = |count: usize| table(2, 3.0, &[alike(&[3.0, 0.0], 0.0, count)]);
    Trial::new(
        "learn: Gram matrix with the noise of R",
        Loss::zcdp(rho("0.5")),
        move |rows: &MemoryRows, bits| {
            let release = trainer.fit(rows, bits).expect(CONSTANT);
            listed(Observation::new(), "product", release.numbers())
        },
    )
    .pair("nobody, or somebody with the longest row", rows(0), rows(1))
}

fn three_rows_for_one() -> Trial<MemoryRows> {
    let loss = MarginLoss::huber_hinge(0.5).expect(CONSTANT);
    let problem = MarginProblem::new(loss, 1, 1.0, 1, 20.0).expect(CONSTANT);
    let trainer = GaussianObjective::for_rho(problem, &rho("0.5")).expect(CONSTANT);
    let rows = |count: usize| table(1, 1.0, &[alike(&[1.0], 1.0, count)]);
    Trial::new(
        "learn: Gaussian objective with the noise of one row",
        trainer.loss(),
        move |rows: &MemoryRows, bits| {
            let model = trainer.fit(rows, bits).expect(CONSTANT);
            listed(Observation::new(), "coefficient", &model.coefficients)
        },
    )
    .pair("somebody with three rows", rows(0), rows(3))
}

fn two_rows_for_one() -> Trial<MemoryRows> {
    let numbers = vec![Number { column: 0, low: -1.0, high: 1.0 }];
    let trainer = NaiveBayes::new(numbers, vec![], 2, 1, 1, rho("0.5")).expect(CONSTANT);
    let rows = |count: usize| table(1, 1.0, &[alike(&[1.0], 1.0, count)]);
    Trial::new(
        "learn: naive Bayes with the noise of one row",
        trainer.loss(),
        move |rows: &MemoryRows, bits| {
            let model = trainer.fit(rows, bits).expect(CONSTANT);
            listed(Observation::new(), "sum", &model.sums)
        },
    )
    .pair("somebody with two rows", rows(0), rows(2))
}

/// The declared number is the true one, and is shown with the model.
fn exact_rows() -> Trial<MemoryRows> {
    let rows = |count: usize| table(1, 1.0, &[alike(&[1.0], 1.0, count)]);
    Trial::new(
        "learn: gradient descent over the true number of rows",
        Loss::zcdp(rho("0.5")),
        |rows: &MemoryRows, bits| {
            let mut count = 0;
            rows.for_each_block(&mut |block| count += block.len() as u64).expect("rows in memory stay");
            let descent = Descent { steps: 1, rows: RowCount::Declared(count), ..Descent::default() };
            let trainer =
                GradientDescent::new(GradientLoss::Logistic, descent, 1, 1.0, 1, rho("0.5")).expect(CONSTANT);
            let model = trainer.fit(rows, bits).expect(CONSTANT);
            listed(Observation::new(), "coefficient", &model.coefficients).with("rows", model.rows)
        },
    )
    .pair("seven or eight", rows(7), rows(8))
}

/// The clipped gradient of somebody at the bound is the same at every step, and only the sum of steps is seen.
fn whole_price_each_step() -> Trial<MemoryRows> {
    let descent = Descent {
        steps: 4,
        step_size: StepSize::Fixed(0.001),
        momentum: 0.9,
        penalty: 0.0,
        rows: RowCount::Declared(1),
    };
    let loss = GradientLoss::Squared { clip: 0.5 };
    let trainer = GradientDescent::new(loss, descent, 1, 1.0, 1, rho("4")).expect(CONSTANT);
    let rows = |count: usize| table(1, 1.0, &[alike(&[1.0], 1.0, count)]);
    Trial::new(
        "learn: gradient descent that pays for one step",
        Loss::zcdp(rho("1")),
        move |rows: &MemoryRows, bits| {
            let model = trainer.fit(rows, bits).expect(CONSTANT);
            listed(Observation::new(), "coefficient", &model.coefficients)
        },
    )
    .pair("nobody, or somebody at the bound", rows(0), rows(1))
}

/// The products have their noise; what steers the penalty has none.
fn exact_least_eigenvalue() -> Trial<MemoryRows> {
    let trainer = AdaSsp::new(1, 1.0, 1, rho("0.5")).expect(CONSTANT);
    let rows = |count: usize| table(1, 1.0, &[alike(&[1.0], 1.0, count)]);
    Trial::new(
        "learn: AdaSSP with an exact least eigenvalue",
        Loss::zcdp(rho("0.5")),
        move |rows: &MemoryRows, bits| {
            let release = trainer.fit(rows, bits).expect(CONSTANT);
            let mut least = 0.0;
            // In one dimension it is the sum of squares.
            rows.for_each_block(&mut |block| least += block.x.iter().map(|x| x * x).sum::<f64>())
                .expect("rows in memory stay");
            listed(Observation::new(), "product", &release.products).with("least eigenvalue", least)
        },
    )
    .pair("four alike, or five", rows(4), rows(5))
}
