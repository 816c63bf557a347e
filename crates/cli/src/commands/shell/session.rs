//! What a session knows, and what it does with one statement.

use pointillist_curator::{Ask, Executed, Listing};
use pointillist_query::{Options, skip_blank};

use super::editor::Words;
use crate::answer::Format;
use crate::commands::explain;
use crate::commands::query::{print_list, print_reply};
use crate::failure::Failure;
use crate::home::{CLOCK, Home, HomeArguments};
use crate::message::say;
use crate::refused_price::refusal;

const HELP: &str = "\
SELECT …;               ask; the price is shown first
EXPLAIN SELECT …;       price, noise and error in full; free
SHOW TABLES;  \\dt  \\d   what can be asked about
DESCRIBE t;  \\d t       the columns of a table
SET epsilon = 0.1;      the price of the questions to come: epsilon, rho, error, delta, max_groups, …
RESET epsilon;          back to what it was without
\\set                    what is set
\\budget                 spent and left
\\q                      leave";

/// What comes after a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// The next one.
    Go,
    /// Nothing.
    Leave,
}

/// Who asks, about what, at which price.
pub struct Session {
    arguments: HomeArguments,
    home: Home,
    analyst: String,
    options: Options,
    set: Vec<(String, String)>,
    format: Format,
    /// Nobody is asked before a question is paid.
    paid_unasked: bool,
}

impl Session {
    /// Reads the catalog.
    pub fn new(
        arguments: &HomeArguments,
        analyst: String,
        options: Options,
        format: Format,
        paid_unasked: bool,
    ) -> Result<Self, Failure> {
        let home = arguments.open()?;
        let arguments = arguments.clone();
        Ok(Self { arguments, home, analyst, options, set: Vec::new(), format, paid_unasked })
    }

    /// What Tab knows, and what the price is while somebody types.
    pub fn words(&self) -> Words {
        Words::new(self.home.catalog.clone(), self.options.clone())
    }

    /// Answers one statement; `pay` asks whether its price is right.
    pub fn run(
        &mut self,
        sql: &str,
        pay: &mut dyn FnMut(&str) -> Result<bool, Failure>,
    ) -> Result<Next, Failure> {
        let sql = skip_blank(sql);
        if let Some(command) = sql.strip_prefix('\\') {
            return self.command(command);
        }
        if let Some((name, text)) = setting(sql) {
            return self.set(&name, &text);
        }
        let ask = Ask {
            sql: sql.to_owned(),
            options: self.options.clone(),
            analyst: self.analyst.clone(),
            request_id: None,
        };
        if !self.paid_unasked && ask.is_question() {
            explain::brief(&self.home.quote(&ask)?).iter().for_each(say);
            if !pay("pay? [y/N] ")? {
                say("not asked, and nothing was paid");
                return Ok(Next::Go);
            }
        }
        let home = self.arguments.open()?;
        match home.execute(&ask, CLOCK).map_err(|error| refusal(&home, &ask, error))? {
            Executed::List(list) => print_list(&list, self.format)?,
            Executed::Quote(quote) => explain::print(&quote, false, self.format == Format::Json)?,
            Executed::Answer(reply) => print_reply(&reply, self.format)?,
        }
        Ok(Next::Go)
    }

    fn command(&mut self, command: &str) -> Result<Next, Failure> {
        let mut words = command.split_whitespace();
        let (word, name) = (words.next().unwrap_or_default(), words.next());
        let listing = match (word, name) {
            ("q" | "quit" | "exit", _) => return Ok(Next::Leave),
            ("?" | "h" | "help", _) => {
                say(HELP);
                return Ok(Next::Go);
            }
            ("set", None) => {
                match self.set.is_empty() {
                    true => say("nothing is set: a question costs 1 % of the population's budget"),
                    false => self.set.iter().for_each(|(name, text)| say(format_args!("{name} = {text}"))),
                }
                return Ok(Next::Go);
            }
            ("set", Some(name)) => {
                let text: Vec<&str> = words.collect();
                return self.set(name, text.join(" ").trim_start_matches('=').trim());
            }
            ("budget", _) => {
                let home = self.arguments.open()?;
                crate::commands::budget::print_overview(&home, self.format == Format::Json)?;
                return Ok(Next::Go);
            }
            ("d" | "dt", None) => Listing::Tables,
            ("d", Some(name)) => Listing::Columns(name.trim_end_matches(';').to_owned()),
            _ => {
                let words = format!(
                    "there is no command `\\{}`\nhint: \\? lists them",
                    pointillist_render::text::shown(word)
                );
                return Err(Failure::Request(words));
            }
        };
        print_list(&listing.list(&self.home.catalog)?, self.format)?;
        Ok(Next::Go)
    }

    fn set(&mut self, name: &str, text: &str) -> Result<Next, Failure> {
        let name = name.strip_prefix("pointillist.").unwrap_or(name).to_lowercase();
        let mut options = self.options.clone();
        // One price at a time: a new one takes the place of the old.
        if ["epsilon", "rho", "error"].contains(&name.as_str()) {
            (options.epsilon, options.rho, options.error) = (None, None, None);
            self.set.retain(|(other, _)| !["epsilon", "rho", "error"].contains(&other.as_str()));
        }
        options.set(&name, text)?;
        self.options = options;
        self.set.retain(|(other, _)| *other != name);
        if !text.is_empty() {
            self.set.push((name, text.to_owned()));
        }
        Ok(Next::Go)
    }
}

/// `SET name = value`, `SET name TO value` or `RESET name`.
fn setting(sql: &str) -> Option<(String, String)> {
    let mut words = sql.splitn(2, char::is_whitespace);
    let (verb, rest) = (words.next()?, words.next()?.trim());
    if verb.eq_ignore_ascii_case("reset") {
        return Some((rest.to_owned(), String::new()));
    }
    if !verb.eq_ignore_ascii_case("set") {
        return None;
    }
    let (name, value) = rest.split_once('=').or_else(|| rest.split_once(char::is_whitespace))?;
    let value = value.trim();
    let value = value.strip_prefix("TO ").or(value.strip_prefix("to ")).unwrap_or(value);
    Some((name.trim().to_owned(), value.trim().trim_matches('\'').to_owned()))
}

/// What a statement ends with in the history.
pub fn ending(statement: &str) -> &'static str {
    if statement.starts_with('\\') { "" } else { ";" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_are_set_as_in_other_sessions() {
        for (sql, name, value) in [
            ("SET epsilon = 0.5", "epsilon", "0.5"),
            ("set pointillist.rho TO 0.01", "pointillist.rho", "0.01"),
            ("SET noise='laplace'", "noise", "laplace"),
            ("RESET epsilon", "epsilon", ""),
        ] {
            assert_eq!(setting(sql), Some((name.to_owned(), value.to_owned())), "{sql}");
        }
        assert_eq!(setting("SELECT 1"), None);
    }
}
