//! Questions about graphs: `SELECT * FROM graph_triangles('contacts')`, and their prices.
//!
//! **Guarantee.** Like every plan, a [`GraphQuestion`] is a function of the catalog, the text and the options alone. What
//! the function call does not say is not there: no WHERE, no join, no arithmetic; columns may be chosen, which is
//! post-processing.

use std::mem::discriminant;

use pointillist_catalog::{Catalog, DeclaredBudget, Graph, GraphPrivacy, Scope};
use pointillist_errors::Explained;
use pointillist_graph::{GraphError, Method, Privacy, Question, Statistic};
use pointillist_numbers::Rational;
use pointillist_privacy::{Delta, Epsilon, Loss, Price, Rho};
use sqlparser::ast::{
    Expr, FunctionArg, FunctionArgExpr, Query, SelectItem, SetExpr, TableFactor, TableFunctionArgs,
    Value as Literal, WildcardAdditionalOptions,
};

use crate::from::Tables;
use crate::names;
use crate::options::Options;
use crate::plain::{Named, Plain};
use crate::price::{epsilon_lower, hundredth_lower};
use crate::refusal::{Refusal, did_you_mean, shown};
use crate::size::Nodes;

/// The functions, and what they count.
const FUNCTIONS: [(&str, Statistic); 14] = [
    ("graph_nodes", Statistic::Nodes),
    ("graph_edges", Statistic::Edges),
    ("graph_max_degree", Statistic::MaxDegree),
    ("graph_degree_bound", Statistic::DegreeBound),
    ("graph_degeneracy", Statistic::Degeneracy),
    ("graph_components", Statistic::Components),
    ("graph_triangles", Statistic::Triangles),
    ("graph_stars", Statistic::Stars(2)),
    ("graph_k_triangles", Statistic::KTriangles(2)),
    ("graph_four_cliques", Statistic::FourCliques),
    ("graph_rectangles", Statistic::Rectangles),
    ("graph_degrees", Statistic::Degrees),
    ("graph_clustering", Statistic::GlobalClustering),
    ("graph_average_clustering", Statistic::AverageClustering),
];

/// Digits of an ε that was computed from a ρ.
const EPSILON_DIGITS: usize = 9;

/// The columns of an answer about a graph; `degree` in distributions only.
pub const GRAPH_COLUMNS: [&str; 4] = ["degree", "value", "lower", "upper"];

/// A question about a declared graph, priced.
#[derive(Clone, Debug, PartialEq)]
pub struct GraphQuestion {
    /// The graph's name in the catalog.
    pub graph: String,
    /// The population whose budget pays.
    pub scope: String,
    /// What is asked, at which price.
    pub question: Question,
    /// The columns of the answer that are shown, in order; `None` for all.
    pub columns: Option<Vec<String>>,
    /// What the asker should know about the price.
    pub notes: Vec<String>,
}

/// A question about a graph of the catalog at the price that the options say.
fn graph_question(
    catalog: &Catalog,
    name: &str,
    statistic: Statistic,
    method: Method,
    options: &Options,
) -> Result<GraphQuestion, Refusal> {
    let graph = catalog.graphs.get(name).ok_or_else(|| unknown(catalog, name))?;
    let scope = catalog.scopes.get(&graph.scope).ok_or_else(|| unknown(catalog, name))?;
    only_a_price(options)?;
    check_memory(graph, statistic)?;
    let mut notes = Vec::new();
    let epsilon = epsilon(scope, options, &mut notes)?;
    let delta = delta(scope, options)?;
    let privacy = match graph.privacy {
        GraphPrivacy::Node => Privacy::Node,
        GraphPrivacy::Edge => Privacy::Edge,
    };
    Ok(GraphQuestion {
        graph: name.to_owned(),
        scope: graph.scope.clone(),
        question: Question { statistic, privacy, method, epsilon, delta },
        columns: None,
        notes,
    })
}

/// The statement that asks for a statistic of a graph.
pub fn graph_statement(graph: &str, statistic: Statistic, method: Method) -> String {
    let known = FUNCTIONS.iter().find(|(_, of)| discriminant(of) == discriminant(&statistic));
    let function = known.map_or("graph", |(name, _)| name);
    let mut call = format!("SELECT * FROM {function}('{}'", graph.replace('\'', "''"));
    if let Statistic::Stars(number) | Statistic::KTriangles(number) = statistic {
        call.push_str(&format!(", {number}"));
    }
    if method != Method::Auto {
        call.push_str(&format!(", '{method}'"));
    }
    call + ")"
}

