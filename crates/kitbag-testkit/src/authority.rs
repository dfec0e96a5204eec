//! [`Authority`]: somebody who signs certificates for servers on this machine, made for one test and trusted by nobody else.

use std::sync::Arc;

use rcgen::{BasicConstraints, Certificate, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::ServerConfig;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};

/// An authority and one server's certificate by it. Test only.
#[derive(Debug)]
pub struct Authority {
    certificate: Certificate,
    server: Arc<ServerConfig>,
}

impl Default for Authority {
    fn default() -> Self {
        Self::new()
    }
}

impl Authority {
    /// An authority of its own.
    ///
    /// # Panics
    /// When no keys can be made.
    #[must_use]
    pub fn new() -> Self {
        Self::made().unwrap_or_else(|error| panic!("no authority: {error}"))
    }

    fn made() -> Result<Self, Box<dyn std::error::Error>> {
        let mut params = CertificateParams::new([])?;
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate()?;
        let certificate = params.self_signed(&key)?;
        let issuer = Issuer::new(params, key);
        let key = KeyPair::generate()?;
        let names = ["127.0.0.1".to_owned(), "localhost".to_owned()];
        let own = CertificateParams::new(names)?.signed_by(&key, &issuer)?;
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
        let server = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_single_cert(vec![own.der().clone()], key)?;
        Ok(Self { certificate, server: Arc::new(server) })
    }

    /// Its own certificate, in DER: who trusts this trusts its servers.
    #[must_use]
    pub fn certificate(&self) -> &[u8] {
        self.certificate.der()
    }

    /// The same as PEM.
    #[must_use]
    pub fn pem(&self) -> String {
        self.certificate.pem()
    }

    pub(crate) fn server(&self) -> Arc<ServerConfig> {
        Arc::clone(&self.server)
    }
}
