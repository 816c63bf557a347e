//! PostgreSQL's SQL with a limit on how long its parser may try.
//!
//! sqlparser goes back and reads again where a sentence can mean two things. Inside each other such places double
//! the work: in its own PostgreSQL dialect every argument of a function is read twice, because it could be
//! `name: value`, so that thirty calls of `abs` take minutes. Named arguments are not read here at all, and whatever
//! else goes back and forth stops when the steps are used up; the parser passes that error on at once.

use std::any::TypeId;
use std::cell::Cell;

use sqlparser::ast::Expr;
use sqlparser::dialect::{Dialect, PostgreSqlDialect, Precedence};
use sqlparser::keywords::Keyword;
use sqlparser::parser::{Parser, ParserError};

/// Operands that the parser may look at. A statement whose expressions fit the limit of `plan/src/types.rs` has fewer.
const STEPS_MAX: u32 = 12_000;

/// PostgreSQL's dialect, for one statement.
#[derive(Debug)]
pub struct Postgres {
    steps: Cell<u32>,
}

impl Default for Postgres {
    fn default() -> Self {
        Self::new()
    }
}

impl Postgres {
    /// A dialect for one statement.
    pub fn new() -> Self {
        Self { steps: Cell::new(STEPS_MAX) }
    }
}

const LIKE: PostgreSqlDialect = PostgreSqlDialect {};

impl Dialect for Postgres {
    /// Where the parser asks which dialect this is.
    fn dialect(&self) -> TypeId {
        LIKE.dialect()
    }

    /// Called for every operand, so that no backtracking escapes the count.
    fn parse_prefix(&self, _parser: &mut Parser) -> Option<Result<Expr, ParserError>> {
        match self.steps.get().checked_sub(1) {
            Some(left) => {
                self.steps.set(left);
                None
            }
            None => Some(Err(ParserError::RecursionLimitExceeded)),
        }
    }

    fn is_delimited_identifier_start(&self, sign: char) -> bool {
        LIKE.is_delimited_identifier_start(sign)
    }

    fn is_identifier_start(&self, sign: char) -> bool {
        LIKE.is_identifier_start(sign)
    }

    fn is_identifier_part(&self, sign: char) -> bool {
        LIKE.is_identifier_part(sign)
    }

    fn is_reserved_for_identifier(&self, keyword: Keyword) -> bool {
        LIKE.is_reserved_for_identifier(keyword)
    }

    fn is_custom_operator_part(&self, sign: char) -> bool {
        LIKE.is_custom_operator_part(sign)
    }

    fn get_next_precedence(&self, parser: &Parser) -> Option<Result<u8, ParserError>> {
        LIKE.get_next_precedence(parser)
    }

    fn prec_value(&self, precedence: Precedence) -> u8 {
        LIKE.prec_value(precedence)
    }

    fn supports_unicode_string_literal(&self) -> bool {
        LIKE.supports_unicode_string_literal()
    }

    fn supports_string_escape_constant(&self) -> bool {
        LIKE.supports_string_escape_constant()
    }

    fn supports_numeric_literal_underscores(&self) -> bool {
        LIKE.supports_numeric_literal_underscores()
    }

    fn supports_nested_comments(&self) -> bool {
        LIKE.supports_nested_comments()
    }

    fn supports_filter_during_aggregation(&self) -> bool {
        LIKE.supports_filter_during_aggregation()
    }

    fn supports_group_by_expr(&self) -> bool {
        LIKE.supports_group_by_expr()
    }

    fn supports_array_typedef_with_brackets(&self) -> bool {
        LIKE.supports_array_typedef_with_brackets()
    }

    fn supports_bitwise_shift_operators(&self) -> bool {
        LIKE.supports_bitwise_shift_operators()
    }

    fn supports_notnull_operator(&self) -> bool {
        LIKE.supports_notnull_operator()
    }

    fn supports_interval_options(&self) -> bool {
        LIKE.supports_interval_options()
    }

    fn supports_comma_separated_trim(&self) -> bool {
        LIKE.supports_comma_separated_trim()
    }

    fn allow_extract_custom(&self) -> bool {
        LIKE.allow_extract_custom()
    }

    fn allow_extract_single_quotes(&self) -> bool {
        LIKE.allow_extract_single_quotes()
    }
}
