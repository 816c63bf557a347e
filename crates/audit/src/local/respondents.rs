//! Many respondents, each with a coin of their own, and one survey.

use pointillist_local::Protocol;
use pointillist_noise::SecureBits;
use pointillist_privacy::Loss;

use super::protocol::{Answers, leaning, pairs_of};
use crate::{AuditError, Canaries};

/// Respondents who give one of two answers by a coin each.
pub struct Respondents {
    protocol: Protocol,
    answers: Answers,
    count: usize,
}

/// So many respondents of one method. Whoever is in gives the first answer of the method's first pair, whoever is out
/// gives the second.
pub fn local_canaries(protocol: Protocol, count: usize) -> Result<Respondents, AuditError> {
    let answers = pairs_of(&protocol, None)?.swap_remove(0);
    Ok(Respondents { protocol, answers, count })
}

impl Canaries for Respondents {
    fn name(&self) -> String {
        format!("{}, {} respondents", self.protocol, self.count)
    }

    fn claim(&self) -> Loss {
        self.protocol.loss()
    }

    fn count(&self) -> usize {
        self.count
    }

    fn scores(&mut self, present: &[bool], bits: &mut dyn SecureBits) -> Result<Vec<f64>, AuditError> {
        let mut line = String::new();
        let mut score = |is_in: &bool| {
            line.clear();
            let answer = &self.answers.said[usize::from(!is_in)];
            self.protocol.randomize_line(None, answer, bits, &mut line)?;
            Ok(leaning(&self.protocol, &self.answers, &line)? as f64)
        };
        present.iter().map(&mut score).collect()
    }
}
