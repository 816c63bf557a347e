//! What a statement asks to be done: an answer, with `EXPLAIN` in front of it what one would cost, or a list of what can be
//! asked about.

use pointillist_catalog::Catalog;
use pointillist_query::strip_explain;

use crate::ask::Ask;
use crate::curator::Curator;
use crate::error::AskError;
use crate::home::{Clock, Home};
use crate::listing::{List, Listing};
use crate::quote::Quote;
use crate::reply::Reply;

/// What came of a statement.
#[derive(Clone, Debug)]
pub enum Executed {
    /// It was answered.
    Answer(Box<Reply>),
    /// It was explained; nothing was paid.
    Quote(Box<Quote>),
    /// It lists what can be asked about, from the catalog alone.
    List(List),
}

impl Ask {
    /// Whether the statement is about something that may have to be paid: it neither lists nor explains.
    pub fn is_question(&self) -> bool {
        self.explained().is_none() && Listing::of_statement(&self.sql).is_none()
    }

    /// What is to be explained, where the statement begins with `EXPLAIN`.
    pub fn explained(&self) -> Option<Self> {
        strip_explain(&self.sql).map(|sql| Self { sql: sql.to_owned(), ..self.clone() })
    }
}

impl Curator {
    /// Answers a statement, explains it if it begins with `EXPLAIN`, or lists.
    ///
    /// # Errors
    /// As [`Curator::ask`] and [`Curator::quote`].
    pub fn execute(&self, ask: &Ask) -> Result<Executed, AskError> {
        execute(self.catalog(), ask, |ask| self.quote(ask), |ask| self.ask(ask))
    }
}

impl Home {
    /// The same for one statement: the ledger is locked only where something is to be paid.
    ///
    /// # Errors
    /// As [`Curator::execute`], and when the curator does not open.
    pub fn execute(&self, ask: &Ask, clock: Clock) -> Result<Executed, AskError> {
        execute(&self.catalog, ask, |ask| self.quote(ask), |ask| self.curator(clock)?.ask(ask))
    }
}

fn execute(
    catalog: &Catalog,
    ask: &Ask,
    quote: impl FnOnce(&Ask) -> Result<Quote, AskError>,
    answer: impl FnOnce(&Ask) -> Result<Reply, AskError>,
) -> Result<Executed, AskError> {
    if let Some(listing) = Listing::of_statement(&ask.sql) {
        return Ok(Executed::List(listing.list(catalog)?));
    }
    match ask.explained() {
        Some(explained) => Ok(Executed::Quote(Box::new(quote(&explained)?))),
        None => Ok(Executed::Answer(Box::new(answer(ask)?))),
    }
}
