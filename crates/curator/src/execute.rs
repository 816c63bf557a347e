//! What a statement asks to be done: an answer, with `EXPLAIN` in front of it what one would cost, or a list of what can be
//! asked about.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

use pointillist_catalog::Catalog;
use pointillist_plan::PublicStatement;
use pointillist_query::{Refusal, Statement, strip_explain};

use crate::ask::Ask;
use crate::curator::Curator;
use crate::error::AskError;
use crate::home::{Clock, Home};
use crate::listing::{List, Listing};
use crate::public_answer::{PublicAnswer, PublicQuote, public_quote};
use crate::quote::Quote;
use crate::reply::Reply;
use crate::statement_memory::Understood;

/// What came of a statement.
#[derive(Clone, Debug)]
pub enum Executed {
    /// It was answered.
    Answer(Box<Reply>),
    /// It was explained; nothing was paid.
    Quote(Box<Quote>),
    /// It was answered from public tables alone: free, and recorded nowhere.
    Public(Box<PublicAnswer>),
    /// Such a statement was explained.
    PublicQuote(Box<PublicQuote>),
    /// It lists what can be asked about, from the catalog alone.
    List(List),
}

impl Ask {
    /// Whether the statement is about something that may have to be paid: it neither lists nor explains.
    pub fn is_question(&self) -> bool {
        self.explained().is_none() && Listing::of_statement(&self.sql).is_none()
    }

    /// What is to be explained, where the statement begins with `EXPLAIN`. Blanks stand in the place of what was before
    /// it: whatever is said about a place in it is about the same place.
    pub fn explained(&self) -> Option<Self> {
        let rest = strip_explain(&self.sql)?;
        let before = self.sql[..self.sql.len() - rest.len()].chars().count();
        Some(Self { sql: format!("{}{rest}", " ".repeat(before)), ..self.clone() })
    }
}

impl Curator {
    /// Answers a statement, explains it if it begins with `EXPLAIN`, or lists.
    ///
    /// # Errors
    /// As [`Curator::ask`] and [`Curator::quote`].
    pub fn execute(&self, ask: &Ask) -> Result<Executed, AskError> {
        execute(
            self.catalog(),
            ask,
            |ask| self.state.understood(ask),
            |ask| self.quote(ask),
            |public| self.public_answer(public),
            |ask| self.ask(ask),
        )
    }
}

impl Curator {
    /// The same without a thread that waits for the clock: runs here until the reply waits for its moment, and returns
    /// then. `then` is called once: with an answer, or a failure that leaves in its place, at the moment, on a thread of
    /// the curator's; with a list, a quote or a refusal here and now. It hands over and returns: other replies of the
    /// same moment wait behind it.
    pub fn execute_then(&self, ask: Ask, then: impl FnOnce(Result<Executed, AskError>) + Send + 'static) {
        let arrived = Instant::now();
        let read = || -> Result<Read, AskError> {
            if !ask.is_question() {
                return self.execute(&ask).map(Read::Free);
            }
            let understood = self.state.understood(&ask)?;
            match &understood.statement {
                Statement::Public(_) => self.execute(&ask).map(Read::Free),
                statement => Ok(Read::Question(Box::new(statement.clone()))),
            }
        };
        match catch_unwind(AssertUnwindSafe(read)).unwrap_or(Err(AskError::Failed)) {
            Err(error) => then(Err(error)),
            Ok(Read::Free(executed)) => then(Ok(executed)),
            Ok(Read::Question(statement)) => {
                let answer = |reply| Executed::Answer(Box::new(reply));
                self.ask_then(&ask, *statement, arrived, Box::new(move |reply| then(reply.map(answer))));
            }
        }
    }
}

/// A statement as far as it goes without a price.
enum Read {
    /// It is free, and this came of it.
    Free(Executed),
    /// It is to be paid for.
    Question(Box<Statement>),
}

impl Home {
    /// The same for one statement: the ledger is locked only where something is to be paid.
    ///
    /// # Errors
    /// As [`Curator::execute`], and when the curator does not open.
    pub fn execute(&self, ask: &Ask, clock: Clock) -> Result<Executed, AskError> {
        let public = |public: &PublicStatement| self.public_answer(public);
        let answer = |ask: &Ask| self.curator(clock)?.ask(ask);
        let catalog = self.catalog_for(&ask.analyst);
        let understood = |ask: &Ask| Ok(Arc::new(Understood::new(&catalog, ask)?));
        execute(&catalog, ask, understood, |ask| self.quote(ask), public, answer)
    }

    /// What a statement would cost, `EXPLAIN` in front of it or not.
    ///
    /// # Errors
    /// As [`Curator::quote`].
    pub fn explain(&self, ask: &Ask) -> Result<Executed, AskError> {
        let explained = ask.explained().unwrap_or_else(|| ask.clone());
        let catalog = self.catalog_for(&ask.analyst);
        explain(&catalog, &explained, &Understood::new(&catalog, &explained)?, |ask| self.quote(ask))
    }
}

fn execute(
    catalog: &Catalog,
    ask: &Ask,
    understood: impl Fn(&Ask) -> Result<Arc<Understood>, Refusal>,
    quote: impl FnOnce(&Ask) -> Result<Quote, AskError>,
    public: impl FnOnce(&PublicStatement) -> Result<PublicAnswer, AskError>,
    answer: impl FnOnce(&Ask) -> Result<Reply, AskError>,
) -> Result<Executed, AskError> {
    if let Some(listing) = Listing::of_statement(&ask.sql) {
        return Ok(Executed::List(listing.list(catalog)?));
    }
    if let Some(explained) = ask.explained() {
        return explain(catalog, &explained, understood(&explained)?.as_ref(), quote);
    }
    match ask.public(catalog, &understood(ask)?.statement)? {
        Some(statement) => Ok(Executed::Public(Box::new(public(statement)?))),
        None => Ok(Executed::Answer(Box::new(answer(ask)?))),
    }
}

fn explain(
    catalog: &Catalog,
    ask: &Ask,
    understood: &Understood,
    quote: impl FnOnce(&Ask) -> Result<Quote, AskError>,
) -> Result<Executed, AskError> {
    match ask.public(catalog, &understood.statement)? {
        Some(public) => Ok(Executed::PublicQuote(Box::new(public_quote(public)))),
        None => Ok(Executed::Quote(Box::new(quote(ask)?))),
    }
}
