//! Lessons on made-up people, for everybody: one idea a page, one slider each.
//!
//! What is drawn comes from the product's own mechanisms (`demo/src/playground.rs`), with fresh noise each time; a page computes nothing.

use maud::{Markup, html};
use pointillist_demo::playground::{
    self, AVERAGING_PRICE, Averages, BothPrivacies, LocalAndCentral, NoisyCounts, POSITIVE, PRICES,
    REPETITIONS, SURVEYED, TwoCounts, YES,
};
use pointillist_render::decimals::{grouped, grouped_count};
use serde_json::json;

use crate::frame::{Frame, Visitor};
use crate::heaps::{Heaps, heaps};
use crate::sections::Section;

/// A lesson.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lesson {
    /// Noise against the price.
    Noise,
    /// Two counts that differ in one person.
    Differences,
    /// Asking again and again.
    Averages,
    /// Hiding a tie, hiding a person.
    Graphs,
    /// With and without somebody who is trusted.
    Trust,
}

impl Lesson {
    /// All of them, in their order.
    pub const ALL: [Self; 5] = [Self::Noise, Self::Differences, Self::Averages, Self::Graphs, Self::Trust];

    /// Its word in a path.
    pub fn word(self) -> &'static str {
        match self {
            Self::Noise => "noise",
            Self::Differences => "differences",
            Self::Averages => "averages",
            Self::Graphs => "graphs",
            Self::Trust => "trust",
        }
    }

    /// The lesson of this word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|lesson| lesson.word() == word)
    }

    fn title(self) -> &'static str {
        match self {
            Self::Noise => "A little wrong, on purpose",
            Self::Differences => "Two counts, one secret",
            Self::Averages => "Ask a thousand times",
            Self::Graphs => "Hide a tie, or hide a person",
            Self::Trust => "Trust one, or trust nobody",
        }
    }

    fn lead(self) -> &'static str {
        match self {
            Self::Noise => {
                "2,431 made-up patients tested positive. Each dot is one answer to “how many?”. The price decides how far the answers stray."
            }
            Self::Differences => {
                "How many patients on ward 7 tested positive? And how many, leaving out Mia? Subtract: the difference is Mia’s result. Unless each count is a little wrong."
            }
            Self::Averages => {
                "Noise averages out: whoever asks often enough gets the truth. Unless the same question always gets the same answer, and every new one is paid for."
            }
            Self::Graphs => {
                "Forty made-up patients, and who shared a room with whom. How many ties are there? One promise hides that two people met, the other that a person was here at all."
            }
            Self::Trust => {
                "A thousand people are asked something delicate, and 300 of them would say yes. Either somebody trusted counts and blurs the sum, or everybody blurs their own answer."
            }
        }
    }

    /// The step to begin with.
    pub fn first_step(self) -> usize {
        match self {
            Self::Averages => 6,
            Self::Trust => 6,
            Self::Noise | Self::Differences | Self::Graphs => 4,
        }
    }

    /// How many steps its slider has.
    pub fn steps(self) -> usize {
        if self == Self::Averages { REPETITIONS.len() } else { PRICES.len() }
    }

    fn slider(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Averages => ("How often the question is asked", "once", "a thousand times"),
            Self::Differences => {
                ("Privacy price of each count", "more noise, more private", "less noise, less private")
            }
            Self::Noise | Self::Graphs => {
                ("Privacy price", "more noise, more private", "less noise, less private")
            }
            Self::Trust => {
                ("Privacy price for each person", "more noise, more private", "less noise, less private")
            }
        }
    }

    fn value(self, step: usize) -> String {
        match self {
            Self::Averages => match REPETITIONS[step.min(REPETITIONS.len() - 1)] {
                1 => "once".to_owned(),
                times => format!("{} times", grouped_count(times as u64)),
            },
            _ => format!("ε\u{a0}{}", PRICES[step.min(PRICES.len() - 1)]),
        }
    }

    /// What the lesson shows at a step; nothing where the machine gives no randomness.
    pub fn piece(self, step: usize) -> Option<Markup> {
        Some(match self {
            Self::Noise => noise(&playground::noisy_counts(step)?),
            Self::Differences => differences(&playground::two_counts(step)?),
            Self::Averages => averages(&playground::averages(step)?),
            Self::Graphs => graphs(&playground::both_privacies(step)?),
            Self::Trust => trust(&playground::local_and_central(step)?),
        })
    }

    /// The whole page, at a step.
    pub fn page(self, visitor: Option<&Visitor>, step: usize, piece: &Markup) -> Markup {
        let place = Self::ALL.iter().position(|lesson| *lesson == self).unwrap_or_default();
        let (label, low, high) = self.slider();
        let words: Vec<String> = (0..self.steps()).map(|step| self.value(step)).collect();
        let frame = Frame { title: self.title(), section: Some(Section::Playground), visitor };
        frame.page(&html! {
            div.stage {
                div.head {
                    p.eyebrow { "Playground, " (place + 1) " of " (Self::ALL.len()) }
                    h1 { (self.title()) }
                    p.lead { (self.lead()) }
                }
                form.slider method="get" action=(format!("/playground/{}", self.word())) data-live {
                    div.slider-top { label for="step" { (label) } output for="step" { (self.value(step)) } }
                    input type="range" id="step" name="step" min="0" max=(self.steps() - 1) value=(step) data-words=(json!(words))
                        aria-valuetext=(self.value(step));
                    div.ends { span { (low) } span { (high) } }
                    div.actions {
                        button.button type="submit" { "Again, with fresh noise" }
                        @match Self::ALL.get(place + 1) {
                            Some(next) => a href=(format!("/playground/{}", next.word())) { "Next: " (next.title()) },
                            None => a href="/playground" { "All lessons" },
                        }
                    }
                }
                div id="lesson" aria-live="polite" { (piece) }
            }
        })
    }
}

