//! The messages of Spark Connect that we send and read, and no others.
//!
//! **Checked against** the descriptors of `pyspark[connect]` 4.3.0: `tests/spark/tags.py` reads this file and compares every
//! name, number and type with what that package holds. The comment above a struct is the message's full name.
//!
//! Alternatives (`oneof`) are written as optional fields, which are the same bytes: of a request exactly one is set here, and of
//! an answer those that we do not know are skipped. Written by hand, so that a build needs neither `protoc` nor generated code.

use std::collections::HashMap;

use prost::Message;

// spark.connect.UserContext
#[derive(Clone, PartialEq, Message)]
pub struct UserContext {
    #[prost(string, tag = "1")]
    pub user_id: String,
    #[prost(string, tag = "2")]
    pub user_name: String,
}

// spark.connect.Plan
#[derive(Clone, PartialEq, Message)]
pub struct Plan {
    #[prost(message, optional, tag = "1")]
    pub root: Option<Relation>,
    #[prost(message, optional, tag = "2")]
    pub command: Option<Command>,
}

// spark.connect.Relation
#[derive(Clone, PartialEq, Message)]
pub struct Relation {
    #[prost(message, optional, tag = "1")]
    pub common: Option<RelationCommon>,
    #[prost(message, optional, tag = "10")]
    pub sql: Option<Sql>,
    #[prost(message, optional, tag = "11")]
    pub local_relation: Option<LocalRelation>,
}

// spark.connect.RelationCommon
#[derive(Clone, PartialEq, Message)]
pub struct RelationCommon {
    #[prost(int64, optional, tag = "2")]
    pub plan_id: Option<i64>,
}

// spark.connect.SQL
#[derive(Clone, PartialEq, Message)]
pub struct Sql {
    #[prost(string, tag = "1")]
    pub query: String,
    #[prost(message, repeated, tag = "5")]
    pub pos_arguments: Vec<Expression>,
}

// spark.connect.LocalRelation
#[derive(Clone, PartialEq, Message)]
pub struct LocalRelation {
    #[prost(bytes = "vec", optional, tag = "1")]
    pub data: Option<Vec<u8>>,
    #[prost(string, optional, tag = "2")]
    pub schema: Option<String>,
}

// spark.connect.Command
#[derive(Clone, PartialEq, Message)]
pub struct Command {
    #[prost(message, optional, tag = "3")]
    pub create_dataframe_view: Option<CreateDataFrameViewCommand>,
    #[prost(message, optional, tag = "5")]
    pub sql_command: Option<SqlCommand>,
}

// spark.connect.CreateDataFrameViewCommand
#[derive(Clone, PartialEq, Message)]
pub struct CreateDataFrameViewCommand {
    #[prost(message, optional, tag = "1")]
    pub input: Option<Relation>,
    #[prost(string, tag = "2")]
    pub name: String,
    #[prost(bool, tag = "3")]
    pub is_global: bool,
    #[prost(bool, tag = "4")]
    pub replace: bool,
}

// spark.connect.SqlCommand
#[derive(Clone, PartialEq, Message)]
pub struct SqlCommand {
    #[prost(message, optional, tag = "6")]
    pub input: Option<Relation>,
}

// spark.connect.Expression
#[derive(Clone, PartialEq, Message)]
pub struct Expression {
    #[prost(message, optional, tag = "1")]
    pub literal: Option<Literal>,
}

// spark.connect.Expression.Literal
#[derive(Clone, PartialEq, Message)]
pub struct Literal {
    #[prost(message, optional, tag = "1")]
    pub null: Option<DataType>,
    #[prost(bool, optional, tag = "3")]
    pub boolean: Option<bool>,
    #[prost(int64, optional, tag = "7")]
    pub long: Option<i64>,
    #[prost(double, optional, tag = "11")]
    pub double: Option<f64>,
    #[prost(string, optional, tag = "13")]
    pub string: Option<String>,
    #[prost(int32, optional, tag = "16")]
    pub date: Option<i32>,
    #[prost(int64, optional, tag = "18")]
    pub timestamp_ntz: Option<i64>,
    #[prost(message, optional, tag = "22")]
    pub array: Option<LiteralArray>,
}

// spark.connect.Expression.Literal.Array
#[derive(Clone, PartialEq, Message)]
pub struct LiteralArray {
    #[prost(message, optional, tag = "1")]
    pub element_type: Option<DataType>,
    #[prost(message, repeated, tag = "2")]
    pub elements: Vec<Literal>,
}

/// A type without parameters that matter here, or any message of which only the presence counts.
// google.protobuf.Empty
#[derive(Clone, PartialEq, Message)]
pub struct Empty {}

