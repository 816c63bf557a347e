//! What can be asked about: who is protected, and what each column means. Written by the owner, never learnt from rows.

use maud::{Markup, html};
use pointillist_catalog::Value;
use pointillist_catalog::calendar::{date_text, timestamp_text};
use pointillist_curator::{ProtectionFacts, TableColumn, TableFacts, TableList};
use pointillist_render::decimals::{grouped, grouped_count};
use pointillist_render::text::shown;

use crate::frame::{Frame, Visitor, form_token};
use crate::sections::Section;
use crate::sentence::{Measure, Sentence, measures};

/// Keys that are written out.
const KEYS_SHOWN: usize = 8;

/// The page. Whoever may edit the catalog finds the way.
pub fn catalog_page(visitor: &Visitor, list: &TableList, may_edit: bool) -> Markup {
    let frame = Frame { title: "Catalog", section: Some(Section::Catalog), visitor: Some(visitor) };
    let private = list.tables.iter().filter(|table| !table.public);
    let public: Vec<&TableFacts> = list.tables.iter().filter(|table| table.public).collect();
    frame.page(&html! {
        div.head {
            h1 { "What you can ask about" }
            p.lead { "Everything on this page was written down by the owner. None of it was learnt from the rows." }
            @if may_edit { p { a.button href="/catalog/edit" { "Edit the catalog" } } }
        }
        @if list.tables.is_empty() && list.graphs.is_empty() {
            p { "Nothing is declared yet." }
        }
        @for table in private { (private_table(visitor, list, table)) }
        @for graph in &list.graphs {
            h2 id=(anchor(&graph.name)) { (shown(&graph.name)) }
            div.protect {
                @if graph.privacy == "node" { p { "Every person is protected, with all their ties together." } }
                @else { p { "Every tie between two people is protected, one at a time." } }
            }
            p { "A graph: who is tied to whom. " a href="/graphs" { "What can be asked about it" } "." }
        }
        @if !public.is_empty() {
            h2 { "Public, and free" }
            p { "No row of these is about a person. They cost nothing and are exact." }
            @for table in public {
                h3 id=(anchor(&table.name)) { (shown(&table.name)) @if table.release { " " span.tag.calm { "a release" } } }
                (columns(table, true))
            }
        }
    })
}

/// Who is protected, in a sentence or two.
fn protected(unit: &str) -> Markup {
    match unit.split_once(", through ") {
        _ if unit == "row" => html! {
            p { "Every " strong { "row" } " is taken for another person." }
            p { "Somebody with ten rows is hidden ten times less well than somebody with one." }
        },
        Some((column, key)) => html! {
            p { "Every " strong { "person" } " is protected, with all their rows together." }
            p { "Whose row it is says the link from " code { (shown(column)) } " to " code { (shown(key)) } ". Rows whose link leads nowhere are never read." }
        },
        None => html! {
            p { "Every " strong { "person" } " is protected, with all their rows together." }
            p { "One value of " code { (shown(unit)) } " is one person. Rows without it belong to nobody, and are never read." }
        },
    }
}

fn private_table(visitor: &Visitor, list: &TableList, table: &TableFacts) -> Markup {
    html! {
        h2 id=(anchor(&table.name)) { (shown(&table.name)) }
        @if let Some(protection) = &table.protection {
            div.protect { (protected(&protection.privacy_unit)) }
        }
        (columns(table, false))
        div.two {
            @if let Some(protection) = &table.protection { div { h3 { "How one person counts" } (counts(protection)) } }
            @if visitor.role.may(pointillist_access::Verb::Ask) {
                div { h3 { "Try it" } @for sentence in tries(table) { (try_it(visitor, list, &sentence)) } }
            }
        }
    }
}

/// A question that is one press away.
fn try_it(visitor: &Visitor, list: &TableList, sentence: &Sentence) -> Markup {
    html! {
        form.try-it method="post" action="/ask/quote" {
            (form_token(visitor))
            input type="hidden" name="sql" value=(sentence.sql(list));
            button.link type="submit" { (shown(&sentence.words(list))) }
        }
    }
}

