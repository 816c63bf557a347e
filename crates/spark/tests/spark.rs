//! The client against a real Spark Connect server; skipped with a loud line where the machine has none.

#[path = "spark/failures.rs"]
mod spark_failures;
#[path = "spark/messages.rs"]
mod spark_messages;
#[path = "spark/statements.rs"]
mod spark_statements;

use std::io::Cursor;
use std::sync::Arc;

use arrow::array::{Array, AsArray, RecordBatch};
use arrow::ipc::reader::StreamReader;
use pointillist_spark::{Address, Operation, Parameter, Session, SessionOptions, SparkError};
use pointillist_testkit::spark::SparkServer;

fn open(server: &SparkServer) -> Session {
    open_with(server, SessionOptions::default())
}

fn open_with(server: &SparkServer, options: SessionOptions) -> Session {
    let address = Address::parse(&server.url()).expect("the server's own address");
    Session::open(&address, None, options).expect("a thread")
}

fn query(session: &Session, sql: &str, parameters: &[Parameter]) -> Result<Vec<RecordBatch>, SparkError> {
    let answer = session.query(&Operation::new()?, sql, parameters, &mut |_| ())?;
    Ok(answer.into_iter().flat_map(batches).collect())
}

fn batches(stream: Vec<u8>) -> Vec<RecordBatch> {
    let reader = StreamReader::try_new(Cursor::new(stream), None).expect("an IPC stream");
    reader.map(|batch| batch.expect("a batch")).collect()
}

/// The one row of a statement whose columns are all texts.
fn texts(session: &Session, sql: &str, parameters: &[Parameter]) -> Vec<Option<String>> {
    let batches = query(session, sql, parameters).unwrap_or_else(|error| panic!("{sql}: {error}"));
    let batch = batches.iter().find(|batch| batch.num_rows() > 0).expect("a row");
    let text = |column: &Arc<dyn Array>| {
        let column = column.as_string::<i32>();
        (!column.is_null(0)).then(|| column.value(0).to_owned())
    };
    batch.columns().iter().map(text).collect()
}
