//! A gauge: parts of a whole, drawn in what adds up, always with words beside it.

use maud::{Markup, html};

use super::percent;

/// What a part of a gauge is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slice {
    /// Spent before.
    Spent,
    /// What the question at hand would take.
    Now,
    /// Set aside for somebody.
    Held,
}

impl Slice {
    fn class(self, is_over: bool) -> &'static str {
        match self {
            Self::Spent if is_over => "g-over",
            Self::Spent => "g-spent",
            Self::Now => "g-now",
            Self::Held => "g-held",
        }
    }
}

/// Parts of a whole, from the left.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Gauge {
    /// What, and which part of the whole from zero to one.
    pub slices: Vec<(Slice, f64)>,
}

/// From this part on a gauge warns.
const NEARLY_SPENT: f64 = 0.95;
/// What is there at all is seen.
const LEAST: f64 = 0.004;

impl Gauge {
    /// A gauge of what is spent alone.
    pub fn spent(part: f64) -> Self {
        Self { slices: vec![(Slice::Spent, part)] }
    }

    /// The gauge; its words stand beside it, so that it is hidden from those who listen.
    pub fn svg(&self) -> Markup {
        let mut from = 0.0;
        let places: Vec<(Slice, f64, f64)> = self
            .slices
            .iter()
            .map(|(slice, part)| {
                let part = if *part > 0.0 { part.clamp(LEAST, 1.0) } else { 0.0 };
                let place = (*slice, from, part);
                from += part;
                place
            })
            .collect();
        html! {
            svg aria-hidden="true" {
                rect.g-left width="100%" height="100%" {}
                @for (slice, from, part) in places {
                    rect class=(slice.class(part >= NEARLY_SPENT)) data-now[slice == Slice::Now] x=(percent(from))
                        width=(percent(part)) height="100%" {}
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_spent_is_seen_and_a_budget_that_is_nearly_spent_warns() {
        assert!(Gauge::spent(1e-9).svg().into_string().contains("width=\"0.4%\""));
        assert!(Gauge::spent(0.96).svg().into_string().contains("g-over"));
        assert!(!Gauge::spent(0.5).svg().into_string().contains("g-over"));
        assert!(Gauge::spent(0.0).svg().into_string().contains("width=\"0%\""));
        let both = Gauge { slices: vec![(Slice::Spent, 0.25), (Slice::Now, 0.5)] };
        assert!(both.svg().into_string().contains("x=\"25%\" width=\"50%\""));
    }
}
