//! What a row is remembered as: one word for its person, then its group and its integers, packed.
//!
//! **Why packed.** Every row is written once and read once on its way to its person, so bytes are time. The
//! plan says between which public extremes a row's integer lies; that many bits hold it exactly.
//! **Why clamped.** An integer is moved between its extremes before it is packed. The evaluator has done that
//! already; here it makes sure that no mistake elsewhere can spill into a neighbour's bits or past a bound.

use arrow::array::{Array, Int64Array};
use arrow::buffer::BooleanBuffer;
use pointillist_mechanisms::aggregate::thinning::thinned;

/// What one row says about one measure.
pub(crate) enum Input {
    /// Every row counts.
    Every,
    /// Rows count where this is set.
    Where(BooleanBuffer),
    /// Rows count where there is an integer, and add it up.
    Integers(Int64Array),
}

/// What a measure does with the rows of a person in a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rule {
    /// min(c, m).
    Rows,
    /// min(c, 1).
    People,
    /// One, if c > m.
    PeopleCut,
    /// The total between m·min(low, 0) and m·max(high, 0).
    Clamp {
        /// The least integer of a row.
        low: i64,
        /// The greatest.
        high: i64,
    },
    /// The total with the weight min(1, m/c) for every row, in units of 2^-refinement, between the same ends.
    Thin {
        /// The least integer of a row.
        low: i64,
        /// The greatest.
        high: i64,
        /// By how many bits the units of a total are finer than a row's.
        refinement: u32,
    },
    /// Where the values lie, up to this index of a grid, each row with the weight 2^bits·min(1, m/c).
    Spread {
        /// The last index.
        last: u32,
        /// The bits of a weight.
        bits: u32,
    },
    /// How many different values are brought, at most m a person.
    Distinct,
    /// The spread of an earlier measure.
    Same(usize),
}

/// A value that is remembered for every row, in a word of its own.
#[derive(Clone, Copy)]
pub(crate) struct ValueLane {
    pub(crate) measure: usize,
    pub(crate) kind: ValueKind,
    word: usize,
    counted: usize,
}

/// What becomes of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ValueKind {
    /// Weights of grid points.
    Spread { last: u32, bits: u32 },
    /// A count of different ones.
    Distinct,
}

/// A number that is added up for every person and group. The first lane counts all rows and is not stored.
#[derive(Clone, Copy)]
pub(crate) struct Lane {
    measure: usize,
    kind: LaneKind,
    word: usize,
    shift: u32,
    mask: u64,
    base: i64,
}

#[derive(Clone, Copy)]
enum LaneKind {
    Counted,
    Integer { low: i64, high: i64 },
}

impl Lane {
    /// The lane's number in a packed row.
    #[inline(always)]
    pub(crate) fn unpack(&self, words: &[u64]) -> i64 {
        self.base.wrapping_add(((words[self.word] >> self.shift) & self.mask) as i64)
    }
}

impl ValueLane {
    /// The value of a packed row, if it counts.
    #[inline(always)]
    pub(crate) fn unpack(&self, words: &[u64], lanes: &[Lane]) -> Option<u64> {
        (lanes[self.counted - 1].unpack(words) == 1).then(|| words[self.word])
    }
}

/// How a measure reads its lanes: positions among all lanes, zero being the count of all rows.
#[derive(Clone, Copy)]
struct Reading {
    rule: Rule,
    counted: usize,
    integer: usize,
}

/// Where everything is in a row, and what becomes of a person's rows.
pub(crate) struct Layout {
    readings: Vec<Reading>,
    lanes: Vec<Lane>,
    values: Vec<ValueLane>,
    words: usize,
    rows_max: u64,
}

const GROUP_BITS: u32 = 32;