// spark.connect.DataType
#[derive(Clone, PartialEq, Message)]
pub struct DataType {
    #[prost(message, optional, tag = "2")]
    pub binary: Option<Empty>,
    #[prost(message, optional, tag = "3")]
    pub boolean: Option<Empty>,
    #[prost(message, optional, tag = "4")]
    pub byte: Option<Empty>,
    #[prost(message, optional, tag = "5")]
    pub short: Option<Empty>,
    #[prost(message, optional, tag = "6")]
    pub integer: Option<Empty>,
    #[prost(message, optional, tag = "7")]
    pub long: Option<Empty>,
    #[prost(message, optional, tag = "8")]
    pub float: Option<Empty>,
    #[prost(message, optional, tag = "9")]
    pub double: Option<Empty>,
    #[prost(message, optional, tag = "10")]
    pub decimal: Option<DecimalType>,
    #[prost(message, optional, tag = "11")]
    pub string: Option<StringType>,
    #[prost(message, optional, tag = "12")]
    pub char: Option<Empty>,
    #[prost(message, optional, tag = "13")]
    pub var_char: Option<Empty>,
    #[prost(message, optional, tag = "14")]
    pub date: Option<Empty>,
    #[prost(message, optional, tag = "15")]
    pub timestamp: Option<Empty>,
    #[prost(message, optional, tag = "16")]
    pub timestamp_ntz: Option<Empty>,
    #[prost(message, optional, tag = "17")]
    pub calendar_interval: Option<Empty>,
    #[prost(message, optional, tag = "18")]
    pub year_month_interval: Option<Empty>,
    #[prost(message, optional, tag = "19")]
    pub day_time_interval: Option<Empty>,
    #[prost(message, optional, tag = "20")]
    pub array: Option<Empty>,
    #[prost(message, optional, tag = "21")]
    pub r#struct: Option<StructType>,
    #[prost(message, optional, tag = "22")]
    pub map: Option<Empty>,
    #[prost(message, optional, tag = "25")]
    pub variant: Option<Empty>,
}

// spark.connect.DataType.Decimal
#[derive(Clone, PartialEq, Message)]
pub struct DecimalType {
    #[prost(int32, optional, tag = "1")]
    pub scale: Option<i32>,
    #[prost(int32, optional, tag = "2")]
    pub precision: Option<i32>,
}

// spark.connect.DataType.String
#[derive(Clone, PartialEq, Message)]
pub struct StringType {
    #[prost(string, tag = "2")]
    pub collation: String,
}

// spark.connect.DataType.Struct
#[derive(Clone, PartialEq, Message)]
pub struct StructType {
    #[prost(message, repeated, tag = "1")]
    pub fields: Vec<StructField>,
}

// spark.connect.DataType.StructField
#[derive(Clone, PartialEq, Message)]
pub struct StructField {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(message, optional, tag = "2")]
    pub data_type: Option<DataType>,
    #[prost(bool, tag = "3")]
    pub nullable: bool,
    #[prost(string, optional, tag = "4")]
    pub metadata: Option<String>,
}

// spark.connect.ExecutePlanRequest
#[derive(Clone, PartialEq, Message)]
pub struct ExecutePlanRequest {
    #[prost(string, tag = "1")]
    pub session_id: String,
    #[prost(message, optional, tag = "2")]
    pub user_context: Option<UserContext>,
    #[prost(message, optional, tag = "3")]
    pub plan: Option<Plan>,
    #[prost(string, optional, tag = "4")]
    pub client_type: Option<String>,
    #[prost(string, optional, tag = "6")]
    pub operation_id: Option<String>,
    #[prost(string, optional, tag = "8")]
    pub client_observed_server_side_session_id: Option<String>,
}

// spark.connect.ExecutePlanResponse
#[derive(Clone, PartialEq, Message)]
pub struct ExecutePlanResponse {
    #[prost(string, tag = "1")]
    pub session_id: String,
    #[prost(message, optional, tag = "2")]
    pub arrow_batch: Option<ArrowBatch>,
    #[prost(message, optional, tag = "5")]
    pub sql_command_result: Option<SqlCommandResult>,
    #[prost(string, tag = "12")]
    pub operation_id: String,
    #[prost(string, tag = "15")]
    pub server_side_session_id: String,
    #[prost(message, optional, tag = "18")]
    pub execution_progress: Option<ExecutionProgress>,
}

// spark.connect.ExecutePlanResponse.ArrowBatch
#[derive(Clone, PartialEq, Message)]
pub struct ArrowBatch {
    #[prost(int64, tag = "1")]
    pub row_count: i64,
    #[prost(bytes = "vec", tag = "2")]
    pub data: Vec<u8>,
    #[prost(int64, optional, tag = "3")]
    pub start_offset: Option<i64>,
    #[prost(int64, optional, tag = "5")]
    pub num_chunks_in_batch: Option<i64>,
}

