//! Certificates of both doors: read, checked, read again without a restart.
//!
//! **Guarantee.** A connection is under one certificate from its first byte to its last: configuration and channel binding are
//! taken together, so that a certificate that is replaced in between is never the one that a proof is checked against. TLS 1.2
//! and 1.3, without early data; sessions are not resumed under another certificate.
//!
//! **Channel binding** (`tls-server-end-point`, RFC 5929, section 4.1): the hash of the server's own certificate, with the hash
//! function of its signature, SHA-256 in place of MD5 and SHA-1. Ed25519 names no hash function, and that of RSA-PSS is in
//! parameters that are not read here: SCRAM-SHA-256-PLUS is not offered under such certificates.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use pointillist_access::scram::Binding;
use pointillist_errors::{Explained, Kind};
use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use sha2::{Digest, Sha256, Sha384, Sha512};

use crate::TlsFiles;

/// The protocol that PostgreSQL's clients name, and must name where they begin with TLS.
pub(crate) const ALPN_POSTGRES: &[u8] = b"postgresql";

/// The one that HTTP's clients name.
const ALPN_HTTP: &[u8] = b"http/1.1";

/// The certificate of both doors, as it stands.
pub(crate) struct Tls {
    standing: RwLock<Certificate>,
}

/// A certificate that was read and found usable, and from where.
pub(crate) struct Certificate {
    files: TlsFiles,
    loaded: Arc<Loaded>,
}

/// One certificate.
pub(crate) struct Loaded {
    /// For the Postgres wire.
    pub(crate) postgres: Arc<ServerConfig>,
    /// For HTTP.
    pub(crate) http: Arc<ServerConfig>,
    /// What SCRAM is tied to.
    pub(crate) binding: Binding,
}

/// A certificate that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file cannot be read.
    #[error("`{}` cannot be read: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file without what is looked for.
    #[error("`{}` has no {what} in PEM form", path.display())]
    Pem {
        /// The file.
        path: PathBuf,
        /// What is looked for.
        what: &'static str,
    },
    /// Others than its owner can read the key.
    #[error("the key `{}` can be read by others than its owner", path.display())]
    KeyReadable {
        /// The file.
        path: PathBuf,
    },
    /// The key is not the certificate's, or one of the two is not understood.
    #[error("the certificate `{}` cannot be used with its key: {source}", path.display())]
    Unusable {
        /// The certificate's file.
        path: PathBuf,
        /// Why.
        source: rustls::Error,
    },
}

impl Explained for TlsError {
    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Read { .. } => "check the path, and that the server's user may read it",
            Self::Pem { .. } => {
                "give the chain with the server's own certificate first, and its key, both as PEM"
            }
            Self::KeyReadable { .. } => "give it mode 0600, or 0640 where it belongs to root",
            Self::Unusable { .. } => "give a certificate of X.509 version 3 and the key that it was made for",
        };
        Some(hint.to_owned())
    }

    fn kind(&self) -> Kind {
        Kind::Environment
    }
}

impl Tls {
    /// Reads the files.
    pub(crate) fn load(files: TlsFiles) -> Result<Self, TlsError> {
        Ok(Self { standing: RwLock::new(Certificate::read(files)?) })
    }

    /// Reads these files, or the same again. Nobody meets what was read before it is [put](Self::put) in place.
    pub(crate) fn read(&self, files: Option<TlsFiles>) -> Result<Certificate, TlsError> {
        let standing = || self.standing.read().unwrap_or_else(PoisonError::into_inner).files.clone();
        Certificate::read(files.unwrap_or_else(standing))
    }

    /// From now on new connections meet this certificate; those that are open stay under the one that they began with.
    pub(crate) fn put(&self, certificate: Certificate) {
        *self.standing.write().unwrap_or_else(PoisonError::into_inner) = certificate;
    }

    /// Reads the same files again, and puts what they hold in place.
    #[cfg(test)]
    pub(crate) fn reload(&self) -> Result<(), TlsError> {
        self.put(self.read(None)?);
        Ok(())
    }

    /// The certificate as it stands, to be asked once for each connection.
    pub(crate) fn current(&self) -> Arc<Loaded> {
        Arc::clone(&self.standing.read().unwrap_or_else(PoisonError::into_inner).loaded)
    }
}

impl Certificate {
    fn read(files: TlsFiles) -> Result<Self, TlsError> {
        let loaded = Arc::new(Loaded::read(&files)?);
        Ok(Self { files, loaded })
    }
}

impl Loaded {
    fn read(files: &TlsFiles) -> Result<Self, TlsError> {
        let chain = chain(&files.certificate)?;
        let key = key(&files.key)?;
        let config = |protocol: &[u8]| config(&chain, &key, protocol, &files.certificate);
        let binding = chain.first().and_then(|leaf| end_point(leaf)).map_or(Binding::None, Binding::EndPoint);
        Ok(Self { postgres: config(ALPN_POSTGRES)?, http: config(ALPN_HTTP)?, binding })
    }
}

