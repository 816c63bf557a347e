//! A page that says why there is none.

use maud::{Markup, html};
use pointillist_render::text::{shown, unbroken};

use crate::frame::{Frame, Visitor};

/// What is wrong, and what to do next.
pub fn message_page(visitor: Option<&Visitor>, title: &str, words: &str, next: Option<&str>) -> Markup {
    Frame { title, section: None, visitor }.page(&html! {
        div.head.article {
            h1 { (shown(title)) }
            p.lead { (unbroken(&shown(words))) }
            @if let Some(next) = next { p { (unbroken(&shown(next))) } }
        }
    })
}
