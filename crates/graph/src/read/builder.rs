//! Ids to nodes, pair by pair.
//!
//! **Labels.** The label of an id follows from the id alone: a number below 2^64, written without leading zeros, is its
//! own label; the label of any other text, `007` among them, is the first 127 bits of its SHA-256 below a high bit that is set, so that texts and numbers never
//! meet. Two texts with one label would become one node. Nobody knows a way to find such two with fewer than 2^63
//! trials, and among 2^32 ids chosen for any other reason it happens with a chance below 2^-63: we live with that, as
//! with a cosmic ray.
//! **Order.** Nodes are numbered in the order of their labels, so the order of records leaves no trace in the graph.

use std::ops::AddAssign;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;
use sha2::{Digest, Sha256};

use super::index::Index;
use super::{FirstLine, ID_MAX, Loaded, NodeList, line};
use crate::{Graph, GraphError};

/// Set in the labels of texts.
const TEXT: u128 = 1 << 127;
/// Pairs that are kept together.
const PIECE: usize = 1 << 16;
/// Bytes of text that one thread reads at a time.
const TEXT_PIECE: usize = 1 << 19;

/// The label of an id, byte by byte as it stands. What is empty, or longer than [`ID_MAX`], is no id.
pub fn label(id: &[u8]) -> Option<u128> {
    if id.is_empty() || id.len() > ID_MAX {
        return None;
    }
    let text = || {
        let digest = Sha256::digest(id);
        let (high, _) = digest.split_first_chunk().expect("a digest has 32 bytes");
        u128::from_be_bytes(*high) >> 1 | TEXT
    };
    Some(number(id).map_or_else(text, u128::from))
}

/// The value of an id that is a number below 2^64 as everybody writes it: without leading zeros, so that no two texts
/// are one number.
fn number(id: &[u8]) -> Option<u64> {
    if id.len() > 1 && id[0] == b'0' {
        return None;
    }
    let digit = |byte: &u8| byte.is_ascii_digit().then(|| u64::from(byte - b'0'));
    let add = |number: u64, byte: &u8| number.checked_mul(10)?.checked_add(digit(byte)?);
    id.iter().try_fold(0, add).filter(|_| !id.is_empty())
}

/// Collects pairs of ids, and makes a graph of them.
///
/// With a list of nodes, exactly its nodes are there and pairs that name any other id are dropped. Without, every id of
/// every pair is a node, be it in a loop.
pub struct GraphBuilder {
    nodes: Option<NodeList>,
    pieces: Vec<Piece>,
}

/// How many records there were, and of which kind.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    pub(super) lines: u64,
    pub(super) ties: u64,
    pub(super) skipped: u64,
    pub(super) ended_in_quotes: bool,
}

impl Tally {
    /// The graph with what was counted.
    pub(super) fn loaded(self, graph: Graph, outside: u64, first_line: FirstLine) -> Loaded {
        let Self { lines, skipped, ended_in_quotes, .. } = self;
        Loaded { graph, lines, skipped, outside, ended_in_quotes, first_line }
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, more: Self) {
        self.lines += more.lines;
        self.ties += more.ties;
        self.skipped += more.skipped;
        self.ended_in_quotes |= more.ended_in_quotes;
    }
}

/// Some pairs. Most files have numbers only, and those take half the space.
#[derive(Default)]
pub(super) struct Piece {
    numbers: Vec<(u64, u64)>,
    /// Pairs with a text at least on one side, as labels.
    texts: Vec<(u128, u128)>,
    pub(super) tally: Tally,
}

impl Piece {
    #[inline]
    pub(super) fn add_numbers(&mut self, u: u64, v: u64) {
        self.tally.ties += 1;
        self.numbers.push((u, v));
    }

    pub(super) fn add_labels(&mut self, u: u128, v: u128) {
        match (u64::try_from(u), u64::try_from(v)) {
            (Ok(u), Ok(v)) => self.add_numbers(u, v),
            _ => {
                self.tally.ties += 1;
                self.texts.push((u, v));
            }
        }
    }
}

impl GraphBuilder {
    /// Nothing yet.
    pub fn new(nodes: Option<NodeList>) -> Self {
        Self { nodes, pieces: Vec::new() }
    }

    /// Adds a pair of numbers.
    pub fn add_numbers(&mut self, u: u64, v: u64) {
        self.open_piece().add_numbers(u, v);
    }

    /// Adds a pair of texts; says whether. A text that is a number below 2^64, without leading zeros, is that number. What
    /// is empty or longer than [`ID_MAX`] is no id, and a pair with one is not added.
    pub fn add_texts(&mut self, u: &[u8], v: &[u8]) -> bool {
        let labels = label(u).zip(label(v));
        if let Some((u, v)) = labels {
            self.add_labels(u, v);
        }
        labels.is_some()
    }

    /// The graph of all pairs. Fails when there are 2^32 nodes or more.
    pub fn finish(self) -> Result<Graph, GraphError> {
        Ok(self.finish_counting()?.0)
    }

    /// Adds a pair of ids by their [labels](label).
    pub fn add_labels(&mut self, u: u128, v: u128) {
        self.open_piece().add_labels(u, v);
    }

    fn open_piece(&mut self) -> &mut Piece {
        if self.pieces.last().is_none_or(|piece| piece.numbers.len().max(piece.texts.len()) >= PIECE) {
            self.pieces.push(Piece::default());
        }
        self.pieces.last_mut().expect("a piece was just added")
    }

    /// Adds every record that is a tie.
    pub(super) fn add_records(&mut self, bytes: &[u8]) -> Tally {
        let pieces: Vec<Piece> = line::pieces(bytes, TEXT_PIECE)
            .into_par_iter()
            .map(|records| {
                let mut piece = Piece::default();
                line::read_all(records, &mut piece);
                piece
            })
            .collect();
        let mut tally = Tally::default();
        pieces.iter().for_each(|piece| tally += piece.tally);
        self.pieces.extend(pieces);
        tally
    }

