//! What a session has set: the price of the questions to come.

use crate::{Options, Refusal};

/// Options that hold until they are set again.
#[derive(Clone, Debug, Default)]
pub struct SessionOptions {
    options: Options,
    set: Vec<(String, String)>,
}

/// The options of which one session has one at a time.
const PRICES: [&str; 3] = ["epsilon", "rho", "error"];

impl SessionOptions {
    /// A session that begins with these.
    pub fn new(options: Options) -> Self {
        Self { options, set: Vec::new() }
    }

    /// The options of the next question.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// What was set, by name, in the order in which it was.
    pub fn set_options(&self) -> &[(String, String)] {
        &self.set
    }

    /// Sets an option, or with an empty text takes it back. A new price takes the place of any other.
    ///
    /// # Errors
    /// When there is no such option, or its value is none; nothing is changed then.
    pub fn set(&mut self, name: &str, text: &str) -> Result<(), Refusal> {
        let name = name.strip_prefix("pointillist.").unwrap_or(name).to_lowercase();
        let is_price = |name: &str| PRICES.contains(&name);
        let mut options = self.options.clone();
        if is_price(&name) {
            (options.epsilon, options.rho, options.error) = (None, None, None);
        }
        options.set(&name, text)?;
        self.options = options;
        self.set.retain(|(other, _)| *other != name && !(is_price(&name) && is_price(other)));
        if !text.is_empty() {
            self.set.push((name, text.to_owned()));
        }
        Ok(())
    }
}

/// The name and the value of `SET name = value`, `SET name TO value` or `RESET name`, whose value is empty; `None` for any
/// other statement.
pub fn setting(sql: &str) -> Option<(String, String)> {
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

    #[test]
    fn a_session_has_one_price_at_a_time() {
        let mut session = SessionOptions::default();
        session.set("epsilon", "0.5").unwrap();
        session.set("max_groups", "3").unwrap();
        session.set("pointillist.Rho", "0.1").unwrap();
        let set: Vec<&str> = session.set_options().iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(set, ["max_groups", "rho"]);
        assert!(session.options().epsilon.is_none() && session.options().rho.is_some());
        assert!(session.set("epsilon", "many").is_err());
        assert!(session.options().rho.is_some(), "what is refused changes nothing");
        session.set("rho", "").unwrap();
        assert_eq!((session.options().rho.is_none(), session.set_options().len()), (true, 1));
    }
}
