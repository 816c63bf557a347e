//! The doors from outside: real sockets, real files, one curator behind them.

#[path = "all/bombs.rs"]
mod bombs;
#[path = "all/budget_race.rs"]
mod budget_race;
#[path = "all/console_client.rs"]
mod console_client;
#[path = "all/console_forms.rs"]
mod console_forms;
#[path = "all/console_pages.rs"]
mod console_pages;
#[path = "all/console_sessions.rs"]
mod console_sessions;
#[path = "all/encrypted_wire.rs"]
mod encrypted_wire;
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
#[path = "all/http_releases.rs"]
mod http_releases;
#[path = "all/reply_timing.rs"]
mod reply_timing;
#[path = "all/slow_clients.rs"]
mod slow_clients;
#[path = "all/wire_client.rs"]
mod wire_client;
#[path = "all/wire_roles.rs"]
mod wire_roles;
#[path = "all/wire_undo.rs"]
mod wire_undo;
