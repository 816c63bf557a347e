//! Keys to group numbers, exactly: NULL is a key like any other.
//!
//! Every key column has its own dictionary from values to ids; two columns are then a pair of ids, which is a
//! word with a dictionary of its own, and so on. So a key of any width costs a few lookups of 64-bit words.
//! With declared groups the dictionaries are filled beforehand and closed: a row whose key is not among them has
//! no group. A group's hash depends on the key's values alone, not on its number, which is an accident of order.

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::buffer::{BooleanBuffer, NullBuffer};
use arrow::datatypes::{DataType, Date32Type, Float64Type, Int64Type, TimeUnit, TimestampMicrosecondType};
use pointillist_catalog::Value;

use super::BoundError;
use super::hash::HashKey;
use super::table::{NONE, Near, Texts, Words};

/// The key of a group.
pub(crate) type Key = Vec<Option<Value>>;

/// The types that keys have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Boolean,
    Integer,
    Number,
    Text,
    Date,
    Timestamp,
}

/// The groups met so far, or declared.
#[derive(Clone)]
pub(crate) struct Keys {
    hash_key: HashKey,
    columns: Vec<Column>,
    pairs: Vec<Words>,
    hashes: Vec<u64>,
    closed: bool,
}

/// The values of one key column. An id is a position among them in the order of appearance; NULL is one more.
#[derive(Clone)]
struct Column {
    kind: Option<Kind>,
    near: Near,
    words: Words,
    texts: Texts,
    hashes: Vec<u64>,
    /// What the id is: a position among words or texts, or NULL.
    entries: Vec<u32>,
    /// From such a position to the id.
    ids: Vec<u32>,
    null: u32,
}

impl Keys {
    /// No group yet; any key is welcome.
    pub(crate) fn open(hash_key: &HashKey, width: usize) -> Self {
        let columns = (0..width).map(|_| Column::new()).collect();
        let pairs = (1..width).map(|_| Words::new()).collect();
        let mut keys = Self { hash_key: hash_key.clone(), columns, pairs, hashes: Vec::new(), closed: false };
        if width == 0 {
            keys.hashes.push(0);
        }
        keys
    }

    /// The declared groups and no others, with the number of each.
    pub(crate) fn declared(
        hash_key: &HashKey,
        width: usize,
        domain: &[Key],
    ) -> Result<(Self, Vec<u32>), BoundError> {
        let mut keys = Self::open(hash_key, width);
        let groups = domain.iter().map(|key| keys.add(key)).collect::<Result<_, _>>()?;
        keys.closed = true;
        Ok((keys, groups))
    }

    /// How many groups there are.
    pub(crate) fn len(&self) -> usize {
        self.hashes.len()
    }

    /// The hash of every group's key.
    pub(crate) fn hashes(&self) -> &[u64] {
        &self.hashes
    }

    /// The number of a key, new or not.
    pub(crate) fn add(&mut self, key: &[Option<Value>]) -> Result<u32, BoundError> {
        if key.len() != self.columns.len() {
            return Err(BoundError::Key);
        }
        let mut id = 0;
        for (position, value) in key.iter().enumerate() {
            let column = &mut self.columns[position];
            let part = column.add(&self.hash_key, value.as_ref())?;
            let hash = column.hashes[part as usize];
            id = self.extend(position, id, part, hash);
        }
        Ok(id)
    }

    /// The key of a group.
    pub(crate) fn key(&self, group: u32) -> Key {
        let mut parts = vec![0; self.columns.len()];
        let mut id = group;
        for position in (0..self.columns.len()).rev() {
            if position == 0 {
                parts[0] = id;
            } else {
                let pair = self.pairs[position - 1].words()[id as usize];
                (id, parts[position]) = ((pair >> 32) as u32, pair as u32);
            }
        }
        parts.iter().zip(&self.columns).map(|(part, column)| column.value(*part)).collect()
    }

    /// The group of every row of a batch; `NONE` where `chosen` is not set, or the group is not declared.
    pub(crate) fn groups(
        &mut self,
        arrays: &[ArrayRef],
        rows: usize,
        chosen: Option<&BooleanBuffer>,
        groups: &mut Vec<u32>,
        scratch: &mut Vec<u32>,
    ) -> Result<(), BoundError> {
        if arrays.len() != self.columns.len() {
            return Err(BoundError::Key);
        }
        groups.clear();
        match chosen {
            None => groups.resize(rows, 0),
            Some(chosen) => groups.extend(chosen.iter().map(|set| if set { 0 } else { NONE })),
        }
        for (position, array) in arrays.iter().enumerate() {
            if position == 0 {
                self.columns[0].look_up(&self.hash_key, self.closed, array, groups)?;
                if self.columns.len() == 1 {
                    self.hashes.extend_from_slice(&self.columns[0].hashes[self.hashes.len()..]);
                }
                continue;
            }
            scratch.clear();
            scratch.extend_from_slice(groups);
            self.columns[position].look_up(&self.hash_key, self.closed, array, scratch)?;
            for (group, part) in groups.iter_mut().zip(scratch.iter()) {
                if *group == NONE || *part == NONE {
                    *group = NONE;
                    continue;
                }
                let word = u64::from(*group) << 32 | u64::from(*part);
                let found = self.pairs[position - 1].find(self.hash_key.key_word(word), word);
                *group = if found != NONE || self.closed {
                    found
                } else {
                    let hash = self.columns[position].hashes[*part as usize];
                    self.extend(position, *group, *part, hash)
                };
            }
        }
        Ok(())
    }