fn tries(table: &TableFacts) -> Vec<Sentence> {
    let first = Sentence::first(table);
    let average = measures(table).into_iter().find(|measure| matches!(measure, Measure::Average(_)));
    let month = table.columns.iter().find(|column| column.kind == "date");
    let mut tries = vec![first.clone()];
    tries.extend(average.map(|measure| Sentence { measure, ..first.clone() }));
    tries.extend(month.map(|day| Sentence { group: Some(day.name.clone()), ..first.clone() }));
    tries
}

fn counts(protection: &ProtectionFacts) -> Markup {
    let rows = protection.max_contributions.map(|most| match most {
        1 => "one row in a group".to_owned(),
        most => format!("{} rows in a group", grouped_count(most)),
    });
    let groups = protection.max_groups.map(|most| match most {
        1 => "one group in an answer".to_owned(),
        most => format!("{} groups in an answer", grouped_count(most)),
    });
    html! {
        @match (rows, groups) {
            (None, None) => p { "No limit is declared: a question says how many rows and groups of a person count." },
            (rows, groups) => {
                p {
                    "At most " (rows.into_iter().chain(groups).collect::<Vec<_>>().join(", and at most "))
                    ". Whoever has more counts as that many. You can ask for other limits; tighter ones make smaller error bars."
                }
            }
        }
        p.small.quiet { "Paid from the budget of " code { (shown(&protection.scope)) } "." }
        @if let Some(words) = protection.periods.as_ref().and_then(|periods| periods.words.as_ref()) { p.small.quiet { (shown(words)) } }
    }
}

fn columns(table: &TableFacts, is_public: bool) -> Markup {
    html! {
        dl.columns {
            @for column in &table.columns {
                div {
                    dt { (shown(&column.name)) }
                    dd { @if is_public { "As it stands in the table." } @else { (means(column)) } }
                    dd { @if is_public { (column.kind) } @else { (kind(column)) } }
                }
            }
        }
    }
}

/// What an asker sees of a column, in a sentence.
fn means(column: &TableColumn) -> String {
    match (&column.public_keys, column.kind, &column.lower) {
        (Some(_), _, _) => {
            "Its values are listed here, so all of them appear, whether or not anybody is there.".to_owned()
        }
        (None, "text", _) => "A value appears in an answer when enough people have it.".to_owned(),
        (None, "boolean", _) => "Yes or no.".to_owned(),
        (None, "integer" | "decimal", Some(_)) => {
            "A number. Beyond its limits it counts as the nearest of them.".to_owned()
        }
        (None, "date" | "timestamp", Some(_)) => {
            "A day. Beyond its limits it counts as the nearest of them.".to_owned()
        }
        _ => "It can be filtered by and counted, and has no limits to be averaged within.".to_owned(),
    }
}

fn kind(column: &TableColumn) -> String {
    if let Some(keys) = &column.public_keys {
        let first: Vec<String> = keys.iter().take(KEYS_SHOWN).map(|key| shown(&value(key))).collect();
        let rest = keys.len().saturating_sub(KEYS_SHOWN);
        let more = if rest > 0 { format!(" and {} more", grouped_count(rest as u64)) } else { String::new() };
        return format!("{}{more}: always shown", first.join(", "));
    }
    let number = |text: &String| {
        if matches!(column.kind, "integer" | "decimal") { grouped(text) } else { text.clone() }
    };
    match (&column.lower, &column.upper) {
        (Some(low), Some(high)) => format!("{} to {}", number(low), number(high)),
        _ if column.kind == "text" => "text; shown when earned".to_owned(),
        _ => column.kind.to_owned(),
    }
}

fn value(value: &Value) -> String {
    match value {
        Value::Boolean(value) => value.to_string(),
        Value::Integer(value) => value.to_string(),
        Value::Number(value) => value.to_string(),
        Value::Text(value) => value.clone(),
        Value::Date(days) => date_text(*days),
        Value::Timestamp(micros) => timestamp_text(*micros),
    }
}

/// A name as a place on the page.
fn anchor(name: &str) -> String {
    name.chars().map(|sign| if sign.is_ascii_alphanumeric() { sign } else { '-' }).collect()
}
