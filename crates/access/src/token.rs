//! Tokens: made, hashed, found.

/// A token as it is shown once.
#[derive(Clone, Debug)]
pub struct NewToken {}

/// What is known of a token.
#[derive(Clone, Debug)]
pub struct TokenFacts {}
