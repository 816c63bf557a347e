//! What the first record of a file is that says something.

use super::builder::{GraphBuilder, Tally, label};

/// Whether the first line that is neither empty nor a comment is a tie, or describes the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FirstLine {
    /// To be decided by looking at the file. That is a step that depends on the data: one tie more or less can change
    /// whether the first line counts, so it is for an owner's own eyes. Whoever releases anything declares one of the
    /// others.
    Detect,
    /// A tie like all others.
    #[default]
    Edge,
    /// Names of columns, such as `node_1,node_2`.
    Names,
    /// How many nodes and ties there are, such as `34 78`.
    Counts,
}

/// What is known about the first line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It did not come yet.
    Awaited,
    /// It is a tie, and is read like the others.
    Tie,
    /// It describes the file, and is not read.
    Description(FirstLine),
    /// It is two numbers; whether they count nodes and ties shows at the end. It is not read before.
    Open { labels: (u128, u128), nodes: u64, ties: u64 },
}

/// What columns of ends of ties are called.
const NAMES: &str = "a b dest destination dst from from_id fromnodeid head id1 id2 id_1 id_2 \
    node1 node2 node_1 node_2 source source_id src tail target target_id to to_id tonodeid u v";

impl Verdict {
    /// What was declared, if it was.
    pub(super) fn declared(first_line: FirstLine) -> Option<Self> {
        match first_line {
            FirstLine::Edge => Some(Self::Tie),
            FirstLine::Names | FirstLine::Counts => Some(Self::Description(first_line)),
            FirstLine::Detect => None,
        }
    }

    /// What can be said of the first record, of which some fields are given: two ids, or more where they are numbers.
    /// `next` is the tie that comes after it.
    pub(super) fn detected(first: &[impl AsRef<[u8]>], next: Option<(u128, u128)>) -> Self {
        let number = |label: u128| u64::try_from(label).ok();
        let [u, v, ..] = first else { return Self::Description(FirstLine::Names) };
        let (u, v) = (u.as_ref(), v.as_ref());
        let Some(labels) = label(u).zip(label(v)) else { return Self::Description(FirstLine::Names) };
        match (number(labels.0), number(labels.1)) {
            (Some(nodes), Some(ties)) => {
                let numbers = first.iter().map_while(|id| label(id.as_ref()).and_then(number));
                match numbers.collect::<Vec<_>>()[..] {
                    [_, _] => Self::Open { labels, nodes, ties },
                    // A matrix has rows, columns and entries.
                    [_, columns, entries] if columns == nodes => Self::Open { labels, nodes, ties: entries },
                    _ => Self::Tie,
                }
            }
            (None, None) => {
                let is_name =
                    |id: &[u8]| NAMES.split(' ').any(|name| name.as_bytes().eq_ignore_ascii_case(id));
                let next_has_number = next.is_some_and(|(u, v)| number(u).is_some() || number(v).is_some());
                if is_name(u) && is_name(v) || next_has_number {
                    Self::Description(FirstLine::Names)
                } else {
                    Self::Tie
                }
            }
            _ => Self::Tie,
        }
    }

    /// What the first line was, now that all others were read. Adds it if it turns out to be a tie.
    pub(super) fn finish(self, declared: FirstLine, builder: &mut GraphBuilder, others: &Tally) -> FirstLine {
        match self {
            Self::Awaited if declared == FirstLine::Detect => FirstLine::Edge,
            Self::Awaited => declared,
            Self::Tie => FirstLine::Edge,
            Self::Description(description) => description,
            Self::Open { labels, nodes, ties } => {
                // Files list every tie once, or in both directions.
                let counted = others.ties == ties || Some(others.ties) == ties.checked_mul(2);
                if counted && nodes >= builder.ids() {
                    return FirstLine::Counts;
                }
                builder.add_labels(labels.0, labels.1);
                FirstLine::Edge
            }
        }
    }
}
