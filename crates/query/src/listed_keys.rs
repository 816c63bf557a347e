//! `SELECT DISTINCT region FROM visits`: keys that the owner has declared, listed without a look at a row.
//!
//! **Guarantee.** What is listed is a function of the catalog and the question: the domain of every key (`domain.rs`), and of
//! the conditions those that see keys alone. Whether anybody has a key is not in it. So nothing is released, nothing is paid,
//! and the plan has no leaf that people own ([`PublicStatement::with_rows`] checks that).
//! **Not this.** A key that must be earned, or an aggregate anywhere in the statement, makes it a question with a price.

use pointillist_catalog::{Catalog, Column};
use pointillist_plan::{DeclaredRows, PublicStatement, Relation, Scalar, Type, type_of_column};
use sqlparser::ast::Query;

use crate::bounds::Range;
use crate::domain::{self, Groups};
use crate::facts;
use crate::from::Tables;
use crate::options::Options;
use crate::plain::Named;
use crate::refusal::Refusal;
use crate::released::{Releases, outer, written_out};
use crate::size::Nodes;
use crate::source::{Role, Source, Whose};

/// The statement, if all that it shows are declared keys and public tables; `None` where it is anything else.
pub(crate) fn statement(catalog: &Catalog, query: &Query, options: &Options) -> Option<PublicStatement> {
    let written = written_out(query).ok()?;
    let query = written.as_ref().unwrap_or(query);
    let (nodes, releases) = (Nodes::new(), Releases::listing(options));
    let tables = Tables {
        catalog,
        nodes: &nodes,
        max_contributions: options.max_contributions,
        period: options.period.as_deref(),
        releases: Some(&releases),
        public: None,
    };
    let source = tables.rows(query, &Named::new(), 0).ok()?;
    let lists = releases.into_lists()?;
    if source.people().is_some() || lists.is_empty() {
        return None;
    }
    let note = "keys are listed as they are declared, whether or not anybody has them".to_owned();
    PublicStatement::with_rows(outer(catalog, &source).ok()??, lists, vec![note])
}

impl Tables<'_, '_> {
    /// The groups of people's rows as rows that are declared: the keys alone.
    ///
    /// # Errors
    /// When not all of them are declared.
    pub(crate) fn listed_groups(
        &self,
        source: &mut Source,
        keys: &[Scalar],
        list: impl FnOnce(DeclaredRows) -> usize,
    ) -> Result<(), Refusal> {
        let not_listed =
            || Refusal::not_provable("these keys are not declared", "add COUNT(*), or another aggregate");
        let Groups::Public(rows) = domain::groups(keys, &source.columns) else { return Err(not_listed()) };
        let types = keys
            .iter()
            .map(|key| crate::bounds::value_type(key, &source.columns))
            .collect::<Option<Vec<Type>>>()
            .ok_or_else(not_listed)?;
        let conditions: Vec<Scalar> = match source.filter.take() {
            Some(Scalar::All(all)) => all.iter().filter_map(|part| domain::over_keys(part, keys)).collect(),
            Some(one) => domain::over_keys(&one, keys).into_iter().collect(),
            None => Vec::new(),
        };
        source.columns = types
            .iter()
            .map(|kind| Column {
                name: String::new(),
                stored_as: None,
                kind: facts::bounded(*kind, Range::Whole(None, None)),
                public_keys: None,
                nullable: true,
            })
            .collect();
        debug_assert!(
            source.columns.iter().map(|column| type_of_column(&column.kind)).eq(types.iter().copied())
        );
        source.roles = types.iter().map(|_| Role::default()).collect();
        source.relation = Relation::Map {
            columns: (0..types.len()).map(Scalar::Column).collect(),
            input: Box::new(Relation::Released {
                part: list(DeclaredRows { types: types.clone(), rows }),
                types,
            }),
            filter: (!conditions.is_empty()).then_some(Scalar::All(conditions)),
        };
        source.whose = Whose::Public;
        source.visible.clear();
        Ok(())
    }
}
