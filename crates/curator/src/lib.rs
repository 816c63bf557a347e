//! The trusted party: plan, charge, aggregate, release, record.
//!
//! The only crate that sees both raw aggregates and released answers. Read `ask.rs` for the life of a question,
//! `release.rs` for the one place where raw numbers become released ones.

mod admission;
mod affordable;
mod anchor_place;
mod answer;
pub mod approval;
pub mod arrays;
mod ask;
mod balances;
mod basket;
mod books;
mod bound_proposal;
mod budgets;
mod check;
mod confidence_interval;
mod curator;
mod data_place;
mod datasets;
mod departures;
mod describe;
mod draft;
mod engines;
mod error;
mod estimate;
mod evaluation;
mod execute;
mod graph_answer;
mod graph_files;
mod graph_outlook;
mod graphs;
mod held_reading;
mod history;
mod home;
pub mod json;
mod ledger_place;
mod listing;
pub mod made_up;
mod made_up_tables;
mod one_off;
mod order;
mod outer_answer;
mod own_history;
mod pending;
mod period_balances;
mod public_answer;
mod public_values;
mod publication;
mod question_log;
mod quote;
mod recorded_bytes;
mod recovery;
mod rehearsal;
mod release;
mod release_tables;
mod released_bytes;
mod reply;
mod reply_clock;
mod reuse;
mod row_condition;
mod rows;
pub mod sandbox;
mod sanitized_table;
mod single_flight;
mod slow_presentations;
mod statement_memory;
mod synthesis;
mod table_evaluation;
mod tables;
mod training;
mod verification;
mod waiting_releases;
mod watcher;
pub mod words;

pub use pointillist_catalog::OWNER;
pub use pointillist_engine::MemoryRows;

pub use affordable::{Affordable, TooExpensive};
pub use anchor_place::ledger_section;
pub use answer::{Answer, Column, Digits, Disclosure, Mechanism, Row};
pub use ask::Ask;
pub use balances::{Balances, ScopeBalance};
pub use bound_proposal::{BoundProposal, BoundQuestion, BoundWish, ProposedBound};
pub use budgets::{Change, accept, declared_budgets};
pub use check::Check;
pub use curator::{Curator, Settings};
pub use data_place::DataPlace;
pub use datasets::{dataset_words, one_payer_a_file};
pub use describe::{Described, DescribedColumn, DescribedKind, QUERY_PLAN};
pub use draft::{DraftError, DraftRequest, Drafted, UnitWish, draft_catalog, import_smartnoise};
pub use error::{AskError, StartError};
pub use execute::Executed;
pub use graph_files::{declared_first_line, load as load_graph, load_nodes};
pub use graph_outlook::{GraphOutlook, TYPICAL_NODES, graph_outlooks};
pub use history::HistoryEntry;
pub use home::{Clock, Home, Patience};
pub use ledger_place::{FOLDER, LedgerPlaceError, LedgerServer, LedgerStatus, MovedLedger};
pub use listing::{List, Listing};
pub use one_off::{
    Assumption, EdgeFile, FileFacts, GraphInspection, HeldGraph, NodeFile, OneOff, OneOffError, OneOffQuote,
    OneOffSynthesis,
};
pub use own_history::OwnQuestion;
pub use pending::Pending;
pub use period_balances::PeriodBalances;
pub use pointillist_ledger::Balance;
pub use public_answer::{FREE, PublicAnswer, PublicQuote};
pub use publication::{MeasuredTable, PublicationPlan, PublishedAt, PublishedNumbers, moved};
pub use question_log::QuestionLog;
pub use quote::{
    AggregateQuote, EvaluationQuote, GraphQuote, ModelQuote, PricePart, Quote, QuoteKeys, QuoteSubject,
    ReleaseQuote, RowQuote, StatementQuote, TYPICAL_ROWS, TableQuote,
};
pub use recovery::{Consequences, Mishap};
pub use rehearsal::{Rehearsal, rehearse};
pub use release_tables::ReleaseFolder;
pub use reply::{Paid, ReceiptFacts, Reply};
pub use reply_clock::ReplyClock;
pub use row_condition::RowCondition;
pub use sanitized_table::{FittedTable, SanitizedColumn, SanitizedTable, SanitizedValues};
pub use tables::{GraphFacts, PeriodFacts, ProtectionFacts, TableColumn, TableFacts, TableList};
pub use verification::Verification;
pub use waiting_releases::WaitingRelease;
pub use watcher::Watcher;
