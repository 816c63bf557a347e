//! Sanitized tables: a question for one becomes a synthesizer, is paid for, and only then are rows looked at.
//!
//! **Guarantee.** As for models (`training.rs`): before the debit only the catalog is read, and what it loses and every refusal
//! follow from it; rows are read after the debit, with a receipt in hand. What is recorded are the noisy counts that were
//! released, and the table of made-up rows is computed from the record.
//! **Repeats.** The question is made of the rows, the recipe and the price: the same table of the same data is given again.

use pointillist_catalog::Catalog;
use pointillist_engine::{Scan, TrainingTable};
use pointillist_ledger::Receipt;
use pointillist_noise::{SystemBits, with_system_bits};
use pointillist_plan::{Role, TrainingRows, canonical_training};
use pointillist_privacy::Price;
use pointillist_query::{Refusal, SynthesisQuestion, refused_synthesis};
use pointillist_synth::{CodeRows, Progress, RowsError, SynthError, TableMeasured, TableSynthesizer};

use crate::answer::{Answer, Column, Row};
use crate::arrays::value;
use crate::ask::Work;
use crate::basket::Bill;
use crate::curator::State;
use crate::describe::DescribedColumn;
use crate::error::AskError;
use crate::order::{Order, Purchase};
use crate::recorded_bytes::{packed, unpacked};
use crate::release::Released;
use crate::reuse::Recorded;
use crate::sanitized_table::{SanitizedColumn, SanitizedTable, can_be_written, columns, layout};
use crate::training::scan_of;
use crate::watcher::Watcher;

/// Made-up rows that an answer holds at most; a file has as many as are wanted.
const ROWS_MAX: u64 = 1_000_000;

/// Rows and a synthesizer for them: what is bought.
pub(crate) struct Synthesis {
    pub(crate) rows: TrainingRows,
    pub(crate) columns: Vec<SanitizedColumn>,
    pub(crate) synthesizer: TableSynthesizer,
}

/// A question for a sanitized table, and the files that it reads.
pub(crate) struct SynthesisWork {
    question: SynthesisQuestion,
    order: Order<Synthesis>,
    scan: Scan,
}

impl Synthesis {
    /// The synthesizer of a question and its price; reads nothing.
    pub(crate) fn new(catalog: &Catalog, question: &SynthesisQuestion) -> Result<(Self, Price), AskError> {
        let refused = |error: SynthError| AskError::from(refused_synthesis(&error));
        // What a file could not say again must not be paid for.
        if !can_be_written(&question.spend) {
            let hint = "give epsilon or rho as a decimal of fewer digits";
            return Err(Refusal::parameter("this price has too many digits for a file", hint).into());
        }
        let columns = columns(&question.rows);
        let layout = layout(&columns, &question.recipe).map_err(refused)?;
        let synthesizer = question.recipe.synthesizer(layout, question.rows.rows_max, &question.spend);
        let synthesizer = synthesizer.map_err(refused)?;
        let scope = catalog.paying_scope(&question.rows.scope).ok_or(AskError::Failed)?;
        let price = Price::of_loss(scope.budget.currency(), synthesizer.loss()).ok_or_else(|| {
            Refusal::not_provable(
                "nothing is proven of this table in the currency of its budget",
                "choose another method",
            )
        })?;
        Ok((Self { rows: question.rows.clone(), columns, synthesizer }, price))
    }

    /// What identifies the numbers that are released.
    pub(crate) fn canonical(&self, question: &SynthesisQuestion) -> Vec<u8> {
        let mut bytes = b"synthesis".to_vec();
        bytes.extend(canonical_training(&self.rows));
        // Everything public that the numbers depend on: Debug of numbers is exact. How many rows are shown is not among it.
        let parts = [question.recipe.identity(), format!("{:?}", question.spend), REVISION.to_string()];
        for part in parts {
            bytes.extend((part.len() as u64).to_be_bytes());
            bytes.extend(part.as_bytes());
        }
        bytes
    }
}

/// Recorded numbers mean what they meant to the synthesizer that released them: constants that change need a new number.
const REVISION: u8 = 1;

impl SynthesisWork {
    /// Finds the files of all tables and their schemas and holds them open; reads no row.
    pub(crate) fn open(state: &State, question: SynthesisQuestion) -> Result<Self, AskError> {
        let order = Order::about_synthesis(&state.catalog, &question)?;
        let scan = scan_of(state, &order.work().rows)?;
        Ok(Self { question, order, scan })
    }

    fn sanitized(&self, recorded: &[Recorded]) -> Option<SanitizedTable> {
        let integers = recorded.first()?.released.measures.first()?;
        let measured = TableMeasured::from_bytes(&unpacked(integers)?)?;
        let Synthesis { rows, columns, .. } = self.order.work();
        let recipe = self.question.recipe.clone();
        Some(SanitizedTable::new(recipe, &self.question.spend, rows.rows_max, columns.clone(), measured))
    }
}

