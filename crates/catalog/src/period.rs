//! Periods of a table: calendar days, weeks, months, quarters or years, each with a budget of its own.
//!
//! **Theorem (renewal).** Let every private row of a scope lie in one period at most: that of the value in its table's
//! period column, none where the value is missing. Let every question about the scope name one period P, read nothing of
//! people but rows of P, and be paid from the budget of P. Then all answers about P together lose at most that budget for
//! a person, and all answers together at most the sum of the budgets of the periods in which they have rows.
//! **Proof.** The rows of P are a data set D_P of its own, and its answers are functions of D_P, of noise, and of earlier
//! answers of any period, by which an analyst chooses the next question. The ledger keeps one filter for each period, for
//! prices chosen as one goes (`privacy/src/filter`), so what is released about P stays within its budget whatever the
//! other periods said. Take a person's rows out of everything: D_P changes for the periods in which they have rows, and
//! for no other, so answers about the others have the same law as before, given the same past. The losses of the others,
//! in whatever order they come, never add up to more than n times the budget of one period for a person with rows in n
//! periods: one filter of that size over all of them would have let every one pass, and bounds what they lose together.
//! **Not promised.** That budgets renew for people. New rows have a new budget, and whoever comes back in every period is
//! promised n times it; [`Catalog::period_words`] says what that is. A row that moves to another period is another row.
//! **Therefore** a scope has periods in all of its tables or in none, of one length, and no graph (`read/period.rs`);
//! and no question reads people's rows of a scope with periods without naming one (`query/src/period.rs`).

use std::collections::BTreeSet;
use std::fmt;

use pointillist_numbers::{Rational, decimal_upper};
use pointillist_privacy::conversion::zcdp_epsilon_upper;
use pointillist_privacy::{Delta, Rho};
use serde::{Serialize, Serializer};

use crate::calendar::{self, Civil, DAY, DAYS};
use crate::report::{DIGITS, budget_words};
use crate::{Catalog, ColumnType, DeclaredBudget, Protection, Scope, Table};

/// The most periods of a scope: each is a budget that the ledger keeps.
pub const PERIODS_MAX: usize = 1_000;
/// What stands between a scope and a period in the ledger's name for the budget; no declared scope has it in its name.
const SIGN: char = '@';

/// How a table's rows are cut into periods.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Periods {
    /// The declared column, of days or moments between bounds.
    pub column: String,
    /// How long a period is.
    pub every: Every,
}

/// How long a period is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Every {
    /// `2026-01-31`.
    Day,
    /// `2026-W05`, from Monday to Sunday, of the year that its Thursday is in.
    Week,
    /// `2026-01`.
    Month,
    /// `2026-Q1`.
    Quarter,
    /// `2026`.
    Year,
}

impl Every {
    /// All of them, shortest first.
    pub const ALL: [Self; 5] = [Self::Day, Self::Week, Self::Month, Self::Quarter, Self::Year];

    /// The catalog's word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Week => "week",
            Self::Month => "month",
            Self::Quarter => "quarter",
            Self::Year => "year",
        }
    }
}

impl Serialize for Every {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.word())
    }
}

/// One period: its days.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Period {
    first: i32,
    last: i32,
    every: Every,
}

impl Period {
    /// The period that a day of the calendar is in.
    pub fn of(every: Every, day: i32) -> Option<Self> {
        let Civil { year, month, .. } = calendar::civil(day)?;
        let months = |year, month, length: i64| {
            let first = calendar::days(Civil { year, month, day: 1 })?;
            Some((first, calendar::add_months(first, length).map_or(DAYS.1, |next| next - 1)))
        };
        let (first, last) = match every {
            Every::Day => (day, day),
            Every::Week => {
                let monday = day - calendar::since_monday(day);
                (monday, (monday + 6).min(DAYS.1))
            }
            Every::Month => months(year, month, 1)?,
            Every::Quarter => months(year, (month - 1) / 3 * 3 + 1, 3)?,
            Every::Year => months(year, 1, 12)?,
        };
        Some(Self { first, last, every })
    }

    /// The first and the last day, inclusive, in days since 1970-01-01.
    pub fn days(&self) -> (i32, i32) {
        (self.first, self.last)
    }

    /// The first and the last microsecond, inclusive.
    pub fn moments(&self) -> (i64, i64) {
        (calendar::moment(self.first, 0), calendar::moment(self.last, DAY - 1))
    }

