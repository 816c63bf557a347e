//! Queries: who answers them, what they give, and the answer as rows.
//!
//! Queries about the system catalog, or about nothing, are answered from what is declared; everything else is the curator's.
//! A mixture of the two is refused: its rows would have to meet somewhere, and nowhere is there a place for that.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use pointillist_access::Verb;
use pointillist_curator::{Ask, AskError, Executed, FREE, QUERY_PLAN};
use pointillist_errors::Explained;
use pointillist_pg_catalog::{
    Base, Outcome, PgType, PgValue, Question, Route, Session as Asking, Settings, encode_text, route,
};
use pointillist_query::Parameter;
use tokio::sync::Semaphore;

use super::answer_rows::{Field, Rows, fields, pg_type};
use super::notices;
use super::prepared::{Answerer, Prepared, Query, Shape};
use super::refusal::Failure;
use super::session::Session;
use super::session_settings::{self, REQUEST_ID, intervals, options, request_id};
use super::statement::Command;
use crate::log::{Door, Event};
use crate::service::{Declared, Service};

/// So many statements are described, or answered from the system catalog, at once: threads are left for questions, however many
/// connections there are. [`Service::aside_of`] says how many of them are one person's.
pub(super) static PLACES: Semaphore = Semaphore::const_new(16);

/// Rows, and what is said with them.
pub(crate) struct Answered {
    pub(crate) rows: Arc<Rows>,
    pub(crate) notices: Vec<Failure>,
}

impl Session {
    /// Reads a statement and finds out who answers it; `declared` are the types of its parameters, where the client gives them.
    pub(crate) fn read(&self, sql: &str, declared: &[Option<PgType>]) -> Result<Prepared, Failure> {
        let command = Command::read(sql)?;
        // Before anything is looked at: a transaction that has failed answers nothing else.
        self.check_not_failed(Some(&command))?;
        let inner = match &command {
            Command::Query | Command::List => Some(sql),
            Command::Copy { query, .. } | Command::Explain { query, .. } => Some(query.as_str()),
            Command::Declare(declared) => Some(declared.query.as_str()),
            _ => None,
        };
        let query = match inner {
            Some(_) if command == Command::List => Some(self.listing(sql)),
            Some(query) => {
                // The text of the query is a part of the statement's.
                let before = sql.find(query).and_then(|bytes| sql.get(..bytes));
                let offset = before.map_or(0, |before| before.chars().count());
                let query = self.query(query, declared).map_err(|failure| failure.behind(offset))?;
                Some(Query { offset, ..query })
            }
            None => None,
        };
        Ok(Prepared { sql: sql.to_owned(), command: Some(command), query, shape: Shape::default() })
    }

    fn listing(&self, sql: &str) -> Query {
        Query {
            sql: sql.to_owned(),
            offset: 0,
            answerer: Answerer::Curator,
            declared: Vec::new(),
            intervals: false,
        }
    }

    /// A query and who answers it.
    pub(crate) fn query(&self, sql: &str, declared: &[Option<PgType>]) -> Result<Query, Failure> {
        if Command::read(sql)? != Command::Query {
            return Err(Failure::new("42601", "only a query can stand here").with_hint("write a SELECT"));
        }
        let shared = self.connection.service.declared();
        let route = route(&shared.system, sql)?;
        let answerer = match route {
            Route::System => Answerer::System,
            Route::Probe => Answerer::Probe,
            Route::Curator => Answerer::Curator,
            Route::Mixed => {
                return Err(Failure::not_done(
                    "a statement is about system tables or about what is declared, not about both",
                    "ask two questions",
                ));
            }
        };
        let intervals = intervals(&self.connection.settings);
        Ok(Query { sql: sql.to_owned(), offset: 0, answerer, declared: declared.to_vec(), intervals })
    }

