//! A certificate that signs itself, and its key.

/// As PEM.
#[derive(Clone)]
pub struct Certificate {
    /// The certificate, which is its own root.
    pub pem: String,
    /// Its key.
    pub key: String,
}

impl Certificate {
    /// A new one, for these names.
    ///
    /// # Panics
    /// Where a name is none.
    pub fn of(names: &[&str]) -> Self {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let made = rcgen::generate_simple_self_signed(names).expect("names of hosts");
        Self { pem: made.cert.pem(), key: made.signing_key.serialize_pem() }
    }
}