    /// The number of a pair: what the columns before `position` are, and the value there.
    fn extend(&mut self, position: usize, id: u32, part: u32, part_hash: u64) -> u32 {
        let last = position + 1 == self.columns.len();
        if position == 0 {
            if last && part as usize == self.hashes.len() {
                self.hashes.push(part_hash);
            }
            return part;
        }
        let word = u64::from(id) << 32 | u64::from(part);
        let (pairs, hash_key) = (&mut self.pairs[position - 1], &self.hash_key);
        let slot_hash = hash_key.key_word(word);
        let found = pairs.find(slot_hash, word);
        if found != NONE {
            return found;
        }
        let id = pairs.insert(slot_hash, word, |word| hash_key.key_word(word));
        if last {
            let hash = self.hash_of(id, position);
            self.hashes.push(hash);
        }
        id
    }

    /// The hash of the values of the columns up to `position`, folded from the left.
    fn hash_of(&self, id: u32, position: usize) -> u64 {
        if position == 0 {
            return self.columns[0].hashes[id as usize];
        }
        let pair = self.pairs[position - 1].words()[id as usize];
        let left = self.hash_of((pair >> 32) as u32, position - 1);
        self.hash_key.pair(left, self.columns[position].hashes[pair as u32 as usize])
    }

    /// The same groups without those that are not used, and the new number of each that is.
    pub(crate) fn only(&self, used: &[bool]) -> (Self, Vec<u32>) {
        let mut keys = Self::open(&self.hash_key, self.columns.len());
        let numbers = used.iter().enumerate().map(|(group, used)| match used {
            true => keys.add(&self.key(group as u32)).expect("a key fits the columns that it came from"),
            false => NONE,
        });
        let numbers = numbers.collect();
        (keys, numbers)
    }

    /// How much memory the dictionaries take, about.
    pub(crate) fn bytes(&self) -> usize {
        let columns: usize = self.columns.iter().map(Column::bytes).sum();
        columns + self.pairs.iter().map(Words::bytes).sum::<usize>() + self.hashes.capacity() * 8
    }
}

impl Column {
    fn new() -> Self {
        let (near, words, texts) = (Near::new(), Words::new(), Texts::new());
        Self {
            kind: None,
            near,
            words,
            texts,
            hashes: Vec::new(),
            entries: Vec::new(),
            ids: Vec::new(),
            null: NONE,
        }
    }

    fn bytes(&self) -> usize {
        let lists = self.hashes.capacity() * 8 + (self.entries.capacity() + self.ids.capacity()) * 4;
        self.near.bytes() + self.words.bytes() + self.texts.bytes() + lists
    }

    fn value(&self, id: u32) -> Option<Value> {
        let entry = self.entries[id as usize];
        if entry == NONE {
            return None;
        }
        let word = || self.words.words()[entry as usize];
        Some(match self.kind? {
            Kind::Boolean => Value::Boolean(word() != 0),
            Kind::Integer => Value::Integer(word().cast_signed()),
            Kind::Number => Value::Number(f64::from_bits(word())),
            Kind::Date => Value::Date(word() as i32),
            Kind::Timestamp => Value::Timestamp(word().cast_signed()),
            Kind::Text => Value::Text(String::from_utf8_lossy(self.texts.text(entry)).into_owned()),
        })
    }

    fn add(&mut self, hash_key: &HashKey, value: Option<&Value>) -> Result<u32, BoundError> {
        let (kind, word) = match value {
            None => return Ok(self.null_id(hash_key)),
            Some(Value::Boolean(value)) => (Kind::Boolean, u64::from(*value)),
            Some(Value::Integer(value)) => (Kind::Integer, value.cast_unsigned()),
            Some(Value::Number(value)) => (Kind::Number, number_word(*value)),
            Some(Value::Date(value)) => (Kind::Date, i64::from(*value).cast_unsigned()),
            Some(Value::Timestamp(value)) => (Kind::Timestamp, value.cast_unsigned()),
            Some(Value::Text(text)) => {
                self.be(Kind::Text)?;
                return Ok(self.text_id(hash_key, text.as_bytes(), false));
            }
        };
        self.be(kind)?;
        Ok(self.word_id(hash_key, word, false))
    }

    /// A column has one type, in the domain and in every batch.
    fn be(&mut self, kind: Kind) -> Result<(), BoundError> {
        if *self.kind.get_or_insert(kind) == kind { Ok(()) } else { Err(BoundError::Key) }
    }

    fn null_id(&mut self, hash_key: &HashKey) -> u32 {
        if self.null == NONE {
            self.null = self.entries.len() as u32;
            self.entries.push(NONE);
            self.hashes.push(hash_key.key_null());
        }
        self.null
    }

