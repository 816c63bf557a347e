//! What is around every page: the head, the navigation of whoever looks, the foot.

use maud::{DOCTYPE, Markup, html};
use pointillist_access::Role;
use pointillist_render::decimals::percent;
use pointillist_render::fluid::Gauge;
use pointillist_render::text::shown;

use crate::assets::{script_address, style_address};
use crate::sections::Section;

/// Somebody who is signed in, as pages show them.
#[derive(Clone, Debug, PartialEq)]
pub struct Visitor {
    /// Their name.
    pub name: String,
    /// Their role.
    pub role: Role,
    /// What every form of theirs carries, so that no other page can send one in their name.
    pub form_token: String,
    /// Which part of their share is spent; nothing where they have none.
    pub spent: Option<f64>,
}

/// A page and where it stands.
pub struct Frame<'p> {
    /// Its name, for the window.
    pub title: &'p str,
    /// The section that it belongs to; nothing where it belongs to none.
    pub section: Option<Section>,
    /// Whoever looks; nobody where they are not signed in.
    pub visitor: Option<&'p Visitor>,
}

impl Frame<'_> {
    /// The whole page.
    pub fn page(&self, body: &Markup) -> Markup {
        html! {
            (DOCTYPE)
            html lang="en" {
                (head(self.title))
                body {
                    a.skip href="#main" { "Skip to the page" }
                    header.bar { div.bar-in {
                        a.mark href=(self.first()) { (mark()) "Pointillist" }
                        nav.nav aria-label="Main" {
                            @for section in self.sections() {
                                a href=(section.path()) aria-current=[self.current(section)] { (section.word()) }
                            }
                        }
                        (self.who())
                    } }
                    main id="main" { (body) }
                    (foot())
                }
            }
        }
    }

    fn sections(&self) -> Vec<Section> {
        match self.visitor {
            // The playground is for lessons: whoever works here finds it at the foot of the page.
            Some(visitor) => Section::ALL
                .into_iter()
                .filter(|section| section.is_for(visitor.role) && *section != Section::Playground)
                .collect(),
            None => vec![Section::Playground],
        }
    }

    fn current(&self, section: Section) -> Option<&'static str> {
        (self.section == Some(section)).then_some("page")
    }

    fn first(&self) -> &'static str {
        self.visitor.map_or("/sign-in", |visitor| Section::first(visitor.role).path())
    }

    fn who(&self) -> Markup {
        let Some(visitor) = self.visitor else {
            return html! { div.who { a href="/sign-in" { "Sign in" } } };
        };
        html! {
            div.who {
                (purse(visitor.spent))
                span.name { (shown(&visitor.name)) @if visitor.role != Role::Analyst && visitor.name != visitor.role.word() { ", " (visitor.role.word()) } }
                form method="post" action="/sign-out" {
                    (form_token(visitor))
                    button.link type="submit" { "Sign out" }
                }
            }
        }
    }
}

/// What is left of somebody's share, in the header.
pub fn purse(spent: Option<f64>) -> Markup {
    html! {
        span id="purse" {
            @if let Some(spent) = spent {
                a.purse href=(Section::Budget.path()) { (Gauge::spent(spent).svg()) (left(spent)) }
            }
        }
    }
}

/// What is left of a whole, rounded down.
pub(crate) fn left(spent: f64) -> String {
    match (1.0 - spent).max(0.0) {
        0.0 => "nothing left".to_owned(),
        1.0 => "100\u{a0}% left".to_owned(),
        left if left < 0.001 => "under 0.1\u{a0}% left".to_owned(),
        left => {
            let tenths = (1_000.0 * left).floor() / 1_000.0;
            format!("{} left", percent(tenths).replace(' ', "\u{a0}"))
        }
    }
}

/// The hidden field that shows that a form is ours.
pub fn form_token(visitor: &Visitor) -> Markup {
    html! { input type="hidden" name="form_token" value=(visitor.form_token); }
}

/// What stands before the body of every page.
pub(crate) fn head(title: &str) -> Markup {
    html! {
        head {
            meta charset="utf-8";
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta name="robots" content="noindex";
            title { (shown(title)) " · Pointillist" }
            link rel="stylesheet" href=(style_address());
            link rel="icon" href="data:,";
            script src=(script_address()) defer {}
        }
    }
}

/// Seven dots.
pub(crate) fn mark() -> Markup {
    const DOTS: [(&str, &str, &str); 7] = [
        ("11", "3.4", "2.1"),
        ("4.4", "7.2", "2.5"),
        ("17.6", "7.2", "1.6"),
        ("11", "11", "3"),
        ("4.4", "14.8", "1.6"),
        ("17.6", "14.8", "2.5"),
        ("11", "18.6", "2.1"),
    ];
    html! {
        svg viewBox="0 0 22 22" aria-hidden="true" {
            @for (x, y, radius) in DOTS { circle cx=(x) cy=(y) r=(radius) {} }
        }
    }
}

fn foot() -> Markup {
    html! {
        footer.foot { div.foot-in {
            span { "See the picture, never the dot." }
            a href="/playground" { "Playground" }
            a href="/docs" { "For programs" }
            span { "Pointillist " (env!("CARGO_PKG_VERSION")) }
        } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_shows_its_visitor_what_is_theirs() {
        let visitor = Visitor {
            name: "<ana>".to_owned(),
            role: Role::Analyst,
            form_token: "t\"1".to_owned(),
            spent: Some(0.339),
        };
        let frame = Frame { title: "<Ask>", section: Some(Section::Ask), visitor: Some(&visitor) };
        let page = frame.page(&html! { p { "hello" } }).into_string();
        assert!(page.contains("&lt;ana&gt;") && page.contains("value=\"t&quot;1\""), "{page}");
        assert!(page.contains("<a href=\"/ask\" aria-current=\"page\">Ask</a>"), "{page}");
        assert!(page.contains("66.1\u{a0}% left") && !page.contains("/desk"), "{page}");
        let guest = Frame { title: "Playground", section: Some(Section::Playground), visitor: None };
        let page = guest.page(&html! {}).into_string();
        assert!(
            page.contains("Sign in") && !page.contains("/budget") && !page.contains("Sign out"),
            "{page}"
        );
    }

    #[test]
    fn what_is_left_is_never_rounded_up() {
        assert_eq!(left(0.0), "100\u{a0}% left");
        assert_eq!(left(0.99999), "under 0.1\u{a0}% left");
        assert_eq!(left(1.0), "nothing left");
        assert_eq!(left(0.346_04), "65.3\u{a0}% left");
    }
}
