//! Heaps of dots on a line: draws of a mechanism, one above the line and one below.

use maud::{Markup, html};
use pointillist_render::decimals::grouped;

/// What is drawn.
pub(crate) struct Heaps<'h> {
    /// Filled dots, above the line.
    pub(crate) above: &'h [f64],
    /// Hollow dots, below it.
    pub(crate) below: &'h [f64],
    /// The number in the middle of the line.
    pub(crate) middle: f64,
    /// How far the line reaches to either side; dots beyond stand at its ends.
    pub(crate) reach: f64,
    /// Where the truth is marked.
    pub(crate) truth: Option<f64>,
    /// What to see, for those who listen.
    pub(crate) words: &'static str,
}

const WIDTH: f64 = 918.0;
/// Places along the line; an odd number, so that one is in the middle.
const PLACES: f64 = 51.0;
const HALF: f64 = 150.0;
const PITCH_MAX: f64 = 15.0;

/// The drawing. It scales with its page: the words around it do not.
pub(crate) fn heaps(heaps: &Heaps<'_>) -> Markup {
    let below = if heaps.below.is_empty() { 12.0 } else { HALF + 14.0 };
    let line = HALF + 20.0;
    html! {
        figure {
            svg.heaps viewBox=(format!("0 0 {WIDTH} {}", line + below)) role="img" aria-label=(heaps.words) {
                @if let Some(truth) = heaps.truth {
                    line.truth x1=(format!("{:.1}", x(heaps, truth))) x2=(format!("{:.1}", x(heaps, truth))) y1="0" y2=(line + below) {}
                }
                line.axis x1="0" x2=(WIDTH) y1=(line) y2=(line) {}
                g.dot-a { (dots(heaps, heaps.above, line, -1.0)) }
                g.dot-b { (dots(heaps, heaps.below, line, 1.0)) }
            }
            // Letters do not shrink with the picture.
            svg.chart height="20" aria-hidden="true" {
                @for step in -2..=2 {
                    @let value = heaps.middle + heaps.reach * f64::from(step) / 2.5;
                    text x=(format!("{:.2}%", 100.0 * x(heaps, value) / WIDTH)) y="15" text-anchor="middle" { (label(value)) }
                }
            }
        }
    }
}

/// The middle of the place of a number.
fn x(heaps: &Heaps<'_>, value: f64) -> f64 {
    WIDTH * (place(heaps, value) + 0.5) / PLACES
}

fn place(heaps: &Heaps<'_>, value: f64) -> f64 {
    let part = (value - heaps.middle) / heaps.reach;
    ((PLACES - 1.0) / 2.0 * (1.0 + part)).round().clamp(0.0, PLACES - 1.0)
}

fn dots(heaps: &Heaps<'_>, values: &[f64], line: f64, direction: f64) -> Markup {
    let mut heights = vec![0_u32; PLACES as usize];
    let places: Vec<(usize, u32)> = values
        .iter()
        .map(|value| {
            let place = place(heaps, *value) as usize;
            let height = heights[place];
            heights[place] += 1;
            (place, height)
        })
        .collect();
    let highest = heights.iter().copied().max().unwrap_or(1).max(1);
    let pitch = (HALF / f64::from(highest)).min(PITCH_MAX);
    // Dots that stand close are small, so that each is seen.
    let radius = (0.62 * pitch).clamp(2.6, 6.0);
    html! {
        @for (place, height) in places {
            circle cx=(format!("{:.1}", WIDTH * (place as f64 + 0.5) / PLACES))
                cy=(format!("{:.1}", line + direction * (11.0 + f64::from(height) * pitch))) r=(format!("{radius:.1}")) {}
        }
    }
}

fn label(value: f64) -> String {
    let digits = grouped(&format!("{:.0}", value.abs().round()));
    if value.round() < 0.0 { format!("−{digits}") } else { digits }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_draw_is_a_dot_inside_the_picture() {
        let drawn = heaps(&Heaps {
            above: &[0.0, 1e9, -1e9],
            below: &[2.0],
            middle: 0.0,
            reach: 10.0,
            truth: Some(0.0),
            words: "words",
        });
        let drawn = drawn.into_string();
        assert_eq!(drawn.matches("<circle").count(), 4);
        assert!(drawn.contains("cx=\"909.0\"") && drawn.contains("cx=\"9.0\""), "{drawn}");
        assert!(drawn.contains(">−8</text>"), "{drawn}");
    }
}
