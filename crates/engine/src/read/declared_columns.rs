//! Stored rows as they were declared: the columns of a scan, then whose the rows are. One row at a time, for every format.

use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, RecordBatchOptions, new_null_array};
use arrow::datatypes::{Field, Schema, SchemaRef};
use arrow::error::ArrowError;
use pointillist_plan::ScanColumn;

use super::OWNER_COLUMN;
use super::bounds::Target;
use super::canonical::canonical;
use super::owner::OwnerForm;
use super::quiet::{Damage, contained};

/// The columns that a scan yields.
pub(super) struct DeclaredColumns {
    pub(super) targets: Vec<Target>,
    /// How the names are represented that come after the columns: of owners, or of rows that are linked to.
    pub(super) forms: Vec<OwnerForm>,
    schema: SchemaRef,
}

impl DeclaredColumns {
    /// These columns, then names in their forms.
    pub(super) fn new(columns: &[ScanColumn], names: &[(&str, OwnerForm)]) -> Self {
        let targets: Vec<_> = columns.iter().map(|column| Target::from(&column.kind)).collect();
        let fields = columns.iter().zip(&targets);
        let fields = fields.map(|(column, target)| Field::new(&column.name, target.data_type(), true));
        let owners = names.iter().map(|(_, form)| Field::new(OWNER_COLUMN, form.data_type(), true));
        let schema = Arc::new(Schema::new(fields.chain(owners).collect::<Vec<_>>()));
        Self { targets, forms: names.iter().map(|(_, form)| *form).collect(), schema }
    }

    /// The schema of every batch.
    pub(super) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Stored rows as they were declared. `columns` and `names` say where in the batch each of them is; what is nowhere is NULL.
    pub(super) fn canonical(
        &self,
        batch: &RecordBatch,
        columns: &[Option<usize>],
        names: &[Option<usize>],
        damage: &Damage,
    ) -> Option<RecordBatch> {
        let column = |place: &Option<usize>| place.map(|place| batch.column(place));
        let canonical = contained(|| {
            let declared = self.targets.iter().zip(columns).map(|(target, place)| match column(place) {
                Some(array) => canonical(array, target),
                None => new_null_array(&target.data_type(), batch.num_rows()),
            });
            let owners = self.forms.iter().zip(names).map(|(form, place)| match column(place) {
                Some(array) => form.owners(array),
                None => new_null_array(&form.data_type(), batch.num_rows()),
            });
            let arrays: Vec<ArrayRef> = declared.chain(owners).collect();
            let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
            RecordBatch::try_new_with_options(Arc::clone(&self.schema), arrays, &options)
                .map_err(|_: ArrowError| ())
        });
        if canonical.is_none() {
            damage.part();
        }
        canonical
    }
}