// spark.connect.ExecutePlanResponse.SqlCommandResult
#[derive(Clone, PartialEq, Message)]
pub struct SqlCommandResult {
    #[prost(message, optional, tag = "1")]
    pub relation: Option<Relation>,
}

// spark.connect.ExecutePlanResponse.ExecutionProgress
#[derive(Clone, PartialEq, Message)]
pub struct ExecutionProgress {
    #[prost(message, repeated, tag = "1")]
    pub stages: Vec<StageInfo>,
}

// spark.connect.ExecutePlanResponse.ExecutionProgress.StageInfo
#[derive(Clone, PartialEq, Message)]
pub struct StageInfo {
    #[prost(int64, tag = "2")]
    pub num_tasks: i64,
    #[prost(int64, tag = "3")]
    pub num_completed_tasks: i64,
}

// spark.connect.AnalyzePlanRequest
#[derive(Clone, PartialEq, Message)]
pub struct AnalyzePlanRequest {
    #[prost(string, tag = "1")]
    pub session_id: String,
    #[prost(message, optional, tag = "2")]
    pub user_context: Option<UserContext>,
    #[prost(string, optional, tag = "3")]
    pub client_type: Option<String>,
    #[prost(message, optional, tag = "4")]
    pub schema: Option<AnalyzeSchema>,
    #[prost(message, optional, tag = "5")]
    pub explain: Option<AnalyzeExplain>,
    #[prost(message, optional, tag = "8")]
    pub is_streaming: Option<AnalyzeIsStreaming>,
    #[prost(message, optional, tag = "10")]
    pub spark_version: Option<Empty>,
    #[prost(string, optional, tag = "17")]
    pub client_observed_server_side_session_id: Option<String>,
}

// spark.connect.AnalyzePlanRequest.Schema
#[derive(Clone, PartialEq, Message)]
pub struct AnalyzeSchema {
    #[prost(message, optional, tag = "1")]
    pub plan: Option<Plan>,
}

// spark.connect.AnalyzePlanRequest.IsStreaming
#[derive(Clone, PartialEq, Message)]
pub struct AnalyzeIsStreaming {
    #[prost(message, optional, tag = "1")]
    pub plan: Option<Plan>,
}

// spark.connect.AnalyzePlanRequest.Explain
#[derive(Clone, PartialEq, Message)]
pub struct AnalyzeExplain {
    #[prost(message, optional, tag = "1")]
    pub plan: Option<Plan>,
    #[prost(enumeration = "ExplainMode", tag = "2")]
    pub explain_mode: i32,
}

// spark.connect.AnalyzePlanRequest.Explain.ExplainMode
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, prost::Enumeration)]
#[repr(i32)]
pub enum ExplainMode {
    Unspecified = 0,
    Simple = 1,
    Extended = 2,
    Codegen = 3,
    Cost = 4,
    Formatted = 5,
}

// spark.connect.AnalyzePlanResponse
#[derive(Clone, PartialEq, Message)]
pub struct AnalyzePlanResponse {
    #[prost(string, tag = "1")]
    pub session_id: String,
    #[prost(message, optional, tag = "2")]
    pub schema: Option<AnalyzedSchema>,
    #[prost(message, optional, tag = "3")]
    pub explain: Option<AnalyzedExplain>,
    #[prost(message, optional, tag = "6")]
    pub is_streaming: Option<AnalyzedIsStreaming>,
    #[prost(message, optional, tag = "8")]
    pub spark_version: Option<AnalyzedVersion>,
    #[prost(string, tag = "15")]
    pub server_side_session_id: String,
}

// spark.connect.AnalyzePlanResponse.Schema
#[derive(Clone, PartialEq, Message)]
pub struct AnalyzedSchema {
    #[prost(message, optional, tag = "1")]
    pub schema: Option<DataType>,
}

// spark.connect.AnalyzePlanResponse.Explain
#[derive(Clone, PartialEq, Message)]
pub struct AnalyzedExplain {
    #[prost(string, tag = "1")]
    pub explain_string: String,
}

// spark.connect.AnalyzePlanResponse.IsStreaming
#[derive(Clone, PartialEq, Message)]
pub struct AnalyzedIsStreaming {
    #[prost(bool, tag = "1")]
    pub is_streaming: bool,
}

// spark.connect.AnalyzePlanResponse.SparkVersion
#[derive(Clone, PartialEq, Message)]
pub struct AnalyzedVersion {
    #[prost(string, tag = "1")]
    pub version: String,
}

