use std::os::unix::fs::PermissionsExt;

use rcgen::{
    CertificateParams, KeyPair, PKCS_ECDSA_P256_SHA256, PKCS_ECDSA_P384_SHA384, PKCS_ED25519,
    SignatureAlgorithm,
};
use rustls::RootCertStore;
use rustls::pki_types::ServerName;

use super::*;

/// Writes a fresh certificate of `localhost` and its key there, in place of what is there; gives the certificate.
pub(crate) fn write_certificate(folder: &Path) -> (TlsFiles, CertificateDer<'static>) {
    write_signed(folder, &PKCS_ECDSA_P256_SHA256)
}

fn write_signed(
    folder: &Path,
    algorithm: &'static SignatureAlgorithm,
) -> (TlsFiles, CertificateDer<'static>) {
    let key = KeyPair::generate_for(algorithm).unwrap();
    let certificate =
        CertificateParams::new(vec!["localhost".to_owned()]).unwrap().self_signed(&key).unwrap();
    let files = TlsFiles { certificate: folder.join("server.pem"), key: folder.join("server.key") };
    fs::write(&files.certificate, certificate.pem()).unwrap();
    fs::write(&files.key, key.serialize_pem()).unwrap();
    fs::set_permissions(&files.key, fs::Permissions::from_mode(0o600)).unwrap();
    (files, certificate.der().clone())
}

/// A client that trusts this certificate and names this protocol.
pub(crate) fn connector(
    trusted: &CertificateDer<'static>,
    protocol: Option<&[u8]>,
) -> tokio_rustls::TlsConnector {
    let mut roots = RootCertStore::empty();
    roots.add(trusted.clone()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder =
        rustls::ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let mut config = builder.with_root_certificates(roots).with_no_client_auth();
    config.alpn_protocols = protocol.map(<[u8]>::to_vec).into_iter().collect();
    Arc::new(config).into()
}

pub(crate) fn localhost() -> ServerName<'static> {
    ServerName::try_from("localhost").unwrap()
}

async fn meets(tls: &Tls, trusted: &CertificateDer<'static>) -> bool {
    let (server, client) = tokio::io::duplex(1 << 16);
    let acceptor = tokio_rustls::TlsAcceptor::from(Arc::clone(&tls.current().postgres));
    let connector = connector(trusted, Some(ALPN_POSTGRES));
    let (accepted, connected) = tokio::join!(acceptor.accept(server), connector.connect(localhost(), client));
    accepted.is_ok() && connected.is_ok()
}

/// Specification: after a reload new connections meet the new certificate, and are bound to it.
#[tokio::test]
async fn a_certificate_is_replaced_without_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let (files, old) = write_certificate(folder.path());
    let tls = Tls::load(files).unwrap();
    let before = tls.current();
    assert!(meets(&tls, &old).await);
    let (_, new) = write_certificate(folder.path());
    assert!(meets(&tls, &old).await, "read again only when told to");
    tls.reload().unwrap();
    assert!(meets(&tls, &new).await);
    assert!(!meets(&tls, &old).await);
    assert_eq!(before.binding, Binding::EndPoint(Sha256::digest(&old).to_vec()));
    assert_eq!(tls.current().binding, Binding::EndPoint(Sha256::digest(&new).to_vec()));
}

#[tokio::test]
async fn files_that_cannot_be_used_leave_the_certificate_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let (files, old) = write_certificate(folder.path());
    let tls = Tls::load(files.clone()).unwrap();
    let key = fs::read(&files.key).unwrap();
    fs::write(&files.key, "nothing").unwrap();
    assert!(matches!(tls.reload(), Err(TlsError::Pem { what: "private key", .. })));
    fs::write(&files.key, &key).unwrap();
    fs::set_permissions(&files.key, fs::Permissions::from_mode(0o644)).unwrap();
    assert!(matches!(tls.reload(), Err(TlsError::KeyReadable { .. })));
    fs::set_permissions(&files.key, fs::Permissions::from_mode(0o600)).unwrap();
    fs::write(&files.certificate, "").unwrap();
    assert!(matches!(tls.reload(), Err(TlsError::Pem { what: "certificate", .. })));
    write_certificate(folder.path());
    fs::write(&files.key, &key).unwrap();
    assert!(matches!(tls.reload(), Err(TlsError::Unusable { .. })), "another certificate's key");
    fs::remove_file(&files.certificate).unwrap();
    assert!(matches!(tls.reload(), Err(TlsError::Read { .. })));
    assert!(meets(&tls, &old).await);
}

#[test]
fn the_binding_is_the_hash_that_the_signature_names() {
    let folder = tempfile::tempdir().unwrap();
    let bound = |algorithm| {
        let (files, leaf) = write_signed(folder.path(), algorithm);
        (Loaded::read(&files).unwrap().binding, leaf)
    };
    let (binding, leaf) = bound(&PKCS_ECDSA_P384_SHA384);
    assert_eq!(binding, Binding::EndPoint(Sha384::digest(&leaf).to_vec()));
    let (binding, _) = bound(&PKCS_ED25519);
    assert_eq!(binding, Binding::None, "has no hash of its own");
    let rsa = |last| signature_hash(&[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, last]);
    assert!(matches!(rsa(5), Some(Hash::Sha256)), "SHA-1 counts as SHA-256");
    assert!(matches!(rsa(13), Some(Hash::Sha512)));
    assert!(rsa(10).is_none(), "RSA-PSS");
}

#[test]
fn bytes_that_are_no_certificate_have_no_algorithm() {
    let folder = tempfile::tempdir().unwrap();
    let (_, leaf) = write_certificate(folder.path());
    assert!(signature_algorithm(&leaf).is_some());
    for end in 0..leaf.len() {
        assert!(signature_algorithm(&leaf[..end]).is_none(), "{end}");
    }
    assert!(signature_algorithm(&[0x30, 0x84, 0xff, 0xff, 0xff, 0xff]).is_none());
}