    /// The ledger's name for the budget of this period of a scope.
    pub fn scope(&self, scope: &str) -> String {
        format!("{scope}{SIGN}{self}")
    }

    fn next(&self) -> Option<Self> {
        Self::of(self.every, self.last.checked_add(1)?)
    }
}

impl fmt::Display for Period {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(Civil { year, month, .. }) = calendar::civil(self.first) else { return Ok(()) };
        match self.every {
            Every::Day => out.write_str(&calendar::date_text(self.first)),
            Every::Week => {
                // Every week of the calendar has its Thursday there: the last day is a Friday.
                let thursday = calendar::civil(self.first + 3).map_or(year, |thursday| thursday.year);
                write!(out, "{thursday:04}-W{:02}", calendar::iso_week(self.first).unwrap_or_default())
            }
            Every::Month => write!(out, "{year:04}-{month:02}"),
            Every::Quarter => write!(out, "{year:04}-Q{}", (month - 1) / 3 + 1),
            Every::Year => write!(out, "{year:04}"),
        }
    }
}

impl Serialize for Period {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A scope's name without the period behind it: the scope that the catalog declares.
pub fn declared_scope(scope: &str) -> &str {
    scope.split_once(SIGN).map_or(scope, |(declared, _)| declared)
}

impl Table {
    /// The periods that the bounds of the period column touch, in order; `None` for a table without periods.
    pub fn period_list(&self) -> Option<Vec<Period>> {
        let (every, (first, last)) = self.period_days()?;
        let mut list: Vec<Period> = Vec::new();
        let mut next = Period::of(every, first);
        while let Some(period) = next.filter(|period| period.first <= last && list.len() <= PERIODS_MAX) {
            list.push(period);
            next = period.next();
        }
        Some(list)
    }

    /// How long periods are, and the first and the last day of the column.
    pub(crate) fn period_days(&self) -> Option<(Every, (i32, i32))> {
        let Periods { column, every } = self.periods.as_ref()?;
        let bounds = match &self.column(column)?.kind {
            ColumnType::Date { bounds } => (*bounds)?,
            ColumnType::Timestamp { bounds } => {
                let (first, last) = (*bounds)?;
                (calendar::split(first)?.0, calendar::split(last)?.0)
            }
            _ => return None,
        };
        Some((*every, bounds))
    }
}

impl Catalog {
    /// The scope that pays for a scope's name of the ledger, be it that of a period.
    pub fn paying_scope(&self, scope: &str) -> Option<&Scope> {
        self.scopes.get(declared_scope(scope))
    }

    /// Every period of a scope, in order; none where it has no tables with periods.
    pub fn periods(&self, scope: &str) -> Vec<Period> {
        let is_paid_by = |table: &&Table| match &table.protection {
            Protection::Private { scope: payer, .. } => payer == scope,
            Protection::Public => false,
        };
        let tables = self.tables.values().filter(is_paid_by);
        let periods: BTreeSet<Period> = tables.filter_map(Table::period_list).flatten().collect();
        periods.into_iter().collect()
    }

    /// The ledger's names for the budgets of a scope: its own, or one for each of its periods.
    pub fn budget_names(&self, scope: &str) -> Vec<String> {
        match self.periods(scope).as_slice() {
            [] => vec![scope.to_owned()],
            periods => periods.iter().map(|period| period.scope(scope)).collect(),
        }
    }

    /// What the periods of a scope promise to people; `None` where it has none.
    pub fn period_promise(&self, scope: &str) -> Option<PeriodPromise> {
        let periods = self.periods(scope);
        Some(PeriodPromise::new(
            &self.scopes.get(scope)?.budget,
            *periods.first()?,
            *periods.last()?,
            periods.len(),
        ))
    }

    /// The same in a sentence or two.
    pub fn period_words(&self, scope: &str) -> Option<String> {
        Some(self.period_promise(scope)?.words(self.scopes.get(scope)?))
    }
}

/// What a scope with periods promises to somebody who has rows in all of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PeriodPromise {
    /// How long a period is.
    pub every: Every,
    /// The first period.
    pub first: Period,
    /// The last one.
    pub last: Period,
    /// How many there are.
    pub count: usize,
    /// ρ of all of them together, or ε in a pure scope, exactly.
    pub loss: Rational,
    /// As ε at δ, rounded up; `None` where it is past any that promises something.
    pub epsilon_upper: Option<Rational>,
    /// δ of all of them together, exactly.
    pub delta: Rational,
}

