//! Bounded people on disk, when there are more than memory holds.
//!
//! **Whose eyes.** The file has no name from the moment it exists (or is removed at once where the system cannot
//! do that) and is readable by its owner alone; the disk forgets it when the query ends, however it ends.
//! **What.** For every partition, one block a spill: its people, the keys they kept, and what they add up to
//! there. A block stands on its own: it does not refer to any dictionary in memory.

use std::cmp::Ordering;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

use pointillist_catalog::Value;

use super::BoundError;
use super::keys::{Key, Keys};
use super::person::{Bounding, Owner, Space};
use super::run::PARTITIONS;
use super::table::{NONE, Texts};

/// One thread's blocks.
pub(crate) struct Spill {
    file: File,
    length: u64,
    /// Where the blocks of every partition are: offset and length.
    blocks: Vec<Vec<(u64, usize)>>,
}

impl Spill {
    pub(crate) fn create(directory: &Path) -> Result<Self, BoundError> {
        let file = tempfile::tempfile_in(directory)?;
        Ok(Self { file, length: 0, blocks: vec![Vec::new(); PARTITIONS] })
    }

    /// Writes what is known of the people of a partition.
    pub(crate) fn write(&mut self, partition: usize, from: &Bounding, keys: &Keys) -> Result<(), BoundError> {
        let mut block = Block(Vec::new());
        block.length(from.people());
        for person in 0..from.people() {
            match from.owner(person) {
                Owner::Word(word) => block.0.extend_from_slice(&word.to_le_bytes()),
                Owner::Text(text) => block.text(text),
            }
        }
        // Only keys that somebody kept are written, in the order of their first mention.
        let mut numbers = vec![NONE; keys.len()];
        let mut kept = Vec::new();
        for group in &from.entries.groups {
            if numbers[*group as usize] == NONE {
                numbers[*group as usize] = kept.len() as u32;
                kept.push(*group);
            }
        }
        block.length(kept.len());
        for group in kept {
            block.0.extend_from_slice(&keys.hashes()[group as usize].to_le_bytes());
            block.text(&encode(&keys.key(group)));
        }
        let entries = &from.entries;
        block.length(entries.owners.len());
        for (owner, group) in entries.owners.iter().zip(&entries.groups) {
            block.0.extend_from_slice(&owner.to_le_bytes());
            block.0.extend_from_slice(&numbers[*group as usize].to_le_bytes());
        }
        entries.lanes.iter().for_each(|lane| block.0.extend_from_slice(&lane.to_le_bytes()));
        self.file.write_all_at(&block.0, self.length)?;
        self.blocks[partition].push((self.length, block.0.len()));
        self.length += block.0.len() as u64;
        Ok(())
    }

    /// How many bytes a partition has.
    pub(crate) fn bytes(&self, partition: usize) -> usize {
        self.blocks[partition].iter().map(|(_, length)| length).sum()
    }

    /// Adds the blocks of a partition to what is known, bounding whenever that has doubled.
    pub(crate) fn read(
        &self,
        partition: usize,
        into: &mut Bounding,
        keys: &mut SpilledKeys,
        lanes: usize,
    ) -> Result<(), BoundError> {
        for (offset, length) in &self.blocks[partition] {
            let mut bytes = vec![0; *length];
            self.file.read_exact_at(&mut bytes, *offset)?;
            let mut block = Reader(&bytes);
            let text_owners = into.text_owners();
            let people: Vec<u32> = (0..block.length())
                .map(|_| {
                    let owner =
                        if text_owners { Owner::Text(block.text()) } else { Owner::Word(block.word()) };
                    into.person(owner)
                })
                .collect();
            let groups: Vec<u32> = (0..block.length())
                .map(|_| {
                    let hash = block.word();
                    keys.add(hash, block.text())
                })
                .collect();
            let entries = block.length();
            for _ in 0..entries {
                into.entries.owners.push(people[block.number() as usize]);
                into.entries.groups.push(groups[block.number() as usize]);
            }
            into.entries.lanes.extend((0..entries * lanes).map(|_| i128::from_le_bytes(block.take())));
            into.reduce_if_doubled(keys);
        }
        Ok(())
    }
}

