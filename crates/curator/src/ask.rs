//! The life of a question: understand, admit, price, charge, compute, wait, record, present.
//!
//! **Guarantee.** Everything that [`Curator::ask`] returns or refuses obeys the bound that the ledger keeps, for analysts
//! who choose each question in the light of all answers so far. Before the debit nothing looks at a row: plans, prices
//! and refusals are functions of the SQL, the catalog and the ledger. After it every outcome is either the recorded
//! answer or one constant failure, and the debit stays.
//! **Order.** Files are held open from before the debit. The receipt exists once the debit is durable; reading data
//! borrows it, adding noise borrows it, recording consumes it, and only what was recorded is returned.
//! **Reuse.** What the asker has paid for already is looked at before the debit: numbers of the same topic that answer
//! the question, or a part of it, are given again, and charged as what they are, which is nothing (`basket.rs`,
//! `reuse.rs`). What others have paid for is no answer of the asker's until they ask for exactly that, and pay for it.
//! **Others.** Whoever has a share sees that share and their own past, and nothing of what others have asked, paid or
//! left: not in balances, not in the number of questions that still fit, not in receipts, and not in whether an answer
//! existed. Two things cannot be hidden: once the scope is spent, questions are refused, except those whose answers
//! exist; and an answer that exists is ready sooner than one that must be computed, finer than the clock of
//! `reply_clock.rs`. In whole quanta it takes as long as it took whoever asked first.
//!
//! Questions about rows (`rows.rs`) and about graphs (`graphs.rs`) go the same way; what differs is a [`Work`].

use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use pointillist_catalog::{Catalog, OWNER};
use pointillist_graph::{Method, Statistic};
use pointillist_learn::Model;
use pointillist_ledger::{Charge, Charged, Digest, Premises, Question, Receipt, Repeated};
use pointillist_privacy::{Amount, Price};
use pointillist_query::{Options, Parameter, Refusal, Statement, graph_statement, statement_with};

use crate::admission::admit;
use crate::answer::Answer;
use crate::basket::{Basket, Bill};
use crate::books::Books;
use crate::curator::{Curator, State};
use crate::error::AskError;
use crate::evaluation::EvaluationWork;
use crate::graphs::GraphWork;
use crate::held_reading::as_held;
use crate::order::Invoice;
use crate::pending::{Leaving, Pending, Then};
use crate::release::Released;
use crate::released_bytes::{decode, encode, time_of, with_time};
use crate::reply::{Paid, ReceiptFacts, Reply};
use crate::reuse::Recorded;
use crate::rows::RowWork;
use crate::sanitized_table::SanitizedTable;
use crate::single_flight::Flight;
use crate::statement_memory::Understood;
use crate::synthesis::SynthesisWork;
use crate::training::TrainingWork;

/// A question and who asks it.
#[derive(Clone, Debug)]
pub struct Ask {
    /// The question.
    pub sql: String,
    /// The price, unless the statement says it.
    pub options: Options,
    /// Who asks: an analyst of the catalog, or [`OWNER`].
    pub analyst: String,
    /// The asker's name for this request, so that it can be repeated safely.
    pub request_id: Option<String>,
    /// The values of `$1`, `$2` and so on.
    pub parameters: Vec<Parameter>,
}

impl Ask {
    /// A question as it stands: at the price that it says itself, without parameters.
    pub fn new(sql: impl Into<String>, analyst: impl Into<String>) -> Self {
        Self {
            sql: sql.into(),
            options: Options::default(),
            analyst: analyst.into(),
            request_id: None,
            parameters: Vec::new(),
        }
    }

