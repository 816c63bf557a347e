//! Certificates, read again when they are renewed.
