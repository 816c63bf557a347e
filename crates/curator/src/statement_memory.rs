//! Statements that were understood a moment ago: programs ask the same ones again and again.
//!
//! **Guarantee.** A function of the catalog and of what the same asker has asked before: nobody is faster because of what
//! somebody else has asked. Each catalog has a memory of its own. What is remembered is bounded, in number and in size.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use pointillist_catalog::Catalog;
use pointillist_plan::PrivatePlan;
use pointillist_query::{Options, Parameter, Refusal, Statement};

use crate::ask::Ask;
use crate::quote::AboutRows;

/// The most statements of everybody that are remembered; all are forgotten when there are more.
const STATEMENTS_MAX: usize = 1_024;
/// Longer statements, and those with more groups, are understood anew every time.
const LENGTH_MAX: usize = 4_096;
const GROUPS_MAX: usize = 1_024;

/// A statement, and what there is to say about it before it is asked.
pub(crate) struct Understood {
    pub(crate) statement: Statement,
    /// What a quote says of it, as long as the asker holds no larger answer; filled by the first quote.
    pub(crate) about: OnceLock<Arc<AboutRows>>,
}

impl Understood {
    /// What is asked, by the catalog alone.
    pub(crate) fn new(catalog: &Catalog, ask: &Ask) -> Result<Self, Refusal> {
        Ok(Self { statement: ask.statement(catalog)?, about: OnceLock::new() })
    }
}

/// The statements of one catalog that were understood, by who asked and in which words.
#[derive(Default)]
pub(crate) struct StatementMemory(Mutex<HashMap<(String, String), Remembered>>);

struct Remembered {
    options: Options,
    parameters: Vec<Parameter>,
    understood: Arc<Understood>,
}

impl StatementMemory {
    /// What is asked, remembered or understood now.
    pub(crate) fn understood(&self, catalog: &Catalog, ask: &Ask) -> Result<Arc<Understood>, Refusal> {
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if ask.sql.len() > LENGTH_MAX {
            return Ok(Arc::new(Understood::new(catalog, ask)?));
        }
        let key = (ask.analyst.clone(), ask.sql.clone());
        if let Some(known) = lock().get(&key)
            && known.options == ask.options
            && known.parameters == ask.parameters
        {
            return Ok(Arc::clone(&known.understood));
        }
        let understood = Arc::new(Understood::new(catalog, ask)?);
        if is_small(&understood.statement) {
            let (options, parameters) = (ask.options.clone(), ask.parameters.clone());
            let remembered = Remembered { options, parameters, understood: Arc::clone(&understood) };
            let mut known = lock();
            if known.len() >= STATEMENTS_MAX {
                known.clear();
            }
            known.insert(key, remembered);
        }
        Ok(understood)
    }
}

fn is_small(statement: &Statement) -> bool {
    let groups = |plan: &PrivatePlan| plan.aggregation.domain.as_ref().map_or(0, Vec::len);
    match statement {
        Statement::Rows(plan) => plan.parts().iter().map(groups).sum::<usize>() <= GROUPS_MAX,
        Statement::Graph(_) | Statement::Training(_) | Statement::Synthesis(_) | Statement::Evaluation(_) => {
            true
        }
        Statement::Public(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn catalog() -> Catalog {
        let text = "[scope.all]\nbudget = { epsilon = 1, delta = 1e-6 }\n[table.t]\nsource = \"t.csv\"\nscope = \"all\"\n\
                    privacy_unit = \"row\"\n[table.t.columns]\nx = { type = \"integer\", lower = 0, upper = 9 }\n";
        Catalog::parse(text).expect("a catalog")
    }

    #[test]
    fn only_the_same_words_options_and_asker_are_remembered() {
        let (catalog, memory) = (catalog(), StatementMemory::default());
        let ask = |sql: &str, analyst: &str| Ask::new(sql, analyst);
        let understood = |ask: &Ask| memory.understood(&catalog, ask).expect("it is understood");
        let count = "SELECT count(*) FROM t";
        let first = understood(&ask(count, "ana"));
        assert!(Arc::ptr_eq(&first, &understood(&ask(count, "ana"))));
        assert!(!Arc::ptr_eq(&first, &understood(&ask(count, "bob"))), "nobody is faster because of others");
        let mut dearer = ask(count, "ana");
        dearer.options.set("epsilon", "0.5").expect("an option");
        let dearer = understood(&dearer);
        assert!(!Arc::ptr_eq(&first, &dearer));
        let price = |understood: &Understood| match &understood.statement {
            Statement::Rows(plan) => plan.price(),
            _ => panic!("rows are asked about"),
        };
        assert_ne!(price(&first), price(&dearer), "a price is not remembered for another");
        for number in 0..2 * STATEMENTS_MAX {
            understood(&ask(&format!("SELECT count(*) FROM t WHERE x > {number}"), "ana"));
        }
        assert!(memory.0.lock().expect("nobody panicked").len() <= STATEMENTS_MAX);
    }
}
