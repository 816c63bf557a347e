//! How fast Parquet is read, next to DataFusion's own scan. Run with `--release --run-ignored only --no-capture`.

use std::fs::File;
use std::time::{Duration, Instant};

use datafusion::arrow::array::{Float64Array, Int64Array, StringArray};
use datafusion::execution::SendableRecordBatchStream;
use datafusion::physical_plan::{ExecutionPlan, execute_stream_partitioned};
use datafusion::prelude::{ParquetReadOptions, SessionConfig, SessionContext};
use pointillist_numbers::Rational;

use super::super::Source;
use super::*;

const ROWS: i64 = 10_000_000;
const THREADS: usize = 2;

fn file(folder: &Path) {
    let regions = ["north", "south", "east", "west"];
    let mut writer = None;
    for start in (0..ROWS).step_by(100_000) {
        let rows = start..start + 100_000;
        let batch = batch(vec![
            ("id", array(Int64Array::from_iter_values(rows.clone().map(|row| row * 7919 % 1_000_003)))),
            (
                "cost",
                array(Float64Array::from_iter_values(rows.clone().map(|row| (row % 10_007) as f64 / 8.0))),
            ),
            ("region", array(StringArray::from_iter_values(rows.map(|row| regions[(row % 4) as usize])))),
        ]);
        let writer = writer.get_or_insert_with(|| {
            let file = File::create(folder.join("t.parquet")).unwrap();
            ArrowWriter::try_new(file, batch.schema(), None).unwrap()
        });
        writer.write(&batch).unwrap();
    }
    writer.unwrap().close().unwrap();
}

async fn drain(mut stream: SendableRecordBatchStream) -> usize {
    let mut rows = 0;
    while let Some(batch) = std::future::poll_fn(|context| stream.as_mut().poll_next(context)).await {
        rows += batch.unwrap().num_rows();
    }
    rows
}

async fn timed(plan: Arc<dyn ExecutionPlan>, context: Arc<TaskContext>) -> Duration {
    let start = Instant::now();
    let streams = execute_stream_partitioned(plan, context).unwrap();
    let tasks: Vec<_> = streams.into_iter().map(|stream| tokio::spawn(drain(stream))).collect();
    let mut rows = 0;
    for task in tasks {
        rows += task.await.unwrap();
    }
    assert_eq!(rows as i64, ROWS);
    start.elapsed()
}

#[test]
#[ignore = "measures"]
fn parquet_is_read_about_as_fast_as_by_datafusion() {
    let folder = TempDir::new().unwrap();
    file(folder.path());
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(THREADS).build().unwrap();
    let session = SessionContext::new_with_config(SessionConfig::new().with_target_partitions(THREADS));
    let source = Source::open(folder.path(), "t.parquet").unwrap();
    let bounds = Some((Rational::ratio(0, 1), Rational::ratio(10_000, 1)));
    let columns = [column("cost", ColumnType::Number { bounds, step: None }), text("region")];
    for round in 0..4 {
        let path = folder.path().join("t.parquet");
        let theirs = runtime.block_on(async {
            let frame =
                session.read_parquet(path.to_str().unwrap(), ParquetReadOptions::default()).await.unwrap();
            timed(frame.create_physical_plan().await.unwrap(), session.task_ctx()).await
        });
        let ours = runtime.block_on(async {
            let plan = source.scan(&columns, Some("id"), THREADS).unwrap();
            timed(plan, session.task_ctx()).await
        });
        println!("round {round}: DataFusion {theirs:?}, with canonical types and bounds {ours:?}");
    }
}
