//! Differential privacy with exact arithmetic: see the picture, never the dot.
//!
//! This crate is the front door for Rust programs: every room of Pointillist under one name, by features. Without any
//! feature it is the mathematics alone, without Arrow, SQLite or threads.
//!
//! | module | feature | its idea |
//! | --- | --- | --- |
//! | [`mechanisms`] | | one file a mechanism, theorem first |
//! | [`privacy`] | | ε, δ, ρ and how losses add up |
//! | [`noise`] | | random bits to exact noise |
//! | [`numbers`] | | exact fractions and certified bounds |
//! | [`errors`] | | what every error says: message, hint, kind |
//! | `local` | `local` | everyone randomizes their own answer |
//! | `graph` | `graph` | statistics of graphs under edge and node privacy |
//! | `learn` | `learn` | models trained on private rows |
//! | `curator`, `catalog`, `plan`, `query`, `engine`, `ledger` | `curator` | SQL on the owner's files, with budgets |
//! | `render` | `render` | charts, pages and digits |
//! | `attack` | `attack` | what an adversary learns from what others publish |
//! | `audit` | `audit` | attempts to refute our own claims |
//!
//! What nearly every program needs stands at the top: the parameters of [`privacy`], the exact [`Rational`], and
//! [`with_system_bits`], which lends the random bits that every `release` asks for.

#[doc(no_inline)]
pub use pointillist_errors as errors;
#[doc(no_inline)]
pub use pointillist_mechanisms as mechanisms;
#[doc(no_inline)]
pub use pointillist_noise as noise;
#[doc(no_inline)]
pub use pointillist_numbers as numbers;
#[doc(no_inline)]
pub use pointillist_privacy as privacy;

#[cfg(feature = "attack")]
#[doc(no_inline)]
pub use pointillist_attack as attack;
#[cfg(feature = "audit")]
#[doc(no_inline)]
pub use pointillist_audit as audit;
#[cfg(feature = "graph")]
#[doc(no_inline)]
pub use pointillist_graph as graph;
#[cfg(feature = "learn")]
#[doc(no_inline)]
pub use pointillist_learn as learn;
#[cfg(feature = "local")]
#[doc(no_inline)]
pub use pointillist_local as local;
#[cfg(feature = "render")]
#[doc(no_inline)]
pub use pointillist_render as render;
#[cfg(feature = "synth")]
#[doc(no_inline)]
pub use pointillist_synth as synth;
#[cfg(feature = "curator")]
#[doc(no_inline)]
pub use {
    pointillist_catalog as catalog, pointillist_curator as curator, pointillist_engine as engine,
    pointillist_ledger as ledger, pointillist_plan as plan, pointillist_publication as publication,
    pointillist_query as query, pointillist_workload as workload,
};

pub use pointillist_errors::{Explained, Explanation, Fault, Kind};
pub use pointillist_noise::{EntropyError, SecureBits, SystemBits, with_system_bits};
pub use pointillist_numbers::Rational;
pub use pointillist_privacy::{
    Delta, Epsilon, FailureProbability, Guarantee, Loss, Neighbours, ParameterError, PrivacyUnit, Rho, Scale,
    SensitivityL1, SensitivityL2, SensitivityLInf, Spend,
};

/// The example of the repository's page is compiled and run like any other.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct RepositoryReadme;

/// So is that of this crate's page.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