/// What cannot be answered for a graph of the catalog, from its declaration alone.
fn check_memory(graph: &Graph, statistic: Statistic) -> Result<(), Refusal> {
    if graph.privacy == GraphPrivacy::Node
        && matches!(statistic, Statistic::FourCliques | Statistic::Rectangles)
    {
        return Err(Refusal::not_provable(
            format!(
                "one person can add more {statistic} than memory holds, and a machine that gives up would tell"
            ),
            "ask for triangles; the owner may count others in a file of their own, which no ledger guards",
        ));
    }
    Ok(())
}

/// What a mechanism's loss costs in the currency of a scope.
pub fn graph_price(scope: &Scope, loss: &Loss) -> Result<Price, Refusal> {
    Price::of_loss(scope.budget.currency(), loss).ok_or_else(|| {
        Refusal::not_provable(
            format!("this method is not pure, and the scope `{}` is", shown(&scope.name)),
            "ask for another method, or leave it out",
        )
    })
}

/// The question of a query whose FROM is a function of a graph; `None` where it is something else.
pub(crate) fn call(
    catalog: &Catalog,
    query: &Query,
    options: &Options,
) -> Option<Result<GraphQuestion, Refusal>> {
    let (function, arguments) = function_call(query)?;
    function.starts_with("graph_").then(|| read(catalog, query, &function, arguments, options))
}

/// The function, in the place of a table, that is all that a query is about, and its arguments.
pub(crate) fn function_call(query: &Query) -> Option<(String, &[FunctionArg])> {
    let SetExpr::Select(select) = query.body.as_ref() else { return None };
    let [only] = select.from.as_slice() else { return None };
    let TableFactor::Table {
        name,
        alias: None,
        args: Some(TableFunctionArgs { args, settings: None }),
        with_hints,
        version: None,
        with_ordinality: false,
        partitions,
        json_path: None,
        sample: None,
        index_hints,
    } = &only.relation
    else {
        return None;
    };
    if !with_hints.is_empty() || !partitions.is_empty() || !index_hints.is_empty() || !only.joins.is_empty() {
        return None;
    }
    let parts = names::parts(name)?;
    let [function] = parts.as_slice() else { return None };
    Some((function.to_string(), args))
}

fn read(
    catalog: &Catalog,
    query: &Query,
    function: &str,
    arguments: &[FunctionArg],
    options: &Options,
) -> Result<GraphQuestion, Refusal> {
    let known = FUNCTIONS.iter().find(|(name, _)| *name == function).map(|(_, statistic)| *statistic);
    let statistic = known.ok_or_else(|| {
        let names = FUNCTIONS.map(|(name, _)| name);
        Refusal::table(
            format!("there is no table function `{}`", shown(function)),
            did_you_mean(function, names, || format!("the functions of graphs are {}", names.join(", "))),
        )
    })?;
    let mut arguments = arguments.iter().map(literal).collect::<Result<Vec<_>, _>>()?.into_iter();
    let graph = match arguments.next() {
        Some(Literal::SingleQuotedString(graph)) => graph,
        _ => return Err(usage(function)),
    };
    let mut rest = arguments.peekable();
    let statistic = match (statistic, rest.peek()) {
        (Statistic::Stars(_) | Statistic::KTriangles(_), Some(Literal::Number(number, _))) => {
            let kind = if matches!(statistic, Statistic::Stars(_)) { "stars" } else { "triangles" };
            let numbered = format!("{number}-{kind}").parse().map_err(|error| refused(&error))?;
            rest.next();
            numbered
        }
        (statistic, _) => statistic,
    };
    let method = match rest.next() {
        None => Method::Auto,
        Some(Literal::SingleQuotedString(word)) => word.parse().map_err(|error| refused(&error))?,
        Some(_) => return Err(usage(function)),
    };
    if rest.next().is_some() {
        return Err(usage(function));
    }
    let columns = plain_columns(catalog, query, function, &GRAPH_COLUMNS)?;
    Ok(GraphQuestion { columns, ..graph_question(catalog, &graph, statistic, method, options)? })
}

