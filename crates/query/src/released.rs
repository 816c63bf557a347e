//! Statements that compute something from released numbers.
//!
//! **Guarantee.** A SELECT that puts people's rows together is a release: a [`PrivatePlan`] with its own bounds, noise and
//! share of the price (`select.rs`). Its groups are then rows that are nobody's, and whatever is done with those is
//! post-processing: joins, groups, windows, set operations, order. What comes out has released and public leaves only,
//! which [`StatementPlan::new`] checks; released rows never meet people's.
//! **The price** is split evenly over the releases of the statement, each counted once.

use std::cell::RefCell;

use pointillist_catalog::{Catalog, Column};
use pointillist_errors::{Explained, Kind};
use pointillist_plan::{
    DeclaredRows, Formula, Join, JoinKind, Order, Outer, OuterColumn, PrivatePlan, Relation, Scalar,
    StatementPlan, canonical_release, visit,
};
use sqlparser::ast::{Expr, OrderBy, OrderByExpr, OrderByKind, Query, SelectItem};

use crate::aggregate::AGGREGATES;
use crate::answer;
use crate::bounds::Range;
use crate::coercion::Typed;
use crate::conjuncts::{check_copyable, inside};
use crate::exact::is_exact_call;
use crate::expression::Lowering;
use crate::facts;
use crate::from::Tables;
use crate::grouping_sets;
use crate::merge::merged;
use crate::names::{self, Meaning, Visible};
use crate::options::Options;
use crate::person_group::{Groups, key};
use crate::plain::{Named, Plain};
use crate::prune;
use crate::refusal::Refusal;
use crate::select::{self, Question};
use crate::size::{self, Nodes};
use crate::source::{IsUnit, Role, Source, Whose};
use crate::subquery::{Known, item_of};
use crate::top_keys;
use crate::without_from;

/// The releases of a statement, as they are found.
pub(crate) struct Releases<'o> {
    options: &'o Options,
    /// How many even shares the price has.
    shares: usize,
    plans: RefCell<Vec<PrivatePlan>>,
    purpose: Purpose,
}

/// What for releases are looked for.
enum Purpose {
    /// To be bought.
    Buy,
    /// To be told apart from keys that are declared: those are put down, and whatever would be released is refused.
    List(RefCell<Vec<DeclaredRows>>),
    /// To know the columns of an answer that has no rows.
    Probe,
}

/// The plan of a statement about rows.
pub(crate) fn statement(
    catalog: &Catalog,
    query: &Query,
    options: &Options,
) -> Result<StatementPlan, Refusal> {
    let written = written_out(query)?;
    let query = written.as_ref().unwrap_or(query);
    as_written(catalog, query, options).or_else(|refusal| {
        // Only what would be refused is asked in other words: what is answered keeps its plan, its bytes and its price.
        let Some(rewritten) = on_a_deep_stack(|| Ok(top_keys::with_released_keys(query))).ok().flatten()
        else {
            return Err(refusal);
        };
        as_written(catalog, &rewritten, options).map_err(|_| refusal)
    })
}

fn as_written(catalog: &Catalog, query: &Query, options: &Options) -> Result<StatementPlan, Refusal> {
    let refusal = match select::plan(catalog, query, options) {
        Ok(plan) => return Ok(StatementPlan::of(plan)),
        Err(refusal) => refusal,
    };
    let whole = computed(catalog, query, options, 1, refusal)?;
    match whole.releases().len() {
        0 | 1 => Ok(whole),
        several => {
            let mut split = computed(catalog, query, options, several, select::mixed())?;
            let words = match options.error {
                Some(_) => format!("the error holds for each of the {several} releases"),
                None => format!("the price is split evenly over {several} releases"),
            };
            split.notes.push(words);
            Ok(split)
        }
    }
}

/// What a release takes of the size of a statement: names of names of releases would double at each level.
const PART_NODES: usize = 100;

/// Room for a copy of the longest chain of operators that a statement can hold: a statement has at most 20,000 tokens.
const STACK_BYTES: usize = 256 << 20;

/// The statement in the words of others, where it has grouping sets, or subqueries and no FROM.
pub(crate) fn written_out(query: &Query) -> Result<Option<Query>, Refusal> {
    if !grouping_sets::is_there(query) && !without_from::is_there(query) {
        return Ok(None);
    }
    on_a_deep_stack(|| {
        let sets = grouping_sets::written_out(query)?;
        Ok(without_from::with_from(sets.as_ref().unwrap_or(query)).or(sets))
    })
}