    #[inline(always)]
    fn word_id(&mut self, hash_key: &HashKey, word: u64, closed: bool) -> u32 {
        match self.near.get(word) {
            Some(id) if id != NONE || closed => id,
            _ => self.far_word_id(hash_key, word, closed),
        }
    }

    fn far_word_id(&mut self, hash_key: &HashKey, word: u64, closed: bool) -> u32 {
        let hash = hash_key.key_word(word);
        let found = self.words.find(hash, word);
        if found != NONE {
            return self.ids[found as usize];
        }
        if closed {
            return NONE;
        }
        self.words.insert(hash, word, |word| hash_key.key_word(word));
        let id = self.next_id(hash);
        self.near.set(word, id);
        id
    }

    #[inline]
    fn text_id(&mut self, hash_key: &HashKey, text: &[u8], closed: bool) -> u32 {
        let hash = hash_key.key_text(text);
        let found = self.texts.find(hash, text);
        if found != NONE {
            return self.ids[found as usize];
        }
        if closed {
            return NONE;
        }
        self.texts.insert(hash, text);
        self.next_id(hash)
    }

    #[cold]
    fn next_id(&mut self, hash: u64) -> u32 {
        let id = self.entries.len() as u32;
        self.entries.push(self.ids.len() as u32);
        self.ids.push(id);
        self.hashes.push(hash);
        id
    }

    /// Writes the id of every value over those rows that still have a group.
    fn look_up(
        &mut self,
        hash_key: &HashKey,
        closed: bool,
        array: &ArrayRef,
        ids: &mut [u32],
    ) -> Result<(), BoundError> {
        let kind = match array.data_type() {
            DataType::Boolean => Kind::Boolean,
            DataType::Int64 => Kind::Integer,
            DataType::Float64 => Kind::Number,
            DataType::Utf8View | DataType::Utf8 => Kind::Text,
            DataType::Date32 => Kind::Date,
            DataType::Timestamp(TimeUnit::Microsecond, None) => Kind::Timestamp,
            _ => return Err(BoundError::Key),
        };
        if array.len() != ids.len() {
            return Err(BoundError::Key);
        }
        self.be(kind)?;
        let nulls = array.nulls().filter(|nulls| nulls.null_count() > 0);
        // A NULL has no group in a closed dictionary without NULL.
        let null = if nulls.is_some() && !closed { self.null_id(hash_key) } else { self.null };
        match kind {
            Kind::Boolean => {
                let values = array.as_boolean().values();
                self.look_up_words(hash_key, closed, nulls, null, values.iter().map(u64::from), ids);
            }
            Kind::Integer => {
                let values = array.as_primitive::<Int64Type>().values();
                let words = values.iter().map(|value| value.cast_unsigned());
                self.look_up_words(hash_key, closed, nulls, null, words, ids);
            }
            Kind::Number => {
                let values = array.as_primitive::<Float64Type>().values();
                let words = values.iter().map(|value| number_word(*value));
                self.look_up_words(hash_key, closed, nulls, null, words, ids);
            }
            Kind::Date => {
                let values = array.as_primitive::<Date32Type>().values();
                let words = values.iter().map(|value| i64::from(*value).cast_unsigned());
                self.look_up_words(hash_key, closed, nulls, null, words, ids);
            }
            Kind::Timestamp => {
                let values = array.as_primitive::<TimestampMicrosecondType>().values();
                let words = values.iter().map(|value| value.cast_unsigned());
                self.look_up_words(hash_key, closed, nulls, null, words, ids);
            }
            Kind::Text => {
                let mut look_up = |row: usize, id: &mut u32, text: &str| {
                    if *id != NONE {
                        let valid = nulls.is_none_or(|nulls| nulls.is_valid(row));
                        *id = if valid { self.text_id(hash_key, text.as_bytes(), closed) } else { null };
                    }
                };
                if let Some(array) = array.as_string_view_opt() {
                    ids.iter_mut().enumerate().for_each(|(row, id)| look_up(row, id, array.value(row)));
                } else {
                    let array = array.as_string::<i32>();
                    ids.iter_mut().enumerate().for_each(|(row, id)| look_up(row, id, array.value(row)));
                }
            }
        }
        Ok(())
    }

    #[inline(always)]
    fn look_up_words(
        &mut self,
        hash_key: &HashKey,
        closed: bool,
        nulls: Option<&NullBuffer>,
        null: u32,
        words: impl Iterator<Item = u64>,
        ids: &mut [u32],
    ) {
        match nulls {
            None => {
                for (word, id) in words.zip(ids) {
                    if *id != NONE {
                        *id = self.word_id(hash_key, word, closed);
                    }
                }
            }
            Some(nulls) => {
                for ((word, id), valid) in words.zip(ids).zip(nulls.inner()) {
                    if *id != NONE {
                        *id = if valid { self.word_id(hash_key, word, closed) } else { null };
                    }
                }
            }
        }
    }
}

/// Equal numbers are one key: minus zero is zero.
pub(super) fn number_word(value: f64) -> u64 {
    (value + 0.0).to_bits()
}
