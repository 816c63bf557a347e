//! What all drawings share: a sheet of SVG that fits its page, in light and in dark.
//!
//! Colours stand in attributes, as every program that shows SVG reads them; where a reader prefers dark, a style sheet
//! inside the drawing replaces them. Nothing is fetched, and nothing runs.

use std::fmt::Write;

/// How wide a drawing is unless its page says otherwise.
pub const WIDE: f64 = 760.0;
/// How wide a drawing is on a telephone: a screen of 400 pixels less its margins.
pub const NARROW: f64 = 360.0;

/// A letter of ordinary text is about this wide.
pub const LETTER: f64 = 7.4;
/// A letter of a title is about this wide.
const TITLE_LETTER: f64 = 9.7;
/// From one line of a title to the next.
const TITLE_ROW: f64 = 21.0;

/// Colours that stay apart for most eyes and in grey (after Okabe and Ito), each with its kin for dark paper.
const COLOURS: [(&str, &str); 7] = [
    ("#0072b2", "#4db1ec"),
    ("#d55e00", "#f48a3c"),
    ("#009e73", "#2fcb9d"),
    ("#cc79a7", "#e6a5c9"),
    ("#e69f00", "#f2b93b"),
    ("#56b4e9", "#a5dcfa"),
    ("#444444", "#c4c4c4"),
];
const INK: (&str, &str) = ("#222", "#e3e4e1");
const PAPER: (&str, &str) = ("#fff", "#191a1c");
const RULE: (&str, &str) = ("#e4e4e4", "#3a3d41");
const GREY: (&str, &str) = ("#777777", "#9a9fa6");

/// What something is drawn in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colour {
    /// One of seven that are told apart; more begin again.
    Number(usize),
    /// As the letters are.
    Ink,
    /// What is there only to compare with.
    Grey,
    /// The lines of a grid.
    Rule,
}

impl Colour {
    /// An ordinary mark, or what we do.
    pub const BLUE: Self = Self::Number(0);
    /// A mark that should alarm: what others do.
    pub const ORANGE: Self = Self::Number(1);

    fn class(self) -> String {
        match self {
            Self::Number(number) => format!("c{}", number % COLOURS.len()),
            Self::Ink => "ink".to_owned(),
            Self::Grey => "grey".to_owned(),
            Self::Rule => "rule".to_owned(),
        }
    }

    fn light(self) -> &'static str {
        match self {
            Self::Number(number) => COLOURS[number % COLOURS.len()].0,
            Self::Ink => INK.0,
            Self::Grey => GREY.0,
            Self::Rule => RULE.0,
        }
    }

    /// Attributes that draw a line in this colour.
    pub fn stroke(self) -> String {
        format!("class=\"{}-line\" stroke=\"{}\"", self.class(), self.light())
    }

    /// Attributes that fill a shape with this colour.
    pub fn fill(self) -> String {
        format!("class=\"{}\" fill=\"{}\"", self.class(), self.light())
    }
}

/// Something that can be drawn at any width.
pub trait Drawing {
    /// The drawing as an SVG document of this width.
    fn svg(&self, width: f64) -> String;

    /// The drawing as a file of its own.
    fn to_svg(&self) -> String {
        self.svg(WIDE)
    }
}

/// A sheet with a title, on which a drawing is made from the top.
pub struct Sheet {
    width: f64,
    title: String,
    body: String,
}

impl Sheet {
    /// A sheet with nothing on it.
    pub fn new(width: f64, title: &str) -> Self {
        Self { width, title: title.to_owned(), body: String::new() }
    }

    /// Where the title ends: what is drawn begins below.
    pub fn top(&self) -> f64 {
        10.0 + TITLE_ROW * self.title_lines().len() as f64
    }

    fn title_lines(&self) -> Vec<String> {
        broken(&self.title, self.width - 2.0 * MARGIN, TITLE_LETTER)
    }

    /// Adds an element.
    pub fn add(&mut self, element: impl AsRef<str>) {
        self.body.push_str(element.as_ref());
        self.body.push('\n');
    }

    /// Adds a text; `attributes` say where it stands beside x and y.
    pub fn text(&mut self, x: f64, y: f64, attributes: &str, text: &str) {
        let space = if attributes.is_empty() { "" } else { " " };
        self.add(format!("<text x=\"{x:.1}\" y=\"{y:.1}\"{space}{attributes}>{}</text>", escaped(text)));
    }

