//! A session on a server: settings, statements, schemas, progress, deadlines, interrupts. Calls block, from any thread.
//!
//! **Guarantee.** An answer is whole or there is none: a stream that ends without the server's own end, or whose batches do not
//! follow each other, is an error. A statement that takes too long is called off on the server as well.
//!
//! A session that the server has lost ([`SparkError::SessionLost`]) stays lost; open another and make its settings again.

use std::future::Future;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{sleep, timeout};

use crate::messages::{
    AnalyzeExplain, AnalyzeIsStreaming, AnalyzePlanRequest, AnalyzeSchema, Command, ConfigGetAll,
    ConfigGetOption, ConfigOperation, ConfigSet, CreateDataFrameViewCommand, Empty, ExplainMode, KeyValue,
    LocalRelation, Plan, Relation, RelationCommon, Sql, SqlCommand,
};
use crate::rpc::Rpc;
use crate::worker::Worker;
use crate::{Address, Column, Parameter, Progress, SparkError, Token};

/// How long a goodbye may take; the server forgets a session by itself too.
const GOODBYE_MAX: Duration = Duration::from_secs(5);
/// How often, and after which pauses, a statement is called off that the server did not know yet.
const CALLS_OFF_MAX: u32 = 30;
const CALL_OFF_PAUSE: Duration = Duration::from_secs(1);

/// Limits of a session.
#[derive(Clone, Debug)]
pub struct SessionOptions {
    /// How long a setting, a schema or a plan may take.
    pub call_max: Duration,
    /// How long a statement may run.
    pub statement_max: Duration,
    /// How many bytes an answer may have.
    pub answer_bytes_max: usize,
}

impl Default for SessionOptions {
    fn default() -> Self {
        Self {
            call_max: Duration::from_secs(60),
            statement_max: Duration::from_secs(3600),
            answer_bytes_max: 1 << 30,
        }
    }
}

/// One run of a statement, by which another thread can call it off.
#[derive(Clone, Debug)]
pub struct Operation {
    name: String,
    /// Told to whoever waits for it here.
    stop: Arc<Notify>,
}

impl Operation {
    /// A fresh one.
    ///
    /// # Errors
    /// When the operating system gives no random bits.
    pub fn new() -> Result<Self, SparkError> {
        Ok(Self { name: random_name()?, stop: Arc::new(Notify::new()) })
    }
}

/// A session.
pub struct Session {
    worker: Worker,
    rpc: Arc<Rpc>,
    options: SessionOptions,
}

/// What a thread that waits is told.
enum Event {
    Progress(Progress),
    Done(Result<Answer, SparkError>),
}

#[derive(Default)]
struct Answer {
    batches: Vec<Vec<u8>>,
    /// What a command left to be fetched.
    relation: Option<Relation>,
}

impl Session {
    /// A session of a fresh name. The server is not asked yet.
    ///
    /// # Errors
    /// When there is no thread, the certificates cannot be read, or a token would travel in the open.
    pub fn open(
        address: &Address,
        token: Option<Token>,
        options: SessionOptions,
    ) -> Result<Self, SparkError> {
        let (address, name) = (address.clone(), random_name()?);
        let (worker, rpc) = Worker::start(move || Rpc::new(&address, token, name).map(Arc::new))?;
        Ok(Self { worker, rpc, options })
    }

    /// The server's version, such as `4.3.0`.
    ///
    /// # Errors
    /// When the server is away or lets nobody in.
    pub fn version(&self) -> Result<String, SparkError> {
        let ask = AnalyzePlanRequest { spark_version: Some(Empty {}), ..AnalyzePlanRequest::default() };
        let answer = self.call(|rpc| async move { rpc.analyze(ask).await })?;
        answer.spark_version.map(|answer| answer.version).ok_or(SparkError::Protocol)
    }

