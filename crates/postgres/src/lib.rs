//! One connection to a PostgreSQL server, for code that blocks.
//!
//! * [`Address`]: where the server is, without secrets; unverified networks are refused.
//! * [`Password`]: from a file that nobody else can read, or from the environment; erased from memory.
//! * [`Connection`]: statements with [`Parameter`]s, rows of [`Cell`]s, a deadline for every call, and a [`Canceller`].
//! * [`ConnectionError`]: what went wrong, as five characters at most.
//!
//! **Guarantee.** No text of the server about a failure is kept: `invalid input syntax for type bigint: "x"` quotes a row, and
//! an error is an output. Neither parameters nor cells show their values when they are printed for debugging, and notices of
//! the server go nowhere. Every call ends by its deadline, whether or not the server answers; after one that did not, the
//! connection is closed.
//!
//! **Not covered.** What the server itself writes into its logs. Knows nothing of privacy, plans or budgets.

mod address;
mod cancel;
mod cell;
mod connection;
mod date;
mod error;
mod parameter;
mod password;
mod tls;
mod worker;

pub use address::{Address, AddressError};
pub use cancel::Canceller;
pub use cell::Cell;
pub use connection::{Connection, Description, Limits};
pub use error::ConnectionError;
pub use parameter::Parameter;
pub use password::{Password, PasswordError};
