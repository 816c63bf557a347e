//! Arrow IPC files (also called Feather, version 2): a footer, and blocks of rows that are read independently.
//!
//! **Guarantee.** Blocks that cannot be decoded are left out, one by one. Blocks that the footer places outside of
//! the file are not asked for.
//! **Text, row by row.** The decoder gives up a whole block for one text that is not UTF-8. So it is told that
//! texts are bytes, which are laid out alike, and bytes are judged one row at a time.

use std::io::{Read, Seek, SeekFrom};
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::buffer::{Buffer, MutableBuffer};
use arrow::datatypes::{DataType, FieldRef, Schema, SchemaRef};
use arrow::error::ArrowError;
use arrow::ipc::convert::fb_to_schema;
use arrow::ipc::reader::{FileDecoder, read_footer_length};
use arrow::ipc::{Block, MetadataVersion, root_as_footer};

use super::contents::Column;
use super::handle::{Handle, HandleReader};
use super::quiet::{Damage, contained};

/// An Arrow IPC file whose footer has been read.
pub(super) struct IpcFile {
    schema: SchemaRef,
    version: MetadataVersion,
    dictionaries: Vec<Block>,
    blocks: Vec<Block>,
}

impl IpcFile {
    /// Reads the footer.
    pub(super) fn open(file: &Handle) -> Result<Self, ArrowError> {
        let (length, mut file) = (file.stamp().length(), file.reader(0));
        let mut trailer = [0; 10];
        file.seek(SeekFrom::End(-10))?;
        file.read_exact(&mut trailer)?;
        let footer_length = read_footer_length(trailer)? as u64;
        let start = (length - 10).checked_sub(footer_length).ok_or_else(damaged)?;
        let footer = read_at(&mut file, start, footer_length)?;
        let footer = root_as_footer(&footer).map_err(|_| damaged())?;
        let schema = footer.schema().ok_or_else(damaged)?;
        if !schema.endianness().equals_to_target_endianness() {
            return Err(damaged());
        }
        let inside = |block: &&Block| block_range(block).is_some_and(|(start, size)| start + size <= length);
        Ok(Self {
            schema: Arc::new(as_bytes(&fb_to_schema(schema))),
            version: footer.version(),
            dictionaries: footer.dictionaries().iter().flatten().filter(inside).copied().collect(),
            blocks: footer.recordBatches().ok_or_else(damaged)?.iter().filter(inside).copied().collect(),
        })
    }

    /// The columns at the top.
    pub(super) fn columns(&self) -> Vec<Column> {
        let fields = self.schema.fields().iter();
        fields.map(|field| Column { name: field.name().clone(), kind: field.data_type().clone() }).collect()
    }

    /// The sizes of the blocks.
    pub(super) fn pieces(&self) -> Vec<u64> {
        self.blocks.iter().map(|block| block_range(block).map_or(0, |(_, size)| size)).collect()
    }

    /// Reads blocks; `sink` returns whether it wants more.
    pub(super) fn read(
        &self,
        file: &Handle,
        blocks: &[usize],
        projection: &[usize],
        batch_rows: usize,
        damage: &Damage,
        sink: &mut dyn FnMut(RecordBatch) -> bool,
    ) {
        let mut file = file.reader(0);
        let decoder = FileDecoder::new(Arc::clone(&self.schema), self.version);
        let mut decoder = decoder.with_projection(projection.to_vec());
        for block in &self.dictionaries {
            // A dictionary that is missing is missed by the blocks that use it.
            let _ = contained(|| decoder.read_dictionary(block, &read_block(&mut file, block)?));
        }
        for block in blocks.iter().filter_map(|block| self.blocks.get(*block)) {
            let batch = contained(|| decoder.read_record_batch(block, &read_block(&mut file, block)?));
            let Some(batch) = batch else {
                damage.part();
                continue;
            };
            let Some(batch) = batch else { continue };
            for start in (0..batch.num_rows()).step_by(batch_rows) {
                if !sink(batch.slice(start, batch_rows.min(batch.num_rows() - start))) {
                    return;
                }
            }
        }
    }
}

/// The same schema, with bytes in place of text. Names of dictionaries stay with their fields.
fn as_bytes(schema: &Schema) -> Schema {
    fn bytes(kind: &DataType) -> DataType {
        match kind {
            DataType::Utf8 => DataType::Binary,
            DataType::LargeUtf8 => DataType::LargeBinary,
            DataType::Utf8View => DataType::BinaryView,
            DataType::Dictionary(keys, values) => DataType::Dictionary(keys.clone(), Box::new(bytes(values))),
            other => other.clone(),
        }
    }
    let field = |field: &FieldRef| {
        // What is declared NOT NULL may hold NULL in a damaged file; a nullable field takes both.
        field.as_ref().clone().with_data_type(bytes(field.data_type())).with_nullable(true)
    };
    Schema::new(schema.fields().iter().map(field).collect::<Vec<_>>())
}

/// Where a block begins and how long it is.
fn block_range(block: &Block) -> Option<(u64, u64)> {
    let metadata = u64::try_from(block.metaDataLength()).ok()?;
    let size = u64::try_from(block.bodyLength()).ok()?.checked_add(metadata)?;
    let start = u64::try_from(block.offset()).ok()?;
    start.checked_add(size)?;
    Some((start, size))
}

fn read_block(file: &mut HandleReader, block: &Block) -> Result<Buffer, ArrowError> {
    let (start, size) = block_range(block).ok_or_else(damaged)?;
    read_at(file, start, size)
}

/// Bytes inside of the file, aligned as arrays want them.
fn read_at(file: &mut HandleReader, start: u64, size: u64) -> Result<Buffer, ArrowError> {
    let mut buffer = MutableBuffer::from_len_zeroed(usize::try_from(size).map_err(|_| damaged())?);
    file.seek(SeekFrom::Start(start))?;
    file.read_exact(buffer.as_slice_mut())?;
    Ok(buffer.into())
}

fn damaged() -> ArrowError {
    ArrowError::IpcError("damaged".into())
}