    /// Makes settings of this session.
    ///
    /// # Errors
    /// When the server refuses one.
    pub fn configure(&self, settings: &[(&str, &str)]) -> Result<(), SparkError> {
        let pair =
            |(key, value): &(&str, &str)| KeyValue { key: key.to_string(), value: Some(value.to_string()) };
        let set = Some(ConfigSet { pairs: settings.iter().map(pair).collect() });
        let operation = ConfigOperation { set, ..ConfigOperation::default() };
        self.call(|rpc| async move { rpc.configure(operation).await }).map(|_| ())
    }

    /// A setting as the server has it; `None` where nobody has made it.
    ///
    /// # Errors
    /// When the server does not say.
    pub fn setting(&self, key: &str) -> Result<Option<String>, SparkError> {
        self.settings_of(&[key])?.pop().ok_or(SparkError::Protocol)
    }

    /// Settings as the server has them, in the order in which they are asked for; `None` where nobody has made one.
    ///
    /// # Errors
    /// When the server does not say.
    pub fn settings_of(&self, keys: &[&str]) -> Result<Vec<Option<String>>, SparkError> {
        let get_option = Some(ConfigGetOption { keys: keys.iter().map(|key| key.to_string()).collect() });
        let operation = ConfigOperation { get_option, ..ConfigOperation::default() };
        let answer = self.call(|rpc| async move { rpc.configure(operation).await })?;
        let value =
            |key: &&str| answer.pairs.iter().find(|pair| pair.key == *key).map(|pair| pair.value.clone());
        keys.iter().map(value).collect::<Option<_>>().ok_or(SparkError::Protocol)
    }

    /// All settings whose names begin so, the beginning left out.
    ///
    /// # Errors
    /// When the server does not say.
    pub fn settings(&self, beginning: &str) -> Result<Vec<(String, String)>, SparkError> {
        let get_all = Some(ConfigGetAll { prefix: Some(beginning.to_owned()) });
        let operation = ConfigOperation { get_all, ..ConfigOperation::default() };
        let answer = self.call(|rpc| async move { rpc.configure(operation).await })?;
        Ok(answer.pairs.into_iter().map(|pair| (pair.key, pair.value.unwrap_or_default())).collect())
    }

