//! A public range of numbers, cut into equal steps.

use pointillist_numbers::Rational;

use crate::LocalError;

/// The most steps: sums of reports and of their squares stay far below 2^128.
pub const STEPS_MAX: u64 = 1 << 32;

/// The numbers `lower + j·(upper − lower)/steps` for j from zero to `steps`. Answers are rounded to the
/// nearest of them, and those outside the range to its end, before anything is randomized: the mean of
/// rounded answers lies within half a step of the mean of answers inside the range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Range {
    lower: Rational,
    upper: Rational,
    steps: u64,
}

impl Range {
    /// The range from `lower` to `upper` in `steps` steps.
    pub fn new(lower: Rational, upper: Rational, steps: u64) -> Result<Self, LocalError> {
        if lower >= upper {
            return Err(LocalError::refused(
                format!("the lower bound {lower} is not below the upper bound {upper}"),
                "write the smaller bound first",
            ));
        }
        if !(1..=STEPS_MAX).contains(&steps) {
            return Err(LocalError::refused(
                format!("a range of {steps} steps cannot be randomized"),
                format!("take 1 to {STEPS_MAX} steps, such as 1000"),
            ));
        }
        Ok(Self { lower, upper, steps })
    }

    /// The lower end.
    pub fn lower(&self) -> &Rational {
        &self.lower
    }

    /// The upper end.
    pub fn upper(&self) -> &Rational {
        &self.upper
    }

    /// How many steps there are.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// The number of the step nearest to an answer; of two, the upper one.
    pub fn step_of(&self, answer: &Rational) -> u64 {
        let clamped = answer.clone().clamp(self.lower.clone(), self.upper.clone());
        let scaled = (clamped - self.lower.clone()) * Rational::from(self.steps) / self.width();
        let nearest = (scaled + Rational::ratio(1, 2)).floor();
        u64::try_from(nearest).expect("a clamped answer lies inside").min(self.steps)
    }

    /// The step of a decimal or a fraction. The error does not repeat it.
    pub fn parse_answer(&self, text: &str) -> Result<u64, LocalError> {
        let refuse = |_| LocalError::answer("the answer is not a number", "write a decimal such as 3.5");
        Rational::parse(text).map(|answer| self.step_of(&answer)).map_err(refuse)
    }

    /// The width of a step, about.
    pub(crate) fn step_near(&self) -> f64 {
        (self.width() / Rational::from(self.steps)).to_f64_upper()
    }

    fn width(&self) -> Rational {
        &self.upper - &self.lower
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_go_to_the_nearest_step() {
        let range = Range::new(Rational::from(-1), Rational::from(1), 4).unwrap();
        for (answer, step) in
            [("-7", 0), ("-1", 0), ("-0.8", 0), ("-3/4", 1), ("0", 2), ("0.7", 3), ("1", 4), ("1e9", 4)]
        {
            assert_eq!(range.parse_answer(answer).unwrap(), step, "{answer}");
        }
        let message = range.parse_answer("hidden").unwrap_err().told();
        assert!(message.contains("hint: ") && !message.contains("hidden"));
        assert_eq!(range.step_near(), 0.5);
    }

    #[test]
    fn impossible_ranges_are_refused() {
        let range = |lower: i32, upper: i32, steps| Range::new(lower.into(), upper.into(), steps);
        for refused in [range(1, 1, 10), range(2, 1, 10), range(0, 1, 0), range(0, 1, STEPS_MAX + 1)] {
            assert!(refused.unwrap_err().told().contains("hint: "));
        }
    }
}
