//! Numbers of made-up data, by their laws. No noise is drawn here.

use pointillist_synth::PublicCoins;

/// Dice for one part of a trace.
pub(super) struct Dice(PublicCoins);

impl Dice {
    /// The dice of a part of the trace with this number.
    pub(super) fn new(part: &str, number: u64) -> Self {
        Self(PublicCoins::of(&[b"network trace", part.as_bytes(), &number.to_be_bytes()]))
    }

    pub(super) fn below(&mut self, end: u32) -> u32 {
        self.0.below(u64::from(end)) as u32
    }

    /// From `low` to `high`, both included.
    pub(super) fn between(&mut self, low: u32, high: u32) -> u32 {
        low + self.below(high - low + 1)
    }

    pub(super) fn unit(&mut self) -> f64 {
        self.0.unit()
    }

    pub(super) fn happens(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    pub(super) fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.unit()).cos()
    }

    pub(super) fn exponential(&mut self) -> f64 {
        -(1.0 - self.unit()).ln()
    }

    /// Attempts up to the first success, at least one.
    pub(super) fn geometric(&mut self, success: f64) -> u32 {
        1 + (self.exponential() / -(1.0 - success).ln()) as u32
    }

    pub(super) fn binomial(&mut self, attempts: u32, probability: f64) -> u32 {
        (0..attempts).filter(|_| self.happens(probability)).count() as u32
    }

    /// For means up to some hundreds.
    pub(super) fn poisson(&mut self, mean: f64) -> u32 {
        let mut count = 0;
        let mut passed = self.exponential();
        while passed < mean {
            count += 1;
            passed += self.exponential();
        }
        count
    }

    /// Several of `0..end`, each at most once.
    pub(super) fn some_of(&mut self, count: u32, end: u32) -> Vec<u32> {
        let mut all: Vec<u32> = (0..end).collect();
        let count = count.min(end) as usize;
        for place in 0..count {
            let other = place + self.below(end - place as u32) as usize;
            all.swap(place, other);
        }
        all.truncate(count);
        all
    }
}

/// A choice in proportion to rank^−power.
pub(super) struct Ranks(Vec<f64>);

impl Ranks {
    pub(super) fn new(count: u32, power: f64) -> Self {
        let mut sum = 0.0;
        let cumulative = (1..=count).map(|rank| {
            sum += f64::from(rank).powf(-power);
            sum
        });
        Self(cumulative.collect())
    }

    pub(super) fn pick(&self, dice: &mut Dice) -> u32 {
        let at = dice.unit() * self.0.last().copied().unwrap_or_default();
        (self.0.partition_point(|sum| *sum <= at)).min(self.0.len().saturating_sub(1)) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Specification: means and variances are those of the laws. The dice are fixed, so nothing is left to chance; the margins are
    /// six standard deviations of a mean of 40 000 draws.
    #[test]
    fn dice_have_the_laws_they_are_named_after() {
        let mut dice = Dice::new("laws", 0);
        let draws = 40_000;
        let mut mean = |draw: &mut dyn FnMut(&mut Dice) -> f64| {
            (0..draws).map(|_| draw(&mut dice)).sum::<f64>() / f64::from(draws)
        };
        let margin = |deviation: f64| 6.0 * deviation / f64::from(draws).sqrt();
        assert!(mean(&mut Dice::normal).abs() < margin(1.0));
        assert!((mean(&mut |dice| dice.normal().powi(2)) - 1.0).abs() < margin(2f64.sqrt()));
        assert!((mean(&mut Dice::exponential) - 1.0).abs() < margin(1.0));
        assert!((mean(&mut |dice| f64::from(dice.geometric(0.1))) - 10.0).abs() < margin(9.5));
        assert!((mean(&mut |dice| f64::from(dice.binomial(20, 0.3))) - 6.0).abs() < margin(2.05));
        assert!((mean(&mut |dice| f64::from(dice.poisson(4.0))) - 4.0).abs() < margin(2.0));
        let ranks = Ranks::new(3, 1.0);
        assert!((mean(&mut |dice| f64::from(ranks.pick(dice))) - 7.0 / 11.0).abs() < margin(0.8));
        let mut some = dice.some_of(30, 40);
        some.sort_unstable();
        some.dedup();
        assert!(some.len() == 30 && some.iter().all(|one| *one < 40));
    }
}