    /// What was asked, for the owner to read: the statement, and the values of its parameters as comments behind it.
    fn words(&self) -> Cow<'_, str> {
        if self.parameters.is_empty() {
            return Cow::Borrowed(&self.sql);
        }
        let mut words = self.sql.clone();
        for (number, parameter) in (1..).zip(&self.parameters) {
            words.push_str(&match parameter.text() {
                Some(text) => format!("\n-- ${number} = '{}'", text.escape_debug()),
                None => format!("\n-- ${number} is NULL"),
            });
        }
        Cow::Owned(words)
    }

    /// What it asks, by the catalog alone.
    pub(crate) fn statement(&self, catalog: &Catalog) -> Result<Statement, Refusal> {
        statement_with(catalog, &self.sql, &self.parameters, &self.options)
    }

    /// A question about a declared graph: the statement that asks for this statistic.
    pub fn about_graph(
        graph: &str,
        statistic: Statistic,
        method: Method,
        options: Options,
        analyst: &str,
    ) -> Self {
        let sql = graph_statement(graph, statistic, method);
        Self { options, ..Self::new(sql, analyst) }
    }
}

/// A question that is understood and priced, with its files held open; nothing of it has looked at data.
pub(crate) trait Work: Send + Sync {
    /// What is to be paid, and for what.
    fn bill(&self) -> &dyn Bill;

    /// What identifies the request, together with the asker's words.
    fn canonical(&self) -> Vec<u8>;

    /// Reads and adds noise for these releases, for whoever shows the receipt of their invoice.
    fn release(
        &self,
        state: &State,
        receipt: &Receipt,
        releases: &[usize],
    ) -> Result<Vec<Released>, AskError>;

    /// What the asker sees, from the recorded numbers of all releases and public things alone.
    fn present(&self, recorded: &[Recorded]) -> Result<Answer, AskError>;

    /// Whether that takes long: seconds, where others take less than one thousandth.
    fn is_slow_to_present(&self) -> bool {
        false
    }

    /// The model that recorded numbers are, where one was asked for.
    fn model(&self, _: &[Recorded]) -> Option<Model> {
        None
    }

    /// The sanitized table that recorded numbers are, where one was asked for.
    fn table(&self, _: &[Recorded]) -> Option<SanitizedTable> {
        None
    }
}

impl Curator {
    /// Answers a question, or says why not. Blocks until the reply may leave.
    pub fn ask(&self, ask: &Ask) -> Result<Reply, AskError> {
        self.ask_until(ask)?.collect()
    }

    /// The same up to the moment at which the reply leaves, for callers that wait without holding a thread.
    ///
    /// # Errors
    /// Refusals are functions of public things and leave at once. Whatever may depend on data or on other questions is
    /// in what is pending.
    pub fn ask_until(&self, ask: &Ask) -> Result<Pending, AskError> {
        let (due, outcome) = self.begin(ask)?;
        let (pending, then) = Pending::new(due);
        self.state.departures.at(due, Leaving { outcome, then });
        Ok(pending)
    }

    /// Answers what was understood, and calls `then` at the moment at which the reply leaves, at once with a refusal.
    /// Returns as soon as the reply waits for its moment.
    pub(crate) fn ask_then(&self, ask: &Ask, statement: Statement, arrived: Instant, then: Then) {
        let begin = move || {
            admit_statement(&self.state.catalog, &ask.analyst, &statement)?;
            self.begin_with(ask, statement, arrived)
        };
        match catch_unwind(AssertUnwindSafe(begin)).unwrap_or(Err(AskError::Failed)) {
            Ok((due, outcome)) => self.state.departures.at(due, Leaving { outcome, then }),
            Err(error) => then(Err(error)),
        }
    }

    /// Everything up to the moment at which the reply leaves, and that moment.
    fn begin(&self, ask: &Ask) -> Result<(Instant, Unrecorded), AskError> {
        let arrived = Instant::now();
        let understood = self.state.understood(ask)?;
        admit_statement(&self.state.catalog, &ask.analyst, &understood.statement)?;
        self.begin_with(ask, understood.statement.clone(), arrived)
    }

