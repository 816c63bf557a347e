//! Windows below the outermost SELECT.
//!
//! **Theorem.** With the untouched unit in PARTITION BY a partition is inside one person, and so are its frames, ranks and
//! neighbours: the owner is implied ([`Relation::Window`]). Without it one person's row would move the numbers beside
//! everybody else's.
//! **Facts.** Values of other rows keep their range; numbers of rows reach as many as a person is declared to have.

use pointillist_catalog::{Column, ColumnType};
use pointillist_numbers::Rational;
use pointillist_plan::{
    ExactFunction, Frame, FrameEnd, Order, Relation, Scalar, Type, Window, WindowFunction,
};
use sqlparser::ast::{
    Expr, Function as Call, FunctionArguments, NamedWindowDefinition, NamedWindowExpr, WindowFrameBound,
    WindowFrameUnits, WindowSpec, WindowType,
};

use crate::answer::criterion;
use crate::coercion::{Typed, unify};
use crate::conjuncts::{arguments, inside};
use crate::exact::name_of;
use crate::expression::Lowering;
use crate::facts;
use crate::from::Tables;
use crate::functions::constant_count;
use crate::names;
use crate::plain::Plain;
use crate::refusal::{Refusal, shown};
use crate::size;
use crate::source::{Role, Source};
use crate::subquery::{Known, Place, WINDOWS, item_of};

/// Windows that refer to each other by name, at most.
const NAMES_MAX: usize = 16;

/// What a window is computed over: its partition, order and frame.
struct Over<'q> {
    partition: &'q [Expr],
    order: &'q [sqlparser::ast::OrderByExpr],
    frame: Option<&'q sqlparser::ast::WindowFrame>,
}

/// Whether an expression is a window.
pub(crate) fn is_window(expr: &Expr) -> bool {
    matches!(expr, Expr::Function(call) if call.over.is_some())
}

