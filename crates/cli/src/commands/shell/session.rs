//! What a session knows, and what it does with one statement.

use pointillist_curator::{Ask, Executed, Listing};
use pointillist_query::{Options, SessionOptions, setting, skip_blank};

use super::editor::Words;
use crate::answer_format::Format;
use crate::commands::explain;
use crate::commands::query::{print_list, print_public, print_reply};
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
    options: SessionOptions,
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
        let options = SessionOptions::new(options);
        Ok(Self { arguments, home, analyst, options, format, paid_unasked })
    }

    /// What Tab knows, and what the price is while somebody types.
    pub fn words(&self) -> Words {
        Words::new(self.home.catalog.clone(), self.options.options().clone())
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
            self.options.set(&name, &text)?;
            return Ok(Next::Go);
        }
        let ask = Ask { options: self.options.options().clone(), ..Ask::new(sql, &self.analyst) };
        if !self.paid_unasked && ask.is_question() && !ask.is_public(&self.home.catalog_for(&ask.analyst)) {
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
            Executed::PublicQuote(quote) => {
                explain::print_public(&quote, false, self.format == Format::Json)?
            }
            Executed::Public(public) => print_public(&public, self.format)?,
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
                match self.options.set_options() {
                    [] => say("nothing is set: a question costs 1 % of the population's budget"),
                    set => set.iter().for_each(|(name, text)| say(format_args!("{name} = {text}"))),
                }
                return Ok(Next::Go);
            }
            ("set", Some(name)) => {
                let text: Vec<&str> = words.collect();
                self.options.set(name, text.join(" ").trim_start_matches('=').trim())?;
                return Ok(Next::Go);
            }
            ("budget", _) => {
                let home = self.arguments.open()?;
                crate::commands::budget::print_overview(&home, self.format == Format::Json)?;
                return Ok(Next::Go);
            }
            ("d" | "dt", None) => Listing::Tables,
            ("d", Some(name)) => Listing::Columns(name.trim_end_matches(';').to_owned()),
            _ => {
                let what = format!("there is no command `\\{}`", pointillist_render::text::shown(word));
                return Err(Failure::wrong(what, "\\? lists them"));
            }
        };
        print_list(&listing.list(&self.home.catalog)?, self.format)?;
        Ok(Next::Go)
    }
}

/// What a statement ends with in the history.
pub fn ending(statement: &str) -> &'static str {
    if statement.starts_with('\\') { "" } else { ";" }
}