    /// What a query takes and gives. Free, whoever answers it.
    pub(crate) async fn shape_of(&mut self, query: &Query) -> Result<Shape, Failure> {
        match &query.answerer {
            Answerer::System => {
                let (sql, declared) = (query.sql.clone(), query.declared.clone());
                let describe = move |shared: &Declared, asking: &mut Asking<'_>, _: &AtomicBool| {
                    Question::parse(&sql, &declared)?.describe(&shared.system, asking)
                };
                let described = self.system(describe).await?.0?;
                let fields = described.columns.into_iter().map(|(name, kind)| Field { name, kind }).collect();
                Ok(Shape { parameters: described.parameters, fields: Some(fields) })
            }
            Answerer::Curator | Answerer::Probe => self.curators_shape(query).await,
        }
    }

    async fn curators_shape(&mut self, query: &Query) -> Result<Shape, Failure> {
        let ask = Ask {
            options: options(&self.connection.settings)?,
            ..Ask::new(query.sql.clone(), self.asker()?)
        };
        let is_probe = matches!(query.answerer, Answerer::Probe);
        self.check_may(if is_probe || !ask.is_question() { Verb::Catalog } else { Verb::Explain })?;
        let shared = self.connection.service.declared();
        let place = self.connection.service.aside_of(&self.connection.person.name);
        let described = aside(place, move || shared.curator.describe(&ask));
        let described = self.interruptible(described).await??;
        let described = described.map_err(|error| Failure::from(error).behind(query.offset))?;
        let kinds = described.parameters.iter().enumerate();
        let kinds = kinds.map(|(place, wanted)| {
            let kind = PgType { is_array: wanted.is_list, ..pg_type(wanted.kind) };
            query.declared.get(place).copied().flatten().unwrap_or(kind)
        });
        let fields = fields(&described.columns, query.intervals);
        Ok(Shape { parameters: kinds.collect(), fields: Some(fields) })
    }

    /// What a statement takes and gives.
    pub(crate) async fn shape(&mut self, prepared: &Prepared) -> Result<Shape, Failure> {
        let command = prepared.command.as_ref();
        let inner = match &prepared.query {
            Some(query) => self.shape_of(query).await?,
            None => Shape::default(),
        };
        let fields = match command {
            Some(Command::Query | Command::List) => inner.fields,
            Some(Command::Explain { json, .. }) => {
                Some(vec![Field::new(QUERY_PLAN, if *json { Base::Json } else { Base::Text })])
            }
            Some(Command::Show(name)) => Some(self.show_fields(name.as_deref())?),
            Some(Command::Fetch { cursor, is_move: false, .. }) => {
                self.portals.get_mut(cursor, "cursor")?.prepared.shape.fields.clone()
            }
            Some(Command::Execute { name, .. }) => self.statements.get(name)?.shape.fields.clone(),
            _ => None,
        };
        if matches!(command, Some(Command::Copy { .. })) && !inner.parameters.is_empty() {
            let hint = "write the values into the statement";
            return Err(Failure::new("42P02", "COPY has no parameters").with_hint(hint));
        }
        Ok(Shape { parameters: inner.parameters, fields })
    }

    /// Answers a query. Whatever it costs is paid here, and only here.
    pub(crate) async fn answer(&mut self, query: &Query, values: &[PgValue]) -> Result<Answered, Failure> {
        match &query.answerer {
            Answerer::System => {
                let outcome = self.answer_system(&query.sql, &query.declared, values).await?;
                Ok(Answered { rows: Arc::new(outcome.into()), notices: Vec::new() })
            }
            Answerer::Probe => {
                let shape = self.shape_of(query).await?;
                let rows = Arc::new(Rows::none(shape.fields.unwrap_or_default()));
                Ok(Answered { rows, notices: notices::of_public() })
            }
            Answerer::Curator => self.answer_curator(query, values).await,
        }
    }

    /// What the system catalog says to a query. What that sets with `set_config` is set as `SET` would, or nothing is.
    pub(crate) async fn answer_system(
        &mut self,
        sql: &str,
        declared: &[Option<PgType>],
        values: &[PgValue],
    ) -> Result<Outcome, Failure> {
        let (sql, declared, values) = (sql.to_owned(), declared.to_vec(), values.to_vec());
        let execute = move |shared: &Declared, asking: &mut Asking<'_>, is_left: &AtomicBool| {
            let is_left = || is_left.load(Ordering::Relaxed);
            Question::parse(&sql, &declared)?.execute_unless(&shared.system, asking, &values, &is_left)
        };
        let (outcome, mut settings) = self.system(execute).await?;
        let outcome = outcome?;
        let calls = settings.take_calls();
        let mut now = self.connection.settings.clone();
        for call in &calls {
            session_settings::call(&mut now, call)?;
        }
        self.transaction.also_on_commit(|on_commit| {
            for call in calls.iter().filter(|call| !call.is_local) {
                // It was taken a moment ago.
                let _ = session_settings::call(on_commit, call);
            }
        });
        self.connection.settings = now;
        Ok(outcome)
    }

    /// Asks the system catalog for something, beside the threads that carry messages; and the settings as they are then. What
    /// is asked is told when nobody waits for it any more.
    async fn system<T: Send + 'static>(
        &mut self,
        ask: impl FnOnce(&Declared, &mut Asking<'_>, &AtomicBool) -> T + Send + 'static,
    ) -> Result<(T, Settings), Failure> {
        let (shared, mut settings) = (self.connection.service.declared(), self.connection.settings.clone());
        let (user, pid) = (self.connection.person.name.clone(), self.connection.cancel.backend_pid);
        let now = self.transaction.began();
        let waiting = Waiting::default();
        let is_left = Arc::clone(&waiting.is_left);
        let asked = aside(self.connection.service.aside_of(&user), move || {
            let mut asking = Asking {
                user: &user,
                database: &shared.database,
                backend_pid: pid,
                now,
                settings: &mut settings,
            };
            let outcome = ask(&shared, &mut asking, &is_left);
            (outcome, settings)
        });
        self.interruptible(asked).await?
    }

    async fn answer_curator(&mut self, query: &Query, values: &[PgValue]) -> Result<Answered, Failure> {
        let mut ask = self.ask(query, values)?;
        let is_question = ask.is_question();
        let verb = if is_question { Verb::Ask } else { Verb::Catalog };
        self.check_may(verb)?;
        if is_question {
            ask.request_id = request_id(&self.connection.settings);
        }
        let service = Arc::clone(&self.connection.service);
        let (begin, executed) = (Instant::now(), self.interruptible(service.execute(ask)).await);
        self.log(verb, &query.sql, begin, &executed);
        if is_question && may_be_charged(&executed) {
            self.forget_request_id();
        }
        let executed = executed?.map_err(|error| Failure::from(error).behind(query.offset))?;
        let (rows, notices) = match executed {
            Executed::Answer(reply) => {
                let rows = Rows::of_answer(&reply.answer, &reply.answer.described(), query.intervals);
                // Words that nobody wants to hear are not worth the time that prices take to be put into them.
                let wanted = notices::are_wanted(self.connection.settings.get("client_min_messages"));
                (rows, if wanted { notices::of_reply(&reply) } else { Vec::new() })
            }
            Executed::Public(public) => {
                let rows = Rows::of_answer(&public.answer, &public.answer.described(), query.intervals);
                (rows, notices::of_public())
            }
            Executed::List(list) => (Rows::of_list(&list), Vec::new()),
            Executed::Quote(_) | Executed::PublicQuote(_) => return Err(fault()),
        };
        Ok(Answered { rows: Arc::new(rows), notices })
    }

    /// What a query would cost.
    pub(crate) async fn explain(
        &mut self,
        query: &Query,
        values: &[PgValue],
        json: bool,
        plan: bool,
    ) -> Result<Rows, Failure> {
        if let Answerer::System | Answerer::Probe = &query.answerer {
            self.check_may(Verb::Catalog)?;
            return match json {
                true => json_row(&serde_json::json!({ "price": FREE })),
                false => Ok(Rows::lines(QUERY_PLAN, [format!("price    {FREE}")])),
            };
        }
        self.check_may(Verb::Explain)?;
        let ask = self.ask(query, values)?;
        let (service, role) = (Arc::clone(&self.connection.service), self.connection.person.role);
        let (begin, explained) = (Instant::now(), self.interruptible(service.explain(role, ask)).await);
        self.log(Verb::Explain, &query.sql, begin, &explained);
        match explained?.map_err(|error| Failure::from(error).behind(query.offset))? {
            Executed::Quote(quote) if json => json_row(&quote),
            Executed::PublicQuote(quote) if json => json_row(&quote),
            Executed::Quote(quote) => Ok(Rows::of_quote(&quote, plan)),
            Executed::PublicQuote(quote) => Ok(Rows::of_public_quote(&quote, plan)),
            _ => Err(fault()),
        }
    }

    fn ask(&self, query: &Query, values: &[PgValue]) -> Result<Ask, Failure> {
        let parameters = values
            .iter()
            .enumerate()
            .map(|(place, value)| parameter(value, query.declared.get(place).copied().flatten().is_some()));
        Ok(Ask {
            options: options(&self.connection.settings)?,
            parameters: parameters.collect::<Result<_, _>>()?,
            ..Ask::new(query.sql.clone(), self.asker()?)
        })
    }

    /// Under which name somebody asks.
    fn asker(&self) -> Result<String, Failure> {
        let asker = Service::asker(&self.connection.person).map(str::to_owned);
        asker.ok_or_else(|| {
            Failure::not_done("nobody but the owner asks under this name", "ask the owner for another")
        })
    }

    fn check_may(&self, verb: Verb) -> Result<(), Failure> {
        let person = &self.connection.person;
        if person.role.may(verb) {
            return Ok(());
        }
        let what = match verb {
            Verb::Ask => "ask questions about data",
            Verb::Explain => "see what questions cost",
            _ => "do this",
        };
        Err(Failure::not_done(
            format!("permission denied: \"{}\" may not {what}", person.name),
            "ask the owner for a role that may",
        ))
    }

    /// Writes down that something was asked, without a word of the answer.
    fn log(
        &mut self,
        verb: Verb,
        sql: &str,
        begin: Instant,
        outcome: &Result<Result<Executed, AskError>, Failure>,
    ) {
        self.asked += 1;
        let connection = &self.connection;
        let request_id = format!("{:08x}-{}", connection.cancel.backend_pid, self.asked);
        connection.service.done(&Event {
            door: Door::Postgres,
            request_id: &request_id,
            person: Some(&connection.person.name),
            verb: verb.word(),
            outcome: match outcome {
                Ok(Ok(_)) => "ok",
                Ok(Err(error)) => error.kind().word(),
                Err(_) => "cancelled",
            },
            statement: Some(sql),
            quanta: connection.service.quanta_since(begin),
            bytes_in: u64::try_from(sql.len()).unwrap_or(u64::MAX),
            bytes_out: 0,
        });
    }

    /// The name of a question that was asked, which no other will have.
    fn forget_request_id(&mut self) {
        if request_id(&self.connection.settings).is_some() {
            // The empty text is a value that it can have.
            let _ = self.settings().set(REQUEST_ID, "");
        }
        self.transaction.forget_request_id();
    }
}