    /// The same for a statement that is understood, and that its asker may ask.
    fn begin_with(
        &self,
        ask: &Ask,
        statement: Statement,
        arrived: Instant,
    ) -> Result<(Instant, Unrecorded), AskError> {
        let work = self.state.open(self.state.as_held(&ask.analyst, statement)?)?;
        // From here on what happens, and when, may depend on data and on other questions: one clock for all of it. What
        // others can see, records included, comes after the wait.
        let mut flights = self.state.own_topics(&ask.analyst, work.bill());
        let basket = self.state.basket(&ask.analyst, work.bill());
        match &basket {
            // What the asker was given before is given again, and nothing that they hold changes: nobody waits for it, and
            // it waits for nobody (`single_flight.rs`).
            Ok(basket) if basket.is_free => flights.clear(),
            // A question that is on its way is on its way for everybody; nobody waits for what others ask about the same
            // topic.
            Ok(basket) => flights.push(self.state.flights.take_off(basket.invoice.question.id())),
            Err(_) => {}
        }
        let outcome = basket.and_then(|basket| self.charge_and_compute(ask, &work, basket, arrived));
        let taken = arrived.elapsed().max(self.time_of_others(&outcome));
        let due = self.reply_clock.leaves_at(arrived, taken);
        let (state, analyst) = (Arc::clone(&self.state), ask.analyst.clone());
        let taken = self.reply_clock.beyond_one_quantum(taken);
        Ok((due, Unrecorded { state, analyst, work, outcome, taken, flights }))
    }

    /// How long an answer took that somebody else had been given, and that the asker pays for as if nobody had: it takes them
    /// as long, so that the clock does not tell who asked before. Where every answer takes the same time there is nothing to tell.
    fn time_of_others(&self, outcome: &Result<Outcome, AskError>) -> Duration {
        match outcome {
            Ok(Outcome::Repeated(repeated))
                if repeated.0.share_cost != Amount::ZERO && self.reply_clock.quanta.is_none() =>
            {
                time_of(&repeated.0.answer)
            }
            _ => Duration::ZERO,
        }
    }

    /// Takes the price, unless the asker has paid for the answer before; then reads and adds noise.
    fn charge_and_compute(
        &self,
        ask: &Ask,
        work: &Arc<dyn Work>,
        basket: Basket,
        arrived: Instant,
    ) -> Result<Outcome, AskError> {
        let Invoice { question, scope, price } = basket.invoice.clone();
        let words = ask.words();
        let request = Digest::of("pointillist request", &[words.as_bytes(), &work.canonical()]);
        let charge = Charge {
            request_id: ask.request_id.clone(),
            analyst: ask.analyst.clone(),
            scope,
            price,
            question,
            request,
        };
        // Other servers share the ledger, and their owner may have accepted another catalog meanwhile.
        let premises = Premises { datasets: Arc::clone(&self.state.datasets), approval: None };
        let charged = self.state.ledger.charge_if(charge, premises)?;
        self.state.questions.keep(request, &words);
        match charged {
            Charged::Fresh(receipt) => {
                let (receipt, released) = self.compute_in_time(receipt, work, &basket.bought, arrived)?;
                Ok(Outcome::Released(Box::new((receipt, released, basket))))
            }
            Charged::Repeat(repeated) => Ok(Outcome::Repeated(Box::new((repeated, basket)))),
        }
    }

    /// Computes before the moment at which answers leave, where there is one; else fails at that moment, and what is
    /// computed too late is forgotten.
    fn compute_in_time(
        &self,
        receipt: Receipt,
        work: &Arc<dyn Work>,
        bought: &[usize],
        arrived: Instant,
    ) -> Result<(Receipt, Vec<Released>), AskError> {
        type Computed = Result<Vec<Released>, AskError>;
        fn contained(work: &dyn Work, state: &State, receipt: &Receipt, bought: &[usize]) -> Computed {
            let release = || work.release(state, receipt, bought);
            catch_unwind(AssertUnwindSafe(release)).unwrap_or(Err(AskError::Failed))
        }
        let Some(due) = self.reply_clock.due() else {
            let released = contained(work.as_ref(), &self.state, &receipt, bought)?;
            return Ok((receipt, released));
        };
        let (sender, receiver) = mpsc::sync_channel(1);
        let (work, state, bought) = (Arc::clone(work), Arc::clone(&self.state), bought.to_vec());
        let computing = std::thread::Builder::new().spawn(move || {
            let released = contained(work.as_ref(), &state, &receipt, &bought);
            // Nobody may be waiting any more: then the receipt is dropped, and what it paid stays paid.
            let _ = sender.send((receipt, released));
        });
        // Without a thread there is no answer in time; the receipt is gone, and the failure leaves on the clock.
        computing.map_err(|_| AskError::Failed)?;
        let in_time = due.saturating_sub(arrived.elapsed());
        let (receipt, released) = receiver.recv_timeout(in_time).map_err(|_| AskError::Failed)?;
        Ok((receipt, released?))
    }
}

