//! What a session has set: `SET`, `SHOW`, `RESET`, `current_setting`, `set_config`, `pg_settings`.
//!
//! Names are understood in any case. Those with a dot are anybody's own and are kept as text (`pointillist.epsilon` is read
//! by whoever asks the curator); there are at most [`CUSTOM_MAX`] of them, so that a session stays small.

mod rule;
mod table;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use crate::PgError;
use table::{Rule, SETTINGS, Setting};

/// How many settings with a dot one session may have.
const CUSTOM_MAX: usize = 128;
/// The most bytes of a value.
const VALUE_MAX: usize = 4096;

/// The settings of one session.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// By name in lower case.
    now: BTreeMap<String, String>,
    /// What `RESET` goes back to.
    start: BTreeMap<String, String>,
    /// What `set_config` did, the last of each name.
    called: Vec<SettingCall>,
}

/// A setting that a statement changed with `set_config`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingCall {
    /// Its name in lower case.
    pub name: String,
    /// Its value; `None` for the one with which the session began.
    pub value: Option<String>,
    /// Whether it goes back when the transaction ends.
    pub is_local: bool,
}

impl Settings {
    /// The settings with which this user's session starts.
    pub fn new(user: &str) -> Self {
        let value = |setting: &Setting| match setting.name {
            "session_authorization" => user.to_owned(),
            _ => setting.value.to_owned(),
        };
        let now: BTreeMap<_, _> =
            SETTINGS.iter().map(|setting| (setting.name.to_lowercase(), value(setting))).collect();
        Self { start: now.clone(), now, called: Vec::new() }
    }

    /// What is set now is what `RESET` goes back to: called when the parameters of the connection are all set.
    pub fn keep_as_start(&mut self) {
        self.start = self.now.clone();
    }

