//! A question to a curator as something that can be audited.

use std::collections::VecDeque;
use std::thread;
use std::time::Instant;

use pointillist_noise::SecureBits;
use pointillist_privacy::Loss;

use super::world::{AuditedQuestion, World, WorldPair};
use crate::{AuditError, Observation, Profile, Side, Subject, no_pair};

/// Answers that one thread draws ahead for either side.
const AHEAD: usize = 25;
/// Threads, at most.
const THREADS_MOST: usize = 16;

/// A question, what it promises, and worlds to ask it in.
pub struct QuestionSubject {
    profile: Profile,
    question: AuditedQuestion,
    pairs: Vec<WorldPair>,
    /// Curators of the pair that was asked about last.
    open: Option<Open>,
}

struct Open {
    pair: usize,
    /// For every thread a curator of either side.
    curators: Vec<[World; 2]>,
    ahead: [VecDeque<Observation>; 2],
}

impl QuestionSubject {
    /// Asks a few times to see how long it takes.
    pub fn new(
        name: String,
        claim: Loss,
        question: AuditedQuestion,
        pairs: Vec<WorldPair>,
    ) -> Result<Self, AuditError> {
        let profile = Profile::new(name, claim).with_neighbours(pairs.iter().map(|pair| pair.name.clone()));
        let mut subject = Self { profile, question, pairs, open: None };
        let start = Instant::now();
        let mut drawn = 0;
        if !subject.pairs.is_empty() {
            let open = subject.open(0)?;
            open.draw()?;
            drawn = open.ahead[0].len();
        }
        let seconds = start.elapsed().as_secs_f64().max(1e-6);
        subject.profile.releases_a_second = (drawn as f64 / seconds) as usize;
        Ok(subject)
    }

    fn open(&mut self, pair: usize) -> Result<&mut Open, AuditError> {
        if self.open.as_ref().is_none_or(|open| open.pair != pair) {
            // Those of the pair before go first.
            self.open = None;
            let worlds = &self.pairs.get(pair).ok_or_else(|| no_pair(pair))?.worlds;
            let threads = thread::available_parallelism().map_or(1, usize::from).min(THREADS_MOST);
            let world = |side: usize| World::open(&self.question, &worlds[side]);
            let curators =
                (0..threads).map(|_| Ok([world(0)?, world(1)?])).collect::<Result<_, AuditError>>()?;
            self.open = Some(Open { pair, curators, ahead: Default::default() });
        }
        self.open.as_mut().ok_or_else(|| no_pair(pair))
    }
}

impl Open {
    /// Every curator is asked a few times, side by side.
    fn draw(&mut self) -> Result<(), AuditError> {
        let drawn = thread::scope(|scope| {
            let threads: Vec<_> = self
                .curators
                .iter_mut()
                .map(|[left, right]| {
                    scope.spawn(|| {
                        let mut seen = [Vec::with_capacity(AHEAD), Vec::with_capacity(AHEAD)];
                        for _ in 0..AHEAD {
                            seen[0].push(left.draw()?);
                            seen[1].push(right.draw()?);
                        }
                        Ok::<_, AuditError>(seen)
                    })
                })
                .collect();
            threads.into_iter().map(|thread| thread.join()).collect::<Vec<_>>()
        });
        for thread in drawn {
            let seen = thread.map_err(|_| {
                AuditError::new(
                    "a curator panicked while it was asked",
                    "this is a mistake of ours; please report it",
                )
            })??;
            for (ahead, seen) in self.ahead.iter_mut().zip(seen) {
                ahead.extend(seen);
            }
        }
        Ok(())
    }
}

impl Subject for QuestionSubject {
    fn profile(&self) -> &Profile {
        &self.profile
    }

    /// The curator draws its own bits, from the operating system.
    fn release(
        &mut self,
        pair: usize,
        side: Side,
        _: &mut dyn SecureBits,
    ) -> Result<Observation, AuditError> {
        let open = self.open(pair)?;
        let side = side.index();
        if open.ahead[side].is_empty() {
            open.draw()?;
        }
        open.ahead[side].pop_front().ok_or_else(|| no_pair(pair))
    }
}
