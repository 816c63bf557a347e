//! What may be computed from one row: a small language in which nothing can fail.
//!
//! **Guarantee.** A [`Scalar`] looks at one row and at nothing else, and has a value for every row: what other
//! languages make an error (x/0, a cast that does not fit, √−1, a number too large) is NULL here, and whole
//! numbers saturate. So no row, whatever is in it, can make a query fail or take another path, and a filter or
//! a projection written in this language keeps neighbours neighbours.
//! **Meaning.** Three-valued logic as in SQL. Numbers are finite: an operation whose result is not is NULL.
//! Text is compared byte by byte. Every function takes time and space bounded by its arguments' sizes.

use pointillist_catalog::Value;

/// The deepest expression that has a type and is evaluated; everything that walks one recurses this far.
pub const DEPTH_MAX: usize = 300;
/// The most parts of one expression.
pub const NODES_MAX: usize = 10_000;
/// The longest pattern of [`Scalar::Like`], in bytes.
pub const PATTERN_BYTES_MAX: usize = 10_000;

/// The types of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// True or false.
    Boolean,
    /// 64-bit whole numbers, saturating.
    Integer,
    /// Finite numbers.
    Number,
    /// Text.
    Text,
    /// Days.
    Date,
    /// Moments without a time zone, in microseconds.
    Timestamp,
}

impl Type {
    /// The type in a sentence, with its article.
    pub fn words(self) -> &'static str {
        match self {
            Self::Boolean => "a truth value",
            Self::Integer => "a whole number",
            Self::Number => "a number",
            Self::Text => "text",
            Self::Date => "a date",
            Self::Timestamp => "a timestamp",
        }
    }

    /// The type as SQL writes it.
    pub fn sql_name(self) -> &'static str {
        match self {
            Self::Boolean => "boolean",
            Self::Integer => "bigint",
            Self::Number => "double precision",
            Self::Text => "text",
            Self::Date => "date",
            Self::Timestamp => "timestamp",
        }
    }
}

/// An expression over the columns of one row.
#[derive(Clone, Debug, PartialEq)]
pub enum Scalar {
    /// The column at this position of the row.
    Column(usize),
    /// A constant.
    Constant(Value),
    /// NULL of a type.
    Null(Type),
    /// Logical negation.
    Not(Box<Scalar>),
    /// True if all are; NULL if none is false and one is NULL.
    All(Vec<Scalar>),
    /// True if one is; NULL if none is true and one is NULL.
    Any(Vec<Scalar>),
    /// A comparison of two values of one type.
    Compare(Comparison, Box<Scalar>, Box<Scalar>),
    /// Whether the value is NULL; never NULL itself.
    IsNull(Box<Scalar>),
    /// Arithmetic on two integers or two numbers.
    Arithmetic(Arithmetic, Box<Scalar>, Box<Scalar>),
    /// The value of the first branch whose condition is true, else the last value.
    Case(Vec<(Scalar, Scalar)>, Box<Scalar>),
    /// SQL's LIKE with a constant pattern.
    Like {
        /// The text.
        value: Box<Scalar>,
        /// The pattern: `%` is any text, `_` any one character.
        pattern: String,
        /// The character that makes the next one literal.
        escape: Option<char>,
        /// Whether upper and lower case are the same (ASCII only).
        ignore_case: bool,
    },
    /// The value in another type, NULL where it has none.
    Cast(Box<Scalar>, Type),
    /// A function of the list.
    Call(Function, Vec<Scalar>),
}

/// How two values may compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comparison {
    /// `=`
    Equal,
    /// `<>`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
    /// `IS NOT DISTINCT FROM`: NULL equals NULL, never NULL itself.
    NotDistinct,
}

/// Arithmetic: both operands integers (the result too, saturating) or both numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Arithmetic {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`: integers towards zero; by zero is NULL.
    Divide,
    /// `%`: the sign of the left operand; by zero is NULL.
    Remainder,
}

/// The functions. Arguments have been coerced to the types named here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Function {
    /// The distance from zero, of an integer or a number.
    Absolute,
    /// −1, 0 or 1 as an integer or a number.
    Sign,
    /// The next whole number below, a number.
    Floor,
    /// The next whole number above, a number.
    Ceiling,
    /// A number rounded half away from zero to constant decimal places (second argument, an integer constant).
    Round,
    /// √x of a number; NULL below zero.
    SquareRoot,
    /// eˣ of a number.
    Exponential,
    /// ln x of a number; NULL unless positive.
    NaturalLogarithm,
    /// log₁₀ x of a number; NULL unless positive.
    CommonLogarithm,
    /// x to the power y, numbers.
    Power,
    /// The least of the arguments that are not NULL (any type but Boolean).
    Least,
    /// The greatest of the arguments that are not NULL (any type but Boolean).
    Greatest,
    /// The first argument that is not NULL.
    Coalesce,
    /// The first argument, NULL where it equals the second.
    NullIf,
    /// ASCII lower case.
    Lower,
    /// ASCII upper case.
    Upper,
    /// Text without spaces at both ends.
    Trim,
    /// The number of characters of a text.
    Length,
    /// Text, start (from one), and perhaps how many characters; integers.
    Substring,
    /// Texts one after the other, NULL counting as empty; at most 10,000 bytes, the rest is cut.
    Concat,
    /// Whether a text begins with another.
    StartsWith,
    /// Where a text first has another in it, in characters from one; zero where it has not.
    Position,
    /// A part of a date or timestamp, as an integer.
    DatePart(DatePart),
    /// A date or timestamp cut down to the beginning of its unit, same type.
    DateTruncate(DatePart),
    /// Integer: 0 below the lower end, 1..=n inside, n + 1 from the upper end on. Arguments: a number, two
    /// number constants, an integer constant.
    WidthBucket,
    /// The seconds from 1970 to a date or timestamp, a number: the nearest one where there is a fraction.
    Epoch,
    /// A date or timestamp moved by days (an integer), same type; NULL when it leaves the calendar of years 1 to 9999.
    AddDays,
    /// A date or timestamp moved by months (an integer), the day cut to the month's last; NULL likewise.
    AddMonths,
    /// The days from the second date to the first.
    DaysBetween,
}

/// Parts of a date.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DatePart {
    /// The year.
    Year,
    /// 1 to 4.
    Quarter,
    /// 1 to 12.
    Month,
    /// The ISO week, 1 to 53; truncation goes back to Monday.
    Week,
    /// 1 to 31.
    Day,
    /// 0 (Sunday) to 6.
    DayOfWeek,
    /// 1 to 366.
    DayOfYear,
    /// 0 to 23.
    Hour,
    /// 0 to 59.
    Minute,
    /// 0 to 59.
    Second,
}