    /// What a statement would return.
    ///
    /// # Errors
    /// When Spark refuses the statement.
    pub fn schema(&self, sql: &str, parameters: &[Parameter]) -> Result<Vec<Column>, SparkError> {
        let schema = Some(AnalyzeSchema { plan: Some(query_plan(sql, parameters)) });
        let ask = AnalyzePlanRequest { schema, ..AnalyzePlanRequest::default() };
        let answer = self.call(|rpc| async move { rpc.analyze(ask).await })?;
        let schema = answer.schema.and_then(|answer| answer.schema).and_then(|kind| kind.r#struct);
        Ok(schema.ok_or(SparkError::Protocol)?.fields.iter().map(Column::of).collect())
    }

    /// How Spark would run a statement: its logical and physical plans in Spark's words.
    ///
    /// # Errors
    /// When Spark refuses the statement.
    pub fn explain(&self, sql: &str, parameters: &[Parameter]) -> Result<String, SparkError> {
        let plan = Some(query_plan(sql, parameters));
        let explain = Some(AnalyzeExplain { plan, explain_mode: ExplainMode::Extended.into() });
        let ask = AnalyzePlanRequest { explain, ..AnalyzePlanRequest::default() };
        let answer = self.call(|rpc| async move { rpc.analyze(ask).await })?;
        answer.explain.map(|answer| answer.explain_string).ok_or(SparkError::Protocol)
    }

    /// Whether a statement reads a stream, which has no end.
    ///
    /// # Errors
    /// When Spark refuses the statement.
    pub fn is_streaming(&self, sql: &str, parameters: &[Parameter]) -> Result<bool, SparkError> {
        let is_streaming = Some(AnalyzeIsStreaming { plan: Some(query_plan(sql, parameters)) });
        let ask = AnalyzePlanRequest { is_streaming, ..AnalyzePlanRequest::default() };
        let answer = self.call(|rpc| async move { rpc.analyze(ask).await })?;
        answer.is_streaming.map(|answer| answer.is_streaming).ok_or(SparkError::Protocol)
    }

    /// Runs a statement that returns rows: Arrow IPC streams, one after the other.
    ///
    /// # Errors
    /// When it is refused, fails, is called off or takes too long. There is never a part of an answer.
    pub fn query(
        &self,
        operation: &Operation,
        sql: &str,
        parameters: &[Parameter],
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Vec<Vec<u8>>, SparkError> {
        self.execute(operation, query_plan(sql, parameters), progress).map(|answer| answer.batches)
    }

    /// Runs a command, such as one that describes a table, and returns its rows.
    ///
    /// # Errors
    /// As [`Self::query`].
    pub fn command(&self, sql: &str, parameters: &[Parameter]) -> Result<Vec<Vec<u8>>, SparkError> {
        let sql_command = Some(SqlCommand { input: Some(sql_relation(sql, parameters)) });
        let command = Some(Command { sql_command, ..Command::default() });
        let plan = Plan { root: None, command };
        let answer = self.execute(&Operation::new()?, plan, &mut |_| ())?;
        let Some(relation) = answer.relation else { return Ok(answer.batches) };
        match relation.local_relation {
            // Already here.
            Some(LocalRelation { data: Some(data), .. }) => Ok(vec![data]),
            Some(LocalRelation { data: None, .. }) => Ok(Vec::new()),
            None => {
                let plan = Plan { root: Some(relation), command: None };
                self.execute(&Operation::new()?, plan, &mut |_| ()).map(|answer| answer.batches)
            }
        }
    }

    /// Gives the session public rows under a name: an Arrow IPC stream, and its columns as Spark writes types.
    ///
    /// # Errors
    /// When the server refuses them.
    pub fn register(&self, name: &str, rows: Vec<u8>, columns: &str) -> Result<(), SparkError> {
        let local_relation = Some(LocalRelation { data: Some(rows), schema: Some(columns.to_owned()) });
        let input = Some(Relation { local_relation, ..relation() });
        let view =
            CreateDataFrameViewCommand { input, name: name.to_owned(), is_global: false, replace: true };
        let command = Some(Command { create_dataframe_view: Some(view), ..Command::default() });
        self.execute(&Operation::new()?, Plan { root: None, command }, &mut |_| ()).map(|_| ())
    }

    /// Calls a statement off. Whether the server had it running. Whoever waits for it here waits no longer in any case: Spark
    /// has moments, while it begins a stage, in which it says that it stops, and that stage runs to its end for nobody.
    ///
    /// # Errors
    /// When the server is away.
    pub fn interrupt(&self, operation: &Operation) -> Result<bool, SparkError> {
        let name = operation.name.clone();
        let answer = self.call(|rpc| async move { rpc.interrupt(name).await });
        operation.stop.notify_one();
        Ok(!answer?.interrupted_ids.is_empty())
    }

    fn execute(
        &self,
        operation: &Operation,
        plan: Plan,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Answer, SparkError> {
        let (events, inbox) = channel();
        let (rpc, options) = (Arc::clone(&self.rpc), self.options.clone());
        let Operation { name, stop } = operation.clone();
        self.worker.leave(async move {
            let run = collect(&rpc, plan, name.clone(), options.answer_bytes_max, &events);
            let outcome = tokio::select! {
                outcome = timeout(options.statement_max, run) => outcome.unwrap_or(Err(SparkError::Timeout)),
                () = stop.notified() => Err(SparkError::Interrupted),
            };
            let runs_on = matches!(outcome, Err(SparkError::Timeout | SparkError::TooLarge { .. }));
            let mut called_off = !runs_on || call_off(&rpc, &name).await;
            let _ = events.send(Event::Done(outcome));
            // A busy server may begin to run the statement after it was called off: nobody waits for this.
            for _ in 0..CALLS_OFF_MAX {
                if called_off {
                    break;
                }
                sleep(CALL_OFF_PAUSE).await;
                called_off = call_off(&rpc, &name).await;
            }
        });
        loop {
            match inbox.recv().map_err(|_| SparkError::Thread)? {
                Event::Progress(now) => progress(now),
                Event::Done(outcome) => return outcome,
            }
        }
    }

    /// One short call.
    fn call<T, F>(&self, call: impl FnOnce(Arc<Rpc>) -> F) -> Result<T, SparkError>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, SparkError>> + Send + 'static,
    {
        let (done, inbox) = channel();
        let (call, call_max) = (call(Arc::clone(&self.rpc)), self.options.call_max);
        self.worker.leave(async move {
            let outcome = timeout(call_max, call).await.unwrap_or(Err(SparkError::Timeout));
            let _ = done.send(outcome);
        });
        inbox.recv().map_err(|_| SparkError::Thread)?
    }
}

/// Says goodbye, and does not wait for it.
impl Drop for Session {
    fn drop(&mut self) {
        let rpc = Arc::clone(&self.rpc);
        self.worker.leave(async move {
            let _ = timeout(GOODBYE_MAX, rpc.release()).await;
        });
    }
}

/// Whether there is nothing left to call off: the server had it running and stops it, or has no such session any more.
async fn call_off(rpc: &Rpc, operation: &str) -> bool {
    // What is already an error does not become another one.
    match timeout(GOODBYE_MAX, rpc.interrupt(operation.to_owned())).await {
        Ok(Ok(answer)) => !answer.interrupted_ids.is_empty(),
        Ok(Err(_)) => true,
        Err(_) => false,
    }
}

/// All answers of a plan, in their order, none missing.
async fn collect(
    rpc: &Rpc,
    plan: Plan,
    operation: String,
    bytes_max: usize,
    events: &Sender<Event>,
) -> Result<Answer, SparkError> {
    let mut answers = rpc.execute(plan, operation).await?;
    let mut answer = Answer::default();
    let (mut rows, mut bytes) = (0i64, 0usize);
    while let Some(message) = answers.next().await? {
        if let Some(now) = &message.execution_progress {
            // Nobody may be waiting any more.
            let _ = events.send(Event::Progress(Progress::of(now)));
        }
        if let Some(batch) = message.arrow_batch {
            let follows = batch.start_offset.is_none_or(|start| start == rows);
            let is_whole = batch.num_chunks_in_batch.is_none_or(|chunks| chunks == 1);
            if !follows || !is_whole || batch.row_count < 0 {
                return Err(SparkError::Protocol);
            }
            rows = rows.saturating_add(batch.row_count);
            bytes = bytes.saturating_add(batch.data.len());
            if bytes > bytes_max {
                return Err(SparkError::TooLarge { bytes_max });
            }
            answer.batches.push(batch.data);
        }
        if let Some(result) = message.sql_command_result {
            answer.relation = result.relation;
        }
    }
    Ok(answer)
}

fn query_plan(sql: &str, parameters: &[Parameter]) -> Plan {
    Plan { root: Some(sql_relation(sql, parameters)), command: None }
}

fn sql_relation(sql: &str, parameters: &[Parameter]) -> Relation {
    let pos_arguments = parameters.iter().map(Parameter::expression).collect();
    Relation { sql: Some(Sql { query: sql.to_owned(), pos_arguments }), ..relation() }
}

fn relation() -> Relation {
    Relation { common: Some(RelationCommon { plan_id: Some(0) }), ..Relation::default() }
}

/// A name that nobody else has, in the form that Spark wants: a random UUID.
fn random_name() -> Result<String, SparkError> {
    let mut bytes = [0u8; 16];
    getrandom::fill(&mut bytes).map_err(|_| SparkError::Thread)?;
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    Ok([&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-"))
}
