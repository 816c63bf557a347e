//! Reconstruction: the secrets of nearly everybody from many slightly wrong counts.
//!
//! **Setting.** Each of n people has a secret bit. A publisher answers "how many of these people have the
//! bit?" for subsets of the adversary's choice, with some error. The adversary asks, and then computes.
//!
//! **What is known.** Let every answer be within E of the truth. With *all* 2^n subsets, whoever agrees with
//! all answers is close to the secret ([`exhaustive`]): let c be such a candidate and s the secret. On the
//! people T with c = 1 and s = 0 both c(T) and s(T) are within E of the answer to T, so |T| = c(T) − s(T) ≤
//! 2E; the same holds for the people with c = 0 and s = 1, so c and s differ in at most 4E places. With a few
//! times n *random* subsets and E well below √n the same happens in polynomial time: find a point of the cube
//! [0, 1]^n that fits the answers best, and round it ([`attack`]).
//! **Source.** Dinur and Nissim 2003 (both forms); Dwork, McSherry and Talwar 2007 (the sum of absolute
//! errors as the measure of fit, which forgives a fraction of wild answers).
//!
//! **Why noise at a price helps.** If all answers together are ε-differentially private for a change of one
//! bit, then no computation on them guesses a person's fair secret bit with probability above e^ε/(1 + e^ε).
//! To give m answers that promise each needs noise that grows with m, which is what the attack runs into; or
//! the publisher stops answering, and the attack has too little to work with. [`Reconstruction::answered`]
//! says when that was.
//!
//! | people | method |
//! | --- | --- |
//! | at most 14 | [`exhaustive`]: all subsets, all candidates |
//! | at most 512 | [`Method::LinearProgram`]: the best fit in the cube, by an interior point method |
//! | thousands | [`Method::LeastSquares`]: conjugate gradients on a bit-packed matrix |
//!
//! ```
//! use pointillist_attack::reconstruction::{Answers, Method, SecretOracle, attack};
//! use pointillist_noise::with_system_bits;
//!
//! let secret: Vec<bool> = (0..64).map(|person| person % 3 == 0).collect();
//! let recovery = with_system_bits(|bits| {
//!     let mut oracle = SecretOracle::new(&secret, &Answers::ErrorUpTo(1.0), 256, bits)?;
//!     attack(64, 256, Method::LeastSquares, &mut oracle, bits)?.recovery(&secret)
//! })??;
//! assert!(recovery.fraction() > 0.9); // every answer was wrong, and nearly every secret is known
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[cfg(feature = "curator")]
pub mod curator;
mod exhaustive;
mod least_squares;
mod linear_program;
mod oracle;
mod outcome;
mod page;
mod queries;
mod secret;
mod sweep;

pub use exhaustive::{Exhaustive, exhaustive};
pub use oracle::{Answers, Oracle, SecretOracle};
pub use outcome::{Attacked, Outcome, Settings, careless_error, run};
pub use queries::{Queries, Subset};
pub use secret::Secret;
pub use sweep::{SweepPoint, sweep};

use std::fmt;

use pointillist_noise::SecureBits;

use crate::AttackError;

/// Answers farther from zero than this times the number of people tell nothing, and would only overflow.
const ANSWER_PER_PERSON_MAX: f64 = 1e6;

/// How the answers are turned into bits. Least squares is the fastest and a good choice for noise of any
/// kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// The point of the cube with the least sum of absolute errors, or the least largest error.
    LinearProgram(Norm),
    /// The least sum of squares, pulled a little towards one half where the answers are known to be noisy.
    LeastSquares,
}

/// How a linear program measures the fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Norm {
    /// The sum of absolute errors (Dwork, McSherry and Talwar): best when most answers are nearly right and
    /// some are wild.
    Sum,
    /// The largest error (Dinur and Nissim, who ask for any point that stays within a known one): best when
    /// every error is bounded.
    Largest,
}

impl fmt::Display for Method {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::LinearProgram(Norm::Sum) => "linear program, sum of errors",
            Self::LinearProgram(Norm::Largest) => "linear program, largest error",
            Self::LeastSquares => "least squares",
        })
    }
}

/// What an attack made of the answers it got.
#[derive(Clone, Debug, PartialEq)]
pub struct Reconstruction {
    /// How the answers were turned into bits.
    pub method: Method,
    /// How many questions the attack meant to ask.
    pub planned: usize,
    /// How many were answered before the first refusal; all of them if there was none.
    pub answered: usize,
    /// For every person, how much the answers speak for a one, between 0 and 1.
    pub estimates: Vec<f64>,
    /// What the method minimised: the sum of absolute errors, the largest one, or the root of the mean
    /// square.
    pub objective: f64,
}

impl Reconstruction {
    /// Whether the oracle refused before the attack was done.
    pub fn was_refused(&self) -> bool {
        self.answered < self.planned
    }

    /// The guess: a one where the estimate is above one half.
    pub fn guess(&self) -> Vec<bool> {
        self.estimates.iter().map(|estimate| *estimate > 0.5).collect()
    }

    /// How good the guess is.
    pub fn recovery(&self, secret: &[bool]) -> Result<Recovery, AttackError> {
        Recovery::of(&self.guess(), secret)
    }