impl Tables<'_, '_> {
    /// Adds the windows of a SELECT to its rows or groups; `base` are its rows, with their names.
    pub(crate) fn windows<'q>(
        &self,
        source: &mut Source,
        base: &Source,
        select: &Plain<'q>,
        place: &Place,
        known: &Known<'q>,
    ) -> Result<Known<'q>, Refusal> {
        let items = select.projection.iter().filter_map(|item| item_of(item).map(|(expr, _)| expr));
        let calls: Vec<&'q Expr> =
            items.chain(select.qualify).flat_map(|expr| inside(expr, is_window)).collect();
        if calls.is_empty() {
            return Ok(Vec::new());
        }
        let lowering = Lowering { known, ..Lowering::rows(&base.visible, self.nodes) };
        let (mut windows, mut columns): (Vec<Window>, Vec<(Column, Role)>) = (Vec::new(), Vec::new());
        let mut found: Known<'q> = Vec::new();
        for expr in calls {
            let Expr::Function(call) = expr else { continue };
            let over = over(call, select.windows)?;
            let (window, numbers_rows) = self.window(call, &over, base, source, place, &lowering)?;
            let types: Vec<Type> = source.columns.iter().map(facts::kind).collect();
            let kind = window.kind(&types).ok_or_else(|| {
                Refusal::mismatch("a window does not take values of this type", "cast them to a number")
            })?;
            let number = windows.iter().position(|other| *other == window).unwrap_or_else(|| {
                let name = crate::answer::column_name(expr);
                let rows = source.rows_of_a_person(self.max_contributions);
                let table = window.expressions().iter().find_map(|scalar| source.role(scalar).table);
                let role = Role { table, row_number: numbers_rows, ..Role::default() };
                columns.push((fact(&window, &source.columns, rows, &name), role));
                windows.push(window);
                windows.len() - 1
            });
            found.push((expr, Typed::new(Scalar::Column(WINDOWS + number), kind)));
        }
        self.nodes.take(windows.len() + 1)?;
        source.relation = Relation::Window { input: Box::new(source.filtered()), windows };
        size::check_relation(&source.relation)?;
        source.filter = None;
        for (column, role) in columns {
            source.columns.push(column);
            source.roles.push(role);
        }
        Ok(found)
    }

    /// One window, and whether it numbers all rows of a person.
    fn window(
        &self,
        call: &Call,
        over: &Over<'_>,
        base: &Source,
        source: &Source,
        place: &Place,
        lowering: &Lowering<'_>,
    ) -> Result<(Window, bool), Refusal> {
        let name = name_of(call).unwrap_or_default();
        let (mut partition, mut has_unit) = (Vec::new(), false);
        for expr in over.partition {
            if source.people().is_some() && base.names_the_unit(expr) {
                has_unit = true;
                continue;
            }
            let scalar = place.of(&lowering.expression(expr)?.scalar)?;
            if !partition.contains(&scalar) {
                partition.push(scalar);
            }
        }
        if let Some(people) = source.people() {
            let unit = people.unit.as_deref();
            match unit {
                Some(_) if has_unit => {}
                Some(unit) => {
                    return Err(Refusal::not_provable(
                        format!("{}() OVER lets one person's row see others'", shown(&name)),
                        format!(
                            "write OVER (PARTITION BY {} …), with the privacy unit as it is",
                            shown(unit)
                        ),
                    ));
                }
                None => self.of_one_person(source, false, "a window", "PARTITION BY")?,
            }
        }
        let mut order = Vec::new();
        for one in over.order {
            if one.with_fill.is_some() {
                return Err(Refusal::not_provable("WITH FILL is not answered", "leave it out"));
            }
            if base.names_the_unit(&one.expr) && source.people().is_some() {
                continue;
            }
            let typed = lowering.expression(&one.expr)?;
            let kind = typed.known();
            order.push(criterion(place.of(&typed.into_type(kind, "ORDER BY")?)?, kind, &one.options));
        }
        let function = self.window_function(&name, call, place, lowering)?;
        let framed = matches!(
            function,
            WindowFunction::Aggregate(_)
                | WindowFunction::First(_)
                | WindowFunction::Last(_)
                | WindowFunction::Nth(..)
        );
        let frame = match over.frame {
            Some(frame) if framed => read_frame(frame)?,
            _ => default_frame(&order, framed),
        };
        let is_whole = frame.start == FrameEnd::First && frame.end == FrameEnd::Last;
        if let WindowFunction::Aggregate(aggregate) = &function
            && matches!(aggregate.function, ExactFunction::Mode | ExactFunction::Variance { .. })
            && !is_whole
        {
            // They would be computed anew for every row: n² steps for n rows, after the debit.
            return Err(Refusal::not_provable(
                format!("{}() over a part of the rows of a window is not answered", shown(&name)),
                "leave ORDER BY and the frame out of OVER (…), or use AVG, SUM, MIN, MAX or COUNT",
            ));
        }
        let numbers_rows =
            function == WindowFunction::RowNumber && partition.is_empty() && source.people().is_some();
        Ok((Window { function, partition, order, frame }, numbers_rows))
    }

    fn window_function(
        &self,
        name: &str,
        call: &Call,
        place: &Place,
        lowering: &Lowering<'_>,
    ) -> Result<WindowFunction, Refusal> {
        if crate::exact::is_exact_name(name) {
            if matches!(&call.args, FunctionArguments::List(list) if list.duplicate_treatment.is_some()) {
                return Err(clauses(name));
            }
            let (mut aggregate, _) = self.exact_call(call, lowering)?;
            aggregate.value = place.of(&aggregate.value)?;
            aggregate.counted = aggregate.counted.as_ref().map(|counted| place.of(counted)).transpose()?;
            return Ok(WindowFunction::Aggregate(aggregate));
        }
        if call.filter.is_some() || call.null_treatment.is_some() || !call.within_group.is_empty() {
            return Err(clauses(name));
        }
        let given = arguments(call);
        let value = |position: usize| -> Result<Typed, Refusal> {
            let typed = lowering.expression(given.get(position).ok_or_else(|| arity(name))?)?;
            Ok(Typed { scalar: place.of(&typed.scalar)?, kind: typed.kind })
        };
        let settled = |typed: Typed| {
            let kind = typed.known();
            typed.into_type(kind, name)
        };
        let count = |position: usize| {
            given.get(position).map_or(Ok(1), |expr| constant_count(expr, &name.to_uppercase()))
        };
        let wrong = match name {
            "row_number" | "rank" | "dense_rank" | "percent_rank" | "cume_dist" => !given.is_empty(),
            "ntile" | "first_value" | "last_value" => given.len() != 1,
            "lag" | "lead" => !(1..=3).contains(&given.len()),
            "nth_value" => given.len() != 2,
            _ => {
                return Err(Refusal::not_provable(
                    format!("{}() OVER is not answered", shown(name)),
                    "use row_number, rank, dense_rank, percent_rank, cume_dist, ntile, lag, lead, first_value, \
                     last_value, nth_value or an aggregate",
                ));
            }
        };
        if wrong {
            return Err(arity(name));
        }
        Ok(match name {
            "row_number" => WindowFunction::RowNumber,
            "rank" => WindowFunction::Rank,
            "dense_rank" => WindowFunction::DenseRank,
            "percent_rank" => WindowFunction::PercentRank,
            "cume_dist" => WindowFunction::CumulativeDistribution,
            "ntile" => WindowFunction::Tiles(positive(count(0)?, name)?),
            "first_value" => WindowFunction::First(settled(value(0)?)?),
            "last_value" => WindowFunction::Last(settled(value(0)?)?),
            "nth_value" => WindowFunction::Nth(settled(value(0)?)?, positive(count(1)?, name)?),
            _ => {
                let distance = i64::try_from(count(1)?).unwrap_or(i64::MAX);
                let back = if name == "lag" { distance } else { -distance };
                match given.len() {
                    3 => {
                        let (mut both, _) = unify(vec![value(0)?, value(2)?], name)?;
                        let otherwise = both.pop();
                        let value = both.pop().ok_or_else(|| arity(name))?;
                        WindowFunction::Shifted { value, back, otherwise }
                    }
                    _ => WindowFunction::Shifted { value: settled(value(0)?)?, back, otherwise: None },
                }
            }
        })
    }
}

