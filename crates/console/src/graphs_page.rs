//! Graphs: what each statistic would be worth under both kinds of privacy, side by side, at a price that a slider moves.

use maud::{Markup, html};
use pointillist_access::Verb;
use pointillist_curator::{GraphFacts, GraphOutlook, GraphQuote, TYPICAL_NODES};
use pointillist_errors::Explanation;
use pointillist_render::decimals::grouped_count;
use pointillist_render::text::{shown, unbroken};
use serde_json::json;

use crate::frame::{Frame, Visitor, form_token};
use crate::ladder::PRICES;
use crate::money::error_text;
use crate::sections::Section;

/// The page.
pub struct GraphsPage<'p> {
    /// Whoever looks.
    pub visitor: &'p Visitor,
    /// The graphs that are declared.
    pub graphs: &'p [GraphFacts],
    /// Which of them is looked at.
    pub chosen: Option<&'p GraphFacts>,
    /// The step of the slider.
    pub step: usize,
    /// What to expect at that price.
    pub outlooks: Vec<GraphOutlook>,
    /// The statement that asks for a statistic of the chosen graph.
    pub statement: &'p dyn Fn(&GraphFacts, &GraphOutlook) -> String,
}

/// The step to begin with: ε 1.
pub const GRAPH_STEP: usize = 21;

impl GraphsPage<'_> {
    /// The whole page.
    pub fn page(&self) -> Markup {
        let frame = Frame { title: "Graphs", section: Some(Section::Graphs), visitor: Some(self.visitor) };
        let words: Vec<String> = PRICES.iter().map(|price| format!("ε\u{a0}{price}")).collect();
        frame.page(&html! {
            div.head {
                h1 { "Graphs" }
                p.lead { "Who is tied to whom, in two kinds of privacy: hide that two people met, or hide that a person was here at all." }
            }
            @match self.chosen {
                Some(chosen) => {
                    @if self.graphs.len() > 1 {
                        p.ui { "Graphs: " @for graph in self.graphs { a href=(format!("/graphs?graph={}", escaped(&graph.name))) { (shown(&graph.name)) } " " } }
                    }
                    h2 { (shown(&chosen.name)) }
                    div.protect {
                        @if chosen.privacy == "node" {
                            p { "Here a " strong { "person" } " is hidden, with all their ties." }
                            p { "Nobody can tell whether somebody was here at all. Paid from the budget of " code { (shown(&chosen.scope)) } "." }
                        } @else {
                            p { "Here one " strong { "tie" } " is hidden." }
                            p { "Nobody can tell whether two people met; that somebody has very many ties may show. Paid from the budget of " code { (shown(&chosen.scope)) } "." }
                        }
                    }
                },
                None => p { "No graph is declared here. This is what one would be worth." },
            }
            h2 { "The same question, both ways" }
            form.slider method="get" action="/graphs" data-live {
                @if let Some(chosen) = self.chosen { input type="hidden" name="graph" value=(chosen.name); }
                div.slider-top { label for="step" { "Price of each number" } output for="step" { (words[self.step]) } }
                input type="range" id="step" name="step" min="0" max=(PRICES.len() - 1) value=(self.step) data-words=(json!(words)) aria-valuetext=(words[self.step]);
                div.ends { span { "cheaper, blurrier" } span { "dearer, sharper" } }
                button.button.slim.no-script type="submit" { "Show" }
            }
            div id="outlooks" { (self.piece()) }
            p.small.quiet { "Worked out for a graph of " (grouped_count(u64::from(TYPICAL_NODES))) " people; no graph is looked at. Where an error bar depends on the graph itself, it comes with the answer." }
        })
    }

    /// The part that the slider changes.
    pub fn piece(&self) -> Markup {
        let may_ask = self.visitor.role.may(Verb::Ask);
        html! {
            div.scroll tabindex="0" role="region" aria-label="Statistics under both kinds of privacy" {
                table.pair {
                    thead { tr { th scope="col" { "statistic" } th.n scope="col" { "hiding one tie" } th.n scope="col" { "hiding one person" }
                        @if may_ask && self.chosen.is_some() { th scope="col" { span.quiet { "ask" } } } } }
                    tbody { @for outlook in &self.outlooks { tr {
                        th scope="row" { (name(&outlook.statistic.to_string())) }
                        td.n data-label="hiding one tie" { (cell(&outlook.edge)) }
                        td.n data-label="hiding one person" { (cell(&outlook.node)) }
                        @if let Some(chosen) = self.chosen.filter(|_| may_ask) { td.act { (self.ask(chosen, outlook)) } }
                    } } }
                }
            }
        }
    }

    /// The way to the price of the real thing, where the declared privacy has it.
    fn ask(&self, chosen: &GraphFacts, outlook: &GraphOutlook) -> Markup {
        let offered = if chosen.privacy == "node" { &outlook.node } else { &outlook.edge };
        html! {
            @if offered.is_ok() {
                form.again method="post" action="/ask/quote" {
                    (form_token(self.visitor))
                    input type="hidden" name="sql" value=((self.statement)(chosen, outlook));
                    input type="hidden" name="epsilon" value=(PRICES[self.step]);
                    button.link type="submit" aria-label=(format!("Quote {}", outlook.statistic)) { "Quote" }
                }
            }
        }
    }
}

fn cell(quote: &Result<GraphQuote, Explanation>) -> Markup {
    match quote {
        Ok(quote) => match quote.error_95 {
            Some(error) => html! { span { (error_text(error)) } },
            None => {
                html! { span.quiet title=(unbroken(&shown(quote.outlook.first().map_or("", String::as_str)))) { "with the answer" } }
            }
        },
        Err(_) => html! { span.quiet { "not offered" } },
    }
}

/// A statistic in words that need no glossary.
fn name(statistic: &str) -> String {
    match statistic {
        "nodes" => "People".to_owned(),
        "edges" => "Ties".to_owned(),
        "max-degree" => "Most ties of one person".to_owned(),
        "degree-bound" => "Ties that nearly all stay within".to_owned(),
        "degeneracy" => "Densest circle".to_owned(),
        "components" => "Separate groups".to_owned(),
        "triangles" => "Triangles".to_owned(),
        "four-cliques" => "Foursomes who all know each other".to_owned(),
        "rectangles" => "Rings of four".to_owned(),
        "degrees" => "How many have how many ties".to_owned(),
        "global-clustering" => "Friends of friends who are friends".to_owned(),
        "average-clustering" => "The same, person by person".to_owned(),
        "2-stars" => "Pairs of ties that meet".to_owned(),
        "2-triangles" => "Ties in two triangles".to_owned(),
        other => other.to_owned(),
    }
}

fn escaped(name: &str) -> String {
    name.bytes()
        .map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => char::from(byte).to_string(),
            other => format!("%{other:02X}"),
        })
        .collect()
}
