//! Quantiles, modes and answers with adaptive noise that adapt too much.

use pointillist_mechanisms::AdditiveNoise;
use pointillist_mechanisms::Grid;
use pointillist_mechanisms::MedianData;
use pointillist_mechanisms::NoisyLocalBound;
use pointillist_mechanisms::ProposeTestRelease;
use pointillist_mechanisms::Quantile;
use pointillist_mechanisms::Quantiles;
use pointillist_mechanisms::local_sensitivity::mode_stability;
use pointillist_mechanisms::{LaplaceSetting, PowerTailedLaplaceSetting, SmoothMechanism, SmoothNoise};
use pointillist_mechanisms::{StabilityTest, TestedOutcome};
use pointillist_noise::{NoiseError, SecureBits};
use pointillist_numbers::Rational;
use pointillist_privacy::{FailureProbability, Loss, Neighbours};

use super::{CONSTANT, Planted, delta, epsilon, l1, price, pure, rational};
use crate::{Observation, Trial};

pub(super) fn planted() -> Vec<Planted> {
    vec![
        Planted::new("The weights were made for half of what a row moves a rank.", {
            median("median with half the sensitivity", "2", "1").pair(
                "one more at the top",
                vec![2],
                vec![2, 4],
            )
        }),
        Planted::new(
            "Each of two levels of halving is released at the whole price.",
            levels_at_the_whole_price(),
        )
        .after(25_000),
        Planted::new("The weights for a row that joins were used for a row that is replaced.", {
            median("median of replaced rows", "2", "2").pair("from end to end", vec![0, 0], vec![0, 4])
        })
        .after(20_000),
        Planted::new("The test whether the data are stable was left out.", untested()),
        Planted::new("The test of stability lets data pass one step too early.", tested_too_early())
            .after(40_000),
        Planted::new(
            "The mode counts as stable until the step that changes it, one step too long.",
            mode_too_early(),
        )
        .after(40_000),
        Planted::new(
            "Noise is scaled to how far these data can move, which itself tells of the data.",
            local_median(),
        ),
        Planted::new("The noise is a third of what the smooth sensitivity asks for.", half_smooth()),
        Planted::new(
            "Laplace noise of two scales has no finite ε: the δ was left out.",
            smooth_without_delta(),
        )
        .after(20_000),
        Planted::new(
            "The bound on the sensitivity was looked for among neighbours only, where it is small.",
            adjacent(),
        ),
        Planted::new("The noise is for a quarter of the private bound.", quarter_of_the_bound()),
    ]
}

fn grid() -> Grid {
    Grid::integers(0, 4).expect(CONSTANT)
}

fn median(name: &str, spent: &str, claimed: &str) -> Trial<Vec<i64>> {
    let quantile =
        Quantile::new(&grid(), &rational("1/2"), 1, Neighbours::AddRemove, &price(spent)).expect(CONSTANT);
    Trial::new(name, Loss::bounded_range(epsilon(claimed)), move |rows: &Vec<i64>, bits| {
        Observation::of(quantile.release(rows.iter().copied(), bits))
    })
}

/// Three quantiles take two levels.
fn levels_at_the_whole_price() -> Trial<Vec<i64>> {
    let grid = Grid::integers(0, 8).expect(CONSTANT);
    let quantiles = ["0", "1/2", "1"].map(rational);
    let [right, wrong] = ["3", "6"].map(|spent| {
        Quantiles::new(&grid, &quantiles, 1, Neighbours::AddRemove, &price(spent)).expect(CONSTANT)
    });
    Trial::new("quantiles at the whole price for each level", right.loss(), move |rows: &Vec<i64>, bits| {
        Observation::list(wrong.release(rows.iter().copied(), bits))
    })
    .pair("one more above the middle", vec![4], vec![4, 8])
    .slow(20_000)
}

fn outcome(outcome: TestedOutcome<i64>) -> Observation {
    match outcome {
        TestedOutcome::Released { value } => Observation::of(value),
        TestedOutcome::Refused => Observation::of("refused"),
    }
}

fn untested() -> Trial<i64> {
    let mechanism =
        ProposeTestRelease::new(&l1("2"), &epsilon("0.5"), &epsilon("0.5"), &delta("0.02")).expect(CONSTANT);
    Trial::new("propose and release without a test", mechanism.loss(), move |answer: &i64, bits| {
        outcome(mechanism.release(*answer, u64::MAX, bits))
    })
    .pair("unstable, answers far apart", 0, 100)
}

/// One step too early is a threshold one too low. At this δ that lets 2.7 times as many pass.
fn tested_too_early() -> Trial<i64> {
    let mechanism =
        ProposeTestRelease::new(&l1("2"), &epsilon("1"), &epsilon("0.25"), &delta("0.0135")).expect(CONSTANT);
    Trial::new(
        "propose-test-release with a threshold rounded down",
        mechanism.loss(),
        move |answer: &i64, bits| outcome(mechanism.release(*answer, 1, bits)),
    )
    .pair("unstable, answers far apart", 0, 1000)
}