impl Layout {
    /// `every` says which measures count every row, and need no bit for it.
    pub(crate) fn new(rules: &[(Rule, bool)], rows_max: u64) -> Self {
        let (readings, lanes, values) = (Vec::new(), Vec::new(), Vec::new());
        let mut layout = Self { readings, lanes, values, words: 1, rows_max };
        let mut free = 64 - GROUP_BITS;
        for (measure, (rule, every)) in rules.iter().enumerate() {
            let (mut counted, mut integer) = (0, 0);
            let needs_count = match rule {
                Rule::Rows | Rule::People | Rule::PeopleCut => !every,
                Rule::Clamp { .. } | Rule::Same(_) => false,
                Rule::Thin { .. } | Rule::Spread { .. } | Rule::Distinct => true,
            };
            if needs_count {
                counted = layout.add(measure, LaneKind::Counted, 1, 0, &mut free);
            }
            let kind = match *rule {
                Rule::Spread { last, bits } => Some(ValueKind::Spread { last, bits }),
                Rule::Distinct => Some(ValueKind::Distinct),
                _ => None,
            };
            layout.values.extend(kind.map(|kind| ValueLane { measure, kind, word: 0, counted }));
            if let Rule::Clamp { low, high } | Rule::Thin { low, high, .. } = *rule {
                // A row that does not count adds zero, so zero must have bits of its own.
                let (low, high) = (low.min(0), high.max(0));
                let bits = 64 - high.wrapping_sub(low).cast_unsigned().leading_zeros();
                integer = layout.add(measure, LaneKind::Integer { low, high }, bits.max(1), low, &mut free);
            }
            layout.readings.push(Reading { rule: *rule, counted, integer });
        }
        for value in &mut layout.values {
            (value.word, layout.words) = (layout.words, layout.words + 1);
        }
        layout
    }

    fn add(&mut self, measure: usize, kind: LaneKind, bits: u32, base: i64, free: &mut u32) -> usize {
        if *free < bits {
            self.words += 1;
            *free = 64;
        }
        let shift = 64 - *free;
        *free -= bits;
        let mask = u64::MAX >> (64 - bits);
        self.lanes.push(Lane { measure, kind, word: self.words - 1, shift, mask, base });
        self.lanes.len()
    }

    /// How many words a row takes, without its person; the low half of the first is the group.
    pub(crate) fn words(&self) -> usize {
        self.words
    }

    /// The stored lanes.
    pub(crate) fn lanes(&self) -> &[Lane] {
        &self.lanes
    }

    /// The values that are remembered.
    pub(crate) fn values(&self) -> &[ValueLane] {
        &self.values
    }

    /// The most rows of a person in a group.
    pub(crate) fn rows_max(&self) -> u64 {
        self.rows_max
    }

    /// Whether a measure is about values that are remembered, and not about what they add up to.
    pub(crate) fn remembers(&self, measure: usize) -> bool {
        matches!(self.readings[measure].rule, Rule::Spread { .. } | Rule::Distinct | Rule::Same(_))
    }

    /// Whether a measure counts the people who are cut.
    pub(crate) fn counts_the_cut(&self, measure: usize) -> bool {
        matches!(self.readings[measure].rule, Rule::PeopleCut)
    }

    /// Which of the values a measure is about, if it is where they lie.
    pub(crate) fn spread_of(&self, measure: usize) -> Option<usize> {
        let first = match self.readings[measure].rule {
            Rule::Same(first) => first,
            Rule::Spread { .. } => measure,
            _ => return None,
        };
        self.values.iter().position(|value| value.measure == first)
    }

    /// How many measures there are.
    pub(crate) fn measures(&self) -> usize {
        self.readings.len()
    }

    /// Between which integers a row's lies, zero included.
    pub(crate) fn extremes(&self, measure: usize) -> (i64, i64) {
        match self.readings[measure].rule {
            Rule::Clamp { low, high } | Rule::Thin { low, high, .. } => (low.min(0), high.max(0)),
            _ => (0, 1),
        }
    }

    /// By how many bits a total's units are finer than a row's.
    pub(crate) fn refinement(&self, measure: usize) -> u32 {
        match self.readings[measure].rule {
            Rule::Thin { refinement, .. } => refinement,
            _ => 0,
        }
    }

