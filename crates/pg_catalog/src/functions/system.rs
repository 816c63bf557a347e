//! Functions about what is declared: `format_type`, `pg_get_*`, `obj_description`, `has_*_privilege`, `to_reg*`, ….

use super::Function;
use crate::evaluator::Session;
use crate::{Base, PgError, PgValue, SystemCatalog};

/// The functions of this file.
pub(crate) const FUNCTIONS: &[Function] = &[];

/// A value of one of the types that are oids with a name (`regclass`, `regtype`, `regproc`, `regnamespace`, `regrole`), from a
/// name, from digits or from an oid: `'visits'::regclass`, `'16393'::regclass`, `c.oid::regclass`. An oid that nobody has
/// keeps its digits for a name.
///
/// # Errors
/// 42P01, 42704 and the like for a name that is not known.
pub(crate) fn reg(
    system: &SystemCatalog,
    session: &Session<'_>,
    base: Base,
    given: &PgValue,
) -> Result<PgValue, PgError> {
    let _ = (system, session, base, given);
    Err(PgError::new("0A000", "names of oids are not known yet"))
}