    /// The attack in a sentence or two; with the secret at hand, also how well it went.
    pub fn summary(&self, recovery: Option<&Recovery>) -> String {
        let people = self.estimates.len();
        let asked = if self.was_refused() {
            format!("{} of {} questions were answered, then the oracle refused", self.answered, self.planned)
        } else {
            format!("All {} questions were answered", self.planned)
        };
        match recovery {
            None => format!("{asked}. The attack ({}) guesses the bits of {people} people.", self.method),
            Some(recovery) => format!("{asked}. {} ({}).", recovery.summary(), self.method),
        }
    }
}

/// How many secrets were guessed, against what guessing without any answer gets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Recovery {
    /// How many people there are.
    pub people: usize,
    /// For how many the guess is right.
    pub right: usize,
    /// For how many it would be right if everybody were given the more common bit.
    pub right_blindly: usize,
}

impl Recovery {
    /// Compares a guess with the secret.
    pub fn of(guess: &[bool], secret: &[bool]) -> Result<Self, AttackError> {
        if guess.len() != secret.len() {
            return Err(AttackError::new(
                format!("{} guesses cannot be compared with {} secrets", guess.len(), secret.len()),
                "give the secret that the oracle answered about",
            ));
        }
        let right = guess.iter().zip(secret).filter(|(guess, secret)| guess == secret).count();
        let ones = secret.iter().filter(|bit| **bit).count();
        Ok(Self { people: secret.len(), right, right_blindly: ones.max(secret.len() - ones) })
    }

    /// How many guesses are wrong: the Hamming distance.
    pub fn wrong(&self) -> usize {
        self.people - self.right
    }

    /// The fraction of secrets that were guessed.
    pub fn fraction(&self) -> f64 {
        self.right as f64 / self.people.max(1) as f64
    }

    /// The fraction that guessing without any answer gets.
    pub fn fraction_blindly(&self) -> f64 {
        self.right_blindly as f64 / self.people.max(1) as f64
    }

    /// The figures in words.
    pub fn summary(&self) -> String {
        format!(
            "The attack recovered {} of {} secret bits ({:.1} %); giving everybody the more common bit \
             gets {:.1} %",
            self.right,
            self.people,
            100.0 * self.fraction(),
            100.0 * self.fraction_blindly()
        )
    }
}

/// Asks random subsets until there are enough answers or the oracle refuses, and guesses everybody's bit.
///
/// Four questions a person are plenty. The bits choose the subsets; the oracle has its own.
pub fn attack(
    people: usize,
    questions: usize,
    method: Method,
    oracle: &mut dyn Oracle,
    bits: &mut dyn SecureBits,
) -> Result<Reconstruction, AttackError> {
    check_size(people, questions, method)?;
    let queries = Queries::random(people, questions, bits)?;
    attack_with(&queries, method, oracle)
}

/// The attack with subsets of the caller's choice.
pub fn attack_with(
    queries: &Queries,
    method: Method,
    oracle: &mut dyn Oracle,
) -> Result<Reconstruction, AttackError> {
    check_size(queries.people(), queries.count(), method)?;
    let mut answers = Vec::with_capacity(queries.count());
    for subset in queries.subsets() {
        match oracle.answer(&subset) {
            Some(answer) => answers.push(answer),
            None => break,
        }
    }
    let (estimates, objective) = if answers.is_empty() {
        (vec![0.5; queries.people()], 0.0)
    } else {
        decode(&queries.first(answers.len()), &answers, method, oracle.error_deviation())?
    };
    let (planned, answered) = (queries.count(), answers.len());
    Ok(Reconstruction { method, planned, answered, estimates, objective })
}

/// Decodes answers that somebody else collected: an estimate between 0 and 1 for every person, and what was
/// minimised.
///
/// `error_deviation` is the standard deviation of the answers' errors, where the publisher states it.
pub fn decode(
    queries: &Queries,
    answers: &[f64],
    method: Method,
    error_deviation: Option<f64>,
) -> Result<(Vec<f64>, f64), AttackError> {
    check_size(queries.people(), queries.count(), method)?;
    if answers.len() != queries.count() {
        return Err(AttackError::new(
            format!("{} answers do not fit {} questions", answers.len(), queries.count()),
            "give one answer for every question, in the same order",
        ));
    }
    let answers = finite_answers(answers, queries.people())?;
    let (mut estimates, objective) = match method {
        Method::LinearProgram(norm) => linear_program::decode(queries, &answers, norm)?,
        Method::LeastSquares => {
            let farthest = ANSWER_PER_PERSON_MAX * queries.people() as f64;
            let stated = error_deviation.filter(|deviation| deviation.is_finite()).unwrap_or(0.0);
            least_squares::decode(queries, &answers, stated.clamp(0.0, farthest))
        }
    };
    estimates.iter_mut().for_each(|estimate| *estimate = estimate.clamp(0.0, 1.0));
    Ok((estimates, objective))
}

fn finite_answers(answers: &[f64], people: usize) -> Result<Vec<f64>, AttackError> {
    if let Some(position) = answers.iter().position(|answer| !answer.is_finite()) {
        return Err(AttackError::new(
            format!("answer {} is not a finite number", position + 1),
            "an oracle refuses with `None`; every answer is a number",
        ));
    }
    let farthest = ANSWER_PER_PERSON_MAX * people as f64;
    Ok(answers.iter().map(|answer| answer.clamp(-farthest, farthest)).collect())
}

fn check_size(people: usize, questions: usize, method: Method) -> Result<(), AttackError> {
    queries::check_size(people, questions)?;
    match method {
        Method::LinearProgram(_) => linear_program::check_size(people, questions),
        Method::LeastSquares => Ok(()),
    }
}

#[cfg(test)]
mod golden;
#[cfg(test)]
mod tests;
