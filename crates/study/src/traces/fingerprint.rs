//! Worm fingerprints: strings that many hosts send to many addresses, without a list of strings to begin with.
//!
//! **Guarantee.** δ-approximate ρ-zCDP, by earned keys (`mechanisms/src/keys/earned_keys.rs`): a string is shown with its noisy number of
//! hosts where that reaches a threshold that strings of one host alone pass with probability δ at most, whatever they are.
//! **Neighbours.** One packet more or less, or all packets of one host.
//! **Proof.** *Host, fan-out:* c(s) is the number of hosts that sent s to at least b′ addresses. Whether a host did is decided by its own rows; of
//! the strings for which it did, it keeps K, by a keyed hash of its own rows. So a host adds one to K strings at most: earned keys with g
//! = K. *Packet:* a packet has one string and moves its number of distinct hosts by one at most, and that of distinct addresses too: two
//! releases of ρ/2, the first of which earns keys, with g = 1. *Host, two counts:* K strings a host, and L addresses for each: the number of
//! hosts moves by one in K strings, that of addresses by L at most in each, L2 ≤ L√K (it is *not* one: all of a host's
//! addresses may be its own); ρ/2 each.
//! **Not seen.** Worms whose carriers each reach fewer than b′ addresses; and worms on a few hosts, which nobody may see who must not see a host.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::BuildHasher;

use pointillist_mechanisms::{DiscreteGaussianMechanism, EarnedKeys};
use pointillist_noise::SecureBits;
use pointillist_numbers::Rational;
use pointillist_privacy::{Delta, Loss, Rho, SensitivityL2};

use super::choice::Choice;
use super::error::TraceError;
use super::trace::{Sighting, Sightings};

/// A string is a worm's where more than so many hosts send it …
pub const SOURCES: i128 = 20;
/// … to more than so many addresses.
pub const DESTINATIONS: i128 = 50;
/// A host sends a string widely where it sends it to so many addresses.
pub const FAN_OUT: usize = 5;

/// How strings are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counting {
    /// Distinct hosts and distinct addresses; a packet is the unit.
    Packet,
    /// Hosts that sent it widely, K strings a host; a host is the unit.
    FanOut {
        /// Strings that one host keeps, K in the proof.
        strings_max: u32,
    },
    /// Hosts, and distinct addresses of which L count for a host; a host is the unit.
    TwoCounts {
        /// Strings that one host keeps, K in the proof.
        strings_max: u32,
        /// Addresses that count for one host and one string, L in the proof.
        destinations_max: u32,
    },
}

/// A string that was shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// The string.
    pub payload: u32,
    /// About how many hosts.
    pub sources: i128,
    /// About how many addresses, where they were counted.
    pub destinations: Option<i128>,
}

/// A search for strings that many send to many.
pub struct Fingerprints {
    counting: Counting,
    keys: EarnedKeys,
    destinations: Option<DiscreteGaussianMechanism>,
    loss: Loss,
}

impl Fingerprints {
    /// A search at this price.
    pub fn new(counting: Counting, rho: &Rho, delta: &Delta) -> Result<Self, TraceError> {
        let half = || Rho::new(rho.value() * &Rational::ratio(1, 2));
        let (keys, destinations) = match counting {
            Counting::Packet => (EarnedKeys::new(1, &half()?, delta)?, Some((Rational::from(1), half()?))),
            Counting::FanOut { strings_max } => (EarnedKeys::new(u64::from(strings_max), rho, delta)?, None),
            Counting::TwoCounts { strings_max, destinations_max } => {
                let squared = Rational::from(destinations_max).squared() * Rational::from(strings_max);
                (EarnedKeys::new(u64::from(strings_max), &half()?, delta)?, Some((squared, half()?)))
            }
        };
        let destinations = destinations
            .map(|(squared, rho)| -> Result<_, TraceError> {
                Ok(DiscreteGaussianMechanism::for_rho(&rho, &SensitivityL2::from_squared(squared)?)?)
            })
            .transpose()?;
        Ok(Self { counting, keys, destinations, loss: Loss::approximate_zcdp(rho.clone(), delta.clone()) })
    }

    /// What a search costs.
    pub fn loss(&self) -> Loss {
        self.loss.clone()
    }

    /// The least noisy number of hosts that is shown.
    pub fn threshold(&self) -> i128 {
        self.keys.threshold()
    }

    /// The deviation of the noise on numbers of hosts.
    pub fn sigma(&self) -> f64 {
        self.keys.noise().scale_upper().to_f64_upper()
    }

    /// The strings that may be shown, with about how many hosts sent them.
    pub fn release<S: BuildHasher, B: SecureBits + ?Sized>(
        &self,
        sightings: &Sightings,
        choice: &Choice<S>,
        bits: &mut B,
    ) -> Vec<Shown> {
        let counts = counts(self.counting, sightings, choice);
        let sources: Vec<i128> = counts.values().map(|(sources, _)| *sources).collect();
        let noisy = self.keys.release(&sources, bits);
        let destinations = self.destinations.as_ref().map(|noise| {
            noise.release_all(&counts.values().map(|(_, reached)| *reached).collect::<Vec<_>>(), bits)
        });
        let shown = counts.keys().zip(noisy).enumerate().filter_map(|(place, (payload, sources))| {
            let destinations = destinations.as_ref().map(|all| all[place]);
            Some(Shown { payload: *payload, sources: sources?, destinations })
        });
        shown.collect()
    }