/// The page that lists the lessons.
pub fn playground_page(visitor: Option<&Visitor>) -> Markup {
    Frame { title: "Playground", section: Some(Section::Playground), visitor }.page(&html! {
        div.stage {
            div.head {
                h1 { "Playground" }
                p.lead { "Five lessons about made-up people. The noise is the real one, drawn afresh every time; nobody is in the numbers." }
            }
            ol.lessons {
                @for lesson in Lesson::ALL {
                    li { a href=(format!("/playground/{}", lesson.word())) { strong { (lesson.title()) } } p { (lesson.lead()) } }
                }
            }
        }
    })
}

fn floats(numbers: &[i64]) -> Vec<f64> {
    numbers.iter().map(|number| *number as f64).collect()
}

fn number(number: i64) -> String {
    let digits = grouped(&number.unsigned_abs().to_string());
    if number < 0 { format!("−{digits}") } else { digits }
}

fn noise(drawn: &NoisyCounts) -> Markup {
    let truth = POSITIVE as f64;
    html! {
        (heaps(&Heaps { above: &floats(&drawn.counts), below: &[], middle: truth, reach: 45.0, truth: Some(truth),
            words: "Answers to one question, each a dot. They heap around the truth." }))
        div.verdicts {
            div { h2 { "One answer" } p.huge { (number(drawn.counts[0])) " " span.pm { "±\u{a0}" (number(drawn.error_95)) } }
                p { "Nineteen answers in twenty are no further off than the error bar." } }
            div { h2 { "What it hides" } p.huge { "1 person" }
                p { "With one patient more or fewer the heap would stand one dot to the side. The smaller the price, the less a dot tells which heap it is from." } }
        }
    }
}