    /// Packs the rows of a batch, `words()` words each, around their groups.
    pub(crate) fn pack(&self, groups: &[u32], inputs: &[Input], packed: &mut Vec<u64>) {
        packed.clear();
        if self.words == 1 {
            packed.extend(groups.iter().map(|group| u64::from(*group)));
        } else {
            packed.resize(groups.len() * self.words, 0);
            let rows = packed.chunks_exact_mut(self.words);
            rows.zip(groups).for_each(|(row, group)| row[0] = u64::from(*group));
        }
        for lane in &self.lanes {
            let rows = packed.chunks_exact_mut(self.words);
            let bits =
                |number: i64| (number.wrapping_sub(lane.base).cast_unsigned() & lane.mask) << lane.shift;
            match (lane.kind, &inputs[lane.measure]) {
                (LaneKind::Integer { low, high }, Input::Integers(integers)) => {
                    let values = integers.values();
                    match integers.nulls().filter(|nulls| nulls.null_count() > 0) {
                        None => rows
                            .zip(values)
                            .for_each(|(row, value)| row[lane.word] |= bits((*value).clamp(low, high))),
                        Some(nulls) => {
                            rows.zip(values).zip(nulls.inner()).for_each(|((row, value), valid)| {
                                let value = if valid { (*value).clamp(low, high) } else { 0 };
                                row[lane.word] |= bits(value);
                            })
                        }
                    }
                }
                (LaneKind::Counted, Input::Integers(integers)) => match integers.nulls() {
                    None => rows.for_each(|row| row[lane.word] |= 1 << lane.shift),
                    Some(nulls) => rows
                        .zip(nulls.inner())
                        .for_each(|(row, valid)| row[lane.word] |= u64::from(valid) << lane.shift),
                },
                (LaneKind::Counted, Input::Where(mask)) => {
                    rows.zip(mask).for_each(|(row, set)| row[lane.word] |= u64::from(set) << lane.shift);
                }
                (LaneKind::Counted, Input::Every) => rows.for_each(|row| row[lane.word] |= 1 << lane.shift),
                (LaneKind::Integer { .. }, Input::Every | Input::Where(_)) => {
                    unreachable!("a measure that adds up integers is given integers")
                }
            }
        }
        self.pack_values(inputs, packed);
    }

    fn pack_values(&self, inputs: &[Input], packed: &mut [u64]) {
        for value in &self.values {
            let Input::Integers(integers) = &inputs[value.measure] else {
                unreachable!("a measure that remembers values is given values")
            };
            let rows = packed.chunks_exact_mut(self.words).zip(integers.values());
            rows.for_each(|(row, integer)| row[value.word] = integer.cast_unsigned());
        }
    }

    /// What a person adds to a group's measure, given the person's lanes there. Values are not in lanes.
    #[inline(always)]
    pub(crate) fn bounded(&self, measure: usize, lanes: &[i128]) -> i128 {
        let reading = &self.readings[measure];
        let rows_max = i128::from(self.rows_max);
        match reading.rule {
            Rule::Rows => lanes[reading.counted].min(rows_max),
            Rule::People => lanes[reading.counted].min(1),
            Rule::PeopleCut => i128::from(lanes[reading.counted] > rows_max),
            Rule::Clamp { low, high } => clamp(lanes[reading.integer], low, high, rows_max),
            Rule::Thin { low, high, refinement } => {
                let (total, count) = (lanes[reading.integer], lanes[reading.counted]);
                let total = thinned(total, count, self.rows_max, refinement);
                clamp(total, low, high, rows_max << refinement)
            }
            Rule::Spread { .. } | Rule::Distinct | Rule::Same(_) => 0,
        }
    }
}

/// |low| and |high| are at most 2^62 and a bound at most 2^64, refined or not, so the ends fit 127 bits.
#[inline(always)]
fn clamp(total: i128, low: i64, high: i64, rows_max: i128) -> i128 {
    total.clamp(rows_max * i128::from(low.min(0)), rows_max * i128::from(high.max(0)))
}
