//! Releases through a curator, as anybody would make them.

mod publication {
    mod canaries;
    mod consistency;
    mod coverage;
    mod people;
    mod public_tables;
    mod same_plan;
    mod shelf;
    mod verification;
}