fn differences(drawn: &TwoCounts) -> Markup {
    let (with, without) = drawn.pair;
    let says = if with - without >= 1 { "positive" } else { "negative" };
    html! {
        p.worlds { span { (key_dot("dot-a")) "If Mia tested positive" } span.quiet { "without noise, every dot stands at 1" } }
        (heaps(&Heaps { above: &floats(&drawn.if_positive), below: &floats(&drawn.if_not), middle: 0.0, reach: 25.0, truth: None,
            words: "Differences of two noisy counts. Above if Mia tested positive, below if not: the smaller the price, the more the two heaps are alike." }))
        p.worlds { span { (key_dot("dot-b")) "If not" } span.quiet { "without noise, every dot stands at 0" } }
        div.verdicts {
            div { h2 { "The dot: is it Mia?" } p.huge { (format!("{:.0}", 100.0 * drawn.right_fraction)) " of 100" }
                p { "times the attacker is right. A coin gets 50. No method whatever gets more than " (format!("{:.0}", (100.0 * drawn.right_upper).ceil())) "." } }
            div { h2 { "The picture: positive in all wards" } p.huge { (number(POSITIVE)) " " span.pm { "±\u{a0}" (number(drawn.error_95)) } }
                p { "The hospital’s number is off by about " (format!("{:.1}", 100.0 * drawn.error_95 as f64 / POSITIVE as f64)) "\u{a0}%. Nobody who plans beds would notice." } }
        }
        p.try { strong { "One attack: " } (number(with)) " − " (number(without)) " = " (number(with - without)) ", so the attacker says " em { (says) } ". Mia was positive." }
    }
}

fn averages(drawn: &Averages) -> Markup {
    let truth = POSITIVE as f64;
    let off = |means: &[f64]| {
        let squares: f64 = means.iter().map(|mean| (mean - truth).powi(2)).sum();
        (squares / means.len() as f64).sqrt()
    };
    let hits = drawn.fresh.iter().filter(|mean| (**mean - truth).abs() < 0.5).count();
    html! {
        p.worlds { span { (key_dot("dot-a")) "Here: the same question gets the recorded answer" } span.quiet { "the truth is " (number(POSITIVE)) } }
        (heaps(&Heaps { above: &drawn.recorded, below: &drawn.fresh, middle: truth, reach: 40.0, truth: Some(truth),
            words: "Averages. Above the recorded answer, which stays as blurry as the first; below fresh noise each time, which closes in on the truth." }))
        p.worlds { span { (key_dot("dot-b")) "Elsewhere: averages of answers with fresh noise, for free" } }
        div.verdicts {
            div { h2 { "Fresh noise and no account" } p.huge { (hits) " of " (drawn.fresh.len()) }
                p { "averages round to the exact truth, off by " (format!("{:.1}", off(&drawn.fresh))) ". In truth they cost " (grouped_count(drawn.price_factor as u64)) " times " span.nb { "ε\u{a0}" (AVERAGING_PRICE) } "." } }
            div { h2 { "A recorded answer" } p.huge { "off by " (format!("{:.0}", off(&drawn.recorded))) }
                p { "however often it is asked: a repeat is free, and teaches nothing. New noise would be a new answer, paid from the budget." } }
        }
    }
}

fn graphs(drawn: &BothPrivacies) -> Markup {
    let (places, pairs) = playground::ward_graph();
    let truth = drawn.truth as f64;
    html! {
        div.two {
            section.side { h2.eyebrow { "Edge privacy" } h3 { "Hides one tie" } (network(&places, &pairs, false))
                p { "What is hidden is whether these two met. That somebody has very many ties may show." } }
            section.side { h2.eyebrow { "Node privacy" } h3 { "Hides one person with all their ties" } (network(&places, &pairs, true))
                p { "What is hidden is whether this person was here at all. The promise is larger, so the error bars are wider." } }
        }
        p.worlds { span { (key_dot("dot-a")) "Ties, hiding one tie" } span.quiet { "the truth is " (number(drawn.truth)) } }
        (heaps(&Heaps { above: &floats(&drawn.edge), below: &floats(&drawn.node), middle: truth, reach: 75.0, truth: Some(truth),
            words: "Counts of ties. Above, hiding one tie: close to the truth. Below, hiding one person: further off." }))
        p.worlds { span { (key_dot("dot-b")) "Ties, hiding one person" } }
        div.verdicts.calm {
            div { h2 { "Hiding a tie" } p.huge { "±\u{a0}" (number(drawn.errors.0)) } p { "is how far nineteen in twenty of these answers are off." } }
            div { h2 { "Hiding a person" } p.huge { "±\u{a0}" (number(drawn.errors.1)) } p { "for the same price. On a large graph the difference matters less; on a small one it decides." } }
        }
    }
}