fn chain(path: &Path) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let bytes = fs::read(path).map_err(|source| TlsError::Read { path: path.to_owned(), source })?;
    let chain = CertificateDer::pem_slice_iter(&bytes).collect::<Result<Vec<_>, _>>();
    let chain = chain.ok().filter(|chain| !chain.is_empty());
    chain.ok_or_else(|| TlsError::Pem { path: path.to_owned(), what: "certificate" })
}

fn key(path: &Path) -> Result<PrivateKeyDer<'static>, TlsError> {
    let failed = |source| TlsError::Read { path: path.to_owned(), source };
    let mut file = fs::File::open(path).map_err(failed)?;
    if open_to_others(&file.metadata().map_err(failed)?) {
        return Err(TlsError::KeyReadable { path: path.to_owned() });
    }
    let mut bytes = Vec::new();
    io::Read::read_to_end(&mut file, &mut bytes).map_err(failed)?;
    PrivateKeyDer::from_pem_slice(&bytes)
        .map_err(|_| TlsError::Pem { path: path.to_owned(), what: "private key" })
}

/// As PostgreSQL judges: for its owner alone, or root's and for the server's group.
#[cfg(unix)]
fn open_to_others(metadata: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    let allowed = if metadata.uid() == 0 { 0o027 } else { 0o077 };
    metadata.mode() & allowed != 0
}

#[cfg(not(unix))]
fn open_to_others(_: &fs::Metadata) -> bool {
    false
}

fn config(
    chain: &[CertificateDer<'static>],
    key: &PrivateKeyDer<'static>,
    protocol: &[u8],
    path: &Path,
) -> Result<Arc<ServerConfig>, TlsError> {
    let unusable = |source| TlsError::Unusable { path: path.to_owned(), source };
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(unusable)?;
    let mut config =
        builder.with_no_client_auth().with_single_cert(chain.to_vec(), key.clone_key()).map_err(unusable)?;
    config.alpn_protocols = vec![protocol.to_vec()];
    Ok(Arc::new(config))
}

/// The hash of a certificate that `tls-server-end-point` is.
fn end_point(certificate: &[u8]) -> Option<Vec<u8>> {
    Some(match signature_hash(signature_algorithm(certificate)?)? {
        Hash::Sha256 => Sha256::digest(certificate).to_vec(),
        Hash::Sha384 => Sha384::digest(certificate).to_vec(),
        Hash::Sha512 => Sha512::digest(certificate).to_vec(),
    })
}

enum Hash {
    Sha256,
    Sha384,
    Sha512,
}

/// The hash function of a signature, by the bytes of its object identifier.
fn signature_hash(algorithm: &[u8]) -> Option<Hash> {
    /// 1.2.840.113549.1.1, PKCS #1.
    const RSA: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01];
    /// 1.2.840.10045.4, ECDSA.
    const ECDSA: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04];
    if let Some(kind) = algorithm.strip_prefix(RSA) {
        return match kind {
            // MD5, SHA-1 and SHA-256.
            [4 | 5 | 11] => Some(Hash::Sha256),
            [12] => Some(Hash::Sha384),
            [13] => Some(Hash::Sha512),
            _ => None,
        };
    }
    match algorithm.strip_prefix(ECDSA)? {
        // SHA-1 and SHA-256.
        [1] | [3, 2] => Some(Hash::Sha256),
        [3, 3] => Some(Hash::Sha384),
        [3, 4] => Some(Hash::Sha512),
        _ => None,
    }
}

/// The object identifier of a certificate's signature: `SEQUENCE { tbsCertificate, SEQUENCE { OBJECT IDENTIFIER, … }, … }`.
fn signature_algorithm(certificate: &[u8]) -> Option<&[u8]> {
    const SEQUENCE: u8 = 0x30;
    const OBJECT_IDENTIFIER: u8 = 0x06;
    let (whole, _) = der(SEQUENCE, certificate)?;
    let (_, after_body) = der(SEQUENCE, whole)?;
    let (algorithm, _) = der(SEQUENCE, after_body)?;
    der(OBJECT_IDENTIFIER, algorithm).map(|(identifier, _)| identifier)
}

/// The content of the DER value of this tag at the front, and what follows it.
fn der(tag: u8, bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let rest = bytes.strip_prefix(&[tag])?;
    let (&first, rest) = rest.split_first()?;
    let (length, rest) = match first {
        0..=0x7f => (usize::from(first), rest),
        0x81..=0x84 => {
            let (digits, rest) = rest.split_at_checked(usize::from(first & 0x7f))?;
            (digits.iter().fold(0, |length, digit| (length << 8) | usize::from(*digit)), rest)
        }
        _ => return None,
    };
    rest.split_at_checked(length)
}

#[cfg(test)]
pub(crate) mod tests;
