//! How fast exact noise is, beside the plain floating-point samplers it replaces, in one run.
//!
//! Every contestant is timed in every round, so that a busy machine slows all of them alike; the table shows the best
//! round of each and the ratio to its float rival. The floor is what the random words alone cost.

use std::hint::black_box;
use std::time::{Duration, Instant};

use pointillist_noise::{
    BitSource, DiscreteGaussian, DiscreteLaplace, RoundedGaussian, SystemBits, with_system_bits,
};
use pointillist_numbers::Rational;

const ROUNDS: usize = 9;

/// Draws so many values.
type Run = Box<dyn FnMut(&mut SystemBits, usize)>;

struct Contestant {
    name: String,
    draws: usize,
    rival: Option<&'static str>,
    run: Run,
    best: Duration,
}

const FLOAT_LAPLACE: &str = "float Laplace, inverse CDF (not private)";
const FLOAT_GAUSSIAN: &str = "float Gaussian, Box-Muller (not private)";

fn main() {
    // `cargo test` runs benchmark targets too; there is nothing to test here.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    with_system_bits(race).expect("the operating system has random bits");
}

fn race(bits: &mut SystemBits) {
    let mut contestants = contestants();
    for _ in 0..ROUNDS {
        for contestant in &mut contestants {
            let start = Instant::now();
            (contestant.run)(bits, contestant.draws);
            contestant.best = contestant.best.min(start.elapsed());
        }
    }
    println!("| sampler | million/s | ns a draw | against its float rival |");
    println!("| --- | ---: | ---: | ---: |");
    let nanoseconds = |contestant: &Contestant| contestant.best.as_secs_f64() * 1e9 / contestant.draws as f64;
    for contestant in &contestants {
        let ns = nanoseconds(contestant);
        let rival = contestants.iter().find(|other| Some(other.name.as_str()) == contestant.rival);
        let ratio = rival.map_or(String::new(), |rival| format!("{:.2}×", ns / nanoseconds(rival)));
        println!("| {} | {:.2} | {ns:.1} | {ratio} |", contestant.name, 1e3 / ns);
    }
}

fn contestants() -> Vec<Contestant> {
    let mut all = vec![
        contestant("floor: one random word", 4_000_000, None, |bits| bits.word() as i128),
        contestant(FLOAT_LAPLACE, 2_000_000, None, |bits| float_laplace(|| bits.word())),
        contestant(FLOAT_GAUSSIAN, 2_000_000, None, |bits| float_gaussian(|| bits.word())),
    ];
    // The same floats from a generator that anybody can predict: the fastest that insecure noise gets.
    let mut toy = toy_generator();
    all.push(contestant("float Laplace, toy generator (not private)", 2_000_000, None, move |_| {
        float_laplace(&mut toy)
    }));
    let mut toy = toy_generator();
    all.push(contestant("float Gaussian, toy generator (not private)", 2_000_000, None, move |_| {
        float_gaussian(&mut toy)
    }));
    for (label, scale) in [
        ("2^-20", Rational::power_of_two(-20)),
        ("1", Rational::one()),
        ("10", Rational::from(10)),
        ("1000/3", Rational::ratio(1000, 3)),
        ("2^40", Rational::power_of_two(40)),
        ("2^80", Rational::power_of_two(80)),
    ] {
        let laplace = DiscreteLaplace::new(&scale).expect("a scale in range");
        let gaussian = DiscreteGaussian::new(&scale.squared()).expect("a scale in range");
        let (laplace_table, gaussian_table) = (laplace.table(), gaussian.table());
        let name = |law: &str| format!("{law}, scale {label}");
        all.push(contestant(&name("discrete Laplace table"), 2_000_000, Some(FLOAT_LAPLACE), move |bits| {
            laplace_table.sample(bits)
        }));
        all.push(contestant(
            &name("discrete Gaussian table"),
            2_000_000,
            Some(FLOAT_GAUSSIAN),
            move |bits| gaussian_table.sample(bits),
        ));
        all.push(contestant(
            &name("discrete Laplace, one by one"),
            50_000,
            Some(FLOAT_LAPLACE),
            move |bits| laplace.sample(bits),
        ));
        all.push(contestant(
            &name("discrete Gaussian, one by one"),
            50_000,
            Some(FLOAT_GAUSSIAN),
            move |bits| gaussian.sample(bits),
        ));
    }
    let rounded = RoundedGaussian::new(&Rational::from(10)).expect("a scale in range");
    all.push(contestant("rounded Gaussian, scale 10", 50_000, Some(FLOAT_GAUSSIAN), move |bits| {
        rounded.sample(bits)
    }));
    let scale = Rational::from(10);
    all.push(contestant("preparing a Laplace table, scale 10", 50, None, move |_| {
        let table = DiscreteLaplace::new(&scale).expect("a scale in range").table();
        black_box(&table);
        0
    }));
    let scale = Rational::power_of_two(40);
    all.push(contestant("preparing a Gaussian table, scale 2^40", 50, None, move |_| {
        let table = DiscreteGaussian::new(&scale.squared()).expect("a scale in range").table();
        black_box(&table);
        0
    }));
    all
}

/// Fills a vector as a release of many counts would, so that every contestant pays for its memory.
fn contestant(
    name: &str,
    draws: usize,
    rival: Option<&'static str>,
    mut sample: impl FnMut(&mut SystemBits) -> i128 + 'static,
) -> Contestant {
    let mut values = vec![0i128; draws.min(4096)];
    let run = move |bits: &mut SystemBits, draws: usize| {
        let mut left = draws;
        while left > 0 {
            let part = left.min(values.len());
            values[..part].iter_mut().for_each(|value| *value = sample(bits));
            black_box(&values);
            left -= part;
        }
    };
    Contestant { name: name.to_owned(), draws, rival, run: Box::new(run), best: Duration::MAX }
}

/// SplitMix64: a counter and a mixer.
fn toy_generator() -> impl FnMut() -> u64 {
    let mut state = 1u64;
    move || {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
}

fn unit(word: u64) -> f64 {
    ((word >> 11) as f64 + 0.5) * 2f64.powi(-53)
}

fn float_laplace(mut word: impl FnMut() -> u64) -> i128 {
    let u = unit(word()) - 0.5;
    (-10.0 * u.signum() * (1.0 - 2.0 * u.abs()).ln()).round() as i128
}

fn float_gaussian(mut word: impl FnMut() -> u64) -> i128 {
    let (u, v) = (unit(word()), unit(word()));
    ((-2.0 * u.ln()).sqrt() * (2.0 * std::f64::consts::PI * v).cos() * 10.0).round() as i128
}