/// Whether a question was paid for, as far as anybody knows: what was refused was not, and can be asked again by its name.
fn may_be_charged(outcome: &Result<Result<Executed, AskError>, Failure>) -> bool {
    match outcome {
        Ok(Ok(_)) | Err(_) => true,
        Ok(Err(error)) => matches!(error, AskError::Failed | AskError::Ledger(_)),
    }
}

/// A value as the curator takes it. Text whose type nobody said becomes what stands beside it, like a quoted literal.
fn parameter(value: &PgValue, is_declared: bool) -> Result<Parameter, Failure> {
    let text = |kind: Base| encode_text(value, PgType::of(kind)).unwrap_or_default();
    Ok(match value {
        PgValue::Null => Parameter::Null,
        PgValue::Bool(truth) => Parameter::Boolean(*truth),
        PgValue::Int(number) => Parameter::Number(number.to_string()),
        PgValue::Float(number) if number.is_finite() => Parameter::Number(number.to_string()),
        PgValue::Numeric(digits) => Parameter::Number(digits.clone()),
        PgValue::Text(text) if is_declared => Parameter::Text(text.clone()),
        PgValue::Text(text) => Parameter::Untyped(text.clone()),
        PgValue::Date(_) => Parameter::Date(text(Base::Date)),
        PgValue::Timestamp(_) => Parameter::Timestamp(text(Base::Timestamp)),
        PgValue::Float(_) => return Err(Failure::new("22003", "a parameter is not a finite number")),
        PgValue::Array { elements, .. }
            if !elements.iter().any(|one| matches!(one, PgValue::Array { .. })) =>
        {
            let elements = elements.iter().map(|element| parameter(element, is_declared));
            Parameter::List(elements.collect::<Result<_, _>>()?)
        }
        PgValue::Interval { .. } | PgValue::Reg { .. } | PgValue::Array { .. } | PgValue::Record(_) => {
            return Err(Failure::not_done(
                "a parameter is of a type that questions about data do not have",
                "send numbers, texts, dates, timestamps or truth values",
            ));
        }
    })
}