/// What is asked, if whoever asks may ask it: a function of the question and the catalog alone.
pub(crate) fn understand(catalog: &Catalog, ask: &Ask) -> Result<Statement, AskError> {
    let statement = ask.statement(catalog)?;
    admit_statement(catalog, &ask.analyst, &statement)?;
    Ok(statement)
}

/// Whether a statement is to be bought, and whoever asks may ask it.
pub(crate) fn admit_statement(
    catalog: &Catalog,
    analyst: &str,
    statement: &Statement,
) -> Result<(), AskError> {
    let scope = match statement {
        Statement::Rows(plan) => plan.scope(),
        Statement::Graph(question) => &question.scope,
        Statement::Training(question) => &question.rows.scope,
        Statement::Synthesis(question) => &question.rows.scope,
        Statement::Evaluation(question) => &question.rows.scope,
        Statement::Public(_) => return Err(priceless().into()),
    };
    admit(catalog, analyst, scope)
}

/// Why a statement over public tables is not bought: there is nothing to pay, to noise or to record.
pub(crate) fn priceless() -> Refusal {
    Refusal::not_provable(
        "this statement reads public tables alone: it has no price and no receipt",
        "execute it; it is free",
    )
}

/// What was computed, or is recorded already.
enum Outcome {
    /// Numbers, the receipt that they are recorded with, and what they are put together with.
    Released(Box<(Receipt, Vec<Released>, Basket)>),
    /// A record of the very question, and what it is put together with.
    Repeated(Box<(Repeated, Basket)>),
}

/// An outcome that nobody has seen. Once its moment has come it is recorded and presented.
pub(crate) struct Unrecorded {
    state: Arc<State>,
    analyst: String,
    work: Arc<dyn Work>,
    outcome: Result<Outcome, AskError>,
    /// How long it took, in whole quanta, where that was more than one.
    taken: Duration,
    /// Until this is dropped, the same question from elsewhere waits.
    flights: Vec<Flight>,
}

/// An outcome that is recorded, and may be presented.
pub(crate) struct Unpresented {
    state: Arc<State>,
    analyst: String,
    work: Arc<dyn Work>,
    answered: Result<Answered, AskError>,
    flights: Vec<Flight>,
}

/// Released numbers and where they are recorded.
struct Answered {
    recorded: Vec<Recorded>,
    paid: Paid,
    /// What was to be paid.
    price: Price,
    seq: u64,
    hash: String,
}

impl Unrecorded {
    /// Records all of these, in one batch; they are of one ledger.
    pub(crate) fn recorded(outcomes: Vec<Self>) -> Vec<Unpresented> {
        let mut records = Vec::new();
        let prepared: Vec<(Unpresented, Option<Unwritten>)> =
            outcomes.into_iter().map(|outcome| outcome.prepared(&mut records)).collect();
        let ledger = prepared.first().map(|(first, _)| Arc::clone(&first.state.ledger));
        let mut written = ledger.map(|ledger| ledger.record_all(records)).unwrap_or_default().into_iter();
        let finish = |(unpresented, unwritten): (Unpresented, Option<Unwritten>)| {
            let Some(unwritten) = unwritten else { return unpresented };
            // Only what was recorded may leave.
            let is_recorded = matches!(written.next(), Some(Ok(_)));
            let answered = is_recorded.then(|| unwritten.answered()).flatten().ok_or(AskError::Failed);
            Unpresented { answered, ..unpresented }
        };
        prepared.into_iter().map(finish).collect()
    }

