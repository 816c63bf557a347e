//! What SQL cannot say: the mechanisms, what they release, and what is read from that.

use pointillist_ledger::Receipt;
use pointillist_noise::SystemBits;
use pointillist_privacy::{Epsilon, Loss};

use super::{Curve, Finding, Truth, UnitStudy, Way};
use crate::traces::accuracy::Paid;
use crate::traces::cdf::{CdfMechanism, Moves, Strategy, distances, exact_cdf};
use crate::traces::choice::Choice;
use crate::traces::error::TraceError;
use crate::traces::histogram::Weighing;
use crate::traces::link_volume::{self, LinkVolumes, Norm};
use crate::traces::payment::{NamedMechanism, decoded, encoded};
use crate::traces::questions::Table;
use crate::traces::retransmission::{self, Limits, Retransmission};
use crate::traces::rows::Rows;
use crate::traces::stepping_stone::{NamesAre, SteppingStones};
use crate::traces::trace::{Keystrokes, PORTS, Packet, SIZES};
use crate::traces::{Unit, round_trip};

/// Conversations that a bucket keeps.
const KEPT_MAX: u32 = 6;
/// The norm that a host's volumes are scaled to.
const NORM_MAX: u32 = 5;
/// Round trips of one host that count.
const ROUND_TRIPS_MAX: u32 = 5;

/// A mechanism with its name and its price.
pub(in crate::traces) struct Named {
    pub(super) words: NamedMechanism,
    what: What,
}

enum What {
    Distribution {
        column: Column,
        weighing: Weighing,
        of: String,
        strategy: Strategy,
        mechanism: Box<CdfMechanism>,
    },
    RoundTrip {
        weighing: Weighing,
        mechanism: Box<CdfMechanism>,
    },
    Loss(Box<Retransmission>),
    Stones(Box<SteppingStones>),
    Volumes(Box<LinkVolumes>),
}

/// A column of packets whose distribution is measured.
#[derive(Clone, Copy)]
struct Column {
    name: &'static str,
    cells: usize,
    cell: fn(&Packet) -> usize,
}

const COLUMNS: [Column; 2] = [
    Column { name: "size", cells: SIZES, cell: Packet::size_cell },
    Column { name: "port", cells: PORTS, cell: Packet::port_cell },
];

impl Named {
    /// What it costs.
    pub(super) fn loss(&self) -> Loss {
        match &self.what {
            What::Distribution { mechanism, .. } | What::RoundTrip { mechanism, .. } => mechanism.loss(),
            What::Loss(mechanism) => mechanism.loss(),
            What::Stones(mechanism) => mechanism.loss(),
            What::Volumes(mechanism) => mechanism.loss(),
        }
    }

    /// Reads and adds noise, for whoever has paid.
    pub(super) fn release(
        &self,
        rows: &Rows<'_>,
        receipt: &Receipt,
        bits: &mut SystemBits,
    ) -> Result<Vec<u8>, TraceError> {
        let numbers = match &self.what {
            What::Distribution { column, weighing, mechanism, .. } => {
                mechanism.release(&column.histogram(*weighing, &rows.packets(receipt)?.rows), bits)
            }
            What::RoundTrip { weighing, mechanism } => {
                mechanism.release(&round_trip::histogram(*weighing, &rows.packets(receipt)?.rows), bits)
            }
            What::Loss(mechanism) => mechanism.release(&rows.packets(receipt)?.rows, bits),
            What::Volumes(mechanism) => mechanism.release(&rows.crossings(receipt)?.rows, bits),
            What::Stones(mechanism) => {
                let keystrokes = rows.keystrokes(receipt)?;
                let released = mechanism.release(keystrokes, NamesAre::Private, &Choice::fresh(), bits);
                let stones = mechanism.stones(&released, mechanism.threshold() as f64);
                let line = |pair| stone_line(keystrokes, pair, released.pairs[pair]);
                return Ok(stones.iter().map(line).collect::<String>().into_bytes());
            }
        };
        Ok(encoded(&numbers))
    }
}

/// A stone that was shown, as a line: two conversations by host and number, and how often they woke up together.
fn stone_line(keystrokes: &Keystrokes, pair: &((u32, u64), (u32, u64)), count: i128) -> String {
    let (one, other) = pair;
    let host = |host: u32| keystrokes.hosts.name(host).replace(['\t', '\n'], " ");
    format!("{}\t{}\t{}\t{}\t{count}\n", host(one.0), one.1, host(other.0), other.1)
}