    /// Whether a shown string is taken for a worm's: by public numbers, never by what was planted.
    pub fn is_suspect(&self, shown: &Shown) -> bool {
        let reaches = |destinations: i128| {
            let sigma = self
                .destinations
                .as_ref()
                .map_or(0.0, |noise| noise.variance_parameter().to_f64_upper().sqrt());
            destinations as f64 > DESTINATIONS as f64 + 3.0 * sigma
        };
        shown.sources > SOURCES && shown.destinations.is_none_or(reaches)
    }
}

/// Hosts and addresses of every string that occurs, as they are released, without noise.
fn counts<S: BuildHasher>(
    counting: Counting,
    sightings: &Sightings,
    choice: &Choice<S>,
) -> BTreeMap<u32, (i128, i128)> {
    // Addresses by string, host by host.
    let mut rows: Vec<Sighting> = sightings.rows.clone();
    rows.sort_unstable_by_key(|row| (row.host, row.payload, row.peer));
    rows.dedup();
    let mut sources: BTreeMap<u32, i128> = BTreeMap::new();
    let mut reached: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
    for of_host in rows.chunk_by(|a, b| a.host == b.host) {
        let host = sightings.hosts.name(of_host[0].host);
        let strings: Vec<&[Sighting]> = of_host.chunk_by(|a, b| a.payload == b.payload).collect();
        let name = |payload: u32| (host, sightings.payloads.name(payload));
        let kept: Vec<&[Sighting]> = match counting {
            Counting::Packet => strings,
            Counting::FanOut { strings_max } => {
                let wide = strings.into_iter().filter(|string| string.len() >= FAN_OUT);
                first(choice, wide.collect(), strings_max, |string| name(string[0].payload))
            }
            Counting::TwoCounts { strings_max, .. } => {
                first(choice, strings, strings_max, |string| name(string[0].payload))
            }
        };
        for string in kept {
            let payload = string[0].payload;
            *sources.entry(payload).or_default() += 1;
            let peers: Vec<u32> = match counting {
                Counting::FanOut { .. } => continue,
                Counting::Packet => string.iter().map(|row| row.peer).collect(),
                Counting::TwoCounts { destinations_max, .. } => {
                    let peers = string.iter().map(|row| row.peer).collect();
                    first(choice, peers, destinations_max, |peer| {
                        (name(payload), sightings.peers.name(*peer))
                    })
                }
            };
            reached.entry(payload).or_default().extend(peers);
        }
    }
    let count = |(payload, sources): (u32, i128)| {
        (payload, (sources, reached.get(&payload).map_or(0, |peers| peers.len() as i128)))
    };
    sources.into_iter().map(count).collect()
}

/// The first few items by the keyed hash of their names.
fn first<T, N: std::hash::Hash + Ord, S: BuildHasher>(
    choice: &Choice<S>,
    mut items: Vec<T>,
    most: u32,
    name: impl Fn(&T) -> N,
) -> Vec<T> {
    if items.len() > most as usize {
        items.sort_by_cached_key(|item| {
            let name = name(item);
            choice.rank(&name)
        });
        items.truncate(most as usize);
    }
    items
}

#[cfg(test)]
mod tests {
    use std::hash::{BuildHasherDefault, DefaultHasher};

    use pointillist_testkit::seeded;

    use super::*;

    fn choice() -> Choice<BuildHasherDefault<DefaultHasher>> {
        Choice::of_key(BuildHasherDefault::default())
    }

    /// Strings as (host, payload, peer).
    fn sightings(rows: &[(u32, u32, u32)]) -> Sightings {
        let mut sightings = Sightings::default();
        for (host, payload, peer) in rows {
            let row = Sighting {
                host: sightings.hosts.number(&format!("h{host}")),
                payload: sightings.payloads.number(&format!("s{payload}")),
                peer: sightings.peers.number(&format!("p{peer}")),
            };
            sightings.rows.push(row);
        }
        sightings
    }

    fn named(counting: Counting, rows: &[(u32, u32, u32)]) -> BTreeMap<String, (i128, i128)> {
        let sightings = sightings(rows);
        let counts = counts(counting, &sightings, &choice());
        counts
            .into_iter()
            .map(|(payload, count)| (sightings.payloads.name(payload).to_owned(), count))
            .collect()
    }