/// What a window is over, with the names of WINDOW in place.
fn over<'q>(call: &'q Call, named: &'q [NamedWindowDefinition]) -> Result<Over<'q>, Refusal> {
    let mut over = Over { partition: &[], order: &[], frame: None };
    let mut next = match &call.over {
        Some(WindowType::WindowSpec(spec)) => Some(spec),
        Some(WindowType::NamedWindow(ident)) => Some(find(&names::folded(ident), named)?),
        None => None,
    };
    for _ in 0..NAMES_MAX {
        let Some(WindowSpec { window_name, partition_by, order_by, window_frame }) = next else {
            return Ok(over);
        };
        if over.partition.is_empty() {
            over.partition = partition_by;
        }
        if over.order.is_empty() {
            over.order = order_by;
        }
        over.frame = over.frame.or(window_frame.as_ref());
        next = window_name.as_ref().map(|ident| find(&names::folded(ident), named)).transpose()?;
    }
    Err(Refusal::syntax("windows refer to each other too often", "write each of them out"))
}

fn find<'q>(name: &str, named: &'q [NamedWindowDefinition]) -> Result<&'q WindowSpec, Refusal> {
    let mut wanted = name.to_owned();
    for _ in 0..NAMES_MAX {
        match named.iter().find(|NamedWindowDefinition(ident, _)| names::folded(ident) == wanted) {
            Some(NamedWindowDefinition(_, NamedWindowExpr::WindowSpec(spec))) => return Ok(spec),
            Some(NamedWindowDefinition(_, NamedWindowExpr::NamedWindow(other))) => {
                wanted = names::folded(other)
            }
            None => break,
        }
    }
    Err(Refusal::column(
        format!("there is no window `{}`", shown(name)),
        "write OVER (PARTITION BY …), or name it in a WINDOW clause",
    ))
}

/// SQL's frame where none is written: up to the row and its peers, if there is an order.
fn default_frame(order: &[Order], framed: bool) -> Frame {
    let end = if order.is_empty() || !framed { FrameEnd::Last } else { FrameEnd::Current };
    Frame { by_rows: false, start: FrameEnd::First, end }
}

