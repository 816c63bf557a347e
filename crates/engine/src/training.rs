//! The rows that a model is trained on: chosen, as small integers, to be gone through as often as a trainer needs to.
//!
//! **Guarantee.** Fix the hash key. The chosen rows are a function of the multiset of rows, and between two multisets that
//! differ in all rows of one person the chosen rows differ in at most `rows_max` rows, all on one side. They are the same,
//! in the same order and in the same blocks, every time they are gone through.
//! **Proof.** Filter, codes and the rule that a row without target is left out look at one row ([`coder`]). Where each row
//! is a person, that is all, and one person is one row at most. Where people have several, the rows of a person that are
//! kept are the first `rows_max` of that person's rows in the order of (rank, codes), equal rows counted one by one; the
//! rank is a keyed hash of the person and the codes. So what is chosen is a disjoint union over people of a function of
//! each one's own rows, of at most `rows_max` rows ([`keeper`]). This holds for every hash key, so drawing it at random
//! keeps whatever guarantee the trainer has. The key is drawn once for each [`TrainingTable`], that is once a fit.
//! **Order.** Rows of people come in the order of (hash of the person, name, rank, codes): who read them first, where
//! batches end and how many passes there were does not show. Rows that are people come in the order of their files, which
//! one thread reads. Blocks have a fixed number of rows, the last one fewer.
//! **Nobody decides between a model and a failure.** NULL, what is no number and what is out of range have codes. What
//! can fail is what can fail in every aggregation: a file that somebody has changed, or a system that cannot read.
//! **Memory.** Rows that are people are read again each time, a block at a time; people's rows are kept, a few bytes a
//! column, as long as all that are chosen fit into half of [`EngineOptions::memory_bytes`](crate::EngineOptions), and the
//! same is done for rows that are people once they have been read. Where they do not fit, people are taken in passes as
//! in [`bound`](crate::bound), and the files are read for every pass, every time. What one person takes of that is
//! `rows_max` rows.
//! **Not covered.** How long it takes depends on the data.

mod block;
mod coder;
mod keeper;
mod packing;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, OnceLock};

use arrow::array::RecordBatch;
use pointillist_plan::{Ownership, Relation, TrainingRows};
use tokio::sync::mpsc;

use self::block::Filling;
use self::coder::Coder;
use self::keeper::{Keeper, finish};
use self::packing::{Packed, Packing};
use crate::bound::{HashKey, Pass};
use crate::gathering::Gathering;
use crate::relation::{Origins, Prepared};
use crate::rows::{MemoryTable, Origin};
use crate::{Engine, EngineError, Scan, Source};

/// Blocks that wait to be taken.
const AHEAD: usize = 2;

/// Chosen rows as codes: the features' and then the target's, where there is one.
pub struct TrainingTable<'e> {
    engine: &'e Engine,
    prepared: Arc<Prepared>,
    coder: Arc<Coder>,
    packing: Packing,
    hash_key: HashKey,
    rows_max: u32,
    /// All chosen rows, once they have been seen to fit.
    kept: OnceLock<Packed>,
}

/// How many rows there are is the owner's.
impl fmt::Debug for TrainingTable<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("TrainingTable").finish_non_exhaustive()
    }
}

impl Engine {
    /// Prepares to read what training needs of sources, by the names of their tables. Reads public tables; of others it
    /// looks at headers and footers, at no row.
    ///
    /// # Errors
    /// When files cannot be opened, or public tables are such that the rows cannot be made.
    pub fn scan_training(
        &self,
        sources: &BTreeMap<String, Source>,
        rows: &TrainingRows,
    ) -> Result<Scan, EngineError> {
        self.prepare_training(&|table| sources.get(table).map(|source| source as &dyn Origin), rows)
    }

