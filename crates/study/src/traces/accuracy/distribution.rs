//! Errors of distributions, round trips and losses.

use pointillist_noise::SystemBits;

use super::{Accuracy, Line, Paid, packets};
use crate::traces::cdf::{CdfMechanism, Moves, Strategy, distances, exact_cdf};
use crate::traces::error::TraceError;
use crate::traces::histogram::Weighing;
use crate::traces::made_up::Size;
use crate::traces::retransmission::{self, Limits, Retransmission};
use crate::traces::round_trip;
use crate::traces::trace::{PORTS, Packet, SIZES};

/// Rows that count of one host, at each price: few where noise is large.
pub const SIZE_ROWS_MAX: [u32; 3] = [30, 300, 1_000];
/// The same for ports, which busy hosts use as others do.
pub const PORT_ROWS_MAX: [u32; 3] = [30, 30, 30];

/// The distribution of packets over the cells of one of their columns.
type Column = (&'static str, usize, fn(&Packet) -> usize, [u32; 3]);
const COLUMNS: [Column; 2] =
    [("size", SIZES, Packet::size_cell, SIZE_ROWS_MAX), ("port", PORTS, Packet::port_cell, PORT_ROWS_MAX)];

pub(super) fn round(
    accuracy: &mut Accuracy,
    round: u64,
    size: &Size,
    prices: &[Paid],
    bits: &mut SystemBits,
) -> Result<(), TraceError> {
    let packets = packets(round, size);
    for column in COLUMNS {
        distributions(accuracy, column, &packets.rows, prices, bits)?;
    }
    let median = round_trip::exact_median_ms(&packets.rows);
    let rate = retransmission::exact_rate(&packets.rows);
    for (price, paid) in prices.iter().enumerate() {
        let ways = [("packet", Weighing::EachRow)]
            .into_iter()
            .chain([5, 20, 60].map(|rows_max| ("host", Weighing::CappedHost { rows_max })));
        for (unit, weighing) in ways {
            let mechanism = round_trip::mechanism(weighing, &paid.rho)?;
            let released = mechanism.release(&round_trip::histogram(weighing, &packets.rows), bits);
            let error = (round_trip::median_ms(&mechanism, &released) / median - 1.0).abs();
            let how = match weighing {
                Weighing::CappedHost { rows_max } => format!("{rows_max} flows a host"),
                Weighing::EachRow | Weighing::AverageHost => "all flows".to_owned(),
            };
            accuracy.add(
                Line { what: "median round trip".to_owned(), unit, how, price },
                "relative error",
                error,
            );
        }
        let ways = [("packet", Limits::Packet)].into_iter().chain(
            [(50, 5), (200, 20), (600, 60)]
                .map(|(packets_max, copies_max)| ("host", Limits::Host { packets_max, copies_max })),
        );
        for (unit, limits) in ways {
            let mechanism = Retransmission::new(limits, &paid.rho)?;
            let error = (mechanism.rate(&mechanism.release(&packets.rows, bits)) / rate - 1.0).abs();
            let how = match limits {
                Limits::Packet => "all packets".to_owned(),
                Limits::Host { packets_max, copies_max } => {
                    format!("{packets_max} packets and {copies_max} copies a host")
                }
            };
            accuracy.add(Line { what: "loss rate".to_owned(), unit, how, price }, "relative error", error);
        }
    }
    Ok(())
}

fn distributions(
    accuracy: &mut Accuracy,
    (what, cells, cell, rows_max): Column,
    packets: &[Packet],
    prices: &[Paid],
    bits: &mut SystemBits,
) -> Result<(), TraceError> {
    let sent = || packets.iter().filter(|packet| packet.is_sent()).map(|packet| (packet.host, cell(packet)));
    let of_packets = exact_cdf(&Weighing::EachRow.histogram(cells, sent()));
    for (price, paid) in prices.iter().enumerate() {
        let capped = Weighing::CappedHost { rows_max: rows_max[price] };
        let ways = [
            ("packet", "all packets".to_owned(), Weighing::EachRow),
            ("host", format!("{} packets a host", rows_max[price]), capped),
            ("host", "average host".to_owned(), Weighing::AverageHost),
        ];
        for (unit, how, weighing) in ways {
            let histogram = weighing.histogram(cells, sent());
            let own = exact_cdf(&histogram);
            // The average host is another question, with its own truth; a cut histogram answers the question about packets.
            let truth = if weighing == Weighing::AverageHost { &own } else { &of_packets };
            for strategy in Strategy::ALL {
                let moves = Moves::By(weighing.moves_l1_upper());
                let mechanism = CdfMechanism::new(strategy, cells, moves, &paid.rho)?;
                let released = mechanism.release(&histogram, bits);
                for estimate in strategy.estimates() {
                    let cdf = mechanism.cdf(&released, estimate);
                    let line =
                        || Line { what: format!("{what} distribution"), unit, how: how.clone(), price };
                    let (largest, mean) = distances(&cdf, truth);
                    accuracy.add(line(), &format!("{}: largest", estimate.name()), largest);
                    accuracy.add(line(), &format!("{}: mean", estimate.name()), mean);
                    let (from_cut, _) = distances(&cdf, &own);
                    accuracy.add(
                        line(),
                        &format!("{}: largest from what was cut", estimate.name()),
                        from_cut,
                    );
                }
            }
            let (cut, _) = distances(&own, truth);
            let line = Line { what: format!("{what} distribution"), unit, how, price };
            accuracy.add(line, "of the cut alone", cut);
        }
    }
    Ok(())
}
