//! The square root of prefix sums, in whole numbers.
//!
//! Let A be the lower triangular matrix of ones, so that A·h are the prefix sums of h. Its square root is the lower triangular
//! Toeplitz matrix of c₀ = 1, cₖ = cₖ₋₁·(2k − 1)/(2k), the coefficients of (1 − x)^(−1/2). What is measured is L·h, where L is that
//! matrix times 2^32 with every entry rounded down to a whole number; prefix sums are A·L⁻¹ of it, and noise z on L·h is noise A·L⁻¹·z on them,
//! whose largest deviation is about 1 + (γ + ln n)/π times that of one count.
//! **Guarantee.** The norm of column j of L is √(Σ_{k<n−j} Lₖ²), so that the first one is the largest; [`SquareRoot::column_squared`] is its
//! square, of the rounded entries, exactly.
//! **Source.** Fichtenberger, Henzinger, Upadhyay (2023), "Constant matters: fine-grained error bound on differentially private continual
//! observation", for the factorization; the rounding is argued above.
//! **Exactness.** L·h is computed in integers. Reading A·L⁻¹ as the square root itself, and in floats, changes estimates by about one part in
//! 2^32 and no guarantee: it is post-processing.

use realfft::RealFftPlanner;

const FRACTION_BITS: u32 = 32;

pub(super) struct SquareRoot {
    /// 2^32·cₖ, rounded down.
    entries: Vec<i128>,
}

impl SquareRoot {
    pub(super) fn new(cells: usize) -> Self {
        // 96 bits of a fraction, rounded down at every step: after 2^16 steps the first 70 or more are right.
        let mut fine: u128 = 1 << 96;
        let entries = (0..cells as u128).map(|place| {
            if place > 0 {
                fine = fine / (2 * place) * (2 * place - 1);
            }
            (fine >> (96 - FRACTION_BITS)) as i128
        });
        Self { entries: entries.collect() }
    }

    /// The square of the largest norm of a column.
    pub(super) fn column_squared(&self) -> i128 {
        self.entries.iter().map(|entry| entry * entry).sum()
    }

    /// L·h.
    pub(super) fn times(&self, histogram: &[i128]) -> Vec<i128> {
        let mut product = vec![0; histogram.len()];
        // Few of the cells of a trace hold anything.
        for (place, count) in histogram.iter().enumerate().filter(|(_, count)| **count != 0) {
            for (sum, entry) in product[place..].iter_mut().zip(&self.entries) {
                *sum += count * entry;
            }
        }
        product
    }

    /// A·L⁻¹ of what was measured.
    pub(super) fn prefixes(&self, measured: &[f64]) -> Vec<f64> {
        let length = (2 * measured.len()).next_power_of_two();
        let scale = 2f64.powi(FRACTION_BITS as i32);
        let mut planner = RealFftPlanner::<f64>::new();
        let (forward, backward) = (planner.plan_fft_forward(length), planner.plan_fft_inverse(length));
        let spectrum = |values: &mut dyn Iterator<Item = f64>| {
            let mut input = vec![0.0; length];
            input.iter_mut().zip(values).for_each(|(place, value)| *place = value);
            let mut output = forward.make_output_vec();
            forward.process(&mut input, &mut output).expect("both lengths are the plan's own");
            output
        };
        // Twice the scale of L: once for what was measured, once for the entries here.
        let mut product = spectrum(&mut measured.iter().map(|value| value / scale));
        let entries = spectrum(&mut self.entries.iter().map(|entry| *entry as f64 / scale));
        product.iter_mut().zip(&entries).for_each(|(value, entry)| *value *= entry);
        let mut output = backward.make_output_vec();
        backward.process(&mut product, &mut output).expect("both lengths are the plan's own");
        output[..measured.len()].iter().map(|value| value / length as f64).collect()
    }
}