    /// The chosen rows of a scan. Reads nothing yet.
    ///
    /// # Errors
    /// When the scan is not for these rows, or the system has no random bits.
    pub fn training_rows(&self, scan: Scan, rows: &TrainingRows) -> Result<TrainingTable<'_>, EngineError> {
        let hash_key = HashKey::from_system().map_err(EngineError::Entropy)?;
        self.training_rows_with(hash_key, scan, rows)
    }

    /// The chosen rows of tables in memory, by their names. A table has all columns that the relation names, those that
    /// say whose its rows are among them, in canonical types.
    ///
    /// # Errors
    /// When a table or a column is missing.
    pub fn training_rows_in_memory(
        &self,
        tables: BTreeMap<String, Vec<RecordBatch>>,
        rows: &TrainingRows,
    ) -> Result<TrainingTable<'_>, EngineError> {
        let tables: BTreeMap<String, MemoryTable> =
            tables.into_iter().map(|(name, batches)| (name, MemoryTable(vec![batches]))).collect();
        let scan =
            self.prepare_training(&|table| tables.get(table).map(|table| table as &dyn Origin), rows)?;
        self.training_rows(scan, rows)
    }

    /// The rows of a public table as codes, row by row: for what private rows are compared with.
    ///
    /// # Errors
    /// When the rows are somebody's or of more than one table, or the table is not among the sources, cannot be read, or is too large.
    pub fn public_codes(
        &self,
        sources: &BTreeMap<String, Source>,
        rows: &TrainingRows,
    ) -> Result<Vec<u32>, EngineError> {
        let Relation::Table(scan) = &rows.relation else {
            return Err(EngineError::Plan { what: "public rows are of one table" });
        };
        let coded = Coder::new(rows)?.coded(&self.public_rows(sources, scan)?)?;
        let mut row_of_codes = vec![0; rows.columns().count()];
        let mut codes = Vec::new();
        for row in coded.chosen() {
            coded.read(row, &mut row_of_codes);
            codes.extend(&row_of_codes);
        }
        Ok(codes)
    }

    pub(crate) fn prepare_training(
        &self,
        origins: &Origins<'_>,
        rows: &TrainingRows,
    ) -> Result<Scan, EngineError> {
        let threads = match rows.ownership() {
            // One reader hands out rows in the order of their files.
            Ownership::EachRow | Ownership::Nobody => 1,
            Ownership::People(_) => self.options().threads.max(1),
        };
        let prepared = self.runtime().block_on(Prepared::new(&rows.relation, origins, threads))?;
        Ok(Scan::new(prepared))
    }

    /// The same under a given hash key, which tests repeat.
    pub(crate) fn training_rows_with(
        &self,
        hash_key: HashKey,
        scan: Scan,
        rows: &TrainingRows,
    ) -> Result<TrainingTable<'_>, EngineError> {
        let prepared = scan.prepared();
        if prepared.ownership() == &Ownership::Nobody || rows.rows_max == 0 {
            return Err(EngineError::Plan { what: "nobody owns the rows of a model" });
        }
        let coder = Arc::new(Coder::new(rows)?);
        let packing = Packing::new(rows.columns().map(|column| column.code.last()));
        let rows_max = rows.rows_max;
        Ok(TrainingTable {
            engine: self,
            prepared,
            coder,
            packing,
            hash_key,
            rows_max,
            kept: OnceLock::new(),
        })
    }
}

