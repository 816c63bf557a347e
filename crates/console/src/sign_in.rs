//! Coming in: a name, a password, and a picture of dots.

use maud::{DOCTYPE, Markup, html};

use crate::frame::{head, mark};
use crate::picture::picture;
use crate::sections::Section;

/// What somebody comes with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SignIn {
    /// The name that they typed before.
    pub name: String,
    /// Where they wanted to go.
    pub next: Option<Section>,
    /// Why they are not in.
    pub refusal: Option<&'static str>,
}

/// The page.
pub fn sign_in_page(sign_in: &SignIn) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            (head("Sign in"))
            body.door {
                div.picture { (picture()) }
                main.door-in id="main" {
                    a.mark href="/sign-in" { (mark()) "Pointillist" }
                    h1 { "See the picture, never the dot." }
                    form method="post" action="/sign-in" {
                        @if let Some(refusal) = sign_in.refusal { p.note.alarm role="alert" { (refusal) } }
                        @if let Some(next) = sign_in.next { input type="hidden" name="next" value=(next.path()); }
                        label.field { span { "Name" }
                            input type="text" name="name" autocomplete="username" autocapitalize="off" spellcheck="false" required value=(sign_in.name); }
                        label.field { span { "Password" }
                            input type="password" name="password" autocomplete="current-password" required;
                            small { "From the owner of the data, or from the last lines of " code.nb { "pointillist serve --demo" } } }
                        button.button.main type="submit" { "Sign in" }
                    }
                    p.ui.quiet { "No account? The " a href="/playground" { "playground" } " is open to everybody." }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_typed_stays_a_text_and_the_password_is_not_repeated() {
        let sign_in =
            SignIn { name: "\"><script>".to_owned(), next: Some(Section::Budget), refusal: Some("No.") };
        let page = sign_in_page(&sign_in).into_string();
        assert!(
            page.contains("value=\"&quot;&gt;&lt;script&gt;\"") && page.contains("value=\"/budget\""),
            "{page}"
        );
        assert!(page.len() < 100_000, "{}", page.len());
    }
}
