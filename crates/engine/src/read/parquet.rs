//! Parquet files: a footer, and row groups that are read independently of each other.
//!
//! **Guarantee.** A row group yields the rows before the first page that cannot be decoded. Statistics and indices
//! are not looked at: nothing a file says about its rows stands in for the rows.
//! **Text, row by row.** The decoder gives up a whole row group for one text that is not UTF-8. So the footer's
//! word that a column is text is taken out before decoding: bytes are read, and judged one row at a time.

use std::io::{BufReader, Read};
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::{DataType, FieldRef, Schema, TimeUnit};
use bytes::Bytes;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use parquet::basic::Type as PhysicalType;
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::{FileMetaData, ParquetMetaData, ParquetStatisticsPolicy};
use parquet::file::reader::{ChunkReader, Length};
use parquet::schema::types::{SchemaDescriptor, Type, TypePtr};

use super::contents::Column;
use super::handle::{Handle, HandleReader};
use super::quiet::{Damage, contained};

/// A Parquet file whose footer has been read.
pub(super) struct ParquetFile {
    metadata: ArrowReaderMetadata,
}

impl ParquetFile {
    /// Reads the footer.
    pub(super) fn open(file: Handle) -> Result<Self> {
        let options = ArrowReaderOptions::new()
            .with_skip_arrow_metadata(true)
            .with_column_stats_policy(ParquetStatisticsPolicy::SkipAll);
        let metadata = ArrowReaderMetadata::load(&Chunks(file), options.clone())?;
        let stated = ArrowReaderMetadata::try_new(Arc::clone(metadata.metadata()), ArrowReaderOptions::new());
        let stated = stated.as_ref().unwrap_or(&metadata).schema();
        let plain = Arc::new(without_text(metadata.metadata())?);
        let metadata = ArrowReaderMetadata::try_new(Arc::clone(&plain), options.clone())?;
        let schema = decoded(metadata.schema(), stated, plain.file_metadata().schema_descr());
        Ok(Self { metadata: ArrowReaderMetadata::try_new(plain, options.with_schema(Arc::new(schema)))? })
    }

    /// The columns at the top.
    pub(super) fn columns(&self) -> Vec<Column> {
        let fields = self.metadata.schema().fields().iter();
        fields.map(|field| Column { name: field.name().clone(), kind: field.data_type().clone() }).collect()
    }

    /// The sizes of the row groups.
    pub(super) fn pieces(&self) -> Vec<u64> {
        let groups = self.metadata.metadata().row_groups().iter();
        groups.map(|group| u64::try_from(group.compressed_size()).unwrap_or(0)).collect()
    }

    /// Reads row groups; `sink` returns whether it wants more.
    pub(super) fn read(
        &self,
        file: &Handle,
        groups: &[usize],
        projection: &[usize],
        batch_rows: usize,
        damage: &Damage,
        sink: &mut dyn FnMut(RecordBatch) -> bool,
    ) {
        for group in groups {
            let reader = contained(|| {
                let mask = ProjectionMask::roots(self.metadata.parquet_schema(), projection.iter().copied());
                let chunks = Chunks(file.clone());
                ParquetRecordBatchReaderBuilder::new_with_metadata(chunks, self.metadata.clone())
                    .with_row_groups(vec![*group])
                    .with_projection(mask)
                    .with_batch_size(batch_rows)
                    .build()
            });
            let Some(mut reader) = reader else {
                damage.part();
                continue;
            };
            loop {
                match contained(|| reader.next().transpose()) {
                    Some(Some(batch)) => {
                        if !sink(batch) {
                            return;
                        }
                    }
                    Some(None) => break,
                    None => {
                        damage.part();
                        break;
                    }
                }
            }
        }
    }
}

/// The same footer, with columns of bytes where it says text.
fn without_text(metadata: &ParquetMetaData) -> Result<ParquetMetaData> {
    let file = metadata.file_metadata();
    let fields = file.schema().get_fields().iter().map(as_bytes).collect::<Result<Vec<_>>>()?;
    let schema = Type::group_type_builder(file.schema().name()).with_fields(fields).build()?;
    let file = FileMetaData::new(
        file.version(),
        file.num_rows(),
        file.created_by().map(String::from),
        None,
        Arc::new(SchemaDescriptor::new(Arc::new(schema))),
        None,
    );
    Ok(ParquetMetaData::new(file, metadata.row_groups().to_vec()))
}

fn as_bytes(field: &TypePtr) -> Result<TypePtr> {
    let decimal = |field: &Type| field.get_precision() > 0;
    if !field.is_primitive() || field.get_physical_type() != PhysicalType::BYTE_ARRAY || decimal(field) {
        return Ok(Arc::clone(field));
    }
    let info = field.get_basic_info();
    Ok(Arc::new(
        Type::primitive_type_builder(field.name(), PhysicalType::BYTE_ARRAY)
            .with_repetition(info.repetition())
            .build()?,
    ))
}

/// The schema to decode into: bytes as views into their pages; moments of twelve bytes in microseconds, so that
/// they reach all years; days and seconds that only the writer's own schema tells from integers.
fn decoded(schema: &Schema, stated: &Schema, descriptor: &SchemaDescriptor) -> Schema {
    let roots = descriptor.root_schema().get_fields();
    let field = |((field, stated), root): ((&FieldRef, &FieldRef), &TypePtr)| {
        let physical = root.is_primitive().then(|| root.get_physical_type());
        let kind = match (field.data_type(), stated.data_type(), physical) {
            (DataType::Binary, _, _) => DataType::BinaryView,
            (DataType::Timestamp(_, _), _, Some(PhysicalType::INT96)) => {
                DataType::Timestamp(TimeUnit::Microsecond, None)
            }
            (DataType::Int64, DataType::Date64, _) => DataType::Date64,
            (DataType::Int64, DataType::Timestamp(unit, _), _) => DataType::Timestamp(*unit, None),
            (other, _, _) => other.clone(),
        };
        field.as_ref().clone().with_data_type(kind)
    };
    Schema::new(schema.fields().iter().zip(stated.fields()).zip(roots).map(field).collect::<Vec<_>>())
}

/// A file of which nothing outside is asked for: lengths in a damaged footer must not become allocations.
struct Chunks(Handle);

impl Length for Chunks {
    fn len(&self) -> u64 {
        self.0.stamp().length()
    }
}

impl ChunkReader for Chunks {
    type T = BufReader<HandleReader>;

    fn get_read(&self, start: u64) -> Result<Self::T> {
        Ok(BufReader::new(self.0.reader(start)))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        match start.checked_add(length as u64) {
            Some(end) if end <= self.len() => {
                let mut bytes = vec![0; length];
                self.0.reader(start).read_exact(&mut bytes)?;
                Ok(bytes.into())
            }
            _ => Err(ParquetError::EOF("beyond the end of the file".into())),
        }
    }
}
