//! Sentences of other rooms on a page: names between backticks become code, numbers stay with their units.

use maud::{Markup, html};
use pointillist_render::text::{shown, unbroken};

/// A sentence as it stands.
pub(crate) fn prose(words: &str) -> Markup {
    html! {
        @for (place, part) in words.split('`').enumerate() {
            @if place % 2 == 1 { code { (shown(part)) } } @else { (unbroken(&shown(part))) }
        }
    }
}

/// The same with a capital and a full stop.
pub(crate) fn sentence(words: &str) -> Markup {
    let mut sentence: String = words
        .chars()
        .next()
        .map_or_else(String::new, |first| first.to_uppercase().chain(words.chars().skip(1)).collect());
    if !sentence.ends_with(['.', '?', '!', ':']) {
        sentence.push('.');
    }
    prose(&sentence)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_code_and_nothing_is_a_tag() {
        assert_eq!(prose("a `b<i>` c <i>").into_string(), "a <code>b&lt;i&gt;</code> c &lt;i&gt;");
        assert_eq!(sentence("no such table `x`").into_string(), "No such table <code>x</code>.");
        assert_eq!(prose("never `ends").into_string(), "never <code>ends</code>");
        assert!(!prose("\u{202e}x").into_string().contains('\u{202e}'));
    }
}
