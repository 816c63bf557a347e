//! An answer and its noise, added without a trace of the ends of the number range.
//!
//! **Guarantee.** `noisy_sum(a, z)`, where z is noise N cut off at the ends of 128 bits, is a function of `a' + N` alone, with a' = a
//! clamped to ±2^126: the sum is clamped to ±2^125. For noise that was cut off, every a' gives the same end; for all
//! other noise the sum is exact. So it is post-processing of the noisy answer, which a plain saturating sum is not:
//! its reachable values end at a distance from the end of the range that depends on the answer.

const ANSWER_MAX: i128 = 1 << 126;
const SUM_MAX: i128 = 1 << 125;

/// The sum of an answer and its noise, clamped to ±2^125.
#[inline]
pub fn noisy_sum(answer: i128, noise: i128) -> i128 {
    answer.clamp(-ANSWER_MAX, ANSWER_MAX).saturating_add(noise).clamp(-SUM_MAX, SUM_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Specification: noise that was cut off says nothing of the answer, and other sums are exact.
    #[test]
    fn cut_off_noise_hides_every_answer() {
        for answer in [i128::MIN, -ANSWER_MAX, -6, -5, 0, 7, ANSWER_MAX, i128::MAX] {
            assert_eq!(noisy_sum(answer, i128::MAX), SUM_MAX);
            assert_eq!(noisy_sum(answer, i128::MIN), -SUM_MAX);
        }
        assert_eq!(noisy_sum(40, 2), 42);
        assert_eq!(noisy_sum(-40, -2), -42);
        assert_eq!(noisy_sum(SUM_MAX, -1), SUM_MAX - 1);
    }
}
