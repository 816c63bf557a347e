//! The doors from outside: real sockets, real files, one curator behind them.

#[path = "all/fixture.rs"]
mod fixture;
#[path = "all/http_answers.rs"]
mod http_answers;
#[path = "all/http_callers.rs"]
mod http_callers;
#[path = "all/http_limits.rs"]
mod http_limits;
#[path = "all/http_operation.rs"]
mod http_operation;