/// A query in other words, with room for a copy of it.
fn on_a_deep_stack(
    rewritten: impl FnOnce() -> Result<Option<Query>, Refusal> + Send,
) -> Result<Option<Query>, Refusal> {
    // Copies are as deep as the statement; what is planned afterwards is walked in loops, like every other.
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, rewritten);
        thread
            .map(|thread| thread.join().unwrap_or_else(|_| Err(size::too_deep())))
            .unwrap_or_else(|_| Err(size::too_deep()))
    })
}

/// The same, with this share of the price for every release. Where nothing is released, the refusal stands.
fn computed(
    catalog: &Catalog,
    query: &Query,
    options: &Options,
    shares: usize,
    refusal: Refusal,
) -> Result<StatementPlan, Refusal> {
    let (nodes, releases) = (Nodes::new(), Releases::new(options, shares));
    let max_contributions = options.max_contributions;
    let period = options.period.as_deref();
    let tables =
        Tables { catalog, nodes: &nodes, max_contributions, period, releases: Some(&releases), public: None };
    let rows = tables.rows(query, &Named::new(), 0);
    let plans = releases.plans.take();
    let source = match rows {
        Ok(source) if source.people().is_none() && !source.relation.parts().is_empty() => source,
        // What would show single rows is refused for that.
        Err(later) if !plans.is_empty() && refusal.kind() != Kind::Privacy => return Err(later),
        _ => return Err(refusal),
    };
    let Some(Outer { relation, columns }) = outer(catalog, &source)? else { return Err(refusal) };
    // What was tried and not used is not released.
    let used = relation.parts();
    let number = |part: usize| used.iter().position(|used| *used == part).unwrap_or_default();
    let relation = relation.renumbered(&number);
    let parts: Vec<PrivatePlan> = used.iter().map(|part| plans[*part].clone()).collect();
    let outer = Outer { relation, columns };
    if let [only] = parts.as_slice()
        && let Some(plan) = merged(only, &outer)
    {
        return Ok(StatementPlan::of(plan));
    }
    StatementPlan::new(parts, Some(outer)).map_err(|_| {
        Refusal::not_provable(
            "the releases of this statement cannot be added up: they are about several populations",
            "ask one statement for each population",
        )
    })
}

/// The rows of a source that are nobody's, as they are shown; `None` where a name stands for no value.
pub(crate) fn outer(catalog: &Catalog, source: &Source) -> Result<Option<Outer>, Refusal> {
    let mut columns = Vec::new();
    let mut shown_values = Vec::new();
    for visible in &source.visible {
        let Meaning::Value(typed) = &visible.meaning else { return Ok(None) };
        columns.push(OuterColumn { name: visible.name.clone(), kind: typed.known() });
        shown_values.push(typed.clone().into_type(typed.known(), "SELECT")?);
    }
    let all: Vec<usize> = shown_values.iter().chain(&source.filter).flat_map(visit::columns).collect();
    let pruned = prune::pruned(&source.relation, &all, catalog);
    let relation = Relation::Map {
        input: Box::new(pruned.relation),
        filter: source.filter.as_ref().map(|filter| prune::moved(filter, &pruned.kept)),
        columns: shown_values.iter().map(|value| prune::moved(value, &pruned.kept)).collect(),
    };
    size::check_relation(&relation)?;
    Ok(Some(Outer { relation, columns }))
}

impl<'o> Releases<'o> {
    /// None yet, at so many even shares of the price.
    pub(crate) fn new(options: &'o Options, shares: usize) -> Self {
        Self { options, shares, plans: RefCell::new(Vec::new()), purpose: Purpose::Buy }
    }

    /// For a statement that may show declared keys alone.
    pub(crate) fn listing(options: &'o Options) -> Self {
        Self { purpose: Purpose::List(RefCell::default()), ..Self::new(options, 1) }
    }

    /// For a statement that shows no row.
    pub(crate) fn probing(options: &'o Options) -> Self {
        Self { purpose: Purpose::Probe, ..Self::new(options, 1) }
    }

    /// The rows that were found to be declared; `None` where that was not looked for.
    pub(crate) fn into_lists(self) -> Option<Vec<DeclaredRows>> {
        match self.purpose {
            Purpose::List(lists) => Some(lists.into_inner()),
            Purpose::Buy | Purpose::Probe => None,
        }
    }

    /// Whether no row of the statement is ever shown.
    pub(crate) fn is_probe(&self) -> bool {
        matches!(self.purpose, Purpose::Probe)
    }
}

impl Releases<'_> {
    /// The number of a part; one that was found before keeps its number.
    fn part(&self, plan: PrivatePlan) -> usize {
        let mut plans = self.plans.borrow_mut();
        let bytes = (canonical_release(&plan), pointillist_plan::canonical(&plan));
        let same = |known: &PrivatePlan| {
            canonical_release(known) == bytes.0 && pointillist_plan::canonical(known) == bytes.1
        };
        plans.iter().position(same).unwrap_or_else(|| {
            plans.push(plan);
            plans.len() - 1
        })
    }
}