    /// The value, by a name in any case; `None` where there is no such setting.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.now.get(&key(name)).map(String::as_str)
    }

    /// Sets it; gives the name as PostgreSQL spells it where clients are to be told (ParameterStatus).
    ///
    /// # Errors
    /// 42704 for a name that nobody knows, 22023 for a value that it cannot have, 55P02 for what cannot be changed.
    pub fn set(&mut self, name: &str, value: &str) -> Result<Option<&'static str>, PgError> {
        let key = key(name);
        if value.len() > VALUE_MAX {
            return Err(invalid(name, "…"));
        }
        let Some(setting) = find(&key) else { return self.set_custom(key, value) };
        if matches!(setting.rule, Rule::Fixed) {
            let message = format!("parameter \"{}\" cannot be changed", setting.name);
            return Err(PgError::new("55P02", message));
        }
        let value = rule::accepted(setting, value).ok_or_else(|| invalid(setting.name, value))?;
        self.now.insert(key, value);
        Ok(setting.is_reported.then_some(setting.name))
    }

    /// Takes it back to where the session started.
    ///
    /// # Errors
    /// 42704 for a name that nobody knows, 55P02 for what cannot be changed.
    pub fn reset(&mut self, name: &str) -> Result<Option<&'static str>, PgError> {
        let key = key(name);
        let setting = find(&key);
        if setting.is_none() && !is_custom(&key) {
            return Err(unknown(name));
        }
        match self.start.get(&key) {
            Some(value) => self.now.insert(key, value.clone()),
            None => self.now.remove(&key),
        };
        Ok(setting.filter(|setting| setting.is_reported).map(|setting| setting.name))
    }

    /// `set_config`: the same as [`Settings::set`] or [`Settings::reset`], and remembered for [`Settings::take_calls`].
    pub(crate) fn set_by_call(
        &mut self,
        name: &str,
        value: Option<&str>,
        is_local: bool,
    ) -> Result<(), PgError> {
        match value {
            Some(value) => self.set(name, value)?,
            None => self.reset(name)?,
        };
        let name = key(name);
        self.called.retain(|call| call.name != name || call.is_local != is_local);
        self.called.push(SettingCall { name, value: value.map(str::to_owned), is_local });
        Ok(())
    }

    /// What statements changed with `set_config` since this was last looked at, in their order: whoever keeps the session
    /// decides what becomes of it.
    pub fn take_calls(&mut self) -> Vec<SettingCall> {
        std::mem::take(&mut self.called)
    }

    /// Takes everything back; gives the names that clients are to be told of.
    pub fn reset_all(&mut self) -> Vec<&'static str> {
        let is_changed = |setting: &&Setting| {
            let key = setting.name.to_lowercase();
            setting.is_reported && self.now.get(&key) != self.start.get(&key)
        };
        let changed = SETTINGS.iter().filter(is_changed).map(|setting| setting.name).collect();
        self.now = self.start.clone();
        changed
    }

    /// Every setting that clients are told of when they connect, and its value.
    pub fn reported(&self) -> Vec<(&'static str, String)> {
        let value = |setting: &Setting| self.get(setting.name).unwrap_or_default().to_owned();
        SETTINGS
            .iter()
            .filter(|setting| setting.is_reported)
            .map(|setting| (setting.name, value(setting)))
            .collect()
    }

    /// Every setting: name, value, what it is for.
    pub fn all(&self) -> Vec<(String, String, &'static str)> {
        self.now
            .iter()
            .map(|(key, value)| match find(key) {
                Some(setting) => (setting.name.to_owned(), value.clone(), setting.about),
                None => (key.clone(), value.clone(), "a setting of this session"),
            })
            .collect()
    }

    /// Whether it can be changed, and the value that `RESET` goes back to: for `pg_settings`.
    pub(crate) fn context(&self, name: &str) -> (&'static str, Option<&str>) {
        let key = key(name);
        let is_fixed = find(&key).is_some_and(|setting| matches!(setting.rule, Rule::Fixed));
        (if is_fixed { "internal" } else { "user" }, self.start.get(&key).map(String::as_str))
    }

    fn set_custom(&mut self, key: String, value: &str) -> Result<Option<&'static str>, PgError> {
        if !is_custom(&key) {
            return Err(unknown(&key));
        }
        let customs = self.now.keys().filter(|key| is_custom(key)).count();
        if customs >= CUSTOM_MAX && !self.now.contains_key(&key) {
            let message = format!("a session has at most {CUSTOM_MAX} settings of its own");
            return Err(PgError::new("54000", message));
        }
        self.now.insert(key, value.to_owned());
        Ok(None)
    }
}

/// The name as it is looked up: in lower case; `TIME ZONE` and `TRANSACTION ISOLATION LEVEL` are two of SQL's own.
fn key(name: &str) -> String {
    let words: Vec<String> = name.split_whitespace().map(str::to_lowercase).collect();
    match words.join(" ").as_str() {
        "time zone" => "timezone".to_owned(),
        "transaction isolation level" => "transaction_isolation".to_owned(),
        "session authorization" => "session_authorization".to_owned(),
        "names" => "client_encoding".to_owned(),
        name => name.to_owned(),
    }
}

fn find(key: &str) -> Option<&'static Setting> {
    SETTINGS.iter().find(|setting| setting.name.eq_ignore_ascii_case(key))
}

/// Two names with a dot between them.
fn is_custom(key: &str) -> bool {
    let is_name = |part: &str| {
        part.chars().all(|sign| sign.is_alphanumeric() || sign == '_' || sign == '$' || sign == '-')
            && !part.is_empty()
    };
    key.len() <= 128 && key.contains('.') && key.split('.').all(is_name)
}

fn unknown(name: &str) -> PgError {
    PgError::new("42704", format!("unrecognized configuration parameter \"{name}\""))
}

fn invalid(name: &str, value: &str) -> PgError {
    PgError::new("22023", format!("invalid value for parameter \"{name}\": \"{value}\""))
}