/// The columns that are chosen, where nothing else is asked of the function's rows.
pub(crate) fn plain_columns(
    catalog: &Catalog,
    query: &Query,
    function: &str,
    known: &[&str],
) -> Result<Option<Vec<String>>, Refusal> {
    let refused = || {
        Refusal::not_provable(
            "what a function answers is shown as it is: columns may be chosen, nothing else",
            format!("write SELECT * FROM {function}(...), and filter or order where the answer arrives"),
        )
    };
    let nodes = Nodes::new();
    let (select, named) = Tables {
        catalog,
        nodes: &nodes,
        max_contributions: None,
        period: None,
        releases: None,
        public: None,
    }
    .plain_query(query, &Named::new(), 0)?;
    select.without_windows()?;
    let Plain { distinct, projection, from: _, selection, group_by, having, windows: _, qualify: _ } = select;
    let unclaused = query.order_by.is_none() && query.limit_clause.is_none() && query.fetch.is_none();
    let unconditional = !distinct && selection.is_none() && group_by.is_empty() && having.is_none();
    if !unclaused || !unconditional || !named.is_empty() {
        return Err(refused());
    }
    if let [SelectItem::Wildcard(options)] = projection {
        return if *options == WildcardAdditionalOptions::default() { Ok(None) } else { Err(refused()) };
    }
    let chosen = projection.iter().map(|item| match item {
        SelectItem::UnnamedExpr(Expr::Identifier(name)) => {
            let name = names::folded(name);
            known.contains(&name.as_str()).then_some(name).ok_or_else(refused)
        }
        _ => Err(refused()),
    });
    chosen.collect::<Result<Vec<_>, _>>().map(Some)
}

pub(crate) fn literal(argument: &FunctionArg) -> Result<Literal, Refusal> {
    match argument {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::Value(value))) => Ok(value.value.clone()),
        _ => Err(Refusal::parameter(
            "the arguments of this function are constants",
            "write them in quotes, such as graph_triangles('contacts')",
        )),
    }
}

/// Arguments that are texts in quotes: as many as asked for, those that are NULL or left out `None`.
pub(crate) fn texts<const N: usize>(
    arguments: &[FunctionArg],
    usage: fn() -> Refusal,
) -> Result<[Option<String>; N], Refusal> {
    let mut texts = Vec::new();
    for argument in arguments {
        texts.push(match literal(argument)? {
            Literal::SingleQuotedString(text) => Some(text),
            Literal::Null => None,
            _ => return Err(usage()),
        });
    }
    texts.resize(texts.len().max(N), None);
    <[Option<String>; N]>::try_from(texts).map_err(|_| usage())
}

fn usage(function: &str) -> Refusal {
    Refusal::parameter(
        format!(
            "`{function}` takes the name of a graph, for stars and k-triangles a number, and perhaps a method"
        ),
        format!("write {function}('contacts')"),
    )
}

/// The refusal of a question that the graph room does not answer.
pub fn refused(error: &GraphError) -> Refusal {
    let message = error.to_string();
    let hint = error.hint().unwrap_or_else(|| "ask for another statistic".to_owned());
    match error {
        GraphError::Refused { .. } | GraphError::Unreadable { .. } => Refusal::not_private(message, hint),
        _ => Refusal::parameter(message, hint),
    }
}

fn unknown(catalog: &Catalog, name: &str) -> Refusal {
    let known = || match catalog.graphs.is_empty() {
        true => "the catalog declares no graph; ask the owner for a [graph.NAME]".to_owned(),
        false => {
            format!(
                "the graphs are {}",
                catalog.graphs.keys().map(String::as_str).collect::<Vec<_>>().join(", ")
            )
        }
    };
    let names = catalog.graphs.keys().map(String::as_str);
    Refusal::table(format!("there is no graph `{}`", shown(name)), did_you_mean(name, names, known))
        .about(name)
}

fn only_a_price(options: &Options) -> Result<(), Refusal> {
    let Options {
        epsilon: _,
        rho: _,
        error,
        confidence,
        delta: _,
        max_groups,
        max_contributions,
        noise,
        bias,
        period,
    } = options;
    let refused = |what: &str, hint: &str| Err(Refusal::parameter(what, hint));
    if error.is_some() || confidence.is_some() {
        return refused(
            "the error of a graph's statistic depends on the graph, which nobody may know",
            "give epsilon or rho, and look at what is expected before you pay",
        );
    }
    if max_groups.is_some() || max_contributions.is_some() || *bias == Some(true) {
        return refused(
            "graphs have no groups and no rows",
            "leave max_groups, max_contributions and bias out",
        );
    }
    if period.is_some() {
        return refused(
            "graphs have no periods: their ties would be read again in every one",
            "leave the period out",
        );
    }
    if noise.is_some() {
        return refused("a graph's noise follows from its method", "leave noise out, or choose a method");
    }
    Ok(())
}

