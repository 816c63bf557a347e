//! How far long work is, for whoever sits at the machine. No door has one: how long something takes depends on data.

use std::fmt;
use std::sync::Arc;

/// Somebody who is told what is done now, and about how much of the whole is done, from 0 to 1.
#[derive(Clone, Default)]
pub struct Watcher(Option<Arc<Tell>>);

type Tell = dyn Fn(&'static str, f64) + Send + Sync;

impl Watcher {
    /// This one is told.
    pub fn new(tell: impl Fn(&'static str, f64) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(tell)))
    }

    /// Who is told, if somebody watches.
    pub(crate) fn teller(&self) -> Option<Arc<Tell>> {
        self.0.clone()
    }

    /// Tells, if somebody watches.
    pub(crate) fn tell(&self, stage: &'static str, done: f64) {
        if let Some(tell) = &self.0 {
            tell(stage, done);
        }
    }
}

impl fmt::Debug for Watcher {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(if self.0.is_some() { "Watcher" } else { "nobody" })
    }
}