fn mode_too_early() -> Trial<Vec<u64>> {
    let test = StabilityTest::new(&epsilon("1"), &delta("0.0135")).expect(CONSTANT);
    let claim = Loss::approximate(epsilon("1"), delta("0.0135"));
    Trial::new("stable mode by the distance to a change", claim, move |counts: &Vec<u64>, bits| {
        let distance = mode_stability::distance_to_change(counts, Neighbours::AddRemove).expect(CONSTANT);
        let mode = mode_stability::mode(counts).expect(CONSTANT);
        if test.passes(distance, bits) { Observation::of(mode) } else { Observation::of("refused") }
    })
    .pair("the mode changes", vec![5, 5], vec![5, 6])
}

fn local_median() -> Trial<Vec<i64>> {
    Trial::new("median at its local sensitivity", pure("1"), |values: &Vec<i64>, bits| {
        let data = MedianData::new(values, 0, 30).expect(CONSTANT);
        let median = i128::from(data.median());
        let noisy = match i128::from(data.local_sensitivity_at(0)) {
            0 => median,
            local => AdditiveNoise::for_number(local, &price("1")).expect(CONSTANT).release(median, bits),
        };
        Observation::of(noisy)
    })
    .pair("one of a heap leaves", vec![15; 3], vec![15, 15, 30])
}

/// A noise whose α is not the one that was proven.
struct Careless<N> {
    noise: N,
    alpha: Rational,
    beta: Rational,
    claim: Loss,
}

impl<N: SmoothNoise> SmoothNoise for Careless<N> {
    fn beta(&self) -> &Rational {
        &self.beta
    }

    fn alpha(&self) -> &Rational {
        &self.alpha
    }

    fn loss(&self) -> Loss {
        self.claim.clone()
    }

    fn sample_floor<B: SecureBits + ?Sized>(
        &self,
        scale: &Rational,
        bits: &mut B,
    ) -> Result<i128, NoiseError> {
        self.noise.sample_floor(scale, bits)
    }

    fn deviation_upper(&self, failure: &FailureProbability) -> Rational {
        self.noise.deviation_upper(failure)
    }
}

/// The answer, and its local sensitivity within distance 0, 1, ….
fn adaptive<N: SmoothNoise + Send + 'static>(name: &str, noise: Careless<N>) -> Trial<(i64, Vec<i64>)> {
    let mechanism = SmoothMechanism::new(noise, &Rational::one(), &rational("40")).expect(CONSTANT);
    Trial::new(name, mechanism.loss(), move |(answer, local): &(i64, Vec<i64>), bits| {
        let at = |distance: u64| Rational::from(local[(distance as usize).min(local.len() - 1)]);
        Observation::of(mechanism.release(*answer, at, bits))
    })
}

fn half_smooth() -> Trial<(i64, Vec<i64>)> {
    let noise = PowerTailedLaplaceSetting::new(5, &epsilon("1")).expect(CONSTANT);
    let (alpha, beta, claim) = (rational("3"), noise.beta().clone(), noise.loss());
    adaptive("smooth sensitivity with a third of the noise", Careless { noise, alpha, beta, claim })
        .pair("the answer moves", (0, vec![40]), (40, vec![40]))
        .slow(6_000)
}

/// α and β that share ε = 2, as if the scale were public.
fn smooth_without_delta() -> Trial<(i64, Vec<i64>)> {
    let noise = LaplaceSetting::recommended(&epsilon("2"), &delta("0.02")).expect(CONSTANT);
    let (alpha, beta, claim) = (Rational::one(), Rational::one(), pure("2"));
    adaptive("Laplace noise at smooth sensitivity without δ", Careless { noise, alpha, beta, claim })
        .pair("the scale moves", (0, vec![40]), (0, vec![0, 40]))
        .slow(25_000)
}

/// An answer and a bound on its sensitivity.
fn bounded(name: &str, wrong: impl Fn(u64) -> u64 + Send + 'static) -> Trial<(i64, u64)> {
    let mechanism =
        NoisyLocalBound::new(&epsilon("0.5"), &epsilon("0.5"), &delta("0.02"), 1, 1000).expect(CONSTANT);
    Trial::new(name, mechanism.loss(), move |(answer, bound): &(i64, u64), bits| {
        let released = mechanism.release(*answer, wrong(*bound), bits);
        Observation::of(released.value).with("bound", released.bound)
    })
}

fn adjacent() -> Trial<(i64, u64)> {
    bounded("noisy bound among adjacent pairs", |bound| bound).pair(
        "an edge that closes eighty triangles",
        (0, 0),
        (80, 1),
    )
}

fn quarter_of_the_bound() -> Trial<(i64, u64)> {
    bounded("noisy bound, divided by four", |bound| bound / 4).pair("the answer moves", (0, 200), (200, 200))
}