    /// How many hosts and addresses move, in the square of L2 each, when rows go.
    fn moved(counting: Counting, rows: &[(u32, u32, u32)], fewer: &[(u32, u32, u32)]) -> (i128, i128) {
        let (with, without) = (named(counting, rows), named(counting, fewer));
        let names: BTreeSet<&String> = with.keys().chain(without.keys()).collect();
        names.into_iter().fold((0, 0), |(sources, reached), name| {
            let of = |counts: &BTreeMap<String, (i128, i128)>| counts.get(name).copied().unwrap_or_default();
            let (a, b) = (of(&with), of(&without));
            (sources + (a.0 - b.0).pow(2), reached + (a.1 - b.1).pow(2))
        })
    }

    /// Small tables of three hosts, four strings and seven addresses; one host sends everything to everybody.
    fn tables() -> impl Iterator<Item = Vec<(u32, u32, u32)>> {
        (1..400_u32).map(|number| {
            let others = (0..40).map(move |place| {
                let digits = (number * (place * 31 + 17) + place * place) % 84;
                (1 + digits / 42, digits % 4, (digits / 6) % 7)
            });
            let everything = (0..4).flat_map(|payload| (0..7).map(move |peer| (0, payload, peer)));
            others
                .chain(everything.filter(move |(_, payload, peer)| number % (payload + peer + 2) != 0))
                .collect()
        })
    }

    fn without_host(rows: &[(u32, u32, u32)], host: u32) -> Vec<(u32, u32, u32)> {
        rows.iter().copied().filter(|(owner, ..)| *owner != host).collect()
    }

    /// Specification: over hundreds of small tables no host moves more than K strings by one, or addresses by more than L in each, and
    /// no packet more than one of either; each bound is reached.
    #[test]
    fn no_packet_and_no_host_moves_more_than_is_claimed_and_some_as_much() {
        let fan_out = Counting::FanOut { strings_max: 2 };
        let two = Counting::TwoCounts { strings_max: 2, destinations_max: 3 };
        let mut most = [(0, 0); 3];
        for rows in tables() {
            for host in 0..3 {
                let fewer = without_host(&rows, host);
                for (place, counting) in [fan_out, two].into_iter().enumerate() {
                    let (sources, reached) = moved(counting, &rows, &fewer);
                    most[place] = (most[place].0.max(sources), most[place].1.max(reached));
                }
            }
            for place in (0..rows.len()).step_by(5) {
                let mut fewer = rows.clone();
                let gone = fewer.remove(place);
                fewer.retain(|row| *row != gone);
                let (sources, reached) = moved(Counting::Packet, &rows, &fewer);
                most[2] = (most[2].0.max(sources), most[2].1.max(reached));
            }
        }
        // A host alone in the world brings addresses that nobody else has.
        let alone: Vec<(u32, u32, u32)> =
            (0..4).flat_map(|payload| (0..7).map(move |peer| (0, payload, peer))).collect();
        let (sources, reached) = moved(two, &alone, &[]);
        most[1] = (most[1].0.max(sources), most[1].1.max(reached));
        assert_eq!(most[0], (2, 0), "K strings by one each");
        assert_eq!(most[1], (2, 2 * 3 * 3), "L addresses in each of K strings");
        assert!(most[2].0 <= 1 && most[2].1 == 1, "{most:?}");
    }

    /// Specification: a distinct count of addresses is not moved by one when a host goes, and without K a host moves all its strings.
    #[test]
    fn planted_wrong_bounds_are_caught() {
        let alone: Vec<(u32, u32, u32)> =
            (0..4).flat_map(|payload| (0..7).map(move |peer| (0, payload, peer))).collect();
        let (_, reached) = moved(Counting::Packet, &alone, &[]);
        assert!(reached > 1, "COUNT(DISTINCT address) has no bound of one at host level");
        let (sources, _) = moved(Counting::FanOut { strings_max: 4 }, &alone, &[]);
        assert!(sources > 2, "K = 2 is no bound for who keeps four");
    }

    /// Specification: with 64 carriers of 300 hosts, K = 2 and ε about 1, the worm is among what is shown and suspected, and nothing
    /// else is. The generator's start is fixed: 64 is about 4.5 deviations above the threshold.
    #[test]
    fn a_worm_on_64_hosts_is_found_and_a_banner_is_not() {
        let mut rows: Vec<(u32, u32, u32)> = Vec::new();
        for host in 0..300 {
            rows.push((host, 1_000 + host, host % 9));
            rows.push((host, 2, host % 4));
            if host < 64 {
                rows.extend((0..10).map(|peer| (host, 1, (host * 7 + peer * 13) % 200)));
            }
        }
        let sightings = sightings(&rows);
        let (rho, delta) = (Rho::parse("0.0229").unwrap(), Delta::parse("5e-7").unwrap());
        let search = Fingerprints::new(Counting::FanOut { strings_max: 2 }, &rho, &delta).unwrap();
        assert!((30..40).contains(&search.threshold()), "{}", search.threshold());
        let shown = search.release(&sightings, &choice(), &mut seeded(11));
        let suspects: Vec<&str> = shown
            .iter()
            .filter(|shown| search.is_suspect(shown))
            .map(|shown| sightings.payloads.name(shown.payload))
            .collect();
        assert_eq!(suspects, ["s1"]);
    }
}
