//! The picture of the sign-in page: a bay in the evening, in dots. The same for everybody, and about nobody.

use std::collections::BTreeMap;
use std::fmt::Write;

use maud::{Markup, PreEscaped, html};

/// The picture is this wide and this high, in its own unit.
const WIDTH: f64 = 100.0;
const HEIGHT: f64 = 120.0;
/// From one dot to the next.
const PITCH: f64 = 2.15;

/// The picture: one path for each colour and size, a dot for each stroke of no length.
pub(crate) fn picture() -> Markup {
    let mut paths: BTreeMap<(usize, usize), String> = BTreeMap::new();
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let rows = (HEIGHT / PITCH) as usize + 2;
    let columns = (WIDTH / PITCH) as usize + 2;
    for row in 0..rows {
        for column in 0..columns {
            let shift = if row % 2 == 0 { 0.0 } else { PITCH / 2.0 };
            let x = column as f64 * PITCH + shift + 0.7 * (dice.part() - 0.5);
            let y = row as f64 * PITCH + 0.7 * (dice.part() - 0.5);
            let (colour, size) = (colour(x, y, &mut dice), dice.below(3));
            let path = paths.entry((colour, size)).or_default();
            write!(path, "M{x:.1} {y:.1}h0").unwrap_or_else(|_| unreachable!("a string grows"));
        }
    }
    html! {
        svg viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) preserveAspectRatio="xMidYMid slice" aria-hidden="true" {
            @for ((colour, size), path) in &paths {
                // Digits and letters of our own.
                (PreEscaped(format!("<path class=\"p{colour} z{size}\" d=\"{path}\"/>")))
            }
        }
    }
}

/// The colour of a place: sky from pale to deep, a sun, hills, water with its reflection, a shore.
fn colour(x: f64, y: f64, dice: &mut Dice) -> usize {
    let near_sun = ((x - 63.0).powi(2) + (y - 41.0).powi(2)).sqrt();
    let far_hill = 56.0 + 4.0 * (x / 17.0).sin() + 2.0 * (x / 7.0).cos();
    let near_hill = 63.0 + 7.0 * ((x - 20.0) / 26.0).sin();
    let shore = 101.0 + 5.0 * ((x + 12.0) / 21.0).sin();
    let mix = |a: usize, b: usize, part: f64, dice: &mut Dice| if dice.part() < part { b } else { a };
    if near_sun < 7.0 {
        return mix(4, 5, 0.35, dice);
    }
    if y < far_hill {
        let glow = (1.0 - near_sun / 34.0).max(0.0);
        if dice.part() < 0.55 * glow {
            return 4;
        }
        return mix(1, 0, y / far_hill, dice);
    }
    if y < near_hill {
        return mix(6, 2, 0.45, dice);
    }
    if y < 72.0 && y < near_hill + 9.0 {
        return mix(7, 6, 0.3, dice);
    }
    if y < shore {
        let path = (1.0 - (x - 63.0).abs() / (4.0 + (y - 70.0).max(0.0) / 3.0)).max(0.0);
        if dice.part() < 0.6 * path {
            return mix(4, 5, 0.3, dice);
        }
        return mix(2, 3, (y - 70.0) / 34.0, dice);
    }
    mix(7, 6, 0.35, dice)
}

/// Dice of a picture: no source of noise, and the same each time.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn part(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn below(&mut self, end: u64) -> usize {
        (self.next() % end) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_picture_is_the_same_each_time_and_light_enough() {
        let one = picture().into_string();
        assert_eq!(one, picture().into_string());
        assert!((10_000..70_000).contains(&one.len()), "{}", one.len());
    }
}
