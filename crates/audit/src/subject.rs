//! What can be audited: whatever makes a promise and can be run on two neighbouring worlds.

use pointillist_noise::SecureBits;
use pointillist_privacy::Loss;

use crate::{AuditError, Observation};

/// Which of two neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The first.
    Left,
    /// The second.
    Right,
}

impl Side {
    /// As an index.
    pub fn index(self) -> usize {
        match self {
            Self::Left => 0,
            Self::Right => 1,
        }
    }
}

/// What is known of a subject before anything is released.
#[derive(Clone, Debug)]
pub struct Profile {
    /// What is audited, in a few words.
    pub name: String,
    /// What one release promises, between any two neighbours.
    pub claim: Loss,
    /// Pairs of neighbours worth trying, each in a few words. The search finds the one that tells most.
    pub neighbours: Vec<String>,
    /// How many releases of each side take about a second: slow subjects say less.
    pub releases_a_second: usize,
}

impl Profile {
    /// A subject as fast as most, without neighbours yet.
    pub fn new(name: impl Into<String>, claim: Loss) -> Self {
        Self { name: name.into(), claim, neighbours: Vec::new(), releases_a_second: 100_000 }
    }

    /// The same with these pairs of neighbours.
    #[must_use]
    pub fn with_neighbours(self, neighbours: impl IntoIterator<Item = String>) -> Self {
        Self { neighbours: neighbours.into_iter().collect(), ..self }
    }
}

/// A release with a promise. A mechanism, a question to a curator, a statistic of a graph, a respondent's randomizer:
/// and later a trained model or a synthetic table. Whoever implements this is audited like everything else. Several are
/// audited at once, each on a thread of its own.
pub trait Subject: Send {
    /// Name, claim and neighbours.
    fn profile(&self) -> &Profile;

    /// One fresh release for one side of one pair, everything that is seen of it: independent of those before, with a law
    /// that only the pair and the side decide. What confidences are stated rest on this. A release that is refused or fails
    /// is a release too, seen as a word; an error ends the audit.
    fn release(
        &mut self,
        pair: usize,
        side: Side,
        bits: &mut dyn SecureBits,
    ) -> Result<Observation, AuditError>;

    /// What is audited, in a few words.
    fn name(&self) -> &str {
        &self.profile().name
    }

    /// What one release promises.
    fn claim(&self) -> &Loss {
        &self.profile().claim
    }

    /// The pairs of neighbours.
    fn neighbours(&self) -> &[String] {
        &self.profile().neighbours
    }
}

/// A pair was asked for that is not among the neighbours.
pub fn no_pair(pair: usize) -> AuditError {
    AuditError::new(format!("there is no pair {pair}"), "choose one of the neighbours listed")
}

/// Draws one release for data of this kind.
type Release<D> = Box<dyn Fn(&D, &mut dyn SecureBits) -> Observation + Send>;

/// A subject from a function and pairs of data.
pub struct Trial<D> {
    profile: Profile,
    worlds: Vec<[D; 2]>,
    release: Release<D>,
}

impl<D> Trial<D> {
    /// A function that promises this much.
    pub fn new(
        name: impl Into<String>,
        claim: Loss,
        release: impl Fn(&D, &mut dyn SecureBits) -> Observation + Send + 'static,
    ) -> Self {
        Self { profile: Profile::new(name, claim), worlds: Vec::new(), release: Box::new(release) }
    }

    /// One more pair of neighbours.
    #[must_use]
    pub fn pair(mut self, name: impl Into<String>, left: D, right: D) -> Self {
        self.profile.neighbours.push(name.into());
        self.worlds.push([left, right]);
        self
    }

    /// It is slower than most.
    #[must_use]
    pub fn slow(mut self, releases_a_second: usize) -> Self {
        self.profile.releases_a_second = releases_a_second;
        self
    }
}

impl<D: Send> Subject for Trial<D> {
    fn profile(&self) -> &Profile {
        &self.profile
    }

    fn release(
        &mut self,
        pair: usize,
        side: Side,
        bits: &mut dyn SecureBits,
    ) -> Result<Observation, AuditError> {
        let worlds = self.worlds.get(pair).ok_or_else(|| no_pair(pair))?;
        Ok((self.release)(&worlds[side.index()], bits))
    }
}