// spark.connect.KeyValue
#[derive(Clone, PartialEq, Message)]
pub struct KeyValue {
    #[prost(string, tag = "1")]
    pub key: String,
    #[prost(string, optional, tag = "2")]
    pub value: Option<String>,
}

// spark.connect.ConfigRequest
#[derive(Clone, PartialEq, Message)]
pub struct ConfigRequest {
    #[prost(string, tag = "1")]
    pub session_id: String,
    #[prost(message, optional, tag = "2")]
    pub user_context: Option<UserContext>,
    #[prost(message, optional, tag = "3")]
    pub operation: Option<ConfigOperation>,
    #[prost(string, optional, tag = "4")]
    pub client_type: Option<String>,
    #[prost(string, optional, tag = "8")]
    pub client_observed_server_side_session_id: Option<String>,
}

// spark.connect.ConfigRequest.Operation
#[derive(Clone, PartialEq, Message)]
pub struct ConfigOperation {
    #[prost(message, optional, tag = "1")]
    pub set: Option<ConfigSet>,
    #[prost(message, optional, tag = "4")]
    pub get_option: Option<ConfigGetOption>,
    #[prost(message, optional, tag = "5")]
    pub get_all: Option<ConfigGetAll>,
}

// spark.connect.ConfigRequest.Set
#[derive(Clone, PartialEq, Message)]
pub struct ConfigSet {
    #[prost(message, repeated, tag = "1")]
    pub pairs: Vec<KeyValue>,
}

// spark.connect.ConfigRequest.GetOption
#[derive(Clone, PartialEq, Message)]
pub struct ConfigGetOption {
    #[prost(string, repeated, tag = "1")]
    pub keys: Vec<String>,
}

// spark.connect.ConfigRequest.GetAll
#[derive(Clone, PartialEq, Message)]
pub struct ConfigGetAll {
    #[prost(string, optional, tag = "1")]
    pub prefix: Option<String>,
}

// spark.connect.ConfigResponse
#[derive(Clone, PartialEq, Message)]
pub struct ConfigResponse {
    #[prost(string, tag = "1")]
    pub session_id: String,
    #[prost(message, repeated, tag = "2")]
    pub pairs: Vec<KeyValue>,
    #[prost(string, tag = "4")]
    pub server_side_session_id: String,
}

// spark.connect.InterruptRequest
#[derive(Clone, PartialEq, Message)]
pub struct InterruptRequest {
    #[prost(string, tag = "1")]
    pub session_id: String,
    #[prost(message, optional, tag = "2")]
    pub user_context: Option<UserContext>,
    #[prost(string, optional, tag = "3")]
    pub client_type: Option<String>,
    #[prost(enumeration = "InterruptType", tag = "4")]
    pub interrupt_type: i32,
    #[prost(string, optional, tag = "6")]
    pub operation_id: Option<String>,
}

// spark.connect.InterruptRequest.InterruptType
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, prost::Enumeration)]
#[repr(i32)]
pub enum InterruptType {
    Unspecified = 0,
    All = 1,
    Tag = 2,
    OperationId = 3,
}

// spark.connect.InterruptResponse
#[derive(Clone, PartialEq, Message)]
pub struct InterruptResponse {
    #[prost(string, repeated, tag = "2")]
    pub interrupted_ids: Vec<String>,
}

// spark.connect.ReleaseSessionRequest
#[derive(Clone, PartialEq, Message)]
pub struct ReleaseSessionRequest {
    #[prost(string, tag = "1")]
    pub session_id: String,
    #[prost(message, optional, tag = "2")]
    pub user_context: Option<UserContext>,
    #[prost(string, optional, tag = "3")]
    pub client_type: Option<String>,
}

// spark.connect.ReleaseSessionResponse
#[derive(Clone, PartialEq, Message)]
pub struct ReleaseSessionResponse {
    #[prost(string, tag = "1")]
    pub session_id: String,
}

// google.rpc.Status
#[derive(Clone, PartialEq, Message)]
pub struct RpcStatus {
    #[prost(int32, tag = "1")]
    pub code: i32,
    #[prost(message, repeated, tag = "3")]
    pub details: Vec<RpcAny>,
}

// google.protobuf.Any
#[derive(Clone, PartialEq, Message)]
pub struct RpcAny {
    #[prost(string, tag = "1")]
    pub type_url: String,
    #[prost(bytes = "vec", tag = "2")]
    pub value: Vec<u8>,
}

// google.rpc.ErrorInfo
#[derive(Clone, PartialEq, Message)]
pub struct RpcErrorInfo {
    #[prost(string, tag = "1")]
    pub reason: String,
    #[prost(string, tag = "2")]
    pub domain: String,
    #[prost(map = "string, string", tag = "3")]
    pub metadata: HashMap<String, String>,
}
