//! One session on a Spark Connect server: addresses, tokens, TLS, statements with typed parameters, blocking calls, cancelling.
//!
//! Knows nothing of plans, rows or privacy. Calls block and may come from any thread; each session has a thread of its own that
//! talks to the server. Results are Arrow IPC bytes as Spark sent them; whoever asked decodes them.
//!
//! | file | idea |
//! | --- | --- |
//! | [`Address`] | `sc://host:15002/;use_ssl=true`: no secret, and no open network that nobody asked for |
//! | [`Token`] | from a file or the environment, erased after use |
//! | `messages` | the part of Spark Connect's protocol that is used here, checked against Spark's own descriptors |
//! | [`Parameter`] | typed values that travel beside a statement |
//! | [`Column`] | what a statement returns, before it runs |
//! | [`Session`] | calls, settings, progress, deadlines, interrupts |
//! | [`SparkError`] | what went wrong, without a word of the server |

mod address;
mod column;
mod error;
mod messages;
mod parameter;
mod progress;
mod rpc;
mod session;
mod token;
mod worker;

pub use address::{Address, AddressError};
pub use column::{Column, ColumnType};
pub use error::{Condition, SparkError};
pub use parameter::{Element, Parameter};
pub use progress::Progress;
pub use session::{Operation, Session, SessionOptions};
pub use token::{Token, TokenError};