impl Column {
    fn histogram(&self, weighing: Weighing, packets: &[Packet]) -> Vec<i128> {
        let sent = packets.iter().filter(|packet| packet.is_sent());
        weighing.histogram(self.cells, sent.map(|packet| (packet.host, (self.cell)(packet))))
    }
}

/// What is bought as named mechanisms where this is the unit.
pub(super) fn mechanisms(
    unit: Unit,
    tables: &[Table],
    epsilon: &Epsilon,
    paid: &Paid,
) -> Result<Vec<Named>, TraceError> {
    let mut bought = Vec::new();
    for column in COLUMNS {
        for (weighing, of, strategies) in distributions(unit, column, epsilon) {
            for strategy in strategies {
                let moves = Moves::By(weighing.moves_l1_upper());
                let mechanism = Box::new(CdfMechanism::new(strategy, column.cells, moves, &paid.rho)?);
                let words = named(format!("{} distribution, {}", column.name, strategy.name()), of.clone());
                let what = What::Distribution { column, weighing, of: of.clone(), strategy, mechanism };
                bought.push(Named { words, what });
            }
        }
    }
    let (weighing, of) = match unit {
        Unit::Packet => (Weighing::EachRow, "one match a key".to_owned()),
        Unit::Host => {
            let rows_max = ROUND_TRIPS_MAX;
            (Weighing::CappedHost { rows_max }, format!("one match a key, {rows_max} a host"))
        }
    };
    let mechanism = Box::new(round_trip::mechanism(weighing, &paid.rho)?);
    let words = named("round trips, square-root factorization".to_owned(), of);
    bought.push(Named { words, what: What::RoundTrip { weighing, mechanism } });
    match unit {
        Unit::Packet => {
            let loss = Retransmission::new(Limits::Packet, &paid.rho)?;
            let words = named("packets and copies".to_owned(), "all packets".to_owned());
            bought.push(Named { words, what: What::Loss(Box::new(loss)) });
            let stones = SteppingStones::new(KEPT_MAX, &paid.rho_with_keys, &paid.delta_of_keys)?;
            let words =
                named("stepping stones by itemsets".to_owned(), format!("{KEPT_MAX} conversations a bucket"));
            bought.push(Named { words, what: What::Stones(Box::new(stones)) });
        }
        Unit::Host if tables.contains(&Table::Crossings) => {
            let volumes = LinkVolumes::new(Norm::Host { norm_max: NORM_MAX }, &paid.rho)?;
            let words = named("link volumes".to_owned(), format!("hosts scaled to the norm {NORM_MAX}"));
            bought.push(Named { words, what: What::Volumes(Box::new(volumes)) });
        }
        Unit::Host => {}
    }
    Ok(bought)
}

fn named(name: String, parameters: String) -> NamedMechanism {
    NamedMechanism { name, parameters }
}

/// Whose packets a distribution is of, and by which methods it is measured. Counts of sizes are SQL's where packets are the unit.
fn distributions(unit: Unit, column: Column, epsilon: &Epsilon) -> Vec<(Weighing, String, Vec<Strategy>)> {
    match unit {
        Unit::Packet => {
            let counts_in_sql = column.name == "size";
            let strategies =
                Strategy::ALL.into_iter().filter(|strategy| !counts_in_sql || *strategy != Strategy::Counts);
            vec![(Weighing::EachRow, "all packets".to_owned(), strategies.collect())]
        }
        Unit::Host => {
            let rows_max = match (column.name, epsilon.to_f64_upper()) {
                ("size", epsilon) if epsilon >= 5.0 => 1_000,
                ("size", epsilon) if epsilon >= 0.5 => 300,
                _ => 30,
            };
            let capped = (
                Weighing::CappedHost { rows_max },
                format!("{rows_max} packets a host"),
                Strategy::ALL.to_vec(),
            );
            vec![capped, (Weighing::AverageHost, "average host".to_owned(), vec![Strategy::SquareRoot])]
        }
    }
}

/// The distribution functions of sizes and ports over packets.
pub(super) fn true_cdfs(packets: &[Packet]) -> [Vec<f64>; 2] {
    COLUMNS.map(|column| exact_cdf(&column.histogram(Weighing::EachRow, packets)))
}

