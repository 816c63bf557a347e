//! Releases through a curator, as anybody would make them.

mod publication {
    mod consistency;
    mod people;
}