fn trust(drawn: &LocalAndCentral) -> Markup {
    html! {
        p.worlds { span { (key_dot("dot-a")) "Somebody trusted adds noise once" } span.quiet { (YES) " of " (grouped_count(SURVEYED as u64)) " would say yes" } }
        (heaps(&Heaps { above: &floats(&drawn.central), below: &floats(&drawn.local), middle: YES as f64, reach: 125.0, truth: Some(YES as f64),
            words: "How many say yes. Above, with a trusted curator: a narrow heap. Below, where everybody blurs their own answer: a wide one." }))
        p.worlds { span { (key_dot("dot-b")) "Nobody is trusted: everybody lies a little" } }
        div.verdicts.calm {
            div { h2 { "With a curator" } p.huge { (YES) " " span.pm { "±\u{a0}" (number(drawn.errors.0)) } } p { "The answers are seen by one who keeps them." } }
            div { h2 { "Without" } p.huge { (YES) " " span.pm { "±\u{a0}" (number(drawn.errors.1)) } }
                p { (format!("{:.0}", 100.0 * drawn.truthful)) " of 100 people tell the truth, and nobody knows which. No answer is collected as it was meant." } }
        }
    }
}

fn key_dot(class: &str) -> Markup {
    html! { svg.key viewBox="0 0 16 16" aria-hidden="true" { g class=(class) { circle cx="8" cy="8" r="6" {} } } }
}

/// The people and their ties; what is hidden stands out: one tie, or one person with all of theirs.
fn network(places: &[(f64, f64)], pairs: &[(u32, u32)], whole_person: bool) -> Markup {
    const HIDDEN: u32 = 12;
    let tie = pairs.iter().position(|pair| *pair == (8, 9)).or(Some(0));
    let is_hot = |index: usize, (a, b): (u32, u32)| match whole_person {
        true => a == HIDDEN || b == HIDDEN,
        false => Some(index) == tie,
    };
    let place = |node: u32| places.get(node as usize).copied().unwrap_or_default();
    html! {
        svg.net viewBox="0 0 480 300" aria-hidden="true" {
            @for (index, (a, b)) in pairs.iter().copied().enumerate() {
                @let ((x1, y1), (x2, y2)) = (place(a), place(b));
                line.hot[is_hot(index, (a, b))] x1=(format!("{:.0}", 480.0 * x1)) y1=(format!("{:.0}", 300.0 * y1)) x2=(format!("{:.0}", 480.0 * x2)) y2=(format!("{:.0}", 300.0 * y2)) {}
            }
            @for (index, (x, y)) in places.iter().enumerate() {
                circle.hot[whole_person && index == HIDDEN as usize] cx=(format!("{:.0}", 480.0 * x)) cy=(format!("{:.0}", 300.0 * y)) r="5" {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_lesson_has_a_page_of_its_own() {
        for lesson in Lesson::ALL {
            assert_eq!(Lesson::from_word(lesson.word()), Some(lesson));
            let piece = lesson.piece(lesson.first_step()).expect("randomness");
            let page = lesson.page(None, lesson.first_step(), &piece).into_string();
            assert!(
                page.len() < 100_000 && page.contains("type=\"range\"") && !page.contains("style="),
                "{}",
                page.len()
            );
            assert!(lesson.first_step() < lesson.steps());
        }
        assert_eq!(Lesson::from_word("../noise"), None);
    }
}
