//! The curator as analysts meet it: over real files and a real ledger.

#[path = "curator/changed_files.rs"]
mod changed_files;
#[path = "curator/clinic.rs"]
mod clinic;
#[path = "curator/cut_wire.rs"]
mod cut_wire;
#[path = "curator/datasets.rs"]
mod datasets;
#[path = "curator/elsewhere.rs"]
mod elsewhere;
#[path = "curator/elsewhere_failures.rs"]
mod elsewhere_failures;
#[path = "curator/elsewhere_spark.rs"]
mod elsewhere_spark;
#[path = "curator/evaluations.rs"]
mod evaluations;
#[path = "curator/graphs.rs"]
mod graphs;
#[path = "curator/life.rs"]
mod life;
#[path = "curator/means.rs"]
mod means;
#[path = "curator/models.rs"]
mod models;
#[path = "curator/oracles.rs"]
mod oracles;
#[path = "curator/others.rs"]
mod others;
#[path = "curator/outside.rs"]
mod outside;
#[path = "curator/parameters.rs"]
mod parameters;
#[path = "curator/pending.rs"]
mod pending;
#[path = "curator/periods.rs"]
mod periods;
#[path = "curator/public.rs"]
mod public;
#[path = "curator/quotes.rs"]
mod quotes;
#[path = "curator/race.rs"]
mod race;
#[path = "curator/redeclared.rs"]
mod redeclared;
#[path = "curator/released.rs"]
mod released;
#[path = "curator/reuse.rs"]
mod reuse;
#[path = "curator/twins.rs"]
mod twins;
#[path = "curator/values.rs"]
mod values;