    /// The document, once everything is on it.
    pub fn finish(self, height: f64) -> String {
        let width = self.width;
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
             height=\"{height}\" role=\"img\" aria-label=\"{}\" class=\"drawing ink\" style=\"max-width:100%;\
             height:auto\" font-family=\"system-ui, sans-serif\" font-size=\"13\" fill=\"{}\">\n{}",
            escaped(&self.title),
            INK.0,
            dark()
        );
        let mut line = |text: String| writeln!(svg, "{text}").expect("a string grows");
        line(format!("<rect width=\"100%\" height=\"100%\" class=\"paper\" fill=\"{}\"/>", PAPER.0));
        for (row, words) in self.title_lines().iter().enumerate() {
            line(format!(
                "<text x=\"{MARGIN}\" y=\"{:.1}\" font-size=\"16\" font-weight=\"600\">{}</text>",
                24.0 + TITLE_ROW * row as f64,
                escaped(words)
            ));
        }
        svg.push_str(&self.body);
        svg.push_str("</svg>\n");
        svg
    }
}

/// What is left free on the left and on the right.
pub const MARGIN: f64 = 16.0;

/// The style sheet for readers who prefer dark.
fn dark() -> String {
    let mut rules = format!(".drawing .paper{{fill:{}}}", PAPER.1);
    let mut colour = |class: &str, dark: &str| {
        write!(rules, ".drawing .{class}-line{{stroke:{dark}}}.drawing .{class}{{fill:{dark}}}")
            .expect("a string grows");
    };
    for (number, (_, dark)) in COLOURS.iter().enumerate() {
        colour(&format!("c{number}"), dark);
    }
    colour("ink", INK.1);
    colour("grey", GREY.1);
    colour("rule", RULE.1);
    format!("<style>@media (prefers-color-scheme: dark){{.drawing{{fill:{}}}{rules}}}</style>\n", INK.1)
}

/// The words in lines that fit into a width, for letters of a size; a longer word is cut into several lines.
pub fn broken(text: &str, width: f64, letter: f64) -> Vec<String> {
    let most = ((width / letter).floor() as usize).max(4);
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let mut word: Vec<char> = word.chars().collect();
        loop {
            let line = lines.last_mut().expect("there is always a line");
            let used = line.chars().count();
            let blank = usize::from(used > 0);
            if used + blank + word.len() <= most {
                line.extend([' '].iter().take(blank));
                line.extend(&word);
                break;
            }
            if used > 0 {
                lines.push(String::new());
                continue;
            }
            line.extend(word.drain(..most));
        }
    }
    lines
}

/// How wide a text is, about.
pub fn width_of(text: &str) -> f64 {
    LETTER * text.chars().count() as f64
}

/// A text inside an element or a quoted attribute of SVG or HTML.
pub fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            // Neither format has a way to write these.
            '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => {
                safe.push('\u{fffd}')
            }
            other => safe.push(other),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_wrap_on_a_narrow_sheet_and_nothing_is_cut() {
        let title = "How often each of these differences comes up, at ε = 0.5 a count";
        let sheet = Sheet::new(NARROW, title);
        assert!(sheet.top() > Sheet::new(WIDE, title).top());
        assert_eq!(sheet.title_lines().join(" "), title);
        assert!(sheet.title_lines().iter().all(|line| line.chars().count() as f64 * TITLE_LETTER <= NARROW));
    }

    #[test]
    fn words_longer_than_a_line_go_on_in_the_next() {
        assert_eq!(broken("ab cdefghijk l", 40.0, 10.0), ["ab", "cdef", "ghij", "k l"]);
        assert_eq!(broken("", 40.0, 10.0), [""]);
    }

    /// Every colour that a drawing may use has one for dark paper.
    #[test]
    fn every_colour_has_its_kin_in_the_dark() {
        let style = dark();
        for colour in (0..9).map(Colour::Number).chain([Colour::Ink, Colour::Grey, Colour::Rule]) {
            let class = colour.class();
            assert!(style.contains(&format!(".{class}{{fill:")), "{class}");
            assert!(style.contains(&format!(".{class}-line{{stroke:")), "{class}");
        }
        assert!(style.contains("prefers-color-scheme: dark") && style.contains(".paper{fill:"));
        assert!(Sheet::new(WIDE, "t").finish(10.0).contains(&style));
    }
}
