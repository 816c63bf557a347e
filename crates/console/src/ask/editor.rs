//! Where a question is written: SQL in colours, or a sentence that writes the SQL.

use maud::{Markup, html};
use pointillist_curator::{TableFacts, TableList};
use pointillist_render::text::shown;
use serde_json::json;

use super::{AskPage, Earlier};
use crate::frame::form_token;
use crate::sentence::{Comparison, Filter, askable, examples, groups, measures};
use crate::sql_text::highlighted;

/// Questions of before that are one press away.
const EARLIER: usize = 8;

impl AskPage<'_> {
    /// The editor and all of its forms.
    pub(super) fn editor(&self) -> Markup {
        let draft = &self.draft;
        let in_words = draft.sentence.is_some();
        html! {
            section.editor aria-label="Your question" {
                div.editor-top {
                    div.segments role="radiogroup" aria-label="How to ask" {
                        input type="radio" name="by" id="by-sql" value="sql" checked[!in_words];
                        label for="by-sql" { "SQL" }
                        input type="radio" name="by" id="by-words" value="words" checked[in_words];
                        label for="by-words" { "In words" }
                    }
                    div.recall {
                        (self.recall("Examples", examples(self.list).into_iter().map(|(words, sentence)| (words, sentence.sql(self.list)))))
                        @if !self.earlier.is_empty() {
                            (self.recall("History", self.earlier.iter().take(EARLIER).map(earlier)))
                        }
                    }
                }
                (self.sentence())
                form id="ask" method="post" action="/ask/quote" data-ask {
                    (form_token(self.visitor))
                    input type="hidden" name="nonce" value=(draft.nonce);
                    div.code {
                        pre aria-hidden="true" { (highlighted(&draft.sql)) "\n" }
                        textarea name="sql" aria-label="Question in SQL" spellcheck="false" autocapitalize="off" autocomplete="off"
                            rows=(draft.sql.lines().count().max(4) + 1) data-names=(names(self.list)) {
                            // A browser drops one line break at the beginning.
                            "\n" (draft.sql)
                        }
                    }
                    div.options {
                        label.field.no-script { span { "Price, as ε" } input type="text" name="epsilon" inputmode="decimal" value=(draft.epsilon); }
                        details.more open[!draft.max_groups.is_empty() || !draft.max_contributions.is_empty()] {
                            summary { "How much of one person counts" }
                            div.pairs {
                                label.field { span { "Groups of a person" } input type="text" inputmode="numeric" name="max_groups" value=(draft.max_groups) placeholder="as declared"; }
                                label.field { span { "Rows in a group" } input type="text" inputmode="numeric" name="max_contributions" value=(draft.max_contributions) placeholder="as declared"; }
                            }
                            p.small.quiet { "Fewer make smaller error bars. Whoever has more counts as that many." }
                        }
                        button.button.no-script type="submit" { "Quote again" }
                    }
                }
                p.chips.needs-script id="chips" { (chips(self.list, &draft.sql)) }
            }
        }
    }

    /// Statements that can be taken up again, each a button of its own form.
    fn recall(&self, title: &str, questions: impl Iterator<Item = (String, String)>) -> Markup {
        html! {
            details.drop {
                summary { (title) }
                div.drop-list {
                    @for (words, sql) in questions {
                        form method="post" action="/ask/quote" {
                            (form_token(self.visitor))
                            input type="hidden" name="sql" value=(sql);
                            button.link type="submit" data-recall { (shown(&words)) }
                        }
                    }
                }
            }
        }
    }

    /// The question in words.
    fn sentence(&self) -> Markup {
        let first = || examples(self.list).into_iter().next().map(|(_, sentence)| sentence);
        let chosen = self.draft.sentence.clone().or_else(first);
        let Some(chosen) = chosen else { return html! {} };
        let Some(table) = self.list.tables.iter().find(|table| table.name == chosen.table) else {
            return html! {};
        };
        html! {
            form.sentence method="post" action="/ask/build" data-sentence {
                (form_token(self.visitor))
                "In " (select("table", "the table", askable(self.list).map(|table| Choice::new(&table.name, &table.name)), &chosen.table))
                ", show " (select("measure", "what to show", measures(table).iter().map(|measure| Choice::new(&measure.key(), &measure.words(&table.name))), &chosen.measure.key()))
                " for " (select("group", "for each", group_choices(table), chosen.group.as_deref().unwrap_or_default()))
                " where " (self.filter(table, chosen.filter.as_ref()))
                button.button.slim.no-script type="submit" { "Write the SQL" }
            }
        }
    }

    fn filter(&self, table: &TableFacts, filter: Option<&Filter>) -> Markup {
        let columns = table.columns.iter().map(|column| Choice::new(&column.name, &column.name));
        let columns = std::iter::once(Choice::new("", "everything counts")).chain(columns);
        let comparisons = [">=", "<", "=", "<>"].into_iter().zip(Comparison::ALL);
        let sign = filter.map_or(">=", |filter| match filter.comparison {
            Comparison::AtLeast => ">=",
            Comparison::Below => "<",
            Comparison::Is => "=",
            Comparison::IsNot => "<>",
        });
        html! {
            (select("column", "the column that decides", columns, filter.map_or("", |filter| &filter.column)))
            " "
            (select("comparison", "compared how", comparisons.map(|(sign, comparison)| Choice::new(sign, comparison.words())), sign))
            " "
            input type="text" name="value" aria-label="with what" value=(filter.map_or("", |filter| &filter.value));
        }
    }
}

