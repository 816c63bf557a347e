//! Interactive conversations, and pairs of them of which the second follows the first: stepping stones.

use super::Size;
use super::dice::Dice;
use crate::traces::trace::{Keystroke, Keystrokes};

/// Seconds between two awakenings of a conversation, on average.
const BETWEEN_S: f64 = 30.0;
const FOLLOWS: f64 = 0.8;
const OWN: f64 = 0.2;

/// Two conversations of which the second follows the first, smaller number first.
pub type Pair = (u64, u64);

/// Interactive conversations and the stepping stones among them.
#[derive(Clone, Debug, Default)]
pub struct Stones {
    /// The packets.
    pub keystrokes: Keystrokes,
    /// Hours that the trace lasts.
    pub hours: u32,
    /// What was planted.
    pub planted: Vec<Pair>,
}

/// Conversations of some hours. Every host has one, but for those with a stepping stone, who have two.
pub fn stones(number: u64, size: &Size) -> Stones {
    let mut dice = Dice::new("stones", number);
    let pairs = (size.interactive / 20).max(1);
    let end = f64::from(size.hours) * 3_600.0;
    let mut stones = Stones { hours: size.hours, ..Stones::default() };
    let mut flow: u64 = 0;
    let mut host = 0;
    while flow < u64::from(size.interactive) {
        let owner = stones.keystrokes.hosts.number(&format!("host-{host:05}"));
        host += 1;
        let first = awakenings(&mut dice, BETWEEN_S, end);
        write(&mut stones.keystrokes.rows, owner, flow, &first, &mut dice);
        flow += 1;
        if host <= pairs {
            let delay = 0.040 * dice.unit();
            let mut second: Vec<f64> = first
                .iter()
                .filter(|_| dice.happens(FOLLOWS))
                .copied()
                .collect::<Vec<f64>>()
                .into_iter()
                .map(|time| time + delay + 0.010 * dice.unit())
                .collect();
            second.extend(awakenings(&mut dice, BETWEEN_S / OWN, end));
            second.sort_by(f64::total_cmp);
            write(&mut stones.keystrokes.rows, owner, flow, &second, &mut dice);
            stones.planted.push((flow - 1, flow));
            flow += 1;
        }
    }
    stones
}

fn awakenings(dice: &mut Dice, between: f64, end: f64) -> Vec<f64> {
    let mut times = Vec::new();
    let mut time = between * dice.exponential();
    while time < end {
        times.push(time);
        time += between * dice.exponential();
    }
    times
}

/// One packet for each awakening, and for every other a second one right after it, which wakes nobody.
fn write(rows: &mut Vec<Keystroke>, host: u32, flow: u64, times: &[f64], dice: &mut Dice) {
    for time in times {
        let time_us = (time * 1e6) as u64;
        rows.push(Keystroke { host, flow, time_us });
        if dice.happens(0.5) {
            rows.push(Keystroke { host, flow, time_us: time_us + 120_000 });
        }
    }
}