/// The keys of one partition's blocks, as bytes.
pub(crate) struct SpilledKeys(Texts);

impl SpilledKeys {
    pub(crate) fn new() -> Self {
        Self(Texts::new())
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    /// The key of a group.
    pub(crate) fn key(&self, group: u32) -> Key {
        decode(self.0.text(group))
    }

    /// The bytes of a group's key.
    pub(crate) fn encoded(&self, group: u32) -> &[u8] {
        self.0.text(group)
    }

    pub(crate) fn add(&mut self, hash: u64, key: &[u8]) -> u32 {
        match self.0.find(hash, key) {
            NONE => self.0.insert(hash, key),
            found => found,
        }
    }
}

impl Space for SpilledKeys {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn hash(&self, group: u32) -> u64 {
        self.0.hash(group)
    }

    fn compare(&self, left: u32, right: u32) -> Ordering {
        self.key(left).cmp(&self.key(right))
    }
}

struct Block(Vec<u8>);

impl Block {
    fn length(&mut self, length: usize) {
        self.0.extend_from_slice(&(length as u64).to_le_bytes());
    }

    fn text(&mut self, text: &[u8]) {
        self.length(text.len());
        self.0.extend_from_slice(text);
    }

    fn tagged(&mut self, tag: u8, bytes: &[u8]) {
        self.0.push(tag);
        self.0.extend_from_slice(bytes);
    }
}

/// Reads what `Block` wrote, in this process, a moment ago: there is nothing to refuse.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take<const N: usize>(&mut self) -> [u8; N] {
        let (bytes, rest) = self.0.split_first_chunk().expect("a block is read as it was written");
        self.0 = rest;
        *bytes
    }

    fn word(&mut self) -> u64 {
        u64::from_le_bytes(self.take())
    }

    fn number(&mut self) -> u32 {
        u32::from_le_bytes(self.take())
    }

    fn length(&mut self) -> usize {
        self.word() as usize
    }

    fn text(&mut self) -> &'a [u8] {
        let length = self.length();
        let (text, rest) = self.0.split_at(length);
        self.0 = rest;
        text
    }
}

/// A key as bytes, so that equal keys have equal bytes.
fn encode(key: &[Option<Value>]) -> Vec<u8> {
    let mut bytes = Block(Vec::new());
    for value in key {
        match value {
            None => bytes.0.push(0),
            Some(Value::Boolean(value)) => bytes.0.extend_from_slice(&[1, u8::from(*value)]),
            Some(Value::Integer(value)) => bytes.tagged(2, &value.to_le_bytes()),
            Some(Value::Number(value)) => bytes.tagged(3, &value.to_bits().to_le_bytes()),
            Some(Value::Date(value)) => bytes.tagged(4, &value.to_le_bytes()),
            Some(Value::Timestamp(value)) => bytes.tagged(5, &value.to_le_bytes()),
            Some(Value::Text(text)) => {
                bytes.0.push(6);
                bytes.text(text.as_bytes());
            }
        }
    }
    bytes.0
}

pub(crate) fn decode(bytes: &[u8]) -> Key {
    let mut reader = Reader(bytes);
    let mut key = Vec::new();
    while !reader.0.is_empty() {
        let [tag] = reader.take();
        key.push(match tag {
            0 => None,
            1 => Some(Value::Boolean(reader.take() == [1])),
            2 => Some(Value::Integer(i64::from_le_bytes(reader.take()))),
            3 => Some(Value::Number(f64::from_bits(reader.word()))),
            4 => Some(Value::Date(i32::from_le_bytes(reader.take()))),
            5 => Some(Value::Timestamp(i64::from_le_bytes(reader.take()))),
            _ => Some(Value::Text(String::from_utf8_lossy(reader.text()).into_owned())),
        });
    }
    key
}
