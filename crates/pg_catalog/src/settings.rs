//! What a session has set: `SET`, `SHOW`, `RESET`, `current_setting`, `set_config`, `pg_settings`.

use crate::PgError;

/// The settings of one session.
#[derive(Clone, Debug, Default)]
pub struct Settings {}

impl Settings {
    /// The settings with which this user's session starts.
    pub fn new(user: &str) -> Self {
        let _ = user;
        Self {}
    }

    /// The value, by a name in any case; `None` where there is no such setting.
    pub fn get(&self, name: &str) -> Option<&str> {
        let _ = name;
        None
    }

    /// Sets it; gives the name as PostgreSQL spells it where clients are to be told (ParameterStatus).
    ///
    /// # Errors
    /// 42704 for a name that nobody knows, 22023 for a value that it cannot have, 55P02 for what cannot be changed.
    pub fn set(&mut self, name: &str, value: &str) -> Result<Option<&'static str>, PgError> {
        let _ = (name, value);
        Ok(None)
    }

    /// Takes it back to where the session started.
    ///
    /// # Errors
    /// 42704 for a name that nobody knows.
    pub fn reset(&mut self, name: &str) -> Result<Option<&'static str>, PgError> {
        let _ = name;
        Ok(None)
    }

    /// Every setting that clients are told of when they connect, and its value.
    pub fn reported(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    /// Every setting: name, value, what it is for.
    pub fn all(&self) -> Vec<(String, String, &'static str)> {
        Vec::new()
    }
}
