//! Days and microseconds: ours are counted from 1970, PostgreSQL's from 2000.
//!
//! `infinity` and `-infinity` are the largest and the smallest number on both sides. A moment after the year 294247 does not
//! fit into microseconds since 1970 and is an error, not another moment.

use std::error::Error;

use bytes::{BufMut, BytesMut};
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};

/// From 1970-01-01 to 2000-01-01.
const DAYS: i32 = 10_957;
/// The same in microseconds.
const MICROSECONDS: i64 = DAYS as i64 * 86_400_000_000;

type Failure = Box<dyn Error + Sync + Send>;

/// Days since 1970.
#[derive(Clone, Copy)]
pub(crate) struct Days(pub(crate) i32);

/// Microseconds since 1970.
#[derive(Clone, Copy)]
pub(crate) struct Microseconds(pub(crate) i64);

macro_rules! shifted {
    ($name:ident, $number:ty, $offset:ident, $put:ident, $($type:pat_param)|+) => {
        /// Without the value: it may be a constant that somebody asked with.
        impl std::fmt::Debug for $name {
            fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                out.write_str(stringify!($name))
            }
        }

        impl ToSql for $name {
            fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Failure> {
                out.$put(match self.0 {
                    <$number>::MIN | <$number>::MAX => self.0,
                    value => value.checked_sub($offset).ok_or("before what PostgreSQL can hold")?,
                });
                Ok(IsNull::No)
            }

            fn accepts(kind: &Type) -> bool {
                matches!(*kind, $($type)|+)
            }

            to_sql_checked!();
        }

        impl<'a> FromSql<'a> for $name {
            fn from_sql(_: &Type, bytes: &'a [u8]) -> Result<Self, Failure> {
                let value = <$number>::from_be_bytes(bytes.try_into()?);
                Ok(Self(match value {
                    <$number>::MIN | <$number>::MAX => value,
                    value => value.checked_add($offset).ok_or("after what can be counted from 1970")?,
                }))
            }

            fn accepts(kind: &Type) -> bool {
                matches!(*kind, $($type)|+)
            }
        }
    };
}

shifted!(Days, i32, DAYS, put_i32, Type::DATE);
shifted!(Microseconds, i64, MICROSECONDS, put_i64, Type::TIMESTAMP | Type::TIMESTAMPTZ);