impl Tables<'_, '_> {
    /// Whether the groups of a SELECT would mix people, and are released for that.
    pub(crate) fn releases_groups(&self, source: &Source, select: &Plain<'_>) -> bool {
        let has_unit = || {
            let keys =
                select.group_by.iter().filter_map(|expr| key(expr, select.projection, &source.visible).ok());
            keys.into_iter().any(|key| source.names_the_unit(key))
        };
        self.releases.is_some() && source.people().is_some() && !has_unit()
    }

    /// Whether the different rows of a SELECT would mix people, and are released for that.
    pub(crate) fn releases_distinct(&self, source: &Source, select: &Plain<'_>) -> bool {
        let unit = |item: &SelectItem| match item_of(item) {
            Some((expr, _)) => source.names_the_unit(expr),
            // All columns: the unit among them, unless it is hidden.
            None => source.visible.iter().any(|one| source.is_unit(&one.meaning) == IsUnit::Yes),
        };
        select.distinct
            && self.releases.is_some()
            && source.people().is_some()
            && !select.projection.iter().any(unit)
    }

    /// The groups of people's rows as released ones: the keys, then the aggregates.
    pub(crate) fn released_groups<'q>(
        &self,
        source: &mut Source,
        select: &Plain<'q>,
        exprs: &[&'q Expr],
        known: &mut Known<'q>,
        named: &Named<'q>,
        depth: usize,
    ) -> Result<Groups, Refusal> {
        let Some(releases) = self.releases else { return Err(select::mixed()) };
        let keys: Vec<&'q Expr> = match select.group_by {
            [] if select.distinct => {
                select.projection.iter().filter_map(|item| Some(item_of(item)?.0)).collect()
            }
            keys => keys
                .iter()
                .map(|expr| key(expr, select.projection, &source.visible))
                .collect::<Result<_, _>>()?,
        };
        keys.iter().try_for_each(|key| check_copyable(key))?;
        let mut calls: Vec<&'q Expr> = Vec::new();
        for call in exprs.iter().flat_map(|expr| inside(expr, is_exact_call)) {
            check_copyable(call)?;
            if !calls.contains(&call) {
                calls.push(call);
            }
        }
        // Each key once, so that the columns of the release are counted as those of the groups.
        let lowering = Lowering { known, ..Lowering::rows(&source.visible, self.nodes) };
        let (mut scalars, mut shown_keys): (Vec<Scalar>, Vec<Expr>) = (Vec::new(), Vec::new());
        for expr in keys {
            let typed = lowering.expression(expr)?;
            let kind = typed.known();
            let scalar = typed.into_type(kind, "GROUP BY")?;
            if !scalars.contains(&scalar) {
                scalars.push(scalar);
                shown_keys.push(expr.clone());
            }
        }
        if let Purpose::List(lists) = &releases.purpose {
            if !calls.is_empty() || scalars.is_empty() {
                return Err(select::mixed());
            }
            let names = source.columns.iter().map(|column| column.name.clone()).collect();
            self.listed_groups(source, &scalars, |list| {
                let mut lists = lists.borrow_mut();
                lists.push(list);
                lists.len() - 1
            })?;
            return Ok(Groups::released(scalars, 0, names));
        }
        let items: Vec<SelectItem> =
            shown_keys.iter().chain(calls.iter().copied()).cloned().map(SelectItem::UnnamedExpr).collect();
        let inner = Plain {
            distinct: calls.is_empty(),
            projection: &items,
            from: select.from,
            selection: select.selection,
            group_by: &shown_keys,
            having: None,
            windows: &[],
            qualify: None,
        };
        self.nodes.take(PART_NODES)?;
        let question = Question { select: &inner, order_by: None, limits: (0, None) };
        let plan = select::release(self, &question, named, depth, releases.options, releases.shares)?;
        let answer = plan.answer.columns.clone();
        for (call, column) in calls.iter().zip(&answer[shown_keys.len()..]) {
            let place = calls.iter().position(|other| other == call).unwrap_or_default();
            known.push((call, Typed::new(Scalar::Column(AGGREGATES + place), column.kind)));
        }
        let names = source.columns.iter().map(|column| column.name.clone()).collect();
        source.columns = answer
            .iter()
            .map(|column| {
                let kind = facts::bounded(column.kind, Range::Whole(None, None));
                let nullable = may_be_null(&plan, &column.value);
                Column { name: column.name.clone(), stored_as: None, kind, public_keys: None, nullable }
            })
            .collect();
        source.roles = answer.iter().map(|_| Role::default()).collect();
        let values = answer.iter().map(|column| column.value.clone()).collect();
        let part = releases.part(plan.clone());
        source.relation =
            Relation::Map { input: Box::new(plan.as_released(part)), filter: None, columns: values };
        source.filter = None;
        source.whose = Whose::Public;
        // Names of rows mean nothing any more.
        source.visible.clear();
        Ok(Groups::released(scalars, calls.len(), names))
    }

    /// `(SELECT COUNT(*) FROM people's rows)` beside rows that are nobody's: one released number. `None` where it is none.
    pub(crate) fn released_number<'q>(
        &self,
        source: &mut Source,
        query: &'q Query,
        named: &Named<'q>,
        depth: usize,
    ) -> Result<Option<Typed>, Refusal> {
        if self.releases.is_none() || source.people().is_some() {
            return Ok(None);
        }
        let Ok(inner) = self.rows(query, named, depth + 1) else { return Ok(None) };
        if inner.people().is_some() || !self.has_one_row(&inner.relation) {
            return Ok(None);
        }
        let inner = inner.materialised(self.nodes)?;
        let [Visible { meaning: Meaning::Value(Typed { scalar: Scalar::Column(column), kind }), .. }] =
            inner.visible.as_slice()
        else {
            return Ok(None);
        };
        let (column, kind) = (source.columns.len() + column, *kind);
        let left = std::mem::replace(&mut source.relation, Relation::Union(Vec::new()));
        let join =
            Join { left, right: inner.relation, kind: JoinKind::Left, keys: Vec::new(), condition: None };
        source.relation = Relation::Join(Box::new(join));
        size::check_relation(&source.relation)?;
        source.columns.extend(inner.columns.into_iter().map(|column| Column { nullable: true, ..column }));
        source.roles.extend(inner.roles);
        Ok(Some(Typed { scalar: Scalar::Column(column), kind }))
    }

    /// Whether a relation has one row at most, whatever is released: a release or public rows without keys.
    fn has_one_row(&self, relation: &Relation) -> bool {
        match relation {
            Relation::Map { input, .. } | Relation::Order { input, .. } | Relation::Window { input, .. } => {
                self.has_one_row(input)
            }
            Relation::Group { keys, .. } => keys.is_empty(),
            Relation::Released { part, .. } => self.releases.is_some_and(|releases| {
                releases.plans.borrow().get(*part).is_some_and(|plan| plan.aggregation.keys.is_empty())
            }),
            _ => false,
        }
    }

    /// What ORDER BY of a subquery compares, by the names of its columns and by what it is computed from.
    pub(crate) fn ordered(
        &self,
        order_by: Option<&OrderBy>,
        visible: &[(String, Typed)],
        lower: &dyn Fn(&Expr) -> Result<Typed, Refusal>,
    ) -> Result<Vec<Order>, Refusal> {
        let Some(order_by) = order_by else { return Ok(Vec::new()) };
        let OrderBy { kind: OrderByKind::Expressions(list), interpolate: None } = order_by else {
            return Err(Refusal::not_provable("ORDER BY ALL is not answered", "name the columns"));
        };
        let one = |OrderByExpr { expr, options, with_fill }: &OrderByExpr| {
            if with_fill.is_some() {
                return Err(Refusal::not_provable("WITH FILL is not answered", "leave it out"));
            }
            let place = answer::position(expr, visible.len(), "ORDER BY")?;
            let alone = names::named(expr).filter(|name| name.len() == 1).and_then(|mut name| name.pop());
            let named = place
                .map(|place| &visible[place])
                .or_else(|| visible.iter().find(|(name, _)| alone.as_ref() == Some(name)));
            let typed = match named {
                Some((_, typed)) => typed.clone(),
                None => lower(expr)?,
            };
            self.nodes.take(visit::count(&typed.scalar))?;
            let kind = typed.known();
            Ok(answer::criterion(typed.into_type(kind, "ORDER BY")?, kind, options))
        };
        list.iter().map(one).collect()
    }
}

/// Whether a released number or key may be NULL.
fn may_be_null(plan: &PrivatePlan, value: &Scalar) -> bool {
    let Scalar::Column(column) = value else { return true };
    match column.checked_sub(plan.aggregation.keys.len()) {
        None => plan
            .aggregation
            .domain
            .as_ref()
            .is_none_or(|groups| groups.iter().any(|key| key[*column].is_none())),
        Some(aggregate) => !matches!(
            plan.answer.aggregates.get(aggregate).map(|aggregate| &aggregate.formula),
            Some(Formula::Sum { .. } | Formula::CentredSum { .. })
        ),
    }
}
