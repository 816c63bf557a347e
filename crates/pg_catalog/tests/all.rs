//! The system catalog from outside: what clients send about it, and what they are told.

#[path = "all/conversations.rs"]
mod conversations;
#[path = "all/fixture.rs"]
mod fixture;
#[path = "all/public.rs"]
mod public;
