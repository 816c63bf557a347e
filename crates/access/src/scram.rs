//! SCRAM-SHA-256 as a server, without sockets.