fn json_row(quote: &impl serde::Serialize) -> Result<Rows, Failure> {
    let text = serde_json::to_string(&[quote]).map_err(|_| fault())?;
    Ok(Rows { fields: vec![Field::new(QUERY_PLAN, Base::Json)], rows: vec![vec![PgValue::Text(text)]] })
}

/// Somebody who waits for work on another thread: once they are gone, cancelled or too late, the work is told.
#[derive(Default)]
struct Waiting {
    is_left: Arc<AtomicBool>,
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.is_left.store(true, Ordering::Relaxed);
    }
}

/// Does something that takes a processor and waits for nothing, on a thread for that. A person's place and one of everybody's
/// are taken until it is done, also where nobody waits for it any more.
async fn aside<T: Send + 'static>(
    of_person: Arc<Semaphore>,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Failure> {
    let places =
        (of_person.acquire_owned().await.map_err(|_| fault())?, PLACES.acquire().await.map_err(|_| fault())?);
    let done = tokio::task::spawn_blocking(move || {
        let _places = places;
        work()
    });
    done.await.map_err(|_| fault())
}

/// A mistake of ours, with words that say nothing else.
pub(crate) fn fault() -> Failure {
    Failure::new("XX000", "the statement could not be answered")
        .with_hint("ask the owner to look at the machine")
}
