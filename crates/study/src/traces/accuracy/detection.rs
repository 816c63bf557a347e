//! Rates of detection and false alarms: worms, stepping stones, bursts on links.

use std::collections::BTreeSet;

use pointillist_mechanisms::DiscreteGaussianMechanism;
use pointillist_noise::SystemBits;
use pointillist_numbers::Rational;
use pointillist_privacy::SensitivityL2;

use super::{Accuracy, Line, Paid, packets};
use crate::traces::Choice;
use crate::traces::error::TraceError;
use crate::traces::fingerprint::{Counting, DESTINATIONS, Fingerprints, SOURCES};
use crate::traces::link_volume::{self, LinkVolumes, Norm};
use crate::traces::made_up::{self, Planted, Size};
use crate::traces::stepping_stone::{NamesAre, SteppingStones, normal_quantile};
use crate::traces::trace::BINS;

pub(super) fn worms(
    accuracy: &mut Accuracy,
    round: u64,
    size: &Size,
    prices: &[Paid],
    bits: &mut SystemBits,
) -> Result<(), TraceError> {
    let worms = made_up::worms(round, size, made_up::first_packets(&packets(round, size)));
    let sightings = &worms.sightings;
    let ways = [
        ("packet", "two counts".to_owned(), Counting::Packet),
        (
            "host",
            "two counts, K = 10, L = 5".to_owned(),
            Counting::TwoCounts { strings_max: 10, destinations_max: 5 },
        ),
        ("host", "fan-out, K = 1".to_owned(), Counting::FanOut { strings_max: 1 }),
        ("host", "fan-out, K = 2".to_owned(), Counting::FanOut { strings_max: 2 }),
        ("host", "fan-out, K = 4".to_owned(), Counting::FanOut { strings_max: 4 }),
    ];
    for (price, paid) in prices.iter().enumerate() {
        for (unit, how, counting) in &ways {
            let search = Fingerprints::new(*counting, &paid.rho_with_keys, &paid.delta_of_keys)?;
            let line = || Line { what: "worms".to_owned(), unit, how: how.clone(), price };
            accuracy.add(line(), "threshold", search.threshold() as f64);
            accuracy.add(line(), "sigma", search.sigma());
            let shown = search.release(sightings, &Choice::fresh(), bits);
            let mut suspects: BTreeSet<&str> = shown
                .iter()
                .filter(|shown| search.is_suspect(shown))
                .map(|shown| sightings.payloads.name(shown.payload))
                .collect();
            let mut counted = BTreeSet::new();
            for planted in &worms.planted {
                let is_worm =
                    i128::from(planted.sources) > SOURCES && i128::from(planted.destinations) > DESTINATIONS;
                if let Planted::Worm { infected } = planted.what {
                    let found = suspects.contains(planted.payload.as_str());
                    accuracy.add(line(), &format!("found of {infected:03}"), f64::from(u8::from(found)));
                    counted.extend(is_worm.then_some(planted.payload.as_str()));
                }
            }
            suspects.retain(|payload| !counted.contains(payload));
            accuracy.add(line(), "false", suspects.len() as f64);
            // Pointing at one string at random hits a given worm once in so many.
            accuracy.add(line(), "chance", 1.0 / sightings.payloads.len() as f64);
        }
    }
    Ok(())
}