    /// What is left to do, and to write, before this may be presented. What is to be written is put behind `records`.
    fn prepared(self, records: &mut Vec<(Receipt, Vec<u8>)>) -> (Unpresented, Option<Unwritten>) {
        let Self { state, analyst, work, outcome, taken, flights } = self;
        let (answered, unwritten) = match outcome {
            Ok(Outcome::Released(released)) => {
                let (receipt, released, basket) = *released;
                let write = || Unwritten::new(work.as_ref(), &receipt, released, basket);
                let unwritten = catch_unwind(AssertUnwindSafe(write)).ok();
                let unwritten = unwritten.map(|(unwritten, bytes)| {
                    records.push((receipt, with_time(bytes, taken)));
                    unwritten
                });
                (Err(AskError::Failed), unwritten)
            }
            Ok(Outcome::Repeated(repeated)) => {
                let (repeated, basket) = *repeated;
                let repeat = || state.repeat(&analyst, &repeated, basket);
                (catch_unwind(AssertUnwindSafe(repeat)).unwrap_or(Err(AskError::Failed)), None)
            }
            Err(error) => (Err(error), None),
        };
        (Unpresented { state, analyst, work, answered, flights }, unwritten)
    }
}

/// Released numbers on their way to the ledger.
struct Unwritten {
    bought: Vec<Recorded>,
    basket: Basket,
    seq: u64,
    hash: String,
}

impl Unwritten {
    /// Released numbers with the terms on which they were, and the bytes to be recorded.
    fn new(work: &dyn Work, receipt: &Receipt, released: Vec<Released>, basket: Basket) -> (Self, Vec<u8>) {
        let terms = |release: &usize| work.bill().releases().get(*release).map(|alone| alone.plan.terms());
        let bought = basket.bought.iter().map(terms).zip(released);
        let bought: Vec<Recorded> = bought.map(|(terms, released)| Recorded { terms, released }).collect();
        let bytes = encode(&bought);
        // The reservation's number and hash, not the answer's: those tell when the answer was ready.
        let (seq, hash) = (receipt.seq(), receipt.hash().to_string());
        (Self { bought, basket, seq, hash }, bytes)
    }

    /// What was paid for, once it is recorded.
    fn answered(self) -> Option<Answered> {
        let Self { bought, basket, seq, hash } = self;
        let price = basket.invoice.price;
        Some(Answered { recorded: basket.filled(bought)?, paid: Paid::InFull, price, seq, hash })
    }
}

impl Unpresented {
    /// Whether putting it together takes so long that others should not wait for it.
    pub(crate) fn is_slow(&self) -> bool {
        self.answered.is_ok() && self.work.is_slow_to_present()
    }

    pub(crate) fn state(&self) -> Arc<State> {
        Arc::clone(&self.state)
    }

    /// Presents; then the same question may be asked again.
    pub(crate) fn reply(self) -> Result<Reply, AskError> {
        let Self { state, analyst, work, answered, flights } = self;
        let reply = || state.present(&analyst, work.as_ref(), answered?);
        let reply = catch_unwind(AssertUnwindSafe(reply)).unwrap_or(Err(AskError::Failed));
        drop(flights);
        reply
    }
}

impl State {
    /// What is asked, by the catalog alone.
    pub(crate) fn understood(&self, ask: &Ask) -> Result<Arc<Understood>, Refusal> {
        self.statements.understood(&self.catalog, ask)
    }

    /// Prices what is asked and holds its files open; reads no row.
    fn open(&self, statement: Statement) -> Result<Arc<dyn Work>, AskError> {
        Ok(match statement {
            Statement::Rows(plan) => Arc::new(RowWork::open(self, *plan)?),
            Statement::Graph(question) => Arc::new(GraphWork::open(self, *question)?),
            Statement::Training(question) => Arc::new(TrainingWork::open(self, *question)?),
            Statement::Synthesis(question) => Arc::new(SynthesisWork::open(self, *question)?),
            Statement::Evaluation(question) => Arc::new(EvaluationWork::open(self, *question)?),
            Statement::Public(_) => return Err(priceless().into()),
        })
    }

    /// The question as part of a larger one that the asker holds, if there is one.
    fn as_held(&self, analyst: &str, statement: Statement) -> Result<Statement, AskError> {
        let Statement::Rows(plan) = statement else { return Ok(statement) };
        let scope = plan.scope().to_owned();
        let held = |question: &Question| Ok(self.ledger.held(&scope, analyst, question)?);
        let larger = as_held(&self.catalog, &plan, held, |bill| self.own_topics(analyst, bill))?;
        Ok(Statement::Rows(larger.map_or(plan, Box::new)))
    }

