//! Canaries from a function, as a trial is a subject from one.

use pointillist_noise::SecureBits;
use pointillist_privacy::Loss;

use crate::{AuditError, Canaries};

/// Scores of all canaries from one release.
type Scores = Box<dyn Fn(&[bool], &mut dyn SecureBits) -> Vec<f64> + Send>;

/// Canaries from a function.
pub(crate) struct Crowd {
    name: String,
    claim: Loss,
    count: usize,
    scores: Scores,
}

impl Crowd {
    /// So many canaries, and the scores of one release that promises this much.
    pub fn new(
        name: impl Into<String>,
        claim: Loss,
        count: usize,
        scores: impl Fn(&[bool], &mut dyn SecureBits) -> Vec<f64> + Send + 'static,
    ) -> Self {
        Self { name: name.into(), claim, count, scores: Box::new(scores) }
    }
}

impl Canaries for Crowd {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn claim(&self) -> Loss {
        self.claim.clone()
    }

    fn count(&self) -> usize {
        self.count
    }

    fn scores(&mut self, present: &[bool], bits: &mut dyn SecureBits) -> Result<Vec<f64>, AuditError> {
        Ok((self.scores)(present, bits))
    }
}
