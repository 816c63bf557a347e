//! Ties and lists of nodes in files of commas or tabs: the records that tables are read from.

use std::io::Read;
use std::sync::atomic::Ordering;

use pointillist_records::{Next, Records};

use super::builder::{Tally, label};
use super::first_line::Verdict;
use super::input::{Input, unreadable};
use super::{GraphBuilder, Loaded, Reading};
use crate::GraphError;

/// How often progress is reported, in records.
const REPORT: u64 = 1 << 17;
/// As many fields of a first record as tell what it is: three numbers tell counts from a tie.
const LEADING: usize = 4;

/// Reads a graph: the first two fields of every record.
pub(super) fn read_graph(
    input: impl Read + Send,
    delimiter: u8,
    reading: &Reading,
    progress: &dyn Fn(u64),
) -> Result<Loaded, GraphError> {
    let mut builder = GraphBuilder::new(reading.nodes.clone());
    let mut tally = Tally::default();
    let mut verdict = Verdict::Awaited;
    // A first record of which it is not yet known what it is.
    let mut held: Option<Vec<Vec<u8>>> = None;
    let ended_in_quotes = each(input, delimiter, progress, &mut |record| {
        tally.lines += 1;
        if verdict == Verdict::Awaited && held.is_none() {
            match Verdict::declared(reading.first_line) {
                Some(Verdict::Tie) => verdict = Verdict::Tie,
                Some(description) => {
                    verdict = description;
                    return;
                }
                None => {
                    held = Some(record.copied(LEADING));
                    return;
                }
            }
        }
        let tie = record.label(0).zip(record.label(1));
        if let Some(first) = held.take() {
            verdict = Verdict::detected(&first, tie);
            add_held(&mut builder, &mut tally, verdict, &first);
        }
        match tie {
            Some((u, v)) => {
                tally.ties += 1;
                builder.add_labels(u, v);
            }
            None => tally.skipped += 1,
        }
    })?;
    tally.ended_in_quotes = ended_in_quotes;
    if let Some(first) = held {
        verdict = Verdict::detected(&first, None);
        add_held(&mut builder, &mut tally, verdict, &first);
    }
    let first_line = verdict.finish(reading.first_line, &mut builder, &tally);
    let (graph, outside) = builder.finish_counting()?;
    Ok(tally.loaded(graph, outside, first_line))
}

/// Adds a first record that turned out to be a tie.
fn add_held(builder: &mut GraphBuilder, tally: &mut Tally, verdict: Verdict, first: &[Vec<u8>]) {
    if let (Verdict::Tie, [u, v, ..]) = (verdict, first) {
        tally.ties += u64::from(builder.add_texts(u, v));
    }
}

/// Reads the labels of a list of nodes: the first field of every record. `skip_first` leaves out the first one.
pub(super) fn read_labels(
    input: impl Read + Send,
    delimiter: u8,
    mut skip_first: bool,
    progress: &dyn Fn(u64),
) -> Result<Vec<u128>, GraphError> {
    let mut labels = Vec::new();
    each(input, delimiter, progress, &mut |record| {
        labels.extend(record.label(0).filter(|_| !skip_first));
        skip_first = false;
    })?;
    Ok(labels)
}

/// A record; one that is malformed has no fields.
struct Record<'r, 'i>(Option<&'r Records<Input<'i>>>);

impl Record<'_, '_> {
    fn label(&self, place: usize) -> Option<u128> {
        self.visit(place, label).flatten()
    }

    fn copied(&self, count: usize) -> Vec<Vec<u8>> {
        (0..count).map_while(|place| self.visit(place, <[u8]>::to_vec)).collect()
    }

    fn visit<T>(&self, place: usize, visit: impl FnOnce(&[u8]) -> T) -> Option<T> {
        let records = self.0?;
        let field = records.fields().get(place)?;
        Some(visit(records.bytes(*field, &mut Vec::new())))
    }
}

/// Every record once, the malformed ones too: they are records of somebody. Says whether the file ends inside of quotes.
fn each(
    input: impl Read + Send,
    delimiter: u8,
    progress: &dyn Fn(u64),
    visit: &mut dyn FnMut(&Record<'_, '_>),
) -> Result<bool, GraphError> {
    let input = Input::new(input)?;
    let bytes_read = input.counter();
    let mut records = Records::new(input, delimiter);
    for count in 1_u64.. {
        match records.next() {
            Next::Record => visit(&Record(Some(&records))),
            Next::Malformed => visit(&Record(None)),
            Next::End => break,
        }
        if count % REPORT == 0 {
            progress(bytes_read.load(Ordering::Relaxed));
        }
    }
    progress(bytes_read.load(Ordering::Relaxed));
    records.failure().map_or(Ok(records.ended_in_quotes()), |failure| Err(unreadable(failure)))
}