    /// How many different ids there are.
    pub(super) fn ids(&self) -> u64 {
        (self.distinct_numbers().len() + self.distinct_texts().len()) as u64
    }

    /// The graph, and how many pairs were dropped because the list of nodes lacks one of their ids. Fails when there are 2^32
    /// nodes or more.
    pub fn finish_counting(mut self) -> Result<(Graph, u64), GraphError> {
        let list = self.nodes.take().map(NodeList::into_labels);
        let (numbers, texts) = match &list {
            Some(labels) => {
                let texts_from = labels.partition_point(|label| *label < TEXT);
                let numbers = labels[..texts_from].iter().map(|label| *label as u64).collect();
                (numbers, labels[texts_from..].to_vec())
            }
            None => (self.distinct_numbers(), self.distinct_texts()),
        };
        check_count(numbers.len() + texts.len())?;
        let labels = list.unwrap_or_else(|| {
            let numbers = numbers.iter().map(|number| u128::from(*number));
            numbers.chain(texts.iter().copied()).collect()
        });
        let texts_from = numbers.len() as u32;
        let (numbers, texts) = (Index::new(numbers), Index::new(texts));
        let place = |label: u128| match u64::try_from(label) {
            Ok(number) => numbers.place(number),
            Err(_) => texts.place(label).map(|place| texts_from + place),
        };
        let added: usize = self.pieces.iter().map(|piece| piece.numbers.len() + piece.texts.len()).sum();
        let pairs: Vec<Vec<(u32, u32)>> = self
            .pieces
            .into_par_iter()
            .map(|piece| {
                let both = |(u, v)| Some((numbers.place(u)?, numbers.place(v)?));
                let mut pairs: Vec<(u32, u32)> = Vec::with_capacity(piece.numbers.len() + piece.texts.len());
                pairs.extend(piece.numbers.into_iter().filter_map(both));
                pairs.extend(piece.texts.into_iter().filter_map(|(u, v)| Some((place(u)?, place(v)?))));
                pairs
            })
            .collect();
        let outside = added - pairs.iter().map(Vec::len).sum::<usize>();
        Ok((Graph::from_pieces(labels, pairs), outside as u64))
    }

    /// All numbers that occur, in rising order.
    fn distinct_numbers(&self) -> Vec<u64> {
        let beside_texts: Vec<u64> = self
            .pieces
            .iter()
            .flat_map(|piece| &piece.texts)
            .flat_map(|(u, v)| [*u, *v])
            .filter_map(|label| u64::try_from(label).ok())
            .collect();
        let pairs: usize = self.pieces.iter().map(|piece| piece.numbers.len()).sum();
        let of_piece = |piece: &Piece| piece.numbers.iter().map(|(u, v)| *u.max(v)).max();
        let largest = self.pieces.par_iter().filter_map(of_piece).max();
        let largest = largest.into_iter().chain(beside_texts.iter().copied()).max();
        let Some(largest) = largest else { return Vec::new() };

        // Numbers that are not too far apart are marked in a bitmap, of half a byte to four bytes a pair.
        let words = largest / 64 + 1;
        if words <= 1024 + (pairs + beside_texts.len()) as u64 / 2 {
            let bitmap: Vec<AtomicU64> = (0..words).map(|_| AtomicU64::new(0)).collect();
            let mark = |number: u64| {
                let (word, bit) = (&bitmap[(number / 64) as usize], 1 << (number % 64));
                if word.load(Ordering::Relaxed) & bit == 0 {
                    word.fetch_or(bit, Ordering::Relaxed);
                }
            };
            self.pieces.par_iter().for_each(|piece| {
                piece.numbers.iter().for_each(|(u, v)| {
                    mark(*u);
                    mark(*v);
                });
            });
            beside_texts.into_iter().for_each(mark);
            let mut numbers = Vec::new();
            for (word, bits) in (0..).zip(bitmap) {
                let mut bits = bits.into_inner();
                while bits != 0 {
                    numbers.push(64 * word + u64::from(bits.trailing_zeros()));
                    bits &= bits - 1;
                }
            }
            return numbers;
        }
        distinct(&self.pieces, beside_texts, |piece| piece.numbers.iter().flat_map(|(u, v)| [*u, *v]))
    }

    /// The labels of all texts that occur, in rising order.
    fn distinct_texts(&self) -> Vec<u128> {
        distinct(&self.pieces, Vec::new(), |piece| {
            piece.texts.iter().flat_map(|(u, v)| [*u, *v]).filter(|label| *label >= TEXT)
        })
    }
}

/// Refuses more nodes than a graph can have.
pub(super) fn check_count(nodes: usize) -> Result<(), GraphError> {
    if u32::try_from(nodes).is_ok() {
        return Ok(());
    }
    Err(GraphError::unreadable(
        "the graph has 2^32 nodes or more",
        "split it, for instance by region, or leave out nodes that are of no interest",
    ))
}

/// Every key of all pieces once, in rising order. What repeats in a piece is dropped before pieces meet.
fn distinct<'a, K: Copy + Ord + Send, Keys: Iterator<Item = K>>(
    pieces: &'a [Piece],
    mut keys: Vec<K>,
    of_piece: impl Fn(&'a Piece) -> Keys + Sync,
) -> Vec<K> {
    let sorted = |mut keys: Vec<K>| {
        keys.sort_unstable();
        keys.dedup();
        keys
    };
    keys.par_extend(pieces.par_iter().flat_map_iter(|piece| sorted(of_piece(piece).collect())));
    keys.par_sort_unstable();
    keys.dedup();
    keys
}
