//! A stream of bytes as blocks of whole records.

use std::io::Read;

use pointillist_records::Boundary;

use super::input::{Input, unreadable};
use super::line;
use crate::GraphError;

/// Bytes read at a time. Longer records do not fit.
#[cfg(not(test))]
const BLOCK: usize = 8 << 20;
#[cfg(test)]
const BLOCK: usize = line::LINE_MAX + 5;
const BYTE_ORDER_MARK: &[u8] = &[0xEF, 0xBB, 0xBF];
/// What a record that does not fit in a block is replaced by: a comment, or a record that is no tie.
const LONG_COMMENT: &[u8] = b"#\n";
const LONG_RECORD: &[u8] = b",\n";

/// Whole records, a few megabytes at a time.
pub(super) struct Blocks<'a> {
    input: Input<'a>,
    /// The beginning of a record that the last block did not finish.
    rest: Vec<u8>,
    /// What is known of a record that does not fit, and whose end is awaited.
    long: Option<Boundary>,
    at_start: bool,
}

impl<'a> Blocks<'a> {
    pub(super) fn new(input: impl Read + Send + 'a) -> Result<Self, GraphError> {
        Ok(Self { input: Input::new(input)?, rest: Vec::new(), long: None, at_start: true })
    }

    /// How many bytes of the input were read, before unpacking.
    pub(super) fn bytes_read(&self) -> u64 {
        self.input.bytes_read()
    }

    /// The next records, in the memory of an old block. Only the last record of the last block may lack its end. `None`
    /// at the end of the input.
    pub(super) fn next(&mut self, mut block: Vec<u8>) -> Result<Option<Vec<u8>>, GraphError> {
        loop {
            block.clear();
            block.append(&mut self.rest);
            block.reserve(BLOCK.saturating_sub(block.len()));
            let wanted = BLOCK.saturating_sub(block.len()) as u64;
            let read = self.input.by_ref().take(wanted).read_to_end(&mut block);
            let ended = (read.map_err(|error| unreadable(&error))? as u64) < wanted;
            if std::mem::take(&mut self.at_start) && block.starts_with(BYTE_ORDER_MARK) {
                block.drain(..BYTE_ORDER_MARK.len());
            }
            if let Some(boundary) = &mut self.long {
                // Its stand-in was handed out already.
                let end = boundary.end(&block);
                block.drain(..end.unwrap_or(block.len()));
                if end.is_some() {
                    self.long = None;
                }
            }
            if ended {
                return Ok(Some(block).filter(|block| !block.is_empty()));
            }
            match line::last_end(&block) {
                Some(end) => self.rest.extend_from_slice(&block[end..]),
                None if self.long.is_some() => continue,
                None if block.len() < BLOCK => {
                    self.rest.append(&mut block);
                    continue;
                }
                None => {
                    let mut boundary = line::boundary();
                    boundary.end(&block);
                    self.long = Some(boundary);
                    let stand_in = if line::is_comment(&block) { LONG_COMMENT } else { LONG_RECORD };
                    block.clear();
                    block.extend_from_slice(stand_in);
                    return Ok(Some(block));
                }
            }
            block.truncate(block.len() - self.rest.len());
            return Ok(Some(block));
        }
    }
}
