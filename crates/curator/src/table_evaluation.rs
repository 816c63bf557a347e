//! How far a public table is from private rows, for tables of columns.
//!
//! **Guarantee.** That of [`TableDistances`]: cells are a function of one row's codes and of public things, on both sides by the same
//! rule ([`SanitizedColumn`]).

use pointillist_engine::TrainingTable;
use pointillist_learn::EvaluationNumber;
use pointillist_noise::SecureBits;
use pointillist_plan::TrainingRows;
use pointillist_privacy::{Loss, Spend};
use pointillist_query::refused_synthesis;
use pointillist_synth::{CodeRows, Compared, MemoryCodes, Method, TableDistances, TableRecipe};

use crate::error::AskError;
use crate::sanitized_table::{SanitizedColumn, columns, layout};
use crate::synthesis::Cells;

/// The comparison of the columns of rows at a price.
pub(crate) struct TableEvaluation {
    columns: Vec<SanitizedColumn>,
    distances: TableDistances,
}

impl TableEvaluation {
    pub(crate) fn new(rows: &TrainingRows, compared: Compared, spend: &Spend) -> Result<Self, AskError> {
        let columns = columns(rows);
        // The bins of sanitized tables, whichever method made one.
        let layout = layout(&columns, &TableRecipe::new(Method::Mst));
        let distances = layout.and_then(|layout| TableDistances::new(layout, compared, rows.rows_max, spend));
        let distances = distances.map_err(|error| refused_synthesis(&error))?;
        Ok(Self { columns, distances })
    }

    pub(crate) fn loss(&self) -> Loss {
        self.distances.loss().clone()
    }

    pub(crate) fn mechanism(&self) -> &'static str {
        self.distances.mechanism()
    }

    pub(crate) fn outlook(&self) -> Vec<String> {
        self.distances.outlook()
    }

    /// Compares the codes of public rows with the chosen private ones.
    pub(crate) fn release<B: SecureBits + ?Sized>(
        &self,
        public: &[u32],
        private: &TrainingTable<'_>,
        bits: &mut B,
    ) -> Result<Vec<i128>, AskError> {
        let columns = &self.columns;
        let public: Vec<u32> =
            public.iter().zip(columns.iter().cycle()).map(|(code, column)| column.cell(*code)).collect();
        let public = MemoryCodes::new(public, columns.len());
        let private: &dyn CodeRows = &Cells { table: private, columns };
        self.distances.release(&public, private, bits).map_err(|_| AskError::Failed)
    }

    /// What was released, for people to read: the mean first.
    pub(crate) fn numbers(&self, released: &[i128]) -> Option<Vec<EvaluationNumber>> {
        let number = |distance: pointillist_synth::TableDistance| EvaluationNumber {
            measure: "distance",
            part: match distance.columns.as_slice() {
                [] => "mean".to_owned(),
                columns => {
                    columns.iter().map(|at| self.columns[*at].name.as_str()).collect::<Vec<_>>().join(" × ")
                }
            },
            value: distance.share,
            interval: Some(distance.interval),
        };
        Some(self.distances.distances(released)?.into_iter().map(number).collect())
    }
}
