//! How fast and how tight the accountants are, on lists that other accountants are measured with.
//!
//! The floor is one Fourier transform of the length that the convolution of a typical list has.

use std::time::{Duration, Instant};

use pointillist_privacy::composition::{Batch, OptimalComposition};
use pointillist_privacy::conversion::zcdp_epsilon_upper;
use pointillist_privacy::pld::{Accountant, Mechanism};
use pointillist_privacy::{Delta, Epsilon, Rho};
use realfft::RealFftPlanner;

const DELTA: f64 = 1e-6;
const ROUNDS: usize = 7;

fn main() {
    // `cargo test` runs benchmark targets too; there is nothing to test here.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    println!("ε at δ = {DELTA:e}, best of {ROUNDS} rounds\n");
    println!("| list | ms | ε, upper | ε, lower | gap |");
    println!("| --- | ---: | ---: | ---: | ---: |");
    let gaussian = |sigma: f64| Mechanism::Gaussian { noise_multiplier: sigma };
    let laplace = |scale: f64| Mechanism::Laplace { noise_multiplier: scale };
    let sampled = |rate: f64| Mechanism::PoissonSubsampled { rate, base: Box::new(gaussian(1.0)) };
    account("Gaussian σ = 50, 10,000 times", &[(gaussian(50.0), 10_000)]);
    account("Laplace b = 100, 10,000 times", &[(laplace(100.0), 10_000)]);
    account("Gaussian σ = 1 on a sample of 1 %, 10,000 times", &[(sampled(0.01), 10_000)]);
    let step = |i: i32| 0.1 * f64::from(i);
    let mut many: Vec<(Mechanism, u64)> = (0..400).map(|i| (gaussian(40.0 + step(i)), 1)).collect();
    many.extend((0..400).map(|i| (laplace(40.0 + step(i)), 1)));
    many.extend((0..200).map(|i| (sampled(0.01 + 0.0001 * step(i)), 1)));
    account("1,000 different mechanisms", &many);
    account("Laplace b = 10,000, ten million times", &[(laplace(10_000.0), 10_000_000)]);

    let (rho, delta) = (Rho::parse("2").expect("a ρ"), Delta::parse("1e-6").expect("a δ"));
    theorem("zCDP of the first list, converted", || {
        zcdp_epsilon_upper(&rho, &delta).expect("a conversion").epsilon.to_f64_upper()
    });
    theorem("optimal composition of ε = 0.01, 10,000 times", || {
        let batch =
            Batch::new(Epsilon::parse("0.01").expect("an ε"), Delta::zero(), 10_000).expect("a batch");
        OptimalComposition::new(&[batch])
            .and_then(|all| all.epsilon_upper(&delta))
            .expect("an ε")
            .to_f64_upper()
    });
    let plan = RealFftPlanner::<f64>::new().plan_fft_forward(1 << 15);
    let (mut input, mut output) = (plan.make_input_vec(), plan.make_output_vec());
    let (floor, _) = timed(|| plan.process(&mut input, &mut output).expect("a transform"));
    println!("| floor: one transform of 32,768 points | {} | | | |", milliseconds(floor));
}

fn account(name: &str, parts: &[(Mechanism, u64)]) {
    let mut accountant = Accountant::new();
    parts.iter().for_each(|(mechanism, count)| accountant.add(mechanism.clone(), *count));
    let (time, epsilon) = timed(|| accountant.epsilon(DELTA).expect("an account"));
    let gap = (epsilon.upper - epsilon.lower) / epsilon.upper;
    println!("| {name} | {} | {:.5} | {:.5} | {gap:.1e} |", milliseconds(time), epsilon.upper, epsilon.lower);
}

fn theorem(name: &str, run: impl FnMut() -> f64) {
    let (time, epsilon) = timed(run);
    println!("| {name} | {} | {epsilon:.5} | | |", milliseconds(time));
}

fn timed<T>(mut run: impl FnMut() -> T) -> (Duration, T) {
    let mut best = Duration::MAX;
    let mut result = run();
    for _ in 0..ROUNDS {
        let start = Instant::now();
        result = run();
        best = best.min(start.elapsed());
    }
    (best, result)
}

fn milliseconds(time: Duration) -> String {
    format!("{:.2}", time.as_secs_f64() * 1e3)
}
