//! The console in a browser: pages from plain data, forms, one style sheet and one small script.
//!
//! **What it does not do.** It opens no file, draws no noise, compares no budget and knows no row: whatever it draws was released, or
//! is public, before it came here. **Guarantee.** A text from data, from a catalog or from a request stays a text: templates escape it,
//! and signs that turn the direction of writing around are spelled out. No page has inline scripts or styles, so that a policy
//! may forbid them. Everything that can be asked can be asked without a script.
//!
//! | file | its idea |
//! | --- | --- |
//! | `sections.rs`, `frame.rs` | which sections there are, who sees them, and what is around every page |
//! | `sign_in.rs`, `picture.rs`, `message.rs` | coming in, and being told why not |
//! | `ask.rs` with `quote.rs`, `ladder.rs`, `answer.rs`, `sentence.rs`, `sql_text.rs` | asking |
//! | `catalog_page.rs`, `budget_page.rs`, `graphs_page.rs`, `releases_page.rs` | what there is, what is left, graphs, releases |
//! | `desk_page.rs`, `catalog_editor.rs`, `audit_page.rs` | the owner's |
//! | `playground.rs`, `heaps.rs` | lessons on made-up people |
//! | `form.rs`, `money.rs`, `prose.rs`, `assets.rs` | what browsers send, how prices and sentences are said, what pages load |

mod answer;
pub mod ask;
mod assets;
mod audit_page;
mod budget_page;
mod catalog_editor;
mod catalog_page;
mod desk_page;
mod form;
mod frame;
mod graphs_page;
mod heaps;
mod ladder;
mod message;
mod money;
mod picture;
mod playground;
mod prose;
mod quote;
mod releases_page;
mod sections;
mod sentence;
mod share;
mod sign_in;
mod sql_text;

pub use answer::{AnswerTable, ROWS_MAX};
pub use assets::{SCRIPT, SCRIPT_PATH, STYLE, STYLE_PATH};
pub use audit_page::{AuditOutcome, AuditPage};
pub use budget_page::{BudgetPage, Past, SeenScope};
pub use catalog_editor::{CatalogEditor, Checked};
pub use catalog_page::catalog_page;
pub use desk_page::{Chain, DeskPage, Somebody};
pub use form::Form;
pub use frame::{Frame, Visitor, form_token};
pub use graphs_page::{GRAPH_STEP, GraphsPage};
pub use ladder::{FIRST_PRICE, Ladder, PRICES, steps};
pub use message::message_page;
pub use money::{error_text, moment_text, price_text};
pub use playground::{Lesson, playground_page};
pub use quote::QuoteFacts;
pub use releases_page::releases_page;
pub use sections::Section;
pub use sentence::{Sentence, askable, examples};
pub use share::Share;
pub use sign_in::{SignIn, sign_in_page};