    /// What the asker holds of a topic must not change while it is looked at.
    ///
    /// Waits until nothing that this asker has asked about these topics is on its way: until then, what they hold of them
    /// would tell whether the answer existed. Everybody takes off in one order, so that nobody waits in a circle.
    pub(crate) fn own_topics(&self, analyst: &str, bill: &dyn Bill) -> Vec<Flight> {
        let alone = bill.releases().iter().map(|alone| &alone.question);
        let questions = alone.chain([&bill.invoice().question]);
        let own = |question: &Question| {
            Digest::of("pointillist asker on a topic", &[analyst.as_bytes(), &question.topic().0])
        };
        let mut topics: Vec<Digest> = questions.map(own).collect();
        topics.sort_unstable_by_key(|topic| topic.0);
        topics.dedup_by_key(|topic| topic.0);
        topics.into_iter().map(|topic| self.flights.take_off(topic)).collect()
    }

    /// What the asker has to pay for of a question.
    fn basket(&self, analyst: &str, bill: &dyn Bill) -> Result<Basket, AskError> {
        let scope = &bill.invoice().scope;
        Basket::of(bill, |question| Ok(self.ledger.held(scope, analyst, question)?))
    }

    /// What was recorded before: the answer itself, or what was put together from it and others.
    fn repeat(&self, analyst: &str, repeated: &Repeated, basket: Basket) -> Result<Answered, AskError> {
        let Invoice { scope, price, .. } = basket.invoice.clone();
        let has_share = self.ledger.granted_share(&scope, analyst)?.is_some();
        let is_free = repeated.share_cost == Amount::ZERO || !has_share;
        let paid = if is_free { Paid::Nothing } else { Paid::InFull };
        let bought = match basket.bought.as_slice() {
            [] => Some(Vec::new()),
            _ => decode(&repeated.answer),
        };
        let recorded = bought.and_then(|bought| basket.filled(bought)).ok_or(AskError::Failed)?;
        // A payment from the share alone is a payment like any other, with a record of its own to show for it.
        let payment = repeated.paid_at.filter(|_| paid == Paid::InFull);
        let hash = payment.map(|payment| payment.hash.to_string()).unwrap_or_default();
        Ok(Answered { recorded, paid, price, seq: repeated.reserve_seq, hash })
    }

    /// The answer, what it cost, and what the asker has left.
    fn present(&self, analyst: &str, work: &dyn Work, answered: Answered) -> Result<Reply, AskError> {
        let Invoice { scope, price: offered, .. } = work.bill().invoice();
        let answer = work.present(&answered.recorded)?;
        // What is free now was paid for at the price of then.
        let price = match answered.paid {
            Paid::Nothing => paid_then(&answered.recorded).unwrap_or(*offered),
            Paid::InFull => answered.price,
        };
        let left = Books::Writer(&self.ledger).left(scope, analyst)?.ok_or(AskError::Failed)?;
        Ok(Reply {
            answer,
            model: work.model(&answered.recorded).map(Arc::new),
            table: work.table(&answered.recorded).map(Arc::new),
            epsilon_at_delta: self.catalog.epsilon_at_delta(scope, &price),
            price,
            paid: answered.paid,
            receipt: ReceiptFacts {
                // Numbers count everybody's records.
                seq: (analyst == OWNER).then_some(answered.seq),
                hash: answered.hash,
                scope: scope.clone(),
                analyst: analyst.to_owned(),
            },
            left,
            more: self.ledger.how_many_more(scope, analyst, offered)?.unwrap_or(0),
        })
    }
}

/// What recorded numbers cost when they were released.
fn paid_then(recorded: &[Recorded]) -> Option<Price> {
    let prices = recorded.iter().map(|recorded| recorded.terms.as_ref().map(|terms| terms.price));
    let prices: Vec<Price> = prices.collect::<Option<_>>()?;
    let sum = prices.iter().fold(Amount::ZERO, |sum, price| sum.plus(price.amount()));
    Price::from_units(prices.first()?.currency(), sum)
}