/// The ε of the mechanism: as asked, the one that ρ pays for, or that of a hundredth of the budget.
fn epsilon(scope: &Scope, options: &Options, notes: &mut Vec<String>) -> Result<Epsilon, Refusal> {
    match (&scope.budget, &options.epsilon, &options.rho) {
        (_, Some(epsilon), _) => Ok(epsilon.clone()),
        (DeclaredBudget::Pure { .. }, None, Some(_)) => Err(Refusal::parameter(
            format!("the scope `{}` is pure: it counts epsilon, not rho", shown(&scope.name)),
            "write epsilon = 0.1, for example",
        )),
        (DeclaredBudget::Zcdp { .. }, None, Some(rho)) => epsilon_of_rho(rho),
        (DeclaredBudget::Pure { epsilon }, None, None) => {
            let epsilon = Epsilon::new(hundredth_lower(epsilon.value()))?;
            notes.push(format!("no price was given: ε = {epsilon}, 1 % of the scope's budget"));
            Ok(epsilon)
        }
        (DeclaredBudget::Zcdp { rho, .. }, None, None) => {
            let rho = Rho::new(hundredth_lower(rho.value()))?;
            notes.push(format!("no price was given: ρ = {rho}, 1 % of the scope's budget"));
            epsilon_of_rho(&rho)
        }
    }
}

/// The largest ε of few digits that ρ pays for, charged as ε²/2.
///
/// # Errors
/// When ρ is too small to pay for any.
pub fn epsilon_of_rho(rho: &Rho) -> Result<Epsilon, Refusal> {
    let root = epsilon_lower(rho)?;
    // What is a short number in truth lies a hair above the root that was rounded down.
    let above = Epsilon::new(root.value().round_up_to_digits(EPSILON_DIGITS))?;
    let affordable = above.value().squared() <= rho.value() * &Rational::from(2);
    let below = || Epsilon::new(root.value().round_down_to_digits(EPSILON_DIGITS));
    if affordable { Ok(above) } else { Ok(below()?) }
}

/// The δ that a method may use: as asked, or a hundredth of the scope's. Methods that need none spend none.
fn delta(scope: &Scope, options: &Options) -> Result<Option<Delta>, Refusal> {
    match (&scope.budget, &options.delta) {
        (DeclaredBudget::Pure { .. }, Some(delta)) if !delta.is_zero() => Err(Refusal::parameter(
            format!("the scope `{}` is pure: it has no delta to spend", shown(&scope.name)),
            "leave delta out",
        )),
        (DeclaredBudget::Pure { .. }, _) => Ok(None),
        (DeclaredBudget::Zcdp { .. }, Some(delta)) => {
            Ok(Some(delta.clone()).filter(|delta| !delta.is_zero()))
        }
        (DeclaredBudget::Zcdp { delta, .. }, None) => {
            Ok(Delta::new(hundredth_lower(delta.value())).ok().filter(|delta| !delta.is_zero()))
        }
    }
}

/// What identifies the numbers that are released.
pub fn canonical_graph(question: &GraphQuestion, graph: &Graph) -> Vec<u8> {
    let GraphQuestion { graph: name, scope, question, columns: _, notes: _ } = question;
    let Question { statistic, privacy, method, epsilon, delta } = question;
    let parts = [
        "graph".to_owned(),
        name.clone(),
        scope.clone(),
        graph.version.clone(),
        statistic.to_string(),
        privacy.to_string(),
        method.to_string(),
        epsilon.value().to_string(),
        delta.as_ref().map_or_else(String::new, |delta| delta.value().to_string()),
    ];
    let mut out = vec![CANONICAL_VERSION];
    for part in parts {
        out.extend((part.len() as u64).to_be_bytes());
        out.extend(part.as_bytes());
    }
    out
}

/// Begins with another byte than the canonical form of a question about rows.
const CANONICAL_VERSION: u8 = 0x67;