pub(super) fn stones(
    accuracy: &mut Accuracy,
    round: u64,
    size: &Size,
    prices: &[Paid],
    bits: &mut SystemBits,
) -> Result<(), TraceError> {
    for hours in [2, 8] {
        let made = made_up::stones(round, &Size { hours, ..*size });
        let planted: BTreeSet<(u64, u64)> = made.planted.iter().copied().collect();
        let conversations = size.interactive as usize;
        let pairs = conversations * (conversations - 1) / 2;
        for (price, paid) in prices.iter().enumerate() {
            for kept_max in [2, 3, 6] {
                for names in [NamesAre::Public, NamesAre::Private] {
                    let rho = if names == NamesAre::Public { &paid.rho } else { &paid.rho_with_keys };
                    let search = SteppingStones::new(kept_max, rho, &paid.delta_of_keys)?;
                    let released = search.release(&made.keystrokes, names, &Choice::fresh(), bits);
                    let (words, threshold) = match names {
                        NamesAre::Public => ("public", search.threshold_of_noise(pairs)),
                        NamesAre::Private => ("private", search.threshold() as f64),
                    };
                    let found: Vec<(u64, u64)> = search
                        .stones(&released, threshold)
                        .into_iter()
                        .map(|((_, one), (_, other))| (one.min(other), one.max(other)))
                        .collect();
                    let line = Line {
                        what: "stepping stones".to_owned(),
                        unit: "packet",
                        how: format!("{hours} h, m = {kept_max}, {words} names"),
                        price,
                    };
                    count(accuracy, line, &found, &planted, pairs);
                }
            }
            let found = at_host_level(&made, pairs, paid, bits)?;
            let how = format!("{hours} h, 100 coincidences a host");
            let line = Line { what: "stepping stones".to_owned(), unit: "host", how, price };
            count(accuracy, line, &found, &planted, pairs);
        }
    }
    Ok(())
}

fn count(
    accuracy: &mut Accuracy,
    line: Line,
    found: &[(u64, u64)],
    planted: &BTreeSet<(u64, u64)>,
    pairs: usize,
) {
    let right = found.iter().filter(|pair| planted.contains(pair)).count();
    accuracy.add(line.clone(), "found", right as f64 / planted.len() as f64);
    accuracy.add(line.clone(), "false", (found.len() - right) as f64);
    accuracy.add(line, "chance", planted.len() as f64 / pairs as f64);
}

/// The best that hiding hosts allows: all coincidences of a host's own pair, cut at 100, with noise for 100 on every pair.
fn at_host_level(
    made: &made_up::Stones,
    pairs: usize,
    paid: &Paid,
    bits: &mut SystemBits,
) -> Result<Vec<(u64, u64)>, TraceError> {
    const CUT: i128 = 100;
    let sensitivity = SensitivityL2::from_squared(Rational::from(CUT).squared())?;
    let noise = DiscreteGaussianMechanism::for_rho(&paid.rho, &sensitivity)?;
    let sigma = noise.variance_parameter().to_f64_upper().sqrt();
    // Every planted pair has far more coincidences than the cut; all others have hosts of their own, and none that count.
    let exact: Vec<i128> = (0..pairs).map(|pair| if pair < made.planted.len() { CUT } else { 0 }).collect();
    let threshold = sigma * normal_quantile(0.5 / pairs as f64);
    let above =
        noise.release_all(&exact, bits).into_iter().enumerate().filter(|(_, y)| *y as f64 >= threshold);
    let name = |pair: usize| made.planted.get(pair).copied().unwrap_or((u64::MAX, pair as u64));
    Ok(above.map(|(pair, _)| name(pair)).collect())
}

pub(super) fn volumes(
    accuracy: &mut Accuracy,
    round: u64,
    size: &Size,
    prices: &[Paid],
    bits: &mut SystemBits,
) -> Result<(), TraceError> {
    let made = made_up::volumes(round, size);
    let bursts: BTreeSet<usize> = made.bursts.iter().map(|burst| usize::from(burst.bin)).collect();
    let found = |volumes: &[f64]| {
        let top = link_volume::top(&link_volume::scores(volumes), bursts.len());
        top.iter().filter(|bin| bursts.contains(bin)).count() as f64 / bursts.len() as f64
    };
    let exact = found(&link_volume::exact(&made.crossings.rows));
    let ways = [("packet", "all packets".to_owned(), Norm::Packet)].into_iter().chain(
        [5, 10, 20, 40].map(|norm_max| ("host", format!("R = {norm_max:02}"), Norm::Host { norm_max })),
    );
    for (unit, how, norm) in ways {
        for (price, paid) in prices.iter().enumerate() {
            let mechanism = LinkVolumes::new(norm, &paid.rho)?;
            let released = mechanism.packets(&mechanism.release(&made.crossings.rows, bits));
            let line = || Line { what: "bursts on links".to_owned(), unit, how: how.clone(), price };
            accuracy.add(line(), "found", found(&released));
            accuracy.add(line(), "found without noise", exact);
            accuracy.add(line(), "chance", bursts.len() as f64 / BINS as f64);
        }
    }
    Ok(())
}