impl Work for SynthesisWork {
    fn bill(&self) -> &dyn Bill {
        &self.order
    }

    fn canonical(&self) -> Vec<u8> {
        self.order.work().canonical(&self.question)
    }

    fn release(&self, state: &State, receipt: &Receipt, _: &[usize]) -> Result<Vec<Released>, AskError> {
        let paid = self.order.paid_by(receipt)?;
        let table = state.engine.training_rows(self.scan.clone(), &paid.work().rows);
        let table = table.map_err(|_| AskError::Failed)?;
        let measured = with_system_bits(|bits| measure(&paid, &table, &state.watcher, bits))
            .map_err(|_| AskError::Failed)??;
        Ok(vec![measured])
    }

    fn present(&self, recorded: &[Recorded]) -> Result<Answer, AskError> {
        let model = self.sanitized(recorded).ok_or(AskError::Failed)?;
        let fitted = model.fitted().map_err(|_| AskError::Failed)?;
        let wanted = self.question.recipe.rows.unwrap_or_else(|| fitted.total());
        let batch = fitted.rows(Some(wanted.min(ROWS_MAX))).ok_or(AskError::Failed)?;
        let chosen = described(&self.question);
        let place = |name: &str| batch.schema().index_of(name).map_err(|_| AskError::Failed);
        let places = chosen.iter().map(|column| place(&column.name)).collect::<Result<Vec<_>, _>>()?;
        let rows = (0..batch.num_rows()).map(|row| Row {
            values: chosen
                .iter()
                .zip(&places)
                .map(|(column, place)| value(column.kind, batch.column(*place), row))
                .collect(),
            intervals: vec![None; chosen.len()],
        });
        let rows = rows.collect();
        let columns = chosen.into_iter().map(|column| Column {
            name: column.name,
            kind: column.kind,
            role: Role::Derived,
            release: None,
            has_interval: false,
        });
        let mut notes = vec![
            "nobody in this table exists: rows are made up from noisy counts, and are free to keep and to share"
                .to_owned(),
        ];
        if wanted > ROWS_MAX {
            notes.push(format!(
                "{ROWS_MAX} of {wanted} rows are shown; `pointillist synth sample` writes them all"
            ));
        }
        notes.extend(self.question.notes.iter().cloned());
        notes.extend(self.question.rows.words());
        Ok(Answer { columns: columns.collect(), rows, notes })
    }

    fn is_slow_to_present(&self) -> bool {
        true
    }

    fn table(&self, recorded: &[Recorded]) -> Option<SanitizedTable> {
        self.sanitized(recorded)
    }
}

/// Measures, for whoever has paid.
fn measure(
    paid: &Purchase<'_, Synthesis>,
    table: &TrainingTable<'_>,
    watcher: &Watcher,
    bits: &mut SystemBits,
) -> Result<Released, AskError> {
    let Synthesis { columns, synthesizer, .. } = paid.work();
    let rows = Cells { table, columns };
    let mut progress = |at: Progress| watcher.tell(at.stage, at.done);
    let measured = synthesizer.fit(&rows, bits, &mut progress).map_err(|_| AskError::Failed)?;
    let integers = packed(&measured.to_bytes());
    Ok(Released { keys: vec![Vec::new(); integers.len()], measures: vec![integers] })
}

/// Rows of codes as rows of cells.
pub(crate) struct Cells<'t, 'e> {
    pub(crate) table: &'t TrainingTable<'e>,
    pub(crate) columns: &'t [SanitizedColumn],
}

impl CodeRows for Cells<'_, '_> {
    fn for_each_codes(&self, each: &mut dyn FnMut(&[u32])) -> Result<(), RowsError> {
        let mut cells = Vec::new();
        let block = &mut |codes: &[u32]| {
            cells.clear();
            let columns = self.columns.iter().cycle();
            cells.extend(codes.iter().zip(columns).map(|(code, column)| column.cell(*code)));
            each(&cells);
        };
        self.table.for_each_block(block).map_err(|_| RowsError)
    }
}

/// The columns of the answer.
pub(crate) fn described(question: &SynthesisQuestion) -> Vec<DescribedColumn> {
    let column = |name: &str| {
        let found = question.rows.features.iter().find(|column| column.name == name)?;
        Some(DescribedColumn {
            name: found.name.clone(),
            kind: found.kind,
            role: Role::Derived,
            has_interval: false,
        })
    };
    match &question.columns {
        Some(chosen) => chosen.iter().filter_map(|name| column(name)).collect(),
        None => question.rows.features.iter().filter_map(|found| column(&found.name)).collect(),
    }
}
