//! Rows of people, from files through a relation to whoever bounds them.
//!
//! **How.** One task reads each partition of the scans. Rows that were never looked at together go on as they come; where a
//! relation looks at several rows of a person, they come together first. Which task gets which rows is chance: what is
//! gathered must not depend on it.
//! **Memory.** What is gathered keeps to an allowance, of which every task knows its part; beyond it the pass takes fewer
//! people ([`Pass`]), and the scans are read again for the others.

use std::sync::Arc;

use arrow::array::RecordBatch;
use tokio::task::JoinSet;

use crate::bound::{HashKey, Pass};
use crate::relation::{OwnerSets, Pairs, Path, People, Prepared, Scatter, Table};
use crate::{EngineError, EngineOptions};

/// What one task keeps of the rows it gets.
pub(crate) trait Gathered: Send + 'static {
    /// Takes in rows with their owners, and keeps to the allowance.
    fn take_in(&mut self, rows: &Table, allowance: usize) -> Result<(), EngineError>;
}

/// A relation whose rows are gathered.
pub(crate) struct Gathering<'a> {
    pub(crate) hash_key: HashKey,
    pub(crate) prepared: Arc<Prepared>,
    pub(crate) options: &'a EngineOptions,
}

/// The owners behind names, one for each link.
type Links = Arc<Vec<Arc<OwnerSets>>>;

impl Gathering<'_> {
    /// The rows of a pass, in as many parts as there are tasks.
    pub(crate) async fn gather<G: Gathered>(
        &self,
        pass: &Arc<Pass>,
        new: impl Fn() -> G,
    ) -> Result<Vec<G>, EngineError> {
        let links = self.links(pass).await?;
        match self.prepared.is_one_way() {
            true => self.pass_by(links, new).await,
            false => self.come_together(pass, links, new).await,
        }
    }

    /// The part of the memory that the owners of linked rows may take.
    fn for_links(&self) -> usize {
        if self.prepared.links().is_empty() { 0 } else { self.options.memory_bytes / 4 }
    }

    /// The owners of linked rows, as far as the pass takes them.
    async fn links(&self, pass: &Arc<Pass>) -> Result<Links, EngineError> {
        let owner = self.prepared.owner().ok_or(EngineError::Plan { what: "rows have no owner" })?;
        let paths = self.prepared.links();
        let share = self.for_links() / paths.len().max(1);
        let mut links: Vec<Arc<OwnerSets>> = Vec::new();
        for (number, path) in paths.iter().enumerate() {
            let mut tasks = JoinSet::new();
            let partitions = partitions([path].into_iter());
            for partition in 0..partitions {
                let (prepared, known) = (Arc::clone(&self.prepared), links.clone());
                let mut pairs = Pairs::new(&self.hash_key, pass, share / partitions.max(1));
                tasks.spawn(async move {
                    let path = &prepared.links()[number];
                    for_each_batch(path, partition, |batch| {
                        path.send(&batch, &known, &mut |rows| pairs.add(&rows))
                    })
                    .await?;
                    Ok(pairs)
                });
            }
            let pairs = all(tasks).await?;
            links.push(Arc::new(Pairs::sets(pairs, &self.hash_key, path, owner)?));
        }
        Ok(Arc::new(links))
    }

    /// Rows that are bounded as they pass by.
    async fn pass_by<G: Gathered>(&self, links: Links, new: impl Fn() -> G) -> Result<Vec<G>, EngineError> {
        let partitions = partitions(self.prepared.inputs().iter().flat_map(|input| &input.paths));
        let allowance = (self.options.memory_bytes - self.for_links()) / partitions.max(1);
        let mut tasks = JoinSet::new();
        for partition in 0..partitions {
            let (prepared, mut gathered, links) = (Arc::clone(&self.prepared), new(), Arc::clone(&links));
            tasks.spawn(async move {
                for path in prepared.inputs().iter().flat_map(|input| &input.paths) {
                    for_each_batch(path, partition, |batch| {
                        path.send(&batch, &links, &mut |rows| gathered.take_in(&rows, allowance))
                    })
                    .await?;
                }
                Ok(gathered)
            });
        }
        all(tasks).await
    }

    /// Rows that are bounded when all rows of a person have come together.
    async fn come_together<G: Gathered>(
        &self,
        pass: &Arc<Pass>,
        links: Links,
        new: impl Fn() -> G,
    ) -> Result<Vec<G>, EngineError> {
        let partitions = partitions(self.prepared.inputs().iter().flat_map(|input| &input.paths));
        let allowance = (self.options.memory_bytes - self.for_links()) / 2;
        let inputs = self.prepared.inputs().len();
        let mut tasks = JoinSet::new();
        for partition in 0..partitions {
            let (prepared, links) = (Arc::clone(&self.prepared), Arc::clone(&links));
            let mut scatter = Scatter::new(&self.hash_key, pass, inputs, allowance / partitions.max(1));
            tasks.spawn(async move {
                for (number, input) in prepared.inputs().iter().enumerate() {
                    for path in &input.paths {
                        for_each_batch(path, partition, |batch| {
                            path.send(&batch, &links, &mut |rows| scatter.add(number, &rows))
                        })
                        .await?;
                    }
                }
                Ok(scatter)
            });
        }
        let people = Arc::new(People::new(all(tasks).await?));
        let threads = self.options.threads.max(1);
        let mut tasks = JoinSet::new();
        for _ in 0..threads {
            let (prepared, mut gathered) = (Arc::clone(&self.prepared), new());
            let (people, pass) = (Arc::clone(&people), Arc::clone(pass));
            let context = self.prepared.context(self.hash_key.clone());
            tasks.spawn_blocking(move || {
                while let Some(parts) = people.next(&pass) {
                    prepared
                        .send(&context, &parts, &mut |rows| gathered.take_in(&rows, allowance / threads))?;
                }
                Ok(gathered)
            });
        }
        all(tasks).await
    }
}

/// How many lists of batches there are at most.
pub(crate) fn partitions<'a>(paths: impl Iterator<Item = &'a Path>) -> usize {
    paths.map(|path| path.scan.partitions()).max().unwrap_or(0)
}

/// The results of all tasks, or the first error; the other tasks then end.
pub(crate) async fn all<T: 'static>(
    mut tasks: JoinSet<Result<T, EngineError>>,
) -> Result<Vec<T>, EngineError> {
    let mut results = Vec::with_capacity(tasks.len());
    while let Some(result) = tasks.join_next().await {
        results.push(result.map_err(EngineError::Task)??);
    }
    Ok(results)
}

async fn for_each_batch(
    path: &Path,
    partition: usize,
    take: impl FnMut(RecordBatch) -> Result<(), EngineError>,
) -> Result<(), EngineError> {
    for_each_batch_while(path, partition, || true, take).await
}

/// The same as long as batches are wanted. They are asked for in any case: a scan waits for all its partitions to come
/// before it reads anew.
pub(crate) async fn for_each_batch_while(
    path: &Path,
    partition: usize,
    wanted: impl Fn() -> bool,
    mut take: impl FnMut(RecordBatch) -> Result<(), EngineError>,
) -> Result<(), EngineError> {
    if partition >= path.scan.partitions() {
        return Ok(());
    }
    let mut batches = path.scan.batches(partition);
    while wanted()
        && let Some(batch) = batches.next().await
    {
        take(batch.map_err(EngineError::Scan)?)?;
    }
    Ok(())
}