impl TrainingTable<'_> {
    /// How many codes a row has.
    pub fn width(&self) -> usize {
        self.packing.columns()
    }

    /// Goes through all rows, block by block: the codes of each row one after the other.
    ///
    /// # Errors
    /// When a file is no longer what it was, or cannot be read.
    pub fn for_each_block(&self, each: &mut dyn FnMut(&[u32])) -> Result<(), EngineError> {
        if let Some(kept) = self.kept.get() {
            let mut filling = Filling::new(self.width());
            kept.for_each(&self.packing, &mut |row| filling.push(row, each));
            filling.finish(each);
            return Ok(());
        }
        match self.prepared.ownership() {
            Ownership::Nobody => Err(EngineError::Plan { what: "nobody owns the rows of a model" }),
            Ownership::EachRow => self.stream(each),
            Ownership::People(_) => self.passes(each),
        }
    }

    /// Half of the memory is for rows that stay.
    fn room(&self) -> usize {
        self.engine.options().memory_bytes / 2
    }

    /// Rows that are people, as they are read.
    fn stream(&self, each: &mut dyn FnMut(&[u32])) -> Result<(), EngineError> {
        let (sender, mut receiver) = mpsc::channel(AHEAD);
        let task = self.engine.runtime().spawn(read(
            Arc::clone(&self.prepared),
            Arc::clone(&self.coder),
            self.width(),
            sender,
        ));
        let mut kept = Some(Packed::default());
        while let Some(block) = receiver.blocking_recv() {
            let block: Vec<u32> = block;
            if let Some(packed) = &mut kept {
                block.chunks_exact(self.width()).for_each(|row| packed.push(&self.packing, row));
            }
            // What would not fit is given up at once.
            kept = kept.filter(|packed| packed.bytes() <= self.room());
            each(&block);
        }
        self.engine.runtime().block_on(task).map_err(EngineError::Task)??;
        if let Some(mut packed) = kept {
            packed.shrink();
            let _ = self.kept.set(packed);
        }
        Ok(())
    }

    /// The rows of people, one pass after the other.
    fn passes(&self, each: &mut dyn FnMut(&[u32])) -> Result<(), EngineError> {
        let mut filling = Filling::new(self.width());
        let mut pass = Some(Arc::new(Pass::first()));
        while let Some(now) = pass {
            let chosen = self.engine.runtime().block_on(self.gathered(&now))?;
            chosen.for_each(&self.packing, &mut |row| filling.push(row, each));
            if now.takes_all(now.open()) && chosen.bytes() <= self.room() {
                let _ = self.kept.set(chosen);
            }
            pass = now.next().map(Arc::new);
        }
        filling.finish(each);
        Ok(())
    }

    async fn gathered(&self, pass: &Arc<Pass>) -> Result<Packed, EngineError> {
        let (hash_key, prepared) = (self.hash_key.clone(), Arc::clone(&self.prepared));
        let gathering = Gathering { hash_key, prepared, options: self.engine.options() };
        let new = || Keeper::new(&self.hash_key, &self.coder, &self.packing, pass, self.rows_max);
        let keepers = gathering.gather(pass, new).await?;
        finish(keepers, pass, self.engine.options().threads).await
    }
}

/// Reads rows that are people, and sends them in blocks until nobody wants them.
async fn read(
    prepared: Arc<Prepared>,
    coder: Arc<Coder>,
    width: usize,
    sender: mpsc::Sender<Vec<u32>>,
) -> Result<(), EngineError> {
    let mut filling = Filling::new(width);
    let mut full: Vec<Vec<u32>> = Vec::new();
    for path in prepared.inputs().iter().flat_map(|input| &input.paths) {
        for partition in 0..path.scan.partitions() {
            let mut batches = path.scan.batches(partition);
            while let Some(batch) = batches.next().await {
                let batch = batch.map_err(EngineError::Scan)?;
                path.send(&batch, &[], &mut |rows| {
                    let coded = coder.coded(&rows)?;
                    let mut row = vec![0; width];
                    for at in coded.chosen() {
                        coded.read(at, &mut row);
                        filling.push(&row, &mut |block| full.push(block.to_vec()));
                    }
                    Ok(())
                })?;
                for block in full.drain(..) {
                    if sender.send(block).await.is_err() {
                        return Ok(());
                    }
                }
            }
        }
    }
    filling.finish(&mut |block| full.push(block.to_vec()));
    for block in full {
        if sender.send(block).await.is_err() {
            return Ok(());
        }
    }
    Ok(())
}