/// One thing that can be chosen.
struct Choice {
    value: String,
    words: String,
}

impl Choice {
    fn new(value: &str, words: &str) -> Self {
        Self { value: value.to_owned(), words: shown(words) }
    }
}

fn select(name: &str, label: &str, choices: impl Iterator<Item = Choice>, chosen: &str) -> Markup {
    html! {
        select name=(name) aria-label=(label) {
            @for choice in choices {
                option value=(choice.value) selected[choice.value == chosen] { (choice.words) }
            }
        }
    }
}

fn group_choices(table: &TableFacts) -> impl Iterator<Item = Choice> {
    let each = groups(table).map(|column| match column.kind {
        "date" => Choice::new(&column.name, &format!("each month of {}", column.name)),
        _ => Choice::new(&column.name, &format!("each {}", column.name)),
    });
    std::iter::once(Choice::new("", "everybody together")).chain(each)
}

fn earlier(earlier: &Earlier) -> (String, String) {
    let words: String = earlier.sql.split_whitespace().collect::<Vec<_>>().join(" ");
    let words = match words.char_indices().nth(70) {
        Some((end, _)) => format!("{}…", &words[..end]),
        None => words,
    };
    (words, earlier.sql.clone())
}

/// Names that can be put into the statement with one press: those of the table that it is about.
pub(super) fn chips(list: &TableList, sql: &str) -> Markup {
    let lower = sql.to_lowercase();
    let table = list.tables.iter().find(|table| lower.contains(&table.name.to_lowercase()));
    let Some(table) = table.or_else(|| list.tables.first()) else { return html! {} };
    html! {
        span { (shown(&table.name)) " has" }
        @for column in &table.columns { button.chip type="button" data-insert=(column.name) { (shown(&column.name)) } }
    }
}

/// Every name that a statement may have, for completion: what it is, and whose.
fn names(list: &TableList) -> String {
    let tables = list.tables.iter().map(|table| json!([table.name, "table"]));
    let columns = list.tables.iter().flat_map(|table| {
        table.columns.iter().map(|column| json!([column.name, format!("{}, {}", column.kind, table.name)]))
    });
    let graphs = list.graphs.iter().map(|graph| json!([graph.name, "graph"]));
    let mut names: Vec<serde_json::Value> = tables.chain(columns).chain(graphs).collect();
    names.dedup();
    json!(names).to_string()
}