fn read_frame(frame: &sqlparser::ast::WindowFrame) -> Result<Frame, Refusal> {
    let by_rows = match frame.units {
        WindowFrameUnits::Rows => true,
        WindowFrameUnits::Range => false,
        WindowFrameUnits::Groups => {
            return Err(Refusal::not_provable("a frame of GROUPS is not answered", "use ROWS"));
        }
    };
    let end = |bound: &WindowFrameBound| -> Result<FrameEnd, Refusal> {
        let distance = |expr: &Expr| match by_rows {
            true => constant_count(expr, "a frame"),
            false => {
                Err(Refusal::not_provable("a frame of RANGE with a distance is not answered", "use ROWS"))
            }
        };
        Ok(match bound {
            WindowFrameBound::CurrentRow => FrameEnd::Current,
            WindowFrameBound::Preceding(None) => FrameEnd::First,
            WindowFrameBound::Following(None) => FrameEnd::Last,
            WindowFrameBound::Preceding(Some(expr)) => FrameEnd::Before(distance(expr)?),
            WindowFrameBound::Following(Some(expr)) => FrameEnd::After(distance(expr)?),
        })
    };
    let start = end(&frame.start_bound)?;
    let last = frame.end_bound.as_ref().map_or(Ok(FrameEnd::Current), end)?;
    if start == FrameEnd::Last || last == FrameEnd::First {
        return Err(Refusal::syntax(
            "a frame begins at UNBOUNDED FOLLOWING or ends at UNBOUNDED PRECEDING",
            "write ROWS BETWEEN 2 PRECEDING AND CURRENT ROW, for example",
        ));
    }
    Ok(Frame { by_rows, start, end: last })
}

/// How many rows a frame has at most.
fn rows_of(frame: &Frame) -> Option<u64> {
    let before = match frame.start {
        FrameEnd::Before(rows) => rows,
        FrameEnd::Current | FrameEnd::After(_) => 0,
        FrameEnd::First | FrameEnd::Last => return None,
    };
    let after = match frame.end {
        FrameEnd::After(rows) => rows,
        FrameEnd::Current | FrameEnd::Before(_) => 0,
        FrameEnd::First | FrameEnd::Last => return None,
    };
    frame.by_rows.then(|| before.saturating_add(after).saturating_add(1))
}

/// What is known of the column of a window.
fn fact(window: &Window, columns: &[Column], rows_max: Option<u64>, name: &str) -> Column {
    let column =
        |kind, nullable| Column { name: name.to_owned(), stored_as: None, kind, public_keys: None, nullable };
    let share = ColumnType::Number { bounds: Some((Rational::zero(), Rational::one())), step: None };
    match &window.function {
        WindowFunction::RowNumber | WindowFunction::Rank | WindowFunction::DenseRank => {
            column(facts::counted(1, rows_max), false)
        }
        WindowFunction::Tiles(tiles) => column(facts::counted(1, Some(*tiles)), false),
        WindowFunction::PercentRank | WindowFunction::CumulativeDistribution => column(share, false),
        WindowFunction::Shifted { value, otherwise, .. } => {
            let mut known = facts::of(value, columns, name);
            if let Some(otherwise) = otherwise {
                known = facts::union(&known, &facts::of(otherwise, columns, name));
            }
            Column { nullable: otherwise.is_none() || known.nullable, ..known }
        }
        WindowFunction::First(value) | WindowFunction::Last(value) | WindowFunction::Nth(value, _) => {
            Column { nullable: true, ..facts::of(value, columns, name) }
        }
        WindowFunction::Aggregate(aggregate) => {
            let most = rows_of(&window.frame).into_iter().chain(rows_max).min();
            facts::of_frame(aggregate, columns, most, name)
        }
    }
}

fn positive(count: u64, name: &str) -> Result<u64, Refusal> {
    match count {
        0 => Err(Refusal::parameter(
            format!("{}() counts from one", shown(name)),
            "write a whole number from 1 on",
        )),
        count => Ok(count),
    }
}

fn arity(name: &str) -> Refusal {
    Refusal::mismatch(
        format!("{}() OVER got the wrong number of arguments", shown(name)),
        "see PostgreSQL's manual for its arguments",
    )
}

fn clauses(name: &str) -> Refusal {
    Refusal::not_provable(
        format!("{}() OVER with this clause is not answered", shown(name)),
        "write plain arguments in brackets",
    )
}
