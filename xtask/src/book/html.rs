//! What a page of HTML points to, and what in it can be pointed to. Enough of HTML for pages that programs wrote.

/// What was found in a page.
#[derive(Debug, Default, PartialEq)]
pub struct Page {
    /// Where links may lead: every `id`, and the `name` of an `a`.
    pub places: Vec<String>,
    /// What it points to.
    pub references: Vec<Reference>,
}

/// An `href` or a `src`.
#[derive(Debug, PartialEq)]
pub struct Reference {
    /// What it points to, with its escapes resolved.
    pub target: String,
    /// Whether a reader has to click on it; everything else is loaded with the page.
    pub is_link: bool,
}

/// Reads a page.
pub fn read(html: &str) -> Page {
    let mut page = Page::default();
    let mut rest = html;
    while let Some(start) = rest.find('<') {
        rest = &rest[start..];
        if let Some(comment) = rest.strip_prefix("<!--") {
            rest = comment.split_once("-->").map_or("", |(_, after)| after);
            continue;
        }
        let (tag, after) = tag(&rest[1..]);
        rest = after;
        let name = tag.split(|sign: char| !sign.is_alphanumeric()).next().unwrap_or_default().to_lowercase();
        for (attribute, value) in attributes(&tag[name.len()..]) {
            match attribute.as_str() {
                "id" => page.places.push(value),
                "name" if name == "a" => page.places.push(value),
                "href" | "src" | "xlink:href" => {
                    page.references.push(Reference { target: value, is_link: name == "a" || name == "area" });
                }
                _ => {}
            }
        }
        if name == "script" || name == "style" {
            // What stands in it is another language.
            rest = rest.split_once(&format!("</{name}")).map_or("", |(_, after)| after);
        }
    }
    page
}

/// The inside of a tag that was just opened, and what follows it. A `>` in quotes does not close it.
fn tag(text: &str) -> (&str, &str) {
    let mut quote = None;
    for (at, sign) in text.char_indices() {
        match (quote, sign) {
            (Some(open), _) if open == sign => quote = None,
            (None, '"' | '\'') if text[..at].contains('=') => quote = Some(sign),
            (None, '>') => return (&text[..at], &text[at + 1..]),
            _ => {}
        }
    }
    (text, "")
}

fn attributes(mut text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    while let Some((before, after)) = text.split_once('=') {
        let name = before.split_whitespace().last().unwrap_or_default().to_lowercase();
        let after = after.trim_start();
        let (value, rest) = match after.chars().next() {
            Some(quote @ ('"' | '\'')) => after[1..].split_once(quote).unwrap_or((&after[1..], "")),
            _ => after.split_once(char::is_whitespace).unwrap_or((after, "")),
        };
        found.push((name, unescaped(value)));
        text = rest;
    }
    found
}

fn unescaped(text: &str) -> String {
    let pairs =
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&#x27;", "'"), ("&amp;", "&")];
    pairs.iter().fold(text.to_owned(), |text, (escape, sign)| text.replace(escape, sign))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_loaded_and_what_is_clicked_on_are_told_apart() {
        let page = read(
            "<link rel=\"icon\" href='a.svg'><h1 id=\"top\" class=x>A <a class=\"y\" href=\"b.html#c&amp;d\">b</a></h1>\
             <!-- <a href=\"no\"> --><script>let x = \"<a href='no'>\";</script><img alt=\"a > b\" src=e.png>",
        );
        assert_eq!(page.places, ["top"]);
        let found: Vec<(&str, bool)> =
            page.references.iter().map(|reference| (reference.target.as_str(), reference.is_link)).collect();
        assert_eq!(found, [("a.svg", false), ("b.html#c&d", true), ("e.png", false)]);
    }
}
