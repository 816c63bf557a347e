//! One file a verb.

pub mod account;
pub mod analyst;
pub mod attack;
pub mod audit;
pub mod bounds;
pub mod budget;
pub mod check;
pub mod completions;
pub mod demo;
pub mod explain;
pub mod graph;
pub mod init;
pub mod learn;
pub mod local;
pub mod man;
pub mod mechanisms;
pub mod noise;
pub mod query;
pub mod rehearse;
pub mod release;
pub mod reload;
pub mod serve;
pub mod shell;
pub mod synth;
pub mod tables;
pub mod token;