impl PeriodPromise {
    fn new(budget: &DeclaredBudget, first: Period, last: Period, count: usize) -> Self {
        let times = Rational::from(count as u64);
        let (loss, epsilon_upper, delta) = match budget {
            DeclaredBudget::Pure { epsilon } => {
                let epsilon = epsilon.value() * &times;
                (epsilon.clone(), Some(epsilon), Rational::zero())
            }
            DeclaredBudget::Zcdp { rho, delta, conversion_delta } => {
                let all = rho.value() * &times;
                let delta = (delta.value() + conversion_delta.value()) * times.clone();
                let at = Delta::new(conversion_delta.value() * &times).ok();
                let both = Rho::new(all.clone()).ok().zip(at.filter(|_| delta < Rational::one()));
                let epsilon = both.and_then(|(rho, delta)| zcdp_epsilon_upper(&rho, &delta).ok());
                (all, epsilon.map(|found| found.epsilon.value().clone()), delta)
            }
        };
        Self { every: first.every, first, last, count, loss, epsilon_upper, delta }
    }

    fn words(&self, scope: &Scope) -> String {
        let Self { every, first, last, count, loss, epsilon_upper, delta } = self;
        let (word, each) = (every.word(), budget_words(scope));
        let own = format!("each {word} has its own budget, from {first} to {last}: {each}");
        if *count == 1 {
            return own;
        }
        let upper = |value: &Rational| decimal_upper(value, DIGITS);
        let all = match (&scope.budget, epsilon_upper) {
            (DeclaredBudget::Pure { .. }, _) => format!("ε = {}", upper(loss)),
            (_, Some(epsilon)) => {
                format!("ρ = {} (ε = {} at δ = {})", upper(loss), upper(epsilon), upper(delta))
            }
            (_, None) => format!("ρ = {} and δ = {}", upper(loss), upper(delta)),
        };
        format!(
            "{own}; the same people come back: somebody who has rows in all {count} {word}s is promised no more than \
             {count} times that, {all}"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Specification: every day is in one period, between its ends, and periods follow one another without a gap.
    #[test]
    fn every_day_of_the_calendar_is_in_one_period() {
        for every in Every::ALL {
            let mut day = DAYS.0;
            let mut names = BTreeSet::new();
            while day <= DAYS.1 {
                let period = Period::of(every, day).expect("a day of the calendar");
                let (first, last) = period.days();
                assert_eq!(first, day, "{period} begins where the one before ended");
                for inside in [first, (first + last) / 2, last] {
                    assert_eq!(Period::of(every, inside), Some(period));
                }
                // Days are three million names: the others are all different.
                assert!(every == Every::Day || names.insert(period.to_string()), "{period} is named twice");
                day = last + 1;
            }
        }
        assert_eq!(Period::of(Every::Month, DAYS.1 + 1), None);
    }

    #[test]
    fn periods_are_named_as_people_name_them() {
        let day = |text: &str| calendar::parse_date(text).unwrap();
        for (every, on, name) in [
            (Every::Day, "2026-01-31", "2026-01-31"),
            (Every::Week, "2026-01-01", "2026-W01"),
            (Every::Week, "2027-01-01", "2026-W53"),
            (Every::Week, "2024-12-30", "2025-W01"),
            (Every::Month, "2026-01-31", "2026-01"),
            (Every::Quarter, "2026-04-01", "2026-Q2"),
            (Every::Quarter, "2026-03-31", "2026-Q1"),
            (Every::Year, "0987-03-31", "0987"),
        ] {
            assert_eq!(Period::of(every, day(on)).unwrap().to_string(), name);
        }
        let february = Period::of(Every::Month, day("2024-02-10")).unwrap();
        assert_eq!(february.days(), (day("2024-02-01"), day("2024-02-29")));
        assert_eq!(february.moments().1 + 1, i64::from(day("2024-03-01")) * DAY);
        assert_eq!(february.scope("people"), "people@2024-02");
        assert_eq!((declared_scope("people@2024-02"), declared_scope("people")), ("people", "people"));
    }
}