/// Reads what was released, and adds it to the study.
pub(super) fn read(
    named: &Named,
    recorded: &[u8],
    truth: Option<&Truth>,
    study: &mut UnitStudy,
) -> Result<(), TraceError> {
    let numbers = match &named.what {
        What::Stones(_) => Vec::new(),
        _ => decoded(recorded).ok_or_else(|| TraceError::OtherVersion { what: named.words.words() })?,
    };
    let released = numbers.as_slice();
    let (answer, true_words) = match &named.what {
        What::Distribution { column, weighing, of, strategy, mechanism } => {
            let own = truth.map(|truth| {
                // The average host is another question than the packets, with a truth of its own.
                let weighing = if *weighing == Weighing::AverageHost { *weighing } else { Weighing::EachRow };
                exact_cdf(&column.histogram(weighing, &truth.packets.rows))
            });
            let mut errors = Vec::new();
            for estimate in strategy.estimates() {
                let cdf = mechanism.cdf(released, estimate);
                let error = own.as_ref().map(|own| distances(&cdf, own).0);
                errors.extend(error.map(|error| format!("{}: {error:.4}", estimate.name())));
                study.curves.push(Curve { column: column.name, of: of.clone(), estimate, cdf, error });
            }
            let errors = (!errors.is_empty()).then(|| format!("largest error {}", errors.join(", ")));
            (format!("a distribution function over {} cells, drawn in the report", column.cells), errors)
        }
        What::RoundTrip { mechanism, .. } => {
            let median = round_trip::median_ms(mechanism, released);
            let exact = truth.map(|truth| round_trip::exact_median_ms(&truth.packets.rows));
            (format!("median {median:.1} ms"), exact.map(|exact| format!("median {exact:.1} ms")))
        }
        What::Loss(mechanism) => {
            let exact = truth.map(|truth| retransmission::exact_rate(&truth.packets.rows));
            let words = |rate: f64| format!("{:.3} % of packets are copies", 100.0 * rate);
            (words(mechanism.rate(released)), exact.map(words))
        }
        What::Stones(_) => stones(&String::from_utf8_lossy(recorded), truth),
        What::Volumes(mechanism) => {
            let volumes = mechanism.packets(released);
            study.score(&volumes);
            let top = link_volume::top(study.scores.as_deref().unwrap_or_default(), 10);
            bursts(&top, truth)
        }
    };
    let way = Way::Named(named.words.words());
    let price = price_words(&named.loss());
    study.findings.push(Finding { title: named.words.name.clone(), way, answer, truth: true_words, price });
    Ok(())
}

fn stones(lines: &str, truth: Option<&Truth>) -> (String, Option<String>) {
    let pair = |line: &str| -> Option<(String, u64, u64, i128)> {
        let fields: Vec<&str> = line.split('\t').collect();
        let [host, one, _, other, count] = fields[..] else { return None };
        Some((host.to_owned(), one.parse().ok()?, other.parse().ok()?, count.parse().ok()?))
    };
    let pairs: Vec<(String, u64, u64, i128)> = lines.lines().filter_map(pair).collect();
    let names: Vec<String> = pairs
        .iter()
        .take(5)
        .map(|(host, one, other, count)| format!("{one} and {other} of {host} (about {count} times)"))
        .collect();
    let more = if pairs.len() > names.len() { ", …" } else { "" };
    let answer = match pairs.is_empty() {
        true => "no pair of conversations stands out".to_owned(),
        false => format!("{} pairs wake up together: {}{more}", pairs.len(), names.join(", ")),
    };
    let truth = truth.map(|truth| {
        let right = pairs.iter().filter(|(_, one, other, _)| truth.stones.contains(&(*one, *other))).count();
        let wrong = pairs.len() - right;
        format!("{right} of {} planted are among them, and {wrong} others", truth.stones.len())
    });
    (answer, truth)
}

/// The intervals that stand out, in words.
pub(super) fn bursts(top: &[usize], truth: Option<&Truth>) -> (String, Option<String>) {
    let clock = |bin: &usize| format!("{:02}:{:02}", bin * 5 / 60, bin * 5 % 60);
    let answer =
        format!("these five minutes stand out: {}", top.iter().map(clock).collect::<Vec<_>>().join(", "));
    let truth = truth.map(|truth| {
        let found = truth.bursts.iter().filter(|burst| top.contains(&usize::from(burst.bin))).count();
        let count = truth.bursts.len();
        format!(
            "{found} of {count} bursts are among them; pointing at random finds {:.1} %",
            100.0 * count as f64 / 288.0
        )
    });
    (answer, truth)
}

/// A loss in ρ and δ.
pub(super) fn price_words(loss: &Loss) -> String {
    match loss.approximate_rho() {
        Some((rho, delta)) if delta.is_zero() => format!("ρ = {:.5}", rho.to_f64_upper()),
        Some((rho, delta)) => format!("ρ = {:.5}, δ = {:.1e}", rho.to_f64_upper(), delta.to_f64_upper()),
        None => String::new(),
    }
}
