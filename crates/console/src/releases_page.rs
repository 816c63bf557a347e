//! What is published: releases with their files, as they were signed.

use maud::{Markup, html};
use pointillist_publication::ShelfRelease;
use pointillist_render::decimals::{grouped_count, significant};
use pointillist_render::text::shown;

use crate::frame::{Frame, Visitor};
use crate::sections::Section;

/// The page.
pub fn releases_page<'r>(visitor: &Visitor, releases: impl Iterator<Item = &'r ShelfRelease>) -> Markup {
    let releases: Vec<&ShelfRelease> = releases.collect();
    let frame = Frame { title: "Releases", section: Some(Section::Releases), visitor: Some(visitor) };
    frame.page(&html! {
        div.head {
            h1 { "Releases" }
            p.lead { "Tables that were published once and for all. They are signed, public and free." }
        }
        @if releases.is_empty() {
            p { "Nothing is published yet. When the owner publishes tables, they stand here with their files, and can be asked about like any public table." }
        }
        @for release in releases {
            h2 { (shown(&release.name)) }
            p { "Paid from the budget of " code { (shown(&release.scope)) } ". Anybody can check the files with " code.nb { "pointillist release verify" } "." }
            div.scroll tabindex="0" role="region" aria-label=(format!("Files of {}", shown(&release.name))) { table.cards {
                thead { tr { th scope="col" { "file" } th.n scope="col" { "size" } th scope="col" { "SHA-256" } } }
                tbody { @for file in &release.files { tr {
                    td { a href=(format!("/releases/{}/{}", escaped(&release.name), escaped(&file.name))) download { (shown(&file.name)) } }
                    td.n { (size(file.bytes)) }
                    td.whole { code { (file.sha256.chars().take(16).collect::<String>()) "…" } }
                } } }
            } }
        }
    })
}

fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{} bytes", grouped_count(bytes)),
        1_000..1_000_000 => format!("{}\u{a0}kB", significant(bytes as f64 / 1e3)),
        _ => format!("{}\u{a0}MB", significant(bytes as f64 / 1e6)),
    }
}

/// A name as a part of a path.
fn escaped(name: &str) -> String {
    let mut path = String::new();
    for byte in name.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
                path.push(char::from(byte))
            }
            other => path.push_str(&format!("%{other:02X}")),
        }
    }
    path
}
